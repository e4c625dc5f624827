"""A panel as an image tag, which also notebooks that strip SVG and style sheets keep."""

from __future__ import annotations

import base64

from infoscope.figures.scene import Panel
from infoscope.figures.svg import standalone_svg
from infoscope.markup import escape

__all__ = ["picture"]


def picture(panel: Panel) -> str:
    """The picture on its own light paper, readable in any theme."""
    coded = base64.b64encode(standalone_svg(panel, dark=False).encode("utf-8")).decode("ascii")
    return (
        f'<img alt="{escape(panel.summary)}" style="max-width:100%;height:auto;border-radius:4px" '
        f'width="{panel.width:.0f}" src="data:image/svg+xml;base64,{coded}">'
    )
