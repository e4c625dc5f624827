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
STRICT = ["-W", "--keep-going"]


def write_reference(folder: Path = REFERENCE) -> None:
    """Write every page that is made from the code."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "metrics", ignore_errors=True)
    metric_pages(folder / "metrics")
    for write in (commands_page, finding_page, glossary_page, schemas_page, api_pages):
        write(folder)


def build(target: Path) -> int:
    """The site as pages; a warning is an error."""
    write_reference()
    return build_main([*STRICT, "-q", "-b", "html", str(DOCS), str(target)])


def check(docs: Path, target: Path, pages: list[str]) -> int:
    """Read and link every page strictly, and write some of them, as the theme takes most of the time.

    Of the search over the others, Sphinx warns.
    """
    shared = ["-q", "-D", "smartquotes=0", "-d", str(target / ".doctrees"), str(docs), str(target)]
    was_collecting = gc.isenabled()
    gc.disable()  # millions of small nodes that stay until the end, a quarter of the time
    try:
        return build_main([*STRICT, "-b", "dummy", *shared]) or build_main(
            ["-b", "html", *shared, *(str(docs / page) for page in pages)]
        )
    finally:
        if was_collecting:
            gc.enable()


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "site"))
