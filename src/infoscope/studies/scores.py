"""Quality of scores and probabilities in a few numbers, from labels and scores alone.

Metrics of ``(y_true, y_score)`` first: areas, proper scores and D², for one column of scores of two classes or one
column per class; each has a card in the registry (domain "scores"). Then the summary that a sweep and a split by groups
show, reliability by bins, and what probabilities say in bits. All are public in ``infoscope.operating_points``, with
calibration, which is in ``calibration.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, entr

from infoscope.core.markup import ShortRepr
from infoscope.core.numerics import Real, distinct, ratio
from infoscope.core.validation import KeywordHints, Number, OneOf, validated
from infoscope.errors import InputError, UndefinedMetricWarning
from infoscope.metrics.ordinal import ranked_probability_score as hard_ranked_probability_score
from infoscope.metrics.registry import Card, describe_metric, register
from infoscope.metrics.shannon import entropies
from infoscope.results.estimate import Estimate
from infoscope.studies.score_arrays import (
    BinaryScores,
    Probabilities,
    choose_positive,
    count_columns,
    encode_binary_scores,
    encode_class_scores,
    encode_probabilities,
)
from infoscope.studies.score_ranking import (
    ScoreRanking,
    area_under_precision_recall,
    area_under_roc,
    estimate_areas,
    partial_area_under_roc,
    rank_scores,
)
from infoscope.tables import Contingency
from infoscope.tables.counting import warn_of
from infoscope.tables.labels import Label, as_label, as_labels, sorted_labels
from infoscope.tables.transformations import read_scale
from infoscope.typing import ArrayLike, Frame, LabelsLike

Scores = ArrayLike | Frame
Average = Literal["macro", "weighted", "micro"]
MultiClass = Literal["ovr", "ovo"]
Metric = TypeVar("Metric", bound=Callable[..., Any])

_ONE_CLASS = "the truth has one class only"
_NO_SAMPLE = "no sample is of the class"
_IMPOSSIBLE = "a true class has probability 0"
_LEAST = float(np.finfo(np.float64).eps)
"""A probability of 0 that was wrong counts as this in the log loss, as scikit-learn has it."""


def _score_metric(card: Card) -> Callable[[Metric], Metric]:
    """Register a function of labels and scores; the first sentence of its docstring is the card's meaning."""

    def add(score: Metric) -> Metric:
        register(describe_metric(score, card, domain="scores"))
        return score

    return add


# Metrics of a ranking -------------------------------------------------------------------------------------------------


@_score_metric(
    Card(
        title="Area under the ROC curve",
        symbol="AUC",
        formula=r"P(s_+ > s_-) + \tfrac12 P(s_+ = s_-)",
        source="common",
        aliases=("AUC", "ROC AUC", "roc_auc_score", "roc_auc_ovr", "roc_auc_ovo", "partial AUC"),
        undefined=_ONE_CLASS,
        note="Of more than two classes it is averaged over each against the rest, or over pairs of classes (ovo).",
    )
)
@validated(multi_class=OneOf("ovr", "ovo"), max_fpr=Number(0, 1, closed="high", meaning="a false alarm rate"))
def roc_auc(
    y_true: LabelsLike,
    y_score: Scores,
    *,
    average: Average | None = "macro",
    multi_class: MultiClass = "ovr",
    max_fpr: float | None = None,
    classes: Sequence[Any] | None = None,
    labels: Sequence[Any] | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    sample_weight: ArrayLike | None = None,
) -> float | Real:
    """Probability that a sample of a class scores above one of another: 1 is a perfect order, 0.5 is chance.

    Parameters
    ----------
    y_true : array-like
        True labels.
    y_score : array-like or frame
        One column of scores for two classes, or one column per class.
    average : {"macro", "weighted", "micro"} or None, default "macro"
        Of more than two classes: average over the classes, over these by their size, over all decisions pooled, or one
        number per class.
    multi_class : {"ovr", "ovo"}, default "ovr"
        Compare each class with the rest, or with each other.
    max_fpr : float, optional
        Take the part up to this false alarm rate alone, rescaled so that chance is 0.5.
    classes : sequence, optional
        The class of each column of scores; with one column, both classes.
    labels : sequence, optional
        scikit-learn's name for ``classes``, which must be sorted.
    positive, pos_label : label, optional
        The class that one column of scores is about.
    sample_weight : array-like, optional
        A weight for each row.

    Returns
    -------
    float or ndarray
        The area, or one per class with ``average=None``; NaN, with a warning, where it does not exist.

    Raises
    ------
    InputError
        If scores and labels do not fit together, or an option is none of its values.

    References
    ----------
    McClish (1989) for the partial area, Hand & Till (2001) for the mean over pairs of classes.

    Examples
    --------
    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    _check_choice("average", average, ("macro", "weighted", "micro", None))
    area: Callable[[ScoreRanking], float] = area_under_roc
    if max_fpr is not None and max_fpr != 1:
        area = partial(partial_area_under_roc, max_fpr=max_fpr)
    given = _encode_scores(y_true, y_score, classes, labels, positive, sample_weight)
    if isinstance(given, BinaryScores):
        has_both = given.is_positive.any() and not given.is_positive.all()
        return _warn_if_undefined("roc_auc", area(rank_scores(given)) if has_both else np.nan, _ONE_CLASS)
    if multi_class == "ovr":
        return _average_over_classes("roc_auc", area, given, average)
    if average not in ("macro", "weighted") or max_fpr is not None:
        raise InputError(
            "multi_class='ovo' is averaged as 'macro' or 'weighted', over whole curves; leave out the rest"
        )
    # Hand and Till: the mean over pairs of classes, each seen from both sides, among the samples of the two
    areas, sizes = [], []
    for one, other in combinations(range(len(given.labels)), 2):
        rows = (given.truth == one) | (given.truth == other)
        weights = None if given.weights is None else given.weights[rows]
        pair = Probabilities(given.values[rows], given.truth[rows], given.labels, weights)
        areas.append((_score_class(area_under_roc, pair, one) + _score_class(area_under_roc, pair, other)) / 2)
        sizes.append(float(rows.sum() if weights is None else weights.sum()))
    mean = float(np.average(areas, weights=sizes if average == "weighted" else None))
    return _warn_if_undefined("roc_auc", mean, "a class has no samples")


@_score_metric(
    Card(
        title="Average precision",
        symbol="AP",
        formula=r"\sum_n (R_n - R_{n-1}) P_n",
        source="common",
        aliases=("AP", "average_precision_score", "area under the precision-recall curve", "PR AUC"),
        undefined=_NO_SAMPLE,
        note="Of more than two classes it is averaged over each against the rest. A class that all samples belong to "
        "has 1, as in scikit-learn; a class without samples has no value, where scikit-learn warns and takes 0.",
    )
)
@validated()
def average_precision(
    y_true: LabelsLike,
    y_score: Scores,
    *,
    average: Average | None = "macro",
    classes: Sequence[Any] | None = None,
    labels: Sequence[Any] | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    sample_weight: ArrayLike | None = None,
) -> float | Real:
    """Precision averaged over the samples of a class as they are found from the highest score down.

    Parameters
    ----------
    y_true : array-like
        True labels.
    y_score : array-like or frame
        One column of scores for two classes, or one column per class.
    average : {"macro", "weighted", "micro"} or None, default "macro"
        Of more than two classes: average over the classes, over these by their size, over all decisions pooled, or one
        number per class.
    classes : sequence, optional
        The class of each column of scores; with one column, both classes.
    labels : sequence, optional
        scikit-learn's name for ``classes``, which must be sorted.
    positive, pos_label : label, optional
        The class that one column of scores is about.
    sample_weight : array-like, optional
        A weight for each row.

    Returns
    -------
    float or ndarray
        The average, or one per class with ``average=None``; NaN, with a warning, where it does not exist.

    Raises
    ------
    InputError
        If scores and labels do not fit together, or an option is none of its values.

    Examples
    --------
    >>> print(f"{average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]):.3f}")
    0.833
    """
    _check_choice("average", average, ("macro", "weighted", "micro", None))
    given = _encode_scores(y_true, y_score, classes, labels, positive, sample_weight)
    if isinstance(given, BinaryScores):
        value = area_under_precision_recall(rank_scores(given)) if given.is_positive.any() else np.nan
        return _warn_if_undefined("average_precision", value, _NO_SAMPLE)
    return _average_over_classes("average_precision", area_under_precision_recall, given, average, needs_rest=False)


def _average_over_classes(
    name: str,
    area: Callable[[ScoreRanking], float],
    given: Probabilities,
    average: Average | None,
    *,
    needs_rest: bool = True,
) -> float | Real:
    """Average the areas of each class against the rest."""
    classes, rows = len(given.labels), len(given.truth)
    if average == "micro":  # every pair of a sample and a class is one decision
        is_own = np.zeros((rows, classes), dtype=bool)
        is_own[np.arange(rows), given.truth] = True
        weights = None if given.weights is None else np.repeat(given.weights, classes)
        two = given.labels[0], given.labels[1]
        pooled = BinaryScores(given.values.ravel(), is_own.ravel(), two, given.labels[1], weights)
        return _warn_if_undefined(name, area(rank_scores(pooled)), _ONE_CLASS)
    areas = np.array([_score_class(area, given, place, needs_rest=needs_rest) for place in range(classes)])
    sizes = np.bincount(given.truth, given.weights, classes)
    if average == "weighted":
        areas = np.where(sizes > 0, areas, 0.0)  # a class without samples has no weight
    absent = [given.labels[place] for place in np.flatnonzero(np.isnan(areas))]
    if absent:
        why = f"{_NO_SAMPLE}, or all are" if needs_rest else _NO_SAMPLE
        warn_of([f"{name} is undefined for {absent[0]!r}: {why}"], UndefinedMetricWarning)
    if average is None:
        return areas
    return float(np.average(areas, weights=sizes if average == "weighted" else None))


def _score_class(
    area: Callable[[ScoreRanking], float], given: Probabilities, place: int, *, needs_rest: bool = True
) -> float:
    """Return the area of one class against the rest; NaN where it has no samples, or the rest has none."""
    is_own: NDArray[np.bool_] = given.truth == place
    if not is_own.any() or (needs_rest and is_own.all()):
        return float("nan")
    label = given.labels[place]
    return area(rank_scores(BinaryScores(given.values[:, place], is_own, (label, label), label, given.weights)))


# Proper scores --------------------------------------------------------------------------------------------------------


@_score_metric(
    Card(
        title="Brier score",
        symbol="BS",
        formula=r"\operatorname{mean}\sum_k (p_k - o_k)^2",
        source="brier1950",
        range=(0.0, 2.0),
        better="lower",
        aliases=("Brier", "brier_score_loss"),
        note="Brier's own form over all classes, 0 to 2; of two classes scikit-learn shows half of it: scale_by_half.",
    )
)
@validated()
def brier_score(
    y_true: LabelsLike,
    y_score: Scores,
    *,
    scale_by_half: bool | Literal["auto"] = False,
    classes: Sequence[Any] | None = None,
    labels: Sequence[Any] | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean squared distance of the probabilities from the truth, summed over the classes.

    Parameters
    ----------
    y_true : array-like
        True labels.
    y_score : array-like or frame
        Probabilities of the positive one of two classes, or one column per class.
    scale_by_half : bool or "auto", default False
        Give half of it; "auto" of two classes only, which is what scikit-learn shows.
    classes : sequence, optional
        The class of each column of probabilities; with one column, both classes.
    labels : sequence, optional
        scikit-learn's name for ``classes``, which must be sorted.
    positive, pos_label : label, optional
        The class that one column of probabilities is about.
    sample_weight : array-like, optional
        A weight for each row.

    Returns
    -------
    float
        From 0, certain and right, to 2.

    Raises
    ------
    InputError
        If the scores are no probabilities, do not fit the labels, or an option is none of its values.

    References
    ----------
    Brier (1950).

    Examples
    --------
    >>> print(f"{brier_score([0, 1], [0.25, 0.5]):.4f}")
    0.3125
    """
    _check_choice("scale_by_half", scale_by_half, (True, False, "auto"))
    given = _encode_forecasts(y_true, y_score, classes, labels, positive, sample_weight)
    is_half = len(given.labels) == 2 if scale_by_half == "auto" else scale_by_half
    return _measure_squared_distance(given) / (2 if is_half else 1)


@_score_metric(
    Card(
        title="Log loss",
        symbol="H(T,P)",
        formula=r"-\operatorname{mean}\ln p_{t}",
        source="common",
        range=(0.0, np.inf),
        better="lower",
        unit="nats",
        aliases=("log loss", "cross-entropy", "logistic loss"),
        note="A probability of 0 of a true class counts as 2⁻⁵² (36 nats), as in scikit-learn and in every sweep.",
    )
)
@validated()
def log_loss(
    y_true: LabelsLike,
    y_score: Scores,
    *,
    classes: Sequence[Any] | None = None,
    labels: Sequence[Any] | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean surprise at the truth in nats, as scikit-learn has it: a probability of 0 counts as 2⁻⁵².

    Parameters
    ----------
    y_true : array-like
        True labels.
    y_score : array-like or frame
        Probabilities of the positive one of two classes, or one column per class.
    classes : sequence, optional
        The class of each column of probabilities; with one column, both classes.
    labels : sequence, optional
        scikit-learn's name for ``classes``, which must be sorted.
    positive, pos_label : label, optional
        The class that one column of probabilities is about.
    sample_weight : array-like, optional
        A weight for each row.

    Returns
    -------
    float
        Nats per sample.

    Raises
    ------
    InputError
        If the scores are no probabilities, or do not fit the labels.

    Examples
    --------
    >>> print(f"{log_loss([0, 1], [0.25, 0.5]):.4f}")
    0.4904
    """
    return _measure_nats(_encode_forecasts(y_true, y_score, classes, labels, positive, sample_weight))


@_score_metric(
    Card(
        title="Perplexity of probabilities",
        symbol="2^H(T,P)",
        formula=r"2^{-\operatorname{mean}\log_2 p_{t}}",
        source="jelinek1977",
        range=(1.0, np.inf),
        better="lower",
        unit="classes",
        aliases=("perplexity of a predictor", "cross-perplexity"),
        undefined=f"infinite: {_IMPOSSIBLE}",
        note="The number of classes is what equal probabilities reach, 2^H(T) what the class frequencies reach.",
    )
)
@validated()
def perplexity(
    y_true: LabelsLike,
    y_score: Scores,
    *,
    classes: Sequence[Any] | None = None,
    labels: Sequence[Any] | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    sample_weight: ArrayLike | None = None,
) -> float:
    """2 to the cross-entropy: among how many equally likely classes the probabilities leave one to guess.

    1 is certain and right; more than the number of classes misleads.

    Parameters
    ----------
    y_true : array-like
        True labels.
    y_score : array-like or frame
        Probabilities of the positive one of two classes, or one column per class.
    classes : sequence, optional
        The class of each column of probabilities; with one column, both classes.
    labels : sequence, optional
        scikit-learn's name for ``classes``, which must be sorted.
    positive, pos_label : label, optional
        The class that one column of probabilities is about.
    sample_weight : array-like, optional
        A weight for each row.

    Returns
    -------
    float
        A number of classes; infinite, with a warning, where a true class has probability 0.

    Raises
    ------
    InputError
        If the scores are no probabilities, or do not fit the labels.

    Examples
    --------
    >>> perplexity(["a", "b"], [[0.5, 0.5], [0.5, 0.5]])
    2.0
    """
    bits = cross_entropy(_encode_forecasts(y_true, y_score, classes, labels, positive, sample_weight))
    if np.isinf(bits):
        warn_of([f"perplexity is infinite: {_IMPOSSIBLE}"], UndefinedMetricWarning)
    return float(np.exp2(bits))


@_score_metric(
    Card(
        title="D² of the Brier score",
        symbol="D²_BS",
        formula=r"1 - \frac{BS}{BS_0}",
        source="common",
        range=(-np.inf, 1.0),
        aliases=("D2 Brier", "Brier skill score", "d2_brier_score"),
        undefined=_ONE_CLASS,
        note="0 is what the class frequencies alone reach, 1 is perfect, negative is worse than these.",
    )
)
@validated()
def d2_brier_score(
    y_true: LabelsLike,
    y_score: Scores,
    *,
    classes: Sequence[Any] | None = None,
    labels: Sequence[Any] | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of the Brier score of the class frequencies that the probabilities save.

    Parameters
    ----------
    y_true : array-like
        True labels.
    y_score : array-like or frame
        Probabilities of the positive one of two classes, or one column per class.
    classes : sequence, optional
        The class of each column of probabilities; with one column, both classes.
    labels : sequence, optional
        scikit-learn's name for ``classes``, which must be sorted.
    positive, pos_label : label, optional
        The class that one column of probabilities is about.
    sample_weight : array-like, optional
        A weight for each row.

    Returns
    -------
    float
        1 is perfect, 0 the class frequencies alone; NaN, with a warning, where the truth has one class.

    Raises
    ------
    InputError
        If the scores are no probabilities, or do not fit the labels.

    Examples
    --------
    >>> print(f"{d2_brier_score([0, 1], [0.25, 0.5]):.3f}")
    0.375
    """
    given = _encode_forecasts(y_true, y_score, classes, labels, positive, sample_weight)
    return _measure_share_saved("d2_brier_score", given, _measure_squared_distance)


@_score_metric(
    Card(
        title="D² of the log loss",
        symbol="D²_log",
        formula=r"1 - \frac{H(T,P)}{H(T)}",
        source="common",
        range=(-np.inf, 1.0),
        aliases=("D2 log loss", "d2_log_loss_score", "McFadden's R²"),
        undefined=_ONE_CLASS,
        note="The share of the truth's information that the probabilities give: what proficiency is for predictions. "
        "A probability of 0 of a true class counts as 2⁻⁵², as in the log loss.",
    )
)
@validated()
def d2_log_loss(
    y_true: LabelsLike,
    y_score: Scores,
    *,
    classes: Sequence[Any] | None = None,
    labels: Sequence[Any] | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    sample_weight: ArrayLike | None = None,
) -> float:
    """Share of the log loss of the class frequencies that the probabilities save.

    Parameters
    ----------
    y_true : array-like
        True labels.
    y_score : array-like or frame
        Probabilities of the positive one of two classes, or one column per class.
    classes : sequence, optional
        The class of each column of probabilities; with one column, both classes.
    labels : sequence, optional
        scikit-learn's name for ``classes``, which must be sorted.
    positive, pos_label : label, optional
        The class that one column of probabilities is about.
    sample_weight : array-like, optional
        A weight for each row.

    Returns
    -------
    float
        1 is perfect, 0 the class frequencies alone; NaN, with a warning, where the truth has one class.

    Raises
    ------
    InputError
        If the scores are no probabilities, or do not fit the labels.

    Examples
    --------
    >>> print(f"{d2_log_loss([0, 1], [0.25, 0.5]):.3f}")
    0.292
    """
    given = _encode_forecasts(y_true, y_score, classes, labels, positive, sample_weight)
    return _measure_share_saved("d2_log_loss", given, _measure_nats)


def _measure_squared_distance(given: Probabilities) -> float:
    values = given.values.astype(np.float64)
    own = values[np.arange(len(given.truth)), given.truth]
    return float(np.average(np.sum(values**2, axis=1) - 2 * own + 1.0, weights=given.weights))


def _measure_nats(given: Probabilities) -> float:
    loss = summarize_probabilities(given).log_loss
    assert loss is not None
    return loss


def _measure_share_saved(name: str, given: Probabilities, measure: Callable[[Probabilities], float]) -> float:
    """Return the share of the loss of the class frequencies that is saved; one class alone is no loss to them."""
    counts = np.bincount(given.truth, given.weights, len(given.labels))
    values = np.broadcast_to(counts / counts.sum(), (len(given.truth), len(given.labels)))
    frequencies = Probabilities(values, given.truth, given.labels, given.weights)
    left = float(ratio(np.float64(measure(given)), np.float64(measure(frequencies))))
    return 1.0 - _warn_if_undefined(name, left, _ONE_CLASS)


# Arguments of the metrics ---------------------------------------------------------------------------------------------


def _encode_scores(
    y_true: LabelsLike,
    y_score: Scores,
    classes: Sequence[Any] | None,
    labels: Sequence[Any] | None,
    positive: Label | None,
    sample_weight: ArrayLike | None,
) -> BinaryScores | Probabilities:
    """Check scores of the positive class of two, or a column for each of more classes, whatever they sum to."""
    classes, positive = _check_classes(classes, labels), None if positive is None else as_label(positive)
    if count_columns(y_score) < 2:
        return encode_binary_scores(y_score, y_true, positive=positive, sample_weight=sample_weight, classes=classes)
    columns = encode_class_scores(y_score, y_true, classes=classes, sample_weight=sample_weight, several=False)
    if len(columns.labels) > 2:
        return columns
    chosen = choose_positive((columns.labels[0], columns.labels[1]), positive)
    place = columns.labels.index(chosen)
    two = columns.labels[1 - place], chosen
    return BinaryScores(columns.values[:, place], columns.truth == place, two, chosen, columns.weights)


def _encode_forecasts(
    y_true: LabelsLike,
    y_score: Scores,
    classes: Sequence[Any] | None,
    labels: Sequence[Any] | None,
    positive: Label | None,
    sample_weight: ArrayLike | None,
) -> Probabilities:
    """Check probabilities of every class; of two classes one column is that of the positive one."""
    classes, positive = _check_classes(classes, labels), None if positive is None else as_label(positive)
    if count_columns(y_score) > 1:
        return encode_probabilities(
            y_score, y_true, classes=classes, sample_weight=sample_weight, normalize=False, several=False
        )
    two = encode_binary_scores(y_score, y_true, positive=positive, sample_weight=sample_weight, classes=classes)
    is_outside = (two.scores < 0) | (two.scores > 1)
    if is_outside.any():
        row = int(np.argmax(is_outside))
        raise InputError(f"the score of row {row} is {two.scores[row]:g}, and a probability lies between 0 and 1")
    scores = two.scores.astype(np.float64)
    values = np.stack([1.0 - scores, scores], axis=1)
    other = two.labels[0] if two.positive == two.labels[1] else two.labels[1]
    return Probabilities(values, two.is_positive.astype(np.int64), (other, two.positive), two.weights)


def _check_classes(classes: Sequence[Any] | None, labels: Sequence[Any] | None) -> Sequence[Any] | None:
    """Return the classes of the columns, which scikit-learn calls labels and takes in their order."""
    if labels is None:
        return classes
    if classes is not None:
        raise InputError("classes and labels are the same; give one of them")
    named = as_labels(labels)
    if named != sorted_labels(named):
        raise InputError(
            "labels must be sorted, because scores are taken in that order; use classes= for another order"
        )
    return named


def _check_choice(option: str, value: object, values: Sequence[object]) -> None:
    """Reject a value that is none of a few, which may include None, True and False."""
    if value not in values:
        raise InputError(f"{option} is {value!r}; it is one of {', '.join(map(repr, values))}")


def _warn_if_undefined(name: str, value: float, reason: str) -> float:
    """Return the number; NaN with a warning that says why, as of every metric."""
    if np.isnan(value):
        warn_of([f"{name} is undefined: {reason}"], UndefinedMetricWarning)
    return float(value)


# The scores in a few numbers ------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class ScoreSummary(ShortRepr, KeywordHints):
    """Scores against their truth; a number that does not exist is None.

    Scoring rules need scores between 0 and 1; numbers of a ranking need two classes, both with samples.
    """

    samples: float
    positives: float | None = None
    prevalence: float | None = None
    """Share of the samples that are positive."""
    mean_score: float | None = None
    mean_score_of_positives: float | None = None
    mean_score_of_negatives: float | None = None
    over_prediction: float | None = None
    """Summed scores over the positives, less 1: 0.1 is one positive in ten too many."""
    log_loss: float | None = None
    """Mean of −log of the probability that the true class was given, in nats."""
    log_loss_of_positives: float | None = None
    """The same mean over the positives alone."""
    log_loss_of_negatives: float | None = None
    normalized_log_loss: float | None = None
    """1 − log loss over that of always stating the prevalence: 1 is perfect, 0 knows the prevalence only."""
    perplexity: float | None = None
    """e to the log loss, equally likely classes that the probabilities leave to guess among; None if infinite."""
    brier_score: float | None = None
    """Mean squared distance of the probability from 0 or 1; of several classes the sum over them."""
    normalized_brier_score: float | None = None
    """1 − Brier score over that of always stating the prevalence."""
    sure_false_positives: float | None = None
    """Negatives with a score of exactly 1."""
    sure_false_negatives: float | None = None
    """Positives with a score of exactly 0."""
    roc_auc: float | None = None
    roc_auc_low: float | None = None
    roc_auc_high: float | None = None
    """Ends of its 95% interval (DeLong)."""
    lift_quality: float | None = None
    """Area between the curve of gains and chance, over that of a perfect ranker: 2·AUC − 1."""
    best_lift: float | None = None
    """Lift at the threshold where the curve of gains is farthest above chance: there one more row brings lift 1."""
    best_lift_threshold: float | None = None
    best_lift_share: float | None = None
    """Share of the rows that are predicted positive there."""


NO_PROBABILITIES = (
    "Log loss, Brier score and over-prediction need probabilities, and these scores lie below 0 or above 1; logits are "
    "taken with --score-type logit (raw=True)."
)
SUMMARY_WORDS = {
    "prevalence": "prevalence",
    "mean_score": "mean score",
    "mean_score_of_positives": "mean score of positives",
    "mean_score_of_negatives": "mean score of negatives",
    "over_prediction": "over-prediction",
    "log_loss": "log loss",
    "log_loss_of_positives": "log loss of positives",
    "log_loss_of_negatives": "log loss of negatives",
    "normalized_log_loss": "normalized log loss",
    "perplexity": "perplexity",
    "brier_score": "Brier score",
    "normalized_brier_score": "normalized Brier score",
    "sure_false_positives": "sure false positives",
    "sure_false_negatives": "sure false negatives",
    "roc_auc": "area under the ROC curve",
    "lift_quality": "lift quality",
    "best_lift": "best lift",
    "best_lift_threshold": "threshold of the best lift",
    "best_lift_share": "share predicted positive there",
}
"""Names of the numbers in reports."""


def are_probabilities(levels: ScoreRanking) -> bool:
    """Return whether all scores lie between 0 and 1."""
    return bool(len(levels.thresholds)) and bool(levels.thresholds[-1] >= 0 and levels.thresholds[0] <= 1)


@validated()
def score_summary(
    levels: ScoreRanking, *, probabilities: bool | None = None, roc_auc: float | None = None
) -> ScoreSummary:
    """Sum one score up, from its distinct values and how often each class has them.

    Parameters
    ----------
    levels : ScoreRanking
        Distinct scores from the highest down, with the positives and the samples at or above each.
    probabilities : bool, optional
        Whether the scores are probabilities; by default they are where all lie between 0 and 1.
    roc_auc : float, optional
        The area under the ROC curve where it is known already.

    Returns
    -------
    ScoreSummary
        Proper scores of probabilities, and how well the score ranks.

    Examples
    --------
    >>> summary = score_summary(ScoreRanking(np.array([0.9, 0.2]), np.array([1, 1]), np.array([1, 3]), 1.0, 3.0))
    >>> print(f"{summary.brier_score:.4f} {summary.lift_quality:.2f} {summary.best_lift:.0f}")
    0.0300 1.00 3
    """
    prevalence = levels.positives / levels.total
    summary = ScoreSummary(levels.total, levels.positives, prevalence)
    if are_probabilities(levels) if probabilities is None else probabilities:
        scores = levels.thresholds
        hits = np.diff(levels.hits, prepend=0).astype(np.float64)
        misses = np.diff(levels.false_alarms, prepend=0).astype(np.float64)
        surprise_of_hits = -float(hits @ np.log(np.maximum(scores, _LEAST)))
        surprise_of_misses = -float(misses @ np.log(np.maximum(1.0 - scores, _LEAST)))
        log_loss = (surprise_of_hits + surprise_of_misses) / levels.total
        brier = float(hits @ (1.0 - scores) ** 2 + misses @ scores**2) / levels.total
        summed = float((hits + misses) @ scores)
        negatives = levels.total - levels.positives
        entropy, variance = float(entr([prevalence, 1.0 - prevalence]).sum()), prevalence * (1.0 - prevalence)
        sure_alarms, sure_misses = float(misses @ (scores == 1.0)), float(hits @ (scores == 0.0))
        summary = replace(
            summary,
            mean_score=summed / levels.total,
            mean_score_of_positives=float(hits @ scores) / levels.positives if levels.positives > 0 else None,
            mean_score_of_negatives=float(misses @ scores) / negatives if negatives > 0 else None,
            over_prediction=summed / levels.positives - 1.0 if levels.positives > 0 else None,
            log_loss=log_loss,
            log_loss_of_positives=surprise_of_hits / levels.positives if levels.positives > 0 else None,
            log_loss_of_negatives=surprise_of_misses / negatives if negatives > 0 else None,
            normalized_log_loss=1.0 - log_loss / entropy if entropy > 0 else None,
            perplexity=None if sure_alarms + sure_misses > 0 else float(np.exp(log_loss)),
            brier_score=brier,
            normalized_brier_score=1.0 - brier / variance if variance > 0 else None,
            sure_false_positives=sure_alarms,
            sure_false_negatives=sure_misses,
        )
    if not 0 < levels.positives < levels.total:
        return summary

    area = area_under_roc(levels) if roc_auc is None else roc_auc
    ends = estimate_areas(levels)["roc_auc"]
    summary = replace(
        summary, roc_auc=area, roc_auc_low=ends.low, roc_auc_high=ends.high, lift_quality=2.0 * area - 1.0
    )
    best, ahead = -1, 0.0
    first = -1  # of a stretch that starts with the level before it
    for hits, alarms in levels.stretches():
        gain = hits / levels.positives - alarms / levels.total
        top = int(np.argmax(gain))
        if gain[top] > ahead:
            best, ahead = first + top, float(gain[top])
        first += len(hits) - 1
    if best < 0:
        return summary
    share = float(levels.alarms[best] / levels.total)
    lift = float(levels.hits[best] / levels.positives) / share
    threshold = float(levels.thresholds[best])
    return replace(summary, best_lift=lift, best_lift_threshold=threshold, best_lift_share=share)


def summarize_probabilities(given: Probabilities) -> ScoreSummary:
    """Apply the scoring rules to probabilities of every class; of two classes as of the probability of one of them."""
    weights = given.row_weights
    total = float(weights.sum())
    shares = np.bincount(given.truth, weights, minlength=len(given.labels)) / total
    surprise = squares = zeros = 0.0
    for block in given.blocks():
        values = np.asarray(given.values[block], dtype=np.float64)
        values = values / values.sum(axis=1, keepdims=True)
        own = values[np.arange(len(values)), given.truth[block]]
        surprise -= float(weights[block] @ np.log(np.maximum(own, _LEAST)))
        zeros += float(weights[block] @ (own == 0.0))
        squares += float(weights[block] @ ((values**2).sum(axis=1) - 2.0 * own + 1.0))
    halved = 2.0 if len(given.labels) == 2 else 1.0
    log_loss, brier = surprise / total, squares / total / halved
    entropy, variance = float(entr(shares).sum()), float(1.0 - np.sum(shares**2)) / halved
    return ScoreSummary(
        total,
        log_loss=log_loss,
        normalized_log_loss=1.0 - log_loss / entropy if entropy > 0 else None,
        perplexity=None if zeros > 0 else float(np.exp(log_loss)),
        brier_score=brier,
        normalized_brier_score=1.0 - brier / variance if variance > 0 else None,
    )


# Reliability ----------------------------------------------------------------------------------------------------------

Binning = Literal["variance", "quantile", "uniform"]
MAX_BINS = 10


@dataclass(frozen=True, repr=False)
class ReliabilityBin(ShortRepr):
    """Samples of neighbouring scores: their mean score, and the share of them that is positive."""

    low: float
    """The lowest score in it."""
    high: float
    score: float
    rate: Estimate
    """Share of positives, with Jeffreys' interval."""
    samples: float
    positives: float


def bin_scores(
    levels: ScoreRanking,
    *,
    bins: int = MAX_BINS,
    strategy: Binning = "variance",
    level: float = 0.95,
    sample_size: float | None = None,
) -> tuple[ReliabilityBin, ...]:
    """Cut scores into bins in which the share of positives is about equally well known, by default.

    "variance" cuts where the summed score · (1 − score) is the same in each bin, so that rare positives are not all in
    the last one; "quantile" gives each bin as many samples, "uniform" the same width, as scikit-learn cuts them. Equal
    scores stay together, and empty bins are left out. ``sample_size`` is what weighted samples are worth.
    """
    if bins < 1 or strategy not in get_args(Binning):
        names = ", ".join(map(repr, get_args(Binning)))
        raise InputError(f"reliability takes one bin or more, by one of {names}, not {bins} by {strategy!r}")
    if not are_probabilities(levels):
        raise InputError("reliability needs probabilities, and scores lie below 0 or above 1; calibrate them first")
    scores = levels.thresholds[::-1]
    samples, positives = (np.diff(side, prepend=0)[::-1].astype(float) for side in (levels.alarms, levels.hits))

    variance = samples * scores * (1.0 - scores)
    if strategy == "variance" and variance.sum() > 0:
        middle = (np.cumsum(variance) - variance / 2.0) / variance.sum()
        places = np.minimum((bins * middle).astype(np.int64), bins - 1)
    elif strategy == "uniform":
        places = np.searchsorted(np.linspace(0.0, 1.0, bins + 1)[1:-1], scores)
    else:
        places = np.searchsorted(_find_quantiles(scores, samples, bins)[1:-1], scores)

    worth = 1.0 if sample_size is None else sample_size / levels.total
    tail = (1.0 - level) / 2.0
    filled = []
    for place in distinct(places):
        inside = np.flatnonzero(places == place)
        size, hits = float(samples[inside].sum()), float(positives[inside].sum())
        if size > 0:
            a, b = hits * worth + 0.5, (size - hits) * worth + 0.5
            low = 0.0 if hits == 0 else float(betaincinv(a, b, tail))
            high = 1.0 if hits == size else float(betaincinv(a, b, 1.0 - tail))
            mean = float(np.average(scores[inside], weights=samples[inside]))
            ends = float(scores[inside[0]]), float(scores[inside[-1]])
            filled.append(ReliabilityBin(*ends, mean, Estimate(hits / size, low=low, high=high), size, hits))
    return tuple(filled)


def _find_quantiles(scores: Real, samples: Real, bins: int) -> NDArray[np.float64]:
    """Return linear quantiles of the samples, from distinct scores and how often each occurs."""
    ends = np.cumsum(samples)
    ranks = np.linspace(0.0, 1.0, bins + 1) * max(ends[-1] - 1.0, 0.0)
    floors = np.floor(ranks)
    below, above = (
        scores[np.minimum(np.searchsorted(ends, rank, side="right"), len(scores) - 1)]
        for rank in (floors, np.ceil(ranks))
    )
    return np.asarray(below + (above - below) * (ranks - floors), dtype=np.float64)


# Probabilities as output, in bits -------------------------------------------------------------------------------------


@validated()
def soft_table(
    y_true: LabelsLike,
    y_score: ArrayLike | Frame,
    *,
    classes: Sequence[Any] | None = None,
    weight: ArrayLike | None = None,
    normalize: bool = False,
) -> Contingency:
    """Spread every sample over the columns of a table by its probabilities.

    The table keeps the row totals of the hard table and holds what is believed, not what is decided.

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
    Contingency
        The soft table.

    Raises
    ------
    InputError
        If the probabilities do not fit the labels, or a row does not sum to one.

    Examples
    --------
    >>> print(soft_table(["a", "b"], [[0.75, 0.25], [0.5, 0.5]]).counts.tolist())
    [[0.75, 0.25], [0.5, 0.5]]
    """
    return _soften(encode_probabilities(y_score, y_true, classes=classes, sample_weight=weight, normalize=normalize))


def _soften(given: Probabilities) -> Contingency:
    k = len(given.labels)
    counts = np.zeros((k, k))
    for block in given.blocks():
        part = np.asarray(given.values[block], dtype=np.float64)
        part = part / part.sum(axis=1, keepdims=True)
        if given.weights is not None:
            part = part * given.weights[block][:, None]
        owner = given.truth[block]
        is_owner = np.zeros((k, len(owner)))
        is_owner[owner, np.arange(len(owner))] = 1.0
        counts += is_owner @ part
    rows, columns = np.indices((k, k)).reshape(2, -1)
    return Contingency.from_cells(
        given.labels,
        given.labels,
        rows,
        columns,
        counts.reshape(-1),
        declared=True,
        ignored=given.ignored,
        weight_squares=float(np.sum(given.row_weights**2)),
    )


@dataclass(frozen=True)
class ProbabilisticScores(KeywordHints):
    """Information in probabilities, in bits, beside that of the hard decisions taken from them."""

    cross_entropy: float
    """Mean surprise at the truth: infinite where a true class got probability 0."""
    log_information: float
    """H(T) − cross-entropy: bits that the probabilities really give; negative where they mislead."""
    information_score: float
    """Kononenko and Bratko's average information score."""
    relative_information_score: float
    """The same over the entropy of the class frequencies."""
    soft_mutual_information: float
    hard_mutual_information: float
    truth_entropy: float
    ranked_probability_score: float | None = None
    """Squared distance of the cumulative probabilities from the truth, 0 to 1, where an order of classes was stated."""
    hard_ranked_probability_score: float | None = None
    """The same of the most probable class alone."""

    @property
    def perplexity(self) -> float:
        """2 to the cross-entropy: among how many equally likely classes the probabilities leave one to guess.

        Infinite where a true class got probability 0. The truth alone leaves ``2**truth_entropy``, so that a
        predictor beyond that misleads.
        """
        return float(np.exp2(self.cross_entropy))


@validated()
def probabilistic_scores(
    y_true: LabelsLike,
    y_score: ArrayLike | Frame,
    *,
    classes: Sequence[Any] | None = None,
    weight: ArrayLike | None = None,
    normalize: bool = False,
    ordinal: Sequence[Any] | None = None,
) -> ProbabilisticScores:
    """Measure soft and hard numbers of the same output, side by side.

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
    ordinal : sequence, optional
        The classes from the lowest to the highest: then the ranked probability score is among the numbers.

    Returns
    -------
    ProbabilisticScores
        Cross-entropy, information scores and mutual information, in bits.

    Raises
    ------
    InputError
        If the probabilities do not fit the labels, or a row does not sum to one.

    References
    ----------
    Kononenko & Bratko (1991) for the information score, Epstein (1969) for the ranked probability score.

    Examples
    --------
    >>> scores = probabilistic_scores(["a", "b"], [[0.75, 0.25], [0.5, 0.5]])
    >>> print(f"{scores.cross_entropy:.3f} {scores.log_information:.3f}")
    0.708 0.292
    """
    given = encode_probabilities(y_score, y_true, classes=classes, sample_weight=weight, normalize=normalize)
    predictions = np.concatenate([np.argmax(given.values[block], axis=1) for block in given.blocks()])
    k = len(given.labels)
    hard = np.bincount(given.truth * k + predictions, given.weights, minlength=k * k).reshape(k, k)
    table = Contingency.from_matrix(hard, truth=given.labels)
    entropy = entropies(table)
    surprise = cross_entropy(given)
    # Kononenko and Bratko: a sample whose class rises from its prevalence P to P' scores log2(P'/P), the bits by which
    # it became likelier; one whose class falls scores −log2((1−P')/(1−P))
    counts = np.bincount(given.truth, given.weights, minlength=k)
    shares = counts / counts.sum()
    if np.any(shares[distinct(given.truth)] <= 0):
        raise InputError("a true class has samples of weight 0 alone; give one of them a weight above 0")
    before, after = shares[given.truth], _get_own_probability(given)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(after >= before, np.log2(after / before), -np.log2((1 - after) / (1 - before)))
    score = float(np.average(gain, weights=given.weights))
    scores = ProbabilisticScores(
        cross_entropy=surprise,
        log_information=float(entropy.truth) - surprise,
        information_score=score,
        relative_information_score=score / float(entropy.truth),
        soft_mutual_information=float(entropies(_soften(given)).mutual),
        hard_mutual_information=float(entropy.mutual),
        truth_entropy=float(entropy.truth),
    )
    if ordinal is None:
        return scores
    scale = read_scale(ordinal, given.labels, None)
    return replace(
        scores,
        ranked_probability_score=ranked_probability_score(given, scale),
        hard_ranked_probability_score=float(hard_ranked_probability_score(replace(table, ordinal=scale))),
    )


def ranked_probability_score(given: Probabilities, scale: Sequence[Label]) -> float:
    """Return the mean over the samples of Σ (F − O)² over the steps of the scale, as a share of these (Epstein)."""
    places = [scale.index(label) for label in given.labels]
    order = np.argsort(places)
    steps = np.diff(np.append(np.array(places)[order], len(scale) - 1))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    scores = np.empty(len(given.truth))
    for block in given.blocks():
        values = np.asarray(given.values[block], dtype=np.float64)[:, order]
        forecast = np.cumsum(values / values.sum(axis=1, keepdims=True), axis=1)
        is_reached = rank[given.truth[block]][:, None] <= np.arange(len(order))
        scores[block] = ((forecast - is_reached) ** 2) @ steps
    return float(np.average(scores, weights=given.weights)) / (len(scale) - 1)


def cross_entropy(given: Probabilities) -> float:
    """Return the mean of −log2 of the probability that the true class was given, in bits."""
    own = _get_own_probability(given)
    if np.any(own[slice(None) if given.weights is None else given.weights > 0] == 0):
        return float("inf")
    return float(-np.average(np.log2(np.where(own > 0, own, 1.0)), weights=given.weights))


def _get_own_probability(given: Probabilities) -> Real:
    """Return the probability that each sample's own class was given; rows are taken as summing to one."""
    own = given.values[np.arange(len(given.truth)), given.truth].astype(np.float64)
    sums = np.concatenate([given.values[block].sum(axis=1, dtype=np.float64) for block in given.blocks()])
    return own / sums
