"""A mapping of columns is a source like any other: the same counts as of a frame, or the same error."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import infoscope as ifs
from infoscope import read, read_joint, read_tables
from infoscope.errors import InfoscopeError, InputError, UnknownNameError

RNG = np.random.default_rng(11)
ROWS = 500
COLUMNS = {
    "y": RNG.choice(["cat", "dog", "cow"], ROWS).tolist(),
    "svm": RNG.choice(["cat", "dog", "cow"], ROWS).tolist(),
    "knn": RNG.choice(["cat", "dog", "cow"], ROWS).tolist(),
    "fold": RNG.integers(0, 4, ROWS).tolist(),
    "w": RNG.uniform(0.5, 2.0, ROWS).tolist(),
    "yes": RNG.integers(0, 2, ROWS).tolist(),
    "score": RNG.integers(0, 10, ROWS).tolist(),
}
FORMS: dict[str, Callable[[list[Any]], Any]] = {
    "lists": list,
    "tuples": tuple,
    "NumPy": np.array,
    "objects": lambda values: np.array(values, dtype=object),
    "columns": lambda values: np.array(values).reshape(-1, 1),
    "pandas": pd.Series,
    "categories": lambda values: pd.Series(values).astype("category"),
    "polars": pl.Series,
}


@pytest.fixture(params=FORMS)
def source(request: pytest.FixtureRequest) -> dict[str, Any]:
    form = FORMS[request.param]
    numbers = {"w", "score"} if request.param == "categories" else set()
    return {name: values if name in numbers else form(values) for name, values in COLUMNS.items()}


def test_tables_are_those_of_a_frame(source: dict[str, Any]) -> None:
    frame = pd.DataFrame(COLUMNS)
    asked: dict[str, Any] = {"truth": "y", "system": ["svm", "knn"], "by": "fold"}
    for weight in (None, "w"):
        found, expected = (read_tables(rows, **asked, weight=weight) for rows in (source, frame))
        assert {str(key): table.values.round(9).tolist() for key, table in found.items()} == {
            str(key): table.values.round(9).tolist() for key, table in expected.items()
        }
    joint, other = (read_joint(rows, truth="y", system=["svm", "knn"]).rows for rows in (source, frame))
    assert (joint.total, sorted(joint.counts)) == (other.total, sorted(other.counts))


QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "read": lambda rows: read(rows, truth="y", system="svm").values.tolist(),
    "evaluate": lambda rows: ifs.evaluate(rows, truth="y", system="svm", weight="w")["svm"].number("accuracy"),
    "by": lambda rows: [each.number("mcc") for each in ifs.evaluate(rows, truth="y", system="svm", by="fold")],
    "clean": lambda rows: ifs.evaluate(rows, truth="y", system="svm", clean="casefold")["svm"].number("accuracy"),
    "compare": lambda rows: ifs.compare(rows, truth="y", system=["svm", "knn"], clean="casefold").pairs[0].verdict,
    "sweep": lambda rows: ifs.sweep(rows, truth="yes", score="score").best().threshold,
    "agreement": lambda rows: ifs.agreement(rows, system=["svm", "knn"], draws=0).krippendorff_alpha.value,
    "tune": lambda rows: list(ifs.tune(rows, "fold", truth="y", system="svm").rows()),
}


@pytest.fixture(scope="module")
def answers() -> dict[str, Any]:
    """Return the answers to every question about a frame."""
    frame = pd.DataFrame(COLUMNS)
    return {name: question(frame) for name, question in QUESTIONS.items()}


@pytest.mark.slow
def test_every_question_takes_a_mapping(source: dict[str, Any], answers: dict[str, Any]) -> None:
    for name, question in QUESTIONS.items():
        found = question(source)
        assert str(found) == str(answers[name]) or found == pytest.approx(answers[name]), name


def test_missing_labels_and_weights_are_left_out_and_counted() -> None:
    source = {"t": ["a", None, "b", "a"], "s": ["a", "a", float("nan"), "b"], "w": [1.0, 1.0, 1.0, None]}
    table = read(source, truth="t", system="s", weight="w")

    assert table.values.sum() == 1
    assert dict(table.ignored) == {
        "missing label in 't'": 1,
        "missing label in 's'": 1,
        "missing weight in 'w'": 1,
    }


def test_labels_of_two_kinds_are_an_error_as_in_a_frame() -> None:
    source = {"t": [1, 2, 1], "s": [1, "abstain", 1]}

    for rows in (source, pd.DataFrame(source)):
        with pytest.raises(InputError, match=r"column 's' mixes number and text labels \(1 and 'abstain'\)"):
            read(rows, truth="t", system="s")


def test_more_combinations_than_a_key_can_hold() -> None:
    rows = 3000
    columns = {f"c{i}": [f"{i} {(j * (i + 7)) % rows}" for j in range(rows)] for i in range(7)}
    joint = read_joint(columns, truth="c0", system=[f"c{i}" for i in range(1, 7)])

    assert joint.rows.total == rows


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"truth": "y", "system": "swm"}, UnknownNameError, "the mapping has no column 'swm'; did you mean 'svm'"),
        ({"truth": "q", "system": "svm"}, UnknownNameError, "the mapping has no column 'q'; it has 'y', 'svm'"),
        ({"truth": "y", "system": "svm", "weight": "mass"}, UnknownNameError, "no column 'mass'"),
        ({"truth": "y", "system": "svm", "weight": "knn"}, InputError, "'knn' holds something else than numbers"),
        ({"truth": "y", "system": "short"}, InputError, "'y' has 500 rows and 'short' has 3; rows pair by position"),
    ],
)
def test_bad_columns(asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        read_tables({**COLUMNS, "short": ["a", "b", "c"]}, **asked)


def test_wrong_weights_of_questions() -> None:
    for question in (ifs.evaluate, ifs.compare):
        with pytest.raises(InfoscopeError, match="the mapping has no column 'mass'"):
            question(COLUMNS, truth="y", system=["svm", "knn"], weight="mass")
    with pytest.raises(InfoscopeError, match="the mapping has no column 'mass'"):
        ifs.sweep(COLUMNS, truth="yes", score="score", weight="mass")


def test_pandas_columns_in_another_order_are_rejected() -> None:
    truth = pd.Series(["a", "b", "c"], index=[3, 4, 5])

    with pytest.raises(InputError, match="order"):
        read({"t": truth, "s": truth.sort_index(ascending=False)}, truth="t", system="s")
