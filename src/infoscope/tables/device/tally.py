"""Rows to cells for tensors on a device: the same cells as ``tables.count.tally`` gives for arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.tables.count import CountedPairs, Ints, Side, check_any, check_pairs, integer_side, tally
from infoscope.tables.device.libraries import JaxLibrary, Tensor
from infoscope.tables.device.pair_table import MAX_CELLS, PairTable, prepared
from infoscope.tables.device.tensor_pairs import Span, TensorPairs
from infoscope.tables.encode import Coded

__all__ = ["declared_span", "pair_span", "prepared_rows", "tally_on_device", "wide_pairs"]

_NARROW = {"int8": Span(-128, 256), "uint8": Span(0, 256), "bool": Span(0, 2)}
"""Types that have so few values that nobody needs to look for the smallest and the largest."""


def tally_on_device(
    y_true: Tensor, y_pred: Tensor, weights: Tensor | None, stated: Sequence[object] | None = None
) -> CountedPairs:
    """Count two tensors of whole numbers on one device; ``stated`` are the classes where the caller named them."""
    pairs = prepared_rows(y_true, y_pred, weights)
    check_any(len(pairs))
    span = declared_span(stated)
    counted = None if span is None else _dense_pairs(pairs, span)
    if counted is None:  # there are others than the stated ones
        span = pair_span(pairs)
        counted = (None if span.pairs > MAX_CELLS else _dense_pairs(pairs, span)) or wide_pairs(pairs, span)
    return replace(counted, truth=_named(counted.truth, y_true), system=_named(counted.system, y_pred))


def _named(side: Side, values: Tensor) -> Side:
    """Zeros and ones of a tensor of booleans are booleans."""
    if not str(values.dtype).endswith("bool"):
        return side
    return Side(tuple(bool(label) for label in side.labels))


def prepared_rows(y_true: Tensor, y_pred: Tensor, weights: Tensor | None) -> TensorPairs:
    """Tensors with one value for each row, in the form that is counted."""
    y_true, y_pred = one_dimensional(y_true, "truth"), one_dimensional(y_pred, "system")
    check_pairs(len(y_true), len(y_pred))
    pairs = prepared(y_true, y_pred, None if weights is None else one_dimensional(weights, "sample_weight"))
    if pairs.weights is not None and len(pairs.weights) != len(pairs):
        raise InputError(f"sample_weight has {len(pairs.weights)} values; give one for each of the {len(pairs)} rows")
    return pairs


def one_dimensional(values: Tensor, name: str) -> Tensor:
    """One label for each row; an array of shape (n, 1) is squeezed."""
    if values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        return values
    raise InputError(
        f"{name} has {values.ndim} dimensions (shape {tuple(values.shape)}); give one label per row, in one dimension"
    )


def declared_span(stated: Sequence[object] | None) -> Span | None:
    """The range of classes that are stated as whole numbers; None where they are not, or lie far apart."""
    if not stated or not all(type(label) is int for label in stated):
        return None
    numbers = np.asarray(stated)
    span = Span(int(numbers.min()), int(numbers.max() - numbers.min()) + 1)
    return span if span.pairs <= MAX_CELLS else None


def pair_span(pairs: TensorPairs) -> Span:
    """The range of the labels of both sides; for types of more than 8 bits the device is asked."""
    names = [str(side.dtype).removeprefix("torch.") for side in (pairs.truth, pairs.system)]
    if names[0] == names[1] and names[0] in _NARROW:
        return _NARROW[names[0]]
    low_t, high_t = pairs.library.ends(pairs.truth)
    low_s, high_s = pairs.library.ends(pairs.system)
    low, high = min(low_t, low_s), max(high_t, high_s)
    return Span(low, high - low + 1)


def _dense_pairs(pairs: TensorPairs, span: Span) -> CountedPairs | None:
    """Counted in a table of all pairs of a range; None where labels lie outside of it."""
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
    return _counted(rows.astype(np.int64), columns.astype(np.int64), table[rows, columns], span, squares)


def wide_pairs(pairs: TensorPairs, span: Span) -> CountedPairs:
    """Labels that lie far apart, or many classes: sorted on the device, or counted on the host where that cannot be."""
    library = pairs.library
    if span.classes >= 1 << 31 or pairs.weights is not None or isinstance(library, JaxLibrary):
        truth, system = Coded(library.host(pairs.truth), None), Coded(library.host(pairs.system), None)
        return tally(truth, system, None if pairs.weights is None else library.host(pairs.weights))
    keys = (library.whole(pairs.truth) - span.low) * span.classes + (library.whole(pairs.system) - span.low)
    found, counts = library.distinct(keys)
    rows, columns = np.divmod(found, span.classes)
    return _counted(rows, columns, counts, span, float(len(pairs)))


def _counted(rows: Ints, columns: Ints, values: NDArray[Any], span: Span, squares: float) -> CountedPairs:
    high = span.low + span.classes - 1
    truth, rows = integer_side(rows, span.low, high)
    system, columns = integer_side(columns, span.low, high)
    return CountedPairs(truth, system, rows, columns, values, squares, {})
