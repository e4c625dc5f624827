"""Half width of an interval against the number of labels: planned, and at random."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

from infoscope.figures.display import Display
from infoscope.figures.layout import axis
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Words
from infoscope.studies.labels import LabelPlan


@dataclass(repr=False)
class LabelPlanDisplay(Display):
    """The width of an interval with labels that are planned, and with as many at random."""

    plan: LabelPlan

    def panel(self) -> Panel:
        """Draw labels on a logarithmic axis; the wanted half width is dashed."""
        curve = self.plan.curve
        high = max((point.random for point in curve), default=0.1) * 1.1
        low, top = log10(20), log10(max((point.labels for point in curve), default=100) * 1.3)
        ticks = tuple((log10(point.labels), f"{point.labels:,}") for point in curve)
        marks: list[Mark] = [Line(((low, self.plan.half_width), (top, self.plan.half_width)), "ink", dash=(3.0, 3.0))]
        for words, colour, drop, values in (
            ("planned", "captured", 18.0, [point.planned for point in curve]),
            ("at random", "missed", -10.0, [point.random for point in curve]),
        ):
            points = tuple((log10(point.labels), value) for point, value in zip(curve, values, strict=True))
            marks.append(Line(points, colour, 2.0))
            marks += [Dot(x, y, colour, size=4.0, tip=f"{10**x:,.0f} labels {words}: ±{y:.3f}") for x, y in points]
            marks += [Words(*points[0], words, colour, shift=(8.0, drop), halo="paper")] if points else []
        return Panel(
            "Plan of labels",
            f"About {self.plan.labels:,} planned labels give ±{self.plan.half_width:g}.",
            Axis(low, top, "labels", ticks, grid=True),
            Axis(0.0, high, "half width", axis(0.0, high, "").ticks, grid=True),
            tuple(marks),
            width=560.0,
            height=320.0,
            margins=(60.0, 12.0, 24.0, 50.0),
        )
