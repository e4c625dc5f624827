"""Copies of remote files in a folder here: whole for text; of Parquet only the footer, then the columns asked for.

A copy of Parquet has the size of the original with holes where nothing was fetched, so every engine reads it like any
other file, and only the bytes of its columns travel.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

from infoscope.errors import InputError
from infoscope.readers.object_stores.addresses import ObjectAddress
from infoscope.readers.object_stores.buckets import Bucket
from infoscope.readers.object_stores.client import Buffer, ObjectInfo, ObjectStore, Range, persistently

__all__ = ["MirroredFile", "fetch_columns", "mirrored"]

_FOOTER = 1 << 16
"""Bytes at the end of a Parquet file that are fetched first: footers are rarely longer."""
_PIECE = 8 << 20
_AT_A_TIME = 64 << 20
"""Bytes of a file that are asked for at a time, and kept in memory."""
_REQUESTS = 8
"""Files or ranges that are fetched at a time."""
_LONGEST_NAME = 255
"""Bytes that systems allow."""
_MAGIC = b"PAR1"
T = TypeVar("T")
R = TypeVar("R")


@dataclass
class MirroredFile:
    """A remote file and its copy here, which may have holes."""

    address: ObjectAddress
    info: ObjectInfo
    store: ObjectStore
    path: Path
    delay: float
    """Seconds that the store took to say what there is."""
    present: list[Range] = field(default_factory=list)
    """What the copy has."""

    def fetch(self, wanted: Iterable[Range]) -> None:
        """Write ranges into the copy that it does not have yet."""
        missing = _joined(span for span in wanted if not self.has(span))
        pieces = [(at, min(at + _PIECE, end)) for start, end in missing for at in range(start, end, _PIECE)]
        for several in _batches(pieces):
            self._write(zip(several, _in_parallel(self.read, several), strict=True))

    def has(self, span: Range) -> bool:
        """Whether the copy has these bytes."""
        return any(start <= span[0] and span[1] <= end for start, end in self.present)

    def read(self, span: Range) -> Buffer:
        """Bytes of the remote file; the copy is left as it is."""
        return persistently(lambda: self.store.read(self.info, span), self.address)

    def _write(self, pieces: Iterable[tuple[Range, Buffer]]) -> None:
        with self.path.open("r+b") as copy:
            for span, content in pieces:
                copy.seek(span[0])
                copy.write(content)
                self.present.append(span)
        self.present = _joined(self.present)


def _batches(pieces: Sequence[Range]) -> Iterator[list[Range]]:
    """Pieces that are asked for together."""
    batch: list[Range] = []
    for piece in pieces:
        batch.append(piece)
        if sum(end - start for start, end in batch) >= _AT_A_TIME:
            yield batch
            batch = []
    if batch:
        yield batch


def _joined(spans: Iterable[Range]) -> list[Range]:
    """Ranges in their order, those that touch as one."""
    joined: list[Range] = []
    for start, end in sorted(set(spans)):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        elif start < end:
            joined.append((start, end))
    return joined


def _web_server(address: ObjectAddress) -> ObjectStore:
    from infoscope.readers.object_stores.web import WebServer  # noqa: PLC0415 - loads HTTP and encryption

    return WebServer(address)


def mirrored(
    name: str, folder: Path, is_data: Callable[[str], bool], is_parquet: Callable[[str], bool]
) -> list[MirroredFile]:
    """Copies of the files that an address, a folder or a pattern means, in their order.

    ``is_data`` says which files of a folder are data, by their path in it; ``is_parquet`` which are copied with holes.
    """
    address = ObjectAddress.parsed(name)
    store: ObjectStore = _web_server(address) if address.is_web else Bucket(address)
    ending = _FOOTER if is_parquet(Path(address.key).name) else 0
    start = time.perf_counter()
    found = persistently(lambda: _meant(address, store, is_data, ending), address)
    delay = time.perf_counter() - start
    if not found:
        kind = "the pattern matches no file" if address.is_pattern else "the file does not exist"
        raise InputError(f"{address}: {kind}; check the name and the folder")
    bucket = "".join(c if c.isalnum() or c in ".-" else "_" for c in address.bucket)
    place = folder / f"{bucket}-{token_hex(6)}"
    places = [_place(place, info.key, address, is_parquet) for info in found]
    files = [
        MirroredFile(address.at(info.key), info, store, path, delay) for info, path in zip(found, places, strict=True)
    ]
    _in_parallel(lambda file: _begin(file, with_holes=is_parquet(file.path.name)), files)
    return files


def _place(folder: Path, key: str, address: ObjectAddress, is_parquet: Callable[[str], bool]) -> Path:
    """Where a copy lies: the folders of the key, which may name columns, and no way out of the folder.

    A Parquet file whose key has no folders needs none: removing a folder takes milliseconds on some disks. Text keeps
    its name, from which messages make those of converted files.
    """
    parts = [
        part for part in (key.partition("?")[0] if address.is_web else key).split("/") if part not in ("", ".", "..")
    ]
    *folders, name = (part.replace("\0", "_") for part in parts or ["file"])
    beside = f"{folder.name}-{name}"
    if folders or not is_parquet(name) or len(os.fsencode(beside)) > _LONGEST_NAME:
        return folder.joinpath(*folders, name)
    return folder.with_name(beside)


def _meant(address: ObjectAddress, store: ObjectStore, is_data: Callable[[str], bool], ending: int) -> list[ObjectInfo]:
    """Objects in their order; the last bytes come along of one that is named."""
    if address.is_pattern:
        found = [info for info in store.listed(address.folder) if address.matches(info.key)]
        return sorted(found, key=lambda info: info.key)
    if not address.key.endswith("/") and address.key and (one := store.info(address.key, ending)) is not None:
        return [one]
    if address.is_web:
        return []
    folder = address.key.rstrip("/")
    inside = [info for info in store.listed(folder) if is_data(info.key.removeprefix(f"{folder}/"))]
    return sorted(inside, key=lambda info: info.key)


def _begin(file: MirroredFile, *, with_holes: bool) -> None:
    """Make the copy: its footer where the rest may wait, else all of it."""
    size = file.info.size
    try:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        if size < 0 or (not file.info.has_ranges and size):  # a server that gives all or nothing
            content = persistently(lambda: file.store.read(file.info, (0, size)), file.address)
            file.path.write_bytes(content)
            file.present = [(0, len(content))]
            return
        with file.path.open("wb") as copy:
            copy.truncate(size)
        if len(file.info.ending):
            file._write([((size - len(file.info.ending), size), file.info.ending)])
        if not with_holes or size <= _FOOTER:
            file.fetch([(0, size)])
            return
        file.fetch([(size - _FOOTER, size)])
        with file.path.open("r+b") as copy:
            copy.seek(size - 8)
            length, magic = struct.unpack("<I4s", copy.read(8))
            copy.seek(0)
            copy.write(magic)  # a file begins with what it ends with, and four bytes are no request of their own
        is_whole = magic != _MAGIC or length + 8 > size  # the engine will say what it is instead
        file.fetch([(0, size)] if is_whole else [(size - length - 8, size)])
    except OSError as error:
        raise InputError(
            f"{file.address} cannot be kept in {file.path.parents[-2]}: {error.strerror or error}; "
            "point TMPDIR to a larger disk"
        ) from error


def fetch_columns(
    files: Mapping[Path, MirroredFile], names: Sequence[str], chunks: Callable[[list[Path]], Iterable[Any]]
) -> None:
    """Fetch the columns of these names where copies have holes; ``chunks`` tells where the chunks of files lie.

    It gives lines of path, column, first byte (of the dictionary, of the data) and size.
    """
    partly = [path for path, file in files.items() if not _is_complete(file)]
    if not partly:
        return
    wanted: dict[str, list[Range]] = {str(path.absolute()): [] for path in partly}
    for path, column, dictionary, data, size in chunks(partly):
        if column.partition(", ")[0] in names and size:
            start = min(at for at in (dictionary, data) if at)
            wanted[path].append((start, start + size))
    _in_parallel(lambda path: files[path].fetch(wanted[str(path.absolute())]), partly)


def _in_parallel(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Several at a time; one needs no thread."""
    if len(items) == 1:
        return [work(items[0])]
    with ThreadPoolExecutor(_REQUESTS) as pool:
        return list(pool.map(work, items))


def _is_complete(file: MirroredFile) -> bool:
    return file.present == [(0, file.info.size)] or not file.info.size or os.path.getsize(file.path) != file.info.size
