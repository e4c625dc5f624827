"""CLEAR, Identity and HOTA, to the digit as TrackEval has them, but undefined where there is nothing to divide by."""

import numpy as np

from infoscope.core.numerics import Real, as_real, ratio, undefined_where
from infoscope.metrics.registry import Card, Metric
from infoscope.studies.tracking.sums import TrackSums, measure

__all__ = ["CONVENTIONAL", "COUNTS", "Curve", "curve"]

_NO_TRUTH = "there is no truth detection"
_NO_SYSTEM = "there is no system detection"
_NOTHING = "neither side reports anything"
_NO_MATCH = "nothing is matched"
_COUNT = (0.0, np.inf)

Curve = dict[str, Real]


def curve(tally: TrackSums) -> Curve:
    """HOTA and its parts at each of the nineteen similarity levels."""
    detection, association = _detection(tally), _association(tally)
    return {
        "hota": np.sqrt(detection * association),
        "deta": detection,
        "assa": association,
        "loca": _location(tally),
    }


def _detection(tally: TrackSums) -> Real:
    """Matches over everything that either side reports."""
    return ratio(tally.level_matched, (tally.truth_boxes + tally.system_boxes)[..., None] - tally.level_matched)


def _association(tally: TrackSums) -> Real:
    """Mean agreement of the tracks of a match; 0 where nothing is matched."""
    nothing = (tally.truth_boxes + tally.system_boxes == 0)[..., None]
    score = np.where(tally.level_matched <= 0, 0.0, ratio(tally.level_association, tally.level_matched))
    return undefined_where(nothing, score)


def _location(tally: TrackSums) -> Real:
    """Mean similarity of matches; a level that nothing reaches counts as perfect, as in TrackEval, unless none is."""
    unmatched = tally.level_matched <= 0
    score = np.where(unmatched, 1.0, ratio(tally.level_similarity, tally.level_matched))
    return undefined_where(unmatched[..., :1], score)


def _over_levels(values: Real) -> Real:
    return as_real(np.mean(values, axis=-1))


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
def mota(tally: TrackSums) -> Real:
    """1 minus the misses, false detections and id switches per truth detection."""
    false = tally.system_boxes - tally.matched
    return ratio(tally.matched - false - tally.id_switches, tally.truth_boxes)


@measure(
    Card(
        title="MOTP",
        symbol="MOTP",
        formula=r"\frac{\sum \mathrm{similarity}}{TP}",
        source="bernardin2008",
        undefined=_NO_MATCH,
    )
)
def motp(tally: TrackSums) -> Real:
    """Mean similarity of matched detections."""
    return ratio(tally.similarity, tally.matched)


@measure(Card(title="Recall", symbol="recall", formula=r"TP / N_T", source="common", undefined=_NO_TRUTH))
def recall(tally: TrackSums) -> Real:
    """Fraction of truth detections that are matched."""
    return ratio(tally.matched, tally.truth_boxes)


@measure(Card(title="Precision", symbol="precision", formula=r"TP / N_S", source="common", undefined=_NO_SYSTEM))
def precision(tally: TrackSums) -> Real:
    """Fraction of system detections that are matched."""
    return ratio(tally.matched, tally.system_boxes)


@measure(
    Card(
        title="Id switches",
        symbol="IDSW",
        formula=r"\sum_t IDSW_t",
        source="bernardin2008",
        range=_COUNT,
        better="lower",
        unit="count",
    )
)
def id_switches(tally: TrackSums) -> Real:
    """Number of times a truth track continues under another id."""
    return tally.id_switches


@measure(
    Card(
        title="Fragmentations",
        symbol="Frag",
        formula=r"\sum_t \mathrm{Frag}_t",
        source="bernardin2008",
        range=_COUNT,
        better="lower",
        unit="count",
    )
)
def fragmentations(tally: TrackSums) -> Real:
    """Number of times a truth track is lost and found again."""
    return tally.fragmentations


@measure(
    Card(
        title="Mostly tracked",
        symbol="MT",
        formula=r"|\{t : TP_t > 0.8 R_t\}|",
        source="bernardin2008",
        range=_COUNT,
        unit="count",
    )
)
def mostly_tracked(tally: TrackSums) -> Real:
    """Truth tracks that are matched in more than 80 % of their frames."""
    return tally.mostly_tracked


@measure(
    Card(
        title="Partly tracked",
        symbol="PT",
        formula=r"|\{t : 0.2 R_t \le TP_t \le 0.8 R_t\}|",
        source="bernardin2008",
        range=_COUNT,
        better="none",
        unit="count",
    )
)
def partly_tracked(tally: TrackSums) -> Real:
    """Truth tracks that are matched in 20 % to 80 % of their frames."""
    return tally.partly_tracked


@measure(
    Card(
        title="Mostly lost",
        symbol="ML",
        formula=r"|\{t : TP_t < 0.2 R_t\}|",
        source="bernardin2008",
        range=_COUNT,
        better="lower",
        unit="count",
    )
)
def mostly_lost(tally: TrackSums) -> Real:
    """Truth tracks that are matched in less than 20 % of their frames."""
    return tally.truth_tracks - tally.mostly_tracked - tally.partly_tracked


@measure(
    Card(
        title="IDF1",
        symbol="IDF1",
        formula=r"\frac{2 IDTP}{N_T + N_S}",
        source="ristani2016",
        undefined=_NOTHING,
    )
)
def idf1(tally: TrackSums) -> Real:
    """Fraction of both sides' detections that have the best id of their track."""
    return ratio(2.0 * tally.id_matched, tally.truth_boxes + tally.system_boxes)


@measure(Card(title="IDP", symbol="IDP", formula=r"IDTP / N_S", source="ristani2016", undefined=_NO_SYSTEM))
def idp(tally: TrackSums) -> Real:
    """Fraction of system detections that have the best id of their track."""
    return ratio(tally.id_matched, tally.system_boxes)


@measure(Card(title="IDR", symbol="IDR", formula=r"IDTP / N_T", source="ristani2016", undefined=_NO_TRUTH))
def idr(tally: TrackSums) -> Real:
    """Fraction of truth detections that have the best id of their track."""
    return ratio(tally.id_matched, tally.truth_boxes)


@measure(
    Card(
        title="HOTA",
        symbol="HOTA",
        formula=r"\frac{1}{19} \sum_\alpha \sqrt{\mathrm{DetA}_\alpha \mathrm{AssA}_\alpha}",
        source="luiten2021",
        undefined=_NOTHING,
    )
)
def hota(tally: TrackSums) -> Real:
    """Geometric mean of detection and association, averaged over similarity levels."""
    return _over_levels(np.sqrt(_detection(tally) * _association(tally)))


@measure(
    Card(
        title="DetA",
        symbol="DetA",
        formula=r"\frac{1}{19} \sum_\alpha \frac{TP}{TP + FN + FP}",
        source="luiten2021",
        undefined=_NOTHING,
    )
)
def deta(tally: TrackSums) -> Real:
    """Detection part of HOTA: matches divided by all detections of either side."""
    return _over_levels(_detection(tally))


@measure(
    Card(
        title="AssA",
        symbol="AssA",
        formula=r"\frac{1}{19} \sum_\alpha \frac{1}{TP} \sum_{c \in TP} \frac{TPA}{TPA + FNA + FPA}",
        source="luiten2021",
        undefined=_NOTHING,
    )
)
def assa(tally: TrackSums) -> Real:
    """Association part of HOTA: how well the two tracks of a match agree over the sequence."""
    return _over_levels(_association(tally))


@measure(
    Card(
        title="LocA",
        symbol="LocA",
        formula=r"\frac{1}{19} \sum_\alpha \frac{1}{TP} \sum_{c \in TP} \mathrm{similarity}",
        source="luiten2021",
        undefined=_NO_MATCH,
    )
)
def loca(tally: TrackSums) -> Real:
    """Localisation part of HOTA: mean similarity of the matches, averaged over similarity levels."""
    return _over_levels(_location(tally))


CONVENTIONAL: tuple[Metric, ...] = (
    mota, motp, recall, precision, id_switches, fragmentations, mostly_tracked, partly_tracked, mostly_lost,
    idf1, idp, idr, hota, deta, assa, loca,
)  # fmt: skip


def _count(title: str, symbol: str, formula: str, source: str, *aliases: str) -> Card:
    return Card(title, symbol, formula, source, (0.0, np.inf), "lower", "count", aliases)


@measure(_count("False detections", "FP", r"N_S - TP", "bernardin2008", "false positives", "num_false_positives"))
def false_positives(tally: TrackSums) -> Real:
    """System detections that are not matched."""
    return tally.system_boxes - tally.matched


@measure(_count("Misses", "FN", r"N_T - TP", "bernardin2008", "false negatives", "num_misses"))
def false_negatives(tally: TrackSums) -> Real:
    """Truth detections that are not matched."""
    return tally.truth_boxes - tally.matched


@measure(
    Card(
        title="Detections under the right id",
        symbol="IDTP",
        formula=r"\sum_t IDTP_t",
        source="ristani2016",
        range=(0.0, np.inf),
        unit="count",
        aliases=("IDTP",),
    )
)
def id_true_positives(tally: TrackSums) -> Real:
    """Detections that have the best id of their track."""
    return tally.id_matched


@measure(_count("System detections under a wrong id", "IDFP", r"N_S - IDTP", "ristani2016", "IDFP"))
def id_false_positives(tally: TrackSums) -> Real:
    """System detections that do not have the best id of a truth track."""
    return tally.system_boxes - tally.id_matched


@measure(_count("Truth detections under no right id", "IDFN", r"N_T - IDTP", "ristani2016", "IDFN"))
def id_false_negatives(tally: TrackSums) -> Real:
    """Truth detections that are not matched by the best id of their track."""
    return tally.truth_boxes - tally.id_matched


@measure(_count("Transfers", "transfers", r"\sum_s \mathrm{transfers}_s", "common", "track transfers", "num_transfer"))
def transfers(tally: TrackSums) -> Real:
    """Number of times a system track moves on to another truth track that had another id before, or none.

    These are py-motmetrics' transfers; a return to a truth track that kept the id does not count.
    """
    return tally.transfers


COUNTS: tuple[Metric, ...] = (
    false_positives, false_negatives, id_true_positives, id_false_positives, id_false_negatives, transfers,
)  # fmt: skip
