"""Trackers evaluated, compared, and swept over a range of gates: truth and tracks in, a result out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from infoscope.errors import InputError
from infoscope.results.provenance import Provenance
from infoscope.studies.tracking.comparison import compare_systems
from infoscope.studies.tracking.input_checks import input_findings
from infoscope.studies.tracking.ledger import associate, information_ledger
from infoscope.studies.tracking.measures.information import information_measures
from infoscope.studies.tracking.options import TrackingKeywords, TrackingOptions
from infoscope.studies.tracking.preparation import Prepared, candidates, prepare, settle
from infoscope.studies.tracking.result import TrackingEvaluation
from infoscope.studies.tracking.score import EvaluatedTracker, InputAccount, tracker_result
from infoscope.studies.tracking.sequence import account_for
from infoscope.studies.tracking.sources import match_sequences, read_tracks
from infoscope.studies.tracking.sums import LEVELS, TrackSums, stack
from infoscope.studies.tracking.track_file import TrackFile
from infoscope.studies.tracking.tuning import GateSweep
from infoscope.studies.tracking.uncertainty import estimate_all
from infoscope.typing import Source

__all__ = ["compare", "evaluate", "name_of", "prepare_sources", "sweep_gates"]


def evaluate(
    truth: Source, tracks: Source, *, name: str | None = None, **options: Unpack[TrackingKeywords]
) -> TrackingEvaluation:
    """How much of who-was-where a tracker captures, and where the rest is lost.

    Either side is a path (file, folder or zip; MOTChallenge, KITTI, BDD100K or CSV), an array with rows of frame, id,
    left, top, width, height (or frame, id, x, y[, z]), a DataFrame, or a mapping of sequence names to these.
    ``gate`` is the least overlap of a match (0.5) or, for points, the greatest distance; ``match``, ``null``, ``per``,
    ``similarity``, ``duplicates``, ``preprocessing``, ``input_format`` and ``level`` as in ``TrackingOptions``.

    >>> import numpy as np
    >>> frames, ids = np.divmod(np.arange(40), 2)
    >>> truth = np.column_stack([frames, ids, 100 * ids, 0 * ids, 0 * ids + 20, 0 * ids + 40])
    >>> tracks = truth.copy()
    >>> tracks[(frames >= 10) & (ids == 0), 1] = 7
    >>> result = evaluate(truth, tracks)
    >>> {line: round(bits, 1) for line, bits in result.systems[0].ledger.items()}
    {'truth': 40.0, 'captured': 40.0, 'missed': 0.0, 'confused': 0.0, 'fragmented': 20.0, 'spurious': 0.0}
    """
    return compare(truth, {name or name_of(tracks): tracks}, **options)


def compare(truth: Source, systems: Mapping[str, Any], **options: Unpack[TrackingKeywords]) -> TrackingEvaluation:
    """Several trackers on one truth, with paired differences; sources are given as for ``evaluate``.

    Names of the form ``tracker@parameter=value`` are settings of one tracker: they are joined to a curve.
    """
    if not systems:
        raise InputError("no tracks are given; name at least one system")
    settings = TrackingOptions(**options)
    expected = read_tracks(truth, settings.input_format, what="truth")
    found: list[EvaluatedTracker] = []
    for name, source in systems.items():
        given = read_tracks(source, settings.input_format, what=name)
        found.append(_evaluate_one(name, expected, given, settings))
    settled = found[0].settings
    rng = np.random.default_rng(settings.seed)
    comparison = compare_systems(found, rng) if len(found) > 1 else None
    results = tuple(tracker_result(each) for each in found)
    warnings = tuple(finding for each in results for finding in each.diagnosis if finding.is_warning)
    provenance = Provenance(rows=results[0].n, ignored=results[0].ignored)
    return TrackingEvaluation(settled.convention, results, comparison, provenance=provenance, findings=warnings)


def prepare_sources(
    truth: Mapping[str, TrackFile], tracks: Mapping[str, TrackFile], settings: TrackingOptions
) -> tuple[list[Prepared], TrackingOptions, list[str]]:
    """Every sequence ready to be matched, the settings made definite, and the tracks left over."""
    matched, extra = match_sequences(dict(truth), dict(tracks))
    settled = settle(settings, [side for pair in matched.values() for side in pair])
    prepared = [prepare(name, *pair, settled) for name, pair in matched.items()]
    return prepared, settled, extra


def _evaluate_one(
    name: str, truth: Mapping[str, TrackFile], tracks: Mapping[str, TrackFile], settings: TrackingOptions
) -> EvaluatedTracker:
    prepared, settled, extra = prepare_sources(truth, tracks, settings)
    sequences = [account_for(each.tracks, each.pairs, settled) for each in prepared]
    estimates, spread = estimate_all(sequences, settled)
    sides = [side for each in prepared for side in (each.removal.truth, each.removal.system)]
    aside = [reason for side in sides for reason in side.set_aside]
    account = InputAccount(
        findings=tuple(input_findings(prepared, settled)),
        removals=tuple(each.removal for each in prepared),
        set_aside=tuple(aside),
        extra=tuple(extra),
    )
    return EvaluatedTracker(name, settled, tuple(sequences), estimates, spread, account)


def name_of(tracks: object) -> str:
    """A name for a system from where it is stored.

    >>> name_of("runs/mine@gate=0.4.txt")
    'mine@gate=0.4'
    """
    if not isinstance(tracks, str | Path):
        return "tracks"
    path = Path(tracks)
    while path.suffix.lower() in (".txt", ".csv", ".tsv", ".json", ".zip", ".gz"):
        path = path.with_suffix("")
    return path.name or "tracks"


def sweep_gates(
    truth: Source, tracks: Source, gates: Sequence[float] | None = None, **options: Unpack[TrackingKeywords]
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


def _at(prepared: Sequence[Prepared], settings: TrackingOptions) -> dict[str, float]:
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
