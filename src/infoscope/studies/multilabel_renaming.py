"""The best one-to-one renaming of a system's categories: which pairs it moves, what it gains, what chance reaches.

Multi-label evaluation and the agreement of annotators ask for it. A renaming is an order: for each true category the
position of the system category assigned to it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import erfc
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri

from infoscope.core.markup import pluralize
from infoscope.core.numerics import Real, as_real, best_assignment
from infoscope.metrics.chance import BinaryTables, binary_entropy
from infoscope.tables.label_sets import Categorization

if TYPE_CHECKING:
    from infoscope.studies.agreement_measures import SingleLabelPair

AssignBy = Literal["information", "proficiency"]
"""Sum that a renaming maximises: the bits that assigned categories share, or their proficiencies."""

MAX_RENAMED_CATEGORIES = 4096
"""Renaming compares every category with every other; above this many it is left out."""

TIE_BITS = 2.0**-40
"""Bits below which two assignments are equally good; the one closer to the identity is taken."""

SIGNIFICANCE_LEVEL = 0.05


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
    """P of the pair by chance or of its being no better than the category's own name, whichever is greater; for all
    pairs that were compared (Bonferroni)."""
    finding: bool
    """Positive, beyond chance, and significantly better than the category's own name."""

    def sentence(self, truth_name: str, system_name: str) -> str:
        """Return the reassignment in words."""
        met = f"{pluralize(self.joint, 'object')} together, {self.expected:.1f} expected by chance"
        if self.association == "positive":
            doubt = "" if self.finding else "; not significantly better than the category's own name"
            return f"{system_name} used '{self.system}' where {truth_name} used '{self.truth}': {met}{doubt}"
        if self.association == "negative":
            return f"'{self.truth}' and '{self.system}' avoid each other ({met}): no renaming"
        return f"'{self.truth}' and '{self.system}' are paired because they are left over"


def compute_pair_information(counts: Real, truth: Real, system: Real, total: float) -> Real:
    """Return the shared bits of every true category with every system category."""
    return BinaryTables(counts, truth[:, None], system[None, :], total).information


def compute_pair_worth(information: Real, truth: Real, total: float, by: AssignBy) -> Real:
    """Return what each pair of categories adds to the sum that a renaming makes greatest.

    By proficiency, a category of two objects counts as much as one of two hundred; one that has no information of its
    own adds nothing.
    """
    if by == "information":
        return information
    truth_bits = binary_entropy(truth, total)[:, None]
    return np.divide(information, truth_bits, out=np.zeros_like(information), where=truth_bits > 0)


def find_best_order(worth: Real) -> NDArray[np.int64]:
    """Return for each true category the system category that makes the sum greatest; ties go to its own name."""
    if not worth.size:
        return np.arange(0)
    leaning = worth.copy()
    leaning[np.diag_indices_from(leaning)] += TIE_BITS
    return best_assignment(leaning)[1]


CategoryCounts: TypeAlias = "Categorization | SingleLabelPair"
"""Objects by category on two sides: label sets, or one category per item of two annotators."""


def assign_categories(pair: CategoryCounts, counts: Real, by: AssignBy = "information") -> NDArray[np.int64]:
    """Return the best renaming of a categorization, given its joint counts."""
    information = compute_pair_information(counts, pair.truth_counts, pair.system_counts, pair.total)
    return find_best_order(compute_pair_worth(information, pair.truth_counts, pair.total, by))


def find_reassignments(pair: CategoryCounts, counts: Real, order: NDArray[np.int64]) -> list[Reassignment]:
    """Return the categories that the renaming moves, the most informative first.

    A pair must pass two tests. It occurs together more often than by chance (hypergeometric, times all pairs). And the
    true category goes with the assigned system category better than with the one of its own name: Vuong's test of the
    two as models of the true category, times the pairs of different names that go together beyond chance, among which
    the renaming chose. A test against shuffled labels alone would reject nothing about names.
    """
    rows = np.flatnonzero(order != np.arange(len(order)))
    columns = order[rows]
    n = pair.total
    truth, system, joint = pair.truth_counts[rows], pair.system_counts[columns], counts[rows, columns]
    tables = BinaryTables(joint, truth, system, n)
    bits, sign, expected = tables.information, tables.sign, tables.expected
    truth_bits = binary_entropy(truth, n)
    looks = float(np.count_nonzero(pair.truth_counts) * np.count_nonzero(pair.system_counts))
    every = BinaryTables(counts, pair.truth_counts[:, None], pair.system_counts[None, :], n)
    critical = ndtri(1 - SIGNIFICANCE_LEVEL / max(looks, 1.0)) ** 2 / (2.0 * n * np.log(2.0))
    related = (every.sign > 0) & (every.information >= critical)
    candidates = max(int(np.count_nonzero(related)) - int(np.count_nonzero(related.diagonal())), 1)
    gains = _standardize_gains(pair, rows, columns, joint)
    moved = []
    for i in np.argsort(-np.divide(bits, truth_bits, out=np.zeros_like(bits), where=truth_bits > 0), kind="stable"):
        p = 1.0
        if sign[i] > 0:
            p_chance = _hypergeometric_tail(joint[i], truth[i], system[i], n) * looks
            p = float(min(1.0, max(p_chance, erfc(gains[i] / 2**0.5) / 2 * candidates)))
        moved.append(
            Reassignment(
                truth=str(pair.categories[rows[i]]),
                system=str(pair.categories[columns[i]]),
                proficiency=float(bits[i] / truth_bits[i]) if truth_bits[i] > 0 else None,
                joint=int(joint[i]),
                expected=float(expected[i]),
                truth_count=int(truth[i]),
                system_count=int(system[i]),
                association=("negative", "none", "positive")[int(sign[i]) + 1],
                p_value=p,
                finding=bool(sign[i] > 0 and p <= SIGNIFICANCE_LEVEL),
            )
        )
    return moved


def _standardize_gains(pair: CategoryCounts, rows: NDArray[np.int64], columns: NDArray[np.int64], joint: Real) -> Real:
    """Return how much better each true category goes with its new system category than with its own, over its error.

    Over objects, the mean log ratio of P(true | new) and P(true | own) is the difference of the two informations; it is
    divided by its standard error.
    """
    n, truth, own, new = pair.total, pair.truth_counts[rows], pair.system_counts[rows], pair.system_counts[columns]
    own_hits, new_hits = pair.both[rows], joint
    if isinstance(pair, Categorization):
        both_given = pair.system[:, rows].multiply(pair.system[:, columns])
        both = as_real(both_given.sum(axis=0)).ravel()
        all_three = as_real(pair.truth[:, rows].multiply(both_given).sum(axis=0)).ravel()
    else:  # one category per object
        both = all_three = np.zeros(len(rows))
    total, squares = np.zeros(len(rows)), np.zeros(len(rows))
    for t, a, b in itertools.product((True, False), repeat=3):
        # objects with this truth (t), own category (a) and new category (b), by inclusion and exclusion
        with_own, with_new = (own_hits, new_hits) if t else (own - own_hits, new - new_hits)
        with_both, margin = (all_three, truth) if t else (both - all_three, n - truth)
        of_own, of_new = (with_own if a else margin - with_own), (with_new if b else margin - with_new)
        if a:
            objects = with_both if b else with_own - with_both
        else:
            objects = with_new - with_both if b else margin - with_own - with_new + with_both
        used = objects > 0
        ratios = np.zeros(len(rows))
        by_new, by_own = (
            of_new / np.maximum(new if b else n - new, 1.0),
            of_own / np.maximum(own if a else n - own, 1.0),
        )
        ratios[used] = np.log(by_new[used] / by_own[used])
        total += objects * ratios
        squares += objects * ratios**2
    variance = squares - total**2 / n
    return np.divide(total, np.sqrt(np.maximum(variance, 0.0)), out=np.zeros(len(rows)), where=variance > 1e-9)


def _hypergeometric_tail(joint: float, a: float, b: float, n: float) -> float:
    """Return the probability that two random sets of ``a`` and ``b`` out of ``n`` objects share ``joint`` or more."""
    x = np.arange(joint, min(a, b) + 1)
    log_p = (
        gammaln(a + 1) + gammaln(b + 1) + gammaln(n - a + 1) + gammaln(n - b + 1) - gammaln(n + 1)
        - gammaln(x + 1) - gammaln(a - x + 1) - gammaln(b - x + 1) - gammaln(n - a - b + x + 1)
    )  # fmt: skip
    return float(min(1.0, np.exp(log_p).sum()))


@dataclass(frozen=True)
class Chance:
    """Permuted proficiency of shuffled labels, against that of the labels as they are."""

    shuffles: int
    mean: float
    """Permuted proficiency of shuffled labels, on average."""
    p_value: float
    """Fraction of shuffles that reach the permuted proficiency of the labels as they are."""


def measure_chance(
    pair: Categorization, permuted: float, shuffles: int, rng: np.random.Generator, by: AssignBy = "information"
) -> Chance | None:
    """Shuffle the objects of one side; ``permuted`` is the permuted proficiency of the pair itself."""
    truth_bits = float(binary_entropy(pair.truth_counts, pair.total).sum())
    if not shuffles or truth_bits == 0:
        return None
    bits = []
    for _ in range(shuffles):
        dealt = pair.deal_system(rng.permutation(pair.n))
        information = compute_pair_information(dealt.joint_counts(), pair.truth_counts, dealt.system_counts, pair.total)
        order = find_best_order(compute_pair_worth(information, pair.truth_counts, pair.total, by))
        bits.append(float(information[np.arange(len(order)), order].sum()))
    draws = np.array(bits) / truth_bits
    reached = np.count_nonzero(draws >= permuted - 1e-12)
    return Chance(shuffles, float(draws.mean()), float((1 + reached) / (shuffles + 1)))
