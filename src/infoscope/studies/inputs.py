"""Inputs that studies share: labels, rows of any source or tables, and findings about them.

evaluate(y_true, y_pred)                                 labels; y_pred may be a mapping of names to labels
evaluate(source, truth="gold", system=["svm", "knn"])    rows of any source
evaluate(table), evaluate({"svm": table})                tables

Every study that compares with a truth asks in one of these ways, and says the same about blank labels, costs and
groups of rows. A check of one study alone is in its own module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.losses import find_cost_doubt
from infoscope.metrics.registry import Metric
from infoscope.posterior.groups import FEW_GROUPS
from infoscope.readers.frames import is_eager_frame
from infoscope.readers.query import pick_columns
from infoscope.readers.reader import Tables
from infoscope.results.finding import Finding
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import (
    BlankLabels,
    check_one_label_per_row,
    describe_idle_positive,
    find_missing_words,
    find_repeated_header,
)
from infoscope.tables.encoding import frame_columns
from infoscope.tables.labels import Label, list_few
from infoscope.tables.transformations import StatedCosts, find_scale, read_scale
from infoscope.typing import LabelsByName, LabelsLike

Prevalence = Literal["equal"] | Mapping[Any, float]


@dataclass(frozen=True)
class UncertaintyOptions:
    """Options of intervals, checked once; None as ``uncertainty`` for the values of the sample alone."""

    prior: Any = "default"
    level: float = 0.95
    sample_size: float | None = None
    seed: int = 0
    uncertainty: Literal["posterior"] | None = "posterior"

    def __post_init__(self) -> None:
        """Reject levels and sizes that mean nothing."""
        if self.uncertainty not in ("posterior", None):
            raise InputError(
                f"uncertainty is {self.uncertainty!r}; leave it out, or give None for values without intervals"
            )
        size = self.sample_size
        if size is not None and not 0 < size < float("inf"):
            raise InputError(f"the sample size is {size}; it must be a number above 0")


def describe_costs(costs: StatedCosts | None, tables: Sequence[Contingency]) -> Iterator[Finding]:
    """Yield what to say about stated costs: names without a class, an order that was assumed, and doubtful ones."""
    if costs is None or not tables:
        return
    first = costs.on(tables[0])
    if unused := costs.unused(tables):
        named = list_few(unused, 5)
        yield Finding("unused_costs", f"Costs of {named} are not used: no sample or prediction is of such a class.")
    if not costs.has_names:
        order = ", ".join(str(label) for label in first.system_labels[:8])
        more = ", …" if len(first.system_labels) > 8 else ""
        yield Finding("costs_by_position", f"The costs have no names; their columns are taken as {order}{more}.")
    assert first.costs is not None
    doubt = find_cost_doubt(first, first.costs.lay_out(first.truth_labels, first.system_labels))
    if doubt is not None:
        yield Finding("doubtful_costs", f"{doubt[0].upper()}{doubt[1:]}.", "warning")


def describe_groups(lines: Any) -> Iterator[Finding]:
    """Yield what to say about groups of rows: too few of them, or some without a usable row.

    ``lines`` holds the cell counts of each group.
    """
    is_used = lines.sum(axis=1) > 0
    groups, used = len(is_used), int(is_used.sum())
    if used < FEW_GROUPS:
        text = (
            f"There are only {used} groups. With fewer than {FEW_GROUPS}, how much they differ is hardly known, so "
            "intervals are wide and a gate is inconclusive; add groups, not rows."
        )
        yield Finding("few_groups", text, "warning", {"groups": used})
    if used < groups:
        text = (
            f"No row with both a true label and a prediction in {groups - used:,} of {groups:,} groups, so results are "
            "about the others; check why their labels are missing."
        )
        yield Finding("groups_without_rows", text, "warning", {"groups": groups, "without_rows": groups - used})


def find_label_problems(
    tables: Sequence[tuple[str, Contingency]], truth: str | None = None, reject: Label | None = None
) -> Iterator[Finding]:
    """Yield what to say about labels: blank ones, a positive class of many, a reject label that no row has.

    ``truth`` is the name of the column of true labels, where they were read from one, ``reject`` the declared label.
    """
    if reject is not None and not any(
        table.reject_column is not None and table.column_totals[table.reject_column] > 0 for _, table in tables
    ):
        used = [
            label
            for _, table in tables
            for label, total in zip(table.system_labels, table.column_totals, strict=True)
            if total > 0
        ]
        yield Finding(
            "reject_never_predicted",
            f"No prediction is {str(reject)!r}, which was declared as the reject label, so that nothing counts as "
            f"rejected. The predicted labels are {list_few(list(dict.fromkeys(used)), 8)}; check how it is spelled.",
            "warning",
            {"reject": str(reject)},
        )
    header = find_repeated_header(tables, truth)
    if header is not None:
        yield Finding("repeated_header", header, "warning")
    yield from describe_blank_labels(BlankLabels.of(tables))
    words = find_missing_words(tables)
    if words is not None:
        yield Finding("missing_words", words[0], "warning" if words[1] else "note")
    idle = next(filter(None, (describe_idle_positive(table) for _, table in tables)), None)
    if idle is not None:
        action = "Declare the rejections" if "--reject" in idle else "Leave out --positive"
        yield Finding("positive_without_effect", idle, "warning", action=action)


def describe_blank_labels(blanks: BlankLabels | None) -> Iterator[Finding]:
    """Yield the sentence about blank labels, with their rows as its evidence; nothing where there are none."""
    if blanks is not None:
        evidence = {name: dict(rows) for name, rows in blanks.rows.items()}
        yield Finding("blank_labels", str(blanks), "warning", evidence)


def check_order_and_costs(entry: Metric, name: str, *, ordinal: bool, costs: bool) -> None:
    """Reject a metric of ordered classes without their order, or of costs where none were stated."""
    if entry.card.family == "ordinal" and not ordinal:
        raise InputError(f"{name!r} is about ordered classes; state their order with ordinal= (--ordinal)")
    check_costs_stated(entry, stated=costs)


def check_costs_stated(entry: Metric, *, stated: bool) -> None:
    """Reject a metric of costs where none were stated."""
    if entry.card.family == "costs" and not stated:
        raise InputError(f"{entry.name} needs costs; state them with costs= (--costs FILE)")


def check_named_once(system: Sequence[str]) -> None:
    """Reject a column that is named as a system twice."""
    twice = next((name for name in system if list(system).count(name) > 1), None)
    if twice is not None:
        raise InputError(f"column {twice!r} is named twice; name each system once")


def name_predictions(y_pred: LabelsByName) -> dict[str, Any]:
    """Return predicted labels by the name of their system; one sequence is called "system".

    The columns of a frame of several are several systems.
    """
    columns = y_pred if isinstance(y_pred, Mapping) else frame_columns(y_pred)
    given = {f"y_pred[{name!r}]": labels for name, labels in y_pred.items()} if isinstance(y_pred, Mapping) else {}
    for name, labels in (given or {"y_pred": y_pred}).items():
        check_one_label_per_row(labels, name)
    if columns is None or (len(columns) == 1 and not isinstance(y_pred, Mapping)):
        return {"system": materialize_labels(y_pred)}
    if not columns:
        raise InputError("y_pred names no system; give labels, or a mapping of names to labels")
    return {str(name): materialize_labels(labels) for name, labels in columns.items()}


def materialize_labels(labels: LabelsLike) -> LabelsLike:
    """Return labels that can be gone through more than once: an iterator as a list, everything else as it is."""
    return list(labels) if isinstance(labels, Iterator) else labels


def pick_labels(source: object, truth: object, system: str | Sequence[str] | None) -> tuple[Any, dict[str, Any]] | None:
    """Return truth and predictions of a plain mapping of column names to labels; None for other sources."""
    if not isinstance(source, Mapping) or not isinstance(truth, str) or hasattr(source, "columns"):
        return None
    names = [system] if isinstance(system, str) else list(system or ())
    if not names:
        raise InputError("name at least one system column beside the truth")
    pick_columns((truth, *names), list(source), "the mapping")
    return source[truth], {name: source[name] for name in names}


Column = TypeVar("Column")


def pick_column(source: Mapping[str, Column], column: str | Column) -> Column:
    """Return a column of a mapping by its name; values that are given as such stay as they are."""
    if isinstance(column, str):
        pick_columns([column], list(source), "the mapping")
    return source[column] if isinstance(column, str) else column


def name_tables(source: object, system: object = None) -> dict[str, Contingency] | None:
    """Return tables by the name of their system if the source is a table or a mapping of tables; None for others."""
    if isinstance(source, Contingency):
        return {system if isinstance(system, str) else "system": source}
    if isinstance(source, Tables):
        return source.by_name()
    if isinstance(source, Mapping) and source and all(isinstance(item, Contingency) for item in source.values()):
        return {str(name): table for name, table in source.items()}
    return None


def check_rows(source: object, truth: object) -> None:
    """Reject what looks like labels or a matrix where rows are expected, with the way to ask for it."""
    if truth is not None and not isinstance(truth, str):
        raise InputError("truth is not the name of a column; give labels as (y_true, y_pred)")
    if truth is None and getattr(source, "ndim", 2) == 1:
        raise InputError("one sequence of labels is given; give the predictions beside it, as (y_true, y_pred)")
    if isinstance(source, (list, tuple)):
        is_matrix = bool(source) and all(isinstance(row, (list, tuple, np.ndarray)) for row in source)
    else:
        is_matrix = isinstance(source, np.ndarray) or type(source).__module__.startswith("scipy.sparse")
    if truth is None and is_matrix:
        raise InputError(
            "this is a matrix, not rows; give Contingency.from_matrix(counts), or labels as (y_true, y_pred)"
        )


@dataclass(frozen=True)
class StatedOrder:
    """The names of the classes from the lowest to the highest."""

    names: Any
    inferred: bool
    """True if it came with the column: predictions beyond it then mean that there is none."""

    def scale(self, table: Contingency) -> tuple[Label, ...] | None:
        """Return the classes of a table from the lowest to the highest; None where an inferred order does not fit."""
        labels = tuple(dict.fromkeys((*table.truth_labels, *table.system_labels)))
        if self.inferred and not set(labels) - {table.reject} <= set(self.names):
            return None
        return read_scale(self.names, labels, table.reject)


def find_class_order(source: Any, truth: str | None, ordinal: Sequence[Any] | str | bool | None) -> StatedOrder | None:
    """Return the order that the caller states, else that of an ordered categorical of true labels; False means none."""
    if ordinal is None:
        column = source
        if truth is not None and (isinstance(source, Mapping) or is_eager_frame(source)):
            names = list(getattr(source, "column_names", None) or getattr(source, "columns", source))
            column = source[truth] if isinstance(truth, str) and truth in names else None
        scale = find_scale(column)
        return None if scale is None or len(scale) < 2 else StatedOrder(scale, inferred=True)
    return None if ordinal is False else StatedOrder(ordinal, inferred=False)
