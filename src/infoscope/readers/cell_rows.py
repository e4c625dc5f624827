"""Rows behind the numbers: those of one cell as a page of them, or a few random ones of each cell.

Which values of the source became which label is the readers' decision, so that the rows behind a cell are those that
were counted in it, whatever was cleaned, is missing or is written in two ways. Random rows are those with the smallest
hash of their number and a seed: the same rows whatever the threads. In reading order: ``read_cell_rows`` and
``count_changed_predictions`` for one cell, ``sample_rows`` for each; and how files, columns in memory and Spark frames
answer them. Segments, at the end, are where a cell is more frequent than elsewhere.
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
from infoscope.readers.duckdb import Scan, Session, open_session, scan_files
from infoscope.readers.engine import find_engine, open_source
from infoscope.readers.files import Files
from infoscope.readers.frames import is_frame, label_codes, native_values
from infoscope.readers.labels import Cleaning, decode_json, decode_rows, decode_texts, unify_dates, unify_whole_numbers
from infoscope.readers.query import GroupBy, Query, ReadOptions, pick_columns
from infoscope.tables.labels import Label, is_missing
from infoscope.tables.rows import Group, Ints, Rows, encode_values
from infoscope.typing import LabelsLike, Source

# ── queries of one cell ───────────────────────────────────────────────────────────────────────────


Order = Literal["random", "most confident", "least confident"]
Change = Literal["better", "worse", "both wrong"]
MAX_ROWS = 200


@dataclass(frozen=True, kw_only=True)
class RowOptions:
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


@dataclass(frozen=True)
class CellQuery(RowOptions):
    """The rows that one cell counts."""

    truth: str
    system: str
    true_label: str
    predicted: str | None
    """Both labels as text, as the page shows them; None stands for every class but the true one."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that decide: the truth and one system."""
        return self.truth, self.system

    @property
    def varying(self) -> tuple[str, ...]:
        """Those of them worth showing: the predictions, where all errors of a class are asked for."""
        return (self.system,) if self.predicted is None else ()

    def fits(self, labels: Sequence[str]) -> bool:
        """Return True for rows of the true class that were predicted so."""
        truth, predicted = labels
        is_fitting = predicted != truth if self.predicted is None else predicted == self.predicted
        return truth == self.true_label and is_fitting

    def surrounds(self, labels: Sequence[str]) -> bool:
        """Return True for rows that segments are compared by: those of the true class."""
        return labels[0] == self.true_label


@dataclass(frozen=True)
class ChangeQuery(RowOptions):
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
        """The columns that decide: the truth and two systems."""
        return self.truth, self.before, self.after

    @property
    def varying(self) -> tuple[str, ...]:
        """Those of them worth showing: all, unless one cell is asked for."""
        return self.labels if self.cell is None else ()

    def fits(self, labels: Sequence[str]) -> bool:
        """Return True for rows with this change."""
        return classify_change(labels) == self.change and (self.cell is None or tuple(labels) == self.cell)

    def surrounds(self, labels: Sequence[str]) -> bool:
        """Return True for rows that segments are compared by: of the true class where one is given, else all."""
        return self.cell is None or labels[0] == self.cell[0]


RowsQuery = CellQuery | ChangeQuery


def classify_change(labels: Sequence[str]) -> Change | None:
    """Say what became of the prediction between two systems; None where it is the same."""
    truth, before, after = labels
    if before == after:
        return None
    return "better" if after == truth else "worse" if before == truth else "both wrong"


# ── rows of one cell ──────────────────────────────────────────────────────────────────────────────


MAX_COLUMNS = 20
"""Columns that are kept by default, the first ones."""

Value = str | int | float | bool | None


@dataclass(frozen=True)
class SampledRow:
    """One row of a source: its number from 1, where rows have one, and what is shown of it."""

    number: int | None
    values: Mapping[str, Value]


@dataclass(frozen=True)
class CellPage:
    """Some rows of a cell, how many it has, and the segments in which it is more frequent than elsewhere."""

    total: int
    matches: int
    """Rows that fit a search; the total where nothing is searched."""
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


@dataclass
class KnownCounts:
    """Answers of earlier questions about a source, for as long as it does not change."""

    columns: tuple[str, ...] | None = None
    labels: dict[tuple[tuple[str, ...], str | None], CountedLabels] = field(default_factory=dict)
    """By the columns that decide and the weight."""


Keys = Sequence[tuple[Any, ...]]
SegmentCounts = Mapping[Any, tuple[int, int]]
"""By the value of a column, rows of a cell and all rows around it."""


class LabelledSource(Protocol):
    """Rows of any kind of source, asked by the raw values of their labels."""

    def count_labels(self) -> CountedLabels:
        """Count every combination of values that occurs."""

    def read_rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """Return some of the rows with these values, as the query orders them, and how many fit a search."""

    def count_segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """Count rows with the keys, and rows of all around them, for the most frequent values of some columns."""


def read_cell_rows(
    source: Source, query: RowsQuery, read: ReadOptions | None = None, earlier: KnownCounts | None = None
) -> CellPage:
    """Show rows of files, of a frame in memory, of a mapping of columns or of a Spark frame that one cell counts.

    Random rows are those with the smallest hash of their number and the seed: the same rows whatever the threads. Rows
    of Spark have no number that stays the same; there the hash is that of their contents. ``earlier`` keeps what was
    counted, for callers with several questions about a source that does not change.
    """
    how = read or ReadOptions()
    earlier = earlier or KnownCounts()
    present = earlier.columns = earlier.columns or column_names(source, how, query.labels)
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
        identity = query.labels, query.weight
        counted = earlier.labels[identity] = earlier.labels.get(identity) or rows.count_labels()
        meanings = list(_decode_counts(counted, query))
        places = [i for i, labels in enumerate(meanings) if labels and query.fits(labels)]
        keys = [counted.keys[i] for i in places]
        total = sum(counted.counts[i] for i in places)
        weight = None if counted.weights is None else sum(counted.weights[i] for i in places)
        if not keys:
            return CellPage(0, 0, show, (), weight=weight)
        matches, chosen = rows.read_rows(show, keys)
        around = [key for key, labels in zip(counted.keys, meanings, strict=True) if labels and query.surrounds(labels)]
        segments = tuple(find_segments(rows.count_segments(query.by, keys, around)))
    return CellPage(total, total if matches is None else matches, show, tuple(chosen), segments, weight)


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
        return sum(rows for labels, rows in self.cells.items() if classify_change(labels) == change)


def count_changed_predictions(
    source: Source, truth: str, before: str, after: str, read: ReadOptions | None = None, **options: object
) -> ChangedPredictions:
    """Count what changed between two systems, row by row: by true label and both predictions."""
    query = ChangeQuery(truth, before, after, "worse", **options)  # type: ignore[arg-type]
    with _open_rows(source, query, (), read or ReadOptions()) as rows:
        counted = rows.count_labels()
    changes: Counter[tuple[str, str, str]] = Counter()
    total = 0
    for labels, count in zip(_decode_counts(counted, query), counted.counts, strict=True):
        if labels is None:
            continue
        total += count
        if labels[1] != labels[2]:
            changes[labels[0], labels[1], labels[2]] += count
    ordered = sorted(changes.items(), key=lambda item: (-item[1], item[0]))
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
                yield FileRows(session, scan, opened_source.format, query)
        elif _is_spark_frame(source):
            weight = () if query.weight is None else (query.weight,)
            yield SparkRows(NumberedFrame.wrap(source, (*query.labels, *weight)), query)
        else:
            yield MemoryRows(find_engine(opened_source, how).rows(opened_source, names, how), query)


def _label_query(query: RowsQuery) -> Query:
    truth, *systems = query.labels
    return Query(truth, tuple(systems), query.weight, clean=query.clean, joint=True)


def _decode_counts(counted: CountedLabels, query: RowsQuery) -> Iterator[tuple[str, ...] | None]:
    """Yield the labels of each combination as the page shows them; None where one is missing."""
    columns = _label_query(query)
    values = [[line[i] for line in counted.values] for i in range(len(query.labels))]
    rows = decode_texts(Rows.from_cells(query.labels, values, [1] * len(counted.values)), counted.spelling)
    (rows,) = unify_dates(unify_whole_numbers([rows], columns, counted.spelling), columns)
    rows = decode_rows(rows, columns)
    for codes in rows.codes.T.tolist():
        labels = tuple(str(known[code]) for known, code in zip(rows.labels, codes, strict=True) if code >= 0)
        yield labels if len(labels) == len(codes) else None


# ── a few rows of each cell ───────────────────────────────────────────────────────────────────────


MAX_ROWS_PER_CELL = 1000
MAX_TEXT = 400
"""Characters of a value that are kept."""

CellRows = dict[tuple[Label, Label], list[SampledRow]]
"""Rows by true and predicted label."""
SampleLine = tuple[int, int | None, tuple[Any, ...]]
"""Rank among the rows of its cell, number where rows have one, and values of a row."""
CellSample = tuple[str, tuple[Any, ...], bool, list[SampleLine]]
"""System, values that identify the cell, whether its rows lack a weight; its rows."""


def sample_rows(
    source: Source, query: Query, show: Sequence[str] | None, limit: int
) -> dict[tuple[Group, str], CellRows]:
    """Return up to ``limit`` random rows of each cell, by group and system, from files or a frame in memory.

    ``show`` names the columns that are kept; None keeps all but the labels, up to a limit.
    """
    how, columns = query.read, replace(query, groups=None, joint=False)
    if show is None:
        present = column_names(source, how, columns.names)
        show = [name for name in present if name not in (columns.truth, *columns.systems)][:MAX_COLUMNS]
    show, format = tuple(dict.fromkeys(show)), ""
    with scratch_folder() as folder:
        files = open_source(source, how, folder)
        if isinstance(files, Files):
            format = files.format
            if format == "ifs":
                raise InputError("tables do not remember their rows; name the rows themselves to keep examples")
            with files.named(), open_session(folder, files.name, how) as session:
                names = tuple(dict.fromkeys((*columns.names, *show)))
                scan = scan_files(session, files, names, how.delimiter, columns.weight)
                cells = list(_sample_files(session, scan, columns, show, limit))
        elif _is_spark_frame(source):
            cells = list(_sample_spark_frame(source, columns, show, limit))
        elif is_frame(source):
            cells = list(_sample_frame(source, columns, show, limit))
        else:
            raise InputError("examples are kept from files and from frames; write the rows to a file first")
    return _group_by_label(cells, columns, show, limit, format)


def sample_labels(
    y_true: LabelsLike, systems: Mapping[str, Any], show: Mapping[str, Any], limit: int, reject: Label | None = None
) -> dict[tuple[Group, str], CellRows]:
    """Return the same for labels in memory, with further values of each sample by name."""
    truth, truth_labels = label_codes(y_true, "truth")
    columns: dict[str, list[Any]] = {}
    for name, values in show.items():
        columns[name] = list(values.tolist() if hasattr(values, "tolist") else values)
        if len(columns[name]) != len(truth):
            raise InputError(
                f"show has {len(columns[name])} values of {name!r} for {len(truth)} labels; give one for each label"
            )
    samples: dict[tuple[Group, str], CellRows] = {}
    for name, predictions in systems.items():
        codes, labels = label_codes(predictions, "system", reject)
        places = np.flatnonzero((truth >= 0) & (codes >= 0))
        cells: CellRows = samples.setdefault(((), name), {})
        for i in places[_choose_rows([truth[places], codes[places]], limit)].tolist():
            values = {column: simplify_value(items[i]) for column, items in columns.items()}
            cells.setdefault((truth_labels[truth[i]], labels[codes[i]]), []).append(SampledRow(i + 1, values))
    return samples


def _sample_frame(source: Any, columns: Query, show: Sequence[str], limit: int) -> Iterator[CellSample]:
    """Yield the rows of each cell of a frame in memory whose numbers have the smallest hashes."""
    names = tuple(dict.fromkeys((*columns.names, *show)))
    values = find_engine(source, columns.read).rows(source, names, columns.read)
    lacks = [False] * len(next(iter(values.values())))
    if columns.weight is not None:
        lacks = [is_missing(value) for value in values[columns.weight]]
    for (system,) in columns.margins:
        coded = [encode_values(values[name], name) for name in columns.keys((system,))]
        codes = [*(column_codes for _, column_codes in coded), np.array(lacks, dtype=np.int64)]
        for i in _choose_rows(codes, limit).tolist():
            key = tuple(None if codes[i] < 0 else labels[codes[i]] for labels, codes in coded)
            row = (int(hash_numbers(np.array([i]))[0]), i + 1, tuple(values[name][i] for name in show))
            yield system, key, lacks[i], [row]


def _choose_rows(codes: Sequence[Ints], limit: int) -> Ints:
    """Return the places of up to ``limit`` random rows of each combination of codes."""
    cell = np.zeros(len(codes[0]), dtype=np.int64)
    for column in codes:
        _, cell = np.unique(cell * (int(column.max(initial=0)) + 2) + column, return_inverse=True)
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
    cells: Sequence[CellSample], columns: Query, show: Sequence[str], limit: int, format: str
) -> dict[tuple[Group, str], CellRows]:
    """Return the rows under the labels that their values mean; cells whose values mean the same are one."""
    by_system = [[cell for cell in cells if cell[0] == system] for system in columns.systems]
    margins = []
    for system, system_cells in zip(columns.systems, by_system, strict=True):
        keys = columns.keys((system,))
        values = [[cell[1][i] for cell in system_cells] for i in range(len(keys))]
        margins.append(decode_texts(Rows.from_cells(keys, values, [1] * len(system_cells)), format))
    margins = unify_dates(unify_whole_numbers(margins, columns, format), columns)
    decode = decode_json if format == "ndjson" else _keep_value
    samples: dict[tuple[Group, str], CellRows] = {}
    for system, system_cells, native in zip(columns.systems, by_system, margins, strict=True):
        rows = decode_rows(native, columns)
        lines_by_label: dict[tuple[Any, ...], list[SampleLine]] = {}
        for codes, (_, _, lacks, lines) in zip(rows.codes.T.tolist(), system_cells, strict=True):
            if not lacks and min(codes) >= 0:
                labels = tuple(known[code] for known, code in zip(rows.labels, codes, strict=True))
                lines_by_label.setdefault(labels, []).extend(lines)
        for (*group, truth, predicted), lines in lines_by_label.items():
            lines.sort(key=lambda line: (line[0], line[1] or 0))
            samples.setdefault((tuple(group), system), {})[truth, predicted] = [
                SampledRow(number, {name: simplify_value(decode(v)) for name, v in zip(show, values, strict=True)})
                for _, number, values in lines[:limit]
            ]
    return samples


def _keep_value(value: Any) -> Any:
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


# ── rows of files ─────────────────────────────────────────────────────────────────────────────────


FEW = 8
"""Combinations of values that are compared one by one; more are joined."""


@dataclass(frozen=True)
class FileRows:
    """An open scan of files."""

    session: Session
    scan: Scan
    format: str
    query: RowsQuery

    def count_labels(self) -> CountedLabels:
        """Count in one pass over the columns that decide."""
        names = self.query.labels
        self._narrow(names)
        fields = ", ".join(self.scan.columns[name] for name in names)
        sums = "NULL" if self.query.weight is None else f"sum({self._weight})"
        statement = (
            f"SELECT {fields}, count(*), {sums} FROM {self.scan.relation} {self._require_weight('WHERE')} "
            f"GROUP BY {', '.join(str(i + 1) for i in range(len(names)))}"
        )
        lines = self.session.rows(statement, **self.scan.values)
        decoders = [self.scan.decoders.get(name, _keep_value) for name in names]
        values = [tuple(decode(value) for decode, value in zip(decoders, line, strict=False)) for line in lines]
        weights = None if self.query.weight is None else [float(line[-1]) for line in lines]
        return CountedLabels([line[:-2] for line in lines], values, [line[-2] for line in lines], weights, self.format)

    def read_rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """Return those with the smallest hashes of their numbers, or with the highest or lowest scores.

        Columns are cheap to read again for the rows that were chosen; text is read once.
        """
        query, scan = self.query, self.scan
        early = list(show) if query.search or not scan.columnar else []  # columns that are read with the labels
        self._narrow((*query.labels, *early, *([query.score] if query.score else [])))
        fields = [f"{scan.columns[name]} AS k{i}" for i, name in enumerate(query.labels)]
        fields += [f"{scan.columns[name]} AS v{i}" for i, name in enumerate(early)]
        score = "NULL" if query.score is None else f"TRY_CAST({scan.columns[query.score]} AS DOUBLE)"
        weight = "0" if query.weight is None else self._weight
        fields += [f"{score} AS score", f"{weight} AS w", f"{scan.row_number} AS r"]
        where, values = _write_condition([f"k{i}" for i in range(len(query.labels))], keys)
        where = f"({where}) AND w IS NOT NULL AND NOT isnan(w)" if query.weight is not None else f"({where})"
        texts = [f"v{i}" for i in range(len(early))]
        if query.search:
            columns_as_text = ", ".join(f"CAST({text} AS VARCHAR)" for text in texts) or "''"
            where += f" AND contains(lower(concat_ws(' ', {columns_as_text})), lower($search))"
            values["search"] = query.search
        matches = "count(*) OVER ()" if query.search else "NULL"
        order = f"score {'DESC' if query.order == 'most confident' else 'ASC'} NULLS LAST"
        if query.order == "random":
            order = f"hash(r + {int(query.seed)} * 1000003)"
        outputs = ", ".join(["r", matches, *([] if scan.columnar else texts)])
        lines = self.session.rows(
            f"SELECT {outputs} FROM (SELECT {', '.join(fields)} FROM {scan.relation}) AS numbered WHERE {where} "
            f"ORDER BY {order}, r LIMIT {int(query.limit)}",
            **scan.values,
            **values,
        )
        rows = {int(line[0]): line[2:] for line in lines}
        if rows and scan.columnar:
            self._narrow((*query.labels, *show))
            numbered = ", ".join([f"{scan.row_number} AS r", *(scan.columns[name] for name in show)])
            statement = f"SELECT {numbered} FROM {scan.relation}"
            if scan.rows_at is None:
                statement = f"SELECT * FROM ({statement}) AS numbered WHERE r IN ({', '.join(map(str, rows))})"
            else:
                statement += f" WHERE {scan.rows_at(list(rows))}"
            for number, *rest in self.session.rows(statement, **scan.values):
                rows[int(number)] = tuple(rest)
        decoders = [scan.decoders.get(name, _keep_value) for name in show]
        decode_text = decode_json if self.format == "ndjson" else _keep_value
        sampled = []
        for number, row in rows.items():
            cells = zip(show, decoders, row, strict=True)
            sampled.append(SampledRow(number, {name: simplify_value(decode_text(back(v))) for name, back, v in cells}))
        return ((lines[0][1] if lines else 0) if query.search else None), sampled

    def count_segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """Count in one pass over the columns that decide and these."""
        if not columns:
            return {}
        names = self.query.labels
        self._narrow((*names, *columns))
        places = [self.scan.columns[name] for name in names]
        inside, values = _write_condition(places, keys, "inside")
        outside, more = _write_condition(places, around, "around")
        fields = [f"CAST({self.scan.columns[name]} AS VARCHAR) AS c{i}" for i, name in enumerate(columns)]
        listed = [f"c{i}" for i in range(len(columns))]
        numbered = (
            f"SELECT {', '.join(fields)}, ({inside}) AS inside FROM {self.scan.relation} WHERE ({outside}) "
            f"{self._require_weight('AND')}"
        )
        statement = (
            f"SELECT {', '.join(listed)}, GROUPING({', '.join(listed)}) AS lacks, count(*) FILTER (inside), count(*) "
            f"AS n FROM ({numbered}) AS rows GROUP BY GROUPING SETS ({', '.join(f'({name})' for name in listed)}) "
            f"QUALIFY row_number() OVER (PARTITION BY lacks ORDER BY n DESC) <= {MAX_SEGMENT_VALUES + 1}"
        )
        segments: dict[str, dict[Any, tuple[int, int]]] = {name: {} for name in columns}
        for *shown, lacks, count, rows in self.session.rows(statement, **self.scan.values, **values, **more):
            i = next(i for i in range(len(columns)) if not lacks >> (len(columns) - 1 - i) & 1)
            segments[columns[i]][shown[i]] = count, rows
        return segments

    @property
    def _weight(self) -> str:
        return f"TRY_CAST({self.scan.columns[str(self.query.weight)]} AS DOUBLE)"

    def _require_weight(self, word: str) -> str:
        """Write the condition that the row has a weight, where rows are weighted."""
        if self.query.weight is None:
            return ""
        return f"{word} {self._weight} IS NOT NULL AND NOT isnan({self._weight})"

    def _narrow(self, names: Sequence[str]) -> None:
        if self.scan.narrow is not None:
            weight = () if self.query.weight is None else (self.query.weight,)
            self.scan.narrow(tuple(dict.fromkeys((*names, *weight))))


def _write_condition(places: Sequence[str], keys: Keys, name: str = "key") -> tuple[str, dict[str, Any]]:
    """Write the condition that the columns have one of some combinations of values, which travel as bound values.

    No combination holds a NULL, which means a missing label everywhere.
    """
    if len(keys) <= FEW:
        values = {f"{name}{i}_{j}": value for i, key in enumerate(keys) for j, value in enumerate(key)}
        parts = [" AND ".join(f"{place} = ${name}{i}_{j}" for j, place in enumerate(places)) for i in range(len(keys))]
        return " OR ".join(f"({part})" for part in parts) or "false", values
    values = {f"{name}_{j}": [key[j] for key in keys] for j in range(len(places))}
    listed = ", ".join(f"unnest(${name}_{j})" for j in range(len(places)))
    return f"({', '.join(places)}) IN (SELECT {listed})", values


def _sample_files(
    session: Session, scan: Scan, columns: Query, show: Sequence[str], limit: int
) -> Iterator[CellSample]:
    """Yield the rows of each cell whose numbers have the smallest hashes.

    Where the engine can skip to rows by their numbers, these are found first, from the labels alone.
    """
    session.run("SET preserve_insertion_order = true")  # a row has the same number in every run
    if scan.rows_at is None:
        yield from _sample_scan(session, scan, columns, show, limit)
        return
    cells = list(_sample_scan(session, scan, columns, (), limit))
    numbers = sorted({int(row[1] or 0) for *_, rows in cells for row in rows})
    shown: dict[int, tuple[Any, ...]] = {}
    if numbers:
        decoders = [scan.decoders.get(name, _keep_value) for name in show]
        fields = ", ".join([f"{scan.row_number} AS r", *(scan.columns[name] for name in show)])
        statement = f"SELECT {fields} FROM {scan.relation} WHERE {scan.rows_at(numbers)}"
        for number, *values in session.rows(statement, **scan.values):
            shown[number] = tuple(decode(value) for decode, value in zip(decoders, values, strict=True))
    for system, key, lacks, rows in cells:
        yield system, key, lacks, [(rank, number, shown[int(number or 0)]) for rank, number, _ in rows]


def _sample_scan(session: Session, scan: Scan, columns: Query, show: Sequence[str], limit: int) -> Iterator[CellSample]:
    """Keep the rows with the smallest hashes of each cell, of text in one pass, of columns one margin at a time."""
    if scan.narrow is not None:
        scan.narrow(tuple(dict.fromkeys((*columns.names, *show))))
    decoders: list[Callable[[Any], Any]] = [scan.decoders.get(name, _keep_value) for name in show]
    weight = None if columns.weight is None else f"CAST({scan.columns[columns.weight]} AS DOUBLE)"
    lacks_weight = "0 AS lacks" if weight is None else f"({weight} IS NULL OR isnan({weight}))::INT AS lacks"
    row = ", ".join(["h := hash(r)", "r := r", *(f"v{i} := v{i}" for i in range(len(show)))])
    margins = columns.margins
    for part in [(margin,) for margin in margins] if scan.columnar else [margins]:
        group_by = GroupBy(columns, part)
        shorts = group_by.names
        fields = [f"{scan.columns[name]} AS {short}" for name, short in shorts.items()]
        fields += [f"{scan.columns[name]} AS v{i}" for i, name in enumerate(show)]
        numbered = f"SELECT {', '.join([*fields, lacks_weight])}, {scan.row_number} AS r FROM {scan.relation}"
        always = [*(shorts[name] for name in (*columns.by, columns.truth)), "lacks"]
        sets = [", ".join([*always, *(shorts[name] for name in margin)]) for margin in part]
        groups, mask = sets[0], "0"
        if len(part) > 1:
            groups = f"GROUPING SETS ({', '.join(f'({keys})' for keys in sets)})"
            mask = f"GROUPING({', '.join(shorts[margin[0]] for margin in part)})"
        by_mask = {group_by.mask(margin) if len(part) > 1 else 0: margin for margin in part}
        places = {margin: [list(shorts).index(name) for name in columns.keys(margin)] for margin in part}
        lines = session.rows(
            f"SELECT {', '.join(shorts.values())}, lacks, arg_min(struct_pack({row}), hash(r), {int(limit)}) AS kept, "
            f"{mask} AS mask FROM ({numbered}) AS numbered GROUP BY {groups}",
            **scan.values,
        )
        for *cell, lacks, kept, line_mask in lines:
            margin = by_mask[line_mask]
            key = tuple(
                scan.decoders.get(name, _keep_value)(cell[place])
                for name, place in zip(columns.keys(margin), places[margin], strict=True)
            )
            rows = []
            for item in kept:
                values = (decode(item[f"v{i}"]) for i, decode in enumerate(decoders))
                rows.append((item["h"], item["r"], tuple(values)))
            yield margin[0], key, bool(lacks), rows


# ── rows of columns in memory ─────────────────────────────────────────────────────────────────────


class MemoryRows:
    """Columns of a frame or a mapping; a combination of values is known by its codes."""

    def __init__(self, columns: Mapping[str, Sequence[Any]], query: RowsQuery) -> None:
        self.columns = columns
        self.query = query
        coded = [encode_values(columns[name], name) for name in query.labels]
        self.values = [[*values, None] for values, _ in coded]  # None for the code −1
        self.codes: list[tuple[int, ...]] = list(zip(*(codes.tolist() for _, codes in coded), strict=True))
        """The codes of the labels of each row."""
        self.weights = None if query.weight is None else columns[query.weight]
        self.places = [i for i in range(len(self.codes)) if self.weights is None or not is_missing(self.weights[i])]
        """The rows that count."""

    def count_labels(self) -> CountedLabels:
        """Count by the codes."""
        counts: Counter[tuple[int, ...]] = Counter(self.codes[i] for i in self.places)
        keys = list(counts)
        values = [tuple(labels[code] for labels, code in zip(self.values, key, strict=True)) for key in keys]
        if self.weights is None:
            return CountedLabels(keys, values, list(counts.values()))
        sums: Counter[tuple[int, ...]] = Counter()
        for i in self.places:
            sums[self.codes[i]] += self.weights[i]
        return CountedLabels(keys, values, list(counts.values()), [float(sums[key]) for key in keys])

    def read_rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """Choose by the smallest hash of their numbers, or by their scores."""
        wanted, query = set(keys), self.query
        places = [i for i in self.places if self.codes[i] in wanted]
        if query.search:
            word, searched = query.search.lower(), [self.columns[name] for name in show]
            texts = (" ".join(str(values[i]) for values in searched if not is_missing(values[i])) for i in places)
            places = [i for i, text in zip(places, texts, strict=True) if word in text.lower()]
        if query.order == "random" or query.score is None:
            ranks: Any = hash_numbers(np.array(places, dtype=np.int64) + query.seed * 1_000_003)
        else:
            sign = -1.0 if query.order == "most confident" else 1.0
            ranks = np.full(len(places), np.inf)
            for rank, i in enumerate(places):
                with suppress(TypeError, ValueError):  # what is no number comes last
                    ranks[rank] = sign * float(self.columns[query.score][i])
            ranks[np.isnan(ranks)] = np.inf
        first = [places[rank] for rank in np.argsort(ranks, kind="stable")[: query.limit].tolist()]
        rows = [SampledRow(i + 1, {name: simplify_value(self.columns[name][i]) for name in show}) for i in first]
        return len(places) if query.search else None, rows

    def count_segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """Count the rows of each value."""
        inside, outside = set(keys), set(around)
        segments: dict[str, dict[Any, tuple[int, int]]] = {column: {} for column in columns}
        for i in self.places:
            if self.codes[i] not in outside:
                continue
            for column, counts in segments.items():
                value = None if is_missing(self.columns[column][i]) else str(self.columns[column][i])
                count, rows = counts.get(value, (0, 0))
                counts[value] = count + (self.codes[i] in inside), rows + 1
        return segments


# ── rows of Spark frames: known by a hash of their contents, for they have no number ──────────────


_PLAIN = ("string", "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "date", "timestamp")
_NOTHING = "\u0000"
"""Stands for a missing value in the hash of a row, so that its place counts."""


def _is_spark_frame(source: object) -> bool:
    """Return True for a frame of Spark, on a cluster or behind Spark Connect."""
    kind = type(source)
    return kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame"


@dataclass(frozen=True)
class NumberedFrame:
    """A Spark frame whose columns are called by their places, so that no name can do harm."""

    frame: Any
    places: Mapping[str, int]
    kinds: Sequence[str]
    functions: Any
    """Spark's functions of columns."""

    @classmethod
    def wrap(cls, source: Any, names: Sequence[str]) -> NumberedFrame:
        """Return the frame, if it has the named columns."""
        from pyspark.sql import functions  # noqa: PLC0415 - the caller has it loaded

        present = list(source.columns)
        pick_columns(names, present, "the Spark frame")
        frame = source.toDF(*(f"c{i}" for i in range(len(present))))
        places = {name: i for i, name in enumerate(present)}
        return cls(frame, places, [kind for _, kind in frame.dtypes], functions)

    def column(self, name: str) -> Any:
        """Return a column as it is."""
        return self.functions.col(f"c{self.places[name]}")

    def text(self, name: str) -> Any:
        """Return a column as text: what tells its values apart."""
        return self.column(name).cast("string")

    def shown(self, names: Sequence[str]) -> list[Any]:
        """Return columns as they are brought here, as v0, v1, …; lists and records come as text."""
        plain = {name for name in names if self.kinds[self.places[name]] in _PLAIN}
        return [
            (self.column(name) if name in plain else self.text(name)).alias(f"v{i}") for i, name in enumerate(names)
        ]

    def number(self, name: str) -> Any:
        """Return a column as a number, and nothing where it is none."""
        return self.functions.expr(f"try_cast(c{self.places[name]} AS DOUBLE)")

    def hash_contents(self, seed: int = 0) -> Any:
        """Hash everything in a row, and a seed."""
        F = self.functions  # noqa: N806 - its usual name
        texts = [F.coalesce(F.col(f"c{i}").cast("string"), F.lit(_NOTHING)) for i in range(len(self.kinds))]
        return F.xxhash64(F.lit(seed), *texts)


def _sample_spark_frame(source: object, columns: Query, show: Sequence[str], limit: int) -> Iterator[CellSample]:
    """Yield a few random rows of each cell and system."""
    from pyspark.sql import Window  # noqa: PLC0415 - the caller has it loaded

    rows = NumberedFrame.wrap(source, tuple(dict.fromkeys((*columns.names, *show))))
    F = rows.functions  # noqa: N806 - its usual name
    for margin in columns.margins:
        names = columns.keys(margin)
        keys = [rows.column(name).alias(f"k{i}") for i, name in enumerate(names)]
        weight = F.lit(0.0) if columns.weight is None else rows.number(columns.weight)
        lacks = (weight.isNull() | F.isnan(weight)).alias("lacks")
        cell = Window.partitionBy("lacks", *(f"k{i}" for i in range(len(names)))).orderBy("h")
        chosen = (
            rows.frame.select(*keys, *rows.shown(show), lacks, rows.hash_contents().alias("h"))
            .withColumn("place", F.row_number().over(cell))
            .filter(F.col("place") <= limit)
            .drop("place")
        )
        values = native_values(chosen, (*names, *show, "lacks", "h"))
        for *line, is_unweighed, rank in zip(*values, strict=True):
            key, shown = tuple(line[: len(names)]), tuple(line[len(names) :])
            yield margin[0], key, bool(is_unweighed), [(rank, None, shown)]


@dataclass(frozen=True)
class SparkRows:
    """A Spark frame that is asked for the rows of a cell; labels are compared by their text."""

    numbered: NumberedFrame
    query: RowsQuery

    @property
    def _usable_rows(self) -> Any:
        """The rows that count, with the texts of their labels as t0, t1, …"""
        F, frame = self.numbered.functions, self.numbered.frame  # noqa: N806 - its usual name
        for i, name in enumerate(self.query.labels):
            frame = frame.withColumn(f"t{i}", self.numbered.text(name))
        if self.query.weight is None:
            return frame.withColumn("w", F.lit(1.0))
        frame = frame.withColumn("w", self.numbered.number(self.query.weight))
        return frame.filter(F.col("w").isNotNull() & ~F.isnan("w"))

    def _write_condition(self, keys: Keys) -> Any:
        """Write the condition that the labels of a row have one of some combinations of texts."""
        F = self.numbered.functions  # noqa: N806 - its usual name
        condition = F.lit(False)
        for key in keys:
            is_key = F.lit(True)
            for i, text in enumerate(key):
                is_key = is_key & (F.col(f"t{i}") == F.lit(text))
            condition = condition | is_key
        return condition

    def count_labels(self) -> CountedLabels:
        """Count in one pass over the columns that decide."""
        F, names = self.numbered.functions, self.query.labels  # noqa: N806 - its usual name
        texts = [F.col(f"t{i}") for i in range(len(names))]
        values = [self.numbered.column(name).alias(f"k{i}") for i, name in enumerate(names)]
        grouped = self._usable_rows.groupBy(*texts, *values).agg(F.count("*").alias("n"), F.sum("w").alias("sum"))
        *labels, counts, sums = native_values(grouped, (*names, *names, "n", "weight"))
        keys = list(zip(*labels[: len(names)], strict=True))
        weights = None if self.query.weight is None else list(sums)
        return CountedLabels(keys, list(zip(*labels[len(names) :], strict=True)), counts, weights)

    def read_rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """Choose by the smallest hash of their contents, or by their scores; equal rows count each."""
        from pyspark.sql import Window  # noqa: PLC0415 - the caller has it loaded

        query, rows = self.query, self.numbered
        F = rows.functions  # noqa: N806 - its usual name
        inside = self._usable_rows.filter(self._write_condition(keys)).withColumn("h", rows.hash_contents(query.seed))
        matches = None
        if query.search:
            texts = F.lower(F.concat_ws(" ", *(rows.text(name) for name in show)))
            inside = inside.filter(texts.contains(F.lower(F.lit(query.search))))
            matches = inside.count()
        equal = Window.partitionBy("h").orderBy(F.lit(0))
        ranked = inside.withColumn("copy", F.row_number().over(equal)).withColumn("rank", F.xxhash64("h", "copy"))
        order = [F.col("rank").asc()]
        if query.order != "random" and query.score is not None:
            score = rows.number(query.score)
            order.insert(0, score.desc_nulls_last() if query.order == "most confident" else score.asc_nulls_last())
        chosen = ranked.orderBy(*order).limit(query.limit).select(F.col("rank"), *rows.shown(show))
        lines = zip(*native_values(chosen, ("rank", *show)), strict=True)
        return matches, [
            SampledRow(None, {name: simplify_value(value) for name, value in zip(show, values, strict=True)})
            for _, *values in lines
        ]

    def count_segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """Count in one pass over the columns that decide and each of these."""
        F = self.numbered.functions  # noqa: N806 - its usual name
        rows = self._usable_rows.filter(self._write_condition(around))
        inside = F.count(F.when(self._write_condition(keys), 1)).alias("inside")
        segments: dict[str, SegmentCounts] = {}
        for column in columns:
            grouped = rows.groupBy(self.numbered.text(column).alias("value")).agg(inside, F.count("*").alias("n"))
            most = grouped.orderBy(F.col("n").desc(), "value").limit(MAX_SEGMENT_VALUES + 1)
            lines = zip(*native_values(most, (column, "inside", "n")), strict=True)
            segments[column] = {value: (count, size) for value, count, size in lines}
        return segments


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
    columns = {name: values for name, values in counts.items() if 1 < len(values) <= MAX_SEGMENT_VALUES}
    level = 1 - (1 - SURE) / max(sum(map(len, columns.values())), 1)
    for name, values in columns.items():
        cell_rows, class_rows = (sum(pair[i] for pair in values.values()) for i in (0, 1))
        for value, (count, rows) in values.items():
            others, other_rows = cell_rows - count, class_rows - rows
            if count * other_rows <= others * rows:
                continue
            probability = _compare_rates((count, rows), (others, other_rows))
            if probability >= level:
                shown = "(missing)" if value is None else str(value)
                yield CellSegment(name, shown, count, rows, others / other_rows if other_rows else 0.0, probability)


def _compare_rates(here: tuple[int, int], elsewhere: tuple[int, int]) -> float:
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
