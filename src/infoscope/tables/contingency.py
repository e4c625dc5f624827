"""The contingency table: counts of truth × system with labels, and what follows from its numbers.

Margins, matches and cells are one view for dense, batched and sparse tables, and are computed once. How tables are made
is in ``construction``, how new ones are made from old in ``transformations``, their files in ``ifs_file``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import ShortRepr
from infoscope.core.numerics import Real, freeze_arrays, group_sum, holds_everywhere, sum_columns, sum_rows
from infoscope.core.validation import KeywordHints, validated
from infoscope.errors import InputError
from infoscope.tables import construction, ifs_file, transformations
from infoscope.tables.counting import Support, check_total, describe_ignored, make_summable
from infoscope.tables.labels import Label, find_positive, sorted_labels
from infoscope.tables.transformations import CostMatrix
from infoscope.typing import ArrayLike, Frame, LabelsLike

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from scipy.sparse import csr_array

    from infoscope.tables.transformations import Reweighting


@dataclass(frozen=True, eq=False, repr=False)
class Estimation(ShortRepr):
    """The origin of an estimated table."""

    caveat: str
    """Caveat that a reader of any number of the table must know first."""
    draws: Real
    """Draws of the table, (draws, k, m): their spread is the uncertainty of every metric."""
    has_interval: bool = True
    """True if the draws settle anything; where they do not, intervals are withheld."""
    basis: Literal["agreement", "judge"] = "agreement"
    """Basis of the estimate: the agreement of systems without any truth, or a judge and few labels."""
    moments: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Exact mean and sd by metric, where they are known better than from draws."""


SideName = Literal["both", "truth", "system"]


@dataclass(frozen=True, eq=False, repr=False)
class Contingency(KeywordHints):
    """Counts of truth (rows) × system (columns); leading axes, if any, are a batch of tables.

    Make one with ``from_labels``, ``from_matrix``, ``from_cells`` or ``from_rates``. Tables add up: the sum of two
    tables is the table of all their rows. All arrays are read-only.

    Examples
    --------
    >>> table = Contingency.from_labels(["cat", "cat", "dog"], ["cat", "dog", "dog"])
    >>> table
    Contingency of 3 samples, 2 truth × 2 system classes
              cat  dog
    cat         1    1
    dog         0    1
    >>> (table + table).total
    6.0
    """

    truth_labels: tuple[Label, ...]
    system_labels: tuple[Label, ...]
    values: NDArray[Any]
    """Dense: (..., k, m). Sparse: (..., stored cells), placed by ``support``."""
    support: Support | None = None
    reject: Label | None = None
    positive: Label | None = None
    declared: bool = True
    """True if the label sets were stated; else they follow from the rows and may grow together."""
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
    """Cost of each prediction, where costs were stated."""
    estimation: Estimation | None = None
    """Model of a table of expected counts: its draws, and what a reader must know."""
    _memo: dict[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Freeze the values; that labels are unique is seen to where they come in."""
        object.__setattr__(self, "values", make_summable(self.values))
        freeze_arrays((self.values, self.support))
        if self.positive is not None and self.positive not in self.truth_labels:
            names = ", ".join(map(repr, self.truth_labels[:8]))
            more = f", … {len(self.truth_labels) - 8} more" if len(self.truth_labels) > 8 else ""
            raise InputError(f"positive label {self.positive!r} is not among the classes ({names}{more})")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by fields: what was computed from them is computed again."""
        return reduce_by_fields(self)

    # ── ways in ──────────────────────────────────────────────────────────────────────────────

    @classmethod
    @validated()
    def from_labels(
        cls,
        y_true: LabelsLike,
        y_pred: LabelsLike,
        *,
        sample_weight: ArrayLike | None = None,
        labels: LabelsLike | None = None,
        reject: Label | None = None,
        positive: Label | None = None,
    ) -> Contingency:
        """Count two sequences of labels, paired row by row.

        Parameters
        ----------
        y_true, y_pred : sequences of labels
            Lists, arrays, Series or frames of one column, on the host or on a device. Rows pair by position; pandas
            objects whose indexes contradict that are rejected. Rows without a label (None, NaN, NaT, NA) are left out.
        sample_weight : sequence of float, optional
            Weight of each row, finite and not negative; a row without one is left out, as one without a label is.
        labels : sequence, pair of sequences or "own", optional
            The classes: one sequence for both sides, a pair of sequences, or "own" to keep the two sides apart
            (clusters). Without it both sides get the union where they share a label. Where it is only a part of the
            classes, rows of other classes, and rows predicted so, are left out.
        reject : label, optional
            Prediction that means "abstained".
        positive : label, optional
            The positive class of two.

        Returns
        -------
        Contingency
            Its ``ignored`` counts the rows that are left out; a ``MissingLabelsWarning`` says so.

        Raises
        ------
        InputError
            If the two differ in length, mix kinds of labels, or have no row with both labels.

        Examples
        --------
        >>> Contingency.from_labels([1, 0, 1], [1, 1, 1]).counts.tolist()
        [[0, 1], [0, 2]]
        """
        stated = construction.Declared(labels, reject, positive)
        return construction.from_labels(cls, y_true, y_pred, sample_weight, stated)

    @classmethod
    def from_matrix(
        cls,
        counts: ArrayLike | Frame,
        *,
        truth: Iterable[Label] | None = None,
        system: Iterable[Label] | None = None,
        reject: Label | None = None,
        positive: Label | None = None,
    ) -> Contingency:
        """Make a table of a matrix of counts or weights, true classes in rows.

        Parameters
        ----------
        counts : array, data frame or SciPy sparse matrix
            Leading axes are a batch. A frame names its own classes.
        truth, system : sequence of labels, optional
            Classes of rows and columns; 0, 1, … unless given. Of a square matrix one side is enough.
        reject, positive : label, optional
            The column that means "abstained", and the positive class of two.

        Returns
        -------
        Contingency
            In the caller's order of classes.

        Raises
        ------
        InputError
            If the matrix is empty, all zero, ragged, or holds something else than finite counts that are not negative.

        Examples
        --------
        >>> Contingency.from_matrix([[90, 0, 0], [0, 9, 1]], reject=2).system_labels
        (0, 1, 2)
        """
        return construction.from_matrix(cls, counts, truth, system, construction.Declared(None, reject, positive))

    @classmethod
    def from_cells(
        cls,
        truth_labels: Sequence[Label],
        system_labels: Sequence[Label],
        rows: ArrayLike,
        columns: ArrayLike,
        values: ArrayLike,
        *,
        declared: bool = False,
        reject: Label | None = None,
        positive: Label | None = None,
        ignored: Mapping[str, int] | None = None,
        weight_squares: float | None = None,
    ) -> Contingency:
        """Make a table of counted cells.

        Parameters
        ----------
        truth_labels, system_labels : sequence of labels
            Labels of the two sides.
        rows, columns : sequence of int
            Positions of each cell in the two lists.
        values : sequence of numbers
            What was counted there; cells named twice are added.
        declared : bool
            Keep the labels as they are; otherwise they are sorted, and both sides get the union where they share one.
        reject, positive : label, optional
            Prediction that means "abstained", and the positive class of two.
        ignored : mapping of str to int, optional
            Rows that were left out, by reason.
        weight_squares : float, optional
            Sum of the squared weights, where values are weights.

        Raises
        ------
        InputError
            If a cell lies outside the table, or its value is negative or not finite.
        """
        cells = construction.Cells(
            tuple(truth_labels), tuple(system_labels), np.asarray(rows), np.asarray(columns), np.asarray(values)
        )
        for name, places, size in (("row", cells.rows, len(cells.truth)), ("column", cells.columns, len(cells.system))):
            if places.size and not (places.min() >= 0 and places.max() < size):
                odd = places[(places < 0) | (places >= size)][0]
                raise InputError(f"a cell lies in {name} {odd} of a table with {size}; positions count from 0")
        if cells.values.dtype.kind not in "biuf":
            raise InputError(f"the cells hold {cells.values.dtype} values; give counts or weights as numbers")
        if cells.values.size and not (cells.values.min() >= 0 and cells.values.max() < np.inf):
            odd = cells.values[~((cells.values >= 0) & (cells.values < np.inf))][0]
            raise InputError(f"a cell holds {odd}; counts must be finite and not negative")
        check_total(cells.values)
        table = construction.from_cells(cls, cells, construction.Declared(None, reject, positive), declared=declared)
        return replace(table, ignored=MappingProxyType(dict(ignored or {})), weight_squares=weight_squares)

    @classmethod
    def from_rates(cls, *, accuracy: float, precision: float, recall: float) -> Contingency:
        """Recover the binary table, of total 1, behind a published accuracy, precision and recall.

        Raises
        ------
        InputError
            If a rate is not between 0 and 1, or no table has these three at once.

        Examples
        --------
        >>> table = Contingency.from_rates(accuracy=0.8, precision=0.5, recall=0.5)
        >>> [[round(float(x), 3) for x in row] for row in table.counts]
        [[0.1, 0.1], [0.1, 0.7]]
        """
        return construction.from_rates(cls, accuracy, precision, recall)

    @classmethod
    def load(cls, path: str | Path) -> Contingency:
        """Read a table written by ``save``."""
        return ifs_file.load(cls, Path(path))

    def save(self, path: str | Path) -> None:
        """Write the table, in one step, as Parquet with versioned metadata (docs/reference/table-format.md)."""
        ifs_file.save(self, Path(path))

    # ── new tables from old ──────────────────────────────────────────────────────────────────────

    def with_cells(self, values: ArrayLike) -> Contingency:
        """Return the same labels and stored cells with other values, (..., cells): how draws become tables.

        Values are copied unless they are read-only.
        """
        is_fixed = isinstance(values, np.ndarray) and not values.flags.writeable
        array = np.asarray(values, np.float64) if is_fixed else np.array(values, np.float64)
        shaped = array if self.is_sparse else array.reshape(*array.shape[:-1], *self.shape)
        table = replace(self, values=shaped, weight_squares=None, reweighting=None, estimation=None)
        for shared in ("matches", "cell_rows", "cell_columns", "is_aligned"):
            if shared in self.__dict__:
                table.__dict__[shared] = self.__dict__[shared]
        return table

    def __add__(self, other: Contingency) -> Contingency:
        """Return the table of all rows of both."""
        if not isinstance(other, Contingency):
            return NotImplemented
        return transformations.add(self, other)

    def __radd__(self, other: object) -> Contingency:
        """Let ``sum(tables)`` work."""
        return self if other == 0 else NotImplemented

    def relabel(self, names: Mapping[Label, Label], *, side: SideName = "both") -> Contingency:
        """Rename classes, on one side or both; two classes may not end with one name."""
        return transformations.relabel(self, names, side)

    def merge_classes(
        self, labels: Sequence[Label], *, into: Label | None = None, side: SideName = "both"
    ) -> Contingency:
        """Treat several classes as one, named ``into`` (by default their names joined by "+")."""
        return transformations.merge_classes(self, labels, into, side)

    def transpose(self) -> Contingency:
        """Exchange truth and system; a reject label becomes an ordinary class."""
        return transformations.transpose(self)

    def given_truth(self) -> Contingency:
        """Return each true class's predictions as shares of that class: every occupied row sums to 1."""
        return transformations.normalize_classes(self, "truth")

    def given_system(self) -> Contingency:
        """Return each prediction's truths as shares of that prediction: every occupied column sums to 1."""
        return transformations.normalize_classes(self, "system")

    def independent(self) -> Contingency:
        """Return the chance table: the same margins and total, truth and system independent of each other.

        >>> table = Contingency.from_matrix([[6, 2], [0, 4]])
        >>> [[float(x) for x in row] for row in table.independent().counts]
        [[4.0, 4.0], [2.0, 2.0]]
        """
        return transformations.make_independent(self)

    def with_prevalence(self, shares: Literal["equal"] | Mapping[Label, float]) -> Contingency:
        """Return the table this system would give if the true classes had other frequencies; same total.

        Stated shares are relative: they are divided by their sum.
        """
        return transformations.with_prevalence(self, shares)

    # ── facts ────────────────────────────────────────────────────────────────────────────────

    @property
    def shape(self) -> tuple[int, int]:
        """Number of declared truth and system classes."""
        return len(self.truth_labels), len(self.system_labels)

    @property
    def is_sparse(self) -> bool:
        """True if only cells with data are stored."""
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
        """Number of independent samples that the table was counted from; None where that is unknown.

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
        """True if every value is a whole number of samples, each counted once."""
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
        """True if sums and differences of the values lose nothing: whole numbers below 2^53 in all."""
        return self.values.dtype.kind in "iu" and holds_everywhere(self.grand_total < 2.0**53)

    @cached_property
    def squares_exactly(self) -> bool:
        """True if products of two values, and sums of them, lose nothing: whole numbers below 2^26 in all."""
        return self.adds_exactly and holds_everywhere(self.grand_total < 2.0**26)

    @cached_property
    def squares_in_range(self) -> bool:
        """True if squares of values that matter beside the total are neither too large nor too small for numbers."""
        return holds_everywhere((self.grand_total > 1e-100) & (self.grand_total < 1e100))

    # ── one view for dense, batched and sparse tables ───────────────────────────────────────────────

    @cached_property
    def cells(self) -> Real:
        """Values of the stored cells, (..., cells); every cell when dense."""
        flat = self.values if self.is_sparse else self.values.reshape(*self.batch_shape, -1)
        return freeze_arrays(flat.astype(np.float64, copy=False))

    @property
    def matrix(self) -> Real:
        """The cells of a dense table as they lie, (..., k, m)."""
        return self.cells.reshape(self.values.shape)

    @cached_property
    def cell_rows(self) -> NDArray[np.int64]:
        """Truth position of each cell."""
        if self.support is not None:
            return self.support.rows
        return freeze_arrays(np.repeat(np.arange(self.shape[0]), self.shape[1]))

    @cached_property
    def cell_columns(self) -> NDArray[np.int64]:
        """System position of each cell."""
        if self.support is not None:
            return self.support.columns
        return freeze_arrays(np.tile(np.arange(self.shape[1]), self.shape[0]))

    def at_rows(self, values: Real) -> Real:
        """Lay numbers per true class, (..., k), onto the cells, (..., cells)."""
        if self.support is not None:
            return values[..., self.support.rows]
        shape = (*values.shape, self.shape[1])
        return np.broadcast_to(values[..., :, None], shape).reshape(*values.shape[:-1], -1)

    def at_columns(self, values: Real) -> Real:
        """Lay numbers per system class, (..., m), onto the cells, (..., cells)."""
        if self.support is not None:
            return values[..., self.support.columns]
        shape = (*values.shape[:-1], *self.shape)
        return np.broadcast_to(values[..., None, :], shape).reshape(*values.shape[:-1], -1)

    def per_row(self, values: Real) -> Real:
        """Add cell values, (..., cells), up per true class, (..., k)."""
        if self.support is not None:
            return self.support.per_row(values, self.shape[0])
        return sum_rows(values.reshape(*values.shape[:-1], *self.shape))

    def per_column(self, values: Real) -> Real:
        """Add cell values, (..., cells), up per system class, (..., m)."""
        if self.support is not None:
            return group_sum(self.support.columns, values, self.shape[1])
        return sum_columns(values.reshape(*values.shape[:-1], *self.shape))

    @cached_property
    def row_totals(self) -> Real:
        """Samples per true class, (..., k)."""
        if self.support is None:
            return freeze_arrays(sum_rows(self.values).astype(np.float64, copy=False))
        return freeze_arrays(self.per_row(self.cells))

    @cached_property
    def column_totals(self) -> Real:
        """Samples per system class, (..., m)."""
        if self.support is None:
            return freeze_arrays(sum_columns(self.values).astype(np.float64, copy=False))
        return freeze_arrays(self.per_column(self.cells))

    @cached_property
    def grand_total(self) -> Real:
        """Sum of all cells, per table of the batch; the row totals added up, so that one row alone is the whole."""
        return freeze_arrays(sum_rows(self.row_totals))

    @cached_property
    def row_shares(self) -> Real:
        """Share of each true class, (..., k)."""
        return freeze_arrays(self.row_totals / self.grand_total[..., None])

    @cached_property
    def column_shares(self) -> Real:
        """Share of each prediction, (..., m)."""
        return freeze_arrays(self.column_totals / self.grand_total[..., None])

    @cached_property
    def row_squares(self) -> Real:
        """Squared cells added up per true class, (..., k)."""
        if self.support is None:
            return freeze_arrays(np.einsum("...ij,...ij->...i", self.matrix, self.matrix))
        return freeze_arrays(self.per_row(self.cells * self.cells))

    @cached_property
    def column_squares(self) -> Real:
        """Squared cells added up per system class, (..., m)."""
        if self.support is None:
            return freeze_arrays(np.einsum("...ij,...ij->...j", self.matrix, self.matrix))
        return freeze_arrays(self.per_column(self.cells * self.cells))

    @cached_property
    def occupied_shape(self) -> tuple[Any, Any]:
        """Numbers of truth and system classes that have data, per table of the batch."""
        if not self.batch_shape:
            return np.count_nonzero(self.row_totals), np.count_nonzero(self.column_totals)
        return freeze_arrays(((self.row_totals != 0).sum(axis=-1), (self.column_totals != 0).sum(axis=-1)))

    @cached_property
    def scale(self) -> tuple[Label, ...]:
        """Classes in their order: as stated, else as the labels stand, sorted where the two sides differ."""
        if self.ordinal is not None:
            return self.ordinal
        system = tuple(label for label in self.system_labels if label != self.reject)
        return self.truth_labels if self.truth_labels == system else sorted_labels({*self.truth_labels, *system})

    @cached_property
    def names_agree(self) -> bool:
        """True if both sides have the same labels in the same order."""
        return self.truth_labels == self.system_labels

    @cached_property
    def matches(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Row and column positions of the labels that both sides have; the reject label never matches."""
        if self.names_agree:
            every = freeze_arrays(np.arange(len(self.truth_labels)))
            return every, every
        column_of = {label: i for i, label in enumerate(self.system_labels) if i != self.reject_column}
        pairs = [(i, column_of[label]) for i, label in enumerate(self.truth_labels) if label in column_of]
        array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return freeze_arrays((array[:, 0], array[:, 1]))

    @cached_property
    def diagonal(self) -> Real:
        """Samples predicted as their own label, one number per label that both sides have."""
        rows, columns = self.matches
        if self.support is None:
            if self.names_agree:
                return freeze_arrays(np.diagonal(self.values, axis1=-2, axis2=-1).astype(np.float64))
            return freeze_arrays(self.cells[..., rows * self.shape[1] + columns])
        column_of_row = np.full(self.shape[0], -1)
        column_of_row[rows] = columns
        hit = column_of_row[self.cell_rows] == self.cell_columns
        by_row = group_sum(self.cell_rows[hit], self.cells[..., hit], self.shape[0])
        return freeze_arrays(by_row[..., rows])

    @cached_property
    def matched_totals(self) -> tuple[Real, Real]:
        """Row and column totals of the labels that both sides have, in the order of ``matches``."""
        if self.names_agree:
            return self.row_totals, self.column_totals
        rows, columns = self.matches
        return freeze_arrays((self.row_totals.take(rows, axis=-1), self.column_totals.take(columns, axis=-1)))

    @property
    def reject_column(self) -> int | None:
        """Position of the reject label among the system labels."""
        return None if self.reject is None else self.system_labels.index(self.reject)

    @cached_property
    def is_aligned(self) -> bool:
        """True if both sides name the same classes (the reject label aside)."""
        predictions = len(self.system_labels) - (self.reject is not None)
        return len(self.matches[0]) == len(self.truth_labels) == predictions

    @property
    def positive_label(self) -> Label | None:
        """The class that binary metrics are about: as stated, else by ``find_positive``; None unless there are two."""
        if self.positive is not None and len(self.truth_labels) == 2:
            return self.positive
        return find_positive(self.truth_labels)

    # ── as an object ─────────────────────────────────────────────────────────────────────────────

    def __eq__(self, other: object) -> bool:
        """Compare labels and their order, numbers, reject label and positive class."""
        if not isinstance(other, Contingency):
            return NotImplemented
        names, other_names = (
            (table.truth_labels, table.system_labels, table.reject, table.positive_label) for table in (self, other)
        )
        if names != other_names:
            return False
        if self.is_sparse != other.is_sparse:
            return bool(abs(self.counts - other.counts).sum() == 0)
        has_same_cells = self.support is None or (
            other.support is not None
            and np.array_equal(self.support.rows, other.support.rows)
            and np.array_equal(self.support.columns, other.support.columns)
        )
        return has_same_cells and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        """Return equal hashes for equal tables."""
        return hash((self.truth_labels, self.system_labels, self.reject, float(np.sum(self.grand_total))))

    def __repr__(self) -> str:
        """Return a small table whole, a large one in a line."""
        return format_table(self)

    def __str__(self) -> str:
        """Return the same, and below it the joint and the marginal probabilities where there are few.

        >>> print(Contingency.from_matrix([[3, 1], [0, 4]], truth=["cat", "dog"]))
        Contingency of 8 samples, 2 truth × 2 system classes
                  cat  dog
        cat         3    1
        dog         0    4
        joint and marginal probabilities
                      cat     dog  p(truth)
        cat        0.3750  0.1250    0.5000
        dog        0.0000  0.5000    0.5000
        p(system)  0.3750  0.6250
        """
        if self.batch_shape or self.is_sparse or max(self.shape) > _WHOLE or not self.grand_total > 0:
            return format_table(self)
        total = float(self.grand_total)
        rows = [["", *map(str, self.system_labels), "p(truth)"]]
        for label, row, sum_ in zip(self.truth_labels, self.values, self.row_totals, strict=True):
            rows.append([str(label), *(f"{value / total:.4f}" for value in (*row, sum_))])
        rows.append(["p(system)", *(f"{value / total:.4f}" for value in self.column_totals), ""])
        return "\n".join([format_table(self), "joint and marginal probabilities", *_align_columns(rows)])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand the cells to any library that reads Arrow, as rows of truth, system and count.

        A dense table has every cell, a sparse one those that were counted. Labels of several types become text.
        """
        if self.batch_shape:
            raise InputError("a batch of tables is no table of rows; hand over one of its tables")
        try:
            import pyarrow as pa  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise InputError("a table becomes Arrow by pyarrow; pip install 'infoscope[arrow]'") from error
        columns = {}
        for side, labels, places in (
            ("truth", self.truth_labels, self.cell_rows),
            ("system", self.system_labels, self.cell_columns),
        ):
            is_uniform = len({type(label) for label in labels}) == 1
            columns[side] = pa.array(labels if is_uniform else list(map(str, labels))).take(pa.array(places))
        columns["count"] = pa.array(self.values.reshape(-1))
        return pa.table(columns).__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        report: Any = importlib.import_module("infoscope.reports.notebook")  # the one step upwards, by name
        return str(report.render_table(self))


def reduce_by_fields(record: DataclassInstance) -> tuple[Any, ...]:
    """Return what a frozen dataclass is pickled by: its class and fields, whose read-only mappings are made anew."""
    facts = {item.name: getattr(record, item.name) for item in fields(record) if item.init}
    sealed = {name: dict(part) for name, part in facts.items() if isinstance(part, MappingProxyType)}
    return _rebuild, (type(record), facts | sealed, tuple(sealed))


def _rebuild(kind: type, facts: dict[str, Any], sealed: tuple[str, ...]) -> Any:
    return kind(**facts | {name: MappingProxyType(facts[name]) for name in sealed})


def effective_size(total: float, squares: float) -> float:
    """Return (Σw)²/Σw², also where the square of the sum is too large for a number."""
    return total**2 / squares if total < _LARGEST_SQUARED else total * (total / squares)


_LARGEST_SQUARED = 1e150
_TINY = float(np.finfo(np.float64).tiny)  # smaller numbers have fewer digits


Kept = TypeVar("Kept")


def remembered(compute: Callable[[Contingency], Kept]) -> Callable[[Contingency], Kept]:
    """Keep a function's result with the table, however many metrics ask for it; what is kept is read-only."""
    key = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def look_up(table: Contingency) -> Kept:
        kept = table._memo
        if key not in kept:
            kept[key] = freeze_arrays(compute(table))
        return kept[key]

    return look_up


# ── a table as plain text ────────────────────────────────────────────────────────────────────────


_WHOLE = 12


def format_table(table: Contingency) -> str:
    """Return a headline, and the numbers themselves when there are few."""
    k, m = table.shape
    # of a batch the total of all tables, or the least and the largest; draws differ by rounding only
    totals = np.unique(np.asarray(table.grand_total))
    ends = [_format_number(float(f"{end:.12g}")) for end in (totals[0], totals[-1])] if totals.size else ["0", "0"]
    total = ends[0] if ends[0] == ends[1] else " to ".join(ends)
    kind = "samples" if table.sample_size is not None and table.weight_squares is None else "total weight"
    batch = f"{int(np.prod(table.batch_shape))} tables, each " if table.batch_shape else ""
    head = f"Contingency of {batch}{total} {kind}, {k} truth × {m} system classes"
    if table.reject is not None:
        head += f", {table.reject!r} = rejected"
    if table.is_sparse:
        head += f", {table.cells.shape[-1]} cells stored"
    lost = [describe_ignored(count, reason) for reason, count in table.ignored.items()]
    if table.batch_shape or table.is_sparse or max(k, m) > _WHOLE:
        return "\n".join([head, *lost])
    rows = [["", *map(str, table.system_labels)]]
    rows += [
        [str(label), *(_format_number(value) for value in row)]
        for label, row in zip(table.truth_labels, table.values, strict=True)
    ]
    return "\n".join([head, *_align_columns(rows), *lost])


def _align_columns(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    widths[0] = max(widths[0], 8)
    for row in rows:
        cells = (cell.rjust(width + 2) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield (row[0].ljust(widths[0]) + "".join(cells)).rstrip()


def _format_number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{float(value):.4g}"
