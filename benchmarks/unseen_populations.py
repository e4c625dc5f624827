"""Populations that test intervals and guided no repair: none of these may show what to change, or it moves to GUIDED.

GUIDED holds the families of populations.py and those that reports on intervals have named: labels shifted by one, and a
class with nearly all samples. TEST_ONLY were written before any interval had been tried on them.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from populations import FAMILIES, PREVALENCES, population

__all__ = ["GUIDED", "TEST_ONLY", "frequencies", "joint_probabilities"]

Real = NDArray[np.float64]
_POINTS = 4000  # of all classes together, from which the rows of a trained classifier are counted


def frequencies(kind: str, k: int, rng: np.random.Generator) -> Real:
    """Class frequencies of a kind; "dominant" gives one class 95 or 99 % of all samples."""
    if kind != "dominant":
        return PREVALENCES[kind](k, rng)
    top = rng.choice([0.95, 0.99])
    return np.append(top, (1 - top) * rng.dirichlet(np.full(k - 1, 2.0)))


def joint_probabilities(family: str, k: int, kind: str, rng: np.random.Generator) -> Real:
    """Joint probabilities of true and predicted class."""
    if family in FAMILIES and kind != "dominant":
        return population(family, k, rng, kind)
    shares = frequencies(kind, k, rng)
    joint = _ROWS[family](shares, rng) * shares[:, None]
    return joint / joint.sum()


def _accuracies(k: int, rng: np.random.Generator) -> Real:
    level = rng.uniform(0.5, 0.97)
    return np.clip(rng.beta(12 * level, 12 * (1 - level), k), 0.02, 0.999)


def _with_errors(right: Real, weights: Real) -> Real:
    """Rows with these shares of right predictions, and wrong ones in proportion to the weights."""
    wrong = np.where(np.eye(right.size, dtype=bool), 0.0, weights)
    total = wrong.sum(1, keepdims=True)
    rows = np.divide(wrong, total, out=np.zeros_like(wrong), where=total > 0) * (1 - right)[:, None]
    rows[np.arange(right.size), np.arange(right.size)] = 1 - rows.sum(1)
    return rows


# ── families that guided a repair ────────────────────────────────────────────────────────────────────────


def _shifted(shares: Real, rng: np.random.Generator) -> Real:
    """Class i is predicted as i + 1, most often; what is left is spread, many or few of it on the diagonal."""
    k = shares.size
    weights = rng.gamma(0.7, size=(k, k)) + 1e-9
    weights[np.arange(k), np.arange(k) - 1] = 0.0
    own = rng.choice([0.002, 0.05, 0.3, 0.6]) if k > 2 else 1.0
    weights[np.arange(k), np.arange(k) - 1] = own / (1 - own + 1e-9) * np.where(np.eye(k), 0.0, weights).sum(1)
    return np.roll(_with_errors(_accuracies(k, rng), weights), 1, axis=1)


def _dominated(shares: Real, rng: np.random.Generator) -> Real:
    """The most frequent class is nearly always right; most errors of the others go to it."""
    k = shares.size
    right, top = _accuracies(k, rng), int(shares.argmax())
    right[top] = rng.choice([0.99, 0.995, 0.999])
    weights = rng.gamma(1.0, size=(k, k)) + 1e-9
    weights[:, top] += rng.uniform(0, 4) * weights.sum(1)
    return _with_errors(right, weights)


# ── families that test alone ─────────────────────────────────────────────────────────────────────────────


def _ordered(shares: Real, rng: np.random.Generator) -> Real:
    """Grades: the prediction is off by a discrete normal step, with a bias, and stays on the scale."""
    k = shares.size
    away = np.arange(k) - np.arange(k)[:, None] - rng.normal(0, 0.3)
    weights = np.exp(-0.5 * (away / rng.uniform(0.3, 1.2, (k, 1))) ** 2) + 1e-6
    return weights / weights.sum(1, keepdims=True)


def _heavy(shares: Real, rng: np.random.Generator) -> Real:
    """Errors with log-normal weights of a long tail: one or two cells of a row have most of them."""
    k = shares.size
    return _with_errors(_accuracies(k, rng), np.exp(2.5 * rng.normal(size=(k, k))))


def _guessing(shares: Real, rng: np.random.Generator) -> Real:
    """Annotators who know some items and guess the rest, by a habit of their own."""
    k = shares.size
    knows = rng.beta(8 * (level := rng.uniform(0.3, 0.95)), 8 * (1 - level), k)
    habit = rng.dirichlet(np.full(k, rng.choice([0.3, 1.0, 5.0])))
    return knows[:, None] * np.eye(k) + (1 - knows)[:, None] * habit


def _attracting(shares: Real, rng: np.random.Generator) -> Real:
    """A few classes of any frequency draw a part of all predictions."""
    k = shares.size
    rows = _with_errors(_accuracies(k, rng), rng.gamma(1.0, size=(k, k)) + 1e-9)
    drawn = np.zeros(k)
    drawn[rng.choice(k, max(1, k // 10), replace=False)] = 1.0
    part = rng.uniform(0.05, 0.4)
    return (1 - part) * rows + part * drawn / drawn.sum()


def _neighbours(shares: Real, rng: np.random.Generator) -> Real:
    """The nearest of a handful of training points of each class, more of frequent ones; counted from fresh points."""
    k = shares.size
    axes = int(rng.integers(2, 6))
    centres = rng.normal(size=(k, axes)) * rng.uniform(1.0, 2.5) * k ** (0.5 / axes)
    sizes = np.maximum(1, np.round(5 * k * shares)).astype(int).clip(max=20)
    owner = np.repeat(np.arange(k), sizes)
    training = centres[owner] + rng.normal(size=(owner.size, axes))
    rows = np.empty((k, k))
    for i in range(k):
        points = centres[i] + rng.normal(size=(max(40, _POINTS // k), axes))
        squares = (training**2).sum(1) - 2 * points @ training.T
        rows[i] = np.bincount(owner[squares.argmin(1)], minlength=k) / len(points)
    return rows


def _swapped(shares: Real, rng: np.random.Generator) -> Real:
    """A good classifier some of whose labels were exchanged in pairs: part of a broken label map."""
    k = shares.size
    rows = _with_errors(_accuracies(k, rng), rng.gamma(0.5, size=(k, k)) + 1e-9)
    order = np.arange(k)
    chosen = rng.permutation(k)[: 2 * max(1, k // 6)]
    order[chosen] = chosen.reshape(-1, 2)[:, ::-1].ravel()
    return rows[:, order]


def _cautious(shares: Real, rng: np.random.Generator) -> Real:
    """Rare classes are given up for a frequent one: the more often, the rarer they are."""
    k = shares.size
    right = _accuracies(k, rng) * (1 - rng.uniform(0.2, 0.9) * np.exp(-3 * shares * k))
    weights = rng.gamma(0.7, size=(k, k)) * shares ** rng.uniform(0.3, 1.2) + 1e-12
    return _with_errors(np.clip(right, 0.02, 0.999), weights)


def _easy_and_hard(shares: Real, rng: np.random.Generator) -> Real:
    """Classes that are nearly always right beside classes that hardly are; errors among the hard ones."""
    k = shares.size
    is_hard = rng.random(k) < 0.4
    right = np.where(is_hard, rng.uniform(0.2, 0.7, k), rng.uniform(0.97, 0.999, k))
    return _with_errors(right, (0.1 + 2.0 * is_hard) * rng.gamma(1.0, size=(k, k)) + 1e-9)


_ROWS: dict[str, Callable[[Real, np.random.Generator], Real]] = {
    "shifted": _shifted,
    "dominated": _dominated,
    "ordered": _ordered,
    "heavy": _heavy,
    "guessing": _guessing,
    "attracting": _attracting,
    "neighbours": _neighbours,
    "swapped": _swapped,
    "cautious": _cautious,
    "easy and hard": _easy_and_hard,
}
GUIDED = (*FAMILIES, "shifted", "dominated")
TEST_ONLY = tuple(name for name in _ROWS if name not in GUIDED)
