"""Metrics against the quality of a system: what each says as a perfect system is spoilt step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from infoscope.cards import find
from infoscope.errors import InputError
from infoscope.figures.display import Display, Tables
from infoscope.figures.scene import Panel
from infoscope.figures.sweep import Curve, curve_panel
from infoscope.tables import Contingency

__all__ = ["MetricCurvesDisplay", "spoilt"]


def spoilt(half: int, moved: Any) -> Contingency:
    """Two classes of ``half`` samples, ``moved`` of each taken for the other; a batch where ``moved`` is an array."""
    wrong = np.asarray(moved, dtype=np.float64)
    right = half - wrong
    return Contingency.from_matrix(np.stack([np.stack([right, wrong], -1), np.stack([wrong, right], -1)], -2))


@dataclass
class MetricCurvesDisplay(Display):
    """Curves from a perfect system, through one that guesses, to one that is always wrong."""

    curves: list[Curve]
    half: int = 200
    _single: ClassVar[bool] = True

    @classmethod
    def from_table(cls, tables: Tables, **options: Any) -> Self:
        """Not a picture of a table: see ``over_quality``."""
        raise InputError("these curves are of metrics, not of a table; make them with MetricCurvesDisplay.over_quality()")

    @classmethod
    def over_quality(cls, metrics: Sequence[str] = ("proficiency", "phi", "f1", "accuracy"), *, half: int = 200) -> Self:
        """Each metric while 0 … ``half`` samples of both classes are taken for the other.

        >>> curve = MetricCurvesDisplay.over_quality(["proficiency"], half=4).curves[0]
        >>> [round(y, 2) for y in curve.y]
        [1.0, 0.19, 0.0, 0.19, 1.0]
        """
        moved = np.arange(half + 1)
        table = spoilt(half, moved)
        curves = [
            Curve(entry.card.title, tuple(map(float, moved)), tuple(map(float, np.asarray(entry.score(table)))))
            for entry in map(find, metrics)
        ]
        return cls(curves, half)

    def panel(self) -> Panel:
        """All curves over the number of samples moved."""
        return curve_panel(self.curves, f"samples of each class taken for the other, of {self.half}", "score", "Metrics against quality")
