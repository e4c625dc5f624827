"""The page of trackers in a real browser: fits every window, can be read by all."""

from typing import Any

import pytest

from tests.browser.conftest import serious, violations
from tests.browser.test_page import WINDOWS

PAGES = ["trackers", "hostile trackers"]


@pytest.mark.parametrize("window", WINDOWS, ids=["desktop", "dark phone"])
@pytest.mark.parametrize("name", PAGES)
def test_page_opens_fits_and_is_accessible(visit: Any, name: str, window: dict[str, Any]) -> None:
    page = visit(name, **window)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")

    assert page.evaluate("document.documentElement.scrollWidth") == (390 if window else 1280)
    assert page.locator("svg[role=img]:visible").count() >= 6
    assert page.evaluate("window.hacked") is None
    assert serious(violations(page)) == []


def test_without_code_folds_open(visit: Any) -> None:
    page = visit("trackers", java_script_enabled=False)

    assert "mine is the best of 2 trackers" in page.inner_text("h1")
    before = page.locator("svg[role=img]:visible").count()
    page.locator("main > section:not(#all) details summary").first.click()
    assert page.locator("svg[role=img]:visible").count() == before + 1  # the association
