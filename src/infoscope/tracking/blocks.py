"""How the ledger's ratios vary in time: frame by frame contributions, and the spread of blocks of frames.

The ledger's lines grow in proportion to the counts, so each line is the sum over events of its derivative by
that event's count. Summed by frame, these are the contributions that a resampling of frames would move.
"""

from typing import NamedTuple

import numpy as np

from infoscope.numeric import Real, as_real
from infoscope.tables.tracks import Ints, sum_by
from infoscope.tracking.sequence import Sequence

__all__ = ["InTime", "bits_in_time", "block_covariance"]

_LN2 = float(np.log(2.0))
_BLOCKS = 5


class InTime(NamedTuple):
    """Bits by frame: of the truth, lost of it, and false."""

    truth: Real
    lost: Real
    false: Real


def bits_in_time(sequence: Sequence) -> InTime:
    """What each frame contributes to the ledger's lines under the prior convention; sums are the totals."""
    tracks, table = sequence.tracks, sequence.association
    frames = len(tracks.frame_numbers)
    name = _log_share(tracks.truth.lengths)
    label = _log_share(tracks.system.lengths)
    unmatched, unexplained = (
        _alone(sequence.matched.truth, len(tracks.truth)),
        _alone(sequence.matched.system, len(tracks.system)),
    )
    truth = name[tracks.truth.tracks]
    # a further frame of a track changes the price of all its misses
    repriced = (table.missed.sum() / max(len(tracks.truth), 1) - table.missed / tracks.truth.lengths) / _LN2
    missed = truth * unmatched + repriced[tracks.truth.tracks]
    resold = (table.false.sum() / max(len(tracks.system), 1) - table.false / tracks.system.lengths) / _LN2
    spurious = label[tracks.system.tracks] * unexplained + resold[tracks.system.tracks]
    confused, fragmented = _matched_bits(sequence)
    met = tracks.truth.frames[sequence.matched.truth]
    return InTime(
        truth=sum_by(tracks.truth.frames, truth, frames),
        lost=sum_by(tracks.truth.frames, missed, frames) + sum_by(met, confused, frames),
        false=sum_by(tracks.system.frames, spurious, frames) + sum_by(met, fragmented, frames),
    )


def block_covariance(sequences: list[Sequence], truth_bits: float) -> Real:
    """Covariance of (f, r) when fifths of each sequence are drawn again, circularly, from its frames."""
    times = [bits_in_time(sequence) for sequence in sequences]
    lost = sum(float(time.lost.sum()) for time in times) / truth_bits
    false = sum(float(time.false.sum()) for time in times) / truth_bits
    covariance = np.zeros((2, 2))
    for time in times:
        frames = len(time.truth)
        if frames < _BLOCKS:
            continue
        moves = np.stack([lost * time.truth - time.lost, time.false - false * time.truth]) / truth_bits
        length = round(frames / _BLOCKS)
        covariance += frames / length * np.cov(_circular_sums(moves, length), ddof=0)
    return covariance


def _matched_bits(sequence: Sequence) -> tuple[Real, Real]:
    """Confused and fragmented bits of every matched pair of detections."""
    tracks, table = sequence.tracks, sequence.association
    width = max(len(tracks.system.ids), 1)
    cells = table.rows * width + table.columns
    rows, columns = (
        tracks.truth.tracks[sequence.matched.truth],
        tracks.system.tracks[sequence.matched.system],
    )
    together = table.counts[np.searchsorted(cells, rows * width + columns)]
    return (
        np.log2(table.system_matched[columns] / together),
        np.log2(table.truth_matched[rows] / together),
    )


def _circular_sums(values: Real, length: int) -> Real:
    """Sums of so many consecutive columns from each column on, past the end from the start again."""
    ends = np.cumsum(np.concatenate([values, values[:, :length]], axis=1), axis=1)
    return as_real(ends[:, length:] - ends[:, :-length])


def _log_share(lengths: Ints) -> Real:
    return as_real(np.log2(lengths.sum() / np.maximum(lengths, 1)))


def _alone(met: Ints, size: int) -> Real:
    alone = np.ones(size)
    alone[met] = 0.0
    return alone
