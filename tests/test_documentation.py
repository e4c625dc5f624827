"""The links of README and docs lead somewhere, and names that they mention exist; tests/docs runs their code."""

import re
from pathlib import Path

import pytest

import infoscope as ifs

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_of_a_page_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]

    assert not missing


def test_metrics_that_the_page_for_other_packages_names_exist():
    text = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
    names = set(re.findall(r"ifs\.metrics\.(\w+)", text))
    calls = set(re.findall(r"`ifs\.(\w+)", text)) - {"metrics"}

    assert len(names) > 8
    assert not [name for name in names if name not in ifs.catalogue]
    assert not [name for name in calls if not hasattr(ifs, name)]
