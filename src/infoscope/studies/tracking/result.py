"""Result of an evaluation of trackers: every number that will be shown.

``evaluate.py`` fills it, ``uncertainty.py`` the comparison in it; figures and reports only read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import ClassVar

from infoscope.results.base import SystemsResult
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, Provenance
from infoscope.studies.tracking.options import Convention
from infoscope.studies.tracking.sequence import Cell, MatchedSequence, Segment

LINES = ("truth", "captured", "missed", "confused", "fragmented", "spurious")
"""The lines of the information ledger."""
LOST = ("missed", "confused", "fragmented")
"""The lines that a truth track can lose, or have broken up."""


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


@dataclass(frozen=True, eq=False)
class SequenceResult:
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


@dataclass(frozen=True)
class TrackerInterval:
    """Where the intervals of a tracker come from."""

    method: str
    level: float
    degrees: int
    note: str = ""
    coverage: tuple[tuple[float, float], tuple[float, float]] | None = None
    """Covariance of (false information ratio, proficiency), for the ellipse in the coverage plane."""


@dataclass(frozen=True, eq=False)
class TrackerResult:
    """One tracker: its metrics with intervals, its ledger, and its sequences."""

    name: str
    n: int
    """Truth detections."""
    system_boxes: int
    metrics: Mapping[str, Estimate]
    ledger: Mapping[str, float]
    """Where the bits go, over all sequences."""
    curve: Mapping[str, tuple[float | None, ...]]
    """HOTA and its parts at each level of similarity."""
    interval: TrackerInterval
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


@dataclass(frozen=True)
class TrackerComparison:
    """All pairs, the ranking by erroneous information, the Pareto front and the tuning curves."""

    pairs: tuple[Difference, ...]
    ranking: tuple[str, ...]
    pareto: tuple[str, ...]
    """Trackers that no other beats in both captured and false information."""
    curves: Mapping[str, tuple[CurvePoint, ...]]
    """Trackers named ``tracker@parameter=value``, by tracker and parameter, in the order of the value."""
    unit: str = ""
    """What was compared as independent draws: sequences or truth tracks."""


@dataclass(frozen=True)
class GateSweep:
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

    @property
    def ranking(self) -> tuple[str, ...]:
        """Trackers by erroneous information, the best first."""
        if self.comparison is not None:
            return self.comparison.ranking
        return tuple(system.name for system in self.systems)
