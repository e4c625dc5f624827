"""Show labels that were planned: the metric of each system, and how many more labels are needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from infoscope.core.markup import pluralize
from infoscope.figures.comparison import ComparisonDisplay, rows_of
from infoscope.figures.display import Display
from infoscope.metrics.registry import find
from infoscope.reports.outline import Appendix, Column, Figure, Name, Outline, Section, SystemValue, Table, Tile
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
    pictured = any(estimate.shown is not None for estimate in result.systems.values())
    picture = [Figure(_make_forest(result).panel())] if pictured else []
    rows = tabulate(
        result.systems.items(),
        (Column("system", "name"), lambda item: Name(item[0])),
        (Column(card.title_in_sentence, metric=result.metric), lambda item: notation.shown(item[1])),
        (Column("interval"), lambda item: notation.interval(item[1])),
    )
    ranked = sorted(result.systems, key=lambda name: -(result.systems[name].shown or 0.0))
    if card.better == "lower":
        ranked.reverse()
    first = result.systems[ranked[0]]
    values = [SystemValue.from_estimate(name, result.systems[name], notation) for name in ranked]
    tile = Tile.from_estimate(first, notation, card.title_in_sentence)
    systems = pluralize(len(result.systems), "system")
    if result.groups is not None:  # one system in several groups
        systems = f"1 system in {pluralize(result.groups, 'group')}"
    needed = ""
    if result.more_labels is None:
        needed = f"; ±{result.half_width:g} would take more labels than there are rows"
    elif result.more_labels:
        needed = f"; {format_count(result.more_labels)} more labels bring the widest interval to ±{result.half_width:g}"
    else:
        needed = f"; the planned ±{result.half_width:g} is reached"
    labels = format_count(result.labels)
    value = f"{card.title_in_sentence} {notation.whole(first)} from {labels} labels{needed}."
    is_leader = len(ranked) > 1 and result.groups is None
    return Outline(
        title=f"{card.title} from {result.labels:,} labels",
        kicker=(f"{labels} planned labels", systems),
        headline=(Name(ranked[0], 40), f" {'is first' if is_leader else 'has'}{':' * is_leader} {value}"),
        tiles=[replace(tile, systems=values if len(values) > 1 else ())],
        stated=["more_labels_needed", "narrow_enough"],
        sections=[
            _make_label_section(result),
            Section("Systems", [*picture, Table(*rows, search="systems")], "systems", folded=True),
        ],
        appendix=Appendix(metrics=(result.metric,), method=(_METHOD[result.basis],)),
    )


def _make_label_section(result: LabelledEstimate) -> Section:
    """Show how narrow the intervals are, and how many labels make them as narrow as was wanted."""
    columns = [Column(title) for title in ("labels", "half width reached", "expected", "more labels needed")]
    needed = "more than there are rows" if result.more_labels is None else format_count(result.more_labels)
    widths = ["–" if width is None else f"±{width:.3g}" for width in (result.reached, result.expected)]
    note = f"More labels needed: for ±{result.half_width:g}."
    rows = [("widest interval", format_count(result.labels), *widths, needed)]
    table = Table([Column("", "name"), *columns], rows, note=note)
    return Section("Labels", [table], "labels")
