"""Compressed files: how they are recognized, their first bytes, and whether they are whole."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import BinaryIO

import cramjam

from infoscope.errors import InputError

__all__ = [
    "HEAD_BYTES",
    "PACKED_OTHERWISE",
    "PACK_AGAIN",
    "UNPACKERS",
    "check_whole",
    "compression_by",
    "compression_of",
    "first_bytes",
    "most_bytes_of_zstd",
    "unpacked_zstd",
]

HEAD_BYTES = 4096
"""Enough to tell what a file is."""
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_ZSTD_FRAME, _ZSTD_SKIPPABLE = 0xFD2FB528, 0x184D2A50
_ZSTD_BLOCK = 1 << 17  # bytes in a compressed block, at most
UNPACKERS = {"gzip": "gzip -dc", "zstd": "zstd -dc"}
"""Commands that write what a file holds to standard output."""
PACKED_OTHERWISE = ("bz2", "xz", "lzma", "lz4", "zip", "7z", "br", "z", "snappy", "deflate", "lzo")
"""Endings of packed files that are not read: in a folder they are rejected, because to skip them would lose rows.

One that stands beside the same file unpacked is skipped.
"""
PACK_AGAIN = "fetch or pack it again"
"""What to do about a compressed file that is cut off or damaged."""


def compression_of(path: Path) -> str:
    """The compression by the first bytes; none for a file that cannot be opened, which its reader rejects."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except OSError:
        return "none"
    return compression_by(head)


def compression_by(head: bytes) -> str:
    """The compression of a file that begins with these bytes."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "none")


def first_bytes(path: Path, compression: str = "none", size: int = HEAD_BYTES) -> bytes:
    """At most this many bytes from the beginning of a file, unpacked."""
    try:
        if compression == "zstd":
            return _first_of_zstd(path, size)
        if compression == "gzip":
            with gzip.open(path, "rb") as packed:
                return packed.read(size)
        with path.open("rb") as file:
            return file.read(size)
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}; {PACK_AGAIN}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def unpacked_zstd(path: Path) -> bytes:
    """A small file as a whole, unpacked."""
    try:
        return bytes(cramjam.zstd.decompress(first_bytes(path, size=-1)))
    except cramjam.DecompressionError as error:
        raise InputError(f"{path} is not a whole zstd file: {error}; {PACK_AGAIN}") from error


def _first_of_zstd(path: Path, size: int) -> bytes:
    first_bytes(path, size=0)  # a file that may not be read has an error message of its own
    room = bytearray(size)
    try:
        return bytes(room[: cramjam.zstd.decompress_into(cramjam.File(str(path)), room)])
    except cramjam.DecompressionError as error:
        if "write whole buffer" in str(error):  # there is more than was asked for
            return bytes(room)
        raise InputError(f"{path} is not a whole zstd file: {error}; {PACK_AGAIN}") from error


def check_whole(path: Path, compression: str) -> None:
    """Reject a zstd file that is cut off: the engine takes its end for the end of the rows.

    Blocks tell their sizes, so that nothing has to be unpacked for it.
    """
    if compression == "zstd" and _most_of_zstd(path) is None:
        raise InputError(f"{path} is not a whole zstd file: it is cut off or damaged; {PACK_AGAIN}")


def most_bytes_of_zstd(path: Path) -> int:
    """How many bytes a whole zstd file can have at most when it is unpacked, known without unpacking it."""
    return _most_of_zstd(path) or 0


def _most_of_zstd(path: Path) -> int | None:
    """The bytes that its blocks can hold; None where it is cut off."""
    most = 0
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        while file.tell() < size:
            inside = _pass_frame(file)
            if inside is None or file.tell() > size:
                return None
            most += inside
    return most


def _pass_frame(file: BinaryIO) -> int | None:
    """Move to the end of a frame, and say how many bytes it can hold; None where it is none."""
    magic = int.from_bytes(file.read(4), "little")
    if magic & ~0xF == _ZSTD_SKIPPABLE:
        file.seek(int.from_bytes(file.read(4), "little"), 1)
        return 0
    if magic != _ZSTD_FRAME:
        return None
    descriptor = int.from_bytes(file.read(1), "little")
    single = bool(descriptor & 0x20)
    sizes = ((0, 1, 2, 4)[descriptor & 3], (int(single), 2, 4, 8)[descriptor >> 6])
    file.seek(int(not single) + sum(sizes), 1)
    last, most = False, 0
    while not last:
        head = file.read(3)
        if len(head) < 3:
            return None
        block = int.from_bytes(head, "little")
        last, kind, length = bool(block & 1), block >> 1 & 3, block >> 3
        most += _ZSTD_BLOCK if kind == 2 else length
        file.seek(1 if kind == 1 else length, 1)  # one byte that is repeated
    file.seek(4 if descriptor & 4 else 0, 1)
    return most
