"""What is shown of a tuning: which setting, how sure that is, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from infoscope.figures.coverage import CoverageDisplay, CoveragePoint
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label
from infoscope.figures.sweep import Curve, curve_panel
from infoscope.figures.triangle import EntropyTriangleDisplay, TrianglePoint, TriangleShares
from infoscope.metrics.registry import find
from infoscope.reports.outline import (
    ALL_ROWS,
    Appendix,
    Cell,
    Column,
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
from infoscope.results.notation import UNDEFINED, MetricNotation, Units, format_count, format_probability, format_share
from infoscope.studies.tune import Tuning

METRICS = {
    "proficiency": "captured",
    "false_information_ratio": "false",
    "erroneous_information_ratio": "erroneous",
    "accuracy": "accuracy",
}
MAX_LINES = 8
"""Curves in one picture."""


def outline(tuning: Tuning, unit: Units) -> Outline:
    """The best setting first."""
    best, place = tuning.best_setting, tuning.best_place
    named = _named(tuning, place)
    size = tuning.sizes[place]
    figures = [*_along(tuning), *_cost(tuning), *_coverage_figure(tuning), *_triangle_figure(tuning)]
    left, right = figures[::2], figures[1::2]
    return Outline(
        title=f"{named[:60]} | settings",
        kicker=[
            "Settings",
            f"{len(tuning)} settings of {', '.join(tuning.parameters)}",
            *([] if size is None else [f"{format_count(size)} samples at the best"]),
        ],
        headline=(Name(named, 120), f" is the best of {len(tuning)} settings."),
        lede=list(_sentences(tuning, place, unit)),
        hero=[_information(tuning, place, unit)],
        tiles=[
            *(
                Tile(_value(name, float(tuning.values(name)[place]), unit), word, metric=name)
                for name, word in METRICS.items()
                if name != "erroneous_information_ratio"
            ),
            Tile(format_probability(best.probability), "probability of being the best"),
        ],
        sections=[
            _settings(tuning, unit),
            *([Section("Curves", [SideBySide(left, right)], "maps")] if figures else []),
        ],
        appendix=Appendix(
            metrics=[*METRICS, best.metric],
            method=(
                "The tables of the settings are taken as independent of each other. Runs on the same samples have "
                "correlated errors, which makes their order more certain than the probability says.",
                "The probability of being the best is the fraction of posterior draws in which a setting is the best.",
            ),
        ),
    )


def _named(tuning: Tuning, place: int, between: str = " = ") -> str:
    """A setting in a sentence, or with a blank between name and value as the label of a point."""
    return ", ".join(f"{plain_label(name)}{between}{plain_label(value)}" for name, value in tuning.named(place).items())


def _label(tuning: Tuning, place: int) -> str:
    return _named(tuning, place, " ")


def _value(metric: str, value: float, unit: Units) -> str:
    return MetricNotation(metric, unit).value(value)


def _information(tuning: Tuning, place: int, unit: Units) -> InformationBar:
    return InformationBar.from_bits(lambda name: float(np.nan_to_num(tuning.values(name)[place])), unit)


def _sentences(tuning: Tuning, place: int, unit: Units) -> Iterator[Phrase]:
    best = tuning.best_setting
    card = find(best.metric).card
    title = card.title_in_sentence + card.of_class(best.positive)
    value = _value(best.metric, best.value, unit)
    yield f"Its {title} is {value}; it is the best of all with probability {format_probability(best.probability)}."
    order = np.argsort(best.probabilities)[::-1]
    second = next(int(at) for at in order if at != place)
    if best.probabilities[second] >= 0.025:
        probability = format_probability(best.probabilities[second])
        yield f"Next is {_named(tuning, second)}, the best with probability {probability}."
    front = tuning.front()
    if len(front) > 1:
        yield f"{len(front)} settings are not beaten by another in both captured and false information."
    if tuning.against is not None:
        yield from _cheaper(tuning, place)


def _cheaper(tuning: Tuning, place: int) -> Iterator[Phrase]:
    assert tuning.against is not None
    saved = [at for at in tuning.front_against() if tuning.against[at] < tuning.against[place]]
    if saved:
        captured = tuning.values("proficiency")
        yield (
            f"For {tuning.against[saved[-1]]:.4g} instead of {tuning.against[place]:.4g} {tuning.against_name}, "
            f"{_named(tuning, saved[-1])} captures {format_share(float(captured[saved[-1]]))} instead of "
            f"{format_share(float(captured[place]))}."
        )


def _settings(tuning: Tuning, unit: Units) -> Section:
    names = dict(METRICS)
    best = tuning.best_setting
    names.setdefault(best.metric, find(best.metric).card.title_in_sentence)
    curves = tuning.metrics(list(names))
    per_unit = None if tuning.against is None else tuning.information_per_unit() * unit.per_bit
    columns = [
        *(Column(plain_label(name), "name") for name in tuning.parameters),
        *(Column(word, metric=name) for name, word in names.items()),
        *([] if tuning.against is None else [Column(plain_label(tuning.against_name))]),
        *([] if per_unit is None else [Column(f"{unit.name} / {plain_label(tuning.against_name)}", priority=4)]),
        Column("P(best)"),
        Column("", "text", 7),
    ]
    front = set(tuning.front())
    rows = []
    for at, setting in enumerate(tuning.settings):
        mine = at == tuning.best_place
        marks = ["best"] * mine + ["front"] * (at in front)
        cells: list[Cell] = [Name(str(value)) for value in setting]
        cells += [_value(name, float(curves[name][at]), unit) for name in names]
        cells += [] if tuning.against is None else [f"{tuning.against[at]:.4g}"]
        cells += [] if per_unit is None else [UNDEFINED if np.isnan(per_unit[at]) else f"{per_unit[at]:.4g}"]
        cells += [format_probability(best.probabilities[at]), Strong(", ".join(marks)) if mine else ", ".join(marks)]
        rows.append(Row(cells, mine))
    note = (
        "P(best): the fraction of posterior draws in which the setting is the best. Front: no other setting captures "
        "more and adds less false information."
    )
    table = Table(columns, rows, "Settings", note=note, search="settings", max_rows=ALL_ROWS)
    return Section("Every setting", [table], "settings", link="Settings")


def _numbers(tuning: Tuning) -> list[float] | None:
    values = [setting[0] for setting in tuning.settings]
    return [float(v) for v in values] if all(isinstance(v, (int, float)) for v in values) else None  # type: ignore[arg-type]


def _along(tuning: Tuning) -> Iterator[Figure]:
    """Over the first parameter, where it is a number: metrics, or what is captured at each value of the others."""
    x = _numbers(tuning)
    if x is None:
        return
    if len(tuning.parameters) == 1:
        shown = {name: word for name, word in METRICS.items() if name != "erroneous_information_ratio"}
        curves = [Curve(word, tuple(x), tuple(tuning.values(name).tolist())) for name, word in shown.items()]
        title = "Along the parameter"
    else:
        captured = tuning.values("proficiency")
        curves = [
            Curve(
                ", ".join(map(str, others)), tuple(x[at] for at in places), tuple(float(captured[at]) for at in places)
            )
            for others, places in list(tuning.lines().items())[:MAX_LINES]
        ]
        title = f"Captured, by {plain_label(', '.join(tuning.parameters[1:]))}"
    if any(np.isfinite(curve.y).any() for curve in curves):
        panel = curve_panel(curves, plain_label(tuning.parameters[0]), "", title)
        yield Figure(panel, (Strong(title),), style="map")


def _cost(tuning: Tuning) -> Iterator[Figure]:
    if tuning.against is None:
        return
    steps = tuning.learning_curve()
    name = plain_label(tuning.against_name)
    curve = Curve("captured", tuple(step["against"] for step in steps), tuple(step["value"] for step in steps))
    if np.isfinite(curve.y).any():
        panel = curve_panel([curve], name, "", f"Captured against {name}")
        yield Figure(panel, (Strong(f"Captured against {name}"),), style="map")


def _coverage(tuning: Tuning) -> CoverageDisplay:
    """The path in the coverage plane."""
    curve = tuning.coverage_curve()
    points = [
        CoveragePoint(_label(tuning, at), float(false), float(captured), float(accuracy))
        for at, (false, captured, accuracy) in enumerate(
            zip(curve["false_information_ratio"], curve["proficiency"], tuning.values("accuracy"), strict=True)
        )
        if np.isfinite(false) and np.isfinite(captured)
    ]
    return CoverageDisplay(points, zoom=True, curves=_paths(tuning, {point.name for point in points}))


def _paths(tuning: Tuning, known: set[str]) -> dict[str, list[str]]:
    """Settings that differ in the first parameter only, in their order, where all have a place in a picture."""
    paths = {
        ", ".join(map(str, others)): [_label(tuning, at) for at in places] for others, places in tuning.lines().items()
    }
    return {title: names for title, names in paths.items() if set(names) <= known and len(names) > 1}


def _triangle(tuning: Tuning) -> EntropyTriangleDisplay:
    """The path in the entropy triangle, with a star at the best setting: epochs of a training, steps of a condition."""
    curve = tuning.triangle_curve()
    shares = zip(*(curve[f"triangle_{part}"] for part in TriangleShares._fields), strict=True)
    points = [
        TrianglePoint(_label(tuning, at), TriangleShares(*map(float, each)), float(accuracy))
        for at, (each, accuracy) in enumerate(zip(shares, tuning.values("accuracy"), strict=True))
        if np.isfinite(each).all()
    ]
    names = {point.name for point in points}
    best = _label(tuning, tuning.best_place)
    return EntropyTriangleDisplay(points, _paths(tuning, names), zoom=True, best=best if best in names else None)


def _triangle_figure(tuning: Tuning) -> Iterator[Figure]:
    if np.isfinite(tuning.values("triangle_transfer")).sum() > 1:
        caption = (Strong("Entropy triangle"), " Higher: more information is transmitted; further right: more is lost.")
        yield Figure(_triangle(tuning).panel(), caption, style="map")


def _coverage_figure(tuning: Tuning) -> Iterator[Figure]:
    if sum(np.isfinite(tuning.values("proficiency"))) > 1:
        caption = (Strong("Information coverage"), " Up is more of the truth, right is more false information.")
        yield Figure(_coverage(tuning).panel(), caption, style="map")


PICTURES: dict[str, Callable[[Tuning], Display]] = {"coverage": _coverage, "triangle": _triangle}
