"""Evaluation: from tables to the result document."""

from infoscope.evaluation.document import (
    SCHEMA,
    ClassResult,
    Evaluation,
    Leak,
    PairResult,
    Source,
    SystemResult,
    renderer,
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
    "renderer",
    "renders",
]
