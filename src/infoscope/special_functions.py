"""Special functions: SciPy's, without the tenth of a second that loading all of them takes.

The functions that every evaluation needs are in one compiled file. Others are taken from
``scipy.special`` when they are first called.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from infoscope.compiled_scipy import scipy_function

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
    "normal_quantile",
    "polygamma",
    "xlogy",
]


def _on_call(name: str) -> Callable[..., Any]:
    def function(*arguments: Any) -> Any:
        from scipy import special  # noqa: PLC0415 - see above

        return getattr(special, name)(*arguments)

    function.__name__ = name
    function.__doc__ = f"``scipy.special.{name}``."
    return function


_AT_HAND = ("betaln", "expit", "gammaincc", "gammaincinv", "gammaln", "logit", "psi", "xlogy")
betaln, expit, gammaincc, gammaincinv, gammaln, logit, digamma, xlogy = (
    scipy_function("special", "_special_ufuncs", name) for name in _AT_HAND
)
_ON_CALL = ("betainc", "betaincinv", "polygamma")
betainc, betaincinv, polygamma = (_on_call(name) for name in _ON_CALL)


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
