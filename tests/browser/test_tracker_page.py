"""The page of trackers in a real browser: fits every window, can be read by all."""

from typing import Any

import pytest

from tests.browser.test_page import PHONE

PAGES = ["trackers", "hostile trackers"]


@pytest.mark.parametrize("window", [{}, PHONE, {"color_scheme": "dark"}], ids=["desktop", "phone", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_page_opens_and_fits(visit: Any, name: str, window: dict[str, Any]) -> None:
    page = visit(name, **window)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")

    assert page.evaluate("document.documentElement.scrollWidth") == (390 if window is PHONE else 1280)
    assert page.locator("svg[role=img]:visible").count() >= 6
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_accessibility_has_no_serious_violation(visit: Any, axe: str, name: str, scheme: str) -> None:
    page = visit(name, color_scheme=scheme, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.evaluate(axe)
    run = "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']})"
    found = page.evaluate(f"{run}.then(r => r.violations.map(v => [v.id, v.impact, v.nodes[0].html.slice(0, 160)]))")

    assert [item for item in found if item[1] in ("serious", "critical")] == []


def test_without_code_folds_open(visit: Any) -> None:
    page = visit("trackers", java_script_enabled=False)

    assert "mine captures" in page.inner_text("h1")
    before = page.locator("svg[role=img]:visible").count()
    page.locator("main > section:not(#all) details summary").first.click()
    assert page.locator("svg[role=img]:visible").count() == before + 2
