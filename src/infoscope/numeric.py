"""Entropies, shares and ratios: bits, rounding and "undefined" are decided here.

Everything works on the last axis and carries leading axes along. Undefined is NaN, never 0.
"""

from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Real",
    "as_real",
    "chosen",
    "divergence",
    "dot",
    "entropy",
    "exp2",
    "frozen",
    "outside",
    "quotient",
    "ratio",
    "share",
    "small_choice",
    "summed_by",
    "surprise",
    "undefined_where",
    "weighted_log2",
]

_SMALLEST = float(np.nextafter(0.0, 1.0))
_BLOCK = 1 << 15
_ONE_THREAD = 1 << 12

Real: TypeAlias = NDArray[np.float64]
"""A number per table: a NumPy scalar for one table, an array for a batch."""


Kept = TypeVar("Kept")


def frozen(result: Kept) -> Kept:
    """The same result, whose arrays nobody can change: arrays, and records, tuples and dictionaries of arrays."""
    if isinstance(result, np.ndarray):
        result.flags.writeable = False
    elif isinstance(result, float):  # most results of one table
        return result
    elif is_dataclass(result) or isinstance(result, dict):
        for part in (result if isinstance(result, dict) else vars(result)).values():
            frozen(part)
    elif isinstance(result, tuple):
        for part in result:
            frozen(part)
    return result


def as_real(values: Any) -> Real:
    """The same numbers as double precision."""
    return np.asarray(values, dtype=np.float64)


def ratio(part: Any, whole: Any) -> Real:
    """Part over whole, undefined (NaN) where the whole is 0.

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


def share(part: Real, rest: Real) -> Real:
    """Part of the sum of two non-negative numbers: exactly 1 when there is no rest, exactly 0 without a part."""
    return ratio(part, part + rest)


def chosen(condition: Any, one: Any, other: Any) -> Real:
    """One where the condition holds, else the other, for a single table without the detour through arrays."""
    if isinstance(condition, (bool, np.bool_)):
        return one if condition else other
    return np.where(condition, one, other)


def undefined_where(condition: Any, value: Any) -> Real:
    """The value, or NaN where the condition holds."""
    if isinstance(condition, (bool, np.bool_)):
        return np.full(np.shape(value), np.nan)[()] if condition else value
    return np.where(condition, np.nan, value)[()]


def summed_by(index: NDArray[np.int64], values: Real, size: int) -> Real:
    """Sums of the last axis by group: ``out[..., g]`` adds the values whose index is g."""
    if values.ndim == 1:
        return np.bincount(index, weights=values, minlength=size).astype(np.float64, copy=False)
    out = np.zeros((*values.shape[:-1], size))
    for place in np.ndindex(values.shape[:-1]):
        out[place] = np.bincount(index, weights=values[place], minlength=size)
    return out


def dot(one: Real, other: Real) -> Real:
    """Sum of products along the last axis, in one thread: a second one costs more than it brings at these sizes."""
    if one.ndim == other.ndim == 1 and one.size < _ONE_THREAD:
        return one @ other
    return np.einsum("...i,...i->...", one, other)[()]


def exp2(bits: Real) -> Real:
    """How many equally likely possibilities these bits tell apart."""
    return np.exp2(bits)


def weighted_log2(values: Real) -> Real:
    """X · log2 x, with 0 at 0: the logarithm of 0 is some finite number that gets no weight."""
    positive = values.size and values.min() > 0
    logs = np.log2(values if positive else np.maximum(values, _SMALLEST))
    logs *= values
    return logs


def entropy(parts: Real, total: Real) -> Real:
    """Bits needed to name the part a sample is of: −Σ p log2 p with p = part/total, along the last axis.

    >>> print(entropy(np.array([1.0, 1.0, 2.0]), np.float64(4.0)))
    1.5
    """
    if parts.ndim > 1 or parts.size <= _BLOCK:
        terms = weighted_log2(parts / total[..., None]).sum(axis=-1)
    else:  # a piece at a time stays in the cache
        pieces = (parts[start : start + _BLOCK] / total for start in range(0, parts.size, _BLOCK))
        terms = np.sum([weighted_log2(piece).sum() for piece in pieces])
    return np.maximum(-terms, 0.0)


def small_choice(parts: Real, wholes: Real, sums: Callable[[Real], Real], total: Real) -> Real:
    """Bits open about the part once its whole is known, Σ part · log2(whole/part), when they are few.

    A part that is more than half of its whole enters by what it lacks, log1p(−lack/whole), and the lack is the sum of
    the other parts (``sums`` adds up numbers by whole and lays them onto the parts), never a difference: so the result
    keeps its digits however small it is, and a whole with a single part adds exactly 0.
    """
    most = 2 * parts > wholes
    lack = quotient(sums(np.where(most, 0.0, parts)), wholes, empty=0.0)
    share = quotient(parts, wholes, empty=1.0)
    logs = np.where(most, np.log1p(-np.minimum(lack, 0.5)), np.log(np.where(most, 1.0, share)))
    return -(parts * logs).sum(axis=-1) / total / np.log(2.0) + 0.0


def outside(totals: Real) -> Real:
    """Sum of the other classes for each; beside one that has nearly everything they are added up, not subtracted.

    >>> [float(x) for x in outside(np.array([1.0, 1e-20, 1e-20]))]
    [2e-20, 1.0, 1.0]
    """
    whole = np.sum(totals, axis=-1, keepdims=True)
    if not np.any(2 * totals > whole):
        return whole - totals
    is_largest = np.arange(totals.shape[-1]) == np.argmax(totals, axis=-1)[..., None]
    others = np.sum(totals, axis=-1, where=~is_largest)[..., None]
    return np.where(is_largest, others, whole - totals)


def divergence(given: Real, base: Real, expected: Real, gaps: Real) -> Real:
    """Bits by which the cells' shares differ from what chance expects; never negative.

    ``given`` is each cell's share of its row, ``base`` its column's share of everything, ``expected``
    the share of the cell under chance. The sum p log(p/q) is taken as a sum of
    q·((1+d) log(1+d) − d) ≥ 0 with d = p/q − 1, so that near independence the rounding stays in the
    last digits of a small number instead of cancelling large ones. An empty cell has d = −1 and
    contributes q; cells that are not stored at all come in as ``gaps``, their summed expected share.
    """
    excess = quotient(given - base, base, empty=0.0)
    empty = excess <= -1.0
    excess[empty] = 0.0
    surprise = np.log1p(excess)
    surprise *= 1.0 + excess
    surprise -= excess
    surprise[empty] = 1.0
    surprise *= expected
    # a term may fall below 0 by its own rounding only
    return (np.sum(np.maximum(surprise, 0.0), axis=-1) + gaps) / np.log(2.0)


def surprise(away: Real, expected: Real) -> Real:
    """How far x = e + away is from e, as x ln(x/e) − (x − e) nats: at least 0, without cancellation near e.

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
    """Part over whole, with a stated value where the part is 0; unmasked, and so faster, where none is."""
    filled = part != 0
    if filled.all():
        return part / whole
    return np.divide(part, whole, out=np.full(np.broadcast_shapes(part.shape, whole.shape), empty), where=filled)
