"""Draw docs/pictures/architecture.svg: the whole package in one picture, every module in its layer.

``python -m tools.architecture`` (`make docs`). A test compares the modules with the layers that the build checks.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

__all__ = ["BANDS", "Band", "picture"]

TARGET = Path(__file__).parents[1] / "docs" / "pictures" / "architecture.svg"
WIDTH, LEFT, GAP, PADDING, LINE = 920, 20, 22, 12, 17
WRAP = 84


@dataclass(frozen=True)
class Band:
    """A step of the way from rows to a page, with the modules that take it."""

    title: str
    says: str
    modules: tuple[str, ...]
    colour: str

    @property
    def lines(self) -> list[str]:
        """The names of its modules, as wide as the box."""
        return textwrap.wrap(" · ".join(self.modules), WRAP)

    @property
    def height(self) -> int:
        """Of the box, in pixels."""
        return 2 * PADDING + LINE * (2 + len(self.lines))


BANDS = (
    Band(
        "Interfaces",
        "commands, the browser, other people's frameworks; they compute nothing",
        ("cli", "explorer", "integrations"),
        "#e8eef6",
    ),
    Band(
        "Reports and figures",
        "Result → Outline, a view per kind → text, Markdown, page, notebook; coordinates first, then SVG or matplotlib",
        ("reports", "figures"),
        "#e3f0ea",
    ),
    Band(
        "Studies",
        "one question each, answered as a Result: JSON, frame and files for nothing",
        ("studies", "datasets", "results"),
        "#fbf1dc",
    ),
    Band(
        "Belief and measures",
        "a metric is a pure function of a table; a posterior draws tables, so every metric has an interval",
        ("posterior", "metrics"),
        "#f4e6ee",
    ),
    Band(
        "Contingency",
        "counts of true × predicted class; tables add up, and a batch of them is scored like one",
        ("tables",),
        "#ffffff",
    ),
    Band(
        "Readers",
        "labels, rows, matrices, label sets, tracks: files, frames, databases, clusters, tensors → counts",
        ("readers",),
        "#e8eef6",
    ),
    Band(
        "Ground",
        "entropies, checked JSON, files in one step, errors in one sentence, types",
        ("core", "errors", "typing"),
        "#eeeeee",
    ),
)  # fmt: skip
"""From what people see down to what everything stands on; each imports only from those below."""


def picture() -> str:
    """The SVG."""
    top, parts = 16, []
    for at, band in enumerate(BANDS):
        parts += _box(band, top)
        top += band.height
        if at < len(BANDS) - 1:
            parts.append(f'<path d="M{WIDTH / 2} {top + GAP - 3}V{top + 5}" stroke="#5a6070" marker-end="url(#tip)"/>')
            top += GAP
    words = "Infoscope in layers, from interfaces down to the ground; data flows up, imports point down."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + 16}" role="img" aria-label="{words}" '
        'font-family="ui-sans-serif,system-ui,sans-serif" font-size="13">\n'
        '<defs><marker id="tip" markerWidth="7" markerHeight="7" refX="4" refY="3" orient="auto">'
        '<path d="M0 0L6 3L0 6Z" fill="#5a6070"/></marker></defs>\n'
        f'<rect width="{WIDTH}" height="{top + 16}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _box(band: Band, top: int) -> Iterator[str]:
    yield (
        f'<rect x="{LEFT}" y="{top}" width="{WIDTH - 2 * LEFT}" height="{band.height}" rx="6" fill="{band.colour}" '
        'stroke="#5a6070"/>'
    )
    lines = [
        f'<tspan font-weight="600">{escape(band.title)}</tspan>',
        f'<tspan fill="#3c4250">{escape(band.says)}</tspan>',
        *(f'<tspan font-family="ui-monospace,monospace" fill="#16181d">{escape(line)}</tspan>' for line in band.lines),
    ]
    for at, text in enumerate(lines):
        yield f'<text x="{LEFT + PADDING}" y="{top + PADDING + 12 + at * LINE}">{text}</text>'


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
