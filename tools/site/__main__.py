"""Write the reference pages and build the site: ``python -m tools.site [FOLDER]``, by default site/.

``python -m tools.site --check FOLDER PAGE …`` reads and links all pages, and writes only those that are named:
the theme takes most of the time.
"""

from __future__ import annotations

import gc
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from tools.site.finding_pages import finding_pages
from tools.site.metric_pages import metric_pages
from tools.site.reference import api_pages, commands_page, glossary_page, schemas_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
STRICT = ["-W", "--keep-going"]


def write_reference(folder: Path = REFERENCE) -> None:
    """Every page that is made from the code."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    metric_pages(folder / "metrics")
    for write in (commands_page, finding_pages, glossary_page, schemas_page, api_pages):
        write(folder)


def build(target: Path) -> int:
    """The site as pages; a warning is an error."""
    write_reference()
    return build_main([*STRICT, "-q", "-b", "html", str(DOCS), str(target)])


def check(target: Path, pages: list[str]) -> int:
    """Read and link every page strictly, and write some of them; of the search over the others, Sphinx warns."""
    gc.disable()  # millions of small nodes that stay until the end, a quarter of the time
    write_reference()
    shared = ["-q", "-D", "smartquotes=0", "-d", str(target / ".doctrees"), str(DOCS), str(target)]
    return build_main([*STRICT, "-b", "dummy", *shared]) or build_main(
        ["-b", "html", *shared, *(str(DOCS / page) for page in pages)]
    )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--check", folder, *pages]:
            sys.exit(check(Path(folder), pages))
        case [folder]:
            sys.exit(build(Path(folder)))
        case _:
            sys.exit(build(ROOT / "site"))
