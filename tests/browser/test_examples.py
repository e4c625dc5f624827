"""Example rows in a real browser: a cell of the matrix opens its rows, by mouse, touch and keyboard."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import serious, violations

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}


def _opened(page: Any) -> list[str]:
    return page.eval_on_selector_all(".examples details[open] summary", "all => all.map(one => one.textContent)")


@pytest.mark.parametrize("window", [{}, PHONE], ids=["desktop", "phone"])
def test_a_cell_opens_its_rows(visit: Any, window: dict[str, Any]) -> None:
    page = visit("examples", **window)
    article = page.locator("article.system:visible")
    button = article.locator(".cm button.open").nth(3)
    said = button.get_attribute("aria-label")
    (button.tap if window else button.click)()

    (opened,) = _opened(page)
    truth, predicted = said.partition("rows of ")[2].split(", ")
    assert opened.startswith(f"{truth}, {predicted}: ")
    rows = article.locator(".examples details[open] tbody tr")
    assert 1 <= rows.count() <= 3
    assert page.evaluate("document.documentElement.scrollWidth") == (390 if window else 1280)
    assert page.evaluate("window.hacked") is None


def test_the_keyboard_and_another_form_of_the_cells(visit: Any) -> None:
    page = visit("examples")
    page.get_by_role("button", name="% of true").first.click()
    button = page.locator("article.system:visible .cm button.open").first
    assert button.text_content().endswith("%")
    button.focus()
    page.keyboard.press("Enter")
    assert len(_opened(page)) == 1


def test_a_listener_may_show_the_rows_itself(visit: Any) -> None:
    page = visit("examples", bypass_csp=True)
    page.evaluate(
        "addEventListener('infoscope:cell', event => { window.chosen = event.detail; event.preventDefault(); })"
    )
    page.locator("article.system:visible .cm button.open").first.click()
    assert set(page.evaluate("window.chosen")) == {"system", "truth", "predicted"}
    assert _opened(page) == []


def test_folds_are_accessible(visit: Any) -> None:
    assert serious(violations(visit("examples"))) == []
