"""A counter that sees batches has the table of all rows."""

import datetime as dt
import itertools
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infoscope import Contingency, Counter
from infoscope.errors import InputError

batches = st.lists(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abce")), max_size=6), max_size=8)


def filled(parts: list[list[tuple[str, str]]]) -> Counter:
    counter = Counter()
    for part in parts:
        counter.update([truth for truth, _ in part], [system for _, system in part])
    return counter


@settings(deadline=None, max_examples=50)
@given(batches)
def test_batches_are_the_table_of_all_rows(parts: list[list[tuple[str, str]]]) -> None:
    rows = [row for part in parts for row in part]
    assume(rows)
    whole = Contingency.from_labels([truth for truth, _ in rows], [system for _, system in rows])
    table = filled(parts).table()

    assert table.truth_labels == whole.truth_labels
    assert (table.counts == whole.counts).all()


@settings(deadline=None, max_examples=50)
@given(batches, batches)
def test_merged_counters_are_the_counter_of_both(one: list, other: list) -> None:
    first, second = filled(one), filled(other)
    first.merge(second)

    assert (first.table().counts == filled(one + other).table().counts).all()
    assert (second.table().counts == filled(other).table().counts).all()


@pytest.mark.slow
def test_memory_does_not_grow_with_rows() -> None:
    counter = Counter()
    rng = np.random.default_rng(0)
    sizes = []
    for _ in range(3):
        for _ in range(2000):
            counter.update(rng.integers(0, 10, 32), rng.integers(0, 10, 32))
        counter.table()
        sizes.append(len(pickle.dumps(counter)))

    assert sizes[2] < 1.2 * sizes[0]
    assert counter.table().total == 3 * 2000 * 32


def test_labels_may_grow_while_tables_are_taken() -> None:
    counter = Counter()
    counter.update([1, 2], [1, 1])
    early = counter.table()
    counter.update([3], [2])

    assert early.truth_labels == (1, 2)
    assert counter.table().truth_labels == (1, 2, 3)


def test_weights_and_holes() -> None:
    counter = Counter()
    counter.update(["a", "b", None, "a"], ["a", "a", "a", "b"], sample_weight=[0.5, 2.0, 1.0, None])
    table = counter.table()

    assert table.counts.tolist() == [[0.5, 0], [2, 0]]
    assert dict(table.ignored) == {"missing label in truth": 1, "missing weight": 1}
    assert table.weight_squares == 4.25


def test_weights_and_holes_of_merged_counters_add_up() -> None:
    one, other = Counter(), Counter()
    one.update(["a", None, "b"], ["a", "a", "a"], sample_weight=[0.5, 1.0, 2.0])
    other.update(["a", None, "a"], ["a", "a", None], sample_weight=[3.0, 1.0, 1.0])
    one.table()  # counted, no longer kept as rows
    one.merge(other)
    table = one.table()

    assert table.counts.tolist() == [[3.5, 0], [2, 0]]
    assert table.weight_squares == 0.5**2 + 2.0**2 + 3.0**2
    assert dict(table.ignored) == {"missing label in truth": 2, "missing label in system": 1}


def test_nan_labels_do_not_pile_up() -> None:
    counter = Counter()
    counter.update(np.full(20_000, np.nan), np.zeros(20_000))

    assert dict(counter.table().ignored) == {"missing label in truth": 20_000}


@pytest.mark.parametrize(
    ("before", "batch", "said"),
    [
        ((["a"], ["a"]), (["a"], ["a", "b"]), "1 truth labels and 2 system labels"),
        ((["a"], ["a"]), ("cat", "cat"), "truth is a single str"),
        ((["a"], ["a"]), (np.zeros((2, 2)), np.zeros((2, 2))), "not one-dimensional"),
        ((["a"], ["a"]), ([["a"]], ["b"]), "a list or a record"),
        ((["a"], ["a"]), ({"a", "b"}, ["a", "b"]), "truth is a set, which has no order"),
        ((["a"], ["a"]), (["a"], ["a"], [1.0]), "give weights to all"),
        ((["a"], ["a"], [2.0]), (["b"], ["b"]), "give weights to all"),
        ((["a"], ["a"], [2.0]), (["b", "b"], ["b", "b"], [1.0, -1.0]), "not negative"),
        ((["a"], ["a"], [2.0]), (["b", "b"], ["b", "b"], [1.0, float("inf")]), "a weight is inf; weights are finite"),
        ((["a"], ["a"], [2.0]), (["b", "b"], ["b", "b"], [1.0, "2"]), "a weight is the text '2'; give numbers"),
        ((["a"], ["a"], [2.0]), (["b", "b"], ["b", "b"], [1.0]), "a batch has 2 rows and 1 weights"),
        (None, (["b"], ["b"], [-1.0]), "not negative"),
        (None, ([["a"]], ["b"]), "a list or a record"),
        (None, (["b"], ["b"], ["1"]), "a weight is the text '1'; give numbers"),
    ],
)
def test_a_rejected_batch_leaves_no_trace(before: tuple | None, batch: tuple, said: str) -> None:
    """Nor does it settle whether there are weights."""
    counter = Counter()
    if before:
        counter.update(*before)
    with pytest.raises(InputError, match=said):
        counter.update(*batch)

    if not before:
        before = (["a"], ["a"])
        counter.update(*before)
    assert counter.table().truth_labels == ("a",)
    assert counter.table().counts.tolist() == [[2.0 if len(before) > 2 else 1]]


@pytest.mark.parametrize(
    ("truth", "system", "said"),
    [
        ([True], [1], "look alike"),
        ([1], ["1"], "look alike"),
        ([True, 1], ["a", "a"], "truth mixes booleans and numbers"),
        ([np.True_, 1], [1, 1], "truth mixes booleans and numbers"),
    ],
)
def test_labels_without_one_meaning_are_rejected(truth: list, system: list, said: str) -> None:
    counter = Counter()
    counter.update(truth, system)

    with pytest.raises(InputError, match=said):
        counter.table()


def test_weighted_batches_are_the_table_of_all_rows() -> None:
    rng = np.random.default_rng(0)
    truth, system, weights = rng.integers(0, 5, 20_000), rng.integers(0, 5, 20_000), rng.random(20_000)
    counter = Counter()
    for start in range(0, 20_000, 7):
        part = slice(start, start + 7)
        counter.update(truth[part], system[part], sample_weight=weights[part])
    whole = Contingency.from_labels(truth, system, sample_weight=weights)

    np.testing.assert_allclose(counter.table().counts, whole.counts, rtol=1e-12)
    assert counter.table().weight_squares == pytest.approx(whole.weight_squares)


def test_counters_with_other_reject_labels_do_not_merge() -> None:
    mine, other = Counter(reject="?"), Counter(reject="none")
    other.update(["a"], ["none"])

    with pytest.raises(InputError, match=r"different reject labels, '\?' and 'none'"):
        mine.merge(other)


def test_lists_are_counted_without_a_look_at_indexes_and_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches of a stream come as lists: these looks took five times as long as the counting."""

    def reject(*_: object) -> None:
        raise AssertionError("lists have neither")

    for name in ("check_pairing", "check_devices", "are_on_device"):
        monkeypatch.setattr(f"infoscope.readers.counter.{name}", reject)
    counter = Counter()
    counter.update(["a", "b"], ["a", "a"])

    assert counter.table().total == 2
    with pytest.raises(AssertionError, match="neither"):
        counter.update(np.array(["a"]), ["a"])


@pytest.mark.parametrize("swap", [False, True])
def test_stated_midnights_are_found_where_one_side_alone_has_other_times(swap):
    """A reject label at midnight was a date of its own without a row, and its rows counted as errors."""
    first, second, later = (dt.datetime(2020, 1, day, hour) for day, hour in ((1, 0), (2, 0), (3, 5)))
    truth, system = [second, second] * 3, [second, first, later, second, first, second]
    if not swap:
        truth, system = [second, later] * 3, [second, first, second, second, first, second]
    for reject in (first, first.date()):
        counter = Counter(reject=reject)
        counter.update(truth, system)
        found, expected = counter.table(), Contingency.from_labels(truth, system, reject=reject)
        assert found == expected
        assert found.column_totals[found.reject_column] == 2
    counter = Counter(positive=second)
    counter.update(truth, system)
    assert counter.table().positive == Contingency.from_labels(truth, system, positive=second).positive


def test_a_reject_label_beside_stated_classes_is_spelt_as_they_are():
    counter = Counter(labels=["0", "1"], reject=9)
    counter.update(["0", "1", "1"], ["0", "9", "1"])

    assert counter.table().reject == "9"
    assert counter.table().total == 3


DAY, NEXT = dt.date(2020, 1, 2), dt.date(2020, 1, 3)
MOMENTS: dict[str, Any] = {
    "day": DAY,
    "next day": NEXT,
    "midnight": dt.datetime(2020, 1, 2),
    "morning": dt.datetime(2020, 1, 2, 5),
    "day of NumPy": np.datetime64("2020-01-02"),
    "morning of NumPy": np.datetime64("2020-01-02T05"),
    "midnight of pandas": pd.Timestamp("2020-01-02"),
    "text": "a",
    "none": None,
}


@pytest.mark.parametrize("first", MOMENTS)
@pytest.mark.filterwarnings("ignore")
def test_days_and_times_are_those_of_tables_of_labels_in_any_order(first: str) -> None:
    """Of rows that lack the other label as well, in one batch and row by row."""
    for others in itertools.product(MOMENTS.values(), repeat=3):
        truth, system = [MOMENTS[first], others[0]], [*others[1:]]
        if any(None in row and "a" in row for row in zip(truth, system, strict=True)):
            continue  # a kind of label that no row has that counts
        try:
            expected = Contingency.from_labels(truth, system)
        except InputError as error:
            if "no row" not in str(error) and "mixes" in str(error):
                for batches in ([(truth, system)], [([a], [b]) for a, b in zip(truth, system, strict=True)]):
                    counter = Counter()
                    for batch in batches:
                        counter.update(*batch)
                    with pytest.raises(InputError):
                        counter.table()
            continue
        for batches in ([(truth, system)], [([a], [b]) for a, b in zip(truth, system, strict=True)]):
            counter = Counter()
            for batch in batches:
                counter.update(*batch)
            found = counter.table()
            assert (found.truth_labels, found.system_labels) == (expected.truth_labels, expected.system_labels)
            assert list(map(type, found.system_labels)) == list(map(type, expected.system_labels))
            assert found.values.tolist() == expected.values.tolist()


def test_stated_days_and_midnights_are_one() -> None:
    for stated in (DAY, dt.datetime(2020, 1, 2)):
        for label in (DAY, dt.datetime(2020, 1, 2), np.datetime64("2020-01-02")):
            counter = Counter(labels=[stated, NEXT if stated is DAY else dt.datetime(2020, 1, 3)])
            counter.update([label, label], [label, label])
            assert counter.table().values.tolist() == [[2, 0], [0, 0]]
