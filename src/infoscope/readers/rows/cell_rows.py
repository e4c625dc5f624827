"""The rows behind one cell of a table, found by the labels that the page shows: random, most confident, or searched.

Which values of the source became which label is the readers' decision, so that the rows behind a cell are those that
were counted in it, whatever was cleaned, is missing or is spelt in two ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from infoscope.core.scratch_files import scratch_folder
from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.assemble import dated, labelled, unify_whole_numbers
from infoscope.readers.column_names import column_names
from infoscope.readers.columns import Columns
from infoscope.readers.dask import spelt
from infoscope.readers.duckdb.cell_rows import FileRows
from infoscope.readers.duckdb.scan import scan_files
from infoscope.readers.duckdb.session import opened
from infoscope.readers.frames import is_frame
from infoscope.readers.reader import ReadOptions, files_of
from infoscope.readers.rows.frame_rows import MemoryRows
from infoscope.readers.rows.row_queries import (
    CellPage,
    CellQuery,
    Change,
    ChangeQuery,
    CountedLabels,
    KnownCounts,
    LabelledSource,
    Order,
    RowsQuery,
    change_of,
)
from infoscope.readers.rows.row_samples import MAX_COLUMNS
from infoscope.readers.rows.segments import MAX_SEGMENT_VALUES, CellSegment, telling_segments
from infoscope.readers.spark.cell_rows import SparkRows
from infoscope.readers.spark.frames import is_spark_frame
from infoscope.readers.tally import Tally
from infoscope.typing import Source

__all__ = [
    "CellPage",
    "CellQuery",
    "CellSegment",
    "Change",
    "ChangeQuery",
    "ChangedPredictions",
    "KnownCounts",
    "Order",
    "changed_predictions",
    "rows_of_cell",
]


def rows_of_cell(
    source: Source, query: RowsQuery, read: ReadOptions | None = None, known: KnownCounts | None = None
) -> CellPage:
    """Rows of files, of a frame in memory, of a mapping of columns or of a Spark frame that one cell counts.

    Random rows are those with the smallest hash of their number and the seed: the same rows whatever the threads. Rows
    of Spark have no number that stays the same; there the hash is that of their contents. ``known`` is what earlier
    questions counted, for callers with several questions about a source that does not change.
    """
    how = read or ReadOptions()
    known = known or KnownCounts()
    show = _shown(source, how, query, known)
    with _opened_source(source, query, show, how) as rows:
        asked = query.labels, query.weight
        counted = known.labels[asked] = known.labels.get(asked) or rows.counted()
        meanings = list(_meanings(counted, query))
        keys = [key for key, labels in zip(counted.keys, meanings, strict=True) if labels and query.fits(labels)]
        mine = [at for at, labels in enumerate(meanings) if labels and query.fits(labels)]
        total = sum(counted.counts[at] for at in mine)
        weight = None if counted.weights is None else sum(counted.weights[at] for at in mine)
        if not keys:
            return CellPage(0, 0, show, (), weight=weight)
        found, chosen = rows.rows(show, keys)
        around = [key for key, labels in zip(counted.keys, meanings, strict=True) if labels and query.surrounds(labels)]
        segments = tuple(telling_segments(rows.segments(query.by, keys, around)))
    return CellPage(total, total if found is None else found, show, tuple(chosen), segments, weight)


@dataclass(frozen=True)
class ChangedPredictions:
    """How often two systems, or two runs of one, predict differently for the same rows."""

    before: str
    after: str
    rows: int
    """Rows that have a truth and both predictions."""
    cells: Mapping[tuple[str, str, str], int]
    """Rows by true label and both predictions, where these differ; the most frequent first."""

    def count(self, change: Change) -> int:
        """Rows that changed so."""
        return sum(rows for labels, rows in self.cells.items() if change_of(labels) == change)


def changed_predictions(
    source: Source, truth: str, before: str, after: str, read: ReadOptions | None = None, **options: object
) -> ChangedPredictions:
    """Row by row, what changed between two systems: counts by true label and both predictions."""
    query = ChangeQuery(truth, before, after, "worse", **options)  # type: ignore[arg-type]
    with _opened_source(source, query, (), read or ReadOptions()) as rows:
        counted = rows.counted()
        found: Counter[tuple[str, str, str]] = Counter()
        total = 0
        for labels, count in zip(_meanings(counted, query), counted.counts, strict=True):
            if labels is None:
                continue
            total += count
            if labels[1] != labels[2]:
                found[labels[0], labels[1], labels[2]] += count
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return ChangedPredictions(before, after, total, dict(ordered))


def _shown(source: Source, how: ReadOptions, query: RowsQuery, known: KnownCounts) -> tuple[str, ...]:
    present = known.columns = known.columns or column_names(source, how, query.labels)
    for name in (*query.by, *([query.score] if query.score else ())):
        if name not in present:
            raise UnknownNameError(f"{_name(source)} has no column {name!r}")
    others = [name for name in present if name not in query.labels]
    if query.score in others:
        others.remove(query.score)
        others.insert(0, query.score)
    return (*query.varying, *others[:MAX_COLUMNS])


def _name(source: Source) -> str:
    return str(source) if isinstance(source, str) or hasattr(source, "__fspath__") else "the source"


@contextmanager
def _opened_source(source: Source, query: RowsQuery, show: Sequence[str], how: ReadOptions) -> Iterator[LabelledSource]:
    columns = _columns(query)
    others = [name for name in dict.fromkeys((*show, *query.by, *([query.score] if query.score else []))) if name]
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        if files is not None and files.format == "ifs":
            raise InputError("rows are shown from files of rows; tables do not remember them")
        if files is not None:
            with files.named(), opened(folder, files.name, how.limits) as session:
                session.run("SET preserve_insertion_order = true")  # a row has the same number in every run
                scan = scan_files(session, files, columns.with_further(others), how.delimiter)
                yield FileRows(session, scan, files.format, query, MAX_SEGMENT_VALUES)
        elif is_spark_frame(source):
            yield SparkRows.of(source, query, MAX_SEGMENT_VALUES)
        elif is_frame(source) or isinstance(source, Mapping):
            yield MemoryRows.of(source, query, tuple(dict.fromkeys((*columns.names, *others))))
        else:
            raise InputError("rows are shown from files and frames; write the rows to a file first")


def _columns(query: RowsQuery) -> Columns:
    truth, *systems = query.labels
    return Columns.asked(truth, systems, weight=query.weight, joint=True)


def _meanings(counted: CountedLabels, query: RowsQuery) -> Iterator[tuple[str, ...] | None]:
    """The labels of each combination as the page shows them; None where one is missing."""
    columns = _columns(query)
    values = [[line[i] for line in counted.values] for i in range(len(query.labels))]
    tally = spelt(Tally.from_columns(query.labels, values, [1] * len(counted.values)), counted.spelling)
    (tally,) = dated(unify_whole_numbers([tally], columns, counted.spelling), columns)
    named = labelled(tally, columns, query.clean)
    for codes in named.codes.T.tolist():
        labels = [of[code] for of, code in zip(named.labels, codes, strict=True)]
        yield None if None in labels else tuple(map(str, labels))
