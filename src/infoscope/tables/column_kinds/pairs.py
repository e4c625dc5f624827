"""Pairs of a truth and predictions that are no classes: scores, measurements, identifiers, columns exchanged.

Numbers that are given as predictions may rank two true classes as scores do, or be names in any order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

import numpy as np

from infoscope.errors import InputError
from infoscope.tables import Contingency
from infoscope.tables.column_kinds.names import ColumnNames
from infoscope.tables.column_kinds.values import ColumnValues, number_of, thinned
from infoscope.tables.labels import Label

__all__ = ["check_columns"]

MAX_NUMBERED_CLASSES = 20
"""Numbers beyond this many, met by predictions with fractions, are measured rather than named."""
MAX_SHARED_MEASUREMENTS = 0.05
"""Fraction of predictions that are one of the true numbers; codes with a decimal point have more."""
MIN_SHARED_CLASSES = 0.5
"""Fraction of predictions that are one of the true numbers where both name classes."""
_PREDICTED = re.compile(r"(y_?)?(pred|preds|predicted|predictions?|hat)(_?(labels?|class|classes))?|model_output")
_TRUE = re.compile(r"(y_?)?(true|truth|gold|label|labels|target|targets|actual|ground_?truth)(_?(labels?|class))?")


def check_columns(tables: Mapping[str, Contingency], columns: ColumnNames) -> None:
    """Reject what is no pair of true and predicted classes, with the call that was probably meant."""
    _check_names(columns, list(tables))
    sides = {name: _sides(table) for name, table in tables.items() if table.sample_size}
    rankings = {name: RankedNumbers.of(tables[name]) for name in sides}
    scores = [name for name, (truth, system, _) in sides.items() if _are_scores(truth, system, rankings[name])]
    for name, (truth, system, shared) in sides.items():
        if truth.are_measured and system.are_measured:
            if shared < MAX_SHARED_MEASUREMENTS:
                raise InputError(_regression(columns, name, truth, system))
        elif truth.are_measured and len(truth.labels) > len(system.labels) and not _are_names(system, shared):
            raise InputError(_swapped_scores(columns, name, truth, system))
        elif name in scores:
            measured = truth.are_numbers and len(truth.labels) > MAX_NUMBERED_CLASSES
            words = _regression(columns, name, truth, system) if measured else _scores(columns, scores, sides, rankings)
            raise InputError(words)
        elif shared == 0 and truth.are_identifiers != system.are_identifiers:
            raise InputError(_identifiers(columns, None if truth.are_identifiers else name, truth, system))
        elif shared == 0 and (truth.repeat_rarely(system) or system.repeat_rarely(truth)):
            raise InputError(_identifiers(columns, name if system.repeat_rarely(truth) else None, truth, system))


def _sides(table: Contingency) -> tuple[ColumnValues, ColumnValues, float]:
    """Both sides, and the fraction of rows whose prediction is one of the true classes."""
    rows = float(table.sample_size or 0.0)
    predicted = table.column_totals.copy()
    if table.reject_column is not None:
        predicted[table.reject_column] = 0.0
    at_rows, at_columns = table.matches
    known = table.row_totals[at_rows] > 0
    shared = float(predicted[at_columns][known].sum()) / max(float(predicted.sum()), 1e-300)
    truth = ColumnValues.of(table.truth_labels, table.row_totals, rows)
    return truth, ColumnValues.of(table.system_labels, predicted, rows), shared


def _are_names(system: ColumnValues, shared: float) -> bool:
    """Whether predicted fractions are true classes, as "25%" and "50%" are where fewer are predicted than there are."""
    return bool(system.has_fraction.any()) and shared > MIN_SHARED_CLASSES


def _are_scores(truth: ColumnValues, system: ColumnValues, ranking: RankedNumbers | None) -> bool:
    if truth.has_fraction.any():
        return False
    return system.are_measured or (ranking is not None and ranking.are_scores)


def _scores(
    columns: ColumnNames,
    scores: Sequence[str],
    sides: Mapping[str, tuple[ColumnValues, ColumnValues, float]],
    rankings: Mapping[str, RankedNumbers | None],
) -> str:
    first = scores[0]
    truth, system, _ = sides[first]
    found = f"{columns.name(first)} holds {system.described}, which are scores and no predicted classes"
    if len(scores) > 1:
        means = [float(np.sum(side.numbers * side.row_fractions)) for side in (sides[name][1] for name in scores)]
        whose = ", ".join(map(repr, scores[:8]))
        what = "probabilities that sum to 1" if abs(sum(means) - 1) < 1e-4 else "scores"
        found = f"{whose} hold {what} and no predicted classes"
        if columns.truth is None:
            return f"{found}; sweep them with ifs.sweep(y_true, probabilities), one column per class"
    elif len(truth.labels) > 2:
        each = "one column of probabilities for each class"
        return f"{found}; with {len(truth.labels):,} classes give {each}: {columns.sweep([first, '…'], ())}"
    ranking = rankings[first]
    meant = columns.sweep(scores, truth.labels, high=None if ranking is None else ranking.high_class)
    clusters = (
        "" if system.are_measured else "; if the numbers name clusters, say task='clustering' (--task clustering)"
    )
    return f"{found}; choose a threshold for them: {meant}{clusters}"


def _swapped_scores(columns: ColumnNames, name: str, truth: ColumnValues, system: ColumnValues) -> str:
    found = f"{columns.name(None)} holds {truth.described} and {columns.name(name)} only {len(system.labels):,}"
    if columns.truth is None:
        return f"{found}; if these are scores of true classes, the classes come first: ifs.sweep(y_true, y_score)"
    meant = columns.sweep([columns.truth], system.labels, name)
    return f"{found}; if these are scores of true classes, sweep them: {meant}"


def _regression(columns: ColumnNames, name: str, truth: ColumnValues, system: ColumnValues) -> str:
    return (
        f"{columns.name(None)} holds {truth.described} and {columns.name(name)} {system.described}: quantities, not "
        "classes; use a regression metric such as sklearn.metrics.mean_absolute_error, or cut both into classes first, "
        "for example with pandas.cut"
    )


def _identifiers(columns: ColumnNames, system: str | None, truth: ColumnValues, other: ColumnValues) -> str:
    side = truth if system is None else other
    what = "true" if system is None else "predicted"
    option = "-t (truth=)" if system is None else "-s (system=)"
    how = f"name the column of {what} classes with {option}" if columns.truth is not None else f"give {what} classes"
    none = "a predicted class" if system is None else "a true class"
    what = f"{columns.name(system)} holds {side.described} and none of them is {none}"
    clusters = "" if side.are_identifiers else "; if they name clusters, say task='clustering' (--task clustering)"
    return f"{what}, like identifiers or free text; {how}{clusters}"


def _check_names(columns: ColumnNames, systems: Sequence[str]) -> None:
    """Truth and prediction exchanged, as their names say."""
    if columns.truth is None or not _PREDICTED.fullmatch(columns.truth.lower()):
        return
    for name in systems:
        if _TRUE.fullmatch(name.lower()):
            source = "" if columns.source is None else f": infoscope evaluate {quote(columns.source)} "
            meant = f"{source}-t {quote(name)} -s {quote(columns.truth)}" if source else ""
            raise InputError(
                f"{columns.truth!r} is given as the truth and {name!r} as a prediction, so the two look swapped; give "
                f"truth={name!r} and system={columns.truth!r}{meant}"
            )


MIN_RANKED = 15
"""Different whole numbers, none of them a true class, from which on their order is looked at."""
MIN_RANKED_ROWS = 0.05
"""Fraction of rows that have one of them."""
MIN_AREA = 0.7
"""Area under the ROC curve, of the class that has the higher numbers."""
MIN_STANDARD_ERRORS = 3.2
"""Correlation of a number's place with the frequency of a class, in standard deviations over names in any order."""
MIN_RECALL = 0.2
"""Fraction of the rows of both classes from which on their names are predicted, and not met by chance of the scores."""
MAX_CLUSTERS = 40
"""Different numbers up to which they may be clusters that were numbered class by class, where each has many rows …"""
MAX_SMOOTHNESS = 2.0
"""… and of more, if neighbours are no more alike in size than others: standard deviations of their likeness."""
MIN_UNEVENNESS = 3.0
"""Standard deviations by which sizes vary more than those of equally frequent numbers, whose likeness tells nothing."""
MIN_CLUSTER_ROWS = 5
"""Rows of a number, in three of four; scores crowd at both ends and have few in between."""
MIN_GRADUAL = 2.0
"""Standard deviations of the trend on both sides of the steepest step, which scores have and clusters lack."""
MIN_LEAN = 0.1
"""Area beyond one half from which on numbers are of one class rather than of the other."""

Counts = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class RankedNumbers:
    """Numbers in ascending order, with the rows of both true classes that have each."""

    classes: tuple[Label, Label]
    rows: Counts
    """Class × number."""
    are_names: np.ndarray[Any, np.dtype[np.bool_]]
    """Which of the numbers are true classes."""
    recalls: tuple[float, float] = (0.0, 0.0)
    """Fraction of the rows of each class that have its name."""

    @classmethod
    def of(cls, table: Contingency) -> RankedNumbers | None:
        """None unless the truth has two classes and predictions are numbers; of many numbers, evenly spread ones."""
        true = np.flatnonzero(table.row_totals > 0)
        used = np.flatnonzero(table.column_totals > 0)
        used = used[used != (-1 if table.reject_column is None else table.reject_column)]
        if len(true) != 2 or len(used) < 2 or table.batch_shape:
            return None
        used = thinned(used)
        numbers = np.array([number_of(table.system_labels[at]) for at in used.tolist()])
        if not np.isfinite(numbers).all():
            return None
        used = used[np.argsort(numbers, kind="stable")]
        place = np.full(table.shape[1], -1)
        place[used] = np.arange(len(used))
        rows = np.zeros((2, len(used)))
        for at, row in enumerate(true):
            mine = (table.cell_rows == row) & (place[table.cell_columns] >= 0)
            rows[at] = np.bincount(place[table.cell_columns[mine]], table.cells[mine], len(used))
        one, other = (table.truth_labels[at] for at in true.tolist())
        at_rows, at_columns = table.matches
        own = dict(zip(at_rows.tolist(), place[at_columns].tolist(), strict=True))
        hits = [rows[at, own[row]] if own.get(row, -1) >= 0 else 0.0 for at, row in enumerate(true.tolist())]
        first, second = (float(hit) / float(table.row_totals[row]) for hit, row in zip(hits, true, strict=True))
        known = np.isin(used, at_columns[table.row_totals[at_rows] > 0])
        return cls((one, other), rows, known, (first, second))

    @property
    def high_class(self) -> Label | None:
        """The class that has the higher numbers; None where neither has clearly."""
        area = float(_area(self.rows))
        return None if abs(area - 0.5) < MIN_LEAN else self.classes[int(area > 0.5)]

    @property
    def are_scores(self) -> bool:
        """Whether the order of numbers that are no true class separates the classes, as no order of names would."""
        rows = self.rows[:, ~self.are_names]
        few = rows.shape[1] < MIN_RANKED or rows.sum() < MIN_RANKED_ROWS * self.rows.sum()
        if few or not rows.sum(axis=1).min() or min(self.recalls) >= MIN_RECALL:
            return False
        if abs(float(_area(rows)) - 0.5) < MIN_AREA - 0.5:
            return False
        share = rows[1] / rows.sum(axis=0)
        if abs(_trend(share)) <= MIN_STANDARD_ERRORS:
            return False
        sizes = rows.sum(axis=0)
        repeat = float(np.quantile(sizes, 0.25)) >= MIN_CLUSTER_ROWS
        may_be_clusters = repeat and (len(sizes) <= MAX_CLUSTERS or _are_rough(sizes))
        return not may_be_clusters or abs(_trend_beside_step(share)) > MIN_GRADUAL


def _trend(share: Counts) -> float:
    """Correlation of a number's place with the frequency of a class, in standard deviations over names in any order."""
    if len(share) < 3 or float(np.ptp(share)) == 0.0:
        return 0.0
    correlation = float(np.corrcoef(np.arange(len(share)), share)[0, 1])
    return correlation * float(np.sqrt(len(share) - 1))


def _trend_beside_step(share: Counts) -> float:
    """The trend on both sides of the place where the mean frequency changes most, taken together."""
    sums, sizes = np.cumsum(share)[:-1], np.arange(1, len(share))
    between = (sums / sizes - (share.sum() - sums) / sizes[::-1]) ** 2 * sizes * sizes[::-1]
    step = int(np.argmax(between)) + 1
    return (_trend(share[:step]) + _trend(share[step:])) / float(np.sqrt(2.0))


def _are_rough(sizes: Counts) -> bool:
    """Whether sizes differ, and those of neighbours as much as any: a number of scores has about as many as the next.

    By von Neumann's ratio of the logarithms, which is 2 where the order of the numbers means nothing.
    """
    mean, free = float(sizes.mean()), len(sizes) - 1
    if float(((sizes - mean) ** 2).sum()) / mean < free + MIN_UNEVENNESS * float(np.sqrt(2.0 * free)):
        return False
    logarithms = np.log(sizes)
    ratio = float((np.diff(logarithms) ** 2).sum() / ((logarithms - logarithms.mean()) ** 2).sum())
    return (1.0 - ratio / 2.0) * float(np.sqrt(len(sizes))) < MAX_SMOOTHNESS


def _area(rows: Counts) -> Counts:
    """Area under the ROC curve of the second class, by rows of both classes over ascending numbers; ties count half."""
    below = np.cumsum(rows[0], axis=-1) - 0.5 * rows[0]
    pairs = np.maximum(rows[0].sum(axis=-1) * rows[1].sum(axis=-1), 1e-300)
    return np.asarray((rows[1] * below).sum(axis=-1) / pairs)
