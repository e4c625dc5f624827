"""Monte Carlo cross-validation: how much a result depends on how the data was split into folds.

As in Holt et al., section 4: the data is split into folds many times, the fold tables of each repeat are added and
scored once, and each repeat gives one point in the coverage plane.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, Self

import numpy as np

from infoscope.core.numerics import Real
from infoscope.errors import InputError, UnknownNameError
from infoscope.metrics.registry import find
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance
from infoscope.tables import Contingency
from infoscope.typing import Json

__all__ = ["CrossValidation", "EstimatorScores", "ScoreOverlap"]

METRICS = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "accuracy")
_SCORE = "erroneous_information_ratio"
_CAUTION = "The spread is over fold seeds on the same data, not over new data."
_SAME_DATA = (
    "Every run has the same number of samples of each class; if these are the same data, the spread says nothing "
)
_SAME_DATA += "about new data."
_NEW_DATA = "The runs differ in their samples; the spread is over runs and samples together."


@dataclass(frozen=True)
class EstimatorScores:
    """One estimator: the value of each metric in every repeat, and their mean and standard deviation."""

    name: str
    scores: Mapping[str, tuple[float, ...]]
    metrics: Mapping[str, Estimate]
    """Mean over the repeats, with the standard deviation as ``sd``."""
    correlation: float | None
    """Of captured and false information over the repeats."""


@dataclass(frozen=True)
class ScoreOverlap:
    """How often A had the lower S_I/H(T): Holt's p-value is the smaller of this share and its complement.

    Run by run where both have as many, else over all pairs of their runs.
    """

    a: str
    b: str
    share_a_lower: float
    p_value: float
    """Over fold seeds or runs, not over new data."""


@dataclass(frozen=True, repr=False, eq=False)
class CrossValidation(Result):
    """One table per estimator and repeat, and what they show together."""

    kind: ClassVar[str] = "cross-validation"

    estimators: tuple[EstimatorScores, ...]
    overlaps: tuple[ScoreOverlap, ...]
    """For each pair the share of repeats in which the first has the lower S_I/H(T); ties count half."""
    folds: int | None
    """None for runs that were made elsewhere."""
    repeats: int
    """Of the estimator that has the most."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    tables: Mapping[str, Contingency] = field(default_factory=dict, metadata={"stored": False})
    """For each estimator a batch with one table per repeat; not part of the document."""

    @classmethod
    def from_tables(cls, tables: Mapping[str, Contingency], folds: int | None = None) -> Self:
        """Scores of every repeat, from a batch of tables per estimator; without ``folds`` they are runs of any kind."""
        estimators = tuple(_scores(name, batch) for name, batch in tables.items())
        first = next(iter(tables.values()))
        return cls(
            estimators,
            tuple(_overlap(a, b) for a, b in combinations(estimators, 2)),
            folds,
            max(int(batch.batch_shape[0]) for batch in tables.values()),
            Provenance(rows=int(first.grand_total[0])),
            (Finding("spread_over_folds", _CAUTION),) if folds is not None else (_over_runs(tables),),
            tables,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The estimators by name."""
        return tuple(estimator.name for estimator in self.estimators)

    def __getitem__(self, name: str) -> EstimatorScores:
        """The estimator of this name."""
        for estimator in self.estimators:
            if estimator.name == name:
                return estimator
        raise UnknownNameError(f"there is no estimator {name!r}; there is {', '.join(self.names)}")

    def cloud(self, name: str, metric: str = _SCORE) -> Real:
        """The metric's value in every repeat; metrics beyond those of the document need the tables."""
        scores, entry = self[name].scores, find(metric)
        if entry.name in scores:
            return np.asarray(scores[entry.name])
        if name not in self.tables:
            raise InputError(f"a stored cross-validation holds {', '.join(scores)} only; {entry.name} needs the tables")
        return np.asarray(entry.score(self.tables[name]))

    def total(self, name: str) -> Contingency:
        """One estimator's tables of all repeats added up: n times the number of repeats, for its shape only."""
        if name not in self.tables:
            raise InputError(f"the tables of {name!r} are not part of a stored cross-validation; run it again")
        batch = self.tables[name]
        return batch.with_cells(batch.cells.sum(axis=0))

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per estimator and repeat."""
        for estimator in self.estimators:
            for at, values in enumerate(zip(*estimator.scores.values(), strict=True)):
                yield {"estimator": estimator.name, "repeat": at, **dict(zip(estimator.scores, values, strict=True))}


def _scores(name: str, batch: Contingency) -> EstimatorScores:
    values = {metric: np.asarray(find(metric).score(batch), dtype=float) for metric in METRICS}
    metrics = {metric: _summary(found) for metric, found in values.items()}
    r, f = values["false_information_ratio"], values["proficiency"]
    tied = float(np.corrcoef(r, f)[0, 1]) if r.size > 2 and r.std() > 0 and f.std() > 0 else None
    return EstimatorScores(name, {metric: tuple(found.tolist()) for metric, found in values.items()}, metrics, tied)


def _summary(values: Real) -> Estimate:
    known = values[np.isfinite(values)]
    if not known.size:
        return Estimate(None, undefined="undefined in every repeat")
    return Estimate(float(known.mean()), sd=float(known.std(ddof=1)) if known.size > 1 else None)


def _over_runs(tables: Mapping[str, Contingency]) -> Finding:
    """Whether the runs may be of the same samples."""
    rows = [batch.row_totals for batch in tables.values()]
    alike = all(each.shape[-1] == rows[0].shape[-1] and bool((each == rows[0][0]).all()) for each in rows)
    return Finding("spread_over_runs", _SAME_DATA if alike else _NEW_DATA)


def _overlap(a: EstimatorScores, b: EstimatorScores) -> ScoreOverlap:
    one, other = np.asarray(a.scores[_SCORE]), np.asarray(b.scores[_SCORE])
    if one.shape != other.shape:
        one, other = one[:, None], other[None, :]
    share = float(np.mean((one < other) + 0.5 * (one == other)))
    return ScoreOverlap(a.name, b.name, share, min(share, 1 - share))
