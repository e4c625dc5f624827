"""What a track adds to each metric: plain sums, so that tracks and sequences can be added or left out.

Every metric of a tracker is a pure function of such sums, in the registry of all metrics. That is why sequences
combine by addition, why an interval is a matter of leaving one out, and why a metric is written once for one set of
sums or a batch.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from infoscope.core.numerics import Real
from infoscope.metrics.registry import Card, Metric, described, register

__all__ = ["LEVELS", "Score", "TrackSums", "join", "measure"]

LEVELS = np.arange(0.05, 0.99, 0.05)
"""HOTA's nineteen similarity levels."""


class TrackSums(NamedTuple):
    """Sums over tracks, with any leading axes; those of HOTA have a last axis of levels."""

    truth_boxes: Real
    system_boxes: Real
    truth_tracks: Real
    system_tracks: Real
    matched: Real
    similarity: Real
    id_switches: Real
    fragmentations: Real
    mostly_tracked: Real
    partly_tracked: Real
    id_matched: Real
    truth_covered: Real
    truth_longest: Real
    system_covered: Real
    system_longest: Real
    swaps: Real
    transfers: Real
    truth_events: Real
    system_events: Real
    truth_bits: Real
    missed_bits: Real
    confused_bits: Real
    fragmented_bits: Real
    spurious_bits: Real
    level_matched: Real
    level_association: Real
    level_similarity: Real

    @classmethod
    def rows(cls, size: int) -> Self:
        """Nothing yet, for this many tracks."""
        flat = len(cls._fields) - 3
        return cls(*(np.zeros(size) for _ in range(flat)), *(np.zeros((size, len(LEVELS))) for _ in range(3)))

    @property
    def tracks(self) -> int:
        """How many rows there are."""
        return len(self.truth_boxes)

    def total(self) -> Self:
        """The sum over the rows."""
        return type(self)(*(part.sum(axis=0) for part in self))

    def without_each(self) -> Self:
        """The total with one row left out, for every row in turn, at the scale of the whole."""
        scale = self.tracks / (self.tracks - 1)
        return type(self)(*((part.sum(axis=0) - part) * scale for part in self))

    def at(self, row: int) -> Self:
        """One row."""
        return type(self)(*(part[row] for part in self))

    def among(self, whole: Self) -> Self:
        """The whole less each row in turn."""
        return type(self)(*(every - part for every, part in zip(whole, self, strict=True)))


def join(tallies: Iterable[TrackSums]) -> TrackSums:
    """Rows under rows."""
    return TrackSums(*(np.concatenate(parts) for parts in zip(*tallies, strict=True)))


def stack(tallies: Iterable[TrackSums]) -> TrackSums:
    """One row for each total."""
    return TrackSums(*(np.stack(parts) for parts in zip(*tallies, strict=True)))


Score: TypeAlias = Callable[[TrackSums], Real]


def measure(card: Card) -> Callable[[Score], Metric]:
    """The function as a registered metric of tracks; its first sentence becomes the card's meaning."""
    return lambda score: register(described(score, card, domain="tracks"))
