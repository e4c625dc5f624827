"""The information ledger: where the bits about who was where go, line by line and track by track.

Every frame is matched, then it is counted which track followed which; the ledger divides the bits of that table.
truth = captured + missed + confused, and beside it the false information, fragmented + spurious.
Every line is a sum of terms of at least 0, each of which belongs to a track. Sequences are added in bits.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import Real
from infoscope.studies.tracking.matching import independent, sticky, wholesale
from infoscope.studies.tracking.similarity import SimilarPairs, TrackCells
from infoscope.tables.tracks import Association, Ints, Tracks, count_by, sum_by

__all__ = ["MATCHES", "NULLS", "Ledger", "associate", "count_matches", "information_ledger", "share_pairs"]

NULLS = ("prior", "exclude", "class")


class Ledger(NamedTuple):
    """Bits by track: the first four by truth track, the next two by system track; then how many events count.

    Under ``null="class"`` a last entry on either side stands for "none", a track like any other there.
    """

    truth: Real
    missed: Real
    confused: Real
    fragmented: Real
    spurious: Real
    confused_by_system: Real
    truth_events: Real
    system_events: Real

    @property
    def captured(self) -> Real:
        """What is left of each truth track's information."""
        return self.truth - self.missed - self.confused


def information_ledger(table: Association, null: str = "prior") -> Ledger:
    """The ledger of a sequence under one way of treating frames without a partner.

    ``prior``: a miss leaves what was known before, and a false detection costs its own name.
    ``exclude``: only matched frames count, as they stand. ``class``: "none" is one more truth and one more
    system track.
    """
    matched, followed = table.truth_matched, table.system_matched
    mirrored = sum_by(table.rows, table.mirror, len(table.truth_ids))
    reported = sum_by(table.columns, table.mirror, len(table.system_ids))
    if null == "class":
        return _with_none(table, matched, followed)
    missed, false = table.missed, table.false
    if null == "exclude":
        missed, false = np.zeros_like(missed), np.zeros_like(false)
    confused = _bits(table.counts, followed[table.columns])
    lengths, system_lengths = matched + missed, reported + false
    return Ledger(
        truth=_bits_of_share(lengths, lengths),
        missed=_bits_of_share(missed, lengths),
        confused=sum_by(table.rows, confused, len(matched)),
        fragmented=sum_by(table.rows, _bits(table.mirror, mirrored[table.rows]), len(matched)),
        spurious=_bits_of_share(false, system_lengths),
        confused_by_system=sum_by(table.columns, confused, len(followed)),
        truth_events=lengths,
        system_events=system_lengths,
    )


def _with_none(table: Association, matched: Real, followed: Real) -> Ledger:
    """One joint table with a row and a column "none": missed and spurious are what those two say of a track."""
    missed, false = table.missed, table.false
    lengths = np.append(matched + missed, false.sum())
    reported = followed + false
    confused = _bits(table.counts, reported[table.columns])
    doubtful = _bits(false, reported)
    scattered = _bits(table.counts, lengths[table.rows])
    fragmented = sum_by(table.rows, scattered, len(matched)) + _bits(missed, lengths[:-1])
    return Ledger(
        truth=_bits_of_share(lengths, lengths),
        missed=np.append(_bits(missed, np.full_like(missed, missed.sum())), 0.0),
        confused=np.append(sum_by(table.rows, confused, len(matched)), doubtful.sum()),
        fragmented=np.append(fragmented, 0.0),
        spurious=np.append(_bits(false, np.full_like(false, false.sum())), 0.0),
        confused_by_system=np.append(
            sum_by(table.columns, confused, len(followed)) + doubtful,
            _bits(missed, np.full_like(missed, missed.sum())).sum(),
        ),
        truth_events=lengths,
        system_events=np.append(reported, missed.sum()),
    )


def _bits(parts: Real, wholes: Real) -> Real:
    """Each part times log₂(whole/part), 0 for an empty part."""
    times: Real = np.divide(wholes, parts, out=np.ones_like(parts), where=parts > 0)
    return parts * np.log2(times)


def _bits_of_share(events: Real, lengths: Real) -> Real:
    """Bits that name a track, for each of some of its events: a track of all lengths costs exactly 0."""
    times: Real = np.divide(lengths.sum(), lengths, out=np.ones_like(lengths), where=lengths > 0)
    return events * np.log2(times)


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
    cells = matched.cells(tracks)
    counts = count_by(cells.place, len(cells.rows))
    return _table(tracks, matched, cells, (counts, counts))


def share_pairs(tracks: Tracks, gated: SimilarPairs) -> Association:
    """Every detection shared equally among all partners that pass the gate."""
    cells = gated.cells(tracks)
    truth = count_by(gated.truth, len(tracks.truth))[gated.truth]
    system = count_by(gated.system, len(tracks.system))[gated.system]
    size = len(cells.rows)
    shares = sum_by(cells.place, 1.0 / truth, size), sum_by(cells.place, 1.0 / system, size)
    return _table(tracks, gated, cells, shares)


def _table(tracks: Tracks, pairs: SimilarPairs, cells: TrackCells, by_side: tuple[Real, Real]) -> Association:
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
