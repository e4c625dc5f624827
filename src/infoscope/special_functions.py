"""Special functions: SciPy's, without the fifth of a second that loading all of them takes.

The functions that every evaluation needs are in one compiled file. The incomplete beta function of a few numbers is
computed here; others are taken from ``scipy.special`` when they are first called.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, factorial, inf, lgamma, log, log1p
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from infoscope.compiled_scipy import compiled_file, scipy_function

__all__ = [
    "betainc",
    "betaincinv",
    "betaln",
    "digamma",
    "expit",
    "gamma_tail",
    "gammaincc",
    "gammaincinv",
    "gammaln",
    "logit",
    "ndtr",
    "ndtri",
    "normal_quantile",
    "polygamma",
    "stdtr",
    "stdtrit",
    "xlogy",
]


def _on_call(name: str) -> Callable[..., Any]:
    def function(*arguments: Any) -> Any:
        from scipy import special  # noqa: PLC0415 - see above

        return getattr(special, name)(*arguments)

    function.__name__ = name
    function.__doc__ = f"``scipy.special.{name}``."
    return function


_AT_HAND = ("betaln", "expit", "gammaincc", "gammaincinv", "gammaln", "logit", "ndtr", "psi", "xlogy")
betaln, expit, gammaincc, gammaincinv, gammaln, logit, ndtr, digamma, xlogy = (
    scipy_function("special", "_special_ufuncs", name) for name in _AT_HAND
)
_ON_CALL = ("betainc", "betaincinv", "ndtri", "stdtr", "stdtrit")
_betainc, _betaincinv, ndtri, stdtr, stdtrit = (_on_call(name) for name in _ON_CALL)
_zeta = getattr(compiled_file("special", "_special_ufuncs"), "_zeta", None) or _on_call("zeta")

_FEW = 64
_LARGE_BETA = 1e4
"""Up to this many numbers, and parameters up to this size, take less time here than SciPy takes to load."""
_EXACT = 2.0**-52


def polygamma(order: int, x: ArrayLike) -> Any:
    """A derivative of the digamma function, the first or a later one, as ``scipy.special.polygamma``.

    >>> print(f"{polygamma(1, 2.0):.4f}")
    0.6449
    """
    return (-1.0) ** (order + 1) * factorial(order) * _zeta(order + 1, np.asarray(x, dtype=np.float64))


def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Any:
    """The chance that a beta variable of these parameters is at most x, as ``scipy.special.betainc``.

    >>> print(f"{betainc(2, 3, 0.5):.4f}")
    0.6875
    """
    return _for_few(_beta_chance, _betainc, a, b, x)


def betaincinv(a: ArrayLike, b: ArrayLike, chance: ArrayLike) -> Any:
    """The value that a beta variable of these parameters is at most with a chance, as ``scipy.special.betaincinv``.

    >>> print(f"{betaincinv(2, 3, 0.6875):.4f}")
    0.5000
    """
    return _for_few(_beta_quantile, _betaincinv, a, b, chance)


def _for_few(ours: Callable[[float, float, float], float], theirs: Callable[..., Any], *arguments: ArrayLike) -> Any:
    a, b, third = np.broadcast_arrays(*(np.asarray(part, dtype=np.float64) for part in arguments))
    fits = (a > 0) & (b > 0) & (a + b <= _LARGE_BETA) & (third >= 0) & (third <= 1)
    if a.size > _FEW or not fits.all():
        return theirs(*arguments)
    found = [ours(*each) for each in zip(a.ravel().tolist(), b.ravel().tolist(), third.ravel().tolist(), strict=True)]
    return np.array(found).reshape(a.shape)[()]


def _beta_density(a: float, b: float, x: float) -> float:
    """Of a beta variable at x, times x (1 − x)."""
    return exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b))


def _beta_chance(a: float, b: float, x: float) -> float:
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x < (a + 1) / (a + b + 2):
        return _beta_density(a, b, x) * _continued_fraction(a, b, x) / a
    return 1 - _beta_density(b, a, 1 - x) * _continued_fraction(b, a, 1 - x) / b


def _continued_fraction(a: float, b: float, x: float) -> float:
    """That of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    whole = d
    for m in range(1, 10_000):
        for part in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + part * d)
            c = 1 + part / c
            whole *= c * d
        if abs(c * d - 1) < _EXACT:
            break
    return whole


def _beta_quantile(a: float, b: float, chance: float) -> float:
    """By Newton's method, halving what it would leave."""
    low, high, x = 0.0, 1.0, min(a / (a + b), 1 - _EXACT)
    if chance in (low, high):
        return chance
    for _ in range(2000):
        more = _beta_chance(a, b, x) - chance
        low, high = (low, x) if more > 0 else (x, high)
        density = _beta_density(a, b, x)
        better = x - more * x * (1 - x) / density if density > 0 else low
        if not low < better < high:
            better = (low + high) / 2
        if abs(better - x) <= 2 * _EXACT * x or better <= 0:  # what is too small for a number is 0
            return better
        x = better
    return x


def normal_quantile(chance: float) -> float:
    """The value that a standard normal number stays below with this chance; infinite where it always does.

    >>> print(f"{normal_quantile(0.975):.6f}")
    1.959964
    """
    from statistics import NormalDist  # noqa: PLC0415 - loads decimals and fractions

    return NormalDist().inv_cdf(chance) if chance < 1.0 else inf


def gamma_tail(shape: float, value: float) -> float:
    """The chance that a gamma variable of this shape exceeds a value; 1 for a value that rounding made negative.

    A χ² variable of k degrees of freedom exceeds x with the chance of shape k/2 and value x/2.

    >>> print(f"{gamma_tail(0.5, 3.841 / 2):.4f}")
    0.0500
    """
    return float(gammaincc(shape, max(value, 0.0)))
