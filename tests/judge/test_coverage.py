"""Intervals hold where labels are few: fixed populations, on which simpler ways fail."""

import numpy as np
import pytest

from tests.api import StratumBelief, StratumCounts, judge_model
from tests.judge.populations import World, counted, sampled

RUNS = 30
LEAST = 0.85
"""Of 30 intervals that hold with probability 0.95, fewer than this share hold in less than 1 of 60 cases."""


@pytest.fixture(autouse=True)
def _few_halvings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_model, "MAX_HALVINGS", judge_model.MIN_HALVINGS)


def accuracies(tables: np.ndarray) -> np.ndarray:
    return np.einsum("dtt->d", tables) / tables.sum(axis=(1, 2))


def is_held(tables: np.ndarray, true: float) -> bool:
    low, high = np.quantile(accuracies(tables), [0.025, 0.975])
    return bool(low <= true <= high)


def posterior(counts: StratumCounts, rng: np.random.Generator) -> np.ndarray:
    return StratumBelief.draw(counts, 200, seed=int(rng.integers(1000))).tables


def judge_as_truth(counts: StratumCounts, rng: np.random.Generator) -> np.ndarray:
    shares = rng.dirichlet(counts.everything.reshape(-1) + 1e-9, 200)
    return shares.reshape(200, *counts.everything.shape)


def independent_strata(counts: StratumCounts, rng: np.random.Generator) -> np.ndarray:
    theta = rng.standard_gamma(np.broadcast_to(counts.by_class + 1 / counts.classes, (200, *counts.by_class.shape)))
    theta /= theta.sum(axis=-1, keepdims=True)
    return StratumBelief(counts, rng.dirichlet(counts.rows, 200), theta).tables


def share_held(method, world: World) -> float:
    found = []
    for seed in range(RUNS):
        rng = np.random.default_rng([4711, seed])
        sample = sampled(world, rng)
        counts = counted(sample, world.classes)
        found.append(is_held(method(counts, rng), float(np.trace(sample.table) / world.rows)))
    return float(np.mean(found))


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [World(2, 3000, 100), World(5, 3000, 200), World(5, 3000, 200, repeats=0.3)],
    ids=["2 classes", "5 classes", "repeats"],
)
def test_intervals_hold(world: World) -> None:
    assert share_held(posterior, world) >= LEAST


@pytest.mark.parametrize("method", [judge_as_truth, independent_strata])
def test_simpler_ways_fail_at_five_classes(method) -> None:
    """So the test above would find either of them in the place of the posterior."""
    assert share_held(method, World(5, 3000, 200)) < LEAST - 0.1
