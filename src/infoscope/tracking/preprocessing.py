"""Boxes that are not to be evaluated: MOTChallenge's rules for distractors, other classes and flags."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from infoscope.tables.tracks import Tracks
from infoscope.tracking.formats.track_file import TrackFile
from infoscope.tracking.matching import independent
from infoscope.tracking.similarity import by_overlap

__all__ = ["Removal", "choose_rules", "remove_ignored"]

_PEDESTRIAN = 1
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
    has_classes = truth.categories is not None and truth.categories.dtype.kind == "i"
    if not has_classes or truth.kind != "box":
        return "off"
    return "mot20" if "mot20" in f"{name} {truth.origin}".casefold() else "mot16"


def remove_ignored(truth: TrackFile, system: TrackFile, rules: str) -> Removal:
    """Drop system boxes that lie on a distractor, then truth that is not to be evaluated.

    A truth row whose flag is 0 is dropped under any rules.
    """
    wanted = np.ones(len(truth), dtype=bool) if truth.considered is None else truth.considered
    spared = np.ones(len(system), dtype=bool)
    if rules in _DISTRACTORS and truth.categories is not None:
        spared = ~_on_distractors(truth, system, np.isin(truth.categories, _DISTRACTORS[rules]))
        wanted = wanted & (truth.categories == _PEDESTRIAN)
    return Removal(truth.where(wanted), system.where(spared), rules, int((~wanted).sum()), int((~spared).sum()))


def _on_distractors(truth: TrackFile, system: TrackFile, distracting: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which system boxes are matched to a distractor when all truth boxes compete; rows are in frame order."""
    removed = np.zeros(len(system), dtype=bool)
    if not len(truth) or not len(system):
        return removed
    tracks = Tracks.align("", truth.to_detections(), system.to_detections())
    matched = independent(tracks, by_overlap(tracks), 0.5)
    removed[matched.system[distracting[matched.truth]]] = True
    return removed
