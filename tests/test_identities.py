"""Equations between metrics: chain rules, balances, and what transposing or merging does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoscope import Contingency, metrics
from tests.api import entropies, gain_of_move, move_derivative
from tests.strategies import binary_tables, matrices, square_tables, tables


def equal(one: object, other: object) -> None:
    np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-10, atol=1e-12)


@given(tables())
def test_chain_rules(table: Contingency) -> None:
    h = entropies(table)

    equal(h.mutual + h.missed, h.truth)
    equal(h.mutual + h.spurious, h.system)
    equal(h.missed + h.spurious + h.mutual, h.joint)
    equal(h.truth + h.spurious, h.joint)


@given(tables().filter(lambda table: min(table.shape) > 1))
def test_balance_equations(table: Contingency) -> None:
    equal(metrics.triangle_divergence(table) + metrics.triangle_transfer(table) + metrics.triangle_variation(table), 1)
    equal(
        metrics.split_truth_divergence(table)
        + metrics.split_truth_transfer(table)
        + metrics.split_truth_remainder(table),
        1,
    )
    equal(
        metrics.split_system_divergence(table)
        + metrics.split_system_transfer(table)
        + metrics.split_system_remainder(table),
        1,
    )


@given(tables())
def test_classes_are_a_product_of_perplexities(table: Contingency) -> None:
    k, m = table.shape
    shown = metrics.transfer_factor(table)

    equal(metrics.truth_divergence_factor(table) * shown * metrics.remnant_classes(table), k)
    equal(metrics.system_divergence_factor(table) * shown * metrics.system_remnant_classes(table), m)
    equal(metrics.effective_classes(table), shown * metrics.remnant_classes(table))
    equal(metrics.normalized_transfer_factor(table) * k, shown)
    equal(metrics.entropy_modified_accuracy(table) * metrics.remnant_classes(table), 1)


@given(tables(rejecting=False))
def test_transposing_swaps_missed_and_false_information(table: Contingency) -> None:
    other = table.transpose()

    equal(metrics.missed_information(other), metrics.false_information(table))
    equal(metrics.false_information(other), metrics.missed_information(table))
    equal(metrics.information_precision(other), metrics.proficiency(table))
    equal(metrics.system_entropy(other), metrics.truth_entropy(table))


@given(tables())
def test_erroneous_information_is_the_way_to_perfection(table: Contingency) -> None:
    equal(
        metrics.erroneous_information_ratio(table),
        1 - metrics.proficiency(table) + metrics.false_information_ratio(table),
    )
    equal(metrics.missed_information_ratio(table), 1 - metrics.proficiency(table))
    equal(metrics.information_cost(table), metrics.erroneous_information(table))


@given(tables())
def test_right_wrong_and_rejected_are_everything(table: Contingency) -> None:
    equal(metrics.accuracy(table) + metrics.error_rate(table) + metrics.rejection_rate(table), 1)
    equal(metrics.zero_one_loss(table), -metrics.accuracy(table))
    equal(metrics.weighted_tpr(table), metrics.accuracy(table))


@given(tables())
def test_bits_leak_through_cells_classes_and_answers_alike(table: Contingency) -> None:
    h = entropies(table)

    equal(metrics.cell_missed_information(table).sum(), h.missed)
    equal(metrics.cell_false_information(table).sum(), h.spurious)
    equal(metrics.cell_mutual_information(table).sum(), h.mutual)
    equal(np.nansum(metrics.class_false_information(table) * table.row_totals) / table.total, h.spurious)
    equal(np.nansum(metrics.output_missed_information(table) * table.column_totals) / table.total, h.missed)


@given(tables())
def test_shares_of_what_is_lost_sum_to_one(table: Contingency) -> None:
    for lost, shares in (
        (metrics.missed_information(table), (metrics.class_missed_share, metrics.output_missed_share)),
        (metrics.false_information(table), (metrics.class_false_share, metrics.output_false_share)),
    ):
        for share in shares:
            equal(np.sum(share(table)), 1.0 if lost > 0 else np.nan)


@given(tables())
def test_error_bounds_are_in_order(table: Contingency) -> None:
    best = metrics.bayes_error(table)

    assert metrics.tight_fano_bound(table) <= best + 1e-9
    assert best <= metrics.hellman_raviv_bound(table) + 1e-12
    assert best <= 1 - metrics.accuracy(table) + 1e-12 or np.isnan(metrics.accuracy(table))
    weak = metrics.fano_bound(table)
    assert weak <= metrics.tight_fano_bound(table) + 1e-9 or np.isnan(weak)


@given(binary_tables())
def test_two_classes_have_one_correlation(table: Contingency) -> None:
    equal(metrics.phi(table), metrics.mcc(table))
    equal(metrics.phi(table) ** 2, metrics.phi_squared(table) if not np.isnan(metrics.phi(table)) else np.nan)
    equal(1 - metrics.specificity(table), metrics.false_alarm_rate(table))


@given(square_tables())
def test_averages_of_the_classes(table: Contingency) -> None:
    equal(metrics.macro_recall(table), np.mean(metrics.class_recall(table)))
    equal(metrics.macro_precision(table), np.mean(metrics.class_precision(table)))
    equal(metrics.macro_f1(table), np.mean(metrics.class_f1(table)))
    equal(metrics.balanced_accuracy(table), np.nanmean(metrics.class_recall(table)))


@given(matrices(3, 3), st.data())
def test_gain_of_a_move_is_what_the_moved_table_has_more(matrix: np.ndarray, data: st.DataObject) -> None:
    table = Contingency.from_matrix(matrix)
    filled = np.argwhere(matrix > 0)
    row, source = data.draw(st.sampled_from(filled.tolist()))
    target = data.draw(st.integers(0, 2))
    moved = matrix.copy()
    moved[row, source] -= 1
    moved[row, target] += 1

    gain = metrics.mutual_information(Contingency.from_matrix(moved)) - metrics.mutual_information(table)

    np.testing.assert_allclose(gain_of_move(table)[row, source, target], gain, rtol=0, atol=1e-12)


def test_derivative_of_a_move_is_a_limit() -> None:
    counts = np.random.default_rng(3).uniform(5, 100, size=(3, 4))
    derivative = move_derivative(Contingency.from_matrix(counts))
    step = np.zeros((3, 4))
    step[1, 2], step[1, 0] = 1e-3, -1e-3

    after, before = (metrics.mutual_information(Contingency.from_matrix(counts + sign * step)) for sign in (1.0, -1.0))

    assert derivative[1, 0, 2] == pytest.approx((after - before) / 2e-3, abs=1e-9)


@pytest.mark.parametrize(
    ("matrix", "gain"), [([[90, 0, 0], [0, 10, 0]], -0.0483), ([[90, 0, 0], [1, 9, 0]], -0.0467)], ids=["M1", "M7"]
)
def test_one_sample_of_hu_and_wang_moved_into_an_empty_cell(matrix: list[list[int]], gain: float) -> None:
    """One true positive turned false negative costs bits, also where the paper's sign rule says 0 or a gain."""
    table = Contingency.from_matrix(matrix, reject=2)

    assert gain_of_move(table)[0, 0, 1] == pytest.approx(gain, abs=0.5e-4)
    assert np.isnan(move_derivative(table)[0, 0, 1])
