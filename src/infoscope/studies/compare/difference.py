"""The difference between two systems and how sure we are of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, exp, isfinite, log, sqrt

import numpy as np
from scipy.special import betainc, betaincinv, ndtri

from infoscope.metrics.registry import Metric
from infoscope.posterior import partition_moments
from infoscope.results.estimate import Difference, Estimate, Verdict
from infoscope.studies.compare.options import CompareOptions
from infoscope.studies.compare.predictions import PairCells

__all__ = ["MetricBelief", "difference", "exact_information_difference", "improvement_factor"]

_FRACTIONS = 32  # quantiles of the fraction of discordant rows over which limits are averaged
_PRECISION = 1e-9  # of these limits
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
    corrected: bool = False
    """Whether the mean corrects the small-sample bias of the value, as of information, and is shown first."""

    @property
    def centre(self) -> float:
        """The number that is shown."""
        return self.mean if self.corrected else self.value

    @property
    def is_known(self) -> bool:
        """Whether the metric exists here: undefined and unbounded values cannot be compared."""
        return all(map(isfinite, (self.value, self.mean, self.sd, self.low, self.high)))

    @property
    def estimate(self) -> Estimate:
        """The same as a result holds it."""
        return Estimate(self.value, self.mean, self.sd, self.low, self.high, corrected=self.corrected)

    @property
    def complement(self) -> MetricBelief:
        """The same of 1 − value."""
        return MetricBelief(1 - self.value, 1 - self.mean, self.sd, 1 - self.high, 1 - self.low, self.corrected)


def difference(
    names: tuple[str, str],
    beliefs: tuple[MetricBelief, MetricBelief],
    rho: float,
    entry: Metric,
    options: CompareOptions,
    discordant: tuple[float, float, float] | None = None,
) -> Difference:
    """Return A − B of the numbers that are shown, with what is sure about it.

    The sds of both systems are tied by the correlation of their errors over common rows. The accuracy of systems with
    the same rows goes by the ``discordant`` ones instead: how many A alone gets right, how many B alone, and all rows.
    """
    a, b = beliefs
    tail = (1 - options.level) / 2
    value, mean = a.value - b.value, a.mean - b.mean
    sd = sqrt(max(a.sd**2 + b.sd**2 - 2 * rho * a.sd * b.sd, 0.0))
    is_same = a == b and rho == 1
    if discordant is None or is_same:
        reach = _quantile(options.level) * sd
        low, high = mean - reach, mean + reach
        more = _below(mean, sd)
        if not a.corrected:  # the interval is around the posterior's mean, and reaches to the value, which is shown
            low, high = min(low, value), max(high, value)
        if low <= 0 <= high:
            more = min(max(more, tail), 1 - tail)
    else:
        only_a, only_b, rows = discordant
        if entry.card.better == "lower":  # a difference of errors
            only_a, only_b = only_b, only_a
        low, high = _lower_limit(only_a, only_b, rows, tail), -_lower_limit(only_b, only_a, rows, tail)
        p_value = min(_exact_p_value(max(only_a, only_b), min(only_a, only_b)), 0.5)
        more = 1 - p_value if only_a > only_b else p_value
    better = 1 - more if entry.card.better == "lower" else more
    equivalent = None
    if options.rope is not None:
        within = _below(options.rope - mean, sd) - _below(-options.rope - mean, sd)
        equivalent = 1.0 if is_same else within
    verdict: Verdict = "inconclusive"
    if is_same or (equivalent is not None and equivalent > options.level):
        verdict = "equivalent"
    elif better > 1 - tail:
        verdict = "better"
    elif better < tail:
        verdict = "worse"
    return Difference(
        *names,
        metric=entry.name,
        estimate=Estimate(value, mean, sd, low, high, corrected=a.corrected),
        probability_a_better=better,
        paired=False,
        verdict=verdict,
        correlation=rho,
        probability_equivalent=equivalent,
    )


def _lower_limit(only_a: float, only_b: float, rows: float, tail: float) -> float:
    """Return the lower limit of the difference of two accuracies, from the rows that one system alone gets right.

    The difference is q (2θ − 1): q is the fraction of discordant rows, with Jeffreys' posterior, and θ that of them
    which A gets right, with the limits of Clopper and Pearson. So 0 lies outside the interval exactly where McNemar's
    exact test is significant.
    """
    discordant = only_a + only_b
    shape = discordant + 0.5, max(rows - discordant, 0.0) + 0.5
    if only_a <= 0:
        return -float(betaincinv(*shape, 1 - tail))
    fractions = betaincinv(*shape, (np.arange(_FRACTIONS) + 0.5) / _FRACTIONS)
    below, above = -1.0, 1.0
    while above - below > _PRECISION:
        middle = (below + above) / 2
        is_low = betainc(only_a, only_b + 1, np.clip((1 + middle / fractions) / 2, 0.0, 1.0)).mean() < tail
        below, above = (middle, above) if is_low else (below, middle)
    return (below + above) / 2


def _exact_p_value(more: float, less: float) -> float:
    """Return the chance of so many discordant rows on one side, or more, where both sides are as likely."""
    return float(betainc(more, less + 1, 0.5)) if more > 0 else 1.0


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
    return ndtri((1 + level) / 2)
