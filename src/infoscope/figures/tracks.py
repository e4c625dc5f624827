"""Pictures of trackers: ledger bars, timeline and association map.

Large sequences show the worst tracks, and say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Sequence as Sequences
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

from infoscope.core.markup import counted
from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.display import Display, tracking_only
from infoscope.figures.layout import axis, plain_label, shortened, width_of
from infoscope.figures.scene import Axis, Bar, Dot, Line, Mark, Panel, Words, series
from infoscope.studies.tracking import compare, evaluate
from infoscope.studies.tracking_matching import Cell, Segment, TrackingOptions
from infoscope.studies.tracking_result import LOST, SequenceResult, TrackerResult, TrackingEvaluation
from infoscope.tables.tracks import TrackId
from infoscope.typing import Axes, Source

if TYPE_CHECKING:
    from infoscope.studies.tracking import TrackingEvaluation


class LedgerBar(NamedTuple):
    """One part of a system's ledger bar, in shares of the truth's bits; false bits lie beyond 1."""

    system: str
    line: str
    start: float
    end: float


def ledger_bars(systems: Sequences[TrackerResult]) -> list[LedgerBar]:
    """Captured, missed and confused fill the truth; fragmented and spurious come on top."""
    bars = []
    for system in systems:
        ledger, at = system.ledger, 0.0
        if ledger["truth"] <= 0:
            continue
        for line in ("captured", "missed", "confused", "fragmented", "spurious"):
            share = ledger[line] / ledger["truth"]
            bars.append(LedgerBar(system.name, line, at, at + share))
            at += share
    return bars


class WorstTrack(NamedTuple):
    """A truth track with what went wrong on it, in bits."""

    sequence: str
    track: str
    frames: int
    matched: float
    ids: int
    lost: dict[str, float]

    @property
    def bits(self) -> float:
        """All lines together."""
        return sum(self.lost.values())


def chosen_system(evaluation: TrackingEvaluation, name: str | None) -> TrackerResult:
    """The tracker of this name, or else the least erroneous one."""
    names = [each.name for each in evaluation.systems]
    if name is None:
        return evaluation[evaluation.ranking[0]]
    if name not in names:
        raise UnknownNameError(f"there is no tracker {name!r}; there are {_listed(names)}")
    return evaluation[name]


def chosen_sequence(system: TrackerResult, name: str | None) -> SequenceResult:
    """The sequence of this name, or else the first."""
    if not system.sequences:
        raise InputError(f"{system.name!r} has no sequence to draw; evaluate at least one")
    for each in system.sequences:
        if name is None or each.name == name:
            if each.tracks and not each.segments:
                raise InputError("this result was stored without who followed whom; evaluate again to draw it")
            return each
    names = [each.name for each in system.sequences]
    raise UnknownNameError(f"there is no sequence {name!r}; there are {_listed(names)}")


def worst_tracks(system: TrackerResult, most: int) -> list[WorstTrack]:
    """The truth tracks of all sequences that lose most, the worst first; those that lose nothing are left out."""
    found = [
        WorstTrack(
            sequence.name,
            each.id,
            each.frames,
            each.matched,
            each.ids,
            {line: max(getattr(each, line), 0.0) for line in LOST},
        )
        for sequence in system.sequences
        for each in sequence.tracks[:most]
    ]
    return sorted((each for each in found if each.bits > 0), key=lambda each: -each.bits)[:most]


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(shortened(name, 40) for name in names[:8]) + more


class TrackDisplay(Display):
    """A picture that is drawn from tracks."""

    from_evaluation: ClassVar[Callable[..., Any]]
    """The picture of a tracking evaluation; each picture has its own options."""

    @classmethod
    def from_predictions(cls, truth: Source, tracks: Source, *, ax: Axes | None = None, **options: Any) -> Self:
        """Evaluate a tracker, or several by name, and draw.

        Either side is a path, an array with rows of frame, id, left, top, width, height, or a data frame. Options are
        those of ``tracking.evaluate`` and of the picture.
        """
        settings = {key: options.pop(key) for key in list(options) if key in TrackingOptions.__dataclass_fields__}
        if isinstance(tracks, Mapping):
            found = compare(truth, tracks, **settings)
        else:
            found = evaluate(truth, tracks, **settings)
        display: Self = cls.from_evaluation(found, **options)
        return display.plot(ax)


LEDGER_COLOURS = {
    "captured": "captured",
    "missed": "missed",
    "confused": "series3",
    "fragmented": "false",
    "spurious": "false",
}
"""What is false has one colour; spurious bits are hatched."""
LEGEND_SIZE = 14.5
"""Points that legends leave room for: pages write larger on phones."""
INK_ON = {"captured": "on-captured", "missed": "on-missed", "series3": "paper", "false": "on-false"}


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
            role = LEDGER_COLOURS[line]
            stated = f"{size:.1%} of the truth" if self.by == "system" else f"{size:,.1f} {self.unit}"
            tip = f"{plain_label(row.name)}\n{line}: {stated}"
            end = start + size
            marks.append(Bar((start, at + 0.14), (end, at + 0.86), role, hatched=line == "spurious", tip=tip))
            text = f"{size:.0%}" if self.by == "system" else f"{size:,.0f}"
            if width_of(text, 11.0) + 8.0 < size / per_pixel and line != "spurious":
                marks.append(Words((start + end) / 2, at + 0.5, text, INK_ON[role], "small", "middle", bold=True))
            start = end
        return marks

    def _legend(self, per_pixel: float) -> list[Mark]:
        """The names of the parts that occur, each after its colour."""
        present = [line for line in LEDGER_COLOURS if any(dict(row.parts).get(line, 0.0) > 0 for row in self.rows)]
        marks: list[Mark] = []
        across = 0.0
        for line in present:
            at = across * per_pixel
            sign = "▨" if line == "spurious" else "■"
            marks.append(Words(at, 0.0, sign, LEDGER_COLOURS[line], "normal", shift=(0.0, -16.0)))
            marks.append(Words(at, 0.0, line, "dim", "small", shift=(17.0, -16.0)))
            across += 34.0 + width_of(line, LEGEND_SIZE)
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


ID_COLOURS = 8
WIDTH = 760.0
SIGNS = (("break", "break: a new id"), ("swap", "swap: an id from another truth"), ("missed", "not detected"))


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
    used = [0] * ID_COLOURS
    for name, near in met.items():
        taken = {chosen[other] for other in near if other in chosen}
        best = min(range(ID_COLOURS), key=lambda at: (at in taken, used[at], at))
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
        return replace(panel, marks=(*marks, *_timeline_legend(low, per_pixel)))

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


def _timeline_legend(low: float, per_pixel: float) -> list[Mark]:
    """What the marks mean, in a line above the rows."""
    marks: list[Mark] = [Words(low, 0.0, "colour: system id", "dim", "small", shift=(0.0, -18.0))]
    across = 118.0
    for kind, text in SIGNS:
        at, up = low + across * per_pixel, -18.0
        sign, colour = {"break": ("▎", "ink"), "swap": ("○", "ink"), "missed": ("▬", "missed")}[kind]
        marks.append(Words(at, 0.0, sign, colour, "small", "middle", (0.0, up), bold=True))
        marks.append(Words(at, 0.0, text, "dim", "small", shift=(9.0, up)))
        across += 34.0 + width_of(text, 11.0)
    return marks


KINDS = {"captured": "captured", "fragmented": "false", "confused": "series3", "missed": "missed", "spurious": "false"}
"""The colour of what a cell is about."""
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
                ink = INK_ON[role] if solid else "ink"
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
