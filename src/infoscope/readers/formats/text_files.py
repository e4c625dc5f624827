"""Files of text: how they are opened, and lines that are too long for the engine, the last one above all."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from threading import Event, Thread
from typing import Any, TextIO

from infoscope.errors import InputError
from infoscope.readers.files import Files
from infoscope.readers.formats.byte_streams import unpacked_chunks
from infoscope.readers.formats.compression import first_bytes, most_bytes_of_zstd, unpacked_zstd
from infoscope.readers.formats.signatures import not_utf8

__all__ = [
    "BYTE_ORDER_MARK",
    "IN_ORDER",
    "LONGEST_LINE",
    "PARALLEL",
    "check_records",
    "is_split",
    "opened_text",
    "text_checked",
    "text_options",
]

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_UNPACKED = 1 << 30
LONGEST_LINE = 1 << 24
"""Bytes of a line, at most; the engine holds twice as many at a time."""


PARALLEL, IN_ORDER = "parallel=true", "parallel=false"
"""Whether several threads read a text file from several places, as part of a statement."""


def text_options(compression: str) -> str:
    """How the engine reads lines, as part of a statement.

    In parallel: one thread alone takes a quote that is never closed for the end of the file, so that it reads only
    what ``check_records`` finds right. In parallel the engine leaves out a last line that is longer than its buffer;
    ``text_checked`` finds it.
    """
    return f"compression='{compression}', max_line_size={LONGEST_LINE}, buffer_size={2 * LONGEST_LINE}, {PARALLEL}"


def is_split(path: Path, compression: str) -> bool:
    """Whether the engine reads a file from several places, and ``check_records`` can read it from the beginning."""
    if compression == "zstd":
        return most_bytes_of_zstd(path) <= _MAX_UNPACKED
    return compression != "none" or path.stat().st_size > LONGEST_LINE


def check_records(path: Path, compression: str, delimiter: str) -> None:
    """Reject the first record of a CSV file that has more or fewer fields than the header, or quotes that are wrong."""
    before = csv.field_size_limit(LONGEST_LINE)
    try:
        with opened_text(path, compression) as file:
            _check_each(csv.reader(file, delimiter=delimiter, strict=True), path)
    finally:
        csv.field_size_limit(before)


def _check_each(records: Any, path: Path) -> None:
    size, line = 0, 1
    try:
        for record in records:
            size = size or len(record)
            if record and len(record) != size:
                fields = f"{len(record)} field{'s' * (len(record) != 1)}"
                raise InputError(f"{path}, line {line} has {fields} and the header has {size}; fix or remove that line")
            line = records.line_num + 1
    except csv.Error as error:
        what = next((what for sign, what in _FAULTS.items() if sign in str(error)), "has text behind a closing quote")
        raise InputError(f'{path}, line {line} {what}; write a quote inside a field as ""') from None


_FAULTS = {
    "unexpected end of data": "has a quote that is not closed",
    "field limit": "has a quote that is not closed, or a field of more than 16 MiB",
}


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


_LINE_ENDS = b"\r\n"


@contextmanager
def text_checked(files: Files) -> Iterator[None]:
    """Reject text that the engine lets pass, once it has read it in the meantime.

    The engine looks at the columns alone that it is asked for, and leaves out a last line that is longer than its
    buffer. Bytes that are not UTF-8 are rejected wherever they are, so that no verdict depends on the size of the file.
    """
    if files.format not in ("csv", "tsv", "ndjson"):
        yield
        return
    stop, problems = Event(), []

    def look() -> None:
        try:
            for path in files.paths:
                if _last_line_bytes(_utf8_chunks(path, files.compression), stop) > LONGEST_LINE:
                    raise _too_long(path, files.compression)
        except (InputError, OSError) as error:  # raised by the thread that asked
            problems.append(error)

    thread = Thread(target=look, name="text check", daemon=True)
    thread.start()
    try:
        yield
        thread.join()
    except InputError as error:
        if "maximum_object_size" in str(error):  # the engine's word for a long line, which it does not name
            thread.join()
            raise (problems or [error])[0] from None
        raise
    finally:
        stop.set()
        thread.join()
    if problems:
        raise problems[0]


def _utf8_chunks(path: Path, compression: str) -> Iterator[bytes]:
    """All bytes of a file, as long as they are UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    place = 0
    for chunk in chain(unpacked_chunks(path, compression), [b""]):
        pending = decoder.getstate()[0]
        if pending or not chunk or not chunk.isascii():
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                line = _line_at(path, compression, place - len(pending) + error.start)
                raise InputError(not_utf8(path, compression, f"{path}, line {line}")) from None
        place += len(chunk)
        yield chunk


def _line_at(path: Path, compression: str, place: int) -> int:
    """Return the number of the line, from 1, that has this byte."""
    ends = dict.fromkeys(_LINE_ENDS, 0)
    for chunk in unpacked_chunks(path, compression):
        ends = {end: count + chunk.count(end, 0, max(place, 0)) for end, count in ends.items()}
        place -= len(chunk)
    return 1 + max(ends.values())


def _last_line_bytes(chunks: Iterable[bytes], stop: Event) -> int:
    r"""Return how long the last line is that is not empty; 0 where nobody wants to know any more.

    >>> _last_line_bytes([b"one\ntw", b"o\r", b"\n"], Event()), _last_line_bytes([b"one\ntw", b"o", b" three"], Event())
    (3, 9)
    """
    length, ended = 0, False
    for chunk in chunks:
        if stop.is_set():
            return 0
        end = len(chunk.rstrip(_LINE_ENDS)) if chunk[-1:] in (b"\n", b"\r") else len(chunk)
        if end:
            last = chunk.rfind(b"\n", 0, end)
            last = max(last, chunk.rfind(b"\r", last + 1, end))
            length = end - last - 1 if ended or last >= 0 else length + end
        ended = end < len(chunk) if end else ended or bool(chunk)
    return length


def _too_long(path: Path, compression: str) -> InputError:
    lines, rest = [0, 0], [0, 0]  # by line feeds and by carriage returns; those behind the last text end no line of it
    for chunk in unpacked_chunks(path, compression):
        text = chunk.rstrip(_LINE_ENDS)
        for at, end in enumerate((b"\n", b"\r")):
            behind = chunk.count(end, len(text))
            lines[at] += rest[at] + chunk.count(end) - behind if text else 0
            rest[at] = behind if text else rest[at] + behind
    return InputError(
        f"{path}, line {max(lines) + 1} is longer than {LONGEST_LINE >> 20} MiB; is a line end missing there?"
    )
