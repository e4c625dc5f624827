"""Joint: counts of truth × A × B × …, for systems that predicted the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.assemble import Group, Usable, dated, declared, group_cells, usable
from infoscope.readers.columns import Columns
from infoscope.readers.labels import Cleaning, rank_labels
from infoscope.readers.tally import Floats, Ints, Tally, summed
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.tables.missing import warn_of_rows

__all__ = ["Joint", "Paired", "joint_counts"]


@dataclass(frozen=True)
class Paired:
    """Rows that every one of some systems predicted, counted together with their truth.

    ``codes`` has one line for the truth and one for each system, and one column for each cell;
    a code points into the line's ``labels``.
    """

    systems: tuple[str, ...]
    truth_labels: tuple[Label, ...]
    system_labels: tuple[tuple[Label, ...], ...]
    codes: Ints
    counts: Ints | Floats
    ignored: dict[str, int]
    weight_squares: float | None = None

    @property
    def total(self) -> float:
        """Rows, or weight, that is counted here."""
        return float(self.counts.sum())


@dataclass(frozen=True)
class Joint:
    """Every system beside the truth; rows that only some systems predicted are kept for those."""

    columns: Columns
    tally: Tally
    clean: Cleaning = ()

    def table(self, system: str, *, reject: Label | None = None, positive: Label | None = None) -> Contingency:
        """The table of one system, from all rows that it predicted; warns of the others."""
        table = self.counted(system, reject=reject, positive=positive)
        warn_of_rows(table.ignored)
        return table

    def counted(self, system: str, *, reject: Label | None = None, positive: Label | None = None) -> Contingency:
        """The same without the warning, for callers that count several systems and warn once."""
        return self._only((system,)).table(system, **self._stated(system, reject=reject, positive=positive))

    def _stated(self, system: str, **labels: Label | None) -> dict[str, Label | None]:
        names = (self.columns.truth, system)
        return {name: declared(label, self.tally, names, self.clean) for name, label in labels.items()}

    def paired(self, *systems: str) -> Paired:
        """Counts of the rows that all of these systems predicted; by default all there are."""
        names = systems or self.columns.systems
        part = self._only(names)
        tally = summed(_with_least(part.tally))
        return Paired(
            tuple(names),
            tuple(tally.labels[0]),
            tuple(tuple(labels) for labels in tally.labels[1:]),
            tally.codes,
            tally.rows if tally.weights is None else tally.weights,
            part.ignored,
            None if tally.squares is None else float(tally.squares.sum()),
        )

    def clustered(
        self, system: str, cluster: str, *, reject: Label | None = None, positive: Label | None = None
    ) -> tuple[Contingency, Any]:
        """One system's table, and its cells by cluster: a sparse array with a line for each, in the order of keys.

        The column of clusters is read as if it were a system's; rows without a cluster are ignored. Clusters without a
        usable row have empty lines, at the end.
        """
        from scipy.sparse import coo_array  # noqa: PLC0415 - only for clusters

        part = self._only((system, cluster))
        table = part.table(system, **self._stated(system, reject=reject, positive=positive))
        tally = part.tally
        places = [{label: i for i, label in enumerate(side)} for side in (table.truth_labels, table.system_labels)]
        rows, columns = (
            np.array([place[label] for label in labels], dtype=np.int64)[codes] if len(labels) else codes
            for place, labels, codes in zip(places, tally.labels[:2], tally.codes[:2], strict=True)
        )
        values = np.asarray(tally.rows if tally.weights is None else tally.weights, dtype=np.float64)
        lines = rank_labels(tally.labels[2])[tally.codes[2]]
        keys = {label for label in self.tally.labels[self.tally.keys.index(cluster)] if label is not None}
        shape = (len(keys), table.shape[0] * table.shape[1])
        return table, coo_array((values, (lines, rows * table.shape[1] + columns)), shape=shape).tocsr()

    def _only(self, systems: Sequence[str]) -> Usable:
        for name in systems:
            if name not in self.columns.systems:
                known = ", ".join(map(repr, self.columns.systems))
                raise UnknownNameError(f"no system {name!r} was read; there is {known}")
        margin = tuple(systems)
        narrowed = Columns(self.columns.truth, margin, self.columns.weight, (), joint=True)
        keep = [self.tally.keys.index(key) for key in narrowed.keys(margin)]
        tally = Tally(
            narrowed.keys(margin),
            tuple(self.tally.labels[i] for i in keep),
            self.tally.codes[keep],
            self.tally.rows,
            self.tally.weights,
            self.tally.squares,
            self.tally.least,
            self.tally.unweighed,
        )
        parts, _ = usable(tally, narrowed, self.clean)
        return parts[0]


def _with_least(tally: Tally) -> Tally:
    if tally.weights is None:
        return tally
    return Tally(
        tally.keys,
        tally.labels,
        tally.codes,
        tally.rows,
        tally.weights,
        tally.squares,
        np.zeros_like(tally.weights),
        np.zeros(len(tally.rows), dtype=bool),
    )


def joint_counts(tally: Tally, columns: Columns, clean: Cleaning = ()) -> dict[Group, Joint]:
    """One Joint for each group; the one group of a source that is not split is ()."""
    if not columns.joint:
        raise InputError("joint counts come from a tally of all systems together")
    (tally,) = dated([tally], columns)
    depth = len(columns.by)
    by = Columns(columns.truth, columns.systems, columns.weight, (), joint=True)
    if not depth:
        return {(): Joint(by, tally, clean)}
    return {group: Joint(by, _cut(tally, depth, mine), clean) for group, mine in group_cells(tally, columns, clean)}


def _cut(tally: Tally, depth: int, cells: Ints) -> Tally:
    def cut(values: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        return None if values is None else values[cells]

    return Tally(
        tally.keys[depth:],
        tally.labels[depth:],
        tally.codes[depth:, cells],
        tally.rows[cells],
        cut(tally.weights),
        cut(tally.squares),
        cut(tally.least),
        None if tally.unweighed is None else tally.unweighed[cells],
    )
