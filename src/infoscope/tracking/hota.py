"""What HOTA and the identity metrics sum: the best one-to-one match seen from the whole sequence."""

from typing import NamedTuple

import numpy as np

from infoscope.numeric import Real
from infoscope.tables.tracks import Ints, Tracks, sum_by
from infoscope.tracking.matching import alignment, heaviest, heaviest_overall
from infoscope.tracking.similarity import ROUNDING, SimilarPairs
from infoscope.tracking.sums import LEVELS

__all__ = ["ByLevel", "identity_matches", "sum_by_level"]


class ByLevel(NamedTuple):
    """Sums by truth track and similarity level."""

    matched: Real
    association: Real
    similarity: Real


def sum_by_level(tracks: Tracks, pairs: SimilarPairs) -> ByLevel:
    """Matches, their association scores and their similarities at each level: one assignment serves all levels."""
    truth, system = tracks.truth, tracks.system
    best = pairs.where(heaviest(tracks, pairs, alignment(tracks, pairs) * pairs.similarity))
    width = max(len(system.ids), 1)
    codes = truth.tracks[best.truth] * width + system.tracks[best.system]
    cells, cell = np.unique(codes, return_inverse=True)
    rows, columns = cells // width, cells % width
    levels = np.searchsorted(LEVELS - ROUNDING, best.similarity, side="right")
    together = _at_least(cell, levels, np.ones(len(cell)), len(cells))
    apart = (truth.lengths[rows] + system.lengths[columns])[:, None] - together
    association = together * together / np.maximum(apart, 1.0)
    track = truth.tracks[best.truth]
    return ByLevel(
        matched=_gathered(together, rows, len(truth.ids)),
        association=_gathered(association, rows, len(truth.ids)),
        similarity=_at_least(track, levels, best.similarity, len(truth.ids)),
    )


def identity_matches(tracks: Tracks, pairs: SimilarPairs, gate: float) -> Real:
    """Frames in which each truth track has its one system id, chosen so that their sum is greatest."""
    close = pairs.where(pairs.similarity >= gate)
    width = max(len(tracks.system.ids), 1)
    codes = tracks.truth.tracks[close.truth] * width + tracks.system.tracks[close.system]
    cells, counts = np.unique(codes, return_counts=True)
    rows, columns = cells // width, cells % width
    chosen = heaviest_overall(rows, columns, counts.astype(np.float64))
    return sum_by(rows[chosen], counts[chosen], len(tracks.truth.ids))


def _at_least(groups: Ints, levels: Ints, weights: Real, size: int) -> Real:
    """For each group and level, the sum over those that pass at least that level."""
    height = len(LEVELS) + 1
    passed = sum_by(groups * height + levels, weights, size * height).reshape(size, height)
    return np.cumsum(passed[:, ::-1], axis=1)[:, ::-1][:, 1:]


def _gathered(values: Real, rows: Ints, size: int) -> Real:
    """Rows of the same track added up; they come in the order of tracks."""
    summed = np.zeros((size, values.shape[1]))
    if len(rows):
        starts = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
        summed[rows[starts]] = np.add.reduceat(values, starts, axis=0)
    return summed
