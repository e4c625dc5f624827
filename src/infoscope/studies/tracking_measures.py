"""Metrics of a tracker: what each track adds (``TrackSums``), and every metric as a function of such sums.

All metrics are plain functions of sums over tracks. That is why sequences combine by addition, why an interval is a
matter of leaving a row out, and why a metric is written once for one set of sums or a batch. ``tracking_matching.py``
fills the sums. A new metric is a function with its card here and its name in the tuple of its family; if it needs a sum
of its own, also a field of ``TrackSums``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from infoscope.core.numerics import Real, as_real, mark_undefined, ratio
from infoscope.metrics.registry import Card, Metric, describe_metric, register

LEVELS = np.arange(0.05, 0.99, 0.05)
"""HOTA's nineteen similarity levels."""

_NO_BITS = "no sequence has two truth tracks, so there is nothing to distinguish"
_NO_TRUTH = "there is no truth detection"
_NO_SYSTEM = "there is no system detection"
_NO_TRUTH_TRACK = "there is no truth track"
_NO_SYSTEM_TRACK = "there is no system track"
_NOTHING = "neither side reports anything"
_NO_MATCH = "nothing is matched"
_POSITIVE = (0.0, np.inf)


class TrackSums(NamedTuple):
    """Sums over tracks, with any leading axes; those of HOTA have a last axis of levels."""

    truth_boxes: Real
    system_boxes: Real
    truth_tracks: Real
    system_tracks: Real
    matched: Real
    similarity: Real
    id_switches: Real
    fragmentations: Real
    mostly_tracked: Real
    partly_tracked: Real
    id_matched: Real
    truth_covered: Real
    truth_longest: Real
    system_covered: Real
    system_longest: Real
    swaps: Real
    transfers: Real
    truth_events: Real
    system_events: Real
    truth_bits: Real
    missed_bits: Real
    confused_bits: Real
    fragmented_bits: Real
    spurious_bits: Real
    level_matched: Real
    level_association: Real
    level_similarity: Real

    @classmethod
    def zeros(cls, size: int) -> Self:
        """Return zeros for this many tracks."""
        flat = len(cls._fields) - 3
        return cls(*(np.zeros(size) for _ in range(flat)), *(np.zeros((size, len(LEVELS))) for _ in range(3)))

    @property
    def tracks(self) -> int:
        """Number of rows."""
        return len(self.truth_boxes)

    def total(self) -> Self:
        """Return the sum over the rows."""
        return type(self)(*(part.sum(axis=0) for part in self))

    def without_each(self) -> Self:
        """Return the total without each row in turn, at the scale of the whole."""
        scale = self.tracks / (self.tracks - 1)
        return type(self)(*((part.sum(axis=0) - part) * scale for part in self))

    def removed_from(self, whole: Self) -> Self:
        """Return the whole less each row in turn."""
        return type(self)(*(total - part for total, part in zip(whole, self, strict=True)))


def join(sums: Iterable[TrackSums]) -> TrackSums:
    """Put rows under rows."""
    return TrackSums(*(np.concatenate(parts) for parts in zip(*sums, strict=True)))


def stack(totals: Iterable[TrackSums]) -> TrackSums:
    """Make one row of each total."""
    return TrackSums(*(np.stack(parts) for parts in zip(*totals, strict=True)))


Score: TypeAlias = Callable[[TrackSums], Real]


def get_measures(per: str = "truth") -> tuple[Metric, ...]:
    """Return all metrics, with false bits counted per truth bit or per event of either side."""
    return (*get_information_measures(per), *CONVENTIONAL, *COUNTS, *CONTINUITY)


def compute_values(sums: TrackSums, per: str = "truth") -> dict[str, Real]:
    """Return the value of every metric, for one set of sums or a batch."""
    return {entry.name: entry.score(sums) for entry in get_measures(per)}


def measure(card: Card) -> Callable[[Score], Metric]:
    """Register a function as a metric of tracks; its first sentence becomes the card's meaning."""
    return lambda score: register(describe_metric(score, card, domain="tracks"))


# Information: what the ids tell about who was where, over what there is to tell ---------------------------------------


def captured_bits(sums: TrackSums) -> Real:
    """Return the truth's information that the ids carry: what the ledger leaves, so below 0 by rounding only."""
    return np.maximum(sums.truth_bits - sums.missed_bits - sums.confused_bits, 0.0)


def false_bits(sums: TrackSums) -> Real:
    """Return the information in the ids that no truth explains."""
    return sums.fragmented_bits + sums.spurious_bits


@measure(
    Card(
        title="Proficiency",
        symbol="f",
        formula=r"\frac{\mathrm{captured}}{\mathrm{truth}}",
        source="holt2010",
        aliases=("truth information completeness", "captured"),
        undefined=_NO_BITS,
    )
)
def proficiency(sums: TrackSums) -> Real:
    """Fraction of the information about who was where that the system's ids carry."""
    return ratio(captured_bits(sums), sums.truth_bits)


@measure(
    Card(
        title="Truth entropy",
        symbol="H(T)",
        formula=r"\sum_t \frac{R_t}{N_T} \log_2 \frac{N_T}{R_t}",
        source="holt2010",
        range=_POSITIVE,
        better="none",
        unit="bits",
        undefined=_NO_TRUTH,
    )
)
def truth_entropy(sums: TrackSums) -> Real:
    """Bits needed to name the track of a truth detection within its sequence."""
    return ratio(sums.truth_bits, sums.truth_events)


def get_information_measures(per: str) -> tuple[Metric, ...]:
    """Return the information metrics, with false bits counted over truth bits or each side per own detection."""
    false = _false_per_truth if per == "truth" else _false_per_event
    return (
        proficiency,
        replace(false, name="false_information_ratio"),
        *_weigh_errors(false.score),
        truth_entropy,
    )


@measure(
    Card(
        title="False information ratio",
        symbol="r",
        formula=r"\frac{\mathrm{fragmented} + \mathrm{spurious}}{\mathrm{truth}}",
        source="holt2010",
        range=_POSITIVE,
        better="lower",
        undefined=_NO_BITS,
    )
)
def _false_per_truth(sums: TrackSums) -> Real:
    """Information in the system's ids that no truth track explains, relative to the truth's information."""
    return ratio(false_bits(sums), sums.truth_bits)


@measure(
    Card(
        title="False information ratio",
        symbol="r",
        formula=r"\frac{(\mathrm{fragmented} + \mathrm{spurious}) / N_S}{\mathrm{truth} / N_T}",
        source="holt2010",
        range=_POSITIVE,
        better="lower",
        undefined=_NO_BITS,
    )
)
def _false_per_event(sums: TrackSums) -> Real:
    """False information of a system detection, over the truth's information of a truth detection."""
    false = false_bits(sums)
    silent = false == 0.0  # an empty output says nothing false
    return np.where(
        silent & (sums.truth_bits > 0),
        0.0,
        ratio(false * sums.truth_events, sums.truth_bits * sums.system_events),
    )[()]


def _weigh_errors(false: Score) -> tuple[Metric, ...]:
    """Return the metrics that weigh captured against false information."""

    @measure(
        Card(
            title="Erroneous information ratio",
            symbol="S_I/H(T)",
            formula=r"1 - f + r",
            source="holt2010",
            range=_POSITIVE,
            better="lower",
            undefined=_NO_BITS,
        )
    )
    def erroneous_information_ratio(sums: TrackSums) -> Real:
        """Missed, confused, fragmented and spurious information relative to the truth's information."""
        return ratio(sums.missed_bits + sums.confused_bits, sums.truth_bits) + false(sums)

    @measure(
        Card(
            title="Erroneous information",
            symbol="S_I",
            formula=r"(1 - f + r) H(T)",
            source="holt2010",
            range=_POSITIVE,
            better="lower",
            unit="bits",
            undefined=_NO_BITS,
        )
    )
    def erroneous_information(sums: TrackSums) -> Real:
        """Lost and false bits per truth detection."""
        return erroneous_information_ratio.score(sums) * truth_entropy.score(sums)

    @measure(
        Card(
            title="Information Jaccard",
            symbol="J",
            formula=r"\frac{f}{1 + r}",
            source="holt2010",
            note="Ours: bounded companion of f and r; I/H(T,S) when nothing is missed or false.",
            undefined=_NO_BITS,
        )
    )
    def information_jaccard(sums: TrackSums) -> Real:
        """Captured information divided by the truth's information plus the false information."""
        return proficiency.score(sums) / (1.0 + false(sums))

    return erroneous_information_ratio, erroneous_information, information_jaccard


# CLEAR, Identity and HOTA, to the digit as TrackEval has them, but undefined where there is nothing to divide by ------


def compute_curve(sums: TrackSums) -> dict[str, Real]:
    """Return HOTA and its parts at each of the nineteen similarity levels."""
    detection, association = _detection(sums), _association(sums)
    return {
        "hota": np.sqrt(detection * association),
        "deta": detection,
        "assa": association,
        "loca": _location(sums),
    }


def _detection(sums: TrackSums) -> Real:
    """Return the matches over everything that either side reports."""
    return ratio(sums.level_matched, (sums.truth_boxes + sums.system_boxes)[..., None] - sums.level_matched)


def _association(sums: TrackSums) -> Real:
    """Return the mean agreement of the tracks of a match; 0 where nothing is matched."""
    nothing = (sums.truth_boxes + sums.system_boxes == 0)[..., None]
    score = np.where(sums.level_matched <= 0, 0.0, ratio(sums.level_association, sums.level_matched))
    return mark_undefined(nothing, score)


def _location(sums: TrackSums) -> Real:
    """Return the mean similarity of matches; a level without any counts as 1, as in TrackEval, unless all are."""
    unmatched = sums.level_matched <= 0
    score = np.where(unmatched, 1.0, ratio(sums.level_similarity, sums.level_matched))
    return mark_undefined(unmatched[..., :1], score)


@measure(
    Card(
        title="MOTA",
        symbol="MOTA",
        formula=r"1 - \frac{FN + FP + IDSW}{N_T}",
        source="bernardin2008",
        range=(-np.inf, 1.0),
        undefined=_NO_TRUTH,
    )
)
def mota(sums: TrackSums) -> Real:
    """1 minus the misses, false detections and id switches per truth detection."""
    false = sums.system_boxes - sums.matched
    return ratio(sums.matched - false - sums.id_switches, sums.truth_boxes)


@measure(
    Card(
        title="MOTP",
        symbol="MOTP",
        formula=r"\frac{\sum \mathrm{similarity}}{TP}",
        source="bernardin2008",
        undefined=_NO_MATCH,
    )
)
def motp(sums: TrackSums) -> Real:
    """Mean similarity of matched detections."""
    return ratio(sums.similarity, sums.matched)


@measure(Card(title="Recall", symbol="recall", formula=r"TP / N_T", source="common", undefined=_NO_TRUTH))
def recall(sums: TrackSums) -> Real:
    """Fraction of truth detections that are matched."""
    return ratio(sums.matched, sums.truth_boxes)


@measure(Card(title="Precision", symbol="precision", formula=r"TP / N_S", source="common", undefined=_NO_SYSTEM))
def precision(sums: TrackSums) -> Real:
    """Fraction of system detections that are matched."""
    return ratio(sums.matched, sums.system_boxes)


@measure(
    Card(
        title="Id switches",
        symbol="IDSW",
        formula=r"\sum_t IDSW_t",
        source="bernardin2008",
        range=_POSITIVE,
        better="lower",
        unit="count",
    )
)
def id_switches(sums: TrackSums) -> Real:
    """Number of times a truth track continues under another id."""
    return sums.id_switches


@measure(
    Card(
        title="Fragmentations",
        symbol="Frag",
        formula=r"\sum_t \mathrm{Frag}_t",
        source="bernardin2008",
        range=_POSITIVE,
        better="lower",
        unit="count",
    )
)
def fragmentations(sums: TrackSums) -> Real:
    """Number of times a truth track is lost and found again."""
    return sums.fragmentations


@measure(
    Card(
        title="Mostly tracked",
        symbol="MT",
        formula=r"|\{t : TP_t > 0.8 R_t\}|",
        source="bernardin2008",
        range=_POSITIVE,
        unit="count",
    )
)
def mostly_tracked(sums: TrackSums) -> Real:
    """Truth tracks that are matched in more than 80 % of their frames."""
    return sums.mostly_tracked


@measure(
    Card(
        title="Partly tracked",
        symbol="PT",
        formula=r"|\{t : 0.2 R_t \le TP_t \le 0.8 R_t\}|",
        source="bernardin2008",
        range=_POSITIVE,
        better="none",
        unit="count",
    )
)
def partly_tracked(sums: TrackSums) -> Real:
    """Truth tracks that are matched in 20 % to 80 % of their frames."""
    return sums.partly_tracked


@measure(
    Card(
        title="Mostly lost",
        symbol="ML",
        formula=r"|\{t : TP_t < 0.2 R_t\}|",
        source="bernardin2008",
        range=_POSITIVE,
        better="lower",
        unit="count",
    )
)
def mostly_lost(sums: TrackSums) -> Real:
    """Truth tracks that are matched in less than 20 % of their frames."""
    return sums.truth_tracks - sums.mostly_tracked - sums.partly_tracked


@measure(
    Card(
        title="IDF1",
        symbol="IDF1",
        formula=r"\frac{2 IDTP}{N_T + N_S}",
        source="ristani2016",
        undefined=_NOTHING,
    )
)
def idf1(sums: TrackSums) -> Real:
    """Fraction of both sides' detections that have the best id of their track."""
    return ratio(2.0 * sums.id_matched, sums.truth_boxes + sums.system_boxes)


@measure(Card(title="IDP", symbol="IDP", formula=r"IDTP / N_S", source="ristani2016", undefined=_NO_SYSTEM))
def idp(sums: TrackSums) -> Real:
    """Fraction of system detections that have the best id of their track."""
    return ratio(sums.id_matched, sums.system_boxes)


@measure(Card(title="IDR", symbol="IDR", formula=r"IDTP / N_T", source="ristani2016", undefined=_NO_TRUTH))
def idr(sums: TrackSums) -> Real:
    """Fraction of truth detections that have the best id of their track."""
    return ratio(sums.id_matched, sums.truth_boxes)


@measure(
    Card(
        title="HOTA",
        symbol="HOTA",
        formula=r"\frac{1}{19} \sum_\alpha \sqrt{\mathrm{DetA}_\alpha \mathrm{AssA}_\alpha}",
        source="luiten2021",
        undefined=_NOTHING,
    )
)
def hota(sums: TrackSums) -> Real:
    """Geometric mean of detection and association, averaged over similarity levels."""
    return as_real(np.mean(np.sqrt(_detection(sums) * _association(sums)), axis=-1))


@measure(
    Card(
        title="DetA",
        symbol="DetA",
        formula=r"\frac{1}{19} \sum_\alpha \frac{TP}{TP + FN + FP}",
        source="luiten2021",
        undefined=_NOTHING,
    )
)
def deta(sums: TrackSums) -> Real:
    """Detection part of HOTA: matches divided by all detections of either side."""
    return as_real(np.mean(_detection(sums), axis=-1))


@measure(
    Card(
        title="AssA",
        symbol="AssA",
        formula=r"\frac{1}{19} \sum_\alpha \frac{1}{TP} \sum_{c \in TP} \frac{TPA}{TPA + FNA + FPA}",
        source="luiten2021",
        undefined=_NOTHING,
    )
)
def assa(sums: TrackSums) -> Real:
    """Association part of HOTA: how well the two tracks of a match agree over the sequence."""
    return as_real(np.mean(_association(sums), axis=-1))


@measure(
    Card(
        title="LocA",
        symbol="LocA",
        formula=r"\frac{1}{19} \sum_\alpha \frac{1}{TP} \sum_{c \in TP} \mathrm{similarity}",
        source="luiten2021",
        undefined=_NO_MATCH,
    )
)
def loca(sums: TrackSums) -> Real:
    """Localisation part of HOTA: mean similarity of the matches, averaged over similarity levels."""
    return as_real(np.mean(_location(sums), axis=-1))


CONVENTIONAL: tuple[Metric, ...] = (
    mota, motp, recall, precision, id_switches, fragmentations, mostly_tracked, partly_tracked, mostly_lost,
    idf1, idp, idr, hota, deta, assa, loca,
)  # fmt: skip


def _count_card(title: str, symbol: str, formula: str, source: str, *aliases: str) -> Card:
    return Card(title, symbol, formula, source, _POSITIVE, "lower", "count", aliases)


@measure(_count_card("False detections", "FP", r"N_S - TP", "bernardin2008", "false positives", "num_false_positives"))
def false_positives(sums: TrackSums) -> Real:
    """System detections that are not matched."""
    return sums.system_boxes - sums.matched


@measure(_count_card("Misses", "FN", r"N_T - TP", "bernardin2008", "false negatives", "num_misses"))
def false_negatives(sums: TrackSums) -> Real:
    """Truth detections that are not matched."""
    return sums.truth_boxes - sums.matched


@measure(
    Card(
        title="Detections under the right id",
        symbol="IDTP",
        formula=r"\sum_t IDTP_t",
        source="ristani2016",
        range=_POSITIVE,
        unit="count",
        aliases=("IDTP",),
    )
)
def id_true_positives(sums: TrackSums) -> Real:
    """Detections that have the best id of their track."""
    return sums.id_matched


@measure(_count_card("System detections under a wrong id", "IDFP", r"N_S - IDTP", "ristani2016", "IDFP"))
def id_false_positives(sums: TrackSums) -> Real:
    """System detections that do not have the best id of a truth track."""
    return sums.system_boxes - sums.id_matched


@measure(_count_card("Truth detections under no right id", "IDFN", r"N_T - IDTP", "ristani2016", "IDFN"))
def id_false_negatives(sums: TrackSums) -> Real:
    """Truth detections that are not matched by the best id of their track."""
    return sums.truth_boxes - sums.id_matched


@measure(
    _count_card("Transfers", "transfers", r"\sum_s \mathrm{transfers}_s", "common", "track transfers", "num_transfer")
)
def transfers(sums: TrackSums) -> Real:
    """Number of times a system track moves on to another truth track that had another id before, or none.

    These are py-motmetrics' transfers; a return to a truth track that kept the id does not count.
    """
    return sums.transfers


COUNTS: tuple[Metric, ...] = (
    false_positives, false_negatives, id_true_positives, id_false_positives, id_false_negatives, transfers,
)  # fmt: skip


# Hurley's seven tracker metrics: the names are those of his slide, the definitions below ours -------------------------

_DEFINED_HERE = "The slides name this metric without a definition; this one is ours."


@measure(
    Card(
        title="Truth completeness",
        symbol="",
        formula=r"\frac{1}{K} \sum_t TP_t / R_t",
        source="hurley2014",
        note=_DEFINED_HERE,
        undefined=_NO_TRUTH_TRACK,
    )
)
def truth_completeness(sums: TrackSums) -> Real:
    """Fraction of frames in which a truth track is matched, mean over truth tracks."""
    return ratio(sums.truth_covered, sums.truth_tracks)


@measure(
    Card(
        title="Track completeness",
        symbol="",
        formula=r"\frac{1}{M} \sum_s TP_s / c_s",
        source="hurley2014",
        note=_DEFINED_HERE,
        undefined=_NO_SYSTEM_TRACK,
    )
)
def track_completeness(sums: TrackSums) -> Real:
    """Fraction of frames in which a system track is matched, mean over system tracks."""
    return ratio(sums.system_covered, sums.system_tracks)


@measure(
    Card(
        title="Truth continuity",
        symbol="",
        formula=r"\frac{1}{K} \sum_t \mathrm{run}_t / R_t",
        source="hurley2014",
        note=_DEFINED_HERE,
        undefined=_NO_TRUTH_TRACK,
    )
)
def truth_continuity(sums: TrackSums) -> Real:
    """Longest run of a truth track under one id, divided by its length; mean over truth tracks."""
    return ratio(sums.truth_longest, sums.truth_tracks)


@measure(
    Card(
        title="Track continuity",
        symbol="",
        formula=r"\frac{1}{M} \sum_s \mathrm{run}_s / c_s",
        source="hurley2014",
        note=_DEFINED_HERE,
        undefined=_NO_SYSTEM_TRACK,
    )
)
def track_continuity(sums: TrackSums) -> Real:
    """Longest run of a system track on one truth track, divided by its length; mean over system tracks."""
    return ratio(sums.system_longest, sums.system_tracks)


@measure(
    Card(
        title="Swaps",
        symbol="",
        formula=r"IDSW - \mathrm{breaks}",
        source="hurley2014",
        note=_DEFINED_HERE,
        range=_POSITIVE,
        better="lower",
        unit="count",
    )
)
def swaps(sums: TrackSums) -> Real:
    """Id switches in which the new id last followed another truth track."""
    return sums.swaps


@measure(
    Card(
        title="Breaks",
        symbol="",
        formula=r"IDSW - \mathrm{swaps}",
        source="hurley2014",
        note=_DEFINED_HERE,
        range=_POSITIVE,
        better="lower",
        unit="count",
    )
)
def breaks(sums: TrackSums) -> Real:
    """Id switches in which the new id did not last follow another truth track."""
    return sums.id_switches - sums.swaps


@measure(
    Card(
        title="Track lifetime",
        symbol="",
        formula=r"\frac{1}{M} \sum_s c_s",
        source="hurley2014",
        note=_DEFINED_HERE,
        range=_POSITIVE,
        unit="count",
        undefined=_NO_SYSTEM_TRACK,
    )
)
def track_lifetime(sums: TrackSums) -> Real:
    """Mean number of frames of a system track."""
    return ratio(sums.system_boxes, sums.system_tracks)


CONTINUITY: tuple[Metric, ...] = (
    truth_completeness, track_completeness, truth_continuity, track_continuity, swaps, breaks, track_lifetime,
)  # fmt: skip


for _entry in get_measures():
    register(_entry)
