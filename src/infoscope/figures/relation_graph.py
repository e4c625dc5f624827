"""The graph of relations: columns on a circle, joined where they tell about each other."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Self

from infoscope.errors import InputError
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label, shortened, width_of
from infoscope.figures.relation_matrix import RelationCell, RelationMatrixDisplay
from infoscope.figures.scene import Anchor, Axis, Dot, Line, Mark, Panel, Words
from infoscope.quick_dataclasses import dataclass
from infoscope.relations import Relations

__all__ = ["RelationGraphDisplay"]

MAX_LINES = 120


@dataclass(repr=False)
class RelationGraphDisplay(Display):
    """Significant relations as lines, the thicker the more bits; related columns stand side by side.

    >>> from infoscope.relations import relate
    >>> display = RelationGraphDisplay.from_relations(relate({"x": [0, 1] * 9, "y": [0, 1] * 9, "z": [0, 0, 1] * 6}))
    >>> [(line.first, line.second) for line in display.lines]
    [('x', 'y')]
    """

    names: list[str]
    lines: list[RelationCell]
    target: str | None = None

    @classmethod
    def from_relations(cls, relations: Relations) -> Self:
        """The significant pairs of a result."""
        matrix = RelationMatrixDisplay.from_relations(relations)
        if len(matrix.names) < 2:
            raise InputError("there is no relation to draw; relate at least two columns")
        lines = sorted((cell for cell in matrix.cells if cell.significant), key=lambda cell: -cell.bits)[:MAX_LINES]
        return cls(matrix.names, lines, relations.target)

    def panel(self) -> Panel:
        """Names around the circle, lines across."""
        around = {
            name: 2 * pi * at / len(self.names) - pi / 2
            for at, name in enumerate(sorted(self.names, key=lambda name: name != self.target))
        }
        if self.target is None:
            around = {name: 2 * pi * at / len(self.names) - pi / 2 for at, name in enumerate(self.names)}
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
            marks += self._name(name, angle)
        room = 24.0 + max(width_of(shortened(plain_label(name), 22), 12.5) for name in self.names)
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

    def _name(self, name: str, angle: float) -> list[Mark]:
        x, y = cos(angle), sin(angle)
        anchor: Anchor = "middle" if abs(x) < 0.15 else "start" if x > 0 else "end"
        shift = (
            0.0 if anchor == "middle" else 9.0 if x > 0 else -9.0,
            (-12.0 if y > 0 else 18.0) if anchor == "middle" else 4.0,
        )
        is_target = name == self.target
        return [
            Dot(x, y, "gold" if is_target else "accent", "circle", 6.0),
            Words(
                x,
                y,
                shortened(plain_label(name), 22),
                "ink",
                "normal",
                anchor,
                shift,
                bold=is_target,
                tip=plain_label(name),
            ),
        ]
