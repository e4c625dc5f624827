"""Systems on one truth: the difference, and how sure we are of it."""

from infoscope.comparison.answers import Answers, PairCells
from infoscope.comparison.front import compare, compare_answers
from infoscope.comparison.question import DEFAULT_METRICS
from infoscope.comparison.ranking import Ranking
from infoscope.comparison.result import Comparison, Improvement

__all__ = [
    "DEFAULT_METRICS",
    "Answers",
    "Comparison",
    "Improvement",
    "PairCells",
    "Ranking",
    "compare",
    "compare_answers",
]
