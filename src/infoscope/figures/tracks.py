"""Pictures of trackers: which tracker, sequence and tracks they show, and their coordinates.

Large sequences show the worst tracks, and say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.display import Display
from infoscope.figures.inputs import a_kind
from infoscope.figures.layout import shortened
from infoscope.tables.tracks import TrackId
from infoscope.tracking import compare, evaluate
from infoscope.tracking.options import TrackingOptions
from infoscope.tracking.result import LOST, TrackerResult, TrackingEvaluation
from infoscope.tracking.sequence import Sequence
from infoscope.typing import Axes, Source

__all__ = [
    "LOST",
    "Cell",
    "LedgerBar",
    "Segment",
    "TrackDisplay",
    "WorstTrack",
    "association_cells",
    "chosen_sequence",
    "chosen_system",
    "frame_step",
    "ledger_bars",
    "timeline",
    "tracking_only",
    "worst_first",
    "worst_tracks",
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


class WorstTrack(NamedTuple):
    """A truth track with what went wrong on it, in bits."""

    sequence: str
    track: str
    frames: int
    matched: float
    ids: int
    lost: dict[str, float]

    @property
    def bits(self) -> float:
        """All lines together."""
        return sum(self.lost.values())


def chosen_system(evaluation: TrackingEvaluation, name: str | None) -> TrackerResult:
    """The tracker of this name, or else the least erroneous one."""
    names = [each.name for each in evaluation.systems]
    if name is None:
        return evaluation[evaluation.ranking[0]]
    if name not in names:
        raise UnknownNameError(f"there is no tracker {name!r}; there are {_listed(names)}")
    return evaluation[name]


def chosen_sequence(system: TrackerResult, name: str | None) -> Sequence:
    """The sequence of this name, or else the first."""
    if not system.sequences:
        raise InputError(f"{system.name!r} has no sequence to draw; evaluate at least one")
    for each in system.sequences:
        if name is None or each.name == name:
            if each.evaluated is None:
                raise InputError("a stored result does not hold the tracks themselves; evaluate again to draw them")
            return each.evaluated
    names = [each.name for each in system.sequences]
    raise UnknownNameError(f"there is no sequence {name!r}; there are {_listed(names)}")


def worst_first(sequence: Sequence) -> list[TrackId]:
    """The truth tracks, those that lose most bits first."""
    ledger = sequence.ledger
    size = len(sequence.association.truth_ids)
    lost = ledger.missed[:size] + ledger.confused[:size] + ledger.fragmented[:size]
    return [sequence.association.truth_ids[at] for at in sorted(range(size), key=lambda at: -lost[at])]


def worst_tracks(system: TrackerResult, most: int) -> list[WorstTrack]:
    """The truth tracks of all sequences that lose most, the worst first; those that lose nothing are left out."""
    found = [
        WorstTrack(
            sequence.name,
            each.id,
            each.frames,
            each.matched,
            each.ids,
            {line: max(getattr(each, line), 0.0) for line in LOST},
        )
        for sequence in system.sequences
        for each in sequence.tracks[:most]
    ]
    return sorted((each for each in found if each.bits > 0), key=lambda each: -each.bits)[:most]


def frame_step(sequence: Sequence) -> float:
    """The distance from one frame to the next, where it is least."""
    numbers = sequence.tracks.frame_numbers
    return float((numbers[1:] - numbers[:-1]).min()) if len(numbers) > 1 else 1.0


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(shortened(name, 40) for name in names[:8]) + more


class TrackDisplay(Display):
    """A picture that is drawn from tracks."""

    from_evaluation: ClassVar[Callable[..., Any]]
    """The picture of a tracking evaluation; each picture has its own options."""

    @classmethod
    def from_predictions(cls, truth: Source, tracks: Source, *, ax: Axes | None = None, **options: Any) -> Self:
        """Evaluate a tracker, or several by name, and draw.

        Either side is a path, an array with rows of frame, id, left, top, width, height, or a data frame. Options are
        those of ``tracking.evaluate`` and of the picture.
        """
        settings = {key: options.pop(key) for key in list(options) if key in TrackingOptions.__dataclass_fields__}
        if isinstance(tracks, Mapping):
            found = compare(truth, tracks, **settings)
        else:
            found = evaluate(truth, tracks, **settings)
        display: Self = cls.from_evaluation(found, **options)
        return display.plot(ax)


def tracking_only(evaluation: object, picture: str) -> TrackingEvaluation:
    """The evaluation, if it is one of trackers."""
    if not isinstance(evaluation, TrackingEvaluation):
        raise InputError(
            f"{picture} is drawn from tracks, and this is {a_kind(evaluation)}; give what "
            "infoscope.tracking.evaluate returns"
        )
    return evaluation
