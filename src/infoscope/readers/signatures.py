"""Kinds of files by their first bytes, and the command that makes something readable of others."""

from __future__ import annotations

import re
import shlex
from os import SEEK_END
from pathlib import Path
from typing import NamedTuple

from infoscope.errors import Advised, InputError
from infoscope.readers.compression import PACKED_OTHERWISE, UNPACKERS, compression_by, first_bytes

_BOM = b"\xef\xbb\xbf"
_READABLE = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_TITLES = {"parquet": "a Parquet file", "arrow": "an Arrow file"}
_SAMPLE = 1 << 20
_PARQUET_END = 8
"""Last bytes of a Parquet file: how long its footer is, and the magic word."""
_ROWS_OF_OBJECTS = re.compile(rb"\s*\[\s*(?:\{|\]|$)")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_ONE_DOCUMENT = re.compile(rb"\s*\{[ \t]*\r?\n")


class _Kind(NamedTuple):
    """A kind of file that is not read, and what to do about it; ``{file}`` and ``{csv}`` are its name and a new one."""

    what: str
    way_out: str
    option: str = ""
    """Another way, of those who can say how a file is read."""

    def sentence(self, path: Path, compression: str, subject: str | None = None) -> Advised:
        """Say what the file is, and the ways out."""
        way = _filled(self.way_out, path, compression)
        ways = f"; {self.option}, or {way}" if self.option else f"; {way}"
        return Advised(f"{subject or path} is {self.what}", terminal=ways, page=f"; {way}")


_EXCEL = _Kind(
    "an Excel workbook",
    "convert it: libreoffice --headless --convert-to csv {file}",
    "read it with --input-format xlsx (in Python: format='xlsx')",
)
_OPEN_DOCUMENT = _Kind(
    "an OpenDocument spreadsheet",
    "convert it: libreoffice --headless --convert-to csv {file}",
    "read it with --input-format ods (in Python: format='ods')",
)
_FOREIGN = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _EXCEL,
    b"PK\x05\x06": _Kind("an empty zip archive", "pack it again"),
    b"BZh": _Kind("compressed by bzip2", "unpack it: bunzip2 -c {file} > {csv}"),
    b"\xfd7zXZ\0": _Kind("compressed by xz", "unpack it: xz -dc {file} > {csv}"),
    b"\x5d\0\0": _Kind("compressed by lzma", "unpack it: xz --format=lzma -dc {file} > {csv}"),
    b"\x04\x22\x4d\x18": _Kind("compressed by lz4", "unpack it: lz4 -dc {file} > {csv}"),
    b"7z\xbc\xaf\x27\x1c": _Kind("a 7-Zip archive", "unpack it: 7z x {file}"),
    b"SQLite format 3\0": _Kind(
        "an SQLite database",
        "read a table of it in a terminal: infoscope evaluate TABLE --engine sqlite:///{file} -t … -s …",
    ),
    b"\x89HDF\r\n\x1a\n": _Kind(
        "an HDF5 file",
        'convert it: python -c "import pandas, sys; pandas.read_hdf(sys.argv[1]).to_csv(sys.argv[2])" {file} {csv}',
    ),
    b"\x93NUMPY": _Kind("a NumPy array", "hand over the array: infoscope.Contingency.from_labels(truth, predictions)"),
    b"MATLAB": _Kind(
        "a file of MATLAB, which holds matrices and no rows",
        "evaluate its table of counts in a terminal: infoscope evaluate --matrix {file} "
        "(in Python: infoscope.readers.read_matrix)",
    ),
    b"Obj\x01": _Kind("an Avro file", "convert it: avro-tools tojson {file} > {ndjson}"),
    b"ORC": _Kind("an ORC file", "convert it to Parquet"),
    b"Rar!": _Kind("a RAR archive", "unpack it: unrar x {file}"),
    b"%PDF": _Kind("a PDF document", "export its table as CSV"),
}
_DUCKDB = _Kind(
    "a DuckDB database",
    "read a table of it in a terminal: infoscope evaluate TABLE --engine duckdb:///{file} -t … -s …",
)
_HTML = _Kind("an HTML page", "fetch the data again (perhaps a login page came instead of them), or export as CSV")
_ARRAY = _Kind(
    "a JSON array",
    "write one object per line: jq -c '.[]' {file} > {ndjson}",
    "read it with --input-format json (in Python: format='json')",
)
_TABLES = _Kind(
    "a file of tables that are counted already, not of rows",
    "give it a name that ends in .ifs",
    "read it with --input-format ifs (in Python: format='ifs')",
)
_TABLES_SCHEMA = re.compile(rb'"schema": "infoscope/(?:tables?|patterns)/')
_DOCUMENT = _Kind("JSON over several lines", "write one object per line: jq -c . {file} > {ndjson}")


def sniff_format(head: bytes) -> str:
    """Return the format by the first bytes of a file whose name does not say it.

    >>> sniff_format(b'{"t": 1}'), sniff_format(b"t,s"), sniff_format(b"PAR1")
    ('ndjson', 'csv', 'parquet')
    """
    for magic, kind in _READABLE.items():
        if head.startswith(magic):
            return kind
    if head.startswith(b"PK\x03\x04") and (b"xl/" in head or b"[Content_Types].xml" in head):
        return "excel"
    text = head.removeprefix(_BOM).lstrip()
    return "ndjson" if text.startswith(b"{") or _ROWS_OF_OBJECTS.match(text) else "csv"


def check_signature(path: Path, kind: str, compression: str = "none") -> None:
    """Reject a file that is something else than its name or the caller says: what it is, and how to convert it."""
    head = first_bytes(path, compression)
    found = next((form for magic, form in _READABLE.items() if head.startswith(magic)), None)
    if found == kind == "parquet" and _holds_tables(path):
        raise InputError(_TABLES.sentence(path, compression))
    if kind == "ifs" or not head or found == kind:
        return
    if found is not None:
        option = f"read it with --input-format {found} (in Python: format={found!r})"
        what = f"{_TITLES[found]} and not {kind}"
        raise InputError(_Kind(what, "give it the name of one", option).sentence(path, compression))
    if kind == "arrow" and re.fullmatch(rb"[\t\r\n -~]{4,}", head[:64]):
        what = f"{path} cannot be read: it is text and not an Arrow file"
        name = "; give it a name that ends in .csv or .ndjson"
        raise InputError(Advised(what, terminal="; read it with --input-format csv or ndjson", page=name))
    foreign = _foreign_kind(head, path)
    if compression != "none" and compression_by(head) != "none":
        foreign = _Kind("compressed twice", "pack it once")
    if foreign is None and kind in ("csv", "tsv", "ndjson"):
        foreign = _odd_text(path, head.removeprefix(_BOM), kind)
    if foreign is not None:
        raise InputError(foreign.sentence(path, compression))


def not_utf8(path: Path, compression: str = "none", where: str = "") -> str:
    """Say of a text file that is not UTF-8 in what it seems to be written, and how to convert it."""
    where = where or str(path)
    sample = first_bytes(path, compression, _SAMPLE)
    foreign = _foreign_kind(sample, path)
    if foreign is not None:
        return foreign.sentence(path, compression)
    wide = _wide_encoding(sample)
    if wide is not None:
        return _in_encoding(f"{wide} text", wide).sentence(path, compression, where)
    others = re.sub(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}", b"", sample)
    if len(others) < len(sample) or others.isascii():
        return (
            f"{where} is not UTF-8 text; fix the line, or drop the bytes that are not: "
            f"{_filled('iconv -c -f UTF-8 -t UTF-8 {file} > {csv}', path, compression)}"
        )
    encoding = "WINDOWS-1252" if re.search(rb"[\x80-\x9f]", others) else "ISO-8859-1"
    name = {"ISO-8859-1": "Latin-1"}.get(encoding, "Windows-1252")
    return _in_encoding(f"not UTF-8 text but seems to be {name}", encoding).sentence(path, compression, where)


def _holds_tables(path: Path) -> bool:
    """Return True for an .ifs file under the name of a Parquet file; its metadata is near its end."""
    with path.open("rb") as file:
        size = file.seek(0, SEEK_END)
        file.seek(max(0, size - _PARQUET_END))
        footer = min(int.from_bytes(file.read(4), "little") + _PARQUET_END, size, _SAMPLE)
        file.seek(size - footer)
        return _TABLES_SCHEMA.search(file.read()) is not None


def _foreign_kind(head: bytes, path: Path) -> _Kind | None:
    if head.startswith(b"PK\x03\x04"):
        if b"opendocument.spreadsheet" in head:
            return _OPEN_DOCUMENT
        is_workbook = b"xl/" in head or b"[Content_Types].xml" in head or path.suffix.lower().startswith(".xls")
        return _EXCEL if is_workbook else _Kind("a zip archive", "unpack it: unzip {file}")
    for magic, kind in _FOREIGN.items():
        if head.startswith(magic):
            return kind
    if head[8:12] == b"DUCK" and head[14:20] == bytes(6):  # the rest of a version in eight bytes, which no text has
        return _DUCKDB
    if head[257:262] == b"ustar":
        return _Kind("a tar archive", "unpack it: tar -xf {file}")
    if re.match(rb"\x80[\x02-\x05][\x80-\xff\x00-\x1fc}\](]", head):
        return _Kind("a Python pickle", "load it and hand over its labels: infoscope.evaluate(y_true, y_pred)")
    page = re.match(rb"\s*<(?:!doctype html|html)", head.removeprefix(_BOM), re.IGNORECASE)
    return _HTML if page else None


def _odd_text(path: Path, head: bytes, kind: str) -> _Kind | None:
    """Recognise text that is not in lines of UTF-8 as the reader of its format expects them."""
    wide = _wide_encoding(head)
    if wide is not None:
        return _in_encoding(f"{wide} text", wide)
    packing = path.suffix[1:].lower()
    if packing in PACKED_OTHERWISE and _CONTROL.search(head):  # parts that Hadoop packs begin with nothing of their own
        return _Kind(f"packed by {packing}, as its name says", "unpack it")
    if kind == "ndjson" or path.suffix.lower() == ".json":
        if _ROWS_OF_OBJECTS.match(head):
            return _ARRAY
        return _DOCUMENT if _ONE_DOCUMENT.match(head) else None
    return _ARRAY if re.match(rb"\s*\[\s*\{", head) else None


def _wide_encoding(head: bytes) -> str | None:
    """Recognise UTF-16 or UTF-32 by their marks, or by the zeros between letters."""
    marks = ((b"\xff\xfe\0\0", "UTF-32"), (b"\0\0\xfe\xff", "UTF-32"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))
    for mark, name in marks:
        if head.startswith(mark):
            return name
    even, odd = head[:512:2], head[1:512:2]
    for zeros, letters, name in ((odd, even, "UTF-16LE"), (even, odd, "UTF-16BE")):
        if len(zeros) > 1 and zeros.count(0) > 0.7 * len(zeros) and letters.count(0) < 0.1 * len(letters):
            return name
    return None


def _in_encoding(what: str, encoding: str) -> _Kind:
    name = {"ISO-8859-1": "latin-1", "WINDOWS-1252": "cp1252"}.get(encoding, encoding.lower())
    convert = f"convert it: iconv -f {encoding} -t UTF-8 {{file}} > {{csv}}"
    return _Kind(what, convert, f"read rows with --encoding {name} (in Python: encoding={name!r})")


def _other_name(path: Path, suffix: str) -> str:
    """Return a name for what a command writes, such that it does not write over what it reads."""
    stem = path.name.split(".")[0] or "file"
    return next(
        name for name in (f"{stem}{suffix}", f"{stem}.utf8{suffix}", f"{stem}.new{suffix}") if name != path.name
    )


def _filled(command: str, path: Path, compression: str) -> str:
    """Fill the names of a file into a way out; a compressed file is unpacked on the way."""
    suffix = next((s for s in path.suffixes if s.lower() in (".csv", ".tsv", ".ndjson", ".jsonl")), ".csv")
    names = {"csv": _other_name(path, suffix), "ndjson": _other_name(path, ".ndjson"), "file": str(path)}
    names = {word: shlex.quote(name) for word, name in names.items()}
    if compression != "none" and "{file} >" in command:
        unpack = UNPACKERS[compression]
        before, colon, rest = command.rpartition(": ")
        return f"{before}{colon}{unpack} {names['file']} | {rest.replace('{file} ', '').format(**names)}"
    return command.format(**names)
