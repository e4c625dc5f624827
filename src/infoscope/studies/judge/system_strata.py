"""The rows of one system placed in strata of verdict × prediction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.studies.judge.stratum_counts import StratumCounts
from infoscope.studies.judge.verdicts import NO_VERDICT, JudgeKind, RowCodes, Verdicts, said_labels
from infoscope.tables.labels import Label
from infoscope.tables.rows import Patterns

__all__ = ["JudgedColumns", "SettledStrata", "SystemStrata", "design_effect", "drawn_weights", "placed_rows"]

MOST_CELLS = 20_000_000
"""Classes × verdicts × predictions, about 270 of each: their counts are drawn several times, as arrays."""
MENTIONED_VERDICTS = 0.01
"""Rows without a verdict are a verdict of their own from this share of the rows on; fewer are left out."""


@dataclass(frozen=True)
class JudgedColumns:
    """The columns that strata are made of."""

    truth: str
    judges: Mapping[str, JudgeKind]
    system: str
    classes: tuple[Label, ...]
    groups: str | None = None


@dataclass(frozen=True, eq=False)
class SystemStrata:
    """Counts by stratum, with the names of the verdicts and predictions."""

    counts: StratumCounts
    verdicts: tuple[str, ...]
    predictions: tuple[Label, ...]
    verdict_codes: NDArray[np.int64]
    """Verdict of each pattern; −1 where the pattern is left out."""
    prediction_codes: NDArray[np.int64]
    """Prediction of each pattern; −1 where there is none."""
    truth_codes: NDArray[np.int64]
    """True class of each pattern; −1 where it has no label."""
    rows_without_verdict: float
    """Rows that are left out as they have no verdict."""


@dataclass(frozen=True, eq=False)
class SettledStrata:
    """Strata by which rows were drawn for labelling: which verdicts they are must not change with these labels."""

    patterns: Patterns
    strata: SystemStrata

    def verdicts(self, patterns: Patterns, judges: Sequence[str], prediction: NDArray[np.int64]) -> Verdicts:
        """The same verdicts for rows of which more are labelled."""
        coded = zip(_said(self.patterns, judges), self.strata.verdict_codes.tolist(), strict=True)
        known = {said: code for said, code in coded if code >= 0}
        found = np.array([known.get(said, -1) for said in _said(patterns, judges)], dtype=np.int64)
        counts = self.strata.counts
        codes = np.where(prediction >= 0, found, -1)
        return Verdicts(codes, self.strata.verdicts, counts.verdict_class, counts.verdict_level)


def _said(patterns: Patterns, judges: Sequence[str]) -> list[tuple[Label | None, ...]]:
    """What the judges say of each pattern."""
    columns = [_column(patterns, name) for name in judges]
    said = [[None if code < 0 else labels[code] for code in codes.tolist()] for labels, codes in columns]
    return list(zip(*said, strict=True))


def placed_rows(
    patterns: Patterns,
    columns: JudgedColumns,
    says: Mapping[str, Label] | None,
    *,
    only_unlabelled: bool,
    settled: SettledStrata | None = None,
    weights: Real | None = None,
) -> SystemStrata:
    """The strata of one system; ``only_unlabelled`` leaves labelled rows out of the population.

    ``weights`` are of labelled rows, by pattern, where some kinds of rows were labelled more often than others.
    """
    place = {label: at for at, label in enumerate(columns.classes)}
    labels, codes = _column(patterns, columns.system)
    predictions = (*columns.classes, *(label for label in labels if label not in place))
    truth_labels, truth = _column(patterns, columns.truth)
    rows = RowCodes(
        _moved(truth_labels, columns.classes)[truth],
        _moved(labels, predictions)[codes],
        patterns.counts.astype(np.float64),
        columns.classes,
        np.array([place.get(label, -1) for label in predictions], dtype=np.int64),
    )
    if settled is None:
        verdicts, lost = _without_silent(_combined(patterns, columns, says, rows), rows)
    else:
        verdicts = settled.verdicts(patterns, list(columns.judges), rows.prediction)
        lost = settled.strata.rows_without_verdict
    groups = None if columns.groups is None else _column(patterns, columns.groups)[1]
    counts = _counted(rows, verdicts, (patterns.squares, groups, weights), only_unlabelled=only_unlabelled)
    return SystemStrata(counts, verdicts.names, predictions, verdicts.codes, rows.prediction, rows.truth, lost)


def _combined(patterns: Patterns, columns: JudgedColumns, says: Mapping[str, Label] | None, rows: RowCodes) -> Verdicts:
    """All judges as one verdict per pattern."""
    judges = {name: _column(patterns, name) for name in columns.judges}
    said = None
    if says is not None:
        said = {name: said_labels(name, judges[name][0], says) for name in judges}
    return Verdicts.of(judges, columns.judges, said, rows)


def _column(patterns: Patterns, name: str) -> tuple[Sequence[Label], NDArray[np.int64]]:
    at = patterns.place(name)
    return patterns.labels[at], patterns.codes[at].astype(np.int64)


def _moved(old: Sequence[Label], new: Sequence[Label]) -> NDArray[np.int64]:
    """The place of each old label among the new ones; −1 for the code −1."""
    place = {label: at for at, label in enumerate(new)}
    return np.array([*(place[label] for label in old), -1], dtype=np.int64)


def _without_silent(verdicts: Verdicts, rows: RowCodes) -> tuple[Verdicts, float]:
    """Verdicts of the rows with a prediction; few rows without a verdict are left out, and how many."""
    codes = np.where(rows.prediction >= 0, verdicts.codes, -1)
    none = verdicts.names.index(NO_VERDICT) if NO_VERDICT in verdicts.names else -2
    silent = codes == none
    lost = float(rows.rows[silent].sum())
    if lost >= MENTIONED_VERDICTS * float(rows.rows[codes >= 0].sum()):
        return verdicts.coded(codes), 0.0
    return verdicts.coded(np.where(silent, -1, codes)), lost


def _counted(
    rows: RowCodes,
    verdicts: Verdicts,
    design: tuple[Real | None, NDArray[np.int64] | None, Real | None],
    *,
    only_unlabelled: bool,
) -> StratumCounts:
    """Both tensors; weighted rows, and rows that belong together, count as fewer independent ones."""
    squares, groups, weights = design
    shape = (len(verdicts.names), len(rows.prediction_class))
    if len(rows.classes) * shape[0] * shape[1] > MOST_CELLS:
        raise InputError(
            f"{len(rows.classes):,} classes, {shape[0]:,} verdicts and {shape[1]:,} predictions are more than can be "
            "estimated with a judge: merge rare classes, or leave out the judge"
        )
    labelled, everything = np.zeros((len(rows.classes), *shape)), np.zeros(shape)
    placed = verdicts.codes >= 0
    known = placed & (rows.truth >= 0)
    counted = placed & (rows.truth < 0) if only_unlabelled else placed
    stands_for = rows.rows[known] if weights is None else rows.rows[known] * weights[known]
    np.add.at(labelled, (rows.truth[known], verdicts.codes[known], rows.prediction[known]), stands_for)
    np.add.at(everything, (verdicts.codes[counted], rows.prediction[counted]), rows.rows[counted])
    if weights is not None:
        labelled *= _equal_weights(stands_for, stands_for * weights[known])
    if squares is not None:
        labelled *= _equal_weights(rows.rows[known], squares[known])
        everything *= _equal_weights(rows.rows[counted], squares[counted])
    if groups is not None:
        stratum = verdicts.codes * len(rows.prediction_class) + rows.prediction
        labelled /= design_effect(rows.truth[known], stratum[known], groups[known], rows.rows[known])
        everything /= design_effect(stratum[counted], np.zeros(counted.sum(), int), groups[counted], rows.rows[counted])
    return StratumCounts(labelled, everything, verdicts.verdict_class, rows.prediction_class, verdicts.level)


def drawn_weights(strata: SystemStrata) -> Real:
    """Rows that each labelled row of a pattern stands for, where labels were drawn by these strata."""
    everything, labels = strata.counts.everything, strata.counts.labelled.sum(axis=0)
    mean = float(everything.sum() / max(labels.sum(), 1e-300))
    each = np.where(labels > 0, everything / np.maximum(labels, 1e-300), mean)
    placed = (strata.verdict_codes >= 0) & (strata.prediction_codes >= 0)
    return np.where(
        placed, each[np.where(placed, strata.verdict_codes, 0), np.where(placed, strata.prediction_codes, 0)], mean
    )


def _equal_weights(weights: Real, squares: Real) -> float:
    """What turns summed weights into as many rows of equal weight: Σw/Σw²."""
    return float(weights.sum() / squares.sum()) if squares.sum() > 0 else 1.0


Codes = NDArray[np.int64]


def design_effect(category: Codes, stratum: Codes, group: Codes, rows: Real) -> float:
    """Variance of the shares of categories within strata over that of independent rows; at least 1.

    ``group`` is −1 for rows that stand alone.

    >>> once, twice = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    >>> design_effect(once, np.zeros(4, int), np.arange(4), np.ones(4))
    1.0
    >>> design_effect(twice, np.zeros(4, int), twice, np.ones(4))
    4.0
    """
    if not len(category):
        return 1.0
    _, place = np.unique(stratum, return_inverse=True)
    _, kind = np.unique(category, return_inverse=True)
    shares = np.zeros((place.max() + 1, kind.max() + 1))
    np.add.at(shares, (place, kind), rows)
    shares /= shares.sum(axis=1, keepdims=True)
    alone = np.where(group < 0, len(group) + np.arange(len(group)), group)
    groups, member = np.unique(alone, return_inverse=True)
    residual = -shares[place]
    residual[np.arange(len(kind)), kind] += 1.0
    sums = np.zeros((len(groups), residual.shape[1]))
    np.add.at(sums, member, rows[:, None] * residual)
    single = float((rows[:, None] * residual**2).sum())
    together = float((sums**2).sum())
    if single <= 0 or len(groups) < 2:
        return 1.0
    return max(together / single * len(groups) / (len(groups) - 1), 1.0) if together > single else 1.0
