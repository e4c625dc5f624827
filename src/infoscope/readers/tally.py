"""Tally: how often each distinct row of a source occurred.

Every engine reduces its source to tallies and nothing else; what labels mean, which rows are
ignored and how tables are made of them is decided once, from the tally.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.readers.labels import is_missing

__all__ = ["Floats", "Ints", "Tally", "encode", "merged", "summed"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tally:
    """Distinct combinations of some columns, with their rows and weights.

    ``codes`` has one line for each key column and one column for each cell; a code points into
    the column's ``labels``. ``unweighed`` marks cells whose rows lack a weight.
    """

    keys: tuple[str, ...]
    labels: tuple[Sequence[Any], ...]
    codes: Ints
    rows: Ints
    weights: Floats | None = None
    squares: Floats | None = None
    least: Floats | None = None
    unweighed: NDArray[np.bool_] | None = None

    @classmethod
    def from_columns(
        cls,
        keys: tuple[str, ...],
        values: Sequence[Iterable[Any]],
        rows: Iterable[int],
        **sums: Any,
    ) -> Tally:
        """A tally from the columns that an engine returns, one line per cell."""
        encoded = [encode(column, key) for key, column in zip(keys, values, strict=True)]
        counts = np.fromiter(rows, dtype=np.int64)
        codes = np.array([codes for _, codes in encoded], dtype=np.int64)
        return cls(
            keys,
            tuple(labels for labels, _ in encoded),
            codes.reshape(len(keys), -1),
            counts,
            **sums,
        )

    @property
    def total(self) -> int:
        """Rows that were read."""
        return int(self.rows.sum())

    def mapped(self, name: str, meaning: Callable[[Any], Any]) -> Tally:
        """The same tally with the labels of one column replaced."""
        labels = tuple(
            [meaning(value) for value in column] if key == name else column
            for key, column in zip(self.keys, self.labels, strict=True)
        )
        return replace(self, labels=labels)


def merged(tallies: Sequence[Tally]) -> Tally:
    """The tally of all rows of several sources: counts add, label sets grow.

    >>> part = Tally.from_columns(("gold", "svm"), [["a"], ["b"]], [2])
    >>> merged([part, part]).rows
    array([4])
    """
    first = tallies[0]
    places: list[dict[tuple[type, Any], int]] = [{} for _ in first.keys]
    codes = []
    for tally in tallies:
        moves = [
            np.array([place.setdefault((type(x), x), len(place)) for x in column], dtype=np.int64)
            for place, column in zip(places, tally.labels, strict=True)
        ]
        codes.append([move[code] for move, code in zip(moves, tally.codes, strict=True)])
    labels = tuple([value for _, value in place] for place in places)
    columns = np.concatenate([np.array(c, np.int64).reshape(len(first.keys), -1) for c in codes], 1)
    joined = Tally(
        first.keys,
        labels,
        columns,
        np.concatenate([tally.rows for tally in tallies]),
        *(
            None if getattr(first, name) is None else np.concatenate([getattr(tally, name) for tally in tallies])
            for name in ("weights", "squares", "least", "unweighed")
        ),
    )
    return summed(joined)


def summed(tally: Tally) -> Tally:
    """The same tally with every cell once."""
    flag = np.zeros(len(tally.rows), np.int64) if tally.unweighed is None else tally.unweighed
    keys = np.vstack([tally.codes, np.asarray(flag, dtype=np.int64)])
    cells, place = np.unique(keys, axis=1, return_inverse=True)
    place = place.reshape(-1)
    size = cells.shape[1]
    rows = np.zeros(size, np.int64)
    np.add.at(rows, place, tally.rows)
    if tally.weights is None or tally.squares is None or tally.least is None:
        return replace(tally, codes=cells[:-1], rows=rows)
    least = np.full(size, np.inf)
    np.fmin.at(least, place, tally.least)
    return replace(
        tally,
        codes=cells[:-1],
        rows=rows,
        weights=np.bincount(place, tally.weights, size).astype(np.float64),
        squares=np.bincount(place, tally.squares, size).astype(np.float64),
        least=least,
        unweighed=cells[-1].astype(bool),
    )


def encode(values: Iterable[Any], column: str = "") -> tuple[list[Any], Ints]:
    """Distinct values in order of appearance, and for each value its place among them.

    Values of different types stay apart even where Python calls them equal (1 and True); every
    kind of hole is None.

    >>> encode(["b", "a", "b"])
    (['b', 'a'], array([0, 1, 0]))
    """
    values = values if isinstance(values, Sequence) else list(values)
    if set(map(type, values)) <= {str, type(None)}:
        texts = {value: place for place, value in enumerate(dict.fromkeys(values))}
        return list(texts), np.fromiter(map(texts.__getitem__, values), dtype=np.int64, count=len(values))
    places: dict[tuple[type, Any], int] = {}
    try:
        codes = np.fromiter(
            (
                places.setdefault((type(value), value), len(places))
                for value in (None if is_missing(value) else value for value in values)
            ),
            dtype=np.int64,
        )
    except TypeError as error:
        raise InputError(
            f"column {column!r} holds lists or records; labels are text, numbers, booleans or dates"
        ) from error
    return [value for _, value in places], codes
