"""Draw the parts of an evaluation's page that a script moves: maps, comparison by any metric, each system in detail.

``page.py`` calls ``draw_maps``, ``draw_comparison`` and ``draw_systems`` by name, for the ``Explorer`` blocks of the
outline; ``evaluation.js`` picks, moves and highlights what they write. Of each system the page shows what to fix, what
to do, what is confused with what, and which classes lose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from infoscope.core.markup import Html, element, join_markup
from infoscope.errors import InfoscopeError
from infoscope.figures.confusion import HeatMap, heat_map
from infoscope.figures.coverage import CoverageDisplay
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label, shorten_names
from infoscope.figures.svg import data_address, svg
from infoscope.figures.triangle import EntropyTriangleDisplay, SplitTriangleDisplay
from infoscope.reports.html.page import draw_block, draw_findings, draw_label, draw_phrase, embed, wrap_scrolling
from infoscope.reports.systems import (
    ChosenPlace,
    compare_by_metric,
    place_in_coverage,
    place_in_split_triangle,
    place_in_triangle,
    tabulate_classes,
    tabulate_confusions,
)
from infoscope.reports.views.evaluate import (
    MAX_PAIRS,
    collect_findings,
    describe_ties,
    find_tag,
    make_example_blocks,
    write_example_heading,
)
from infoscope.results.notation import Units, format_count, format_share
from infoscope.studies.evaluation import Evaluation, SystemResult
from infoscope.typing import Json

MAX_WRITTEN_FOLDS = 20
"""Confused pairs whose example rows are in the page as they are; those of the others are packed."""
MAX_SPLIT = 8
"""Joined pairs that one split triangle can show apart."""
MAX_TIED = 8
"""Sentences about systems without a significant difference."""
MAX_MATRIX_CLASSES = 30
"""Classes up to which the confusion matrix is a table; more are an image."""
MAX_MATRIX_CELLS = 60_000
"""Cells that a page carries for reading off the image; more are not carried."""


# Each system in detail ------------------------------------------------------------------------------------------------


def draw_systems(content: tuple[Evaluation, Units]) -> Html:
    """Draw the best system open, the others folded, in the order of the ranking: why, what to do, its matrix."""
    evaluation, unit = content
    order = {id(system): position for position, system in enumerate(evaluation.systems)}
    blocks, shares = [], []
    for place, system in enumerate(evaluation.ranking):
        matrix, shares_of_cells = draw_confusion_matrix(system)
        shares += [] if shares_of_cells is None else [shares_of_cells]
        advice = draw_findings(collect_findings(evaluation, system), level=3)
        detail = _draw_system(system, unit, order[id(system)], advice, matrix)
        if place:
            detail = element("details", element("summary", plain_label(system.title)[:80]), detail, class_="other")
        blocks.append(detail)
    chooser = element("p", class_="js chooser", id="system-choice") if len(evaluation.systems) > 1 else Html("")
    return element("div", chooser, *blocks, embed(shares, "shares") if shares else Html(""))


def _draw_system(system: SystemResult, unit: Units, position: int, advice: Html, matrix: Html) -> Html:
    blocks = tabulate_confusions(system, MAX_PAIRS, "pair") if system.is_informative else ()
    why = [element("h3", "Why: the costliest confusions"), *map(draw_block, blocks)] if blocks else []
    left, right = [*why, advice], [matrix, _draw_examples(system)]
    sides = [element("div", *side) for side in (left, right) if any(side)]
    classes = list(map(draw_block, tabulate_classes(system, unit)))
    summary = element("summary", "Classes", element("small", "recall, precision, and what each costs", class_="dim"))
    return element(
        "article",
        element("h2", draw_label(system.title, 60), class_="system-name sr"),
        element("div", *sides, class_="two sides"),
        element("div", element("details", summary, *classes), class_="folds") if classes else Html(""),
        class_="system",
        id=f"system-{position}",
        data_system=system.title,
    )


def _draw_examples(system: SystemResult) -> Html:
    """Draw rows of each confused pair, folded; a click on the cell of the matrix opens its fold."""
    if not system.examples:
        return Html("")
    folds = [
        element(
            "details",
            element("summary", draw_phrase(write_example_heading(pair))),
            *map(draw_block, make_example_blocks(pair)),
            data_truth=pair.truth,
            data_predicted=pair.system,
        )
        for pair in system.examples
    ]
    hint = "Rows drawn at random from each confused pair. Choose a cell of the matrix, or a pair below."
    later = [str(fold) for fold in folds[MAX_WRITTEN_FOLDS:]]
    packed = embed(later, style="folds") if later else Html("")
    head = (element("h4", "Example rows"), element("p", hint, class_="note"))
    return element("div", *head, *folds[:MAX_WRITTEN_FOLDS], packed, class_="examples")


# Maps -----------------------------------------------------------------------------------------------------------------


def draw_maps(evaluation: Evaluation) -> Html:
    """Draw the pictures of all systems side by side; a dot picks its system everywhere."""
    note = "Select a dot or a row: the system is highlighted everywhere. Drag across a map to select several."
    hint = element("p", note, class_="note js") if len(evaluation.systems) > 1 else Html("")
    systems = list(evaluation.ranking)
    triangle, coverage = place_in_triangle(systems), place_in_coverage(systems)
    split = place_in_split_triangle(systems)
    maps: list[tuple[str, Display, str]] = []
    if triangle:
        caption = "High is good; left is lost to imbalance, right to error."
        maps.append(("Entropy triangle", EntropyTriangleDisplay(triangle, zoom=True), caption))
    if coverage:
        caption = "The star is all of the truth and nothing but the truth; dotted lines join equal error."
        maps.append(("Information coverage", CoverageDisplay(coverage), caption))
    near = [point for point in coverage if point.captured >= 0.5 * max(p.captured for p in coverage)]
    if near and any(point.spread is not None for point in near):
        title = "Coverage, the best enlarged" if len(coverage) > 1 else "Coverage, enlarged"
        caption = "Ellipses hold the true place with 95% probability."
        maps.append((title, CoverageDisplay(near, zoom=True), caption))
    if split:
        rest = f" The best {MAX_SPLIT} of {len(split)}." if len(split) > MAX_SPLIT else ""
        caption = f"Truth and output, each against its own number of classes.{rest}"
        maps.append(("Split triangle", SplitTriangleDisplay(split[:MAX_SPLIT], zoom=True), caption))
    figures = [
        element(
            "figure",
            element("figcaption", element("b", title), " ", element("span", caption, class_="dim")),
            Html(svg(display.panel())),
            class_="map",
        )
        for title, display, caption in maps
    ]
    return join_markup((hint, element("div", *figures, class_="two maps")))


# Systems compared by any metric ---------------------------------------------------------------------------------------

TITLES = (
    ("system", ""),
    ("", "track"),
    ("captured", "n"),
    ("interval", "n wide interval"),
    ("difference", "n wide gap"),
    ("P(better)", "n wide gap"),
    ("verdict", "gap verdict"),
    ("false", "n wide"),
    ("accuracy", "n wide"),
    ("note", "wide dim note"),
)
"""Columns and their kinds: what is a gap exists only against another system, a note where there is one to make."""


def draw_comparison(content: tuple[Evaluation, Units]) -> Html:
    """Draw the table of systems, one row each, the best first, with its note and the choice of metric."""
    evaluation, unit = content
    systems = evaluation.ranking
    places = compare_by_metric(evaluation, "proficiency", unit)
    compared = any(place.verdict for place in places)
    shown = {"gap": compared, "note": any(map(find_tag, systems))}
    heads = []
    for title, kind in TITLES:
        word = title if all(shown.get(part, True) for part in kind.split()) else ""
        heads.append(element("th" if word else "td", word, scope="col" if word else None, class_=kind or None))
    dots = "Dots are captured information, from 0% to 100%, highest first"
    dots += "; lines are intervals. " if any(place.interval for place in places) else ". "
    reference = "the best of the same group" if systems[0].group else plain_label(systems[0].title)[:40]
    note = f"Differences, in points, are to {reference}, paired by row." if compared else ""

    ties = list(describe_ties(evaluation))
    left = len(ties) - MAX_TIED
    more = [f"{left} more groups: see the verdicts below."] if left > 0 else []
    items = [element("li", draw_phrase(sentence)) for sentence in [*ties[:MAX_TIED], *more]]
    table = element(
        "table",
        element("caption", "Systems by captured information", class_="sr"),
        element("thead", element("tr", *heads)),
        element("tbody", *(_draw_row(system, place) for system, place in zip(systems, places, strict=True))),
        class_="forest tool",
    )
    return join_markup(
        (
            element("p", element("span", dots, class_="dots"), note, class_="note", id="compare-note"),
            element("ul", *items, class_="findings significance") if items else Html(""),
            element("div", class_="chooser js", id="choose"),
            wrap_scrolling(table, "Systems"),
        )
    )


def _draw_row(system: SystemResult, place: ChosenPlace) -> Html:
    # a dot with its interval; both are there to be moved even where the first metric has none
    ends = 'visibility="hidden"' if place.low is None else f'x1="{place.low}%" x2="{place.high}%"'
    middle = 'visibility="hidden"' if place.at is None else f'cx="{place.at}%"'
    whisker = Html(
        '<svg class="whisk" aria-hidden="true" height="20">'
        f'<line class="s-ink" {ends} y1="10" y2="10" stroke="#16181d" stroke-width="2"/>'
        f'<circle class="f-accent s-ink" {middle} cy="10" r="5" fill="#0068a8" stroke="#16181d"/></svg>'
    )
    cells = (
        whisker,
        place.value,
        place.interval,
        place.difference,
        place.probability,
        place.verdict,
        format_share(system.shown("false_information_ratio")),
        format_share(system.shown("accuracy")),
        find_tag(system),
    )
    kinds = ("track", "n strong", "n wide dim interval", *(kind for _, kind in TITLES[4:]))
    return element(
        "tr",
        element("th", element("button", draw_label(system.title, 30), type="button", class_="pick"), scope="row"),
        *(element("td", cell, class_=kind) for cell, kind in zip(cells, kinds, strict=True)),
        data_of=system.title,
    )


# Confusion matrix -----------------------------------------------------------------------------------------------------


def draw_confusion_matrix(system: SystemResult) -> tuple[Html, Json]:
    """Draw the confusion matrix, confused classes side by side, and return what else its cells can show.

    Rows are the truth. It is a table of numbers, or pixels and a list where there are many classes; ordered classes
    stand in their order.
    """
    if not system.truth_labels:
        return Html(""), None
    heading = element("h3", "What is confused with what")
    cells = None
    if system.table is not None:
        with suppress(InfoscopeError):
            cells = heat_map(system.table)
    if cells is None:  # a document with too many cells to rebuild the table has the costliest confusions alone
        supports = {item.label: float(item.values["support"].value or 0.0) for item in system.classes}
        confusions = [
            (leak.truth, leak.system, leak.count, leak.count / (supports.get(leak.truth) or 1.0))
            for leak in system.leaks
            if leak.truth != leak.system
        ]
        largest = _draw_largest(sorted(confusions, key=lambda item: -item[2])[:15])
        return element("div", heading, largest, class_="confusion"), None
    if max(cells.counts.shape) > MAX_MATRIX_CLASSES:
        return element("div", heading, _draw_pixels(cells), class_="confusion"), None
    drawn = element("div", heading, _draw_matrix(cells, system), class_="confusion")
    return drawn, _list_shares_and_orders(cells, ordered=system.ordinal is not None)


def _draw_matrix(cells: HeatMap, system: SystemResult) -> Html:
    # a step of colour for each cell: errors 0 to 5 on their own scale, rejections 0 to 5, hits 0 to 3
    share_of_row = cells.of_truth
    worst = cells.find_worst_error(share_of_row) or 1.0
    steps = np.ceil(5.0 * np.sqrt(share_of_row / np.where(cells.rejected, 1.0, worst)))
    levels = np.where(cells.hits, np.ceil(3.0 * share_of_row), steps).astype(int)
    kinds = np.where(cells.hits, "d", np.where(cells.rejected, "r", "e")).tolist()

    heads = [element("th", "true ↓ predicted →", scope="col", class_="dim")]
    for name, short in zip(cells.system, shorten_names(cells.system, 18), strict=True):
        about = {"scope": "col", "data_label": name, "class_": "rejected" if name == system.reject else None}
        heads.append(element("th", element("span", draw_label(name, 18, short)), **about))
    rows = []
    for i, (name, short) in enumerate(zip(cells.truth, shorten_names(cells.truth, 18), strict=True)):
        written = []
        for count, kind, level in zip(cells.counts[i].tolist(), kinds[i], levels[i].tolist(), strict=True):
            full = f' data-count="{format_count(count)}"' if count >= 1e5 else ""  # where the cell shortens it
            text = shorten_count(count) if count else "·"
            written.append(Html(f"<td class={kind}{level}{full}>{text}</td>"))
        rows.append(element("tr", element("th", draw_label(name, 18, short), scope="row", data_label=name), *written))
    # names of columns stand upright where they do not fit beside each other
    is_wide = sum(max(8.0 * min(len(name), 18) + 8.0, 38.0) for name in cells.system) > 460.0
    table = element(
        "table",
        element("caption", "Confusion matrix: rows are true classes, columns predicted ones", class_="sr"),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
        class_="cm many" if is_wide else "cm",
    )
    return wrap_scrolling(table, "Confusion matrix")


def shorten_count(count: float) -> str:
    """Write a count in little room: six digits and more in thousands, millions or billions.

    >>> shorten_count(1797), shorten_count(533_210), shorten_count(2_040_000), shorten_count(0.25)
    ('1,797', '533k', '2.04M', '0.25')
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e5, "k")):
        if count >= size:
            scaled = count / (1e3 if unit == "k" else size)
            return f"{scaled:.3g}{unit}" if scaled < 999.5 else f"{scaled:,.0f}{unit}"
    return format_count(count)


def _list_shares_and_orders(cells: HeatMap, *, ordered: bool) -> Json:
    """List what else the cells can show, and in which orders, for the page's script."""

    def write_shares(shares: np.ndarray) -> list[list[str]]:
        return [
            [format_share(part) if count else "·" for count, part in zip(line, parts, strict=True)]
            for line, parts in zip(cells.counts.tolist(), shares.tolist(), strict=True)
        ]

    def order_columns(rows: Sequence[int]) -> list[int]:  # as the rows of the same name; those without one last
        rank = {cells.truth[row]: place for place, row in enumerate(rows)}
        return sorted(range(len(cells.system)), key=lambda column: rank.get(cells.system[column], len(rank)))

    size = cells.counts.sum(1)
    by_size = sorted(range(len(cells.truth)), key=lambda row: -size[row])
    by_name = sorted(range(len(cells.truth)), key=lambda row: _split_numbers(cells.truth[row]))
    return {
        "of_true": write_shares(cells.of_truth),
        "of_predicted": write_shares(cells.of_system),
        "first_order": "lowest to highest" if ordered else "confused together",
        "orders": {
            "by name": [by_name, order_columns(by_name)],
            "by size": [by_size, order_columns(by_size)],
        },
    }


def _split_numbers(name: str) -> list[tuple[int, int, str]]:
    """Return a key that sorts numbers inside names by size.

    >>> sorted(["class 10", "Class 9"], key=_split_numbers)
    ['Class 9', 'class 10']
    """
    parts = re.split(r"([0-9]+)", name.casefold())
    return [(0, int(part), "") if part.isdecimal() and part.isascii() else (1, 0, part) for part in parts if part]


def _draw_pixels(cells: HeatMap) -> Html:
    """Draw an image, with the cells to read off it if they are not too many, and the largest confusions."""
    data: dict[str, Json] = {"truth": cells.truth, "system": cells.system}
    if np.count_nonzero(cells.counts) <= MAX_MATRIX_CELLS:
        # the cells that are not empty, row by row: how many, how far from the one before, their counts and shares
        rows, columns = np.nonzero(cells.counts)
        before = np.where(np.diff(rows, prepend=-1) > 0, 0, np.concatenate([[0], columns[:-1]]))
        filled, sums = cells.counts[rows, columns].tolist(), cells.counts.sum(1).tolist()
        written = {value: format_count(value) for value in {*filled, *sums}}  # most of them occur many times
        counts, totals = [written[value] for value in filled], [written[value] for value in sums]
        shares: dict[str, dict[str, str]] = {}
        for row, count, part in zip(rows.tolist(), counts, cells.of_truth[rows, columns].tolist(), strict=True):
            of_total = shares.setdefault(totals[row], {})
            if count not in of_total:
                of_total[count] = format_share(part)
        data |= {
            "filled": np.bincount(rows, minlength=len(cells.truth)).tolist(),
            "step": (columns - before).tolist(),
            "count": counts,
            "total": totals,
            "share": shares,
        }
    image = element(
        "div",
        Html(
            f'<img alt="Confusion matrix of {len(cells.truth)} classes as an image; the largest confusions '
            f'are listed below" src="{data_address(cells.image(250))}">'
        ),
        element("i", class_="hair h", hidden=True),
        element("i", class_="hair v", hidden=True),
        embed(data, style="cells"),
        class_="pixels",
    )
    axes = element("p", "true ↓ predicted →", class_="note")
    words = element("p", "Confused classes are side by side.", class_="note")
    return join_markup((axes, image, words, _draw_largest(cells.largest(10))))


def _draw_largest(confusions: Sequence[tuple[str, str, float, float]]) -> Html:
    if not confusions:
        return element("p", "No two classes are confused.", class_="note")
    names = list(dict.fromkeys(name for truth, system, *_ in confusions for name in (truth, system)))
    short = dict(zip(names, shorten_names(names, 20), strict=True))
    rows = [
        element(
            "tr",
            element("th", draw_label(truth, 20, short[truth]), scope="row"),
            element("td", draw_label(system, 20, short[system])),
            element("td", format_count(count), class_="n"),
            element("td", format_share(part), class_="n dim"),
            data_truth=truth,
            data_predicted=system,
        )
        for truth, system, count, part in confusions
    ]
    heads = (("true", None), ("predicted", None), ("count", "n"), ("of the true class", "n"))
    table = element(
        "table",
        element("caption", "Largest confusions", class_="sr"),
        element("thead", element("tr", *(element("th", word, scope="col", class_=kind) for word, kind in heads))),
        element("tbody", *rows),
        class_="largest tool",
    )
    return wrap_scrolling(table, "Largest confusions")
