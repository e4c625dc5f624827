"""Evaluation: from tables to the result."""

from infoscope.studies.evaluate.api import evaluate
from infoscope.studies.evaluate.gate import EFFECTS, Baseline, Condition, Gate, fail_unused_labels, judge
from infoscope.studies.evaluate.history import reject_damaged_newest
from infoscope.studies.evaluate.result import (
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
    "EFFECTS",
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
    "fail_unused_labels",
    "judge",
    "reject_damaged_newest",
]
