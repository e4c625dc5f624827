"""Tables that nobody counted: expected counts of a model, with draws of the table and what a reader must know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from infoscope.core.numerics import Real

__all__ = ["Estimation"]


@dataclass(frozen=True, eq=False)
class Estimation:
    """Where an estimated table came from."""

    caveat: str
    """What a reader of any number of the table must know first."""
    draws: Real
    """Draws of the table, (draws, k, m): their spread is the uncertainty of every metric."""
    has_interval: bool = True
    """Whether the draws settle anything; where they do not, intervals are withheld."""
    basis: Literal["agreement", "judge"] = "agreement"
    """What it was estimated from: the agreement of systems without any truth, or a judge and few labels."""
    moments: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Exact mean and sd by metric, where they are known better than from draws."""
