"""Text files and CSV: how they are opened, their header, and the guards where an engine would be silently wrong.

The header is read strictly, nothing about the file is guessed from its rows. The engine skips a last line that is
longer than its buffer, looks only at the columns that it is asked for, and takes the line end from the first one it
meets: ``check_text``, ``check_records`` and ``read_header`` reject what it lets pass. Files without a header, or of
which only the first rows are wanted, are copied.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from threading import Event, Thread
from typing import TextIO

import numpy as np

from infoscope.errors import Advised, InputError, UnknownNameError
from infoscope.readers.compression import first_bytes, measure_zstd, read_chunks, unpack_zstd
from infoscope.readers.conversions import place_copy, write_copies
from infoscope.readers.files import Files, explain_not_utf8
from infoscope.readers.labels import as_number
from infoscope.readers.query import Query, pick_columns
from infoscope.tables.rows import Rows

# ── files of text ────────────────────────────────────────────────────────────────────────────────


BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_UNPACKED = 1 << 30
LONGEST_LINE = 1 << 24
"""Bytes of a line, at most; the engine holds twice as many at a time."""


PARALLEL, IN_ORDER = "parallel=true", "parallel=false"
"""True if several threads read a text file from several places, as part of a statement."""


def write_text_options(compression: str) -> str:
    """Return how the engine reads lines, as part of a statement.

    In parallel: one thread alone takes a quote that is never closed for the end of the file, so that it reads only
    what ``check_records`` finds right. In parallel the engine leaves out a last line that is longer than its buffer;
    ``check_text`` finds it.
    """
    return f"compression='{compression}', max_line_size={LONGEST_LINE}, buffer_size={2 * LONGEST_LINE}, {PARALLEL}"


def is_split(path: Path, compression: str) -> bool:
    """Return True if the engine reads a file from several places, and ``check_records`` can read it from its start."""
    if compression == "zstd":
        return (measure_zstd(path) or 0) <= _MAX_UNPACKED
    return compression != "none" or path.stat().st_size > LONGEST_LINE


def check_records(path: Path, compression: str, delimiter: str) -> None:
    """Reject the first record of a CSV file that has more or fewer fields than the header, or quotes that are wrong."""
    before = csv.field_size_limit(LONGEST_LINE)
    size, line = 0, 1
    try:
        with open_text(path, compression) as file:
            records = csv.reader(file, delimiter=delimiter, strict=True)
            for record in records:
                size = size or len(record)
                if record and len(record) != size:
                    fields = f"{len(record)} field{'s' * (len(record) != 1)}"
                    raise InputError(
                        f"{path}, line {line} has {fields} and the header has {size}; fix or remove that line"
                    )
                line = records.line_num + 1
    except csv.Error as error:
        what = next((what for sign, what in _FAULTS.items() if sign in str(error)), "has text behind a closing quote")
        raise InputError(f'{path}, line {line} {what}; write a quote inside a field as ""') from None
    finally:
        csv.field_size_limit(before)


_FAULTS = {
    "unexpected end of data": "has a quote that is not closed",
    "field limit": "has a quote that is not closed, or a field of more than 16 MiB",
}


@contextmanager
def open_text(path: Path, compression: str, limit: int | None = None, errors: str = "strict") -> Iterator[TextIO]:
    """Open a text file, unpacked and without a byte order mark; of a zstd file whole lines of the first bytes.

    ``errors`` is what becomes of bytes that are not UTF-8, as in ``open``.
    """
    try:
        if compression == "zstd":
            data = unpack_zstd(path) if limit is None else first_bytes(path, "zstd", limit)
            is_whole = limit is None or len(data) < limit
            text = codecs.getincrementaldecoder("utf-8-sig")(errors).decode(data, final=is_whole)
            yield io.StringIO(text if is_whole else text[: text.rfind("\n") + 1] or text, newline="")
        else:
            opener = gzip.open if compression == "gzip" else open
            with opener(path, "rt", encoding="utf-8-sig", errors=errors, newline="") as file:
                yield file
    except UnicodeDecodeError as error:
        raise InputError(explain_not_utf8(path, compression)) from error
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}; fetch or pack it again") from error


_LINE_ENDS = b"\r\n"


@contextmanager
def check_text(files: Files) -> Iterator[None]:
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
                if _measure_last_line(_check_utf8(path, files.compression), stop) > LONGEST_LINE:
                    raise _explain_long_line(path, files.compression)
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


def _check_utf8(path: Path, compression: str) -> Iterator[bytes]:
    """Yield all bytes of a file, as long as they are UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    place = 0
    for chunk in chain(read_chunks(path, compression), [b""]):
        pending = decoder.getstate()[0]
        if pending or not chunk or not chunk.isascii():
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                ends, left = dict.fromkeys(_LINE_ENDS, 0), place - len(pending) + error.start
                for before in read_chunks(path, compression):  # to say in which line that is
                    ends = {end: count + before.count(end, 0, max(left, 0)) for end, count in ends.items()}
                    left -= len(before)
                line = 1 + max(ends.values())
                raise InputError(explain_not_utf8(path, compression, f"{path}, line {line}")) from None
        place += len(chunk)
        yield chunk


def _measure_last_line(chunks: Iterable[bytes], stop: Event) -> int:
    r"""Return how long the last line is that is not empty; 0 where nobody wants to know any more.

    >>> _measure_last_line([b"one\ntw", b"o\r", b"\n"], Event())
    3
    >>> _measure_last_line([b"one\ntw", b"o", b" three"], Event())
    9
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


def _explain_long_line(path: Path, compression: str) -> InputError:
    lines, rest = [0, 0], [0, 0]  # by line feeds and by carriage returns; those behind the last text end no line of it
    for chunk in read_chunks(path, compression):
        text = chunk.rstrip(_LINE_ENDS)
        for i, end in enumerate((b"\n", b"\r")):
            behind = chunk.count(end, len(text))
            lines[i] += rest[i] + chunk.count(end) - behind if text else 0
            rest[i] = behind if text else rest[i] + behind
    return InputError(
        f"{path}, line {max(lines) + 1} is longer than {LONGEST_LINE >> 20} MiB; is a line end missing there?"
    )


# ── the header of a CSV file ─────────────────────────────────────────────────────────────────────


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


def read_header(path: Path, wanted: Collection[str], *, tab: bool, delimiter: str | None, compression: str) -> Header:
    """Return the header under which all wanted columns are found.

    The delimiter is the given one, the tab of a .tsv file, or the one of comma, tab, semicolon and bar that makes the
    wanted names appear; where none is wanted, the one that gives most names without half a quote.
    """
    text, size = "", 1 << 16
    with open_text(path, compression, LONGEST_LINE) as file:
        while chunk := file.read(size):  # the header and some more, as far as a line may be long
            text, size = text + chunk, len(text) + size
            if _HEADER.match(text.lstrip("\r\n")) or len(text) >= LONGEST_LINE:
                break
    if not text.strip():
        raise InputError(f"{path} is empty; a header with the names of the columns is required")
    reject_separator_line(text, path)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InputError(f"the delimiter is {delimiter!r}; it is one sign, and neither a quote nor a line end")
    stated = delimiter if delimiter is not None else "\t" if tab else None
    _reject_mixed_line_ends(text, path)
    skip = _count_empty_lines(text)
    headers, problem = [], ""
    for sign in [stated] if stated else _DELIMITERS:
        try:
            headers.append(Header(split_header(text, sign, strict=True), sign, skip))
        except InputError as error:  # its quotes do not enclose whole fields
            problem = problem or str(error)
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
    if not wanted:  # half of a pair of quotes in a name shows that another sign splits the line
        headers.sort(key=lambda header: (any(name.count('"') % 2 for name in header.names), -len(header.names)))
    for header in headers:
        if set(wanted) <= set(header.names):
            pick_columns(wanted, header.names, str(path))
            return header
    if problem:
        raise InputError(f"{path}, line {skip + 1} {problem}")
    widest = max(headers, key=lambda header: len(header.names))
    try:
        pick_columns(wanted, widest.names, str(path))
    except UnknownNameError as error:
        if (advice := _advise_on_header(widest, wanted, stated, skip + 1)) is None:
            raise
        raise UnknownNameError(f"{str(error).rstrip('?')}; {advice}") from error
    raise AssertionError("a header with every wanted column was overlooked")


def _advise_on_header(header: Header, wanted: Collection[str], delimiter: str | None, line: int) -> str | None:
    """Advise what to do where columns are missing because the first line is no header, or is not split."""
    first, *others = header.names
    if first.startswith("#") and set(wanted) <= {first.lstrip("# "), *others}:  # as numpy.savetxt writes a header
        return f"line {line} begins with #: ask for {first!r}, or remove the sign"
    if first.startswith("#" if len(header.names) == 1 else "# "):
        return f"line {line} looks like a comment: remove such lines, for example with grep -v '^#'"
    if len(header.names) > 1:
        return None
    sign = _DELIMITERS.get(header.delimiter, header.delimiter)
    split = f"by {sign}" if delimiter else "by comma, tab, semicolon or bar"
    hint = "name the right delimiter"
    if re.fullmatch(r"-?\d+(\.\d+)? \S+", first):
        hint += ", or the format vw (--read format=vw) for predictions of Vowpal Wabbit"
    return f"its first line does not split {split}: {hint}"


def reject_separator_line(text: str, path: Path) -> None:
    """Reject a first line that tells Excel which separator follows, with the command that removes it."""
    match = _SEPARATOR_LINE.match(text.lstrip("\r\n"))
    if match is not None:
        line = 1 + _count_empty_lines(text)
        raise InputError(
            f"{path}, line {line} is {match.group(1).strip()!r}, which tells Excel the separator and is no header; "
            f"remove that line, for example with tail -n +{line + 1}"
        )


def reject_repeated_header(rows: Rows, query: Query, source: str) -> None:
    """Reject text in which a line is the header again, as where files were joined: such a row is no sample.

    Columns that are named by numbers are left alone, because a number may well be a label of its column; so are
    columns of which each has its name in other rows as well, as where annotators A and B choose from A, B and C.
    """
    keys = rows.names[len(query.by) :]
    if len(keys) < 2 or any(not isinstance(as_number(key), str) for key in keys):
        return
    named_cells = []
    for key in keys:
        labels, spellings = rows.dictionaries[key], (key, BYTE_ORDER_MARK.decode() + key)
        if not any(spelling in labels for spelling in spellings):
            return
        places = [place for place, label in enumerate(labels) if label in spellings]
        named_cells.append(np.isin(rows.codes[rows.place(key)], places))
    cells = np.logical_and.reduce(named_cells)
    repeated = int(rows.row_counts[cells].sum())
    if repeated and not all((here & ~cells).any() for here in named_cells):
        named = " and ".join([f"{key!r} in column {key!r}" for key in keys[:3]] + ["so on"] * (len(keys) > 3))
        what = (
            f"{source} has its header again among its rows ({repeated:,} with {named}); remove such lines, for example "
            "with awk 'NR == 1 {h = $0} NR == 1 || $0 != h', or rename the columns if these are labels"
        )
        raise InputError(Advised(what, terminal="; a file without a header is read with --read header=no", page=""))


def _count_empty_lines(text: str) -> int:
    """Count the lines before the header."""
    return len(re.findall(r"\r\n|\r|\n", text[: len(text) - len(text.lstrip("\r\n"))]))


def split_header(text: str, delimiter: str, *, strict: bool = False) -> tuple[str, ...]:
    """Split the first line; a quoted field may run over several lines, and ends as such where that is strict.

    >>> split_header('truth,"said, in words"', ",")
    ('truth', 'said, in words')
    """
    text = text.lstrip("\r\n")
    sign = re.escape(delimiter)
    field = re.compile(rf'(?:"([^"]*(?:""[^"]*)*)("?))?([^{sign}\r\n]*)({sign})?')
    names, place, more = [], 0, True
    while more:
        match = field.match(text, place)
        assert match is not None  # every part of it may be empty
        quoted, closed, rest, more = match.group(1), match.group(2), match.group(3), bool(match.group(4))
        if strict and quoted is not None and not closed:
            raise InputError('has a quote that is not closed; write a quote inside a field as ""')
        if strict and quoted is not None and rest:
            raise InputError(
                f"has {rest[:40]!r} behind a closing quote; name the right delimiter, or write a quote inside a field "
                'as ""'
            )
        names.append((quoted or "").replace('""', '"') + rest)
        place = match.end()
    return tuple(names)


def _reject_mixed_line_ends(text: str, path: Path) -> None:
    """Engines take the line end from the first one they meet, inside quotes and before the header too.

    With any other line end they would read no row, or lose the first character of the next line.
    """
    first = re.match(r'[\r\n]*(?:[^"\r\n]++|"[^"]*+(?:"|$))*+(\r\n|\r|\n)?', text)
    ends = [] if first is None else re.findall(r"\r\n|\r|\n", first.group())
    if len(set(ends)) > 1:
        if len(set(ends[: _count_empty_lines(text)]) | {ends[-1]}) > 1:
            raise InputError(
                f"{path} has an empty line before its header whose line end is of another kind than that of the "
                f"header; remove that line, for example with tail -n +{_count_empty_lines(text) + 1}"
            )
        raise InputError(
            f"{path} has a line end of another kind inside its header than after it; write the header in one line"
        )


# ── files without a header, and their first rows ─────────────────────────────────────────────────


def number_columns(files: Files, folder: Path, delimiter: str | None = None) -> Files:
    """Copy text files that have no header, with one that names the columns 0, 1, …"""
    if files.format not in ("csv", "tsv"):
        raise InputError(f"{files.name} is {files.format}; only CSV and TSV files may lack a header")

    def numbered(path: Path) -> Iterator[bytes]:
        records = _split_records(path, files)
        first = next(records, b"")
        text = first.decode("utf-8", "replace").removeprefix("\ufeff")
        if not text.strip():
            raise InputError(f"{path} is empty; there are no rows")
        reject_separator_line(text, path)
        sign = delimiter or ("\t" if files.format == "tsv" else max(_DELIMITERS, key=text.count))
        end = next((end for end in (b"\r\n", b"\r") if first.endswith(end)), b"\n")  # engines take one for all lines
        yield sign.join(map(str, range(len(split_header(text, sign))))).encode() + end
        yield first.removeprefix(b"\xef\xbb\xbf")
        yield from records

    return write_copies(files, folder, numbered, files.format)


def copy_first_rows(files: Files, folder: Path, most: int) -> Files:
    """Copy the first rows of all files together."""
    if files.format == "ifs":
        raise InputError(f"{files.name} is counted already; a limit of rows is for rows")
    titles: dict[Path, str] = {}
    is_binary = files.format in ("parquet", "arrow")
    format = "parquet" if is_binary else files.format
    left = most
    for path in files.paths:
        if left <= 0:
            break
        copy = place_copy(path, folder, f"{path.name}.{format}")
        with files.named():
            if is_binary:
                import pyarrow.dataset  # noqa: PLC0415 - only for these files
                import pyarrow.parquet  # noqa: PLC0415

                try:
                    dataset = pyarrow.dataset.dataset(path, format="parquet" if files.format == "parquet" else "ipc")
                    rows = dataset.head(left)
                except (pyarrow.ArrowException, OSError) as error:
                    reason = str(error).splitlines()[0][:120]
                    raise InputError(f"{path} cannot be read as {files.format}: {reason}") from error
                pyarrow.parquet.write_table(rows, copy)
                left -= rows.num_rows
            else:
                header, written = int(files.format in ("csv", "tsv")), 0
                with copy.open("wb") as target:
                    for record in islice(_split_records(path, files), left + header):
                        target.write(record)
                        written += 1
                left -= max(written - header, 0)
        titles[copy] = files.titles.get(path, str(path))
    return replace(files, paths=tuple(titles), format=format, compression="none", titles=titles)


def _split_records(path: Path, files: Files) -> Iterator[bytes]:
    """Yield records with their line ends, without empty lines; a quoted field of a CSV file may hold line ends."""
    quoted = files.format in ("csv", "tsv")
    record = b""
    for line in _split_lines(read_chunks(path, files.compression)):
        record += line
        if quoted and record.count(b'"') % 2:
            continue
        if record.strip():
            yield record
        record = b""
    if record.strip():
        yield record


def _split_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines with their ends: CR alone where the text begins with such lines, else LF, after CR or not."""
    left, end = b"", b""
    for chunk in chunks:
        end = end or (b"\r" if b"\r" in chunk and b"\n" not in chunk else b"\n")
        *lines, left = (left + chunk).split(end)
        for line in lines:
            yield line + end
    if left:
        yield left
