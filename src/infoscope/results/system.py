"""What every system of a result answers: its metrics by name, and a short representation."""

from __future__ import annotations

from collections.abc import Mapping

from infoscope.results.estimate import Estimate
from infoscope.results.notation import MetricNotation

_FIRST = ("accuracy", "micro_f1", "hota", "proficiency")
"""Metrics that stand for a system, as many of them as two lines hold."""


class MeasuredSystem:
    """One system of a result: its name, and its metrics by their ids."""

    name: str
    metrics: Mapping[str, Estimate]

    def estimate(self, metric: str) -> Estimate:
        """Return the estimate of a metric, or an undefined one if the metric was not evaluated."""
        return self.metrics.get(metric, ABSENT)

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
