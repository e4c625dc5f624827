"""The systems of an evaluation: the maps of all of them, then each in detail.

Of each: what to fix, what to do, what is confused with what, which classes lose.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from infoscope.core.markup import Html, element, joined
from infoscope.figures.coverage import CoverageDisplay
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label
from infoscope.figures.leaks import LeakDisplay, Stream
from infoscope.figures.perplexity_chain import Chain, Half, PerplexityDisplay
from infoscope.figures.svg import svg
from infoscope.figures.triangle import EntropyTriangleDisplay, SplitTriangleDisplay
from infoscope.reports.html.blocks import block, phrase
from infoscope.reports.html.elements import label
from infoscope.reports.html.embedding import embedded
from infoscope.reports.html.matrix import confusion_matrix
from infoscope.reports.parts.classes import class_tables, confused_pairs
from infoscope.reports.parts.evaluation_sections import example_blocks, example_heading
from infoscope.reports.parts.maps import coverage_points, split_points, triangle_points
from infoscope.results.notation import Units
from infoscope.studies.evaluate import Evaluation, SystemResult

MAX_WRITTEN_FOLDS = 20
"""Confused pairs whose example rows are in the page as they are; those of the others are packed."""


def systems(content: tuple[Evaluation, Units]) -> Html:
    """The best system open, the others folded, in the order of the ranking."""
    evaluation, unit = content
    order = {id(system): at for at, system in enumerate(evaluation.systems)}
    blocks, shares = [], []
    for place, system in enumerate(evaluation.ranking):
        matrix, of_cells = confusion_matrix(system)
        shares += [] if of_cells is None else [of_cells]
        detail = _system(system, unit, order[id(system)], matrix)
        if place:
            detail = element("details", element("summary", plain_label(system.title)[:80]), detail, class_="other")
        blocks.append(detail)
    chooser = element("p", class_="js chooser", id="system-choice") if len(evaluation.systems) > 1 else Html("")
    return element("div", chooser, *blocks, embedded(shares, "shares") if shares else Html(""))


def _system(system: SystemResult, unit: Units, at: int, matrix: Html) -> Html:
    pairs = confused_pairs(system)
    fixes = list(map(block, pairs)) if pairs else [_nothing_confused(system)]
    by_class = map(block, class_tables(system, unit))
    return element(
        "article",
        element("h3", label(system.title, 60), class_="system-name"),
        element(
            "div",
            element("div", *fixes, _actions(system)),
            element("div", matrix, _examples(system), _chain(system), _leaks(system, unit)),
            class_="two",
        ),
        *by_class,
        class_="system",
        id=f"system-{at}",
        data_system=system.title,
    )


def _examples(system: SystemResult) -> Html:
    """Rows of each confused pair, folded; a click on the cell of the matrix opens its fold."""
    if not system.examples:
        return Html("")
    folds = [
        element(
            "details",
            element("summary", phrase(example_heading(cell))),
            *map(block, example_blocks(cell)),
            data_truth=cell.truth,
            data_predicted=cell.system,
        )
        for cell in system.examples
    ]
    hint = "Rows drawn at random from each confused pair. Choose a cell of the matrix, or a pair below."
    later = [str(fold) for fold in folds[MAX_WRITTEN_FOLDS:]]
    packed = embedded(later, style="folds") if later else Html("")
    head = (element("h4", "Example rows"), element("p", hint, class_="note"))
    return element("div", *head, *folds[:MAX_WRITTEN_FOLDS], packed, class_="examples")


def _nothing_confused(system: SystemResult) -> Html:
    right = system.classes and system.shown("proficiency") is not None
    return element("p", "No two classes are confused.", class_="note") if right else Html("")


def _actions(system: SystemResult) -> Html:
    items = [(finding.action or "Note", finding.text) for finding in system.diagnosis]
    more = None if system.interval is None else system.interval.samples_to_halve
    if more:
        items.append(("More data", f"{more:,} more samples would halve the interval of what it captures."))
    if not items:
        return Html("")
    rows = [element("div", element("dt", action), element("dd", element("bdi", why))) for action, why in items]
    return element("div", element("h4", "What to do about it"), element("dl", *rows, class_="actions"))


def _chain(system: SystemResult) -> Html:
    names = ("effective_classes", "remnant_classes", "transfer_factor", "system_classes", "system_remnant_classes")
    known = [shown for name in names if (shown := system.shown(name)) is not None]
    if len(known) < len(names) or len(system.truth_labels) < 2 or system.shown("proficiency") is None:
        return Html("")
    effective, left, factor, varied, unexplained = known
    output = Half(len(system.system_labels), varied, unexplained)
    drawn = PerplexityDisplay([Chain(system.title, len(system.truth_labels), effective, left, factor, output)])
    return element(
        "div",
        element("h4", "How many classes remain"),
        element("figure", Html(svg(drawn.panel())), class_="wide"),
    )


def _leaks(system: SystemResult, unit: Units) -> Html:
    streams = [
        Stream(
            leak.truth,
            leak.system,
            leak.count,
            leak.missed_bits * unit.per_bit,
            leak.false_bits * unit.per_bit,
            leak.truth == leak.system,
        )
        for leak in system.leaks
    ]
    has_bits = system.shown("proficiency") is not None and any(not stream.hit for stream in streams)
    if not has_bits or np.isclose(sum(stream.bits for stream in streams), 0.0):
        return Html("")
    drawn = LeakDisplay(streams, most=8, unit=unit.name)
    return element(
        "details",
        element("summary", "Where information is lost, cell by cell"),
        element("figure", Html(svg(drawn.panel())), class_="wide"),
    )


MAX_SPLIT = 8
"""Joined pairs that one split triangle can show apart."""


def maps(evaluation: Evaluation) -> Html:
    """The figures side by side; a dot picks its system everywhere."""
    note = "Select a dot or a row: the system is highlighted everywhere. Drag across a map to select several."
    hint = element("p", note, class_="note js") if len(evaluation.systems) > 1 else Html("")
    return joined((hint, element("div", *_figures(list(evaluation.ranking)), class_="two maps")))


def _figures(systems: Sequence[SystemResult]) -> Iterator[Html]:
    triangle, coverage, split = triangle_points(systems), coverage_points(systems), split_points(systems)
    if triangle:
        yield _figure(
            "Entropy triangle",
            EntropyTriangleDisplay(triangle, zoom=True),
            "High is good; left is lost to imbalance, right to error.",
        )
    if coverage:
        yield _figure(
            "Information coverage",
            CoverageDisplay(coverage),
            "The star is all of the truth and nothing but the truth; dotted lines join equal error.",
        )
    near = [point for point in coverage if point.captured >= 0.5 * max(p.captured for p in coverage)]
    if near and any(point.spread is not None for point in near):
        yield _figure(
            "Coverage, the best enlarged" if len(coverage) > 1 else "Coverage, enlarged",
            CoverageDisplay(near, zoom=True),
            "Ellipses hold the true place with 95% probability.",
        )
    if split:
        some = split[:MAX_SPLIT]
        rest = f" The best {MAX_SPLIT} of {len(split)}." if len(split) > MAX_SPLIT else ""
        yield _figure(
            "Split triangle",
            SplitTriangleDisplay(some, zoom=True),
            f"Truth and output, each against its own number of classes.{rest}",
        )


def _figure(title: str, display: Display, caption: str) -> Html:
    return element(
        "figure",
        element("figcaption", element("b", title), " ", element("span", caption, class_="dim")),
        Html(svg(display.panel())),
        class_="map",
    )
