"""The classes that cost most: what a failed build should look at first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from infoscope.evaluation.result import Evaluation, SystemResult
from infoscope.results.estimate import Estimate

__all__ = ["WorstClass", "worst_classes"]

MOST = 5
"""Classes of a system that are named."""


@dataclass(frozen=True)
class WorstClass:
    """A true class that causes much of a system's missed information."""

    system: str
    label: str
    samples: float
    recall: Estimate
    missed_share: float
    """Part of all missed information that samples of the class cause."""
    predicted: str | None = None
    """The wrong class that its samples get most often."""
    count: float = 0.0
    """How many samples get it."""

    @property
    def text(self) -> str:
        """The class in a sentence without a full stop."""
        low, high = self.recall.low, self.recall.high
        within = "" if low is None or high is None else f" ({low:.0%} – {high:.0%})"
        recall = "" if self.recall.shown is None else f", recall {self.recall.shown:.0%}{within}"
        wrong = f", most often predicted as '{self.predicted}' ({self.count:,.4g} samples)" if self.predicted else ""
        return f"'{self.label}' causes {self.missed_share:.0%} of the missed information{recall}{wrong}"


def worst_classes(evaluation: Evaluation) -> Iterator[WorstClass]:
    """Of each system the classes that miss most, the worst first; none where predictions are clusters."""
    for system in evaluation.systems:
        if system.clusters is None:
            found = [each for each in _classes(system) if each.recall.value is not None and each.recall.value < 1]
            yield from sorted(found, key=lambda each: -each.missed_share)[:MOST]


def _classes(system: SystemResult) -> Iterator[WorstClass]:
    for each in system.classes:
        recall, missed = each.values.get("recall"), each.shown("missed_share")
        if recall is None or not missed:
            continue
        wrong = [leak for leak in system.leaks if leak.truth == each.label != leak.system]
        most = max(wrong, key=lambda leak: leak.count, default=None)
        yield WorstClass(
            system.title,
            each.label,
            each.number("support") or 0.0,
            recall,
            missed,
            None if most is None else most.system,
            0.0 if most is None else most.count,
        )
