"""Show labels that were planned: the metric of each system, and how many more labels are needed."""

from __future__ import annotations

from collections.abc import Callable

from infoscope.core.markup import pluralize
from infoscope.figures.comparison import ComparisonDisplay, rows_of
from infoscope.figures.display import Display
from infoscope.metrics.registry import find
from infoscope.reports.outline import Appendix, Column, Figure, Name, Outline, Section, Table, Tile
from infoscope.reports.shared import tabulate
from infoscope.results.notation import MetricNotation, Units, format_count
from infoscope.studies.labels import Basis, LabelledEstimate


def _make_forest(result: LabelledEstimate) -> ComparisonDisplay:
    return ComparisonDisplay(rows_of(result.systems, "with labels"), find(result.metric).card.title_in_sentence)


PICTURES: dict[str, Callable[[LabelledEstimate], Display]] = {"forest": _make_forest}


_METHOD: dict[Basis, str] = {
    "latent truth": "The model's expectation over all items, corrected by weighted residuals of the labelled ones: "
    "right by design, also where the model is wrong. Intervals come from drawing the labels again.",
    "judge": "Every stratum of verdict × prediction by its fraction of all rows and by its labelled rows: right "
    "whatever the judge, as long as labelled rows are like the others of their stratum.",
}


def outline(result: LabelledEstimate, _unit: Units) -> Outline:
    """Write the outline: each system with its interval."""
    card, notation = find(result.metric).card, MetricNotation(result.metric)
    rows = tabulate(
        result.systems.items(),
        (Column("system", "name"), lambda item: Name(item[0])),
        (Column(card.title_in_sentence, metric=result.metric), lambda item: notation.shown(item[1])),
        (Column("interval"), lambda item: notation.interval(item[1])),
    )
    needed = "more than there are rows" if result.more_labels is None else format_count(result.more_labels)
    tiles = [Tile(needed, "more labels needed", "", f"for ±{result.half_width:g}")]
    if result.reached is not None and result.expected is not None:
        tiles.append(Tile(f"±{result.reached:.3g}", "half width reached", "", f"±{result.expected:.3g} expected"))
    pictured = any(estimate.shown is not None for estimate in result.systems.values())
    picture = [Figure(_make_forest(result).panel())] if pictured else []
    systems = pluralize(len(result.systems), "system")
    if result.groups is not None:  # one system in several groups
        systems = f"1 system in {pluralize(result.groups, 'group')}"
    return Outline(
        title=f"{card.title} from {result.labels:,} labels",
        kicker=("With planned labels", f"{format_count(result.labels)} labels", systems),
        headline=f"{card.title} of {systems} from {format_count(result.labels)} labels.",
        tiles=[Tile(format_count(result.labels), "labels"), *tiles],
        sections=[Section("Systems", [*picture, Table(*rows, search="systems")], "systems")],
        appendix=Appendix(metrics=(result.metric,), method=(_METHOD[result.basis],)),
    )
