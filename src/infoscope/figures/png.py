"""A picture of pixels as PNG, with nothing but the standard library."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["data_address", "encode"]


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
    parts = [(b"IHDR", header), *([(b"PLTE", colours)] if colours else []), (b"IDAT", zlib.compress(framed, 9))]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in [*parts, (b"IEND", b"")])


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def data_address(pixels: NDArray[Any]) -> str:
    """The image inside an address, for a page that loads nothing."""
    return "data:image/png;base64," + base64.b64encode(encode(pixels)).decode("ascii")
