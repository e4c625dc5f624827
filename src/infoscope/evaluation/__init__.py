"""Evaluation: from tables to the result."""

from infoscope.evaluation.api import evaluate
from infoscope.evaluation.gate import Baseline, Condition, Gate, judge
from infoscope.evaluation.result import (
    CellExamples,
    CellLoss,
    ClassEstimates,
    ConfusedPair,
    Evaluation,
    ExampleRow,
    GroupComparison,
    IntervalMethod,
    SystemResult,
)

__all__ = [
    "Baseline",
    "CellExamples",
    "CellLoss",
    "ClassEstimates",
    "Condition",
    "ConfusedPair",
    "Evaluation",
    "ExampleRow",
    "Gate",
    "GroupComparison",
    "IntervalMethod",
    "SystemResult",
    "evaluate",
    "judge",
]
