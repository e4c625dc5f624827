"""One sequence, accounted for: association, ledger, and what each track adds to each metric."""

from dataclasses import dataclass

import numpy as np

from infoscope.core.numerics import Real, ratio
from infoscope.studies.tracking.conventional_sums import (
    Mates,
    count_fragmentations,
    identity_matches,
    longest_runs,
    sum_by_level,
    trace_handovers,
)
from infoscope.studies.tracking.ledger import Ledger, associate, information_ledger
from infoscope.studies.tracking.options import TrackingOptions
from infoscope.studies.tracking.similarity import SimilarPairs
from infoscope.studies.tracking.sums import TrackSums, join
from infoscope.tables.tracks import Association, Tracks, count_by, sum_by

__all__ = ["Sequence", "account_for"]


@dataclass(frozen=True, eq=False)
class Sequence:
    """Everything the metrics, intervals and pictures of one sequence are made from."""

    tracks: Tracks
    matched: SimilarPairs
    association: Association
    ledger: Ledger
    truth_rows: TrackSums
    system_rows: TrackSums

    @property
    def name(self) -> str:
        """The name both sides were matched by."""
        return self.tracks.name

    @property
    def total(self) -> TrackSums:
        """The sums of the whole sequence."""
        return join([self.truth_rows, self.system_rows]).total()


def account_for(tracks: Tracks, pairs: SimilarPairs, settings: TrackingOptions) -> Sequence:
    """Match the frames of a sequence and sum up what every metric needs."""
    association, matched = associate(tracks, pairs, match=settings.match, gate=settings.threshold)
    ledger = information_ledger(association, settings.null)
    runs = longest_runs(tracks, Mates.of(tracks, matched))
    return Sequence(
        tracks=tracks,
        matched=matched,
        association=association,
        ledger=ledger,
        truth_rows=_with_ledger(
            _truth_rows(tracks, pairs, matched, settings.threshold)._replace(
                truth_longest=ratio(runs.truth, tracks.truth.lengths)
            ),
            {
                "truth_bits": ledger.truth,
                "missed_bits": ledger.missed,
                "confused_bits": ledger.confused,
                "fragmented_bits": ledger.fragmented,
                "truth_events": ledger.truth_events,
            },
        ),
        system_rows=_with_ledger(
            _system_rows(tracks, matched)._replace(system_longest=ratio(runs.system, tracks.system.lengths)),
            {"spurious_bits": ledger.spurious, "system_events": ledger.system_events},
        ),
    )


def _truth_rows(tracks: Tracks, pairs: SimilarPairs, matched: SimilarPairs, gate: float) -> TrackSums:
    """A row a truth track; system boxes that found their truth are counted here."""
    truth = tracks.truth
    track = truth.tracks[matched.truth]
    size = len(truth.ids)
    found = count_by(track, size)
    covered = ratio(found, truth.lengths)
    mates = Mates.of(tracks, matched)
    handovers = trace_handovers(tracks, mates)
    levels = sum_by_level(tracks, pairs)
    mostly = covered > 0.8
    return TrackSums.rows(size)._replace(
        truth_boxes=truth.lengths.astype(np.float64),
        system_boxes=found,
        truth_tracks=np.ones(size),
        matched=found,
        similarity=sum_by(track, matched.similarity, size),
        id_switches=handovers.switches,
        swaps=handovers.swaps,
        transfers=handovers.transfers,
        fragmentations=count_fragmentations(tracks, mates),
        mostly_tracked=mostly.astype(np.float64),
        partly_tracked=((covered >= 0.2) & ~mostly).astype(np.float64),
        id_matched=identity_matches(tracks, pairs, gate),
        truth_covered=covered,
        level_matched=levels.matched,
        level_association=levels.association,
        level_similarity=levels.similarity,
    )


def _system_rows(tracks: Tracks, matched: SimilarPairs) -> TrackSums:
    """A row a system track, with its boxes that found no truth."""
    system = tracks.system
    size = len(system.ids)
    found = count_by(system.tracks[matched.system], size)
    return TrackSums.rows(size)._replace(
        system_boxes=system.lengths - found,
        system_tracks=np.ones(size),
        system_covered=ratio(found, system.lengths),
    )


def _with_ledger(rows: TrackSums, lines: dict[str, Real]) -> TrackSums:
    """The ledger's lines by track; where "none" is a track, it gets a row of its own."""
    extra = max(len(line) for line in lines.values()) - rows.tracks
    return (join([rows, TrackSums.rows(extra)]) if extra else rows)._replace(**lines)
