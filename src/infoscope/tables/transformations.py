"""New tables from old: renamed, merged or chosen classes, sums, other frequencies, an order or costs of classes.

``Contingency`` offers most of them as methods. A re-weighted table keeps the counts that it came from, for their
uncertainty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.errors import InputError, UnknownNameError, did_you_mean, list_names, suggest_name
from infoscope.tables.construction import Cells, Declared, from_cells, move_codes, place_cells
from infoscope.tables.counting import Support, add_ignored
from infoscope.tables.encoding import on_one_calendar
from infoscope.tables.labels import Label, as_label, as_labels, check_kinds, check_unique, find_positive

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency, SideName


# ── classes and sums ─────────────────────────────────────────────────────────────────────────────


MAX_CHANCE_CELLS = 1 << 24
"""Cells of a chance table, all of which are filled."""


def _check_known(labels: Sequence[Label], table: Contingency, side: SideName) -> None:
    classes = (
        *(table.truth_labels if side != "system" else ()),
        *(table.system_labels if side != "truth" else ()),
    )
    for label in labels:
        if label not in classes:
            hint = did_you_mean(str(label), map(str, classes))
            raise UnknownNameError(f"there is no class {label!r} in this table" + (f"; {hint}" if hint else ""))


def _check_plain(table: Contingency, verb: str) -> None:
    if table.reweighting is not None:
        raise InputError(f"this table was re-weighted; {verb} the original table, then re-weight it")


def relabel(table: Contingency, names: Mapping[Label, Label], side: SideName) -> Contingency:
    """Rename classes."""
    _check_plain(table, "relabel")
    if not isinstance(names, Mapping):
        raise InputError(f"new names are {names!r}; give a mapping of classes to their new names, as {{'a': 'b'}}")
    _check_known(list(names), table, side)
    truth, system = table.truth_labels, table.system_labels
    if side != "system":
        truth = as_labels(names.get(label, label) for label in truth)
    if side != "truth":
        system = as_labels(names.get(label, label) for label in system)
    for labels, name in ((truth, "truth"), (system, "system")):
        if len(set(labels)) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            raise InputError(f"two {name} classes would both be called {twice!r}; use merge_classes to join classes")

    # The positive class stays the same one; it is stated where the new names alone would mean the other.
    positive, before = table.positive, table.positive_label
    if side != "system" and before is not None:
        renamed = as_label(names.get(before, before))
        positive = renamed if positive is not None or find_positive(truth) != renamed else None
    return replace(
        table,
        truth_labels=truth,
        system_labels=system,
        reject=as_label(names.get(table.reject, table.reject)) if table.reject is not None else None,
        positive=positive,
        declared=True,
        labelled=True,
    )


def merge_classes(table: Contingency, labels: Sequence[Label], into: Label | None, side: SideName) -> Contingency:
    """Join classes; cells that fall together are added."""
    _check_plain(table, "merge classes of")
    _check_known(labels, table, side)
    if len(set(labels)) < 2:
        raise InputError("merging takes at least two different classes")
    if table.reject is not None and table.reject in labels and side != "truth":
        raise InputError(f"{table.reject!r} is the reject label; it cannot be merged with a class")
    if into is not None:
        name = as_label(into)
    else:
        name = "+".join(map(str, labels)) if all(isinstance(label, str) for label in labels) else labels[0]
    truth, rows = _join(table.truth_labels, labels if side != "system" else (), name)
    system, columns = _join(table.system_labels, labels if side != "truth" else (), name)
    check_unique(truth, "truth")
    check_unique(system, "system")
    cells = Cells(truth, system, rows[table.cell_rows], columns[table.cell_columns], table.values.reshape(-1))
    positive = name if table.positive in labels and side != "system" else table.positive
    merged = place_cells(type(table), cells, (truth, system), Declared(None, table.reject, positive), declared=True)
    return replace(merged, ignored=table.ignored, weight_squares=table.weight_squares)


def _join(
    classes: Sequence[Label], members: Sequence[Label], name: Label
) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """Return the labels with the members as one, where the first of them stood, and where each class went."""
    representative = dict.fromkeys(members, members[0]) if members else {}
    joined = list(dict.fromkeys(representative.get(label, label) for label in classes))
    position = {label: i for i, label in enumerate(joined)}
    moves = [position[representative.get(label, label)] for label in classes]
    return tuple(name if label in representative else label for label in joined), np.array(moves, dtype=np.int64)


def make_independent(table: Contingency) -> Contingency:
    """Return the table with the same margins and no association; sparse tables of too many cells are rejected."""
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


def transpose(table: Contingency) -> Contingency:
    """Exchange truth and system."""
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


def select_classes(table: Contingency, labels: Iterable[Label]) -> Contingency:
    """Return the table of these classes on both sides, in this order, beside the reject column.

    Samples of another class, and samples predicted as one, are left out; classes that the table lacks are empty.
    """
    _check_plain(table, "choose classes of")
    truth = as_labels(labels)
    check_unique(truth, "truth")
    system = truth if table.reject is None else (*truth, table.reject)
    row_of, column_of = ({label: i for i, label in enumerate(side)} for side in (truth, system))
    rows = np.array([row_of.get(label, -1) for label in table.truth_labels], dtype=np.int64)[table.cell_rows]
    columns = np.array([column_of.get(label, -1) for label in table.system_labels], dtype=np.int64)[table.cell_columns]
    is_kept = (rows >= 0) & (columns >= 0)
    cells = Cells(truth, system, rows[is_kept], columns[is_kept], table.values.reshape(-1)[is_kept])
    if not is_kept.any() or not cells.values.any():
        raise InputError("no sample is of these classes and predicted as one of them; name classes that occur")
    positive = table.positive if table.positive in truth else None
    chosen = place_cells(type(table), cells, (truth, system), Declared(None, table.reject, positive), declared=True)
    return replace(chosen, ignored=table.ignored, weight_squares=table.weight_squares if is_kept.all() else None)


def add(one: Contingency, other: Contingency) -> Contingency:
    """Return the table of all rows of two tables."""
    # As if they were counted at once: midnights of the one are no dates beside other times of the other.
    parts = [
        labels
        for table in (one, other)
        for labels in (table.truth_labels, table.system_labels, (table.reject, table.positive))
    ]
    dated = [labels or () for labels in on_one_calendar(*parts)]
    if dated != parts:
        one, other = (
            replace(table, truth_labels=truth, system_labels=system, reject=stated[0], positive=stated[1])
            for table, (truth, system, stated) in ((one, dated[:3]), (other, dated[3:]))
        )
    _check_addable(one, other)

    declared = one.declared or other.declared
    positive = one.positive if one.positive is not None else other.positive
    has_same_labels = (one.truth_labels, one.system_labels) == (other.truth_labels, other.system_labels)
    if has_same_labels and not (one.is_sparse or other.is_sparse):
        total = replace(one, values=one.values + other.values, declared=declared, positive=positive)
    else:
        truth = tuple(dict.fromkeys((*one.truth_labels, *other.truth_labels)))
        system = tuple(dict.fromkeys((*one.system_labels, *other.system_labels)))
        rows = [move_codes(table.cell_rows, table.truth_labels, truth) for table in (one, other)]
        columns = [move_codes(table.cell_columns, table.system_labels, system) for table in (one, other)]
        values = [table.values.reshape(-1) for table in (one, other)]
        cells = Cells(truth, system, np.concatenate(rows), np.concatenate(columns), np.concatenate(values))
        stated = Declared(None, one.reject, positive)
        if declared and one.truth_labels == truth and one.system_labels == system:
            total = place_cells(type(one), cells, (truth, system), stated, declared=True)
        else:
            total = from_cells(type(one), cells, stated, declared=declared)

    squares = None
    if one.weight_squares is not None or other.weight_squares is not None:
        squares = sum(
            float(table.grand_total) if table.weight_squares is None else table.weight_squares for table in (one, other)
        )
    ignored = MappingProxyType(add_ignored((one.ignored, other.ignored)))
    return replace(total, ignored=ignored, weight_squares=squares)


def _check_addable(one: Contingency, other: Contingency) -> None:
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
    for sides in ((one.truth_labels, other.truth_labels), (one.system_labels, other.system_labels)):
        left, right = ([label for label in labels if label != one.reject] for labels in sides)
        check_kinds(left, right, called=("one table has", "the other has"))
        # of dates and times the same day would be two classes, and times with a zone compare with no others
        moments: list[dict[str, date]] = [{}, {}]
        for examples, labels in zip(moments, (left, right), strict=True):
            for label in labels:
                if isinstance(label, date):
                    has_zone = isinstance(label, datetime) and label.tzinfo is not None
                    kind = "zoned time" if has_zone else "time" if isinstance(label, datetime) else "date"
                    examples[kind] = label
        if moments[0] and moments[1] and moments[0].keys() != moments[1].keys():
            (kind, first), (other_kind, second) = (next(iter(by_kind.items())) for by_kind in moments)
            raise InputError(
                f"one table has {kind} labels ({first}) and the other has {other_kind} labels ({second}); "
                "count both from columns of one type"
            )


# ── other class frequencies ──────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class Reweighting:
    """The origin of a re-weighted table.

    Its uncertainty is that of the original counts within each class of ``axis``; the frequencies are exact by decree.
    """

    origin: Contingency
    axis: Literal["truth", "system"]
    shares: Real


def normalize_classes(table: Contingency, axis: Literal["truth", "system"]) -> Contingency:
    """Return shares within each class of one side; a class without data stays empty."""
    totals = table.row_totals if axis == "truth" else table.column_totals
    return _scale_classes(table, axis, (totals > 0).astype(np.float64))


def with_prevalence(table: Contingency, shares: Literal["equal"] | Mapping[Label, float]) -> Contingency:
    """Give the true classes stated shares; what the system does with each class stays as it was."""
    if isinstance(shares, str):
        if shares != "equal":
            raise UnknownNameError(f"prevalence {shares!r} is unknown; give 'equal' or a frequency for each label")
        wanted = (table.row_totals > 0).astype(np.float64)
    elif not isinstance(shares, Mapping):
        raise InputError(f"prevalence is {shares!r}; give 'equal', or a mapping of each true class to its frequency")
    else:
        for label in shares:
            if label not in table.truth_labels:
                raise UnknownNameError(f"prevalence names {label!r}, which is not a true class of this table")
        wanted = np.array([float(shares.get(label, np.nan)) for label in table.truth_labels])
        for label, share, rows in zip(table.truth_labels, wanted, table.row_totals, strict=True):
            if np.isnan(share):
                raise InputError(f"prevalence gives no frequency for true class {label!r}; give one for each class")
            if share < 0 or not np.isfinite(share):
                raise InputError(f"prevalence of {label!r} is {share}; it must be finite and at least 0")
            if share > 0 and rows == 0:
                raise InputError(
                    f"prevalence gives {label!r} a frequency of {share}, but the table has no sample of it to re-weight"
                )
        if wanted.sum() <= 0:
            raise InputError("prevalence gives no class a frequency above 0")
    return _scale_classes(table, "truth", wanted / wanted.sum(axis=-1, keepdims=True) * table.total)


def match_shares(table: Contingency, shares: Mapping[Any, float]) -> dict[Label, float]:
    """Return shares by the table's own labels, for labels that may have been written as text."""
    if not isinstance(shares, Mapping):
        raise InputError(f"prevalence is {shares!r}; give 'equal', or a mapping of each true class to its frequency")
    label_of = {str(label): label for label in table.truth_labels}
    for label in shares:
        if str(label) not in label_of:
            hint = suggest_name(label, label_of, "the classes are")
            raise UnknownNameError(f"prevalence names {str(label)!r}, which is not a true class; {hint}")
    return {label_of[str(label)]: share for label, share in shares.items()}


def _scale_classes(table: Contingency, axis: Literal["truth", "system"], shares: Real) -> Contingency:
    if table.reweighting is not None:
        raise InputError("this table was re-weighted already; re-weight the original table instead")
    totals = table.row_totals if axis == "truth" else table.column_totals
    factors = np.divide(shares, totals, out=np.zeros_like(shares), where=totals > 0)
    index = table.cell_rows if axis == "truth" else table.cell_columns
    scaled = table.with_cells(table.cells * factors[..., index])
    return replace(scaled, reweighting=Reweighting(table, axis, shares))


def reweight_draws(drawn: Contingency, recipe: Reweighting | None) -> Contingency:
    """Return the drawn tables with the stated share for each class; within a class they stay as drawn.

    So the uncertainty is that of the original counts of each class, and the shares have none.
    """
    if recipe is None:
        return drawn
    by_row = recipe.axis == "truth"
    totals = drawn.row_totals if by_row else drawn.column_totals
    factors = np.divide(recipe.shares, totals, out=np.zeros_like(totals), where=totals > 0)
    index = drawn.cell_rows if by_row else drawn.cell_columns
    return drawn.with_cells(drawn.cells * factors[..., index])


# ── the scale of ordered classes ─────────────────────────────────────────────────────────────────


def read_scale(ordinal: Any, present: Iterable[Label], reject: Label | None) -> tuple[Label, ...]:
    """Return the stated order, each label as the data have it; every class of the data must be in it."""
    names = getattr(ordinal, "categories", ordinal)
    if isinstance(names, str):
        names = [part.strip() for part in names.split(",")]
    try:
        given = as_labels(list(names))
    except TypeError:
        raise InputError(f"ordinal is {ordinal!r}; name the classes from the lowest to the highest") from None
    classes = [label for label in present if label != reject]
    label_of = {str(label): label for label in classes}
    scale = tuple(label if label in classes else label_of.get(str(label), label) for label in given)
    check_unique(scale, "ordinal")
    if len(scale) < 2:
        raise InputError("an order of classes needs at least two; name them from the lowest to the highest")
    if reject is not None and str(reject) in map(str, scale):
        raise InputError(
            f"the reject label {reject!r} is no class and has no place in the order; leave it out of ordinal"
        )
    lacking = [label for label in classes if label not in scale]
    if lacking:
        others = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
        unused = [label for label in scale if label not in classes]
        hint = (
            f"; {unused[0]!r} is named and does not occur: is that the one?" if unused else "; add it where it belongs"
        )
        raise InputError(f"class {lacking[0]!r}{others} is not in the order {list_names(scale)}{hint}")
    return scale


@dataclass(frozen=True)
class ScaleOrder:
    """Positions of rows, columns and stored cells that put the classes of a table in the order of a scale."""

    rows: list[int]
    columns: list[int]
    cells: NDArray[np.int64]
    support: Support | None


def order_classes(table: Contingency, truth: Sequence[Label], system: Sequence[Label]) -> ScaleOrder:
    """Return where the classes of a table go to stand in the order in which they are named; others come last."""
    places = []
    for labels, order in ((table.truth_labels, truth), (table.system_labels, system)):
        rank = {label: i for i, label in enumerate(order)}
        places.append(np.argsort([rank.get(label, len(rank)) for label in labels], kind="stable").tolist())
    rows, columns = places
    if table.support is None:
        cells = np.add.outer(np.array(rows, np.int64) * len(columns), np.array(columns, np.int64)).reshape(-1)
        return ScaleOrder(rows, columns, cells, None)
    new_rows, new_columns = np.argsort(rows)[table.support.rows], np.argsort(columns)[table.support.columns]
    cells = np.lexsort((new_columns, new_rows))
    return ScaleOrder(rows, columns, cells, Support(new_rows[cells], new_columns[cells]))


def sort_by_scale(table: Contingency, scale: Sequence[Label]) -> Contingency:
    """Return the same table with its classes in the order of the scale, a reject label last."""
    return replace(sort_classes(table, scale, scale), declared=True, ordinal=tuple(scale))


def sort_classes(table: Contingency, truth: Sequence[Label], system: Sequence[Label]) -> Contingency:
    """Return the same table with its true and predicted classes in the order in which they are named."""
    order = order_classes(table, truth, system)
    flat = table.values if table.is_sparse else table.values.reshape(*table.batch_shape, -1)
    values = flat[..., order.cells]
    estimation = table.estimation
    if estimation is not None:
        estimation = replace(estimation, draws=estimation.draws[:, order.rows][:, :, order.columns])
    return replace(
        table,
        estimation=estimation,
        truth_labels=tuple(table.truth_labels[i] for i in order.rows),
        system_labels=tuple(table.system_labels[i] for i in order.columns),
        values=values if table.is_sparse else values.reshape(*table.batch_shape, *table.shape),
        support=order.support,
    )


def find_scale(values: object) -> tuple[Label, ...] | None:
    """Return the order that a column has: an ordered categorical of pandas or Arrow, an enumeration of polars."""
    kind: Any = getattr(values, "dtype", None)
    if type(kind).__name__ == "CategoricalDtype":
        return as_labels(list(kind.categories)) if kind.ordered else None
    if type(kind).__name__ == "Enum" and type(kind).__module__.startswith("polars"):
        return as_labels(list(kind.categories))
    arrow = getattr(values, "type", None)
    if getattr(arrow, "ordered", False) is True:
        parts = [part.dictionary for part in getattr(values, "chunks", [values])]
        same = bool(parts) and all(part.equals(parts[0]) for part in parts)
        return as_labels(parts[0].to_pylist()) if same else None
    return None


# ── costs of predictions, stated by name or by position ──────────────────────────────────────────


@dataclass(frozen=True)
class CostMatrix:
    """The cost of every true class (rows) predicted as another (columns), by the names of the classes."""

    truth: tuple[str, ...]
    system: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]

    def lay_out(self, truth: Sequence[Label], system: Sequence[Label]) -> NDArray[np.float64]:
        """Return one cost per cell of a table with these classes."""
        rows, columns = ({name: code for code, name in enumerate(names)} for names in (self.truth, self.system))
        positions = [rows[str(label)] for label in truth], [columns[str(label)] for label in system]
        return np.asarray(self.values, dtype=np.float64)[np.ix_(*positions)]


@dataclass(frozen=True)
class StatedCosts:
    """Costs as they were given; without names they stand in the order of a table's classes."""

    truth: tuple[str, ...] | None
    system: tuple[str, ...] | None
    values: NDArray[np.float64]
    source: str = "the cost matrix"

    def on(self, table: Contingency) -> Contingency:
        """Return the table with the costs of its classes, and so the counts behind it where it was re-weighted."""
        costs = self._match(table)
        recipe = table.reweighting
        if recipe is not None:
            recipe = replace(recipe, origin=replace(recipe.origin, costs=costs))
        return replace(table, costs=costs, reweighting=recipe)

    def matrix(self, table: Contingency) -> CostMatrix:
        """Return all costs that were stated by name; without names, those of the table's classes."""
        if self.truth is None or self.system is None:
            return self._match(table)
        return CostMatrix(self.truth, self.system, _list_rows(self.values))

    @property
    def has_names(self) -> bool:
        """True if classes are named."""
        return self.truth is not None

    def unused(self, tables: Sequence[Contingency]) -> list[str]:
        """Return the names in the costs that are no class of any table."""
        named = dict.fromkeys((*(self.truth or ()), *(self.system or ())))
        occurring = {str(label) for table in tables for label in (*table.truth_labels, *table.system_labels)}
        return [name for name in named if name not in occurring]

    def _match(self, table: Contingency) -> CostMatrix:
        """Return the costs of a table's classes; reject costs that do not fit them."""
        truth, system = (tuple(map(str, labels)) for labels in (table.truth_labels, table.system_labels))
        if self.truth is None or self.system is None:
            if self.values.shape != table.shape:
                rows, columns = self.values.shape
                k, m = table.shape
                named = ", ".join(system[:6]) + (", …" if m > 6 else "")
                rejects = ", the reject label among them" if table.reject is not None else ""
                raise InputError(
                    f"{self.source} has {rows} × {columns} costs, and there are {k} true × {m} predicted classes "
                    f"({named}{rejects}); give one cost for each pair, or name the classes in a header and in front of "
                    "the rows"
                )
            return CostMatrix(truth, system, _list_rows(self.values))
        for side, wanted, known in (("row", truth, self.truth), ("column", system, self.system)):
            lacking = [name for name in wanted if name not in known]
            if not lacking:
                continue
            spare = [name for name in known if name not in wanted]
            near = get_close_matches(lacking[0], spare, n=1, cutoff=0.4)
            predicted = "reject label" if lacking[0] == str(table.reject) else "predicted class"
            kind = "true class" if side == "row" else predicted
            hint = f"; {near[0]!r} is named and does not occur: is that the one?" if near else ""
            more = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
            raise InputError(
                f"{self.source} has no {side} for the {kind} {lacking[0]!r}{more}; each true and predicted class needs "
                f"a cost{hint}"
            )
        return CostMatrix(truth, system, _list_rows(self.matrix(table).lay_out(truth, system)))


def _list_rows(values: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in values.tolist())
