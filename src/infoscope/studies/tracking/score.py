"""From evaluated sequences to the numbers of a tracker's result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoscope.core.markup import counted
from infoscope.core.numerics import Real
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows
from infoscope.studies.tracking.followers import Segment, association_cells, frame_step, timeline, worst_first
from infoscope.studies.tracking.measures import captured_bits, curve, measures, values_of
from infoscope.studies.tracking.options import TrackingOptions
from infoscope.studies.tracking.preparation import Removal
from infoscope.studies.tracking.result import SequenceResult, SystemTrack, TrackerInterval, TrackerResult, TruthTrack
from infoscope.studies.tracking.sequence import Sequence
from infoscope.studies.tracking.sums import LEVELS, TrackSums, stack
from infoscope.studies.tracking.uncertainty import MetricSpread
from infoscope.tables.tracks import Association

__all__ = ["EvaluatedTracker", "InputAccount", "ledger_lines", "sequence_result", "tracker_result"]


@dataclass(frozen=True)
class InputAccount:
    """What became of the input before anything was matched."""

    findings: tuple[Finding, ...]
    removals: tuple[Removal, ...]
    set_aside: tuple[tuple[str, int], ...]
    extra: tuple[str, ...]
    """Tracks without a truth."""

    def ignored(self) -> tuple[IgnoredRows, ...]:
        """Rows that were read but not evaluated, by reason."""
        system = sum(each.system_removed for each in self.removals)
        truth = sum(each.truth_removed for each in self.removals)
        rules = " and ".join(sorted({each.rules for each in self.removals} - {"off"}))
        by = f" ({rules} preprocessing)" if rules else ""
        reasons = [
            (f"system boxes on distractors{by}", system),
            (f"truth boxes marked or classed as not to be evaluated{by}", truth),
            *self.set_aside,
        ]
        return tuple(IgnoredRows(reason, rows) for reason, rows in reasons if rows)


@dataclass(frozen=True, eq=False)
class EvaluatedTracker:
    """One tracker with its matched sequences, before it becomes a result."""

    name: str
    settings: TrackingOptions
    sequences: tuple[Sequence, ...]
    estimates: Mapping[str, Estimate]
    spread: MetricSpread
    account: InputAccount

    @cached_property
    def total(self) -> TrackSums:
        """The sums over all sequences."""
        return stack([each.total for each in self.sequences]).total()


def tracker_result(tracker: EvaluatedTracker) -> TrackerResult:
    """The numbers of a tracker that are shown and stored."""
    total, spread = tracker.total, tracker.spread
    curves: dict[str, Real] = {"level": LEVELS.round(2), **curve(total)}
    covariance = None if spread.coverage is None else spread.coverage.tolist()
    return TrackerResult(
        name=tracker.name,
        n=int(total.truth_boxes),
        system_boxes=int(total.system_boxes),
        metrics=tracker.estimates,
        ledger=ledger_lines(total),
        curve={name: tuple(None if np.isnan(x) else float(x) for x in values) for name, values in curves.items()},
        interval=TrackerInterval(
            spread.method,
            tracker.settings.level,
            spread.degrees,
            spread.note,
            None if covariance is None else (tuple(covariance[0]), tuple(covariance[1])),
        ),
        sequences=tuple(sequence_result(each, tracker.settings.per) for each in tracker.sequences),
        diagnosis=tuple(_findings(tracker)),
        ignored=tracker.account.ignored(),
    )


def _findings(tracker: EvaluatedTracker) -> Iterator[Finding]:
    """What a reader should know before the numbers."""
    yield from tracker.account.findings
    for item in tracker.account.ignored():
        text = f"{counted(item.rows, 'row')} not evaluated: {item.reason}."
        yield Finding("removed", text, evidence={"reason": item.reason, "rows": item.rows})
    if tracker.account.extra:
        names = ", ".join(tracker.account.extra[:5])
        yield Finding("no_truth", f"Tracks without a truth were left out: {names}.", "warning")
    single = [each.name for each in tracker.sequences if len(each.tracks.truth.ids) == 1]
    if single:
        text = (
            f"{', '.join(single[:5])}: one truth track, so identity has no information; captured and false shares "
            "are undefined there, and only spurious bits count."
        )
        yield Finding("single_truth_track", text, evidence={"sequences": single})
    if tracker.spread.note:
        yield Finding("interval", f"{tracker.spread.note[0].upper()}{tracker.spread.note[1:]}.")


def ledger_lines(tally: TrackSums) -> dict[str, float]:
    """The six lines of the ledger in bits."""
    return {
        "truth": float(tally.truth_bits),
        "captured": float(captured_bits(tally)),
        "missed": float(tally.missed_bits),
        "confused": float(tally.confused_bits),
        "fragmented": float(tally.fragmented_bits),
        "spurious": float(tally.spurious_bits),
    }


def sequence_result(sequence: Sequence, per: str) -> SequenceResult:
    """One sequence with its tracks, those that lose most first."""
    table, total = sequence.association, sequence.total
    reasons = {each.name: each.card.undefined for each in measures(per)}
    return SequenceResult(
        name=sequence.name,
        frames=len(sequence.tracks.frame_numbers),
        truth_boxes=int(total.truth_boxes),
        system_boxes=int(total.system_boxes),
        metrics={name: Estimate.of(float(value), reasons[name]) for name, value in values_of(total, per).items()},
        ledger=ledger_lines(total),
        tracks=tuple(sorted(_truth_tracks(sequence), key=lambda each: -each.lost)),
        system_tracks=tuple(sorted(_system_tracks(sequence), key=lambda each: -(each.confused + each.spurious))),
        association=_association(table),
        segments=_worst_segments(sequence),
        cells=tuple(association_cells(sequence)),
        frame_step=frame_step(sequence),
        evaluated=sequence,
    )


MAX_TIMELINES = 200
"""Truth tracks whose stretches a document holds, those that lose most."""


def _worst_segments(sequence: Sequence) -> tuple[Segment, ...]:
    kept = set(worst_first(sequence)[:MAX_TIMELINES])
    return tuple(each for each in timeline(sequence) if each.track in kept)


def _association(table: Association) -> tuple[tuple[str, str, float], ...]:
    cells = zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True)
    return tuple(
        (str(table.truth_ids[row]), str(table.system_ids[column]), float(count)) for row, column, count in cells
    )


def _truth_tracks(sequence: Sequence) -> Iterator[TruthTrack]:
    table, ledger = sequence.association, sequence.ledger
    ids = np.bincount(table.rows, minlength=len(table.truth_ids))
    lengths = sequence.tracks.truth.lengths
    for at, name in enumerate(table.truth_ids):
        yield TruthTrack(
            id=str(name),
            frames=int(lengths[at]),
            matched=float(lengths[at] - table.missed[at]),
            ids=int(ids[at]),
            truth=float(ledger.truth[at]),
            missed=float(ledger.missed[at]),
            confused=float(ledger.confused[at]),
            fragmented=float(ledger.fragmented[at]),
        )


def _system_tracks(sequence: Sequence) -> Iterator[SystemTrack]:
    table, ledger = sequence.association, sequence.ledger
    lengths = sequence.tracks.system.lengths
    for at, name in enumerate(table.system_ids):
        yield SystemTrack(
            id=str(name),
            frames=int(lengths[at]),
            false=float(table.false[at]),
            confused=float(ledger.confused_by_system[at]),
            spurious=float(ledger.spurious[at]),
        )
