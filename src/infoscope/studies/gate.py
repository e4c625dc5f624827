"""Decide whether systems are good enough, and not worse than an earlier one: passed, failed or inconclusive.

The module reads in the order of the work: the verdict; ``gate``, which evaluates the source and what it is compared
with; ``decide``, which puts together all checks of an evaluation and names the worst classes; checks against earlier
runs; conditions on one system; the comparison with a baseline, row by row where the rows are the same. Whatever the
conditions, ``EFFECTS`` says which findings fail a gate. The page and the forms for
build servers are in ``reports/views/gate.py``.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import starmap
from math import inf, isnan
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Literal, Self, cast, get_args

import numpy as np
from scipy.special import betaincinv

from infoscope.core.markup import ShortRepr, pluralize
from infoscope.core.records import parse_json
from infoscope.core.validation import LEVEL, SEED, Number, OneOf, validated
from infoscope.errors import InputError, UnknownNameError, suggest_name
from infoscope.metrics.registry import Metric, find
from infoscope.posterior import Posterior
from infoscope.posterior.sample_size import DOMINANT_CLASS_METRICS, round_up
from infoscope.readers import ReadOptions
from infoscope.readers.columns import resolve_columns
from infoscope.readers.labels import Cleaning
from infoscope.readers.matrix_files import CostsLike
from infoscope.readers.query import as_names
from infoscope.results.base import Result
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Record, make_tidy
from infoscope.results.notation import MetricNotation
from infoscope.results.provenance import Provenance
from infoscope.results.system import ABSENT, SystemMetrics, find_system
from infoscope.studies.compare import CompareOptions, Comparison, compare, compare_rows
from infoscope.studies.compare_statistics import POWER, MetricBelief, difference
from infoscope.studies.diagnose import WITHHELD_METRICS
from infoscope.studies.diagnose_statistics import find_foreign_labels
from infoscope.studies.evaluate import check_positive_stated, evaluate
from infoscope.studies.evaluation import Evaluation, SystemResult
from infoscope.studies.gate_sample_size import MAX_CELLS, plan_rows_by_trials, plan_rows_first_order
from infoscope.studies.history import (
    ALLOWED_MISSING,
    MIN_RUNS,
    History,
    history,
    judge_new_run,
    missing_prediction_reasons,
    reject_damaged_newest,
)
from infoscope.studies.inputs import (
    Prevalence,
    StatedOrder,
    UncertaintyOptions,
    check_costs_stated,
    name_predictions,
    name_tables,
)
from infoscope.studies.judge import Judged
from infoscope.studies.predictions import PairedPredictions
from infoscope.tables import Contingency
from infoscope.tables.labels import Label, list_few
from infoscope.tables.transformations import StatedCosts, sort_classes
from infoscope.typing import Json, LabelsByName, LabelsLike, PriorLike, Source, StrPath

Outcome = Literal["passed", "failed", "inconclusive"]
Leniency = Literal["fail", "pass", "warn"]
Side = Literal["min", "max"]
Limits = Mapping[str, float] | Sequence[str]

_NAMES = "predictions have the names of the true classes"
_INFORMATION = frozenset({"proficiency", "mutual_information"})

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
"""Effect of a finding about a system or the runs before on a gate: the outcome of a condition that it adds, and that
condition; or metrics, if it is only repeated where a condition is about one of them."""

REPEATED = ("groups_without_rows",)
"""Findings that are repeated whatever the conditions are about, and decide nothing."""
MAX_WORST_CLASSES = 5
"""Classes of a system that are named."""
SEVERITY = ("failed", "inconclusive", "passed")
CLASS_RATES = {
    "recall": "recall",
    "macro_recall": "recall",
    "balanced_accuracy": "recall",
    "precision": "precision",
    "macro_precision": "precision",
    "f1": "f1",
    "macro_f1": "f1",
}
"""Metrics by whose rate of each class the worst classes are chosen."""
ERROR_METRICS = ("accuracy", "error_rate", "kappa", "mcc", "weighted_tpr")
"""Metrics for which the worst classes are those with most errors."""
SHARED_WITH_COMPARE = (
    *("weight", "groups", "reject", "positive", "clean", "prevalence", "costs", "ordinal", "judge", "says"),
    *("population", "prior", "level", "sample_size", "seed", "uncertainty"),
)
"""Options of the evaluation that a comparison of the same rows takes, too."""
DERIVED = ("outcome", "exit_status")
"""Fields of a stored gate that follow from the others."""


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RowsNeeded:
    """About how many further rows decide an open condition, if the value is really what was found."""

    rows: int
    outcome: Outcome
    """Passed or failed: how the gate then decides."""
    probability: float = POWER
    of_class: int | None = None
    """How many of them are of the class that the metric is about."""


@dataclass(frozen=True, repr=False)
class Check(ShortRepr):
    """One condition on one system, and how that went."""

    system: str
    condition: str
    outcome: Outcome
    text: str
    estimate: Estimate | None = None
    metric: str = ""
    difference: Difference | None = None
    """The system minus the baseline, where the condition is about one."""
    subject: str = ""
    """The metric as a person reads it, with the class that it is about: "F1 of 'spam'"; empty where the condition is
    about no metric, or about another number of it than the one that is shown."""
    side: Side | None = None
    """"min" where the metric must be at least the limit, "max" where at most."""
    limit: float | None = None
    named: str = ""
    """The metric as a condition names it: "recall[spam]"."""
    needed: RowsNeeded | None = None
    """Further rows that decide an open condition; None where it is not open, or no number of rows does."""


@dataclass(frozen=True, repr=False)
class WorstClass(ShortRepr):
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
    """Number of samples that get it."""
    errors: float = 0.0
    """Number of samples that get a wrong class."""

    @property
    def text(self) -> str:
        """The class in a sentence without a full stop."""
        recall = f", with recall {MetricNotation('class_recall').whole(self.recall)}"
        wrong = f", most often predicted as '{self.predicted}' ({self.count:,.4g} samples)" if self.predicted else ""
        return (
            f"'{self.label}' causes {self.missed_share:.0%} of the missed information and {self.errors:,.4g} errors"
            f"{recall}{wrong}"
        )


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """The verdict: text, documents and exit status all come from ``outcome``."""

    kind: ClassVar[str] = "gate"

    checks: tuple[Check, ...]
    inconclusive: Literal["fail", "pass", "warn"] = "warn"
    """Outcome where there is too little data: failed, passed, or one of its own."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    worst_classes: tuple[WorstClass, ...] = ()
    """Classes that cost each system most, the worst first."""
    level: float | None = None
    """Probability of the intervals; None where there are none."""

    def __getitem__(self, name: str) -> SystemMetrics:
        """Return one system with the metrics that its conditions are about."""
        metrics: dict[str, dict[str, Estimate]] = {}
        for check in self.checks:
            if check.estimate is not None:
                metrics.setdefault(check.system, {})[check.metric] = check.estimate
        return find_system(starmap(SystemMetrics, metrics.items()), name)

    @property
    def outcome(self) -> Outcome:
        """Failed where one condition failed; else inconclusive where one is, unless that counts as passed or failed."""
        outcomes = {check.outcome for check in self.checks}
        if "failed" in outcomes or ("inconclusive" in outcomes and self.inconclusive == "fail"):
            return "failed"
        return "inconclusive" if "inconclusive" in outcomes and self.inconclusive == "warn" else "passed"

    @property
    def status(self) -> int:
        """Exit status: 0 passed, 1 failed, 3 inconclusive."""
        return {"passed": 0, "failed": 1, "inconclusive": 3}[self.outcome]

    @property
    def passed(self) -> bool:
        """True if it is passed."""
        return self.outcome == "passed"

    def to_dict(self) -> dict[str, Json]:
        """Return the versioned document, with the outcome and the exit status."""
        record = super().to_dict()
        return {"schema": record.pop("schema"), "outcome": self.outcome, "exit_status": self.status, **record}

    @classmethod
    def from_dict(cls, record: Mapping[str, Json]) -> Self:
        """Return the gate that a document describes; numbers that a metric cannot have are rejected."""
        gate = super().from_dict({name: part for name, part in record.items() if name not in DERIVED})
        for check in gate.checks:
            if check.estimate is not None:
                check.estimate.check_as(check.metric, f"{check.system}, {check.condition}")
        return gate

    @classmethod
    def json_schema(cls) -> dict[str, Json]:
        """Return the JSON Schema of the document."""
        schema: dict[str, Any] = super().json_schema()
        schema["properties"] |= {"outcome": {"enum": list(get_args(Outcome))}, "exit_status": {"type": "integer"}}
        return schema

    def to_junit(self) -> str:
        """Return JUnit XML for build servers: a test case per condition and system."""
        return str(_import_builds().write_junit(self))

    def to_sarif(self) -> str:
        """Return SARIF for code scanning: conditions that are not met, and the worst classes."""
        return str(_import_builds().write_sarif(self))

    def annotations(self) -> list[str]:
        """Return workflow commands by which GitHub shows the same beside the build."""
        lines: list[str] = _import_builds().write_github_annotations(self)
        return lines

    def records(self) -> Iterator[Record]:
        """Yield one record per condition and system; a comparison with a baseline adds columns."""
        for check in self.checks:
            record: dict[str, Json | Estimate] = {
                "system": check.system,
                "condition": check.condition,
                "outcome": check.outcome,
                "text": check.text,
            }
            if check.estimate is not None:
                record["value"] = check.estimate
            if check.difference is not None:
                record["difference"] = check.difference.estimate
                record["probability_better"] = check.difference.probability_a_better
                record["paired"] = check.difference.paired
            yield record

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield a row per condition and system, with the number that it is about; one more for its change."""
        for check, record in zip(self.checks, self.records(), strict=True):
            words = {name: value for name, value in record.items() if not isinstance(value, Estimate)}
            metric = check.metric or None
            yield from make_tidy({**words, "value": check.estimate or ABSENT}, {"metric": metric}, self.roles)
            if check.difference is not None:
                own = {"metric": metric, "versus": check.difference.b}
                yield from make_tidy({**words, "value": check.difference.estimate}, own, self.roles)

    def with_unused_labels(self, unused: int, labels: float, allowed: float) -> Gate:
        """Return the gate, failed because too many labels of a file of true labels belong to no row that it judged."""
        finding = _describe_missing_predictions("truth", unused, labels, allowed, "true labels")
        check = Check("truth", EFFECTS[finding.code][1], "failed", finding.text.rstrip("."))  # type: ignore[index]
        return replace(self, checks=(check, *self.checks), findings=(finding, *self.findings))


def _import_builds() -> ModuleType:
    """Return the forms for build servers, one step upwards, by name."""
    return importlib.import_module("infoscope.reports.views.gate")


# The study ------------------------------------------------------------------------------------------------------------


@validated(
    inconclusive=OneOf("fail", "pass", "warn"),
    allow_missing=Number(0, 1, closed="both", meaning="a fraction of the rows"),
    level=LEVEL,
    seed=SEED,
)
def gate(
    source: Source | Judged = None,  # type: ignore[assignment]  # needed, here or as y_true
    y_pred: LabelsByName | None = None,
    *,
    y_true: LabelsLike | None = None,  # noqa: ARG001 - another word for source
    truth: str | None = None,
    system: str | Sequence[str] | None = None,
    min: Limits = (),
    max: Limits = (),
    baseline: Any = None,
    baseline_system: str | None = None,
    metrics: str | Sequence[str] | None = None,
    tolerance: float = 0.0,
    not_worse: bool = False,
    history: StrPath | None = None,
    allow_missing: float = ALLOWED_MISSING,
    inconclusive: Literal["fail", "pass", "warn"] = "warn",
    weight: Any = None,
    sample_weight: Any = None,  # noqa: ARG001 - another word for weight
    by: str | Sequence[str] | None = None,
    groups: Any = None,
    reject: Label | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    labels: Any = None,
    ordinal: Sequence[Any] | str | bool | None = None,
    clean: Cleaning = (),
    prevalence: Prevalence | None = None,
    costs: CostsLike | None = None,
    task: Literal["classification", "clustering"] = "classification",
    judge: Any = None,
    says: Any = None,
    population: Literal["all", "unlabelled"] | None = None,
    period: Any = None,
    scores: Any = None,
    examples: int | None = None,
    show: str | Sequence[str] | Mapping[str, Any] | None = None,
    keep_rows: bool | None = True,
    prior: PriorLike = "default",
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    sample_size: float | None = None,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    uncertainty: Literal["posterior"] | None = "posterior",
    read: ReadOptions | None = None,
) -> Gate:
    """Decide whether systems are good enough, and not worse than an earlier one: passed, failed or inconclusive.

    A condition holds when the whole interval meets it, and fails when the whole interval misses it. Whatever the
    conditions, a system fails whose predictions have other names than the true classes, unless ``task="clustering"``,
    or lack for more than ``allow_missing`` of the rows.

    Parameters
    ----------
    source, y_true, y_pred, truth, system
        Labels ``(y_true, y_pred)``, rows with the names of their columns, or tables, as for ``evaluate``.
    min, max
        Limits by metric, or by a part as ``proficiency.low``: a mapping, or texts METRIC=LIMIT. ``recall[spam]`` is the
        recall of one class, ``min_class_recall`` that of the worst.
    baseline
        An earlier system that the systems must not be worse than: its labels beside ``(y_true, y_pred)``, an
        ``Evaluation``, its JSON file, rows of the same columns, or a table. Where the true labels are the same row by
        row the two are compared in pairs, otherwise by their two posteriors. A system that looks worse fails where the
        whole interval of the difference is worse, and is inconclusive where some of it is not.
    baseline_system
        The baseline's column in the same rows; with ``baseline``, the name of its system there.
    metrics
        Metrics that are compared with the baseline: proficiency, and MCC, which wrong names of the classes change
        (kappa where a system that predicts one class only has no MCC). For ``history`` it is proficiency alone.
    tolerance
        How much worse than the baseline is still fine.
    not_worse
        Demand that none of the interval of the difference is worse.
    history
        A folder of stored evaluations: a run that is worse than their spread lets expect fails, see
        ``infoscope.history``.
    allow_missing
        Fraction of the rows that may lack a prediction.
    inconclusive
        What too little data counts as: "fail", "pass", or "warn" for an outcome of its own.
    weight, sample_weight, by, groups, reject, positive, pos_label, labels, ordinal, clean
        Columns beside the labels, and the meaning of labels, as for ``evaluate``.
    prevalence, costs, task
        Frequencies of the true classes, costs of predictions, and classes or clusters, as for ``evaluate``.
    judge, says, population, period
        Verdicts of a judge where few rows have a true label, as for ``evaluate``.
    scores, examples, show, keep_rows
        What else is evaluated and kept of the rows, as for ``evaluate``. Rows are kept unless they are rejected, so
        that they pair with the baseline's.
    prior, level, confidence_level, sample_size, seed, rng, uncertainty
        Origin of the intervals, as for ``evaluate``.
    read
        How files are read.

    Returns
    -------
    Gate
        A check for each condition and system, their common ``outcome`` and exit ``status``, and the worst classes.

    Raises
    ------
    InputError
        If there is no condition, an option is out of its limits, or the baseline is about another question.
    UnknownNameError
        If there is no such metric, class or system.

    Examples
    --------
    >>> truth = ["cat", "dog"] * 100
    >>> poor = ["cat", "cat", "dog", "dog"] * 50
    >>> result = gate(truth, poor, baseline=truth)
    >>> result.outcome, result.checks[0].difference.paired
    ('failed', True)
    """
    stated: dict[str, Any] = {
        "metrics": metrics,
        "weight": weight,
        "by": by,
        "groups": groups,
        "reject": reject,
        "positive": positive,
        "labels": labels,
        "ordinal": ordinal,
        "clean": clean,
        "prevalence": prevalence,
        "costs": costs,
        "task": task,
        "judge": judge,
        "says": says,
        "population": population,
        "period": period,
        "scores": scores,
        "examples": examples,
        "show": show,
        "keep_rows": keep_rows,
        "prior": prior,
        "level": level,
        "sample_size": sample_size,
        "seed": seed,
        "uncertainty": uncertainty,
    }
    truth, system = resolve_columns(source, y_pred, (truth, system), read, stated)
    conditions = [*_parse_limits("min", min), *_parse_limits("max", max)]
    if baseline is None and baseline_system is None:
        for name, value in (("not_worse", not_worse), ("metrics", metrics), ("tolerance", tolerance)):
            if value and not (name == "metrics" and history):
                raise InputError(f"{name}= is about a baseline; name one with baseline= or baseline_system=")
        evaluation, earlier = evaluate(source, y_pred, truth=truth, system=system, read=read, **stated), None
    else:
        question = {
            "metrics": as_names(metrics) or (("proficiency",) if task == "clustering" else ()),
            "tolerance": tolerance,
            "proven": not_worse,
            "uncertainty": UncertaintyOptions(prior, level, sample_size, seed, uncertainty),
            "prevalence": prevalence,
        }
        columns = {"truth": truth, "system": system, "read": read}
        evaluation, earlier = _evaluate_both(
            source, y_pred, columns, stated, baseline=baseline, name=baseline_system, question=question
        )
    past = () if history is None else check_history(evaluation, history, as_names(metrics) or ("proficiency",))
    return decide(evaluation, conditions, earlier, inconclusive, past, allow_missing, prior)


def _parse_limits(side: Side, limits: Limits) -> list[Condition]:
    texts = [f"{name}={limit}" for name, limit in limits.items()] if isinstance(limits, Mapping) else limits
    return [Condition.parse(side, text) for text in ([texts] if isinstance(texts, str) else texts)]


def _evaluate_both(
    source: Any,
    y_pred: Any,
    columns: Mapping[str, Any],
    stated: Mapping[str, Any],
    *,
    baseline: Any,
    name: str | None,
    question: Mapping[str, Any],
) -> tuple[Evaluation, Baseline]:
    """Evaluate the systems and what they are compared with: a stored result, other rows or tables, or the same rows.

    ``columns`` are truth, system and how they are read, ``stated`` the other options of the evaluation, ``question``
    what it means to be no worse.
    """

    def evaluate_rows(source: Any = source, y_pred: Any = y_pred, **others: Any) -> Evaluation:
        return evaluate(source, y_pred, **{**columns, **stated, **others})

    if isinstance(baseline, Evaluation):
        return evaluate_rows(), Baseline(baseline, system=name, **question)
    if isinstance(baseline, (str, PathLike)) and (document := _read_stored_result(Path(baseline))) is not None:
        earlier = Baseline.load(document, str(baseline), system=name, **question)
        return evaluate_rows(), earlier

    if y_pred is None and baseline is not None:
        if name_tables(source) is not None and not isinstance(baseline, (Contingency, Mapping)):
            raise InputError(
                "a table is compared with a table, tables by name, or a stored evaluation; give one of them"
            )
        before = evaluate_rows(baseline, system=columns["system"] if name is None else name)
        title = f"{baseline}" if isinstance(baseline, (str, PathLike)) else "the baseline"
        return evaluate_rows(), Baseline(before, name=title, system=name, **question)

    # the systems and the baseline are in the same rows: they are evaluated together, and taken apart
    labels: dict[str, Any] | None = None
    names: list[str] = []
    if y_pred is not None:
        labels, title = name_predictions(y_pred), name or "baseline"
        if baseline is None or title in labels:
            raise InputError(
                "beside labels, baseline= takes the predictions of the baseline, and no system of y_pred may be called "
                f"{title!r}"
            )
        labels = {**labels, title: baseline}
        both = evaluate_rows(y_pred=labels)
    else:
        names, title = list(as_names(columns["system"])), str(name)
        if name_tables(source) is not None or not names:
            raise InputError(
                "baseline_system names a column beside truth= and system=; tables have none: give baseline="
            )
        if title in names:
            raise InputError(f"{title!r} is the system and the baseline; name another column for one of them")
        names = [*names, title]
        both = evaluate_rows(system=names)
    now, before = (
        replace(both, systems=tuple(system for system in both.systems if (system.name == title) is is_baseline))
        for is_baseline in (False, True)
    )
    comparison = None
    if not stated["by"] and stated["task"] != "clustering":
        metrics = keep_defined_metrics(question["metrics"] or choose_metrics(both.systems), both.systems)
        if metrics and (both.row_labels is None or stated["groups"] is not None):
            # rows that could not be kept are read once more, in pairs
            shared: Any = {option: stated[option] for option in SHARED_WITH_COMPARE}
            rows: Any = {"truth": columns["truth"], "system": names} if labels is None else {}
            comparison = compare(source, labels, read=columns["read"], metrics=metrics, **rows, **shared)
    return now, Baseline(before, name=f"column {title!r}", system=title, comparison=comparison, **question)


def _read_stored_result(path: Path) -> str | None:
    """Return the text of a stored result, read once because a pipe gives it once; None for a file of rows."""
    if path.suffix.lower() not in (".json", ""):
        return None
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(
            f"the baseline {path} cannot be read; write it with `infoscope evaluate … -o {path.name}`"
        ) from None
    return None if text.lstrip().startswith("[") else text


# The verdict ----------------------------------------------------------------------------------------------------------


def decide(
    evaluation: Evaluation,
    conditions: Sequence[Condition],
    baseline: Baseline | None = None,
    inconclusive: Leniency = "warn",
    history: Iterable[Check | Finding] = (),
    allow_missing: float = ALLOWED_MISSING,
    prior: PriorLike = "default",
) -> Gate:
    """Check every condition on every system; ``history`` holds checks against earlier runs."""
    history = list(history)
    if not conditions and baseline is None and not history:
        raise InputError(
            "a gate without conditions lets everything through; give --min, --max, --baseline or --history "
            "(min=, max=, baseline= or history= in Python)"
        )
    findings: list[Finding] = []
    added: list[Check] = []
    broken: set[str] = set()
    metrics = {condition.metric for condition in conditions}
    if baseline is not None:
        if not baseline.metrics:
            baseline = replace(baseline, metrics=choose_metrics((*evaluation.systems, *baseline.evaluation.systems)))
        metrics |= {find(name).name for name in baseline.metrics}
    for system in evaluation.systems:
        prefix = f"{system.title}: " if len(evaluation.systems) > 1 else ""
        for finding in _list_doubts(evaluation, system, allow_missing):
            effect = EFFECTS.get(finding.code, frozenset())
            if isinstance(effect, tuple):
                outcome, condition = effect
                text = finding.text.rstrip(".")
                if finding.code == "few_groups":  # the finding itself says why
                    text = text.partition(". ")[0]
                if condition == _NAMES:
                    broken.add(system.title)
                    text += "; names of clusters mean nothing: --task clustering (task='clustering')"
                added.append(Check(system.title, condition, outcome, text))
            elif finding.code not in REPEATED and not effect & metrics:
                continue
            findings.append(replace(finding, text=f"{prefix}{finding.text}"))
        if not system.is_informative:
            p = system.chance_p_value
            text = (
                f"{system.title} captures no more information than expected by chance (P = {p:.2g}); whatever "
                "conditions it meets, nothing shows that its predictions carry information about the truth."
            )
            findings.append(Finding("no_information", text, "warning", {"system": system.title, "p_value": p}))
    checks = [
        condition.plan(condition.check(system, broken_labels=system.title in broken), system, prior)
        for system in evaluation.systems
        for condition in conditions
    ]
    findings += (finding for finding in evaluation.findings if not finding.system)
    for item in history:
        if isinstance(item, Check):
            checks.append(item)
            continue
        findings.append(item)
        effect = EFFECTS.get(item.code, frozenset())
        if isinstance(effect, tuple):
            added.append(Check("history", effect[1], effect[0], item.text.rstrip(".")))
    if baseline is not None:
        new_checks, new_findings = baseline.check(evaluation, broken)
        checks += new_checks
        findings += new_findings
    check_positive_stated(evaluation.systems, [check.metric for check in checks if check.metric])
    if all(check.outcome != "failed" for check in (*added, *checks)):
        findings = [*_ask_for_rows(checks, inconclusive), *findings]
    return Gate(
        (*added, *checks),
        inconclusive,
        evaluation.provenance,
        tuple(findings),
        tuple(find_worst_classes(evaluation, checks)),
        next((system.interval_method.level for system in evaluation.systems if system.interval_method), None),
    )


def _ask_for_rows(checks: Sequence[Check], inconclusive: Leniency) -> Iterator[Finding]:
    """Say how many further rows decide what is open, of several conditions the one that needs most, and what else."""
    open_checks = [check for check in checks if check.outcome == "inconclusive"]
    planned = [check for check in open_checks if check.needed is not None]
    if planned:
        check = max(planned, key=lambda check: check.needed.rows if check.needed else 0)
        needed, notation = check.needed, MetricNotation(check.metric)
        assert needed is not None
        some = ""
        if needed.of_class is not None:
            some = f" (some {needed.of_class:,} {check.subject.rpartition(' of ')[2]})"
        found = "the difference is really what was found"
        if check.difference is None and check.estimate is not None:
            found = f"{check.subject} is really {notation.shown(check.estimate)}"
        text = (
            f"Label about {needed.rows:,} more rows{some}: if {found}, the gate then "
            f"{'passes' if needed.outcome == 'passed' else 'fails'} with a probability of {needed.probability:.0%}."
        )
        evidence: dict[str, Json] = {"system": check.system, "condition": check.condition, "rows": needed.rows}
        yield Finding("rows_needed", text, evidence=evidence, action="Label more rows")
    if open_checks and inconclusive == "warn":
        choices = ["--inconclusive fail or pass"]
        limited = next((check for check in open_checks if check.limit is not None), None)
        if limited is not None:
            choices.append(f"--{limited.side} {limited.named}.value={limited.limit:g} (the value alone)")
        if any(check.difference is not None for check in open_checks):
            choices.append("--tolerance (how much worse is still fine)")
        text = f"Or decide now what counts while it is open: {', '.join(choices)}."
        text = text if planned else f"Decide{text.removeprefix('Or decide')}"
        yield Finding("open_condition", text, action="Decide what counts while it is open")


def _list_doubts(evaluation: Evaluation, system: SystemResult, allow_missing: float) -> Iterator[Finding]:
    """Yield what may decide a gate whatever its conditions: names that do not match, and rows without a prediction."""
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
    ignored = {part.reason: part.rows for part in evaluation.provenance.ignored} if is_judged else table.ignored
    reasons = missing_prediction_reasons(system.name)
    missing = sum(rows for reason, rows in ignored.items() if reason in reasons)
    lost = missing if is_judged else sum(ignored.values())
    used = float(table.total) if table.is_counts else max((evaluation.provenance.rows or 0) - lost, 0)
    if missing > allow_missing * (missing + used):
        which = "rows" if is_judged else "rows with a true label"
        yield _describe_missing_predictions(system.title, missing, missing + used, allow_missing, which)


def _describe_missing_predictions(system: str, missing: int, rows: float, allowed: float, which: str) -> Finding:
    """Return the finding that more rows lack a prediction than are allowed to."""
    text = (
        f"{missing:,} of {rows:,.0f} {which} have no prediction ({missing / rows:.1%}), and at most "
        f"{100 * allowed:.4g}% of them may lack one; predict them, or say --allow-missing SHARE (allow_missing=)."
    )
    return Finding("missing_predictions", text, "warning", {"system": system, "missing": missing, "rows": rows})


def find_worst_classes(evaluation: Evaluation, checks: Sequence[Check] = ()) -> Iterator[WorstClass]:
    """Yield the classes of each system that are worst in what the first failed, else open, else met condition is about.

    By recall, precision or F1 where a condition is about it, by errors where it goes by the share of right predictions,
    and by missed information otherwise; none where predictions are clusters.
    """
    for system in evaluation.systems:
        if system.clusters is not None:
            continue
        own = [check for check in checks if check.system == system.title and check.metric]
        metric = next((check.metric for check in sorted(own, key=lambda check: SEVERITY.index(check.outcome))), "")
        rate = CLASS_RATES.get(metric.removeprefix("class_"), "")
        classes: list[tuple[float, WorstClass]] = []
        for line in system.classes:
            recall = line.values.get("recall")
            if recall is None or recall.value is None or (line.number(rate or "recall") or 0.0) >= 1:
                continue
            wrong = [leak for leak in system.leaks if leak.truth == line.label != leak.system]
            most = max(wrong, key=lambda leak: leak.count, default=None)
            samples = line.number("support") or 0.0
            worst = WorstClass(
                system.title,
                line.label,
                samples,
                recall,
                line.shown("missed_share") or 0.0,
                None if most is None else most.system,
                0.0 if most is None else most.count,
                samples * (1 - recall.value),
            )
            classes.append((line.number(rate) or 0.0 if rate else 0.0, worst))
        if rate:
            classes.sort(key=lambda pair: (pair[0], -pair[1].errors))
        elif metric in ERROR_METRICS:
            classes.sort(key=lambda pair: -pair[1].errors)
        else:
            classes.sort(key=lambda pair: -pair[1].missed_share)
        yield from [worst for _, worst in classes[:MAX_WORST_CLASSES]]


# Checks against earlier runs ------------------------------------------------------------------------------------------


def check_history(evaluation: Evaluation, folder: StrPath, metrics: Sequence[str]) -> Iterator[Check | Finding]:
    """Check an evaluation as the next run of a folder: each system and metric, with findings about the folder."""
    findings, new_runs = judge_new_run(evaluation, folder, metrics)
    yield from findings
    for run in new_runs:
        judgement, notation = run.judgement, MetricNotation(run.metric)
        outcome: Outcome = "inconclusive" if judgement.z is None else "failed" if judgement.rule else "passed"
        text = f"it is {notation.shown(run.estimate)}"
        if run.expected is None:
            text += f"; {folder} has {pluralize(run.runs, 'run')} of it, and {MIN_RUNS} are needed"
        else:
            text += (
                f", z = {judgement.z:.1f} from the {notation.value(run.expected.mean)} of {run.expected.runs} runs "
                f"with a spread of {notation.spread(run.expected.spread)} between them"
            )
            if judgement.chance is not None:
                text += f", by chance 1 in {1 / max(judgement.chance, 1e-9):,.0f} ({judgement.rule})"
        yield Check(run.system, f"{run.metric} as in the runs before", outcome, text, run.estimate, run.metric)


def judge_newest_run(
    folder: StrPath, metric: str, system: Sequence[str] | None, allow_missing: float, inconclusive: Leniency
) -> tuple[History, int]:
    """Judge the newest stored run by those before it; return the history and the exit status.

    Failed by an alarm of the newest run, or where its numbers cannot be trusted; else inconclusive in doubt. In doubt
    are which run is the newest, and what to expect of it where too few runs came before.
    """
    result = history(folder, metric=metric, system=system)
    reject_damaged_newest(result.findings, str(folder))
    outcomes = set()
    for finding in result.findings:
        effect, share = EFFECTS.get(finding.code), cast("float", finding.evidence.get("share", inf))
        if isinstance(effect, tuple) and share > allow_missing:
            outcomes.add(effect[0])
    last = len(result.runs) - 1
    is_known = any(series.newest.run == last and series.newest.z is not None for series in result.series)
    if result.is_alarmed or "failed" in outcomes:
        return result, 1
    if outcomes or not is_known:
        return result, {"fail": 1, "pass": 0, "warn": 3}[inconclusive]
    return result, 0


# Conditions -----------------------------------------------------------------------------------------------------------

_PARTS = ("value", "mean", "sd", "low", "high")
_WORST = "min_class_"
_CONDITION = re.compile(
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
    """True if it is about the class with the lowest number."""

    @classmethod
    def parse(cls, side: Side, text: str) -> Condition:
        """Read METRIC=NUMBER or METRIC.PART=NUMBER, where METRIC may be METRIC[LABEL] or min_class_METRIC.

        >>> Condition.parse("min", "proficiency.low=0.6").part, Condition.parse("min", "recall[a]=b]=0.3").label
        ('low', 'a]=b')
        """
        written = _CONDITION.fullmatch(text)
        name, label, part = (None, None, None) if written is None else written.group("name", "label", "part")
        try:
            limit = float("nan" if written is None else written["limit"])
        except ValueError:
            limit = float("nan")
        if name is None or isnan(limit):
            raise InputError(
                f"--{side} is {text!r}; write METRIC=NUMBER or METRIC.PART=NUMBER, as proficiency.low=0.6, of one "
                "class METRIC[LABEL]=NUMBER, as recall[spam]=0.3"
            )
        if part and part not in _PARTS:
            raise UnknownNameError(f"--{side} {text}: a metric has no {part!r}; it has {', '.join(_PARTS)}")
        worst = name.lower().replace("-", "_").startswith(_WORST)
        if worst and (label is not None or side == "max"):
            raise InputError(f"--{side} {text}: {name} is about the worst of all classes; write --min {name}=NUMBER")
        name = name[len(_WORST) :] if worst else name
        if worst or label is not None:  # the metric with a number per class, as recall means class_recall
            try:
                entry = find(name if name.startswith("class_") else f"class_{name}")
            except UnknownNameError:
                find(name)
                raise UnknownNameError(
                    f"there is no {name} of each class; there are recall, precision and f1"
                ) from None
        else:
            entry = find(name)
        if entry.card.level != ("table" if label is None and not worst else "truth"):
            rate = entry.name.removeprefix("class_")
            raise InputError(
                f"--{side} {text}: {entry.name} is a number of each class; name one class, as {rate}[LABEL]=NUMBER, "
                f"or ask for the worst, as {_WORST}{rate}=NUMBER"
            )
        low, high = entry.card.range
        if part != "sd" and not low <= limit <= high:
            percent = f"; write {limit / 100:g} for {limit:g}%" if high == 1 < limit <= 100 else ""
            raise InputError(f"--{side} {text}: {entry.name} lies between {low:g} and {high:g}{percent}")
        return cls(side, entry.name, part or None, limit, label, worst)

    def __str__(self) -> str:
        return self.describe(None)

    def describe(self, positive: str | None) -> str:
        """Return the condition as a person reads it, with the class of two that the metric is about."""
        name = self.metric if not (self.worst or self.label is not None) else self.metric.removeprefix("class_")
        about = find(self.metric).card.of_class(positive) if self.label is None else f" of '{self.label}'"
        part = "" if self.part is None else f".{self.part}"
        bound = "at least" if self.side == "min" else "at most"
        return f"{_WORST if self.worst else ''}{name}{part}{about} {bound} {self.limit:g}"

    def check(self, system: SystemResult, *, broken_labels: bool = False) -> Check:
        """Check a system; with broken labels, which fail the gate, an undefined metric is failed and no error."""
        by_class = dict(self._list_classes(system)) if self.worst or self.label is not None else {}
        if self.metric not in system.metrics and not by_class:
            check_costs_stated(find(self.metric), stated=False)
            raise InputError(f"{self.metric} is about ordered classes; state their order with --ordinal (ordinal=)")
        estimates = list(by_class.values()) or [system.metrics[self.metric]]
        undefined = [(label, x) for label, x in zip(by_class or [None], estimates, strict=True) if x.value is None]
        estimate = min(estimates, key=lambda x: -1.0 if x.value is None else x.value)
        condition, metric, notation = self.describe(system.positive), self.metric, MetricNotation(self.metric)
        is_value = self.part == "value" and not estimate.corrected
        is_near_end = self.part in (None, "low" if self.side == "min" else "high")
        subject = self.name_subject(system.positive) if is_value or is_near_end else ""
        rate = metric.removeprefix("class_")
        named = f"{_WORST}{rate}" if self.worst else metric if self.label is None else f"{rate}[{self.label}]"

        def answer(outcome: Outcome, text: str) -> Check:
            about = {"subject": subject, "side": self.side, "limit": self.limit, "named": named}
            return Check(system.title, condition, outcome, text, estimate, metric, **about)  # type: ignore[arg-type]

        if undefined and broken_labels:
            return answer("failed", f"{metric} is undefined: {estimate.undefined}")
        for label, unknown in undefined:
            about = "" if label is None else f" of the class {label!r}"
            instead = f"; of one class it is {metric}[LABEL]" if metric in ("recall", "precision", "f1") else ""
            raise InputError(f"{metric}{about} is undefined for {system.title!r}: {unknown.undefined}{instead}")
        text = f"it is {notation.whole(estimate)}"
        if self.worst:
            lowest = next(label for label, x in by_class.items() if x is estimate)
            text += f" for '{lowest}', the lowest of {len(by_class)} classes"
        if self.part in ("value", "mean", "sd"):
            numbers = [number for x in estimates if (number := getattr(x, self.part)) is not None]
            if len(numbers) == len(estimates):
                met = min(numbers) >= self.limit if self.side == "min" else numbers[0] <= self.limit
                return answer(
                    "passed" if met else "failed", text if self.worst else f"it is {notation.value(min(numbers))}"
                )
        elif all(x.interval is not None for x in estimates):
            return answer(self._decide(system, estimates), text)

        # there is no such number, or no interval: by the data, or because of what was asked
        if system.n is None or find(metric).card.posterior == "none":
            what = self.part if self.part in ("mean", "sd") else "interval"
            raise InputError(
                f"{metric} of {system.title!r} has no {what} here; state the sample size with --sample-size, or "
                f"ask for {named}.value"
            )
        why = "these data do not allow one"
        withheld = {f.code for f in system.diagnosis if metric in WITHHELD_METRICS.get(f.code, ())}
        if "dominant_class" in withheld:
            why = "one class has nearly all samples. Collect samples of the others"
        if "unseen_classes" in withheld:
            why = "it moves with the number of classes, and some occur in no row. "
            why += "State all classes with labels= (--classes)"
        return answer("inconclusive", f"{text}, without an interval: {why}, or ask for {named}.value")

    def name_subject(self, positive: str | None) -> str:
        """Return the metric within a sentence: "F1 of 'spam'", "lowest recall of all classes"."""
        card = find(self.metric.removeprefix("class_") if self.worst or self.label is not None else self.metric).card
        alone = ", the value alone," * (self.part == "value")
        if self.worst:
            return f"lowest {card.title_in_sentence} of all classes{alone}"
        about = card.of_class(positive) if self.label is None else f" of '{self.label}'"
        return card.title_in_sentence + about + alone

    def plan(self, check: Check, system: SystemResult, prior: PriorLike) -> Check:
        """Add to a check that is open how many further rows decide it."""
        estimate, table, method = check.estimate, system.table, system.interval_method
        if check.outcome != "inconclusive" or estimate is None or estimate.interval is None or estimate.shown is None:
            return check
        if table is None or estimate.sd is None or method is None or method.groups is not None:
            return check  # more rows of the same groups say little
        is_met = estimate.shown >= self.limit if self.side == "min" else estimate.shown <= self.limit
        is_higher = is_met == (self.side == "min")
        low, high = estimate.interval
        half_width = estimate.shown - low if is_higher else high - estimate.shown
        rows = float(table.total if system.n is None else system.n)
        further = plan_rows_first_order(abs(estimate.shown - self.limit), half_width, estimate.sd, rows)
        if further is None:
            return check
        entry = find(self.metric)
        wanted: Outcome = "passed" if is_met else "failed"
        labels, places = list(map(str, table.truth_labels)), []
        if self.worst or self.label is not None:
            places = [labels.index(label) for label, _ in self._list_classes(system)]
        is_plain = table.is_counts and table.weight_squares is None and table.reweighting is None
        if is_plain and table.estimation is None and table.cells.size <= MAX_CELLS:
            more = plan_rows_by_trials(
                table,
                entry,
                places,
                estimate.shown,
                is_higher=is_higher,
                is_decided=lambda estimates: self._decide(system, estimates) == wanted,
                first_order=further,
                level=method.level,
                prior=prior,
            )
        else:
            more = round_up(further)
        about = self.label or (system.positive if entry.card.of_class(system.positive) else None)
        of_class = None
        if about in labels:
            of_class = round_up(more * float(table.row_totals[labels.index(about)]) / float(table.total))
        return replace(check, needed=RowsNeeded(more, wanted, of_class=of_class))

    def _decide(self, system: SystemResult, estimates: Sequence[Estimate]) -> Outcome:
        """Decide by intervals: a limit that lies inside one is neither met nor missed.

        All classes meet it where the worst one does, and with many classes one of them lies above its interval by
        chance: the far ends are those of intervals for all classes together (Bonferroni).
        """
        nears, fars = [], []
        for estimate in estimates:
            low, high = estimate.interval or (float("nan"), float("nan"))
            mean, sd = estimate.mean, estimate.sd
            if len(estimates) > 1 and mean is not None and sd and 0 < mean < 1:
                # of the beta distribution with this mean and sd
                size = mean * (1 - mean) / sd**2 - 1
                level = 1 - (1 - _get_level(system)) / len(estimates)
                end = betaincinv(mean * size, (1 - mean) * size, (1 + level) / 2) if size > 0 else 1.0
                high = max(high, float(end))
            elif len(estimates) > 1:
                high = max(high, 1.0 if mean is None else mean)
            near, far = (low, high) if self.side == "min" else (-high, -low)
            nears.append(far if self.part == ("high" if self.side == "min" else "low") else near)
            fars.append(far)
        limit = self.limit if self.side == "min" else -self.limit
        return "passed" if min(nears) >= limit else "failed" if min(fars) < limit else "inconclusive"

    def _list_classes(self, system: SystemResult) -> Iterator[tuple[str, Estimate]]:
        """Yield the metric of the class that is named, or of each true class."""
        rate = self.metric.removeprefix("class_")
        outputs = {line.label: line.values for line in system.outputs}
        labels = [line.label for line in system.classes]
        if self.label is not None and self.label not in labels:
            few = list_few(labels, 8)
            raise UnknownNameError(f"{self}: {system.title!r} has no class {self.label!r}; it has {few}")
        for line in system.classes:
            is_meant = line.label == self.label if self.label is not None else bool(line.number("support"))
            if is_meant:  # of predictions, which is where precision has its interval
                of_output = outputs.get(line.label, {}).get(rate, ABSENT)
                yield line.label, of_output if of_output.value is not None else line.values.get(rate, ABSENT)


def _get_level(system: SystemResult) -> float:
    return 0.95 if system.interval_method is None else system.interval_method.level


# Baseline -------------------------------------------------------------------------------------------------------------

_OLD = "baseline "
"""Before the name of the earlier system where both stand in one comparison."""


@dataclass(frozen=True)
class Baseline:
    """An earlier evaluation, and what it means to be no worse."""

    evaluation: Evaluation
    metrics: Sequence[str] = ()
    """By default one of information, and one that a wrong name of a class changes: see ``choose_metrics``."""
    tolerance: float = 0.0
    proven: bool = False
    """True if "not worse" must be demonstrated; else looking no worse is enough."""
    name: str = "the baseline"
    """Of its file."""
    system: str | None = None
    """Which system of the evaluation; by default the one of the same name, or the only one."""
    uncertainty: UncertaintyOptions = field(default_factory=UncertaintyOptions)
    prevalence: Prevalence | None = None
    comparison: Comparison | None = None
    """Of the systems with the baseline, where the rows were read for it."""

    def __post_init__(self) -> None:
        """Reject a tolerance below 0, and metrics that are not better at either end."""
        if not 0 <= self.tolerance < inf:
            raise InputError(f"the tolerance is {self.tolerance:g}; it must be a number that is not negative")
        for entry in map(find, self.metrics):
            if entry.card.level != "table" or entry.card.better == "none":
                raise InputError(f"{entry.name} is not better at either end; a baseline needs a metric that is")

    @classmethod
    def load(cls, text: str, name: str, **options: Any) -> Baseline:
        """Read the JSON of ``infoscope evaluate --format json``."""
        try:
            record: Any = parse_json(text)
        except InputError as error:
            raise InputError(
                f"{name} is not JSON: {error}; a baseline is written by `infoscope evaluate --format json`"
            ) from None
        try:
            evaluation = Evaluation.from_dict(record)
        except InputError as error:
            raise InputError(
                f"{name} is not a whole evaluation: {error}; write it again by `infoscope evaluate --format json`"
            ) from None
        if not evaluation.systems:
            raise InputError(f"{name} has no system; a baseline is written by `infoscope evaluate --format json`")
        return cls(evaluation, name=name, **options)

    def check(self, evaluation: Evaluation, broken_labels: Set[str] = frozenset()) -> tuple[list[Check], list[Finding]]:
        """Check every system in every metric; of systems with broken labels, which fail anyway, defined ones."""
        for entry in map(find, self.metrics):
            check_costs_stated(entry, stated=entry.card.family != "costs" or evaluation.costs is not None)
            old = self.evaluation.costs
            if entry.card.family == "costs" and old is not None and old != evaluation.costs:
                raise InputError(f"{self.name} was evaluated with other costs; evaluate it again with these")
        pairs = [(system, self._find_earlier(system)) for system in evaluation.systems]
        for now, before in pairs:
            if now.truth_labels and before.truth_labels and not set(now.truth_labels) & set(before.truth_labels):
                raise InputError(
                    f"{self.name} is about other true classes ({list_few(before.truth_labels)}) than {now.title} "
                    f"({list_few(now.truth_labels)}): no class is the same; give a baseline of the same truth"
                )

        comparison, why_not = self.comparison, None
        defined = keep_defined_metrics(self.metrics, (*evaluation.systems, *self.evaluation.systems))
        if comparison is None and defined:
            reason = self._find_obstacle(evaluation)
            if reason is None:
                comparison = self._compare_rows(evaluation, pairs, defined)
            else:
                why_not = f"the systems are compared as if on different rows, which takes larger differences: {reason}"
                why_not += "".join(dict.fromkeys(_describe_other_classes(now, before) for now, before in pairs))

        checks = []
        for now, before in pairs:
            for entry in map(find, self.metrics):
                if entry.name in now.metrics and now.metrics[entry.name].value is None and now.title in broken_labels:
                    continue
                self._check_comparable(now, before, entry)
                checks.append(self._check_metric(now, before, entry, comparison))
        findings = [] if why_not is None else [Finding("unpaired", f"{why_not}.", evidence={"baseline": self.name})]
        for before in {id(before): before for _, before in pairs}.values():
            renamed = next((finding for finding in before.diagnosis if finding.code == "relabelled"), None)
            if renamed is not None and evaluation.systems[0].clusters is None:
                text = f"The baseline {before.title} is no measure of names: {renamed.text}"
                findings.append(replace(renamed, code="baseline_relabelled", text=text, detail=""))
        return checks, findings

    def _find_earlier(self, system: SystemResult) -> SystemResult:
        """Return the earlier system: the one that is named, of the same name, or the only one."""
        systems = self.evaluation.systems
        wanted = self.system or system.title
        same = [old for old in systems if wanted in (old.title, old.name)]
        same = [old for old in same if old.group == system.group] or same
        if not same and self.system is None and len(systems) == 1:
            same = list(systems)
        if not same:
            hint = suggest_name(wanted, [old.title for old in systems], "it has")
            raise UnknownNameError(f"{self.name} has no system {wanted!r}; {hint}")
        return same[0]

    def _find_obstacle(self, evaluation: Evaluation) -> str | None:
        """Return why systems and baseline cannot be compared row by row; None if they can."""
        rows, earlier_rows = evaluation.row_labels, self.evaluation.row_labels
        if any(system.group for system in evaluation.systems):
            return "rows are split into groups"
        if rows is None:
            return "the rows here are weighted, too many or without an order, or there are only tables"
        if earlier_rows is None:
            return (
                f"{self.name} keeps no rows; name its column with --baseline-system (baseline_system= in Python), or "
                "give its rows as --baseline (baseline=), or write it again with keep_rows=True in Python"
            )
        if evaluation.systems[0].clusters is not None:
            return "predictions are clusters"
        if any(system.interval_method is not None and system.interval_method.groups for system in evaluation.systems):
            return (
                "rows come in groups; name the baseline's column with --baseline-system (baseline_system= in Python) "
                "to pair within them"
            )
        reason = rows.difference(earlier_rows)
        return None if reason is None else f"{self.name} cannot be paired: {reason}"

    def _compare_rows(
        self, evaluation: Evaluation, pairs: Sequence[tuple[SystemResult, SystemResult]], metrics: Sequence[str]
    ) -> Comparison:
        """Compare row by row, each system with the posterior of its own result, so that the numbers are the same."""
        first, prevalence, costs = evaluation.systems[0], self.prevalence, evaluation.costs
        if isinstance(prevalence, Mapping):
            prevalence = {str(label): share for label, share in prevalence.items()}
        question = CompareOptions(
            tuple(map(find, metrics)),
            _get_level(first),
            prior=self.uncertainty.prior,
            seed=self.uncertainty.seed,
            prevalence=prevalence,
            ordinal=None if first.ordinal is None else StatedOrder(first.ordinal, inferred=False),
            costs=None if costs is None else StatedCosts(costs.truth, costs.system, np.array(costs.values)),
            swaps=False,
            named=metrics,
        )
        results = {now.title: now for now, _ in pairs} | {_OLD + before.title: before for _, before in pairs}
        names = {now.title: ("mine", now.name) for now, _ in pairs}
        names |= {_OLD + before.title: ("other", before.name) for _, before in pairs}
        rows, earlier_rows = evaluation.row_labels, self.evaluation.row_labels
        assert rows is not None and earlier_rows is not None  # noqa: PT018 - else there is an obstacle
        predicted: PairedPredictions = rows.beside(earlier_rows, names)
        is_reject_used = first.reject in {label for labels in predicted.rows.labels[1:] for label in labels}
        predicted = replace(predicted, reject=first.reject if is_reject_used else None, positive=first.positive)
        beliefs = {}
        for name, result in results.items():
            table = sort_classes(predicted.table(name), result.truth_labels, result.system_labels)
            beliefs[name] = Posterior(
                question.order_classes(question.prepare_table(table)), question.prior, seed=question.seed
            )
        return compare_rows(predicted, question, beliefs)

    def _check_comparable(self, now: SystemResult, before: SystemResult, entry: Metric) -> None:
        """Reject a metric that one of both has not, or that means something else there."""
        new, old = now.metrics.get(entry.name), before.metrics.get(entry.name)
        if new is None:
            raise InputError(f"{entry.name} is about ordered classes; state their order with --ordinal (ordinal=)")
        for system, estimate, place in ((now, new, "here"), (before, old, f"in {self.name}")):
            if estimate is None:
                raise InputError(f"{self.name} has no {entry.name}; evaluate it again, or compare another metric")
            if estimate.value is None:
                raise InputError(f"{entry.name} of {system.title!r} is undefined {place}: {estimate.undefined}")
            if estimate.sd is None and (system.n is None or entry.card.posterior == "none"):
                raise InputError(
                    f"{entry.name} has no interval {place}; compare another metric, or state --sample-size"
                )
        bits_before, bits_now = _get_truth_bits(now, before)
        if bits_before != bits_now and entry.card.unit in ("bits", "nats"):
            raise InputError(
                f"the baseline was measured on other data (H(T) = {bits_before:.3f} against {bits_now:.3f} bits), so a "
                f"difference of {entry.name} in {entry.card.unit} means nothing; compare a ratio such as proficiency"
            )
        if entry.card.of_class(now.positive) != entry.card.of_class(before.positive):
            raise InputError(
                f"{entry.name} is about {now.positive!r} here and about {before.positive!r} in the baseline; name one "
                "class with --positive for both"
            )

    def _check_metric(
        self, now: SystemResult, before: SystemResult, entry: Metric, comparison: Comparison | None
    ) -> Check:
        """Check one metric by the paired difference, else as if the two were independent samples."""
        margin = f" by more than {self.tolerance:g}" if self.tolerance else ""
        proof = ", demonstrably" if self.proven else ""
        condition = f"{entry.name}{entry.card.of_class(now.positive)} not worse than the baseline's{margin}{proof}"
        withheld = next((system for system in (now, before) if system.metrics[entry.name].sd is None), None)
        if withheld is not None:  # without an interval nobody knows how large the difference is
            name = self.name if withheld is before else now.title
            text = f"{entry.name} of {name} has no interval: the data do not allow one; compare another metric"
            return Check(now.title, condition, "inconclusive", text, now.metrics[entry.name], entry.name)
        earlier_name = before.title if self.comparison is not None else _OLD + before.title
        gap = None if comparison is None else comparison.between(now.title, earlier_name, entry.name)
        gap = replace(gap or self._subtract_posteriors(now, before, entry), b=before.title)
        numbers = now.shown(entry.name), before.shown(entry.name)
        for ranking in () if comparison is None else comparison.ranking:
            if ranking.metric == entry.name:
                shown = {place.name: place.shown for place in ranking.places}
                numbers = shown[now.title], shown[earlier_name]

        sign = -1.0 if entry.card.better == "lower" else 1.0
        parts = (gap.estimate.low, gap.estimate.high, gap.estimate.shown)
        ends = [float(end) for end in parts if end is not None]
        low, high = sorted(sign * end for end in ends[:2])
        middle = sign * ends[2]
        notation = MetricNotation(entry.name)
        now_shown, before_shown = map(notation.value, numbers)
        text = f"{_describe_gap(middle, low, high, notation)}; {before_shown} before, {now_shown} now"
        bits_before, bits_now = _get_truth_bits(now, before)
        if bits_before != bits_now:
            text += f"; different data sets: H(T) = {bits_before:.3f} before, {bits_now:.3f} bits now"
        text += "; paired row by row" if gap.paired else "; unpaired"
        outcome = self.decide(low, middle, high)
        needed = None
        if outcome == "inconclusive" and gap.paired and gap.estimate.sd and now.n is not None:
            ahead = middle + self.tolerance
            half_width = middle - low if ahead > 0 else high - middle
            rows = plan_rows_first_order(abs(ahead), half_width, gap.estimate.sd, now.n)
            needed = None if rows is None else RowsNeeded(round_up(rows), "passed" if ahead > 0 else "failed")
        estimate = now.metrics[entry.name]
        return Check(now.title, condition, outcome, text, estimate, entry.name, gap, needed=needed)

    def _subtract_posteriors(self, now: SystemResult, before: SystemResult, entry: Metric) -> Difference:
        """Subtract the two posteriors, as if of independent samples."""
        beliefs = []
        for estimate in (now.metrics[entry.name], before.metrics[entry.name]):
            parts = (estimate.value, estimate.mean, estimate.sd, estimate.low, estimate.high)
            value, mean, sd, low, high = (float("nan") if part is None else part for part in parts)
            beliefs.append(MetricBelief(value, mean, sd, low, high, estimate.corrected))
        titles = now.title, before.title
        return difference(titles, (beliefs[0], beliefs[1]), 0.0, entry, level=_get_level(now))

    def decide(self, low: float, middle: float, high: float) -> Outcome:
        """Decide by the interval of "better by" and its middle."""
        if high < -self.tolerance:
            return "failed"
        if low >= -self.tolerance or (middle >= -self.tolerance and not self.proven):
            return "passed"
        return "inconclusive"


def choose_metrics(systems: Sequence[SystemResult]) -> tuple[str, str]:
    """Return proficiency and MCC; kappa instead of MCC where a system, as a dummy, predicts one class and has none."""
    return "proficiency", "mcc" if keep_defined_metrics(["mcc"], systems) else "kappa"


def keep_defined_metrics(names: Sequence[str], systems: Sequence[SystemResult]) -> list[str]:
    """Return the metrics that every system has a value of; a comparison takes no others."""
    return [name for name in names if all(system.number(find(name).name) is not None for system in systems)]


def _describe_other_classes(now: SystemResult, before: SystemResult) -> str:
    """Name true classes that only one of both has: classes that were renamed, or another truth.

    Nothing is known of stored results that do not list every class.
    """
    there, here = (
        {line.label for line in system.classes if line.number("support")}
        if len(system.classes) == len(system.truth_labels)
        else set()
        for system in (before, now)
    )
    parts = []
    for only, side in ((there - here, "there"), (here - there, "here")):
        if only and there and here:
            parts.append(f"{list_few(sorted(only))} only {side}")
    return f"; true classes differ: {' and '.join(parts)}" if parts else ""


def _get_truth_bits(now: SystemResult, before: SystemResult) -> tuple[float, float]:
    """Return both entropies of the truth, the baseline's first.

    Those of tables that are estimated apart from the same rows differ by chance only.
    """
    if all(result.interval_method is not None and result.interval_method.method == "draws" for result in (now, before)):
        return 0.0, 0.0
    bits = [round(result.number("truth_entropy") or 0.0, 9) for result in (now, before)]
    return bits[1], bits[0]


def _describe_gap(middle: float, low: float, high: float, notation: MetricNotation) -> str:
    """Say by how much better or worse, with the interval; a minus sign means the opposite.

    >>> _describe_gap(-0.0149, -0.021, 0.003, MetricNotation("accuracy"))
    'worse by 1.5 points (−0.3 – 2.1)'
    """
    if low == high == 0:
        return "no difference: the predictions are the same in every row, or differ in the names of the classes alone"
    word, ends = ("better", (low, high)) if middle >= 0 else ("worse", (-high, -low))
    within = " – ".join(notation.signed(end).lstrip("+") for end in ends)
    return f"{word} by {notation.signed(abs(middle)).lstrip('+')}{' points' * notation.is_share} ({within})"
