"""Special functions: SciPy's, without the tenth of a second that loading all of them takes.

The functions of one or two arguments that every evaluation needs lie in one compiled file. Others are taken from
``scipy.special`` when they are first called.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, lgamma, log
from typing import Any

from infoscope.compiled_scipy import scipy_function

__all__ = [
    "betainc",
    "betaincinv",
    "betaln",
    "digamma",
    "expit",
    "gamma_tail",
    "gammaincinv",
    "gammaln",
    "logit",
    "normal_quantile",
    "polygamma",
    "xlogy",
]

_ROUNDING = 1e-16


def _special() -> Any:
    from scipy import special  # noqa: PLC0415 - see above

    return special


def _on_call(name: str) -> Callable[..., Any]:
    def function(*arguments: Any) -> Any:
        return getattr(_special(), name)(*arguments)

    function.__name__ = name
    function.__doc__ = f"``scipy.special.{name}``."
    return function


gammaln, digamma, expit, logit, xlogy = (
    scipy_function("special", "_special_ufuncs", name) for name in ("gammaln", "psi", "expit", "logit", "xlogy")
)
_ON_CALL = ("betainc", "betaincinv", "betaln", "gammaincinv", "polygamma")
betainc, betaincinv, betaln, gammaincinv, polygamma = (_on_call(name) for name in _ON_CALL)


def normal_quantile(chance: float) -> float:
    """The value that a standard normal number stays below with this chance; infinite where it always does.

    >>> print(f"{normal_quantile(0.975):.6f}")
    1.959964
    """
    from statistics import NormalDist  # noqa: PLC0415 - loads decimals and fractions

    return NormalDist().inv_cdf(chance) if chance < 1.0 else inf


_LARGE_SHAPE = 100_000.0
"""Shapes up to which sums are good to nine digits, and to twelve below a thousand."""
_LOG_LEAST = -745.2
"""Of the numbers above 0."""


def gamma_tail(shape: float, value: float) -> float:
    """The chance that a gamma variable of this shape exceeds a value: Q(shape, value), as ``scipy.special.gammaincc``.

    A χ² variable of k degrees of freedom exceeds x with the chance Q(k/2, x/2).

    >>> print(f"{gamma_tail(0.5, 3.841 / 2):.4f}")
    0.0500
    """
    if value <= 0 or value == inf:
        return float(value <= 0)
    log_scale = shape * log(value) - value - lgamma(shape)
    if value > shape + 1 and log_scale < _LOG_LEAST:
        return 0.0
    if shape > _LARGE_SHAPE:
        return float(_special().gammaincc(shape, value))
    if value < shape + 1:
        return 1.0 - exp(log_scale) * _power_series(shape, value)
    return exp(log_scale) * _continued_fraction(shape, value)


def _power_series(shape: float, value: float) -> float:
    """Σ valueⁿ / (shape (shape + 1) … (shape + n))."""
    term = total = 1.0 / shape
    at = shape
    while term > _ROUNDING * total:
        at += 1.0
        term *= value / at
        total += term
    return total


def _continued_fraction(shape: float, value: float) -> float:
    """1 / (value + 1 − shape − 1 (1 − shape) / (value + 3 − shape − …)), by the method of Lentz."""
    below = value + 1.0 - shape
    ratio, inverse = inf, 1.0 / below
    found, step, n = inverse, inf, 0
    while abs(step - 1.0) > 4 * _ROUNDING:
        n += 1
        above = n * (shape - n)
        below += 2.0
        inverse = 1.0 / (above * inverse + below)
        ratio = below + above / ratio
        step = ratio * inverse
        found *= step
    return found
