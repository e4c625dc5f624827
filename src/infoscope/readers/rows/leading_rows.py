"""Rows as they stand in a file: without a header, and only the first of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from infoscope.errors import InputError
from infoscope.readers.files import Files
from infoscope.readers.formats.byte_streams import unpacked_chunks
from infoscope.readers.formats.conversions import copies, place_of_copy
from infoscope.readers.formats.csv_header import reject_separator_line, split_header

__all__ = ["with_first_rows", "with_numbered_columns"]

_DELIMITERS = ",\t;|"


def with_numbered_columns(files: Files, folder: Path, delimiter: str | None = None) -> Files:
    """Copies of text files that have no header, with one that names the columns 0, 1, …"""
    if files.format not in ("csv", "tsv"):
        raise InputError(f"{files.name} is {files.format}; only CSV and TSV files may lack a header")

    def numbered(path: Path) -> Iterator[bytes]:
        records = _records(path, files)
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

    return copies(files, folder, numbered, files.format)


def with_first_rows(files: Files, folder: Path, most: int) -> Files:
    """Copies with the first rows of all files together."""
    if files.format == "ifs":
        raise InputError(f"{files.name} is counted already; a limit of rows is for rows")
    titles: dict[Path, str] = {}
    left = most
    for path in files.paths:
        if left <= 0:
            break
        copy = place_of_copy(path, folder, f"{path.name}.{_written_format(files)}")
        with files.named():
            left -= _write_first(path, copy, files, left)
        titles[copy] = files.titles.get(path, str(path))
    return replace(files, paths=tuple(titles), format=_written_format(files), compression="none", titles=titles)


def _written_format(files: Files) -> str:
    return "parquet" if files.format in ("parquet", "arrow") else files.format


def _write_first(path: Path, copy: Path, files: Files, most: int) -> int:
    """Write the first rows of one file; how many there were."""
    if files.format in ("parquet", "arrow"):
        return _write_first_of_arrow(path, copy, files.format, most)
    has_header = files.format in ("csv", "tsv")
    written = -1 if has_header else 0
    with copy.open("wb") as target:
        for record in _records(path, files):
            if written == most:
                break
            target.write(record)
            written += 1
    return max(written, 0)


def _write_first_of_arrow(path: Path, copy: Path, format: str, most: int) -> int:
    import pyarrow.dataset  # noqa: PLC0415 - only for these files
    import pyarrow.parquet  # noqa: PLC0415

    try:
        table = pyarrow.dataset.dataset(path, format="parquet" if format == "parquet" else "ipc").head(most)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read as {format}: {str(error).splitlines()[0][:120]}") from error
    pyarrow.parquet.write_table(table, copy)
    return int(table.num_rows)


def _records(path: Path, files: Files) -> Iterator[bytes]:
    """Records with their line ends; empty lines are skipped, and a quoted field of a CSV file may hold line ends."""
    quoted = files.format in ("csv", "tsv")
    record = b""
    for line in _lines(unpacked_chunks(path, files.compression)):
        record += line
        if quoted and record.count(b'"') % 2:
            continue
        if record.strip():
            yield record
        record = b""
    if record.strip():
        yield record


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Lines with their ends: CR alone where the text begins with such lines, else LF, after CR or not."""
    left, end = b"", b""
    for chunk in chunks:
        end = end or (b"\r" if b"\r" in chunk and b"\n" not in chunk else b"\n")
        *lines, left = (left + chunk).split(end)
        for line in lines:
            yield line + end
    if left:
        yield left
