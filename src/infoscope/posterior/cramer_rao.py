"""The first-order standard error, beside the exact one."""

import numpy as np

from infoscope.errors import InputError, UndefinedError
from infoscope.metrics.registry import find
from infoscope.posterior.first_order import information_sds, is_information
from infoscope.posterior.influence import log_slopes
from infoscope.tables import Contingency

__all__ = ["cramer_rao_sd"]


def cramer_rao_sd(table: Contingency, name: str) -> float:
    """√(gᵀ(diag p − ppᵀ)g / n) for a metric with gradient g: the best an unbiased estimate can do.

    It is 0 where the gradient vanishes, as that of the mutual information does at independence; the exact
    posterior sd is not. The ratio of the two says how far first order can be trusted.

    >>> table = Contingency.from_matrix([[40, 10], [10, 40]])
    >>> print(f"{cramer_rao_sd(table, 'accuracy'):.4f}")  # √(0.8 · 0.2 / 100)
    0.0400
    """
    entry = find(name)
    if entry.card.posterior == "none" or entry.card.level != "table":
        raise UndefinedError(f"{entry.name} is not a function of the probabilities alone; it has no Cramér-Rao bound")
    size = table.sample_size
    if table.batch_shape or table.reweighting is not None or size is None:
        raise InputError("a Cramér-Rao bound needs one table of counts with a known sample size; give such a table")
    if is_information(entry.name):
        return information_sds(table, size)[entry.name]
    occupied = np.flatnonzero(table.cells)
    shares = table.cells[occupied] / table.total
    slopes = log_slopes(entry.name, table, occupied)
    spread = float(np.sum(slopes**2 / shares) - slopes.sum() ** 2)
    return float(np.sqrt(max(spread, 0.0) / size))
