"""Tables of a comparison's page: the ranking with its groups, every pair, the classical checks."""

from __future__ import annotations

from collections.abc import Sequence

from infoscope.cards import find
from infoscope.comparison import Comparison, Pair, Ranking
from infoscope.comparison.ranking import Place
from infoscope.figures.layout import plain_label
from infoscope.report.comparison import against, reference_of
from infoscope.report.html.elements import Html, element, joined, label, scrolled
from infoscope.report.numbers import chance, share

__all__ = ["checks_table", "pairs_table", "ranking_table", "told"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_BARS = 12


def told(metric: str, value: float, *, signed: bool = False) -> str:
    """A value or a difference of a metric: a share where it is one, else a number.

    >>> told("proficiency", 0.7072), told("proficiency", -0.0071, signed=True), told("erroneous_information_ratio", 1.1)
    ('70.7%', '−0.7', '1.100')
    >>> told("proficiency", -1e-9, signed=True)
    '0.0'
    """
    card = find(metric).card
    ratio = card.unit == "ratio" and card.range == (0, 1)
    if not signed:
        return share(value) if ratio else f"{value:.3f}"
    shown = f"{100 * value:+.1f}" if ratio else f"{value:+.3f}"
    return shown[1:] if float(shown) == 0.0 else shown.replace("-", "−")


def _table(name: str, titles: Sequence[tuple[str, str]], rows: Sequence[Html], **attributes: object) -> Html:
    head = element(
        "tr",
        *(
            element("th" if title else "td", title, scope="col" if title else None, class_=kind or None)
            for title, kind in titles
        ),
    )
    return scrolled(
        element(
            "table",
            element("caption", name, class_="sr"),
            element("thead", head),
            element("tbody", *rows),
            **attributes,
        ),
        name,
    )


def ranking_table(comparison: Comparison, ranking: Ranking) -> Html:
    """Best first; systems under one bar, or with one letter, cannot be told apart."""
    ends = [end for place in ranking.places for end in (place.low, place.high)]
    low, high = min(ends), max(ends)
    pad = 0.06 * (high - low) or 0.05
    groups = sorted({group for place in ranking.places for group in place.groups})
    rows = [_row(comparison, ranking, place, (low - pad, high + pad), groups) for place in ranking.places]
    titles = (
        ("system", ""),
        ("alike", "groups"),
        ("", "track"),
        ("mean", "n"),
        (f"{comparison.level:.0%} range", "n"),
        ("difference", "n"),
        ("P(better)", "n"),
        ("verdict", "verdict"),
        ("P(best)", "n"),
    )
    to = plain_label(reference_of(comparison, ranking))[:60]
    note = f"Systems beside one bar, or with one letter, cannot be told apart. Differences are to {to}"
    return joined(
        (
            element("p", element("bdi", f"{note}."), class_="note"),
            _table(f"Systems by {plain_label(comparison.titled(ranking.metric))}", titles, rows, class_="forest tool"),
        )
    )


def _row(
    comparison: Comparison, ranking: Ranking, place: Place, span: tuple[float, float], groups: Sequence[int]
) -> Html:
    reference = reference_of(comparison, ranking)
    pair = against(comparison, place.name, reference, ranking.metric)
    if place.name == reference:
        cells = ("", "", "baseline" if comparison.baseline else "best" if ranking.best == reference else "first")
    elif pair is None:
        cells = ("", "", "not compared")
    else:
        found = pair.result
        half = told(ranking.metric, (found.high - found.low) / 2, signed=True).lstrip("+")
        gap = f"{told(ranking.metric, found.difference, signed=True)} ±{half}"
        cells = (gap, chance(found.probability_a_better), pair.verdict)
    return element(
        "tr",
        element("th", label(place.name, 30), scope="row"),
        _bars(place, groups),
        element("td", _whisker(place, span), class_="track"),
        element("td", told(ranking.metric, place.mean), class_="n strong"),
        element("td", f"{told(ranking.metric, place.low)} – {told(ranking.metric, place.high)}", class_="n dim"),
        *(element("td", cell, class_=kind or None) for cell, kind in zip(cells, ("n", "n", "verdict"), strict=True)),
        element("td", chance(place.probability_best), class_="n"),
    )


def _bars(place: Place, groups: Sequence[int]) -> Html:
    """The letters of the groups that the system is in, and a bar for each, which neighbours continue."""
    letters = "".join(LETTERS[at % 26] for at, group in enumerate(groups) if group in place.groups)
    if len(groups) > MOST_BARS:
        return element("td", letters, class_="groups")
    rects = "".join(
        f'<rect class="f-series{at % 8}" fill="#5a6070" x="{10 * at}" width="5" height="100%"/>'
        for at, group in enumerate(groups)
        if group in place.groups
    )
    size = 10 * len(groups)
    drawn = Html(f'<svg class="alike" aria-hidden="true" width="{size}" height="20">{rects}</svg>')
    return element("td", drawn, letters, class_="groups", style=f"padding-left:{size + 4}px")


def _whisker(place: Place, span: tuple[float, float]) -> Html:
    def at(value: float) -> str:
        return f"{100 * (value - span[0]) / (span[1] - span[0]):.2f}%"

    return Html(
        '<svg class="whisk" aria-hidden="true" width="100%" height="20">'
        f'<line class="s-ink" x1="{at(place.low)}" x2="{at(place.high)}" y1="10" y2="10" stroke="#16181d" '
        'stroke-width="2"/>'
        f'<circle class="f-accent s-ink" cx="{at(place.mean)}" cy="10" r="5" fill="#0068a8" stroke="#16181d"/></svg>'
    )


def pairs_table(comparison: Comparison) -> Html:
    """Every pair in every metric."""
    rows = [_pair_row(comparison, pair) for pair in comparison.pairs]
    titles = (
        ("A", ""),
        ("B", ""),
        ("metric", ""),
        ("A − B", "n"),
        ("range", "n"),
        ("P(A better)", "n"),
        ("verdict", ""),
        ("less error", "n"),
        ("errors go together", "n"),
    )
    return element(
        "details",
        element("summary", f"All {len(rows)} pairs"),
        element(
            "p",
            "Less error: by what factor A's error is smaller. Errors go together: their correlation over common rows.",
            class_="note",
        ),
        _table("All pairs", titles, rows, class_="values tool", data_search="pairs"),
    )


def _pair_row(comparison: Comparison, pair: Pair) -> Html:
    found = pair.result
    factor = "" if pair.factor is None else f"{pair.factor.value:.2f}× ({pair.factor.low:.2f} – {pair.factor.high:.2f})"
    numbers = (
        told(pair.metric, found.difference, signed=True),
        f"{told(pair.metric, found.low, signed=True)} – {told(pair.metric, found.high, signed=True)}",
        chance(found.probability_a_better),
    )
    return element(
        "tr",
        element("th", label(pair.a, 24), scope="row"),
        element("td", label(pair.b, 24)),
        element("td", plain_label(comparison.titled(pair.metric))),
        *(element("td", cell, class_="n") for cell in numbers),
        element("td", pair.verdict),
        element("td", factor, class_="n"),
        element("td", f"{found.correlation:.2f}" if pair.paired else "unpaired", class_="n"),
    )


CHECKS = {
    "swap_p_value": "swap test",
    "mcnemar_p_value": "McNemar",
    "homogeneity_p_value": "homogeneity (G)",
}


def checks_table(comparison: Comparison) -> Html:
    """The tests of the textbooks beside the posterior; empty where none was run."""
    known = [name for name in CHECKS if any(name in pair.checks for pair in comparison.pairs)]
    exact = any(pair.exact is not None for pair in comparison.pairs)
    if not known and not exact:
        return Html("")
    rows = []
    for pair in comparison.pairs:
        cells = [_p_value(pair.checks[name]) if name in pair.checks else "–" for name in known]
        if exact:
            cells.append(
                "–" if pair.exact is None else "{:+.3f} ({:+.3f} – {:+.3f})".format(*pair.exact).replace("-", "−")
            )
        rows.append(
            element(
                "tr",
                element("th", label(pair.a, 24), scope="row"),
                element("td", label(pair.b, 24)),
                element("td", plain_label(comparison.titled(pair.metric))),
                *(element("td", cell, class_="n") for cell in cells),
            )
        )
    titles = [("A", ""), ("B", ""), ("metric", ""), *((CHECKS[name], "n") for name in known)]
    titles += [("information, bits", "n")] if exact else []
    return element(
        "details",
        element("summary", "Classical checks"),
        element(
            "p",
            "P-values: how often chance alone would part two equal systems so far. The swap test exchanges their "
            "answers row by row; McNemar's asks for accuracy alone. Information: what A tells more than B, with "
            "its exact interval.",
            class_="note",
        ),
        _table("Classical checks", titles, rows, class_="values tool", data_search="pairs"),
    )


def _p_value(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "<0.001"
