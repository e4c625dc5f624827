"""Files of a source: which ones are meant, what is inside them, and which of several cannot be read.

``find_files`` finds them. Their kinds are told by their first bytes, with the command that makes something readable of
others. At the end, network addresses: of databases, of clusters, and of files that only a cluster reads.
"""

from __future__ import annotations

import glob
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import SEEK_END
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from infoscope.core.files import STDIN, name_file, spool_file
from infoscope.errors import Advised, InfoscopeError, InputError, UnknownNameError, mask_secrets
from infoscope.readers.compression import (
    PACKED_OTHERWISE,
    UNPACKERS,
    detect_compression,
    first_bytes,
    match_compression,
)
from infoscope.readers.stores import MirroredFile, is_object_address, mirror_files

FORMATS = {
    "csv": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "parquet": "parquet",
    "pq": "parquet",
    "arrow": "arrow",
    "feather": "arrow",
    "ipc": "arrow",
    "ndjson": "ndjson",
    "jsonl": "ndjson",
    "ifs": "ifs",
    "arff": "arff",
    "vw": "vw",
    "xlsx": "excel",
    "xlsm": "excel",
    "xlsb": "excel",
    "xls": "excel",
    "ods": "excel",
}
_COMPRESSIONS = {"gz": "gzip", "zst": "zstd", "zstd": "zstd"}
_TEXT = ("csv", "tsv", "ndjson", "arff", "vw")


@dataclass(frozen=True)
class Files:
    """Files of one format, in a fixed order."""

    paths: tuple[Path, ...]
    format: str
    compression: str = "none"
    titles: Mapping[Path, str] = field(default_factory=dict)
    """Titles of files that are copies of something else, as of a pipe."""
    mirrors: Mapping[Path, MirroredFile] = field(default_factory=dict)
    """Copies of remote files, which may have holes until a column is asked for."""
    folder: Path | None = None
    """The folder of copies and of rows that spill, for as long as the files are read; None for one of their own."""
    by_codes: bool = False
    """True if the compiled part counts them first, which takes columns of remote files from memory."""

    def __iter__(self) -> Iterator[Path]:
        """Yield file by file."""
        return iter(self.paths)

    @property
    def name(self) -> str:
        """The title of the source in a sentence."""
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return f"{self.titles.get(self.paths[0], self.paths[0])}{more}"

    @contextmanager
    def named(self) -> Iterator[None]:
        """Let errors call copies by the name of what they are copies of."""

        def rename(text: str) -> str:
            for path, title in self.titles.items():
                if title == name_file(Path(STDIN)):  # which has no name that a command could take
                    text = re.sub(rf"(?<=[\w'] ){re.escape(str(path))}(?= [>|]|$)", "FILE", text)
            return _name_titles(text, self.titles)

        try:
            yield
        except InfoscopeError as error:
            if rename(str(error)) == str(error):
                raise
            raise error.reword(rename) from error

    @property
    def hive_keys(self) -> tuple[str, ...]:
        """Columns that the folders name, as in ``fold=3/part-0.parquet``."""
        folders = self.paths[0].parts[:-1]
        pairs = (folder.split("=") for folder in folders)
        return tuple(pair[0] for pair in pairs if len(pair) == 2 and pair[0])

    def by_place(self, names: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return the columns that the folders name, and those that the files hold."""
        hive = [name for name in names if name in self.hive_keys]
        return hive, [name for name in names if name not in hive]


Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def find_files(source: Source, format: str | None, folder: Path) -> Files:
    """Find the files that a path, a pattern, a folder or a list of these means.

    A name that exists is taken as it is, also when it looks like a pattern. What gives its bytes only once (standard
    input, a pipe, a device) is copied into ``folder``, for engines look at a file more than once.
    """
    names = [os.fspath(item) for item in ([source] if isinstance(source, (str, os.PathLike)) else source)]
    by_address: dict[str, MirroredFile] = {}
    remote: dict[str, list[MirroredFile]] = {}

    def is_parquet(name: str) -> bool:
        return (_split_suffix(Path(name))[0] if format is None else parse_format(format)) == "parquet"

    for name in dict.fromkeys(filter(is_object_address, names)):
        copied = mirror_files(name, folder, lambda inside: _is_data(Path(inside), Path()), is_parquet)
        remote[name] = [by_address.setdefault(str(file.address), file) for file in copied]  # each object once
    near = [[mirror.path for mirror in remote[name]] if name in remote else _expand(name) for name in names]
    originals = list(dict.fromkeys(path for paths in near for path in paths))
    if not originals:
        raise InputError("the list of files is empty; name at least one file")
    copies = {path: spool_file(path, folder) for path in originals if is_read_once(path)}
    paths = tuple(copies.get(path, path) for path in originals)
    mirrors = {mirror.path: mirror for several in remote.values() for mirror in several}
    titles = {copy: name_file(path) for path, copy in copies.items()}
    titles |= {path: str(mirror.address) for path, mirror in mirrors.items()}
    try:
        kinds = {path: _find_format(path, format) for path in paths}
        distinct = sorted(set(kinds.values()))
        if len(distinct) > 1:
            examples = [next(path for path, kind in kinds.items() if kind == other) for other in distinct[:2]]
            (one, a), (other, b) = (
                (path, kind if packed == "none" else f"{kind} ({packed})")
                for path, (kind, packed) in zip(examples, distinct, strict=False)
            )
            raise InputError(f"{one} is {a} and {other} is {b}; read files of one format and compression at a time")
        ((kind, compression),) = distinct
    except InputError as error:
        raise InputError(_name_titles(str(error), titles)) from error
    return Files(paths, kind, compression, titles, mirrors, folder)


def _name_titles(text: str, titles: Mapping[Path, str]) -> str:
    for path, title in titles.items():
        text = text.replace(str(path), title)
    return text


def are_parts(sources: Sequence[str], format: str | None) -> bool:
    """Return True if names, folders and patterns mean tables that are counted already; no pipe is read for it."""
    if format is not None:
        return format.lower() == "ifs"
    try:
        paths = [path for item in sources for path in ([Path(item)] if is_object_address(item) else _expand(item))]
        return all(
            (_split_suffix(path) if is_read_once(path) else _find_format(path, None))[0] == "ifs" for path in paths
        )
    except InputError:
        return all(name.endswith(".ifs") for name in sources)


def means_file(name: str, file: Path) -> bool:
    """Return True if a name, folder or pattern means this file among others."""
    try:
        return file.resolve() in {path.resolve() for path in _expand(name)}
    except InputError:
        return False


def _expand(name: str) -> list[Path]:
    if not name:
        raise InputError("the name of a source is empty; name a file, or . for the current folder")
    if name == STDIN:
        return [Path(STDIN)]
    if "://" in name:
        raise InputError(
            f"{name} is a network address of a kind that is not read here (s3://, gs://, az:// and https:// are); copy "
            "or mount it as a file, or give a Spark, Dask, Ibis or database source"
        )
    path = Path(name)
    if path.is_dir():
        data = {p for p in path.rglob("*") if not p.is_dir() and _is_data(p, path)}
        inside = sorted(p for p in data if (plain := _unpacked_name(p)) == p or plain not in data)
        others = [p for p in inside if _split_suffix(_unpacked_name(p))[0] != "excel"]
        inside = others or inside  # beside data, workbooks are notes
        if not inside:
            raise InputError(f"folder {name} has no file named *.{', *.'.join(FORMATS)}")
        return inside
    if path.exists():
        return [path]
    matches = sorted(Path(p) for p in glob.glob(name, recursive=True))
    if not matches:
        kind = "pattern matches no file" if glob.has_magic(name) else "file does not exist"
        raise InputError(f"{name}: the {kind}; check the name and the folder")
    return [file for match in matches for file in (_expand(str(match)) if match.is_dir() else [match])]


def _is_data(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(("_", ".")) for part in path.relative_to(folder).parts)
    return not hidden and _split_suffix(_unpacked_name(path))[0] != ""


def _unpacked_name(path: Path) -> Path:
    return path.with_suffix("") if path.suffix[1:].lower() in PACKED_OTHERWISE else path


def _split_suffix(path: Path) -> tuple[str, str]:
    suffixes = [suffix[1:].lower() for suffix in path.suffixes[-2:]]
    compression = _COMPRESSIONS.get(suffixes[-1], "none") if suffixes else "none"
    if compression != "none":
        suffixes.pop()
    return (FORMATS.get(suffixes[-1], "") if suffixes else ""), compression


def _find_format(path: Path, given: str | None) -> tuple[str, str]:
    """Return format and compression: as stated, else by the name, else by the first bytes."""
    kind, compression = _split_suffix(path)
    if given is not None:
        kind = parse_format(given)
    if compression == "none" and kind.partition(":")[0] in ("", *_TEXT):
        compression = detect_compression(path)
    return kind or sniff_format(first_bytes(path, compression)), compression


def parse_format(word: str) -> str:
    """Return the format that a word means."""
    if word[:3].lower() == "vw:" and len(word) == 4:
        return f"vw:{word[3]}"  # the tag of class 1
    formats = FORMATS | {"json": "ndjson", "excel": "excel"}  # the suffix .json alone says too little
    if word.lower() not in formats:
        raise InputError(f"format {word!r} is not known; choose from {', '.join(formats)}")
    return formats[word.lower()]


def is_read_once(source: object) -> bool:
    """Return True if a source has something that gives its bytes only once: standard input, a pipe, a device.

    What cannot be looked at is rejected when it is opened.
    """
    items = source if isinstance(source, (list, tuple)) else [source]
    paths = [Path(item) for item in items if isinstance(item, (str, os.PathLike))]
    return any(str(path) == STDIN or (path.exists() and not path.is_dir() and not path.is_file()) for path in paths)


def name_source_file(source: object) -> str | None:
    """Return the name by which a command finds the only file of a source; None for other sources."""
    if isinstance(source, Files):
        name = source.name if len(source.paths) == 1 else None
        return STDIN if name == name_file(Path(STDIN)) else name and mask_secrets(name)
    if isinstance(source, (list, tuple)):
        return name_source_file(source[0]) if len(source) == 1 else None
    return mask_secrets(str(source)) if isinstance(source, (str, Path)) else None


def names_in_braces(pattern: str) -> tuple[str, ...]:
    """Return the names in the braces of a pattern, each once."""
    return tuple(dict.fromkeys(re.findall(r"\{(\w+)\}", pattern)))


def find_files_by_values(pattern: str, names: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Find files whose names fit a pattern with braces, by the values in their place."""
    parts = re.split(r"(\{\w+\})", pattern)
    wild = "".join("*" if part.startswith("{") else glob.escape(part) for part in parts)
    seen: set[str] = set()
    expression = ""
    for part in parts:
        name = part[1:-1]
        if not part.startswith("{"):
            expression += re.escape(part)
        else:
            expression += f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)"
            seen.add(name)
    by_values: dict[tuple[str, ...], str] = {}
    for path in sorted(glob.glob(wild)):
        match = re.fullmatch(expression, path)
        if match is not None:
            by_values[tuple(match[name] for name in names)] = path
    if not by_values:
        raise InputError(f"{pattern}: no file fits this pattern; check the name and the folder")
    return by_values


# ── files that cannot be read ─────────────────────────────────────────────────────────────────────


WORTH_READING = 1 << 30
"""Bytes of all files up to which each is read by itself to find further broken ones."""
_SENTENCES = 20


def check_readable(paths: Sequence[Path]) -> None:
    """Reject a file that may not be read, before an engine does it in its own words."""
    for path in paths:
        try:
            path.open("rb").close()
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def raise_for_each(first: InfoscopeError, files: Files, read: Callable[[Files], Any]) -> None:
    """Raise one error that names every file which cannot be read by itself; nothing where all can.

    A column that no file has is a wrong name, not a fault of every file.
    """
    if len(files.paths) == 1 or sum(path.stat().st_size for path in files.paths if path.exists()) > WORTH_READING:
        return
    problems: dict[Path, InfoscopeError] = {}
    for path in files.paths:
        try:
            read(replace(files, paths=(path,)))
        except InfoscopeError as error:
            problems[path] = error
    lacking = all(isinstance(error, UnknownNameError) for error in problems.values())
    if not problems or (lacking and len(problems) == len(files.paths)):
        return
    kind = UnknownNameError if lacking else InputError
    if len(problems) == 1:
        raise next(iter(problems.values())) from first
    stated = list(problems.items())
    names = ", ".join(str(path) for path, _ in stated[_SENTENCES:])
    more = [f"Also {names}"] if names else []
    counted = f"{len(problems)} of {len(files.paths)} files cannot be read. "
    terminal, page = (
        ". ".join([*(sentence.rstrip(".") for sentence in sentences), *more])
        for sentences in zip(*((str(error), error.page) for _, error in stated[:_SENTENCES]), strict=True)
    )
    raise kind(Advised(counted, terminal=terminal, page=page)) from first


# ── kinds of files by their first bytes ───────────────────────────────────────────────────────────


_BOM = b"\xef\xbb\xbf"
_READABLE = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_TITLES = {"parquet": "a Parquet file", "arrow": "an Arrow file"}
_TEXT_SAMPLE = 1 << 20
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

    def explain(self, path: Path, compression: str, subject: str | None = None) -> Advised:
        """Say what the file is, and the ways out."""
        way = _fill_command(self.way_out, path, compression)
        ways = f"; {self.option}, or {way}" if self.option else f"; {way}"
        return Advised(f"{subject or path} is {self.what}", terminal=ways, page=f"; {way}")


_EXCEL = _Kind(
    "an Excel workbook",
    "convert it: libreoffice --headless --convert-to csv {file}",
    "read it with --read format=xlsx (in Python: read=ReadOptions(format='xlsx'))",
)
_OPEN_DOCUMENT = _Kind(
    "an OpenDocument spreadsheet",
    "convert it: libreoffice --headless --convert-to csv {file}",
    "read it with --read format=ods (in Python: read=ReadOptions(format='ods'))",
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
        "read a table of it in a terminal: infoscope evaluate TABLE --read engine=sqlite:///{file} -t … -s …",
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
    "read a table of it in a terminal: infoscope evaluate TABLE --read engine=duckdb:///{file} -t … -s …",
)
_HTML = _Kind("an HTML page", "fetch the data again (perhaps a login page came instead of them), or export as CSV")
_ARRAY = _Kind(
    "a JSON array",
    "write one object per line: jq -c '.[]' {file} > {ndjson}",
    "read it with --read format=json (in Python: read=ReadOptions(format='json'))",
)
_TABLES = _Kind(
    "a file of tables that are counted already, not of rows",
    "give it a name that ends in .ifs",
    "read it with --read format=ifs (in Python: read=ReadOptions(format='ifs'))",
)
_TABLES_SCHEMA = re.compile(rb'"schema": "infoscope/(?:tables?|patterns)/')
_STORED_RESULT = re.compile(rb'\s*\{\s*"schema": "infoscope/')
_RESULT = _Kind("a stored result, not rows", "name the file of rows that it was made from")
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
    format = next((form for magic, form in _READABLE.items() if head.startswith(magic)), None)
    if format == kind == "parquet":
        with path.open("rb") as file:  # tables under the name of a Parquet file: metadata is near its end
            size = file.seek(0, SEEK_END)
            file.seek(max(0, size - _PARQUET_END))
            footer = min(int.from_bytes(file.read(4), "little") + _PARQUET_END, size, _TEXT_SAMPLE)
            file.seek(size - footer)
            if _TABLES_SCHEMA.search(file.read()) is not None:
                raise InputError(_TABLES.explain(path, compression))
    if kind == "ifs" or not head or format == kind:
        return
    if format is not None:
        option = f"read it with --read format={format} (in Python: read=ReadOptions(format={format!r}))"
        what = f"{_TITLES[format]} and not {kind}"
        raise InputError(_Kind(what, "give it the name of one", option).explain(path, compression))
    if kind == "arrow" and re.fullmatch(rb"[\t\r\n -~]{4,}", head[:64]):
        what = f"{path} cannot be read: it is text and not an Arrow file"
        name = "; give it a name that ends in .csv or .ndjson"
        raise InputError(Advised(what, terminal="; read it with --read format=csv or ndjson", page=name))
    foreign = _recognise_foreign(head, path)
    if compression != "none" and match_compression(head) != "none":
        foreign = _Kind("compressed twice", "pack it once")
    if foreign is None and kind in (
        "csv",
        "tsv",
        "ndjson",
    ):  # text that is not in lines of UTF-8, as its reader expects
        text, packing = head.removeprefix(_BOM), path.suffix[1:].lower()
        if (wide := _recognise_wide_encoding(text)) is not None:
            foreign = _convert_from(f"{wide} text", wide)
        elif packing in PACKED_OTHERWISE and _CONTROL.search(text):  # parts of Hadoop begin with nothing of their own
            foreign = _Kind(f"packed by {packing}, as its name says", "unpack it")
        elif _STORED_RESULT.match(text):
            foreign = _RESULT
        elif kind == "ndjson" or packing == "json":
            foreign = _ARRAY if _ROWS_OF_OBJECTS.match(text) else _DOCUMENT if _ONE_DOCUMENT.match(text) else None
        else:
            foreign = _ARRAY if re.match(rb"\s*\[\s*\{", text) else None
    if foreign is not None:
        raise InputError(foreign.explain(path, compression))


def explain_not_utf8(path: Path, compression: str = "none", where: str = "") -> str:
    """Say of a text file that is not UTF-8 in what it seems to be written, and how to convert it."""
    where = where or str(path)
    sample = first_bytes(path, compression, _TEXT_SAMPLE)
    foreign = _recognise_foreign(sample, path)
    if foreign is not None:
        return foreign.explain(path, compression)
    wide = _recognise_wide_encoding(sample)
    if wide is not None:
        return _convert_from(f"{wide} text", wide).explain(path, compression, where)
    others = re.sub(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}", b"", sample)
    if len(others) < len(sample) or others.isascii():
        return (
            f"{where} is not UTF-8 text; fix the line, or drop the bytes that are not: "
            f"{_fill_command('iconv -c -f UTF-8 -t UTF-8 {file} > {csv}', path, compression)}"
        )
    encoding = "WINDOWS-1252" if re.search(rb"[\x80-\x9f]", others) else "ISO-8859-1"
    name = {"ISO-8859-1": "Latin-1"}.get(encoding, "Windows-1252")
    return _convert_from(f"not UTF-8 text but seems to be {name}", encoding).explain(path, compression, where)


def _recognise_foreign(head: bytes, path: Path) -> _Kind | None:
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


def _recognise_wide_encoding(head: bytes) -> str | None:
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


def _convert_from(what: str, encoding: str) -> _Kind:
    name = {"ISO-8859-1": "latin-1", "WINDOWS-1252": "cp1252"}.get(encoding, encoding.lower())
    convert = f"convert it: iconv -f {encoding} -t UTF-8 {{file}} > {{csv}}"
    python = f"in Python: read=ReadOptions(encoding={name!r})"
    return _Kind(what, convert, f"read rows with --read encoding={name} ({python})")


def _fill_command(command: str, path: Path, compression: str) -> str:
    """Fill the names of a file into a way out; a compressed file is unpacked on the way."""

    def name_output(suffix: str) -> str:  # such that a command does not write over what it reads
        stem = path.name.split(".")[0] or "file"
        names = (f"{stem}{suffix}", f"{stem}.utf8{suffix}", f"{stem}.new{suffix}")
        return next(name for name in names if name != path.name)

    suffix = next((s for s in path.suffixes if s.lower() in (".csv", ".tsv", ".ndjson", ".jsonl")), ".csv")
    names = {"csv": name_output(suffix), "ndjson": name_output(".ndjson"), "file": str(path)}
    names = {word: shlex.quote(name) for word, name in names.items()}
    if compression != "none" and "{file} >" in command:
        unpack = UNPACKERS[compression]
        before, colon, rest = command.rpartition(": ")
        return f"{before}{colon}{unpack} {names['file']} | {rest.replace('{file} ', '').format(**names)}"
    return command.format(**names)


# ── addresses of databases, of clusters, and of files that only a cluster reads ───────────────────


_DATABASES = ("postgresql", "postgres", "sqlite", "duckdb")
PATIENCE = 5.0
_PORTS = {"sc": 15002}


@dataclass(frozen=True)
class Addresses:
    """Files of one format that lie elsewhere: nothing here opens them, the engine does."""

    names: tuple[str, ...]
    format: str

    @property
    def name(self) -> str:
        """The title of the source in a sentence."""
        more = f" and {len(self.names) - 1} more" if len(self.names) > 1 else ""
        return f"{self.names[0]}{more}"


def find_addresses(source: object, format: str | None) -> Addresses | None:
    """Return the addresses that a source consists of, or None where it is something else.

    >>> find_addresses("s3a://logs/2026/*.parquet", None)
    Addresses(names=('s3a://logs/2026/*.parquet',), format='parquet')
    >>> find_addresses("log.csv", None)
    """
    items: list[Any] = list(source) if isinstance(source, (list, tuple)) else [source]
    if not items or not all(isinstance(item, (str, os.PathLike)) for item in items):
        return None
    names = [os.fspath(item) for item in items]
    far = [name for name in names if isinstance(name, str) and "://" in name]
    if not far:
        return None
    if len(far) < len(names):
        near = next(name for name in names if name not in far)
        raise InputError(f"{far[0]} is an address and {near} a file; read them apart")
    if format is not None and format not in FORMATS:
        raise InputError(f"format {format!r} is not known; choose from {', '.join(FORMATS)}")
    kinds = set()
    for name in far:
        bare = re.sub(r"\.(gz|zst|zstd)$", "", name.rstrip("/"), flags=re.IGNORECASE)
        suffix = format or bare.rpartition(".")[2].lower()
        if suffix not in FORMATS:
            raise InputError(f"{name} does not tell its format; name it, like --read format=parquet")
        kinds.add(FORMATS[suffix])
    if len(kinds) > 1:
        raise InputError(f"{', '.join(far)} are {' and '.join(sorted(kinds))}; read files of one format at a time")
    return Addresses(tuple(far), kinds.pop())


def check_reachable(url: str) -> None:
    """Reject an address that cannot be one, or where nobody listens; of several masters one is enough."""
    import socket  # noqa: PLC0415 - for addresses of clusters only

    scheme, _, rest = url.partition("://")
    hosts = re.split(r"[/;?]", rest, maxsplit=1)[0].split(",")
    targets = []
    for host in hosts:
        try:
            parts = urlsplit(f"//{host}")
            port = parts.port or _PORTS.get(scheme)
        except ValueError:
            port, parts = None, urlsplit("")
        if parts.hostname is None or port is None:
            like = {"sc": "sc://host:15002", "spark": "spark://host:7077"}.get(scheme, "tcp://host:8786")
            raise InputError(f"{url} is not the address of a cluster; it reads like {like}")
        targets.append((parts.hostname, port))
    for target in targets:
        try:
            socket.create_connection(target, PATIENCE).close()
        except OSError as error:
            reason = error.strerror or str(error)
        else:
            return
    raise InputError(f"nothing answers at {url} ({reason}); is the cluster running?")


def is_database_url(source: object) -> bool:
    """Return True for the address of a database."""
    return isinstance(source, str) and urlsplit(source).scheme.partition("+")[0] in _DATABASES


def is_database_pair(source: Sequence[Any]) -> bool:
    """Return True for a pair of an open connection, an SQLAlchemy engine or the address of a database, and a query."""
    if len(source) != 2:
        return False
    is_connection = hasattr(source[0], "cursor") or hasattr(
        source[0], "raw_connection"
    )  # DB-API or ADBC, or SQLAlchemy
    return is_connection or is_database_url(source[0])
