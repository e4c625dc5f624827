"""The tables of a report on trackers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from infoscope.figures.tracks import WorstTrack
from infoscope.reports.outline import ALL_ROWS, Cell, Column, Section, Table
from infoscope.reports.parts.item_tables import difference_columns, listed
from infoscope.reports.phrases import Code, Name, Phrase, Strong, Term
from infoscope.results.estimate import Estimate
from infoscope.results.notation import UNDEFINED, MetricNotation, Units, amount, p_value, share
from infoscope.studies.tracking.measures import get_measures
from infoscope.studies.tracking.result import LINES, LOST, TrackerResult, TrackingEvaluation

__all__ = [
    "all_differences",
    "all_metrics",
    "gate_sweeps",
    "ledger_table",
    "sequence_table",
    "worst_table",
]

MAX_COLUMNS = 8
EXPLAINED = {
    "truth": "who was where, in all",
    "captured": "carried by the system's ids",
    "missed": "not detected",
    "confused": "one id on several truth tracks: merge, swap, reuse",
    "fragmented": "one truth track under several ids: break, swap",
    "spurious": "false detections and false tracks",
}
_SHOWN = (
    ("proficiency", "captured"),
    ("false_information_ratio", "false"),
    ("hota", "HOTA"),
    ("mota", "MOTA"),
    ("idf1", "IDF1"),
)


def ledger_table(system: TrackerResult, unit: Units) -> Table:
    """Where the bits of one tracker go, line by line."""
    truth = system.ledger["truth"]
    rows = listed(
        LINES,
        (Column("ledger", "name"), lambda line: Strong(line) if line == "truth" else line),
        (Column(unit.name), lambda line: f"{system.ledger[line] * unit.per_bit:,.1f}"),
        (Column("of truth"), lambda line: share(system.ledger[line] / truth) if truth > 0 else "–"),
        (Column("", "text", 5), EXPLAINED.__getitem__),
    )
    return Table(*rows, "Information ledger", max_rows=ALL_ROWS)


def worst_table(worst: Sequence[WorstTrack], unit: Units) -> Table:
    """The tracks that lose most, with what became of them."""
    several = len({each.sequence for each in worst}) > 1
    rows = listed(
        worst,
        *([(Column("sequence", "name"), lambda each: Name(each.sequence, 24))] if several else []),
        (Column("track", "name"), lambda each: Name(each.track, 20)),
        (Column("frames", priority=5), lambda each: amount(each.frames)),
        (Column("matched", priority=5), lambda each: f"{each.matched:,.6g}"),
        (Column("ids", priority=4), lambda each: str(each.ids)),
        *((Column(line), partial(_lost, line, unit)) for line in LOST),
    )
    return Table(*rows, "Worst tracks", max_rows=5)


def _lost(line: str, unit: Units, track: WorstTrack) -> str:
    return unit.amount(track.lost[line], 1)


def all_metrics(evaluation: TrackingEvaluation, unit: Units) -> Section:
    """Every metric of the trackers, with intervals."""
    systems = [evaluation[name] for name in evaluation.ranking][:MAX_COLUMNS]
    cards = {each.name: each.card for each in get_measures(evaluation.convention.per)}
    columns = [Column("metric", "name"), *(Column(system.name[:24]) for system in systems)]
    rows = []
    for name in systems[0].metrics:
        title: Phrase = (Term(name, cards[name].title), " ", Code(name))
        rows.append((title, *(_value(system.metrics[name], name, unit) for system in systems)))
    left = len(evaluation.systems) - len(systems)
    note = f"The best {len(systems)} trackers; {left} more are in the downloads below." if left else ""
    table = Table(columns, rows, "All metrics", note=note, search="metrics")
    return Section(f"All {len(rows)} metrics", [table])


def _value(estimate: Estimate, metric: str, unit: Units) -> str:
    if estimate.shown is None:
        return f"{UNDEFINED}: {estimate.undefined}"
    return MetricNotation(metric, unit).whole(estimate)


def sequence_table(system: TrackerResult) -> Section:
    """The main figures of each sequence."""
    columns = [
        Column("sequence", "name"),
        Column("frames"),
        Column("truth tracks"),
        Column("truth, bits"),
        *(Column(word, metric=name) for name, word in _SHOWN),
    ]
    rows: list[Sequence[Cell]] = [
        (
            Name(each.name, 40),
            amount(each.frames),
            amount(len(each.tracks)),
            f"{each.ledger['truth']:,.0f}",
            *(share(each.metrics[name].shown) for name, _ in _SHOWN),
        )
        for each in system.sequences
    ]
    return Section(f"All {len(rows)} sequences", [Table(columns, rows, "Sequences", search="sequences")])


def all_differences(evaluation: TrackingEvaluation) -> Section:
    """Every pair in every compared metric."""
    pairs = evaluation.comparison.pairs if evaluation.comparison else ()
    rows = listed(
        pairs,
        *difference_columns(lambda each: (Code(each.metric),)),
        (Column("p"), lambda each: _sign_flip_p(each.tests)),
    )
    alone = "Each verdict is about its pair alone."
    return Section(f"All {len(pairs)} differences", [Table(*rows, "Differences", note=alone, search="pairs")])


def _sign_flip_p(tests: Mapping[str, float]) -> str:
    return p_value(tests["sign_flip_p_value"]) if "sign_flip_p_value" in tests else "–"


def gate_sweeps(evaluation: TrackingEvaluation) -> Iterator[Section]:
    """What depends on the gate, where it was swept."""
    names = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "information_jaccard")
    columns = [Column("gate"), Column("captured"), Column("false"), Column("erroneous"), Column("J")]
    for title, sweep in evaluation.gate_sweep.items():
        points = [*((f"{each['gate']:g}", each) for each in sweep.points), ("mean", sweep.mean)]
        rows = [(at, *(MetricNotation(name).value(each[name]) for name in names)) for at, each in points]
        yield Section(("By gate: ", Name(title, 60)), [Table(columns, rows, "Gates", max_rows=ALL_ROWS)])
