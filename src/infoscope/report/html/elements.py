"""Markup that cannot be broken by what it shows: text is escaped unless it is markup already."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from infoscope.figures.layout import plain_label, shortened

__all__ = ["Html", "element", "joined", "label", "scrolled", "text"]


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def element(tag: str, *children: object, **attributes: object) -> Html:
    """An element; ``class_`` is written ``class``, other underscores become hyphens, None and False are left out.

    >>> element("p", "1 < 2", element("b", "!"), class_="note")
    '<p class="note">1 &lt; 2<b>!</b></p>'
    """
    written = "".join(
        f" {name.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{tag}{written}>{joined(children)}</{tag}>")


def joined(parts: Iterable[object], between: str = "") -> Html:
    """Several pieces in a row."""
    return Html(between.join(text(part) for part in parts))


def text(part: object) -> Html:
    """A piece as markup."""
    return part if isinstance(part, Html) else Html(escape(str(part)))


def scrolled(inside: Html, name: str) -> Html:
    """A wide thing that scrolls by itself, also by keyboard."""
    return element("div", inside, class_="scroll", tabindex="0", role="region", aria_label=name)


def label(name: object, most: int = 32) -> Html:
    """A name from the data: isolated from the direction of the text around it, cut where it is very long."""
    whole, shown = plain_label(name), shortened(name, most)
    return element("bdi", shown, title=whole if whole != shown else None)
