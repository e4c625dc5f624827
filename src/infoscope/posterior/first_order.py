"""How entropies answer to one more sample, in closed form: what the first-order errors are made of.

The entropy of a partition has the influence −log p − H at each sample; an information measure is a sum of three such
partitions (truth, system, both), and a ratio of two measures follows by the quotient rule.
"""

import numpy as np

from infoscope.posterior.arrays import Array
from infoscope.posterior.measures import LINEAR, RATIOS
from infoscope.tables import Contingency
from infoscope.tables.caching import remembered

__all__ = ["information_influence", "information_sds", "is_information"]

#: measures as sums of H(T), H(S) and H(T,S)
_PARTS = {
    "truth": (1.0, 0.0, 0.0),
    "system": (0.0, 1.0, 0.0),
    "joint": (0.0, 0.0, 1.0),
    "mutual": (1.0, 1.0, -1.0),
    "missed": (0.0, -1.0, 1.0),
    "spurious": (-1.0, 0.0, 1.0),
    "erroneous": (-1.0, -1.0, 2.0),
}
_CANCELLED = 1e-6  # share of a variance that may be left of its terms before they are combined cell by cell
_ROUNDING = 1e-13


def is_information(name: str) -> bool:
    """Whether a metric is an information measure, or a ratio of two."""
    return name in LINEAR or name in RATIOS


@remembered
def _influences(table: Contingency) -> tuple[Array, Array, Array]:
    """Shares of the cells, the influence of each of the three entropies there, and the entropies; in bits."""
    shares = table.cells / table.grand_total
    rows, columns = (
        totals[index] / table.grand_total
        for totals, index in ((table.row_totals, table.cell_rows), (table.column_totals, table.cell_columns))
    )
    surprise = np.stack([-np.log2(np.where(shares > 0, p, 1.0)) for p in (rows, columns, shares)])
    entropies = surprise @ shares
    return shares, np.where(shares > 0, surprise - entropies[:, None], 0.0), entropies


def _weights(name: str, entropies: Array) -> Array:
    """The metric's gradient by H(T), H(S) and H(T,S)."""
    if name in LINEAR:
        return np.array(_PARTS[LINEAR[name]])
    top, bottom = (np.array(_PARTS[measure]) for measure in RATIOS[name])
    whole = float(bottom @ entropies)
    if whole <= 0:
        return np.full(3, np.nan)
    return (top - bottom * float(top @ entropies) / whole) / whole


def information_influence(name: str, table: Contingency) -> Array:
    """By how much one more sample in each stored cell moves an information measure, times the number of samples."""
    _, influences, entropies = _influences(table)
    return _weights(name, entropies) @ influences


def information_sds(table: Contingency, size: float) -> dict[str, float]:
    """First-order standard error of every information measure for this many samples; NaN where it is undefined.

    >>> table = Contingency.from_matrix([[40, 10], [10, 40]])
    >>> print(f"{information_sds(table, 100)['mutual_information']:.4f}")
    0.0800
    """
    shares, influences, entropies = _influences(table)
    covariance = (influences * shares) @ influences.T
    found = {}
    for name in (*LINEAR, *RATIOS):
        g = _weights(name, entropies)
        variance, largest = float(g @ covariance @ g), float(np.abs(g) @ np.sqrt(np.diag(covariance))) ** 2
        if variance < _CANCELLED * largest:
            variance = _exact_variance(g, table)
        found[name] = float(np.sqrt(variance / size))
    return found


def _exact_variance(g: Array, table: Contingency) -> float:
    """The variance of the combined influence, cell by cell; what is rounding there, as at independence, is 0."""
    shares, influences, entropies = _influences(table)
    combined = g @ influences
    scale = np.abs(g) @ (np.abs(influences) + entropies[:, None])
    combined[np.abs(combined) < _ROUNDING * scale] = 0.0
    return float(shares @ combined**2)
