"""Bars of information to scale: the ledger (missed, captured, false) and the entropy diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, get_only_table
from infoscope.figures.layout import choose_round_ticks, format_ticks
from infoscope.figures.scene import Axis, Bar, Line, Mark, Panel, Words
from infoscope.metrics.shannon import entropies

WIDTH, MARGIN = 640.0, 2.0
NAME_WIDTH = 9.5
"""Room for a letter of a name that stands in the bar, with what is left at both ends."""


def draw_brace(start: float, end: float, y: float, depth: float) -> Line:
    """Draw a bracket along a stretch; its ends point by ``depth``."""
    return Line(((start, y + depth), (start, y), (end, y), (end, y + depth)), "dim", clip=False)


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
        """Draw the ledger of one table."""
        table = get_only_table(tables, name, "a ledger")
        h = entropies(table)
        return cls(float(h.missed), float(h.mutual), float(h.spurious))

    def panel(self) -> Panel:
        """Draw three parts and two brackets."""
        total = self.missed + self.captured + self.false
        if not total > 0:
            raise InputError("truth and output never vary, so there is no information to account for")
        parts = (("missed", self.missed), ("captured", self.captured), ("false", self.false))
        ends = np.cumsum([0.0, *(bits for _, bits in parts)])
        truth = self.missed + self.captured
        marks: list[Mark] = [
            draw_brace(0.0, ends[2], 1.14, -0.08),
            draw_brace(ends[1], ends[3], -0.14, 0.08),
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
            marks += self._draw_part(part, bits, float(start), total)
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

    def _draw_part(self, part: str, bits: float, start: float, total: float) -> list[Mark]:
        """Draw a stretch with its name in it; beside the bar where it is too short, in the colour of plain text."""
        truth = self.missed + self.captured
        of_truth = bits / truth if truth > 0 else None
        if self.shares is not None and truth > 0:
            captured, false = self.shares
            of_truth = {"missed": 1.0 - captured, "captured": captured, "false": false}[part]
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


Form = Literal["joint", "extended", "split"]
_WORDS = {
    "unused truth": ("faint", "ΔH(T)", "imbalance of the truth"),
    "missed": ("missed", "H(T|S)", "missed"),
    "truth shared": ("captured", "I", "shared"),
    "system shared": ("captured", "I", "shared"),
    "false": ("false", "H(S|T)", "false"),
    "unused system": ("faint", "ΔH(S)", "imbalance of the output"),
}


@dataclass(frozen=True)
class Part:
    """A stretch of one of the two bars."""

    what: str
    start: float
    end: float
    side: Literal["truth", "system"]

    @property
    def bits(self) -> float:
        """Its length, and as all bars are equally high, its area."""
        return self.end - self.start


@dataclass(repr=False)
class EntropyDiagramDisplay(TableDisplay):
    """Truth above, output below, the shared part of both in one place; every area is to scale.

    ``joint`` shows H(T) and H(S); ``extended`` adds what a balanced truth and output would have; ``split`` gives each
    side its own scale from 0 to 1.
    """

    truth: float
    system: float
    shared: float
    truth_room: float
    """log2 of the number of classes."""
    system_room: float
    form: Form = "extended"
    _single: ClassVar[bool] = True

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system", form: Form = "extended") -> Self:
        """Draw the diagram of one table."""
        if form not in ("joint", "extended", "split"):
            raise InputError(f"the form {form!r} is not known; choose joint, extended or split")
        table = get_only_table(tables, name, "an entropy diagram")
        h = entropies(table)
        rooms = h.truth_room, h.system_room
        if max(rooms) == 0.0:
            raise InputError("truth and output have one class each, so there is no room for information to draw")
        if form == "split" and min(rooms) == 0.0:
            raise InputError("a side with one class has no room for information; the split form does not exist")
        return cls(float(h.truth), float(h.system), float(h.mutual), *rooms, form)

    @property
    def case(self) -> Literal["independent", "dependent", "general"]:
        """Nothing shared, nothing but shared, or something of each."""
        tiny = 1e-9 * max(self.truth_room + self.system_room, 1.0)
        if self.shared <= tiny:
            return "independent"
        return "dependent" if max(self.truth, self.system) - self.shared <= tiny else "general"

    @property
    def parts(self) -> list[Part]:
        """Stretches of both bars, in bits from the left edge of the shared part (split: shares of each side)."""
        missed, false = self.truth - self.shared, self.system - self.shared
        if self.form == "split":
            t, s = self.truth_room, self.system_room
            return [
                *_stack_parts(
                    "truth",
                    (("truth shared", self.shared / t), ("missed", missed / t), ("unused truth", 1 - self.truth / t)),
                ),
                *_stack_parts(
                    "system",
                    (("system shared", self.shared / s), ("false", false / s), ("unused system", 1 - self.system / s)),
                ),
            ]
        unused = (self.truth_room - self.truth, self.system_room - self.system)
        extended = self.form == "extended"
        left = -missed - (unused[0] if extended else 0.0)
        truth = (("missed", missed), ("truth shared", self.shared))
        system = (("system shared", self.shared), ("false", false))
        return [
            *_stack_parts("truth", ((("unused truth", unused[0]), *truth) if extended else truth), left),
            *_stack_parts("system", ((*system, ("unused system", unused[1])) if extended else system), 0.0),
        ]

    def panel(self) -> Panel:
        """Draw both bars, with brackets for H(T), H(S) and H(T,S)."""
        parts = [part for part in self.parts if part.bits > 1e-12]
        low, high = min(part.start for part in parts), max(part.end for part in parts)
        marks = [mark for part in parts for mark in self._draw_bar(part, high - low)]
        split = self.form == "split"
        if not split:
            missed, false = self.truth - self.shared, self.system - self.shared
            for start, end, y, depth, text in (
                (-missed, self.shared, 2.09, -0.08, f"H(T) = {self.truth:.2f}"),
                (-missed, self.shared + false, 2.46, -0.08, f"H(T,S) = {self.shared + missed + false:.2f}"),
                (0.0, self.system, -0.09, 0.08, f"H(S) = {self.system:.2f}"),
            ):
                shift = (0.0, -10.0 if depth < 0 else 11.0)
                marks.append(draw_brace(start, end, y, depth))
                marks.append(Words((start + end) / 2, y, text, "dim", anchor="middle", shift=shift))
        ticks = choose_round_ticks(0.0, 1.0, 5) if split else []
        title = "share of log k above, of log m below" if split else f"areas to scale, in bits; {self.case} case"
        hidden = [part for part in parts if not self._has_room(part, high - low)]
        title += "".join(f"; {_WORDS[part.what][1]} = {part.bits:.2f}" for part in hidden)
        return Panel(
            f"Entropy diagram, {self.form} form",
            f"Truth has {self.truth:.2f} of {self.truth_room:.2f} bits, output {self.system:.2f} of "
            f"{self.system_room:.2f}; "
            f"they share {self.shared:.2f}. {self.case.capitalize()} case.",
            Axis(low, high, title, tuple(zip(ticks, format_ticks(ticks), strict=True)), line=False),
            Axis(0.0, 2.0),
            tuple(marks),
            width=600.0,
            height=236.0,
            margins=(64.0, 10.0, 14.0, 50.0) if split else (64.0, 54.0, 14.0, 62.0),
        )

    def _draw_bar(self, part: Part, span: float) -> list[Mark]:
        colour, symbol, word = _WORDS[part.what]
        row = 1.0 if part.side == "truth" else 0.0
        stated = f"{part.bits:.2f}" + ("" if self.form == "split" else " bits")
        marks: list[Mark] = [
            Bar(
                (part.start, row + 0.03),
                (part.end, row + 0.97),
                colour,
                0.75 if colour == "faint" else 1.0,
                hatched=colour == "false",
                tip=f"{word}: {stated}",
            )
        ]
        ink = "ink" if colour == "faint" else f"on-{colour}"
        if self._has_room(part, span):
            middle, number = (part.start + part.end) / 2, stated.removesuffix(" bits")
            halo = "false" if colour == "false" else None  # it is hatched
            marks += [
                Words(middle, row + 0.5, symbol, ink, "normal", "middle", (0.0, -8.0), bold=True, halo=halo),
                Words(middle, row + 0.5, number, ink, "small", "middle", (0.0, 9.0), halo=halo),
            ]
        if part.what in ("truth shared", "system shared"):
            name = "truth" if row else "output"
            low = self.parts[0].start if self.form != "split" else 0.0
            marks.append(Words(min(low, 0.0), row + 0.5, name, "dim", anchor="end", shift=(-10.0, 0.0)))
        return marks

    def _has_room(self, part: Part, span: float) -> bool:
        """Return whether the words of a part fit into it."""
        return part.bits / span * 520.0 > max(8.0 * len(_WORDS[part.what][1]), 6.5 * 4) + 4.0


def _stack_parts(
    side: Literal["truth", "system"], lengths: tuple[tuple[str, float], ...], start: float = 0.0
) -> list[Part]:
    parts = []
    for what, length in lengths:
        parts.append(Part(what, start, start + max(length, 0.0), side))
        start += max(length, 0.0)
    return parts
