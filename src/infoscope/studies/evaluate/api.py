"""The public front: evaluate a table, several, or a source of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack, cast

from infoscope.core.markup import counted
from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.readers import ReadOptions
from infoscope.readers.files import file_name
from infoscope.readers.first_rows import column_names
from infoscope.readers.frames import is_eager_frame
from infoscope.readers.guess_columns import as_names, named_columns
from infoscope.readers.reader import read_patterns
from infoscope.results.finding import Finding
from infoscope.results.provenance import describe_ignored_rows
from infoscope.studies.diagnose import diagnose_all
from infoscope.studies.diagnose_statistics import TableStatistics
from infoscope.studies.evaluate.comparison import compared
from infoscope.studies.evaluate.examples import ExampleRequest, with_examples
from infoscope.studies.evaluate.inputs import ColumnRequest, Inputs, gather, ordered, prepared
from infoscope.studies.evaluate.judge import judged_inputs, with_judge
from infoscope.studies.evaluate.positive_class import check_positive_stated
from infoscope.studies.evaluate.result import Evaluation
from infoscope.studies.evaluate.score import TableInput, measure
from infoscope.studies.evaluate.score_columns import with_scores, with_sweep_command
from infoscope.studies.evaluate.uncertainty import believed
from infoscope.studies.inputs import (
    QuestionKeywords,
    UncertaintyOptions,
    check_order_and_costs,
    check_question,
    cost_findings,
    costs_of,
    label_findings,
    stated_order,
)
from infoscope.studies.judge import Judged, find_judge_drift, read_judged_groups
from infoscope.tables.column_kinds import ColumnNames, check_columns
from infoscope.typing import LabelsByName, Source

__all__ = ["EvaluateKeywords", "evaluate"]


class EvaluateKeywords(QuestionKeywords, total=False):
    """What ``evaluate`` may be asked beyond its source."""

    by: str | Sequence[str] | None
    labels: Any
    task: Literal["classification", "clustering"]
    examples: int | None
    show: str | Sequence[str] | Mapping[str, Any] | None
    keep_rows: bool | None
    metrics: str | Sequence[str] | None
    scores: Any
    period: Any


def evaluate(
    source: Source | Judged,
    y_pred: LabelsByName | None = None,
    *,
    truth: str | None = None,
    system: str | Sequence[str] | None = None,
    read: ReadOptions | None = None,
    **options: Unpack[EvaluateKeywords],
) -> Evaluation:
    """Everything there is to say about one or several systems.

    Give labels ``(y_true, y_pred)``, where ``y_pred`` may map names to labels; rows of any source with the names of
    their columns in ``truth`` and ``system``; or a table, or tables by name.

    ``weight`` is a column, or weights beside labels; ``by`` splits the rows, one result per group; ``groups`` says
    which rows belong together (patients, documents): intervals then come from resampling those as a whole. ``reject``
    is the label that means "abstained", ``positive`` the class that binary metrics are about, ``labels`` declares the
    classes, ``ordinal`` their order from the lowest to the highest (ordered categoricals have one), ``clean`` what is
    done to labels. ``costs`` says what each prediction costs: a matrix in the order of the classes, {(true, predicted):
    cost}, a frame, or a CSV file with names; then the expected cost is among the metrics.
    ``prevalence`` re-weights the true classes, ``task="clustering"`` says
    that the names of the predictions mean nothing. ``examples`` keeps this many random rows of each confused pair,
    with the columns that ``show`` names (all others by default; beside labels, values by name). ``scores`` is the
    column of scores behind the predictions of two classes, or scores beside labels. ``keep_rows`` says
    whether the result keeps the labels of every row, so that a later gate can pair with it: up to 100,000 rows unless
    said. ``judge`` names a column of verdicts (several, or verdicts beside labels) where few rows have a true label:
    figures are then over all rows, corrected by the labels. Verdicts are classes or grades, or with
    ``says={"right": 1, "wrong": 0}`` whether the prediction is right; ``population="unlabelled"`` leaves the labelled
    rows out, and ``period`` names a column of periods between which the judge may have changed.
    ``metrics`` names what is shown first, and alone in frames and CSV; all are computed. ``prior``, ``level``,
    ``sample_size`` and ``seed`` say how intervals are made; ``uncertainty=None`` leaves them and all corrections out:
    every number is the sample's.

    >>> evaluate(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])["system"].number("accuracy")
    0.75
    """
    check_question(cast(dict[str, Any], options), EvaluateKeywords)
    uncertainty = UncertaintyOptions.from_keywords(options)
    task = _checked_task(options)
    truth, system = named_columns(source, y_pred, (truth, system), read, options)
    ordinal = stated_order(source, truth, options.get("ordinal"))
    request = ColumnRequest.from_keywords(truth, system, read, options)
    examples = ExampleRequest.from_keywords(source, options)
    costs = costs_of(options)
    first = _shown_metrics(options.get("metrics"), ordinal=bool(ordinal), costs=costs is not None)

    def as_asked(subject: TableInput) -> TableInput:
        subject = ordered(subject, ordinal) if task == "classification" else subject
        table = subject.table if costs is None else costs.on(subject.table)
        table = prepared(table, options.get("prevalence"), clusters=task == "clustering")
        return replace(subject, table=table, clusters=task == "clustering")

    judged = read_judged_groups(source, y_pred, (truth, system, read), options)
    rows = cast(Source, source)
    if judged:
        uncertainty.reject_none("with a judge every number is an estimate")
        found = judged_inputs(judged, source, y_pred, request, uncertainty.seed)
        about_periods = find_judge_drift(source, y_pred, (truth, system, read), options)
        found = replace(found, notes=(*found.notes, *about_periods))
    else:
        found = _with_truth_note(gather(rows, y_pred, request), truth)
        found = replace(found, notes=(*found.notes, *_repeated_ids(source, y_pred, request, found.provenance.rows)))
    names = ColumnNames.asked(file_name(source), truth, labels=y_pred is not None)
    if task == "classification" and request.labels is None:
        _check_columns(found, names)
    if examples is not None:
        found = with_examples(rows, y_pred, request, examples, found)
    seen = [believed(as_asked(subject), uncertainty) for subject in found.subjects]
    tables = [(subject.name, subject.table) for subject in found.subjects]
    about = (
        *found.notes,
        *label_findings(tables, truth, request.reject),
        *cost_findings(costs, [table for _, table in tables]),
    )
    evaluation = _evaluated(replace(found, subjects=seen, notes=about), uncertainty)
    check_positive_stated(evaluation.systems, first)
    matrix = None if costs is None else costs.matrix(seen[0].table)
    evaluation = replace(evaluation, metrics=first, costs=matrix)
    if judged:
        return with_judge(with_sweep_command(evaluation, names), judged, uncertainty, first)
    if options.get("scores") is not None:
        evaluation = with_scores(evaluation, rows, y_pred, request, options["scores"])
    return with_sweep_command(evaluation, names)


def _check_columns(found: Inputs, names: ColumnNames) -> None:
    """Reject columns that are no labels, by the largest table of each system."""
    by_size = sorted(found.subjects, key=lambda subject: subject.table.total)
    check_columns({subject.name: subject.table for subject in by_size}, names)


def _checked_task(options: EvaluateKeywords) -> str:
    """What predictions are, if the other options go with it."""
    task = options.get("task", "classification")
    if task not in ("classification", "clustering"):
        raise InputError(f"task is {task!r}; it is classification or clustering")
    if task == "classification":
        return task
    if options.get("ordinal"):
        raise InputError("clusters have no order; leave out ordinal, or task")
    if options.get("groups") is not None:
        raise InputError("predictions that are clusters cannot be resampled by group yet; leave one of the two out")
    if costs_of(options) is not None:
        raise InputError(
            "the names of clusters mean nothing, so no cost can be stated for them; leave out costs, or task"
        )
    return task


def _shown_metrics(names: str | Sequence[str] | None, *, ordinal: bool, costs: bool) -> tuple[str, ...]:
    """The ids of metrics that were named, each once."""
    found: dict[str, None] = {}
    for name in as_names(names):
        entry = find(name)
        if entry.card.level != "table":
            raise InputError(
                f"{name!r} has a value for each class or cell, which are shown anyway; name one of all classes"
            )
        check_order_and_costs(entry, name, ordinal=ordinal, costs=costs)
        found[entry.name] = None
    return tuple(found)


def _evaluated(found: Inputs, how: UncertaintyOptions) -> Evaluation:
    provenance, subjects = found.provenance, found.subjects
    findings = _findings(subjects, how)
    systems = tuple(measure(subject, found, how.level) for subject, found in zip(subjects, findings, strict=True))
    if provenance.rows is None and subjects and all(subject.table.is_counts for subject in subjects):
        rows = int(max(subject.table.total for subject in subjects)) + provenance.rows_ignored
        provenance = replace(provenance, rows=rows)
    hashes = {system.title: system.data_hash for system in systems if system.data_hash is not None}
    comparison, by_group = compared(found.joints, subjects, systems, how)
    return Evaluation(
        systems,
        comparison,
        by_group,
        found.row_labels,
        replace(provenance, hashes=hashes),
        tuple(_about_rows(found)),
    )


def _about_rows(found: Inputs) -> Iterator[Finding]:
    yield from describe_ignored_rows(found.provenance.ignored)
    yield from found.notes


def _with_truth_note(found: Inputs, truth: str | None) -> Inputs:
    """A way to use rows without truth, where these are most rows."""
    reasons = ("missing truth label", f"missing label in {truth!r}")
    lost = sum(ignored.rows for ignored in found.provenance.ignored if ignored.reason in reasons)
    if lost <= max((float(subject.table.total) for subject in found.subjects), default=0.0):
        return found
    text = f"{lost:,} rows have no truth; a column of verdicts (--judge, judge=) would let them count."
    return replace(found, notes=(*found.notes, Finding("rows_without_truth", text, evidence={"rows": lost})))


MAX_CHECKED_IDS = 200_000
"""Rows up to which their ids are looked at: it takes a second reading of that column."""


def _repeated_ids(source: object, y_pred: object, request: ColumnRequest, rows: int | None) -> Iterator[Finding]:
    """Rows that share an id, where a column has the name of one and most of its values occur once."""
    is_file = isinstance(source, (str, Path)) and Path(source).is_file()
    if y_pred is not None or not isinstance(request.truth, str) or not (is_file or is_eager_frame(source)):
        return
    if not rows or rows > MAX_CHECKED_IDS or request.groups is not None:
        return
    used = {request.truth, *as_names(request.system), *as_names(request.by), request.weight}
    columns = [name for name in column_names(cast(Source, source), request.how) if name not in used]
    name = next((name for name in columns if set(re.split(r"[^a-z]+", name.casefold())) & _ID_WORDS), None)
    if name is None:
        return
    patterns = read_patterns(cast(Source, source), [name, request.truth], comparable=False, read=request.how)
    totals = patterns.label_totals(0)
    repeated, different = int(totals.sum() - len(totals)), len(totals)
    if repeated and 2 * different >= totals.sum():
        yield Finding(
            "repeated_ids",
            f"{counted(repeated, 'row')} {'repeats' if repeated == 1 else 'repeat'} an id of column {name!r} "
            f"({different:,} different ids in {int(totals.sum()):,} rows). Remove copies; or, where rows with one id "
            f"belong together, state groups={name!r} (--groups {name}): intervals take every row as independent.",
            "warning",
            {"column": name, "repeated": repeated, "ids": different},
        )


_ID_WORDS = frozenset({"id", "ids", "uid", "uuid", "guid", "rowid", "key"})


def _findings(subjects: Sequence[TableInput], how: UncertaintyOptions) -> list[list[Finding]]:
    """Each group is diagnosed by itself: systems are compared where they saw the same truth."""
    groups: dict[tuple[tuple[str, str], ...], dict[int, TableInput]] = {}
    for at, subject in enumerate(subjects):
        groups.setdefault(tuple((subject.group or {}).items()), {})[at] = subject
    said: dict[int, list[Finding]] = {}
    for members in groups.values():
        facts = {
            subject.name: TableStatistics(subject.table, subject.n, subject.belief, how.level)
            for subject in members.values()
        }
        by_name = diagnose_all(facts)
        said |= {at: by_name[subject.name] for at, subject in members.items()}
    return [said[at] for at in range(len(subjects))]
