"""Results in a notebook: words, one picture, a table, all in markup that survives untrusted and offline notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from infoscope.evaluation import Evaluation, SystemResult, renders
from infoscope.figures.colours import hexadecimal, on_colour
from infoscope.figures.confusion import heat_map
from infoscope.figures.layout import plain_label
from infoscope.figures.ledger import LedgerDisplay
from infoscope.figures.notebook import picture
from infoscope.report.html.elements import Html, element, joined, label
from infoscope.report.html.verdict import ABSENT, interval, sentences
from infoscope.report.numbers import amount, share
from infoscope.report.wording import left_out, remark
from infoscope.tables import Contingency

__all__ = ["DIM", "INK", "MOST_ROWS", "cell_table", "evaluation_cell", "table_cell"]

MOST_ROWS = 12
MOST_CLASSES = 12
INK = "color:var(--jp-content-font-color1,var(--vscode-editor-foreground,CanvasText))"
DIM = "opacity:.72;font-size:90%"
_NUMBER = "text-align:right;padding:2px 10px;font-variant-numeric:tabular-nums"
_NAME = "text-align:left;padding:2px 10px"


@renders("notebook")
def evaluation_cell(evaluation: Evaluation) -> str:
    """The verdict, the ledger of the best, a row a system."""
    focus = evaluation.ranking[0]
    captured = focus.number("proficiency")
    claim = (
        "cannot be judged by information"
        if captured is None
        else f"captures {share(captured)} of the information in the truth"
    )
    parts: list[object] = [
        element(
            "p",
            element("b", label(focus.title, 60)),
            f" {claim}. ",
            joined(sentences(evaluation, focus), " "),
            style="margin:.2em 0 .6em;max-width:70ch",
        ),
        _ledger(focus),
    ]
    if len(evaluation.systems) > 1:
        parts.append(_ranking(evaluation))
    parts.append(_bullets([item.text for item in (*evaluation.findings, *focus.diagnosis[:4])]))
    parts.append(_key_numbers(focus))
    return element("div", *parts, style=INK)


def _bullets(sentences: Sequence[str]) -> Html:
    items = [element("li", element("bdi", plain_label(text))) for text in sentences]
    return element("ul", *items) if items else Html("")


def _ledger(system: SystemResult) -> Html:
    missed, captured, false = (
        system.number(name) or 0.0 for name in ("missed_information", "mutual_information", "false_information")
    )
    if not missed + captured + false > 0:
        return Html("")
    return Html(picture(LedgerDisplay(missed, captured, false).panel()))


def cell_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Html:
    """A table whose looks survive where style sheets do not; the first column is words, the others are numbers."""
    first = element("tr", *(element("th", word, style=_NUMBER if at else _NAME) for at, word in enumerate(head)))
    lines = [
        element("tr", *(element("td", part, style=_NUMBER if at else _NAME) for at, part in enumerate(row)))
        for row in rows
    ]
    return element(
        "table", element("thead", first), element("tbody", *lines), style="border-collapse:collapse;margin:.6em 0"
    )


def _ranking(evaluation: Evaluation) -> Html:
    systems = list(evaluation.ranking)
    rows = [
        (
            label(system.title, 40),
            share(system.number("proficiency")),
            interval(system.metrics.get("proficiency", ABSENT)),
            share(system.number("false_information_ratio")),
            share(system.number("accuracy")),
            remark(system),
        )
        for system in systems[:MOST_ROWS]
    ]
    more = len(systems) - len(rows)
    note = element("p", f"and {more} more", style=DIM) if more else Html("")
    return joined((cell_table(("system", "captured", "range", "false", "accuracy", ""), rows), note))


def _key_numbers(system: SystemResult) -> Html:
    names = (
        "proficiency",
        "false_information_ratio",
        "erroneous_information_ratio",
        "information_precision",
        "accuracy",
        "balanced_accuracy",
        "macro_f1",
        "mcc",
        "remnant_classes",
        "entropy_modified_accuracy",
        "normalized_transfer_factor",
    )
    rows = []
    for name in names:
        value = system.metrics.get(name)
        if value is not None and value.value is not None:
            rows.append((element("code", name), f"{value.value:.4f}", interval(value, 1.0, 4)))
    return element(
        "details", element("summary", "numbers"), cell_table(("metric", "value", "range"), rows), style="margin:.3em 0"
    )


@renders("notebook table")
def table_cell(table: Contingency) -> str:
    """A small table as a heat map of numbers, a large one in words."""
    size = f"{amount(table.total)} samples" if not table.batch_shape else f"batch {table.batch_shape}"
    told = element(
        "p",
        f"Contingency of {size}, {table.shape[0]:,} truth × {table.shape[1]:,} system classes",
        style="margin:.2em 0 .6em",
    )
    told = joined((told, _bullets([left_out(rows, reason) for reason, rows in table.ignored.items()])))
    if table.batch_shape or not table.total > 0 or max(table.shape) > MOST_CLASSES:
        found: Any = [] if table.batch_shape or max(table.shape) > 2000 else heat_map(table, "given").largest(8)
        rows = [(label(truth), label(system), amount(count), share(part)) for truth, system, count, part in found]
        shown = cell_table(("it was", "the system said", "count", "of the true"), rows) if rows else Html("")
        return element("div", told, shown, style=INK)
    cells = heat_map(table, "given")
    colours = cells.colours
    head = element(
        "tr",
        element("th", "it was ↓ said →", style=f"{_NAME};{DIM}"),
        *(element("th", label(name, 14), style=_NUMBER) for name in cells.system),
    )
    lines = []
    for i, name in enumerate(cells.truth):
        written = []
        for j, count in enumerate(cells.counts[i]):
            colour = hexadecimal(colours[i, j])
            look = f"{_NUMBER};background:{colour};color:{on_colour(colour)}" if count else f"{_NUMBER};opacity:.5"
            written.append(element("td", amount(float(np.round(count, 6))) if count else "·", style=look))
        lines.append(element("tr", element("th", label(name, 20), style=_NAME), *written))
    grid = element("table", element("thead", head), element("tbody", *lines), style="border-collapse:collapse")
    return element("div", told, grid, style=INK)
