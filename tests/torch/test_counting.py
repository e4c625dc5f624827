"""Tensors counted where they lie give the tables that arrays give; without a device, as if the host was one."""

import numpy as np
import pytest
import torch

import infoscope as ifs
from infoscope.errors import InputError
from tests.api import device as pair_table
from tests.api import device as tally
from tests.api import is_usable, libraries

DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
ROWS = 500


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the device of the tensors; the host is treated as if it were another, and nothing is copied unasked."""
    monkeypatch.setattr(libraries, "HOST", "nowhere")
    return request.param


@pytest.fixture
def labels() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    truth = random.integers(0, 6, ROWS)
    return truth, np.where(random.random(ROWS) < 0.7, truth, random.integers(0, 6, ROWS))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64"])
@pytest.mark.parametrize("keywords", [{}, {"labels": range(6)}, {"labels": range(6), "reject": 9}, {"positive": 2}])
def test_the_table_is_that_of_arrays(device, labels, dtype, keywords):
    truth, system = (torch.tensor(side.astype(dtype), device=device) for side in labels)

    table = ifs.Contingency.from_labels(truth, system, **keywords)

    assert table == ifs.Contingency.from_labels(*labels, **keywords)
    assert table.counts.dtype == np.int64


@pytest.mark.parametrize("spread", [1, 1000, 10**6, 10**12])
def test_labels_may_lie_anywhere(device, labels, spread):
    truth, system = labels[0] * spread - 7, labels[1] * spread - 7

    table = ifs.Contingency.from_labels(*(torch.tensor(side, device=device) for side in (truth, system)))

    assert table == ifs.Contingency.from_labels(truth, system)


def test_weights_are_added_and_their_squares_kept(device, labels):
    weights = np.random.default_rng(1).random(ROWS)
    weights[labels[0] == 3] = 0
    tensors = [torch.tensor(side, device=device) for side in (*labels, weights)]

    table = ifs.Contingency.from_labels(tensors[0], tensors[1], sample_weight=tensors[2])

    expected = ifs.Contingency.from_labels(*labels, sample_weight=weights)
    assert table.truth_labels == expected.truth_labels  # also the class whose rows weigh nothing
    assert np.allclose(table.counts, expected.counts, rtol=1e-12)
    assert table.weight_squares == pytest.approx(expected.weight_squares, rel=1e-12)


def test_booleans_columns_and_slices(device, labels):
    truth, system = (torch.tensor(side, device=device) for side in labels)

    assert ifs.Contingency.from_labels(truth > 2, system > 2) == ifs.Contingency.from_labels(
        labels[0] > 2, labels[1] > 2
    )
    assert ifs.Contingency.from_labels(truth[:, None], system[:, None]) == ifs.Contingency.from_labels(*labels)
    assert ifs.Contingency.from_labels(truth[1::3], system[1::3]) == ifs.Contingency.from_labels(
        labels[0][1::3], labels[1][1::3]
    )


def test_a_counter_adds_batches_of_any_range(device, labels):
    truth, system = labels
    counter, expected = ifs.Counter(), ifs.Counter()
    for shift in (0, 4, -30, 10**9):
        expected.update(truth + shift, system)
        counter.update(torch.tensor(truth + shift, device=device), torch.tensor(system, device=device))

    assert counter.table() == expected.table()
    assert repr(counter) == repr(expected)
    counter.update(truth, system)  # an array among tensors
    assert counter.table().total == 5 * ROWS


def test_a_counter_of_stated_classes_never_asks_the_device(device, labels, monkeypatch):
    def asked(*_):
        raise AssertionError("the device was asked before the table was")

    tensors = [torch.tensor(side, device=device) for side in labels]
    counter = ifs.Counter(labels=range(8))
    with monkeypatch.context() as stated:
        stated.setattr(tally, "find_span", asked)
        counter.update(*tensors)
    monkeypatch.setattr(libraries.TorchLibrary, "ends", asked)
    narrow = pair_table.prepare_tensors(*(tensor.to(torch.uint8) for tensor in tensors), None)

    assert counter.table() == ifs.Contingency.from_labels(*labels, labels=range(8))
    assert tally.find_span(narrow) == tally.Span(0, 256)


def test_a_weighted_counter(device, labels):
    weights = np.random.default_rng(1).random(ROWS)
    counter, expected = ifs.Counter(), ifs.Counter()
    for _ in range(2):
        expected.update(*labels, weights)
        counter.update(*(torch.tensor(side, device=device) for side in (*labels, weights)))

    assert np.allclose(counter.table().counts, expected.table().counts, rtol=1e-12)
    assert counter.table().weight_squares == pytest.approx(expected.table().weight_squares, rel=1e-12)
    with pytest.raises(InputError, match="some batches have weights and others do not"):
        counter.update(*(torch.tensor(side, device=device) for side in labels))


def _counted(counter, truth, system):
    """The table; the kernel rejects labels when it is asked for, bincount at once."""
    counter.update(truth, system)
    return counter.table()


def test_labels_out_of_range_are_counted_and_named(device):
    truth = torch.tensor([0, 1, 2, 9, 9], device=device)
    system = torch.tensor([0, 1, -4, 2, 1], device=device)
    counter = ifs.Counter(labels=[0, 1, 2])

    with pytest.raises(InputError, match=r"3 rows have labels outside 0 to 2 \(truth: 9.*; predictions: -4"):
        _counted(counter, truth, system)


@pytest.mark.filterwarnings("ignore::infoscope.errors.MissingLabelsWarning")
def test_rows_of_other_classes_than_those_stated_are_left_out_as_on_the_host(device, labels):
    tensors = [torch.tensor(side, device=device) for side in labels]

    table = ifs.Contingency.from_labels(*tensors, labels=[1, 2, 4])

    expected = ifs.Contingency.from_labels(*labels, labels=[1, 2, 4])
    assert table == expected
    assert table.ignored == expected.ignored


def test_what_was_counted_on_the_device_names_the_ends_of_what_is_out_of_range():
    table, ends = np.array([5, 0, 0, 5, 4, 2]), np.array([-3, 7, *pair_table.NO_ENDS[2:]])
    span = tally.Span(0, 2)

    with pytest.raises(InputError, match=r"^4 rows have labels outside 0 to 1 \(truth: from -3 to 7\); correct them"):
        pair_table.check_table(table, ends, span)
    table[-2] = 0
    assert pair_table.check_table(table, ends, span).ignored == 2


@pytest.mark.parametrize(
    ("truth", "system", "message"),
    [
        ([[0, 1], [1, 0]], [0, 1], "truth has 2 dimensions"),
        ([0, 1, 1], [0, 1], "truth has 3 rows and the system has 2"),
        ([], [], "there are no rows"),
    ],
)
def test_bad_tensors(device, truth, system, message):
    tensors = [torch.tensor(side, dtype=torch.int64, device=device) for side in (truth, system)]

    with pytest.raises(InputError, match=message):
        ifs.Contingency.from_labels(*tensors)


@pytest.mark.parametrize("weights", [[1.0, -1.0], [1.0, float("nan")], [1.0, float("inf")]])
def test_impossible_weights(device, weights):
    labels = torch.tensor([0, 1], device=device)

    with pytest.raises(InputError, match="1 weights are negative, infinite or missing"):
        ifs.Contingency.from_labels(labels, labels, sample_weight=torch.tensor(weights, device=device))
    with pytest.raises(InputError, match="sample_weight has 3 values"):
        ifs.Contingency.from_labels(labels, labels, sample_weight=torch.ones(3, device=device))


def test_tensors_on_different_devices_are_rejected():
    here, nowhere = torch.tensor([0, 1]), torch.zeros(2, dtype=torch.int64, device="meta")

    for call in (ifs.Contingency.from_labels, ifs.Counter().update, ifs.metrics.proficiency):
        with pytest.raises(InputError, match="truth is on cpu and system on meta; move them to one device"):
            call(here, nowhere)
    with pytest.raises(InputError, match="truth is on the device meta, which holds no data"):
        ifs.Contingency.from_labels(nowhere, nowhere)


def test_booleans_of_which_one_side_has_only_one_are_counted():
    counted = tally.tally_on_device(torch.ones(3, dtype=torch.bool), torch.tensor([True, False, True]), None)

    assert (counted.truth.labels, counted.rows.tolist()) == ((True,), [0, 0])
    assert (counted.system.labels, counted.columns.tolist()) == ((False, True), [0, 1])


def test_tensors_on_the_host_are_arrays_without_a_copy(labels, monkeypatch):
    monkeypatch.setattr(tally.GrowingTable, "add", None)
    monkeypatch.setattr(tally, "prepare_tensors", None)
    truth, system = (torch.tensor(side) for side in labels)
    counter = ifs.Counter()
    counter.update(truth, system)

    assert ifs.Contingency.from_labels(truth, system) == ifs.Contingency.from_labels(*labels) == counter.table()
    assert not is_usable(truth)
    assert ifs.metrics.proficiency(truth, system) == ifs.metrics.proficiency(*labels)
