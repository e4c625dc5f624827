"""Populations with a known truth, a system and a judge, for tests and simulations."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.api import StratumCounts


@dataclass(frozen=True)
class World:
    """Parameters from which rows are drawn."""

    classes: int = 2
    rows: int = 10_000
    labels: int = 200
    system: float = 0.8
    judge: float = 0.8
    repeats: float = 0.0
    """Share of rows in which the judge repeats the prediction."""
    rare: bool = False


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of a world: the true classes, the verdicts, the predictions, and which rows are labelled."""

    truth: np.ndarray
    verdict: np.ndarray
    prediction: np.ndarray
    labelled: np.ndarray

    @property
    def table(self) -> np.ndarray:
        """Truth × prediction of all rows."""
        size = int(max(self.truth.max(), self.prediction.max(), self.verdict.max())) + 1
        return np.bincount(self.truth * size + self.prediction, minlength=size * size).reshape(size, size)

    def columns(self) -> dict[str, Any]:
        """Return the columns as a caller has them: truth is missing for most rows."""
        human = [f"c{t}" if known else None for t, known in zip(self.truth, self.labelled, strict=True)]
        return {
            "human": human,
            "gpt": [f"c{j}" for j in self.verdict],
            "model": [f"c{s}" for s in self.prediction],
        }


def sampled(world: World, rng: np.random.Generator) -> Sample:
    """One population, and a slice of it that is labelled at random."""
    k = world.classes
    shares = 1 / np.arange(1, k + 1) if world.rare and k > 2 else np.array([0.95, 0.05]) if world.rare else np.ones(k)
    truth = rng.choice(k, world.rows, p=shares / shares.sum())
    prediction = _noisy(truth, _confusion(k, world.system, rng), rng)
    verdict = _noisy(truth, _confusion(k, world.judge, rng), rng)
    verdict = np.where(rng.random(world.rows) < world.repeats, prediction, verdict)
    labelled = np.zeros(world.rows, dtype=bool)
    labelled[rng.choice(world.rows, world.labels, replace=False)] = True
    return Sample(truth, verdict, prediction, labelled)


def counted(sample: Sample, classes: int) -> StratumCounts:
    """Both tensors of a population."""
    known = sample.labelled
    labelled, everything = np.zeros((classes,) * 3), np.zeros((classes,) * 2)
    np.add.at(labelled, (sample.truth[known], sample.verdict[known], sample.prediction[known]), 1)
    np.add.at(everything, (sample.verdict, sample.prediction), 1)
    return StratumCounts.from_tensors(labelled, everything)


def _confusion(classes: int, right: float, rng: np.random.Generator) -> np.ndarray:
    """Rows of a channel: right in this share on average, errors spread unevenly."""
    hit = np.clip(rng.normal(right, 0.05, classes), 0.4, 0.99)
    errors = rng.dirichlet(np.ones(classes), classes)
    np.fill_diagonal(errors, 0.0)
    errors *= ((1 - hit) / errors.sum(axis=1))[:, None]
    return errors + np.diag(hit)


def _noisy(truth: np.ndarray, channel: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (rng.random(len(truth))[:, None] > channel.cumsum(axis=1)[truth]).sum(axis=1).clip(0, len(channel) - 1)
