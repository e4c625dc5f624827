"""Conditions of a gate on one system, each passed, failed, or left open by too little data."""

from __future__ import annotations

from math import isnan
from typing import Literal

from infoscope.errors import InputError, UnknownNameError
from infoscope.evaluation.result import SystemResult
from infoscope.inputs import check_costs_stated
from infoscope.metrics.registry import find
from infoscope.posterior.missing_classes import CLASS_COUNT_METRICS
from infoscope.quick_dataclasses import dataclass
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.notation import MetricNotation

__all__ = ["Check", "Condition", "Outcome", "Side"]

Outcome = Literal["passed", "failed", "inconclusive"]
Side = Literal["min", "max"]
_PARTS = ("value", "mean", "sd", "low", "high")


@dataclass(frozen=True)
class Condition:
    """A number of a result that must not be below (or above) a limit."""

    side: Side
    metric: str
    part: str | None
    """Which number of the metric; None asks for the whole interval on the right side."""
    limit: float

    @classmethod
    def asked(cls, side: Side, words: str) -> Condition:
        """From METRIC=NUMBER or METRIC.PART=NUMBER.

        >>> Condition.asked("min", "proficiency.low=0.6")
        Condition(side='min', metric='proficiency', part='low', limit=0.6)
        """
        left, sign, right = words.partition("=")
        name, _, part = left.strip().partition(".")
        try:
            limit = float(right)
        except ValueError:
            limit = float("nan")
        if not sign or not name or isnan(limit):
            raise InputError(
                f"--{side} is {words!r}; write METRIC=NUMBER or METRIC.PART=NUMBER, as proficiency.low=0.6"
            )
        if part and part not in _PARTS:
            raise UnknownNameError(f"--{side} {words}: a metric has no {part!r}; it has {', '.join(_PARTS)}")
        entry = find(name)
        if entry.card.level != "table":
            raise InputError(
                f"--{side} {words}: {entry.name} is a number of each class; a gate asks for one of the whole"
            )
        low, high = entry.card.range
        if part != "sd" and not low <= limit <= high:
            percent = f"; write {limit / 100:g} for {limit:g}%" if high == 1 < limit <= 100 else ""
            raise InputError(f"--{side} {words}: {entry.name} lies between {low:g} and {high:g}{percent}")
        return cls(side, entry.name, part or None, limit)

    def __str__(self) -> str:
        """As a person reads it."""
        return self._about(None)

    def _about(self, positive: str | None) -> str:
        """The same with the class that the metric is about."""
        name = self.metric if self.part is None else f"{self.metric}.{self.part}"
        about = find(self.metric).card.of_class(positive)
        return f"{name}{about} {'at least' if self.side == 'min' else 'at most'} {self.limit:g}"

    def check(self, system: SystemResult) -> Check:
        """Whether a system meets it."""
        estimate = system.metrics.get(self.metric)
        if estimate is None:
            check_costs_stated(find(self.metric), stated=False)
            raise InputError(f"{self.metric} is about ordered classes; state their order with --ordinal (ordinal=)")
        if estimate.value is None:
            return self._checked(system, "failed", f"{self.metric} is undefined: {estimate.undefined}")
        if self.part in ("value", "mean", "sd"):
            number = getattr(estimate, self.part)
            if number is None and self._lacks_classes(system):
                return self._without_interval(system, estimate)
            if number is None:
                raise InputError(
                    f"{self.metric} has no {self.part} here; state the sample size with --sample-size, or ask for "
                    f"{self.metric}.value"
                )
            met = number >= self.limit if self.side == "min" else number <= self.limit
            text = f"it is {MetricNotation(self.metric).value(number)}"
            return self._checked(system, "passed" if met else "failed", text)
        return self._check_interval(system, estimate)

    def _check_interval(self, system: SystemResult, estimate: Estimate) -> Check:
        """A limit that lies inside the interval is neither met nor missed."""
        if estimate.low is None or estimate.high is None:
            if self._lacks_classes(system):
                return self._without_interval(system, estimate)
            what = f"{self.metric} of {system.title!r} has no interval"
            raise InputError(f"{what}; state the sample size with --sample-size, or ask for {self.metric}.value")
        near, far = (estimate.low, estimate.high) if self.side == "min" else (-estimate.high, -estimate.low)
        limit = self.limit if self.side == "min" else -self.limit
        asked = far if self.part == ("high" if self.side == "min" else "low") else near
        outcome: Outcome = "passed" if asked >= limit else "failed" if far < limit else "inconclusive"
        return self._checked(system, outcome, f"it is {MetricNotation(self.metric).whole(estimate)}")

    def _lacks_classes(self, system: SystemResult) -> bool:
        """Whether the interval is withheld because the metric would change with classes that no row shows."""
        return self.metric in CLASS_COUNT_METRICS and any(f.code == "unseen_classes" for f in system.diagnosis)

    def _without_interval(self, system: SystemResult, estimate: Estimate) -> Check:
        """Open: more rows, or all classes by name, would settle it."""
        text = (
            f"it is {MetricNotation(self.metric).whole(estimate)}, without an interval: it moves with the number of "
            f"classes, and some occur in no row. State all classes with labels= (--classes), or ask for "
            f"{self.metric}.value"
        )
        return self._checked(system, "inconclusive", text)

    def _checked(self, system: SystemResult, outcome: Outcome, text: str) -> Check:
        estimate = system.metrics[self.metric]
        return Check(system.title, self._about(system.positive), outcome, text, estimate, self.metric)


@dataclass(frozen=True)
class Check:
    """One condition on one system, and how that went."""

    system: str
    condition: str
    outcome: Outcome
    text: str
    estimate: Estimate | None = None
    metric: str = ""
    difference: Difference | None = None
    """The system minus the baseline, where the condition is about one."""
