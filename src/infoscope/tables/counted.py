"""What a table holds, and what follows from its numbers: margins, matches, one view for every way of storing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, column_sums, everywhere, frozen, group_sum, row_sums
from infoscope.errors import InputError
from infoscope.tables.costs import CostMatrix
from infoscope.tables.count import Support, summable
from infoscope.tables.estimation import Estimation
from infoscope.tables.labels import Label, positive_of, sorted_labels

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from scipy.sparse import csr_array

    from infoscope.tables.prevalence import Reweighting

__all__ = ["Counted", "by_fields", "effective_size"]


@dataclass(frozen=True, eq=False, repr=False)
class Counted:
    """Numbers of truth (rows) × system (columns) which are read-only; leading axes, if any, are a batch."""

    truth_labels: tuple[Label, ...]
    system_labels: tuple[Label, ...]
    values: NDArray[Any]
    """Dense: (..., k, m). Sparse: (..., stored cells), placed by ``support``."""
    support: Support | None = None
    reject: Label | None = None
    positive: Label | None = None
    declared: bool = True
    """Whether the label sets were stated, or follow from the rows and may grow together."""
    labelled: bool = True
    """False for a bare matrix, whose labels are just 0, 1, …"""
    ignored: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Rows left out, by reason."""
    weight_squares: float | None = None
    """Sum of the squared sample weights; None where the values are counts."""
    reweighting: Reweighting | None = None
    ordinal: tuple[Label, ...] | None = None
    """The scale of the classes, lowest first, where one was stated."""
    costs: CostMatrix | None = None
    """What each prediction costs, where costs were stated."""
    estimation: Estimation | None = None
    """Where the numbers are expected counts of a model: its draws, and what a reader must know."""
    _memo: dict[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Freeze the values; that labels are unique is seen to where they come in."""
        object.__setattr__(self, "values", summable(self.values))
        frozen((self.values, self.support))
        if self.positive is not None and self.positive not in self.truth_labels:
            raise InputError(
                f"positive label {self.positive!r} is not among the classes ({_listed(self.truth_labels)})"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by its fields: what was computed from them is computed again."""
        return by_fields(self)

    # ── facts ────────────────────────────────────────────────────────────────────────────────

    @property
    def shape(self) -> tuple[int, int]:
        """Number of declared truth and system classes."""
        return len(self.truth_labels), len(self.system_labels)

    @property
    def is_sparse(self) -> bool:
        """Whether only cells with data are stored."""
        return self.support is not None

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The leading axes: () for one table."""
        return self.values.shape[: -1 if self.is_sparse else -2]

    @property
    def counts(self) -> NDArray[Any] | csr_array:
        """The numbers: an array (..., k, m), or a SciPy sparse array for a table with many classes."""
        if self.support is None:
            return self.values
        from scipy.sparse import csr_array  # noqa: PLC0415 - not needed for dense tables

        if self.batch_shape:
            raise InputError(
                "a batch of sparse tables has no single matrix; use .cells with .cell_rows and .cell_columns"
            )
        return csr_array((self.values, (self.support.rows, self.support.columns)), shape=self.shape)

    @cached_property
    def total(self) -> float | Real:
        """Sum of everything: number of samples, or summed weight."""
        total = self.grand_total
        return float(total) if total.ndim == 0 else total

    @cached_property
    def sample_size(self) -> float | None:
        """How many independent samples the table was counted from; None where that is unknown.

        With sample weights it is the effective size (Σw)²/Σw²; a table of total 1 does not tell, nor do weights whose
        squares are too large or too small for a number.
        """
        if self.reweighting is not None:
            return self.reweighting.origin.sample_size
        total = float(np.max(self.grand_total))
        if self.weight_squares is not None:
            return effective_size(total, self.weight_squares) if _TINY <= self.weight_squares < np.inf else None
        return None if total <= 1.0 + 1e-9 and self.values.dtype.kind == "f" else total

    @cached_property
    def is_counts(self) -> bool:
        """Whether every value is a whole number of samples, each counted once."""
        if self.reweighting is not None:
            return False
        if self.weight_squares is not None and self.weight_squares != float(np.sum(self.grand_total)):
            return False
        if self.values.dtype.kind in "iu":
            return True
        if self.sample_size is None:
            return False
        parts = (self.values[..., :1], self.values)  # of drawn tables the first few numbers tell
        return all(bool(np.all(part == np.rint(part))) for part in parts)

    @cached_property
    def adds_exactly(self) -> bool:
        """Whether sums and differences of the values lose nothing: whole numbers below 2^53 in all."""
        return self.values.dtype.kind in "iu" and everywhere(self.grand_total < 2.0**53)

    @cached_property
    def squares_exactly(self) -> bool:
        """Whether products of two values, and sums of them, lose nothing: whole numbers below 2^26 in all."""
        return self.adds_exactly and everywhere(self.grand_total < 2.0**26)

    @cached_property
    def squares_in_range(self) -> bool:
        """Whether squares of values that matter beside the total are neither too large nor too small for numbers."""
        return everywhere((self.grand_total > 1e-100) & (self.grand_total < 1e100))

    # ── one view for dense, batched and sparse tables ───────────────────────────────────────────────

    @cached_property
    def cells(self) -> Real:
        """Values of the stored cells, (..., cells); every cell when dense."""
        flat = self.values if self.is_sparse else self.values.reshape(*self.batch_shape, -1)
        return frozen(flat.astype(np.float64, copy=False))

    @property
    def matrix(self) -> Real:
        """The cells of a dense table as they lie, (..., k, m)."""
        return self.cells.reshape(self.values.shape)

    @cached_property
    def cell_rows(self) -> NDArray[np.int64]:
        """Truth position of each cell."""
        if self.support is not None:
            return self.support.rows
        return frozen(np.repeat(np.arange(self.shape[0]), self.shape[1]))

    @cached_property
    def cell_columns(self) -> NDArray[np.int64]:
        """System position of each cell."""
        if self.support is not None:
            return self.support.columns
        return frozen(np.tile(np.arange(self.shape[1]), self.shape[0]))

    def at_rows(self, values: Real) -> Real:
        """Numbers per true class, (..., k), laid onto the cells, (..., cells)."""
        if self.support is not None:
            return values[..., self.support.rows]
        shape = (*values.shape, self.shape[1])
        return np.broadcast_to(values[..., :, None], shape).reshape(*values.shape[:-1], -1)

    def at_columns(self, values: Real) -> Real:
        """Numbers per system class, (..., m), laid onto the cells, (..., cells)."""
        if self.support is not None:
            return values[..., self.support.columns]
        shape = (*values.shape[:-1], *self.shape)
        return np.broadcast_to(values[..., None, :], shape).reshape(*values.shape[:-1], -1)

    def per_row(self, values: Real) -> Real:
        """Cell values, (..., cells), added up per true class, (..., k)."""
        if self.support is not None:
            return self.support.per_row(values, self.shape[0])
        return row_sums(values.reshape(*values.shape[:-1], *self.shape))

    def per_column(self, values: Real) -> Real:
        """Cell values, (..., cells), added up per system class, (..., m)."""
        if self.support is not None:
            return group_sum(self.support.columns, values, self.shape[1])
        return column_sums(values.reshape(*values.shape[:-1], *self.shape))

    @cached_property
    def row_totals(self) -> Real:
        """Samples per true class, (..., k)."""
        return self._margin(axis=-1)

    @cached_property
    def column_totals(self) -> Real:
        """Samples per system class, (..., m)."""
        return self._margin(axis=-2)

    def _margin(self, axis: int) -> Real:
        if self.support is None:
            summed = row_sums(self.values) if axis == -1 else column_sums(self.values)
            return frozen(summed.astype(np.float64, copy=False))
        return frozen(self.per_row(self.cells) if axis == -1 else self.per_column(self.cells))

    @cached_property
    def grand_total(self) -> Real:
        """Sum of all cells, per table of the batch; the row totals added up, so that one row alone is the whole."""
        return frozen(row_sums(self.row_totals))

    @cached_property
    def row_shares(self) -> Real:
        """Share of each true class, (..., k)."""
        return frozen(self.row_totals / self.grand_total[..., None])

    @cached_property
    def column_shares(self) -> Real:
        """Share of each prediction, (..., m)."""
        return frozen(self.column_totals / self.grand_total[..., None])

    @cached_property
    def row_squares(self) -> Real:
        """Squared cells added up per true class, (..., k)."""
        if self.support is None:
            return frozen(np.einsum("...ij,...ij->...i", self.matrix, self.matrix))
        return frozen(self.per_row(self.cells * self.cells))

    @cached_property
    def column_squares(self) -> Real:
        """Squared cells added up per system class, (..., m)."""
        if self.support is None:
            return frozen(np.einsum("...ij,...ij->...j", self.matrix, self.matrix))
        return frozen(self.per_column(self.cells * self.cells))

    @cached_property
    def occupied_shape(self) -> tuple[Any, Any]:
        """How many truth and system classes have data, per table of the batch."""
        if not self.batch_shape:
            return np.count_nonzero(self.row_totals), np.count_nonzero(self.column_totals)
        return frozen(((self.row_totals != 0).sum(axis=-1), (self.column_totals != 0).sum(axis=-1)))

    @cached_property
    def scale(self) -> tuple[Label, ...]:
        """Classes in their order: as stated, else as the labels stand, sorted where the two sides differ."""
        if self.ordinal is not None:
            return self.ordinal
        system = tuple(label for label in self.system_labels if label != self.reject)
        return self.truth_labels if self.truth_labels == system else sorted_labels({*self.truth_labels, *system})

    @cached_property
    def names_agree(self) -> bool:
        """Whether both sides have the same labels in the same order."""
        return self.truth_labels == self.system_labels

    @cached_property
    def matches(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Row and column positions of the labels that both sides have; the reject label never matches."""
        if self.names_agree:
            every = frozen(np.arange(len(self.truth_labels)))
            return every, every
        column_of = {label: i for i, label in enumerate(self.system_labels) if i != self.reject_column}
        pairs = [(i, column_of[label]) for i, label in enumerate(self.truth_labels) if label in column_of]
        array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return frozen((array[:, 0], array[:, 1]))

    @cached_property
    def diagonal(self) -> Real:
        """Samples predicted as their own label, one number per label that both sides have."""
        rows, columns = self.matches
        if self.support is None:
            if self.names_agree:
                return frozen(np.diagonal(self.values, axis1=-2, axis2=-1).astype(np.float64))
            return frozen(self.cells[..., rows * self.shape[1] + columns])
        column_of_row = np.full(self.shape[0], -1)
        column_of_row[rows] = columns
        hit = column_of_row[self.cell_rows] == self.cell_columns
        by_row = group_sum(self.cell_rows[hit], self.cells[..., hit], self.shape[0])
        return frozen(by_row[..., rows])

    @cached_property
    def matched_totals(self) -> tuple[Real, Real]:
        """Row and column totals of the labels that both sides have, in the order of ``matches``."""
        if self.names_agree:
            return self.row_totals, self.column_totals
        rows, columns = self.matches
        return frozen((self.row_totals.take(rows, axis=-1), self.column_totals.take(columns, axis=-1)))

    @property
    def reject_column(self) -> int | None:
        """Position of the reject label among the system labels."""
        return None if self.reject is None else self.system_labels.index(self.reject)

    @cached_property
    def is_aligned(self) -> bool:
        """Whether both sides name the same classes (the reject label aside)."""
        predictions = len(self.system_labels) - (self.reject is not None)
        return len(self.matches[0]) == len(self.truth_labels) == predictions

    @property
    def positive_label(self) -> Label | None:
        """The class that binary metrics are about: as stated, else by ``positive_of``; None unless there are two."""
        if self.positive is not None and len(self.truth_labels) == 2:
            return self.positive
        return positive_of(self.truth_labels)


def by_fields(record: DataclassInstance) -> tuple[Any, ...]:
    """What a frozen dataclass is pickled by: its class and its fields, whose read-only mappings are made anew."""
    facts = {each.name: getattr(record, each.name) for each in fields(record) if each.init}
    sealed = {name: dict(part) for name, part in facts.items() if isinstance(part, MappingProxyType)}
    return _rebuilt, (type(record), facts | sealed, tuple(sealed))


def _rebuilt(kind: type, facts: dict[str, Any], sealed: tuple[str, ...]) -> Any:
    return kind(**facts | {name: MappingProxyType(facts[name]) for name in sealed})


def effective_size(total: float, squares: float) -> float:
    """(Σw)²/Σw², also where the square of the sum is too large for a number."""
    return total**2 / squares if total < _LARGEST_SQUARED else total * (total / squares)


_LARGEST_SQUARED = 1e150
_TINY = float(np.finfo(np.float64).tiny)  # smaller numbers have fewer digits


def _listed(labels: Sequence[Label], most: int = 8) -> str:
    shown = ", ".join(repr(label) for label in labels[:most])
    return shown if len(labels) <= most else f"{shown}, … {len(labels) - most} more"
