"""Indicator matrices in other clothes: lists of 0 and 1, frames in another order, other widths."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from infoscope import multilabel
from infoscope.errors import InputError
from tests.api import micro_f1

RNG = np.random.default_rng(31)
TRUTH = RNG.integers(0, 2, (20, 4))
PREDICTED = np.where(RNG.random((20, 4)) < 0.7, TRUTH, 1 - TRUTH)
EXPECTED = f1_score(TRUTH, PREDICTED, average="micro")
FRAMES = [pd.DataFrame(side, columns=list("abcd")) for side in (TRUTH, PREDICTED)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(lambda side: side.tolist(), id="lists"),
        pytest.param(lambda side: [tuple(map(bool, row)) for row in side], id="tuples of booleans"),
        pytest.param(list, id="list of arrays"),
        pytest.param(lambda side: pd.Series(side.tolist()), id="series of lists"),
        pytest.param(lambda side: pl.Series(side.tolist()), id="polars' series of lists"),
        pytest.param(lambda side: dict(enumerate(side.tolist())), id="lists by object"),
        pytest.param(lambda side: iter(side.tolist()), id="iterator"),
    ],
)
def test_lists_of_zeros_and_ones(shape):
    assert micro_f1(shape(TRUTH), shape(PREDICTED)) == pytest.approx(EXPECTED)
    assert multilabel.evaluate(shape(TRUTH), shape(PREDICTED), draws=0).systems[0].metrics["micro_f1"].value == (
        pytest.approx(EXPECTED)
    )


def test_lists_of_scores_with_a_threshold():
    assert micro_f1(TRUTH.tolist(), (PREDICTED * 0.8 + 0.1).tolist(), threshold=0.5) == pytest.approx(EXPECTED)


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(lambda side: side, id="array"),
        pytest.param(lambda side: side.tolist(), id="lists"),
        pytest.param(lambda side: pd.DataFrame(side, columns=list("abcd")), id="frame"),
        pytest.param(csr_array, id="sparse"),
    ],
)
@pytest.mark.parametrize(("scale", "threshold"), [((4.5, -2.2), 0.0), ((4, 1), 3), ((9, 0), 5)])
def test_a_threshold_of_scores_leaves_a_truth_of_zeros_and_ones_alone(shape, scale, threshold):
    scores = PREDICTED * scale[0] + scale[1]
    is_dense = shape is csr_array and threshold <= 0  # zeros that a sparse matrix leaves out would be scores, too
    scored = scores if is_dense else shape(scores)
    assert micro_f1(shape(TRUTH), scored, threshold=threshold) == pytest.approx(EXPECTED)
    found = multilabel.evaluate(shape(TRUTH), scored, threshold=threshold, draws=0)
    assert found.systems[0].metrics["micro_f1"].value == pytest.approx(EXPECTED)


@pytest.mark.parametrize("many", [2, 4])
def test_a_threshold_of_scores_leaves_a_truth_of_categories_alone(many):
    truth = [RNG.permutation(4)[:many].tolist() for _ in range(20)]
    scores = RNG.random((20, 4))
    expected = f1_score(MultiLabelBinarizer(classes=range(4)).fit_transform(truth), scores > 0.5, average="micro")
    for scored in (scores, scores.tolist()):
        assert micro_f1(truth, scored, threshold=0.5) == pytest.approx(expected)
        found = multilabel.evaluate(truth, scored, threshold=0.5, draws=0)
        assert found.systems[0].metrics["micro_f1"].value == pytest.approx(expected)


@pytest.mark.slow
def test_lists_of_as_many_numbers_are_said_to_be_categories():
    def findings(truth):
        return {found.code for found in multilabel.evaluate(truth, truth, draws=0).systems[0].diagnosis}

    assert "numbers_as_categories" in findings([[0, 1, 2], [1, 3, 0]])
    assert "numbers_as_categories" not in findings([{0, 1, 2}, {1, 3, 0}])
    assert "numbers_as_categories" not in findings([[0, 1, 2], [1, 3]])
    assert "numbers_as_categories" not in findings([["0", "1"], ["1", "2"]])


def test_two_truth_values_are_indicators():
    assert micro_f1([[True, False], [False, True]], [[True, False], [True, False]]) == pytest.approx(0.5)


def test_lists_of_categories_stay_lists():
    assert micro_f1([[0, 1], [1, 2]], [[0, 1], [1, 0]]) == pytest.approx(0.75)
    assert micro_f1([[0], [1]], [[0], [0]]) == pytest.approx(0.5)


@pytest.mark.parametrize("shape", [np.asarray, np.ndarray.tolist, csr_array], ids=["array", "lists", "sparse"])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_columns_with_names_are_not_paired_with_columns_without(shape, frame):
    """A model that was fitted to a frame predicts an array: all its categories would be wrong."""
    named = frame({name: TRUTH[:, at] for at, name in enumerate("abcd")})
    with pytest.raises(InputError, match="the columns of truth have names and those of y_pred have none"):
        micro_f1(named, shape(PREDICTED))
    with pytest.raises(InputError, match="the columns of predicted have names and those of truth have none"):
        multilabel.evaluate(shape(PREDICTED), named, draws=0)
    assert micro_f1(pd.DataFrame(TRUTH), shape(PREDICTED)) == pytest.approx(EXPECTED)


@pytest.mark.parametrize("order", [slice(None, None, -1), RNG.permutation(20)], ids=["reversed", "shuffled"])
def test_frames_in_another_order(order):
    truth, predicted = FRAMES
    with pytest.raises(InputError, match="same keys in another order"):
        multilabel.evaluate(truth, predicted.iloc[order], draws=0)
    names = [f"object {at}" for at in range(20)]
    named = truth.set_axis(names), predicted.set_axis(names).iloc[order]
    assert micro_f1(*named) == pytest.approx(EXPECTED)


def test_a_part_of_the_rows_against_a_fresh_index():
    truth, predicted = FRAMES
    assert micro_f1(truth.set_axis(range(100, 120)), predicted) == pytest.approx(EXPECTED)


@pytest.mark.slow
def test_rows_of_object_and_category_may_lie_in_any_order():
    rows = pd.DataFrame({"object": [1, 1, 2], "category": ["a", "b", "a"]})
    found = multilabel.evaluate(rows, rows.iloc[::-1], object="object", category="category", draws=0)
    assert found.systems[0].metrics["micro_f1"].value == 1
