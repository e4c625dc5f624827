"""Tables with renamed, merged, exchanged or chosen classes, and the table of all rows of two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from infoscope.errors import InputError, UnknownNameError, did_you_mean
from infoscope.tables.construct import Cells, Declared, from_cells, moved, placed
from infoscope.tables.count import Support
from infoscope.tables.encode import on_one_calendar
from infoscope.tables.labels import Label, as_label, as_labels, check_kinds, check_unique, positive_of
from infoscope.tables.missing import all_ignored

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency, SideName

__all__ = ["independent", "merged", "merged_classes", "of_classes", "relabelled", "transposed"]

MAX_CHANCE_CELLS = 1 << 24
"""Cells of a chance table, all of which are filled."""


def _check_known(labels: Sequence[Label], table: Contingency, side: SideName) -> None:
    known = {
        "truth": table.truth_labels,
        "system": table.system_labels,
        "both": (*table.truth_labels, *table.system_labels),
    }[side]
    for label in labels:
        if label not in known:
            hint = did_you_mean(str(label), map(str, known))
            raise UnknownNameError(f"there is no class {label!r} in this table" + (f"; {hint}" if hint else ""))


def _check_plain(table: Contingency, verb: str) -> None:
    if table.reweighting is not None:
        raise InputError(f"this table was re-weighted; {verb} the original table, then re-weight it")


def relabelled(table: Contingency, names: Mapping[Label, Label], side: SideName) -> Contingency:
    """Rename classes."""
    _check_plain(table, "relabel")
    if not isinstance(names, Mapping):
        raise InputError(f"new names are {names!r}; give a mapping of classes to their new names, as {{'a': 'b'}}")
    _check_known(list(names), table, side)
    truth = _renamed(table.truth_labels, names) if side != "system" else table.truth_labels
    system = _renamed(table.system_labels, names) if side != "truth" else table.system_labels
    for labels, name in ((truth, "truth"), (system, "system")):
        if len(set(labels)) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            raise InputError(f"two {name} classes would both be called {twice!r}; use merge_classes to join classes")
    return replace(
        table,
        truth_labels=truth,
        system_labels=system,
        reject=as_label(names.get(table.reject, table.reject)) if table.reject is not None else None,
        positive=table.positive if side == "system" else _renamed_positive(table, truth, names),
        declared=True,
        labelled=True,
    )


def _renamed_positive(table: Contingency, truth: Sequence[Label], names: Mapping[Label, Label]) -> Label | None:
    """The same class under its new name; stated where the new names alone would mean the other one."""
    before = table.positive if table.positive is not None else table.positive_label
    if before is None:
        return None
    now = as_label(names.get(before, before))
    return now if table.positive is not None or positive_of(truth) != now else None


def _renamed(labels: Sequence[Label], names: Mapping[Label, Label]) -> tuple[Label, ...]:
    return as_labels(names.get(label, label) for label in labels)


def merged_classes(table: Contingency, labels: Sequence[Label], into: Label | None, side: SideName) -> Contingency:
    """Join classes; cells that fall together are added."""
    _check_plain(table, "merge classes of")
    _check_known(labels, table, side)
    if len(set(labels)) < 2:
        raise InputError("merging takes at least two different classes")
    if table.reject is not None and table.reject in labels and side != "truth":
        raise InputError(f"{table.reject!r} is the reject label; it cannot be merged with a class")
    name = as_label(into) if into is not None else _joined(labels)
    truth, rows = _joined_side(table.truth_labels, labels, name, active=side != "system")
    system, columns = _joined_side(table.system_labels, labels, name, active=side != "truth")
    for labels_now, which in ((truth, "truth"), (system, "system")):
        check_unique(labels_now, which)
    cells = Cells(truth, system, rows[table.cell_rows], columns[table.cell_columns], table.values.reshape(-1))
    positive = name if table.positive in labels and side != "system" else table.positive
    merged = placed(type(table), cells, (truth, system), Declared(None, table.reject, positive), declared=True)
    return replace(merged, ignored=table.ignored, weight_squares=table.weight_squares)


def _joined(labels: Sequence[Label]) -> Label:
    return "+".join(str(label) for label in labels) if all(isinstance(x, str) for x in labels) else labels[0]


def _joined_side(
    own: Sequence[Label], labels: Sequence[Label], name: Label, *, active: bool
) -> tuple[tuple[Label, ...], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """The side's new labels, the merged class standing where its first member stood, and where each went."""
    if not active:
        return tuple(own), np.arange(len(own))
    members = set(labels)
    final: list[Label] = []
    moves = np.empty(len(own), dtype=np.int64)
    place: int | None = None
    for i, label in enumerate(own):
        if label in members:
            if place is None:
                place = len(final)
                final.append(name)
            moves[i] = place
        else:
            moves[i] = len(final)
            final.append(label)
    return tuple(final), moves


def independent(table: Contingency) -> Contingency:
    """The same margins without any association; every cell that a table of a million classes has would be too many."""
    size = table.shape[0] * table.shape[1]
    if table.is_sparse and size > MAX_CHANCE_CELLS:
        raise InputError(
            f"the chance table of {table.shape[0]:,} × {table.shape[1]:,} classes has {size:,} cells; "
            f"merge classes until there are at most {MAX_CHANCE_CELLS:,}"
        )
    total = table.grand_total[..., None, None]
    values = table.row_totals[..., :, None] * (table.column_totals[..., None, :] / np.where(total > 0, total, 1.0))
    return replace(
        table, values=values, support=None, weight_squares=None, reweighting=None, ignored=MappingProxyType({})
    )


def transposed(table: Contingency) -> Contingency:
    """Truth and system exchanged."""
    _check_plain(table, "transpose")
    if table.support is None:
        values = np.swapaxes(table.values, -1, -2).copy()
        support = None
    else:
        order = np.lexsort((table.support.rows, table.support.columns))
        values = table.values[..., order].copy()
        support = Support(table.support.columns[order], table.support.rows[order])
    keep_positive = table.positive if table.positive in table.system_labels else None
    return replace(
        table,
        truth_labels=table.system_labels,
        system_labels=table.truth_labels,
        values=values,
        support=support,
        reject=None,
        positive=keep_positive,
    )


def of_classes(table: Contingency, labels: Iterable[Label]) -> Contingency:
    """The table of these classes on both sides, in this order, beside the reject column.

    Samples of another class, and samples predicted as one, are left out; classes that the table lacks are empty.
    """
    _check_plain(table, "choose classes of")
    truth = as_labels(labels)
    check_unique(truth, "truth")
    system = truth if table.reject is None else (*truth, table.reject)
    rows, columns = (
        np.array([known.get(label, -1) for label in own], dtype=np.int64)
        for known, own in (
            ({label: at for at, label in enumerate(truth)}, table.truth_labels),
            ({label: at for at, label in enumerate(system)}, table.system_labels),
        )
    )
    at = rows[table.cell_rows], columns[table.cell_columns]
    kept = (at[0] >= 0) & (at[1] >= 0)
    cells = Cells(truth, system, at[0][kept], at[1][kept], table.values.reshape(-1)[kept])
    if not kept.any() or not cells.values.any():
        raise InputError("no sample is of these classes and predicted as one of them; name classes that occur")
    positive = table.positive if table.positive in truth else None
    chosen = placed(type(table), cells, (truth, system), Declared(None, table.reject, positive), declared=True)
    return replace(chosen, ignored=table.ignored, weight_squares=table.weight_squares if kept.all() else None)


def merged(one: Contingency, other: Contingency) -> Contingency:
    """The table of all rows of two tables."""
    one, other = _on_one_calendar(one, other)
    _check_mergeable(one, other)
    declared = one.declared or other.declared
    positive = one.positive if one.positive is not None else other.positive
    ignored = all_ignored((one.ignored, other.ignored))
    if (
        one.truth_labels == other.truth_labels
        and one.system_labels == other.system_labels
        and not (one.is_sparse or other.is_sparse)
    ):
        total = replace(one, values=one.values + other.values, declared=declared, positive=positive)
    else:
        total = _merged_cells(one, other, Declared(None, one.reject, positive), declared=declared)
    return replace(total, ignored=MappingProxyType(ignored), weight_squares=_merged_squares(one, other))


def _on_one_calendar(one: Contingency, other: Contingency) -> tuple[Contingency, Contingency]:
    """Two tables as if they were counted at once: midnights of the one are no dates beside other times of the other."""
    parts = [
        part
        for table in (one, other)
        for part in (table.truth_labels, table.system_labels, (table.reject, table.positive))
    ]
    found = [part or () for part in on_one_calendar(*parts)]
    if found == parts:
        return one, other
    return _with_labels(one, *found[:3]), _with_labels(other, *found[3:])


def _with_labels(
    table: Contingency, truth: tuple[Label, ...], system: tuple[Label, ...], stated: tuple[Label | None, ...]
) -> Contingency:
    return replace(table, truth_labels=truth, system_labels=system, reject=stated[0], positive=stated[1])


def _merged_squares(one: Contingency, other: Contingency) -> float | None:
    if one.weight_squares is None and other.weight_squares is None:
        return None
    return sum(
        float(table.grand_total) if table.weight_squares is None else table.weight_squares for table in (one, other)
    )


def _check_mergeable(one: Contingency, other: Contingency) -> None:
    if one.batch_shape or other.batch_shape:
        raise InputError("batches of tables do not add; add the tables first, then draw")
    if one.reweighting is not None or other.reweighting is not None:
        raise InputError("re-weighted tables do not add; add the original tables, then re-weight the sum")
    if one.reject != other.reject:
        raise InputError(
            f"one table rejects with {one.reject!r}, the other with {other.reject!r}; use one reject label"
        )
    if None not in (one.positive, other.positive) and one.positive != other.positive:
        raise InputError(
            f"one table has the positive label {one.positive!r}, the other {other.positive!r}; use one positive label"
        )
    for left, right in (
        (one.truth_labels, other.truth_labels),
        (one.system_labels, other.system_labels),
    ):
        check_kinds(
            [x for x in left if x != one.reject],
            [x for x in right if x != one.reject],
            called=("one table has", "the other has"),
        )
        _check_moments([x for x in left if x != one.reject], [x for x in right if x != one.reject])


def _check_moments(left: Sequence[Label], right: Sequence[Label]) -> None:
    """Reject to add dates to times: the same day would be two classes."""
    kinds = [{_moment_kind(label): label for label in labels if isinstance(label, date)} for labels in (left, right)]
    if kinds[0] and kinds[1] and kinds[0].keys() != kinds[1].keys():
        (one, first), (other, second) = (next(iter(found.items())) for found in kinds)
        raise InputError(
            f"one table has {one} labels ({first}) and the other has {other} labels ({second}); "
            "count both from columns of one type"
        )


def _moment_kind(label: date) -> str:
    if not isinstance(label, datetime):
        return "date"
    return "time" if label.tzinfo is None else "zoned time"


def _merged_cells(one: Contingency, other: Contingency, stated: Declared, *, declared: bool) -> Contingency:
    truth = _union(one.truth_labels, other.truth_labels)
    system = _union(one.system_labels, other.system_labels)
    parts = [
        (
            moved(table.cell_rows, table.truth_labels, truth),
            moved(table.cell_columns, table.system_labels, system),
            table.values.reshape(-1),
        )
        for table in (one, other)
    ]
    rows, columns, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    cells = Cells(truth, system, rows, columns, values)
    if declared and one.truth_labels == truth and one.system_labels == system:
        return placed(type(one), cells, (truth, system), stated, declared=True)
    return from_cells(type(one), cells, stated, declared=declared)


def _union(left: tuple[Label, ...], right: tuple[Label, ...]) -> tuple[Label, ...]:
    known = set(left)
    return (*left, *(label for label in right if label not in known))
