"""Show thresholds per class: what they gain, and how certain each class has to be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import Appendix, Column, Name, Outline, Section, Table, Tile
from infoscope.reports.shared import format_point, name_criterion, tabulate
from infoscope.results.notation import UNDEFINED, MetricNotation, Units, format_count, format_share
from infoscope.studies.rejection import ClassThresholds


def _make_display(result: ClassThresholds) -> ComparisonDisplay:
    """Return a forest plot of the thresholds, with how many samples of each class are accepted."""
    rows = [
        ForestRow(
            name, threshold, word=f"{format_count(result.accepted[name])} of {format_count(result.predicted[name])}"
        )
        for name, threshold in result.thresholds.items()
        if threshold is not None and np.isfinite(threshold)
    ]
    return ComparisonDisplay(rows, f"Threshold on the {result.certainty}; right: how many are accepted", noun="classes")


PICTURES: dict[str, Callable[[ClassThresholds], Display]] = {"thresholds": _make_display}


def outline(result: ClassThresholds, unit: Units) -> Outline:
    """Write the outline: the gain first, then the classes, those that are rejected most first."""
    notation = MetricNotation(result.criterion, unit)
    after, before = notation.value(result.value), notation.value(result.without)
    criterion = name_criterion(result.criterion)
    comparison = "at most" if result.certainty == "entropy" else "at least"
    predicted = sum(result.predicted.values())
    rejected, right, everyone = (
        metrics[name]
        for metrics, name in (
            (result.metrics, "rejection_rate"),
            (result.metrics, "accepted_accuracy"),
            (result.metrics_without, "accepted_accuracy"),
        )
    )
    shares = {
        name: result.accepted[name] / result.predicted[name] if result.predicted[name] else None
        for name in result.thresholds
    }
    thresholds = {
        name: "never" if threshold is None or np.isinf(threshold) else format_point("threshold", threshold)
        for name, threshold in result.thresholds.items()
    }
    rows = tabulate(
        sorted(result.thresholds, key=lambda name: 2.0 if shares[name] is None else shares[name] or 0.0),
        (Column("class", "name"), Name),
        (Column(f"{result.certainty} {comparison}"), thresholds.__getitem__),
        (Column("accepted"), lambda name: UNDEFINED if shares[name] is None else format_share(shares[name])),
        (Column("samples", priority=6), lambda name: format_count(result.accepted[name])),
        (Column("predicted", priority=5), lambda name: format_count(result.predicted[name])),
    )
    share, dropped = MetricNotation("rejection_rate"), format_count(round(predicted * (rejected.value or 0.0)))
    by_all = f"all accepted {format_share(everyone.value)}"
    classes = Table(*rows, "Thresholds per class", search="classes")
    return Outline(
        title="A threshold per class",
        kicker=(f"{format_count(predicted)} samples", f"{len(result.thresholds)} classes", "a threshold per class"),
        headline=f"With a threshold per class {format_share(right.value)} of the accepted samples are right, "
        f"{format_share(everyone.value)} where all are accepted; {format_share(rejected.value)} are rejected.",
        lede=[f"The {criterion} goes from {before} to {after} in this sample, by which the thresholds were chosen."],
        tiles=[
            Tile.from_estimate(right, share, "accuracy of the accepted", by_all),
            Tile.from_estimate(rejected, share, "rejected", f"{dropped} of {format_count(predicted)}"),
            Tile(after, criterion, note=f"all accepted {before}", metric=result.criterion),
        ],
        sections=[Section("Classes, the most rejected first", [classes], "classes")],
        appendix=Appendix(
            metrics=["accepted_accuracy", "rejection_rate", result.criterion],
            method=("All numbers are of the samples that chose the thresholds, which flatters them.",),
        ),
    )
