"""The difference between two systems and how sure we are of it."""

from __future__ import annotations

from math import erf, exp, isfinite, log, sqrt

from infoscope.comparison.options import CompareOptions
from infoscope.comparison.predictions import PairCells
from infoscope.metrics.registry import Metric
from infoscope.posterior import partition_moments
from infoscope.quick_dataclasses import dataclass
from infoscope.results.estimate import Difference, Estimate, Verdict
from infoscope.special_functions import normal_quantile

__all__ = ["MetricBelief", "difference", "exact_information_difference", "improvement_factor"]

_LARGEST_LOG = 700.0
"""Logarithms beyond this one have no finite exponential (the exact limit is 709.78)."""


@dataclass(frozen=True)
class MetricBelief:
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
    def estimate(self) -> Estimate:
        """The same as a result holds it."""
        return Estimate(self.value, self.mean, self.sd, self.low, self.high)

    @property
    def complement(self) -> MetricBelief:
        """The same of 1 − value."""
        return MetricBelief(1 - self.value, 1 - self.mean, self.sd, 1 - self.high, 1 - self.low)


@dataclass(frozen=True)
class _Gap:
    """A − B in one metric as a normal variable."""

    mean: float
    sd: float

    def below(self, limit: float) -> float:
        """Probability that the difference is smaller than a limit."""
        return _below(limit - self.mean, self.sd)


def difference(
    names: tuple[str, str],
    beliefs: tuple[MetricBelief, MetricBelief],
    rho: float,
    entry: Metric,
    options: CompareOptions,
) -> Difference:
    """The hybrid: calibrated means and sds of each system, tied by the correlation over common rows."""
    a, b = beliefs
    gap = _Gap(a.mean - b.mean, sqrt(max(a.sd**2 + b.sd**2 - 2 * rho * a.sd * b.sd, 0.0)))
    reach = _quantile(options.level) * gap.sd
    better = gap.below(0.0) if entry.card.better == "lower" else _below(gap.mean, gap.sd)
    equivalent = None if options.rope is None else gap.below(options.rope) - gap.below(-options.rope)
    return Difference(
        *names,
        metric=entry.name,
        estimate=Estimate(a.value - b.value, gap.mean, gap.sd, gap.mean - reach, gap.mean + reach),
        probability_a_better=better,
        paired=False,
        verdict=_verdict(better, equivalent, options.level),
        correlation=rho,
        probability_equivalent=equivalent,
    )


def _verdict(better: float, equivalent: float | None, level: float) -> Verdict:
    """What this pair alone allows to say of A."""
    if equivalent is not None and equivalent > level:
        return "equivalent"
    tail = (1 - level) / 2
    if better > 1 - tail:
        return "better"
    return "worse" if better < tail else "inconclusive"


def improvement_factor(a: MetricBelief, b: MetricBelief, rho: float, level: float) -> Estimate | None:
    """B's loss over A's (Holt et al., Figure 5), with an interval on the logarithmic scale.

    None where there is no loss to divide by, or where a limit of the interval would overflow.
    """
    if min(a.mean, b.mean) <= 0:
        return None
    one, other = a.sd / a.mean, b.sd / b.mean
    sd = sqrt(max(one**2 + other**2 - 2 * rho * one * other, 0.0))
    centre = log(b.mean / a.mean)
    reach = _quantile(level) * sd
    if abs(centre) + reach > _LARGEST_LOG:
        return None
    return Estimate(exp(centre), low=exp(centre - reach), high=exp(centre + reach))


def exact_information_difference(pair: PairCells, level: float) -> Estimate:
    """I(T;A) − I(T;B) in bits with the exact paired interval (Bayesian bootstrap of the common rows).

    The truth's entropy cancels, so four partitions of the joint cells decide: A, (T, A), B and (T, B).
    """
    moments = partition_moments([pair.a, pair.cells_a, pair.b, pair.cells_b], pair.counts)
    mean, variance = moments.of([1.0, -1.0, -1.0, 1.0])
    reach = _quantile(level) * sqrt(max(variance, 0.0))
    bits = 1.0 / log(2.0)
    centre = mean * bits
    return Estimate(centre, low=centre - reach * bits, high=centre + reach * bits)


def _below(gap: float, sd: float) -> float:
    """Probability that a normal variable of this sd stays below the gap."""
    if sd == 0:
        return 0.5 if gap == 0 else float(gap > 0)
    return 0.5 * (1 + erf(gap / sd / sqrt(2.0)))


def _quantile(level: float) -> float:
    return normal_quantile((1 + level) / 2)
