"""Hurley 2014: what our pages say about the slides is what the slides say."""

from infoscope.metrics.registry import SOURCES, every_metric
from tests.papers.statements import statements
from tests.reference import ROOT

PAGES = [
    ROOT / "docs" / name for name in ("papers/hurley2014.md", "uncertainty.md", "published-figures.md", "gallery.md")
]


def test_the_title_is_that_of_the_slides() -> None:
    assert "Information theoretic evaluation of data processing systems" in SOURCES["hurley2014"]
    assert SOURCES["hurley2014"] in PAGES[0].read_text(encoding="utf-8")
    assert "from a finite set of samples" in SOURCES["wolpert1995"]


def test_no_table_and_no_value_is_called_theirs() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for claim in ("printed ν", "table ν", "three times its matrix", "example on his slides", "formula as printed"):
            assert claim not in text, page.name
    assert "The table is ours: ν = [[3, 1, 2], [1, 5, 1]]" in PAGES[0].read_text(encoding="utf-8")


def test_no_statement_says_more_than_the_slides() -> None:
    """ "Little data" may suffice for some evaluations there: nothing to refute, and no series is a closed form."""
    claims = {each.claim: each.verdict_in_words for each in statements("hurley2014")}

    assert set(claims.values()) == {"true"}
    assert not any("closed form" in claim for claim in claims)


def test_definitions_of_metrics_that_the_slides_only_name_are_called_ours() -> None:
    named = [entry for entry in every_metric() if entry.card.source == "hurley2014"]

    assert len(named) == 7
    assert all("without a definition" in entry.card.note for entry in named)
