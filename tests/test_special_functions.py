"""Special functions that are loaded without the rest of SciPy are SciPy's, and those written here agree with it."""

from math import inf

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from infoscope import special_functions
from infoscope.comparison.tests import _chance_of_at_most
from infoscope.compiled_scipy import compiled_file, scipy_function


@pytest.mark.parametrize("name", ["gammaln", "digamma", "expit", "logit"])
def test_functions_of_one_number_are_scipys(name: str) -> None:
    x = np.random.default_rng(5).beta(0.5, 0.5, 200)
    x = x if name == "logit" else 40 * x

    np.testing.assert_array_equal(getattr(special_functions, name)(x), getattr(special, name)(x))


def test_without_the_compiled_file_the_public_functions_are_used() -> None:
    assert compiled_file("special", "_no_such_file") is None
    assert compiled_file("no_such_package", "_lsap") is None
    assert scipy_function("special", "_no_such_file", "gammaln") is special.gammaln
    assert scipy_function("special", "_special_ufuncs", "betaincinv") is special.betaincinv


@pytest.mark.parametrize("name", special_functions._ON_CALL)
def test_others_are_taken_when_they_are_called(name: str) -> None:
    many = np.linspace(0, 1, 100)
    given = {"betainc": (2.0, 3.0, many), "betaincinv": (2.0, 3.0, many), "ndtri": (many,)}
    given |= {"stdtr": (4, many), "stdtrit": (4, many)}

    np.testing.assert_array_equal(getattr(special_functions, name)(*given[name]), getattr(special, name)(*given[name]))


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_derivatives_of_the_digamma_function(order: int) -> None:
    x = np.array([*np.logspace(-9, 9, 200), 0.0, -0.5, np.inf, np.nan])

    np.testing.assert_array_equal(special_functions.polygamma(order, x), special.polygamma(order, x))


sizes = st.floats(-1.5, 3.69).map(lambda power: 10.0**power)


@given(sizes, sizes, st.floats(0, 1))
def test_the_incomplete_beta_function_of_one_number(a: float, b: float, x: float) -> None:
    with mpmath.workdps(30):
        wanted = float(mpmath.betainc(a, b, 0, x, regularized=True))

    assert special_functions.betainc(a, b, x) == pytest.approx(wanted, rel=1e-9, abs=1e-14)


@given(sizes, sizes, st.floats(0, 1))
def test_quantiles_of_a_beta_variable(a: float, b: float, chance: float) -> None:
    found = float(special_functions.betaincinv(a, b, chance))

    assert found == pytest.approx(float(special.betaincinv(a, b, chance)), rel=1e-9, abs=1e-15)


tiny = st.floats(-12, 0).map(lambda power: 10.0**power)


@settings(max_examples=15)
@given(tiny, st.one_of(tiny, sizes), st.floats(1e-3, 1 - 1e-3))
def test_quantiles_too_near_to_an_end_for_a_number(a: float, b: float, chance: float) -> None:
    """A prior of a thousandth per cell puts nearly all of the weight at the ends."""
    low, high = (float(special_functions.betaincinv(*sides, chance)) for sides in ((a, b), (b, a)))

    assert low == pytest.approx(float(special.betaincinv(a, b, chance)), rel=1e-9, abs=1e-15)
    assert high == pytest.approx(float(special.betaincinv(b, a, chance)), rel=1e-9, abs=1e-15)


def test_quantiles_of_parameters_that_no_mean_lies_between() -> None:
    assert special_functions.betaincinv(1e-300, 1.0, 0.5) == 0.0
    assert special_functions.betaincinv(1.0, 1e-300, 0.5) == pytest.approx(1.0)


def test_quantiles_have_the_shape_of_what_is_given() -> None:
    chances = np.array([[0.0, 0.025, 0.975, 1.0]])
    a = np.array([[0.5], [40.5]])

    found = special_functions.betaincinv(a, 60.5, chances)

    np.testing.assert_allclose(found, special.betaincinv(a, 60.5, chances), rtol=1e-12)
    assert isinstance(special_functions.betaincinv(1, 1, 0.25), float)


@given(st.floats(0.01, 900), st.floats(-1.0, 4.0))
def test_the_tail_of_a_gamma_variable(shape: float, power: float) -> None:
    value = shape * 10**power
    with mpmath.workdps(30):
        wanted = float(mpmath.gammainc(shape, value, regularized=True))

    assert special_functions.gamma_tail(shape, value) == pytest.approx(wanted, rel=1e-10, abs=1e-14)


@pytest.mark.parametrize(
    ("shape", "value"), [(1e6, 1.001e6), (22_684.5, 22_700.0), (22_684.5, 24_000.0), (22_684.5, 1e6), (3.0, inf)]
)
def test_the_tail_of_many_degrees_of_freedom(shape: float, value: float) -> None:
    assert special_functions.gamma_tail(shape, value) == pytest.approx(special.gammaincc(shape, value), rel=1e-9)


def test_nothing_lies_below_zero() -> None:
    assert special_functions.gamma_tail(2.0, 0.0) == special_functions.gamma_tail(2.0, -1e-12) == 1.0


@given(st.integers(1, 12_000), st.floats(0, 1))
def test_tosses_of_a_coin(tosses: int, share: float) -> None:
    heads = int(share * tosses / 2)

    assert _chance_of_at_most(heads, tosses) == pytest.approx(special.bdtr(heads, tosses, 0.5), rel=1e-11)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.975, 0.9995, 1.0])
def test_normal_quantiles(level: float) -> None:
    assert special_functions.normal_quantile(level) == pytest.approx(special.ndtri(level), rel=1e-14, abs=1e-15)
