"""Growth of cost with rows, classes, draws and workers, beside peers; drawn in docs/contributors/benchmarks.md.

Run with ``make bench`` or ``.venv/bin/python benchmarks/growth.py [PART ...]``: rows, classes, draws, workers.
Processor seconds of the fastest run, but for workers, where the clock counts.
"""

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pycm
from sklearn.metrics import confusion_matrix, mutual_info_score
from timing import best, interleaved, record, sized

import infoscope as ifs
from infoscope.metrics.registry import metrics_of

OURS = "infoscope"
Point = tuple[str, float, float]
"""Series, size, seconds."""
PEER_ROWS, PEER_CLASSES, PEER_DRAWS = sized(1_000_000, 1000), sized(100, 10), sized(1000, 20)
"""Beyond these sizes the peers take minutes."""


def rows() -> Iterator[Point]:
    """A table of 100 classes from two arrays of integers."""
    rng = np.random.default_rng(1)
    for n in sized((10_000, 100_000, 1_000_000, 10_000_000), (1000,)):
        truth, system = rng.integers(0, 100, (2, n))

        def ours(truth: np.ndarray = truth, system: np.ndarray = system) -> Any:
            return ifs.Contingency.from_labels(truth, system)

        yield OURS, n, best(ours, 5)
        if n <= PEER_ROWS:
            yield "scikit-learn confusion_matrix", n, best(lambda t=truth, s=system: confusion_matrix(t, s), 2)
            yield "pandas crosstab", n, best(lambda t=truth, s=system: pd.crosstab(t, s), 2)


def classes() -> Iterator[Point]:
    """Every metric of a full table, but the adjusted mutual information."""
    rng = np.random.default_rng(2)
    entries = [entry for entry in metrics_of() if entry.name != "adjusted_mutual_information"]
    for k in sized((2, 10, 30, 100, 300, 1000), (3,)):
        counts = rng.integers(1, 100, (k, k))

        def ours(counts: np.ndarray = counts) -> None:
            table = ifs.Contingency.from_matrix(counts)
            for entry in entries:
                entry.score(table)

        yield OURS, k, best(ours, 5)
        if k <= PEER_CLASSES:
            yield "PyCM", k, best(lambda c=counts: _pycm(c), 1)


def _pycm(counts: np.ndarray) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        pycm.ConfusionMatrix(matrix=counts)


def draws() -> Iterator[Point]:
    """Mutual information of tables drawn from a posterior of ten classes."""
    counts = np.random.default_rng(3).integers(1, 100, (10, 10))
    table = ifs.Contingency.from_matrix(counts)
    for n in sized((10, 100, 1000, 10_000), (20,)):

        def ours(n: int = n) -> Any:
            drawn = ifs.Posterior(table, "perks").draw_tables(n, np.random.default_rng(4))
            return ifs.metrics.mutual_information(drawn)

        def theirs(n: int = n) -> list[float]:
            drawn = np.random.default_rng(4).dirichlet(counts.ravel() + 0.01, n).reshape(-1, 10, 10)
            return [mutual_info_score(None, None, contingency=1000 * one) for one in drawn]

        yield OURS, n, best(ours, 3)
        if n <= PEER_DRAWS:
            yield "NumPy and scikit-learn", n, best(theirs, 1)


def workers() -> Iterator[Point]:
    """A Parquet file of text labels, by threads and by the clock."""
    n = sized(10_000_000, 10_000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.parquet"
        label = "'class ' || (hash(i + {0}) % 100)"
        said = f"CASE WHEN hash(i) % 5 > 0 THEN {label.format(0)} ELSE {label.format(1)} END"
        duckdb.connect().execute(
            f"COPY (SELECT {label.format(0)} AS gold, {said} AS said FROM range({n}) AS r(i)) TO '{path}'"
        )
        for threads in sorted({1, 2, *(2**i for i in range((os.cpu_count() or 1).bit_length()))}):
            if threads > (os.cpu_count() or 1):
                break
            works = {OURS: _reading(path, threads), "DuckDB group by": _grouping(path, threads)}
            for name, seconds in interleaved(works, 5).items():
                yield name, threads, seconds


def _reading(path: Path, threads: int) -> Callable[[], Any]:
    options = ifs.ReadOptions(threads=threads)
    return lambda: ifs.read_tables(path, truth="gold", system="said", read=options)


def _grouping(path: Path, threads: int) -> Callable[[], Any]:
    query = f"SELECT gold, said, count(*) FROM '{path}' GROUP BY ALL"
    return lambda: duckdb.connect(config={"threads": threads}).execute(query).fetchall()


PARTS: dict[str, Callable[[], Iterator[Point]]] = {"rows": rows, "classes": classes, "draws": draws, "workers": workers}

if __name__ == "__main__":
    for part in sys.argv[1:] or list(PARTS):
        print(f"{part}: {(PARTS[part].__doc__ or '').strip()}")
        for series, size, seconds in PARTS[part]():
            record(kind="growth", part=part, series=series, size=size, seconds=seconds)
            print(f"  {series:32s} {size:>12,.0f} {seconds * 1e3:12.3f} ms", flush=True)
