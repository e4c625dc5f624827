"""The scale of ordered classes: as the caller states it, or as an ordered categorical column has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.tables.count import Support
from infoscope.tables.labels import Label, as_labels, check_unique

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency

__all__ = ["ScaleOrder", "in_label_order", "on_scale", "scale_of", "scale_order", "stated_scale"]


def stated_scale(ordinal: Any, present: Iterable[Label], reject: Label | None) -> tuple[Label, ...]:
    """The stated order, each name as the data spell it; every class of the data must be in it."""
    names = getattr(ordinal, "categories", ordinal)
    if isinstance(names, str):
        names = [part.strip() for part in names.split(",")]
    try:
        given = as_labels(list(names))
    except TypeError:
        raise InputError(f"ordinal is {ordinal!r}; name the classes from the lowest to the highest") from None
    known = [label for label in present if label != reject]
    spelt = {str(label): label for label in known}
    scale = tuple(label if label in known else spelt.get(str(label), label) for label in given)
    check_unique(scale, "ordinal")
    if len(scale) < 2:
        raise InputError("an order of classes needs at least two; name them from the lowest to the highest")
    if reject is not None and str(reject) in map(str, scale):
        raise InputError(
            f"the reject label {reject!r} is no class and has no place in the order; leave it out of ordinal"
        )
    lacking = [label for label in known if label not in scale]
    if lacking:
        others = f" (and {len(lacking) - 1} more)" if len(lacking) > 1 else ""
        unused = [label for label in scale if label not in known]
        hint = (
            f"; {unused[0]!r} is named and does not occur: is that the one?" if unused else "; add it where it belongs"
        )
        raise InputError(f"class {lacking[0]!r}{others} is not in the order {', '.join(map(repr, scale))}{hint}")
    return scale


@dataclass(frozen=True)
class ScaleOrder:
    """Where rows, columns and stored cells of a table go so that its classes stand in the order of a scale."""

    rows: list[int]
    columns: list[int]
    cells: NDArray[np.int64]
    support: Support | None


def scale_order(table: Contingency, scale: Sequence[Label]) -> ScaleOrder:
    """The order; a reject label comes last."""
    return _class_order(table, scale, scale)


def _class_order(table: Contingency, truth: Sequence[Label], system: Sequence[Label]) -> ScaleOrder:
    rows, columns = _places(table.truth_labels, truth), _places(table.system_labels, system)
    if table.support is None:
        cells = np.add.outer(np.array(rows, np.int64) * len(columns), np.array(columns, np.int64)).reshape(-1)
        return ScaleOrder(rows, columns, cells, None)
    moved = np.argsort(rows)[table.support.rows], np.argsort(columns)[table.support.columns]
    cells = np.lexsort((moved[1], moved[0]))
    return ScaleOrder(rows, columns, cells, Support(moved[0][cells], moved[1][cells]))


def _places(labels: Sequence[Label], order: Sequence[Label]) -> list[int]:
    places = {label: at for at, label in enumerate(order)}
    return sorted(range(len(labels)), key=lambda at: places.get(labels[at], len(places)))


def on_scale(table: Contingency, scale: Sequence[Label]) -> Contingency:
    """The same table with its classes in the order of the scale, a reject label last."""
    return replace(_rearranged(table, scale_order(table, scale)), declared=True, ordinal=tuple(scale))


def in_label_order(table: Contingency, truth: Sequence[Label], system: Sequence[Label]) -> Contingency:
    """The same table with its true and predicted classes in the order in which they are named."""
    return _rearranged(table, _class_order(table, truth, system))


def _rearranged(table: Contingency, order: ScaleOrder) -> Contingency:
    flat = table.values if table.is_sparse else table.values.reshape(*table.batch_shape, -1)
    values = flat[..., order.cells]
    estimation = table.estimation
    if estimation is not None:
        estimation = replace(estimation, draws=estimation.draws[:, order.rows][:, :, order.columns])
    return replace(
        table,
        estimation=estimation,
        truth_labels=tuple(table.truth_labels[at] for at in order.rows),
        system_labels=tuple(table.system_labels[at] for at in order.columns),
        values=values if table.is_sparse else values.reshape(*table.batch_shape, *table.shape),
        support=order.support,
    )


def scale_of(values: object) -> tuple[Label, ...] | None:
    """The order that a column of labels has: an ordered categorical of pandas or Arrow, an enumeration of polars."""
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
