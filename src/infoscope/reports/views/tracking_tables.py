"""The tables of a report on trackers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from infoscope.figures.tracks import WorstTrack
from infoscope.reports.item_tables import listed
from infoscope.reports.outline import Cell, Code, Column, Name, Phrase, Section, Strong, Table, Term
from infoscope.results.estimate import Estimate
from infoscope.results.notation import UNDEFINED, MetricNotation, Units, amount, chance, p_value, share
from infoscope.tracking.measures import measures
from infoscope.tracking.result import LINES, LOST, TrackerResult, TrackingEvaluation

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
    rows = [
        (
            Strong(line) if line == "truth" else line,
            f"{system.ledger[line] * unit.per_bit:,.1f}",
            share(system.ledger[line] / truth) if truth > 0 else "–",
            EXPLAINED[line],
        )
        for line in LINES
    ]
    columns = [Column("ledger", "name"), Column(unit.name), Column("of truth"), Column("", "text", 5)]
    return Table(columns, rows, "Information ledger", max_rows=len(rows))


def worst_table(worst: Sequence[WorstTrack], unit: Units) -> Table:
    """The tracks that lose most, with what became of them."""
    several = len({each.sequence for each in worst}) > 1
    columns = [
        *([Column("sequence", "name")] if several else []),
        Column("track", "name"),
        Column("frames", priority=5),
        Column("matched", priority=5),
        Column("ids", priority=4),
        *(Column(line) for line in LOST),
    ]
    rows = [
        (
            *((Name(each.sequence, 24),) if several else ()),
            Name(each.track, 20),
            amount(each.frames),
            f"{each.matched:,.6g}",
            str(each.ids),
            *(unit.amount(each.lost[line], 1) for line in LOST),
        )
        for each in worst
    ]
    return Table(columns, rows, "Worst tracks", max_rows=5)


def all_metrics(evaluation: TrackingEvaluation, unit: Units) -> Section:
    """Every metric of the trackers, with intervals."""
    systems = [evaluation[name] for name in evaluation.ranking][:MAX_COLUMNS]
    cards = {each.name: each.card for each in measures(evaluation.convention.per)}
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
    columns, rows = listed(
        pairs,
        (Column("a", "name"), lambda each: Name(each.a, 24)),
        (Column("b", "name"), lambda each: Name(each.b, 24)),
        (Column("metric", "text"), lambda each: (Code(each.metric),)),
        (
            Column("a − b"),
            lambda each: (
                UNDEFINED if each.estimate.shown is None else MetricNotation(each.metric).signed(each.estimate.shown)
            ),
        ),
        (Column("interval"), lambda each: MetricNotation(each.metric).signed_interval(each.estimate) or "–"),
        (
            Column("P(a better)"),
            lambda each: "–" if each.probability_a_better is None else chance(each.probability_a_better),
        ),
        (
            Column("p"),
            lambda each: p_value(each.tests["sign_flip_p_value"]) if "sign_flip_p_value" in each.tests else "–",
        ),
        (Column("verdict", "text"), lambda each: each.verdict),
    )
    return Section(f"All {len(rows)} differences", [Table(columns, rows, "Differences", search="pairs")])


def gate_sweeps(evaluation: TrackingEvaluation) -> Iterator[Section]:
    """What depends on the gate, where it was swept."""
    names = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "information_jaccard")
    columns = [Column("gate"), Column("captured"), Column("false"), Column("erroneous"), Column("J")]
    for title, sweep in evaluation.gate_sweep.items():
        points = [*((f"{each['gate']:g}", each) for each in sweep.points), ("mean", sweep.mean)]
        rows = [(at, *(MetricNotation(name).value(each[name]) for name in names)) for at, each in points]
        yield Section(("By gate: ", Name(title, 60)), [Table(columns, rows, "Gates", max_rows=len(rows))])
