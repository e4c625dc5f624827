"""Theorems, properties and claims of the papers: each verdict is what its search finds."""

import pytest

from tests.papers.statements import Statement, Verdict, statements
from tests.papers.statements.statement import statement as filed
from tests.reference import why_absent
from tools.papers.pages import FOLDER, pages

PAPERS = ("holt2010", "hurley2014", "valverde2013", "hu2008", "steingold2016")


@pytest.mark.parametrize("each", statements(), ids=lambda each: f"{each.paper}: {each.name}: {each.claim}")
def test_the_verdict_is_what_the_search_finds(each: Statement) -> None:
    if each.data and why_absent(each.data):
        pytest.skip(why_absent(each.data) or "")

    evidence = each.check()

    assert evidence.endswith(".")
    assert len(evidence) > 20


def test_every_paper_has_statements_and_every_named_one_is_there() -> None:
    assert {each.paper for each in statements()} == set(PAPERS)
    named = {each.name for each in statements("hu2008")}
    assert {f"Theorem {i}" for i in (1, 2, 3)} | {f"Property {i}" for i in range(1, 8)} <= named
    assert {"majority classifiers", "specialized classifiers"} <= {each.name for each in statements("valverde2013")}
    assert {each.verdict for each in statements()} == set(Verdict)


def test_steingold_and_laclavik_say_what_is_put_to_the_test() -> None:
    """Proficiency rises again behind i = 100, committees are places for professors, and α ≤ α′ is in section 4.3."""
    said = {each.claim: each.name for each in statements("steingold2016")}

    assert not [claim for claim in said if "Proficiency falls" in claim or "Two committees" in claim]
    assert {name for claim, name in said.items() if "α ≤ α′" in claim} <= {"section 4.3", "section 4.3, footnote"}
    assert {"Figure 1", "section 2.3", "section 4.5, committees", "section 5", "section 6"} <= set(said.values())


def test_a_condition_goes_with_its_verdict() -> None:
    with pytest.raises(ValueError, match="a condition belongs to the verdict"):
        filed("hu2008", "Property 8", "Anything.", Verdict.TRUE, "it rains")
    with pytest.raises(ValueError, match="a condition belongs to the verdict"):
        filed("hu2008", "Property 8", "Anything.", Verdict.ONLY_IF)


@pytest.mark.slow
@pytest.mark.reference
@pytest.mark.skipif(bool(why_absent("data/kdd2005/labeler1.txt")), reason="no reference data")
def test_the_committed_pages_are_what_the_tool_writes() -> None:
    written = pages()

    assert {path.name for path in FOLDER.glob("*.md")} == set(written)
    for name, text in written.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"{name}: run `make docs`, and look at what changed"


@pytest.mark.slow
@pytest.mark.reference
@pytest.mark.skipif(bool(why_absent("data/kdd2005/labeler1.txt")), reason="no reference data")
def test_the_pages_show_our_values_beside_the_printed_ones() -> None:
    written = {name: (FOLDER / name).read_text(encoding="utf-8") for name in pages()}

    assert "0.574\u00a0(0.5736)" in written["hu2008.md"]
    assert "63.48\u00a0(63.480)" in written["steingold2016.md"]
    assert "0.855\u00a0(0.8556)\u00a0✗" in written["holt2010.md"]
    assert not any("✗" in text for name, text in written.items() if name != "holt2010.md")
    for paper in PAPERS:
        assert all(each.claim in written[f"{paper}.md"] for each in statements(paper))
