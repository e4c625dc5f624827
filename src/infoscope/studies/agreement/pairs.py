"""Two annotators at a time: what each tells about the other, and which categories they take for one another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import betainc

from infoscope.core.numerics import Real, as_real, ratio
from infoscope.results.estimate import drop_infinite
from infoscope.studies.agreement.annotations import Annotations
from infoscope.studies.agreement.reliability import pooled_kappa
from infoscope.studies.agreement.single_labels import PairInformation, SingleLabelPair
from infoscope.studies.multilabel.assignment import MOST_CATEGORIES, Reassignment, assignment_of, reassignments
from infoscope.studies.multilabel.measures import permuted_proficiency, proficiency
from infoscope.studies.multilabel.sums import tally
from infoscope.tables.label_sets import Categorization
from infoscope.tables.pair_counts import CellCounts

__all__ = ["ConfusedCategories", "PairAgreement", "pair_agreements"]

_SIGNIFICANT = 0.05
MAX_INTERVALS = 66
"""Pairs up to which their information gets intervals: those of twelve annotators."""


@dataclass(frozen=True)
class PairAgreement:
    """One annotator (the truth) against another (the system)."""

    truth: str
    system: str
    items: int
    proficiency: float | None
    """Fraction of the first one's information that the second one's labels carry."""
    category_proficiency: float | None
    """The same, summed category by category; equal to it for label sets."""
    permuted_proficiency: float | None
    kappa: float | None
    agreement: float
    """Fraction of the items with the same label."""
    renamings: tuple[Reassignment, ...]
    information: PairInformation | None = None
    """Mutual information, proficiency both ways and variation of information, with intervals; not for label sets."""


@dataclass(frozen=True)
class ConfusedCategories:
    """A category of one annotator that another replaces by a different one."""

    first: str
    second: str
    first_category: str
    second_category: str
    count: int
    """Items to which only the first gives its category, and only the second gives the other."""
    expected: float
    p_value: float
    """Chance of as many, times the pairs of categories looked at."""

    def sentence(self) -> str:
        """What happened, in words."""
        return (
            f"{self.first} used '{self.first_category}' where {self.second} used '{self.second_category}': "
            f"{self.count} items, {self.expected:.1f} expected"
        )


def pair_agreements(
    annotations: Annotations, level: float | None
) -> Iterator[tuple[PairAgreement, list[ConfusedCategories]]]:
    """Every ordered pair of annotators who share items; confused categories go with one of the two orders.

    Without a level there are no intervals.
    """
    if annotations.patterns is None:
        for a, b in itertools.permutations(range(len(annotations.names)), 2):
            pair = annotations.pair(a, b)
            if pair.n:
                names = annotations.names[a], annotations.names[b]
                yield _of_sets(pair, names), _confused_sets(pair, names) if a < b else []
        return
    shared = {(a, b): cells for a, b, cells in annotations.patterns.pair_cells() if cells.total}
    level = level if len(shared) <= MAX_INTERVALS else None
    found = {places: SingleLabelPair(annotations.categories, cells) for places, cells in shared.items()}
    known = {places: pair.information(level) for places, pair in found.items()}
    for a, b in itertools.permutations(range(len(annotations.names)), 2):
        names = annotations.names[a], annotations.names[b]
        if (a, b) in found:
            yield _of_labels(found[a, b], names, known[a, b]), _confused_labels(found[a, b], names)
        elif (b, a) in found:
            yield _of_labels(found[b, a].reversed(), names, known[b, a].reversed()), []


def _of_labels(pair: SingleLabelPair, names: tuple[str, str], information: PairInformation) -> PairAgreement:
    order = None if pair.joint is None else assignment_of(pair, pair.joint)
    moved = [] if pair.joint is None or order is None else reassignments(pair, pair.joint, order)
    own = pair.category_proficiency()
    return PairAgreement(
        truth=names[0],
        system=names[1],
        items=pair.n,
        proficiency=information.proficiency.value,
        category_proficiency=drop_infinite(own),
        permuted_proficiency=None if order is None else drop_infinite(max(pair.category_proficiency(order), own)),
        kappa=drop_infinite(pooled_kappa(pair.both, pair.truth_counts, pair.system_counts, float(pair.n))),
        agreement=float(pair.both.sum() / pair.n),
        renamings=tuple(each for each in moved if each.finding),
        information=information,
    )


def _of_sets(pair: Categorization, names: tuple[str, str]) -> PairAgreement:
    counts = pair.joint_counts() if len(pair.categories) <= MOST_CATEGORIES else None
    order = None if counts is None else assignment_of(pair, counts)
    sums = tally(pair, order)
    by_category = drop_infinite(proficiency(sums))
    moved = [] if counts is None or order is None else reassignments(pair, counts, order)
    return PairAgreement(
        truth=names[0],
        system=names[1],
        items=pair.n,
        proficiency=by_category,
        category_proficiency=by_category,
        permuted_proficiency=None if order is None else drop_infinite(permuted_proficiency(sums)),
        kappa=drop_infinite(pooled_kappa(pair.both, pair.truth_counts, pair.system_counts, float(pair.n))),
        agreement=float(sums.exact / sums.total),
        renamings=tuple(each for each in moved if each.finding),
    )


def _confused_labels(pair: SingleLabelPair, names: tuple[str, str]) -> list[ConfusedCategories]:
    """Categories of single labels; the margins hold the counts together, so the items that differ are the tries."""
    apart = pair.cells.rows != pair.cells.columns
    swaps = CellCounts(pair.cells.rows[apart], pair.cells.columns[apart], pair.cells.values[apart], pair.cells.shape)
    truth, system = pair.truth_counts, pair.system_counts
    size = int(np.count_nonzero(truth + system))
    independent = float(truth.sum() * system.sum() - truth @ system)
    expected = _expected(
        swaps, truth[swaps.rows], system[swaps.columns], _Chance(pair.n, independent, 2 * pair.n * (size - 1))
    )
    return _beyond_chance(pair, swaps, expected, int(swaps.values.sum()), names)


def _confused_sets(pair: Categorization, names: tuple[str, str]) -> list[ConfusedCategories]:
    only_a, only_b = _without(pair.truth, pair.hits), _without(pair.system, pair.hits)
    product = csr_array(only_a.T @ only_b).tocoo()
    swaps = CellCounts(product.row.astype(np.int64), product.col.astype(np.int64), product.data, product.shape)
    first, second = _CanReplace.of(pair.truth, pair.truth_counts), _CanReplace.of(pair.system, pair.system_counts)
    size = int(np.count_nonzero(pair.truth_counts + pair.system_counts))
    chance = _Chance(pair.n, first.sum_of_products(second), first.total(size) + second.total(size))
    here, there = first.at(swaps.rows, swaps.columns), second.at(swaps.columns, swaps.rows)
    return _beyond_chance(pair, swaps, _expected(swaps, here, there, chance), pair.n, names)


def _beyond_chance(
    pair: SingleLabelPair | Categorization, swaps: CellCounts, expected: Real, tries: int, names: tuple[str, str]
) -> list[ConfusedCategories]:
    """Categories that one annotator uses where the other uses another, beyond chance, the most frequent first.

    Binomial: at least this many items, each with the probability that chance gives it.
    """
    if not len(swaps.values):
        return []
    tails = betainc(swaps.values, tries - swaps.values + 1, np.minimum(expected / tries, 1.0))
    truth, system = pair.truth_counts > 0, pair.system_counts > 0
    looks = np.count_nonzero(truth) * np.count_nonzero(system) - np.count_nonzero(truth & system)
    p_values = np.minimum(1.0, tails * looks)
    found = np.flatnonzero(p_values <= _SIGNIFICANT)
    return [
        ConfusedCategories(
            first=names[0],
            second=names[1],
            first_category=str(pair.categories[swaps.rows[at]]),
            second_category=str(pair.categories[swaps.columns[at]]),
            count=int(swaps.values[at]),
            expected=float(expected[at]),
            p_value=float(p_values[at]),
        )
        for at in found[np.argsort(-swaps.values[found], kind="stable")]
    ]


@dataclass(frozen=True)
class _Chance:
    """What the expected number of swaps is measured by."""

    n: int
    independent: float
    """Sum over all pairs of categories of the product of frequencies."""
    slips: float
    """Sum over all pairs of categories of the sum of frequencies."""


def _expected(swaps: CellCounts, here: Real, there: Real, chance: _Chance) -> Real:
    """How many items would join these categories if disagreements did not depend on the categories.

    The total is the one observed, at most that of independent annotators. It is spread over the pairs of categories as
    independent annotators would spread it (by the product of frequencies), or as slips to any other category with equal
    probability would (by their sum); the greater expectation counts, so that neither kind of error is a finding.
    """
    total = min(float(swaps.values.sum()), chance.independent / chance.n)
    return total * np.maximum(ratio(here * there, chance.independent), ratio(here + there, chance.slips))


def _without(matrix: csr_array, hits: csr_array) -> csr_array:
    rest = csr_array(matrix - hits)
    rest.eliminate_zeros()
    return rest


@dataclass(frozen=True)
class _CanReplace:
    """For each pair of categories, the items to which one annotator gives the first and not the second."""

    counts: Real
    together: csr_array
    """Items to which the annotator gives both categories."""

    @classmethod
    def of(cls, given: csr_array, counts: Real) -> _CanReplace:
        return cls(counts, csr_array(given.T @ given))

    def at(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> Real:
        """The items of these pairs."""
        return as_real(self.counts[one] - np.asarray(self.together[one, other]).ravel())

    def total(self, size: int) -> float:
        """Sum over all pairs of ``size`` categories in use."""
        return float(size * self.counts.sum() - self.together.sum())

    def sum_of_products(self, other: _CanReplace) -> float:
        """Sum over all pairs (x, y) of our items with x and not y, times the other's with y and not x."""
        return float(
            self.counts.sum() * other.counts.sum()
            - (self.together @ other.counts).sum()
            - (other.together @ self.counts).sum()
            + self.together.multiply(other.together).sum()
        )
