"""Whether two periods differ within strata: periods permuted by draws from the counts, and the chi-square beside it.

Within each stratum the rows of both periods are dealt again at random; the table of a stratum is periods × labels, so a
dealt table is one multivariate hypergeometric draw and no row is touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri, chndtrinc

from infoscope.metrics.permutation import information_nats, permuted_p_value

__all__ = ["DriftPart", "drift_part"]

POWER = 0.8


@dataclass(frozen=True)
class DriftPart:
    """Information about the period in one part of what systems say."""

    information: float
    """Bits per item."""
    p_value: float
    """By permutation of the periods."""
    p_chi_square: float
    smallest_found: float | None
    """Bits per item of the smallest change that would have been found with probability 0.8 at this level; None where
    nothing can be tested, because no stratum has two labels and rows of both periods."""


def drift_part(strata: Sequence[NDArray[np.int64]], permutations: int, level: float, seed: int) -> DriftPart:
    """Strata are tables of periods × labels; without strata there is one."""
    used = [table[:, table.sum(axis=0) > 0] for table in strata if table.sum()]
    total = float(sum(table.sum() for table in used))
    tested = [table for table in used if (table.sum(axis=1) > 0).all() and table.shape[1] > 1]
    if not tested:
        return DriftPart(0.0, 1.0, 1.0, None)
    nats = max(sum(information_nats(table) for table in tested), 0.0)  # rounding takes equal periods below 0
    freedom = sum(table.shape[1] - 1 for table in tested)
    critical = float(chdtri(freedom, level))
    smallest = float(chndtrinc(critical, freedom, 1 - POWER) / (2.0 * total * np.log(2.0)))
    p_value = permuted_p_value(tested, permutations, np.random.default_rng(seed))
    return DriftPart(float(nats / total / np.log(2.0)), p_value, float(chdtrc(freedom, 2.0 * nats)), smallest)
