"""Systems side by side: one row each, the best first, with the range it lies in."""

from __future__ import annotations

from collections.abc import Sequence

from infoscope.evaluation import Evaluation, SystemResult, Value
from infoscope.report.html.elements import Html, element, label, scrolled
from infoscope.report.html.verdict import ABSENT, interval
from infoscope.report.numbers import share
from infoscope.report.wording import remark

__all__ = ["compared", "interval_bar", "verdict_word"]


def compared(evaluation: Evaluation) -> Html:
    """The section; empty for a single system."""
    if len(evaluation.systems) < 2:
        return Html("")
    systems = evaluation.ranking
    best = systems[0]
    rows = [_row(evaluation, system, best) for system in systems]
    titles = (
        ("system", ""),
        ("", "track"),
        ("captured", "n"),
        ("range", "n"),
        ("false", "n"),
        ("accuracy", "n"),
        ("", ""),
    )
    head = element(
        "tr",
        *(
            element("th" if title else "td", title, scope="col" if title else None, class_=kind or None)
            for title, kind in titles
        ),
    )
    return element(
        "section",
        element("h2", "Compared with each other"),
        element(
            "p",
            "Dots are captured information, from 0 to 100%, best first"
            + ("; lines are credible ranges." if best.metrics.get("proficiency", ABSENT).low is not None else "."),
            class_="note",
            id="compare-note",
        ),
        element("div", class_="chooser js", id="choose"),
        scrolled(
            element(
                "table",
                element("caption", "Systems by captured information", class_="sr"),
                element("thead", head),
                element("tbody", *rows),
                class_="forest tool",
            ),
            "Systems",
        ),
        id="compare",
    )


def _row(evaluation: Evaluation, system: SystemResult, best: SystemResult) -> Html:
    value = system.metrics.get("proficiency", ABSENT)
    return element(
        "tr",
        element("th", element("button", label(system.title, 30), type="button", class_="pick"), scope="row"),
        element("td", interval_bar(value), class_="track"),
        element("td", share(value.value), class_="n strong"),
        element("td", interval(value), class_="n dim"),
        element("td", share(system.number("false_information_ratio")), class_="n"),
        element("td", share(system.number("accuracy")), class_="n"),
        element("td", _last(evaluation, system, best)),
        data_of=system.title,
    )


def _last(evaluation: Evaluation, system: SystemResult, best: SystemResult) -> str:
    pairs: Sequence[dict[str, object]] = (evaluation.comparison or {}).get("pairs", ())
    for pair in pairs:
        if {pair["a"], pair["b"]} == {system.name, best.name} and pair["metric"] in (
            "proficiency",
            "erroneous_information_ratio",
        ):
            sure = float(str(pair["probability_a_better"]))
            return verdict_word(sure if pair["a"] == system.name else 1.0 - sure)
    return remark(system)


def verdict_word(probability: float) -> str:
    """Better, worse or can't tell, by the probability of being better."""
    if probability >= 0.975:
        return "better"
    return "worse" if probability <= 0.025 else "can't tell"


def interval_bar(value: Value) -> Html:
    """A dot with its range on a scale from 0 to 1."""
    if value.value is None:
        return Html("")
    whisker = ""
    if value.low is not None and value.high is not None:
        low, high = (f"{100 * end:.2f}%" for end in (value.low, value.high))
        whisker = f'<line class="s-ink" x1="{low}" x2="{high}" y1="10" y2="10" stroke="#16181d" stroke-width="2"/>'
    grid = "".join(
        f'<line class="s-grid" x1="{at}%" x2="{at}%" y1="0" y2="20" stroke="#e1e5eb"/>' for at in (0, 25, 50, 75, 100)
    )
    dot = (
        f'<circle class="f-accent s-ink" cx="{100 * value.value:.2f}%" cy="10" r="5" fill="#0068a8" stroke="#16181d"/>'
    )
    return Html(f'<svg class="whisk" aria-hidden="true" width="100%" height="20">{grid}{whisker}{dot}</svg>')
