"""Columns and frames that the caller hands over: mappings of columns, pandas, polars, Arrow, Dask, Ibis and Spark.

Columns in memory are coded one by one. Frames are counted where they are by one narwhals expression for all libraries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from inspect import signature
from itertools import chain
from math import prod
from numbers import Number
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import lazy_loader
import numpy as np

from infoscope.errors import InfoscopeError, InputError, check_interrupted
from infoscope.readers.decode import Floats, Ints, Tally, encode, merged, summed
from infoscope.readers.duckdb import Margins
from infoscope.readers.files import Files
from infoscope.readers.labels import moment
from infoscope.readers.progress import shown_while
from infoscope.readers.query import Columns, pick_columns
from infoscope.tables.encoding import check_pairing, one_column
from infoscope.tables.encoding import encode as encode_labels
from infoscope.tables.labels import Label, is_missing
from infoscope.typing import Frame, LabelsLike

if TYPE_CHECKING:
    import narwhals as nw
    import pyarrow as pa
else:
    nw = lazy_loader.load("narwhals")  # only for frames


# ── columns in memory by their names ──────────────────────────────────────────────────────────────


_LARGEST_KEY = 1 << 62


def is_column_mapping(source: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a source maps names to columns, and is no frame that has a way of its own."""
    return isinstance(source, Mapping) and not hasattr(source, "columns")


def column_lists(source: Mapping[str, Any], names: Sequence[str]) -> dict[str, list[Any]]:
    """The values of some columns, as many of each."""
    pick_columns(names, list(source), "the mapping")
    found: dict[str, list[Any]] = {}
    for name in names:
        column: Any = one_column(source[name], name)
        listed = getattr(column, "tolist", None) or getattr(column, "to_pylist", None)
        found[name] = list(column if listed is None else listed())
    other = next((name for name in names if len(found[name]) != len(found[names[0]])), None)
    if other is not None:
        raise InputError(
            f"{names[0]!r} has {len(found[names[0]])} rows and {other!r} has {len(found[other])}; rows pair by position"
        )
    return found


def count_columns(source: Mapping[str, Any], columns: Columns) -> list[Tally]:
    """One tally for each margin."""
    pick_columns(columns.names, list(source), "the mapping")
    first, *others = columns.names
    check_pairing(source[first], {name: source[name] for name in others}, first)
    coded = {name: _coded(source[name], name) for name in columns.names if name != columns.weight}
    weights = None if columns.weight is None else _numbers(source[columns.weight], columns.weight)
    sizes = {name: len(codes) for name, (codes, _) in coded.items()}
    sizes |= {} if weights is None or columns.weight is None else {columns.weight: len(weights)}
    other = next((name for name in sizes if sizes[name] != sizes[first]), None)
    if other is not None:
        raise InputError(f"{first!r} has {sizes[first]} rows and {other!r} has {sizes[other]}; rows pair by position")
    return [_column_tally(columns.keys(margin), coded, weights) for margin in columns.margins]


def _coded(values: Any, name: str) -> tuple[Ints, Sequence[Any]]:
    """Places of labels, and the labels; a missing one is None among them."""
    column: Any = one_column(values, name)
    if isinstance(column, (list, tuple)) or str(getattr(column, "dtype", "")) == "object":
        labels, codes = encode(list(column), name)  # keeps apart what only a reject label may mix
        return codes, labels
    codes, known = label_codes(column, name)
    return np.where(codes < 0, len(known), codes), [*known, None]


def label_codes(values: LabelsLike, side: str, reject: Label | None = None) -> tuple[Ints, Sequence[Label]]:
    """Codes from 0 with their labels; -1 where there is none."""
    coded = encode_labels(values, side, reject)
    codes = np.asarray(coded.codes, dtype=np.int64)
    present = np.ones(codes.shape, dtype=bool) if coded.missing is None else codes != coded.missing
    if coded.labels is not None:
        return np.where(present, codes, -1), coded.labels
    numbers, places = np.unique(codes[present], return_inverse=True)
    full = np.full(codes.shape, -1, dtype=np.int64)
    full[present] = places
    return full, numbers.tolist()


def _numbers(values: Any, name: str) -> Floats:
    column: Any = one_column(values, name)
    plain = column.tolist() if hasattr(column, "tolist") else list(column)
    try:
        return np.array([np.nan if value is None else value for value in plain], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name!r} holds something else than numbers ({error}); weights are numbers") from error


def _column_tally(
    keys: tuple[str, ...], coded: Mapping[str, tuple[Ints, Sequence[Any]]], weights: Floats | None
) -> Tally:
    labels = tuple(coded[key][1] for key in keys)
    codes = np.array([coded[key][0] for key in keys], dtype=np.int64).reshape(len(keys), -1)
    once = np.ones(codes.shape[1], np.int64)
    if weights is not None:
        return summed(Tally(keys, labels, codes, once, weights, weights**2, weights, np.isnan(weights)))
    sizes = [max(len(each), 1) for each in labels]
    if prod(sizes) > _LARGEST_KEY:
        return summed(Tally(keys, labels, codes, once))
    cells, rows = np.unique(np.ravel_multi_index(tuple(codes), tuple(sizes)), return_counts=True)
    return Tally(keys, labels, np.array(np.unravel_index(cells, tuple(sizes)), dtype=np.int64), rows.astype(np.int64))


# ── frames ────────────────────────────────────────────────────────────────────────────────────────


WrappedFrame: TypeAlias = "nw.DataFrame[Any] | nw.LazyFrame[Any]"

_REREAD = ("DUCKDB", "POLARS")
"""Lazy frames for which several group-bys cost less than one over stacked systems."""

_SPARK = ("PYSPARK", "PYSPARK_CONNECT")


@dataclass(frozen=True)
class _Rows:
    """A frame, and under which name its expressions know each column that the caller names."""

    frame: Any
    places: Mapping[str, str]
    schema: nw.Schema

    def column(self, name: str) -> nw.Expr:
        return nw.col(self.places[name])

    def kind(self, name: str) -> Any:
        return self.schema[self.places[name]]

    def weight(self, columns: Columns) -> nw.Expr | None:
        return None if columns.weight is None else self.column(columns.weight).cast(nw.Float64)


def is_frame(source: object) -> TypeGuard[Frame]:
    """Whether a source is a dataframe or lazy frame of any kind that narwhals knows."""
    return not isinstance(source, _NEVER_FRAMES) and isinstance(_opened(source), (nw.DataFrame, nw.LazyFrame))


def is_eager_frame(source: object) -> bool:
    """Whether a source is a dataframe whose rows are in memory, in an order."""
    return not isinstance(source, _NEVER_FRAMES) and isinstance(_opened(source), nw.DataFrame)


_NEVER_FRAMES = (str, bytes, PathLike, list, tuple, dict, Files)
"""What is known to be none without asking narwhals, which takes time to load."""


def _opened(source: Any) -> Any:
    try:
        return nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError:  # which matters only for columns that are read
        return nw.from_native(source.iloc[:, :0] if hasattr(source, "iloc") else source.select([]), pass_through=True)


def frame_names(source: Frame) -> tuple[str, ...]:
    """The columns of a frame."""
    frame: Any = nw.from_native(source)
    return tuple(frame.collect_schema().names())


def is_record_batches(source: object) -> TypeGuard[pa.RecordBatchReader]:
    """Whether a source is a record batch of Arrow, or a reader that gives them once."""
    kind = type(source)
    return kind.__module__.partition(".")[0] == "pyarrow" and kind.__name__.startswith("RecordBatch")


def count_batches(source: pa.RecordBatchReader, columns: Columns) -> list[Tally]:
    """One tally for each margin of a record batch, or of all that a reader gives, one after the other."""
    import pyarrow as pa  # noqa: PLC0415 - the caller has it loaded

    empty = pa.RecordBatch.from_pylist([], source.schema)
    batches = [source] if isinstance(source, pa.RecordBatch) else source
    with shown_while("counting the record batches"):
        parts = [count_frame(pa.Table.from_batches([_checked(batch)]), columns) for batch in chain([empty], batches)]
    return _merge_lists(parts)


def _checked(batch: Any) -> Any:
    """A record batch whose offsets and codes point inside it: one that was read from a file may lie."""
    import pyarrow as pa  # noqa: PLC0415 - the caller has it loaded

    try:
        batch.validate(full=True)
    except pa.ArrowInvalid as error:
        raise InputError(f"a record batch is damaged ({str(error).splitlines()[0]}); write it again") from error
    return batch


def _narrowed(source: Any, columns: Columns) -> Any:
    """The asked columns of a frame in memory whose other columns could do harm: names twice, many dictionaries."""
    module = type(source).__module__.partition(".")[0]
    names = list(columns.names)
    if module == "pandas":
        pick_columns(names, list(source.columns), "the pandas frame")
        return source[names]
    if module == "pyarrow":
        pick_columns(names, source.schema.names, "the pyarrow frame")
        return source.select(names).unify_dictionaries()
    return source


def count_frame(source: Frame, columns: Columns) -> list[Tally]:
    """One tally for each margin of a frame; the frame is neither copied nor changed."""
    source = _narrowed(source, columns)
    frame: Any = _opened(source)
    _reject_corrupting(frame, columns)
    name = f"the {frame.implementation} frame".lower()
    with _foreign(name):
        rows = _rows(frame, columns, name)
    if columns.weight is not None and not ((kind := rows.kind(columns.weight)).is_numeric() or kind == nw.Boolean):
        raise InputError(f"{name} has {columns.weight!r} as {kind}; weights are numbers")
    if frame.implementation is nw.Implementation.DASK:
        return _count_partitions(source, columns)
    with shown_while(f"counting {name}"):
        if frame.implementation is nw.Implementation.PANDAS:
            return _count_pandas(source, columns)
        if not isinstance(frame, nw.LazyFrame):
            return _count_margins(rows, columns, columns.margins)
        with _foreign(name):
            if len(columns.margins) > 1 and frame.implementation.name not in _REREAD:
                return _count_unpivoted(rows, columns)
            return _count_margins(rows, columns, columns.margins)


def frame_columns(source: Frame, names: Sequence[str]) -> dict[str, list[Any]]:
    """Native values of some columns of a frame, all rows of it; a lazy one is collected for them."""
    columns = Columns(names[0], tuple(names[1:]))
    frame: Any = _opened(_narrowed(source, columns))
    if frame.implementation.name in (*_SPARK, "DASK", "IBIS"):
        raise InputError("rows are shown of files, frames in memory and Spark; write the rows to a file first")
    name = f"the {frame.implementation} frame".lower()
    with _foreign(name):
        rows = _rows(frame, columns, name)
        (found,) = _collected([rows.frame.select(*(rows.column(own).alias(f"k{i}") for i, own in enumerate(names)))])
    return {own: _values(found[f"k{i}"], own) for i, own in enumerate(names)}


def native_values(frame: Any, names: Sequence[str]) -> list[list[Any]]:
    """Every value of a lazy frame, column by column, as labels are read; ``names`` are for messages."""
    with _foreign(f"the {nw.from_native(frame).implementation} frame".lower()):
        (found,) = _collected([nw.from_native(frame)])
    return [_values(found[column], name) for column, name in zip(found.columns, names, strict=True)]


def _rows(frame: Any, columns: Columns, name: str) -> _Rows:
    """The asked columns of a frame: by place where its expressions read dots, stars or backticks their own way."""
    native, kind = frame.to_native(), frame.implementation
    hides = kind.name in (*_SPARK, "DUCKDB")  # names that are there twice, in its schema
    present = list(native.columns) if hides else frame.collect_schema().names()
    pick_columns(columns.names, present, name)
    numbers = [f"c{i}" for i in range(len(present))]
    if kind.name in _SPARK:
        native = native.toDF(*numbers)
    elif kind is nw.Implementation.DUCKDB:
        native = native.project(", ".join(f"#{i} AS {number}" for i, number in enumerate(numbers, 1)))
    elif kind is nw.Implementation.POLARS:
        native = native.rename(dict(zip(present, numbers, strict=True)))
    else:
        return _Rows(frame, {own: own for own in columns.names}, frame.collect_schema())
    frame = nw.from_native(native)
    return _Rows(frame, {own: numbers[present.index(own)] for own in columns.names}, frame.collect_schema())


def _count_pandas(source: Any, columns: Columns) -> list[Tally]:
    """A pandas frame; its object columns are grouped by code, for grouping would retype them."""
    import pandas  # noqa: PLC0415 - the caller has it loaded

    objects = [name for name in columns.names if source[name].dtype == object and name != columns.weight]
    values: dict[str, Any] = {}
    coded = {}
    for name in objects:
        if _mixes_truth(set(map(type, source[name]))):  # True == 1 would be one code
            values[name], coded[name] = encode(source[name], name)
            continue
        try:
            coded[name], values[name] = pandas.factorize(source[name])
        except TypeError:
            encode(source[name], name)
            raise
    frame = source[list(columns.names)].copy(deep=False)
    for name, codes in coded.items():
        frame[name] = codes
    rows = _rows(nw.from_native(frame, eager_only=True), columns, "the pandas frame")
    tallies = _count_margins(rows, columns, columns.margins)
    for name in objects:
        tallies = [tally.mapped(name, partial(_at, values[name])) for tally in tallies]
    return tallies


def _mixes_truth(kinds: set[type]) -> bool:
    truth = {kind for kind in kinds if issubclass(kind, (bool, np.bool_))}
    return bool(truth) and any(issubclass(kind, Number) for kind in kinds - truth)


def _at(values: Any, code: int) -> Any:
    return None if code < 0 else values[code]


def _reject_corrupting(frame: Any, columns: Columns) -> None:
    """Ibis brings Spark's answers home through pandas, where whole numbers lose digits, and asks DuckDB by any case."""
    if frame.implementation is nw.Implementation.IBIS:
        backend = frame.to_native().get_backend().name
        if backend == "pyspark":
            raise InputError(
                "an Ibis table on Spark merges labels on its way back (2**53 and 2**53 + 1 become "
                "one, NaN becomes missing); hand over the Spark frame itself"
            )
        twins = [(a, b) for a in columns.names for b in frame.columns if a != b and a.casefold() == b.casefold()]
        if backend == "duckdb" and twins:
            raise InputError("an Ibis table on DuckDB takes {!r} and {!r} for one column; rename one".format(*twins[0]))


def _count_margins(rows: _Rows, columns: Columns, margins: Margins) -> list[Tally]:
    grouped = []
    for margin in margins:
        keys = columns.keys(margin)
        shown = {f"k{i}": rows.column(key) for i, key in enumerate(keys)}
        grouped.append(_grouped(rows.frame, shown, rows.weight(columns)))
    return [
        _tally(cells, columns.keys(margin), [f"k{i}" for i in range(len(columns.keys(margin)))])
        for cells, margin in zip(_collected(grouped), margins, strict=True)
    ]


def _collected(frames: Sequence[Any]) -> list[nw.DataFrame[Any]]:
    """Eager results; lazy polars frames share one streaming pass."""
    if not isinstance(frames[0], nw.LazyFrame):
        return list(frames)
    implementation: Any = frames[0].implementation
    with _foreign(f"the {implementation} frame".lower()):
        if implementation is nw.Implementation.POLARS:
            import polars  # noqa: PLC0415 - the caller has it loaded

            known = signature(polars.collect_all).parameters
            streaming: Any = {"engine": "streaming"} if "engine" in known else {"streaming": True}  # before 1.25
            native = polars.collect_all([f.to_native() for f in frames], **streaming)
            return [nw.from_native(cells, eager_only=True) for cells in native]
        return [frame.collect() for frame in frames]


@contextmanager
def _foreign(name: str) -> Iterator[None]:
    """Re-raise whatever the code of a lazy frame raises as InputError."""
    try:
        yield
    except InfoscopeError:
        raise
    except Exception as error:
        check_interrupted(error)
        reason = (str(error).strip().splitlines() or ["no reason given"])[0][:300]
        raise InputError(f"{name} failed while it was read: {reason} ({type(error).__name__})") from error


def _grouped(frame: WrappedFrame, shown: Mapping[str, nw.Expr], weight: nw.Expr | None) -> WrappedFrame:
    """The expression itself: rows by their keys, with how many there are and what they weigh."""
    rows: Any = frame.select(*(key.alias(short) for short, key in shown.items()), *_weighed(weight))
    if weight is None:
        return rows.group_by(*shown, drop_null_keys=False).agg(nw.len().alias("n"))
    lacks = nw.col("w").is_null() | nw.col("w").is_nan()
    rows = rows.with_columns(lacks.fill_null(True).alias("lacks"), (nw.col("w") * nw.col("w")).alias("square"))
    return rows.group_by(*shown, "lacks", drop_null_keys=False).agg(
        nw.len().alias("n"), nw.col("w").sum().alias("total"), nw.col("square").sum(), nw.col("w").min().alias("least")
    )


def _weighed(weight: nw.Expr | None) -> list[nw.Expr]:
    return [] if weight is None else [weight.alias("w")]


def _count_unpivoted(rows: _Rows, columns: Columns) -> list[Tally]:
    """Several systems of a lazy frame in one pass for each type that their columns have."""
    by_type: dict[str, list[str]] = {}
    for system in columns.systems:
        by_type.setdefault(str(rows.kind(system)), []).append(system)
    found: dict[str, Tally] = {}
    for systems in by_type.values():
        if len(systems) == 1:
            found[systems[0]] = _count_margins(rows, columns, ((systems[0],),))[0]
        else:
            found |= _count_stacked(rows, columns, systems)
    return [found[system] for system in columns.systems]


def _count_stacked(rows: _Rows, columns: Columns, systems: list[str]) -> dict[str, Tally]:
    index = {name: f"k{i}" for i, name in enumerate((*columns.by, columns.truth))}
    shown = {name: f"s{i}" for i, name in enumerate(systems)}
    weight = _weighed(rows.weight(columns))
    wide = rows.frame.select(*(rows.column(name).alias(short) for name, short in (index | shown).items()), *weight)
    stay = [*index.values(), *(["w"] if weight else [])]
    long = wide.unpivot(on=list(shown.values()), index=stay, variable_name="which", value_name="label")
    keys = {f"c{i}": nw.col(key) for i, key in enumerate((*index.values(), "label", "which"))}
    cells = _collected([_grouped(long, keys, nw.col("w") if weight else None)])[0]
    *shorts, which = keys
    return {
        system: _tally(cells.filter(nw.col(which) == short), columns.keys((system,)), shorts)
        for system, short in shown.items()
    }


def _tally(cells: nw.DataFrame[Any], keys: tuple[str, ...], shorts: list[str]) -> Tally:
    weighted: dict[str, Any] = {}
    if "total" in cells.columns:
        weighted = {
            field: np.array(
                [x if type(x) is float else np.nan if is_missing(x) else x for x in cells[name].to_list()], np.float64
            )
            for field, name in (("weights", "total"), ("squares", "square"), ("least", "least"))
        }
        weighted["unweighed"] = np.array(cells["lacks"].to_list(), dtype=bool)
    values = [_values(cells[short], key) for short, key in zip(shorts, keys, strict=True)]
    return Tally.from_columns(keys, values, cells["n"].to_list(), **weighted)


def _values(column: nw.Series[Any], name: str) -> list[Any]:
    """Native values; a moment that a list would round, or whose zone has an hour twice, is made plain first."""
    kind = column.dtype
    if not isinstance(kind, nw.Datetime):
        return column.to_list()
    if kind.time_unit == "ns":  # before a list is made, which pyarrow rejects where pandas is missing
        for count in column.dt.timestamp("ns").to_list():
            if not is_missing(count) and count % 1000:
                moment(np.datetime64(int(count), "ns"), name)
    return [None if is_missing(value) else moment(value, name) for value in column.to_list()]


def _count_partitions(source: Any, columns: Columns) -> list[Tally]:
    """A Dask frame: each partition is counted where it lies, and the counts are added pairwise."""
    import dask  # noqa: PLC0415 - the caller has it loaded

    wanted = source[list(columns.names)]
    parts = [dask.delayed(count_frame)(part, columns) for part in wanted.to_delayed()]
    while len(parts) > 1:
        pairs = [parts[i : i + 8] for i in range(0, len(parts), 8)]
        parts = [dask.delayed(_merge_lists)(pair) for pair in pairs]
    with shown_while("counting the dask frame"), _foreign("the dask frame"):
        (tallies,) = dask.compute(parts[0])
    return tallies


def _merge_lists(parts: list[list[Tally]]) -> list[Tally]:
    return [merged(tallies) for tallies in zip(*parts, strict=True)]
