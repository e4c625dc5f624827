"""True and predicted labels row by row, packed so that a stored result can be compared in pairs later."""

from __future__ import annotations

import binascii
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.studies.predictions import CodedColumn, PairedPredictions

__all__ = ["MAX_KEPT_ROWS", "MAX_PAIRED_ROWS", "LabelColumn", "RowLabels"]

MAX_KEPT_ROWS = 100_000
"""Rows up to which a result keeps their labels by default: about as many bytes as its other numbers."""
MAX_PAIRED_ROWS = 2_000_000
"""Rows up to which it keeps them when asked."""


@dataclass(frozen=True)
class LabelColumn:
    """One column of labels: which there are, and a code per row, 0 for none, as zlib and base64 pack it."""

    labels: tuple[str, ...]
    codes: str

    @classmethod
    def packed(cls, column: CodedColumn) -> LabelColumn:
        """The labels as text; those that are spelt alike are one."""
        texts = [str(label) for label in column.labels]
        kept = {text: at for at, text in enumerate(dict.fromkeys(texts), 1)}
        moves = np.array([*(kept[text] for text in texts), 0])  # −1, no label, is the last
        codes = moves[column.codes].astype(_smallest(len(kept)))
        return cls(tuple(kept), b64encode(zlib.compress(codes.tobytes(), 9)).decode("ascii"))

    def unpacked(self, rows: int) -> CodedColumn:
        """The column again; a document that was tampered with is rejected."""
        kind = _smallest(len(self.labels))
        size = rows * kind.itemsize
        try:
            unpacking = zlib.decompressobj()
            data = unpacking.decompress(b64decode(self.codes, validate=True), size + 1)
        except (zlib.error, binascii.Error, ValueError):
            raise InputError("the labels of the rows are damaged; write the result again") from None
        codes = np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], kind).astype(np.int64)
        if len(data) != size or (size and codes.max() > len(self.labels)):
            raise InputError("the labels of the rows do not fit their number; write the result again")
        return CodedColumn(codes - 1, self.labels)


def _smallest(labels: int) -> np.dtype[np.unsignedinteger]:
    return np.dtype(np.min_scalar_type(labels)).newbyteorder("<")


@dataclass(frozen=True)
class RowLabels:
    """Truth and predictions of every row, in the order of the source."""

    rows: int
    truth: LabelColumn
    systems: Mapping[str, LabelColumn]

    @classmethod
    def packed(cls, predictions: PairedPredictions) -> RowLabels:
        """From predictions that stand row by row, each once."""
        columns = {name: LabelColumn.packed(column) for name, column in predictions.systems.items()}
        return cls(len(predictions.truth.codes), LabelColumn.packed(predictions.truth), columns)

    def difference(self, other: RowLabels) -> str | None:
        """Why these rows are not the same as others by their true labels; None where they are."""
        if self.rows != other.rows:
            return f"it has {other.rows:,} rows and there are {self.rows:,} here"
        mine, yours = (_texts(side.truth.unpacked(side.rows)) for side in (self, other))
        differing = np.flatnonzero(mine != yours)
        if not len(differing):
            return None
        at = differing[0]
        return (
            f"its rows are others, or in another order: the true label of row {at + 1:,} is {yours[at]!r} there and "
            f"{mine[at]!r} here"
        )

    def beside(self, other: RowLabels, systems: Mapping[str, tuple[str, str]]) -> PairedPredictions:
        """Both as one: ``systems`` names, for each system of the result, whether it is "mine" or "other", and which."""
        columns = {
            name: (self if side == "mine" else other).systems[system].unpacked(self.rows)
            for name, (side, system) in systems.items()
        }
        return PairedPredictions(self.truth.unpacked(self.rows), columns)


def _texts(column: CodedColumn) -> NDArray[np.object_]:
    found: Sequence[str | None] = [*map(str, column.labels), None]
    return np.array(found, dtype=object)[column.codes]
