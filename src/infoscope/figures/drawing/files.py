"""Pictures as files, and pixels as PNG; pictures of infoscope are replaced, other files only with force."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.atomic_files import check_target, unwritable
from infoscope.errors import InputError

__all__ = ["MAKER", "SUFFIXES", "data_address", "encode", "is_picture", "picture_path"]

SUFFIXES = (".svg", ".pdf", ".png")
MAKER = "infoscope"
_MARKS = {
    ".svg": b'data-maker="infoscope"',
    ".png": b"tEXtSoftware\0infoscope",
    ".pdf": b"/Creator (infoscope)",
}
"""The mark that every picture of infoscope carries, by which it is recognised."""


def picture_path(path: str | Path, *, force: bool) -> Path:
    """The path, if it names a kind of picture and nothing of others would be lost by writing there."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise InputError(f"{target.name!r} names no kind of picture; end it in .svg, .pdf or .png")
    check_target(target)
    try:
        if target.is_file() and not force and not is_picture(target):
            raise InputError(
                f"{target} exists and is no picture of infoscope; choose another name, or overwrite it with force=True"
            )
    except OSError as problem:
        raise unwritable(target, problem) from None
    return target


def is_picture(path: Path) -> bool:
    """Whether a file is one that we wrote."""
    return _MARKS[path.suffix.lower()] in path.read_bytes()


def encode(pixels: NDArray[Any]) -> bytes:
    """The bytes of a PNG file for (rows, columns, 3) values of 0 to 255; few colours are stored as a palette."""
    rows, columns, _ = pixels.shape
    small = np.ascontiguousarray(pixels, dtype=np.uint8)
    coded = small[..., 0].astype(np.uint32) << 16 | small[..., 1].astype(np.uint32) << 8 | small[..., 2]
    palette, places = np.unique(coded, return_inverse=True)
    if len(palette) <= 256:
        kind, colours = 3, np.stack([palette >> 16, palette >> 8 & 255, palette & 255], -1).astype(np.uint8).tobytes()
        lines = places.reshape(rows, columns).astype(np.uint8)
    else:
        kind, colours, lines = 2, b"", small.reshape(rows, columns * 3)
    framed = np.hstack([np.zeros((rows, 1), np.uint8), lines]).tobytes()
    header = struct.pack(">IIBBBBB", columns, rows, 8, kind, 0, 0, 0)
    parts = [(b"IHDR", header), *([(b"PLTE", colours)] if colours else []), (b"IDAT", zlib.compress(framed, 5))]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in [*parts, (b"IEND", b"")])


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def data_address(pixels: NDArray[Any]) -> str:
    """The image inside an address, for a page that loads nothing."""
    return "data:image/png;base64," + base64.b64encode(encode(pixels)).decode("ascii")
