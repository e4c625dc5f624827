"""What CLEAR counts, and how long tracks hold on: by truth track and by system track."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.numeric import Real
from infoscope.tables.tracks import Ints, Tracks, count_by
from infoscope.tracking.similarity import Pairs

__all__ = ["Continuity", "Handovers", "count_fragmentations", "longest_runs", "trace_handovers"]


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


def trace_handovers(tracks: Tracks, matched: Pairs) -> Handovers:
    """How often each truth track changes its id, and how often by taking over another truth's."""
    truth, system = tracks.truth.tracks[matched.truth], tracks.system.tracks[matched.system]
    frames = tracks.truth.frames[matched.truth]
    order = np.lexsort((frames, truth))
    changes = (truth[order][1:] == truth[order][:-1]) & (system[order][1:] != system[order][:-1])
    switched = np.zeros(len(truth), dtype=bool)
    switched[order[1:]] = changes
    order = np.lexsort((frames, system))
    elsewhere = (system[order][1:] == system[order][:-1]) & (truth[order][1:] != truth[order][:-1])
    taken = np.zeros(len(truth), dtype=bool)
    taken[order[1:]] = elsewhere
    size = len(tracks.truth.ids)
    return Handovers(
        count_by(truth[switched], size),
        count_by(truth[switched & taken], size),
    )


def count_fragmentations(tracks: Tracks, matched: Pairs) -> Real:
    """How often each truth track is lost and found again.

    Frames in which one side reports nothing at all do not count as lost.
    """
    truth = tracks.truth.tracks[matched.truth]
    clock = tracks.shared_clock[tracks.truth.frames[matched.truth]]
    order = np.lexsort((clock, truth))
    found_again = (truth[order][1:] == truth[order][:-1]) & (clock[order][1:] != clock[order][:-1] + 1)
    return count_by(truth[order][1:][found_again], len(tracks.truth.ids))


def longest_runs(tracks: Tracks, matched: Pairs) -> Continuity:
    """The longest run of each track's own consecutive frames with one and the same partner."""
    truth = np.full(len(tracks.truth), -1)
    truth[matched.truth] = tracks.system.tracks[matched.system]
    system = np.full(len(tracks.system), -1)
    system[matched.system] = tracks.truth.tracks[matched.truth]
    return Continuity(
        _longest(tracks.truth.tracks, truth, len(tracks.truth.ids)),
        _longest(tracks.system.tracks, system, len(tracks.system.ids)),
    )


def _longest(tracks: Ints, partners: Ints, size: int) -> Ints:
    """Detections come in the order of frames; a run ends where the track or its partner changes."""
    longest = np.zeros(size, dtype=np.int64)
    if not len(tracks):
        return longest
    order = np.argsort(tracks, kind="stable")
    track, partner = tracks[order], partners[order]
    begins = _changes(track) | _changes(partner)
    starts = np.flatnonzero(begins)
    lengths = np.diff(np.append(starts, len(track)))
    held = partner[starts] >= 0
    np.maximum.at(longest, track[starts[held]], lengths[held])
    return longest


def _changes(values: Ints) -> NDArray[np.bool_]:
    return np.append(True, values[1:] != values[:-1])
