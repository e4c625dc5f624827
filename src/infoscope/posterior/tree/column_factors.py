"""Factors of columns that bring the wrong predictions in them to those counted."""

import numpy as np

from infoscope.posterior.arrays import Array

__all__ = ["column_factors"]

_LEAST = 0.2  # a column keeps at least this share of what the levels expect there
_ROUNDS, _SETTLED = 30, 1e-14  # most often four rounds settle everything


def column_factors(expected: Array, wanted: Array) -> Array:
    """Column factors that, with row sums kept, bring the columns of a table to the wanted sums."""
    rows, columns = expected.sum(1), expected.sum(0)
    wanted = np.maximum(wanted, _LEAST * columns)
    wanted = wanted * (rows.sum() / wanted.sum()) if wanted.sum() > 0 else columns
    factors = np.ones(columns.size)
    for _ in range(_ROUNDS):
        stretch = rows / np.maximum(np.einsum("ij,j->i", expected, factors), 1e-300)
        kept = factors * np.einsum("i,ij->j", stretch, expected)
        change = np.divide(wanted, kept, out=np.ones_like(wanted), where=columns > 0)
        factors *= change
        factors /= factors.max()
        if np.abs(change - 1).max() < _SETTLED:
            break
    return np.maximum(factors, 1e-12)
