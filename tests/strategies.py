"""Random tables: small and awkward ones, with empty classes, single classes and rejections among them."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from infoscope.tables import Contingency, building

COUNTS = st.one_of(st.just(0), st.integers(0, 9), st.integers(0, 10_000))
"""Half of all cells are empty or nearly so."""


@st.composite
def matrices(draw: st.DrawFn, rows: int | None = None, columns: int | None = None) -> NDArray[np.int64]:
    """Counts, not all 0, of one to four classes a side."""
    k = draw(st.integers(1, 4)) if rows is None else rows
    m = draw(st.integers(1, 4)) if columns is None else columns
    values = draw(st.lists(COUNTS, min_size=k * m, max_size=k * m).filter(any))
    return np.array(values, dtype=np.int64).reshape(k, m)


@st.composite
def tables(draw: st.DrawFn, *, square: bool = False, rejecting: bool | None = None) -> Contingency:
    """A table; where ``rejecting``, its last column holds the rejections."""
    k = draw(st.integers(1, 4))
    rejects = draw(st.booleans()) if rejecting is None and not square else bool(rejecting)
    if rejects:
        return Contingency.from_matrix(draw(matrices(k, k + 1)), reject=k)
    return Contingency.from_matrix(draw(matrices(k, k if square else None)))


def square_tables() -> st.SearchStrategy[Contingency]:
    """Classifiers without rejections."""
    return tables(square=True)


def binary_tables() -> st.SearchStrategy[Contingency]:
    """Detectors."""
    return matrices(2, 2).map(Contingency.from_matrix)


@st.composite
def perfect_tables(draw: st.DrawFn, classes: int | None = None) -> Contingency:
    """Always right, about two classes or more, one of them with two samples or more."""
    k = draw(st.integers(2, 5)) if classes is None else classes
    counts = draw(st.lists(st.integers(1, 10**6), min_size=k, max_size=k).filter(lambda n: max(n) > 1))
    return Contingency.from_matrix(np.diag(counts))


@st.composite
def independent_tables(draw: st.DrawFn, classes: int | None = None) -> Contingency:
    """Answers that do not depend on the truth; both sides use two classes or more."""
    k = draw(st.integers(2, 4)) if classes is None else classes
    sides = st.lists(st.integers(0, 1000), min_size=k, max_size=k).filter(lambda n: np.count_nonzero(n) > 1)
    return Contingency.from_matrix(np.outer(draw(sides), draw(sides)))


@st.composite
def batches(draw: st.DrawFn) -> Contingency:
    """Three tables of one shape."""
    k, m = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    reject = k if m == k + 1 and draw(st.booleans()) else None
    return Contingency.from_matrix(np.stack([draw(matrices(k, m)) for _ in range(3)]), reject=reject)


def stored_sparse(table: Contingency) -> Contingency:
    """The same table, keeping only cells with data."""
    rows, columns = np.nonzero(table.counts)
    with patch.object(building, "DENSE_CELLS", 0):
        sparse = Contingency.from_cells(
            table.truth_labels,
            table.system_labels,
            rows,
            columns,
            np.asarray(table.counts)[rows, columns],
            reject=table.reject,
            positive=table.positive,
            declared=True,
        )
    assert sparse.is_sparse
    return replace(sparse, labelled=table.labelled)


def label_rows() -> st.SearchStrategy[tuple[list[str], list[str]]]:
    """Rows of text labels, truth and system of equal length."""
    pairs = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcde")), min_size=1, max_size=30)
    return pairs.map(lambda rows: ([t for t, _ in rows], [s for _, s in rows]))
