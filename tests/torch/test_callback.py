"""The callback of Lightning: what it logs is what the package says of the same predictions."""

import logging

import lightning.pytorch as lightning
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

import infoscope as ifs
from infoscope.errors import InputError


class Model(lightning.LightningModule):
    """A linear model that says what it predicted."""

    def __init__(self, *, tells: bool = True) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(2, 3)
        self.tells = tells

    def training_step(self, batch, _):
        features, target = batch
        scores = self.layer(features)
        loss = torch.nn.functional.cross_entropy(scores, target)
        return {"loss": loss, "preds": scores, "target": target} if self.tells else loss

    def validation_step(self, batch, _):
        return self.training_step(batch, _)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


@pytest.fixture
def data() -> TensorDataset:
    features = torch.randn(60, 2, generator=torch.Generator().manual_seed(0))
    return TensorDataset(features, (features[:, 0] > 0).long() + (features[:, 1] > 0.5).long())


def fitted(data, callback, model):
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    trainer = lightning.Trainer(
        max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, callbacks=[callback],
    )  # fmt: skip
    loader = DataLoader(data, batch_size=20)
    trainer.fit(model, loader, loader)
    return trainer.logged_metrics


@pytest.mark.filterwarnings("ignore")
def test_it_logs_coverage_and_the_triangle_per_epoch(data):
    torch.manual_seed(1)
    model = Model()
    logged = fitted(data, ifs.torch.InformationCallback(num_classes=3), model)

    features, target = data.tensors
    table = ifs.Contingency.from_labels(target, model.layer(features).argmax(1), labels=range(3))
    for name in ("proficiency", "triangle_transfer", "triangle_divergence", "triangle_variation"):
        assert float(logged[f"val/{name}"]) == pytest.approx(float(getattr(ifs.metrics, name)(table)), abs=1e-6)
        assert f"train/{name}" in logged


@pytest.mark.filterwarnings("ignore")
def test_predictions_may_be_found_elsewhere(data):
    model = Model(tells=False)
    found = ifs.torch.InformationCallback(
        3, ["proficiency"], stages=["val"], predictions=lambda _, batch: (model.layer(batch[0]), batch[1])
    )

    assert list(fitted(data, found, model)) == ["val/proficiency"]
    with pytest.raises(InputError, match="a step returned no predictions: let it return"):
        fitted(data, ifs.torch.InformationCallback(3), Model(tells=False))
    with pytest.raises(InputError, match="there is no stage 'valid'"):
        ifs.torch.InformationCallback(3, stages=["valid"])
