"""Sequences of labels as integer codes, without looking at a value twice or decoding what is coded already."""

import datetime
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.tables.columns import one_column
from infoscope.tables.labels import Label, as_label, as_labels, is_missing, kind_of
from infoscope.typing import LabelsLike

__all__ = ["Coded", "encode", "on_one_calendar"]

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
    """Which side is read, for messages, and the label that may be of another kind than the rest."""

    name: str
    reject: Label | None = None

    def __str__(self) -> str:
        return self.name


def encode(values: LabelsLike, name: str, reject: Label | None = None) -> Coded:
    """Codes of any sequence of labels: list, NumPy, pandas, polars, pyarrow; text, numbers, booleans, dates."""
    side = _Side(name, reject)
    values = one_column(values, name)
    for matches, coder in _CODERS:
        if matches(values):
            return coder(values, side)
    return _encode_array(_as_array(values, side), side)


def on_one_calendar(*columns: tuple[Any, ...] | None) -> list[tuple[Any, ...] | None]:
    """The labels of columns that are compared, and those stated, with dates and times as one kind, as files have them.

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
        None if labels is None else tuple(_moment(label, to_days=to_days) for label in labels) for labels in columns
    ]


def _moment(label: Label, *, to_days: bool) -> Label:
    if isinstance(label, datetime.datetime):
        return label.date() if to_days else label
    if isinstance(label, datetime.date) and not to_days:
        return datetime.datetime.combine(label, datetime.time())
    return label


def _module(values: Any) -> str:
    return type(values).__module__.partition(".")[0]


def _as_array(values: Any, side: _Side) -> NDArray[Any]:
    if hasattr(values, "__array__") or isinstance(values, memoryview):  # NumPy, tensors
        array = np.asarray(values)
    elif hasattr(values, "__dlpack__"):
        array = np.from_dlpack(values)
    elif isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(f"{side} is a single {type(values).__name__}; give a sequence of labels, one per row")
    else:
        array = _array_of_items(values if isinstance(values, list) else list(values))
    if array.ndim != 1:
        raise InputError(
            f"{side} has {array.ndim} dimensions (shape {array.shape}); give one label per row, in one dimension"
        )
    return array


def _array_of_items(items: list[Any]) -> NDArray[Any]:
    """The items as they are; times of NumPy, which each have a unit of their own, as one array."""
    if items and isinstance(items[0], np.datetime64) and all(isinstance(item, np.datetime64) for item in items):
        return np.array(items)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def _encode_array(array: NDArray[Any], side: _Side) -> Coded:
    kind = array.dtype.kind
    if array.dtype == np.uint64 and array.size and array.max() >= 2**63:
        return _encode_distinct(array, np.zeros(array.shape, dtype=bool))
    if kind in "iu":
        return Coded(array, None)
    if kind == "b":
        return Coded(array.view(np.uint8), (False, True))
    if kind == "f":
        return _encode_floats(array)
    if kind == "M":
        return _encode_distinct(array, np.isnat(array))
    if kind in "OUT":
        return _encode_objects(array.tolist(), side)
    if kind == "S":
        raise InputError(f"{side} holds bytes; decode them to text, as numpy.char.decode(labels, 'utf-8') does")
    raise InputError(f"{side} has elements of type {array.dtype}; labels are text, numbers, booleans or dates")


def _encode_floats(array: NDArray[Any]) -> Coded:
    """Whole numbers that a missing value turned into floats become whole numbers again."""
    if array.dtype == np.float16:  # which cannot hold the numbers that it is compared with
        array = array.astype(np.float32)
    absent = np.isnan(array)
    present = array[~absent] if absent.any() else array
    if not np.isfinite(present).all():
        raise InputError("a label is infinite; give finite numbers or text")
    if np.all(present == np.trunc(present)) and (not present.size or np.abs(present).max() < 2**53):
        low = int(present.min()) - 1 if present.size else -1
        return Coded(
            np.where(absent, low, array).astype(np.int64),
            None,
            missing=low if absent.any() else None,
        )
    return _encode_distinct(array, absent)


def _encode_distinct(array: NDArray[Any], absent: NDArray[np.bool_]) -> Coded:
    found, codes = np.unique(array[~absent], return_inverse=True)
    full = np.full(array.shape, -1, dtype=np.int64)
    full[~absent] = codes
    return Coded(full, as_labels(_moments(found) if found.dtype.kind == "M" else found.tolist()), missing=-1)


def _moments(found: NDArray[Any]) -> list[Label]:
    """Times to the microsecond; where all are at midnight they are dates, for columns of dates arrive as times."""
    whole = found.astype("datetime64[us]")
    if np.any(whole != found):
        finer = found[whole != found][0]
        raise InputError(f"a label is {finer}, and labels are exact to the microsecond; round them, or make them text")
    days = whole.astype("datetime64[D]")
    return days.tolist() if np.all(days == whole) else whole.tolist()


def _encode_objects(items: list[Any], side: _Side) -> Coded:
    """One dictionary look-up per row; the first sight of a label gives it the next code."""
    places: defaultdict[Any, int] = defaultdict()
    places.default_factory = places.__len__
    try:
        codes = np.fromiter(map(places.__getitem__, items), dtype=np.int64, count=len(items))
    except TypeError:
        raise InputError(
            f"{side} holds a {_first_unhashable(items)}; give one label per row "
            "(for label sets use infoscope.multilabel)"
        ) from None
    is_text = all(type(label) is str for label in places)  # nothing else equals a text
    return _tidy(codes, list(places), {str} if is_text else set(map(type, items)), side)


def _first_unhashable(items: list[Any]) -> str:
    for item in items:
        try:
            hash(item)
        except TypeError:  # also a tuple with a list in it
            return type(item).__name__
    return "value that cannot be counted"


def _tidy(codes: Codes, found: Sequence[Any], kinds: set[type], side: _Side) -> Coded:
    """Final labels for the values found: missing ones set apart, NumPy scalars unwrapped, one kind for all."""
    position = np.full(len(found), -1, dtype=np.int64)
    labels: dict[Label, int] = {}
    for index, value in enumerate(found):
        if not is_missing(value):
            label = as_label(value)
            position[index] = labels.setdefault(label, len(labels))
    _one_kind(labels, kinds, side)
    if len(labels) == len(found):
        return Coded(codes, tuple(labels))
    return Coded(position[codes], tuple(labels), missing=-1)


def _one_kind(labels: Iterable[Label], kinds: set[type], side: _Side) -> None:
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


def _encode_pandas(values: Any, side: _Side) -> Coded:
    dtype = values.dtype
    if hasattr(dtype, "categories"):
        categorical = values.cat if hasattr(values, "cat") else values
        return _from_dictionary(np.asarray(categorical.codes), list(categorical.categories), side)
    if getattr(dtype, "na_value", None) is not None or str(dtype) in {"str", "string"}:
        import pandas  # noqa: PLC0415 - the caller has it loaded

        codes, found = pandas.factorize(values)
        return _from_dictionary(np.asarray(codes), list(found), side)
    return _encode_array(np.asarray(values), side)


def _encode_polars(values: Any, side: _Side) -> Coded:
    import polars  # noqa: PLC0415 - the caller has it loaded

    if values.dtype == polars.String:
        values = values.cast(polars.Categorical)
    if isinstance(values.dtype, (polars.Categorical, polars.Enum)):
        return _encode_categorical(values, side)
    if values.dtype.is_integer() and (values.null_count() or str(values.dtype).endswith("Int128")):
        low, high = int(values.min() or 0) - 1, int(values.max() or 0)
        if low < -(2**63) or high >= 2**63:
            return _encode_objects(values.to_list(), side)
        return Coded(values.cast(polars.Int64).fill_null(low).to_numpy(), None, missing=low)
    if values.dtype.is_numeric() or (values.dtype == polars.Boolean and not values.null_count()):
        return _encode_array(values.to_numpy(), side)
    return _encode_objects(values.to_list(), side)


def _encode_categorical(values: Any, side: _Side) -> Coded:
    """The physical codes; those of a Categorical are shared by the whole process, so they may have gaps."""
    distinct = values.drop_nulls().unique()
    physical = distinct.to_physical().to_numpy().astype(np.int64)
    order = np.argsort(physical)
    found = [str(label) for label in distinct.to_list()]
    codes = _filled(values.to_physical())
    if len(physical) and physical[order[-1]] != len(physical) - 1:
        dense = np.full(physical[order[-1]] + 2, -1, dtype=np.int64)  # the last place answers for code -1
        dense[physical[order]] = np.arange(len(order))
        codes = dense[codes]
    return _from_dictionary(codes, [found[i] for i in order], side)


def _filled(codes: Any) -> Codes:
    if codes.null_count():
        import polars  # noqa: PLC0415 - the caller has it loaded

        codes = codes.cast(polars.Int64).fill_null(-1)
    return codes.to_numpy()


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
        return _from_dictionary(indices.to_numpy(), coded.dictionary.to_pylist(), side)
    if types.is_integer(values.type) and not values.null_count:
        return _encode_array(values.to_numpy(), side)
    return _encode_objects(values.to_pylist(), side)


def _from_dictionary(codes: Codes, found: list[Any], side: _Side) -> Coded:
    """Codes that came with their dictionary; a negative code, or a missing entry, is a row without a label."""
    if any(map(is_missing, found)) or any(hasattr(value, "item") for value in found):
        shifted = np.concatenate([np.arange(len(found)), [-1]])
        tidy = _tidy(np.arange(len(found)), found, set(map(type, found)), side)
        shifted[:-1] = tidy.codes
        return Coded(shifted[codes], tidy.labels, missing=-1)
    tidy = _tidy(np.arange(len(found)), found, set(map(type, found)), side)
    return Coded(codes, tidy.labels, missing=-1)


_CODERS: tuple[tuple[Callable[[Any], bool], Callable[[Any, _Side], Coded]], ...] = (
    (lambda v: _module(v) == "pandas" and hasattr(v, "dtype"), _encode_pandas),
    (lambda v: _module(v) == "polars" and hasattr(v, "to_physical"), _encode_polars),
    (lambda v: _module(v) == "pyarrow" and hasattr(v, "type"), _encode_arrow),
)
