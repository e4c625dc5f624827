"""Ranking: many systems in order, with those that do not differ significantly named as such."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from infoscope.core.numerics import Real, holm
from infoscope.metrics.registry import Metric, find
from infoscope.results.estimate import Difference, Estimate
from infoscope.studies.compare.difference import MetricBelief

__all__ = ["Place", "Ranking", "rank"]

_DRAWS = 20_000

Two = tuple[str, str]


@dataclass(frozen=True)
class Place:
    """One system's place in a ranking: its estimate, how likely it is the best, and the groups it belongs to."""

    name: str
    estimate: Estimate
    probability_best: float
    groups: tuple[int, ...]
    """The largest sets of systems without a significant difference that it is in, by number."""

    @property
    def shown(self) -> float:
        """Return the number shown, by which the systems are ranked."""
        assert self.estimate.shown is not None
        return self.estimate.shown


@dataclass(frozen=True)
class Ranking:
    """All systems by one metric, the best first, and what all pairs at once allow to say."""

    metric: str
    places: tuple[Place, ...]
    wins: tuple[Two, ...] = ()
    """Pairs with a significant difference, all pairs considered at once, the better system first."""
    statement: str = ""

    uninformative: tuple[str, ...] = ()
    """Systems that capture no significant information: they come last and are neither best nor tied."""

    @property
    def contenders(self) -> tuple[Place, ...]:
        """The places of the systems that capture information."""
        return tuple(place for place in self.places if place.name not in self.uninformative)

    @property
    def best(self) -> str | None:
        """The system that is significantly better than every other, if there is one.

        One without information may be ahead by a metric such as accuracy, which does not make it a rival.
        """
        for place in self.contenders:
            others = [other for other in self.places if other is not place and not self._flatters(other, place)]
            if all((place.name, other.name) in self.wins for other in others):
                return place.name
        return None

    def _flatters(self, other: Place, place: Place) -> bool:
        """Whether the metric puts a system without information ahead."""
        if other.name not in self.uninformative:
            return False
        return place.shown > other.shown if find(self.metric).card.better == "lower" else place.shown < other.shown

    @property
    def front(self) -> tuple[str, ...]:
        """Systems that no other is significantly better than: the best is one of them."""
        names = [place.name for place in self.contenders]
        beaten = {loser for winner, loser in self.wins if winner in names}
        return tuple(name for name in names if name not in beaten)

    @property
    def leads(self) -> bool:
        """Whether every system of the front is significantly better than every other."""
        others = [place.name for place in self.contenders if place.name not in self.front]
        return bool(self.front) and all((one, other) in self.wins for one in self.front for other in others)


def rank(
    entry: Metric,
    beliefs: Mapping[str, MetricBelief],
    pairs: Mapping[Two, Difference],
    ties: Mapping[Two, float],
    *,
    level: float,
    rng: np.random.Generator,
    uninformative: Collection[str] = (),
) -> Ranking:
    """Return the order by the number shown, and which pairs differ significantly, all pairs considered at once (Holm).

    ``ties`` holds the correlation of two systems' errors. A system may be in two groups: they are the
    largest sets of which no two differ significantly, as a pair that could not be compared does not. Systems without
    information come last and belong to no group.
    """
    sign = -1.0 if entry.card.better == "lower" else 1.0
    ordered = sorted(beliefs, key=lambda name: (name in uninformative, -sign * beliefs[name].centre))
    contenders = [name for name in ordered if name not in uninformative]
    best = np.zeros(len(ordered))
    if contenders:
        best[: len(contenders)] = _probability_best(contenders, beliefs, ties, sign, rng)
    alone = next((pair for pair in pairs.values() if {pair.a, pair.b} == {*contenders}), None)
    if alone is not None and alone.probability_a_better is not None:  # of two systems the better one is the best
        better = alone.probability_a_better
        best[:2] = (better, 1 - better) if alone.a == contenders[0] else (1 - better, better)
    wins = _wins(pairs, level)
    groups = _groups(contenders, wins) if contenders else []
    places = tuple(
        Place(
            name,
            beliefs[name].estimate,
            float(best[i]),
            tuple(g for g, members in enumerate(groups) if name in members),
        )
        for i, name in enumerate(ordered)
    )
    return Ranking(entry.name, places, wins, uninformative=tuple(ordered[len(contenders) :]))


def _wins(pairs: Mapping[Two, Difference], level: float) -> tuple[Two, ...]:
    certain = [found.probability_a_better or 0.0 for found in pairs.values()]
    adjusted = holm([2 * min(p, 1 - p) for p in certain])
    return tuple(
        (a, b) if p > 0.5 else (b, a)
        for (a, b), p, q in zip(pairs, certain, adjusted, strict=True)
        if q < 1 - level and p != 0.5
    )


def _groups(ordered: Sequence[str], wins: Sequence[Two]) -> list[frozenset[str]]:
    """The largest sets of which no two differ significantly, those with the best members first (Bron and Kerbosch)."""
    alike = {
        name: {other for other in ordered if other != name and not {(name, other), (other, name)} & set(wins)}
        for name in ordered
    }
    found: list[frozenset[str]] = []

    def grow(group: frozenset[str], open_to: set[str], seen: set[str]) -> None:
        if not open_to and not seen:
            found.append(group)
            return
        pivot = max(open_to | seen, key=lambda name: (len(alike[name] & open_to), name))
        for name in sorted(open_to - alike[pivot]):
            grow(group | {name}, open_to & alike[name], seen & alike[name])
            open_to = open_to - {name}
            seen = seen | {name}

    grow(frozenset(), set(ordered), set())
    place = {name: i for i, name in enumerate(ordered)}
    return sorted(found, key=lambda group: sorted(place[name] for name in group))


_EQUAL = 1e-12
"""Draws that differ by less than this share of their size are of equal systems."""


def _probability_best(
    ordered: Sequence[str],
    beliefs: Mapping[str, MetricBelief],
    ties: Mapping[Two, float],
    sign: float,
    rng: np.random.Generator,
) -> Real:
    """Share of joint draws in which each system comes first, errors tied as over the common rows."""
    size = len(ordered)
    sds = np.array([beliefs[name].sd for name in ordered])
    tied = np.eye(size)
    for i in range(size):
        for j in range(i + 1, size):
            a, b = ordered[i], ordered[j]
            tied[i, j] = tied[j, i] = ties.get((a, b), ties.get((b, a), 0.0))
    values, vectors = np.linalg.eigh(tied)  # pairwise correlations need not fit together exactly
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    means = np.array([beliefs[name].mean for name in ordered])
    drawn = sign * (means + sds * (rng.standard_normal((_DRAWS, size)) @ root.T))
    first = drawn >= drawn.max(axis=1, keepdims=True) - _EQUAL * np.abs(drawn).max()
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))  # equal systems share a draw
