"""The tables of the page of trackers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from infoscope.evaluation import Value
from infoscope.figures.layout import plain_label
from infoscope.figures.track_choice import LOST, WorstTrack
from infoscope.report.html.comparing import interval_bar
from infoscope.report.html.elements import Html, element, label, scrolled
from infoscope.report.html.making import Making
from infoscope.report.html.verdict import interval
from infoscope.report.numbers import UNDEFINED, Units, amount, share
from infoscope.tracking.document import LINES, System, TrackingEvaluation, ledger_lines
from infoscope.tracking.measures import measures, values_of
from infoscope.tracking.printing import EXPLAINED

__all__ = [
    "all_values",
    "by_sequence",
    "definitions",
    "differences",
    "gates",
    "ledger_table",
    "method",
    "ranking_table",
    "value_of",
    "worst_table",
]

MOST_COLUMNS = 8
MOST_ROWS = 300
SHOWN = (
    ("proficiency", "captured"),
    ("false_information_ratio", "false"),
    ("hota", "HOTA"),
    ("mota", "MOTA"),
    ("idf1", "IDF1"),
)


def value_of(system: System, name: str) -> Value:
    """A metric of a tracker with its interval, or why it is undefined."""
    found = system.estimates[name]
    if not np.isfinite(found.value):
        reasons = {each.name: each.card.undefined for each in measures(system.settings.per)}
        return Value(None, undefined=reasons[name])
    if not np.isfinite(found.sd):
        return Value(found.value)
    return Value(found.value, found.value, found.sd, found.low, found.high)


def ledger_table(system: System, unit: Units) -> Html:
    """Where the bits of one tracker go, line by line."""
    lines = system.ledger
    rows = [
        [
            element("b", line) if line == "truth" else line,
            f"{lines[line] * unit.per_bit:,.1f}",
            share(lines[line] / lines["truth"]) if lines["truth"] > 0 else "–",
            EXPLAINED[line],
        ]
        for line in LINES
    ]
    return _table("Ledger", (label(system.name, 30), unit.name, "of truth", ""), rows, numbers=(1, 2))


def worst_table(worst: Sequence[WorstTrack], unit: Units) -> Html:
    """The tracks that lose most, with what became of them."""
    several = len({each.sequence for each in worst}) > 1
    head = (*(("sequence",) if several else ()), "track", "frames", "matched", "ids", *LOST)
    rows = [
        [
            *((label(each.sequence, 24),) if several else ()),
            label(each.track, 20),
            amount(each.frames),
            f"{each.matched:,.6g}",
            str(each.ids),
            *(unit.amount(each.lost[line], 1) for line in LOST),
        ]
        for each in worst
    ]
    return _table("Worst tracks", head, rows, numbers=range(1 + several, len(head)))


def ranking_table(evaluation: TrackingEvaluation) -> Html:
    """A row a tracker, with the interval of what it captures and how sure its place is."""
    ranking = evaluation.comparison.ranking if evaluation.comparison else ()
    rows = []
    for name in ranking:
        system = evaluation[name]
        captured, hota = value_of(system, "proficiency"), value_of(system, "hota").value
        rows.append(
            element(
                "tr",
                element("th", label(name, 30), scope="row"),
                element("td", interval_bar(captured), class_="track"),
                element("td", share(captured.value), class_="n strong"),
                element("td", interval(captured), class_="n dim"),
                element("td", share(value_of(system, "false_information_ratio").value), class_="n"),
                element("td", share(hota), class_="n"),
                element("td", "" if name == ranking[0] else _verdict(evaluation, name, ranking[0])),
            )
        )
    titles = (
        ("tracker", ""),
        ("", "track"),
        ("captured", "n"),
        ("interval", "n"),
        ("false", "n"),
        ("HOTA", "n"),
        ("", ""),
    )
    head = element(
        "tr",
        *(
            element("th" if title else "td", title, scope="col" if title else None, class_=kind or None)
            for title, kind in titles
        ),
    )
    table = element(
        "table",
        element("caption", "Trackers by erroneous information", class_="sr"),
        element("thead", head),
        element("tbody", *rows),
        class_="forest",
    )
    return scrolled(table, "Trackers")


def _verdict(evaluation: TrackingEvaluation, name: str, best: str) -> str:
    for pair in evaluation.comparison.pairs if evaluation.comparison else ():
        if pair.metric == "erroneous_information_ratio" and {pair.a, pair.b} == {name, best}:
            sure = pair.probability_a_better if pair.a == name else 1.0 - pair.probability_a_better
            return _verdict_word(sure) if np.isfinite(sure) else ""
    return ""


def _verdict_word(probability: float) -> str:
    """Better, worse or can't tell, by the probability of being better."""
    if probability >= 0.975:
        return "better"
    return "worse" if probability <= 0.025 else "can't tell"


def differences(evaluation: TrackingEvaluation) -> Html:
    """Every pair in every compared metric, folded."""
    pairs = evaluation.comparison.pairs if evaluation.comparison else ()
    rows = [
        [
            label(each.a, 24),
            label(each.b, 24),
            element("code", each.metric),
            f"{each.difference:+.4f}" if np.isfinite(each.difference) else UNDEFINED,
            f"{each.low:+.4f} to {each.high:+.4f}" if np.isfinite(each.sd) else "–",
            share(each.probability_a_better) if np.isfinite(each.probability_a_better) else "–",
            f"{each.p_value:.3f}" if np.isfinite(each.p_value) else "–",
        ]
        for each in pairs[:MOST_ROWS]
    ]
    head = ("a", "b", "metric", "a − b", "interval", "a is better", "p")
    table = _table("Differences", head, rows, numbers=range(3, 7))
    return _fold(f"All {len(pairs)} differences", _cut(len(pairs)), table)


def all_values(evaluation: TrackingEvaluation, unit: Units) -> Html:
    """Every metric of the trackers, with intervals, folded."""
    ranking = evaluation.comparison.ranking if evaluation.comparison else [each.name for each in evaluation.systems]
    systems = [evaluation[name] for name in ranking][:MOST_COLUMNS]
    known = measures(evaluation.settings.per)
    rows = []
    for each in known:
        scale = unit.per_bit if each.card.unit == "bits" else 1.0
        term = element("a", each.card.title, href=f"#def-{each.name}", class_="term")
        name = element("span", term, " ", element("code", each.name))
        rows.append([name, *(_shown(value_of(system, each.name), scale) for system in systems)])
    left = len(evaluation.systems) - len(systems)
    note = f"The best {len(systems)} trackers; {left} more are in the JSON document." if left else ""
    head = ("metric", *(label(system.name, 24) for system in systems))
    return _fold(f"All {len(known)} metrics", note, _table("All metrics", head, rows, numbers=range(1, len(head))))


def _shown(value: Value, scale: float) -> Html:
    if value.value is None:
        return element("span", UNDEFINED, element("small", f" {value.undefined}", class_="dim"))
    text = f"{value.value * scale:.4g}"
    if value.low is not None and value.high is not None:
        text += f" ({value.low * scale:.4g} – {value.high * scale:.4g})"
    return Html(text)


def by_sequence(evaluation: TrackingEvaluation, system: System) -> Html:
    """The main figures of each sequence, folded; empty where there is one only."""
    if len(system.sequences) < 2:
        return Html("")
    rows = []
    for each in system.sequences[:MOST_ROWS]:
        values = values_of(each.total, evaluation.settings.per)
        lines = ledger_lines(each.total)
        shown = [float(values[name]) for name, _ in SHOWN]
        rows.append(
            [
                label(each.name, 40),
                amount(len(each.tracks.frame_numbers)),
                amount(len(each.tracks.truth.ids)),
                f"{lines['truth']:,.0f}",
                *(share(value) if np.isfinite(value) else UNDEFINED for value in shown),
            ]
        )
    head = ("sequence", "frames", "truth tracks", "truth, bits", *(word for _, word in SHOWN))
    table = _table("Sequences", head, rows, numbers=range(1, len(head)))
    return _fold(f"All {len(system.sequences)} sequences", _cut(len(system.sequences)), table)


def gates(evaluation: TrackingEvaluation) -> Html:
    """What hangs on the gate, where it was swept."""
    names = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "information_jaccard")
    head = ("gate", "captured", "false", "erroneous", "J")
    folds = []
    for title, sweep in evaluation.sweeps.items():
        points = [*((f"{each['gate']:g}", each) for each in sweep.points), ("mean", sweep.mean)]
        rows = [
            [at, *(f"{each[name]:.4f}" if np.isfinite(each[name]) else UNDEFINED for name in names)]
            for at, each in points
        ]
        folds.append(_fold(f"By gate: {plain_label(title)[:60]}", "", _table("Gates", head, rows, numbers=range(1, 5))))
    return Html("".join(folds))


def definitions(evaluation: TrackingEvaluation) -> Html:
    """What the numbers mean, from their cards."""
    entries = []
    for each in measures(evaluation.settings.per):
        card = each.card
        better = {"higher": "higher is better", "lower": "lower is better", "none": ""}[card.better]
        facts = ", ".join(part for part in (better, "" if card.unit == "ratio" else card.unit) if part)
        undefined = "" if card.undefined == "never" else f" Undefined when: {card.undefined}."
        said = " ".join(part for part in (card.meaning or card.note, f"({facts})." if facts else "") if part)
        entries.append(
            element(
                "div",
                element("dt", card.title, " ", element("code", card.formula)),
                element("dd", f"{said}{undefined}"),
                id=f"def-{each.name}",
            )
        )
    return element(
        "details",
        element("summary", "What the numbers mean"),
        element("dl", *entries, class_="definitions"),
        id="definitions",
    )


def method(evaluation: TrackingEvaluation, made: Making) -> Html:
    """The convention in use, what the intervals rest on, and who made the page."""
    items: list[object] = [evaluation.settings.describe()]
    for system in evaluation.systems[:MOST_COLUMNS]:
        note = f": {system.spread.note}" if system.spread.note else ""
        items.append(f"Intervals of {plain_label(system.name)[:60]}: {system.spread.method}{note}.")
        items += [
            element("bdi", f"{plain_label(system.name)[:60]}: {plain_label(each['text'])}") for each in system.remarks()
        ]
    items.append("Frames are not independent: no interval counts them as draws of their own.")
    items.append("The page runs no code.")
    listed = element("ul", *(element("li", item) for item in items), *made.items({}))
    return element("details", element("summary", "Method and limits"), listed)


def _cut(rows: int) -> str:
    return f"The first {MOST_ROWS} of {rows:,}; all are in the JSON document." if rows > MOST_ROWS else ""


def _fold(title: str, note: str, inside: Html) -> Html:
    return element(
        "details", element("summary", title), element("p", note, class_="note") if note else Html(""), inside
    )


def _table(name: str, head: Sequence[object], rows: Sequence[Sequence[object]], *, numbers: Iterable[int]) -> Html:
    """A table whose first column names the row."""
    right = set(numbers)
    titles = [
        element("th" if title else "td", title, scope="col" if title else None, class_="n" if at in right else None)
        for at, title in enumerate(head)
    ]
    body = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            *(element("td", cell, class_="n" if at in right else None) for at, cell in enumerate(row[1:], 1)),
        )
        for row in rows
    ]
    table = element(
        "table",
        element("caption", name, class_="sr"),
        element("thead", element("tr", *titles)),
        element("tbody", *body),
        class_="values",
    )
    return scrolled(table, name)
