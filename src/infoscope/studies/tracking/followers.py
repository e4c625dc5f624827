"""Who followed whom: truth tracks as stretches under one system id, and the frames that each pair of tracks shares."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoscope.studies.tracking.sequence import Sequence
from infoscope.tables.tracks import TrackId

__all__ = ["Cell", "Segment", "association_cells", "frame_step", "timeline", "worst_first"]


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


def timeline(sequence: Sequence) -> list[Segment]:
    """Every truth track as stretches under one id: breaks, swaps and misses become visible.

    Tracks come in the order of their first frame.
    """
    truth, system = sequence.tracks.truth, sequence.tracks.system
    if not len(truth):
        return []
    partner = np.full(len(truth), -1)
    partner[sequence.matched.truth] = system.tracks[sequence.matched.system]
    order = truth.by_track
    track, held = truth.tracks[order], partner[order]
    starts = np.flatnonzero(np.append(True, (track[1:] != track[:-1]) | (held[1:] != held[:-1]))[: len(track)])
    ends = np.append(starts[1:], len(track)) - 1
    numbers = sequence.tracks.frame_numbers[truth.frames[order]].tolist()
    rows = _rows_by_first_frame(sequence)
    came_from = _last_truths(sequence)
    segments: list[Segment] = []
    last_id: dict[int, int] = {}
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        which, follower = int(track[start]), int(held[start])
        begins = _beginning(which, follower, last_id, came_from.get(int(order[start])))
        if follower >= 0:
            last_id[which] = follower
        name = system.ids[follower] if follower >= 0 else None
        segments.append(Segment(truth.ids[which], rows[which], numbers[start], numbers[end], name, begins))
    return sorted(segments, key=lambda each: (each.row, each.first))


def association_cells(sequence: Sequence) -> list[Cell]:
    """The association table with its misses and false detections, ordered so that best matches lie on a diagonal."""
    table = sequence.association
    truths = np.argsort(-(table.truth_matched + table.missed), kind="stable")
    place = {int(row): at for at, row in enumerate(truths)}
    order = np.lexsort((np.argsort(truths)[table.rows], -table.counts))
    best: dict[int, int] = {}
    for cell in order.tolist():
        best.setdefault(int(table.columns[cell]), place[int(table.rows[cell])])
    size = len(table.system_ids)
    systems = sorted(range(size), key=lambda column: (best.get(column, len(truths)), -table.system_matched[column]))
    where = {column: at for at, column in enumerate(systems)}
    cells = [
        Cell(place[row], where[column], table.truth_ids[row], table.system_ids[column], count)
        for row, column, count in zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True)
    ]
    cells += [
        Cell(place[row], size, table.truth_ids[row], None, float(table.missed[row]))
        for row in np.flatnonzero(table.missed).tolist()
    ]
    cells += [
        Cell(len(truths), where[column], None, table.system_ids[column], float(table.false[column]))
        for column in np.flatnonzero(table.false).tolist()
    ]
    return sorted(cells)


def worst_first(sequence: Sequence) -> list[TrackId]:
    """The truth tracks, those that lose most bits first."""
    ledger = sequence.ledger
    size = len(sequence.association.truth_ids)
    lost = ledger.missed[:size] + ledger.confused[:size] + ledger.fragmented[:size]
    return [sequence.association.truth_ids[at] for at in sorted(range(size), key=lambda at: -lost[at])]


def frame_step(sequence: Sequence) -> float:
    """The distance from one frame to the next, where it is least."""
    numbers = sequence.tracks.frame_numbers
    return float((numbers[1:] - numbers[:-1]).min()) if len(numbers) > 1 else 1.0


def _rows_by_first_frame(sequence: Sequence) -> dict[int, int]:
    truth = sequence.tracks.truth
    first = np.full(len(truth.ids), len(sequence.tracks.frame_numbers))
    np.minimum.at(first, truth.tracks, truth.frames)
    return {int(track): row for row, track in enumerate(np.argsort(first, kind="stable"))}


def _last_truths(sequence: Sequence) -> dict[int, int]:
    """For each matched truth detection, the truth that its system track followed just before, where that is another."""
    truth, system = sequence.tracks.truth, sequence.tracks.system
    mate = np.full(len(system), -1)
    mate[sequence.matched.system] = sequence.matched.truth
    held = system.by_track[mate[system.by_track] >= 0]
    follower, followed = system.tracks[held], truth.tracks[mate[held]]
    changed = (follower[1:] == follower[:-1]) & (followed[1:] != followed[:-1])
    return dict(zip(mate[held[1:][changed]].tolist(), followed[:-1][changed].tolist(), strict=True))


def _beginning(track: int, follower: int, last_id: dict[int, int], came_from: int | None) -> str:
    if follower < 0:
        return "missed"
    if track not in last_id:
        return "start"
    if last_id[track] == follower:
        return "found"
    return "break" if came_from is None else "swap"
