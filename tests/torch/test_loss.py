"""The loss: the proficiency of soft tables, with its gradient."""

import numpy as np
import pytest
import torch

import infoscope as ifs
from infoscope.errors import InputError


def logits(rows: int = 30, classes: int = 4, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    random = torch.Generator().manual_seed(seed)
    scores = torch.randn(rows, classes, dtype=torch.float64, generator=random)
    return scores, torch.randint(0, classes, (rows,), generator=random)


def test_it_is_minus_the_proficiency_of_the_soft_table():
    scores, target = logits()

    table = ifs.Contingency.from_matrix(ifs.torch.soft_table(scores.softmax(1), target).numpy())

    assert float(ifs.torch.InformationLoss()(scores, target)) == pytest.approx(
        -ifs.metrics.proficiency(table), rel=1e-12
    )
    probabilities = ifs.torch.InformationLoss(from_logits=False)(scores.softmax(1), target)
    assert float(probabilities) == pytest.approx(-ifs.metrics.proficiency(table), rel=1e-12)


def test_a_soft_table_of_many_classes_is_the_same_sum(monkeypatch):
    scores, target = logits(rows=300, classes=7)
    target[:2] = torch.tensor([-1, 9])  # no classes: in no row
    weights = torch.rand(300, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    by_product = [ifs.torch.soft_table(scores.softmax(1), target, sample_weight=w) for w in (None, weights)]
    monkeypatch.setattr("infoscope.integrations.torch.loss.MAX_PRODUCT_CLASSES", 0)

    for product, weight in zip(by_product, (None, weights), strict=True):
        assert torch.allclose(
            ifs.torch.soft_table(scores.softmax(1), target, sample_weight=weight), product, rtol=1e-12
        )
    loss = ifs.torch.InformationLoss()
    assert torch.autograd.gradcheck(lambda x: loss(x, target[2:42]), scores[2:42].requires_grad_())


@pytest.mark.parametrize("absent", [None, 2])
def test_its_gradient_is_that_of_differences(absent):
    scores, target = logits()
    if absent is not None:
        target[target == absent] = 0  # a class without samples in the batch
    weights = torch.rand(len(target), dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    loss = ifs.torch.InformationLoss()

    assert torch.autograd.gradcheck(lambda x: loss(x, target), scores.requires_grad_())
    assert torch.autograd.gradcheck(lambda x, w: loss(x, target, w), (scores, weights.requires_grad_()))


def test_ends():
    _, target = logits(rows=400)
    sure = torch.nn.functional.one_hot(target, 4).double() * 60
    loss = ifs.torch.InformationLoss()

    assert float(loss(sure, target)) == pytest.approx(-1)
    assert float(loss(sure[:, [1, 2, 3, 0]], target)) == pytest.approx(-1)  # any one-to-one renaming
    assert float(loss(torch.zeros(400, 4), target)) == pytest.approx(0, abs=1e-6)


def test_one_class_has_nothing_to_tell_and_no_gradient():
    scores, _ = logits()
    scores.requires_grad_()
    value = ifs.torch.InformationLoss()(scores, torch.full((30,), 3))
    value.backward()

    assert float(value.detach()) == 0
    assert not scores.grad.any()


def test_ignored_rows_and_images():
    scores, target = logits(rows=48)
    loss = ifs.torch.InformationLoss()
    ignored = target.clone()
    ignored[::3] = -100
    kept = ignored != -100
    images = scores.reshape(3, 4, 4, 4).movedim(-1, 1)

    assert float(loss(scores, ignored)) == pytest.approx(float(loss(scores[kept], target[kept])), rel=1e-12)
    assert float(loss(images, target.reshape(3, 4, 4))) == pytest.approx(float(loss(scores, target)), rel=1e-12)


def test_half_precision_is_computed_in_single():
    scores, target = logits(rows=200)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        low = ifs.torch.InformationLoss()(scores.bfloat16(), target)

    assert low.dtype == torch.float32
    assert float(low) == pytest.approx(float(ifs.torch.InformationLoss()(scores, target)), abs=0.01)


def test_targets_that_are_no_classes_are_named():
    scores, target = logits(rows=60)
    target[:3] = torch.tensor([9, -1, 9])
    with pytest.raises(InputError, match=r"3 of 60 targets lie outside 0 to 3 \(-1, 9\).*ignore_index"):
        ifs.torch.InformationLoss()(scores, target)
    with pytest.raises(InputError, match=r"2 of 60 targets lie outside 0 to 3 \(9\)"):
        ifs.torch.InformationLoss(ignore_index=-1)(scores, target)
    target[0] = target[2] = -1
    left_out = ifs.torch.InformationLoss(ignore_index=-1)(scores, target)
    assert float(left_out) == pytest.approx(float(ifs.torch.InformationLoss()(scores[3:], target[3:])))


def test_a_small_batch_is_told_once():
    loss = ifs.torch.InformationLoss()
    with pytest.warns(ifs.torch.SmallBatchWarning, match="a batch of 19 samples is small for 4 classes"):
        loss(*logits(rows=19))
    loss(*logits(rows=19))
    ifs.torch.InformationLoss()(*logits(rows=20))


def test_small_batches_are_overestimated_as_the_warning_says():
    """Predictions that know nothing: the information of a batch is above 0 by chance alone, more so in small ones."""
    loss = ifs.torch.InformationLoss()
    seen = {}
    for rows in (20, 400):
        batches = [logits(rows=rows, seed=seed) for seed in range(40)]
        seen[rows] = -np.mean([float(loss(5 * scores, target)) for scores, target in batches])
    assert seen[20] > 5 * seen[400] > 0


def test_training_by_it_learns():
    random = torch.Generator().manual_seed(3)
    target = torch.randint(0, 3, (300,), generator=random)
    features = torch.nn.functional.one_hot(target, 3).float() + 0.3 * torch.randn(300, 3, generator=random)
    torch.manual_seed(0)
    model, loss = torch.nn.Linear(3, 3), ifs.torch.InformationLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(60):
        optimizer.zero_grad()
        value = loss(model(features), target)
        value.backward()
        optimizer.step()

    assert float(value.detach()) < -0.75


@pytest.mark.parametrize(
    ("scores", "target", "message"),
    [
        (torch.zeros(3, 2), torch.zeros(4).long(), r"scores of shape \(3, 2\) and target of shape \(4,\) do not pair"),
        (torch.zeros(10, 2), torch.zeros(10), "target has type torch.float32"),
        (torch.zeros(10, 2), torch.zeros(10, device="meta").long(), "scores are on cpu and target on meta"),
    ],
)
def test_bad_batches(scores, target, message):
    with pytest.raises(InputError, match=message):
        ifs.torch.InformationLoss()(scores, target)


def test_shapes_that_pair_other_samples_are_rejected():
    with pytest.raises(InputError, match="do not pair; give both one shape"):
        ifs.torch.InformationLoss()(torch.rand(2, 3, 4), torch.zeros(4, 2, dtype=torch.int64))
    with pytest.raises(InputError, match=r"sample_weight has shape \(4, 2\) and target \(2, 4\)"):
        ifs.torch.InformationLoss()(torch.rand(2, 3, 4), torch.zeros(2, 4, dtype=torch.int64), torch.ones(4, 2))
