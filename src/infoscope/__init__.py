"""Infoscope: how much of the truth a system's output carries, how sure we are, and where the rest gets lost.

>>> import infoscope as ifs
>>> table = ifs.Contingency.from_labels(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
>>> print(f"{ifs.metrics.proficiency(table):.3f}")
0.311

Names load on first use, so that importing the package costs next to nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infoscope import metrics as metrics
    from infoscope.cards import Card as Card
    from infoscope.cards import catalogue as catalogue
    from infoscope.errors import InfoscopeError as InfoscopeError
    from infoscope.errors import InputError as InputError
    from infoscope.evaluation import Evaluation as Evaluation
    from infoscope.evaluation import evaluate as evaluate
    from infoscope.tables import Contingency as Contingency

__version__ = "0.1.0"

_HOMES = {
    "Card": "infoscope.cards",
    "Contingency": "infoscope.tables",
    "Evaluation": "infoscope.evaluation",
    "InfoscopeError": "infoscope.errors",
    "InputError": "infoscope.errors",
    "catalogue": "infoscope.cards",
    "evaluate": "infoscope.evaluation",
}
_MODULES = {"metrics"}

__all__ = [
    "Card",
    "Contingency",
    "Evaluation",
    "InfoscopeError",
    "InputError",
    "__version__",
    "catalogue",
    "evaluate",
    "metrics",
]


def __getattr__(name: str) -> Any:
    """Load a public name from where it lives."""
    if name in _MODULES:
        value: Any = importlib.import_module(f"infoscope.{name}")
    elif name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'infoscope' has no attribute {name!r}")
    globals()[name] = value
    return value


def load_renderers() -> None:
    """Load the reports, which file themselves with ``Evaluation``."""
    importlib.import_module("infoscope.report")


def __dir__() -> list[str]:
    """Public names, loaded or not."""
    return sorted(__all__)
