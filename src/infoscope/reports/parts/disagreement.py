"""Which metrics put which system first, where they disagree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from infoscope.metrics.registry import catalogue
from infoscope.reports.phrases import Inline, Name, Phrase, Term, joined, listing

SampleValues = Mapping[str, Mapping[str, float | None]]
"""By metric and system."""
MAX_SYSTEMS = 12
"""Of more systems than this no sentence says which metric prefers which."""
_EQUAL = 1e-12


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
