"""The metric with TorchMetrics' interface: the numbers of the package, in every way TorchMetrics is used."""

import copy
import pickle

import numpy as np
import pytest
import torch
import torch.multiprocessing as processes
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassConfusionMatrix

import infoscope as ifs
from infoscope.errors import InputError, UnknownNameError

CLASSES = 5


def batch(seed: int, rows: int = 200) -> tuple[torch.Tensor, torch.Tensor]:
    random = torch.Generator().manual_seed(seed)
    target = torch.randint(0, CLASSES, (rows,), generator=random)
    other = torch.randint(0, CLASSES, (rows,), generator=random)
    return torch.where(torch.rand(rows, generator=random) < 0.6, target, other), target


def test_it_counts_what_torchmetrics_counts_and_scores_as_the_package_does():
    metric, peer = ifs.torch.Information(CLASSES), MulticlassConfusionMatrix(CLASSES)
    for seed in range(3):
        metric.update(*batch(seed))
        peer.update(*batch(seed))

    assert metric.table().counts.tolist() == peer.compute().tolist()
    numbers = metric.compute()
    assert set(numbers) >= {"proficiency", "triangle_transfer", "triangle_variation", "triangle_divergence", "accuracy"}
    for name, value in numbers.items():
        assert float(value) == pytest.approx(float(getattr(ifs.metrics, name)(metric.table())), rel=1e-12)
    assert ifs.evaluate(metric.table())["system"].number("proficiency") is not None


def test_one_metric_is_one_number_and_reset_forgets():
    metric = ifs.torch.Information(CLASSES, "mcc")
    assert float(metric(*batch(1))) == pytest.approx(ifs.metrics.mcc(*reversed(batch(1))))
    both = ifs.metrics.mcc(*(torch.cat(side) for side in zip(batch(1)[::-1], batch(2)[::-1], strict=True)))
    assert float(metric(*batch(2))) == pytest.approx(ifs.metrics.mcc(*reversed(batch(2))))
    assert float(metric.compute()) == pytest.approx(both)

    metric.reset()
    with pytest.raises(InputError, match="nothing was counted yet"):
        metric.table()
    with pytest.warns(UserWarning, match="before the ``update`` method"):
        assert torch.isnan(metric.compute())


def test_scores_and_images():
    preds, target = batch(4, rows=2 * 3 * 4)
    metric, images = ifs.torch.Information(CLASSES), ifs.torch.Information(CLASSES)
    metric.update(torch.nn.functional.one_hot(preds, CLASSES).float(), target)
    scores = torch.nn.functional.one_hot(preds.reshape(2, 3, 4), CLASSES).movedim(-1, 1).float()
    images.update(scores, target.reshape(2, 3, 4))

    assert metric.table() == images.table() == ifs.Contingency.from_labels(target, preds, labels=range(CLASSES))


def test_weights():
    preds, target = batch(5)
    weights = torch.rand(len(target), generator=torch.Generator().manual_seed(0))
    metric = ifs.torch.Information(CLASSES, "proficiency")
    metric.update(preds[:50], target[:50], sample_weight=weights[:50])
    metric.update(preds[50:], target[50:], weights[50:])

    expected = ifs.Contingency.from_labels(target, preds, sample_weight=weights)
    assert np.allclose(metric.table().counts, expected.counts, rtol=1e-12)
    assert metric.table().weight_squares == pytest.approx(expected.weight_squares)
    assert float(metric.compute()) == pytest.approx(ifs.metrics.proficiency(expected))
    metric.update(preds, target)
    with pytest.raises(InputError, match="some batches have weights and others do not"):
        metric.table()


@pytest.mark.parametrize("reject", [CLASSES, -1, 99])
def test_a_rejected_prediction_has_a_column_of_its_own(reject):
    preds, target = batch(6)
    preds[::4] = reject
    metric = ifs.torch.Information(CLASSES, "rejection_rate", reject_index=reject)
    metric.update(preds, target)

    table = metric.table()
    assert table.shape == (CLASSES, CLASSES + 1)
    assert table.reject == CLASSES
    assert float(metric.compute()) == pytest.approx(0.25)
    scores = torch.nn.functional.one_hot(torch.where(preds == reject, CLASSES, preds), CLASSES + 1).float()
    again = ifs.torch.Information(CLASSES, reject_index=reject)
    again.update(scores, target)
    assert again.table() == table


def test_a_reject_label_among_the_classes_is_no_true_class():
    preds, target = batch(6)
    target = target.clamp(max=CLASSES - 2)
    metric = ifs.torch.Information(CLASSES, reject_index=CLASSES - 1)
    metric.update(preds, target)
    assert metric.table() == ifs.Contingency.from_labels(target, preds, labels=range(CLASSES), reject=CLASSES - 1)

    metric.update(torch.tensor([0]), torch.tensor([CLASSES - 1]))
    with pytest.raises(InputError, match="reject label 4 occurs as a true class"):
        metric.compute()


@pytest.mark.parametrize("ignored", [-100, 255, 2])
@pytest.mark.parametrize("soft", [False, True])
def test_ignored_rows_are_left_out_and_counted(ignored, soft):
    preds, target = batch(7)
    target[::5] = ignored
    kept = target != ignored
    given = torch.nn.functional.one_hot(preds, CLASSES).double() if soft else preds
    metric = ifs.torch.Information(CLASSES, ignore_index=ignored, soft=soft)
    metric.update(given, target)

    expected = ifs.Contingency.from_labels(target[kept], preds[kept], labels=range(CLASSES))
    assert np.array_equal(metric.table().counts, expected.counts)
    assert metric.table().ignored == {"ignored truth label": int((~kept).sum())}


def test_soft_tables_add_probabilities_up():
    _, target = batch(8)
    probabilities = torch.softmax(torch.randn(len(target), CLASSES, generator=torch.Generator().manual_seed(1)), 1)
    metric = ifs.torch.Information(CLASSES, "mutual_information", soft=True)
    metric.update(probabilities[:77], target[:77])
    metric.update(probabilities[77:], target[77:])

    by_hand = np.zeros((CLASSES, CLASSES))
    for true_class, row in zip(target.tolist(), probabilities.double().numpy(), strict=True):
        by_hand[true_class] += row
    assert np.allclose(metric.table().counts, by_hand, rtol=1e-5)
    by_function = ifs.torch.soft_table(probabilities.double(), target)
    assert np.allclose(by_function.numpy(), by_hand, rtol=1e-12)
    assert float(metric.compute()) == pytest.approx(
        float(ifs.metrics.mutual_information(ifs.Contingency.from_matrix(by_hand))), rel=1e-4
    )
    metric.update(probabilities[:1], torch.tensor([CLASSES + 3]))
    with pytest.raises(InputError, match=r"1 row has a label outside 0 to 4 \(truth: 8\)"):
        metric.table()


def test_in_a_collection_beside_others():
    collection = MetricCollection(
        {"information": ifs.torch.Information(CLASSES), "accuracy": MulticlassAccuracy(CLASSES, average="micro")}
    )
    for seed in range(2):
        collection.update(*batch(seed))
    numbers = collection.compute()

    one = next(value for name, value in numbers.items() if name.endswith("proficiency"))
    alone = ifs.torch.Information(CLASSES, "proficiency")
    for seed in range(2):
        alone.update(*batch(seed))
    assert float(one) == float(alone.compute())
    pair = MetricCollection([ifs.torch.Information(CLASSES, "proficiency"), MulticlassAccuracy(CLASSES)], prefix="val/")
    assert set(pair(*batch(1))) == {"val/Information", "val/MulticlassAccuracy"}


def test_it_is_copied_pickled_and_stored():
    metric = ifs.torch.Information(CLASSES, "proficiency")
    metric.persistent(True)
    metric.update(*batch(1))
    fresh = ifs.torch.Information(CLASSES, "proficiency")
    fresh.persistent(True)
    fresh.load_state_dict(metric.state_dict())

    assert copy.deepcopy(metric).table() == pickle.loads(pickle.dumps(metric)).table() == metric.table()
    assert fresh.counts.equal(metric.counts)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda m: m.update(torch.tensor([0, 7]), torch.tensor([9, 1])),
            r"2 rows have labels outside 0 to 4 \(truth: 9",
        ),
        (lambda m: m.update(torch.rand(4, 3), torch.zeros(4, dtype=torch.long)), r"no scores of 5 classes"),
        (lambda m: m.update(torch.zeros(3).long(), torch.zeros(4).long()), "3 predictions and 4 true classes"),
        (lambda m: m.update(torch.zeros(4).long(), torch.zeros(4)), "target has type torch.float32"),
        (
            lambda m: m.update(torch.zeros(4).long(), torch.zeros(4, device="meta").long()),
            "preds is on cpu and target on",
        ),
        (
            lambda m: m.update(torch.zeros(4).long(), torch.zeros(4).long(), torch.ones(3)),
            r"sample_weight has shape \(3,\)",
        ),
    ],
)
def test_bad_batches_are_rejected_and_change_nothing(call, message):
    metric = ifs.torch.Information(CLASSES)
    metric.update(*batch(1))
    before = metric.table()

    with pytest.raises(InputError, match=message):
        call(metric)
    assert metric.table() == before


def test_bad_settings():
    with pytest.raises(UnknownNameError, match="did you mean 'proficiency'"):
        ifs.torch.Information(CLASSES, "proficiencyy")
    with pytest.raises(InputError, match="num_classes must be a whole number of at least 2, got 1"):
        ifs.torch.Information(1)
    metric = ifs.torch.Information(CLASSES)
    metric.update(torch.zeros(2).long(), torch.zeros(2).long(), torch.tensor([1.0, -1.0]))
    with pytest.raises(InputError, match="1 weights are negative"):
        metric.compute()


def _one_of_two(rank: int, port: int, folder: str) -> None:
    torch.distributed.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=2)
    metric = ifs.torch.Information(CLASSES, "proficiency", ignore_index=-100)
    weighted = ifs.torch.Information(CLASSES, "proficiency")
    preds, target = batch(rank, rows=100 + 50 * rank)
    target[0] = -100
    metric.update(preds, target)
    if rank == 0:  # the other one has nothing to say
        weighted.update(preds[1:], target[1:], torch.full((len(preds) - 1,), 0.5))
    value, table = metric.compute(), metric.table()
    torch.save((value, table.counts, dict(table.ignored), weighted.table().total), f"{folder}/{rank}.pt")
    torch.distributed.destroy_process_group()


@pytest.mark.slow
def test_two_processes_add_their_tables_up(tmp_path, unused_port):
    processes.spawn(_one_of_two, args=(unused_port, str(tmp_path)), nprocs=2)

    first, second = (torch.load(tmp_path / f"{rank}.pt", weights_only=False) for rank in range(2))
    together = ifs.torch.Information(CLASSES, "proficiency", ignore_index=-100)
    for rank in range(2):
        preds, target = batch(rank, rows=100 + 50 * rank)
        target[0] = -100
        together.update(preds, target)
    for value, counts, ignored, weight in (first, second):
        assert float(value) == float(together.compute())
        assert np.array_equal(counts, together.table().counts)
        assert ignored == {"ignored truth label": 2}
        assert weight == pytest.approx(99 / 2)


@pytest.mark.parametrize(
    ("preds", "target"),
    [
        pytest.param(torch.zeros(2, 3, dtype=torch.int64), torch.zeros(3, 2, dtype=torch.int64), id="classes"),
        pytest.param(torch.rand(2, 3, 4), torch.zeros(4, 2, dtype=torch.int64), id="scores"),
    ],
)
def test_shapes_that_pair_other_samples_are_rejected(preds, target):
    for metric in (ifs.torch.Information(3), ifs.torch.Information(3, soft=True)):
        if preds.is_floating_point() or not metric.soft:
            with pytest.raises(InputError, match="do not pair; give both one shape"):
                metric.update(preds, target)


def test_a_score_that_is_not_a_number_decides_nothing():
    metric = ifs.torch.Information(2, "accuracy", ignore_index=-1)
    metric.update(torch.tensor([[float("nan"), 0.0], [0.0, 1.0]]), torch.tensor([-1, 1]))
    assert float(metric.compute()) == 1

    metric.update(torch.tensor([[float("nan"), 0.0]]), torch.tensor([1]))
    with pytest.raises(InputError, match="1 row has a score that is NaN"):
        metric.compute()


@pytest.mark.parametrize("row", [[0.5, 0.9], [float("nan"), 1.0], [1.5, -0.5], [0.0, 0.0]])
def test_probabilities_that_do_not_sum_to_one(row):
    metric = ifs.torch.Information(2, "accuracy", soft=True)
    metric.update(torch.tensor([[0.5, 0.5], row]), torch.tensor([0, 1]))

    with pytest.raises(InputError, match="1 row has probabilities that do not sum to 1"):
        metric.compute()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_probabilities_in_half_precision(dtype):
    rows = torch.softmax(torch.randn(50, 300, generator=torch.Generator().manual_seed(5)), dim=1).to(dtype)
    metric = ifs.torch.Information(300, "accuracy", soft=True)
    metric.update(rows, torch.arange(50))

    assert 0 < float(metric.compute()) < 1


def test_a_module_with_the_metric_can_be_scripted() -> None:
    """Scripted code does not call it, as with metrics of TorchMetrics."""

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(3, 4)
            self.metric = ifs.torch.Information(4, reject_index=3)

        def forward(self, values: torch.Tensor) -> torch.Tensor:
            return self.layer(values)

    model = Model()
    model.metric.update(torch.tensor([0, 1]), torch.tensor([0, 1]))
    scripted = torch.jit.script(model)
    values = torch.ones(2, 3)
    assert torch.equal(scripted(values), model(values))
    torch.jit.script(ifs.torch.Information(4))
