"""Find the true groups that are split over several clusters, and the clusters that merge several groups.

Names mean nothing here; only who is together does. Everything is computed on the stored cells, so a million groups a
side cost as much as their cells. ``evaluate(…, task="clustering")`` puts the result beside the metrics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from infoscope.core.numerics import group_sum
from infoscope.core.validation import KeywordHints, Number, validated
from infoscope.errors import InputError
from infoscope.tables import Contingency

__all__ = ["GroupFault", "SplitsAndMerges", "splits_and_merges"]

MAX_PIECES = 10
MIN_WHOLE_SHARE = 0.9
"""A group counts as whole where one cluster holds at least this share of it."""


@dataclass(frozen=True)
class GroupFault(KeywordHints):
    """One group with the pieces it is made of on the other side, the largest first."""

    kind: Literal["split", "merged"]
    label: str
    size: float
    pieces: tuple[tuple[str, float], ...]
    """Names on the other side and how much of the group lies there; ten at most."""
    parts: int
    """Number of pieces in all."""
    bits: float
    """Its part of H(S|T) (a split) or H(T|S) (a merge)."""

    def sentence(self) -> str:
        """Return what happened in words."""
        shown = ", ".join(f"{name} ({count:g})" for name, count in self.pieces[:4])
        more = f" and {self.parts - 4} more" if self.parts > 4 else ""
        if self.kind == "split":
            return f"Group '{self.label}' ({self.size:g}) is split over {self.parts} clusters: {shown}{more}"
        name = self.label.removeprefix("cluster ")
        return f"Cluster '{name}' ({self.size:g}) merges {self.parts} groups: {shown}{more}"


@dataclass(frozen=True)
class SplitsAndMerges(KeywordHints):
    """Numbers of groups that are found whole, split or merged, and the costliest of them."""

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
        """Return all of it in a line."""
        return (
            f"{self.exact} of {self.groups} groups are found exactly; {self.split_groups} are split and "
            f"{self.merged_clusters} of {self.clusters} clusters mix groups"
        )


@validated(most=Number(low=0, closed="low", whole=True))
def splits_and_merges(table: Contingency, most: int = 20) -> SplitsAndMerges:
    """Find the groups that clusters tear apart or throw together, the costliest first.

    Parameters
    ----------
    table
        True groups × clusters.
    most
        How many splits and how many merges to list.

    Returns
    -------
    SplitsAndMerges
        Numbers of groups that are found, split and merged, and the costliest of them with their pieces.

    Raises
    ------
    InputError
        If the table is a batch.

    Examples
    --------
    >>> table = Contingency.from_matrix([[5, 5, 0, 0], [0, 0, 10, 0], [0, 0, 8, 0]], system=["p", "q", "r", "s"])
    >>> faults = splits_and_merges(table)
    >>> faults.sentence()
    '0 of 3 groups are found exactly; 1 are split and 1 of 3 clusters mix groups'
    >>> faults.splits[0].sentence()
    "Group '0' (10) is split over 2 clusters: p (5), q (5)"
    """
    if table.batch_shape:
        raise InputError("a batch of tables is no single clustering; look at its tables one by one")
    used = np.flatnonzero(table.cells > 0)
    cells, rows, columns = table.cells[used], table.cell_rows[used], table.cell_columns[used]
    row_parts = np.bincount(rows, minlength=len(table.row_totals))
    column_parts = np.bincount(columns, minlength=len(table.column_totals))
    alone = (row_parts[rows] == 1) & (column_parts[columns] == 1)

    counts, faults = [], []
    sides = (
        ("split", rows, columns, table.row_totals, table.truth_labels, table.system_labels),
        ("merged", columns, rows, table.column_totals, table.system_labels, table.truth_labels),
    )
    kind: Literal["split", "merged"]
    for kind, group, other, sizes, names, other_names in sides:  # type: ignore[assignment]
        largest = np.zeros(len(sizes))
        np.maximum.at(largest, group, cells)
        share = np.divide(largest, sizes, out=np.zeros(len(sizes)), where=sizes > 0)
        open_bits = group_sum(group, -cells * np.log2(cells / sizes[group]), len(sizes)) / float(table.grand_total)
        bits = np.maximum(open_bits, 0.0)
        counts.append(int(np.count_nonzero((share < MIN_WHOLE_SHARE) & (sizes > 0))))

        costliest = np.argsort(-bits, kind="stable")[:most]
        costliest = costliest[bits[costliest] > 0]
        candidates = np.flatnonzero(np.isin(group, costliest))
        listed = []
        for number in costliest:
            own = candidates[group[candidates] == number]
            own = own[np.argsort(-cells[own], kind="stable")]
            pieces = tuple((str(other_names[other[cell]]), float(cells[cell])) for cell in own[:MAX_PIECES])
            size = float(cells[own].sum())
            listed.append(GroupFault(kind, str(names[number]), size, pieces, len(own), float(bits[number])))
        faults.append(tuple(listed))
    return SplitsAndMerges(
        groups=int(np.count_nonzero(table.row_totals)),
        clusters=int(np.count_nonzero(table.column_totals)),
        exact=int(np.count_nonzero(alone)),
        split_groups=counts[0],
        merged_clusters=counts[1],
        splits=faults[0],
        merges=faults[1],
    )
