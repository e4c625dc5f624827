"""The comparison forest plot: one row per system, its value and interval, the best first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.drawing.layout import axis, fitting, plain_label, shortened, width_of
from infoscope.figures.drawing.scene import Axis, Dot, Line, Mark, Panel, Words
from infoscope.figures.inputs import Tables, tables_by_name
from infoscope.figures.table_display import TableDisplay
from infoscope.metrics.registry import find
from infoscope.posterior import Posterior
from infoscope.results.estimate import Estimate
from infoscope.results.notation import number_text
from infoscope.studies.compare import Comparison

__all__ = ["ComparisonDisplay", "ForestRow", "rows_of"]


@dataclass(frozen=True)
class ForestRow:
    """A system with its value, and the range it lies in where that is known."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    word: str = ""
    """What to say at the end of the row: better, worse, inconclusive."""


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
    """Whether the values are differences, measured from 0."""
    noun: str = "systems"
    """What the rows are."""
    points: bool = True
    """Whether differences are written in percentage points."""

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
        for key, table in tables_by_name(tables, name).items():
            estimate = Estimate.of(entry.score(table), entry.reason(table))
            if estimate.value is None:
                raise InputError(f"{metric} of {key!r} is undefined: {estimate.undefined}")
            if uncertainty:
                found = Posterior(table, seed=seed).summary(entry.name, level)
                estimate = estimate.with_belief(found, corrected=entry.card.is_information)
            rows += rows_of({key: estimate}, "baseline" if key == baseline else "")
        return cls(rows, entry.card.title, baseline, entry.card.better != "lower")

    @classmethod
    def from_comparison(cls, comparison: Comparison, metric: str | None = None) -> Self:
        """The ranking of a comparison, each row ending in its verdict against the baseline, else the best."""
        ranking = next((found for found in comparison.ranking if metric in (None, found.metric)), None)
        if ranking is None:
            raise UnknownNameError(f"the systems were not compared by {metric!r}")
        reference = comparison.reference(ranking)
        rows = [
            ForestRow(
                place.name,
                place.shown,
                place.estimate.low,
                place.estimate.high,
                _verdict(comparison, place.name, reference, ranking.metric),
            )
            for place in ranking.places
        ]
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
        """Rows with dots and whiskers, the baseline dashed."""
        low, high = self.span
        count = len(self.rows)
        words = any(row.word for row in self.rows)
        left = min(210.0, max(60.0, 22.0 + max(width_of(plain_label(row.name)) for row in self.rows)))
        scale = 100.0 if self.differences and self.points else 1.0
        ticks = tuple((at / scale, text) for at, text in axis(low * scale, high * scale, "").ticks)
        marks = [mark for at, row in enumerate(self.rows) for mark in self._row(count - 1 - at, row)]
        return Panel(
            "Comparison",
            self._summary(),
            Axis(low, high, self.title, ticks, grid=True),
            Axis(-0.6, count - 0.4),
            (*self._reference(count), *marks),
            width=490.0 + left,
            height=26.0 * count + 62.0,
            margins=(left, 6.0, 150.0 if words else 64.0, 50.0),
        )

    def _reference(self, count: int) -> list[Mark]:
        base = {row.name: row.value for row in self.rows}.get(self.baseline or "")
        at = 0.0 if self.differences else base
        return [] if at is None else [Line(((at, -0.6), (at, count - 0.4)), "ink", dash=(3.0, 3.0))]

    def _row(self, at: int, row: ForestRow) -> list[Mark]:
        marks: list[Mark] = []
        number = number_text(row.value, ".3f")
        if self.differences:
            number = number_text(100 * row.value, "+.1f") if self.points else number_text(row.value, "+.3f")
        tip = f"{plain_label(row.name)}: {number}"
        if row.low is not None and row.high is not None:
            marks.append(Line(((row.low, at), (row.high, at)), "ink", 2.0, of=row.name))
            tip += f" ({number_text(row.low, '.3f')} to {number_text(row.high, '.3f')})"
        marks += [
            Dot(row.value, at, "accent", of=row.name, tip=tip),
            Words(
                self.span[0],
                at,
                fitting(row.name, 188.0),
                anchor="end",
                shift=(-8.0, 0.0),
                of=row.name,
                tip=plain_label(row.name),
            ),
            Words(self.span[1], at, f"{number}  {row.word}".rstrip(), shift=(8.0, 0.0)),
        ]
        return marks

    def _summary(self) -> str:
        best, shown = self.rows[0], number_text(self.rows[0].value, ".3f")
        return f"{self.title} of {len(self.rows)} {self.noun}; first is {shortened(best.name, 60)} with {shown}."


def _verdict(comparison: Comparison, name: str, reference: str, metric: str) -> str:
    """The verdict on a system against the reference."""
    pair = None if name == reference else comparison.between(name, reference, metric)
    return pair.verdict if pair is not None else "baseline" if comparison.baseline == name else ""


def rows_of(values: Mapping[str, Estimate], word: str = "") -> list[ForestRow]:
    """A row for each estimate that has a value, with its interval where there is one."""
    return [
        ForestRow(name, known.shown, known.low, known.high, word)
        for name, known in values.items()
        if known.shown is not None
    ]
