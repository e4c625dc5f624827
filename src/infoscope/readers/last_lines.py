"""Last lines that are too long for the engine, which leaves them out without a word when it reads in parallel.

The end of a plain file is looked at before it is read. A compressed file has no end that can be looked at alone: it is
unpacked a second time, beside the engine. Of gzip that also verifies the checksums, at which the engine does not look.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from infoscope.errors import InputError
from infoscope.readers.byte_streams import unpacked_chunks
from infoscope.readers.compression import most_bytes_of_zstd
from infoscope.readers.files import Files
from infoscope.readers.text_files import LONGEST_LINE

__all__ = ["check_last_line", "last_lines_checked"]

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
