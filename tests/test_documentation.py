"""The examples in README and docs run, their links lead somewhere, and nothing private slips in."""

import doctest
import re
from pathlib import Path

import pytest

import infoscope as ifs

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_a_page_run(page):
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    session = "\n".join(block for block in blocks if ">>>" in block)
    for name in re.findall(r"^>>> (?:import|from) (\w+)", session, flags=re.MULTILINE):
        pytest.importorskip(name)
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test)

    assert runner.failures == 0


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
