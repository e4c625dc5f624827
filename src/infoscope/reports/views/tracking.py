"""What is shown of trackers: the ledger, the worst tracks, who followed whom, and how trackers compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from infoscope.core.markup import counted
from infoscope.errors import InputError
from infoscope.figures.association import AssociationDisplay
from infoscope.figures.coverage import CoverageDisplay
from infoscope.figures.drawing.display import Display
from infoscope.figures.track_ledger import LedgerRow, TrackLedgerDisplay
from infoscope.figures.track_timeline import TrackTimelineDisplay
from infoscope.figures.tracks import WorstTrack, chosen_system, worst_tracks
from infoscope.reports.outline import (
    Appendix,
    Block,
    Column,
    Figure,
    Outline,
    Paragraph,
    Section,
    SideBySide,
    Table,
    Tile,
    Whisker,
)
from infoscope.reports.parts.item_tables import listed
from infoscope.reports.parts.tracking_tables import (
    all_differences,
    all_metrics,
    gate_sweeps,
    ledger_table,
    sequence_table,
    worst_table,
)
from infoscope.reports.phrases import Inline, Name, Phrase, Strong, enumerated
from infoscope.results.estimate import Difference
from infoscope.results.notation import (
    UNDEFINED,
    MetricNotation,
    Units,
    amount,
    chance,
    false_per_hundred,
    interval_text,
    share,
    share_with_interval,
)
from infoscope.studies.tracking.result import SequenceResult, TrackerResult, TrackingEvaluation

__all__ = ["PICTURES", "outline"]

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
_TILES = (
    ("proficiency", "captured"),
    ("false_information_ratio", "false, relative to the truth"),
    ("hota", "HOTA"),
    ("mota", "MOTA"),
    ("idf1", "IDF1"),
    ("id_switches", "id switches"),
)
_LOSS = {
    "missed": "lost by not detecting",
    "confused": "lost by ids that follow several truth tracks",
    "fragmented": "false because truth tracks change their id",
    "spurious": "false because of detections of nothing",
}


def outline(evaluation: TrackingEvaluation, unit: Units) -> Outline:
    """The least erroneous tracker first."""
    if not evaluation.systems:
        raise InputError("there is no tracker to report on; evaluate at least one")
    focus = chosen_system(evaluation, None)
    worst = worst_tracks(focus, MAX_WORST)
    several = len(evaluation.systems) > 1
    captured = focus.metrics["proficiency"].shown
    return Outline(
        title=f"{focus.name[:60]}: {share(captured, 0)} of who was where captured",
        kicker=list(_kicker(evaluation, focus)),
        headline=_headline(evaluation, focus),
        lede=list(_sentences(evaluation, focus, unit)),
        hero=_hero(evaluation, focus),
        tiles=list(_tiles(focus)),
        findings=[
            (system.name if several else "", finding)
            for system in (evaluation[name] for name in evaluation.ranking)
            for finding in system.diagnosis
        ],
        sections=[
            *([_ranking(evaluation)] if several else []),
            _ledgers(evaluation, focus, unit),
            *([_worst(focus, worst, unit)] if worst else []),
            *_followed(evaluation, focus),
        ],
        footnotes=[evaluation.convention.text],
        appendix=Appendix(
            sections=[
                all_metrics(evaluation, unit),
                *([sequence_table(focus)] if len(focus.sequences) > 1 else []),
                *([all_differences(evaluation)] if several else []),
                *gate_sweeps(evaluation),
            ],
            metrics=list(focus.metrics),
            domain="tracks",
            method=list(_method(evaluation)),
        ),
    )


def _kicker(evaluation: TrackingEvaluation, focus: TrackerResult) -> Iterator[Phrase]:
    tracks = sum(len(each.tracks) for each in focus.sequences)
    yield "Trackers"
    yield counted(len(focus.sequences), "sequence")
    yield counted(tracks, "truth track")
    yield counted(focus.n, "truth detection")
    if len(evaluation.systems) > 1:
        yield f"{len(evaluation.systems)} trackers"


def _headline(evaluation: TrackingEvaluation, focus: TrackerResult) -> Phrase:
    captured = focus.metrics["proficiency"]
    name = Name(focus.name, 48)
    if captured.shown is None:
        return (name, f" cannot be evaluated by information: {captured.undefined}.")
    many = len(evaluation.systems)
    rank = f", the least erroneous of {many} trackers" if many > 1 else ""
    return (name, f" captures {share_with_interval(captured)} of the information about who was where{rank}.")


def _sentences(evaluation: TrackingEvaluation, focus: TrackerResult, unit: Units) -> Iterator[Phrase]:
    false = focus.metrics["false_information_ratio"].shown
    if false is not None:
        size = false_per_hundred(false, unit.name)
        yield f"For every 100 {unit.name} of truth it adds {size} false information."
    line = max(_LOSS, key=lambda name: focus.ledger[name])
    if focus.ledger[line] > 0 and focus.ledger["truth"] > 0:
        yield f"Most is {_LOSS[line]}: as much as {share(focus.ledger[line] / focus.ledger['truth'])} of the truth."
    worst = worst_tracks(focus, 1)
    if worst:
        where: tuple[Inline, ...] = (" in ", Name(worst[0].sequence, 40)) if len(focus.sequences) > 1 else ()
        yield ("The worst track is ", Strong(worst[0].track), *where, ".")
    yield from _runner_up(evaluation, focus)


def _runner_up(evaluation: TrackingEvaluation, focus: TrackerResult) -> Iterator[Phrase]:
    others = [name for name in evaluation.ranking if name != focus.name]
    if not others:
        return
    second = evaluation[others[0]]
    follows = (Strong(second.name), f" follows with {share(second.metrics['proficiency'].shown)} captured")
    pair = _difference(evaluation, focus.name, second.name)
    if pair is None or pair.probability_a_better is None:
        yield (*follows, ".")
    else:
        yield (*follows, f"; the probability that it is more erroneous is {chance(pair.probability_a_better)}.")


def _difference(evaluation: TrackingEvaluation, one: str, other: str) -> Difference | None:
    """One tracker − another in erroneous information."""
    for pair in evaluation.comparison.pairs if evaluation.comparison else ():
        if pair.metric == "erroneous_information_ratio" and {pair.a, pair.b} == {one, other}:
            return pair if pair.a == one else pair.reversed()
    return None


def _verdict(evaluation: TrackingEvaluation, name: str) -> str:
    if name == evaluation.ranking[0]:
        return "least erroneous"
    pair = _difference(evaluation, name, evaluation.ranking[0])
    return "" if pair is None else pair.verdict


def _hero(evaluation: TrackingEvaluation, focus: TrackerResult) -> Sequence[Block]:
    if focus.ledger["truth"] <= 0:
        return ()
    alone = TrackingEvaluation(evaluation.convention, (focus,))
    return (Figure(TrackLedgerDisplay.from_evaluation(alone).panel()),)


def _tiles(system: TrackerResult) -> Iterator[Tile]:
    for name, word in _TILES:
        estimate = system.metrics[name]
        count = name == "id_switches"
        number = UNDEFINED if estimate.shown is None else f"{estimate.shown:,.0f}" if count else share(estimate.shown)
        limits = interval_text(estimate, 1.0, 0) if count else interval_text(estimate)
        yield Tile(number, word, limits, estimate.undefined or "", name)


def _ranking(evaluation: TrackingEvaluation) -> Section:
    rows = listed(
        [(evaluation[name], evaluation[name].metrics) for name in evaluation.ranking],
        (Column("tracker", "name"), lambda each: Name(each[0].name, 30)),
        (Column("", "whisker"), lambda each: Whisker.of(each[1]["proficiency"])),
        (Column("captured", metric="proficiency"), lambda each: Strong(share(each[1]["proficiency"].shown))),
        (Column("interval", priority=5), lambda each: interval_text(each[1]["proficiency"])),
        (
            Column("false", metric="false_information_ratio"),
            lambda each: share(each[1]["false_information_ratio"].shown),
        ),
        (
            Column("erroneous", metric="erroneous_information_ratio"),
            lambda each: MetricNotation("erroneous_information_ratio").shown(each[1]["erroneous_information_ratio"]),
        ),
        (Column("HOTA", metric="hota", priority=7), lambda each: share(each[1]["hota"].shown)),
        (Column("MOTA", metric="mota", priority=6), lambda each: share(each[1]["mota"].shown)),
        (Column("IDF1", metric="idf1", priority=6), lambda each: share(each[1]["idf1"].shown)),
        (Column("verdict", "text", 8), lambda each: _verdict(evaluation, each[0].name)),
    )
    note = "The least erroneous tracker first."
    blocks: list[Block] = [Table(*rows, "Trackers by erroneous information", note=note, style="forest")]
    if evaluation.comparison is not None and evaluation.comparison.pareto:
        front = enumerated(evaluation.comparison.pareto)
        blocks.append(Paragraph(("Not beaten in both captured and false information: ", *front, ".")))
    return Section("Compared with each other", blocks, "compare", link="Compare")


def _ledgers(evaluation: TrackingEvaluation, focus: TrackerResult, unit: Units) -> Section:
    left: list[Block] = [ledger_table(focus, unit)]
    left += _figure(lambda: TrackLedgerDisplay.from_evaluation(evaluation)) if len(evaluation.systems) > 1 else []
    ellipses = any(each.interval.coverage is not None for each in evaluation.systems)
    held = f"; ellipses hold both figures with {evaluation.convention.level:.0%}" if ellipses else ""
    words = f"Up is captured, right is false information{held}. The star has all of the truth and nothing else."
    right = _figure(lambda: CoverageDisplay.from_evaluation(evaluation), words)
    return Section("Where the information goes", [SideBySide(left, right)], "bits")


def _figure(make: Callable[[], Display], note: str = "") -> list[Block]:
    """A picture, or nothing where what it shows is undefined; the numbers say so."""
    try:
        return [Figure(make().panel(), note=note)]
    except InputError:
        return []


def _worst(focus: TrackerResult, worst: list[WorstTrack], unit: Units) -> Section:
    several = len(focus.sequences) > 1
    rows = [
        LedgerRow(
            f"{each.sequence}: {each.track}" if several else each.track,
            tuple((line, bits * unit.per_bit) for line, bits in each.lost.items()),
        )
        for each in worst
    ]
    tracks = sum(len(each.tracks) for each in focus.sequences)
    of = f"The {len(worst)} of {amount(tracks)} truth tracks" if len(worst) < tracks else "The truth tracks"
    words: Phrase = (f"{of} on which ", Name(focus.name), f" loses most, in {unit.name}.")
    drawn = Figure(TrackLedgerDisplay(rows, "track", unit.name).panel())
    return Section(
        "Worst tracks", [Paragraph(words, quiet=True), SideBySide([drawn], [worst_table(worst, unit)])], "worst"
    )


def _followed(evaluation: TrackingEvaluation, focus: TrackerResult) -> Iterator[Section]:
    """Timeline and association of the sequences that lose most."""
    drawn = _worst_sequences(focus, MAX_SEQUENCES)
    if not drawn:
        return
    left = len(focus.sequences) - len(drawn)
    words = f"The {len(drawn)} sequences that lose most are drawn; {left} more are not. " if left else ""
    parts: list[Block | Section] = [
        Paragraph(f"{words}A truth track is a row; its colour changes when its id does.", quiet=True)
    ]
    parts += [_sequence(evaluation, focus, each, folded=at > 0) for at, each in enumerate(drawn)]
    for other in [each for each in evaluation.systems if each is not focus][:MAX_OTHERS]:
        parts += [_sequence(evaluation, other, each, folded=True) for each in _worst_sequences(other, 1)]
    yield Section("Who followed whom", parts, "followed", only="page")


def _worst_sequences(system: TrackerResult, most: int) -> list[SequenceResult]:
    able = [each for each in system.sequences if each.segments and each.tracks]
    wrong = ("missed", "confused", "fragmented", "spurious")
    return sorted(able, key=lambda each: -sum(each.ledger[line] for line in wrong))[:most]


def _sequence(
    evaluation: TrackingEvaluation, system: TrackerResult, sequence: SequenceResult, *, folded: bool
) -> Section:
    truth = sequence.ledger["truth"]
    captured = f", {share(sequence.ledger['captured'] / truth)} captured" if truth > 0 else ""
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


def _method(evaluation: TrackingEvaluation) -> Iterator[Phrase]:
    for system in evaluation.systems:
        note = f": {system.interval.note}" if system.interval.note else ""
        yield ("Intervals of ", Name(system.name, 60), f": {system.interval.method}{note}.")
    yield "Frames are not independent: no interval counts them as independent draws."
