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

__all__ = ["digamma_excess", "excess_and_spread"]

_SHIFT = 16
_BLOCK = 8192


def excess_and_spread(z: Array) -> tuple[Array, Array]:
    """ε(z) and θ(z) for z ≥ 0; both are 0 at z = 0, where a cell carries no weight.

    >>> excess, spread = excess_and_spread(np.array([1.0, 1e9]))
    >>> [f"{x:.10f}" for x in spread]
    ['0.2898681337', '0.4999999997']
    """
    flat = np.ascontiguousarray(z, dtype=float).ravel()
    low = flat < _SHIFT
    if not low.any():
        excess, spread = _asymptotic(flat)
    else:
        excess, spread = _asymptotic(np.where(low, flat + _SHIFT, flat))
        at = np.flatnonzero(low)
        for start in range(0, at.size, _BLOCK):
            part = at[start : start + _BLOCK]
            excess[part], spread[part] = _stepped_down(flat[part], excess[part], spread[part])
    return excess.reshape(z.shape), spread.reshape(z.shape)


def digamma_excess(z: Array) -> Array:
    """ε(z) alone."""
    return excess_and_spread(z)[0]


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
    first, second = np.zeros_like(z), np.zeros_like(z)
    for step in range(_SHIFT, 0, -1):
        inverse = 1.0 / (z + step)
        first += inverse
        inverse *= inverse
        second += inverse
    w = z + _SHIFT
    empty = z == 0
    logarithm = np.log1p(_SHIFT / np.where(empty, 1.0, z))
    lower_excess = excess + logarithm - first
    trigamma = (spread / w + 1) / (w + 1) + second
    return np.where(empty, 0.0, lower_excess), z * ((z + 1) * trigamma - 1)
