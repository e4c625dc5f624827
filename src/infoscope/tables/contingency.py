"""The contingency table: counts of truth × system, with labels; ways in, and new tables from old."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypedDict, TypeVar, Unpack

import numpy as np

from infoscope.core.numerics import frozen
from infoscope.errors import check_keywords
from infoscope.tables import construct, ifs_file, matrix, prevalence, text, transform
from infoscope.tables.cell_checks import check_cells
from infoscope.tables.count import Support
from infoscope.tables.counted import Counted
from infoscope.tables.labels import Label
from infoscope.typing import ArrayLike, Frame, LabelsLike

__all__ = ["Contingency", "Support", "remembered"]

SideName = Literal["both", "truth", "system"]


class CellsKeywords(TypedDict, total=False):
    """What labels mean and what was left out, as keyword arguments."""

    reject: Label | None
    positive: Label | None
    ignored: Mapping[str, int] | None
    weight_squares: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Contingency(Counted):
    """Counts of truth (rows) × system (columns); leading axes, if any, are a batch of tables.

    Make one with ``from_labels``, ``from_matrix``, ``from_cells`` or ``from_rates``. Tables add up: the sum of two
    tables is the table of all their rows.

    >>> table = Contingency.from_labels(["cat", "cat", "dog"], ["cat", "dog", "dog"])
    >>> table
    Contingency of 3 samples, 2 truth × 2 system classes
              cat  dog
    cat         1    1
    dog         0    1
    >>> (table + table).total
    6.0
    """

    # ── ways in ──────────────────────────────────────────────────────────────────────────────

    @classmethod
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
        """Count two sequences of labels, paired row by row: lists, arrays, Series, frames of one column.

        ``labels`` states the classes: one sequence for both sides, a pair of sequences, or "own" to keep the two
        sides apart (clusters). Without it both sides get the union where they share a label. Where it is only a part
        of the classes, rows of other classes, and rows predicted so, are left out. Rows without a label (None, NaN,
        NaT, NA) are left out, too; ``ignored`` counts both, and a ``MissingLabelsWarning`` says so. Rows pair by
        position; pandas objects whose indexes contradict that are rejected.
        """
        return construct.from_labels(cls, y_true, y_pred, sample_weight, construct.Declared(labels, reject, positive))

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
        """A table from counts or weights: array (leading axes are a batch), data frame with labels, or SciPy sparse.

        >>> Contingency.from_matrix([[90, 0, 0], [0, 9, 1]], reject=2).system_labels
        (0, 1, 2)
        """
        return matrix.from_matrix(cls, counts, truth, system, construct.Declared(None, reject, positive))

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
        **facts: Unpack[CellsKeywords],
    ) -> Contingency:
        """A table from counted cells: positions in the two label lists and what was counted there.

        Cells named twice are added. Unless ``declared``, the labels are sorted and both sides get the union where
        they share a label.
        """
        cells = construct.Cells(
            tuple(truth_labels),
            tuple(system_labels),
            np.asarray(rows),
            np.asarray(columns),
            np.asarray(values),
        )
        check_keywords(facts, CellsKeywords)
        check_cells(cells.rows, cells.columns, cells.values, (len(cells.truth), len(cells.system)))
        meaning = construct.Declared(None, facts.get("reject"), facts.get("positive"))
        table = construct.from_cells(cls, cells, meaning, declared=declared)
        ignored = MappingProxyType(dict(facts.get("ignored") or {}))
        return replace(table, ignored=ignored, weight_squares=facts.get("weight_squares"))

    @classmethod
    def from_rates(cls, *, accuracy: float, precision: float, recall: float) -> Contingency:
        """The binary table, of total 1, behind a published accuracy, precision and recall.

        >>> table = Contingency.from_rates(accuracy=0.8, precision=0.5, recall=0.5)
        >>> [[round(float(x), 3) for x in row] for row in table.counts]
        [[0.1, 0.1], [0.1, 0.7]]
        """
        return matrix.from_rates(cls, accuracy, precision, recall)

    @classmethod
    def load(cls, path: str | Path) -> Contingency:
        """Read a table written by ``save``."""
        return ifs_file.load(cls, Path(path))

    def save(self, path: str | Path) -> None:
        """Write the table, in one step, as Parquet with versioned metadata (docs/table-format.md)."""
        ifs_file.save(self, Path(path))

    # ── new tables from old ──────────────────────────────────────────────────────────────────────

    def with_cells(self, values: ArrayLike) -> Contingency:
        """The same labels and stored cells with other values, (..., cells): how draws become tables.

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
        """The table of all rows of both."""
        if not isinstance(other, Contingency):
            return NotImplemented
        return transform.merged(self, other)

    def __radd__(self, other: object) -> Contingency:
        """Let ``sum(tables)`` work."""
        return self if other == 0 else NotImplemented

    def relabel(self, names: Mapping[Label, Label], *, side: SideName = "both") -> Contingency:
        """Rename classes, on one side or both; two classes may not end with one name."""
        return transform.relabelled(self, names, side)

    def merge_classes(
        self, labels: Sequence[Label], *, into: Label | None = None, side: SideName = "both"
    ) -> Contingency:
        """Treat several classes as one, named ``into`` (by default their names joined by "+")."""
        return transform.merged_classes(self, labels, into, side)

    def transpose(self) -> Contingency:
        """Truth and system exchanged; a reject label becomes an ordinary class."""
        return transform.transposed(self)

    def given_truth(self) -> Contingency:
        """Each true class's predictions as shares of that class: every occupied row sums to 1."""
        return prevalence.given(self, "truth")

    def given_system(self) -> Contingency:
        """Each prediction's truths as shares of that prediction: every occupied column sums to 1."""
        return prevalence.given(self, "system")

    def independent(self) -> Contingency:
        """The chance table: the same margins and total, truth and system independent of each other.

        >>> table = Contingency.from_matrix([[6, 2], [0, 4]])
        >>> [[float(x) for x in row] for row in table.independent().counts]
        [[4.0, 4.0], [2.0, 2.0]]
        """
        return transform.independent(self)

    def with_prevalence(self, shares: Literal["equal"] | Mapping[Label, float]) -> Contingency:
        """The table this system would give if the true classes had other frequencies; same total.

        Stated shares are relative: they are divided by their sum.
        """
        return prevalence.with_prevalence(self, shares)

    # ── as an object ─────────────────────────────────────────────────────────────────────────────

    def __eq__(self, other: object) -> bool:
        """Same labels in the same order, same numbers, same reject label, same positive class."""
        if not isinstance(other, Contingency):
            return NotImplemented
        return (
            self.truth_labels == other.truth_labels
            and self.system_labels == other.system_labels
            and self.reject == other.reject
            and self.positive_label == other.positive_label
            and self._same_numbers(other)
        )

    def _same_numbers(self, other: Contingency) -> bool:
        if self.is_sparse == other.is_sparse:
            same_places = self.support is None or (
                other.support is not None
                and np.array_equal(self.support.rows, other.support.rows)
                and np.array_equal(self.support.columns, other.support.columns)
            )
            return same_places and np.array_equal(self.values, other.values)
        return bool(abs(self.counts - other.counts).sum() == 0)

    def __hash__(self) -> int:
        """Equal tables have equal hashes."""
        return hash((self.truth_labels, self.system_labels, self.reject, float(np.sum(self.grand_total))))

    def __repr__(self) -> str:
        """A small table whole, a large one in a line."""
        return text.as_text(self)

    def __str__(self) -> str:
        """The same with joint and marginal probabilities, for print."""
        return text.with_probabilities(self)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        report: Any = importlib.import_module("infoscope.reports.notebook")  # the one step upwards, by name
        return str(report.table_cell(self))


Kept = TypeVar("Kept")


def remembered(compute: Callable[[Contingency], Kept]) -> Callable[[Contingency], Kept]:
    """Keep a function's result with the table, however many metrics ask for it; what is kept is read-only."""
    key = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def look_up(table: Contingency) -> Kept:
        kept = table._memo
        if key not in kept:
            kept[key] = frozen(compute(table))
        return kept[key]

    return look_up
