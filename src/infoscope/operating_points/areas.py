"""Curves in one number: areas under ROC, precision-recall, risk-coverage and error-reject, and average information."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real
from infoscope.operating_points.ranking import ScoreRanking

__all__ = [
    "area_under_roc",
    "average_information",
    "average_precision",
    "error_reject_area",
    "normalized_average_information",
    "risk_coverage_area",
]

_BLOCK = 1 << 20


def area_under_roc(levels: ScoreRanking) -> float:
    """Probability that a positive sample scores above a negative one, ties counting half.

    0.5 is chance; below 0.5 the scores point the other way.
    """
    negatives = levels.total - levels.positives
    hits = np.concatenate([[0], levels.hits])
    alarms = np.concatenate([[0], levels.false_alarms])
    doubled = np.sum(np.diff(alarms) * (hits[1:] + hits[:-1]), dtype=np.float64)
    return float(doubled / (2.0 * levels.positives * negatives))


def average_precision(levels: ScoreRanking) -> float:
    """Precision averaged over the positives as they are found: the area under the precision-recall steps."""
    found = np.diff(np.concatenate([[0], levels.hits]))
    return float(np.sum(found * (levels.hits / levels.alarms)) / levels.positives)


def average_information(levels: ScoreRanking) -> float:
    """Bits captured on average over the thresholds that the samples' own scores set.

        Each distinct score s is a threshold, weighted by its share of samples; "score ≥ s" and "score > s" count
        half each, so that negating all scores changes nothing.

        >>> perfect = ScoreRanking(np.array([0.9, 0.1]), np.array([5, 5]), np.array([5, 10]), 5.0, 10.0)
    >>> print(f"{average_information(perfect):.3f}")
    0.500
    """
    return _mean_information(levels, levels.hits)


def normalized_average_information(levels: ScoreRanking) -> float:
    """Average information over that of a perfect ranker with as many samples at each level and as many positives.

    0 is chance in the long run, 1 is perfect. NaN where even a perfect ranker says nothing: all scores are equal.
    """
    best = _mean_information(levels, np.minimum(levels.alarms, levels.positives))
    return average_information(levels) / best if best > 0 else float("nan")


def _mean_information(levels: ScoreRanking, hits: NDArray[Any]) -> float:
    """Trapezoids over the share of samples at or above the threshold; nothing is told at either end."""
    summed, before, alarms_before = 0.0, 0.0, 0.0
    for start in range(0, len(hits), _BLOCK):
        block = slice(start, start + _BLOCK)
        alarms = levels.alarms[block]
        told = _information(hits[block], alarms, levels.positives, levels.total)
        widths = np.diff(alarms, prepend=alarms_before)
        summed += float(np.sum(widths * (told + np.concatenate([[before], told[:-1]]))) / 2)
        before, alarms_before = float(told[-1]), float(alarms[-1])
    return summed / levels.total


def _information(hits: NDArray[Any], alarms: NDArray[Any], positives: float, total: float) -> Real:
    """I(T;S) in bits of the table with these hits and alarms."""
    false_alarms = alarms - hits
    cells = (hits, positives - hits, false_alarms, total - positives - false_alarms)
    joint = sum(map(_xlogx, cells))
    margins = _xlogx(alarms) + _xlogx(total - alarms)
    truth = _xlogx(positives) + _xlogx(total - positives) - _xlogx(total)
    return np.maximum((joint - margins - truth) / total, 0.0)


def _xlogx(x: Any) -> Real:
    filled = np.where(np.asarray(x) > 0, x, 1.0)
    return filled * np.log2(filled)


def risk_coverage_area(answered: ScoreRanking) -> float:
    """Error among the answered samples, averaged over the thresholds that the samples' own certainties set (AURC).

    ``answered`` ranks the samples by certainty, its "positives" being the wrong answers. Lower is better; always
    answering at random order gives the error rate.
    """
    widths = np.diff(answered.alarms, prepend=0)
    return float(np.sum(widths * (answered.hits / answered.alarms)) / answered.total)


def error_reject_area(answered: ScoreRanking) -> float:
    """Area under the error among all samples against the share refused, from none to all: lower is better."""
    rejected = 1 - np.concatenate([[0], answered.alarms]) / answered.total
    error = np.concatenate([[0], answered.hits]) / answered.total
    return float(np.trapezoid(error[::-1], rejected[::-1]))
