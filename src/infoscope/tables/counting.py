"""Rows to cells: the one heavy step, done in a single pass over two arrays of codes.

Few classes: each row adds to its cell in a table that fits the processor's cache. Many classes: the combined keys are
sorted and runs are counted, so memory follows the rows and never classes times classes. The checks of counts and
weights that every way in shares are here, too, and the sentence about rows that are left out.
"""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import pluralize
from infoscope.core.numerics import Real, freeze_arrays, group_sum
from infoscope.errors import InfoscopeWarning, InputError, MissingLabelsWarning
from infoscope.tables.encoding import Coded, one_column
from infoscope.tables.labels import Label
from infoscope.typing import ArrayLike

# ── counts and weights that no metric can be computed of ─────────────────────────────────────────


def check_total(values: NDArray[Any]) -> None:
    """Reject values that add up to infinity, or that are all too small to have their digits: shares would be wrong."""
    if values.dtype.kind != "f" or not values.size:
        return
    largest = values.max()
    if largest > np.finfo(np.float64).max / values.size:
        raise InputError("the values add up to more than 1.8e308; divide them all by one number")
    if 0 < largest < _LEAST_LARGEST:
        raise InputError(f"no value is above {float(largest)}, too small to compute with; multiply all by one number")


_LEAST_LARGEST = 1e-300
"""Of numbers below 2.2e-308 digits are lost, and with them those of every share."""


# ── counting ─────────────────────────────────────────────────────────────────────────────────────


Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Scatter = Callable[[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]], None]

_BLOCK = 1 << 15
_TABLE_CELLS = 1 << 22
_SMALL = 1 << 20


@dataclass(frozen=True)
class Side:
    """The labels of one side, and what the cells' codes mean.

    A code is a position among the labels. For plain integers the labels are a sorted array of those that
    occur, and where ``low`` is given a code is the label less ``low``.
    """

    labels: tuple[Label, ...] | Ints
    low: int | None = None

    def positions(self, codes: Ints) -> Ints:
        """Return the codes as positions among the labels."""
        if self.low is None or not isinstance(self.labels, np.ndarray):
            return codes
        return locate_codes(self.labels, self.low, codes)


def locate_codes(labels: Ints, low: int, codes: Ints) -> Ints:
    """Return positions of code + low among sorted labels; one look-up per cell, none where labels have no gap."""
    first, last = int(labels[0]), int(labels[-1])
    if last - first + 1 == len(labels):
        return codes + (low - first) if low != first else codes
    place = np.zeros(last - first + 1, dtype=np.int64)
    place[labels - first] = np.arange(len(labels))
    return place[codes + (low - first)] if low != first else place[codes]


@dataclass(frozen=True)
class CountedPairs:
    """Counted cells: where they are, what they hold, and what was left out."""

    truth: Side
    system: Side
    rows: Ints
    columns: Ints
    values: NDArray[Any]
    weight_squares: float
    ignored: dict[str, int]


def tally_pairs(truth: Coded, system: Coded, weights: ArrayLike | None = None) -> CountedPairs:
    """Count the rows of two coded sides, or add up their weights."""
    size = len(truth.codes)
    check_pairs(size, len(system.codes))
    check_any(size)
    weight = None if weights is None else read_sample_weights(weights, size)
    t, s = truth.codes, system.codes

    # leave out rows without a label on either side
    ignored: dict[str, int] = {}
    keep: NDArray[np.bool_] | None = None
    sides = [(truth, "missing truth label"), (system, "missing system label")]
    checks = [(None if side.missing is None else side.codes != side.missing, reason) for side, reason in sides]
    for present, reason in (*checks, (None if weight is None else ~np.isnan(weight), MISSING_WEIGHT)):
        if present is None or present.all():
            continue
        newly = ~present if keep is None else keep & ~present
        if count := int(np.count_nonzero(newly)):
            ignored[reason] = count
        keep = present if keep is None else keep & present
    if keep is not None:
        t, s, weight = t[keep], s[keep], None if weight is None else weight[keep]
    if not len(t):
        raise InputError(f"none of the {size} rows has both a truth label and an output; check the two inputs")
    if weight is not None and not weight.any():
        raise InputError("all weights are 0; there is nothing to evaluate")
    low_t, high_t, low_s, high_s, table = _count_dense(t, s, truth, system, weight)
    if max(high_t - low_t, high_s - low_s) >= 2**62:  # differences of the codes could overflow
        return tally_pairs(_compact_codes(truth), _compact_codes(system), weights)
    if table is not None:
        seen = table
        if weight is not None and not weight.all():  # a row without weight still names its classes
            seen = np.zeros(table.shape, dtype=bool)
            seen[np.subtract(t, low_t, dtype=np.int64), np.subtract(s, low_s, dtype=np.int64)] = True
        rows, columns = np.nonzero(seen)
        values = table[rows, columns]
    else:
        rows, columns, values = _count_sorted(t, s, (low_t, high_t, low_s, high_s), weight)
    with np.errstate(over="ignore"):
        squares = float(len(t)) if weight is None else float(np.dot(weight, weight))
    truth_side, rows = _describe_side(truth, rows, low_t, high_t)
    system_side, columns = _describe_side(system, columns, low_s, high_s)
    return CountedPairs(truth_side, system_side, rows, columns, values, squares, ignored)


def check_pairs(truth: int, system: int) -> None:
    """Reject sides of different lengths."""
    if truth != system:
        raise InputError(f"truth has {truth} rows and the system has {system}; they must pair row by row")


def check_any(rows: int) -> None:
    """Reject sides without rows."""
    if rows == 0:
        raise InputError("there are no rows to evaluate; give at least one truth label with its output")


def _compact_codes(coded: Coded) -> Coded:
    if coded.labels is not None:
        return coded
    values, codes = np.unique(coded.codes, return_inverse=True)
    labels = tuple(values.tolist())
    return Coded(codes, labels, missing=labels.index(coded.missing) if coded.missing in labels else None)


def read_sample_weights(weights: ArrayLike, size: int) -> Floats:
    """Return one finite weight per row that is not negative, NaN where one is missing; anything else is rejected."""
    column = one_column(weights, "sample_weight")
    try:
        array = as_numbers(column)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight holds something else than numbers ({error}); give one for each row") from None
    if array.shape != (size,):
        raise InputError(f"sample_weight has shape {array.shape}; give one weight for each of the {size} rows")
    bad = (array < 0) | np.isinf(array)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"sample_weight of row {row} is {array[row]}; weights must be finite and not negative")
    if np.isnan(array).all():
        raise InputError("no row has a weight; give sample_weight numbers, or leave it out")
    check_total(np.nan_to_num(array))
    return array


MISSING_WEIGHT = "missing weight"
"""Reason for which rows are left out, as those without a label are."""


def as_numbers(values: Any) -> Floats:
    """Read numbers in double precision; complex numbers and dates, which NumPy would convert, are rejected."""
    array = np.asarray(values)
    if array.dtype.kind in "cmM":
        raise TypeError(f"values of type {array.dtype} are no real numbers")
    try:
        return np.asarray(array if array.dtype.kind in "biuf" else values, dtype=np.float64)
    except OverflowError:
        raise ValueError("one is too large for a number") from None


def check_weight_scale(weights: Floats) -> None:
    """Reject weights whose products are too large or too small for a number."""
    largest = float(weights.max(initial=0.0))
    if largest and not _SMALLEST_WEIGHT <= largest <= 1.0 / _SMALLEST_WEIGHT:
        size, way = ("large", "divide") if largest > 1.0 else ("small", "multiply")
        raise InputError(f"the largest weight is {largest:g}, too {size} to square; {way} all weights by one number")


_SMALLEST_WEIGHT = 1e-140


def _count_dense(
    t: NDArray[Any], s: NDArray[Any], truth: Coded, system: Coded, weight: Floats | None
) -> tuple[int, int, int, int, NDArray[Any] | None]:
    """Return the dense table over the codes' ranges when it is small; the ranges alone when it is not.

    The range of plain integers is guessed from the first rows and verified block by block while the
    data is in the cache, because a separate pass would cost more than the counting.
    """
    for exact in (len(t) <= _SMALL, True):
        low_t, high_t = _find_span(t, truth, exact=exact)
        low_s, high_s = _find_span(s, system, exact=exact)
        shape = (high_t - low_t + 1, high_s - low_s + 1)
        if shape[0] * shape[1] <= _TABLE_CELLS:
            verified = exact or (truth.labels is not None and system.labels is not None)
            table = _scatter_blocks(t, s, (low_t, low_s), shape, weight, check=not verified)
            if table is not None:
                return low_t, high_t, low_s, high_s, table
        elif exact:
            break
    return low_t, high_t, low_s, high_s, None


def _find_span(codes: NDArray[Any], coded: Coded, *, exact: bool) -> tuple[int, int]:
    if coded.labels is not None:
        return 0, max(len(coded.labels) - 1, 0)
    seen = codes if exact else codes[:_SMALL]
    ends = [(int(block.min()), int(block.max())) for block in _cut_blocks(seen)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _cut_blocks(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Cut an array into pieces that stay in the cache from one step of the work to the next."""
    return (array[start : start + _BLOCK] for start in range(0, len(array), _BLOCK))


def _scatter_blocks(
    t: NDArray[Any],
    s: NDArray[Any],
    lows: tuple[int, int],
    shape: tuple[int, int],
    weight: Floats | None,
    *,
    check: bool,
) -> NDArray[Any] | None:
    """Return each row's weight added to its cell, block by block; None when a checked code lies outside the shape."""
    table = np.zeros(shape, dtype=np.int64 if weight is None else np.float64)
    ones = np.ones(min(_BLOCK, len(t)), dtype=np.int64)
    buffers = np.empty((2, len(ones)), dtype=np.int64)
    add = get_scatter()
    for start in range(0, len(t), _BLOCK):
        block = slice(start, start + _BLOCK)
        rows = _shift_codes(t[block], lows[0], buffers[0])
        columns = _shift_codes(s[block], lows[1], buffers[1])
        if check and not (_are_within(rows, shape[0]) and _are_within(columns, shape[1])):
            return None
        add(table, rows, columns, ones[: len(rows)] if weight is None else weight[block])
    return table


def _shift_codes(codes: NDArray[Any], low: int, buffer: Ints) -> Ints:
    if low == 0 and codes.dtype == np.int64 and codes.flags.c_contiguous:
        return codes
    out = buffer[: len(codes)]
    return np.subtract(codes, low, out=out, dtype=np.int64, casting="unsafe")


def _are_within(codes: Ints, size: int) -> bool:
    return bool(codes.min() >= 0 and codes.max() < size)


def get_scatter() -> Scatter:
    """Return the compiled scatter behind ``scipy.sparse.coo_array.toarray``, or the same by bincount.

    Called directly because the public way checks and copies both index arrays for every block, which triples the
    time (docs/contributors/decisions.md). Should a SciPy release move it, the NumPy form counts the same.
    """
    try:
        from scipy.sparse._sparsetools import coo_todense as to_dense  # noqa: PLC0415 - takes a quarter of a second
    except ImportError:
        return _scatter_by_bincount

    def add(table: NDArray[Any], rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]) -> None:
        to_dense(*table.shape, len(rows), rows, columns, values, table.ravel(), 0)

    return add


def _scatter_by_bincount(table: NDArray[Any], rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]) -> None:
    keys = rows * table.shape[1] + columns
    weights = None if table.dtype == np.int64 else values
    table += np.bincount(keys, weights=weights, minlength=table.size).reshape(table.shape)


def _count_sorted(
    t: NDArray[Any], s: NDArray[Any], spans: tuple[int, int, int, int], weight: Floats | None
) -> tuple[Ints, Ints, NDArray[Any]]:
    """Count cells by sorting the combined keys and measuring the runs."""
    low_t, high_t, low_s, high_s = spans
    bits = int(high_s - low_s).bit_length()
    if int(high_t - low_t).bit_length() + bits > 62:
        values_t, t = np.unique(t, return_inverse=True)
        values_s, s = np.unique(s, return_inverse=True)
        rows, columns, summed = _count_sorted(t, s, (0, len(values_t) - 1, 0, len(values_s) - 1), weight)
        return values_t[rows].astype(np.int64) - low_t, values_s[columns].astype(np.int64) - low_s, summed
    keys = np.empty(len(t), dtype=np.int64)
    for key, row, column in zip(_cut_blocks(keys), _cut_blocks(t), _cut_blocks(s), strict=True):
        np.subtract(row, low_t, out=key, dtype=np.int64, casting="unsafe")
        np.left_shift(key, bits, out=key)
        np.add(key, column, out=key, dtype=np.int64, casting="unsafe")
        np.subtract(key, low_s, out=key)
    if weight is None:
        keys.sort()
    else:
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
    rows, columns, values, starts = _measure_runs(keys, bits, with_starts=weight is not None)
    return rows, columns, values if weight is None else np.add.reduceat(weight[order], starts)


def _measure_runs(keys: Ints, bits: int, *, with_starts: bool) -> tuple[Ints, Ints, Ints, Ints]:
    """Return row, column, length and, on request, beginning of each run of equal keys."""
    rows, columns, lengths = (np.empty(len(keys), dtype=np.int64) for _ in range(3))
    starts = np.empty(len(keys) if with_starts else 0, dtype=np.int64)
    new = np.empty(_BLOCK, dtype=bool)
    runs, before, begun = 0, int(keys[0]) - 1, 0
    for start, block in zip(range(0, len(keys), _BLOCK), _cut_blocks(keys), strict=True):
        first = new[: len(block)]
        first[0] = block[0] != before
        np.not_equal(block[1:], block[:-1], out=first[1:])
        before = block[-1]
        places = np.flatnonzero(first)
        if not len(places):
            continue
        here = slice(runs, runs + len(places))
        cells = block[places]
        np.right_shift(cells, bits, out=rows[here])
        np.bitwise_and(cells, (1 << bits) - 1, out=columns[here])
        places += start
        if with_starts:
            starts[here] = places
        np.subtract(places[1:], places[:-1], out=lengths[runs : here.stop - 1])
        if runs:
            lengths[runs - 1] = places[0] - begun
        begun, runs = places[-1], here.stop
    lengths[runs - 1] = len(keys) - begun
    for array in (rows, columns, lengths, *([starts] if with_starts else [])):
        array.resize(runs, refcheck=False)  # gives the unused end back
    return rows, columns, lengths, starts


def _describe_side(coded: Coded, codes: Ints, low: int, high: int) -> tuple[Side, Ints]:
    """Return the labels that have data, and the cells' codes."""
    if coded.labels is not None:
        return Side(coded.labels), codes
    return describe_integers(codes, low, high)


def describe_integers(codes: Ints, low: int, high: int) -> tuple[Side, Ints]:
    """Return the whole numbers from low to high that have data, and the cells' codes; a code is a number less low."""
    if high - low <= 8 * len(codes) + 1024:
        present = np.zeros(high - low + 1, dtype=bool)
        present[codes] = True
        return Side(np.flatnonzero(present) + low, low), codes
    values, positions = np.unique(codes, return_inverse=True)
    return Side(values + low), positions


@dataclass(frozen=True)
class Support:
    """Positions of the stored cells of a sparse table, ordered by row, then column."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]

    @cached_property
    def row_starts(self) -> NDArray[np.int64]:
        """Positions at which each occupied row begins."""
        return freeze_arrays(np.flatnonzero(np.concatenate([[True], self.rows[1:] != self.rows[:-1]])))

    def per_row(self, values: Real, size: int) -> Real:
        """Add cell values up by row; rows are runs, so no look-up is needed."""
        if values.ndim == 1:
            return group_sum(self.rows, values, size)  # one after the other: the sum stays in a register
        out = np.zeros((*values.shape[:-1], size))
        out[..., self.rows[self.row_starts]] = np.add.reduceat(values, self.row_starts, axis=-1)
        return out


def make_summable(values: NDArray[Any]) -> NDArray[Any]:
    """Return the same numbers in a type in which their sum, and that of two such tables, does not overflow."""
    if values.dtype.kind not in "iu" or not values.size or float(values.max()) * values.size < _LARGEST_SUM:
        return values
    return values.astype(np.float64) if values.sum(dtype=np.float64) >= _LARGEST_SUM else values


_LARGEST_SUM = 2.0**62


# ── rows that are left out because something is missing in them ──────────────────────────────────


def describe_ignored(rows: int, reason: str) -> str:
    """Say how many rows do not enter the numbers, and why.

    >>> describe_ignored(1, "missing truth label"), describe_ignored(1200, "missing weight")
    ('1 row left out: missing truth label', '1,200 rows left out: missing weight')
    """
    return f"{pluralize(rows, 'row')} left out: {reason}"


def add_ignored(accounts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add rows by reason over tables of different rows."""
    total: dict[str, int] = {}
    for account in accounts:
        total |= {reason: total.get(reason, 0) + rows for reason, rows in account.items()}
    return total


def merge_ignored(accounts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Take the most rows by reason over systems of the same rows: a row that several miss is still one row."""
    most: dict[str, int] = {}
    for account in accounts:
        most |= {reason: max(most.get(reason, 0), rows) for reason, rows in account.items()}
    return most


def warn_of_rows(ignored: Mapping[str, int]) -> None:
    """Warn once of all rows that were left out, by reason; nothing to say where there are none."""
    warn_of(describe_ignored(rows, reason) for reason, rows in ignored.items())


def warn_of(sentences: Iterable[str], category: type[InfoscopeWarning] = MissingLabelsWarning) -> None:
    """Give one warning that says all of these, given for the caller's line and not for one of this package."""
    message = "; ".join(sentences)
    if not message:
        return
    package = __name__.partition(".")[0]
    frame, depth = sys._getframe(), 1  # as stacklevel counts, 1 is this function
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, category, stacklevel=depth)
