"""An order of classes in which those that are confused with each other stand together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.tables import Contingency

__all__ = ["confusion_order"]

MOST_CLASSES = 2000
"""Larger tables keep their order: the work grows with the square of the classes."""
BEST_LEAVES = 150
"""Up to this size the leaves of the tree are turned so that neighbours are most alike."""


def confusion_order(table: Contingency) -> NDArray[np.int64]:
    """Positions of the truth classes, confused ones side by side, by hierarchical clustering of mutual confusion.

    >>> table = Contingency.from_matrix([[8, 0, 2, 0], [0, 8, 0, 2], [2, 0, 8, 0], [0, 2, 0, 8]])
    >>> [int(at) for at in confusion_order(table)] in ([0, 2, 1, 3], [0, 2, 3, 1], [2, 0, 1, 3], [2, 0, 3, 1])
    True
    """
    size = table.shape[0]
    if size < 3 or size > MOST_CLASSES or not table.is_aligned:
        return np.arange(size)
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering  # noqa: PLC0415 - only here
    from scipy.spatial.distance import squareform  # noqa: PLC0415 - heavy

    alike = _alikeness(table)
    distance = squareform(np.where(np.eye(size, dtype=bool), 0.0, 1.0 - alike), checks=False)
    tree = linkage(distance, "average")
    if size <= BEST_LEAVES:
        tree = optimal_leaf_ordering(tree, distance)
    order: NDArray[np.int64] = leaves_list(tree).astype(np.int64)
    return order if order[0] <= order[-1] else order[::-1].copy()


def _alikeness(table: Contingency) -> NDArray[Any]:
    """Share of each pair's samples that were taken for the other, from 0 to 1."""
    rows, columns = table.matches
    counts: Any = table.counts
    dense = np.asarray(counts.todense() if table.is_sparse else counts, dtype=np.float64)
    square = dense[:, columns[np.argsort(rows)]]
    totals = np.maximum(square.sum(axis=1, keepdims=True), 1e-300)
    given = square / totals
    return np.clip((given + given.T) / 2.0, 0.0, 1.0)
