"""What the pictures of a tracker show, as coordinates: timelines, association map, ledger bars."""

from collections.abc import Sequence as Sequences
from typing import NamedTuple

import numpy as np

from infoscope.tables.tracks import TrackId
from infoscope.tracking.result import TrackerResult
from infoscope.tracking.sequence import Sequence

__all__ = [
    "Cell",
    "LedgerBar",
    "Segment",
    "association_cells",
    "ledger_bars",
    "timeline",
]


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


class LedgerBar(NamedTuple):
    """One part of a system's ledger bar, in shares of the truth's bits; false bits lie beyond 1."""

    system: str
    line: str
    start: float
    end: float


def timeline(sequence: Sequence) -> list[Segment]:
    """Every truth track as stretches under one id: breaks, swaps and misses become visible.

    Tracks come in the order of their first frame.
    """
    truth, system = sequence.tracks.truth, sequence.tracks.system
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


def ledger_bars(systems: Sequences[TrackerResult]) -> list[LedgerBar]:
    """Captured, missed and confused fill the truth; fragmented and spurious come on top."""
    bars = []
    for system in systems:
        ledger, at = system.ledger, 0.0
        if ledger["truth"] <= 0:
            continue
        for line in ("captured", "missed", "confused", "fragmented", "spurious"):
            share = ledger[line] / ledger["truth"]
            bars.append(LedgerBar(system.name, line, at, at + share))
            at += share
    return bars


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
