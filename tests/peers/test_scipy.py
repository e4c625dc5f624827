"""The same numbers as SciPy, where it has them."""

import numpy as np
import pytest
from scipy import optimize, special, stats
from scipy.spatial import distance

from infoscope import Contingency, metrics
from tests.peers.examples import MATRICES, RECTANGULAR, rows_of, table_of

EVERY = pytest.mark.parametrize("matrix", (MATRICES | RECTANGULAR).values(), ids=(MATRICES | RECTANGULAR).keys())


@EVERY
def test_entropies(matrix: list[list[int]]) -> None:
    counts, table = np.array(matrix), table_of(matrix)

    assert metrics.truth_entropy(table) == pytest.approx(stats.entropy(counts.sum(axis=1), base=2), abs=1e-12)
    assert metrics.system_entropy(table) == pytest.approx(stats.entropy(counts.sum(axis=0), base=2), abs=1e-12)
    assert metrics.joint_entropy(table) == pytest.approx(stats.entropy(counts.ravel(), base=2), abs=1e-12)


@EVERY
def test_information_is_a_divergence_from_chance(matrix: list[list[int]]) -> None:
    counts = np.array(matrix)
    chance = np.outer(counts.sum(axis=1), counts.sum(axis=0))

    expected = stats.entropy(counts.ravel(), chance.ravel(), base=2)

    assert metrics.mutual_information(table_of(matrix)) == pytest.approx(expected, abs=1e-12)


@EVERY
def test_conditional_entropies(matrix: list[list[int]]) -> None:
    counts, table = np.array(matrix), table_of(matrix)
    by_answer, by_class = stats.entropy(counts, base=2, axis=0), stats.entropy(counts, base=2, axis=1)

    np.testing.assert_allclose(metrics.output_missed_information(table), by_answer, atol=1e-12)
    np.testing.assert_allclose(metrics.class_false_information(table), by_class, atol=1e-12)
    assert metrics.missed_information(table) == pytest.approx(np.average(by_answer, weights=counts.sum(axis=0)))
    assert metrics.false_information(table) == pytest.approx(np.average(by_class, weights=counts.sum(axis=1)))


@EVERY
def test_g_test(matrix: list[list[int]]) -> None:
    expected = stats.chi2_contingency(matrix, correction=False, lambda_="log-likelihood")

    assert metrics.g_statistic(table_of(matrix)) == pytest.approx(expected.statistic, rel=1e-9)
    assert metrics.g_p_value(table_of(matrix)) == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-300)


@EVERY
def test_pearson_test(matrix: list[list[int]]) -> None:
    expected = stats.chi2_contingency(matrix, correction=False)

    assert metrics.phi_squared(table_of(matrix)) * np.sum(matrix) == pytest.approx(expected.statistic, rel=1e-9)
    assert metrics.chi2_p_value(table_of(matrix)) == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-300)


@EVERY
def test_cramers_v(matrix: list[list[int]]) -> None:
    expected = stats.contingency.association(np.array(matrix), method="cramer", correction=False)

    assert metrics.cramers_v(table_of(matrix)) == pytest.approx(expected, rel=1e-9)


def test_tests_of_a_table_with_empty_classes_count_only_those_with_data() -> None:
    padded = Contingency.from_matrix([[12, 5, 0, 7], [0, 0, 0, 0], [3, 9, 0, 2]])
    expected = stats.chi2_contingency([[12, 5, 7], [3, 9, 2]], correction=False, lambda_="log-likelihood")

    assert metrics.g_p_value(padded) == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES.keys())
def test_errors_are_the_hamming_distance_of_the_rows(matrix: list[list[int]]) -> None:
    assert metrics.error_rate(table_of(matrix)) == pytest.approx(distance.hamming(*rows_of(matrix)), abs=1e-12)


@EVERY
def test_bits_of_the_cells(matrix: list[list[int]]) -> None:
    table, p = table_of(matrix), np.array(matrix) / np.sum(matrix)
    of_answer, of_class = p.sum(axis=0), p.sum(axis=1)[:, None]

    for ours, nats in (
        (metrics.cell_mutual_information(table), special.rel_entr(p, of_class * of_answer)),
        (metrics.cell_missed_information(table), -special.rel_entr(p, of_answer)),
        (metrics.cell_false_information(table), -special.rel_entr(p, of_class)),
    ):
        np.testing.assert_allclose(ours, nats.ravel() / np.log(2), rtol=1e-9, atol=1e-12)


@EVERY
def test_share_of_the_joint_entropy(matrix: list[list[int]]) -> None:
    counts, joint = np.array(matrix), stats.entropy(np.ravel(matrix))
    shared = stats.entropy(counts.sum(axis=0)) + stats.entropy(counts.sum(axis=1)) - joint

    assert metrics.nmi_joint(table_of(matrix)) == pytest.approx(shared / joint, abs=1e-12)


@pytest.mark.parametrize("matrix", MATRICES.values(), ids=MATRICES.keys())
def test_no_renaming_beats_the_bayes_error(matrix: list[list[int]]) -> None:
    rows, columns = optimize.linear_sum_assignment(matrix, maximize=True)
    best_renaming = 1 - np.array(matrix)[rows, columns].sum() / np.sum(matrix)

    assert metrics.bayes_error(table_of(matrix)) <= best_renaming + 1e-12
