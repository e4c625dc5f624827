"""The page about operating points says what the code does."""

import doctest
from pathlib import Path


def test_examples_of_the_page_run():
    page = Path(__file__).parents[2] / "docs" / "operating-points.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)

    assert tried > 15
    assert failed == 0
