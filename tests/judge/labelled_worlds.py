"""Judged rows of which everything is known."""

from dataclasses import dataclass

import numpy as np

__all__ = ["JudgedWorld"]


@dataclass(frozen=True)
class JudgedWorld:
    """True classes, predictions and verdicts of rows, and which rows are labelled."""

    truth: np.ndarray
    prediction: np.ndarray
    verdict: np.ndarray
    labelled: np.ndarray

    @classmethod
    def drawn(
        cls,
        rng: np.random.Generator,
        rows: int,
        labels: int,
        classes: int = 2,
        *,
        right: float = 0.8,
        judge: float = 0.85,
        repeats: float = 0.0,
    ) -> "JudgedWorld":
        """System and judge err at random; the judge repeats the prediction in a share of the rows."""
        truth = rng.integers(classes, size=rows)
        prediction = erring(truth, right, classes, rng)
        verdict = np.where(rng.random(rows) < repeats, prediction, erring(truth, judge, classes, rng))
        labelled = np.zeros(rows, bool)
        labelled[rng.permutation(rows)[:labels]] = True
        return cls(truth, prediction, verdict, labelled)

    @property
    def accuracy(self) -> float:
        """Of all rows."""
        return float(np.mean(self.truth == self.prediction))

    def source(self, names: str = "abcdefghij") -> dict[str, list[str | None]]:
        """The rows as columns human, gpt and model."""
        human = [names[t] if there else None for t, there in zip(self.truth, self.labelled, strict=True)]
        return {
            "human": human,
            "gpt": [names[code] for code in self.verdict],
            "model": [names[code] for code in self.prediction],
        }


def erring(truth: np.ndarray, right: float, classes: int, rng: np.random.Generator) -> np.ndarray:
    """The truth in a share of the rows, another class in the others."""
    other = (truth + rng.integers(1, classes, len(truth))) % classes
    return np.where(rng.random(len(truth)) < right, truth, other)
