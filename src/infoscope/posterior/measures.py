"""Information measures of a table: those with exact moments, their ranges, and first-order errors of any metric.

A metric that is linear in the entropies, or a ratio of two such, needs no draws. To first order, the entropy of a
partition has the influence −log p − H at each sample; an information measure is a sum of three such partitions (truth,
system, both), and a ratio of two measures follows by the quotient rule. Every other metric is differentiated
numerically. This gives standard errors, the Cramér-Rao bound, and how errors of two systems go together.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import Array, Indices, dot
from infoscope.errors import InputError, UndefinedError, check_seed
from infoscope.metrics.registry import Metric, find
from infoscope.posterior.exact_moments import MEASURES, EntropyMoments
from infoscope.posterior.summary import check_draws
from infoscope.tables import Contingency
from infoscope.tables.contingency import remembered

#: metrics that are an entropy measure times 1/ln 2
LINEAR = {
    "mutual_information": "mutual",
    "truth_entropy": "truth",
    "system_entropy": "system",
    "joint_entropy": "joint",
    "missed_information": "missed",
    "false_information": "spurious",
    "erroneous_information": "erroneous",
}
#: metrics in bits that a measure bounds
_BOUNDED = {**LINEAR, "class_false_information": "system", "output_missed_information": "truth"}
#: metrics that are the perplexity of a measure
_PERPLEXITIES = {
    "effective_classes": "truth",
    "remnant_classes": "missed",
    "transfer_factor": "mutual",
    "system_classes": "system",
    "system_remnant_classes": "spurious",
    "truth_divergence_factor": "truth",
    "system_divergence_factor": "system",
}
#: metrics that are a measure over another
RATIOS = {
    "proficiency": ("mutual", "truth"),
    "missed_information_ratio": ("missed", "truth"),
    "false_information_ratio": ("spurious", "truth"),
    "erroneous_information_ratio": ("erroneous", "truth"),
    "information_precision": ("mutual", "system"),
    "nmi_joint": ("mutual", "joint"),
}
_STEADY = 0.05  # relative sd of the denominator up to which a ratio is expanded
_BITS = 1 / np.log(2.0)


class ExactSummary(NamedTuple):
    """Exact mean and sd of a metric, and the upper end of its range."""

    mean: float
    sd: float
    upper: float


def summarize_exactly(name: str, moments: EntropyMoments | None, shape: tuple[int, int]) -> ExactSummary | None:
    """Summarize a linear metric in bits, or a ratio by expansion to second order; None where draws are needed.

    They are without moments, for any other metric, and for a ratio whose denominator is too uncertain. With c the
    relative sd of the denominator, the sd is right to a share of order c² and the mean to a share of the sd of order
    c². Up to c = 0.05 both stayed within 2 % (of the sd) of long runs of draws.
    """
    if moments is None:
        return None
    if name in LINEAR:
        measure = LINEAR[name]
        upper = find_upper_end(measure, shape)
        return ExactSummary(moments.mean_of(measure) * _BITS, moments.sd_of(measure) * _BITS, upper * _BITS)
    if name not in RATIOS:
        return None
    top, bottom = (MEASURES.index(x) for x in RATIOS[name])
    whole = moments.mean[bottom]
    spread = np.sqrt(moments.covariance[bottom, bottom])
    if whole <= 0 or spread > _STEADY * whole:
        return None
    value = moments.mean[top] / whole
    c = np.zeros(len(MEASURES))
    c[top] += 1.0
    c[bottom] -= value
    covariance = moments.covariance
    mean = value - float(c @ covariance[:, bottom]) / whole**2
    sd = np.sqrt(max(float(c @ covariance @ c), 0.0)) / whole
    bounded = RATIOS[name][0] == "mutual" or name == "missed_information_ratio"
    upper = 1.0 if bounded else find_upper_end(RATIOS[name][0], shape) / float(whole)
    return ExactSummary(float(mean), float(sd), upper)


def find_upper_end(measure: str, shape: tuple[int, int]) -> float:
    """Return the largest value of a measure for a table of this shape, in nats."""
    k, m = np.log(shape)
    ends = {"mutual": min(k, m), "truth": k, "missed": k, "system": m, "spurious": m}
    return float(ends.get(measure, k + m))


def find_ends(entry: Metric, shape: tuple[int, int]) -> tuple[float, float]:
    """Return the range of a metric for tables of this shape: no entropy exceeds the logarithm of the classes."""
    low, high = entry.card.range
    if entry.name in _BOUNDED:
        return low, find_upper_end(_BOUNDED[entry.name], shape) * _BITS
    return low, float(np.exp(find_upper_end(_PERPLEXITIES[entry.name], shape))) if entry.name in _PERPLEXITIES else high


# ── first order ──────────────────────────────────────────────────────────────────────────────────

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
    out = np.zeros(table.cells.size)
    if is_information(find(name).name):
        places, _, influences, entropies = _influences(table)
        out[places] = _weights(find(name).name, entropies) @ influences
        return out
    occupied = np.flatnonzero(table.cells)
    slopes = compute_log_slopes(name, table, occupied)
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


def cramer_rao_efficiency(
    table: Contingency, name: str, sizes: Iterable[int], *, draws: int = 10_000, seed: int = 0
) -> Array:
    """Compute how much of the sample value's mean squared error the Cramér-Rao bound accounts for, by sample size.

    Samples of each size are drawn from the frequencies of the table, whose own value counts as the true one. The
    efficiency of accuracy is 1 at every size; that of information rises to 1 as its bias and its higher-order terms
    vanish. Where it is far below 1, first-order errors cannot be trusted.

    Parameters
    ----------
    table : Contingency
        One table of counts with a known sample size.
    name : str
        Id or alias of a metric of the whole table.
    sizes : iterable of int
        Sample sizes.
    draws : int, default 10,000
        Number of samples of each size, for an efficiency to about √(2/draws) of itself. Samples in which the metric
        is undefined are left out.
    seed : int, default 0
        Seed of the draws.

    Returns
    -------
    ndarray
        Efficiency for each size, above 1 if bias takes the error below the bound; NaN where the value never varies.

    Raises
    ------
    UndefinedError
        If the metric is not a function of the probabilities alone.
    InputError
        If the table, a size or the number of draws does not do.

    Examples
    --------
    >>> table = Contingency.from_matrix([[12, 1, 0], [2, 9, 1], [0, 3, 11]])
    >>> [f"{value:.2f}" for value in cramer_rao_efficiency(table, "mutual_information", [20, 100, 1000])]
    ['0.86', '0.90', '1.01']
    """
    check_draws(draws)
    check_seed(seed)
    if not isinstance(sizes, Iterable):
        raise InputError(f"sizes is {sizes!r}; give a list of sample sizes, as [20, 100, 1000]")
    numbers = list(sizes)
    if not numbers or any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1 for n in numbers):
        raise InputError(f"sizes is {numbers!r}; give at least one sample size, whole numbers from 1 on")
    bound = cramer_rao_sd(table, name) ** 2 * (table.sample_size or 0.0)
    score, true = find(name).score, float(find(name).score(table))
    rng, shares = np.random.default_rng(seed), np.ravel(table.cells) / table.total
    block = max(1, _BLOCK_CELLS // shares.size)
    efficiencies = []
    for n in numbers:
        sums = np.zeros(2)
        for start in range(0, draws, block):
            drawn = rng.multinomial(n, shares, min(block, draws - start))
            values = np.asarray(score(table.with_cells(drawn)))
            errors = (values[np.isfinite(values)] - true) ** 2
            sums += errors.sum(), errors.size
        efficiencies.append(bound / n * sums[1] / sums[0] if sums[0] > 0 else np.nan)
    return np.array(efficiencies)
