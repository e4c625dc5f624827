"""Pictures of trackers: which tracker, sequence and tracks they show, and their coordinates.

Large sequences show the worst tracks, and say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as Sequences
from typing import Any, ClassVar, NamedTuple, Self

from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.drawing.display import Display
from infoscope.figures.drawing.layout import shortened
from infoscope.studies.tracking import compare, evaluate
from infoscope.studies.tracking.options import TrackingOptions
from infoscope.studies.tracking.result import LOST, SequenceResult, TrackerResult, TrackingEvaluation
from infoscope.studies.tracking.sequence import Cell, Segment
from infoscope.typing import Axes, Source

__all__ = [
    "LOST",
    "Cell",
    "LedgerBar",
    "Segment",
    "TrackDisplay",
    "WorstTrack",
    "chosen_sequence",
    "chosen_system",
    "ledger_bars",
    "worst_tracks",
]


class LedgerBar(NamedTuple):
    """One part of a system's ledger bar, in shares of the truth's bits; false bits lie beyond 1."""

    system: str
    line: str
    start: float
    end: float


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


def chosen_sequence(system: TrackerResult, name: str | None) -> SequenceResult:
    """The sequence of this name, or else the first."""
    if not system.sequences:
        raise InputError(f"{system.name!r} has no sequence to draw; evaluate at least one")
    for each in system.sequences:
        if name is None or each.name == name:
            if each.tracks and not each.segments:
                raise InputError("this result was stored without who followed whom; evaluate again to draw it")
            return each
    names = [each.name for each in system.sequences]
    raise UnknownNameError(f"there is no sequence {name!r}; there are {_listed(names)}")


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
