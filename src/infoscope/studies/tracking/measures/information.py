"""Information metrics of a tracker: what its ids tell about who was where, over what there is to tell."""

from dataclasses import replace

import numpy as np

from infoscope.core.numerics import Real, ratio
from infoscope.metrics.registry import Card, Metric
from infoscope.studies.tracking.sums import Score, TrackSums, measure

__all__ = ["captured_bits", "false_bits", "information_measures"]

_NO_BITS = "no sequence has two truth tracks, so there is nothing to distinguish"
_NO_EVENTS = "there is no truth detection"
_ANY = (0.0, np.inf)


def captured_bits(tally: TrackSums) -> Real:
    """Truth information that the ids carry: what the ledger leaves, so below 0 by rounding only."""
    return np.maximum(tally.truth_bits - tally.missed_bits - tally.confused_bits, 0.0)


def false_bits(tally: TrackSums) -> Real:
    """Information in the ids that no truth explains."""
    return tally.fragmented_bits + tally.spurious_bits


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
def proficiency(tally: TrackSums) -> Real:
    """Fraction of the information about who was where that the system's ids carry."""
    return ratio(captured_bits(tally), tally.truth_bits)


@measure(
    Card(
        title="Truth entropy",
        symbol="H(T)",
        formula=r"\sum_t \frac{R_t}{N_T} \log_2 \frac{N_T}{R_t}",
        source="holt2010",
        range=_ANY,
        better="none",
        unit="bits",
        undefined=_NO_EVENTS,
    )
)
def truth_entropy(tally: TrackSums) -> Real:
    """Bits needed to name the track of a truth detection within its sequence."""
    return ratio(tally.truth_bits, tally.truth_events)


def information_measures(per: str) -> tuple[Metric, ...]:
    """The information metrics, with false bits counted over truth bits or each side per own detection."""
    false = _false_per_truth if per == "truth" else _false_per_event
    return (
        proficiency,
        replace(false, name="false_information_ratio"),
        *_depending_on(false.score),
        truth_entropy,
    )


@measure(
    Card(
        title="False information ratio",
        symbol="r",
        formula=r"\frac{\mathrm{fragmented} + \mathrm{spurious}}{\mathrm{truth}}",
        source="holt2010",
        range=_ANY,
        better="lower",
        undefined=_NO_BITS,
    )
)
def _false_per_truth(tally: TrackSums) -> Real:
    """Information in the system's ids that no truth track explains, relative to the truth's information."""
    return ratio(false_bits(tally), tally.truth_bits)


@measure(
    Card(
        title="False information ratio",
        symbol="r",
        formula=r"\frac{(\mathrm{fragmented} + \mathrm{spurious}) / N_S}{\mathrm{truth} / N_T}",
        source="holt2010",
        range=_ANY,
        better="lower",
        undefined=_NO_BITS,
    )
)
def _false_per_event(tally: TrackSums) -> Real:
    """False information of a system detection, over the truth's information of a truth detection."""
    false = false_bits(tally)
    silent = false == 0.0  # an empty output says nothing false
    return np.where(
        silent & (tally.truth_bits > 0),
        0.0,
        ratio(false * tally.truth_events, tally.truth_bits * tally.system_events),
    )[()]


def _depending_on(false: Score) -> tuple[Metric, ...]:
    """The metrics that weigh captured against false information."""

    @measure(
        Card(
            title="Erroneous information ratio",
            symbol="S_I/H(T)",
            formula=r"1 - f + r",
            source="holt2010",
            range=_ANY,
            better="lower",
            undefined=_NO_BITS,
        )
    )
    def erroneous_information_ratio(tally: TrackSums) -> Real:
        """Missed, confused, fragmented and spurious information relative to the truth's information."""
        return ratio(tally.missed_bits + tally.confused_bits, tally.truth_bits) + false(tally)

    @measure(
        Card(
            title="Erroneous information",
            symbol="S_I",
            formula=r"(1 - f + r) H(T)",
            source="holt2010",
            range=_ANY,
            better="lower",
            unit="bits",
            undefined=_NO_BITS,
        )
    )
    def erroneous_information(tally: TrackSums) -> Real:
        """Lost and false bits per truth detection."""
        return erroneous_information_ratio.score(tally) * truth_entropy.score(tally)

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
    def information_jaccard(tally: TrackSums) -> Real:
        """Captured information divided by the truth's information plus the false information."""
        return proficiency.score(tally) / (1.0 + false(tally))

    return erroneous_information_ratio, erroneous_information, information_jaccard
