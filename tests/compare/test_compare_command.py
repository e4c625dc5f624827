"""``infoscope compare`` as a person uses it, and three ways to get it wrong."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import infoscope
from infoscope import compare
from tests.api import app

DIGITS = str(Path(infoscope.__file__).parent / "data" / "digits.csv")
THREE = ["-t", "truth", "-s", "svm", "-s", "naive_bayes", "-s", "relabelled"]


def run(*arguments):
    return CliRunner().invoke(app, ["compare", *arguments])


@pytest.mark.slow
def test_text_names_the_best_and_every_difference():
    result = run(DIGITS, *THREE)

    assert result.exit_code == 0, result.output
    assert "svm is the best of 3: right in 98.9% of" in result.stdout
    assert "naive_bayes" in result.stdout
    assert "worse" in result.stdout


@pytest.mark.slow
def test_json_has_the_contract_keys():
    document = json.loads(run(DIGITS, *THREE, "--format", "json", "--metric", "accuracy").stdout)
    pair = document["pairs"][0]

    assert {"a", "b", "metric", "estimate", "probability_a_better", "paired", "verdict", "significant"} <= set(pair)
    assert {"value", "shown", "mean", "sd", "low", "high"} <= set(pair["estimate"])
    assert pair["paired"] is True
    assert pair["improvement"]["value"] > 1
    assert document["ranking"][0]["places"][0]["name"] == "svm"


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_names_cannot_break_the_page(form):
    truth = ["a", "b"] * 30
    hostile = "<script>alert(1)</script>|x"
    result = compare(truth, {hostile: truth, "plain": ["a"] * 60})
    page = result.to_markdown() if form == "markdown" else result.to_html()

    assert "<script>alert" not in page
    assert result._repr_html_().count("<table") == 2  # the systems, and the samples that only one gets right


def test_matrices_are_compared_unpaired(tmp_path):
    for name, rows in (("old", "40,10\n10,40\n"), ("new", "48,2\n3,47\n")):
        (tmp_path / f"{name}.csv").write_text(rows)

    result = run("--matrix", str(tmp_path / "old.csv"), str(tmp_path / "new.csv"), "--baseline", "old")

    assert result.exit_code == 0, result.output
    assert "unpaired" in result.stdout
    assert "baseline" in result.stdout


@pytest.mark.slow
def test_the_seed_is_stated_and_the_classes_seen_in_other_shares():
    arguments = [DIGITS, *THREE, "--format", "json", "--metric", "proficiency", "--seed", "5"]
    plain, equal = (json.loads(run(*arguments, *more).stdout) for more in ([], ["--prevalence", "equal"]))
    wanted = compare(DIGITS, truth="truth", system=THREE[3::2], metrics="proficiency", seed=5)

    assert plain["pairs"] == json.loads(wanted.to_json())["pairs"]
    assert any("re-weighted to the stated frequencies" in note["text"] for note in equal["findings"])
    assert set(plain["samples"].values()) == {1797}


def test_matrices_of_one_name_are_told_by_their_paths_and_shares_take_n(tmp_path):
    paths = [tmp_path / folder / "cm.csv" for folder in ("old", "new")]
    for path, rows in zip(paths, ("40,10\n10,40\n", "0.48,0.02\n0.03,0.47\n"), strict=True):
        path.parent.mkdir()
        path.write_text(rows)
    arguments = ["--matrix", *map(str, paths), "--format", "json"]

    rejected, accepted = run(*arguments), run(*arguments, "--sample-size", "500")
    assert rejected.exit_code == 2
    assert "sample size is not known" in rejected.stderr
    assert json.loads(accepted.stdout)["samples"] == {str(paths[0]): 100, str(paths[1]): 500}


def test_rows_with_weights_are_not_called_incomplete(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{i % 4},{i % 4},{i % 3},{weight}" for i, weight in enumerate(rng.random(1000))]
    (tmp_path / "rows.csv").write_text("\n".join(["t,a,b,w", *lines]))

    result = run(str(tmp_path / "rows.csv"), "-t", "t", "-s", "a", "-s", "b", "--weight", "w", "--strict")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([DIGITS, *THREE, "--sample-size", "10"], "rows are counted", id="n of rows"),
        pytest.param([DIGITS, *THREE, "--rope", "nan"], "practical equivalence", id="no region"),
        pytest.param([DIGITS, *THREE, "--metric", "f1"], "f1 is undefined for 'svm'", id="undefined metric"),
        pytest.param(["--matrix", DIGITS, DIGITS, "-t", "truth"], "--truth names a column", id="column of a matrix"),
        pytest.param(["--matrix", DIGITS, DIGITS, "--weight", "w"], "--weight names a column", id="weight of a matrix"),
        pytest.param([DIGITS, *THREE, "--prevalence", "nowhere"], "neither the word 'equal'", id="no shares"),
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


@pytest.mark.slow
def test_a_database_gives_the_comparison_that_the_file_gives(tmp_path: Path) -> None:
    import sqlite3

    header, *rows = [line.split(",") for line in Path(DIGITS).read_text().splitlines()]
    database = sqlite3.connect(tmp_path / "log.db")
    database.execute(f"CREATE TABLE digits ({', '.join(f'{name} TEXT' for name in header)})")
    database.executemany(f"INSERT INTO digits VALUES ({', '.join('?' * len(header))})", rows)
    database.commit()
    database.close()
    asked = [*THREE, "--format", "json", "--metric", "accuracy"]

    of_file = run(DIGITS, *asked, "--read", "engine=duckdb", "--read", "memory=500MB")
    of_database = run("digits", *asked, "--read", f"engine=sqlite:///{tmp_path / 'log.db'}")

    assert of_file.exit_code == of_database.exit_code == 0, of_database.output
    found, wanted = (json.loads(result.stdout)["pairs"] for result in (of_database, of_file))
    for ours, theirs in zip(found, wanted, strict=True):  # sums of floats may differ in the last digit
        assert ours["estimate"] == pytest.approx(theirs["estimate"], rel=1e-9)
        assert ours["probability_a_better"] == pytest.approx(theirs["probability_a_better"], rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "engine",
    [["--read", "engine=tcp://127.0.0.1:9"], ["--read", "engine=nowhere"]],
)
def test_an_engine_that_does_not_answer_ends_with_2(engine: list[str]) -> None:
    if "dask" in engine:
        pytest.importorskip("distributed")
    result = run(DIGITS, *THREE, *engine)

    assert result.exit_code == 2
    assert engine[-1].partition("=")[2] in result.stderr
