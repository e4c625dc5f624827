"""Files of a source: which ones are meant, what is inside them, and which of several cannot be read.

At the end, network addresses: of databases, of clusters, and of files that only a cluster reads.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from infoscope.core.files import STDIN, name_file, spool_file
from infoscope.errors import Advised, InfoscopeError, InputError, UnknownNameError, mask_secrets
from infoscope.readers.compression import PACKED_OTHERWISE, compression_of, first_bytes
from infoscope.readers.signatures import sniff_format
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
            raise error.reworded(rename) from error

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
        return (_by_suffix(Path(name))[0] if format is None else known_format(format)) == "parquet"

    for name in dict.fromkeys(filter(is_object_address, names)):
        copied = mirror_files(name, folder, lambda inside: _is_data(Path(inside), Path()), is_parquet)
        remote[name] = [by_address.setdefault(str(file.address), file) for file in copied]  # each object once
    near = [[mirror.path for mirror in remote[name]] if name in remote else _expand(name) for name in names]
    found = list(dict.fromkeys(path for paths in near for path in paths))
    if not found:
        raise InputError("the list of files is empty; name at least one file")
    copies = {path: spool_file(path, folder) for path in found if not _is_regular(path)}
    paths = tuple(copies.get(path, path) for path in found)
    mirrors = {mirror.path: mirror for several in remote.values() for mirror in several}
    titles = {copy: name_file(path) for path, copy in copies.items()}
    titles |= {path: str(mirror.address) for path, mirror in mirrors.items()}
    try:
        kinds = {path: _format_of(path, format) for path in paths}
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
        return all((_format_of(path, None) if _is_regular(path) else _by_suffix(path))[0] == "ifs" for path in paths)
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
        found = {p for p in path.rglob("*") if not p.is_dir() and _is_data(p, path)}
        inside = sorted(p for p in found if (plain := _unpacked_name(p)) == p or plain not in found)
        inside = [
            p for p in inside if _by_suffix(_unpacked_name(p))[0] != "excel"
        ] or inside  # beside data, workbooks are notes
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
    return not hidden and _by_suffix(_unpacked_name(path))[0] != ""


def _unpacked_name(path: Path) -> Path:
    return path.with_suffix("") if path.suffix[1:].lower() in PACKED_OTHERWISE else path


def _by_suffix(path: Path) -> tuple[str, str]:
    suffixes = [suffix[1:].lower() for suffix in path.suffixes[-2:]]
    compression = _COMPRESSIONS.get(suffixes[-1], "none") if suffixes else "none"
    if compression != "none":
        suffixes.pop()
    return (FORMATS.get(suffixes[-1], "") if suffixes else ""), compression


def _format_of(path: Path, given: str | None) -> tuple[str, str]:
    """Return format and compression: as stated, else by the name, else by the first bytes."""
    kind, compression = _by_suffix(path)
    if given is not None:
        kind = known_format(given)
    if compression == "none" and kind.partition(":")[0] in ("", *_TEXT):
        compression = compression_of(path)
    return kind or sniff_format(first_bytes(path, compression)), compression


def known_format(word: str) -> str:
    """Return the format that a word means."""
    if word[:3].lower() == "vw:" and len(word) == 4:
        return f"vw:{word[3]}"  # the tag of class 1
    formats = FORMATS | {"json": "ndjson", "excel": "excel"}  # the suffix .json alone says too little
    if word.lower() not in formats:
        raise InputError(f"format {word!r} is not known; choose from {', '.join(formats)}")
    return formats[word.lower()]


def _is_regular(path: Path) -> bool:
    """Return True for no pipe and no device; what cannot be looked at is rejected when it is opened."""
    return str(path) != STDIN and (path.is_file() or not path.exists())


def is_read_once(source: object) -> bool:
    """Return True if a source has something that gives its bytes only once: standard input, a pipe, a device."""
    items = source if isinstance(source, (list, tuple)) else [source]
    paths = [Path(item) for item in items if isinstance(item, (str, os.PathLike))]
    return any(str(path) == STDIN or (path.exists() and not path.is_dir() and not path.is_file()) for path in paths)


def file_name(source: object) -> str | None:
    """Return the name by which a command finds the only file of a source; None for other sources."""
    if isinstance(source, Files):
        name = source.name if len(source.paths) == 1 else None
        return STDIN if name == name_file(Path(STDIN)) else name and mask_secrets(name)
    if isinstance(source, (list, tuple)):
        return file_name(source[0]) if len(source) == 1 else None
    return mask_secrets(str(source)) if isinstance(source, (str, Path)) else None


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
        ". ".join([*(sentence.rstrip(".") for sentence in said), *more])
        for said in zip(*((str(error), error.page) for _, error in stated[:_SENTENCES]), strict=True)
    )
    raise kind(Advised(counted, terminal=terminal, page=page)) from first


def names_in_braces(pattern: str) -> tuple[str, ...]:
    """Return the names in the braces of a pattern, each once."""
    return tuple(dict.fromkeys(re.findall(r"\{(\w+)\}", pattern)))


def files_by_values(pattern: str, names: tuple[str, ...]) -> dict[tuple[str, ...], str]:
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
    found: dict[tuple[str, ...], str] = {}
    for path in sorted(glob.glob(wild)):
        match = re.fullmatch(expression, path)
        if match is not None:
            found[tuple(match[name] for name in names)] = path
    if not found:
        raise InputError(f"{pattern}: no file fits this pattern; check the name and the folder")
    return found


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


def addresses_of(source: object, format: str | None) -> Addresses | None:
    """Return the addresses that a source consists of, or None where it is something else.

    >>> addresses_of("s3a://logs/2026/*.parquet", None)
    Addresses(names=('s3a://logs/2026/*.parquet',), format='parquet')
    >>> addresses_of("log.csv", None)
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
            raise InputError(f"{name} does not tell its format; name it, like --input-format parquet")
        kinds.add(FORMATS[suffix])
    if len(kinds) > 1:
        raise InputError(f"{', '.join(far)} are {' and '.join(sorted(kinds))}; read files of one format at a time")
    return Addresses(tuple(far), kinds.pop())


def check_reachable(url: str) -> None:
    """Reject an address that cannot be one, or where nobody listens; of several masters one is enough."""
    import socket  # noqa: PLC0415 - for addresses of clusters only

    doors = _doors(url)
    for door in doors:
        try:
            socket.create_connection(door, PATIENCE).close()
        except OSError as error:
            reason = error.strerror or str(error)
        else:
            return
    raise InputError(f"nothing answers at {url} ({reason}); is the cluster running?")


def _doors(url: str) -> list[tuple[str, int]]:
    """Return host and port of each master in an address.

    >>> _doors("spark://a:7077,b:7078")
    [('a', 7077), ('b', 7078)]
    """
    scheme, _, rest = url.partition("://")
    hosts = re.split(r"[/;?]", rest, maxsplit=1)[0].split(",")
    doors = []
    for host in hosts:
        try:
            parts = urlsplit(f"//{host}")
            port = parts.port or _PORTS.get(scheme)
        except ValueError:
            port, parts = None, urlsplit("")
        if parts.hostname is None or port is None:
            like = {"sc": "sc://host:15002", "spark": "spark://host:7077"}.get(scheme, "tcp://host:8786")
            raise InputError(f"{url} is not the address of a cluster; it reads like {like}")
        doors.append((parts.hostname, port))
    return doors


def is_connection(source: object) -> bool:
    """Return True for an open database connection (DB-API or ADBC) or an SQLAlchemy engine."""
    return hasattr(source, "cursor") or hasattr(source, "raw_connection")


def is_database_url(source: object) -> bool:
    """Return True for the address of a database."""
    return isinstance(source, str) and urlsplit(source).scheme.partition("+")[0] in _DATABASES


def is_database_pair(source: Sequence[Any]) -> bool:
    """Return True for a connection, or the address of a database, with a query."""
    return len(source) == 2 and (is_connection(source[0]) or is_database_url(source[0]))
