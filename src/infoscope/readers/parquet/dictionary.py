"""Counting by codes: batches of dictionary-encoded columns to tables, all systems in one pass.

Each batch has its own dictionary. Its codes are counted as they are, and its small tables are moved to the common
places of its labels when the dictionary changes; so a label is looked at once for each dictionary, never once for each
row. Columns are Arrow arrays of text, which may be encoded already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from infoscope.readers.tally import Ints, Tally
from infoscope.tables.counting import scatter

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CountedCodes", "Counting", "Places", "UnfitError", "grown"]

_BLOCK = 1 << 14
_CELLS = 1 << 22
"""Of all tables together."""


class UnfitError(Exception):
    """The columns do not lend themselves to it: an engine counts them, or says what is wrong."""


class CountedCodes(Protocol):
    """What one thread has counted: a table of truth against each system, by the common places of their labels."""

    totals: list[Ints]


class Places:
    """Where each label of each column stands in the tables of all threads; the first column is the truth."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.known: list[dict[Any, int]] = [{} for _ in names]
        """Of each column; only to be read, for new labels come in by one door."""
        self._lock = Lock()

    def of(self, column: int, labels: Sequence[Any]) -> list[int]:
        """Places of the labels, new ones after all that are known."""
        known = self.known[column]
        places = list(map(known.get, labels))
        if None in places:
            with self._lock:
                places = [known.setdefault(label, len(known)) for label in labels]
                truth, *systems = map(len, self.known)
            if truth * sum(systems) > _CELLS:
                raise UnfitError
        return cast("list[int]", places)

    def tallies(self, threads: Sequence[CountedCodes]) -> list[Tally]:
        """One tally for each system, of those labels that have data."""
        return [self._tally(system, [t.totals[system - 1] for t in threads]) for system in range(1, len(self.names))]

    def _tally(self, system: int, parts: Sequence[Ints]) -> Tally:
        total = np.zeros((len(self.known[0]), len(self.known[system])), dtype=np.int64)
        for part in parts:  # which may have room for more labels than there are
            inside = part[: total.shape[0], : total.shape[1]]
            total[: inside.shape[0], : inside.shape[1]] += inside
        cells = np.nonzero(total)
        labels: list[Sequence[Any]] = []
        codes = []
        for column, code in zip((0, system), cells, strict=True):
            everything = list(self.known[column])
            found, places = np.unique(code, return_inverse=True)
            labels.append([everything[i] for i in found])
            codes.append(places)
        keys = (self.names[0], self.names[system])
        return Tally(keys, tuple(labels), np.array(codes, dtype=np.int64), total[cells])


class Counting:
    """What one thread has counted: a table of truth against each system."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._alphabets: list[_Alphabet] = []
        self._tables: list[Ints] = []
        self.totals: list[Ints] = [np.zeros((0, 0), dtype=np.int64) for _ in places.names[1:]]

    def add(self, batch: pa.RecordBatch) -> None:
        """Count a batch of rows."""
        columns = [_encoded(batch.column(i)) for i in range(len(self._places.names))]
        old: Sequence[_Alphabet | None] = self._alphabets or [None] * len(columns)
        alphabets = [_alphabet(column, known) for column, known in zip(columns, old, strict=True)]
        if any(new is not known for new, known in zip(alphabets, old, strict=True)):
            self.settle()
            self._begin(alphabets)
        truth, *systems = (alphabet.codes(column) for alphabet, column in zip(alphabets, columns, strict=True))
        ones, add = np.ones(min(_BLOCK, len(truth)), dtype=np.int64), scatter()
        for start in range(0, len(truth), _BLOCK):  # as much as the cache holds
            rows = truth[start : start + _BLOCK]
            for table, system in zip(self._tables, systems, strict=True):
                add(table, rows, system[start : start + _BLOCK], ones[: len(rows)])

    def _begin(self, alphabets: list[_Alphabet]) -> None:
        truth, *systems = (len(alphabet.labels) for alphabet in alphabets)
        if truth * sum(systems) > _CELLS:
            raise UnfitError
        self._alphabets = alphabets
        self._tables = [np.zeros((truth, system + 1), dtype=np.int64) for system in systems]

    def settle(self) -> None:
        """Add the tables of the current dictionaries at the common places of their labels."""
        if not self._alphabets:
            return
        truth, *systems = (self._places_of(i, alphabet) for i, alphabet in enumerate(self._alphabets))
        for i, (system, table) in enumerate(zip(systems, self._tables, strict=True)):
            self.totals[i] = total = grown(self.totals[i], (int(truth.max()) + 1, int(system.max()) + 1))
            whence = np.full(total.shape[1], len(system))  # the last column of such a table is empty
            whence[system] = np.arange(len(system))
            total[truth] += table.take(whence, axis=1)
        self._alphabets = []

    def _places_of(self, column: int, alphabet: _Alphabet) -> Ints:
        places = self._places.of(column, alphabet.labels)
        if len(set(places)) < len(places):
            raise UnfitError  # a dictionary that has a label twice, whose counts would not be added up
        return np.array(places)


_Table = TypeVar("_Table", NDArray[np.int64], NDArray[np.uint32])


def grown(table: _Table, shape: tuple[int, ...]) -> _Table:
    """The table with room for this many labels; when it grows, over-allocate to amortise growth."""
    if table.shape[0] >= shape[0] and table.shape[1] >= shape[1]:
        return table
    spare = 0.5 if table.size else 0.0
    size = [has if has >= needs else needs + int(spare * needs) for has, needs in zip(table.shape, shape, strict=True)]
    larger: _Table = np.zeros(size, dtype=table.dtype)
    larger[: table.shape[0], : table.shape[1]] = table
    return larger


@dataclass(frozen=True)
class _Alphabet:
    """What the codes of a column mean for a while; the last label is None, for a hole."""

    labels: Sequence[Any]
    dictionary: Any

    def codes(self, column: Any) -> NDArray[np.int32]:
        """As Arrow keeps them; its own way to an array would load pandas."""
        hole = len(self.labels) - 1
        indices = column.indices
        if indices.null_count:
            indices = indices.fill_null(hole)
        kind = np.dtype(str(indices.type))
        codes = np.frombuffer(indices.buffers()[1], kind, len(indices), indices.offset * kind.itemsize)
        codes = codes.astype(np.int32, copy=False)
        if len(codes) and codes.view(np.uint32).max() > hole:
            raise UnfitError  # nothing below looks before it writes
        return codes


def _encoded(column: Any) -> Any:
    return column if hasattr(column, "dictionary") else column.dictionary_encode()


def _alphabet(column: Any, old: _Alphabet | None) -> _Alphabet:
    """The alphabet of a batch: the old one if it will do."""
    if old is not None and column.dictionary.equals(old.dictionary):
        return old
    return _Alphabet([*column.dictionary.to_pylist(), None], column.dictionary)
