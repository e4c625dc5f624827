"""Sheets of rows to label: a line per row, an empty column for the label; and how filled-in sheets are read back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.atomic_files import write_file
from infoscope.errors import InputError
from infoscope.quick_dataclasses import dataclass
from infoscope.readers import ReadOptions
from infoscope.readers.column_mapping import is_column_mapping
from infoscope.readers.labels import Cleaning, as_number
from infoscope.readers.pattern_counts import read_patterns, row_patterns
from infoscope.results.frame import csv_text
from infoscope.tables.labels import Label
from infoscope.tables.patterns import Patterns
from infoscope.typing import LabelsLike, Source, StrPath

__all__ = [
    "FilledSheet",
    "ItemToLabel",
    "check_rows_once",
    "filled_sheet",
    "listed_values",
    "rows_of_patterns",
    "sheet_chances",
    "sheet_lines",
    "sheet_rows",
    "write_sheet",
]

COLUMNS = ("row", "chance", "times", "label")
"""Columns of a sheet beside those of the source; rows are counted from 1, the header not among them."""

Line = dict[str, str | int | float | None]


@dataclass(frozen=True)
class ItemToLabel:
    """One row that was drawn."""

    row: int
    """Its row in the source, counted from 1: the first row below the header is row 1."""
    predictions: Mapping[str, str | None]
    """What its columns hold: predictions of the systems, and verdicts of judges."""
    chance: float
    """Probability of this row at each draw; of rows that are drawn once at most, to be among them."""
    times: int = 1
    """How often it was drawn."""


def sheet_lines(items: Sequence[ItemToLabel]) -> list[Line]:
    """Drawn rows as lines of a file to be filled in."""
    taken = {name for item in items for name in item.predictions} & set(COLUMNS)
    if taken:
        raise InputError(f"a column of the source is called {min(taken)!r}, as one of a sheet of labels; rename it")
    return [
        {"row": item.row, **item.predictions, "chance": item.chance, "times": item.times, "label": None}
        for item in items
    ]


def write_sheet(items: Sequence[ItemToLabel], path: StrPath, *, force: bool = False) -> Path:
    """Write drawn rows as a CSV file; a file that exists is replaced only with ``force``."""
    write_file(path, csv_text(iter(sheet_lines(items))), replace=force)
    return Path(path)


def rows_of_patterns(
    source: Source,
    patterns: Patterns,
    wanted: NDArray[np.int64],
    read: ReadOptions | None,
    clean: Cleaning = (),
) -> dict[int, NDArray[np.int64]]:
    """The rows of a source, counted from 1, that have each of some patterns."""
    rows = row_patterns(source, patterns, read, clean)
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], wanted, "left")
    ends = np.searchsorted(rows[order], wanted, "right")
    found = {int(p): order[a:b] + 1 for p, a, b in zip(wanted, starts, ends, strict=True)}
    if any(len(rows) < patterns.counts[at] for at, rows in found.items()):
        raise InputError(
            "the rows are not those that the plan was made from: some that it counted do not occur, at least not as "
            "they were read then"
        )
    return found


def listed_values(patterns: Patterns, names: Sequence[str], at: int) -> dict[str, str | None]:
    """What some columns hold in a pattern, as text."""
    places = [patterns.place(name) for name in names]
    codes = patterns.codes[places, at].tolist()
    return {
        name: None if code < 0 else str(patterns.labels[place][code])
        for name, place, code in zip(names, places, codes, strict=True)
    }


@dataclass(frozen=True, eq=False)
class FilledSheet:
    """The labelled rows of a sheet: their pattern among those of the plan, their label, how often they were drawn."""

    place: NDArray[np.int64]
    label: NDArray[np.int64]
    """Position among the classes."""
    times: NDArray[np.float64]
    unlabelled: int
    """Lines without a label."""


def filled_sheet(
    sheet: LabelsLike,
    patterns: Patterns,
    columns: Sequence[str],
    classes: Sequence[Label],
    wanted: tuple[str, NDArray[np.int64], ReadOptions | None],
) -> FilledSheet:
    """Match the lines of a sheet to unlabelled patterns by what their columns hold.

    ``wanted`` are the name of the label's column, the patterns that may be labelled, and how the sheet is read. Values
    are compared as text, for a file has no other.
    """
    column, open_patterns, read = wanted
    present = _columns(sheet)
    weight = "times" if "times" in present else None
    given = read_patterns(sheet, [*columns, column], weight=weight, comparable=False, read=read)
    has_label = given.codes[-1] >= 0
    skipped = round(float(given.counts[~has_label].sum()))
    given = given.where(has_label)
    own = {str(label): at for at, label in enumerate(classes)}
    used = {str(given.labels[-1][code]) for code in np.unique(given.codes[-1]).tolist()}
    strange = sorted(used - set(own))
    if strange:
        raise InputError(f"column {column!r} has the label {strange[0]!r}; the classes are {', '.join(own)}")
    texts = map(tuple, _texts(patterns, columns, open_patterns))
    known = dict(zip(texts, open_patterns.tolist(), strict=True))
    place = []
    for row in _texts(given, columns, np.arange(len(given))):
        if tuple(row) not in known:
            shown = ", ".join(f"{name} {value}" for name, value in zip(columns, row, strict=True))
            raise InputError(f"no unlabelled row has {shown}; label rows of the source that the plan was made from")
        place.append(known[tuple(row)])
    label = np.array([own[str(given.labels[-1][code])] for code in given.codes[-1].tolist()], dtype=np.int64)
    return FilledSheet(np.array(place, dtype=np.int64), label, given.counts.astype(np.float64), skipped)


def _columns(sheet: Any) -> set[str]:
    """Names of the columns of a sheet; of a file, by its first line."""
    if isinstance(sheet, Mapping) or hasattr(sheet, "columns"):
        return set(map(str, sheet if is_column_mapping(sheet) else sheet.columns))
    if isinstance(sheet, (list, tuple)) and sheet:
        return set.intersection(*map(_columns, sheet))
    try:
        with open(sheet, encoding="utf-8") as file:
            return set(file.readline().strip().replace('"', "").split(","))
    except (OSError, TypeError, UnicodeDecodeError):
        return set()


def sheet_chances(
    sheet: LabelsLike, patterns: Patterns, columns: Sequence[str], read: ReadOptions | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """The pattern of each distinct line of a sheet, and its chance; None where it has no column of chances."""
    if "chance" not in _columns(sheet):
        return None
    given = read_patterns(sheet, [*columns, "chance"], comparable=False, read=read)
    given = given.where(given.present[-1])
    known = {tuple(row): at for at, row in enumerate(_texts(patterns, columns, np.arange(len(patterns))))}
    place = np.array(
        [known.get(tuple(row), -1) for row in _texts(given, columns, np.arange(len(given)))], dtype=np.int64
    )
    chance = np.array(_numbers(given.labels[-1], "chance"))[given.codes[-1]]
    return place[place >= 0], chance[place >= 0]


def sheet_rows(sheet: LabelsLike, read: ReadOptions | None) -> frozenset[int]:
    """The rows of a sheet, labelled or not, where it has a column of them."""
    return frozenset(map(int, _numbers(list(_row_counts(sheet, read)), "row")))


def check_rows_once(sheet: LabelsLike, read: ReadOptions | None) -> None:
    """Reject a row that is in two lines, where rows are drawn once at most: its label would count twice."""
    twice = next((row for row, lines in _row_counts(sheet, read).items() if lines > 1), None)
    if twice is not None:
        raise InputError(f"row {twice} is in two lines of the sheets of labels; leave one of them out")


def _row_counts(sheet: LabelsLike, read: ReadOptions | None) -> dict[Label, int]:
    """Lines of each row of the source; nothing where the sheet has no column of rows."""
    names = _columns(sheet)
    if "row" not in names:
        return {}
    beside = min(names - {"row"}, default="row")
    found = read_patterns(sheet, ["row", beside], comparable=False, read=read)
    there = found.present[0]
    lines = np.bincount(found.codes[0, there].astype(np.int64), found.counts[there], len(found.labels[0]))
    return {label: int(number) for label, number in zip(found.labels[0], lines, strict=True)}


def _numbers(values: Sequence[Label], column: str) -> list[float]:
    """What a column of sheets holds, which are numbers that the plan wrote."""
    numbers = []
    for value in values:
        number = as_number(value)
        if not isinstance(number, (int, float)):
            raise InputError(
                f"column {column!r} has {value!r}, which is not a number; give the sheet as it was written, with its "
                "labels filled in"
            )
        numbers.append(float(number))
    return numbers


def _texts(patterns: Patterns, names: Sequence[str], rows: NDArray[np.int64]) -> Iterator[list[str | None]]:
    places = [patterns.place(name) for name in names]
    labels = [[*map(str, patterns.labels[at]), None] for at in places]
    for codes in patterns.codes[places][:, rows].T.tolist():
        yield [known[code] for known, code in zip(labels, codes, strict=True)]
