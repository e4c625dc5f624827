"""What is to be evaluated: tables by name and group, from tables given, or rows read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from infoscope.errors import InputError
from infoscope.evaluation.document import Source
from infoscope.evaluation.measuring import Clusters, Subject
from infoscope.masking import masked
from infoscope.tables import Contingency
from infoscope.tables.contingency import Support
from infoscope.tables.labels import Label
from infoscope.tables.missing import most_ignored, warn_of_rows
from infoscope.tables.reweighting import shares_by_label

if TYPE_CHECKING:
    from infoscope.readers import Asked, Joint, Together

__all__ = ["Gathered", "Prevalence", "Request", "gather", "prepared", "seen"]

Prevalence = Literal["equal"] | Mapping[Any, float]


@dataclass(frozen=True)
class Request:
    """Which columns of a source to read, and what its labels mean."""

    truth: str | None = None
    system: str | Sequence[str] | None = None
    weight: str | None = None
    by: str | Sequence[str] | None = None
    reject: Label | None = None
    positive: Label | None = None
    clean: str | Sequence[str] = ()
    how: Any = None
    cluster: str | None = None

    @property
    def asked(self) -> Asked:
        """As readers want it."""
        from infoscope.readers import Asked  # noqa: PLC0415 - loads an engine

        names = () if self.system is None else (self.system,) if isinstance(self.system, str) else tuple(self.system)
        groups = () if self.by is None else (self.by,) if isinstance(self.by, str) else tuple(self.by)
        return Asked(self.truth or "", names, self.weight, groups, self.cluster, self.reject, self.positive, self.clean)


@dataclass(frozen=True)
class Gathered:
    """What there is to evaluate."""

    origin: Source
    subjects: list[Subject]
    joints: Mapping[tuple[str, ...], Joint] = field(default_factory=dict)
    """The systems row by row, by group, where they were read together; without groups there is one, ()."""


def gather(source: Any, request: Request) -> Gathered:
    """The tables of a source: a table, tables by name, or rows that are read."""
    if isinstance(source, Contingency):
        name = request.system if isinstance(request.system, str) else "system"
        return _given({name: source}, request)
    if isinstance(source, Mapping) and source and all(isinstance(item, Contingency) for item in source.values()):
        return _given(source, request)
    return _read(source, request)


def _given(tables: Mapping[str, Contingency], request: Request) -> Gathered:
    if request.cluster is not None:
        raise InputError("a finished table does not know which rows belong together; cluster= needs the rows")
    if request.reject is not None or request.positive is not None:
        raise InputError("a finished table knows its reject and positive label; state them where the table is made")
    for name, table in tables.items():
        if table.batch_shape:
            raise InputError("a batch of tables is no single result; evaluate its tables one by one")
        if not table.total:
            raise InputError(f"the table of {str(name)!r} has no data; there is nothing to evaluate")
    subjects = [Subject(str(name), table, n=table.sample_size) for name, table in tables.items()]
    return Gathered(Source(ignored=most_ignored(table.ignored for table in tables.values())), subjects)


def _read(source: Any, request: Request) -> Gathered:
    if request.truth is not None and not isinstance(request.truth, str):
        raise InputError("truth is not the name of a column; give labels as Contingency.from_labels(y_true, y_pred)")
    if request.truth is None and _is_matrix(source):
        raise InputError("this is a matrix, not rows; give Contingency.from_matrix(counts), or tables by name")
    from infoscope.readers import read_together  # noqa: PLC0415 - loads an engine

    found = seen(source, request, read_together(source, request.asked, request.how))
    warn_of_rows(found.origin.ignored)
    return found


def _is_matrix(source: Any) -> bool:
    if isinstance(source, (list, tuple)):
        return bool(source) and all(isinstance(row, (list, tuple, np.ndarray)) for row in source)
    return isinstance(source, np.ndarray) or type(source).__module__.startswith("scipy.sparse")


def seen(source: Any, request: Request, found: Together) -> Gathered:
    """What was read, as subjects."""
    reading = found.reading
    subjects = [
        Subject(
            name,
            table,
            group=_group(reading.by, group),
            n=table.sample_size,
            cluster=None if request.cluster is None else Clusters(request.cluster, found.clusters[group, name]),
        )
        for group, tables in reading.tables.items()
        for name, table in tables.items()
    ]
    origin = Source(_named(source), reading.rows, dict(reading.ignored))
    joints = {tuple(map(str, group)): joint for group, joint in found.joints.items()}
    return Gathered(origin, _with_data(subjects, _named(source)), joints)


def _with_data(subjects: list[Subject], source: str | None) -> list[Subject]:
    """Groups in which a system has no usable row are left out; a system without any is an error."""
    used = [subject for subject in subjects if subject.table.total > 0]
    for subject in subjects:
        if all(other.name != subject.name for other in used):
            if subject.table.weight_squares is not None and subject.table.truth_labels:
                raise InputError(f"all rows answered by {subject.name!r} have weight 0; there is nothing to evaluate")
            raise InputError(
                f"{source or 'the source'} has no row with both a truth and an answer of {subject.name!r}; "
                "there is nothing to evaluate"
            )
    if not used:
        raise InputError(f"{source or 'the source'} has no rows; there is nothing to evaluate")
    return used


def _group(by: Sequence[str], group: Sequence[Label]) -> dict[str, str] | None:
    """The group by column; tables counted elsewhere may not say which columns those were."""
    names = by if len(by) == len(group) else [f"group {at}" for at in range(1, len(group) + 1)]
    return dict(zip(names, map(str, group), strict=True)) or None


def _named(source: Any) -> str | None:
    if isinstance(source, (list, tuple)) and source:
        first = _named(source[0])
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
    """Cluster names mean nothing: answers that share a name with a class get another, empty ones go."""
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
