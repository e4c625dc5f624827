"""A gate: conditions on an evaluation, the verdict that they give, and the classes that cost most."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, ClassVar, Literal, Self, get_args

from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.posterior.dominant_class import DOMINANT_CLASS_METRICS
from infoscope.results.base import Result
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.finding import Finding
from infoscope.results.notation import MetricNotation
from infoscope.results.provenance import Provenance
from infoscope.studies.diagnose_statistics import find_foreign_labels
from infoscope.studies.evaluate.baseline import Baseline, choose_metrics
from infoscope.studies.evaluate.conditions import Check, Condition, Outcome
from infoscope.studies.evaluate.positive_class import check_positive_stated
from infoscope.studies.evaluate.result import ClassEstimates, Evaluation, SystemResult
from infoscope.studies.history import ALLOWED_MISSING, missing_prediction_reasons
from infoscope.typing import Json

__all__ = [
    "EFFECTS",
    "Baseline",
    "Check",
    "Condition",
    "Gate",
    "WorstClass",
    "fail_unused_labels",
    "judge",
    "worst_classes",
]

_NAMES = "predictions have the names of the true classes"
_INFORMATION = frozenset({"proficiency", "mutual_information"})

#: What a finding about a system or the runs before does to a gate: the outcome of a condition that it adds, and that
#: condition; None where it is only repeated, if a condition is about one of its metrics.
EFFECTS: Mapping[str, tuple[Outcome, str] | frozenset[str]] = {
    "no_common_label": ("failed", _NAMES),
    "misspelt_predictions": ("failed", _NAMES),
    "relabelled": ("failed", _NAMES),
    "only_errors": ("failed", "all rows are there, not the errors alone"),
    "missing_predictions": ("failed", "rows have predictions"),
    "normalised_matrix": ("failed", "the matrix holds counts"),
    "few_groups": ("inconclusive", "groups are enough for intervals"),
    "clock_turned_back": ("inconclusive", "the order of the runs is known"),
    "future_run": ("inconclusive", "the order of the runs is known"),
    "dominant_class": DOMINANT_CLASS_METRICS,
    "rare_classes": frozenset({"macro_f1"}),
    "unmixed_chains": _INFORMATION,
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
        found = super().from_dict({name: part for name, part in record.items() if name not in _DERIVED})
        for check in found.checks:
            if check.estimate is not None:
                check.estimate.check_as(check.metric, f"{check.system}, {check.condition}")
        return found

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
    allow_missing: float = ALLOWED_MISSING,
) -> Gate:
    """Every condition on every system; ``history`` holds checks against earlier runs."""
    history = list(history)
    if not conditions and baseline is None and not history:
        raise InputError(
            "a gate without conditions lets everything through; give --min, --max, --baseline or --history "
            "(min=, max=, baseline= or history= in Python)"
        )
    findings: list[Finding] = []
    added: list[Check] = []
    broken: set[str] = set()
    asked = {condition.metric for condition in conditions}
    if baseline is not None:
        if not baseline.metrics:
            baseline = replace(baseline, metrics=choose_metrics((*evaluation.systems, *baseline.evaluation.systems)))
        asked |= {find(name).name for name in baseline.metrics}
    for system in evaluation.systems:
        about = f"{system.title}: " if len(evaluation.systems) > 1 else ""
        for finding in _about_system(evaluation, system, allow_missing):
            effect = EFFECTS.get(finding.code, frozenset())
            if isinstance(effect, tuple):
                outcome, condition = effect
                text = finding.text.rstrip(".")
                if condition == _NAMES:
                    broken.add(system.title)
                    text += "; names of clusters mean nothing: --task clustering (task='clustering')"
                added.append(Check(system.title, condition, outcome, text))
            elif not effect & asked:
                continue
            findings.append(replace(finding, text=f"{about}{finding.text}"))
        if not system.is_informative:
            findings.append(_no_information(system))
    checks = [
        condition.check(system, broken_labels=system.title in broken)
        for system in evaluation.systems
        for condition in conditions
    ]
    findings += evaluation.findings
    for item in history:
        if isinstance(item, Check):
            checks.append(item)
            continue
        findings.append(item)
        effect = EFFECTS.get(item.code, frozenset())
        if isinstance(effect, tuple):
            added.append(Check("history", effect[1], effect[0], item.text.rstrip(".")))
    if baseline is not None:
        against = baseline.compared(evaluation, broken)
        checks += against.checks
        findings += against.findings
    metrics = [check.metric for check in checks if check.metric]
    check_positive_stated(evaluation.systems, metrics)
    return Gate(
        (*added, *checks),
        inconclusive,
        evaluation.provenance,
        tuple(findings),
        tuple(worst_classes(evaluation, checks)),
    )


def _no_information(system: SystemResult) -> Finding:
    """A system that no condition on its numbers, and no baseline, makes good."""
    p = system.chance_p_value
    text = (
        f"{system.title} captures no more information than expected by chance (P = {p:.2g}); whatever conditions it "
        "meets, its predictions tell nothing of the truth."
    )
    return Finding("no_information", text, "warning", {"system": system.title, "p_value": p})


def _about_system(evaluation: Evaluation, system: SystemResult, allow_missing: float) -> Iterator[Finding]:
    """What may decide a gate whatever its conditions: names that do not match, and rows without a prediction."""
    table = system.table
    foreign = None if table is None or system.clusters is not None else find_foreign_labels(table)
    if foreign is not None:
        yield foreign
    for finding in system.diagnosis:
        is_about_names = isinstance(effect := EFFECTS.get(finding.code), tuple) and effect[1] == _NAMES
        if not is_about_names or (foreign is None and system.clusters is None):
            yield finding
    if table is None:
        return
    is_judged = table.estimation is not None
    ignored = {each.reason: each.rows for each in evaluation.provenance.ignored} if is_judged else table.ignored
    reasons = missing_prediction_reasons(system.name)
    missing = sum(rows for reason, rows in ignored.items() if reason in reasons)
    rows = evaluation.provenance.rows or 0
    lost = missing if is_judged else sum(ignored.values())
    used = float(table.total) if table.is_counts else max(rows - lost, 0)
    if missing > allow_missing * (missing + used):
        which = "rows" if is_judged else "rows with a true label"
        yield _missing_predictions(system.title, missing, missing + used, allow_missing, which)


def _missing_predictions(system: str, missing: int, rows: float, allowed: float, which: str) -> Finding:
    """Return the finding that more rows lack a prediction than are allowed to."""
    text = (
        f"{missing:,} of {rows:,.0f} {which} have no prediction ({missing / rows:.1%}), and at most "
        f"{100 * allowed:.4g}% of them may lack one; predict them, or say --allow-missing SHARE (allow_missing=)."
    )
    return Finding("missing_predictions", text, "warning", {"system": system, "missing": missing, "rows": rows})


def fail_unused_labels(gate: Gate, unused: int, labels: float, allowed: float) -> Gate:
    """Return the gate, failed because too many labels of a file of true labels belong to no row that it judged."""
    found = _missing_predictions("truth", unused, labels, allowed, "true labels")
    check = Check("truth", EFFECTS[found.code][1], "failed", found.text.rstrip("."))  # type: ignore[index]
    return replace(gate, checks=(check, *gate.checks), findings=(found, *gate.findings))


MOST = 5
"""Classes of a system that are named."""


@dataclass(frozen=True)
class WorstClass:
    """A true class that a system does badly."""

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
    errors: float = 0.0
    """How many samples get a wrong class."""

    @property
    def text(self) -> str:
        """The class in a sentence without a full stop."""
        recall = f", with recall {MetricNotation('class_recall').whole(self.recall)}"
        wrong = f", most often predicted as '{self.predicted}' ({self.count:,.4g} samples)" if self.predicted else ""
        return (
            f"'{self.label}' causes {self.missed_share:.0%} of the missed information and {self.errors:,.4g} errors"
            f"{recall}{wrong}"
        )


def worst_classes(evaluation: Evaluation, checks: Sequence[Check] = ()) -> Iterator[WorstClass]:
    """Of each system the classes that are worst in what the first condition asks for that is failed, else open or met.

    By recall, precision or F1 where a condition is about it, by errors where it goes by the share of right predictions,
    and by missed information otherwise; none where predictions are clusters.
    """
    for system in evaluation.systems:
        if system.clusters is not None:
            continue
        own = [check for check in checks if check.system == system.title and check.metric]
        metric = next((check.metric for check in sorted(own, key=lambda check: _SEVERITY.index(check.outcome))), "")
        classes = [(line, found) for line in system.classes if (found := _worst_class(system, line)) is not None]
        rate = _RATES.get(metric.removeprefix("class_"), "")
        classes = [pair for pair in classes if (pair[0].number(rate or "recall") or 0.0) < 1]
        if rate:
            classes.sort(key=lambda pair: (pair[0].number(rate) or 0.0, -pair[1].errors))
        elif metric in _BY_ERRORS:
            classes.sort(key=lambda pair: -pair[1].errors)
        else:
            classes.sort(key=lambda pair: -pair[1].missed_share)
        yield from [found for _, found in classes[:MOST]]


_SEVERITY = ("failed", "inconclusive", "passed")
_RATES = {
    "recall": "recall",
    "macro_recall": "recall",
    "balanced_accuracy": "recall",
    "precision": "precision",
    "macro_precision": "precision",
    "f1": "f1",
    "macro_f1": "f1",
}
_BY_ERRORS = ("accuracy", "error_rate", "kappa", "mcc", "weighted_tpr")


def _worst_class(system: SystemResult, line: ClassEstimates) -> WorstClass | None:
    """What is wrong with a class; None for a class without samples."""
    recall = line.values.get("recall")
    if recall is None or recall.value is None:
        return None
    wrong = [leak for leak in system.leaks if leak.truth == line.label != leak.system]
    most = max(wrong, key=lambda leak: leak.count, default=None)
    samples = line.number("support") or 0.0
    return WorstClass(
        system.title,
        line.label,
        samples,
        recall,
        line.shown("missed_share") or 0.0,
        None if most is None else most.system,
        0.0 if most is None else most.count,
        samples * (1 - recall.value),
    )
