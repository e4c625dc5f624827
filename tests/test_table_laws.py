"""Laws of the table itself: adding, weighting, re-weighting, storing."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoscope import Contingency, metrics
from tests.strategies import label_rows, stored_sparse, tables

Rows = tuple[list[str], list[str]]


@given(one=label_rows(), other=label_rows())
def test_rows_of_two_tables_add_up(one: Rows, other: Rows) -> None:
    together = Contingency.from_labels(one[0] + other[0], one[1] + other[1])

    assert Contingency.from_labels(*one) + Contingency.from_labels(*other) == together
    assert sum([Contingency.from_labels(*one), Contingency.from_labels(*other)]) == together


@given(label_rows(), st.integers(1, 5))
def test_a_weight_counts_as_that_many_rows(rows: Rows, times: int) -> None:
    weighted = Contingency.from_labels(*rows, sample_weight=np.full(len(rows[0]), times))

    assert weighted == Contingency.from_labels(rows[0] * times, rows[1] * times)
    assert weighted.sample_size == pytest.approx(len(rows[0]))


@given(label_rows())
def test_order_of_rows_does_not_matter(rows: Rows) -> None:
    assert Contingency.from_labels(rows[0][::-1], rows[1][::-1]) == Contingency.from_labels(*rows)


@given(label_rows())
def test_a_matrix_of_the_same_counts_is_the_same_table(rows: Rows) -> None:
    table = Contingency.from_labels(*rows)

    again = Contingency.from_matrix(table.counts, truth=table.truth_labels, system=table.system_labels)

    assert again == table
    assert hash(again) == hash(table)


@given(tables(rejecting=False))
def test_transposing_twice_is_nothing(table: Contingency) -> None:
    assert table.transpose().transpose() == table
    assert stored_sparse(table).transpose().transpose() == stored_sparse(table)


@given(tables())
def test_stored_sparse_is_the_same_table(table: Contingency) -> None:
    sparse = stored_sparse(table)

    assert sparse == table
    assert table == sparse
    np.testing.assert_array_equal(sparse.row_totals, table.row_totals)
    np.testing.assert_array_equal(sparse.column_totals, table.column_totals)
    np.testing.assert_array_equal(sparse.diagonal, table.diagonal)


@settings(max_examples=15)
@given(tables(), st.booleans())
def test_saved_and_loaded_is_the_same_table(table: Contingency, sparse: bool) -> None:
    kept = stored_sparse(table) if sparse else table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.ifs"
        kept.save(path)
        again = Contingency.load(path)

    assert again == kept
    assert again.reject == kept.reject
    assert again.labelled == kept.labelled
    assert again.sample_size == kept.sample_size


@settings(max_examples=10)
@given(label_rows())
def test_saved_text_labels_come_back(rows: Rows) -> None:
    table = Contingency.from_labels(*rows)
    with tempfile.TemporaryDirectory() as folder:
        table.save(Path(folder) / "table.ifs")
        again = Contingency.load(Path(folder) / "table.ifs")

    assert again == table
    assert again + table == table + table


@given(tables())
def test_given_truth_keeps_what_the_system_does_with_each_class(table: Contingency) -> None:
    shares = table.given_truth()

    occupied = table.row_totals > 0
    np.testing.assert_allclose(shares.row_totals, occupied.astype(float), rtol=1e-12)
    np.testing.assert_allclose(
        metrics.class_false_information(shares), metrics.class_false_information(table), rtol=1e-9, atol=1e-12
    )
    assert shares.sample_size == table.sample_size


@given(tables())
def test_given_system_keeps_what_each_answer_tells(table: Contingency) -> None:
    shares = table.given_system()

    np.testing.assert_allclose(
        metrics.output_missed_information(shares), metrics.output_missed_information(table), rtol=1e-9, atol=1e-12
    )


@given(tables())
def test_equal_prevalence_makes_the_truth_uniform(table: Contingency) -> None:
    even = table.with_prevalence("equal")

    classes = np.count_nonzero(table.row_totals)
    assert even.total == pytest.approx(table.total)
    assert float(metrics.truth_entropy(even)) == pytest.approx(np.log2(classes), abs=1e-12)
    np.testing.assert_allclose(metrics.class_recall(even), metrics.class_recall(table), rtol=1e-9, atol=1e-12)


@given(tables(rejecting=False))
def test_prevalence_as_it_is_changes_nothing(table: Contingency) -> None:
    as_is = table.with_prevalence(dict(zip(table.truth_labels, table.row_totals.tolist(), strict=True)))

    np.testing.assert_allclose(as_is.counts, table.counts, rtol=1e-12, atol=1e-12)


@given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.01, 0.99))
def test_rates_come_back_from_the_table_made_of_them(precision: float, recall: float, positives: float) -> None:
    hits = positives * recall
    false_alarms = hits * (1 / precision - 1)
    rest = 1 - positives - false_alarms
    if rest < 0 or (positives - hits) + false_alarms < 1e-6:
        return
    table = Contingency.from_rates(accuracy=hits + rest, precision=precision, recall=recall)

    assert float(metrics.precision(table)) == pytest.approx(precision, rel=1e-6)
    assert float(metrics.recall(table)) == pytest.approx(recall, rel=1e-6)
    assert float(metrics.accuracy(table)) == pytest.approx(hits + rest, rel=1e-6)
