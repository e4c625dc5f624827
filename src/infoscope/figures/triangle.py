"""Entropy triangles: what is lost to imbalance, to error, and what is transmitted, as one point per system.

First the families and paths of systems and the plane that both triangles share, then the entropy triangle, then the
split entropy triangle, in which truth and system are each measured against their own number of classes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, hypot, log10
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from infoscope.core.markup import counted
from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.display import TableDisplay, Tables, tables_by_name
from infoscope.figures.layout import (
    FONT,
    PlacedName,
    accuracy_key,
    at_pixel,
    plain_label,
    shortened,
    side_labels,
    side_room,
    width_of,
)
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Point, Shape, Words, accuracy_colour, along, series
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
from infoscope.tables import Contingency

Names = Mapping[str, Sequence[str]]
"""Names of systems by the title of their family or path."""
MARKERS: tuple[Shape, ...] = ("circle", "square", "diamond", "up", "down", "star")
KEY_ROW = 18.0
"""Pixels between two rows of the key."""


@dataclass(frozen=True)
class Marking:
    """How the systems of one family are marked."""

    shape: Shape
    colour: str


def checked_names(
    groups: Mapping[str, Iterable[object]] | None, known: Iterable[str], kind: str
) -> dict[str, list[str]]:
    """The groups with names as text; one that names no system, or a system that is not there, is rejected."""
    there = set(known)
    found = {str(title): [str(name) for name in names] for title, names in (groups or {}).items()}
    for title, names in found.items():
        if not names:
            raise InputError(f"{kind} {title!r} names no system; name some, or leave it out")
        for name in names:
            if name not in there:
                verb = "names" if kind == "family" else "goes through"
                raise UnknownNameError(f"{kind} {title!r} {verb} {name!r}, which is none of the systems")
    return found


def markings(groups: Names) -> dict[str, Marking]:
    """The marking of each system by its name; one in several groups is marked as in the first."""
    found: dict[str, Marking] = {}
    for at, names in enumerate(groups.values()):
        for name in names:
            found.setdefault(name, Marking(MARKERS[at % len(MARKERS)], series(at)))
    return found


def _rows(groups: Names, room: float) -> list[list[tuple[int, str, float]]]:
    """Entries of the key, row by row: which group, its words, and where they begin."""
    rows: list[list[tuple[int, str, float]]] = []
    x = room + 1.0
    for at, title in enumerate(groups):
        words = shortened(title, 32)
        wide = 34.0 + width_of(words, FONT["small"])
        if x + wide > room:
            rows.append([])
            x = 0.0
        rows[-1].append((at, words, x))
        x += wide
    return rows


def key_rows(groups: Names, room: float) -> int:
    """How many rows of this width the key needs."""
    return len(_rows(groups, room))


def marker_key(panel: Panel, groups: Names, left: float, top: float, *, coloured: bool = False) -> list[Mark]:
    """Each marker with the title of its group, from this place on the page; in its colour where that means the same."""
    marks: list[Mark] = []
    for number, row in enumerate(_rows(groups, panel.width - left)):
        for at, words, x in row:
            y = top + KEY_ROW * number
            shape, colour = MARKERS[at % len(MARKERS)], series(at)
            fill = "paper" if coloured else "dim"
            marks.append(Dot(*at_pixel(panel, left + x + 6.0, y), fill, shape, 4.5, colour if coloured else "ink"))
            marks.append(Words(*at_pixel(panel, left + x + 16.0, y), words, "dim", "small"))
    return marks


HEIGHT = float(np.sqrt(3.0) / 2.0)


class TriangleShares(NamedTuple):
    """Three shares that sum to 1."""

    divergence: float
    transfer: float
    variation: float


def place(shares: TriangleShares) -> Point:
    """Where shares lie: divergence at the lower left, variation at the lower right, transfer on top."""
    return shares.variation + shares.transfer / 2.0, shares.transfer * HEIGHT


_NEAR_CORNER = 0.9
_NEAR_SIDE = 0.05
JOINT_SIDES = ("never confused (VI′ = 0)", "balanced (ΔH′ = 0)", "nothing is transmitted (MI′ = 0)")
"""What the left, the right and the lower side mean."""
SPLIT_SIDES = ("all variety is shared (H′ = 0)", "equally frequent (ΔH′ = 0)", "nothing is shared (MI′ = 0)")


def zone_of(shares: TriangleShares) -> str:
    """The zone of the triangle that a system is in, in words.

    >>> zone_of(TriangleShares(0.02, 0.96, 0.02)), zone_of(TriangleShares(0.6, 0.4, 0.0))
    ('perfect and balanced', 'never confused, classes unbalanced')
    >>> zone_of(TriangleShares(0.7, 0.0, 0.3)), zone_of(TriangleShares(0.2, 0.5, 0.3))
    ('nothing is transmitted', 'part is transmitted, part is lost, classes unbalanced')
    """
    if max(shares) >= _NEAR_CORNER:
        corner = ("hardly anything to decide", "perfect and balanced", "random")
        return corner[shares.index(max(shares))]
    if shares.transfer <= _NEAR_SIDE:
        return "nothing is transmitted"
    if shares.variation <= _NEAR_SIDE:
        return "never confused, classes unbalanced"
    balanced = "balanced" if shares.divergence <= _NEAR_SIDE else "unbalanced"
    return f"part is transmitted, part is lost, classes {balanced}"


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
    """Corners in words, directions in symbols."""
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


def side_words(panel: Panel, sides: Sequence[str], places: Sequence[Point]) -> list[Mark]:
    """The meaning of each side along it, inside, where it is farthest from the points; none where there is no room."""
    ends = (((0.0, 0.0), (0.5, HEIGHT)), ((0.5, HEIGHT), (1.0, 0.0)), ((0.0, 0.0), (1.0, 0.0)))
    looks = ((60.0, (10.0, 6.0)), (-60.0, (-10.0, 6.0)), (0.0, (0.0, -10.0)))
    marks: list[Mark] = []
    points = [panel.place(*at) for at in places]
    for text, (start, end), (angle, shift) in zip(sides, ends, looks, strict=True):
        at = _free_place(panel.place(*start), panel.place(*end), width_of(text, FONT["small"]), points)
        if at is not None:
            marks.append(
                Words(*along(start, end, at), text, "dim", "small", "middle", shift, angle, italic=True, halo="plane")
            )
    return marks


def _free_place(start: Point, end: Point, wide: float, points: Sequence[Point]) -> float | None:
    """Share of the way along a side at which words of this width are farthest from all points; None if they touch."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    half = 0.5 * wide / length
    tries = [0.5, *(0.1 + half + (0.8 - 2 * half) * step / 12 for step in range(13))]

    def room(share: float) -> float:
        spots = [along(start, end, share + half * step / 4) for step in range(-4, 5)]
        return min((hypot(x - px, y - py) for x, y in spots for px, py in points), default=length)

    best = max(tries, key=lambda share: min(room(share), 60.0))
    return best if room(best) > 20.0 and half < 0.4 else None


LARGEST_PART = 0.4
"""A part whose sides are longer than this fraction of the whole is not worth enlarging."""
SMALLEST_PART = 0.05
"""However close the points are, the sides are at least this long."""
_ROOM = 2.0
"""How many times longer its sides are than they need to be."""
_CORNERS = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
_INSET = 0.2
"""Side of the small picture of the whole."""


@dataclass(frozen=True)
class TrianglePart:
    """Shares from these lowest ones on; the largest of each lies one side above its lowest."""

    lowest: TriangleShares
    side: float

    def place(self, shares: TriangleShares) -> Point:
        """Where shares lie in the enlarged part."""
        parts = [(share - low) / self.side for share, low in zip(shares, self.lowest, strict=True)]
        return place(TriangleShares(*parts))

    def plane(self) -> list[Mark]:
        """The part with lines of equal shares, numbered, and the whole in small with the part marked in it."""
        corners = tuple(place(TriangleShares(*corner)) for corner in _CORNERS)
        marks: list[Mark] = [Line(corners, "dim", closed=True, fill="plane", clip=False)]
        digits = max(1, 1 + ceil(-log10(self.side)))
        for at in (0.2, 0.4, 0.6, 0.8):
            rest = 1.0 - at
            for one, other in (
                ((rest, at, 0.0), (0.0, at, rest)),
                ((rest, 0.0, at), (0.0, rest, at)),
                ((at, 0.0, rest), (at, rest, 0.0)),
            ):
                marks.append(Line((place(TriangleShares(*one)), place(TriangleShares(*other))), "grid", clip=False))
            left, below = place(TriangleShares(rest, at, 0.0)), place(TriangleShares(at, 0.0, rest))
            transfer, divergence = self.lowest.transfer + at * self.side, self.lowest.divergence + at * self.side
            marks.append(Words(*left, f"{transfer:.{digits}f}", "dim", "small", "end", (-6.0, -3.0)))
            marks.append(Words(*below, f"{divergence:.{digits}f}", "dim", "small", "middle", (0.0, 11.0)))
        return [*marks, *self._inset()]

    def _inset(self) -> list[Mark]:
        def small(shares: tuple[float, float, float]) -> Point:
            x, y = place(TriangleShares(*shares))
            return 0.8 + _INSET * x, HEIGHT - _INSET * HEIGHT + _INSET * y

        whole = tuple(small(corner) for corner in _CORNERS)
        d, t, v = self.lowest
        part = tuple(small(corner) for corner in ((d + self.side, t, v), (d, t, v + self.side), (d, t + self.side, v)))
        return [
            Line(whole, "dim", closed=True, fill="paper", clip=False),
            Line(part, "accent", 2.5, closed=True, fill="accent", clip=False),
            Words(*small((0.5, 0.0, 0.5)), "part shown", "dim", "small", "middle", (0.0, 11.0)),
        ]


def enlarged_part(points: Sequence[TriangleShares]) -> TrianglePart | None:
    """The part that holds all points with room around them; None where they need much of the triangle.

    >>> enlarged_part([TriangleShares(0.97, 0.01, 0.02), TriangleShares(0.96, 0.02, 0.02)]).lowest.divergence > 0.9
    True
    >>> enlarged_part([TriangleShares(0.9, 0.05, 0.05), TriangleShares(0.1, 0.8, 0.1)]) is None
    True
    """
    lowest = [min(shares[at] for shares in points) for at in range(3)]
    needed = 1.0 - sum(lowest)
    room = (max(_ROOM * needed, SMALLEST_PART) - needed) / 3.0
    lows = TriangleShares(*(max(low - room, 0.0) for low in lowest))
    side = 1.0 - sum(lows)
    return None if side > LARGEST_PART else TrianglePart(lows, side)


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
