"""Counting by codes: Parquet by its own dictionaries, text as it streams by where pyarrow is there.

A label is looked at once for each dictionary, never once for each row. The bytes of a Parquet column are handed to the
compiled part (``native/``), which unpacks codes and adds each row to its cell; row groups of remote files are on their
way while others are counted. Whatever does not fit (other encodings, damage, many labels) raises ``UnfitError``, and
the engine counts such files, or says what is wrong with them. At the end, a check of gzip pages, which the engine does
not make.
"""

from __future__ import annotations

import os
import re
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from infoscope.core.embedded_database import duckdb, escape_path
from infoscope.core.native_code import import_compiled_part
from infoscope.errors import InputError
from infoscope.readers.csv_text import open_text
from infoscope.readers.files import Files
from infoscope.readers.progress import show_progress
from infoscope.readers.query import Query
from infoscope.readers.stores import MirroredFile, join_ranges
from infoscope.tables.counting import get_scatter
from infoscope.tables.rows import Ints, Rows

if TYPE_CHECKING:
    import pyarrow as pa

    from infoscope.readers.duckdb import Scan, Session


# ── batches of dictionary-encoded columns ────────────────────────────────────────────────────────


_BLOCK = 1 << 14
_CELLS = 1 << 22
"""Of all tables together."""


class UnfitError(Exception):
    """The columns do not lend themselves to it: an engine counts them, or says what is wrong."""


class CountedCodes(Protocol):
    """The counts of one thread: a table of truth against each system, by the common places of their labels."""

    totals: list[Ints]


class Places:
    """Places of the labels of each column in the tables of all threads; the first column is the truth."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.known: list[dict[Any, int]] = [{} for _ in names]
        """Of each column; only to be read, for new labels come in by one door."""
        self._lock = Lock()

    def of(self, column: int, labels: Sequence[Any]) -> list[int]:
        """Return places of the labels, new ones after all that are known."""
        known = self.known[column]
        places = list(map(known.get, labels))
        if None in places:
            with self._lock:
                places = [known.setdefault(label, len(known)) for label in labels]
                truth, *systems = map(len, self.known)
            if truth * sum(systems) > _CELLS:
                raise UnfitError
        return cast("list[int]", places)

    def collect_rows(self, threads: Sequence[CountedCodes]) -> list[Rows]:
        """Return the rows of truth and each system, with the labels that have data."""
        margins = []
        for system in range(1, len(self.names)):
            total = np.zeros((len(self.known[0]), len(self.known[system])), dtype=np.int64)
            for thread in threads:  # whose tables may have room for more labels than there are
                inside = thread.totals[system - 1][: total.shape[0], : total.shape[1]]
                total[: inside.shape[0], : inside.shape[1]] += inside
            cells = np.nonzero(total)
            labels: list[Sequence[Any]] = []
            codes = []
            for column, code in zip((0, system), cells, strict=True):
                known = list(self.known[column])
                used, places = np.unique(code, return_inverse=True)
                labels.append([known[i] for i in used])
                codes.append(places)
            keys = (self.names[0], self.names[system])
            margins.append(Rows.from_coded_cells(keys, labels, codes, total[cells]))
        return margins


class Counting:
    """The counts of one thread: a table of truth against each system."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._alphabets: list[_Alphabet] = []
        self._tables: list[Ints] = []
        self.totals: list[Ints] = [np.zeros((0, 0), dtype=np.int64) for _ in places.names[1:]]

    def add(self, batch: pa.RecordBatch) -> None:
        """Count a batch of rows."""
        columns = [
            column if hasattr(column, "dictionary") else column.dictionary_encode()
            for column in (batch.column(i) for i in range(len(self._places.names)))
        ]
        old: Sequence[_Alphabet | None] = self._alphabets or [None] * len(columns)
        alphabets = [
            known
            if known is not None and column.dictionary.equals(known.dictionary)
            else _Alphabet([*column.dictionary.to_pylist(), None], column.dictionary)
            for column, known in zip(columns, old, strict=True)
        ]
        if any(new is not known for new, known in zip(alphabets, old, strict=True)):
            self.settle()
            lines, *widths = (len(alphabet.labels) for alphabet in alphabets)
            if lines * sum(widths) > _CELLS:
                raise UnfitError
            self._alphabets = alphabets
            self._tables = [np.zeros((lines, width + 1), dtype=np.int64) for width in widths]
        truth, *systems = (alphabet.codes(column) for alphabet, column in zip(alphabets, columns, strict=True))
        ones, add = np.ones(min(_BLOCK, len(truth)), dtype=np.int64), get_scatter()
        for start in range(0, len(truth), _BLOCK):  # as much as the cache holds
            rows = truth[start : start + _BLOCK]
            for table, system in zip(self._tables, systems, strict=True):
                add(table, rows, system[start : start + _BLOCK], ones[: len(rows)])

    def settle(self) -> None:
        """Add the tables of the current dictionaries at the common places of their labels."""
        if not self._alphabets:
            return
        columns = []
        for column, alphabet in enumerate(self._alphabets):
            places = self._places.of(column, alphabet.labels)
            if len(set(places)) < len(places):
                raise UnfitError  # a dictionary that has a label twice, whose counts would not be added up
            columns.append(np.array(places))
        truth, *systems = columns
        for i, (system, table) in enumerate(zip(systems, self._tables, strict=True)):
            self.totals[i] = total = grow(self.totals[i], (int(truth.max()) + 1, int(system.max()) + 1))
            whence = np.full(total.shape[1], len(system))  # the last column of such a table is empty
            whence[system] = np.arange(len(system))
            total[truth] += table.take(whence, axis=1)
        self._alphabets = []


_Table = TypeVar("_Table", NDArray[np.int64], NDArray[np.uint32])


def grow(table: _Table, shape: tuple[int, ...]) -> _Table:
    """Return the table with room for this many labels; when it grows, over-allocate to amortise growth."""
    if table.shape[0] >= shape[0] and table.shape[1] >= shape[1]:
        return table
    spare = 0.5 if table.size else 0.0
    size = [has if has >= needs else needs + int(spare * needs) for has, needs in zip(table.shape, shape, strict=True)]
    larger: _Table = np.zeros(size, dtype=table.dtype)
    larger[: table.shape[0], : table.shape[1]] = table
    return larger


@dataclass(frozen=True)
class _Alphabet:
    """The meaning of a column's codes for a while; the last label is None, for a hole."""

    labels: Sequence[Any]
    dictionary: Any

    def codes(self, column: Any) -> NDArray[np.int32]:
        """Return codes as Arrow keeps them; its own way to an array would load pandas."""
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


# ── where columns lie in Parquet files ───────────────────────────────────────────────────────────


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
    """The type of the values of a column."""

    number: int
    """Bytes of a whole number, below 0 where it has no sign; 0 for text."""
    optional: bool
    """True if rows may lack a value."""
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
    """Yield all row groups with rows.

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


_RowsAndChunks = tuple[int, tuple[Chunk, ...]]


def _groups_by_file(session: Session, paths: Sequence[Path], names: Sequence[str]) -> list[list[_RowsAndChunks]]:
    """Return rows and chunks of the groups of each file."""
    schemas = [_leaves(schema) for schema in _by_file(session, paths, _SCHEMA)]
    columns: list[list[tuple[int, str, Kind]]] = []
    for leaves, _ in schemas:
        columns.append([])
        for name in names:
            named = [(place, kind) for place, known, kind in leaves if known == name]
            if len(named) != 1 or named[0][1] is None:
                raise UnfitError
            columns[-1].append((named[0][0], name, named[0][1]))
    rows = groups = chunks = 0
    for (_, width), lines in zip(schemas, _by_file(session, paths, _SIZES), strict=True):
        for rows_of_file, groups_of_file in lines:
            rows, groups, chunks = rows + rows_of_file, groups + groups_of_file, chunks + groups_of_file * width
    if not _are_codes_faster(rows, groups, chunks, len(names) - 1):
        raise UnfitError
    places = ", ".join(str(place) for place in sorted({place for inside in columns for place, *_ in inside}))
    by_file = []
    for inside, lines in zip(columns, _by_file(session, paths, f"{_CHUNKS} ({places})"), strict=True):
        found: dict[int, dict[int, Any]] = {}
        for group, place, *chunk in lines:
            found.setdefault(group, {})[place] = chunk
        by_file.append([_group(inside, chunk) for chunk in found.values()])
    return by_file


def _are_codes_faster(rows: int, groups: int, chunks: int, systems: int) -> bool:
    """Return True if files are counted sooner by codes than by the engine, by what each step was found to take.

    The engine describes the chunks of all columns, wanted or not, and small row groups are a burden to both.

    >>> _are_codes_faster(2 * 10**7, 163, 163 * 11, 1), _are_codes_faster(10**6, 10**4, 10**4 * 3, 1)
    (True, False)
    >>> _are_codes_faster(10**6, 20, 20 * 2000, 1), _are_codes_faster(1000, 1, 3, 1)
    (False, True)
    """
    by_codes = 18e-6 * chunks + 45e-6 * groups * (systems + 1) + 2.5e-9 * rows * systems
    by_engine = systems * (8e-3 + 100e-6 * groups + 13e-9 * rows)
    return by_codes < by_engine


def _by_file(session: Session, paths: Sequence[Path], statement: str) -> list[list[Any]]:
    """Return lines of an answer for each file, which the engine names by its whole path."""
    lines: dict[str, list[Any]] = {str(path.absolute()): [] for path in paths}
    for name, *line in session.rows(statement, paths=[escape_path(path) for path in paths]):
        if name not in lines:
            raise UnfitError
        lines[name].append(line)
    if len(lines) < len(paths):
        raise UnfitError  # a file that is to be read twice
    return list(lines.values())


_Leaf = tuple[int, str, Kind | None]


def _leaves(schema: Sequence[Any]) -> tuple[list[_Leaf], int]:
    """Return columns that are not inside another: place among all that hold values, name, and kind if it is of use.

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
            kind, optional = None, repetition == "OPTIONAL"
            if repetition in ("REQUIRED", "OPTIONAL") and (stored, meant) == ("BYTE_ARRAY", "VARCHAR"):
                kind = Kind(0, optional)
            elif repetition in ("REQUIRED", "OPTIONAL") and (stored, meant) in _WHOLE:
                number, bits = _WHOLE[stored, meant]
                kind = Kind(number, optional, bits)
            leaves.append((place, name, kind))
        place += 1
    return leaves, place


def _group(columns: Sequence[tuple[int, str, Kind]], stored: dict[int, Any]) -> _RowsAndChunks:
    """Return the rows of a group, and its chunks in the order of the columns."""
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


# ── row groups by their packed codes ─────────────────────────────────────────────────────────────


_LARGEST_GROUP = 1 << 24
_LARGEST_CHUNK = 1 << 26
_MOST_ROWS = np.iinfo(np.uint32).max
_FEW = 1 << 16
"""Rows of a group up to which columns without a dictionary are taken value by value."""
_MOST_PLACES = np.iinfo(np.uint16).max - 1
_FIELDS, _START, _SIZE, _EXPANDED, _LEVELS, _COMPRESSED, _CHECKSUM = 11, 1, 2, 3, 7, 9, 10
"""Of a page's record, and where it tells the first byte of its body, its bytes before and after expanding, and so on;
first comes its kind."""
_DICTIONARY = 2
_COMPILED = "readers._packed"
_BUILT_IN = ("UNCOMPRESSED", "SNAPPY")
_CODECS = {
    "ZSTD": ("zstd", "decompress_into"),
    "BROTLI": ("brotli", "decompress_into"),
    "LZ4_RAW": ("lz4", "decompress_block_into"),
}
_GZIP_FLAGS = 3
"""The byte of a gzip header that says what else the stream has; the engine knows none that have more."""
_Bytes = NDArray[np.uint8]
InMemory = Callable[[int, int], memoryview | None]
"""Bytes of a file that need not be read from it, by their first and their number."""


def is_built() -> bool:
    """Return True if the compiled part is there and of this version; where it is not, all else works without it."""
    return getattr(import_compiled_part(_COMPILED), "FIELDS", None) == _FIELDS


class PackedCounting:
    """The counts of one thread: a table of truth against each system, with a spare column that stays empty."""

    def __init__(self, places: Places) -> None:
        self._packed: Any = import_compiled_part(_COMPILED)
        self._places = places
        self._truth = np.empty(0, dtype=np.uint16)
        self._room = np.empty(0, dtype=np.uint8)
        self._lines = 0
        self._rows = 0
        self._tables = [np.zeros((0, 0), dtype=np.uint32) for _ in places.names[1:]]
        self.totals: list[Ints] = [np.zeros((0, 0), dtype=np.int64) for _ in places.names[1:]]

    def add(self, file: BinaryIO, group: RowGroup, in_memory: InMemory) -> None:
        """Count the rows of a group; after an error what was counted before is of no use either."""
        if not 0 < group.rows <= _LARGEST_GROUP or any(chunk.size > _LARGEST_CHUNK for chunk in group.chunks):
            raise UnfitError
        if len(self._truth) < group.rows:
            self._truth = np.empty(group.rows, dtype=np.uint16)
        truth = self._truth[: group.rows]
        if self._rows + group.rows > _MOST_ROWS:
            self.settle()
        self._rows += group.rows
        try:
            for column, chunk in enumerate(group.chunks):
                held = in_memory(chunk.start, chunk.size)
                content = self._read(file, chunk) if held is None else np.frombuffer(held, np.uint8)
                self._add(column, content, chunk, truth)
        except ValueError as error:  # the compiled part's word for whatever does not fit
            raise UnfitError from error

    def _add(self, column: int, content: _Bytes, chunk: Chunk, truth: NDArray[np.uint16]) -> None:
        pages: Any = self._packed.pages(content)
        _check_sums(content, pages)
        snappy = chunk.compression == "SNAPPY"
        if chunk.compression not in _BUILT_IN:
            content, pages = _expanded(content, pages, chunk.compression)
        if np.frombuffer(pages, np.int64, 1)[0] == _DICTIONARY:
            labels = self._packed.dictionary(content, pages, snappy, chunk.kind.number)
            _check_range(chunk.kind, labels)
            known = self._packed.places(labels, self._places.known[column])  # in most row groups all were seen before
            places = self._places_of(column, [*labels, None]) if known is None else np.frombuffer(known, np.uint16)
            packed, most = (content, pages, snappy, chunk.kind.optional, places, truth), int(places.max())
            if column == 0:
                self._lines = most + 1
                self._packed.codes(*packed)
            else:
                table = self._table(column, most)
                self._packed.tally(*packed, table, table.shape[1])
        elif len(truth) <= _FEW:  # writers do without a dictionary that would be as long as the rows
            kind = chunk.kind
            values = self._packed.values(content, pages, snappy, kind.optional, kind.number, len(truth))
            _check_range(kind, [value for value in values if value is not None])
            places = self._places_of(column, values)
            if column == 0:
                self._lines = int(places.max()) + 1
                truth[:] = places
            else:
                np.add.at(self._table(column, int(places.max())), (truth, places), 1)
        else:
            raise UnfitError

    def _places_of(self, column: int, labels: list[Any]) -> NDArray[np.uint16]:
        places = self._places.of(column, labels)
        if max(places) > _MOST_PLACES:
            raise UnfitError
        return np.array(places, dtype=np.uint16)

    def _table(self, column: int, most: int) -> NDArray[np.uint32]:
        self._tables[column - 1] = grow(self._tables[column - 1], (self._lines, most + 2))
        return self._tables[column - 1]

    def settle(self) -> None:
        """Add what small tables hold, which fit a processor's cache twice as well, to the totals."""
        for i, table in enumerate(self._tables):
            total = self.totals[i] = grow(self.totals[i], table.shape)
            total[: table.shape[0], : table.shape[1]] += table
            table[:] = 0
        self._rows = 0

    def _read(self, file: BinaryIO, chunk: Chunk) -> _Bytes:
        """Read a chunk into memory that is used again: fresh memory costs more than the work done in it."""
        if len(self._room) < chunk.size:
            self._room = np.empty(chunk.size, dtype=np.uint8)
        done = 0
        while done < chunk.size:
            room: Any = self._room[done : chunk.size]
            if hasattr(os, "preadv"):  # one call, and Python's lock is given up once
                some = os.preadv(file.fileno(), [room], chunk.start + done)
            else:
                file.seek(chunk.start + done)
                some = int(cast("Any", file).readinto(room) or 0)
            if not some:
                raise UnfitError
            done += some
        return self._room[: chunk.size]


def _check_sums(content: _Bytes, records: bytes) -> None:
    """Reject a chunk with a page that is not what its checksum says; not every writer stores them."""
    numbers = memoryview(records).cast("q")
    for at, checksum in enumerate(numbers[_CHECKSUM::_FIELDS]):
        if checksum >= 0:
            start, size = (numbers[at * _FIELDS + place] for place in (_START, _SIZE))
            if zlib.crc32(content[start : start + size].data) != checksum:
                raise UnfitError


def _check_range(kind: Kind, values: list[int]) -> None:
    """Reject whole numbers that their column cannot hold: the engine has words for them."""
    if kind.number and values and not (min(values) in kind.within and max(values) in kind.within):
        raise UnfitError


def _expanded(content: _Bytes, records: bytes, compression: str) -> tuple[_Bytes, NDArray[np.int64]]:
    """Return a chunk with all its pages expanded, and their records."""
    pages = np.frombuffer(records, np.int64).reshape(-1, _FIELDS).copy()
    if pages[:, _EXPANDED].sum() > _LARGEST_CHUNK:
        raise UnfitError
    larger = np.empty(pages[:, _EXPANDED].sum(), dtype=np.uint8)
    at = 0
    for page in pages:
        body = content[page[_START] : page[_START] + page[_SIZE]]
        before, size = max(int(page[_LEVELS]), 0), int(page[_EXPANDED])
        if page[_COMPRESSED] == 0:
            before = size  # nothing of it is compressed
        if before > min(size, len(body)):
            raise UnfitError
        larger[at : at + before] = body[:before]
        if size > before:
            _expand(body[before:], larger[at + before : at + size], compression)
        page[_START], page[_SIZE] = at, size
        at += size
    return larger, pages


def _expand(body: _Bytes, room: _Bytes, compression: str) -> None:
    """Fill the room with what a body expands to, which must be just as much."""
    if compression == "GZIP":  # by zlib, which tells where a stream ends: one, whole and plain, and no more
        stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            data = stream.decompress(body.data, len(room) + 1)
        except zlib.error as error:
            raise UnfitError from error
        if not stream.eof or stream.unused_data or body[_GZIP_FLAGS] or len(data) != len(room):
            raise UnfitError
        room[:] = np.frombuffer(data, np.uint8)
        return
    if compression not in _CODECS:
        raise UnfitError
    import cramjam  # noqa: PLC0415 - only for some files

    module, function = _CODECS[compression]
    try:
        done = getattr(getattr(cramjam, module), function)(body, room)
    except cramjam.DecompressionError as error:
        raise UnfitError from error
    if done != len(room):
        raise UnfitError


# ── row groups of remote files ───────────────────────────────────────────────────────────────────


_AHEAD = 8 << 20
"""Bytes that are asked for before they are needed; with more, fresh memory costs what waiting less would gain."""
_REQUEST = 1 << 20
"""Bytes of small row groups that are asked for together."""
_GAP = 1 << 14
"""Bytes between two ranges that cost less than a request of their own."""
_PREFETCHES = 8
"""Requests at a time."""
_AT_ONCE = 0.005
"""Seconds in which a store answers whose bytes are not asked for ahead."""
_SLOW = 0.02
"""Seconds for the bytes of a block after which all further ones are asked for ahead."""

_Range = tuple[int, int]
LocatedGroup = tuple[RowGroup, InMemory]
"""A row group, and a function that gives its bytes where they need not be read from a file."""


@contextmanager
def locate_groups(groups: Iterator[RowGroup], mirrors: Mapping[Path, MirroredFile]) -> Iterator[Iterator[LocatedGroup]]:
    """Yield row groups with their bytes; those of a store that takes its time are asked for from now on."""
    if not mirrors:
        yield ((group, lambda _start, _size: None) for group in groups)  # no bytes of files here wait in memory
        return
    pool = ThreadPoolExecutor(_PREFETCHES)
    at_once = all(mirror.delay <= _AT_ONCE for mirror in mirrors.values())
    try:
        yield _take_first(_Prefetch(pool, mirrors, 0 if at_once else _AHEAD).locate(groups))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _take_first(groups: Iterator[LocatedGroup]) -> Iterator[LocatedGroup]:
    """Return the same groups, the first of them taken already; what fails here fails again where they are counted."""
    failure: Exception | None = None
    first: list[LocatedGroup] = []
    try:
        first = list(islice(groups, 1))
    except (UnfitError, InputError) as error:
        failure = error

    def rest() -> Iterator[LocatedGroup]:
        if failure is not None:
            raise failure
        yield from first
        yield from groups

    return rest()


@dataclass
class _Prefetch:
    """Requests for the bytes of row groups: sent ahead of the counting, or none before its bytes are needed."""

    pool: ThreadPoolExecutor
    mirrors: Mapping[Path, MirroredFile]
    ahead: int
    """Bytes that are asked for before they are needed."""

    def locate(self, groups: Iterator[RowGroup]) -> Iterator[LocatedGroup]:
        """Yield row groups whose bytes, and those of some groups behind them, were asked for."""
        waiting: deque[LocatedGroup] = deque()
        requested = 0
        for block in _blocks(groups):
            contents: dict[_Range, Callable[[], memoryview]] = {}
            mirror = self.mirrors.get(block[0].path)
            if mirror is not None:
                spans = {(chunk.start, chunk.start + chunk.size) for chunk in chain(*(group.chunks for group in block))}
                for span in join_ranges((span for span in spans if not mirror.has(span)), _GAP):
                    contents[span] = self._request(mirror, span)
            for group in block:
                waiting.append((group, partial(_find_bytes, contents)))
                requested += _size(group)
                while requested > self.ahead:
                    first, in_memory = waiting.popleft()
                    requested -= _size(first)
                    yield first, in_memory
        while waiting:
            yield waiting.popleft()

    def _request(self, mirror: MirroredFile, span: _Range) -> Callable[[], memoryview]:
        """Ask for the bytes of a range, now or when a thread needs them; return what waits for them."""
        if self.ahead:
            return self.pool.submit(lambda: memoryview(mirror.read(span))).result
        lock = Lock()
        content: list[memoryview] = []

        def fetch() -> memoryview:
            with lock:
                if not content:
                    start = time.perf_counter()
                    content.append(memoryview(mirror.read(span)))
                    if time.perf_counter() - start > _SLOW:  # the next ones are asked for ahead
                        self.ahead = _AHEAD
                return content[0]

        return fetch


def _find_bytes(contents: Mapping[_Range, Callable[[], memoryview]], start: int, size: int) -> memoryview | None:
    """Return bytes of a file that were asked for, once they have come."""
    for (first, end), content in contents.items():
        if first <= start and start + size <= end:
            return content()[start - first : start - first + size]
    return None


def _blocks(groups: Iterable[RowGroup]) -> Iterator[list[RowGroup]]:
    """Yield row groups of one file whose bytes are asked for together: one, or several small ones."""
    block: list[RowGroup] = []
    size = 0
    for group in groups:
        if block and (group.path != block[0].path or size + _size(group) > _REQUEST):
            yield block
            block, size = [], 0
        block.append(group)
        size += _size(group)
    if block:
        yield block


def _size(group: RowGroup) -> int:
    return sum(chunk.size for chunk in group.chunks)


# ── which sources are counted by codes ───────────────────────────────────────────────────────────


WORTH_TEXT = 32 << 20
"""Bytes of text with several systems from which counting by codes pays for loading pyarrow."""
_BATCH = 1 << 16
_TEXT_BATCH = 1 << 25
"""Bytes of text in a batch, about."""
_LARGEST_BATCH = 4 * _TEXT_BATCH
_LONG_LINE = 2048
_LOOKS, _LOOK = 16, 1 << 14


@contextmanager
def packed_row_groups(session: Session, files: Files, query: Query) -> Iterator[Iterator[LocatedGroup] | None]:
    """Yield row groups of Parquet files that the compiled part may count; None where an engine counts them.

    Those of remote files are on their way from now on.
    """
    if not _is_plain(files, query):
        yield None
        return
    with locate_groups(row_groups(session, files, query.names), files.mirrors) as groups:
        yield groups


def count_by_codes(
    session: Session, scan: Scan, files: Files, query: Query, groups: Iterator[LocatedGroup] | None
) -> list[Rows] | None:
    """Return the rows of truth and each system; None where the engine's own grouping is to do it.

    That is so where labels are many, for weights, groups and joint counts, for labels that are neither text nor whole
    numbers, for text with one system, and for files with a fault, which the engine then explains.
    """
    if groups is not None:
        return _count_parquet(groups, files, query)
    if files.format not in ("csv", "tsv") or len(query.margins) == 1 or not _is_plain(files, query):
        return None
    size = sum(path.stat().st_size for path in files.paths)
    if size < WORTH_TEXT or _longest_line(files) > _LONG_LINE:  # labels of long lines are counted one by one
        return None
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    try:
        return _count_text(session, scan, files, query)
    except (UnfitError, pa.ArrowException, duckdb.Error, OSError, UnicodeDecodeError):
        return None


def _is_plain(files: Files, query: Query) -> bool:
    """Return True if each system is counted beside the truth alone, all of them columns of the files."""
    plain = query.weight is None and not query.by and all(len(margin) == 1 for margin in query.margins)
    return plain and not set(files.hive_keys) & set(query.names)


def _longest_line(files: Files) -> int:
    """Return the longest of the first hundred lines, and of some further on where the file can be entered anywhere."""
    path = files.paths[0]
    with open_text(path, files.compression, _LOOK * _LOOKS) as file:
        longest = max(map(len, islice(file, 100)), default=0)
    if files.compression != "none":
        return longest
    size = path.stat().st_size
    with path.open("rb") as raw:
        for part in range(1, _LOOKS):
            raw.seek(size * part // _LOOKS)
            longest = max(longest, *map(len, raw.read(_LOOK).split(b"\n")))
    return longest


def _count_text(session: Session, scan: Scan, files: Files, query: Query) -> list[Rows]:
    """Count columns of text as the engine parses them, encoded batch by batch."""
    statement = f"SELECT {', '.join(scan.columns[name] for name in query.names)} FROM {scan.relation}"
    for name, value in scan.values.items():  # a stream takes no bound values, but variables
        session.run(f"SET VARIABLE {name} = $value", value=value)
    statement = re.sub(r"\$(paths\d*)", r"getvariable('\1')", statement)
    rows = min(_BATCH, _TEXT_BATCH // max(_longest_line(files), 1))
    with session.batches(statement, rows) as batches:
        work, places = _Queue(batches), Places(query.names)

        def count() -> Counting:
            counting = Counting(places)
            for batch in work:  # while one thread waits for the next, another counts
                if batch.nbytes > _LARGEST_BATCH:
                    raise UnfitError
                counting.add(batch)
            counting.settle()
            return counting

        return places.collect_rows(work.share(count, min(query.read.threads or os.cpu_count() or 1, 2)))


def _count_parquet(groups: Iterator[LocatedGroup], files: Files, query: Query) -> list[Rows] | None:
    """Count row groups, in a thread for each core."""
    work, places = _Queue(groups), Places(query.names)

    def count() -> PackedCounting:
        counting = PackedCounting(places)
        with ExitStack() as stack:
            path, file = None, None
            for group, in_memory in work:
                if file is None or group.path != path:
                    stack.close()
                    path, file = group.path, stack.enter_context(group.path.open("rb", buffering=0))
                counting.add(file, group, in_memory)
        counting.settle()
        return counting

    def percent() -> float:
        return 0.0 if work.last is None else 100 * work.last[0].share

    try:
        with show_progress(f"counting {files.name}", percent):
            return places.collect_rows(work.share(count, query.read.threads or os.cpu_count() or 1))
    except (UnfitError, InputError, OSError):
        return None


class _Queue:
    """Parts of a source that wait for a thread; the next one is asked for by one thread at a time."""

    def __init__(self, parts: Iterator[Any]) -> None:
        self.last: Any = None
        """The part that was handed out last."""
        self._parts, self._stop, self._lock = parts, Event(), Lock()

    def __iter__(self) -> Iterator[Any]:
        while True:
            with self._lock:
                part = None if self._stop.is_set() else next(self._parts, None)
                self.last = self.last if part is None else part
            if part is None:
                return
            yield part

    def share(self, count: Callable[[], CountedCodes], threads: int) -> list[CountedCodes]:
        """Let some threads count until nothing is left."""
        with ThreadPoolExecutor(threads) as pool:
            try:
                return [thread.result() for thread in [pool.submit(count) for _ in range(threads)]]
            finally:
                self._stop.set()  # for the other threads, when one fails or the user interrupts


# ── pages packed by gzip ──────────────────────────────────────────────────────────────────────────


_GZIP_CHUNKS = (
    "SELECT file_name, path_in_schema, dictionary_page_offset, data_page_offset, total_compressed_size "
    "FROM parquet_metadata($paths) WHERE compression = 'GZIP' AND total_compressed_size > 0"
)
_SECOND_DATA_PAGE = 8
"""The field of a page's header that tells of levels before the packed values."""


def check_gzip_pages(files: Files, names: Sequence[str]) -> None:
    """Reject files of which a page in one of these columns is not a whole gzip stream of the stated length."""
    offline: dict[str, Any] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    try:
        with duckdb.connect(config=offline) as engine:  # one of its own: some statistics end an engine that lists them
            chunks = engine.execute(_GZIP_CHUNKS, {"paths": [escape_path(path) for path in files.paths]}).fetchall()
    except duckdb.Error:
        return  # its notes cannot be listed, of whatever column; what is asked for may be read all the same
    for name, column, *offsets, size in chunks:
        if column.partition(", ")[0] not in names:
            continue
        try:
            with Path(name).open("rb") as file:
                file.seek(min(offset for offset in offsets if offset))
                chunk = file.read(size)
            _check_chunk(chunk, size)
        except (ValueError, IndexError, KeyError, RecursionError, zlib.error):
            raise InputError(
                f"{name} is damaged: a page of column {column!r} is not what was packed; fetch or write it again"
            ) from None


def _check_chunk(chunk: bytes, size: int) -> None:
    """Raise an error for a column chunk with a page that does not unpack to just its length."""
    at = 0
    while at < size:
        header, at = _read_record(chunk, at)
        expanded, packed = header[2], header[3]
        about = header.get(_SECOND_DATA_PAGE, {})
        if packed < 0 or not isinstance(about, dict):
            raise ValueError("no header of a page")
        levels = about.get(5, 0) + about.get(6, 0)
        body = chunk[at + levels : at + packed]
        at += packed
        if about.get(7, True) and packed > levels:
            stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
            values = stream.decompress(body, expanded - levels + 1)
            if len(values) != expanded - levels or not stream.eof or stream.unused_data:
                raise ValueError("another length than stated")
        elif len(body) != packed - levels or packed != expanded:
            raise ValueError("another length than stated")


def _read_record(data: bytes, at: int) -> tuple[dict[int, Any], int]:
    """Return the fields of a record of Thrift's compact form by their numbers, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        number += head >> 4
        kind = head & 15
        if not head >> 4:
            number, at = _read_number(data, at)
        if kind in (1, 2):
            fields[number] = kind == 1
        elif kind == 3:
            at += 1
        elif kind in (4, 5, 6):
            fields[number], at = _read_number(data, at)
        elif kind == 7:
            at += 8
        elif kind == 8:
            length, at = _read_number(data, at, signed=False)
            at += length
        elif kind == 12:
            fields[number], at = _read_record(data, at)
        else:
            raise ValueError("headers of pages hold nothing else")
    return fields, at + 1


def _read_number(data: bytes, at: int, *, signed: bool = True) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return (value >> 1 ^ -(value & 1) if signed else value), at
