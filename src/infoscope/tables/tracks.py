"""Tracks: the boxes or points of truth and system, frame by frame, and how often their tracks match.

``studies/tracking`` reads and scores them.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, freeze_arrays
from infoscope.tables.contingency import Contingency

Ints: TypeAlias = NDArray[np.int64]
TrackId: TypeAlias = int | str


def count_by(codes: Ints, size: int) -> Real:
    """Count each code from 0 below the size."""
    return np.bincount(codes, minlength=size).astype(np.float64)


def sum_by(codes: Ints, values: Real, size: int) -> Real:
    """Add the values of each code from 0 below the size."""
    return np.asarray(np.bincount(codes, values, minlength=size), dtype=np.float64)


_ROOM_PER_VALUE = 8
"""Most entries of a look-up table for each number that is looked up in it."""


def distinct(values: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return the distinct values, sorted, and the place of each value; whole numbers close together need no sort.

    >>> [side.tolist() for side in distinct(np.array([7, 5, 7]))]
    [[5, 7], [1, 0, 1]]
    """
    is_whole = values.dtype.kind == "i" and len(values) > 0
    low, high = (int(values.min()), int(values.max())) if is_whole else (0, 0)
    if not is_whole or high - low >= _ROOM_PER_VALUE * len(values):
        numbers, places = np.unique(values, return_inverse=True)
        return numbers, places.astype(np.int64, copy=False)
    is_there = np.zeros(high - low + 1, dtype=bool)
    is_there[values - low] = True
    return np.flatnonzero(is_there) + low, (np.cumsum(is_there) - 1)[values - low]


@dataclass(frozen=True, eq=False)
class Detections:
    """The boxes or points that one side reports in one sequence, in the order of frames.

    ``shapes`` has a row a detection: x, y, width, height of a box, or the two or three coordinates of a point;
    it has no columns where only ids are known and the caller brings the similarity.
    """

    frames: Ints
    tracks: Ints
    ids: tuple[TrackId, ...]
    shapes: Real

    @classmethod
    def of(cls, frames: NDArray[Any], ids: NDArray[Any], shapes: Real) -> "Detections":
        """Take detections in any order, with ids as they stand in the source.

        >>> Detections.of(np.array([2, 1]), np.array([7, 7]), np.zeros((2, 2))).frames.tolist()
        [1, 2]
        """
        frames, shapes = np.asarray(frames), np.asarray(shapes, dtype=np.float64)
        names, tracks = distinct(np.asarray(ids))
        if np.any(frames[1:] < frames[:-1]):
            order = np.argsort(frames, kind="stable")
            frames, tracks, shapes = frames[order], tracks[order], shapes[order]
        # views, so that the caller's own arrays can still be changed
        return cls(
            freeze_arrays(frames.view()), freeze_arrays(tracks), tuple(names.tolist()), freeze_arrays(shapes.view())
        )

    def __len__(self) -> int:
        return len(self.frames)

    @cached_property
    def lengths(self) -> Ints:
        """Number of detections of each track."""
        return np.bincount(self.tracks, minlength=len(self.ids))

    @cached_property
    def by_track(self) -> Ints:
        """The detections track by track, each in the order of frames."""
        small = self.tracks.astype(np.uint16) if len(self.ids) <= 1 << 16 else self.tracks
        return np.argsort(small, kind="stable")


@dataclass(frozen=True, eq=False)
class Tracks:
    """Truth and system of one sequence on one clock: frames are counted 0, 1, … over those that occur."""

    name: str
    truth: Detections
    system: Detections
    frame_numbers: NDArray[Any]

    @classmethod
    def align(cls, name: str, truth: Detections, system: Detections) -> "Tracks":
        """Count the frames of both sides on the union of the frames that either side mentions."""
        numbers, places = distinct(np.concatenate([truth.frames, system.frames]))
        return cls(
            name=name,
            truth=replace(truth, frames=freeze_arrays(places[: len(truth)])),
            system=replace(system, frames=freeze_arrays(places[len(truth) :])),
            frame_numbers=freeze_arrays(numbers),
        )

    @cached_property
    def shared_clock(self) -> Ints:
        """For each frame its number among frames where both sides report something, or −1.

        Continuity is judged on this clock: a frame in which either side is silent altogether is skipped.
        """
        size = len(self.frame_numbers)
        both = np.zeros((2, size), dtype=bool)
        both[0, self.truth.frames] = True
        both[1, self.system.frames] = True
        shared = both.all(axis=0)
        return np.where(shared, np.cumsum(shared) - 1, -1)


@dataclass(frozen=True, eq=False)
class Association:
    """Sparse counts truth track × system track, with the frames missed and the frames without a truth.

    ``counts`` and ``mirror`` are the same numbers when every detection has at most one partner. Where a
    detection is shared among several, ``counts`` holds the shares of truth detections and ``mirror``
    those of system detections, so that each side's total stays its own number of detections.
    """

    truth_ids: tuple[TrackId, ...]
    system_ids: tuple[TrackId, ...]
    rows: Ints
    columns: Ints
    counts: Real
    mirror: Real
    missed: Real
    false: Real

    @property
    def truth_matched(self) -> Real:
        """Matched frames of each truth track."""
        return sum_by(self.rows, self.counts, len(self.truth_ids))

    @property
    def system_matched(self) -> Real:
        """Matched frames of each system track, counted in truth detections."""
        return sum_by(self.columns, self.counts, len(self.system_ids))

    def to_contingency(self) -> Contingency:
        """Return the matched frames as a table, truth tracks in rows: what Holt et al. call the association matrix.

        Ids of the two sides are unrelated even where they look alike, so each side keeps its own.
        """
        return Contingency.from_cells(
            self.truth_ids,
            self.system_ids,
            self.rows,
            self.columns,
            self.counts,
            declared=True,
        )
