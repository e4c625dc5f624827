"""Which tracker, which sequence and which tracks a picture shows: large ones show the worst, and say so."""

from typing import NamedTuple

from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.layout import shortened
from infoscope.tables.tracks import TrackId
from infoscope.tracking.result import LOST, TrackerResult, TrackingEvaluation
from infoscope.tracking.sequence import Sequence

__all__ = ["LOST", "WorstTrack", "chosen_sequence", "chosen_system", "frame_step", "worst_first", "worst_tracks"]


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
