"""Where the columns of labels lie in Parquet files: one chunk of bytes for each column of each row group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from infoscope.readers.duckdb.session import Session, exact_path
from infoscope.readers.files import Files
from infoscope.readers.parquet.dictionary import UnfitError

__all__ = ["Chunk", "Kind", "RowGroup", "row_groups"]

_WHOLE: dict[tuple[str, str], tuple[int, int]] = {
    ("INT32", "TINYINT"): (4, 8),
    ("INT32", "SMALLINT"): (4, 16),
    ("INT32", "INTEGER"): (4, 32),
    ("INT32", "UTINYINT"): (-4, 8),
    ("INT32", "USMALLINT"): (-4, 16),
    ("INT32", "UINTEGER"): (-4, 32),
    ("INT64", "BIGINT"): (8, 64),
    ("INT64", "UBIGINT"): (-8, 64),
}
"""Bytes and bits of whole numbers, by how they are stored and what the engine takes them for."""
_SIZES = "SELECT file_name, num_rows, num_row_groups FROM parquet_file_metadata($paths)"
_SCHEMA = "SELECT file_name, name, type, repetition_type, num_children, duckdb_type FROM parquet_schema($paths)"
_CHUNKS = (
    "SELECT file_name, row_group_id, column_id, path_in_schema, row_group_num_rows, num_values, compression, "
    "dictionary_page_offset, data_page_offset, total_compressed_size FROM parquet_metadata($paths) WHERE column_id IN"
)
_FILES = 256
"""That the engine is asked about at once."""


@dataclass(frozen=True)
class Kind:
    """What the values of a column are."""

    number: int
    """Bytes of a whole number, below 0 where it has no sign; 0 for text."""
    optional: bool
    """Whether rows may lack a value."""
    bits: int = 0
    """Of a whole number, which may be fewer than it is stored in."""

    @property
    def within(self) -> range:
        """Whole numbers that the column can hold."""
        return range(2**self.bits) if self.number < 0 else range(-(2 ** (self.bits - 1)), 2 ** (self.bits - 1))


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
    """All row groups with rows.

    UnfitError where a column is neither text nor whole numbers, or nested, and for many small groups. Small groups come
    first: those may be stored in other ways, and then it is well to know soon.
    """
    for start in range(0, len(files.paths), _FILES):
        paths = files.paths[start : start + _FILES]
        by_file = _groups_by_file(session, paths, names)
        for number, (path, groups) in enumerate(zip(paths, by_file, strict=True), start):
            for done, (rows, chunks) in enumerate(sorted(groups, key=itemgetter(0)), 1):
                if rows:
                    yield RowGroup(path, rows, chunks, (number + done / len(groups)) / len(files.paths))


_Group = tuple[int, tuple[Chunk, ...]]


def _groups_by_file(session: Session, paths: Sequence[Path], names: Sequence[str]) -> list[list[_Group]]:
    """Rows and chunks of the groups of each file."""
    schemas = [_leaves(schema) for schema in _by_file(session, paths, _SCHEMA)]
    columns = [[_column(leaves, name) for name in names] for leaves, _ in schemas]
    rows = groups = chunks = 0
    for (_, width), lines in zip(schemas, _by_file(session, paths, _SIZES), strict=True):
        for rows_of_file, groups_of_file in lines:
            rows, groups, chunks = rows + rows_of_file, groups + groups_of_file, chunks + groups_of_file * width
    if not _is_worth_it(rows, groups, chunks, len(names) - 1):
        raise UnfitError
    places = ", ".join(str(place) for place in sorted({place for inside in columns for place, *_ in inside}))
    by_file = []
    for inside, lines in zip(columns, _by_file(session, paths, f"{_CHUNKS} ({places})"), strict=True):
        found: dict[int, dict[int, Any]] = {}
        for group, place, *chunk in lines:
            found.setdefault(group, {})[place] = chunk
        by_file.append([_group(inside, chunk) for chunk in found.values()])
    return by_file


def _is_worth_it(rows: int, groups: int, chunks: int, systems: int) -> bool:
    """Whether files are counted sooner by codes than by the engine, by what each step was found to take.

    The engine describes the chunks of all columns, wanted or not, and small row groups are a burden to both.

    >>> _is_worth_it(2 * 10**7, 163, 163 * 11, 1), _is_worth_it(10**6, 10**4, 10**4 * 3, 1)
    (True, False)
    >>> _is_worth_it(10**6, 20, 20 * 2000, 1), _is_worth_it(1000, 1, 3, 1)
    (False, True)
    """
    by_codes = 18e-6 * chunks + 45e-6 * groups * (systems + 1) + 2.5e-9 * rows * systems
    by_engine = systems * (8e-3 + 100e-6 * groups + 13e-9 * rows)
    return by_codes < by_engine


def _by_file(session: Session, paths: Sequence[Path], statement: str) -> list[list[Any]]:
    """Lines of an answer for each file, which the engine names by its whole path."""
    lines: dict[str, list[Any]] = {str(path.absolute()): [] for path in paths}
    for name, *line in session.rows(statement, paths=[exact_path(path) for path in paths]):
        if name not in lines:
            raise UnfitError
        lines[name].append(line)
    if len(lines) < len(paths):
        raise UnfitError  # a file that is to be read twice
    return list(lines.values())


_Leaf = tuple[int, str, Kind | None]


def _leaves(schema: Sequence[Any]) -> tuple[list[_Leaf], int]:
    """Columns that are not inside another: place among all that hold values, name, and kind where it is of use.

    And how many hold values, inside others or not.
    """
    leaves: list[_Leaf] = []
    place, inside = 0, [1]
    for name, stored, repetition, children, meant in schema:
        while inside and not inside[-1]:
            inside.pop()
        if not inside:
            raise UnfitError
        inside[-1] -= 1
        if children:
            inside.append(children)
            continue
        if len(inside) == 2:  # the root, and this
            leaves.append((place, name, _kind(stored, repetition, meant)))
        place += 1
    return leaves, place


def _kind(stored: str, repetition: str, meant: str) -> Kind | None:
    if repetition not in ("REQUIRED", "OPTIONAL"):
        return None
    optional = repetition == "OPTIONAL"
    if (stored, meant) == ("BYTE_ARRAY", "VARCHAR"):
        return Kind(0, optional)
    if (stored, meant) not in _WHOLE:
        return None
    number, bits = _WHOLE[stored, meant]
    return Kind(number, optional, bits)


def _column(leaves: Sequence[_Leaf], name: str) -> tuple[int, str, Kind]:
    found = [(place, kind) for place, known, kind in leaves if known == name]
    if len(found) != 1 or found[0][1] is None:
        raise UnfitError
    return found[0][0], name, found[0][1]


def _group(columns: Sequence[tuple[int, str, Kind]], stored: dict[int, Any]) -> _Group:
    """The rows of a group, and its chunks in the order of the columns."""
    rows: set[int] = set()
    chunks = []
    for place, name, kind in columns:
        if place not in stored:
            raise UnfitError
        path, count, values, compression, dictionary, data, size = stored[place]
        rows |= {count, values}
        starts = [start for start in (dictionary, data) if start]
        if path != name or not starts or size is None or size < 0:
            raise UnfitError
        chunks.append(Chunk(kind, compression, min(starts), size))
    if len(rows) != 1:
        raise UnfitError
    return rows.pop(), tuple(chunks)
