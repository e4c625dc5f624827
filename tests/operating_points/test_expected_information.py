"""Adjusted information of many tables at once."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_mutual_info_score

import infoscope as ifs
from tests.api import expected_information, expected_informations


def test_a_batch_is_its_tables_one_by_one():
    rng = np.random.default_rng(0)
    for shape in ((2, 2), (3, 4), (5, 6)):
        batch = rng.integers(0, 40, (7, *shape))
        values = ifs.metrics.adjusted_mutual_information(ifs.Contingency.from_matrix(batch))
        single = [float(ifs.metrics.adjusted_mutual_information(ifs.Contingency.from_matrix(t))) for t in batch]
        np.testing.assert_allclose(values, single, rtol=1e-12, atol=1e-14)


def test_strides_do_not_change_the_sum():
    """Wide laws are summed at every h-th count; the sum over all counts is the definition."""
    from scipy.stats import hypergeom

    total, a, b = 4_000, 900, 1_700
    expected = 0.0
    for left in (a, total - a):
        for right in (b, total - b):
            n = np.arange(max(1, left + right - total), min(left, right) + 1)
            p = hypergeom(total, left, right).pmf(n)
            expected += np.sum(n / total * np.log2(n * total / (left * right)) * p)
    rows, columns = np.array([a, total - a], float), np.array([b, total - b], float)

    assert expected_information(rows, columns) == pytest.approx(expected, rel=1e-7)
    assert expected_informations(rows[None], columns[None])[0] == pytest.approx(expected, rel=1e-7)


def test_ami_of_a_large_sample_equals_scikit_learn():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 30_000)
    system = np.where(rng.random(30_000) < 0.1, truth, rng.integers(0, 3, 30_000))
    found = ifs.metrics.adjusted_mutual_information(ifs.Contingency.from_labels(truth, system))

    assert found == pytest.approx(adjusted_mutual_info_score(truth, system), abs=1e-9)
