"""Drift: what changed between two periods, without a truth."""

from infoscope.periods.api import drift
from infoscope.periods.result import Drift

__all__ = ["Drift", "drift"]
