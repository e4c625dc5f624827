"""PyTorch: a metric with TorchMetrics' interface, a loss, soft tables, a callback for Lightning.

Names load on first use; what a name needs is installed by ``pip install 'infoscope[torch]'``.
"""

import importlib
from typing import Any

from infoscope.errors import InputError

__all__ = ["Information", "InformationCallback", "InformationLoss", "SmallBatchWarning", "soft_table"]

_PLACES = {
    "Information": "metric",
    "InformationCallback": "callback",
    "InformationLoss": "loss",
    "SmallBatchWarning": "loss",
    "soft_table": "loss",
}
_PACKAGES = ("torch", "torchmetrics", "lightning", "pytorch_lightning")


def __getattr__(name: str) -> Any:
    """Load a public name; a package that it needs and that is not installed is named."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name not in _PACKAGES:
            raise
        raise InputError(
            f"infoscope.torch.{name} needs {error.name}, which is not installed; pip install 'infoscope[torch]'"
        ) from error


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
