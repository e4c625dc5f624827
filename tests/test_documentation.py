"""The links of README and docs lead somewhere, and names that they mention exist; tests/docs runs their code."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import infoscope as ifs
from tests.api import app
from tools.site import GENERATED

ROOT = Path(__file__).parent.parent
WRITTEN = {ROOT / "docs" / "reference" / name for name in GENERATED}
"""Written when the site is built, which checks the links from and to it."""
PAGES = sorted(
    page for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if not WRITTEN & {page, *page.parents}
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    targets = [(page.parent / link).resolve() for link in links if "://" not in link]

    assert not [target for target in targets if not WRITTEN & {target, *target.parents} and not target.exists()]


def test_metrics_that_the_page_for_other_packages_names_exist():
    text = (ROOT / "docs" / "start" / "coming-from.md").read_text(encoding="utf-8")
    names = set(re.findall(r"ifs\.metrics\.(\w+)", text))
    calls = set(re.findall(r"`ifs\.(\w+)", text)) - {"metrics"}

    assert len(names) > 8
    assert not [name for name in names if name not in ifs.catalogue]
    assert not [name for name in calls if not hasattr(ifs, name)]


@pytest.mark.slow
def test_commands_in_the_table_of_the_readme_run(tmp_path, monkeypatch):
    columns = "truth model new old p ann bob"
    rows = [[at % 2, at % 2, at % 2, at % 3 // 2, at % 5 / 5, at % 2, at % 3 // 2] for at in range(60)]
    lines = [columns.split(), *rows]
    boxes = "".join(f"{frame},1,10,10,20,20,1,1,1\n" for frame in range(1, 6))
    (tmp_path / "rows.csv").write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    (tmp_path / "confusion.csv").write_text(",cat,dog\ncat,40,10\ndog,5,45\n")
    (tmp_path / "gt.txt").write_text(boxes)
    (tmp_path / "tracks.txt").write_text(boxes)
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\|[^|]*\| `infoscope (.*?)` \|", text, re.MULTILINE)

    assert len(commands) == 7
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command))
        assert done.exit_code == 0, f"{command}\n{done.output}"


def test_coverage_and_accuracy_in_the_readme_are_those_of_the_docs():
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("*", "")
    report = (ROOT / "docs" / "contributors" / "intervals.md").read_text(encoding="utf-8")
    row = r"^\| {} \| \.\d+ → (\.\d+), (\.\d+) \(.*?→ (\.\d+),"
    found = [re.findall(row.format(name), report, re.MULTILINE)[0] for name in ("proficiency", "accuracy", "macro F1")]
    y_true = ["healthy"] * 950 + ["ill"] * 50
    useful = ["healthy"] * 880 + ["ill"] * 70 + ["healthy"] * 5 + ["ill"] * 45

    assert re.findall(r"[\d,]+(?= tables)", text) == re.findall(r"On ([\d,]+) tables with a seed", report)
    for shares in zip(*found, strict=True):  # average coverage, that of the worst cell, false passes
        captured, accuracy, macro_f1 = (f"{float(share):.1%}" for share in shares)
        assert re.search(rf"{captured}[^%]*\s{accuracy}[^%]*\s{macro_f1}", text)
    for y_pred in (["healthy"] * 1000, useful):
        system = ifs.evaluate(y_true, y_pred, positive="ill")["system"]
        captured = system.shown("proficiency") if system.is_informative else system.number("proficiency")
        assert f"{system.shown('accuracy'):.1%} | {captured:.1%}" in text
