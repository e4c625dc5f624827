"""Adding, renaming, merging, exchanging, re-weighting and saving tables."""

import datetime
import json

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoscope import Contingency, InputError
from infoscope.metrics import accuracy, balanced_accuracy, mutual_information

ROWS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcx")), min_size=1, max_size=30)


@given(ROWS, ROWS)
def test_adding_tables_is_concatenating_rows(one, other):
    parts = [Contingency.from_labels(*zip(*rows, strict=True)) for rows in (one, other)]

    assert parts[0] + parts[1] == Contingency.from_labels(*zip(*(one + other), strict=True))


def test_sum_works_and_keeps_count_of_what_was_ignored():
    part = Contingency.from_labels(["a", None, "b"], ["a", "b", "a"])

    total = sum([part, part, part])

    assert total.total == 6
    assert dict(total.ignored) == {"missing truth label": 3}


def test_adding_weighted_tables_adds_squares():
    weighted = Contingency.from_labels(["a", "b"], ["a", "b"], sample_weight=[2.0, 1.0])
    counted = Contingency.from_labels(["a", "b"], ["a", "b"])

    assert (weighted + counted).sample_size == pytest.approx(5.0**2 / (5.0 + 2.0))


def test_relabelling_one_side_undoes_a_swap():
    table = Contingency.from_matrix([[0, 9], [8, 1]], truth=["cat", "dog"])

    assert accuracy(table.relabel({"cat": "dog", "dog": "cat"}, side="system")) == pytest.approx(17 / 18)


def test_merging_classes_adds_their_cells():
    table = Contingency.from_matrix([[5, 1, 0], [2, 6, 1], [0, 1, 7]], truth=["cat", "dog", "fox"])

    merged = table.merge_classes(["cat", "fox"])

    assert merged.truth_labels == ("cat+fox", "dog")
    assert merged.counts.tolist() == [[12, 2], [3, 6]]
    assert table.merge_classes(["cat", "dog"], into="pet", side="system").shape == (3, 2)


def test_transposing_twice_is_nothing(monkeypatch):
    monkeypatch.setattr("infoscope.tables.construction.DENSE_CELLS", 0)
    sparse = Contingency.from_labels(["a", "b", "b"], ["x", "y", "x"])
    dense = Contingency.from_matrix([[1, 2, 0], [0, 3, 4]])

    for table in (sparse, dense):
        assert table.transpose().transpose() == table
        assert table.transpose().shape == table.shape[::-1]


def test_equal_prevalence_makes_accuracy_balanced_and_remembers_the_counts():
    table = Contingency.from_matrix([[45, 5], [2, 8]])

    even = table.with_prevalence("equal")

    assert accuracy(even) == pytest.approx(balanced_accuracy(table))
    assert even.total == pytest.approx(table.total)
    assert even.reweighting.origin is table
    assert even.sample_size == 60


def test_stated_prevalence_is_reached():
    table = Contingency.from_matrix([[45, 5], [2, 8]], truth=["a", "b"])

    shifted = table.with_prevalence({"a": 0.9, "b": 0.1})

    assert shifted.row_totals / shifted.total == pytest.approx([0.9, 0.1])


def test_conditional_tables_have_rows_or_columns_of_one():
    table = Contingency.from_matrix([[45, 5], [2, 8], [0, 0]])

    assert table.given_truth().row_totals == pytest.approx([1, 1, 0])
    assert table.given_system().column_totals == pytest.approx([1, 1])


LABEL_SETS = [
    ["a", "b", "ç"],
    [1, 2, 10**15],
    [True, False],
    [0.5, 1.5],
    [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
    [datetime.datetime(2020, 1, 1, 12), datetime.datetime(2021, 1, 1, 13)],
]


@pytest.mark.parametrize("labels", LABEL_SETS, ids=lambda labels: type(labels[0]).__name__)
@pytest.mark.parametrize("reject", [None, "none of them"])
def test_what_is_saved_is_loaded(tmp_path, labels, reject):
    truth = [labels[i % len(labels)] for i in range(10)]
    system = [labels[i * i % len(labels)] for i in range(9)] + [reject if reject else labels[0]]
    table = Contingency.from_labels([*truth, None], [*system, labels[0]], reject=reject)

    table.save(tmp_path / "t.ifs")
    loaded = Contingency.load(tmp_path / "t.ifs")

    assert loaded == table
    assert dict(loaded.ignored) == dict(table.ignored) == {"missing truth label": 1}
    assert [type(label) for label in loaded.system_labels] == [type(label) for label in table.system_labels]


def test_order_weights_and_empty_classes_survive_saving(tmp_path):
    table = Contingency.from_labels(
        ["b", "a"], ["b", "b"], sample_weight=[0.5, 0.25], labels=["c", "b", "a"], positive="c"
    )
    table.save(tmp_path / "t.ifs")
    loaded = Contingency.load(tmp_path / "t.ifs")

    assert loaded == table
    assert loaded.truth_labels == ("c", "b", "a")
    assert (loaded.positive, loaded.weight_squares) == ("c", table.weight_squares)


def test_a_sparse_table_survives_saving(tmp_path):
    rng = np.random.default_rng(0)
    table = Contingency.from_labels(*rng.integers(0, 10**6, (2, 2000)))
    table.save(tmp_path / "t.ifs")

    assert Contingency.load(tmp_path / "t.ifs") == table


def test_other_tools_can_read_a_saved_table(tmp_path):
    path = tmp_path / "t.ifs"
    Contingency.from_labels(["a", "a", "b"], ["a", "b", "b"]).save(path)

    rows = duckdb.sql(
        f"SELECT truth, system, value FROM read_parquet('{path}') WHERE value > 0 ORDER BY ALL"
    ).fetchall()
    metadata = dict(duckdb.sql(f"SELECT key, value FROM parquet_kv_metadata('{path}')").fetchall())

    assert rows == [("a", "a", 1), ("a", "b", 1), ("b", "b", 1)]
    assert json.loads(metadata[b"infoscope"])["schema"] == "infoscope/table/1"


def test_saving_replaces_in_one_step_and_leaves_no_litter(tmp_path):
    path = tmp_path / "t.ifs"
    Contingency.from_matrix([[1]]).save(path)
    Contingency.from_matrix([[2]]).save(path)

    assert Contingency.load(path).total == 2
    assert [file.name for file in tmp_path.iterdir()] == ["t.ifs"]


def test_files_that_are_not_tables_are_rejected(tmp_path):
    text = tmp_path / "t.ifs"
    text.write_text("truth,system\na,b\n")
    parquet = tmp_path / "p.ifs"
    duckdb.sql(f"COPY (SELECT 1 AS truth, 2 AS system, 3 AS value) TO '{parquet}' (FORMAT parquet)")

    with pytest.raises(InputError, match="not a table written by infoscope"):
        Contingency.load(text)
    with pytest.raises(InputError, match="not a table written by infoscope"):
        Contingency.load(parquet)
    with pytest.raises(InputError, match="no file"):
        Contingency.load(tmp_path / "absent.ifs")
    with pytest.raises(InputError, match="no folder"):
        Contingency.from_matrix([[1]]).save(tmp_path / "nowhere" / "t.ifs")


def test_merging_classes_loses_information():
    table = Contingency.from_matrix([[5, 1, 0], [2, 6, 1], [0, 1, 7]])

    assert mutual_information(table.merge_classes([0, 1], side="system")) < mutual_information(table)


def test_a_batch_says_what_each_table_holds() -> None:
    table = Contingency.from_matrix([[12, 1], [2, 24]])
    drawn = table.with_cells(np.random.default_rng(0).dirichlet(table.cells, 3) * table.total)

    assert repr(drawn).startswith("Contingency of 3 tables, each 39 samples")
    assert repr(table.with_cells(np.stack([table.cells, 2 * table.cells]))).startswith(
        "Contingency of 2 tables, each 39 to 78 samples"
    )


@given(ROWS)
def test_the_chance_table_has_the_margins_and_no_association(rows):
    table = Contingency.from_labels(*zip(*rows, strict=True))
    chance = table.independent()

    np.testing.assert_allclose(chance.row_totals, table.row_totals, rtol=1e-12)
    np.testing.assert_allclose(chance.column_totals, table.column_totals, rtol=1e-12)
    assert mutual_information(chance) == pytest.approx(0.0, abs=1e-12)
    assert chance.truth_labels == table.truth_labels
    assert chance.reject == table.reject
