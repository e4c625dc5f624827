"""A metric over runs: each with its interval, the band expected from the baseline, and the alarms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from infoscope.figures.display import Display
from infoscope.figures.layout import axis, plain_label, shortened, width_of
from infoscope.figures.scene import Axis, Bar, Dot, Line, Mark, Panel, Words
from infoscope.studies.history import History, Run, RunPoint, RunSeries

__all__ = ["RunChartDisplay"]

MAX_WHISKERS = 400
"""Runs drawn each with an interval; more are drawn as a band of intervals."""


@dataclass(repr=False)
class RunChartDisplay(Display):
    """One series of a history."""

    history: History
    series: RunSeries
    title: str = ""
    wide: float = 860.0

    def panel(self) -> Panel:
        """Runs from left to right, the newest last."""
        points, runs = self.series.points, self.history.runs
        name = self.title or self.history.metric
        low, high = _range(self.series)
        alarms = sum(point.rule != "" for point in points)
        return Panel(
            f"{self.series.system}: {name} over {len(points)} runs",
            f"{name} of {self.series.system} over {len(points)} runs, {alarms} of them alarms.",
            Axis(-0.7, len(runs) - 0.3, "run", tuple(_ticks(runs, self.wide))),
            Axis(low, high, name, axis(low, high, "").ticks, grid=True),
            tuple(self._marks()),
            width=self.wide,
            height=300.0,
            margins=(60.0, 16.0, 20.0, 52.0),
        )

    def _marks(self) -> Iterator[Mark]:
        low, high = _range(self.series)
        for at, run in enumerate(self.history.runs):
            if run.new_baseline is not None:
                yield Line(((at - 0.5, low), (at - 0.5, high)), "ink", 1.0, dash=(2.0, 3.0))
                words = shortened(run.new_baseline or "new baseline", 26)
                yield Words(at - 0.5, high, words, "dim", "small", shift=(5.0, 9.0), halo="paper")
        for base in self.series.baselines:
            band = 2.0 * sqrt(base.spread**2 + base.sd**2)
            corners = (base.first - 0.5, base.mean - band), (base.last + 0.5, base.mean + band)
            tip = f"baseline of {base.runs} runs: {base.mean:.4g}, spread between runs {base.spread:.2g}"
            yield Bar(corners[0], corners[1], "captured", 0.16, tip=tip)
            yield Line(((base.first - 0.5, base.mean), (base.last + 0.5, base.mean)), "captured", 1.4)
        yield from _intervals(self.series.points)
        for point in self.series.points:
            yield self._dot(point)

    def _dot(self, point: RunPoint) -> Dot:
        run = self.history.runs[point.run]
        shown, alarm = point.estimate.shown or 0.0, bool(point.rule)
        z = "" if point.z is None else f", z {point.z:+.1f}"
        tip = f"{plain_label(run.name)}: {shown:.4g}{_between(point)}{z}{', alarm' * alarm}"
        size = 6.0 if alarm else 4.0 if len(self.series.points) <= MAX_WHISKERS else 2.5
        return Dot(point.run, shown, "false" if alarm else "accent", "square" if alarm else "circle", size, tip=tip)


def _between(point: RunPoint) -> str:
    between = point.estimate.interval
    return "" if between is None else f" ({between[0]:.4g} to {between[1]:.4g})"


def _intervals(points: Sequence[RunPoint]) -> Iterator[Mark]:
    known = [(point.run, between) for point in points if (between := point.estimate.interval) is not None]
    if len(known) > MAX_WHISKERS:
        upper = [(float(run), high) for run, (_, high) in known]
        lower = [(float(run), low) for run, (low, _) in reversed(known)]
        yield Line((*upper, *lower), "accent", 0.0, closed=True, fill="accent", opacity=0.2)
        return
    for run, (low, high) in known:
        yield Line(((run, low), (run, high)), "accent", 1.2, opacity=0.65)


def _range(series: RunSeries) -> tuple[float, float]:
    ends = [end for point in series.points for end in point.estimate.interval or (point.estimate.shown or 0.0,)]
    ends += [base.mean for base in series.baselines]
    low, high = min(ends), max(ends)
    room = 0.06 * (high - low) or 0.05
    return low - room, high + room


def _ticks(runs: Sequence[Run], wide: float) -> Iterator[tuple[float, str]]:
    """Names of as many runs as have room, the newest among them."""
    names = [shortened(run.name, 16) for run in runs]
    step = max(1, -(-len(runs) * int(max(map(width_of, names)) + 14) // int(wide - 80)))
    for at in range(len(runs) - 1, -1, -step):
        yield float(at), names[at]
