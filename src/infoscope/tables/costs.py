"""Costs of predictions: one for each pair of true and predicted class, stated by name or by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.tables.labels import Label

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency


@dataclass(frozen=True)
class CostMatrix:
    """The cost of every true class (rows) predicted as another (columns), by the names of the classes."""

    truth: tuple[str, ...]
    system: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]

    def laid_out(self, truth: Sequence[Label], system: Sequence[Label]) -> NDArray[np.float64]:
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
        known = {str(label) for table in tables for label in (*table.truth_labels, *table.system_labels)}
        return [name for name in named if name not in known]

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
        return CostMatrix(truth, system, _list_rows(self.matrix(table).laid_out(truth, system)))


def _list_rows(values: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in values.tolist())
