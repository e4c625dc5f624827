"""How probable as much information is by chance: from counts, within strata, corrected for the number of questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, xlogy
from scipy.stats import false_discovery_control, random_table

from infoscope.numeric import Real

__all__ = ["Correction", "adjusted", "chance_of", "expected_by_chance"]

Correction = Literal["holm", "benjamini-yekutieli", "none"]

LEAST_EXPECTED = 5.0
"""Expected count of every cell from which on the likelihood-ratio statistic follows its χ² law."""
ENOUGH = 20
"""Draws that reach the value after which drawing stops (Besag and Clifford): what is no relation costs little."""
BATCH = 100
MAX_CELLS = 4_000_000
"""Cells that may be drawn at once."""

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
    return _permuted([t.astype(np.int64) for t in used], permutations, rng), "permutation"


def _occupied(table: NDArray[Any]) -> NDArray[Any] | None:
    """The table without empty rows and columns; None where one side has a single label."""
    table = np.asarray(table)[np.asarray(table).sum(1) > 0]
    table = table[:, table.sum(0) > 0]
    return table if min(table.shape, default=0) > 1 else None


def _chi_square(tables: Tables) -> float:
    statistic = sum(2.0 * _excess(table) for table in tables)
    freedom = sum((table.shape[0] - 1) * (table.shape[1] - 1) for table in tables)
    return float(chdtrc(freedom, max(statistic, 0.0)))


def _excess(table: NDArray[Any]) -> float:
    """N times the mutual information, in nats."""
    counts = np.asarray(table, dtype=np.float64)
    margins = xlogy(counts.sum(0), counts.sum(0)).sum() + xlogy(counts.sum(1), counts.sum(1)).sum()
    return float(xlogy(counts, counts).sum() - margins + xlogy(counts.sum(), counts.sum()))


def _permuted(tables: Sequence[NDArray[np.int64]], draws: int, rng: np.random.Generator) -> float:
    observed = sum(float(xlogy(t, t).sum()) for t in tables)
    limit = observed - 1e-9 * max(abs(observed), 1.0)
    reached = done = 0
    while done < draws and reached < ENOUGH:
        batch = min(BATCH, draws - done)
        reached += int(np.count_nonzero(_drawn(tables, batch, rng) >= limit))
        done += batch
    return reached / done if reached >= ENOUGH else (reached + 1) / (done + 1)


def _drawn(tables: Sequence[NDArray[np.int64]], batch: int, rng: np.random.Generator) -> Real:
    """Σ n log n of random tables with the margins of each stratum."""
    found = np.zeros(batch)
    for table in tables:
        law = random_table(table.sum(1), table.sum(0), seed=rng)
        step = max(1, MAX_CELLS // table.size)
        for start in range(0, batch, step):
            part = law.rvs(size=min(step, batch - start))
            found[start : start + step] += xlogy(part, part).sum(axis=(-2, -1))
    return found


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
    order = np.argsort(p, kind="stable")
    found = np.empty_like(p)
    found[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return found.tolist()
