"""One-to-one matching of rows and columns with the largest sum of weights."""

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real

__all__ = ["best_assignment"]


def best_assignment(weights: Real) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Match rows and columns one to one so that the sum of weights is largest.

    >>> [side.tolist() for side in best_assignment(np.array([[3.0, 2.0], [2.5, 0.5]]))]
    [[0, 1], [1, 0]]
    """
    rows = np.arange(weights.shape[0])
    columns = weights.argmax(axis=1)
    if len(set(columns.tolist())) == len(rows) and ((weights == weights[rows, columns][:, None]).sum(1) == 1).all():
        return rows, columns  # each row has one best column, and no two the same: as of nearly every classifier
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - takes a quarter of a second to load

    assignment: tuple[NDArray[np.int64], NDArray[np.int64]] = linear_sum_assignment(weights, maximize=True)
    return assignment
