"""The links of README and docs lead somewhere, and names that they mention exist; tests/docs runs their code."""

import re
from pathlib import Path

import pytest

import infoscope as ifs

ROOT = Path(__file__).parent.parent
GENERATED = ROOT / "docs" / "reference"
"""Written when the site is built, which checks the links from and to it."""
PAGES = sorted(page for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")) if GENERATED not in page.parents)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    targets = [(page.parent / link).resolve() for link in links if "://" not in link]

    assert not [target for target in targets if GENERATED not in target.parents and not target.exists()]


def test_metrics_that_the_page_for_other_packages_names_exist():
    text = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
    names = set(re.findall(r"ifs\.metrics\.(\w+)", text))
    calls = set(re.findall(r"`ifs\.(\w+)", text)) - {"metrics"}

    assert len(names) > 8
    assert not [name for name in names if name not in ifs.catalogue]
    assert not [name for name in calls if not hasattr(ifs, name)]
