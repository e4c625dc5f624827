"""Row groups of Parquet counted by their packed codes, from the bits to the cells without a value in between.

The bytes of a column are handed to the compiled part (`native/`), which unpacks codes and adds each row to its cell;
labels are looked at once for each dictionary. Columns of another form than dictionary and codes, and whatever looks
broken, raise ``UnfitError``: the engine counts such files, or says what is wrong with them.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from infoscope.core.native_code import compiled_part
from infoscope.readers.parquet.dictionary import Places, UnfitError, grown
from infoscope.readers.parquet.layout import Chunk, Kind, RowGroup
from infoscope.readers.tally import Ints

__all__ = ["InMemory", "PackedCounting", "is_built"]

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
_BUILT_IN = ("UNCOMPRESSED", "SNAPPY")
_CODECS = {
    "ZSTD": ("zstd", "decompress_into"),
    "BROTLI": ("brotli", "decompress_into"),
    "LZ4_RAW": ("lz4", "decompress_block_into"),
}
_GZIP_FLAGS = 3
"""Where the header of a gzip stream says what else it has; the engine knows no streams that have more."""
_Bytes = NDArray[np.uint8]
InMemory = Callable[[int, int], memoryview | None]
"""Bytes of a file that need not be read from it, by their first and their number."""


def is_built() -> bool:
    """Whether the compiled part is there and of this version; where it is not, all else works without it."""
    return getattr(_compiled(), "FIELDS", None) == _FIELDS


def _compiled() -> Any:
    return compiled_part("readers._packed")


class PackedCounting:
    """What one thread has counted: a table of truth against each system, with a spare column that stays empty."""

    def __init__(self, places: Places) -> None:
        self._packed = _compiled()
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
            places = self._known_places_of(column, labels)
            self._add_codes(column, (content, pages, snappy, chunk.kind.optional, places, truth), int(places.max()))
        elif len(truth) <= _FEW:
            kind = chunk.kind
            values = self._packed.values(content, pages, snappy, kind.optional, kind.number, len(truth))
            _check_range(kind, [value for value in values if value is not None])
            self._add_values(column, self._places_of(column, values), truth)
        else:
            raise UnfitError

    def _known_places_of(self, column: int, labels: list[Any]) -> NDArray[np.uint16]:
        """Of the labels and of None; in most row groups they have all been seen before."""
        places = self._packed.places(labels, self._places.known[column])
        return self._places_of(column, [*labels, None]) if places is None else np.frombuffer(places, np.uint16)

    def _places_of(self, column: int, labels: list[Any]) -> NDArray[np.uint16]:
        places = self._places.of(column, labels)
        if max(places) > _MOST_PLACES:
            raise UnfitError
        return np.array(places, dtype=np.uint16)

    def _add_codes(self, column: int, packed: tuple[Any, ...], most: int) -> None:
        if column == 0:
            self._lines = most + 1
            self._packed.codes(*packed)
        else:
            table = self._table(column, most)
            self._packed.tally(*(*packed, table, table.shape[1]))

    def _add_values(self, column: int, places: NDArray[np.uint16], truth: NDArray[np.uint16]) -> None:
        """Few rows in a group of their own: writers do without a dictionary that would be as long as the rows."""
        if column == 0:
            self._lines = int(places.max()) + 1
            truth[:] = places
        else:
            np.add.at(self._table(column, int(places.max())), (truth, places), 1)

    def _table(self, column: int, most: int) -> NDArray[np.uint32]:
        self._tables[column - 1] = grown(self._tables[column - 1], (self._lines, most + 2))
        return self._tables[column - 1]

    def settle(self) -> None:
        """Add what small tables hold, which fit a processor's cache twice as well, to the totals."""
        for i, table in enumerate(self._tables):
            total = self.totals[i] = grown(self.totals[i], table.shape)
            total[: table.shape[0], : table.shape[1]] += table
            table[:] = 0
        self._rows = 0

    def _read(self, file: BinaryIO, chunk: Chunk) -> _Bytes:
        """The bytes of a chunk, in memory that is used again: fresh memory costs more than the work done in it."""
        if len(self._room) < chunk.size:
            self._room = np.empty(chunk.size, dtype=np.uint8)
        done = 0
        while done < chunk.size:
            some = _read_at(file, self._room[done : chunk.size], chunk.start + done)
            if not some:
                raise UnfitError
            done += some
        return self._room[: chunk.size]


def _read_at(file: Any, room: Any, start: int) -> int:
    if hasattr(os, "preadv"):  # one call, and Python's lock is given up once
        return os.preadv(file.fileno(), [room], start)
    file.seek(start)
    return int(file.readinto(room) or 0)


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
    """A chunk with all its pages expanded, and their records."""
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
    if compression == "GZIP":
        return _inflate(body, room)
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
    return None


def _inflate(body: _Bytes, room: _Bytes) -> None:
    """Gzip by zlib, which tells where a stream ends: there must be one, whole and with a plain header, and no more."""
    stream = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        data = stream.decompress(body.data, len(room) + 1)
    except zlib.error as error:
        raise UnfitError from error
    if not stream.eof or stream.unused_data or body[_GZIP_FLAGS] or len(data) != len(room):
        raise UnfitError
    room[:] = np.frombuffer(data, np.uint8)
