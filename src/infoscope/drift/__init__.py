"""Drift: what changed between two periods, without a truth."""

from infoscope.drift.api import drift
from infoscope.drift.result import Drift

__all__ = ["Drift", "drift"]
