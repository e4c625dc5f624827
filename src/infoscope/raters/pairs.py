"""Two annotators at a time: what each tells about the other, and which categories they take for one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from infoscope.metrics import proficiency as table_proficiency
from infoscope.multilabel.assignment import MOST_CATEGORIES, Reassignment, assignment_of, reassignments, upper_tail
from infoscope.multilabel.measures import permuted_proficiency, proficiency
from infoscope.multilabel.tally import tally
from infoscope.numeric import as_real
from infoscope.raters.answers import Answers
from infoscope.raters.reliability import pooled_kappa
from infoscope.tables import Contingency
from infoscope.tables.categorization import Categorization

__all__ = ["Mixed", "PairAgreement", "mixed_up", "pair_agreement"]

_SIGNIFICANT = 0.05
_MOST = 200


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
class Mixed:
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


def pair_agreement(answers: Answers, a: int, b: int) -> PairAgreement | None:
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


def mixed_up(answers: Answers, a: int, b: int) -> list[Mixed]:
    """Categories that one annotator uses where the other uses another, beyond accident, the most frequent first."""
    pair = answers.pair(a, b)
    if not pair.n:
        return []
    only_a, only_b = _without(pair.truth, pair.hits), _without(pair.system, pair.hits)
    # of all pairs of items on which they differ, how many join these two categories by accident
    differing = float(np.count_nonzero(np.diff(only_a.indptr) * np.diff(only_b.indptr)))
    swaps = csr_array(only_a.T @ only_b).tocoo()
    rows, columns = _swapped(pair, only_a, only_b)
    looks = float(np.count_nonzero(rows) * np.count_nonzero(columns))
    found = []
    for x, y, count in sorted(zip(swaps.row, swaps.col, swaps.data, strict=True), key=lambda cell: -cell[2])[:_MOST]:
        expected = rows[x] * columns[y] / differing
        p = min(1.0, upper_tail(float(count), rows[x], columns[y], differing) * looks)
        if p <= _SIGNIFICANT:
            labels = str(pair.categories[x]), str(pair.categories[y])
            found.append(Mixed(answers.names[a], answers.names[b], *labels, int(count), float(expected), p))
    return found


def _without(matrix: csr_array, hits: csr_array) -> csr_array:
    rest = csr_array(matrix - hits)
    rest.eliminate_zeros()
    return rest


def _swapped(pair: Categorization, only_a: csr_array, only_b: csr_array) -> tuple[Any, Any]:
    """Memberships of either side on the items where both have some of their own."""
    both = (np.diff(only_a.indptr) > 0) & (np.diff(only_b.indptr) > 0)
    size = len(pair.categories)
    return tuple(as_real(np.bincount(side[np.flatnonzero(both)].indices, minlength=size)) for side in (only_a, only_b))  # type: ignore[return-value]
