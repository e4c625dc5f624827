"""Influence: how much one more sample in a cell moves a metric, to first order."""

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.posterior.arrays import Array, Indices
from infoscope.posterior.first_order import information_influence, is_information
from infoscope.tables import Contingency

__all__ = ["influence", "log_slopes"]

_STEP = 1e-5
_BLOCK_CELLS = 2_000_000
_MOST_CELLS = 20_000


def log_slopes(name: str, table: Contingency, occupied: Indices) -> Array:
    """Derivative of the metric by the logarithm of each occupied cell's share, by central differences."""
    if occupied.size > _MOST_CELLS:
        raise InputError(f"{occupied.size} occupied cells are too many for a numerical gradient; merge classes")
    score = find(name).score
    out = np.empty(occupied.size)
    block = max(1, _BLOCK_CELLS // (2 * table.cells.size))
    for start in range(0, occupied.size, block):
        at = occupied[start : start + block]
        varied = np.broadcast_to(table.cells, (2, at.size, table.cells.size)).copy()
        varied[0, np.arange(at.size), at] *= np.exp(_STEP)
        varied[1, np.arange(at.size), at] *= np.exp(-_STEP)
        up, down = np.asarray(score(table.with_cells(varied)))
        out[start : start + block] = (up - down) / (2 * _STEP)
    return out


def influence(name: str, table: Contingency) -> Array:
    """The metric's gradient at each cell, centred so that its mean over the samples is 0; 0 at empty cells.

    Its variance over the samples, divided by their number, is the squared first-order standard error; the
    covariance of two systems' influences over the same samples tells how their errors go together.

    >>> table = Contingency.from_matrix([[40, 10], [10, 40]])
    >>> [round(float(x), 3) for x in influence("accuracy", table)]
    [0.2, -0.8, -0.8, 0.2]
    """
    if is_information(find(name).name):
        return information_influence(find(name).name, table)
    occupied = np.flatnonzero(table.cells)
    slopes = log_slopes(name, table, occupied)
    out = np.zeros(table.cells.size)
    out[occupied] = slopes / (table.cells[occupied] / table.total) - slopes.sum()
    return out
