"""An order of classes in which those that are confused with each other stand together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.posterior.shared_rows import average_linkage
from infoscope.tables import Contingency

__all__ = ["confusion_order"]

MOST_CLASSES = 2000
"""Larger tables keep their order: the work grows with the square of the classes."""
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


def _best_leaves(distances: NDArray[Any]) -> NDArray[np.int64]:
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering  # noqa: PLC0415 - only here
    from scipy.spatial.distance import squareform  # noqa: PLC0415 - heavy

    between = squareform(distances, checks=False)
    order: NDArray[np.int64] = leaves_list(optimal_leaf_ordering(linkage(between, "average"), between)).astype(np.int64)
    return order


def _leaves(distances: NDArray[Any]) -> NDArray[np.int64]:
    """The same where nothing is turned, without loading SciPy: what merges first stands first."""
    members = {at: [at] for at in range(len(distances))}
    joined: dict[int, int] = {}
    for merge in average_linkage(distances):
        other = merge.other
        while other in joined:  # of equal distances, rounding may put a cluster before its parts
            other = joined[other]
        joined[merge.one] = other
        members[other] = members.pop(merge.one) + members[other]
    (order,) = members.values()
    return np.asarray(order, dtype=np.int64)


def _alikeness(table: Contingency) -> NDArray[Any]:
    """Fraction of each pair's samples that were taken for the other, from 0 to 1."""
    rows, columns = table.matches
    counts: Any = table.counts
    dense = np.asarray(counts.todense() if table.is_sparse else counts, dtype=np.float64)
    square = dense[:, columns[np.argsort(rows)]]
    totals = np.maximum(square.sum(axis=1, keepdims=True), 1e-300)
    given = square / totals
    return np.clip((given + given.T) / 2.0, 0.0, 1.0)
