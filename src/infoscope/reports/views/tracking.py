"""Outline of a report on trackers: ledger, worst tracks, who followed whom, and how trackers compare.

``outline`` is called by ``reports/render.py`` for results of kind "tracking"; its sections follow in the order of the
page. ``PICTURES`` are the figures that the command can draw by name. All numbers are those of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from infoscope.core.markup import pluralize
from infoscope.errors import InputError
from infoscope.figures.coverage import CoverageDisplay
from infoscope.figures.display import Display
from infoscope.figures.tracks import (
    AssociationDisplay,
    LedgerRow,
    TrackLedgerDisplay,
    TrackTimelineDisplay,
    WorstTrack,
    choose_system,
    find_worst_tracks,
)
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Block,
    Code,
    Column,
    Figure,
    Inline,
    Name,
    Outline,
    Paragraph,
    Phrase,
    Section,
    SideBySide,
    Strong,
    Table,
    Term,
    Tile,
    Whisker,
    list_names,
)
from infoscope.reports.shared import make_difference_columns, tabulate
from infoscope.results.estimate import Difference
from infoscope.results.notation import (
    UNDEFINED,
    MetricNotation,
    Units,
    describe_false_bits,
    format_count,
    format_interval,
    format_p_value,
    format_probability,
    format_share,
    format_share_with_interval,
)
from infoscope.studies.tracking_measures import get_measures
from infoscope.studies.tracking_result import LINES, LOST, SequenceResult, TrackerResult, TrackingEvaluation

PICTURES: dict[str, Callable[[TrackingEvaluation], Display]] = {
    "coverage": CoverageDisplay.from_evaluation,
    "ledger": TrackLedgerDisplay.from_evaluation,
    "timeline": TrackTimelineDisplay.from_evaluation,
    "association": AssociationDisplay.from_evaluation,
}
MAX_WORST = 12
"""Truth tracks named as the worst."""
MAX_SEQUENCES = 6
"""Sequences drawn of the tracker that the report is about; of each other one is."""
MAX_OTHERS = 4
MAX_TRACKS = 30
MAX_COLUMNS = 8
"""Trackers with a column in the table of all metrics."""
_TILES = (
    ("proficiency", "captured"),
    ("false_information_ratio", "false, relative to the truth"),
    ("hota", "HOTA"),
    ("mota", "MOTA"),
    ("idf1", "IDF1"),
    ("id_switches", "id switches"),
)
_SEQUENCE_METRICS = (
    ("proficiency", "captured"),
    ("false_information_ratio", "false"),
    ("hota", "HOTA"),
    ("mota", "MOTA"),
    ("idf1", "IDF1"),
)
_LOSSES = {
    "missed": "lost by not detecting",
    "confused": "lost by ids that follow several truth tracks",
    "fragmented": "false because truth tracks change their id",
    "spurious": "false because of detections of nothing",
}
_LINE_MEANINGS = {
    "truth": "who was where, in all",
    "captured": "carried by the system's ids",
    "missed": "not detected",
    "confused": "one id on several truth tracks: merge, swap, reuse",
    "fragmented": "one truth track under several ids: break, swap",
    "spurious": "false detections and false tracks",
}


def outline(evaluation: TrackingEvaluation, unit: Units) -> Outline:
    """Write the outline: the least erroneous tracker, and the others beside it."""
    if not evaluation.systems:
        raise InputError("there is no tracker to report on; evaluate at least one")
    focus = choose_system(evaluation, None)
    worst = find_worst_tracks(focus, MAX_WORST)
    has_several = len(evaluation.systems) > 1
    kicker: list[Phrase] = [
        "Trackers",
        pluralize(len(focus.sequences), "sequence"),
        pluralize(sum(len(sequence.tracks) for sequence in focus.sequences), "truth track"),
        pluralize(focus.n, "truth detection"),
    ]
    hero: Sequence[Block] = ()
    if focus.ledger["truth"] > 0:
        alone = TrackingEvaluation(evaluation.convention, (focus,))
        hero = (Figure(TrackLedgerDisplay.from_evaluation(alone).panel()),)
    captured = focus.metrics["proficiency"]
    headline: Phrase = (Name(focus.name, 48), f" cannot be evaluated by information: {captured.undefined}.")
    if captured.shown is not None:
        rank = f", the least erroneous of {len(evaluation.systems)} trackers" if has_several else ""
        share = format_share_with_interval(captured)
        headline = (Name(focus.name, 48), f" captures {share} of the information about who was where{rank}.")
    method: list[Phrase] = []
    for system in evaluation.systems:
        note = f": {system.interval_method.note}" if system.interval_method.note else ""
        method.append(("Intervals of ", Name(system.name, 60), f": {system.interval_method.method}{note}."))
    method.append("Frames are not independent: no interval counts them as independent draws.")
    return Outline(
        title=f"{focus.name[:60]}: {format_share(captured.shown, 0)} of who was where captured",
        kicker=[*kicker, *([f"{len(evaluation.systems)} trackers"] if has_several else [])],
        headline=headline,
        lede=list(_write_lede(evaluation, focus, unit)),
        hero=hero,
        tiles=list(_make_tiles(focus)),
        findings=[
            (system.name if has_several else "", finding)
            for system in (evaluation[name] for name in evaluation.ranking)
            for finding in system.diagnosis
        ],
        sections=[
            *([_compare_trackers(evaluation)] if has_several else []),
            _show_ledgers(evaluation, focus, unit),
            *([_show_worst_tracks(focus, worst, unit)] if worst else []),
            *_show_followers(evaluation, focus),
        ],
        footnotes=[evaluation.convention.text],
        appendix=Appendix(
            sections=[
                _list_metrics(evaluation, unit),
                *_list_parts(evaluation, focus),
            ],
            metrics=list(focus.metrics),
            domain="tracks",
            method=method,
        ),
    )


# ── above the fold ───────────────────────────────────────────────────────────────────────────────


def _write_lede(evaluation: TrackingEvaluation, focus: TrackerResult, unit: Units) -> Iterator[Phrase]:
    false = focus.metrics["false_information_ratio"].shown
    if false is not None:
        size = describe_false_bits(false, unit.name)
        yield f"For every 100 {unit.name} of truth it adds {size} false information."
    line = max(_LOSSES, key=lambda name: focus.ledger[name])
    if focus.ledger[line] > 0 and focus.ledger["truth"] > 0:
        share = format_share(focus.ledger[line] / focus.ledger["truth"])
        yield f"Most is {_LOSSES[line]}: as much as {share} of the truth."
    worst = find_worst_tracks(focus, 1)
    if worst:
        where: tuple[Inline, ...] = (" in ", Name(worst[0].sequence, 40)) if len(focus.sequences) > 1 else ()
        yield ("The worst track is ", Strong(worst[0].track), *where, ".")
    others = [name for name in evaluation.ranking if name != focus.name]
    if others:
        second = evaluation[others[0]]
        follows = (Strong(second.name), f" follows with {format_share(second.metrics['proficiency'].shown)} captured")
        pair = _find_difference(evaluation, focus.name, second.name)
        if pair is None or pair.probability_a_better is None:
            yield (*follows, ".")
        else:
            yield (
                *follows,
                f"; the probability that it is more erroneous is {format_probability(pair.probability_a_better)}.",
            )


def _find_difference(evaluation: TrackingEvaluation, one: str, other: str) -> Difference | None:
    """Return the difference of one tracker − another in erroneous information."""
    for pair in evaluation.comparison.pairs if evaluation.comparison else ():
        if pair.metric == "erroneous_information_ratio" and {pair.a, pair.b} == {one, other}:
            return pair if pair.a == one else pair.reversed()
    return None


def _make_tiles(system: TrackerResult) -> Iterator[Tile]:
    for name, word in _TILES:
        estimate = system.metrics[name]
        count = name == "id_switches"
        number = (
            UNDEFINED if estimate.shown is None else f"{estimate.shown:,.0f}" if count else format_share(estimate.shown)
        )
        limits = format_interval(estimate, 1.0, 0) if count else format_interval(estimate)
        yield Tile(number, word, limits, estimate.undefined or "", name)


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def _compare_trackers(evaluation: TrackingEvaluation) -> Section:
    def verdict(name: str) -> str:
        if name == evaluation.ranking[0]:
            return "least erroneous"
        pair = _find_difference(evaluation, name, evaluation.ranking[0])
        return "" if pair is None else pair.verdict

    rows = tabulate(
        [(evaluation[name], evaluation[name].metrics) for name in evaluation.ranking],
        (Column("tracker", "name"), lambda row: Name(row[0].name, 30)),
        (Column("", "whisker"), lambda row: Whisker.from_estimate(row[1]["proficiency"])),
        (Column("captured", metric="proficiency"), lambda row: Strong(format_share(row[1]["proficiency"].shown))),
        (Column("interval", priority=5), lambda row: format_interval(row[1]["proficiency"])),
        (
            Column("false", metric="false_information_ratio"),
            lambda row: format_share(row[1]["false_information_ratio"].shown),
        ),
        (
            Column("erroneous", metric="erroneous_information_ratio"),
            lambda row: MetricNotation("erroneous_information_ratio").shown(row[1]["erroneous_information_ratio"]),
        ),
        (Column("HOTA", metric="hota", priority=7), lambda row: format_share(row[1]["hota"].shown)),
        (Column("MOTA", metric="mota", priority=6), lambda row: format_share(row[1]["mota"].shown)),
        (Column("IDF1", metric="idf1", priority=6), lambda row: format_share(row[1]["idf1"].shown)),
        (Column("verdict", "text", 8), lambda row: verdict(row[0].name)),
    )
    note = "The least erroneous tracker first."
    blocks: list[Block] = [Table(*rows, "Trackers by erroneous information", note=note, style="forest")]
    if evaluation.comparison is not None and evaluation.comparison.pareto:
        front = list_names(evaluation.comparison.pareto)
        blocks.append(Paragraph(("Not beaten in both captured and false information: ", *front, ".")))
    return Section("Compared with each other", blocks, "compare", link="Compare")


def _show_ledgers(evaluation: TrackingEvaluation, focus: TrackerResult, unit: Units) -> Section:
    truth = focus.ledger["truth"]
    lines = tabulate(
        LINES,
        (Column("ledger", "name"), lambda line: Strong(line) if line == "truth" else line),
        (Column(unit.name), lambda line: f"{focus.ledger[line] * unit.per_bit:,.1f}"),
        (Column("of truth"), lambda line: format_share(focus.ledger[line] / truth) if truth > 0 else "–"),
        (Column("", "text", 5), _LINE_MEANINGS.__getitem__),
    )
    left: list[Block] = [Table(*lines, "Information ledger", max_rows=ALL_ROWS)]
    left += _draw(lambda: TrackLedgerDisplay.from_evaluation(evaluation)) if len(evaluation.systems) > 1 else []
    ellipses = any(system.interval_method.coverage is not None for system in evaluation.systems)
    held = f"; ellipses hold both figures with {evaluation.convention.level:.0%}" if ellipses else ""
    words = f"Up is captured, right is false information{held}. The star has all of the truth and nothing else."
    right = _draw(lambda: CoverageDisplay.from_evaluation(evaluation), words)
    return Section("Where the information goes", [SideBySide(left, right)], "bits")


def _draw(make: Callable[[], Display], note: str = "") -> list[Block]:
    """Draw a picture, or nothing where what it shows is undefined; the numbers say so."""
    try:
        return [Figure(make().panel(), note=note)]
    except InputError:
        return []


def _show_worst_tracks(focus: TrackerResult, worst: list[WorstTrack], unit: Units) -> Section:
    has_several = len(focus.sequences) > 1
    bars = [
        LedgerRow(
            f"{track.sequence}: {track.track}" if has_several else track.track,
            tuple((line, bits * unit.per_bit) for line, bits in track.lost.items()),
        )
        for track in worst
    ]
    table = Table(
        *tabulate(
            worst,
            *(
                [(Column("sequence", "name"), lambda track: Name(track.sequence, 24))]
                if len({track.sequence for track in worst}) > 1
                else []
            ),
            (Column("track", "name"), lambda track: Name(track.track, 20)),
            (Column("frames", priority=5), lambda track: format_count(track.frames)),
            (Column("matched", priority=5), lambda track: f"{track.matched:,.6g}"),
            (Column("ids", priority=4), lambda track: str(track.ids)),
            *((Column(line), lambda track, line=line: unit.amount(track.lost[line], 1)) for line in LOST),
        ),
        "Worst tracks",
        max_rows=5,
    )
    tracks = sum(len(sequence.tracks) for sequence in focus.sequences)
    of = f"The {len(worst)} of {format_count(tracks)} truth tracks" if len(worst) < tracks else "The truth tracks"
    words: Phrase = (f"{of} on which ", Name(focus.name), f" loses most, in {unit.name}.")
    drawn = Figure(TrackLedgerDisplay(bars, "track", unit.name).panel())
    return Section("Worst tracks", [Paragraph(words, quiet=True), SideBySide([drawn], [table])], "worst")


def _show_followers(evaluation: TrackingEvaluation, focus: TrackerResult) -> Iterator[Section]:
    """Yield timeline and association of the sequences that lose most."""
    drawn = _worst_sequences(focus, MAX_SEQUENCES)
    if not drawn:
        return
    left = len(focus.sequences) - len(drawn)
    words = f"The {len(drawn)} sequences that lose most are drawn; {left} more are not. " if left else ""
    parts: list[Block | Section] = [
        Paragraph(f"{words}A truth track is a row; its colour changes when its id does.", quiet=True)
    ]
    parts += [_show_sequence(evaluation, focus, sequence, folded=place > 0) for place, sequence in enumerate(drawn)]
    for other in [system for system in evaluation.systems if system is not focus][:MAX_OTHERS]:
        parts += [_show_sequence(evaluation, other, sequence, folded=True) for sequence in _worst_sequences(other, 1)]
    yield Section("Who followed whom", parts, "followed", only="page")


def _worst_sequences(system: TrackerResult, most: int) -> list[SequenceResult]:
    drawable = [sequence for sequence in system.sequences if sequence.segments and sequence.tracks]
    return sorted(drawable, key=lambda sequence: -sum(sequence.ledger[line] for line in _LOSSES))[:most]


def _show_sequence(
    evaluation: TrackingEvaluation, system: TrackerResult, sequence: SequenceResult, *, folded: bool
) -> Section:
    truth = sequence.ledger["truth"]
    captured = f", {format_share(sequence.ledger['captured'] / truth)} captured" if truth > 0 else ""
    timeline, association = (
        display.from_evaluation(evaluation, system=system.name, sequence=sequence.name, most=MAX_TRACKS).panel()
        for display in (TrackTimelineDisplay, AssociationDisplay)
    )
    several = len(evaluation.systems) > 1
    heading: tuple[Inline, ...] = ((Name(system.name, 60), ": ") if several else ()) + (
        Name(sequence.name, 60),
        captured,
    )
    return Section(
        heading,
        [
            Figure(timeline, (Strong("Timeline"),), " ".join(timeline.notes), "fitted"),
            Figure(
                association,
                (Strong("Association"), ": frames that each id spent on each truth track"),
                " ".join(association.notes),
                "fitted",
            ),
        ],
        folded=folded,
    )


# ── appendix ─────────────────────────────────────────────────────────────────────────────────────


def _list_metrics(evaluation: TrackingEvaluation, unit: Units) -> Section:
    """List every metric of the trackers, with intervals."""
    systems = [evaluation[name] for name in evaluation.ranking][:MAX_COLUMNS]
    cards = {entry.name: entry.card for entry in get_measures(evaluation.convention.per)}
    columns = [Column("metric", "name"), *(Column(system.name[:24]) for system in systems)]
    rows = []
    for name in systems[0].metrics:
        title: Phrase = (Term(name, cards[name].title), " ", Code(name))
        estimates = [system.metrics[name] for system in systems]
        values = [
            f"{UNDEFINED}: {estimate.undefined}"
            if estimate.shown is None
            else MetricNotation(name, unit).whole(estimate)
            for estimate in estimates
        ]
        rows.append((title, *values))
    left = len(evaluation.systems) - len(systems)
    note = f"The best {len(systems)} trackers; {left} more are in the downloads below." if left else ""
    table = Table(columns, rows, "All metrics", note=note, search="metrics")
    return Section(f"All {len(rows)} metrics", [table])


def _list_parts(evaluation: TrackingEvaluation, focus: TrackerResult) -> Iterator[Section]:
    """List the sequences of the tracker that the report is about, pairs of trackers, and numbers by gate."""
    if len(focus.sequences) > 1:
        sequences = tabulate(
            focus.sequences,
            (Column("sequence", "name"), lambda sequence: Name(sequence.name, 40)),
            (Column("frames"), lambda sequence: format_count(sequence.frames)),
            (Column("truth tracks"), lambda sequence: format_count(len(sequence.tracks))),
            (Column("truth, bits"), lambda sequence: f"{sequence.ledger['truth']:,.0f}"),
            *(
                (Column(word, metric=name), lambda sequence, name=name: format_share(sequence.metrics[name].shown))
                for name, word in _SEQUENCE_METRICS
            ),
        )
        table = Table(*sequences, "Sequences", search="sequences")
        yield Section(f"All {len(focus.sequences)} sequences", [table])
    if len(evaluation.systems) > 1:
        pairs = evaluation.comparison.pairs if evaluation.comparison else ()
        test = "sign_flip_p_value"
        differences = tabulate(
            pairs,
            *make_difference_columns(lambda pair: (Code(pair.metric),)),
            (Column("p"), lambda pair: format_p_value(pair.tests[test]) if test in pair.tests else "–"),
        )
        alone = "Each verdict is about its pair alone."
        table = Table(*differences, "Differences", note=alone, search="pairs")
        yield Section(f"All {len(pairs)} differences", [table])
    names = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "information_jaccard")
    columns = [Column("gate"), Column("captured"), Column("false"), Column("erroneous"), Column("J")]
    for title, sweep in evaluation.gate_sweep.items():
        points = [*((f"{point['gate']:g}", point) for point in sweep.points), ("mean", sweep.mean)]
        rows = [(gate, *(MetricNotation(name).value(point[name]) for name in names)) for gate, point in points]
        yield Section(("By gate: ", Name(title, 60)), [Table(columns, rows, "Gates", max_rows=ALL_ROWS)])
