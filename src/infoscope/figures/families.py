"""Systems that belong together in a picture: families, each with its own marker, and paths through an order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.drawing.colours import series
from infoscope.figures.drawing.layout import FONT, at_pixel, shortened, width_of
from infoscope.figures.drawing.scene import Dot, Mark, Panel, Shape, Words

__all__ = ["MARKERS", "Marking", "Names", "checked_names", "key_rows", "marker_key", "markings"]

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
