"""The split entropy triangle: truth and system of each table, each measured against its own number of classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from infoscope.core.markup import counted
from infoscope.errors import InputError
from infoscope.figures.drawing.colours import series
from infoscope.figures.drawing.layout import PlacedName, plain_label, shortened, side_labels, side_room
from infoscope.figures.drawing.scene import Axis, Dot, Line, Mark, Panel, Point, Words
from infoscope.figures.families import KEY_ROW, Marking, checked_names, key_rows, marker_key, markings
from infoscope.figures.inputs import Tables, tables_by_name
from infoscope.figures.table_display import TableDisplay
from infoscope.figures.triangle import path_names
from infoscope.figures.triangle_plane import (
    HEIGHT,
    SPLIT_SIDES,
    TriangleShares,
    enlarged_part,
    place,
    plane,
    side_words,
)
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


@dataclass(repr=False)
class SplitTriangleDisplay(TableDisplay):
    """Coordinates of truth and system, each measured against its own number of classes."""

    points: list[SplitPoint]
    zoom: bool = False
    """Whether only the part where the systems are is drawn, where that is a small one; the whole is an inset."""
    paths: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names to be joined in the order of a condition, truth by truth and system by system."""
    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names of systems that share a marker and a colour, by the title of their family."""

    def __post_init__(self) -> None:
        """Reject paths and families of systems that are not there."""
        known = [point.name for point in self.points]
        self.paths = checked_names(self.paths, known, "path")
        self.families = checked_names(self.families, known, "family")

    @classmethod
    def from_table(
        cls,
        tables: Tables,
        *,
        name: str = "system",
        paths: Mapping[str, Sequence[Any]] | None = None,
        families: Mapping[str, Sequence[Any]] | None = None,
    ) -> Self:
        """One joined pair per table; ``paths`` joins steps of an ordered condition, ``families`` share a marker."""
        points = []
        for key, table in tables_by_name(tables, name).items():
            truth = (split_truth_divergence(table), split_truth_transfer(table), split_truth_remainder(table))
            system = (split_system_divergence(table), split_system_transfer(table), split_system_remainder(table))
            if not np.isfinite([*truth, *system]).all():
                raise InputError(f"a side of {key!r} has one class only, so it has no place in the split triangle")
            points.append(SplitPoint(key, TriangleShares(*map(float, truth)), TriangleShares(*map(float, system))))
        return cls(points, paths=paths or {}, families=families or {})

    def panel(self) -> Panel:
        """The plane, and for each system its two ends."""
        names = path_names(self.paths)
        words = {point.name: names.get(point.name, point.name) for point in self.points}
        right = side_room(text for text in words.values() if text is not None)
        rows = key_rows(self._marked, 450.0 + right - 24.0)
        empty = Panel(
            "Split entropy triangle",
            _split_summary(self.points),
            Axis(0.0, 1.0),
            Axis(0.0, HEIGHT),
            width=450.0 + right,
            height=440.0 + KEY_ROW * rows,
            margins=(52.0, 40.0, right, 56.0 + KEY_ROW * rows),
        )
        ends = [shares for point in self.points for shares in (point.truth, point.system)]
        part = enlarged_part(ends) if self.zoom else None
        where = place if part is None else part.place
        labels = [
            PlacedName(*where(point.system), text) for point in self.points if (text := words[point.name]) is not None
        ]
        marks = (
            *(plane() if part is None else part.plane()),
            *_words(corners=part is None, system="marker" if self._marked else "○"),
            *side_labels(empty, labels),
            *(side_words(empty, SPLIT_SIDES, [where(end) for end in ends]) if part is None else ()),
            *self._joined(where),
            *self._pairs(where),
            *marker_key(empty, self._marked, 24.0, empty.height + 6.0 - KEY_ROW * rows, coloured=True),
        )
        return Panel(**{**vars(empty), "marks": marks})

    @property
    def _marked(self) -> Mapping[str, Sequence[str]]:
        """What has markers and colours of its own: families, else paths."""
        return self.families or self.paths

    def _joined(self, where: Callable[[TriangleShares], Point]) -> Iterator[Mark]:
        """The paths of the truth, dashed, and of the system."""
        points = {point.name: point for point in self.points}
        for at, names in enumerate(self.paths.values()):
            truth, system = zip(
                *((where(points[name].truth), where(points[name].system)) for name in names), strict=True
            )
            yield Line(truth, series(at), 1.2, (4.0, 3.0), clip=False)
            yield Line(system, series(at), 2.0, clip=False)

    def _pairs(self, where: Callable[[TriangleShares], Point]) -> Iterator[Mark]:
        marked = markings(self._marked)
        for at, point in enumerate(self.points):
            yield from _pair(point, marked.get(point.name, Marking("ring", series(at))), where)


def _pair(point: SplitPoint, marking: Marking, where: Callable[[TriangleShares], Point]) -> list[Mark]:
    truth, system = where(point.truth), where(point.system)
    tip = (
        f"{plain_label(point.name)}\nshared: {point.truth.transfer:.3f} of log k, "
        f"{point.system.transfer:.3f} of log m\n"
        f"missed {point.truth.variation:.3f}, false {point.system.variation:.3f}\n"
        f"imbalance: truth {point.truth.divergence:.3f}, system {point.system.divergence:.3f}"
    )
    ring = marking.shape == "ring"
    size, inside = (6.5, marking.colour) if ring else (5.5, "paper")
    return [
        Line((truth, system), marking.colour, 1.5, opacity=0.7, of=point.name, clip=False),
        Dot(*system, inside, marking.shape, size, marking.colour, of=point.name, tip=tip),
        Dot(*truth, marking.colour, "cross", 5.0 if ring else 4.0, of=point.name, tip=tip),
    ]


def _words(*, corners: bool, system: str) -> list[Mark]:
    named: list[Mark] = [
        Words(0.5, HEIGHT, "all shared, MI′", "dim", anchor="middle", shift=(0.0, -16.0), italic=True),
        Words(0.0, 0.0, "no variety, ΔH′", "dim", shift=(-44.0, 32.0), italic=True),
        Words(1.0, 0.0, "not shared, H′", "dim", anchor="end", shift=(12.0, 32.0), italic=True),
    ]
    return [
        *(named if corners else ()),
        Words(0.5, 0.0, f"× truth,  {system} system", "dim", anchor="middle", shift=(0.0, 32.0)),
    ]


def _split_summary(points: Sequence[SplitPoint]) -> str:
    parts = [
        f"{shortened(point.name, 40)} transmits {point.truth.transfer:.2f} of the truth's and "
        f"{point.system.transfer:.2f} of the output's maximum entropy"
        for point in points[:4]
    ]
    return f"Split entropy triangle of {counted(len(points), 'system')}: {'; '.join(parts)}."
