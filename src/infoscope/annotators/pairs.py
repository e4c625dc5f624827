"""Two annotators at a time: what each tells about the other, and which categories they take for one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.special import betainc

from infoscope.annotators.annotations import Annotations
from infoscope.annotators.reliability import pooled_kappa
from infoscope.metrics import proficiency as table_proficiency
from infoscope.multilabel.assignment import MOST_CATEGORIES, Reassignment, assignment_of, reassignments
from infoscope.multilabel.measures import permuted_proficiency, proficiency
from infoscope.multilabel.sums import tally
from infoscope.numeric import Real, as_real, ratio
from infoscope.tables import Contingency
from infoscope.tables.categorization import Categorization

__all__ = ["ConfusedCategories", "PairAgreement", "mixed_up", "pair_agreement"]

_SIGNIFICANT = 0.05


@dataclass(frozen=True)
class PairAgreement:
    """One annotator (the truth) against another (the system)."""

    truth: str
    system: str
    items: int
    proficiency: float | None
    """Share of the first one's information that the second one's answers carry."""
    category_proficiency: float | None
    """The same, summed category by category; equal to it for label sets."""
    permuted_proficiency: float | None
    kappa: float | None
    agreement: float
    """Share of the items with the same answer."""
    renamings: tuple[Reassignment, ...]


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
            f"{self.first} says '{self.first_category}' where {self.second} says '{self.second_category}': "
            f"{self.count} items, {self.expected:.1f} expected"
        )


def _plain(value: Any) -> float | None:
    number = float(value)
    return number if np.isfinite(number) else None


def pair_agreement(answers: Annotations, a: int, b: int) -> PairAgreement | None:
    """The first annotator as the truth, the second as the system; None where they share no item."""
    pair = answers.pair(a, b)
    if not pair.n:
        return None
    counts = pair.joint_counts() if len(pair.categories) <= MOST_CATEGORIES else None
    order = None if counts is None else assignment_of(pair, counts)
    sums = tally(pair, order)
    by_category = _plain(proficiency(sums))
    whole = by_category
    if answers.single:
        whole = _plain(table_proficiency(Contingency.from_labels(pair.truth.indices, pair.system.indices)))
    found = [] if counts is None or order is None else reassignments(pair, counts, order)
    return PairAgreement(
        truth=answers.names[a],
        system=answers.names[b],
        items=pair.n,
        proficiency=whole,
        category_proficiency=by_category,
        permuted_proficiency=None if order is None else _plain(permuted_proficiency(sums)),
        kappa=_plain(pooled_kappa(pair.both, pair.truth_counts, pair.system_counts, float(pair.n))),
        agreement=float(sums.exact / sums.total),
        renamings=tuple(each for each in found if each.finding),
    )


def mixed_up(answers: Annotations, a: int, b: int) -> list[ConfusedCategories]:
    """Categories that one annotator uses where the other uses another, beyond chance, the most frequent first."""
    pair = answers.pair(a, b)
    if not pair.n:
        return []
    only_a, only_b = _without(pair.truth, pair.hits), _without(pair.system, pair.hits)
    swaps = csr_array(only_a.T @ only_b).tocoo()
    if not swaps.nnz:
        return []
    expected = _expected_swaps(pair, swaps)
    # binomial: at least this many items, each with the probability that chance gives it. With one category per item the
    # margins hold the counts together, so that the items on which they differ will do; with sets all items are needed
    differing = np.count_nonzero(np.diff(only_a.indptr) * np.diff(only_b.indptr))
    tries = differing if answers.single else pair.n
    tails = betainc(swaps.data, tries - swaps.data + 1, np.minimum(expected / tries, 1.0))
    truth, system = pair.truth_counts > 0, pair.system_counts > 0
    looks = np.count_nonzero(truth) * np.count_nonzero(system) - np.count_nonzero(truth & system)
    p_values = np.minimum(1.0, tails * looks)
    found = np.flatnonzero(p_values <= _SIGNIFICANT)
    return [
        ConfusedCategories(
            first=answers.names[a],
            second=answers.names[b],
            first_category=str(pair.categories[swaps.row[at]]),
            second_category=str(pair.categories[swaps.col[at]]),
            count=int(swaps.data[at]),
            expected=float(expected[at]),
            p_value=float(p_values[at]),
        )
        for at in found[np.argsort(-swaps.data[found], kind="stable")]
    ]


def _without(matrix: csr_array, hits: csr_array) -> csr_array:
    rest = csr_array(matrix - hits)
    rest.eliminate_zeros()
    return rest


def _expected_swaps(pair: Categorization, swaps: coo_array) -> Real:
    """How many items would join these categories if disagreements did not depend on the categories.

    The total is the one observed, at most that of independent annotators. It is spread over the pairs of categories as
    independent annotators would spread it (by the product of frequencies), or as slips to any other category with equal
    probability would (by their sum); the greater expectation counts, so that neither kind of error is a finding.
    """
    first, second = _CanReplace.of(pair.truth, pair.truth_counts), _CanReplace.of(pair.system, pair.system_counts)
    size = int(np.count_nonzero(pair.truth_counts + pair.system_counts))
    independent = first.sum_of_products(second)
    total = min(float(swaps.data.sum()), independent / pair.n)
    here, there = first.at(swaps.row, swaps.col), second.at(swaps.col, swaps.row)
    return total * np.maximum(
        ratio(here * there, independent),
        ratio(here + there, first.total(size) + second.total(size)),
    )


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
