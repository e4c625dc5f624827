"""Sequences of labels as integer codes, without looking at a value twice or decoding what is coded already.

A column is whatever callers have: a list, an array, a Series, a frame of one column, a tensor. Columns pair by
position; pandas aligns by index, so two pandas objects whose indexes contradict the positions are rejected
(docs/contributors/decisions.md). ``encode`` is the way from a column to codes; each library has a function of its own.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from infoscope.core.arrow import import_arrow
from infoscope.errors import InputError
from infoscope.tables.labels import Label, as_label, as_labels, is_missing, kind_of
from infoscope.typing import LabelsLike

# ── columns as callers have them ─────────────────────────────────────────────────────────────────


def one_column(values: object, name: str) -> LabelsLike:
    """Return the values in one dimension: a frame of one column or an array of shape (n, 1) is squeezed.

    >>> one_column(np.array([[3], [1]]), "truth").tolist()
    [3, 1]
    """
    if isinstance(values, list):
        return values
    column: Any = import_arrow(values)
    if hasattr(column, "toarray") and getattr(column, "ndim", 1) == 2 and column.shape[1] != 1:
        raise InputError(
            f"{name} is a sparse matrix with {column.shape[1]} columns; give one label per row (for label sets use "
            "infoscope.multilabel)"
        )
    if isinstance(column, Mapping | Set):
        kind = "has named parts" if isinstance(column, Mapping) else "has no order"
        raise InputError(f"{name} is a {type(column).__name__}, which {kind}; give a sequence of labels, one per row")
    if hasattr(column, "mask") and isinstance(column, np.ma.MaskedArray):  # which NumPy loads when it is asked for
        mask = np.ma.getmaskarray(column)
        column = np.ma.getdata(column)
        if mask.any():
            column = column.astype(object)
            column[mask] = None
    if hasattr(column, "detach") and hasattr(column, "cpu"):  # a tensor, maybe on a device, maybe with a gradient
        column = column.detach().cpu().numpy()
    elif type(column).__module__.partition(".")[0] == "cupy":  # it becomes an array only by an explicit call
        column = column.get()
    if hasattr(type(column), "columns") or hasattr(type(column), "column_names"):
        if not any(hasattr(column, way) for way in ("iloc", "column", "to_series")):  # lazy frames, relations
            raise InputError(
                f"{name} is a {type(column).__name__}, which has no rows yet; collect it, or use infoscope.read"
            )
        names = list(column.column_names if hasattr(column, "column_names") else column.columns)
        if len(names) != 1:
            shown = ", ".join(map(repr, names[:4])) + (", …" if len(names) > 4 else "")
            raise InputError(
                f"{name} is a data frame of {len(names)} columns{f' ({shown})' if names else ''}; give one column, "
                "with one label per row"
            )
        if hasattr(column, "iloc"):
            return column.iloc[:, 0]
        return column.column(0) if hasattr(column, "column_names") else column.to_series(0)
    if getattr(column, "ndim", 1) == 2 and hasattr(column, "toarray") and column.shape[1] == 1:
        column = column.toarray()  # a sparse column
    if getattr(column, "ndim", 1) == 2 and hasattr(column, "reshape") and column.shape[1] == 1:
        return (np.asarray(column) if isinstance(column, np.ndarray) else column).reshape(-1)
    return column


def frame_columns(values: Any) -> dict[str, Any] | None:
    """Return the columns of a data frame by name; None for what is no frame, or has no rows yet."""
    names = getattr(values, "column_names", None) if hasattr(type(values), "column_names") else None
    if names is None and hasattr(type(values), "columns"):
        names = values.columns
    ways = [way for way in ("iloc", "column", "to_series") if hasattr(values, way)]
    if names is None or not ways:
        return None
    columns = {str(name): place for place, name in enumerate(names)}
    if len(columns) < len(names):
        raise InputError("two columns of the frame have the same name; rename one of them")
    if ways[0] == "iloc":
        return {name: values.iloc[:, place] for name, place in columns.items()}
    return {
        name: (values.column if hasattr(values, "column_names") else values.to_series)(place)
        for name, place in columns.items()
    }


def check_pairing(one: object, others: Mapping[str, Any], name: str = "truth") -> None:
    """Reject any two pandas objects whose indexes say that rows at the same position do not belong together.

    Equal indexes pair by position, and so do objects of which one has no index, an index that only counts the rows
    (0, 1, …), or an index without a key of the other's. The same keys in another order, and keys of which only some
    are shared, contradict the positions. Each is compared with the first few that differ: a hundred systems that each
    have an index of their own would take minutes.
    """
    known: list[tuple[str, Any]] = []
    for second, values in ((name, one), *others.items()):
        index: Any = getattr(values, "index", None)
        if not (hasattr(index, "equals") and hasattr(index, "isin")):
            continue
        if any(index is earlier or earlier.equals(index) for _, earlier in known):
            continue
        for first, earlier in known[:_COMPARED]:
            if len(index) != len(earlier):
                continue
            shared, back = _find_shared(earlier, index), _find_shared(index, earlier)
            if shared.all() and back.all():
                fault, way_out = "hold the same keys in another order", ".loc[{}.index]"
            elif only_counts(earlier) or only_counts(index) or not shared.any():
                continue
            else:
                fault, way_out = "share only some of their keys", ".reindex({}.index)"
            typed = (first, second) if first.isidentifier() and str(second).isidentifier() else ("one", "other")
            raise InputError(
                f"{first} and {second} are pandas objects whose indexes {fault}, and rows pair by position; align "
                f"them, for example with {typed[1]}{way_out.format(typed[0])}, or pass both as .to_numpy() if the "
                "positions are right"
            )
        known.append((str(second), index))


_COMPARED = 4
"""Different indexes with which each further one is compared."""


def only_counts(index: Any) -> bool:
    """Return True if an index is 0, 1, … and so says nothing about the rows."""
    return getattr(index.dtype, "kind", "") in "iu" and bool((np.asarray(index) == np.arange(len(index))).all())


def _find_shared(one: Any, other: Any) -> Any:
    """Return True for the keys of one index that the other has."""
    try:
        return np.asarray(one.isin(other))
    except (TypeError, ValueError):  # indexes of several levels against plain ones
        return np.zeros(len(one), dtype=bool)


# ── labels to codes ──────────────────────────────────────────────────────────────────────────────


Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Coded:
    """One side of the rows: ``codes[i] - low`` is the position of row i's label in ``labels``.

    A code of ``missing`` marks a row without a label. For plain integers the codes *are* the
    values, ``labels`` is None and the range is left to the counting, which reads the data once.
    """

    codes: Codes
    labels: tuple[Label, ...] | None
    missing: int | None = None


@dataclass(frozen=True)
class _Side:
    """The side that is read, for messages, and the label that may be of another kind than the rest."""

    name: str
    reject: Label | None = None

    def __str__(self) -> str:
        return self.name


def encode(values: LabelsLike, name: str, reject: Label | None = None) -> Coded:
    """Code any sequence of labels: list, NumPy, pandas, polars, pyarrow; text, numbers, booleans, dates."""
    side = _Side(name, reject)
    values = one_column(values, name)
    library = type(values).__module__.partition(".")[0]
    if library == "pandas" and hasattr(values, "dtype"):
        return _encode_pandas(values, side)
    if library == "polars" and hasattr(values, "to_physical"):
        return _encode_polars(values, side)
    if library == "pyarrow" and hasattr(values, "type"):
        return _encode_arrow(values, side)
    if hasattr(values, "__array__") or isinstance(values, memoryview):  # NumPy, tensors
        array = np.asarray(values)
    elif hasattr(values, "__dlpack__"):
        array = np.from_dlpack(cast("Any", values))
    elif isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(f"{side} is a single {type(values).__name__}; give a sequence of labels, one per row")
    else:
        items = values if isinstance(values, list) else list(values)
        if items and isinstance(items[0], np.datetime64) and all(isinstance(item, np.datetime64) for item in items):
            array = np.array(items)  # times of NumPy each have a unit of their own
        else:
            array = np.empty(len(items), dtype=object)
            array[:] = items
    if array.ndim != 1:
        raise InputError(
            f"{side} has {array.ndim} dimensions (shape {array.shape}); give one label per row, in one dimension"
        )
    return _encode_array(array, side)


def on_one_calendar(*columns: tuple[Any, ...] | None) -> list[tuple[Any, ...] | None]:
    """Return labels that are compared, and those stated, with dates and times as one kind, as files have them.

    Times are dates where all of them are at midnight; otherwise dates are midnights.

    >>> on_one_calendar((datetime.datetime(2020, 1, 2),), (datetime.date(2020, 1, 2),))
    [(datetime.date(2020, 1, 2),), (datetime.date(2020, 1, 2),)]
    """
    if not any(issubclass(kind, datetime.date) for labels in columns for kind in set(map(type, labels or ()))):
        return list(columns)
    moments = [x for labels in columns for x in labels or () if isinstance(x, datetime.date)]
    times = [moment for moment in moments if isinstance(moment, datetime.datetime)]
    if not times or any(time.tzinfo is not None for time in times):
        return list(columns)
    to_days = all(time.time() == datetime.time() for time in times)
    return [
        None if labels is None else tuple(_convert_moment(label, to_days=to_days) for label in labels)
        for labels in columns
    ]


def _convert_moment(label: Label, *, to_days: bool) -> Label:
    if isinstance(label, datetime.datetime):
        return label.date() if to_days else label
    if isinstance(label, datetime.date) and not to_days:
        return datetime.datetime.combine(label, datetime.time())
    return label


def _encode_array(array: NDArray[Any], side: _Side) -> Coded:
    kind = array.dtype.kind
    if array.dtype == np.uint64 and array.size and array.max() >= 2**63:
        return _encode_distinct(array, np.zeros(array.shape, dtype=bool))
    if kind in "iu":
        return Coded(array, None)
    if kind == "b":
        return Coded(array.view(np.uint8), (False, True))
    if kind == "f":
        if array.dtype == np.float16:  # which cannot hold the numbers that it is compared with
            array = array.astype(np.float32)
        absent = np.isnan(array)
        present = array[~absent] if absent.any() else array
        if not np.isfinite(present).all():
            raise InputError("a label is infinite; give finite numbers or text")
        if np.any(present != np.trunc(present)) or (present.size and np.abs(present).max() >= 2**53):
            return _encode_distinct(array, absent)
        # whole numbers that a missing value turned into floats become whole numbers again
        low = int(present.min()) - 1 if present.size else -1
        return Coded(np.where(absent, low, array).astype(np.int64), None, missing=low if absent.any() else None)
    if kind == "M":
        return _encode_distinct(array, np.isnat(array))
    if kind in "OUT":
        return _encode_objects(array.tolist(), side)
    if kind == "S":
        raise InputError(f"{side} holds bytes; decode them to text, as numpy.char.decode(labels, 'utf-8') does")
    raise InputError(f"{side} has elements of type {array.dtype}; labels are text, numbers, booleans or dates")


def _encode_distinct(array: NDArray[Any], absent: NDArray[np.bool_]) -> Coded:
    """Code the distinct values; times are exact to the microsecond, and dates where all are at midnight."""
    distinct, codes = np.unique(array[~absent], return_inverse=True)
    full = np.full(array.shape, -1, dtype=np.int64)
    full[~absent] = codes
    if distinct.dtype.kind != "M":
        return Coded(full, as_labels(distinct.tolist()), missing=-1)
    times = distinct.astype("datetime64[us]")
    if np.any(times != distinct):
        finer = distinct[times != distinct][0]
        raise InputError(f"a label is {finer}, and labels are exact to the microsecond; round them, or make them text")
    days = times.astype("datetime64[D]")  # columns of dates arrive as times
    return Coded(full, as_labels(days.tolist() if np.all(days == times) else times.tolist()), missing=-1)


def _encode_objects(items: list[Any], side: _Side) -> Coded:
    """Code objects by one dictionary look-up per row; the first sight of a label gives it the next code."""
    places: defaultdict[Any, int] = defaultdict()
    places.default_factory = places.__len__
    try:
        codes = np.fromiter(map(places.__getitem__, items), dtype=np.int64, count=len(items))
    except TypeError:
        kind = "value that cannot be counted"
        for item in items:
            try:
                hash(item)
            except TypeError:  # also a tuple with a list in it
                kind = type(item).__name__
                break
        raise InputError(
            f"{side} holds a {kind}; give one label per row (for label sets use infoscope.multilabel)"
        ) from None
    is_text = all(type(label) is str for label in places)  # nothing else equals a text
    return _settle_labels(codes, list(places), {str} if is_text else set(map(type, items)), side)


def _settle_labels(codes: Codes, found: Sequence[Any], kinds: set[type], side: _Side) -> Coded:
    """Set missing values apart, unwrap NumPy scalars, and check that the labels are of one kind."""
    position = np.full(len(found), -1, dtype=np.int64)
    labels: dict[Label, int] = {}
    for index, value in enumerate(found):
        if not is_missing(value):
            label = as_label(value)
            position[index] = labels.setdefault(label, len(labels))
    examples: dict[str, Label] = {}
    for label in labels:
        if label != side.reject:
            examples.setdefault(kind_of(label), label)
    if bool in kinds and kinds & {int, float}:  # True == 1 hides in the dictionary
        examples = {"bool": True, "int": 1}
    if len(examples) > 1 and set(examples) != {"int", "float"}:
        (one, first), (other, second) = list(examples.items())[:2]
        raise InputError(
            f"{side} mixes {one} and {other} labels ({first!r} and {second!r}); "
            "convert them to one type, for example with str"
        )
    if len(labels) == len(found):
        return Coded(codes, tuple(labels))
    return Coded(position[codes], tuple(labels), missing=-1)


def _encode_pandas(values: Any, side: _Side) -> Coded:
    dtype = values.dtype
    if hasattr(dtype, "categories"):
        categorical = values.cat if hasattr(values, "cat") else values
        return _take_dictionary(np.asarray(categorical.codes), list(categorical.categories), side)
    if getattr(dtype, "na_value", None) is not None or str(dtype) in {"str", "string"}:
        import pandas  # noqa: PLC0415 - the caller has it loaded

        codes, found = pandas.factorize(values)
        return _take_dictionary(np.asarray(codes), list(found), side)
    return _encode_array(np.asarray(values), side)


def _encode_polars(values: Any, side: _Side) -> Coded:
    import polars  # noqa: PLC0415 - the caller has it loaded

    if values.dtype == polars.String:
        values = values.cast(polars.Categorical)
    if isinstance(values.dtype, (polars.Categorical, polars.Enum)):
        # by the physical codes; those of a Categorical are shared by the whole process, so they may have gaps
        distinct = values.drop_nulls().unique()
        physical = distinct.to_physical().to_numpy().astype(np.int64)
        order = np.argsort(physical)
        labels = [str(label) for label in distinct.to_list()]
        coded = values.to_physical()
        codes = (coded.cast(polars.Int64).fill_null(-1) if coded.null_count() else coded).to_numpy()
        if len(physical) and physical[order[-1]] != len(physical) - 1:
            dense = np.full(physical[order[-1]] + 2, -1, dtype=np.int64)  # the last place answers for code -1
            dense[physical[order]] = np.arange(len(order))
            codes = dense[codes]
        return _take_dictionary(codes, [labels[place] for place in order], side)
    if values.dtype.is_integer() and (values.null_count() or str(values.dtype).endswith("Int128")):
        low, high = int(values.min() or 0) - 1, int(values.max() or 0)
        if low < -(2**63) or high >= 2**63:
            return _encode_objects(values.to_list(), side)
        return Coded(values.cast(polars.Int64).fill_null(low).to_numpy(), None, missing=low)
    if values.dtype.is_numeric() or (values.dtype == polars.Boolean and not values.null_count()):
        return _encode_array(values.to_numpy(), side)
    return _encode_objects(values.to_list(), side)


def _encode_arrow(values: Any, side: _Side) -> Coded:
    import pyarrow  # noqa: PLC0415 - the caller has it loaded

    types = pyarrow.types
    if types.is_dictionary(values.type) or types.is_string(values.type) or types.is_large_string(values.type):
        coded = values if types.is_dictionary(values.type) else values.dictionary_encode()
        if isinstance(coded, pyarrow.ChunkedArray):
            coded = coded.unify_dictionaries().combine_chunks()
            if isinstance(coded, pyarrow.ChunkedArray):
                coded = coded.chunk(0) if coded.num_chunks else pyarrow.array([], coded.type)
        indices = coded.indices.fill_null(-1) if coded.indices.null_count else coded.indices
        return _take_dictionary(indices.to_numpy(), coded.dictionary.to_pylist(), side)
    if types.is_integer(values.type) and not values.null_count:
        return _encode_array(values.to_numpy(), side)
    return _encode_objects(values.to_pylist(), side)


def _take_dictionary(codes: Codes, found: list[Any], side: _Side) -> Coded:
    """Take codes that came with their dictionary; a negative code, or a missing entry, is a row without a label."""
    if any(map(is_missing, found)) or any(hasattr(value, "item") for value in found):
        shifted = np.concatenate([np.arange(len(found)), [-1]])
        tidy = _settle_labels(np.arange(len(found)), found, set(map(type, found)), side)
        shifted[:-1] = tidy.codes
        return Coded(shifted[codes], tidy.labels, missing=-1)
    tidy = _settle_labels(np.arange(len(found)), found, set(map(type, found)), side)
    return Coded(codes, tidy.labels, missing=-1)
