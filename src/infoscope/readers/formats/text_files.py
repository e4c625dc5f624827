"""Files of text: how they are opened, and lines that are too long for the engine, the last one above all."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
    "check_last_line",
    "check_records",
    "is_split",
    "last_lines_checked",
    "opened_text",
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
    ``check_last_line`` and ``last_lines_checked`` find it.
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


def check_last_line(path: Path) -> None:
    """Reject a plain file whose last line is too long."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        for look in (1 << 16, LONGEST_LINE + len(_LINE_ENDS)):
            if size <= look:
                return
            file.seek(size - look)
            tail = file.read(look)
            if any(end in tail.rstrip(_LINE_ENDS) for end in (b"\n", b"\r")):
                return
    raise _too_long(path, "none")


@contextmanager
def last_lines_checked(files: Files) -> Iterator[None]:
    """Reject compressed text with such a last line, once the engine has read it in the meantime."""
    if files.compression == "none" or files.format not in ("csv", "tsv", "ndjson"):
        yield
        return
    stop, problems = Event(), []

    def look() -> None:
        try:
            for path in files.paths:
                if files.compression == "gzip" or most_bytes_of_zstd(path) > LONGEST_LINE:
                    _check_packed(path, files.compression, stop)
        except (InputError, OSError) as error:  # raised by the thread that asked
            problems.append(error)

    thread = Thread(target=look, name="last lines", daemon=True)
    thread.start()
    try:
        yield
        thread.join()
    finally:
        stop.set()
        thread.join()
    if problems:
        raise problems[0]


def _check_packed(path: Path, compression: str, stop: Event) -> None:
    chunks = unpacked_chunks(path, compression)
    if _last_line_bytes(chunks, stop) > LONGEST_LINE:
        raise _too_long(path, compression)


def _last_line_bytes(chunks: Iterable[bytes], stop: Event) -> int:
    r"""How long the last line is that is not empty; 0 where nobody wants to know any more.

    >>> _last_line_bytes([b"one\ntw", b"o\r", b"\n"], Event()), _last_line_bytes([b"one\ntw", b"o", b" three"], Event())
    (3, 9)
    """
    length, ended = 0, False
    for chunk in chunks:
        if stop.is_set():
            return 0
        end = len(chunk.rstrip(_LINE_ENDS)) if chunk[-1] in _LINE_ENDS else len(chunk)
        if end:
            last = chunk.rfind(b"\n", 0, end)
            last = max(last, chunk.rfind(b"\r", last + 1, end))
            length = end - last - 1 if ended or last >= 0 else length + end
        ended = end < len(chunk) if end else True
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
