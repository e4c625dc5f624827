"""The public module ``infoscope.operating_points``: thresholds, rejection, tuning, and metrics of scores.

The names lie in ``sweep.py``, ``tune.py``, ``rejection.py``, ``scores.py``, ``calibration.py``, ``score_groups.py`` and
``bounds.py``, with the model below them in ``score_arrays.py``, ``score_ranking.py`` and ``threshold_choice.py``.
"""

from infoscope.core.numerics import pareto_front
from infoscope.studies.bounds import BoundCurves, InformationSurface, bound_curves, information_surface
from infoscope.studies.calibration import Calibration, calibration
from infoscope.studies.rejection import (
    Abstention,
    ClassThresholds,
    TwoThresholds,
    abstention_bits,
    abstentions,
    chow_thresholds,
    class_thresholds,
    rejection_summary,
    two_thresholds,
)
from infoscope.studies.score_groups import ScoreGroups, score_groups
from infoscope.studies.score_ranking import (
    ScoreRanking,
    average_accuracy,
    average_information,
    normalized_average_information,
)
from infoscope.studies.scores import (
    ProbabilisticScores,
    ScoreSummary,
    average_precision,
    brier_score,
    d2_brier_score,
    d2_log_loss,
    log_loss,
    perplexity,
    probabilistic_scores,
    roc_auc,
    score_summary,
    soft_table,
)
from infoscope.studies.sweep import Sweep, sweep, sweep_levels
from infoscope.studies.threshold_choice import Choice, ChoiceOptions
from infoscope.studies.tune import BestSetting, Tuning, TuningOptions, tune

__all__ = [
    "Abstention",
    "BestSetting",
    "BoundCurves",
    "Calibration",
    "Choice",
    "ChoiceOptions",
    "ClassThresholds",
    "InformationSurface",
    "ProbabilisticScores",
    "ScoreGroups",
    "ScoreRanking",
    "ScoreSummary",
    "Sweep",
    "Tuning",
    "TuningOptions",
    "TwoThresholds",
    "abstention_bits",
    "abstentions",
    "average_accuracy",
    "average_information",
    "average_precision",
    "bound_curves",
    "brier_score",
    "calibration",
    "chow_thresholds",
    "class_thresholds",
    "d2_brier_score",
    "d2_log_loss",
    "information_surface",
    "log_loss",
    "normalized_average_information",
    "pareto_front",
    "perplexity",
    "probabilistic_scores",
    "rejection_summary",
    "roc_auc",
    "score_groups",
    "score_summary",
    "soft_table",
    "sweep",
    "sweep_levels",
    "tune",
    "two_thresholds",
]
