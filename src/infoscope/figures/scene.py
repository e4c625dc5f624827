"""Marks of a picture in data coordinates, the panel that holds them, and colours by role.

A picture is computed once, as plain data. It says where things are, and in which role; how a role looks (light, dark,
on paper) is the business of the renderers, ``svg.py`` and ``matplotlib.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
Shape = Literal["circle", "ring", "cross", "star", "square", "diamond", "up", "down"]
Size = Literal["tiny", "small", "normal", "large"]


def find_point_along(start: Point, end: Point, share: float) -> Point:
    """Return the point at this share of the way."""
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
    """True if neighbouring pixels blend; cells of a table do not."""


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
    """Sentence about what could not be shown."""

    @property
    def inner(self) -> tuple[float, float]:
        """Width and height inside the margins."""
        left, top, right, bottom = self.margins
        return self.width - left - right, self.height - top - bottom

    def place(self, x: float, y: float) -> Point:
        """Return where a point of the data lies on the page: from the left, from the top."""
        left, top, _, _ = self.margins
        wide, high = self.inner
        across, up = self.x, self.y
        return (  # halves, as a range may be too large for a number
            left + (x / 2 - across.low / 2) / (across.high / 2 - across.low / 2) * wide,
            top + (up.high / 2 - y / 2) / (up.high / 2 - up.low / 2) * high,
        )


LIGHT = {
    "ink": "#16181d",
    "dim": "#5a6070",
    "faint": "#c9ced8",
    "grid": "#e1e5eb",
    "plane": "#f5f6f8",
    "paper": "#ffffff",
    "accent": "#0068a8",
    "captured": "#0068a8",
    "missed": "#cf9200",
    "false": "#c24a00",
    "rejected": "#6a4c93",
    "on-captured": "#ffffff",
    "on-missed": "#16181d",
    "on-false": "#ffffff",
    "gold": "#b8860b",
    "series0": "#0068a8",
    "series1": "#b84300",
    "series2": "#00795a",
    "series3": "#a3406f",
    "series4": "#8f6200",
    "series5": "#007c8a",
    "series6": "#557000",
    "series7": "#7a5230",
}
DARK = {
    "ink": "#e9e7e2",
    "dim": "#a9afbb",
    "faint": "#454c58",
    "grid": "#2a2f38",
    "plane": "#181b21",
    "paper": "#101216",
    "accent": "#6dbbec",
    "captured": "#4aa8e0",
    "missed": "#e0a93a",
    "false": "#f08049",
    "rejected": "#b79ce0",
    "on-captured": "#0b0d10",
    "on-missed": "#0b0d10",
    "on-false": "#0b0d10",
    "gold": "#f0c54a",
    "series0": "#6dbbec",
    "series1": "#f59a6b",
    "series2": "#4cc9a0",
    "series3": "#e391bd",
    "series4": "#e0b04a",
    "series5": "#5fd0dd",
    "series6": "#b4cf5a",
    "series7": "#d0a27f",
}
"""The same roles on a dark page."""

VIRIDIS = ("#440154", "#482878", "#3e4a89", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725")
ERRORS = ("#f5f6f8", "#f6d7c4", "#e99c6f", "#cf6226", "#8f3500")
REJECTIONS = ("#f5f6f8", "#ded5ec", "#b9a6d6", "#8a6fb5", "#553a80")
HITS = ("#e2edf6", "#a9cde6", "#5aa0d0", "#0068a8", "#004a78")


def series(number: int) -> str:
    """Return the role of the n-th of several things of a kind."""
    return f"series{number % 8}"


def parse_colour(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue of ``#rrggbb``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def hexadecimal(parts: Iterable[float]) -> str:
    """Return ``#rrggbb`` of red, green and blue."""
    return "#" + "".join(f"{round(float(part)):02x}" for part in parts)


def blend_colours(stops: Sequence[str], share: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return colours between the stops, (..., 3), for shares from 0 to 1."""
    table = np.array([parse_colour(stop) for stop in stops], dtype=np.float64)
    where = np.clip(np.asarray(share, dtype=np.float64), 0.0, 1.0) * (len(stops) - 1)
    return np.stack([np.interp(where, np.arange(len(stops)), table[:, part]) for part in range(3)], axis=-1)


def colour_accuracy(accuracy: float | None) -> str:
    """Return dark for never right, bright for always right; grey where there is no accuracy."""
    return "#8a8f99" if accuracy is None or not np.isfinite(accuracy) else hexadecimal(blend_colours(VIRIDIS, accuracy))


def on_colour(colour: str) -> str:
    """Return black or white, whichever reads better on a colour (by WCAG contrast)."""
    parts = [part / 255 for part in parse_colour(colour)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#ffffff" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#000000"


def is_dark(colour: str) -> bool:
    """Return whether a page of this colour needs light ink."""
    return on_colour(colour) == "#ffffff"
