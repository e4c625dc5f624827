"""Checks of the input: a low score is often a file with other coordinates or frame numbers than it seems to have."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from infoscope.results.finding import Finding
from infoscope.studies.tracking.options import TrackingOptions
from infoscope.studies.tracking.preparation import Prepared, candidates
from infoscope.tables.tracks import Detections, Tracks

__all__ = ["input_findings"]

_FEW = 0.2
"""Below this fraction of truth detections with any neighbour, something is probably wrong."""

_LARGE = 1.6
"""Boxes this many times as large or small are suspect: half of the image size is, a tracker's own style is not."""

_GAIN = {1: 1.25, 2: 1.05}
"""This many times more pairs must pass after a shift, where one or both ends of the frame numbers suggest it."""


def input_findings(prepared: Sequence[Prepared], settings: TrackingOptions) -> list[Finding]:
    """What looks wrong with the input; nothing when nothing does."""
    busy = [each for each in prepared if len(each.tracks.truth) and len(each.tracks.system)]
    found = (_nothing_meets(busy), _sizes(busy, settings), _clocks(busy, settings))
    return [Finding("input_doubt", text, "warning") for text in found if text]


def _nothing_meets(prepared: Sequence[Prepared]) -> str | None:
    truth = sum(len(each.tracks.truth) for each in prepared)
    meeting = sum(_meeting(each) for each in prepared)
    if not truth or meeting >= _FEW * truth:
        return None
    what = "none" if not meeting else f"only {meeting / truth:.1%}"
    return (
        f"{what} of the truth detections come near any system detection of their frame: are both"
        " sides of the same sequence, in the same coordinates and frame numbers?"
    )


def _sizes(prepared: Sequence[Prepared], settings: TrackingOptions) -> str | None:
    """Boxes of another scale, or corners where sizes are expected."""
    if settings.similarity != "overlap" or not prepared:
        return None
    truth = np.median(np.concatenate([_sides(each.tracks.truth) for each in prepared]))
    system = np.median(np.concatenate([_sides(each.tracks.system) for each in prepared]))
    times = float(system / truth)
    if 1 / _LARGE < times < _LARGE:
        return None
    return (
        f"system boxes are {times:.2g} times as large as truth boxes (median): another image size, or"
        " right and bottom edges where width and height are expected?"
    )


def _sides(side: Detections) -> np.ndarray:
    return np.sqrt(side.shapes[:, 2] * side.shapes[:, 3])


def _clocks(prepared: Sequence[Prepared], settings: TrackingOptions) -> str | None:
    """Frames counted from 0 on one side and from 1 on the other."""
    if not isinstance(settings.similarity, str):
        return None
    suspected = [_suspected_shifts(each) for each in prepared]
    for shift in sorted(set().union(*suspected)):
        now = sum(int(each.pairs.passing(settings.threshold).sum()) for each in prepared)
        then = sum(_matches_after(each, settings, shift) for each in prepared)
        gain = min(_GAIN[sides[shift]] for sides in suspected if shift in sides)
        if then > gain * now:
            earlier, later = ("system", "truth") if shift > 0 else ("truth", "system")
            return (
                f"{then} instead of {now} pairs would pass the gate if the system's frames were numbered"
                f" {abs(shift)} {'higher' if shift > 0 else 'lower'}: does the {earlier} count frames from 0"
                f" and the {later} from 1?"
            )
    return None


def _suspected_shifts(each: Prepared) -> dict[int, int]:
    """By how much the system's frames should perhaps be raised, with how many of their two ends say so.

    One end is enough to ask: many trackers report nothing in the first frames.
    """
    numbers = each.tracks.frame_numbers
    truth, system = (numbers[side.frames] for side in (each.tracks.truth, each.tracks.system))
    ends = [truth[0] - system[0], truth[-1] - system[-1]]
    return {shift: ends.count(shift) for shift in (-1, 1) if shift in ends}


def _meeting(each: Prepared) -> int:
    """How many truth detections have any neighbour."""
    met = np.zeros(len(each.tracks.truth), dtype=bool)
    met[each.pairs.truth] = True
    return int(met.sum())


def _matches_after(each: Prepared, settings: TrackingOptions, shift: int) -> int:
    numbers = each.tracks.frame_numbers
    truth, system = (replace(side, frames=numbers[side.frames]) for side in (each.tracks.truth, each.tracks.system))
    moved = Tracks.align(each.tracks.name, truth, replace(system, frames=system.frames + shift))
    return int(candidates(moved, settings).passing(settings.threshold).sum())
