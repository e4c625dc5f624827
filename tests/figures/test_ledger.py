"""The information ledger: names stand in the bar only where they fit."""

import pytest

from infoscope import LedgerDisplay
from tests.api import Words


@pytest.mark.parametrize(("captured", "inside"), [(0.19, False), (0.2, False), (0.25, True)])
def test_a_name_that_is_wider_than_its_stretch_stands_beside_the_bar(captured, inside):
    panel = LedgerDisplay(missed=0.9 - captured, captured=captured, false=0.1).panel()
    (name,) = [mark for mark in panel.marks if isinstance(mark, Words) and mark.text.startswith("captured")]

    assert (name.y == 0.5) is inside


@pytest.mark.parametrize(("captured", "false"), [(0.0, 0.0), (0.001, 0.05), (0.05, 1.0)])
def test_what_a_constant_output_captures_stands_beside_the_words_of_the_output(captured: float, false: float) -> None:
    panel = LedgerDisplay(missed=2.0 - captured, captured=captured, false=false).panel()
    places = {
        mark.text.split()[0]: panel.place(mark.x, 0.0)[0] + mark.shift[0]
        for mark in panel.marks
        if isinstance(mark, Words)
    }

    assert places["captured"] <= places["output"] - 140.0  # both end there
