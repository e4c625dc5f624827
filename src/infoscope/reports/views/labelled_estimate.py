"""What is shown of labels that were planned: the metric of each system, and how many more labels are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from infoscope.figures.display import Display
from infoscope.figures.forest import ComparisonDisplay, ForestRow
from infoscope.labelling import LabelledEstimate
from infoscope.labelling.labelled_estimate import Basis
from infoscope.metrics.registry import find
from infoscope.reports.outline import Appendix, Cell, Column, Figure, Name, Outline, Section, Table, Tile
from infoscope.results.notation import MetricNotation, Units, amount

__all__ = ["PICTURES", "outline"]


def _forest(result: LabelledEstimate) -> ComparisonDisplay:
    rows = [
        ForestRow(name, estimate.shown, estimate.low, estimate.high, "with labels")
        for name, estimate in result.systems.items()
        if estimate.shown is not None
    ]
    return ComparisonDisplay(rows, find(result.metric).card.title_in_sentence)


PICTURES: dict[str, Callable[[LabelledEstimate], Display]] = {"forest": _forest}


def _reached(result: LabelledEstimate) -> list[Tile]:
    """The half width that came, and the one that the plan expected."""
    if result.reached is None or result.expected is None:
        return []
    return [Tile(f"±{result.reached:.3g}", "half width reached", "", f"±{result.expected:.3g} expected")]


def _needed(result: LabelledEstimate) -> list[Tile]:
    """How many more labels the planned half width takes."""
    number = "more than there are rows" if result.more_labels is None else amount(result.more_labels)
    return [Tile(number, "more labels needed", "", f"for ±{result.half_width:g}")]


def _systems(result: LabelledEstimate) -> str:
    """How many systems there are, or in how many groups one system was labelled."""
    if result.groups is not None:
        return f"1 system in {result.groups:,} group{'s' * (result.groups != 1)}"
    return f"{len(result.systems):,} system{'s' * (len(result.systems) != 1)}"


_METHOD: dict[Basis, str] = {
    "latent truth": "The model's expectation over all items, corrected by weighted residuals of the labelled ones: "
    "right by design, also where the model is wrong. Intervals come from drawing the labels again.",
    "judge": "Every stratum of verdict × prediction by its fraction of all rows and by its labelled rows: right "
    "whatever the judge, as long as labelled rows are like the others of their stratum.",
}


def outline(result: LabelledEstimate, _unit: Units) -> Outline:
    """Each system with its interval."""
    card = find(result.metric).card
    columns = [Column("system", "name"), Column(card.title_in_sentence, metric=result.metric), Column("interval")]
    rows: list[Sequence[Cell]] = [
        (
            Name(name),
            MetricNotation(result.metric).shown(estimate),
            MetricNotation(result.metric).interval(estimate),
        )
        for name, estimate in result.systems.items()
    ]
    pictured = any(estimate.shown is not None for estimate in result.systems.values())
    picture = [Figure(_forest(result).panel())] if pictured else []
    return Outline(
        title=f"{card.title} from {result.labels:,} labels",
        kicker=("With planned labels", f"{amount(result.labels)} labels", _systems(result)),
        headline=f"{card.title} of {_systems(result)} from {amount(result.labels)} labels.",
        tiles=[
            Tile(amount(result.labels), "labels", "", ""),
            *_needed(result),
            *_reached(result),
        ],
        findings=[("", finding) for finding in result.findings],
        sections=[Section("Systems", [*picture, Table(columns, rows, search="systems")], "systems")],
        appendix=Appendix(
            metrics=(result.metric,),
            method=(_METHOD[result.basis],),
        ),
    )
