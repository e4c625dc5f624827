"""Infoscope: how much of the truth a system's output carries, how sure we are, and where the rest gets lost.

>>> import infoscope as ifs
>>> table = ifs.Contingency.from_labels(["cat", "cat", "dog", "dog"], ["cat", "dog", "dog", "dog"])
>>> print(f"{ifs.metrics.proficiency(table):.3f}")
0.311

Names load on first use, so that importing the package costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would double the time until Ctrl-C can be heeded
if TYPE_CHECKING:
    from typing import Any

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
    from infoscope.cross_validation import stability as stability
    from infoscope.errors import InfoscopeError as InfoscopeError
    from infoscope.errors import InfoscopeWarning as InfoscopeWarning
    from infoscope.errors import InputError as InputError
    from infoscope.errors import MissingLabelsWarning as MissingLabelsWarning
    from infoscope.evaluation import Evaluation as Evaluation
    from infoscope.evaluation import evaluate as evaluate
    from infoscope.figures import BoundsDisplay as BoundsDisplay
    from infoscope.figures import ClassInformationDisplay as ClassInformationDisplay
    from infoscope.figures import ComparisonDisplay as ComparisonDisplay
    from infoscope.figures import ConfusionDisplay as ConfusionDisplay
    from infoscope.figures import CoverageDisplay as CoverageDisplay
    from infoscope.figures import EntropyDiagramDisplay as EntropyDiagramDisplay
    from infoscope.figures import EntropyTriangleDisplay as EntropyTriangleDisplay
    from infoscope.figures import ImprovementDisplay as ImprovementDisplay
    from infoscope.figures import LeakDisplay as LeakDisplay
    from infoscope.figures import LedgerDisplay as LedgerDisplay
    from infoscope.figures import MetricCurvesDisplay as MetricCurvesDisplay
    from infoscope.figures import PerplexityDisplay as PerplexityDisplay
    from infoscope.figures import SplitTriangleDisplay as SplitTriangleDisplay
    from infoscope.figures import SurfaceDisplay as SurfaceDisplay
    from infoscope.figures import SweepDisplay as SweepDisplay
    from infoscope.figures.association import AssociationDisplay as AssociationDisplay
    from infoscope.figures.track_ledger import TrackLedgerDisplay as TrackLedgerDisplay
    from infoscope.figures.track_timeline import TrackTimelineDisplay as TrackTimelineDisplay
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
    "AssociationDisplay": "infoscope.figures.association",
    "Card": "infoscope.cards",
    "BoundsDisplay": "infoscope.figures",
    "ClassInformationDisplay": "infoscope.figures",
    "Comparison": "infoscope.comparison",
    "ComparisonDisplay": "infoscope.figures",
    "ConfusionDisplay": "infoscope.figures",
    "Contingency": "infoscope.tables",
    "Counter": "infoscope.readers",
    "CoverageDisplay": "infoscope.figures",
    "CrossValidation": "infoscope.cross_validation",
    "EntropyDiagramDisplay": "infoscope.figures",
    "EntropyTriangleDisplay": "infoscope.figures",
    "Evaluation": "infoscope.evaluation",
    "ImprovementDisplay": "infoscope.figures",
    "InfoscopeError": "infoscope.errors",
    "InfoscopeWarning": "infoscope.errors",
    "InputError": "infoscope.errors",
    "LeakDisplay": "infoscope.figures",
    "LedgerDisplay": "infoscope.figures",
    "MetricCurvesDisplay": "infoscope.figures",
    "MissingLabelsWarning": "infoscope.errors",
    "PerplexityDisplay": "infoscope.figures",
    "Posterior": "infoscope.posterior",
    "SplitTriangleDisplay": "infoscope.figures",
    "SurfaceDisplay": "infoscope.figures",
    "SweepDisplay": "infoscope.figures",
    "TrackLedgerDisplay": "infoscope.figures.track_ledger",
    "TrackTimelineDisplay": "infoscope.figures.track_timeline",
    "agreement": "infoscope.raters",
    "catalogue": "infoscope.cards",
    "compare": "infoscope.comparison",
    "cross_validate": "infoscope.cross_validation",
    "evaluate": "infoscope.evaluation",
    "read": "infoscope.readers",
    "read_joint": "infoscope.readers",
    "stability": "infoscope.cross_validation",
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
    "AssociationDisplay",
    "BoundsDisplay",
    "Card",
    "ClassInformationDisplay",
    "Comparison",
    "ComparisonDisplay",
    "ConfusionDisplay",
    "Contingency",
    "Counter",
    "CoverageDisplay",
    "CrossValidation",
    "EntropyDiagramDisplay",
    "EntropyTriangleDisplay",
    "Evaluation",
    "ImprovementDisplay",
    "InfoscopeError",
    "InfoscopeWarning",
    "InputError",
    "LeakDisplay",
    "LedgerDisplay",
    "MetricCurvesDisplay",
    "MissingLabelsWarning",
    "PerplexityDisplay",
    "Posterior",
    "SplitTriangleDisplay",
    "SurfaceDisplay",
    "SweepDisplay",
    "TrackLedgerDisplay",
    "TrackTimelineDisplay",
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
    "stability",
    "sweep",
    "tracking",
    "tune",
]


def _module(name: str) -> Any:
    import importlib  # noqa: PLC0415 - the first thing that happens on the command line is that Ctrl-C is heeded

    return importlib.import_module(name)


def __getattr__(name: str) -> Any:
    """Load a public name from where it lives."""
    if name in _MODULES:
        value: Any = _module(f"infoscope.{name}")
    elif name in _HOMES:
        value = getattr(_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'infoscope' has no attribute {name!r}")
    globals()[name] = value
    return value


def load_renderers(*others: str) -> None:
    """Load the reports, which file themselves with what they show."""
    for name in ("report", "report.html", "report.notebook", *others):
        _module(f"infoscope.{name}")


def rendered(form: str, thing: Any) -> str:
    """How a report shows a thing that lies below the reports, as a table in a notebook."""
    return str(_module("infoscope.evaluation").renderer(form)(thing))


def __dir__() -> list[str]:
    """Public names, loaded or not."""
    return sorted(__all__)
