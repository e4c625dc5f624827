"""How much a result owes to chance in its making: to the folds of a cross-validation, or to which half was seen."""

from infoscope.studies.cross_validate.api import cross_validate
from infoscope.studies.cross_validate.monte_carlo import monte_carlo
from infoscope.studies.cross_validate.result import CrossValidation, EstimatorScores, ScoreOverlap
from infoscope.studies.cross_validate.stability import stability

__all__ = ["CrossValidation", "EstimatorScores", "ScoreOverlap", "cross_validate", "monte_carlo", "stability"]
