"""Tables of a sweep's page: the recommended thresholds, and points along the curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from infoscope.operating_points import Choice, Sweep
from infoscope.report.html.definitions import known_card, term
from infoscope.report.html.elements import Html, element, scrolled
from infoscope.report.numbers import Units, share

__all__ = ["points_table", "recommended", "written"]

ROWS = 21
"""Points in the table, beside the best."""


def written(name: str, value: float) -> str:
    """A number of the curve as a reader sees it.

    >>> written("recall", 0.957), written("threshold", 0.471593), written("threshold", float("inf"))
    ('95.7%', '0.4716', '∞')
    """
    if np.isnan(value):
        return "–"
    if name == "threshold":
        return ("∞" if value > 0 else "−∞") if np.isinf(value) else f"{value:.4g}".replace("-", "−")
    return share(float(value))


def recommended(choices: Sequence[Choice], unit: Units) -> Html:
    """Each criterion with its threshold, where that may fall, and what it is worth on samples held out."""
    level = f"{choices[0].level:.0%}"
    titles = ("best by", "threshold", "may fall", "here", "held out", f"{level} range")
    rows = [_choice_row(choice, unit) for choice in choices]
    return element(
        "section",
        element("h2", "Recommended " + ("thresholds" if len(choices) > 1 else "threshold")),
        element(
            "p",
            "“Here” is on the samples that made the choice, and flatters it; “held out” is on samples that did not. "
            "“May fall” is where the choice lands when the samples are drawn again.",
            class_="note",
        ),
        scrolled(
            element(
                "table",
                element("caption", "Recommended thresholds", class_="sr"),
                element("thead", _head(titles)),
                element("tbody", *rows),
                class_="values tool",
            ),
            "Recommended thresholds",
        ),
        id="best",
    )


def _head(titles: Sequence[str]) -> Html:
    return element(
        "tr", *(element("th", title, scope="col", class_="n" if at else None) for at, title in enumerate(titles))
    )


def _choice_row(choice: Choice, unit: Units) -> Html:
    card = known_card(choice.criterion)
    name = card.title if card is not None else "Expected cost"
    scale = unit.per_bit if card is not None and card.unit == "bits" else 1.0
    ratio = card is not None and card.unit == "ratio" and card.range == (0, 1)

    def number(value: float) -> str:
        return "–" if np.isnan(value) else share(value) if ratio else f"{scale * value:.4g}"

    ends = sorted((choice.threshold_low, choice.threshold_high))
    falls = "–" if np.isnan(ends).any() else " – ".join(written("threshold", end) for end in ends)
    cells = (
        written("threshold", choice.threshold),
        falls,
        number(choice.value),
        number(choice.held_out),
        "–" if np.isnan(choice.low) else f"{number(choice.low)} – {number(choice.high)}",
    )
    return element(
        "tr",
        element("th", term(choice.criterion, name), scope="row"),
        *(element("td", cell, class_="n strong" if at == 0 else "n") for at, cell in enumerate(cells)),
    )


def points_table(
    sweep: Sweep,
    choice: Choice,
    words: Mapping[str, str],
    curves: Mapping[str, NDArray[np.float64]],
    places: NDArray[np.int64],
) -> Html:
    """Some points of the curve, evenly spread, with the best among them."""
    some = np.unique(np.linspace(0, len(places) - 1, min(ROWS, len(places))).astype(np.int64))
    best = int(np.flatnonzero(places == choice.point)[0])
    chosen = np.union1d(some, [best])
    rows = []
    for at in chosen:
        point = int(places[at])
        cells = [element("td", written(name, curves[name][point]), class_="n") for name in list(words)[1:]]
        first = element("button", written("threshold", curves["threshold"][point]), type="button", class_="pick")
        mark = element("td", "best" if at == best else "", class_="strong")
        rows.append(
            element(
                "tr",
                element("th", first, scope="row"),
                *cells,
                mark,
                data_at=int(at),
                class_="best" if at == best else None,
            )
        )
    head = element(
        "tr",
        *(element("th", word, scope="col", class_="n" if at else None) for at, word in enumerate(words.values())),
        element("td"),
    )
    return element(
        "section",
        element("h2", "Operating points"),
        element("p", "Touch a threshold to move the slider there.", class_="note js"),
        scrolled(
            element(
                "table",
                element("caption", f"Operating points: {sweep.rule}", class_="sr"),
                element("thead", head),
                element("tbody", *rows),
                class_="values tool points",
            ),
            "Operating points",
        ),
        id="points",
    )
