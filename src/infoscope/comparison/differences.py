"""The difference between two systems and how sure we are of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, exp, isfinite, log, sqrt

from infoscope.cards import Metric
from infoscope.comparison.answers import PairCells
from infoscope.posterior import partition_moments

__all__ = ["Belief", "Difference", "Factor", "difference", "exact_information_gap", "factor", "verdict"]


@dataclass(frozen=True)
class Belief:
    """What is known of one system's value: the plug-in value, and the posterior's mean and sd."""

    value: float
    mean: float
    sd: float
    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """Whether the metric exists here: undefined and unbounded values cannot be compared."""
        return all(map(isfinite, (self.value, self.mean, self.sd, self.low, self.high)))

    @property
    def complement(self) -> Belief:
        """The same of 1 − value."""
        return Belief(1 - self.value, 1 - self.mean, self.sd, 1 - self.high, 1 - self.low)


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

    @property
    def turned(self) -> Difference:
        """B − A."""
        return Difference(
            -self.difference,
            self.sd,
            -self.high,
            -self.low,
            1 - self.probability_a_better,
            self.correlation,
            self.equivalent,
        )


@dataclass(frozen=True)
class Factor:
    """By what factor A's loss is smaller than B's."""

    value: float
    low: float
    high: float

    @property
    def turned(self) -> Factor:
        """By what factor B's loss is smaller than A's."""
        return Factor(1 / self.value, 1 / self.high, 1 / self.low)


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


def verdict(result: Difference, level: float) -> str:
    """What this pair alone allows to say of A."""
    if result.equivalent is not None and result.equivalent > level:
        return "equivalent"
    tail = (1 - level) / 2
    if result.probability_a_better > 1 - tail:
        return "better"
    return "worse" if result.probability_a_better < tail else "can't tell"


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
