"""Rows to tables: every kind of sequence, every kind of label, and what is rejected."""

import datetime
import warnings
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn.metrics import confusion_matrix

import infoscope as ifs
from infoscope import Contingency, InputError, MissingLabelsWarning, read
from infoscope.metrics import accuracy, f1
from tests.api import counting

TRUTH = ["x", "y", None, "x", "y", "x"]
SYSTEM = ["x", "x", "y", "z", None, "x"]

CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "object array": lambda v: np.array(v, dtype=object),
    "pandas object": lambda v: pd.Series(v, dtype=object),
    "pandas str": lambda v: pd.Series(v, dtype="str"),
    "pandas category": lambda v: pd.Series(v, dtype="category"),
    "pandas Categorical": pd.Categorical,
    "polars String": pl.Series,
    "polars Categorical": lambda v: pl.Series(v).cast(pl.Categorical),
    "polars Enum": lambda v: pl.Series(v).cast(pl.Enum(["z", "y", "x", "unused"])),
    "arrow string": pa.array,
    "arrow large string": lambda v: pa.array(v, pa.large_string()),
    "arrow dictionary": lambda v: pa.array(v).dictionary_encode(),
    "arrow chunks": lambda v: pa.chunked_array([pa.array(v[:3]), pa.array(v[3:])]),
    "arrow dictionary chunks": lambda v: pa.chunked_array(
        [pa.array(v[:3]).dictionary_encode(), pa.array(v[3:]).dictionary_encode()]
    ),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_every_container_gives_the_same_table_and_counts_missing_rows(container):
    table = Contingency.from_labels(container(TRUTH), container(SYSTEM))

    assert table.truth_labels == table.system_labels == ("x", "y", "z")
    assert table.counts.tolist() == [[2, 0, 1], [1, 0, 0], [0, 0, 0]]
    assert dict(table.ignored) == {"missing truth label": 1, "missing system label": 1}


@pytest.mark.parametrize(
    ("labels", "container"),
    [
        pytest.param([3, 1, 2], np.array, id="int64"),
        pytest.param([3, 1, 2], lambda v: np.array(v, dtype=np.uint8), id="uint8"),
        pytest.param([-5, 0, 10**12], np.array, id="wide range"),
        pytest.param([-(2**62), 0, 2**62], np.array, id="range of all integers"),
        pytest.param([2**63 + 1, 5, 7], lambda v: np.array(v, dtype=np.uint64), id="beyond signed integers"),
        pytest.param([3, 1, 2], lambda v: pd.Series(v, dtype="Int64"), id="nullable integers"),
        pytest.param([3, 1, 2], lambda v: np.array(v, dtype=float), id="whole floats become integers"),
        pytest.param([1.5, 2.5, 0.25], np.array, id="floats"),
        pytest.param([True, False, True], np.array, id="booleans"),
        pytest.param([True, False, True], pl.Series, id="polars booleans"),
        pytest.param(["b", "a", "ä"], np.array, id="text array"),
        pytest.param([datetime.date(2020, 1, d) for d in (3, 1, 2)], list, id="dates"),
        pytest.param(
            [datetime.date(2020, 1, d) for d in (3, 1, 2)],
            lambda v: np.array(v, dtype="datetime64[D]"),
            id="datetime64",
        ),
    ],
)
def test_labels_are_sorted_and_keep_their_kind(labels, container):
    truth = [labels[0], labels[1], labels[2], labels[0]]
    system = [labels[0], labels[1], labels[0], labels[1]]

    table = Contingency.from_labels(container(truth), container(system))

    assert table.truth_labels == tuple(sorted(set(labels)))
    assert {type(label) for label in table.truth_labels} <= {type(label) for label in labels} | {int}
    expected = Counter(zip(truth, system, strict=True))
    for (i, j), count in expected.items():
        assert table.counts[table.truth_labels.index(i), table.system_labels.index(j)] == count


def test_missing_integers_are_left_out_not_turned_into_a_class():
    table = Contingency.from_labels([1, None, 2], np.array([1.0, 2.0, np.nan]))

    assert table.truth_labels == (1,)
    assert dict(table.ignored) == {"missing truth label": 1, "missing system label": 1}


@pytest.mark.parametrize(
    ("truth", "system", "options", "labels"),
    [
        (["cat", "dog"], [0, 1], {}, (("cat", "dog"), (0, 1))),
        (["a", "b", "c"], ["a", "a", "a"], {}, (("a", "b", "c"),) * 2),
        (["a"], [1], {"labels": (["a", "b"], [1, 2, 3])}, (("a", "b"), (1, 2, 3))),
        (["a", "z"], ["a", "z"], {"reject": "b"}, (("a", "z"), ("a", "z", "b"))),
    ],
    ids=["no label in common", "a majority voter", "a list for each side", "the reject label is last, even if empty"],
)
def test_classes_of_each_side(truth, system, options, labels):
    table = Contingency.from_labels(truth, system, **options)

    assert (table.truth_labels, table.system_labels) == labels


def test_own_labels_keep_the_sides_apart():
    assert Contingency.from_labels([0, 1, 2], [0, 0, 5], labels="own").shape == (3, 2)


def test_declared_labels_keep_their_order_and_empty_classes():
    table = Contingency.from_labels(["a", "b"], ["b", "b"], labels=["c", "b", "a"])

    assert table.truth_labels == ("c", "b", "a")
    assert table.counts.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]


def test_weights_add_up_and_give_the_effective_size():
    table = Contingency.from_labels(["a", "a", "b"], ["a", "b", "b"], sample_weight=[0.5, 1.5, 2.0])

    assert table.counts.tolist() == [[0.5, 1.5], [0.0, 2.0]]
    assert table.sample_size == pytest.approx(4.0**2 / (0.25 + 2.25 + 4.0))


@pytest.mark.parametrize("label", [lambda x: x, str], ids=["numbers", "text"])
def test_a_row_without_weight_still_names_its_classes(label):
    truth, system = [label(x) for x in (0, 1, 1)], [label(x) for x in (0, 1, 2)]

    table = Contingency.from_labels(truth, system, sample_weight=[0.0, 1.0, 0.0])

    assert table.truth_labels == table.system_labels == tuple(label(x) for x in (0, 1, 2))
    assert table.total == 1


def test_integer_like_categories_count_as_scikit_learn_counts():
    rng = np.random.default_rng(3)
    truth, system = rng.integers(-3, 17, (2, 5000))

    assert np.array_equal(Contingency.from_labels(truth, system).counts, confusion_matrix(truth, system))


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int8, np.uint16])
@pytest.mark.parametrize("compiled", [True, False])
def test_both_counting_kernels_agree(monkeypatch, dtype, compiled):
    rng = np.random.default_rng(1)
    truth, system = rng.integers(0, 100, (2, 100_000)).astype(dtype)
    if not compiled:
        monkeypatch.setattr(counting, "get_scatter", lambda: counting._scatter_by_bincount)

    table = Contingency.from_labels(truth, system)

    keys = truth.astype(np.int64) * 100 + system
    assert np.array_equal(table.counts.ravel(), np.bincount(keys, minlength=10_000))


def test_a_late_outlier_is_not_lost_when_the_range_was_guessed():
    truth = np.zeros(3_000_000, dtype=np.int64)
    truth[-1] = 77
    system = np.zeros_like(truth)
    system[-2] = -4

    table = Contingency.from_labels(truth, system)

    assert table.truth_labels == (-4, 0, 77)
    assert table.total == 3_000_000
    assert table.counts[table.truth_labels.index(77), table.system_labels.index(0)] == 1


@pytest.mark.parametrize("weighted", [False, True])
def test_runs_longer_than_a_block_and_across_its_edge_are_counted_whole(weighted):
    rng = np.random.default_rng(3)
    block = counting._BLOCK
    lengths = [block - 1, 2, 3 * block + 5, 1, block, *rng.integers(1, 4, 2000)]
    truth = np.repeat(rng.permutation(10**6)[: len(lengths)], lengths)
    system = np.repeat(rng.integers(0, 10**6, len(lengths)), lengths)
    mixed = rng.permutation(len(truth))
    weight = np.full(len(truth), 0.5) if weighted else None

    table = Contingency.from_labels(truth[mixed], system[mixed], sample_weight=weight, labels="own")

    keys, counts = np.unique(truth * 10**6 + system, return_counts=True)
    named = (
        np.asarray(table.truth_labels)[table.cell_rows] * 10**6 + np.asarray(table.system_labels)[table.cell_columns]
    )
    assert table.is_sparse
    assert np.array_equal(named, keys)
    assert np.array_equal(table.cells, counts * (0.5 if weighted else 1.0))


@pytest.mark.slow
def test_a_million_labels_a_side_stay_sparse():
    rng = np.random.default_rng(0)
    truth, system = rng.integers(0, 10**6, (2, 10**5))

    table = Contingency.from_labels(truth, system)

    assert table.is_sparse
    assert table.total == 10**5
    assert table.cells.shape[0] <= 10**5
    assert table.row_totals.sum() == table.column_totals.sum() == 10**5


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1))
def test_a_table_is_the_count_of_its_rows(rows):
    table = Contingency.from_labels(*zip(*rows, strict=True))

    for (i, j), count in Counter(rows).items():
        assert table.counts[table.truth_labels.index(i), table.system_labels.index(j)] == count
    assert table.total == len(rows)


@pytest.mark.parametrize(
    ("truth", "system", "options", "message"),
    [
        pytest.param([1, 2], [1], {}, "truth has 2 rows and the system has 1", id="lengths differ"),
        pytest.param([], [], {}, "no rows", id="empty"),
        pytest.param([None], ["a"], {}, "none of the 1 rows", id="all missing"),
        pytest.param([1, 2], ["1", "2"], {}, "look alike but are different", id="1 and '1'"),
        pytest.param([True, False], [1, 0], {}, "look alike but are different", id="True and 1"),
        pytest.param([1, "1"], ["1", "1"], {}, "truth mixes int and text", id="mixed kinds"),
        pytest.param([1, True], [1, 1], {}, "truth mixes bool and int", id="True hides behind 1"),
        pytest.param([{1}, {2}], [1, 2], {}, "multilabel", id="label sets"),
        pytest.param([b"a"], ["a"], {}, "bytes", id="bytes"),
        pytest.param("abc", "abd", {}, "single str", id="one string"),
        pytest.param([[1, 2], [3, 4]], [1, 2], {}, "holds a list", id="nested list"),
        pytest.param(np.eye(2), np.eye(2), {}, "2 dimensions", id="matrix"),
        pytest.param([np.inf], [1.0], {}, "infinite", id="infinite label"),
        pytest.param(["a"], ["b"], {"sample_weight": [-1]}, "row 0 is -1", id="negative weight"),
        pytest.param(["a"], ["b"], {"sample_weight": [np.nan]}, "no row has a weight", id="no weight"),
        pytest.param(["a"], ["b"], {"sample_weight": [1, 2]}, "one weight for each", id="too many weights"),
        pytest.param(["a"], ["b"], {"sample_weight": ["x"]}, "else than numbers", id="weight as text"),
        pytest.param(["a"], ["b"], {"sample_weight": [0]}, "all weights are 0", id="no weight at all"),
        pytest.param(["a"], ["b"], {"labels": ["a"]}, "'b' is not among the declared", id="undeclared label"),
        pytest.param(["a"], ["b"], {"labels": ["a", "b", "a"]}, "declared twice", id="duplicate label"),
        pytest.param(["a"], ["a"], {"reject": "a"}, "occurs as a truth label", id="reject in truth"),
        pytest.param(["a"], ["a"], {"positive": "yes"}, "not among the classes", id="unknown positive"),
    ],
)
def test_bad_rows_are_rejected_with_the_way_out(truth, system, options, message):
    with pytest.raises(InputError, match=message):
        Contingency.from_labels(truth, system, **options)


def test_the_callers_array_is_not_changed_and_the_table_cannot_be():
    truth = np.array([0, 1, 1])
    table = Contingency.from_labels(truth, truth)

    assert truth.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        table.counts[0, 0] = 5
    with pytest.raises(AttributeError):
        table.reject = "x"


LABELS_OF_A_PART = [
    pytest.param(["a", "b", "c", "a", "b", None], ["a", "c", "c", "b", "b", "a"], ["b", "a"], id="text"),
    pytest.param([0, 1, 2, 0, 1], [0, 2, 2, 1, 1], [1, 0], id="whole numbers"),
    pytest.param([0, 10**9, 2, 0, 10**9], [0, 2, 2, 10**9, 10**9], [10**9, 0], id="far apart"),
]


@pytest.mark.parametrize(("truth", "system", "labels"), LABELS_OF_A_PART)
def test_labels_that_are_a_part_of_the_classes_leave_the_other_rows_out(truth, system, labels):
    weights = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0][: len(truth)]
    present = [i for i, label in enumerate(truth) if label is not None]
    known = [[each[i] for i in present] for each in (truth, system, weights)]
    table = Contingency.from_labels(truth, system, labels=labels)
    weighed = Contingency.from_labels(truth, system, labels=labels, sample_weight=weights)

    np.testing.assert_array_equal(table.counts, confusion_matrix(known[0], known[1], labels=labels))
    np.testing.assert_array_equal(
        weighed.counts, confusion_matrix(known[0], known[1], labels=labels, sample_weight=known[2])
    )
    assert table.truth_labels == tuple(labels)
    assert table.ignored["label not among labels="] == 2
    kept = [w for t, s, w in zip(*known, strict=True) if t in labels and s in labels]
    assert weighed.weight_squares == sum(w * w for w in kept)


def test_rejections_of_a_part_of_the_classes_stay():
    table = Contingency.from_labels(["a", "b", "c", "a"], ["a", "?", "c", "?"], labels=["a", "b"], reject="?")

    assert table.counts.tolist() == [[1, 0, 1], [0, 0, 1]]
    with pytest.warns(MissingLabelsWarning, match="1 row left out: label not among labels="):
        Contingency.from_labels(["a", "b", "c", "a"], ["a", "?", "c", "?"], labels=["a", "b"], reject="?")


@pytest.mark.parametrize("hole", [np.float32("nan"), np.float64("nan"), Decimal("NaN")], ids=repr)
def test_a_missing_number_of_any_type_is_no_class(hole: object) -> None:
    with pytest.warns(MissingLabelsWarning, match="1 row left out: missing truth label"):
        table = Contingency.from_labels([np.float32(1), hole, 2], [1, 1, 2])

    assert table.truth_labels == (1, 2)
    assert table.counts.tolist() == [[1, 0], [0, 1]]


def test_decimal_numbers_are_numbers_in_memory_as_in_files() -> None:
    numbers = [Decimal(1), Decimal("2.50"), Decimal("1E+2")]

    table = Contingency.from_labels(numbers, [1, 2.5, 100], positive=None)

    assert table.truth_labels == (1, 2.5, 100)
    assert Contingency.from_labels(pl.Series(numbers[:2]), pa.array(numbers[:2])).truth_labels == (1, 2.5)


def test_a_list_of_numpy_times_means_what_the_array_does() -> None:
    days = np.array(["2020-01-02", "2020-01-01", "NaT"], dtype="datetime64[ns]")
    with pytest.warns(MissingLabelsWarning, match="1 row left out: missing truth label"):
        table = Contingency.from_labels(
            list(days), pd.Series(pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-01"]))
        )

    assert table.truth_labels == (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2))
    assert table.counts.tolist() == [[1, 0], [0, 1]]


def test_a_column_of_a_sparse_matrix_and_of_half_floats() -> None:
    plain = Contingency.from_labels([1, 0, 1], [1, 1, 0])

    assert Contingency.from_labels(csr_array([[1], [0], [1]]), csr_matrix([[1], [1], [0]])) == plain
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Contingency.from_labels(np.array([1, 0, 1], dtype=np.float16), [1, 1, 0]) == plain


def test_classes_stated_as_a_set_are_sorted() -> None:
    names = [f"class {at}" for at in range(12)]
    table = Contingency.from_labels(names, names, labels=set(names))
    assert table.truth_labels == tuple(sorted(names))


WIDE = {
    "least Int64": (pl.Int64, [-(2**63), None, 5, 7, -(2**63) + 1]),
    "greatest UInt64": (pl.UInt64, [2**63 + 5, None, 5, 7, 2**64 - 1]),
}
if hasattr(pl, "Int128"):  # since polars 1.18
    WIDE |= {
        "Int128": (pl.Int128, [2**70, None, 5, 7, -(2**70)]),
        "Int128 without a gap": (pl.Int128, [2**70, 3, 5, 7, -(2**70)]),
    }


@pytest.mark.parametrize("kind", WIDE)
@pytest.mark.filterwarnings("ignore::infoscope.MissingLabelsWarning")
def test_whole_numbers_of_polars_at_the_ends_of_their_range(kind):
    dtype, values = WIDE[kind]
    side, other = pl.Series(values, dtype=dtype), pl.Series(values[::-1], dtype=dtype)
    expected = Contingency.from_labels(values, values[::-1])

    assert Contingency.from_labels(side, other) == expected
    assert read({"t": side, "p": other}, truth="t", system="p") == expected
    assert read(pl.DataFrame({"t": side, "p": other}), truth="t", system="p") == expected


def test_a_memory_view_of_text():
    labels = np.array(["a", "b", "a"])

    assert Contingency.from_labels(memoryview(labels), labels) == Contingency.from_labels(labels, labels)


def test_a_reject_label_of_another_kind_than_the_predictions_is_rejected_and_matched_in_files(tmp_path):
    truth, predicted = ["0", "1", "0", "1"] * 5, ["0", "9", "0", "1"] * 5
    for ask in (
        lambda: ifs.Contingency.from_labels(truth, predicted, reject=9),
        lambda: ifs.compare(truth, {"one": predicted, "two": truth}, reject=9),
    ):
        with pytest.raises(InputError, match=r"reject label is 9 \(int\) and the system says '9'.*give reject='9'"):
            ask()
    path = tmp_path / "rows.csv"
    path.write_text("t,s\n" + "".join(f"{t},{s}\n" for t, s in zip(truth, predicted, strict=True)))
    assert ifs.read(path, truth="t", system="s", reject=9) == ifs.Contingency.from_labels(truth, predicted, reject="9")
    for positive in (0, 0.0):
        assert ifs.read(path, truth="t", system="s", reject=9, positive=positive).positive_label == "0"


MIDNIGHTS = [datetime.datetime(2020, 1, day) for day in (1, 2, 1, 2, 2)] * 4
NOONS = [datetime.datetime(2020, 1, 1, 12), *MIDNIGHTS[1:]]


@pytest.mark.parametrize(
    "holder",
    [list, lambda x: np.array(x, "M8[us]"), pd.Series, pl.Series, pa.array, lambda x: [pd.Timestamp(y) for y in x]],
    ids=["list", "numpy", "pandas", "polars", "pyarrow", "timestamps"],
)
def test_dates_and_times_are_one_kind_as_in_files(holder):
    days = [time.date() for time in MIDNIGHTS]
    assert Contingency.from_labels(holder(MIDNIGHTS), days) == Contingency.from_labels(days, days)
    assert float(accuracy(Contingency.from_labels(holder(NOONS), holder(MIDNIGHTS)))) == 0.95
    assert ifs.agreement({"a": holder(MIDNIGHTS), "b": days}, draws=0).krippendorff_alpha.value == 1.0
    two = ifs.compare(holder(NOONS), {"one": holder(MIDNIGHTS), "two": holder(NOONS)}, metrics="accuracy")
    assert [place.estimate.value for place in two.ranking[0].places] == [1.0, 0.95]


@pytest.mark.parametrize("positive", [MIDNIGHTS[1], MIDNIGHTS[1].date(), np.datetime64("2020-01-02")])
def test_a_stated_class_is_of_the_same_kind(positive):
    """A date that was stated kept the dates of the truth apart from the midnights of the system."""
    days = [time.date() for time in MIDNIGHTS]
    for system, right in ((MIDNIGHTS, 1.0), (days, 1.0), (NOONS, 0.95)):
        assert float(accuracy(Contingency.from_labels(days, system, positive=positive))) == right
    assert float(f1(days, MIDNIGHTS, pos_label=positive)) == 1.0
    two = ifs.compare(days, {"one": MIDNIGHTS, "two": [*days[1:], days[0]]}, metrics="f1", positive=positive)
    assert two.ranking[0].places[0].estimate.value == 1.0


@pytest.mark.parametrize("missing", [float("nan"), np.float32("nan"), np.datetime64("NaT"), pd.NA, pd.NaT])
def test_a_missing_value_is_no_label_that_can_be_stated(missing, tmp_path):
    """It was a class of its own that no row has, while the rows without a prediction were left out."""
    truth, predicted = [0.0, 1.0, 0.0], [0.0, 1.0, None]
    path = tmp_path / "rows.csv"
    path.write_text("t,s\n0,0\n1,1\n0,\n")
    for ask in (
        lambda: ifs.Contingency.from_labels(truth, predicted, reject=missing),
        lambda: ifs.Contingency.from_labels(truth, predicted, labels=[0, 1, missing]),
        lambda: ifs.compare(truth, {"one": predicted, "two": truth}, reject=missing),
        lambda: ifs.read(path, truth="t", system="s", reject=missing),
    ):
        with pytest.raises(InputError, match=r"(nan|<NA>|NaT) is the lack of a label; give rows without a label one"):
            ask()


@pytest.mark.parametrize("positive", [MIDNIGHTS[1], MIDNIGHTS[1].date(), np.datetime64("2020-01-02")])
@pytest.mark.parametrize("times", [MIDNIGHTS, [NOONS[0], MIDNIGHTS[1]] * 9])
def test_a_stated_class_is_of_the_same_kind_in_columns_and_finished_tables(positive, times):
    """A midnight was not among the dates of a data frame, nor a date among its midnights."""
    table = Contingency.from_labels(times, times)
    asked = {"truth": "t", "system": "s", "positive": positive}
    found = ifs.evaluate(pd.DataFrame({"t": times, "s": times}), **asked).systems[0].positive
    assert found == ifs.evaluate(table, positive=positive).systems[0].positive
    assert found == str(table.truth_labels[1])
    assert ifs.stability(table, metrics=["f1"], splits=1, positive=positive)["f1"]["mean"] == 1.0
