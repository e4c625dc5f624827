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
    InformationBar,
    Inline,
    Name,
    Outline,
    Paragraph,
    Phrase,
    Section,
    SideBySide,
    Strong,
    SystemValue,
    Table,
    Term,
    Tile,
)
from infoscope.reports.shared import make_difference_columns, tabulate
from infoscope.results.estimate import Difference
from infoscope.results.finding import Finding
from infoscope.results.notation import (
    UNDEFINED,
    MetricNotation,
    Units,
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
FAMILIAR = (("hota", "HOTA"), ("idf1", "IDF1"), ("mota", "MOTA"), ("id_switches", "id switches"))
"""Metrics of the field, in the order of the first screen."""
DECIDING = "erroneous_information_ratio"
_SEQUENCE_METRICS = (
    ("proficiency", "captured"),
    ("false_information_ratio", "false"),
    ("hota", "HOTA"),
    ("mota", "MOTA"),
    ("idf1", "IDF1"),
)
_LOSSES = {
    "missed": "not detected",
    "confused": "ids that follow several tracks",
    "fragmented": "tracks that change their id",
    "spurious": "false detections",
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
    """Write the outline: the best tracker by what its ids carry, and the others beside it."""
    if not evaluation.systems:
        raise InputError("there is no tracker to report on; evaluate at least one")
    focus = choose_system(evaluation, None)
    worst = find_worst_tracks(focus, MAX_WORST)
    has_several = len(evaluation.systems) > 1
    method: list[Phrase] = []
    for system in evaluation.systems:
        note = f": {system.interval_method.note}" if system.interval_method.note else ""
        method.append(("Intervals of ", Name(system.name, 60), f": {system.interval_method.method}{note}."))
    method.append("Frames are not independent: no interval counts them as independent draws.")
    return Outline(
        title=f"{focus.name[:60]}: HOTA {format_share(focus.metrics['hota'].shown)}",
        kicker=[
            pluralize(len(focus.sequences), "sequence"),
            pluralize(sum(len(sequence.tracks) for sequence in focus.sequences), "true track"),
            pluralize(focus.n, "true detection"),
            *([f"{len(evaluation.systems)} trackers"] if has_several else []),
        ],
        headline=_write_headline(evaluation, focus),
        lede=list(_write_lede(evaluation, focus)),
        tiles=list(_make_tiles(evaluation, focus)),
        findings=list(_list_findings(evaluation)),
        sections=[
            *([_compare_trackers(evaluation)] if has_several else []),
            _show_losses(focus),
            *([_show_worst_tracks(focus, worst, unit)] if worst else []),
            *_show_followers(evaluation, focus),
            _show_ledgers(evaluation, focus, unit),
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


def _write_headline(evaluation: TrackingEvaluation, focus: TrackerResult) -> Phrase:
    """Write the familiar numbers and what the ids carry; of several trackers, by how much the best is ahead."""
    number = {name: format_share(focus.metrics[name].shown) for name, _ in FAMILIAR}
    hota = format_share_with_interval(focus.metrics["hota"])
    captured = focus.metrics["proficiency"]
    carried: Inline = f"captures {format_share(captured.shown)} of the information about who was where"
    if captured.shown is None:
        carried = f"cannot be evaluated by information: {captured.undefined}"
    if len(evaluation.systems) == 1:
        familiar = f" has a HOTA of {hota}, an IDF1 of {number['idf1']} and a MOTA of {number['mota']}, and "
        return (Name(focus.name, 48), familiar, carried, ".")
    second = evaluation[_find_second(evaluation, focus)]
    pair = _find_difference(evaluation, focus.name, second.name)
    first, sure = f" is first of {len(evaluation.systems)} trackers", ""
    if pair is not None:
        is_best = pair.verdict == "better"
        first = f" is {'the best' if is_best else 'first'} of {len(evaluation.systems)} trackers"
        chance = format_probability(pair.probability_a_better)
        sure = f" ({'' if is_best else 'not significantly, '}probability {chance})" if chance else " (not tested)"
    return (
        Name(focus.name, 48),
        f"{first}{sure}: it has a HOTA of {hota} and {carried}.",
    )


def _list_findings(evaluation: TrackingEvaluation) -> Iterator[tuple[str, Finding]]:
    """List the findings about each tracker, the best first; one about all of them once."""
    systems = [evaluation[name] for name in evaluation.ranking]
    texts = [{finding.text for finding in system.diagnosis} for system in systems]
    shared = set.intersection(*texts)
    for place, system in enumerate(systems):
        for finding in system.diagnosis:
            if finding.text not in shared:
                yield system.name, finding
            elif place == 0:
                yield "", finding


def _find_second(evaluation: TrackingEvaluation, focus: TrackerResult) -> str:
    return next(name for name in evaluation.ranking if name != focus.name)


def _write_lede(evaluation: TrackingEvaluation, focus: TrackerResult) -> Iterator[Phrase]:
    """Name the second tracker, and the one with the highest HOTA where it is another one."""
    if len(evaluation.systems) < 2:
        return
    second = evaluation[_find_second(evaluation, focus)]
    hota, captured = (format_share(second.metrics[name].shown) for name in ("hota", "proficiency"))
    yield (Name(second.name, 48), f" follows with a HOTA of {hota} and {captured} captured.")
    leader = max(evaluation.systems, key=lambda system: system.metrics["hota"].shown or 0.0)
    if (leader.metrics["hota"].shown or 0.0) > (focus.metrics["hota"].shown or 0.0):
        higher = f" has the highest HOTA, {format_share_with_interval(leader.metrics['hota'])}, but "
        yield (Name(leader.name, 48), higher, "misses or adds more information.")


def _find_difference(evaluation: TrackingEvaluation, one: str, other: str) -> Difference | None:
    """Return the difference of one tracker − another in missed and false information."""
    for pair in evaluation.comparison.pairs if evaluation.comparison else ():
        if pair.metric == "erroneous_information_ratio" and {pair.a, pair.b} == {one, other}:
            return pair if pair.a == one else pair.reversed()
    return None


def _make_tiles(evaluation: TrackingEvaluation, focus: TrackerResult) -> Iterator[Tile]:
    """Show the metrics of the field with what they are made of, then what the ids carry."""
    metrics = focus.metrics
    ranked = [evaluation[name] for name in evaluation.ranking]

    def write(name: str) -> str:
        return MetricNotation(name).value(metrics[name].shown)

    def count(name: str, word: str) -> str:
        return pluralize(round(metrics[name].shown or 0.0), word)

    notes = {
        "hota": f"detection {write('deta')}, association {write('assa')}",
        "idf1": f"precision {write('idp')}, recall {write('idr')}",
        "mota": f"{write('false_negatives')} missed, {write('false_positives')} false, {write('id_switches')} switched",
        "id_switches": count("fragmentations", "interruption"),
    }
    for name, word in FAMILIAR:
        estimate, notation = metrics[name], MetricNotation(name)
        limits = format_interval(estimate, 1.0, 0) if name == "id_switches" else notation.interval(estimate)
        number = f"{estimate.shown:,.0f}" if name == "id_switches" and estimate.shown is not None else write(name)
        yield Tile(number, word, limits, estimate.undefined or notes[name], name, systems=_list_values(ranked, name))
    bits = focus.ledger
    yield Tile(
        write("proficiency"),
        "captured",
        MetricNotation("proficiency").interval(metrics["proficiency"]),
        metrics["proficiency"].undefined or "",
        "proficiency",
        systems=_list_values(ranked, "proficiency"),
        bar=InformationBar(bits["truth"] - bits["captured"], bits["captured"], bits["fragmented"] + bits["spurious"])
        if bits["truth"] > 0
        else None,
    )


def _list_values(systems: Sequence[TrackerResult], name: str) -> Sequence[SystemValue]:
    if len(systems) < 2:
        return ()
    if name != "id_switches":
        return [SystemValue.from_estimate(each.name, each.metrics[name], MetricNotation(name)) for each in systems]
    return [SystemValue(each.name, format_count(each.metrics[name].shown)) for each in systems]


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def _compare_trackers(evaluation: TrackingEvaluation) -> Section:
    """Show by how much every tracker is behind the best in each metric of the field."""
    best = evaluation.ranking[0]
    pairs = {}
    for pair in evaluation.comparison.pairs if evaluation.comparison else ():
        ordered = pair if pair.a == best else pair.reversed()
        if ordered.a == best:
            pairs[ordered.b, pair.metric] = ordered

    def write_gap(name: str, metric: str) -> str:
        pair = pairs.get((name, metric))
        if pair is None or pair.estimate.shown is None:
            return UNDEFINED
        notation = MetricNotation(metric)
        within = notation.signed_interval(pair.estimate)
        return f"{notation.signed(pair.estimate.shown)}{f' ({within})' * bool(within)}"

    rows = tabulate(
        evaluation.ranking[1:],
        (Column("tracker", "name"), lambda name: Name(name, 30)),
        *(
            (Column(word, metric=metric, priority=priority), lambda name, metric=metric: write_gap(name, metric))
            for metric, word, priority in (
                ("hota", "HOTA", 9),
                ("idf1", "IDF1", 5),
                ("mota", "MOTA", 4),
                ("proficiency", "captured", 8),
            )
        ),
        (
            Column("verdict", "text", 7),
            lambda name: pairs[name, DECIDING].reversed().verdict if (name, DECIDING) in pairs else "",
        ),
    )
    note = "In points. The verdict is by missed and false information together, each pair by itself."
    table = Table(*rows, "Differences to the best tracker", note=note)
    return Section((Name(best, 30), " less the others"), [table], "compare", link="Compare")


def _show_losses(focus: TrackerResult) -> Section:
    """Show where the information goes, the costliest first, in shares of the truth and in what a tracker does."""
    truth = focus.ledger["truth"]

    def count(name: str, word: str) -> str:
        return pluralize(round(focus.metrics[name].shown or 0.0), word)

    def write_share(line: str) -> str:
        return format_share(focus.ledger[line] / truth) if truth > 0 else UNDEFINED

    seen = {
        "missed": f"{format_count(focus.metrics['false_negatives'].shown)} of {pluralize(focus.n, 'detection')}",
        "fragmented": count("breaks", "break"),
        "confused": count("transfers", "transfer"),
        "spurious": count("false_positives", "detection"),
    }
    lines = sorted((line for line in seen if focus.ledger[line] > 0), key=lambda line: -focus.ledger[line])
    rows = tabulate(
        lines,
        (Column("ledger", "text"), _LOSSES.__getitem__),
        *(
            (Column(word), lambda line, own=own: write_share(line) if line in own else "")
            for word, own in (("missed", ("missed", "confused")), ("false", ("fragmented", "spurious")))
        ),
        (Column("count", "text", 7), seen.__getitem__),
    )
    note = "In shares of the truth's information: 100% less the missed is captured, the false comes on top."
    block: Block = Paragraph("Nothing is missed or false.")
    if lines:
        block = Table(*rows, "Losses", note=note, max_rows=ALL_ROWS)
    return Section("Where the information goes", [block], "bits", link="Losses")


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
    return Section("Information ledger", [SideBySide(left, right)], "ledger", aside="in bits", folded=True)


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
        max_rows=3,
    )
    tracks = sum(len(sequence.tracks) for sequence in focus.sequences)
    left = f"{len(worst)} of {format_count(tracks)}" if len(worst) < tracks else ""
    drawn = Figure(TrackLedgerDisplay(bars, "track", unit.name).panel())
    heading = ("True tracks on which ", Name(focus.name), f" loses most, in {unit.name}")
    return Section(heading, [SideBySide([table], [drawn])], "worst", link="Worst tracks", aside=left)


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
            Section(
                "Association",
                [Figure(association, note=" ".join(association.notes), style="fitted")],
                aside="frames that each id spent on each truth track",
                folded=True,
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
