"""The commands multilabel and agree."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.api import app

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
    result = run("multilabel", files["gold"], files["a"])

    assert result.exit_code == 0
    assert result.stdout.strip().startswith("a has a micro F1 of ")
    assert "gold" in result.stdout


def test_multilabel_compares_and_counts_missing_objects(files: dict[str, Path]) -> None:
    options = ("--format", "json")
    result = run("multilabel", files["gold"], files["a"], files["b"], *options)
    document = json.loads(result.stdout)

    assert [system["name"] for system in document["systems"]] == ["a", "b"]
    assert document["provenance"]["ignored"] == [{"reason": "object in gold only", "rows": 1}]
    assert document["common_objects"] == 3
    assert "1 object left out" in result.stderr
    strict = run("multilabel", files["gold"], files["b"], "--one-sided", "reject", *options)
    assert (strict.exit_code, strict.stdout) == (2, "")


def test_multilabel_reads_rows_and_writes_a_page(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("query,topic\n1,a\n1,b\n2,a\n3,c\n", encoding="utf-8")
    page = tmp_path / "page.html"
    options = ("--object", "query", "--category", "topic")
    result = run("multilabel", rows, rows, *options, "-o", page)

    assert (result.exit_code, result.stdout) == (0, "")
    assert "In this sample rows captures 100.0%" in page.read_text(encoding="utf-8")
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


def test_erd_rows_need_no_header_and_starts_are_named(tmp_path: Path) -> None:
    gold, model = tmp_path / "gold.txt", tmp_path / "model.txt"
    gold.write_text("q1\t0\t/m/1\ta\t1\nq2\t0\t/m/2\tb\t1\n", encoding="utf-8")
    model.write_text("q1\t0\t/m/1\ta\t0.3\nq3\t0\t/m/2\tc\t0.2\n", encoding="utf-8")
    quick = ("--plain", "--format", "json")

    system = json.loads(run("multilabel", gold, model, "--read", "format=erd", *quick).stdout)["systems"][0]
    assert (system["n"], system["metrics"]["micro_f1"]["value"]) == (3, 0.5)
    left_out = run("multilabel", gold, model, "--read", "format=erd", "--one-sided", "leave-out", *quick)
    assert json.loads(left_out.stdout)["systems"][0]["n"] == 1
    lists = run("multilabel", gold, model, "--read", "truth_start=2", "--read", "predicted_start=2", *quick)
    assert "/m/1" in json.loads(lists.stdout)["systems"][0]["categories"]
    short = run("multilabel", gold, model, "--read", "format=erd", "--read", "truth_start=7", *quick)
    assert (short.exit_code, "line 1 has 5 fields" in short.stderr) == (2, True)


def test_verbose_text_cuts_no_list(tmp_path: Path) -> None:
    gold, model = tmp_path / "gold.txt", tmp_path / "model.txt"
    names = [f"category{at}" for at in range(12)]
    gold.write_text("".join(f"q{at}\t{name}\n" for at, name in enumerate(names)), encoding="utf-8")
    model.write_text("".join(f"q{at}\tother\n" for at in range(12)), encoding="utf-8")
    quick = ("--plain",)

    assert "and 7 more, which gold did" in " ".join(run("multilabel", gold, model, *quick).stdout.split())
    whole = run("multilabel", gold, model, *quick, "-v").stdout
    assert " more" not in whole
    assert all(f"'{name}'" in whole for name in names)
