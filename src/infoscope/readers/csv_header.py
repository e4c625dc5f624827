"""The header of a CSV file, read strictly: nothing about the file is guessed from its rows."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.columns import pick_columns

__all__ = ["Header", "opened_text", "read_header", "split_header"]

_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
_HEADER_BYTES = 1 << 20


@dataclass(frozen=True)
class Header:
    """Names of the columns, as written, what stands between them, and how many empty lines come before."""

    names: tuple[str, ...]
    delimiter: str
    skip: int = 0


def read_header(path: Path, asked: Collection[str], *, tab: bool, delimiter: str | None, compression: str) -> Header:
    """The header under which all asked columns are found.

    The delimiter is the given one, the tab of a .tsv file, or the one of comma, tab, semicolon
    and bar that makes the asked names appear.
    """
    with opened_text(path, compression) as file:
        text = file.read(_HEADER_BYTES)
    if not text.strip():
        raise InputError(f"{path} is empty; a header with the names of the columns is required")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(f"the delimiter is {delimiter!r}; it is one sign, and neither a quote nor a line end")
    known = delimiter if delimiter is not None else "\t" if tab else None
    _refuse_mixed_line_ends(text, path)
    skip = len(re.findall(r"\r\n|\r|\n", text[: len(text) - len(text.lstrip("\r\n"))]))
    try:
        headers = [Header(split_header(text, sign), sign, skip) for sign in ([known] if known else _DELIMITERS)]
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    for header in headers:
        if set(asked) <= set(header.names):
            pick_columns(asked, header.names, str(path))
            return header
    widest = max(headers, key=lambda header: len(header.names))
    try:
        pick_columns(asked, widest.names, str(path))
    except UnknownNameError as error:
        if len(widest.names) > 1:
            raise
        sign = _DELIMITERS.get(widest.delimiter, widest.delimiter)
        told = f"by {sign}" if known else "by comma, tab, semicolon or bar"
        raise UnknownNameError(
            f"{str(error).rstrip('?')}; its first line does not split {told}: name the right delimiter"
        ) from error
    raise AssertionError("a header with every asked column was overlooked")


def split_header(text: str, delimiter: str) -> tuple[str, ...]:
    """The fields of the first line; a quoted field may run over several lines.

    >>> split_header('truth,"said, in words"', ",")
    ('truth', 'said, in words')
    """
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, doublequote=True)
    try:
        return tuple(next((line for line in lines if line), ()))
    except csv.Error:
        raise InputError(
            "the first line has a field of more than 131,072 signs; close its quote, or give its columns shorter names"
        ) from None


def _refuse_mixed_line_ends(text: str, path: Path) -> None:
    """Engines take the line end from the first one they meet, inside quotes too, and would read no row by it."""
    first = re.match(r'(?:[^"\r\n]|"[^"]*(?:"|$))*(\r\n|\r|\n)?', text.lstrip("\r\n"))
    ends = [] if first is None else re.findall(r"\r\n|\r|\n", first.group())
    if len(set(ends)) > 1:
        raise InputError(
            f"{path} has a line end of another kind inside its header than after it; write the header in one line"
        )


@contextmanager
def opened_text(path: Path, compression: str) -> Iterator[TextIO]:
    """The beginning of a text file, unpacked; of a zstd file only its first thousand lines."""
    try:
        if compression == "zstd":
            yield io.StringIO(_first_lines_of_zstd(path))
        else:
            opener = gzip.open if compression == "gzip" else open
            with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
                yield file
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text ({error.reason} at byte {error.start}); convert it, "
            "for example with iconv -t UTF-8"
        ) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}; fetch or pack it again") from error


def _first_lines_of_zstd(path: Path) -> str:
    import duckdb  # noqa: PLC0415 - Python before 3.14 does not read zstd itself

    from infoscope.readers.session import exact_path  # noqa: PLC0415

    with duckdb.connect() as connection:
        try:
            lines = connection.execute(
                "SELECT line FROM read_csv($path, auto_detect=false, header=false, quote='', "
                "escape='', delim='\x01', columns={'line': 'VARCHAR'}, compression='zstd', "
                "strict_mode=false, max_line_size=16777216, buffer_size=33554432) LIMIT 1000",
                {"path": exact_path(path)},
            ).fetchall()
        except duckdb.Error as error:
            raise InputError(f"{path} is not a whole zstd file of UTF-8 text; fetch or pack it again") from error
    return "\n".join(line or "" for (line,) in lines).removeprefix("\ufeff")
