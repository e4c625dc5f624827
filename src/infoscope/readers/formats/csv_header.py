"""The header of a CSV file, read strictly: nothing about the file is guessed from its rows."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np

from infoscope.errors import Advised, InputError, UnknownNameError
from infoscope.readers.columns import Columns, pick_columns
from infoscope.readers.formats.compression import first_bytes
from infoscope.readers.formats.text_files import BYTE_ORDER_MARK, LONGEST_LINE, opened_text
from infoscope.readers.labels import as_number
from infoscope.readers.tally import Tally

__all__ = ["Header", "read_header", "reject_repeated_header", "reject_separator_line", "split_header"]

_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
_HEADER = re.compile(r'(?:[^"\r\n]++|"[^"]*+")*+[\r\n][\s\S]')
_MOST_COLUMNS = 1 << 16
"""Names that the engine is told; with a million it takes a minute and 6 GB for two lines."""
_SEPARATOR_LINE = re.compile(r'("?sep=[^\r\n]"?[,;\t|]*)(?:[\r\n]|$)', re.IGNORECASE)


@dataclass(frozen=True)
class Header:
    """Names of the columns, as written, what stands between them, and how many empty lines come before."""

    names: tuple[str, ...]
    delimiter: str
    skip: int = 0


def read_header(path: Path, asked: Collection[str], *, tab: bool, delimiter: str | None, compression: str) -> Header:
    """The header under which all asked columns are found.

    The delimiter is the given one, the tab of a .tsv file, or the one of comma, tab, semicolon
    and bar that makes the asked names appear; where none is asked, the one that gives the most names.
    """
    with opened_text(path, compression, LONGEST_LINE) as file:
        text = _first_record(file)
    if not text.strip():
        raise InputError(f"{path} is empty; a header with the names of the columns is required")
    reject_separator_line(text, path)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(f"the delimiter is {delimiter!r}; it is one sign, and neither a quote nor a line end")
    known = delimiter if delimiter is not None else "\t" if tab else None
    _reject_mixed_line_ends(text, path)
    skip = _empty_lines(text)
    headers, problem = _split_by_each([known] if known else list(_DELIMITERS), text, skip)
    broken = not skip and any(re.search(r"[\r\n]", header.names[0]) for header in headers)
    if broken and first_bytes(path, compression, len(BYTE_ORDER_MARK)) == BYTE_ORDER_MARK:
        raise InputError(  # the engine does not see the quote behind the mark, and ends the header inside it
            f"{path}, line 1 begins with a byte order mark and a name that has a line end inside; "
            "write the header in one line, or remove the mark"
        )
    for header in headers:
        if len(header.names) > _MOST_COLUMNS:
            raise InputError(
                f"{path} has {len(header.names):,} columns, and text is read with up to {_MOST_COLUMNS:,}; leave out "
                "those that hold no labels, or write Parquet, of which the named columns alone are read"
            )
    for header in headers if asked else sorted(headers, key=lambda header: -len(header.names)):
        if set(asked) <= set(header.names):
            pick_columns(asked, header.names, str(path))
            return header
    if problem:
        raise InputError(f"{path}, line {skip + 1} {problem}")
    widest = max(headers, key=lambda header: len(header.names))
    try:
        pick_columns(asked, widest.names, str(path))
    except UnknownNameError as error:
        if (advice := _advice(widest, asked, known, skip + 1)) is None:
            raise
        raise UnknownNameError(f"{str(error).rstrip('?')}; {advice}") from error
    raise AssertionError("a header with every asked column was overlooked")


def _advice(header: Header, asked: Collection[str], known: str | None, line: int) -> str | None:
    """What to do where the asked columns are missing because the first line is no header, or is not split."""
    first, *others = header.names
    if first.startswith("#") and set(asked) <= {first.lstrip("# "), *others}:  # as numpy.savetxt writes a header
        return f"line {line} begins with #: ask for {first!r}, or remove the sign"
    if first.startswith("#" if len(header.names) == 1 else "# "):
        return f"line {line} looks like a comment: remove such lines, for example with grep -v '^#'"
    if len(header.names) > 1:
        return None
    sign = _DELIMITERS.get(header.delimiter, header.delimiter)
    stated = f"by {sign}" if known else "by comma, tab, semicolon or bar"
    hint = "name the right delimiter"
    if re.fullmatch(r"-?\d+(\.\d+)? \S+", first):
        hint += ", or the format vw (--input-format vw) for predictions of Vowpal Wabbit"
    return f"its first line does not split {stated}: {hint}"


def reject_separator_line(text: str, path: Path) -> None:
    """Reject a first line that tells Excel which separator follows, with the command that removes it."""
    said = _SEPARATOR_LINE.match(text.lstrip("\r\n"))
    if said is not None:
        line = 1 + _empty_lines(text)
        raise InputError(
            f"{path}, line {line} is {said.group(1).strip()!r}, which tells Excel the separator and is no header; "
            f"remove that line, for example with tail -n +{line + 1}"
        )


def reject_repeated_header(tally: Tally, columns: Columns, source: str) -> None:
    """Reject text in which a line is the header again, as where files were joined: such a row is no sample.

    Columns that are named by numbers are left alone, because a number may well be a label of its column; so are
    columns of which each has its name in other rows as well, as where annotators A and B choose from A, B and C.
    """
    keys = tally.keys[len(columns.by) :]
    if len(keys) < 2 or any(not isinstance(as_number(key), str) for key in keys):
        return
    named_cells = []
    for key in keys:
        at = tally.keys.index(key)
        labels, spellings = tally.labels[at], (key, BYTE_ORDER_MARK.decode() + key)
        if not any(spelling in labels for spelling in spellings):
            return
        places = [place for place, label in enumerate(labels) if label in spellings]
        named_cells.append(np.isin(tally.codes[at], places))
    cells = np.logical_and.reduce(named_cells)
    rows = int(tally.rows[cells].sum())
    if rows and not all((here & ~cells).any() for here in named_cells):
        named = " and ".join([f"{key!r} in column {key!r}" for key in keys[:3]] + ["so on"] * (len(keys) > 3))
        what = (
            f"{source} has its header again among its rows ({rows:,} with {named}); remove such lines, for example "
            "with awk 'NR == 1 {h = $0} NR == 1 || $0 != h', or rename the columns if these are labels"
        )
        raise InputError(Advised(what, terminal="; a file without a header is read with --no-header", page=""))


def _empty_lines(text: str) -> int:
    """How many come before the header."""
    return len(re.findall(r"\r\n|\r|\n", text[: len(text) - len(text.lstrip("\r\n"))]))


def _first_record(file: TextIO) -> str:
    """The text up to the end of the header and some more, as far as a line may be long."""
    text, size = "", 1 << 16
    while chunk := file.read(size):
        text, size = text + chunk, len(text) + size
        if _HEADER.match(text.lstrip("\r\n")) or len(text) >= LONGEST_LINE:
            break
    return text


def _split_by_each(signs: list[str], text: str, skip: int) -> tuple[list[Header], str]:
    """The header by each delimiter under which its quotes enclose whole fields, and what is wrong by another."""
    headers, problem = [], ""
    for sign in signs:
        try:
            headers.append(Header(split_header(text, sign, strict=True), sign, skip))
        except InputError as error:
            problem = problem or str(error)
    return headers, problem


def split_header(text: str, delimiter: str, *, strict: bool = False) -> tuple[str, ...]:
    """The fields of the first line; a quoted field may run over several lines, and ends as such where that is strict.

    >>> split_header('truth,"said, in words"', ",")
    ('truth', 'said, in words')
    """
    text = text.lstrip("\r\n")
    sign = re.escape(delimiter)
    field = re.compile(rf'(?:"([^"]*(?:""[^"]*)*)("?))?([^{sign}\r\n]*)({sign})?')
    names, place, more = [], 0, True
    while more:
        found = field.match(text, place)
        assert found is not None  # every part of it may be empty
        quoted, closed, rest, more = found.group(1), found.group(2), found.group(3), bool(found.group(4))
        if strict and quoted is not None and not closed:
            raise InputError('has a quote that is not closed; write a quote inside a field as ""')
        if strict and quoted is not None and rest:
            raise InputError(
                f"has {rest[:40]!r} behind a closing quote; name the right delimiter, or write a quote inside a field "
                'as ""'
            )
        names.append((quoted or "").replace('""', '"') + rest)
        place = found.end()
    return tuple(names)


def _reject_mixed_line_ends(text: str, path: Path) -> None:
    """Engines take the line end from the first one they meet, inside quotes and before the header too.

    With any other line end they would read no row, or lose the first character of the next line.
    """
    first = re.match(r'[\r\n]*(?:[^"\r\n]++|"[^"]*+(?:"|$))*+(\r\n|\r|\n)?', text)
    ends = [] if first is None else re.findall(r"\r\n|\r|\n", first.group())
    if len(set(ends)) > 1:
        if len(set(ends[: _empty_lines(text)]) | {ends[-1]}) > 1:
            raise InputError(
                f"{path} has an empty line before its header whose line end is of another kind than that of the "
                f"header; remove that line, for example with tail -n +{_empty_lines(text) + 1}"
            )
        raise InputError(
            f"{path} has a line end of another kind inside its header than after it; write the header in one line"
        )
