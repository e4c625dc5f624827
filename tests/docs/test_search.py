"""Users find their page: in two clicks from the index, and among the first three hits of the site's own search."""

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

import pytest

pytest.importorskip("sphinx")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

QUESTIONS = {
    "is my new model better": "how-to/comparison",
    "which threshold should I use": "how-to/operating-points",
    "how many samples do I need": "explanation/uncertainty",
    "imbalanced classes": "start/which-number",
    "LLM judge": "how-to/judge",
    "gate in CI": "how-to/continuous-integration",
    "confidence interval for F1": "explanation/uncertainty",
    "when to abstain": "how-to/operating-points",
    "multi-label": "how-to/multilabel",
    "inter-annotator agreement": "how-to/clusterings-and-annotators",
    "tracker HOTA IDF1": "how-to/tracking",
    "big parquet file": "how-to/read-data",
    "drift between weeks": "how-to/without-truth",
    "cluster quality AMI": "how-to/clusterings-and-annotators",
    "read excel": "how-to/read-data",
}
MAX_PAGES = 60
"""Pages for users, written by hand."""
MAX_HTML = 100
"""Pages of the whole site: it had 418, one for each metric and finding."""
SEARCH = """
var window = globalThis;
const document = { getElementById: () => null }, _ready = () => {}, _ = (text) => text;
const SPHINX_HIGHLIGHT_ENABLED = false;
"""
"""What the script of the search expects of a browser."""


def hits(site: Path, queries: Sequence[str], most: int = 3) -> list[list[str]]:
    """The first pages that the site's own script finds, with its index, run by node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine (apt-get install nodejs), so the search is not tried")
    scripts = [site / "_static" / "language_data.js", site / "_static" / "searchtools.js", site / "searchindex.js"]
    code = [SEARCH, *(path.read_text(encoding="utf-8") for path in scripts)]
    code.append(
        f"console.log(JSON.stringify({json.dumps(list(queries))}.map((query) => "
        "Search._performSearch(...Search._parseQuery(query)).reverse().map((hit) => hit[0]))))"
    )
    done = subprocess.run([node, "-"], input="\n;".join(code), capture_output=True, text=True, check=True)
    return [list(dict.fromkeys(found))[:most] for found in json.loads(done.stdout)]


def links(site: Path, page: str) -> set[str]:
    """Pages that the text of a page links to; the menu beside it has all."""
    text = (site / f"{page}.html").read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
    found = re.findall(r'href="([^"#:]+)\.html', text)
    return {normpath(join(dirname(page), target)) for target in found}


def test_each_question_is_answered_in_two_clicks_and_by_the_first_hits(site: Path) -> None:
    first = links(site, "index")
    near = first | {page for at in first if (site / f"{at}.html").exists() for page in links(site, at)}

    assert not set(QUESTIONS.values()) - near
    found = dict(zip(QUESTIONS, hits(site, list(QUESTIONS)), strict=True))
    assert not {question: found[question] for question, page in QUESTIONS.items() if page not in found[question]}


def test_pages_for_contributors_are_not_in_the_search(site: Path) -> None:
    found = hits(site, ["decisions", "benchmarks", "published figures", "release checklist", "architecture"], most=50)

    assert any(found)
    assert not [page for pages in found for page in pages if page.startswith("contributors/")]
    assert (site / "contributors" / "decisions.html").exists()


def test_the_filter_shows_what_has_the_words_and_hides_the_rest(site: Path, browser: Any) -> None:
    page = browser.new_page()
    for name, words, shown, hidden in (
        ("metrics/agreement", "kappa chance", "#metric-kappa", "#metric-accuracy"),
        ("metrics/index", "theil", "a[href$='#metric-proficiency']", "a[href$='#metric-accuracy']"),
        ("findings", "recall rare", "#accuracy-paradox", "#few-samples"),
    ):
        page.goto((site / "reference" / f"{name}.html").as_uri())
        assert page.locator(hidden).first.is_visible()
        page.fill("input.filter", words)
        assert page.locator(shown).first.is_visible(), name
        assert not page.locator(hidden).first.is_visible(), name
    page.close()


def test_papers_are_found_by_name_from_the_index(site: Path) -> None:
    papers = {f"contributors/papers/{path.stem}" for path in (site / "contributors" / "papers").glob("*20*.html")}

    assert len(papers) == 5
    assert papers <= links(site, "index")


def test_the_site_stays_small_enough_to_be_read(site: Path) -> None:
    docs = site.parent / "docs"
    by_hand = [page for kind in ("start", "tutorials", "how-to", "explanation") for page in (docs / kind).glob("*.md")]
    html = [page for page in site.rglob("*.html") if "_static" not in page.parts]

    assert len(by_hand) <= MAX_PAGES
    assert len(html) <= MAX_HTML
