"""Reports: any result as text, Markdown, a page or a notebook cell.

A view per kind (``reports/views``) says what is shown, once; a renderer per form says how, once.
"""

import importlib
from typing import TYPE_CHECKING

from infoscope.reports.render import outline_of, picture, render
from infoscope.reports.signs import ASCII, UNICODE, Look

if TYPE_CHECKING:
    from infoscope.reports.text import coloured, text_lines

__all__ = ["ASCII", "UNICODE", "Look", "coloured", "outline_of", "picture", "render", "text_lines"]


def __getattr__(name: str) -> object:
    """What makes lines of text, once it is asked for: pages do without the library of terminals."""
    if name in ("coloured", "text_lines"):
        return getattr(importlib.import_module("infoscope.reports.text"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
