"""Ranking: many systems in order, with those that cannot be told apart named as such."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from infoscope.comparison.differences import Belief, Difference
from infoscope.numeric import Real

__all__ = ["Place", "holm", "rank"]

_DRAWS = 20_000


@dataclass(frozen=True)
class Place:
    """One system's place: its value, how likely it is the best, and the groups it belongs to."""

    name: str
    value: float
    mean: float
    low: float
    high: float
    probability_best: float
    groups: tuple[int, ...]


def rank(
    names: Sequence[str],
    beliefs: Mapping[str, Belief],
    pairs: Mapping[tuple[str, str], Difference],
    *,
    lower_is_better: bool,
    level: float,
    rng: np.random.Generator,
) -> list[Place]:
    """Best first. Systems in one group differ by less than the data can tell, all pairs considered at once (Holm)."""
    sign = -1.0 if lower_is_better else 1.0
    ordered = sorted(names, key=lambda name: -sign * beliefs[name].mean)
    best = _probability_best(ordered, beliefs, pairs, sign, rng)
    apart = _apart(ordered, pairs, level)
    groups = _groups(len(ordered), apart)
    return [
        Place(
            name,
            beliefs[name].value,
            beliefs[name].mean,
            beliefs[name].low,
            beliefs[name].high,
            float(best[i]),
            tuple(g for g, members in enumerate(groups) if i in members),
        )
        for i, name in enumerate(ordered)
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for asking many questions at once.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    adjusted = np.empty(len(p_values))
    running = 0.0
    for place, index in enumerate(order):
        running = max(running, (len(p_values) - place) * p_values[index])
        adjusted[index] = min(running, 1.0)
    return [float(p) for p in adjusted]


def _pair(pairs: Mapping[tuple[str, str], Difference], a: str, b: str) -> Difference:
    return pairs[(a, b)] if (a, b) in pairs else pairs[(b, a)]


def _apart(ordered: Sequence[str], pairs: Mapping[tuple[str, str], Difference], level: float) -> set[tuple[int, int]]:
    index = [(i, j) for i in range(len(ordered)) for j in range(i + 1, len(ordered))]
    tails = []
    for i, j in index:
        certain = _pair(pairs, ordered[i], ordered[j]).probability_a_better
        tails.append(2 * min(certain, 1 - certain))
    return {place for place, p in zip(index, holm(tails), strict=True) if p < 1 - level}


def _groups(size: int, apart: set[tuple[int, int]]) -> list[set[int]]:
    """Maximal runs of neighbours in the order of which no two are told apart."""
    groups: list[set[int]] = []
    for start in range(size):
        end = start
        while end + 1 < size and all((i, end + 1) not in apart for i in range(start, end + 1)):
            end += 1
        run = set(range(start, end + 1))
        if not any(run <= known for known in groups):
            groups.append(run)
    return groups


def _probability_best(
    ordered: Sequence[str],
    beliefs: Mapping[str, Belief],
    pairs: Mapping[tuple[str, str], Difference],
    sign: float,
    rng: np.random.Generator,
) -> Real:
    """Share of joint draws in which each system comes first, errors tied as over the common rows."""
    size = len(ordered)
    if size == 1:
        return np.ones(1)
    sds = np.array([beliefs[name].sd for name in ordered])
    tied = np.eye(size)
    for i in range(size):
        for j in range(i + 1, size):
            tied[i, j] = tied[j, i] = _pair(pairs, ordered[i], ordered[j]).correlation
    values, vectors = np.linalg.eigh(tied)  # pairwise correlations need not fit together exactly
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    means = np.array([beliefs[name].mean for name in ordered])
    drawn = sign * (means + sds * (rng.standard_normal((_DRAWS, size)) @ root.T))
    return np.bincount(np.argmax(drawn, axis=1), minlength=size) / _DRAWS
