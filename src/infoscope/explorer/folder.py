"""The served folder: its files and what was dropped, nothing outside; files joined to others; chosen columns.

``ServedFolder`` finds files by name and takes uploads, ``JoinedFiles`` puts a column of one file beside the rows of
another, ``ExploredColumns`` is what an address says about the columns of a file and the meaning of their labels.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedIOBase
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode

from infoscope.explorer.access import RejectedRequest
from infoscope.explorer.verdicts import VERDICTS
from infoscope.readers.cell_rows import CellQuery, Change, ChangeQuery, Order, RowsQuery
from infoscope.readers.truth_join import join_truth

SUFFIXES = (".csv", ".tsv", ".parquet", ".ndjson", ".jsonl", ".arrow", ".feather", ".xlsx", ".csv.gz", ".csv.zst")
MAX_LISTED = 200
MAX_UPLOAD = 2_000_000_000
_CHUNK = 1 << 20
_MAX_TITLE = 120


def _find_suffix(name: str) -> str | None:
    return next((suffix for suffix in sorted(SUFFIXES, key=len, reverse=True) if name.lower().endswith(suffix)), None)


def file_state(path: Path) -> str:
    """Return a text that changes when a file does."""
    status = path.stat()
    return f"{status.st_mtime_ns}-{status.st_size}"


@contextmanager
def remove_on_failure(path: Path) -> Iterator[None]:
    """Remove a file whose writing fails: the disk may be full of it."""
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
        """Return the file of a name; reject what lies outside, by whatever way."""
        if "\0" not in name:
            for place in (self.root, self.dropped):
                path = (place / name).resolve()
                if path.is_relative_to(place) and path.is_file() and _find_suffix(path.name):
                    return path
        raise RejectedRequest(404, "There is no such file of rows in this folder.")

    def list_files(self) -> list[Path]:
        """Return the first files of rows, folder by folder, and one more where there are too many to show.

        Links and what is hidden are left out.
        """
        listed: list[Path] = []
        for place, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(place, name)
                is_rows = _find_suffix(name) and name != VERDICTS and not name.startswith(".")
                if is_rows and not path.is_symlink() and path.is_file():
                    listed.append(path)
                if len(listed) > MAX_LISTED:
                    return listed
        return listed

    @property
    def dropped_files(self) -> dict[str, str]:
        """Titles of the files that were dropped or joined, by the name by which they are asked for."""
        return {name: title for name, title in self._titles.items() if (self.dropped / name).is_file()}

    def check_size(self, name: str, length: int) -> str:
        """Reject what is no file of rows or too large to be copied; return the suffix."""
        suffix = _find_suffix(name)
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
        with remove_on_failure(path), path.open("xb") as file:
            while length > 0:
                part = stream.read(min(_CHUNK, length))
                if not part:
                    raise RejectedRequest(400, "The file came only in part; drop it again.")
                file.write(part)
                length -= len(part)
        return path.name

    def new_file(self, suffix: str, title: str) -> Path:
        """Return the path of a file to be written among the dropped ones; its title is for people alone."""
        path = self.dropped / f"{secrets.token_hex(8)}{suffix}"
        self._titles[path.name] = title[:_MAX_TITLE]
        return path

    def name_of(self, path: Path) -> str:
        """Return the name by which a file of the folder is asked for."""
        return str(path.relative_to(self.root))

    def title(self, name: str) -> str:
        """Return what to call a file on a page: a dropped one as it was called where it came from."""
        return self._titles.get(name, name)

    def use_titles(self, sentence: str) -> str:
        """Return a sentence with the titles of dropped files in the place of their names."""
        for name, title in list(self._titles.items()):
            sentence = sentence.replace(str(self.dropped / name), title).replace(name, title)
        return sentence

    def close(self) -> None:
        """Remove the dropped files."""
        shutil.rmtree(self.dropped, ignore_errors=True)


MAX_SEGMENTS = 8
CLEANINGS = ("strip", "nfc", "casefold", "text", "number")
Query = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class ExploredColumns:
    """The columns of a file, by what they were chosen for, and what is done to labels."""

    file: str
    truth: str
    systems: tuple[str, ...]
    scores: tuple[str, ...]
    segments: tuple[str, ...] = ()
    key: str | None = None
    weight: str | None = None
    reject: str | None = None
    positive: str | None = None
    clean: tuple[str, ...] = ()

    @classmethod
    def parse(cls, query: Query) -> ExploredColumns:
        """Read what the form of the columns page sends."""
        systems, scores = tuple(query.get("s", ())), tuple(query.get("p", ()))
        if not query.get("t") or not (systems or scores):
            raise RejectedRequest(400, "Choose the column with the truth, and one with predictions or scores.")
        clean = tuple(query.get("c", ()))
        if not set(clean) <= set(CLEANINGS):
            raise RejectedRequest(400, f"Labels are cleaned by {', '.join(CLEANINGS)}.")
        (weight, *_), (reject, *_), (positive, *_), (key, *_) = (query.get(name) or [""] for name in "wryk")
        segments = tuple(query.get("b", ())[:MAX_SEGMENTS])
        return cls(
            query["file"][0],
            query["t"][0],
            systems,
            scores,
            segments,
            key or None,
            weight or None,
            reject or None,
            positive or None,
            clean,
        )

    def fields(self) -> list[tuple[str, str]]:
        """Return the columns as names and values of a form."""
        once = {
            "file": self.file,
            "t": self.truth,
            "k": self.key,
            "w": self.weight,
            "r": self.reject,
            "y": self.positive,
        }
        many = {"s": self.systems, "p": self.scores, "b": self.segments, "c": self.clean}
        single = [(name, value) for name, value in once.items() if value]
        return single + [(name, value) for name, values in many.items() for value in values]

    @property
    def address(self) -> str:
        """The columns as the query of an address."""
        return urlencode(self.fields())

    @property
    def label_keywords(self) -> dict[str, Any]:
        """Weight of the rows and meaning of the labels, for every study."""
        return {"weight": self.weight, "reject": self.reject, "positive": self.positive, "clean": self.clean}


def parse_rows_query(query: Query, columns: ExploredColumns) -> RowsQuery:
    """Read which rows are asked for: those of a cell, or of a change between two systems."""
    one = {name: values[0] for name, values in query.items() if values}
    options: dict[str, Any] = {
        "order": cast(Order, one.get("order", "random")),
        "score": columns.scores[0] if columns.scores else None,
        "seed": int(one.get("seed", 0)) % (1 << 31),
        "search": one.get("search", "")[:200],
        "by": columns.segments,
        "weight": columns.weight,
        "clean": columns.clean,
    }
    if "change" not in one:
        return CellQuery(columns.truth, one["system"], one["truth"], one.get("predicted"), **options)
    cell = (one["truth"], one["first"], one["predicted"]) if "predicted" in one else None
    return ChangeQuery(columns.truth, one["before"], one["after"], cast(Change, one["change"]), cell, **options)


@dataclass
class JoinedFiles:
    """Files that were joined among the dropped ones: each once, however often its page is loaded."""

    notes: dict[str, str] = field(default_factory=dict)
    """Counts of the rows that met, by the name of the joined file."""
    _made: dict[tuple[str, ...], str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def join(self, folder: ServedFolder, name: str, other: str, key: str, column: str) -> str:
        """Join a column of another file to the rows of one, once; return the name of the file that has both."""
        path, other_path = folder.path(name), folder.path(other)
        request = (str(path), file_state(path), str(other_path), file_state(other_path), key, column)
        with self._lock:
            if request not in self._made:
                target = folder.new_file(".parquet", f"{folder.title(name)} with {folder.title(other)}")
                with join_truth(str(path), str(other_path), key=key, truth=column) as rows:
                    with remove_on_failure(target):
                        shutil.copyfile(rows.files.paths[0], target)
                    counts = rows.counts
                    matched = counts.rows - counts.without_key - counts.unmatched_rows
                    matches = (
                        f"{matched:,} of {counts.rows:,} rows found {rows.label} of {folder.title(other)} by {rows.key}"
                    )
                    # what was joined may be predictions
                    troubles = [part.replace("true label", "label") for part in rows.troubles]
                    self.notes[target.name] = "; ".join([matches, *troubles]) + "."
                self._made[request] = target.name
            return self._made[request]
