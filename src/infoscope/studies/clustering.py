"""Clusterings: which true groups are split over several clusters, and which clusters merge several groups.

Names mean nothing here; only who is together does. Everything is computed on the stored cells, so a million groups a
side cost as much as their cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, group_sum
from infoscope.errors import InputError, check_at_most
from infoscope.tables import Contingency

__all__ = ["GroupFault", "SplitsAndMerges", "splits_and_merges"]

_MOST_PIECES = 10
_PURE = 0.9
"""A group counts as whole where one cluster holds at least this share of it."""


@dataclass(frozen=True)
class GroupFault:
    """One group with the pieces it is made of on the other side, the largest first."""

    kind: Literal["split", "merged"]
    label: str
    size: float
    pieces: tuple[tuple[str, float], ...]
    """Names on the other side and how much of the group lies there; ten at most."""
    parts: int
    """How many pieces there are in all."""
    bits: float
    """What it adds to H(S|T) (a split) or H(T|S) (a merge)."""

    def sentence(self) -> str:
        """What happened, in words."""
        shown = ", ".join(f"{name} ({count:g})" for name, count in self.pieces[:4])
        more = f" and {self.parts - 4} more" if self.parts > 4 else ""
        if self.kind == "split":
            return f"Group '{self.label}' ({self.size:g}) is split over {self.parts} clusters: {shown}{more}"
        name = self.label.removeprefix("cluster ")
        return f"Cluster '{name}' ({self.size:g}) merges {self.parts} groups: {shown}{more}"


@dataclass(frozen=True)
class SplitsAndMerges:
    """How many groups are found whole, split or merged, and the costliest of them."""

    groups: int
    clusters: int
    exact: int
    """Groups that are one cluster, and nothing else is in it."""
    split_groups: int
    """Groups no cluster of which holds nine tenths."""
    merged_clusters: int
    """Clusters no group of which makes up nine tenths."""
    splits: tuple[GroupFault, ...]
    merges: tuple[GroupFault, ...]

    def sentence(self) -> str:
        """All of it in a line."""
        return (
            f"{self.exact} of {self.groups} groups are found exactly; {self.split_groups} are split and "
            f"{self.merged_clusters} of {self.clusters} clusters mix groups"
        )


def splits_and_merges(table: Contingency, most: int = 20) -> SplitsAndMerges:
    """The groups that clusters tear apart or throw together, the costliest first.

    >>> table = Contingency.from_matrix([[5, 5, 0, 0], [0, 0, 10, 0], [0, 0, 8, 0]], system=["p", "q", "r", "s"])
    >>> found = splits_and_merges(table)
    >>> found.sentence()
    '0 of 3 groups are found exactly; 1 are split and 1 of 3 clusters mix groups'
    >>> found.splits[0].sentence()
    "Group '0' (10) is split over 2 clusters: p (5), q (5)"
    """
    check_at_most(most)
    if table.batch_shape:
        raise InputError("a batch of tables is no single clustering; look at its tables one by one")
    used = np.flatnonzero(table.cells > 0)
    cells, rows, columns = table.cells[used], table.cell_rows[used], table.cell_columns[used]
    whole_rows, row_parts, row_bits = _by_group(cells, rows, table.row_totals, float(table.grand_total))
    whole_columns, column_parts, column_bits = _by_group(cells, columns, table.column_totals, float(table.grand_total))
    alone = (row_parts[rows] == 1) & (column_parts[columns] == 1)
    cells_by_row = _Side(rows, columns, cells, table.truth_labels, table.system_labels)
    cells_by_column = _Side(columns, rows, cells, table.system_labels, table.truth_labels)
    return SplitsAndMerges(
        groups=int(np.count_nonzero(table.row_totals)),
        clusters=int(np.count_nonzero(table.column_totals)),
        exact=int(np.count_nonzero(alone)),
        split_groups=int(np.count_nonzero((whole_rows < _PURE) & (table.row_totals > 0))),
        merged_clusters=int(np.count_nonzero((whole_columns < _PURE) & (table.column_totals > 0))),
        splits=tuple(_worst("split", cells_by_row, row_bits, most)),
        merges=tuple(_worst("merged", cells_by_column, column_bits, most)),
    )


def _by_group(cells: Real, group: NDArray[np.int64], sizes: Real, total: float) -> tuple[Real, Real, Real]:
    """For each group: the share of its largest piece, its number of pieces, and the bits it leaves open."""
    size = len(sizes)
    largest = np.zeros(size)
    np.maximum.at(largest, group, cells)
    share = np.divide(largest, sizes, out=np.zeros(size), where=sizes > 0)
    open_bits = group_sum(group, -cells * np.log2(cells / sizes[group]), size) / total
    return share, np.bincount(group, minlength=size).astype(np.float64), np.maximum(open_bits, 0.0)


@dataclass(frozen=True, eq=False)
class _Side:
    """Cells seen from one side."""

    group: NDArray[np.int64]
    other: NDArray[np.int64]
    cells: Real
    names: tuple[Any, ...]
    other_names: tuple[Any, ...]


def _worst(kind: Literal["split", "merged"], side: _Side, bits: Real, most: int) -> list[GroupFault]:
    wanted = np.argsort(-bits, kind="stable")[:most]
    wanted = wanted[bits[wanted] > 0]
    if not len(wanted):
        return []
    chosen = np.flatnonzero(np.isin(side.group, wanted))
    found = []
    for group in wanted:
        mine = chosen[side.group[chosen] == group]
        mine = mine[np.argsort(-side.cells[mine], kind="stable")]
        pieces = tuple((str(side.other_names[side.other[at]]), float(side.cells[at])) for at in mine[:_MOST_PIECES])
        size = float(side.cells[mine].sum())
        found.append(GroupFault(kind, str(side.names[group]), size, pieces, len(mine), float(bits[group])))
    return found
