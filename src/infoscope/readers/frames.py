"""The engine of what is in memory: mappings of columns, pandas, polars, Arrow, and lazy frames of Dask, Ibis and Spark.

Columns in memory are coded one by one. Frames are counted where they are by one narwhals expression for all libraries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from itertools import chain
from numbers import Number
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeGuard

import lazy_loader
import numpy as np

from infoscope.errors import InfoscopeError, InputError, check_interrupted
from infoscope.readers.files import Files
from infoscope.readers.labels import decode_time
from infoscope.readers.progress import show_progress
from infoscope.readers.query import Query, ReadOptions, pick_columns
from infoscope.tables.encoding import check_pairing, encode, one_column
from infoscope.tables.labels import Label, is_missing
from infoscope.tables.rows import Ints, Rows, encode_values
from infoscope.typing import Frame, LabelsLike

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa
else:
    nw = lazy_loader.load("narwhals")  # only for frames


class FrameEngine:
    """Count what the caller hands over; it is neither copied nor changed."""

    name = "frames"

    def accepts(self, source: Any, read: ReadOptions) -> bool:  # noqa: ARG002 - an engine's signature
        """Return True for mappings of columns, frames of any kind and record batches of Arrow."""
        return isinstance(source, Mapping) or is_record_batches(source) or is_frame(source)

    def schema(self, source: Any, read: ReadOptions, known: Collection[str] = ()) -> dict[str, str]:  # noqa: ARG002
        """Return the types of the columns."""
        if is_record_batches(source):
            return {field.name: str(field.type) for field in source.schema}
        if is_frame(source):
            return {name: str(kind) for name, kind in open_frame(source).collect_schema().items()}
        return {str(name): type(values).__name__ for name, values in source.items()}

    def count(self, source: Any, query: Query) -> list[Rows]:
        """Count rows: record batches one after another, columns by their codes, frames by their own library."""
        if is_record_batches(source):
            return _count_batches(source, query)
        return count_frame(source, query) if is_frame(source) else _count_columns(source, query)

    def rows(self, source: Any, names: Sequence[str], read: ReadOptions) -> dict[str, list[Any]]:  # noqa: ARG002
        """Return the values of some columns; a lazy frame is collected for them."""
        if not is_frame(source):
            return _list_columns(source, names)
        source = _keep_columns(source, names)
        frame: Any = _wrap(source)
        if frame.implementation.name in (*_SPARK, "DASK", "IBIS"):
            raise InputError("rows are shown of files, frames in memory and Spark; write the rows to a file first")
        title = f"the {frame.implementation} frame".lower()
        with _explain_foreign(title):
            columns = _find_columns(frame, names, title)
            wanted = [columns[name].alias(f"k{i}") for i, name in enumerate(names)]
            (values,) = _collect([columns.frame.select(*wanted)])
        return {name: _list_values(values[f"k{i}"], name) for i, name in enumerate(names)}


# ── columns in memory by their names ──────────────────────────────────────────────────────────────


def is_column_mapping(source: object) -> TypeGuard[Mapping[str, Any]]:
    """Return True if a source maps names to columns, and is no frame that has a way of its own."""
    return isinstance(source, Mapping) and not hasattr(source, "columns")


def _list_columns(source: Mapping[str, Any], names: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values of some columns, as many of each."""
    pick_columns(names, list(source), "the mapping")
    columns: dict[str, list[Any]] = {}
    for name in names:
        column: Any = one_column(source[name], name)
        listed = getattr(column, "tolist", None) or getattr(column, "to_pylist", None)
        columns[name] = list(column if listed is None else listed())
    _check_lengths({name: len(values) for name, values in columns.items()}, names[0])
    return columns


def _check_lengths(sizes: Mapping[str, int], first: str) -> None:
    other = next((name for name, size in sizes.items() if size != sizes[first]), None)
    if other is not None:
        raise InputError(f"{first!r} has {sizes[first]} rows and {other!r} has {sizes[other]}; rows pair by position")


def _count_columns(source: Mapping[str, Any], query: Query) -> list[Rows]:
    """Count columns by their codes."""
    pick_columns(query.names, list(source), "the mapping")
    first, *others = query.names
    check_pairing(source[first], {name: source[name] for name in others}, first)
    coded: dict[str, tuple[Ints, Sequence[Any]]] = {}
    for name in query.names:
        if name == query.weight:
            continue
        column: Any = one_column(source[name], name)
        if isinstance(column, (list, tuple)) or str(getattr(column, "dtype", "")) == "object":
            labels, codes = encode_values(list(column), name)  # keeps apart what only a reject label may mix
            coded[name] = codes, labels
        else:
            coded[name] = label_codes(column, name)
    sizes = {name: len(codes) for name, (codes, _) in coded.items()}
    weights = None
    if query.weight is not None:
        column = one_column(source[query.weight], query.weight)
        plain = column.tolist() if hasattr(column, "tolist") else list(column)
        try:
            weights = np.array([np.nan if value is None else value for value in plain], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{query.weight!r} holds something else than numbers ({error}); weights are numbers"
            ) from error
        sizes[query.weight] = len(weights)
    _check_lengths(sizes, first)
    margins = []
    for margin in query.margins:
        names = query.keys(margin)
        dictionaries = {name: coded[name][1] for name in names}
        codes = np.array([coded[name][0] for name in names], dtype=np.int64).reshape(len(names), -1)
        if weights is None:
            rows = Rows.from_codes(dictionaries, codes)
        else:
            rows = Rows.from_coded_cells(
                names,
                list(dictionaries.values()),
                list(codes),
                np.ones(codes.shape[1], np.int64),
                weights=weights,
                squares=weights**2,
                least=weights,
                lacks=np.isnan(weights),
            ).merge()
        margins.append(rows.in_order())
    return margins


def label_codes(values: LabelsLike, side: str, reject: Label | None = None) -> tuple[Ints, Sequence[Label]]:
    """Return codes from 0 with their labels; -1 where there is none."""
    coded = encode(values, side, reject)
    codes = np.asarray(coded.codes, dtype=np.int64)
    if coded.labels is not None:
        return (codes if coded.missing is None else np.where(codes == coded.missing, -1, codes)), coded.labels
    if coded.missing is None:  # the codes are the labels
        numbers, places = np.unique(codes, return_inverse=True)
        return places, numbers.tolist()
    is_present = codes != coded.missing
    numbers, places = np.unique(codes[is_present], return_inverse=True)
    full = np.full(codes.shape, -1, dtype=np.int64)
    full[is_present] = places
    return full, numbers.tolist()


# ── record batches of Arrow ───────────────────────────────────────────────────────────────────────


def is_record_batches(source: object) -> TypeGuard[pa.RecordBatchReader]:
    """Return True for a record batch of Arrow, or a reader that gives them once."""
    kind = type(source)
    return kind.__module__.partition(".")[0] == "pyarrow" and kind.__name__.startswith("RecordBatch")


def _count_batches(source: pa.RecordBatchReader, query: Query) -> list[Rows]:
    """Count a record batch, or all that a reader gives, one after the other."""
    import pyarrow as pa  # noqa: PLC0415 - the caller has it loaded

    empty = pa.RecordBatch.from_pylist([], source.schema)
    parts = []
    with show_progress("counting the record batches"):
        for batch in chain([empty], [source] if isinstance(source, pa.RecordBatch) else source):
            try:
                batch.validate(full=True)  # offsets and codes of a batch that was read from a file may point elsewhere
            except pa.ArrowInvalid as error:
                raise InputError(f"a record batch is damaged ({str(error).splitlines()[0]}); write it again") from error
            parts.append(count_frame(pa.Table.from_batches([batch]), query))
    return add_parts(parts)


def add_parts(parts: Sequence[Sequence[Rows]]) -> list[Rows]:
    """Add up what several parts of a source gave for each margin."""
    return [Rows.concatenate(margin).merge() for margin in zip(*parts, strict=True)]


# ── frames ────────────────────────────────────────────────────────────────────────────────────────


_REREAD = ("DUCKDB", "POLARS")
"""Lazy frames for which several group-bys cost less than one over stacked systems."""
_SPARK = ("PYSPARK", "PYSPARK_CONNECT")
_NEVER_FRAMES = (str, bytes, PathLike, list, tuple, dict, Files)
"""Types that are known to be none without asking narwhals, which takes time to load."""


@dataclass(frozen=True)
class _Columns:
    """A frame, and under which name its expressions know each column that the caller names."""

    frame: Any
    places: Mapping[str, str]
    schema: nw.Schema

    def __getitem__(self, name: str) -> nw.Expr:
        return nw.col(self.places[name])

    def kind(self, name: str) -> Any:
        return self.schema[self.places[name]]

    def weight(self, query: Query) -> list[nw.Expr]:
        """Return the column of weights as ``w``, where there is one."""
        return [] if query.weight is None else [self[query.weight].cast(nw.Float64).alias("w")]


def is_frame(source: object) -> TypeGuard[Frame]:
    """Return True for a dataframe or lazy frame of any kind that narwhals knows."""
    return not isinstance(source, _NEVER_FRAMES) and isinstance(_wrap(source), (nw.DataFrame, nw.LazyFrame))


def open_frame(source: Frame) -> Any:
    """Return a frame as narwhals has it; one in which two columns have a name in common is rejected."""
    try:
        frame: Any = nw.from_native(source)
        names = _list_names(frame)
    except nw.exceptions.DuplicateError:
        names = ["", ""]
    if len(set(names)) < len(names):
        raise InputError("two columns of the frame have the same name; rename one of them")
    return frame


def _list_names(frame: Any) -> list[str]:
    """Return the names of all columns, those that are there twice as well, which schemas of some frames hide."""
    hides = frame.implementation.name in (*_SPARK, "DUCKDB")
    return list(frame.to_native().columns) if hides else list(frame.collect_schema().names())


def frame_names(source: Frame) -> tuple[str, ...]:
    """Return the columns of a frame."""
    return tuple(open_frame(source).collect_schema().names())


def is_eager_frame(source: object) -> bool:
    """Return True for a dataframe whose rows are in memory, in an order."""
    return not isinstance(source, _NEVER_FRAMES) and isinstance(_wrap(source), nw.DataFrame)


def _wrap(source: Any) -> Any:
    try:
        return nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError:  # which matters only for columns that are read
        return nw.from_native(source.iloc[:, :0] if hasattr(source, "iloc") else source.select([]), pass_through=True)


def count_frame(source: Frame, query: Query) -> list[Rows]:
    """Count the rows of a frame by its own library; Dask counts each partition where it lies."""
    source = _keep_columns(source, query.names)
    frame: Any = _wrap(source)
    _reject_corrupting(frame, query.names)
    title = f"the {frame.implementation} frame".lower()
    with _explain_foreign(title):
        columns = _find_columns(frame, query.names, title)
    if query.weight is not None and not ((kind := columns.kind(query.weight)).is_numeric() or kind == nw.Boolean):
        raise InputError(f"{title} has {query.weight!r} as {kind}; weights are numbers")
    if frame.implementation is nw.Implementation.DASK:
        return _count_partitions(source, query)
    with show_progress(f"counting {title}"):
        if frame.implementation is nw.Implementation.PANDAS:
            return _count_pandas(source, query)
        if not isinstance(frame, nw.LazyFrame):
            return _count_margins(columns, query, query.margins)
        with _explain_foreign(title):
            if len(query.margins) > 1 and frame.implementation.name not in _REREAD:
                return _count_unpivoted(columns, query)
            return _count_margins(columns, query, query.margins)


def _keep_columns(source: Any, names: Sequence[str]) -> Any:
    """Return the named columns of a frame in memory whose other columns could do harm: names twice, dictionaries."""
    module = type(source).__module__.partition(".")[0]
    if module == "pandas":
        pick_columns(names, list(source.columns), "the pandas frame")
        return source[list(names)]
    if module == "pyarrow":
        pick_columns(names, source.schema.names, "the pyarrow frame")
        return source.select(list(names)).unify_dictionaries()
    return source


def _reject_corrupting(frame: Any, names: Sequence[str]) -> None:
    """Reject Ibis on Spark, whose answers lose digits in pandas, and names that Ibis asks DuckDB for by any case."""
    if frame.implementation is nw.Implementation.IBIS:
        backend = frame.to_native().get_backend().name
        if backend == "pyspark":
            raise InputError(
                "an Ibis table on Spark merges labels on its way back (2**53 and 2**53 + 1 become "
                "one, NaN becomes missing); hand over the Spark frame itself"
            )
        twins = [(a, b) for a in names for b in frame.columns if a != b and a.casefold() == b.casefold()]
        if backend == "duckdb" and twins:
            raise InputError("an Ibis table on DuckDB takes {!r} and {!r} for one column; rename one".format(*twins[0]))


def _find_columns(frame: Any, names: Sequence[str], title: str) -> _Columns:
    """Return the named columns: by place where expressions of a frame read dots, stars or backticks their own way."""
    native, kind, present = frame.to_native(), frame.implementation, _list_names(frame)
    pick_columns(names, present, title)
    numbers = [f"c{i}" for i in range(len(present))]
    if kind.name in _SPARK:
        native = native.toDF(*numbers)
    elif kind is nw.Implementation.DUCKDB:
        native = native.project(", ".join(f"#{i} AS {number}" for i, number in enumerate(numbers, 1)))
    elif kind is nw.Implementation.POLARS:
        native = native.rename(dict(zip(present, numbers, strict=True)))
    else:
        return _Columns(frame, {name: name for name in names}, frame.collect_schema())
    frame = nw.from_native(native)
    return _Columns(frame, {name: numbers[present.index(name)] for name in names}, frame.collect_schema())


def _count_pandas(source: Any, query: Query) -> list[Rows]:
    """Count a pandas frame; its object columns are grouped by code, for grouping would retype them."""
    import pandas  # noqa: PLC0415 - the caller has it loaded

    frame = source[list(query.names)].copy(deep=False)
    values: dict[str, Any] = {}
    for name in query.names:
        if source[name].dtype != object or name == query.weight:
            continue
        kinds = set(map(type, source[name]))
        truth_values = {kind for kind in kinds if issubclass(kind, (bool, np.bool_))}
        if truth_values and any(issubclass(kind, Number) for kind in kinds - truth_values):  # True == 1, as one code
            values[name], frame[name] = encode_values(source[name], name)
            continue
        try:
            frame[name], values[name] = pandas.factorize(source[name])
        except TypeError:
            encode_values(source[name], name)
            raise
    columns = _find_columns(nw.from_native(frame, eager_only=True), query.names, "the pandas frame")
    return [
        rows.relabel(
            {
                name: [None if code < 0 else known[code] for code in rows.dictionaries[name]]
                for name, known in values.items()
                if name in rows.names
            }
        )
        for rows in _count_margins(columns, query, query.margins)
    ]


def _count_margins(columns: _Columns, query: Query, margins: Sequence[tuple[str, ...]]) -> list[Rows]:
    grouped = []
    for margin in margins:
        keys = [columns[name].alias(f"k{i}") for i, name in enumerate(query.keys(margin))]
        rows = columns.frame.select(*keys, *columns.weight(query))
        grouped.append(_group(rows, [f"k{i}" for i in range(len(keys))], query))
    return [
        _take_cells(cells, query.keys(margin), [f"k{i}" for i in range(len(query.keys(margin)))])
        for cells, margin in zip(_collect(grouped), margins, strict=True)
    ]


def _group(rows: Any, keys: Sequence[str], query: Query) -> Any:
    """Group rows by their keys: how many there are, and what they weigh."""
    if query.weight is None:
        return rows.group_by(*keys, drop_null_keys=False).agg(nw.len().alias("n"))
    lacks = nw.col("w").is_null() | nw.col("w").is_nan()
    rows = rows.with_columns(lacks.fill_null(True).alias("lacks"), (nw.col("w") * nw.col("w")).alias("square"))
    return rows.group_by(*keys, "lacks", drop_null_keys=False).agg(
        nw.len().alias("n"), nw.col("w").sum().alias("total"), nw.col("square").sum(), nw.col("w").min().alias("least")
    )


def _collect(frames: Sequence[Any]) -> list[nw.DataFrame[Any]]:
    """Return eager results; lazy polars frames share one streaming pass."""
    if not isinstance(frames[0], nw.LazyFrame):
        return list(frames)
    implementation: Any = frames[0].implementation
    with _explain_foreign(f"the {implementation} frame".lower()):
        if implementation is nw.Implementation.POLARS:
            import polars  # noqa: PLC0415 - the caller has it loaded

            known = signature(polars.collect_all).parameters
            streaming: Any = {"engine": "streaming"} if "engine" in known else {"streaming": True}  # before 1.25
            native = polars.collect_all([frame.to_native() for frame in frames], **streaming)
            return [nw.from_native(cells, eager_only=True) for cells in native]
        return [frame.collect() for frame in frames]


@contextmanager
def _explain_foreign(title: str) -> Iterator[None]:
    """Re-raise whatever the code of a lazy frame raises as InputError."""
    try:
        yield
    except InfoscopeError:
        raise
    except Exception as error:
        check_interrupted(error)
        reason = (str(error).strip().splitlines() or ["no reason given"])[0][:300]
        raise InputError(f"{title} failed while it was read: {reason} ({type(error).__name__})") from error


def _count_unpivoted(columns: _Columns, query: Query) -> list[Rows]:
    """Count several systems of a lazy frame in one pass for each type that their columns have."""
    by_type: dict[str, list[tuple[str, ...]]] = {}
    for margin in query.margins:
        by_type.setdefault(str(columns.kind(margin[0])), []).append(margin)
    counted: dict[tuple[str, ...], Rows] = {}
    for margins in by_type.values():
        if len(margins) == 1:
            counted[margins[0]] = _count_margins(columns, query, margins)[0]
            continue
        index = {name: f"k{i}" for i, name in enumerate((*query.by, query.truth))}
        stacked = {margin[0]: f"s{i}" for i, margin in enumerate(margins)}
        weight = columns.weight(query)
        wide = columns.frame.select(*(columns[name].alias(key) for name, key in (index | stacked).items()), *weight)
        stay = [*index.values(), *(["w"] if weight else [])]
        long = wide.unpivot(on=list(stacked.values()), index=stay, variable_name="which", value_name="label")
        keys = [f"c{i}" for i in range(len(index) + 2)]
        named = zip((*index.values(), "label", "which"), keys, strict=True)
        rows = long.select(*(nw.col(old).alias(new) for old, new in named), *([nw.col("w")] if weight else []))
        cells = _collect([_group(rows, keys, query)])[0]
        for margin in margins:
            mine = cells.filter(nw.col(keys[-1]) == stacked[margin[0]])
            counted[margin] = _take_cells(mine, query.keys(margin), keys[:-1])
    return [counted[margin] for margin in query.margins]


def _take_cells(cells: nw.DataFrame[Any], names: tuple[str, ...], keys: Sequence[str]) -> Rows:
    weighted: dict[str, Any] = {}
    if "total" in cells.columns:
        weighted = {
            field: np.array(
                [x if type(x) is float else np.nan if is_missing(x) else x for x in cells[name].to_list()], np.float64
            )
            for field, name in (("weights", "total"), ("squares", "square"), ("least", "least"))
        }
        weighted["lacks"] = np.array(cells["lacks"].to_list(), dtype=bool)
    values = [_list_values(cells[key], name) for key, name in zip(keys, names, strict=True)]
    return Rows.from_cells(names, values, cells["n"].to_list(), **weighted)


def _list_values(column: nw.Series[Any], name: str) -> list[Any]:
    """Return native values; a moment that a list would round, or whose zone has an hour twice, is made plain first."""
    kind = column.dtype
    if not isinstance(kind, nw.Datetime):
        return column.to_list()
    if kind.time_unit == "ns":  # before a list is made, which pyarrow rejects where pandas is missing
        for count in column.dt.timestamp("ns").to_list():
            if not is_missing(count) and count % 1000:
                decode_time(np.datetime64(int(count), "ns"), name)
    return [None if is_missing(value) else decode_time(value, name) for value in column.to_list()]


def native_values(frame: Any, names: Sequence[str]) -> list[list[Any]]:
    """Return every value of a lazy frame, column by column, as labels are read; ``names`` are for messages."""
    with _explain_foreign(f"the {nw.from_native(frame).implementation} frame".lower()):
        (values,) = _collect([nw.from_native(frame)])
    return [_list_values(values[column], name) for column, name in zip(values.columns, names, strict=True)]


def _count_partitions(source: Any, query: Query) -> list[Rows]:
    """Count each partition of a Dask frame where it lies; the counts are added eight at a time."""
    import dask  # noqa: PLC0415 - the caller has it loaded

    wanted = source[list(query.names)]
    parts = [dask.delayed(count_frame)(part, query) for part in wanted.to_delayed()]
    while len(parts) > 1:
        parts = [dask.delayed(add_parts)(parts[i : i + 8]) for i in range(0, len(parts), 8)]
    with show_progress("counting the dask frame"), _explain_foreign("the dask frame"):
        (margins,) = dask.compute(parts[0])
    return margins
