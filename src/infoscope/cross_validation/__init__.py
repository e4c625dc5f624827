"""How much a result owes to chance in its making: to the folds of a cross-validation, or to which half was seen."""

from infoscope.cross_validation.api import cross_validate
from infoscope.cross_validation.monte_carlo import monte_carlo
from infoscope.cross_validation.result import CrossValidation, EstimatorScores, ScoreOverlap
from infoscope.cross_validation.stability import stability

__all__ = ["CrossValidation", "EstimatorScores", "ScoreOverlap", "cross_validate", "monte_carlo", "stability"]
