"""Reading against DuckDB's own group by, pandas and scikit-learn, as ratios of processor time in one run.

Run with ``make bench`` or ``.venv/bin/python benchmarks/reading.py [ROWS]``; 10^7 rows by default, 10^8 for the
figures of docs/scale.md. Data is made in a scratch folder that is removed afterwards.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix
from timing import best

import infoscope as ifs

ROWS = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
CLASSES = 100
PEER_ROWS = 500_000
PEAK = "int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) / 1024"
TEN = [f"s{i}" for i in range(10)]


def line(what: str, ours: float, theirs: float, promised: str, rows: int = ROWS) -> None:
    cost = f"{ours / rows * 1e9:8.2f} ns/row"
    print(f"{what:62s} {ours:8.3f} s  {cost}  {ours / theirs:6.2f}x of it  (promised {promised})", flush=True)


def make(folder: Path) -> None:
    """A log of text labels as Parquet and CSV, and one with ten systems."""
    label = f"'class ' || (hash(i) % {CLASSES})"
    other = "CASE WHEN hash(i + {0}) % 5 > 0 THEN " + label + f" ELSE 'class ' || (hash(i + {{0}} * 7) % {CLASSES}) END"
    connection = duckdb.connect()
    rows = f"FROM range({ROWS}) AS r(i)"
    connection.execute(f"COPY (SELECT {label} AS gold, {other.format(1)} AS said {rows}) TO '{folder}/log.parquet'")
    connection.execute(f"COPY (FROM '{folder}/log.parquet' LIMIT {ROWS // 5}) TO '{folder}/log.csv'")
    systems = ", ".join(f"{other.format(3 + i)} AS s{i}" for i in range(10))
    few = f"FROM range({ROWS // 5}) AS r(i)"
    connection.execute(f"COPY (SELECT {label} AS gold, {systems} {few}) TO '{folder}/ten.parquet'")
    connection.execute(f"COPY (FROM '{folder}/ten.parquet' LIMIT {ROWS // 10}) TO '{folder}/ten.csv'")


def group_by(relation: str, system: str = "said") -> Callable[[], Any]:
    statement = f"SELECT gold, {system}, count(*) FROM {relation} GROUP BY ALL"
    return lambda: duckdb.connect().execute(statement).fetchall()


def parquet(folder: Path) -> None:
    path = folder / "log.parquet"
    ours = best(lambda: ifs.read(path, "gold", "said"), 3)
    engine = best(group_by(f"'{path}'"), 3)
    line(f"Parquet, {ROWS:.0e} rows of text, against DuckDB's group by", ours, engine, "at most 1.15x")
    few = pd.read_parquet(path).head(PEER_ROWS)
    frame = min(_pandas(path, PEER_ROWS) for _ in range(2)) / PEER_ROWS * ROWS
    wall = min(_wall(lambda: ifs.read(path, "gold", "said")) for _ in range(3))
    print(f"{'  pandas read and groupby, per row, by the clock':62s} {frame / wall:8.1f}x slower  (promised 10x)")
    sklearn = best(lambda: confusion_matrix(few["gold"].to_numpy(object), few["said"].to_numpy(object)), 1)
    slower = sklearn / PEER_ROWS * ROWS / ours
    print(f"{'  scikit-learn confusion_matrix, per row':62s} {slower:8.1f}x slower  (promised 100x)")
    raw = _wall(path.read_bytes)
    size = path.stat().st_size
    share = f"{raw / wall:8.1%} of {size / raw / 1e9:.1f} GB/s"
    print(f"{'  share of raw read bandwidth (page cache, one thread)':62s} {share}")


def _wall(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _pandas(path: Path, rows: int) -> float:
    start = time.perf_counter()
    frame = pd.read_parquet(path)
    read = (time.perf_counter() - start) / len(frame)
    part = frame.head(rows)
    return read * rows + _wall(lambda: part.groupby(["gold", "said"], dropna=False).size())


def text(folder: Path) -> None:
    path, rows = folder / "log.csv", ROWS // 5
    names = "{'gold': 'VARCHAR', 'said': 'VARCHAR'}"
    relation = (
        f"read_csv('{path}', auto_detect=false, header=true, delim=',', quote='\"', escape='\"', columns={names})"
    )
    ours = best(lambda: ifs.read(path, "gold", "said"), 3)
    line(f"CSV, {rows:.0e} rows, against DuckDB's group by", ours, best(group_by(relation), 3), "at most 1.15x", rows)


def ten_systems(folder: Path) -> None:
    for name, rows in (("ten.csv", ROWS // 10), ("ten.parquet", ROWS // 5)):
        path = folder / name
        one = best(lambda path=path: ifs.read(path, "gold", "s0"), 2)
        ten = best(lambda path=path: ifs.read(path, "gold", TEN), 2)
        line(f"ten systems against one, {name}", ten, one, "at most 3x", rows)


def long_tail(folder: Path) -> None:
    """A million labels a side under a memory limit, in a process of its own so that its size is its own."""
    rows = ROWS
    path = folder / "tail.parquet"
    label = "'label ' || (hash(i + {0}) % 1000000)"
    select = f"SELECT {label.format(1)} AS gold, {label.format(2)} AS said FROM range({rows}) AS r(i)"
    duckdb.connect().execute(f"COPY ({select}) TO '{path}'")
    code = (
        "import sys, time, infoscope as ifs; t = time.process_time(); "
        "table = ifs.read(sys.argv[1], 'gold', 'said', memory_limit='1GB'); "
        f"print(table.total, len(table.cells), time.process_time() - t, {PEAK})"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    total, cells, seconds, size = map(float, done.stdout.split())
    assert total == rows
    print(
        f"{rows:.0e} rows, 10^6 labels a side, engine limit 1 GB: {cells:.0f} cells in {seconds:.1f} s, {size:.0f} MiB"
    )


def memory(folder: Path) -> None:
    code = f"import sys, infoscope as ifs; ifs.read(sys.argv[1], 'gold', 'said'); print({PEAK})"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder / "log.parquet")], capture_output=True, text=True, check=True
    )
    print(f"{'peak memory of the Parquet reading':62s} {float(done.stdout):8.0f} MiB  (promised below 512)")


def counter() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 8, 32):
        truth, system = rng.integers(0, 10, (2, size)).tolist()
        counting = ifs.Counter()

        def updates(counting: Any = counting, truth: Any = truth, system: Any = system) -> None:
            for _ in range(20_000):
                counting.update(truth, system)

        print(f"{f'counter, batches of {size}':62s} {20_000 / best(updates):10.0f} updates/s  (promised 100000)")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        make(Path(scratch))
        for part in (parquet, text, ten_systems, memory, long_tail):
            part(Path(scratch))
        counter()
