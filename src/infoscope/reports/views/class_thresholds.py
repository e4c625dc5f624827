"""What is shown of thresholds per class: what they gain, and how certain each class has to be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoscope.figures.comparison import ComparisonDisplay, ForestRow
from infoscope.figures.display import Display
from infoscope.reports.outline import Appendix, Column, Name, Outline, Section, Table, Tile
from infoscope.reports.shared import name_criterion, tabulate
from infoscope.results.notation import MetricNotation, Units, format_count, format_share
from infoscope.studies.rejection import ClassThresholds


def _thresholds(found: ClassThresholds) -> ComparisonDisplay:
    """How certain each class has to be, and how many of its samples are."""
    rows = [
        ForestRow(name, limit, word=f"{format_count(found.accepted[name])} of {format_count(found.predicted[name])}")
        for name, limit in found.thresholds.items()
        if limit is not None and np.isfinite(limit)
    ]
    return ComparisonDisplay(
        rows, f"Threshold on the {found.certainty}; at the right, how many are accepted", noun="classes"
    )


PICTURES: dict[str, Callable[[ClassThresholds], Display]] = {"thresholds": _thresholds}


def outline(found: ClassThresholds, unit: Units) -> Outline:
    """The gain first, then the classes."""
    after, before = (MetricNotation(found.criterion, unit).value(value) for value in (found.value, found.without))
    word = name_criterion(found.criterion)
    sign = "at most" if found.certainty == "entropy" else "at least"
    accepted = sum(found.accepted.values()) / max(sum(found.predicted.values()), 1e-300)
    samples = format_count(sum(found.predicted.values()))
    rows = tabulate(
        found.thresholds,
        (Column("class", "name"), Name),
        (Column(f"{found.certainty} {sign}"), lambda name: _limit(found.thresholds[name])),
        (Column("accepted"), lambda name: format_count(found.accepted[name])),
        (Column("predicted"), lambda name: format_count(found.predicted[name])),
        (
            Column("accepted share", priority=5),
            lambda name: format_share(found.accepted[name] / found.predicted[name]) if found.predicted[name] else "–",
        ),
    )
    return Outline(
        title="A threshold per class",
        kicker=(
            "Operating point",
            f"{len(found.thresholds)} classes",
            f"{samples} samples",
        ),
        headline=f"A threshold per class takes the {word} from {before} to {after}; {format_share(accepted)} of the "
        "samples are accepted.",
        tiles=[
            Tile(after, word, note=f"{before} without rejecting", metric=found.criterion),
            Tile(format_share(accepted), "accepted"),
        ],
        sections=[Section("Classes", [Table(*rows, "Thresholds per class", search="classes")], "classes")],
        appendix=Appendix(
            metrics=[found.criterion],
            method=("The value is that of the samples that chose the thresholds, and flatters them.",),
        ),
    )


def _limit(value: float | None) -> str:
    return "never" if value is None or np.isinf(value) else f"{value:.4g}"
