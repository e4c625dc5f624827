"""Row groups of remote files: the bytes of those that come next are on their way while others are counted.

They stay in memory and go no further; a group that has been counted leaves nothing behind. A store that answers at once
is asked for less at a time: there is little waiting to save, and every thread and every fresh page of memory costs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from infoscope.errors import InputError
from infoscope.quick_dataclasses import dataclass
from infoscope.readers.object_stores import MirroredFile
from infoscope.readers.parquet.dictionary import UnfitError
from infoscope.readers.parquet.layout import RowGroup
from infoscope.readers.parquet.native import InMemory

__all__ = ["LocatedGroup", "located"]

_REQUEST = 1 << 20
"""Bytes of small row groups that are asked for together."""
_GAP = 1 << 14
"""Bytes between two ranges that cost less than a request of their own."""
_AT_ONCE = 0.005
"""Seconds in which a store answers that is near."""


class _Reach(NamedTuple):
    """What is asked for before it is needed."""

    size: int
    """Bytes; with more, fresh memory costs what waiting less would gain."""
    requests: int
    """At a time."""


_NEAR = _Reach(6 << 20, 3)
_FAR = _Reach(8 << 20, 8)

_Range = tuple[int, int]
LocatedGroup = tuple[RowGroup, InMemory]
"""A row group, and a function that gives its bytes where they need not be read from a file."""


@contextmanager
def located(groups: Iterator[RowGroup], mirrors: Mapping[Path, MirroredFile]) -> Iterator[Iterator[LocatedGroup]]:
    """Row groups with their bytes; those of a store are asked for from now on."""
    if not mirrors:
        yield ((group, _nowhere) for group in groups)
        return
    reach = _NEAR if all(mirror.delay <= _AT_ONCE for mirror in mirrors.values()) else _FAR
    pool = ThreadPoolExecutor(reach.requests)
    try:
        yield _begun(_ahead(groups, mirrors, reach, pool))
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


@dataclass(frozen=True)
class _Arriving:
    """Ranges of a file that were asked for, shared by row groups that lie close together."""

    ranges: Mapping[_Range, Future[memoryview]]

    def in_memory(self, start: int, size: int) -> memoryview | None:
        """These bytes, once they have come."""
        for (first, end), content in self.ranges.items():
            if first <= start and start + size <= end:
                return content.result()[start - first : start - first + size]
        return None


def _ahead(
    groups: Iterator[RowGroup], mirrors: Mapping[Path, MirroredFile], reach: _Reach, pool: ThreadPoolExecutor
) -> Iterator[LocatedGroup]:
    waiting: deque[tuple[RowGroup, _Arriving]] = deque()
    asked = 0
    for block in _blocks(groups):
        arriving = _asked(block, mirrors.get(block[0].path), pool)
        for group in block:
            waiting.append((group, arriving))
            asked += _size(group)
            while asked > reach.size:
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


def _asked(block: Sequence[RowGroup], mirror: MirroredFile | None, pool: ThreadPoolExecutor) -> _Arriving:
    if mirror is None:
        return _Arriving({})
    spans = {(chunk.start, chunk.start + chunk.size) for chunk in chain(*(group.chunks for group in block))}
    missing = _coalesced(span for span in spans if not mirror.has(span))
    return _Arriving({span: pool.submit(_read, mirror, span) for span in missing})


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
