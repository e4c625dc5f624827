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


def spoilt(n: int, moved: Any, prevalence: float) -> Contingency:
    """``n`` samples, ``moved`` of them answered wrongly, in both classes alike; a batch where ``moved`` is an array.

    >>> spoilt(200, 50, 0.1).counts.tolist()
    [[15.0, 5.0], [45.0, 135.0]]
    """
    wrong = np.asarray(moved, dtype=np.float64) / n
    positive, negative = n * prevalence, n * (1.0 - prevalence)
    upper = np.stack([positive * (1.0 - wrong), positive * wrong], -1)
    lower = np.stack([negative * wrong, negative * (1.0 - wrong)], -1)
    return Contingency.from_matrix(np.stack([upper, lower], -2))


@dataclass
class MetricCurvesDisplay(Display):
    """Curves from a perfect system, through one that guesses, to one that is always wrong."""

    curves: list[Curve]
    n: int = 200
    _single: ClassVar[bool] = True

    @classmethod
    def from_table(cls, tables: Tables, **options: Any) -> Self:  # noqa: ARG003 - as every display is called
        """Refused: these curves are of systems made up step by step."""
        raise InputError(
            "these curves are of made-up systems, not of tables; use MetricCurvesDisplay.over_quality(), or "
            "SweepDisplay.from_table for your own"
        )

    @classmethod
    def over_quality(
        cls,
        metrics: Sequence[str] = ("proficiency", "phi", "f1", "accuracy"),
        *,
        n: int = 200,
        prevalence: float = 0.1,
    ) -> Self:
        """Each metric while 0 … ``n`` of ``n`` samples are answered wrongly.

        >>> curve = MetricCurvesDisplay.over_quality(["proficiency"], n=4, prevalence=0.5).curves[0]
        >>> [round(y, 2) for y in curve.y]
        [1.0, 0.19, 0.0, 0.19, 1.0]
        """
        if not (n >= 2 and 0.0 < prevalence < 1.0):
            raise InputError(
                f"n is {n} and the prevalence {prevalence}; give two samples or more, and a share between 0 and 1"
            )
        moved = np.arange(n + 1)
        table = spoilt(n, moved, prevalence)
        curves = [
            Curve(entry.card.title, tuple(map(float, moved)), tuple(map(float, np.asarray(entry.score(table)))))
            for entry in map(find, metrics)
        ]
        return cls(curves, n)

    def panel(self) -> Panel:
        """All curves over the number of wrong answers."""
        return curve_panel(self.curves, f"wrong answers, of {self.n}", "score", "Metrics against quality")
