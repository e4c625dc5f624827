"""Information as a metric of TorchMetrics: counted on the device, summed over processes, scored when asked for."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor
from torchmetrics import Metric

from infoscope.errors import InputError
from infoscope.integrations.torch.loss import check_places, check_weights, soft_table
from infoscope.metrics.registry import find
from infoscope.tables import Contingency
from infoscope.tables.device import NO_ENDS, Span, add_counts, check_devices, check_table, prepare_tensors

COVERAGE = (
    "proficiency",
    "false_information_ratio",
    "information_precision",
    "triangle_divergence",
    "triangle_transfer",
    "triangle_variation",
    "accuracy",
)
"""Shown unless others are asked for: coverage, the coordinates in the entropy triangle, accuracy beside them."""

_HAS_DOUBLE = torch.cuda.is_available() or not torch.backends.mps.is_available()
_WEIGHT = torch.float64 if _HAS_DOUBLE else torch.float32  # Apple's devices have no float64


_NEAR_ONE = 0.02
"""Probabilities in half precision sum to 1 up to this."""


class Information(Metric):
    """Information metrics with TorchMetrics' interface: how much predictions tell of the true classes.

    ``update(preds, target, sample_weight=None)`` takes predicted classes, or scores of shape (N, C, …) of which the
    largest is the prediction; ``soft=True`` takes probabilities and adds them up instead. ``compute()`` gives numbers
    by name, or one number where ``metrics`` is one name; any metric of ``infoscope explain`` can be asked for.
    ``table()`` is the ``Contingency``, for ``infoscope.evaluate`` and everything else.

    The table is the state: it is counted on the device and added up over processes. ``reject_index`` is the prediction
    that means "abstained"; rows whose true class is ``ignore_index`` are left out.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    __jit_unused_properties__: ClassVar[list[str]] = [*Metric.__jit_unused_properties__, "_reject_label"]

    counts: Tensor
    weights: Tensor
    weight_squares: Tensor
    weighted_rows: Tensor
    """Rows with weights, impossible weights, rows of probabilities, rows of scores that mean nothing; what has no
    weights is counted by its table."""
    ends: Tensor
    """The smallest and largest label out of range, of the truth and of the predictions."""

    def __init__(
        self,
        num_classes: int,
        metrics: str | Sequence[str] = COVERAGE,
        *,
        reject_index: int | None = None,
        ignore_index: int | None = None,
        soft: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if not isinstance(num_classes, int) or num_classes < 2:
            raise InputError(f"num_classes must be a whole number of at least 2, got {num_classes!r}")
        self.num_classes = num_classes
        self.metrics = metrics if isinstance(metrics, str) else tuple(metrics)
        self.reject_index = reject_index
        self.ignore_index = ignore_index
        self.soft = soft
        for name in (self.metrics,) if isinstance(self.metrics, str) else self.metrics:
            find(name)
        columns = num_classes + (reject_index is not None and not 0 <= reject_index < num_classes)
        self._span = Span(0, columns, ignore_index)
        sums = {"counts": torch.int64, "weights": _WEIGHT}
        for name, dtype in sums.items():
            self.add_state(name, torch.zeros(self._span.cells, dtype=dtype), dist_reduce_fx="sum")
        self.add_state("weight_squares", torch.zeros((), dtype=_WEIGHT), dist_reduce_fx="sum")
        self.add_state("weighted_rows", torch.zeros(4, dtype=torch.int64), dist_reduce_fx="sum")
        self.add_state("ends", torch.tensor(NO_ENDS), dist_reduce_fx=_combine_ends)

    def update(self, preds: Tensor, target: Tensor, sample_weight: Tensor | None = None) -> None:
        """Count a batch; labels out of range are rejected, at the latest when the table is asked for."""
        check_devices({"preds": preds, "target": target, "sample_weight": sample_weight})
        weights = None
        if sample_weight is not None:
            check_weights(sample_weight.shape, target.shape)
            weights = sample_weight.detach().reshape(-1).to(_WEIGHT)
        if target.is_floating_point():
            raise InputError(f"target has type {target.dtype}; give the true class of each sample as a whole number")
        if self.soft:
            rows = _flatten_scores(preds.detach(), self._span.classes, target)
            target = target.detach().reshape(-1)
            sums_to_one = (rows.sum(dim=1, dtype=_WEIGHT) - 1).abs() <= _NEAR_ONE  # as far as half precision goes
            self._count_meaningless(~(sums_to_one & (rows.amin(dim=1) >= 0)), target)
            self._add_soft(rows, target, weights)
        else:
            predicted = self._predict_classes(preds.detach(), target)
            target = target.detach().reshape(-1)
            pairs = prepare_tensors(target, predicted, weights)
            if weights is None:
                self.counts = add_counts(pairs, self._span, self.counts, self.ends)
            else:
                self.weights = add_counts(pairs, self._span, self.weights, self.ends)
        if weights is not None:
            self.weighted_rows[0] += len(target)
            self.weighted_rows[1] += (~(torch.isfinite(weights) & (weights >= 0))).sum()
            kept = weights if self.ignore_index is None else weights * (target != self.ignore_index)
            self.weight_squares += (kept * kept).sum()

    def _predict_classes(self, preds: Tensor, target: Tensor) -> Tensor:
        """Return predicted classes, one per row: of scores the largest."""
        if preds.is_floating_point():
            if preds.ndim < 2 or preds.shape[1] != self._span.classes:
                raise InputError(
                    f"preds of shape {tuple(preds.shape)} are no scores of {self._span.classes} classes; give them as "
                    "(N, C), or give predicted classes as whole numbers"
                )
            largest, preds = preds.max(dim=1)
            check_places(preds.shape, target.shape)
            self._count_meaningless(largest.isnan().reshape(-1), target.reshape(-1))  # NaN would be the largest
        elif self.reject_index not in (None, self.num_classes) and self._span.classes > self.num_classes:
            preds = torch.where(preds == self.reject_index, self.num_classes, preds.to(torch.int64))
        check_places(preds.shape, target.shape)
        return preds.reshape(-1)

    def _count_meaningless(self, meaningless: Tensor, target: Tensor) -> None:
        """Count rows of scores that mean nothing, so that the host need not wait for the device now."""
        counts = meaningless if self.ignore_index is None else meaningless & (target != self.ignore_index)
        self.weighted_rows[3] += counts.sum()

    def _add_soft(self, probabilities: Tensor, target: Tensor, weights: Tensor | None) -> None:
        """Add probabilities up; rows without a valid class are counted in the cells after the table."""
        classes = self._span.classes
        ignored = (
            torch.zeros_like(target, dtype=torch.bool) if self.ignore_index is None else target == self.ignore_index
        )
        outside = ((target < 0) | (target >= classes)) & ~ignored
        kept = (~(ignored | outside)).to(_WEIGHT)
        table = soft_table(probabilities, target, classes, sample_weight=kept if weights is None else kept * weights)
        self.weights[: self._span.pairs] += table.reshape(-1)
        self.weights[self._span.pairs] += outside.sum()
        self.weights[self._span.pairs + 1] += ignored.sum()
        self.weighted_rows[2] += len(target)
        smallest, largest = (torch.where(outside, target, none) for none in NO_ENDS[:2])
        self.ends[0] = torch.minimum(self.ends[0], smallest.amin())
        self.ends[1] = torch.maximum(self.ends[1], largest.amax())

    def compute(self) -> Tensor | dict[str, Tensor]:
        """Score the metrics by name, or the one that was asked for; NaN where undefined, or nothing was counted."""
        table = self._make_table() if sum(self._count_rows()) else None
        if isinstance(self.metrics, str):
            return self._score(self.metrics, table)
        return {name: self._score(name, table) for name in self.metrics}

    def _score(self, name: str, table: Contingency | None) -> Tensor:
        value = float("nan") if table is None else float(find(name).score(table))
        return torch.tensor(value, dtype=_WEIGHT, device=self.counts.device)

    def table(self) -> Contingency:
        """Return the table of everything counted so far, in all processes."""
        with self.sync_context(
            dist_sync_fn=self.dist_sync_fn, should_sync=self._to_sync, should_unsync=self._should_unsync
        ):
            return self._make_table()

    def _count_rows(self) -> tuple[int, int]:
        """Count rows without and with weights."""
        weighted, _, soft, _ = self.weighted_rows.tolist()
        return (soft - weighted if self.soft else int(self.counts.sum())), weighted

    def _make_table(self) -> Contingency:
        unweighted, weighted = self._count_rows()
        _, bad, _, meaningless = self.weighted_rows.tolist()
        if not unweighted + weighted:
            raise InputError("nothing was counted yet; call update first")
        if unweighted and weighted:
            raise InputError("some batches have weights and others do not; give weights to all")
        if bad:
            raise InputError(f"{bad:,} weights are negative, infinite or missing; weights are finite and not negative")
        if meaningless:
            what = "probabilities that do not sum to 1" if self.soft else "a score that is NaN"
            raise InputError(f"{meaningless:,} row{'s have' if meaningless > 1 else ' has'} {what}; correct preds")
        sums = self.weights if weighted or self.soft else self.counts
        counted = check_table(sums.cpu().numpy(), self.ends.cpu().numpy(), self._span)
        values = counted.values
        reject = None if self.reject_index is None else self._reject_label
        if reject is not None:  # rows of the true classes alone
            if values[reject].any():
                raise InputError(
                    f"the reject label {self.reject_index} occurs as a true class; only predictions abstain: use "
                    "another reject_index, or ignore_index for rows without a true class"
                )
            values = np.delete(values, reject, axis=0)
        places = np.nonzero(values)
        return Contingency.from_cells(
            list(range(self._span.classes))
            if reject is None
            else [i for i in range(self._span.classes) if i != reject],
            list(range(self._span.classes)),
            places[0],
            places[1],
            values[places],
            reject=reject,
            declared=True,
            ignored={"ignored truth label": counted.ignored} if counted.ignored else None,
            weight_squares=float(self.weight_squares) if weighted else None,
        )

    @property
    def _reject_label(self) -> int:
        """The column of predictions that mean "abstained"."""
        reject = self.reject_index
        return self.num_classes if reject is None or not 0 <= reject < self.num_classes else reject


def _combine_ends(ends: Tensor) -> Tensor:
    """Combine the ends of several processes: smallest, largest, smallest, largest."""
    low, high = ends.amin(0), ends.amax(0)
    return torch.stack((low[0], high[1], low[2], high[3]))


def _flatten_scores(scores: Tensor, classes: int, target: Tensor) -> Tensor:
    """Return scores with the classes last, one row per sample."""
    if not scores.is_floating_point() or scores.ndim < 2 or scores.shape[1] != classes:
        raise InputError(
            f"soft=True needs probabilities of shape (N, {classes}), got {scores.dtype} of shape {tuple(scores.shape)}"
        )
    last = scores.movedim(1, -1)
    check_places(last.shape[:-1], target.shape)
    return last.reshape(-1, classes)
