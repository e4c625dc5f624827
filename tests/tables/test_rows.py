"""Rows: counted distinct rows that merge, and every pair's table from them."""

import warnings
from itertools import combinations
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoscope import Contingency
from infoscope.errors import MissingLabelsWarning
from tests.api import Rows, pair_counts
from tests.api import rows as distinct_rows

LABELS = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d"]))


@st.composite
def columns(draw: st.DrawFn, max_columns: int = 6) -> dict[str, list[str | None]]:
    width = draw(st.integers(2, max_columns))
    rows = draw(st.integers(1, 30))
    return {f"c{at}": draw(st.lists(LABELS, min_size=rows, max_size=rows)) for at in range(width)}


def plain_counts(data: dict[str, list[str | None]]) -> dict[tuple[str | None, ...], int]:
    counts: dict[tuple[str | None, ...], int] = {}
    for row in zip(*data.values(), strict=True):
        counts[row] = counts.get(row, 0) + 1
    return counts


def read_back(found: Rows) -> dict[tuple[object, ...], float]:
    rows = {}
    for codes, count in zip(found.codes.T, found.counts, strict=True):
        rows[tuple(None if c < 0 else labels[c] for c, labels in zip(codes, found.labels, strict=True))] = count
    assert len(rows) == len(found)
    return rows


@settings(max_examples=60, deadline=None)
@given(columns())
def test_rows_are_counted_as_plain_python_counts_them(data: dict[str, list[str | None]]) -> None:
    assert read_back(Rows.from_columns(data)) == plain_counts(data)


@settings(max_examples=40, deadline=None)
@given(columns(), st.randoms(use_true_random=False))
def test_patterns_in_order_do_not_depend_on_the_order_of_rows(
    data: dict[str, list[str | None]], random: Random
) -> None:
    rows = list(zip(*data.values(), strict=True))
    random.shuffle(rows)
    shuffled = {name: [row[at] for row in rows] for at, name in enumerate(data)}
    one, other = (Rows.from_columns(each).in_order() for each in (data, shuffled))

    assert one.labels == other.labels
    assert np.array_equal(one.codes, other.codes)
    assert np.array_equal(one.counts, other.counts)
    assert read_back(one) == plain_counts(data)


@settings(max_examples=40, deadline=None)
@given(columns(), st.integers(0, 30))
def test_patterns_of_two_parts_add_up(data: dict[str, list[str | None]], cut: int) -> None:
    whole = Rows.from_columns(data)
    one = Rows.from_columns({name: values[:cut] for name, values in data.items()})
    two = Rows.from_columns({name: values[cut:] for name, values in reversed(data.items())})

    assert (one + two).names == whole.names
    assert read_back(one + two) == read_back(whole)
    assert sum([one, two]).total == whole.total


@settings(max_examples=40, deadline=None)
@given(columns(9))
def test_pair_tables_are_those_of_the_rows(data: dict[str, list[str | None]]) -> None:
    found = Rows.from_columns(data)
    pairs = {(a, b): cells for a, b, cells in found.count_pairs()}
    assert set(pairs) == set(combinations(range(len(data)), 2))
    for (a, b), cells in pairs.items():
        rows = [(x, y) for x, y in zip(*(list(data.values())[at] for at in (a, b)), strict=True) if x and y]
        assert cells.total == len(rows)
        dense = cells.dense()
        for i, first in enumerate(found.labels[a]):
            for j, second in enumerate(found.labels[b]):
                assert dense[i, j] == rows.count((first, second))
        if rows:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MissingLabelsWarning)
                direct = Contingency.from_labels(*(list(data.values())[at] for at in (a, b)))
            assert found.table(a, b) == direct


@pytest.mark.parametrize("sizes", [(3,) * 30, (2, 300, 5, 300, 2), (2, 70_000, 3, 90_000)])
def test_many_and_wide_columns(sizes: tuple[int, ...]) -> None:
    """More groups than one, tables too large for a group, and tables too large to be whole."""
    rng = np.random.default_rng(5)
    codes = np.array([rng.integers(-1, size, 4_000) for size in sizes])
    counts = rng.integers(1, 4, 4_000)
    labels = {f"c{at}": range(size) for at, size in enumerate(sizes)}
    found = Rows.from_codes(labels, codes, counts)

    assert found.total == counts.sum()
    for a, b, cells in found.count_pairs():
        both = (codes[a] >= 0) & (codes[b] >= 0)
        keys, place = np.unique(codes[a, both] * sizes[b] + codes[b, both], return_inverse=True)
        order = np.lexsort([cells.columns, cells.rows])
        assert (cells.rows * sizes[b] + cells.columns)[order].tolist() == keys.tolist()
        assert cells.values[order].tolist() == np.bincount(place, counts[both]).tolist()


def test_wide_tables_are_sparse(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    codes = np.array([rng.integers(-1, 40, 500), rng.integers(0, 3, 500), rng.integers(0, 2, 500)])
    found = Rows.from_codes({"a": range(40), "b": range(3), "c": range(2)}, codes)
    whole = {(a, b): cells.dense() for a, b, cells in found.count_pairs()}
    monkeypatch.setattr(pair_counts, "DENSE_CELLS", 1)
    monkeypatch.setattr(pair_counts, "GROUP_LEVELS", 6)
    codes = np.repeat(codes, 2, axis=1)[:, :20]  # so few rows that no table is worth while
    few = Rows.from_codes({"a": range(40), "b": range(3), "c": range(2)}, codes)
    scattered = {(a, b): cells.dense() for a, b, cells in few.count_pairs()}

    assert set(whole) == set(scattered)
    for (a, b), table in scattered.items():
        both = codes[a] >= 0
        assert table.sum() == both.sum()
        assert all(table[x, y] > 0 for x, y in codes[[a, b]][:, both].T)


def test_rows_with_one_hash_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 2, (130, 50))
    codes = np.hstack([codes, codes[:, :20]])
    labels = {f"c{at}": ("no", "yes") for at in range(130)}
    right = read_back(Rows.from_codes(labels, codes))
    monkeypatch.setattr(distinct_rows, "HASH_FACTOR", np.uint64(0))
    doctored = codes.copy()
    doctored[0, :10] = 1 - doctored[0, :10]  # only the first word differs from the copy

    assert sorted(right.values())[-1] == 2
    assert read_back(Rows.from_codes(labels, codes)) == right
    assert len(Rows.from_codes(labels, doctored)) == len(np.unique(doctored, axis=1).T)


def test_kinds_of_columns_and_their_gaps() -> None:
    found = Rows.from_columns(
        {
            "text": ["x", "y", None],
            "floats": np.array([1.0, np.nan, 3.0]),
            "large": np.array([7, 10**15, 7]),
            "category": pd.Categorical(["u", None, "u"], categories=["t", "u"]),
            "flag": np.array([True, False, True]),
        }
    )
    assert found.labels == (("x", "y"), (1, 3), (7, 10**15), ("u",), (False, True))
    assert read_back(found) == {
        ("x", 1, 7, "u", True): 1,
        ("y", None, 10**15, None, False): 1,
        (None, 3, 7, "u", True): 1,
    }
    assert found.complete().total == 1
    assert found.entropy(["large"]) == pytest.approx(0.9182958, abs=1e-6)
    assert found.entropy(["text", "floats"]) == 0.0
    assert found.entropy([]) == 0.0


def test_weights_add_up_with_their_squares() -> None:
    data = {"a": ["x", "x", "y"], "b": ["x", "x", "x"]}
    found = Rows.from_columns(data, sample_weight=[0.5, 1.5, 2.0])

    assert read_back(found) == {("x", "x"): 2.0, ("y", "x"): 2.0}
    assert found.sample_size == pytest.approx(16 / 6.5)
    assert (found + found).sample_size == pytest.approx(32 / 6.5)
    assert found.table("a", "b").sample_size == pytest.approx(16 / 6.5)


def test_labels_with_one_meaning_become_one() -> None:
    found = Rows.from_columns({"a": ["X", "x", "-"], "b": ["x", "x", "y"]})
    assert found.labels == (("-", "X", "x"), ("x", "y"))
    tidy = found.relabel({"a": [None, "x", "x"]}).sort_labels().merge()

    assert read_back(tidy) == {("x", "x"): 2, (None, "y"): 1}
    assert tidy.on(["y", "x"]).labels == (("y", "x"), ("y", "x"))
    assert read_back(tidy.on(["y", "x"])) == read_back(tidy)
    assert read_back(tidy.select(["b"])) == {("x",): 2, ("y",): 1}
