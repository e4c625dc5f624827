"""Every distinct score with what lies at or above it, from one sort, and the tables of operating points along it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real
from infoscope.operating_points.scores import BinaryScores
from infoscope.tables import Contingency

__all__ = ["ScoreRanking", "ThresholdTables", "area_under_roc", "hull_places", "ranked", "thinned"]


@dataclass(frozen=True)
class ScoreRanking:
    """Distinct scores from the highest down, and the samples at or above each: counts, or sums of weights."""

    thresholds: Real
    hits: NDArray[Any]
    alarms: NDArray[Any]
    positives: float
    total: float

    @property
    def false_alarms(self) -> NDArray[Any]:
        """Negatives at or above each threshold."""
        return self.alarms - self.hits

    def take(self, places: NDArray[np.int64]) -> ScoreRanking:
        """Only these levels."""
        return ScoreRanking(self.thresholds[places], self.hits[places], self.alarms[places], self.positives, self.total)


def ranked(given: BinaryScores) -> ScoreRanking:
    """All distinct thresholds of the rule "positive when score ≥ threshold"."""
    return _ranked_counts(given) if given.weights is None else _ranked_weights(given, given.weights)


def _ranked_counts(given: BinaryScores) -> ScoreRanking:
    """Both classes sorted by themselves and merged: sorting plain numbers is several times faster than their places."""
    ours = np.sort(given.scores[given.is_positive])
    merged = np.concatenate([ours, np.sort(given.scores[~given.is_positive])])
    merged.sort(kind="stable")  # two sorted runs: a merge
    starts = _starts(merged)
    thresholds = merged[starts]
    hits = len(ours) - np.searchsorted(ours, thresholds, side="left")
    return ScoreRanking(
        thresholds[::-1].astype(np.float64),
        hits[::-1],
        len(merged) - starts[::-1],
        float(len(ours)),
        float(len(merged)),
    )


def _ranked_weights(given: BinaryScores, weights: NDArray[Any]) -> ScoreRanking:
    order = np.argsort(-given.scores, kind="stable")
    scores = given.scores[order]
    ends = np.append(_starts(scores)[1:], len(scores)) - 1
    weights, ours = weights[order], given.is_positive[order]
    hits = np.cumsum(weights * ours)[ends]
    misses = np.cumsum(weights * ~ours)[ends]
    return ScoreRanking(
        scores[ends].astype(np.float64), hits, hits + misses, float(hits[-1]), float(hits[-1] + misses[-1])
    )


def _starts(ordered: Real) -> NDArray[np.int64]:
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))


def area_under_roc(levels: ScoreRanking) -> float:
    """Probability that a positive sample scores above a negative one, ties counting half.

    0.5 is chance; below 0.5 the scores point the other way.
    """
    negatives = levels.total - levels.positives
    hits = np.concatenate([[0], levels.hits])
    alarms = np.concatenate([[0], levels.false_alarms])
    doubled = np.sum(np.diff(alarms) * (hits[1:] + hits[:-1]), dtype=np.float64)
    return float(doubled / (2.0 * levels.positives * negatives))


def thinned(levels: ScoreRanking, most: int) -> NDArray[np.int64]:
    """Places of at most about ``most`` levels: the corners of the ROC curve's convex hull and an even grid of samples.

    For a fixed truth, information is a convex function of (false alarm rate, hit rate), and expected cost a linear
    one, so their best value over all thresholds lies on a corner of the hull: dropping the rest loses neither.
    """
    count = len(levels.thresholds)
    if count <= most:
        return np.arange(count)
    corners = hull_places(levels.false_alarms, levels.hits)
    places = np.linspace(0, levels.total, max(most - len(corners), 2))
    grid = np.minimum(np.searchsorted(levels.alarms, places), count - 1)
    return np.union1d(grid, corners)


def hull_places(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Places of the corners of the convex hull of a curve that rises in both coordinates, ends included.

    The curve starts at the origin, which is a corner too but no place.
    """
    if float(x[-1]) * float(y[-1]) > _EXACT_PRODUCT:
        x, y = x.astype(np.float64), y.astype(np.float64)
    upper = _corners(x, y)
    lower = _corners(y, x)
    return np.union1d(upper, lower)


def _corners(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Corners above the chord, found in stretches that fit the cache: first of a coarse grid, then between its corners.

    A corner of the coarse hull need not be one of the whole, but every corner of the whole is found between two
    of them; a last round over the few places found leaves the true ones.
    """
    ends = np.array([-1, len(x) - 1])
    x, y = np.append(x, 0), np.append(y, 0)  # place -1 is the origin
    if ends[-1] > _STRETCH:
        coarse = _split(x, y, ends, np.arange(0, ends[-1], _STRETCH))
        found = _split(x, y, np.concatenate([ends[:1], coarse]), None)
        return _split(x, y, ends, found[:-1])
    return _split(x, y, ends, None)


def _split(
    x: NDArray[Any], y: NDArray[Any], ends: NDArray[np.int64], inside: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """Split every stretch at its point farthest above the chord, until no point is above."""
    corners = ends[1:].tolist()
    pending = [
        (start, end, np.arange(start + 1, end) if inside is None else inside[(inside > start) & (inside < end)])
        for start, end in zip(ends[:-1].tolist(), corners, strict=True)
    ]
    least = _rounding(x, y)
    while pending:
        start, end, between = pending.pop()
        height = (y[between] - y[start]) * (x[end] - x[start]) - (x[between] - x[start]) * (y[end] - y[start])
        if not len(height) or height.max() <= least:
            continue
        top = int(between[np.argmax(height)])
        above = between[height > least]
        corners.append(top)
        pending += [(start, top, above[above < top]), (top, end, above[above > top])]
    return np.array(sorted(corners), dtype=np.int64)


_STRETCH = 1 << 12
_EXACT_PRODUCT = 2.0**61
"""Up to here the products of counts fit 64 bits."""


def _rounding(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Heights below this are rounding: none for counts, whose products are exact."""
    return 0.0 if x.dtype.kind in "iu" else 1e-12 * float(x[-2] * y[-2] or 1.0)


@dataclass(frozen=True)
class ThresholdTables:
    """Samples by the step at which they get their prediction, (steps, truth classes, predictions).

    Before its step a sample stands in the remainder column: "negative" for a threshold, the reject label for a
    rejection. Each step only adds predictions, so the tables of all operating points are one running sum.
    """

    steps: NDArray[Any]
    predictions: tuple[int, ...]
    remainder: int
    pattern: Contingency
    """A table with the labels of all: its numbers do not matter."""

    @property
    def points(self) -> int:
        """How many operating points there are."""
        return int(self.steps.shape[-3])

    @property
    def total(self) -> float:
        """Samples, or summed weight."""
        return float(self.steps.sum())

    def tables(self) -> Contingency:
        """The batch of tables, one per operating point."""
        return self.tables_of(self.steps)

    def tables_of(self, steps: NDArray[Any]) -> Contingency:
        """The tables that other samples on the same ladder give; leading axes are carried along."""
        reached = np.cumsum(steps, axis=-3)
        values = np.empty((*reached.shape[:-1], self.pattern.shape[1]), dtype=reached.dtype)
        values[..., list(self.predictions)] = reached
        everyone = reached[..., -1:, :, :].sum(axis=-1)
        values[..., self.remainder] = np.maximum(everyone - reached.sum(axis=-1), 0)
        return replace(self.pattern, values=values)

    def merged_to(self, keep: NDArray[np.int64]) -> ThresholdTables:
        """Only these operating points, the last one included: what lay between two belongs to the later."""
        ends = np.union1d(keep, [self.points - 1])
        starts = np.concatenate([[0], ends[:-1] + 1])
        return replace(self, steps=np.add.reduceat(self.steps, starts, axis=0))

    def counts(self, size: float | None, rng: np.random.Generator) -> NDArray[np.int64]:
        """The steps as whole samples; weights are scaled to their effective size and rounded at random."""
        if self.steps.dtype.kind in "iu":
            return self.steps
        scaled: Real = self.steps * ((size or self.total) / self.total)
        low = np.floor(scaled)
        return (low + (rng.random(scaled.shape) < scaled - low)).astype(np.int64)
