"""The account of the information in one table: what is missed, captured and false, and where it is lost.

The ledger and the entropy diagram are bars of information to scale. Lost bits flow from the true to the predicted
class, the perplexity chain counts the equally likely classes that remain, and bars by class show how the predictions of
each spread and what predicting it leaves open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import acos, cos, pi, sin, sqrt
from typing import ClassVar, Literal, Self, get_args

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, get_only_table, name_tables
from infoscope.figures.layout import (
    WIDER_WORDS,
    choose_round_ticks,
    draw_legend,
    fit_label,
    fit_labels,
    format_ticks,
    measure_width,
    plain_label,
    shorten,
    write_count,
)
from infoscope.figures.scene import Anchor, Axis, Bar, Dot, Line, Mark, Panel, Point, Ribbon, Size, Words, series
from infoscope.metrics import (
    cell_false_information,
    cell_missed_information,
    class_false_information,
    effective_classes,
    output_missed_information,
    remnant_classes,
    system_classes,
    system_remnant_classes,
    transfer_factor,
)
from infoscope.metrics.shannon import entropies

# The ledger -----------------------------------------------------------------------------------------------------------

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
                self._write_output(),
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

    def _write_output(self) -> str:
        return f"output H(S) = {self.captured + self.false:.2f} {self.unit}"

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
        # between what is missed, at the left edge, and the words below the output, which end at the right
        if start / total > 0.18:
            after = (1.0 - start / total) * (WIDTH - 2 * MARGIN)
            shift = min(-6.0, after - 16.0 - WIDER_WORDS * measure_width(self._write_output()))
            return [drawn, Words(start, -0.14, text, anchor="end", shift=(shift, 12.0))]
        return [drawn, Words(start, -0.14, text, shift=(16.0 + WIDER_WORDS * measure_width("missed 100.0%"), 12.0))]


# The entropy diagram --------------------------------------------------------------------------------------------------

Form = Literal["joint", "circles", "extended", "extended circles", "split"]
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

    ``joint`` shows H(T) and H(S), ``circles`` the same as circles that overlap; ``extended`` and ``extended circles``
    add what a balanced truth and output would have; ``split`` gives each side its own scale from 0 to 1.
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
        if form not in get_args(Form):
            raise InputError(f"the form {form!r} is not known; choose {', '.join(get_args(Form))}")
        table = get_only_table(tables, name, "an entropy diagram")
        h = entropies(table)
        rooms = h.truth_room, h.system_room
        if max(rooms) == 0.0:
            raise InputError("truth and output have one class each, so there is no room for information to draw")
        if form == "split" and min(rooms) == 0.0:
            raise InputError("a side with one class has no room for information; the split form does not exist")
        if form in ("joint", "circles") and not max(h.truth, h.system) > 0:
            raise InputError("truth and output never vary, so there is no information to draw")
        truth, system = float(h.truth), float(h.system)
        return cls(truth, system, min(float(h.mutual), truth, system), *rooms, form)  # nothing missed or false is -0.00

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
        """Draw both bars, with brackets for H(T), H(S) and H(T,S); or both circles."""
        if self.form.endswith("circles"):
            return self._draw_circles()
        parts = [part for part in self.parts if part.bits > 1e-12]
        low, high = min(part.start for part in parts), max(part.end for part in parts)
        marks = [mark for part in parts for mark in self._draw_bar(part, high - low)]
        split = self.form == "split"
        for row, name in enumerate(("output", "truth")):
            left = 0.0 if split else min(self.parts[0].start, 0.0)
            marks.append(Words(left, row + 0.5, name, "dim", anchor="end", shift=(-10.0, 0.0)))
        if not split:
            missed, false = self.truth - self.shared, self.system - self.shared
            for start, end, y, depth, text in (
                (-missed, self.shared, 2.09, -0.08, f"H(T) = {self.truth:.2f}"),
                (-missed, self.shared + false, 2.46, -0.08, f"H(T,S) = {self.shared + missed + false:.2f}"),
                (0.0, self.system, -0.09, 0.08, f"H(S) = {self.system:.2f}"),
            ):
                shift = (0.0, -10.0 if depth < 0 else 11.0)
                marks.append(draw_brace(start, end, y, depth))
                x = (start + end) / 2
                anchor: Anchor = "middle"
                if (end - start) / (high - low) * 520.0 < 7.0 * len(text):  # too short for its name: keep it inside
                    x, anchor = (start, "start") if depth < 0 else (end, "end")
                marks.append(Words(x, y, text, "dim", anchor=anchor, shift=shift))
        ticks = choose_round_ticks(0.0, 1.0, 5) if split else []
        title = "share of log k above, of log m below" if split else f"to scale, in bits; {self.case} case"
        named = [part for part in self.parts if part.bits > 1e-12 or not part.what.startswith("unused")]
        hidden = [part for part in named if not self._has_room(part, high - low)]
        title += "".join({f"; {_WORDS[part.what][1]} = {part.bits:.2f}": None for part in hidden})
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
        return marks

    def _draw_circles(self) -> Panel:
        """Draw H(T) and H(S) as circles whose areas and overlap are to scale, and name all five quantities."""
        a, b, apart = self.circles
        extended, rooms = self.form == "extended circles", (self.truth_room, self.system_room)
        outer = [sqrt(room / pi) for room in rooms] if extended else [a, b]
        if self.case == "independent":
            apart = sum(outer)
        ends = (-a, min(max(apart - b, -a), a), min(a, apart + b), apart + b)  # of the regions, along the middle
        marks: list[Mark] = [
            Line(
                _trace_arc(x, radius, pi),
                "dim",
                closed=True,
                fill="faint",
                opacity=0.5,
                tip=f"log₂ of classes: {room:.3f} bits",
            )
            for x, radius, room in zip((0.0, apart), outer, rooms, strict=True)
            if extended
        ]
        marks += [
            _draw_region(_trace_arc(0.0, a, pi), "missed", f"H(T) = {self.truth:.3f} bits"),
            _draw_region(_trace_arc(apart, b, pi), "false", f"H(S) = {self.system:.3f} bits"),
        ]
        if self.shared > 0:
            alpha, beta = _open_lens(a, b, apart)
            lens = (*_trace_arc(0.0, a, alpha), *_trace_arc(apart, b, beta, pi))
            marks.append(_draw_region(lens, "captured", f"I(T;S) = {self.shared:.3f} bits"))
        marks += [Line(_trace_arc(0.0, a, pi), closed=True), Line(_trace_arc(apart, b, pi), closed=True)]
        wide, high = 572.0, 200.0
        span = min(-outer[0], apart - outer[1]), max(outer[0], apart + outer[1])
        scale = 1.04 * max(2 * max(outer) / high, (span[1] - span[0]) / wide)
        middle = sum(span) / 2
        low = -scale * high / 2
        words = (
            ("H(T|S)", "missed", self.truth - self.shared),
            ("I(T;S)", "shared", self.shared),
            ("H(S|T)", "false", self.system - self.shared),
        )
        for place, (symbol, word, bits) in enumerate(words):
            x = middle + (place - 1) * scale * wide / 3
            marks.append(Words(x, low, f"{symbol} = {bits:.2f} {word}", anchor="middle", shift=(0.0, 24.0)))
            if bits > 1e-12:
                inside = ((ends[place] + ends[place + 1]) / 2, 0.0)
                marks += [Line((inside, (x, low)), "ink", clip=False), Dot(*inside, "ink", size=2.5)]
        left, right = middle - scale * wide / 2, middle + scale * wide / 2
        title = "areas to scale, in bits"
        if extended:
            title += f"; ΔH(T) = {rooms[0] - self.truth:.2f}, ΔH(S) = {rooms[1] - self.system:.2f}"
        marks += [
            Words(left, -low, f"truth H(T) = {self.truth:.2f}", "dim", shift=(0.0, -12.0)),
            Words(right, -low, f"output H(S) = {self.system:.2f}", "dim", anchor="end", shift=(0.0, -12.0)),
        ]
        return Panel(
            "Extended entropy diagram" if extended else "Joint entropy diagram",
            f"Truth has {self.truth:.2f} bits, output {self.system:.2f}; they share {self.shared:.2f}. "
            f"{self.case.capitalize()} case.",
            Axis(left, right, title, line=False),
            Axis(low, -low),
            tuple(marks),
            width=600.0,
            height=304.0,
            margins=(14.0, 30.0, 14.0, 74.0),
        )

    @property
    def circles(self) -> tuple[float, float, float]:
        """Radii of H(T) and H(S), and the distance of their centres at which they share I(T;S)."""
        a, b = sqrt(self.truth / pi), sqrt(self.system / pi)
        near, far = abs(a - b), a + b
        if self.case == "independent":
            return a, b, far
        if min(self.truth, self.system) - self.shared <= 1e-9:  # one says nothing beyond the other
            return a, b, near
        for _ in range(60):
            middle = (near + far) / 2
            alpha, beta = _open_lens(a, b, middle)
            overlap = a**2 * (alpha - sin(2 * alpha) / 2) + b**2 * (beta - sin(2 * beta) / 2)
            near, far = (middle, far) if overlap > self.shared else (near, middle)
        return a, b, near

    def _has_room(self, part: Part, span: float) -> bool:
        """Return whether the words of a part fit into it."""
        return part.bits / span * 520.0 > max(8.0 * len(_WORDS[part.what][1]), 6.5 * 4) + 4.0


def _open_lens(a: float, b: float, apart: float) -> tuple[float, float]:
    """Return the half angles at which two circles see the edge of what they share."""
    if apart <= abs(a - b):
        return (0.0, pi) if b <= a else (pi, 0.0)
    cosines = (apart**2 + a**2 - b**2) / (2 * apart * a), (apart**2 + b**2 - a**2) / (2 * apart * b)
    return acos(min(max(cosines[0], -1.0), 1.0)), acos(min(max(cosines[1], -1.0), 1.0))


def _trace_arc(x: float, radius: float, half: float, towards: float = 0.0) -> tuple[Point, ...]:
    turns = [towards + half * (step / 90 - 1) for step in range(181)]
    return tuple((x + radius * cos(turn), radius * sin(turn)) for turn in turns)


def _draw_region(outline: tuple[Point, ...], colour: str, tip: str) -> Line:
    return Line(outline, colour, 0.0, closed=True, fill=colour, tip=tip)


def _stack_parts(
    side: Literal["truth", "system"], lengths: tuple[tuple[str, float], ...], start: float = 0.0
) -> list[Part]:
    parts = []
    for what, length in lengths:
        parts.append(Part(what, start, start + max(length, 0.0), side))
        start += max(length, 0.0)
    return parts


# Where the bits leak --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stream:
    """One cell with the bits it costs."""

    truth: str
    system: str
    count: float
    missed: float
    false: float
    hit: bool
    rejected: bool = False

    @property
    def bits(self) -> float:
        """Missed and false together."""
        return self.missed + self.false


@dataclass(repr=False)
class LeakDisplay(TableDisplay):
    """Streams from truth (left) to predictions (right); all streams together are H(T|S) + H(S|T).

    >>> from infoscope.tables import Contingency
    >>> display = LeakDisplay.from_table(Contingency.from_matrix([[8, 2], [0, 10]]))
    >>> print(f"{sum(stream.bits for stream in display.streams):.3f}")
    0.751
    """

    streams: list[Stream]
    most: int = 24
    """Streams that are drawn by themselves."""
    unit: str = "bits"
    _single: ClassVar[bool] = True

    @classmethod
    def from_table(cls, tables: Tables, *, name: str = "system", most: int = 24) -> Self:
        """Draw all cells of one table that cost something, the costliest first."""
        table = get_only_table(tables, name, "a leak diagram")
        missed, false = cell_missed_information(table), cell_false_information(table)
        matched = dict(zip(*(side.tolist() for side in table.matches), strict=True))
        order = np.argsort(-(missed + false), kind="stable")
        streams = []
        for place in order:
            row, column = int(table.cell_rows[place]), int(table.cell_columns[place])
            if missed[place] + false[place] > 0:
                labels = str(table.truth_labels[row]), str(table.system_labels[column])
                bits = float(missed[place]), float(false[place])
                kind = matched.get(row) == column, column == table.reject_column
                streams.append(Stream(*labels, float(table.cells[place]), *bits, *kind))
        if not streams:
            raise InputError(
                "no information is lost: the predictions determine the true classes, so there is nothing to draw"
            )
        return cls(streams, most)

    def panel(self) -> Panel:
        """Draw two columns of classes, as high as the bits their errors cost, and the streams between them."""
        errors = [stream for stream in self.streams if not stream.hit]
        if not errors:
            raise InputError("nothing is confused: all doubt lies in right predictions, so there is no stream to draw")
        drawn = errors[: self.most]
        # labels of either side by what they cost together, so that a class stands at one height on both
        bits: dict[str, float] = {}
        for stream in drawn:
            for label in (stream.truth, stream.system):
                bits[label] = bits.get(label, 0.0) + stream.bits
        order = sorted(bits, key=lambda label: -bits[label])
        truths, systems = (_stack_classes(drawn, side, order) for side in ("truth", "system"))
        costliest = "; ".join(
            f"{shorten(s.truth, 40)} predicted as {shorten(s.system, 40)}, {s.bits:.3f} {self.unit}" for s in drawn[:3]
        )
        caption = [f"{sum(stream.bits for stream in drawn):.2f} {self.unit} shown"]
        if rest := errors[len(drawn) :]:
            caption.append(f"{sum(stream.bits for stream in rest):.2f} in {len(rest):,} smaller confusions")
        beside = sum(stream.bits for stream in self.streams if stream.hit)
        caption.append(f"{beside:.2f} in correct predictions that errors made ambiguous")
        # in two lines: what is drawn, and what is not
        low = min(end for _, end in (*truths.values(), *systems.values()))
        notes = [
            Words(0.5, low, text, "dim", anchor="middle", shift=(0.0, 20.0 + 17.0 * line))
            for line, text in enumerate((", ".join(caption[:-1]), caption[-1]))
        ]
        return Panel(
            "Where the bits leak",
            f"{sum(stream.bits for stream in self.streams):.2f} {self.unit} are lost in {len(self.streams)} cells. "
            f"The costliest: {costliest}.",
            Axis(0.0, 1.0),
            Axis(low, 0.0),
            (
                *notes,
                *_draw_streams(drawn, truths, systems, self.unit),
                *_draw_classes(truths, "truth", self.unit),
                *_draw_classes(systems, "system", self.unit),
            ),
            width=640.0,
            height=max(260.0, 24.0 * max(len(truths), len(systems))) + 84.0,
            margins=(150.0, 34.0, 150.0, 50.0),
        )


def _stack_classes(streams: Sequence[Stream], side: str, order: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return the ends of each class, from the top down, with gaps between them."""
    bits: dict[str, float] = {}
    for stream in streams:
        label = getattr(stream, side)
        bits[label] = bits.get(label, 0.0) + stream.bits
    gap = 0.5 * sum(bits.values()) / max(len(bits), 1)
    places, top = {}, 0.0
    for label in (label for label in order if label in bits):
        places[label] = (top, top - bits[label])
        top -= bits[label] + gap
    return places


def _draw_streams(
    streams: Sequence[Stream],
    truths: Mapping[str, tuple[float, float]],
    systems: Mapping[str, tuple[float, float]],
    unit: str,
) -> Iterator[Mark]:
    """Yield the streams; those that leave or enter a class lie below each other in the order of their other end."""
    free = {("truth", label): top for label, (top, _) in truths.items()}
    free |= {("system", label): top for label, (top, _) in systems.items()}
    starts: dict[int, float] = {}
    ends: dict[int, float] = {}
    for k in sorted(range(len(streams)), key=lambda k: -systems[streams[k].system][0]):
        starts[k] = free["truth", streams[k].truth]
        free["truth", streams[k].truth] -= streams[k].bits
    for k in sorted(range(len(streams)), key=lambda k: -truths[streams[k].truth][0]):
        ends[k] = free["system", streams[k].system]
        free["system", streams[k].system] -= streams[k].bits
    for k, stream in enumerate(streams):
        tip = (
            f"{plain_label(stream.truth)} predicted as {plain_label(stream.system)}: {write_count(stream.count)}\n"
            f"missed {stream.missed:.3f}, false {stream.false:.3f} {unit}"
        )
        fill = "rejected" if stream.rejected else "false"
        yield Ribbon((0.03, starts[k]), (0.97, ends[k]), stream.bits, fill, tip=tip)


def _draw_classes(places: Mapping[str, tuple[float, float]], side: str, unit: str) -> Iterator[Mark]:
    """Yield the classes of one side with their names and bits beside them."""
    is_left = side == "truth"
    low, high = (0.0, 0.025) if is_left else (0.975, 1.0)
    edge, away = (low, -8.0) if is_left else (high, 8.0)
    anchor: Anchor = "end" if is_left else "start"
    yield Words(edge, 0.0, "true" if is_left else "predicted", "dim", anchor=anchor, shift=(away, -22.0))
    for short, (label, (top, bottom)) in zip(fit_labels(places, 98.0), places.items(), strict=True):
        name, bits = plain_label(label), top - bottom
        yield Bar((low, bottom), (high, top), "ink", 0.8, tip=f"{name}: {bits:.3f} {unit}")
        text = f"{short}: {bits:.2f}"
        yield Words(edge, (top + bottom) / 2, text, anchor=anchor, shift=(away, 0.0), tip=name)


# The perplexity chain -------------------------------------------------------------------------------------------------

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
    """Doubt on a logarithmic scale: from all classes down to those still to be guessed among.

    Both halves, the truth's (k, k_T, k_T|S) and the output's (m, m_S, m_S|T), are cut by the same factor μ.
    """

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
        marks: list[Mark] = []
        for place, (chain, half) in enumerate(rows):  # what remains, what the other side rules out, and imbalance
            remnant, effective, whole = (
                float(np.log2(max(x, 1.0))) for x in (half.remaining, half.effective, half.classes)
            )
            low, high = count - 1 - place - 0.36, count - 1 - place + 0.06
            worth = f" (worth {half.effective:.1f})" if half.is_imbalanced else ""
            is_truth = half is chain.truth
            if is_truth:
                kind, tip = "missed", f"{half.remaining:.2f} equally likely classes remain"
                words = f"{half.remaining:.1f} left to guess among, of {half.classes:,} classes{worth}"
            else:
                kind, tip = "false", f"{half.remaining:.2f} predictions, the true class given"
                words = f"{half.remaining:.1f} predictions per true class, of {half.classes:,} predictions{worth}"
            lacking = f"imbalance: {half.classes} are worth {half.effective:.2f}"
            marks += [
                Bar((0.0, low), (remnant, high), kind, tip=tip),
                Bar((remnant, low), (effective, high), "captured", tip=f"divided by {chain.transferred:.2f}"),
                Bar((effective, low), (whole, high), "faint", tip=lacking),
                Words(0.0, high, words, shift=(0.0, -11.0)),
            ]
            middle = (low + high) / 2
            for start, end, text, ink in (  # as the papers write it: classes = δ · μ · what remains
                (0.0, remnant, f"{'k_T|S' if is_truth else 'm_S|T'} = {half.remaining:.2f}", f"on-{kind}"),
                (remnant, effective, f"÷ μ = {chain.transferred:.2f}", "on-captured"),
                (effective, whole, f"÷ δ = {half.classes / half.effective:.2f}", "ink"),
            ):
                if 500.0 * (end - start) / float(np.log2(most)) > WIDER_WORDS * measure_width(text):
                    marks.append(Words((start + end) / 2, middle, text, ink, anchor="middle", bold=True))
            if named and is_truth:
                name = fit_label(chain.name, NAME_ROOM)
                marks.append(Words(0.0, middle, name, anchor="end", shift=(-8.0, 0.0), of=chain.name))
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


# Information by class -------------------------------------------------------------------------------------------------

MAX_CLASSES = 40
"""More are not drawn; those that cost most are."""
MAX_SYSTEMS = 8
"""More have no colour of their own and are not drawn."""


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
        every = list(dict.fromkeys(bar.system for bar in self.bars))
        systems, labels = every[:MAX_SYSTEMS], self.labels[:MAX_CLASSES]
        notes = {"classes that cost less": len(self.labels) - len(labels), "systems": len(every) - len(systems)}
        count, several = len(labels), len(systems) > 1
        thick = 11.0 * len(systems) + 8.0 if several else 20.0
        most = max(float(np.nanmax([[bar.spread, bar.ambiguity] for bar in self.bars])), 0.01)
        gap = 0.46 * most
        marks: list[Mark] = []
        room = 0.46 / 3.2 * 2 * 616.0
        for row, (label, text) in enumerate(zip(labels, fit_labels(labels, room), strict=True)):
            marks.append(Words(0.0, count - 1 - row, text, anchor="middle", tip=plain_label(label)))
            marks += self._draw_bars(count - 1 - row, label, systems, gap)
        top = count - 0.5
        marks.append(Words(-gap, top, "spread, H(S|T=class)", "dim", anchor="end", shift=(0.0, -14.0)))
        marks.append(Words(gap, top, "ambiguity, H(T|S=class)", "dim", shift=(0.0, -14.0)))
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
            notes=tuple(f"{number:,} {what} are not drawn" for what, number in notes.items() if number > 0),
        )

    def _draw_bars(self, row: float, label: str, systems: Sequence[str], gap: float) -> list[Mark]:
        """Draw the bars of each system, left and right of a class's name, with their numbers."""
        marks: list[Mark] = []
        thick, single = 0.8 / len(systems), len(systems) == 1
        for bar in self.bars:
            if bar.label != label or bar.system not in systems:
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
