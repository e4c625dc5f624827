"""Evaluate with a judge: few true labels, the verdicts of a judge for all rows, and what the judge is worth.

``gather_judged_inputs`` estimates the tables of the systems over all rows, or over the rows of each group, by labels
and judge together (``studies/judge.py``). They are evaluated as any other table; ``add_judge`` then puts the judge
beside them: as a system of its own, and what labels alone and verdicts alone say of each system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.posterior.summary import summarize_draws
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, Provenance
from infoscope.studies.compare import DEFAULT_METRICS, CompareOptions, compare_judged
from infoscope.studies.diagnose_statistics import find_evident_renaming
from infoscope.studies.evaluate_tables import (
    ColumnRequest,
    Inputs,
    TableInput,
    fit_belief,
    gather_inputs,
    measure,
    name_source,
)
from infoscope.studies.evaluation import (
    Evaluation,
    GroupComparison,
    JudgedStratum,
    JudgedSystem,
    JudgeResult,
    SystemResult,
)
from infoscope.studies.inputs import UncertaintyOptions
from infoscope.studies.judge import Judged, JudgedGroup
from infoscope.studies.judge_findings import describe_judged, draw_accepted_errors, find_accepting_verdicts
from infoscope.studies.judge_model import Agreements, estimate_bias_adjusted_accuracy, estimate_ppi_accuracy
from infoscope.tables import Contingency
from infoscope.typing import Json, LabelsByName, Source

MAX_STRATA = 100
"""Strata that a document lists, those of most rows."""
MAX_COMPARED_SYSTEMS = 30
"""More are compared on request only, with ``compare``."""
MAX_COMPARED_IN_GROUPS = 120
"""Systems times groups that are compared by default."""
HEADLINE_METRICS = ("accuracy", "proficiency", "macro_f1")
"""Metrics that are shown from the judge alone, the labels alone, and both."""
LEFT_ASIDE = Finding("judge_left_aside", "Every row has a true label, so that the judge is left aside.")


# Tables ---------------------------------------------------------------------------------------------------------------


def gather_judged_inputs(
    parts: Sequence[JudgedGroup],
    source: Source | Judged,
    y_pred: LabelsByName | None,
    request: ColumnRequest,
    seed: int,
) -> Inputs:
    """Gather the tables of the systems over all rows, or over the rows of each group."""
    if parts[0].group is not None:
        inputs = _estimate_groups(parts, seed)
    elif isinstance(source, Judged) or parts[0].rows.label_count < parts[0].rows.row_count:
        inputs = _estimate_tables(parts[0].rows, seed)
    else:
        inputs = gather_inputs(source, y_pred, request)
        inputs = replace(inputs, notes=(*inputs.notes, LEFT_ASIDE))
    name = None if y_pred is not None or isinstance(source, Judged) else name_source(source)
    return replace(inputs, provenance=replace(inputs.provenance, source=name))


def _estimate_tables(judged: Judged, seed: int) -> Inputs:
    """Estimate the tables of the systems by labels and judge; by the labels alone where every row has one."""
    patterns = judged.patterns
    ignored = []
    for name in judged.systems:
        lost = int(patterns.counts[~patterns.present[patterns.place(name)]].sum())
        if lost:
            ignored.append(IgnoredRows(f"missing prediction of {name!r}", lost))
    provenance = Provenance(None, None if patterns.is_weighted else int(patterns.total), tuple(ignored))
    if judged.label_count >= judged.row_count:  # so that a judge is of no use
        inputs = gather_inputs({name: judged.labels_only(name) for name in judged.systems}, None, ColumnRequest())
        return replace(inputs, provenance=provenance, notes=(*inputs.notes, LEFT_ASIDE))
    tables = {name: judged.table(name, seed=seed) for name in judged.systems}
    subjects = [TableInput(name, table, n=table.sample_size) for name, table in tables.items()]
    return Inputs(provenance, subjects, notes=(*describe_judged(judged), *_find_unmatched_names(judged)))


def _estimate_groups(parts: Sequence[JudgedGroup], seed: int) -> Inputs:
    """Estimate the tables of each group; those of which nothing can be estimated are left out, with a finding."""
    subjects: list[TableInput] = []
    notes: list[Finding] = []
    ignored: dict[str, int] = {}
    for part in parts:
        try:
            inputs = _estimate_tables(part.rows, seed)
        except InputError as error:
            evidence: dict[str, Json] = {"group": dict(part.group or {}), "labels": part.rows.label_count}
            text = f"{part.title} is left out: {error}."
            notes.append(Finding("group_left_out", text, "warning", evidence))
            continue
        subjects += [replace(subject, group=part.group) for subject in inputs.subjects]
        for lost in inputs.provenance.ignored:
            ignored[lost.reason] = ignored.get(lost.reason, 0) + lost.rows
        for note in inputs.notes:
            detail = f"{part.title}: {note.detail}" if note.detail else ""
            notes.append(replace(note, text=f"{part.title}: {note.text}", detail=detail))
    if not subjects:
        raise InputError(f"no group can be estimated. {notes[0].text.removesuffix('.')}")
    is_weighted = parts[0].rows.patterns.is_weighted
    rows = None if is_weighted else int(sum(part.rows.row_count for part in parts))
    lost_rows = tuple(IgnoredRows(reason, lost) for reason, lost in ignored.items())
    return Inputs(Provenance(None, rows, lost_rows), subjects, notes=tuple(notes))


def _find_unmatched_names(judged: Judged) -> Iterator[Finding]:
    """Point out systems of three classes and more whose predictions seem to have other names than the true classes."""
    for name in judged.systems if len(judged.classes) > 2 else ():
        table = judged.labels_only(name)
        renaming = find_evident_renaming(table, table.sample_size)
        if renaming is None or not renaming.names:
            continue
        pairs = list(renaming.names.items())
        read = ", ".join(f"{label} as {meaning}" for label, meaning in pairs[:3])
        yield Finding(
            "names_do_not_match",
            f"By the labels, predictions of {name} have other names than the true classes (read {read}). Strata "
            "borrow strength by name, so that figures with the judge are off: rename the predictions, or leave "
            "out the judge.",
            "warning",
            {"system": name, "names": {str(label): str(meaning) for label, meaning in pairs}},
        )


# Results --------------------------------------------------------------------------------------------------------------


def add_judge(
    evaluation: Evaluation, parts: Sequence[JudgedGroup], uncertainty: UncertaintyOptions, metrics: Sequence[str]
) -> Evaluation:
    """Add the judge as a system, what labels and judge say alone, and systems against each other; or so by group."""
    names = tuple(dict.fromkeys((*HEADLINE_METRICS, *metrics)))
    groups = [system.group for system in evaluation]
    reweighted = any(system.table is not None and system.table.reweighting is not None for system in evaluation)
    is_comparable = not reweighted and len(evaluation.systems) <= MAX_COMPARED_IN_GROUPS
    judges, comparisons = [], []
    for part in parts:
        judged = part.rows
        if part.group not in groups or judged.label_count >= judged.row_count:
            continue
        # by the true classes; where verdicts name no class, by whether each system's predictions are right
        by_class = judged.names_classes
        judge: list[SystemResult] = []
        for name in judged.systems[:1] if by_class else judged.systems:
            table = (judged.judge_table if by_class else judged.correctness_table)(name, seed=uncertainty.seed)
            group = part.group if by_class else {**(part.group or {}), "system": name}
            subject = TableInput(judged.judge_title(name), table, n=table.sample_size, group=group)
            judge.append(measure(fit_belief(subject, uncertainty), (), uncertainty.level))
        judges.append(
            JudgeResult(
                judges=judged.judges,
                verdicts=next(iter(judged.kinds.values())),
                rows=judged.row_count,
                labels=judged.label_count,
                systems=tuple(_describe_systems(judged, uncertainty, names)),
                judge=tuple(judge),
                reduced=judged.patterns.is_weighted or judged.groups is not None,
                group=part.group,
            )
        )
        if is_comparable and 1 < len(judged.systems) <= MAX_COMPARED_SYSTEMS:
            options = CompareOptions(
                tuple(map(find, DEFAULT_METRICS)), uncertainty.level, seed=uncertainty.seed, named=False
            )
            comparisons.append((part.group, compare_judged(judged, options)))
    if parts[0].group is None:
        comparison = comparisons[0][1] if comparisons else evaluation.comparison
        return replace(evaluation, judge=judges[0] if judges else None, comparison=comparison)
    by_group = tuple(GroupComparison(dict(group or {}), comparison) for group, comparison in comparisons)
    return replace(evaluation, group_judges=tuple(judges), group_comparisons=by_group)


def _describe_systems(judged: Judged, uncertainty: UncertaintyOptions, names: Sequence[str]) -> Iterator[JudgedSystem]:
    """Describe each system by the labels alone, by the judge alone, and by both in each stratum."""
    seed, level = uncertainty.seed, uncertainty.level
    error_rates = draw_accepted_errors(judged, seed=seed)
    for system in judged.systems:
        counts, verdicts = judged.counts(system), judged.strata(system).verdicts

        labelled = judged.labels_only(system)
        labels_only = _score(labelled, names)
        defined = [name for name, estimate in labels_only.items() if estimate.value is not None]
        for name, summary in judged.labels_posterior(system, seed=seed).summaries(defined, level).items():
            corrected = find(name).card.is_information
            labels_only[name] = labels_only[name].with_belief(summary, corrected=corrected)

        table = judged.judge_as_truth(system)
        judge_as_truth = {} if table is None else _score(table, names)
        right = [place for place, verdict in enumerate(verdicts) if verdict.startswith("right")]
        if table is None and right:
            share = float(counts.everything[right].sum() / counts.everything.sum())
            judge_as_truth = {"accuracy": Estimate(share)}

        others: dict[str, Estimate] = {}
        accepted_errors = None
        accepts = find_accepting_verdicts(judged, system)
        if accepts.any():
            agreements = Agreements.count(counts, accepts, apart=judged.population == "unlabelled")
            others["ppi"] = estimate_ppi_accuracy(agreements, level)
            others["lee"] = estimate_bias_adjusted_accuracy(agreements, level)
            summary = summarize_draws(error_rates[system], level)
            accepted_errors = Estimate(float(summary.mean)).with_belief(summary)

        # every stratum, or those of most rows, in the order of verdicts and predictions
        belief = judged.belief(system, seed=seed)
        classes, rows = belief.counts.predicted_class, belief.counts.rows
        strata = []
        for place in np.sort(np.argsort(-rows, kind="stable")[:MAX_STRATA]).tolist():
            hits = belief.theta[:, place, classes[place]] if classes[place] >= 0 else np.zeros(len(belief.theta))
            summary = summarize_draws(hits, level)
            strata.append(
                JudgedStratum(
                    verdicts[belief.counts.verdict[place]],
                    str(judged.strata(system).predictions[belief.counts.prediction[place]]),
                    float(rows[place]),
                    float(belief.counts.by_class[place].sum()),
                    Estimate(float(summary.mean)).with_belief(summary),
                )
            )

        yield JudgedSystem(
            system,
            labels=counts.labels,
            rows=float(counts.everything.sum()),
            labels_only=labels_only,
            judge_as_truth=judge_as_truth,
            further_labels=judged.further_labels(system, seed=seed),
            others=others,
            strata=tuple(strata),
            accepted_errors=accepted_errors,
        )


def _score(table: Contingency, names: Sequence[str]) -> dict[str, Estimate]:
    """Return the values of metrics that have a posterior."""
    entries = {name: find(name) for name in names}
    return {
        name: Estimate.of(float(entry.score(table)), entry.reason(table))
        for name, entry in entries.items()
        if entry.card.posterior != "none"
    }
