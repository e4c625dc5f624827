"""The maps of all systems: entropy triangle, coverage, split triangle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from infoscope.evaluation import Evaluation, SystemResult
from infoscope.figures.coverage import CoverageDisplay
from infoscope.figures.display import Display
from infoscope.figures.split_triangle import SplitTriangleDisplay
from infoscope.figures.svg import svg
from infoscope.figures.triangle import EntropyTriangleDisplay
from infoscope.reports.html.elements import Html, element, joined
from infoscope.reports.views.maps import coverage_points, split_points, triangle_points

__all__ = ["maps"]

MAX_SPLIT = 8
"""Joined pairs that one split triangle can show apart."""


def maps(evaluation: Evaluation) -> Html:
    """The figures side by side; a dot picks its system everywhere."""
    note = "Select a dot or a row: the system is highlighted everywhere. Drag across a map to select several."
    hint = element("p", note, class_="note js") if len(evaluation.systems) > 1 else Html("")
    return joined((hint, element("div", *_figures(list(evaluation.ranking)), class_="two maps")))


def _figures(systems: Sequence[SystemResult]) -> Iterator[Html]:
    triangle, coverage, split = triangle_points(systems), coverage_points(systems), split_points(systems)
    if triangle:
        yield _figure(
            "Entropy triangle",
            EntropyTriangleDisplay(triangle, zoom=True),
            "High is good; left is lost to imbalance, right to error.",
        )
    if coverage:
        yield _figure(
            "Information coverage",
            CoverageDisplay(coverage),
            "The star is all of the truth and nothing but the truth; dotted lines join equal error.",
        )
    near = [point for point in coverage if point.captured >= 0.5 * max(p.captured for p in coverage)]
    if near and any(point.spread is not None for point in near):
        yield _figure(
            "Coverage, the best enlarged" if len(coverage) > 1 else "Coverage, enlarged",
            CoverageDisplay(near, zoom=True),
            "Ellipses hold the true place with 95% probability.",
        )
    if split:
        some = split[:MAX_SPLIT]
        rest = f" The best {MAX_SPLIT} of {len(split)}." if len(split) > MAX_SPLIT else ""
        yield _figure(
            "Split triangle",
            SplitTriangleDisplay(some, zoom=True),
            f"Truth and output, each against its own number of classes.{rest}",
        )


def _figure(title: str, display: Display, caption: str) -> Html:
    return element(
        "figure",
        element("figcaption", element("b", title), " ", element("span", caption, class_="dim")),
        Html(svg(display.panel())),
        class_="map",
    )
