"""Tables and the rows behind them, on which other libraries are asked for the same numbers."""

import numpy as np
from numpy.typing import NDArray

from infoscope import Contingency

MATRICES = {
    "good": [[50, 3, 2], [4, 40, 6], [1, 2, 30]],
    "lopsided": [[900, 5, 1], [30, 12, 0], [7, 0, 3]],
    "poor": [[10, 12, 9, 4], [8, 11, 10, 6], [9, 9, 12, 7], [3, 8, 2, 5]],
    "relabelled": [[0, 20, 1], [18, 0, 2], [0, 1, 25]],
    "five of steingold": [[5, 0], [7, 38]],
    "binary": [[15, 5], [45, 135]],
}
RECTANGULAR = {
    "more clusters": [[30, 2, 0, 5, 1], [1, 25, 9, 0, 0], [0, 3, 4, 12, 20]],
    "fewer clusters": [[30, 2], [28, 1], [0, 40], [3, 33]],
}
BINARY = {name: matrix for name, matrix in MATRICES.items() if len(matrix) == 2}


def table_of(matrix: list[list[int]]) -> Contingency:
    return Contingency.from_matrix(matrix)


def rows_of(matrix: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows that count up to this matrix."""
    counts = np.asarray(matrix)
    truth, system = np.indices(counts.shape)
    return np.repeat(truth.ravel(), counts.ravel()), np.repeat(system.ravel(), counts.ravel())
