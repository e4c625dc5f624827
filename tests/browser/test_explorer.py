"""The local explorer in a real browser: from the folder to the rows of a cell, by mouse and by keyboard."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import infoscope as ifs
from infoscope import embedded_database
from infoscope.serving import open_server
from tests.browser.conftest import AXE, RUN_AXE

CELL = ".cm tbody tr:nth-child(7) td:nth-of-type(6)"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("folder")
    truth, predictions = ifs.datasets.digits()
    lines = [
        "truth,svm,day",
        *(
            f"{t},{p},{'mon' if at % 3 else 'tue'}"
            for at, (t, p) in enumerate(zip(truth, predictions["svm"], strict=True))
        ),
    ]
    (root / "digits.csv").write_text("\n".join(lines) + "\n")
    server, explorer = open_server(root)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/{explorer.key}/"
    server.shutdown()
    server.server_close()
    explorer.close()
    embedded_database._allowed_folders.clear()


def violations(page: Any) -> list[Any]:
    """What axe finds; its code is brought in past the page's policy, as a tester may."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (npm install)")
    session = page.context.new_cdp_session(page)
    session.send("Page.setBypassCSP", {"enabled": True})
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate(RUN_AXE)


@pytest.mark.parametrize("width", [1280, 390])
def test_from_the_folder_to_the_rows(browser: Any, address: str, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    troubles: list[str] = []
    page.on("pageerror", lambda problem: troubles.append(str(problem)))
    page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
    page.on("request", lambda asked: asked.url.startswith(address) or troubles.append(asked.url))
    page.goto(address)
    assert not violations(page)
    page.click("text=digits.csv")
    page.wait_for_selector("form")
    assert page.is_checked("input[name=t][value=truth]")
    assert page.is_checked("input[name=s][value=svm]")
    assert not violations(page)
    page.click("text=Evaluate")
    frame = page.frame_locator("iframe")
    cell = frame.locator(".cm td.lit, .cm td").filter(has_text="2").first
    cell.wait_for()
    cell.click()
    page.wait_for_selector("#sheet:not([hidden]) h2")
    heading = page.inner_text("#sheet h2")
    shown = page.locator("#sheet tr[data-row]").count()
    assert f": {shown} row" in heading or shown == 50
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    sizes = page.eval_on_selector_all("#sheet button", "all => all.map(b => b.getBoundingClientRect().height)")
    assert min(sizes) >= 40
    page.click("[data-verdict='truth wrong'] >> nth=0")
    page.wait_for_selector("[data-verdict='truth wrong'][aria-pressed=true]")
    page.keyboard.press("Escape")
    assert page.is_hidden("#sheet")
    assert not troubles
    page.close()


def test_by_keyboard_alone(browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{address}explore?file=digits.csv&t=truth&s=svm&b=day")
    frame = page.frame_locator("iframe")
    frame.locator(".cm td[tabindex='0']").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#sheet:not([hidden]) h2")
    assert page.inner_text("#sheet h2").startswith("True ")
    assert "more often than elsewhere" in page.inner_text("#sheet") or "More often where" in page.inner_text("#sheet")
    page.click("text=other rows")
    page.keyboard.press("Escape")
    frame.locator("tr[data-truth][data-predicted]").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#sheet:not([hidden]) tr[data-row]")
    page.close()


def test_the_page_in_the_frame_is_that_of_the_command(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}explore?file=digits.csv&t=truth&s=svm")
    made = page.request.get(f"{address}report?file=digits.csv&t=truth&s=svm").text()
    assert "infoscope evaluate digits.csv -t truth -s svm -o report.html" in made
    assert page.frame_locator("iframe").locator("h1").inner_text().startswith("svm captures")
    page.close()
