"""The curves of a sweep with a mark that can move along them, and how reliable the scores are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from infoscope.figures.display import Display
from infoscope.figures.layout import axis, dodged, share_axis, span
from infoscope.figures.scene import Axis, Bar, Line, Mark, Panel, Point, Words, series
from infoscope.figures.score_curves import LiftDisplay, PrecisionRecallDisplay, ReliabilityDisplay, RiskCoverageDisplay
from infoscope.reports.outline import ALL_ROWS, Column, Figure, Section, SideBySide, Table
from infoscope.reports.parts.item_tables import listed
from infoscope.reports.parts.threshold_choices import signed_value
from infoscope.results.notation import format_count, format_interval, format_share
from infoscope.studies.operating_points import Choice, Sweep
from infoscope.studies.operating_points.result import ALARM_RATE, LIFT

REJECTING = {"proficiency": "captured", "accepted_accuracy": "accuracy of the accepted"}
ALARMING = {"proficiency": "captured", "recall": "recall", "precision": "precision", "accuracy": "accuracy"}
"""The curves, by the words at their ends."""


@dataclass(frozen=True)
class Chart:
    """A picture, and the positions of its marks at each place of the slider."""

    title: str
    caption: str
    panel: Panel
    dots: list[list[Point | None]]
    """For each curve, a point for each place; None where it is undefined."""
    upright: bool = False
    """Whether a line through all curves belongs to the marks."""


def charts(sweep: Sweep, choice: Choice, places: NDArray[np.int64]) -> list[Chart]:
    """The curves of the sweep first, then its two planes."""
    return [_along(sweep, choice, places), *_planes(sweep, places)]


def _along(sweep: Sweep, choice: Choice, places: NDArray[np.int64]) -> Chart:
    """Metrics over the threshold, or over the share rejected."""
    rejecting = sweep.mode == "rejection"
    across = np.asarray(sweep.values("rejection_rate") if rejecting else sweep.thresholds, dtype=np.float64)[places]
    names = REJECTING if rejecting else ALARMING
    heights = [np.asarray(sweep.values(name), dtype=np.float64)[places] for name in names]
    summary = "; ".join(f"{word} at most {np.nanmax(y):.2f}" for word, y in zip(names.values(), heights, strict=True))
    word = "share rejected" if rejecting else "threshold"
    panel = Panel(
        "Curves",
        f"Curves over the {word}: {summary}.",
        _across(across, word, rejecting=rejecting),
        Axis(0.0, 1.02, "", tuple((at / 100.0, f"{at}%") for at in range(0, 101, 20)), grid=True),
        width=680.0,
        height=320.0,
        margins=(50.0, 10.0, 24.0 + 8.0 * max(map(len, names.values())), 48.0),
    )
    marks = [*_where_it_falls(sweep, choice, panel)]
    for at, y in enumerate(heights):
        marks += _runs(across, y, series(at))
    marks += _names(panel, across, heights, list(names.values()))
    dots = [_places(panel, across, y) for y in heights]
    band = "; the band is where the choice falls when the samples are drawn again" if _falls(sweep, choice) else ""
    caption = f"The upright line is the point chosen above{band}."
    return Chart("Along the curve", caption, replace(panel, marks=tuple(marks)), dots, upright=True)


def _across(values: NDArray[np.float64], word: str, *, rejecting: bool) -> Axis:
    if rejecting:
        return Axis(0.0, 1.0, word, tuple((at / 100.0, f"{at}%") for at in range(0, 101, 20)))
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    return axis(*span(low, high), word)


def _runs(x: NDArray[np.float64], y: NDArray[np.float64], colour: str) -> list[Mark]:
    """The curve, with gaps where it is undefined."""
    known = np.isfinite(x) & np.isfinite(y)
    edges = np.flatnonzero(np.diff(known.astype(int))) + 1
    parts = [part for part in np.split(np.arange(len(x)), edges) if len(part) and known[part[0]]]
    return [Line(tuple(zip(x[part].tolist(), y[part].tolist(), strict=True)), colour, 2.2) for part in parts]


def _names(
    panel: Panel, x: NDArray[np.float64], heights: Sequence[NDArray[np.float64]], words: Sequence[str]
) -> list[Mark]:
    """The names of the curves at the right, level with their ends."""
    ends = []
    for y in heights:
        known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        ends.append(float(y[known[np.argmax(x[known])]]) if len(known) else 0.0)
    step = 17.0 * (panel.y.high - panel.y.low) / panel.inner[1]
    heights_of_names = dodged(ends, step, panel.y.low, panel.y.high)
    return [
        Words(panel.x.high, place, word, series(at), shift=(9.0, 0.0), bold=True)
        for at, (word, place) in enumerate(zip(words, heights_of_names, strict=True))
    ]


def _falls(sweep: Sweep, choice: Choice) -> bool:
    return sweep.mode == "threshold" and choice.threshold_low is not None and choice.threshold_high is not None


def _where_it_falls(sweep: Sweep, choice: Choice, panel: Panel) -> list[Mark]:
    if not _falls(sweep, choice):
        return []
    low, high = sorted((choice.threshold_low or 0.0, choice.threshold_high or 0.0))
    return [Bar((low, panel.y.low), (high, panel.y.high), "faint", opacity=0.45)]


def _places(panel: Panel, x: NDArray[np.float64], y: NDArray[np.float64]) -> list[Point | None]:
    return [
        panel.place(float(a), float(b)) if np.isfinite(a) and np.isfinite(b) else None
        for a, b in zip(x, y, strict=True)
    ]


def _planes(sweep: Sweep, places: NDArray[np.int64]) -> list[Chart]:
    false, captured = sweep.values("false_information_ratio"), sweep.values("proficiency")
    path = _plane(
        ("Captured against false information", "Up is more of the truth, right is more false information."),
        ("false, relative to H(T)", "captured, relative to H(T)"),
        (np.asarray(false), np.asarray(captured)),
        places,
    )
    if sweep.mode == "threshold":
        roc = _plane(
            ("ROC curve", "The dashed line is chance."),
            ("false alarms", "recall"),
            (np.asarray(sweep.values("false_alarm_rate")), np.asarray(sweep.values("recall"))),
            places,
            line=((0.0, 0.0), (1.0, 1.0)),
        )
        recall, precision = (np.asarray(sweep.values(name)) for name in ("recall", "precision"))
        alarms, lift = (np.asarray(sweep.values(name)) for name in (ALARM_RATE, LIFT))
        found = _drawn(
            PrecisionRecallDisplay(recall, precision, sweep.prevalence),
            "The dashed line is the precision of alarms at random.",
            (recall[places], precision[places]),
        )
        times = _drawn(LiftDisplay(alarms, lift), "1 is rows at random.", (alarms[places], lift[places]))
        return [roc, found, times, path]
    accepted = 1.0 - np.asarray(sweep.values("rejection_rate"))
    risk = 1.0 - np.asarray(sweep.values("accepted_accuracy"))
    caption = "The dashed line is the error if all are accepted."
    return [_drawn(RiskCoverageDisplay(accepted, risk), caption, (accepted[places], risk[places])), path]


def _drawn(display: Display, caption: str, values: tuple[NDArray[np.float64], NDArray[np.float64]]) -> Chart:
    """A picture of the score with a mark on its curve."""
    panel = display.panel()
    return Chart(panel.title, caption, panel, [_places(panel, *values)])


def _plane(
    words: tuple[str, str],
    axes: tuple[str, str],
    values: tuple[NDArray[np.float64], NDArray[np.float64]],
    places: NDArray[np.int64],
    *,
    line: Sequence[Point] = (),
) -> Chart:
    """A path in a plane of two shares, from nothing."""
    x, y = values[0][places], values[1][places]
    known = np.isfinite(x) & np.isfinite(y)
    reach = [max(float(part[known].max(initial=0.0)), 1e-9) for part in (x, y)]
    if line:
        reach = [1.0, 1.0]
    across, up = map(share_axis, axes, reach)
    panel = Panel(words[0], _summary(axes, x[known], y[known]), across, up, (), 460.0, 340.0, (64.0, 12.0, 16.0, 50.0))
    marks: list[Mark] = [Line(tuple(line), "dim", dash=(3.0, 3.0))] if line else []
    marks.append(Line(tuple(zip(x[known].tolist(), y[known].tolist(), strict=True)), "accent", 2.2))
    return Chart(*words, replace(panel, marks=tuple(marks)), [_places(panel, x, y)])


def _summary(axes: tuple[str, str], x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    if not len(x):
        return f"{axes[1].capitalize()} against {axes[0]}: nowhere defined."
    return (
        f"{axes[1].capitalize()} against {axes[0]}: from {y[0]:.2f} at {x[0]:.2f} to {y[-1]:.2f} at {x[-1]:.2f}, "
        f"{axes[1]} at most {y.max():.2f}."
    )


def reliability_section(sweep: Sweep) -> list[Section]:
    """Fraction of positives by score, in bins; nothing for scores that are no probabilities."""
    if not sweep.reliability:
        return []
    rows = listed(
        sweep.reliability,
        (Column("mean score", "name"), lambda each: signed_value(each.score)),
        (Column("positive"), lambda each: format_share(each.rate.value)),
        (Column("interval", priority=7), lambda each: format_interval(each.rate)),
        (Column("positives", priority=6), lambda each: format_count(each.positives)),
        (Column("samples"), lambda each: format_count(each.samples)),
        (Column("scores", "text", priority=5), lambda each: f"{each.low:.3g} to {each.high:.3g}".replace("-", "−")),
    )
    note = "Bins know their fraction about equally well. On the dashed line the score is the fraction of positives."
    figure = Figure(ReliabilityDisplay(sweep.reliability).panel(), "Reliability diagram", note, "map")
    table = Table(*rows, "Fraction of positives by score", max_rows=ALL_ROWS)
    return [Section("Is the score a probability?", [SideBySide([table], [figure])], "reliability", link="Reliability")]
