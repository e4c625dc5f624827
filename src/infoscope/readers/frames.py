"""Frames that the caller hands over: one narwhals expression counts them all, where they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from numbers import Number
from typing import Any

import narwhals as nw
import numpy as np

from infoscope.errors import InfoscopeError, InputError
from infoscope.readers.columns import Columns, pick_columns
from infoscope.readers.labels import is_missing
from infoscope.readers.progress import shown_while
from infoscope.readers.statements import Margins
from infoscope.readers.tally import Tally, encode, merged
from infoscope.readers.times import moment

__all__ = ["count_batches", "count_frame", "is_frame", "is_record_batches"]

Frame = nw.DataFrame[Any] | nw.LazyFrame[Any]

_REREAD = (nw.Implementation.DUCKDB, nw.Implementation.POLARS)
"""Lazy frames for which several group-bys cost less than one over stacked systems."""


def is_frame(source: Any) -> bool:
    """Whether a source is a dataframe or lazy frame of any kind that narwhals knows."""
    return isinstance(_opened(source), (nw.DataFrame, nw.LazyFrame))


def _opened(source: Any) -> Any:
    try:
        return nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError:  # which matters only for columns that are read
        return nw.from_native(source.iloc[:, :0] if hasattr(source, "iloc") else source.select([]), pass_through=True)


def is_record_batches(source: Any) -> bool:
    """Whether a source is a record batch of Arrow, or a reader that gives them once."""
    kind = type(source)
    return kind.__module__.partition(".")[0] == "pyarrow" and kind.__name__.startswith("RecordBatch")


def count_batches(source: Any, columns: Columns) -> list[Tally]:
    """One tally for each margin of a record batch, or of all that a reader gives, one after the other."""
    import pyarrow as pa  # noqa: PLC0415 - the caller has it loaded

    empty = pa.RecordBatch.from_pylist([], source.schema)
    batches = [source] if isinstance(source, pa.RecordBatch) else source
    with shown_while("counting the record batches"):
        parts = [count_frame(pa.Table.from_batches([batch]), columns) for batch in chain([empty], batches)]
    return _merge_lists(parts)


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


def count_frame(source: Any, columns: Columns) -> list[Tally]:
    """One tally for each margin of a frame; the frame is neither copied nor changed."""
    source = _narrowed(source, columns)
    frame: Any = _opened(source)
    _refuse_corrupting(frame)
    name = f"the {frame.implementation} frame".lower()
    with _foreign(name):
        schema = frame.collect_schema()
    pick_columns(columns.names, schema.names(), name)
    if columns.weight is not None and not (schema[columns.weight].is_numeric() or schema[columns.weight] == nw.Boolean):
        raise InputError(f"{name} has {columns.weight!r} as {schema[columns.weight]}; weights are numbers")
    if frame.implementation is nw.Implementation.DASK:
        return _count_partitions(source, columns)
    if frame.implementation is nw.Implementation.PANDAS:
        with shown_while(f"counting {name}"):
            return _count_pandas(source, columns)
    with shown_while(f"counting {name}"):
        several = isinstance(frame, nw.LazyFrame) and len(columns.margins) > 1
        if several and frame.implementation not in _REREAD:
            return _count_unpivoted(frame, columns)
        return _count_margins(frame, columns, columns.margins)


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
    frame = nw.from_native(source[list(columns.names)].assign(**coded), eager_only=True)
    tallies = _count_margins(frame, columns, columns.margins)
    for name in objects:
        tallies = [tally.mapped(name, partial(_at, values[name])) for tally in tallies]
    return tallies


def _mixes_truth(kinds: set[type]) -> bool:
    truth = {kind for kind in kinds if issubclass(kind, (bool, np.bool_))}
    return bool(truth) and any(issubclass(kind, Number) for kind in kinds - truth)


def _at(values: Any, code: int) -> Any:
    return None if code < 0 else values[code]


def _refuse_corrupting(frame: Any) -> None:
    """Ibis brings Spark's answers home through pandas, where whole numbers lose digits."""
    if frame.implementation is nw.Implementation.IBIS:
        backend = frame.to_native().get_backend().name
        if backend == "pyspark":
            raise InputError(
                "an Ibis table on Spark merges labels on its way back (2**53 and 2**53 + 1 become "
                "one, NaN becomes missing); hand over the Spark frame itself"
            )


def _count_margins(frame: Frame, columns: Columns, margins: Margins) -> list[Tally]:
    grouped = []
    for margin in margins:
        keys = columns.keys(margin)
        named = [nw.col(key).alias(f"k{i}") for i, key in enumerate(keys)]
        grouped.append(_grouped(frame, columns, named, [f"k{i}" for i in range(len(keys))]))
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

            native = polars.collect_all([f.to_native() for f in frames], engine="streaming")
            return [nw.from_native(cells, eager_only=True) for cells in native]
        return [frame.collect() for frame in frames]


@contextmanager
def _foreign(name: str) -> Iterator[None]:
    """Where a lazy frame runs its maker's code, which may fail in any way, the failure is told as ours."""
    try:
        yield
    except InfoscopeError:
        raise
    except Exception as error:
        reason = (str(error).strip().splitlines() or ["no reason given"])[0][:300]
        raise InputError(f"{name} failed while it was read: {reason} ({type(error).__name__})") from error


def _grouped(frame: Frame, columns: Columns, named: list[nw.Expr], shorts: list[str]) -> Frame:
    """The expression itself: rows by their keys, with how many there are and what they weigh."""
    sums = [nw.len().alias("n")]
    if columns.weight is not None:
        weight = nw.col(columns.weight).cast(nw.Float64)
        named = [*named, weight.alias("w")]
        sums += [
            nw.col("w").sum().alias("total"),
            nw.col("square").sum(),
            nw.col("w").min().alias("least"),
        ]
    rows: Any = frame.select(*named)
    if columns.weight is not None:
        lacks = nw.col("w").is_null() | nw.col("w").is_nan()
        rows = rows.with_columns(lacks.fill_null(True).alias("lacks"), (nw.col("w") * nw.col("w")).alias("square"))
        shorts = [*shorts, "lacks"]
    return rows.group_by(*shorts, drop_null_keys=False).agg(*sums)


def _count_unpivoted(frame: nw.LazyFrame[Any], columns: Columns) -> list[Tally]:
    """Several systems of a lazy frame in one pass for each type that their columns have."""
    schema = frame.collect_schema()
    by_type: dict[str, list[str]] = {}
    for system in columns.systems:
        by_type.setdefault(str(schema[system]), []).append(system)
    found: dict[str, Tally] = {}
    for systems in by_type.values():
        if len(systems) == 1:
            found[systems[0]] = _count_margins(frame, columns, ((systems[0],),))[0]
        else:
            found |= _count_stacked(frame, columns, systems)
    return [found[system] for system in columns.systems]


def _count_stacked(frame: nw.LazyFrame[Any], columns: Columns, systems: list[str]) -> dict[str, Tally]:
    always = (*columns.by, columns.truth)
    index = {name: f"k{i}" for i, name in enumerate(always)}
    shown = {name: f"s{i}" for i, name in enumerate(systems)}
    kept = [nw.col(name).alias(short) for name, short in (index | shown).items()]
    stay = list(index.values())
    if columns.weight is not None:
        kept.append(nw.col(columns.weight).cast(nw.Float64).alias("weight"))
        stay.append("weight")
    long = frame.select(*kept).unpivot(on=list(shown.values()), index=stay, variable_name="which", value_name="label")
    weight = None if columns.weight is None else "weight"
    inner = Columns("label", ("which",), weight=weight)
    keys = [*index.values(), "label", "which"]
    shorts = [f"c{i}" for i in range(len(keys))]
    named = [nw.col(key).alias(short) for key, short in zip(keys, shorts, strict=True)]
    cells = _collected([_grouped(long, inner, named, shorts)])[0]
    return {
        system: _tally(cells.filter(nw.col(shorts[-1]) == short), columns.keys((system,)), shorts[:-1])
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
    values = column.to_list()
    kind = column.dtype
    if not isinstance(kind, nw.Datetime):
        return values
    if kind.time_unit == "ns":
        for value, count in zip(values, column.dt.timestamp("ns").to_list(), strict=True):
            if not is_missing(value) and count % 1000:
                moment(np.datetime64(count, "ns"), name)
    return [None if is_missing(value) else moment(value, name) for value in values]


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
