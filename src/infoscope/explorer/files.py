"""The folder that is explored: its files, what was dropped, and nothing outside."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from itertools import islice
from pathlib import Path

from infoscope.explorer.admission import RejectedRequest
from infoscope.explorer.verdicts import VERDICTS

SUFFIXES = (".csv", ".tsv", ".parquet", ".ndjson", ".jsonl", ".arrow", ".feather", ".xlsx", ".csv.gz", ".csv.zst")
MAX_LISTED = 200
MAX_UPLOAD = 2_000_000_000
_CHUNK = 1 << 20
_MAX_TITLE = 120


def _has_suffix(name: str) -> str | None:
    return next((suffix for suffix in sorted(SUFFIXES, key=len, reverse=True) if name.lower().endswith(suffix)), None)


def file_state(path: Path) -> str:
    """What changes when a file does."""
    found = path.stat()
    return f"{found.st_mtime_ns}-{found.st_size}"


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
        self._titles: dict[str, str] = {}

    def path(self, name: str) -> Path:
        """The file of a name; rejects what lies outside, by whatever way."""
        if "\0" not in name:
            for place in (self.root, self.dropped):
                path = (place / name).resolve()
                if path.is_relative_to(place) and path.is_file() and _has_suffix(path.name):
                    return path
        raise RejectedRequest(404, "There is no such file of rows in this folder.")

    def listed(self) -> list[Path]:
        """The first files of rows, folder by folder, and one more where there are too many to show.

        Links and what is hidden are left out.
        """
        return list(islice(self._files(), MAX_LISTED + 1))

    def _files(self) -> Iterator[Path]:
        for place, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(place, name)
                is_rows = _has_suffix(name) and name != VERDICTS and not name.startswith(".")
                if is_rows and not path.is_symlink() and path.is_file():
                    yield path

    @property
    def dropped_files(self) -> dict[str, str]:
        """Titles of the files that were dropped or joined, by the name by which they are asked for."""
        return {name: title for name, title in self._titles.items() if (self.dropped / name).is_file()}

    def check_size(self, name: str, length: int) -> str:
        """Reject what is no file of rows or too large to be copied; returns the suffix."""
        suffix = _has_suffix(name)
        if suffix is None:
            raise RejectedRequest(415, f"This is no file of rows; {', '.join(SUFFIXES)} are read.")
        if length > min(MAX_UPLOAD, shutil.disk_usage(self.dropped).free // 2):
            raise RejectedRequest(
                413, "The file is too large to be dropped; start infoscope serve in its folder: nothing is copied then."
            )
        return suffix

    def keep(self, name: str, length: int, stream: BufferedIOBase) -> str:
        """Write what is sent to disk as it comes; its name is never used, and of what fails nothing is left."""
        path = self.new_file(self.check_size(name, length), re.split(r"[/\\]", name)[-1])
        with removed_on_failure(path), path.open("xb") as file:
            while length > 0:
                part = stream.read(min(_CHUNK, length))
                if not part:
                    raise RejectedRequest(400, "The file came only in part; drop it again.")
                file.write(part)
                length -= len(part)
        return path.name

    def new_file(self, suffix: str, title: str) -> Path:
        """A file to be written among the dropped ones; its title is for people alone."""
        path = self.dropped / f"{secrets.token_hex(8)}{suffix}"
        self._titles[path.name] = title[:_MAX_TITLE]
        return path

    def name_of(self, path: Path) -> str:
        """The name by which a file of the folder is asked for."""
        return str(path.relative_to(self.root))

    def title(self, name: str) -> str:
        """What to call a file on a page: a dropped one as it was called where it came from."""
        return self._titles.get(name, name)

    def in_titles(self, sentence: str) -> str:
        """A sentence that calls dropped files so, too."""
        for name, title in list(self._titles.items()):
            sentence = sentence.replace(str(self.dropped / name), title).replace(name, title)
        return sentence

    def close(self) -> None:
        """Remove what was dropped."""
        shutil.rmtree(self.dropped, ignore_errors=True)
