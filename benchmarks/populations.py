"""Populations with known probabilities, to see how often an interval holds the truth.

Only "structured" and "diffuse" have the form that the tree prior assumes (accuracies that are Beta, errors that
are Dirichlet); the others are outside it on purpose.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["FAMILIES", "OUTSIDE", "population"]

FAMILIES = ("structured", "diffuse", "block", "similar", "favourite", "permuted", "pair")
OUTSIDE = FAMILIES[2:]


def population(family: str, k: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Joint probabilities of truth and answer: mild or Zipf prevalence, accuracy about .6, .8 or .95."""
    prevalence = _prevalence(k, rng)
    level = rng.choice([0.6, 0.8, 0.95])
    accuracy = rng.beta(20 * level, 20 * (1 - level), k)
    if family == "favourite":  # rare classes are often answered with a frequent one
        prevalence = np.sort(prevalence)[::-1]
        accuracy = accuracy * (0.4 + 0.6 * prevalence / prevalence.max())
    if family == "pair":  # two classes are hard to tell apart, the rest are easy
        accuracy = np.where(np.arange(k) < 2, 0.6, 0.97)
    errors = _errors("structured" if family == "permuted" else family, prevalence, rng)
    joint = errors * (1 - accuracy)[:, None]
    joint[np.arange(k), np.arange(k)] += accuracy
    joint *= prevalence[:, None]
    if family == "permuted":
        joint = joint[:, rng.permutation(k)]
    return joint / joint.sum()


def _prevalence(k: int, rng: np.random.Generator) -> NDArray[np.float64]:
    if rng.random() < 0.5:
        return rng.dirichlet(np.full(k, 5.0))
    zipf = 1 / np.arange(1, k + 1)
    return rng.permutation(zipf / zipf.sum())


def _errors(family: str, prevalence: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Where the wrong answers of each class go; rows sum to 1 and the diagonal is 0."""
    k = prevalence.size
    other = ~np.eye(k, dtype=bool)
    if family in ("structured", "diffuse"):
        weights = rng.gamma(0.2 if family == "structured" else 5.0, size=(k, k)) + 1e-300
    elif family == "block":
        block = np.arange(k) // min(5, max(k // 2, 1))
        same = (block[:, None] == block) & other
        inside = same / np.maximum(same.sum(1, keepdims=True), 1)
        weights = 0.9 * inside + 0.1 * other / (k - 1)
    elif family == "favourite":
        weights = np.tile(prevalence**1.5, (k, 1))
    elif family == "pair":
        weights = 0.1 * other / (k - 1)
        weights[np.arange(k), [1, 0, *((i + 1) % k for i in range(2, k))]] += 0.9
    elif family == "similar":
        place = rng.normal(size=(k, 2))
        weights = np.exp(-2 * ((place[:, None] - place) ** 2).sum(2))
    else:
        raise ValueError(f"no family {family!r}")
    weights = np.where(other, weights, 0.0)
    return weights / weights.sum(1, keepdims=True)
