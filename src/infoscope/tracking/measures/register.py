"""Metrics of trackers: pure functions of the sums over tracks, in the register of all metrics."""

from collections.abc import Callable
from typing import TypeAlias

from infoscope.metrics.registry import Card, Metric, described, register
from infoscope.numeric import Real
from infoscope.tracking.sums import TrackSums

__all__ = ["Score", "measure"]

Score: TypeAlias = Callable[[TrackSums], Real]


def measure(card: Card) -> Callable[[Score], Metric]:
    """The function as a registered metric of tracks; its first sentence becomes the card's meaning."""
    return lambda score: register(described(score, card, domain="tracks"))
