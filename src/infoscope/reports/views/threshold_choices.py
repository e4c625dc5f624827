"""Recommended thresholds, and how thresholds and values of a criterion are written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoscope.metrics.registry import catalogue
from infoscope.operating_points import Choice
from infoscope.operating_points.result import LIFT
from infoscope.reports.numbers import UNDEFINED, MetricNotation, Units, number_text, share
from infoscope.reports.outline import Column, Strong, Table, Term
from infoscope.results.estimate import Estimate

__all__ = [
    "ALERTS",
    "criterion_interval",
    "criterion_value",
    "point_text",
    "recommended_thresholds",
    "signed_value",
    "threshold_interval",
]

ALERTS = "alerts_per_1000"


def point_text(name: str, value: float) -> str:
    """A number of the curve as a reader sees it.

    >>> point_text("recall", 0.957), point_text("threshold", 0.471593), point_text("threshold", float("inf"))
    ('95.7%', '0.4716', '∞')
    """
    if np.isnan(value):
        return "–"
    if name == "threshold":
        return ("∞" if value > 0 else "−∞") if np.isinf(value) else signed_value(value)
    if name == ALERTS:
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{value:,.1f}" if name == LIFT else share(float(value))


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
    return number_text(value, ".4g")


def threshold_interval(choice: Choice) -> tuple[str, str] | None:
    """Where the threshold falls when the samples are drawn again; None where that is not known."""
    if choice.threshold_low is None or choice.threshold_high is None:
        return None
    low, high = sorted((choice.threshold_low, choice.threshold_high))
    return point_text("threshold", low), point_text("threshold", high)


def recommended_thresholds(choices: Sequence[Choice], unit: Units) -> Table:
    """The best threshold by each criterion, here and on held-out samples."""
    columns = [
        Column("best by", "name"),
        Column("threshold"),
        Column("interval of the threshold", priority=5),
        Column("here", priority=7),
        Column("held out"),
        Column(f"{choices[0].level:.0%} interval", priority=6),
    ]
    rows = []
    for choice in choices:
        title = catalogue[choice.criterion].title if choice.criterion in catalogue else "Expected cost"
        ends, held = threshold_interval(choice), choice.held_out
        limits = criterion_interval(choice, held, unit) or "–"
        rows.append(
            (
                (Term(choice.criterion, title),),
                Strong(point_text("threshold", np.inf if choice.threshold is None else choice.threshold)),
                "–" if ends is None else " – ".join(ends),
                criterion_value(choice, choice.value, unit),
                criterion_value(choice, held.value, unit),
                limits,
            )
        )
    note = (
        "“Here” is on the samples that made the choice, and flatters it; “held out” is on samples that did not. The "
        "interval of the threshold is where the choice falls when the samples are drawn again."
    )
    return Table(columns, rows, "Recommended thresholds", note=note)
