"""How the site is built from the pages of this folder."""

import importlib.metadata
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

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
html_js_files = ["filter.js"]
html_search_scorer = str(Path(__file__).with_name("static") / "scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
pygments_style = "friendly"
templates_path: list[str] = []


def _blank_lines(app: Sphinx, docname: str, source: list[str]) -> None:  # noqa: ARG001 - Sphinx decides what it is given
    """Doctests write an empty line of output as a word, and end with one, which readers need not see."""
    source[0] = source[0].replace("\n<BLANKLINE>", "\n").replace("\n\n```\n", "\n```\n")


def _out_of_the_search(app: Sphinx, env: BuildEnvironment) -> None:  # noqa: ARG001
    """Leave the pages for contributors and reviewers out of the search: users look for something else."""
    for page in env.found_docs:
        if page.startswith("contributors/"):
            env.metadata[page]["no-search"] = True


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", _blank_lines)
    app.connect("env-updated", _out_of_the_search)
