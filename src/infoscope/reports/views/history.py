"""Show a history: the newest run, each system over the runs, alarms, and the cells that changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from infoscope.core.markup import pluralize
from infoscope.figures.display import Display
from infoscope.figures.run_chart import RunChartDisplay
from infoscope.metrics.registry import find
from infoscope.reports.outline import Appendix, Column, Figure, Name, Outline, Phrase, Section, Table, Tile
from infoscope.reports.shared import tabulate
from infoscope.results.notation import MetricNotation, Units, format_count, format_number, format_share
from infoscope.studies.history import History, RunSeries, format_rarity

LABEL_DOUBTS = ("relabelled", "no_common_label", "only_errors", "missing_predictions")
"""Findings by which the newest run's numbers mean something else than they seem to."""
MAX_TILES = 4
MAX_CLASS_CHARTS = 6
PICTURES: dict[str, Callable[[History], Display]] = {
    "runs": lambda result: RunChartDisplay(result, result.series[0], find(result.metric).card.title)
}
"""The first system over the runs."""


def outline(result: History, _unit: Units) -> Outline:
    """Write the outline: the newest run, the charts, the alarms, the cells."""
    title = find(result.metric).card.title
    whole = [series for series in result.series if series.label is None]
    notation = MetricNotation(result.metric)
    tiles = []
    for series in whole[:MAX_TILES]:
        name = f"{series.system}: " if len(whole) > 1 else ""
        if series.accuracy is not None:
            before = "" if series.accuracy_before is None else f"before {format_share(series.accuracy_before)}"
            tiles.append(Tile.from_estimate(series.accuracy, MetricNotation("accuracy"), f"{name}accuracy", before))
        baseline = f"before {notation.value(series.baselines[-1].mean)}" if series.baselines else ""
        tiles.append(Tile.from_estimate(series.newest.estimate, notation, f"{name}{_name_metric(result)}", baseline))
    method = (
        "z is the run minus the mean of the baseline's runs, divided by the root of the run's variance, the variance "
        "between runs (DerSimonian and Laird) and that of the mean. The baseline holds the first 30 runs that "
        "were no alarm.",
        "A run is an alarm where z is below −3, or where two of three runs are below −2; with fewer than 30 runs the "
        f"limits are Student's. For recalls the level is divided by the classes watched ({result.classes_watched}).",
        "Slow drifts and weekly rhythms widen the spread and are found late or not at all.",
        "Cells are those whose fraction of the true class differs between the baseline's runs and the newest one, at "
        "1% over all cells; the spread between runs is not part of that test.",
    )
    return Outline(
        title=f"{title} over {len(result.runs)} runs",
        kicker=(
            "History",
            pluralize(len(result.runs), "run"),
            " to ".join(dict.fromkeys(run.made[:10] for run in (result.runs[0], result.runs[-1]))),
        ),
        headline=_write_headline(result),
        tiles=tiles,
        sections=list(_make_sections(result, whole)),
        appendix=Appendix(metrics=(result.metric, "class_recall"), method=method),
    )


def _write_headline(result: History) -> Phrase:
    broken = next((found for found in result.findings if found.code in LABEL_DOUBTS), None)
    if broken is not None:
        return broken.text
    newest = len(result.runs) - 1
    whole_series = [series for series in result.series if series.label is None]
    fell = list(dict.fromkeys(alarm.system for alarm in result.alarms if alarm.run == newest))
    whole = [alarm for alarm in result.alarms if alarm.run == newest and alarm.label is None]
    if whole:
        series = result.of(whole[0].system)
        values = _describe_newest(result, series)
        return Name(series.system), " is worse in the newest run, ", Name(result.runs[-1].name), f": {values}."
    if fell:
        return "The newest run, ", Name(result.runs[-1].name), ", is worse for some classes of ", Name(fell[0]), "."
    if all(series.newest.z is None for series in result.series):
        return "Too few runs to say what to expect of the next."
    doubt = next((found for found in result.findings if found.code in ("clock_turned_back", "future_run")), None)
    if doubt is not None:
        return doubt.text
    past = len({alarm.run for alarm in result.alarms})
    before = f"; {past} earlier run{'s were alarms' if past != 1 else ' was an alarm'}" if past else ""
    best = whole_series[0]
    known = (": ", Name(best.system), f" {_describe_newest(result, best)}") if best.newest.run == newest else ()
    return "The newest run, ", Name(result.runs[-1].name), ", is like the runs before it", *known, f"{before}."


def _name_metric(result: History) -> str:
    return "captured" if result.metric == "proficiency" else find(result.metric).card.title_in_sentence


def _describe_newest(result: History, series: RunSeries) -> str:
    """Write the numbers of the newest run, the familiar one first, each with what it was before."""
    notation, parts = MetricNotation(result.metric), []
    if series.accuracy is not None:
        before = "" if series.accuracy_before is None else f", {format_share(series.accuracy_before)} before"
        parts.append(f"right in {format_share(series.accuracy.shown)} of its samples{before}")
    title = "captured information" if result.metric == "proficiency" else find(result.metric).card.title_in_sentence
    before = f", {notation.value(series.baselines[-1].mean)} before" if series.baselines else ""
    estimate = series.newest.estimate
    parts.append(f"{title} {notation.shown(estimate)} ({notation.interval(estimate)}){before}")
    return "; ".join(parts)


def _make_sections(result: History, whole: Sequence[RunSeries]) -> Iterator[Section]:
    """Show the runs of whole systems, then alarms, classes that fell and cells that changed, where there are any."""
    title, notation = find(result.metric).card.title, MetricNotation(result.metric)
    charts = [
        Figure(RunChartDisplay(result, series, title).panel(), Name(series.system), style="series") for series in whole
    ]
    newest = tabulate(
        [(series, series.newest, series.baselines[-1] if series.baselines else None) for series in whole],
        (Column("system", "name"), lambda item: Name(item[0].system)),
        (Column("runs", priority=4), lambda item: format_count(len(item[0].points))),
        (Column("newest"), lambda item: notation.shown(item[1].estimate)),
        (Column("before"), lambda item: "" if item[2] is None else notation.value(item[2].mean)),
        (Column("alarms", priority=5), lambda item: format_count(sum(point.rule != "" for point in item[0].points))),
    )
    table = Table(*newest, "The newest run of each system")
    several = [table] if len(whole) > 1 else []
    yield Section(f"{title} over the runs", [*charts, *several], "runs", link="Runs")
    if result.alarms:
        metric = find(result.metric).card.title_in_sentence
        alarms = tabulate(
            result.alarms,
            (Column("run", "name"), lambda item: Name(result.runs[item.run].name)),
            (Column("system", "name"), lambda item: Name(item.system)),
            (Column("metric", "text"), lambda item: metric if item.label is None else ("recall of ", Name(item.label))),
            (Column("z"), lambda item: format_number(item.z, "+.1f")),
            (Column("by chance", "text", priority=6), lambda item: f"1 in {format_rarity(item.chance)}"),
            (Column("rule", "text", priority=5), lambda item: item.rule),
        )
        table = Table(*alarms, "Runs that are alarms", search="alarms", max_rows=10)
        yield Section("Alarms", [table], "alarms", folded=True, aside=pluralize(len(result.alarms), "alarm"))
    expected = tabulate(
        [(series, series.newest, series.baselines[-1]) for series in whole if series.baselines],
        (Column("system", "name"), lambda item: Name(item[0].system)),
        (Column("runs of the baseline"), lambda item: format_count(item[2].runs)),
        (Column("mean"), lambda item: notation.value(item[2].mean)),
        (Column("spread between runs"), lambda item: notation.spread(item[2].spread)),
        (Column("z of the newest"), lambda item: "" if item[1].z is None else format_number(item[1].z, "+.1f")),
    )
    if any(series.baselines for series in whole):
        table = Table(*expected, "What was expected of the newest run")
        yield Section("What was expected", [table], "expected", folded=True, aside="baseline, spread between runs, z")
    by_class = {(series.system, series.label): series for series in result.series}
    fallen = dict.fromkeys((alarm.system, alarm.label) for alarm in result.alarms if alarm.label is not None)
    recalls = [
        Figure(
            RunChartDisplay(result, by_class[system, label], "recall").panel(),
            (Name(system), ": recall of ", Name(str(label))),
            style="series",
        )
        for system, label in [*fallen][:MAX_CLASS_CHARTS]
    ]
    if recalls:
        yield Section("Classes that fell", recalls, "classes", only="page", link="Classes")
    if result.changed_cells:
        cells = tabulate(
            result.changed_cells,
            (Column("system", "name"), lambda item: Name(item.system)),
            (Column("true", "name"), lambda item: Name(item.truth)),
            (Column("predicted", "name"), lambda item: Name(item.predicted)),
            (Column("baseline"), lambda item: format_share(item.before)),
            (Column("newest run"), lambda item: format_share(item.after)),
            (Column("z", priority=5), lambda item: format_number(item.z, "+.1f")),
        )
        table = Table(*cells, "Cells that changed", note="Fractions of the rows of the true class.")
        yield Section("Cells that changed", [table], "cells", link="Cells")
