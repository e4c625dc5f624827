"""Where the errors of a confused pair come from: groups of the rows in which it is more frequent than elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from infoscope.errors import InfoscopeError
from infoscope.evaluation.inputs import ColumnRequest
from infoscope.evaluation.result import CellExamples, ErrorSegment
from infoscope.inputs import as_names
from infoscope.readers.reader import counted_tables
from infoscope.readers.segments import MAX_SEGMENT_VALUES, telling_segments
from infoscope.tables import Contingency
from infoscope.typing import Source

__all__ = ["with_segments"]

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
