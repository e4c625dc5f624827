"""What a drawing is made of: marks in data coordinates on a panel, which either renderer can draw.

A picture is computed once, as plain data. It says where things are, and in which role; how a role looks
(light, dark, on paper) is the renderer's business.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from numpy.typing import NDArray

__all__ = [
    "Anchor",
    "Axis",
    "Bar",
    "Cloud",
    "Dot",
    "Line",
    "Mark",
    "Panel",
    "Point",
    "Raster",
    "Ribbon",
    "Shape",
    "Size",
    "Words",
    "along",
]

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
Shape = Literal["circle", "ring", "cross", "star", "square", "diamond", "up", "down"]
Size = Literal["tiny", "small", "normal", "large"]


def along(start: Point, end: Point, share: float) -> Point:
    """The point at this share of the way."""
    return start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])


@dataclass(frozen=True)
class Line:
    """A line through points, or the outline of an area where it is closed."""

    points: tuple[Point, ...]
    colour: str = "ink"
    width: float = 1.0
    dash: tuple[float, float] | None = None
    closed: bool = False
    fill: str | None = None
    opacity: float = 1.0
    of: str | None = None
    """Name of the system that the mark belongs to."""
    tip: str | None = None
    clip: bool = True
    part: Literal["", "lead"] = ""


@dataclass(frozen=True)
class Bar:
    """A rectangle."""

    low: Point
    high: Point
    fill: str = "captured"
    opacity: float = 1.0
    hatched: bool = False
    of: str | None = None
    tip: str | None = None


@dataclass(frozen=True)
class Dot:
    """A marker of fixed size on the page."""

    x: float
    y: float
    fill: str = "accent"
    shape: Shape = "circle"
    size: float = 5.0
    colour: str = "ink"
    of: str | None = None
    tip: str | None = None


@dataclass(frozen=True)
class Words:
    """Text at a place; ``shift`` moves it on the page, in pixels to the right and down."""

    x: float
    y: float
    text: str
    colour: str = "ink"
    size: Size = "normal"
    anchor: Anchor = "start"
    shift: Point = (0.0, 0.0)
    angle: float = 0.0
    bold: bool = False
    italic: bool = False
    halo: str | None = None
    """A colour around the letters, where they lie on lines."""
    of: str | None = None
    tip: str | None = None


@dataclass(frozen=True)
class Ribbon:
    """A band that bends from one height to another, equally thick all the way; heights are of its upper edge."""

    start: Point
    end: Point
    thick: float
    fill: str = "false"
    opacity: float = 0.75
    tip: str | None = None


@dataclass(frozen=True)
class Cloud:
    """Very many small dots."""

    points: NDArray[Any]
    colour: str = "accent"
    size: float = 2.0
    opacity: float = 0.5
    of: str | None = None


@dataclass(frozen=True, eq=False)
class Raster:
    """An image of (rows, columns, 3) bytes, the first row on top."""

    low: Point
    high: Point
    pixels: NDArray[Any]
    smooth: bool = False
    """Whether neighbouring pixels blend; cells of a table do not."""


Mark = Line | Bar | Dot | Words | Ribbon | Cloud | Raster


@dataclass(frozen=True)
class Axis:
    """The range of one direction, with its title and ticks; without either the axis is not drawn."""

    low: float
    high: float
    title: str = ""
    ticks: tuple[tuple[float, str], ...] = ()
    grid: bool = False
    line: bool = True


@dataclass(frozen=True)
class Panel:
    """One drawing: marks, axes, and the size at which it was composed, in pixels (= points on paper)."""

    title: str
    summary: str
    """The picture in a sentence, for those who cannot see it."""
    x: Axis
    y: Axis
    marks: tuple[Mark, ...] = ()
    width: float = 560.0
    height: float = 430.0
    margins: tuple[float, float, float, float] = (52.0, 16.0, 16.0, 48.0)
    """Left, top, right, bottom."""
    notes: tuple[str, ...] = field(default=())
    """What could not be shown, in words."""

    @property
    def inner(self) -> tuple[float, float]:
        """Width and height inside the margins."""
        left, top, right, bottom = self.margins
        return self.width - left - right, self.height - top - bottom

    def place(self, x: float, y: float) -> Point:
        """Where a point of the data lies on the page: from the left, from the top."""
        left, top, _, _ = self.margins
        wide, high = self.inner
        across, up = self.x, self.y
        return (  # halves, as a range may be too large for a number
            left + (x / 2 - across.low / 2) / (across.high / 2 - across.low / 2) * wide,
            top + (up.high / 2 - y / 2) / (up.high / 2 - up.low / 2) * high,
        )
