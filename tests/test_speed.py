"""Start-up and large tables stay cheap: no module is loaded without need, and short cuts change no number."""

import os
import platform
import signal
import subprocess
import sys
from fractions import Fraction
from math import log1p
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import squareform

from infoscope import Contingency
from infoscope.metrics import mirkin_distance, van_dongen_distance
from tests.api import best_assignment, cut_clusters, link_by_average, log_lifts, main

HEAVY = ["pandas", "polars", "pyarrow", "narwhals.dataframe", "matplotlib", "sklearn", "asyncio"]
HEAVY += ["scipy.stats"]
COMMANDS = [
    ["evaluate", "small.csv", "--format", "json"],
    ["evaluate", "small.csv", "-o", "page.html"],  # up to here nothing is laid out for a terminal
    ["evaluate", "small.csv"],
    ["compare", "small.csv", "-t", "truth", "-s", "svm,knn"],
    ["gate", "small.csv", "-t", "truth", "-s", "svm", "--min", "accuracy=0.5"],
    ["evaluate", "tiny.csv", "-t", "truth", "-s", "svm"],
    ["sweep", "tiny.csv", "-t", "ill", "--score", "p", "--positive", "y"],
]


@pytest.mark.slow
def test_asking_about_a_small_file_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    tied = [f"{x},{x},{x}" for x in "abcdefg" * 9] + [f"h,{x},{x}" for x in "abcd"] + ["a,h,b", "b,h,b", "c,c,d"]
    (tmp_path / "small.csv").write_text("\n".join(["truth,svm,knn", *tied]) + "\n")
    (tmp_path / "tiny.csv").write_text("truth,svm,p,ill\n" + "a,a,0.9,y\nb,a,0.6,n\n" * 3 + "c,d,0.2,n\n" * 2)
    code = (
        "import sys\nfrom infoscope.cli import main\n"
        f"for words in {COMMANDS!r}:\n    sys.argv[1:] = words\n"
        "    try:\n        main()\n    except SystemExit as end:\n        assert not end.code, (words, end.code)\n"
        f"    absent = {HEAVY!r} + ['rich.console', 'rich.text'] * ('json' in words or 'page.html' in words)\n"
        "    given = ['numpy.ma'] * (words[0] == 'sweep')\n"  # the scores come from DuckDB with a mask
        "    loaded = [name for name in absent if name in sys.modules and name not in given]\n"
        "    assert not loaded, (words, loaded)\n"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "captures" in done.stdout


@given(st.integers(6, 14), st.integers(1, 4), st.randoms(use_true_random=False))
def test_average_linkage_is_scipys_ties_included(size: int, most: int, random: Random) -> None:
    distances = np.zeros((size, size))
    for i, j in zip(*np.triu_indices(size, 1), strict=True):
        distances[i, j] = distances[j, i] = random.randint(0, most)
    tree = linkage(squareform(distances), "average")

    merges = link_by_average(distances)

    np.testing.assert_allclose([merge.distance for merge in merges], tree[:, 2])
    for blocks in range(2, size // 2 + 1):
        wanted, found = fcluster(tree, blocks, "maxclust"), cut_clusters(merges, size, blocks)
        np.testing.assert_array_equal(wanted[:, None] == wanted, found[:, None] == found)


def test_the_best_assignment_of_many_classes_is_scipys() -> None:
    rng = np.random.default_rng(11)
    for shape in ((40, 40), (64, 23), (17, 60), (70, 70)):
        for weights in (rng.normal(size=shape), rng.integers(0, 3, shape).astype(float), np.full(shape, -1.0)):
            rows, columns = best_assignment(weights)
            assert weights[rows, columns].sum() == pytest.approx(weights[linear_sum_assignment(weights, True)].sum())
            assert len(set(columns.tolist())) == len(rows) == min(shape)
            assert rows.tolist() == sorted(rows.tolist())


@given(arrays(np.int64, st.tuples(st.integers(2, 5), st.integers(2, 5)), elements=st.integers(0, 20)))
def test_lifts_near_chance_are_exact(counts: np.ndarray) -> None:
    counts = counts * 1_000 + 100_000_000
    counts[0, 0] += 1
    table = Contingency.from_matrix(counts)
    total, rows, columns = int(counts.sum()), counts.sum(1), counts.sum(0)
    wanted = [
        float(log1p(Fraction(int(counts[i, j]) * total, int(rows[i]) * int(columns[j])) - 1))
        for i in range(len(rows))
        for j in range(len(columns))
    ]

    np.testing.assert_allclose(np.asarray(log_lifts(table)).ravel(), wanted, rtol=1e-9, atol=0)


@given(arrays(np.float64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.integers(-1, 9).map(float)))
def test_the_best_assignment_is_scipys(weights: np.ndarray) -> None:
    rows, columns = best_assignment(weights)
    wanted = linear_sum_assignment(weights, maximize=True)

    assert len(set(rows.tolist())) == len(set(columns.tolist())) == min(weights.shape)
    assert weights[rows, columns].sum() == weights[wanted].sum()
    best = weights.max(axis=1, keepdims=True)
    if ((weights == best).sum(1) == 1).all():  # no ties, so that there is one answer
        np.testing.assert_array_equal(columns, wanted[1]) if len(set(weights.argmax(1).tolist())) == len(rows) else None


@pytest.mark.parametrize("metric", [mirkin_distance, van_dongen_distance])
@given(counts=arrays(np.int64, st.tuples(st.integers(2, 5), st.integers(2, 5)), elements=st.integers(0, 20)))
def test_stored_cells_and_all_cells_give_the_same_distance(metric, counts: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    if not counts.any():
        counts[0, 0] = 1
    rows, columns = np.nonzero(counts)
    labels = [f"t{at}" for at in range(counts.shape[0])], [f"s{at}" for at in range(counts.shape[1])]
    dense = Contingency.from_matrix(counts, truth=labels[0], system=labels[1])
    sparse = Contingency.from_cells(*labels, rows, columns, counts[rows, columns], declared=True)
    batch = Contingency.from_matrix(np.stack([counts, counts.astype(float) + 1]), truth=labels[0], system=labels[1])

    assert float(metric(dense)) == pytest.approx(float(metric(sparse)), abs=1e-12)
    assert float(metric(batch)[0]) == pytest.approx(float(metric(dense)), abs=1e-12)


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries keep memory in ways of their own")
def test_memory_of_temporary_arrays_is_used_again() -> None:
    code = (
        "import resource, numpy as np\n"
        "from infoscope.core.numerics import keep_freed_memory\n"
        "keep_freed_memory()\n"
        "def faults(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "def work(): return [np.ones(100_000) for _ in range(4)]\n"
        "work()\n"
        "before = faults()\n"
        "for _ in range(20): work()\n"
        "print(faults() - before)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert int(done.stdout) < 1000, "20 × 4 arrays are 16,000 pages"


@pytest.mark.parametrize(("stated", "expected"), [(None, "4"), ("20", "20")])
def test_threads_of_linear_algebra_sleep_until_they_are_needed(
    monkeypatch: pytest.MonkeyPatch, stated: str | None, expected: str
) -> None:
    """Unless someone has stated how long they wait; the setting must stand before NumPy is loaded, so main has it."""
    seen = []
    monkeypatch.setattr("infoscope.cli.main", lambda: seen.append(os.environ["OPENBLAS_THREAD_TIMEOUT"]))
    monkeypatch.setattr("gc.set_threshold", lambda *_: None)
    monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", stated or "")
    if stated is None:
        monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT")
    heard = signal.getsignal(signal.SIGINT)
    try:
        main()
    finally:
        signal.signal(signal.SIGINT, heard)
    assert seen == [expected]
