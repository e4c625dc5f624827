"""How the site is built from the pages of this folder."""

import importlib.metadata

from sphinx.application import Sphinx

project = "Infoscope"
author = "the Infoscope authors"
release = importlib.metadata.version("infoscope")
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 4
exclude_patterns = ["schemas", "pictures"]
html_theme = "furo"
html_title = "Infoscope"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
pygments_style = "friendly"
templates_path: list[str] = []


def _blank_lines(app: Sphinx, docname: str, source: list[str]) -> None:  # noqa: ARG001 - Sphinx decides what it is given
    """Doctests write an empty line of output as a word, and end with one, which readers need not see."""
    source[0] = source[0].replace("\n<BLANKLINE>", "\n").replace("\n\n```\n", "\n```\n")


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _blank_lines)
