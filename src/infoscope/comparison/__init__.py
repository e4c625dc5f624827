"""Systems on one truth: the difference, and how sure we are of it."""

from infoscope.comparison.answers import Answers, PairCells
from infoscope.comparison.document import Comparison, Pair, Ranking, renders
from infoscope.comparison.front import DEFAULT_METRICS, compare

__all__ = ["DEFAULT_METRICS", "Answers", "Comparison", "Pair", "PairCells", "Ranking", "compare", "renders"]
