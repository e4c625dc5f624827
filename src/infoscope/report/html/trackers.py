"""The page of trackers: verdict, ledger, worst tracks, who followed whom; all else folded. No code runs on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.coverage import CoverageDisplay
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label
from infoscope.figures.svg import svg
from infoscope.figures.track_choice import WorstTrack, chosen_system, worst_tracks
from infoscope.figures.track_ledger import LedgerRow, TrackLedgerDisplay
from infoscope.page_files import write_page
from infoscope.report.html.elements import Html, element, joined, label
from infoscope.report.html.making import Making
from infoscope.report.html.shell import still_page
from infoscope.report.html.tracker_pictures import followed
from infoscope.report.html.tracker_tables import (
    all_values,
    by_sequence,
    definitions,
    differences,
    gates,
    ledger_table,
    method,
    ranking_table,
    value_of,
    worst_table,
)
from infoscope.report.html.verdict import interval
from infoscope.report.numbers import UNDEFINED, Units, amount, share, units
from infoscope.tracking.document import System, TrackingEvaluation, renders

__all__ = ["as_html", "write_html"]

WORST = 12
"""Truth tracks named as the worst."""
TILES = (
    ("proficiency", "captured"),
    ("false_information_ratio", "false, relative to the truth"),
    ("hota", "HOTA"),
    ("mota", "MOTA"),
    ("idf1", "IDF1"),
    ("id_switches", "id switches"),
)


@renders("html")
def as_html(evaluation: TrackingEvaluation, *, unit: str = "bits", command: str | None = None) -> str:
    """The whole page as text; ``command`` is what made it, where that is known."""
    from infoscope import __version__  # noqa: PLC0415 - the package itself

    if not evaluation.systems:
        raise InputError("there is no tracker to report on; evaluate at least one")
    measure = units(unit)
    focus = chosen_system(evaluation, None)
    worst = worst_tracks(focus, WORST)
    body = element(
        "main",
        _verdict(evaluation, focus, measure),
        _navigation(evaluation, worst),
        _bits(evaluation, focus, measure),
        _worst(focus, worst, measure),
        _compared(evaluation),
        followed(evaluation, focus),
        element(
            "section",
            element("h2", "Everything else"),
            all_values(evaluation, measure),
            by_sequence(evaluation, focus),
            gates(evaluation),
            definitions(evaluation),
            method(evaluation, Making(command, __version__)),
            id="all",
        ),
    )
    captured = value_of(focus, "proficiency").value
    title = f"{plain_label(focus.name)[:60]}: {share(captured, 0)} of who was where captured"
    return still_page(title, body)


@renders("html file")
def write_html(evaluation: TrackingEvaluation, path: str | Path, *, unit: str = "bits", force: bool = False) -> Path:
    """Write the page in one step; a file that is there is replaced only if it is such a page, or with ``force``."""
    return write_page(path, as_html(evaluation, unit=unit), force=force)


def _verdict(evaluation: TrackingEvaluation, focus: System, unit: Units) -> Html:
    drawn = Html("")
    if focus.ledger["truth"] > 0:
        shown = TrackLedgerDisplay.from_evaluation(TrackingEvaluation(evaluation.settings, (focus,)))
        drawn = _figure(shown, "wide")
    remarks = [element("li", element("bdi", plain_label(each["text"]))) for each in focus.remarks()[:4]]
    return element(
        "header",
        element("p", _kicker(evaluation, focus), class_="kicker"),
        element(
            "div",
            element(
                "div",
                element("h1", *_headline(evaluation, focus)),
                element("p", joined(_sentences(evaluation, focus, unit), " "), class_="lede"),
                element("ul", *remarks, class_="remarks") if remarks else Html(""),
            ),
            element("div", drawn, _tiles(focus)),
            class_="hero",
        ),
    )


def _kicker(evaluation: TrackingEvaluation, focus: System) -> Html:
    tracks = sum(len(each.tracks.truth.ids) for each in focus.sequences)
    parts = ["Trackers", _counted(len(focus.sequences), "sequence"), _counted(tracks, "truth track")]
    parts.append(_counted(int(focus.total.truth_boxes), "truth detection"))
    if len(evaluation.systems) > 1:
        parts.append(f"{len(evaluation.systems)} trackers")
    return joined(parts, " · ")


def _counted(count: int, word: str) -> str:
    return f"{amount(count)} {word}{'s' * (count != 1)}"


def _headline(evaluation: TrackingEvaluation, focus: System) -> Iterator[object]:
    captured = value_of(focus, "proficiency")
    yield label(focus.name, 48)
    if captured.value is None:
        yield f" cannot be judged by information: {captured.undefined}."
        return
    yield f" captures {share(captured.value, 0)} of the information about who was where"
    many = len(evaluation.systems)
    yield "." if many == 1 else f", the least erroneous of {many} trackers."


def _sentences(evaluation: TrackingEvaluation, focus: System, unit: Units) -> Iterator[Html]:
    captured, false = value_of(focus, "proficiency"), value_of(focus, "false_information_ratio")
    if captured.low is not None and captured.high is not None:
        level = f"{evaluation.settings.level:.0%}"
        yield Html(f"The {level} interval is {share(captured.low)} to {share(captured.high)}.")
    if false.value is not None:
        yield Html(f"For every 100 {unit.name} of truth it also says {_false_words(false.value)}.")
    lines = {line: focus.ledger[line] for line in ("missed", "confused", "fragmented", "spurious")}
    line = max(lines, key=lambda name: lines[name])
    if lines[line] > 0 and focus.ledger["truth"] > 0:
        part = share(lines[line] / focus.ledger["truth"])
        yield Html(f"Most is {_LOSS[line]}: as much as {part} of the truth.")
    worst = worst_tracks(focus, 1)
    if worst:
        where = joined((" in ", label(worst[0].sequence, 40))) if len(focus.sequences) > 1 else ""
        yield joined(("The worst track is ", element("b", label(worst[0].track)), where, "."))
    yield from _rival(evaluation, focus)


_LOSS = {
    "missed": "lost by not detecting",
    "confused": "lost by ids that serve several truths",
    "fragmented": "made false by truths that change their id",
    "spurious": "made false by detections of nothing",
}


def _false_words(false: float) -> str:
    if false == 0:
        return "none that is false"
    return f"{100 * false:.0f} that are false" if false >= 0.005 else "less than one that is false"


def _rival(evaluation: TrackingEvaluation, focus: System) -> Iterator[Html]:
    ranking = evaluation.comparison.ranking if evaluation.comparison else ()
    others = [name for name in ranking if name != focus.name]
    if not others:
        return
    second = evaluation[others[0]]
    said = joined((element("b", label(second.name)), " follows with ", share(value_of(second, "proficiency").value)))
    for pair in evaluation.comparison.pairs if evaluation.comparison else ():
        if pair.metric == "erroneous_information_ratio" and {pair.a, pair.b} == {focus.name, second.name}:
            sure = pair.probability_a_better if pair.a == focus.name else 1.0 - pair.probability_a_better
            if np.isfinite(sure):
                yield joined((said, f"; the probability that it is really behind is {_sure(sure)}."))
                return
    yield joined((said, "."))


def _sure(probability: float) -> str:
    return "above 99.9%" if probability > 0.999 else share(probability)


def _tiles(system: System) -> Html:
    items = []
    for name, word in TILES:
        value = value_of(system, name)
        plain = name == "id_switches"
        number = UNDEFINED if value.value is None else f"{value.value:,.0f}" if plain else share(value.value, 0)
        bounds = interval(value, 1.0, 0) if plain else interval(value)
        term = element("a", word, href=f"#def-{name}", class_="term")
        items.append(element("li", element("b", number), term, element("span", bounds, class_="dim") if bounds else ""))
    return element("ul", *items, class_="tiles")


def _navigation(evaluation: TrackingEvaluation, worst: list[WorstTrack]) -> Html:
    links = [("#bits", "Where the bits go")]
    links += [("#worst", "Worst tracks")] if worst else []
    links += [("#compare", "Compare")] if evaluation.comparison else []
    links += [("#followed", "Who followed whom"), ("#all", "Everything else")]
    return element("nav", *(element("a", word, href=where) for where, word in links), aria_label="Sections")


def _bits(evaluation: TrackingEvaluation, focus: System, unit: Units) -> Html:
    left: list[object] = [ledger_table(focus, unit)]
    if len(evaluation.systems) > 1:
        left += [element("h4", "All trackers"), _tried(lambda: TrackLedgerDisplay.from_evaluation(evaluation))]
    place = _tried(lambda: CoverageDisplay.from_evaluation(evaluation))
    ellipses = any(each.spread.coverage is not None for each in evaluation.systems)
    held = f"; ellipses hold both figures with {evaluation.settings.level:.0%}" if ellipses else ""
    words = f"Up is captured, right is false information{held}. The star has all of the truth and nothing else."
    return element(
        "section",
        element("h2", "Where the bits go"),
        element(
            "div",
            element("div", *left),
            element("div", place, element("p", words, class_="note")) if place else Html(""),
            class_="two",
        ),
        id="bits",
    )


def _worst(focus: System, worst: list[WorstTrack], unit: Units) -> Html:
    if not worst:
        return Html("")
    several = len(focus.sequences) > 1
    rows = [
        LedgerRow(
            f"{each.sequence}: {each.track}" if several else each.track,
            tuple((line, bits * unit.per_bit) for line, bits in each.lost.items()),
        )
        for each in worst
    ]
    tracks = sum(len(each.tracks.truth.ids) for each in focus.sequences)
    words = f"The {len(worst)} truth tracks of {amount(tracks)} on which " if len(worst) < tracks else "Where "
    return element(
        "section",
        element("h2", "Worst tracks"),
        element("p", words, label(focus.name), f" loses most, in {unit.name}.", class_="note"),
        element(
            "div",
            element("div", _figure(TrackLedgerDisplay(rows, "track", unit.name), "wide")),
            element("div", worst_table(worst, unit)),
            class_="two",
        ),
        id="worst",
    )


def _compared(evaluation: TrackingEvaluation) -> Html:
    if evaluation.comparison is None:
        return Html("")
    front = joined((label(name) for name in evaluation.comparison.front), ", ")
    return element(
        "section",
        element("h2", "Compared with each other"),
        element("p", "Dots are captured information, from 0 to 100%, the least erroneous first.", class_="note"),
        ranking_table(evaluation),
        element("p", "Beaten by none in both captured and false information: ", front, ".") if front else Html(""),
        differences(evaluation),
        id="compare",
    )


def _figure(display: Display, kind: str) -> Html:
    return element("figure", Html(svg(display.panel())), class_=kind)


def _tried(make: Callable[[], Display]) -> Html:
    """A picture, or nothing where what it shows is undefined; the numbers say so."""
    try:
        return _figure(make(), "wide")
    except InputError:
        return Html("")
