"""Two systems of one evaluation that answered the same rows, as the comparison found them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infoscope.evaluation import Evaluation, SystemResult

__all__ = ["Gap", "against"]

_OPPOSITE = {"better": "worse", "worse": "better"}


@dataclass(frozen=True)
class Gap:
    """How far a system is from another in captured information."""

    difference: float
    half_width: float
    better: float
    """The probability that it captures more."""
    word: str
    """Better, worse or can't tell, by the comparison's own rule."""


def against(evaluation: Evaluation, system: SystemResult, other: SystemResult) -> Gap | None:
    """System − other in captured information; None where they were not compared: only a group's own rows are."""
    if (system.group or {}) != (other.group or {}):
        return None
    for pair in _pairs(evaluation, system.group):
        if pair["metric"] != "proficiency" or {pair["a"], pair["b"]} != {system.name, other.name}:
            continue
        turned = pair["a"] != system.name
        better = float(pair["probability_a_better"])
        return Gap(
            -pair["difference"] if turned else pair["difference"],
            (pair["high"] - pair["low"]) / 2.0,
            1.0 - better if turned else better,
            _OPPOSITE.get(pair["verdict"], pair["verdict"]) if turned else pair["verdict"],
        )
    return None


def _pairs(evaluation: Evaluation, group: Mapping[str, str] | None) -> Sequence[Any]:
    known = evaluation.comparison or {}
    if not group:
        return list(known.get("pairs", ()))
    return [pair for part in known.get("groups", ()) if part["group"] == group for pair in part["pairs"]]
