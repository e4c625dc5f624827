"""What scores or certainties are worth over all their operating points: average information and average accuracy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, as_real, weighted_log2
from infoscope.studies.operating_points.ranking import ScoreRanking
from infoscope.studies.operating_points.rejection import Decisions
from infoscope.studies.operating_points.scores import Probabilities

__all__ = [
    "average_accuracy",
    "average_information",
    "information_averages",
    "normalized_average_information",
    "rejection_averages",
]


def average_information(levels: ScoreRanking) -> float:
    """Bits captured on average over the thresholds that the samples' own scores set.

        Each distinct score s is a threshold, weighted by its share of samples; "score ≥ s" and "score > s" count
        half each, so that negating all scores changes nothing.

        >>> perfect = ScoreRanking(np.array([0.9, 0.1]), np.array([5, 5]), np.array([5, 10]), 5.0, 10.0)
    >>> print(f"{average_information(perfect):.3f}")
    0.500
    """
    return _mean_information(levels)[0]


def normalized_average_information(levels: ScoreRanking) -> float:
    """Average information over that of a perfect ranker with as many samples at each level and as many positives.

    0 is chance in the long run, 1 is perfect. NaN where even a perfect ranker says nothing: all scores are equal.
    """
    return information_averages(levels)[1]


def information_averages(levels: ScoreRanking) -> tuple[float, float]:
    """The average information, as it is and normalized, in one go."""
    found, best = _mean_information(levels)
    return found, found / best if best > 0 else float("nan")


def average_accuracy(levels: ScoreRanking) -> float:
    """Accuracy averaged over the same thresholds as the average information, with the same weights.

    >>> perfect = ScoreRanking(np.array([0.9, 0.1]), np.array([5, 5]), np.array([5, 10]), 5.0, 10.0)
    >>> print(average_accuracy(perfect))
    0.75
    """
    negatives = levels.total - levels.positives
    right = (np.trapezoid(2 * hits + negatives - alarms, alarms) for hits, alarms in levels.stretches())
    return math.fsum(right) / levels.total**2


def _mean_information(levels: ScoreRanking) -> tuple[float, float]:
    """Mean information of the ranking and of a perfect one with the same levels.

    Trapezoids over the share of samples at or above the threshold; the information is 0 at both ends.
    """
    pieces = [
        [np.trapezoid(bits, alarms) for bits in _information(hits, alarms, levels.positives, levels.total)]
        for hits, alarms in levels.stretches()
    ]
    found, best = (math.fsum(each) / levels.total for each in zip(*pieces, strict=True))
    return found, best


def _information(hits: NDArray[Any], alarms: NDArray[Any], positives: float, total: float) -> tuple[Real, Real]:
    """I(T;S) in bits of the table with these hits and alarms, and the most it can be with these alarms.

    At best either all alarms are hits or all positives are: two cells of four are a margin or nothing.
    """
    negatives = total - positives
    weighted = weighted_log2 if alarms.dtype.kind in "iu" else _xlogx  # differences of rounded sums may lie below 0
    hits, alarms = as_real(hits), as_real(alarms)
    accepted, rejected = weighted_log2(alarms), weighted(total - alarms)
    truth = _xlogx(positives) + _xlogx(negatives) - _xlogx(total)
    false_alarms = alarms - hits
    found = weighted_log2(hits)
    for others in (positives - hits, false_alarms, negatives - false_alarms):
        found += weighted(others)
    found -= accepted
    found -= rejected
    best = np.where(alarms <= positives, _xlogx(negatives) - rejected, _xlogx(positives) - accepted)
    best += weighted_log2(np.abs(alarms - positives))
    return _bits_per_sample(found, truth, total), _bits_per_sample(best, truth, total)


def _bits_per_sample(sums: Real, truth: Real, total: float) -> Real:
    """In place: fresh memory costs as much as the sums."""
    sums -= truth
    sums /= total
    return np.maximum(sums, 0.0, out=sums)


def _xlogx(x: Any) -> Real:
    return weighted_log2(np.maximum(x, 0.0))


def rejection_averages(given: Probabilities, decisions: Decisions) -> dict[str, float]:
    """Information and accuracy averaged over the share accepted, from the most confident sample to all.

    A rejection is one more prediction. The normalized average is over what the same thresholds give where every
    accepted prediction is right.
    """
    order = np.argsort(-decisions.certainty, kind="stable")
    weights = np.ones(len(order)) if given.weights is None else given.weights[order]
    truth, predicted = given.truth[order], decisions.predicted[order]
    ends = np.append(np.flatnonzero(np.diff(decisions.certainty[order])), len(order) - 1)
    reached = np.cumsum(weights)
    accepted = np.concatenate([[0.0], reached[ends] / reached[-1]])
    captured, best = (
        float(np.trapezoid(np.concatenate([[0.0], _captured(truth, said, weights)[ends]]), accepted))
        for said in (predicted, truth)
    )
    right = np.concatenate([[0.0], np.cumsum(weights * (truth == predicted))[ends] / reached[-1]])
    return {
        "average_information": captured,
        "normalized_average_information": captured / best if best > 0 else float("nan"),
        "average_accuracy": float(np.trapezoid(right, accepted)),
    }


def _captured(truth: NDArray[np.int64], predicted: NDArray[np.int64], weights: Real) -> Real:
    """I(T;S) in bits after each sample that is accepted, the others being rejected.

    One sample changes one cell, one column, and what is left of its class among the rejected, so that sums of x·log x
    over the table are running sums over the samples.
    """
    total = float(weights.sum())
    classes = int(max(truth.max(), predicted.max())) + 1
    sizes = as_real(np.bincount(truth, weights, minlength=classes))
    cells = _grown(truth * classes + predicted, weights)
    columns = _grown(predicted, weights)
    left = _shrunk(truth, weights, sizes)
    rejected = _xlogx(np.maximum(total - np.cumsum(weights), 0.0))
    whole = _xlogx(np.array(total)) - _xlogx(sizes).sum()
    return np.maximum((cells + left - columns - rejected + whole) / total, 0.0)


def _running(groups: NDArray[np.int64], weights: Real) -> Real:
    """Summed weight of each sample's group up to the sample, itself included."""
    order = np.argsort(groups, kind="stable")
    summed = np.cumsum(weights[order])
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    before = (summed - weights[order])[starts]
    found = np.empty_like(summed)
    found[order] = summed - np.repeat(before, np.diff(starts, append=len(groups)))
    return found


def _grown(groups: NDArray[np.int64], weights: Real) -> Real:
    """Sum over groups of x·log x after each sample, from nothing."""
    reached = _running(groups, weights)
    return np.cumsum(_xlogx(reached) - _xlogx(np.maximum(reached - weights, 0.0)))


def _shrunk(groups: NDArray[np.int64], weights: Real, sizes: Real) -> Real:
    """The same of what is left of the groups after each sample."""
    left = np.maximum(sizes[groups] - _running(groups, weights), 0.0)
    return _xlogx(sizes).sum() + np.cumsum(_xlogx(left) - _xlogx(left + weights))
