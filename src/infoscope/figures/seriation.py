"""An order of classes in which those that are confused with each other stand together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.posterior.tree.shared_rows import average_linkage
from infoscope.tables import Contingency

__all__ = ["confusion_order"]

MOST_CLASSES = 2000
"""Larger tables keep their order: the work grows with the square of the classes."""
Floats = NDArray[np.float64]
BEST_LEAVES = 150
"""Up to this size the leaves of the tree are turned so that neighbours are most alike."""


def confusion_order(table: Contingency) -> NDArray[np.int64]:
    """Positions of the true classes, confused ones side by side, by hierarchical clustering of mutual confusion.

    >>> table = Contingency.from_matrix([[8, 0, 2, 0], [0, 8, 0, 2], [2, 0, 8, 0], [0, 2, 0, 8]])
    >>> [int(at) for at in confusion_order(table)] in ([0, 2, 1, 3], [0, 2, 3, 1], [2, 0, 1, 3], [2, 0, 3, 1])
    True
    """
    size = table.shape[0]
    if size < 3 or size > MOST_CLASSES or not table.is_aligned:
        return np.arange(size)
    distances = np.where(np.eye(size, dtype=bool), 0.0, 1.0 - _alikeness(table))
    order = _best_leaves(distances) if size <= BEST_LEAVES else _leaves(distances)
    return order if order[0] <= order[-1] else order[::-1].copy()


def _merged(distances: Floats) -> Iterator[tuple[int, int]]:
    """Which cluster joins which, both by a member of theirs; what merges first comes first."""
    joined: dict[int, int] = {}
    for merge in average_linkage(distances):
        other = merge.other
        while other in joined:  # of equal distances, rounding may put a cluster before its parts
            other = joined[other]
        joined[merge.one] = other
        yield merge.one, other


def _leaves(distances: Floats) -> NDArray[np.int64]:
    """The leaves of the tree as they merge."""
    members = {at: [at] for at in range(len(distances))}
    for one, other in _merged(distances):
        members[other] = members.pop(one) + members[other]
    (order,) = members.values()
    return np.asarray(order, dtype=np.int64)


@dataclass(frozen=True)
class _Branch:
    """A part of the tree: its leaves, and the least way through all of them from each to each that may be its ends."""

    leaves: tuple[int, ...]
    ways: Floats
    left: _Branch | None = None
    right: _Branch | None = None

    def path(self, first: int, last: int, distances: Floats) -> list[int]:
        """The leaves by the least way between two ends, by their places in the branch."""
        if self.left is None or self.right is None:
            return list(self.leaves)
        size = len(self.left.leaves)
        if first >= size:
            return self.path(last, first, distances)[::-1]
        between = distances[np.ix_(self.left.leaves, self.right.leaves)]
        steps = self.left.ways[first][:, None] + between + self.right.ways[:, last - size]
        out, back = divmod(int(steps.argmin()), len(self.right.leaves))
        return self.left.path(first, out, distances) + self.right.path(back, last - size, distances)


def _best_leaves(distances: Floats) -> NDArray[np.int64]:
    """The same, branches turned so that neighbours are as near as they can be, after Bar-Joseph et al. (2001).

    SciPy has it too, but loading it takes longer than all the rest of a small page.
    """
    branches = {at: _Branch((at,), np.zeros((1, 1))) for at in range(len(distances))}
    for one, other in _merged(distances):
        left, right = branches.pop(one), branches[other]
        between = distances[np.ix_(left.leaves, right.leaves)]
        across = _least_sums(_least_sums(left.ways, between), right.ways)
        ways = np.full((len(left.leaves) + len(right.leaves),) * 2, np.inf)
        ways[: len(left.leaves), len(left.leaves) :] = across
        ways[len(left.leaves) :, : len(left.leaves)] = across.T
        branches[other] = _Branch(left.leaves + right.leaves, ways, left, right)
    (root,) = branches.values()
    first, last = divmod(int(root.ways.argmin()), len(root.leaves))
    return np.asarray(root.path(first, last, distances), dtype=np.int64)


def _least_sums(one: Floats, other: Floats) -> Floats:
    """The product of two matrices in which sums stand for products and the least for the sum."""
    least: Floats = (one[:, :, None] + other).min(axis=1)
    return least


def _alikeness(table: Contingency) -> NDArray[Any]:
    """Fraction of each pair's samples that were taken for the other, from 0 to 1."""
    rows, columns = table.matches
    counts: Any = table.counts
    dense = np.asarray(counts.todense() if table.is_sparse else counts, dtype=np.float64)
    square = dense[:, columns[np.argsort(rows)]]
    totals = np.maximum(square.sum(axis=1, keepdims=True), 1e-300)
    given = square / totals
    return np.clip((given + given.T) / 2.0, 0.0, 1.0)
