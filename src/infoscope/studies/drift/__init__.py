"""Drift: what changed between two periods, without a truth."""

from infoscope.studies.drift.api import drift
from infoscope.studies.drift.result import Drift

__all__ = ["Drift", "drift"]
