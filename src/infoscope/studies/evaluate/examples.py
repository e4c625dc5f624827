"""Example rows of the confused pairs, and the groups of rows in which a pair is more frequent than elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from infoscope.errors import InfoscopeError, InputError
from infoscope.readers.cell_rows import (
    MAX_ROWS_PER_CELL,
    MAX_SEGMENT_VALUES,
    CellRows,
    sample_labels,
    sample_rows,
    telling_segments,
)
from infoscope.readers.files import is_read_once
from infoscope.readers.guess_columns import as_names
from infoscope.readers.reader import counted_tables
from infoscope.results.finding import Finding
from infoscope.studies.evaluate.inputs import ColumnRequest, Inputs
from infoscope.studies.evaluate.result import CellExamples, ErrorSegment, ExampleRow
from infoscope.studies.inputs import column_labels, labels_by_system, tables_by_system
from infoscope.tables import Contingency
from infoscope.typing import LabelsByName, Source

__all__ = ["ExampleRequest", "with_examples", "with_segments"]

MAX_CHARACTERS = 500_000
"""Size of all example rows of a document: with their markup they add less than 300 kB to a page."""


@dataclass(frozen=True)
class ExampleRequest:
    """How many rows to keep of each confused pair, and what to show of them."""

    limit: int
    show: Sequence[str] | Mapping[str, Any] | None = None

    @classmethod
    def from_keywords(cls, source: object, options: Mapping[str, Any]) -> ExampleRequest | None:
        """What ``examples`` and ``show`` ask for; None where no rows are to be kept."""
        limit, show = options.get("examples"), options.get("show")
        if limit is None:
            if show is not None:
                raise InputError("show names what is shown of example rows; say how many with examples= (--examples N)")
            return None
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_ROWS_PER_CELL:
            raise InputError(f"examples must be a whole number from 1 to {MAX_ROWS_PER_CELL}, got {limit!r}")
        if is_read_once(source):
            raise InputError("standard input and pipes are read once, and examples need a second look; give a file")
        return cls(limit, (show,) if isinstance(show, str) else show)


def with_examples(
    source: Source, y_pred: LabelsByName | None, request: ColumnRequest, asked: ExampleRequest, found: Inputs
) -> Inputs:
    """The inputs, each with random rows of its confused pairs."""
    samples = _sampled(source, y_pred, request, asked)
    subjects, cut = [], asked.limit
    for subject in found.subjects:
        group = tuple((subject.group or {}).values())
        cells = _errors(samples.get((group, subject.name), {}), subject.table)
        cells, kept = _cut(cells, MAX_CHARACTERS // len(found.subjects), asked.limit)
        cut = min(cut, kept)
        in_order = [replace(cell, rows=tuple(sorted(cell.rows, key=lambda row: row.row or 0))) for cell in cells]
        subjects.append(replace(subject, examples=tuple(in_order)))
    if y_pred is None and not request.by:
        examined = with_segments({each.name: list(each.examples) for each in subjects}, source, request)
        subjects = [replace(each, examples=tuple(examined[each.name])) for each in subjects]
    notes = [_note(cut, asked.limit)] if cut < asked.limit else []
    return replace(found, subjects=subjects, notes=(*found.notes, *notes))


def _note(kept: int, asked: int) -> Finding:
    text = f"Example rows are limited to {kept} instead of {asked} per confused pair to keep the result small."
    if not kept:
        text = "Example rows are kept for the most frequent confused pairs only, one each, to keep the result small."
    return Finding("examples_limited", text, evidence={"kept": kept, "asked": asked})


def _sampled(
    source: Any, y_pred: Any, request: ColumnRequest, asked: ExampleRequest
) -> dict[tuple[tuple[str, ...], str], CellRows]:
    if y_pred is None and tables_by_system(source, request.system) is not None:
        raise InputError("a finished table does not know its rows; examples= needs labels or rows")
    labels = (source, labels_by_system(y_pred)) if y_pred is not None else None
    show = asked.show
    if labels is None and (labels := column_labels(source, request.truth, request.system)) is not None:
        names = _others(source, request) if show is None else show
        show = {name: _column(source, name) for name in names}
    if labels is not None:
        if show is not None and not isinstance(show, Mapping):
            raise InputError("beside labels show= maps names to values, one for each label: show={'text': texts}")
        found = sample_labels(*labels, show or {}, asked.limit, request.reject)
    else:
        if isinstance(show, Mapping):
            raise InputError("show= names columns of the source; a mapping of values is for labels (y_true, y_pred)")
        found = sample_rows(source, request.asked, show, asked.limit)
    return {(tuple(map(str, group)), name): cells for (group, name), cells in found.items()}


def _others(source: Mapping[str, Any], request: ColumnRequest) -> list[str]:
    named = {request.truth, *([request.system] if isinstance(request.system, str) else request.system or ())}
    return [name for name in source if name not in named]


def _column(source: Mapping[str, Any], name: str) -> Any:
    if name not in source:
        raise InputError(f"the source has no column {name!r}; it has {', '.join(map(repr, source))}")
    return source[name]


def _errors(cells: CellRows, table: Contingency) -> list[CellExamples]:
    """Cells off the diagonal, the largest first."""
    counts = {
        (table.truth_labels[row], table.system_labels[column]): float(count)
        for row, column, count in zip(table.cell_rows, table.cell_columns, table.cells, strict=True)
    }
    found = []
    for (truth, predicted), rows in cells.items():
        column = predicted if predicted in table.system_labels else f"cluster {predicted}"
        if truth != column:
            examples = tuple(ExampleRow(row.number, row.values) for row in rows)
            count = counts.get((truth, column), 0.0)
            whole = int(count) if count.is_integer() else count
            found.append(CellExamples(str(truth), str(column), whole, examples))
    return sorted(found, key=lambda cell: (-cell.count, cell.truth, cell.system))


def _cut(cells: list[CellExamples], room: int, limit: int) -> tuple[list[CellExamples], int]:
    """As many rows of each cell as fit; 0 where even one of each does not, and the smaller cells go."""
    for kept in (*(n for n in (limit, 50, 20, 10, 5, 3, 2, 1) if n <= limit),):
        part = [replace(cell, rows=cell.rows[:kept]) for cell in cells]
        if sum(map(_size, part)) <= room:
            return part, kept
    first: list[CellExamples] = []
    for cell in part:
        room -= _size(cell)
        if room < 0:
            break
        first.append(cell)
    return first, 0


def _size(cell: CellExamples) -> int:
    """Characters that a cell takes in a document, roughly."""
    return 40 + sum(
        20 + sum(len(name) + len(str(value)) + 6 for name, value in row.values.items()) for row in cell.rows
    )


MAX_SEGMENT_COLUMNS = 4
"""Columns that are looked at as groups, the first ones that have few values."""
_MIN_ROWS_PER_VALUE = 2

Cell = tuple[str, str]


def with_segments(
    cells: Mapping[str, list[CellExamples]], source: Source, request: ColumnRequest
) -> dict[str, list[CellExamples]]:
    """The examples of each system, each cell with the groups in which its errors are more frequent than elsewhere."""
    names = _candidates([cell for found in cells.values() for cell in found], request)
    tables: dict[str, dict[str, dict[str, Contingency]]] = {}
    for name in names:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of missing labels, which was said before
                counted = counted_tables(
                    source,
                    request.truth,
                    list(cells),
                    request.how,
                    by=name,
                    weight=request.weight,
                    reject=request.reject,
                    clean=request.clean,
                )
        except InfoscopeError:
            continue  # a column that cannot be grouped by
        for (group, system), table in counted.items():
            tables.setdefault(system, {}).setdefault(name, {})[str(group[0])] = table
    return {system: [_searched(cell, tables.get(system, {})) for cell in found] for system, found in cells.items()}


def _candidates(cells: Sequence[CellExamples], request: ColumnRequest) -> list[str]:
    """Columns with a few values that come back: groups, rather than names or measurements."""
    values: dict[str, list[Any]] = {}
    for cell in cells:
        for row in cell.rows:
            for name, value in row.values.items():
                values.setdefault(name, []).append(value)
    classes = {label for cell in cells for label in (cell.truth, cell.system)}  # those of another system are no groups
    taken = {request.truth, request.weight, *as_names(request.system)}
    found = []
    for name, column in values.items():
        distinct = {value for value in column if value is not None}
        few = 2 <= len(distinct) <= MAX_SEGMENT_VALUES and len(column) >= _MIN_ROWS_PER_VALUE * len(distinct)
        is_other = any(isinstance(value, float) or str(value) in classes for value in distinct)
        if few and name not in taken and not is_other:
            found.append(name)
    return found[:MAX_SEGMENT_COLUMNS]


def _searched(cell: CellExamples, by_column: Mapping[str, Mapping[str, Contingency]]) -> CellExamples:
    counts = {
        name: {value: _counts(table, cell.truth, cell.system) for value, table in tables.items()}
        for name, tables in by_column.items()
    }
    asked = {name: values for name, values in counts.items() if 1 < len(values) <= MAX_SEGMENT_VALUES}
    segments = tuple(
        ErrorSegment(each.column, each.value, each.rate, each.elsewhere) for each in telling_segments(asked)
    )
    return replace(cell, segments=segments, searched=tuple(asked))


def _counts(table: Contingency, truth: str, system: str) -> tuple[int, int]:
    """Rows of a cell, and of its true class; weighted ones as if each weighed one on average."""
    row = {str(label): at for at, label in enumerate(table.truth_labels)}.get(truth)
    column = {str(label): at for at, label in enumerate(table.system_labels)}.get(system)
    if row is None:
        return 0, 0
    whole = float(table.row_totals[row])
    here = table.cells[(table.cell_rows == row) & (table.cell_columns == column)] if column is not None else ()
    return round(float(sum(here))), round(whole)
