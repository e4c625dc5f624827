"""Evaluation: from tables to the result."""

from infoscope.evaluation.api import evaluate
from infoscope.evaluation.gate import Baseline, Condition, Gate, judge
from infoscope.evaluation.result import (
    CellLoss,
    ClassEstimates,
    ConfusedPair,
    Evaluation,
    GroupComparison,
    IntervalMethod,
    SystemResult,
)

__all__ = [
    "Baseline",
    "CellLoss",
    "ClassEstimates",
    "Condition",
    "ConfusedPair",
    "Evaluation",
    "Gate",
    "GroupComparison",
    "IntervalMethod",
    "SystemResult",
    "evaluate",
    "judge",
]
