"""A callback of Lightning that logs coverage and the coordinates in the entropy triangle, once per epoch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from infoscope.errors import InputError
from infoscope.integrations.torch.metric import COVERAGE, Information

try:
    from lightning.pytorch import Callback
except ModuleNotFoundError:  # the same callbacks, in the package of the older name
    from pytorch_lightning import Callback

__all__ = ["InformationCallback"]

Predictions = Callable[[Any, Any], tuple[Tensor, Tensor]]
"""From what a step returned and its batch: predictions (classes or scores) and true classes."""


class InformationCallback(Callback):
    """Logs how much of the true classes a model's predictions tell, at the end of every epoch.

    Steps of the model return a mapping with "preds" (classes, or scores of shape (N, C)) and "target", beside the
    "loss"; ``predictions`` finds them elsewhere: a function of what the step returned and of the batch. Names are
    logged as ``val/proficiency``, for the stages that are asked for. The counts of all processes are added up.
    """

    def __init__(
        self,
        num_classes: int,
        metrics: Sequence[str] = COVERAGE,
        *,
        stages: Sequence[str] = ("train", "val", "test"),
        predictions: Predictions | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        unknown = sorted(set(stages) - {"train", "val", "test"})
        if unknown:
            raise InputError(f"there is no stage {unknown[0]!r}; choose from train, val and test")
        self._predictions = predictions or _read_outputs
        self.information = {stage: Information(num_classes, tuple(metrics), **options) for stage in stages}

    def _add(self, stage: str, outputs: Any, batch: Any) -> None:
        if (metric := self.information.get(stage)) is not None:
            preds, target = self._predictions(outputs, batch)
            metric.to(target.device).update(preds, target)

    def _log(self, stage: str, trainer: Any, module: Any) -> None:
        metric = self.information.get(stage)
        if metric is None or not metric.update_called:
            return
        if not getattr(trainer, "sanity_checking", False):
            numbers = metric.compute()
            module.log_dict({f"{stage}/{name}": value.float() for name, value in numbers.items()})
        metric.reset()

    def on_train_batch_end(
        self, trainer: object, pl_module: object, outputs: object, batch: object, batch_idx: int
    ) -> None:
        self._add("train", outputs, batch)

    def on_validation_batch_end(
        self,
        trainer: object,
        pl_module: object,
        outputs: object,
        batch: object,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self._add("val", outputs, batch)

    def on_test_batch_end(
        self,
        trainer: object,
        pl_module: object,
        outputs: object,
        batch: object,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self._add("test", outputs, batch)

    def on_train_epoch_end(self, trainer: object, pl_module: object) -> None:
        self._log("train", trainer, pl_module)

    def on_validation_epoch_end(self, trainer: object, pl_module: object) -> None:
        self._log("val", trainer, pl_module)

    def on_test_epoch_end(self, trainer: object, pl_module: object) -> None:
        self._log("test", trainer, pl_module)


def _read_outputs(outputs: Any, batch: Any) -> tuple[Tensor, Tensor]:  # noqa: ARG001 - the interface of all finders
    """Return predictions and true classes from what a step returned."""
    if not isinstance(outputs, Mapping) or not {"preds", "target"} <= set(outputs):
        raise InputError(
            "a step returned no predictions: let it return {'loss': …, 'preds': …, 'target': …}, or give "
            "InformationCallback(predictions=lambda outputs, batch: (preds, target))"
        )
    return outputs["preds"], outputs["target"]
