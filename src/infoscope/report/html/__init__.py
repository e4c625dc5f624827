"""The reports as pages of HTML."""

from infoscope.report.html import comparison_page as comparison_page
from infoscope.report.html import sweep_page as sweep_page
from infoscope.report.html import tuning_page as tuning_page
from infoscope.report.html.page import as_html, is_page, write_html
from infoscope.report.html.shell import write_page

__all__ = ["as_html", "is_page", "write_html", "write_page"]
