"""The bytes of a file of any size as they are unpacked, a chunk at a time."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import cramjam

from infoscope.errors import InputError
from infoscope.readers.formats.compression import PACK_AGAIN, most_bytes_of_zstd, unpacked_zstd

__all__ = ["CHUNK_BYTES", "unpack_file", "unpacked_chunks"]

CHUNK_BYTES = 1 << 20
"""At most this many bytes are yielded at a time; what stays in the processor's cache is looked through in no time."""
_PACKED_BYTES = 1 << 16
_GZIP_MEMBER = 16 + zlib.MAX_WBITS
_DESCRIPTORS = Path("/dev/fd")
_PIPE_SIZE = 1031  # fcntl's F_SETPIPE_SZ, which Linux alone has


def unpacked_chunks(path: Path, compression: str) -> Iterator[bytes]:
    """All bytes of a file in order; an ``InputError`` where a compressed one is damaged."""
    if compression == "gzip":
        return _gzip_chunks(path)
    if compression == "zstd":
        return _zstd_chunks(path) if _DESCRIPTORS.is_dir() else iter([unpacked_zstd(path)])
    return _plain_chunks(path)


def unpack_file(path: Path, compression: str, target: Path, most: int) -> int:
    """Unpack a file into another, and say how many bytes that is; more than ``most`` where it was given up."""
    if compression == "zstd":
        size = most_bytes_of_zstd(path)
        if size <= most:
            size = _unpack_zstd(path, target)
        return size
    size = 0
    with target.open("wb", buffering=0) as file:
        for chunk in unpacked_chunks(path, compression):
            size += len(chunk)
            if size > most:
                break
            file.write(chunk)
    return size


def _unpack_zstd(path: Path, target: Path) -> int:
    try:
        return int(cramjam.zstd.decompress_into(cramjam.File(str(path)), cramjam.File(str(target))))
    except cramjam.DecompressionError as error:
        raise InputError(f"{path} is not a whole zstd file: {error}; {PACK_AGAIN}") from error


def _plain_chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _gzip_chunks(path: Path) -> Iterator[bytes]:
    """Every member of the file, with its checksum verified; zeros behind the last one are padding."""
    member, begun = zlib.decompressobj(_GZIP_MEMBER), False
    try:
        with path.open("rb", buffering=0) as file:
            while packed := file.read(_PACKED_BYTES):
                while packed:
                    if member.eof:
                        packed = packed.lstrip(b"\0")
                        member, begun = (zlib.decompressobj(_GZIP_MEMBER), False) if packed else (member, begun)
                        continue
                    begun = True
                    if chunk := member.decompress(packed, CHUNK_BYTES):
                        yield chunk
                    packed = member.unused_data if member.eof else member.unconsumed_tail
            while begun and not member.eof and (chunk := member.decompress(b"", CHUNK_BYTES)):
                yield chunk
    except zlib.error as error:
        raise InputError(f"{path} is not a whole gzip file: {error}; {PACK_AGAIN}") from error
    if begun and not member.eof:
        raise InputError(f"{path} is not a whole gzip file: it is cut off; {PACK_AGAIN}")


def _zstd_chunks(path: Path) -> Iterator[bytes]:
    """What cramjam unpacks in a thread of its own, through a pipe: it has no other way to unpack piece by piece."""
    source, sink = os.pipe()
    _widen(sink)
    problems: list[Exception] = []

    def unpack() -> None:
        try:
            cramjam.zstd.decompress_into(
                cramjam.File(str(path)), cramjam.File(str(_DESCRIPTORS / str(sink)), read=False)
            )
        except Exception as error:  # said by the other thread
            problems.append(error)
        finally:
            os.close(sink)

    thread = Thread(target=unpack, name="zstd", daemon=True)
    thread.start()
    try:
        while chunk := os.read(source, CHUNK_BYTES):
            yield chunk
    finally:
        os.close(source)  # ends the thread, too, where nobody wants the rest
        thread.join()
    if problems:
        raise InputError(f"{path} is not a whole zstd file: {problems[0]}; {PACK_AGAIN}") from problems[0]


def _widen(pipe: int) -> None:
    """Make room for a chunk, where that can be asked for."""
    with suppress(ImportError, OSError):
        import fcntl  # noqa: PLC0415 - not on Windows

        fcntl.fcntl(pipe, _PIPE_SIZE, CHUNK_BYTES)
