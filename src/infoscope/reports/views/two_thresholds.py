"""Show two thresholds: where they lie, what is rejected between them, and the counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoscope.figures.confusion import ConfusionDisplay
from infoscope.figures.display import Display
from infoscope.reports.outline import Appendix, Column, Name, Outline, Section, Table, Tile
from infoscope.reports.shared import format_point, name_criterion, tabulate
from infoscope.results.notation import MetricNotation, Units, format_count, format_share
from infoscope.studies.rejection import TwoThresholds
from infoscope.tables import Contingency


def _make_display(result: TwoThresholds) -> ConfusionDisplay:
    """Show true classes against predictions and rejections."""
    truth = (result.negative, result.positive)
    table = Contingency.from_matrix(result.counts, truth=truth, system=(*truth, result.reject), reject=result.reject)
    return ConfusionDisplay.from_table(table)


PICTURES: dict[str, Callable[[TwoThresholds], Display]] = {"confusion": _make_display}


def outline(result: TwoThresholds, unit: Units) -> Outline:
    """Write the outline: the rule, its value, and how the samples of both classes fare."""
    value = MetricNotation(result.criterion, unit).value(result.value)
    word = name_criterion(result.criterion)
    lower, upper = (format_point("threshold", limit) for limit in (result.lower, result.upper))
    rows = tabulate(
        zip((result.negative, result.positive), result.counts, strict=True),
        (Column("truth", "name"), lambda item: Name(item[0])),
        (Column(f"predicted {result.negative[:30]}"), lambda item: format_count(item[1][0])),
        (Column(f"predicted {result.positive[:30]}"), lambda item: format_count(item[1][1])),
        (Column("rejected"), lambda item: format_count(item[1][2])),
    )
    return Outline(
        title="Two thresholds",
        kicker=("Operating point", f"{format_count(float(np.sum(result.counts)))} samples"),
        headline=f"Predict “{result.positive[:40]}” from {upper} up and “{result.negative[:40]}” below "
        f"{lower}; {format_share(result.rejected)} of the samples lie between and are rejected.",
        lede=[f"That gives the best {word}, {value}."],
        tiles=[
            Tile(lower, "lower threshold"),
            Tile(upper, "upper threshold"),
            Tile(format_share(result.rejected), "rejected"),
            Tile(value, word, metric=result.criterion),
        ],
        sections=[Section("Samples", [Table(*rows, "Samples by truth and decision")], "samples")],
        appendix=Appendix(metrics=[result.criterion]),
    )
