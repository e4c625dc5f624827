"""Entropy triangles: what is lost to imbalance, to error, and what is transmitted, as one point per system.

Families of systems have their own markers; paths join steps of an ordered condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np

from infoscope.core.markup import counted
from infoscope.errors import InputError
from infoscope.figures.drawing.colours import accuracy_colour, series
from infoscope.figures.drawing.layout import PlacedName, accuracy_key, plain_label, shortened, side_labels, side_room
from infoscope.figures.drawing.scene import Axis, Dot, Line, Mark, Panel, Point
from infoscope.figures.families import KEY_ROW, Marking, Names, checked_names, key_rows, marker_key, markings
from infoscope.figures.inputs import Tables, tables_by_name
from infoscope.figures.table_display import TableDisplay
from infoscope.figures.triangle_plane import (
    HEIGHT,
    JOINT_SIDES,
    TrianglePart,
    TriangleShares,
    enlarged_part,
    place,
    plane,
    side_words,
    zone_of,
    zones,
)
from infoscope.metrics import accuracy, triangle_divergence, triangle_transfer, triangle_variation
from infoscope.tables import Contingency

__all__ = ["Corner", "EntropyTriangleDisplay", "TrianglePoint", "TriangleShares", "path_names", "place", "warped"]

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


@dataclass(repr=False)
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
    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names of systems that share a marker, by the title of their family."""
    best: str | None = None
    """A system that gets a star around it."""

    def __post_init__(self) -> None:
        """Reject paths and families of systems that are not there, and lenses that shrink."""
        known = [point.name for point in self.points]
        self.paths = checked_names(self.paths, known, "path")
        self.families = checked_names(self.families, known, "family")
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
        families: Mapping[str, Sequence[Any]] | None = None,
        magnify: tuple[Corner, float] | None = None,
    ) -> Self:
        """One point per table: systems, groups, or steps of an ordered condition that ``paths`` joins.

        ``families`` gives the systems of each family a marker of their own.
        """
        points = []
        for key, table in tables_by_name(tables, name).items():
            shares = TriangleShares(
                float(triangle_divergence(table)), float(triangle_transfer(table)), float(triangle_variation(table))
            )
            if not np.isfinite(shares.transfer):
                raise InputError(
                    f"{key!r} has one true class and one prediction, so nothing can be uncertain; it has no place "
                    "in the triangle"
                )
            right = float(accuracy(table))
            points.append(TrianglePoint(key, shares, right if np.isfinite(right) else None))
        return cls(points, paths or {}, magnify, families=families or {})

    @classmethod
    def from_epochs(cls, tables: Mapping[Any, Contingency], *, title: str = "epochs") -> Self:
        """The path of a system in training, one table of held-out samples per epoch.

        Training should have stopped at the epoch that transmits the most information, which has the star.

        >>> from infoscope.tables import Contingency
        >>> epochs = {1: [[6, 4], [4, 6]], 2: [[9, 1], [1, 9]], 3: [[8, 2], [2, 8]]}
        >>> EntropyTriangleDisplay.from_epochs({at: Contingency.from_matrix(m) for at, m in epochs.items()}).best
        '2'
        """
        if not isinstance(tables, Mapping) or len(tables) < 2:
            raise InputError("a path needs two epochs; give tables by epoch, as {1: table, 2: table}")
        display = cls.from_table(tables, paths={title: list(tables)})
        display.best = max(display.points, key=lambda point: point.shares.transfer).name
        display.zoom = True
        return display

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
        """The plane with its named corners and sides, paths, points, names and the keys of colours and markers."""
        labelled = list(self._labelled())
        right = side_room(name.name for name in labelled)
        rows = key_rows(self._marked(), 450.0 + right - 24.0)
        empty = Panel(
            "Entropy triangle",
            _summary(self.points),
            Axis(0.0, 1.0),
            Axis(0.0, HEIGHT),
            width=450.0 + right,
            height=470.0 + KEY_ROW * rows,
            margins=(52.0, 40.0, right, 84.0 + KEY_ROW * rows),
        )
        whole = self.part is None
        places = [self.place(point.shares) for point in self.points]
        marks = (
            *(plane(self.place) if self.part is None else self.part.plane()),
            *zones(corners=whole),
            *self._paths(),
            *side_labels(empty, labelled),
            *(side_words(empty, JOINT_SIDES, places) if whole else ()),
            *self._dots(),
            *marker_key(empty, self._marked(), 24.0, empty.height - 12.0 - KEY_ROW * rows),
            *accuracy_key(empty, 176.0, empty.height - 12.0, 166.0),
        )
        return Panel(**{**vars(empty), "marks": marks})

    def _marked(self) -> Names:
        """What has markers of its own: families, else paths where there are several."""
        return self.families or (self.paths if len(self.paths) > 1 else {})

    def _labelled(self) -> Iterator[PlacedName]:
        """Both ends of every path, the best, and every system that no path goes through."""
        names = path_names(self.paths)
        for point in self.points:
            words = names.get(point.name, point.name)
            if point.name == self.best:
                yield PlacedName(*self.place(point.shares), f"{words or point.name} ★")
            elif words is not None:
                yield PlacedName(*self.place(point.shares), words)

    def _paths(self) -> Iterator[Mark]:
        places = {point.name: self.place(point.shares) for point in self.points}
        for at, names in enumerate(self.paths.values()):
            run = tuple(places[name] for name in names)
            yield Line(run, series(at), 2.0, clip=False)
            yield from _arrow(run, series(at))

    def _dots(self) -> Iterator[Mark]:
        marked = markings(self._marked())
        for point in sorted(self.points, key=lambda point: point.accuracy or 0.0):
            shape = marked.get(point.name, Marking("circle", "ink")).shape
            where, fill = self.place(point.shares), accuracy_colour(point.accuracy)
            if point.name == self.best:
                yield Dot(*where, "gold", "star", 12.0, "paper", of=point.name, tip=_tip(point))
            yield Dot(*where, fill, shape, 4.5 if point.name == self.best else 5.5, of=point.name, tip=_tip(point))


def path_names(paths: Names) -> dict[str, str | None]:
    """What is written beside the systems of paths: both ends, with the path where there are several; else nothing."""
    found: dict[str, str | None] = {}
    for title, names in paths.items():
        for name in names:
            words = name if len(paths) == 1 else f"{title}: {name}"
            found[name] = words if name in (names[0], names[-1]) else found.get(name)
    return found


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


def _tip(point: TrianglePoint) -> str:
    right = "" if point.accuracy is None else f"\naccuracy {point.accuracy:.1%}"
    return (
        f"{plain_label(point.name)}{right}\nagreement 2·MI′ {point.shares.transfer:.3f}\n"
        f"imbalance ΔH′ {point.shares.divergence:.3f}\nlost VI′ {point.shares.variation:.3f}\n"
        f"{zone_of(point.shares)}"
    )


def _summary(points: Sequence[TrianglePoint]) -> str:
    best = max(points, key=lambda point: point.shares.transfer)
    return (
        f"Entropy triangle of {counted(len(points), 'system')}. Highest is "
        f"{shortened(best.name, 60)}: agreement "
        f"{best.shares.transfer:.2f}, imbalance {best.shares.divergence:.2f}, lost information "
        f"{best.shares.variation:.2f} ({zone_of(best.shares)})."
    )
