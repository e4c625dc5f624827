"""Reports: the result documents as text, JSON and Markdown."""

from infoscope.report import comparison as comparison
from infoscope.report.json import as_json
from infoscope.report.layout import Look
from infoscope.report.markdown import as_markdown
from infoscope.report.text import as_text, text_lines

__all__ = ["Look", "as_json", "as_markdown", "as_text", "text_lines"]
