"""Classes that are confused stand together, in whichever direction they are confused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import ClusterNode, linkage, to_tree
from scipy.spatial.distance import squareform

from infoscope import Contingency
from tests.api import BEST_LEAVES, confusion_order


def test_confusion_in_either_direction_brings_classes_together() -> None:
    """Class 0 is taken for 2, and 3 for 1, never the other way round."""
    order = confusion_order(
        Contingency.from_matrix([[8, 0, 2, 0], [0, 10, 0, 0], [0, 0, 10, 0], [0, 3, 0, 7]])
    ).tolist()

    assert abs(order.index(0) - order.index(2)) == 1
    assert abs(order.index(1) - order.index(3)) == 1


@pytest.mark.parametrize("confused", [0.0, 0.3])
def test_many_classes_stand_in_an_order_with_the_confused_side_by_side(confused: float) -> None:
    """The classes 2i and 2i + 1 of a shuffled list are taken for each other; without any confusion all orders do."""
    size = 2 * BEST_LEAVES
    shuffled = np.random.default_rng(3).permutation(size)
    counts = np.eye(size)
    for one, other in shuffled.reshape(-1, 2):
        counts[one, other] = confused

    order = confusion_order(Contingency.from_matrix(counts))

    assert sorted(order.tolist()) == list(range(size))
    place = np.argsort(order)
    apart = np.abs(place[shuffled[::2]] - place[shuffled[1::2]])
    assert not confused or (apart == 1).all()


def _every_turn(tree: ClusterNode) -> list[list[int]]:
    """All orders of the leaves that turning branches makes."""
    if tree.is_leaf():
        return [[tree.id]]
    sides = [(one, other) for one in _every_turn(tree.left) for other in _every_turn(tree.right)]
    return [one + other for one, other in sides] + [other + one for one, other in sides]


@given(st.integers(3, 7), st.integers(0, 2**32))
def test_no_turn_of_a_branch_brings_neighbours_nearer(size: int, seed: int) -> None:
    counts = np.random.default_rng(seed).integers(1, 1000, (size, size)) + 3000 * np.eye(size, dtype=int)
    given_truth = counts / counts.sum(axis=1, keepdims=True)
    apart = np.where(np.eye(size, dtype=bool), 0.0, 1.0 - (given_truth + given_truth.T) / 2)
    orders = _every_turn(to_tree(linkage(squareform(apart, checks=False), "average")))

    order = confusion_order(Contingency.from_matrix(counts)).tolist()

    assert order in orders
    assert apart[order[:-1], order[1:]].sum() == pytest.approx(min(apart[o[:-1], o[1:]].sum() for o in orders))
