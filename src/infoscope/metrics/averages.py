"""Conventional rates of many classes in one number: weighted by the truth (Holt et al.) or all classes alike."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import Real, mark_undefined, ratio
from infoscope.metrics.one_vs_rest import OneVsRest, compute_f_beta, jaccard_parts, list_marked_classes, one_vs_rest
from infoscope.metrics.registry import Card, Law, metric
from infoscope.tables import Contingency, remembered

_LAWS = frozenset({Law.SCALING, Law.JOINT_RELABELLING})
_WEIGHTED = _LAWS | {Law.EMPTY_CLASS}
_NO_LABEL = "truth and predictions have no label in common, so no prediction is right or wrong"


class _Averages(NamedTuple):
    """Every rate of the classes in one number, by its name."""

    by_size: dict[str, Real]
    """Weighted by class size: classes without samples have no say; an undefined one with samples makes it undefined."""
    alike: dict[str, Real]


@remembered
def _averages(table: Contingency) -> _Averages:
    """Average every one-against-the-rest rate, in one sweep."""
    classes = one_vs_rest(table)
    right = classes.hits + classes.correct_rejections
    parts = {
        "recall": (classes.hits, classes.support),
        "precision": (classes.hits, classes.declared),
        "false alarm rate": (classes.false_alarms, classes.others),
        "negative predictive value": (classes.correct_rejections, classes.undeclared),
        "f1": (2 * classes.hits, classes.support + classes.declared),
        "jaccard": jaccard_parts(classes),
        "accuracy": (right, right + classes.misses + classes.false_alarms),
    }
    # one division for all rates
    rates = ratio(np.array([part for part, _ in parts.values()]), np.array([whole for _, whole in parts.values()]))
    terms = rates * classes.support
    if not classes.support.all():
        terms[..., classes.support == 0] = 0.0
    no_label = not len(table.matches[0])
    by_size = mark_undefined(no_label, np.minimum(terms.sum(axis=-1) / table.grand_total, 1.0))
    alike = mark_undefined(no_label, rates.sum(axis=-1) / table.shape[0])
    return _Averages(dict(zip(parts, by_size, strict=True)), dict(zip(parts, alike, strict=True)))


def _why(rate: Callable[[OneVsRest], Real], *, weighted: bool) -> Callable[[Contingency], str]:
    """Return the reason why an average does not exist, naming the classes at fault."""

    def reason(table: Contingency) -> str:
        if not len(table.matches[0]):
            return _NO_LABEL
        missing = np.isnan(rate(one_vs_rest(table)))
        if weighted:
            missing &= table.row_totals > 0
        return f"undefined for {list_marked_classes(table.truth_labels, missing, most=None)}"

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
    return _averages(table).by_size["recall"]


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
    why=_why(lambda classes: ratio(classes.false_alarms, classes.others), weighted=True),
)
def weighted_fpr(table: Contingency) -> Real:
    """Mean false positive rate, weighted by class size.

    >>> print(f"{weighted_fpr(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.175
    """
    return _averages(table).by_size["false alarm rate"]


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
    why=_why(lambda classes: classes.precision, weighted=True),
)
def weighted_ppv(table: Contingency) -> Real:
    """Mean precision, weighted by class size.

    >>> print(f"{weighted_ppv(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.832
    """
    return _averages(table).by_size["precision"]


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
    why=_why(lambda classes: ratio(classes.correct_rejections, classes.undeclared), weighted=True),
)
def weighted_npv(table: Contingency) -> Real:
    """Mean negative predictive value, weighted by class size.

    >>> print(f"{weighted_npv(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.832
    """
    return _averages(table).by_size["negative predictive value"]


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
    return _averages(table).by_size["accuracy"]


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
    return _averages(table).by_size["f1"]


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
    return _averages(table).by_size["jaccard"]


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
        return _averages(table).alike["recall"]
    recalls = np.where(present, one_vs_rest(table).recall, 0.0)
    return mark_undefined(not len(table.matches[0]), ratio(recalls.sum(axis=-1), table.occupied_shape[0]))


@metric(
    Card(
        title="Macro precision",
        symbol="P_macro",
        formula=r"\frac1k\sum_i \mathrm{PPV}_i",
        source="common",
        laws=_LAWS | {Law.PERFECT_IS_ONE},
        undefined="a class is never predicted, or truth and predictions have no label in common",
    ),
    why=_why(lambda classes: classes.precision, weighted=False),
)
def macro_precision(table: Contingency) -> Real:
    """Unweighted mean precision over all declared classes.

    >>> print(f"{macro_precision(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.832
    """
    return _averages(table).alike["precision"]


@metric(
    Card(
        title="Macro recall",
        symbol="R_macro",
        formula=r"\frac1k\sum_i \mathrm{TPR}_i",
        source="common",
        laws=_LAWS | {Law.PERFECT_IS_ONE},
        undefined="a class has no samples, or truth and predictions have no label in common",
    ),
    why=_why(lambda classes: classes.recall, weighted=False),
)
def macro_recall(table: Contingency) -> Real:
    """Unweighted mean recall over all declared classes; balanced accuracy skips those without samples.

    >>> print(f"{macro_recall(Contingency.from_matrix([[45, 5], [2, 8]])):.2f}")
    0.85
    """
    return _averages(table).alike["recall"]


@metric(
    Card(
        title="Macro F1",
        symbol="F1_macro",
        formula=r"\frac1k\sum_i F_{1,i}",
        source="common",
        laws=_LAWS | {Law.PERFECT_IS_ONE},
        undefined="a class neither occurs nor is predicted, or truth and predictions have no label in common",
    ),
    why=_why(lambda classes: compute_f_beta(classes.hits, classes.support, classes.declared, 1.0), weighted=False),
)
def macro_f1(table: Contingency) -> Real:
    """Unweighted mean F1 over all declared classes.

    >>> print(f"{macro_f1(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.824
    """
    return _averages(table).alike["f1"]


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
    why=_why(lambda classes: ratio(*jaccard_parts(classes)), weighted=False),
)
def macro_jaccard(table: Contingency) -> Real:
    """Unweighted mean Jaccard index over all declared classes: the mean intersection over union of segmentation.

    >>> print(f"{macro_jaccard(Contingency.from_matrix([[15, 5], [2, 18]])):.3f}")
    0.701
    """
    return _averages(table).alike["jaccard"]
