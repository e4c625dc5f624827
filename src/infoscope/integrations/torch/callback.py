"""A Lightning callback that logs information metrics once per epoch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from infoscope.errors import InputError
from infoscope.integrations.torch.metric import COVERAGE, Information

try:
    from lightning.pytorch import Callback
except ModuleNotFoundError:  # the former name of the package
    from pytorch_lightning import Callback

Predictions = Callable[[Any, Any], tuple[Tensor, Tensor]]
"""Function of a step's outputs and its batch that returns predictions (classes or scores) and true classes."""


class InformationCallback(Callback):
    """Callback that logs how much information predictions carry about the true classes, at the end of every epoch.

    Steps of the model return a mapping with "preds" (classes, or scores of shape (N, C)) and "target", beside the
    "loss"; a model that returns something else needs ``predictions``, a function of the step's outputs and the batch.
    Metrics are logged for each of ``stages`` as ``val/proficiency``. The counts of all processes are added up.
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

    def _update(self, stage: str, outputs: Any, batch: Any) -> None:
        """Add the predictions of a batch to the metrics of its stage."""
        if (metric := self.information.get(stage)) is not None:
            preds, target = self._predictions(outputs, batch)
            metric.to(target.device).update(preds, target)

    def _log(self, stage: str, trainer: Any, module: Any) -> None:
        """Log the metrics of a stage, except those of the sanity check, and start over."""
        metric = self.information.get(stage)
        if metric is None or not metric.update_called:
            return
        if not getattr(trainer, "sanity_checking", False):
            values = metric.compute()
            module.log_dict({f"{stage}/{name}": value.float() for name, value in values.items()})
        metric.reset()

    def on_train_batch_end(
        self, trainer: object, pl_module: object, outputs: object, batch: object, batch_idx: int
    ) -> None:
        self._update("train", outputs, batch)

    def on_validation_batch_end(
        self,
        trainer: object,
        pl_module: object,
        outputs: object,
        batch: object,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self._update("val", outputs, batch)

    def on_test_batch_end(
        self,
        trainer: object,
        pl_module: object,
        outputs: object,
        batch: object,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        self._update("test", outputs, batch)

    def on_train_epoch_end(self, trainer: object, pl_module: object) -> None:
        self._log("train", trainer, pl_module)

    def on_validation_epoch_end(self, trainer: object, pl_module: object) -> None:
        self._log("val", trainer, pl_module)

    def on_test_epoch_end(self, trainer: object, pl_module: object) -> None:
        self._log("test", trainer, pl_module)


def _read_outputs(outputs: Any, batch: Any) -> tuple[Tensor, Tensor]:  # noqa: ARG001 - the interface of ``Predictions``
    """Return the predictions and true classes that a step returned as "preds" and "target"."""
    if not isinstance(outputs, Mapping) or not {"preds", "target"} <= set(outputs):
        raise InputError(
            "a step returned no predictions: let it return {'loss': …, 'preds': …, 'target': …}, or give "
            "InformationCallback(predictions=lambda outputs, batch: (preds, target))"
        )
    return outputs["preds"], outputs["target"]
