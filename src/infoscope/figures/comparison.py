"""Systems compared: the forest plot of values or differences, and the improvement factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.display import TableDisplay, Tables, name_tables
from infoscope.figures.layout import WIDER_WORDS, axis, fit_label, fit_labels, measure_width, plain_label, shorten
from infoscope.figures.scene import Axis, Dot, Line, Mark, Panel, Words, series
from infoscope.metrics import accuracy, erroneous_information_ratio
from infoscope.metrics.registry import find
from infoscope.posterior import Posterior
from infoscope.results.estimate import Estimate
from infoscope.results.notation import format_number
from infoscope.studies.compare import Comparison


@dataclass(frozen=True)
class ForestRow:
    """A system with its value, and the range it lies in where that is known."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    word: str = ""
    """Verdict at the end of the row: better, worse, inconclusive."""


@dataclass(repr=False)
class ComparisonDisplay(TableDisplay):
    """Systems by one metric, or by their difference to a baseline.

    >>> display = ComparisonDisplay([ForestRow("A", 0.7, 0.65, 0.74), ForestRow("B", 0.8)], "captured information")
    >>> [row.name for row in display.rows]
    ['B', 'A']
    """

    rows: list[ForestRow]
    title: str
    baseline: str | None = None
    higher_is_better: bool = True
    differences: bool = False
    """True if the values are differences, measured from 0."""
    noun: str = "systems"
    """Name of the rows."""
    points: bool = True
    """True if differences are written in percentage points."""

    def __post_init__(self) -> None:
        """Order the rows, the best first."""
        if not self.rows:
            raise InputError("there is nothing to compare; give at least one system")
        if self.baseline is not None and self.baseline not in {row.name for row in self.rows} and not self.differences:
            raise UnknownNameError(f"the baseline {self.baseline!r} is none of the systems")
        self.rows = sorted(self.rows, key=lambda row: row.value, reverse=self.higher_is_better)

    @classmethod
    def from_table(
        cls,
        tables: Tables,
        *,
        name: str = "system",
        metric: str = "proficiency",
        baseline: str | None = None,
        uncertainty: bool = False,
        level: float = 0.95,
        seed: int = 0,
    ) -> Self:
        """Return one row per table, by any metric; with ``uncertainty`` the number shown and its interval."""
        entry = find(metric)
        rows = []
        for key, table in name_tables(tables, name).items():
            estimate = Estimate.of(entry.score(table), entry.reason(table))
            if estimate.value is None:
                raise InputError(f"{metric} of {key!r} is undefined: {estimate.undefined}")
            if uncertainty:
                belief = Posterior(table, seed=seed).summary(entry.name, level)
                estimate = estimate.with_belief(belief, corrected=entry.card.is_information)
            rows += rows_of({key: estimate}, "baseline" if key == baseline else "")
        return cls(rows, entry.card.title, baseline, entry.card.better != "lower")

    @classmethod
    def from_comparison(cls, comparison: Comparison, metric: str | None = None) -> Self:
        """Draw the ranking of a comparison, each row ending in its verdict against the baseline, else the best."""
        ranking = next((order for order in comparison.ranking if metric in (None, order.metric)), None)
        if ranking is None:
            raise UnknownNameError(f"the systems were not compared by {metric!r}")
        reference = comparison.reference(ranking)
        rows = []
        for place in ranking.places:
            pair = None if place.name == reference else comparison.between(place.name, reference, ranking.metric)
            word = pair.verdict if pair is not None else "baseline" if comparison.baseline == place.name else ""
            rows.append(ForestRow(place.name, place.shown, place.estimate.low, place.estimate.high, word))
        card = find(ranking.metric).card
        return cls(rows, card.title, reference, card.better != "lower")

    @property
    def span(self) -> tuple[float, float]:
        """From the left to the right edge."""
        ends = [end for row in self.rows for end in (row.value, row.low, row.high) if end is not None]
        low, high = min(ends), max(ends)
        if self.differences:
            low, high = min(low, 0.0), max(high, 0.0)
        pad = 0.06 * (high - low) or 0.05
        return low - pad, high + pad

    def panel(self) -> Panel:
        """Draw rows with dots and whiskers, the baseline dashed."""
        low, high = self.span
        count = len(self.rows)
        names = fit_labels((row.name for row in self.rows), 188.0)
        left = max(60.0, 22.0 + WIDER_WORDS * max(map(measure_width, names)))
        reference = {row.name: row.value for row in self.rows}.get(self.baseline or "")
        if self.differences:
            reference = 0.0
        marks: list[Mark] = []
        if reference is not None:
            marks.append(Line(((reference, -0.6), (reference, count - 0.4)), "ink", dash=(3.0, 3.0)))
        right = 64.0
        for place, (row, name) in enumerate(zip(self.rows, names, strict=True)):
            y = count - 1 - place
            number = format_number(row.value, ".3f")
            if self.differences:
                number = format_number(100 * row.value, "+.1f") if self.points else format_number(row.value, "+.3f")
            tip = f"{plain_label(row.name)}: {number}"
            if row.low is not None and row.high is not None:
                marks.append(Line(((row.low, y), (row.high, y)), "ink", 2.0, of=row.name))
                tip += f" ({format_number(row.low, '.3f')} to {format_number(row.high, '.3f')})"
            marks.append(Dot(row.value, y, "accent", of=row.name, tip=tip))
            tip = plain_label(row.name)
            marks.append(Words(low, y, name, anchor="end", shift=(-8.0, 0.0), of=row.name, tip=tip))
            text = f"{number}  {row.word}".rstrip()
            marks.append(Words(high, y, text, shift=(8.0, 0.0)))
            right = max(right, 16.0 + WIDER_WORDS * measure_width(text))
        scale = 100.0 if self.differences and self.points else 1.0
        ticks = tuple((tick / scale, text) for tick, text in axis(low * scale, high * scale, "").ticks)
        best = self.rows[0]
        return Panel(
            "Comparison",
            f"{self.title} of {count} {self.noun}; first is {shorten(best.name, 60)} with "
            f"{format_number(best.value, '.3f')}.",
            Axis(low, high, self.title, ticks, grid=True),
            Axis(-0.6, count - 0.4),
            tuple(marks),
            width=max(490.0, 340.0 + right) + left,
            height=26.0 * count + 62.0,
            margins=(left, 6.0, right, 50.0),
        )


def rows_of(values: Mapping[str, Estimate], word: str = "") -> list[ForestRow]:
    """Return a row for each estimate that has a value, with its interval where there is one."""
    return [
        ForestRow(name, estimate.shown, estimate.low, estimate.high, word)
        for name, estimate in values.items()
        if estimate.shown is not None
    ]


_WORDS = {"information": "erroneous information", "accuracy": "wrong predictions"}


@dataclass(frozen=True)
class ImprovementStep:
    """A step from a baseline to a system, as a factor by which the error shrank; below 1 it grew."""

    name: str
    by: str
    """Kind of error: "information" or "accuracy"."""
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
        """Compare every table with the baseline; without one, each with the one before it."""
        named = name_tables(tables)
        errors = {
            key: (float(erroneous_information_ratio(table)), 1.0 - float(accuracy(table)))
            for key, table in named.items()
        }
        return cls.from_errors(errors, baseline=baseline)

    @classmethod
    def from_errors(cls, errors: Mapping[str, tuple[float, float]], *, baseline: str | None = None) -> Self:
        """Draw published numbers: name -> (erroneous information ratio, share of wrong predictions)."""
        names = list(errors)
        if len(names) < 2:
            raise InputError("an improvement needs two systems; give at least two")
        if baseline is not None and baseline not in errors:
            raise UnknownNameError(f"the baseline {baseline!r} is none of the systems")
        pairs = [(baseline, name) for name in names if name != baseline] if baseline else list(pairwise(names))
        steps = []
        for old, new in pairs:
            title = str(new) if baseline else f"{old} → {new}"
            for by, before, after in zip(("information", "accuracy"), errors[old], errors[new], strict=True):
                if not (before > 0 and after > 0 and np.isfinite([before, after]).all()):
                    raise InputError(f"the error of {old!r} or {new!r} by {by} is 0 or undefined, so no factor exists")
                steps.append(ImprovementStep(title, by, before / after))
        return cls(steps)

    @classmethod
    def from_comparison(cls, comparison: Comparison) -> Self:
        """Draw the improvement factors of a comparison, with their ranges."""
        steps = [
            ImprovementStep(
                f"{improvement.b} → {improvement.a}",
                "accuracy" if improvement.of == "1 - accuracy" else "information",
                improvement.factor.value or 1.0,
                improvement.factor.low,
                improvement.factor.high,
            )
            for improvement in comparison.improvements
        ]
        if not steps:
            raise InputError(
                "the comparison has no improvement factor: a system has no errors, or the truth one class only"
            )
        return cls(steps)

    def panel(self) -> Panel:
        """Draw rows of steps; the line at 1 is no change."""
        names = list(dict.fromkeys(step.name for step in self.steps))
        ends = [end for step in self.steps for end in (step.factor, step.low, step.high) if end]
        low, high = min(0.9, *ends) / 1.12, max(1.1, *ends) * 1.12
        count = len(names)
        left = min(240.0, max(80.0, 20.0 + WIDER_WORDS * max(measure_width(plain_label(name)) for name in names)))
        marks: list[Mark] = [Line(((0.0, -0.6), (0.0, count - 0.4)), "ink", dash=(3.0, 3.0))]
        for step in self.steps:
            by_information = step.by == "information"
            y = count - 1 - names.index(step.name) + (0.14 if by_information else -0.14)
            colour, x = series(0 if by_information else 1), float(np.log2(step.factor))
            end = x
            if step.low and step.high:
                whiskers = ((float(np.log2(step.low)), y), (float(np.log2(step.high)), y))
                marks.append(Line(whiskers, colour, 2.0, of=step.name))
            if step.high:
                end = max(x, float(np.log2(step.high)))
            tip = f"{plain_label(step.name)}: {step.factor:.2f} times less error by {step.by}"
            marks.append(Line(((0.0, y), (x, y)), colour, 1.5, opacity=0.5))
            marks.append(Dot(x, y, colour, tip=tip))
            marks.append(Words(end, y, f"{step.factor:.2f}×", "ink", "small", shift=(9.0, 0.0)))
        edge = np.log2(low)
        for number, (by, word) in enumerate(_WORDS.items()):
            if any(step.by == by for step in self.steps):
                shift = (number * (24.0 + WIDER_WORDS * measure_width(f"■ by {_WORDS['information']}", 14.0)), -12.0)
                marks.append(Words(edge, count - 0.4, f"■ by {word}", series(number), shift=shift, bold=True))
        for row, name in enumerate(names):
            text = fit_label(name, left - 14.0)
            marks.append(Words(edge, count - 1 - row, text, anchor="end", shift=(-8.0, 0.0), of=name))
        # ticks have as many decimals as the finest needs
        ticks = _choose_ticks(low, high, 420.0)
        decimals = max((len(f"{tick:g}".partition(".")[2]) for tick in ticks), default=0)
        factors = "; ".join(
            f"{shorten(step.name, 40)}: {step.factor:.2f} times less error by {step.by}" for step in self.steps[:6]
        )
        return Panel(
            "Improvement factor",
            f"{factors}.",
            Axis(
                float(edge),
                float(np.log2(high)),
                "times less error (log scale); left of 1 is worse",
                tuple((float(np.log2(tick)), f"{tick:.{decimals}f}×") for tick in ticks),
                grid=True,
            ),
            Axis(-0.6, count - 0.4),
            tuple(marks),
            width=480.0 + left,
            height=44.0 * count + 84.0,
            margins=(left, 26.0, 60.0, 50.0),
        )


_FACTORS: Sequence[float] = (1, 2, 0.5, 5, 10, 0.2, 0.1, 20, 50, 100, 3, 4, 1.5, 0.75, 7.5, 1.25, 0.25, 0.9)
"""Factors that an axis may name, the roundest first."""
_TICK_ROOM = 44.0


def _choose_ticks(low: float, high: float, wide: float) -> list[float]:
    """Return the roundest factors within a range that have room for their words, also where these are larger.

    >>> _choose_ticks(0.7, 2.4, 420.0), _choose_ticks(0.5, 20.0, 420.0)
    ([0.75, 1, 1.25, 1.5, 2], [0.5, 1, 2, 3, 5, 10, 20])
    """
    per_octave = wide / (np.log2(high) - np.log2(low))
    kept: list[float] = []
    for factor in _FACTORS:
        inside = low <= factor <= high
        if inside and all(abs(np.log2(factor / other)) * per_octave >= _TICK_ROOM for other in kept):
            kept.append(factor)
    return sorted(kept)
