"""Calibration: the bits per sample that a system loses by stating probabilities too boldly, or not boldly enough.

The page is ``reports/views/calibration.py``; the cross-entropy it starts from is in ``scores.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from infoscope.core.numerics import as_real
from infoscope.core.validation import validated
from infoscope.posterior.summary import binomial_interval
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Record
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.studies.score_arrays import Probabilities, encode_probabilities
from infoscope.studies.scores import cross_entropy
from infoscope.studies.sweep import decide
from infoscope.typing import ArrayLike, Frame, LabelsLike

Confidence = Literal["over-confident", "under-confident", "calibrated"]
BINS = 15
CHANCE_DRAWS = 100
LIMIT = float(chdtri(1, 0.05)) / (2.0 * np.log(2.0))
"""Bits over all samples by which a power may be worse than the best and still be in its interval."""
_LOG_SHARPNESS = (-6.0, 3.0)
_FLOOR = 2.0**-52
"""A probability of 0 is read as this where sharpness is fitted: no power could lift it off 0."""


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
    sharpness_low: float | None = None
    sharpness_high: float | None = None
    """Ends of the interval of the best power: those that the likelihood-ratio test does not reject at 5%."""
    accuracy: Estimate = field(default_factory=lambda: Estimate(None))
    """Share of the samples whose most probable class is right."""
    confidence: float | None = None
    """Mean probability of the most probable class: of a calibrated system the accuracy."""
    expected_calibration_error: float | None = None
    """Mean distance of confidence and accuracy over 15 bins of equal width, weighted by their samples (Guo et al.)."""
    calibration_error_by_chance: float | None = None
    """What a calibrated system with these confidences would show on average: the distances never cancel."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def __post_init__(self) -> None:
        """Read null as infinity, which JSON does not have."""
        for name in ("cross_entropy", "bits_lost"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.inf)

    @property
    def perplexity(self) -> float:
        """2 to the cross-entropy: among how many equally likely classes the probabilities leave one to guess."""
        return float(np.exp2(np.inf if self.cross_entropy is None else self.cross_entropy))

    def records(self) -> Iterator[Record]:
        """Yield one record with every number."""
        bits = ("cross_entropy", "perplexity", "sharpened", "bits_lost", "sharpness", "ranked")
        names = (*bits, "confidence", "expected_calibration_error", "calibration_error_by_chance")
        numbers = {
            name: Estimate(None) if (number := getattr(self, name)) is None else Estimate.of(number) for name in names
        }
        numbers["sharpness"] = Estimate(self.sharpness, low=self.sharpness_low, high=self.sharpness_high)
        yield {"verdict": self.verdict, "samples": self.samples, **numbers, "accuracy": self.accuracy}


@validated()
def calibration(
    y_true: LabelsLike,
    y_score: ArrayLike | Frame,
    *,
    classes: Sequence[Any] | None = None,
    weight: ArrayLike | None = None,
    normalize: bool = False,
) -> Calibration:
    """Measure how many bits a system loses by over- or underconfidence.

    They are what the one power of all probabilities that serves it best would save: 1 / power is the temperature of
    temperature scaling. The system is over- or under-confident where the interval of the power excludes 1.

    Parameters
    ----------
    y_true : array-like
        True labels.
    y_score : array-like or frame
        Probabilities of every class, one column each.
    classes : sequence, optional
        The class of each column; by default those of the truth in their order, or the columns of a frame.
    weight : array-like, optional
        A weight for each row.
    normalize : bool, default False
        Divide the probabilities of each row by their sum.

    Returns
    -------
    Calibration
        Cross-entropy as it is and once sharpened, and the verdict: over-confident, under-confident or calibrated.

    Raises
    ------
    InputError
        If the probabilities do not fit the labels, or a row does not sum to one.

    References
    ----------
    Guo, Pleiss, Sun & Weinberger (2017), On calibration of modern neural networks.

    Examples
    --------
    >>> result = calibration([0, 1] * 50, [[0.99, 0.01], [0.01, 0.99]] * 40 + [[0.01, 0.99], [0.99, 0.01]] * 10)
    >>> result.verdict
    'over-confident'
    """
    from scipy.optimize import isotonic_regression, minimize_scalar  # noqa: PLC0415 - longer to load than most calls take

    given = encode_probabilities(y_score, y_true, classes=classes, sample_weight=weight, normalize=normalize)
    now = cross_entropy(given)
    # the power with the least cross-entropy, which is convex in it
    best = minimize_scalar(
        lambda log: _measure_surprise(given, np.exp(log)),
        bounds=_LOG_SHARPNESS,
        method="bounded",
        options={"xatol": 1e-8},
    )
    sharpness, sharpened = float(np.exp(best.x)), float(best.fun)
    lost = max((now if np.isinf(now) else _measure_surprise(given, 1.0)) - sharpened, 0.0)
    weights = given.row_weights
    samples = float(weights.sum()) ** 2 / float(weights @ weights)
    low, high = _find_interval(given, float(best.x), sharpened + LIMIT / samples)
    verdict: Confidence = "over-confident" if high < 1 else "under-confident" if low > 1 else "calibrated"
    ranked = None
    if len(given.labels) == 2:  # the best non-decreasing function of the second class's probability
        levels, places = np.unique(given.values[:, 1], return_inverse=True)
        size = as_real(np.bincount(places, weights, minlength=len(levels)))
        hits = as_real(np.bincount(places, weights * given.truth, minlength=len(levels)))
        size, hits = size[size > 0].astype(np.float64), hits[size > 0].astype(np.float64)
        fitted = np.clip(isotonic_regression(hits / size, weights=size).x, 0.0, 1.0)
        misses = size - hits
        bits = hits * np.log2(np.where(hits > 0, fitted, 1.0)) + misses * np.log2(np.where(misses > 0, 1 - fitted, 1.0))
        ranked = float(-bits.sum() / weights.sum())
    left_out = tuple(IgnoredRows(reason, rows) for reason, rows in given.ignored.items())
    return Calibration(
        now,
        sharpened,
        lost,
        sharpness,
        verdict,
        ranked,
        len(given.truth),
        low if low > 0 else None,
        high if high < np.inf else None,
        *_measure_confidence(given, samples),
        Provenance(rows=len(given.truth), ignored=left_out),
        (*_advise(verdict, sharpness, now, sharpened), *describe_ignored_rows(left_out)),
    )


def _advise(verdict: Confidence, power: float, now: float, sharpened: float) -> Iterator[Finding]:
    """Yield what to do about probabilities that are too bold, or not bold enough."""
    if verdict != "calibrated":
        gain = "from infinite " if np.isinf(now) else f"from {now:.4f} "
        text = (
            f"Divide the logits by {1 / power:.3g}, or raise the probabilities to the power {power:.3g} and normalise "
            f"them: the cross-entropy falls {gain}to {sharpened:.4f} bits per sample. Fit it on other samples than "
            "those that are evaluated."
        )
        yield Finding("scale_temperature", text, "warning", {"power": power}, "Scale the temperature")


def _find_interval(given: Probabilities, best: float, limit: float) -> tuple[float, float]:
    """Return the powers on both sides of the best where the cross-entropy reaches a limit; 0 or ∞ where it does not."""
    from scipy.optimize import brentq  # noqa: PLC0415 - as above

    def exceed(log: float) -> float:
        return _measure_surprise(given, np.exp(log)) - limit

    low, high = _LOG_SHARPNESS
    return (
        float(np.exp(brentq(exceed, low, best))) if exceed(low) > 0 else 0.0,
        float(np.exp(brentq(exceed, best, high))) if exceed(high) > 0 else np.inf,
    )


def _measure_confidence(given: Probabilities, size: float) -> tuple[Estimate, float, float, float]:
    """Return accuracy, mean confidence, expected calibration error, and what that would be of a calibrated system."""
    decisions = decide(given, "confidence")
    weights = given.row_weights / given.row_weights.sum()
    is_right = decisions.predicted == given.truth
    accuracy = float(weights @ is_right)
    low, high = (float(end) for end in binomial_interval(np.array(accuracy * size), np.array(size)))
    places = np.minimum((decisions.certainty * BINS).astype(np.int64), BINS - 1)

    def sum_distances(outcomes: NDArray[np.bool_]) -> float:
        return float(np.abs(np.bincount(places, weights * (outcomes - decisions.certainty), minlength=BINS)).sum())

    rng = np.random.default_rng(0)
    by_chance = [sum_distances(rng.random(len(weights)) < decisions.certainty) for _ in range(CHANCE_DRAWS)]
    return (
        Estimate(accuracy, low=low, high=high),
        float(weights @ decisions.certainty),
        sum_distances(is_right),
        float(np.mean(by_chance)),
    )


def _measure_surprise(given: Probabilities, power: float) -> float:
    """Return the cross-entropy, in bits, of the probabilities raised to a power and normalised again."""
    summed = 0.0
    for block in given.blocks():
        logs = power * np.log2(np.maximum(given.values[block], _FLOOR, dtype=np.float64))
        top = logs.max(axis=1)
        log_sums = top + np.log2(np.exp2(logs - top[:, None]).sum(axis=1))
        surprise = log_sums - logs[np.arange(len(logs)), given.truth[block]]
        summed += float(surprise.sum() if given.weights is None else surprise @ given.weights[block])
    return summed / (len(given.truth) if given.weights is None else float(given.weights.sum()))
