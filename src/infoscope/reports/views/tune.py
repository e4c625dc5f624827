"""Show a tuning: which setting, how sure that is, and what it costs."""

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
    Appendix,
    Cell,
    Column,
    Figure,
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
    "accuracy": "accuracy",
    "proficiency": "captured",
    "false_information_ratio": "false",
    "erroneous_information_ratio": "missed + false",
}
_PRIORITIES = {"false_information_ratio": 6, "erroneous_information_ratio": 5}
WORDS = {"erroneous_information_ratio": "missed and false information", "proficiency": "captured information"}
"""Criteria by their words on the first screen."""
MAX_SETTINGS = 10
MAX_LINES = 8
"""Curves in one picture."""


def outline(tuning: Tuning, unit: Units) -> Outline:
    """Write the outline: the best setting first, how sure that is, and what others cost."""
    best, place = tuning.best_setting, tuning.best_place
    named = _name_setting(tuning, place)
    size = tuning.sizes[place]
    figures = list(_draw_curves(tuning))
    maps: list[Figure] = []
    if np.isfinite(tuning.values("proficiency")).sum() > 1:
        caption = (Strong("Information coverage"), " Up is more of the truth, right is more false information.")
        maps.append(Figure(_make_coverage(tuning).panel(), caption, style="map"))
    if np.isfinite(tuning.values("triangle_transfer")).sum() > 1:
        caption = (Strong("Entropy triangle"), " Higher: more information is transmitted; further right: more is lost.")
        maps.append(Figure(_make_triangle(tuning).panel(), caption, style="map"))
    card = find(best.metric).card
    first, *_ = best.metrics
    positive = "" if first == "accuracy" else f" of '{best.positive or tuning.positive}'"
    familiar = f"{find(first).card.title_in_sentence}{positive} {MetricNotation(first).shown(best.metrics[first])}"
    captured = format_share(best.metrics["proficiency"].shown)
    by = card.title_in_sentence + card.of_class(best.positive)
    return Outline(
        title=f"{named[:60]} | settings",
        kicker=[
            f"{len(tuning)} settings of {', '.join(tuning.parameters)}",
            *([] if size is None else [f"{format_count(size)} samples at the best"]),
            f"chosen by {WORDS.get(best.metric, by)}",
        ],
        headline=(
            Name(named, 120),
            f" is the best of {len(tuning)} settings with probability {format_probability(best.probability)}: "
            f"{familiar}, and {captured} of the information in the truth is captured.",
        ),
        lede=list(_write_lede(tuning, place)),
        tiles=[
            Tile.from_estimate(
                estimate,
                MetricNotation(name, unit),
                "captured" if name == "proficiency" else find(name).card.title_in_sentence,
                _compare_settings(tuning, name),
            )
            for name, estimate in best.metrics.items()
        ],
        sections=[
            _make_setting_section(tuning, unit),
            *([Section("Curves", [SideBySide(figures[::2], figures[1::2])], "curves", only="page")] if figures else []),
            *([Section("Maps", [SideBySide(maps[::2], maps[1::2])], "maps", only="page", folded=True)] if maps else []),
        ],
        appendix=Appendix(
            metrics=list(dict.fromkeys((*best.metrics, *METRICS, best.metric))),
            method=(
                "The tables of the settings are taken as independent of each other. Runs on the same samples have "
                "correlated errors, which makes their order more certain than the probability says.",
                "The probability of being the best is the fraction of posterior draws in which a setting is the best.",
                "The settings were chosen on these samples, which flatters the best.",
            ),
        ),
    )


def _compare_settings(tuning: Tuning, name: str) -> str:
    """Say between which ends the other settings are; nothing for metrics that are not kept for all of them."""
    if name not in METRICS:
        return ""
    others = np.delete(tuning.values(name), tuning.best_place)
    if not np.isfinite(others).any():
        return ""
    ends = [MetricNotation(name).value(float(end)) for end in (np.nanmin(others), np.nanmax(others))]
    return f"others {ends[0]}" if ends[0] == ends[1] else f"others {ends[0]} to {ends[1]}"


def _name_setting(tuning: Tuning, place: int, between: str = " = ") -> str:
    """Name a setting in a sentence, or with a blank between name and value as the label of a point."""
    return ", ".join(f"{plain_label(name)}{between}{plain_label(value)}" for name, value in tuning.named(place).items())


def _write_lede(tuning: Tuning, place: int) -> Iterator[Phrase]:
    best = tuning.best_setting
    order = np.argsort(best.probabilities)[::-1]
    second = next(int(other) for other in order if other != place)
    if best.probabilities[second] >= 0.025:
        probability = format_probability(best.probabilities[second])
        yield f"Next is {_name_setting(tuning, second)}, the best with probability {probability}."
    if tuning.against is None:
        return
    cheaper = [other for other in tuning.front_against() if tuning.against[other] < tuning.against[place]]
    if cheaper:
        captured = tuning.values("proficiency")
        yield (
            f"For {tuning.against[cheaper[-1]]:.4g} instead of {tuning.against[place]:.4g} {tuning.against_name}, "
            f"{_name_setting(tuning, cheaper[-1])} captures {format_share(float(captured[cheaper[-1]]))} instead of "
            f"{format_share(float(captured[place]))}."
        )


def _make_setting_section(tuning: Tuning, unit: Units) -> Section:
    names = dict(METRICS)
    best = tuning.best_setting
    names.setdefault(best.metric, find(best.metric).card.title_in_sentence)
    curves = tuning.metrics(list(names))
    per_unit = None if tuning.against is None else tuning.information_per_unit() * unit.per_bit
    columns = [
        *(Column(plain_label(name), "name") for name in tuning.parameters),
        *(Column(word, metric=name, priority=_PRIORITIES.get(name, 9)) for name, word in names.items()),
        *([] if tuning.against is None else [Column(plain_label(tuning.against_name))]),
        *([] if per_unit is None else [Column(f"{unit.name} / {plain_label(tuning.against_name)}", priority=4)]),
        Column("P(best)"),
    ]
    order = sorted(range(len(tuning)), key=lambda place: -best.probabilities[place])
    rows = []
    for place in order:
        cells: list[Cell] = [Name(str(value)) for value in tuning.settings[place]]
        cells += [MetricNotation(name, unit).value(float(curves[name][place])) for name in names]
        cells += [] if tuning.against is None else [f"{tuning.against[place]:.4g}"]
        cells += [] if per_unit is None else [UNDEFINED if np.isnan(per_unit[place]) else f"{per_unit[place]:.4g}"]
        rows.append(Row([*cells, format_probability(best.probabilities[place])], place == tuning.best_place))
    note = "Values of each sample; the interval above is corrected for small-sample bias."
    table = Table(columns, rows, "Settings", note=note, search="settings", max_rows=MAX_SETTINGS)
    return Section("Settings, the most probable best first", [table], "settings", link="Settings")


def _draw_curves(tuning: Tuning) -> Iterator[Figure]:
    """Draw metrics over the first parameter, or what is captured at each value of the others, and over the cost."""
    first = [setting[0] for setting in tuning.settings]
    x = [float(value) for value in first if isinstance(value, (int, float))]
    pictures: list[tuple[str, str, list[Curve]]] = []
    if len(x) == len(first):  # over numbers alone
        captured = tuning.values("proficiency")
        curves = [
            Curve(
                ", ".join(map(str, others)),
                tuple(x[place] for place in places),
                tuple(float(captured[place]) for place in places),
            )
            for others, places in list(tuning.lines().items())[:MAX_LINES]
        ]
        title = f"Captured, by {plain_label(', '.join(tuning.parameters[1:]))}"
        if len(tuning.parameters) == 1:
            shown = {name: word for name, word in METRICS.items() if name != "erroneous_information_ratio"}
            curves = [Curve(word, tuple(x), tuple(tuning.values(name).tolist())) for name, word in shown.items()]
            title = "Along the parameter"
        pictures.append((plain_label(tuning.parameters[0]), title, curves))
    if tuning.against is not None:
        steps, name = tuning.learning_curve(), plain_label(tuning.against_name)
        cost = Curve("captured", tuple(step["against"] for step in steps), tuple(step["value"] for step in steps))
        pictures.append((name, f"Captured against {name}", [cost]))
    for axis, title, curves in pictures:
        if any(np.isfinite(curve.y).any() for curve in curves):
            yield Figure(curve_panel(curves, axis, "", title), (Strong(title),), style="map")


def _make_coverage(tuning: Tuning) -> CoverageDisplay:
    """Show the path in the coverage plane."""
    curve = tuning.coverage_curve()
    points = [
        CoveragePoint(_name_setting(tuning, place, " "), float(false), float(captured), float(accuracy))
        for place, (false, captured, accuracy) in enumerate(
            zip(curve["false_information_ratio"], curve["proficiency"], tuning.values("accuracy"), strict=True)
        )
        if np.isfinite(false) and np.isfinite(captured)
    ]
    return CoverageDisplay(points, zoom=True, curves=_find_paths(tuning, {point.name for point in points}))


def _find_paths(tuning: Tuning, placed: set[str]) -> dict[str, list[str]]:
    """Find settings that differ in the first parameter only, in their order, if all have a place in a picture."""
    paths = {
        ", ".join(map(str, others)): [_name_setting(tuning, place, " ") for place in places]
        for others, places in tuning.lines().items()
    }
    return {title: names for title, names in paths.items() if set(names) <= placed and len(names) > 1}


def _make_triangle(tuning: Tuning) -> EntropyTriangleDisplay:
    """Show the path in the entropy triangle, as of epochs of a training, with a star at the best setting."""
    curve = tuning.triangle_curve()
    shares = zip(*(curve[f"triangle_{part}"] for part in TriangleShares._fields), strict=True)
    points = [
        TrianglePoint(_name_setting(tuning, place, " "), TriangleShares(*map(float, item)), float(accuracy))
        for place, (item, accuracy) in enumerate(zip(shares, tuning.values("accuracy"), strict=True))
        if np.isfinite(item).all()
    ]
    names = {point.name for point in points}
    best = _name_setting(tuning, tuning.best_place, " ")
    return EntropyTriangleDisplay(points, _find_paths(tuning, names), zoom=True, best=best if best in names else None)


PICTURES: dict[str, Callable[[Tuning], Display]] = {"coverage": _make_coverage, "triangle": _make_triangle}
