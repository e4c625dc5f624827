"""Calibration in bits: how much of what stays open is lost by being surer, or less sure, than right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real
from infoscope.operating_points.probabilistic import cross_entropy
from infoscope.operating_points.scoring import Probabilities, class_probabilities

__all__ = ["Calibration", "calibration"]

_LOG_SHARPNESS = (-6.0, 3.0)
_STEPS = 40
_SAME = 1e-6
_FLOOR = 2.0**-52
"""A probability of 0 is read as this where sharpness is fitted: no power could lift it off 0."""


@dataclass(frozen=True)
class Calibration:
    """Bits per sample lost to wrong sureness, and what would mend it."""

    cross_entropy: float
    sharpened: float
    """Cross-entropy once all probabilities are raised to the best common power."""
    bits_lost: float
    """Their difference: the part of what stays open that is due to over- or under-confidence alone."""
    sharpness: float
    """The best power: below 1 the system is over-confident, above 1 under-confident."""
    verdict: Literal["over-confident", "under-confident", "calibrated"]
    ranked: float | None
    """Two classes only: cross-entropy after the best monotone correction, the least that recalibration can reach."""

    def __str__(self) -> str:
        """A sentence."""
        if self.verdict == "calibrated":
            return (
                f"calibrated: no common power of the probabilities leaves less than {self.cross_entropy:.4f} bits open"
            )
        if np.isinf(self.cross_entropy):
            return (
                f"{self.verdict}: a true class was given probability 0, an infinite surprise; raised to the power "
                f"{self.sharpness:.3g} the probabilities leave {self.sharpened:.4f} bits open"
            )
        return (
            f"{self.verdict}: {self.bits_lost:.4f} of the {self.cross_entropy:.4f} bits left open come from sureness; "
            f"raise all probabilities to the power {self.sharpness:.3g}"
        )


def calibration(
    y_true: Any,
    y_score: Any,
    *,
    classes: Sequence[Any] | None = None,
    weight: Any = None,
    normalize: bool = False,
) -> Calibration:
    """How many bits the system loses by its sureness, found by the one power of all probabilities that serves it best.

    The fit has one parameter, so on some hundreds of samples its own flattery is negligible.
    """
    given = class_probabilities(y_score, y_true, classes=classes, sample_weight=weight, normalize=normalize)
    now = cross_entropy(given)
    sharpness, sharpened = _best_power(given)
    as_it_is = _surprise(given, 1.0)
    lost = max((now if np.isinf(now) else as_it_is) - sharpened, 0.0)
    verdict: Literal["over-confident", "under-confident", "calibrated"] = "calibrated"
    if lost > _SAME:
        verdict = "over-confident" if sharpness < 1 else "under-confident"
    return Calibration(now, sharpened, lost, sharpness, verdict, _monotone(given) if len(given.labels) == 2 else None)


def _best_power(given: Probabilities) -> tuple[float, float]:
    """Golden-section search on the logarithm: the cross-entropy is convex in the power."""
    golden = (np.sqrt(5.0) - 1) / 2
    low, high = _LOG_SHARPNESS
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = _surprise(given, np.exp(left)), _surprise(given, np.exp(right))
    for _ in range(_STEPS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = _surprise(given, np.exp(left))
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = _surprise(given, np.exp(right))
    power = float(np.exp((low + high) / 2))
    return power, _surprise(given, power)


def _surprise(given: Probabilities, power: float) -> float:
    """Cross-entropy, in bits, of the probabilities raised to a power and normalised again."""
    summed = 0.0
    for block in given.blocks():
        logs = power * np.log2(np.maximum(given.values[block], _FLOOR, dtype=np.float64))
        top = logs.max(axis=1)
        whole = top + np.log2(np.exp2(logs - top[:, None]).sum(axis=1))
        surprise = whole - logs[np.arange(len(logs)), given.truth[block]]
        summed += float(surprise.sum() if given.weights is None else surprise @ given.weights[block])
    return summed / (len(given.truth) if given.weights is None else float(given.weights.sum()))


def _monotone(given: Probabilities) -> float:
    """Cross-entropy of the best non-decreasing function of the second class's probability (pool adjacent violators)."""
    weights = np.ones(len(given.truth)) if given.weights is None else given.weights
    levels, place = np.unique(given.values[:, 1], return_inverse=True)
    size = np.bincount(place, weights, minlength=len(levels))
    hits = np.bincount(place, weights * given.truth, minlength=len(levels))
    filled = size > 0
    found, whole = _pooled(hits[filled], size[filled])
    return float(-(_xlog(found, whole) + _xlog(whole - found, whole)).sum() / weights.sum())


def _pooled(hits: NDArray[Any], size: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Neighbours whose shares fall instead of rising are put together."""
    kept: list[tuple[float, float]] = []
    for hit, count in zip(hits.tolist(), size.tolist(), strict=True):
        now = (hit, count)
        while kept and kept[-1][0] * now[1] >= now[0] * kept[-1][1]:
            before = kept.pop()
            now = (before[0] + now[0], before[1] + now[1])
        kept.append(now)
    pooled = np.array(kept)
    return pooled[:, 0], pooled[:, 1]


def _xlog(part: Real, whole: Real) -> Real:
    return part * np.log2(np.where(part > 0, part / whole, 1.0))
