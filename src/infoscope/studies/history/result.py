"""The result of history: series of runs with their baselines, alarms, and the cells that changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance
from infoscope.studies.history.alarms import Rule
from infoscope.typing import Json

__all__ = ["Alarm", "ChangedCell", "History", "Run", "RunBaseline", "RunPoint", "RunSeries"]


@dataclass(frozen=True)
class Run:
    """One stored evaluation."""

    name: str
    made: str
    new_baseline: str | None = None
    """Why the runs from here on are not compared with those before; None where they are."""


@dataclass(frozen=True)
class RunPoint:
    """One run of a series."""

    run: int
    """Its place among the runs, from 0."""
    estimate: Estimate
    z: float | None = None
    """Standard deviations above the baseline, all sources of chance included; None where too few runs came before."""
    rule: Rule = ""
    """The rule by which it is an alarm; empty where it is none."""


@dataclass(frozen=True)
class RunBaseline:
    """What runs from one on are compared with."""

    first: int
    """The first run that it holds for."""
    last: int
    runs: int
    """How many runs it was made of."""
    mean: float
    sd: float
    """Of the mean."""
    spread: float
    """Standard deviation between runs, beyond what their own intervals explain."""


@dataclass(frozen=True)
class RunSeries:
    """One metric of one system over the runs, or the recall of one class."""

    system: str
    points: tuple[RunPoint, ...]
    baselines: tuple[RunBaseline, ...] = ()
    label: str | None = None
    """The class whose recall it is; None for the system's metric."""

    @property
    def newest(self) -> RunPoint:
        """The last run."""
        return self.points[-1]


@dataclass(frozen=True)
class Alarm:
    """A run that is worse than expected from the runs before."""

    system: str
    run: int
    rule: Rule
    z: float
    chance: float
    """Probability of such an alarm by chance, where nothing changed."""
    label: str | None = None
    """The class whose recall it is about; None for the metric."""


@dataclass(frozen=True)
class ChangedCell:
    """How often a true class is predicted as another: in the baseline's runs, and in the newest one."""

    system: str
    truth: str
    predicted: str
    before: float
    after: float
    z: float


@dataclass(frozen=True, repr=False)
class History(Result):
    """Runs over time: each with its interval, the spread between them, and those that are alarms."""

    kind: ClassVar[str] = "history"

    metric: str
    runs: tuple[Run, ...]
    series: tuple[RunSeries, ...]
    alarms: tuple[Alarm, ...] = ()
    changed_cells: tuple[ChangedCell, ...] = ()
    classes_watched: int = 0
    """Classes whose recall was watched, the most of any system."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    @property
    def is_alarmed(self) -> bool:
        """Whether the newest run is an alarm."""
        return any(alarm.run == len(self.runs) - 1 for alarm in self.alarms)

    def of(self, system: str) -> RunSeries:
        """The metric of a system."""
        for series in self.series:
            if series.system == system and series.label is None:
                return series
        raise KeyError(system)

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per series and run."""
        for series in self.series:
            for point in series.points:
                run = self.runs[point.run]
                yield {
                    "run": run.name,
                    "made": run.made,
                    "system": series.system,
                    "class": series.label,
                    "metric": self.metric if series.label is None else "recall",
                    **dict(point.estimate.columns("value")),
                    "z": point.z,
                    "alarm": point.rule,
                }
