"""The local explorer in a real browser: from the folder to the rows of a cell, by mouse and by keyboard."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import infoscope as ifs
from tests.browser.conftest import Window, Windows, violations
from tests.explorer.local_server import address_of, serving

CELL = ".cm tbody tr:nth-child(7) td:nth-of-type(6)"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("folder")
    truth, predictions = ifs.datasets.digits()
    svm, bayes = predictions["svm"], predictions["naive_bayes"]
    rng = np.random.default_rng(5)
    lines = ["id,truth,svm,day"]
    lines += [f"{at},{t},{p},{'mon' if at % 3 else 'tue'}" for at, (t, p) in enumerate(zip(truth, svm, strict=True))]
    (root / "digits.csv").write_text("\n".join(lines) + "\n")
    other = [f"{at},{p}" for at, p in enumerate(bayes)]
    (root / "other_run.csv").write_text("\n".join(["id,svm", *other]) + "\n")
    fraud = rng.random(300) < 0.3
    scores = np.where(fraud, rng.beta(4, 2, 300), rng.beta(2, 4, 300))
    named = [
        f"{'fraud' if f else 'none'},{'fraud' if s > 0.5 else 'none'},{s:.4f}"
        for f, s in zip(fraud, scores, strict=True)
    ]
    (root / "scores.csv").write_text("\n".join(["truth,predicted,score", *named]) + "\n")
    many = rng.integers(0, 214, 3000)
    wrong = [f"c{t},c{t if rng.random() < 0.7 else (t + 1) % 214},{at}" for at, t in enumerate(many)]
    (root / "many.csv").write_text("\n".join(["truth,predicted,number", *wrong]) + "\n")
    for night in range(9):
        rows = rng.integers(0, len(truth), 300)
        nightly = ifs.evaluate([str(truth[at]) for at in rows], {"svm": [str(svm[at]) for at in rows]}, sample_size=100)
        (root / f"night-{night}.json").write_text(nightly.to_json())
    with serving(root) as served:
        yield address_of(served)


@pytest.fixture
def opened(windows: Windows, address: str) -> Iterator[Callable[..., Any]]:
    """Take a window; at the end none may have logged an error but those foreseen, or gone beyond the server."""
    used: list[tuple[str, Window, str]] = []

    def take(width: int = 1280, *, foreseen: str = "never", **options: Any) -> Any:
        phone = {"is_mobile": True, "has_touch": True} if width < 600 else {}
        kind, window = windows.taken(offline=False, viewport={"width": width, "height": 900}, **phone, **options)
        used.append((kind, window, foreseen))
        window.errors.clear()
        window.requests.clear()
        return window.page

    yield take
    for kind, window, foreseen in used:
        troubles = [error for error in window.errors if foreseen not in error]
        troubles += [url for url in window.requests if not url.startswith((address, "data:"))]
        windows.give_back(kind, window)
        assert troubles == []


def fits(page: Any, width: int) -> bool:
    return page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 390])
def test_from_the_folder_to_the_rows(opened: Any, address: str, width: int) -> None:
    page = opened(width)
    page.goto(address)
    assert not violations(page)
    assert fits(page, width)
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
    assert not violations(page)
    page.keyboard.press("Escape")
    assert page.is_hidden("#sheet")
    focused = "document.querySelector('iframe').contentDocument.activeElement.closest('td, tr') !== null"
    assert page.evaluate(focused)  # back where one came from
    cell.click()
    page.wait_for_selector("[data-verdict='truth wrong'][aria-pressed=true]")  # kept


def test_by_keyboard_alone(opened: Any, address: str) -> None:
    page = opened()
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
    _is_back(page, frame, ".cm td")
    frame.locator("table.fix tr[data-truth][data-predicted]").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("#sheet:not([hidden]) tr[data-row]")
    page.keyboard.press("Escape")
    _is_back(page, frame, "table.fix tr")
    frame.locator("summary", has_text="Classes").first.focus()
    page.keyboard.press("Enter")
    frame.locator("table.classes tr[data-class]").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#sheet:not([hidden]) h2:has-text('another class')")


def test_rows_that_arrive_after_the_sheet_was_closed_do_not_open_it_again(opened: Any, address: str) -> None:
    page = opened()
    page.goto(f"{address}explore?file=digits.csv&t=truth&s=svm")
    page.frame_locator("iframe").locator(".cm td[tabindex='0']").first.click()
    page.wait_for_selector("#sheet:not([hidden]) tr[data-row]")
    late: list[Any] = []

    def hold(route: Any) -> None:
        late.append(route)

    page.route("**/rows?*", hold)
    with page.expect_request("**/rows?*"):
        page.click("text=other rows")
    page.keyboard.press("Escape")
    for answer in late:
        answer.continue_()
    page.wait_for_timeout(300)
    page.unroute("**/rows?*")

    assert len(late) == 1
    assert page.is_hidden("#sheet")


def _is_back(page: Any, frame: Any, place: str) -> None:
    """The sheet is closed and the focus where it was, which may be a moment later; before, it would be taken back."""
    page.wait_for_selector("#sheet", state="hidden")
    frame.locator(f":is({place}):focus, :is({place}) :focus").wait_for(state="attached")


SMALL = """() => {
  const height = (each) => each.getBoundingClientRect().height;
  return [...document.querySelectorAll('a, button, input:not([type=hidden]), select, summary')]
    .filter((each) => each.offsetParent && Math.max(height(each), height(each.closest('label') || each)) < 40)
    .map((each) => each.outerHTML.slice(0, 60));
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_of_its_own(opened: Any, address: str, width: int) -> None:
    """Also folded parts, pages that ask or reject, in the dark: nothing that axe finds, nothing small or too wide."""
    page = opened(width, foreseen="status of 400", color_scheme="dark")
    for place in (
        "columns?file=digits.csv",
        "columns?file=other_run.csv",
        "join?file=digits.csv&other=other_run.csv",
        "join?file=digits.csv&other=many.csv&key=id&column=x",
        "join?file=scores.csv&other=other_run.csv",
    ):
        page.goto(address + place)
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert not violations(page), place
        assert fits(page, width), place
        assert page.evaluate(SMALL) == [], place
        assert " --" not in page.inner_text("main"), place


@pytest.mark.parametrize("width", [1280, 390])
def test_each_place_opens_its_rows(opened: Any, address: str, width: int) -> None:
    """Pixel, list of confusions, what to fix first and class row: by mouse or touch, and by keyboard."""
    page = opened(width)
    page.goto(f"{address}explore?file=many.csv&t=truth&s=predicted")
    frame = page.frame_locator("iframe")
    frame.locator(".pixels img").wait_for()

    def press(place: Any) -> None:
        place.scroll_into_view_if_needed()
        (place.tap if width < 600 else place.click)()

    def opened() -> str:
        page.wait_for_selector("#sheet:not([hidden]) h2")
        heading = page.inner_text("#sheet h2")
        page.click("#close")
        assert page.is_hidden("#sheet")
        return heading

    frame.locator("summary", has_text="Classes").first.click()
    for selector in ("table.largest tbody tr", "table.fix tbody tr", "table.classes tbody tr"):
        row = frame.locator(selector).first
        press(row.locator("th").first)
        by_touch = opened()
        row.focus()
        page.keyboard.press("Enter")
        assert opened() == by_touch
        assert by_touch.startswith("True c")
    press(frame.locator(".pixels img"))
    assert "predicted as" in opened()
    frame.locator(".pixels").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    first = opened()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert opened() != first


@pytest.mark.parametrize("width", [1280, 390])
def test_comparison_changes_thresholds_and_history(opened: Any, address: str, width: int) -> None:
    """From the predictions of another run to the rows that changed; and the other pages that can be reached."""
    page = opened(width)
    page.goto(f"{address}columns?file=digits.csv")
    page.click("summary:has-text('another file')")
    page.select_option("select[name=other]", "other_run.csv")
    page.click("text=its columns")
    page.wait_for_selector("select[name=key]")
    assert not violations(page)
    page.click("text=Add it")
    page.wait_for_selector("text=rows found svm of other_run.csv by id")
    page.check("input[name=s][value='svm (other_run.csv)']")
    page.click("button:has-text('Evaluate')")
    page.click("nav >> text=comparison")
    page.frame_locator("iframe").locator("h1").wait_for()
    assert not violations(page)
    page.click("nav >> text=changes")
    page.wait_for_selector("text=predictions changed")
    assert fits(page, width)
    assert not violations(page)
    button = page.locator(".changes button").first
    count = button.inner_text()
    button.click()
    page.wait_for_selector(f"#sheet h2:has-text(': {count} row')")
    assert fits(page, width)
    assert not violations(page)
    page.keyboard.press("Escape")
    page.locator("table .open-rows").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("#sheet [data-verdict]")
    page.goto(f"{address}explore?file=scores.csv&t=truth&s=predicted&p=score&y=fraud")
    page.click("nav >> text=thresholds")
    page.frame_locator("iframe").locator("#slider").wait_for()
    assert not violations(page)
    page.goto(address)
    page.click("text=Runs over time")
    page.frame_locator("iframe").locator("h1:has-text('run')").wait_for()
    assert fits(page, width)
    assert not violations(page)


def test_a_file_that_changed_is_said_to_have(opened: Any, address: str, tmp_path: Path) -> None:
    dropped = tmp_path / "mine.csv"
    dropped.write_text("truth,predicted\n" + "a,b\nb,b\nb,a\n" * 20)
    page = opened()
    page.goto(address)
    page.set_input_files("#pick", dropped)
    page.wait_for_selector("form")
    page.click("button:has-text('Evaluate')")
    cell = page.frame_locator("iframe").locator(".cm td").first
    cell.wait_for()
    page.evaluate("document.querySelector('#sheet').dataset.state = '1-1'")
    cell.click()
    page.wait_for_selector("#sheet >> text=has changed since")
    page.click("text=Evaluate it anew")
    cell.wait_for()


def test_the_page_in_the_frame_is_that_of_the_command(opened: Any, address: str) -> None:
    page = opened()
    page.goto(f"{address}explore?file=digits.csv&t=truth&s=svm")
    made = page.request.get(f"{address}report?file=digits.csv&t=truth&s=svm").text()
    assert "infoscope evaluate digits.csv -t truth -s svm -o report.html" in made
    assert page.frame_locator("iframe").locator("h1").inner_text().startswith("svm is right in")


def test_rejections_are_seen(opened: Any, address: str, tmp_path: Path) -> None:
    page = opened(foreseen="status of 4")
    page.goto(address + "explore?file=digits.csv&t=truth&s=none")
    frame = page.frame_locator("iframe")
    frame.get_by_text("no column").wait_for()
    frame.get_by_role("link", name="to the files").click()
    page.get_by_role("heading", name="Which predictions?").wait_for()
    (tmp_path / "large.zip").write_bytes(b"0" * 20_000_000)
    page.set_input_files("#pick", tmp_path / "large.zip")
    page.get_by_text("This is no file of rows").wait_for()


def test_a_verdict_that_is_not_kept_is_said_not_to_be(opened: Any, address: str) -> None:
    page = opened(foreseen="status of 507")
    page.goto(address + "explore?file=digits.csv&t=truth&s=svm")
    page.frame_locator("iframe").locator(CELL).click()
    page.locator("#rows h2").wait_for()
    rejected = "<main><h1>Not possible</h1><p>There is no more room on the disk.</p></main>"
    page.route("**/verdict", lambda route: route.fulfill(status=507, body=rejected))
    page.locator("[data-verdict='unclear']").first.click()
    page.get_by_text("There is no more room").wait_for()
    assert page.locator("[data-verdict][aria-pressed=true]").count() == 0
    page.unroute("**/verdict")
