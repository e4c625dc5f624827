"""Add a picture: coordinates and marks, which are drawn as SVG or on matplotlib axes (``study.py`` says where it goes).

The gallery (``tools/gallery/``) wants an exhibit of every picture of the package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from infoscope.figures.display import Display
from infoscope.figures.layout import axis
from infoscope.figures.scene import Axis, Bar, Mark, Panel, Words
from infoscope.studies.predicted_classes import PredictedClasses


@dataclass(repr=False)
class PredictedClassesDisplay(Display):
    """A bar of the classes that are predicted, and one of those that never are."""

    predicted: int
    never: int

    @classmethod
    def from_result(cls, result: PredictedClasses) -> Self:
        """Return the display of a result."""
        return cls(len(result.predicted), len(result.never))

    def panel(self) -> Panel:
        """Return the bars as marks on a panel."""
        bars = {"predicted": self.predicted, "never": self.never}
        marks: list[Mark] = []
        for row, (name, count) in enumerate(bars.items()):
            marks.append(Bar((0.0, row - 0.3), (float(count), row + 0.3), tip=f"{name}: {count}"))
            marks.append(Words(float(count), float(row), f"{name}: {count}", shift=(6.0, 4.0)))
        summary = f"{self.predicted} classes are predicted and {self.never} never."
        width = axis(0.0, 1.5 * max(bars.values()), "classes")
        return Panel("Predicted classes", summary, width, Axis(-0.5, 1.5), tuple(marks), height=160.0)
