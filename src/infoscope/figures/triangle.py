"""Entropy triangles: what is lost to imbalance, to error, and what gets across, as one point per system.

The split triangle shows truth (cross) and system (circle) of each table, joined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np

from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.colours import accuracy_colour, series
from infoscope.figures.inputs import Tables, tables_by_name
from infoscope.figures.layout import PlacedName, accuracy_key, fitting, plain_label, shortened, side_labels, side_room
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Point, Words
from infoscope.figures.table_display import TableDisplay
from infoscope.figures.triangle_part import TrianglePart, enlarged_part
from infoscope.figures.triangle_shares import HEIGHT, TriangleShares, place
from infoscope.metrics import (
    accuracy,
    split_system_divergence,
    split_system_remainder,
    split_system_transfer,
    split_truth_divergence,
    split_truth_remainder,
    split_truth_transfer,
    triangle_divergence,
    triangle_transfer,
    triangle_variation,
)

__all__ = [
    "Corner",
    "EntropyTriangleDisplay",
    "SplitPoint",
    "SplitTriangleDisplay",
    "TrianglePoint",
    "TriangleShares",
    "place",
    "warped",
]

Corner = Literal["divergence", "transfer", "variation"]


def warped(shares: TriangleShares, corner: Corner, times: float) -> TriangleShares:
    """The shares seen through a lens that magnifies one corner; straight lines stay straight.

    >>> warped(TriangleShares(0.0, 0.8, 0.2), "transfer", 4.0)
    TriangleShares(divergence=0.0, transfer=0.5, variation=0.5)
    """
    weights = {name: 1.0 if name == corner else times for name in TriangleShares._fields}
    parts = {name: weights[name] * value for name, value in shares._asdict().items()}
    total = sum(parts.values())
    return TriangleShares(**{name: part / total for name, part in parts.items()})


@dataclass(frozen=True)
class TrianglePoint:
    """One system in the triangle."""

    name: str
    shares: TriangleShares
    accuracy: float | None = None


@dataclass
class EntropyTriangleDisplay(TableDisplay):
    """Systems in the entropy triangle, coloured by accuracy.

    >>> from infoscope.tables import Contingency
    >>> table = Contingency.from_matrix([[16, 2, 2], [2, 16, 2], [1, 1, 18]])
    >>> display = EntropyTriangleDisplay.from_table({"b": table})
    >>> print(f"{display.points[0].shares.transfer:.3f}")
    0.490
    """

    points: list[TrianglePoint]
    paths: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names to be joined by arrows, in the order of a condition."""
    magnify: tuple[Corner, float] | None = None
    zoom: bool = False
    """Whether only the part where the systems are is drawn, where that is a small one; the whole is an inset."""

    def __post_init__(self) -> None:
        """Refuse paths through systems that are not there, and lenses that shrink."""
        known = {point.name for point in self.points}
        for title, names in self.paths.items():
            for name in names:
                if name not in known:
                    raise UnknownNameError(f"path {title!r} goes through {name!r}, which is none of the systems")
        if self.magnify is not None and not (self.magnify[0] in TriangleShares._fields and self.magnify[1] >= 1.0):
            raise InputError(
                f"magnify is {self.magnify!r}; name a corner (divergence, transfer or variation) and a factor "
                "of 1 or more"
            )

    @classmethod
    def from_table(
        cls,
        tables: Tables,
        *,
        name: str = "system",
        paths: Mapping[str, Sequence[Any]] | None = None,
        magnify: tuple[Corner, float] | None = None,
    ) -> Self:
        """One point per table: systems, groups, or steps of an ordered condition that ``paths`` joins."""
        points = []
        for key, table in tables_by_name(tables, name).items():
            shares = TriangleShares(
                float(triangle_divergence(table)), float(triangle_transfer(table)), float(triangle_variation(table))
            )
            if not np.isfinite(shares.transfer):
                raise InputError(
                    f"{key!r} has one truth class and one prediction, so nothing can be uncertain; it has no place "
                    "in the triangle"
                )
            right = float(accuracy(table))
            points.append(TrianglePoint(key, shares, right if np.isfinite(right) else None))
        joined = {str(title): [str(key) for key in keys] for title, keys in (paths or {}).items()}
        return cls(points, joined, magnify)

    def place(self, shares: TriangleShares) -> Point:
        """Where shares lie in this picture, through its lens if it has one, or in the part that it shows."""
        if self.part is not None:
            return self.part.place(shares)
        return place(warped(shares, *self.magnify) if self.magnify else shares)

    @property
    def part(self) -> TrianglePart | None:
        """The part that is shown; None for the whole triangle."""
        return enlarged_part([point.shares for point in self.points]) if self.zoom and not self.magnify else None

    def panel(self) -> Panel:
        """The plane with its named corners, paths, points, names and the key of colours."""
        right = side_room(point.name for point in self.points)
        empty = Panel(
            "Entropy triangle",
            _summary(self.points),
            Axis(0.0, 1.0),
            Axis(0.0, HEIGHT),
            width=450.0 + right,
            height=470.0,
            margins=(52.0, 40.0, right, 84.0),
        )
        named = [PlacedName(*self.place(point.shares), point.name) for point in self.points]
        labels = () if self.paths else side_labels(empty, named)
        marks = (
            *(plane(self.place) if self.part is None else self.part.plane()),
            *zones(corners=self.part is None),
            *self._paths(empty),
            *labels,
            *self._dots(),
            *accuracy_key(empty, 176.0, empty.height - 12.0, 166.0),
        )
        return Panel(**{**vars(empty), "marks": marks})

    def _paths(self, panel: Panel) -> list[Mark]:
        marks: list[Mark] = []
        places = {point.name: self.place(point.shares) for point in self.points}
        for at, (title, names) in enumerate(self.paths.items()):
            run = tuple(places[name] for name in names)
            marks.append(Line(run, series(at), 2.0, clip=False))
            marks += _arrow(run, series(at))
            for end, name, down in _ends(run, names):
                whole = name if len(self.paths) == 1 else f"{title}: {name}"
                room = (panel.width - panel.place(*end)[0] - 12.0) / 1.08  # bold
                tip = plain_label(whole)
                marks.append(Words(*end, fitting(whole, room), series(at), shift=(9.0, down), bold=True, tip=tip))
        return marks

    def _dots(self) -> list[Mark]:
        ordered = sorted(self.points, key=lambda point: point.accuracy or 0.0)
        return [
            Dot(*self.place(point.shares), accuracy_colour(point.accuracy), size=5.5, of=point.name, tip=_tip(point))
            for point in ordered
        ]


def _ends(run: tuple[Point, ...], names: Sequence[str]) -> tuple[tuple[Point, str, float], ...]:
    """First and last step, each with the direction in which its name is out of the way: never below the ground."""
    rises = run[-1][1] >= run[0][1]
    low, high = (run[0], names[0]), (run[-1], names[-1])
    if not rises:
        low, high = high, low
    return (*low, -11.0 if low[0][1] < 0.06 else 10.0), (*high, -10.0)


def _arrow(run: tuple[Point, ...], colour: str) -> list[Mark]:
    """A head in the middle of the last step that has a length."""
    for (x0, y0), (x1, y1) in zip(run[-2::-1], run[:0:-1], strict=True):
        length = float(np.hypot(x1 - x0, y1 - y0))
        if length > 0.03:
            ux, uy = (x1 - x0) / length, (y1 - y0) / length
            tip = ((x0 + x1) / 2 + 0.014 * ux, (y0 + y1) / 2 + 0.014 * uy)
            back = (tip[0] - 0.03 * ux, tip[1] - 0.03 * uy)
            wings = ((back[0] - 0.012 * uy, back[1] + 0.012 * ux), (back[0] + 0.012 * uy, back[1] - 0.012 * ux))
            return [Line((tip, *wings), colour, closed=True, fill=colour, clip=False)]
    return []


def plane(where: Callable[..., Point] = place) -> list[Mark]:
    """The triangle with lines of equal shares, seen through ``where``."""
    corners = tuple(where(TriangleShares(*corner)) for corner in ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
    marks: list[Mark] = [Line(corners, "dim", closed=True, fill="plane", clip=False)]
    for share in (0.2, 0.4, 0.6, 0.8):
        rest = 1.0 - share
        for one, other in (
            (TriangleShares(rest, share, 0.0), TriangleShares(0.0, share, rest)),
            (TriangleShares(rest, 0.0, share), TriangleShares(0.0, rest, share)),
            (TriangleShares(share, 0.0, rest), TriangleShares(share, rest, 0.0)),
        ):
            marks.append(Line((where(one), where(other)), "grid", clip=False))
        left, below = where(TriangleShares(rest, share, 0.0)), where(TriangleShares(share, 0.0, rest))
        marks.append(Words(left[0], left[1], f"{share:.1f}", "dim", "small", "end", (-6.0, -3.0)))
        marks.append(Words(below[0], below[1], f"{share:.1f}", "dim", "small", "middle", (0.0, 11.0)))
    return marks


def zones(*, corners: bool = True) -> list[Mark]:
    """Corners in words, sides in symbols."""
    named: list[Mark] = [
        Words(0.5, HEIGHT, "perfect and balanced", "dim", anchor="middle", shift=(0.0, -16.0), italic=True),
        Words(0.0, 0.0, "always the same prediction", "dim", shift=(-44.0, 48.0), italic=True),
        Words(1.0, 0.0, "random", "dim", anchor="end", shift=(12.0, 48.0), italic=True),
    ]
    left = -32.0 if corners else -56.0  # beside numbers of three digits
    return [
        *(named if corners else ()),
        Words(0.25, HEIGHT / 2, "agreement 2·MI′ →", "dim", anchor="middle", shift=(left, -18.0), angle=60.0),
        Words(0.5, 0.0, "← imbalance ΔH′", "dim", anchor="end", shift=(-16.0, 30.0)),
        Words(0.5, 0.0, "lost information VI′ →", "dim", shift=(-4.0, 30.0)),
    ]


def _tip(point: TrianglePoint) -> str:
    right = "" if point.accuracy is None else f"\naccuracy {point.accuracy:.1%}"
    return (
        f"{plain_label(point.name)}{right}\nagreement 2·MI′ {point.shares.transfer:.3f}\n"
        f"imbalance ΔH′ {point.shares.divergence:.3f}\nlost VI′ {point.shares.variation:.3f}"
    )


def _summary(points: Sequence[TrianglePoint]) -> str:
    best = max(points, key=lambda point: point.shares.transfer)
    return (
        f"Entropy triangle of {len(points)} system{'s' * (len(points) != 1)}. Highest is "
        f"{shortened(best.name, 60)}: agreement "
        f"{best.shares.transfer:.2f}, imbalance {best.shares.divergence:.2f}, lost information "
        f"{best.shares.variation:.2f}."
    )


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
    zoom: bool = False
    """Whether only the part where the systems are is drawn, where that is a small one; the whole is an inset."""

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
            _split_summary(self.points),
            Axis(0.0, 1.0),
            Axis(0.0, HEIGHT),
            width=450.0 + right,
            height=440.0,
            margins=(52.0, 40.0, right, 56.0),
        )
        ends = [shares for point in self.points for shares in (point.truth, point.system)]
        part = enlarged_part(ends) if self.zoom else None
        where = place if part is None else part.place
        names = side_labels(empty, [PlacedName(*where(point.truth), point.name) for point in self.points])
        marks = (
            *(plane() if part is None else part.plane()),
            *_words(corners=part is None),
            *names,
            *(mark for at, point in enumerate(self.points) for mark in _pair(at, point, where)),
        )
        return Panel(**{**vars(empty), "marks": marks})


def _pair(at: int, point: SplitPoint, where: Callable[[TriangleShares], Point]) -> list[Mark]:
    truth, system = where(point.truth), where(point.system)
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


def _words(*, corners: bool) -> list[Mark]:
    named: list[Mark] = [
        Words(0.5, HEIGHT, "all shared, MI′", "dim", anchor="middle", shift=(0.0, -16.0), italic=True),
        Words(0.0, 0.0, "no variety, ΔH′", "dim", shift=(-44.0, 32.0), italic=True),
        Words(1.0, 0.0, "not shared, H′", "dim", anchor="end", shift=(12.0, 32.0), italic=True),
    ]
    return [
        *(named if corners else ()),
        Words(0.5, 0.0, "× truth,  ○ system", "dim", anchor="middle", shift=(0.0, 32.0)),
    ]


def _split_summary(points: Sequence[SplitPoint]) -> str:
    parts = [
        f"{shortened(point.name, 40)} shares {point.truth.transfer:.2f} of the truth's and "
        f"{point.system.transfer:.2f} of the output's room"
        for point in points[:4]
    ]
    return f"Split entropy triangle of {len(points)} system{'s' * (len(points) != 1)}: {'; '.join(parts)}."
