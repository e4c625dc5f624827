"""Entropy triangles: what is lost to imbalance, to error, and what is transmitted, as one point per system.

The entropy triangle first, then the split entropy triangle, in which truth and system are each measured against their
own number of classes; before both, what they share: shares and their places, families and paths of systems, the plane,
and the small part of it that is drawn larger where all systems lie together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, log10
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from infoscope.core.markup import pluralize
from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.display import TableDisplay, Tables, name_tables
from infoscope.figures.layout import (
    FONT,
    PlacedName,
    draw_accuracy_key,
    draw_side_labels,
    find_box,
    find_data_point,
    measure_side_room,
    measure_width,
    plain_label,
    shorten,
)
from infoscope.figures.scene import (
    Anchor,
    Axis,
    Dot,
    Line,
    Mark,
    Panel,
    Point,
    Shape,
    Words,
    colour_accuracy,
    find_point_along,
    series,
)
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
MANY_POINTS = 40
"""More dots than this are drawn smaller."""
KEY_ROW = 18.0
"""Pixels between two rows of the key."""


@dataclass(frozen=True)
class Marking:
    """The marks of the systems of one family."""

    shape: Shape
    colour: str


def check_names(groups: Mapping[str, Iterable[object]] | None, known: Iterable[str], kind: str) -> dict[str, list[str]]:
    """Return the groups with names as text; one that names no system, or a system that is not there, is an error."""
    systems = set(known)
    named = {str(title): [str(name) for name in names] for title, names in (groups or {}).items()}
    for title, names in named.items():
        if not names:
            raise InputError(f"{kind} {title!r} names no system; name some, or leave it out")
        for name in names:
            if name not in systems:
                verb = "names" if kind == "family" else "goes through"
                raise UnknownNameError(f"{kind} {title!r} {verb} {name!r}, which is none of the systems")
    return named


def mark_groups(groups: Names) -> dict[str, Marking]:
    """Return the marking of each system by its name; one in several groups is marked as in the first."""
    marked: dict[str, Marking] = {}
    for number, names in enumerate(groups.values()):
        for name in names:
            marked.setdefault(name, Marking(MARKERS[number % len(MARKERS)], series(number)))
    return marked


def name_path_ends(paths: Names) -> dict[str, str | None]:
    """Return what is written beside systems on paths: both ends, with the path where there are several."""
    written: dict[str, str | None] = {}
    for title, names in paths.items():
        for name in names:
            words = name if len(paths) == 1 else f"{title}: {name}"
            written[name] = words if name in (names[0], names[-1]) else written.get(name)
    return written


def lay_out_key(groups: Names, room: float) -> list[list[tuple[int, str, float]]]:
    """Return the entries of the key, row by row: which group, its words, and where they begin."""
    rows: list[list[tuple[int, str, float]]] = []
    x = room + 1.0
    for number, title in enumerate(groups):
        words = shorten(title, 32)
        wide = 34.0 + measure_width(words, FONT["small"])
        if x + wide > room:
            rows.append([])
            x = 0.0
        rows[-1].append((number, words, x))
        x += wide
    return rows


def draw_marker_key(panel: Panel, groups: Names, left: float, top: float, *, coloured: bool = False) -> list[Mark]:
    """Draw each marker with the title of its group; in its colour where that means the same."""
    marks: list[Mark] = []
    for row, entries in enumerate(lay_out_key(groups, panel.width - left)):
        for number, words, x in entries:
            y = top + KEY_ROW * row
            shape, colour = MARKERS[number % len(MARKERS)], series(number)
            fill = "paper" if coloured else "dim"
            marks.append(
                Dot(*find_data_point(panel, left + x + 6.0, y), fill, shape, 4.5, colour if coloured else "ink")
            )
            marks.append(Words(*find_data_point(panel, left + x + 16.0, y), words, "dim", "small"))
    return marks


HEIGHT = float(np.sqrt(3.0) / 2.0)


class TriangleShares(NamedTuple):
    """Three shares that sum to 1."""

    divergence: float
    transfer: float
    variation: float


def place(shares: TriangleShares) -> Point:
    """Return where shares lie: divergence at the lower left, variation at the lower right, transfer on top."""
    return shares.variation + shares.transfer / 2.0, shares.transfer * HEIGHT


_CORNERS = ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
_NEAR_CORNER = 0.9
_NEAR_SIDE = 0.05
JOINT_SIDES = ("never confused (VI′ = 0)", "balanced (ΔH′ = 0)", "nothing is transmitted (MI′ = 0)")
"""Meanings of the left, the right and the lower side."""
SPLIT_SIDES = ("all variety is shared (H′ = 0)", "equally frequent (ΔH′ = 0)", "nothing is shared (MI′ = 0)")


def describe_zone(shares: TriangleShares) -> str:
    """Return the zone of the triangle that a system is in, in words.

    >>> describe_zone(TriangleShares(0.02, 0.96, 0.02)), describe_zone(TriangleShares(0.6, 0.4, 0.0))
    ('perfect and balanced', 'never confused, classes unbalanced')
    >>> describe_zone(TriangleShares(0.7, 0.0, 0.3)), describe_zone(TriangleShares(0.2, 0.5, 0.3))
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


_STEPS = (0.2, 0.4, 0.6, 0.8)


def draw_plane(where: Callable[..., Point]) -> list[Mark]:
    """Draw the triangle with lines of equal shares, seen through ``where``."""
    marks: list[Mark] = [
        Line(tuple(where(TriangleShares(*c)) for c in _CORNERS), "dim", closed=True, fill="plane", clip=False)
    ]
    for share in _STEPS:
        rest = 1.0 - share
        for one, other in (
            (TriangleShares(rest, share, 0.0), TriangleShares(0.0, share, rest)),
            (TriangleShares(rest, 0.0, share), TriangleShares(0.0, rest, share)),
            (TriangleShares(share, 0.0, rest), TriangleShares(share, rest, 0.0)),
        ):
            marks.append(Line((where(one), where(other)), "grid", clip=False))
    return marks


def draw_scales(
    panel: Panel,
    where: Callable[..., Point],
    dots: Sequence[Point],
    lowest: Sequence[float] = (0.0, 0.0, 0.0),
    side: float = 1.0,
) -> list[Mark]:
    """Write numbers at the lines of equal shares: transfer on the left, variation on the right, divergence below.

    A number that one of ``dots`` would cover is left out.
    """
    digits = max(1, ceil(1 - log10(side)))
    marks: list[Words] = []
    for share in _STEPS:
        rest = 1.0 - share
        numbers = [f"{low + share * side:.{digits}f}" for low in lowest]
        left, right = where(TriangleShares(rest, share, 0.0)), where(TriangleShares(0.0, rest, share))
        marks += [
            Words(*left, numbers[1], "dim", "small", "end", (-6.0, -3.0)),
            Words(*right, numbers[2], "dim", "small", "start", (6.0, -3.0), halo="paper"),
            Words(*where(TriangleShares(share, 0.0, rest)), numbers[0], "dim", "small", "middle", (0.0, 11.0)),
        ]
    taken = [panel.place(*dot) for dot in dots]
    return [words for words in marks if not any(find_box(panel, words).covers_dot(*dot) for dot in taken)]


def draw_zones(where: Callable[..., Point]) -> list[Mark]:
    """Draw the strips along the sides and the corners in which the kind of a system is clear; a tip says which."""
    marks: list[Mark] = []
    for at in range(3):
        here, left, right = (np.roll((1.0, 0.0, 0.0), at + turn) for turn in range(3))
        strip = [left, right, *(_NEAR_SIDE * here + (1.0 - _NEAR_SIDE) * end for end in (right, left))]
        corner = [here, *(_NEAR_CORNER * here + (1.0 - _NEAR_CORNER) * end for end in (left, right))]
        for colour, ends in (("dim", strip), ("accent", corner)):
            outline = tuple(where(TriangleShares(*end.tolist())) for end in ends)
            tip = describe_zone(TriangleShares(*np.mean(ends, axis=0).tolist()))
            marks.append(Line(outline, colour, 0.5, closed=True, fill=colour, opacity=0.25, tip=tip, clip=False))
    return marks


def draw_side_words(panel: Panel, sides: Sequence[str], places: Sequence[Point], least: float = 20.0) -> list[Mark]:
    """Write the meaning of each side along it, inside, farthest from the points; not where there is no room."""
    ends = (((0.0, 0.0), (0.5, HEIGHT)), ((0.5, HEIGHT), (1.0, 0.0)), ((0.0, 0.0), (1.0, 0.0)))
    looks = ((60.0, (10.0, 6.0)), (-60.0, (-10.0, 6.0)), (0.0, (0.0, -10.0)))
    marks: list[Mark] = []
    points = np.array([panel.place(*point) for point in places], dtype=np.float64).reshape(-1, 1, 2)
    for text, (start, end), (angle, shift) in zip(sides, ends, looks, strict=True):
        first, last = np.array(panel.place(*start)), np.array(panel.place(*end))
        length = float(np.hypot(*(last - first)))
        half = 0.5 * measure_width(text, FONT["small"]) / length
        # at shares of the way, the room from nine spots along the words to the nearest point
        rooms: dict[float, float] = {}
        for share in (0.5, *(0.1 + half + (0.8 - 2 * half) * step / 12 for step in range(13))):
            spots = first + (share + half * np.arange(-4, 5)[:, None] / 4) * (last - first)
            apart = points - spots
            rooms[share] = float(np.hypot(apart[..., 0], apart[..., 1]).min(initial=length))
        best = max(rooms, key=lambda share: min(rooms[share], 60.0))
        if rooms[best] > least and half < 0.4:
            middle = find_point_along(start, end, best)
            marks.append(Words(*middle, text, "dim", "small", "middle", shift, angle, italic=True, halo="plane"))
    return marks


LARGEST_PART = 0.4
"""A part whose sides are longer than this fraction of the whole is not worth enlarging."""
SMALLEST_PART = 0.05
"""However close the points are, the sides are at least this long."""
_ROOM = 2.0
"""Factor by which its sides are longer than they need to be."""
_INSET = 0.2
"""Side of the small picture of the whole."""


@dataclass(frozen=True)
class TrianglePart:
    """Shares from these lowest ones on; the largest of each lies one side above its lowest."""

    lowest: TriangleShares
    side: float

    def place(self, shares: TriangleShares) -> Point:
        """Return where shares lie in the enlarged part."""
        parts = [(share - low) / self.side for share, low in zip(shares, self.lowest, strict=True)]
        return place(TriangleShares(*parts))

    def draw_plane(self) -> list[Mark]:
        """Draw the part with lines of equal shares, and the triangle in small with the part marked in it."""

        def place_in_small(shares: tuple[float, float, float]) -> Point:
            x, y = place(TriangleShares(*shares))
            return 0.8 + _INSET * x, HEIGHT - _INSET * HEIGHT + _INSET * y

        d, t, v = self.lowest
        corners = ((d + self.side, t, v), (d, t, v + self.side), (d, t + self.side, v))
        triangle, part = (tuple(place_in_small(corner) for corner in shape) for shape in (_CORNERS, corners))
        return [
            *draw_plane(place),
            Line(triangle, "dim", closed=True, fill="paper", clip=False),
            Line(part, "accent", 2.5, closed=True, fill="accent", clip=False),
            Words(*place_in_small((0.5, 0.0, 0.5)), "part shown", "dim", "small", "middle", (0.0, 11.0)),
        ]


def enlarge_part(points: Sequence[TriangleShares]) -> TrianglePart | None:
    """Return the part that holds all points with room around them; None where they need much of the triangle.

    >>> enlarge_part([TriangleShares(0.97, 0.01, 0.02), TriangleShares(0.96, 0.02, 0.02)]).lowest.divergence > 0.9
    True
    >>> enlarge_part([TriangleShares(0.9, 0.05, 0.05), TriangleShares(0.1, 0.8, 0.1)]) is None
    True
    """
    lowest = [min(values) for values in zip(*points, strict=True)]
    needed = 1.0 - sum(lowest)
    room = (max(_ROOM * needed, SMALLEST_PART) - needed) / 3.0
    lows = TriangleShares(*(max(low - room, 0.0) for low in lowest))
    side = 1.0 - sum(lows)
    return None if side > LARGEST_PART else TrianglePart(lows, side)


_ORIGIN = (0.42, 0.3)
_ENDS = {"ΔH′": (0.04, 0.02), "2·MI′": (0.42, HEIGHT), "VI′": (0.92, 0.14)}
"""Where the three axes of space end on the page."""


def place_in_space(shares: Sequence[float]) -> Point:
    """Return where a point of space lies on the page; three shares that sum to 1 lie in the triangle.

    >>> place_in_space((0.0, 0.0, 0.0)), place_in_space((0.0, 0.0, 1.0))
    ((0.42, 0.3), (0.92, 0.14))
    """
    x, y = (
        start + sum(share * (end[at] - start) for share, end in zip(shares, _ENDS.values(), strict=True))
        for at, start in enumerate(_ORIGIN)
    )
    return round(x, 12), round(y, 12)


def draw_space(points: Sequence[TriangleShares]) -> list[Mark]:
    """Draw the axes of the three shares, the triangle between their ends, and each point's way down to the ground."""
    marks = draw_plane(place_in_space)
    anchors: tuple[Anchor, ...] = ("end", "end", "start")
    for at, title in enumerate(_ENDS):  # dashed behind the triangle
        half, end, tip = (place_in_space([share * (axis == at) for axis in range(3)]) for share in (0.5, 1.0, 1.06))
        marks += [Line((_ORIGIN, end), "dim", dash=(2.0, 3.0), clip=False), Line((end, tip), "dim", clip=False)]
        marks += [Words(*half, "0.5", "dim", "small", anchors[at], ((-6.0, -5.0), (-6.0, 0.0), (2.0, -9.0))[at])]
        marks += [Words(*end, "1.0", "dim", "small", anchors[at], ((-6.0, -8.0), (-8.0, 6.0), (4.0, 14.0))[at])]
        marks.append(Words(*tip, title, "dim", anchor="middle", shift=((-10.0, 10.0), (0.0, -10.0), (14.0, 0.0))[at]))
    for divergence, transfer, variation in points:
        way = place_in_space((divergence, transfer, variation)), place_in_space((divergence, 0.0, variation))
        marks.append(Line(way, "dim", 0.8, (3.0, 3.0), clip=False))
    return marks


Corner = Literal["divergence", "transfer", "variation"]


def warp(shares: TriangleShares, corner: Corner, times: float) -> TriangleShares:
    """Return the shares seen through a lens that magnifies one corner; straight lines stay straight.

    >>> warp(TriangleShares(0.0, 0.8, 0.2), "transfer", 4.0)
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
    """True to draw only the part where the systems are, where that is a small one; the whole is an inset."""
    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names of systems that share a marker, by the title of their family."""
    best: str | None = None
    """A system that gets a star around it."""
    simplex: bool = False
    """True to draw the triangle in the space of its three shares."""
    zones: bool = False
    """True to shade the corners and sides, where the kind of a system is clear, and to name them all."""

    def __post_init__(self) -> None:
        """Reject paths and families of systems that are not there, and lenses that shrink."""
        systems = [point.name for point in self.points]
        self.paths = check_names(self.paths, systems, "path")
        self.families = check_names(self.families, systems, "family")
        if self.magnify is not None and not (self.magnify[0] in TriangleShares._fields and self.magnify[1] >= 1.0):
            raise InputError(
                f"magnify is {self.magnify!r}; name a corner (divergence, transfer or variation) and a factor "
                "of 1 or more"
            )
        if self.simplex and self.magnify is not None:
            raise InputError("the simplex has no lens; leave out magnify or simplex")

    @classmethod
    def from_table(
        cls,
        tables: Tables,
        *,
        name: str = "system",
        paths: Mapping[str, Sequence[Any]] | None = None,
        families: Mapping[str, Sequence[Any]] | None = None,
        magnify: tuple[Corner, float] | None = None,
        simplex: bool = False,
        zones: bool = False,
    ) -> Self:
        """Make one point per table: systems, groups, or steps of an ordered condition that ``paths`` joins.

        ``families`` gives the systems of each family a marker of their own. ``simplex`` draws the triangle as it lies
        in the space of the three shares, ``zones`` shades its corners and sides, where the kind of a system is clear.
        """
        points = []
        for key, table in name_tables(tables, name).items():
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
        return cls(points, paths or {}, magnify, families=families or {}, simplex=simplex, zones=zones)

    @classmethod
    def from_epochs(cls, tables: Mapping[Any, Contingency], *, title: str = "epochs") -> Self:
        """Draw the path of a system in training, one table of held-out samples per epoch.

        Training should have stopped at the epoch that transmits the most information, which has the star.

        >>> from infoscope.tables import Contingency
        >>> epochs = {1: [[6, 4], [4, 6]], 2: [[9, 1], [1, 9]], 3: [[8, 2], [2, 8]]}
        >>> EntropyTriangleDisplay.from_epochs({epoch: Contingency.from_matrix(m) for epoch, m in epochs.items()}).best
        '2'
        """
        if not isinstance(tables, Mapping) or len(tables) < 2:
            raise InputError("a path needs two epochs; give tables by epoch, as {1: table, 2: table}")
        display = cls.from_table(tables, paths={title: list(tables)})
        display.best = max(display.points, key=lambda point: point.shares.transfer).name
        display.zoom = True
        return display

    def place(self, shares: TriangleShares) -> Point:
        """Return where shares lie in this picture: in space, through its lens, or in the part that it shows."""
        if self.simplex:
            return place_in_space(shares)
        if self.part is not None:
            return self.part.place(shares)
        return place(warp(shares, *self.magnify) if self.magnify else shares)

    @property
    def part(self) -> TrianglePart | None:
        """The part that is shown; None for the whole triangle."""
        is_whole = self.simplex or self.magnify or not self.zoom
        return None if is_whole else enlarge_part([point.shares for point in self.points])

    @property
    def _marked(self) -> Names:
        """Families, else paths where there are several: each has markers of its own."""
        return self.families or (self.paths if len(self.paths) > 1 else {})

    def panel(self) -> Panel:
        """Draw the plane with its named corners and sides, paths, points, names and the keys of colours and markers."""
        part, places = self.part, {point.name: self.place(point.shares) for point in self.points}
        # both ends of every path, the best, and every system that no path goes through
        written = name_path_ends(self.paths)
        names = []
        for point in self.points:
            words = written.get(point.name, point.name)
            if point.name == self.best:
                words = f"{words or point.name} ★"
            if words is not None:
                names.append(PlacedName(*places[point.name], words))
        right = measure_side_room(name.name for name in names)
        rows = len(lay_out_key(self._marked, 450.0 + right - 24.0))
        highest = max(self.points, key=lambda point: point.shares.transfer)
        panel = Panel(
            "Entropy triangle",
            f"Entropy triangle of {pluralize(len(self.points), 'system')}{' in space' if self.simplex else ''}. "
            f"Highest is {shorten(highest.name, 60)}: agreement "
            f"{highest.shares.transfer:.2f}, imbalance {highest.shares.divergence:.2f}, lost information "
            f"{highest.shares.variation:.2f} ({describe_zone(highest.shares)}).",
            Axis(0.0, 1.0),
            Axis(0.0, HEIGHT),
            width=450.0 + right,
            height=470.0 + KEY_ROW * rows,
            margins=(52.0, 40.0, right, 84.0 + KEY_ROW * rows),
        )

        if self.simplex:
            below, above = draw_space([point.shares for point in self.points]), []
        elif part is None:
            below, above = draw_plane(self.place), draw_scales(panel, self.place, list(places.values()))
            below += draw_zones(self.place) if self.zones else []
            above += [
                Words(0.5, HEIGHT, "perfect and balanced", "dim", anchor="middle", shift=(0.0, -16.0), italic=True),
                Words(0.0, 0.0, "always the same prediction", "dim", shift=(-44.0, 48.0), italic=True),
                Words(1.0, 0.0, "random", "dim", anchor="end", shift=(12.0, 48.0), italic=True),
                *draw_side_words(panel, JOINT_SIDES, list(places.values()), -1.0 if self.zones else 20.0),
            ]
        else:
            below, above = part.draw_plane(), draw_scales(panel, place, list(places.values()), part.lowest, part.side)
        if not self.simplex:
            away = 38.0 if part is None else 56.0  # beside numbers of three digits
            for x, y, text, shift, angle in (
                (0.25, HEIGHT / 2, "agreement 2·MI′ →", (-away, -18.0), 60.0),
                (0.75, HEIGHT / 2, "lost information VI′ →", (away, -18.0), -60.0),
                (0.5, 0.0, "← imbalance ΔH′", (0.0, 30.0), 0.0),
            ):
                above.append(Words(x, y, text, "dim", anchor="middle", shift=shift, angle=angle, halo="paper"))
        marks = below
        for number, path in enumerate(self.paths.values()):
            run, colour = tuple(places[name] for name in path), series(number)
            marks += [Line(run, colour, 2.0, clip=False), *_draw_arrow(run, colour)]
        marks += [*draw_side_labels(panel, names), *above]
        marked, size = mark_groups(self._marked), 5.5 if len(self.points) <= MANY_POINTS else 4.0
        for point in sorted(self.points, key=lambda point: point.accuracy or 0.0):
            shape = marked.get(point.name, Marking("circle", "ink")).shape
            where, fill, is_best = places[point.name], colour_accuracy(point.accuracy), point.name == self.best
            right_share = "" if point.accuracy is None else f"\naccuracy {point.accuracy:.1%}"
            tip = (
                f"{plain_label(point.name)}{right_share}\nagreement 2·MI′ {point.shares.transfer:.3f}\n"
                f"imbalance ΔH′ {point.shares.divergence:.3f}\nlost VI′ {point.shares.variation:.3f}\n"
                f"{describe_zone(point.shares)}"
            )
            if is_best:
                marks.append(Dot(*where, "gold", "star", 12.0, "paper", of=point.name, tip=tip))
            marks.append(Dot(*where, fill, shape, 4.5 if is_best else size, of=point.name, tip=tip))
        bottom = panel.height - 12.0
        marks += draw_marker_key(panel, self._marked, 24.0, bottom - KEY_ROW * rows)
        marks += draw_accuracy_key(panel, 176.0, bottom, 166.0)
        return replace(panel, marks=tuple(marks))


def _draw_arrow(run: tuple[Point, ...], colour: str) -> list[Mark]:
    """Draw a head in the middle of the last step that has a length."""
    for (x0, y0), (x1, y1) in zip(run[-2::-1], run[:0:-1], strict=True):
        length = float(np.hypot(x1 - x0, y1 - y0))
        if length > 0.03:
            ux, uy = (x1 - x0) / length, (y1 - y0) / length
            tip = ((x0 + x1) / 2 + 0.014 * ux, (y0 + y1) / 2 + 0.014 * uy)
            back = (tip[0] - 0.03 * ux, tip[1] - 0.03 * uy)
            wings = ((back[0] - 0.012 * uy, back[1] + 0.012 * ux), (back[0] + 0.012 * uy, back[1] - 0.012 * ux))
            return [Line((tip, *wings), colour, closed=True, fill=colour, clip=False)]
    return []


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
    """True to draw only the part where the systems are, where that is a small one; the whole is an inset."""
    paths: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names to be joined in the order of a condition, truth by truth and system by system."""
    families: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Names of systems that share a marker and a colour, by the title of their family."""

    def __post_init__(self) -> None:
        """Reject paths and families of systems that are not there."""
        systems = [point.name for point in self.points]
        self.paths = check_names(self.paths, systems, "path")
        self.families = check_names(self.families, systems, "family")

    @classmethod
    def from_table(
        cls,
        tables: Tables,
        *,
        name: str = "system",
        paths: Mapping[str, Sequence[Any]] | None = None,
        families: Mapping[str, Sequence[Any]] | None = None,
    ) -> Self:
        """Join a pair per table; ``paths`` joins steps of an ordered condition, ``families`` share a marker."""
        points = []
        for key, table in name_tables(tables, name).items():
            truth = (split_truth_divergence(table), split_truth_transfer(table), split_truth_remainder(table))
            system = (split_system_divergence(table), split_system_transfer(table), split_system_remainder(table))
            if not np.isfinite([*truth, *system]).all():
                raise InputError(f"a side of {key!r} has one class only, so it has no place in the split triangle")
            points.append(SplitPoint(key, TriangleShares(*map(float, truth)), TriangleShares(*map(float, system))))
        return cls(points, paths=paths or {}, families=families or {})

    @property
    def _marked(self) -> Names:
        """Families, else paths: each has markers and colours of its own."""
        return self.families or self.paths

    def panel(self) -> Panel:
        """Draw the plane, and for each system its two ends."""
        written = name_path_ends(self.paths)
        words = {point.name: written.get(point.name, point.name) for point in self.points}
        right = measure_side_room(text for text in words.values() if text is not None)
        rows = len(lay_out_key(self._marked, 450.0 + right - 24.0))
        transmitted = [
            f"{shorten(point.name, 40)} transmits {point.truth.transfer:.2f} of the truth's and "
            f"{point.system.transfer:.2f} of the output's maximum entropy"
            for point in self.points[:4]
        ]
        panel = Panel(
            "Split entropy triangle",
            f"Split entropy triangle of {pluralize(len(self.points), 'system')}: {'; '.join(transmitted)}.",
            Axis(0.0, 1.0),
            Axis(0.0, HEIGHT),
            width=450.0 + right,
            height=440.0 + KEY_ROW * rows,
            margins=(52.0, 40.0, right, 56.0 + KEY_ROW * rows),
        )
        ends = [shares for point in self.points for shares in (point.truth, point.system)]
        part = enlarge_part(ends) if self.zoom else None
        where = place if part is None else part.place
        marks = draw_plane(place) if part is None else part.draw_plane()
        if part is None:
            marks += [
                Words(0.5, HEIGHT, "all shared, MI′", "dim", anchor="middle", shift=(0.0, -16.0), italic=True),
                Words(0.0, 0.0, "no variety, ΔH′", "dim", shift=(-44.0, 32.0), italic=True),
                Words(1.0, 0.0, "not shared, H′", "dim", anchor="end", shift=(12.0, 32.0), italic=True),
            ]
        signs = f"× truth,  {'marker' if self._marked else '○'} system"
        marks.append(Words(0.5, 0.0, signs, "dim", anchor="middle", shift=(0.0, 32.0)))
        labels = [(where(point.system), words[point.name]) for point in self.points]
        marks += draw_side_labels(panel, [PlacedName(*point, text) for point, text in labels if text is not None])
        dots = [where(end) for end in ends]
        marks += draw_scales(panel, place, dots, *((part.lowest, part.side) if part is not None else ()))
        if part is None:
            marks += draw_side_words(panel, SPLIT_SIDES, dots)
        places = {point.name: (where(point.truth), where(point.system)) for point in self.points}
        for number, names in enumerate(self.paths.values()):  # of the truth dashed
            truth, system = zip(*(places[name] for name in names), strict=True)
            marks += [
                Line(truth, series(number), 1.2, (4.0, 3.0), clip=False),
                Line(system, series(number), 2.0, clip=False),
            ]
        marked, smaller = mark_groups(self._marked), 0.0 if len(self.points) <= MANY_POINTS else 1.5
        for number, point in enumerate(self.points):
            marking = marked.get(point.name, Marking("ring", series(number)))
            tip = (
                f"{plain_label(point.name)}\nshared: {point.truth.transfer:.3f} of log k, "
                f"{point.system.transfer:.3f} of log m\n"
                f"missed {point.truth.variation:.3f}, false {point.system.variation:.3f}\n"
                f"imbalance: truth {point.truth.divergence:.3f}, system {point.system.divergence:.3f}"
            )
            ring = marking.shape == "ring"
            size, inside = (6.5, marking.colour) if ring else (5.5, "paper")
            marks += [
                Line(places[point.name], marking.colour, 1.5, opacity=0.7, of=point.name, clip=False),
                Dot(
                    *where(point.system), inside, marking.shape, size - smaller, marking.colour, of=point.name, tip=tip
                ),
                Dot(
                    *where(point.truth),
                    marking.colour,
                    "cross",
                    (5.0 if ring else 4.0) - smaller,
                    of=point.name,
                    tip=tip,
                ),
            ]
        top = panel.height + 6.0 - KEY_ROW * rows
        marks += draw_marker_key(panel, self._marked, 24.0, top, coloured=True)
        return replace(panel, marks=tuple(marks))
