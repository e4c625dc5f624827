"""How probable as much information is by chance: from counts, within strata, corrected for the number of questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc
from scipy.stats import false_discovery_control

from infoscope.metrics.permutation import information_nats, permuted_p_value
from infoscope.numeric import holm

__all__ = ["Correction", "adjusted", "chance_of", "expected_by_chance"]

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
    """P-values corrected for their number: the chance of any false claim (Holm), or the share of false ones.

    >>> adjusted([0.01, 0.04], "holm")
    [0.02, 0.04]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if not len(p) or correction == "none":
        return p.tolist()
    if correction == "benjamini-yekutieli":
        return np.asarray(false_discovery_control(p, method="by")).tolist()
    return holm(p.tolist())
