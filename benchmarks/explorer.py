"""The budgets of the explorer: rows of a cell, guessed columns, runs over time, example rows in a page.

    python benchmarks/explorer.py             # the table in measurements.md; makes a file of ten million rows
    python benchmarks/explorer.py --browser   # and from the click to the rows on the screen, in Chromium

Times are of the fastest of three: by the clock, which other work on the machine lengthens, and of the processor.
"""

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from timing import sized

import infoscope as ifs
from infoscope.explorer import open_server
from infoscope.readers.cell_rows import CellQuery, ChangeQuery, KnownCounts, read_cell_rows
from infoscope.readers.columns import first_rows, guess_roles

ROWS = sized(10_000_000, 4000)
TEXT_ROWS = sized(2_000_000, 2_000)
RUNS = sized(1000, 3)
CLASSES = 20


def measured(what: str, budget: float | None, work: Callable[[], Any], repeats: int = 3) -> Any:
    """Say how long something takes, and give what it returned."""
    clock, processor = [], []
    for _ in range(sized(repeats, 1)):
        start, spent = time.perf_counter(), time.process_time()
        found = work()
        clock.append(time.perf_counter() - start)
        processor.append(time.process_time() - spent)
    promise = "" if budget is None else f"   budget {budget:g} s"
    print(f"{what:56s} {min(clock):7.3f} s, processor {min(processor):6.3f} s{promise}", flush=True)
    return found


def ten_million(path: Path) -> Path:
    """Rows of 20 classes in 9 columns, two of them predictions, as Parquet."""
    duckdb.execute(
        f"COPY (SELECT i AS id, 'class ' || (hash(i) % {CLASSES}) AS truth, CASE WHEN hash(i + 1) % 100 < 80 THEN "
        f"'class ' || (hash(i) % {CLASSES}) ELSE 'class ' || (hash(i + 2) % {CLASSES}) END AS svm, CASE WHEN "
        f"hash(i + 5) % 100 < 70 THEN 'class ' || (hash(i) % {CLASSES}) ELSE 'class ' || (hash(i + 6) % {CLASSES}) END "
        "AS tree, round((hash(i + 3) % 1000000) / 1e6, 4) AS score, ['north', 'south', 'east', 'west'][1 + "
        "(hash(i + 4) % 4)::INT] AS region, ['phone', 'desktop'][1 + (hash(i + 7) % 2)::INT] AS device, "
        f"TIMESTAMP '2026-01-01' + INTERVAL (i) SECOND AS made, 'text ' || hash(i + 8) || ' of a file' AS text "
        f"FROM range({ROWS}) t(i)) TO '{path}' (FORMAT parquet)"
    )
    return path


def rows(path: Path) -> None:
    """Measure the queries that a click sends."""
    cell = CellQuery("truth", "svm", "class 3", "class 5")
    source = str(path)
    measured("50 rows of a cell at random", 1.0, lambda: read_cell_rows(source, cell))
    measured(
        "… with two columns of segments", 1.0, lambda: read_cell_rows(source, replace(cell, by=("region", "device")))
    )
    confident = replace(cell, order="most confident", score="score")
    measured("… the most confident", 1.0, lambda: read_cell_rows(source, confident))
    measured("… of the diagonal", 1.0, lambda: read_cell_rows(source, replace(cell, predicted="class 3")))
    known = KnownCounts()
    both = replace(cell, by=("region", "device"))
    clicked(path, both, known)
    measured("… with these, a later click", 1.0, lambda: clicked(path, both, known))
    measured("… found by a search", None, lambda: read_cell_rows(source, replace(cell, search="777")))
    changed = ChangeQuery("truth", "svm", "tree", "worse")
    measured("50 rows that got worse from svm to tree", None, lambda: read_cell_rows(source, changed))


def text_rows(path: Path, folder: Path) -> Path:
    """The same from text, and from a small file."""
    large, small = folder / "rows.csv", folder / "few.csv"
    duckdb.execute(f"COPY (FROM '{path}' LIMIT {TEXT_ROWS}) TO '{large}' (FORMAT csv)")
    duckdb.execute(f"COPY (FROM '{path}' LIMIT 2000) TO '{small}' (FORMAT csv)")
    cell = CellQuery("truth", "svm", "class 3", "class 5", by=("region", "device"))
    for name, source, budget in ((f"{TEXT_ROWS:,} rows of CSV", large, 1.5), ("a small file", small, 0.25)):
        known = KnownCounts()
        measured(f"50 rows of a cell, {name}", budget, lambda source=source: read_cell_rows(str(source), cell))
        measured("… a later click", budget, lambda source=source, known=known: clicked(source, cell, known))
    return large


def clicked(path: Path, cell: CellQuery, known: KnownCounts) -> object:
    """Answer a click as the explorer does: the counts are kept for the next one."""
    return read_cell_rows(str(path), cell, None, known)


class ServedProcess:
    """The explorer of a folder as the command starts it."""

    def __init__(self, folder: Path) -> None:
        words = [sys.executable, "-m", "infoscope", "serve", "--no-browser", str(folder)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()

    def ask(self, path: str, body: bytes | None = None) -> bytes:
        """The answer to a request."""
        origin = "/".join(self.address.split("/")[:3])
        request = urllib.request.Request(self.address + path, data=body, headers={"Origin": origin} if body else {})
        with urllib.request.urlopen(request, timeout=600) as answer:
            return answer.read()

    @property
    def memory(self) -> str:
        """Return the memory of the process, and its peak."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        held = {line.split()[0]: int(line.split()[1]) / 1000 for line in lines if line.startswith(("VmRSS", "VmHWM"))}
        return f"{held['VmRSS:']:7.0f} MB, at most {held['VmHWM:']:.0f} MB   budget 400 MB"

    def close(self) -> None:
        """A request to end; an interrupt would be ignored by what was started in the background."""
        self.process.terminate()
        self.process.wait(60)


def served(path: Path, text: Path) -> None:
    """The whole way over the wire: start, report, clicks, an upload; and the memory of it."""
    started = []

    def start() -> None:
        for old in started:
            old.close()
        started[:] = [ServedProcess(path.parent)]
        started[0].ask("")

    measured("start to the first answer", 1.5, start)
    (server,) = started
    columns = f"file={path.name}&t=truth&s=svm&b=region&b=device"
    measured("report over the wire, first", 1.0, lambda: server.ask(f"report?{columns}"), repeats=1)
    for place in range(3):
        asked = f"rows?{columns}&system=svm&truth=class+{place}&predicted=class+{place + 5}"
        measured(f"rows over the wire, click {place + 1}", 1.0, lambda asked=asked: server.ask(asked), repeats=1)
    print(f"{'memory after that':56s} {server.memory}")
    content = text.read_bytes()
    measured(
        f"upload of {len(content) / 1e6:.0f} MB", None, lambda: server.ask("upload?name=a.csv", content), repeats=1
    )
    print(f"{'memory after that':56s} {server.memory}")
    server.close()


def guesses(path: Path, folder: Path) -> None:
    """Measure the guess of a file's columns."""
    small = folder / "small.csv"
    truth, predictions = ifs.datasets.digits()
    lines = [",".join(map(str, line)) for line in zip(truth, predictions["svm"], strict=True)]
    small.write_text("\n".join(["truth,svm", *lines]))
    for name, source in (("digits", small), (f"{ROWS:,} rows", path)):
        measured(f"columns guessed, {name}", 0.4, lambda source=source: guess_roles(first_rows(str(source), None)))


def history(folder: Path) -> None:
    """Runs of a system with ten classes."""
    rng = np.random.default_rng(4)
    runs = folder / "runs"
    runs.mkdir()
    for night in range(RUNS):
        truth = rng.integers(0, 10, 500)
        predicted = np.where(rng.random(500) < 0.9, truth, rng.integers(0, 10, 500))
        made = f"2026-{1 + night // 28 % 12:02}-{1 + night % 28:02}T00:00:00"
        found = ifs.evaluate(truth, {"svm": predicted}, sample_size=100, keep_rows=False)
        found = replace(found, provenance=replace(found.provenance, made=made))
        (runs / f"night-{night:04}.json").write_text(found.to_json())
    index = runs / ".infoscope-history.json"

    def first() -> None:
        index.unlink(missing_ok=True)
        ifs.history(runs)

    measured(f"history of {RUNS} runs, first", 2.0, first)
    measured(f"history of {RUNS} runs, again", 0.3, lambda: ifs.history(runs))


def examples(path: Path) -> None:
    """Rows that the page carries."""
    plain = len(ifs.evaluate(str(path), truth="truth", system="svm").to_html())
    shown = measured(
        "examples, 10 a cell, with the evaluation",
        None,
        lambda: ifs.evaluate(str(path), truth="truth", system="svm", examples=sized(10, 1)),
    )
    print(f"{'examples, added to the page':56s} {(len(shown.to_html()) - plain) / 1000:7.0f} kB   budget 300 kB")


def on_screen(path: Path) -> None:
    """From a click on a cell to its rows, in a real browser on this machine."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only where it is asked for

    server, explorer = open_server(path.parent)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    program = os.environ.get("INFOSCOPE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        address = f"http://127.0.0.1:{server.server_address[1]}/{explorer.key}/"
        page.goto(f"{address}explore?file={path.name}&t=truth&s=svm&b=region&b=device")
        cells = page.frame_locator("iframe").locator(".cm td")
        cells.nth(1).wait_for()
        waits = []
        for place in (1, 25, 60, 130):
            start = time.perf_counter()
            cells.nth(place).click()
            page.wait_for_selector("#sheet:not([hidden]) tr[data-row]")
            waits.append(time.perf_counter() - start)
            page.click("#close")
            page.evaluate("document.querySelector('#rows').replaceChildren()")
        print(f"{'from the first click to 50 rows on the screen':56s} {waits[0]:7.3f} s   budget 1 s")
        print(f"{'from a later click':56s} {max(waits[1:]):7.3f} s   budget 1 s")
        browser.close()
    server.shutdown()
    server.server_close()
    explorer.close()


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--browser", action="store_true", help="measure on the screen, too")
    asked.add_argument("--rows", type=Path, metavar="FILE", help="keep and use this Parquet file")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as name, contextlib.suppress(KeyboardInterrupt):
        folder = Path(name)
        path = options.rows or folder / "rows.parquet"
        if not path.exists():
            ten_million(path)
        rows(path)
        text = text_rows(path, folder)
        served(path, text)
        measured("report, warm", 1.0, lambda: ifs.evaluate(str(path), truth="truth", system="svm").to_html())
        guesses(path, folder)
        examples(path)
        history(folder)
        if options.browser:
            on_screen(path)


if __name__ == "__main__":
    main()
