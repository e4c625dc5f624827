"""How two tables become the table of all their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from infoscope.errors import InputError
from infoscope.tables.construct import Cells, Declared, from_cells, moved, placed
from infoscope.tables.labels import Label, check_kinds
from infoscope.tables.missing import all_ignored

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency

__all__ = ["merged"]


def merged(one: Contingency, other: Contingency) -> Contingency:
    """The table of all rows of two tables."""
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
    """Refuse to add dates to times: the same day would be two classes."""
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
