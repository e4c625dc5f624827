"""Show thresholds per class: what they gain, and how certain each class has to be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import Appendix, Column, Name, Outline, Section, Table, Tile
from infoscope.reports.shared import name_criterion, tabulate
from infoscope.results.notation import MetricNotation, Units, format_count, format_share
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
    return ComparisonDisplay(
        rows, f"Threshold on the {result.certainty}; at the right, how many are accepted", noun="classes"
    )


PICTURES: dict[str, Callable[[ClassThresholds], Display]] = {"thresholds": _make_display}


def outline(result: ClassThresholds, unit: Units) -> Outline:
    """Write the outline: the gain first, then the classes."""
    after, before = (MetricNotation(result.criterion, unit).value(value) for value in (result.value, result.without))
    criterion = name_criterion(result.criterion)
    comparison = "at most" if result.certainty == "entropy" else "at least"
    accepted = sum(result.accepted.values()) / max(sum(result.predicted.values()), 1e-300)
    samples = format_count(sum(result.predicted.values()))
    thresholds = {
        name: "never" if threshold is None or np.isinf(threshold) else f"{threshold:.4g}"
        for name, threshold in result.thresholds.items()
    }
    rows = tabulate(
        result.thresholds,
        (Column("class", "name"), Name),
        (Column(f"{result.certainty} {comparison}"), thresholds.__getitem__),
        (Column("accepted"), lambda name: format_count(result.accepted[name])),
        (Column("predicted"), lambda name: format_count(result.predicted[name])),
        (
            Column("accepted share", priority=5),
            lambda name: (
                format_share(result.accepted[name] / result.predicted[name]) if result.predicted[name] else "–"
            ),
        ),
    )
    return Outline(
        title="A threshold per class",
        kicker=(
            "Operating point",
            f"{len(result.thresholds)} classes",
            f"{samples} samples",
        ),
        headline=f"A threshold per class takes the {criterion} from {before} to {after}; "
        f"{format_share(accepted)} of the samples are accepted.",
        tiles=[
            Tile(after, criterion, note=f"{before} without rejecting", metric=result.criterion),
            Tile(format_share(accepted), "accepted"),
        ],
        sections=[Section("Classes", [Table(*rows, "Thresholds per class", search="classes")], "classes")],
        appendix=Appendix(
            metrics=[result.criterion],
            method=("The value is that of the samples that chose the thresholds, and flatters them.",),
        ),
    )
