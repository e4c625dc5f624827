"""Evaluation: from tables to the result document."""

from infoscope.evaluation.document import (
    SCHEMA,
    ClassResult,
    Evaluation,
    Leak,
    PairResult,
    Source,
    SystemResult,
    renders,
)
from infoscope.evaluation.front import evaluate
from infoscope.evaluation.values import Value

__all__ = [
    "SCHEMA",
    "ClassResult",
    "Evaluation",
    "Leak",
    "PairResult",
    "Source",
    "SystemResult",
    "Value",
    "evaluate",
    "renders",
]
