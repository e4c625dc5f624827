"""Reading against DuckDB's own group by, pandas and scikit-learn: ratios by the clock, tried in turn, best of several.

Run with ``make bench`` or ``.venv/bin/python benchmarks/reading.py [ROWS] [PART ...]``; 10^7 rows by default, 10^8 for
the figures of docs/contributors/reading.md (2 GB of disk). Parts are parquet, text, systems,
memory, tail and counter. Data is made in a scratch folder that is removed afterwards.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix
from timing import best, interleaved, record, sized, tried

import infoscope as ifs
from infoscope.readers import duckdb as counting
from infoscope.readers import parquet as encoded

ROWS = int(float(sys.argv[1])) if len(sys.argv) > 1 else sized(10_000_000, 20_000)
FEW = ROWS // 5  # for text, for ten systems, and for pandas, which needs 90 bytes a row
CLASSES = 100
UPDATES = sized(20_000, 200)
PEER_ROWS = sized(500_000, 1000)
PEAK = "int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) / 1024"
TEN = [f"s{i}" for i in range(10)]
LABEL = f"'class ' || (hash(i) % {CLASSES})"
OTHER = "CASE WHEN hash(i + {0}) % 5 > 0 THEN " + LABEL + f" ELSE 'class ' || (hash(i + {{0}} * 7) % {CLASSES}) END"


def make(path: Path, select: str) -> Path:
    if not path.exists():
        duckdb.connect().execute(f"COPY ({select}) TO '{path}'")
    return path


def log(folder: Path, rows: int, suffix: str = "parquet") -> Path:
    """Text labels of a truth and one system."""
    select = f"SELECT {LABEL} AS gold, {OTHER.format(1)} AS said FROM range({rows}) AS r(i)"
    return make(folder / f"log-{rows}.{suffix}", select)


def ten(folder: Path, suffix: str, rows: int) -> Path:
    """The same with ten systems."""
    systems = ", ".join(f"{OTHER.format(3 + i)} AS s{i}" for i in range(10))
    return make(folder / f"ten-{rows}.{suffix}", f"SELECT {LABEL} AS gold, {systems} FROM range({rows}) AS r(i)")


def group_by(relation: str) -> Callable[[], Any]:
    return lambda: duckdb.connect().execute(f"SELECT gold, said, count(*) FROM {relation} GROUP BY ALL").fetchall()


def ours(path: Path, system: str | list[str] = "said") -> Callable[[], Any]:
    return lambda: ifs.read_tables(path, truth="gold", system=system)


def by_engine(work: Callable[[], Any]) -> Callable[[], Any]:
    """The same without codes, as where the compiled part could not be built and pyarrow is missing."""

    def run() -> None:
        with patch.object(counting, "is_built", lambda: False), patch.object(encoded, "WORTH_TEXT", 1 << 60):
            work()

    return run


def say(what: str, figure: str, promised: str = "") -> None:
    record(kind="figure", what=what.strip(), figure=figure.strip())
    print(f"{what:66s} {figure}{f'  (promised {promised})' if promised else ''}", flush=True)


def ratio(what: str, seconds: float, peer: float, rows: int, promised: str = "") -> None:
    say(what, f"{seconds:8.3f} s  {seconds / rows * 1e9:7.2f} ns/row  {seconds / peer:5.2f}x of {peer:.3f} s", promised)


def parquet(folder: Path) -> None:
    path = log(folder, ROWS)
    raw = path.read_bytes
    time = interleaved(
        {"ours": ours(path), "plain": by_engine(ours(path)), "duckdb": group_by(f"'{path}'"), "raw": raw}
    )
    what = f"Parquet, {ROWS:.0e} rows of text, against DuckDB's group by"
    ratio(what, time["ours"], time["duckdb"], ROWS, "at most 1.15x; stretch 0.87x")
    ratio("  by the engine alone", time["plain"], time["duckdb"], ROWS, "at most 1.15x")
    size = path.stat().st_size
    share = f"{time['raw'] / time['ours']:8.1%} of {size / time['raw'] / 1e9:.1f} GB/s"
    say("  share of raw read bandwidth (page cache, one thread)", share)
    small = log(folder, FEW)
    time = interleaved({"ours": ours(small), "plain": by_engine(ours(small)), "pandas": lambda: _pandas(small)}, 2)
    say(f"  pandas read_parquet and groupby, {FEW:.0e} rows", f"{time['pandas'] / time['ours']:8.1f}x slower", "10x")
    say("  the same, ours by the engine alone", f"{time['pandas'] / time['plain']:8.1f}x slower", "10x")
    few = pd.read_parquet(small).head(PEER_ROWS)
    truth, said = few["gold"].to_numpy(object), few["said"].to_numpy(object)
    sklearn = interleaved({"sklearn": lambda: confusion_matrix(truth, said)}, 1)["sklearn"] / PEER_ROWS
    slower = sklearn / (time["ours"] / FEW)
    say("  scikit-learn confusion_matrix of ready arrays, per row", f"{slower:8.1f}x slower", "100x")


def _pandas(path: Path) -> Any:
    return pd.read_parquet(path, columns=["gold", "said"]).groupby(["gold", "said"], dropna=False).size()


def text(folder: Path) -> None:
    path = log(folder, FEW, "csv")
    names = "{'gold': 'VARCHAR', 'said': 'VARCHAR'}"
    relation = (
        f"read_csv('{path}', auto_detect=false, header=true, delim=',', quote='\"', escape='\"', columns={names})"
    )
    time = interleaved({"ours": ours(path), "duckdb": group_by(relation)})
    ratio(f"CSV, {FEW:.0e} rows, against DuckDB's group by", time["ours"], time["duckdb"], FEW, "at most 1.15x")


def systems(folder: Path) -> None:
    for suffix, rows, repeats in (("csv", ROWS // 25, 3), ("parquet", FEW, 15)):
        path = ten(folder, suffix, rows)
        times = tried(
            {"ten": ours(path, TEN), "one": ours(path, "s0"), "one plain": by_engine(ours(path, "s0"))}, repeats
        )
        best, middle = ({name: f(seconds) for name, seconds in times.items()} for f in (min, median))
        ratio(
            f"ten systems against one, {suffix}, middle of {repeats}", middle["ten"], middle["one"], rows, "at most 3x"
        )
        ratio("  best of them", best["ten"], best["one"], rows, "at most 3x")
        ratio("  middle, against one system grouped by the engine", middle["ten"], middle["one plain"], rows)
        slow = interleaved({"ten": by_engine(ours(path, TEN))}, 2)
        ratio("  best, all by the engine alone", slow["ten"], best["one plain"], rows)


def alone(code: str, path: Path) -> list[float]:
    """Return the output of a process of its own, so that its size is its own."""
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def memory(folder: Path) -> None:
    sources = (
        (f"one system, {ROWS:.0e} rows", log(folder, ROWS), "'said'"),
        (f"ten systems, {FEW:.0e} rows", ten(folder, "parquet", FEW), repr(TEN)),
    )
    ways = (("", ""), (", by the engine alone", "counting.is_built = lambda: False; "))
    for (what, path, names), (how, setting) in sized(
        list(product(sources, ways)), list(zip(sources, ways, strict=True))
    ):
        code = (
            f"import sys, infoscope as ifs; from infoscope.readers import duckdb as counting; {setting}"
            f"ifs.read_tables(sys.argv[1], truth='gold', system={names}); print({PEAK})"
        )
        say(f"peak memory, Parquet, {what}{how}", f"{alone(code, path)[0]:8.0f} MiB", "below 512")


def tail(folder: Path) -> None:
    """A million labels a side under a memory limit."""
    rows = min(ROWS, 10_000_000)
    label = "'label ' || (hash(i + {0}) % 1000000)"
    path = make(
        folder / "tail.parquet",
        f"SELECT {label.format(1)} AS gold, {label.format(2)} AS said FROM range({rows}) AS r(i)",
    )
    code = (
        "import sys, time, infoscope as ifs; t = time.perf_counter(); "
        "table = ifs.read(sys.argv[1], truth='gold', system='said', read=ifs.ReadOptions(memory='1GB')); "
        f"print(table.total, len(table.cells), time.perf_counter() - t, {PEAK})"
    )
    total, cells, seconds, size = alone(code, path)
    assert total == rows
    what = f"{rows:.0e} rows, 10^6 labels a side, engine limited to 1 GB"
    say(what, f"{cells:.0f} cells in {seconds:.1f} s, peak {size:.0f} MiB", "below 2048")


def counter(_folder: Path) -> None:
    rng = np.random.default_rng(0)
    for size in (1, 8, 32):
        truth, system = rng.integers(0, 10, (2, size)).tolist()
        counting = ifs.Counter()

        def updates(counting: Any = counting, truth: Any = truth, system: Any = system) -> None:
            for _ in range(UPDATES):
                counting.update(truth, system)

        say(f"counter, batches of {size}", f"{UPDATES / best(updates):10.0f} updates/s", "100000")


PARTS = {part.__name__: part for part in (parquet, text, systems, memory, tail, counter)}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        for name in sys.argv[2:] or PARTS:
            PARTS[name](Path(scratch))
