"""Systems side by side: one row each, the best first, with the range it lies in."""

from __future__ import annotations

from infoscope.evaluation import Evaluation, SystemResult, Value
from infoscope.figures.layout import plain_label
from infoscope.report.html.against import Gap, against
from infoscope.report.html.elements import Html, element, label, scrolled
from infoscope.report.html.verdict import ABSENT, interval
from infoscope.report.numbers import chance, share
from infoscope.report.wording import remark, told_apart

__all__ = ["compared", "difference", "interval_bar"]


TITLES = (
    ("system", ""),
    ("", "track"),
    ("captured", "n"),
    ("range", "n wide"),
    ("difference", "n wide gap"),
    ("P(better)", "n wide gap"),
    ("verdict", "gap verdict"),
    ("false", "n wide"),
    ("accuracy", "n wide"),
    ("note", "wide dim note"),
)
"""Columns and their kinds: what is a gap exists only against another system, a note where there is one to make."""


MOST_SAID = 8
"""Sentences about who can be told apart."""


def compared(evaluation: Evaluation) -> Html:
    """The section; empty for a single system."""
    if len(evaluation.systems) < 2:
        return Html("")
    systems = evaluation.ranking
    best_of = {_group(system): system for system in reversed(systems)}
    gaps = [against(evaluation, system, best_of[_group(system)]) for system in systems]
    told = {_group(system) for system, gap in zip(systems, gaps, strict=True) if gap is not None}
    shown = {"gap": bool(told), "note": any(map(remark, systems))}
    columns = [(title if all(shown.get(word, True) for word in kind.split()) else "", kind) for title, kind in TITLES]
    rows = [
        _row(system, gap, _best(system) if best_of[_group(system)] is system and _group(system) in told else "")
        for system, gap in zip(systems, gaps, strict=True)
    ]
    head = element(
        "tr",
        *(
            element("th" if title else "td", title, scope="col" if title else None, class_=kind or None)
            for title, kind in columns
        ),
    )
    note = ["Dots are captured information, from 0 to 100%, best first"]
    note += ["lines are credible ranges"] if systems[0].metrics.get("proficiency", ABSENT).low is not None else []
    reference = "the best of the same group" if systems[0].group else plain_label(systems[0].title)[:40]
    note += [f"differences, in points, are to {reference}, row by row"] if told else []
    return element(
        "section",
        element("h2", "Compared with each other"),
        element("p", "; ".join(note) + ".", class_="note", id="compare-note"),
        _told_apart(evaluation),
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


def _group(system: SystemResult) -> tuple[str, ...]:
    return tuple((system.group or {}).values())


def _best(system: SystemResult) -> str:
    return "best of its group" if system.group else "best"


def _told_apart(evaluation: Evaluation) -> Html:
    """Who can be told from whom, in words."""
    said = list(told_apart(evaluation))
    if not said:
        return Html("")
    more = [f"{len(said) - MOST_SAID} more groups: see the verdicts below."] if len(said) > MOST_SAID else []
    items = [element("li", element("bdi", plain_label(sentence))) for sentence in [*said[:MOST_SAID], *more]]
    return element("ul", *items, class_="remarks told-apart")


def _row(system: SystemResult, gap: Gap | None, otherwise: str) -> Html:
    value = system.metrics.get("proficiency", ABSENT)
    cells = (
        interval_bar(value),
        share(value.value),
        interval(value),
        "" if gap is None else difference(gap),
        "" if gap is None else chance(gap.better),
        otherwise if gap is None else gap.word,
        share(system.number("false_information_ratio")),
        share(system.number("accuracy")),
        remark(system),
    )
    kinds = ("track", "n strong", "n wide dim", *(kind for _, kind in TITLES[4:]))
    return element(
        "tr",
        element("th", element("button", label(system.title, 30), type="button", class_="pick"), scope="row"),
        *(element("td", cell, class_=kind) for cell, kind in zip(cells, kinds, strict=True)),
        data_of=system.title,
    )


def difference(gap: Gap) -> str:
    """A difference in points with half the width of its interval.

    >>> difference(Gap(-0.0631, 0.0178, 0.0, "worse"))
    '−6.3 ±1.8'
    """
    shown = f"{100 * gap.difference:+.1f}"
    return f"{'−' if shown.startswith('-') else '+'}{shown[1:]} ±{100 * gap.half_width:.1f}"


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
