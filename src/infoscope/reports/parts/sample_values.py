"""Metrics of the counts as they are, system by system, as papers print them; and which of them disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from infoscope.comparison import Comparison
from infoscope.metrics.registry import catalogue
from infoscope.reports.outline import ALL_ROWS, Block, Column, Paragraph, Table
from infoscope.reports.phrases import Inline, Name, Phrase, Strong, Term, joined, listing
from infoscope.results.notation import UNDEFINED, MetricNotation, number_text

__all__ = ["SampleValues", "compared_values", "disagreement", "sample_values", "written_value"]

SampleValues = Mapping[str, Mapping[str, float | None]]
"""By metric and system."""
MAX_SYSTEMS = 12
"""Of more systems than this no sentence says which metric prefers which."""
_EQUAL = 1e-12


def compared_values(comparison: Comparison) -> dict[str, dict[str, float | None]]:
    """Those of a comparison, systems in the order that was asked for."""
    found = {each.metric: {place.name: place.estimate.value for place in each.places} for each in comparison.ranking}
    return {metric: {name: places.get(name) for name in comparison.systems} for metric, places in found.items()}


def sample_values(
    values: SampleValues, positive: str | None = None, *, ranked: bool = True, counts: str = "the counts as they are"
) -> list[Block]:
    """A table with a row per system, the best by each metric in bold, and the sentence where metrics disagree.

    Where no system tells anything, none is ``ranked``.
    """
    systems = list(dict.fromkeys(name for found in values.values() for name in found))
    leaders = {metric: leader(metric, found) if ranked else None for metric, found in values.items()}
    columns = [
        Column("system", "name"),
        *(Column(catalogue[metric].titled(positive), metric=metric) for metric in values),
    ]
    rows = [
        (
            Name(system),
            *(
                Strong(text) if leaders[metric] == system else text
                for metric, found in values.items()
                if (text := written_value(metric, found.get(system)))
            ),
        )
        for system in systems
    ]
    note = f"Values of {counts}, without a prior (plug-in)" + "; the best by each metric in bold" * ranked + "."
    said = disagreement(values, positive) if ranked else None
    return [Table(columns, rows, note=note, max_rows=ALL_ROWS), *([Paragraph(said)] if said else [])]


def leader(metric: str, found: Mapping[str, float | None]) -> str | None:
    """The one system that is first by a metric; None where several are, or where neither end is better."""
    card = catalogue[metric]
    known = {name: value for name, value in found.items() if value is not None}
    if card.better == "none" or len(known) < 2:
        return None
    sign = -1.0 if card.better == "lower" else 1.0
    ordered = sorted(known, key=lambda name: -sign * known[name])
    gap = abs(known[ordered[0]] - known[ordered[1]])
    return ordered[0] if gap > _EQUAL * max(1.0, abs(known[ordered[0]])) else None


def disagreement(values: SampleValues, positive: str | None = None) -> Phrase | None:
    """Which metrics put which system first, where they do not all say the same; None where they do."""
    by_leader: dict[str, list[str]] = {}
    for metric, found in values.items():
        first = leader(metric, found) if len(found) <= MAX_SYSTEMS else None
        if first is not None:
            by_leader.setdefault(first, []).append(metric)
    if len(by_leader) < 2:
        return None

    def titles(metrics: Sequence[str]) -> tuple[Inline, ...]:
        cards = [(metric, catalogue[metric]) for metric in metrics]
        return listing([Term(metric, card.title_in_sentence + card.of_class(positive)) for metric, card in cards])

    parts = [
        (Name(system), " by " if at else " is first by ", *titles(metrics))
        for at, (system, metrics) in enumerate(by_leader.items())
    ]
    return ("In this sample the metrics disagree: ", *joined(parts, "; "), ".")


def written_value(metric: str, value: float | None) -> str:
    """A number of the counts with the digits that papers print."""
    if value is None:
        return UNDEFINED
    return f"{value:.2%}" if MetricNotation(metric).is_share else number_text(value, ".4f")
