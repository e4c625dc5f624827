"""The same information of several columns as dit, where it is installed (extra ``peers``)."""

import numpy as np
import pytest

from tests.api import Rows, SetMeasures, conditional_information, source_triangle, split_information

dit = pytest.importorskip("dit")


def columns(seed: int, rows: int = 200) -> dict[str, np.ndarray]:
    """Three columns that depend on each other, each a little on its own."""
    rng = np.random.default_rng([92, seed])
    x, y = rng.integers(3, size=rows), rng.integers(2, size=rows)
    z = np.where(rng.random(rows) < 0.7, (x + y) % 3, rng.integers(3, size=rows))
    return {"x": x, "y": np.where(rng.random(rows) < 0.3, x % 2, y), "z": z}


def distribution(values: dict[str, np.ndarray]) -> object:
    outcomes, counts = np.unique(np.array(list(values.values())), axis=1, return_counts=True)
    names = ["".join(map(str, column)) for column in outcomes.T.tolist()]
    found = dit.Distribution(names, (counts / counts.sum()).tolist())
    found.set_rv_names("".join(values))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_measures_of_three_columns(seed: int) -> None:
    values = columns(seed)
    patterns, theirs = Rows.from_columns(values), distribution(values)
    ours = SetMeasures.of(patterns, list(values))

    assert ours.entropy == pytest.approx(float(dit.shannon.entropy(theirs)), abs=1e-12)
    assert ours.total_correlation == pytest.approx(float(dit.multivariate.total_correlation(theirs)), abs=1e-12)
    assert ours.dual_total_correlation == pytest.approx(
        float(dit.multivariate.dual_total_correlation(theirs)), abs=1e-12
    )
    assert ours.o_information == pytest.approx(float(dit.multivariate.o_information(theirs)), abs=1e-12)
    assert ours.residual_entropy == pytest.approx(float(dit.multivariate.residual_entropy(theirs)), abs=1e-12)
    # co-information has the other sign for three columns
    assert ours.interaction == pytest.approx(-float(dit.multivariate.coinformation(theirs)), abs=1e-12)
    given = float(dit.multivariate.coinformation(theirs, ["x", "z"], "y"))
    assert conditional_information(patterns, ["x"], ["z"], ["y"]) == pytest.approx(given, abs=1e-12)


def test_aggregate_point_of_the_source_triangle() -> None:
    values = columns(7)
    whole = source_triangle(Rows.from_columns(values))[-2]
    theirs = dit.profiles.EntropyTriangle(distribution(values)).points[0]
    assert sorted([whole.divergence, whole.shared, whole.own]) == pytest.approx(sorted(theirs), abs=1e-12)


def test_bounds_contain_a_partial_decomposition() -> None:
    """dit's BROJA is off by 2e-4 on the modulo-3 sum, hence the tolerance."""
    values = {name: column % 2 for name, column in columns(8).items()}
    split = split_information(Rows.from_columns(values), "x", "y", "z")
    theirs = dit.pid.PID_BROJA(distribution(values), [["x"], ["y"]], ["z"])
    for part, name in (
        (split.shared, (("x",), ("y",))),
        (split.only_first, (("x",),)),
        (split.only_second, (("y",),)),
        (split.only_together, (("x", "y"),)),
    ):
        value = float(theirs.get_pi(name))
        assert part.low - 1e-3 <= value <= part.high + 1e-3
