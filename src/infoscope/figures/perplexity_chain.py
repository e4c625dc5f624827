"""The perplexity chain: how many equally likely classes there are, were in effect, and remain in doubt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.inputs import Tables, tables_by_name
from infoscope.figures.layout import fitting, legend, shortened, width_of
from infoscope.figures.scene import Axis, Bar, Mark, Panel, Words
from infoscope.figures.table_display import TableDisplay
from infoscope.metrics import effective_classes, remnant_classes, transfer_factor

__all__ = ["Chain", "PerplexityDisplay"]

NAME_ROOM = 150.0
"""Pixels a name may take."""


@dataclass(frozen=True)
class Chain:
    """k = (k / effective) · transferred · remaining."""

    name: str
    classes: int
    effective: float
    remaining: float
    transferred: float


@dataclass
class PerplexityDisplay(TableDisplay):
    """Doubt on a logarithmic scale: from all classes down to those still to be guessed among."""

    chains: list[Chain]
    _single: ClassVar[bool] = False

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system") -> Self:
        """One bar a table."""
        chains = []
        for key, table in tables_by_name(tables, name).items():
            if table.shape[0] < 2:
                raise InputError(f"the truth of {key!r} has one class only, so there was never any doubt to draw")
            chains.append(
                Chain(
                    key,
                    table.shape[0],
                    float(effective_classes(table)),
                    float(remnant_classes(table)),
                    float(transfer_factor(table)),
                )
            )
        return cls(chains)

    def panel(self) -> Panel:
        """Bars from 1 to k, cut where the predictions rule classes out."""
        most = max(chain.classes for chain in self.chains)
        named = len(self.chains) > 1
        count = len(self.chains)
        marks = [mark for at, chain in enumerate(self.chains) for mark in _bar(count - 1 - at, chain, named=named)]
        ticks = _powers(most)
        left = 24.0 + max(width_of(fitting(chain.name, NAME_ROOM)) for chain in self.chains) if named else 10.0
        one = self.chains[0]
        panel = Panel(
            "Perplexity chain",
            f"{one.classes} classes, in effect {one.effective:.1f}; the predictions of {shortened(one.name, 60)} "
            f"leave {one.remaining:.1f}.",
            Axis(0.0, float(np.log2(most)), "equally likely classes (log scale)", ticks),
            Axis(-0.5, count - 0.5),
            tuple(marks),
            width=640.0,
            height=52.0 * count + 84.0,
            margins=(left, 34.0, 20.0, 50.0),
        )
        entries = [("missed", "remaining"), ("captured", "ruled out by the predictions")]
        if any(_imbalanced(chain) for chain in self.chains):
            entries.append(("faint", "classes are not equally frequent"))
        return replace(panel, marks=(*panel.marks, *legend(panel, 10.0, 12.0, entries)))


def _powers(most: int) -> tuple[tuple[float, str], ...]:
    """Powers of two, and the number of classes itself where it has room."""
    step = max(1, int(np.log2(most)) // 8)
    powers = [(float(power), f"{2**power:,}") for power in range(0, int(np.log2(most)) + 1, step)]
    end = float(np.log2(most))
    room = 0.06 * end
    return (*((at, text) for at, text in powers if at == 0.0 or end - at > room), (end, f"{most:,}"))


def _imbalanced(chain: Chain) -> bool:
    return chain.effective <= 0.995 * chain.classes


def _bar(at: int, chain: Chain, *, named: bool) -> list[Mark]:
    left, right, end = (float(np.log2(max(x, 1.0))) for x in (chain.remaining, chain.effective, chain.classes))
    low, high = at - 0.36, at + 0.06
    worth = f" (worth {chain.effective:.1f})" if _imbalanced(chain) else ""
    marks: list[Mark] = [
        Bar((0.0, low), (left, high), "missed", tip=f"{chain.remaining:.2f} classes remain in doubt"),
        Bar((left, low), (right, high), "captured", tip=f"doubt divided by {chain.transferred:.2f}"),
        Bar(
            (right, low),
            (end, high),
            "faint",
            tip=f"imbalance: {chain.classes} classes are worth {chain.effective:.2f}",
        ),
        Words(
            0.0,
            high,
            f"{chain.remaining:.1f} left to guess among, of {chain.classes:,} classes{worth}",
            shift=(0.0, -11.0),
        ),
    ]
    if right - left > 0.08 * end:
        text = f"÷ {chain.transferred:.2f}"
        marks.append(Words((left + right) / 2, (low + high) / 2, text, "on-captured", anchor="middle", bold=True))
    if named:
        name = fitting(chain.name, NAME_ROOM)
        marks.append(Words(0.0, (low + high) / 2, name, anchor="end", shift=(-8.0, 0.0), of=chain.name))
    return marks
