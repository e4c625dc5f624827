"""The page and the pictures: size, time to make, first paint and interaction, against PyCM's page and scikit-learn.

Run with ``make bench`` or ``.venv/bin/python benchmarks/report.py``; the browser part needs chromium and playwright.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pycm
from matplotlib import pyplot
from sklearn.metrics import ConfusionMatrixDisplay
from timing import best, sized

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import infoscope
from infoscope.figures import ConfusionDisplay, CoverageDisplay, EntropyTriangleDisplay
from tests.reports.pages import certainties, comparison, plain, settings, systems, typical

mpl.use("Agg")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
INTERACTIONS = {
    "pick a system": (".forest .pick", "document.querySelector('.forest .pick').click()"),
    "choose another metric": (
        "#metric",
        "(m => { m.value = 'accuracy'; m.dispatchEvent(new Event('change')); })(document.querySelector('#metric'))",
    ),
    "search a class": (
        ".classes",
        "(s => { s.value = '7'; s.dispatchEvent(new Event('input')); })"
        "(document.querySelector('article:not([hidden]) input[type=search]'))",
    ),
    "sort the classes": (
        ".classes",
        "document.querySelector('article:not([hidden]) .classes .sort').click()",
    ),
    "move the slider": (
        "#slider",
        "(s => { s.value = 1; s.dispatchEvent(new Event('input')); })(document.querySelector('#slider'))",
    ),
}
"""Action of the benchmark, by the element that it needs."""


def pictures() -> None:
    print("\npictures, made as text or drawn on axes (ms)")
    for classes in sized((10, 100), (10,)):
        table = next(iter(systems(1, classes, 100 * classes).values()))
        counts = np.asarray(table.counts)
        ours = best(lambda table=table: ConfusionDisplay.from_table(table).to_svg(), 3)

        def peer(counts: np.ndarray = counts) -> None:
            ConfusionMatrixDisplay(counts).plot()
            pyplot.gcf().canvas.draw()
            pyplot.close("all")

        theirs = best(peer, 1)
        ratio = f"{theirs / ours:6.1f} times"
        print(
            f"  confusion matrix, {classes:3d} classes: {ours * 1e3:8.1f}   scikit-learn {theirs * 1e3:9.1f}   {ratio}"
        )
    tables = systems(*sized((20, 10), (4, 3)))
    for display in (EntropyTriangleDisplay, CoverageDisplay):
        ours = best(lambda display=display: display.from_table(tables).to_svg(), 3)
        print(f"  {display.__name__}, 20 systems: {ours * 1e3:8.1f}")


def pages(folder: Path) -> dict[str, Path]:
    print("\npages: size (kB) and time to make (ms)")
    found = {}
    made = {
        "5 systems × 10 classes": typical(),
        "1 system × 2 classes": plain(systems(1, 2, 300)),
        "20 systems × 10 classes": plain(systems(*sized((20, 10), (4, 3)))),
        "1 system × 100 classes": plain(systems(1, *sized((100, 10_000), (10, 1000)))),
        "3 systems × 1000 classes": plain(systems(3, *sized((1000, 60_000), (20, 2000)))),
    }
    for name, evaluation in made.items():
        took = best(lambda evaluation=evaluation: evaluation.to_html(), 2)
        found[name] = evaluation.to_html(folder / f"{len(found)}.html")
        print(f"  {name:26s} {found[name].stat().st_size / 1e3:8.0f} {took * 1e3:8.0f}")
    written = {
        "comparison of 3 systems": comparison().to_html,
        "rejections, 4 classes": _rejections,
        "5 settings": settings().to_html,
    }
    for name, page in written.items():
        took = best(page, 2)
        found[name] = folder / f"{len(found)}.html"
        found[name].write_text(str(page()), encoding="utf-8")
        print(f"  {name:26s} {found[name].stat().st_size / 1e3:8.0f} {took * 1e3:8.0f}")
    size = sized(100, 10)
    counts = np.asarray(next(iter(systems(1, size, 100 * size).values())).counts)
    matrix = {str(i): {str(j): int(counts[i, j]) for j in range(size)} for i in range(size)}
    peer = pycm.ConfusionMatrix(matrix=matrix)
    took = best(lambda: peer.save_html(str(folder / "pycm")), 1)
    found["PyCM, 1 system × 100"] = folder / "pycm.html"
    print(f"  {'PyCM, 1 system × 100':26s} {(folder / 'pycm.html').stat().st_size / 1e3:8.0f} {took * 1e3:8.0f}")
    return found


def _rejections() -> str:
    return certainties().to_html()


_LABELS = """
import numpy as np
import infoscope as ifs
rng = np.random.default_rng(1)
names = np.array([f"class {{at}}" for at in range({classes})], dtype=object)
truth = rng.integers(0, {classes}, {rows})

def predicted(right):
    wrong = (truth + rng.integers(1, {classes}, {rows})) % {classes}
    return names[np.where(rng.random({rows}) < right, truth, wrong)]
"""


_SMALL_FILE = {
    "columns named": ["evaluate", "digits.csv", "-t", "truth", "-s", "svm"],
    "columns guessed, two systems": ["evaluate", "digits.csv"],
    "columns guessed, JSON": ["evaluate", "digits.csv", "--format", "json"],
    "columns guessed, the page": ["evaluate", "digits.csv", "-o", "page.html"],
    "compare": ["compare", "digits.csv", "-t", "truth", "-s", "svm,naive_bayes"],
    "gate": ["gate", "digits.csv", "-t", "truth", "-s", "svm", "--min", "accuracy=0.9"],
    "count": ["count", "digits.csv", "-t", "truth", "-s", "svm", "-o", "digits.ifs", "--force"],
    "explain": ["explain"],
    "help": ["evaluate", "--help"],
}
"""Commands on the digits that come with the package; 0.7 s is promised of each."""


def whole_processes() -> None:
    print("\nwhole processes, processor seconds from start to end")
    large, judged = sized((214, 6000), (5, 200)), sized((50, 8000), (5, 200))
    cases = {f"small file: {name}": (0.7, ["-m", "infoscope", *words]) for name, words in _SMALL_FILE.items()}
    cases[f"{large[0]} classes × 4 systems, with the page"] = (
        2.0,
        [
            "-c",
            _LABELS.format(classes=large[0], rows=large[1])
            + "ifs.evaluate(names[truth], {f's{at}': predicted(0.3 + at / 10) for at in range(4)}).to_html()",
        ],
    )
    cases[f"a judge of {judged[0]} classes"] = (
        2.0,
        [
            "-c",
            _LABELS.format(classes=judged[0], rows=judged[1])
            + "known = names[truth]\nknown[600:] = None\nifs.evaluate(known, predicted(0.8), judge=predicted(0.85))",
        ],
    )
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(Path(infoscope.__file__).parent / "data" / "digits.csv", name)
        for case, (promised, words) in list(cases.items())[: sized(None, 1)]:
            took = min(_processor_seconds(words, Path(name)) for _ in range(sized(3, 1)))
            print(f"  {case:45s} {took:6.2f}   promised {promised:g}: {'kept' if took < promised else 'BROKEN'}")


def _processor_seconds(words: list[str], folder: Path) -> float:
    """Of a process of Python with these arguments; byte code is kept, as it is for users."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, capture_output=True, cwd=folder, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def in_browser(found: dict[str, Path]) -> None:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        print("\nno chromium: first paint and interaction are not measured")
        return
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only with a browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        print("\nfirst paint, all loaded and ready, and from an action to the next frame (ms, best of 3)")
        for name, path in list(found.items())[: sized(None, 1)]:
            runs = [visit(browser, path) for _ in range(sized(3, 1))]
            print(f"  {name:30s} " + "   ".join(f"{what} {min(run[what] for run in runs):.0f}" for what in runs[0]))
        browser.close()


def visit(browser: Any, path: Path) -> dict[str, float]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    found = {"first paint": first_paint(page)}
    ours = "pycm" not in path.name
    if ours:
        page.wait_for_selector("html[data-ready]", state="attached")
    found["loaded"] = page.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart")
    for name, (needs, action) in INTERACTIONS.items() if ours else ():
        if not page.locator(needs).count():
            continue
        found[name] = page.evaluate(
            f"new Promise(done => {{ const t = performance.now(); {action};"
            " requestAnimationFrame(() => setTimeout(() => done(performance.now() - t))); })"
        )
    context.close()
    return found


def first_paint(page: Any) -> float:
    """Return the time of the first paint, by polling, since the page's policy forbids to wait."""
    for _ in range(500):
        entries = page.evaluate("performance.getEntriesByName('first-contentful-paint').map(entry => entry.startTime)")
        if entries:
            return float(entries[0])
        page.wait_for_timeout(10)
    raise TimeoutError("nothing was painted in five seconds")


if __name__ == "__main__":
    pictures()
    whole_processes()
    with tempfile.TemporaryDirectory() as name:
        in_browser(pages(Path(name)))
