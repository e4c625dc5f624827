"""Rows that belong together: how many of them tell as much as one independent row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real

__all__ = ["design_effect"]

Codes = NDArray[np.int64]


def design_effect(category: Codes, stratum: Codes, group: Codes, rows: Real) -> float:
    """Variance of the shares of categories within strata over that of independent rows; at least 1.

    ``group`` is −1 for rows that stand alone.

    >>> once, twice = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    >>> design_effect(once, np.zeros(4, int), np.arange(4), np.ones(4))
    1.0
    >>> design_effect(twice, np.zeros(4, int), twice, np.ones(4))
    4.0
    """
    if not len(category):
        return 1.0
    _, place = np.unique(stratum, return_inverse=True)
    _, kind = np.unique(category, return_inverse=True)
    shares = np.zeros((place.max() + 1, kind.max() + 1))
    np.add.at(shares, (place, kind), rows)
    shares /= shares.sum(axis=1, keepdims=True)
    alone = np.where(group < 0, len(group) + np.arange(len(group)), group)
    groups, member = np.unique(alone, return_inverse=True)
    residual = -shares[place]
    residual[np.arange(len(kind)), kind] += 1.0
    sums = np.zeros((len(groups), residual.shape[1]))
    np.add.at(sums, member, rows[:, None] * residual)
    single = float((rows[:, None] * residual**2).sum())
    together = float((sums**2).sum())
    if single <= 0 or len(groups) < 2:
        return 1.0
    return max(together / single * len(groups) / (len(groups) - 1), 1.0) if together > single else 1.0
