"""Rows behind the cells of a table: a few of each pair of true and predicted class, drawn at random.

A row is kept where the hash of its number is among the smallest of its cell: a random choice that is the same
whatever the number of threads. What a value means as a label is decided as in counting, afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.scratch_files import scratch_folder
from infoscope.errors import InputError
from infoscope.readers.assemble import Group, dated, labelled, unify_whole_numbers
from infoscope.readers.column_mapping import label_codes
from infoscope.readers.column_names import column_names
from infoscope.readers.columns import Columns
from infoscope.readers.dask import spelt
from infoscope.readers.duckdb.row_samples import CellSample, SampleLine, sampled_cells
from infoscope.readers.duckdb.scan import scan_files
from infoscope.readers.duckdb.session import opened
from infoscope.readers.files import Files
from infoscope.readers.frames import frame_columns, is_frame
from infoscope.readers.labels import Cleaning, from_json, is_missing
from infoscope.readers.reader import ReadOptions, files_of
from infoscope.readers.shared_reading import Asked
from infoscope.readers.spark.frames import is_spark_frame, sampled_spark_cells
from infoscope.readers.tally import Ints, Tally, encode
from infoscope.tables.labels import Label
from infoscope.typing import LabelsLike, Source

__all__ = [
    "MAX_COLUMNS",
    "MAX_ROWS_PER_CELL",
    "CellRows",
    "SampledRow",
    "hashed_numbers",
    "plain_value",
    "sample_labels",
    "sample_rows",
]

MAX_ROWS_PER_CELL = 1000
MAX_COLUMNS = 20
"""Columns that are kept by default, the first ones."""
MAX_TEXT = 400
"""Characters of a value that are kept."""

Value = str | int | float | bool | None


@dataclass(frozen=True)
class SampledRow:
    """One row of a source: its number from 1, where rows have one, and what is shown of it."""

    number: int | None
    values: Mapping[str, Value]


CellRows = dict[tuple[Label, Label], list[SampledRow]]
"""Rows by true and predicted label."""


def sample_rows(
    source: Source, asked: Asked, show: Sequence[str] | None, limit: int, how: ReadOptions | None = None
) -> dict[tuple[Group, str], CellRows]:
    """Up to ``limit`` random rows of each cell, by group and system, from files or a frame in memory.

    ``show`` names the columns that are kept; None keeps all but the labels, up to a limit.
    """
    how = how or ReadOptions()
    columns = Columns.asked(asked.truth, asked.systems, weight=asked.weight, by=asked.by)
    if show is None:
        present = column_names(source, how, columns.names)
        show = [name for name in present if name not in (columns.truth, *columns.systems)][:MAX_COLUMNS]
    wanted = tuple(dict.fromkeys(show))
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        if files is not None and files.format == "ifs":
            raise InputError("tables do not remember their rows; name the rows themselves to keep examples")
        if files is not None:
            cells = list(_of_files(files, columns, wanted, limit, how))
        elif is_spark_frame(source):
            cells = list(sampled_spark_cells(source, columns, wanted, limit))
        elif is_frame(source):
            cells = list(_of_frame(source, columns, wanted, limit))
        else:
            raise InputError("examples are kept from files and from frames; write the rows to a file first")
    return _by_label(cells, columns, asked.clean, (wanted, limit), "" if files is None else files.format)


def sample_labels(
    y_true: LabelsLike, systems: Mapping[str, Any], show: Mapping[str, Any], limit: int, reject: Label | None = None
) -> dict[tuple[Group, str], CellRows]:
    """The same for labels in memory, with further values of each sample by name."""
    truth, truth_labels = label_codes(y_true, "truth")
    shown = {name: _listed(values, name, len(truth)) for name, values in show.items()}
    found: dict[tuple[Group, str], CellRows] = {}
    for name, given in systems.items():
        codes, labels = label_codes(given, "system", reject)
        usable = (truth >= 0) & (codes >= 0)
        places = np.flatnonzero(usable)
        cells: CellRows = {}
        for at in places[_chosen([truth[places], codes[places]], limit)].tolist():
            values = {column: plain_value(items[at]) for column, items in shown.items()}
            key = truth_labels[truth[at]], labels[codes[at]]
            cells.setdefault(key, []).append(SampledRow(at + 1, values))
        found[(), name] = cells
    return found


def _listed(values: Any, name: str, rows: int) -> list[Any]:
    items = list(values.tolist() if hasattr(values, "tolist") else values)
    if len(items) != rows:
        raise InputError(f"show has {len(items)} values of {name!r} for {rows} labels; give one for each label")
    return items


def _of_files(
    files: Files, columns: Columns, show: Sequence[str], limit: int, how: ReadOptions
) -> Iterator[CellSample]:
    with files.named(), scratch_folder() as folder, opened(folder, files.name, how.limits) as session:
        scan = scan_files(session, files, columns.with_further(show), how.delimiter)
        yield from sampled_cells(session, scan, columns, show, limit)


def _of_frame(source: Any, columns: Columns, show: Sequence[str], limit: int) -> Iterator[CellSample]:
    given = frame_columns(source, (*columns.names, *(name for name in show if name not in columns.names)))
    lacks = [False] * len(next(iter(given.values())))
    if columns.weight is not None:
        lacks = [is_missing(value) for value in given[columns.weight]]
    for (system,) in columns.margins:
        keys = columns.keys((system,))
        coded = [encode(given[name], name) for name in keys]
        codes = [*(codes for _, codes in coded), np.array(lacks, dtype=np.int64)]
        for at in _chosen(codes, limit).tolist():
            values = tuple(labels[codes[at]] for labels, codes in coded)
            row = (int(hashed_numbers(np.array([at]))[0]), at + 1, tuple(given[name][at] for name in show))
            yield system, values, lacks[at], [row]


def _chosen(codes: Sequence[Ints], limit: int) -> Ints:
    """Places of up to ``limit`` random rows of each combination of codes."""
    cell = np.zeros(len(codes[0]), dtype=np.int64)
    for column in codes:
        _, cell = np.unique(cell * (int(column.max(initial=0)) + 1) + column, return_inverse=True)
    order = np.lexsort((hashed_numbers(np.arange(len(cell))), cell))
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff([*first, len(order)]))
    return np.sort(order[rank < limit])


def hashed_numbers(numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A hash of row numbers that mixes all bits (the finaliser of splitmix64)."""
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def _by_label(
    cells: Sequence[CellSample], columns: Columns, clean: Cleaning, wanted: tuple[Sequence[str], int], spelling: str
) -> dict[tuple[Group, str], CellRows]:
    """The rows under the labels that their values mean; cells whose values mean the same are one."""
    show, limit = wanted
    back = from_json if spelling == "ndjson" else _unchanged
    found: dict[tuple[Group, str], CellRows] = {}
    mine = [[cell for cell in cells if cell[0] == system] for system in columns.systems]
    tallies = [
        spelt(_tally(part, columns.keys((system,))), spelling)
        for part, system in zip(mine, columns.systems, strict=True)
    ]
    tallies = list(unify_whole_numbers(tallies, columns, spelling))
    for part, tally, system in zip(mine, dated(tallies, columns), columns.systems, strict=True):
        named = labelled(tally, columns, clean)
        rows: dict[tuple[Group, Label, Label], list[SampleLine]] = {}
        for at, (_, _, lacks, kept) in enumerate(part):
            labels = tuple(of[code] for of, code in zip(named.labels, named.codes[:, at].tolist(), strict=True))
            if not lacks and None not in labels:
                rows.setdefault((labels[:-2], labels[-2], labels[-1]), []).extend(kept)
        for (group, truth, predicted), kept in rows.items():
            found.setdefault((group, system), {})[truth, predicted] = [
                SampledRow(number, {name: plain_value(back(value)) for name, value in zip(show, values, strict=True)})
                for _, number, values in sorted(kept, key=lambda row: (row[0], row[1] or 0))[:limit]
            ]
    return found


def _tally(cells: Sequence[CellSample], keys: tuple[str, ...]) -> Tally:
    values = list(zip(*(cell[1] for cell in cells), strict=True)) or [()] * len(keys)
    return Tally.from_columns(keys, values, [1] * len(cells))


def _unchanged(value: Any) -> Any:
    return value


def plain_value(value: object) -> Value:
    """A value as documents hold it; what is none of text, number and truth value is written as text."""
    if is_missing(value):
        return None
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (bool, int)) or (isinstance(value, float) and isfinite(value)):
        return value
    text = str(value)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"
