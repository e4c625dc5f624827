"""Show a sweep: which operating point, what it is worth, and a slider over all the others.

``outline`` is called by ``reports/render.py``. The texts of the slider are written here for every place of it, its
curves and planes are drawn below; ``html/slider.py`` and ``slider.js`` move between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import distinct
from infoscope.figures.display import Display
from infoscope.figures.layout import axis, plain_label, share_axis, span, spread_labels
from infoscope.figures.scene import Axis, Bar, Line, Mark, Panel, Point, Words, series
from infoscope.figures.score_curves import (
    ErrorRejectDisplay,
    LiftDisplay,
    PrecisionRecallDisplay,
    ReliabilityDisplay,
    RiskCoverageDisplay,
    RocDisplay,
)
from infoscope.figures.sweep import SweepDisplay
from infoscope.metrics.registry import catalogue
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Cell,
    Column,
    Explorer,
    Figure,
    InformationBar,
    Outline,
    Phrase,
    Row,
    Section,
    SideBySide,
    Strong,
    Table,
    Tile,
)
from infoscope.reports.shared import (
    ALERTS,
    format_criterion,
    format_criterion_interval,
    format_point,
    format_signed,
    format_threshold_interval,
    name_criterion,
    tabulate,
    tabulate_choices,
)
from infoscope.reports.views.score_groups import tabulate_summary
from infoscope.results.notation import UNDEFINED, Units, format_count, format_interval, format_number, format_share
from infoscope.studies.sweep import ALARM_RATE, LIFT, Sweep
from infoscope.studies.threshold_choice import Choice

PICTURES: dict[str, Callable[[Sweep], Display]] = {
    "curves": SweepDisplay.from_sweep,
    "roc": RocDisplay.from_sweep,
    "precision_recall": PrecisionRecallDisplay.from_sweep,
    "reliability": ReliabilityDisplay.from_sweep,
    "lift": LiftDisplay.from_sweep,
    "risk_coverage": RiskCoverageDisplay.from_sweep,
    "error_reject": ErrorRejectDisplay.from_sweep,
}
MAX_PLACES = 201
"""Places of the slider; the saved curve has every operating point."""
MAX_POINTS = 21
"""Points in the table, beside the best."""
THRESHOLD = {
    "threshold": "threshold",
    ALARM_RATE: "predicted positive",
    ALERTS: "alerts per 1000 rows",
    LIFT: "lift",
    "proficiency": "captured",
    "accuracy": "accuracy",
    "recall": "recall",
    "precision": "precision",
    "false_alarm_rate": "false alarms",
}
REJECTION = {
    "threshold": "threshold",
    "rejection_rate": "rejected",
    "accepted_accuracy": "accuracy of the accepted",
    "proficiency": "captured",
    "proficiency_without_reject": "captured, accepted alone",
    "error_rate": "wrong, of all",
}
"""Numbers shown at each point, by metric."""
AREAS = {
    "roc_auc": "area under the ROC curve",
    "average_precision": "average precision",
    "average_information": "average information",
    "normalized_average_information": "normalized average information",
    "average_accuracy": "accuracy averaged over all operating points",
    "risk_coverage_area": "area under the risk-coverage curve",
    "error_reject_area": "area under the error-reject curve",
    "ranked_probability_score": "ranked probability score, 0 is perfect",
}

Curves = Mapping[str, NDArray[np.float64]]


def outline(sweep: Sweep, unit: Units) -> Outline:
    """Write the outline: the first choice is recommended, but none where high scores mean the other class."""
    if sweep.reversed_class is not None:
        return _outline_reversed(sweep, sweep.reversed_class, unit)
    choice = sweep.choices[0]
    is_rejecting = sweep.mode == "rejection"
    words = REJECTION if is_rejecting else THRESHOLD
    curves = _collect_curves(sweep, words)
    # places of the slider, the most generous first, the chosen one among them
    places = distinct(sweep.spread_points(MAX_PLACES), [choice.point])[::-1]
    here = int(np.flatnonzero(places == choice.point)[0])
    shown = [
        {name: format_point(name, curves[name][place]) for name in words}
        | {"text": plain_label(_describe_point(sweep, curves, int(place)))}
        for place in places
    ]
    charts = [_draw_curves(sweep, choice, places), *_draw_planes(sweep, places)]
    dots = [
        [[None if p is None else [round(p[0], 1), round(p[1], 1)] for p in curve] for curve in chart.dots]
        for chart in charts
    ]
    headline, *lede = _write_sentences(sweep, choice, curves, unit)
    key = "rejection_rate" if is_rejecting else "threshold"
    title = "Scores by chance" if sweep.is_by_chance else _capitalise(_describe_action(sweep, curves, choice.point))
    recommended = "Best" if sweep.is_by_chance else "Recommended"
    return Outline(
        title=f"{title} | operating points",
        kicker=list(_write_kicker(sweep)),
        headline=headline,
        lede=lede,
        hero=[InformationBar.from_bits(lambda name: float(np.nan_to_num(sweep.values(name)[choice.point])), unit)],
        tiles=list(_make_tiles(sweep, choice, curves, unit)),
        sections=[
            Section(
                "Rejecting the uncertain ones" if is_rejecting else "Choosing a threshold",
                [Explorer("slider", (sweep.mode, words, shown, here, charts[0]))],
                "choose",
                link="Reject more or less" if is_rejecting else "Move the threshold",
                only="page",
            ),
            Section(
                f"{recommended} threshold{'s' * (len(sweep.choices) > 1)}",
                [tabulate_choices(sweep.choices, unit)],
                "best",
                link=recommended,
            ),
            _make_points_section(sweep, choice, words, curves, places),
            *_make_reliability_section(sweep),
            *_make_scores_section(sweep),
            Section("More views", [Explorer("planes", (charts[1:], here))], "maps", link="Views", only="page"),
        ],
        footnotes=_describe_areas(sweep, unit),
        appendix=Appendix(
            metrics=[*words, *(item.criterion for item in sweep.choices), "false_information_ratio"],
            method=_describe_method(sweep),
        ),
        script="slider.js",
        data={"points-shown": {"shown": shown, "best": here, "key": key, "charts": dots}},
    )


def _outline_reversed(sweep: Sweep, other: str, unit: Units) -> Outline:
    """Write the outline for scores of the other class: what to say instead, and no recommendation."""
    curves = _collect_curves(sweep, THRESHOLD)
    captured = np.nan_to_num(curves["proficiency"], nan=-1.0)
    best = int(np.argmax(captured))
    positive, meant = (sweep.positive or "")[:40], other[:40]
    evidence = next(finding.evidence for finding in sweep.findings if finding.code == "reversed_scores")
    label = evidence.get("positive", other)
    area = sweep.areas["roc_auc"]
    places = np.linspace(0, len(sweep) - 1, min(MAX_POINTS, len(sweep))).astype(np.int64)[::-1]
    threshold = format_point("threshold", curves["threshold"][best])
    return Outline(
        title=f"High scores mean “{meant}” | operating points",
        kicker=list(_write_kicker(sweep)),
        headline=f"High scores mean “{meant}”, not “{positive}”: no threshold is recommended.",
        lede=[
            f"The area under the ROC curve is {area:.3f} for “{positive}” and {1 - area:.3f} for “{meant}”: say "
            f"--positive {quote(other)} (positive={label!r} in Python), or negate the scores.",
            f"Then: predict “{meant}” when the score is at least {threshold}, which captures "
            f"{format_share(float(captured[best]), 0)} of the information in the truth.",
        ],
        tiles=[Tile(f"{area:.3f}", AREAS["roc_auc"], note=f"of “{positive}”; 0.5 is chance")],
        stated=["reversed_scores"],
        sections=[_make_points_section(sweep, None, THRESHOLD, curves, places), *_make_scores_section(sweep)],
        footnotes=_describe_areas(sweep, unit),
        appendix=Appendix(metrics=list(THRESHOLD), method=_describe_method(sweep)),
    )


def _collect_curves(sweep: Sweep, words: Mapping[str, str]) -> Curves:
    """Return what is shown at each operating point, by metric."""
    curves = {"threshold": np.asarray(sweep.thresholds, dtype=np.float64)}
    for name in (*words, "false_information_ratio"):
        if name != "threshold":
            values = sweep.alerts(1000) if name == ALERTS else sweep.values(name)
            curves[name] = np.asarray(values, dtype=np.float64)
    return curves


# Words ----------------------------------------------------------------------------------------------------------------


def _capitalise(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _write_kicker(sweep: Sweep) -> Iterator[Phrase]:
    yield "Operating points"
    yield "sample size unknown" if sweep.sample_size is None else f"{format_count(sweep.sample_size)} samples"
    yield f"{len(sweep.truth_labels):,} classes"
    yield f"{len(sweep):,} operating points"
    yield sweep.rule


def _describe_action(sweep: Sweep, curves: Curves, place: int) -> str:
    """Say what an operating point asks for."""
    threshold = float(curves["threshold"][place])
    text = format_point("threshold", threshold)
    if sweep.mode == "threshold":
        predict = f"predict “{(sweep.positive or '')[:40]}”"
        return (
            f"{predict} when the {sweep.quantity} is at least {text}" if np.isfinite(threshold) else f"never {predict}"
        )
    rejected = float(curves["rejection_rate"][place])
    if rejected in (0.0, 1.0):
        return "reject nothing" if rejected == 0.0 else "reject everything"
    return f"reject when the {sweep.quantity} is {'above' if sweep.quantity == 'entropy' else 'below'} {text}"


def _describe_point(sweep: Sweep, curves: Curves, place: int) -> str:
    def text(name: str) -> str:
        return format_point(name, curves[name][place])

    start = _capitalise(_describe_action(sweep, curves, place))
    captured = f"{text('proficiency')} of the information in the truth is captured"
    if sweep.mode == "threshold":
        rest = f"recall is {text('recall')}, precision {text('precision')}, accuracy {text('accuracy')}"
        return f"{start}: {captured}; {rest}."
    right = curves["accepted_accuracy"][place]
    accepted = "nothing is accepted" if np.isnan(right) else f"{text('accepted_accuracy')} of the accepted are right"
    return f"{start}: {text('rejection_rate')} are rejected, {accepted}, and {captured}."


def _write_sentences(sweep: Sweep, choice: Choice, curves: Curves, unit: Units) -> Iterator[str]:
    """Write the recommended point, as the headline, and what it is worth."""
    action = _describe_action(sweep, curves, choice.point)
    criterion, value = name_criterion(choice.criterion), format_criterion(choice, choice.value, unit)
    if sweep.is_by_chance and choice.criterion != "expected_cost":
        yield "The scores separate the classes no better than chance: no threshold is recommended."
        yield f"Best in this sample: {action} ({criterion} {value})."
    elif choice.criterion == "proficiency":
        share = f"{format_share(choice.value)} of the information in the truth"
        yield f"{_capitalise(action)}: that captures {share}, the most of all."
    else:
        yield f"{_capitalise(action)}: that gives the best {criterion}, {value}."
    held = choice.held_out
    if held.value is None:
        yield "There are too few samples to evaluate the choice on held-out samples."
    else:
        worth, limits = format_criterion(choice, held.value, unit), format_criterion_interval(choice, held, unit)
        within = f" ({choice.level:.0%} interval {limits})" if limits else ""
        yield f"On held-out samples it is {worth}{within}."
    ends = format_threshold_interval(choice)
    if ends is not None and ends[0] != ends[1]:
        yield f"Were the samples drawn again, the choice would fall between {ends[0]} and {ends[1]}."
    if sweep.mode == "threshold":
        recall, false_alarms, accuracy = (
            format_share(float(curves[name][choice.point])) for name in ("recall", "false_alarm_rate", "accuracy")
        )
        yield (
            f"It finds {recall} of “{(sweep.positive or '')[:40]}” with {false_alarms} false alarms, "
            f"{format_point(ALERTS, float(curves[ALERTS][choice.point]))} alerts per 1,000 rows; accuracy is "
            f"{accuracy}."
        )
        return
    # what rejecting half of the samples gains in accuracy and loses in captured information
    rejected, right, captured = (curves[name] for name in ("rejection_rate", "accepted_accuracy", "proficiency"))
    none, half = int(np.argmin(rejected)), int(np.argmin(np.abs(rejected - 0.5)))
    if not np.isnan(right[half]) and half != none:
        yield (
            f"Rejecting {format_share(float(rejected[half]), 0)} of the samples takes accuracy from "
            f"{format_share(float(right[none]))} to {format_share(float(right[half]))}, and captured information from "
            f"{format_share(float(captured[none]))} to {format_share(float(captured[half]))}."
        )


def _make_tiles(sweep: Sweep, choice: Choice, curves: Curves, unit: Units) -> Iterator[Tile]:
    def write_share(value: float) -> str:
        return UNDEFINED if np.isnan(value) else format_share(float(value))

    here = choice.point
    yield Tile(
        format_point("threshold", choice.threshold), "threshold", " – ".join(format_threshold_interval(choice) or ())
    )
    note = ""
    if choice.criterion == "proficiency" and choice.held_out.value is not None:
        note = f"held out {format_criterion(choice, choice.held_out.value, unit)}"
    yield Tile(write_share(curves["proficiency"][here]), "captured", "", note, "proficiency")
    if sweep.mode == "threshold":
        yield Tile(write_share(curves["accuracy"][here]), "accuracy", metric="accuracy")
        yield Tile(f"{sweep.areas['roc_auc']:.3f}", AREAS["roc_auc"], note="0.5 is chance")
    else:
        accepted = f"{write_share(1.0 - curves['rejection_rate'][here])} accepted"
        right = write_share(curves["accepted_accuracy"][here])
        yield Tile(right, "accuracy of the accepted", "", accepted, "accepted_accuracy")
        area = sweep.areas["risk_coverage_area"]
        yield Tile(f"{area:.3f}", AREAS["risk_coverage_area"], note="0 is perfect")


def _describe_areas(sweep: Sweep, unit: Units) -> list[Phrase]:
    sentences: list[Phrase] = []
    for name, value in sweep.areas.items():
        text = format_number(value, ".4f")
        if name == "average_information":
            text = f"{value * unit.per_bit:.4f} {unit.name}"
        sentences.append(f"{_capitalise(AREAS[name])}: {text}.")
    return sentences


def _describe_method(sweep: Sweep) -> list[Phrase]:
    return [
        f"{sweep.rule}; {sweep.distinct:,} distinct thresholds, {len(sweep):,} operating points.",
        "Held out: ten parts, each scored at the threshold that the other nine choose, as one table. The interval "
        "comes from the same over samples drawn again.",
        "“Captured” is the mutual information of truth and output as a fraction of the truth's entropy; a rejection is "
        "an output of its own, so rejecting at random captures nothing.",
    ]


# Tables ---------------------------------------------------------------------------------------------------------------

_PRIORITIES = {LIFT: 4, ALERTS: 5, "false_alarm_rate": 6}
"""Columns that go first where room is short."""


def _make_points_section(
    sweep: Sweep, choice: Choice | None, words: Mapping[str, str], curves: Curves, places: NDArray[np.int64]
) -> Section:
    """Show some points of the curve, evenly spread, with the best among them."""
    positions = np.linspace(0, len(places) - 1, min(MAX_POINTS, len(places))).astype(np.int64)
    best = None if choice is None else int(np.flatnonzero(places == choice.point)[0])
    rows = []
    for position in positions if best is None else distinct(positions, [best]):
        cells: list[Cell] = [format_point(name, curves[name][int(places[position])]) for name in words]
        is_best = position == best
        rows.append(Row([*cells, Strong("best") if is_best else ""], is_best, {"at": str(int(position))}))
    columns = [
        Column(word, priority=_PRIORITIES.get(name, 9), metric=name if name in catalogue else None)
        for name, word in words.items()
    ]
    caption = f"Operating points: {sweep.rule}"
    table = Table([*columns, Column("", "text")], rows, caption, max_rows=ALL_ROWS, style="values points")
    return Section("Operating points", [table], "points", link="Table")


def _make_scores_section(sweep: Sweep) -> list[Section]:
    """Show the scores in a few numbers."""
    if sweep.scoring is None:
        return []
    return [Section("The scores in numbers", [tabulate_summary(sweep.scoring)], "scores", link="Scores")]


def _make_reliability_section(sweep: Sweep) -> list[Section]:
    """Show the fraction of positives by score, in bins; nothing for scores that are no probabilities."""
    if not sweep.reliability:
        return []
    rows = tabulate(
        sweep.reliability,
        (Column("mean score", "name"), lambda bin_: format_signed(bin_.score)),
        (Column("positive"), lambda bin_: format_share(bin_.rate.value)),
        (Column("interval", priority=7), lambda bin_: format_interval(bin_.rate)),
        (Column("positives", priority=6), lambda bin_: format_count(bin_.positives)),
        (Column("samples"), lambda bin_: format_count(bin_.samples)),
        (Column("scores", "text", priority=5), lambda bin_: f"{bin_.low:.3g} to {bin_.high:.3g}".replace("-", "−")),
    )
    note = "Bins know their fraction about equally well. On the dashed line the score is the fraction of positives."
    figure = Figure(ReliabilityDisplay(sweep.reliability).panel(), "Reliability diagram", note, "map")
    table = Table(*rows, "Fraction of positives by score", max_rows=ALL_ROWS)
    return [Section("Is the score a probability?", [SideBySide([table], [figure])], "reliability", link="Reliability")]


# Charts ---------------------------------------------------------------------------------------------------------------

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
    """True if a line through all curves belongs to the marks."""


def _draw_curves(sweep: Sweep, choice: Choice, places: NDArray[np.int64]) -> Chart:
    """Draw metrics over the threshold, or over the share rejected."""
    rejecting = sweep.mode == "rejection"
    across = np.asarray(sweep.values("rejection_rate") if rejecting else sweep.thresholds, dtype=np.float64)[places]
    names = REJECTING if rejecting else ALARMING
    heights = [np.asarray(sweep.values(name), dtype=np.float64)[places] for name in names]
    summary = "; ".join(f"{word} at most {np.nanmax(y):.2f}" for word, y in zip(names.values(), heights, strict=True))
    word = "share rejected" if rejecting else "threshold"
    percents = tuple((percent / 100.0, f"{percent}%") for percent in range(0, 101, 20))
    x_axis = Axis(0.0, 1.0, word, percents)
    if not rejecting:
        finite = across[np.isfinite(across)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        x_axis = axis(*span(low, high), word)
    panel = Panel(
        "Curves",
        f"Curves over the {word}: {summary}.",
        x_axis,
        Axis(0.0, 1.02, "", percents, grid=True),
        width=680.0,
        height=320.0,
        margins=(50.0, 10.0, 24.0 + 8.0 * max(map(len, names.values())), 48.0),
    )
    marks: list[Mark] = []
    band = ""
    if sweep.mode == "threshold" and choice.threshold_low is not None and choice.threshold_high is not None:
        low, high = sorted((choice.threshold_low, choice.threshold_high))
        marks.append(Bar((low, panel.y.low), (high, panel.y.high), "faint", opacity=0.45))
        band = "; the band is where the choice falls when the samples are drawn again"
    for number, y in enumerate(heights):
        # with gaps where it is undefined
        defined = np.isfinite(across) & np.isfinite(y)
        edges = np.flatnonzero(np.diff(defined.astype(int))) + 1
        for run in np.split(np.arange(len(across)), edges):
            if len(run) and defined[run[0]]:
                points = tuple(zip(across[run].tolist(), y[run].tolist(), strict=True))
                marks.append(Line(points, series(number), 2.2))
    # the names of the curves at the right, level with their ends
    ends = []
    for y in heights:
        drawn = np.flatnonzero(np.isfinite(across) & np.isfinite(y))
        ends.append(float(y[drawn[np.argmax(across[drawn])]]) if len(drawn) else 0.0)
    step = 17.0 * (panel.y.high - panel.y.low) / panel.inner[1]
    levels = spread_labels(ends, step, panel.y.low, panel.y.high)
    for number, (name, level) in enumerate(zip(names.values(), levels, strict=True)):
        marks.append(Words(panel.x.high, level, name, series(number), shift=(9.0, 0.0), bold=True))
    dots = [_place_dots(panel, across, y) for y in heights]
    caption = f"The upright line is the point chosen above{band}."
    return Chart("Along the curve", caption, replace(panel, marks=tuple(marks)), dots, upright=True)


def _place_dots(panel: Panel, x: NDArray[np.float64], y: NDArray[np.float64]) -> list[Point | None]:
    return [
        panel.place(float(a), float(b)) if np.isfinite(a) and np.isfinite(b) else None
        for a, b in zip(x, y, strict=True)
    ]


def _draw_planes(sweep: Sweep, places: NDArray[np.int64]) -> list[Chart]:
    false, captured = sweep.values("false_information_ratio"), sweep.values("proficiency")
    path = _draw_plane(
        ("Captured against false information", "Up is more of the truth, right is more false information."),
        ("false, relative to H(T)", "captured, relative to H(T)"),
        (np.asarray(false), np.asarray(captured)),
        places,
    )
    if sweep.mode == "threshold":
        roc = _draw_plane(
            ("ROC curve", "The dashed line is chance."),
            ("false alarms", "recall"),
            (np.asarray(sweep.values("false_alarm_rate")), np.asarray(sweep.values("recall"))),
            places,
            line=((0.0, 0.0), (1.0, 1.0)),
        )
        recall, precision = (np.asarray(sweep.values(name)) for name in ("recall", "precision"))
        alarms, lift = (np.asarray(sweep.values(name)) for name in (ALARM_RATE, LIFT))
        precision_recall = _draw_on_display(
            PrecisionRecallDisplay(recall, precision, sweep.prevalence),
            "The dashed line is the precision of alarms at random.",
            (recall[places], precision[places]),
        )
        lift_chart = _draw_on_display(LiftDisplay(alarms, lift), "1 is rows at random.", (alarms[places], lift[places]))
        return [roc, precision_recall, lift_chart, path]
    accepted = 1.0 - np.asarray(sweep.values("rejection_rate"))
    risk = 1.0 - np.asarray(sweep.values("accepted_accuracy"))
    of_accepted = _draw_on_display(
        RiskCoverageDisplay(accepted, risk),
        "The dashed line is the error if all are accepted.",
        (accepted[places], risk[places]),
    )
    error_reject = ErrorRejectDisplay.from_sweep(sweep)
    of_all = _draw_on_display(
        error_reject,
        "The dashed line is the error of rejecting at random.",
        (error_reject.rejected[places], error_reject.error[places]),
    )
    return [of_accepted, of_all, path]


def _draw_on_display(display: Display, caption: str, values: tuple[NDArray[np.float64], NDArray[np.float64]]) -> Chart:
    """Draw a picture of the score with a mark on its curve."""
    panel = display.panel()
    return Chart(panel.title, caption, panel, [_place_dots(panel, *values)])


def _draw_plane(
    words: tuple[str, str],
    axes: tuple[str, str],
    values: tuple[NDArray[np.float64], NDArray[np.float64]],
    places: NDArray[np.int64],
    *,
    line: Sequence[Point] = (),
) -> Chart:
    """Draw a path in a plane of two shares, from nothing."""
    x, y = values[0][places], values[1][places]
    defined = np.isfinite(x) & np.isfinite(y)
    reach = [max(float(part[defined].max(initial=0.0)), 1e-9) for part in (x, y)]
    if line:
        reach = [1.0, 1.0]
    across, up = map(share_axis, axes, reach)
    summary = f"{axes[1].capitalize()} against {axes[0]}: nowhere defined."
    path_x, path_y = x[defined], y[defined]
    if len(path_x):
        summary = (
            f"{axes[1].capitalize()} against {axes[0]}: from {path_y[0]:.2f} at {path_x[0]:.2f} to {path_y[-1]:.2f} at "
            f"{path_x[-1]:.2f}, {axes[1]} at most {path_y.max():.2f}."
        )
    panel = Panel(words[0], summary, across, up, (), 460.0, 340.0, (64.0, 12.0, 16.0, 50.0))
    marks: list[Mark] = [Line(tuple(line), "dim", dash=(3.0, 3.0))] if line else []
    marks.append(Line(tuple(zip(path_x.tolist(), path_y.tolist(), strict=True)), "accent", 2.2))
    return Chart(*words, replace(panel, marks=tuple(marks)), [_place_dots(panel, x, y)])
