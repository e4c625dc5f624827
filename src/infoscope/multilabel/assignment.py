"""Which system category goes with which true one: the best one-to-one renaming, its worth, and what chance reaches."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from infoscope.assignment import best_assignment
from infoscope.markup import counted
from infoscope.metrics.binary_information import BinaryTables, binary_entropy
from infoscope.numeric import Real
from infoscope.quick_dataclasses import dataclass
from infoscope.special_functions import gammaln
from infoscope.tables.categorization import Categorization
from infoscope.tables.labels import Label

__all__ = [
    "MOST_CATEGORIES",
    "AssignBy",
    "CategoryCounts",
    "Chance",
    "Reassignment",
    "assignment_of",
    "best_order",
    "by_chance",
    "pair_information",
    "reassignments",
    "upper_tail",
    "worth_of_pairs",
]

AssignBy = Literal["information", "proficiency"]
"""What a renaming makes greatest: the bits that assigned categories share, or the sum of their proficiencies."""

MOST_CATEGORIES = 4096
"""Renaming compares every category with every other; above this many it is left out."""

_TIE = 2.0**-40
"""Bits below which two assignments are equally good; the one closer to the identity is taken."""

_SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Reassignment:
    """A true category that the best renaming gives to a system category of another name."""

    truth: str
    system: str
    proficiency: float | None
    """Fraction of the true category's information in the assigned one; None where it has none."""
    joint: int
    expected: float
    truth_count: int
    system_count: int
    association: str
    """positive, negative, or none."""
    p_value: float
    """Chance of as many joint objects among random sets of these sizes, times the pairs looked at."""
    finding: bool
    """Positive, beyond chance, and better than the category's own name."""

    def sentence(self, truth_name: str, system_name: str) -> str:
        """What happened, in words."""
        met = f"{counted(self.joint, 'object')} together, {self.expected:.1f} expected"
        if self.association == "positive":
            doubt = "" if self.finding else "; this may be chance"
            return f"{system_name} used '{self.system}' where {truth_name} used '{self.truth}': {met}{doubt}"
        if self.association == "negative":
            return f"'{self.truth}' and '{self.system}' avoid each other ({met}): no renaming"
        return f"'{self.truth}' and '{self.system}' are paired because they are left over"


def pair_information(counts: Real, truth: Real, system: Real, total: float) -> Real:
    """Shared bits of every true category with every system category."""
    return BinaryTables(counts, truth[:, None], system[None, :], total).information


def worth_of_pairs(information: Real, truth: Real, total: float, by: AssignBy) -> Real:
    """What each pair of categories adds to the sum that a renaming makes greatest.

    By proficiency, a category of two objects counts as much as one of two hundred; one that has no information of its
    own adds nothing.
    """
    if by == "information":
        return information
    whole = binary_entropy(truth, total)[:, None]
    return np.divide(information, whole, out=np.zeros_like(information), where=whole > 0)


def best_order(worth: Real) -> NDArray[np.int64]:
    """For each true category the system category that makes the sum greatest; ties go to its own name."""
    if not worth.size:
        return np.arange(0)
    leaning = worth.copy()
    leaning[np.diag_indices_from(leaning)] += _TIE
    return best_assignment(leaning)[1]


class CategoryCounts(Protocol):
    """How often two sides give each category to the same objects."""

    @property
    def categories(self) -> tuple[Label, ...]:
        """The categories."""

    @property
    def n(self) -> int:
        """Objects that both sides have."""

    @property
    def total(self) -> float:
        """Total weight of the objects."""

    @property
    def truth_counts(self) -> Real:
        """Objects per category in the truth."""

    @property
    def system_counts(self) -> Real:
        """Objects per category in the system's prediction."""

    @property
    def both(self) -> Real:
        """Objects per category to which both sides give it."""


def assignment_of(pair: CategoryCounts, counts: Real, by: AssignBy = "information") -> NDArray[np.int64]:
    """The best renaming of a categorization, given its joint counts."""
    information = pair_information(counts, pair.truth_counts, pair.system_counts, pair.total)
    return best_order(worth_of_pairs(information, pair.truth_counts, pair.total, by))


def reassignments(pair: CategoryCounts, counts: Real, order: NDArray[np.int64]) -> list[Reassignment]:
    """The categories that the renaming moves, the most informative first."""
    rows = np.flatnonzero(order != np.arange(len(order)))
    columns = order[rows]
    n = pair.total
    truth, system, joint = pair.truth_counts[rows], pair.system_counts[columns], counts[rows, columns]
    tables = BinaryTables(joint, truth, system, n)
    own = BinaryTables(pair.both[rows], truth, pair.system_counts[rows], n).information
    bits, sign, expected = tables.information, tables.sign, tables.expected
    whole = binary_entropy(truth, n)
    looks = float(np.count_nonzero(pair.truth_counts) * np.count_nonzero(pair.system_counts))
    found = []
    for at in np.argsort(-np.divide(bits, whole, out=np.zeros_like(bits), where=whole > 0), kind="stable"):
        p = min(1.0, upper_tail(joint[at], truth[at], system[at], n) * looks) if sign[at] > 0 else 1.0
        found.append(
            Reassignment(
                truth=str(pair.categories[rows[at]]),
                system=str(pair.categories[columns[at]]),
                proficiency=float(bits[at] / whole[at]) if whole[at] > 0 else None,
                joint=int(joint[at]),
                expected=float(expected[at]),
                truth_count=int(truth[at]),
                system_count=int(system[at]),
                association=("negative", "none", "positive")[int(sign[at]) + 1],
                p_value=p,
                finding=bool(sign[at] > 0 and p <= _SIGNIFICANT and bits[at] > own[at]),
            )
        )
    return found


def upper_tail(joint: float, a: float, b: float, n: float) -> float:
    """Probability that two random sets of ``a`` and ``b`` out of ``n`` objects share ``joint`` or more."""
    x = np.arange(joint, min(a, b) + 1)
    log_p = (
        gammaln(a + 1) + gammaln(b + 1) + gammaln(n - a + 1) + gammaln(n - b + 1) - gammaln(n + 1)
        - gammaln(x + 1) - gammaln(a - x + 1) - gammaln(b - x + 1) - gammaln(n - a - b + x + 1)
    )  # fmt: skip
    return float(min(1.0, np.exp(log_p).sum()))


@dataclass(frozen=True)
class Chance:
    """Permuted proficiency of shuffled labels, against the value found."""

    shuffles: int
    mean: float
    """Permuted proficiency of shuffled labels, on average."""
    gain: float
    """How much renaming adds to the proficiency of shuffled labels, on average."""
    p_value: float
    """Fraction of shuffles that reach the permuted proficiency found."""
    gain_p_value: float
    """Fraction of shuffles in which renaming gains as much as it did."""


def by_chance(
    pair: Categorization,
    found: tuple[float, float],
    shuffles: int,
    rng: np.random.Generator,
    by: AssignBy = "information",
) -> Chance | None:
    """Shuffle the objects of one side; ``found`` is the proficiency and the permuted proficiency of the pair itself."""
    whole = float(binary_entropy(pair.truth_counts, pair.total).sum())
    if not shuffles or whole == 0:
        return None
    draws = np.array([_shuffled(pair, rng, by) for _ in range(shuffles)]) / whole
    gains = draws[:, 1] - draws[:, 0]
    return Chance(
        shuffles,
        float(draws[:, 1].mean()),
        float(gains.mean()),
        _reached(draws[:, 1], found[1]),
        _reached(gains, found[1] - found[0]),
    )


def _shuffled(pair: Categorization, rng: np.random.Generator, by: AssignBy) -> tuple[float, float]:
    dealt = pair.dealt(rng.permutation(pair.n))
    information = pair_information(dealt.joint_counts(), pair.truth_counts, dealt.system_counts, pair.total)
    order = best_order(worth_of_pairs(information, pair.truth_counts, pair.total, by))
    return float(np.trace(information)), float(information[np.arange(len(order)), order].sum())


def _reached(draws: Real, value: float) -> float:
    return float((1 + np.count_nonzero(draws >= value - 1e-12)) / (len(draws) + 1))
