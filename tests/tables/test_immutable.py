"""A table cannot be changed, not through anything it hands out either."""

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from infoscope import Contingency
from tests.api import metrics_of
from tests.strategies import stored_sparse

COUNTS = np.array([[50, 3, 1], [4, 43, 0], [2, 2, 20]])
TABLES = {
    "dense": Contingency.from_matrix(COUNTS),
    "other names": Contingency.from_matrix(COUNTS, truth=["a", "b", "c"], system=["c", "a", "x"]),
    "batch": Contingency.from_matrix(np.stack([COUNTS, COUNTS + 1])),
    "sparse": stored_sparse(Contingency.from_matrix(COUNTS)),
}
FACTS = (
    "cells",
    "cell_rows",
    "cell_columns",
    "row_totals",
    "column_totals",
    "row_squares",
    "column_squares",
    "grand_total",
    "total",
    "occupied_shape",
    "matches",
    "matched_totals",
    "diagonal",
)


def arrays(found: Any) -> Iterator[np.ndarray]:
    for part in found if isinstance(found, tuple) else (found,):
        if isinstance(part, np.ndarray):
            yield part


def scores(table: Contingency) -> dict[str, Any]:
    return {entry.name: entry.score(table) for level in ("table", "truth") for entry in metrics_of(level)}  # type: ignore[arg-type]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_nothing_handed_out_changes_the_table(table: Contingency) -> None:
    before = {name: np.array(value) for name, value in scores(table).items()}
    handed = [*scores(table).values(), *(getattr(table, name) for name in FACTS)]
    handed += [table.values] if table.support is None else [table.values, table.support.rows, table.support.columns]
    for array in (array for found in handed for array in arrays(found)):
        if array.flags.writeable:  # then it is the caller's own
            array[...] = 7

    for name, value in scores(table).items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)
    for name in FACTS:
        assert not any(array.flags.writeable for array in arrays(getattr(table, name))), name


@pytest.mark.parametrize("given", [np.array([3.0, 4.0, 1.0, 1.0]), np.array([3, 4, 1, 1])], ids=["floats", "ints"])
def test_new_cells_are_the_tables_own(given: np.ndarray) -> None:
    table = Contingency.from_matrix([[1, 2], [3, 4]]).with_cells(given)
    given[0] = 100

    assert table.cells.tolist() == [3, 4, 1, 1]


def test_cells_placed_in_order_are_the_tables_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infoscope.tables.construction.DENSE_CELLS", 0)
    rows, columns, values = np.array([0, 1]), np.array([0, 1]), np.array([5, 7])
    table = Contingency.from_cells(["a", "b"], ["a", "b"], rows, columns, values)
    for array in (rows, columns, values):
        array[0] = 1

    assert table.counts.toarray().tolist() == [[5, 0], [0, 7]]


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_what_is_pickled_or_copied_is_the_same_table_and_cannot_be_changed_either(table: Contingency) -> None:
    scores(table)
    for other in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table), copy.copy(table)):
        assert other == table
        assert not other.values.flags.writeable
        assert not other._memo  # what was computed is not sent along
        for name, value in scores(table).items():
            np.testing.assert_array_equal(scores(other)[name], value, err_msg=name)


def test_rows_left_out_and_reweighted_classes_go_with_a_pickled_table() -> None:
    table = Contingency.from_labels(["a", "b", None, "b"], ["a", "b", "b", "a"]).with_prevalence("equal")
    other = pickle.loads(pickle.dumps(table))
    assert dict(other.ignored) == dict(table.ignored)
    assert other.reweighting.origin == table.reweighting.origin
    with pytest.raises(TypeError):
        other.ignored["reason"] = 1
