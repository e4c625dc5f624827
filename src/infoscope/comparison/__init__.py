"""Systems on one truth: the difference, and how sure we are of it."""

from infoscope.comparison.answers import Answers, PairCells
from infoscope.comparison.document import Comparison, Improvement, Pair, renders
from infoscope.comparison.front import compare, compare_answers
from infoscope.comparison.question import DEFAULT_METRICS
from infoscope.comparison.ranking import Ranking
from infoscope.comparison.same_rows import MISSING_ROWS

__all__ = [
    "DEFAULT_METRICS",
    "MISSING_ROWS",
    "Answers",
    "Comparison",
    "Improvement",
    "Pair",
    "PairCells",
    "Ranking",
    "compare",
    "compare_answers",
    "renders",
]
