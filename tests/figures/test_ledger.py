"""The information ledger: names stand in the bar only where they fit."""

import pytest

from infoscope import LedgerDisplay
from tests.api import Words


@pytest.mark.parametrize(("captured", "inside"), [(0.19, False), (0.2, False), (0.25, True)])
def test_a_name_that_is_wider_than_its_stretch_stands_beside_the_bar(captured, inside):
    panel = LedgerDisplay(missed=0.9 - captured, captured=captured, false=0.1).panel()
    (name,) = [mark for mark in panel.marks if isinstance(mark, Words) and mark.text.startswith("captured")]

    assert (name.y == 0.5) is inside
