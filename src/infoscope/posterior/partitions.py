"""Moments of entropies for any partitions of the same cells.

The cells may be (truth, system) or (truth, A, B) or anything else; rows, columns and every coarser grouping
are partitions of them. For partitions P and Q with parts of mass r and s that overlap by a,

    E[H_P]         = ψ(V+1) − Σ m ψ_P
    Cov(H_P, H_Q)  = 1/(V+1) { Cov_m(ψ_P, ψ_Q) + 1/V [ Σ r s T(a, r, s) − θ(V) ] }

so that the variance of any difference of information, such as I(T;A) − I(T;B) on the same rows, is exact.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from infoscope.posterior.arrays import Array, Indices, group_sums
from infoscope.posterior.overlap import overlap_sum
from infoscope.posterior.special import excess_and_spread

__all__ = ["PartitionMoments", "partition_covariance", "partition_moments"]


class PartitionMoments(NamedTuple):
    """Mean and covariance of the entropies of several partitions, in nats."""

    mean: Array
    covariance: Array

    def of(self, coefficients: Sequence[float]) -> tuple[float, float]:
        """Mean and variance of a linear combination."""
        c = np.asarray(coefficients, dtype=float)
        return float(c @ self.mean), float(c @ self.covariance @ c)


def partition_moments(partitions: Sequence[Indices], concentrations: Array) -> PartitionMoments:
    """Moments of H_P for every partition, each given as the part that each cell lies in.

    >>> v = np.array([11.0, 2.0, 3.0, 21.0])  # a 2 × 2 table, uniform prior
    >>> rows, columns, cells = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.arange(4)
    >>> mean, variance = partition_moments([rows, columns, cells], v).of([1, 1, -1])
    >>> print(f"{mean:.6f} {variance**0.5:.6f}")
    0.279853 0.096257
    """
    kept = concentrations > 0
    v = concentrations[kept]
    total = v.sum()
    weights = v / total
    parts = [np.unique(np.asarray(part)[kept], return_inverse=True)[1] for part in partitions]
    masses = [group_sums(part, v) for part in parts]
    excess_total, spread_total = (x[0] for x in excess_and_spread(np.array([total])))
    functions = np.empty((len(parts), v.size))
    for function, part, mass in zip(functions, parts, masses, strict=True):
        function[:] = (np.log(total / mass) + excess_total - excess_and_spread(mass)[0])[part]
    mean = functions @ weights
    centred = functions - mean[:, None]
    covariance = (centred * weights) @ centred.T
    for i in range(len(parts)):
        for j in range(i + 1):
            bracket = _shared(parts[i], parts[j], (v, masses[i], masses[j])) - spread_total
            covariance[i, j] += bracket / total
            covariance[j, i] = covariance[i, j]
    return PartitionMoments(mean, covariance / (total + 1))


def partition_covariance(one: Indices, other: Indices, concentrations: Array) -> float:
    """Cov(H_P, H_Q) of two partitions of the same cells."""
    return float(partition_moments([one, other], concentrations).covariance[0, 1])


def _shared(one: Indices, other: Indices, mass: tuple[Array, Array, Array]) -> float:
    """Σ r s T(a, r, s) over the pairs of parts that overlap."""
    v, r, s = mass
    pairs, place = np.unique(one * s.size + other, return_inverse=True)
    if pairs.size == r.size:  # the first refines the other: closed form
        return float(excess_and_spread(s)[1].sum())
    if pairs.size == s.size:
        return float(excess_and_spread(r)[1].sum())
    return overlap_sum(group_sums(place, v), r[pairs // s.size], s[pairs % s.size])
