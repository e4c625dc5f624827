"""Information by class, in both directions: the spread of its predictions and the ambiguity of predicting it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from infoscope.figures.display import TableDisplay, Tables, name_tables
from infoscope.figures.layout import choose_round_ticks, fit_label, format_ticks, measure_width, plain_label, shorten
from infoscope.figures.scene import Anchor, Axis, Bar, Mark, Panel, Size, Words, series
from infoscope.metrics import class_false_information, output_missed_information

MAX_CLASSES = 40
"""More are not drawn; those that cost most are."""


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
    """Bits that it adds to missed and false information."""


@dataclass(repr=False)
class ClassInformationDisplay(TableDisplay):
    """Bars to the left for H(S|T=i), to the right for H(T|S=j), class by class, several systems side by side."""

    bars: list[ClassBar]

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system") -> Self:
        """Measure every class of one table, or of several by name."""
        bars = []
        for key, table in name_tables(tables, name).items():
            spread = dict(zip(table.truth_labels, np.asarray(class_false_information(table)).tolist(), strict=True))
            ambiguity = dict(
                zip(table.system_labels, np.asarray(output_missed_information(table)).tolist(), strict=True)
            )
            truth_shares = dict(zip(table.truth_labels, table.row_totals / table.total, strict=True))
            output_shares = dict(zip(table.system_labels, table.column_totals / table.total, strict=True))
            own = [
                ClassBar(
                    str(label),
                    key,
                    spread.get(label, np.nan),
                    ambiguity.get(label, np.nan),
                    float(
                        np.nan_to_num(spread.get(label, 0.0)) * truth_shares.get(label, 0.0)
                        + np.nan_to_num(ambiguity.get(label, 0.0)) * output_shares.get(label, 0.0)
                    ),
                )
                for label in dict.fromkeys([*table.truth_labels, *table.system_labels])
            ]
            bars += sorted(own, key=lambda bar: -bar.cost)
        return cls(bars)

    @property
    def labels(self) -> list[str]:
        """Classes by what they cost in all systems together."""
        costs: dict[str, float] = {}
        for bar in self.bars:
            costs[bar.label] = costs.get(bar.label, 0.0) + bar.cost
        return sorted(costs, key=lambda label: -costs[label])

    def panel(self) -> Panel:
        """Draw two wings with the class names between them."""
        systems = list(dict.fromkeys(bar.system for bar in self.bars))
        labels = self.labels[:MAX_CLASSES]
        left_out = len(self.labels) - len(labels)
        count, several = len(labels), len(systems) > 1
        thick = 11.0 * len(systems) + 8.0 if several else 20.0
        most = max(float(np.nanmax([[bar.spread, bar.ambiguity] for bar in self.bars])), 0.01)
        gap = 0.46 * most
        marks = [
            mark for row, label in enumerate(labels) for mark in self._draw_class(count - 1 - row, label, systems, gap)
        ]
        top = count - 0.5
        marks.append(Words(-gap, top, "spread of predictions, H(S|T=class)", "dim", anchor="end", shift=(0.0, -14.0)))
        marks.append(Words(gap, top, "prediction ambiguity, H(T|S=class)", "dim", shift=(0.0, -14.0)))
        left = -300.0
        for place, system in enumerate(systems if several else ()):
            text = f"■ {fit_label(system, 600.0 / len(systems) - 28.0, 11.0)}"
            shift, tip = (left, -36.0), plain_label(system)
            marks.append(Words(0.0, top, text, series(place), "small", shift=shift, bold=True, of=system, tip=tip))
            left += 18.0 + 1.06 * measure_width(text, 11.0)

        ticks = choose_round_ticks(0.0, most, 4)
        words = format_ticks(ticks)
        mirrored = (*((-gap - x, text) for x, text in zip(ticks, words, strict=True)),)
        worst = max(self.bars, key=lambda bar: bar.cost)
        head = 38.0 + (18.0 if several else 0.0)
        return Panel(
            "Information by class",
            f"Information by class for {len(self.labels)} classes, {count} drawn. "
            f"{shorten(worst.label, 60)} costs most: its predictions "
            f"spread by {worst.spread:.2f} bits, and predicting it leaves {worst.ambiguity:.2f} bits open.",
            Axis(
                -1.14 * most - gap,
                1.14 * most + gap,
                "bits",
                (*mirrored, *((gap + x, text) for x, text in zip(ticks, words, strict=True))),
                line=False,
            ),
            Axis(-0.5, count - 0.5),
            tuple(marks),
            width=640.0,
            height=thick * count + 50.0 + head,
            margins=(12.0, head, 12.0, 50.0),
            notes=(f"{left_out:,} classes that cost less are not drawn",) if left_out > 0 else (),
        )

    def _draw_class(self, row: float, label: str, systems: Sequence[str], gap: float) -> list[Mark]:
        """Draw a class's name, and left and right of it the bars of each system with their numbers."""
        room = 0.46 / 3.2 * 2 * 616.0
        marks: list[Mark] = [Words(0.0, row, fit_label(label, room), anchor="middle", tip=plain_label(label))]
        thick, single = 0.8 / len(systems), len(systems) == 1
        for bar in self.bars:
            if bar.label != label:
                continue
            place = systems.index(bar.system)
            top = row + 0.4 - place * thick
            for value, sign, role, word in (
                (bar.spread, -1.0, "false", "spread of predictions"),
                (bar.ambiguity, 1.0, "missed", "prediction ambiguity"),
            ):
                if not np.isfinite(value):
                    continue
                tip = f"{plain_label(label)}\n{plain_label(bar.system)}: {word} {value:.3f} bits"
                start, end = sign * gap, sign * gap + sign * value
                marks.append(
                    Bar(
                        (min(start, end), top - thick),
                        (max(start, end), top),
                        role if single else series(place),
                        hatched=single and role == "false",
                        of=None if single else bar.system,
                        tip=tip,
                    )
                )
                if len(systems) <= 4:
                    anchor: Anchor = "end" if sign < 0 else "start"
                    size: Size = "small" if single else "tiny"
                    middle = top - thick / 2
                    marks.append(Words(end, middle, f"{value:.2f}", "dim", size, anchor, (4.0 * sign, 0.0)))
        return marks
