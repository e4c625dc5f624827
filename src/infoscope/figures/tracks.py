"""Pictures of trackers: ledger bars, timeline and association map.

Large sequences show the worst tracks, and say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self

from infoscope.core.markup import pluralize
from infoscope.errors import InputError, UnknownNameError
from infoscope.figures.display import Display, list_names, require_tracking
from infoscope.figures.layout import FONT, WIDER_WORDS, axis, measure_width, plain_label, shorten, shorten_names
from infoscope.figures.scene import Axis, Bar, Dot, Line, Mark, Panel, Size, Words, series
from infoscope.studies.tracking import compare, evaluate
from infoscope.studies.tracking_matching import Cell, Segment, TrackingOptions
from infoscope.studies.tracking_result import LOST, SequenceResult, TrackerResult, TrackingEvaluation
from infoscope.tables.tracks import TrackId
from infoscope.typing import Axes, Source


def choose_system(evaluation: TrackingEvaluation, name: str | None) -> TrackerResult:
    """Return the tracker of this name, or else the least erroneous one."""
    names = [system.name for system in evaluation.systems]
    if name is None:
        return evaluation[evaluation.ranking[0]]
    if name not in names:
        raise UnknownNameError(f"there is no tracker {name!r}; there are {list_names(names, 8)}")
    return evaluation[name]


def choose_sequence(system: TrackerResult, name: str | None) -> SequenceResult:
    """Return the sequence of this name, or else the first."""
    if not system.sequences:
        raise InputError(f"{system.name!r} has no sequence to draw; evaluate at least one")
    for sequence in system.sequences:
        if name is None or sequence.name == name:
            if sequence.tracks and not sequence.segments:
                raise InputError("this result was stored without who followed whom; evaluate again to draw it")
            return sequence
    names = [sequence.name for sequence in system.sequences]
    raise UnknownNameError(f"there is no sequence {name!r}; there are {list_names(names, 8)}")


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


def find_worst_tracks(system: TrackerResult, most: int) -> list[WorstTrack]:
    """Return the truth tracks of all sequences that lose most, the worst first, without those that lose nothing."""
    tracks = [
        WorstTrack(
            sequence.name,
            track.id,
            track.frames,
            track.matched,
            track.ids,
            {part: max(getattr(track, part), 0.0) for part in LOST},
        )
        for sequence in system.sequences
        for track in sequence.tracks[:most]
    ]
    return sorted((track for track in tracks if track.bits > 0), key=lambda track: -track.bits)[:most]


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
            evaluation = compare(truth, tracks, **settings)
        else:
            evaluation = evaluate(truth, tracks, **settings)
        display: Self = cls.from_evaluation(evaluation, **options)
        return display.plot(ax)


# Ledger bars ----------------------------------------------------------------------------------------------------------

LEDGER_PARTS = ("captured", "missed", "confused", "fragmented", "spurious")
"""The first three fill the truth; fragmented and spurious bits come on top."""


LEDGER_COLOURS = {
    "captured": "captured",
    "missed": "missed",
    "confused": "series3",
    "fragmented": "false",
    "spurious": "false",
}
"""One colour for all that is false; spurious bits are hatched."""
LEGEND_SIZE = 14.5
"""Points that legends leave room for: pages write larger on phones."""
INK_ON = {"captured": "on-captured", "missed": "on-missed", "series3": "paper", "false": "on-false"}


class LedgerRow(NamedTuple):
    """A bar: its name, and its parts in order."""

    name: str
    parts: tuple[tuple[str, float], ...]

    @property
    def total(self) -> float:
        """Length of the bar."""
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
        """Draw all trackers; or, with ``by="track"``, the ``most`` truth tracks on which one of them loses most."""
        if by not in ("system", "track"):
            raise InputError(f"ledger bars cannot be drawn by {by!r}; choose system or track")
        require_tracking(evaluation, "a ledger of trackers")
        if by == "system":
            rows = {
                tracker.name: LedgerRow(
                    tracker.name,
                    tuple((part, max(tracker.ledger[part] / tracker.ledger["truth"], 0.0)) for part in LEDGER_PARTS),
                )
                for tracker in evaluation.systems
                if tracker.ledger["truth"] > 0
            }
            if not rows:
                raise InputError("the truth has no information about who is who, so there is no ledger to draw")
            return cls([rows[name] for name in evaluation.ranking if name in rows], by)
        tracker = choose_system(evaluation, system)
        worst = find_worst_tracks(tracker, most)
        if not worst:
            raise InputError(f"no truth track of {tracker.name!r} loses a bit, so there is no worst one to draw")
        several = len(tracker.sequences) > 1
        names = [f"{track.sequence}: {track.track}" if several else track.track for track in worst]
        return cls([LedgerRow(n, tuple(track.lost.items())) for n, track in zip(names, worst, strict=True)], by)

    def panel(self) -> Panel:
        """Draw bars below each other, with the end of the truth as a line where bars are shares of it."""
        of_truth = self.by == "system"
        names = shorten_names((row.name for row in self.rows), 30)
        left = 14.0 + max(measure_width(name, 11.0) for name in names)
        longest = max(row.total for row in self.rows)
        high = max(longest * 1.001, 1.0) if of_truth else longest
        title = "information, relative to the truth's" if of_truth else f"{self.unit} lost or fragmented"
        width, top, deep = 640.0, 30.0, 26.0
        first = self.rows[0]
        parts = ", ".join(f"{size:.0%} {part}" for part, size in first.parts)
        summary = f"Ledgers of {pluralize(len(self.rows), 'tracker')}. {shorten(first.name, 60)}: {parts} of the truth."
        if not of_truth:
            summary = (
                f"Truth tracks by lost {self.unit}: most are lost on {shorten(first.name, 60)}, "
                f"{first.total:,.1f} {self.unit}."
            )
        panel = Panel(
            "Information ledger of trackers" if of_truth else "Worst tracks",
            summary,
            axis(0.0, high, title, most=5),
            Axis(float(len(names)), 0.0, "", tuple((row + 0.5, name) for row, name in enumerate(names)), line=False),
            width=width,
            height=top + deep * len(names) + 48.0,
            margins=(left, top, 18.0, 48.0),
        )

        per_pixel = high / panel.inner[0]
        marks: list[Mark] = []
        for place, row in enumerate(self.rows):
            start = 0.0
            for part, size in row.parts:
                if size <= 0:
                    continue
                role, end = LEDGER_COLOURS[part], start + size
                stated = f"{size:.1%} of the truth" if of_truth else f"{size:,.1f} {self.unit}"
                tip = f"{plain_label(row.name)}\n{part}: {stated}"
                marks.append(Bar((start, place + 0.14), (end, place + 0.86), role, hatched=part == "spurious", tip=tip))
                text = f"{size:.0%}" if of_truth else f"{size:,.0f}"
                if measure_width(text, 11.0) + 8.0 < size / per_pixel and part != "spurious":
                    middle = (start + end) / 2
                    marks.append(Words(middle, place + 0.5, text, INK_ON[role], "small", "middle", bold=True))
                start = end
        if of_truth:
            marks.append(Line(((1.0, -0.12), (1.0, float(len(names)))), "ink", 1.5, clip=False, tip="all of the truth"))
        # the names of the parts that occur, each after its colour; beside long names of rows they begin further left
        used = [part for part in LEDGER_COLOURS if any(dict(row.parts).get(part, 0.0) > 0 for row in self.rows)]
        across = min(0.0, panel.width - left - sum(34.0 + measure_width(part, LEGEND_SIZE) for part in used))
        for part in used:
            x, sign = across * per_pixel, "▨" if part == "spurious" else "■"
            marks.append(Words(x, 0.0, sign, LEDGER_COLOURS[part], "normal", shift=(0.0, -16.0)))
            marks.append(Words(x, 0.0, part, "dim", "small", shift=(17.0, -16.0)))
            across += 34.0 + measure_width(part, LEGEND_SIZE)
        return replace(panel, marks=tuple(marks))


# Timeline -------------------------------------------------------------------------------------------------------------

ID_COLOURS = 8
WIDTH = 760.0
SIGNS = (("break", "break: a new id"), ("swap", "swap: an id from another truth"), ("missed", "not detected"))


def assign_colours(segments: Sequence[Segment]) -> dict[TrackId, str]:
    """Assign a colour to each system id; ids that follow each other on a truth track never share one.

    >>> segments = [Segment("a", 0, frame, frame, name, "break") for frame, name in enumerate("xyzx")]
    >>> assign_colours(segments)
    {'x': 'series0', 'y': 'series1', 'z': 'series2'}
    """
    neighbours: dict[TrackId, set[TrackId]] = {}
    before: dict[int, TrackId] = {}
    for segment in segments:
        if segment.system is None:
            continue
        near = neighbours.setdefault(segment.system, set())
        last = before.get(segment.row)
        if last is not None and last != segment.system:
            near.add(last)
            neighbours.setdefault(last, set()).add(segment.system)
        before[segment.row] = segment.system
    chosen: dict[TrackId, int] = {}
    used = [0] * ID_COLOURS
    for name, near in neighbours.items():
        taken = {chosen[other] for other in near if other in chosen}
        best = min(range(ID_COLOURS), key=lambda colour: (colour in taken, used[colour], colour))
        chosen[name] = best
        used[best] += 1
    return {name: series(colour) for name, colour in chosen.items()}


@dataclass(repr=False)
class TrackTimelineDisplay(TrackDisplay):
    """The tracks that followed each truth track, frame by frame: a break, a swap and a miss can be seen.

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
    """Number of truth tracks, drawn or not."""
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
        """Draw one sequence of one tracker: the least erroneous and its first unless named; ``most`` tracks."""
        chosen = choose_sequence(choose_system(require_tracking(evaluation, "a timeline"), system), sequence)
        if not chosen.tracks:
            raise InputError(f"{chosen.name!r} has no truth track, so there is no timeline to draw")
        worst = {track.id for track in chosen.tracks[: max(most, 1)]}
        segments = [segment for segment in chosen.segments if str(segment.track) in worst]
        rows = {row: number for number, row in enumerate(sorted({segment.row for segment in segments}))}
        renumbered = [segment._replace(row=rows[segment.row]) for segment in segments]
        return cls(renumbered, chosen.frame_step, len(chosen.tracks), chosen.name)

    def panel(self) -> Panel:
        """Draw a row a track, ids written where there is room, and what the marks mean above."""
        names = {segment.row: shorten(segment.track, 16) for segment in self.segments}
        high = 20.0 if len(names) <= 25 else 15.0
        low = min(segment.first for segment in self.segments) - self.step / 2
        last = max(segment.last for segment in self.segments) + self.step / 2
        left, top = 42.0 + max(measure_width(name, 11.0) for name in names.values()), 34.0
        begins = [segment.begins for segment in self.segments]
        kinds = (("break", "breaks"), ("swap", "swaps"), ("missed", "stretches not detected"))
        counts = ", ".join(f"{begins.count(kind)} {word}" for kind, word in kinds)
        where = f" in {shorten(self.name, 60)}" if self.name else ""
        drawn = len(names)
        ticks = tuple((row + 0.5, name) for row, name in names.items())
        left_out = f"{drawn} of {self.of:,} truth tracks are drawn, those that lose most."
        panel = Panel(
            "Timeline",
            f"Timeline of {pluralize(drawn, 'truth track')}{where}, coloured by system id: {counts}.",
            axis(low, last, "frame"),
            Axis(float(drawn), 0.0, "truth track", ticks, line=False),
            width=WIDTH,
            height=top + high * drawn + 48.0,
            margins=(left, top, 16.0, 48.0),
            notes=() if drawn >= self.of else (left_out,),
        )

        per_pixel = (last - low) / panel.inner[0]
        colours = assign_colours(self.segments)
        marks: list[Mark] = []
        for segment in self.segments:  # with the id that followed the track, where there is room for its name
            start, end, row = segment.first - self.step / 2, segment.last + self.step / 2, segment.row
            frames = f"frame {segment.first:g}" + (f" to {segment.last:g}" if segment.last > segment.first else "")
            track = f"truth track {plain_label(segment.track)}\n{frames}"
            if segment.system is None:
                marks.append(Bar((start, row + 0.42), (end, row + 0.58), "missed", tip=f"{track}\nnot detected"))
                continue
            word = {"found": "\nfound again", "break": "\na break", "swap": "\na swap"}.get(segment.begins, "")
            tip = f"{track}\nfollowed by {plain_label(segment.system)}{word}"
            marks.append(Bar((start, row + 0.12), (end, row + 0.88), colours[segment.system], tip=tip))
            text = shorten(segment.system, 16)
            if measure_width(text, 11.0) + 12.0 < (end - start) / per_pixel:
                marks.append(Words((start + end) / 2, row + 0.5, text, "paper", "small", "middle"))
        for segment in self.segments:
            x = segment.first - self.step / 2
            if segment.begins == "break":
                marks.append(Line(((x, segment.row + 0.02), (x, segment.row + 0.98)), "ink", 2.0))
            if segment.begins == "swap":
                marks.append(Dot(x, segment.row + 0.5, "paper", size=4.0))
        marks.append(Words(low, 0.0, "colour: system id", "dim", "small", shift=(0.0, -18.0)))
        across = 24.0 + WIDER_WORDS * measure_width("colour: system id", FONT["small"])
        for kind, text in SIGNS:
            x, up = low + across * per_pixel, -18.0
            sign, colour = {"break": ("▎", "ink"), "swap": ("○", "ink"), "missed": ("▬", "missed")}[kind]
            marks.append(Words(x, 0.0, sign, colour, "small", "middle", (0.0, up), bold=True))
            marks.append(Words(x, 0.0, text, "dim", "small", shift=(9.0, up)))
            across += 34.0 + WIDER_WORDS * measure_width(text, FONT["small"])
        return replace(panel, marks=tuple(marks))


# Association map ------------------------------------------------------------------------------------------------------

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
KEY = {"captured": "its own id", "fragmented": "one more id", "confused": "another truth's id"}
"""Legend below the map: the colours of matched frames."""


def classify_cells(cells: Sequence[Cell]) -> list[str]:
    """Return what each cell is about: a truth's own id, one more id of it, another truth's, misses, false ones."""
    matched = [cell for cell in cells if cell.truth is not None and cell.system is not None]
    longest: dict[int, float] = {}
    for cell in matched:
        longest[cell.column] = max(longest.get(cell.column, 0.0), cell.frames)
    own: dict[int, int] = {}  # id → truth, one to one: where an id was longest, if no other id was there longer
    taken: set[int] = set()
    for cell in sorted(matched, key=lambda cell: (-cell.frames, cell.row, cell.column)):
        if cell.frames == longest[cell.column] and cell.column not in own and cell.row not in taken:
            own[cell.column] = cell.row
            taken.add(cell.row)
    kinds = []
    for cell in cells:
        if cell.system is None:
            kinds.append("missed")
        elif cell.truth is None:
            kinds.append("spurious")
        elif own.get(cell.column) == cell.row:
            kinds.append("captured")
        else:
            elsewhere = cell.column in own or cell.frames < longest[cell.column]
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
    """Numbers of truth tracks and system ids, drawn or not."""
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
        """Draw one sequence of one tracker: the least erroneous and its first unless named; ``most`` tracks."""
        chosen = choose_sequence(choose_system(require_tracking(evaluation, "an association map"), system), sequence)
        if not chosen.cells:
            raise InputError(f"{chosen.name!r} has no detection, so there is no association to draw")
        most = max(most, 1)
        worst = {track.id for track in chosen.tracks[:most]}
        rows = {cell.truth for cell in chosen.cells if str(cell.truth) in worst} - {None}
        frames: dict[TrackId, float] = {}  # of each id in these rows; false detections count half
        totals: dict[int, float] = {}
        for cell in chosen.cells:
            totals[cell.row] = totals.get(cell.row, 0.0) + cell.frames
            if cell.system is not None and (cell.truth is None or cell.truth in rows):
                share = 1.0 if cell.truth is not None else 0.5
                frames[cell.system] = frames.get(cell.system, 0.0) + cell.frames * share
        columns = set(sorted(frames, key=lambda name: -frames[name])[: 2 * most])
        kept = [
            (cell, kind, totals[cell.row])
            for cell, kind in zip(chosen.cells, classify_cells(chosen.cells), strict=True)
            if (cell.truth is None or cell.truth in rows) and (cell.system is None or cell.system in columns)
        ]
        new_rows = {row: place for place, row in enumerate(sorted({cell.row for cell, _, _ in kept}))}
        new_columns = {column: place for place, column in enumerate(sorted({cell.column for cell, _, _ in kept}))}
        return cls(
            [cell._replace(row=new_rows[cell.row], column=new_columns[cell.column]) for cell, _, _ in kept],
            [kind for _, kind, _ in kept],
            [total for _, _, total in kept],
            (len(chosen.tracks), len(chosen.system_tracks)),
            chosen.name,
        )

    def panel(self) -> Panel:
        """Draw cells as dark as the share of the track that they hold, with their frames where there is room."""
        truths = {cell.row: cell.truth for cell in self.cells}
        systems = {cell.column: cell.system for cell in self.cells}
        rows, columns = len(truths), len(systems)
        side = min(34.0, max(14.0, 640.0 / max(rows, columns)))
        font: Size = "small" if side >= 16.0 else "tiny"
        row_names = {row: "false" if name is None else shorten(name, 14) for row, name in truths.items()}
        column_names = {column: "missed" if name is None else shorten(name, 14) for column, name in systems.items()}
        left = 40.0 + max(measure_width(name, FONT[font]) for name in row_names.values())
        top = 34.0 + max(measure_width(name, FONT[font]) for name in column_names.values())
        tracks = len({cell.row for cell in self.cells if cell.truth is not None})
        ids = len({cell.column for cell in self.cells if cell.system is not None})
        frames = dict.fromkeys(KINDS, 0.0)
        for cell, kind in zip(self.cells, self.kinds, strict=True):
            frames[kind] += cell.frames
        where = f" in {shorten(self.name, 60)}" if self.name else ""
        spent = ", ".join(f"{count:,.4g} {WORDS[kind]}" for kind, count in frames.items() if count)
        notes = ""
        if tracks < self.of[0]:
            notes = f"{tracks} of {self.of[0]:,} truth tracks, those that lose most, and "
        if tracks < self.of[0] or ids < self.of[1]:
            notes += f"{ids} of {self.of[1]:,} system ids, those with the most frames, are drawn."
        panel = Panel(
            "Association map",
            f"Frames that {ids} system ids spent on {tracks} truth tracks{where}: {spent}.",
            Axis(0.0, float(columns)),
            Axis(float(rows), 0.0),
            width=max(left + side * columns + 14.0, LEAST),
            height=top + side * rows + 34.0,
            margins=(left, top, max(14.0, LEAST - left - side * columns), 34.0),
            notes=(notes,) if notes else (),
        )

        marks: list[Mark] = [
            Line(((0.0, float(y)), (float(columns), float(y))), "grid", clip=False) for y in range(rows + 1)
        ]
        marks += [Line(((float(x), 0.0), (float(x), float(rows))), "grid", clip=False) for x in range(columns + 1)]
        for cell, kind, total in zip(self.cells, self.kinds, self.wholes, strict=True):
            share, role = cell.frames / total, KINDS[kind]
            opacity = 0.7 + 0.3 * share if share >= 0.5 else 0.25 + 0.5 * share
            truth = "" if cell.truth is None else f"truth track {plain_label(cell.truth)}\n"
            system = "" if cell.system is None else f"system id {plain_label(cell.system)}\n"
            tip = f"{truth}{system}{pluralize(cell.frames, 'frame')}: {WORDS[kind]}"
            corners = (cell.column + 0.04, cell.row + 0.04), (cell.column + 0.96, cell.row + 0.96)
            marks.append(Bar(*corners, role, round(opacity, 2), tip=tip))
            text = f"{cell.frames:.3g}" if cell.frames < 1000 else f"{cell.frames / 1000:.2g}k"
            if measure_width(text, 11.0) + 3.0 <= side:
                ink = INK_ON[role] if share >= 0.5 else "ink"
                marks.append(Words(cell.column + 0.5, cell.row + 0.5, text, ink, "small", "middle"))
        for row, name in truths.items():
            is_none, tip = name is None, "false detections" if name is None else plain_label(name)
            ink, text = "dim" if is_none else "ink", row_names[row]
            marks.append(Words(0.0, row + 0.5, text, ink, font, "end", (-6.0, 0.0), italic=is_none, tip=tip))
        for column, name in systems.items():
            is_none, tip = name is None, "not detected" if name is None else plain_label(name)
            ink, text = "dim" if is_none else "ink", column_names[column]
            x = column + 0.5
            marks.append(Words(x, 0.0, text, ink, font, "start", (0.0, -6.0), 90.0, italic=is_none, tip=tip))
        marks.append(Words(0.0, 0.0, "system id", "dim", shift=(0.0, 12.0 - top)))
        marks.append(Words(0.0, rows / 2, "truth track", "dim", anchor="middle", shift=(12.0 - left, 0.0), angle=90.0))
        across = 0.0
        for kind, text in KEY.items():
            marks.append(Words(0.0, panel.y.low, "■", KINDS[kind], "normal", shift=(across, 20.0)))
            marks.append(Words(0.0, panel.y.low, text, "dim", "small", shift=(across + 14.0, 20.0)))
            across += 32.0 + measure_width(text, 11.0)
        return replace(panel, marks=tuple(marks))
