"""One-to-one matching of rows and columns: SciPy's, or a small search where loading SciPy would take longer."""

import numpy as np
from numpy.typing import NDArray

from infoscope.compiled_scipy import scipy_function
from infoscope.numeric import Real

__all__ = ["best_assignment"]


def best_assignment(weights: Real) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns matched one to one with the largest sum of weights.

    >>> [side.tolist() for side in best_assignment(np.array([[3.0, 2.0], [2.5, 0.5]]))]
    [[0, 1], [1, 0]]
    """
    rows = np.arange(weights.shape[0])
    columns = weights.argmax(axis=1)
    if len(set(columns.tolist())) == len(rows) and ((weights == weights[rows, columns][:, None]).sum(1) == 1).all():
        return rows, columns  # each row has one best column, and no two the same
    if max(weights.shape) <= _SMALL_ASSIGNMENT:
        return _small_assignment(weights)
    assign = scipy_function("optimize", "_lsap", "linear_sum_assignment")
    found: tuple[NDArray[np.int64], NDArray[np.int64]] = assign(weights, maximize=True)
    return found


_SMALL_ASSIGNMENT = 64
"""Up to this many rows and columns the search takes less time than loading SciPy's."""


def _small_assignment(weights: Real) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The same by shortest augmenting paths: each row in turn takes a column, and those in its way move on."""
    if weights.shape[0] > weights.shape[1]:
        columns, rows = _small_assignment(weights.T)
        order = np.argsort(rows)
        return rows[order], columns[order]
    size, width = weights.shape
    row_prices, column_prices = np.zeros(size), np.zeros(width)
    taken_by = np.full(width, -1)
    for start in range(size):
        distance, before = np.full(width, np.inf), np.full(width, -1)
        reached = np.zeros(width, dtype=bool)
        row, column, length = start, -1, 0.0
        while row >= 0:
            there = length - weights[row] - row_prices[row] - column_prices
            nearer = ~reached & (there < distance)
            distance[nearer], before[nearer] = there[nearer], column
            column = int(np.where(reached, np.inf, distance).argmin())
            length, reached[column], row = distance[column], True, taken_by[column]
        passed = np.flatnonzero(reached & (taken_by >= 0))
        row_prices[taken_by[passed]] += length - distance[passed]
        row_prices[start] += length
        column_prices[reached] -= length - distance[reached]
        while column >= 0:
            earlier = before[column]
            taken_by[column] = taken_by[earlier] if earlier >= 0 else start
            column = earlier
    columns = np.flatnonzero(taken_by >= 0)
    order = np.argsort(taken_by[columns])
    return taken_by[columns][order], columns[order]
