"""The three functions that posterior moments of entropies are made of.

With ψ the digamma function and ψ₁ its derivative,

    ε(z) = ψ(z+1) − ln z          how far a digamma is from the logarithm
    η(z) = z ε(z)                 tends to 1/2: what sampling adds to one term of an entropy
    θ(z) = z [(z+1) ψ₁(z+1) − 1]  tends to 1/2: its second-order counterpart

Each is a small difference of large functions. They are computed as such: an asymptotic series where z is
at least 16, and from there down by the recurrence, so that nothing cancels at a count of 10⁹.
"""

import numpy as np

from infoscope.posterior.arrays import Array

__all__ = ["excess_and_spread"]

_SHIFT = 16
_BLOCK = 8192
_FEW = 64  # from this many values on it pays to look for repeated ones


def excess_and_spread(z: Array) -> tuple[Array, Array]:
    """ε(z) and θ(z) for z ≥ 0; both are 0 at z = 0, where a cell carries no weight.

    >>> excess, spread = excess_and_spread(np.array([1.0, 1e9]))
    >>> [f"{x:.10f}" for x in spread]
    ['0.2898681337', '0.4999999997']
    """
    flat = np.ascontiguousarray(z, dtype=float).ravel()
    excess, spread = np.empty_like(flat), np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        excess[part], spread[part] = _of_block(flat[part])
    return excess.reshape(z.shape), spread.reshape(z.shape)


def _of_block(z: Array) -> tuple[Array, Array]:
    low = z < _SHIFT
    if not low.any():
        return _asymptotic(z)
    if z.size > _FEW:
        steps = z.min() + np.arange(_SHIFT + 1)
        place = np.rint(np.where(low, z, steps[0]) - steps[0]).astype(np.intp)
        if (steps[place][low] == z[low]).all():  # a prior plus whole counts: seventeen values stand for all
            excess, spread = (values[place] for values in _of_block(steps))
            if not low.all():
                high = ~low
                excess[high], spread[high] = _asymptotic(z[high])
            return excess, spread
    excess, spread = _asymptotic(np.where(low, z + _SHIFT, z))
    excess[low], spread[low] = _stepped_down(z[low], excess[low], spread[low])
    return excess, spread


def _asymptotic(w: Array) -> tuple[Array, Array]:
    i = 1.0 / w
    q = i * i
    excess = i * (
        1 / 2 - i * (1 / 12 - q * (1 / 120 - q * (1 / 252 - q * (1 / 240 - q * (1 / 132 - q * 691 / 32760)))))
    )
    bernoulli = q * i * (1 / 30 - q * (1 / 42 - q * (1 / 30 - q * (5 / 66 - q * 691 / 2730))))
    spread = 1 / 2 - i * (1 / 3 - i / 6) - (1 + i) * bernoulli
    return excess, spread


def _stepped_down(z: Array, excess: Array, spread: Array) -> tuple[Array, Array]:
    """From ε and θ at z + 16 to those at z, by ψ(z+1) = ψ(z+17) − Σ 1/(z+k)."""
    whole, product = 2 * z + (_SHIFT + 1), z * (z + (_SHIFT + 1))
    first, second = np.zeros_like(z), np.zeros_like(z)
    for near in range(_SHIFT // 2, 0, -1):  # 1/(z+k) and 1/(z+17−k) together, smallest terms first
        constant = near * (_SHIFT + 1 - near)
        inverse = 1.0 / (product + constant)
        first += inverse
        second += (2 * product + ((_SHIFT + 1) ** 2 - 2 * constant)) * inverse * inverse
    first *= whole
    w = z + _SHIFT
    empty = z == 0
    logarithm = np.log1p(_SHIFT / np.where(empty, 1.0, z))
    lower_excess = excess + logarithm - first
    trigamma = (spread / w + 1) / (w + 1) + second
    return np.where(empty, 0.0, lower_excess), z * ((z + 1) * trigamma - 1)
