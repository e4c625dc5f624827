"""Who is paired with whom in each frame: one-to-one choices among the candidate pairs.

Most pairs have no rival and are matched without a solver; only what is left goes to one small assignment
problem a frame.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.studies.tracking.similarity import SimilarPairs
from infoscope.tables.tracks import Ints, Tracks, distinct, sum_by

__all__ = ["alignment", "heaviest", "heaviest_overall", "independent", "sticky", "wholesale"]

_CONTINUES = 1000.0
"""What it is worth to continue the pair of the frame before: more than any similarity in the frame."""
_WHOLE_BITS = 40
"""Length of the greatest worth in bits: sums over thousands of tracks stay below 2⁵³, where floats are exact."""


def independent(tracks: Tracks, pairs: SimilarPairs, gate: float) -> SimilarPairs:
    """The greatest total similarity in each frame alone."""
    gated = pairs.above(gate)
    return gated.where(heaviest(tracks, gated, gated.similarity))


def wholesale(tracks: Tracks, pairs: SimilarPairs, gate: float) -> SimilarPairs:
    """As HOTA matches: similarity weighted by how well the two tracks agree over the whole sequence."""
    passing = np.flatnonzero(pairs.passing(gate))
    gated = pairs.where(passing)
    return gated.where(heaviest(tracks, gated, alignment(tracks, pairs)[passing] * gated.similarity))


def sticky(tracks: Tracks, pairs: SimilarPairs, gate: float) -> SimilarPairs:
    """As CLEAR matches: the pairs of the frame before are continued first, then similarity decides."""
    gated = pairs.above(gate)
    contested = np.flatnonzero(_contested(gated))
    chosen = np.ones(len(gated.truth), dtype=bool)
    chosen[contested] = False
    partner = np.full(len(tracks.truth) + 1, -1)  # the last entry stands for "was not there"
    partner[gated.truth[chosen]] = tracks.system.tracks[gated.system[chosen]]
    rivals = gated.where(contested)
    before = _previous(tracks)[rivals.truth]
    follower = tracks.system.tracks[rivals.system]
    for problem in _problems(tracks, rivals):
        edges = problem.edges
        continues = partner[before[edges]] == follower[edges]
        won = problem.solve(rivals.similarity[edges] + _CONTINUES * continues)
        partner[rivals.truth[edges][won]] = follower[edges][won]
        chosen[contested[edges][won]] = True
    return gated.where(chosen)


def alignment(tracks: Tracks, pairs: SimilarPairs) -> Real:
    """For each pair of detections, how well their two tracks agree over the sequence: HOTA's Jaccard."""
    truth = sum_by(pairs.truth, pairs.similarity, len(tracks.truth))
    system = sum_by(pairs.system, pairs.similarity, len(tracks.system))
    claim = pairs.similarity / (truth[pairs.truth] + system[pairs.system] - pairs.similarity)
    cells = pairs.cells(tracks)
    shared = sum_by(cells.place, claim, len(cells.rows))
    return (shared / (tracks.truth.lengths[cells.rows] + tracks.system.lengths[cells.columns] - shared))[cells.place]


def heaviest(tracks: Tracks, pairs: SimilarPairs, worth: Real) -> Ints:
    """Positions of the pairs that together are worth most in each frame; every worth is above 0."""
    contested = np.flatnonzero(_contested(pairs))
    free = np.delete(np.arange(len(pairs.truth)), contested)
    contested = _without_beaten(pairs, worth, contested)
    again = _contested(pairs.where(contested))
    won = [free, contested[~again]]
    contested = contested[again]
    for problem in _problems(tracks, pairs.where(contested)):
        rivals = contested[problem.edges]
        won.append(rivals[problem.solve(worth[rivals])])
    return np.sort(np.concatenate(won))


def heaviest_overall(rows: Ints, columns: Ints, worth: Real) -> Ints:
    """Positions of the cells of a sparse table that together are worth most, one a row and a column."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - loaded when a sequence needs it
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching  # noqa: PLC0415 - heavy

    if not len(rows):
        return np.zeros(0, np.int64)
    # every row also has a column of its own worth nothing, so that it may stay alone; all are raised by
    # one because the solver takes stored zeros for absent cells
    worth = _whole(worth)
    names, row = distinct(rows)
    height, width = len(names), int(columns.max()) + 1
    alone = np.arange(height)
    places = np.append(row, alone).astype(np.int32), np.append(columns, width + alone).astype(np.int32)  # the solver's
    table = csr_array((np.append(worth + 1.0, np.ones(height)), places), shape=(height, width + height))
    taken = min_weight_full_bipartite_matching(table, maximize=True)[1]
    return np.flatnonzero(taken[row] == columns)


def _whole(worth: Real) -> Real:
    """The same worths as whole numbers: counts keep their ratios exactly, others are rounded to 12 digits.

    The solver compares sums of worths: rounded sums of near ties contradict each other, and its search need not end.
    """
    doublings = _WHOLE_BITS - int(np.frexp(worth.max())[1])
    return np.rint(np.ldexp(worth, doublings))


class _Problem(NamedTuple):
    """The contested pairs of one frame, with rows and columns counted from 0."""

    edges: slice
    rows: Ints
    columns: Ints
    shape: tuple[int, int]

    def solve(self, worth: Real) -> NDArray[np.bool_]:
        from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - half a second to load

        table = np.zeros(self.shape)
        table[self.rows, self.columns] = worth
        row, column = linear_sum_assignment(table, maximize=True)
        taken = np.full(self.shape[0], -1)
        taken[row] = column
        return taken[self.rows] == self.columns


def _problems(tracks: Tracks, pairs: SimilarPairs) -> Iterator[_Problem]:
    """The pairs frame by frame; they come in the order of truth detections, hence of frames."""
    if not len(pairs.truth):
        return
    frames = tracks.truth.frames[pairs.truth]
    starts = np.append(0, np.flatnonzero(np.diff(frames)) + 1)
    rows, columns = _local(pairs.truth, starts), _local(pairs.system, starts)
    heights = (np.maximum.reduceat(rows, starts) + 1).tolist()
    widths = (np.maximum.reduceat(columns, starts) + 1).tolist()
    ends = [*starts[1:].tolist(), len(rows)]
    for start, end, height, width in zip(starts.tolist(), ends, heights, widths, strict=True):
        edges = slice(start, end)
        yield _Problem(edges, rows[edges], columns[edges], (height, width))


def _local(detections: Ints, starts: Ints) -> Ints:
    """The rank of each detection within its frame, among those that occur."""
    occurs = np.zeros(int(detections.max()) + 1, dtype=bool)
    occurs[detections] = True
    rank = (np.cumsum(occurs) - 1)[detections]
    first = np.minimum.reduceat(rank, starts)
    return np.asarray(rank - np.repeat(first, np.diff(np.append(starts, len(rank)))))


def _contested(pairs: SimilarPairs) -> NDArray[np.bool_]:
    """Whether either end of the pair has another candidate."""
    if not len(pairs.truth):
        return np.zeros(0, dtype=bool)
    truth, system = np.bincount(pairs.truth), np.bincount(pairs.system)
    return (truth[pairs.truth] > 1) | (system[pairs.system] > 1)


def _without_beaten(pairs: SimilarPairs, worth: Real, among: Ints) -> Ints:
    """The contested pairs less those that cannot win.

    A detection with a single candidate can only win against others of that kind by being worth most.
    """
    for near, far in ((pairs.truth, pairs.system), (pairs.system, pairs.truth)):
        if not len(among):
            break
        single = np.bincount(far[among])[far[among]] == 1
        leaves = among[single]
        leaves = leaves[np.lexsort((worth[leaves], near[leaves]))]
        best = np.append(near[leaves][1:] != near[leaves][:-1], True)[: len(leaves)]
        among = np.sort(np.append(among[~single], leaves[best]))
    return among


def _previous(tracks: Tracks) -> Ints:
    """For each truth detection the one of its track in the frame before, or −1.

    The frame before is the last one in which both sides reported something.
    """
    truth = tracks.truth
    clock = tracks.shared_clock[truth.frames]
    order = truth.by_track[clock[truth.by_track] >= 0]
    earlier, later = order[:-1], order[1:]
    next_in_line = (truth.tracks[earlier] == truth.tracks[later]) & (clock[earlier] + 1 == clock[later])
    previous = np.full(len(truth), -1)
    previous[later[next_in_line]] = earlier[next_in_line]
    return previous
