"""The explorer's own pages: files, columns, the frame around a report, and the sheet of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from infoscope.markup import Html, element, joined
from infoscope.readers.cell_rows import CellPage, CellQuery
from infoscope.readers.column_roles import ColumnRoles
from infoscope.reports.html.elements import label, scrolled
from infoscope.reports.html.shell import page_style
from infoscope.serving.files import SUFFIXES
from infoscope.serving.verdicts import TruthErrors

__all__ = ["CODE", "columns_page", "explorer_page", "refusal_page", "rows_sheet", "start_page"]

Query = Mapping[str, Sequence[str]]


def _own(name: str) -> str:
    return (files("infoscope.serving") / name).read_text(encoding="utf-8")


CODE = _own("explorer.js")


@cache
def _style() -> str:
    return page_style() + _own("explorer.css")


def _shell(title: str, *body: Html, class_: str = "") -> str:
    head = joined(
        (
            Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'),
            Html('<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'),
            element("title", title),
            Html(f"<style>{_style()}</style>"),
        )
    )
    inside = joined((*body, Html(f"<script>{CODE}</script>")))
    return (
        f"<!doctype html>{element('html', element('head', head), element('body', inside, class_=class_), lang='en')}\n"
    )


def refusal_page(words: str) -> str:
    """Why something cannot be done, and the way back."""
    back = element("p", element("a", "to the files", href="./"))
    return _shell("Not possible", element("main", element("h1", "Not possible"), element("p", words), back))


def start_page(root: Path, found: Sequence[Path], errors: Sequence[TruthErrors], *, has_runs: bool) -> str:
    """Drop a file, or choose one of the folder."""
    listed = [
        element(
            "li",
            element("a", str(path.relative_to(root)), href="columns?" + urlencode({"file": path.relative_to(root)})),
            element("span", f" {path.stat().st_size / 1e6:,.1f} MB", class_="dim"),
        )
        for path in found
    ]
    pick = element("input", type="file", id="pick", accept=",".join(SUFFIXES), aria_label="Choose a file of rows")
    parts = [
        element("h1", "Which predictions?"),
        element("p", "Drop a file here, or choose one: ", pick, id="drop"),
        element("p", "", id="trouble", role="status"),
        element("h2", f"Files in {root.name}"),
        element("ul", *listed, class_="files") if listed else element("p", "There is no file of rows in this folder."),
    ]
    if has_runs:
        parts += [
            element("h2", "Stored results"),
            element("p", element("a", "Runs over time", href="report?kind=history")),
        ]
    if errors:
        parts += [element("h2", "Verdicts"), *(element("p", each.sentence()) for each in errors)]
    parts.append(
        element(
            "p", "The address of this window holds its key: a picture of it gives access to the folder.", class_="note"
        )
    )
    return _shell("infoscope", element("main", *parts))


_ROLES = (
    ("t", "truth", "radio"),
    ("s", "predictions", "checkbox"),
    ("p", "score", "checkbox"),
    ("b", "segment", "checkbox"),
)


def columns_page(name: str, rows: Mapping[str, Sequence[Any]], roles: ColumnRoles, segments: Sequence[str]) -> str:
    """What the columns are taken for, with reasons; everything can be changed."""
    held: dict[str, set[str | None]] = {
        "t": {roles.truth},
        "s": set(roles.systems),
        "p": set(roles.scores),
        "b": set(segments),
    }
    lines = {column: _column_line(column, values, held) for column, values in rows.items()}
    taken = [column for column in rows if any(column in names for names in held.values())] or list(rows)
    rest = [column for column in rows if column not in taken]
    form = [
        element("input", type="hidden", name="file", value=name),
        _column_table([lines[column] for column in taken], "Columns"),
    ]
    if rest:
        summary = element("summary", f"{len(rest)} more column{'s' * (len(rest) != 1)}")
        form.append(element("details", summary, _column_table([lines[column] for column in rest], "More columns")))
    form.append(element("p", element("button", "Evaluate", type="submit", class_="go")))
    said = [element("li", reason) for reason in roles.reasons]
    question = [] if roles.question is None else [element("p", roles.question, class_="warn", role="status")]
    body = [
        element("p", element("a", "files", href="./")),
        element("h1", label(name, 60)),
        *question,
        element("ul", *said, class_="reasons") if said else element("p", "No column stands out; please choose."),
        element("form", *form, action="explore", method="get"),
    ]
    return _shell(name, element("main", *body))


def _column_line(name: str, values: Sequence[Any], held: Mapping[str, set[str | None]]) -> Html:
    choices = [
        element(
            "td",
            element(
                "input", type=kind, name=group, value=name, checked=name in held[group], aria_label=f"{name} as {word}"
            ),
        )
        for group, word, kind in _ROLES
    ]
    first = " · ".join(str(value)[:24] for value in list(dict.fromkeys(values))[:3] if value is not None)
    return element("tr", element("th", label(name, 30), scope="row"), *choices, element("td", first, class_="dim"))


def _column_table(lines: Sequence[Html], name: str) -> Html:
    heads = ("column", *(word for _, word, _ in _ROLES), "first values")
    head = element("tr", *(element("th", word, scope="col") for word in heads))
    return scrolled(element("table", element("thead", head), element("tbody", *lines), class_="tool"), name)


def explorer_page(query: Query, kinds: Sequence[str]) -> str:
    """The unchanged report in a frame, and a sheet for rows below it."""
    name = query["file"][0]
    asked = urlencode({**query}, doseq=True)
    links = [element("a", "files", href="./"), element("a", "columns", href="columns?" + urlencode({"file": name}))]
    links += [element("a", word, href=f"report?{asked}&kind={word}", target="report") for word in kinds]
    links.append(element("a", "save the page", href=f"report?{asked}", download="report.html"))
    title = f"Report on {name}"
    frame = element("iframe", "", src=f"report?{asked}", title=title, name="report")
    close = element("button", "close", type="button", id="close")
    sheet = element(
        "section", element("div", "", id="rows"), close, id="sheet", hidden=True, aria_label="Rows", tabindex="-1"
    )
    bar = element("header", element("h1", label(name, 40)), element("nav", *links, aria_label="Pages"), class_="bar")
    return _shell(title, bar, element("main", frame), sheet, class_="explorer")


def rows_sheet(page: CellPage, query: CellQuery, key: str | None) -> str:
    """Rows of a cell: where they come from, in which order, and what is said about each."""
    what = (element("bdi", query.true_label), " predicted as ", element("bdi", query.predicted))
    word = "row" if page.total == 1 else "rows"
    parts = [
        element("h2", "True ", *what, f" by {query.system}: {page.total:,} {word}"),
        element(
            "p",
            *_orders(query),
            *_search(query),
            element("button", "other rows", type="button", id="again"),
            class_="tools",
        ),
        element("p", f"{len(page.rows)} shown" + (f" of {page.found:,} found" if query.search else ""), class_="dim"),
        *_origin(page, query),
        _row_table(page, query, key) if page.rows else element("p", "No row has this."),
    ]
    return joined(parts)


def _orders(query: CellQuery) -> list[Html]:
    names = ["random", *(["surest", "least sure"] if query.score else [])]
    words = {"random": "at random", "surest": "surest first", "least sure": "least sure first"}
    return [
        element("button", words[name], type="button", data_order=name, aria_pressed=str(query.order == name).lower())
        for name in names
    ]


def _search(query: CellQuery) -> list[Html]:
    return [
        element(
            "input", type="search", id="find", value=query.search, placeholder="search", aria_label="Search the rows"
        )
    ]


def _origin(page: CellPage, query: CellQuery) -> list[Html]:
    """In which segments the cell is more frequent than elsewhere."""
    if not query.by:
        return []
    if not page.segments:
        return [element("p", f"In no group of {', '.join(query.by)} more often than elsewhere.", class_="note")]
    return [
        element(
            "p",
            "More often where ",
            element("b", f"{each.column} is {each.value}"),
            f": {each.rate:.1%} of true {query.true_label} ({each.count:,} of {each.rows:,}), ",
            f"elsewhere {each.elsewhere:.1%}.",
            class_="note",
        )
        for each in page.segments
    ]


_VERDICTS = ("prediction wrong", "truth wrong", "unclear")


def _row_table(page: CellPage, query: CellQuery, key: str | None) -> Html:
    """A line for each row, long texts first; on a phone each becomes a card."""
    size = {name: max(len(_shown(row.values[name])) for row in page.rows[:9]) for name in page.columns}
    order = sorted(page.columns, key=lambda name: (name != query.score, -size[name]))
    heads = ["row", *order, "verdict"]
    head = element("tr", *(element("th", label(name, 24), scope="col") for name in heads))
    buttons = [element("button", word, type="button", data_verdict=word) for word in _VERDICTS]
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
        number = element("th", f"{row.number:,}", scope="row", data_name="row")
        verdicts = element("td", element("span", *buttons, class_="verdicts"), data_name="verdict")
        named = None if key is None or row.values.get(key) is None else _shown(row.values[key])
        lines.append(element("tr", number, *cells, verdicts, data_row=str(row.number), data_key=named))
    table = element("table", element("thead", head), element("tbody", *lines), class_="tool rows")
    return scrolled(table, "Rows of the cell")


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)
