"""Row groups of remote files: the bytes of those that come next are on their way while others are counted.

They stay in memory and go no further; a group that has been counted leaves nothing behind. A store that answers at once
is asked for each block of bytes when it is to be counted: threads that wait for it would cost more than the waiting.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Protocol

from infoscope.errors import InputError
from infoscope.readers.object_stores import MirroredFile
from infoscope.readers.parquet.dictionary import UnfitError
from infoscope.readers.parquet.layout import RowGroup
from infoscope.readers.parquet.native import InMemory

__all__ = ["LocatedGroup", "located"]

_AHEAD = 8 << 20
"""Bytes that are asked for before they are needed; with more, fresh memory costs what waiting less would gain."""
_REQUEST = 1 << 20
"""Bytes of small row groups that are asked for together."""
_GAP = 1 << 14
"""Bytes between two ranges that cost less than a request of their own."""
_REQUESTS = 8
"""Requests at a time."""
_AT_ONCE = 0.005
"""Seconds in which a store answers whose bytes are not asked for ahead."""
_SLOW = 0.02
"""Seconds for the bytes of a block after which all further ones are asked for ahead."""

_Range = tuple[int, int]
LocatedGroup = tuple[RowGroup, InMemory]
"""A row group, and a function that gives its bytes where they need not be read from a file."""


@contextmanager
def located(groups: Iterator[RowGroup], mirrors: Mapping[Path, MirroredFile]) -> Iterator[Iterator[LocatedGroup]]:
    """Row groups with their bytes; those of a store that takes its time are asked for from now on."""
    if not mirrors:
        yield ((group, _nowhere) for group in groups)
        return
    pool = ThreadPoolExecutor(_REQUESTS)
    at_once = all(mirror.delay <= _AT_ONCE for mirror in mirrors.values())
    try:
        yield _begun(_ahead(groups, mirrors, _Requests(pool, ahead=0 if at_once else _AHEAD)))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begun(groups: Iterator[LocatedGroup]) -> Iterator[LocatedGroup]:
    """The same groups, the first of them taken already; what fails here fails again where they are counted."""
    try:
        return chain([next(groups)], groups)
    except StopIteration:
        return iter(())
    except (UnfitError, InputError) as error:
        return _failing(error)


def _failing(error: Exception) -> Iterator[LocatedGroup]:
    yield from ()
    raise error


def _nowhere(_start: int, _size: int) -> None:
    """No bytes of a file of this machine wait in memory."""


class _Content(Protocol):
    """Bytes that are here, or will be."""

    def result(self) -> memoryview:
        """The bytes, once they have come."""


@dataclass
class _Requests:
    """Requests for bytes: sent ahead of the counting, or none before its bytes are needed."""

    pool: ThreadPoolExecutor
    ahead: int
    """Bytes that are asked for before they are needed."""

    def content(self, mirror: MirroredFile, span: _Range) -> _Content:
        """The bytes of a range."""
        return self.pool.submit(_read, mirror, span) if self.ahead else _OnDemand(self, mirror, span)


@dataclass
class _OnDemand:
    """Bytes that the first thread that needs them asks for."""

    requests: _Requests
    mirror: MirroredFile
    span: _Range
    _content: memoryview | None = None
    _lock: Lock = field(default_factory=Lock)

    def result(self) -> memoryview:
        """The bytes; where they take long, the next ones are asked for ahead."""
        with self._lock:
            if self._content is None:
                start = time.perf_counter()
                self._content = _read(self.mirror, self.span)
                if time.perf_counter() - start > _SLOW:
                    self.requests.ahead = _AHEAD
            return self._content


@dataclass(frozen=True)
class _Arriving:
    """Ranges of a file that were asked for, shared by row groups that lie close together."""

    ranges: Mapping[_Range, _Content]

    def in_memory(self, start: int, size: int) -> memoryview | None:
        """These bytes, once they have come."""
        for (first, end), content in self.ranges.items():
            if first <= start and start + size <= end:
                return content.result()[start - first : start - first + size]
        return None


def _ahead(
    groups: Iterator[RowGroup], mirrors: Mapping[Path, MirroredFile], requests: _Requests
) -> Iterator[LocatedGroup]:
    waiting: deque[tuple[RowGroup, _Arriving]] = deque()
    asked = 0
    for block in _blocks(groups):
        arriving = _asked(block, mirrors.get(block[0].path), requests)
        for group in block:
            waiting.append((group, arriving))
            asked += _size(group)
            while asked > requests.ahead:
                first, found = waiting.popleft()
                asked -= _size(first)
                yield first, found.in_memory
    while waiting:
        group, arriving = waiting.popleft()
        yield group, arriving.in_memory


def _blocks(groups: Iterable[RowGroup]) -> Iterator[list[RowGroup]]:
    """Row groups of one file whose bytes are asked for together: one, or several small ones."""
    block: list[RowGroup] = []
    size = 0
    for group in groups:
        if block and (group.path != block[0].path or size + _size(group) > _REQUEST):
            yield block
            block, size = [], 0
        block.append(group)
        size += _size(group)
    if block:
        yield block


def _size(group: RowGroup) -> int:
    return sum(chunk.size for chunk in group.chunks)


def _asked(block: Sequence[RowGroup], mirror: MirroredFile | None, requests: _Requests) -> _Arriving:
    if mirror is None:
        return _Arriving({})
    spans = {(chunk.start, chunk.start + chunk.size) for chunk in chain(*(group.chunks for group in block))}
    missing = _coalesced(span for span in spans if not mirror.has(span))
    return _Arriving({span: requests.content(mirror, span) for span in missing})


def _read(mirror: MirroredFile, span: _Range) -> memoryview:
    return memoryview(mirror.read(span))


def _coalesced(spans: Iterable[_Range]) -> list[_Range]:
    """Ranges by their place, those that lie close together as one.

    >>> _coalesced([(40_000, 50_000), (200, 300), (100, 200)])
    [(100, 300), (40000, 50000)]
    """
    out: list[_Range] = []
    for start, end in sorted(spans):
        if out and start - out[-1][1] <= _GAP:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out
