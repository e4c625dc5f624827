"""Write an outline as one page that opens anywhere, offline, with or without JavaScript.

``render_html`` is called by ``reports/render.py``. Below it, in the order of the page: header, sections and blocks,
tables and cells, the appendix with the definitions of metrics; then formulas, data embedded for the page's code, and
the shell with its content policy. Parts that a script moves are drawn by ``evaluation.py`` and ``slider.py`` beside
the scripts of the same name. The local explorer draws its pages with the same shell, style and labels.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from infoscope import __version__
from infoscope.core.files import PAGE_MARK
from infoscope.core.markup import Html, element, join_markup, split_command, text
from infoscope.figures.layout import plain_label, shorten, shorten_names
from infoscope.figures.ledger import LedgerDisplay
from infoscope.figures.scene import DARK, LIGHT
from infoscope.figures.svg import svg
from infoscope.metrics.registry import Card, Domain, all_metrics, catalogue
from infoscope.reports.outline import (
    MAX_FINDINGS,
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Figure,
    Groups,
    InformationBar,
    Inline,
    Name,
    Outline,
    Paragraph,
    Phrase,
    Rest,
    Section,
    ShareBar,
    SideBySide,
    Strong,
    Table,
    Tile,
    Whisker,
    to_plain,
)
from infoscope.results.finding import Finding
from infoscope.results.notation import MetricNotation, format_share
from infoscope.tables.counting import describe_ignored
from infoscope.typing import Json

MAX_IN_SIGHT = 3
"""Sections below the headline up to which no links to them are needed."""
MAX_LARGE_HEADLINE = 110
MAX_STATEMENT = 90
"""Characters of a finding that are set as a statement where there is no other."""
MAX_DOTS = 5
"""Systems in a tile; all of them are compared below."""
MAX_HASHES = 40
MAX_LINK = 60
MAX_GROUP_BARS = 12
MAX_WRITTEN_ROWS = 60
"""Rows of a searchable table that are in the page as they are; the others are packed, and the search finds them."""
_EXPLORERS = {
    "systems": "evaluation:draw_systems",
    "compare": "evaluation:draw_comparison",
    "maps": "evaluation:draw_maps",
    "planes": "slider:draw_planes",
    "slider": "slider:draw_slider",
}
"""Module and function that draw the parts that a script moves."""


def render_html(outline: Outline) -> str:
    """Return the whole page as text."""
    opened = [part for part in outline.sections if part.only != "plain" and not part.folded]
    # a few sections are in sight; links lead to more of them
    links = [
        element("a", shorten(part.link or to_plain(part.heading), MAX_LINK), href=f"#{part.anchor}")
        for part in opened
        if part.anchor
    ]
    nav = element("nav", *links, aria_label="Sections") if len(links) > MAX_IN_SIGHT else Html("")
    body = element("main", _draw_header(outline), nav, *_draw_opened(outline, opened), _draw_folds(outline))
    data = [embed(content, name) for name, content in outline.data.items()]
    scripts = filter(None, (outline.script, "downloads.js"))
    return assemble_page(outline.title, join_scripts(*scripts), body, *data)


def _draw_header(outline: Outline) -> Html:
    theme = element("button", "theme", type="button", id="theme", class_="js", aria_label="Light or dark theme")
    kicker = element("p", join_markup(map(draw_phrase, outline.kicker), " · "), class_="kicker")
    is_long = len(to_plain(outline.headline)) > MAX_LARGE_HEADLINE
    lede = element("p", join_markup(map(draw_phrase, outline.lede), " "), class_="lede")
    tiles = element("ul", *map(_draw_tile, outline.tiles), class_="tiles")
    return element(
        "header",
        element("div", kicker, theme, class_="top"),
        element("h1", draw_phrase(outline.headline), class_="sentence" if is_long else None),
        lede if outline.lede else Html(""),
        *map(draw_block, outline.hero),
        tiles if outline.tiles else Html(""),
    )


def _draw_tile(tile: Tile) -> Html:
    """Draw a number with its interval; below it those of other systems, all on one scale, and what to compare with."""
    word = draw_term(tile.metric, to_plain(tile.word)) if tile.metric else element("span", draw_phrase(tile.word))
    interval = element("small", tile.interval) if tile.interval else Html("")
    parts = [element("div", element("b", tile.number), interval, class_="big")]
    first, *others = tile.systems or (None,)
    if first is not None:
        word = join_markup((word, element("em", _draw_dot(0), draw_label(first.name, 20))))
        ranked = list(enumerate(others[: MAX_DOTS - 1], 1))  # each keeps its dot
        sign = 1.0 if MetricNotation(tile.metric or "accuracy").lowest_first else -1.0
        ranked.sort(key=lambda item: (item[1].value is None, sign * (item[1].value or 0.0)))
        for place, system in ranked:
            about = element("span", system.interval, class_="dim")
            name = draw_label(system.name, 20)
            parts.append(element("p", _draw_dot(place), name, element("b", system.number), about, class_="rival"))
        if len(tile.systems) > MAX_DOTS:
            parts.append(element("p", f"and {len(tile.systems) - MAX_DOTS:,} more, compared below", class_="base"))
        parts.append(_draw_scale(tile))
    if tile.bar is not None:
        parts.append(draw_share_line(tile.bar))
    note = to_plain(tile.note)
    sample = f"in this sample {tile.sample}" if tile.sample and note and tile.sample not in note else ""
    mark = Html('<i class="mark"></i>') if tile.systems and tile.baseline is not None else Html("")
    for words in filter(None, (plain_label(to_plain(tile.comparison)), sample)):
        parts.append(element("p", mark, words, class_="base"))
        mark = Html("")
    return element("li", element("div", word, class_="word"), *parts)


def _draw_dot(place: int) -> Html:
    return element("i", class_=f"dot c{place}")


def _draw_scale(tile: Tile) -> Html:
    """Draw the systems as dots with their intervals on a scale from 0 to 1, the first on top."""
    marks = []
    if tile.baseline is not None:
        marks.append(element("u", style=f"left:{100 * tile.baseline:.1f}%"))
    for place, system in reversed(list(enumerate(tile.systems[:MAX_DOTS]))):
        if system.low is not None and system.high is not None:
            width = 100 * (system.high - system.low)
            marks.append(element("i", class_=f"c{place}", style=f"left:{100 * system.low:.1f}%;width:{width:.1f}%"))
        if system.value is not None:
            marks.append(element("b", class_=f"c{place}", style=f"left:{100 * system.value:.1f}%"))
    return element("span", *marks, class_="axis", aria_hidden="true")


def draw_share_line(bar: InformationBar) -> Html:
    """Draw captured, missed and false information as a thin line with its words."""
    truth = bar.captured + bar.missed
    if not truth:
        return Html("")
    captured, false = bar.shares or (bar.captured / truth, bar.false / truth)
    shares = {"captured": captured, "missed": 1.0 - captured, "false": false}
    parts = [
        element("i", class_=f"b-{role}", style=f"flex-grow:{max(share, 0.0):.4f}") for role, share in shares.items()
    ]
    words = " · ".join(f"{role} {format_share(share)}" for role, share in shares.items())
    line = element("span", *parts, class_="shares", aria_hidden="true")
    return join_markup((line, element("p", words, class_="base")))


# What to do -----------------------------------------------------------------------------------------------------------


def draw_findings(findings: Sequence[tuple[str, Finding]], heading: str = "What to do", level: int = 2) -> Html:
    """Draw what to do: what was seen and why it matters, and what to type."""
    if not findings:
        return Html("")
    items = []
    for name, finding in findings[:MAX_FINDINGS]:
        about = join_markup((draw_label(name, 30), ": ")) if name else Html("")
        lead, rest = _split_finding(finding)
        strong = element("strong", about, element("bdi", lead)) if name or lead else Html("")
        words = [element("span", word) for word in split_command(finding.command)]
        command = element("code", join_markup(words, " "), class_="cmd") if words else Html("")
        items.append(element("li", strong, element("p", element("bdi", rest)) if rest else Html(""), command))
    return element("div", element(f"h{level}", heading), element("ol", *items, class_="do"), class_="advice")


def _split_finding(finding: Finding) -> tuple[str, str]:
    """Split a finding into a short statement and the rest; where it begins at length, the statement is what to do."""
    found = re.match(r"(.{8,70}?)[.:;] (?=\S)", finding.text)
    if found is None or found[1].count("'") % 2:
        return (
            ("", finding.text)
            if len(finding.text) > MAX_STATEMENT and not finding.action
            else (finding.action or finding.text, finding.text if finding.action else "")
        )
    rest = finding.text[found.end() :]
    names = tuple(name for name in (finding.system, *finding.evidence.values()) if name and isinstance(name, str))
    return f"{found[1]}.", rest if rest.startswith(names) else rest[:1].upper() + rest[1:]


def _draw_opened(outline: Outline, sections: Sequence[Section]) -> Iterator[Html]:
    """Draw the sections in sight, and what to do beside the one that leaves room for it, or below all of them."""
    advice = draw_findings(outline.findings, outline.advice_heading)
    for part in sections:
        drawn = _draw_section(part)
        if part.advice == "beside" and advice:
            drawn = element("div", drawn, element("section", advice), class_="two sides")
        if part.advice:
            advice = Html("")
        yield drawn
    if advice:
        yield element("section", advice)


# Words ----------------------------------------------------------------------------------------------------------------


def draw_phrase(words: Phrase) -> Html:
    """Draw words as markup: names from the data are isolated and cut, terms lead to their definitions."""
    return join_markup(map(_draw_inline, words)) if isinstance(words, tuple) else _draw_inline(words)


def _draw_inline(part: Inline) -> Html:
    if isinstance(part, str):
        # control characters, and letters that are written from right to left, must not turn the text around them
        is_foreign = not part.isascii() and (not part.isprintable() or _RIGHT_TO_LEFT.search(part) is not None)
        return element("bdi", plain_label(part)) if is_foreign else text(part)
    if isinstance(part, Name):
        return draw_label(part.text, part.most, part.short)
    if isinstance(part, Strong):
        return element("b", draw_label(part.text, 48))
    if isinstance(part, Code):
        return element("code", part.text)
    if isinstance(part, Rest):
        return text(part.text)
    return draw_term(part.metric, part.text)


_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")


def draw_term(metric: str, word: str) -> Html:
    """Draw a word that leads to its definition, where there is one."""
    is_defined = metric in catalogue or any(
        entry.name == metric for domain in _OTHER_DOMAINS for entry in all_metrics(domain)
    )
    return element("a", word, href=f"#def-{metric}", class_="term") if is_defined else element("span", word)


_OTHER_DOMAINS: tuple[Domain, ...] = ("label_sets", "tracks")


def draw_label(name: object, most: int = 32, short: str = "") -> Html:
    """Draw a name from the data: isolated from the direction of the text around it, cut where it is very long."""
    full, shown = plain_label(name), short or shorten(name, most)
    return element("bdi", shown, title=full if full != shown else None)


def wrap_scrolling(inside: Html, name: str) -> Html:
    """Put a wide element into a region of its own that scrolls, also by keyboard."""
    return element("div", inside, class_="scroll", tabindex="0", role="region", aria_label=name)


# Sections and blocks --------------------------------------------------------------------------------------------------

_TOO_WIDE_FOR_A_PHONE = ("series", "matrices")
"""Styles of figures that keep their size there and scroll; of a series the newest is in sight."""


def _draw_section(part: Section, level: int = 2) -> Html:
    """Draw a section with its heading; a folded one as a fold."""
    heading = to_plain(part.heading)
    inside = [
        _draw_section(item, level + 1) if isinstance(item, Section) else draw_block(item, level + 1, heading)
        for item in part.blocks
    ]
    aside = element("small", f" {part.aside}", class_="dim") if part.aside else Html("")
    if part.folded:
        summary = element("summary", draw_phrase(part.heading), aside)
        return element("details", summary, *inside, id=part.anchor or None)
    title = element(f"h{min(level, 4)}", draw_phrase(part.heading), aside) if part.heading else Html("")
    return element("section" if level == 2 else "div", title, *inside, id=part.anchor or None)


def draw_block(part: Block, level: int = 4, within: str = "") -> Html:
    """Draw any block; ``level`` is that of a heading inside it, ``within`` the heading above it."""
    if isinstance(part, Table):
        return _draw_table(part, level, within)
    if isinstance(part, Figure):
        caption = element("figcaption", draw_phrase(part.caption)) if part.caption else Html("")
        note = element("p", draw_phrase(part.note), class_="note") if part.note else Html("")
        drawn = Html(svg(part.panel))
        if part.style in _TOO_WIDE_FOR_A_PHONE:
            drawn = wrap_scrolling(drawn, part.panel.title)
        return join_markup((element("figure", caption, drawn, class_=part.style), note))
    if isinstance(part, InformationBar):
        if not part.missed + part.captured + part.false > 0:
            return Html("")
        ledger = LedgerDisplay(part.missed, part.captured, part.false, part.unit, part.shares)
        return element("figure", Html(svg(ledger.panel())), class_="wide")
    if isinstance(part, Paragraph):
        return element("p", draw_phrase(part.phrase), class_="note" if part.quiet else None)
    if isinstance(part, Bullets):
        return element("ul", *(element("li", draw_phrase(item)) for item in part.shown)) if part.items else Html("")
    if isinstance(part, SideBySide):
        sides = [
            element("div", *(draw_block(item, level, within) for item in side))
            for side in (part.left, part.right)
            if side
        ]
        return element("div", *sides, class_="two")
    module, _, function = _EXPLORERS[part.name].partition(":")
    return Html(getattr(importlib.import_module(f"infoscope.reports.html.{module}"), function)(part.content))


# Tables ---------------------------------------------------------------------------------------------------------------

_CLASSES = {"name": None, "number": "n", "text": None, "bar": "b", "whisker": "track"}
_OPENED = {kind: "<td>" if style is None else f'<td class="{style}">' for kind, style in _CLASSES.items()}


def _draw_table(table: Table, level: int, within: str) -> Html:
    """Draw a table; one that can be searched is also sorted and copied by the page's script."""
    shown = [place for place, column in enumerate(table.columns) if column.only != "plain"]
    columns = [table.columns[place] for place in shown]
    heads = []
    for place, column in enumerate(columns):
        style = _CLASSES[column.kind] if place else None  # names of rows stand at the left, numbers too
        if column.title and column.kind != "whisker":
            word = draw_term(column.metric, column.title) if column.metric else draw_phrase(column.title)
            heads.append(element("th", word, scope="col", class_=style))
        else:  # the ends of a scale are nothing to sort by
            heads.append(element("td", draw_phrase(column.title), class_=style))
    short = _shorten_names_of(table)
    rows = [
        element(
            "tr",
            *(
                _name_cell(_draw_cell(_replace_names(row.cells[place], short), column, place == 0), column, table)
                for place, column in zip(shown, columns, strict=True)
            ),
            class_="best" if row.best else None,
            **{f"data_{name}": value for name, value in row.attributes.items()},
        )
        for row in table.lines
    ]
    written = rows if table.whole or not table.search else rows[:MAX_WRITTEN_ROWS]
    packed = left = Html("")
    if len(written) < len(rows):
        packed = embed(list(rows[len(written) :]), style="rows")
        hint = element("span", "; searching and sorting reach all of them", class_="js")
        left = element("p", f"The first {len(written)} of {len(rows):,} {table.search}", hint, ".", class_="note")
    inside = element(
        "table",
        element("caption", table.caption, class_="sr") if table.caption else Html(""),
        element("thead", element("tr", *heads), class_=None if table.header else "quiet"),
        element("tbody", *written),
        class_=" ".join(filter(None, (table.style, "stacks" * table.stacks, "tool" * bool(table.search)))),
        data_search=table.search or None,
    )
    title = element(f"h{min(level, 4)}", table.title) if table.title else Html("")
    note = element("p", draw_phrase(table.note), class_="note") if table.note else Html("")
    # screen readers call it by its caption, or else by the headings above it
    spoken = table.caption or ": ".join(filter(None, (within, table.title))) or "Table"
    scrolled = wrap_scrolling(join_markup((inside, packed)), spoken)
    return join_markup((title, scrolled, note) if table.style == "fix" else (title, note, left, scrolled))


def _name_cell(cell: Html, column: Column, table: Table) -> Html:
    """Tell a cell the title of its column where phones set the cells of a row below each other."""
    if not table.stacks or not column.title or column.kind == "whisker":
        return cell
    return Html(cell.replace("<td", f'<td data-head="{text(column.title)}"', 1))


def _shorten_names_of(table: Table) -> Mapping[Name, Name]:
    """Return the names of a table that would be cut alike, each with a text that tells it apart."""
    names: dict[int, dict[Name, None]] = {}
    for row in table.lines:
        for cell in row.cells:
            for part in cell if isinstance(cell, tuple) else (cell,):
                if isinstance(part, Name):
                    names.setdefault(part.most, {})[part] = None
    return {
        name: replace(name, short=short)
        for most, own in names.items()
        for name, short in zip(own, shorten_names([name.text for name in own], most), strict=True)
        if short != shorten(name.text, most)
    }


def _replace_names(cell: Cell, names: Mapping[Name, Name]) -> Cell:
    if not names:
        return cell
    if isinstance(cell, tuple):
        return tuple(names.get(part, part) if isinstance(part, Name) else part for part in cell)
    return names.get(cell, cell) if isinstance(cell, Name) else cell


def _draw_cell(cell: Cell, column: Column, first: bool) -> Html:
    if isinstance(cell, str) and not first:
        return Html(f"{_OPENED[column.kind]}{_draw_inline(cell)}</td>")
    if isinstance(cell, Groups):
        if cell.total > MAX_GROUP_BARS:
            return element("td", cell.text, class_="groups")
        # the letters, and a bar for each, which neighbouring rows continue
        bars = "".join(
            f'<rect class="f-series{member % 8}" fill="#5a6070" x="{10 * member}" width="5" height="100%"/>'
            for member in cell.members
        )
        size = 10 * cell.total
        drawn = Html(f'<svg class="alike" aria-hidden="true" width="{size}" height="20">{bars}</svg>')
        return element("td", drawn, cell.text, class_="groups", style=f"padding-left:{size + 4}px")
    if isinstance(cell, ShareBar):
        bar = Html(
            f'<svg class="bar" aria-hidden="true"><rect class="f-{cell.role}" '
            f'width="{100 * min(max(cell.part, 0.0), 1.0):.0f}%"/></svg>'
        )
        number = element("span", cell.text) if cell.text else Html("")
        return element("td", bar, number, class_="b" if cell.text else "track")
    if isinstance(cell, Whisker):
        return element("td", _draw_whisker(cell), class_="track")
    strong = isinstance(cell, Strong) and column.kind == "number"
    inside = cell.text if strong and isinstance(cell, Strong) else draw_phrase(cell)
    if first:
        return element("th", inside, scope="row")
    kind = " ".join(filter(None, (_CLASSES[column.kind], "strong" if strong else None)))
    return element("td", inside, class_=kind or None)


def _draw_whisker(cell: Whisker) -> Html:
    low, high = cell.scale

    def place(value: float) -> str:
        return f"{100 * (value - low) / ((high - low) or 1.0):.2f}%"

    marks = ""
    if cell.low is not None and cell.high is not None:
        marks += (
            f'<line class="s-ink" x1="{place(cell.low)}" x2="{place(cell.high)}" y1="10" y2="10" stroke="#16181d" '
            'stroke-width="2"/>'
        )
    if cell.value is not None:
        marks += (
            f'<circle class="f-accent s-ink" cx="{place(cell.value)}" cy="10" r="5" fill="#0068a8" stroke="#16181d"/>'
        )
    return Html(f'<svg class="whisk" aria-hidden="true" height="20">{marks}</svg>')


# Everything else: definitions, method, provenance ---------------------------------------------------------------------


def _draw_folds(outline: Outline) -> Html:
    """Draw what is folded: sections, more findings, definitions, method and provenance, the place for the downloads."""
    appendix = outline.appendix
    folds = [part for part in outline.sections if part.only != "plain" and part.folded]
    if others := (*outline.findings[MAX_FINDINGS:], *outline.minor_findings):
        items = [(f"{name}: " if name else "") + finding.text for name, finding in others]
        folds.append(Section("More findings", [Bullets(items)], "findings", aside=f"{len(others)} more"))
    cards = {entry.name: entry.card for domain in ("table", appendix.domain) for entry in all_metrics(domain)}
    entries = [_define_metric(name, cards[name]) for name in dict.fromkeys(appendix.metrics) if name in cards]
    definitions = Html("")
    if entries:
        inside = element("dl", *entries, class_="definitions")
        definitions = element("details", element("summary", "What the numbers mean"), inside, id="definitions")
    # how the numbers were made, which rows are left out, and where the page comes from
    provenance = outline.provenance
    method = [element("li", draw_phrase(item)) for item in (*outline.appendix.method, *outline.footnotes)]
    for ignored in provenance.ignored:
        method.append(element("li", describe_ignored(ignored.rows, ""), element("bdi", plain_label(ignored.reason))))
    if provenance.command is not None:
        method.append(element("li", "Made by ", element("code", provenance.command, class_="command")))
    if provenance.made is not None:
        made = provenance.made
        is_utc = made.endswith("Z") and len(made) == 20
        moment = f"{made[:10]} at {made[11:16]} UTC" if is_utc else plain_label(made)
        run = () if provenance.run is None else (", run ", draw_label(provenance.run, 60))
        method.append(element("li", f"Made on {moment}", *run))
    words = f"Written by infoscope {__version__}. The page loads nothing from any network and stores nothing."
    method.append(element("li", words))
    if provenance.hashes:
        hashes = [
            element("div", element("dt", draw_label(name, 40)), element("dd", element("code", digest)))
            for name, digest in list(provenance.hashes.items())[:MAX_HASHES]
        ]
        words = "Equal labels and counts have equal hashes, in whatever order the rows were read:"
        method.append(element("li", words, element("dl", *hashes, class_="hashes")))
    return element(
        "section",
        *(_draw_section(replace(part, folded=True)) for part in (*folds, *appendix.sections)),
        definitions,
        element("details", element("summary", "Method and limits"), element("ul", *method), id="method"),
        element("p", class_="js", id="downloads"),
        class_="folds",
        aria_label="Details",
        id="all",
    )


@cache
def _define_metric(name: str, card: Card) -> Html:
    better = {"higher": "higher is better", "lower": "lower is better", "none": ""}[card.better]
    facts = [part for part in (card.symbol, better, "" if card.unit == "ratio" else card.unit) if part]
    words = f"{card.meaning} ({', '.join(facts)}). "
    return element(
        "div",
        element("dt", card.title, " ", element("span", draw_formula(card.formula), class_="formula")),
        element("dd", words, element("span", card.reference, class_="dim")),
        id=f"def-{name}",
    )


# Formulas -------------------------------------------------------------------------------------------------------------

SIGNS = {
    "sum": "Σ",
    "mid": " | ",
    "cdot": "·",
    "le": " ≤ ",
    "times": " × ",
    "log": " log",
    "ln": "ln ",
    "max": "max",
    "min": "min",
    "chi": "χ",
    "varphi": "φ",
    "delta": "δ",
    "left": "",
    "right": "",
    "quad": " ",
}
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[{}^_]|\s+|[^\\{}^_\s]")


def draw_formula(tex: str) -> Html:
    r"""Draw the TeX of a card as a line of text with raised and lowered signs, for readers who do not know TeX.

    >>> draw_formula(r"\frac{I(T;S)}{H(T)}"), draw_formula(r"-\sum_{ij} p_{ij} \log_2 \frac{p_{ij}}{p_i}")
    ('I(T;S) / H(T)', '−Σ<sub>ij</sub> p<sub>ij</sub> log<sub>2</sub> (p<sub>ij</sub> / p<sub>i</sub>)')
    """
    shown, rest = _read_row(_TOKEN.findall(tex))
    assert not rest, tex
    return Html(re.sub(r"\s+", " ", shown).strip())


def _read_row(tokens: list[str]) -> tuple[str, list[str]]:
    """Read everything up to the end or a closing brace; return it with the tokens that are left."""
    out = ""
    while tokens and tokens[0] != "}":
        part, tokens = _read_atom(tokens)
        if part.startswith("\0"):  # a fraction beside other things stands in brackets
            after = next((token for token in tokens if not token.isspace()), "}")
            alone = not out.strip() and after in ("}", "=", ",")
            part = part[1:] if alone else f"({part[1:]})"
        out += part
    return out, tokens


def _read_argument(tokens: list[str]) -> tuple[str, list[str]]:
    while tokens and tokens[0].isspace():
        tokens = tokens[1:]
    if tokens[0] == "{":
        inside, rest = _read_row(tokens[1:])
        return inside, rest[1:]
    part, rest = _read_atom(tokens)
    return part.lstrip("\0"), rest


def _read_atom(tokens: list[str]) -> tuple[str, list[str]]:
    token, rest = tokens[0], tokens[1:]
    if token == "{":
        inside, rest = _read_row(rest)
        return inside, rest[1:]
    if token in "^_":
        inside, rest = _read_argument(rest)
        tag = "sup" if token == "^" else "sub"
        return f"<{tag}>{inside.strip()}</{tag}>", rest
    if not token.startswith("\\"):
        return ("−" if token == "-" else str(text(token))), rest
    name = token[1:]
    if name in ("frac", "binom"):
        one, rest = _read_argument(rest)
        other, rest = _read_argument(rest)
        fraction = f"\0{_bracket_sum(one)} / {_bracket_sum(other)}"
        return f"C({one}, {other})" if name == "binom" else fraction, rest
    if name == "sqrt":
        inside, rest = _read_argument(rest)
        return f"√{inside}" if inside.isalnum() else f"√({inside})", rest
    if name in ("mathrm", "text", "mathbf"):
        return _read_argument(rest)
    if len(name) == 1 and not name.isalpha():
        return " ", rest
    while rest and rest[0].isspace():  # as in TeX, a space ends the name of a sign
        rest = rest[1:]
    return SIGNS.get(name, name), rest


def _bracket_sum(part: str) -> str:
    """Return a numerator or denominator, in brackets where it is a sum or a product."""
    bare = re.sub(r"<su[bp]>.*?</su[bp]>", "", part.strip())
    return part.strip() if re.fullmatch(r"\w*\s?(\([^()]*\))?", bare) else f"({part.strip()})"


# Data for the page's code ---------------------------------------------------------------------------------------------

LEVEL = 9
DIGITS = 6
"""Significant digits of numbers: pages show four at most."""


def embed(data: Json, name: str | None = None, style: str | None = None) -> Html:
    """Write data as JSON, compressed by zlib, in base 64, into an element that code finds by name or style.

    Numbers are rounded to six digits. NaN and infinity are rejected: they cannot be written as JSON.
    """
    document = json.dumps(_round_numbers(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    packed = base64.b64encode(zlib.compress(document.encode("utf-8", "backslashreplace"), LEVEL)).decode("ascii")
    return element("script", Html(packed), type="application/zlib+base64", id=name, class_=style)


def _round_numbers(part: Json) -> Json:
    if isinstance(part, float):
        return float(f"{part:.{DIGITS}g}")
    if isinstance(part, Mapping):
        return {name: _round_numbers(inner) for name, inner in part.items()}
    if isinstance(part, (list, tuple)):
        return [_round_numbers(inner) for inner in part]
    return part


# The shell: one file that loads nothing, and runs no code but its own -------------------------------------------------

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def assemble_page(title: str, code: str, *body: Html) -> str:
    """Return a page that may run this code and no other; the code speaks through a tip and to screen readers."""
    digest = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")
    head = (
        Html(f'<meta charset="utf-8">{PAGE_MARK} {__version__}">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}; script-src \'sha256-{digest}\'">'),
        Html('<meta name="viewport" content="width=device-width,initial-scale=1">'),
        Html('<meta name="color-scheme" content="light dark">'),
        element("title", plain_label(title)),
        Html(f"<style>{read_style()}</style>"),
    )
    spoken = Html('<div id="tip" role="status" hidden></div><p id="announcement" class="sr" aria-live="polite"></p>')
    inside = join_markup((*body, spoken, Html(f"<script>{code}</script>")))
    return f"<!doctype html>{element('html', element('head', *head), element('body', inside), lang='en')}\n"


@cache
def join_scripts(*names: str) -> str:
    """Return modules as one program, after the one that all pages share; each of the others has a scope of its own."""

    def read_module(name: str) -> str:  # in one program what it imports is known
        return re.sub(r"^import [^;]*;\n|^export ", "", _read_file(name), flags=re.MULTILINE)

    inside = "".join(f"{{\n{read_module(name)}}}\n" for name in names)
    return f"(async () => {{\n'use strict';\n{read_module('common.js')}{inside}}})();\n"


@cache
def read_style() -> str:
    """Return the style of every page, with the colours of both themes for the roles of the pictures."""
    light = "".join(f"--{role}:{colour};" for role, colour in LIGHT.items())
    dark = "".join(f"--{role}:{colour};" for role, colour in DARK.items())
    roles = "".join(f".f-{role}{{fill:var(--{role})}}.s-{role}{{stroke:var(--{role})}}" for role in LIGHT)
    return (
        f":root{{{light}color-scheme:light}}"
        f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}color-scheme:dark}}}}"
        f":root[data-theme=dark]{{{dark}color-scheme:dark}}{roles}\n{_read_file('page.css')}"
    )


def _read_file(name: str) -> str:
    """Return a script or a style without indentation and lines of comments, which no page needs."""
    text = (files("infoscope.reports.html") / name).read_text(encoding="utf-8")
    text = re.sub(r"^ *(//.*\n)?", "", text, flags=re.MULTILINE)
    return re.sub(r"(?<=[{};,])\n", "", text).replace(": ", ":") if name.endswith(".css") else text
