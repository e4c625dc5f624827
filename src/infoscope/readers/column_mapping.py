"""Columns in memory by their names, ``{"gold": […], "svm": […]}``: distinct rows of them, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, TypeGuard

import numpy as np

from infoscope.errors import InputError
from infoscope.readers.columns import Columns, pick_columns
from infoscope.readers.tally import Floats, Ints, Tally, encode, summed
from infoscope.tables.encoding import check_pairing, one_column
from infoscope.tables.encoding import encode as encode_labels
from infoscope.tables.labels import Label
from infoscope.typing import LabelsLike

__all__ = ["column_lists", "count_columns", "is_column_mapping", "label_codes"]

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
    return [_tally(columns.keys(margin), coded, weights) for margin in columns.margins]


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


def _tally(keys: tuple[str, ...], coded: Mapping[str, tuple[Ints, Sequence[Any]]], weights: Floats | None) -> Tally:
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
