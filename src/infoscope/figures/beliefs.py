"""What pictures ask of the posterior: a place with its spread, draws, a range."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.figures.scene import Point
from infoscope.metrics import false_information_ratio, proficiency
from infoscope.posterior import Posterior
from infoscope.quick_dataclasses import dataclass
from infoscope.tables import Contingency

__all__ = ["Spread", "believed_place", "believed_range"]


@dataclass(frozen=True)
class Spread:
    """What is believed about a system's place: mean and covariance of (false, captured)."""

    mean: Point
    covariance: NDArray[Any]
    degrees: int | None = None
    """Degrees of freedom of a covariance that was estimated; None where it is known."""


def believed_place(table: Contingency, *, cloud: int = 0, seed: int = 0) -> tuple[Spread, NDArray[Any] | None]:
    """Mean, covariance and, where asked for, draws of a system's place in the coverage plot."""
    names = ["false_information_ratio", "proficiency"]
    belief = Posterior(table, seed=seed)
    mean = float(belief.mean(names[0])), float(belief.mean(names[1]))
    spread = Spread(mean, np.asarray(belief.covariance(names), dtype=np.float64))
    if not cloud:
        return spread, None
    drawn = belief.draw_tables(cloud, np.random.default_rng(seed))
    return spread, np.stack([np.asarray(false_information_ratio(drawn)), np.asarray(proficiency(drawn))], axis=-1)


def believed_range(table: Contingency, metric: str, level: float, seed: int) -> tuple[float, float, float]:
    """The posterior mean of a metric and both ends of its credible interval."""
    found = Posterior(table, seed=seed).summary(metric, level)
    return float(found.mean), float(found.low), float(found.high)
