"""Draw the slider over operating points, and curves with a mark that ``slider.js`` moves along them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from infoscope.core.markup import Html, element, join_markup
from infoscope.figures.svg import svg
from infoscope.reports.html.page import draw_term
from infoscope.reports.views.sweep import Chart

Content = tuple[str, Mapping[str, str], Sequence[Mapping[str, str]], int, Chart]


def draw_slider(content: Content) -> Html:
    """Draw the slider, what it shows, and the curves; without a script the recommended point is shown."""
    mode, words, shown, here, chart = content
    rejecting = mode == "rejection"
    value = shown[here]["rejection_rate" if rejecting else "threshold"]
    moved = element(
        "div",
        element("label", "Share rejected" if rejecting else "Threshold", for_="slider"),
        Html(
            f'<input type="range" id="slider" min="0" max="{len(shown) - 1}" step="1" value="{here}" '
            f'aria-valuetext="{value}" aria-describedby="point-summary">'
        ),
        element("output", value, id="shown", for_="slider"),
        element("button", "back to the best", type="button", id="back"),
        class_="slide js",
    )
    numbers = [
        element("div", element("dt", draw_term(name, word)), element("dd", shown[here][name], data_metric=name))
        for name, word in words.items()
    ]
    note = "Rejecting more makes the accepted predictions more reliable, and captures less of the truth."
    return join_markup(
        (
            element("p", note, class_="note") if rejecting else "",
            moved,
            element("p", shown[here]["text"], id="point-summary", class_="point-summary", aria_live="polite"),
            element("div", element("dl", *numbers, class_="numbers"), _draw_chart(chart, 0, here), class_="beside"),
        )
    )


def draw_planes(content: tuple[Sequence[Chart], int]) -> Html:
    """Draw more views of a sweep side by side, each with the mark that the slider moves."""
    charts, here = content
    return element(
        "div", *(_draw_chart(chart, number, here) for number, chart in enumerate(charts, 1)), class_="two maps"
    )


def _draw_chart(chart: Chart, number: int, here: int) -> Html:
    """Draw the figure with its marks at one place."""
    marks = ""
    points = [curve[here] for curve in chart.dots]
    if chart.upright:
        x = next((point[0] for point in points if point is not None), chart.panel.margins[0])
        top, bottom = chart.panel.margins[1], chart.panel.height - chart.panel.margins[3]
        marks += (
            f'<line class="s-ink" stroke="#16181d" stroke-width="1.5" stroke-dasharray="2 3" x1="{x:.1f}" '
            f'x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"/>'
        )
    for point in points:
        place = 'visibility="hidden"' if point is None else f'cx="{point[0]:.1f}" cy="{point[1]:.1f}"'
        marks += f'<circle class="f-paper s-ink" r="5.5" fill="#ffffff" stroke="#16181d" stroke-width="2.5" {place}/>'
    picture = svg(chart.panel).removesuffix("</svg>") + f'<g class="now" data-chart="{number}">{marks}</g></svg>'
    words = (element("b", chart.title), " ", element("span", chart.caption, class_="dim"))
    kind = "wide" if chart.upright else "map"
    return element("figure", element("figcaption", *words), Html(picture), class_=kind)
