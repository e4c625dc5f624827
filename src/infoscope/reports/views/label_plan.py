"""What is shown of a plan of labels: how many are needed, and what fewer or more would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from infoscope.figures.display import Display
from infoscope.figures.label_plan import LabelPlanDisplay
from infoscope.latent import LabelPlan
from infoscope.reports.numbers import Units, amount
from infoscope.reports.outline import Appendix, Cell, Column, Figure, Outline, Section, Table, Tile

__all__ = ["PICTURES", "outline"]

PICTURES: dict[str, Callable[[LabelPlan], Display]] = {"plan": LabelPlanDisplay}


def outline(result: LabelPlan, _unit: Units) -> Outline:
    """The number of labels first, then the widths of other numbers."""
    columns = [Column("labels"), Column("± planned"), Column("± at random")]
    rows: list[Sequence[Cell]] = [
        (amount(point.labels), f"{point.planned:.3f}", f"{point.random:.3f}") for point in result.curve
    ]
    without = [] if result.labels_without_plan is None else [result.labels_without_plan]
    blocks: list[Figure | Table] = [Figure(LabelPlanDisplay(result).panel())] if result.curve else []
    return Outline(
        title="Plan of labels",
        kicker=("Plan of labels", f"{amount(result.items)} items without a label"),
        headline=result.findings[0].text,
        tiles=[
            Tile(amount(result.labels), "labels, planned", "", "half of them at random"),
            Tile(amount(result.labels_random), "labels at random", "", "corrected by the model"),
            *(Tile(amount(number), "labels without a plan", "", "a plain random sample") for number in without),
        ],
        findings=[("", finding) for finding in result.findings[1:]],
        sections=[Section("How narrow the interval gets", [*blocks, Table(columns, rows)], "widths", link="Widths")],
        appendix=Appendix(
            metrics=(result.metric,),
            method=(
                "Half of the labels go to random items, half to those whose unknown class matters most for the metric.",
                "The estimate from the labels is the model's expectation over all items, corrected by weighted "
                "residuals of the labelled ones: right by design, also where the model is wrong.",
            ),
        ),
        provenance=result.provenance,
    )
