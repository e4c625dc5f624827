"""The reports as pages of HTML."""

from infoscope.report.html import comparison_page as comparison_page
from infoscope.report.html import sweep_page as sweep_page
from infoscope.report.html import tuning_page as tuning_page
from infoscope.report.html.page import as_html, write_html

__all__ = ["as_html", "write_html"]
