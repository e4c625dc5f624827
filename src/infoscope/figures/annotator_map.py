"""Annotators in a plane and as a tree: who labels like whom."""

from __future__ import annotations

from dataclasses import dataclass, replace

from infoscope.figures.display import Display
from infoscope.figures.layout import (
    PlacedName,
    axis,
    draw_beside_points,
    draw_side_labels,
    fit_labels,
    measure_side_room,
    measure_width,
    plain_label,
)
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Point, Words
from infoscope.studies.agreement import AnnotatorMap

ROUGH = 0.2
"""Stress above which a plane is called rough."""


@dataclass(repr=False)
class AnnotatorPlaneDisplay(Display):
    """Annotators as points whose distances are close to the variation of information between them, in bits."""

    map: AnnotatorMap

    def panel(self) -> Panel:
        """Draw both directions on one scale, so that distances can be read."""
        points = self.map.points
        reach = max((abs(value) for point in points for value in point), default=0.0) * 1.25 or 1.0
        rough = ", a rough picture: see the tree" if self.map.stress > ROUGH else ""
        marks: list[Mark] = []
        for row, (name, (x, y)) in enumerate(zip(self.map.names, points, strict=True)):
            mean = sum(self.map.distances[row]) / max(len(points) - 1, 1)
            tip = f"{plain_label(name)}: {mean:.2f} bits from the others on average"
            marks.append(Dot(x, y, "accent", of=name, tip=tip))
        right = measure_side_room(self.map.names, 60.0)
        panel = Panel(
            "Annotators",
            f"{len(points)} annotators in a plane; farthest from the others is {self.map.farthest}.",
            axis(-reach, reach, f"bits (variation of information); stress {self.map.stress:.2f}{rough}"),
            axis(-reach, reach, "bits"),
            width=500.0 + right,
            height=500.0,
            margins=(52.0, 16.0, right, 56.0),
        )
        names = [PlacedName(x, y, name) for name, (x, y) in zip(self.map.names, points, strict=True)]
        # beside the points where all have room there, else at the side
        beside = [replace(words, colour="ink", of=words.text) for words in draw_beside_points(panel, names, points)]
        labels = beside if len(beside) == len(names) else draw_side_labels(panel, names)
        return replace(panel, marks=(*labels, *marks))


@dataclass(repr=False)
class AnnotatorTreeDisplay(Display):
    """Annotators joined by average linkage of the variation of information between them."""

    map: AnnotatorMap

    def panel(self) -> Panel:
        """Draw names on the left, joins to the right of them at their height in bits."""
        count = len(self.map.names)
        leaves = {node: [node] for node in range(count)}  # of each node, in an order without crossings
        for step, (a, b, _) in enumerate(self.map.merges):
            leaves[count + step] = leaves[a] + leaves[b]
        order = leaves[count + len(self.map.merges) - 1]
        place: dict[int, Point] = {leaf: (0.0, float(count - 1 - row)) for row, leaf in enumerate(order)}
        marks: list[Mark] = []
        for step, (a, b, height) in enumerate(self.map.merges):
            (xa, ya), (xb, yb) = place[a], place[b]
            tip = f"joined at {height:.2f} bits"
            marks.append(Line(((xa, ya), (height, ya), (height, yb), (xb, yb)), "ink", 1.5, tip=tip))
            place[count + step] = (height, (ya + yb) / 2)
        for leaf, name in zip(order, fit_labels((self.map.names[leaf] for leaf in order), 180.0), strict=True):
            marks.append(Words(0.0, place[leaf][1], name, anchor="end", shift=(-8.0, 0.0), tip=self.map.names[leaf]))
        high = max((height for _, _, height in self.map.merges), default=1.0) * 1.06 or 1.0
        left = min(200.0, 22.0 + max(measure_width(plain_label(name)) for name in self.map.names))
        return Panel(
            "Tree of annotators",
            f"{count} annotators; farthest from the others is {self.map.farthest}.",
            Axis(0.0, high, "bits apart (variation of information)", axis(0.0, high, "").ticks, grid=True),
            Axis(-0.6, count - 0.4),
            tuple(marks),
            width=440.0 + left,
            height=26.0 * count + 62.0,
            margins=(left, 6.0, 24.0, 50.0),
        )
