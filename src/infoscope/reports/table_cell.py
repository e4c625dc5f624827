"""A contingency table in a notebook: a heat map of numbers where it is small, its largest cells where it is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoscope.figures.colours import hexadecimal, on_colour
from infoscope.figures.confusion import HeatMap, heat_map
from infoscope.reports.html.elements import Html, element, label
from infoscope.reports.notebook import DIM, INK, NAME, NUMBER, cell_table
from infoscope.results.notation import amount, share
from infoscope.tables import Contingency
from infoscope.tables.missing import left_out

__all__ = ["table_cell"]

MAX_CLASSES = 12
MAX_DRAWN = 2000
"""Classes up to which the largest cells are looked for."""


def table_cell(table: Contingency) -> str:
    """The table as markup that survives untrusted and offline notebooks."""
    size = f"{amount(float(table.total))} samples" if not table.batch_shape else f"batch {table.batch_shape}"
    words = f"Contingency of {size}, {table.shape[0]:,} true × {table.shape[1]:,} predicted classes"
    head = element("p", words, style="margin:.2em 0 .6em")
    ignored = [element("li", element("bdi", left_out(rows, why))) for why, rows in table.ignored.items()]
    notes = element("ul", *ignored) if ignored else Html("")
    return element("div", head, notes, _body(table), style=INK)


def _body(table: Contingency) -> Html:
    if table.batch_shape or not table.total > 0 or max(table.shape) > MAX_DRAWN:
        return Html("")
    cells = heat_map(table, "given")
    if max(table.shape) <= MAX_CLASSES:
        return _grid(cells)
    rows: Sequence[Sequence[object]] = [
        (label(truth), label(system), amount(count), share(part)) for truth, system, count, part in cells.largest(8)
    ]
    return cell_table(("true", "predicted", "count", "of the true class"), rows, words=(0, 1)) if rows else Html("")


def _grid(cells: HeatMap) -> Html:
    colours = cells.colours
    head = element(
        "tr",
        element("th", "true ↓ predicted →", style=f"{NAME};{DIM}"),
        *(element("th", label(name, 14), style=NUMBER) for name in cells.system),
    )
    lines = []
    for i, name in enumerate(cells.truth):
        written = []
        for j, count in enumerate(cells.counts[i]):
            colour = hexadecimal(colours[i, j])
            look = f"{NUMBER};background:{colour};color:{on_colour(colour)}" if count else f"{NUMBER};opacity:.5"
            written.append(element("td", amount(float(np.round(count, 6))) if count else "·", style=look))
        lines.append(element("tr", element("th", label(name, 20), style=NAME), *written))
    return element("table", element("thead", head), element("tbody", *lines), style="border-collapse:collapse")
