"""Reliability: how often samples of a score are positive, bin by bin, beside what the score says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from infoscope.core.numerics import Real, distinct
from infoscope.errors import InputError
from infoscope.results.estimate import Estimate
from infoscope.studies.operating_points.ranking import ScoreRanking

__all__ = ["Binning", "ReliabilityBin", "are_probabilities", "reliability_bins"]

Binning = Literal["variance", "quantile", "uniform"]
MAX_BINS = 10


@dataclass(frozen=True)
class ReliabilityBin:
    """Samples of neighbouring scores: their mean score, and the share of them that is positive."""

    low: float
    """The lowest score in it."""
    high: float
    score: float
    rate: Estimate
    """Share of positives, with Jeffreys' interval."""
    samples: float
    positives: float


def are_probabilities(levels: ScoreRanking) -> bool:
    """Whether all scores lie between 0 and 1."""
    return bool(len(levels.thresholds)) and bool(levels.thresholds[-1] >= 0 and levels.thresholds[0] <= 1)


def reliability_bins(
    levels: ScoreRanking,
    *,
    bins: int = MAX_BINS,
    strategy: Binning = "variance",
    level: float = 0.95,
    sample_size: float | None = None,
) -> tuple[ReliabilityBin, ...]:
    """Bins in which the share of positives is about equally well known, by default.

    "variance" cuts where the summed score · (1 − score) is the same in each bin, so that rare positives are not all in
    the last one; "quantile" gives each bin as many samples, "uniform" the same width, as scikit-learn cuts them. Equal
    scores stay together, and empty bins are left out. ``sample_size`` is what weighted samples are worth.
    """
    if bins < 1 or strategy not in get_args(Binning):
        names = ", ".join(map(repr, get_args(Binning)))
        raise InputError(f"reliability takes one bin or more, by one of {names}, not {bins} by {strategy!r}")
    if not are_probabilities(levels):
        raise InputError("reliability needs probabilities, and scores lie below 0 or above 1; calibrate them first")
    scores = levels.thresholds[::-1]
    samples, positives = (np.diff(side, prepend=0)[::-1].astype(float) for side in (levels.alarms, levels.hits))
    at = _placed(scores, samples, bins, strategy)
    worth = 1.0 if sample_size is None else sample_size / levels.total
    found = []
    for place in distinct(at):
        mine = np.flatnonzero(at == place)
        size, hits = float(samples[mine].sum()), float(positives[mine].sum())
        if size > 0:
            mean = float(np.average(scores[mine], weights=samples[mine]))
            ends = float(scores[mine[0]]), float(scores[mine[-1]])
            found.append(ReliabilityBin(*ends, mean, _rate(hits, size, worth, level), size, hits))
    return tuple(found)


def _placed(scores: Real, samples: Real, bins: int, strategy: Binning) -> NDArray[np.int64]:
    """The bin of each distinct score."""
    variance = samples * scores * (1.0 - scores)
    if strategy == "variance" and variance.sum() > 0:
        middle = (np.cumsum(variance) - variance / 2.0) / variance.sum()
        return np.minimum((bins * middle).astype(np.int64), bins - 1)
    edges = np.linspace(0.0, 1.0, bins + 1) if strategy == "uniform" else _quantiles(scores, samples, bins)
    return np.searchsorted(edges[1:-1], scores)


def _quantiles(scores: Real, samples: Real, bins: int) -> NDArray[np.float64]:
    """Linear quantiles of the samples, from distinct scores and how often each occurs."""
    ends = np.cumsum(samples)
    places = np.linspace(0.0, 1.0, bins + 1) * max(ends[-1] - 1.0, 0.0)
    whole = np.floor(places)
    below, above = (
        scores[np.minimum(np.searchsorted(ends, place, side="right"), len(scores) - 1)]
        for place in (whole, np.ceil(places))
    )
    return np.asarray(below + (above - below) * (places - whole), dtype=np.float64)


def _rate(hits: float, size: float, worth: float, level: float) -> Estimate:
    a, b = hits * worth + 0.5, (size - hits) * worth + 0.5
    tail = (1.0 - level) / 2.0
    low = 0.0 if hits == 0 else float(betaincinv(a, b, tail))
    high = 1.0 if hits == size else float(betaincinv(a, b, 1.0 - tail))
    return Estimate(hits / size, low=low, high=high)
