"""Conventional rates of many classes in one number: weighted by the truth (Holt et al.) or all classes alike."""

from collections.abc import Callable

import numpy as np

from infoscope.core.numerics import Real, ratio, undefined_where
from infoscope.metrics.one_vs_rest import OneVsRest, jaccard_parts, one_vs_rest, undefined_classes
from infoscope.metrics.registry import Card, Law, metric
from infoscope.tables import Contingency, remembered

__all__ = [
    "balanced_accuracy",
    "macro_f1",
    "macro_jaccard",
    "macro_precision",
    "macro_recall",
    "rand_index",
    "weighted_f1",
    "weighted_fpr",
    "weighted_jaccard",
    "weighted_npv",
    "weighted_ppv",
    "weighted_tpr",
]

_LAWS = frozenset({Law.SCALING, Law.JOINT_RELABELLING})
_WEIGHTED = _LAWS | {Law.EMPTY_CLASS}
_NO_LABEL = "truth and predictions have no label in common, so no prediction is right or wrong"


_RATES = ("recall", "precision", "false alarm", "negative value", "f1", "jaccard", "accuracy")


@remembered
def _averages(table: Contingency) -> tuple[Real, Real]:
    """Every one-against-the-rest rate averaged by class size and over all classes alike, in one sweep.

    In the average by size, classes without samples have no say; an undefined one with samples makes it undefined.
    """
    classes = one_vs_rest(table)
    right = classes.hits + classes.correct_rejections
    both, either = jaccard_parts(classes)
    parts = (
        classes.hits,
        classes.hits,
        classes.false_alarms,
        classes.correct_rejections,
        2 * classes.hits,
        both,
        right,
    )
    wholes = (
        classes.support,
        classes.declared,
        classes.others,
        classes.undeclared,
        classes.support + classes.declared,
        either,
        right + classes.misses + classes.false_alarms,
    )
    stacked = ratio(np.array(parts), np.array(wholes))  # one division for all rates
    terms = stacked * classes.support
    if not classes.support.all():
        terms[..., classes.support == 0] = 0.0
    no_label = not len(table.matches[0])
    by_size = undefined_where(no_label, np.minimum(terms.sum(axis=-1) / table.grand_total, 1.0))
    alike = undefined_where(no_label, stacked.sum(axis=-1) / table.shape[0])
    return by_size, alike


def _weighted(table: Contingency, rate: str) -> Real:
    return _averages(table)[0][_RATES.index(rate)]


def _plain(table: Contingency, rate: str) -> Real:
    return _averages(table)[1][_RATES.index(rate)]


def _why(rate: Callable[[OneVsRest], Real], *, weighted: bool) -> Callable[[Contingency], str]:
    """The reason an average does not exist, naming the classes at fault."""

    def reason(table: Contingency) -> str:
        if not len(table.matches[0]):
            return _NO_LABEL
        weights = table.row_totals if weighted else np.ones(table.shape[0])
        return undefined_classes(table, rate(one_vs_rest(table)), weights)

    return reason


@metric(
    Card(
        title="Weighted true positive rate",
        symbol="TPR",
        formula=r"\sum_i p_i \mathrm{TPR}_i = A",
        source="holt2010",
        aliases=("TPR", "weighted recall"),
        laws=_WEIGHTED | {Law.PERFECT_IS_ONE},
        undefined=_NO_LABEL,
    )
)
def weighted_tpr(table: Contingency) -> Real:
    """Mean recall, weighted by class size; the same as accuracy.

    >>> print(f"{weighted_tpr(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.825
    """
    return _weighted(table, "recall")


@metric(
    Card(
        title="Weighted false positive rate",
        symbol="FPR",
        formula=r"\sum_i p_i \mathrm{FPR}_i",
        source="holt2010",
        better="lower",
        aliases=("FPR",),
        laws=_WEIGHTED | {Law.PERFECT_IS_ZERO},
        undefined="all samples are of one class, or truth and predictions have no label in common",
    ),
    why=_why(lambda rates: rates.false_alarm_rate, weighted=True),
)
def weighted_fpr(table: Contingency) -> Real:
    """Mean false positive rate, weighted by class size.

    >>> print(f"{weighted_fpr(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.175
    """
    return _weighted(table, "false alarm")


@metric(
    Card(
        title="Weighted positive predictive value",
        symbol="PPV",
        formula=r"\sum_i p_i \mathrm{PPV}_i",
        source="holt2010",
        aliases=("PPV", "weighted precision"),
        laws=_WEIGHTED | {Law.PERFECT_IS_ONE},
        undefined="a class that has samples is never predicted, or truth and predictions have no label in common",
    ),
    why=_why(lambda rates: rates.precision, weighted=True),
)
def weighted_ppv(table: Contingency) -> Real:
    """Mean precision, weighted by class size.

    >>> print(f"{weighted_ppv(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.832
    """
    return _weighted(table, "precision")


@metric(
    Card(
        title="Weighted negative predictive value",
        symbol="NPV",
        formula=r"\sum_i p_i \mathrm{NPV}_i",
        source="holt2010",
        aliases=("weighted NPV",),
        laws=_WEIGHTED | {Law.PERFECT_IS_ONE},
        undefined="every prediction is the same class, or truth and predictions have no label in common",
    ),
    why=_why(lambda rates: rates.negative_value, weighted=True),
)
def weighted_npv(table: Contingency) -> Real:
    """Mean negative predictive value, weighted by class size.

    >>> print(f"{weighted_npv(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.832
    """
    return _weighted(table, "negative value")


@metric(
    Card(
        title="Rand index (one against the rest)",
        symbol="RI",
        formula=r"\sum_i p_i \frac{\mathrm{TP}_i + \mathrm{TN}_i}{N}",
        source="holt2010",
        laws=_WEIGHTED | {Law.PERFECT_IS_ONE},
        undefined=_NO_LABEL,
        note="Holt et al.'s equation 9, not pair counting: that is pair_rand_index.",
    )
)
def rand_index(table: Contingency) -> Real:
    """Accuracy of each class against the rest; mean weighted by class size.

    >>> print(f"{rand_index(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.825
    """
    return _weighted(table, "accuracy")


@metric(
    Card(
        title="Weighted F1",
        symbol="F1_w",
        formula=r"\sum_i p_i F_{1,i}",
        source="holt2010",
        aliases=("F-score",),
        laws=_WEIGHTED | {Law.PERFECT_IS_ONE},
        undefined=_NO_LABEL,
    )
)
def weighted_f1(table: Contingency) -> Real:
    """Mean F1, weighted by class size.

    >>> print(f"{weighted_f1(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.824
    """
    return _weighted(table, "f1")


@metric(
    Card(
        title="Weighted Jaccard index",
        symbol="J_w",
        formula=r"\sum_i p_i \frac{\mathrm{TP}_i}{\mathrm{TP}_i + \mathrm{FN}_i + \mathrm{FP}_i}",
        source="common",
        aliases=("frequency weighted IoU", "fwIoU"),
        laws=_WEIGHTED | {Law.PERFECT_IS_ONE},
        undefined=_NO_LABEL,
    )
)
def weighted_jaccard(table: Contingency) -> Real:
    """Mean Jaccard index, weighted by class size.

    >>> print(f"{weighted_jaccard(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.701
    """
    return _weighted(table, "jaccard")


@metric(
    Card(
        title="Balanced accuracy",
        symbol="BA",
        formula=r"\frac{1}{K_+}\sum_i \mathrm{TPR}_i",
        source="common",
        laws=_WEIGHTED | {Law.PERFECT_IS_ONE},
        undefined=_NO_LABEL,
        note="Averages over the classes that have samples, as scikit-learn does.",
    )
)
def balanced_accuracy(table: Contingency, *, adjusted: bool = False) -> Real:
    """Mean recall of the classes that have samples: accuracy as if all were equally frequent.

    With ``adjusted``, rescaled so that 0 is always predicting one class and 1 is perfect.

    >>> print(f"{balanced_accuracy(Contingency.from_matrix([[45, 5], [2, 8]])):.2f}")
    0.85
    """
    if adjusted:
        guess = 1.0 / table.occupied_shape[0]
        return ratio(balanced_accuracy(table) - guess, 1.0 - guess)
    present = table.row_totals > 0
    if present.all():
        return _plain(table, "recall")
    recalls = np.where(present, one_vs_rest(table).recall, 0.0)
    return undefined_where(not len(table.matches[0]), ratio(recalls.sum(axis=-1), table.occupied_shape[0]))


@metric(
    Card(
        title="Macro precision",
        symbol="P_macro",
        formula=r"\frac1k\sum_i \mathrm{PPV}_i",
        source="common",
        laws=_LAWS | {Law.PERFECT_IS_ONE},
        undefined="a class is never predicted, or truth and predictions have no label in common",
    ),
    why=_why(lambda rates: rates.precision, weighted=False),
)
def macro_precision(table: Contingency) -> Real:
    """Unweighted mean precision over all declared classes.

    >>> print(f"{macro_precision(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.832
    """
    return _plain(table, "precision")


@metric(
    Card(
        title="Macro recall",
        symbol="R_macro",
        formula=r"\frac1k\sum_i \mathrm{TPR}_i",
        source="common",
        laws=_LAWS | {Law.PERFECT_IS_ONE},
        undefined="a class has no samples, or truth and predictions have no label in common",
    ),
    why=_why(lambda rates: rates.recall, weighted=False),
)
def macro_recall(table: Contingency) -> Real:
    """Unweighted mean recall over all declared classes; balanced accuracy skips those without samples.

    >>> print(f"{macro_recall(Contingency.from_matrix([[45, 5], [2, 8]])):.2f}")
    0.85
    """
    return _plain(table, "recall")


@metric(
    Card(
        title="Macro F1",
        symbol="F1_macro",
        formula=r"\frac1k\sum_i F_{1,i}",
        source="common",
        laws=_LAWS | {Law.PERFECT_IS_ONE},
        undefined="a class neither occurs nor is predicted, or truth and predictions have no label in common",
    ),
    why=_why(lambda rates: rates.f_beta(1.0), weighted=False),
)
def macro_f1(table: Contingency) -> Real:
    """Unweighted mean F1 over all declared classes.

    >>> print(f"{macro_f1(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.824
    """
    return _plain(table, "f1")


@metric(
    Card(
        title="Macro Jaccard index",
        symbol="J_macro",
        formula=r"\frac1k\sum_i \frac{\mathrm{TP}_i}{\mathrm{TP}_i + \mathrm{FN}_i + \mathrm{FP}_i}",
        source="common",
        aliases=("mean IoU", "mIoU", "mean intersection over union"),
        laws=_LAWS | {Law.PERFECT_IS_ONE},
        undefined="a class neither occurs nor is predicted, or truth and predictions have no label in common",
    ),
    why=_why(lambda rates: ratio(*jaccard_parts(rates)), weighted=False),
)
def macro_jaccard(table: Contingency) -> Real:
    """Unweighted mean Jaccard index over all declared classes: the mean intersection over union of segmentation.

    >>> print(f"{macro_jaccard(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.701
    """
    return _plain(table, "jaccard")
