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

from infoscope.core.markup import pluralize
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
    Name,
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
    name_criterion,
    tabulate,
    tabulate_choices,
)
from infoscope.reports.views.score_groups import tabulate_summary
from infoscope.results.notation import (
    UNDEFINED,
    MetricNotation,
    Units,
    format_count,
    format_interval,
    format_number,
    format_share,
)
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
    "rejection_rate": "rejected",
    "threshold": "threshold",
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

REACHED = {"recall": 0.95, "precision": 0.9}
"""What people ask a threshold for, beside the best by a criterion."""
REJECTED = (0.0, 0.05, 0.1, 0.2, 0.5)
"""Shares that are rejected in the table of the first screen."""

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
    key = "rejection_rate" if is_rejecting else "threshold"
    title = "Scores by chance" if sweep.is_by_chance else _capitalise(_describe_action(sweep, curves, choice.point))
    best = f"{'Best' if sweep.is_by_chance else 'Recommended'} threshold{'s' * (len(sweep.choices) > 1)}"
    headline, *lede = _write_headline(sweep, choice, curves, unit)
    return Outline(
        title=f"{title} | operating points",
        kicker=list(_write_kicker(sweep)),
        headline=headline,
        lede=lede,
        tiles=list((_make_rejection_tiles if is_rejecting else _make_threshold_tiles)(sweep, choice, curves, unit)),
        sections=[
            _make_other_points_section(sweep, choice, curves, unit),
            Section(
                "Rejecting the uncertain ones" if is_rejecting else "Choosing a threshold",
                [Explorer("slider", (sweep.mode, words, shown, here, charts[0]))],
                "choose",
                link="Reject more or less" if is_rejecting else "Move the threshold",
                only="page",
            ),
            Section("Captured, missed and false in this sample", [_make_bar(sweep, choice, unit)], "bar", folded=True),
            Section(best, [tabulate_choices(sweep.choices, unit)], "best", aside="how sure they are", folded=True),
            _make_points_section(sweep, choice, words, curves, places),
            *_make_reliability_section(sweep),
            *_make_scores_section(sweep),
            Section(
                "More views",
                [Explorer("planes", (charts[1:], here))],
                "maps",
                aside="information coverage" if is_rejecting else "ROC, precision-recall, lift",
                only="page",
                folded=True,
            ),
        ],
        footnotes=[f"{sweep.rule}.", *_describe_areas(sweep, unit)],
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
    size = sweep.sample_size
    if size is None:
        yield "sample size unknown"
    elif sweep.mode == "threshold":
        positives = format_count(round(sweep.prevalence * size))
        yield (f"{format_count(size)} samples, {positives} of them '", Name(sweep.positive or "", 40), "'")
    else:
        yield f"{format_count(size)} samples"
        yield f"{len(sweep.truth_labels):,} classes"
    yield f"{pluralize(len(sweep), 'operating point')}"


def _describe_action(sweep: Sweep, curves: Curves, place: int) -> str:
    """Say what an operating point asks for."""
    threshold = float(curves["threshold"][place])
    text = format_point("threshold", threshold)
    if sweep.mode == "threshold":
        predict = f"predict '{(sweep.positive or '')[:40]}'"
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


def _write_headline(sweep: Sweep, choice: Choice, curves: Curves, unit: Units) -> Iterator[str]:
    """Write the recommended point with what it finds and captures; what is best by chance only comes after that."""
    action = _capitalise(_describe_action(sweep, curves, choice.point))
    held = choice.held_out
    value, where = (choice.value, "in this sample") if held.value is None else (held.value, "on held-out samples")
    limits = "" if held.value is None else format_criterion_interval(choice, held, unit)
    amount = f"{format_criterion(choice, value, unit)}{f' ({limits})' * bool(limits)}"
    worth = f"it has {_name_article(choice.criterion)} of {amount} {where}"
    if choice.criterion == "proficiency":
        worth = f"it captures {amount} of the information in the truth {where}"
    if sweep.is_by_chance and choice.criterion != "expected_cost":
        yield "The scores separate the classes no better than chance: no threshold is recommended."
        yield f"Best in this sample: {action[0].lower()}{action[1:]}; {worth}."
        return
    number = {name: format_share(estimate.value) for name, estimate in choice.metrics.items()}
    if sweep.mode == "threshold" and number["precision"] != UNDEFINED:
        found = f"finds {number['recall']} of '{(sweep.positive or '')[:40]}' at a precision of {number['precision']}"
        yield f"{action}: that {found}."
        yield f"{_capitalise(worth)}."
    elif sweep.mode == "rejection" and (choice.metrics["rejection_rate"].value or 0.0) not in (0.0, 1.0):
        right, everyone = number["accepted_accuracy"], format_share(float(curves["accepted_accuracy"][-1]))
        rejects = f"rejects {number['rejection_rate']} of the samples and is right in {right} of the others"
        yield f"{action}: that {rejects} ({everyone} of all)."
        yield f"{_capitalise(worth)}."
    else:
        yield f"{action}: {worth}."


def _name_article(criterion: str) -> str:
    name = name_criterion(criterion)
    return f"{'an' if name[0] in 'aeioAEIOF' else 'a'} {name}"


def _make_threshold_tiles(sweep: Sweep, choice: Choice, curves: Curves, unit: Units) -> Iterator[Tile]:
    for name, baseline in (("roc_auc", 0.5), ("average_precision", sweep.prevalence)):
        estimate = sweep.area_estimates[name]
        note = f"chance {format_share(baseline)}"
        yield Tile(format_share(estimate.value), AREAS[name], format_interval(estimate), note, baseline=baseline)
    size = sweep.sample_size or np.nan
    alarms = size * float(curves[ALARM_RATE][choice.point])
    found = size * sweep.prevalence * float(curves["recall"][choice.point])
    counts = {
        "recall": f"{format_count(round(found))} of {format_count(round(size * sweep.prevalence))} found",
        "precision": f"{format_count(round(alarms - found))} of {format_count(round(alarms))} are false alarms",
    }
    for name, estimate in choice.metrics.items():
        if name in counts:
            note = counts[name] if sweep.sample_size and estimate.value is not None else ""
            yield Tile.from_estimate(estimate, MetricNotation(name), name, note)
    yield _make_captured_tile(choice, curves, unit)


def _make_bar(sweep: Sweep, choice: Choice, unit: Units) -> InformationBar:
    """Draw the information at the chosen point."""
    return InformationBar.from_bits(lambda name: float(np.nan_to_num(sweep.values(name)[choice.point])), unit)


def _make_captured_tile(choice: Choice, curves: Curves, unit: Units) -> Tile:
    """Show what is captured on held-out samples if the choice was made by it, else in this sample."""
    here = format_share(float(np.nan_to_num(curves["proficiency"][choice.point])))
    if choice.criterion != "proficiency" or choice.held_out.value is None:
        return Tile(here, "captured", "", "in this sample", "proficiency")
    held = format_criterion(choice, choice.held_out.value, unit)
    limits = format_criterion_interval(choice, choice.held_out, unit)
    return Tile(held, "captured, held out", limits, f"in this sample {here}", "proficiency")


def _make_rejection_tiles(sweep: Sweep, choice: Choice, curves: Curves, unit: Units) -> Iterator[Tile]:
    everyone = float(curves["accepted_accuracy"][-1])
    notes = {"accepted_accuracy": f"all accepted {format_share(everyone)}", "rejection_rate": ""}
    if sweep.sample_size:
        rejected = round(sweep.sample_size * (choice.metrics["rejection_rate"].value or 0.0))
        notes["rejection_rate"] = f"{format_count(rejected)} of {format_count(sweep.sample_size)}"
    for name, word in (("accepted_accuracy", "accuracy of the accepted"), ("rejection_rate", "rejected")):
        yield Tile.from_estimate(choice.metrics[name], MetricNotation(name), word, notes[name])
    area = format_share(sweep.areas["risk_coverage_area"])
    yield Tile(area, "error over coverage (AURC)", "", f"0% perfect, {format_share(1.0 - everyone)} random")
    yield _make_captured_tile(choice, curves, unit)


def _make_other_points_section(sweep: Sweep, choice: Choice, curves: Curves, unit: Units) -> Section:
    """Show what the best points by other criteria, and points that people ask for, find and cost."""
    if sweep.mode == "rejection":
        return _make_other_rejections_section(choice, curves)
    words = {other.criterion: name_criterion(other.criterion) for other in sweep.choices} | {"proficiency": "captured"}
    held = {
        other.point: (f"best {words[other.criterion]}", f"{value} {words[other.criterion]}")
        for other in reversed(sweep.choices)
        for value in (format_criterion(other, other.held_out.value, unit),)
    }
    for name, wanted in REACHED.items():
        reached = np.flatnonzero(np.nan_to_num(curves[name]) >= wanted)
        if len(reached):  # recall grows with every point; of those that are as precise, the last finds most
            held.setdefault(int(reached[0 if name == "recall" else -1]), (f"{name} ≥ {wanted:.0%}", ""))
    rows = tabulate(
        sorted(held),
        (Column("", "text"), lambda place: held[place][0]),
        (Column("threshold"), lambda place: Strong(format_point("threshold", curves["threshold"][place]))),
        *(
            (Column(word, priority=priority), lambda place, name=name: format_point(name, curves[name][place]))
            for name, word, priority in (
                ("recall", "recall", 9),
                ("precision", "precision", 9),
                (ALERTS, "alerts per 1,000", 7),
            )
        ),
        (Column("held out", "text", 5), lambda place: held[place][1]),
    )
    note = "Choose by what a miss and a false alarm cost you: --costs FILE (costs= in Python) finds that threshold."
    table = Table(*rows, "Other thresholds", note=note, max_rows=ALL_ROWS)
    return Section("Other thresholds", [table], "others", link="Thresholds")


def _make_other_rejections_section(choice: Choice, curves: Curves) -> Section:
    rejected = curves["rejection_rate"]
    wanted = [int(np.argmin(np.abs(rejected - share))) for share in REJECTED]
    rows = tabulate(
        distinct(np.array(wanted), np.array([choice.point]))[::-1].tolist(),
        *(
            (Column(word, "number"), lambda place, name=name: format_point(name, curves[name][place]))
            for name, word in REJECTION.items()
        ),
    )
    return Section("Rejecting more or less", [Table(*rows, "Rejecting more or less", max_rows=ALL_ROWS)], "others")


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
    aside = f"{len(rows)} of {len(sweep):,}"
    return Section("Operating points", [table], "points", aside=aside, folded=choice is not None)


def _make_scores_section(sweep: Sweep) -> list[Section]:
    """Show the scores in a few numbers."""
    if sweep.scoring is None:
        return []
    return [Section("The scores in numbers", [tabulate_summary(sweep.scoring)], "scores", folded=True)]


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
    blocks = [SideBySide([table], [figure])]
    return [Section("Is the score a probability?", blocks, "reliability", aside="reliability diagram", folded=True)]


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
