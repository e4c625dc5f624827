"""Evaluations with a judge: few true labels, the verdicts of a judge for all rows, and what the judge is worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.posterior.summary import summarize_draws
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, Provenance
from infoscope.studies.compare import DEFAULT_METRICS, CompareOptions, Comparison, compare_judged
from infoscope.studies.diagnose_statistics import find_evident_renaming
from infoscope.studies.evaluate.comparison import MOST_IN_GROUPS, MOST_SYSTEMS
from infoscope.studies.evaluate.inputs import ColumnRequest, Inputs, gather, source_name
from infoscope.studies.evaluate.judged_system import JudgedStratum, JudgedSystem
from infoscope.studies.evaluate.result import Evaluation, GroupComparison, JudgeResult, SystemResult
from infoscope.studies.evaluate.score import TableInput, measure
from infoscope.studies.evaluate.uncertainty import believed
from infoscope.studies.inputs import UncertaintyOptions
from infoscope.studies.judge import Judged, JudgedGroup
from infoscope.studies.judge_findings import describe_judged, draw_accepted_errors, find_accepting_verdicts
from infoscope.studies.judge_model import Agreements, estimate_bias_adjusted_accuracy, estimate_ppi_accuracy
from infoscope.tables import Contingency
from infoscope.typing import Json, LabelsByName, Source

__all__ = ["judged_inputs", "with_judge"]

MOST_STRATA = 100
"""Strata that a document lists, those of most rows."""
HEADLINE_METRICS = ("accuracy", "proficiency", "macro_f1")
"""Metrics that are shown from the judge alone, the labels alone, and both."""


def _has_open_rows(judged: Judged) -> bool:
    """Whether some row has no true label, so that a judge is of use."""
    return judged.label_count < judged.row_count


def judged_inputs(
    parts: Sequence[JudgedGroup],
    source: Source | Judged,
    y_pred: LabelsByName | None,
    request: ColumnRequest,
    seed: int,
) -> Inputs:
    """The tables of the systems over all rows, or over the rows of each group."""
    if parts[0].group is None:
        found = _whole_inputs(parts[0].rows, source, y_pred, request, seed)
    else:
        found = _group_inputs(parts, seed)
    titled = None if y_pred is not None or isinstance(source, Judged) else source_name(source)
    return replace(found, provenance=replace(found.provenance, source=titled))


def _whole_inputs(
    judged: Judged, source: Source | Judged, y_pred: LabelsByName | None, request: ColumnRequest, seed: int
) -> Inputs:
    if _has_open_rows(judged) or isinstance(source, Judged):
        return _judged_tables(judged, seed)
    found = gather(source, y_pred, request)
    return replace(found, notes=(*found.notes, _LEFT_ASIDE))


_LEFT_ASIDE = Finding("judge_left_aside", "Every row has a true label, so that the judge is left aside.")


def _judged_tables(judged: Judged, seed: int) -> Inputs:
    """The tables of the systems, by labels and judge; by the labels alone where every row has one, with a finding."""
    whole = judged.patterns
    provenance = Provenance(None, None if whole.is_weighted else int(whole.total), tuple(_ignored(judged)))
    if not _has_open_rows(judged):
        found = gather({name: judged.labels_only(name) for name in judged.systems}, None, ColumnRequest())
        return replace(found, provenance=provenance, notes=(*found.notes, _LEFT_ASIDE))
    subjects = []
    for name in judged.systems:
        table = judged.table(name, seed=seed)
        subjects.append(TableInput(name, table, n=table.sample_size))
    return Inputs(provenance, subjects, notes=(*describe_judged(judged), *_unmatched_names(judged)))


def _group_inputs(parts: Sequence[JudgedGroup], seed: int) -> Inputs:
    """The same for each group; those of which nothing can be estimated are left out, with a finding."""
    subjects: list[TableInput] = []
    notes: list[Finding] = []
    ignored: dict[str, int] = {}
    for part in parts:
        where = part.title
        try:
            found = _judged_tables(part.rows, seed)
        except InputError as error:
            evidence: dict[str, Json] = {"group": dict(part.group or {}), "labels": part.rows.label_count}
            text = f"{where} is left out: {error}."
            notes.append(Finding("group_left_out", text, "warning", evidence))
            continue
        subjects += [replace(subject, group=part.group) for subject in found.subjects]
        for lost in found.provenance.ignored:
            ignored[lost.reason] = ignored.get(lost.reason, 0) + lost.rows
        notes += [
            replace(note, text=f"{where}: {note.text}", detail=f"{where}: {note.detail}" if note.detail else "")
            for note in found.notes
        ]
    if not subjects:
        raise InputError(f"no group can be estimated. {notes[0].text.removesuffix('.')}")
    weighted = parts[0].rows.patterns.is_weighted
    rows = None if weighted else int(sum(part.rows.row_count for part in parts))
    lost_rows = tuple(IgnoredRows(reason, lost) for reason, lost in ignored.items())
    return Inputs(Provenance(None, rows, lost_rows), subjects, notes=tuple(notes))


def _unmatched_names(judged: Judged) -> Iterator[Finding]:
    """Systems of three classes and more whose predictions seem to have other names than the true classes."""
    for name in judged.systems if len(judged.classes) > 2 else ():
        table = judged.labels_only(name)
        renaming = find_evident_renaming(table, table.sample_size)
        if renaming is not None and renaming.names:
            read = ", ".join(f"{said} as {meant}" for said, meant in list(renaming.names.items())[:3])
            yield Finding(
                "names_do_not_match",
                f"By the labels, predictions of {name} have other names than the true classes (read {read}). Strata "
                "borrow strength by name, so that figures with the judge are off: rename the predictions, or leave "
                "out the judge.",
                "warning",
                {"system": name, "names": {str(said): str(meant) for said, meant in renaming.names.items()}},
            )


def _ignored(judged: Judged) -> Iterator[IgnoredRows]:
    patterns = judged.patterns
    for name in judged.systems:
        lost = int(patterns.counts[~patterns.present[patterns.place(name)]].sum())
        if lost:
            yield IgnoredRows(f"missing prediction of {name!r}", lost)


def with_judge(
    evaluation: Evaluation, parts: Sequence[JudgedGroup], how: UncertaintyOptions, metrics: Sequence[str]
) -> Evaluation:
    """The same with the judge evaluated as a system, and with what labels and judge say alone; or so in each group."""
    names = tuple(dict.fromkeys((*HEADLINE_METRICS, *metrics)))
    shown = [system.group for system in evaluation]
    judges, comparisons = [], []
    for part in parts:
        if part.group in shown and _has_open_rows(part.rows):
            judges.append(_judge_result(part, how, names))
            comparison = _comparison(evaluation, part, how)
            comparisons += [] if comparison is None else [(part.group, comparison)]
    if parts[0].group is None:
        compared = comparisons[0][1] if comparisons else evaluation.comparison
        return replace(evaluation, judge=judges[0] if judges else None, comparison=compared)
    by_group = tuple(GroupComparison(dict(group or {}), comparison) for group, comparison in comparisons)
    return replace(evaluation, group_judges=tuple(judges), group_comparisons=by_group)


def _judge_result(part: JudgedGroup, how: UncertaintyOptions, names: Sequence[str]) -> JudgeResult:
    judged = part.rows
    return JudgeResult(
        judges=judged.judges,
        verdicts=next(iter(judged.kinds.values())),
        rows=judged.row_count,
        labels=judged.label_count,
        systems=tuple(_judged_systems(judged, how, names)),
        judge=tuple(_as_systems(part, how)),
        reduced=judged.patterns.is_weighted or judged.groups is not None,
        group=part.group,
    )


def _judged_systems(judged: Judged, how: UncertaintyOptions, names: Sequence[str]) -> Iterator[JudgedSystem]:
    rates = draw_accepted_errors(judged, seed=how.seed)
    for name in judged.systems:
        found = _JudgedParts(judged, name, how).record(names)
        if find_accepting_verdicts(judged, name).any():
            summary = summarize_draws(rates[name], how.level)
            found = replace(found, accepted_errors=Estimate(float(summary.mean)).with_belief(summary))
        yield found


def _comparison(evaluation: Evaluation, part: JudgedGroup, how: UncertaintyOptions) -> Comparison | None:
    """The systems against each other, where there are several and not too many."""
    reweighted = any(system.table is not None and system.table.reweighting is not None for system in evaluation)
    if reweighted or not 1 < len(part.rows.systems) <= MOST_SYSTEMS or len(evaluation.systems) > MOST_IN_GROUPS:
        return None
    options = CompareOptions(tuple(map(find, DEFAULT_METRICS)), how.level, seed=how.seed, named=False)
    return compare_judged(part.rows, options)


def _as_systems(part: JudgedGroup, how: UncertaintyOptions) -> Iterator[SystemResult]:
    """The judge by the true classes; where its verdicts name none, by whether each system's predictions are right."""
    judged = part.rows
    named = "class" in judged.kinds.values()
    for name in judged.systems[:1] if named else judged.systems:
        table = (judged.judge_table if named else judged.correctness_table)(name, seed=how.seed)
        title = judged.judge_title(name)
        group = part.group if named else {**(part.group or {}), "system": name}
        subject = TableInput(title, table, n=table.sample_size, group=group)
        yield measure(believed(subject, how), (), how.level)


@dataclass(frozen=True)
class _JudgedParts:
    """One system by the labels alone, by the judge alone, and by both."""

    judged: Judged
    system: str
    how: UncertaintyOptions

    def record(self, names: Sequence[str]) -> JudgedSystem:
        """The three side by side."""
        return JudgedSystem(
            self.system,
            labels=self.judged.counts(self.system).labels,
            rows=float(self.judged.counts(self.system).everything.sum()),
            labels_only=self._labels_only(names),
            judge_as_truth=self._judge_as_truth(names),
            further_labels=self.judged.further_labels(self.system, seed=self.how.seed),
            others=self._others(),
            strata=tuple(self._strata()),
        )

    def _strata(self) -> Iterator[JudgedStratum]:
        """Every stratum, or those of most rows, in the order of verdicts and predictions."""
        strata, belief = self.judged.strata(self.system), self.judged.belief(self.system, seed=self.how.seed)
        counts = belief.counts
        classes = counts.prediction_class[counts.prediction]
        for at in np.sort(np.argsort(-counts.rows, kind="stable")[:MOST_STRATA]).tolist():
            right = belief.theta[:, at, classes[at]] if classes[at] >= 0 else np.zeros(len(belief.theta))
            found = summarize_draws(right, self.how.level)
            yield JudgedStratum(
                strata.verdicts[counts.verdict[at]],
                str(strata.predictions[counts.prediction[at]]),
                float(counts.rows[at]),
                float(counts.by_class[at].sum()),
                Estimate(float(found.mean)).with_belief(found),
            )

    def _labels_only(self, names: Sequence[str]) -> dict[str, Estimate]:
        table = self.judged.labels_only(self.system)
        values = _values(table, names)
        known = [name for name, value in values.items() if value.value is not None]
        found = self.judged.labels_posterior(self.system, seed=self.how.seed).summaries(known, self.how.level)
        return values | {
            name: values[name].with_belief(found[name], corrected=find(name).card.is_information) for name in known
        }

    def _others(self) -> dict[str, Estimate]:
        accepts = find_accepting_verdicts(self.judged, self.system)
        if not accepts.any():
            return {}
        rows = Agreements.count(self.judged.counts(self.system), accepts, apart=self.judged.population == "unlabelled")
        return {
            "ppi": estimate_ppi_accuracy(rows, self.how.level),
            "lee": estimate_bias_adjusted_accuracy(rows, self.how.level),
        }

    def _judge_as_truth(self, names: Sequence[str]) -> dict[str, Estimate]:
        table = self.judged.judge_as_truth(self.system)
        if table is not None:
            return _values(table, names)
        counts, verdicts = self.judged.counts(self.system), self.judged.strata(self.system).verdicts
        right = [at for at, name in enumerate(verdicts) if name.startswith("right")]
        if not right:
            return {}
        return {"accuracy": Estimate(float(counts.everything[right].sum() / counts.everything.sum()))}


def _values(table: Contingency, names: Sequence[str]) -> dict[str, Estimate]:
    entries = {name: find(name) for name in names}
    return {
        name: Estimate.of(float(entry.score(table)), entry.reason(table))
        for name, entry in entries.items()
        if entry.card.posterior != "none"
    }
