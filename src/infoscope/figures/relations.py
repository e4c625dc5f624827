"""Relations of columns as a matrix, dark where two tell much about each other, and as a graph on a circle."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin
from typing import Self

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from infoscope.errors import InputError
from infoscope.figures.display import Display
from infoscope.figures.layout import measure_width, plain_label, shorten
from infoscope.figures.scene import Anchor, Axis, Bar, Dot, Line, Mark, Panel, Words
from infoscope.studies.relate import Relations

MAX_COLUMNS = 40
SIDE = (18.0, 44.0)
"""Least and greatest side of a cell."""
LEAST_WIDTH = 480.0


@dataclass(frozen=True)
class RelationCell:
    """A cell of the map: what one column tells about another, in bits, and as a share of the larger possible."""

    first: str
    second: str
    bits: float
    part: float
    significant: bool


@dataclass(repr=False)
class RelationMatrixDisplay(Display):
    """Cells by the share of the smaller entropy that a pair has in common; hollow where chance explains it.

    >>> from infoscope.studies.relate import relate
    >>> display = RelationMatrixDisplay.from_relations(relate({"x": [0, 1] * 9, "y": [0, 1] * 9, "z": [0, 0, 1] * 6}))
    >>> sorted(display.names)
    ['x', 'y', 'z']
    """

    names: list[str]
    cells: list[RelationCell]

    @classmethod
    def from_relations(cls, relations: Relations) -> Self:
        """Draw all pairs of a result; with a target, its pairs alone."""
        if not relations.relations:
            raise InputError("there is no relation to draw; relate at least two columns")
        cells = [
            RelationCell(
                relation.first,
                relation.second,
                relation.information.shown or 0.0,
                max(relation.of_first or 0.0, relation.of_second or 0.0),
                relation.is_significant(relations.level),
            )
            for relation in relations.relations
        ]
        names = list(dict.fromkeys(name for cell in cells for name in (cell.first, cell.second)))[:MAX_COLUMNS]
        kept = [cell for cell in cells if cell.first in names and cell.second in names]
        if len(names) > 2:  # those that tell about each other side by side, by the tree of average linkage
            place = {name: number for number, name in enumerate(names)}
            apart = np.ones((len(names), len(names)))
            np.fill_diagonal(apart, 0.0)
            for cell in kept:
                one, other = place[cell.first], place[cell.second]
                apart[one, other] = apart[other, one] = 1.0 - min(cell.part, 1.0)
            names = [names[leaf] for leaf in leaves_list(linkage(squareform(apart), "average")).tolist()]
        return cls(names, kept)

    def panel(self) -> Panel:
        """Draw a square for each pair, twice."""
        size = len(self.names)
        side = min(SIDE[1], max(SIDE[0], 480.0 / size))
        short_names = [shorten(plain_label(name), 18) for name in self.names]
        widest = max(measure_width(name, 11.0) for name in short_names)
        left, top, right = 12.0 + widest, 12.0 + 0.9 * widest, max(60.0, 0.7 * widest)
        marks: list[Mark] = []
        place = {name: number for number, name in enumerate(self.names)}
        for cell in self.cells:
            tip = f"{plain_label(cell.first)} and {plain_label(cell.second)}: {cell.bits:.3f} bits"
            for one, other in ((cell.first, cell.second), (cell.second, cell.first)):
                row, column = place[one], place[other]
                low, high = (column + 0.04, row + 0.96), (column + 0.96, row + 0.04)
                if not cell.significant:  # hollow where chance explains it
                    corners = (low, (high[0], low[1]), high, (low[0], high[1]))
                    marks.append(Line(corners, "faint", closed=True, tip=f"{tip}, not more than chance"))
                    continue
                marks.append(Bar(low, high, "captured", 0.15 + 0.85 * float(np.sqrt(min(cell.part, 1.0))), tip=tip))
                if side >= 30.0:
                    ink = "on-captured" if cell.part > 0.3 else "ink"
                    text = f"{cell.bits:.2f}" if cell.bits >= 0.005 else "<.01"
                    marks.append(Words(column + 0.5, row + 0.5, text, ink, "tiny", "middle", (0.0, 3.0)))
        for number, (name, short) in enumerate(zip(self.names, short_names, strict=True)):
            middle, tip = number + 0.5, plain_label(name)
            marks.append(Words(0.0, middle, short, "ink", "small", "end", (-6.0, 3.5), tip=tip))
            marks.append(Words(middle, 0.0, short, "ink", "small", "start", (3.5, -6.0), 50.0, tip=tip))
        significant = [cell for cell in self.cells if cell.significant]
        best = max(significant, key=lambda cell: cell.bits, default=None)
        closest = "" if best is None else f" Closest are {best.first} and {best.second}, {best.bits:.2f} bits."
        return Panel(
            "Relation matrix",
            f"Relations of {size} columns: {len(significant)} of {len(self.cells)} pairs are significant.{closest}",
            Axis(0.0, float(size)),
            Axis(float(size), 0.0),
            tuple(marks),
            width=max(left + side * size + right, LEAST_WIDTH),
            height=top + side * size + 12.0,
            margins=(left, top, max(right, LEAST_WIDTH - left - side * size), 12.0),
        )


MAX_LINES = 120


@dataclass(repr=False)
class RelationGraphDisplay(Display):
    """Significant relations as lines, the thicker the more bits; related columns stand side by side.

    >>> from infoscope.studies.relate import relate
    >>> display = RelationGraphDisplay.from_relations(relate({"x": [0, 1] * 9, "y": [0, 1] * 9, "z": [0, 0, 1] * 6}))
    >>> [(line.first, line.second) for line in display.lines]
    [('x', 'y')]
    """

    names: list[str]
    lines: list[RelationCell]
    target: str | None = None

    @classmethod
    def from_relations(cls, relations: Relations) -> Self:
        """Draw the significant pairs of a result."""
        matrix = RelationMatrixDisplay.from_relations(relations)
        if len(matrix.names) < 2:
            raise InputError("there is no relation to draw; relate at least two columns")
        lines = sorted((cell for cell in matrix.cells if cell.significant), key=lambda cell: -cell.bits)[:MAX_LINES]
        return cls(matrix.names, lines, relations.target)

    def panel(self) -> Panel:
        """Draw names around the circle, the target below, and lines across."""
        order = self.names if self.target is None else sorted(self.names, key=lambda name: name != self.target)
        around = {name: 2 * pi * number / len(order) - pi / 2 for number, name in enumerate(order)}
        most = max((line.bits for line in self.lines), default=1.0) or 1.0
        marks: list[Mark] = [
            Line(
                tuple((cos(around[name]), sin(around[name])) for name in (line.first, line.second)),
                "captured",
                1.0 + 7.0 * line.bits / most,
                opacity=0.35 + 0.5 * line.bits / most,
                tip=f"{plain_label(line.first)} and {plain_label(line.second)}: {line.bits:.3f} bits",
                clip=False,
            )
            for line in reversed(self.lines)
        ]
        for name, angle in around.items():
            x, y, is_target = cos(angle), sin(angle), name == self.target
            anchor: Anchor = "middle" if abs(x) < 0.15 else "start" if x > 0 else "end"
            across = 0.0 if anchor == "middle" else 9.0 if x > 0 else -9.0
            down = (-12.0 if y > 0 else 18.0) if anchor == "middle" else 4.0
            text, tip = shorten(plain_label(name), 22), plain_label(name)
            marks.append(Dot(x, y, "gold" if is_target else "accent", "circle", 6.0))
            marks.append(Words(x, y, text, "ink", "normal", anchor, (across, down), bold=is_target, tip=tip))
        room = 24.0 + max(measure_width(shorten(plain_label(name), 22), 12.5) for name in self.names)
        return Panel(
            "Graph of relations",
            f"{len(self.lines)} significant relations among {len(self.names)} columns; thicker lines tell more.",
            Axis(-1.0, 1.0),
            Axis(-1.0, 1.0),
            tuple(marks),
            width=320.0 + 2 * room,
            height=390.0,
            margins=(room, 35.0, room, 35.0),
        )
