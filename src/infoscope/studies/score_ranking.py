"""Every distinct score with what lies at or above it, from one sort: areas, averages, and tables along the ranking.

``rank_scores`` makes a ``ScoreRanking`` of a score, or of certainties whose "positives" are wrong predictions. Areas
and averages use all of its levels; ``thin_levels`` picks those that a curve keeps, and ``ThresholdTables`` gives the
table of each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtrit

from infoscope.core import native_code
from infoscope.core.numerics import Real, as_real, distinct, weighted_log2
from infoscope.core.validation import KeywordHints, validated
from infoscope.errors import InputError
from infoscope.posterior.summary import binomial_interval
from infoscope.results.estimate import Estimate
from infoscope.studies.score_arrays import BinaryScores
from infoscope.tables import Contingency

STRETCH = 1 << 15
LEAST_OF_WEIGHT = 1e-9
"""Negatives are a difference of two sums: below this fraction of the positives they lose precision."""
SHRINKING, FEW = 0.9, 100
"""A curve is thinned again as long as that leaves out one point in ten, of more than a hundred."""
SHORT, BLOCK = 1 << 12, 64
"""Longer curves are looked at in blocks of this many points."""
EXACT_PRODUCT = 2.0**61
"""Up to here the products of counts fit 64 bits."""


@dataclass(frozen=True)
class ScoreRanking(KeywordHints):
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
        """Yield hits and alarms a stretch at a time, each with the level before it, which at first is nobody.

        A stretch fits the processor's cache, where a sum over millions of levels takes a fraction of the time.
        """
        for start in range(0, len(self.hits), STRETCH):
            if start:
                yield self.hits[start - 1 : start + STRETCH], self.alarms[start - 1 : start + STRETCH]
            else:
                yield _begin_at_zero(self.hits[:STRETCH]), _begin_at_zero(self.alarms[:STRETCH])

    def take(self, places: NDArray[np.int64]) -> ScoreRanking:
        """Return the ranking at these levels only."""
        return ScoreRanking(self.thresholds[places], self.hits[places], self.alarms[places], self.positives, self.total)


def _begin_at_zero(reached: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([np.zeros(1, dtype=reached.dtype), reached])


def rank_scores(given: BinaryScores) -> ScoreRanking:
    """Find all distinct thresholds of the rule "positive when score ≥ threshold".

    Of counts, each class is sorted by itself and merged: sorting plain numbers is several times faster than their
    places, which weights need.
    """
    if given.weights is None:
        compiled = native_code.rank_scores(given.scores, given.is_positive)
        if compiled is not None:
            return ScoreRanking(*compiled, float(compiled.hits[-1]), float(len(given.scores)))
        positives = np.sort(given.scores[given.is_positive])
        merged = np.concatenate([positives, np.sort(given.scores[~given.is_positive])])
        merged.sort(kind="stable")  # two sorted runs: a merge
        starts = _find_starts(merged)
        thresholds = merged[starts]
        return ScoreRanking(
            thresholds[::-1].astype(np.float64) + 0.0,  # one zero, not two
            (len(positives) - np.searchsorted(positives, thresholds, side="left"))[::-1],
            len(merged) - starts[::-1],
            float(len(positives)),
            float(len(merged)),
        )
    order = np.argsort(-given.scores, kind="stable")
    scores = given.scores[order] + 0.0
    ends = np.append(_find_starts(scores)[1:], len(scores)) - 1
    weights, is_positive = given.weights[order], given.is_positive[order]
    hits = np.cumsum(weights * is_positive)[ends]
    misses = np.cumsum(weights * ~is_positive)[ends]
    few, many = sorted((float(hits[-1]), float(misses[-1])))
    if 0 < few < LEAST_OF_WEIGHT * many:
        raise InputError(
            f"the samples of one class weigh {many / few:.0e} times those of the other, too much to add them up; "
            "give weights of both that are closer to each other"
        )
    return ScoreRanking(
        scores[ends].astype(np.float64), hits, hits + misses, float(hits[-1]), float(hits[-1] + misses[-1])
    )


def _find_starts(ordered: Real) -> NDArray[np.int64]:
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))


# Areas and averages in one number -------------------------------------------------------------------------------------


def area_under_roc(levels: ScoreRanking) -> float:
    """Return the probability that a positive sample scores above a negative one, ties counting half.

    0.5 is chance; below 0.5 the scores point the other way.
    """
    negatives = levels.total - levels.positives
    doubled = (
        np.sum(np.diff(alarms - hits) * (hits[1:] + hits[:-1]), dtype=np.float64) for hits, alarms in levels.stretches()
    )
    return math.fsum(doubled) / (2.0 * levels.positives * negatives)


def estimate_areas(levels: ScoreRanking, sample_size: float | None = None, level: float = 0.95) -> dict[str, Estimate]:
    """Estimate both areas with their intervals, by Student's t on the scale of log odds.

    The variance of the area under the ROC curve is that of DeLong, DeLong & Clarke-Pearson (1988), the one of average
    precision that of Boyd, Eng & Page (2013), by the positives alone. Where all positives score above all negatives
    there is no variance, and the limit is that of as many positives, or negatives if they are fewer, in as many.
    """
    size = levels.total if sample_size is None else sample_size
    positives = levels.positives * size / levels.total
    negatives = size - positives
    hits, misses = np.diff(levels.hits, prepend=0), np.diff(levels.false_alarms, prepend=0)
    missed_below = 1.0 - (levels.false_alarms - misses / 2) / (levels.total - levels.positives)
    hits_above = (levels.hits - hits / 2) / levels.positives
    variance = math.fsum(
        np.average((placed - np.average(placed, weights=weights)) ** 2, weights=weights) / max(count - 1.0, 1.0)
        for placed, weights, count in ((missed_below, hits, positives), (hits_above, misses, negatives))
    )
    precision = area_under_precision_recall(levels)
    areas = {"roc_auc": (area_under_roc(levels), variance)}
    areas["average_precision"] = (precision, precision * (1.0 - precision) / positives)
    few = min(positives, negatives)
    quantile = float(stdtrit(max(few - 1.0, 1.0), (1 + level) / 2))
    estimates = {}
    for name, (area, squared) in areas.items():
        if 0.0 < area < 1.0:
            reach = quantile * math.sqrt(squared) / (area * (1.0 - area))
            low, high = (float(limit) for limit in expit(logit(area) + np.array([-reach, reach])))
        else:
            low, high = (float(limit) for limit in binomial_interval(np.array(area * few), np.array(few), level))
        estimates[name] = Estimate(area, sd=math.sqrt(squared), low=low, high=high)
    return estimates


def partial_area_under_roc(levels: ScoreRanking, max_fpr: float) -> float:
    """Return the area up to a false alarm rate, on the scale where chance is 0.5 and perfect is 1."""
    negatives = levels.total - levels.positives
    fpr = np.concatenate([[0.0], levels.false_alarms / negatives])
    tpr = np.concatenate([[0.0], levels.hits / levels.positives])
    stop = int(np.searchsorted(fpr, max_fpr, side="right"))
    x = np.append(fpr[:stop], max_fpr)
    y = np.append(tpr[:stop], np.interp(max_fpr, fpr[stop - 1 : stop + 1], tpr[stop - 1 : stop + 1]))
    area = float(np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2)
    least = max_fpr**2 / 2
    return 0.5 * (1 + (area - least) / (max_fpr - least))


def area_under_precision_recall(levels: ScoreRanking) -> float:
    """Return the precision averaged over the positives as they are found: the area under the steps of the curve."""
    pieces = (np.sum(np.diff(hits) * (hits[1:] / alarms[1:])) for hits, alarms in levels.stretches())
    return math.fsum(pieces) / levels.positives


def risk_coverage_area(certainties: ScoreRanking) -> float:
    """Return the error among the accepted samples, averaged over the thresholds that the certainties set (AURC).

    ``certainties`` ranks the samples, its "positives" being the wrong predictions. Lower is better; always
    answering at random order gives the error rate.
    """
    widths = np.diff(certainties.alarms, prepend=0)
    return float(np.sum(widths * (certainties.hits / certainties.alarms)) / certainties.total)


def error_reject_area(certainties: ScoreRanking) -> float:
    """Return the area under the error among all samples against the share rejected; lower is better."""
    rejected = 1 - np.concatenate([[0], certainties.alarms]) / certainties.total
    error = np.concatenate([[0], certainties.hits]) / certainties.total
    return float(np.trapezoid(error[::-1], rejected[::-1]))


@validated()
def average_information(levels: ScoreRanking) -> float:
    """Return the bits captured on average over the thresholds that the samples' own scores set.

    Each distinct score s is a threshold, weighted by its share of samples; "score ≥ s" and "score > s" count half each,
    so that negating all scores changes nothing.

    Parameters
    ----------
    levels : ScoreRanking
        Distinct scores from the highest down, with the positives and the samples at or above each.

    Returns
    -------
    float
        Bits per sample.

    Examples
    --------
    >>> perfect = ScoreRanking(np.array([0.9, 0.1]), np.array([5, 5]), np.array([5, 10]), 5.0, 10.0)
    >>> print(f"{average_information(perfect):.3f}")
    0.500
    """
    return average_informations(levels)[0]


@validated()
def normalized_average_information(levels: ScoreRanking) -> float:
    """Divide the average information by that of a perfect ranker with as many samples at each level.

    Parameters
    ----------
    levels : ScoreRanking
        Distinct scores from the highest down, with the positives and the samples at or above each.

    Returns
    -------
    float
        0 is chance in the long run, 1 is perfect. NaN where even a perfect ranker says nothing: all scores are equal.

    Examples
    --------
    >>> perfect = ScoreRanking(np.array([0.9, 0.1]), np.array([5, 5]), np.array([5, 10]), 5.0, 10.0)
    >>> normalized_average_information(perfect)
    1.0
    """
    return average_informations(levels)[1]


def average_informations(levels: ScoreRanking) -> tuple[float, float]:
    """Return the average information, as it is and normalized by that of a perfect ranking with the same levels.

    Trapezoids over the share of samples at or above the threshold; the information is 0 at both ends. Of a perfect
    ranking either all alarms are hits or all positives are: two cells of four are a margin or nothing.
    """
    positives, total = levels.positives, levels.total
    negatives = total - positives
    truth = _xlogx(positives) + _xlogx(negatives) - _xlogx(total)
    pieces = []
    for counted_hits, counted_alarms in levels.stretches():
        # differences of rounded sums may lie below 0
        weighted = weighted_log2 if counted_alarms.dtype.kind in "iu" else _xlogx
        hits, alarms = as_real(counted_hits), as_real(counted_alarms)
        accepted, rejected = weighted_log2(alarms), weighted(total - alarms)
        false_alarms = alarms - hits
        captured = weighted_log2(hits)
        for cell in (positives - hits, false_alarms, negatives - false_alarms):
            captured += weighted(cell)
        captured -= accepted
        captured -= rejected
        best = np.where(alarms <= positives, _xlogx(negatives) - rejected, _xlogx(positives) - accepted)
        best += weighted_log2(np.abs(alarms - positives))
        for sums in (captured, best):  # in place: fresh memory costs as much as the sums
            np.subtract(sums, truth, out=sums)
            np.divide(sums, total, out=sums)
            np.maximum(sums, 0.0, out=sums)
        pieces.append([np.trapezoid(bits, counted_alarms) for bits in (captured, best)])
    information, highest = (math.fsum(areas) / total for areas in zip(*pieces, strict=True))
    return information, information / highest if highest > 0 else float("nan")


@validated()
def average_accuracy(levels: ScoreRanking) -> float:
    """Average the accuracy over the same thresholds as the average information, with the same weights.

    Parameters
    ----------
    levels : ScoreRanking
        Distinct scores from the highest down, with the positives and the samples at or above each.

    Returns
    -------
    float
        A share of the samples, from 0 to 1.

    Examples
    --------
    >>> perfect = ScoreRanking(np.array([0.9, 0.1]), np.array([5, 5]), np.array([5, 10]), 5.0, 10.0)
    >>> print(average_accuracy(perfect))
    0.75
    """
    negatives = levels.total - levels.positives
    right = (np.trapezoid(2 * hits + negatives - alarms, alarms) for hits, alarms in levels.stretches())
    return math.fsum(right) / levels.total**2


def _xlogx(x: Any) -> Real:
    return weighted_log2(np.maximum(x, 0.0))


def average_rejections(
    truth: NDArray[np.int64], predicted: NDArray[np.int64], certainty: Real, weights: Real | None
) -> dict[str, float]:
    """Average information and accuracy over the share accepted, from the most confident sample to all.

    A rejection is one more prediction. The normalized average is over what the same thresholds give where every
    accepted prediction is right.
    """
    order = np.argsort(-certainty, kind="stable")
    weights = np.ones(len(order)) if weights is None else weights[order]
    truth, predicted = truth[order], predicted[order]
    ends = np.append(np.flatnonzero(np.diff(certainty[order])), len(order) - 1)
    reached = np.cumsum(weights)
    accepted = np.concatenate([[0.0], reached[ends] / reached[-1]])
    captured, best = (
        float(np.trapezoid(np.concatenate([[0.0], _accumulate_information(truth, output, weights)[ends]]), accepted))
        for output in (predicted, truth)
    )
    right = np.concatenate([[0.0], np.cumsum(weights * (truth == predicted))[ends] / reached[-1]])
    return {
        "average_information": captured,
        "normalized_average_information": captured / best if best > 0 else float("nan"),
        "average_accuracy": float(np.trapezoid(right, accepted)),
    }


def _accumulate_information(truth: NDArray[np.int64], predicted: NDArray[np.int64], weights: Real) -> Real:
    """Return I(T;S) in bits after each sample that is accepted, the others being rejected.

    One sample changes one cell, one column, and what is left of its class among the rejected, so that sums of x·log x
    over the table are running sums over the samples.
    """
    total = float(weights.sum())
    classes = int(max(truth.max(), predicted.max())) + 1
    sizes = as_real(np.bincount(truth, weights, minlength=classes))

    def grow(groups: NDArray[np.int64]) -> Real:
        reached = _accumulate_by_group(groups, weights)
        return np.cumsum(_xlogx(reached) - _xlogx(np.maximum(reached - weights, 0.0)))

    cells, columns = grow(truth * classes + predicted), grow(predicted)
    remainder = np.maximum(sizes[truth] - _accumulate_by_group(truth, weights), 0.0)
    left = _xlogx(sizes).sum() + np.cumsum(_xlogx(remainder) - _xlogx(remainder + weights))
    rejected = _xlogx(np.maximum(total - np.cumsum(weights), 0.0))
    truth_bits = _xlogx(np.array(total)) - _xlogx(sizes).sum()
    return np.maximum((cells + left - columns - rejected + truth_bits) / total, 0.0)


def _accumulate_by_group(groups: NDArray[np.int64], weights: Real) -> Real:
    """Return the summed weight of each sample's group up to the sample, itself included."""
    order = np.argsort(groups, kind="stable")
    summed = np.cumsum(weights[order])
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    before = (summed - weights[order])[starts]
    reached = np.empty_like(summed)
    reached[order] = summed - np.repeat(before, np.diff(starts, append=len(groups)))
    return reached


# Which levels a curve keeps -------------------------------------------------------------------------------------------


def thin_levels(levels: ScoreRanking, most: int) -> NDArray[np.int64]:
    """Choose at most about ``most`` levels: the corners of the ROC curve's convex hull and an even grid of samples.

    For a fixed truth, information is a convex function of (false alarm rate, hit rate), and expected cost a linear
    one, so their best value over all thresholds lies on a corner of the hull: dropping the rest loses neither.
    """
    count = len(levels.thresholds)
    if count <= most:
        return np.arange(count)
    # over all alarms the curve is only sheared, which moves no corner, and counts stay exact
    is_counted = levels.alarms.dtype.kind in "iu"
    corners = find_hull(levels.alarms if is_counted else levels.false_alarms, levels.hits)
    places = np.linspace(0, levels.total, max(most - len(corners), 2))
    if is_counted:
        places = np.ceil(places).astype(levels.alarms.dtype)  # the same places, without the levels as fractions
    grid = np.minimum(np.searchsorted(levels.alarms, places), count - 1)
    return distinct(grid, corners)


def find_hull(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Find the corners of the convex hull of a curve that rises in both coordinates, ends included.

    The curve starts at the origin, which is a corner too but no place.
    """
    if float(x[-1]) * float(y[-1]) > EXACT_PRODUCT:
        x, y = x.astype(np.float64), y.astype(np.float64)
    return distinct(_find_upper_corners(x, y), _find_upper_corners(y, x))


def _find_upper_corners(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Return the places of the corners above the chord, the last one included.

    Of a long curve, the hull of every 64th point leaves out most of the others unseen.
    """
    if len(x) <= SHORT:
        return _split_at_corners(x, y)
    ends = np.append(np.arange(BLOCK - 1, len(x) - 1, BLOCK), len(x) - 1)
    coarse_x, coarse_y = x[ends], y[ends]
    corners = _find_upper_corners(coarse_x, coarse_y)
    # a step leads to a coarse point from the one before; on its way a curve that rises stays below the upper left of
    # the two, so that a step hides a corner only where that lies above the hull
    before_x, before_y = _begin_at_zero(coarse_x[corners]), _begin_at_zero(coarse_y[corners])
    edge = np.searchsorted(corners, np.arange(len(coarse_x)))
    run, rise = np.diff(before_x)[edge], np.diff(before_y)[edge]
    height = (coarse_y - before_y[edge]) * run - (_begin_at_zero(coarse_x[:-1]) - before_x[edge]) * rise
    may_hide = np.asarray(height > -_get_rounding(coarse_x, coarse_y))
    may_hide[corners] = True
    places = (np.flatnonzero(may_hide)[:, None] * BLOCK + np.arange(BLOCK)).ravel()
    places = places[: np.searchsorted(places, len(x))]
    return places[_split_at_corners(x[places], y[places])]


def _split_at_corners(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Split the curve at its point farthest above the chord, and either part again, until no point is above.

    Before that, points below the chord of their neighbours are left out, again and again while that leaves out many.
    """
    x, y = _begin_at_zero(x), _begin_at_zero(y)
    bends = _find_bends(np.diff(x), np.diff(y))
    before, places = len(x), np.concatenate([[0], np.flatnonzero(bends) + 1, [len(x) - 1]])
    while FEW < len(places) < SHRINKING * before:
        before = len(places)
        bends = _find_bends(np.diff(x[places]), np.diff(y[places]))
        places = places[np.concatenate([[True], bends, [True]])]
    corners = [int(places[-1])]
    pending = [(int(places[0]), corners[0], places[1:-1])]
    least = _get_rounding(x, y)
    while pending:
        start, end, between = pending.pop()
        height = (y[between] - y[start]) * (x[end] - x[start]) - (x[between] - x[start]) * (y[end] - y[start])
        if not len(height) or height.max() <= least:
            continue
        top = int(between[np.argmax(height)])
        above = between[height > least]
        corners.append(top)
        pending += [(start, top, above[above < top]), (top, end, above[above > top])]
    return np.array(sorted(corners), dtype=np.int64) - 1


def _find_bends(dx: NDArray[Any], dy: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether the way falls off between two steps; where sums of weights are rounded, also where it nearly does.

    Of several points in one place the last stays, to be looked at again without the others.
    """
    before, after = dy[:-1] * dx[1:], dx[:-1] * dy[1:]
    falls_off = np.asarray(before > after) if dx.dtype.kind in "iu" else np.asarray(before >= after * (1.0 - 1e-12))
    stays = dx + dy == 0
    return np.where(stays[1:], False, falls_off | stays[:-1]) if stays.any() else falls_off


def _get_rounding(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the height below which a point is above the chord by rounding: 0 for counts, whose products are exact."""
    return 0.0 if x.dtype.kind in "iu" else 1e-12 * float(x[-1] * y[-1] or 1.0)


# Tables along a curve -------------------------------------------------------------------------------------------------


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
        """Number of operating points."""
        return int(self.steps.shape[-3])

    @property
    def total(self) -> float:
        """Samples, or summed weight."""
        return float(self.steps.sum())

    def tables(self) -> Contingency:
        """Return the batch of tables, one per operating point."""
        return self.tables_at(np.cumsum(self.steps, axis=-3))

    def tables_at(self, reached: NDArray[Any], everyone: NDArray[Any] | None = None) -> Contingency:
        """Return the tables where so many samples have their prediction, (..., true classes, predictions).

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
