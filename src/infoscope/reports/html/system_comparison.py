"""Systems side by side: one row each, the best first, with the interval it lies in."""

from __future__ import annotations

from infoscope.core.markup import Html, element, joined
from infoscope.figures.layout import plain_label
from infoscope.reports.html.blocks import phrase
from infoscope.reports.html.elements import label, scrolled
from infoscope.reports.parts.metric_choice import ChosenPlace, view_of_metric
from infoscope.reports.views.evaluation import tied_systems
from infoscope.results.notation import Units, format_share
from infoscope.studies.evaluate import Evaluation, SystemResult

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


def compared_systems(content: tuple[Evaluation, Units]) -> Html:
    """The table with its note and the choice of metric."""
    evaluation, unit = content
    systems = evaluation.ranking
    places = view_of_metric(evaluation, "proficiency", unit)
    compared = any(place.verdict for place in places)
    shown = {"gap": compared, "note": any(map(_tag, systems))}
    columns = [(title if all(shown.get(word, True) for word in kind.split()) else "", kind) for title, kind in TITLES]
    head = element(
        "tr",
        *(
            element("th" if title else "td", title, scope="col" if title else None, class_=kind or None)
            for title, kind in columns
        ),
    )
    note = ["Dots are captured information, from 0% to 100%, highest first"]
    note += ["lines are intervals"] if any(place.interval for place in places) else []
    reference = "the best of the same group" if systems[0].group else plain_label(systems[0].title)[:40]
    note += [f"differences, in points, are to {reference}, paired by row"] if compared else []
    table = element(
        "table",
        element("caption", "Systems by captured information", class_="sr"),
        element("thead", head),
        element("tbody", *(_row(system, place) for system, place in zip(systems, places, strict=True))),
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


def _tied(evaluation: Evaluation) -> Html:
    """Which systems differ significantly, in words."""
    sentences = list(tied_systems(evaluation))
    if not sentences:
        return Html("")
    left = len(sentences) - MAX_TIED
    more = [f"{left} more groups: see the verdicts below."] if left > 0 else []
    items = [element("li", phrase(sentence)) for sentence in [*sentences[:MAX_TIED], *more]]
    return element("ul", *items, class_="findings significance")


def _row(system: SystemResult, place: ChosenPlace) -> Html:
    cells = (
        _whisker(place),
        place.value,
        place.interval,
        place.difference,
        place.probability,
        place.verdict,
        format_share(system.shown("false_information_ratio")),
        format_share(system.shown("accuracy")),
        _tag(system),
    )
    kinds = ("track", "n strong", "n wide dim", *(kind for _, kind in TITLES[4:]))
    return element(
        "tr",
        element("th", element("button", label(system.title, 30), type="button", class_="pick"), scope="row"),
        *(element("td", cell, class_=kind) for cell, kind in zip(cells, kinds, strict=True)),
        data_of=system.title,
    )


def _whisker(place: ChosenPlace) -> Html:
    """A dot with its interval; both are there to be moved even where the first metric has none."""
    grid = "".join(
        f'<line class="s-grid" x1="{at}%" x2="{at}%" y1="0" y2="20" stroke="#e1e5eb"/>' for at in (0, 25, 50, 75, 100)
    )
    ends = 'visibility="hidden"' if place.low is None else f'x1="{place.low}%" x2="{place.high}%"'
    middle = 'visibility="hidden"' if place.at is None else f'cx="{place.at}%"'
    return Html(
        f'<svg class="whisk" aria-hidden="true" height="20">{grid}'
        f'<line class="s-ink" {ends} y1="10" y2="10" stroke="#16181d" stroke-width="2"/>'
        f'<circle class="f-accent s-ink" {middle} cy="10" r="5" fill="#0068a8" stroke="#16181d"/></svg>'
    )
