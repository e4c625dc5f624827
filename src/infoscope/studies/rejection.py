"""Reject unsure predictions: what that costs and saves in bits, and thresholds below which to reject.

``rejection_summary``, ``abstentions`` and ``abstention_bits`` measure rejections that were made. ``two_thresholds``
chooses a pair for one score, ``chow_thresholds`` takes it from the costs alone, and ``class_thresholds`` chooses one
threshold per predicted class. The pages are ``reports/views/two_thresholds.py`` and ``class_thresholds.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.core.validation import KeywordHints, OneOf, validated
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
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Record, make_tidy, rename_taken_columns
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.studies.score_arrays import encode_probabilities
from infoscope.studies.score_ranking import find_hull
from infoscope.studies.sweep import Certainty, Sweep, check_reject, decide, make_reject_pattern, spread_evenly
from infoscope.studies.threshold_choice import Criterion, estimate_proportions
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.typing import ArrayLike, Frame, Json, LabelsLike

MAX_CANDIDATES = 300
"""Thresholds of which all pairs are tried."""
MAX_PER_CLASS = 100
MAX_ROUNDS = 20
REJECTION_RATES = ("rejection_rate", "accepted_accuracy")


# What rejections cost and save ----------------------------------------------------------------------------------------


@validated()
def rejection_summary(table: Contingency) -> dict[str, float]:
    """Measure both accuracies and both readings of the information, side by side.

    ``accuracy`` counts a rejection as not right (with ``error_rate`` and ``rejection_rate`` it sums to 1),
    ``accepted_accuracy`` leaves rejections out; ``proficiency`` takes a rejection as one more prediction,
    ``proficiency_without_reject`` gives it no credit.

    Parameters
    ----------
    table : Contingency
        A table with a reject label.

    Returns
    -------
    dict of str to float
        Each metric by its name.

    Raises
    ------
    InputError
        If the table has no reject label.

    Examples
    --------
    >>> from infoscope.tables import Contingency
    >>> summary = rejection_summary(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2))
    >>> print(f"{summary['accuracy']:.3f} {summary['accepted_accuracy']:.3f}")
    0.830 0.933
    """
    _require_reject(table)
    metrics = (accuracy, accepted_accuracy, error_rate, rejection_rate, proficiency, proficiency_without_reject)
    return {metric.__name__: float(metric(table)) for metric in metrics}


def _require_reject(table: Contingency) -> None:
    if table.reject is None:
        raise InputError("the table has no reject label; name it with reject= where the table is made")


@dataclass(frozen=True)
class Abstention(KeywordHints):
    """The rejected samples of one class, and what one would bring if it were accepted (change of I, in bits)."""

    truth: Label
    count: float
    if_right: float
    if_as_usual: float
    """Predicted like the class's other samples: right or wrong in their proportions. Negative: rejecting saves bits."""

    def __str__(self) -> str:
        """Say what rejecting costs or saves, in a sentence."""
        verb = "costs" if self.if_as_usual > 0 else "saves"
        return (
            f"rejecting a sample of {self.truth!r} {verb} {abs(self.if_as_usual):.2g} bits against predicting as usual"
            f"; predicted right it would add {self.if_right:.2g} ({self.count:g} rejected)"
        )


@validated()
def abstentions(table: Contingency) -> list[Abstention]:
    """Measure what each class's rejections cost or save, from the exact change of moving one sample.

    Parameters
    ----------
    table : Contingency
        A table with a reject label.

    Returns
    -------
    list of Abstention
        One for each class that has accepted samples, the costliest first.

    Raises
    ------
    InputError
        If the table has no reject label.

    Examples
    --------
    >>> from infoscope.tables import Contingency
    >>> for abstention in abstentions(Contingency.from_matrix([[74, 6, 10], [0, 9, 1]], reject=2)):
    ...     print(f"{abstention.truth}: {abstention.count:g} rejected, {abstention.if_as_usual:.4f} bits each")
    1: 1 rejected, 0.0413 bits each
    0: 10 rejected, 0.0005 bits each
    """
    _require_reject(table)
    reject = table.reject_column
    assert reject is not None
    gains = gain_of_move(table)[:, reject, :]
    own = dict(zip(*(places.tolist() for places in table.matches), strict=True))
    cells = np.array(table.values, dtype=np.float64)
    measured = []
    for row, label in enumerate(table.truth_labels):
        accepted = np.delete(cells[row], reject)
        if np.isnan(gains[row]).any() or not accepted.sum() or row not in own:
            continue
        usual = float(np.delete(gains[row], reject) @ accepted / accepted.sum())
        measured.append(Abstention(label, float(cells[row, reject]), float(gains[row, own[row]]), usual))
    return sorted(measured, key=lambda item: -item.if_as_usual * item.count)


@validated()
def abstention_bits(sweep: Sweep) -> dict[str, Real]:
    """Measure, along a rejection sweep, what rejecting does to I against accepting everyone.

    Parameters
    ----------
    sweep : Sweep
        A sweep of rejections.

    Returns
    -------
    dict of str to ndarray
        ``rejection_rate``; ``change`` of I, where negative numbers are lost bits; and ``per_rejection``, in bits of the
        rejected sample, not of the average one: the change times all samples over the rejected ones, undefined where
        none is rejected.

    Raises
    ------
    InputError
        If it is a sweep of thresholds.
    """
    if sweep.mode != "rejection":
        raise InputError("abstentions are evaluated along a sweep of rejections; give probabilities of every class")
    tables = sweep.tables
    information = np.asarray(mutual_information(tables))
    change = information - information[-1]
    rejected = np.asarray(rejection_rate(tables))
    per_rejection = np.divide(change, rejected, out=np.full_like(change, np.nan), where=rejected > 0)
    return {"rejection_rate": rejected, "change": change, "per_rejection": per_rejection}


# Two thresholds for one score -----------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class TwoThresholds(Result):
    """Positive when score ≥ upper, negative when score < lower, rejected between."""

    kind: ClassVar[str] = "two-thresholds"

    criterion: str
    lower: float | None
    upper: float | None
    """Infinite where nothing is predicted positive."""
    value: float
    positive: str
    negative: str
    reject: str
    counts: tuple[tuple[float, ...], ...]
    """Rows: true negative and true positive class; columns: predicted negative, positive, and rejected."""
    metrics: Mapping[str, Estimate] = field(default_factory=dict)
    """Share rejected, accuracy of the others, and how often either prediction is right, on these samples."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    table: Contingency | None = field(default=None, metadata={"stored": False})
    """The same counts as a table; None for a result that was read from a file."""

    def __post_init__(self) -> None:
        """Read null as infinity, which JSON does not have."""
        for name in ("lower", "upper"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.inf)

    @property
    def rejected(self) -> float:
        """Share of the samples between the thresholds."""
        counts = np.array(self.counts)
        return float(counts[:, 2].sum() / counts.sum())

    def records(self) -> Iterator[Record]:
        """Yield one record per true class, with how its samples are predicted."""
        for label, row in zip((self.negative, self.positive), self.counts, strict=True):
            columns = (self.negative, self.positive, self.reject)
            yield {"truth": label, **rename_taken_columns(dict(zip(columns, row, strict=True)), {"truth"}, "predicted")}

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield both thresholds and the criterion, then how many samples of each true class get each prediction."""
        limits = {"lower_threshold": self.lower, "upper_threshold": self.upper}
        never = "nothing is predicted positive"
        thresholds = {name: Estimate.of(np.inf if limit is None else limit, never) for name, limit in limits.items()}
        yield from make_tidy({**thresholds, self.criterion: Estimate.of(self.value)}, {}, {})
        for label, row in zip((self.negative, self.positive), self.counts, strict=True):
            for predicted, count in zip((self.negative, self.positive, self.reject), row, strict=True):
                yield from make_tidy({"predicted": predicted, "count": Estimate(count)}, {"class": label}, {})


@validated()
def two_thresholds(
    sweep: Sweep, metric: str | None = None, *, costs: ArrayLike | None = None, reject: Label = "rejected"
) -> TwoThresholds:
    """Choose the pair of thresholds that is best by a metric, or by a cost matrix.

    By costs the pair is exact: what is paid above and below splits in two sums, each with its own best threshold. By a
    metric all pairs of up to 300 thresholds are tried, the corners of the ROC curve's hull first.

    Parameters
    ----------
    sweep : Sweep
        The sweep of one score.
    metric : str, optional
        The metric to choose by; proficiency unless named.
    costs : array-like, optional
        A 2 × 3 cost matrix, the reject column last.
    reject : label, default "rejected"
        What rejected samples are called.

    Returns
    -------
    TwoThresholds
        The pair, its value, and the counts at it.

    Raises
    ------
    InputError
        If it is no sweep of one score, the costs have another shape, or the reject label is a class.

    Examples
    --------
    >>> from infoscope import sweep
    >>> curve = sweep([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.4, 0.5, 0.8, 0.9])
    >>> pair = two_thresholds(curve, costs=[[0, 1, 0.2], [1, 0, 0.2]])
    >>> pair.lower, pair.upper, round(pair.rejected, 2)
    (0.4, 0.8, 0.33)
    """
    if not isinstance(sweep, Sweep):
        raise InputError("two thresholds are those of a sweep: two_thresholds(infoscope.sweep(y_true, y_score))")
    if sweep.mode != "threshold":
        raise InputError("two thresholds are for one score and two classes; for probabilities use class_thresholds")
    ladder = sweep.ladder
    if ladder is None:
        raise InputError("a stored sweep does not hold the tables of its points; sweep again to choose thresholds")
    labels = ladder.pattern.truth_labels
    check_reject(reject, labels)
    criterion = Criterion.of(metric, costs)
    reached = np.cumsum(ladder.steps[..., 0], axis=0)  # (points, 2): samples at or above each threshold
    yes, no = ladder.predictions[0], ladder.remainder
    if costs is not None:
        # for every lower threshold the best upper one at or above it: one running minimum
        matrix = np.asarray(costs, dtype=np.float64)
        if matrix.shape != (2, 3):
            raise InputError(
                f"the cost matrix has shape {matrix.shape}; two thresholds need 2 truth × 3 predictions, the "
                "reject column last"
            )
        above: Real = reached @ (matrix[:, yes] - matrix[:, 2])
        below: Real = reached @ (matrix[:, 2] - matrix[:, no])
        least = np.minimum.accumulate(above)
        first = np.flatnonzero(np.concatenate([[True], above[1:] < least[:-1]]))
        lower = np.array([int(np.argmin(least + below))])
        upper = first[np.searchsorted(first, lower, side="right") - 1]
    else:
        places = np.arange(len(reached))
        if len(places) > MAX_CANDIDATES:
            corners = find_hull(reached[1:, 1 - yes], reached[1:, yes]) + 1
            grid = np.linspace(0, len(places) - 1, max(MAX_CANDIDATES - len(corners), 50)).astype(np.int64)
            places = np.union1d(corners, grid)
            places = places[np.unique(np.linspace(0, len(places) - 1, MAX_CANDIDATES).astype(np.int64))]
        uppers, lowers = np.triu_indices(len(places))
        upper, lower = places[uppers], places[lowers]

    cells = np.zeros((len(upper), 2, 3))
    cells[:, :, yes] = reached[upper]
    cells[:, :, no] = reached[-1] - reached[lower]
    cells[:, :, 2] = reached[lower] - reached[upper]
    pattern = Contingency.from_matrix(
        np.ones((2, 3)), truth=labels, system=(*labels, reject), reject=reject, positive=ladder.pattern.positive
    )
    tables = pattern.with_cells(cells.reshape(len(upper), -1))
    best = criterion.best_place(tables)
    size = sweep.sample_size
    table = pattern.with_cells(tables.values[best].reshape(-1))
    table = replace(table, weight_squares=None if not size else float(table.total) ** 2 / size)
    counts = np.asarray(table.counts, dtype=np.float64)[np.ix_((no, yes), (no, yes, 2))]
    limits = np.asarray(sweep.thresholds, dtype=np.float64)
    return TwoThresholds(
        criterion.name,
        float(limits[lower[best]]),
        float(limits[upper[best]]),
        float(np.asarray(criterion.score(tables))[best]),
        str(labels[yes]),
        str(labels[no]),
        str(reject),
        tuple(map(tuple, counts.tolist())),
        estimate_proportions(table, (*REJECTION_RATES, "precision", "npv")),
        sweep.provenance,
        tuple(finding for finding in sweep.findings if finding.is_warning),
        table,
    )


@validated()
def chow_thresholds(costs: ArrayLike) -> tuple[float, float]:
    """Compute lower and upper threshold for a *calibrated* probability of the positive class, straight from the costs.

    Parameters
    ----------
    costs : array-like
        A 2 × 3 matrix: the negative class first, the positive second, and the columns negative, positive, reject.

    Returns
    -------
    tuple of float
        Lower and upper threshold; where rejecting never pays, both are that between the two predictions.

    Raises
    ------
    InputError
        If the matrix has another shape, or a prediction costs no more where it is wrong than where it is right.

    References
    ----------
    Chow (1970).

    Examples
    --------
    >>> low, high = chow_thresholds([[0, 1, 0.2], [1, 0, 0.2]])
    >>> print(f"{low:.1f} {high:.1f}")
    0.2 0.8
    """
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.shape != (2, 3) or not np.isfinite(matrix).all():
        raise InputError(f"the cost matrix has shape {matrix.shape}; give finite costs for 2 truths × 3 predictions")
    low, high = _find_indifference(matrix, 0, 2), _find_indifference(matrix, 2, 1)
    if not low <= high:
        low = high = _find_indifference(matrix, 0, 1)
    return low, high


def _find_indifference(costs: Real, one: int, other: int) -> float:
    """Return the probability of the positive class from which on the other prediction is no dearer than the one."""
    dearer_if_negative = costs[0, other] - costs[0, one]
    cheaper_if_positive = costs[1, one] - costs[1, other]
    total = dearer_if_negative + cheaper_if_positive
    if total <= 0:
        raise InputError("a prediction costs no more where it is wrong than where it is right; check the cost matrix")
    return float(np.clip(dearer_if_negative / total, 0.0, 1.0))


# A threshold per class ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class ClassThresholds(Result):
    """The certainty from which on each class is predicted; below it the sample is rejected."""

    kind: ClassVar[str] = "class-thresholds"
    roles: ClassVar[Mapping[str, str]] = {"class": "class"}

    criterion: str
    certainty: Certainty
    thresholds: Mapping[str, float | None]
    """By class; infinite where the class is never predicted."""
    value: float
    without: float
    """The same criterion when every sample is accepted."""
    accepted: Mapping[str, float]
    """By class, how many of the samples with this prediction are accepted."""
    predicted: Mapping[str, float]
    """By class, how many samples have this prediction, accepted or not."""
    metrics: Mapping[str, Estimate] = field(default_factory=dict)
    """Share rejected, and accuracy of the accepted, on the samples that chose the thresholds."""
    metrics_without: Mapping[str, Estimate] = field(default_factory=dict)
    """The same when every sample is accepted."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    table: Contingency | None = field(default=None, metadata={"stored": False})
    """The table at these thresholds; None for a result that was read from a file."""

    def __post_init__(self) -> None:
        """Read null as infinity, which JSON does not have."""
        never = -np.inf if self.certainty == "entropy" else np.inf
        thresholds = {name: never if limit is None else limit for name, limit in self.thresholds.items()}
        object.__setattr__(self, "thresholds", thresholds)

    def records(self) -> Iterator[Record]:
        """Yield one record per class."""
        for name, limit in self.thresholds.items():
            yield {
                "class": name,
                "threshold": Estimate.of(np.inf if limit is None else limit, "this class is never predicted"),
                "accepted": Estimate(self.accepted[name]),
                "predicted": Estimate(self.predicted[name]),
            }


@dataclass(frozen=True)
class _Column:
    """The samples with one prediction: thresholds from "never say it" down, and who is accepted at each, (t, k)."""

    thresholds: Real
    accepted: Real


@validated(certainty=OneOf("confidence", "margin", "entropy"))
def class_thresholds(
    y_true: LabelsLike,
    y_score: ArrayLike | Frame,
    metric: str | None = None,
    *,
    costs: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
    certainty: Certainty = "confidence",
    reject: Label = "rejected",
    weight: ArrayLike | None = None,
    normalize: bool = False,
) -> ClassThresholds:
    """Choose one rejection threshold per prediction, best together by a metric or a cost matrix.

    A threshold moves samples between its own column and the rejections only, so by costs each is best by itself,
    exactly. By a metric they are improved in turn, over up to 100 thresholds each, until none improves; that end need
    not be the best of all.

    Parameters
    ----------
    y_true : array-like
        True labels.
    y_score : array-like or frame
        Probabilities of every class, one column each.
    metric : str, optional
        The metric to choose by; proficiency unless named.
    costs : array-like, optional
        A cost matrix with one row per class, one column per class, and a last one for rejecting.
    classes : sequence, optional
        The class of each column; by default those of the truth in their order, or the columns of a frame.
    certainty : {"confidence", "margin", "entropy"}, default "confidence"
        What decides about rejecting: the largest probability, its lead over the second, or the bits left open.
    reject : label, default "rejected"
        What rejected samples are called.
    weight : array-like, optional
        A weight for each row.
    normalize : bool, default False
        Divide the probabilities of each row by their sum.

    Returns
    -------
    ClassThresholds
        A threshold for each class, what the choice is worth, and how many samples are accepted.

    Raises
    ------
    InputError
        If the probabilities do not fit the labels, the costs have another shape, or the reject label is a class.
    """
    given = encode_probabilities(y_score, y_true, classes=classes, sample_weight=weight, normalize=normalize)
    k = len(given.labels)
    check_reject(reject, given.labels)
    criterion = Criterion.of(metric, costs)
    decisions = decide(given, certainty)
    columns = []
    for output in range(k):
        rows = np.flatnonzero(decisions.predicted == output)
        sureness = decisions.certainty[rows]
        levels = np.unique(sureness)
        if len(levels) > MAX_PER_CLASS and costs is None:
            levels = levels[spread_evenly(len(levels), MAX_PER_CLASS)]
        step = len(levels) - np.searchsorted(levels, sureness, side="right")
        weights = None if given.weights is None else given.weights[rows]
        counts = np.bincount(step * k + given.truth[rows], weights, minlength=len(levels) * k)
        accepted = np.cumsum(counts.reshape(len(levels), k), axis=0)
        thresholds = np.concatenate([[np.inf], levels[::-1]])
        columns.append(_Column(thresholds, np.concatenate([np.zeros((1, k)), accepted])))

    pattern = make_reject_pattern(given.labels, reject)
    all_accepted = [len(column.thresholds) - 1 for column in columns]
    if costs is not None:
        matrix = np.asarray(costs, dtype=np.float64)
        if matrix.shape != (k, k + 1):
            raise InputError(
                f"the cost matrix has shape {matrix.shape}; {k} classes need {k} truth × {k + 1} predictions, the "
                "reject column last"
            )
        extra = matrix[:, :-1] - matrix[:, -1:]
        places = [int(np.argmin(column.accepted @ extra[:, j])) for j, column in enumerate(columns)]
    else:
        places = _improve_in_turn(columns, pattern, criterion, all_accepted)
    squares = None if given.weights is None else float(np.sum(given.weights**2))
    table, without = (
        replace(_build_table(columns, chosen, pattern), weight_squares=squares) for chosen in (places, all_accepted)
    )
    chosen = list(zip(map(str, given.labels), columns, places, strict=True))
    left_out = tuple(IgnoredRows(reason, rows) for reason, rows in given.ignored.items())
    return ClassThresholds(
        criterion.name,
        certainty,
        {name: float(decisions.to_thresholds(column.thresholds)[place]) for name, column, place in chosen},
        float(criterion.score(table)),
        float(criterion.score(without)),
        {name: float(column.accepted[place].sum()) for name, column, place in chosen},
        {name: float(column.accepted[-1].sum()) for name, column, _ in chosen},
        estimate_proportions(table, REJECTION_RATES),
        estimate_proportions(without, REJECTION_RATES),
        Provenance(rows=len(given.truth), ignored=left_out),
        describe_ignored_rows(left_out),
        table,
    )


def _build_table(columns: Sequence[_Column], places: Sequence[int], pattern: Contingency) -> Contingency:
    accepted = np.stack([column.accepted[place] for column, place in zip(columns, places, strict=True)], axis=1)
    everyone = np.sum([column.accepted[-1] for column in columns], axis=0)
    rejected = np.maximum(everyone - accepted.sum(axis=1), 0.0)
    return pattern.with_cells(np.concatenate([accepted, rejected[:, None]], axis=1).reshape(-1))


def _improve_in_turn(
    columns: Sequence[_Column], pattern: Contingency, criterion: Criterion, start: Sequence[int]
) -> list[int]:
    """Improve one threshold at a time; each round can only gain, so it ends."""
    places = list(start)
    for _ in range(MAX_ROUNDS):
        before = list(places)
        for j, column in enumerate(columns):
            # the tables for every threshold of this prediction, the others as they are
            now = _build_table(columns, places, pattern).values
            values: NDArray[Any] = np.repeat(now[None], len(column.accepted), axis=0)
            values[:, :, -1] += values[:, :, j] - column.accepted
            values[:, :, j] = column.accepted
            np.maximum(values, 0.0, out=values)
            goodness = criterion.goodness(pattern.with_cells(values.reshape(len(column.accepted), -1)))
            best = int(np.argmax(goodness))
            if goodness[best] > goodness[places[j]]:
                places[j] = best
        if places == before:
            break
    return places
