"""First-order errors: the influence of a sample on a metric, its standard error and the Cramér-Rao bound.

The entropy of a partition has the influence −log p − H at each sample; an information measure is a sum of three such
partitions (truth, system, both), and a ratio of two measures follows by the quotient rule.
"""

from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import dot
from infoscope.errors import InputError, UndefinedError
from infoscope.metrics.registry import find
from infoscope.posterior.arrays import Array, Indices
from infoscope.posterior.measures import LINEAR, RATIOS
from infoscope.tables import Contingency
from infoscope.tables.contingency import remembered

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
    """Return True if a metric is an information measure, or a ratio of two."""
    return name in LINEAR or name in RATIOS


def correct_by_miller_madow(name: str, table: Contingency, size: float) -> float:
    """Return an information measure of entropies that are corrected for bias as Miller and Madow (1955) do.

    Each entropy is raised by (classes or cells in use − 1) / 2n nats. It is about the least correction that any table
    needs: exact where every cell in use holds several samples, too small where errors are spread over many cells.
    """
    used = [np.count_nonzero(counts) - 1 for counts in (table.row_totals, table.column_totals, table.cells)]
    entropies = _influences(table).entropies + np.array(used) / (2 * size * np.log(2.0))
    if name in LINEAR:
        return float(np.array(_PARTS[LINEAR[name]]) @ entropies)
    top, bottom = (float(np.array(_PARTS[measure]) @ entropies) for measure in RATIOS[name])
    return top / bottom if bottom > 0 else np.nan


class _Influences(NamedTuple):
    """Cells that have data, their shares, the influence of each of the three entropies there, and the entropies."""

    places: Indices
    shares: Array
    influences: Array
    entropies: Array


@remembered
def _influences(table: Contingency) -> _Influences:
    """Compute the influences of the three entropies, in bits."""
    shares = table.cells / table.grand_total
    places = np.flatnonzero(shares)
    shares = shares[places]
    rows, columns = table.row_shares[table.cell_rows[places]], table.column_shares[table.cell_columns[places]]
    surprise = -np.log2(np.stack([rows, columns, shares]))
    entropies = dot(surprise, shares)
    return _Influences(places, shares, surprise - entropies[:, None], entropies)


def _weights(name: str, entropies: Array) -> Array:
    """Return the metric's gradient by H(T), H(S) and H(T,S)."""
    if name in LINEAR:
        return np.array(_PARTS[LINEAR[name]])
    top, bottom = (np.array(_PARTS[measure]) for measure in RATIOS[name])
    whole = float(bottom @ entropies)
    if whole <= 0:
        return np.full(3, np.nan)
    return (top - bottom * float(top @ entropies) / whole) / whole


def compute_information_influence(name: str, table: Contingency) -> Array:
    """Return how far one more sample in each stored cell moves an information measure, times the number of samples."""
    places, _, influences, entropies = _influences(table)
    out = np.zeros(table.cells.size)
    out[places] = _weights(name, entropies) @ influences
    return out


def compute_information_sds(table: Contingency, size: float) -> dict[str, float]:
    """Compute the first-order standard error of every information measure for this many samples; NaN if undefined.

    >>> table = Contingency.from_matrix([[40, 10], [10, 40]])
    >>> print(f"{compute_information_sds(table, 100)['mutual_information']:.4f}")
    0.0800
    """
    _, shares, influences, entropies = _influences(table)
    covariance = (influences * shares) @ influences.T
    sds = {}
    for name in (*LINEAR, *RATIOS):
        g = _weights(name, entropies)
        variance, largest = float(g @ covariance @ g), float(np.abs(g) @ np.sqrt(np.diag(covariance))) ** 2
        if variance < _CANCELLED * largest:  # combine cell by cell; what is rounding there, as at independence, is 0
            combined = g @ influences
            scale = np.abs(g) @ (np.abs(influences) + entropies[:, None])
            combined[np.abs(combined) < _ROUNDING * scale] = 0.0
            variance = float(shares @ combined**2)
        sds[name] = float(np.sqrt(variance / size))
    return sds


_STEP = 1e-5
_BLOCK_CELLS = 2_000_000
_MOST_CELLS = 20_000


def compute_log_slopes(name: str, table: Contingency, occupied: Indices) -> Array:
    """Differentiate the metric by the logarithm of each occupied cell's share, by central differences."""
    if occupied.size > _MOST_CELLS:
        raise InputError(f"{occupied.size} occupied cells are too many for a numerical gradient; merge classes")
    score = find(name).score
    out = np.empty(occupied.size)
    block = max(1, _BLOCK_CELLS // (2 * table.cells.size))
    for start in range(0, occupied.size, block):
        places = occupied[start : start + block]
        varied = np.broadcast_to(table.cells, (2, places.size, table.cells.size)).copy()
        varied[0, np.arange(places.size), places] *= np.exp(_STEP)
        varied[1, np.arange(places.size), places] *= np.exp(-_STEP)
        up, down = np.asarray(score(table.with_cells(varied)))
        out[start : start + block] = (up - down) / (2 * _STEP)
    return out


def compute_influence(name: str, table: Contingency) -> Array:
    """Return the metric's gradient at each cell, centred so that its mean over the samples is 0; 0 at empty cells.

    Its variance over the samples, divided by their number, is the squared first-order standard error; the
    covariance of two systems' influences over the same samples tells how their errors go together.

    >>> table = Contingency.from_matrix([[40, 10], [10, 40]])
    >>> [round(float(x), 3) for x in compute_influence("accuracy", table)]
    [0.2, -0.8, -0.8, 0.2]
    """
    if is_information(find(name).name):
        return compute_information_influence(find(name).name, table)
    occupied = np.flatnonzero(table.cells)
    slopes = compute_log_slopes(name, table, occupied)
    out = np.zeros(table.cells.size)
    out[occupied] = slopes / (table.cells[occupied] / table.total) - slopes.sum()
    return out


def cramer_rao_sd(table: Contingency, name: str) -> float:
    """Compute √(gᵀ(diag p − ppᵀ)g / n) for a metric with gradient g: the best an unbiased estimate can do.

    It is 0 where the gradient vanishes, as that of the mutual information does at independence; the exact
    posterior sd is not. The ratio of the two says how far first order can be trusted.

    Parameters
    ----------
    table : Contingency
        One table of counts with a known sample size.
    name : str
        Id or alias of a metric of the whole table.

    Returns
    -------
    float
        Standard deviation.

    Raises
    ------
    UndefinedError
        If the metric is not a function of the probabilities alone.
    InputError
        If the table is a batch or re-weighted, or its sample size is not known.

    Examples
    --------
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
        return compute_information_sds(table, size)[entry.name]
    occupied = np.flatnonzero(table.cells)
    shares = table.cells[occupied] / table.total
    slopes = compute_log_slopes(entry.name, table, occupied)
    spread = float(np.sum(slopes**2 / shares) - slopes.sum() ** 2)
    return float(np.sqrt(max(spread, 0.0) / size))
