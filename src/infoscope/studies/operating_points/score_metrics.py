"""Metrics of scores and probabilities in one number, for two classes or many: areas, proper scores and D².

Each is called with ``(y_true, y_score)``: one column of scores for two classes, or one column per class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, ratio
from infoscope.errors import InputError, UndefinedMetricWarning
from infoscope.metrics.registry import Card, describe_metric, register
from infoscope.studies.operating_points.probabilistic import cross_entropy
from infoscope.studies.operating_points.ranking import ScoreRanking, area_under_roc, partial_area_under_roc, ranked
from infoscope.studies.operating_points.score_arguments import ScoreFacts, ScoreKeywords, Scores
from infoscope.studies.operating_points.score_summary import probability_summary
from infoscope.studies.operating_points.scores import BinaryScores, Probabilities
from infoscope.studies.operating_points.thresholds import average_precision as area_under_steps
from infoscope.tables.missing import warn_of
from infoscope.typing import LabelsLike

__all__ = ["average_precision", "brier_score", "d2_brier_score", "d2_log_loss", "log_loss", "perplexity", "roc_auc"]

Average = Literal["macro", "weighted", "micro"]
MultiClass = Literal["ovr", "ovo"]
Metric = TypeVar("Metric", bound=Callable[..., Any])
_ONE_CLASS = "the truth has one class only"
_NO_SAMPLE = "no sample is of the class"
_IMPOSSIBLE = "a true class has probability 0"


def _score_metric(card: Card) -> Callable[[Metric], Metric]:
    def add(score: Metric) -> Metric:
        register(describe_metric(score, card, domain="scores"))
        return score

    return add


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
def roc_auc(
    y_true: LabelsLike,
    y_score: Scores,
    *,
    average: Average | None = "macro",
    multi_class: MultiClass = "ovr",
    max_fpr: float | None = None,
    **given: Unpack[ScoreKeywords],
) -> float | Real:
    """Probability that a sample of a class scores above one of another: 1 is a perfect order, 0.5 is chance.

    ``average`` is over the classes ("macro"), by their size ("weighted"), over all decisions pooled ("micro"), or None
    for one number per class. ``multi_class`` compares each class with the rest ("ovr") or with each other ("ovo").
    ``max_fpr`` takes the part up to that false alarm rate alone, rescaled so that chance is 0.5 (McClish 1989).

    >>> roc_auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    _check_choice("average", average, ("macro", "weighted", "micro", None))
    _check_choice("multi_class", multi_class, ("ovr", "ovo"))
    if max_fpr is not None and not 0 < max_fpr <= 1:
        raise InputError(f"max_fpr is {max_fpr}; it is a false alarm rate above 0, up to 1")
    most = 1.0 if max_fpr is None else max_fpr
    area = area_under_roc if most == 1 else lambda levels: partial_area_under_roc(levels, most)
    columns = _ClassColumns.of(y_true, y_score, given)
    if columns.pair is not None:
        both = columns.pair.is_positive.any() and not columns.pair.is_positive.all()
        return _defined("roc_auc", area(ranked(columns.pair)) if both else np.nan, _ONE_CLASS)
    if multi_class == "ovo":
        if average not in ("macro", "weighted") or max_fpr is not None:
            raise InputError(
                "multi_class='ovo' is averaged as 'macro' or 'weighted', over whole curves; leave out the rest"
            )
        found = columns.over_pairs(area_under_roc, weighted=average == "weighted")
        return _defined("roc_auc", found, "a class has no samples")
    return columns.averaged("roc_auc", area, average)


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
def average_precision(
    y_true: LabelsLike, y_score: Scores, *, average: Average | None = "macro", **given: Unpack[ScoreKeywords]
) -> float | Real:
    """Precision averaged over the samples of a class as they are found from the highest score down.

    Options are those of ``roc_auc``.

    >>> print(f"{average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]):.3f}")
    0.833
    """
    _check_choice("average", average, ("macro", "weighted", "micro", None))
    columns = _ClassColumns.of(y_true, y_score, given)
    if columns.pair is not None:
        found = area_under_steps(ranked(columns.pair)) if columns.pair.is_positive.any() else np.nan
        return _defined("average_precision", found, _NO_SAMPLE)
    return columns.averaged("average_precision", area_under_steps, average, needs_rest=False)


@dataclass(frozen=True, eq=False)
class _ClassColumns:
    """Scores of two classes as one column, or one column for each of several classes."""

    pair: BinaryScores | None
    many: Probabilities | None = None

    @classmethod
    def of(cls, y_true: LabelsLike, y_score: Scores, given: ScoreKeywords) -> _ClassColumns:
        found = ScoreFacts.of(given).scores(y_true, y_score)
        return cls(found) if isinstance(found, BinaryScores) else cls(None, found)

    def averaged(
        self, name: str, area: Callable[[ScoreRanking], float], average: Average | None, *, needs_rest: bool = True
    ) -> float | Real:
        """The areas of each class against the rest, in one number as asked."""
        many = self.many
        assert many is not None
        if average == "micro":
            return _defined(name, area(ranked(_pooled(many))), _ONE_CLASS)
        found = np.array([_of_class(area, many, at, needs_rest=needs_rest) for at in range(len(many.labels))])
        sizes = np.bincount(many.truth, many.weights, len(many.labels))
        if average == "weighted":
            found = np.where(sizes > 0, found, 0.0)  # a class without samples has no weight
        absent = [many.labels[at] for at in np.flatnonzero(np.isnan(found))]
        if absent:
            why = f"{_NO_SAMPLE}, or all are" if needs_rest else _NO_SAMPLE
            warn_of([f"{name} is undefined for {absent[0]!r}: {why}"], UndefinedMetricWarning)
        if average is None:
            return found
        return float(np.average(found, weights=sizes if average == "weighted" else None))

    def over_pairs(self, area: Callable[[ScoreRanking], float], *, weighted: bool) -> float:
        """Hand and Till: the mean over pairs of classes, each seen from both sides, among the samples of the two."""
        many = self.many
        assert many is not None
        areas, sizes = [], []
        for one, other in combinations(range(len(many.labels)), 2):
            rows = (many.truth == one) | (many.truth == other)
            part = Probabilities(
                many.values[rows], many.truth[rows], many.labels, None if many.weights is None else many.weights[rows]
            )
            areas.append((_of_class(area, part, one) + _of_class(area, part, other)) / 2)
            sizes.append(float(rows.sum() if part.weights is None else part.weights.sum()))
        return float(np.average(areas, weights=sizes if weighted else None))


def _of_class(area: Callable[[ScoreRanking], float], many: Probabilities, at: int, *, needs_rest: bool = True) -> float:
    own: NDArray[np.bool_] = many.truth == at
    if not own.any() or (needs_rest and own.all()):
        return float("nan")
    label = many.labels[at]
    return area(ranked(BinaryScores(many.values[:, at], own, (label, label), label, many.weights)))


def _pooled(many: Probabilities) -> BinaryScores:
    """Every pair of a sample and a class as one decision."""
    k, n = len(many.labels), len(many.truth)
    own = np.zeros((n, k), dtype=bool)
    own[np.arange(n), many.truth] = True
    weights = None if many.weights is None else np.repeat(many.weights, k)
    return BinaryScores(many.values.ravel(), own.ravel(), (many.labels[0], many.labels[1]), many.labels[1], weights)


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
def brier_score(
    y_true: LabelsLike,
    y_score: Scores,
    *,
    scale_by_half: bool | Literal["auto"] = False,
    **given: Unpack[ScoreKeywords],
) -> float:
    """Mean squared distance of the probabilities from the truth, summed over the classes.

    ``scale_by_half`` gives half of it; "auto" of two classes only, which is what scikit-learn shows.

    >>> print(f"{brier_score([0, 1], [0.25, 0.5]):.4f}")
    0.3125
    """
    _check_choice("scale_by_half", scale_by_half, (True, False, "auto"))
    known = ScoreFacts.of(given).probabilities(y_true, y_score)
    is_half = len(known.labels) == 2 if scale_by_half == "auto" else scale_by_half
    return _squared_distance(known) / (2 if is_half else 1)


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
def log_loss(y_true: LabelsLike, y_score: Scores, **given: Unpack[ScoreKeywords]) -> float:
    """Mean surprise at the truth in nats, as scikit-learn has it: a probability of 0 counts as 2⁻⁵².

    >>> print(f"{log_loss([0, 1], [0.25, 0.5]):.4f}")
    0.4904
    """
    return _nats(ScoreFacts.of(given).probabilities(y_true, y_score))


@_score_metric(
    Card(
        title="Perplexity of probabilities",
        symbol="2^H(T,P)",
        formula=r"2^{-\operatorname{mean}\log_2 p_{t}}",
        source="valverde2013",
        range=(1.0, np.inf),
        better="lower",
        unit="classes",
        aliases=("perplexity of a predictor", "cross-perplexity"),
        undefined=f"infinite: {_IMPOSSIBLE}",
        note="The number of classes is what equal probabilities reach, 2^H(T) what the class frequencies reach.",
    )
)
def perplexity(y_true: LabelsLike, y_score: Scores, **given: Unpack[ScoreKeywords]) -> float:
    """2 to the cross-entropy: among how many equally likely classes the probabilities leave one to guess.

    1 is certain and right; more than the number of classes misleads.

    >>> perplexity(["a", "b"], [[0.5, 0.5], [0.5, 0.5]])
    2.0
    """
    bits = cross_entropy(ScoreFacts.of(given).probabilities(y_true, y_score))
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
def d2_brier_score(y_true: LabelsLike, y_score: Scores, **given: Unpack[ScoreKeywords]) -> float:
    """Share of the Brier score of the class frequencies that the probabilities save."""
    known = ScoreFacts.of(given).probabilities(y_true, y_score)
    return _saved("d2_brier_score", _squared_distance(known), _squared_distance(_frequencies(known)))


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
def d2_log_loss(y_true: LabelsLike, y_score: Scores, **given: Unpack[ScoreKeywords]) -> float:
    """Share of the log loss of the class frequencies that the probabilities save."""
    known = ScoreFacts.of(given).probabilities(y_true, y_score)
    return _saved("d2_log_loss", _nats(known), _nats(_frequencies(known)))


def _squared_distance(known: Probabilities) -> float:
    values = known.values.astype(np.float64)
    own = values[np.arange(len(known.truth)), known.truth]
    return float(np.average(np.sum(values**2, axis=1) - 2 * own + 1.0, weights=known.weights))


def _nats(known: Probabilities) -> float:
    loss = probability_summary(known).log_loss
    assert loss is not None
    return loss


def _frequencies(known: Probabilities) -> Probabilities:
    """What a system says that knows the frequencies of the classes alone."""
    counts = np.bincount(known.truth, known.weights, len(known.labels))
    values = np.broadcast_to(counts / counts.sum(), (len(known.truth), len(known.labels)))
    return Probabilities(values, known.truth, known.labels, known.weights)


def _saved(name: str, loss: float, of_frequencies: float) -> float:
    """The share of the loss of the class frequencies that is saved; one class alone is no loss to them."""
    return 1.0 - _defined(name, float(ratio(np.float64(loss), np.float64(of_frequencies))), _ONE_CLASS)


def _defined(name: str, value: float, reason: str) -> float:
    """The number; NaN with a warning that says why, as of every metric."""
    if np.isnan(value):
        warn_of([f"{name} is undefined: {reason}"], UndefinedMetricWarning)
    return float(value)


def _check_choice(option: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        raise InputError(f"{option} is {value!r}; it is one of {', '.join(map(repr, known))}")
