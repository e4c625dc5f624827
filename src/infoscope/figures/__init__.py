"""Figures: one file a picture, its coordinates first, then the drawing."""

from infoscope.figures.bounds import BoundsDisplay
from infoscope.figures.class_information import ClassInformationDisplay
from infoscope.figures.confusion import ConfusionDisplay
from infoscope.figures.coverage import CoverageDisplay
from infoscope.figures.entropy_diagram import EntropyDiagramDisplay
from infoscope.figures.forest import ComparisonDisplay
from infoscope.figures.improvement import ImprovementDisplay
from infoscope.figures.leaks import LeakDisplay
from infoscope.figures.ledger import LedgerDisplay
from infoscope.figures.metric_curves import MetricCurvesDisplay
from infoscope.figures.perplexity_chain import PerplexityDisplay
from infoscope.figures.surface import SurfaceDisplay
from infoscope.figures.sweep import SweepDisplay
from infoscope.figures.triangle import EntropyTriangleDisplay, SplitTriangleDisplay

__all__ = [
    "BoundsDisplay",
    "ClassInformationDisplay",
    "ComparisonDisplay",
    "ConfusionDisplay",
    "CoverageDisplay",
    "EntropyDiagramDisplay",
    "EntropyTriangleDisplay",
    "ImprovementDisplay",
    "LeakDisplay",
    "LedgerDisplay",
    "MetricCurvesDisplay",
    "PerplexityDisplay",
    "SplitTriangleDisplay",
    "SurfaceDisplay",
    "SweepDisplay",
]
