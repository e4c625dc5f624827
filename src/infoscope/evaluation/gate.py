"""A gate: conditions on an evaluation, the verdict that they give, and the classes that cost most."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import ModuleType
from typing import Any, ClassVar, Literal, Self, get_args

from infoscope.errors import InputError
from infoscope.evaluation.baseline import Baseline
from infoscope.evaluation.conditions import Check, Condition, Outcome
from infoscope.evaluation.positive_class import check_positive_stated
from infoscope.evaluation.result import Evaluation, SystemResult
from infoscope.quick_dataclasses import dataclass
from infoscope.results.base import Result
from infoscope.results.codec import Json
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance

__all__ = ["Baseline", "Check", "Condition", "Gate", "WorstClass", "judge", "worst_classes"]

#: findings that state how much less often intervals hold than they say, and the metrics that this is about
_SHORTFALLS = {
    "favoured_classes": frozenset({"proficiency", "mutual_information"}),
    "few_errors": frozenset({"accuracy", "error_rate"}),
    "rare_classes": frozenset({"macro_f1"}),
}


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """The verdict: text, documents and exit status all come from ``outcome``."""

    kind: ClassVar[str] = "gate"

    checks: tuple[Check, ...]
    inconclusive: Literal["fail", "pass", "warn"] = "warn"
    """What too little data counts as: failed, passed, or an outcome of its own."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    worst_classes: tuple[WorstClass, ...] = ()
    """Classes that cost each system most, the worst first."""

    @property
    def outcome(self) -> Outcome:
        """Failed where one condition failed; else inconclusive where one is, unless that counts as passed or failed."""
        found = {check.outcome for check in self.checks}
        if "failed" in found or ("inconclusive" in found and self.inconclusive == "fail"):
            return "failed"
        return "inconclusive" if "inconclusive" in found and self.inconclusive == "warn" else "passed"

    @property
    def status(self) -> int:
        """Exit status: 0 passed, 1 failed, 3 inconclusive."""
        return {"passed": 0, "failed": 1, "inconclusive": 3}[self.outcome]

    @property
    def passed(self) -> bool:
        """Whether it is passed."""
        return self.outcome == "passed"

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

    def to_junit(self) -> str:
        """JUnit XML for build servers: a test case per condition and system."""
        return str(_build_forms().junit(self))

    def to_sarif(self) -> str:
        """SARIF for code scanning: conditions that are not met, and the worst classes."""
        return str(_build_forms().sarif(self))

    def annotations(self) -> list[str]:
        """Workflow commands by which GitHub shows the same beside the build."""
        found: list[str] = _build_forms().github_annotations(self)
        return found

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
                **({} if check.difference is None else _compared(check.difference)),
            }


def _build_forms() -> ModuleType:
    """The forms for build servers, one step upwards, by name."""
    return importlib.import_module("infoscope.reports.builds")


def _compared(difference: Difference) -> dict[str, Json]:
    """The columns that a comparison with a baseline adds."""
    return {
        **dict(difference.estimate.columns("difference")),
        "probability_better": difference.probability_a_better,
        "paired": difference.paired,
    }


_DERIVED = ("outcome", "exit_status")


def judge(
    evaluation: Evaluation,
    conditions: Sequence[Condition],
    baseline: Baseline | None = None,
    inconclusive: Literal["fail", "pass", "warn"] = "warn",
    history: Iterable[Check | Finding] = (),
) -> Gate:
    """Every condition on every system; ``history`` holds checks against earlier runs."""
    checks = [condition.check(system) for system in evaluation.systems for condition in conditions]
    findings = evaluation.findings
    for item in history:
        if isinstance(item, Check):
            checks.append(item)
        else:
            findings = (*findings, item)
    if baseline is not None:
        against = baseline.compared(evaluation)
        checks, findings = [*checks, *against.checks], (*findings, *against.findings)
    if not checks:
        raise InputError(
            "a gate without conditions lets everything through; give --min, --max, --baseline or --history "
            "(min=, max=, baseline= or history= in Python)"
        )
    check_positive_stated(evaluation.systems, [check.metric for check in checks if check.metric])
    return Gate(
        tuple(checks),
        inconclusive,
        evaluation.provenance,
        (*_no_information(evaluation), *_falling_short(evaluation, checks), *findings),
        tuple(worst_classes(evaluation)),
    )


def _no_information(evaluation: Evaluation) -> Iterator[Finding]:
    """Systems that no condition on their numbers, and no baseline, makes good."""
    for system in evaluation.systems:
        if not system.is_informative:
            text = (
                f"{system.title} captures no more information than expected by chance "
                f"(P = {system.chance_p_value:.2g}); whatever conditions it meets, its predictions tell nothing of the "
                "truth."
            )
            yield Finding("no_information", text, "warning", {"system": system.title, "p_value": system.chance_p_value})


def _falling_short(evaluation: Evaluation, checks: Sequence[Check]) -> Iterator[Finding]:
    """Where the intervals that these checks go by are known to hold less often than they say."""
    for system in evaluation.systems:
        asked = {check.metric for check in checks if check.system == system.title}
        about = f"{system.title}: " if len(evaluation.systems) > 1 else ""
        for finding in system.diagnosis:
            if asked & _SHORTFALLS.get(finding.code, frozenset()):
                yield replace(finding, text=f"{about}{finding.text}")


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
