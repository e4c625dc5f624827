"""What declining to answer costs or saves, in bits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoscope.errors import InputError
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
from infoscope.numeric import Real
from infoscope.operating_points.result import Sweep
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["Abstention", "abstention_bits", "abstentions", "rejection_summary"]


def rejection_summary(table: Contingency) -> dict[str, float]:
    """Both accuracies and both readings of the information, side by side.

    ``accuracy`` counts a refusal as not right (with ``error_rate`` and ``rejection_rate`` it sums to 1),
    ``accepted_accuracy`` leaves refusals out; ``proficiency`` takes a refusal as one more answer,
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
    """Answered as the class's other samples are: right or wrong in their proportions. Negative: refusing saves bits."""

    def __str__(self) -> str:
        """A sentence."""
        verb = "costs" if self.if_as_usual > 0 else "saves"
        return (
            f"rejecting a sample of {self.truth!r} {verb} {abs(self.if_as_usual):.2g} bits against predicting as usual"
            f"; predicted right it would add {self.if_right:.2g} ({self.count:g} rejected)"
        )


def abstentions(table: Contingency) -> list[Abstention]:
    """What each class's refusals cost or save, the costliest first; from the exact change of moving one sample."""
    _needs_reject(table)
    at = table.reject_column
    assert at is not None
    gains = gain_of_move(table)[:, at, :]
    own = dict(zip(*(places.tolist() for places in table.matches), strict=True))
    cells = np.array(table.values, dtype=np.float64)
    found = []
    for i, label in enumerate(table.truth_labels):
        answered = np.delete(cells[i], at)
        if np.isnan(gains[i]).any() or not answered.sum() or i not in own:
            continue
        usual = float(np.delete(gains[i], at) @ answered / answered.sum())
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
