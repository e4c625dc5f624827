"""The split entropy triangle: truth (cross) and system (circle) of each table, joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.colours import series
from infoscope.figures.inputs import Tables, tables_by_name
from infoscope.figures.layout import PlacedName, plain_label, shortened, side_labels, side_room
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Words
from infoscope.figures.table_display import TableDisplay
from infoscope.figures.triangle import HEIGHT, TriangleShares, place, plane
from infoscope.metrics import (
    split_system_divergence,
    split_system_remainder,
    split_system_transfer,
    split_truth_divergence,
    split_truth_remainder,
    split_truth_transfer,
)

__all__ = ["SplitPoint", "SplitTriangleDisplay"]


@dataclass(frozen=True)
class SplitPoint:
    """The two sides of one table."""

    name: str
    truth: TriangleShares
    system: TriangleShares


@dataclass
class SplitTriangleDisplay(TableDisplay):
    """Where truth and system stand, each measured against its own number of classes."""

    points: list[SplitPoint]

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system") -> Self:
        """One joined pair a table."""
        points = []
        for key, table in tables_by_name(tables, name).items():
            truth = (split_truth_divergence(table), split_truth_transfer(table), split_truth_remainder(table))
            system = (split_system_divergence(table), split_system_transfer(table), split_system_remainder(table))
            if not np.isfinite([*truth, *system]).all():
                raise InputError(f"a side of {key!r} has one class only, so it has no place in the split triangle")
            points.append(SplitPoint(key, TriangleShares(*map(float, truth)), TriangleShares(*map(float, system))))
        return cls(points)

    def panel(self) -> Panel:
        """The plane, and for each system its two ends."""
        right = side_room(point.name for point in self.points)
        empty = Panel(
            "Split entropy triangle",
            _summary(self.points),
            Axis(0.0, 1.0),
            Axis(0.0, HEIGHT),
            width=450.0 + right,
            height=440.0,
            margins=(52.0, 40.0, right, 56.0),
        )
        names = side_labels(empty, [PlacedName(*place(point.truth), point.name) for point in self.points])
        marks = (
            *plane(),
            *_words(),
            *names,
            *(mark for at, point in enumerate(self.points) for mark in _pair(at, point)),
        )
        return Panel(**{**vars(empty), "marks": marks})


def _pair(at: int, point: SplitPoint) -> list[Mark]:
    truth, system = place(point.truth), place(point.system)
    tip = (
        f"{plain_label(point.name)}\nshared: {point.truth.transfer:.3f} of log k, "
        f"{point.system.transfer:.3f} of log m\n"
        f"missed {point.truth.variation:.3f}, false {point.system.variation:.3f}\n"
        f"imbalance: truth {point.truth.divergence:.3f}, system {point.system.divergence:.3f}"
    )
    return [
        Line((truth, system), series(at), 1.5, opacity=0.7, of=point.name, clip=False),
        Dot(*truth, series(at), "cross", 5.0, of=point.name, tip=tip),
        Dot(*system, series(at), "ring", 6.5, of=point.name, tip=tip),
    ]


def _words() -> list[Mark]:
    return [
        Words(0.5, HEIGHT, "all shared, MI′", "dim", anchor="middle", shift=(0.0, -16.0), italic=True),
        Words(0.0, 0.0, "no variety, ΔH′", "dim", shift=(-44.0, 32.0), italic=True),
        Words(1.0, 0.0, "not shared, H′", "dim", anchor="end", shift=(12.0, 32.0), italic=True),
        Words(0.5, 0.0, "× truth,  ○ system", "dim", anchor="middle", shift=(0.0, 32.0)),
    ]


def _summary(points: Sequence[SplitPoint]) -> str:
    parts = [
        f"{shortened(point.name, 40)} shares {point.truth.transfer:.2f} of the truth's and "
        f"{point.system.transfer:.2f} of the output's room"
        for point in points[:4]
    ]
    return f"Split entropy triangle of {len(points)} system{'s' * (len(points) != 1)}: {'; '.join(parts)}."
