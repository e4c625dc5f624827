"""The difference between two systems and how sure we are of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, exp, log, sqrt
from typing import Literal

import numpy as np

from infoscope.cards import Metric
from infoscope.comparison.answers import PairCells
from infoscope.posterior import Posterior, partition_moments
from infoscope.posterior.influence import influence
from infoscope.tables import Contingency

__all__ = ["Belief", "Difference", "Factor", "belief", "correlation", "difference", "exact_information_gap", "factor"]

Verdict = Literal["better", "worse", "equivalent", "can't tell"]


@dataclass(frozen=True)
class Belief:
    """What is known of one system's value: the plug-in value, and the posterior's mean and sd."""

    value: float
    mean: float
    sd: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference:
    """A − B in one metric, with its interval."""

    difference: float
    sd: float
    low: float
    high: float
    probability_a_better: float
    correlation: float
    equivalent: float | None = None
    """Probability that the difference is too small to matter, where a region was stated."""


@dataclass(frozen=True)
class Factor:
    """By what factor A's loss is smaller than B's."""

    value: float
    low: float
    high: float


def belief(table: Contingency, posterior: Posterior, entry: Metric, level: float) -> Belief:
    """One system's value with its interval."""
    summary = posterior.summary(entry.name, level)
    value = float(entry.score(table))
    return Belief(value, *(float(x) for x in (summary.mean, summary.sd, summary.low, summary.high)))


def correlation(pair: PairCells, entry: Metric) -> float:
    """How the two systems' errors in a metric go together over the rows both answered, to first order.

    The covariance of the two influences over the joint cells; 1 for identical systems, near 0 for unrelated errors.
    """
    one = influence(entry.name, pair.table_a)[pair.cells_a]
    other = influence(entry.name, pair.table_b)[pair.cells_b]
    weights = pair.counts / pair.counts.sum()
    spread = np.sqrt(np.dot(weights, one**2) * np.dot(weights, other**2))
    if not np.isfinite(spread) or spread == 0:
        return 0.0
    return float(np.clip(np.dot(weights, one * other) / spread, -1.0, 1.0))


def difference(
    a: Belief, b: Belief, rho: float, entry: Metric, *, level: float, rope: float | None = None
) -> Difference:
    """The hybrid: calibrated means and sds of each system, tied by the correlation over common rows."""
    gap = a.mean - b.mean
    sd = sqrt(max(a.sd**2 + b.sd**2 - 2 * rho * a.sd * b.sd, 0.0))
    reach = _quantile(level) * sd
    better = gap if entry.card.better != "lower" else -gap
    equivalent = None
    if rope is not None:
        equivalent = _below(rope - gap, sd) - _below(-rope - gap, sd)
    return Difference(gap, sd, gap - reach, gap + reach, _below(better, sd), rho, equivalent)


def factor(a: Belief, b: Belief, rho: float, level: float) -> Factor | None:
    """B's loss over A's (Holt et al., Figure 5), with an interval on the logarithmic scale."""
    if min(a.mean, b.mean) <= 0:
        return None
    one, other = a.sd / a.mean, b.sd / b.mean
    sd = sqrt(max(one**2 + other**2 - 2 * rho * one * other, 0.0))
    centre = log(b.mean / a.mean)
    reach = _quantile(level) * sd
    return Factor(exp(centre), exp(centre - reach), exp(centre + reach))


def exact_information_gap(pair: PairCells, level: float) -> tuple[float, float, float]:
    """I(T;A) − I(T;B) in bits with the exact paired interval (Bayesian bootstrap of the common rows).

    The truth's entropy cancels, so four partitions of the joint cells decide: A, (T, A), B and (T, B).
    """
    moments = partition_moments([pair.a, pair.cells_a, pair.b, pair.cells_b], pair.counts)
    mean, variance = moments.of([1.0, -1.0, -1.0, 1.0])
    reach = _quantile(level) * sqrt(max(variance, 0.0))
    bits = 1.0 / log(2.0)
    return mean * bits, (mean - reach) * bits, (mean + reach) * bits


def _below(gap: float, sd: float) -> float:
    """Probability that a normal variable of this sd stays below the gap."""
    if sd == 0:
        return 0.5 if gap == 0 else float(gap > 0)
    return 0.5 * (1 + erf(gap / sd / sqrt(2.0)))


def _quantile(level: float) -> float:
    from scipy.special import ndtri  # noqa: PLC0415 - one number

    return float(ndtri((1 + level) / 2))
