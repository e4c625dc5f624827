"""Conditions of a gate on one system, each passed, failed, or left open by too little data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal

from scipy.special import betaincinv

from infoscope.errors import InputError, UnknownNameError
from infoscope.metrics.registry import Metric, find
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.notation import MetricNotation
from infoscope.studies.diagnose import WITHHELD_METRICS
from infoscope.studies.evaluate.result import ABSENT, SystemResult
from infoscope.studies.inputs import check_costs_stated
from infoscope.tables.labels import few_of

__all__ = ["Check", "Condition", "Outcome", "Side"]

Outcome = Literal["passed", "failed", "inconclusive"]
Side = Literal["min", "max"]
_PARTS = ("value", "mean", "sd", "low", "high")
_WORST = "min_class_"
_WRITTEN = re.compile(
    r"\s*(?P<name>[^\[\]=.]+?)\s*(?:\[(?P<label>.*)\])?\s*(?:\.(?P<part>\w+)\s*)?=(?P<limit>[^=]*)", re.DOTALL
)
"""The label reaches to the last bracket: it may hold brackets and signs of equality itself."""


@dataclass(frozen=True)
class Condition:
    """A number of a result that must not be below (or above) a limit."""

    side: Side
    metric: str
    part: str | None
    """Which number of the metric; None asks for the whole interval on the right side."""
    limit: float
    label: str | None = None
    """The class that it is about, where the metric has a number for each."""
    worst: bool = False
    """Whether it is about the class with the lowest number."""

    @classmethod
    def asked(cls, side: Side, words: str) -> Condition:
        """From METRIC=NUMBER or METRIC.PART=NUMBER, where METRIC may be METRIC[LABEL] or min_class_METRIC.

        >>> Condition.asked("min", "proficiency.low=0.6").part, Condition.asked("min", "recall[a]=b]=0.3").label
        ('low', 'a]=b')
        """
        written = _WRITTEN.fullmatch(words)
        name, label, part = (None, None, None) if written is None else written.group("name", "label", "part")
        try:
            limit = float("nan" if written is None else written["limit"])
        except ValueError:
            limit = float("nan")
        if name is None or isnan(limit):
            raise InputError(
                f"--{side} is {words!r}; write METRIC=NUMBER or METRIC.PART=NUMBER, as proficiency.low=0.6, of one "
                "class METRIC[LABEL]=NUMBER, as recall[spam]=0.3"
            )
        if part and part not in _PARTS:
            raise UnknownNameError(f"--{side} {words}: a metric has no {part!r}; it has {', '.join(_PARTS)}")
        worst = name.lower().replace("-", "_").startswith(_WORST)
        if worst and (label is not None or side == "max"):
            raise InputError(f"--{side} {words}: {name} is about the worst of all classes; write --min {name}=NUMBER")
        entry = _find_of_class(name[len(_WORST) :] if worst else name) if worst or label is not None else find(name)
        if entry.card.level != ("table" if label is None and not worst else "truth"):
            rate = entry.name.removeprefix("class_")
            raise InputError(
                f"--{side} {words}: {entry.name} is a number of each class; name one class, as {rate}[LABEL]=NUMBER, "
                f"or ask for the worst, as {_WORST}{rate}=NUMBER"
            )
        low, high = entry.card.range
        if part != "sd" and not low <= limit <= high:
            percent = f"; write {limit / 100:g} for {limit:g}%" if high == 1 < limit <= 100 else ""
            raise InputError(f"--{side} {words}: {entry.name} lies between {low:g} and {high:g}{percent}")
        return cls(side, entry.name, part or None, limit, label, worst)

    def __str__(self) -> str:
        """As a person reads it."""
        return self._about(None)

    def _about(self, positive: str | None) -> str:
        """The same with the class that the metric is about."""
        name = self.metric if not (self.worst or self.label is not None) else self.metric.removeprefix("class_")
        about = find(self.metric).card.of_class(positive) if self.label is None else f" of '{self.label}'"
        part = "" if self.part is None else f".{self.part}"
        bound = "at least" if self.side == "min" else "at most"
        return f"{_WORST if self.worst else ''}{name}{part}{about} {bound} {self.limit:g}"

    @property
    def _written(self) -> str:
        """The metric as it is asked for."""
        rate = self.metric.removeprefix("class_")
        return f"{_WORST}{rate}" if self.worst else self.metric if self.label is None else f"{rate}[{self.label}]"

    def check(self, system: SystemResult, *, broken_labels: bool = False) -> Check:
        """Whether a system meets it; with broken labels, which fail the gate, undefined is failed and no error."""
        of_classes = dict(self._of_classes(system)) if self.worst or self.label is not None else {}
        if self.metric not in system.metrics and not of_classes:
            check_costs_stated(find(self.metric), stated=False)
            raise InputError(f"{self.metric} is about ordered classes; state their order with --ordinal (ordinal=)")
        estimates = list(of_classes.values()) or [system.metrics[self.metric]]
        undefined = [(label, x) for label, x in zip(of_classes or [None], estimates, strict=True) if x.value is None]
        estimate = min(estimates, key=lambda x: -1.0 if x.value is None else x.value)
        condition, metric = self._about(system.positive), self.metric
        if undefined and broken_labels:
            text = f"{metric} is undefined: {estimate.undefined}"
            return Check(system.title, condition, "failed", text, estimate, metric)
        for label, unknown in undefined:
            about = "" if label is None else f" of the class {label!r}"
            instead = f"; of one class it is {metric}[LABEL]" if metric in ("recall", "precision", "f1") else ""
            raise InputError(f"{metric}{about} is undefined for {system.title!r}: {unknown.undefined}{instead}")
        shown = MetricNotation(metric).whole(estimate)
        text = f"it is {shown}"
        if self.worst:
            lowest = next(label for label, x in of_classes.items() if x is estimate)
            text += f" for '{lowest}', the lowest of {len(of_classes)} classes"
        if self.part in ("value", "mean", "sd"):
            numbers = [number for x in estimates if (number := getattr(x, self.part)) is not None]
            if len(numbers) == len(estimates):
                met = min(numbers) >= self.limit if self.side == "min" else numbers[0] <= self.limit
                shown = MetricNotation(metric).value(min(numbers))
                text = text if self.worst else f"it is {shown}"
                return Check(system.title, condition, "passed" if met else "failed", text, estimate, metric)
        elif all(x.interval is not None for x in estimates):
            return Check(system.title, condition, self._outcome(system, estimates), text, estimate, metric)
        instead = f"ask for {self._written}.value"
        if system.n is None or find(metric).card.posterior == "none":
            what = self.part if self.part in ("mean", "sd") else "interval"
            raise InputError(
                f"{metric} of {system.title!r} has no {what} here; state the sample size with --sample-size, or "
                f"{instead}"
            )
        why = "these data do not allow one"
        withheld = {f.code for f in system.diagnosis if metric in WITHHELD_METRICS.get(f.code, ())}
        if "dominant_class" in withheld:
            why = "one class has nearly all samples. Collect samples of the others"
        if "unseen_classes" in withheld:
            why = "it moves with the number of classes, and some occur in no row. "
            why += "State all classes with labels= (--classes)"
        text += f", without an interval: {why}, or {instead}"
        return Check(system.title, condition, "inconclusive", text, estimate, metric)

    def _outcome(self, system: SystemResult, estimates: Sequence[Estimate]) -> Outcome:
        """A limit that lies inside the interval is neither met nor missed.

        All classes meet it where the worst one does, and with many classes one of them lies above its interval by
        chance: the far ends are those of intervals for all classes together (Bonferroni).
        """
        level = 0.95 if system.interval is None else system.interval.level
        nears, fars = [], []
        for estimate in estimates:
            low, high = estimate.interval or (float("nan"), float("nan"))
            if len(estimates) > 1:
                high = max(high, _upper_end(estimate, 1 - (1 - level) / len(estimates)))
            near, far = (low, high) if self.side == "min" else (-high, -low)
            nears.append(far if self.part == ("high" if self.side == "min" else "low") else near)
            fars.append(far)
        limit = self.limit if self.side == "min" else -self.limit
        return "passed" if min(nears) >= limit else "failed" if min(fars) < limit else "inconclusive"

    def _of_classes(self, system: SystemResult) -> Iterator[tuple[str, Estimate]]:
        """The metric of the class that is named, or of each true class."""
        rate = self.metric.removeprefix("class_")
        outputs = {line.label: line.values for line in system.outputs}
        labels = [line.label for line in system.classes]
        if self.label is not None and self.label not in labels:
            few = few_of(labels, 8)
            raise UnknownNameError(f"{self._about(None)}: {system.title!r} has no class {self.label!r}; it has {few}")
        for line in system.classes:
            is_meant = line.label == self.label if self.label is not None else bool(line.number("support"))
            if is_meant:  # of predictions, which is where precision has its interval
                of_output = outputs.get(line.label, {}).get(rate, ABSENT)
                yield line.label, of_output if of_output.value is not None else line.values.get(rate, ABSENT)


def _find_of_class(name: str) -> Metric:
    """The metric with a number per class that a name means there, as recall means class_recall."""
    try:
        return find(name if name.startswith("class_") else f"class_{name}")
    except UnknownNameError:
        find(name)
        raise UnknownNameError(f"there is no {name} of each class; there are recall, precision and f1") from None


def _upper_end(estimate: Estimate, level: float) -> float:
    """The upper end of a wider interval, of the beta distribution with this mean and sd."""
    mean, sd = estimate.mean, estimate.sd
    if mean is None or not sd or not 0 < mean < 1:
        return 1.0 if mean is None else mean
    size = mean * (1 - mean) / sd**2 - 1
    return float(betaincinv(mean * size, (1 - mean) * size, (1 + level) / 2)) if size > 0 else 1.0


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
