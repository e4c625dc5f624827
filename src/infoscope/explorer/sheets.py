"""The sheet of rows behind a number: where they come from, in which order, and what is said about each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infoscope.core.markup import Html, element, joined
from infoscope.explorer.questions import ExploredColumns
from infoscope.readers.cell_rows import CellPage, CellQuery, ChangeQuery, RowsQuery
from infoscope.reports.html.elements import label, scrolled

Said = Mapping[int, str]
"""Verdicts that were given before, by the number of their row."""


def rows_sheet(page: CellPage, query: RowsQuery, columns: ExploredColumns, said: Said, *, is_old: bool = False) -> str:
    """The rows of a query; ``is_old`` where the file has changed since its report was made."""
    word = "row" if page.total == 1 else "rows"
    weight = "" if page.weight is None else f", together {page.weight:,.6g}"
    parts = [
        element("h2", *_asked_for(query), f": {page.total:,} {word}{weight}"),
        *([_changed(columns)] if is_old else []),
        *(_tools(page, query) if page.total else []),
        *_origin(page, query),
        _row_table(page, query, columns.key, said) if page.rows else element("p", "No row has this."),
    ]
    return joined(parts)


def _changed(columns: ExploredColumns) -> Html:
    again = element("a", "Evaluate it anew", href=f"explore?{columns.address}")
    return element("p", "The file has changed since this report was made. ", again, ".", class_="warn", role="status")


def _asked_for(query: RowsQuery) -> tuple[object, ...]:
    """Which rows, in words."""
    if isinstance(query, CellQuery):
        other = "another class" if query.predicted is None else element("bdi", query.predicted)
        what = (element("bdi", query.true_label), " predicted as ", other)
        return "True ", *what, " by ", element("bdi", query.system)
    if not isinstance(query, ChangeQuery):
        return ("Rows",)
    pair = (" from ", element("bdi", query.before), " to ", element("bdi", query.after))
    words = {"better": "Better", "worse": "Worse", "both wrong": "Wrong in another way"}
    if query.cell is None:
        return words[query.change], *pair
    truth, first, second, before, after = (element("bdi", name) for name in (*query.cell, query.before, query.after))
    return "True ", truth, ", predicted as ", first, " by ", before, " and as ", second, " by ", after


def _tools(page: CellPage, query: RowsQuery) -> list[Html]:
    """Ways to other rows, and how many are shown."""
    again = element("button", "other rows", type="button", id="again")
    shown = f"{len(page.rows)} shown" + (f" of {page.found:,} found" if query.search else "")
    more = [again] if page.found > len(page.rows) else []
    return [element("p", *_orders(query), *_search(query), *more, element("span", shown, class_="dim"), class_="tools")]


def _orders(query: RowsQuery) -> list[Html]:
    words = {"random": "at random"}
    if query.score:
        words |= {"most confident": "most confident first", "least confident": "least confident first"}
    return [
        element("button", words[name], type="button", data_order=name, aria_pressed=str(query.order == name).lower())
        for name in words
    ]


def _search(query: RowsQuery) -> list[Html]:
    return [
        element(
            "input", type="search", id="find", value=query.search, placeholder="search", aria_label="Search the rows"
        )
    ]


def _origin(page: CellPage, query: RowsQuery) -> list[Html]:
    """In which segments the cell is more frequent than elsewhere."""
    if not query.by or not page.total:
        return []
    if not page.segments:
        return [element("p", f"In no group of {', '.join(query.by)} more often than elsewhere.", class_="note")]
    return [
        element(
            "p",
            "More often where ",
            element("b", f"{each.column} is {each.value}"),
            f": {each.rate:.1%} of {_whole(query)} ({each.count:,} of {each.rows:,}), ",
            f"elsewhere {each.elsewhere:.1%}.",
            class_="note",
        )
        for each in page.segments
    ]


def _whole(query: RowsQuery) -> str:
    """What segments are shares of."""
    if isinstance(query, CellQuery):
        return f"true {query.true_label}"
    return f"true {query.cell[0]}" if isinstance(query, ChangeQuery) and query.cell else "all rows"


_VERDICTS = ("prediction wrong", "truth wrong", "unclear")


def _row_table(page: CellPage, query: RowsQuery, key: str | None, said: Said) -> Html:
    """A line for each row, long texts first; on a phone each becomes a card."""
    size = {name: max(len(_shown(row.values[name])) for row in page.rows[:9]) for name in page.columns}
    order = sorted(page.columns, key=lambda name: (name not in query.varying, name != query.score, -size[name]))
    judged = isinstance(query, CellQuery) or not query.varying  # a verdict is about one true label and one prediction
    others = query.system if isinstance(query, CellQuery) and query.predicted is None else None
    heads = ["row", *order, *(["verdict"] if judged else [])]
    head = element("tr", *(element("th", label(name, 24), scope="col") for name in heads))
    lines = []
    for row in page.rows:
        cells = [
            element(
                "td",
                label(_shown(row.values[name]), 200),
                data_name=name,
                class_="long" if size[name] > 20 else "short",
            )
            for name in order
        ]
        number = element("th", "" if row.number is None else f"{row.number:,}", scope="row", data_name="row")
        verdicts = [_verdict_buttons(said.get(row.number or 0))] * judged
        named = None if key is None or row.values.get(key) is None else str(row.values[key])
        lines.append(
            element(
                "tr",
                number,
                *cells,
                *verdicts,
                data_row=str(row.number),
                data_key=named,
                data_predicted=None if others is None else _shown(row.values[others]),
            )
        )
    table = element("table", element("thead", head), element("tbody", *lines), class_="tool rows")
    return scrolled(table, "Rows of the cell")


def _verdict_buttons(given: str | None) -> Html:
    buttons = [
        element("button", word, type="button", data_verdict=word, aria_pressed="true" if word == given else None)
        for word in _VERDICTS
    ]
    return element("td", element("span", *buttons, class_="verdicts"), class_="verdict")


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)
