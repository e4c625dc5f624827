"""Matching of the detections of a frame: which pairs are similar, and which of them are chosen, one to one.

``find_overlaps``, ``find_near_points`` and ``apply_similarity`` list the pairs of one truth and one system detection
with any similarity at all; ``MATCHERS`` has the ways to choose among those that pass the gate. Most pairs have no rival
and are chosen without a solver; only what is left goes to one small assignment problem per frame. A new way to match is
a function of tracks, candidates and gate, a line in ``MATCHERS``, and its word and sentence in ``options.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.tables.tracks import Detections, Ints, Tracks, distinct, sum_by

ROUNDING = float(np.finfo(np.float64).eps)
"""A similarity this little below the gate still passes it, as in TrackEval."""
MAX_PAIRS_AT_ONCE = 1 << 21
"""How many candidate pairs are looked at together: bounds the memory, not the result."""
CONTINUATION_WORTH = 1000.0
"""Worth of continuing the pair of the frame before: more than any similarity in the frame."""
WORTH_BITS = 40
"""Length of the greatest worth in bits: sums over thousands of tracks stay below 2⁵³, where floats are exact."""

FrameSimilarity: TypeAlias = Callable[[Real, Real], Any] | Mapping[Any, Any]
"""A function of the two sides' shapes in a frame, or a matrix for each frame number."""


class TrackCells(NamedTuple):
    """The cells of truth track × system track that occur, row by row, and the cell of each pair."""

    rows: Ints
    columns: Ints
    place: Ints


class SimilarPairs(NamedTuple):
    """Pairs of one truth and one system detection of the same frame, with a similarity above 0."""

    truth: Ints
    system: Ints
    similarity: Real

    def passes(self, gate: float) -> NDArray[np.bool_]:
        """Return True for each pair that passes the gate, rounding forgiven."""
        return self.similarity >= gate - ROUNDING

    def select(self, pairs: NDArray[Any]) -> SimilarPairs:
        """Return the chosen pairs, by mask or by position."""
        return SimilarPairs(self.truth[pairs], self.system[pairs], self.similarity[pairs])

    def cells(self, tracks: Tracks) -> TrackCells:
        """Return the cells of truth track × system track that these pairs fall into."""
        width = max(len(tracks.system.ids), 1)
        cells, place = distinct(tracks.truth.tracks[self.truth] * width + tracks.system.tracks[self.system])
        return TrackCells(*np.divmod(cells, width), place)


# ── candidate pairs ──────────────────────────────────────────────────────────────────────────────


def find_overlaps(tracks: Tracks) -> SimilarPairs:
    """Return the boxes that overlap at all, with intersection over union as their similarity."""
    truth_left, truth_top, width, height = tracks.truth.shapes.T
    truth_right, truth_bottom = truth_left + width, truth_top + height
    left, top, width, height = tracks.system.shapes.T
    right, bottom = left + width, top + height
    # the areas of the corners as rounded: TrackEval's, so that a pair exactly at the gate falls alike
    truth_areas = (truth_right - truth_left) * (truth_bottom - truth_top)
    areas = (right - left) * (bottom - top)

    parts = []
    for rows, columns in _find_neighbours(tracks, left, truth_left - np.max(right - left, initial=0.0), truth_right):
        heights = np.minimum(truth_bottom[rows], bottom[columns])
        heights -= np.maximum(truth_top[rows], top[columns])
        is_tall = heights > 0
        rows, columns, heights = rows[is_tall], columns[is_tall], heights[is_tall]  # noqa: PLW2901 - those left
        widths = np.minimum(truth_right[rows], right[columns])
        widths -= np.maximum(truth_left[rows], left[columns])
        is_wide = widths > 0
        rows, columns, shared = rows[is_wide], columns[is_wide], widths[is_wide] * heights[is_wide]  # noqa: PLW2901
        parts.append(SimilarPairs(rows, columns, shared / (truth_areas[rows] + areas[columns] - shared)))
    return _concatenate(parts)


def find_near_points(tracks: Tracks, zero_at: float) -> SimilarPairs:
    """Return the points nearer than ``zero_at``, with a similarity that falls from 1 in place to 0 there."""
    truth, system = tracks.truth.shapes, tracks.system.shapes
    parts = []
    for rows, columns in _find_neighbours(tracks, system[:, 0], truth[:, 0] - zero_at, truth[:, 0] + zero_at):
        similarity = 1.0 - np.sqrt(np.sum((truth[rows] - system[columns]) ** 2, axis=1)) / zero_at
        pairs = SimilarPairs(rows, columns, similarity)
        parts.append(pairs.select(pairs.similarity > 0))
    return _concatenate(parts)


def _find_neighbours(tracks: Tracks, position: Real, low: Real, high: Real) -> Iterator[tuple[Ints, Ints]]:
    """Yield pairs of the same frame whose system position is between the truth's limits, a bounded number at a time.

    Frames are laid end to end on that axis, so that one sort and two searches find them all.
    """
    if not len(tracks.truth) or not len(tracks.system):
        return
    start = min(position.min(), low.min())
    span = 1.001 * (max(position.max(), high.max()) - start) + 1.0
    slack = 1e-12 * span * len(tracks.frame_numbers)
    axis = tracks.system.frames * span + (position - start)
    order = np.argsort(axis, kind="stable")
    axis = axis[order]
    base = tracks.truth.frames * span - start
    first = np.searchsorted(axis, base + low - slack)
    count = np.searchsorted(axis, base + high + slack) - first
    ends = np.cumsum(count)
    begin = 0
    while begin < len(count):
        seen = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, seen + MAX_PAIRS_AT_ONCE, side="right")))
        rows = np.repeat(np.arange(begin, end), count[begin:end])
        before = np.repeat(ends[begin:end] - count[begin:end], count[begin:end])
        columns = order[first[rows] + np.arange(len(rows)) + seen - before]
        begin = end
        is_same_frame = tracks.truth.frames[rows] == tracks.system.frames[columns]
        yield (rows, columns) if is_same_frame.all() else (rows[is_same_frame], columns[is_same_frame])


def apply_similarity(tracks: Tracks, similarity: FrameSimilarity) -> SimilarPairs:
    """Return the pairs with the caller's own similarity, at least 0, frame by frame: rows are the truth's detections.

    Raises
    ------
    InputError
        If a frame has no matrix, or one of another shape, or with a negative or non-finite value.
    """

    def frame_starts(side: Detections) -> list[int]:
        return np.searchsorted(side.frames, np.arange(len(tracks.frame_numbers) + 1)).tolist()

    truth_starts, system_starts = frame_starts(tracks.truth), frame_starts(tracks.system)
    parts = []
    for frame, number in enumerate(tracks.frame_numbers.tolist()):
        truth, system = slice(*truth_starts[frame : frame + 2]), slice(*system_starts[frame : frame + 2])
        shape = (truth.stop - truth.start, system.stop - system.start)
        if 0 in shape:
            continue
        if callable(similarity):
            given = similarity(tracks.truth.shapes[truth], tracks.system.shapes[system])
        elif number in similarity:
            given = similarity[number]
        else:
            raise InputError(
                f"no similarity matrix for frame {number} of {tracks.name}, which has {shape[0]} truth and"
                f" {shape[1]} system detections; give one for each frame where both sides report something"
            )
        matrix = np.asarray(given, dtype=np.float64)
        if matrix.shape != shape:
            raise InputError(
                f"the similarity matrix of frame {number} of {tracks.name} is"
                f" {' × '.join(map(str, matrix.shape))}; it must be {shape[0]} × {shape[1]},"
                " truth in rows, in the order of the given detections"
            )
        if not np.all(np.isfinite(matrix)) or matrix.min(initial=0.0) < 0:
            raise InputError(
                f"the similarity matrix of frame {number} of {tracks.name} has a negative or non-finite value;"
                " a similarity is 0 for strangers and grows with likeness"
            )
        rows, columns = np.nonzero(matrix)
        parts.append(SimilarPairs(rows + truth.start, columns + system.start, matrix[rows, columns]))
    return _concatenate(parts)


def _concatenate(parts: list[SimilarPairs]) -> SimilarPairs:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return SimilarPairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    return SimilarPairs(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


# ── ways to choose among the candidates ──────────────────────────────────────────────────────────


def match_sticky(tracks: Tracks, pairs: SimilarPairs, gate: float) -> SimilarPairs:
    """Match as CLEAR does: the pairs of the frame before are continued first, then similarity decides."""
    gated = pairs.select(pairs.passes(gate))
    contested = np.flatnonzero(_is_contested(gated))
    chosen = np.ones(len(gated.truth), dtype=bool)
    chosen[contested] = False
    partner = np.full(len(tracks.truth) + 1, -1)  # the last entry stands for "was not there"
    partner[gated.truth[chosen]] = tracks.system.tracks[gated.system[chosen]]
    rivals = gated.select(contested)
    before = _find_predecessors(tracks)[rivals.truth]
    follower = tracks.system.tracks[rivals.system]
    for problem in _split_by_frame(tracks, rivals):
        edges = problem.edges
        continues = partner[before[edges]] == follower[edges]
        won = problem.solve(rivals.similarity[edges] + CONTINUATION_WORTH * continues)
        partner[rivals.truth[edges][won]] = follower[edges][won]
        chosen[contested[edges][won]] = True
    return gated.select(chosen)


def match_independent(tracks: Tracks, pairs: SimilarPairs, gate: float) -> SimilarPairs:
    """Match for the greatest total similarity in each frame alone."""
    gated = pairs.select(pairs.passes(gate))
    return gated.select(choose_heaviest(tracks, gated, gated.similarity))


def match_global(tracks: Tracks, pairs: SimilarPairs, gate: float) -> SimilarPairs:
    """Match as HOTA does: similarity weighted by how well the two tracks agree over the whole sequence."""
    passing = np.flatnonzero(pairs.passes(gate))
    gated = pairs.select(passing)
    return gated.select(choose_heaviest(tracks, gated, score_agreement(tracks, pairs)[passing] * gated.similarity))


MATCHERS: dict[str, Callable[[Tracks, SimilarPairs, float], SimilarPairs]] = {
    "sticky": match_sticky,
    "independent": match_independent,
    "global": match_global,
    "fractional": match_sticky,  # the table is shared out; what needs one partner a frame takes the default's
}


def score_agreement(tracks: Tracks, pairs: SimilarPairs) -> Real:
    """Return for each pair of detections how well their two tracks agree over the sequence: HOTA's Jaccard."""
    truth = sum_by(pairs.truth, pairs.similarity, len(tracks.truth))
    system = sum_by(pairs.system, pairs.similarity, len(tracks.system))
    claim = pairs.similarity / (truth[pairs.truth] + system[pairs.system] - pairs.similarity)
    cells = pairs.cells(tracks)
    shared = sum_by(cells.place, claim, len(cells.rows))
    return (shared / (tracks.truth.lengths[cells.rows] + tracks.system.lengths[cells.columns] - shared))[cells.place]


def choose_heaviest(tracks: Tracks, pairs: SimilarPairs, worth: Real) -> Ints:
    """Return the positions of the pairs that together are worth most in each frame; every worth is above 0."""
    contested = np.flatnonzero(_is_contested(pairs))
    free = np.delete(np.arange(len(pairs.truth)), contested)
    # a detection with a single candidate can only win against others of that kind by being worth most
    for near, far in ((pairs.truth, pairs.system), (pairs.system, pairs.truth)):
        if not len(contested):
            break
        is_single = np.bincount(far[contested])[far[contested]] == 1
        leaves = contested[is_single]
        leaves = leaves[np.lexsort((worth[leaves], near[leaves]))]
        is_best = np.append(near[leaves][1:] != near[leaves][:-1], True)[: len(leaves)]
        contested = np.sort(np.append(contested[~is_single], leaves[is_best]))
    is_rival = _is_contested(pairs.select(contested))
    won = [free, contested[~is_rival]]
    contested = contested[is_rival]
    for problem in _split_by_frame(tracks, pairs.select(contested)):
        rivals = contested[problem.edges]
        won.append(rivals[problem.solve(worth[rivals])])
    return np.sort(np.concatenate(won))


def choose_heaviest_cells(rows: Ints, columns: Ints, worth: Real) -> Ints:
    """Return the positions of the cells of a sparse table that together are worth most, one a row and a column."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - loaded when a sequence needs it
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415 - heavy

    if not len(rows):
        return np.zeros(0, np.int64)
    # The solver compares sums of worths: rounded sums of near ties contradict each other, and its search need not end.
    # As whole numbers, counts keep their ratios exactly, and others are rounded to 12 digits.
    worth = np.rint(np.ldexp(worth, WORTH_BITS - int(np.frexp(worth.max())[1])))
    # every row also has a column of its own worth nothing, so that it may stay alone; all are raised by
    # one because the solver takes stored zeros for absent cells
    names, row = distinct(rows)
    height, width = len(names), int(columns.max()) + 1
    alone = np.arange(height)
    places = np.append(row, alone).astype(np.int32), np.append(columns, width + alone).astype(np.int32)  # the solver's
    table = csr_array((np.append(worth + 1.0, np.ones(height)), places), shape=(height, width + height))
    taken = min_weight_full_bipartite_matching(table, maximize=True)[1]
    return np.flatnonzero(taken[row] == columns)


# ── contested pairs ──────────────────────────────────────────────────────────────────────────────


class _FrameProblem(NamedTuple):
    """The contested pairs of one frame, with rows and columns counted from 0."""

    edges: slice
    rows: Ints
    columns: Ints
    shape: tuple[int, int]

    def solve(self, worth: Real) -> NDArray[np.bool_]:
        """Return True for each pair of the assignment with the greatest total worth."""
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - half a second to load

        table = np.zeros(self.shape)
        table[self.rows, self.columns] = worth
        row, column = linear_sum_assignment(table, maximize=True)
        taken = np.full(self.shape[0], -1)
        taken[row] = column
        return taken[self.rows] == self.columns


def _split_by_frame(tracks: Tracks, pairs: SimilarPairs) -> Iterator[_FrameProblem]:
    """Yield the pairs frame by frame; they come in the order of truth detections, hence of frames."""
    if not len(pairs.truth):
        return
    frames = tracks.truth.frames[pairs.truth]
    starts = np.append(0, np.flatnonzero(np.diff(frames)) + 1)
    rows, columns = _rank_in_frame(pairs.truth, starts), _rank_in_frame(pairs.system, starts)
    heights = (np.maximum.reduceat(rows, starts) + 1).tolist()
    widths = (np.maximum.reduceat(columns, starts) + 1).tolist()
    ends = [*starts[1:].tolist(), len(rows)]
    for start, end, height, width in zip(starts.tolist(), ends, heights, widths, strict=True):
        edges = slice(start, end)
        yield _FrameProblem(edges, rows[edges], columns[edges], (height, width))


def _rank_in_frame(detections: Ints, starts: Ints) -> Ints:
    """Return the rank of each detection within its frame, among those that occur."""
    occurs = np.zeros(int(detections.max()) + 1, dtype=bool)
    occurs[detections] = True
    rank = (np.cumsum(occurs) - 1)[detections]
    first = np.minimum.reduceat(rank, starts)
    return np.asarray(rank - np.repeat(first, np.diff(np.append(starts, len(rank)))))


def _is_contested(pairs: SimilarPairs) -> NDArray[np.bool_]:
    """Return True for each pair of which either end has another candidate."""
    if not len(pairs.truth):
        return np.zeros(0, dtype=bool)
    truth, system = np.bincount(pairs.truth), np.bincount(pairs.system)
    return (truth[pairs.truth] > 1) | (system[pairs.system] > 1)


def _find_predecessors(tracks: Tracks) -> Ints:
    """Return for each truth detection the one of its track in the frame before, or −1.

    The frame before is the last one in which both sides reported something.
    """
    truth = tracks.truth
    clock = tracks.shared_clock[truth.frames]
    order = truth.by_track[clock[truth.by_track] >= 0]
    earlier, later = order[:-1], order[1:]
    is_next = (truth.tracks[earlier] == truth.tracks[later]) & (clock[earlier] + 1 == clock[later])
    predecessors = np.full(len(truth), -1)
    predecessors[later[is_next]] = earlier[is_next]
    return predecessors
