"""An outline as one page that opens offline, with or without JavaScript."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from infoscope import __version__
from infoscope.core.markup import Html, element, joined
from infoscope.figures.layout import plain_label, shortened
from infoscope.metrics.registry import Card, all_metrics
from infoscope.reports.html.blocks import block, phrase, section, term
from infoscope.reports.html.elements import label
from infoscope.reports.html.embedding import embedded
from infoscope.reports.html.formulas import formula
from infoscope.reports.html.shell import code_of, page
from infoscope.reports.outline import Appendix, Outline, Section, Tile
from infoscope.reports.phrases import Phrase, plain
from infoscope.results.provenance import Provenance
from infoscope.tables.missing import left_out

MAX_FINDINGS = 6
"""Findings beside the headline; the others follow in their own section."""
MAX_HASHES = 40
MAX_LINK = 60


def as_html(outline: Outline) -> str:
    """The whole page as text."""
    sections = [part for part in outline.sections if part.only != "plain"]
    body = element(
        "main",
        _header(outline),
        navigation([*sections, Section("Everything else", (), "all")]),
        *map(section, sections),
        appendix(outline),
    )
    data = [embedded(content, name) for name, content in outline.data.items()]
    scripts = filter(None, (outline.script, "downloads.js"))
    return page(outline.title, code_of(*scripts), body, *data)


def _header(outline: Outline) -> Html:
    return element(
        "header",
        element("p", joined(map(phrase, outline.kicker), " · "), class_="kicker"),
        element(
            "div",
            element(
                "div",
                element(
                    "h1", phrase(outline.headline), class_="sentence" if len(plain(outline.headline)) > 90 else None
                ),
                element("p", joined(map(phrase, outline.lede), " "), class_="lede") if outline.lede else Html(""),
                findings_list(outline, MAX_FINDINGS),
            ),
            element("div", *map(block, outline.hero), tiles(outline.tiles)),
            class_="hero",
        ),
    )


def findings_list(outline: Outline, most: int | None = None) -> Html:
    """Findings as a list, warnings first, each after the name of what it is about."""
    ranked = sorted(outline.findings, key=lambda item: not item[1].is_warning)[:most]
    items = [
        element("li", joined((element("b", label(name, 30)), ": ")) if name else "", element("bdi", finding.text))
        for name, finding in ranked
    ]
    return element("ul", *items, class_="findings") if items else Html("")


def tiles(items: Sequence[Tile]) -> Html:
    """The few numbers that everybody sees."""
    return element("ul", *map(_tile, items), class_="tiles") if items else Html("")


def _tile(tile: Tile) -> Html:
    word = term(tile.metric, plain(tile.word)) if tile.metric else element("span", phrase(tile.word))
    sample = f"{tile.sample} in this sample" if tile.sample else ""
    texts = (tile.interval, sample, plain_label(plain(tile.note)))
    beside = [element("span", text, class_="dim") for text in texts if text]
    return element("li", element("b", tile.number), word, *beside)


def navigation(sections: Sequence[Section]) -> Html:
    """Links to the sections that have an anchor, and the choice of the theme."""
    links = [
        element("a", shortened(part.link or plain(part.heading), MAX_LINK), href=f"#{part.anchor}")
        for part in sections
        if part.anchor
    ]
    theme = element("button", "theme", type="button", id="theme", class_="js", aria_label="Light or dark theme")
    return element("nav", *links, theme, aria_label="Sections")


def appendix(outline: Outline) -> Html:
    """Everything else: the sections of the appendix, definitions, method and provenance, downloads."""
    folded = [replace(part, folded=True) for part in outline.appendix.sections]
    return element(
        "section",
        element("h2", "Everything else"),
        *map(section, folded),
        _definitions(outline.appendix),
        _method(outline),
        element("p", class_="js", id="downloads"),
        id="all",
    )


def _definitions(part: Appendix) -> Html:
    cards = {entry.name: entry.card for domain in ("table", part.domain) for entry in all_metrics(domain)}
    entries = [_definition(name, cards[name]) for name in dict.fromkeys(part.metrics) if name in cards]
    if not entries:
        return Html("")
    inside = element("dl", *entries, class_="definitions")
    return element("details", element("summary", "What the numbers mean"), inside, id="definitions")


@cache
def _definition(name: str, card: Card) -> Html:
    better = {"higher": "higher is better", "lower": "lower is better", "none": ""}[card.better]
    facts = [part for part in (card.symbol, better, "" if card.unit == "ratio" else card.unit) if part]
    undefined = "" if card.undefined == "never" else f" Undefined when: {card.undefined}."
    words = f"{card.meaning} ({', '.join(facts)}).{undefined} "
    return element(
        "div",
        element("dt", card.title, " ", element("span", formula(card.formula), class_="formula")),
        element("dd", words, element("span", card.reference, class_="dim")),
        id=f"def-{name}",
    )


def _method(outline: Outline) -> Html:
    sentences: list[Phrase] = [*outline.appendix.method, *outline.footnotes]
    items = [element("li", phrase(item)) for item in sentences]
    items += [
        element("li", left_out(item.rows, ""), element("bdi", plain_label(item.reason)))
        for item in outline.provenance.ignored
    ]
    items += _provenance(outline.provenance)
    return element("details", element("summary", "Method and limits"), element("ul", *items), id="method")


def _moment(made: str) -> str:
    """A time in UTC as people write it; what is not one, as it is."""
    return f"{made[:10]} at {made[11:16]} UTC" if made.endswith("Z") and len(made) == 20 else plain_label(made)


def _provenance(provenance: Provenance) -> Iterator[Html]:
    if provenance.command is not None:
        yield element("li", "Made by ", element("code", provenance.command, class_="command"))
    if provenance.made is not None:
        run = () if provenance.run is None else (", run ", label(provenance.run, 60))
        yield element("li", f"Made on {_moment(provenance.made)}", *run)
    yield element(
        "li", f"Written by infoscope {__version__}. The page loads nothing from any network and stores nothing."
    )
    if provenance.hashes:
        listed = [
            element("div", element("dt", label(name, 40)), element("dd", element("code", found)))
            for name, found in list(provenance.hashes.items())[:MAX_HASHES]
        ]
        why = "Equal labels and counts have equal hashes, in whatever order the rows were read:"
        yield element("li", why, element("dl", *listed, class_="hashes"))
