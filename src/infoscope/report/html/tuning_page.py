"""The page of a tuning: which setting, how surely, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from infoscope.cards import find
from infoscope.figures.coverage import CoverageDisplay, CoveragePoint
from infoscope.figures.layout import plain_label
from infoscope.figures.ledger import LedgerDisplay
from infoscope.figures.svg import svg
from infoscope.figures.sweep import Curve, curve_panel
from infoscope.metrics.shannon import entropies
from infoscope.operating_points import BestSetting, Tuning
from infoscope.operating_points.showing import renders
from infoscope.report.html.definitions import definitions, term
from infoscope.report.html.elements import Html, element, joined, label, scrolled
from infoscope.report.html.embedding import embedded, rounded
from infoscope.report.html.making import Making
from infoscope.report.html.shell import code_of, page
from infoscope.report.numbers import Units, amount, chance, share, units

__all__ = ["tuning_html"]

METRICS = {
    "proficiency": "captured",
    "false_information_ratio": "false",
    "erroneous_information_ratio": "erroneous",
    "accuracy": "accuracy",
}
MOST_LINES = 8
"""Curves in one picture."""


@renders("tuning")
def tuning_html(tuning: Tuning, best: BestSetting, *, unit: str = "bits", command: str | None = None) -> str:
    """The whole page as text."""
    from infoscope import __version__  # noqa: PLC0415 - the package itself

    measure = units(unit)
    place = next(at for at in range(len(tuning)) if tuning.named(at) == best.setting)
    curves = tuning.metrics([*METRICS, best.metric])
    data = {
        "settings": [{name: str(value) for name, value in tuning.named(at).items()} for at in range(len(tuning))],
        "probability_best": list(best.probabilities),
        **({} if tuning.against is None else {plain_label(tuning.against_name): tuning.against.tolist()}),
        **{name: [float(v) if np.isfinite(v) else None for v in values] for name, values in curves.items()},
    }
    figures = [*_curves(tuning), *_against(tuning), _coverage(tuning)]
    return page(
        f"{_named(tuning, place)[:60]} | settings",
        code_of("tuning.js"),
        element(
            "main",
            _verdict(tuning, best, place, measure),
            _navigation(),
            _settings(tuning, best, measure),
            element("section", element("h2", "Curves"), element("div", *figures, class_="two maps"), id="maps"),
            _everything(tuning, best, Making(command, __version__)),
        ),
        embedded("data", rounded(data)),
    )


def _named(tuning: Tuning, place: int) -> str:
    return ", ".join(f"{plain_label(name)} {plain_label(value)}" for name, value in tuning.named(place).items())


def _value(metric: str, value: float, unit: Units) -> str:
    if np.isnan(value):
        return "undefined"
    card = find(metric).card
    if card.unit == "ratio" and card.range == (0.0, 1.0):
        return share(float(value))
    return f"{value * (unit.per_bit if card.unit == 'bits' else 1.0):.4g}"


def _verdict(tuning: Tuning, best: BestSetting, place: int, unit: Units) -> Html:
    h = entropies(tuning.tables[place])
    missed, captured, false = (float(part) * unit.per_bit for part in (h.missed, h.mutual, h.spurious))
    bar = LedgerDisplay(missed, captured, false, unit.name)
    drawn = element("figure", Html(svg(bar.panel())), class_="wide") if missed + captured + false > 0 else Html("")
    size = tuning.tables[place].sample_size
    kicker = ("Settings", f"{len(tuning)} settings of {plain_label(', '.join(tuning.parameters))}")
    rest = () if size is None else (f"{amount(size)} samples at the best",)
    return element(
        "header",
        element("p", joined((*kicker, *rest), " · "), class_="kicker"),
        element(
            "div",
            element(
                "div",
                element("h1", element("bdi", _named(tuning, place)[:120]), f" is best of {len(tuning)} settings."),
                element("p", " ".join(_sentences(tuning, best, place, unit)), class_="lede"),
            ),
            element("div", drawn, _tiles(tuning, best, place, unit)),
            class_="hero",
        ),
    )


def _sentences(tuning: Tuning, best: BestSetting, place: int, unit: Units) -> Iterator[str]:
    card = find(best.metric).card
    title = card.title.lower() + plain_label(card.of_class(best.positive))
    told, sure = _value(best.metric, best.value, unit), chance(best.probability)
    yield f"Its {title} is {told}; it is the best of all with probability {sure}."
    order = np.argsort(best.probabilities)[::-1]
    second = next(int(at) for at in order if at != place)
    if best.probabilities[second] >= 0.025:
        yield f"Next comes {_named(tuning, second)}, best with probability {chance(best.probabilities[second])}."
    front = tuning.front()
    if len(front) > 1:
        yield f"{len(front)} settings are beaten by no other in both captured and false information."
    if tuning.against is not None:
        cheapest = tuning.front_against()
        name = plain_label(tuning.against_name)
        saved = [at for at in cheapest if tuning.against[at] < tuning.against[place]]
        if saved:
            at = saved[-1]
            captured = tuning.values("proficiency")
            yield (
                f"For {tuning.against[at]:.4g} instead of {tuning.against[place]:.4g} {name}, {_named(tuning, at)} "
                f"captures {share(float(captured[at]))} instead of {share(float(captured[place]))}."
            )


def _tiles(tuning: Tuning, best: BestSetting, place: int, unit: Units) -> Html:
    items = [
        (name, word, _value(name, float(tuning.values(name)[place]), unit))
        for name, word in METRICS.items()
        if name != "erroneous_information_ratio"
    ]
    tiles = [element("li", element("b", number), term(name, word)) for name, word, number in items]
    tiles.append(element("li", element("b", chance(best.probability)), element("span", "probability of being best")))
    return element("ul", *tiles, class_="tiles")


def _navigation() -> Html:
    links = (("#settings", "Settings"), ("#maps", "Curves"), ("#all", "Everything else"))
    return element(
        "nav",
        *(element("a", word, href=where) for where, word in links),
        element("button", "dark or light", type="button", id="theme", class_="js"),
        aria_label="Sections",
    )


def _settings(tuning: Tuning, best: BestSetting, unit: Units) -> Html:
    names = dict(METRICS)
    card = find(best.metric).card
    names.setdefault(best.metric, card.title.lower() + plain_label(card.of_class(best.positive)))
    curves = tuning.metrics(list(names))
    measured = [] if tuning.against is None else [plain_label(tuning.against_name)]
    titles = [*map(plain_label, tuning.parameters), *names.values(), *measured, "P(best)", "front"]
    depth = len(tuning.parameters)
    head = element(
        "tr",
        *(element("th", title, scope="col", class_="n" if at >= depth else None) for at, title in enumerate(titles)),
    )
    front = set(tuning.front())
    rows = []
    for at, setting in enumerate(tuning.settings):
        values = [_value(name, float(curves[name][at]), unit) for name in names]
        cost = [] if tuning.against is None else [f"{tuning.against[at]:.4g}"]
        cells = [*values, *cost, chance(best.probabilities[at]), "yes" if at in front else ""]
        mine = tuning.named(at) == best.setting
        rows.append(
            element(
                "tr",
                element("th", label(setting[0]), scope="row"),
                *(element("td", label(value)) for value in setting[1:]),
                *(element("td", cell, class_="n strong" if mine else "n") for cell in cells),
                class_="best" if mine else None,
            )
        )
    return element(
        "section",
        element("h2", "Every setting"),
        element(
            "p",
            "P(best): the share of posterior draws in which the setting is best. Front: no other setting "
            "captures more and says less that is false.",
            class_="note",
        ),
        scrolled(
            element(
                "table",
                element("caption", "Settings and what they give", class_="sr"),
                element("thead", head),
                element("tbody", *rows),
                class_="values tool",
                data_search="settings",
            ),
            "Settings",
        ),
        id="settings",
    )


def _numbers(tuning: Tuning) -> list[float] | None:
    values = [setting[0] for setting in tuning.settings]
    return [float(v) for v in values] if all(isinstance(v, (int, float)) for v in values) else None


def _curves(tuning: Tuning) -> Iterator[Html]:
    """Over the first parameter, where it is a number: metrics, or what is captured at each value of the others."""
    x = _numbers(tuning)
    if x is None:
        return
    if len(tuning.parameters) == 1:
        curves = [
            Curve(word, tuple(x), tuple(tuning.values(name).tolist())) for name, word in list(METRICS.items())[:2]
        ]
        curves.append(Curve("accuracy", tuple(x), tuple(tuning.values("accuracy").tolist())))
        title = "Along the parameter"
    else:
        captured = tuning.values("proficiency")
        curves = [
            Curve(
                ", ".join(map(str, others)), tuple(x[at] for at in places), tuple(float(captured[at]) for at in places)
            )
            for others, places in list(tuning.lines().items())[:MOST_LINES]
        ]
        title = f"Captured, by {plain_label(', '.join(tuning.parameters[1:]))}"
    if any(np.isfinite(curve.y).any() for curve in curves):
        drawn = curve_panel(curves, plain_label(tuning.parameters[0]), "", title)
        yield _figure(title, "", svg(drawn))


def _against(tuning: Tuning) -> Iterator[Html]:
    if tuning.against is None:
        return
    steps = tuning.learning_curve()
    name = plain_label(tuning.against_name)
    curve = Curve("captured", tuple(step["against"] for step in steps), tuple(step["value"] for step in steps))
    if np.isfinite(curve.y).any():
        yield _figure(f"What {name} buys", "", svg(curve_panel([curve], name, "", f"Captured against {name}")))


def _coverage(tuning: Tuning) -> Html:
    """The path in the coverage plane."""
    curve = tuning.coverage_curve()
    points = [
        CoveragePoint(_named(tuning, at), float(false), float(captured), float(accuracy))
        for at, (false, captured, accuracy) in enumerate(
            zip(curve["false_information_ratio"], curve["proficiency"], tuning.values("accuracy"), strict=True)
        )
        if np.isfinite(false) and np.isfinite(captured)
    ]
    if len(points) < 2:
        return Html("")
    paths = {
        ", ".join(map(str, others)): [_named(tuning, at) for at in places] for others, places in tuning.lines().items()
    }
    known = {point.name for point in points}
    whole = {title: names for title, names in paths.items() if set(names) <= known and len(names) > 1}
    drawn = CoverageDisplay(points, zoom=True, curves=whole)
    return _figure("Information coverage", "Up is more of the truth, right is more that is false.", svg(drawn.panel()))


def _figure(title: str, caption: str, picture: str) -> Html:
    words = (element("b", title), " ", element("span", caption, class_="dim"))
    return element("figure", element("figcaption", *words), Html(picture), class_="map")


def _everything(tuning: Tuning, best: BestSetting, made: Making) -> Html:
    items = [
        "The tables of the settings are taken as independent of each other. Runs on the same samples err together, "
        "which makes their order surer than the probability says.",
        "The probability of being best is the share of posterior draws in which a setting is best.",
    ]
    return element(
        "section",
        element("h2", "Everything else"),
        definitions([*METRICS, best.metric]),
        element(
            "details",
            element("summary", "Method and limits"),
            element("ul", *(element("li", item) for item in items), *made.items({"all settings": tuning.data_hash})),
            id="method",
        ),
        element("p", class_="js", id="downloads"),
        id="all",
    )
