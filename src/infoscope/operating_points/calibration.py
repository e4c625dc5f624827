"""Calibration in bits: how much of what stays open is lost by being surer, or less sure, than right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from infoscope.numeric import Real, as_real
from infoscope.operating_points.probabilistic import cross_entropy
from infoscope.operating_points.scoring import Probabilities, class_probabilities

__all__ = ["Calibration", "calibration"]

_LOG_SHARPNESS = (-6.0, 3.0)
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
    """The power with the least cross-entropy, which is convex in it, and that cross-entropy."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415 - takes longer to load than most calls take

    found = minimize_scalar(
        lambda log: _surprise(given, np.exp(log)), bounds=_LOG_SHARPNESS, method="bounded", options={"xatol": 1e-8}
    )
    return float(np.exp(found.x)), float(found.fun)


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
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - as above

    weights = np.ones(len(given.truth)) if given.weights is None else given.weights
    levels, place = np.unique(given.values[:, 1], return_inverse=True)
    size = as_real(np.bincount(place, weights, minlength=len(levels)))
    hits = as_real(np.bincount(place, weights * given.truth, minlength=len(levels)))
    filled = size > 0
    size, hits = size[filled], hits[filled]
    fitted = np.clip(isotonic_regression(hits / size, weights=size).x, 0.0, 1.0)
    return float(-(_xlog(hits, fitted) + _xlog(size - hits, 1 - fitted)).sum() / weights.sum())


def _xlog(count: Real, share: Real) -> Real:
    return count * np.log2(np.where(count > 0, share, 1.0))
