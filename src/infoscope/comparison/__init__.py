"""Systems on one truth: the difference, and how sure we are of it."""

from infoscope.comparison.api import compare, compare_predictions
from infoscope.comparison.options import DEFAULT_METRICS
from infoscope.comparison.predictions import PairCells, PairedPredictions
from infoscope.comparison.ranking import Ranking
from infoscope.comparison.result import Comparison, Improvement

__all__ = [
    "DEFAULT_METRICS",
    "Comparison",
    "Improvement",
    "PairCells",
    "PairedPredictions",
    "Ranking",
    "compare",
    "compare_predictions",
]
