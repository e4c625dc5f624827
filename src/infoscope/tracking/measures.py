"""The metrics of a tracker, each a function of a tally: sum first, divide last."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from infoscope.numeric import Real, ratio, undefined_where
from infoscope.tracking.tally import Tally

__all__ = ["MEASURES", "Measure", "curve"]


class Measure(NamedTuple):
    """What is known about a metric of trackers."""

    name: str
    title: str
    better: str
    unit: str
    range: tuple[float, float]
    undefined: str
    meaning: str
    score: Callable[[Tally], Real]


def captured_bits(t: Tally) -> Real:
    """Truth information that the system's ids carry; the ledger's remainder, so below 0 by rounding only."""
    return np.maximum(t.truth_bits - t.missed_bits - t.confused_bits, 0.0)


def false_bits(t: Tally) -> Real:
    """Information in the system's ids that no truth explains."""
    return t.fragmented_bits + t.spurious_bits


def proficiency(t: Tally) -> Real:
    """Share of the truth's information that is captured."""
    return ratio(captured_bits(t), t.truth_bits)


def false_information_ratio(t: Tally) -> Real:
    """False bits over truth bits."""
    return ratio(false_bits(t), t.truth_bits)


def false_information_ratio_per_event(t: Tally) -> Real:
    """False bits of a system detection over truth bits of a truth detection."""
    return ratio(false_bits(t) * t.truth_events, t.truth_bits * t.system_events)


def mota(t: Tally) -> Real:
    """Matches less false detections and switches, over truth detections."""
    return ratio(t.matched - (t.system_boxes - t.matched) - t.id_switches, t.truth_boxes)


def curve(t: Tally) -> dict[str, Real]:
    """HOTA and its parts at each of the nineteen similarity levels."""
    either = (t.truth_boxes + t.system_boxes)[..., None] - t.level_matched
    detection = ratio(t.level_matched, either)
    nothing = t.level_matched == 0
    association = np.where(nothing, 0.0, ratio(t.level_association, t.level_matched))
    # as in TrackEval, a level that nothing reaches counts as perfectly located
    location = np.where(nothing, 1.0, ratio(t.level_similarity, t.level_matched))
    location = undefined_where(nothing[..., :1], location)
    return {
        "hota": np.sqrt(detection * association),
        "deta": detection,
        "assa": undefined_where(np.isnan(detection), association),
        "loca": location,
    }


def _mean_level(name: str) -> Callable[[Tally], Real]:
    return lambda t: np.mean(curve(t)[name], axis=-1)


_NO_BITS = "when no sequence has two truth tracks, so that there is nothing to tell apart"
_NO_TRUTH = "when there is no truth detection"
_NO_SYSTEM = "when there is no system detection"
_NOTHING = "when neither side reports anything"
_NO_MATCH = "when nothing is matched"
_INFINITE = (0.0, np.inf)
_UNIT = (0.0, 1.0)


def _ratios(false_ratio: Callable[[Tally], Real]) -> tuple[Measure, ...]:
    return (
        Measure(
            "proficiency", "captured", "higher", "ratio", _UNIT, _NO_BITS,
            "share of the information who-is-who that the system's ids carry", proficiency,
        ),
        Measure(
            "false_information_ratio", "false", "lower", "ratio", _INFINITE, _NO_BITS,
            "information in the ids that no truth explains, over the truth's", false_ratio,
        ),
        Measure(
            "erroneous_information_ratio", "erroneous", "lower", "ratio", _INFINITE, _NO_BITS,
            "missed and false information together, over the truth's",
            lambda t: 1.0 - proficiency(t) + false_ratio(t),
        ),
        Measure(
            "information_jaccard", "J", "higher", "ratio", _UNIT, _NO_BITS,
            "captured over truth and false information together",
            lambda t: proficiency(t) / (1.0 + false_ratio(t)),
        ),
        Measure(
            "truth_entropy", "H(T)", "none", "bits", _INFINITE, _NO_TRUTH,
            "bits that name the track of a truth detection", lambda t: ratio(t.truth_bits, t.truth_events),
        ),
        Measure(
            "erroneous_information", "S_I", "lower", "bits", _INFINITE, _NO_TRUTH,
            "missed and false bits of a truth detection",
            lambda t: ratio(t.truth_bits, t.truth_events) * (1.0 - proficiency(t) + false_ratio(t)),
        ),
    )


_CONVENTIONAL = (
    Measure("mota", "MOTA", "higher", "ratio", (-np.inf, 1.0), _NO_TRUTH,
            "1 less misses, false detections and id switches, over truth detections", mota),
    Measure("motp", "MOTP", "higher", "ratio", _UNIT, _NO_MATCH,
            "mean similarity of matches", lambda t: ratio(t.similarity, t.matched)),
    Measure("recall", "recall", "higher", "ratio", _UNIT, _NO_TRUTH,
            "share of truth detections matched", lambda t: ratio(t.matched, t.truth_boxes)),
    Measure("precision", "precision", "higher", "ratio", _UNIT, _NO_SYSTEM,
            "share of system detections matched", lambda t: ratio(t.matched, t.system_boxes)),
    Measure("id_switches", "id switches", "lower", "count", _INFINITE, "never",
            "times a truth track goes on under another id", lambda t: t.id_switches),
    Measure("fragmentations", "fragmentations", "lower", "count", _INFINITE, "never",
            "times a truth track is lost and found again", lambda t: t.fragmentations),
    Measure("mostly_tracked", "mostly tracked", "higher", "count", _INFINITE, "never",
            "truth tracks matched in more than 80 % of their frames", lambda t: t.mostly_tracked),
    Measure("partly_tracked", "partly tracked", "none", "count", _INFINITE, "never",
            "truth tracks matched in 20 % to 80 % of their frames", lambda t: t.partly_tracked),
    Measure("mostly_lost", "mostly lost", "lower", "count", _INFINITE, "never",
            "truth tracks matched in less than 20 % of their frames",
            lambda t: t.truth_tracks - t.mostly_tracked - t.partly_tracked),
    Measure("idf1", "IDF1", "higher", "ratio", _UNIT, _NOTHING,
            "share of both sides' detections under the one best id",
            lambda t: ratio(2.0 * t.id_matched, t.truth_boxes + t.system_boxes)),
    Measure("idp", "IDP", "higher", "ratio", _UNIT, _NO_SYSTEM,
            "share of system detections under the one best id",
            lambda t: ratio(t.id_matched, t.system_boxes)),
    Measure("idr", "IDR", "higher", "ratio", _UNIT, _NO_TRUTH,
            "share of truth detections under the one best id",
            lambda t: ratio(t.id_matched, t.truth_boxes)),
    Measure("hota", "HOTA", "higher", "ratio", _UNIT, _NOTHING,
            "detection and association together, over similarity levels", _mean_level("hota")),
    Measure("deta", "DetA", "higher", "ratio", _UNIT, _NOTHING,
            "detection part of HOTA", _mean_level("deta")),
    Measure("assa", "AssA", "higher", "ratio", _UNIT, _NOTHING,
            "association part of HOTA", _mean_level("assa")),
    Measure("loca", "LocA", "higher", "ratio", _UNIT, _NO_MATCH,
            "localisation part of HOTA", _mean_level("loca")),
)

_CONTINUITY = (
    Measure("truth_completeness", "truth completeness", "higher", "ratio", _UNIT, _NO_TRUTH,
            "share of its frames in which a truth track is matched, mean over truth tracks",
            lambda t: ratio(t.truth_covered, t.truth_tracks)),
    Measure("track_completeness", "track completeness", "higher", "ratio", _UNIT, _NO_SYSTEM,
            "share of its frames in which a system track is on a truth, mean over system tracks",
            lambda t: ratio(t.system_covered, t.system_tracks)),
    Measure("truth_continuity", "truth continuity", "higher", "ratio", _UNIT, _NO_TRUTH,
            "longest run of a truth track under one id over its length, mean over truth tracks",
            lambda t: ratio(t.truth_longest, t.truth_tracks)),
    Measure("track_continuity", "track continuity", "higher", "ratio", _UNIT, _NO_SYSTEM,
            "longest run of a system track on one truth over its length, mean over system tracks",
            lambda t: ratio(t.system_longest, t.system_tracks)),
    Measure("swaps", "swaps", "lower", "count", _INFINITE, "never",
            "id switches in which the new id last followed another truth", lambda t: t.swaps),
    Measure("breaks", "breaks", "lower", "count", _INFINITE, "never",
            "id switches to an id that last followed no other truth", lambda t: t.id_switches - t.swaps),
    Measure("track_lifetime", "track lifetime", "higher", "frames", _INFINITE, _NO_SYSTEM,
            "frames of a system track, mean over system tracks",
            lambda t: ratio(t.system_boxes, t.system_tracks)),
)

MEASURES: dict[str, tuple[Measure, ...]] = {
    "truth": (*_ratios(false_information_ratio), *_CONVENTIONAL, *_CONTINUITY),
    "event": (*_ratios(false_information_ratio_per_event), *_CONVENTIONAL, *_CONTINUITY),
}
"""The metrics under either convention of what the false bits are counted per."""
