"""Write the reference pages and build the site: ``python -m tools.site [FOLDER]``, by default site/."""

from __future__ import annotations

import gc
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from tools.site.finding_pages import finding_page
from tools.site.metric_pages import metric_pages
from tools.site.reference import api_pages, commands_page, glossary_page, schemas_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"


def write_reference(folder: Path = REFERENCE) -> None:
    """Write every page that is made from the code."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "metrics", ignore_errors=True)
    metric_pages(folder / "metrics")
    for write in (commands_page, finding_page, glossary_page, schemas_page, api_pages):
        write(folder)


def build(docs: Path, target: Path, *options: str) -> int:
    """Build the site of a folder of pages; a warning is an error."""
    was_collecting = gc.isenabled()
    gc.disable()  # millions of small nodes that stay until the end, a quarter of the time
    try:
        return build_main(["-W", "--keep-going", "-q", "-b", "html", *options, str(docs), str(target)])
    finally:
        if was_collecting:
            gc.enable()


if __name__ == "__main__":
    write_reference()
    sys.exit(build(DOCS, Path(sys.argv[1]) if sys.argv[1:] else ROOT / "site"))
