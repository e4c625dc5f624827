"""What is shown of two thresholds: where they lie, what is rejected between them, and the counts."""

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


def _counts(found: TwoThresholds) -> ConfusionDisplay:
    """True classes against predictions and rejections."""
    truth = (found.negative, found.positive)
    table = Contingency.from_matrix(found.counts, truth=truth, system=(*truth, found.reject), reject=found.reject)
    return ConfusionDisplay.from_table(table)


PICTURES: dict[str, Callable[[TwoThresholds], Display]] = {"confusion": _counts}


def outline(found: TwoThresholds, unit: Units) -> Outline:
    """The rule, its value, and how the samples of both classes fare."""
    value = MetricNotation(found.criterion, unit).value(found.value)
    word = name_criterion(found.criterion)
    lower, upper = (format_point("threshold", limit) for limit in (found.lower, found.upper))
    rows = tabulate(
        zip((found.negative, found.positive), found.counts, strict=True),
        (Column("truth", "name"), lambda each: Name(each[0])),
        (Column(f"predicted {found.negative[:30]}"), lambda each: format_count(each[1][0])),
        (Column(f"predicted {found.positive[:30]}"), lambda each: format_count(each[1][1])),
        (Column("rejected"), lambda each: format_count(each[1][2])),
    )
    return Outline(
        title="Two thresholds",
        kicker=("Operating point", f"{format_count(float(np.sum(found.counts)))} samples"),
        headline=f"Predict “{found.positive[:40]}” from {upper} up and “{found.negative[:40]}” below "
        f"{lower}; {format_share(found.rejected)} of the samples lie between and are rejected.",
        lede=[f"That gives the best {word}, {value}."],
        tiles=[
            Tile(lower, "lower threshold"),
            Tile(upper, "upper threshold"),
            Tile(format_share(found.rejected), "rejected"),
            Tile(value, word, metric=found.criterion),
        ],
        sections=[Section("Samples", [Table(*rows, "Samples by truth and decision")], "samples")],
        appendix=Appendix(metrics=[found.criterion]),
    )
