"""Which truth and system detections of a frame could belong together, and how alike they are."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, as_real
from infoscope.errors import InputError
from infoscope.tables.tracks import Detections, Ints, Tracks, distinct

__all__ = ["FrameSimilarity", "SimilarPairs", "TrackCells", "by_distance", "by_overlap", "by_user", "frame_starts"]

ROUNDING = float(np.finfo(np.float64).eps)
"""A similarity this little below the gate still passes it, as in TrackEval."""

_AT_ONCE = 1 << 21
"""How many candidate pairs are looked at together: bounds the memory, not the result."""

FrameSimilarity: TypeAlias = Callable[[Real, Real], Any] | Mapping[Any, Any]
"""A function of the two sides' shapes in a frame, or a matrix for each frame number."""


class SimilarPairs(NamedTuple):
    """Pairs of one truth and one system detection of the same frame, with a similarity above 0."""

    truth: Ints
    system: Ints
    similarity: Real

    def above(self, gate: float) -> "SimilarPairs":
        """The pairs that pass the gate, rounding forgiven."""
        return self.where(self.passing(gate))

    def passing(self, gate: float) -> NDArray[np.bool_]:
        """Which pairs pass the gate, rounding forgiven."""
        return self.similarity >= gate - ROUNDING

    def likes(self) -> "SimilarPairs":
        """The pairs with a similarity above 0."""
        return self.where(self.similarity > 0)

    def where(self, wanted: NDArray[Any]) -> "SimilarPairs":
        """The chosen pairs, by mask or by position."""
        return SimilarPairs(self.truth[wanted], self.system[wanted], self.similarity[wanted])

    def cells(self, tracks: Tracks) -> "TrackCells":
        """The cells of truth track × system track that these pairs fall into."""
        width = max(len(tracks.system.ids), 1)
        cells, place = distinct(tracks.truth.tracks[self.truth] * width + tracks.system.tracks[self.system])
        return TrackCells(*np.divmod(cells, width), place)


class TrackCells(NamedTuple):
    """The cells of truth track × system track that occur, row by row, and the cell of each pair."""

    rows: Ints
    columns: Ints
    place: Ints


def by_overlap(tracks: Tracks) -> SimilarPairs:
    """Boxes that overlap at all, with intersection over union as their similarity."""
    truth, system = _Corners.of(tracks.truth.shapes), _Corners.of(tracks.system.shapes)
    widest = np.max(system.right - system.left, initial=0.0)
    reach = _Reach(system.left, truth.left - widest, truth.right)
    return _joined(_overlapping(truth, system, rows, columns) for rows, columns in _neighbours(tracks, reach))


def by_distance(tracks: Tracks, zero_at: float) -> SimilarPairs:
    """Points nearer than ``zero_at``, with a similarity that falls from 1 in place to 0 there."""
    truth, system = tracks.truth.shapes, tracks.system.shapes
    reach = _Reach(system[:, 0], truth[:, 0] - zero_at, truth[:, 0] + zero_at)
    return _joined(
        SimilarPairs(rows, columns, _nearness(truth[rows], system[columns], zero_at)).likes()
        for rows, columns in _neighbours(tracks, reach)
    )


def by_user(tracks: Tracks, similarity: FrameSimilarity) -> SimilarPairs:
    """The caller's own similarity, at least 0, frame by frame: rows are truth, columns system detections."""
    truth_starts = frame_starts(tracks.truth, len(tracks.frame_numbers))
    system_starts = frame_starts(tracks.system, len(tracks.frame_numbers))
    return _joined(
        _positive(_matrix(tracks, similarity, number, (truth, system)), truth.start, system.start)
        for number, truth, system in (
            (number, slice(*truth_starts[at : at + 2]), slice(*system_starts[at : at + 2]))
            for at, number in enumerate(tracks.frame_numbers.tolist())
        )
        if truth.stop > truth.start and system.stop > system.start
    )


def frame_starts(side: Detections, frames: int) -> Ints:
    """Where each frame begins among the detections, and where the last one ends."""
    return np.searchsorted(side.frames, np.arange(frames + 1))


class _Corners(NamedTuple):
    left: Real
    top: Real
    right: Real
    bottom: Real
    area: Real

    @classmethod
    def of(cls, boxes: Real) -> "_Corners":
        left, top, width, height = boxes.T
        right, bottom = left + width, top + height
        # the area of the corners as rounded: TrackEval's, so that a pair exactly at the gate falls alike
        return cls(left, top, right, bottom, (right - left) * (bottom - top))


class _Reach(NamedTuple):
    """Where each system detection lies on the sweep axis, and which stretch of it each truth can touch."""

    position: Real
    low: Real
    high: Real


def _neighbours(tracks: Tracks, reach: _Reach) -> Iterator[tuple[Ints, Ints]]:
    """SimilarPairs of the same frame within reach on one axis, a bounded number at a time.

    Frames are laid end to end on that axis, so that one sort and two searches find them all.
    """
    if not len(tracks.truth) or not len(tracks.system):
        return
    start = min(reach.position.min(), reach.low.min())
    span = 1.001 * (max(reach.position.max(), reach.high.max()) - start) + 1.0
    slack = 1e-12 * span * len(tracks.frame_numbers)
    axis = tracks.system.frames * span + (reach.position - start)
    order = np.argsort(axis, kind="stable")
    axis = axis[order]
    base = tracks.truth.frames * span - start
    first = np.searchsorted(axis, base + reach.low - slack)
    count = np.searchsorted(axis, base + reach.high + slack) - first
    ends = np.cumsum(count)
    low = 0
    while low < len(count):
        seen = ends[low - 1] if low else 0
        high = max(low + 1, int(np.searchsorted(ends, seen + _AT_ONCE, side="right")))
        rows = np.repeat(np.arange(low, high), count[low:high])
        before = np.repeat(ends[low:high] - count[low:high], count[low:high])
        columns = order[first[rows] + np.arange(len(rows)) + seen - before]
        low = high
        same = tracks.truth.frames[rows] == tracks.system.frames[columns]
        yield (rows, columns) if same.all() else (rows[same], columns[same])


def _overlapping(truth: _Corners, system: _Corners, rows: Ints, columns: Ints) -> SimilarPairs:
    height = np.minimum(truth.bottom[rows], system.bottom[columns])
    height -= np.maximum(truth.top[rows], system.top[columns])
    tall = height > 0
    rows, columns, height = rows[tall], columns[tall], height[tall]
    width = np.minimum(truth.right[rows], system.right[columns])
    width -= np.maximum(truth.left[rows], system.left[columns])
    wide = width > 0
    rows, columns, shared = rows[wide], columns[wide], width[wide] * height[wide]
    return SimilarPairs(rows, columns, shared / (truth.area[rows] + system.area[columns] - shared))


def _nearness(truth: Real, system: Real, zero_at: float) -> Real:
    """One in place, falling to 0 and below at the distance ``zero_at`` and beyond."""
    return as_real(1.0 - np.sqrt(np.sum((truth - system) ** 2, axis=1)) / zero_at)


def _matrix(tracks: Tracks, similarity: FrameSimilarity, number: Any, sides: tuple[slice, slice]) -> Real:
    truth, system = sides
    wanted = (truth.stop - truth.start, system.stop - system.start)
    if callable(similarity):
        given = similarity(tracks.truth.shapes[truth], tracks.system.shapes[system])
    elif number in similarity:
        given = similarity[number]
    else:
        raise InputError(
            f"no similarity matrix for frame {number} of {tracks.name}, which has {wanted[0]} truth and"
            f" {wanted[1]} system detections; give one for each frame where both sides report something"
        )
    matrix = np.asarray(given, dtype=np.float64)
    if matrix.shape != wanted:
        raise InputError(
            f"the similarity matrix of frame {number} of {tracks.name} is"
            f" {' × '.join(map(str, matrix.shape))}; it must be {wanted[0]} × {wanted[1]},"
            " truth in rows, in the order of the given detections"
        )
    if not np.all(np.isfinite(matrix)) or matrix.min(initial=0.0) < 0:
        raise InputError(
            f"the similarity matrix of frame {number} of {tracks.name} has a negative or non-finite value;"
            " a similarity is 0 for strangers and grows with likeness"
        )
    return matrix


def _positive(matrix: Real, row: int, column: int) -> SimilarPairs:
    rows, columns = np.nonzero(matrix)
    return SimilarPairs(rows + row, columns + column, matrix[rows, columns])


def _joined(parts: Iterator[SimilarPairs]) -> SimilarPairs:
    found = list(parts)
    if len(found) == 1:
        return found[0]
    if not found:
        return SimilarPairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    return SimilarPairs(*(np.concatenate(side) for side in zip(*found, strict=True)))
