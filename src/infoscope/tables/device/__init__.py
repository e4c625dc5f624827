"""Counting where the labels are: tables from tensors that lie on a device, without a copy to the host.

``tally_on_device`` gives the cells that ``tables.counting.tally_pairs`` gives for arrays. ``GrowingTable`` counts batch
by batch, whatever the range of the labels turns out to be. Where CuPy works, the kernel counts; elsewhere the library's
own bincount does.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.tables.counting import CountedPairs, Ints, Side, check_any, check_pairs, describe_integers, tally_pairs
from infoscope.tables.device import kernel
from infoscope.tables.device.libraries import (
    JaxLibrary,
    Span,
    Tensor,
    TensorPairs,
    are_on_device,
    check_devices,
    device_of,
    library_of,
)
from infoscope.tables.encoding import Coded

__all__ = [
    "NO_ENDS",
    "GrowingTable",
    "Span",
    "TensorPairs",
    "add_counts",
    "are_on_device",
    "check_devices",
    "check_table",
    "device_of",
    "prepare_tensors",
    "tally_on_device",
]

# ── a table on a device ──────────────────────────────────────────────────────────────────────────


MAX_CELLS = 1 << 26
"""Cells of the largest table that is kept on a device."""
NO_ENDS = (np.iinfo(np.int64).max, np.iinfo(np.int64).min) * 2
"""The smallest and largest label out of range, of the truth and of the predictions, where there is none."""
_MAX_NAMED = 8


def prepare_tensors(truth: Tensor, system: Tensor, weights: Tensor | None) -> TensorPairs:
    """Bring tensors of whole numbers into one form; arrays of JAX become CuPy's by DLPack, where that can be used."""
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
    """Return the table with these pairs added: in one pass, without waiting, where CuPy can be used; else by bincount.

    Labels out of range are counted in the cell after the table; by bincount, rejected at once unless stated otherwise.
    """
    if kernel.is_usable(pairs.truth) and kernel.is_usable(pairs.system) and kernel.fits(span, pairs.truth):
        kernel.add_pairs(pairs, span, table, ends)
        if pairs.borrowed:
            kernel.stream(pairs.truth).synchronize()
        return table
    codes = _number_cells(pairs, span)
    batch = pairs.library.histogram(codes, None, span.cells)
    if check_range and int(batch[span.pairs]):
        bad = codes == span.pairs
        outside = {}
        for name, side in (("truth", pairs.truth), ("predictions", pairs.system)):
            labels, counts = pairs.library.distinct(side[bad])
            is_strange = (labels < span.low) | (labels >= span.low + span.classes)
            rows = zip(labels[is_strange].tolist(), counts[is_strange].tolist(), strict=True)
            named = [f"{label} ({'once' if count == 1 else f'{count:,} times'})" for label, count in rows]
            more = f" and {len(named) - _MAX_NAMED} more" if len(named) > _MAX_NAMED else ""
            outside[name] = ", ".join(named[:_MAX_NAMED]) + more
        _reject_outside(int(bad.sum()), span, outside)
    if pairs.weights is not None:
        batch = pairs.library.histogram(codes, pairs.weights, span.cells)
    return table + batch


def _number_cells(pairs: TensorPairs, span: Span) -> Tensor:
    """Return cells by number; the two after the table are for labels out of range and for those left out."""
    where = pairs.library.module().where
    row, column = (pairs.library.whole(side) for side in (pairs.truth, pairs.system))
    if span.low:
        row, column = row - span.low, column - span.low
    if span.ignored is None:
        ends = [pairs.library.ends(side) for side in (pairs.truth, pairs.system) if len(pairs)]
        if all(low >= span.low and high < span.low + span.classes for low, high in ends):  # three passes less
            return row * span.classes + column
    inside = (row >= 0) & (row < span.classes) & (column >= 0) & (column < span.classes)
    codes = where(inside, row * span.classes + column, span.pairs)
    return codes if span.ignored is None else where(pairs.truth == span.ignored, span.pairs + 1, codes)


def _reject_outside(rows: int, span: Span, labels: Mapping[str, str]) -> NoReturn:
    named = "; ".join(f"{name}: {words}" for name, words in labels.items() if words)
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


def check_table(table: NDArray[Any], ends: NDArray[np.int64], span: Span) -> CountedTable:
    """Return the counts on the host, or reject labels that were out of range."""
    bad = int(table[span.pairs])
    if bad:
        sides = {"truth": ends[:2].tolist(), "predictions": ends[2:].tolist()}
        outside = {
            name: "" if low > high else str(low) if low == high else f"from {low} to {high}"
            for name, (low, high) in sides.items()
        }
        _reject_outside(bad, span, outside)
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
            library = np if isinstance(pairs.weights, np.ndarray) else pairs.library.module()
            is_good = library.isfinite(pairs.weights) & (pairs.weights >= 0)
            self._bad_weights = self._bad_weights + (~is_good).sum()

    def table(self) -> CountedTable:
        """Return the counts so far, on the host."""
        if bad := int(self._bad_weights):
            raise InputError(f"{bad:,} weights are negative, infinite or missing; weights are finite and not negative")
        return check_table(self._library.host(self._table), self._library.host(self._ends), self.span)

    @property
    def has_outside(self) -> bool:
        """True if labels were out of range; waits for the device."""
        return bool(self._table[self.span.pairs] != 0)

    @property
    def squares(self) -> float:
        """The sum of the squared weights."""
        return float(self._squares)


# ── two tensors ──────────────────────────────────────────────────────────────────────────────────


_NARROW = {"int8": Span(-128, 256), "uint8": Span(0, 256), "bool": Span(0, 2)}
"""Types that have so few values that nobody needs to look for the smallest and the largest."""


def tally_on_device(
    y_true: Tensor, y_pred: Tensor, weights: Tensor | None, stated: Sequence[object] | None = None
) -> CountedPairs:
    """Count two tensors of whole numbers on one device; ``stated`` are the classes where the caller named them."""
    pairs = prepare_rows(y_true, y_pred, weights)
    check_any(len(pairs))
    span = find_declared_span(stated)
    counted = None if span is None else _count_dense_pairs(pairs, span)
    if counted is None:  # there are others than the stated ones
        span = find_span(pairs)
        counted = (None if span.pairs > MAX_CELLS else _count_dense_pairs(pairs, span)) or count_wide_pairs(pairs, span)
    truth, rows = _name_booleans(counted.truth, counted.rows, y_true)
    system, columns = _name_booleans(counted.system, counted.columns, y_pred)
    return replace(counted, truth=truth, rows=rows, system=system, columns=columns)


def _name_booleans(side: Side, codes: Ints, values: Tensor) -> tuple[Side, Ints]:
    """Return zeros and ones of a tensor of booleans as booleans, and the cells' codes as positions among them."""
    if not str(values.dtype).endswith("bool"):
        return side, codes
    return Side(tuple(bool(label) for label in side.labels)), side.positions(codes)


def prepare_rows(y_true: Tensor, y_pred: Tensor, weights: Tensor | None) -> TensorPairs:
    """Bring tensors with one value for each row into the form that is counted."""
    y_true, y_pred = check_one_dimension(y_true, "truth"), check_one_dimension(y_pred, "system")
    check_pairs(len(y_true), len(y_pred))
    pairs = prepare_tensors(y_true, y_pred, None if weights is None else check_one_dimension(weights, "sample_weight"))
    if pairs.weights is not None and len(pairs.weights) != len(pairs):
        raise InputError(f"sample_weight has {len(pairs.weights)} values; give one for each of the {len(pairs)} rows")
    return pairs


def check_one_dimension(values: Tensor, name: str) -> Tensor:
    """Return one label for each row; an array of shape (n, 1) is squeezed."""
    if values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        return values
    raise InputError(
        f"{name} has {values.ndim} dimensions (shape {tuple(values.shape)}); give one label per row, in one dimension"
    )


def find_declared_span(stated: Sequence[object] | None) -> Span | None:
    """Return the range of classes that are stated as whole numbers; None where they are not, or lie far apart."""
    if not stated or not all(type(label) is int for label in stated):
        return None
    numbers = np.asarray(stated)
    span = Span(int(numbers.min()), int(numbers.max() - numbers.min()) + 1)
    return span if span.pairs <= MAX_CELLS else None


def find_span(pairs: TensorPairs) -> Span:
    """Return the range of the labels of both sides; for types of more than 8 bits the device is asked."""
    names = [str(side.dtype).removeprefix("torch.") for side in (pairs.truth, pairs.system)]
    if names[0] == names[1] and names[0] in _NARROW:
        return _NARROW[names[0]]
    low_t, high_t = pairs.library.ends(pairs.truth)
    low_s, high_s = pairs.library.ends(pairs.system)
    low, high = min(low_t, low_s), max(high_t, high_s)
    return Span(low, high - low + 1)


def _count_dense_pairs(pairs: TensorPairs, span: Span) -> CountedPairs | None:
    """Count in a table of all pairs of a range; None where labels lie outside of it."""
    counter = PairTable(span, pairs)
    counter.add(pairs, check_range=False)
    if counter.has_outside:
        return None
    table = counter.table().values
    seen = table
    if pairs.weights is not None:  # a row without weight still names its classes
        unweighted = TensorPairs(pairs.truth, pairs.system, None, pairs.library)
        occurrences = PairTable(span, unweighted)
        occurrences.add(unweighted)
        seen = occurrences.table().values
        if not table.any():
            raise InputError("all weights are 0; there is nothing to evaluate")
    rows, columns = np.nonzero(seen)
    squares = float(len(pairs)) if pairs.weights is None else counter.squares
    return _make_pairs(rows.astype(np.int64), columns.astype(np.int64), table[rows, columns], span, squares)


def count_wide_pairs(pairs: TensorPairs, span: Span) -> CountedPairs:
    """Count labels that lie far apart, or many classes, by sorting on the device, or else on the host."""
    library = pairs.library
    if span.classes >= 1 << 31 or pairs.weights is not None or isinstance(library, JaxLibrary):
        truth, system = Coded(library.host(pairs.truth), None), Coded(library.host(pairs.system), None)
        return tally_pairs(truth, system, None if pairs.weights is None else library.host(pairs.weights))
    keys = (library.whole(pairs.truth) - span.low) * span.classes + (library.whole(pairs.system) - span.low)
    cells, counts = library.distinct(keys)
    rows, columns = np.divmod(cells, span.classes)
    return _make_pairs(rows, columns, counts, span, float(len(pairs)))


def _make_pairs(rows: Ints, columns: Ints, values: NDArray[Any], span: Span, squares: float) -> CountedPairs:
    high = span.low + span.classes - 1
    truth, rows = describe_integers(rows, span.low, high)
    system, columns = describe_integers(columns, span.low, high)
    return CountedPairs(truth, system, rows, columns, values, squares, {})


# ── batch by batch ───────────────────────────────────────────────────────────────────────────────


Cell = tuple[int | bool, int | bool, float]


class GrowingTable:
    """Counts of batches of tensors.

    Where the classes are stated, or labels have 8 bits, nothing waits for the device before ``cells`` is called; else
    each batch is asked for its smallest and largest label.
    """

    def __init__(self, stated: Sequence[object] | None = None) -> None:
        self._span = find_declared_span(stated)
        self._tables: dict[tuple[str | None, bool, bool], PairTable] = {}
        self._settled: list[Cell] = []
        self._squares = 0.0

    def add(self, y_true: Tensor, y_pred: Tensor, weights: Tensor | None) -> None:
        """Count a batch."""
        pairs = prepare_rows(y_true, y_pred, weights)
        if not len(pairs):
            return
        key = (device_of(pairs.truth), *(str(side.dtype).endswith("bool") for side in (y_true, y_pred)))
        span = self._span or find_span(pairs)
        if span.pairs <= MAX_CELLS:
            self._table(key, span, pairs).add(pairs)
            return
        counted = count_wide_pairs(pairs, span)
        truth, system = (
            np.asarray(side.labels)[side.positions(codes)]
            for side, codes in ((counted.truth, counted.rows), (counted.system, counted.columns))
        )
        self._keep(truth, system, counted.values, key)
        self._squares += counted.weight_squares

    def _table(self, key: Any, span: Span, pairs: TensorPairs) -> PairTable:
        """Return the table of a device; one that is too small for the labels gives its counts to a larger one."""
        table = self._tables.get(key)
        if table is not None and table.span.covers(span):
            return table
        if table is not None:
            self._take(key)
            span = wider if (wider := table.span.union(span)).pairs <= MAX_CELLS else span
        self._tables[key] = PairTable(span, pairs)
        return self._tables[key]

    def _take(self, key: Any) -> None:
        table = self._tables[key]
        values = table.table().values
        del self._tables[key]
        rows, columns = np.nonzero(values)
        self._keep(rows + table.span.low, columns + table.span.low, values[rows, columns], key)
        self._squares += table.squares

    def _keep(self, truth: Any, system: Any, values: Any, key: Any) -> None:
        kinds = [bool if is_boolean else int for is_boolean in key[1:]]
        self._settled += [
            (kinds[0](t), kinds[1](s), v)
            for t, s, v in zip(truth.tolist(), system.tolist(), values.tolist(), strict=True)
        ]

    def cells(self) -> Iterator[Cell]:
        """Yield true label, predicted label and count of each cell since the last call; reject labels out of range."""
        for key in list(self._tables):
            self._take(key)
        yield from self._settled
        self._settled.clear()

    def squares(self) -> float:
        """Return the sum of squared weights of what ``cells`` has handed out."""
        squares, self._squares = self._squares, 0.0
        return squares
