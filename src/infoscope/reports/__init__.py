"""Reports: any result as text, Markdown, a page or a notebook cell.

A view per kind (``reports/views``) says what is shown, once; a renderer per form says how, once.
"""

import importlib
from typing import TYPE_CHECKING

from infoscope.reports.render import make_outline, picture, render

if TYPE_CHECKING:
    from infoscope.reports.text import ASCII, UNICODE, Look, colour_lines, write_lines

__all__ = ["ASCII", "UNICODE", "Look", "colour_lines", "make_outline", "picture", "render", "write_lines"]


def __getattr__(name: str) -> object:
    """Import what makes lines of text when it is asked for: pages do without the library of terminals."""
    if name in ("ASCII", "UNICODE", "Look", "colour_lines", "write_lines"):
        return getattr(importlib.import_module("infoscope.reports.text"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
