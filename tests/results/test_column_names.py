"""Columns of frames and files whose names come from the data: none is lost, and none cannot be written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import infoscope as ifs
from infoscope.results.frame import write_parquet
from tests.api import collect_columns, rename_taken_columns, score_groups, two_thresholds

ROWS = {"gold": [*"aabbab"] * 8, "svm": [*"abbbaa"] * 8, "score": [0.1, 0.2, 0.8, 0.9, 0.4, 0.7] * 8}
GROUP = [*"uuuvvv"] * 8


@pytest.mark.parametrize("column", ["system", "n", "accuracy", "accuracy.mean"])
def test_a_group_may_be_called_as_a_column_of_the_result(column: str) -> None:
    rows = {"gold": ROWS["gold"], "svm": ROWS["svm"], column: GROUP}
    found = ifs.evaluate(rows, truth="gold", system="svm", by=column, metrics=["accuracy"])

    columns = collect_columns(found.rows())
    assert columns[f"by.{column}"] == ["u", "v"]
    assert columns["system"] == ["svm", "svm"]
    assert columns["n"] == [24, 24]
    assert columns["accuracy"] == [system.number("accuracy") for system in found.systems]


def test_a_group_of_scores_may_be_called_as_one_of_their_numbers() -> None:
    rows = {"gold": ROWS["gold"], "score": ROWS["score"], "n": GROUP, "brier_score": GROUP}
    found = score_groups(rows, truth="gold", score="score", by=["n", "brier_score"], positive="b")

    columns = collect_columns(found.rows())
    assert columns["by.brier_score"] == ["total", "u", "v"]
    assert all(isinstance(value, float) for value in columns["brier_score"])


def thresholds(negative: str, positive: str) -> Any:
    scores = np.array(ROWS["score"])
    truth = np.where(np.array(ROWS["gold"]) == "b", positive, negative)
    return two_thresholds(ifs.sweep(truth, scores, positive=positive))


def test_a_class_called_truth_is_beside_the_true_classes() -> None:
    columns = collect_columns(thresholds("truth", "x").rows())
    assert columns["truth"] == ["truth", "x"]
    assert list(columns) == ["truth", "predicted.truth", "x", "rejected"]


@pytest.mark.parametrize(
    ("names", "columns"),
    [(("", "x"), [" ", "x"]), (("A", "a"), ["A", "a_1"]), (('so "called"', "\ud800"), ['so "called"', r"\ud800"])],
)
def test_any_class_can_be_a_column_of_parquet(tmp_path: Path, names: tuple[str, str], columns: list[str]) -> None:
    found = thresholds(*names)
    write_parquet(found.rows(), tmp_path / "result.parquet")

    stored = pq.read_table(tmp_path / "result.parquet")
    assert stored.column_names == ["truth", *columns, "rejected"]
    assert [stored[at].to_pylist() for at in (1, 2, 3)] == [list(column) for column in zip(*found.counts, strict=True)]


def test_lone_surrogates_are_escapes_in_frames(tmp_path: Path) -> None:
    found = ifs.evaluate(ROWS["gold"], {"\udc80svm": ROWS["svm"]}, metrics=["accuracy"])
    found.save(tmp_path / "result.parquet")

    assert found.to_frame("pyarrow")["system"].to_pylist() == [r"\udc80svm"]
    assert pq.read_table(tmp_path / "result.parquet")["system"].to_pylist() == [r"\udc80svm"]


def test_a_new_name_is_no_other_one_either() -> None:
    assert rename_taken_columns({"n": 1, "by.n": 2}, {"n"}, "by") == {"by.by.n": 1, "by.n": 2}


@pytest.mark.parametrize("column", ["system", "metric", "value", "low", "class", "undefined", "n"])
def test_a_group_may_be_called_as_a_column_of_the_tidy_rows(column: str) -> None:
    found = ifs.evaluate(ROWS | {column: GROUP}, truth="gold", system="svm", by=column, metrics=["accuracy"])

    columns = collect_columns(found.tidy_rows())
    assert columns[f"by.{column}"] == ["u", "v"]
    assert columns["group"] == [f"{column} u", f"{column} v"]
    assert columns["metric"] == ["accuracy"] * 2
    assert columns["value"] == [system.number("accuracy") for system in found.systems]
