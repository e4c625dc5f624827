"""What the numbers mean: meaning, formula and source of each metric, one click away."""

from __future__ import annotations

from collections.abc import Iterable

from infoscope.cards import Card, catalogue, find
from infoscope.report.html.elements import Html, element
from infoscope.report.html.formulas import formula

__all__ = ["definitions", "known_card", "term"]


def known_card(name: str) -> Card | None:
    """The card of a metric; None for what is none, as a user's own costs."""
    return find(name).card if name in catalogue else None


def term(name: str, word: str) -> Html:
    """A word that leads to its definition, where there is one."""
    return element("a", word, href=f"#def-{name}", class_="term") if name in catalogue else element("span", word)


def definitions(names: Iterable[str]) -> Html:
    """A fold with an entry for each metric of these that is known."""
    entries = []
    for name in dict.fromkeys(names):
        if name not in catalogue:
            continue
        card = catalogue[name]
        better = {"higher": "higher is better", "lower": "lower is better", "none": ""}[card.better]
        facts = [part for part in (card.symbol, better, "" if card.unit == "ratio" else card.unit) if part]
        undefined = "" if card.undefined == "never" else f" Undefined when: {card.undefined}."
        entries.append(
            element(
                "div",
                element("dt", card.title, " ", element("span", formula(card.formula), class_="formula")),
                element(
                    "dd",
                    f"{card.meaning} ({', '.join(facts)}).{undefined} ",
                    element("span", card.reference, class_="dim"),
                ),
                id=f"def-{name}",
            )
        )
    return element(
        "details",
        element("summary", "What the numbers mean"),
        element("dl", *entries, class_="definitions"),
        id="definitions",
    )
