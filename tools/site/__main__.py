"""Write the reference pages and build the site: ``python -m tools.site [FOLDER]``, by default site/."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from tools.site.metric_pages import metric_pages
from tools.site.reference import api_pages, commands_page, findings_page, glossary_page, schemas_page

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"


def write_reference(folder: Path = REFERENCE) -> None:
    """Every page that is made from the code."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    metric_pages(folder / "metrics")
    for write in (commands_page, findings_page, glossary_page, schemas_page, api_pages):
        write(folder)


def build(target: Path) -> int:
    """The site as pages; a warning is an error."""
    write_reference()
    return build_main(["-W", "--keep-going", "-q", "-b", "html", str(ROOT / "docs"), str(target)])


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site"))
