"""``infoscope compare`` as a person uses it, and three ways to get it wrong."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import infoscope
from infoscope.cli import app
from infoscope.comparison import compare

DIGITS = str(Path(infoscope.__file__).parent / "data" / "digits.csv")
THREE = ["-t", "truth", "-s", "svm", "-s", "naive_bayes", "-s", "relabelled"]


def run(*arguments):
    return CliRunner().invoke(app, ["compare", *arguments])


def test_text_names_the_best_and_every_difference():
    result = run(DIGITS, *THREE)

    assert result.exit_code == 0, result.output
    assert "svm is the best of 3 systems" in result.stdout
    assert "naive_bayes" in result.stdout
    assert "worse" in result.stdout


def test_json_has_the_contract_keys():
    document = json.loads(run(DIGITS, *THREE, "--format", "json", "--metric", "accuracy").stdout)
    pair = document["comparison"]["pairs"][0]

    assert {"a", "b", "metric", "difference", "low", "high", "probability_a_better", "paired"} <= set(pair)
    assert pair["paired"] is True
    assert pair["improvement_factor"]["value"] > 1
    assert document["comparison"]["ranking"][0]["systems"][0]["name"] == "svm"


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_names_cannot_break_the_page(form):
    truth = ["a", "b"] * 30
    hostile = "<script>alert(1)</script>|x"
    result = compare({hostile: truth, "plain": ["a"] * 60}, truth=truth)
    page = result.to_markdown() if form == "markdown" else result.to_html()

    assert "<script>alert" not in page
    assert result._repr_html_().count("<table") == 2


def test_matrices_are_compared_unpaired(tmp_path):
    for name, rows in (("old", "40,10\n10,40\n"), ("new", "48,2\n3,47\n")):
        (tmp_path / f"{name}.csv").write_text(rows)

    result = run("--matrix", str(tmp_path / "old.csv"), str(tmp_path / "new.csv"), "--baseline", "old")

    assert result.exit_code == 0, result.output
    assert "unpaired" in result.stdout
    assert "baseline" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([DIGITS, "-t", "truth", "-s", "svm"], "at least two", id="one system"),
        pytest.param([DIGITS, "-t", "truth", "-s", "svm", "-s", "naive_byes"], "naive_bayes", id="misspelt column"),
        pytest.param([DIGITS, *THREE, "--metric", "g_statistic"], "no posterior", id="metric without posterior"),
        pytest.param([DIGITS, *THREE, "--baseline", "rf"], "baseline", id="unknown baseline"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(arguments, message):
    result = run(*arguments)

    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_database_gives_the_comparison_that_the_file_gives(tmp_path: Path) -> None:
    import sqlite3

    header, *rows = [line.split(",") for line in Path(DIGITS).read_text().splitlines()]
    database = sqlite3.connect(tmp_path / "log.db")
    database.execute(f"CREATE TABLE digits ({', '.join(f'{name} TEXT' for name in header)})")
    database.executemany(f"INSERT INTO digits VALUES ({', '.join('?' * len(header))})", rows)
    database.commit()
    database.close()
    asked = [*THREE, "--format", "json", "--metric", "accuracy"]

    of_file = run(DIGITS, *asked, "--engine", "duckdb", "--memory-limit", "500MB", "--threads", "1")
    of_database = run("digits", *asked, "--engine", "sql", "--engine-url", f"sqlite:///{tmp_path / 'log.db'}")

    assert of_file.exit_code == of_database.exit_code == 0, of_database.output
    found, wanted = (json.loads(result.stdout)["comparison"]["pairs"] for result in (of_database, of_file))
    for ours, theirs in zip(found, wanted, strict=True):  # sums of floats may differ in the last digit
        for key in ("difference", "low", "high", "probability_a_better"):
            assert ours[key] == pytest.approx(theirs[key], rel=1e-9)


@pytest.mark.parametrize(
    "engine",
    [["--engine", "dask", "--engine-url", "tcp://127.0.0.1:9"], ["--engine", "sql", "--engine-url", "nowhere"]],
)
def test_an_engine_that_does_not_answer_ends_with_2(engine: list[str]) -> None:
    result = run(DIGITS, *THREE, *engine)

    assert result.exit_code == 2
    assert engine[-1] in result.stderr
