"""Declining to answer when unsure: the decision by the largest probability, and who is sure enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError, UnknownNameError
from infoscope.numeric import Real
from infoscope.operating_points.scores import Probabilities
from infoscope.operating_points.threshold_tables import ThresholdTables
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["Certainty", "Decisions", "check_certainty", "decide", "even_places", "refusal_ladder"]

Certainty = Literal["confidence", "margin", "entropy"]
_LADDER_CELLS = 1 << 24
"""At most this many cells in all tables of a sweep: with many classes there are fewer operating points."""
_DIGITS = 12
"""Margins and entropies that agree to so many decimals are one certainty: they differ by rounding only."""


@dataclass(frozen=True)
class Decisions:
    """What the system answers, and how sure it is: ``certainty`` grows with sureness, whatever its kind."""

    answers: NDArray[np.int64]
    certainty: Real
    kind: Certainty

    def shown(self, certainty: Real) -> Real:
        """Thresholds as a person states them: an entropy is a bound from above."""
        return -certainty if self.kind == "entropy" else certainty


def check_certainty(kind: str) -> None:
    """Refuse what is no kind of certainty."""
    if kind not in get_args(Certainty):
        raise UnknownNameError(f"there is no certainty {kind!r}; it is one of {', '.join(get_args(Certainty))}")


def decide(given: Probabilities, kind: Certainty) -> Decisions:
    """The most probable class of every row (the first of equals), and how sure that is."""
    check_certainty(kind)
    rows = len(given.values)
    answers = np.empty(rows, dtype=np.int64)
    certainty = np.empty(rows, dtype=np.float64)
    for block in given.blocks():
        part = given.values[block]
        answers[block] = np.argmax(part, axis=1)
        certainty[block] = _CERTAINTY[kind](part, answers[block])
    return Decisions(answers, certainty if kind == "confidence" else _joined(certainty), kind)


def _joined(certainty: Real) -> Real:
    """Certainties that differ by rounding only made equal, to the least of them.

    In binary numbers 0.6 − 0.4 is a little less than 0.5 − 0.3: without this, one margin would be two thresholds. The
    least is kept, not the rounded number, so that "certainty ≥ threshold", computed anew from the same probabilities,
    answers the same samples.
    """
    order = np.argsort(certainty)
    ordered = certainty[order]
    rounded = np.round(ordered, _DIGITS)
    begins = np.concatenate([[True], rounded[1:] != rounded[:-1]])
    joined = np.empty_like(certainty)
    joined[order] = ordered[begins][np.cumsum(begins) - 1]
    return joined


def _confidence(part: Real, answers: NDArray[np.int64]) -> Real:
    return part[np.arange(len(part)), answers]


def _margin(part: Real, answers: NDArray[np.int64]) -> Real:
    """Lead of the best class over the second."""
    rows = np.arange(len(part))
    best = part[rows, answers]
    others = part.copy()
    others[rows, answers] = -1.0
    return best - others.max(axis=1)


def _negative_entropy(part: Real, _: NDArray[np.int64]) -> Real:
    """Minus the bits that the probabilities leave open."""
    logs = np.log2(np.where(part > 0, part, 1.0))
    return np.einsum("ij,ij->i", part, logs)


_CERTAINTY = {"confidence": _confidence, "margin": _margin, "entropy": _negative_entropy}


@dataclass(frozen=True)
class Refusals:
    """The ladder of a refusal sweep and the certainty at which each step begins."""

    ladder: ThresholdTables
    thresholds: Real
    distinct: int


def refusal_ladder(given: Probabilities, decisions: Decisions, reject: Label, most: int) -> Refusals:
    """Operating points "answer when certainty ≥ t", the surest first, each with a table."""
    k = len(given.labels)
    if reject in given.labels:
        raise InputError(f"reject label {reject!r} is a class; give rejections a name of their own with reject=")
    most = max(2, min(most, _LADDER_CELLS // (k * (k + 1))))
    ordered = np.sort(decisions.certainty)
    levels = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]
    kept = levels if len(levels) <= most else np.unique(ordered[even_places(len(ordered), most)])
    # a sample answers from the first threshold, counted from the top, that it reaches
    step = len(kept) - np.searchsorted(kept, decisions.certainty, side="right")
    cell = (step * k + given.truth) * k + decisions.answers
    size = len(kept) * k * k
    steps = np.bincount(cell, weights=given.weights, minlength=size).reshape(len(kept), k, k)
    everyone_refused = np.zeros((1, k, k), dtype=steps.dtype)
    return Refusals(
        ThresholdTables(
            np.concatenate([everyone_refused, steps]), tuple(range(k)), k, refusal_pattern(given.labels, reject)
        ),
        np.concatenate([[np.inf], kept[::-1]]),
        len(levels),
    )


def refusal_pattern(labels: tuple[Label, ...], reject: Label) -> Contingency:
    """An empty table with a reject column last."""
    values: NDArray[Any] = np.ones((len(labels), len(labels) + 1))
    return Contingency.from_matrix(values, truth=labels, system=(*labels, reject), reject=reject)


def even_places(count: int, most: int) -> NDArray[np.int64]:
    """``most`` places spread evenly over a sorted sample, both ends among them."""
    return np.unique(np.linspace(0, count - 1, most).astype(np.int64))
