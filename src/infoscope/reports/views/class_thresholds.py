"""What is shown of thresholds per class: what they gain, and how certain each class has to be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoscope.figures.display import Display
from infoscope.figures.forest import ComparisonDisplay, ForestRow
from infoscope.metrics.registry import catalogue
from infoscope.operating_points import ClassThresholds
from infoscope.reports.numbers import MetricNotation, Units, amount, share
from infoscope.reports.outline import Appendix, Column, Name, Outline, Section, Table, Tile

__all__ = ["PICTURES", "outline"]


def _thresholds(found: ClassThresholds) -> ComparisonDisplay:
    """How certain each class has to be, and how many of its samples are."""
    rows = [
        ForestRow(name, limit, word=f"{amount(found.accepted[name])} of {amount(found.predicted[name])}")
        for name, limit in found.thresholds.items()
        if limit is not None and np.isfinite(limit)
    ]
    return ComparisonDisplay(
        rows, f"Threshold on the {found.certainty}; at the right, how many are accepted", noun="classes"
    )


PICTURES: dict[str, Callable[[ClassThresholds], Display]] = {"thresholds": _thresholds}


def outline(found: ClassThresholds, unit: Units) -> Outline:
    """The gain first, then the classes."""
    card = catalogue.get(found.criterion)
    after, before = (MetricNotation(found.criterion, unit).value(value) for value in (found.value, found.without))
    word = "expected cost" if card is None else card.title_in_sentence
    sign = "at most" if found.certainty == "entropy" else "at least"
    accepted = sum(found.accepted.values()) / max(sum(found.predicted.values()), 1e-300)
    columns = [
        Column("class", "name"),
        Column(f"{found.certainty} {sign}"),
        Column("accepted"),
        Column("predicted"),
        Column("accepted share", priority=5),
    ]
    rows = [
        (
            Name(name),
            "never" if limit is None or np.isinf(limit) else f"{limit:.4g}",
            amount(found.accepted[name]),
            amount(found.predicted[name]),
            share(found.accepted[name] / found.predicted[name]) if found.predicted[name] else "–",
        )
        for name, limit in found.thresholds.items()
    ]
    return Outline(
        title="A threshold per class",
        kicker=("Operating point", f"{len(rows)} classes", f"{amount(sum(found.predicted.values()))} samples"),
        headline=f"A threshold per class takes the {word} from {before} to {after}; {share(accepted)} of the samples "
        "are accepted.",
        tiles=[
            Tile(after, word, note=f"{before} without rejecting", metric=None if card is None else found.criterion),
            Tile(share(accepted), "accepted"),
        ],
        findings=[("", finding) for finding in found.findings],
        sections=[Section("Classes", [Table(columns, rows, "Thresholds per class", search="classes")], "classes")],
        appendix=Appendix(
            metrics=[] if card is None else [found.criterion],
            method=("The value is that of the samples that chose the thresholds, and flatters them.",),
        ),
    )
