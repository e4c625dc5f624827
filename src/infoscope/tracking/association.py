"""From tracks to the association table: match every frame, then count who followed whom."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from infoscope.numeric import Real
from infoscope.tables.association import Association
from infoscope.tables.tracks import Ints, Tracks
from infoscope.tracking.matching import independent, sticky, wholesale
from infoscope.tracking.similarity import Pairs

__all__ = ["MATCHES", "associate", "count_matches", "share_pairs"]

MATCHES: dict[str, Callable[[Tracks, Pairs, float], Pairs]] = {
    "sticky": sticky,
    "independent": independent,
    "global": wholesale,
    "fractional": sticky,  # the table is shared out; what needs one partner a frame takes the default's
}


def associate(tracks: Tracks, pairs: Pairs, *, match: str, gate: float) -> tuple[Association, Pairs]:
    """The association table, and the one-to-one pairs behind the conventional metrics."""
    matched = MATCHES[match](tracks, pairs, gate)
    if match == "fractional":
        return share_pairs(tracks, pairs.above(gate)), matched
    return count_matches(tracks, matched), matched


def count_matches(tracks: Tracks, matched: Pairs) -> Association:
    """Frames that each truth track and each system track spent together, one partner a frame."""
    cells = _Cells.of(tracks, matched)
    counts = np.bincount(cells.index, minlength=len(cells.rows)).astype(np.float64)
    return _table(tracks, cells, counts, counts)


def share_pairs(tracks: Tracks, gated: Pairs) -> Association:
    """Every detection shared equally among all partners that pass the gate."""
    cells = _Cells.of(tracks, gated)
    truth = np.bincount(gated.truth, minlength=len(tracks.truth))[gated.truth]
    system = np.bincount(gated.system, minlength=len(tracks.system))[gated.system]
    size = len(cells.rows)
    return _table(
        tracks,
        cells,
        np.bincount(cells.index, 1.0 / truth, minlength=size),
        np.bincount(cells.index, 1.0 / system, minlength=size),
        met=gated,
    )


class _Cells(NamedTuple):
    """The cells of truth track × system track that occur, and the cell of each pair."""

    rows: Ints
    columns: Ints
    index: Ints

    @classmethod
    def of(cls, tracks: Tracks, pairs: Pairs) -> "_Cells":
        width = max(len(tracks.system.ids), 1)
        codes = tracks.truth.tracks[pairs.truth] * width + tracks.system.tracks[pairs.system]
        cells, index = np.unique(codes, return_inverse=True)
        return cls(cells // width, cells % width, index)


def _table(
    tracks: Tracks, cells: _Cells, counts: Real, mirror: Real, met: Pairs | None = None
) -> Association:
    truth, system = tracks.truth, tracks.system
    if met is None:
        missed = truth.lengths - np.bincount(cells.rows, counts, minlength=len(truth.ids))
        false = system.lengths - np.bincount(cells.columns, mirror, minlength=len(system.ids))
    else:
        missed = _alone(met.truth, truth.tracks, len(truth.ids))
        false = _alone(met.system, system.tracks, len(system.ids))
    return Association(truth.ids, system.ids, cells.rows, cells.columns, counts, mirror, missed, false)


def _alone(met: Ints, tracks: Ints, size: int) -> Real:
    """Detections of each track that met nobody."""
    lonely = np.ones(len(tracks), dtype=bool)
    lonely[met] = False
    return np.bincount(tracks[lonely], minlength=size).astype(np.float64)
