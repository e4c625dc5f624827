"""Reports: any result as text, Markdown, a page or a notebook cell.

A view per kind (``reports/views``) says what is shown, once; a renderer per form says how, once.
"""

from infoscope.reports.layout import ASCII, UNICODE, Look
from infoscope.reports.render import outline_of, picture, render
from infoscope.reports.text import coloured, text_lines

__all__ = ["ASCII", "UNICODE", "Look", "coloured", "outline_of", "picture", "render", "text_lines"]
