"""Runs at several settings: curves, fronts, the best one, and the random tree of Holt et al.'s Figure 7(a)."""

import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoscope as ifs
from tests.api import Rows, average_column, pareto_front

ROOT = Path(__file__).parents[2]
REFERENCE = Path(os.environ.get("INFOSCOPE_REFERENCE_DATA", ROOT.parent / "shared"))


def test_the_average_of_a_column_does_not_depend_on_the_order_of_its_rows():
    """An engine with several threads gives rows in any order, and sums of floats would differ in the last digit."""
    rng = np.random.default_rng(8)
    seconds = tuple(f"{cost!r}" for cost in rng.lognormal(sigma=3, size=100_000).tolist())
    codes = np.stack([np.zeros(100_000, dtype=np.int64), np.arange(100_000)])
    rows = Rows(("depth", "seconds"), (("1",), seconds), codes, rng.integers(1, 9, 100_000))
    orders = [rng.permutation(100_000) for _ in range(9)]
    averages = {
        average_column(Rows(rows.names, rows.labels, codes[:, order], rows.counts[order]), "seconds")
        for order in orders
    }

    assert len(averages) == 1
    assert averages.pop() == pytest.approx(np.average(np.array(seconds, dtype=float), weights=rows.counts))


def _run(right: int, wrong: int) -> ifs.Contingency:
    return ifs.Contingency.from_matrix([[right, wrong], [wrong, right]], truth=["a", "b"])


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=12))
def test_the_front_is_what_no_other_point_beats(points):
    gains, costs = np.array(points, dtype=float).T
    front = set(pareto_front(gains, costs).tolist())

    for i in range(len(points)):
        beaten = any(
            gains[j] >= gains[i] and costs[j] <= costs[i] and (gains[j] > gains[i] or costs[j] < costs[i])
            for j in range(len(points))
        )
        assert (i in front) == (not beaten)


def test_front_leaves_undefined_points_out():
    assert pareto_front(np.array([np.nan, 1.0]), np.array([0.0, 1.0])).tolist() == [1]


def test_settings_are_sorted_by_value_and_text_is_read_as_numbers():
    tuning = ifs.tune({"10": _run(30, 10), "2": _run(35, 5), "0.5": _run(20, 20)}, "rate")

    assert tuning.settings == ((0.5,), (2,), (10,))
    np.testing.assert_allclose(tuning.values("accuracy"), [0.5, 0.875, 0.75])
    curve = tuning.coverage_curve()
    assert curve["proficiency"][1] == pytest.approx(float(ifs.metrics.proficiency(_run(35, 5))))
    assert tuning.front() == [1]


def test_several_parameters_give_a_line_for_each_value_of_the_others():
    tuning = ifs.tune({(d, k): _run(20 + d, 20 - d - k) for d in (1, 2, 3) for k in (0, 5)}, ["depth", "k"])

    assert tuning.lines() == {(0,): [0, 2, 4], (5,): [1, 3, 5]}
    assert tuning.named(3) == {"depth": 2, "k": 5}
    shares = np.sum(list(tuning.triangle_curve().values()), axis=0)
    np.testing.assert_allclose(shares, 1.0)


def test_against_a_physical_measure():
    runs = {1: _run(25, 15), 2: _run(32, 8), 3: _run(31, 9), 4: _run(36, 4)}
    tuning = ifs.tune(runs, "size", against={1: 10, 2: 20, 3: 40, 4: 80}, against_name="seconds")

    assert tuning.front_against("accuracy") == [0, 1, 3]
    bits = tuning.values("mutual_information")
    np.testing.assert_allclose(tuning.information_per_unit(), bits / [10, 20, 40, 80])
    curve = tuning.learning_curve("accuracy")
    assert [point["against"] for point in curve] == [10, 20, 40, 80]
    assert curve[1]["per_unit"] == pytest.approx((0.8 - 0.625) / 10)
    assert np.isnan(curve[0]["per_unit"])


def test_probability_that_a_setting_is_best():
    pytest.importorskip("infoscope.posterior")
    clear = ifs.tune({1: _run(50, 50), 2: _run(95, 5), 3: _run(60, 40)}, "depth").best()
    assert clear.setting == {"depth": 2}
    assert clear.probability > 0.99
    assert sum(clear.probabilities) == pytest.approx(1)
    even = ifs.tune({1: _run(80, 20), 2: _run(80, 20)}, "depth").best("proficiency")
    assert even.probability == pytest.approx(0.5, abs=0.05)
    assert "probability" in str(even)


@pytest.mark.slow
def test_probability_of_being_best_equals_the_binomial_answer():
    """Accuracy of two systems under a uniform prior on each: P(Beta(a,b) > Beta(c,d)) by a million draws."""
    pytest.importorskip("infoscope.posterior")
    rng = np.random.default_rng(0)
    one, other = _run(42, 8), _run(38, 12)
    found = ifs.tune({1: one, 2: other}, "k").best("accuracy", prior="jeffreys", draws=8000)
    # with prior ½ a cell, the accuracy of a 2×2 table is Beta(right + 1, wrong + 1)
    chance = np.mean(rng.beta(85, 17, 1_000_000) > rng.beta(77, 25, 1_000_000))
    assert found.probability == pytest.approx(chance, abs=0.02)


def test_document_is_plain_json():
    pytest.importorskip("infoscope.posterior")
    import json

    record = json.loads(ifs.tune({1: _run(9, 1), 2: _run(8, 2)}, "k").to_json())
    assert record["schema"] == "infoscope/tuning/2"
    assert (record["parameters"], record["settings"]) == (["k"], [[1], [2]])
    assert len(record["metrics"]["proficiency"]) == 2
    assert record["best"]["setting"] == {"k": 1}


# ── King-Rook against King ───────────────────────────────────────────────────────────────────────


def _example():
    spec = importlib.util.spec_from_file_location("king_rook_king", ROOT / "examples" / "king_rook_king.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["king_rook_king"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def positions() -> Path:
    path = REFERENCE / "data" / "krkopt" / "krkopt.data"
    if not path.exists():
        pytest.skip(f"needs {path}: set INFOSCOPE_REFERENCE_DATA to the folder with data/krkopt")
    return path


@pytest.mark.slow
@pytest.mark.reference
def test_leaf_weight_one_with_six_attributes_is_best_as_in_figure_7a(positions):
    settings = [(weight, 6) for weight in range(1, 21)] + [(1, k) for k in range(1, 6)]
    tuning = _example().tuned(positions, settings, folds=2)

    erroneous = tuning.values("erroneous_information_ratio")
    assert tuning.settings[int(np.argmin(erroneous))] == (1, 6)
    assert tuning.front() == [tuning.settings.index((1, 6))]
    by_setting = dict(zip(tuning.settings, erroneous, strict=True))
    assert np.all(np.diff([by_setting[1, k] for k in range(1, 7)]) < 0)


@pytest.mark.slow
@pytest.mark.reference
def test_the_tree_reaches_the_published_completeness_and_false_information(positions):
    """Table 3: r = 0.523, f = 0.469; one run of ten folds scatters by about 0.002."""
    example = _example()
    rows, truth = example.read_positions(positions)
    table = example.cross_validated(rows, truth, candidates=6, leaf_weight=1, folds=10, seed=0)

    assert ifs.metrics.false_information_ratio(table) == pytest.approx(0.523, abs=0.007)
    assert ifs.metrics.proficiency(table) == pytest.approx(0.469, abs=0.007)
