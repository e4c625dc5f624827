"""The commands multilabel and agree."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from infoscope.cli import app

GOLD = "q1\tsport\tnews\nq2\tnews\nq3\tmusic\nq4\tsport\n"
MODEL = "q1\tsport\nq2\tnews\nq3\tmusic\tnews\nq4\tsport\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {"gold": GOLD, "a": MODEL, "b": MODEL.replace("q4\tsport\n", "")}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return {name: tmp_path / f"{name}.txt" for name in texts}


def test_multilabel_says_what_is_captured(files: dict[str, Path]) -> None:
    result = run("multilabel", files["gold"], files["a"], "--draws", 20, "--splits", 4, "--shuffles", 4)

    assert result.exit_code == 0
    assert result.stdout.strip().startswith("a captures ")
    assert "gold" in result.stdout


def test_multilabel_compares_and_counts_missing_objects(files: dict[str, Path]) -> None:
    options = ("--format", "json", "--draws", 20, "--splits", 0, "--shuffles", 0)
    result = run("multilabel", files["gold"], files["a"], files["b"], *options)
    document = json.loads(result.stdout)

    assert [system["name"] for system in document["systems"]] == ["a", "b"]
    assert document["provenance"]["ignored"] == [{"reason": "object in gold only", "rows": 1}]
    assert document["common_objects"] == 3
    assert "1 objects left out" in result.stderr
    strict = run("multilabel", files["gold"], files["b"], "--strict", *options)
    assert (strict.exit_code, strict.stdout) == (2, "")


def test_multilabel_reads_rows_and_writes_a_page(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("query,topic\n1,a\n1,b\n2,a\n3,c\n", encoding="utf-8")
    page = tmp_path / "page.html"
    options = ("--object", "query", "--category", "topic", "--draws", 10, "--splits", 2, "--shuffles", 2)
    result = run("multilabel", rows, rows, *options, "-o", page)

    assert (result.exit_code, result.stdout) == (0, "")
    assert "rows captures 100.0%" in page.read_text(encoding="utf-8")
    assert run("multilabel", rows, rows, *options, "-o", page).exit_code == 0  # a page of ours may be replaced
    page.write_text("mine", encoding="utf-8")
    again = run("multilabel", rows, rows, *options, "-o", page)
    assert (again.exit_code, "--force" in again.stderr) == (2, True)


def test_agree_on_columns_and_on_files(files: dict[str, Path], tmp_path: Path) -> None:
    table = tmp_path / "labels.csv"
    table.write_text("ann,bob,eve\nx,x,y\ny,y,y\nx,x,x\ny,,y\nx,y,x\n", encoding="utf-8")
    columns = run("agree", table, "-s", "ann", "-s", "bob", "-s", "eve", "--draws", 20, "--format", "json")
    lists = run("agree", files["gold"], files["a"], files["b"], "--draws", 20)

    assert json.loads(columns.stdout)["annotators"][1]["items"] == 4
    assert "3 annotators · 4 items" in lists.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("multilabel", "nowhere.txt", "nowhere.txt"), "does not exist"),
        (("agree", "one.txt"), "is one file"),
        (("agree", "one.txt", "one.txt"), "named twice"),
        (("multilabel", "a.txt", "b.txt", "--separator", ""), "separator is empty"),
        (("multilabel", "a.txt", "b.txt", "--depth", "1"), "separator"),
    ],
)
def test_bad_use_is_one_line_and_status_2(arguments: tuple[str, ...], said: str) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("command", ["multilabel", "agree"])
def test_help_has_an_example(command: str) -> None:
    assert "Example: infoscope" in run(command, "--help").stdout
