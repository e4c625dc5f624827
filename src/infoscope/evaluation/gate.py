"""A gate: conditions on a result, each passed, failed, or left open by too little data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot
from typing import Any, ClassVar, Literal, Self, get_args

from infoscope.errors import InputError, UnknownNameError
from infoscope.evaluation.result import Evaluation, SystemResult
from infoscope.metrics.registry import find
from infoscope.records import parsed
from infoscope.results.base import Result
from infoscope.results.codec import Json
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance

__all__ = ["Baseline", "Check", "Condition", "Gate", "judge"]

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
        if not sign or not name or limit != limit:  # noqa: PLR0124 - NaN
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
        estimate = system.metrics[self.metric]
        if estimate.value is None:
            return self._checked(system, "failed", f"{self.metric} is undefined: {estimate.undefined}")
        if self.part in ("value", "mean", "sd"):
            number = getattr(estimate, self.part)
            if number is None:
                raise InputError(
                    f"{self.metric} has no {self.part} here; state the sample size with --sample-size, or ask for "
                    f"{self.metric}.value"
                )
            met = number >= self.limit if self.side == "min" else number <= self.limit
            return self._checked(system, "passed" if met else "failed", f"it is {number:.4g}")
        return self._check_interval(system, estimate)

    def _check_interval(self, system: SystemResult, estimate: Estimate) -> Check:
        """A limit that lies inside the interval is neither met nor missed."""
        if estimate.low is None or estimate.high is None:
            raise InputError(
                f"{self.metric} of {system.title!r} has no interval; state the sample size with --sample-size, or ask "
                f"for {self.metric}.value"
            )
        near, far = (estimate.low, estimate.high) if self.side == "min" else (-estimate.high, -estimate.low)
        limit = self.limit if self.side == "min" else -self.limit
        asked = far if self.part == ("high" if self.side == "min" else "low") else near
        outcome: Outcome = "passed" if asked >= limit else "failed" if far < limit else "inconclusive"
        text = f"it is {estimate.shown:.4g}, between {estimate.low:.4g} and {estimate.high:.4g}"
        return self._checked(system, outcome, text)

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


@dataclass(frozen=True)
class Baseline:
    """An earlier evaluation, and what it means to be no worse."""

    evaluation: Evaluation
    metrics: Sequence[str]
    tolerance: float
    proven: bool
    """Whether "not worse" must be demonstrated; else only being significantly worse fails."""
    name: str = "the baseline"
    """Of its file."""

    @classmethod
    def load(cls, text: str, name: str, **options: Any) -> Baseline:
        """From the JSON of ``infoscope evaluate --format json``."""
        try:
            record = parsed(text)
        except InputError as error:
            raise InputError(
                f"{name} is not JSON: {error}; a baseline is written by `infoscope evaluate --format json`"
            ) from None
        try:
            found = Evaluation.from_dict(record)
        except InputError as error:
            raise InputError(
                f"{name} is not a whole evaluation: {error}; write it again by `infoscope evaluate --format json`"
            ) from None
        if not found.systems:
            raise InputError(f"{name} has no system; a baseline is written by `infoscope evaluate --format json`")
        return cls(found, name=name, **options)

    def checks(self, evaluation: Evaluation) -> Iterator[Check]:
        """Every system against the one of its name, or the only one there is."""
        for system in evaluation.systems:
            before = self._before(system)
            for metric in self.metrics:
                yield self._check(system, before, metric, evaluation)

    def _before(self, system: SystemResult) -> SystemResult:
        same = [old for old in self.evaluation.systems if old.title == system.title]
        if not same and len(self.evaluation.systems) == 1:
            same = list(self.evaluation.systems)
        if not same:
            names = ", ".join(repr(old.title) for old in self.evaluation.systems)
            raise UnknownNameError(f"{self.name} has no system {system.title!r}; it has {names}")
        return same[0]

    def _check(self, now: SystemResult, before: SystemResult, name: str, evaluation: Evaluation) -> Check:
        entry = find(name)
        new, old = now.metrics[entry.name], before.metrics.get(entry.name)
        if old is None or None in (new.mean, new.sd, old.mean, old.sd):
            raise InputError(
                f"{entry.name} has no interval here or none in {self.name}; compare another metric, or state "
                "--sample-size"
            )
        assert new.mean is not None and old.mean is not None and new.sd is not None and old.sd is not None  # noqa: PT018
        if entry.card.better == "none":
            raise InputError(f"{entry.name} is not better at either end; a baseline needs a metric that is")
        truths = [round(result.number("truth_entropy") or 0.0, 9) for result in (now, before)]
        if truths[0] != truths[1] and entry.card.unit in ("bits", "nats"):
            raise InputError(
                f"the baseline was measured on other data (H(T) = {truths[1]:.3f} against {truths[0]:.3f} bits), so a "
                f"difference of {entry.name} in {entry.card.unit} means nothing; compare a ratio such as proficiency"
            )
        sign = -1.0 if entry.card.better == "lower" else 1.0
        gap = sign * (new.mean - old.mean)
        reach = _quantile(now, evaluation) * hypot(new.sd, old.sd)
        outcome = self._outcome(gap - reach, gap + reach)
        text = f"{old.mean:.4g} before, {new.mean:.4g} now: better by {gap:+.4g} ± {reach:.4g}"
        if truths[0] != truths[1]:
            text += f"; different data sets: H(T) = {truths[1]:.3f} before, {truths[0]:.3f} bits now"
        margin = f" by more than {self.tolerance:g}" if self.tolerance else ""
        about = entry.card.of_class(now.positive)
        if about != entry.card.of_class(before.positive):
            raise InputError(
                f"{entry.name} is about {now.positive!r} here and about {before.positive!r} in the baseline; name one "
                "class with --positive for both"
            )
        condition = (
            f"{entry.name}{about} not worse than the baseline's{margin}{', demonstrably' if self.proven else ''}"
        )
        return Check(now.title, condition, outcome, text, new, entry.name)

    def _outcome(self, low: float, high: float) -> Outcome:
        if high < -self.tolerance:
            return "failed"
        if not self.proven or low >= -self.tolerance:
            return "passed"
        return "inconclusive"


def _quantile(system: SystemResult, evaluation: Evaluation) -> float:
    from scipy.special import ndtri  # noqa: PLC0415 - one number

    made = system.interval or evaluation.systems[0].interval
    return float(ndtri((1 + (0.95 if made is None else made.level)) / 2))


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """The verdict: text, documents and exit status all come from ``outcome``."""

    kind: ClassVar[str] = "gate"

    checks: tuple[Check, ...]
    inconclusive: Literal["fail", "pass", "warn"] = "fail"
    """What a limit inside the interval counts as."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Failed where one condition failed; else inconclusive where one is and that matters."""
        found = {check.outcome for check in self.checks}
        if "failed" in found or ("inconclusive" in found and self.inconclusive == "fail"):
            return "failed"
        return "inconclusive" if "inconclusive" in found and self.inconclusive == "warn" else "passed"

    @property
    def status(self) -> int:
        """Exit status: 0 passed, 1 failed, 3 inconclusive where that was asked to be distinguished."""
        return {"passed": 0, "failed": 1, "inconclusive": 3}[self.outcome]

    def to_dict(self) -> dict[str, Json]:
        """The versioned document, with the outcome and the exit status."""
        record = super().to_dict()
        return {"schema": record.pop("schema"), "outcome": self.outcome, "exit_status": self.status, **record}

    @classmethod
    def from_dict(cls, record: Mapping[str, Json]) -> Self:
        """The gate that a document describes."""
        return super().from_dict({name: part for name, part in record.items() if name not in _DERIVED})

    @classmethod
    def json_schema(cls) -> dict[str, Json]:
        """The JSON Schema of the document."""
        schema: dict[str, Any] = super().json_schema()
        schema["properties"] |= {"outcome": {"enum": list(get_args(Outcome))}, "exit_status": {"type": "integer"}}
        return schema

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per condition and system."""
        for check in self.checks:
            numbers = {} if check.estimate is None else dict(check.estimate.columns("value"))
            yield {
                "system": check.system,
                "condition": check.condition,
                "outcome": check.outcome,
                "text": check.text,
                **numbers,
            }


_DERIVED = ("outcome", "exit_status")


def judge(
    evaluation: Evaluation,
    conditions: Sequence[Condition],
    baseline: Baseline | None = None,
    inconclusive: Literal["fail", "pass", "warn"] = "fail",
) -> Gate:
    """Every condition on every system."""
    checks = [condition.check(system) for system in evaluation.systems for condition in conditions]
    checks += [] if baseline is None else baseline.checks(evaluation)
    if not checks:
        raise InputError("a gate without conditions lets everything through; give --min, --max or --baseline")
    return Gate(tuple(checks), inconclusive)
