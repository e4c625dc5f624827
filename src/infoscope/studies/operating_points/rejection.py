"""Rejecting unsure predictions: the decision by the largest probability, who is sure enough, what it saves in bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, distinct
from infoscope.errors import InputError, UnknownNameError
from infoscope.metrics import (
    accepted_accuracy,
    accuracy,
    error_rate,
    mutual_information,
    proficiency,
    proficiency_without_reject,
    rejection_rate,
)
from infoscope.metrics.sensitivity import gain_of_move
from infoscope.studies.operating_points.ranking import ThresholdTables
from infoscope.studies.operating_points.result import Sweep
from infoscope.studies.operating_points.scores import Probabilities
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = [
    "Abstention",
    "Certainty",
    "Decisions",
    "abstention_bits",
    "abstentions",
    "check_certainty",
    "decide",
    "even_places",
    "rejection_ladder",
    "rejection_summary",
]

Certainty = Literal["confidence", "margin", "entropy"]
_LADDER_CELLS = 1 << 24
"""At most this many cells in all tables of a sweep: with many classes there are fewer operating points."""
_DIGITS = 12
"""Margins and entropies that agree to this many decimals are one certainty: they differ by rounding only."""


@dataclass(frozen=True)
class Decisions:
    """What the system predicts, and how sure it is: ``certainty`` grows with sureness, whatever its kind."""

    predicted: NDArray[np.int64]
    certainty: Real
    kind: Certainty

    def shown(self, certainty: Real) -> Real:
        """Thresholds as a person states them: an entropy is a bound from above."""
        return -certainty if self.kind == "entropy" else certainty


def check_certainty(kind: str) -> None:
    """Reject what is no kind of certainty."""
    if kind not in get_args(Certainty):
        raise UnknownNameError(f"there is no certainty {kind!r}; it is one of {', '.join(get_args(Certainty))}")


def decide(given: Probabilities, kind: Certainty) -> Decisions:
    """The most probable class of every row (the first of equals), and how sure that is."""
    check_certainty(kind)
    rows = len(given.values)
    predicted = np.empty(rows, dtype=np.int64)
    certainty = np.empty(rows, dtype=np.float64)
    for block in given.blocks():
        part = given.values[block]
        predicted[block] = np.argmax(part, axis=1)
        certainty[block] = _CERTAINTY[kind](part, predicted[block])
    return Decisions(predicted, certainty if kind == "confidence" else _joined(certainty), kind)


def _joined(certainty: Real) -> Real:
    """Certainties that differ by rounding only made equal, to the least of them.

    In binary numbers 0.6 − 0.4 is a little less than 0.5 − 0.3: without this, one margin would be two thresholds. The
    least is kept, not the rounded number, so that "certainty ≥ threshold", computed anew from the same probabilities,
    accepts the same samples.
    """
    order = np.argsort(certainty)
    ordered = certainty[order]
    rounded = np.round(ordered, _DIGITS)
    begins = np.concatenate([[True], rounded[1:] != rounded[:-1]])
    joined = np.empty_like(certainty)
    joined[order] = ordered[begins][np.cumsum(begins) - 1]
    return joined


def _confidence(part: Real, predicted: NDArray[np.int64]) -> Real:
    return part[np.arange(len(part)), predicted]


def _margin(part: Real, predicted: NDArray[np.int64]) -> Real:
    """Lead of the best class over the second."""
    rows = np.arange(len(part))
    best = part[rows, predicted]
    others = part.copy()
    others[rows, predicted] = -1.0
    return best - others.max(axis=1)


def _negative_entropy(part: Real, _: NDArray[np.int64]) -> Real:
    """Minus the bits that the probabilities leave open."""
    logs = np.log2(np.where(part > 0, part, 1.0))
    return np.einsum("ij,ij->i", part, logs)


_CERTAINTY = {"confidence": _confidence, "margin": _margin, "entropy": _negative_entropy}


@dataclass(frozen=True)
class Rejections:
    """The ladder of a rejection sweep and the certainty at which each step begins."""

    ladder: ThresholdTables
    thresholds: Real
    distinct: int


def rejection_ladder(given: Probabilities, decisions: Decisions, reject: Label, most: int) -> Rejections:
    """Operating points "accept when certainty ≥ t", the most confident first, each with a table."""
    k = len(given.labels)
    if reject in given.labels:
        raise InputError(f"reject label {reject!r} is a class; give rejections a name of their own with reject=")
    most = max(2, min(most, _LADDER_CELLS // (k * (k + 1))))
    ordered = np.sort(decisions.certainty)
    levels = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]
    kept = levels if len(levels) <= most else distinct(ordered[even_places(len(ordered), most)])
    # a sample is accepted from the first threshold, counted from the top, that it reaches
    step = len(kept) - np.searchsorted(kept, decisions.certainty, side="right")
    cell = (step * k + given.truth) * k + decisions.predicted
    size = len(kept) * k * k
    steps = np.bincount(cell, weights=given.weights, minlength=size).reshape(len(kept), k, k)
    everyone_rejected = np.zeros((1, k, k), dtype=steps.dtype)
    return Rejections(
        ThresholdTables(
            np.concatenate([everyone_rejected, steps]), tuple(range(k)), k, rejection_pattern(given.labels, reject)
        ),
        np.concatenate([[np.inf], kept[::-1]]),
        len(levels),
    )


def rejection_pattern(labels: tuple[Label, ...], reject: Label) -> Contingency:
    """An empty table with a reject column last."""
    values: NDArray[Any] = np.ones((len(labels), len(labels) + 1))
    return Contingency.from_matrix(values, truth=labels, system=(*labels, reject), reject=reject)


def even_places(count: int, most: int) -> NDArray[np.int64]:
    """``most`` places spread evenly over a sorted sample, both ends among them."""
    return distinct(np.linspace(0, count - 1, most).astype(np.int64))


def rejection_summary(table: Contingency) -> dict[str, float]:
    """Both accuracies and both readings of the information, side by side.

    ``accuracy`` counts a rejection as not right (with ``error_rate`` and ``rejection_rate`` it sums to 1),
    ``accepted_accuracy`` leaves rejections out; ``proficiency`` takes a rejection as one more prediction,
    ``proficiency_without_reject`` gives it no credit.

    >>> from infoscope.tables import Contingency
    >>> found = rejection_summary(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2))
    >>> print(f"{found['accuracy']:.3f} {found['accepted_accuracy']:.3f}")
    0.830 0.933
    """
    _needs_reject(table)
    shown = (accuracy, accepted_accuracy, error_rate, rejection_rate, proficiency, proficiency_without_reject)
    return {metric.__name__: float(metric(table)) for metric in shown}


def _needs_reject(table: Contingency) -> None:
    if table.reject is None:
        raise InputError("the table has no reject label; name it with reject= where the table is made")


@dataclass(frozen=True)
class Abstention:
    """The rejected samples of one class, and what one would bring if it were accepted (change of I, in bits)."""

    truth: Label
    count: float
    if_right: float
    if_as_usual: float
    """Predicted like the class's other samples: right or wrong in their proportions. Negative: rejecting saves bits."""

    def __str__(self) -> str:
        """A sentence."""
        verb = "costs" if self.if_as_usual > 0 else "saves"
        return (
            f"rejecting a sample of {self.truth!r} {verb} {abs(self.if_as_usual):.2g} bits against predicting as usual"
            f"; predicted right it would add {self.if_right:.2g} ({self.count:g} rejected)"
        )


def abstentions(table: Contingency) -> list[Abstention]:
    """What each class's rejections cost or save, the costliest first; from the exact change of moving one sample."""
    _needs_reject(table)
    at = table.reject_column
    assert at is not None
    gains = gain_of_move(table)[:, at, :]
    own = dict(zip(*(places.tolist() for places in table.matches), strict=True))
    cells = np.array(table.values, dtype=np.float64)
    found = []
    for i, label in enumerate(table.truth_labels):
        accepted = np.delete(cells[i], at)
        if np.isnan(gains[i]).any() or not accepted.sum() or i not in own:
            continue
        usual = float(np.delete(gains[i], at) @ accepted / accepted.sum())
        found.append(Abstention(label, float(cells[i, at]), float(gains[i, own[i]]), usual))
    return sorted(found, key=lambda item: -item.if_as_usual * item.count)


def abstention_bits(sweep: Sweep) -> dict[str, Real]:
    """Along a rejection sweep: what rejecting does to I against accepting everyone, whole and per rejected sample.

    Negative numbers are lost bits. ``per_rejection`` is in bits of the rejected sample, not of the average one: the
    change times all samples over the rejected ones; undefined where none is rejected.
    """
    if sweep.mode != "rejection":
        raise InputError("abstentions are evaluated along a sweep of rejections; give probabilities of every class")
    tables = sweep.tables
    information = np.asarray(mutual_information(tables))
    change = information - information[-1]
    rejected = np.asarray(rejection_rate(tables))
    per_rejection = np.divide(change, rejected, out=np.full_like(change, np.nan), where=rejected > 0)
    return {"rejection_rate": rejected, "change": change, "per_rejection": per_rejection}
