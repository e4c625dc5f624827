"""Result of an evaluation of trackers, the intervals of its metrics, and differences between trackers.

``tracking.py`` fills the result; figures and reports only read it. Frames are not independent draws. Five sequences or
more: each is left out in turn (jackknife, Student t). Fewer: every truth track and every false track counts as one
draw, and for the ledger's ratios the spread over blocks of time, if that is larger. The tracks of one sequence do not
show how sequences differ, so the sd is doubled: in trials the intervals of one sequence held the false information
ratio 70 % and IDF1 68 % of the time instead of 95 %, as if the sd were half of what it should be.

The ledger's lines grow in proportion to the counts, so each line is the sum over events of its derivative by that
event's count. Summed by frame, these are the contributions that a resampling of frames would move.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import stdtr, stdtrit

from infoscope.core.markup import ShortRepr, pluralize
from infoscope.core.numerics import Real, as_real, pareto_front
from infoscope.core.validation import KeywordHints
from infoscope.errors import InputError
from infoscope.results.base import SystemsResult
from infoscope.results.estimate import Difference, Estimate, drop_infinite
from infoscope.results.finding import Finding
from infoscope.results.frame import make_tidy
from infoscope.results.provenance import IgnoredRows, Provenance
from infoscope.results.system import MeasuredSystem
from infoscope.studies.tracking_matching import Cell, Convention, MatchedSequence, Segment, TrackingOptions
from infoscope.studies.tracking_measures import TrackSums, compute_values, get_measures, join, stack
from infoscope.tables.tracks import Ints, sum_by
from infoscope.typing import Json

LINES = ("truth", "captured", "missed", "confused", "fragmented", "spurious")
"""The lines of the information ledger."""
LOST = ("missed", "confused", "fragmented")
"""The lines that a truth track can lose, or have broken up."""
MIN_UNITS = 5
"""Fewer sequences, or truth tracks, say nothing about how they vary."""
MIN_SD = 1e-12
"""Sequences that all have the same value show no variation: it has no interval."""
BLOCKS = 5
SD_BETWEEN_SEQUENCES = 2.0
"""Factor on the sd from the tracks of fewer sequences, for how sequences differ."""
COMPARED_METRICS = (
    "erroneous_information_ratio", "proficiency", "false_information_ratio", "information_jaccard",
    "mota", "idf1", "hota",
)  # fmt: skip
"""The metrics whose differences are reported, the deciding one first."""
MAX_EXACT_UNITS = 12
"""Up to this many units every pattern of signs is tried; beyond, some are drawn."""
SIGN_DRAWS = 9999

NATS_PER_BIT = float(np.log(2.0))
WITHOUT_VARIANCE = frozenset({"truth_entropy"})
"""Metrics that the truth alone decides."""


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TruthTrack:
    """A truth track with what became of it, in bits."""

    id: str
    frames: int
    matched: float
    ids: int
    """Number of system ids that followed it."""
    truth: float
    missed: float
    confused: float
    fragmented: float

    @property
    def lost(self) -> float:
        """Missed, confused and fragmented bits together."""
        return self.missed + self.confused + self.fragmented


@dataclass(frozen=True)
class SystemTrack:
    """A track of the system with what it costs, in bits."""

    id: str
    frames: int
    false: float
    confused: float
    spurious: float


@dataclass(frozen=True, eq=False, repr=False)
class SequenceResult(MeasuredSystem):
    """One sequence of one tracker."""

    name: str
    frames: int
    truth_boxes: int
    system_boxes: int
    metrics: Mapping[str, Estimate]
    ledger: Mapping[str, float]
    tracks: tuple[TruthTrack, ...]
    """Truth tracks, those that lose most first."""
    system_tracks: tuple[SystemTrack, ...]
    association: tuple[tuple[str, str, float], ...]
    """Truth track, system track and the frames they share."""
    segments: tuple[Segment, ...] = field(default=(), repr=False)
    """The worst truth tracks as stretches under one id, frame by frame."""
    cells: tuple[Cell, ...] = field(default=(), repr=False)
    """The association with misses and false detections, in the order of its map."""
    frame_step: float = 1.0
    """From one frame to the next."""
    evaluated: MatchedSequence | None = field(default=None, repr=False, metadata={"stored": False})
    """The detections and their matches; not part of the document."""


@dataclass(frozen=True, repr=False)
class TrackerInterval(ShortRepr):
    """Method behind the intervals of a tracker."""

    method: str
    level: float
    degrees: int
    note: str = ""
    coverage: tuple[tuple[float, float], tuple[float, float]] | None = None
    """Covariance of (false information ratio, proficiency), for the ellipse in the coverage plane."""


@dataclass(frozen=True, eq=False, repr=False)
class TrackerResult(MeasuredSystem):
    """One tracker: its metrics with intervals, its ledger, and its sequences."""

    name: str
    n: int
    """Truth detections."""
    system_boxes: int
    metrics: Mapping[str, Estimate]
    ledger: Mapping[str, float]
    """Lines of the ledger over all sequences, in bits."""
    curve: Mapping[str, tuple[float | None, ...]]
    """HOTA and its parts at each level of similarity."""
    interval_method: TrackerInterval = field(metadata={"name": "interval"})
    sequences: tuple[SequenceResult, ...]
    diagnosis: tuple[Finding, ...] = ()
    ignored: tuple[IgnoredRows, ...] = ()


@dataclass(frozen=True)
class CurvePoint:
    """One setting of a tracker in the coverage plane."""

    value: float | str
    name: str
    false_information_ratio: float | None
    proficiency: float | None


@dataclass(frozen=True, repr=False)
class TrackerComparison(ShortRepr):
    """All pairs, the ranking by erroneous information, the Pareto front and the tuning curves."""

    pairs: tuple[Difference, ...]
    ranking: tuple[str, ...]
    pareto: tuple[str, ...]
    """Trackers that no other beats in both captured and false information."""
    curves: Mapping[str, tuple[CurvePoint, ...]]
    """Trackers named ``tracker@parameter=value``, by tracker and parameter, in the order of the value."""
    unit: str = ""
    """Units that were compared as independent draws: sequences or truth tracks."""


@dataclass(frozen=True, repr=False)
class GateSweep(ShortRepr, KeywordHints):
    """Information metrics at each gate, and their mean over the gates."""

    points: tuple[Mapping[str, float | None], ...]

    @property
    def mean(self) -> dict[str, float | None]:
        """The mean over gates, a number that does not depend on one of them; None where one is undefined."""
        means: dict[str, float | None] = {}
        for name in self.points[0]:
            values = [value for point in self.points if (value := point[name]) is not None and not isnan(value)]
            means[name] = sum(values) / len(values) if len(values) == len(self.points) else None
        means.pop("gate")
        return means


@dataclass(frozen=True, eq=False, repr=False)
class TrackingEvaluation(SystemsResult[TrackerResult]):
    """Trackers on one truth: metrics with intervals, ledgers, sequences, tracks and differences."""

    kind: ClassVar[str] = "tracking"

    convention: Convention
    systems: tuple[TrackerResult, ...]
    comparison: TrackerComparison | None = None
    gate_sweep: Mapping[str, GateSweep] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the metrics of each tracker, then those of each sequence where there are several."""
        for system, record in zip(self.systems, self.records(), strict=True):
            yield from make_tidy(record, {}, self.roles)
            for sequence in system.sequences if len(system.sequences) > 1 else ():
                own = {"system": system.name, "group": sequence.name}
                yield from make_tidy({"n": sequence.truth_boxes, **sequence.metrics}, own, {})

    @property
    def ranking(self) -> tuple[str, ...]:
        """Trackers by erroneous information, the best first."""
        if self.comparison is not None:
            return self.comparison.ranking
        return tuple(system.name for system in self.systems)


@dataclass(frozen=True)
class MetricSpread:
    """Standard deviation of each metric, where it can be estimated, with its degrees of freedom.

    ``coverage`` is the covariance of (false information ratio, proficiency), for the ellipse in the coverage plane.
    """

    method: str
    degrees: int
    sd: dict[str, float]
    coverage: Real | None = None
    note: str = ""


# Intervals of metrics -------------------------------------------------------------------------------------------------


def estimate_metrics(
    sequences: Sequence[MatchedSequence], settings: TrackingOptions
) -> tuple[dict[str, Estimate], MetricSpread]:
    """Estimate every metric over all sequences, with its interval, kept within the metric's range."""
    values = compute_values(stack([sequence.total for sequence in sequences]).total(), settings.per)
    spread = measure_spread(sequences, settings)
    reach = float(stdtrit(spread.degrees, 0.5 + settings.level / 2)) if spread.degrees else 0.0
    estimates = {}
    for entry in get_measures(settings.per):
        value, sd = float(values[entry.name]), spread.sd.get(entry.name)
        if sd is None or sd <= MIN_SD or not np.isfinite(value):
            estimates[entry.name] = Estimate.of(value, entry.card.undefined)
        else:
            lowest, highest = entry.card.range
            low, high = max(value - reach * sd, lowest), min(value + reach * sd, highest)
            estimates[entry.name] = Estimate(value, value, sd, low, high)
    return estimates, spread


def measure_spread(sequences: Sequence[MatchedSequence], settings: TrackingOptions) -> MetricSpread:
    """Estimate how much the metrics would vary with other data of the same kind."""
    truths = sum(len(sequence.tracks.truth.ids) for sequence in sequences)
    if len(sequences) < MIN_UNITS <= truths:
        return _spread_over_tracks(sequences, settings, truths)
    if len(sequences) < MIN_UNITS:
        note = f"no intervals: {pluralize(truths, 'truth track')}, and at least {MIN_UNITS} are needed"
        return MetricSpread("none", 0, {}, note=f"{note} to see how they vary")

    size = len(sequences)
    left_out = compute_values(stack([sequence.total for sequence in sequences]).without_each(), settings.per)
    deviations = {name: values - values.mean() for name, values in left_out.items()}
    sd = {name: float(np.sqrt((size - 1) / size * np.sum(moves**2))) for name, moves in deviations.items()}
    plane = np.stack([deviations["false_information_ratio"], deviations["proficiency"]])
    return MetricSpread(
        method="jackknife over sequences",
        degrees=size - 1,
        sd={name: value for name, value in sd.items() if np.isfinite(value)},
        coverage=(size - 1) / size * plane @ plane.T,
    )


def _spread_over_tracks(sequences: Sequence[MatchedSequence], settings: TrackingOptions, truths: int) -> MetricSpread:
    rows = join([sequence.truth_rows for sequence in sequences])
    false_rows = join([sequence.system_rows for sequence in sequences])
    whole = join([rows, false_rows]).total()
    values = compute_values(whole, settings.per)

    # leave out one truth track at a time; each false track comes or stays away by itself
    size = rows.tracks
    moved = compute_values(rows.removed_from(whole), settings.per)
    without_false = compute_values(false_rows.removed_from(whole), settings.per)
    variance = {
        name: float((size - 1) / size * np.sum((moved[name] - moved[name].mean()) ** 2))
        + float(np.sum((without_false[name] - value) ** 2))
        for name, value in values.items()
    }
    method = "truth tracks as clusters"
    coverage = None
    if whole.truth_bits > 0:
        coverage = _estimate_ledger_covariance(rows, false_rows, settings.per)
        planes = [coverage]
        if settings.null == "prior" and settings.match != "fractional" and settings.per == "truth":
            blocks = estimate_block_covariance(sequences, float(whole.truth_bits))[::-1, ::-1]
            coverage = _widen(coverage, blocks)
            planes += [blocks, coverage]
            method = "truth tracks as clusters, or blocks of a fifth of the time if they vary more"
        variance |= _take_largest_variances(planes, values)
    sd = {
        name: SD_BETWEEN_SEQUENCES * float(np.sqrt(value))
        for name, value in variance.items()
        if name not in WITHOUT_VARIANCE
    }
    return MetricSpread(
        method=method,
        degrees=truths - 1,
        sd={name: value for name, value in sd.items() if np.isfinite(value)},
        coverage=None if coverage is None else SD_BETWEEN_SEQUENCES**2 * coverage,
        note=f"{'a single sequence does' if len(sequences) == 1 else f'{len(sequences)} sequences do'} not show how"
        f" sequences differ: intervals are {SD_BETWEEN_SEQUENCES:g} times as wide as their tracks alone would make"
        " them, and even so a lower bound",
    )


def _estimate_ledger_covariance(rows: TrackSums, false_rows: TrackSums, per: str) -> Real:
    """Return the covariance of (r, f) with the truth's information held fixed: lost and fragmented bits by truth track.

    r is the false information ratio, f the proficiency.
    """
    bits = np.stack([rows.fragmented_bits, -(rows.missed_bits + rows.confused_bits)])
    covariance = rows.tracks * np.cov(bits)
    covariance[0, 0] += np.sum(false_rows.spurious_bits**2)
    scale = np.ones(2) / rows.truth_bits.sum()
    if per == "event":
        scale[0] *= rows.truth_events.sum() / max(false_rows.system_events.sum() + rows.system_events.sum(), 1.0)
    return as_real(covariance * np.outer(scale, scale))


def _widen(clusters: Real, blocks: Real) -> Real:
    """Widen the cluster covariance, quantity by quantity, to the variance over blocks where that is larger."""
    sd, block_sd = np.sqrt(np.diag(clusters)), np.sqrt(np.diag(blocks))
    larger = np.maximum(sd, block_sd)
    factor = np.divide(larger, sd, out=np.zeros(2), where=sd > 0)
    widened = clusters * np.outer(factor, factor)
    np.fill_diagonal(widened, larger**2)
    return widened


def _take_largest_variances(planes: Sequence[Real], values: Mapping[str, Real]) -> dict[str, float]:
    """Return the largest variance of each function of f and r: widening both of them can narrow their difference."""
    proficiency, false = float(values["proficiency"]), float(values["false_information_ratio"])
    gradients = {
        "proficiency": (0.0, 1.0),
        "false_information_ratio": (1.0, 0.0),
        "erroneous_information_ratio": (1.0, -1.0),
        "information_jaccard": (-proficiency / (1 + false) ** 2, 1 / (1 + false)),
    }
    variance = {
        name: max(float(np.array(gradient) @ plane @ np.array(gradient)) for plane in planes)
        for name, gradient in gradients.items()
    }
    entropy = float(values["truth_entropy"])
    return variance | {"erroneous_information": variance["erroneous_information_ratio"] * entropy**2}


# Blocks of time -------------------------------------------------------------------------------------------------------


class FrameBits(NamedTuple):
    """Bits by frame: of the truth, lost of it, and false."""

    truth: Real
    lost: Real
    false: Real


def estimate_block_covariance(sequences: Sequence[MatchedSequence], truth_bits: float) -> Real:
    """Return the covariance of (f, r) when fifths of each sequence are drawn again, circularly, from its frames."""
    by_sequence = [sum_bits_by_frame(sequence) for sequence in sequences]
    lost = sum(float(bits.lost.sum()) for bits in by_sequence) / truth_bits
    false = sum(float(bits.false.sum()) for bits in by_sequence) / truth_bits
    covariance = np.zeros((2, 2))
    for bits in by_sequence:
        frames = len(bits.truth)
        if frames < BLOCKS:
            continue
        moves = np.stack([lost * bits.truth - bits.lost, bits.false - false * bits.truth]) / truth_bits
        length = round(frames / BLOCKS)
        # the sum of a block from each frame on, past the end from the start again
        ends = np.cumsum(np.concatenate([moves, moves[:, :length]], axis=1), axis=1)
        covariance += frames / length * np.cov(ends[:, length:] - ends[:, :-length], ddof=0)
    return covariance


def sum_bits_by_frame(sequence: MatchedSequence) -> FrameBits:
    """Return what each frame contributes to the ledger's lines under the prior convention; sums are the totals."""
    tracks, table, matched = sequence.tracks, sequence.association, sequence.matched
    truth, system = tracks.truth, tracks.system
    frames = len(tracks.frame_numbers)

    def name_bits(lengths: Ints) -> Real:
        return as_real(np.log2(lengths.sum() / np.maximum(lengths, 1)))

    is_missed, is_false = np.ones(len(truth)), np.ones(len(system))
    is_missed[matched.truth], is_false[matched.system] = 0.0, 0.0
    # a further frame of a track also changes the price of all its misses
    repriced = (table.missed.sum() / max(len(truth), 1) - table.missed / truth.lengths) / NATS_PER_BIT
    truth_bits = name_bits(truth.lengths)[truth.tracks]
    missed = truth_bits * is_missed + repriced[truth.tracks]
    repriced = (table.false.sum() / max(len(system), 1) - table.false / system.lengths) / NATS_PER_BIT
    spurious = name_bits(system.lengths)[system.tracks] * is_false + repriced[system.tracks]

    # confused and fragmented bits of every matched pair of detections
    rows, columns = truth.tracks[matched.truth], system.tracks[matched.system]
    width = max(len(system.ids), 1)
    together = table.counts[np.searchsorted(table.rows * width + table.columns, rows * width + columns)]
    confused = np.log2(table.system_matched[columns] / together)
    fragmented = np.log2(table.truth_matched[rows] / together)
    matched_frames = truth.frames[matched.truth]
    return FrameBits(
        truth=sum_by(truth.frames, truth_bits, frames),
        lost=sum_by(truth.frames, missed, frames) + sum_by(matched_frames, confused, frames),
        false=sum_by(system.frames, spurious, frames) + sum_by(matched_frames, fragmented, frames),
    )


# Differences between trackers -----------------------------------------------------------------------------------------


def compare_trackers(
    trackers: Sequence[TrackerResult],
    sequences: Mapping[str, Sequence[MatchedSequence]],
    settings: TrackingOptions,
    rng: np.random.Generator,
) -> TrackerComparison:
    """Compare every pair of trackers on the truth they share; ``sequences`` are those of each by name."""
    first = trackers[0].name
    truth_ids = {
        name: [(sequence.name, sequence.tracks.truth.ids) for sequence in parts] for name, parts in sequences.items()
    }
    for other, ids in truth_ids.items():
        if ids != truth_ids[first]:
            raise InputError(
                f"{first} and {other} were not evaluated on the same sequences and truth tracks; compare"
                " systems on one truth"
            )
    unit = "sequence" if len(sequences[first]) >= MIN_UNITS else "truth track"
    contributions = {name: _compute_contributions(parts, settings.per) for name, parts in sequences.items()}
    places = {
        tracker.name: (_plug_in(tracker, "false_information_ratio"), _plug_in(tracker, "proficiency"))
        for tracker in trackers
    }
    names, (false, captured) = list(places), np.array(list(places.values())).T
    return TrackerComparison(
        pairs=tuple(
            _compare_pair(a, b, metric, contributions, settings, rng if unit == "sequence" else None)
            for a, b in itertools.combinations(trackers, 2)
            for metric in COMPARED_METRICS
        ),
        ranking=tuple(sorted(places, key=lambda name: (1 - places[name][1] + places[name][0], name))),
        pareto=tuple(names[place] for place in pareto_front(captured, false).tolist()),
        curves=build_tuning_curves(places),
        unit=unit,
    )


def _plug_in(tracker: TrackerResult, metric: str) -> float:
    value = tracker.metrics[metric].value
    return float("nan") if value is None else value


def _compute_contributions(sequences: Sequence[MatchedSequence], per: str) -> dict[str, tuple[Real, float]]:
    """Return what each unit contributes to each metric, and the variance that false tracks add by themselves.

    Units are what was drawn independently: sequences, or truth tracks with the false tracks beside them.
    """
    totals = stack([sequence.total for sequence in sequences])
    whole = totals.total()
    by_sequence = len(sequences) >= MIN_UNITS
    rows = totals if by_sequence else join([sequence.truth_rows for sequence in sequences])
    values, left_out = compute_values(whole, per), compute_values(rows.removed_from(whole), per)
    share = (rows.tracks - 1) / rows.tracks
    contributions = {name: (values[name] - share * left_out[name], 0.0) for name in COMPARED_METRICS}
    if by_sequence:
        return contributions
    false_rows = join([sequence.system_rows for sequence in sequences])
    without_false = compute_values(false_rows.removed_from(whole), per)
    for name, (moves, _) in contributions.items():
        contributions[name] = (moves, float(np.nansum((without_false[name] - values[name]) ** 2)))
    if per == "truth" and whole.truth_bits > 0:
        # bits of each truth track over the truth's, which both systems share
        truth = float(whole.truth_bits)
        lost, false = (rows.missed_bits + rows.confused_bits) / truth, rows.fragmented_bits / truth
        spurious = float(np.sum((false_rows.spurious_bits / truth) ** 2))
        contributions["proficiency"] = (-lost, 0.0)
        contributions["false_information_ratio"] = (false, spurious)
        contributions["erroneous_information_ratio"] = (lost + false, spurious)
    return contributions


def _compare_pair(
    a: TrackerResult,
    b: TrackerResult,
    metric: str,
    contributions: Mapping[str, Mapping[str, tuple[Real, float]]],
    settings: TrackingOptions,
    rng: np.random.Generator | None,
) -> Difference:
    """Compare two trackers in one metric; ``rng`` is there where a sign-flip test applies."""
    difference = _plug_in(a, metric) - _plug_in(b, metric)
    moves_a, variance_a = contributions[a.name][metric]
    moves_b, variance_b = contributions[b.name][metric]
    paired = moves_a - moves_b
    size = len(paired)
    is_known = size >= MIN_UNITS and np.isfinite(difference) and bool(np.isfinite(paired).all())
    sd = float(np.sqrt(size * np.var(paired, ddof=1) + (variance_a + variance_b))) if is_known else float("nan")
    better = float("nan")  # the probability that a is better, by Student's t around the difference
    estimate = Estimate.of(difference, "one of the two is undefined")
    if np.isfinite(sd):
        card = next(entry.card for entry in get_measures(settings.per) if entry.name == metric)
        gain = -difference if card.better == "lower" else difference
        better = 0.5 + 0.5 * float(np.sign(gain)) if sd == 0 else float(stdtr(size - 1, gain / sd))
        reach = float(stdtrit(size - 1, 0.5 + settings.level / 2)) * sd
        estimate = Estimate(difference, difference, sd, difference - reach, difference + reach)
    p_value = sign_flip_p_value(paired, rng) if is_known and rng is not None else float("nan")
    tail = (1 - settings.level) / 2
    return Difference(
        a=a.name,
        b=b.name,
        metric=metric,
        estimate=estimate,
        probability_a_better=drop_infinite(better),
        paired=True,
        verdict="better" if better > 1 - tail else "worse" if better < tail else "inconclusive",
        tests={"sign_flip_p_value": p_value} if np.isfinite(p_value) else {},
    )


def sign_flip_p_value(differences: Real, rng: np.random.Generator) -> float:
    """Return how often the sum would be as far from 0 if each unit's difference had come out either way."""
    size = len(differences)
    is_exact = size <= MAX_EXACT_UNITS
    if is_exact:
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=size)))
    else:
        signs = rng.choice((-1.0, 1.0), size=(SIGN_DRAWS, size))
    is_extreme = np.abs(signs @ differences) >= np.abs(differences.sum()) * (1 - 1e-12)
    return float(np.mean(is_extreme)) if is_exact else float((1 + is_extreme.sum()) / (1 + SIGN_DRAWS))


def build_tuning_curves(places: Mapping[str, tuple[float, float]]) -> dict[str, tuple[CurvePoint, ...]]:
    """Join systems named ``tracker@parameter=value`` by tracker and parameter, in the order of the value.

    ``places`` has false information ratio and proficiency by name.

    >>> curves = build_tuning_curves({"t@gate=0.5": (0.2, 0.8), "t@gate=0.3": (0.1, 0.7)})
    >>> [point.value for point in curves["t@gate"]]
    [0.3, 0.5]
    """
    curves: dict[str, list[CurvePoint]] = {}
    for name, (false, captured) in places.items():
        setting = re.match(r"^(?P<curve>.+@[^=@]+)=(?P<value>.+)$", name)
        if setting is None:
            continue
        try:
            value: float | str = float(setting["value"])
        except ValueError:
            value = setting["value"]
        curves.setdefault(setting["curve"], []).append(CurvePoint(value, name, false, captured))
    return {
        title: tuple(sorted(points, key=lambda point: (isinstance(point.value, str), point.value)))
        for title, points in curves.items()
    }
