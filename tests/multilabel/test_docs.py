"""The code in the two pages on label sets, clusterings and annotators says what it prints."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["multilabel.md", "clusterings-and-annotators.md"])
def test_code_in_the_page_runs(page: str) -> None:
    failed, tried = doctest.testfile(str(DOCS / page), module_relative=False, optionflags=doctest.ELLIPSIS)

    assert tried > 3
    assert failed == 0
