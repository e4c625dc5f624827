"""TensorPairs of labels counted batch by batch on the devices where they lie, whatever their range turns out to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from infoscope.tables.count import CountedPairs
from infoscope.tables.device.libraries import Tensor, device_of
from infoscope.tables.device.pair_table import MAX_CELLS, PairTable
from infoscope.tables.device.tally import declared_span, pair_span, prepared_rows, wide_pairs
from infoscope.tables.device.tensor_pairs import Span, TensorPairs

__all__ = ["GrowingTable"]

Cell = tuple[int | bool, int | bool, float]


class GrowingTable:
    """Counts of batches of tensors.

    Where the classes are stated, or labels have 8 bits, nothing waits for the device before ``cells`` is called; else
    each batch is asked for its smallest and largest label.
    """

    def __init__(self, stated: Sequence[object] | None = None) -> None:
        self._span = declared_span(stated)
        self._tables: dict[tuple[str | None, bool, bool], PairTable] = {}
        self._settled: list[Cell] = []
        self._squares = 0.0

    def add(self, y_true: Tensor, y_pred: Tensor, weights: Tensor | None) -> None:
        """Count a batch."""
        pairs = prepared_rows(y_true, y_pred, weights)
        if not len(pairs):
            return
        key = (device_of(pairs.truth), *(str(side.dtype).endswith("bool") for side in (y_true, y_pred)))
        span = self._span or pair_span(pairs)
        if span.pairs > MAX_CELLS:
            self._settle(wide_pairs(pairs, span), key)
        else:
            self._table(key, span, pairs).add(pairs)

    def _table(self, key: Any, span: Span, pairs: TensorPairs) -> PairTable:
        """The table of a device; one that is too small for the labels gives its counts to a larger one."""
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

    def _settle(self, counted: CountedPairs, key: Any) -> None:
        truth, system = (
            np.asarray(side.labels)[side.positions(codes)]
            for side, codes in ((counted.truth, counted.rows), (counted.system, counted.columns))
        )
        self._keep(truth, system, counted.values, key)
        self._squares += counted.weight_squares

    def _keep(self, truth: Any, system: Any, values: Any, key: Any) -> None:
        kinds = [bool if is_boolean else int for is_boolean in key[1:]]
        self._settled += [
            (kinds[0](t), kinds[1](s), v)
            for t, s, v in zip(truth.tolist(), system.tolist(), values.tolist(), strict=True)
        ]

    def cells(self) -> Iterator[Cell]:
        """True label, predicted label and count of each cell since the last call; labels out of range are rejected."""
        for key in list(self._tables):
            self._take(key)
        yield from self._settled
        self._settled.clear()

    def squares(self) -> float:
        """The sum of squared weights of what ``cells`` has handed out."""
        squares, self._squares = self._squares, 0.0
        return squares
