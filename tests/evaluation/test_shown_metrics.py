"""Metrics that a reader names are shown first, in every form, and are alone in tables of numbers."""

import csv
import io
import json
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import infoscope as ifs
from tests.api import app

TRUTH = ["cat", "cat", "dog", "dog", "cow", "cow"] * 20
POOR = ["cat", "dog", "dog", "dog", "dog", "cow"] * 20
GOOD = [*TRUTH[:-6], *POOR[-6:]]
SYSTEMS = {"poor": POOR, "good": GOOD}


def test_one_system() -> None:
    text = ifs.evaluate(TRUTH, GOOD, metrics=["kappa", "macro_f1"]).to_text()

    assert text.index("system: Cohen's kappa 0.9") < text.index("system is right in")
    assert text.index("\n  Cohen's kappa") < text.index("\n  Macro F1") < text.index("\n  captured")


@pytest.mark.slow
def test_several_systems_by_the_first_metric() -> None:
    result = ifs.evaluate(TRUTH, SYSTEMS, metrics=["macro_f1", "mcc"])
    for shown in (result.to_text(full=True), result.to_markdown(full=True), result.to_html()):
        table = shown[shown.index("Systems by macro F1") :]
        assert table.index("good") < table.index("poor")
        assert "Matthews correlation coefficient" in table


def test_lower_is_better() -> None:
    text = ifs.evaluate(TRUTH, SYSTEMS, metrics="erroneous_information_ratio").to_text(full=True)
    table = text[text.index("Systems by erroneous") :]

    assert table.index("good") < table.index("poor")


def test_frames_have_the_named_metrics_alone() -> None:
    pytest.importorskip("pandas")
    frame = ifs.evaluate(TRUTH, SYSTEMS, metrics=["mcc", "accuracy"]).to_frame("pandas", wide=True)
    names = [name for name in frame.columns if "." not in name]

    assert names == ["system", "n", "mcc", "accuracy"]
    assert frame["accuracy"].tolist() == [pytest.approx(4 / 6), pytest.approx((114 + 4) / 120)]
    tidy = ifs.evaluate(TRUTH, SYSTEMS, metrics=["mcc", "accuracy"]).to_frame("pandas")
    assert tidy["metric"].tolist() == ["mcc", "accuracy"] * 2
    assert tidy["class"].isna().all()


@pytest.mark.slow
def test_documents_keep_all_metrics_and_which_were_named(tmp_path: Path) -> None:
    result = ifs.evaluate(TRUTH, SYSTEMS, metrics=["mcc"])
    result.save(tmp_path / "out.json")
    read = ifs.load(tmp_path / "out.json")

    assert read.metrics == ("mcc",)
    assert set(read["good"].metrics) == set(ifs.evaluate(TRUTH, SYSTEMS)["good"].metrics)
    assert read.to_text() == result.to_text()


def test_undefined_metrics_say_why() -> None:
    text = ifs.evaluate(TRUTH, GOOD, metrics="recall").to_text()

    assert "Recall is undefined" in text


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "log.csv"
    rows = zip(TRUTH, POOR, GOOD, strict=True)
    path.write_text("truth,poor,good\n" + "".join(f"{','.join(row)}\n" for row in rows))
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.mark.slow
def test_on_the_command_line(log: str) -> None:
    words = ["evaluate", log, "-s", "poor,good", "--metric", "mcc", "--metric", "kappa"]
    text, table, document = (run(*words, "--format", form) for form in ("text", "csv", "json"))
    rows = list(csv.DictReader(io.StringIO(table.stdout)))

    assert text.exit_code == table.exit_code == document.exit_code == 0, text.output
    places = [
        text.stdout.index(word) for word in ("first of 2 systems", "Matthews correlation coefficient  ", "  good  ")
    ]
    assert places == sorted(places)
    assert [(row["system"], row["metric"]) for row in rows] == list(product(["poor", "good"], ["mcc", "kappa"]))
    assert json.loads(document.stdout)["metrics"] == ["mcc", "kappa"]
    wrong = run("evaluate", log, "-s", "poor,good", "--metric", "acuracy")
    assert (wrong.exit_code, "did you mean 'accuracy'?" in wrong.stderr) == (2, True)


@pytest.mark.slow
def test_the_headline_is_about_the_named_metric_unless_nothing_is_captured() -> None:
    def first(result: ifs.Evaluation) -> str:
        return " ".join(result.to_text().split(" classes")[0].split())[:-2]

    assert first(ifs.evaluate(TRUTH, SYSTEMS, metrics="mcc")).startswith("good: Matthews correlation coefficient 0.9")
    assert first(ifs.evaluate(TRUTH, SYSTEMS, metrics="mcc")).endswith("first of 2 systems.")
    assert first(ifs.evaluate(TRUTH, SYSTEMS, metrics=["mcc", "accuracy"])).endswith(
        "by Matthews correlation coefficient."
    )
    constant = ifs.evaluate(TRUTH, {"good": GOOD, "dummy": ["cat"] * 120}, metrics="weighted_fpr")
    assert first(constant).startswith("good: ")
    assert first(ifs.evaluate(TRUTH, ["cat"] * 120, metrics="accuracy")).startswith("system always predicts 'cat'")


def test_a_list_of_errors_gets_no_verdict() -> None:
    wrong = {"cat": ["dog", "cow"], "dog": ["cow", "cat"], "cow": ["cat", "dog"]}
    text = ifs.evaluate(TRUTH, [wrong[t][at // 6 % 2] for at, t in enumerate(TRUTH)], metrics="mcc").to_text(width=200)

    assert text.strip().startswith("No verdict: no prediction is right, so this looks like a list of errors")
    assert "captures" not in text.split("missed")[0]
    assert "renamed" not in text


TASS3 = ("k_X", "k_X|Y", "mu", "m_Y|X", "m_Y", "accuracy", "EMA", "NIT")


@pytest.mark.slow
def test_the_columns_of_the_tass3_table_are_printed_in_text_and_markdown() -> None:
    """Eight chosen columns have room in a line of 100, headed by symbols, with the sample's values."""
    tables = {
        "a": ifs.Contingency.from_matrix([[15, 0, 5], [0, 15, 5], [0, 0, 20]]),
        "b": ifs.Contingency.from_matrix([[16, 2, 2], [2, 16, 2], [1, 1, 18]]),
    }
    result = ifs.evaluate(tables, metrics=TASS3, uncertainty=None)
    own = ["3.000", "1.543", "1.944", "1.455", "2.828", "83.3%", "64.8%", "64.8%"]

    lines = [" ".join(line.split()) for line in result.to_text(width=100).splitlines()]
    assert "system k_T k_T|S μ k_S|T k_S A a' q" in lines
    assert f"a {' '.join(own)}" in lines
    assert " | ".join(f"**{number}**" for number in own) in result.to_markdown()
    assert "k_T effective classes" in result.to_text()
    frequencies = ifs.evaluate(
        {name: ifs.Contingency.from_matrix(t.counts / 60) for name, t in tables.items()}, metrics=TASS3
    )
    assert "plug-in values" not in frequencies.to_text()


@pytest.mark.slow
def test_a_number_of_classes_ranks_nobody() -> None:
    """k_X is a property of the truth: the first chosen metric of which more or less is better says who leads."""
    tables = {
        "worse": ifs.Contingency.from_matrix([[40, 20], [20, 60]]),
        "better": ifs.Contingency.from_matrix([[50, 12], [10, 68]]),
    }
    text = " ".join(ifs.evaluate(tables, metrics=TASS3).to_text(width=200).split())

    assert text.startswith("better: Effective classes")
    assert "and 3 more below, first of 2 systems by remnant classes." in text
    assert text.index("Systems by remnant classes") < text.index("better ", text.index("Systems by remnant classes"))
    alone = ifs.evaluate(tables, metrics="k_X").to_text(width=200)
    assert alone.strip().startswith("better: Effective classes")
    assert "first of 2" not in alone
