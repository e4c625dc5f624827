"""A table as an Arrow stream, which other libraries read without infoscope."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from infoscope import Contingency
from infoscope.errors import InputError

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("truth", [["cat", "dog"], [1, 2], ["cat", 2]], ids=["text", "numbers", "both"])
def test_a_dense_table_has_a_row_per_cell(truth: list[str | int]) -> None:
    found = pa.table(Contingency.from_matrix([[3, 1], [0, 4]], truth=truth))
    first, second = truth if len({type(label) for label in truth}) == 1 else map(str, truth)

    assert found.to_pydict() == {
        "truth": [first, first, second, second],
        "system": [first, second, first, second],
        "count": [3, 1, 0, 4],
    }


def test_a_sparse_table_has_a_row_per_counted_cell() -> None:
    labels = range(3000)
    found = pa.table(Contingency.from_cells(labels, labels, [5, 7], [5, 9], [2.5, 4.0]))

    assert found.to_pydict() == {"truth": [5, 7], "system": [5, 9], "count": [2.5, 4.0]}


def test_a_batch_and_a_missing_library_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Contingency.from_matrix([[3, 1], [0, 4]], truth=["cat", "dog"])
    with pytest.raises(InputError, match="a batch of tables"):
        pa.table(table.with_cells(np.ones((2, 4))))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match="pip install"):
        table.__arrow_c_stream__()
