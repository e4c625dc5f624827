"""Operating points: thresholds, rejection and tuning curves."""

from infoscope.operating_points.choice import Choice
from infoscope.operating_points.front import sweep, sweep_levels
from infoscope.operating_points.sweeping import Sweep

__all__ = ["Choice", "Sweep", "sweep", "sweep_levels"]
