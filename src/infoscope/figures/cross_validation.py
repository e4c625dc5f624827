"""The clouds of a cross-validation in the coverage plane: one point for each cut of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infoscope.figures.beliefs import Spread
from infoscope.figures.coverage import CoverageDisplay, CoveragePoint

if TYPE_CHECKING:
    from infoscope.cross_validation import CrossValidation

__all__ = ["fold_clouds"]

_AXES = ("false_information_ratio", "proficiency")


def fold_clouds(result: CrossValidation, *, level: float = 0.95, zoom: bool = True) -> CoverageDisplay:
    """Each estimator at the mean of its repeats, with all of them around it and an outline where three or more vary."""
    points = []
    for name in result.names:
        cloud = np.stack([result.cloud(name, axis) for axis in _AXES], axis=-1)
        false, captured = (float(x) for x in cloud.mean(axis=0))
        varied = result.repeats > 2 and bool((cloud.std(axis=0) > 0).any())
        spread = Spread((false, captured), np.cov(cloud.T)) if varied else None
        points.append(CoveragePoint(name, false, captured, spread=spread, cloud=cloud))
    return CoverageDisplay(points, level, zoom)
