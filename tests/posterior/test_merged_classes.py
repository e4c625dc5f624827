"""Classes that are never predicted because another prediction takes their place."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from infoscope import Contingency, Posterior
from tests.api import Merges, Shape, Tree, compute_merge_prior, find_merged_columns

SEEN = 30
"""Samples of each class."""


def confused(k: int, lost: dict[int, int]) -> NDArray[np.float64]:
    """Counts of classes that are predicted nine times of ten, except for some that another takes the place of."""
    counts = np.full((k, k), 0.0)
    rng = np.random.default_rng(k)
    for row in range(k):
        wrong = rng.choice(np.setdiff1d(np.arange(k), [row, *lost]), 3)
        np.add.at(counts[row], wrong, 1.0)
        counts[row, lost.get(row, row)] += SEEN - 3
    return counts


def tree_of(counts: NDArray[np.float64]) -> Tree:
    at = np.arange(len(counts))
    return Tree(counts, Shape(at, at))


def weight(tree: Tree, name: str) -> float:
    return sum(share for hypothesis, share in tree.weights.items() if hypothesis.startswith(name))


def test_classes_whose_place_another_takes_are_recognised() -> None:
    tree = tree_of(confused(10, {2: 5, 7: 5}))
    assert weight(tree, "merged") > 0.99
    drawn = tree.draw(400, np.random.default_rng(0))
    recall = drawn[:, 2, 2] / drawn[:, 2].sum(1)
    assert np.quantile(recall, 0.975) < 0.15
    assert drawn[:, 2, 5] / drawn[:, 2].sum(1) == pytest.approx(0.9, abs=0.2)


@pytest.mark.parametrize(("k", "lost"), [(10, {}), (4, {1: 2})])
def test_not_considered_where_all_are_predicted_or_classes_are_few(k: int, lost: dict[int, int]) -> None:
    assert weight(tree_of(confused(k, lost)), "merged") == 0.0


def test_a_class_seen_once_is_not_taken_for_merged() -> None:
    counts = confused(10, {})
    counts[3] = 0.0
    counts[:, 3] = 0.0
    counts[3, 4] = 1.0
    assert weight(tree_of(counts), "merged") == 0.0


def test_classes_without_a_sample_are_merged_as_often_as_others() -> None:
    """By the posterior mean of the share: two of seven are, a priori one of ten as if ten had been seen."""
    counts = confused(8, {2: 5, 6: 5})
    counts[4] = 0.0
    counts[:, 4] = 0.0
    merges = Merges.of(counts, np.arange(8), find_merged_columns(counts, np.arange(8)), np.full(8, 0.9))
    assert merges is not None
    assert (list(merges.rows), merges.merged, merges.kept) == ([4], 2, 5)
    tables = np.tile(np.eye(8), (20_000, 1, 1))
    merges.trade_places(tables, np.random.default_rng(1))
    expected = (1 + 2) / (1 + 9 + 7)
    assert 1 - tables[:, 4, 4].mean() == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 20_000))
    assert (tables.sum(2) == 1).all()
    taken = tables[:, 4].mean(0)
    assert taken[[2, 4, 6]].tolist() == [0.0, pytest.approx(1 - expected, abs=0.02), 0.0]  # to what is predicted
    assert taken[5] > taken[0]


def test_classes_that_a_prediction_without_a_class_takes_the_place_of_are_merged() -> None:
    """Two go to a column that no class has: they are two of seven, too."""
    counts = np.hstack([confused(8, {}), np.zeros((8, 1))])
    counts[:, [2, 4, 6]] = 0.0
    counts[[2, 6]], counts[4] = 0.0, 0.0
    counts[[2, 6], 8] = SEEN
    named = np.arange(8)
    merges = Merges.of(counts, named, find_merged_columns(counts, named), np.full(8, 0.9))
    assert merges is not None
    assert (list(merges.rows), merges.merged, merges.kept) == ([4], 2, 5)


def test_a_single_sample_elsewhere_speaks_for_being_merged() -> None:
    """Nine times of ten right: one wrong prediction makes the odds nine times as large."""
    counts = confused(8, {2: 5, 6: 5})
    counts[4] = 0.0
    counts[:, 4] = 0.0
    counts[4, 1] = 1.0
    merges = Merges.of(counts, np.arange(8), find_merged_columns(counts, np.arange(8)), np.full(8, 0.9))
    assert merges is not None
    assert np.exp(merges.log_odds) == pytest.approx(9.0)
    assert merges.others[0].tolist() == [0, 1, 0, 0, 0, 0, 0, 0]


def test_the_order_of_the_classes_does_not_matter() -> None:
    """Classes that share a column share its block, whichever of them comes last."""
    counts = np.diag([21.0, 14, 22, 19, 0, 0])
    counts[[4, 5], [1, 0]] = 24.0
    counts[[0, 1, 1, 2, 2, 3, 5], [2, 0, 2, 0, 3, 1, 2]] = 3.0, 1, 2, 1, 1, 1, 1
    order = np.array([5, 2, 0, 3, 4, 1])
    one, other = tree_of(counts).weights, tree_of(counts[np.ix_(order, order)]).weights
    assert one == {name: pytest.approx(share, abs=1e-6) for name, share in other.items()}


def test_prior_of_all_sets_of_classes_and_columns_is_one() -> None:
    k, width = 7, 5
    total = sum(comb(k, m) * width**m * np.exp(compute_merge_prior(m, k, width)) for m in range(k + 1))
    assert total == pytest.approx(1.0)


@given(arrays(np.float64, (6, 6), elements=st.integers(0, 3).map(float)))
def test_only_classes_that_are_never_predicted_get_another_column(counts: NDArray[np.float64]) -> None:
    named = np.arange(6)
    columns = find_merged_columns(counts, named)
    changed = np.flatnonzero(columns != named)
    assert (counts.sum(0)[changed] == 0).all()
    got = counts[changed, columns[changed]]
    assert (got >= 2).all()
    assert (2 * got > counts[changed].sum(1)).all()


def test_no_such_hypothesis_for_a_table_in_which_every_class_is_predicted() -> None:
    table = Contingency.from_matrix(confused(6, {}))
    assert all(name.split(":")[0] in ("labels", "unmatched", "relabelled") for name in Tree.of(table).weights)


# ── broken label maps, and a class that attracts errors ──────────────────────────────────────────────────


def test_the_diagonal_of_shifted_labels_has_a_level_of_its_own() -> None:
    """No prediction is right, where chance would make a ninth of those that are not i + 1 right."""
    k, rng = 10, np.random.default_rng(6)
    counts = np.zeros((k, k))
    for i in range(k):
        others = np.setdiff1d(np.arange(k), [i, (i + 1) % k])
        counts[i, (i + 1) % k] = 80
        counts[i, others] = rng.multinomial(20, rng.dirichlet(np.ones(k - 2)))
    drawn = Posterior(Contingency.from_matrix(counts)).belief.draw(400, np.random.default_rng(1))
    assert np.einsum("tii->t", drawn).mean() < 0.0015  # .0050 as one class among others


def test_errors_that_the_dominant_class_attracts_stay_with_it() -> None:
    """Rare classes that are mistaken for the dominant one are not taken to be mistaken for one another."""
    k, rng = 10, np.random.default_rng(7)
    counts = np.diag([9000, *[3] * (k - 1)])
    counts[1:, 0] = 1
    for i in range(1, k, 2):
        counts[i, rng.choice(np.setdiff1d(np.arange(1, k), [i]))] += 1
    counts[0, 1:] = rng.multinomial(45, np.full(k - 1, 1 / (k - 1)))
    drawn = Posterior(Contingency.from_matrix(counts)).belief.draw(400, np.random.default_rng(1)).mean(0)
    assert drawn[1:, 0].sum() / drawn[1:].sum() == pytest.approx(9 / 41, rel=0.15)  # .15 before
