"""Elements of the reports' pages: names from the data, and wide things that scroll."""

from __future__ import annotations

from infoscope.core.markup import Html, element
from infoscope.figures.layout import plain_label, shortened


def scrolled(inside: Html, name: str) -> Html:
    """A wide element in a region of its own that scrolls, also by keyboard."""
    return element("div", inside, class_="scroll", tabindex="0", role="region", aria_label=name)


def label(name: object, most: int = 32) -> Html:
    """A name from the data: isolated from the direction of the text around it, cut where it is very long."""
    whole, shown = plain_label(name), shortened(name, most)
    return element("bdi", shown, title=whole if whole != shown else None)
