"""Keys: what colours and signs mean, placed in pixels from the left and the top of the page."""

from __future__ import annotations

from collections.abc import Sequence

from infoscope.figures.colours import accuracy_colour
from infoscope.figures.layout import FONT, width_of
from infoscope.figures.scene import Line, Mark, Panel, Point, Words

__all__ = ["accuracy_key", "at_pixel", "legend"]


def at_pixel(panel: Panel, x: float, y: float) -> Point:
    """The point of the data at a place on the page."""
    left, top, _, _ = panel.margins
    wide, high = panel.inner
    return (
        panel.x.low + (x - left) / wide * (panel.x.high - panel.x.low),
        panel.y.high - (y - top) / high * (panel.y.high - panel.y.low),
    )


def accuracy_key(panel: Panel, x: float, y: float, wide: float = 90.0) -> list[Mark]:
    """The colours of accuracy, from 0 to 100%; ``x`` is where the bar begins."""
    steps = 24
    marks: list[Mark] = []
    for step in range(steps):
        a, low = at_pixel(panel, x + wide * step / steps, y + 4.0)
        b, high = at_pixel(panel, x + wide * (step + 1) / steps, y - 4.0)
        colour = accuracy_colour((step + 0.5) / steps)
        corners = ((a, low), (b, low), (b, high), (a, high))
        marks.append(Line(corners, colour, 0.6, closed=True, fill=colour, clip=False))
    marks.append(Words(*at_pixel(panel, x, y), "accuracy 0", "dim", "small", "end", (-6.0, 0.0)))
    marks.append(Words(*at_pixel(panel, x + wide, y), "100%", "dim", "small", shift=(6.0, 0.0)))
    return marks


def legend(panel: Panel, x: float, y: float, entries: Sequence[tuple[str, str]]) -> list[Mark]:
    """Squares of a colour with what each means, in a row: (colour, words)."""
    marks: list[Mark] = []
    for colour, words in entries:
        (a, low), (b, high) = at_pixel(panel, x, y + 5.0), at_pixel(panel, x + 10.0, y - 5.0)
        corners = ((a, low), (b, low), (b, high), (a, high))
        marks.append(Line(corners, colour, 0.0, closed=True, fill=colour, clip=False))
        marks.append(Words(*at_pixel(panel, x + 15.0, y), words, "dim", "small"))
        x += 34.0 + width_of(words, FONT["small"])
    return marks
