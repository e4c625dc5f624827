"""Information among several columns, from their counted patterns: given others, together, and shared with a target.

How probable as much of it is by chance: from counts, within strata, corrected for the number of questions.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc
from scipy.stats import false_discovery_control

from infoscope.core.numerics import holm
from infoscope.metrics.permutation import information_nats, permuted_p_value
from infoscope.tables.patterns import Patterns

__all__ = [
    "Correction",
    "InformationRange",
    "InformationSplit",
    "SetMeasures",
    "adjusted",
    "chance_of",
    "conditional_information",
    "expected_by_chance",
    "information_split",
]

ROUNDING = 1e-12
"""Bits below which sums and differences of entropies are 0."""


def conditional_information(
    patterns: Patterns, first: Sequence[str], second: Sequence[str], given: Sequence[str]
) -> float:
    """I(A;B|G) in bits of three sets of columns, over the rows in which none of them is missing.

    >>> xor = Patterns.from_columns({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "z": [0, 1, 1, 0]})
    >>> conditional_information(xor, ["x"], ["z"], []), conditional_information(xor, ["x"], ["z"], ["y"])
    (0.0, 1.0)
    """
    whole = patterns.select([*first, *second, *given]).complete()
    entropy = whole.entropy
    found = entropy([*first, *given]) + entropy([*second, *given])
    bits = found - entropy([*first, *second, *given]) - entropy([*given])
    return bits if bits > ROUNDING else 0.0


@dataclass(frozen=True)
class SetMeasures:
    """Several columns together, in bits."""

    columns: tuple[str, ...]
    rows: float
    """Rows in which no column is missing."""
    entropy: float
    total_correlation: float
    """What the columns tell twice, counted from their sum: ΣH(X_i) − H."""
    dual_total_correlation: float
    """What is not one column's own: H − ΣH(X_i given the others)."""
    o_information: float
    """Their difference: above 0 redundancy prevails, below 0 synergy."""
    residual_entropy: float
    """What each column tells that no other does, added up."""
    interaction: float | None = None
    """I(X;Y|Z) − I(X;Y) of three columns: + is synergy, − redundancy; None for any other number of columns."""

    @classmethod
    def of(cls, patterns: Patterns, columns: Sequence[str]) -> SetMeasures:
        """The measures of some columns over the rows that have all of them."""
        whole = patterns.select(columns).complete()
        joint = whole.entropy(columns)
        singles = sum(whole.entropy([name]) for name in columns)
        own = sum(max(0.0, joint - whole.entropy([other for other in columns if other != name])) for name in columns)
        total, dual = max(0.0, singles - joint), max(0.0, joint - own)
        return cls(
            tuple(columns),
            whole.total,
            joint,
            total,
            dual,
            total - dual,
            own,
            interaction(whole, columns) if len(columns) == 3 else None,
        )


def interaction(patterns: Patterns, columns: Sequence[str]) -> float:
    """McGill's interaction information; for n columns −Σ over subsets of (−1)^(n − size) H(subset)."""
    whole = patterns.select(columns).complete()
    return -sum(
        (-1) ** (len(columns) - size) * whole.entropy(part)
        for size in range(1, len(columns) + 1)
        for part in itertools.combinations(columns, size)
    )


@dataclass(frozen=True)
class InformationRange:
    """The least and the most that a part can be, in bits."""

    low: float
    high: float


@dataclass(frozen=True)
class InformationSplit:
    """What two columns tell about a target, and what every way to split it must obey, whatever its definition."""

    first: str
    second: str
    target: str
    together: float
    """I(first, second; target) in bits."""
    by_chance: float
    """Of this, what unrelated columns would show in as many rows, about."""
    shared: InformationRange
    only_first: InformationRange
    only_second: InformationRange
    only_together: InformationRange


def information_split(patterns: Patterns, first: str, second: str, target: str) -> InformationSplit:
    """Bounds on shared, own and joint information; exact where they meet, as for XOR and for copies.

    >>> xor = Patterns.from_columns({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "z": [0, 1, 1, 0]})
    >>> information_split(xor, "x", "y", "z").only_together
    InformationRange(low=1.0, high=1.0)
    """
    whole = patterns.select([first, second, target]).complete()
    one, other = (conditional_information(whole, [name], [target], []) for name in (first, second))
    both = conditional_information(whole, [first, second], [target], [])
    low, high = max(0.0, one + other - both), min(one, other)
    cells = len(whole.select([first, second])) - 1
    levels = int(np.count_nonzero(np.bincount(whole.codes[2], minlength=1))) - 1
    by_chance = max(cells * levels, 0) / (2.0 * max(whole.sample_size, 1.0) * float(np.log(2.0)))
    return InformationSplit(
        first,
        second,
        target,
        both,
        by_chance,
        InformationRange(low, max(low, high)),
        InformationRange(one - high, max(one - low, one - high)),
        InformationRange(other - high, max(other - low, other - high)),
        InformationRange(max(0.0, both - one - other + low), max(0.0, both - one - other + high)),
    )


Correction = Literal["holm", "benjamini-yekutieli", "none"]

LEAST_EXPECTED = 5.0
"""Expected count of every cell from which on the likelihood-ratio statistic follows its χ² law."""

Tables = Sequence[NDArray[Any]]
"""Counts of two columns, one table for each stratum."""


def chance_of(tables: Tables, permutations: int, rng: np.random.Generator) -> tuple[float, str]:
    """P of at least this much information if the columns had nothing to do with each other in any stratum.

    By the χ² law where every cell is expected often enough or rows are weighted, else by random tables with the same
    margins; and which of the two.
    """
    used = [part for table in tables if (part := _occupied(table)) is not None]
    if not used:
        return 1.0, "none"
    expected = min(float(t.sum(1).min() * t.sum(0).min() / t.sum()) for t in used)
    whole = all(np.all(t == np.rint(t)) for t in used)
    if expected >= LEAST_EXPECTED or not whole or not permutations:
        return _chi_square(used), "chi-square"
    return permuted_p_value([t.astype(np.int64) for t in used], permutations, rng), "permutation"


def _occupied(table: NDArray[Any]) -> NDArray[Any] | None:
    """The table without empty rows and columns; None where one side has a single label."""
    table = np.asarray(table)[np.asarray(table).sum(1) > 0]
    table = table[:, table.sum(0) > 0]
    return table if min(table.shape, default=0) > 1 else None


def _chi_square(tables: Tables) -> float:
    statistic = sum(2.0 * information_nats(table) for table in tables)
    freedom = sum((table.shape[0] - 1) * (table.shape[1] - 1) for table in tables)
    return float(chdtrc(freedom, max(statistic, 0.0)))


def expected_by_chance(tables: Tables) -> float:
    """Bits that independent columns would show in a sample of this size, about: degrees of freedom over 2 N ln 2."""
    used = [part for table in tables if (part := _occupied(table)) is not None]
    total = sum(float(np.asarray(table).sum()) for table in tables)
    freedom = sum((table.shape[0] - 1) * (table.shape[1] - 1) for table in used)
    return freedom / (2.0 * total * float(np.log(2.0))) if total else 0.0


def adjusted(p_values: Sequence[float], correction: Correction) -> list[float]:
    """P-values corrected for their number: the chance of any false claim (Holm), or the fraction of false ones.

    >>> adjusted([0.01, 0.04], "holm")
    [0.02, 0.04]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if not len(p) or correction == "none":
        return p.tolist()
    if correction == "benjamini-yekutieli":
        return np.asarray(false_discovery_control(p, method="by")).tolist()
    return holm(p.tolist())
