"""The page of a sweep: which operating point, what it is worth, and a slider over all the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.cards import catalogue
from infoscope.figures.layout import plain_label
from infoscope.figures.ledger import LedgerDisplay
from infoscope.figures.svg import svg
from infoscope.metrics.shannon import entropies
from infoscope.operating_points import Choice, Sweep
from infoscope.operating_points.showing import renders
from infoscope.report.html.definitions import definitions, known_card, term
from infoscope.report.html.elements import Html, element, joined
from infoscope.report.html.embedding import embedded, rounded
from infoscope.report.html.making import Making
from infoscope.report.html.shell import code_of, page
from infoscope.report.html.sweep_charts import Chart, charts
from infoscope.report.html.sweep_tables import points_table, recommended, written
from infoscope.report.numbers import Units, amount, share, units
from infoscope.report.sweeps import AREAS
from infoscope.report.wording import left_out

__all__ = ["sweep_html"]

MOST_PLACES = 201
"""Places of the slider; the saved curve has every operating point."""
THRESHOLD = {
    "threshold": "threshold",
    "alarms": "called positive",
    "proficiency": "captured",
    "accuracy": "accuracy",
    "recall": "recall",
    "precision": "precision",
    "false_alarm_rate": "false alarms",
}
REFUSAL = {
    "threshold": "threshold",
    "rejection_rate": "refused",
    "coverage": "answered",
    "accepted_accuracy": "answers right",
    "proficiency": "captured",
    "proficiency_without_reject": "captured, answers alone",
    "error_rate": "wrong, of all",
}
"""What is told at each place, by metric."""


@renders("sweep")
def sweep_html(sweep: Sweep, choices: Sequence[Choice], *, unit: str = "bits", command: str | None = None) -> str:
    """The whole page as text; the first choice is the one that is recommended."""
    from infoscope import __version__  # noqa: PLC0415 - the package itself

    choice, measure = choices[0], units(unit)
    places = _places(sweep, choice)
    here = int(np.flatnonzero(places == choice.point)[0])
    curves = _curves(sweep)
    told = _told(sweep, curves, places)
    drawn = charts(sweep, choice, places)
    return page(
        f"{_title(sweep, choice, curves)} | operating points",
        code_of("sweep.js"),
        element(
            "main",
            _verdict(sweep, choice, curves, measure),
            _navigation(sweep),
            _choosing(sweep, told, here, drawn[0]),
            recommended(choices, measure),
            points_table(sweep, choice, _words(sweep), curves, places),
            element(
                "section",
                element("h2", "Two more views"),
                element("div", *(chart.drawn(at, here) for at, chart in enumerate(drawn[1:], 1)), class_="two maps"),
                id="maps",
            ),
            _everything(sweep, choices, measure, Making(command, __version__)),
        ),
        embedded("data", _data(sweep, curves, told, places, here, drawn)),
    )


def _places(sweep: Sweep, choice: Choice) -> NDArray[np.int64]:
    """Operating points for the slider, the most generous first, the chosen one among them."""
    even = np.linspace(0, len(sweep) - 1, min(MOST_PLACES, len(sweep))).astype(np.int64)
    return np.union1d(even, [choice.point])[::-1]


def _words(sweep: Sweep) -> dict[str, str]:
    return THRESHOLD if sweep.kind == "threshold" else REFUSAL


def _curves(sweep: Sweep) -> dict[str, NDArray[np.float64]]:
    """Every number that is told, along the whole curve."""
    found = {"threshold": np.asarray(sweep.thresholds, dtype=np.float64)}
    for name in _words(sweep):
        if name == "coverage":
            found[name] = 1.0 - np.asarray(sweep.values("rejection_rate"), dtype=np.float64)
        elif name == "alarms":
            tables = sweep.tables
            column = tables.system_labels.index(tables.positive_label)
            found[name] = np.asarray(tables.column_totals[..., column] / tables.grand_total, dtype=np.float64)
        elif name != "threshold":
            found[name] = np.asarray(sweep.values(name), dtype=np.float64)
    found["false_information_ratio"] = np.asarray(sweep.values("false_information_ratio"), dtype=np.float64)
    return found


def _told(sweep: Sweep, curves: dict[str, NDArray[np.float64]], places: NDArray[np.int64]) -> list[dict[str, str]]:
    """At each place: the numbers as they are shown, and a sentence."""
    return [
        {name: written(name, curves[name][at]) for name in _words(sweep)} | {"text": _sentence(sweep, curves, int(at))}
        for at in places
    ]


def _rule(sweep: Sweep) -> tuple[str, str]:
    """What is held against the threshold, and how: ("confidence", "≥")."""
    return sweep.quantity, "≤" if sweep.quantity == "entropy" else "≥"


def _positive(sweep: Sweep) -> str:
    return f"“{plain_label(sweep.ladder.pattern.positive_label)[:40]}”"


def _act(sweep: Sweep, curves: dict[str, NDArray[np.float64]], at: int) -> str:
    """What an operating point asks for."""
    word, sign = _rule(sweep)
    threshold = float(curves["threshold"][at])
    shown = written("threshold", threshold)
    if sweep.kind == "threshold":
        say = f"say {_positive(sweep)}"
        return f"{say} from a {word} of {shown}" if np.isfinite(threshold) else f"never {say}"
    refused = float(curves["rejection_rate"][at])
    if refused in (0.0, 1.0):
        return "refuse nothing" if refused == 0.0 else "refuse everything"
    return f"refuse {'above' if sign == '≤' else 'below'} a {word} of {shown}"


def _sentence(sweep: Sweep, curves: dict[str, NDArray[np.float64]], at: int) -> str:
    def told(name: str) -> str:
        return written(name, curves[name][at])

    act = _act(sweep, curves, at)
    start = f"{act[0].upper()}{act[1:]}"
    captured = f"{told('proficiency')} of the information in the truth is captured"
    if sweep.kind == "threshold":
        found = f"recall is {told('recall')}, precision {told('precision')}, accuracy {told('accuracy')}"
        return f"{start}: {captured}; {found}."
    right = curves["accepted_accuracy"][at]
    answers = "nothing is answered" if np.isnan(right) else f"{told('accepted_accuracy')} of the answers are right"
    return f"{start}: {told('rejection_rate')} are refused, {answers}, and {captured}."


def _number(choice: Choice, value: float, unit: Units) -> str:
    """A value of the criterion, as its card has it."""
    if np.isnan(value):
        return "undefined"
    card = known_card(choice.criterion)
    if card is not None and card.unit == "ratio" and card.range == (0.0, 1.0):
        return share(value)
    scale = unit.per_bit if card is not None and card.unit == "bits" else 1.0
    return f"{value * scale:.4g}"


def _title(sweep: Sweep, choice: Choice, curves: dict[str, NDArray[np.float64]]) -> str:
    act = _act(sweep, curves, choice.point)
    return f"{act[0].upper()}{act[1:]}"


def _verdict(sweep: Sweep, choice: Choice, curves: dict[str, NDArray[np.float64]], unit: Units) -> Html:
    table = sweep.table_at(choice.point)
    h = entropies(table)
    missed, captured, false = (float(part) * unit.per_bit for part in (h.missed, h.mutual, h.spurious))
    bar = LedgerDisplay(missed, captured, false, unit.name)
    drawn = element("figure", Html(svg(bar.panel())), class_="wide") if missed + captured + false > 0 else Html("")
    notes = [element("li", element("bdi", plain_label(f"{note[0].upper()}{note[1:]}."))) for note in sweep.notes]
    return element(
        "header",
        element("p", _kicker(sweep), class_="kicker"),
        element(
            "div",
            element(
                "div",
                element("h1", _headline(sweep, choice, curves, unit)),
                element("p", " ".join(_sentences(sweep, choice, curves, unit)), class_="lede"),
                element("ul", *notes, class_="remarks") if notes else Html(""),
            ),
            element("div", drawn, _tiles(sweep, choice, curves, unit)),
            class_="hero",
        ),
    )


def _kicker(sweep: Sweep) -> Html:
    k = len(sweep.ladder.pattern.truth_labels)
    size = "sample size unknown" if sweep.sample_size is None else f"{amount(sweep.sample_size)} samples"
    points = f"{len(sweep):,} operating points"
    return joined(("Operating points", size, f"{k:,} classes", points, element("bdi", plain_label(sweep.rule))), " · ")


def _headline(sweep: Sweep, choice: Choice, curves: dict[str, NDArray[np.float64]], unit: Units) -> str:
    act = _title(sweep, choice, curves)
    if choice.criterion == "proficiency":
        return f"{act}: that captures {share(choice.value, 0)} of the information in the truth, the most of all."
    word = catalogue[choice.criterion].title.lower() if choice.criterion in catalogue else "expected cost"
    return f"{act}: that gives the best {word}, {_number(choice, choice.value, unit)}."


def _sentences(sweep: Sweep, choice: Choice, curves: dict[str, NDArray[np.float64]], unit: Units) -> Iterator[str]:
    if np.isnan(choice.held_out):
        yield "There are too few samples to judge the choice on others than its own."
    else:
        low, high = (_number(choice, end, unit) for end in (choice.low, choice.high))
        told = _number(choice, choice.held_out, unit)
        yield f"On samples that had no say in the choice it is {told} ({choice.level:.0%}: {low} to {high})."
    ends = [written("threshold", end) for end in sorted((choice.threshold_low, choice.threshold_high))]
    if np.isfinite([choice.threshold_low, choice.threshold_high]).all() and ends[0] != ends[1]:
        yield f"Were the samples drawn again, the choice would fall between {ends[0]} and {ends[1]}."
    if sweep.kind == "threshold":
        here = {name: share(float(curves[name][choice.point])) for name in ("recall", "false_alarm_rate", "accuracy")}
        yield (
            f"It finds {here['recall']} of {_positive(sweep)} with {here['false_alarm_rate']} false alarms; accuracy "
            f"is {here['accuracy']}."
        )
    else:
        yield from _trade(curves)


def _trade(curves: dict[str, NDArray[np.float64]]) -> Iterator[str]:
    """Refusing lifts accuracy and lowers what is captured: both are said."""
    refused, right, captured = (curves[name] for name in ("rejection_rate", "accepted_accuracy", "proficiency"))
    all_answered = int(np.argmin(refused))
    half = int(np.argmin(np.abs(refused - 0.5)))
    if np.isnan(right[half]) or half == all_answered:
        return
    yield (
        f"Refusing {share(float(refused[half]), 0)} of the samples takes accuracy from "
        f"{share(float(right[all_answered]))} to {share(float(right[half]))}, and captured information from "
        f"{share(float(captured[all_answered]))} to {share(float(captured[half]))}."
    )


def _tiles(sweep: Sweep, choice: Choice, curves: dict[str, NDArray[np.float64]], unit: Units) -> Html:
    point = choice.point
    bounds = f"{written('threshold', choice.threshold_low)} – {written('threshold', choice.threshold_high)}"
    known = bool(np.isfinite([choice.threshold_low, choice.threshold_high]).all())
    items = [("", "threshold", written("threshold", choice.threshold), bounds if known else "")]
    held = f"held out {_number(choice, choice.held_out, unit)}" if not np.isnan(choice.held_out) else ""
    items.append(
        ("proficiency", "captured", _round(curves["proficiency"][point]), held * (choice.criterion == "proficiency"))
    )
    if sweep.kind == "threshold":
        items.append(("accuracy", "accuracy", _round(curves["accuracy"][point]), ""))
        items.append(("", AREAS["roc_auc"], f"{sweep.areas['roc_auc']:.3f}", "0.5 is chance"))
    else:
        answered = f"{_round(curves['coverage'][point])} answered"
        items.append(
            ("accepted_accuracy", "answers that are right", _round(curves["accepted_accuracy"][point]), answered)
        )
        items.append(("", AREAS["risk_coverage_area"], f"{sweep.areas['risk_coverage_area']:.3f}", "0 is perfect"))
    written_items = [
        element("li", element("b", number), term(name, word), element("span", note, class_="dim") if note else Html(""))
        for name, word, number, note in items
    ]
    return element("ul", *written_items, class_="tiles")


def _round(value: float) -> str:
    return "undefined" if np.isnan(value) else share(float(value), 0)


def _navigation(sweep: Sweep) -> Html:
    first = "Refuse more or less" if sweep.kind == "refusal" else "Move the threshold"
    links = (
        ("#choose", first),
        ("#best", "Recommended"),
        ("#points", "Table"),
        ("#maps", "Views"),
        ("#all", "Everything else"),
    )
    return element(
        "nav",
        *(element("a", word, href=where) for where, word in links),
        element("button", "dark or light", type="button", id="theme", class_="js"),
        aria_label="Sections",
    )


def _choosing(sweep: Sweep, told: list[dict[str, str]], here: int, chart: Chart) -> Html:
    """The slider, what it tells, and the curves; without code the recommended point is told."""
    words = _words(sweep)
    refusing = sweep.kind == "refusal"
    shown = told[here]["rejection_rate" if refusing else "threshold"]
    slider = element(
        "div",
        element("label", "Share refused" if refusing else "Threshold", for_="slider"),
        Html(
            f'<input type="range" id="slider" min="0" max="{len(told) - 1}" step="1" value="{here}" '
            f'aria-valuetext="{shown}" aria-describedby="told">'
        ),
        element("output", shown, id="shown", for_="slider"),
        element("button", "back to the best", type="button", id="back"),
        class_="slide js",
    )
    numbers = [
        element("div", element("dt", term(name, word)), element("dd", told[here][name], data_told=name))
        for name, word in words.items()
    ]
    note = (
        "Refusing more makes the answers that are left more reliable, and tells less of the truth." if refusing else ""
    )
    return element(
        "section",
        element("h2", "Refusing the doubtful ones" if refusing else "Choosing a threshold"),
        element("p", note, class_="note") if note else Html(""),
        slider,
        element("p", told[here]["text"], id="told", class_="told", aria_live="polite"),
        element("div", element("dl", *numbers, class_="numbers"), chart.drawn(0, here), class_="beside"),
        id="choose",
    )


def _everything(sweep: Sweep, choices: Sequence[Choice], unit: Units, made: Making) -> Html:
    items = [
        f"{plain_label(sweep.rule)}; {sweep.distinct:,} distinct thresholds, {len(sweep):,} operating points.",
        "Held out: ten parts, each judged at the threshold that the other nine choose, scored as one table. The "
        "interval is the spread of the same over samples drawn again.",
        "“Captured” is the mutual information of truth and output as a share of the truth's entropy; a refusal is an "
        "answer of its own, so refusing at random captures nothing.",
    ]
    for name, value in sweep.areas.items():
        scale, named = (unit.per_bit, f" {unit.name}") if name == "average_information" else (1.0, "")
        items.append(f"{AREAS[name][0].upper()}{AREAS[name][1:]}: {value * scale:.4f}{named}.")
    items += [left_out(rows, plain_label(why)) for why, rows in sweep.ignored.items()]
    names = [*_words(sweep), *(choice.criterion for choice in choices), "false_information_ratio"]
    return element(
        "section",
        element("h2", "Everything else"),
        definitions(names),
        element(
            "details",
            element("summary", "Method and limits"),
            element("ul", *(element("li", item) for item in items), *made.items({"operating points": sweep.data_hash})),
            id="method",
        ),
        element("p", class_="js", id="downloads"),
        id="all",
    )


def _data(  # noqa: PLR0917 - what the slider and the saved curve need
    sweep: Sweep,
    curves: dict[str, NDArray[np.float64]],
    told: list[dict[str, str]],
    places: NDArray[np.int64],
    here: int,
    drawn: list[Chart],
) -> dict[str, Any]:
    plain = {name: [float(v) if np.isfinite(v) else None for v in values] for name, values in curves.items()}
    return {
        "told": told,
        "points": places.tolist(),
        "best": here,
        "shown": "rejection_rate" if sweep.kind == "refusal" else "threshold",
        "charts": [
            [[None if p is None else [round(p[0], 1), round(p[1], 1)] for p in curve] for curve in chart.dots]
            for chart in drawn
        ],
        "curve": rounded(plain),
    }
