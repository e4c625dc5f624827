"""Information of a batch as a loss: minus the proficiency of its soft table, which can be differentiated."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import prod

import torch
from torch import Tensor, nn
from torch.nn import functional

from infoscope.errors import InfoscopeWarning, InputError

MIN_SAMPLES_PER_CLASS = 5
"""Fewer samples per class in a batch look more informative than they are."""
MAX_PRODUCT_CLASSES = 64
"""True classes up to which a soft table is a product of matrices."""


class SmallBatchWarning(InfoscopeWarning):
    """A batch is too small for its classes: information counted from it is too high, and its gradient noisy."""


def soft_table(
    probabilities: Tensor, target: Tensor, num_classes: int | None = None, *, sample_weight: Tensor | None = None
) -> Tensor:
    """Sum predicted probabilities by true class, (classes, predicted classes): labels × probabilities.

    The table stays on the device, and gradients pass through it. Few classes are one product of two matrices; of many,
    most of that product would be zeros, and rows are added to their class.

    Parameters
    ----------
    probabilities : Tensor
        A row per sample.
    target : Tensor
        The true class of each sample; one that is none of the classes is in no row.
    num_classes : int, optional
        Number of true classes; by default the number of columns.
    sample_weight : Tensor, optional
        A weight per sample.

    Returns
    -------
    Tensor
        The soft table.
    """
    _check_rows(probabilities, target)
    classes = probabilities.shape[1] if num_classes is None else num_classes
    if sample_weight is not None and sample_weight.shape != target.shape:
        raise InputError(
            f"sample_weight has shape {tuple(sample_weight.shape)}; give one for each of {len(target)} rows"
        )
    wide = probabilities.dtype if probabilities.dtype == torch.float64 else torch.float32
    rows, weight = probabilities.to(wide), None if sample_weight is None else sample_weight.to(wide)
    with torch.autocast(probabilities.device.type, enabled=False):
        if classes <= MAX_PRODUCT_CLASSES:
            members = (target[:, None] == torch.arange(classes, device=target.device)).to(wide)
            return (members if weight is None else members * weight[:, None]).T @ rows
        nobody = torch.where((target >= 0) & (target < classes), target, classes).long()
        sums = torch.zeros(classes + 1, rows.shape[1], dtype=wide, device=rows.device)
        return sums.index_add(0, nobody, rows if weight is None else rows * weight[:, None])[:classes]


def _check_rows(scores: Tensor, target: Tensor) -> None:
    if scores.device != target.device:
        raise InputError(f"scores are on {scores.device} and target on {target.device}; move them to one device")
    if scores.ndim != 2 or target.ndim != 1 or len(scores) != len(target):
        raise InputError(
            f"scores of shape {tuple(scores.shape)} and target of shape {tuple(target.shape)} do not pair; "
            "give a row of scores and one true class per sample"
        )
    if target.is_floating_point():
        raise InputError(f"target has type {target.dtype}; give the true class of each sample as a whole number")


def check_places(preds: Sequence[int], target: Sequence[int]) -> None:
    """Reject shapes that would pair predictions with the true classes of others; axes of one may be missing."""
    if prod(preds) != prod(target):
        raise InputError(f"a batch has {prod(preds)} predictions and {prod(target)} true classes; they pair row by row")
    if _differ_in_shape(preds, target):
        raise InputError(
            f"predictions of shape {tuple(preds)} and target of shape {tuple(target)} do not pair; give both one shape"
        )


def check_weights(weights: Sequence[int], target: Sequence[int]) -> None:
    """Reject weights of a shape that would give them to other samples."""
    if _differ_in_shape(weights, target):
        raise InputError(
            f"sample_weight has shape {tuple(weights)} and target {tuple(target)}; give one weight for each sample"
        )


def _differ_in_shape(one: Sequence[int], other: Sequence[int]) -> bool:
    return [size for size in one if size != 1] != [size for size in other if size != 1]


class InformationLoss(nn.Module):
    """Minus I(T;S)/H(T) of a batch: −1 where predictions tell the class, 0 where they tell nothing.

    Takes logits of shape (N, C) or (N, C, …) and true classes of shape (N) or (N, …), as ``CrossEntropyLoss`` does;
    ``from_logits=False`` takes probabilities. T is the true class, S a prediction drawn from the predicted
    probabilities. The loss does not care which output stands for which class: any one-to-one renaming has the same
    value, so start from, or add, cross-entropy where outputs must have their names. A batch of one class has nothing to
    tell: its loss is 0, and so is its gradient. Fewer than five samples per class give a ``SmallBatchWarning``, once.
    A target that is no class is an error; on an accelerator, where looking would stop the queue, the loss is NaN.
    """

    def __init__(self, *, ignore_index: int = -100, from_logits: bool = True) -> None:
        super().__init__()
        self.ignore_index = ignore_index
        self.from_logits = from_logits
        self._has_warned = False

    def forward(self, input: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> Tensor:
        """Return the loss of a batch, a scalar."""
        scores = input.movedim(1, -1).reshape(-1, input.shape[1]) if input.ndim > 2 else input
        places, target = target.shape, target.reshape(-1)
        _check_rows(scores, target)
        check_places((input.shape[0], *input.shape[2:]), places)
        if sample_weight is not None:
            check_weights(sample_weight.shape, places)
        rows, classes = len(target), scores.shape[1]
        if not self._has_warned and rows < MIN_SAMPLES_PER_CLASS * classes:
            self._has_warned = True
            warnings.warn(
                f"a batch of {rows} samples is small for {classes} classes: its information is overestimated; take at "
                f"least {MIN_SAMPLES_PER_CLASS * classes} samples per batch, or accumulate soft tables of several",
                SmallBatchWarning,
                stacklevel=2,
            )
        wide = scores if scores.dtype == torch.float64 else scores.float()
        probabilities = functional.softmax(wide, dim=1) if self.from_logits else wide
        weight = None if sample_weight is None else sample_weight.reshape(-1)
        kept = torch.where(target == self.ignore_index, -1, target)  # no class, so in no row of the table
        loss = -_compute_proficiency(soft_table(probabilities, kept, sample_weight=weight))
        outside = (target != self.ignore_index) & ((target < 0) | (target >= classes))
        if target.device.type != "cpu":
            return torch.where(outside.any(), torch.nan, loss)
        if outside.any():
            values = ", ".join(map(str, target[outside].unique().tolist()[:5]))
            raise InputError(
                f"{int(outside.sum())} of {rows} targets lie outside 0 to {classes - 1} ({values}); "
                "correct them, or state ignore_index for rows without a true class"
            )
        return loss

    def extra_repr(self) -> str:
        """Return the options, as modules print them."""
        return f"ignore_index={self.ignore_index}, from_logits={self.from_logits}"


def _compute_proficiency(table: Tensor) -> Tensor:
    """Return I(T;S)/H(T) of a table of weights; 0 where one class only has any, for there is nothing to tell."""
    total = table.sum()
    joint = table / torch.where(total > 0, total, torch.ones_like(total))
    truth, system = joint.sum(1), joint.sum(0)
    truth_entropy = _compute_entropy(truth)
    shared = truth_entropy + _compute_entropy(system) - _compute_entropy(joint)
    return torch.where(
        truth_entropy > 0,
        shared / torch.where(truth_entropy > 0, truth_entropy, torch.ones_like(truth_entropy)),
        shared * 0,
    )


def _compute_entropy(shares: Tensor) -> Tensor:
    """Return the entropy in nats; the logarithm of a share of 0 is that of 1: no gradient is infinite times zero."""
    return -(shares * torch.where(shares > 0, shares, torch.ones_like(shares)).log()).sum()
