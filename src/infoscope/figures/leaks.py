"""Lost bits as a flow: from the true to the predicted class, as wide as the bits each cell costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, get_only_table
from infoscope.figures.layout import fit_label, plain_label, shorten, write_count
from infoscope.figures.scene import Anchor, Axis, Bar, Mark, Panel, Ribbon, Words
from infoscope.metrics import cell_false_information, cell_missed_information


@dataclass(frozen=True)
class Stream:
    """One cell with the bits it costs."""

    truth: str
    system: str
    count: float
    missed: float
    false: float
    hit: bool

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
                streams.append(Stream(*labels, float(table.cells[place]), *bits, matched.get(row) == column))
        if not streams:
            raise InputError("no bit leaks: the output tells the truth without doubt, so there is nothing to draw")
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
        return Panel(
            "Where the bits leak",
            f"{sum(stream.bits for stream in self.streams):.2f} {self.unit} are lost in {len(self.streams)} cells. "
            f"The costliest: {costliest}.",
            Axis(0.0, 1.0, ", ".join(caption)),
            Axis(min(end for _, end in (*truths.values(), *systems.values())), 0.0),
            (
                *_draw_streams(drawn, truths, systems, self.unit),
                *_draw_classes(truths, "truth", self.unit),
                *_draw_classes(systems, "system", self.unit),
            ),
            width=640.0,
            height=max(260.0, 24.0 * max(len(truths), len(systems))) + 70.0,
            margins=(150.0, 34.0, 150.0, 36.0),
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
        yield Ribbon((0.03, starts[k]), (0.97, ends[k]), stream.bits, tip=tip)


def _draw_classes(places: Mapping[str, tuple[float, float]], side: str, unit: str) -> Iterator[Mark]:
    """Yield the classes of one side with their names and bits beside them."""
    is_left = side == "truth"
    low, high = (0.0, 0.025) if is_left else (0.975, 1.0)
    edge, away = (low, -8.0) if is_left else (high, 8.0)
    anchor: Anchor = "end" if is_left else "start"
    yield Words(edge, 0.0, "true" if is_left else "predicted", "dim", anchor=anchor, shift=(away, -22.0))
    for label, (top, bottom) in places.items():
        name, bits = plain_label(label), top - bottom
        yield Bar((low, bottom), (high, top), "ink", 0.8, tip=f"{name}: {bits:.3f} {unit}")
        text = f"{fit_label(label, 98.0)}: {bits:.2f}"
        yield Words(edge, (top + bottom) / 2, text, anchor=anchor, shift=(away, 0.0), tip=name)
