"""Whether two periods differ within strata: periods permuted by draws from the counts, and the chi-square beside it.

Within each stratum the rows of both periods are dealt again at random; the table of a stratum is periods × labels, so a
dealt table is one multivariate hypergeometric draw and no row is touched.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri, chndtrinc

from infoscope.metrics.permutation import information_nats, permuted_p_value
from infoscope.quick_dataclasses import dataclass

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
    smallest_found: float
    """Bits per item of the smallest change that would have been found with probability 0.8 at this level."""


def drift_part(strata: Sequence[NDArray[np.int64]], permutations: int, level: float, seed: int) -> DriftPart:
    """Strata are tables of periods × labels; without strata there is one."""
    used = [table[:, table.sum(axis=0) > 0] for table in strata if table.sum()]
    total = float(sum(table.sum() for table in used))
    if not total:
        return DriftPart(0.0, 1.0, 1.0, 0.0)
    tested = [table for table in used if (table.sum(axis=1) > 0).all() and table.shape[1] > 1]
    nats = sum(information_nats(table) for table in tested)
    freedom = sum(table.shape[1] - 1 for table in tested)
    bits = max(nats, 0.0) / total / np.log(2.0)
    if not freedom:
        return DriftPart(float(bits), 1.0, 1.0, 0.0)
    critical = float(chdtri(freedom, level))
    smallest = float(chndtrinc(critical, freedom, 1 - POWER) / (2.0 * total * np.log(2.0)))
    p_value = permuted_p_value(tested, permutations, np.random.default_rng(seed))
    return DriftPart(float(bits), p_value, float(chdtrc(freedom, 2.0 * nats)), smallest)
