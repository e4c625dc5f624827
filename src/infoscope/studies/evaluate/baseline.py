"""An earlier system that a gate compares with: row by row where the rows are the same, else by two posteriors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import floor, log10
from typing import Any

import numpy as np

from infoscope.core.records import parse_json
from infoscope.errors import InputError, UnknownNameError
from infoscope.metrics.registry import Metric, find
from infoscope.posterior import Posterior
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.finding import Finding
from infoscope.results.notation import MetricNotation
from infoscope.studies.compare.difference import MetricBelief, difference
from infoscope.studies.compare.options import CompareOptions
from infoscope.studies.compare.paired import compare_rows
from infoscope.studies.compare.predictions import PairedPredictions
from infoscope.studies.compare.result import Comparison
from infoscope.studies.evaluate.conditions import Check, Outcome
from infoscope.studies.evaluate.result import Evaluation, SystemResult
from infoscope.studies.inputs import Prevalence, StatedOrder, UncertaintyOptions, check_costs_stated
from infoscope.tables.costs import CostMatrix, StatedCosts
from infoscope.tables.labels import few_of
from infoscope.tables.transformations import in_label_order

__all__ = ["Baseline", "BaselineChecks", "choose_metrics", "defined_metrics"]

_OLD = "baseline "
"""Before the name of the earlier system where both stand in one comparison."""


@dataclass(frozen=True)
class BaselineChecks:
    """Every system against the baseline, with findings about how."""

    checks: tuple[Check, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Baseline:
    """An earlier evaluation, and what it means to be no worse."""

    evaluation: Evaluation
    metrics: Sequence[str] = ()
    """By default one of information, and one that a wrong name of a class changes: see ``choose_metrics``."""
    tolerance: float = 0.0
    proven: bool = False
    """Whether "not worse" must be demonstrated; else looking no worse is enough."""
    name: str = "the baseline"
    """Of its file."""
    system: str | None = None
    """Which system of the evaluation; by default the one of the same name, or the only one."""
    uncertainty: UncertaintyOptions = field(default_factory=UncertaintyOptions)
    prevalence: Prevalence | None = None
    comparison: Comparison | None = None
    """Of the systems with the baseline, where the rows were read for it."""

    def __post_init__(self) -> None:
        """Reject what means nothing."""
        if not 0 <= self.tolerance < float("inf"):
            raise InputError(f"the tolerance is {self.tolerance:g}; it must be a number that is not negative")
        for entry in map(find, self.metrics):
            if entry.card.level != "table" or entry.card.better == "none":
                raise InputError(f"{entry.name} is not better at either end; a baseline needs a metric that is")

    @classmethod
    def load(cls, text: str, name: str, **options: Any) -> Baseline:
        """From the JSON of ``infoscope evaluate --format json``."""
        try:
            record: Any = parse_json(text)
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

    def compared(self, evaluation: Evaluation, broken_labels: Set[str] = frozenset()) -> BaselineChecks:
        """Every system in every metric; of systems with broken labels, which fail anyway, those that are defined."""
        self._check_costs(evaluation)
        pairs = [(system, self._before(system)) for system in evaluation.systems]
        for now, before in pairs:
            self._check_same_truth(now, before)
        comparison, why_not = self._paired(evaluation, pairs)
        checks = []
        for now, before in pairs:
            for entry in map(find, self.metrics):
                if entry.name in now.metrics and now.metrics[entry.name].value is None and now.title in broken_labels:
                    continue
                self._check_comparable(now, before, entry)
                withheld = next((system for system in (now, before) if system.metrics[entry.name].sd is None), None)
                if withheld is not None:
                    checks.append(self._without_interval(now, entry, self.name if withheld is before else now.title))
                    continue
                found = None if comparison is None else comparison.between(now.title, self._named(before), entry.name)
                found = found or self._unpaired(now, before, entry)
                checks.append(
                    self._checked((now, before), entry, found, self._values(comparison, (now, before), entry))
                )
        if why_not is not None:
            why_not += "".join(dict.fromkeys(_other_classes(now, before) for now, before in pairs))
        findings = [] if why_not is None else [Finding("unpaired", f"{why_not}.", evidence={"baseline": self.name})]
        for before in {id(before): before for _, before in pairs}.values():
            renamed = next((finding for finding in before.diagnosis if finding.code == "relabelled"), None)
            if renamed is not None and evaluation.systems[0].clusters is None:
                text = f"The baseline {before.title} is no measure of names: {renamed.text}"
                findings.append(replace(renamed, code="baseline_relabelled", text=text, detail=""))
        return BaselineChecks(tuple(checks), tuple(findings))

    def _without_interval(self, now: SystemResult, entry: Metric, name: str) -> Check:
        """Open: without an interval nobody knows how large the difference is."""
        text = f"{entry.name} of {name} has no interval: the data do not allow one; compare another metric"
        return Check(now.title, self._condition(entry, now), "inconclusive", text, now.metrics[entry.name], entry.name)

    def _condition(self, entry: Metric, now: SystemResult) -> str:
        margin = f" by more than {self.tolerance:g}" if self.tolerance else ""
        proof = ", demonstrably" if self.proven else ""
        return f"{entry.name}{entry.card.of_class(now.positive)} not worse than the baseline's{margin}{proof}"

    def _check_same_truth(self, now: SystemResult, before: SystemResult) -> None:
        """Reject a baseline of other classes: its numbers are about another question."""
        if now.truth_labels and before.truth_labels and not set(now.truth_labels) & set(before.truth_labels):
            raise InputError(
                f"{self.name} is about other true classes ({few_of(before.truth_labels)}) than {now.title} "
                f"({few_of(now.truth_labels)}): no class is the same; give a baseline of the same truth"
            )

    def _check_costs(self, evaluation: Evaluation) -> None:
        for entry in map(find, self.metrics):
            check_costs_stated(entry, stated=entry.card.family != "costs" or evaluation.costs is not None)
            old = self.evaluation.costs
            if entry.card.family == "costs" and old is not None and old != evaluation.costs:
                raise InputError(f"{self.name} was evaluated with other costs; evaluate it again with these")

    def _before(self, system: SystemResult) -> SystemResult:
        systems = self.evaluation.systems
        wanted = self.system or system.title
        same = [old for old in systems if wanted in (old.title, old.name)]
        same = [old for old in same if old.group == system.group] or same
        if not same and self.system is None and len(systems) == 1:
            same = list(systems)
        if not same:
            names = ", ".join(repr(old.title) for old in systems)
            raise UnknownNameError(f"{self.name} has no system {wanted!r}; it has {names}")
        return same[0]

    def _paired(
        self, evaluation: Evaluation, pairs: Sequence[tuple[SystemResult, SystemResult]]
    ) -> tuple[Comparison | None, str | None]:
        """Both row by row; or why that cannot be."""
        if self.comparison is not None or not self._question(evaluation).metrics:
            return self.comparison, None
        why_not = self._why_unpaired(evaluation)
        if why_not is not None:
            return None, f"the systems are compared as if on different rows, which takes larger differences: {why_not}"
        mine, other = evaluation.row_labels, self.evaluation.row_labels
        assert mine is not None and other is not None  # noqa: PT018 - else there is a reason
        systems = {now.title: ("mine", now.name) for now, _ in pairs}
        systems |= {_OLD + before.title: ("other", before.name) for _, before in pairs}
        predicted = mine.beside(other, systems)
        stated = {name: getattr(evaluation.systems[0], name) for name in ("reject", "positive")}
        if stated["reject"] not in {label for column in predicted.systems.values() for label in column.labels}:
            stated["reject"] = None
        results = {now.title: now for now, _ in pairs} | {_OLD + before.title: before for _, before in pairs}
        predicted, question = replace(predicted, **stated), self._question(evaluation)
        return compare_rows(predicted, question, _beliefs(predicted, results, question)), None

    def _why_unpaired(self, evaluation: Evaluation) -> str | None:
        mine, other = evaluation.row_labels, self.evaluation.row_labels
        if any(system.group for system in evaluation.systems):
            return "rows are split into groups"
        if mine is None:
            return "the rows here are weighted, too many or without an order, or there are only tables"
        if other is None:
            return (
                f"{self.name} keeps no rows; name its column with --baseline-system (baseline_system= in Python), or "
                "write it again with --keep-rows (keep_rows=True)"
            )
        if evaluation.systems[0].clusters is not None:
            return "predictions are clusters"
        if any(system.interval is not None and system.interval.groups for system in evaluation.systems):
            return (
                "rows come in groups; name the baseline's column with --baseline-system (baseline_system= in Python) "
                "to pair within them"
            )
        reason = mine.difference(other)
        return None if reason is None else f"{self.name} cannot be paired: {reason}"

    def _question(self, evaluation: Evaluation) -> CompareOptions:
        how, prevalence, scale = self.uncertainty, self.prevalence, evaluation.systems[0].ordinal
        if isinstance(prevalence, Mapping):
            prevalence = {str(label): share for label, share in prevalence.items()}
        systems = (*evaluation.systems, *self.evaluation.systems)
        return CompareOptions(
            tuple(map(find, defined_metrics(self.metrics, systems))),
            _level(evaluation),
            prior=how.prior,
            seed=how.seed,
            prevalence=prevalence,
            ordinal=None if scale is None else StatedOrder(scale, inferred=False),
            costs=_stated(evaluation.costs),
            swaps=False,
        )

    def _check_comparable(self, now: SystemResult, before: SystemResult, entry: Metric) -> None:
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
        truths = _truths(now, before)
        if truths[0] != truths[1] and entry.card.unit in ("bits", "nats"):
            raise InputError(
                f"the baseline was measured on other data (H(T) = {truths[1]:.3f} against {truths[0]:.3f} bits), so a "
                f"difference of {entry.name} in {entry.card.unit} means nothing; compare a ratio such as proficiency"
            )
        if entry.card.of_class(now.positive) != entry.card.of_class(before.positive):
            raise InputError(
                f"{entry.name} is about {now.positive!r} here and about {before.positive!r} in the baseline; name one "
                "class with --positive for both"
            )

    def _unpaired(self, now: SystemResult, before: SystemResult, entry: Metric) -> Difference:
        """By the two posteriors, as if of independent samples."""
        beliefs = (_belief(now.metrics[entry.name]), _belief(before.metrics[entry.name]))
        level = 0.95 if now.interval is None else now.interval.level
        return difference((now.title, before.title), beliefs, 0.0, entry, CompareOptions((entry,), level))

    def _checked(
        self,
        systems: tuple[SystemResult, SystemResult],
        entry: Metric,
        found: Difference,
        values: tuple[float | None, float | None],
    ) -> Check:
        now, before = systems
        found = replace(found, b=before.title)
        sign = -1.0 if entry.card.better == "lower" else 1.0
        ends = [
            float(end) for end in (found.estimate.low, found.estimate.high, found.estimate.shown) if end is not None
        ]
        gap = sign * ends[2]
        low, high = sorted(sign * end for end in ends[:2])
        level = 0.95 if now.interval is None else now.interval.level
        now_shown, before_shown = (MetricNotation(entry.name).value(value) for value in values)
        text = f"{_told(gap, low, high, level)}; {before_shown} before, {now_shown} now"
        truths = _truths(now, before)
        if truths[0] != truths[1]:
            text += f"; different data sets: H(T) = {truths[1]:.3f} before, {truths[0]:.3f} bits now"
        text += "; paired row by row" if found.paired else "; unpaired"
        condition = self._condition(entry, now)
        outcome = self._outcome(low, gap, high)
        return Check(now.title, condition, outcome, text, now.metrics[entry.name], entry.name, found)

    def _values(
        self, comparison: Comparison | None, systems: tuple[SystemResult, SystemResult], entry: Metric
    ) -> tuple[float | None, float | None]:
        """Both systems' values, from the comparison that their difference comes from."""
        now, before = systems
        for ranking in () if comparison is None else comparison.ranking:
            if ranking.metric == entry.name:
                shown = {place.name: place.shown for place in ranking.places}
                return shown[now.title], shown[self._named(before)]
        return now.shown(entry.name), before.shown(entry.name)

    def _named(self, before: SystemResult) -> str:
        """The name of the earlier system in the comparison."""
        return before.title if self.comparison is not None else _OLD + before.title

    def _outcome(self, low: float, gap: float, high: float) -> Outcome:
        """What the interval of "better by" says: ``gap`` is its middle."""
        if high < -self.tolerance:
            return "failed"
        if low >= -self.tolerance or (gap >= -self.tolerance and not self.proven):
            return "passed"
        return "inconclusive"


def choose_metrics(systems: Sequence[SystemResult]) -> tuple[str, str]:
    """Return proficiency and MCC; kappa instead of MCC where a system, as a dummy, predicts one class and has none."""
    return "proficiency", "mcc" if defined_metrics(["mcc"], systems) else "kappa"


def defined_metrics(names: Sequence[str], systems: Sequence[SystemResult]) -> list[str]:
    """The metrics that every system has a value of; a comparison takes no others."""
    return [name for name in names if all(system.number(find(name).name) is not None for system in systems)]


def _stated(costs: CostMatrix | None) -> StatedCosts | None:
    return None if costs is None else StatedCosts(costs.truth, costs.system, np.array(costs.values))


def _beliefs(
    predicted: PairedPredictions, results: Mapping[str, SystemResult], question: CompareOptions
) -> dict[str, Posterior]:
    """What is believed of each system, drawn in the order of the classes of its result: the same numbers."""
    found: dict[str, Posterior] = {}
    for name, result in results.items():
        table = in_label_order(predicted.table(name), result.truth_labels, result.system_labels)
        found[name] = Posterior(question.in_order(question.seen(table)), question.prior, seed=question.seed)
    return found


def _belief(estimate: Estimate) -> MetricBelief:
    parts = (estimate.value, estimate.mean, estimate.sd, estimate.low, estimate.high)
    value, mean, sd, low, high = (float("nan") if part is None else part for part in parts)
    return MetricBelief(value, mean, sd, low, high, estimate.corrected)


def _other_classes(now: SystemResult, before: SystemResult) -> str:
    """True classes that only one of both has: classes that were renamed, or another truth."""
    there, here = _true_classes(before), _true_classes(now)
    parts = []
    for only, side in (([*there - here], "there"), ([*here - there], "here")):
        if only and there and here:
            parts.append(f"{few_of(sorted(only))} only {side}")
    return f"; true classes differ: {' and '.join(parts)}" if parts else ""


def _true_classes(system: SystemResult) -> set[str]:
    """Classes with samples, if the stored result lists every class; else none."""
    found = {line.label for line in system.classes if line.number("support")}
    return found if len(system.classes) == len(system.truth_labels) else set()


def _truths(now: SystemResult, before: SystemResult) -> list[float]:
    """Entropies of the truth; of tables that are estimated apart from the same rows they differ by chance only."""
    if all(result.interval is not None and result.interval.method == "draws" for result in (now, before)):
        return [0.0, 0.0]
    return [round(result.number("truth_entropy") or 0.0, 9) for result in (now, before)]


def _level(evaluation: Evaluation) -> float:
    made = evaluation.systems[0].interval
    return 0.95 if made is None else made.level


def _told(gap: float, low: float, high: float, level: float) -> str:
    """By how much better or worse, with the interval in the same words."""
    if low == high == 0:
        return "no difference: the predictions are the same in every row, or differ in the names of the classes alone"
    digits = min(max(1 - floor(log10(max(high - low, 1e-9) / 2)), 3), 6)
    word = "better" if gap >= 0 else "worse"
    one, other = (low, high) if gap >= 0 else (-high, -low)
    ends = f"{one:.{digits}f} to {other:.{digits}f}"
    if one < 0:
        opposite = "worse" if gap >= 0 else "better"
        ends = f"{-one:.{digits}f} {opposite} to {other:.{digits}f} {word}"
    return f"{word} by {abs(gap):.{digits}f}, {100 * level:.4g}% interval {ends}"
