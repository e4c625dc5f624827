"""The seven tracker metrics on Hurley's slide: the names are his, the definitions below ours."""

import numpy as np

from infoscope.core.numerics import Real, ratio
from infoscope.metrics.registry import Card, Metric
from infoscope.studies.tracking.sums import TrackSums, measure

__all__ = ["CONTINUITY"]

_NO_TRUTH = "there is no truth track"
_NO_SYSTEM = "there is no system track"
_COUNT = (0.0, np.inf)


@measure(
    Card(
        title="Truth completeness",
        symbol="",
        formula=r"\frac{1}{K} \sum_t TP_t / R_t",
        source="hurley2014",
        undefined=_NO_TRUTH,
    )
)
def truth_completeness(tally: TrackSums) -> Real:
    """Fraction of frames in which a truth track is matched, mean over truth tracks."""
    return ratio(tally.truth_covered, tally.truth_tracks)


@measure(
    Card(
        title="Track completeness",
        symbol="",
        formula=r"\frac{1}{M} \sum_s TP_s / c_s",
        source="hurley2014",
        undefined=_NO_SYSTEM,
    )
)
def track_completeness(tally: TrackSums) -> Real:
    """Fraction of frames in which a system track is matched, mean over system tracks."""
    return ratio(tally.system_covered, tally.system_tracks)


@measure(
    Card(
        title="Truth continuity",
        symbol="",
        formula=r"\frac{1}{K} \sum_t \mathrm{run}_t / R_t",
        source="hurley2014",
        undefined=_NO_TRUTH,
    )
)
def truth_continuity(tally: TrackSums) -> Real:
    """Longest run of a truth track under one id, divided by its length; mean over truth tracks."""
    return ratio(tally.truth_longest, tally.truth_tracks)


@measure(
    Card(
        title="Track continuity",
        symbol="",
        formula=r"\frac{1}{M} \sum_s \mathrm{run}_s / c_s",
        source="hurley2014",
        undefined=_NO_SYSTEM,
    )
)
def track_continuity(tally: TrackSums) -> Real:
    """Longest run of a system track on one truth track, divided by its length; mean over system tracks."""
    return ratio(tally.system_longest, tally.system_tracks)


@measure(
    Card(
        title="Swaps",
        symbol="",
        formula=r"IDSW - \mathrm{breaks}",
        source="hurley2014",
        range=_COUNT,
        better="lower",
        unit="count",
    )
)
def swaps(tally: TrackSums) -> Real:
    """Id switches in which the new id last followed another truth track."""
    return tally.swaps


@measure(
    Card(
        title="Breaks",
        symbol="",
        formula=r"IDSW - \mathrm{swaps}",
        source="hurley2014",
        range=_COUNT,
        better="lower",
        unit="count",
    )
)
def breaks(tally: TrackSums) -> Real:
    """Id switches in which the new id did not last follow another truth track."""
    return tally.id_switches - tally.swaps


@measure(
    Card(
        title="Track lifetime",
        symbol="",
        formula=r"\frac{1}{M} \sum_s c_s",
        source="hurley2014",
        range=_COUNT,
        unit="count",
        undefined=_NO_SYSTEM,
    )
)
def track_lifetime(tally: TrackSums) -> Real:
    """Mean number of frames of a system track."""
    return ratio(tally.system_boxes, tally.system_tracks)


CONTINUITY: tuple[Metric, ...] = (
    truth_completeness, track_completeness, truth_continuity, track_continuity, swaps, breaks, track_lifetime,
)  # fmt: skip
