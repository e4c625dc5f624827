"""The information ledger: one bar of information missed, captured and false."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.drawing.scene import Axis, Bar, Line, Mark, Panel, Words
from infoscope.figures.inputs import Tables, one_table
from infoscope.figures.table_display import TableDisplay
from infoscope.metrics.shannon import entropies

__all__ = ["LedgerDisplay", "brace"]

WIDTH, MARGIN = 640.0, 2.0
NAME_WIDTH = 9.5
"""Room for a letter of a name that stands in the bar, with what is left at both ends."""


def brace(start: float, end: float, at: float, depth: float) -> Line:
    """A bracket along a stretch; its ends point by ``depth``."""
    return Line(((start, at + depth), (start, at), (end, at), (end, at + depth)), "dim", clip=False)


@dataclass(repr=False)
class LedgerDisplay(TableDisplay):
    """Truth is missed + captured, output is captured + false, all to one scale, in bits.

    >>> from infoscope.tables import Contingency
    >>> ledger = LedgerDisplay.from_table(Contingency.from_matrix([[4, 0], [2, 2]]))
    >>> print(f"{ledger.missed:.2f} {ledger.captured:.2f} {ledger.false:.2f}")
    0.69 0.31 0.50
    """

    missed: float
    captured: float
    false: float
    unit: str = "bits"
    shares: tuple[float, float] | None = None
    """Captured and false as shares of the truth, where these are estimates of their own."""
    _single: ClassVar[bool] = True

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system") -> Self:
        """The ledger of one table."""
        table = one_table(tables, name, "a ledger")
        h = entropies(table)
        return cls(float(h.missed), float(h.mutual), float(h.spurious))

    def panel(self) -> Panel:
        """Three parts and two brackets."""
        total = self.missed + self.captured + self.false
        if not total > 0:
            raise InputError("truth and output never vary, so there is no information to account for")
        parts = (("missed", self.missed), ("captured", self.captured), ("false", self.false))
        ends = np.cumsum([0.0, *(bits for _, bits in parts)])
        truth = self.missed + self.captured
        marks: list[Mark] = [
            brace(0.0, ends[2], 1.14, -0.08),
            brace(ends[1], ends[3], -0.14, 0.08),
            Words(0.0, 1.14, f"truth H(T) = {truth:.2f} {self.unit}", "dim", shift=(0.0, -11.0)),
            Words(
                total,
                -0.14,
                f"output H(S) = {self.captured + self.false:.2f} {self.unit}",
                "dim",
                anchor="end",
                shift=(0.0, 12.0),
            ),
        ]
        for (part, bits), start in zip(parts, ends, strict=False):
            marks += self._part(part, bits, float(start), total)
        return Panel(
            "Information ledger",
            f"Of the {truth:.2f} {self.unit} in the truth, {self.captured:.2f} were captured and "
            f"{self.missed:.2f} missed; "
            f"{self.false:.2f} {self.unit} of the output are false.",
            Axis(0.0, total),
            Axis(0.0, 1.0),
            tuple(marks),
            width=WIDTH,
            height=100.0,
            margins=(MARGIN, 28.0, MARGIN, 30.0),
        )

    def _part(self, part: str, bits: float, start: float, total: float) -> list[Mark]:
        """A stretch with its name in it; beside the bar where it is too short, in the colour of plain text."""
        truth = self.missed + self.captured
        of_truth = self._share(part, bits / truth) if truth > 0 else None
        share = f"{bits:.2f} {self.unit}" if of_truth is None else f"{of_truth:.1%}"
        tip = f"{part}: {bits:.3f} {self.unit}" + ("" if of_truth is None else f", {of_truth:.1%} of the truth")
        drawn = Bar((start, 0.0), (start + bits, 1.0), part, hatched=part == "false", tip=tip)
        text = f"{part} {share}"
        if bits / total * (WIDTH - 2 * MARGIN) > NAME_WIDTH * len(text):
            inside = Words(
                start + bits / 2,
                0.5,
                text,
                f"on-{part}",
                "large",
                "middle",
                bold=True,
                halo="false" if part == "false" else None,
            )
            return [drawn, inside]
        if part == "missed":
            return [drawn, Words(0.0, -0.14, text, shift=(0.0, 12.0))]
        if part == "false":
            return [drawn, Words(total, 1.14, text, anchor="end", shift=(0.0, -11.0))]
        if start / total > 0.18:
            return [drawn, Words(start, -0.14, text, anchor="end", shift=(-6.0, 12.0))]
        return [drawn, Words(start, -0.14, text, shift=(96.0, 12.0))]

    def _share(self, part: str, of_bits: float) -> float:
        if self.shares is None:
            return of_bits
        captured, false = self.shares
        return {"missed": 1.0 - captured, "captured": captured, "false": false}[part]
