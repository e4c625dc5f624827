"""TensorPairs of labels counted where they lie, into a table that stays there until it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.tables.device import kernel
from infoscope.tables.device.libraries import JaxLibrary, Library, Tensor, device_of, library_of
from infoscope.tables.device.tensor_pairs import Span, TensorPairs

__all__ = [
    "MAX_CELLS",
    "NO_ENDS",
    "CountedTable",
    "PairTable",
    "add_counts",
    "checked_table",
    "prepared",
    "reject_outside",
]

MAX_CELLS = 1 << 26
"""Cells of the largest table that is kept on a device."""
NO_ENDS = (np.iinfo(np.int64).max, np.iinfo(np.int64).min) * 2
"""The smallest and largest label out of range, of the truth and of the predictions, where there is none."""
_MAX_NAMED = 8


def prepared(truth: Tensor, system: Tensor, weights: Tensor | None) -> TensorPairs:
    """Tensors of whole numbers in one form; arrays of JAX become CuPy's, where that can be used, by DLPack."""
    library, borrowed = library_of(truth), ()
    given = [truth, system, *(() if weights is None else (weights,))]
    if isinstance(library, JaxLibrary) and kernel.is_usable(truth):
        cupy = importlib.import_module("cupy")
        borrowed, given = tuple(given), [cupy.from_dlpack(array) for array in given]
        library = library_of(given[0])
    given = [array if library_of(array) is library else library.module().from_dlpack(array) for array in given]
    return TensorPairs(
        library.vector(given[0]),
        library.vector(given[1]),
        None if weights is None else library.floating(given[2]),
        library,
        borrowed,
    )


def add_counts(pairs: TensorPairs, span: Span, table: Tensor, ends: Tensor, *, check_range: bool = True) -> Tensor:
    """The table with these pairs added: in one pass, without waiting, where CuPy can be used; else by bincount.

    Labels out of range are counted in the cell after the table; by bincount, rejected at once unless stated otherwise.
    """
    if kernel.is_usable(pairs.truth) and kernel.is_usable(pairs.system) and kernel.fits(span, pairs.truth):
        kernel.add_pairs(pairs, span, table, ends)
        if pairs.borrowed:
            kernel.stream(pairs.truth).synchronize()
        return table
    codes = _codes(pairs, span)
    batch = pairs.library.histogram(codes, None, span.cells)
    if check_range and int(batch[span.pairs]):
        reject_outside(pairs, span)
    if pairs.weights is not None:
        batch = pairs.library.histogram(codes, pairs.weights, span.cells)
    return table + batch


def reject_outside(pairs: TensorPairs, span: Span) -> NoReturn:
    """Reject pairs of which some are out of range, with all labels that are."""
    bad = _codes(pairs, span) == span.pairs
    sides = {"truth": pairs.truth, "predictions": pairs.system}
    _reject(int(bad.sum()), span, {name: _outside(pairs.library, side[bad], span) for name, side in sides.items()})


def _codes(pairs: TensorPairs, span: Span) -> Tensor:
    """Cells by number; the two after the table are for labels out of range and for those left out."""
    where = pairs.library.module().where
    row, column = (pairs.library.whole(side) for side in (pairs.truth, pairs.system))
    if span.low:
        row, column = row - span.low, column - span.low
    if span.ignored is None and not _any_outside(pairs, span):  # three passes less
        return row * span.classes + column
    inside = (row >= 0) & (row < span.classes) & (column >= 0) & (column < span.classes)
    codes = where(inside, row * span.classes + column, span.pairs)
    return codes if span.ignored is None else where(pairs.truth == span.ignored, span.pairs + 1, codes)


def _any_outside(pairs: TensorPairs, span: Span) -> bool:
    if not len(pairs):
        return False
    ends = [pairs.library.ends(side) for side in (pairs.truth, pairs.system)]
    return any(low < span.low or high >= span.low + span.classes for low, high in ends)


def _outside(library: Library, values: Tensor, span: Span) -> str:
    """The labels out of range among some, in words; nothing where there are none."""
    found, counts = library.distinct(values)
    strange = (found < span.low) | (found >= span.low + span.classes)
    rows = zip(found[strange].tolist(), counts[strange].tolist(), strict=True)
    named = [f"{label} ({'once' if count == 1 else f'{count:,} times'})" for label, count in rows]
    more = f" and {len(named) - _MAX_NAMED} more" if len(named) > _MAX_NAMED else ""
    return ", ".join(named[:_MAX_NAMED]) + more


def _reject(rows: int, span: Span, labels: Mapping[str, str]) -> NoReturn:
    named = "; ".join(f"{name}: {found}" for name, found in labels.items() if found)
    raise InputError(
        f"{rows:,} {'row has a label' if rows == 1 else 'rows have labels'} outside {span.low} to "
        f"{span.low + span.classes - 1} ({named}); correct {'it' if rows == 1 else 'them'}, or state all classes"
    )


@dataclass(frozen=True)
class CountedTable:
    """A table of pairs on the host."""

    values: NDArray[Any]
    """Classes × classes: counts, or sums of weights."""
    ignored: int
    """Rows left out for their true label."""


def checked_table(table: NDArray[Any], ends: NDArray[np.int64], span: Span) -> CountedTable:
    """What was counted, on the host; rejected where labels were out of range."""
    bad = int(table[span.pairs])
    if bad:
        sides = {"truth": ends[:2].tolist(), "predictions": ends[2:].tolist()}
        found = {
            name: "" if low > high else str(low) if low == high else f"from {low} to {high}"
            for name, (low, high) in sides.items()
        }
        _reject(bad, span, found)
    values = table[: span.pairs].reshape(span.classes, span.classes)
    return CountedTable(values, int(table[span.pairs + 1]))


class PairTable:
    """Counts of pairs on a device, batch by batch; nothing waits for the device before ``table`` is called."""

    def __init__(self, span: Span, like: TensorPairs) -> None:
        self.span = span
        self.device = device_of(like.truth)
        self.rows = 0
        self._library = like.library
        self._table = like.library.zeros(span.cells, like.truth, "int64" if like.weights is None else "float64")
        self._ends = like.library.full(list(NO_ENDS), like.truth)
        self._squares: Any = 0.0
        self._bad_weights: Any = 0

    def add(self, pairs: TensorPairs, *, check_range: bool = True) -> None:
        """Count some more; ``check_range`` says whether labels out of range are rejected where that costs no time."""
        self._table = add_counts(pairs, self.span, self._table, self._ends, check_range=check_range)
        self.rows += len(pairs)
        if pairs.weights is not None:
            self._squares = self._squares + (pairs.weights * pairs.weights).sum()
            self._bad_weights = self._bad_weights + count_bad_weights(pairs)

    def table(self) -> CountedTable:
        """What was counted so far, on the host."""
        if bad := int(self._bad_weights):
            raise InputError(f"{bad:,} weights are negative, infinite or missing; weights are finite and not negative")
        return checked_table(self._library.host(self._table), self._library.host(self._ends), self.span)

    @property
    def has_outside(self) -> bool:
        """Whether labels were out of range; waits for the device."""
        return bool(self._table[self.span.pairs] != 0)

    @property
    def squares(self) -> float:
        """The sum of the squared weights."""
        return float(self._squares)


def count_bad_weights(pairs: TensorPairs) -> Tensor:
    """How many weights are negative, infinite or missing, on the device."""
    weights: Tensor = pairs.weights
    finite = (np if isinstance(weights, np.ndarray) else pairs.library.module()).isfinite(weights)
    return (~(finite & (weights >= 0))).sum()
