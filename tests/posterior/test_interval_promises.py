"""Intervals keep their promise where they once did not: slices with fixed seeds of benchmarks/calibration.py."""

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import infoscope as ifs
from infoscope.comparison import Answers, compare_answers
from infoscope.posterior.beta_level import BetaLevel
from infoscope.tables import Contingency

FILE = Path(__file__).parents[2] / "benchmarks" / "populations.py"
FIVE = [[1011, 0, 4, 3, 8], [86, 765, 138, 22, 13], [3, 3, 1023, 1, 9], [42, 4, 19, 912, 4], [18, 74, 6, 135, 697]]


def _populations() -> ModuleType:
    spec = importlib.util.spec_from_file_location("populations", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


populations = _populations()


def samples(family: str, k: int, n: int, repeats: int, prevalence: str | None = None):
    """(population, sample) of several populations of a family, the same in every run."""
    for seed in range(repeats):
        rng = np.random.default_rng([7, k, n, seed])
        joint = populations.population(family, k, rng, prevalence)
        yield (
            Contingency.from_matrix(joint),
            Contingency.from_matrix(rng.multinomial(n, joint.ravel()).reshape(joint.shape)),
        )


# ── precision of a prediction ────────────────────────────────────────────────────────────────────────────


def test_precision_interval_holds_what_was_counted() -> None:
    found = ifs.Posterior(Contingency.from_matrix(FIVE)).by_output()
    for name, counted in (("precision", 697 / 731), ("missed_information", 0.359)):
        assert found[name].low[4] < counted < found[name].high[4]


def test_precision_intervals_hold_the_truth_however_much_data_there_is() -> None:
    held = []
    for truth, table in samples("softmax", 5, 5000, 30, "uniform"):
        found = ifs.Posterior(table).by_output()["precision"]
        precision = np.asarray(truth.diagonal / truth.column_totals)
        held += ((found.low <= precision) & (precision <= found.high)).tolist()
    assert np.mean(held) > 0.90


# ── two classes, hardly an error ─────────────────────────────────────────────────────────────────────────


def test_a_hundred_right_of_a_hundred_do_not_prove_98_percent() -> None:
    low, _ = ifs.Posterior(Contingency.from_matrix([[50, 0], [0, 50]])).interval("accuracy")
    assert 0.955 < low < 0.98  # Clopper and Pearson have .964, Jeffreys .975


def test_shared_labels_speak_against_hypotheses_without_them() -> None:
    tree = ifs.Posterior(Contingency.from_matrix([[50, 0], [0, 50]])).belief
    assert sum(w for name, w in tree.weights.items() if name.startswith("unmatched")) < 0.1


@pytest.mark.parametrize("classes", [1, 2, 50])
def test_right_and_wrong_are_both_possible_in_every_class(classes: int) -> None:
    grid = BetaLevel(np.full(classes, 9.0), np.zeros(classes)).grid
    assert min(grid.success.min(), grid.failure.min()) >= 0.5 / classes


@pytest.mark.parametrize(("n", "right"), [(40, 0.95), (100, 0.985)])
def test_intervals_of_near_perfect_systems_hold_the_truth(n: int, right: float) -> None:
    joint = np.array([[right, 1 - right], [1 - right, right]]) / 2
    truth = Contingency.from_matrix(joint)
    wanted = {name: float(getattr(ifs.metrics, name)(truth)) for name in ("accuracy", "proficiency")}
    rng = np.random.default_rng([3, n])
    tables, times = np.unique(rng.multinomial(n, joint.ravel(), 150), axis=0, return_counts=True)
    held = np.zeros(2)
    for cells, often in zip(tables, times, strict=True):
        found = ifs.Posterior(Contingency.from_matrix(cells.reshape(2, 2))).summaries(list(wanted))
        held += [often * bool(found[m].low <= value <= found[m].high) for m, value in wanted.items()]
    assert (held / times.sum() > 0.89).all()


def test_equal_near_perfect_systems_are_rarely_called_different() -> None:
    rng = np.random.default_rng(5)
    claims = []
    for _ in range(60):
        truth = rng.integers(0, 2, 100)
        systems = {name: np.where(rng.random(100) < 0.015, 1 - truth, truth) for name in "ab"}
        found = compare_answers(Answers.from_labels(truth, systems), metrics=["proficiency"])
        claims.append(found.pairs[0].verdict in ("better", "worse"))
    assert np.mean(claims) <= 0.07
