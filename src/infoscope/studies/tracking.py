"""Evaluate trackers: how much of who-was-where a multi-target tracker captures, and where the rest is lost.

>>> import numpy as np
>>> import infoscope
>>> boxes = np.array([[f, i, 100 * i, 0, 20, 40] for f in range(10) for i in range(4)], dtype=float)
>>> {name: infoscope.tracking.evaluate(boxes, boxes)["tracks"].number(name) for name in ("hota", "proficiency")}
{'hota': 1.0, 'proficiency': 1.0}

``evaluate`` is ``compare`` of one tracker. Both read the files (``tracking_files.py``), prepare each sequence (rows
that a benchmark leaves out, candidate pairs), account for it (``tracking_matching.py``), estimate every metric of
``tracking_measures.py`` with its interval, and fill the result (``tracking_result.py``), with findings about the input.
The page is ``reports/views/tracking.py``, the command ``infoscope track``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import pluralize
from infoscope.core.validation import LEVEL, SEED, Number, validated
from infoscope.errors import InputError
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding, shorten_list
from infoscope.results.provenance import IgnoredRows, Provenance
from infoscope.studies.tracking_files import TrackFile, check_rows, match_sequences, read_tracks
from infoscope.studies.tracking_matching import (
    Duplicates,
    FrameSimilarity,
    Match,
    MatchedSequence,
    Null,
    Per,
    Preprocessing,
    SimilarPairs,
    TrackingOptions,
    account_for,
    apply_similarity,
    associate,
    build_timeline,
    divide_bits,
    find_frame_step,
    find_near_points,
    find_overlaps,
    list_cells,
    match_independent,
)
from infoscope.studies.tracking_measures import (
    LEVELS,
    TrackSums,
    captured_bits,
    compute_curve,
    compute_values,
    get_information_measures,
    get_measures,
    join,
    stack,
)
from infoscope.studies.tracking_result import (
    GateSweep,
    MetricSpread,
    SequenceResult,
    SystemTrack,
    TrackerInterval,
    TrackerResult,
    TrackingEvaluation,
    TruthTrack,
    compare_trackers,
    estimate_metrics,
)
from infoscope.tables.tracks import Tracks
from infoscope.typing import Source

__all__ = ["GateSweep", "TrackingEvaluation", "TrackingOptions", "compare", "evaluate", "name_of", "sweep_gates"]

MAX_TIMELINES = 200
"""Truth tracks whose stretches a document holds, those that lose most."""
MOT_CLASSES = 13
PEDESTRIAN = 1
DISTRACTORS = {"mot16": (2, 7, 8, 12), "mot20": (2, 6, 7, 8, 12)}
"""Person on vehicle, static person, distractor, reflection; in MOT20 also the non-motorised vehicle."""
MIN_MEETING_SHARE = 0.2
"""Below this fraction of truth detections with any neighbour, something is probably wrong."""
MAX_SIZE_RATIO = 1.6
"""Boxes this many times as large or small are suspect: half of the image size is, a tracker's own style is not."""
MIN_GAIN_OF_SHIFT = {1: 1.25, 2: 1.05}
"""This many times more pairs must pass after a shift, where one or both ends of the frame numbers suggest it."""


@validated(gate=Number(), level=LEVEL, seed=SEED)
def evaluate(
    truth: Source,
    tracks: Source,
    *,
    name: str | None = None,
    gate: float | None = None,
    similarity: str | FrameSimilarity = "auto",
    match: Match = "sticky",
    null: Null = "prior",
    per: Per = "truth",
    duplicates: Duplicates = "error",
    preprocessing: Preprocessing = "auto",
    input_format: str = "auto",
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
) -> TrackingEvaluation:
    """Measure how much of who-was-where a tracker captures, and where the rest is lost.

    Parameters
    ----------
    truth, tracks
        The two sides, each a path (file, folder or zip; MOTChallenge, KITTI, BDD100K or CSV), an array with rows of
        frame, id, left, top, width, height (or frame, id, x, y[, z]), a DataFrame, or a mapping of sequence names to
        these.
    name
        Name of the tracker; that of its file unless given.
    gate
        Least overlap of a match (0.5), or for points the greatest distance.
    similarity
        "overlap" of boxes, "distance" of points, "auto" by the kind of data; or a function of the shapes of both sides
        in a frame, or a mapping of frame numbers to matrices, truth in rows.
    match
        How the detections of a frame are paired: "sticky" continues the pairs of the frame before (CLEAR),
        "independent" looks at the frame alone, "global" prefers tracks that agree over the sequence (HOTA),
        "fractional" shares a detection among all that pass the gate.
    null
        What misses and false detections mean: "prior" leaves what was known before, "exclude" leaves them out, "class"
        makes "none" one more track on either side.
    per
        What false information is counted per: bits of the truth, or "event" for each side per detection of its own.
    duplicates
        An id twice in a frame: "error", keep the "first", or "split" the others off as tracks of their own.
    preprocessing
        Boxes that are not to be evaluated: those of "mot16" or "mot20", "off", or "auto" by the truth's classes.
    input_format
        "motchallenge", "kitti", "bdd" or "csv"; "auto" by the first line.
    level, confidence_level
        Probability of the intervals.
    seed, rng
        Seed of random draws, or a generator.

    Returns
    -------
    TrackingEvaluation
        Metrics with intervals, the ledger, and each sequence with its tracks.

    Raises
    ------
    InputError
        If a side cannot be read or has rows that mean nothing, a sequence of the truth has no tracks, points come
        without a gate, or an option is out of its limits.
    UnknownNameError
        If a word is no choice of its option, or a column for the frame or the id is missing.

    References
    ----------
    Holt et al. (2010) for the information metrics; Bernardin & Stiefelhagen (2008), Ristani et al. (2016) and Luiten
    et al. (2021) for CLEAR, Identity and HOTA.

    Examples
    --------
    >>> import numpy as np
    >>> frames, ids = np.divmod(np.arange(40), 2)
    >>> truth = np.column_stack([frames, ids, 100 * ids, 0 * ids, 0 * ids + 20, 0 * ids + 40])
    >>> tracks = truth.copy()
    >>> tracks[(frames >= 10) & (ids == 0), 1] = 7
    >>> result = evaluate(truth, tracks)
    >>> {line: round(bits, 1) for line, bits in result.systems[0].ledger.items()}
    {'truth': 40.0, 'captured': 40.0, 'missed': 0.0, 'confused': 0.0, 'fragmented': 20.0, 'spurious': 0.0}
    """
    settings = TrackingOptions(gate, similarity, match, null, per, duplicates, preprocessing, input_format, level, seed)
    return _compare(truth, {name or name_of(tracks): tracks}, settings)


@validated(gate=Number(), level=LEVEL, seed=SEED)
def compare(
    truth: Source,
    systems: Mapping[str, Any],
    *,
    gate: float | None = None,
    similarity: str | FrameSimilarity = "auto",
    match: Match = "sticky",
    null: Null = "prior",
    per: Per = "truth",
    duplicates: Duplicates = "error",
    preprocessing: Preprocessing = "auto",
    input_format: str = "auto",
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
) -> TrackingEvaluation:
    """Evaluate several trackers on one truth, with paired differences.

    Parameters
    ----------
    truth
        The truth, as for ``evaluate``.
    systems
        Tracks by the name of their tracker, each as for ``evaluate``. Names of the form ``tracker@parameter=value`` are
        settings of one tracker: they are joined to a curve.
    gate, similarity, match, null, per, duplicates, preprocessing, input_format
        How tracks are compared, as for ``evaluate``.
    level, confidence_level
        Probability of the intervals.
    seed, rng
        Seed of random draws (sign-flip tests of more than twelve sequences), or a generator.

    Returns
    -------
    TrackingEvaluation
        The trackers, and their differences over the same sequences (or, of fewer than five, the same truth tracks).

    Raises
    ------
    InputError
        As for ``evaluate``, and if no system is named.

    Examples
    --------
    >>> import numpy as np
    >>> boxes = np.array([[f, i, 100 * i, 0, 20, 40] for f in range(10) for i in range(4)], dtype=float)
    >>> compare(boxes, {"all": boxes, "half": boxes[::2]}).ranking
    ('all', 'half')
    """
    if not systems:
        raise InputError("no tracks are given; name at least one system")
    settings = TrackingOptions(gate, similarity, match, null, per, duplicates, preprocessing, input_format, level, seed)
    return _compare(truth, systems, settings)


@validated(gate=Number(), level=LEVEL, seed=SEED)
def sweep_gates(
    truth: Source,
    tracks: Source,
    gates: Sequence[float] | None = None,
    *,
    gate: float | None = None,
    similarity: str | FrameSimilarity = "auto",
    match: Match = "sticky",
    null: Null = "prior",
    per: Per = "truth",
    duplicates: Duplicates = "error",
    preprocessing: Preprocessing = "auto",
    input_format: str = "auto",
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
) -> GateSweep:
    """Compute the information metrics at each of several gates.

    Parameters
    ----------
    truth, tracks
        The two sides, as for ``evaluate``.
    gates
        Gates to try: 0.05, 0.10, … 0.95 unless given, which suits boxes.
    gate, similarity, match, null, per, duplicates, preprocessing, input_format, level, confidence_level, seed, rng
        As for ``evaluate``, so that the same options can be given; a gate of its own has no effect on boxes.

    Returns
    -------
    GateSweep
        The metrics at each gate, and their mean over the gates.

    Raises
    ------
    InputError
        As for ``evaluate``.

    Examples
    --------
    >>> import numpy as np
    >>> boxes = np.array([[f, i, 100 * i, 0, 20, 40] for f in range(10) for i in range(4)], dtype=float)
    >>> shifted = boxes + [0, 0, 4, 0, 0, 0]
    >>> [round(point["proficiency"], 3) for point in sweep_gates(boxes, shifted, [0.5, 0.7]).points]
    [1.0, 0.0]
    """
    swept = [float(value) for value in (LEVELS.round(2) if gates is None else gates)]
    settings = TrackingOptions(
        max(swept) if gate is None else gate,
        similarity, match, null, per, duplicates, preprocessing, input_format, level, seed,
    )  # fmt: skip
    expected = read_tracks(truth, input_format, what="truth")
    reported = read_tracks(tracks, input_format, what="tracks")
    prepared, settings, _ = _prepare_sources(expected, reported, settings)
    points = []
    for value in swept:
        settings = replace(settings, gate=value)
        rows = []
        for sequence in prepared:
            # a distance gate moves the distance at which similarity ends, hence the pairs
            is_distance = settings.similarity == "distance"
            pairs = _find_candidates(sequence.tracks, settings) if is_distance else sequence.pairs
            table, _ = associate(sequence.tracks, pairs, match=match, gate=settings.threshold)
            ledger = divide_bits(table, null)
            rows.append(
                TrackSums.zeros(1)._replace(
                    truth_bits=ledger.truth.sum(keepdims=True),
                    missed_bits=ledger.missed.sum(keepdims=True),
                    confused_bits=ledger.confused.sum(keepdims=True),
                    fragmented_bits=ledger.fragmented.sum(keepdims=True),
                    spurious_bits=ledger.spurious.sum(keepdims=True),
                    truth_events=ledger.truth_events.sum(keepdims=True),
                    system_events=ledger.system_events.sum(keepdims=True),
                )
            )
        total = join(rows).total()
        values = {entry.name: float(entry.score(total)) for entry in get_information_measures(per)}
        points.append({"gate": value, **values})
    return GateSweep(tuple(points))


@validated()
def name_of(tracks: object) -> str:
    """Return a name for a tracker from where its tracks are stored.

    Parameters
    ----------
    tracks
        A path, or tracks in any other form, which are "tracks".

    Returns
    -------
    str
        The name of the file or folder without the suffixes of track files.

    Examples
    --------
    >>> name_of("runs/mine@gate=0.4.txt")
    'mine@gate=0.4'
    """
    if not isinstance(tracks, str | Path):
        return "tracks"
    path = Path(tracks)
    while path.suffix.lower() in (".txt", ".csv", ".tsv", ".json", ".zip", ".gz"):
        path = path.with_suffix("")
    return path.name or "tracks"


def _compare(truth: Source, systems: Mapping[str, Any], settings: TrackingOptions) -> TrackingEvaluation:
    expected = read_tracks(truth, settings.input_format, what="truth")
    results: list[TrackerResult] = []
    sequences: dict[str, list[MatchedSequence]] = {}
    conventions = []
    for name, source in systems.items():
        reported = read_tracks(source, settings.input_format, what=name)
        prepared, settled, extra = _prepare_sources(expected, reported, settings)
        conventions.append(settled.convention)
        sequences[name] = [account_for(part.tracks, part.pairs, settled) for part in prepared]
        estimates, spread = estimate_metrics(sequences[name], settled)
        total = stack([sequence.total for sequence in sequences[name]]).total()
        rules = " and ".join(sorted({part.rules for part in prepared} - {"off"}))
        by = f" ({rules} preprocessing)" if rules else ""
        left_out = [
            (f"system boxes on distractors{by}", sum(part.system_removed for part in prepared)),
            (
                f"truth boxes marked or classed as not to be evaluated{by}",
                sum(part.truth_removed for part in prepared),
            ),
            *(reason for part in prepared for reason in part.set_aside),
        ]
        ignored = tuple(IgnoredRows(reason, rows) for reason, rows in left_out if rows)
        curve = {"level": LEVELS.round(2), **compute_curve(total)}
        covariance = None if spread.coverage is None else spread.coverage.tolist()
        results.append(
            TrackerResult(
                name=name,
                n=int(total.truth_boxes),
                system_boxes=int(total.system_boxes),
                metrics=estimates,
                ledger=_ledger_lines(total),
                curve={line: tuple(None if np.isnan(x) else float(x) for x in curve[line]) for line in curve},
                interval_method=TrackerInterval(
                    spread.method,
                    settings.level,
                    spread.degrees,
                    spread.note,
                    None if covariance is None else (tuple(covariance[0]), tuple(covariance[1])),
                ),
                sequences=tuple(_summarize_sequence(sequence, settings.per) for sequence in sequences[name]),
                diagnosis=(
                    *_check_input(prepared, settled),
                    *_collect_findings(sequences[name], ignored, extra, spread),
                ),
                ignored=ignored,
            )
        )
    rng = np.random.default_rng(settings.seed)
    return TrackingEvaluation(
        conventions[0],
        tuple(results),
        compare_trackers(results, sequences, settings, rng) if len(results) > 1 else None,
        provenance=Provenance(rows=results[0].n, ignored=results[0].ignored),
    )


# Sequences ready to be matched ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Prepared:
    """One sequence ready to be matched, with what was left out of it."""

    tracks: Tracks
    pairs: SimilarPairs
    rules: str
    truth_removed: int
    system_removed: int
    set_aside: tuple[tuple[str, int], ...]
    given: int
    """Rows of the tracks before anything was left out."""


def _prepare_sources(
    truth: Mapping[str, TrackFile], tracks: Mapping[str, TrackFile], settings: TrackingOptions
) -> tuple[list[_Prepared], TrackingOptions, list[str]]:
    """Return every sequence ready to be matched, the settings made definite, and the names of tracks left over."""
    matched, extra = match_sequences(dict(truth), dict(tracks))
    # what was left open is decided by the kind of data: overlap for boxes, distance for points
    similarity, gate = settings.similarity, settings.gate
    if similarity == "auto":
        has_points = any(side.kind == "point" for pair in matched.values() for side in pair)
        similarity = "distance" if has_points else "overlap"
    if gate is None and similarity == "distance":
        raise InputError(
            "the tracks are points and no gate is given; say with gate (--gate) up to which distance a"
            " system point may belong to a truth point"
        )
    settings = replace(settings, similarity=similarity, gate=0.5 if gate is None else gate)
    return [_prepare(name, *pair, settings) for name, pair in matched.items()], settings, extra


def _prepare(name: str, truth: TrackFile, system: TrackFile, settings: TrackingOptions) -> _Prepared:
    """Check both sides, remove what is not to be evaluated, and find the candidate pairs."""
    truth, system = check_rows(truth, settings.duplicates), check_rows(system, settings.duplicates)
    given = len(system)
    rules = str(settings.preprocessing)
    if rules == "auto":  # MOT16's where the truth has MOTChallenge's classes, MOT20's where it says so
        has_classes = truth.kind == "box" and truth.categories is not None and truth.categories.dtype.kind in "if"
        is_mot20 = "mot20" in f"{name} {truth.origin}".casefold()
        rules = "off" if not has_classes else "mot20" if is_mot20 else "mot16"
    is_wanted, is_spared = _select_evaluated(truth, system, rules)
    truth, system = truth.select(is_wanted), system.select(is_spared)

    if isinstance(settings.similarity, str):
        truth, system = (_fit_similarity(side, settings.similarity, name) for side in (truth, system))
        if settings.similarity == "distance" and "nothing" not in (truth.kind, system.kind):
            dimensions = truth.shapes.shape[1], system.shapes.shape[1]
            if dimensions[0] != dimensions[1]:
                raise InputError(
                    f"{truth.origin} has places in {dimensions[0]} dimensions and {system.origin} in {dimensions[1]};"
                    " give both sides the same coordinates"
                )
    tracks = Tracks.align(name, truth.to_detections(), system.to_detections())
    return _Prepared(
        tracks,
        _find_candidates(tracks, settings),
        rules,
        int((~is_wanted).sum()),
        int((~is_spared).sum()),
        (*truth.set_aside, *system.set_aside),
        given,
    )


def _select_evaluated(truth: TrackFile, system: TrackFile, rules: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return True for each truth row that is to be evaluated, and for each system row that lies on no distractor.

    A truth row whose flag is 0 is dropped under any rules.
    """
    is_wanted = np.ones(len(truth), dtype=bool) if truth.considered is None else truth.considered
    is_spared = np.ones(len(system), dtype=bool)
    if rules not in DISTRACTORS or not len(truth):
        return is_wanted, is_spared
    # by other classes than MOTChallenge's, boxes would be dropped as if they were no pedestrians
    way_out = "or choose preprocessing (--read preprocessing=…) 'off'"
    if truth.categories is None or truth.categories.dtype.kind not in "if":
        raise InputError(
            f"{truth.origin} has no classes by number, by which the rules {rules} drop boxes; give nine columns"
            f" (class and visibility last), {way_out}"
        )
    unknown = np.setdiff1d(truth.categories, np.arange(1, MOT_CLASSES + 1))
    if len(unknown):
        raise InputError(
            f"{truth.origin}: class {unknown[0]:g} (column 8) is none of MOTChallenge's 1 to {MOT_CLASSES}, by which"
            f" the rules {rules} drop boxes; correct it, {way_out}"
        )
    if len(system):  # a system box is dropped if a distractor wins it when all truth boxes compete
        tracks = Tracks.align("", truth.to_detections(), system.to_detections())
        matched = match_independent(tracks, find_overlaps(tracks), 0.5)
        is_distractor = np.isin(truth.categories, DISTRACTORS[rules])
        is_spared[matched.system[is_distractor[matched.truth]]] = False
    return is_wanted & (truth.categories == PEDESTRIAN), is_spared


def _fit_similarity(side: TrackFile, similarity: str, name: str) -> TrackFile:
    """Return the rows in the shape that the similarity needs; a box may stand for its centre."""
    if similarity == "distance" and side.kind == "box":
        return replace(side, shapes=side.shapes[:, :2] + side.shapes[:, 2:] / 2)
    wanted = "box" if similarity == "overlap" else "point"
    if side.kind not in ("nothing", wanted):
        row = {"box": "a box per row", "point": "a point per row", "id": "only an id per row"}[side.kind]
        raise InputError(
            f"{side.origin} (sequence {name!r}) has {row} where {similarity} needs a"
            f" {wanted}; choose similarity 'distance' with a gate, or give a matrix for each frame"
        )
    return side


def _find_candidates(tracks: Tracks, settings: TrackingOptions) -> SimilarPairs:
    """Return the pairs of one frame with any similarity at all."""
    if not isinstance(settings.similarity, str):
        return apply_similarity(tracks, settings.similarity)
    if not len(tracks.truth) or not len(tracks.system):
        return SimilarPairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    if settings.similarity == "distance":
        return find_near_points(tracks, settings.zero_at)
    return find_overlaps(tracks)


# What is shown of each sequence ---------------------------------------------------------------------------------------


def _ledger_lines(sums: TrackSums) -> dict[str, float]:
    """Return the six lines of the ledger in bits."""
    return {
        "truth": float(sums.truth_bits),
        "captured": float(captured_bits(sums)),
        "missed": float(sums.missed_bits),
        "confused": float(sums.confused_bits),
        "fragmented": float(sums.fragmented_bits),
        "spurious": float(sums.spurious_bits),
    }


def _summarize_sequence(sequence: MatchedSequence, per: str) -> SequenceResult:
    """Return one sequence with its tracks, those that lose most first."""
    table, ledger, total = sequence.association, sequence.ledger, sequence.total
    lengths, system_lengths = sequence.tracks.truth.lengths, sequence.tracks.system.lengths
    ids = np.bincount(table.rows, minlength=len(table.truth_ids))
    tracks = [
        TruthTrack(
            id=str(name),
            frames=int(lengths[track]),
            matched=float(lengths[track] - table.missed[track]),
            ids=int(ids[track]),
            truth=float(ledger.truth[track]),
            missed=float(ledger.missed[track]),
            confused=float(ledger.confused[track]),
            fragmented=float(ledger.fragmented[track]),
        )
        for track, name in enumerate(table.truth_ids)
    ]
    tracks.sort(key=lambda track: -track.lost)
    system_tracks = [
        SystemTrack(
            id=str(name),
            frames=int(system_lengths[track]),
            false=float(table.false[track]),
            confused=float(ledger.confused_by_system[track]),
            spurious=float(ledger.spurious[track]),
        )
        for track, name in enumerate(table.system_ids)
    ]
    drawn = {track.id for track in tracks[:MAX_TIMELINES]}
    reasons = {entry.name: entry.card.undefined for entry in get_measures(per)}
    cells = zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True)
    return SequenceResult(
        name=sequence.name,
        frames=len(sequence.tracks.frame_numbers),
        truth_boxes=int(total.truth_boxes),
        system_boxes=int(total.system_boxes),
        metrics={name: Estimate.of(float(value), reasons[name]) for name, value in compute_values(total, per).items()},
        ledger=_ledger_lines(total),
        tracks=tuple(tracks),
        system_tracks=tuple(sorted(system_tracks, key=lambda track: -(track.confused + track.spurious))),
        association=tuple(
            (str(table.truth_ids[row]), str(table.system_ids[column]), float(count)) for row, column, count in cells
        ),
        segments=tuple(segment for segment in build_timeline(sequence) if str(segment.track) in drawn),
        cells=tuple(list_cells(sequence)),
        frame_step=find_frame_step(sequence),
        evaluated=sequence,
    )


# Findings -------------------------------------------------------------------------------------------------------------


def _collect_findings(
    sequences: Sequence[MatchedSequence], ignored: Sequence[IgnoredRows], extra: Sequence[str], spread: MetricSpread
) -> Iterator[Finding]:
    """Yield what a reader should know about rows left out, single tracks and the intervals."""
    for item in ignored:
        text = f"{pluralize(item.rows, 'row')} not evaluated: {item.reason}."
        yield Finding("removed", text, evidence={"reason": item.reason, "rows": item.rows})
    if extra:
        yield Finding("no_truth", f"Tracks without a truth were left out: {', '.join(extra[:5])}.", "warning")
    single = [sequence.name for sequence in sequences if len(sequence.tracks.truth.ids) == 1]
    if single:
        text = (
            f"{', '.join(single[:5])}: one truth track, so identity has no information; captured and false shares "
            "are undefined there, and only spurious bits count."
        )
        yield Finding("single_truth_track", text, evidence={"sequences": single})
    if spread.note:
        text = f"{spread.note[0].upper()}{spread.note[1:]}. More sequences make them narrower."
        yield Finding("interval", text, action="Add sequences")


def _check_input(prepared: Sequence[_Prepared], settings: TrackingOptions) -> Iterator[Finding]:
    """Yield what looks wrong: a low score is often a file with other coordinates or frame numbers than it seems."""
    empty = [part.tracks.name for part in prepared if len(part.tracks.truth) and not part.given]
    if empty:
        where = f" in {shorten_list(empty)[0]}" if len(prepared) > 1 else ""
        text = (
            f"There is no detection{where}, so every truth detection counts as missed: is the file the one that was "
            "meant, and whole?"
        )
        yield Finding("no_tracks", text, "warning" if len(empty) == len(prepared) else "note", {"sequences": empty})

    busy = [part for part in prepared if len(part.tracks.truth) and len(part.tracks.system)]
    truth = sum(len(part.tracks.truth) for part in busy)
    meeting = sum(len(np.unique(part.pairs.truth)) for part in busy)
    if truth and meeting < MIN_MEETING_SHARE * truth:
        share = "none" if not meeting else f"only {meeting / truth:.1%}"
        text = (
            f"{share} of the truth detections come near any system detection of their frame: are both"
            " sides of the same sequence, in the same coordinates and frame numbers?"
        )
        yield Finding("input_doubt", text, "warning")

    if busy and settings.similarity == "overlap":  # boxes of another scale, or corners where sizes are expected
        sides = ([part.tracks.system for part in busy], [part.tracks.truth for part in busy])
        shapes = (np.concatenate([part.shapes for part in side]) for side in sides)
        size, true_size = (np.median(np.sqrt(boxes[:, 2] * boxes[:, 3])) for boxes in shapes)
        times = float(size / true_size)
        if not 1 / MAX_SIZE_RATIO < times < MAX_SIZE_RATIO:
            text = (
                f"system boxes are {times:.2g} times as large as truth boxes (median): another image size, or"
                " right and bottom edges where width and height are expected?"
            )
            yield Finding("input_doubt", text, "warning")

    if isinstance(settings.similarity, str):
        yield from _check_frame_numbers(busy, settings)


def _check_frame_numbers(prepared: Sequence[_Prepared], settings: TrackingOptions) -> Iterator[Finding]:
    """Yield a finding where frames seem to be counted from 0 on one side and from 1 on the other."""
    # By how much the system's frames should perhaps be raised, with how many of their two ends say so: one end is
    # enough to try it, as many trackers report nothing in the first frames.
    suspected: list[dict[int, int]] = []
    for part in prepared:
        numbers = part.tracks.frame_numbers
        truth_frames, frames = numbers[part.tracks.truth.frames], numbers[part.tracks.system.frames]
        ends = [truth_frames[0] - frames[0], truth_frames[-1] - frames[-1]]
        suspected.append({shift: ends.count(shift) for shift in (-1, 1) if shift in ends})
    for shift in sorted(set().union(*suspected)):
        now = sum(int(part.pairs.passes(settings.threshold).sum()) for part in prepared)
        then = 0
        for part in prepared:
            numbers = part.tracks.frame_numbers
            truth = replace(part.tracks.truth, frames=numbers[part.tracks.truth.frames])
            system = replace(part.tracks.system, frames=numbers[part.tracks.system.frames] + shift)
            moved = Tracks.align(part.tracks.name, truth, system)
            then += int(_find_candidates(moved, settings).passes(settings.threshold).sum())
        gain = min(MIN_GAIN_OF_SHIFT[ends[shift]] for ends in suspected if shift in ends)
        if then > gain * now:
            earlier, later = ("system", "truth") if shift > 0 else ("truth", "system")
            text = (
                f"{then} instead of {now} pairs would pass the gate if the system's frames were numbered"
                f" {abs(shift)} {'higher' if shift > 0 else 'lower'}: does the {earlier} count frames from 0"
                f" and the {later} from 1?"
            )
            yield Finding("input_doubt", text, "warning")
            return
