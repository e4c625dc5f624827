"""How far a belief moves a value away from the sample's, and the doubt that this leaves.

In few samples the information looks too high, and rare classes look better or worse than they are. The tree corrects
that by what it learns of the whole table. The correction is a model's, so a share of it counts as one further sd:
limits and sd are stretched about the mean by √(1 + (τD/sd)²), with D the sample's value less the posterior mean. D
falls like 1/n and the sd like 1/√n, so nothing happens where data suffice.
"""

from typing import NamedTuple

import numpy as np

from infoscope.metrics.registry import Metric
from infoscope.numeric import Real
from infoscope.posterior.measures import LINEAR, upper_end
from infoscope.posterior.summary import Summary

__all__ = ["Correction", "allowing_for", "ends_of"]

_WORTH_SAYING = 0.5  # of an sd
_VISIBLE = 0.001
_AT_THE_END = 0.01  # of an interval's width: a limit as close as that to an end of the range is the end
_BITS = 1 / np.log(2.0)


class Correction(NamedTuple):
    """The value of the sample, the posterior mean, the sd of the draws, and the share of the difference in doubt."""

    sample: float
    mean: float
    sd: float
    doubt: float

    @property
    def is_large(self) -> bool:
        """Whether what is in doubt exceeds half an sd, and the difference can be seen."""
        moved = abs(self.sample - self.mean)
        return moved > _VISIBLE and self.doubt * moved > _WORTH_SAYING * self.sd

    def __str__(self) -> str:
        """As part of a sentence."""
        return f"from {100 * self.sample:.1f}% to {100 * self.mean:.1f}%"


def allowing_for(
    found: Summary, sample: Real, doubt: float, ends: tuple[Real | float, Real | float], least_sd: Real | float = 0.0
) -> Summary:
    """A summary stretched by what is in doubt, within the ends of its metric.

    The limit on the side where the sample lies at an end of the metric's range is that end: all samples right do not
    speak against a perfect system. ``least_sd`` is an sd that the stretched one does not fall below.

    >>> found = Summary(0.4, 0.03, 0.34, 0.46)
    >>> print("{:.3f} {:.3f} {:.3f} {:.3f}".format(*allowing_for(found, 0.6, 0.2, (0.0, 1.0))))
    0.400 0.050 0.300 0.500
    """
    unknown = ~np.isfinite(np.stack([np.asarray(part, dtype=float) for part in found])).all(0)
    mean, sd, low, high = (np.where(unknown, 0.0, part) for part in found)
    sample = np.asarray(sample, dtype=float)
    moved = doubt * (np.where(np.isfinite(sample), sample, mean) - mean)
    wide = np.maximum(np.hypot(sd, moved), least_sd)
    stretch = np.divide(wide, sd, out=np.ones_like(wide), where=sd > 0)
    low, high = mean + (low - mean) * stretch, mean + (high - mean) * stretch
    near = _AT_THE_END * (high - low)
    low = np.where((sample <= ends[0]) | (low <= ends[0] + near), ends[0], np.minimum(low, ends[1]))
    high = np.where((sample >= ends[1]) | (high >= ends[1] - near), ends[1], np.maximum(high, ends[0]))
    parts = zip(found, (mean, sd * stretch, low, high), strict=True)
    return Summary(*(np.where(unknown, kept, new)[()] for kept, new in parts))


def ends_of(entry: Metric, shape: tuple[int, int]) -> tuple[float, float]:
    """The range of a metric for tables of this shape."""
    low, high = entry.card.range
    return low, upper_end(LINEAR[entry.name], shape) * _BITS if entry.name in LINEAR else high
