"""Entropies, shares and ratios: bits, rounding and "undefined" are decided here.

Everything works on the last axis and carries leading axes along. Undefined is NaN, never 0.
"""

from collections.abc import Sequence
from dataclasses import is_dataclass
from functools import cache
from math import isinf, isnan, nan
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from infoscope.core.validation import validated
from infoscope.typing import ArrayLike

_SMALLEST = float(np.nextafter(0.0, 1.0))
_BLOCK = 1 << 15
_ONE_THREAD = 1 << 12
_LARGEST_KEPT = 16 << 20  # bytes
CLEARLY_LEFT = 1e-3
"""From this share of the whole on, what is left of it is a difference that keeps twelve digits."""

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Real: TypeAlias = Array
"""A number per table: a NumPy scalar for one table, an array for a batch."""


Kept = TypeVar("Kept")


def freeze_arrays(result: Kept) -> Kept:
    """Make arrays read-only and return the same result: arrays, and records, tuples and dictionaries of arrays."""
    if isinstance(result, np.ndarray):
        result.flags.writeable = False
    elif isinstance(result, (float, int)):  # most results of one table
        return result
    elif isinstance(result, tuple):
        for part in result:
            freeze_arrays(part)
    elif isinstance(result, dict) or is_dataclass(result):
        for part in (result if isinstance(result, dict) else vars(result)).values():
            freeze_arrays(part)
    return result


@cache
def keep_freed_memory() -> None:
    """Have the memory of temporary arrays used again, rather than handed back to the system after each.

    glibc hands the end of its heap back once that exceeds twice the largest block that was ever freed, and the system
    clears the same pages anew: half of all page faults. Freeing a block that nothing was written to raises the limit.
    """
    np.empty(_LARGEST_KEPT, dtype=np.uint8)


def as_real(values: ArrayLike) -> Real:
    """Return the same numbers in double precision."""
    return np.asarray(values, dtype=np.float64)


def ratio(part: float | NDArray[Any], whole: float | NDArray[Any]) -> Real:
    """Divide a part by its whole, undefined (NaN) where the whole is 0.

    >>> [float(x) for x in ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0]))]
    [0.25, nan]
    """
    if isinstance(part, float) and isinstance(whole, float):  # one table: NumPy's scalars are floats
        return part / whole if whole else np.float64(np.nan)  # type: ignore[return-value]
    part, whole = as_real(part), as_real(whole)
    if whole.all():
        return part / whole
    out = np.full(np.broadcast_shapes(part.shape, whole.shape), np.nan)
    return np.divide(part, whole, out=out, where=whole != 0)[()]


def finite_ratio(part: float | Real, whole: float | Real) -> Real:
    """Divide a part by its whole, undefined (NaN) if the whole is 0, or too small for the ratio to be a number."""
    if isinstance(part, float) and isinstance(whole, float):
        value = float(part) / float(whole) if whole else nan  # plain floats overflow without a warning
        return np.float64(nan if isinf(value) else value)  # type: ignore[return-value]
    with np.errstate(over="ignore"):
        values = ratio(part, whole)
    return mark_undefined(np.isinf(values), values)


def share(part: Real, rest: Real) -> Real:
    """Divide a part by the sum of two numbers: exactly 1 when there is no rest, exactly 0 without a part."""
    return ratio(part, part + rest)


Number = TypeVar("Number", float, Real)


def clip_to_one(value: Number) -> Number:
    """Bring a value between −1 and 1, which only rounding can leave; undefined stays undefined.

    >>> clip_to_one(1.0000000000000002)
    1.0
    """
    if isinstance(value, float):
        return value if isnan(value) else type(value)(min(max(value, -1.0), 1.0))
    return np.maximum(np.minimum(value, 1.0), -1.0)


def choose_values(condition: ArrayLike, one: Real, other: Real) -> Real:
    """Return one where the condition holds, else the other; for a single table without the detour through arrays."""
    if isinstance(condition, (bool, np.bool_)):
        return one if condition else other
    return np.where(condition, one, other)


def holds_everywhere(condition: bool | np.bool_ | NDArray[np.bool_]) -> bool:
    """Return True if a condition holds for every table; for a single one without the detour through arrays."""
    return bool(condition.all()) if isinstance(condition, np.ndarray) else bool(condition)


def holds_somewhere(condition: bool | np.bool_ | NDArray[np.bool_]) -> bool:
    """Return True if a condition holds for some table."""
    return bool(condition.any()) if isinstance(condition, np.ndarray) else bool(condition)


def mark_undefined(condition: ArrayLike, value: Real) -> Real:
    """Return the value, or NaN where the condition holds."""
    if isinstance(condition, (bool, np.bool_)):
        return np.full(np.shape(value), np.nan)[()] if condition else value
    return np.where(condition, np.nan, value)[()]


def group_sum(index: NDArray[np.int64], values: Real, size: int = 0) -> Real:
    """Add up the last axis by group: ``out[..., g]`` adds the values whose index is g.

    >>> group_sum(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]), 3)
    array([1., 0., 5.])
    """
    if values.ndim == 1:
        return np.bincount(index, weights=values, minlength=size).astype(np.float64, copy=False)
    out = np.zeros((*values.shape[:-1], size))
    for place in np.ndindex(values.shape[:-1]):
        out[place] = np.bincount(index, weights=values[place], minlength=size)
    return out


def distinct(*parts: ArrayLike) -> NDArray[Any]:
    """Return the values that occur in any of the parts, in order.

    Counted, too: for values alone NumPy loads its masked arrays, a twentieth of a small evaluation.

    >>> distinct(np.array([3, 1, 3]), [2])
    array([1, 2, 3])
    """
    values = np.asarray(parts[0]) if len(parts) == 1 else np.concatenate(parts)
    return np.unique(values, return_counts=True)[0]


class Pairs(NamedTuple):
    """Distinct pairs of numbers: the two parts, where each first occurs, which one each place has, and how often."""

    one: Array
    other: Array
    first: Indices
    place: Indices
    times: Indices


def find_distinct_pairs(one: Array, other: Array) -> Pairs:
    """Find the pairs (x, y) that occur; several times faster than rows of a table compared as wholes.

    >>> pairs = find_distinct_pairs(np.array([3.0, 1.0, 3.0]), np.array([0.5, 0.0, 0.5]))
    >>> pairs.one, pairs.other, pairs.times
    (array([1., 3.]), array([0. , 0.5]), array([1, 2]))
    """
    pairs, first, place, times = np.unique(one + 1j * other, return_index=True, return_inverse=True, return_counts=True)
    return Pairs(pairs.real, pairs.imag, first, place.ravel(), times)


def sum_rows(values: NDArray[Any]) -> NDArray[Any]:
    """Add up along the last axis; many short rows are added side by side, in the same order and much faster."""
    if not _are_many_short(values, values.shape[-1]):
        return values.sum(axis=-1)
    total = values[..., 0] + values[..., 1]
    for i in range(2, values.shape[-1]):
        total += values[..., i]
    return total


def sum_columns(values: NDArray[Any]) -> NDArray[Any]:
    """Add up along the last axis but one; many small tables are added side by side."""
    rows, columns = values.shape[-2:]
    if not _are_many_short(values, rows) or columns >= _SHORT:
        return values.sum(axis=-2)
    total = np.empty((*values.shape[:-2], columns), dtype=values.dtype)
    for to in range(columns):
        np.add(values[..., 0, to], values[..., 1, to], out=total[..., to])
        for i in range(2, rows):
            total[..., to] += values[..., i, to]
    return total


def _are_many_short(values: NDArray[Any], length: int) -> bool:
    """Return True if lines are so short and so many that NumPy's step from one to the next is the cost."""
    return 2 <= length < _SHORT and values.size >= _MANY * length and values.dtype in (np.float64, np.int64)


_SHORT = 8
"""Below this, NumPy adds up a line one after the other too, so that no digit differs."""
_MANY = 100


def dot(one: Real, other: Real) -> Real:
    """Add up products along the last axis, in one thread: a second one costs more than it brings at these sizes."""
    if one.ndim == other.ndim == 1 and one.size < _ONE_THREAD:
        return one @ other
    return np.einsum("...i,...i->...", one, other)[()]


def weighted_log2(values: Real, out: Real | None = None) -> Real:
    """Return x · log2 x, with 0 at 0: the logarithm of 0 is some finite number that gets no weight."""
    shifted = np.add(values, _SMALLEST, out=out)
    logs = np.log2(shifted, out=shifted if isinstance(shifted, np.ndarray) else None)
    logs *= values
    return logs


def share_terms(parts: Real, totals: Real) -> Real:
    """Return p · log2 p of the parts of each total; of many totals some at a time, which stay in the cache."""
    if parts.ndim != 2:
        return weighted_log2(parts / totals[..., None])
    terms, step = np.empty(parts.shape), max(1, 2 * _BLOCK // max(parts.shape[1], 1))
    for start in range(0, len(parts), step):
        lines = slice(start, start + step)
        weighted_log2(parts[lines] / totals[lines, None], out=terms[lines])
    return terms


def entropy(parts: Real, total: Real) -> Real:
    """Return the bits needed to name the part a sample is of: −Σ p log2 p, p = part/total, along the last axis.

    >>> print(entropy(np.array([1.0, 1.0, 2.0]), np.float64(4.0)))
    1.5
    """
    if parts.ndim > 1 or parts.size <= _BLOCK:
        terms = sum_rows(weighted_log2(parts / total[..., None]))
    else:  # a piece at a time stays in the cache
        pieces = (parts[start : start + _BLOCK] / total for start in range(0, parts.size, _BLOCK))
        terms = np.sum([weighted_log2(piece).sum() for piece in pieces])
    return np.maximum(-terms, 0.0)


def open_nats(parts: Real, wholes: Real, others: Real) -> Real:
    """Return part · ln(whole/part) for each part: what stays open about it once its whole is known, 0 without a part.

    A part that is more than half of its whole enters by what it lacks, log1p(−lack/whole), and the lack is the sum of
    the ``others``, never a difference: so the result keeps its digits however small it is, and a part that is all of
    its whole adds exactly 0. Weights may differ by any factor.
    """
    most = parts > 0.5 * wholes
    lack = np.where(most, others, 0.0)
    lack_share = np.minimum(quotient(lack, wholes, empty=0.0), 0.5)
    share = quotient(parts, wholes, empty=1.0)
    tangible = lack_share > _TINY_LACK
    factor = np.log1p(-lack_share) / np.where(tangible, -lack_share, 1.0)
    nearly_all = lack * share * np.where(tangible, factor, 1.0)
    lost = share < _SMALLEST_NORMAL
    logs = np.log(np.where(most | lost, 1.0, share))
    if lost.any():
        logs = np.where(lost, np.log(np.where(lost, parts, 1.0)) - np.log(np.where(lost, wholes, 1.0)), logs)
    return nearly_all - parts * logs


def scaled_ratio(part: Real, whole: Real, shift: NDArray[np.int64]) -> Real:
    """Return part/whole times 2^shift, also where the ratio itself is too small for a number; infinite if too large."""
    (part, up), (whole, down) = np.frexp(part), np.frexp(whole)
    with np.errstate(over="ignore"):
        return np.ldexp(part / whole, up - down + shift)


def excess_nats(excess: Real) -> Real:
    """Return (1 + d) ln(1 + d) − d: how far a cell is from chance that is d above it, as a share; 1 for d = −1.

    >>> [float(x) for x in excess_nats(np.array([-1.0, 0.0, 1e-100]))]
    [1.0, 0.0, 5e-201]
    """
    empty, small = excess <= -1.0, np.abs(excess) < _SERIES
    inside = np.where(empty | small, 0.0, excess)
    result = np.where(empty, 1.0, np.log1p(inside) * (1.0 + inside) - inside)
    if not np.any(small):
        return result
    d = np.where(small, excess, 0.0)
    series = np.zeros_like(d)
    for n in range(11, 1, -1):  # Σ (−1)^n d^n / (n (n − 1)), whose first terms the difference above would lose
        series = 1.0 / (n * (n - 1)) - d * series
    return np.where(small, d * d * series, result)


_SERIES = 2.0**-6
_TINY_LACK = 1e-20
_SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)


def sum_others(totals: Real) -> Real:
    """Sum the other classes for each; beside one that has nearly everything they are added up, not subtracted.

    >>> [float(x) for x in sum_others(np.array([1.0, 1e-20, 1e-20]))]
    [2e-20, 1.0, 1.0]
    """
    total = sum_rows(totals)[..., None]
    if not np.any(2 * totals > total):
        return total - totals
    is_largest = np.arange(totals.shape[-1]) == np.argmax(totals, axis=-1)[..., None]
    others = np.sum(totals, axis=-1, where=~is_largest)[..., None]
    return np.where(is_largest, others, total - totals)


def surprise(away: Real, expected: Real) -> Real:
    """Return how far x = e + away is from e, as x ln(x/e) − (x − e) nats: at least 0, without cancellation near e.

    >>> [round(float(x), 3) for x in surprise(np.array([-2.0, 0.0, 2.0]), np.array([2.0, 2.0, 2.0]))]
    [2.0, 0.0, 0.773]
    """
    excess = np.divide(
        away, expected, out=np.zeros(np.broadcast_shapes(away.shape, expected.shape)), where=expected > 0
    )
    empty = excess <= -1.0 + 1e-14
    excess[empty] = 0.0
    result = np.asarray(np.log1p(excess))
    result *= 1.0 + excess
    result -= excess
    result[empty] = 1.0
    result *= expected
    return np.maximum(result, 0.0, out=result)


def quotient(part: Real, whole: Real, empty: float) -> Real:
    """Divide a part by its whole, with a stated value where the part is 0; unmasked, and so faster, where none is."""
    filled = part != 0
    if filled.all():
        return part / whole
    return np.divide(part, whole, out=np.full(np.broadcast_shapes(part.shape, whole.shape), empty), where=filled)


@validated()
def pareto_front(gains: Real, costs: Real) -> NDArray[np.int64]:
    """Find the places where no other point gains at least as much for at most the cost, from cheap to dear.

    Equal points stay together; a point with an undefined coordinate is never on the front.

    Parameters
    ----------
    gains : ndarray
        What each point gains.
    costs : ndarray
        What each point costs.

    Returns
    -------
    ndarray
        Places of the points on the front.

    Examples
    --------
    >>> pareto_front(np.array([0.5, 0.7, 0.6, 0.7]), np.array([1.0, 3.0, 2.0, 4.0])).tolist()
    [0, 2, 1]
    """
    defined = np.flatnonzero(~(np.isnan(gains) | np.isnan(costs)))
    order = defined[np.lexsort((-gains[defined], costs[defined]))]
    front: list[int] = []
    best = -np.inf
    for place in order.tolist():
        same = bool(front) and gains[place] == gains[front[-1]] and costs[place] == costs[front[-1]]
        if gains[place] > best or same:
            front.append(place)
            best = gains[place]
    return np.array(front, dtype=np.int64)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust P-values for asking many questions at once, so that any false claim is as improbable as one alone.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = as_real(p_values)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return [float(x) for x in adjusted]


def best_assignment(weights: Real) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Match rows and columns one to one so that the sum of weights is largest.

    >>> [side.tolist() for side in best_assignment(np.array([[3.0, 2.0], [2.5, 0.5]]))]
    [[0, 1], [1, 0]]
    """
    rows = np.arange(weights.shape[0])
    columns = weights.argmax(axis=1)
    if len(set(columns.tolist())) == len(rows) and ((weights == weights[rows, columns][:, None]).sum(1) == 1).all():
        return rows, columns  # each row has one best column, and no two the same: as of nearly every classifier
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - takes a quarter of a second to load

    assignment: tuple[NDArray[np.int64], NDArray[np.int64]] = linear_sum_assignment(weights, maximize=True)
    return assignment
