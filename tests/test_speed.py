"""What starting and large tables must not cost: nothing is loaded that is not needed, and short cuts change nothing."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linear_sum_assignment

from infoscope.metrics import mirkin_distance, van_dongen_distance
from infoscope.numeric import best_assignment
from infoscope.tables import Contingency

HEAVY = ["pandas", "polars", "pyarrow", "narwhals", "matplotlib", "sklearn", "scipy.optimize", "scipy.stats", "asyncio"]


def test_evaluating_a_small_file_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    rows = ["truth,system", *(f"{label},{label}" for label in "abc" * 30), "a,b", "b,c", "c,a"]
    (tmp_path / "small.csv").write_text("\n".join(rows) + "\n")
    code = (
        "import sys\nfrom infoscope.cli import main\n"
        "sys.argv[1:] = ['evaluate', 'small.csv', '--truth', 'truth', '-s', 'system']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules and name != 'narwhals']\n"
        "loaded += ['narwhals'] * ('narwhals.dataframe' in sys.modules)\n"
        "sys.exit(f'loaded {loaded}' if loaded else 0)"
    )

    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "captures" in done.stdout


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
