"""The report as one page of HTML."""

from infoscope.report.html.page import as_html, is_page, write_html

__all__ = ["as_html", "is_page", "write_html"]
