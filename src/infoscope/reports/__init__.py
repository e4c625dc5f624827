"""Reports: any result as text, Markdown, a page or a notebook cell.

A view per kind (``report/views``) says what is shown, once; a renderer per form says how, once.
"""

from infoscope.reports.render import outline_of, picture, render

__all__ = ["outline_of", "picture", "render"]
