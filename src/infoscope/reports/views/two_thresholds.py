"""What is shown of two thresholds: where they lie, what is rejected between them, and the counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from infoscope.figures.confusion import ConfusionDisplay
from infoscope.figures.display import Display
from infoscope.metrics.registry import catalogue
from infoscope.operating_points import TwoThresholds
from infoscope.reports.outline import Appendix, Cell, Column, Name, Outline, Section, Table, Tile
from infoscope.results.notation import MetricNotation, Units, amount, number_text, share
from infoscope.tables import Contingency

__all__ = ["PICTURES", "outline"]


def _counts(found: TwoThresholds) -> ConfusionDisplay:
    """True classes against predictions and rejections."""
    truth = (found.negative, found.positive)
    table = Contingency.from_matrix(found.counts, truth=truth, system=(*truth, found.reject), reject=found.reject)
    return ConfusionDisplay.from_table(table)


PICTURES: dict[str, Callable[[TwoThresholds], Display]] = {"confusion": _counts}


def outline(found: TwoThresholds, unit: Units) -> Outline:
    """The rule, its value, and how the samples of both classes fare."""
    card = catalogue.get(found.criterion)
    value = MetricNotation(found.criterion, unit).value(found.value)
    word = "expected cost" if card is None else card.title_in_sentence
    columns = [
        Column("truth", "name"),
        Column(f"predicted {found.negative[:30]}"),
        Column(f"predicted {found.positive[:30]}"),
        Column("rejected"),
    ]
    rows: list[Sequence[Cell]] = [
        (Name(label), *(amount(count) for count in row))
        for label, row in zip((found.negative, found.positive), found.counts, strict=True)
    ]
    return Outline(
        title="Two thresholds",
        kicker=("Operating point", f"{amount(float(np.sum(found.counts)))} samples"),
        headline=f"Predict “{found.positive[:40]}” from {_limit(found.upper)} up and “{found.negative[:40]}” below "
        f"{_limit(found.lower)}; {share(found.rejected)} of the samples lie between and are rejected.",
        lede=[f"That gives the best {word}, {value}."],
        tiles=[
            Tile(_limit(found.lower), "lower threshold"),
            Tile(_limit(found.upper), "upper threshold"),
            Tile(share(found.rejected), "rejected"),
            Tile(value, word, metric=None if card is None else found.criterion),
        ],
        findings=[("", finding) for finding in found.findings],
        sections=[Section("Samples", [Table(columns, rows, "Samples by truth and decision")], "samples")],
        appendix=Appendix(metrics=[] if card is None else [found.criterion]),
    )


def _limit(value: float | None) -> str:
    return "∞" if value is None or np.isinf(value) else number_text(value, ".4g")
