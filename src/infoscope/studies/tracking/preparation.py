"""From what was read to what is compared: checked rows on one clock, the rules of benchmarks, candidate pairs."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.studies.tracking.matching import independent
from infoscope.studies.tracking.options import TrackingOptions
from infoscope.studies.tracking.similarity import SimilarPairs, by_distance, by_overlap, by_user
from infoscope.studies.tracking.track_file import TrackFile, check
from infoscope.tables.tracks import Tracks

__all__ = ["Prepared", "Removal", "choose_rules", "prepare", "remove_ignored", "settle"]

_PEDESTRIAN = 1
_CLASSES = 13
_DISTRACTORS = {"mot16": (2, 7, 8, 12), "mot20": (2, 6, 7, 8, 12)}
"""Person on vehicle, static person, distractor, reflection; in MOT20 also the non-motorised vehicle."""


class Removal(NamedTuple):
    """The rows that stay, and how many went on either side."""

    truth: TrackFile
    system: TrackFile
    rules: str
    truth_removed: int
    system_removed: int


def choose_rules(truth: TrackFile, name: str, preprocessing: str) -> str:
    """The rules of a sequence: MOT16's where the truth has MOTChallenge classes, MOT20's where it says so."""
    if preprocessing != "auto":
        return preprocessing
    has_classes = truth.categories is not None and truth.categories.dtype.kind in "if"
    if not has_classes or truth.kind != "box":
        return "off"
    return "mot20" if "mot20" in f"{name} {truth.origin}".casefold() else "mot16"


def remove_ignored(truth: TrackFile, system: TrackFile, rules: str) -> Removal:
    """Drop system boxes that lie on a distractor, then truth that is not to be evaluated.

    A truth row whose flag is 0 is dropped under any rules.
    """
    wanted = np.ones(len(truth), dtype=bool) if truth.considered is None else truth.considered
    spared = np.ones(len(system), dtype=bool)
    if rules in _DISTRACTORS and len(truth):
        categories = _categories(truth, rules)
        spared = ~_on_distractors(truth, system, np.isin(categories, _DISTRACTORS[rules]))
        wanted = wanted & (categories == _PEDESTRIAN)
    return Removal(truth.where(wanted), system.where(spared), rules, int((~wanted).sum()), int((~spared).sum()))


def _categories(truth: TrackFile, rules: str) -> NDArray[Any]:
    """MOTChallenge's classes of the truth; by others, boxes would be dropped as if they were no pedestrians."""
    where_off = "or choose preprocessing (--preprocessing) 'off'"
    if truth.categories is None or truth.categories.dtype.kind not in "if":
        raise InputError(
            f"{truth.origin} has no classes by number, by which the rules {rules} drop boxes; give nine columns"
            f" (class and visibility last), {where_off}"
        )
    unknown = np.setdiff1d(truth.categories, np.arange(1, _CLASSES + 1))
    if len(unknown):
        raise InputError(
            f"{truth.origin}: class {unknown[0]:g} (column 8) is none of MOTChallenge's 1 to {_CLASSES}, by which the"
            f" rules {rules} drop boxes; correct it, {where_off}"
        )
    return truth.categories


def _on_distractors(truth: TrackFile, system: TrackFile, distracting: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which system boxes are matched to a distractor when all truth boxes compete; rows are in frame order."""
    removed = np.zeros(len(system), dtype=bool)
    if not len(truth) or not len(system):
        return removed
    tracks = Tracks.align("", truth.to_detections(), system.to_detections())
    matched = independent(tracks, by_overlap(tracks), 0.5)
    removed[matched.system[distracting[matched.truth]]] = True
    return removed


_EACH_ROW = {"box": "a box per row", "point": "a point per row", "id": "only an id per row"}


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
