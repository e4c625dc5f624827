"""Files of text: how they are opened, and lines that are too long for the engine."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from infoscope.errors import InputError
from infoscope.readers.compression import first_bytes, unpacked_zstd
from infoscope.readers.signatures import not_utf8

__all__ = ["BYTE_ORDER_MARK", "LONGEST_LINE", "opened_text", "text_options"]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_LINE = 1 << 24
"""Bytes of a line, at most; the engine holds twice as many at a time."""


def text_options(compression: str) -> str:
    """How the engine reads lines, as part of a statement.

    Always in parallel: one thread alone takes a quote that is never closed for the end of the file. In parallel it
    leaves out a last line that is longer than its buffer, for which ``last_lines`` looks.
    """
    return f"compression='{compression}', max_line_size={LONGEST_LINE}, buffer_size={2 * LONGEST_LINE}, parallel=true"


@contextmanager
def opened_text(path: Path, compression: str, limit: int | None = None, errors: str = "strict") -> Iterator[TextIO]:
    """A text file, unpacked and without a byte order mark; of a zstd file whole lines of the first ``limit`` bytes.

    ``errors`` is what becomes of bytes that are not UTF-8, as in ``open``.
    """
    try:
        if compression == "zstd":
            yield io.StringIO(_text_of_zstd(path, limit, errors), newline="")
        else:
            opener = gzip.open if compression == "gzip" else open
            with opener(path, "rt", encoding="utf-8-sig", errors=errors, newline="") as file:
                yield file
    except UnicodeDecodeError as error:
        raise InputError(not_utf8(path, compression)) from error
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}; fetch or pack it again") from error


def _text_of_zstd(path: Path, limit: int | None, errors: str) -> str:
    data = unpacked_zstd(path) if limit is None else first_bytes(path, "zstd", limit)
    whole = limit is None or len(data) < limit
    text = codecs.getincrementaldecoder("utf-8-sig")(errors).decode(data, final=whole)
    return text if whole else text[: text.rfind("\n") + 1] or text
