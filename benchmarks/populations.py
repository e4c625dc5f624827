"""Populations with known probabilities, to see how often an interval holds the truth.

A population is a joint distribution of true and predicted classes. Only "structured" and "diffuse" have the form that
the tree prior assumes (accuracies that are Beta, errors that are Dirichlet); the others are outside it on purpose.
Everything is drawn from the generator that is given, so a seed names a population.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["FAMILIES", "OUTSIDE", "PREVALENCES", "population", "rejecting"]

Real = NDArray[np.float64]
_POINTS_PER_CLASS = 400


def _uniform(k: int, _rng: np.random.Generator) -> Real:
    return np.full(k, 1 / k)


def _mild(k: int, rng: np.random.Generator) -> Real:
    return rng.dirichlet(np.full(k, 5.0))


def _zipf(k: int, rng: np.random.Generator) -> Real:
    shares = 1 / np.arange(1, k + 1)
    return rng.permutation(shares / shares.sum())


def _rare(k: int, rng: np.random.Generator) -> Real:
    """Geometric from the commonest class to one of a 200th of its frequency."""
    shares = 200.0 ** (-np.arange(k) / max(k - 1, 1))
    return rng.permutation(shares / shares.sum())


PREVALENCES: dict[str, Callable[[int, np.random.Generator], Real]] = {
    "mild": _mild,
    "uniform": _uniform,
    "zipf": _zipf,
    "rare": _rare,
}


def population(family: str, k: int, rng: np.random.Generator, prevalence: str | None = None) -> Real:
    """Joint probabilities of truth and prediction; without a kind of prevalence, mild or Zipf."""
    kind = prevalence or ("mild" if rng.random() < 0.5 else "zipf")
    shares = PREVALENCES[kind](k, rng)
    if family in _LEARNERS:
        rows = _LEARNERS[family](shares, rng)
    else:
        shares, rows = _stated(family, shares, rng)
    joint = rows * shares[:, None]
    if family == "permuted":
        joint = joint[:, rng.permutation(k)]
    return joint / joint.sum()


def rejecting(joint: Real, rng: np.random.Generator) -> Real:
    """The same system abstaining at a rate of its own in each class: one more column, the last."""
    centre = rng.choice([0.05, 0.2])
    rates = rng.beta(10 * centre, 10 * (1 - centre), joint.shape[0])[:, None]
    return np.hstack([joint * (1 - rates), joint.sum(1, keepdims=True) * rates])


# ── stated rates of right predictions, and where the wrong ones go ───────────────────────────────────────


def _stated(family: str, prevalence: Real, rng: np.random.Generator) -> tuple[Real, Real]:
    k = prevalence.size
    level = rng.choice([0.6, 0.8, 0.95])
    accuracy = rng.beta(20 * level, 20 * (1 - level), k)
    if family == "favourite":  # rare classes are often predicted as a frequent one
        prevalence = np.sort(prevalence)[::-1]
        accuracy = accuracy * (0.4 + 0.6 * prevalence / prevalence.max())
    if family == "pair":  # two classes are hard to tell apart, the rest are easy
        accuracy = np.where(np.arange(k) < 2, 0.6, 0.97)
    rows = _errors("structured" if family == "permuted" else family, prevalence, rng) * (1 - accuracy)[:, None]
    rows[np.arange(k), np.arange(k)] += accuracy
    return prevalence, rows


def _errors(family: str, prevalence: Real, rng: np.random.Generator) -> Real:
    """Probabilities of each wrong prediction, by true class; rows sum to 1 and the diagonal is 0."""
    k = prevalence.size
    other = ~np.eye(k, dtype=bool)
    if family in ("structured", "diffuse"):
        weights = rng.gamma(0.2 if family == "structured" else 5.0, size=(k, k)) + 1e-300
    elif family == "block":
        block = np.arange(k) // min(5, max(k // 2, 1))
        same = (block[:, None] == block) & other
        weights = 0.9 * _rows(same.astype(float)) + 0.1 * _rows(other.astype(float))
    elif family == "favourite":
        weights = np.tile(prevalence**1.5, (k, 1))
    elif family == "pair":
        weights = 0.1 * other / (k - 1)
        weights[np.arange(k), [1, 0, *((i + 1) % k for i in range(2, k))]] += 0.9
    elif family == "similar":
        place = rng.normal(size=(k, 2))
        weights = np.exp(-2 * ((place[:, None] - place) ** 2).sum(2))
    elif family == "garbage":  # blocks of random size, and a few classes that attract what is left
        block = rng.integers(0, max(1, round(k / rng.uniform(2.5, 8))), k)
        inside = (block[:, None] == block) * other * np.exp(rng.normal(size=(k, k)))
        outside = np.tile(rng.dirichlet(np.full(k, 0.3)), (k, 1)) * other + 1e-12
        share = np.where(inside.any(1, keepdims=True), rng.uniform(0.6, 0.95), 0.0)
        weights = share * _rows(inside) + (1 - share) * _rows(outside)
    else:
        raise ValueError(f"no family {family!r}")
    return _rows(np.where(other, weights, 0.0))


def _rows(weights: Real) -> Real:
    total = weights.sum(1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


# ── learners: predictions follow from scores ─────────────────────────────────────────────────────────────


def _softmax(prevalence: Real, rng: np.random.Generator) -> Real:
    """Predictions sampled by the softmax of normal logits, with popular classes that may follow the prevalence."""
    k = prevalence.size
    popular = rng.uniform(0, 1) * rng.normal(size=k) + rng.uniform(0, 0.7) * np.log(prevalence * k)
    logits = rng.uniform(0.8, 2.2) * rng.normal(size=(k, k)) + popular
    own = np.log(k) + rng.uniform(0.5, 3.5) + popular + 0.6 * rng.normal(size=k)
    logits[np.arange(k), np.arange(k)] = own
    return _rows(np.exp(logits - logits.max(1, keepdims=True)))


def _centroids(prevalence: Real, rng: np.random.Generator) -> Real:
    """The nearest of Gaussian centroids, given the prevalence; its rows are counted from many points of each class.

    A system that makes no error at all is drawn again: at the end of a metric's range coverage is all or nothing.
    """
    k = prevalence.size
    axes = int(rng.integers(2, 9))
    centres = rng.normal(size=(k, axes)) * rng.uniform(1.0, 3.0) * k ** (0.5 / axes)
    prior = rng.uniform(0, 1) * np.log(prevalence)
    rows = np.empty((k, k))
    for i in range(k):
        points = centres[i] + rng.normal(size=(_POINTS_PER_CLASS, axes))
        scores = points @ centres.T - 0.5 * (centres**2).sum(1) + prior
        rows[i] = np.bincount(scores.argmax(1), minlength=k) / _POINTS_PER_CLASS
    return rows if prevalence @ np.diag(rows) < 1 else _centroids(prevalence, rng)


def _taxonomy(prevalence: Real, rng: np.random.Generator) -> Real:
    """A tree of classes: predictions leave a branch the more rarely the higher it is, by weights of their own."""
    k = prevalence.size
    rows = np.zeros((k, k))
    branch = np.zeros(k, dtype=np.intp)
    leaves = np.arange(k)
    share = 1.0
    while True:
        same = branch[:, None] == branch
        stay = rng.beta(8, 4) if np.unique(branch).size < k else 1.0
        weights = same * np.exp(0.7 * rng.normal(size=(k, k)))
        weights[leaves, leaves] += rng.uniform(0, 1) * weights.sum(1)
        rows += share * (1 - stay if np.unique(branch).size < k else 1.0) * _rows(weights)
        if np.unique(branch).size >= k:
            return rows
        share *= stay
        branch = np.unique(branch * (k + 1) + rng.integers(0, int(rng.integers(2, 5)), k), return_inverse=True)[1]
        if np.unique(branch).size < k and rng.random() < 0.15:
            branch = leaves


def _merged(prevalence: Real, rng: np.random.Generator) -> Real:
    """A third of the classes are never predicted: whatever would be predicted as one of them goes to another."""
    k = prevalence.size
    accuracy = rng.beta(18, 2, k)
    rows = _rows(np.where(np.eye(k), 0.0, rng.gamma(0.5, size=(k, k)) + 1e-300)) * (1 - accuracy)[:, None]
    rows[np.arange(k), np.arange(k)] += accuracy
    lost = rng.permutation(k)[: k // 3]
    kept = np.setdiff1d(np.arange(k), lost)
    np.add.at(rows.T, rng.choice(kept, lost.size), rows.T[lost])
    rows[:, lost] = 0.0
    return rows


_LEARNERS = {"softmax": _softmax, "centroids": _centroids, "taxonomy": _taxonomy, "merged": _merged}
FAMILIES = (
    *("structured", "diffuse", "block", "similar", "favourite", "permuted", "pair", "garbage"),
    *_LEARNERS,
)
OUTSIDE = FAMILIES[2:]
