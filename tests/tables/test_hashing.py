"""Names of what was counted: they change with everything that a table says, and with nothing else."""

from pathlib import Path

import numpy as np
import pytest

from infoscope import Contingency
from tests.api import hash_tables
from tests.strategies import stored_sparse

COUNTS = [[5, 1, 0], [2, 8, 3]]
LABELS = {"truth": ["a", "b"], "system": ["a", "b", "c"]}


@pytest.mark.parametrize(
    "changed",
    [
        {"truth": ["a", "x"]},
        {"truth": ["b", "a"]},
        {"system": ["a", "b", "x"]},
        {"system": ["b", "a", "c"]},
        {"truth": [1, 2], "system": [1, 2, 3]},
    ],
    ids=str,
)
def test_labels_of_either_side_count(changed: dict[str, list[object]]) -> None:
    assert hash_tables(Contingency.from_matrix(COUNTS, **LABELS)) != hash_tables(
        Contingency.from_matrix(COUNTS, **{**LABELS, **changed})
    )


def test_numbers_and_their_places_count() -> None:
    found = {
        hash_tables(Contingency.from_matrix(counts, **LABELS))
        for counts in (COUNTS, [[5, 0, 1], [2, 8, 3]], [[5, 1, 0], [2, 8, 4]], np.multiply(COUNTS, 2))
    }
    assert len(found) == 4


def test_the_order_of_several_tables_counts() -> None:
    one, other = Contingency.from_matrix(COUNTS, **LABELS), Contingency.from_matrix(np.add(COUNTS, 1), **LABELS)

    assert len({hash_tables(one, other), hash_tables(other, one), hash_tables(one), hash_tables(one, one)}) == 4


def test_storage_and_type_of_the_numbers_do_not_count() -> None:
    table = Contingency.from_matrix(COUNTS, **LABELS)

    assert hash_tables(stored_sparse(table)) == hash_tables(table)
    assert hash_tables(Contingency.from_matrix(np.array(COUNTS, float), **LABELS)) == hash_tables(table)


def test_a_table_without_labels_is_stored_and_read(tmp_path: Path) -> None:
    none = np.zeros(0, dtype=np.int64)
    empty = Contingency.from_cells((), (), none, none, none)
    empty.save(tmp_path / "empty.ifs")
    assert Contingency.load(tmp_path / "empty.ifs") == empty
    assert hash_tables(empty) != hash_tables(Contingency.from_labels(["a"], ["a"]))
