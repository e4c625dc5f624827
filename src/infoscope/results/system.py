"""What every system of a result answers: its metrics by name, its table, and a short representation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from infoscope.core.validation import KeywordHints
from infoscope.errors import UnknownNameError, did_you_mean, list_names, suggest_name
from infoscope.metrics.registry import find
from infoscope.results.estimate import Estimate
from infoscope.results.notation import MetricNotation

_FIRST = ("accuracy", "micro_f1", "hota", "proficiency")
"""Metrics that stand for a system, as many of them as two lines hold."""


class MeasuredSystem(KeywordHints):
    """One system of a result: its name, and its metrics by their ids."""

    name: str
    metrics: Mapping[str, Estimate]

    def estimate(self, metric: str) -> Estimate:
        """Return the estimate of a metric by id or alias, undefined if it was not evaluated; reject unknown names."""
        if metric in self.metrics:
            return self.metrics[metric]
        try:
            return self.metrics.get(find(metric).name, ABSENT)
        except UnknownNameError as error:  # metrics of trackers and label sets are found among the system's own
            hint = did_you_mean(metric, self.metrics)
            if not hint:
                raise
            raise UnknownNameError(f"there is no metric {metric!r}; {hint}") from error

    def number(self, metric: str) -> float | None:
        """Return the value of a metric in the sample; None where it is undefined or was not evaluated."""
        return self.estimate(metric).value

    def interval(self, metric: str) -> tuple[float, float] | None:
        """Return both ends of a metric's interval; None where there is none."""
        return self.estimate(metric).interval

    @property
    def table(self) -> Any:
        """The table of true and predicted classes; an AttributeError where the numbers come from no single table."""
        raise AttributeError(
            f"{self.name!r} has no table here; result.to_frame() has its numbers, and evaluate() the table of a system"
        )

    def __repr__(self) -> str:
        """Return the name and two metrics with their intervals, in three lines."""
        known = [name for name, estimate in self.metrics.items() if estimate.shown is not None]
        shown = sorted(known, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))[:2]
        size, width = getattr(self, "n", None), max(map(len, shown), default=0)
        title = getattr(self, "title", self.name)
        count = f"{len(self.metrics)} metric" + "s" * (len(self.metrics) != 1)
        head = f"{title}: {count}" + (f" of n = {size:,.10g}" if size is not None else "")
        lines = (f"  {name:<{width}}  {MetricNotation(name).whole(self.metrics[name])}" for name in shown)
        return "\n".join([head, *lines])


ABSENT = Estimate(None, undefined="not part of this evaluation")


@dataclass(frozen=True, repr=False)
class SystemMetrics(MeasuredSystem):
    """One system of a result that keeps its numbers by pairs, checks or runs: its metrics, gathered by name."""

    name: str
    metrics: Mapping[str, Estimate]
    n: float | None = None
    """Sample size, the effective one for weighted samples; None where it is not known."""


@dataclass(frozen=True, repr=False)
class TabulatedSystem(SystemMetrics):
    """The same with its table."""

    table: Any = field(default=None, compare=False)
    """Counts of true and predicted classes; None for a result that was read from a file."""


Named = TypeVar("Named")


def find_system(systems: Iterable[Named], name: str, word: str = "system") -> Named:
    """Return the first of the systems that has this name or title; reject an unknown one, with what there is.

    >>> find_system([SystemMetrics("svm", {}), SystemMetrics("tree", {})], "tre")
    Traceback (most recent call last):
    infoscope.errors.UnknownNameError: there is no system 'tre'; there is 'svm', 'tree'
    """
    known: dict[str, Named] = {}
    for system in systems:
        for title in (str(getattr(system, "name", "")), getattr(system, "title", None)):
            if title == name:
                return system
            if title is not None:
                known[title] = system
    measured = next((title for title, system in known.items() if name in getattr(system, "metrics", ())), None)
    if measured is not None:
        raise UnknownNameError(f"{name!r} is a metric and no {word}; ask for result[{measured!r}].number({name!r})")
    hint = suggest_name(name, known) if len(known) > 5 else f"there is {list_names(known)}"
    raise UnknownNameError(f"there is no {word} {name!r}; {hint}")
