"""Evaluate one or several systems against the truth (``infoscope.evaluate``).

The module reads in the order of the work: ``evaluate``, which gathers tables, fits a belief to each, diagnoses and
measures them; what is said about the rows as they were read; systems against each other; scores behind predictions
of two classes, and what another threshold would capture; tables that are estimated from few labels and a judge
(``studies/judge.py``), and the judge beside them. Results are in ``evaluation.py``, tables are
gathered and measured in ``evaluate_tables.py``. The page is ``reports/views/evaluate.py``.
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
from infoscope.errors import InputError, suggest_name
from infoscope.metrics.registry import find
from infoscope.posterior import Posterior
from infoscope.posterior.summary import summarize_draws
from infoscope.readers import Joint, ReadOptions
from infoscope.readers.columns import column_names, resolve_columns
from infoscope.readers.files import name_source_file
from infoscope.readers.frames import is_column_mapping, is_eager_frame
from infoscope.readers.labels import Cleaning
from infoscope.readers.matrix_files import CostsLike, resolve_costs
from infoscope.readers.query import as_names, check_column_names
from infoscope.readers.reader import read_distinct_rows
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.notation import MetricNotation, format_share
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.studies.compare import (
    ERRORS,
    INFORMATION,
    CompareOptions,
    Comparison,
    choose_default_metrics,
    compare_judged,
    compare_predictions,
)
from infoscope.studies.diagnose import diagnose_all, sweep_command
from infoscope.studies.diagnose_statistics import TableStatistics, find_evident_renaming
from infoscope.studies.evaluate_tables import (
    ColumnRequest,
    Inputs,
    TableInput,
    add_examples,
    check_examples,
    fit_belief,
    gather_inputs,
    measure,
    name_source,
    prepare_table,
)
from infoscope.studies.evaluation import (
    Evaluation,
    GroupComparison,
    GroupSpread,
    JudgedStratum,
    JudgedSystem,
    JudgeResult,
    SystemResult,
)
from infoscope.studies.inputs import (
    Prevalence,
    UncertaintyOptions,
    check_order_and_costs,
    describe_costs,
    find_class_order,
    find_label_problems,
)
from infoscope.studies.judge import Judged, JudgedGroup, find_judge_drift, read_judged_groups
from infoscope.studies.judge_findings import describe_judged, draw_accepted_errors, find_accepting_verdicts
from infoscope.studies.judge_model import Agreements, estimate_bias_adjusted_accuracy, estimate_ppi_accuracy
from infoscope.studies.predictions import PairedPredictions
from infoscope.studies.sweep import Sweep, sweep
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import ColumnNames, check_columns, check_positive
from infoscope.tables.labels import Label
from infoscope.typing import Json, LabelsByName, LabelsLike, PriorLike, Source

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
MAX_STRATA = 100
"""Strata that a document lists, those of most rows."""
MAX_COMPARED_SYSTEMS = 30
"""More are compared on request only, with ``compare``."""
MAX_COMPARED_IN_GROUPS = 120
"""Systems times groups that are compared by default."""
HEADLINE_METRICS = ("accuracy", "proficiency", "macro_f1")
"""Metrics that are shown from the judge alone, the labels alone, and both."""
LEFT_ASIDE = Finding("judge_left_aside", "Every row has a true label, so that the judge is left aside.")


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
        Weights of the rows, or the column that holds them; a row without a weight is left out with a warning.
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
    used = {request.truth, *as_names(request.system), *as_names(request.by), *as_names(request.weight)}
    columns = [name for name in column_names(cast(Source, source), request.how, used) if name not in used]
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
            name
            for name in (*choose_default_metrics(subject.table for subject in members), ERRORS)
            if all(results[place].metrics[name].sd is not None for place in places)
        ]
        if not metrics or any(subject.table.reweighting is not None for subject in members):
            continue
        if all(results[place].metrics[INFORMATION].value is None for place in places):  # there is nothing to tell apart
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
            raise InputError(
                f"scores are given for {unknown[0]!r}, which is no system; {suggest_name(unknown[0], names)}"
            )
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
    if system.interval_method is not None and system.interval_method.level != points.options.level:
        points = points.choose_by(replace(points.options, level=system.interval_method.level))
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
    limits = f"{choice.level:.0%} interval {MetricNotation('proficiency').interval(held)}"
    threshold = f"at a threshold of {choice.threshold:.4g}"
    evidence: dict[str, Any] = {"threshold": choice.threshold, "captured": held.value, "now": now, **names}
    if held.low is not None and held.low > now:
        recall, precision = (float(points.values(name)[choice.point]) for name in ("recall", "precision"))
        text = (
            f"{start}{threshold}, recall is {format_share(recall)} and precision {format_share(precision)}, and "
            f"{format_share(held.value)} is captured on held-out samples instead of {format_share(now)} ({limits}). "
            "Choose by what a miss and a false alarm cost you."
        )
        text, command = f"{text[0].upper()}{text[1:]}", sweep_command(**names)
        yield Finding(
            "better_threshold", text, "warning", evidence, "Move the threshold", "threshold off", command=command
        )
    elif miscount:
        text = (
            f"{start}no other threshold is shown to capture more: {threshold} it is {held.value:.1%} (held out, "
            f"{limits}), now {now:.1%}. More samples may show one."
        )
        yield Finding("threshold_fits", f"{text[0].upper()}{text[1:]}", "note", evidence, "Collect more samples")


def _name_sweep_commands(evaluation: Evaluation, names: ColumnNames) -> Evaluation:
    """Name the source and its columns in the commands that findings advise: of a file, of labels, or of a frame."""
    systems = []
    for system in evaluation.systems:
        diagnosis = []
        for finding in system.diagnosis:
            if finding.code not in THRESHOLD_FINDINGS or names.in_tables:  # tables have no scores: a file is to name
                diagnosis.append(finding)
                continue
            positive, score = (str(finding.evidence.get(part, "COLUMN")) for part in ("positive", "score"))
            label = _find_label(system, positive)
            if names.source is not None:
                file = Path(names.source)  # documents travel: folders of this machine stay out of them
                shown = file.name if file.is_absolute() else str(file)
                command = sweep_command(str(label), shown, names.truth or "TRUTH", score)
            elif names.truth is None:
                command = f"infoscope.sweep(y_true, y_score, positive={label!r})"
            else:
                command = f"infoscope.sweep(SOURCE, truth={names.truth!r}, score={score!r}, positive={label!r})"
            diagnosis.append(replace(finding, command=command))
        systems.append(replace(system, diagnosis=tuple(diagnosis)))
    return replace(evaluation, systems=tuple(systems))


# A judge --------------------------------------------------------------------------------------------------------------


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


# The judge beside the systems -----------------------------------------------------------------------------------------


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
            metrics = choose_default_metrics(judged.table(name, seed=uncertainty.seed) for name in judged.systems)
            options = CompareOptions(tuple(map(find, (*metrics, ERRORS))), uncertainty.level, seed=uncertainty.seed)
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
