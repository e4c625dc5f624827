"""From two sides to one accounted sequence: options, candidate pairs, matching, the association and its ledger.

``find_overlaps``, ``find_near_points`` and ``apply_similarity`` list the pairs of one truth and one system detection
with any similarity at all; ``MATCHERS`` has the ways to choose among those that pass the gate. Most pairs have no rival
and are chosen without a solver; only what is left goes to one small assignment problem per frame.

``account_for`` matches the frames of a sequence and counts which track followed which (``associate``). The ledger
divides the bits of that table: truth = captured + missed + confused, and beside it the false information, fragmented +
spurious. Every line is a sum of terms of at least 0, each of which belongs to a track; sequences are added in bits.
What CLEAR, Identity and HOTA sum over tracks comes next (``TrackSums``), and last what is drawn: the timeline of each
truth track and the cells of the association map. A new way to match is a function of tracks, candidates and gate, a
line in ``MATCHERS``, and its word and sentence in the options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, ratio
from infoscope.core.validation import KeywordHints
from infoscope.errors import InputError, UnknownNameError
from infoscope.studies.tracking_measures import LEVELS, TrackSums, join
from infoscope.tables.tracks import Association, Detections, Ints, TrackId, Tracks, count_by, distinct, sum_by

Match: TypeAlias = Literal["sticky", "independent", "global", "fractional"]
Null: TypeAlias = Literal["prior", "exclude", "class"]
Per: TypeAlias = Literal["truth", "event"]
Duplicates: TypeAlias = Literal["error", "first", "split"]
Preprocessing: TypeAlias = Literal["auto", "off", "mot16", "mot20"]

NULLS: tuple[str, ...] = get_args(Null)
CHOICES: dict[str, tuple[str, ...]] = {
    "similarity": ("auto", "overlap", "distance"),
    "match": get_args(Match),
    "null": NULLS,
    "per": get_args(Per),
    "duplicates": get_args(Duplicates),
    "preprocessing": get_args(Preprocessing),
}

ROUNDING = float(np.finfo(np.float64).eps)
"""A similarity this little below the gate still passes it, as in TrackEval."""
MAX_PAIRS_AT_ONCE = 1 << 21
"""Candidate pairs that are looked at together: bounds the memory, not the result."""
CONTINUATION_WORTH = 1000.0
"""Worth of continuing the pair of the frame before: more than any similarity in the frame."""
WORTH_BITS = 40
"""Length of the greatest worth in bits: sums over thousands of tracks stay below 2⁵³, where floats are exact."""

FrameSimilarity: TypeAlias = Callable[[Real, Real], Any] | Mapping[Any, Any]
"""A function of the two sides' shapes in a frame, or a matrix for each frame number."""


# Options --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Convention:
    """Choices by which tracks were compared, in fields and in a sentence."""

    gate: float | None
    similarity: str
    match: str
    null: str
    per: str
    level: float
    text: str


@dataclass(frozen=True)
class TrackingOptions(KeywordHints):
    """Gate, matching and conventions, as ``evaluate`` documents them.

    ``gate`` is the least overlap (IoU, or the caller's own similarity) of a match, or the greatest distance;
    it is 0.5 for boxes unless given.
    """

    gate: float | None = None
    similarity: str | FrameSimilarity = "auto"
    match: Match = "sticky"
    null: Null = "prior"
    per: Per = "truth"
    duplicates: Duplicates = "error"
    preprocessing: Preprocessing = "auto"
    input_format: str = "auto"
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        """Reject words that are no choice, and gates that nothing or everything passes."""
        for option, words in CHOICES.items():
            chosen = getattr(self, option)
            if isinstance(chosen, str) and chosen not in words:
                raise UnknownNameError(f"{option} has no {chosen!r}; it can be {', '.join(words)}")
        if self.gate is not None and not 0 < self.gate < float("inf"):
            raise InputError(
                f"the gate is {self.gate:g}; it must be above 0: the least overlap, or the greatest"
                " distance, of a match"
            )
        if self.similarity == "overlap" and self.gate is not None and self.gate > 1:
            raise InputError(f"the gate is {self.gate:g}; boxes overlap by at most 1, so choose a gate between 0 and 1")

    @property
    def threshold(self) -> float:
        """The least similarity of a match: half-way to the distance where similarity ends."""
        return 0.5 if self.similarity == "distance" or self.gate is None else self.gate

    @property
    def zero_at(self) -> float:
        """The distance at which two points have nothing in common: twice the gate."""
        return 2.0 * (self.gate or 0.5)

    @property
    def convention(self) -> Convention:
        """The choices that every number depends on, as a result holds them."""
        is_distance = self.similarity == "distance"
        gate = f"a distance of at most {self.gate:g}" if is_distance else f"a similarity of at least {self.gate:g}"
        match = {
            "sticky": "matching continues the pairs of the frame before, then takes the most similar (sticky)",
            "independent": "each frame is matched by itself for the most similarity (independent)",
            "global": "matching prefers tracks that agree over the whole sequence (global)",
            "fractional": "a detection is shared among all that pass the gate (fractional)",
        }[self.match]
        null = {
            "prior": "a miss leaves the prior and a false detection costs its own name (null: prior)",
            "exclude": "misses and false detections are left out of the information figures (null: exclude)",
            "class": "misses and false detections are one more track on either side (null: class)",
        }[self.null]
        false = "truth bits" if self.per == "truth" else "truth bits, each side per detection of its own"
        return Convention(
            self.gate,
            self.similarity if isinstance(self.similarity, str) else "given",
            self.match,
            self.null,
            self.per,
            self.level,
            f"Pairs need {gate}; {match}; {null}; false bits are counted over {false}.",
        )


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


# Candidate pairs ------------------------------------------------------------------------------------------------------


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


# Ways to choose among the candidates ----------------------------------------------------------------------------------


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


# Contested pairs ------------------------------------------------------------------------------------------------------


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


# One sequence, accounted for ------------------------------------------------------------------------------------------


class Ledger(NamedTuple):
    """Bits by track: the first four by truth track, the next two by system track; then how many events count.

    Under ``null="class"`` a last entry on either side stands for "none", a track like any other there.
    """

    truth: Real
    missed: Real
    confused: Real
    fragmented: Real
    spurious: Real
    confused_by_system: Real
    truth_events: Real
    system_events: Real

    @property
    def captured(self) -> Real:
        """Rest of each truth track's information."""
        return self.truth - self.missed - self.confused


@dataclass(frozen=True, eq=False)
class MatchedSequence:
    """Everything the metrics, intervals and pictures of one sequence are made from."""

    tracks: Tracks
    matched: SimilarPairs
    association: Association
    ledger: Ledger
    truth_rows: TrackSums
    system_rows: TrackSums

    @property
    def name(self) -> str:
        """The name both sides were matched by."""
        return self.tracks.name

    @property
    def total(self) -> TrackSums:
        """The sums of the whole sequence."""
        return join([self.truth_rows, self.system_rows]).total()


def account_for(tracks: Tracks, pairs: SimilarPairs, settings: TrackingOptions) -> MatchedSequence:
    """Match the frames of a sequence and sum up what every metric needs; ``pairs`` have any similarity above 0."""
    gate = settings.threshold
    association, matched = associate(tracks, pairs, match=settings.match, gate=gate)
    ledger = divide_bits(association, settings.null)
    truth, system = tracks.truth, tracks.system
    mates = Mates(np.full(len(truth), -1), np.full(len(system), -1))
    mates.truth[matched.truth], mates.system[matched.system] = matched.system, matched.truth
    truth_runs, system_runs = find_longest_runs(tracks, mates)

    truth_rows = _sum_truth_tracks(tracks, pairs, matched, mates, gate)._replace(
        truth_longest=ratio(truth_runs, truth.lengths)
    )
    # system detections that are matched are counted with their truth, so here only those without
    matched_frames = count_by(system.tracks[matched.system], len(system.ids))
    system_rows = TrackSums.zeros(len(system.ids))._replace(
        system_boxes=system.lengths - matched_frames,
        system_tracks=np.ones(len(system.ids)),
        system_covered=ratio(matched_frames, system.lengths),
        system_longest=ratio(system_runs, system.lengths),
    )
    return MatchedSequence(
        tracks=tracks,
        matched=matched,
        association=association,
        ledger=ledger,
        truth_rows=_pad_rows(truth_rows, len(ledger.truth))._replace(
            truth_bits=ledger.truth,
            missed_bits=ledger.missed,
            confused_bits=ledger.confused,
            fragmented_bits=ledger.fragmented,
            truth_events=ledger.truth_events,
        ),
        system_rows=_pad_rows(system_rows, len(ledger.spurious))._replace(
            spurious_bits=ledger.spurious, system_events=ledger.system_events
        ),
    )


def _pad_rows(rows: TrackSums, size: int) -> TrackSums:
    """Return the rows with one more for "none", where the ledger has it as a track."""
    return rows if rows.tracks == size else join([rows, TrackSums.zeros(size - rows.tracks)])


# Association ----------------------------------------------------------------------------------------------------------


def associate(tracks: Tracks, pairs: SimilarPairs, *, match: str, gate: float) -> tuple[Association, SimilarPairs]:
    """Return the association table, and the one-to-one pairs behind the conventional metrics."""
    matched = MATCHERS[match](tracks, pairs, gate)
    if match != "fractional":
        return count_matches(tracks, matched), matched
    # every detection is shared equally among all partners that pass the gate
    gated = pairs.select(pairs.passes(gate))
    cells = gated.cells(tracks)
    truth_partners = count_by(gated.truth, len(tracks.truth))[gated.truth]
    system_partners = count_by(gated.system, len(tracks.system))[gated.system]
    counts = sum_by(cells.place, 1.0 / truth_partners, len(cells.rows))
    mirror = sum_by(cells.place, 1.0 / system_partners, len(cells.rows))
    return _build_table(tracks, gated, cells, counts, mirror), matched


def count_matches(tracks: Tracks, matched: SimilarPairs) -> Association:
    """Count the frames that each truth track and each system track spent together, one partner a frame."""
    cells = matched.cells(tracks)
    counts = count_by(cells.place, len(cells.rows))
    return _build_table(tracks, matched, cells, counts, counts)


def _build_table(tracks: Tracks, pairs: SimilarPairs, cells: TrackCells, counts: Real, mirror: Real) -> Association:
    def count_alone(side: Detections, paired: Ints) -> Real:
        is_alone = np.ones(len(side), dtype=bool)
        is_alone[paired] = False
        return count_by(side.tracks[is_alone], len(side.ids))

    return Association(
        truth_ids=tracks.truth.ids,
        system_ids=tracks.system.ids,
        rows=cells.rows,
        columns=cells.columns,
        counts=counts,
        mirror=mirror,
        missed=count_alone(tracks.truth, pairs.truth),
        false=count_alone(tracks.system, pairs.system),
    )


# Information ledger ---------------------------------------------------------------------------------------------------


def divide_bits(table: Association, null: str = "prior") -> Ledger:
    """Divide the bits of a sequence under one way of treating frames without a partner.

    ``prior``: a miss leaves what was known before, and a false detection costs its own name.
    ``exclude``: only matched frames count, as they stand. ``class``: "none" is one more truth and one more
    system track.
    """
    matched, followed = table.truth_matched, table.system_matched
    missed, false = table.missed, table.false
    if null == "class":
        # one joint table with a row and a column "none": missed and spurious are what those two say of a track
        lengths = np.append(matched + missed, false.sum())
        reported = followed + false
        confused = _bits(table.counts, reported[table.columns])
        doubtful = _bits(false, reported)
        scattered = _bits(table.counts, lengths[table.rows])
        fragmented = sum_by(table.rows, scattered, len(matched)) + _bits(missed, lengths[:-1])
        missed_bits = _bits(missed, np.full_like(missed, missed.sum()))
        return Ledger(
            truth=_bits_of_share(lengths, lengths),
            missed=np.append(missed_bits, 0.0),
            confused=np.append(sum_by(table.rows, confused, len(matched)), doubtful.sum()),
            fragmented=np.append(fragmented, 0.0),
            spurious=np.append(_bits(false, np.full_like(false, false.sum())), 0.0),
            confused_by_system=np.append(sum_by(table.columns, confused, len(followed)) + doubtful, missed_bits.sum()),
            truth_events=lengths,
            system_events=np.append(reported, missed.sum()),
        )
    if null == "exclude":
        missed, false = np.zeros_like(missed), np.zeros_like(false)
    mirrored = sum_by(table.rows, table.mirror, len(table.truth_ids))
    reported = sum_by(table.columns, table.mirror, len(table.system_ids))
    confused = _bits(table.counts, followed[table.columns])
    lengths, system_lengths = matched + missed, reported + false
    return Ledger(
        truth=_bits_of_share(lengths, lengths),
        missed=_bits_of_share(missed, lengths),
        confused=sum_by(table.rows, confused, len(matched)),
        fragmented=sum_by(table.rows, _bits(table.mirror, mirrored[table.rows]), len(matched)),
        spurious=_bits_of_share(false, system_lengths),
        confused_by_system=sum_by(table.columns, confused, len(followed)),
        truth_events=lengths,
        system_events=system_lengths,
    )


def _bits(parts: Real, wholes: Real) -> Real:
    """Return each part times log₂(whole/part), 0 for an empty part."""
    times: Real = np.divide(wholes, parts, out=np.ones_like(parts), where=parts > 0)
    return parts * np.log2(times)


def _bits_of_share(events: Real, lengths: Real) -> Real:
    """Return the bits that name a track, for each of some of its events: a track of all lengths costs exactly 0."""
    times: Real = np.divide(lengths.sum(), lengths, out=np.ones_like(lengths), where=lengths > 0)
    return events * np.log2(times)


# Sums of CLEAR, Identity and HOTA -------------------------------------------------------------------------------------


class Mates(NamedTuple):
    """For each detection of a side the one it is matched with on the other, or −1."""

    truth: Ints
    system: Ints


def _sum_truth_tracks(
    tracks: Tracks, pairs: SimilarPairs, matched: SimilarPairs, mates: Mates, gate: float
) -> TrackSums:
    """Sum up each truth track; system detections that found their truth are counted here."""
    truth, size = tracks.truth, len(tracks.truth.ids)
    track = truth.tracks[matched.truth]
    matched_frames = count_by(track, size)
    covered = ratio(matched_frames, truth.lengths)
    is_mostly_tracked = covered > 0.8

    # HOTA: one assignment serves all levels of similarity
    best = pairs.select(choose_heaviest(tracks, pairs, score_agreement(tracks, pairs) * pairs.similarity))
    rows, columns, cell = best.cells(tracks)
    levels = np.searchsorted(LEVELS - ROUNDING, best.similarity, side="right")
    together = _sum_from_level(cell, levels, np.ones(len(cell)), len(rows))
    apart = (truth.lengths[rows] + tracks.system.lengths[columns])[:, None] - together
    association = together * together / np.maximum(apart, 1.0)

    # Identity: each truth track has one system id, chosen so that the sum of their frames is greatest
    close = pairs.select(pairs.similarity >= gate)
    id_rows, id_columns, id_cell = close.cells(tracks)
    id_frames = count_by(id_cell, len(id_rows))
    chosen = choose_heaviest_cells(id_rows, id_columns, id_frames)

    # Fragmentations: a track is lost and found again; frames in which one side reports nothing at all do not count
    order = truth.by_track[mates.truth[truth.by_track] >= 0]
    followed, clock = truth.tracks[order], tracks.shared_clock[truth.frames[order]]
    is_found_again = (followed[1:] == followed[:-1]) & (clock[1:] != clock[:-1] + 1)
    switches, swaps, transfers = count_handovers(tracks, mates)
    return TrackSums.zeros(size)._replace(
        truth_boxes=truth.lengths.astype(np.float64),
        system_boxes=matched_frames,
        truth_tracks=np.ones(size),
        matched=matched_frames,
        similarity=sum_by(track, matched.similarity, size),
        id_switches=switches,
        swaps=swaps,
        transfers=transfers,
        fragmentations=count_by(followed[1:][is_found_again], size),
        mostly_tracked=is_mostly_tracked.astype(np.float64),
        partly_tracked=((covered >= 0.2) & ~is_mostly_tracked).astype(np.float64),
        id_matched=sum_by(id_rows[chosen], id_frames[chosen], size),
        truth_covered=covered,
        level_matched=_sum_rows(together, rows, size),
        level_association=_sum_rows(association, rows, size),
        level_similarity=_sum_from_level(truth.tracks[best.truth], levels, best.similarity, size),
    )


def _sum_from_level(groups: Ints, levels: Ints, weights: Real, size: int) -> Real:
    """Return for each group and level the sum over those that pass at least that level."""
    height = len(LEVELS) + 1
    passed = sum_by(groups * height + levels, weights, size * height).reshape(size, height)
    return np.cumsum(passed[:, ::-1], axis=1)[:, ::-1][:, 1:]


def _sum_rows(values: Real, rows: Ints, size: int) -> Real:
    """Add up rows of the same track; they come in the order of tracks."""
    sums = np.zeros((size, values.shape[1]))
    if len(rows):
        starts = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
        sums[rows[starts]] = np.add.reduceat(values, starts, axis=0)
    return sums


def count_handovers(tracks: Tracks, mates: Mates) -> tuple[Real, Real, Real]:
    """Count by truth track its id switches, those of them that are swaps, and the transfers to it.

    A truth track switches its id when it goes on under another one than it last had; this is a swap where the id that
    takes over last followed another truth, otherwise a break. A transfer is a system track that goes on with another
    truth than it last had; a return to a truth that had no other id in between is none.
    """

    def find_changes(side: Detections, side_mates: Ints, other: Detections) -> Ints:
        """Return the detections at which a track is matched with another track than it last was."""
        order = side.by_track[side_mates[side.by_track] >= 0]
        track, partner = side.tracks[order], other.tracks[side_mates[order]]
        return order[1:][(track[1:] == track[:-1]) & (partner[1:] != partner[:-1])]

    switched = find_changes(tracks.truth, mates.truth, tracks.system)
    arrived = find_changes(tracks.system, mates.system, tracks.truth)
    has_arrived = np.zeros(len(tracks.system), dtype=bool)
    has_arrived[arrived] = True
    # truth detections whose track had another id before, or none
    order = tracks.truth.by_track[mates.truth[tracks.truth.by_track] >= 0]
    is_new = np.zeros(len(tracks.truth), dtype=bool)
    if len(order):
        is_new[order] = _is_first(tracks.truth.tracks[order]) | _is_first(tracks.system.tracks[mates.truth[order]])
    transferred = mates.system[arrived]

    track, size = tracks.truth.tracks, len(tracks.truth.ids)
    return (
        count_by(track[switched], size),
        count_by(track[switched[has_arrived[mates.truth[switched]]]], size),
        count_by(track[transferred[is_new[transferred]]], size),
    )


def find_longest_runs(tracks: Tracks, mates: Mates) -> tuple[Ints, Ints]:
    """Return the longest run of each track's own consecutive frames with one and the same partner, on either side."""

    def find_longest(side: Detections, side_mates: Ints, other: Detections) -> Ints:
        longest = np.zeros(len(side.ids), dtype=np.int64)
        if not len(side):
            return longest
        track, mate = side.tracks[side.by_track], side_mates[side.by_track]
        partner = np.append(other.tracks, -1)[mate]
        starts = np.flatnonzero(_is_first(track) | _is_first(partner))
        lengths = np.diff(np.append(starts, len(track)))
        is_matched = partner[starts] >= 0
        np.maximum.at(longest, track[starts[is_matched]], lengths[is_matched])
        return longest

    return (
        find_longest(tracks.truth, mates.truth, tracks.system),
        find_longest(tracks.system, mates.system, tracks.truth),
    )


def _is_first(values: Ints) -> NDArray[np.bool_]:
    """Return True for each value that differs from the one before it, and for the first; never for no values."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]


# Who followed whom ----------------------------------------------------------------------------------------------------


class Segment(NamedTuple):
    """A stretch of a truth track under one system id, or under none."""

    track: TrackId
    row: int
    first: float
    last: float
    system: TrackId | None
    begins: str
    """Its beginning: ``start``, ``missed``, ``found`` (again under the same id), ``break`` or ``swap``."""


class Cell(NamedTuple):
    """A cell of the association map; the last row holds false detections, the last column misses."""

    row: int
    column: int
    truth: TrackId | None
    system: TrackId | None
    frames: float


def build_timeline(sequence: MatchedSequence) -> list[Segment]:
    """Divide every truth track into stretches under one id: breaks, swaps and misses become visible.

    Tracks come in the order of their first frame.
    """
    truth, system = sequence.tracks.truth, sequence.tracks.system
    matched = sequence.matched
    if not len(truth):
        return []
    partner = np.full(len(truth), -1)
    partner[matched.truth] = system.tracks[matched.system]
    order = truth.by_track
    track, follower = truth.tracks[order], partner[order]
    starts = np.flatnonzero(_is_first(track) | _is_first(follower))
    ends = np.append(starts[1:], len(track)) - 1
    numbers = sequence.tracks.frame_numbers[truth.frames[order]].tolist()
    first_frames = np.full(len(truth.ids), len(sequence.tracks.frame_numbers))
    np.minimum.at(first_frames, truth.tracks, truth.frames)
    rows = {int(track): row for row, track in enumerate(np.argsort(first_frames, kind="stable"))}

    # matched truth detections whose system track followed another truth just before
    mate = np.full(len(system), -1)
    mate[matched.system] = matched.truth
    following = system.by_track[mate[system.by_track] >= 0]
    system_track, followed = system.tracks[following], truth.tracks[mate[following]]
    has_moved = (system_track[1:] == system_track[:-1]) & (followed[1:] != followed[:-1])
    taken_over = set(mate[following[1:][has_moved]].tolist())

    segments: list[Segment] = []
    last_id: dict[int, int] = {}
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        which, now = int(track[start]), int(follower[start])
        if now < 0:
            begins = "missed"
        elif which not in last_id:
            begins = "start"
        elif last_id[which] == now:
            begins = "found"
        else:
            begins = "swap" if int(order[start]) in taken_over else "break"
        if now >= 0:
            last_id[which] = now
        name = system.ids[now] if now >= 0 else None
        segments.append(Segment(truth.ids[which], rows[which], numbers[start], numbers[end], name, begins))
    return sorted(segments, key=lambda segment: (segment.row, segment.first))


def list_cells(sequence: MatchedSequence) -> list[Cell]:
    """List the cells of the association map, with misses and false detections; best matches lie on a diagonal."""
    table = sequence.association
    truths = np.argsort(-(table.truth_matched + table.missed), kind="stable")
    row_of = {int(track): row for row, track in enumerate(truths)}
    order = np.lexsort((np.argsort(truths)[table.rows], -table.counts))
    best_row: dict[int, int] = {}
    for cell in order.tolist():
        best_row.setdefault(int(table.columns[cell]), row_of[int(table.rows[cell])])
    size = len(table.system_ids)
    systems = sorted(range(size), key=lambda track: (best_row.get(track, len(truths)), -table.system_matched[track]))
    column_of = {track: column for column, track in enumerate(systems)}
    cells = [
        Cell(row_of[truth], column_of[system], table.truth_ids[truth], table.system_ids[system], count)
        for truth, system, count in zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True)
    ]
    cells += [
        Cell(row_of[truth], size, table.truth_ids[truth], None, float(table.missed[truth]))
        for truth in np.flatnonzero(table.missed).tolist()
    ]
    cells += [
        Cell(len(truths), column_of[system], None, table.system_ids[system], float(table.false[system]))
        for system in np.flatnonzero(table.false).tolist()
    ]
    return sorted(cells)


def find_frame_step(sequence: MatchedSequence) -> float:
    """Return the distance from one frame to the next, where it is least."""
    numbers = sequence.tracks.frame_numbers
    return float((numbers[1:] - numbers[:-1]).min()) if len(numbers) > 1 else 1.0
