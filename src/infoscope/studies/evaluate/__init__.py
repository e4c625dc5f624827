"""Evaluation: from tables to the result."""

from infoscope.studies.evaluate.api import evaluate
from infoscope.studies.evaluate.positive_class import check_positive_stated
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
    "CellExamples",
    "CellLoss",
    "ClassEstimates",
    "ConfusedPair",
    "Evaluation",
    "ExampleRow",
    "GroupComparison",
    "IntervalMethod",
    "SystemResult",
    "check_positive_stated",
    "evaluate",
]
