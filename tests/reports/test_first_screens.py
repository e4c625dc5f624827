"""First screens of every kind of result: short, few numbers, and no words that need a legend."""

import re

import pytest

from tests.api import make_outline
from tests.results.examples import EXAMPLES, example

LEGEND_NEEDED = re.compile(
    r"erroneous|classes left|\bspread\b|ambiguity|\btied\b|S_I/H|prior tree|posterior mean|second stage|stress of|"
    r"labels mixed in|sd of halves|permuted|improvement factor"
)
"""Words of folds and of ``explain``."""
ELSEWHERE = {"evaluation", "comparison", "gate"}
MAX_LINES = 50


@pytest.mark.parametrize("kind", sorted(EXAMPLES.keys() - ELSEWHERE))
def test_a_first_screen_is_short_and_needs_no_legend(kind: str) -> None:
    result = example(kind)
    text = result.to_text(width=80)
    outline = make_outline(result)

    assert len(text.splitlines()) <= MAX_LINES
    assert len(outline.tiles) <= 5
    assert sum(line.startswith("  → ") for line in text.splitlines()) <= 3
    assert not LEGEND_NEEDED.findall(text)
    assert text.rstrip().splitlines()[-1].startswith("  more: ")


@pytest.mark.parametrize("kind", sorted(EXAMPLES.keys() - ELSEWHERE))
def test_every_number_of_the_first_screen_says_what_to_compare_it_with(kind: str) -> None:
    for tile in make_outline(example(kind)).tiles:
        assert tile.note or tile.interval or tile.systems, tile.word
