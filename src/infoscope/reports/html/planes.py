"""Two more views of a sweep, each with the mark that the slider moves."""

from __future__ import annotations

from collections.abc import Sequence

from infoscope.reports.html.elements import Html, element
from infoscope.reports.html.slider import drawn
from infoscope.reports.views.sweep_charts import Chart

__all__ = ["markup"]


def markup(content: tuple[Sequence[Chart], int]) -> Html:
    """The charts side by side."""
    charts, here = content
    return element("div", *(drawn(chart, at, here) for at, chart in enumerate(charts, 1)), class_="two maps")
