"""Every metric against its definition in exact arithmetic, on tables at the edges of what numbers can hold."""

from collections.abc import Callable
from fractions import Fraction
from math import inf, isnan

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from scipy.sparse import csr_array

from infoscope import Contingency, catalogue, metrics
from infoscope.errors import InputError
from tests.api import find, splits_and_merges
from tests.oracle import EXACT, ExactTable, adjusted_mutual_information
from tests.strategies import extreme_tables, matrices, stored_sparse

TOLERANCES = {
    # a square root where it is steep, or an equation solved where it is flat: half of the digits remain
    "tight_fano_bound": 1e-7,
    # what is lacking to a constant is no more exact than the constant
    "fano_bound": 1e-15,
    "gwet_ac1": 1e-15,
    "triangle_divergence": 1e-15,
    "uniform_divergence": 1e-14,
    "split_truth_divergence": 1e-15,
    "split_system_divergence": 1e-15,
    "linear_weighted_kappa": 1e-14,
    "quadratic_weighted_kappa": 1e-14,
}
VANISHING = 1e-150
"""Numbers below this may come out as 0: their squares are no floats."""

FOUND_BY_ATTACK = [
    [[0, 0], [106, 522750124944254]],
    [[0, 1e200], [1e-130, 0]],
    [[5e280, 1.5e281], [4.6e298, 0]],
    [[10**16 + 1, 10**16], [10**16, 10**16 + 1]],
    [[10**16, 10**16 + 1], [10**16 + 1, 10**16 + 3]],
    [[0.1, 0.2, 0.3], [0.7, 0.1, 0.6], [0.3, 0.3, 0.3]],
    [[0.1 * 0.3, 0.1 * 0.7], [0.9 * 0.3, 0.9 * 0.7]],
    [[4.6788755360158096e-09, 1.1784979844298825e-230], [1.673482859527539e-78, 1.2022390674604607e-129]],
    [[1e300, 1e-300], [1e300, 0]],
    [[1e300, 1e-300], [1e-300, 1e-300]],
    [[1.7057223489637074e151, 0.0], [3.099776417097707e154, 9.700579868735589e-273]],
    [[3.5679874357844246e143, 4.230889898975627e146], [1.1193676246639965e-224, 0.0]],
    [[4.574269709063807e-18, 2.9569231491488805], [22251.52629128614, 1597.0449189058002]],
    [[17, 38, 20, 17, 44, 13], [2, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]],
    [
        [1.260538242017417e-05, 96.79655726260283, 0.7032281505265383],
        [2538713598702.6675, 1.9494746612120306e19, 1.4162956816565837e17],
        [1.5250138224805494e-18, 1.1710560050740586e-11, 8.507735935040243e-14],
    ],
]


def as_float(value: object) -> float:
    return float(mpmath.mpf(value.numerator) / value.denominator) if isinstance(value, Fraction) else float(value)


def is_right(name: str, ours: float, exact: object) -> bool:
    if exact is None:
        return isnan(ours)
    expected = as_float(exact) if exact != inf else inf
    if isnan(ours):
        return expected > 1e300 and find(name).card.undefined != "never"  # too large for a number
    return ours == expected or abs(ours - expected) <= 1e-9 * abs(expected) + TOLERANCES.get(name, VANISHING)


def wrong_metrics(table: Contingency, stored: Contingency) -> dict[str, object]:
    """Return the metrics of a table, in whatever way it is stored, that differ from the exact ones."""
    exact = ExactTable(
        np.asarray(table.values).tolist(),
        reject=table.reject,
        positive=0 if table.positive_label is None else table.truth_labels.index(table.positive_label),
        has_sample_size=table.sample_size is not None,
    )
    wrong = {}
    with mpmath.workdps(exact.digits):
        for name, definition in EXACT.items():
            ours, expected = np.atleast_1d(find(name).score(stored)), definition(exact)
            expected = expected if isinstance(expected, list) else [expected]
            if find(name).card.level == "cell" and stored.is_sparse:
                expected = [x for x, (_, _, n) in zip(expected, exact.cells(), strict=True) if n]
            pairs = zip(ours.tolist(), expected, strict=True)
            if not all(is_right(name, *pair) for pair in pairs):
                wrong[name] = (ours, [None if x is None else as_float(x) for x in expected])
    return wrong


def outside_the_card(table: Contingency) -> dict[str, object]:
    found = {}
    for name in catalogue:
        low, high = find(name).card.range
        values = np.asarray(find(name).score(table))
        if not np.all(np.isnan(values) | ((low <= values) & (values <= high))):
            found[name] = values
    return found


def test_every_metric_has_an_exact_definition_here() -> None:
    assert set(EXACT) | {"adjusted_mutual_information"} == set(catalogue)


@pytest.mark.slow
@given(extreme_tables())
def test_exact(table: Contingency) -> None:
    assert wrong_metrics(table, table) == {}
    assert outside_the_card(table) == {}


@pytest.mark.slow
@given(extreme_tables())
def test_exact_when_stored_sparse(table: Contingency) -> None:
    sparse = stored_sparse(table)

    assert wrong_metrics(table, sparse) == {}
    assert outside_the_card(sparse) == {}


@pytest.mark.parametrize("matrix", FOUND_BY_ATTACK, ids=str)
def test_tables_that_were_wrong_once(matrix: list[list[float]]) -> None:
    table = Contingency.from_matrix(matrix)

    assert wrong_metrics(table, table) == {}
    assert outside_the_card(table) == {}


@pytest.mark.slow
@pytest.mark.parametrize("stored", [lambda table: table, stored_sparse], ids=["dense", "sparse"])
def test_a_class_of_one_side_alone_that_has_next_to_nothing(stored: Callable[[Contingency], Contingency]) -> None:
    """Posteriors draw such tables for a class without samples, also where rows and columns are nearly independent."""
    rng = np.random.default_rng(71)
    for exponent in (141, 200, 320):
        for dependence in (1.0, 1e-7):
            matrix = np.outer(rng.random(3), rng.random(4)) * (1 + dependence * (rng.random((3, 4)) - 0.5)) * 1e20
            matrix[1] *= rng.random(4) * 10.0**-exponent
            for laid in (matrix, matrix.T):
                table = Contingency.from_matrix(laid)
                assert wrong_metrics(table, stored(table)) == {}, (exponent, dependence)


@pytest.mark.slow
@given(extreme_tables(), extreme_tables())
@example(Contingency.from_matrix(FOUND_BY_ATTACK[1]), Contingency.from_matrix(FOUND_BY_ATTACK[8]))
def test_a_batch_of_extremes_is_one_by_one(one: Contingency, other: Contingency) -> None:
    side = max(*one.shape, *other.shape)
    alone = [np.zeros((side, side)) for _ in range(2)]
    for padded, table in zip(alone, (one, other), strict=True):
        padded[: table.shape[0], : table.shape[1]] = table.values
    batch, tables = Contingency.from_matrix(np.stack(alone)), [Contingency.from_matrix(matrix) for matrix in alone]

    differing = []
    for name in EXACT:
        singles = [np.asarray(find(name).score(table)) for table in tables]
        tolerance = TOLERANCES.get(name, VANISHING)
        card = find(name).card
        if card.unit == "count" or "weights, not counts" in card.undefined or name.endswith(("_p_value", "_mallows")):
            continue  # a batch is of counts, or of weights, as a whole
        if not np.allclose(find(name).score(batch), singles, rtol=1e-9, atol=tolerance, equal_nan=True):
            differing.append(name)
    assert differing == []


@given(matrices())
def test_adjusted_mutual_information_of_few_samples(counts: np.ndarray) -> None:
    counts = counts % 7
    if not counts.any():
        counts[0, 0] = 1
    expected = adjusted_mutual_information(ExactTable(counts.tolist()))
    ours = float(metrics.adjusted_mutual_information(Contingency.from_matrix(counts)))

    assert isnan(ours) if expected is None else ours == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("beta", [-1, -1e-300, np.nan, -np.inf, "2", None, [1.0], np.array([1.0, 2.0])])
@pytest.mark.parametrize("metric", [metrics.f_beta, metrics.class_f_beta])
def test_beta_is_checked(metric: object, beta: object) -> None:
    with pytest.raises(InputError, match="beta must be a non-negative number"):
        metric(Contingency.from_matrix([[5, 1], [2, 8]]), beta)


def test_f_of_an_infinite_beta_is_the_recall() -> None:
    table = Contingency.from_matrix([[5, 1, 0], [2, 8, 3], [0, 0, 0]])

    np.testing.assert_array_equal(metrics.class_f_beta(table, np.inf), metrics.class_recall(table))
    assert metrics.f_beta(table, np.inf, average="macro", zero_division=0) == pytest.approx((5 / 6 + 8 / 13) / 3)


@pytest.mark.parametrize("beta", [0, 1e-200, 0.3, 1, 2, 7.5, 1e200])
def test_f_beta_of_any_beta(beta: float) -> None:
    exact = ExactTable([[5e200, 1e200], [2e200, 8e200]])
    table = Contingency.from_matrix([[5e200, 1e200], [2e200, 8e200]], positive=0)

    expected = [float(exact.f_beta(i, Fraction(beta))) for i in range(2)]
    assert metrics.class_f_beta(table, beta) == pytest.approx(expected, rel=1e-14)
    assert float(metrics.f_beta(table, beta)) == pytest.approx(expected[0], rel=1e-14)


def test_costs_of_any_size() -> None:
    table = Contingency.from_matrix([[1e300, 2e300], [0, 1e300]])

    assert float(metrics.expected_cost(table, [[0, 2e300], [4.0, 0]])) == pytest.approx(1e300, rel=1e-14)


def test_a_total_too_large_for_a_number_is_rejected() -> None:
    with pytest.raises(InputError, match=r"add up to more than 1\.8e308; divide them all by one number"):
        Contingency.from_matrix([[1.7e308, 1.7e308], [0, 1.0]])
    with pytest.raises(InputError, match=r"add up to more than 1\.8e308; divide them all by one number"):
        Contingency.from_matrix(csr_array([[1.7e308, 1.7e308], [0, 1.0]]))


@pytest.mark.parametrize("laid", [list, csr_array])
def test_weights_without_their_digits_are_rejected(laid: Callable[[list[list[float]]], object]) -> None:
    """Of numbers below 2.2e-308 shares are wrong (B-cubed F1 of four equal cells was undefined, not one half)."""
    with pytest.raises(InputError, match=r"no value is above 5e-324, too small .*; multiply all by one number"):
        Contingency.from_matrix(laid([[5e-324, 5e-324], [5e-324, 5e-324]]))
    assert float(metrics.bcubed_f1(Contingency.from_matrix(laid([[1e-300, 1e-300], [1e-300, 1e-300]])))) == 0.5


def test_effective_size_of_tiny_weights_is_right_or_unknown() -> None:
    for exponent in range(-150, -180, -1):
        weights = np.array([1.0, 2.0, 1.0, 1.0, 3.0]) * 10.0**exponent
        size = Contingency.from_labels([0, 1, 1, 0, 1], [0, 1, 0, 0, 1], sample_weight=weights).sample_size
        assert size is None or size == pytest.approx(4.0, rel=1e-9), exponent


@pytest.mark.parametrize("most", [-1, 1.5, "3"])
def test_how_many_is_checked(most: object) -> None:
    table = Contingency.from_matrix([[5, 1], [2, 8]])

    for listed in (metrics.best_moves, metrics.move_sentences, splits_and_merges):
        with pytest.raises(InputError, match="most must be a whole number of 0 or more, got"):
            listed(table, most)
