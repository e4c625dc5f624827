"""Systems on one truth: the difference, and how sure we are of it."""

from infoscope.studies.compare.api import compare, compare_predictions
from infoscope.studies.compare.options import DEFAULT_METRICS
from infoscope.studies.compare.predictions import PairCells, PairedPredictions
from infoscope.studies.compare.ranking import Ranking
from infoscope.studies.compare.result import Comparison, Improvement

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
