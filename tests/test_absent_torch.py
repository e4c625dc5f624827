"""infoscope.torch where PyTorch, TorchMetrics or Lightning is not installed: its names say what to install."""

import sys

import pytest

import infoscope as ifs
from infoscope.errors import InputError


@pytest.mark.parametrize(
    ("absent", "name"),
    [
        ("torch", "Information"),
        ("torch", "InformationLoss"),
        ("torch", "soft_table"),
        ("torchmetrics", "Information"),
        ("pytorch_lightning", "InformationCallback"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(monkeypatch, absent, name):
    if absent != "torch":
        pytest.importorskip("torch")
    for module in [module for module in sys.modules if module.startswith("infoscope.integrations.torch.")]:
        monkeypatch.delitem(sys.modules, module)
    for module in (absent, *(["lightning", "lightning.pytorch"] if absent == "pytorch_lightning" else [])):
        monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(
        InputError, match=rf"infoscope\.torch\.{name} needs .*{absent}.*; pip install 'infoscope\[torch\]'"
    ):
        getattr(ifs.torch, name)


def test_the_names_are_listed_and_others_do_not_exist():
    assert {"Information", "InformationLoss", "InformationCallback", "soft_table"} <= set(dir(ifs.torch))
    assert not hasattr(ifs.torch, "Informations")
