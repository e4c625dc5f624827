"""Sources that are counted by codes: Parquet by its own dictionaries, text as it streams by where pyarrow is there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from threading import Event, Lock
from typing import Any

import infoscope.core.compiled_duckdb as duckdb
from infoscope.errors import InputError
from infoscope.readers.columns import Columns
from infoscope.readers.duckdb.count import Scan
from infoscope.readers.duckdb.session import CountingLimits, Session, interruptible
from infoscope.readers.files import Files
from infoscope.readers.formats.text_files import opened_text
from infoscope.readers.parquet.dictionary import CountedCodes, Counting, Places, UnfitError
from infoscope.readers.parquet.layout import row_groups
from infoscope.readers.parquet.native import PackedCounting
from infoscope.readers.parquet.prefetch import LocatedGroup, located
from infoscope.readers.progress import shown_while
from infoscope.readers.tally import Tally

__all__ = ["count_by_codes", "packed_row_groups"]

WORTH_TEXT = 32 << 20
"""Bytes of text with several systems from which counting by codes pays for loading pyarrow."""
_BATCH = 1 << 16
_TEXT_BATCH = 1 << 25
"""Bytes of text in a batch, about."""
_LARGEST_BATCH = 4 * _TEXT_BATCH
_LONG_LINE = 2048
_LOOKS, _LOOK = 16, 1 << 14


@contextmanager
def packed_row_groups(session: Session, files: Files, columns: Columns) -> Iterator[Iterator[LocatedGroup] | None]:
    """Row groups that the compiled part may count; None where an engine counts these files.

    Those of remote files are on their way from now on.
    """
    if files.format != "parquet" or not files.by_codes or not _is_plain(files, columns):
        yield None
        return
    with located(row_groups(session, files, columns.names), files.mirrors) as groups:
        yield groups


def count_by_codes(
    session: Session,
    scan: Scan,
    files: Files,
    columns: Columns,
    limits: CountingLimits,
    *,
    groups: Iterator[LocatedGroup] | None,
) -> list[Tally] | None:
    """One tally for each system; None where the engine's own grouping is to do it.

    That is so where labels are many, for weights, groups and joint counts, for labels that are neither text nor whole
    numbers, for text with one system, and for files with a fault, which the engine then explains.
    """
    if groups is not None:
        return _count_parquet(groups, files, columns, limits)
    if not _is_plain(files, columns) or not _is_worth_it(files, columns):
        return None
    return _count_text(session, scan, files, columns, limits)


def _is_plain(files: Files, columns: Columns) -> bool:
    plain = columns.weight is None and not columns.by and (len(columns.systems) == 1 or not columns.joint)
    return plain and not set(files.hive_keys) & set(columns.names)


def _is_worth_it(files: Files, columns: Columns) -> bool:
    if files.format not in ("csv", "tsv") or len(columns.systems) == 1:
        return False
    size = sum(path.stat().st_size for path in files.paths)
    return size >= WORTH_TEXT and _longest_line(files) <= _LONG_LINE  # labels of long lines are counted one by one


def _longest_line(files: Files) -> int:
    """Of the first hundred, and of some further on where the file can be entered anywhere."""
    path = files.paths[0]
    with opened_text(path, files.compression, _LOOK * _LOOKS) as file:
        longest = max(map(len, islice(file, 100)), default=0)
    if files.compression != "none":
        return longest
    size = path.stat().st_size
    with path.open("rb") as raw:
        for part in range(1, _LOOKS):
            raw.seek(size * part // _LOOKS)
            longest = max(longest, *map(len, raw.read(_LOOK).split(b"\n")))
    return longest


def _count_text(
    session: Session, scan: Scan, files: Files, columns: Columns, limits: CountingLimits
) -> list[Tally] | None:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    duckdb.load_python_part()
    try:
        return _count_stream(session, scan, files, columns, limits)
    except (UnfitError, pa.ArrowException, duckdb.Error, OSError, UnicodeDecodeError):
        return None


def _count_stream(session: Session, scan: Scan, files: Files, columns: Columns, limits: CountingLimits) -> list[Tally]:
    """Columns of text as the engine parses them, encoded and counted batch by batch."""
    statement = f"SELECT {', '.join(scan.columns[name] for name in columns.names)} FROM {scan.relation}"
    for name, value in scan.values.items():  # a stream takes no bound values, but variables
        session.run(f"SET VARIABLE {name} = $value", value=value)
    statement = re.sub(r"\$(paths\d*)", r"getvariable('\1')", statement)
    rows = min(_BATCH, _TEXT_BATCH // max(_longest_line(files), 1))
    with shown_while(f"counting {session.source}", session.connection.query_progress), interruptible():
        batches = _reader(session.connection.sql(statement))(rows)
        try:
            stream = _Stream(Places(columns.names), batches)
            return stream.places.tallies(_in_threads(stream.count, min(_threads(limits), 2), stream.stop))
        finally:
            batches.close()  # or the engine could not be asked after all


def _reader(rows: Any) -> Callable[[int], Any]:
    return getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader


def _threads(limits: CountingLimits) -> int:
    return limits.threads or os.cpu_count() or 1


def _in_threads(count: Callable[[], CountedCodes], threads: int, stop: Event) -> list[CountedCodes]:
    with ThreadPoolExecutor(threads) as pool:
        try:
            return [thread.result() for thread in [pool.submit(count) for _ in range(threads)]]
        finally:
            stop.set()  # for the other threads, when one fails or the user interrupts


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


def _count_parquet(
    groups: Iterator[LocatedGroup], files: Files, columns: Columns, limits: CountingLimits
) -> list[Tally] | None:
    """Row groups, in a thread for each core."""
    work = _Work(Places(columns.names), groups)
    try:
        with shown_while(f"counting {files.name}", work.percent):
            return work.places.tallies(_in_threads(work.count, _threads(limits), work.stop))
    except (UnfitError, InputError, OSError):
        return None


@dataclass
class _Work:
    """Row groups that wait for a thread."""

    places: Places
    groups: Iterator[LocatedGroup]
    stop: Event = field(default_factory=Event)
    _share: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def percent(self) -> float:
        return 100 * self._share

    def _next(self) -> LocatedGroup | None:
        with self._lock:  # the engine is asked about the next file by one thread at a time
            found = None if self.stop.is_set() else next(self.groups, None)
            self._share = self._share if found is None else found[0].share
            return found

    def count(self) -> PackedCounting:
        """What one thread does until nothing is left."""
        counting = PackedCounting(self.places)
        with ExitStack() as opened:
            path, file = None, None
            while (found := self._next()) is not None:
                group, in_memory = found
                if file is None or group.path != path:
                    opened.close()
                    path, file = group.path, opened.enter_context(group.path.open("rb", buffering=0))
                counting.add(file, group, in_memory)
        counting.settle()
        return counting
