"""A metric over runs: each with its interval, the band expected from the baseline, and the alarms."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from infoscope.figures.display import Display
from infoscope.figures.layout import axis, measure_width, plain_label, shorten
from infoscope.figures.scene import Axis, Bar, Dot, Line, Mark, Panel, Shape, Words
from infoscope.studies.history import History, RunSeries

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
        """Draw runs from left to right, the newest last."""
        points, runs = self.series.points, self.history.runs
        name = self.title or self.history.metric
        ends = [end for point in points for end in point.estimate.interval or (point.estimate.shown or 0.0,)]
        ends += [base.mean for base in self.series.baselines]
        room = 0.06 * (max(ends) - min(ends)) or 0.05
        low, high = min(ends) - room, max(ends) + room
        # names of as many runs as have room, the newest among them
        names = [shorten(run.name, 16) for run in runs]
        step = max(1, -(-len(runs) * int(max(map(measure_width, names)) + 14) // int(self.wide - 80)))
        ticks = tuple((float(run), names[run]) for run in range(len(runs) - 1, -1, -step))
        alarms = sum(point.rule != "" for point in points)

        # new baselines, their bands, intervals and the dots of the runs
        marks: list[Mark] = []
        for place, run in enumerate(runs):
            if run.new_baseline is not None:
                x, words = place - 0.5, shorten(run.new_baseline or "new baseline", 26)
                marks.append(Line(((x, low), (x, high)), "ink", 1.0, dash=(2.0, 3.0)))
                marks.append(Words(x, high, words, "dim", "small", shift=(5.0, 9.0), halo="paper"))
        for base in self.series.baselines:
            band, left, right = 2.0 * sqrt(base.spread**2 + base.sd**2), base.first - 0.5, base.last + 0.5
            tip = f"baseline of {base.runs} runs: {base.mean:.4g}, spread between runs {base.spread:.2g}"
            marks.append(Bar((left, base.mean - band), (right, base.mean + band), "captured", 0.16, tip=tip))
            marks.append(Line(((left, base.mean), (right, base.mean)), "captured", 1.4))
        intervals = [(p.run, p.estimate.interval) for p in points if p.estimate.interval is not None]
        if len(intervals) > MAX_WHISKERS:
            upper = [(float(x), top) for x, (_, top) in intervals]
            lower = [(float(x), bottom) for x, (bottom, _) in reversed(intervals)]
            marks.append(Line((*upper, *lower), "accent", 0.0, closed=True, fill="accent", opacity=0.2))
        else:
            for x, (bottom, top) in intervals:
                marks.append(Line(((x, bottom), (x, top)), "accent", 1.2, opacity=0.65))
        for point in points:
            shown, alarm, interval = point.estimate.shown or 0.0, bool(point.rule), point.estimate.interval
            between = "" if interval is None else f" ({interval[0]:.4g} to {interval[1]:.4g})"
            z = "" if point.z is None else f", z {point.z:+.1f}"
            tip = f"{plain_label(runs[point.run].name)}: {shown:.4g}{between}{z}{', alarm' * alarm}"
            size = 6.0 if alarm else 4.0 if len(points) <= MAX_WHISKERS else 2.5
            looks: tuple[str, Shape] = ("false", "square") if alarm else ("accent", "circle")
            marks.append(Dot(point.run, shown, *looks, size, tip=tip))
        return Panel(
            f"{self.series.system}: {name} over {len(points)} runs",
            f"{name} of {self.series.system} over {len(points)} runs, {alarms} of them alarms.",
            Axis(-0.7, len(runs) - 0.3, "run", ticks),
            Axis(low, high, name, axis(low, high, "").ticks, grid=True),
            tuple(marks),
            width=self.wide,
            height=300.0,
            margins=(60.0, 16.0, 20.0, 52.0),
        )
