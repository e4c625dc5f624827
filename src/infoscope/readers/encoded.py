"""Sources that are counted by codes where pyarrow is there: Parquet by its own dictionaries, text as it streams by."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Event, Lock
from typing import Any

import duckdb

from infoscope.readers.codes import Counting, Places, UnfitError
from infoscope.readers.columns import Columns
from infoscope.readers.csv_header import opened_text
from infoscope.readers.embedded import Scan
from infoscope.readers.files import Files
from infoscope.readers.progress import shown_while
from infoscope.readers.session import Limits, Session, exact_path, interruptible
from infoscope.readers.tally import Tally

__all__ = ["count_by_codes"]

WORTH = 30_000_000
"""Parquet rows times systems from which this way pays for loading pyarrow; a tenth of it where that is loaded."""
SYSTEMS = 2
"""From so many systems on; one alone the engine groups sooner by the clock, if with more work of the processor."""
WORTH_TEXT = 32 << 20
"""Bytes of text with several systems from which it does."""
_BATCH = 1 << 17
_TEXT_BATCH = 1 << 25
"""Bytes of text in a batch, about."""
_LARGEST_BATCH = 4 * _TEXT_BATCH
_LONG_LINE = 2048
_LOOKS, _LOOK = 16, 1 << 14
_BUFFER = 1 << 20


def count_by_codes(session: Session, scan: Scan, files: Files, columns: Columns, limits: Limits) -> list[Tally] | None:
    """One tally for each system; None where the engine's own grouping is to do it.

    That is so where rows are few or labels many, for weights, groups and joint counts, for labels that are neither
    text nor whole numbers, and for files with a fault, which the engine then explains.
    """
    plain = columns.weight is None and not columns.by and (len(columns.systems) == 1 or not columns.joint)
    hive = set(files.hive_keys) & set(columns.names)
    if not plain or hive or not _is_worth_it(session, files, columns):
        return None
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    try:
        if files.format == "parquet":
            return _count_parquet(files, columns, limits)
        return _count_stream(session, scan, files, columns, limits)
    except (UnfitError, pa.ArrowException, duckdb.Error, OSError, UnicodeDecodeError):
        return None


def _is_worth_it(session: Session, files: Files, columns: Columns) -> bool:
    if files.format == "parquet" and len(columns.systems) < SYSTEMS:
        return False
    if files.format == "parquet":
        paths = [exact_path(path) for path in files.paths]
        answer = session.run("SELECT sum(num_rows) FROM parquet_file_metadata($paths)", paths=paths).fetchone()
        worth = WORTH // 10 if "pyarrow.parquet" in sys.modules else WORTH
        return answer is not None and int(answer[0] or 0) * len(columns.systems) >= worth
    if files.format not in ("csv", "tsv") or len(columns.systems) == 1:
        return False
    size = sum(path.stat().st_size for path in files.paths)
    return size >= WORTH_TEXT and _longest_line(files) <= _LONG_LINE  # labels of long lines are counted one by one


def _longest_line(files: Files) -> int:
    """Of the first hundred, and of some further on where the file can be entered anywhere."""
    path = files.paths[0]
    with opened_text(path, files.compression) as file:
        longest = max(map(len, islice(file, 100)), default=0)
    if files.compression != "none":
        return longest
    size = path.stat().st_size
    with path.open("rb") as raw:
        for part in range(1, _LOOKS):
            raw.seek(size * part // _LOOKS)
            longest = max(longest, *map(len, raw.read(_LOOK).split(b"\n")))
    return longest


def _count_stream(session: Session, scan: Scan, files: Files, columns: Columns, limits: Limits) -> list[Tally]:
    """Columns of text as the engine parses them, encoded and counted batch by batch."""
    statement = f"SELECT {', '.join(scan.columns[name] for name in columns.names)} FROM {scan.relation}"
    for name, value in scan.values.items():  # a stream takes no bound values, but variables
        session.run(f"SET VARIABLE {name} = $value", value=value)
    statement = re.sub(r"\$(paths\d*)", r"getvariable('\1')", statement)
    rows = min(_BATCH // 2, _TEXT_BATCH // max(_longest_line(files), 1))
    with shown_while(f"counting {session.source}", session.connection.query_progress), interruptible():
        batches = _reader(session.connection.sql(statement))(rows)
        try:
            stream = _Stream(Places(columns.names), batches)
            return stream.places.tallies(_in_threads(stream.count, _threads(limits, most=2), stream.stop))
        finally:
            batches.close()  # or the engine could not be asked after all


def _reader(rows: Any) -> Callable[[int], Any]:
    return getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader


def _count_parquet(files: Files, columns: Columns, limits: Limits) -> list[Tally]:
    """Row groups, in a thread for each core."""
    work = _Work(columns.names, [_opened(path, columns) for path in files.paths])
    with shown_while(f"counting {files.name}", work.percent):
        return work.places.tallies(_in_threads(work.count, _threads(limits, most=len(work.groups)), work.stop))


def _threads(limits: Limits, most: int) -> int:
    return max(1, min(limits.threads or os.cpu_count() or 1, most))


def _in_threads(count: Callable[[], Counting], threads: int, stop: Event) -> list[Counting]:
    with ThreadPoolExecutor(threads) as pool:
        try:
            return [thread.result() for thread in [pool.submit(count) for _ in range(threads)]]
        finally:
            stop.set()  # for the other threads, when one fails or the user has had enough


@dataclass
class _Stream:
    """Batches that come one after the other: while one thread waits for the next, another counts."""

    places: Places
    batches: Any
    stop: Event = field(default_factory=Event)
    _lock: Lock = field(default_factory=Lock)

    def _next(self) -> Any:
        with self._lock:
            batch = None if self.stop.is_set() else next(self.batches, None)
        if batch is not None and batch.nbytes > _LARGEST_BATCH:
            raise UnfitError
        return batch

    def count(self) -> Counting:
        """What one thread does until nothing is left."""
        counting = Counting(self.places)
        while (batch := self._next()) is not None:
            counting.add(batch)
        counting.settle()
        return counting


@dataclass(frozen=True)
class _File:
    """A Parquet file whose columns can be read as codes."""

    path: Path
    metadata: Any
    text: list[str]

    def reader(self) -> Any:
        """A reader for one thread; the buffer keeps a large row group from being read whole."""
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - an extra

        return ParquetFile(self.path, metadata=self.metadata, read_dictionary=self.text, buffer_size=_BUFFER)


def _opened(path: Path, columns: Columns) -> _File:
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - an extra

    with ParquetFile(path) as file:
        kinds = {name: _kind(file, name) for name in columns.names}
        return _File(path, file.metadata, [name for name, kind in kinds.items() if kind == "text"])


def _kind(file: Any, name: str) -> str:
    from pyarrow import types  # noqa: PLC0415 - an extra

    if "." in name:  # a path, to pyarrow
        raise UnfitError
    kind = file.schema_arrow.field(name).type
    kind = kind.value_type if types.is_dictionary(kind) else kind
    stored = next((c for c in map(file.schema.column, range(len(file.schema))) if c.path == name), None)
    logical = None if stored is None else stored.logical_type.type
    if logical == "STRING" and (types.is_string(kind) or types.is_large_string(kind)):
        return "text"
    if logical in ("INT", "NONE") and types.is_integer(kind):
        return "number"
    raise UnfitError


@dataclass
class _Work:
    """Row groups that wait for a thread."""

    names: tuple[str, ...]
    files: Sequence[_File]
    stop: Event = field(default_factory=Event)
    taken: int = 0

    def __post_init__(self) -> None:
        self.places = Places(self.names)
        self.groups = [(file, group) for file in self.files for group in range(file.metadata.num_row_groups)]
        self._lock = Lock()

    def percent(self) -> float:
        return 100 * self.taken / max(len(self.groups), 1)

    def _next(self) -> tuple[_File, int] | None:
        with self._lock:
            if self.stop.is_set() or self.taken >= len(self.groups):
                return None
            self.taken += 1
            return self.groups[self.taken - 1]

    def count(self) -> Counting:
        """What one thread does until nothing is left."""
        counting = Counting(self.places)
        with ExitStack() as opened:
            file, reader = None, None
            while (task := self._next()) is not None:
                if task[0] is not file:
                    file = task[0]
                    opened.close()
                    reader = opened.enter_context(file.reader())
                self._count_group(counting, reader, task[1])
        counting.settle()
        return counting

    def _count_group(self, counting: Counting, reader: Any, group: int) -> None:
        batches = reader.iter_batches(_BATCH, row_groups=[group], columns=list(self.names), use_threads=False)
        for batch in batches:
            if self.stop.is_set():
                return
            counting.add(batch.select(list(self.names)))
