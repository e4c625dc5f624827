"""What CLEAR counts, and how long tracks hold on: by truth track and by system track."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real
from infoscope.tables.tracks import Detections, Ints, Tracks, count_by
from infoscope.tracking.similarity import SimilarPairs

__all__ = ["Continuity", "Handovers", "Mates", "count_fragmentations", "longest_runs", "trace_handovers"]


class Handovers(NamedTuple):
    """Each time a truth track goes on under another system id than it last had.

    It is a swap where the id that takes over last followed another truth, otherwise a break.
    """

    switches: Real
    swaps: Real


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
    )


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
