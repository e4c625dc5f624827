"""Files of a source: which ones are meant, and what is inside them."""

from __future__ import annotations

import glob
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir

from infoscope.errors import InputError

__all__ = [
    "FORMATS",
    "Files",
    "are_parts",
    "check_readable",
    "find_files",
    "known_format",
    "scratch_folder",
    "sniff_format",
    "spool_stdin",
]

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
}
_COMPRESSIONS = {"gz": "gzip", "zst": "zstd", "zstd": "zstd"}
_MAGIC = {b"PAR1": "parquet", b"ARRO": "arrow", b"FEA1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_PACKED_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


@dataclass(frozen=True)
class Files:
    """Files of one format, in a fixed order."""

    paths: tuple[Path, ...]
    format: str
    compression: str = "none"
    title: str = ""

    @property
    def name(self) -> str:
        """What to call the source in a sentence."""
        if self.title:
            return self.title
        more = f" and {len(self.paths) - 1} more" if len(self.paths) > 1 else ""
        return f"{self.paths[0]}{more}"

    @property
    def hive_keys(self) -> tuple[str, ...]:
        """Columns that the folders name, as in ``fold=3/part-0.parquet``."""
        folders = self.paths[0].parts[:-1]
        keys = (folder.partition("=") for folder in folders)
        return tuple(key for key, sign, _ in keys if sign and key)


def find_files(source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], format: str | None) -> Files:
    """The files that a path, a pattern, a folder or a list of these means.

    A name that exists is taken as it is, also when it looks like a pattern.
    """
    sources = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    paths = tuple(dict.fromkeys(path for item in sources for path in _expand(os.fspath(item))))
    if not paths:
        raise InputError("the list of files is empty; name at least one file")
    kinds = {path: _format_of(path, format) for path in paths}
    found = sorted(set(kinds.values()))
    if len(found) > 1:
        one, other = (next(p for p, kind in kinds.items() if kind == f) for f in found[:2])
        raise InputError(
            f"{one} is {_told(found[0])} and {other} is {_told(found[1])}; "
            "read files of one format and compression at a time"
        )
    kind, compression = found[0]
    check_readable(paths)
    return Files(paths, kind, compression)


def are_parts(sources: Sequence[str], format: str | None) -> bool:
    """Whether some names, folders and patterns mean files of tables that are counted already."""
    if format is not None or "-" in sources:
        return format is not None and FORMATS.get(format.lower()) == "ifs"
    try:
        return find_files(sources, None).format == "ifs"
    except InputError:
        return all(name.endswith(".ifs") for name in sources)


def means_file(name: str, file: Path) -> bool:
    """Whether a name, folder or pattern means this file among others."""
    try:
        return file.resolve() in {path.resolve() for path in _expand(name)}
    except InputError:
        return False


def _told(kind: tuple[str, str]) -> str:
    return kind[0] if kind[1] == "none" else f"{kind[0]} ({kind[1]})"


def _expand(name: str) -> list[Path]:
    if not name:
        raise InputError("the name of a source is empty; name a file, or . for the current folder")
    if "://" in name:
        raise InputError(
            f"{name} is a network address; copy or mount it as a file, or give a Spark, Dask, Ibis or database source"
        )
    path = Path(name)
    if path.is_dir():
        inside = sorted(p for p in path.rglob("*") if p.is_file() and _is_data(p, path))
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
    return not hidden and _by_suffix(path)[0] != ""


def _by_suffix(path: Path) -> tuple[str, str]:
    suffixes = [suffix[1:].lower() for suffix in path.suffixes[-2:]]
    compression = _COMPRESSIONS.get(suffixes[-1], "none") if suffixes else "none"
    if compression != "none":
        suffixes.pop()
    return (FORMATS.get(suffixes[-1], "") if suffixes else ""), compression


def _format_of(path: Path, given: str | None) -> tuple[str, str]:
    kind, compression = _by_suffix(path)
    if given is not None:
        kind = known_format(given)
    return (kind, compression) if kind else sniff_format(path)


def known_format(word: str) -> str:
    """The format that a word means."""
    if word.lower() not in FORMATS:
        raise InputError(f"format {word!r} is not known; choose from {', '.join(FORMATS)}")
    return FORMATS[word.lower()]


def check_readable(paths: Sequence[Path]) -> None:
    """Refuse a file that may not be read, before an engine does it in its own words."""
    for path in paths:
        try:
            path.open("rb").close()
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from error


def sniff_format(path: Path) -> tuple[str, str]:
    """Format and compression by the first bytes, for a name that does not tell."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    for magic, kind in _MAGIC.items():
        if head == magic:
            return kind, "none"
    for magic, compression in _PACKED_MAGIC.items():
        if head.startswith(magic):
            return "csv", compression
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return ("ndjson" if text.startswith(b"{") else "csv"), "none"


def spool_stdin(folder: Path) -> Path:
    """Standard input as a file: engines need to look at it more than once."""
    path = folder / "stdin"
    try:
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
    except OSError as error:
        raise InputError(
            f"standard input cannot be kept in {folder.parent}: {error.strerror or error}; "
            "point TMPDIR to a larger disk"
        ) from error
    return path


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A private folder for spooled input and spilled rows, gone afterwards."""
    folder = Path(gettempdir()) / f"infoscope-{token_hex(12)}"  # named first: an interrupt finds what to remove
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
