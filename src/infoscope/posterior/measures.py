"""Metrics that need no draws (linear in the entropies, or a ratio of two), and the correction of a belief's mean.

In few samples the information looks too high, and rare classes look better or worse than they are. The tree corrects
that by what it learns of the whole table. The correction is a model's, so a share of it counts as one further sd:
limits and sd are stretched about the mean by √(1 + (τD/sd)²), with D the sample's value less the posterior mean. D
falls like 1/n and the sd like 1/√n, so nothing happens where data suffice.
"""

from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import Real
from infoscope.metrics.registry import Metric
from infoscope.posterior.exact_moments import MEASURES, EntropyMoments
from infoscope.posterior.summary import Summary

#: metrics that are an entropy measure times 1/ln 2
LINEAR = {
    "mutual_information": "mutual",
    "truth_entropy": "truth",
    "system_entropy": "system",
    "joint_entropy": "joint",
    "missed_information": "missed",
    "false_information": "spurious",
    "erroneous_information": "erroneous",
}
#: metrics in bits that a measure bounds
_BOUNDED = {**LINEAR, "class_false_information": "system", "output_missed_information": "truth"}
#: metrics that are the perplexity of a measure
_PERPLEXITIES = {
    "effective_classes": "truth",
    "remnant_classes": "missed",
    "transfer_factor": "mutual",
    "system_classes": "system",
    "system_remnant_classes": "spurious",
    "truth_divergence_factor": "truth",
    "system_divergence_factor": "system",
}
#: metrics that are a measure over another
RATIOS = {
    "proficiency": ("mutual", "truth"),
    "missed_information_ratio": ("missed", "truth"),
    "false_information_ratio": ("spurious", "truth"),
    "erroneous_information_ratio": ("erroneous", "truth"),
    "information_precision": ("mutual", "system"),
    "nmi_joint": ("mutual", "joint"),
}
_STEADY = 0.05  # relative sd of the denominator up to which a ratio is expanded
_BITS = 1 / np.log(2.0)


class ExactSummary(NamedTuple):
    """Exact mean and sd of a metric, and the upper end of its range."""

    mean: float
    sd: float
    upper: float


def summarize_linear(name: str, moments: EntropyMoments, shape: tuple[int, int]) -> ExactSummary:
    """Summarize a linear metric in bits."""
    measure = LINEAR[name]
    upper = find_upper_end(measure, shape)
    return ExactSummary(moments.mean_of(measure) * _BITS, moments.sd_of(measure) * _BITS, upper * _BITS)


def summarize_ratio(name: str, moments: EntropyMoments, shape: tuple[int, int]) -> ExactSummary | None:
    """Summarize a ratio by expansion to second order; None where its denominator is too uncertain for that.

    With c the relative sd of the denominator, the sd is right to a share of order c² and the mean to a share
    of the sd of order c². Up to c = 0.05 both stayed within 2 % (of the sd) of long runs of draws.
    """
    top, bottom = (MEASURES.index(x) for x in RATIOS[name])
    whole = moments.mean[bottom]
    spread = np.sqrt(moments.covariance[bottom, bottom])
    if whole <= 0 or spread > _STEADY * whole:
        return None
    value = moments.mean[top] / whole
    c = np.zeros(len(MEASURES))
    c[top] += 1.0
    c[bottom] -= value
    covariance = moments.covariance
    mean = value - float(c @ covariance[:, bottom]) / whole**2
    sd = np.sqrt(max(float(c @ covariance @ c), 0.0)) / whole
    bounded = RATIOS[name][0] == "mutual" or name == "missed_information_ratio"
    upper = 1.0 if bounded else find_upper_end(RATIOS[name][0], shape) / float(whole)
    return ExactSummary(float(mean), float(sd), upper)


def find_upper_end(measure: str, shape: tuple[int, int]) -> float:
    """Return the largest value of a measure for a table of this shape, in nats."""
    k, m = np.log(shape)
    ends = {"mutual": min(k, m), "truth": k, "missed": k, "system": m, "spurious": m}
    return float(ends.get(measure, k + m))


_WORTH_SAYING = 0.5  # of an sd
_VISIBLE = 0.001
_AT_THE_END = 0.01  # of an interval's width: a limit as close as that to an end of the range is the end


class Correction(NamedTuple):
    """The value of the sample, the posterior mean, the sd of the draws, and the share of the difference in doubt."""

    sample: float
    mean: float
    sd: float
    doubt: float

    @property
    def is_large(self) -> bool:
        """True if what is in doubt exceeds half an sd, and the difference can be seen."""
        moved = abs(self.sample - self.mean)
        return moved > _VISIBLE and self.doubt * moved > _WORTH_SAYING * self.sd

    def __str__(self) -> str:
        """Say it as part of a sentence."""
        return f"from {100 * self.sample:.1f}% to {100 * self.mean:.1f}%"


def allow_for_correction(
    summary: Summary, sample: Real, doubt: float, ends: tuple[Real | float, Real | float]
) -> Summary:
    """Stretch a summary by what is in doubt, within the ends of its metric.

    The limit on the side where the sample lies at an end of the metric's range is that end: all samples right do not
    speak against a perfect system.

    >>> summary = Summary(0.4, 0.03, 0.34, 0.46)
    >>> print("{:.3f} {:.3f} {:.3f} {:.3f}".format(*allow_for_correction(summary, 0.6, 0.2, (0.0, 1.0))))
    0.400 0.050 0.300 0.500
    """
    unknown = ~np.isfinite(np.stack([np.asarray(part, dtype=float) for part in summary])).all(0)
    mean, sd, low, high = (np.where(unknown, 0.0, part) for part in summary)
    sample = np.asarray(sample, dtype=float)
    moved = doubt * (np.where(np.isfinite(sample), sample, mean) - mean)
    wide = np.hypot(sd, moved)
    stretch = np.divide(wide, sd, out=np.ones_like(wide), where=sd > 0)
    low, high = mean + (low - mean) * stretch, mean + (high - mean) * stretch
    near = _AT_THE_END * (high - low)
    low = np.where((sample <= ends[0]) | (low <= ends[0] + near), ends[0], np.minimum(low, ends[1]))
    high = np.where((sample >= ends[1]) | (high >= ends[1] - near), ends[1], np.maximum(high, ends[0]))
    parts = zip(summary, (mean, sd * stretch, low, high), strict=True)
    return Summary(*(np.where(unknown, kept, new)[()] for kept, new in parts))


def find_ends(entry: Metric, shape: tuple[int, int]) -> tuple[float, float]:
    """Return the range of a metric for tables of this shape: no entropy exceeds the logarithm of the classes."""
    low, high = entry.card.range
    if entry.name in _BOUNDED:
        return low, find_upper_end(_BOUNDED[entry.name], shape) * _BITS
    return low, float(np.exp(find_upper_end(_PERPLEXITIES[entry.name], shape))) if entry.name in _PERPLEXITIES else high
