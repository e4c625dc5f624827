"""Operating points: thresholds, rejection and tuning curves."""

from infoscope.core.numerics import pareto_front
from infoscope.studies.operating_points.api import sweep, tune
from infoscope.studies.operating_points.averages import (
    average_accuracy,
    average_information,
    normalized_average_information,
)
from infoscope.studies.operating_points.calibration import Calibration, calibration
from infoscope.studies.operating_points.class_thresholds import ClassThresholds, class_thresholds
from infoscope.studies.operating_points.probabilistic import (
    ProbabilisticScores,
    probabilistic_scores,
    soft_table,
)
from infoscope.studies.operating_points.ranking import ScoreRanking
from infoscope.studies.operating_points.rejection import Abstention, abstention_bits, abstentions, rejection_summary
from infoscope.studies.operating_points.result import Sweep
from infoscope.studies.operating_points.score_groups import ScoreGroups, score_groups
from infoscope.studies.operating_points.score_metrics import (
    average_precision,
    brier_score,
    d2_brier_score,
    d2_log_loss,
    log_loss,
    perplexity,
    roc_auc,
)
from infoscope.studies.operating_points.score_summary import ScoreSummary, score_summary
from infoscope.studies.operating_points.selection import Choice, ChoiceOptions
from infoscope.studies.operating_points.surfaces import (
    BoundCurves,
    InformationSurface,
    bound_curves,
    information_surface,
)
from infoscope.studies.operating_points.thresholds import sweep_levels
from infoscope.studies.operating_points.tuning import BestSetting, Tuning, TuningOptions
from infoscope.studies.operating_points.two_thresholds import TwoThresholds, chow_thresholds, two_thresholds

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
