"""Compare: from rows or tables to who is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack, cast

from infoscope.errors import InputError
from infoscope.posterior import Posterior
from infoscope.readers import ReadOptions, read_joint
from infoscope.readers.files import file_name
from infoscope.readers.guess_columns import named_columns
from infoscope.readers.reader import finished_tables
from infoscope.results.finding import Finding
from infoscope.studies.compare.judged import compare_judged
from infoscope.studies.compare.options import DEFAULT_METRICS, CompareOptions, asked_metrics
from infoscope.studies.compare.paired import compare_rows
from infoscope.studies.compare.predictions import PairedPredictions
from infoscope.studies.compare.result import Comparison
from infoscope.studies.compare.unpaired import compare_tables
from infoscope.studies.diagnose import find_normalised_matrix, find_relabelling
from infoscope.studies.diagnose_statistics import TableStatistics, find_foreign_labels
from infoscope.studies.inputs import (
    QuestionKeywords,
    UncertaintyOptions,
    check_question,
    check_rows,
    column_labels,
    cost_findings,
    costs_of,
    kept_rows,
    label_findings,
    labels_by_system,
    named_column,
    stated_order,
    tables_by_system,
)
from infoscope.studies.judge import Judged
from infoscope.studies.judge.question import asked_judged
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import ColumnNames, check_columns, check_labels
from infoscope.tables.costs import StatedCosts
from infoscope.tables.ifs_file import data_hash
from infoscope.tables.labels import Label
from infoscope.tables.missing import warn_of
from infoscope.typing import LabelsByName, PriorLike, Source

__all__ = ["CompareKeywords", "compare", "compare_predictions"]


class CompareKeywords(QuestionKeywords, total=False):
    """What ``compare`` may be asked beyond its source."""

    metrics: str | Sequence[str] | None
    baseline: str | None
    rope: float | None


def compare(
    source: Source | Judged,
    y_pred: LabelsByName | None = None,
    *,
    truth: str | None = None,
    system: Sequence[str] | None = None,
    read: ReadOptions | None = None,
    **options: Unpack[CompareKeywords],
) -> Comparison:
    """Which system is better, by how much, and how sure that is.

    Give labels ``(y_true, {"svm": labels, "knn": labels})``, or rows of any source with the names of their columns in
    ``truth`` and ``system``: then the comparison is paired, row by row. A mapping of names to tables is compared
    unpaired. ``groups`` says which rows belong together (patients, documents), by a column's name or a sequence: then
    these are resampled as a whole. ``prevalence`` re-weights the true classes, ``ordinal`` states their order (ordered
    categoricals have one), ``sample_size`` is that of tables of frequencies. ``judge``, ``says`` and ``population``
    are about rows of which few have a true label, as in ``evaluate``. Without ``metrics`` it is the proficiency
    and the erroneous information ratio, after the expected cost where ``costs`` are stated (see ``evaluate``).

    >>> truth = ["cat", "dog", "cow"] * 30
    >>> good = truth[:-3] + ["dog", "cow", "cat"]
    >>> poor = ["cat", "cat", "cow"] * 30
    >>> result = compare(truth, {"good": good, "poor": poor})
    >>> [(pair.metric, pair.verdict) for pair in result.pairs]
    [('proficiency', 'better'), ('erroneous_information_ratio', 'inconclusive')]
    """
    check_question(cast(dict[str, Any], options), CompareKeywords)
    uncertainty = UncertaintyOptions.from_keywords(options)
    uncertainty.reject_none("compare says what is significant; evaluate gives the values of several systems")
    metrics, costs = options.get("metrics"), costs_of(options)
    truth, system = named_columns(source, y_pred, (truth, system), read, options)
    ordinal = stated_order(source, truth, options.get("ordinal"))
    question = CompareOptions(
        asked_metrics(metrics, ordinal=ordinal is not None, costs=costs is not None),
        uncertainty.level,
        options.get("rope"),
        uncertainty.prior,
        uncertainty.seed,
        options.get("baseline"),
        options.get("prevalence"),
        ordinal,
        costs,
        named=metrics is not None,
    )
    judged = asked_judged(source, y_pred, (truth, system, read), options)
    if judged is not None:
        return compare_judged(judged, question)
    tables = None if y_pred is not None else tables_by_system(source)
    if tables is not None:
        tables = finished_tables(tables, options)
        check_columns(tables, ColumnNames.asked(file_name(source), None, labels=False))
        _check_counted(tables)
        found = compare_tables(tables, question, uncertainty.sample_size)
        return _with_hashes(found, tables, costs, sample_size=uncertainty.sample_size)
    if uncertainty.sample_size is not None:
        raise InputError("the sample size is stated for tables of frequencies; rows are counted, so leave it out")
    predicted = _paired_predictions(source, y_pred, (truth, system, read), options)
    tables = {name: predicted.table(name) for name in predicted.names}
    check_columns(tables, ColumnNames.asked(file_name(source), truth, labels=y_pred is not None))
    found = compare_rows(predicted, question)
    warn_of(finding.text for finding in found.findings if finding.code == "rows_ignored")
    return _with_hashes(found, tables, costs, truth, options.get("reject"))


def _check_counted(tables: Mapping[str, Contingency]) -> None:
    """Reject tables that were estimated without truth: they share the same draws."""
    estimated = next((name for name, table in tables.items() if table.estimation is not None), None)
    if estimated is not None:
        raise InputError(
            f"the table of {estimated!r} was estimated without truth, from the agreement of systems or by a judge, and "
            "is no sample of its own; evaluate(tables) shows such tables side by side, compare(judged) compares judged "
            "rows, and plan_labels says which labels would decide"
        )


def _paired_predictions(
    source: Any, y_pred: Any, asked: tuple[Any, Any, ReadOptions | None], options: Mapping[str, Any]
) -> PairedPredictions:
    """The predictions of all systems, row by row: of labels, of a mapping of columns, or of a source that is read."""
    truth, system, read = asked
    weight, groups = options.get("weight"), options.get("groups")
    stated = {name: options.get(name) for name in ("reject", "positive")}
    labels = (
        (kept_rows(source), labels_by_system(y_pred)) if y_pred is not None else column_labels(source, truth, system)
    )
    if labels is not None:
        check_labels(*labels)
    if y_pred is not None and options.get("clean"):
        raise InputError("clean= is about labels that are read; clean the labels before you give them")
    if labels is not None and not (y_pred is None and options.get("clean")):
        if y_pred is None:
            weight, groups = (named_column(source, column) for column in (weight, groups))
        y_true, systems = labels
        return PairedPredictions.from_labels(y_true, systems, sample_weight=weight, cluster=groups, **stated)
    check_rows(source, truth)
    if not isinstance(truth, str) or system is None or isinstance(system, str):
        raise InputError(
            "give labels as (y_true, {name: labels}), name the truth column and at least two system columns, or give "
            "tables by name"
        )
    if groups is not None and (not isinstance(groups, str) or groups in (truth, *system)):
        raise InputError(f"groups is {groups!r}; name a column of its own, beside truth and systems")
    beside = () if groups is None else (groups,)
    joint = read_joint(
        source, truth=truth, system=[*system, *beside], weight=weight, clean=options.get("clean", ()), read=read
    )
    return PairedPredictions.from_joint(joint, cluster=groups, **stated)


def _with_hashes(
    found: Comparison,
    tables: Mapping[str, Contingency],
    costs: StatedCosts | None = None,
    truth: str | None = None,
    reject: Label | None = None,
    sample_size: float | None = None,
) -> Comparison:
    hashes = {name: data_hash(table) for name, table in tables.items()}
    about_labels = (*_broken_table_findings(tables, sample_size), *label_findings(list(tables.items()), truth, reject))
    findings = (*about_labels, *cost_findings(costs, list(tables.values())), *found.findings)
    return replace(found, provenance=replace(found.provenance, hashes=hashes), findings=findings)


def _broken_table_findings(tables: Mapping[str, Contingency], sample_size: float | None) -> Iterator[Finding]:
    """Yield what is wrong with a system's table: it holds no counts, or other names than those of the true classes."""
    for name, table in tables.items():
        if not table.total:
            continue
        facts = TableStatistics(table, table.sample_size if sample_size is None else sample_size)
        for finding in filter(
            None, (find_normalised_matrix(facts), find_foreign_labels(table), find_relabelling(facts))
        ):
            text = f"{name}: {finding.text[0].lower()}{finding.text[1:]}"
            yield replace(
                finding, text=text, severity="warning", evidence={"system": name, **finding.evidence}, detail=""
            )


def compare_predictions(
    predicted: PairedPredictions,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    level: float = 0.95,
    prior: PriorLike = "default",
    seed: int = 0,
    known: Mapping[str, Posterior] | None = None,
) -> Comparison:
    """The same for rows that were read already, without swap tests.

    ``known`` holds beliefs about systems from all rows that each predicted; they serve every pair that shares these.
    """
    question = CompareOptions(asked_metrics(metrics), level, None, prior, seed, swaps=False, named=False)
    return compare_rows(predicted, question, known or {})
