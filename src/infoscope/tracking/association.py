"""From tracks to the association table: match every frame, then count who followed whom."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from infoscope.numeric import Real
from infoscope.tables.association import Association
from infoscope.tables.tracks import Ints, Tracks, count_by, sum_by
from infoscope.tracking.matching import independent, sticky, wholesale
from infoscope.tracking.similarity import SimilarPairs

__all__ = ["MATCHES", "associate", "count_matches", "share_pairs"]

MATCHES: dict[str, Callable[[Tracks, SimilarPairs, float], SimilarPairs]] = {
    "sticky": sticky,
    "independent": independent,
    "global": wholesale,
    "fractional": sticky,  # the table is shared out; what needs one partner a frame takes the default's
}


def associate(tracks: Tracks, pairs: SimilarPairs, *, match: str, gate: float) -> tuple[Association, SimilarPairs]:
    """The association table, and the one-to-one pairs behind the conventional metrics."""
    matched = MATCHES[match](tracks, pairs, gate)
    if match == "fractional":
        return share_pairs(tracks, pairs.above(gate)), matched
    return count_matches(tracks, matched), matched


def count_matches(tracks: Tracks, matched: SimilarPairs) -> Association:
    """Frames that each truth track and each system track spent together, one partner a frame."""
    cells = _Cells.of(tracks, matched)
    counts = count_by(cells.place, len(cells.rows))
    return _table(tracks, matched, cells, (counts, counts))


def share_pairs(tracks: Tracks, gated: SimilarPairs) -> Association:
    """Every detection shared equally among all partners that pass the gate."""
    cells = _Cells.of(tracks, gated)
    truth = count_by(gated.truth, len(tracks.truth))[gated.truth]
    system = count_by(gated.system, len(tracks.system))[gated.system]
    size = len(cells.rows)
    shares = sum_by(cells.place, 1.0 / truth, size), sum_by(cells.place, 1.0 / system, size)
    return _table(tracks, gated, cells, shares)


class _Cells(NamedTuple):
    """The cells of truth track × system track that occur, and the cell of each pair."""

    rows: Ints
    columns: Ints
    place: Ints

    @classmethod
    def of(cls, tracks: Tracks, pairs: SimilarPairs) -> "_Cells":
        width = max(len(tracks.system.ids), 1)
        codes = tracks.truth.tracks[pairs.truth] * width + tracks.system.tracks[pairs.system]
        cells, place = np.unique(codes, return_inverse=True)
        return cls(cells // width, cells % width, place)


def _table(tracks: Tracks, pairs: SimilarPairs, cells: _Cells, by_side: tuple[Real, Real]) -> Association:
    truth, system = tracks.truth, tracks.system
    return Association(
        truth_ids=truth.ids,
        system_ids=system.ids,
        rows=cells.rows,
        columns=cells.columns,
        counts=by_side[0],
        mirror=by_side[1],
        missed=_alone(pairs.truth, truth.tracks, len(truth.ids)),
        false=_alone(pairs.system, system.tracks, len(system.ids)),
    )


def _alone(met: Ints, tracks: Ints, size: int) -> Real:
    """Detections of each track that met nobody."""
    lonely = np.ones(len(tracks), dtype=bool)
    lonely[met] = False
    return count_by(tracks[lonely], size)
