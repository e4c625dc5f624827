"""A threshold per class: certain enough to predict "cat" need not be certain enough to predict "lynx"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.errors import InputError, check_keywords
from infoscope.results.base import Result
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.studies.operating_points.rejection import Certainty, Decisions, decide, even_places, rejection_pattern
from infoscope.studies.operating_points.scores import Probabilities, class_probabilities
from infoscope.studies.operating_points.selection import Criterion
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.typing import ArrayLike, Frame, Json, LabelsLike

__all__ = ["ClassThresholds", "class_thresholds"]

_MOST_PER_CLASS = 100
_ROUNDS = 20


@dataclass(frozen=True, repr=False)
class ClassThresholds(Result):
    """The certainty from which on each class is predicted; below it the sample is rejected."""

    kind: ClassVar[str] = "class-thresholds"

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
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    table: Contingency | None = field(default=None, metadata={"stored": False})
    """The table at these thresholds; None for a result that was read from a file."""

    def __post_init__(self) -> None:
        """JSON has no infinity: null reads back as one."""
        never = -np.inf if self.certainty == "entropy" else np.inf
        known = {name: never if limit is None else limit for name, limit in self.thresholds.items()}
        object.__setattr__(self, "thresholds", known)

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per class."""
        for name, limit in self.thresholds.items():
            shown = None if limit is None or np.isinf(limit) else limit
            yield {
                "class": name,
                "threshold": shown,
                "accepted": self.accepted[name],
                "predicted": self.predicted[name],
            }


class ClassThresholdsKeywords(TypedDict, total=False):
    """What ``class_thresholds`` may be asked about its samples and classes."""

    classes: Sequence[Any] | None
    certainty: Certainty
    reject: Label
    weight: Any
    normalize: bool


def class_thresholds(
    y_true: LabelsLike,
    y_score: ArrayLike | Frame,
    metric: str | None = None,
    *,
    costs: ArrayLike | None = None,
    **options: Unpack[ClassThresholdsKeywords],
) -> ClassThresholds:
    """One rejection threshold per prediction, best together by a metric (proficiency unless named) or a cost matrix.

    ``costs`` has one row per class and one column per class and a last one for rejecting. A threshold moves samples
    between its own column and the rejections only, so by costs each is best by itself, exactly. By a metric they are
    improved in turn, over up to 100 thresholds each, until none improves; that end need not be the best of all.
    """
    check_keywords(options, ClassThresholdsKeywords)
    reject, certainty = options.get("reject", "rejected"), options.get("certainty", "confidence")
    given = class_probabilities(
        y_score,
        y_true,
        classes=options.get("classes"),
        sample_weight=options.get("weight"),
        normalize=options.get("normalize", False),
    )
    if reject in given.labels:
        raise InputError(f"reject label {reject!r} is a class; give rejections a name of their own with reject=")
    criterion = Criterion.asked(metric, costs)
    decisions = decide(given, certainty)
    columns = [_Column.of(given, decisions, j, exact=costs is not None) for j in range(len(given.labels))]
    pattern = rejection_pattern(given.labels, reject)
    start = [len(column.thresholds) - 1 for column in columns]
    places = _by_costs(columns, costs) if costs is not None else _in_turn(columns, pattern, criterion, start)
    table = _table(columns, places, pattern)
    chosen = list(zip(map(str, given.labels), columns, places, strict=True))
    left_out = tuple(IgnoredRows(reason, rows) for reason, rows in given.ignored.items())
    return ClassThresholds(
        criterion.name,
        certainty,
        {name: float(decisions.shown(column.thresholds)[place]) for name, column, place in chosen},
        float(criterion.score(table)),
        float(criterion.score(_table(columns, start, pattern))),
        {name: float(column.accepted[place].sum()) for name, column, place in chosen},
        {name: float(column.accepted[-1].sum()) for name, column, _ in chosen},
        Provenance(rows=len(given.truth), ignored=left_out),
        describe_ignored_rows(left_out),
        table,
    )


@dataclass(frozen=True)
class _Column:
    """The samples with one prediction: thresholds from "never say it" down, and who is accepted at each, (t, k)."""

    thresholds: Real
    accepted: Real

    @classmethod
    def of(cls, given: Probabilities, decisions: Decisions, output: int, *, exact: bool) -> _Column:
        here = np.flatnonzero(decisions.predicted == output)
        certainty = decisions.certainty[here]
        levels = np.unique(certainty)
        if len(levels) > _MOST_PER_CLASS and not exact:
            levels = levels[even_places(len(levels), _MOST_PER_CLASS)]
        k = len(given.labels)
        step = len(levels) - np.searchsorted(levels, certainty, side="right")
        weights = None if given.weights is None else given.weights[here]
        counts = np.bincount(step * k + given.truth[here], weights, minlength=len(levels) * k)
        accepted = np.cumsum(counts.reshape(len(levels), k), axis=0)
        return cls(np.concatenate([[np.inf], levels[::-1]]), np.concatenate([np.zeros((1, k)), accepted]))


def _table(columns: Sequence[_Column], places: Sequence[int], pattern: Contingency) -> Contingency:
    accepted = np.stack([column.accepted[place] for column, place in zip(columns, places, strict=True)], axis=1)
    everyone = np.sum([column.accepted[-1] for column in columns], axis=0)
    rejected = np.maximum(everyone - accepted.sum(axis=1), 0.0)
    return pattern.with_cells(np.concatenate([accepted, rejected[:, None]], axis=1).reshape(-1))


def _by_costs(columns: Sequence[_Column], costs: Any) -> list[int]:
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.shape != (len(columns), len(columns) + 1):
        raise InputError(
            f"the cost matrix has shape {matrix.shape}; {len(columns)} classes need {len(columns)} truth × "
            f"{len(columns) + 1} predictions, the reject column last"
        )
    extra = matrix[:, :-1] - matrix[:, -1:]
    return [int(np.argmin(column.accepted @ extra[:, j])) for j, column in enumerate(columns)]


def _in_turn(columns: Sequence[_Column], pattern: Contingency, criterion: Criterion, start: Sequence[int]) -> list[int]:
    """Improve one threshold at a time; each round can only gain, so it ends."""
    places = list(start)
    for _ in range(_ROUNDS):
        before = list(places)
        for j in range(len(columns)):
            tables = _with_each(columns, places, j, pattern)
            goodness = criterion.goodness(tables)
            best = int(np.argmax(goodness))
            if goodness[best] > goodness[places[j]]:
                places[j] = best
        if places == before:
            break
    return places


def _with_each(columns: Sequence[_Column], places: Sequence[int], j: int, pattern: Contingency) -> Contingency:
    """The tables for every threshold of one prediction, the others as they are."""
    now = _table(columns, places, pattern).values
    column = columns[j].accepted
    values: NDArray[Any] = np.repeat(now[None], len(column), axis=0)
    values[:, :, -1] += values[:, :, j] - column
    values[:, :, j] = column
    np.maximum(values, 0.0, out=values)
    return pattern.with_cells(values.reshape(len(column), -1))
