"""A detector as a diagnostic test: what an alarm is worth whatever the prevalence."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoscope.core.numerics import Real, as_real, everywhere, ratio, undefined_where
from infoscope.metrics.binary import detection, why_not_binary
from infoscope.metrics.registry import Card, Law, metric
from infoscope.metrics.whole_numbers import whole_table
from infoscope.tables import Contingency

__all__ = [
    "diagnostic_odds_ratio",
    "informedness",
    "markedness",
    "negative_likelihood_ratio",
    "positive_likelihood_ratio",
]

_SCALED = frozenset({Law.SCALING})
_CHANCE = frozenset({Law.SCALING, Law.PERFECT_IS_ONE, Law.INDEPENDENCE_IS_ZERO})
_CANCELLED = 1e-6
"""A difference below this share of its parts has fewer than nine digits left."""

Difference = Callable[[dict[tuple[bool, bool | None], int]], tuple[int, int]]
"""Numerator and denominator of a difference of rates, from whole counts by (is positive, is declared positive)."""


def _difference(table: Contingency, one: Real, other: Real, exact: Difference) -> Real:
    """The difference of two rates, in whole numbers where a float lost it."""
    if everywhere(np.isnan(one)):  # not a detector
        return one
    value = np.asarray(one - other, dtype=np.float64)
    lost = np.abs(value) < _CANCELLED * np.maximum(np.abs(one), np.abs(other))
    for place in np.argwhere(lost):
        part, whole = exact(_whole_counts(table, tuple(place.tolist())))
        value[tuple(place)] = part / whole
    return as_real(value)[()]


def _whole_counts(table: Contingency, place: tuple[int, ...]) -> dict[tuple[bool, bool | None], int]:
    """Counts by whether a sample is positive and whether it is declared so; None where it is rejected."""
    positive, whole = table.positive_label, whole_table(table, place)
    counts = {(true, said): 0 for true in (True, False) for said in (True, False, None)}
    for n, (i, j) in zip(whole.cells, whole.places, strict=True):
        label = table.system_labels[j]
        said = None if label == table.reject else label == positive
        counts[table.truth_labels[i] == positive, said] += n
    return counts


def _odds(over: tuple[Real, Real], under: tuple[Real, Real]) -> Real:
    """A product over a product, undefined where that is 0 or the ratio too large for a number.

    Exponents are added apart, so that no product overflows or vanishes on the way.
    """
    if everywhere(np.isnan(over[0])):  # not a detector
        return over[0]
    (a, one), (b, two), (c, three), (d, four) = (np.frexp(side) for side in (*over, *under))
    with np.errstate(over="ignore"):
        value = np.ldexp(ratio(a * b, c * d), one + two - three - four)
    return undefined_where(np.isinf(value), value)


def _informed(n: dict[tuple[bool, bool | None], int]) -> tuple[int, int]:
    positives, negatives = (sum(n[true, said] for said in (True, False, None)) for true in (True, False))
    return n[True, True] * negatives - n[False, True] * positives, positives * negatives


def _marked(n: dict[tuple[bool, bool | None], int]) -> tuple[int, int]:
    alarms, silences = (n[True, said] + n[False, said] for said in (True, False))
    return n[True, True] * silences - n[True, False] * alarms, alarms * silences


@metric(
    Card(
        title="Informedness",
        symbol="J",
        formula=r"\frac{TP}{TP+FN} - \frac{FP}{FP+TN}",
        source="powers2011",
        range=(-1.0, 1.0),
        aliases=("Youden's J", "Youden index", "Youden", "bookmaker informedness", "delta P'"),
        laws=_CHANCE,
        undefined="needs two true classes and predictions among them, and samples of both classes",
        note="The same for either of two classes; it equals 2 × balanced accuracy − 1 where nothing is rejected.",
    ),
    why=why_not_binary("there is no sample of one of the classes"),
)
def informedness(table: Contingency) -> Real:
    """Recall of the positive class minus the false positive rate: how far predictions depend on the truth.

    1 is perfect, 0 is independent of the truth, −1 is always wrong.

    >>> print(f"{informedness(Contingency.from_matrix([[8, 2], [3, 7]])):.1f}")
    0.5
    """
    d = detection(table)
    return _difference(table, ratio(d.hits, d.positives), ratio(d.false_alarms, d.negatives), _informed)


@metric(
    Card(
        title="Markedness",
        symbol="MK",
        formula=r"\frac{TP}{TP+FP} - \frac{FN}{FN+TN}",
        source="powers2011",
        range=(-1.0, 1.0),
        aliases=("delta P",),
        laws=_CHANCE,
        undefined="needs two true classes and predictions among them, both of them predicted",
        note="The same for either of two classes: precision plus negative predictive value minus 1.",
    ),
    why=why_not_binary("one of the classes is never declared"),
)
def markedness(table: Contingency) -> Real:
    """Precision plus negative predictive value minus 1: how far the truth depends on the prediction.

    >>> print(f"{markedness(Contingency.from_matrix([[8, 2], [3, 7]], positive=0)):.4f}")
    0.5051
    """
    d = detection(table)
    return _difference(table, ratio(d.hits, d.alarms), ratio(d.silent_misses, d.silences), _marked)


@metric(
    Card(
        title="Positive likelihood ratio",
        symbol="LR+",
        formula=r"\frac{TP/(TP+FN)}{FP/(FP+TN)}",
        source="deeks2004",
        range=(0.0, np.inf),
        of_positive=True,
        aliases=("LR+", "PLR", "likelihood ratio positive"),
        laws=_SCALED,
        undefined="needs two true classes and predictions among them, samples of both, and a false alarm",
        note="1 is chance. Odds of the positive class are multiplied by it when the alarm is raised.",
    ),
    why=why_not_binary("there is no false alarm, or no sample of one of the classes"),
)
def positive_likelihood_ratio(table: Contingency) -> Real:
    """How many times more often a positive sample is predicted positive than a negative one.

    >>> print(f"{positive_likelihood_ratio(Contingency.from_matrix([[8, 2], [2, 18]], positive=0)):.1f}")
    8.0
    """
    d = detection(table)
    return _odds((d.hits, d.negatives), (d.positives, d.false_alarms))


@metric(
    Card(
        title="Negative likelihood ratio",
        symbol="LR−",
        formula=r"\frac{FN/(TP+FN)}{TN/(FP+TN)}",
        source="deeks2004",
        range=(0.0, np.inf),
        better="lower",
        of_positive=True,
        aliases=("LR-", "NLR", "likelihood ratio negative"),
        laws=_SCALED | {Law.PERFECT_IS_ZERO},
        undefined="needs two true classes and predictions among them, samples of both, and a negative recognised",
        note="1 is chance. A rejected sample is not declared negative.",
    ),
    why=why_not_binary("no negative sample is recognised, or there is no sample of one of the classes"),
)
def negative_likelihood_ratio(table: Contingency) -> Real:
    """How many times more often a positive sample is predicted negative than a negative one.

    >>> print(f"{negative_likelihood_ratio(Contingency.from_matrix([[8, 2], [2, 18]], positive=0)):.4f}")
    0.2222
    """
    d = detection(table)
    return _odds((d.silent_misses, d.negatives), (d.positives, d.correct_rejections))


@metric(
    Card(
        title="Diagnostic odds ratio",
        symbol="DOR",
        formula=r"\frac{TP \cdot TN}{FP \cdot FN}",
        source="deeks2004",
        range=(0.0, np.inf),
        aliases=("DOR", "odds ratio"),
        laws=_SCALED,
        undefined="needs two true classes and predictions among them, a false alarm and a miss",
        note="LR+ over LR−; 1 is chance. Rejected samples are left out.",
    ),
    why=why_not_binary("there is no false alarm or no miss"),
)
def diagnostic_odds_ratio(table: Contingency) -> Real:
    """Odds of a positive prediction for positive samples, divided by those for negative samples.

    >>> print(f"{diagnostic_odds_ratio(Contingency.from_matrix([[8, 2], [2, 18]], positive=0)):.1f}")
    36.0
    """
    d = detection(table)
    return _odds((d.hits, d.correct_rejections), (d.false_alarms, d.silent_misses))
