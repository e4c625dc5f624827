"""Two systems of one evaluation that answered the same rows, as the comparison found them."""

from __future__ import annotations

from dataclasses import dataclass

from infoscope.evaluation import Evaluation

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


def against(evaluation: Evaluation, name: str, other: str) -> Gap | None:
    """Name − other in captured information; None where they were not compared."""
    for pair in (evaluation.comparison or {}).get("pairs", ()):
        if pair["metric"] != "proficiency" or {pair["a"], pair["b"]} != {name, other}:
            continue
        turned = pair["a"] != name
        better = float(pair["probability_a_better"])
        return Gap(
            -pair["difference"] if turned else pair["difference"],
            (pair["high"] - pair["low"]) / 2.0,
            1.0 - better if turned else better,
            _OPPOSITE.get(pair["verdict"], pair["verdict"]) if turned else pair["verdict"],
        )
    return None
