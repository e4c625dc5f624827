"""Where the bits leak: from the true to the predicted class, as wide as the bits each cell costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, one_table
from infoscope.figures.layout import count_text, fitting, plain_label, shortened
from infoscope.figures.scene import Anchor, Axis, Bar, Mark, Panel, Ribbon, Words
from infoscope.metrics import cell_false_information, cell_missed_information

__all__ = ["LeakDisplay", "Stream"]


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
        """All cells of one table that cost something, the costliest first."""
        table = one_table(tables, name, "a leak diagram")
        missed, false = cell_missed_information(table), cell_false_information(table)
        matched = dict(zip(*(side.tolist() for side in table.matches), strict=True))
        order = np.argsort(-(missed + false), kind="stable")
        streams = [
            Stream(
                str(table.truth_labels[table.cell_rows[at]]),
                str(table.system_labels[table.cell_columns[at]]),
                float(table.cells[at]),
                float(missed[at]),
                float(false[at]),
                matched.get(int(table.cell_rows[at])) == int(table.cell_columns[at]),
            )
            for at in order
            if missed[at] + false[at] > 0
        ]
        if not streams:
            raise InputError("no bit leaks: the output tells the truth without doubt, so there is nothing to draw")
        return cls(streams, most)

    def panel(self) -> Panel:
        """Two columns of classes, as high as the bits their errors cost, and the streams between them."""
        errors = [stream for stream in self.streams if not stream.hit]
        if not errors:
            raise InputError("nothing is confused: all doubt lies in right predictions, so there is no stream to draw")
        drawn = errors[: self.most]
        total = sum(stream.bits for stream in self.streams)
        order = _order(drawn)
        truths, systems = (_stacked(drawn, side, order) for side in ("truth", "system"))
        low = min(end for _, end in (*truths.values(), *systems.values()))
        return Panel(
            "Where the bits leak",
            f"{total:.2f} {self.unit} are lost in {len(self.streams)} cells. The costliest: "
            + "; ".join(
                f"{shortened(s.truth, 40)} predicted as {shortened(s.system, 40)}, {s.bits:.3f} {self.unit}"
                for s in drawn[:3]
            )
            + ".",
            Axis(0.0, 1.0, self._caption(errors, drawn)),
            Axis(low, 0.0),
            (
                *_streams(drawn, truths, systems, self.unit),
                *_nodes(truths, "truth", self.unit),
                *_nodes(systems, "system", self.unit),
            ),
            width=640.0,
            height=max(260.0, 24.0 * max(len(truths), len(systems))) + 70.0,
            margins=(150.0, 34.0, 150.0, 36.0),
        )

    def _caption(self, errors: Sequence[Stream], drawn: Sequence[Stream]) -> str:
        beside = sum(stream.bits for stream in self.streams if stream.hit)
        parts = [f"{sum(stream.bits for stream in drawn):.2f} {self.unit} shown"]
        if len(errors) > len(drawn):
            parts.append(
                f"{sum(stream.bits for stream in errors[len(drawn) :]):.2f} in {len(errors) - len(drawn):,} "
                "smaller confusions"
            )
        parts.append(f"{beside:.2f} in correct predictions that errors made ambiguous")
        return ", ".join(parts)


def _order(streams: Sequence[Stream]) -> list[str]:
    """Labels of either side by what they cost together, so that a class stands at one height on both."""
    bits: dict[str, float] = {}
    for stream in streams:
        for label in (stream.truth, stream.system):
            bits[label] = bits.get(label, 0.0) + stream.bits
    return sorted(bits, key=lambda label: -bits[label])


def _stacked(streams: Sequence[Stream], side: str, order: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Position of each class, from the top down, with gaps between them."""
    bits: dict[str, float] = {}
    for stream in streams:
        label = getattr(stream, side)
        bits[label] = bits.get(label, 0.0) + stream.bits
    gap = 0.5 * sum(bits.values()) / max(len(bits), 1)
    places, at = {}, 0.0
    for label in (label for label in order if label in bits):
        places[label] = (at, at - bits[label])
        at -= bits[label] + gap
    return places


def _streams(
    streams: Sequence[Stream],
    truths: Mapping[str, tuple[float, float]],
    systems: Mapping[str, tuple[float, float]],
    unit: str,
) -> list[Mark]:
    used = {("truth", label): top for label, (top, _) in truths.items()}
    used |= {("system", label): top for label, (top, _) in systems.items()}
    starts: dict[int, float] = {}
    ends: dict[int, float] = {}
    for at in sorted(range(len(streams)), key=lambda k: -systems[streams[k].system][0]):
        key = ("truth", streams[at].truth)
        starts[at] = used[key]
        used[key] -= streams[at].bits
    for at in sorted(range(len(streams)), key=lambda k: -truths[streams[k].truth][0]):
        key = ("system", streams[at].system)
        ends[at] = used[key]
        used[key] -= streams[at].bits
    marks: list[Mark] = []
    for at, stream in enumerate(streams):
        tip = (
            f"{plain_label(stream.truth)} predicted as {plain_label(stream.system)}: {count_text(stream.count)}\n"
            f"missed {stream.missed:.3f}, false {stream.false:.3f} {unit}"
        )
        marks.append(Ribbon((0.03, starts[at]), (0.97, ends[at]), stream.bits, tip=tip))
    return marks


def _nodes(places: Mapping[str, tuple[float, float]], side: str, unit: str) -> list[Mark]:
    left = side == "truth"
    edge = (0.0, 0.025) if left else (0.975, 1.0)
    marks: list[Mark] = [
        Words(
            edge[0 if left else 1],
            0.0,
            "true" if left else "predicted",
            "dim",
            anchor="end" if left else "start",
            shift=(-8.0 if left else 8.0, -22.0),
        )
    ]
    for label, (top, bottom) in places.items():
        marks.append(
            Bar((edge[0], bottom), (edge[1], top), "ink", 0.8, tip=f"{plain_label(label)}: {top - bottom:.3f} {unit}")
        )
        text = f"{fitting(label, 98.0)}: {top - bottom:.2f}"
        anchor: Anchor = "end" if left else "start"
        marks.append(
            Words(
                edge[0 if left else 1],
                (top + bottom) / 2,
                text,
                anchor=anchor,
                shift=(-8.0 if left else 8.0, 0.0),
                tip=plain_label(label),
            )
        )
    return marks
