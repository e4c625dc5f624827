"""Systems side by side: one row each, the best first, with the interval it lies in."""

from __future__ import annotations

from infoscope.evaluation import Evaluation, SystemResult
from infoscope.figures.layout import plain_label
from infoscope.report.html.blocks import phrase
from infoscope.report.html.elements import Html, element, joined, label, scrolled
from infoscope.report.numbers import chance, interval_text, share
from infoscope.report.views.evaluation import ABSENT, difference_to, tied_systems
from infoscope.results.estimate import Difference, Estimate

__all__ = ["difference_text", "markup"]

TITLES = (
    ("system", ""),
    ("", "track"),
    ("captured", "n"),
    ("interval", "n wide"),
    ("difference", "n wide gap"),
    ("P(better)", "n wide gap"),
    ("verdict", "gap verdict"),
    ("false", "n wide"),
    ("accuracy", "n wide"),
    ("note", "wide dim note"),
)
"""Columns and their kinds: what is a gap exists only against another system, a note where there is one to make."""
MAX_TIED = 8
"""Sentences about systems without a significant difference."""


def markup(evaluation: Evaluation) -> Html:
    """The table with its note and the choice of metric."""
    systems = evaluation.ranking
    best_of = {_group(system): system for system in reversed(systems)}
    gaps = [
        None if best_of[_group(system)] is system else difference_to(evaluation, system, best_of[_group(system)])
        for system in systems
    ]
    compared = {_group(system) for system, gap in zip(systems, gaps, strict=True) if gap is not None}
    shown = {"gap": bool(compared), "note": any(map(_tag, systems))}
    columns = [(title if all(shown.get(word, True) for word in kind.split()) else "", kind) for title, kind in TITLES]
    rows = [
        _row(system, gap, _best(system) if best_of[_group(system)] is system and _group(system) in compared else "")
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
    note += ["lines are intervals"] if systems[0].metrics.get("proficiency", ABSENT).low is not None else []
    reference = "the best of the same group" if systems[0].group else plain_label(systems[0].title)[:40]
    note += [f"differences, in points, are to {reference}, paired by row"] if compared else []
    table = element(
        "table",
        element("caption", "Systems by captured information", class_="sr"),
        element("thead", head),
        element("tbody", *rows),
        class_="forest tool",
    )
    return joined(
        (
            element("p", "; ".join(note) + ".", class_="note", id="compare-note"),
            _tied(evaluation),
            element("div", class_="chooser js", id="choose"),
            scrolled(table, "Systems"),
        )
    )


def _tag(system: SystemResult) -> str:
    return next((finding.tag for finding in system.diagnosis if finding.tag), "")


def _group(system: SystemResult) -> tuple[str, ...]:
    return tuple((system.group or {}).values())


def _best(system: SystemResult) -> str:
    return "best of its group" if system.group else "best"


def _tied(evaluation: Evaluation) -> Html:
    """Which systems differ significantly, in words."""
    sentences = list(tied_systems(evaluation))
    if not sentences:
        return Html("")
    left = len(sentences) - MAX_TIED
    more = [f"{left} more groups: see the verdicts below."] if left > 0 else []
    items = [element("li", phrase(sentence)) for sentence in [*sentences[:MAX_TIED], *more]]
    return element("ul", *items, class_="remarks told-apart")


def _row(system: SystemResult, gap: Difference | None, otherwise: str) -> Html:
    value = system.metrics.get("proficiency", ABSENT)
    better = None if gap is None else gap.probability_a_better
    cells = (
        _whisker(value),
        share(value.shown),
        interval_text(value),
        "" if gap is None else difference_text(gap.estimate),
        "" if better is None else chance(better),
        otherwise if gap is None else gap.verdict,
        share(system.shown("false_information_ratio")),
        share(system.shown("accuracy")),
        _tag(system),
    )
    kinds = ("track", "n strong", "n wide dim", *(kind for _, kind in TITLES[4:]))
    return element(
        "tr",
        element("th", element("button", label(system.title, 30), type="button", class_="pick"), scope="row"),
        *(element("td", cell, class_=kind) for cell, kind in zip(cells, kinds, strict=True)),
        data_of=system.title,
    )


def difference_text(gap: Estimate) -> str:
    """A difference in points with half the width of its interval.

    >>> difference_text(Estimate(-0.06, -0.0631, 0.009, -0.0809, -0.0453))
    '−6.3 ±1.8'
    """
    shown = f"{100 * (gap.shown or 0.0):+.1f}"
    half = ((gap.high or 0.0) - (gap.low or 0.0)) / 2
    return f"{'−' if shown.startswith('-') else '+'}{shown[1:]} ±{100 * half:.1f}"


def _whisker(value: Estimate) -> Html:
    """A dot with its interval on a scale from 0 to 1."""
    if value.shown is None:
        return Html("")
    whisker = ""
    if value.low is not None and value.high is not None:
        low, high = (f"{100 * end:.2f}%" for end in (value.low, value.high))
        whisker = f'<line class="s-ink" x1="{low}" x2="{high}" y1="10" y2="10" stroke="#16181d" stroke-width="2"/>'
    grid = "".join(
        f'<line class="s-grid" x1="{at}%" x2="{at}%" y1="0" y2="20" stroke="#e1e5eb"/>' for at in (0, 25, 50, 75, 100)
    )
    dot = (
        f'<circle class="f-accent s-ink" cx="{100 * value.shown:.2f}%" cy="10" r="5" fill="#0068a8" stroke="#16181d"/>'
    )
    return Html(f'<svg class="whisk" aria-hidden="true" width="100%" height="20">{grid}{whisker}{dot}</svg>')
