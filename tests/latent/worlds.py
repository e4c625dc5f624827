"""Worlds of which everything is known: frequencies, predictions given the class, items drawn from them."""

from dataclasses import dataclass

import numpy as np

import infoscope as ifs

__all__ = ["World"]


@dataclass(frozen=True)
class World:
    """Frequencies of the classes, and each system's predictions given the class."""

    frequencies: np.ndarray
    predictions: list[np.ndarray]

    @classmethod
    def drawn(cls, systems: int, classes: int, rng: np.random.Generator, low: float = 0.6) -> "World":
        """Accuracies between ``low`` and 0.95 per class; wrong predictions by a random distribution."""
        predictions = []
        for _ in range(systems):
            right = rng.uniform(low, 0.95, classes)
            table = np.diag(right)
            wrong = (1 - right)[:, None] * rng.dirichlet(np.ones(classes - 1), classes)
            table[~np.eye(classes, dtype=bool)] = wrong.ravel()
            predictions.append(table)
        return cls(rng.dirichlet(np.full(classes, 5.0)), predictions)

    def items(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Classes of n items, and the predictions of each system."""
        truth = rng.choice(len(self.frequencies), n, p=self.frequencies)
        found = {}
        for at, table in enumerate(self.predictions):
            steps = np.cumsum(table, axis=1)[truth][:, :-1]
            found[f"s{at}"] = (rng.random(n)[:, None] > steps).sum(axis=1)
        return truth, found

    def table(self, system: int) -> ifs.Contingency:
        """The probabilities of one system."""
        return ifs.Contingency.from_matrix(self.frequencies[:, None] * self.predictions[system])

    def proficiency(self, system: int) -> float:
        """Return the true proficiency of a system, which is to be estimated."""
        return float(ifs.metrics.proficiency(self.table(system)))
