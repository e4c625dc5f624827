"""From what was read to what is compared: checked rows on one clock, and the pairs that could match."""

from dataclasses import dataclass, replace

import numpy as np

from infoscope.errors import InputError
from infoscope.numeric import Real
from infoscope.tables.tracks import Tracks
from infoscope.tracking.formats.track_file import TrackFile, check
from infoscope.tracking.options import TrackingOptions
from infoscope.tracking.preprocessing import Removal, choose_rules, remove_ignored
from infoscope.tracking.similarity import SimilarPairs, by_distance, by_overlap, by_user

__all__ = ["Prepared", "prepare", "settle"]

_EACH_ROW = {"box": "a box a row", "point": "a point a row", "id": "only an id a row"}


@dataclass(frozen=True, eq=False)
class Prepared:
    """One sequence ready to be matched."""

    tracks: Tracks
    pairs: SimilarPairs
    removal: Removal


def settle(settings: TrackingOptions, readings: list[TrackFile]) -> TrackingOptions:
    """The settings with what was left open decided by the kind of data: overlap for boxes, distance for points."""
    similarity = settings.similarity
    if similarity == "auto":
        points = any(reading.kind == "point" for reading in readings)
        similarity = "distance" if points else "overlap"
    gate = settings.gate
    if gate is None:
        if similarity == "distance":
            raise InputError(
                "the tracks are points and no gate is given; say with gate (--gate) up to which distance a"
                " system point may belong to a truth point"
            )
        gate = 0.5
    return replace(settings, similarity=similarity, gate=gate)


def prepare(name: str, truth: TrackFile, system: TrackFile, settings: TrackingOptions) -> Prepared:
    """Check both sides, remove what is not to be evaluated, and find the candidate pairs."""
    truth, system = check(truth, settings.duplicates), check(system, settings.duplicates)
    removal = remove_ignored(truth, system, choose_rules(truth, name, settings.preprocessing))
    truth, system = (_shaped(side, settings, name) for side in (removal.truth, removal.system))
    _check_dimensions(truth, system, settings)
    tracks = Tracks.align(name, truth.to_detections(), system.to_detections())
    return Prepared(tracks, candidates(tracks, settings), removal)


def candidates(tracks: Tracks, settings: TrackingOptions) -> SimilarPairs:
    """Pairs of one frame with any likeness at all."""
    if not isinstance(settings.similarity, str):
        return by_user(tracks, settings.similarity)
    if not len(tracks.truth) or not len(tracks.system):
        return SimilarPairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    if settings.similarity == "distance":
        return by_distance(tracks, settings.zero_at)
    return by_overlap(tracks)


def _shaped(side: TrackFile, settings: TrackingOptions, name: str) -> TrackFile:
    """The rows in the shape that the similarity needs; a box may stand for its centre."""
    if side.kind == "nothing" or not isinstance(settings.similarity, str):
        return side
    if settings.similarity == "distance" and side.kind == "box":
        return replace(side, shapes=_centres(side.shapes))
    wanted = "box" if settings.similarity == "overlap" else "point"
    if side.kind != wanted:
        raise InputError(
            f"{side.origin} (sequence {name!r}) has {_EACH_ROW[side.kind]} where {settings.similarity} needs a"
            f" {wanted}; choose similarity 'distance' with a gate, or give a matrix for each frame"
        )
    return side


def _check_dimensions(truth: TrackFile, system: TrackFile, settings: TrackingOptions) -> None:
    if settings.similarity != "distance" or "nothing" in (truth.kind, system.kind):
        return
    expected, found = truth.shapes.shape[1], system.shapes.shape[1]
    if expected != found:
        raise InputError(
            f"{truth.origin} has places in {expected} dimensions and {system.origin} in {found}; give both sides the"
            " same coordinates"
        )


def _centres(boxes: Real) -> Real:
    return boxes[:, :2] + boxes[:, 2:] / 2
