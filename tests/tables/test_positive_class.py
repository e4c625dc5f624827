"""The positive class of two is chosen by one rule, whichever way a table came in."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import confusion_matrix, f1_score, precision_score, recall_score
from sklearn.preprocessing import LabelBinarizer

import infoscope as ifs
from infoscope import Contingency, Counter, InputError
from infoscope.metrics import precision, recall
from tests.api import find_positive

RNG = np.random.default_rng(3)
TRUTH, ANSWERS = RNG.random(60) < 0.4, RNG.random(60) < 0.5
NUMBERS = [(0, 1), (-1, 1), (False, True), (1, 2), (0.0, 1.0)]
"""Pairs for which scikit-learn needs no ``pos_label``."""


def rows(labels: tuple[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    return np.where(TRUTH, labels[1], labels[0]), np.where(ANSWERS, labels[1], labels[0])


def ways_in(labels: tuple[Any, Any], folder: Path) -> dict[str, Contingency]:
    """One and the same table by every road."""
    truth, system = rows(labels)
    frame = pd.DataFrame({"t": truth, "s": system})
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_parquet(folder / "rows.parquet")
    counter = Counter()
    counter.update(truth.tolist(), system.tolist())
    counts = confusion_matrix(truth, system)
    table = Contingency.from_labels(truth, system)
    table.save(folder / "table.ifs")
    half = len(truth) // 2
    return {
        "labels": table,
        "labels in the other order": Contingency.from_labels(truth, system, labels=[labels[1], labels[0]]),
        "lists": Contingency.from_labels(truth.tolist(), system.tolist()),
        "matrix": Contingency.from_matrix(counts, truth=labels),
        "matrix in the other order": Contingency.from_matrix(counts[::-1, ::-1], truth=labels[::-1]),
        "sparse matrix": Contingency.from_matrix(csr_array(counts), truth=labels),
        "cells": Contingency.from_cells(labels, labels, [0, 0, 1, 1], [0, 1, 0, 1], counts.ravel()),
        "frame of pandas": ifs.read(frame, truth="t", system="s"),
        "frame of polars": ifs.read(pl.DataFrame({"t": truth.tolist(), "s": system.tolist()}), truth="t", system="s"),
        "CSV": ifs.read(folder / "rows.csv", truth="t", system="s"),
        "Parquet": ifs.read(folder / "rows.parquet", truth="t", system="s"),
        "counter": counter.table(),
        "file": Contingency.load(folder / "table.ifs"),
        "sum": Contingency.from_labels(truth[:half], system[:half])
        + Contingency.from_labels(truth[half:], system[half:]),
        "joint": ifs.read_joint(frame, truth="t", system=["s"]).table("s"),
        "transposed twice": table.transpose().transpose(),
        "re-weighted and back": table.with_prevalence(dict(zip(labels, table.row_totals.tolist(), strict=True))),
    }


@pytest.mark.parametrize("labels", NUMBERS, ids=str)
def test_numbers_follow_scikit_learn_by_every_way_in(labels: tuple[Any, Any], tmp_path: Path) -> None:
    expected = precision_score(*rows(labels)), recall_score(*rows(labels))

    for way, table in ways_in(labels, tmp_path).items():
        assert (precision(table), recall(table)) == pytest.approx(expected, rel=1e-12), way


def test_a_bare_matrix_is_the_table_of_its_labels() -> None:
    table = Contingency.from_labels(*rows((0, 1)))
    bare = Contingency.from_matrix(confusion_matrix(*rows((0, 1))))
    batch = Contingency.from_matrix(np.stack([bare.counts, bare.counts]))

    assert bare == table
    assert precision(bare) == precision(table) == precision(batch)[1] == precision_score(*rows((0, 1)))


@pytest.mark.parametrize("labels", [("cat", "dog"), ("a", "B"), ("Yes", "no"), (2, 4), ("2", "10"), ("-3", "-2.5")])
def test_other_labels_give_one_class_by_every_way_in(labels: tuple[Any, Any], tmp_path: Path) -> None:
    found = {way: str(table.positive_label) for way, table in ways_in(labels, tmp_path).items()}

    assert len(set(found.values())) == 1, found


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ((4, 2), 4),
        ((1, 2), 1),
        (("1", "2"), "1"),
        (("0", "1"), "1"),
        (("1.0", "0.0"), "1.0"),
        (("10", "9"), "10"),
        (("-1", "-2"), "-1"),
        (("1e3", "999"), "1e3"),
        (("true", "FALSE"), "true"),
        (("False", "True"), "True"),
        (("no", "yes"), "yes"),
        (("negative", "positive"), "positive"),
        (("1", "other"), "1"),
    ],
)
def test_numbers_and_text_that_spells_them(labels: tuple[Any, Any], positive: Any) -> None:
    assert find_positive(labels) == find_positive(labels[::-1]) == positive


@given(st.lists(st.text("abcXYZ", min_size=1), min_size=2, max_size=2, unique=True))
def test_text_that_leaves_it_open_is_decided_as_by_the_label_binarizer(labels: list[str]) -> None:
    assert find_positive(labels) == LabelBinarizer().fit(labels).classes_[1]


def test_only_two_classes_have_a_positive_one() -> None:
    assert Contingency.from_matrix(np.eye(3)).positive_label is None
    assert Contingency.from_matrix(np.eye(3), positive=2).positive_label is None
    with_reject = Contingency.from_matrix([[5, 1, 2], [0, 7, 3]], reject=2)
    assert with_reject.positive_label == 1
    assert precision(with_reject) == 7 / 8


@given(st.permutations(["a", "b", "0", "1", "zz"]), st.sampled_from([None, 0, 1]))
def test_renaming_keeps_the_positive_class(names: list[str], positive: int | None) -> None:
    table = Contingency.from_matrix([[5, 2], [1, 9]], positive=positive)
    renamed = table.relabel({0: names[0], 1: names[1]})

    assert precision(renamed) == precision(table)
    assert precision(renamed.relabel({names[0]: 0, names[1]: 1})) == precision(table)


def test_renaming_or_merging_answers_leaves_the_positive_class_of_the_truth() -> None:
    table = Contingency.from_matrix([[5, 2], [1, 9]], truth=["a", "b"], system=["x", "y"], positive="a")
    assert table.relabel({"x": "a", "y": "b"}, side="system").positive_label == "a"

    shared = Contingency.from_matrix([[5, 2, 0], [1, 9, 1]], truth=["a", "b"], system=["a", "b", "c"], positive="b")
    assert shared.relabel({"b": "d"}, side="system").positive_label == "b"
    assert shared.merge_classes(["b", "c"], into="e", side="system").positive_label == "b"


def test_tables_that_differ_in_the_positive_class_are_not_equal() -> None:
    first, second = (Contingency.from_matrix([[5, 2], [1, 9]], positive=label) for label in (0, 1))

    assert first != second
    assert second == Contingency.from_matrix([[5, 2], [1, 9]])


@pytest.mark.parametrize("order", [1, -1])
def test_a_sum_keeps_the_positive_class_that_one_side_states(order: int) -> None:
    plain, stated = (Contingency.from_matrix([[5, 2], [1, 9]], positive=label) for label in (None, 0))
    one, other = (plain, stated)[::order]

    assert (one + other).positive_label == 0


@pytest.mark.parametrize("labels", [("cat", "dog"), (0, 1), ("2", "10")])
def test_a_score_is_about_the_same_class_as_a_table(labels: tuple[Any, Any]) -> None:
    truth, _ = rows(labels)
    curve = ifs.sweep(truth.tolist(), RNG.random(len(truth)))

    assert curve.ladder.pattern.positive_label == Contingency.from_labels(truth, truth).positive_label


def test_stored_tables_whose_names_leave_it_open_take_the_class_that_is_named(tmp_path: Path) -> None:
    truth, system = rows(("cat", "dog"))
    frame = pd.DataFrame({"t": truth, "s": system})
    ifs.readers.read_tables(frame, truth="t", system="s").save(tmp_path / "part.ifs")

    for positive in ("cat", "dog"):
        found = ifs.evaluate(tmp_path / "part.ifs", metrics="f1", positive=positive)["s"].metrics["f1"]
        assert (found.value, found.positive) == (f1_score(truth, system, pos_label=positive), positive)
    with pytest.raises(InputError, match="positive label 'cow' is not among the classes"):
        ifs.evaluate(tmp_path / "part.ifs", positive="cow")


def test_stored_tables_take_the_class_that_they_are_about_anyway(tmp_path: Path) -> None:
    frame = pd.DataFrame(dict(zip("ts", rows((0, 1)), strict=True)))
    ifs.readers.read_tables(frame, truth="t", system="s").save(tmp_path / "part.ifs")

    assert ifs.read(tmp_path / "part.ifs", positive=1) == ifs.read(tmp_path / "part.ifs")
    with pytest.raises(InputError, match="was counted with 1 as positive label and not with 0"):
        ifs.read(tmp_path / "part.ifs", positive=0)
