"""What is shown first of an evaluation that was asked for by metrics of the reader's own choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from infoscope.evaluation import Evaluation, SystemResult
from infoscope.metrics.registry import catalogue
from infoscope.reports.numbers import UNDEFINED, MetricNotation, Units
from infoscope.reports.outline import Block, Cell, Column, Name, Paragraph, Phrase, Section, Strong, Table, Tile, reason
from infoscope.reports.views.metric_choice import ABSENT
from infoscope.reports.views.sample_values import disagreement

__all__ = ["chosen_section", "chosen_sentences", "chosen_tiles"]

MANY_METRICS = 4
"""From so many on, the columns of a table are headed by symbols."""


def chosen_sentences(evaluation: Evaluation, unit: Units) -> Iterator[Phrase]:
    """The chosen metrics of the system that is first by them, in a sentence; without information, none is first."""
    if not evaluation.metrics:
        return
    leader = _leader(evaluation, unit)
    said = []
    for tile in chosen_tiles(evaluation, leader, unit):
        within = f" ({tile.interval})" if tile.interval else ""
        said.append(f"{tile.word} {tile.number}{within}" if tile.number != UNDEFINED else f"{tile.word} is undefined")
    many = len(evaluation.systems)
    first = catalogue[evaluation.metrics[0]]
    leads = many > 1 and leader.is_informative and leader.shown(evaluation.metrics[0]) is not None
    rank = ""
    if leads and first.better != "none":
        by = f" by {first.title}" * (len(evaluation.metrics) > 1)
        rank = f", first of {many} {'results' if leader.group else 'systems'}{by}"
    yield (Name(leader.title, 48), f": {', '.join(said)}{rank}.")


def _leader(evaluation: Evaluation, unit: Units) -> SystemResult:
    """The best by the first chosen metric of the systems that capture information."""
    notation = MetricNotation(evaluation.metrics[0], unit)
    contenders = [system for system in evaluation.ranking if system.is_informative] or list(evaluation.ranking)
    return min(contenders, key=lambda system: _rank(system, notation))


def chosen_tiles(evaluation: Evaluation, system: SystemResult, unit: Units) -> Iterator[Tile]:
    """One tile for each chosen metric."""
    for name in evaluation.metrics:
        estimate, notation = system.metrics.get(name, ABSENT), MetricNotation(name, unit)
        note = reason(estimate.undefined) if estimate.shown is None else catalogue[name].symbol
        title = catalogue[name].titled(system.positive)
        yield Tile(notation.shown(estimate), title, notation.interval(estimate), note, name)


def chosen_section(evaluation: Evaluation, unit: Units) -> list[Section]:
    """Several systems by the chosen metrics, the best by the first of them on top."""
    if not evaluation.metrics or len(evaluation.systems) == 1:
        return []
    notations = [MetricNotation(name, unit) for name in evaluation.metrics]
    heads, legend = _heads(evaluation.metrics)
    ranked = sorted(evaluation.ranking, key=lambda system: _rank(system, notations[0]))
    first = catalogue[evaluation.metrics[0]].title
    tables: list[Block] = [_estimates(ranked, notations, heads, legend)]
    if any(system.metrics.get(name, ABSENT).low is not None for system in ranked for name in evaluation.metrics):
        tables.append(_plug_ins(ranked, notations, heads))
    said = _disagreement(evaluation)
    tables += [] if said is None else [Paragraph(said)]
    return [Section(f"Systems by {first[:1].lower()}{first[1:]}", tables, "chosen")]


def _disagreement(evaluation: Evaluation) -> Phrase | None:
    """Which of the chosen metrics put which system first, where rows are not split into groups."""
    if any(system.group for system in evaluation.systems):
        return None
    values = {
        name: {system.name: system.metrics.get(name, ABSENT).value for system in evaluation.systems}
        for name in evaluation.metrics
    }
    return disagreement(values, evaluation.systems[0].positive)


def _heads(names: Sequence[str]) -> tuple[list[str], str]:
    """Titles of a few metrics; of more the symbols, so that all have room, with what they mean."""
    if len(names) < MANY_METRICS:
        return [catalogue[name].title for name in names], ""
    symbols = [catalogue[name].symbol for name in names]
    stated = [f"{symbol} {catalogue[name].title.lower()}" for symbol, name in zip(symbols, names, strict=True)]
    return symbols, f"{', '.join(stated)}."


def _named(systems: Sequence[SystemResult]) -> tuple[list[Column], list[list[Cell]]]:
    """The columns that name a system and its group, and what stands in them."""
    groups = list(dict.fromkeys(key for system in systems for key in system.group or {}))
    columns = [*(Column(key, "name") for key in groups), Column("system", "name")]
    return columns, [
        [*(Name((system.group or {}).get(key, "")) for key in groups), Strong(system.name)] for system in systems
    ]


def _estimates(
    systems: Sequence[SystemResult], notations: Sequence[MetricNotation], heads: Sequence[str], legend: str
) -> Table:
    """What is believed of each metric, with its interval."""
    columns, rows = _named(systems)
    for notation, head in zip(notations, heads, strict=True):
        columns += [Column(head, metric=notation.metric), Column("interval", priority=5)]
    for system, cells in zip(systems, rows, strict=True):
        for notation in notations:
            estimate = system.metrics.get(notation.metric, ABSENT)
            cells += [Strong(notation.shown(estimate)), notation.interval(estimate)]
    return Table(columns, [tuple(cells) for cells in rows], note=legend, search="systems", max_rows=len(rows))


def _plug_ins(systems: Sequence[SystemResult], notations: Sequence[MetricNotation], heads: Sequence[str]) -> Table:
    """The metrics of the counts as they are, as papers print them."""
    columns, rows = _named(systems)
    columns += [Column(head, metric=notation.metric) for notation, head in zip(notations, heads, strict=True)]
    for system, cells in zip(systems, rows, strict=True):
        cells += [notation.plug_in(system.metrics.get(notation.metric, ABSENT)) for notation in notations]
    note = "The same in this sample, without a prior (plug-in values)."
    return Table(columns, [tuple(cells) for cells in rows], note=note, max_rows=len(rows))


def _rank(system: SystemResult, notation: MetricNotation) -> tuple[bool, float]:
    """The best by a metric first; undefined ones last."""
    value = system.shown(notation.metric)
    return (value is None, 0.0 if value is None else value if notation.lowest_first else -value)
