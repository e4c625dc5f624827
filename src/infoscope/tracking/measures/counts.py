"""The counts behind the conventional metrics: what is false, missed, and under the right or a wrong id."""

import numpy as np

from infoscope.metrics.registry import Card, Metric
from infoscope.numeric import Real
from infoscope.tracking.sums import TrackSums, measure

__all__ = ["COUNTS"]


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
