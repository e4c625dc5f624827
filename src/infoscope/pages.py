"""Pages: headings, sentences, lists and tables, written as text, Markdown or HTML."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from infoscope.markup import Html, element, escape_markdown, joined, markdown_table
from infoscope.page_files import Paged
from infoscope.page_shell import html_page

__all__ = [
    "Bullets",
    "Grid",
    "Heading",
    "Page",
    "PageDocument",
    "Words",
    "as_html",
    "as_markdown",
    "as_text",
    "percent",
]

_NAME_WIDTH = 44
_LEAST_NAME = 18


@dataclass(frozen=True)
class Heading:
    """The title of what follows."""

    text: str


@dataclass(frozen=True)
class Words:
    """One paragraph."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """Sentences, one an item."""

    items: Sequence[str]


@dataclass(frozen=True)
class Grid:
    """A table whose first column names the rows; columns further right are dropped first where room is short."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1
    """How many columns hold names, to be read from the left; the rest are numbers."""


Block = Heading | Words | Bullets | Grid


@dataclass(frozen=True)
class Page:
    """A title and what it is about."""

    title: str
    blocks: Sequence[Block]


def percent(share: float | None) -> str:
    """A share for a person to read.

    >>> percent(0.24732), percent(None)
    ('24.7%', '–')
    """
    return "–" if share is None else f"{share:.1%}"


def as_text(page: Page, width: int = 100) -> str:
    """For a terminal: no line is wider than it, and no number is cut."""
    parts = [_wrapped(page.title, width)]
    for block in page.blocks:
        if isinstance(block, Heading):
            parts.append(f"\n{block.text}")
        elif isinstance(block, Words):
            parts.append(_wrapped(block.text, width))
        elif isinstance(block, Bullets):
            parts += [_wrapped(item, width, "  - ", "    ") for item in block.items]
        else:
            parts += _text_grid(block, width)
    return "\n".join(parts) + "\n"


def _wrapped(text: str, width: int, first: str = "", rest: str = "") -> str:
    lines, line = [], first
    for word in text.split(" "):
        trial = f"{line}{'' if line in (first, rest) else ' '}{word}"
        if _wide(trial) > width and line not in (first, rest):
            lines.append(line)
            line = rest + word
        else:
            line = trial
    return "\n".join([*lines, line])


def _wide(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def _cut(text: str, width: int) -> str:
    """A name that is too long loses its middle: ends tell names apart."""
    if _wide(text) <= width:
        return text
    tail = (width - 1) * 2 // 3
    return f"{text[: width - 1 - tail]}…{text[-tail:]}"


def _text_grid(grid: Grid, width: int) -> list[str]:
    """Names give way first, down to a width that still tells them apart; then the columns furthest right go."""
    table = [list(grid.header), *map(list, grid.rows)]
    wide = [max(_wide(row[at]) for row in table) for at in range(len(grid.header))]
    wide = [min(size, _NAME_WIDTH) if at < grid.names else size for at, size in enumerate(wide)]
    shown = len(wide)

    def excess() -> int:
        return 2 + sum(wide[:shown]) + 2 * (shown - 1) - width

    while excess() > 0 and max(wide[: grid.names]) > _LEAST_NAME:
        longest = wide.index(max(wide[: grid.names]))
        wide[longest] -= 1
    while excess() > 0 and shown > grid.names:
        shown -= 1
    cut = [[_cut(cell, wide[at]) if at < grid.names else cell for at, cell in enumerate(row)] for row in table]
    return [_text_row(row[:shown], wide, grid.names) for row in cut]


def _text_row(row: Sequence[str], wide: Sequence[int], names: int) -> str:
    padded = [
        cell + " " * (size - _wide(cell)) if at < names else " " * (size - _wide(cell)) + cell
        for at, (cell, size) in enumerate(zip(row, wide, strict=False))
    ]
    return ("  " + "  ".join(padded)).rstrip()


def as_markdown(page: Page) -> str:
    """For a merge request, an issue or a wiki."""
    parts = [f"# {escape_markdown(page.title)}", ""]
    for block in page.blocks:
        if isinstance(block, Heading):
            parts += [f"## {escape_markdown(block.text)}", ""]
        elif isinstance(block, Words):
            parts += [escape_markdown(block.text), ""]
        elif isinstance(block, Bullets):
            parts += [*(f"- {escape_markdown(item)}" for item in block.items), ""]
        else:
            parts += [markdown_table(block.header, block.rows, names=block.names), ""]
    return "\n".join(parts)


_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
div{overflow-x:auto}table{border-collapse:collapse;margin:.5rem 0}
th,td{padding:.2rem .6rem;text-align:right;border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent)}
.name{text-align:left}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
"""


def as_html(page: Page) -> str:
    """A page of its own: nothing is fetched, nothing runs."""
    return html_page(page.title, _html_body(page), style=_STYLE)


def _html_body(page: Page) -> Html:
    parts = [element("h1", page.title)]
    for block in page.blocks:
        if isinstance(block, Heading):
            parts.append(element("h2", block.text))
        elif isinstance(block, Words):
            parts.append(element("p", block.text))
        elif isinstance(block, Bullets):
            parts.append(element("ul", *(element("li", item) for item in block.items)))
        else:
            parts.append(_html_grid(block))
    return joined(parts, "\n")


def _html_grid(grid: Grid) -> Html:
    def line(row: Sequence[str], tag: str) -> Html:
        return element(
            "tr",
            *(
                element(
                    "th" if at == 0 else tag,
                    cell,
                    class_="name" if at < grid.names else None,
                    scope="row" if at == 0 and tag == "td" else None,
                )
                for at, cell in enumerate(row)
            ),
        )

    head = element("thead", line(grid.header, "th"))
    body = element("tbody", *(line(row, "td") for row in grid.rows))
    return element("div", element("table", head, body))


class PageDocument(Paged):
    """A result that shows itself as one page, in every form."""

    def _page(self) -> Page:
        """What there is to show."""
        raise NotImplementedError

    def to_text(self, *, width: int = 100) -> str:
        """As a terminal shows it."""
        return as_text(self._page(), width)

    def to_markdown(self) -> str:
        """For a merge request, an issue or a wiki."""
        return as_markdown(self._page())

    def _html(self) -> str:
        return as_html(self._page())

    def _repr_html_(self) -> str:
        """What the page shows, in a notebook's own style."""
        return element("div", _html_body(self._page()))
