"""The systems of an evaluation: the maps of all of them, then each in detail.

Of each: what to fix, what to do, what is confused with what, which classes lose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from infoscope.core.markup import Html, element, joined
from infoscope.errors import InfoscopeError
from infoscope.figures.confusion import HeatMap, heat_map
from infoscope.figures.coverage import CoverageDisplay
from infoscope.figures.display import Display
from infoscope.figures.layout import plain_label
from infoscope.figures.leaks import LeakDisplay, Stream
from infoscope.figures.perplexity_chain import Chain, Half, PerplexityDisplay
from infoscope.figures.svg import data_address, svg
from infoscope.figures.triangle import EntropyTriangleDisplay, SplitTriangleDisplay
from infoscope.reports.html.page import draw_block, draw_label, draw_phrase, embed, wrap_scrolling
from infoscope.reports.systems import (
    ChosenPlace,
    compare_by_metric,
    place_in_coverage,
    place_in_split_triangle,
    place_in_triangle,
    rebuild_table,
    tabulate_classes,
    tabulate_confusions,
)
from infoscope.reports.views.evaluate import describe_ties, make_example_blocks, write_example_heading
from infoscope.results.notation import Units, format_count, format_share
from infoscope.studies.evaluate import Evaluation, SystemResult
from infoscope.typing import Json

MAX_WRITTEN_FOLDS = 20
"""Confused pairs whose example rows are in the page as they are; those of the others are packed."""


def draw_systems(content: tuple[Evaluation, Units]) -> Html:
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
    return element("div", chooser, *blocks, embed(shares, "shares") if shares else Html(""))


def _system(system: SystemResult, unit: Units, at: int, matrix: Html) -> Html:
    pairs = tabulate_confusions(system)
    fixes = list(map(draw_block, pairs)) if pairs else [_nothing_confused(system)]
    by_class = map(draw_block, tabulate_classes(system, unit))
    return element(
        "article",
        element("h3", draw_label(system.title, 60), class_="system-name"),
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
            element("summary", draw_phrase(write_example_heading(cell))),
            *map(draw_block, make_example_blocks(cell)),
            data_truth=cell.truth,
            data_predicted=cell.system,
        )
        for cell in system.examples
    ]
    hint = "Rows drawn at random from each confused pair. Choose a cell of the matrix, or a pair below."
    later = [str(fold) for fold in folds[MAX_WRITTEN_FOLDS:]]
    packed = embed(later, style="folds") if later else Html("")
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


def draw_maps(evaluation: Evaluation) -> Html:
    """The figures side by side; a dot picks its system everywhere."""
    note = "Select a dot or a row: the system is highlighted everywhere. Drag across a map to select several."
    hint = element("p", note, class_="note js") if len(evaluation.systems) > 1 else Html("")
    return joined((hint, element("div", *_figures(list(evaluation.ranking)), class_="two maps")))


def _figures(systems: Sequence[SystemResult]) -> Iterator[Html]:
    triangle, coverage, split = place_in_triangle(systems), place_in_coverage(systems), place_in_split_triangle(systems)
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


TITLES = (
    ("system", ""),
    ("", "track"),
    ("captured", "n"),
    ("interval", "n wide"),
    ("difference", "n wide gap"),
    ("P(better)", "n wide gap"),
    ("verdict", "gap verdict"),
    ("false", "n wide"),
    ("accuracy", "n wide"),
    ("note", "wide dim note"),
)
"""Columns and their kinds: what is a gap exists only against another system, a note where there is one to make."""
MAX_TIED = 8
"""Sentences about systems without a significant difference."""


def draw_comparison(content: tuple[Evaluation, Units]) -> Html:
    """The table with its note and the choice of metric."""
    evaluation, unit = content
    systems = evaluation.ranking
    places = compare_by_metric(evaluation, "proficiency", unit)
    compared = any(place.verdict for place in places)
    shown = {"gap": compared, "note": any(map(_tag, systems))}
    columns = [(title if all(shown.get(word, True) for word in kind.split()) else "", kind) for title, kind in TITLES]
    head = element(
        "tr",
        *(
            element("th" if title else "td", title, scope="col" if title else None, class_=kind or None)
            for title, kind in columns
        ),
    )
    note = ["Dots are captured information, from 0% to 100%, highest first"]
    note += ["lines are intervals"] if any(place.interval for place in places) else []
    reference = "the best of the same group" if systems[0].group else plain_label(systems[0].title)[:40]
    note += [f"differences, in points, are to {reference}, paired by row"] if compared else []
    table = element(
        "table",
        element("caption", "Systems by captured information", class_="sr"),
        element("thead", head),
        element("tbody", *(_row(system, place) for system, place in zip(systems, places, strict=True))),
        class_="forest tool",
    )
    return joined(
        (
            element("p", "; ".join(note) + ".", class_="note", id="compare-note"),
            _tied(evaluation),
            element("div", class_="chooser js", id="choose"),
            wrap_scrolling(table, "Systems"),
        )
    )


def _tag(system: SystemResult) -> str:
    return next((finding.tag for finding in system.diagnosis if finding.tag), "")


def _tied(evaluation: Evaluation) -> Html:
    """Which systems differ significantly, in words."""
    sentences = list(describe_ties(evaluation))
    if not sentences:
        return Html("")
    left = len(sentences) - MAX_TIED
    more = [f"{left} more groups: see the verdicts below."] if left > 0 else []
    items = [element("li", draw_phrase(sentence)) for sentence in [*sentences[:MAX_TIED], *more]]
    return element("ul", *items, class_="findings significance")


def _row(system: SystemResult, place: ChosenPlace) -> Html:
    cells = (
        _whisker(place),
        place.value,
        place.interval,
        place.difference,
        place.probability,
        place.verdict,
        format_share(system.shown("false_information_ratio")),
        format_share(system.shown("accuracy")),
        _tag(system),
    )
    kinds = ("track", "n strong", "n wide dim", *(kind for _, kind in TITLES[4:]))
    return element(
        "tr",
        element("th", element("button", draw_label(system.title, 30), type="button", class_="pick"), scope="row"),
        *(element("td", cell, class_=kind) for cell, kind in zip(cells, kinds, strict=True)),
        data_of=system.title,
    )


def _whisker(place: ChosenPlace) -> Html:
    """A dot with its interval; both are there to be moved even where the first metric has none."""
    grid = "".join(
        f'<line class="s-grid" x1="{at}%" x2="{at}%" y1="0" y2="20" stroke="#e1e5eb"/>' for at in (0, 25, 50, 75, 100)
    )
    ends = 'visibility="hidden"' if place.low is None else f'x1="{place.low}%" x2="{place.high}%"'
    middle = 'visibility="hidden"' if place.at is None else f'cx="{place.at}%"'
    return Html(
        f'<svg class="whisk" aria-hidden="true" height="20">{grid}'
        f'<line class="s-ink" {ends} y1="10" y2="10" stroke="#16181d" stroke-width="2"/>'
        f'<circle class="f-accent s-ink" {middle} cy="10" r="5" fill="#0068a8" stroke="#16181d"/></svg>'
    )


MOST_IN_TABLE = 30
MOST_CELLS = 60_000
"""Cells that a page carries for reading off the image; more are not carried."""


def confusion_matrix(system: SystemResult) -> tuple[Html, Json]:
    """Rows are the truth, confused classes side by side, ordered ones in their order; what else cells can show."""
    if not system.truth_labels:
        return Html(""), None
    table = rebuild_table(system)
    if table is None:
        return _largest_only(system), None
    try:
        cells = heat_map(table)
    except InfoscopeError:
        return _largest_only(system), None
    few = max(cells.counts.shape) <= MOST_IN_TABLE
    body = _written(cells, system) if few else _pixels(cells)
    drawn = element("div", element("h4", "What is confused with what"), body, class_="confusion")
    return drawn, _shares_and_orders(cells, ordered=system.ordinal is not None) if few else None


def _levels(cells: HeatMap) -> np.ndarray:
    """A step of colour for each cell: errors 0 to 5 on their own scale, hits 0 to 3."""
    share_of_row = cells.of_truth
    worst = float(np.max(np.where(cells.hits, 0.0, share_of_row), initial=0.0)) or 1.0
    errors = np.ceil(5.0 * np.sqrt(share_of_row / worst))
    return np.where(cells.hits, np.ceil(3.0 * share_of_row), errors).astype(int)


def _written(cells: HeatMap, system: SystemResult) -> Html:
    levels = _levels(cells)
    head = element(
        "tr",
        element("th", "true ↓ predicted →", scope="col", class_="dim"),
        *(
            element(
                "th",
                element("span", draw_label(name, 18)),
                scope="col",
                data_label=name,
                class_="rejected" if name == system.reject else None,
            )
            for name in cells.system
        ),
    )
    rows = []
    for i, name in enumerate(cells.truth):
        written = [
            Html(f"<td class={'d' if hit else 'e'}{level}{_whole(count)}>{short_count(count) if count else '·'}</td>")
            for count, hit, level in zip(
                cells.counts[i].tolist(), cells.hits[i].tolist(), levels[i].tolist(), strict=True
            )
        ]
        rows.append(element("tr", element("th", draw_label(name, 18), scope="row", data_label=name), *written))
    table = element(
        "table",
        element("caption", "Confusion matrix: rows are true classes, columns predicted ones", class_="sr"),
        element("thead", head),
        element("tbody", *rows),
        class_="cm many" if _wide(cells) else "cm",
    )
    return wrap_scrolling(table, "Confusion matrix")


def short_count(count: float) -> str:
    """A count that leaves room for others: six digits and more in thousands, millions or billions.

    >>> short_count(1797), short_count(533_210), short_count(2_040_000), short_count(0.25)
    ('1,797', '533k', '2.04M', '0.25')
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e5, "k")):
        if count >= size:
            scaled = count / (1e3 if unit == "k" else size)
            return f"{scaled:.3g}{unit}" if scaled < 999.5 else f"{scaled:,.0f}{unit}"
    return format_count(count)


def _whole(count: float) -> str:
    """The count in full, where the cell shows it shortened."""
    return f' data-count="{format_count(count)}"' if count >= 1e5 else ""


def _shares_and_orders(cells: HeatMap, *, ordered: bool) -> Json:
    """What else the cells can show, and in which orders, for the page's script."""
    size = cells.counts.sum(1)
    by_size = sorted(range(len(cells.truth)), key=lambda at: -size[at])
    by_name = sorted(range(len(cells.truth)), key=lambda at: _natural(cells.truth[at]))
    return {
        "of_true": _share_texts(cells.counts, cells.of_truth),
        "of_predicted": _share_texts(cells.counts, cells.of_system),
        "first_order": "lowest to highest" if ordered else "confused together",
        "orders": {
            "by name": [by_name, _columns_like(cells, by_name)],
            "by size": [by_size, _columns_like(cells, by_size)],
        },
    }


def _share_texts(counts: np.ndarray, shares: np.ndarray) -> list[list[str]]:
    """Percentages of the cells that are not empty."""
    return [
        [format_share(part) if count else "·" for count, part in zip(line, parts, strict=True)]
        for line, parts in zip(counts.tolist(), shares.tolist(), strict=True)
    ]


def _columns_like(cells: HeatMap, rows: Sequence[int]) -> list[int]:
    """Columns in the order of the rows of the same name; those without one last."""
    rank = {cells.truth[at]: place for place, at in enumerate(rows)}
    return sorted(range(len(cells.system)), key=lambda at: rank.get(cells.system[at], len(rank)))


def _natural(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts numbers inside names by size.

    >>> sorted(["class 10", "Class 9"], key=_natural)
    ['Class 9', 'class 10']
    """
    parts = re.split(r"([0-9]+)", name.casefold())
    return [(0, int(part), "") if part.isdecimal() and part.isascii() else (1, 0, part) for part in parts if part]


def _wide(cells: HeatMap) -> bool:
    """Whether the names of the columns must stand upright to fit beside each other."""
    return sum(max(8.0 * min(len(name), 18) + 8.0, 38.0) for name in cells.system) > 460.0


def _pixels(cells: HeatMap) -> Html:
    data: dict[str, Json] = {"truth": cells.truth, "system": cells.system}
    if np.count_nonzero(cells.counts) <= MOST_CELLS:
        data |= _filled_cells(cells)
    image = element(
        "div",
        Html(
            f'<img alt="Confusion matrix of {len(cells.truth)} classes as an image; the largest confusions '
            'are listed below" '
            f'src="{data_address(cells.image(250))}">'
        ),
        element("i", class_="hair h", hidden=True),
        element("i", class_="hair v", hidden=True),
        embed(data, style="cells"),
        class_="pixels",
    )
    return joined(
        (
            image,
            element(
                "p",
                "Rows: true classes. Columns: predicted classes. Confused classes are side by side.",
                class_="note",
            ),
            _list(cells.largest(10)),
        )
    )


def _filled_cells(cells: HeatMap) -> dict[str, Json]:
    """The cells that are not empty, row by row: how many, how far from the one before, their counts and shares."""
    rows, columns = np.nonzero(cells.counts)
    before = np.where(np.diff(rows, prepend=-1) > 0, 0, np.concatenate([[0], columns[:-1]]))
    filled, sums = cells.counts[rows, columns].tolist(), cells.counts.sum(1).tolist()
    written = {value: format_count(value) for value in {*filled, *sums}}  # most of them occur many times
    counts, totals = [written[value] for value in filled], [written[value] for value in sums]
    shares: dict[str, Json] = {}
    for row, count, part in zip(rows.tolist(), counts, cells.of_truth[rows, columns].tolist(), strict=True):
        of_total = shares.setdefault(totals[row], {})
        if isinstance(of_total, dict) and count not in of_total:
            of_total[count] = format_share(part)
    return {
        "filled": np.bincount(rows, minlength=len(cells.truth)).tolist(),
        "step": (columns - before).tolist(),
        "count": counts,
        "total": totals,
        "share": shares,
    }


def _list(found: list[tuple[str, str, float, float]]) -> Html:
    if not found:
        return element("p", "No two classes are confused.", class_="note")
    rows = [
        element(
            "tr",
            element("th", draw_label(truth, 26), scope="row"),
            element("td", draw_label(system, 26)),
            element("td", format_count(count), class_="n"),
            element("td", format_share(part), class_="n dim"),
            data_truth=truth,
            data_predicted=system,
        )
        for truth, system, count, part in found
    ]
    head = element(
        "tr",
        element("th", "true", scope="col"),
        element("th", "predicted", scope="col"),
        element("th", "count", scope="col", class_="n"),
        element("th", "of the true class", scope="col", class_="n"),
    )
    return wrap_scrolling(
        element(
            "table",
            element("caption", "Largest confusions", class_="sr"),
            element("thead", head),
            element("tbody", *rows),
            class_="largest tool",
        ),
        "Largest confusions",
    )


def _largest_only(system: SystemResult) -> Html:
    """From a document with too many cells to rebuild the table: the costliest confusions alone."""
    supports = {item.label: float(item.values["support"].value or 0.0) for item in system.classes}
    found = [
        (leak.truth, leak.system, leak.count, leak.count / (supports.get(leak.truth) or 1.0))
        for leak in system.leaks
        if leak.truth != leak.system
    ]
    return element(
        "div",
        element("h4", "What is confused with what"),
        _list(sorted(found, key=lambda item: -item[2])[:15]),
        class_="confusion",
    )
