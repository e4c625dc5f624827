"""Factors of columns that bring the wrong predictions in them to those counted."""

import numpy as np

from infoscope.posterior.arrays import Array

__all__ = ["column_factors"]

_LEAST = 0.2  # a column keeps at least this share of what the levels expect there
_ROUNDS, _SETTLED = 30, 1e-14  # most often four rounds settle everything


def column_factors(expected: Array, wanted: Array) -> Array:
    """Column factors that, with row sums kept, bring the columns of tables to the wanted sums, (tables, columns)."""
    rows, columns = expected.sum(2), expected.sum(1)
    wanted = np.maximum(wanted, _LEAST * columns)
    sums = wanted.sum(1, keepdims=True)
    wanted = np.where(sums > 0, wanted * (rows.sum(1, keepdims=True) / np.where(sums > 0, sums, 1.0)), columns)
    found, factors = np.ones(wanted.shape), np.ones(wanted.shape)
    places = np.arange(len(wanted))
    moving = (np.count_nonzero(expected, axis=2) > 1).any(1)  # where each is alone in its row, no factor matters
    for _ in range(_ROUNDS):
        if not moving.all():
            found[places[~moving]] = factors[~moving]
            parts = (expected, wanted, rows, columns, factors, places)
            expected, wanted, rows, columns, factors, places = (part[moving] for part in parts)
        if not places.size:
            break
        stretch = rows / np.maximum(np.einsum("tij,tj->ti", expected, factors), 1e-300)
        kept = factors * np.einsum("ti,tij->tj", stretch, expected)
        change = np.divide(wanted, kept, out=np.ones_like(wanted), where=columns > 0)
        factors *= change
        factors /= factors.max(1, keepdims=True)
        moving = np.abs(change - 1).max(1) >= _SETTLED
    found[places] = factors
    return np.maximum(found, 1e-12)
