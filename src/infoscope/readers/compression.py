"""Compressed files: how they are recognized, their first bytes, whether they are whole, and their bytes unpacked.

gzip and zstd are read. A file that is cut off is rejected by what it says itself, because an engine would take its end
for the end of the rows. Nothing here holds more than a chunk of a large file in memory, apart from zstd without a pipe.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import cramjam

from infoscope.errors import InputError

# ── what a packed file says of itself ────────────────────────────────────────────────────────────


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
"""Advice about a compressed file that is cut off or damaged."""


def detect_compression(path: Path) -> str:
    """Return the compression by the first bytes; none for a file that cannot be opened, which its reader rejects."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except OSError:
        return "none"
    return match_compression(head)


def match_compression(head: bytes) -> str:
    """Return the compression of a file that begins with these bytes."""
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "none")


def first_bytes(path: Path, compression: str = "none", size: int = HEAD_BYTES) -> bytes:
    """Return at most this many bytes from the beginning of a file, unpacked."""
    try:
        if compression == "gzip":
            with gzip.open(path, "rb") as packed:
                return packed.read(size)
        with path.open("rb") as file:  # a file that may not be read has an error message of its own
            if compression == "none":
                return file.read(size)
        room = bytearray(size)
        try:
            return bytes(room[: cramjam.zstd.decompress_into(cramjam.File(str(path)), room)])
        except cramjam.DecompressionError as error:
            if "write whole buffer" in str(error):  # there is more than was asked for
                return bytes(room)
            raise InputError(f"{path} is not a whole zstd file: {error}; {PACK_AGAIN}") from error
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}; {PACK_AGAIN}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def unpack_zstd(path: Path) -> bytes:
    """Return a small file as a whole, unpacked."""
    try:
        return bytes(cramjam.zstd.decompress(first_bytes(path, size=-1)))
    except cramjam.DecompressionError as error:
        raise InputError(f"{path} is not a whole zstd file: {error}; {PACK_AGAIN}") from error


def check_whole(path: Path, compression: str) -> None:
    """Reject a zstd file that is cut off: the engine takes its end for the end of the rows.

    Blocks tell their sizes, so that nothing has to be unpacked for it.
    """
    if compression == "zstd" and measure_zstd(path) is None:
        raise InputError(f"{path} is not a whole zstd file: it is cut off or damaged; {PACK_AGAIN}")


def measure_zstd(path: Path) -> int | None:
    """Return how many bytes a zstd file has at most unpacked, from the sizes of its blocks; None if it is cut off."""
    most = 0
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(0)
        while file.tell() < size:  # frame by frame
            magic = int.from_bytes(file.read(4), "little")
            if magic & ~0xF == _ZSTD_SKIPPABLE:
                file.seek(int.from_bytes(file.read(4), "little"), 1)
            elif magic == _ZSTD_FRAME:
                descriptor = int.from_bytes(file.read(1), "little")
                single = bool(descriptor & 0x20)
                sizes = ((0, 1, 2, 4)[descriptor & 3], (int(single), 2, 4, 8)[descriptor >> 6])
                file.seek(int(not single) + sum(sizes), 1)
                last = False
                while not last:
                    head = file.read(3)
                    if len(head) < 3:
                        return None
                    block = int.from_bytes(head, "little")
                    last, kind, length = bool(block & 1), block >> 1 & 3, block >> 3
                    most += _ZSTD_BLOCK if kind == 2 else length
                    file.seek(1 if kind == 1 else length, 1)  # one byte that is repeated
                file.seek(4 if descriptor & 4 else 0, 1)
            else:
                return None
            if file.tell() > size:
                return None
    return most


# ── bytes, a chunk at a time ─────────────────────────────────────────────────────────────────────


CHUNK_BYTES = 1 << 20
"""At most this many bytes are yielded at a time; what stays in the processor's cache is looked through in no time."""
_PACKED_BYTES = 1 << 16
_GZIP_MEMBER = 16 + zlib.MAX_WBITS
_DESCRIPTORS = Path("/dev/fd")
_PIPE_SIZE = 1031  # fcntl's F_SETPIPE_SZ, which Linux alone has


def read_chunks(path: Path, compression: str) -> Iterator[bytes]:
    """Yield all bytes of a file in order; an ``InputError`` where a compressed one is damaged."""
    if compression == "gzip":
        yield from _read_gzip(path)
    elif compression == "zstd" and _DESCRIPTORS.is_dir():
        yield from _read_zstd(path)
    elif compression == "zstd":
        yield unpack_zstd(path)
    else:
        with path.open("rb", buffering=0) as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk


def unpack_file(path: Path, compression: str, target: Path, most: int) -> int:
    """Unpack a file into another, and say how many bytes that is; more than ``most`` where it was given up."""
    if compression == "zstd":
        size = measure_zstd(path) or 0
        if size > most:
            return size
        try:
            return int(cramjam.zstd.decompress_into(cramjam.File(str(path)), cramjam.File(str(target))))
        except cramjam.DecompressionError as error:
            raise InputError(f"{path} is not a whole zstd file: {error}; {PACK_AGAIN}") from error
    size = 0
    with target.open("wb", buffering=0) as file:
        for chunk in read_chunks(path, compression):
            size += len(chunk)
            if size > most:
                break
            file.write(chunk)
    return size


def _read_gzip(path: Path) -> Iterator[bytes]:
    """Yield every member of the file, with its checksum verified; zeros behind the last one are padding."""
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


def _read_zstd(path: Path) -> Iterator[bytes]:
    """Yield what cramjam unpacks in a thread of its own, through a pipe: it unpacks nothing piece by piece."""
    source, sink = os.pipe()
    with suppress(ImportError, OSError):  # make room for a chunk, where that can be asked for
        import fcntl  # noqa: PLC0415 - not on Windows

        fcntl.fcntl(sink, _PIPE_SIZE, CHUNK_BYTES)
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
