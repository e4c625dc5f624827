"""A name for what was counted: equal tables have equal hashes, on any machine and in any storage."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from infoscope.tables.contingency import Contingency
from infoscope.tables.labels import Label

__all__ = ["data_hash"]


def data_hash(*tables: Contingency) -> str:
    """SHA-256 of the labels and of the cells that are not empty, in the order of the tables.

    >>> one = Contingency.from_labels(["a", "b", "b"], ["a", "b", "a"])
    >>> other = Contingency.from_labels(["b", "a", "b"], ["a", "a", "b"])  # the same rows in another order
    >>> data_hash(one) == data_hash(other), data_hash(one)[:14]
    (True, 'sha256:4ad104a')
    """
    found = hashlib.sha256()
    for table in tables:
        for side in (table.truth_labels, table.system_labels):
            found.update(_written(side))
        cells = np.asarray(table.cells, dtype="<f8")
        filled = np.flatnonzero((cells != 0).reshape(-1, cells.shape[-1]).any(axis=0))
        places = (table.cell_rows[filled], table.cell_columns[filled])
        for part in (*places, np.array([len(filled)])):
            found.update(np.asarray(part, dtype="<i8").tobytes())
        found.update(np.ascontiguousarray(cells[..., filled]).tobytes())
    return f"sha256:{found.hexdigest()}"


def _written(labels: Iterable[Label]) -> bytes:
    """Labels with their kind: the number 1 is not the text "1"."""
    return "\x1e".join(f"{type(label).__name__}\x1f{label}" for label in labels).encode("utf-8", "surrogatepass")
