"""Calibration in bits: how much of what stays open is lost by over- or underconfidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from infoscope.core.numerics import Real, as_real
from infoscope.results.base import Result
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.studies.operating_points.probabilistic import cross_entropy
from infoscope.studies.operating_points.scores import Probabilities, class_probabilities
from infoscope.typing import ArrayLike, Frame, Json, LabelsLike

__all__ = ["Calibration", "calibration"]

_LOG_SHARPNESS = (-6.0, 3.0)
_SAME = 1e-6
_FLOOR = 2.0**-52
"""A probability of 0 is read as this where sharpness is fitted: no power could lift it off 0."""


Confidence = Literal["over-confident", "under-confident", "calibrated"]


@dataclass(frozen=True, repr=False)
class Calibration(Result):
    """Bits per sample lost to over- or under-confidence, and what would correct it."""

    kind: ClassVar[str] = "calibration"

    cross_entropy: float | None
    """Infinite where a true class got probability 0."""
    sharpened: float
    """Cross-entropy once all probabilities are raised to the best common power."""
    bits_lost: float | None
    """Their difference: the part of what stays open that is due to over- or under-confidence alone."""
    sharpness: float
    """The best power: below 1 the system is over-confident, above 1 under-confident."""
    verdict: Confidence
    ranked: float | None
    """Two classes only: cross-entropy after the best monotone correction, the least that recalibration can reach."""
    samples: int
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        """JSON has no infinity: null reads back as one."""
        for name in ("cross_entropy", "bits_lost"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.inf)

    @property
    def perplexity(self) -> float:
        """2 to the cross-entropy: among how many equally likely classes the probabilities leave one to guess."""
        return float(np.exp2(np.inf if self.cross_entropy is None else self.cross_entropy))

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row with every number."""
        numbers = ("cross_entropy", "perplexity", "sharpened", "bits_lost", "sharpness", "ranked")
        yield {"verdict": self.verdict, "samples": self.samples, **{name: getattr(self, name) for name in numbers}}


def calibration(
    y_true: LabelsLike,
    y_score: ArrayLike | Frame,
    *,
    classes: Sequence[Any] | None = None,
    weight: ArrayLike | None = None,
    normalize: bool = False,
) -> Calibration:
    """How many bits the system loses by its confidence, by the one power of all probabilities that serves it best.

    The fit has one parameter, so on some hundreds of samples its own flattery is negligible.
    """
    given = class_probabilities(y_score, y_true, classes=classes, sample_weight=weight, normalize=normalize)
    now = cross_entropy(given)
    sharpness, sharpened = _best_power(given)
    as_it_is = _surprise(given, 1.0)
    lost = max((now if np.isinf(now) else as_it_is) - sharpened, 0.0)
    verdict: Confidence = "calibrated"
    if lost > _SAME:
        verdict = "over-confident" if sharpness < 1 else "under-confident"
    ranked = _monotone(given) if len(given.labels) == 2 else None
    left_out = tuple(IgnoredRows(reason, rows) for reason, rows in given.ignored.items())
    return Calibration(
        now,
        sharpened,
        lost,
        sharpness,
        verdict,
        ranked,
        len(given.truth),
        Provenance(rows=len(given.truth), ignored=left_out),
        describe_ignored_rows(left_out),
    )


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
    size, hits = (np.asarray(each[filled], dtype=np.float64) for each in (size, hits))
    fitted = np.clip(isotonic_regression(hits / size, weights=size).x, 0.0, 1.0)
    return float(-(_xlog(hits, fitted) + _xlog(size - hits, 1 - fitted)).sum() / weights.sum())


def _xlog(count: Real, share: Real) -> Real:
    return count * np.log2(np.where(count > 0, share, 1.0))
