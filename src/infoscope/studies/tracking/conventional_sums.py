"""What HOTA, the identity metrics and CLEAR sum over tracks, and how long tracks hold on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.studies.tracking.matching import alignment, heaviest, heaviest_overall
from infoscope.studies.tracking.similarity import ROUNDING, SimilarPairs
from infoscope.studies.tracking.sums import LEVELS
from infoscope.tables.tracks import Detections, Ints, Tracks, count_by, sum_by

__all__ = [
    "ByLevel",
    "Continuity",
    "Handovers",
    "Mates",
    "count_fragmentations",
    "identity_matches",
    "longest_runs",
    "sum_by_level",
    "trace_handovers",
]


class ByLevel(NamedTuple):
    """Sums by truth track and similarity level."""

    matched: Real
    association: Real
    similarity: Real


def sum_by_level(tracks: Tracks, pairs: SimilarPairs) -> ByLevel:
    """Matches, their association scores and their similarities at each level: one assignment serves all levels."""
    truth, system = tracks.truth, tracks.system
    best = pairs.where(heaviest(tracks, pairs, alignment(tracks, pairs) * pairs.similarity))
    rows, columns, cell = best.cells(tracks)
    levels = np.searchsorted(LEVELS - ROUNDING, best.similarity, side="right")
    together = _at_least(cell, levels, np.ones(len(cell)), len(rows))
    apart = (truth.lengths[rows] + system.lengths[columns])[:, None] - together
    association = together * together / np.maximum(apart, 1.0)
    track = truth.tracks[best.truth]
    return ByLevel(
        matched=_gathered(together, rows, len(truth.ids)),
        association=_gathered(association, rows, len(truth.ids)),
        similarity=_at_least(track, levels, best.similarity, len(truth.ids)),
    )


def identity_matches(tracks: Tracks, pairs: SimilarPairs, gate: float) -> Real:
    """Frames in which each truth track has its one system id, chosen so that their sum is greatest."""
    close = pairs.where(pairs.similarity >= gate)
    rows, columns, cell = close.cells(tracks)
    counts = count_by(cell, len(rows))
    chosen = heaviest_overall(rows, columns, counts)
    return sum_by(rows[chosen], counts[chosen], len(tracks.truth.ids))


def _at_least(groups: Ints, levels: Ints, weights: Real, size: int) -> Real:
    """For each group and level, the sum over those that pass at least that level."""
    height = len(LEVELS) + 1
    passed = sum_by(groups * height + levels, weights, size * height).reshape(size, height)
    return np.cumsum(passed[:, ::-1], axis=1)[:, ::-1][:, 1:]


def _gathered(values: Real, rows: Ints, size: int) -> Real:
    """Rows of the same track added up; they come in the order of tracks."""
    summed = np.zeros((size, values.shape[1]))
    if len(rows):
        starts = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
        summed[rows[starts]] = np.add.reduceat(values, starts, axis=0)
    return summed


class Handovers(NamedTuple):
    """Each time a truth track goes on under another system id than it last had.

    It is a swap where the id that takes over last followed another truth, otherwise a break.
    """

    switches: Real
    swaps: Real
    transfers: Real
    """Each time a system track goes on with another truth than it last had, by the truth that it comes to.

    A return to a truth that had no other id in between is none.
    """


class Continuity(NamedTuple):
    """For each track, its longest unbroken run with one partner."""

    truth: Ints
    system: Ints


class Mates(NamedTuple):
    """For each detection of a side the one it is matched with on the other, or −1."""

    truth: Ints
    system: Ints

    @classmethod
    def of(cls, tracks: Tracks, matched: SimilarPairs) -> "Mates":
        """The matches seen from either side."""
        truth, system = np.full(len(tracks.truth), -1), np.full(len(tracks.system), -1)
        truth[matched.truth], system[matched.system] = matched.system, matched.truth
        return cls(truth, system)


def trace_handovers(tracks: Tracks, mates: Mates) -> Handovers:
    """How often each truth track changes its id, and how often by taking over another truth's."""
    switched = _changed_partner(tracks.truth, mates.truth, tracks.system)
    arrived = _changed_partner(tracks.system, mates.system, tracks.truth)
    taken = np.zeros(len(tracks.system), dtype=bool)
    taken[arrived] = True
    size = len(tracks.truth.ids)
    return Handovers(
        count_by(tracks.truth.tracks[switched], size),
        count_by(tracks.truth.tracks[switched[taken[mates.truth[switched]]]], size),
        count_by(tracks.truth.tracks[_under_new_id(tracks, mates, arrived)], size),
    )


def _under_new_id(tracks: Tracks, mates: Mates, arrived: Ints) -> Ints:
    """The truth detections of these system ones whose track had another id before, or none."""
    held = _held(tracks.truth, mates.truth)
    track, partner = tracks.truth.tracks[held], tracks.system.tracks[mates.truth[held]]
    is_new = np.zeros(len(tracks.truth), dtype=bool)
    if len(held):
        is_new[held] = _changes(track) | _changes(partner)
    found = mates.system[arrived]
    return found[is_new[found]]


def count_fragmentations(tracks: Tracks, mates: Mates) -> Real:
    """How often each truth track is lost and found again.

    Frames in which one side reports nothing at all do not count as lost.
    """
    held = _held(tracks.truth, mates.truth)
    track, clock = tracks.truth.tracks[held], tracks.shared_clock[tracks.truth.frames[held]]
    found_again = (track[1:] == track[:-1]) & (clock[1:] != clock[:-1] + 1)
    return count_by(track[1:][found_again], len(tracks.truth.ids))


def longest_runs(tracks: Tracks, mates: Mates) -> Continuity:
    """The longest run of each track's own consecutive frames with one and the same partner."""
    return Continuity(
        _longest(tracks.truth, mates.truth, tracks.system), _longest(tracks.system, mates.system, tracks.truth)
    )


def _held(side: Detections, mates: Ints) -> Ints:
    """The matched detections, track by track."""
    return side.by_track[mates[side.by_track] >= 0]


def _changed_partner(side: Detections, mates: Ints, other: Detections) -> Ints:
    """The detections at which a track is matched with another track than it last was."""
    held = _held(side, mates)
    track, partner = side.tracks[held], other.tracks[mates[held]]
    return held[1:][(track[1:] == track[:-1]) & (partner[1:] != partner[:-1])]


def _longest(side: Detections, mates: Ints, other: Detections) -> Ints:
    """A run ends where the track or its partner changes."""
    longest = np.zeros(len(side.ids), dtype=np.int64)
    if not len(side):
        return longest
    track, mate = side.tracks[side.by_track], mates[side.by_track]
    partner = np.append(other.tracks, -1)[mate]
    starts = np.flatnonzero(_changes(track) | _changes(partner))
    lengths = np.diff(np.append(starts, len(track)))
    held = partner[starts] >= 0
    np.maximum.at(longest, track[starts[held]], lengths[held])
    return longest


def _changes(values: Ints) -> NDArray[np.bool_]:
    return np.append(True, values[1:] != values[:-1])
