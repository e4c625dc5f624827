"""One sequence, accounted for: who followed whom, the information ledger, and what each track adds to each metric.

``account_for`` matches the frames of a sequence and counts which track followed which (``associate``). The ledger
divides the bits of that table: truth = captured + missed + confused, and beside it the false information, fragmented +
spurious. Every line is a sum of terms of at least 0, each of which belongs to a track; sequences are added in bits.
What CLEAR, Identity and HOTA sum over tracks comes next (``TrackSums``), and last what is drawn: the timeline of each
truth track and the cells of the association map.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, ratio
from infoscope.studies.tracking.matching import (
    MATCHERS,
    ROUNDING,
    SimilarPairs,
    TrackCells,
    choose_heaviest,
    choose_heaviest_cells,
    score_agreement,
)
from infoscope.studies.tracking.measures import LEVELS, TrackSums, join
from infoscope.studies.tracking.options import TrackingOptions
from infoscope.tables.tracks import Association, Detections, Ints, TrackId, Tracks, count_by, sum_by


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
        """What is left of each truth track's information."""
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
    mates = Mates.from_pairs(tracks, matched)
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


# ── association ──────────────────────────────────────────────────────────────────────────────────


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


# ── information ledger ───────────────────────────────────────────────────────────────────────────


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


# ── sums of CLEAR, Identity and HOTA ─────────────────────────────────────────────────────────────


class Mates(NamedTuple):
    """For each detection of a side the one it is matched with on the other, or −1."""

    truth: Ints
    system: Ints

    @classmethod
    def from_pairs(cls, tracks: Tracks, matched: SimilarPairs) -> Mates:
        """Return the matches as they look from either side."""
        truth, system = np.full(len(tracks.truth), -1), np.full(len(tracks.system), -1)
        truth[matched.truth], system[matched.system] = matched.system, matched.truth
        return cls(truth, system)


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
        fragmentations=count_fragmentations(tracks, mates),
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


def count_fragmentations(tracks: Tracks, mates: Mates) -> Real:
    """Count how often each truth track is lost and found again.

    Frames in which one side reports nothing at all do not count as lost.
    """
    truth = tracks.truth
    order = truth.by_track[mates.truth[truth.by_track] >= 0]
    track, clock = truth.tracks[order], tracks.shared_clock[truth.frames[order]]
    is_found_again = (track[1:] == track[:-1]) & (clock[1:] != clock[:-1] + 1)
    return count_by(track[1:][is_found_again], len(truth.ids))


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


# ── who followed whom ────────────────────────────────────────────────────────────────────────────


class Segment(NamedTuple):
    """A stretch of a truth track under one system id, or under none."""

    track: TrackId
    row: int
    first: float
    last: float
    system: TrackId | None
    begins: str
    """How it begins: ``start``, ``missed``, ``found`` (again under the same id), ``break`` or ``swap``."""


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
