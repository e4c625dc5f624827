"""The documentation site: built without a warning, and what its pages show is what happens."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sphinx")

from tools.site import GENERATED, executed
from tools.site.elision import updated
from tools.site.notebooks import notebook

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIALS = sorted(path for path in (DOCS / "tutorials").glob("*.md") if path.name != "index.md")
WRITTEN = {DOCS / "reference" / name for name in GENERATED}
PAGES = [ROOT / "README.md", *sorted(path for path in DOCS.rglob("*.md") if not WRITTEN & {path, *path.parents})]
SLOW = ("big-data", "operating-points", "without-truth", "judge", "README", "ten-minutes", "thresholds")
SLOW += ("history", "read-data", "multilabel")
NOT_RUN = Counter(
    {
        "it installs packages": 4,
        "needs MLflow; make test-mlflow runs it against a server": 2,
        "needs an account of Weights & Biases": 1,
        "a server that runs until it is stopped; tests/explorer starts it": 1,
        "starts a cluster; tests/engines does": 1,
        "starts a cluster; tests/spark does": 1,
        "needs an object store": 1,
        "needs a database server; tests/engines starts one": 1,
        "needs Lightning; tests/torch trains with it": 1,
    }
)
"""Blocks that are only shown, by the reason that stands before each."""


def named(page: Path) -> str:
    return str(page.relative_to(ROOT).with_suffix(""))


def marked(page: Path) -> Any:
    return pytest.param(page, id=named(page), marks=[pytest.mark.slow] if page.stem in SLOW else [])


@pytest.mark.parametrize("page", [marked(page) for page in PAGES])
def test_what_a_page_shows_is_what_its_commands_print(page: Path) -> None:
    assert not executed.problems(page.read_text(encoding="utf-8"), page.parent)


def test_blocks_that_are_only_shown_are_few_and_say_why() -> None:
    reasons = Counter(reason for page in PAGES for reason in executed.not_run(page.read_text(encoding="utf-8")))

    assert reasons == NOT_RUN


@pytest.mark.parametrize("page", TUTORIALS, ids=named)
def test_every_tutorial_ends_in_a_decision_and_is_a_notebook_too(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert "## The decision" in text
    assert f"[notebook]({page.stem}.ipynb)" in text
    assert page.with_suffix(".ipynb").read_text(encoding="utf-8") == notebook(text), (
        "python -m tools.site.executed writes it"
    )


def test_every_how_to_page_starts_with_a_question_and_a_command() -> None:
    for page in (DOCS / "how-to").glob("*.md"):
        title, start = page.read_text(encoding="utf-8").split("\n\n", maxsplit=2)[:2]
        assert title.startswith("# "), page.name
        assert start.startswith("**"), page.name
        assert "?**" in start, page.name
        assert "`" in start, page.name


def test_a_stale_output_and_a_broken_block_are_noticed() -> None:
    stale = "```console\n$ infoscope datasets nothing\nnot this\n```\n"
    broken = "```python\n>>> 1 + 1\n3\n```\n\n```python\nundefined_name\n```\n"

    assert any("line 3 is stale" in problem for problem in executed.problems(stale))
    assert len(executed.problems(broken)) == 2


def test_what_is_no_known_kind_of_block_fails_and_a_marked_one_is_left_alone() -> None:
    assert "say console, sh, python or text" in executed.problems("```\ninfoscope demo\n```\n")[0]
    assert "say console" in executed.problems("```bash\ninfoscope demo\n```\n")[0]
    assert not executed.problems("<!-- not run: no such file -->\n```sh\ninfoscope evaluate absent.csv\n```\n")
    assert "absent.csv" in executed.problems("```sh\ninfoscope evaluate absent.csv\n```\n")[0]
    assert not executed.problems("<!-- needs: absent_package -->\n```python\nimport absent_package\n```\n")


def test_a_line_of_three_dots_stands_for_lines_that_are_left_out() -> None:
    page = "```console\n$ printf 'one\\ntwo\\nthree\\n'\none\n  …\n{}\n```\n"

    assert not executed.problems(page.format("three"))
    assert executed.problems(page.format("four"))


def test_lines_left_out_stay_left_out_when_a_line_beside_them_changes() -> None:
    page = "```console\n$ printf 'total 4\\none\\ntwo\\nlast 8\\n'\ntotal 3\n  …\nlast 8\n```\n"
    now = executed.executed(page)

    assert now.text == page.replace("total 3", "total 4")
    assert executed.executed(now.text).text == now.text
    assert executed.problems(page)


@pytest.mark.parametrize(
    ("shown", "now", "expected"),
    [
        ("a\n…\nd 1\n…\n", "a\nb\nc\nd 2\ne\n", "a\n…\nd 2\n…\n"),
        ("a\n…\nz\n", "a\nz\n", "a\nz\n"),
        ("a 1\nb 1\n", "a 2\nb 2\n", "a 2\nb 2\n"),
        ("a\n…\n", "a\nb\nc\n", "a\nb\nc\n"),
        ("…\nlast 1\n", "first\nlast 2\nmore\n", "…\nlast 2\nmore\n"),
    ],
    ids=["twice", "nothing left", "no mark", "fits, so not for us to say", "a line is new"],
)
def test_outputs_are_updated_line_by_line(shown: str, now: str, expected: str) -> None:
    assert updated(shown, now, "…") == expected


def test_three_dots_of_a_doctest_stay_when_another_line_changes() -> None:
    page = "```python\n>>> for at in range(4):\n...     print('line', at, at * 1.25)\nline 0 0...\n...\nline 3 9\n```\n"

    assert executed.executed(page).text == page.replace("line 3 9", "line 3 3.75")
    assert executed.problems(page)


def test_a_picture_that_is_not_what_the_code_saves_is_noticed(tmp_path: Path) -> None:
    code = "```python\nopen('it.svg', 'w').write('<svg/>')\n```\n\n![it](it.svg)\n"
    assert executed.problems(code, tmp_path) == ["it.svg is stale"]

    (tmp_path / "it.svg").write_text("<svg/>")
    assert not executed.problems(code, tmp_path)


def test_a_notebook_has_the_code_and_the_outputs_of_its_page() -> None:
    code = "```python\n>>> x = 2\n>>> x + 1\n3\n>>> print(x)\n2\n```\n"
    page = f"# Title\n\n{code}\n```console\n$ infoscope demo\nfine\n```\n"
    title, value, printed, command = json.loads(notebook(page))["cells"]

    assert title["source"] == ["# Title"]
    assert value["source"] == ["x = 2\n", "x + 1"]
    assert value["outputs"][0]["data"] == {"text/plain": ["3"]}
    assert printed["outputs"][0]["text"] == ["2\n"]
    assert command["source"] == ["!infoscope demo"]
    assert command["outputs"][0]["text"] == ["fine\n"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # what Sphinx itself warns of is printed
def test_the_site_builds_without_a_warning(site: Path) -> None:
    assert (site.parent / "warnings.txt").read_text(encoding="utf-8") == ""
    page = (site / "reference" / "metrics" / "information.html").read_text(encoding="utf-8")
    assert "<math" in page
    assert "https://cdn" not in page
