"""The check of accessibility itself: what is wrong is found, wherever on the page it stands."""

from typing import Any

import pytest

from tests.browser.conftest import violations
from tests.browser.test_page import WINDOWS

ROWS = "table.points tbody tr"
FAULTS = {
    "color-contrast": "row.cells[1].style.color = '#777'",  # too close to both grounds
    "button-name": "row.cells[1].innerHTML = '<button></button>'",
    "label": "row.cells[1].innerHTML = '<input>'",
    "target-size": "row.cells[1].innerHTML = '<button class=small>1</button><button class=small>2</button>'; "
    "row.querySelectorAll('.small').forEach(button => { button.style = 'all: unset; display: block; height: 9px'; })",
    "aria-allowed-attr": "row.cells[1].innerHTML = '<b aria-checked=true>1</b>'",
}
"""Script that makes a row break a rule, by the rule."""


@pytest.mark.parametrize("window", WINDOWS, ids=["desktop", "dark phone"])
def test_what_is_wrong_in_a_late_row_of_a_long_table_is_found(visit: Any, window: dict[str, Any]) -> None:
    page = visit("rejections", **window)
    rows = page.locator(ROWS).count()
    assert rows > 18
    for at, fault in enumerate(FAULTS.values()):
        page.evaluate(f"row => {{ {fault}; }}", page.query_selector(f"{ROWS}:nth-child({rows - 2 * at - 1})"))
    page.evaluate("window.before = document.body.textContent")
    found = {rule for rule, *_ in violations(page)}

    assert found == set(FAULTS)
    assert page.evaluate("document.body.textContent === window.before")  # all is back in its place
