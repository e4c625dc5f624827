"""Where the columns of labels lie in Parquet files: one chunk of bytes for each column of each row group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from infoscope.readers.codes import UnfitError
from infoscope.readers.files import Files
from infoscope.readers.session import Session, exact_path

__all__ = ["Chunk", "Kind", "RowGroup", "row_groups"]

_TEXT = "BYTE_ARRAY"
_WHOLE: dict[tuple[str, str | None], int] = {
    ("INT32", None): 4,
    ("INT64", None): 8,
    **{("INT32", f"INT_{bits}"): 4 for bits in (8, 16, 32)},
    **{("INT32", f"UINT_{bits}"): -4 for bits in (8, 16, 32)},
    ("INT64", "INT_64"): 8,
    ("INT64", "UINT_64"): -8,
}
"""Bytes of whole numbers, by how they are stored and what the older of two notes says they mean."""
_SCHEMA = "SELECT name, type, repetition_type, num_children, converted_type, logical_type FROM parquet_schema($path)"
_CHUNKS = (
    "SELECT row_group_id, row_group_num_rows, column_id, num_values, compression, "
    "dictionary_page_offset, data_page_offset, total_compressed_size FROM parquet_metadata($path) WHERE column_id IN "
)


@dataclass(frozen=True)
class Kind:
    """What the values of a column are."""

    number: int
    """Bytes of a whole number, below 0 where it has no sign; 0 for text."""
    optional: bool
    """Whether rows may lack a value."""


@dataclass(frozen=True)
class Chunk:
    """One column of one row group."""

    kind: Kind
    compression: str
    start: int
    size: int


@dataclass(frozen=True)
class RowGroup:
    """Rows of one file, with a chunk for each column that was asked for."""

    path: Path
    rows: int
    chunks: tuple[Chunk, ...]
    share: float
    """Of all row groups of all files, this one and those before it."""


def row_groups(session: Session, files: Files, names: Sequence[str]) -> Iterator[RowGroup]:
    """All row groups with rows; UnfitError where a column is neither text nor whole numbers, or nested.

    Small ones come first: those may be stored in other ways, and then it is well to know soon.
    """
    for number, path in enumerate(files.paths):
        leaves = _leaves(session.run(_SCHEMA, path=exact_path(path)).fetchall())
        columns = [_column(leaves, name) for name in names]
        wanted = ", ".join(str(place) for place in sorted({place for place, _ in columns}))
        groups: dict[int, dict[int, Any]] = {}
        for group, rows, column, *chunk in session.run(f"{_CHUNKS} ({wanted})", path=exact_path(path)).fetchall():
            groups.setdefault(group, {})[column] = (rows, *chunk)
        sized = sorted((_chunks(columns, chunks) for chunks in groups.values()), key=itemgetter(0))
        for done, (rows, chunks) in enumerate(sized, 1):
            if rows:
                yield RowGroup(path, rows, chunks, (number + done / len(sized)) / len(files.paths))


_Leaf = tuple[int, str, Kind | None]


def _leaves(schema: Sequence[Any]) -> list[_Leaf]:
    """Columns that are not inside another: place among all that hold values, name, and kind where it is of use."""
    leaves: list[_Leaf] = []
    place, inside = 0, [1]
    for name, stored, repetition, children, converted, logical in schema:
        while inside and not inside[-1]:
            inside.pop()
        if not inside:
            raise UnfitError
        inside[-1] -= 1
        if children:
            inside.append(children)
            continue
        if len(inside) == 2:  # the root, and this
            leaves.append((place, name, _kind(stored, repetition, converted, logical)))
        place += 1
    return leaves


def _kind(stored: str, repetition: str, converted: str | None, logical: Any) -> Kind | None:
    if repetition not in ("REQUIRED", "OPTIONAL"):
        return None
    optional = repetition == "OPTIONAL"
    if stored == _TEXT and converted == "UTF8":
        return Kind(0, optional)
    number = _WHOLE.get((stored, converted))
    if number is None or (converted is None and logical is not None):
        return None
    return Kind(number, optional)


def _column(leaves: Sequence[_Leaf], name: str) -> tuple[int, Kind]:
    found = [(place, kind) for place, known, kind in leaves if known == name]
    if len(found) != 1 or found[0][1] is None:
        raise UnfitError
    return found[0][0], found[0][1]


def _chunks(columns: Sequence[tuple[int, Kind]], stored: dict[int, Any]) -> tuple[int, tuple[Chunk, ...]]:
    """The rows of a group, and its chunks in the order of the columns."""
    rows: set[int] = set()
    chunks = []
    for place, kind in columns:
        if place not in stored:
            raise UnfitError
        count, values, compression, dictionary, data, size = stored[place]
        rows |= {count, values}
        starts = [start for start in (dictionary, data) if start]
        if not starts or size is None or size < 0:
            raise UnfitError
        chunks.append(Chunk(kind, compression, min(starts), size))
    if len(rows) != 1:
        raise UnfitError
    return rows.pop(), tuple(chunks)
