"""What is to be evaluated: tables by name and group, from tables given, or rows read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self, cast

import numpy as np

from infoscope.errors import InputError, masked
from infoscope.readers import Joint, Query, ReadOptions, Tables, Together, read_together
from infoscope.readers.files import Files
from infoscope.readers.guess_columns import as_names, names_alone
from infoscope.readers.labels import Cleaning
from infoscope.readers.reader import finished_tables
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, Provenance
from infoscope.studies.evaluate.row_labels import MAX_KEPT_ROWS, MAX_PAIRED_ROWS, RowLabels
from infoscope.studies.evaluate.score import Clusters, TableInput
from infoscope.studies.inputs import (
    Prevalence,
    StatedOrder,
    check_rows,
    column_labels,
    kept_rows,
    labels_by_system,
    named_column,
    tables_by_system,
)
from infoscope.studies.predictions import PairedPredictions
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import check_labels
from infoscope.tables.construction import Declared, counted_labels, with_declared
from infoscope.tables.counting import Support
from infoscope.tables.labels import Label
from infoscope.tables.missing import most_ignored, warn_of_rows
from infoscope.tables.transformations import on_scale, scale_order, shares_by_label
from infoscope.typing import LabelsByName, LabelsLike, Source

__all__ = ["ColumnRequest", "Inputs", "gather", "ordered", "prepared", "source_name"]


@dataclass(frozen=True)
class ColumnRequest:
    """Which columns of a source to read, and what its labels mean."""

    truth: str | None = None
    system: str | Sequence[str] | None = None
    weight: Any = None
    by: str | Sequence[str] | None = None
    reject: Label | None = None
    positive: Label | None = None
    clean: Cleaning = ()
    labels: Any = None
    groups: Any = None
    keep_rows: bool | None = None
    how: ReadOptions | None = None

    @classmethod
    def from_keywords(
        cls,
        truth: str | None,
        system: str | Sequence[str] | None,
        read: ReadOptions | None,
        options: Mapping[str, Any],
    ) -> Self:
        """The columns named, with those of a function's keywords that are about rows and labels."""
        known = {name: options[name] for name in cls.__dataclass_fields__ if name in options}
        known["by"] = names_alone(known.get("by"), "by")
        return cls(truth, system, how=read, **known)

    @property
    def cluster(self) -> str | None:
        """The column of what rows belong together, where it is a column."""
        return self.groups if isinstance(self.groups, str) else None

    @property
    def max_kept(self) -> int:
        """How many rows may be kept: as many as can be where asked for, none where rejected, else a moderate number."""
        return 0 if self.keep_rows is False else MAX_PAIRED_ROWS if self.keep_rows else MAX_KEPT_ROWS

    @property
    def asked(self) -> Query:
        """As readers want it."""
        columns = {"weight": self.weight, "groups": self.groups}
        for name, value in columns.items():
            if value is not None and not isinstance(value, str):
                raise InputError(f"{name} is not the name of a column; name one, or give labels as (y_true, y_pred)")
        if self.labels is not None and self.groups is not None:
            raise InputError("groups are resampled over the classes that occur; leave out labels= or groups=")
        return Query(
            self.truth or "",
            as_names(self.system),
            self.weight,
            as_names(self.by),
            self.cluster,
            self.reject,
            self.positive,
            self.clean,
            read=self.how or ReadOptions(),
        )


@dataclass(frozen=True)
class Inputs:
    """What there is to evaluate."""

    provenance: Provenance
    subjects: list[TableInput]
    joints: Mapping[tuple[str, ...], Joint | PairedPredictions] = field(default_factory=dict)
    """The systems row by row, by group, where they were read together; without groups there is one, ()."""
    notes: tuple[Finding, ...] = ()
    """About what was read."""
    row_labels: RowLabels | None = None
    """All rows in their order, where they are kept."""


def gather(source: Source, y_pred: LabelsByName | None, request: ColumnRequest) -> Inputs:
    """The tables to evaluate: from labels, from tables, or from rows that are read."""
    if y_pred is not None:
        if request.truth is not None or request.system is not None:
            raise InputError("give labels as (y_true, y_pred), or name columns with truth= and system=, not both")
        y_true, systems = kept_rows(cast(LabelsLike, source)), labels_by_system(y_pred)
        check_labels(y_true, systems)
        return _from_labels(y_true, systems, request)
    if isinstance(source, Tables):
        return _from_tables(source, request)
    tables = tables_by_system(source, request.system)
    if tables is not None:
        return _from_tables(Tables({(): tables}, None, most_ignored(t.ignored for t in tables.values())), request)
    columns = column_labels(source, request.truth, request.system)
    if columns is not None and not request.by and not request.clean:
        return _from_labels(*columns, _with_columns(cast("Mapping[str, Any]", source), request))
    return _from_rows(source, request)


def _with_columns(source: Mapping[str, Any], request: ColumnRequest) -> ColumnRequest:
    """Weights and groups of a mapping of columns, by their names."""
    return replace(request, **{name: named_column(source, getattr(request, name)) for name in ("weight", "groups")})


def _from_labels(y_true: Any, systems: Mapping[str, Any], request: ColumnRequest) -> Inputs:
    if request.by is not None:
        raise InputError("by= names columns of rows; split the labels, or give a data frame with truth= and system=")
    if request.clean:
        raise InputError("clean= is about labels that are read; clean the labels before you give them")
    declared = Declared(request.labels, request.reject, request.positive)
    tables = {
        name: counted_labels(Contingency, y_true, labels, request.weight, declared) for name, labels in systems.items()
    }
    ignored = most_ignored(table.ignored for table in tables.values())
    predictions = None
    rows = int(max(_size(table) + sum(table.ignored.values()) for table in tables.values()))
    kept = request.weight is None and rows <= request.max_kept
    if request.groups is not None or kept or (len(tables) > 1 and rows <= MAX_COMPARED_ROWS):
        predictions = PairedPredictions.from_labels(
            y_true,
            systems,
            sample_weight=request.weight,
            cluster=request.groups,
            reject=request.reject,
            positive=request.positive,
        )
    if request.groups is not None and predictions is not None:
        lost = [predictions.lacking(name) - sum(table.ignored.values()) for name, table in tables.items()]
        ignored |= {"missing group": max(lost)} if max(lost) > 0 else {}
    warn_of_rows(ignored)
    subjects = [_labelled(name, table, predictions, request) for name, table in tables.items()]
    provenance = Provenance(rows=rows if request.weight is None else None, ignored=_listed(ignored))
    joints: dict[tuple[str, ...], Joint | PairedPredictions] = (
        {(): predictions} if predictions is not None and len(tables) > 1 else {}
    )
    row_labels = RowLabels.packed(predictions) if kept and predictions is not None else None
    return Inputs(provenance, _with_data(subjects, None), joints, row_labels=row_labels)


MAX_COMPARED_ROWS = 1_000_000
"""Labels up to which systems are compared by default."""


def _size(table: Contingency) -> float:
    return float(table.total)


def _labelled(
    name: str, table: Contingency, predictions: PairedPredictions | None, request: ColumnRequest
) -> TableInput:
    if request.groups is None or predictions is None:
        return TableInput(name, table, n=table.sample_size)
    own = predictions.pair(name, name)
    return TableInput(name, own.table_a, n=own.table_a.sample_size, cluster=Clusters("groups", own.clusters_a))


def _from_tables(tables: Tables, request: ColumnRequest) -> Inputs:
    named = finished_tables(dict(tables.items()), vars(request))
    for (_, name), table in named.items():
        if table.batch_shape:
            raise InputError("a batch of tables is no single result; evaluate its tables one by one")
        if not table.total:
            raise InputError(f"the table of {name!r} has no data; there is nothing to evaluate")
    subjects = [
        TableInput(name, table, group=_group(tables.by, group), n=table.sample_size)
        for (group, name), table in named.items()
    ]
    return Inputs(Provenance(rows=tables.rows, ignored=_listed(tables.ignored)), subjects)


def _from_rows(source: Any, request: ColumnRequest) -> Inputs:
    check_rows(source, request.truth)
    together = read_together(source, request.asked, request.max_kept)
    warn_of_rows(together.reading.ignored)
    return _as_subjects(source, request, together)


def _as_subjects(source: object, request: ColumnRequest, found: Together) -> Inputs:
    """Return what was read as subjects."""
    reading = found.reading
    subjects = [
        TableInput(
            name,
            with_declared(table, request.labels),
            group=_group(reading.by, group),
            n=table.sample_size,
            cluster=None if request.cluster is None else Clusters(request.cluster, found.clusters[group, name]),
        )
        for group, tables in reading.by_group.items()
        for name, table in tables.items()
    ]
    provenance = Provenance(source_name(source), reading.rows, _listed(reading.ignored))
    joints = {tuple(map(str, group)): joint for group, joint in found.joints.items()}
    ordered = None if found.ordered is None else PairedPredictions.from_joint(found.ordered)
    row_labels = None if ordered is None else RowLabels.packed(ordered)
    return Inputs(provenance, _with_data(subjects, source_name(source)), joints, row_labels=row_labels)


def _listed(ignored: Mapping[str, int]) -> tuple[IgnoredRows, ...]:
    return tuple(IgnoredRows(reason, rows) for reason, rows in ignored.items())


def _with_data(subjects: list[TableInput], source: str | None) -> list[TableInput]:
    """Groups in which a system has no usable row are left out; a system without any is an error."""
    used = [subject for subject in subjects if subject.table.total > 0]
    for subject in subjects:
        if all(other.name != subject.name for other in used):
            if subject.table.weight_squares is not None and subject.table.truth_labels:
                raise InputError(f"all rows predicted by {subject.name!r} have weight 0; there is nothing to evaluate")
            raise InputError(
                f"{source or 'the source'} has no row with both a truth and a prediction of {subject.name!r}; "
                "there is nothing to evaluate"
            )
    if not used:
        raise InputError(f"{source or 'the source'} has no rows; there is nothing to evaluate")
    return used


def _group(by: Sequence[str], group: Sequence[Label]) -> dict[str, str] | None:
    """The group by column; tables counted elsewhere may not say which columns those were."""
    names = by if len(by) == len(group) else [f"group {at}" for at in range(1, len(group) + 1)]
    return dict(zip(names, map(str, group), strict=True)) or None


def source_name(source: object) -> str | None:
    """How reports name a source; None where it has no name."""
    if isinstance(source, Files):
        return Path(source.name).name
    if isinstance(source, (list, tuple)) and source:
        first = source_name(source[0])
        return first if len(source) == 1 or first is None else f"{first} and {len(source) - 1} more"
    if isinstance(source, (str, Path)):
        pipe = {"-": "standard input", "/dev/stdin": "standard input"}.get(str(source))
        return pipe or (str(source) if str(source).startswith("/dev/") else Path(masked(str(source))).name)
    return None


def prepared(table: Contingency, prevalence: Prevalence | None, *, clusters: bool) -> Contingency:
    """The table as the caller wants it seen."""
    if clusters:
        table = _apart(table)
    if prevalence is None:
        return table
    if isinstance(prevalence, str):
        return table.with_prevalence(prevalence)
    return table.with_prevalence(shares_by_label(table, prevalence))


def _apart(table: Contingency) -> Contingency:
    """Cluster names mean nothing: predictions that share a name with a class get another, empty ones go."""
    rows = np.flatnonzero(table.row_totals > 0)
    columns = np.flatnonzero((table.column_totals > 0) | [label == table.reject for label in table.system_labels])
    truth = tuple(table.truth_labels[at] for at in rows)
    system = tuple(table.system_labels[at] for at in columns)
    if {str(label) for label in truth} & {str(label) for label in system}:
        system = tuple(label if label == table.reject else f"cluster {label}" for label in system)
    if table.support is None:
        values, support = table.values[np.ix_(rows, columns)], None
    else:
        used = np.flatnonzero(table.cells > 0)
        row_of, column_of = (np.zeros(size, dtype=np.int64) for size in table.shape)
        row_of[rows], column_of[columns] = np.arange(len(rows)), np.arange(len(columns))
        support = Support(row_of[table.cell_rows[used]], column_of[table.cell_columns[used]])
        values = table.values[used]
    return replace(
        table,
        truth_labels=truth,
        system_labels=system,
        values=values,
        support=support,
        positive=table.positive if table.positive in truth else None,
        declared=True,
    )


def ordered(subject: TableInput, order: StatedOrder | None) -> TableInput:
    """The subject with its classes in their order."""
    table = subject.table
    scale = None if order is None else order.scale(table)
    if scale is None:
        return subject
    cluster = subject.cluster
    if cluster is not None:
        cluster = replace(cluster, lines=cluster.lines[:, scale_order(table, scale).cells])
    return replace(subject, table=on_scale(table, scale), cluster=cluster)
