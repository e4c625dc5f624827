"""Ledger bars of trackers: information captured, missed and false; or the truth tracks on which most is lost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from infoscope.errors import InputError
from infoscope.figures.drawing.layout import axis, plain_label, shortened, width_of
from infoscope.figures.drawing.scene import Axis, Bar, Line, Mark, Panel, Words
from infoscope.figures.inputs import tracking_only
from infoscope.figures.tracks import LOST, TrackDisplay, chosen_system, ledger_bars, worst_tracks

if TYPE_CHECKING:
    from infoscope.studies.tracking import TrackingEvaluation
from infoscope.core.markup import counted

__all__ = ["COLOURS", "LedgerRow", "TrackLedgerDisplay"]

COLOURS = {
    "captured": "captured",
    "missed": "missed",
    "confused": "series3",
    "fragmented": "false",
    "spurious": "false",
}
"""What is false has one colour; spurious bits are hatched."""
LEGEND = 14.5
"""Points that legends leave room for: pages write larger on phones."""
ON = {"captured": "on-captured", "missed": "on-missed", "series3": "paper", "false": "on-false"}


class LedgerRow(NamedTuple):
    """A bar: its name, and its parts in order."""

    name: str
    parts: tuple[tuple[str, float], ...]

    @property
    def total(self) -> float:
        """How long the bar is."""
        return sum(size for _, size in self.parts)


@dataclass(repr=False)
class TrackLedgerDisplay(TrackDisplay):
    """One bar per tracker, in fractions of the truth's bits; or one per truth track, in the bits that it lost.

    >>> import numpy as np
    >>> from infoscope import tracking
    >>> boxes = np.array([[f, i, 100 * i, 0, 20, 40] for f in range(10) for i in range(4)], dtype=float)
    >>> display = TrackLedgerDisplay.from_evaluation(tracking.evaluate(boxes, boxes[boxes[:, 1] > 0]))
    >>> [(line, round(share, 2)) for line, share in display.rows[0].parts if share]
    [('captured', 0.75), ('missed', 0.25)]
    """

    rows: list[LedgerRow]
    by: Literal["system", "track"] = "system"
    unit: str = "bits"

    @classmethod
    def from_evaluation(
        cls,
        evaluation: TrackingEvaluation,
        *,
        by: Literal["system", "track"] = "system",
        system: str | None = None,
        most: int = 12,
    ) -> Self:
        """All trackers; or, with ``by="track"``, the ``most`` truth tracks on which one of them loses most."""
        if by not in ("system", "track"):
            raise InputError(f"ledger bars cannot be drawn by {by!r}; choose system or track")
        tracking_only(evaluation, "a ledger of trackers")
        return cls(_by_track(evaluation, system, most) if by == "track" else _by_system(evaluation), by)

    def panel(self) -> Panel:
        """Bars below each other, with the end of the truth as a line where bars are shares of it."""
        names = [shortened(row.name, 30) for row in self.rows]
        left = 14.0 + max(width_of(name, 11.0) for name in names)
        longest = max(row.total for row in self.rows)
        high = max(longest * 1.001, 1.0) if self.by == "system" else longest
        title = "information, relative to the truth's" if self.by == "system" else f"{self.unit} lost or fragmented"
        width, top, deep = 640.0, 30.0, 26.0
        panel = Panel(
            "Information ledger of trackers" if self.by == "system" else "Worst tracks",
            self._summary(),
            axis(0.0, high, title, most=5),
            Axis(float(len(names)), 0.0, "", tuple((at + 0.5, name) for at, name in enumerate(names)), line=False),
            width=width,
            height=top + deep * len(names) + 48.0,
            margins=(left, top, 18.0, 48.0),
        )
        per_pixel = high / panel.inner[0]
        marks = [mark for at, row in enumerate(self.rows) for mark in self._bar(at, row, per_pixel)]
        if self.by == "system":
            marks.append(Line(((1.0, -0.12), (1.0, float(len(names)))), "ink", 1.5, clip=False, tip="all of the truth"))
        return replace(panel, marks=(*marks, *self._legend(per_pixel)))

    def _bar(self, at: int, row: LedgerRow, per_pixel: float) -> list[Mark]:
        marks: list[Mark] = []
        start = 0.0
        for line, size in row.parts:
            if size <= 0:
                continue
            role = COLOURS[line]
            stated = f"{size:.1%} of the truth" if self.by == "system" else f"{size:,.1f} {self.unit}"
            tip = f"{plain_label(row.name)}\n{line}: {stated}"
            end = start + size
            marks.append(Bar((start, at + 0.14), (end, at + 0.86), role, hatched=line == "spurious", tip=tip))
            text = f"{size:.0%}" if self.by == "system" else f"{size:,.0f}"
            if width_of(text, 11.0) + 8.0 < size / per_pixel and line != "spurious":
                marks.append(Words((start + end) / 2, at + 0.5, text, ON[role], "small", "middle", bold=True))
            start = end
        return marks

    def _legend(self, per_pixel: float) -> list[Mark]:
        """The names of the parts that occur, each after its colour."""
        present = [line for line in COLOURS if any(dict(row.parts).get(line, 0.0) > 0 for row in self.rows)]
        marks: list[Mark] = []
        across = 0.0
        for line in present:
            at = across * per_pixel
            sign = "▨" if line == "spurious" else "■"
            marks.append(Words(at, 0.0, sign, COLOURS[line], "normal", shift=(0.0, -16.0)))
            marks.append(Words(at, 0.0, line, "dim", "small", shift=(17.0, -16.0)))
            across += 34.0 + width_of(line, LEGEND)
        return marks

    def _summary(self) -> str:
        first = self.rows[0]
        name = shortened(first.name, 60)
        if self.by == "track":
            return f"Truth tracks by lost {self.unit}: most are lost on {name}, {first.total:,.1f} {self.unit}."
        parts = ", ".join(f"{size:.0%} {line}" for line, size in first.parts)
        return f"Ledgers of {counted(len(self.rows), 'tracker')}. {name}: {parts} of the truth."


def _by_system(evaluation: TrackingEvaluation) -> list[LedgerRow]:
    bars = ledger_bars(evaluation.systems)
    parts: dict[str, list[tuple[str, float]]] = {}
    for bar in bars:
        parts.setdefault(bar.system, []).append((bar.line, max(bar.end - bar.start, 0.0)))
    if not parts:
        raise InputError("the truth has no information about who is who, so there is no ledger to draw")
    return [LedgerRow(name, tuple(parts[name])) for name in evaluation.ranking if name in parts]


def _by_track(evaluation: TrackingEvaluation, system: str | None, most: int) -> list[LedgerRow]:
    chosen = chosen_system(evaluation, system)
    found = worst_tracks(chosen, most)
    if not found:
        raise InputError(f"no truth track of {chosen.name!r} loses a bit, so there is no worst one to draw")
    several = len(chosen.sequences) > 1
    return [
        LedgerRow(f"{each.sequence}: {each.track}" if several else each.track, tuple((k, each.lost[k]) for k in LOST))
        for each in found
    ]
