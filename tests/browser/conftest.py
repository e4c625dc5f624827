"""A real browser: chromium driven by Playwright, and axe-core; tests skip where these are missing."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest

from infoscope import Comparison, Evaluation, compare, datasets, evaluate

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
AXE_CODE = AXE.read_text(encoding="utf-8") if AXE.is_file() else ""
RUN_AXE = Path(__file__).with_name("accessibility.js").read_text(encoding="utf-8").rstrip().rstrip(";")

SMOKE = (
    "test_page.py::test_page_opens_fits_and_is_accessible[typical-desktop]",
    "test_page.py::test_page_opens_fits_and_is_accessible[hostile-dark phone]",
    "test_page.py::test_without_code_the_essentials_are_there",
    "test_page.py::test_matrix_and_class_table_are_tied",
    "test_page.py::test_comparison_by_any_metric_and_level",
    "test_other_pages.py::test_page_opens_fits_and_is_accessible[comparison-desktop]",
    "test_other_pages.py::test_page_opens_fits_and_is_accessible[gate-dark phone]",
    "test_other_pages.py::test_page_opens_fits_and_is_accessible[multilabel-dark phone]",
    "test_other_pages.py::test_slider_shows_what_python_computed",
    "test_tracker_page.py::test_page_opens_fits_and_is_accessible[trackers-desktop]",
    "test_explorer.py::test_from_the_folder_to_the_rows[1280]",
)
"""Browser tests of `make test`: each kind of page works, and the explorer leads to rows."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, and those of them that `make test` runs."""
    here = [item for item in items if "tests/browser/" in item.nodeid]
    for item in here:
        item.add_marker("browser")
        if item.nodeid.removeprefix("tests/browser/") in SMOKE:
            item.add_marker("smoke")


class Pages(dict[str, Path]):
    """Reports as files, each made when it is first asked for."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]], folder: Path) -> None:
        super().__init__()
        self.makers, self.folder = makers, folder

    def __missing__(self, name: str) -> Path:
        self[name] = self.makers[name]().to_html(self.folder / f"{len(self)} {name}.html")
        return self[name]


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """Reports: usual, small, many systems, many classes, hostile names, and the example of every kind."""
    from tests.figures import test_track_displays as tracks
    from tests.reports import pages as reports
    from tests.results.examples import EXAMPLES, example

    made: dict[str, Callable[[], Any]] = {
        "typical": reports.typical,
        "long names": lambda: reports.plain(
            {
                f"{at}_model_of_the_second_quarter_checkpoint_{7 * at}": t
                for at, t in enumerate(reports.systems(3, 3, 300).values())
            }
        ),
        "small": lambda: reports.plain(reports.systems(1, 2, 300)),
        "examples": reports.with_examples,
        "twenty": lambda: reports.plain(reports.systems(20, 10)),
        "thousand": lambda: reports.plain(reports.systems(3, 1000, 60_000)),
        "birds": lambda: reports.plain(
            reports.systems(1, 40, labels=[f"{at} northern {'red-crowned ' * (at % 3)}warbler" for at in range(40)])
        ),
        "hostile": reports.hostile,
        "demo": _demo,
        "page blocks": _page_blocks,
        "groups": reports.grouped,
        "settings": reports.settings,
        "hostile comparison": reports.comparison,
        "threshold": reports.scores,
        "rejections": reports.certainties,
        "trackers": tracks.scene,
        "hostile trackers": tracks.hostile,
    }
    return Pages(made | {kind: partial(example, kind) for kind in EXAMPLES}, tmp_path_factory.mktemp("pages"))


def _demo() -> Evaluation:
    """The bundled example, as `make demo` writes it."""
    from tests.api import SYSTEMS

    with as_file(files("infoscope") / "data" / "digits.csv") as path:
        return evaluate(str(path), truth="truth", system=SYSTEMS, reject="?")


def _page_blocks() -> Comparison:
    """The comparison that the README opens with."""
    data = datasets.page_blocks()
    return compare(data.y_true, data.predictions, positive="picture")


class Window:
    """One kind of window, watched: what its page logs, what it asks of the network."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(**({"offline": True, "viewport": {"width": 1280, "height": 900}} | options))
        self.has_code = options.get("java_script_enabled", True)
        self.page = self.context.new_page()
        self.size = dict(self.page.viewport_size)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on(
            "console", lambda message: message.type in ("error", "warning") and self.errors.append(message.text)
        )
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, path: Path) -> None:
        """Go to a page, as if to the first."""
        self.errors.clear()
        self.requests.clear()
        self.page.goto(path.as_uri())
        if self.has_code:
            self.page.wait_for_selector("html[data-ready], body.still", state="attached", timeout=20_000)

    def leave(self) -> None:
        """Nothing of the page is left; stored data there is none."""
        self.page.emulate_media(media="null")
        if self.page.viewport_size != self.size:
            self.page.set_viewport_size(self.size)
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")

    @property
    def outside(self) -> list[str]:
        """Requests for anything but the file itself and data inside it."""
        return [url for url in self.requests if not url.startswith(("file:", "data:", "blob:", "about:"))]


class Windows:
    """Windows in use and free ones of each kind: a new one takes the browser longer than most visits."""

    KEPT = 12

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.free: list[tuple[str, Window]] = []

    def taken(self, **options: Any) -> tuple[str, Window]:
        """A free window of the kind, or a new one."""
        kind = json.dumps(options, sort_keys=True)
        for at, (of_kind, window) in enumerate(self.free):
            if of_kind == kind:
                del self.free[at]
                return kind, window
        return kind, Window(self.browser, **options)

    def give_back(self, kind: str, window: Window) -> None:
        """Keep a window for the next visit of its kind; the one unused for longest is closed."""
        window.leave()
        self.free.append((kind, window))
        if len(self.free) > self.KEPT:
            self.free.pop(0)[1].context.close()


@pytest.fixture(scope="session")
def windows(browser: Any) -> Windows:
    return Windows(browser)


@pytest.fixture
def visit(windows: Windows, pages: Pages) -> Iterator[Any]:
    """Open a page; at the end none may have logged an error or asked for anything outside."""
    visits: list[tuple[str, Window]] = []

    def open_page(name: str, *, folded: bool = False, **options: Any) -> Any:
        """Open a page, with every part that is folded at first unless that is what a test is about."""
        kind, window = windows.taken(**options)
        visits.append((kind, window))
        window.open(pages[name])
        if not folded:
            window.page.evaluate("document.querySelectorAll('.folds > details').forEach((fold) => (fold.open = true))")
            if window.has_code:  # a map places its names in the frame that shows it first
                window.page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        return window.page

    yield open_page
    for kind, window in visits:
        windows.give_back(kind, window)
        assert window.errors == []
        assert window.outside == []


def violations(page: Any) -> list[tuple[str, str, int, str]]:
    """Return the violations that axe finds on a page with all folds open: rule, impact, number and first place."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (tools/browser-packages), so accessibility is not checked")
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE_CODE)  # past the page's policy, as a tester may
    return [tuple(found) for found in page.evaluate(RUN_AXE)]


def serious(found: list[tuple[str, str, int, str]]) -> list[tuple[str, str, int, str]]:
    return [each for each in found if each[1] in ("serious", "critical")]
