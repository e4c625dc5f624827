"""Parquet files of tables: their metadata and columns, as they come from files that anybody may have written."""

from __future__ import annotations

import datetime
import glob
import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import infoscope.core.compiled_duckdb as duckdb
from infoscope.core.embedded_database import check_utf8, embedded_database
from infoscope.core.records import parsed
from infoscope.errors import InputError
from infoscope.tables.cell_checks import check_total
from infoscope.tables.labels import Label, as_label, kind_of

__all__ = [
    "TYPES",
    "StoredTables",
    "check_distinct",
    "check_squares",
    "check_sum",
    "checked_values",
    "checksum",
    "exact_path",
    "faults_of",
    "label_from_json",
    "label_to_json",
    "opened",
]

MANY_ROWS = 1 << 22
_TWICE = "a cell has two rows"
_WHOLE = frozenset(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"))
_REAL = frozenset(("FLOAT", "DOUBLE"))
TYPES: Mapping[str, frozenset[str]] = {
    "text": frozenset(("VARCHAR",)),
    "int": _WHOLE,
    "float": _REAL,
    "bool": frozenset(("BOOLEAN",)),
    "date": frozenset(("DATE",)),
    "time": frozenset(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")),
    "json": frozenset(("VARCHAR",)),
    "value": _WHOLE | _REAL,
}
"""The types that a column may have, by what it holds."""


def exact_path(path: Path) -> str:
    """A path that the engine takes as it is, also with ``*``, ``?`` and ``[`` in its name."""
    name = str(path.absolute())
    check_utf8(path)
    if glob.has_magic(name) and "\\" in name:
        raise InputError(f"{path} has both a backslash and one of *?[ in its name; rename it")
    return glob.escape(name)


@contextmanager
def faults_of(path: Path) -> Iterator[None]:
    """What is wrong inside, with the name of the file."""
    try:
        yield
    except InputError as error:
        raise InputError(
            f"{path} is not a valid file of tables: {error}; write it again (infoscope count, or Contingency.save)"
        ) from None


@dataclass(frozen=True)
class StoredTables:
    """An open Parquet file of tables."""

    path: Path
    connection: Any
    entries: Mapping[str, str]
    """Its metadata, as text."""

    def columns(self, types: Mapping[str, Collection[str]]) -> dict[str, Any]:
        """The columns of these types, and the column of values, as arrays."""
        wanted = {**types, "value": TYPES["value"]}
        kept = {"path": exact_path(self.path)}
        try:
            described = self.connection.execute("DESCRIBE FROM read_parquet($path)", kept).fetchall()
            _check_types({name: kind for name, kind, *_ in described}, wanted)
            names = ", ".join(f'"{name}"' for name in wanted)
            self._reject_endless(", ".join(types), kept)
            found: dict[str, Any] = self.connection.execute(
                f"SELECT {names} FROM read_parquet($path)", kept
            ).fetchnumpy()
        except (duckdb.Error, UnicodeDecodeError, OverflowError, MemoryError) as error:
            raise InputError(f"its rows cannot be read ({_first_line(error)})") from None
        return found

    def _reject_endless(self, keys: str, kept: Mapping[str, str]) -> None:
        """Billions of equal rows fit in a small file and in no memory: many rows are looked at before they are read."""
        rows = self.connection.execute("SELECT count(*) FROM read_parquet($path)", kept).fetchone()[0]
        again = f"SELECT 1 FROM read_parquet($path) GROUP BY {keys} HAVING count(*) > 1 LIMIT 1"
        if rows > MANY_ROWS and self.connection.execute(again, kept).fetchone():
            raise InputError(_TWICE)


@contextmanager
def opened(path: Path, fault: str = "is not a table written by infoscope") -> Iterator[StoredTables]:
    """A Parquet file of tables; ``fault`` is the message for anything else."""
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    with embedded_database() as connection:
        try:
            pairs = connection.execute(
                "SELECT key, value FROM parquet_kv_metadata($path)", {"path": exact_path(path)}
            ).fetchall()
        except duckdb.Error as error:
            raise InputError(f"{path} {fault}: {_first_line(error)}") from None
        yield StoredTables(path, connection, _texts(pairs, path))


def _texts(pairs: Sequence[tuple[bytes, bytes]], path: Path) -> dict[str, str]:
    try:
        entries = {bytes(key).decode(): bytes(value).decode() for key, value in pairs if key.startswith(b"infoscope")}
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a valid file of tables: its metadata is not UTF-8; write it again") from None
    if "infoscope" not in entries:
        raise InputError(f"{path} is a Parquet file but not a table written by infoscope; read it with -t and -s")
    return entries


def _check_types(found: Mapping[str, str], wanted: Mapping[str, Collection[str]]) -> None:
    if set(found) != set(wanted):
        raise InputError(f"its columns are {', '.join(found)}, and must be {', '.join(wanted)}")
    for name, types in wanted.items():
        if found[name] not in types:
            raise InputError(f"its column {name!r} is of type {found[name]}, and must be {' or '.join(sorted(types))}")


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def checked_values(column: NDArray[Any]) -> NDArray[Any]:
    """Counts or weights: finite, not negative, and with a finite sum."""
    if np.ma.isMaskedArray(column) and np.ma.getmaskarray(column).any():
        raise InputError("a row has no count")
    values = np.ma.getdata(column)
    wide = values.astype(np.int64 if values.dtype.kind in "iu" else np.float64)
    bad = ~((wide >= 0) & (wide < np.inf))
    if bad.any():
        raise InputError(f"a count is {wide[bad][0]}; counts are finite and not negative")
    check_total(wide)
    return wide


def check_distinct(rows: NDArray[np.int64], columns: NDArray[np.int64], width: int) -> None:
    """Reject a cell that has two rows."""
    keys = rows * width + columns
    if not (keys[1:] > keys[:-1]).all() and len(np.unique(keys)) < len(keys):  # files are written in order
        raise InputError(_TWICE)


def check_squares(squares: float | None, total: float) -> None:
    """Reject a sum of squared weights that no weights of this total have: it is at most the square of their sum."""
    with np.errstate(over="ignore"):
        if squares is not None and squares > float(np.square(np.float64(total))) * (1 + 1e-6) + 1e-300:
            raise InputError(f"its sum of squared weights is {squares:g}, too large for weights that sum to {total:g}")


def checksum(facts: Mapping[str, Any], *content: str) -> str:
    """A name for all that a file says: its metadata, less the checksum itself, and what stands for its content."""
    rest = {name: fact for name, fact in facts.items() if name != "checksum"}
    said = json.dumps([rest, *content], sort_keys=True)
    return f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"


def check_sum(facts: Mapping[str, Any], *content: str) -> None:
    """Reject content that changed since it was written; files without a checksum were written before there was one."""
    if facts.get("checksum") not in (None, checksum(facts, *content)):
        raise InputError("its content does not have the checksum in its metadata, so it was changed or damaged")


_KINDS: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "text": (str, str),
    "int": (int, int),
    "float": (float, float),
    "bool": (bool, bool),
    "date": (str, datetime.date.fromisoformat),
    "time": (str, datetime.datetime.fromisoformat),
}
"""For each kind the type of its value in JSON, and what makes a label of it."""


def label_to_json(label: Label) -> str:
    """A label of any kind as text, the same for all of its forms on disk.

    >>> label_to_json(3), label_to_json("3"), label_to_json(datetime.date(2020, 1, 2))
    ('["int", 3]', '["text", "3"]', '["date", "2020-01-02"]')
    """
    return json.dumps([kind_of(label), label.isoformat() if isinstance(label, datetime.date) else label])


def label_from_json(text: object) -> Label:
    """The label that such a text stands for; anything else is rejected.

    >>> label_from_json('["date", "2020-01-02"]')
    datetime.date(2020, 1, 2)
    """
    if not isinstance(text, str):
        raise InputError(f"a label is stored as {type(text).__name__}, and must be text")
    found = parsed(text)
    if isinstance(found, list) and len(found) == 2 and isinstance(found[0], str) and found[0] in _KINDS:
        type_, make = _KINDS[found[0]]
        if type(found[1]) is type_:
            try:
                return as_label(make(found[1]))
            except ValueError:
                pass
    raise InputError(f"a label is stored as {text[:60]!r}, and must be [kind, value] with one of {', '.join(_KINDS)}")
