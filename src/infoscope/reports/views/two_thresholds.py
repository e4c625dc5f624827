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
    """Write the outline: the rule, how often it decides and is right, and how the samples of both classes fare."""
    value = MetricNotation(result.criterion, unit).value(result.value)
    word = name_criterion(result.criterion)
    lower, upper = (format_point("threshold", limit) for limit in (result.lower, result.upper))
    counts = np.array(result.counts)
    total, (right_no, right_yes) = counts.sum(), (counts[0, 0], counts[1, 1])
    rows = tabulate(
        zip((result.negative, result.positive), result.counts, strict=True),
        (Column("true", "name"), lambda item: Name(item[0])),
        (Column(f"predicted {result.negative[:30]}"), lambda item: format_count(item[1][0])),
        (Column(f"predicted {result.positive[:30]}"), lambda item: format_count(item[1][1])),
        (Column("rejected"), lambda item: format_count(item[1][2])),
    )
    tiles = [
        Tile.from_estimate(result.metrics[name], MetricNotation(name), word, note)
        for name, word, note in (
            ("accepted_accuracy", "accuracy of the accepted", _count(right_no + right_yes, total - counts[:, 2].sum())),
            ("precision", "precision", _count(right_yes, counts[:, 1].sum())),
            ("npv", "negative predictive value", _count(right_no, counts[:, 0].sum())),
            ("rejection_rate", "rejected", _count(counts[:, 2].sum(), total)),
        )
    ]
    return Outline(
        title="Two thresholds",
        kicker=(f"{format_count(float(total))} samples", "two thresholds of a score"),
        headline=f"Predict '{result.positive[:40]}' from {upper} up and '{result.negative[:40]}' below {lower}: "
        f"{format_share(result.metrics['accepted_accuracy'].value)} of these predictions are right, and "
        f"{format_share(result.rejected)} of the samples lie between and are rejected.",
        tiles=[*tiles, Tile(value, word, note="the best of all pairs", metric=result.criterion)],
        sections=[Section("Samples", [Table(*rows, "Samples by true class and decision")], "samples")],
        appendix=Appendix(
            metrics=["accepted_accuracy", "precision", "npv", "rejection_rate", result.criterion],
            method=("All numbers are of the samples that chose the thresholds, which flatters them.",),
        ),
    )


def _count(part: float, whole: float) -> str:
    return f"{format_count(float(part))} of {format_count(float(whole))}"
