"""Every distinct score with what lies at or above it, from one sort, and the tables of operating points along it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.native_code import rank_scores
from infoscope.core.numerics import Real, distinct
from infoscope.errors import InputError
from infoscope.studies.operating_points.scores import BinaryScores
from infoscope.tables import Contingency

__all__ = [
    "ScoreRanking",
    "ThresholdTables",
    "area_under_roc",
    "hull_places",
    "partial_area_under_roc",
    "ranked",
    "thinned",
]


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

    def stretches(self) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Hits and alarms a stretch at a time, each with the level before it, which at first is nobody.

        A stretch fits the processor's cache, where a sum over millions of levels takes a fraction of the time.
        """
        for start in range(0, len(self.hits), _STRETCH):
            if start:
                yield self.hits[start - 1 : start + _STRETCH], self.alarms[start - 1 : start + _STRETCH]
            else:
                yield _after_nobody(self.hits[:_STRETCH]), _after_nobody(self.alarms[:_STRETCH])

    def take(self, places: NDArray[np.int64]) -> ScoreRanking:
        """Only these levels."""
        return ScoreRanking(self.thresholds[places], self.hits[places], self.alarms[places], self.positives, self.total)


def _after_nobody(reached: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([np.zeros(1, dtype=reached.dtype), reached])


def ranked(given: BinaryScores) -> ScoreRanking:
    """All distinct thresholds of the rule "positive when score ≥ threshold"."""
    return _ranked_counts(given) if given.weights is None else _ranked_weights(given, given.weights)


def _ranked_counts(given: BinaryScores) -> ScoreRanking:
    """Both classes sorted by themselves and merged: sorting plain numbers is several times faster than their places."""
    found = rank_scores(given.scores, given.is_positive)
    if found is not None:
        return ScoreRanking(*found, float(found.hits[-1]), float(len(given.scores)))
    ours = np.sort(given.scores[given.is_positive])
    merged = np.concatenate([ours, np.sort(given.scores[~given.is_positive])])
    merged.sort(kind="stable")  # two sorted runs: a merge
    starts = _starts(merged)
    thresholds = merged[starts]
    hits = len(ours) - np.searchsorted(ours, thresholds, side="left")
    return ScoreRanking(
        thresholds[::-1].astype(np.float64) + 0.0,  # one zero, not two
        hits[::-1],
        len(merged) - starts[::-1],
        float(len(ours)),
        float(len(merged)),
    )


def _ranked_weights(given: BinaryScores, weights: NDArray[Any]) -> ScoreRanking:
    order = np.argsort(-given.scores, kind="stable")
    scores = given.scores[order] + 0.0
    ends = np.append(_starts(scores)[1:], len(scores)) - 1
    weights, ours = weights[order], given.is_positive[order]
    hits = np.cumsum(weights * ours)[ends]
    misses = np.cumsum(weights * ~ours)[ends]
    few, many = sorted((float(hits[-1]), float(misses[-1])))
    if 0 < few < _LEAST_OF_WEIGHT * many:
        raise InputError(
            f"the samples of one class weigh {many / few:.0e} times those of the other, too much to add them up; "
            "give weights of both that are closer to each other"
        )
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
    doubled = (
        np.sum(np.diff(alarms - hits) * (hits[1:] + hits[:-1]), dtype=np.float64) for hits, alarms in levels.stretches()
    )
    return math.fsum(doubled) / (2.0 * levels.positives * negatives)


def thinned(levels: ScoreRanking, most: int) -> NDArray[np.int64]:
    """Places of at most about ``most`` levels: the corners of the ROC curve's convex hull and an even grid of samples.

    For a fixed truth, information is a convex function of (false alarm rate, hit rate), and expected cost a linear
    one, so their best value over all thresholds lies on a corner of the hull: dropping the rest loses neither.
    """
    count = len(levels.thresholds)
    if count <= most:
        return np.arange(count)
    # over all alarms the curve is only sheared, which moves no corner, and counts stay exact
    is_counted = levels.alarms.dtype.kind in "iu"
    corners = hull_places(levels.alarms if is_counted else levels.false_alarms, levels.hits)
    places = np.linspace(0, levels.total, max(most - len(corners), 2))
    if is_counted:
        places = np.ceil(places).astype(levels.alarms.dtype)  # the same places, without the levels as fractions
    grid = np.minimum(np.searchsorted(levels.alarms, places), count - 1)
    return distinct(grid, corners)


def hull_places(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Places of the corners of the convex hull of a curve that rises in both coordinates, ends included.

    The curve starts at the origin, which is a corner too but no place.
    """
    if float(x[-1]) * float(y[-1]) > _EXACT_PRODUCT:
        x, y = x.astype(np.float64), y.astype(np.float64)
    return distinct(_upper_places(x, y), _upper_places(y, x))


def _upper_places(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Places of the corners above the chord, the last one included.

    Of a long curve, the hull of every 64th point leaves out most of the others unseen.
    """
    if len(x) <= _SHORT:
        return _corners(x, y)
    ends = np.append(np.arange(_BLOCK - 1, len(x) - 1, _BLOCK), len(x) - 1)
    coarse_x, coarse_y = x[ends], y[ends]
    corners = _upper_places(coarse_x, coarse_y)
    blocks = np.flatnonzero(_may_stand_out(coarse_x, coarse_y, corners))
    places = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
    places = places[: np.searchsorted(places, len(x))]
    return places[_corners(x[places], y[places])]


def _may_stand_out(x: NDArray[Any], y: NDArray[Any], corners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which steps of a curve end at a corner of its hull, or may hide a point above it.

    A step leads to a point from the one before; on its way a curve that rises stays below the upper left of the two.
    """
    before_x, before_y = _after_nobody(x[corners]), _after_nobody(y[corners])
    edge = np.searchsorted(corners, np.arange(len(x)))
    run, rise = np.diff(before_x)[edge], np.diff(before_y)[edge]
    height = (y - before_y[edge]) * run - (_after_nobody(x[:-1]) - before_x[edge]) * rise
    stands_out = np.asarray(height > -_rounding(x, y))
    stands_out[corners] = True
    return stands_out


def _outstanding(x: NDArray[Any], y: NDArray[Any], bends: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The ends, and the points above the chord of their neighbours, again and again as long as that leaves out many."""
    before, places = len(x), np.concatenate([[0], np.flatnonzero(bends) + 1, [len(x) - 1]])
    while _FEW < len(places) < _SHRINKING * before:
        before = len(places)
        bends = _bends(np.diff(x[places]), np.diff(y[places]))
        places = places[np.concatenate([[True], bends, [True]])]
    return places


def _bends(dx: NDArray[Any], dy: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether the way falls off between two steps; where sums of weights are rounded, also where it nearly does.

    Of several points in one place the last stays, to be looked at again without the others.
    """
    before, after = dy[:-1] * dx[1:], dx[:-1] * dy[1:]
    falls_off = np.asarray(before > after) if dx.dtype.kind in "iu" else np.asarray(before >= after * (1.0 - 1e-12))
    stays = dx + dy == 0
    return np.where(stays[1:], False, falls_off | stays[:-1]) if stays.any() else falls_off


def _corners(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Places of the corners above the chord, the last one included."""
    x, y = _after_nobody(x), _after_nobody(y)
    return _split(x, y, _outstanding(x, y, _bends(np.diff(x), np.diff(y)))) - 1


def _split(x: NDArray[Any], y: NDArray[Any], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Split the way at its point farthest above the chord, and either part again, until no point is above."""
    corners = [int(places[-1])]
    pending = [(int(places[0]), corners[0], places[1:-1])]
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


_STRETCH = 1 << 15
_LEAST_OF_WEIGHT = 1e-9
"""Negatives are a difference of two sums: below this fraction of the positives they lose precision."""
_SHRINKING, _FEW = 0.9, 100
_SHORT, _BLOCK = 1 << 12, 64
_EXACT_PRODUCT = 2.0**61
"""Up to here the products of counts fit 64 bits."""


def _rounding(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Heights below this are rounding: none for counts, whose products are exact."""
    return 0.0 if x.dtype.kind in "iu" else 1e-12 * float(x[-1] * y[-1] or 1.0)


@dataclass(frozen=True)
class ThresholdTables:
    """Samples by the step at which they get their prediction, (steps, true classes, predictions).

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
        return self.tables_at(np.cumsum(steps, axis=-3))

    def tables_at(self, reached: NDArray[Any], everyone: NDArray[Any] | None = None) -> Contingency:
        """The tables where so many samples have their prediction, (..., true classes, predictions).

        ``everyone`` is the number of samples of each class; by default, those that have a prediction at the last point.
        """
        if everyone is None:
            everyone = reached[..., -1:, :, :].sum(axis=-1)
        values = np.empty((*reached.shape[:-1], self.pattern.shape[1]), dtype=reached.dtype)
        rest = values[..., self.remainder]
        np.subtract(everyone, reached[..., 0] if reached.shape[-1] == 1 else reached.sum(axis=-1), out=rest)
        np.maximum(rest, 0, out=rest)
        for place, column in enumerate(self.predictions):
            values[..., column] = reached[..., place]
        return replace(self.pattern, values=values)

    def merged_to(self, keep: NDArray[np.int64]) -> ThresholdTables:
        """Only these operating points, the last one included: what lay between two belongs to the later."""
        ends = distinct(keep, [self.points - 1])
        starts = np.concatenate([[0], ends[:-1] + 1])
        return replace(self, steps=np.add.reduceat(self.steps, starts, axis=0))

    def counts(self, size: float | None, rng: np.random.Generator) -> NDArray[np.int64]:
        """The steps as whole samples; weights are scaled to their effective size and rounded at random."""
        if self.steps.dtype.kind in "iu":
            return self.steps
        scaled: Real = self.steps * ((size or self.total) / self.total)
        low = np.floor(scaled)
        return (low + (rng.random(scaled.shape) < scaled - low)).astype(np.int64)


def partial_area_under_roc(levels: ScoreRanking, most: float) -> float:
    """The area up to a false alarm rate, on the scale where chance is 0.5 and perfect is 1."""
    negatives = levels.total - levels.positives
    fpr = np.concatenate([[0.0], levels.false_alarms / negatives])
    tpr = np.concatenate([[0.0], levels.hits / levels.positives])
    stop = int(np.searchsorted(fpr, most, side="right"))
    x = np.append(fpr[:stop], most)
    y = np.append(tpr[:stop], np.interp(most, fpr[stop - 1 : stop + 1], tpr[stop - 1 : stop + 1]))
    area = float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)
    least = most**2 / 2
    return 0.5 * (1 + (area - least) / (most - least))
