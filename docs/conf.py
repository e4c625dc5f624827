"""How the site is built from the pages of this folder."""

import importlib.metadata

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
pygments_style = "friendly"
templates_path: list[str] = []
