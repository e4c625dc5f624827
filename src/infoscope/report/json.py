"""An evaluation as JSON: the result document itself."""

from __future__ import annotations

from infoscope.evaluation import Evaluation, renders

__all__ = ["as_json"]


@renders("json")
def as_json(evaluation: Evaluation) -> str:
    """The versioned document; never depends on unit, width or colour."""
    return evaluation.to_json() + "\n"
