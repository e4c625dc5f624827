"""Show a plan of labels: how many are needed, and what fewer or more would give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from infoscope.figures.display import Display
from infoscope.figures.judge import LabelPlanDisplay
from infoscope.reports.outline import Appendix, Column, Figure, Name, Outline, Section, Table, Tile
from infoscope.reports.shared import make_group_columns, tabulate
from infoscope.results.notation import Units, format_count
from infoscope.studies.labels import Basis, LabelPlan

PICTURES: dict[str, Callable[[LabelPlan], Display]] = {"plan": LabelPlanDisplay}


@dataclass(frozen=True)
class _Words:
    """Words that explain a plan, by what stands for the rows without a label."""

    planned: str
    random: str
    without: str
    method: tuple[str, ...]


_WORDS: dict[Basis, _Words] = {
    "latent truth": _Words(
        "half of them at random",
        "corrected by the model",
        "a plain random sample",
        (
            "Half of the labels go to random items, half to those whose unknown class matters most for the metric.",
            "The estimate from the labels is the model's expectation over all items, corrected by weighted "
            "residuals of the labelled ones: right by design, also where the model is wrong.",
        ),
    ),
    "judge": _Words(
        "by verdict and prediction",
        "with the judge",
        "the labels alone",
        (
            "Labels go to strata of verdict × prediction by their fraction of the rows times the spread of what a "
            "label does to the metric there (Neyman); rows that are labelled already count.",
            "Within a stratum, rows are drawn at random. The estimate weighs each stratum by its fraction of all rows, "
            "so that it holds for any numbers of labels per stratum.",
        ),
    ),
}


def _make_sections(result: LabelPlan) -> Iterator[Section]:
    """Show what every group needs, where labels go with a judge, and the widths of other numbers of labels."""
    split = list(result.groups[0].group) if result.groups else []
    if result.groups:
        groups = tabulate(
            result.groups,
            *make_group_columns(split),
            (Column("system", "name"), lambda item: Name(item.system)),
            (Column("labelled"), lambda item: format_count(item.labelled)),
            (Column("without a label"), lambda item: format_count(item.items)),
            (Column("± now"), lambda item: "–" if item.half_width is None else f"{item.half_width:.3f}"),
            (Column("to label"), lambda item: format_count(item.labels)),
            (
                Column("labels at random"),
                lambda item: "–" if item.labels_random is None else format_count(item.labels_random),
            ),
        )
        note = "Each group separately; of several systems, the one that needs most labels decides."
        yield Section("Groups", [Table(*groups, note=note, search="groups")], "groups")
    if result.strata:
        strata = tabulate(
            result.strata,
            *make_group_columns(split),
            (Column("verdict", "name"), lambda item: Name(item.verdict)),
            (Column("prediction", "name"), lambda item: Name(item.prediction)),
            (Column("rows"), lambda item: format_count(item.rows)),
            (Column("labelled"), lambda item: format_count(item.labelled)),
            (Column("to label"), lambda item: format_count(item.more)),
        )
        note = "Rows of a verdict and prediction are drawn at random."
        yield Section("Where the labels go", [Table(*strata, note=note, search="strata")], "strata")
    if result.curve:
        widths = tabulate(
            result.curve,
            (Column("labels"), lambda item: format_count(item.labels)),
            (Column("± planned"), lambda item: f"{item.planned:.3f}"),
            (Column("± at random"), lambda item: f"{item.random:.3f}"),
        )
        note = "The widest interval of any group, with as many labels in all groups together." if result.groups else ""
        blocks: list[Figure | Table] = [Figure(LabelPlanDisplay(result).panel()), Table(*widths, note=note)]
        yield Section("How narrow the interval gets", blocks, "widths", link="Widths")


def outline(result: LabelPlan, _unit: Units) -> Outline:
    """Write the outline: the number of labels first, then the widths of other numbers."""
    words = _WORDS[result.basis]
    tiles = []
    # groups with too few labels to plan by get their first ones apart from the plan
    first = sum(group.labels for group in result.groups if group.half_width is None)
    if first < result.labels or not first:
        tiles.append(Tile(format_count(result.labels - first), "labels, planned", "", words.planned))
    if first:
        tiles.append(Tile(format_count(first), "first labels", "", "groups with too few labels to plan by"))
    if not result.groups or any(group.half_width is not None for group in result.groups):
        number = "more than there are rows" if result.labels_random is None else format_count(result.labels_random)
        tiles.append(Tile(number, "labels at random", "", words.random))
    if result.labels_without_plan is not None:
        tiles.append(Tile(format_count(result.labels_without_plan), "labels without a plan", "", words.without))
    return Outline(
        title="Plan of labels",
        kicker=("plan of labels", f"{format_count(result.items)} items without a label"),
        headline=result.findings[0].text,
        tiles=tiles,
        tile_heads=("number", "", "how they are drawn"),
        stated=[result.findings[0].code],
        sections=list(_make_sections(result)),
        appendix=Appendix(metrics=(result.metric,), method=words.method),
    )
