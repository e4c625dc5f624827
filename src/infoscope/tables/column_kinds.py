"""Checks of columns given as labels: classes, or scores, identifiers and measurements given by mistake.

``check_labels``, ``check_label_columns`` and ``check_columns`` reject what is no column, or no pair of columns, of
classes, with the call that was probably meant. The functions behind them word findings about labels that look odd and
still count: measured numbers, an open positive class, blank labels, words for a missing value, a header among the rows.
Studies call them after reading; thresholds stand beside the rule that uses them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import pluralize
from infoscope.core.numerics import Real, as_real, distinct
from infoscope.errors import InputError
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, decide_positive, find_positive
from infoscope.tables.rows import Rows
from infoscope.typing import LabelsLike

# ── the values of one column ─────────────────────────────────────────────────────────────────────


MAX_PARSED = 2000
"""Values of a column that are looked at; of more, evenly spread ones."""
MIN_PROBABILITIES = 3
"""Different fractions between 0 and 1 that no class is named by."""
MIN_FRACTIONS = 10
"""The same for numbers of any size: star ratings and grades have fewer."""
MIN_FRACTION_ROWS = 0.05
MIN_IDENTIFIERS = 20
IDENTIFIER_SHARE = 0.9
"""Fraction of rows with a value of their own."""
MIN_ROWS_EACH = 5
"""Rows per value below which values that are no class tell nothing: any would seem to carry information."""
MIN_TIMES_MORE = 4
"""Values for each of the other column's."""


@dataclass(frozen=True)
class ColumnValues:
    """The values of one column: which are numbers with a fraction, how many differ, and in how many rows."""

    labels: Sequence[Label]
    rows: float
    numbers: np.ndarray[Any, np.dtype[np.float64]]
    """Those looked at, NaN for text."""
    row_fractions: np.ndarray[Any, np.dtype[np.float64]]
    """The fraction of rows that has each of them."""

    @classmethod
    def from_totals(cls, labels: Sequence[Label], totals: np.ndarray[Any, Any], rows: float) -> ColumnValues:
        """Describe labels by the rows that each has."""
        used = np.flatnonzero(totals > 0)
        some = _thin_places(used)
        numbers = np.array([parse_number(labels[place]) for place in some.tolist()], dtype=np.float64)
        fractions = totals[some] / max(float(totals[some].sum()), 1e-300)
        return cls([labels[place] for place in used.tolist()], rows, numbers, fractions)

    @classmethod
    def from_table(cls, table: Contingency) -> tuple[ColumnValues, ColumnValues, float]:
        """Return both sides, and the fraction of rows whose prediction is one of the true classes."""
        rows = float(table.sample_size or 0.0)
        predicted = table.column_totals.copy()
        if table.reject_column is not None:
            predicted[table.reject_column] = 0.0
        rows_matched, columns_matched = table.matches
        occurs = table.row_totals[rows_matched] > 0
        shared = float(predicted[columns_matched][occurs].sum()) / max(float(predicted.sum()), 1e-300)
        truth = cls.from_totals(table.truth_labels, table.row_totals, rows)
        return truth, cls.from_totals(table.system_labels, predicted, rows), shared

    @property
    def has_fraction(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """True for numbers that are not whole."""
        return np.isfinite(self.numbers) & (self.numbers != np.rint(self.numbers))

    @property
    def are_numbers(self) -> bool:
        """True if all values are numbers."""
        return bool(len(self.numbers)) and bool(np.isfinite(self.numbers).all())

    @property
    def are_measured(self) -> bool:
        """True for numbers with fractions, too many to name classes; between 0 and 1 a few suffice."""
        fractions = int(self.has_fraction.sum())
        if not self.are_numbers or float(self.row_fractions[self.has_fraction].sum()) < MIN_FRACTION_ROWS:
            return False
        between = float(self.numbers.min()) >= 0 and float(self.numbers.max()) <= 1
        return fractions >= (MIN_PROBABILITIES if between else MIN_FRACTIONS)

    @property
    def are_identifiers(self) -> bool:
        """True if nearly every row has a value of its own."""
        return self.rows >= MIN_IDENTIFIERS and len(self.labels) >= IDENTIFIER_SHARE * self.rows

    def repeat_rarely(self, other: ColumnValues) -> bool:
        """Return True if many values have few rows each, as of visitors, and the other column has far fewer."""
        many = len(self.labels) >= max(MIN_IDENTIFIERS, MIN_TIMES_MORE * len(other.labels))
        return many and len(self.labels) * MIN_ROWS_EACH > self.rows

    @property
    def description(self) -> str:
        """Number of values and rows, in a sentence."""
        return f"{len(self.labels):,} different {'numbers' if self.are_numbers else 'values'} in {self.rows:,.0f} rows"


def _thin_places(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places, or of many as many evenly spread ones as are looked at."""
    if len(places) <= MAX_PARSED:
        return places
    return places[np.linspace(0, len(places) - 1, MAX_PARSED).astype(np.int64)]


def parse_number(label: Label) -> float:
    """Return the number that a label is or spells, also as a percentage or with a decimal comma; NaN for others.

    >>> parse_number("0.5"), parse_number("93.1%"), parse_number("0,25"), parse_number("1,2"), parse_number("dog")
    (0.5, 0.931, 0.25, nan, nan)
    """
    if isinstance(label, str):
        return _read_number(label)
    if isinstance(label, bool) or not isinstance(label, (int, float)):
        return float("nan")
    try:
        return float(label)
    except OverflowError:
        return float("nan")


@lru_cache(maxsize=4096)  # every column of predictions has the labels of the truth again
def _read_number(label: str) -> float:
    text = label.strip()
    if "_" in text:
        return float("nan")
    digits = text.removesuffix("%")
    number = digits.replace(",", ".") if _DECIMAL_COMMA.fullmatch(digits) else digits
    try:
        return float(number if digits == text else f"{number}e-2")  # 93.1% is 0.931, rounded once
    except ValueError:
        return float("nan")


_DECIMAL_COMMA = re.compile(r"[+-]?(?:0,[0-9]+|[0-9]+,[0-9]{2,})")
"""``1,2`` may as well be two labels."""
_WHOLE_PERCENTAGE = re.compile(r"[0-9]+ ?%")


# ── how columns are named in messages ────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ColumnNames:
    """Names of truth and predictions where they came from."""

    truth: str | None = None
    source: str | None = None
    """The file, where it is one."""
    in_tables: bool = False
    """True if finished tables were given."""

    @classmethod
    def from_request(cls, file: str | None, truth: str | None, *, labels: bool) -> ColumnNames:
        """Name the columns of labels, of rows of a source, which may be a file, or of tables."""
        return cls(truth, None if labels else file, in_tables=truth is None and not labels)

    def name(self, system: str | None) -> str:
        """Return the truth (None) or a system in a sentence."""
        if self.in_tables:
            return "the truth" if system is None else f"the output of {system!r}"
        if self.truth is not None:
            return f"column {(self.truth if system is None else system)!r}"
        return "y_true" if system is None else "y_pred" if system == "system" else f"y_pred[{system!r}]"

    def sweep(
        self, scores: Sequence[str], classes: Sequence[Label], truth: str | None = None, *, high: Label | None = None
    ) -> str:
        """Return the command and the call that sweep these scores of true classes, of which one has the high scores."""
        column = truth or self.truth
        # options and arguments that say which classes the scores are of, where column names do not
        options = words = ""
        stated = [
            next((label for label in classes if name.lower().endswith(str(label).lower())), None) for name in scores
        ]
        if len(scores) == 1 and len(classes) == 2:
            meant = next(label for label in (stated[0], high, find_positive(classes)) if label is not None)
            if meant != decide_positive(classes):
                options, words = f" --positive {quote(str(meant))}", f", positive={meant!r}"
        elif (
            len(scores) > 1
            and None not in stated
            and len(set(stated)) == len(scores)
            and [str(label) for label in stated] != list(scores)
        ):
            words = f", classes={stated!r}"
            options = "".join(f" --class {quote(str(label))}" for label in stated)
        if column is None:
            return f"ifs.sweep(y_true, y_score{words})"
        names = " ".join(f"--score {quote(name)}" for name in scores)
        given = scores[0] if len(scores) == 1 else list(scores)
        source = "source" if self.source is None else repr(self.source)
        call = f"ifs.sweep({source}, truth={column!r}, score={given!r}{words})"
        if self.source is None:
            return call
        # the command comes last, so that it can be copied to the end of the line
        return f"{call} in Python, or infoscope sweep {quote(self.source)} -t {quote(column)} {names}{options}"


# ── pairs of a truth and predictions that are no classes ─────────────────────────────────────────


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
    if columns.truth is not None and _PREDICTED.fullmatch(columns.truth.lower()):
        swapped = next((name for name in tables if _TRUE.fullmatch(name.lower())), None)
        if swapped is not None:
            command = (
                ""
                if columns.source is None
                else f": infoscope evaluate {quote(columns.source)} -t {quote(swapped)} -s {quote(columns.truth)}"
            )
            raise InputError(
                f"{columns.truth!r} is given as the truth and {swapped!r} as a prediction, so the two look swapped; "
                f"give truth={swapped!r} and system={columns.truth!r}{command}"
            )
    sides = {name: ColumnValues.from_table(table) for name, table in tables.items() if table.sample_size}
    rankings = {name: RankedNumbers.rank(tables[name]) for name in sides}
    scores = [
        name
        for name, (truth, system, _) in sides.items()
        if not truth.has_fraction.any()
        and (system.are_measured or ((ranking := rankings[name]) is not None and ranking.are_scores))
    ]
    for name, (truth, system, shared) in sides.items():
        # true classes such as "25%", of which fewer are predicted than there are
        are_names = bool(system.has_fraction.any()) and shared > MIN_SHARED_CLASSES
        if truth.are_measured and system.are_measured:
            if shared < MAX_SHARED_MEASUREMENTS:
                raise InputError(_describe_quantities(columns, name, truth, system))
        elif truth.are_measured and len(truth.labels) > len(system.labels) and not are_names:
            text = (
                f"{columns.name(None)} holds {truth.description} and {columns.name(name)} only {len(system.labels):,}"
            )
            if columns.truth is None:
                meant = "if these are scores of true classes, the classes come first: ifs.sweep(y_true, y_score)"
            else:
                sweep = columns.sweep([columns.truth], system.labels, name)
                meant = f"if these are scores of true classes, sweep them: {sweep}"
            raise InputError(f"{text}; {meant}")
        elif name in scores:
            if truth.are_numbers and len(truth.labels) > MAX_NUMBERED_CLASSES:
                raise InputError(_describe_quantities(columns, name, truth, system))
            raise InputError(_describe_scores(columns, scores, sides, rankings))
        elif shared == 0 and truth.are_identifiers != system.are_identifiers:
            raise InputError(_describe_identifiers(columns, None if truth.are_identifiers else name, truth, system))
        elif shared == 0 and (truth.repeat_rarely(system) or system.repeat_rarely(truth)):
            odd = name if system.repeat_rarely(truth) else None
            raise InputError(_describe_identifiers(columns, odd, truth, system))


def _describe_scores(
    columns: ColumnNames,
    scores: Sequence[str],
    sides: Mapping[str, tuple[ColumnValues, ColumnValues, float]],
    rankings: Mapping[str, RankedNumbers | None],
) -> str:
    """Return the sentence about scores that are given as predicted classes, with the sweep that was meant."""
    first = scores[0]
    truth, system, _ = sides[first]
    text = f"{columns.name(first)} holds {system.description}, which are scores and no predicted classes"
    if len(scores) > 1:
        means = [float(np.sum(side.numbers * side.row_fractions)) for side in (sides[name][1] for name in scores)]
        noun = "probabilities that sum to 1" if abs(sum(means) - 1) < 1e-4 else "scores"
        text = f"{', '.join(map(repr, scores[:8]))} hold {noun} and no predicted classes"
        if columns.truth is None:
            return f"{text}; sweep them with ifs.sweep(y_true, probabilities), one column per class"
    elif len(truth.labels) > 2:
        call = columns.sweep([first, "…"], ())
        return f"{text}; with {len(truth.labels):,} classes give one column of probabilities for each class: {call}"
    ranking, high = rankings[first], None  # the class that has the higher numbers, where one clearly has
    if ranking is not None:
        area = float(_measure_area(ranking.rows))
        high = None if abs(area - 0.5) < MIN_LEAN else ranking.classes[int(area > 0.5)]
    call = columns.sweep(scores, truth.labels, high=high)
    clusters = (
        "" if system.are_measured else "; if the numbers name clusters, say task='clustering' (--task clustering)"
    )
    return f"{text}{clusters}; choose a threshold for them: {call}"


def _describe_quantities(columns: ColumnNames, name: str, truth: ColumnValues, system: ColumnValues) -> str:
    return (
        f"{columns.name(None)} holds {truth.description} and {columns.name(name)} {system.description}: quantities, "
        "not classes; use a regression metric such as sklearn.metrics.mean_absolute_error, or cut both into classes "
        "first, for example with pandas.cut"
    )


def _describe_identifiers(columns: ColumnNames, system: str | None, truth: ColumnValues, other: ColumnValues) -> str:
    side, kind, option, opposite = (
        (truth, "true", "-t (truth=)", "a predicted class")
        if system is None
        else (other, "predicted", "-s (system=)", "a true class")
    )
    way_out = (
        f"name the column of {kind} classes with {option}" if columns.truth is not None else f"give {kind} classes"
    )
    clusters = "" if side.are_identifiers else "; if they name clusters, say task='clustering' (--task clustering)"
    return (
        f"{columns.name(system)} holds {side.description} and none of them is {opposite}, like identifiers or free "
        f"text; {way_out}{clusters}"
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
    """True for numbers that are true classes."""
    recalls: tuple[float, float] = (0.0, 0.0)
    """Fraction of the rows of each class that have its name."""

    @classmethod
    def rank(cls, table: Contingency) -> RankedNumbers | None:
        """Rank the predictions of two classes, or evenly spread ones of many; None unless all are numbers."""
        true = np.flatnonzero(table.row_totals > 0)
        used = np.flatnonzero(table.column_totals > 0)
        used = used[used != (-1 if table.reject_column is None else table.reject_column)]
        if len(true) != 2 or len(used) < 2 or table.batch_shape:
            return None
        used = _thin_places(used)
        numbers = np.array([parse_number(table.system_labels[i]) for i in used.tolist()])
        if not np.isfinite(numbers).all():
            return None
        used = used[np.argsort(numbers, kind="stable")]
        place = np.full(table.shape[1], -1)
        place[used] = np.arange(len(used))
        rows = np.zeros((2, len(used)))
        for i, row in enumerate(true):
            mine = (table.cell_rows == row) & (place[table.cell_columns] >= 0)
            rows[i] = np.bincount(place[table.cell_columns[mine]], table.cells[mine], len(used))
        one, other = (table.truth_labels[i] for i in true.tolist())
        matched_rows, matched_columns = table.matches
        own = dict(zip(matched_rows.tolist(), place[matched_columns].tolist(), strict=True))
        hits = [rows[i, own[row]] if own.get(row, -1) >= 0 else 0.0 for i, row in enumerate(true.tolist())]
        first, second = (float(hit) / float(table.row_totals[row]) for hit, row in zip(hits, true, strict=True))
        are_true_classes = np.isin(used, matched_columns[table.row_totals[matched_rows] > 0])
        return cls((one, other), rows, are_true_classes, (first, second))

    @property
    def are_scores(self) -> bool:
        """True if the order of numbers that are no true class separates the classes, as no order of names would."""
        rows = self.rows[:, ~self.are_names]
        few = rows.shape[1] < MIN_RANKED or rows.sum() < MIN_RANKED_ROWS * self.rows.sum()
        if few or not rows.sum(axis=1).min() or min(self.recalls) >= MIN_RECALL:
            return False
        if abs(float(_measure_area(rows)) - 0.5) < MIN_AREA - 0.5:
            return False
        share = rows[1] / rows.sum(axis=0)
        if abs(_measure_trend(share)) <= MIN_STANDARD_ERRORS:
            return False
        sizes = rows.sum(axis=0)
        if float(np.quantile(sizes, 0.25)) < MIN_CLUSTER_ROWS:
            return True
        if len(sizes) > MAX_CLUSTERS:
            # Sizes of clusters differ, and those of neighbours as much as any; scores that are near each other have
            # about as many rows. By von Neumann's ratio of the logarithms, which is 2 where the order means nothing.
            mean, free = float(sizes.mean()), len(sizes) - 1
            if float(((sizes - mean) ** 2).sum()) / mean < free + MIN_UNEVENNESS * float(np.sqrt(2.0 * free)):
                return True
            logarithms = np.log(sizes)
            ratio = float((np.diff(logarithms) ** 2).sum() / ((logarithms - logarithms.mean()) ** 2).sum())
            if (1.0 - ratio / 2.0) * float(np.sqrt(len(sizes))) >= MAX_SMOOTHNESS:
                return True
        # they may be clusters, unless the frequency also changes on both sides of the place where it changes most
        sums, places = np.cumsum(share)[:-1], np.arange(1, len(share))
        between = (sums / places - (share.sum() - sums) / places[::-1]) ** 2 * places * places[::-1]
        step = int(np.argmax(between)) + 1
        gradual = (_measure_trend(share[:step]) + _measure_trend(share[step:])) / float(np.sqrt(2.0))
        return abs(gradual) > MIN_GRADUAL


def _measure_trend(share: Counts) -> float:
    """Correlate a number's place with the frequency of a class, in standard deviations over names in any order."""
    if len(share) < 3 or float(np.ptp(share)) == 0.0:
        return 0.0
    correlation = float(np.corrcoef(np.arange(len(share)), share)[0, 1])
    return correlation * float(np.sqrt(len(share) - 1))


def _measure_area(rows: Counts) -> Counts:
    """Return the area under the ROC curve of the second class, over ascending numbers; ties count half."""
    below = np.cumsum(rows[0], axis=-1) - 0.5 * rows[0]
    pairs = np.maximum(rows[0].sum(axis=-1) * rows[1].sum(axis=-1), 1e-300)
    return np.asarray((rows[1] * below).sum(axis=-1) / pairs)


# ── single columns that hold no labels ───────────────────────────────────────────────────────────


def check_labels(y_true: LabelsLike, systems: Mapping[str, Any]) -> None:
    """Reject several numbers per row in the truth, and scores of booleans, before labels are compared by kind."""
    check_one_label_per_row(y_true, "y_true")
    is_list = isinstance(y_true, (list, tuple)) and bool(y_true) and isinstance(y_true[0], bool)
    if not is_list and not str(getattr(y_true, "dtype", "")).lower().endswith(("bool", "boolean")):
        return
    for name, labels in systems.items():
        try:
            values = np.asarray(labels)
        except (TypeError, ValueError):
            continue
        if values.ndim != 1 or values.dtype.kind != "f":
            continue
        different = len(distinct(values[values % 1 > 0]))
        if different >= MIN_PROBABILITIES:
            raise InputError(
                f"{ColumnNames().name(name)} holds {different:,} different fractions, which are scores and no "
                "predicted classes; choose a threshold for them: ifs.sweep(y_true, y_score)"
            )


def check_label_columns(patterns: Rows, way_out: str = "") -> None:
    """Reject columns of numbers that are measured, and of identifiers, where each should hold one system's labels."""
    totals = [patterns.label_totals(place) for place in range(len(patterns.names))]
    sides = [
        ColumnValues.from_totals(labels, rows, float(rows.sum()))
        for labels, rows in zip(patterns.labels, totals, strict=True)
    ]
    for place, (name, side) in enumerate(zip(patterns.names, sides, strict=True)):
        # a few whole percentages, such as 25%, 50% and 75%, name classes
        in_percent = len(side.labels) <= MIN_FRACTIONS and all(
            isinstance(label, str) and _WHOLE_PERCENTAGE.fullmatch(label.strip()) for label in side.labels
        )
        if side.are_measured and not in_percent:
            raise InputError(
                f"column {name!r} holds {side.description}: scores or measurements, and no labels; cut them into "
                f"classes first, for example with pandas.cut{way_out}"
            )
        others = {str(label) for other in (*sides[:place], *sides[place + 1 :]) for label in other.labels}
        if side.are_identifiers and not patterns.is_weighted and not others & set(map(str, side.labels)):
            raise InputError(
                f"column {name!r} holds {side.description} and none of them is a label of another column, like "
                "identifiers or free text; name columns of labels"
            )


def check_one_label_per_row(labels: LabelsLike, name: str) -> None:
    """Reject several numbers per row where one label is expected, with the call that takes them."""
    shape = getattr(labels, "shape", None)
    if isinstance(labels, (list, tuple)):
        rows = labels[:5]
        if not rows or not all(isinstance(row, (list, tuple, np.ndarray)) and len(row) > 1 for row in rows):
            return
    elif shape is None or len(shape) != 2 or shape[1] < 2 or hasattr(labels, "columns"):
        return
    try:
        array = np.asarray(labels.detach().cpu() if hasattr(labels, "detach") else labels)
    except (TypeError, ValueError):
        return
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not array.size:
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


# ── labels that measure a quantity ───────────────────────────────────────────────────────────────


MIN_MEASURED = 30
"""Different whole numbers in the truth from which on they may be measured."""
MAX_MEASURED_ACCURACY = 0.5
MIN_NEARNESS = 0.85
"""Rank correlation over the wrong predictions …"""
MIN_NEARNESS_OF_MANY = 0.6
"""… and where there are so many numbers that few rows share one."""
MANY_NUMBERS = 0.1
MAX_HITS = 4.0
"""Right predictions for each that misses by one step to one side; rounded measurements have 2 to 3."""
MIN_HITS = 5.0


def measure_nearness(table: Contingency) -> float | None:
    """Correlate true and predicted ranks over the wrong predictions, where that says that numbers measure.

    Wrong class ids are anywhere; wrong measurements are near. None where labels are few, no numbers, or mostly right.
    """
    matched_rows, matched_columns = table.matches
    different = int((table.row_totals > 0).sum())
    if different < MIN_MEASURED or not table.total or table.batch_shape or not table.labelled:
        return None  # the numbers of a matrix without labels are places
    if float(table.diagonal.sum()) > MAX_MEASURED_ACCURACY * float(table.total):
        return None
    truth, system = (_parse_quantities(labels) for labels in (table.truth_labels, table.system_labels))
    if truth is None or system is None:
        return None
    own = np.full(table.shape[0], -1)
    own[matched_rows] = matched_columns
    wrong = (table.cells > 0) & (own[table.cell_rows] != table.cell_columns)
    every = distinct(truth, system)
    ranks = [np.searchsorted(every, side) for side in (truth, system)]
    x, y, weights = ranks[0][table.cell_rows[wrong]], ranks[1][table.cell_columns[wrong]], table.cells[wrong]
    if len(weights) < MIN_MEASURED or min(np.ptp(x), np.ptp(y)) == 0:
        return None
    # far more right predictions than misses by one step: errors of measurement do not allow that
    hits, beside = float(table.diagonal.sum()), float(weights[np.abs(x - y) == 1].sum()) / 2
    if hits > MAX_HITS * beside + 3.0 * float(np.sqrt(beside)) + MIN_HITS:
        return None
    spread = np.cov(np.stack([x, y]).astype(np.float64), aweights=weights)
    if min(spread[0, 0], spread[1, 1]) <= 0:
        return None
    correlation = float(spread[0, 1] / np.sqrt(spread[0, 0] * spread[1, 1]))
    are_many = table.sample_size is not None and different >= MANY_NUMBERS * table.sample_size
    return correlation if correlation >= (MIN_NEARNESS_OF_MANY if are_many else MIN_NEARNESS) else None


def _parse_quantities(labels: Sequence[Label]) -> Real | None:
    """Return the numbers that labels are or spell, or the days of dates; None where one has none."""
    numbers = []
    for label in labels:
        day: object = label
        if isinstance(label, str) and _DATE.fullmatch(label):
            try:
                day = datetime.datetime.fromisoformat(label)
            except ValueError:
                return None
        if isinstance(day, datetime.datetime):
            number = day.toordinal() + (day.hour * 3600 + day.minute * 60 + day.second) / 86_400
        else:
            number = float(day.toordinal()) if isinstance(day, datetime.date) else parse_number(label)
        if not isfinite(number):
            return None
        numbers.append(number)
    return as_real(numbers)


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


def describe_measured_labels(nearness: float) -> str:
    """Return the sentence about labels that seem to measure."""
    return (
        "The labels are numbers or dates and wrong predictions lie near the truth (rank correlation "
        f"{nearness:.2f}), as of a quantity that is measured: for that use a regression metric such as "
        "sklearn.metrics.mean_absolute_error, for ordered classes say ordinal= (--ordinal); only if they merely name "
        "classes do the numbers below hold."
    )


# ── the positive class of two ────────────────────────────────────────────────────────────────────


def is_positive_open(table: Contingency) -> bool:
    """Return True if neither the caller nor the names of two classes say which of them is positive."""
    return table.positive is None and len(table.truth_labels) == 2 and decide_positive(table.truth_labels) is None


def check_positive(table: Contingency, metric: str) -> None:
    """Reject a metric about one of two classes where nothing says which, as scikit-learn does; the last is no guess."""
    if is_positive_open(table):
        one, other = table.truth_labels
        raise InputError(
            f"{metric} is about one of two classes, and the names {one!r} and {other!r} do not say which is positive; "
            f"say --positive {quote(str(one))} or --positive {quote(str(other))} (positive= or pos_label= in Python)"
        )


def ask_positive(classes: Sequence[Label], taken: Label | None, role: str = "is positive") -> str | None:
    """Return the question which of two classes is meant, where their names do not say; None where they do."""
    if len(classes) != 2 or decide_positive(classes) is not None:
        return None
    one, other = classes
    return (
        f"The names {one!r} and {other!r} do not say which class {role}; {taken!r} is taken, by sorting: say "
        f"--positive {quote(str(other))} or --positive {quote(str(one))} (positive= in Python)."
    )


def describe_idle_positive(table: Contingency) -> str | None:
    """Return the sentence about a positive class that was named where there are more than two; None elsewhere."""
    classes = len(table.truth_labels)
    if table.positive is None or classes <= 2:
        return None
    seen = [label for label, total in zip(table.truth_labels, table.row_totals, strict=True) if total > 0]
    others = [label for label in dict.fromkeys((*table.truth_labels, *table.system_labels)) if label not in seen]
    if len(seen) == 2 and len(others) == 1:  # probably an abstention
        return (
            f"The positive class {table.positive!r} has no effect, since {str(others[0])!r} is predicted and counts as "
            f'a third class. If it means "abstained", declare it: --reject {quote(str(others[0]))}, in Python '
            f"reject={others[0]!r}."
        )
    return (
        f"The positive class {table.positive!r} has no effect: there are {classes:,} classes, so recall, precision and "
        "F1 are given for each of them. Leave out --positive (positive=), or merge the other classes into one."
    )


# ── blank labels and words for a missing value ───────────────────────────────────────────────────


_MISSING_WORDS = {"nan", "NaN", "NAN", "NaT", "<NA>", "NA", "N/A", "n/a", "#N/A", "None", "null", "NULL"}
"""Words of pandas, R, databases and spreadsheets for a missing value."""


@dataclass(frozen=True)
class BlankLabels:
    """Blank labels that count like any other and that nobody declared."""

    rows: Mapping[str, Mapping[str, float]]
    """Rows or weight of each, by the side of a table ("true", "predicted") or the column that has it."""
    role: str
    """Description of such a label, with places for the name of the side or column and for the number of times."""
    reject: str | None = None
    """The label that may mean that a system abstained."""
    sets: bool = False
    """True if a row has a set of labels, which may be empty."""

    @classmethod
    def of(cls, tables: Sequence[tuple[str, Contingency]]) -> BlankLabels | None:
        """Collect those of tables with their systems' names; None where there are none.

        Several tables of one system are of different rows; different systems have the same rows.
        """
        true = _add_rows((name, _find_texts(table.truth_labels, table.row_totals, _is_blank)) for name, table in tables)
        predicted = _add_rows(
            (name, _find_texts(table.system_labels, table.column_totals, _is_blank, table.reject))
            for name, table in tables
        )
        sides = {"true": true, "predicted": predicted}
        reject = None if true else next(iter(predicted), None)
        return cls(sides, "the {name} class {times}", reject) if true or predicted else None

    @classmethod
    def of_columns(
        cls, columns: Mapping[str, tuple[Sequence[Label], NDArray[Any]]], *, sets: bool = False
    ) -> BlankLabels | None:
        """Collect those of columns or of label sets, by labels and their rows; None where there are none."""
        rows = {
            name: blanks
            for name, (labels, totals) in columns.items()
            if (blanks := _find_texts(labels, totals, _is_blank))
        }
        return cls(rows, "{times} a label of {name}", sets=sets) if rows else None

    @classmethod
    def of_patterns(cls, patterns: Rows) -> BlankLabels | None:
        """Collect those of counted rows."""
        labels = zip(patterns.names, patterns.labels, strict=True)
        return cls.of_columns({name: (known, patterns.label_totals(name)) for name, known in labels})

    def __str__(self) -> str:
        """Say what they count as, and what to do; only a system abstains."""
        text = (
            f"{self._counts}: such a label counts like any other, unlike an empty field of a CSV file, which is a "
            "missing label."
        )
        if self.sets:
            return f"{text} Where it means that there is no label, leave it out of the set."
        text += (
            " Where it means that there is no label, give None instead, or read the rows with --clean strip "
            "(clean='strip')"
        )
        if self.reject is None:
            return f"{text}."
        declared = f"--reject {self.reject!r} (reject={self.reject!r})"
        return f"{text}; where it means that the system abstained, declare it with {declared}."

    @property
    def _counts(self) -> str:
        """Each blank label with its rows on all sides.

        >>> BlankLabels({"true": {"": 3.0}, "predicted": {"": 1.0, " ": 2.0}}, "the {name} class {times}")._counts
        "'' is the true class 3 times and the predicted class once; ' ' is the predicted class 2 times"
        """
        parts = []
        for label in dict.fromkeys(label for rows in self.rows.values() for label in rows):
            counts = {name: rows[label] for name, rows in self.rows.items() if label in rows}
            roles = [
                self.role.format(name=name, times="once" if count == 1 else f"{count:,.6g} times")
                for name, count in counts.items()
            ]
            parts.append(f"{label!r} is {' and '.join(roles)}")
        return "; ".join(parts)


def find_missing_words(tables: Sequence[tuple[str, Contingency]]) -> tuple[str, bool] | None:
    """Return the sentence about labels that spell a missing value, and True if one side alone has one; else None.

    >>> print(find_missing_words([("m", Contingency.from_labels(["a", "nan", "b"], ["a", "b", "b"]))])[0].split(":")[0])
    'nan' is the true class once
    """
    is_word = _MISSING_WORDS.__contains__
    true = _add_rows((name, _find_texts(table.truth_labels, table.row_totals, is_word)) for name, table in tables)
    predicted = _add_rows(
        (name, _find_texts(table.system_labels, table.column_totals, is_word)) for name, table in tables
    )
    rejects = {table.reject for _, table in tables}
    predicted = {label: rows for label, rows in predicted.items() if label not in rejects}
    if not true and not predicted:
        return None
    counts = BlankLabels({"true": true, "predicted": predicted}, "the {name} class {times}")._counts
    way_out = "Where it means that there is no label, leave the field empty, or give None."
    return f"{counts}: such a label counts like any other. {way_out}", set(true) != set(predicted)


def _add_rows(rows_by_system: Iterable[tuple[str, Mapping[str, float]]]) -> dict[str, float]:
    """Add the rows of each label over the tables of a system, and take the most of several systems."""
    by_label: dict[str, dict[str, float]] = {}
    for system, blanks in rows_by_system:
        for label, rows in blanks.items():
            by_system = by_label.setdefault(label, {})
            by_system[system] = by_system.get(system, 0.0) + rows
    return {label: max(by_system.values()) for label, by_system in by_label.items()}


def _find_texts(
    labels: Iterable[Label], totals: NDArray[Any], is_wanted: Callable[[str], bool], reject: Label | None = None
) -> dict[str, float]:
    """Return the labels of text that are wanted and occur, with their rows or weights, without a reject label."""
    places = {label: place for place, label in enumerate(labels) if isinstance(label, str) and is_wanted(label)}
    return {
        label: float(totals[place])
        for label, place in places.items()
        if label != reject and totals.ndim == 1 and totals[place] > 0
    }


def _is_blank(label: str) -> bool:
    return not label.strip()


# ── the header among the rows ────────────────────────────────────────────────────────────────────


def find_repeated_header(tables: Sequence[tuple[str, Contingency]], truth: str | None) -> str | None:
    """Return the sentence about such rows of tables with their systems' names; None where there are none.

    Names that each of the two columns has in other rows as well are labels.

    >>> rows = Contingency.from_labels(["a", "gold", "b"], ["a", "svm", "b"])
    >>> print(find_repeated_header([("svm", rows)], "gold").split(":")[0])
    1 row holds the names of its columns, 'gold' and 'svm'
    """
    for name, table in tables:
        if truth in table.truth_labels and name in table.system_labels:
            true = table.cell_rows == table.truth_labels.index(truth)
            predicted = table.cell_columns == table.system_labels.index(name)
            here = true & predicted
            are_labels = all(table.cells[..., side & ~here].any() for side in (true, predicted))
            rows = float(table.cells[..., here].sum())
            if rows and not are_labels:
                rows_in_words = pluralize(rows, "row") if table.is_counts else "Some rows"
                hold, whose = ("holds", "its") if rows_in_words == "1 row" else ("hold", "their")
                return (
                    f"{rows_in_words} {hold} the names of {whose} columns, {truth!r} and {name!r}: the header "
                    "seems to be repeated, as where files are put together; remove these lines."
                )
    return None
