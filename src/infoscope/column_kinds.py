"""What columns hold that are given as labels: classes, or scores, identifiers and measurements given by mistake."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from infoscope.errors import InputError
from infoscope.masking import masked
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, decided_positive, positive_of
from infoscope.tables.patterns import Patterns
from infoscope.typing import LabelsLike

__all__ = [
    "ColumnNames",
    "asked_positive",
    "check_columns",
    "check_label_columns",
    "check_labels",
    "check_one_label_per_row",
    "measured_labels",
    "near_misses",
]

MAX_PARSED = 2000
"""Labels of a side that are looked at; of more, evenly spread ones."""
MIN_PROBABILITIES = 3
"""Different fractions between 0 and 1 that no class is named by."""
MIN_FRACTIONS = 10
"""The same for numbers of any size: star ratings and grades have fewer."""
MIN_FRACTION_ROWS = 0.05
MAX_NUMBERED_CLASSES = 20
"""Numbers beyond this many, met by predictions with fractions, are measured rather than named."""
MAX_SHARED_MEASUREMENTS = 0.05
"""Share of predictions that are one of the true numbers; codes with a decimal point have more."""
MIN_IDENTIFIERS = 20
IDENTIFIER_SHARE = 0.9
"""Share of rows with a value of their own."""

_PREDICTED = re.compile(r"(y_?)?(pred|preds|predicted|predictions?|hat)(_?(labels?|class|classes))?|model_output")
_TRUE = re.compile(r"(y_?)?(true|truth|gold|label|labels|target|targets|actual|ground_?truth)(_?(labels?|class))?")


@dataclass(frozen=True)
class ColumnNames:
    """How truth and predictions were named where they came from."""

    truth: str | None = None
    source: str | None = None
    """The file, where it is one."""
    in_tables: bool = False
    """Whether finished tables were given."""

    @classmethod
    def asked(cls, source: object, truth: str | None, *, labels: bool) -> ColumnNames:
        """Of a question: labels, rows of a source with the name of the truth, or tables."""
        is_file = isinstance(source, (str, Path)) and not labels
        return cls(truth, masked(str(source)) if is_file else None, in_tables=truth is None and not labels)

    def name(self, system: str | None) -> str:
        """The truth (None) or a system in a sentence."""
        if self.in_tables:
            return "the truth" if system is None else f"the output of {system!r}"
        if self.truth is not None:
            return f"column {(self.truth if system is None else system)!r}"
        return "y_true" if system is None else "y_pred" if system == "system" else f"y_pred[{system!r}]"

    def sweep(self, scores: Sequence[str], classes: Sequence[Label], truth: str | None = None) -> str:
        """The command and the call that sweep these scores of true classes."""
        column = truth or self.truth
        options, words = _class_options(scores, classes)
        if column is None:
            return f"ifs.sweep(y_true, y_score{words})"
        names = " ".join(f"--score {_quoted(name)}" for name in scores)
        given = scores[0] if len(scores) == 1 else list(scores)
        source = "source" if self.source is None else repr(self.source)
        call = f"ifs.sweep({source}, truth={column!r}, score={given!r}{words})"
        if self.source is None:
            return call
        return f"infoscope sweep {_quoted(self.source)} -t {_quoted(column)} {names}{options}, in Python {call}"


def _class_options(scores: Sequence[str], classes: Sequence[Label]) -> tuple[str, str]:
    """What says which classes the scores are of, as options and as arguments; the names of the columns may tell."""
    stated = [next((label for label in classes if name.lower().endswith(str(label).lower())), None) for name in scores]
    if len(scores) == 1 and len(classes) == 2:
        known = decided_positive(classes)
        meant = stated[0] if stated[0] is not None else positive_of(classes)
        return ("", "") if meant == known else (f" --positive {_quoted(str(meant))}", f", positive={meant!r}")
    if len(scores) < 2 or None in stated or len(set(stated)) < len(scores) or [str(x) for x in stated] == list(scores):
        return "", ""
    return "".join(f" --class {_quoted(str(label))}" for label in stated), f", classes={stated!r}"


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w./:@%+-]+", word) else "'" + word.replace("'", "'\\''") + "'"


@dataclass(frozen=True)
class _Side:
    """The values of one side: which are numbers with a fraction, how many differ, and in how many rows."""

    labels: Sequence[Label]
    rows: float
    numbers: np.ndarray[Any, np.dtype[np.float64]]
    """Those looked at, NaN for text."""
    share_of_rows: np.ndarray[Any, np.dtype[np.float64]]

    @classmethod
    def of(cls, labels: Sequence[Label], totals: np.ndarray[Any, Any], rows: float) -> _Side:
        used = np.flatnonzero(totals > 0)
        some = used if len(used) <= MAX_PARSED else used[np.linspace(0, len(used) - 1, MAX_PARSED).astype(np.int64)]
        numbers = np.array([_number(labels[at]) for at in some.tolist()], dtype=np.float64)
        shares = totals[some] / max(float(totals[some].sum()), 1e-300)
        return cls([labels[at] for at in used.tolist()], rows, numbers, shares)

    @property
    def has_fraction(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        return np.isfinite(self.numbers) & (self.numbers != np.rint(self.numbers))

    @property
    def are_numbers(self) -> bool:
        return bool(len(self.numbers)) and bool(np.isfinite(self.numbers).all())

    @property
    def are_measured(self) -> bool:
        """Numbers with fractions, too many to name classes; between 0 and 1 a few suffice."""
        fractions = int(self.has_fraction.sum())
        if not self.are_numbers or float(self.share_of_rows[self.has_fraction].sum()) < MIN_FRACTION_ROWS:
            return False
        between = float(self.numbers.min()) >= 0 and float(self.numbers.max()) <= 1
        return fractions >= (MIN_PROBABILITIES if between else MIN_FRACTIONS)

    @property
    def are_identifiers(self) -> bool:
        return self.rows >= MIN_IDENTIFIERS and len(self.labels) >= IDENTIFIER_SHARE * self.rows

    @property
    def described(self) -> str:
        return f"{len(self.labels):,} different {'numbers' if self.are_numbers else 'values'} in {self.rows:,.0f} rows"


def _number(label: Label) -> float:
    """The number that a label is or spells; NaN for others."""
    if isinstance(label, bool) or not isinstance(label, (int, float, str)):
        return float("nan")
    try:
        return float(label) if not isinstance(label, str) or "_" not in label else float("nan")
    except (ValueError, OverflowError):
        return float("nan")


def check_columns(tables: Mapping[str, Contingency], columns: ColumnNames) -> None:
    """Refuse what is no pair of true and predicted classes, with the call that was probably meant."""
    _check_names(columns, list(tables))
    sides = {name: _sides(table) for name, table in tables.items() if table.sample_size}
    scores = [name for name, (truth, system, _) in sides.items() if _are_scores(truth, system)]
    for name, (truth, system, shared) in sides.items():
        if truth.are_measured and system.are_measured:
            if shared < MAX_SHARED_MEASUREMENTS:
                raise InputError(_regression(columns, name, truth, system))
        elif truth.are_measured and len(truth.labels) > len(system.labels):
            raise InputError(_swapped_scores(columns, name, truth, system))
        elif name in scores:
            measured = truth.are_numbers and len(truth.labels) > MAX_NUMBERED_CLASSES
            words = _regression(columns, name, truth, system) if measured else _scores(columns, scores, sides)
            raise InputError(words)
        elif shared == 0 and truth.are_identifiers != system.are_identifiers:
            raise InputError(_identifiers(columns, None if truth.are_identifiers else name, truth, system))


def _sides(table: Contingency) -> tuple[_Side, _Side, float]:
    """Both sides, and the share of rows whose prediction is one of the true classes."""
    rows = float(table.sample_size or 0.0)
    predicted = table.column_totals.copy()
    if table.reject_column is not None:
        predicted[table.reject_column] = 0.0
    at_rows, at_columns = table.matches
    known = table.row_totals[at_rows] > 0
    shared = float(predicted[at_columns][known].sum()) / max(float(predicted.sum()), 1e-300)
    truth = _Side.of(table.truth_labels, table.row_totals, rows)
    return truth, _Side.of(table.system_labels, predicted, rows), shared


def _are_scores(truth: _Side, system: _Side) -> bool:
    return system.are_measured and not truth.has_fraction.any()


def _scores(columns: ColumnNames, scores: Sequence[str], sides: Mapping[str, tuple[_Side, _Side, float]]) -> str:
    first = scores[0]
    truth, system, _ = sides[first]
    found = f"{columns.name(first)} holds {system.described}, which are scores and no predicted classes"
    if len(scores) > 1:
        means = [float(np.sum(side.numbers * side.share_of_rows)) for side in (sides[name][1] for name in scores)]
        whose = ", ".join(map(repr, scores[:8]))
        what = "probabilities that sum to 1" if abs(sum(means) - 1) < 1e-4 else "scores"
        found = f"{whose} hold {what} and no predicted classes"
        if columns.truth is None:
            return f"{found}; sweep them with ifs.sweep(y_true, probabilities), one column per class"
    elif len(truth.labels) > 2:
        each = "one column of probabilities for each class"
        return f"{found}; with {len(truth.labels):,} classes give {each}: {columns.sweep([first, '…'], ())}"
    return f"{found}; choose a threshold for them: {columns.sweep(scores, truth.labels)}"


def _swapped_scores(columns: ColumnNames, name: str, truth: _Side, system: _Side) -> str:
    found = f"{columns.name(None)} holds {truth.described} and {columns.name(name)} only {len(system.labels):,}"
    if columns.truth is None:
        return f"{found}; if these are scores of true classes, the classes come first: ifs.sweep(y_true, y_score)"
    meant = columns.sweep([columns.truth], system.labels, name)
    return f"{found}; if these are scores of true classes, sweep them: {meant}"


def _regression(columns: ColumnNames, name: str, truth: _Side, system: _Side) -> str:
    return (
        f"{columns.name(None)} holds {truth.described} and {columns.name(name)} {system.described}: quantities, not "
        "classes; use a regression metric such as sklearn.metrics.mean_absolute_error, or cut both into classes first, "
        "for example with pandas.cut"
    )


def _identifiers(columns: ColumnNames, system: str | None, truth: _Side, other: _Side) -> str:
    side = truth if system is None else other
    what = "true" if system is None else "predicted"
    option = "-t (truth=)" if system is None else "-s (system=)"
    how = f"name the column of {what} classes with {option}" if columns.truth is not None else f"give {what} classes"
    none = "a predicted class" if system is None else "a true class"
    what = f"{columns.name(system)} holds {side.described} and none of them is {none}"
    return f"{what}, like identifiers or free text; {how}"


def _check_names(columns: ColumnNames, systems: Sequence[str]) -> None:
    """Truth and prediction exchanged, as their names say."""
    if columns.truth is None or not _PREDICTED.fullmatch(columns.truth.lower()):
        return
    for name in systems:
        if _TRUE.fullmatch(name.lower()):
            source = "" if columns.source is None else f": infoscope evaluate {_quoted(columns.source)} "
            meant = f"{source}-t {_quoted(name)} -s {_quoted(columns.truth)}" if source else ""
            raise InputError(
                f"{columns.truth!r} is given as the truth and {name!r} as a prediction, so the two look swapped; give "
                f"truth={name!r} and system={columns.truth!r}{meant}"
            )


def check_labels(y_true: LabelsLike, systems: Mapping[str, Any]) -> None:
    """Refuse several numbers per row in the truth, and scores of booleans, before labels are compared by kind."""
    check_one_label_per_row(y_true, "y_true")
    is_list = isinstance(y_true, (list, tuple)) and bool(y_true) and isinstance(y_true[0], bool)
    if not is_list and not str(getattr(y_true, "dtype", "")).lower().endswith(("bool", "boolean")):
        return
    for name, labels in systems.items():
        different = _fractions(labels)
        if different >= MIN_PROBABILITIES:
            raise InputError(
                f"{ColumnNames().name(name)} holds {different:,} different fractions, which are scores and no "
                "predicted classes; choose a threshold for them: ifs.sweep(y_true, y_score)"
            )


def _fractions(labels: Any) -> int:
    """How many different numbers with a fraction there are; 0 where labels are no numbers."""
    try:
        values = np.asarray(labels)
    except (TypeError, ValueError):
        return 0
    return len(np.unique(values[values % 1 > 0])) if values.ndim == 1 and values.dtype.kind == "f" else 0


def check_label_columns(patterns: Patterns, way_out: str = "") -> None:
    """Refuse columns of numbers that are measured, and of identifiers, where each should hold one system's labels."""
    sides = [_column_side(patterns, at) for at in range(len(patterns.names))]
    for at, (name, side) in enumerate(zip(patterns.names, sides, strict=True)):
        if side.are_measured:
            raise InputError(
                f"column {name!r} holds {side.described}: scores or measurements, and no labels; cut them into classes "
                f"first, for example with pandas.cut{way_out}"
            )
        others = {str(label) for other in (*sides[:at], *sides[at + 1 :]) for label in other.labels}
        if side.are_identifiers and not patterns.is_weighted and not others & set(map(str, side.labels)):
            raise InputError(
                f"column {name!r} holds {side.described} and none of them is a label of another column, like "
                "identifiers or free text; name columns of labels"
            )


def _column_side(patterns: Patterns, at: int) -> _Side:
    there = patterns.present[at]
    codes = patterns.codes[at, there].astype(np.int64)
    totals = np.bincount(codes, patterns.counts[there], patterns.sizes[at])
    return _Side.of(patterns.labels[at], totals, float(totals.sum()))


def check_one_label_per_row(labels: LabelsLike, name: str) -> None:
    """Refuse several numbers per row where one label is expected, with the call that takes them."""
    array = _numbers_per_row(labels)
    if array is None:
        return
    size = f"{array.shape[1]} numbers per row ({array.shape[0]:,} × {array.shape[1]})"
    if name == "y_true":
        raise InputError(
            f"y_true holds {size}; give one class per row, y_true.argmax(axis=1) for one-hot rows, or use "
            "ifs.multilabel for several labels per row"
        )
    if array.dtype.kind in "biu" or np.isin(array, (0, 1)).all():
        one_hot = np.isin(array, (0, 1)).all() and (array.sum(axis=1) == 1).all()
        way = f"{name}.argmax(axis=1) for one-hot rows" if one_hot else "several systems by name, {'a': …, 'b': …}"
        raise InputError(
            f"{name} holds {size}; give one class per row, {way}, or use ifs.multilabel for several labels per row"
        )
    sums = np.nansum(array, axis=1)
    what = "probabilities that sum to 1" if np.allclose(sums, 1.0, atol=1e-3) and array.min() >= 0 else "scores"
    call = f"ifs.sweep(y_true, {name})" if what != "scores" else f"ifs.sweep(y_true, softmax({name}))"
    raise InputError(
        f"{name} holds {size}, {what} and no predicted classes; sweep them with {call}, or evaluate the most probable "
        f"class, {name}.argmax(axis=1)"
    )


def _numbers_per_row(labels: Any) -> np.ndarray[Any, Any] | None:
    """A matrix of numbers with two columns or more; None for everything else."""
    shape = getattr(labels, "shape", None)
    if isinstance(labels, (list, tuple)):
        rows = labels[:5]
        if not rows or not all(isinstance(row, (list, tuple, np.ndarray)) and len(row) > 1 for row in rows):
            return None
    elif shape is None or len(shape) != 2 or shape[1] < 2 or hasattr(labels, "columns"):
        return None
    try:
        array = np.asarray(labels.detach().cpu() if hasattr(labels, "detach") else labels)
    except (TypeError, ValueError):
        return None
    return array if array.ndim == 2 and array.dtype.kind in "biuf" and array.size else None


MIN_MEASURED = 30
"""Different whole numbers in the truth from which on they may be measured."""
MAX_MEASURED_ACCURACY = 0.5
MIN_NEARNESS = 0.85
"""Rank correlation over the wrong predictions …"""
MIN_NEARNESS_OF_MANY = 0.6
"""… and where there are so many numbers that few rows share one."""
MANY_NUMBERS = 0.1


def asked_positive(classes: Sequence[Label], taken: Label | None, role: str = "is positive") -> str | None:
    """The question which of two classes is meant, where their names do not say; None where they do."""
    if len(classes) != 2 or decided_positive(classes) is not None:
        return None
    one, other = classes
    return (
        f"The names {one!r} and {other!r} do not say which class {role}; {taken!r} is taken, because it sorts last. "
        f"Name it: --positive {_quoted(str(other))} or --positive {_quoted(str(one))} (positive= in Python)."
    )


def near_misses(table: Contingency) -> float | None:
    """Rank correlation of true and predicted number over the wrong predictions, where it says that numbers measure.

    Wrong class ids are anywhere; wrong measurements are near. None where labels are few, no numbers, or mostly right.
    """
    at_rows, at_columns = table.matches
    different = int((table.row_totals > 0).sum())
    if different < MIN_MEASURED or not table.total or table.batch_shape or not table.labelled:
        return None  # the numbers of a matrix without labels are places
    if float(table.diagonal.sum()) > MAX_MEASURED_ACCURACY * float(table.total):
        return None
    sides = [np.array([_number(label) for label in labels]) for labels in (table.truth_labels, table.system_labels)]
    if not all(np.isfinite(side).all() for side in sides):
        return None
    own = np.full(table.shape[0], -1)
    own[at_rows] = at_columns
    wrong = (table.cells > 0) & (own[table.cell_rows] != table.cell_columns)
    every = np.unique(np.concatenate(sides))
    ranks = [np.searchsorted(every, side) for side in sides]
    x, y, weights = ranks[0][table.cell_rows[wrong]], ranks[1][table.cell_columns[wrong]], table.cells[wrong]
    if len(weights) < MIN_MEASURED or min(np.ptp(x), np.ptp(y)) == 0:
        return None
    spread = np.cov(np.stack([x, y]).astype(np.float64), aweights=weights)
    if min(spread[0, 0], spread[1, 1]) <= 0:
        return None
    found = float(spread[0, 1] / np.sqrt(spread[0, 0] * spread[1, 1]))
    are_many = table.sample_size is not None and different >= MANY_NUMBERS * table.sample_size
    return found if found >= (MIN_NEARNESS_OF_MANY if are_many else MIN_NEARNESS) else None


def measured_labels(nearness: float) -> str:
    """The sentence about labels that seem to measure."""
    return (
        f"The labels are numbers and wrong predictions lie near the truth (rank correlation {nearness:.2f}), as of a "
        "quantity that is measured: for that use a regression metric such as sklearn.metrics.mean_absolute_error, for "
        "ordered classes say ordinal= (--ordinal); only if the numbers merely name classes do the numbers below hold."
    )
