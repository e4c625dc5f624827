"""Evaluate one or several systems against the truth (``infoscope.evaluate``).

The module reads in the order of the work: ``evaluate``, which gathers tables, fits a belief to each, diagnoses and
measures them; what is said about the rows as they were read; systems against each other; scores behind predictions
of two classes, and what another threshold would capture. Results are in ``evaluation.py``, tables are
gathered and measured in ``evaluate_tables.py``, a judge is added in ``evaluate_judged.py``. The page is
``reports/views/evaluate.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from infoscope.core.markup import pluralize
from infoscope.core.validation import LEVEL, SEED, OneOf, validated
from infoscope.errors import InputError
from infoscope.metrics.registry import find
from infoscope.posterior import Posterior
from infoscope.readers import Joint, ReadOptions
from infoscope.readers.columns import check_column_names, column_names, resolve_columns
from infoscope.readers.files import name_source_file
from infoscope.readers.frames import is_column_mapping, is_eager_frame
from infoscope.readers.labels import Cleaning
from infoscope.readers.matrix_files import CostsLike, resolve_costs
from infoscope.readers.query import as_names
from infoscope.readers.reader import read_distinct_rows
from infoscope.results.finding import Finding
from infoscope.results.notation import MetricNotation
from infoscope.results.provenance import describe_ignored_rows
from infoscope.studies.compare import DEFAULT_METRICS, Comparison, compare_predictions
from infoscope.studies.diagnose import diagnose_all, sweep_command
from infoscope.studies.diagnose_statistics import TableStatistics
from infoscope.studies.evaluate_judged import (
    MAX_COMPARED_IN_GROUPS,
    MAX_COMPARED_SYSTEMS,
    add_judge,
    gather_judged_inputs,
)
from infoscope.studies.evaluate_tables import (
    ColumnRequest,
    Inputs,
    TableInput,
    add_examples,
    check_examples,
    fit_belief,
    gather_inputs,
    measure,
    prepare_table,
)
from infoscope.studies.evaluation import Evaluation, GroupComparison, GroupSpread, SystemResult
from infoscope.studies.inputs import (
    Prevalence,
    UncertaintyOptions,
    check_order_and_costs,
    describe_costs,
    find_class_order,
    find_label_problems,
)
from infoscope.studies.judge import Judged, find_judge_drift, read_judged_groups
from infoscope.studies.predictions import PairedPredictions
from infoscope.studies.sweep import Sweep, sweep
from infoscope.tables.column_kinds import ColumnNames, check_columns, check_positive
from infoscope.tables.labels import Label
from infoscope.typing import LabelsByName, LabelsLike, PriorLike, Source

MAX_CHECKED_IDS = 200_000
"""Rows up to which their ids are looked at: it takes a second reading of that column."""
ID_WORDS = frozenset({"id", "ids", "uid", "uuid", "guid", "rowid", "key"})

MAX_POINTS = 1000
"""Operating points among which the best is chosen, as `infoscope sweep` does."""
MAX_KEPT_POINTS = 200
"""Operating points that an evaluation keeps of each score."""
KEPT_METRICS = (
    "proficiency",
    "recall",
    "precision",
    "accuracy",
    "false_alarm_rate",
    "false_information_ratio",
    "mutual_information",
    "missed_information",
    "false_information",
)
"""Metrics that are kept of operating points."""
OVER_GROUPS = ("proficiency", "information_precision", "nmi_joint", "accuracy")
"""Metrics whose spread over groups is shown unless others are named."""
MISCOUNTS = ("predicted_too_rarely", "predicted_too_often")
"""Findings that suspect a threshold."""
THRESHOLD_FINDINGS = (*MISCOUNTS, "better_threshold")
"""Findings with the command that finds a threshold."""


@validated(task=OneOf("classification", "clustering"), level=LEVEL, seed=SEED)
def evaluate(
    source: Source | Judged = None,  # type: ignore[assignment]  # needed, here or as y_true
    y_pred: LabelsByName | None = None,
    *,
    y_true: LabelsLike | None = None,  # noqa: ARG001 - another word for source
    truth: str | None = None,
    system: str | Sequence[str] | None = None,
    metrics: str | Sequence[str] | None = None,
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
    keep_rows: bool | None = None,
    prior: PriorLike = "default",
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    sample_size: float | None = None,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    uncertainty: Literal["posterior"] | None = "posterior",
    read: ReadOptions | None = None,
) -> Evaluation:
    """Evaluate one or several systems: what they capture of the truth, what they miss, and how sure that is.

    Parameters
    ----------
    source, y_true
        True labels (with ``y_pred``); rows of any source, with the names of their columns in ``truth`` and ``system``;
        a table, or tables by name.
    y_pred
        Predicted labels, or labels by the name of their system.
    truth, system
        Columns of the true class and of the systems' predictions; guessed where names and contents leave no doubt.
    metrics
        Metrics that are shown first, and alone in frames and CSV; all are computed.
    weight, sample_weight
        Weights of the rows, or the column that holds them.
    by
        Columns that split the rows, one result per group.
    groups
        Rows that belong together (patients, documents), by a column's name or a sequence: intervals then come from
        resampling those as a whole.
    reject
        Label that means "abstained".
    positive, pos_label
        Class that binary metrics are about.
    labels
        The classes, where some may not occur.
    ordinal
        Order of the classes from the lowest to the highest; ordered categoricals have one, and False takes it away.
    clean
        How labels are cleaned while they are read.
    prevalence
        Frequencies to re-weight the true classes to, or "equal".
    costs
        Cost of each prediction: a matrix in the order of the classes, {(true, predicted): cost}, a frame, or a CSV file
        with names. The expected cost is then among the metrics.
    task
        "clustering" if the names of the predictions mean nothing.
    judge
        Column of verdicts (several, or verdicts beside labels) where few rows have a true label: figures are then over
        all rows, corrected by the labels.
    says
        What verdicts mean that name no class: ``{"right": 1, "wrong": 0}``, or "score" for grades.
    population
        "unlabelled" leaves the labelled rows out of the figures.
    period
        Column of periods between which the judge may have changed.
    scores
        Column of scores behind the predictions of two classes (one for each system), or scores beside labels.
    examples
        Number of random rows to keep of each confused pair.
    show
        Columns that are kept of these, all others by default; beside labels, values by name.
    keep_rows
        True to keep the labels of every row, so that a later gate can pair with them; up to 100,000 rows unless said.
    prior
        Prior of each system's table.
    level, confidence_level
        Probability of the intervals.
    sample_size
        Number of samples behind tables that hold relative frequencies.
    seed, rng
        Seed of all random draws, or a generator.
    uncertainty
        None leaves intervals and corrections out: every number is the sample's.
    read
        How files are read.

    Returns
    -------
    Evaluation
        Each system (in each group) with every metric and its interval, its classes, confused pairs and diagnosis, and
        the systems against each other.

    Raises
    ------
    InputError
        If there is nothing to evaluate, columns hold no labels, or options do not fit the source or each other.
    UnknownNameError
        If a metric or a column does not exist.

    References
    ----------
    Steingold and Laclavik (2016), An information theoretic metric for multi-class categorization.

    Examples
    --------
    >>> evaluate(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])["system"].number("accuracy")
    0.75
    """
    intervals = UncertaintyOptions(prior, level, sample_size, seed, uncertainty)
    clusters = task == "clustering"
    if clusters and ordinal:
        raise InputError("clusters have no order; leave out ordinal, or task")
    if clusters and groups is not None:
        raise InputError("predictions that are clusters cannot be resampled by group yet; leave one of the two out")
    if clusters and costs is not None:
        raise InputError(
            "the names of clusters mean nothing, so no cost can be stated for them; leave out costs, or task"
        )
    about_rows: dict[str, Any] = {
        "weight": weight,
        "by": by,
        "groups": groups,
        "reject": reject,
        "positive": positive,
        "labels": labels,
        "clean": clean,
        "task": task,
        "scores": scores,
        "examples": examples,
        "show": show,
        "judge": judge,
        "says": says,
        "population": population,
        "period": period,
        "prior": prior,
        "sample_size": sample_size,
    }
    truth, system = resolve_columns(source, y_pred, (truth, system), read, about_rows)
    order = find_class_order(source, truth, ordinal)
    by = check_column_names(by, "by")
    request = ColumnRequest(truth, system, weight, by, reject, positive, clean, labels, groups, keep_rows, read)
    check_examples(source, examples, show)
    resolved_costs = None if costs is None else resolve_costs(costs)
    shown = _find_shown_metrics(metrics, ordinal=bool(order), costs=costs is not None)

    # tables, with what is said about the rows that they were counted from
    judged = read_judged_groups(source, y_pred, (truth, system, read), about_rows)
    rows = cast(Source, source)
    notes: list[Finding] = []
    if judged:
        if uncertainty is None:
            raise InputError("with a judge every number is an estimate; leave out uncertainty=None (--plain)")
        inputs = gather_judged_inputs(judged, source, y_pred, request, seed)
        notes += find_judge_drift(source, y_pred, (truth, system, read), about_rows)
    else:
        inputs = gather_inputs(rows, y_pred, request)
        notes += _describe_rows(inputs, source, y_pred, request)
    inputs = replace(inputs, notes=(*inputs.notes, *notes))
    names = ColumnNames.from_request(name_source_file(source), truth, labels=y_pred is not None)
    if not clusters and labels is None:  # by the largest table of each system
        by_size = sorted(inputs.subjects, key=lambda subject: subject.table.total)
        check_columns({subject.name: subject.table for subject in by_size}, names)
    if examples is not None:
        inputs = add_examples(inputs, rows, y_pred, request, examples, show)
    tables = [(subject.name, subject.table) for subject in inputs.subjects]
    about_labels = find_label_problems(tables, truth, reject)
    about_costs = describe_costs(resolved_costs, [table for _, table in tables])
    findings = (*describe_ignored_rows(inputs.provenance.ignored), *inputs.notes, *about_labels, *about_costs)

    # belief, diagnosis, metrics
    def fit(subject: TableInput) -> TableInput:
        return fit_belief(prepare_table(subject, order, resolved_costs, prevalence, clusters=clusters), intervals)

    subjects = [fit(subject) for subject in inputs.subjects]
    groups_of_places: dict[tuple[str, ...], list[int]] = {}
    for place, subject in enumerate(subjects):
        groups_of_places.setdefault(tuple((subject.group or {}).values()), []).append(place)
    diagnoses: dict[int, list[Finding]] = {}
    for places in groups_of_places.values():  # systems are compared where they saw the same truth
        members = [subjects[place] for place in places]
        by_name = diagnose_all({one.name: TableStatistics(one.table, one.n, one.belief, level) for one in members})
        diagnoses |= {place: by_name[subjects[place].name] for place in places}
    systems = tuple(measure(subject, diagnoses[place], level) for place, subject in enumerate(subjects))
    check_positive_stated(systems, shown)
    comparisons = dict(_compare_systems(groups_of_places, inputs.joints, subjects, systems, intervals))
    comparison = comparisons.pop((), None)
    by_group = tuple(
        GroupComparison(dict(subjects[groups_of_places[group][0]].group or {}), part)
        for group, part in comparisons.items()
    )
    provenance = inputs.provenance
    if provenance.rows is None and subjects and all(subject.table.is_counts for subject in subjects):
        counted_rows = int(max(subject.table.total for subject in subjects)) + provenance.rows_ignored
        provenance = replace(provenance, rows=counted_rows)
    hashes = {result.title: result.data_hash for result in systems if result.data_hash is not None}
    spreads: tuple[GroupSpread, ...] = ()
    if len(groups_of_places) > 1 and not judged:
        totals = [measure(fit(total), (), level) for total in _sum_groups(inputs.subjects)]
        spreads = tuple(_describe_groups(systems, totals, shown or OVER_GROUPS))
    evaluation = Evaluation(
        systems,
        comparison,
        by_group,
        spreads,
        inputs.row_labels,
        replace(provenance, hashes=hashes),
        findings,
        None if resolved_costs is None else resolved_costs.matrix(subjects[0].table),
        shown,
    )
    if scores is not None and not judged:
        evaluation = _add_scores(evaluation, rows, y_pred, request, scores)
    evaluation = _name_sweep_commands(evaluation, names)
    return add_judge(evaluation, judged, intervals, shown) if judged else evaluation


def _sum_groups(subjects: Sequence[TableInput]) -> Iterator[TableInput]:
    """Yield each system's table of the rows of all groups; none where rows belong together across its cells."""
    by_name: dict[str, list[TableInput]] = {}
    for subject in subjects:
        by_name.setdefault(subject.name, []).append(subject)
    for name, members in by_name.items():
        sizes = [subject.n for subject in members if subject.n is not None]
        if not any(subject.cluster for subject in members):
            table = sum((subject.table for subject in members[1:]), members[0].table)
            yield TableInput(name, table, n=sum(sizes) if len(sizes) == len(members) else None)


def _describe_groups(
    systems: Sequence[SystemResult], totals: Sequence[SystemResult], metrics: Sequence[str]
) -> Iterator[GroupSpread]:
    """Yield the spread of each metric over the groups of each system, with its value of all rows."""
    whole = {total.name: total for total in totals}
    for name in dict.fromkeys(system.name for system in systems):
        for metric in metrics:
            numbers = [system.shown(metric) for system in systems if system.name == name]
            values = np.array([number for number in numbers if number is not None])
            if len(values):
                total = whole[name].shown(metric) if name in whole else None
                spread = (float(value) for value in (values.mean(), values.std(), values.min(), values.max()))
                yield GroupSpread(name, metric, total, len(values), *spread)


def _find_shown_metrics(names: str | Sequence[str] | None, *, ordinal: bool, costs: bool) -> tuple[str, ...]:
    """Return the ids of metrics that were named, each once."""
    shown: dict[str, None] = {}
    for name in as_names(names):
        entry = find(name)
        if entry.card.level != "table":
            raise InputError(
                f"{name!r} has a value for each class or cell, which are shown anyway; name one of all classes"
            )
        check_order_and_costs(entry, name, ordinal=ordinal, costs=costs)
        shown[entry.name] = None
    return tuple(shown)


def check_positive_stated(systems: Sequence[SystemResult], metrics: Iterable[str]) -> None:
    """Reject metrics that are about a class of two which neither the caller nor the labels chose."""
    of_positive = next((metric for metric in metrics if find(metric).card.of_positive), None)
    for system in systems:
        if of_positive is not None and system.table is not None and system.clusters is None:
            check_positive(system.table, of_positive)


# Findings about the rows ----------------------------------------------------------------------------------------------


def _describe_rows(inputs: Inputs, source: object, y_pred: object, request: ColumnRequest) -> Iterator[Finding]:
    """Point out rows without truth that a judge could use, where these are most rows, and rows that share an id."""
    reasons = ("missing truth label", f"missing label in {request.truth!r}")
    lost = sum(ignored.rows for ignored in inputs.provenance.ignored if ignored.reason in reasons)
    if lost > max((float(subject.table.total) for subject in inputs.subjects), default=0.0):
        text = f"{lost:,} rows have no truth; a column of verdicts (--judge, judge=) would let them count."
        yield Finding("rows_without_truth", text, evidence={"rows": lost})

    # a column that has the name of an id, and most of whose values occur once
    rows, is_file = inputs.provenance.rows, isinstance(source, (str, Path)) and Path(source).is_file()
    if y_pred is not None or not isinstance(request.truth, str) or not (is_file or is_eager_frame(source)):
        return
    if not rows or rows > MAX_CHECKED_IDS or request.groups is not None:
        return
    used = {request.truth, *as_names(request.system), *as_names(request.by), request.weight}
    columns = [name for name in column_names(cast(Source, source), request.how) if name not in used]
    name = next((name for name in columns if set(re.split(r"[^a-z]+", name.casefold())) & ID_WORDS), None)
    if name is None:
        return
    patterns = read_distinct_rows(cast(Source, source), [name, request.truth], comparable=False, read=request.how)
    totals = patterns.label_totals(0)
    repeated, different = int(totals.sum() - len(totals)), len(totals)
    if repeated and 2 * different >= totals.sum():
        yield Finding(
            "repeated_ids",
            f"{pluralize(repeated, 'row')} {'repeats' if repeated == 1 else 'repeat'} an id of column {name!r} "
            f"({different:,} different ids in {int(totals.sum()):,} rows). Remove copies; or, where rows with one id "
            f"belong together, state groups={name!r} (--groups {name}): intervals take every row as independent.",
            "warning",
            {"column": name, "repeated": repeated, "ids": different},
        )


# Systems against each other -------------------------------------------------------------------------------------------


def _compare_systems(
    groups: Mapping[tuple[str, ...], Sequence[int]],
    joints: Mapping[tuple[str, ...], Joint | PairedPredictions],
    subjects: Sequence[TableInput],
    results: Sequence[SystemResult],
    intervals: UncertaintyOptions,
) -> Iterator[tuple[tuple[str, ...], Comparison]]:
    """Yield a comparison of the systems row by row for each group whose rows are known; all rows are the group ().

    ``groups`` has the places of the subjects of each group.
    """
    if intervals.sample_size is not None or (list(groups) != [()] and len(subjects) > MAX_COMPARED_IN_GROUPS):
        return
    for group, places in groups.items():
        joint, members = joints.get(group), [subjects[place] for place in places]
        if joint is None or not 1 < len(members) <= MAX_COMPARED_SYSTEMS:
            continue
        metrics = [
            name for name in DEFAULT_METRICS if all(results[place].metrics[name].sd is not None for place in places)
        ]
        if not metrics or any(subject.table.reweighting is not None for subject in members):
            continue
        if isinstance(joint, Joint):
            first = members[0]
            cluster = None if first.cluster is None else first.cluster.column
            joint = PairedPredictions.from_joint(
                joint, cluster=cluster, reject=first.table.reject, positive=first.table.positive
            )
        beliefs = {subject.name: subject.belief for subject in members if isinstance(subject.belief, Posterior)}
        try:
            yield (
                group,
                compare_predictions(
                    joint,
                    metrics=metrics,
                    level=intervals.level,
                    prior=intervals.prior,
                    seed=intervals.seed,
                    known=beliefs,
                ),
            )
        except InputError as error:  # systems that share no row
            sizes = {subject.name: subject.n for subject in members if subject.n is not None}
            findings = (Finding("not_compared", f"{error}."),)
            names = tuple(subject.name for subject in members)
            yield group, Comparison(names, sizes, intervals.level, pairs=(), ranking=(), findings=findings)


# Scores ---------------------------------------------------------------------------------------------------------------


def _add_scores(
    evaluation: Evaluation, source: Source, y_pred: LabelsByName | None, request: ColumnRequest, scores: Any
) -> Evaluation:
    """Add the operating points of each score, and what they advise in place of findings that suspect a threshold."""
    if any(system.group for system in evaluation.systems):
        raise InputError("scores are about all rows; leave out scores, or by")
    names = [system.name for system in evaluation.systems]
    if isinstance(scores, Mapping):
        unknown = [name for name in scores if name not in names]
        if unknown:
            raise InputError(f"scores are given for {unknown[0]!r}, which is no system; there is {', '.join(names)}")
        columns = dict(scores)
    else:  # one for the only system, or column names in the systems' order
        listed = [scores] if y_pred is not None or isinstance(scores, str) else list(scores)
        if len(listed) > len(names) or (len(listed) < len(names) and len(names) > 1):
            given = f"{pluralize(len(listed), 'set' if y_pred is not None else 'column')} of scores"
            raise InputError(
                f"there are {len(names)} systems and {given}; give one for each system in their order, or a mapping "
                "by name"
            )
        columns = dict(zip(names, listed, strict=True))

    systems = []
    for system in evaluation.systems:
        if system.name not in columns:
            systems.append(system)
            continue
        if len(system.truth_labels) != 2:
            raise InputError(
                f"a score has a threshold where there are two true classes, and here are {len(system.truth_labels)}; "
                "`infoscope sweep` takes one --score per class"
            )
        column = columns[system.name]
        name = column if isinstance(column, str) else None
        points = _sweep_system(source, y_pred, request, column, system)
        advised, about = points, system
        if points.reversed_class is not None and system.positive_by_sorting:
            about = replace(system, positive=points.reversed_class)
            advised = _sweep_system(source, y_pred, request, column, about)
        diagnosis = list(_advise_threshold(about, advised, name))
        if points.reversed_class is not None:
            diagnosis = [finding for finding in points.findings if finding.code == "reversed_scores"] + diagnosis
        if diagnosis:
            diagnosis += [finding for finding in system.diagnosis if finding.code not in MISCOUNTS]
        systems.append(replace(system, scores=points, diagnosis=tuple(diagnosis) or system.diagnosis))
    return replace(evaluation, systems=tuple(systems))


def _sweep_system(source: Any, y_pred: Any, request: ColumnRequest, column: Any, system: SystemResult) -> Sweep:
    """Return the operating points of a system's score, for the class that its binary metrics are about."""
    options: Any = {"positive": system.positive, "weight": request.weight, "max_points": MAX_POINTS}
    if y_pred is not None or is_column_mapping(source):
        options["positive"] = _find_label(system, system.positive or "")
    if y_pred is not None:
        points = sweep(source, column, **options)
    elif str(source) in ("-", "/dev/stdin"):
        raise InputError(
            "standard input can be read once only; write the rows to a file to evaluate scores beside labels"
        )
    else:
        options |= {"read": request.how, "clean": request.clean}
        points = sweep(source, truth=request.truth, score=column, **options)
    return points.stored(KEPT_METRICS, MAX_KEPT_POINTS)


def _find_label(system: SystemResult, name: str) -> Label:
    """Return a class as the labels have it, which may be numbers."""
    labels = () if system.table is None else system.table.truth_labels
    return next((label for label in labels if str(label) == name), name)


def _advise_threshold(system: SystemResult, points: Sweep, column: str | None) -> Iterator[Finding]:
    """Say what another threshold would capture; nothing where that is not known."""
    if points.reversed_class is not None or points.is_by_chance:
        return
    choice, now = points.choices[0], system.shown("proficiency")
    held = choice.held_out
    if now is None or held.value is None or choice.threshold is None:
        return
    miscount = next((finding.text for finding in system.diagnosis if finding.code in MISCOUNTS), "")
    start = f"{miscount.partition(';')[0]}; " if miscount else ""
    names = {"positive": str(points.positive), "score": column or "COLUMN"}
    limits = f"held out, {choice.level:.0%} interval {MetricNotation('proficiency').interval(held)}"
    threshold = f"at a threshold of {choice.threshold:.4g}"
    evidence: dict[str, Any] = {"threshold": choice.threshold, "captured": held.value, "now": now, **names}
    if held.low is not None and held.low > now:
        text = (
            f"{start}{threshold} it would capture {held.value:.0%} instead of {now:.0%} ({limits}): "
            f"{sweep_command(**names)}."
        )
        text = f"{text[0].upper()}{text[1:]}"
        yield Finding("better_threshold", text, "warning", evidence, "Move the threshold", "threshold off")
    elif miscount:
        text = (
            f"{start}no other threshold is shown to capture more: {threshold} it is {held.value:.1%} ({limits}), now "
            f"{now:.1%}. More samples may show one."
        )
        yield Finding("threshold_fits", f"{text[0].upper()}{text[1:]}", "note", evidence, "Collect more samples")


def _name_sweep_commands(evaluation: Evaluation, names: ColumnNames) -> Evaluation:
    """Name the source and its columns in the commands that findings advise: of a file, of labels, or of a frame."""
    systems = []
    for system in evaluation.systems:
        diagnosis = []
        for finding in system.diagnosis:
            if finding.code not in THRESHOLD_FINDINGS:
                diagnosis.append(finding)
                continue
            positive, score = (str(finding.evidence.get(part, "COLUMN")) for part in ("positive", "score"))
            label = _find_label(system, positive)
            if names.source is not None:
                file = Path(names.source)  # documents travel: folders of this machine stay out of them
                shown = file.name if file.is_absolute() else str(file)
                command = sweep_command(str(label), shown, names.truth or "TRUTH", score)
            elif names.truth is None and not names.in_tables:
                command = f"infoscope.sweep(y_true, y_score, positive={label!r})"
            else:
                command = f"infoscope.sweep(SOURCE, truth={names.truth!r}, score={score!r}, positive={label!r})"
            diagnosis.append(replace(finding, text=finding.text.replace(sweep_command(positive, score=score), command)))
        systems.append(replace(system, diagnosis=tuple(diagnosis)))
    return replace(evaluation, systems=tuple(systems))
