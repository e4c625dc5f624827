"""The improvement-factor plot: how many times less error, by information and by accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.drawing.colours import series
from infoscope.figures.drawing.layout import WIDER_WORDS, fitting, plain_label, shortened, width_of
from infoscope.figures.drawing.scene import Axis, Dot, Line, Mark, Panel, Words
from infoscope.figures.inputs import Tables, tables_by_name
from infoscope.figures.table_display import TableDisplay
from infoscope.metrics import accuracy, erroneous_information_ratio
from infoscope.studies.compare import Comparison

__all__ = ["ImprovementDisplay", "ImprovementStep"]


@dataclass(frozen=True)
class ImprovementStep:
    """A step from a baseline to a system, as a factor by which the error shrank; below 1 it grew."""

    name: str
    by: str
    """What the error is: "information" or "accuracy"."""
    factor: float
    low: float | None = None
    high: float | None = None


@dataclass(repr=False)
class ImprovementDisplay(TableDisplay):
    """Two dots per step on a logarithmic axis: erroneous information, and wrong predictions.

    >>> from infoscope.tables import Contingency
    >>> tables = {"old": Contingency.from_matrix([[7, 3], [3, 7]]), "new": Contingency.from_matrix([[9, 1], [1, 9]])}
    >>> [(step.by, round(step.factor, 2)) for step in ImprovementDisplay.from_table(tables).steps]
    [('information', 1.88), ('accuracy', 3.0)]
    """

    steps: list[ImprovementStep]

    @classmethod
    def from_table(cls, tables: Tables, *, baseline: str | None = None) -> Self:
        """Every table against the baseline; without one, each against the one before it."""
        named = tables_by_name(tables)
        errors = {
            key: (float(erroneous_information_ratio(table)), 1.0 - float(accuracy(table)))
            for key, table in named.items()
        }
        return cls.from_errors(errors, baseline=baseline)

    @classmethod
    def from_errors(cls, errors: Mapping[str, tuple[float, float]], *, baseline: str | None = None) -> Self:
        """From published numbers: name -> (erroneous information ratio, share of wrong predictions)."""
        names = list(errors)
        if len(names) < 2:
            raise InputError("an improvement needs two systems; give at least two")
        if baseline is not None and baseline not in errors:
            raise UnknownNameError(f"the baseline {baseline!r} is none of the systems")
        pairs = [(baseline, name) for name in names if name != baseline] if baseline else list(pairwise(names))
        steps = []
        for old, new in pairs:
            title = str(new) if baseline else f"{old} → {new}"
            for at, by in enumerate(("information", "accuracy")):
                if not (
                    errors[old][at] > 0
                    and errors[new][at] > 0
                    and np.isfinite([errors[old][at], errors[new][at]]).all()
                ):
                    raise InputError(f"the error of {old!r} or {new!r} by {by} is 0 or undefined, so no factor exists")
                steps.append(ImprovementStep(title, by, errors[old][at] / errors[new][at]))
        return cls(steps)

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """The improvement factors of a comparison, with their ranges."""
        steps = [
            ImprovementStep(
                f"{found.b} → {found.a}",
                "accuracy" if found.of == "1 - accuracy" else "information",
                found.factor.value or 1.0,
                found.factor.low,
                found.factor.high,
            )
            for found in comparison.improvements
        ]
        if not steps:
            raise InputError(
                "the comparison has no improvement factor: a system has no errors, or the truth one class only"
            )
        return cls(steps)

    def panel(self) -> Panel:
        """Rows of steps; the line at 1 is no change."""
        names = list(dict.fromkeys(step.name for step in self.steps))
        ends = [end for step in self.steps for end in (step.factor, step.low, step.high) if end]
        low, high = min(0.9, *ends) / 1.12, max(1.1, *ends) * 1.12
        count = len(names)
        left = min(240.0, max(80.0, 20.0 + max(width_of(plain_label(name)) for name in names)))
        marks: list[Mark] = [Line(((0.0, -0.6), (0.0, count - 0.4)), "ink", dash=(3.0, 3.0))]
        for step in self.steps:
            marks += _step(step, count - 1 - names.index(step.name))
        marks += [
            Words(
                np.log2(low),
                count - 0.4,
                f"■ by {word}",
                series(at),
                anchor="start",
                shift=(at * (24.0 + WIDER_WORDS * width_of(f"■ by {_WORDS[0]}", 14.0)), -12.0),
                bold=True,
            )
            for at, word in enumerate(_WORDS)
            if any(step.by == ("information", "accuracy")[at] for step in self.steps)
        ]
        marks += [
            Words(np.log2(low), count - 1 - at, fitting(name, left - 14.0), anchor="end", shift=(-8.0, 0.0), of=name)
            for at, name in enumerate(names)
        ]
        ticks = _ticks(low, high, 420.0)
        return Panel(
            "Improvement factor",
            "; ".join(
                f"{shortened(step.name, 40)}: {step.factor:.2f} times less error by {step.by}"
                for step in self.steps[:6]
            )
            + ".",
            Axis(
                float(np.log2(low)),
                float(np.log2(high)),
                "times less error (log scale); left of 1 is worse",
                tuple((float(np.log2(at)), f"{at:.{_decimals(ticks)}f}×") for at in ticks),
                grid=True,
            ),
            Axis(-0.6, count - 0.4),
            tuple(marks),
            width=480.0 + left,
            height=44.0 * count + 84.0,
            margins=(left, 26.0, 60.0, 50.0),
        )


_WORDS = ("erroneous information", "wrong predictions")
_FACTORS: Sequence[float] = (1, 2, 0.5, 5, 10, 0.2, 0.1, 20, 50, 100, 3, 4, 1.5, 0.75, 7.5, 1.25, 0.25, 0.9)
"""Factors that an axis may name, the roundest first."""
_TICK_ROOM = 44.0


def _decimals(ticks: Sequence[float]) -> int:
    """As many decimals as the finest tick needs, for all of them.

    >>> _decimals([0.5, 1, 1.25]), _decimals([1, 2, 5])
    (2, 0)
    """
    return max((len(f"{tick:g}".partition(".")[2]) for tick in ticks), default=0)


def _ticks(low: float, high: float, wide: float) -> list[float]:
    """The roundest factors within a range that have room for their words, also where these are written larger.

    >>> _ticks(0.7, 2.4, 420.0), _ticks(0.5, 20.0, 420.0)
    ([0.75, 1, 1.25, 1.5, 2], [0.5, 1, 2, 3, 5, 10, 20])
    """
    per_octave = wide / (np.log2(high) - np.log2(low))
    kept: list[float] = []
    for factor in _FACTORS:
        inside = low <= factor <= high
        if inside and all(abs(np.log2(factor / other)) * per_octave >= _TICK_ROOM for other in kept):
            kept.append(factor)
    return sorted(kept)


def _step(step: ImprovementStep, row: int) -> list[Mark]:
    place = row + (0.14 if step.by == "information" else -0.14)
    colour = series(0 if step.by == "information" else 1)
    marks: list[Mark] = []
    if step.low and step.high:
        marks.append(
            Line(((float(np.log2(step.low)), place), (float(np.log2(step.high)), place)), colour, 2.0, of=step.name)
        )
    at = float(np.log2(step.factor))
    marks.append(Line(((0.0, place), (at, place)), colour, 1.5, opacity=0.5))
    marks.append(
        Dot(at, place, colour, tip=f"{plain_label(step.name)}: {step.factor:.2f} times less error by {step.by}")
    )
    end = max(at, float(np.log2(step.high))) if step.high else at
    marks.append(Words(end, place, f"{step.factor:.2f}×", "ink", "small", shift=(9.0, 0.0)))
    return marks
