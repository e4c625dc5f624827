"""The association map: how long each system id followed each truth track."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from infoscope.errors import InputError
from infoscope.figures.drawing.layout import plain_label, shortened, width_of
from infoscope.figures.drawing.scene import Axis, Bar, Line, Mark, Panel, Words
from infoscope.figures.inputs import tracking_only
from infoscope.figures.tracks import (
    Cell,
    TrackDisplay,
    chosen_sequence,
    chosen_system,
)
from infoscope.tables.tracks import TrackId

if TYPE_CHECKING:
    from infoscope.studies.tracking import TrackingEvaluation
from infoscope.core.markup import counted

__all__ = ["AssociationDisplay", "cell_kinds"]

KINDS = {"captured": "captured", "fragmented": "false", "confused": "series3", "missed": "missed", "spurious": "false"}
"""The colour of what a cell is about."""
ON = {"captured": "on-captured", "false": "on-false", "series3": "paper", "missed": "on-missed"}
LEAST = 420.0
"""Width that the words below need."""
WORDS = {
    "captured": "its own id",
    "fragmented": "another id of this truth",
    "confused": "an id that mostly follows another truth",
    "missed": "not detected",
    "spurious": "false detections",
}


def cell_kinds(cells: list[Cell]) -> list[str]:
    """What each cell is about: a truth's own id, one more id of it, an id of another truth, misses, false ones."""
    matched = [each for each in cells if each.truth is not None and each.system is not None]
    longest: dict[int, float] = {}
    for each in matched:
        longest[each.column] = max(longest.get(each.column, 0.0), each.frames)
    own: dict[int, int] = {}  # id → truth, one to one: where an id was longest, if no other id was there longer
    taken: set[int] = set()
    for each in sorted(matched, key=lambda cell: (-cell.frames, cell.row, cell.column)):
        if each.frames == longest[each.column] and each.column not in own and each.row not in taken:
            own[each.column] = each.row
            taken.add(each.row)
    kinds = []
    for each in cells:
        if each.system is None:
            kinds.append("missed")
        elif each.truth is None:
            kinds.append("spurious")
        elif own.get(each.column) == each.row:
            kinds.append("captured")
        else:
            elsewhere = each.column in own or each.frames < longest[each.column]
            kinds.append("confused" if elsewhere else "fragmented")
    return kinds


@dataclass(repr=False)
class AssociationDisplay(TrackDisplay):
    """Rows are truth tracks, columns system ids; misses in the last column, false detections in the last row.

    >>> import numpy as np
    >>> from infoscope import tracking
    >>> boxes = np.array([[f, i, 100 * i, 0, 20, 40] for f in range(10) for i in range(4)], dtype=float)
    >>> display = AssociationDisplay.from_evaluation(tracking.evaluate(boxes, boxes[boxes[:, 1] > 0]))
    >>> [(each.truth, each.frames) for each in display.cells if each.system is None]
    [(0, 10.0)]
    """

    cells: list[Cell]
    """Rows and columns are numbered from 0, without gaps; the last of either may be "none"."""
    kinds: list[str]
    wholes: list[float]
    """Frames in the whole row of each cell."""
    of: tuple[int, int] = (0, 0)
    """How many truth tracks and system ids there are, drawn or not."""
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
        found = chosen_sequence(chosen_system(tracking_only(evaluation, "an association map"), system), sequence)
        cells = list(found.cells)
        if not cells:
            raise InputError(f"{found.name!r} has no detection, so there is no association to draw")
        kinds = cell_kinds(cells)
        worst = {each.id for each in found.tracks[: max(most, 1)]}
        rows = {each.truth for each in cells if str(each.truth) in worst} - {None}
        columns = _columns([each for each in cells if each.truth is None or each.truth in rows], 2 * max(most, 1))
        totals: dict[int, float] = {}
        for each in cells:
            totals[each.row] = totals.get(each.row, 0.0) + each.frames
        kept = [
            (each, kind, totals[each.row])
            for each, kind in zip(cells, kinds, strict=True)
            if (each.truth is None or each.truth in rows) and (each.system is None or each.system in columns)
        ]
        return cls(
            _closed_up([each for each, _, _ in kept]),
            [kind for _, kind, _ in kept],
            [whole for _, _, whole in kept],
            (len(found.tracks), len(found.system_tracks)),
            found.name,
        )

    def panel(self) -> Panel:
        """Cells as dark as the share of the track that they hold, with their frames where there is room."""
        truths = {each.row: each.truth for each in self.cells}
        systems = {each.column: each.system for each in self.cells}
        rows, columns = len(truths), len(systems)
        side = min(34.0, max(14.0, 640.0 / max(rows, columns)))
        font: Any = "small" if side >= 16.0 else "tiny"
        points = 11.0 if side >= 16.0 else 8.5
        left = 40.0 + max(width_of(_name(each, "false"), points) for each in truths.values())
        top = 34.0 + max(width_of(_name(each, "missed"), points) for each in systems.values())
        panel = Panel(
            "Association map",
            self._summary(),
            Axis(0.0, float(columns)),
            Axis(float(rows), 0.0),
            width=max(left + side * columns + 14.0, LEAST),
            height=top + side * rows + 34.0,
            margins=(left, top, max(14.0, LEAST - left - side * columns), 34.0),
            notes=self._notes(),
        )
        marks: list[Mark] = [
            Line(((0.0, float(at)), (float(columns), float(at))), "grid", clip=False) for at in range(rows + 1)
        ]
        marks += [Line(((float(at), 0.0), (float(at), float(rows))), "grid", clip=False) for at in range(columns + 1)]
        marks += self._cells(side)
        for at, name in truths.items():
            text, tip = _name(name, "false"), "false detections" if name is None else plain_label(name)
            marks.append(Words(0.0, at + 0.5, text, _ink(name), font, "end", (-6.0, 0.0), italic=name is None, tip=tip))
        for at, name in systems.items():
            text, tip = _name(name, "missed"), "not detected" if name is None else plain_label(name)
            marks.append(
                Words(at + 0.5, 0.0, text, _ink(name), font, "start", (0.0, -6.0), 90.0, italic=name is None, tip=tip)
            )
        marks.append(Words(0.0, 0.0, "system id", "dim", shift=(0.0, 12.0 - top)))
        marks.append(Words(0.0, rows / 2, "truth track", "dim", anchor="middle", shift=(12.0 - left, 0.0), angle=90.0))
        return replace(panel, marks=(*marks, *_legend(panel)))

    def _cells(self, side: float) -> list[Mark]:
        marks: list[Mark] = []
        for each, kind, whole in zip(self.cells, self.kinds, self.wholes, strict=True):
            share, role = each.frames / whole, KINDS[kind]
            solid = share >= 0.5
            see = 0.7 + 0.3 * share if solid else 0.25 + 0.5 * share
            marks.append(
                Bar(
                    (each.column + 0.04, each.row + 0.04),
                    (each.column + 0.96, each.row + 0.96),
                    role,
                    round(see, 2),
                    tip=_tip(each, kind),
                )
            )
            text = f"{each.frames:.3g}" if each.frames < 1000 else f"{each.frames / 1000:.2g}k"
            if width_of(text, 11.0) + 3.0 <= side:
                ink = ON[role] if solid else "ink"
                marks.append(Words(each.column + 0.5, each.row + 0.5, text, ink, "small", "middle"))
        return marks

    def _shown(self) -> tuple[int, int]:
        return (
            len({each.row for each in self.cells if each.truth is not None}),
            len({each.column for each in self.cells if each.system is not None}),
        )

    def _notes(self) -> tuple[str, ...]:
        shown = self._shown()
        if shown[0] >= self.of[0] and shown[1] >= self.of[1]:
            return ()
        tracks = f"{shown[0]} of {self.of[0]:,} truth tracks, those that lose most, and "
        ids = f"{shown[1]} of {self.of[1]:,} system ids, those with the most frames, are drawn."
        return (ids if shown[0] >= self.of[0] else tracks + ids,)

    def _summary(self) -> str:
        rows, columns = self._shown()
        frames = dict.fromkeys(KINDS, 0.0)
        for each, kind in zip(self.cells, self.kinds, strict=True):
            frames[kind] += each.frames
        place = f" in {shortened(self.name, 60)}" if self.name else ""
        stated = ", ".join(f"{count:,.4g} {WORDS[kind]}" for kind, count in frames.items() if count)
        return f"Frames that {columns} system ids spent on {rows} truth tracks{place}: {stated}."


def _columns(cells: list[Cell], most: int) -> set[TrackId]:
    """The ids with the most frames among these cells."""
    frames: dict[TrackId, float] = {}
    for each in cells:
        if each.system is not None:
            frames[each.system] = frames.get(each.system, 0.0) + each.frames * (1.0 if each.truth is not None else 0.5)
    return set(sorted(frames, key=lambda name: -frames[name])[:most])


def _closed_up(cells: list[Cell]) -> list[Cell]:
    """Rows and columns numbered anew, without those that are not drawn."""
    rows = {row: at for at, row in enumerate(sorted({each.row for each in cells}))}
    columns = {column: at for at, column in enumerate(sorted({each.column for each in cells}))}
    return [each._replace(row=rows[each.row], column=columns[each.column]) for each in cells]


def _name(name: TrackId | None, none: str) -> str:
    return none if name is None else shortened(name, 14)


def _legend(panel: Panel) -> list[Mark]:
    """What the colours of matched frames mean, below the map."""
    marks: list[Mark] = []
    across, bottom = 0.0, panel.y.low
    for kind, text in (("captured", "its own id"), ("fragmented", "one more id"), ("confused", "another truth's id")):
        marks.append(Words(0.0, bottom, "■", KINDS[kind], "normal", shift=(across, 20.0)))
        marks.append(Words(0.0, bottom, text, "dim", "small", shift=(across + 14.0, 20.0)))
        across += 32.0 + width_of(text, 11.0)
    return marks


def _ink(name: TrackId | None) -> str:
    return "dim" if name is None else "ink"


def _tip(cell: Cell, kind: str) -> str:
    truth = "" if cell.truth is None else f"truth track {plain_label(cell.truth)}\n"
    system = "" if cell.system is None else f"system id {plain_label(cell.system)}\n"
    return f"{truth}{system}{counted(cell.frames, 'frame')}: {WORDS[kind]}"
