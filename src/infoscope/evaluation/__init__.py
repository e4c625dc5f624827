"""Evaluation: from tables to the result."""

from infoscope.evaluation.api import evaluate
from infoscope.evaluation.gate import Gate
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
    "CellLoss",
    "ClassEstimates",
    "ConfusedPair",
    "Evaluation",
    "Gate",
    "GroupComparison",
    "IntervalMethod",
    "SystemResult",
    "evaluate",
]
