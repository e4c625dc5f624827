"""Random tables: small and awkward ones, with empty classes, single classes and rejections among them."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from infoscope import Contingency
from tests.api import construction

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
    with patch.object(construction, "DENSE_CELLS", 0):
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


# ── tables at the edges of what numbers can hold ──

LARGE_COUNTS = st.one_of(
    st.just(0),
    st.integers(0, 9),
    st.integers(0, 10**9),
    st.integers(10**15, 10**16),
    st.integers(10**16 - 3, 10**16 + 3),
    st.integers(10**16, 6 * 10**16),
)
"""Integers, also such that a float rounds and whose sums reach 10^18."""

WEIGHTS = st.one_of(
    st.just(0.0),
    st.sampled_from([1e-300, 1e-130, 1.0, 1e200, 1e300]),
    st.floats(0.0, 1.0).filter(lambda x: x == 0 or x > 1e-300),
    st.floats(-300, 300).map(lambda exponent: 10.0**exponent),
)
"""Weights over 600 orders of magnitude."""


@st.composite
def extreme_matrices(draw: st.DrawFn) -> list[list[float]]:
    """Huge counts, weights of any size, nearly perfect, nearly independent, nearly empty ones."""
    k = draw(st.integers(1, 4))
    m = draw(st.sampled_from([k, k, k + 1, 1, 3]))
    cells = draw(st.sampled_from([LARGE_COUNTS, LARGE_COUNTS, WEIGHTS, WEIGHTS]))
    kind = draw(st.sampled_from(["any", "any", "one cell", "one class", "nearly perfect", "nearly independent"]))
    if kind == "nearly independent":
        sides = st.one_of(st.integers(1, 10**8), st.floats(1e-20, 1.0), st.floats(1e-3, 1.0))
        rows, columns = (draw(st.lists(sides, min_size=n, max_size=n)) for n in (k, m))
        matrix = [[a * b for b in columns] for a in rows]
        matrix[0][0] += draw(st.integers(0, 5)) if isinstance(matrix[0][0], int) else 0
        return matrix
    matrix = [[0.0 if cells is WEIGHTS else 0] * m for _ in range(k)]
    for i in range(k):
        for j in range(m):
            if kind == "any" or (kind == "one class" and i == 0) or (kind == "nearly perfect" and i == j):
                matrix[i][j] = draw(cells)
    if kind in {"one cell", "nearly perfect"} or not any(map(any, matrix)):
        i, j = draw(st.integers(0, k - 1)), draw(st.integers(0, m - 1))
        matrix[i][j] = draw(cells.filter(bool))
    return matrix


@st.composite
def extreme_tables(draw: st.DrawFn) -> Contingency:
    """A table of such a matrix, with a reject column now and then."""
    matrix = draw(extreme_matrices())
    k, m = len(matrix), len(matrix[0])
    return Contingency.from_matrix(matrix, reject=k if m == k + 1 and draw(st.booleans()) else None)
