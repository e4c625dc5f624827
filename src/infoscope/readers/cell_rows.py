"""Rows behind the numbers: those of one cell as a page of them, or a few random ones of each cell.

Which values of the source became which label is the readers' decision, so that the rows behind a cell are those that
were counted in it, whatever was cleaned, is missing or is written in two ways. Random rows are those with the smallest
hash of their number and a seed: the same rows whatever the threads. In reading order: what may be asked and what comes
back, the two questions, and how files, columns in memory and Spark frames answer them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from infoscope.core.files import scratch_folder
from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.columns import column_names
from infoscope.readers.decode import (
    Group,
    Ints,
    Tally,
    decode_labels,
    decode_texts,
    encode,
    unify_dates,
    unify_whole_numbers,
)
from infoscope.readers.duckdb import Scan, Session, open_session, scan_files
from infoscope.readers.engine import find_engine, open_source
from infoscope.readers.files import Files
from infoscope.readers.frames import is_frame, label_codes, native_values
from infoscope.readers.labels import Cleaning, from_json
from infoscope.readers.query import Query, ReadOptions, pick_columns
from infoscope.readers.sql import GroupBy
from infoscope.tables.labels import Label, is_missing
from infoscope.typing import LabelsLike, Source

# ── what is asked, and what comes back ────────────────────────────────────────────────────────────


Order = Literal["random", "most confident", "least confident"]
Change = Literal["better", "worse", "both wrong"]
MAX_ROWS = 200


@dataclass(frozen=True, kw_only=True)
class RowsQuery:
    """Which of the rows that fit are shown, and how their labels are read."""

    order: Order = "random"
    score: str | None = None
    """The column that says how sure a prediction is, for an order by it."""
    seed: int = 0
    search: str = ""
    limit: int = 50
    by: tuple[str, ...] = ()
    """Columns whose values are looked at as segments."""
    weight: str | None = None
    """Rows without a weight are not counted, so that they are not shown either."""
    clean: Cleaning = ()

    def __post_init__(self) -> None:
        """Reject what cannot be asked."""
        if self.order not in get_args(Order):
            raise InputError(f"rows are shown in the order {', '.join(get_args(Order))}, not {self.order!r}")
        if self.order != "random" and self.score is None:
            raise InputError("an order by sureness needs the column of the score")
        if not 1 <= self.limit <= MAX_ROWS:
            raise InputError(f"between 1 and {MAX_ROWS} rows are shown at once, not {self.limit}")

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that decide: the truth and the systems."""
        raise NotImplementedError

    @property
    def varying(self) -> tuple[str, ...]:
        """Those of them that differ between the rows asked for, and are worth showing."""
        return ()

    def fits(self, labels: Sequence[str]) -> bool:
        """Return True if rows with these labels are asked for."""
        raise NotImplementedError

    def surrounds(self, labels: Sequence[str]) -> bool:
        """Return True for rows that segments are compared by: those of the true class, as a rule."""
        raise NotImplementedError


@dataclass(frozen=True)
class CellQuery(RowsQuery):
    """The rows that one cell counts."""

    truth: str
    system: str
    true_label: str
    predicted: str | None
    """Both labels as text, as the page shows them; None stands for every class but the true one."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The truth and one system."""
        return self.truth, self.system

    @property
    def varying(self) -> tuple[str, ...]:
        """The predictions, where all errors of a class are asked for."""
        return (self.system,) if self.predicted is None else ()

    def fits(self, labels: Sequence[str]) -> bool:
        """Return True for rows of the true class that were predicted so."""
        truth, predicted = labels
        is_fitting = predicted != truth if self.predicted is None else predicted == self.predicted
        return truth == self.true_label and is_fitting

    def surrounds(self, labels: Sequence[str]) -> bool:
        """Return True for rows of the true class."""
        return labels[0] == self.true_label


@dataclass(frozen=True)
class ChangeQuery(RowsQuery):
    """The rows that one system, or run, predicts and another predicts differently."""

    truth: str
    before: str
    after: str
    change: Change
    """True if the second is right where the first was wrong, the other way round, or wrong in another way."""
    cell: tuple[str, str, str] | None = None
    """Only rows with this true label and these two predictions."""

    def __post_init__(self) -> None:
        """Reject what cannot be asked."""
        super().__post_init__()
        if self.change not in get_args(Change):
            raise InputError(f"a change is one of {', '.join(get_args(Change))}, not {self.change!r}")

    @property
    def labels(self) -> tuple[str, ...]:
        """The truth and two systems."""
        return self.truth, self.before, self.after

    @property
    def varying(self) -> tuple[str, ...]:
        """All of them, unless one cell is asked for."""
        return self.labels if self.cell is None else ()

    def fits(self, labels: Sequence[str]) -> bool:
        """Return True for rows with this change."""
        return change_of(labels) == self.change and (self.cell is None or tuple(labels) == self.cell)

    def surrounds(self, labels: Sequence[str]) -> bool:
        """Return True for rows of the true class where one is given, else for all."""
        return self.cell is None or labels[0] == self.cell[0]


def change_of(labels: Sequence[str]) -> Change | None:
    """Say what became of the prediction between two systems; None where it is the same."""
    truth, before, after = labels
    if before == after:
        return None
    return "better" if after == truth else "worse" if before == truth else "both wrong"


@dataclass(frozen=True)
class CellPage:
    """Some rows of a cell, how many it has, and the segments in which it is more frequent than elsewhere."""

    total: int
    found: int
    """Rows that a search found; the total where nothing is searched."""
    columns: tuple[str, ...]
    rows: tuple[SampledRow, ...]
    segments: tuple[CellSegment, ...] = field(default=())
    weight: float | None = None
    """Sum of the weights of the rows, where they are weighted: the number in the cell."""


@dataclass(frozen=True)
class CountedLabels:
    """Distinct raw values of the columns that decide, with what they mean and how many rows have them."""

    keys: list[tuple[Any, ...]]
    """As the source compares them."""
    values: list[tuple[Any, ...]]
    """As the readers understand them."""
    counts: list[int]
    weights: list[float] | None = None
    spelling: str = ""
    """The format of files, which decides what empty and quoted values mean."""


Keys = Sequence[tuple[Any, ...]]
SegmentCounts = Mapping[Any, tuple[int, int]]
"""By the value of a column, rows of a cell and all rows around it."""


@dataclass
class KnownCounts:
    """Answers of earlier questions about a source, for as long as it does not change."""

    columns: tuple[str, ...] | None = None
    labels: dict[tuple[tuple[str, ...], str | None], CountedLabels] = field(default_factory=dict)
    """By the columns that decide and the weight."""


class LabelledSource(Protocol):
    """Rows of any kind of source, asked by the raw values of their labels."""

    def counted(self) -> CountedLabels:
        """Count every combination of values that occurs."""

    def rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """Return some of the rows with these values, as the query orders them, and how many a search found."""

    def segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """Count rows with the keys, and rows of all around them, for the most frequent values of some columns."""


# ── rows of one cell ──────────────────────────────────────────────────────────────────────────────


def rows_of_cell(
    source: Source, query: RowsQuery, read: ReadOptions | None = None, known: KnownCounts | None = None
) -> CellPage:
    """Show rows of files, of a frame in memory, of a mapping of columns or of a Spark frame that one cell counts.

    Random rows are those with the smallest hash of their number and the seed: the same rows whatever the threads. Rows
    of Spark have no number that stays the same; there the hash is that of their contents. ``known`` is what earlier
    questions counted, for callers with several questions about a source that does not change.
    """
    how = read or ReadOptions()
    known = known or KnownCounts()
    present = known.columns = known.columns or column_names(source, how, query.labels)
    for name in (*query.by, *([query.score] if query.score else ())):
        if name not in present:
            title = source if isinstance(source, str) or hasattr(source, "__fspath__") else "the source"
            raise UnknownNameError(f"{title} has no column {name!r}")
    others = [name for name in present if name not in query.labels]
    if query.score in others:
        others.remove(query.score)
        others.insert(0, query.score)
    show = (*query.varying, *others[:MAX_COLUMNS])
    with _open_rows(source, query, show, how) as rows:
        asked = query.labels, query.weight
        counted = known.labels[asked] = known.labels.get(asked) or rows.counted()
        meanings = list(_decode_counted(counted, query))
        mine = [at for at, labels in enumerate(meanings) if labels and query.fits(labels)]
        keys = [counted.keys[at] for at in mine]
        total = sum(counted.counts[at] for at in mine)
        weight = None if counted.weights is None else sum(counted.weights[at] for at in mine)
        if not keys:
            return CellPage(0, 0, show, (), weight=weight)
        found, chosen = rows.rows(show, keys)
        around = [key for key, labels in zip(counted.keys, meanings, strict=True) if labels and query.surrounds(labels)]
        segments = tuple(find_segments(rows.segments(query.by, keys, around)))
    return CellPage(total, total if found is None else found, show, tuple(chosen), segments, weight)


@dataclass(frozen=True)
class ChangedPredictions:
    """Rows for which two systems, or two runs of one, predict differently."""

    before: str
    after: str
    rows: int
    """Rows that have a truth and both predictions."""
    cells: Mapping[tuple[str, str, str], int]
    """Rows by true label and both predictions, where these differ; the most frequent first."""

    def count(self, change: Change) -> int:
        """Count the rows that changed so."""
        return sum(rows for labels, rows in self.cells.items() if change_of(labels) == change)


def changed_predictions(
    source: Source, truth: str, before: str, after: str, read: ReadOptions | None = None, **options: object
) -> ChangedPredictions:
    """Count what changed between two systems, row by row: by true label and both predictions."""
    query = ChangeQuery(truth, before, after, "worse", **options)  # type: ignore[arg-type]
    with _open_rows(source, query, (), read or ReadOptions()) as rows:
        counted = rows.counted()
        found: Counter[tuple[str, str, str]] = Counter()
        total = 0
        for labels, count in zip(_decode_counted(counted, query), counted.counts, strict=True):
            if labels is None:
                continue
            total += count
            if labels[1] != labels[2]:
                found[labels[0], labels[1], labels[2]] += count
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return ChangedPredictions(before, after, total, dict(ordered))


@contextmanager
def _open_rows(source: Source, query: RowsQuery, show: Sequence[str], how: ReadOptions) -> Iterator[LabelledSource]:
    """Open a source: files and Spark frames, which may be large, by queries; others by their columns in memory."""
    score = () if query.score is None else (query.score,)
    names = tuple(dict.fromkeys((*_label_query(query).names, *show, *query.by, *score)))
    with scratch_folder() as folder:
        opened_source = open_source(source, how, folder)
        if isinstance(opened_source, Files):
            if opened_source.format == "ifs":
                raise InputError("rows are shown from files of rows; tables do not remember them")
            with opened_source.named(), open_session(folder, opened_source.name, how) as session:
                session.run("SET preserve_insertion_order = true")  # a row has the same number in every run
                scan = scan_files(session, opened_source, names, how.delimiter, query.weight)
                yield FileRows(session, scan, opened_source.format, query, MAX_SEGMENT_VALUES)
        elif is_spark_frame(source):
            yield SparkRows.of(source, query, MAX_SEGMENT_VALUES)
        else:
            yield MemoryRows.of(find_engine(opened_source, how).rows(opened_source, names, how), query)


def _label_query(query: RowsQuery) -> Query:
    truth, *systems = query.labels
    return Query(truth, tuple(systems), query.weight, clean=query.clean, joint=True)


def _decode_counted(counted: CountedLabels, query: RowsQuery) -> Iterator[tuple[str, ...] | None]:
    """Yield the labels of each combination as the page shows them; None where one is missing."""
    columns = _label_query(query)
    values = [[line[i] for line in counted.values] for i in range(len(query.labels))]
    tally = decode_texts(Tally.from_columns(query.labels, values, [1] * len(counted.values)), counted.spelling)
    (tally,) = unify_dates(unify_whole_numbers([tally], columns, counted.spelling), columns)
    named = decode_labels(tally, columns)
    for codes in named.codes.T.tolist():
        labels = [of[code] for of, code in zip(named.labels, codes, strict=True)]
        yield None if None in labels else tuple(map(str, labels))


# ── a few rows of each cell ───────────────────────────────────────────────────────────────────────


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
    source: Source, asked: Query, show: Sequence[str] | None, limit: int
) -> dict[tuple[Group, str], CellRows]:
    """Return up to ``limit`` random rows of each cell, by group and system, from files or a frame in memory.

    ``show`` names the columns that are kept; None keeps all but the labels, up to a limit.
    """
    how, columns = asked.read, replace(asked, groups=None, joint=False)
    if show is None:
        present = column_names(source, how, columns.names)
        show = [name for name in present if name not in (columns.truth, *columns.systems)][:MAX_COLUMNS]
    wanted = tuple(dict.fromkeys(show))
    with scratch_folder() as folder:
        files = open_source(source, how, folder)
        if isinstance(files, Files):
            if files.format == "ifs":
                raise InputError("tables do not remember their rows; name the rows themselves to keep examples")
            with files.named(), open_session(folder, files.name, how) as session:
                names = tuple(dict.fromkeys((*columns.names, *wanted)))
                scan = scan_files(session, files, names, how.delimiter, columns.weight)
                cells = list(sample_cells(session, scan, columns, wanted, limit))
        elif is_spark_frame(source):
            cells = list(sample_spark_cells(source, columns, wanted, limit))
        elif is_frame(source):
            cells = list(_sample_frame(source, columns, wanted, limit))
        else:
            raise InputError("examples are kept from files and from frames; write the rows to a file first")
    return _group_by_label(cells, columns, wanted, limit, files.format if isinstance(files, Files) else "")


def sample_labels(
    y_true: LabelsLike, systems: Mapping[str, Any], show: Mapping[str, Any], limit: int, reject: Label | None = None
) -> dict[tuple[Group, str], CellRows]:
    """Return the same for labels in memory, with further values of each sample by name."""
    truth, truth_labels = label_codes(y_true, "truth")
    shown: dict[str, list[Any]] = {}
    for name, values in show.items():
        shown[name] = list(values.tolist() if hasattr(values, "tolist") else values)
        if len(shown[name]) != len(truth):
            raise InputError(
                f"show has {len(shown[name])} values of {name!r} for {len(truth)} labels; give one for each label"
            )
    found: dict[tuple[Group, str], CellRows] = {}
    for name, given in systems.items():
        codes, labels = label_codes(given, "system", reject)
        usable = (truth >= 0) & (codes >= 0)
        places = np.flatnonzero(usable)
        cells: CellRows = {}
        for at in places[_choose_rows([truth[places], codes[places]], limit)].tolist():
            values = {column: simplify_value(items[at]) for column, items in shown.items()}
            key = truth_labels[truth[at]], labels[codes[at]]
            cells.setdefault(key, []).append(SampledRow(at + 1, values))
        found[(), name] = cells
    return found


def _sample_frame(source: Any, columns: Query, show: Sequence[str], limit: int) -> Iterator[CellSample]:
    names = tuple(dict.fromkeys((*columns.names, *show)))
    given = find_engine(source, columns.read).rows(source, names, columns.read)
    lacks = [False] * len(next(iter(given.values())))
    if columns.weight is not None:
        lacks = [is_missing(value) for value in given[columns.weight]]
    for (system,) in columns.margins:
        keys = columns.keys((system,))
        coded = [encode(given[name], name) for name in keys]
        codes = [*(codes for _, codes in coded), np.array(lacks, dtype=np.int64)]
        for at in _choose_rows(codes, limit).tolist():
            values = tuple(labels[codes[at]] for labels, codes in coded)
            row = (int(hash_numbers(np.array([at]))[0]), at + 1, tuple(given[name][at] for name in show))
            yield system, values, lacks[at], [row]


def _choose_rows(codes: Sequence[Ints], limit: int) -> Ints:
    """Return the places of up to ``limit`` random rows of each combination of codes."""
    cell = np.zeros(len(codes[0]), dtype=np.int64)
    for column in codes:
        _, cell = np.unique(cell * (int(column.max(initial=0)) + 1) + column, return_inverse=True)
    order = np.lexsort((hash_numbers(np.arange(len(cell))), cell))
    first = np.flatnonzero(np.diff(cell[order], prepend=-1))
    rank = np.arange(len(order)) - np.repeat(first, np.diff([*first, len(order)]))
    return np.sort(order[rank < limit])


def hash_numbers(numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash row numbers such that all bits are mixed (the finaliser of splitmix64)."""
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def _group_by_label(
    cells: Sequence[CellSample], columns: Query, show: Sequence[str], limit: int, spelling: str
) -> dict[tuple[Group, str], CellRows]:
    """Return the rows under the labels that their values mean; cells whose values mean the same are one."""
    back = from_json if spelling == "ndjson" else _as_it_is
    found: dict[tuple[Group, str], CellRows] = {}
    mine = [[cell for cell in cells if cell[0] == system] for system in columns.systems]
    tallies = [
        decode_texts(
            Tally.from_columns(
                keys, list(zip(*(cell[1] for cell in part), strict=True)) or [()] * len(keys), [1] * len(part)
            ),
            spelling,
        )
        for part, keys in zip(mine, (columns.keys((system,)) for system in columns.systems), strict=True)
    ]
    tallies = unify_dates(unify_whole_numbers(tallies, columns, spelling), columns)
    for part, tally, system in zip(mine, tallies, columns.systems, strict=True):
        named = decode_labels(tally, columns)
        rows: dict[tuple[Group, Label, Label], list[SampleLine]] = {}
        for at, (_, _, lacks, kept) in enumerate(part):
            labels = tuple(of[code] for of, code in zip(named.labels, named.codes[:, at].tolist(), strict=True))
            if not lacks and None not in labels:
                rows.setdefault((labels[:-2], labels[-2], labels[-1]), []).extend(kept)
        for (group, truth, predicted), kept in rows.items():
            found.setdefault((group, system), {})[truth, predicted] = [
                SampledRow(
                    number, {name: simplify_value(back(value)) for name, value in zip(show, values, strict=True)}
                )
                for _, number, values in sorted(kept, key=lambda row: (row[0], row[1] or 0))[:limit]
            ]
    return found


def _as_it_is(value: Any) -> Any:
    return value


def simplify_value(value: object) -> Value:
    """Return a value as documents hold it; what is none of text, number and truth value is written as text."""
    if is_missing(value):
        return None
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (bool, int)) or (isinstance(value, float) and isfinite(value)):
        return value
    text = str(value)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


# ── one cell, from files ──────────────────────────────────────────────────────────────────────────


Lines = Sequence[tuple[Any, ...]]
FEW = 8
"""Combinations of values that are compared one by one; more are joined."""


@dataclass(frozen=True)
class FileRows:
    """An open scan of files."""

    session: Session
    scan: Scan
    format: str
    query: RowsQuery
    most_values: int
    """Values of a column that is taken for a segment."""

    def counted(self) -> CountedLabels:
        """Count in one pass over the columns that decide."""
        names = self.query.labels
        self._narrow(names)
        fields = ", ".join(self.scan.columns[name] for name in names)
        sums = "NULL" if self.query.weight is None else f"sum({self._weight})"
        statement = (
            f"SELECT {fields}, count(*), {sums} FROM {self.scan.relation} {self._weighed('WHERE')} "
            f"GROUP BY {', '.join(str(place + 1) for place in range(len(names)))}"
        )
        lines = self.session.rows(statement, **self.scan.values)
        backs = [self.scan.decoders.get(name, _as_it_is) for name in names]
        values = [tuple(back(value) for back, value in zip(backs, line, strict=False)) for line in lines]
        weights = None if self.query.weight is None else [float(line[-1]) for line in lines]
        return CountedLabels([line[:-2] for line in lines], values, [line[-2] for line in lines], weights, self.format)

    def rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """Return those with the smallest hashes of their numbers, or with the highest or lowest scores.

        Columns are cheap to read again for the rows that were chosen; text is read once.
        """
        chosen = self._chosen(show, keys)
        if chosen and self.scan.columnar:
            self._narrow((*self.query.labels, *show))
            numbers = [int(line[0]) for line in chosen]
            fields = ", ".join([f"{self.scan.row_number} AS r", *(self.scan.columns[name] for name in show)])
            statement = f"SELECT {fields} FROM {self.scan.relation}"
            if self.scan.rows_at is None:
                statement = f"SELECT * FROM ({statement}) AS numbered WHERE r IN ({', '.join(map(str, numbers))})"
            else:
                statement += f" WHERE {self.scan.rows_at(numbers)}"
            shown = {number: rest for number, *rest in self.session.rows(statement, **self.scan.values)}
            chosen = [(number, found, *shown[number]) for number, found, *_ in chosen]
        backs = [self.scan.decoders.get(name, _as_it_is) for name in show]
        decode = from_json if self.format == "ndjson" else _as_it_is
        found = (chosen[0][1] if chosen else 0) if self.query.search else None
        return found, [
            SampledRow(
                number,
                {
                    name: simplify_value(decode(back(value)))
                    for name, back, value in zip(show, backs, values, strict=True)
                },
            )
            for number, _, *values in chosen
        ]

    def _chosen(self, show: Sequence[str], keys: Keys) -> Lines:
        """Return the number, how many a search found, and where the rows are text what is shown of them."""
        query = self.query
        looked_at = list(show) if query.search or not self.scan.columnar else []
        self._narrow((*query.labels, *looked_at, *([query.score] if query.score else [])))
        fields = [f"{self.scan.columns[name]} AS k{i}" for i, name in enumerate(query.labels)]
        fields += [f"{self.scan.columns[name]} AS v{i}" for i, name in enumerate(looked_at)]
        score = "NULL" if query.score is None else f"TRY_CAST({self.scan.columns[query.score]} AS DOUBLE)"
        weight = "0" if query.weight is None else self._weight
        fields += [f"{score} AS score", f"{weight} AS w", f"{self.scan.row_number} AS r"]
        where, values = _condition([f"k{i}" for i in range(len(query.labels))], keys)
        where = f"({where}) AND w IS NOT NULL AND NOT isnan(w)" if query.weight is not None else f"({where})"
        texts = [f"v{i}" for i in range(len(looked_at))]
        if query.search:
            columns_as_text = ", ".join(f"CAST({text} AS VARCHAR)" for text in texts) or "''"
            where += f" AND contains(lower(concat_ws(' ', {columns_as_text})), lower($search))"
            values["search"] = query.search
        found = "count(*) OVER ()" if query.search else "NULL"
        shown = ", ".join(["r", found, *([] if self.scan.columnar else texts)])
        statement = (
            f"SELECT {shown} FROM (SELECT {', '.join(fields)} FROM {self.scan.relation}) AS numbered WHERE {where} "
            f"ORDER BY {self._order}, r LIMIT {int(query.limit)}"
        )
        return self.session.rows(statement, **self.scan.values, **values)

    @property
    def _order(self) -> str:
        if self.query.order == "random":
            return f"hash(r + {int(self.query.seed)} * 1000003)"
        return f"score {'DESC' if self.query.order == 'most confident' else 'ASC'} NULLS LAST"

    def segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """Count in one pass over the columns that decide and these."""
        if not columns:
            return {}
        names = self.query.labels
        self._narrow((*names, *columns))
        places = [self.scan.columns[name] for name in names]
        inside, values = _condition(places, keys, "inside")
        outside, more = _condition(places, around, "around")
        fields = [f"CAST({self.scan.columns[name]} AS VARCHAR) AS c{i}" for i, name in enumerate(columns)]
        listed = [f"c{i}" for i in range(len(columns))]
        numbered = (
            f"SELECT {', '.join(fields)}, ({inside}) AS inside FROM {self.scan.relation} WHERE ({outside}) "
            f"{self._weighed('AND')}"
        )
        statement = (
            f"SELECT {', '.join(listed)}, GROUPING({', '.join(listed)}) AS lacks, count(*) FILTER (inside), count(*) "
            f"AS n FROM ({numbered}) AS rows GROUP BY GROUPING SETS ({', '.join(f'({name})' for name in listed)}) "
            f"QUALIFY row_number() OVER (PARTITION BY lacks ORDER BY n DESC) <= {self.most_values + 1}"
        )
        found: dict[str, dict[Any, tuple[int, int]]] = {name: {} for name in columns}
        for *shown, lacks, count, rows in self.session.rows(statement, **self.scan.values, **values, **more):
            at = next(i for i in range(len(columns)) if not lacks >> (len(columns) - 1 - i) & 1)
            found[columns[at]][shown[at]] = count, rows
        return found

    @property
    def _weight(self) -> str:
        return f"TRY_CAST({self.scan.columns[str(self.query.weight)]} AS DOUBLE)"

    def _weighed(self, word: str) -> str:
        """Write the condition that the row has a weight, where rows are weighted."""
        if self.query.weight is None:
            return ""
        return f"{word} {self._weight} IS NOT NULL AND NOT isnan({self._weight})"

    def _narrow(self, names: Sequence[str]) -> None:
        if self.scan.narrow is not None:
            weight = () if self.query.weight is None else (self.query.weight,)
            self.scan.narrow(tuple(dict.fromkeys((*names, *weight))))


def _condition(places: Sequence[str], keys: Keys, name: str = "key") -> tuple[str, dict[str, Any]]:
    """Write the condition that the columns have one of some combinations of values, which travel as bound values.

    No combination holds a NULL, which means a missing label everywhere.
    """
    if len(keys) <= FEW:
        values = {f"{name}{i}_{j}": value for i, key in enumerate(keys) for j, value in enumerate(key)}
        each = [" AND ".join(f"{place} = ${name}{i}_{j}" for j, place in enumerate(places)) for i in range(len(keys))]
        return " OR ".join(f"({part})" for part in each) or "false", values
    values = {f"{name}_{j}": [key[j] for key in keys] for j in range(len(places))}
    listed = ", ".join(f"unnest(${name}_{j})" for j in range(len(places)))
    return f"({', '.join(places)}) IN (SELECT {listed})", values


# ── each cell, from files ─────────────────────────────────────────────────────────────────────────


SampleLine = tuple[int, int | None, tuple[Any, ...]]
"""Rank among the rows of its cell, number where rows have one, and values of a row."""
CellSample = tuple[str, tuple[Any, ...], bool, list[SampleLine]]
"""System, values that identify the cell, whether its rows lack a weight; its rows."""


def sample_cells(session: Session, scan: Scan, columns: Query, show: Sequence[str], limit: int) -> Iterator[CellSample]:
    """Yield the rows of each cell whose numbers have the smallest hashes.

    Where the engine can skip to rows by their numbers, these are found first, from the labels alone.
    """
    session.run("SET preserve_insertion_order = true")  # a row has the same number in every run
    if scan.rows_at is None:
        yield from _sampled(session, scan, columns, show, limit)
        return
    cells = list(_sampled(session, scan, columns, (), limit))
    numbers = sorted({int(row[1] or 0) for *_, rows in cells for row in rows})
    shown: dict[int, tuple[Any, ...]] = {}
    if numbers:
        decoders = [scan.decoders.get(name, _as_it_is) for name in show]
        fields = ", ".join([f"{scan.row_number} AS r", *(scan.columns[name] for name in show)])
        statement = f"SELECT {fields} FROM {scan.relation} WHERE {scan.rows_at(numbers)}"
        for number, *values in session.rows(statement, **scan.values):
            shown[number] = tuple(decode(value) for decode, value in zip(decoders, values, strict=True))
    for system, values, lacks, rows in cells:
        yield system, values, lacks, [(rank, number, shown[int(number or 0)]) for rank, number, _ in rows]


def _sampled(session: Session, scan: Scan, columns: Query, show: Sequence[str], limit: int) -> Iterator[CellSample]:
    if scan.narrow is not None:
        scan.narrow(tuple(dict.fromkeys((*columns.names, *show))))
    decoders: list[Callable[[Any], Any]] = [scan.decoders.get(name, _as_it_is) for name in show]
    margins = columns.margins
    for part in [(margin,) for margin in margins] if scan.columnar else [margins]:
        group_by = GroupBy(columns, part)
        statement = _write_sampling(group_by, scan, show, limit)
        places = {margin: [list(group_by.names.values()).index(k) for k in group_by.shorts(margin)] for margin in part}
        by_mask = {group_by.mask(margin): margin for margin in part}
        for line in session.rows(statement, **scan.values):
            *keys, lacks, kept, mask = line
            margin = by_mask[mask] if len(part) > 1 else part[0]
            values = tuple(
                scan.decoders.get(name, _as_it_is)(keys[place])
                for name, place in zip(columns.keys(margin), places[margin], strict=True)
            )
            rows = [(row["h"], row["r"], tuple(back(row[f"v{i}"]) for i, back in enumerate(decoders))) for row in kept]
            yield margin[0], values, bool(lacks), rows


def _write_sampling(group_by: GroupBy, scan: Scan, show: Sequence[str], limit: int) -> str:
    """Write the statement that keeps the rows with the smallest hashes of each cell."""
    names, columns = group_by.names, group_by.query
    fields = [f"{scan.columns[name]} AS {short}" for name, short in names.items()]
    fields += [f"{scan.columns[name]} AS v{i}" for i, name in enumerate(show)]
    weight = None if columns.weight is None else f"CAST({scan.columns[columns.weight]} AS DOUBLE)"
    fields.append("0 AS lacks" if weight is None else f"({weight} IS NULL OR isnan({weight}))::INT AS lacks")
    numbered = f"SELECT {', '.join(fields)}, {scan.row_number} AS r FROM {scan.relation}"
    row = ", ".join(["h := hash(r)", "r := r", *(f"v{i} := v{i}" for i in range(len(show)))])
    always = [*(names[name] for name in (*columns.by, columns.truth)), "lacks"]
    sets = [", ".join([*always, *(names[name] for name in margin)]) for margin in group_by.margins]
    several = len(sets) > 1
    groups = f"GROUPING SETS ({', '.join(f'({keys})' for keys in sets)})" if several else sets[0]
    systems = ", ".join(names[margin[0]] for margin in group_by.margins)
    mask = f"GROUPING({systems})" if several else "0"
    return (
        f"SELECT {', '.join(names.values())}, lacks, arg_min(struct_pack({row}), hash(r), {int(limit)}) AS kept, "
        f"{mask} AS mask FROM ({numbered}) AS numbered GROUP BY {groups}"
    )


# ── one cell, from columns in memory ──────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class MemoryRows:
    """Columns of a frame or a mapping; a combination of values is known by its codes."""

    columns: Mapping[str, Sequence[Any]]
    query: RowsQuery
    values: Sequence[Sequence[Any]]
    codes: Sequence[tuple[int, ...]]
    """The codes of the labels of each row."""

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], query: RowsQuery) -> MemoryRows:
        """Encode the labels among some columns."""
        coded = [encode(columns[name], name) for name in query.labels]
        codes = list(zip(*(codes.tolist() for _, codes in coded), strict=True))
        return cls(columns, query, [values for values, _ in coded], codes)

    def _counts(self, at: int) -> bool:
        return self.query.weight is None or not is_missing(self.columns[self.query.weight][at])

    def counted(self) -> CountedLabels:
        """Count by the codes."""
        counts: Counter[tuple[int, ...]] = Counter()
        weights: Counter[tuple[int, ...]] = Counter()
        for at, codes in enumerate(self.codes):
            if self._counts(at):
                counts[codes] += 1
                if self.query.weight is not None:
                    weights[codes] += self.columns[self.query.weight][at]
        keys = list(counts)
        values = [tuple(of[code] for of, code in zip(self.values, key, strict=True)) for key in keys]
        sums = None if self.query.weight is None else [float(weights[key]) for key in keys]
        return CountedLabels(list(keys), values, list(counts.values()), sums)

    def rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """Choose by the smallest hash of their numbers, or by their scores."""
        wanted, query = set(keys), self.query
        places = [at for at, codes in enumerate(self.codes) if codes in wanted and self._counts(at)]
        if query.search:
            word = query.search.lower()
            shown = [self.columns[name] for name in show]
            places = [
                at
                for at in places
                if word in " ".join(str(values[at]) for values in shown if not is_missing(values[at])).lower()
            ]
        if query.order == "random" or query.score is None:
            ranks: Any = hash_numbers(np.array(places, dtype=np.int64) + query.seed * 1_000_003)
        else:
            sign = -1.0 if query.order == "most confident" else 1.0
            ranks = np.full(len(places), np.inf)
            for i, at in enumerate(places):
                with suppress(TypeError, ValueError):  # what is no number comes last
                    ranks[i] = sign * float(self.columns[query.score][at])
            ranks[np.isnan(ranks)] = np.inf
        order = [places[i] for i in np.argsort(ranks, kind="stable").tolist()]
        rows = [
            SampledRow(at + 1, {name: simplify_value(self.columns[name][at]) for name in show})
            for at in order[: query.limit]
        ]
        return len(places) if query.search else None, rows

    def segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """Count the rows of each value."""
        inside, outside = set(keys), set(around)
        segments: dict[str, dict[Any, tuple[int, int]]] = {column: {} for column in columns}
        for at, codes in enumerate(self.codes):
            if codes not in outside or not self._counts(at):
                continue
            for column, counts in segments.items():
                value = None if is_missing(self.columns[column][at]) else str(self.columns[column][at])
                count, rows = counts.get(value, (0, 0))
                counts[value] = count + (codes in inside), rows + 1
        return segments


# ── Spark frames: rows are known by a hash of their contents, for they have no number ─────────────


_PLAIN = ("string", "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "date", "timestamp")
_NOTHING = "\u0000"
"""Stands for a missing value in the hash of a row, so that its place counts."""


def is_spark_frame(source: object) -> bool:
    """Return True for a frame of Spark, on a cluster or behind Spark Connect."""
    kind = type(source)
    return kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"


@dataclass(frozen=True)
class NumberedFrame:
    """A Spark frame whose columns are called by their places, so that no name can do harm."""

    frame: Any
    places: Mapping[str, int]
    kinds: Sequence[str]

    @classmethod
    def of(cls, source: Any, names: Sequence[str]) -> NumberedFrame:
        """Return the frame, if it has the named columns."""
        present = list(source.columns)
        pick_columns(names, present, "the Spark frame")
        frame = source.toDF(*(f"c{i}" for i in range(len(present))))
        return cls(frame, {name: i for i, name in enumerate(present)}, [kind for _, kind in frame.dtypes])

    def column(self, name: str) -> Any:
        """Return a column as it is."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; the caller has it loaded

        return F.col(f"c{self.places[name]}")

    def text(self, name: str) -> Any:
        """Return a column as text: what tells its values apart."""
        return self.column(name).cast("string")

    def shown(self, name: str) -> Any:
        """Return a column as it is brought here; lists and records come as text."""
        plain = self.kinds[self.places[name]] in _PLAIN
        return self.column(name) if plain else self.text(name)

    def contents(self, seed: int = 0) -> Any:
        """Hash everything in a row, and a seed."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see above

        texts = [F.coalesce(F.col(f"c{i}").cast("string"), F.lit(_NOTHING)) for i in range(len(self.kinds))]
        return F.xxhash64(F.lit(seed), *texts)

    def number(self, name: str) -> Any:
        """Return a column as a number, and nothing where it is none."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see above

        return F.expr(f"try_cast(c{self.places[name]} AS DOUBLE)")


def sample_spark_cells(source: object, columns: Query, show: Sequence[str], limit: int) -> Iterator[CellSample]:
    """Yield a few random rows of each cell and system."""
    from pyspark.sql import Window  # noqa: PLC0415 - the caller has it loaded
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name

    rows = NumberedFrame.of(source, tuple(dict.fromkeys((*columns.names, *show))))
    for margin in columns.margins:
        names = columns.keys(margin)
        keys = [rows.column(name).alias(f"k{i}") for i, name in enumerate(names)]
        values = [rows.shown(name).alias(f"v{i}") for i, name in enumerate(show)]
        weight = F.lit(0.0) if columns.weight is None else rows.number(columns.weight)
        lacks = (weight.isNull() | F.isnan(weight)).alias("lacks")
        cell = Window.partitionBy("lacks", *(f"k{i}" for i in range(len(names)))).orderBy("h")
        chosen = (
            rows.frame.select(*keys, *values, lacks, rows.contents().alias("h"))
            .withColumn("place", F.row_number().over(cell))
            .filter(F.col("place") <= limit)
            .drop("place")
        )
        found = native_values(chosen, (*names, *show, "lacks", "h"))
        for line in zip(*found, strict=True):
            *given, is_unweighed, rank = line
            labels, shown = tuple(given[: len(names)]), tuple(given[len(names) :])
            yield margin[0], labels, bool(is_unweighed), [(rank, None, shown)]


@dataclass(frozen=True)
class SparkRows:
    """A Spark frame that is asked for the rows of a cell; labels are compared by their text."""

    rows_of: NumberedFrame
    query: RowsQuery
    most_values: int
    """Values of a column that is taken for a segment."""

    @classmethod
    def of(cls, source: object, query: RowsQuery, most_values: int) -> SparkRows:
        """Return the frame, if it has what is asked for."""
        weight = () if query.weight is None else (query.weight,)
        return cls(NumberedFrame.of(source, (*query.labels, *weight)), query, most_values)

    @property
    def _counted_rows(self) -> Any:
        """The rows that count, with the texts of their labels as t0, t1, …"""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; the caller has it loaded

        frame = self.rows_of.frame
        for i, name in enumerate(self.query.labels):
            frame = frame.withColumn(f"t{i}", self.rows_of.text(name))
        if self.query.weight is None:
            return frame.withColumn("w", F.lit(1.0))
        frame = frame.withColumn("w", self.rows_of.number(self.query.weight))
        return frame.filter(F.col("w").isNotNull() & ~F.isnan("w"))

    def counted(self) -> CountedLabels:
        """Count in one pass over the columns that decide."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see above

        names = self.query.labels
        texts = [F.col(f"t{i}") for i in range(len(names))]
        values = [self.rows_of.column(name).alias(f"k{i}") for i, name in enumerate(names)]
        grouped = self._counted_rows.groupBy(*texts, *values).agg(F.count("*").alias("n"), F.sum("w").alias("sum"))
        *found, counts, sums = native_values(grouped, (*names, *names, "n", "weight"))
        keys = list(zip(*found[: len(names)], strict=True))
        weights = None if self.query.weight is None else list(sums)
        return CountedLabels(keys, list(zip(*found[len(names) :], strict=True)), counts, weights)

    def rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """Choose by the smallest hash of their contents, or by their scores; equal rows count each."""
        from pyspark.sql import Window  # noqa: PLC0415 - see above
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see above

        query, rows = self.query, self.rows_of
        inside = self._counted_rows.filter(_is_among(keys)).withColumn("h", rows.contents(query.seed))
        found = None
        if query.search:
            texts = F.lower(F.concat_ws(" ", *(rows.text(name) for name in show)))
            inside = inside.filter(texts.contains(F.lower(F.lit(query.search))))
            found = inside.count()
        equal = Window.partitionBy("h").orderBy(F.lit(0))
        ranked = inside.withColumn("copy", F.row_number().over(equal)).withColumn("rank", F.xxhash64("h", "copy"))
        order = [F.col("rank").asc()]
        if query.order != "random" and query.score is not None:
            score = rows.number(query.score)
            order.insert(0, score.desc_nulls_last() if query.order == "most confident" else score.asc_nulls_last())
        shown = [rows.shown(name).alias(f"v{i}") for i, name in enumerate(show)]
        chosen = ranked.orderBy(*order).limit(query.limit).select(F.col("rank"), *shown)
        lines = zip(*native_values(chosen, ("rank", *show)), strict=True)
        return found, [
            SampledRow(None, {name: simplify_value(value) for name, value in zip(show, values, strict=True)})
            for _, *values in lines
        ]

    def segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """Count in one pass over the columns that decide and each of these."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - see above

        rows = self._counted_rows.filter(_is_among(around))
        inside = F.count(F.when(_is_among(keys), 1)).alias("inside")
        segments: dict[str, SegmentCounts] = {}
        for column in columns:
            grouped = rows.groupBy(self.rows_of.text(column).alias("value")).agg(inside, F.count("*").alias("n"))
            most = grouped.orderBy(F.col("n").desc(), "value").limit(self.most_values + 1)
            lines = zip(*native_values(most, (column, "inside", "n")), strict=True)
            segments[column] = {value: (count, size) for value, count, size in lines}
        return segments


def _is_among(keys: Keys) -> Any:
    """Write the condition that the labels of a row have one of some combinations of texts."""
    from pyspark.sql import functions as F  # noqa: N812, PLC0415 - its usual name; the caller has it loaded

    found = F.lit(False)
    for key in keys:
        each = F.lit(True)
        for i, text in enumerate(key):
            each = each & (F.col(f"t{i}") == F.lit(text))
        found = found | each
    return found


# ── segments in which a cell is more frequent than elsewhere ──────────────────────────────────────


MAX_SEGMENT_VALUES = 20
"""Values of a column that is taken for a segment."""
SURE = 0.99
"""Posterior probability from which a segment's rate is said to differ, over all segments of a cell."""
_DRAWS = 4000
_CLOSE = 1.0
"""Standard deviations within which no rate is higher: the posterior mean of one count is 1.4 of them above zero."""


@dataclass(frozen=True)
class CellSegment:
    """Rows of one value of a column: how often the true class is predicted so there, and elsewhere."""

    column: str
    value: str
    count: int
    rows: int
    """Rows of the true class in the segment."""
    elsewhere: float
    probability: float
    """That the rate is higher here than elsewhere."""

    @property
    def rate(self) -> float:
        """Share of the true class in the segment that is in the cell."""
        return self.count / self.rows


def find_segments(counts: Mapping[str, Mapping[Any, tuple[int, int]]]) -> Iterator[CellSegment]:
    """Yield values of columns in which a cell takes a greater share of the true class than elsewhere.

    ``counts`` holds for each column and value the rows of the cell and those of its true class.
    """
    asked = {name: values for name, values in counts.items() if 1 < len(values) <= MAX_SEGMENT_VALUES}
    level = 1 - (1 - SURE) / max(sum(map(len, asked.values())), 1)
    for name, values in asked.items():
        whole, size = (sum(each[i] for each in values.values()) for i in (0, 1))
        for value, (count, rows) in values.items():
            others, other_rows = whole - count, size - rows
            if count * other_rows <= others * rows:
                continue
            probability = _higher((count, rows), (others, other_rows))
            if probability >= level:
                shown = "(missing)" if value is None else str(value)
                yield CellSegment(name, shown, count, rows, others / other_rows if other_rows else 0.0, probability)


def _higher(here: tuple[int, int], elsewhere: tuple[int, int]) -> float:
    """Return the posterior probability that the rate in a segment is higher than elsewhere; 0 where it is not sure.

    The prior of both is as heavy as one row of the cell and has the mean of all rows. A uniform one would expect every
    second row of a small segment in the cell, and say of one in ten rare cells that it is more frequent somewhere.
    """
    share = (here[0] + elsewhere[0] + 0.5) / (here[1] + elsewhere[1] + 1)
    beliefs = [(1 + count, 1 / share - 1 + rows - count) for count, rows in (here, elsewhere)]
    (mean, variance), (other_mean, other_variance) = (
        (a / (a + b), a * b / (a + b) ** 2 / (a + b + 1)) for a, b in beliefs
    )
    if mean - other_mean < _CLOSE * (variance + other_variance) ** 0.5:
        return 0.0
    rng = np.random.default_rng(0)
    one, other = (rng.beta(*belief, _DRAWS) for belief in beliefs)
    return float((one > other).mean())
