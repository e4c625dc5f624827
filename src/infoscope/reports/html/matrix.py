"""The confusion matrix of the page: a table of numbers, or pixels and a list where there are many classes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from infoscope.core.markup import Html, element, joined
from infoscope.errors import InfoscopeError
from infoscope.figures.confusion import HeatMap, heat_map
from infoscope.figures.svg import data_address
from infoscope.reports.html.elements import label, scrolled
from infoscope.reports.html.embedding import embedded
from infoscope.reports.parts.maps import table_of
from infoscope.results.notation import format_count, format_share
from infoscope.studies.evaluate import SystemResult
from infoscope.typing import Json

MOST_IN_TABLE = 30
MOST_CELLS = 60_000
"""Cells that a page carries for reading off the image; more are not carried."""


def confusion_matrix(system: SystemResult) -> tuple[Html, Json]:
    """Rows are the truth, confused classes side by side, ordered ones in their order; what else cells can show."""
    if not system.truth_labels:
        return Html(""), None
    table = table_of(system)
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
                element("span", label(name, 18)),
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
        rows.append(element("tr", element("th", label(name, 18), scope="row", data_label=name), *written))
    table = element(
        "table",
        element("caption", "Confusion matrix: rows are true classes, columns predicted ones", class_="sr"),
        element("thead", head),
        element("tbody", *rows),
        class_="cm many" if _wide(cells) else "cm",
    )
    return scrolled(table, "Confusion matrix")


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
        embedded(data, style="cells"),
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
            element("th", label(truth, 26), scope="row"),
            element("td", label(system, 26)),
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
    return scrolled(
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
