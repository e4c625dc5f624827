"""Recommended thresholds, and how thresholds and values of a criterion are written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoscope.metrics.registry import catalogue
from infoscope.reports.outline import Column, Table
from infoscope.reports.parts.item_tables import listed
from infoscope.reports.phrases import Strong, Term
from infoscope.results.estimate import Estimate
from infoscope.results.notation import UNDEFINED, MetricNotation, Units, format_number, format_share
from infoscope.studies.operating_points import Choice
from infoscope.studies.operating_points.result import LIFT

ALERTS = "alerts_per_1000"


def point_text(name: str, value: float | None) -> str:
    """A number of the curve as a reader sees it.

    >>> point_text("recall", 0.957), point_text("threshold", 0.471593), point_text("threshold", float("inf"))
    ('95.7%', '0.4716', '∞')
    """
    if name == "threshold" and (value is None or np.isinf(value)):
        return "−∞" if value is not None and value < 0 else "∞"
    if value is None or np.isnan(value):
        return "–"
    if name == "threshold":
        return signed_value(value)
    if name == ALERTS:
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{value:,.1f}" if name == LIFT else format_share(float(value))


def criterion_value(choice: Choice, value: float | None, unit: Units) -> str:
    """A value of the criterion, as its card has it."""
    if value is None:
        return UNDEFINED
    return MetricNotation(choice.criterion, unit).value(value) if choice.criterion in catalogue else signed_value(value)


def criterion_interval(choice: Choice, estimate: Estimate, unit: Units) -> str:
    """The interval of the criterion; empty where there is none."""
    if choice.criterion in catalogue:
        return MetricNotation(choice.criterion, unit).interval(estimate)
    known = estimate.low is not None and estimate.high is not None
    return f"{signed_value(estimate.low or 0.0)} – {signed_value(estimate.high or 0.0)}" if known else ""


def signed_value(value: float) -> str:
    """A number with four digits and a true minus sign."""
    return format_number(value, ".4g")


def threshold_interval(choice: Choice) -> tuple[str, str] | None:
    """Where the threshold falls when the samples are drawn again; None where that is not known."""
    if choice.threshold_low is None or choice.threshold_high is None:
        return None
    low, high = sorted((choice.threshold_low, choice.threshold_high))
    return point_text("threshold", low), point_text("threshold", high)


def criterion_word(criterion: str) -> str:
    """What a choice is made by, within a sentence: a metric, or stated costs."""
    return catalogue[criterion].title_in_sentence if criterion in catalogue else "expected cost"


def _title(criterion: str) -> str:
    return catalogue[criterion].title if criterion in catalogue else "Expected cost"


def recommended_thresholds(choices: Sequence[Choice], unit: Units) -> Table:
    """The best threshold by each criterion, here and on held-out samples."""
    rows = listed(
        choices,
        (Column("best by", "name"), lambda each: (Term(each.criterion, _title(each.criterion)),)),
        (Column("threshold"), lambda each: Strong(point_text("threshold", each.threshold))),
        (Column("interval of the threshold", priority=5), lambda each: " – ".join(threshold_interval(each) or ("–",))),
        (Column("here", priority=7), lambda each: criterion_value(each, each.value, unit)),
        (Column("held out"), lambda each: criterion_value(each, each.held_out.value, unit)),
        (
            Column(f"{choices[0].level:.0%} interval", priority=6),
            lambda each: criterion_interval(each, each.held_out, unit) or "–",
        ),
    )
    note = (
        "“Here” is on the samples that made the choice, and flatters it; “held out” is on samples that did not. The "
        "interval of the threshold is where the choice falls when the samples are drawn again."
    )
    return Table(*rows, "Recommended thresholds", note=note)
