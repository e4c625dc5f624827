"""The timeline of a tracker: each truth track a row, coloured by the id that follows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from infoscope.errors import InputError
from infoscope.figures.drawing.colours import series
from infoscope.figures.drawing.layout import axis, plain_label, shortened, width_of
from infoscope.figures.drawing.scene import Axis, Bar, Dot, Line, Mark, Panel, Words
from infoscope.figures.inputs import tracking_only
from infoscope.figures.tracks import (
    Segment,
    TrackDisplay,
    chosen_sequence,
    chosen_system,
)
from infoscope.tables.tracks import TrackId

if TYPE_CHECKING:
    from infoscope.studies.tracking import TrackingEvaluation
from infoscope.core.markup import counted

__all__ = ["TrackTimelineDisplay", "id_colours"]

COLOURS = 8
WIDTH = 760.0
LEGEND = (("break", "break: a new id"), ("swap", "swap: an id from another truth"), ("missed", "not detected"))


def id_colours(segments: Sequence[Segment]) -> dict[TrackId, str]:
    """A colour for each system id; ids that follow each other on a truth track never share one.

    >>> segments = [Segment("a", 0, at, at, name, "break") for at, name in enumerate("xyzx")]
    >>> id_colours(segments)
    {'x': 'series0', 'y': 'series1', 'z': 'series2'}
    """
    met: dict[TrackId, set[TrackId]] = {}
    before: dict[int, TrackId] = {}
    for each in segments:
        if each.system is None:
            continue
        near = met.setdefault(each.system, set())
        last = before.get(each.row)
        if last is not None and last != each.system:
            near.add(last)
            met.setdefault(last, set()).add(each.system)
        before[each.row] = each.system
    chosen: dict[TrackId, int] = {}
    used = [0] * COLOURS
    for name, near in met.items():
        taken = {chosen[other] for other in near if other in chosen}
        best = min(range(COLOURS), key=lambda at: (at in taken, used[at], at))
        chosen[name] = best
        used[best] += 1
    return {name: series(at) for name, at in chosen.items()}


@dataclass(repr=False)
class TrackTimelineDisplay(TrackDisplay):
    """Who followed each truth track, frame by frame: a break, a swap and a miss can be seen.

    >>> import numpy as np
    >>> from infoscope import tracking
    >>> boxes = np.array([[f, i, 100 * i, 0, 20, 40] for f in range(10) for i in range(4)], dtype=float)
    >>> broken = boxes.copy()
    >>> broken[(boxes[:, 1] == 0) & (boxes[:, 0] >= 5), 1] = 9
    >>> display = TrackTimelineDisplay.from_evaluation(tracking.evaluate(boxes, broken))
    >>> [(each.first, each.last, each.begins) for each in display.segments if each.track == 0]
    [(0, 4, 'start'), (5, 9, 'break')]
    """

    segments: list[Segment]
    """Rows are numbered from 0, without gaps."""
    step: float = 1.0
    """From one frame to the next."""
    of: int = 0
    """How many truth tracks there are, drawn or not."""
    name: str = ""

    @classmethod
    def from_evaluation(
        cls,
        evaluation: TrackingEvaluation,
        *,
        system: str | None = None,
        sequence: str | None = None,
        most: int = 40,
    ) -> Self:
        """One sequence of one tracker: the least erroneous and its first unless named; at most ``most`` tracks."""
        found = chosen_sequence(chosen_system(tracking_only(evaluation, "a timeline"), system), sequence)
        if not found.tracks:
            raise InputError(f"{found.name!r} has no truth track, so there is no timeline to draw")
        kept = {each.id for each in found.tracks[: max(most, 1)]}
        shown = [each for each in found.segments if str(each.track) in kept]
        rows = {row: at for at, row in enumerate(sorted({each.row for each in shown}))}
        return cls(
            [each._replace(row=rows[each.row]) for each in shown],
            found.frame_step,
            len(found.tracks),
            found.name,
        )

    def panel(self) -> Panel:
        """A row a track, ids written where there is room, and what the marks mean above."""
        names = {each.row: shortened(each.track, 16) for each in self.segments}
        high = 20.0 if len(names) <= 25 else 15.0
        low = min(each.first for each in self.segments) - self.step / 2
        last = max(each.last for each in self.segments) + self.step / 2
        left = 42.0 + max(width_of(name, 11.0) for name in names.values())
        top = 34.0
        panel = Panel(
            "Timeline",
            self._summary(),
            axis(low, last, "frame"),
            Axis(
                float(len(names)), 0.0, "truth track", tuple((at + 0.5, name) for at, name in names.items()), line=False
            ),
            width=WIDTH,
            height=top + high * len(names) + 48.0,
            margins=(left, top, 16.0, 48.0),
            notes=self._notes(),
        )
        per_pixel = (last - low) / panel.inner[0]
        marks: list[Mark] = []
        colours = id_colours(self.segments)
        for each in self.segments:
            marks += self._stretch(each, colours, per_pixel)
        marks += [mark for each in self.segments for mark in self._beginning(each)]
        return replace(panel, marks=(*marks, *_legend(low, per_pixel)))

    def _stretch(self, each: Segment, colours: dict[TrackId, str], per_pixel: float) -> list[Mark]:
        start, end, row = each.first - self.step / 2, each.last + self.step / 2, each.row
        frames = f"frame {each.first:g}" + (f" to {each.last:g}" if each.last > each.first else "")
        track = f"truth track {plain_label(each.track)}\n{frames}"
        if each.system is None:
            return [Bar((start, row + 0.42), (end, row + 0.58), "missed", tip=f"{track}\nnot detected")]
        word = {"found": "\nfound again", "break": "\na break", "swap": "\na swap"}.get(each.begins, "")
        tip = f"{track}\nfollowed by {plain_label(each.system)}{word}"
        marks: list[Mark] = [Bar((start, row + 0.12), (end, row + 0.88), colours[each.system], tip=tip)]
        text = shortened(each.system, 16)
        if width_of(text, 11.0) + 12.0 < (end - start) / per_pixel:
            marks.append(Words((start + end) / 2, row + 0.5, text, "paper", "small", "middle"))
        return marks

    def _beginning(self, each: Segment) -> list[Mark]:
        at = each.first - self.step / 2
        if each.begins == "break":
            return [Line(((at, each.row + 0.02), (at, each.row + 0.98)), "ink", 2.0)]
        if each.begins == "swap":
            return [Dot(at, each.row + 0.5, "paper", size=4.0)]
        return []

    def _notes(self) -> tuple[str, ...]:
        drawn = len({each.row for each in self.segments})
        if drawn >= self.of:
            return ()
        return (f"{drawn} of {self.of:,} truth tracks are drawn, those that lose most.",)

    def _summary(self) -> str:
        begins = [each.begins for each in self.segments]
        drawn = len({each.row for each in self.segments})
        place = f" in {shortened(self.name, 60)}" if self.name else ""
        stated = (("break", "breaks"), ("swap", "swaps"), ("missed", "stretches not detected"))
        counts = ", ".join(f"{begins.count(kind)} {word}" for kind, word in stated)
        return f"Timeline of {counted(drawn, 'truth track')}{place}, coloured by system id: {counts}."


def _legend(low: float, per_pixel: float) -> list[Mark]:
    """What the marks mean, in a line above the rows."""
    marks: list[Mark] = [Words(low, 0.0, "colour: system id", "dim", "small", shift=(0.0, -18.0))]
    across = 118.0
    for kind, text in LEGEND:
        at, up = low + across * per_pixel, -18.0
        sign, colour = {"break": ("▎", "ink"), "swap": ("○", "ink"), "missed": ("▬", "missed")}[kind]
        marks.append(Words(at, 0.0, sign, colour, "small", "middle", (0.0, up), bold=True))
        marks.append(Words(at, 0.0, text, "dim", "small", shift=(9.0, up)))
        across += 34.0 + width_of(text, 11.0)
    return marks
