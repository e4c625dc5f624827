"""Two classes, one of them the one to be detected."""

from collections.abc import Callable
from typing import NamedTuple, Unpack

import numpy as np

from infoscope.core.numerics import Real, at_most_one, ratio
from infoscope.metrics.agreement import mcc
from infoscope.metrics.class_averages import AverageKeywords, averaged
from infoscope.metrics.one_vs_rest import f_beta_of, f_beta_parts, jaccard_parts, one_vs_rest
from infoscope.metrics.registry import Card, Law, metric
from infoscope.tables import Contingency, remembered

__all__ = ["f1", "f_beta", "false_alarm_rate", "jaccard", "npv", "phi", "precision", "recall", "specificity"]

_LAWS = frozenset({Law.SCALING, Law.PERFECT_IS_ONE})
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


def _is_binary(table: Contingency) -> bool:
    return len(table.truth_labels) == 2 and table.is_aligned


@remembered
def detection(table: Contingency) -> Detection:
    """The counts of a detector; NaN where the table is not binary."""
    positive = table.positive_label
    if positive is None or not table.is_aligned:
        return Detection(*[np.full(table.batch_shape, np.nan)[()]] * 9)
    classes = one_vs_rest(table)
    at = table.truth_labels.index(positive)
    return Detection(
        hits=classes.hits[..., at],
        positives=classes.support[..., at],
        alarms=classes.declared[..., at],
        false_alarms=classes.false_alarms[..., at],
        correct_rejections=classes.hits[..., 1 - at],
        negatives=classes.support[..., 1 - at],
        silences=classes.declared[..., 1 - at],
        misses=classes.misses[..., at],
        silent_misses=classes.false_alarms[..., 1 - at],
    )


def why_not_binary(empty: str) -> Callable[[Contingency], str]:
    """Why a number of a detector does not exist: there are not two classes, or ``empty``."""

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
    why=why_not_binary("the system never declares {!r}"),
)
def precision(table: Contingency, **how: Unpack[AverageKeywords]) -> Real:
    """Fraction of the positive predictions that are right.

    >>> print(f"{precision(Contingency.from_matrix([[5, 0], [7, 38]], positive=0)):.4f}")
    0.4167
    """
    if how:
        return averaged(table, lambda classes: (classes.hits, classes.declared), **how)
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
    why=why_not_binary("there is no sample of {!r}"),
)
def recall(table: Contingency, **how: Unpack[AverageKeywords]) -> Real:
    """Fraction of the positive samples that are predicted positive.

    >>> print(f"{recall(Contingency.from_matrix([[2, 3], [0, 45]], positive=0)):.1f}")
    0.4
    """
    if how:
        return averaged(table, lambda classes: (classes.hits, classes.support), **how)
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
    why=why_not_binary("every sample is {!r}"),
)
def specificity(table: Contingency, **how: Unpack[AverageKeywords]) -> Real:
    """Fraction of the negative samples that are predicted negative.

    >>> print(f"{specificity(Contingency.from_matrix([[5, 0], [9, 36]], positive=0)):.1f}")
    0.8
    """
    if how:
        return averaged(table, lambda classes: (classes.correct_rejections, classes.others), **how)
    d = detection(table)
    return at_most_one(ratio(d.correct_rejections, d.negatives))


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
    why=why_not_binary("the system never declares the class other than {!r}"),
)
def npv(table: Contingency, **how: Unpack[AverageKeywords]) -> Real:
    """Fraction of the negative predictions that are right.

    >>> print(f"{npv(Contingency.from_matrix([[4, 1], [6, 39]], positive=0)):.3f}")
    0.975
    """
    if how:
        return averaged(table, lambda classes: (classes.correct_rejections, classes.undeclared), **how)
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
    why=why_not_binary("every sample is {!r}"),
)
def false_alarm_rate(table: Contingency, **how: Unpack[AverageKeywords]) -> Real:
    """Fraction of the negative samples that are predicted positive.

    >>> print(f"{false_alarm_rate(Contingency.from_matrix([[5, 0], [9, 36]], positive=0)):.1f}")
    0.2
    """
    if how:
        return averaged(table, lambda classes: (classes.false_alarms, classes.others), **how)
    d = detection(table)
    return at_most_one(ratio(d.false_alarms, d.negatives))


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
    why=why_not_binary("there is no sample and no alarm of {!r}"),
)
def f_beta(table: Contingency, beta: float = 2.0, **how: Unpack[AverageKeywords]) -> Real:
    """Weighted harmonic mean of precision and recall, with recall ``beta`` times as important.

    >>> print(f"{f_beta(Contingency.from_matrix([[5, 0], [7, 38]], positive=0), beta=2.0):.4f}")
    0.7812
    """
    if how:
        return averaged(
            table, lambda classes: f_beta_parts(classes.hits, classes.support, classes.declared, beta), **how
        )
    d = detection(table)
    return f_beta_of(d.hits, d.positives, d.alarms, beta)


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
    why=why_not_binary("there is neither a sample of {!r} nor an alarm"),
)
def f1(table: Contingency, **how: Unpack[AverageKeywords]) -> Real:
    """Harmonic mean of precision and recall of the positive class.

    >>> print(f"{f1(Contingency.from_matrix([[15, 5], [45, 135]], positive=0)):.3f}")
    0.375
    """
    return f_beta(table, 1.0, **how)


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
    why=why_not_binary("there is neither a sample of {!r} nor an alarm"),
)
def jaccard(table: Contingency, **how: Unpack[AverageKeywords]) -> Real:
    """Of the samples that are positive or predicted positive, the fraction that is both.

    >>> print(f"{jaccard(Contingency.from_matrix([[15, 5], [45, 135]], positive=0)):.4f}")
    0.2308
    """
    if how:
        return averaged(table, jaccard_parts, **how)
    d = detection(table)
    return ratio(d.hits, d.hits + d.misses + d.false_alarms)


@metric(
    Card(
        title="Phi coefficient",
        symbol="φ",
        formula=r"\frac{TP\,TN - FP\,FN}{\sqrt{(TP+FN)(FP+TN)(TP+FP)(FN+TN)}}",
        source="steingold2016",
        range=(-1.0, 1.0),
        aliases=("binary MCC", "phi (MCC)"),
        laws=_LAWS | {Law.INDEPENDENCE_IS_ZERO},
        undefined=f"{_TWO}, each used on both sides",
        note="With a reject column it is the multi-class R_K: a rejection is one more output, and never right.",
    ),
    why=why_not_binary("only one class occurs on one side"),
)
def phi(table: Contingency) -> Real:
    """Correlation between truth and prediction; negative if predictions tend to be wrong.

    >>> print(f"{phi(Contingency.from_matrix([[15, 5], [45, 135]])):.4f}")
    0.3273
    """
    if not _is_binary(table):
        return np.full(table.batch_shape, np.nan)[()]
    return mcc(table)
