"""What the gate decides: the information figures over a range of gates."""

from collections.abc import Sequence as Sequences
from dataclasses import replace
from typing import Any, Unpack

from infoscope.tracking.api import prepare_sources
from infoscope.tracking.association import associate
from infoscope.tracking.ledger import information_ledger
from infoscope.tracking.measures.information import information_measures
from infoscope.tracking.options import TrackingKeywords, TrackingOptions
from infoscope.tracking.preparation import Prepared, candidates
from infoscope.tracking.sources import read_tracks
from infoscope.tracking.sums import LEVELS, TrackSums, stack
from infoscope.tracking.tuning import GateSweep

__all__ = ["sweep_gates"]


def sweep_gates(
    truth: Any, tracks: Any, gates: Sequences[float] | None = None, **options: Unpack[TrackingKeywords]
) -> GateSweep:
    """The information figures at each gate: 0.05, 0.10, … 0.95 for boxes unless given."""
    settings = TrackingOptions(**options)
    chosen = [float(gate) for gate in (LEVELS.round(2) if gates is None else gates)]
    if settings.gate is None:
        settings = replace(settings, gate=max(chosen))
    expected = read_tracks(truth, settings.input_format, what="truth")
    given = read_tracks(tracks, settings.input_format, what="tracks")
    prepared, settled, _ = prepare_sources(expected, given, settings)
    return GateSweep(tuple(_at(prepared, replace(settled, gate=gate)) for gate in chosen))


def _at(prepared: Sequences[Prepared], settings: TrackingOptions) -> dict[str, float]:
    total = stack([_ledger_only(each, settings) for each in prepared]).total()
    figures = {each.name: float(each.score(total)) for each in information_measures(settings.per)}
    return {"gate": float(settings.gate or 0.0), **figures}


def _ledger_only(each: Prepared, settings: TrackingOptions) -> TrackSums:
    # a distance gate moves the distance at which similarity ends, hence the pairs
    pairs = candidates(each.tracks, settings) if settings.similarity == "distance" else each.pairs
    table, _ = associate(each.tracks, pairs, match=settings.match, gate=settings.threshold)
    ledger = information_ledger(table, settings.null)
    return (
        TrackSums.rows(1)
        ._replace(
            truth_bits=ledger.truth.sum(keepdims=True),
            missed_bits=ledger.missed.sum(keepdims=True),
            confused_bits=ledger.confused.sum(keepdims=True),
            fragmented_bits=ledger.fragmented.sum(keepdims=True),
            spurious_bits=ledger.spurious.sum(keepdims=True),
            truth_events=ledger.truth_events.sum(keepdims=True),
            system_events=ledger.system_events.sum(keepdims=True),
        )
        .total()
    )
