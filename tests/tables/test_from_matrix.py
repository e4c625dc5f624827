"""Matrices, published rates and cells to tables."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from infoscope import Contingency, InputError
from infoscope.metrics import accuracy, precision, recall
from tests.api import read_matrix


def test_a_bare_matrix_is_numbered_and_its_second_row_is_positive():
    table = Contingency.from_matrix([[2, 3, 0], [0, 45, 1]])

    assert (table.truth_labels, table.system_labels) == ((0, 1), (0, 1, 2))
    assert table.positive_label == 1


def test_a_stated_positive_class_wins():
    assert Contingency.from_matrix([[1, 2], [3, 4]], truth=("a", "b"), positive="b").positive_label == "b"


def test_a_frame_brings_its_labels():
    frame = pd.DataFrame([[1, 2], [3, 4]], index=["cat", "dog"], columns=["dog", "cat"])
    table = Contingency.from_matrix(frame)

    assert accuracy(table) == 0.5
    assert table.system_labels == ("dog", "cat")


def test_a_polars_frame_brings_its_columns():
    table = Contingency.from_matrix(pl.DataFrame({"a": [1, 2], "b": [3, 4]}).to_numpy(), truth=["a", "b"])

    assert table.counts.tolist() == [[1, 3], [2, 4]]


def test_a_sparse_matrix_stays_sparse_when_it_is_large():
    matrix = scipy.sparse.coo_array(([5, 1, 2], ([0, 9_999, 9_999], [0, 3, 3])), shape=(10_000, 10_000))
    table = Contingency.from_matrix(matrix)

    assert table.is_sparse
    assert table.counts[9_999, 3] == 3
    assert table.shape == (10_000, 10_000)


def test_sparse_and_dense_tables_of_the_same_numbers_are_equal(monkeypatch):
    counts = np.array([[1, 0, 2], [0, 0, 3], [4, 0, 0]])
    dense = Contingency.from_matrix(counts)
    monkeypatch.setattr("infoscope.tables.construction.DENSE_CELLS", 0)
    sparse = Contingency.from_matrix(scipy.sparse.csr_array(counts))

    assert sparse.is_sparse
    assert sparse == dense
    assert hash(sparse) == hash(dense)


def test_leading_axes_are_a_batch():
    batch = Contingency.from_matrix(np.arange(1, 13).reshape(3, 2, 2))

    assert batch.batch_shape == (3,)
    assert accuracy(batch) == pytest.approx([5 / 10, 13 / 26, 21 / 42])


def test_rates_give_back_the_table_they_came_from():
    table = Contingency.from_rates(accuracy=0.91, precision=0.6, recall=0.3)

    assert accuracy(table) == pytest.approx(0.91)
    assert precision(table) == pytest.approx(0.6)
    assert recall(table) == pytest.approx(0.3)
    assert table.sample_size is None


def test_cells_named_twice_are_added_and_labels_sorted():
    table = Contingency.from_cells(["b", "a"], ["a", "c"], [0, 0, 1], [0, 0, 1], [1, 2, 5], ignored={"no truth": 4})

    assert table.truth_labels == table.system_labels == ("a", "b", "c")
    assert table.counts.tolist() == [[0, 0, 5], [3, 0, 0], [0, 0, 0]]
    assert dict(table.ignored) == {"no truth": 4}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: Contingency.from_matrix([[1, -3], [0, 1]]), "truth 0 as system 1 is -3", id="negative"),
        pytest.param(lambda: Contingency.from_matrix([[1, np.nan], [0, 1]]), "finite", id="not a number"),
        pytest.param(lambda: Contingency.from_matrix([[1, np.inf], [0, 1]]), "finite", id="infinite"),
        pytest.param(lambda: Contingency.from_matrix([[0, 0], [0, 0]]), "all zero", id="all zero"),
        pytest.param(lambda: Contingency.from_matrix([[1, 2], [3]]), "differ in length", id="ragged"),
        pytest.param(lambda: Contingency.from_matrix([1, 2]), "shape", id="one dimension"),
        pytest.param(lambda: Contingency.from_matrix([["a", "b"]]), "as numbers", id="text"),
        pytest.param(lambda: Contingency.from_matrix([[1, 2]], truth=["a", "b"]), "2 truth labels for 1", id="labels"),
        pytest.param(
            lambda: Contingency.from_matrix([[1, 2], [3, 4]], truth=["a", "a"]), "declared twice", id="duplicate"
        ),
        pytest.param(
            lambda: Contingency.from_matrix([[1, 2], [3, 4]], truth=[1, 2], system=["1", "2"]), "look alike", id="kinds"
        ),
        pytest.param(lambda: Contingency.from_matrix([[1, 2]], reject=9), "not a column", id="unknown reject"),
        pytest.param(
            lambda: Contingency.from_matrix(scipy.sparse.coo_array([[1, -1]])), "not negative", id="negative sparse"
        ),
        pytest.param(lambda: Contingency.from_rates(accuracy=2, precision=1, recall=1), "between 0 and 1", id="rate"),
        pytest.param(
            lambda: Contingency.from_rates(accuracy=1, precision=1, recall=1), "leaves the prevalence", id="open"
        ),
        pytest.param(
            lambda: Contingency.from_rates(accuracy=0.1, precision=0.9, recall=0.9), "no table has", id="impossible"
        ),
    ],
)
def test_bad_matrices_are_rejected_with_the_way_out(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("kind", ["Int64", "int64[pyarrow]", "Float64", "uint8"])
def test_every_kind_of_number_in_a_frame_is_read(kind):
    frame = pd.DataFrame({"a": [5, 1], "b": [2, 7]}, index=["a", "b"], dtype=kind)

    table = Contingency.from_matrix(frame)

    assert (table.truth_labels, table.counts.tolist()) == (("a", "b"), [[5, 2], [1, 7]])


def test_a_polars_frame_names_the_answers_and_may_name_the_classes():
    bare = Contingency.from_matrix(pl.DataFrame({"a": [5, 1], "b": [2, 7]}), truth=["a", "b"])
    named = Contingency.from_matrix(pl.DataFrame({"truth": ["a", "b"], "a": [5, 1], "b": [2, 7]}))

    assert bare == named == Contingency.from_matrix([[5, 2], [1, 7]], truth=["a", "b"])


@pytest.mark.parametrize("reject", ["?", 2])
def test_a_column_more_than_rows_is_the_rejections(reject):
    table = Contingency.from_matrix([[5, 1, 2], [3, 4, 5]], truth=["a", "b"], reject=reject)

    assert table.system_labels == ("a", "b", reject)
    assert float(accuracy(table)) == pytest.approx(9 / 20)


def test_numbers_beyond_63_bits_are_numbers() -> None:
    assert Contingency.from_matrix([[10**20, 0], [1, 10**20]]).total == 2e20


def test_one_part_of_a_sample_anywhere_makes_no_counts():
    whole = np.full((3, 3), 4.0)
    assert Contingency.from_matrix(whole).is_counts
    for place in np.ndindex(3, 3):
        parts = whole.copy()
        parts[place] += 0.5
        assert not Contingency.from_matrix(parts).is_counts


def test_totals_are_no_class(tmp_path):
    truth, system = ["a", "b", "a", "c"] * 5, ["a", "b", "c", "c"] * 5
    for name in ("All", "total"):
        table = pd.crosstab(pd.Series(truth), pd.Series(system), margins=True, margins_name=name)
        for given, side in ((table, "row"), (table.iloc[:-1], "column"), (table.iloc[:, :-1], "row")):
            with pytest.raises(InputError, match=f"the last {side}, '{name}', holds the sums of the others"):
                Contingency.from_matrix(given)
        table.to_csv(tmp_path / "matrix.csv")
        with pytest.raises(InputError, match="holds the sums of the others"):
            read_matrix(tmp_path / "matrix.csv")
    counts = np.array([[5, 1, 0], [0, 3, 2], [1, 1, 9]])
    for unit in (1, 1e-9):
        assert Contingency.from_matrix(unit * counts, truth=["a", "b", "all"]).total == pytest.approx(22 * unit)
