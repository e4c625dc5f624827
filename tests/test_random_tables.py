"""Random tables with given margins, drawn without loading SciPy's, follow the same law."""

import numpy as np
import pytest
from scipy.stats import ks_2samp, random_table

from tests.api import _draw_tables, _n_log_n, _shuffle, permuted_p_value

TABLE = np.array([[5, 1, 0, 2], [0, 6, 3, 1], [2, 2, 7, 4]])


def test_shuffled_outputs_make_tables_of_the_same_law() -> None:
    rows, columns = TABLE.sum(axis=1), TABLE.sum(axis=0)
    ours = _shuffle(rows, columns, 3000, np.random.default_rng(11))
    theirs = _n_log_n(random_table(rows, columns, seed=np.random.default_rng(12)).rvs(3000).astype(np.int64))

    assert ks_2samp(ours, theirs.sum(axis=(1, 2))).pvalue > 0.001
    assert ours.mean() == pytest.approx(theirs.sum(axis=(1, 2)).mean(), abs=4 * ours.std() / np.sqrt(1500))


def test_few_samples_are_shuffled_and_many_are_drawn() -> None:
    for table in (TABLE, 1000 * TABLE):
        drawn = _draw_tables(table, 50, np.random.default_rng(3))
        assert drawn.shape == (50,)
        assert (drawn <= float(_n_log_n(table.sum(axis=0)).sum()) + 1e-9).all()


def test_a_relation_is_seen_and_none_is_not() -> None:
    related, unrelated = np.diag([9, 8, 7]), np.full((3, 3), 4)

    assert permuted_p_value([related], 199, np.random.default_rng(5)) == 1 / 200
    assert permuted_p_value([unrelated], 199, np.random.default_rng(6)) == 1.0
