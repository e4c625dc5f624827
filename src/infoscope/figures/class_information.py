"""Information by class, in both directions: the spread of its predictions and the ambiguity of predicting it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from infoscope.figures.display import TableDisplay, Tables, tables_by_name
from infoscope.figures.layout import fitting, plain_label, round_ticks, shortened, tick_text, width_of
from infoscope.figures.scene import Anchor, Axis, Bar, Mark, Panel, Size, Words, series
from infoscope.metrics import class_false_information, output_missed_information
from infoscope.tables import Contingency

__all__ = ["ClassBar", "ClassInformationDisplay"]

MOST_CLASSES = 40
"""More are not drawn; those that cost most are."""
NAME_ROOM = 170.0
"""Pixels between the wings."""


@dataclass(frozen=True)
class ClassBar:
    """One class of one system, in bits; NaN where the class does not occur on that side."""

    label: str
    system: str
    spread: float
    """H(S|T=i): how unsteadily the system treats the class."""
    ambiguity: float
    """H(T|S=j): how little the prediction tells."""
    cost: float
    """What it adds to missed and false information, in bits."""


def class_bars(table: Contingency, name: str = "system") -> list[ClassBar]:
    """Every label of either side, the costliest first."""
    spread = dict(zip(table.truth_labels, np.asarray(class_false_information(table)).tolist(), strict=True))
    ambiguity = dict(zip(table.system_labels, np.asarray(output_missed_information(table)).tolist(), strict=True))
    weight = dict(zip(table.truth_labels, table.row_totals / table.total, strict=True))
    said = dict(zip(table.system_labels, table.column_totals / table.total, strict=True))
    bars = [
        ClassBar(
            str(label),
            name,
            spread.get(label, np.nan),
            ambiguity.get(label, np.nan),
            float(
                np.nan_to_num(spread.get(label, 0.0)) * weight.get(label, 0.0)
                + np.nan_to_num(ambiguity.get(label, 0.0)) * said.get(label, 0.0)
            ),
        )
        for label in dict.fromkeys([*table.truth_labels, *table.system_labels])
    ]
    return sorted(bars, key=lambda bar: -bar.cost)


@dataclass(repr=False)
class ClassInformationDisplay(TableDisplay):
    """Bars to the left for H(S|T=i), to the right for H(T|S=j), class by class, several systems side by side."""

    bars: list[ClassBar]

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system") -> Self:
        """Bars of one table, or of several by name."""
        return cls([bar for key, table in tables_by_name(tables, name).items() for bar in class_bars(table, key)])

    @property
    def labels(self) -> list[str]:
        """Classes by what they cost in all systems together."""
        costs: dict[str, float] = {}
        for bar in self.bars:
            costs[bar.label] = costs.get(bar.label, 0.0) + bar.cost
        return sorted(costs, key=lambda label: -costs[label])

    def panel(self) -> Panel:
        """Two wings with the class names between them."""
        systems = list(dict.fromkeys(bar.system for bar in self.bars))
        labels = self.labels[:MOST_CLASSES]
        left_out = len(self.labels) - len(labels)
        thick = 20.0 if len(systems) == 1 else 11.0 * len(systems) + 8.0
        most = max(float(np.nanmax([[bar.spread, bar.ambiguity] for bar in self.bars])), 0.01)
        gap = 0.46 * most
        ticks = round_ticks(0.0, most, 4)
        words = tick_text(ticks)
        axis = Axis(
            -1.14 * most - gap,
            1.14 * most + gap,
            "bits",
            tuple(
                [(-gap - at, text) for at, text in zip(ticks, words, strict=True)]
                + [(gap + at, text) for at, text in zip(ticks, words, strict=True)]
            ),
            line=False,
        )
        count = len(labels)
        marks = [mark for at, label in enumerate(labels) for mark in self._row(count - 1 - at, label, systems, gap)]
        marks += _titles(count, gap, systems)
        notes = (f"{left_out:,} classes that cost less are not drawn",) if left_out > 0 else ()
        return Panel(
            "Information by class",
            self._summary(labels),
            axis,
            Axis(-0.5, count - 0.5),
            tuple(marks),
            width=640.0,
            height=thick * count + 88.0 + (18.0 if len(systems) > 1 else 0.0),
            margins=(12.0, 38.0 + (18.0 if len(systems) > 1 else 0.0), 12.0, 50.0),
            notes=notes,
        )

    def _row(self, at: int, label: str, systems: Sequence[str], gap: float) -> list[Mark]:
        marks: list[Mark] = [
            Words(0.0, at, fitting(label, 0.46 / 3.2 * 2 * 616.0), anchor="middle", tip=plain_label(label))
        ]
        thick = 0.8 / len(systems)
        for bar in self.bars:
            if bar.label != label:
                continue
            place = systems.index(bar.system)
            top = at + 0.4 - place * thick
            single = len(systems) == 1
            for value, sign, role, word in (
                (bar.spread, -1.0, "false", "spread of predictions"),
                (bar.ambiguity, 1.0, "missed", "prediction ambiguity"),
            ):
                if not np.isfinite(value):
                    continue
                tip = f"{plain_label(label)}\n{plain_label(bar.system)}: {word} {value:.3f} bits"
                start = sign * gap
                low, high = sorted((start, start + sign * value))
                marks.append(
                    Bar(
                        (low, top - thick),
                        (high, top),
                        role if single else series(place),
                        hatched=single and role == "false",
                        of=None if single else bar.system,
                        tip=tip,
                    )
                )
                if len(systems) <= 4:
                    anchor: Anchor = "end" if sign < 0 else "start"
                    middle = top - thick / 2
                    size: Size = "small" if single else "tiny"
                    end = start + sign * value
                    marks.append(Words(end, middle, f"{value:.2f}", "dim", size, anchor, (4.0 * sign, 0.0)))
        return marks

    def _summary(self, labels: Sequence[str]) -> str:
        worst = max(self.bars, key=lambda bar: bar.cost)
        return (
            f"Information by class for {len(self.labels)} classes, {len(labels)} drawn. "
            f"{shortened(worst.label, 60)} costs most: its predictions "
            f"spread by {worst.spread:.2f} bits, and predicting it leaves {worst.ambiguity:.2f} bits open."
        )


def _titles(count: int, gap: float, systems: Sequence[str]) -> list[Mark]:
    top = count - 0.5
    marks: list[Mark] = [
        Words(-gap, top, "spread of predictions, H(S|T=class)", "dim", anchor="end", shift=(0.0, -14.0)),
        Words(gap, top, "prediction ambiguity, H(T|S=class)", "dim", shift=(0.0, -14.0)),
    ]
    if len(systems) > 1:
        left = -300.0
        for at, system in enumerate(systems):
            text = f"■ {fitting(system, 600.0 / len(systems) - 28.0, 11.0)}"
            marks.append(
                Words(
                    0.0,
                    top,
                    text,
                    series(at),
                    "small",
                    shift=(left, -36.0),
                    bold=True,
                    of=system,
                    tip=plain_label(system),
                )
            )
            left += 18.0 + 1.06 * width_of(text, 11.0)
    return marks
