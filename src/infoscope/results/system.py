"""What every system of a result answers: its metrics by name, and a short representation."""

from __future__ import annotations

from collections.abc import Mapping

from infoscope.errors import UnknownNameError, did_you_mean
from infoscope.metrics.registry import find
from infoscope.results.estimate import Estimate
from infoscope.results.notation import MetricNotation

_FIRST = ("accuracy", "micro_f1", "hota", "proficiency")
"""Metrics that stand for a system, as many of them as two lines hold."""


class MeasuredSystem:
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

    def __repr__(self) -> str:
        """Return the name and two metrics with their intervals, in three lines."""
        known = [name for name, estimate in self.metrics.items() if estimate.shown is not None]
        shown = sorted(known, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))[:2]
        size, width = getattr(self, "n", None), max(map(len, shown), default=0)
        title = getattr(self, "title", self.name)
        head = f"{title}: {len(self.metrics)} metrics" + (f" of n = {size:,.10g}" if size is not None else "")
        lines = (f"  {name:<{width}}  {MetricNotation(name).whole(self.metrics[name])}" for name in shown)
        return "\n".join([head, *lines])


ABSENT = Estimate(None, undefined="not part of this evaluation")
