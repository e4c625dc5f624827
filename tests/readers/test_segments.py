"""Segments in which a cell is more frequent than elsewhere are found, with few false alarms."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from tests.api import find_segments


def drawn(sizes: list[int], rates: list[float], rng: np.random.Generator) -> dict[str, tuple[int, int]]:
    return {f"group {at}": (int(rng.binomial(n, p)), n) for at, (n, p) in enumerate(zip(sizes, rates, strict=True))}


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.001, 0.01, 0.1, 0.5])
def test_groups_of_any_size_are_not_said_to_differ_by_chance(rate: float) -> None:
    """At most one cell in a hundred has a group named that is as all others; a uniform prior named 7 to 18 of them."""
    rng = np.random.default_rng(2026)
    sizes = [1, 2, 3, 5, 8, 20, 50, 100, 400, 1000]
    cells = 400
    named = sum(any(find_segments({"place": drawn(sizes, [rate] * 10, rng)})) for _ in range(cells))
    assert named <= 0.01 * cells + 3 * (0.01 * cells) ** 0.5  # three standard deviations


def test_a_group_without_a_row_of_the_cell_is_not_named() -> None:
    counts = {"watch": (0, 1), "phone": (3, 128_111)}
    assert not list(find_segments({"device": counts}))


def test_a_group_that_differs_is_named() -> None:
    rng = np.random.default_rng(7)
    for rates in ([0.3, 0.05, 0.05], [0.02, 0.0, 0.0]):
        found = [[each.value for each in find_segments({"p": drawn([300] * 3, rates, rng)})] for _ in range(40)]
        assert sum(each == ["group 0"] for each in found) >= (38 if rates[0] > 0.1 else 20)
        assert not any("group 1" in each or "group 2" in each for each in found)


def test_the_probability_is_that_of_two_beta_distributions() -> None:
    """Priors as heavy as one row of the cell, with the mean of all rows: here 16.5 of 121."""
    found = next(each for each in find_segments({"p": {"a": (14, 60), "b": (2, 60)}}))
    rest = 121 / 16.5 - 1
    here, elsewhere = stats.beta(15, rest + 46), stats.beta(3, rest + 58)
    exact = quad(lambda x: here.pdf(x) * elsewhere.cdf(x), 0, 1)[0]

    assert found.value == "a"
    assert found.probability == pytest.approx(exact, abs=4e-4)
