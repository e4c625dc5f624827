"""The perplexity chain: how many equally likely classes there are, were in effect, and remain.

Both halves: the truth's (k, k_T, k_T|S) and the output's (m, m_S, m_S|T), cut by the same factor μ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, Self

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, name_tables
from infoscope.figures.layout import draw_legend, fit_label, measure_width, shorten
from infoscope.figures.scene import Axis, Bar, Mark, Panel, Words
from infoscope.metrics import (
    effective_classes,
    remnant_classes,
    system_classes,
    system_remnant_classes,
    transfer_factor,
)

NAME_ROOM = 150.0
"""Pixels a name may take."""


@dataclass(frozen=True)
class Half:
    """One side's classes: classes = (classes / effective) · transferred · remaining."""

    classes: int
    effective: float
    """Number of equally frequent classes that would be as varied."""
    remaining: float
    """Of these, how many the other side leaves open."""

    @property
    def is_imbalanced(self) -> bool:
        """True if the classes are worth fewer equally frequent ones."""
        return self.effective <= 0.995 * self.classes


@dataclass(frozen=True)
class Chain:
    """The classes of the truth and, where they are shown, of the predictions, both divided by the same factor.

    classes = (classes / effective) · transferred · remaining, for either.
    """

    name: str
    classes: int
    effective: float
    remaining: float
    transferred: float
    output: Half | None = None

    @cached_property
    def truth(self) -> Half:
        """The classes of the truth."""
        return Half(self.classes, self.effective, self.remaining)

    @property
    def halves(self) -> list[Half]:
        """The truth's, and the output's where it is shown."""
        return [self.truth] if self.output is None else [self.truth, self.output]


Shown = Literal["both", "truth"]


@dataclass(repr=False)
class PerplexityDisplay(TableDisplay):
    """Doubt on a logarithmic scale: from all classes down to those still to be guessed among."""

    chains: list[Chain]
    _single: ClassVar[bool] = False

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system", half: Shown = "both") -> Self:
        """Draw two bars per table, of the truth and of the predictions; ``half="truth"`` leaves the second out."""
        if half not in ("both", "truth"):
            raise InputError(f"half is {half!r}; it is both or truth")
        chains = []
        for key, table in name_tables(tables, name).items():
            k, m = table.shape
            if k < 2:
                raise InputError(f"the truth of {key!r} has one class only, so there was never any doubt to draw")
            output = Half(m, float(system_classes(table)), float(system_remnant_classes(table)))
            truth = (float(effective_classes(table)), float(remnant_classes(table)))
            chains.append(Chain(key, k, *truth, float(transfer_factor(table)), output if half == "both" else None))
        return cls(chains)

    def panel(self) -> Panel:
        """Draw bars from 1 to the number of classes, cut where one side rules classes of the other out."""
        rows = [(chain, half) for chain in self.chains for half in chain.halves]
        most = max(half.classes for _, half in rows)
        named, count = len(self.chains) > 1, len(rows)
        marks = [mark for place, row in enumerate(rows) for mark in _draw_bars(count - 1 - place, *row, named=named)]
        left = 24.0 + max(measure_width(fit_label(chain.name, NAME_ROOM)) for chain in self.chains) if named else 10.0
        # powers of two, and the number of classes itself where it has room
        end = float(np.log2(most))
        step = max(1, int(np.log2(most)) // 8)
        ticks = [(float(power), f"{2**power:,}") for power in range(0, int(np.log2(most)) + 1, step)]
        ticks = [(power, text) for power, text in ticks if power == 0.0 or end - power > 0.06 * end]
        one = self.chains[0]
        panel = Panel(
            "Perplexity chain",
            f"{one.truth.classes} classes, in effect {one.truth.effective:.1f}; the predictions of "
            f"{shorten(one.name, 60)} leave {one.truth.remaining:.1f}.",
            Axis(0.0, end, "equally likely classes (log scale)", (*ticks, (end, f"{most:,}"))),
            Axis(-0.5, count - 0.5),
            tuple(marks),
            width=640.0,
            height=52.0 * count + 84.0,
            margins=(left, 34.0, 20.0, 50.0),
        )
        both = any(chain.output is not None for chain in self.chains)
        key = [("missed", "remaining"), *([("false", "beyond the truth")] if both else [])]
        key.append(("captured", "ruled out by the other side" if both else "ruled out by the predictions"))
        if any(half.is_imbalanced for _, half in rows):
            key.append(("faint", "not equally frequent"))
        return replace(panel, marks=(*marks, *draw_legend(panel, 10.0, 12.0, key)))


def _draw_bars(row: int, chain: Chain, half: Half, *, named: bool) -> list[Mark]:
    """Draw what remains, what the other side rules out, and what imbalance leaves out, with the words above."""
    left, right, end = (float(np.log2(max(x, 1.0))) for x in (half.remaining, half.effective, half.classes))
    low, high = row - 0.36, row + 0.06
    worth = f" (worth {half.effective:.1f})" if half.is_imbalanced else ""
    is_truth = half is chain.truth
    if is_truth:
        kind, tip = "missed", f"{half.remaining:.2f} equally likely classes remain"
        words = f"{half.remaining:.1f} left to guess among, of {half.classes:,} classes{worth}"
    else:
        kind, tip = "false", f"{half.remaining:.2f} predictions, the true class given"
        words = f"{half.remaining:.1f} predictions per true class, of {half.classes:,} predictions{worth}"
    marks: list[Mark] = [
        Bar((0.0, low), (left, high), kind, tip=tip),
        Bar((left, low), (right, high), "captured", tip=f"divided by {chain.transferred:.2f}"),
        Bar((right, low), (end, high), "faint", tip=f"imbalance: {half.classes} are worth {half.effective:.2f}"),
        Words(0.0, high, words, shift=(0.0, -11.0)),
    ]
    if right - left > 0.08 * end:
        text = f"÷ {chain.transferred:.2f}"
        marks.append(Words((left + right) / 2, (low + high) / 2, text, "on-captured", anchor="middle", bold=True))
    if named and is_truth:
        name = fit_label(chain.name, NAME_ROOM)
        marks.append(Words(0.0, (low + high) / 2, name, anchor="end", shift=(-8.0, 0.0), of=chain.name))
    return marks
