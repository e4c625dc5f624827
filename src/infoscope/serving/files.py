"""The folder that is explored: its files, what was dropped, and nothing outside."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path

from infoscope.serving.admission import RefusedRequest

__all__ = ["SUFFIXES", "ServedFolder", "removed_on_failure"]

SUFFIXES = (".csv", ".tsv", ".parquet", ".ndjson", ".jsonl", ".arrow", ".feather", ".xlsx", ".csv.gz", ".csv.zst")
MAX_LISTED = 200
MAX_UPLOAD = 2_000_000_000
_CHUNK = 1 << 20


def _has_suffix(name: str) -> str | None:
    return next((suffix for suffix in sorted(SUFFIXES, key=len, reverse=True) if name.lower().endswith(suffix)), None)


@contextmanager
def removed_on_failure(path: Path) -> Iterator[None]:
    """A file that is being written, and goes where that fails: the disk may be full of it."""
    try:
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        raise


class ServedFolder:
    """Files by their names within the folder; dropped ones lie in a folder of their own, which goes at the end."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.dropped = Path(tempfile.mkdtemp(prefix="infoscope-serve-")).resolve()

    def path(self, name: str) -> Path:
        """The file of a name; refuses what lies outside, by whatever way."""
        if "\0" not in name:
            for place in (self.root, self.dropped):
                path = (place / name).resolve()
                if path.is_relative_to(place) and path.is_file() and _has_suffix(path.name):
                    return path
        raise RefusedRequest(404, "There is no such file of rows in this folder.")

    def listed(self) -> Iterator[Path]:
        """Files of rows, by name; links and hidden folders are left out."""
        found = (
            path
            for path in sorted(self.root.rglob("*"))
            if _has_suffix(path.name) and not path.is_symlink() and path.is_file() and not _is_hidden(path, self.root)
        )
        for _, path in zip(range(MAX_LISTED), found, strict=False):
            yield path

    def check_size(self, name: str, length: int) -> str:
        """Refuse what is no file of rows or too large to be copied; returns the suffix."""
        suffix = _has_suffix(name)
        if suffix is None:
            raise RefusedRequest(415, f"This is no file of rows; {', '.join(SUFFIXES)} are read.")
        if length > min(MAX_UPLOAD, shutil.disk_usage(self.dropped).free // 2):
            raise RefusedRequest(
                413, "The file is too large to be dropped; start infoscope serve in its folder: nothing is copied then."
            )
        return suffix

    def keep(self, name: str, length: int, stream: BufferedIOBase) -> str:
        """Write what is sent to disk as it comes; its name is never used, and of what fails nothing is left."""
        path, shown = self.new_file(self.check_size(name, length))
        with removed_on_failure(path), path.open("xb") as file:
            while length > 0:
                part = stream.read(min(_CHUNK, length))
                if not part:
                    raise RefusedRequest(400, "The file came only in part; drop it again.")
                file.write(part)
                length -= len(part)
        return shown

    def new_file(self, suffix: str, title: str = "") -> tuple[Path, str]:
        """A file to be written among the dropped ones, and its name."""
        plain = "".join(sign if sign.isalnum() or sign in " ._-" else "_" for sign in title).strip(" .")[:80]
        path = self.dropped / f"{plain}{' ' if plain else ''}{secrets.token_hex(4)}{suffix}"
        return path, path.name

    def name_of(self, path: Path) -> str:
        """The name by which a file of the folder is asked for."""
        return str(path.relative_to(self.root))

    def close(self) -> None:
        """Remove what was dropped."""
        shutil.rmtree(self.dropped, ignore_errors=True)


def _is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)
