"""What is shown first of an evaluation that was asked for by metrics of the reader's own choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from infoscope.metrics.registry import catalogue
from infoscope.reports.outline import ALL_ROWS, Block, Cell, Column, Paragraph, Section, Table, Tile
from infoscope.reports.parts.disagreement import disagreement
from infoscope.reports.parts.item_tables import ItemColumn, group_columns, listed
from infoscope.reports.phrases import Name, Phrase, Strong
from infoscope.results.notation import UNDEFINED, MetricNotation, Units
from infoscope.studies.evaluate import Evaluation, SystemResult

MANY_METRICS = 4
"""From this many on, the columns of a table are headed by symbols."""


def chosen_sentences(evaluation: Evaluation, unit: Units) -> Iterator[Phrase]:
    """The chosen metrics of the system that is first by them, in a sentence; without information, none is first."""
    if not evaluation.metrics:
        return
    leader = _leader(evaluation, unit)
    said = []
    for tile in list(chosen_tiles(evaluation, leader, unit))[:MANY_METRICS]:
        within = f" ({tile.interval})" if tile.interval else ""
        said.append(f"{tile.word} {tile.number}{within}" if tile.number != UNDEFINED else f"{tile.word} is undefined")
    more = len(evaluation.metrics) - len(said)
    below = f" and {more} more below" if more > 0 else ""
    many = len(evaluation.systems)
    first = _ranking_metric(evaluation)
    rank = ""
    is_ranked = leader.is_informative or leader.group is not None
    if many > 1 and first is not None and is_ranked and leader.shown(first) is not None:
        by = f" by {catalogue[first].title_in_sentence}" * (len(evaluation.metrics) > 1)
        rank = f", last of {many} results{by}" if leader.group else f", first of {many} systems{by}"
    yield (Name(leader.title, 48), f": {', '.join(said)}{below}{rank}.")


def _ranking_metric(evaluation: Evaluation) -> str | None:
    """The first chosen metric of which more or less is better; a number of classes, for example, ranks nothing."""
    return next((name for name in evaluation.metrics if catalogue[name].better != "none"), None)


def _ranked(systems: Sequence[SystemResult], metric: str | None, unit: Units) -> list[SystemResult]:
    """The best by this metric first, of groups the worst, in their order where there is none."""
    if metric is None:
        return list(systems)
    notation = MetricNotation(metric, unit)
    worst_first = any(system.group for system in systems)
    return sorted(systems, key=lambda system: _rank(system, notation, worst_first=worst_first))


def _leader(evaluation: Evaluation, unit: Units) -> SystemResult:
    """The best by the chosen metrics of the systems that capture information; of groups the worst."""
    contenders = [system for system in evaluation.ranking if system.is_informative or system.group]
    contenders = contenders or list(evaluation.ranking)
    return _ranked(contenders, _ranking_metric(evaluation), unit)[0]


def chosen_tiles(evaluation: Evaluation, system: SystemResult, unit: Units) -> Iterator[Tile]:
    """One tile for each chosen metric."""
    for name in evaluation.metrics:
        card = catalogue[name]
        yield Tile.of(system.estimate(name), MetricNotation(name, unit), card.titled(system.positive), card.symbol)


def chosen_section(evaluation: Evaluation, unit: Units) -> list[Section]:
    """Several systems by the chosen metrics, the best by the first of them that ranks systems on top."""
    if not evaluation.metrics or len(evaluation.systems) == 1:
        return []
    notations = [MetricNotation(name, unit) for name in evaluation.metrics]
    heads, legend = _heads(evaluation.metrics)
    first = _ranking_metric(evaluation)
    ranked = _ranked(evaluation.ranking, first, unit)
    tables: list[Block] = [_estimates(ranked, notations, heads, legend)]
    said = _disagreement(evaluation)
    tables += [] if said is None else [Paragraph(said)]
    by = catalogue[first or evaluation.metrics[0]].title_in_sentence
    return [Section(f"Systems by {by}", tables, "chosen")]


def _disagreement(evaluation: Evaluation) -> Phrase | None:
    """Which of the chosen metrics put which system first, where rows are not split into groups."""
    if any(system.group for system in evaluation.systems):
        return None
    values = {
        name: {system.name: system.estimate(name).value for system in evaluation.systems} for name in evaluation.metrics
    }
    return disagreement(values, evaluation.systems[0].positive)


def _heads(names: Sequence[str]) -> tuple[list[str], str]:
    """Titles of a few metrics; of more the symbols, so that all have room, with what they mean."""
    if len(names) < MANY_METRICS:
        return [catalogue[name].title for name in names], ""
    symbols = [catalogue[name].symbol for name in names]
    stated = [f"{symbol} {catalogue[name].title_in_sentence}" for symbol, name in zip(symbols, names, strict=True)]
    return symbols, f"{', '.join(stated)}."


def _name_columns(systems: Sequence[SystemResult]) -> list[ItemColumn[SystemResult]]:
    """The columns that name a group and a system."""
    groups = dict.fromkeys(key for system in systems for key in system.group or {})
    return [*group_columns(groups), (Column("system", "name"), lambda each: Strong(each.name))]


def _estimates(
    systems: Sequence[SystemResult], notations: Sequence[MetricNotation], heads: Sequence[str], legend: str
) -> Table:
    """Return each metric with its interval, and the sample's value where that is another."""
    columns = _name_columns(systems)
    for notation, head in zip(notations, heads, strict=True):
        columns.append((Column(head, metric=notation.metric), partial(_shown, notation)))
        if any(_interval(notation, system) for system in systems):
            columns.append((Column("interval", priority=5), partial(_interval, notation)))
        if any(_in_sample(notation, system) for system in systems):
            columns.append((Column("in sample", priority=4), partial(_in_sample, notation)))
    return Table(*listed(systems, *columns), note=legend, search="systems", max_rows=ALL_ROWS)


def _shown(notation: MetricNotation, system: SystemResult) -> Cell:
    return Strong(notation.shown(system.estimate(notation.metric)))


def _interval(notation: MetricNotation, system: SystemResult) -> Cell:
    return notation.interval(system.estimate(notation.metric))


def _in_sample(notation: MetricNotation, system: SystemResult) -> str:
    return notation.in_sample(system.estimate(notation.metric))


def _rank(system: SystemResult, notation: MetricNotation, *, worst_first: bool) -> tuple[bool, float]:
    """The best, or the worst, by a metric first; undefined ones last."""
    value = system.shown(notation.metric)
    return (value is None, 0.0 if value is None else value if notation.lowest_first != worst_first else -value)
