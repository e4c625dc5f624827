"""Sheets of rows to label: a line per row, an empty column for the label; and how filled-in sheets are read back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.atomic_files import write_file
from infoscope.errors import InputError
from infoscope.readers import ReadOptions
from infoscope.readers.column_names import column_names
from infoscope.readers.files import file_name
from infoscope.readers.labels import Cleaning, as_number
from infoscope.readers.pattern_counts import read_rows, row_patterns
from infoscope.results.frame import csv_text
from infoscope.tables.labels import Label
from infoscope.tables.patterns import Patterns
from infoscope.typing import LabelsLike, Source, StrPath

__all__ = [
    "FilledSheet",
    "ItemToLabel",
    "SheetLine",
    "check_against_source",
    "filled_sheet",
    "line_patterns",
    "listed_values",
    "read_sheets",
    "rows_of_patterns",
    "sheet_lines",
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
    if rows is None:
        raise InputError("the rows have no order here, so that items cannot be named; give a file or a data frame")
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


class SheetLine(NamedTuple):
    """One line of a filled-in sheet."""

    where: str
    """The file and the line, for messages."""
    row: int
    values: tuple[str | None, ...]
    """What the columns of the source hold, as text: a file has nothing else."""
    label: str | None
    times: float
    chance: float | None


def read_sheets(
    labels: LabelsLike, columns: Sequence[str], label: str, read: ReadOptions | None
) -> list[list[SheetLine]]:
    """Read the lines of filled-in sheets, labelled or not; reject a row that two lines label differently."""
    parts = list(labels) if isinstance(labels, (list, tuple)) else [labels]
    sheets = [_read_sheet(part, columns, label, read) for part in parts]
    earlier: dict[int, SheetLine] = {}
    for line in (line for sheet in sheets for line in sheet if line.label is not None):
        first = earlier.setdefault(line.row, line)
        if first.label != line.label:
            raise InputError(
                f"{first.where} and {line.where} give row {line.row} two labels, {first.label!r} and {line.label!r}; "
                "leave out the wrong one"
            )
    return sheets


def _read_sheet(sheet: Source, columns: Sequence[str], label: str, read: ReadOptions | None) -> list[SheetLine]:
    there = column_names(sheet, read)
    lacks = next((name for name in ("row", *columns, label) if name not in there), None)
    if lacks is not None:
        raise InputError(
            f"{file_name(sheet) or 'the sheet of labels'} has no column {lacks!r}; give the sheet as it was written, "
            f"with the column {label!r} filled in"
        )
    optional = [name for name in ("times", "chance") if name in there and name not in columns]
    given = read_rows(sheet, ["row", *columns, label, *optional], read)
    assert given is not None, "what has columns before it is read has rows in an order"
    file = file_name(sheet)
    ahead = 2 if file is not None and {".csv", ".tsv"} & set(Path(file).suffixes) else 1  # the header is line 1
    lines = []
    for at, values in enumerate(zip(*given.values(), strict=True)):
        where = f"line {at + ahead} of {file}" if file is not None else f"line {at + ahead} of the labels"
        named = dict(zip(given, values, strict=True))
        row, times, chance = (_number(named.get(name), name, where) for name in ("row", "times", "chance"))
        if row is None or row < 1 or row != int(row):
            raise InputError(f"{where} has the row {named['row']!r}; rows are counted from 1, as the sheet was written")
        texts = tuple(None if named[name] is None else str(named[name]) for name in (*columns, label))
        lines.append(SheetLine(where, int(row), texts[:-1], texts[-1], 1.0 if times is None else times, chance))
    return lines


def _number(value: Label | None, column: str, where: str) -> float | None:
    """What a line holds in a column of numbers, which the plan wrote."""
    number = None if value is None else as_number(value)
    if number is not None and not isinstance(number, (int, float)):
        raise InputError(
            f"{where} has {value!r} as {column}, which is not a number; give the sheet as it was written, with its "
            "labels filled in"
        )
    return None if number is None else float(number)


def check_against_source(
    lines: Sequence[SheetLine], columns: Sequence[str], source: Source, patterns: Patterns, truth: str, how: _Reading
) -> None:
    """Reject labelled lines that are not as the rows of the source are: other rows, other values, labels there already.

    A source without an order, such as a table of a database, is not looked at.
    """
    rows = row_patterns(source, patterns, *how)
    if rows is None:
        return
    title = file_name(source) or "the source"
    for line in lines:
        if line.row > len(rows):
            raise InputError(f"{line.where} labels row {line.row}, and {title} has {len(rows):,} rows; correct the row")
        place = int(rows[line.row - 1])
        if place < 0:
            raise InputError(f"{line.where} labels row {line.row}, which is not among the rows of {title} that count")
        own = listed_values(patterns, [truth, *columns], place)
        if own[truth] is not None:
            raise InputError(f"{line.where} labels row {line.row}, which {title} labels {own[truth]!r}; leave it out")
        for name, value in zip(columns, line.values, strict=True):
            if own[name] != value:
                raise InputError(
                    f"{line.where} has {name} {_shown(value)} for row {line.row}, and {title} has {_shown(own[name])}; "
                    "only labels are filled in: write the row as it was"
                )


_Reading = tuple[ReadOptions | None, Cleaning]


def _shown(value: str | None) -> str:
    return "nothing" if value is None else repr(value)


@dataclass(frozen=True, eq=False)
class FilledSheet:
    """The labelled rows of a sheet: their pattern among those of the plan, their label, how often they were drawn."""

    place: NDArray[np.int64]
    label: NDArray[np.int64]
    """Position among the classes."""
    times: NDArray[np.float64]
    unlabelled: int
    """Lines without a label."""
    rows: frozenset[int] = frozenset()
    """Rows of the source."""


def filled_sheet(
    sheets: Sequence[Sequence[SheetLine]],
    patterns: Patterns,
    columns: Sequence[str],
    classes: Sequence[Label],
    open_patterns: NDArray[np.int64],
) -> FilledSheet:
    """Match the labelled lines of sheets to unlabelled patterns by what their columns hold."""
    lines = [line for sheet in sheets for line in sheet]
    labelled = [line for line in lines if line.label is not None]
    class_of = {str(label): at for at, label in enumerate(classes)}
    pattern_of = {values: int(open_patterns[at]) for at, values in enumerate(_texts(patterns, columns, open_patterns))}
    for line in labelled:
        if line.label not in class_of:
            raise InputError(f"{line.where} has the label {line.label!r}; the classes are {', '.join(class_of)}")
        if line.values not in pattern_of:
            shown = ", ".join(f"{name} {_shown(value)}" for name, value in zip(columns, line.values, strict=True))
            raise InputError(
                f"{line.where}: no unlabelled row has {shown}; label rows of the source that the plan was made from"
            )
    return FilledSheet(
        np.array([pattern_of[line.values] for line in labelled], dtype=np.int64),
        np.array([class_of[str(line.label)] for line in labelled], dtype=np.int64),
        np.array([line.times for line in labelled], dtype=np.float64),
        len(lines) - len(labelled),
        frozenset(line.row for line in labelled),
    )


def line_patterns(lines: Sequence[SheetLine], patterns: Patterns, columns: Sequence[str]) -> NDArray[np.int64]:
    """The pattern of each line by what its columns hold; −1 where it is none of them."""
    place = {values: at for at, values in enumerate(_texts(patterns, columns, np.arange(len(patterns))))}
    return np.array([place.get(line.values, -1) for line in lines], dtype=np.int64)


def _texts(patterns: Patterns, names: Sequence[str], rows: NDArray[np.int64]) -> Iterator[tuple[str | None, ...]]:
    places = [patterns.place(name) for name in names]
    labels = [[*map(str, patterns.labels[at]), None] for at in places]
    for codes in patterns.codes[places][:, rows].T.tolist():
        yield tuple(texts[code] for texts, code in zip(labels, codes, strict=True))
