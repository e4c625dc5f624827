"""Input that is read without an error and means something else: said at once, with what to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import infoscope as ifs
from infoscope import Finding
from infoscope.errors import InputError
from tests.api import Result, app

LETTERS = np.array([*"abc"])


def labels(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n)
    return LETTERS[truth], LETTERS[np.where(rng.random(n) < 0.8, truth, rng.integers(3, size=n))]


def said(result: Result, code: str) -> list[Finding]:
    return [finding for finding in result.findings if finding.code == code]


def test_a_reject_label_that_no_row_has_is_a_warning_with_the_labels_there_are() -> None:
    truth, predicted = labels(90)
    (finding,) = said(ifs.evaluate(truth, predicted, reject="zz"), "reject_never_predicted")
    assert finding.is_warning
    assert "'zz'" in finding.text
    assert all(repr(label) in finding.text for label in "abc")
    two = {"one": predicted, "two": np.where(np.arange(90) < 5, "zz", predicted)}
    assert not said(ifs.evaluate(truth, two, reject="zz"), "reject_never_predicted")
    assert not said(ifs.evaluate(truth, predicted), "reject_never_predicted")
    assert said(ifs.compare(truth, {"one": predicted, "two": truth}, reject="zz"), "reject_never_predicted")
    table = ifs.Contingency.from_matrix([[90, 0, 0], [0, 10, 0]], reject=2)  # as papers print them
    assert not said(ifs.evaluate({"M1": table}), "reject_never_predicted")


@pytest.mark.parametrize(("whole", "axis"), [(1.0, 0), (1.0, 1), (100.0, 0), (100.0, 1), (100.0, None)])
def test_a_normalised_matrix_has_no_verdict_until_the_sample_size_is_stated(whole: float, axis: int | None) -> None:
    counts = np.array([[80, 13, 7], [20, 91, 9], [5, 6, 71]], dtype=float)
    shares = np.round(whole * counts / counts.sum(axis=axis, keepdims=True), 3)
    table = ifs.Contingency.from_matrix(shares)
    result = ifs.evaluate({"m": table})
    (finding,) = said(result, "normalised_matrix")
    assert finding.is_warning
    assert finding.evidence["sums_to"] == whole
    assert "--sample-size" in finding.text
    assert "No verdict" in result.to_text()
    assert not said(ifs.evaluate({"m": table}, sample_size=302), "normalised_matrix")


def test_a_normalised_matrix_fails_a_gate_and_has_no_verdict_in_a_comparison() -> None:
    tables = {name: ifs.Contingency.from_matrix([[100 - x, x], [20.5, 79.5]]) for name, x in (("m", 10.5), ("n", 40.5))}
    gate = ifs.gate(tables["m"], min={"accuracy": 0.5})
    assert [(check.condition, check.outcome) for check in gate.checks] == [
        ("the matrix holds counts", "failed"),
        ("accuracy at least 0.5", "passed"),
    ]
    assert (gate.outcome, [found.code for found in gate.findings]) == ("failed", ["normalised_matrix"])
    assert ifs.gate(tables["m"], min={"accuracy": 0.5}, sample_size=500).passed
    compared = ifs.compare(tables)
    assert [found.evidence["system"] for found in said(compared, "normalised_matrix")] == ["m", "n"]
    assert compared.to_text().strip().startswith("No verdict: this confusion matrix seems to hold proportions")
    assert "Probability of being the best:" not in compared.to_text()
    assert not said(ifs.compare(tables, sample_size=500), "normalised_matrix")


@pytest.mark.parametrize(
    "matrix", [[[90, 10], [12, 88]], [[90.5, 10], [12, 88]], [[1, 0], [0, 1]], [[40.5, 9.5], [10.25, 139.75]]]
)
def test_counts_and_weights_are_no_normalised_matrix(matrix: list[list[float]]) -> None:
    assert not said(ifs.evaluate({"m": ifs.Contingency.from_matrix(matrix)}), "normalised_matrix")


def test_weights_that_sum_to_one_per_class_are_no_normalised_matrix() -> None:
    truth, predicted = labels(60)
    sizes = {label: np.sum(truth == label) for label in "abc"}
    weights = [1.0 / sizes[label] for label in truth]
    assert not said(ifs.evaluate(truth, predicted, weight=weights), "normalised_matrix")


def test_a_name_in_quotes_that_looks_like_more_columns(tmp_path: Path) -> None:
    """The names that are known tell the separator, also where the other columns are looked through for an id."""
    (tmp_path / "survey.csv").write_text('gold,svm,"which; row id; or none?; why"\n' + "x,x,1\ny,y,2\nx,y,3\n" * 5)

    assert ifs.evaluate(tmp_path / "survey.csv", truth="gold", system="svm")["svm"].table.total == 15


@pytest.mark.parametrize("form", ["csv", "frame"])
def test_repeated_ids_are_said_with_both_ways_out(form: str, tmp_path: Path) -> None:
    truth, predicted = labels(300)
    rows = pd.DataFrame({"item_id": [i % 250 for i in range(300)], "gold": truth, "svm": predicted})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    source = rows if form == "frame" else str(tmp_path / "rows.csv")
    (finding,) = said(ifs.evaluate(source, truth="gold", system="svm"), "repeated_ids")
    assert finding.evidence == {"column": "item_id", "repeated": 50, "ids": 250}
    assert "--groups item_id" in finding.text
    assert not said(ifs.evaluate(source, truth="gold", system="svm", groups="item_id"), "repeated_ids")
    rows["item_id"] = range(300)
    assert not said(ifs.evaluate(rows, truth="gold", system="svm"), "repeated_ids")
    rows["item_id"] = [i % 20 for i in range(300)]  # no ids of rows
    assert not said(ifs.evaluate(rows, truth="gold", system="svm"), "repeated_ids")
    rows["item_id"] = [i % 250 for i in range(300)]
    assert not said(ifs.evaluate(rows.rename(columns={"item_id": "width"}), truth="gold", system="svm"), "repeated_ids")


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("correct", "incorrect"), ("right", "wrong"), ("pass", "fail"), ("accept", "reject"), ("agree", "disagree")],
)
def test_the_hint_names_verdicts_the_right_way_round(right: str, wrong: str) -> None:
    truth, predicted = labels(60)
    verdicts = np.where(truth == predicted, right, wrong)
    rows = {"gold": [*truth[:30], *[None] * 30], "svm": predicted, "judge": verdicts}
    with pytest.raises(InputError, match=f"right={right},wrong={wrong}"):
        ifs.evaluate(rows, truth="gold", system="svm", judge="judge")


def test_verdicts_stated_the_wrong_way_round_are_a_warning() -> None:
    truth, predicted = labels(300)
    verdicts = np.where(truth == predicted, "x", "o")
    rows = {"gold": [*truth[:60], *[None] * 240], "svm": predicted, "judge": verdicts}
    ask = {"truth": "gold", "system": "svm", "judge": "judge"}
    (finding,) = said(ifs.evaluate(rows, **ask, says={"right": "o", "wrong": "x"}), "verdicts_reversed")
    assert finding.is_warning
    assert "the right way round" in finding.text
    assert not said(ifs.evaluate(rows, **ask, says={"right": "x", "wrong": "o"}), "verdicts_reversed")


def test_pairs_of_classes_are_told_from_classes_with_a_slash() -> None:
    names = np.array(["a/b", "b", "a"])
    truth, predicted = labels(300)
    codes = {label: at for at, label in enumerate("abc")}
    text = ifs.evaluate(*(names[[codes[label] for label in side]] for side in (truth, predicted))).to_text()
    assert "a/b ↔ b" in text
    assert "a/b/b" not in text
    assert "a/b / b" not in text


def test_the_worst_group_comes_first() -> None:
    rng = np.random.default_rng(3)
    truth, _ = labels(600)
    part = np.array([*"xyz"])[np.arange(600) % 3]
    right = np.select([part == "x", part == "y"], [0.98, 0.8], 0.5)
    predicted = np.where(rng.random(600) < right, truth, LETTERS[rng.integers(3, size=600)])
    rows = {"gold": truth, "svm": predicted, "part": part}
    result = ifs.evaluate(rows, truth="gold", system="svm", by="part")
    assert [system.group["part"] for system in result.ranking if system.group] == ["z", "y", "x"]
    text = result.to_text()
    assert "svm (part z) is right in" in text.strip().splitlines()[0]
    assert "the least of 3 groups" in " ".join(text.split())
    chosen = ifs.evaluate(rows, truth="gold", system="svm", by="part", metrics="accuracy").to_text()
    assert "svm (part z)" in chosen.strip().splitlines()[0]
    assert "last of 3 results" in " ".join(chosen.split())


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    truth, predicted = labels(60)
    frame = pd.DataFrame({"id": [*range(50), *range(10)], "gold": truth, "svm": predicted})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    done = CliRunner().invoke(
        app, ["evaluate", str(tmp_path / "rows.csv"), "-t", "gold", "-s", "svm", "--reject", "zz"]
    )
    words = " ".join(done.output.split())
    assert done.exit_code == 0
    assert "10 rows repeat an id of column 'id'" in words
    assert "No prediction is 'zz'" in words
