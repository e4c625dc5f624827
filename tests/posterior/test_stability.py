"""Exact moments keep all their digits at any sample size; the naive double sum loses them."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.special import polygamma, psi

import infoscope as ifs
from tests.api import Line

CHECK = 3 * np.array([[3, 1, 2], [1, 5, 1]])
"""39 samples: three times the check table of Hurley's page; his slides print none."""
SIZES = range(10)
"""Powers of ten by which it grows, to 39 billion."""
Function = Callable[[Any], Any]


def double_sum(counts: list[Any], digamma: Function, trigamma: Function) -> Any:
    """Variance of the joint entropy as Wolpert and Wolf write it: E H² by a sum over pairs of cells, less (E H)²."""
    total = sum(counts)
    mean = digamma(total + 1) - sum(count * digamma(count + 1) for count in counts) / total
    square = 0
    for i, a in enumerate(counts):
        for j, b in enumerate(counts):
            if i == j:
                inner = (digamma(a + 2) - digamma(total + 2)) ** 2 + trigamma(a + 2) - trigamma(total + 2)
                square += a * (a + 1) * inner / (total * (total + 1))
            else:
                inner = (digamma(a + 1) - digamma(total + 2)) * (digamma(b + 1) - digamma(total + 2))
                square += a * b * (inner - trigamma(total + 2)) / (total * (total + 1))
    return square - mean**2


def relative_errors(power: int) -> tuple[float, float]:
    """Of our standard deviation of the joint entropy, and of that of the double sum in double precision."""
    table = ifs.Contingency.from_matrix(CHECK * 10**power)
    counts = [float(count) + 1.0 for count in np.ravel(table.counts)]
    with mpmath.workdps(60):
        exact = double_sum([mpmath.mpf(count) for count in counts], mpmath.digamma, lambda x: mpmath.psi(1, x))
        right = float(mpmath.sqrt(exact))
    naive = float(np.sqrt(max(double_sum(counts, psi, lambda x: polygamma(1, x)), 0.0)))
    ours = float(ifs.Posterior(table, 1.0).sd("joint_entropy")) * np.log(2.0)
    return abs(ours / right - 1.0), abs(naive / right - 1.0)


@pytest.mark.parametrize("power", SIZES)
def test_exact_moments_keep_their_digits(power: int) -> None:
    ours, naive = relative_errors(power)

    assert ours < 1e-14
    assert naive < 1e-13 if power == 0 else naive > ours


def test_the_double_sum_loses_them() -> None:
    assert relative_errors(max(SIZES))[1] > 1e-5


def test_the_sd_of_information_falls_as_the_square_root_of_the_sample_size() -> None:
    """At independence it falls like 1/n, elsewhere like 1/√n: down to 39 billion samples without a jump."""
    spreads = [
        float(ifs.Posterior(ifs.Contingency.from_matrix(CHECK * 10**p), 1.0).sd("mutual_information")) for p in SIZES
    ]
    ratios = np.divide(spreads[:-1], spreads[1:])

    assert ratios[2:] == pytest.approx(np.full(len(ratios) - 2, np.sqrt(10)), rel=1e-2)
    assert ratios[-1] == pytest.approx(np.sqrt(10), rel=1e-6)


def test_the_picture_of_it_has_a_line_for_each_way() -> None:
    display = ifs.StabilityDisplay([39.0, 390.0], {"exact": [0.0, 1e-16], "sum": [1e-13, 1e-10]})
    lines = [mark for mark in display.panel().marks if isinstance(mark, Line)]

    np.testing.assert_allclose(lines[0].points, [(np.log10(39.0), -16.0), (np.log10(390.0), -16.0)])
    assert lines[1].points[1][1] == pytest.approx(-10.0)
    with pytest.raises(ifs.InputError, match="'x' needs one relative error of 0 or more for each of 2 sizes"):
        ifs.StabilityDisplay([1.0, 2.0], {"x": [0.1]})
    with pytest.raises(ifs.InputError, match="at least two sample sizes above 0"):
        ifs.StabilityDisplay([0.0, 2.0], {"x": [0.1, 0.1]})
