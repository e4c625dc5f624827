"""Two classes, one of them the one to be detected: rates of a detector, and what an alarm is worth at any prevalence.

``detection(table)`` counts hits, false alarms and the like once per table. The rates take more than two classes, too,
when ``average`` says how the classes become one number (``one_vs_rest.average_rate``).
"""

from collections.abc import Callable, Iterable
from types import EllipsisType
from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import Real, as_real, clip_to_one, holds_everywhere, mark_undefined, ratio
from infoscope.metrics.agreement import mcc
from infoscope.metrics.independence import whole_table
from infoscope.metrics.one_vs_rest import (
    Average,
    OneVsRest,
    Parts,
    ZeroDivision,
    average_rate,
    compute_f_beta,
    f_beta_parts,
    jaccard_parts,
    one_vs_rest,
)
from infoscope.metrics.registry import Card, Law, metric
from infoscope.tables import Contingency, remembered
from infoscope.tables.labels import Label

_LAWS = frozenset({Law.SCALING, Law.PERFECT_IS_ONE})
_PARTS: dict[str, Parts] = {
    "precision": lambda classes: (classes.hits, classes.declared),
    "recall": lambda classes: (classes.hits, classes.support),
    "specificity": lambda classes: (classes.correct_rejections, classes.others),
    "npv": lambda classes: (classes.correct_rejections, classes.undeclared),
    "false_alarm_rate": lambda classes: (classes.false_alarms, classes.others),
}
"""Numerator and denominator of each rate that takes more than two classes where ``average`` is stated."""
_TWO = "needs two true classes and predictions among them"


class Detection(NamedTuple):
    """Counts of a detector."""

    hits: Real
    positives: Real
    alarms: Real
    false_alarms: Real
    correct_rejections: Real
    negatives: Real
    silences: Real
    misses: Real
    """Positive samples without an alarm, rejected ones included."""
    silent_misses: Real
    """Positive samples declared negative."""


@remembered
def detection(table: Contingency) -> Detection:
    """Count what a detector does; NaN where the table is not binary."""
    positive = table.positive_label
    if positive is None or not table.is_aligned:
        return Detection(*[np.full(table.batch_shape, np.nan)[()]] * 9)
    classes = one_vs_rest(table)
    place = table.truth_labels.index(positive)
    return Detection(
        hits=classes.hits[..., place],
        positives=classes.support[..., place],
        alarms=classes.declared[..., place],
        false_alarms=classes.false_alarms[..., place],
        correct_rejections=classes.hits[..., 1 - place],
        negatives=classes.support[..., 1 - place],
        silences=classes.declared[..., 1 - place],
        misses=classes.misses[..., place],
        silent_misses=classes.false_alarms[..., 1 - place],
    )


def _is_binary(table: Contingency) -> bool:
    return len(table.truth_labels) == 2 and table.is_aligned


def explain_not_binary(empty: str) -> Callable[[Contingency], str]:
    """Return the reason why a number of a detector does not exist: there are not two classes, or ``empty``."""

    def reason(table: Contingency) -> str:
        if len(table.truth_labels) != 2:
            return f"{_TWO}; this table has {len(table.truth_labels)}"
        if not _is_binary(table):
            return f"{_TWO}; this table has other predictions"
        return empty.format(table.positive_label)

    return reason


@metric(
    Card(
        title="Precision",
        symbol="P",
        formula=r"\frac{TP}{TP+FP}",
        source="common",
        of_positive=True,
        aliases=("positive predictive value",),
        laws=_LAWS,
        undefined=f"{_TWO}, and at least one positive prediction",
    ),
    why=explain_not_binary("the system never declares {!r}"),
)
def precision(
    table: Contingency,
    *,
    average: Average | EllipsisType | None = ...,
    labels: Iterable[Label] | None = None,
    zero_division: ZeroDivision | None = None,
) -> Real:
    """Fraction of the positive predictions that are right.

    >>> print(f"{precision(Contingency.from_matrix([[5, 0], [7, 38]], positive=0)):.4f}")
    0.4167
    """
    if average is not ... or labels is not None or zero_division is not None:
        return average_rate(table, _PARTS["precision"], average=average, labels=labels, zero_division=zero_division)
    d = detection(table)
    return ratio(d.hits, d.alarms)


@metric(
    Card(
        title="Recall",
        symbol="R",
        formula=r"\frac{TP}{TP+FN}",
        source="common",
        of_positive=True,
        aliases=("sensitivity", "hit rate", "true positive rate"),
        laws=_LAWS,
        undefined=f"{_TWO}, and at least one sample of the positive class",
        note="A rejected sample of the positive class counts as not found.",
    ),
    why=explain_not_binary("there is no sample of {!r}"),
)
def recall(
    table: Contingency,
    *,
    average: Average | EllipsisType | None = ...,
    labels: Iterable[Label] | None = None,
    zero_division: ZeroDivision | None = None,
) -> Real:
    """Fraction of the positive samples that are predicted positive.

    >>> print(f"{recall(Contingency.from_matrix([[2, 3], [0, 45]], positive=0)):.1f}")
    0.4
    """
    if average is not ... or labels is not None or zero_division is not None:
        return average_rate(table, _PARTS["recall"], average=average, labels=labels, zero_division=zero_division)
    d = detection(table)
    return ratio(d.hits, d.positives)


@metric(
    Card(
        title="Specificity",
        symbol="TNR",
        formula=r"\frac{TN}{TN+FP}",
        source="common",
        of_positive=True,
        aliases=("true negative rate", "selectivity"),
        laws=_LAWS,
        undefined=f"{_TWO}, and at least one negative sample",
        note="A rejected negative sample counts as not recognised; class_specificity counts it as not declared.",
    ),
    why=explain_not_binary("every sample is {!r}"),
)
def specificity(
    table: Contingency,
    *,
    average: Average | EllipsisType | None = ...,
    labels: Iterable[Label] | None = None,
    zero_division: ZeroDivision | None = None,
) -> Real:
    """Fraction of the negative samples that are predicted negative.

    >>> print(f"{specificity(Contingency.from_matrix([[5, 0], [9, 36]], positive=0)):.1f}")
    0.8
    """
    if average is not ... or labels is not None or zero_division is not None:
        return average_rate(table, _PARTS["specificity"], average=average, labels=labels, zero_division=zero_division)
    d = detection(table)
    return clip_to_one(ratio(d.correct_rejections, d.negatives))


@metric(
    Card(
        title="Negative predictive value",
        symbol="NPV",
        formula=r"\frac{TN}{TN+FN}",
        source="common",
        of_positive=True,
        laws=_LAWS,
        undefined=f"{_TWO}, and at least one negative prediction",
        note="A rejected sample is not declared negative; weighted_npv counts it among those not declared as a class.",
    ),
    why=explain_not_binary("the system never declares the class other than {!r}"),
)
def npv(
    table: Contingency,
    *,
    average: Average | EllipsisType | None = ...,
    labels: Iterable[Label] | None = None,
    zero_division: ZeroDivision | None = None,
) -> Real:
    """Fraction of the negative predictions that are right.

    >>> print(f"{npv(Contingency.from_matrix([[4, 1], [6, 39]], positive=0)):.3f}")
    0.975
    """
    if average is not ... or labels is not None or zero_division is not None:
        return average_rate(table, _PARTS["npv"], average=average, labels=labels, zero_division=zero_division)
    d = detection(table)
    return ratio(d.correct_rejections, d.silences)


@metric(
    Card(
        title="False alarm rate",
        symbol="FPR",
        formula=r"\frac{FP}{FP+TN}",
        source="common",
        of_positive=True,
        better="lower",
        aliases=("fall-out", "false positive rate", "FAR"),
        laws=frozenset({Law.SCALING, Law.PERFECT_IS_ZERO}),
        undefined=f"{_TWO}, and at least one negative sample",
    ),
    why=explain_not_binary("every sample is {!r}"),
)
def false_alarm_rate(
    table: Contingency,
    *,
    average: Average | EllipsisType | None = ...,
    labels: Iterable[Label] | None = None,
    zero_division: ZeroDivision | None = None,
) -> Real:
    """Fraction of the negative samples that are predicted positive.

    >>> print(f"{false_alarm_rate(Contingency.from_matrix([[5, 0], [9, 36]], positive=0)):.1f}")
    0.2
    """
    if average is not ... or labels is not None or zero_division is not None:
        return average_rate(
            table, _PARTS["false_alarm_rate"], average=average, labels=labels, zero_division=zero_division
        )
    d = detection(table)
    return clip_to_one(ratio(d.false_alarms, d.negatives))


@metric(
    Card(
        title="F-β of the positive class",
        symbol="F_β",
        formula=r"\frac{(1+\beta^2) TP}{(1+\beta^2) TP + \beta^2 FN + FP}",
        source="common",
        of_positive=True,
        aliases=("F2", "F-beta", "F-measure"),
        laws=_LAWS,
        undefined=f"{_TWO}, and a positive sample or a positive prediction",
        note="Listed with β = 2: finding counts twice as much as not raising false alarms.",
    ),
    why=explain_not_binary("there is no sample and no alarm of {!r}"),
)
def f_beta(
    table: Contingency,
    beta: float = 2.0,
    *,
    average: Average | EllipsisType | None = ...,
    labels: Iterable[Label] | None = None,
    zero_division: ZeroDivision | None = None,
) -> Real:
    """Weighted harmonic mean of precision and recall, with recall ``beta`` times as important.

    >>> print(f"{f_beta(Contingency.from_matrix([[5, 0], [7, 38]], positive=0), beta=2.0):.4f}")
    0.7812
    """
    if average is not ... or labels is not None or zero_division is not None:

        def parts(classes: OneVsRest) -> tuple[Real, Real]:
            return f_beta_parts(classes.hits, classes.support, classes.declared, beta)

        return average_rate(table, parts, average=average, labels=labels, zero_division=zero_division)
    d = detection(table)
    return compute_f_beta(d.hits, d.positives, d.alarms, beta)


@metric(
    Card(
        title="F1",
        symbol="F1",
        formula=r"\frac{2TP}{2TP+FP+FN}",
        source="common",
        of_positive=True,
        aliases=("F-measure", "Dice", "Sørensen-Dice", "Sorensen"),
        laws=_LAWS,
        undefined=f"{_TWO}, and a positive sample or a positive prediction",
    ),
    why=explain_not_binary("there is neither a sample of {!r} nor an alarm"),
)
def f1(
    table: Contingency,
    *,
    average: Average | EllipsisType | None = ...,
    labels: Iterable[Label] | None = None,
    zero_division: ZeroDivision | None = None,
) -> Real:
    """Harmonic mean of precision and recall of the positive class.

    >>> print(f"{f1(Contingency.from_matrix([[15, 5], [45, 135]], positive=0)):.3f}")
    0.375
    """
    return f_beta(table, 1.0, average=average, labels=labels, zero_division=zero_division)


@metric(
    Card(
        title="Jaccard index",
        symbol="J",
        formula=r"\frac{TP}{TP+FP+FN}",
        source="common",
        of_positive=True,
        aliases=(
            "Jaccard",
            "Jaccard score",
            "intersection over union",
            "IoU",
            "critical success index",
            "threat score",
        ),
        laws=_LAWS,
        undefined=f"{_TWO}, and a positive sample or a positive prediction",
    ),
    why=explain_not_binary("there is neither a sample of {!r} nor an alarm"),
)
def jaccard(
    table: Contingency,
    *,
    average: Average | EllipsisType | None = ...,
    labels: Iterable[Label] | None = None,
    zero_division: ZeroDivision | None = None,
) -> Real:
    """Of the samples that are positive or predicted positive, the fraction that is both.

    >>> print(f"{jaccard(Contingency.from_matrix([[15, 5], [45, 135]], positive=0)):.4f}")
    0.2308
    """
    if average is not ... or labels is not None or zero_division is not None:
        return average_rate(table, jaccard_parts, average=average, labels=labels, zero_division=zero_division)
    d = detection(table)
    return ratio(d.hits, d.hits + d.misses + d.false_alarms)


@metric(
    Card(
        title="Phi coefficient",
        symbol="φ",
        formula=r"\frac{TP\,TN - FP\,FN}{\sqrt{(TP+FN)(FP+TN)(TP+FP)(FN+TN)}}",
        source="pearson1900",
        range=(-1.0, 1.0),
        aliases=("binary MCC", "phi (MCC)"),
        laws=_LAWS | {Law.INDEPENDENCE_IS_ZERO},
        undefined=f"{_TWO}, each used on both sides",
        note="With a reject column it is the multi-class R_K: a rejection is one more output, and never right.",
    ),
    why=explain_not_binary("only one class occurs on one side"),
)
def phi(table: Contingency) -> Real:
    """Correlation between truth and prediction; negative if predictions tend to be wrong.

    >>> print(f"{phi(Contingency.from_matrix([[15, 5], [45, 135]])):.4f}")
    0.3273
    """
    if not _is_binary(table):
        return np.full(table.batch_shape, np.nan)[()]
    return mcc(table)


# ── a detector as a diagnostic test ──────────────────────────────────────────────────────────────

_SCALED = frozenset({Law.SCALING})
_CHANCE = frozenset({Law.SCALING, Law.PERFECT_IS_ONE, Law.INDEPENDENCE_IS_ZERO})
_CANCELLED = 1e-6
"""A difference below this share of its parts has fewer than nine digits left."""

WholeCounts = dict[tuple[bool, bool | None], int]
"""Counts of samples by whether they are positive and whether they are declared so; None where they are rejected."""


def _difference(
    table: Contingency, one: Real, other: Real, in_whole_numbers: Callable[[WholeCounts], tuple[int, int]]
) -> Real:
    """Subtract two rates, in whole numbers (numerator, denominator) where a float lost the difference."""
    if holds_everywhere(np.isnan(one)):  # not a detector
        return one
    value = np.asarray(one - other, dtype=np.float64)
    lost = np.abs(value) < _CANCELLED * np.maximum(np.abs(one), np.abs(other))
    for place in np.argwhere(lost):
        whole = whole_table(table, tuple(place.tolist()))
        counts: WholeCounts = {(true, declared): 0 for true in (True, False) for declared in (True, False, None)}
        for n, (i, j) in zip(whole.cells, whole.places, strict=True):
            label = table.system_labels[j]
            declared = None if label == table.reject else label == table.positive_label
            counts[table.truth_labels[i] == table.positive_label, declared] += n
        numerator, denominator = in_whole_numbers(counts)
        value[tuple(place)] = numerator / denominator
    return as_real(value)[()]


@metric(
    Card(
        title="Informedness",
        family="diagnostic",
        symbol="J",
        formula=r"\frac{TP}{TP+FN} - \frac{FP}{FP+TN}",
        source="powers2011",
        range=(-1.0, 1.0),
        aliases=("Youden's J", "Youden index", "Youden", "bookmaker informedness", "delta P'"),
        laws=_CHANCE,
        undefined="needs two true classes and predictions among them, and samples of both classes",
        note="The same for either of two classes; it equals 2 × balanced accuracy − 1 where nothing is rejected.",
    ),
    why=explain_not_binary("there is no sample of one of the classes"),
)
def informedness(table: Contingency) -> Real:
    """Recall of the positive class minus the false positive rate: how far predictions depend on the truth.

    1 is perfect, 0 is independent of the truth, −1 is always wrong.

    >>> print(f"{informedness(Contingency.from_matrix([[8, 2], [3, 7]])):.1f}")
    0.5
    """

    def in_whole_numbers(n: WholeCounts) -> tuple[int, int]:
        positives, negatives = (sum(n[true, declared] for declared in (True, False, None)) for true in (True, False))
        return n[True, True] * negatives - n[False, True] * positives, positives * negatives

    d = detection(table)
    return _difference(table, ratio(d.hits, d.positives), ratio(d.false_alarms, d.negatives), in_whole_numbers)


@metric(
    Card(
        title="Markedness",
        family="diagnostic",
        symbol="MK",
        formula=r"\frac{TP}{TP+FP} - \frac{FN}{FN+TN}",
        source="powers2011",
        range=(-1.0, 1.0),
        aliases=("delta P",),
        laws=_CHANCE,
        undefined="needs two true classes and predictions among them, both of them predicted",
        note="The same for either of two classes: precision plus negative predictive value minus 1.",
    ),
    why=explain_not_binary("one of the classes is never declared"),
)
def markedness(table: Contingency) -> Real:
    """Precision plus negative predictive value minus 1: how far the truth depends on the prediction.

    >>> print(f"{markedness(Contingency.from_matrix([[8, 2], [3, 7]], positive=0)):.4f}")
    0.5051
    """

    def in_whole_numbers(n: WholeCounts) -> tuple[int, int]:
        alarms, silences = (n[True, declared] + n[False, declared] for declared in (True, False))
        return n[True, True] * silences - n[True, False] * alarms, alarms * silences

    d = detection(table)
    return _difference(table, ratio(d.hits, d.alarms), ratio(d.silent_misses, d.silences), in_whole_numbers)


def _divide_products(over: tuple[Real, Real], under: tuple[Real, Real]) -> Real:
    """Divide a product by a product, undefined where that is 0 or the ratio too large for a number.

    Exponents are added apart, so that no product overflows or vanishes on the way.
    """
    if holds_everywhere(np.isnan(over[0])):  # not a detector
        return over[0]
    (a, one), (b, two), (c, three), (d, four) = (np.frexp(side) for side in (*over, *under))
    with np.errstate(over="ignore"):
        value = np.ldexp(ratio(a * b, c * d), one + two - three - four)
    return mark_undefined(np.isinf(value), value)


@metric(
    Card(
        title="Positive likelihood ratio",
        family="diagnostic",
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
    why=explain_not_binary("there is no false alarm, or no sample of one of the classes"),
)
def positive_likelihood_ratio(table: Contingency) -> Real:
    """Ratio of the rates at which positive and negative samples are predicted positive.

    >>> print(f"{positive_likelihood_ratio(Contingency.from_matrix([[8, 2], [2, 18]], positive=0)):.1f}")
    8.0
    """
    d = detection(table)
    return _divide_products((d.hits, d.negatives), (d.positives, d.false_alarms))


@metric(
    Card(
        title="Negative likelihood ratio",
        family="diagnostic",
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
    why=explain_not_binary("no negative sample is recognised, or there is no sample of one of the classes"),
)
def negative_likelihood_ratio(table: Contingency) -> Real:
    """Ratio of the rates at which positive and negative samples are predicted negative.

    >>> print(f"{negative_likelihood_ratio(Contingency.from_matrix([[8, 2], [2, 18]], positive=0)):.4f}")
    0.2222
    """
    d = detection(table)
    return _divide_products((d.silent_misses, d.negatives), (d.positives, d.correct_rejections))


@metric(
    Card(
        title="Diagnostic odds ratio",
        family="diagnostic",
        symbol="DOR",
        formula=r"\frac{TP \cdot TN}{FP \cdot FN}",
        source="deeks2004",
        range=(0.0, np.inf),
        aliases=("DOR", "odds ratio"),
        laws=_SCALED,
        undefined="needs two true classes and predictions among them, a false alarm and a miss",
        note="LR+ over LR−; 1 is chance. Rejected samples are left out.",
    ),
    why=explain_not_binary("there is no false alarm or no miss"),
)
def diagnostic_odds_ratio(table: Contingency) -> Real:
    """Odds of a positive prediction for positive samples, divided by those for negative samples.

    >>> print(f"{diagnostic_odds_ratio(Contingency.from_matrix([[8, 2], [2, 18]], positive=0)):.1f}")
    36.0
    """
    d = detection(table)
    return _divide_products((d.hits, d.correct_rejections), (d.false_alarms, d.silent_misses))


@metric(
    Card(
        title="Lift",
        family="diagnostic",
        symbol="lift",
        formula=r"\frac{TP \cdot n}{(TP+FP)(TP+FN)}",
        source="common",
        range=(0.0, np.inf),
        of_positive=True,
        laws=_SCALED,
        undefined="needs two true classes and predictions among them, positive samples and positive predictions",
        note="1 is chance, and 1 over the prevalence the most. It is recall over the fraction predicted positive, too.",
    ),
    why=explain_not_binary("no sample is positive, or none is predicted positive"),
)
def lift(table: Contingency) -> Real:
    """Precision over prevalence: how many times more positives there are among the positive predictions than among all.

    >>> print(f"{lift(Contingency.from_matrix([[8, 2], [2, 28]], positive=0)):.1f}")
    3.2
    """
    d = detection(table)
    return _divide_products((d.hits, table.grand_total), (d.alarms, d.positives))
