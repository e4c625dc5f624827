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
    from infoscope import multilabel as multilabel
    from infoscope import operating_points as operating_points
    from infoscope import tracking as tracking
    from infoscope.cards import Card as Card
    from infoscope.cards import catalogue as catalogue
    from infoscope.comparison import Comparison as Comparison
    from infoscope.comparison import compare as compare
    from infoscope.cross_validation import CrossValidation as CrossValidation
    from infoscope.cross_validation import cross_validate as cross_validate
    from infoscope.errors import InfoscopeError as InfoscopeError
    from infoscope.errors import InputError as InputError
    from infoscope.evaluation import Evaluation as Evaluation
    from infoscope.evaluation import evaluate as evaluate
    from infoscope.operating_points import sweep as sweep
    from infoscope.operating_points import tune as tune
    from infoscope.posterior import Posterior as Posterior
    from infoscope.raters import agreement as agreement
    from infoscope.readers import Counter as Counter
    from infoscope.readers import read as read
    from infoscope.readers import read_joint as read_joint
    from infoscope.tables import Contingency as Contingency

__version__ = "0.1.0"

_HOMES = {
    "Card": "infoscope.cards",
    "Comparison": "infoscope.comparison",
    "Contingency": "infoscope.tables",
    "Counter": "infoscope.readers",
    "CrossValidation": "infoscope.cross_validation",
    "Evaluation": "infoscope.evaluation",
    "InfoscopeError": "infoscope.errors",
    "InputError": "infoscope.errors",
    "Posterior": "infoscope.posterior",
    "agreement": "infoscope.raters",
    "catalogue": "infoscope.cards",
    "compare": "infoscope.comparison",
    "cross_validate": "infoscope.cross_validation",
    "evaluate": "infoscope.evaluation",
    "read": "infoscope.readers",
    "read_joint": "infoscope.readers",
    "sweep": "infoscope.operating_points",
    "tune": "infoscope.operating_points",
}
_MODULES = {
    "metrics",
    "multilabel",
    "operating_points",
    "tracking",
}

__all__ = [
    "Card",
    "Comparison",
    "Contingency",
    "Counter",
    "CrossValidation",
    "Evaluation",
    "InfoscopeError",
    "InputError",
    "Posterior",
    "__version__",
    "agreement",
    "catalogue",
    "compare",
    "cross_validate",
    "evaluate",
    "metrics",
    "multilabel",
    "operating_points",
    "read",
    "read_joint",
    "sweep",
    "tracking",
    "tune",
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
