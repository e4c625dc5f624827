"""Draw the explorer's own pages: files, columns, the frame around a report, changed predictions, the sheet of rows.

Reports inside the frame are the unchanged pages of ``reports/html``. Functions return the text of a page or of a part
of one; ``server.py`` calls them with what it has read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from infoscope.core.markup import Html, element, join_markup, pluralize
from infoscope.errors import on_page
from infoscope.explorer.folder import MAX_LISTED, SUFFIXES, ExploredColumns, ServedFolder
from infoscope.explorer.verdicts import TruthErrors
from infoscope.readers.cell_rows import (
    CellPage,
    CellQuery,
    Change,
    ChangedPredictions,
    ChangeQuery,
    RowsQuery,
    classify_change,
)
from infoscope.readers.columns import ColumnRoles, column_names
from infoscope.reports.html.page import draw_label, read_style, wrap_scrolling

CODE = (files("infoscope.explorer") / "explorer.js").read_text(encoding="utf-8")
_STYLE = (files("infoscope.explorer") / "explorer.css").read_text(encoding="utf-8")


def draw_page(title: str, *body: Html, class_: str = "") -> str:
    """Draw a page of the explorer itself, with its style and its one script."""
    head = join_markup(
        (
            Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">'),
            Html('<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'),
            element("title", title),
            Html(f"<style>{read_style()}{_STYLE}</style>"),
        )
    )
    inside = join_markup((*body, Html(f"<script>{CODE}</script>")))
    return (
        f"<!doctype html>{element('html', element('head', head), element('body', inside, class_=class_), lang='en')}\n"
    )


def draw_rejection_page(words: str) -> str:
    """Draw a page that says why something cannot be done, with the way back."""
    back = element("p", element("a", "to the files", href="./", target="_top"))  # it may stand in the frame
    return draw_page("Not possible", element("main", element("h1", "Not possible"), element("p", words), back))


def draw_start_page(folder: ServedFolder, errors: Sequence[TruthErrors], *, has_runs: bool) -> str:
    """Draw the page on which a file is dropped or chosen."""
    present = folder.list_files()
    listed = [_draw_file(folder.name_of(path), folder.name_of(path), path) for path in present[:MAX_LISTED]]
    dropped = [_draw_file(name, title, folder.dropped / name) for name, title in folder.dropped_files.items()]
    pick = element("input", type="file", id="pick", accept=",".join(SUFFIXES), aria_label="Choose a file of rows")
    parts = [
        element("h1", "Which predictions?"),
        element("p", "Drop a file here, or choose one: ", pick, id="drop"),
        element("p", "", id="trouble", role="status"),
        *([element("h2", "Dropped or joined"), element("ul", *dropped, class_="files")] if dropped else []),
        element("h2", f"Files in {folder.root.name or folder.root}"),
        element("ul", *listed, class_="files") if listed else element("p", "There is no file of rows in this folder."),
    ]
    if len(present) > MAX_LISTED:
        words = f"These are the first {MAX_LISTED} files; start infoscope serve in a folder below to see the others."
        parts.append(element("p", words, class_="note"))
    if has_runs:
        parts += [
            element("h2", "Stored results"),
            element("p", element("a", "Runs over time", href="history")),
        ]
    if errors:
        parts += [element("h2", "Verdicts"), *(element("p", error.sentence()) for error in errors)]
    parts.append(
        element(
            "p", "The address of this window holds its key: a picture of it gives access to the folder.", class_="note"
        )
    )
    return draw_page("infoscope", element("main", *parts))


def _draw_file(name: str, title: str, path: Path) -> Html:
    length = path.stat().st_size
    size = f"{length / 1e6:,.1f} MB" if length >= 1e5 else f"{max(length / 1e3, 0.1):,.1f} kB"
    link = element("a", draw_label(title, 100), href="columns?" + urlencode({"file": name}))
    return element("li", link, element("span", f" {size}", class_="dim"))


_ROLES = (
    ("t", "truth", "radio"),
    ("s", "predictions", "checkbox"),
    ("p", "score", "checkbox"),
    ("b", "segment", "checkbox"),
    ("w", "weight", "checkbox"),
)
_CLEANINGS = {
    "strip": "spaces around labels do not count",
    "casefold": "upper and lower case are the same",
    "number": "1.0 and 1 are the same",
}


def draw_columns_page(
    file: tuple[str, str],
    rows: Mapping[str, Sequence[Any]],
    roles: ColumnRoles,
    segments: Sequence[str],
    *,
    others: Mapping[str, str],
    note: str = "",
) -> str:
    """Draw the page that says what columns are taken for, with reasons; everything can be changed.

    ``file`` is the name by which it is asked for and what it is called, ``others`` are the same of files whose columns
    can be joined, ``note`` says what was joined.
    """
    name, title = file
    held: dict[str, set[str | None]] = {
        "t": {roles.truth},
        "s": set(roles.systems),
        "p": set(roles.scores),
        "b": set(segments),
        "w": set(),
    }
    lines = {column: _draw_column(column, values, held) for column, values in rows.items()}
    taken = [column for column in rows if any(column in names for names in held.values())] or list(rows)
    rest = [column for column in rows if column not in taken]
    form = [
        element("input", type="hidden", name="file", value=name),
        *([element("input", type="hidden", name="k", value=roles.key)] if roles.key else []),
        _draw_columns([lines[column] for column in taken], "Columns"),
    ]
    if rest:
        summary = element("summary", pluralize(len(rest), "more column"))
        form.append(element("details", summary, _draw_columns([lines[column] for column in rest], "More columns")))
    # what labels mean, where they are not taken as they stand
    boxes = [
        element("p", element("label", element("input", type="checkbox", name="c", value=value), f" {words}"))
        for value, words in _CLEANINGS.items()
    ]
    texts = [
        element("p", element("label", words, element("input", type="text", name=letter, size="12")))
        for letter, words in (("r", "label that means “abstained” "), ("y", "class that a score is about "))
    ]
    form.append(element("details", element("summary", "How labels are read"), *boxes, *texts, class_="labels"))
    form.append(element("p", element("button", "Evaluate", type="submit", class_="go")))
    question = on_page(roles.question or "")
    asked = [element("p", f"{question[:1].upper()}{question[1:]}.", class_="warn", role="status")] if question else []
    if roles.reasons:
        asked.append(element("ul", *(element("li", on_page(reason)) for reason in roles.reasons), class_="reasons"))
    body = [
        element("p", element("a", "files", href="./")),
        element("h1", draw_label(title, 60)),
        *([element("p", note, class_="note", role="status")] if note else []),
        *(asked or [element("p", "No column stands out; please choose.")]),
        element("form", *form, action="explore", method="get"),
        *_draw_join_form(name, others, is_open=roles.truth is None and bool(roles.key)),
    ]
    return draw_page(title, element("main", *body))


def _draw_join_form(name: str, others: Mapping[str, str], *, is_open: bool) -> list[Html]:
    """Draw the choice of another file that may hold the truth, or the predictions of another run."""
    if not others:
        return []
    chosen = element(
        "select", *(element("option", title, value=other) for other, title in others.items()), name="other"
    )
    form = element(
        "form",
        element("input", type="hidden", name="file", value=name),
        element("p", element("label", "A file with the same rows: ", chosen), " ", element("button", "its columns")),
        action="join",
        method="get",
    )
    words = "Add the truth, or the predictions of another run, from another file"
    return [element("details", element("summary", words), form, open=is_open)]


def _draw_column(name: str, values: Sequence[Any], held: Mapping[str, set[str | None]]) -> Html:
    choices = []
    for group, word, kind in _ROLES:
        about = {"checked": name in held[group], "required": kind == "radio", "aria_label": f"{name} as {word}"}
        box = element("input", type=kind, name=group, value=name, **about)
        choices.append(element("td", element("label", box, class_="choice")))
    first = " · ".join(str(value)[:24] for value in list(dict.fromkeys(values))[:3] if value is not None)
    return element("tr", element("th", draw_label(name, 30), scope="row"), *choices, element("td", first, class_="dim"))


def _draw_columns(lines: Sequence[Html], name: str) -> Html:
    heads = ("column", *(word for _, word, _ in _ROLES), "first values")
    head = element("tr", *(element("th", word, scope="col") for word in heads))
    return wrap_scrolling(element("table", element("thead", head), element("tbody", *lines), class_="tool"), name)


def draw_join_page(folder: ServedFolder, name: str, other: str) -> str:
    """Draw the form that asks which column of the other file is added, and by which key."""
    title, other_title = folder.title(name), folder.title(other)
    here, there = (column_names(str(folder.path(file))) for file in (name, other))
    both = [column for column in here if column in there]
    link = element("a", "columns of ", draw_label(title, 60), href="columns?" + urlencode({"file": name}))
    back = element("p", element("a", "files", href="./"), " · ", link)
    if not both:
        words = element("p", f"{title} and {other_title} share no column that could join them.", class_="warn")
        return draw_page("Not possible", element("main", element("h1", "Not possible"), words, back))
    hidden = [
        element("input", type="hidden", name=key, value=value) for key, value in (("file", name), ("other", other))
    ]
    columns = [column for column in there if column != both[0]]
    form = element(
        "form",
        *hidden,
        element("p", _draw_select("key", "Rows are the same where they agree in ", both)),
        element("p", _draw_select("column", f"Add from {other_title} the column ", columns or there)),
        element("p", element("button", "Add it", type="submit", class_="go")),
        action="join",
        method="get",
    )
    head = element("h1", "A column of ", draw_label(other_title, 60))
    return draw_page(title, element("main", back, head, form))


def _draw_select(name: str, word: str, values: Sequence[str]) -> Html:
    return element(
        "label", word, element("select", *(element("option", value, value=value) for value in values), name=name)
    )


MAX_CELLS = 100
"""Combinations of labels that are listed, the most frequent ones."""
_WORDS: dict[Change, str] = {
    "worse": "right before, wrong now",
    "better": "wrong before, right now",
    "both wrong": "wrong before, wrong in another way now",
}


def draw_changes_page(frame: ExplorerFrame, changes: ChangedPredictions) -> str:
    """Draw the page of what changed between two systems: counts that open their rows in the sheet."""
    pair = {"before": changes.before, "after": changes.after}
    changed = sum(changes.cells.values())
    head = element(
        "h2",
        "From ",
        element("bdi", changes.before),
        " to ",
        element("bdi", changes.after),
        f": {changed:,} of {changes.rows:,} predictions changed",
    )
    kinds_of = [
        element("li", _open_button(f"{changes.count(change):,}", {**pair, "change": change}, words), f" {words}")
        for change, words in _WORDS.items()
        if changes.count(change)
    ]
    # the choice of the two systems
    columns = frame.columns
    hidden = [element("input", type="hidden", name=name, value=value) for name, value in columns.fields()]
    chosen = [
        element(
            "label",
            f"{word} ",
            element(
                "select",
                *(element("option", system, value=system, selected=system == now) for system in columns.systems),
                name=name,
            ),
        )
        for name, word, now in (("before", "from", changes.before), ("after", "to", changes.after))
    ]
    go = element("button", "show", type="submit")
    choice = element("form", *hidden, *chosen, go, action="changes", method="get", class_="tools")
    parts = [choice, head]
    if changed:
        parts += [element("ul", *kinds_of, class_="changes"), _draw_changes(changes, pair)]
        if len(changes.cells) > MAX_CELLS:
            parts.append(
                element("p", f"The {MAX_CELLS} most frequent of {len(changes.cells):,} changes.", class_="note")
            )
    else:
        parts.append(element("p", "Every row has the same prediction in both."))
    return frame.surround(element("div", *parts, class_="own"), f"Changes in {frame.title}", "changes")


def _open_button(text: str, cell: dict[str, str], about: str) -> Html:
    """Draw a count that opens its rows."""
    data = {f"data_{name}": value for name, value in cell.items()}
    return element("button", text, type="button", class_="open-rows", aria_label=f"{text} rows: {about}", **data)


def _draw_changes(changes: ChangedPredictions, pair: dict[str, str]) -> Html:
    heads = ("true class", f"before: {changes.before}", f"now: {changes.after}", "what changed", "rows")
    lines = []
    for labels, count in list(changes.cells.items())[:MAX_CELLS]:
        change = classify_change(labels)
        if change is None:
            continue
        truth, before, after = labels
        cell = {**pair, "change": change, "truth": truth, "first": before, "predicted": after, "system": changes.after}
        opener = _open_button(f"{count:,}", cell, f"true {truth}, {before} before, {after} now")
        names = [element("td", draw_label(name, 40)) for name in (before, after)]
        lines.append(
            element(
                "tr",
                element("th", draw_label(truth, 40), scope="row"),
                *names,
                element("td", _WORDS[change]),
                element("td", opener),
            )
        )
    head = element("tr", *(element("th", draw_label(word, 40), scope="col") for word in heads))
    return wrap_scrolling(element("table", element("thead", head), element("tbody", *lines), class_="tool"), "Changes")


def draw_sheet(
    page: CellPage, query: RowsQuery, columns: ExploredColumns, verdicts: Mapping[int, str], *, is_old: bool = False
) -> str:
    """Draw the rows of a query: where they come from, in which order, and the verdict on each.

    ``verdicts`` are those given before, by the number of their row; ``is_old`` says that the file has changed since its
    report was made.
    """
    weight = "" if page.weight is None else f", together {page.weight:,.6g}"
    parts = [element("h2", *_describe_query(query), f": {pluralize(page.total, 'row')}{weight}")]
    if is_old:
        again = element("a", "Evaluate it anew", href=f"explore?{columns.address}")
        words = "The file has changed since this report was made. "
        parts.append(element("p", words, again, ".", class_="warn", role="status"))
    if page.total:
        # the ways to other rows, and how many are shown
        orders = {"random": "at random"}
        if query.score:
            orders |= {"most confident": "most confident first", "least confident": "least confident first"}
        tools = [
            element("button", word, type="button", data_order=name, aria_pressed=str(query.order == name).lower())
            for name, word in orders.items()
        ]
        about = {"placeholder": "search", "aria_label": "Search the rows"}
        tools.append(element("input", type="search", id="find", value=query.search, **about))
        if page.matches > len(page.rows):
            tools.append(element("button", "other rows", type="button", id="again"))
        shown = f"{len(page.rows)} shown" + (f" of {page.matches:,} found" if query.search else "")
        parts.append(element("p", *tools, element("span", shown, class_="dim"), class_="tools"))
    parts += _describe_segments(page, query)
    parts.append(_draw_rows(page, query, columns.key, verdicts) if page.rows else element("p", "No row has this."))
    return join_markup(parts)


def _describe_query(query: RowsQuery) -> tuple[object, ...]:
    if isinstance(query, CellQuery):
        other = "another class" if query.predicted is None else element("bdi", query.predicted)
        what = (element("bdi", query.true_label), " predicted as ", other)
        return "True ", *what, " by ", element("bdi", query.system)
    pair = (" from ", element("bdi", query.before), " to ", element("bdi", query.after))
    words = {"better": "Better", "worse": "Worse", "both wrong": "Wrong in another way"}
    if query.cell is None:
        return words[query.change], *pair
    truth, first, second, before, after = (element("bdi", name) for name in (*query.cell, query.before, query.after))
    return "True ", truth, ", predicted as ", first, " by ", before, " and as ", second, " by ", after


def _describe_segments(page: CellPage, query: RowsQuery) -> list[Html]:
    """Say in which segments the cell is more frequent than elsewhere."""
    if not query.by or not page.total:
        return []
    if not page.segments:
        return [element("p", f"In no group of {', '.join(query.by)} more often than elsewhere.", class_="note")]
    whole = "all rows"
    if isinstance(query, CellQuery):
        whole = f"true {query.true_label}"
    elif isinstance(query, ChangeQuery) and query.cell:
        whole = f"true {query.cell[0]}"
    return [
        element(
            "p",
            "More often where ",
            element("b", f"{segment.column} is {segment.value}"),
            f": {segment.rate:.1%} of {whole} ({segment.count:,} of {segment.rows:,}), ",
            f"elsewhere {segment.elsewhere:.1%}.",
            class_="note",
        )
        for segment in page.segments
    ]


_VERDICT_WORDS = ("prediction wrong", "truth wrong", "unclear")


def _draw_rows(page: CellPage, query: RowsQuery, key: str | None, verdicts: Mapping[int, str]) -> Html:
    """Draw a line for each row, long texts first; on a phone each becomes a card."""
    size = {name: max(len(_format_value(row.values[name])) for row in page.rows[:9]) for name in page.columns}
    order = sorted(page.columns, key=lambda name: (name not in query.varying, name != query.score, -size[name]))
    judged = isinstance(query, CellQuery) or not query.varying  # a verdict is about one true label and one prediction
    others = query.system if isinstance(query, CellQuery) and query.predicted is None else None
    heads = ["row", *order, *(["verdict"] if judged else [])]
    head = element("tr", *(element("th", draw_label(name, 24), scope="col") for name in heads))
    lines = []
    for row in page.rows:
        cells = [
            element(
                "td",
                draw_label(_format_value(row.values[name]), 200),
                data_name=name,
                class_="long" if size[name] > 20 else "short",
            )
            for name in order
        ]
        number = element("th", "" if row.number is None else f"{row.number:,}", scope="row", data_name="row")
        given = verdicts.get(row.number or 0)
        buttons = [
            element("button", word, type="button", data_verdict=word, aria_pressed="true" if word == given else None)
            for word in _VERDICT_WORDS
        ]
        verdict = element("td", element("span", *buttons, class_="verdicts"), class_="verdict")
        named = None if key is None or row.values.get(key) is None else str(row.values[key])
        lines.append(
            element(
                "tr",
                number,
                *cells,
                *([verdict] if judged else []),
                data_row=str(row.number),
                data_key=named,
                data_predicted=None if others is None else _format_value(row.values[others]),
            )
        )
    table = element("table", element("thead", head), element("tbody", *lines), class_="tool rows")
    return wrap_scrolling(table, "Rows of the cell")


def _format_value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)


@dataclass(frozen=True)
class ExplorerFrame:
    """The frame around a page of the chosen columns: links to the others, and a sheet for rows below it."""

    columns: ExploredColumns
    kinds: tuple[str, ...]
    title: str
    """Name of the file."""
    state: str
    """That of the file when the page was made."""

    def surround(self, content: Html, page_title: str, kind: str = "") -> str:
        """Return the page with this content."""
        close = element("button", "close", type="button", id="close")
        about = {"aria_label": "Rows", "tabindex": "-1", "data_state": self.state}
        trouble = element("p", "", id="trouble", role="status")
        sheet = element("section", trouble, element("div", "", id="rows"), close, id="sheet", hidden=True, **about)
        head = element("h1", draw_label(self.title, 40))
        query = self.columns.address
        links = [
            element("a", "files", href="./"),
            element("a", "columns", href="columns?" + urlencode({"file": self.columns.file})),
        ]
        for other in self.kinds:
            address = f"changes?{query}" if other == "changes" else f"explore?{query}&kind={other}"
            links.append(element("a", other, href=address, aria_current="page" if other == kind else None))
        if kind in _SAVED:
            address = f"report?{query}&{urlencode({'kind': kind})}"
            links.append(element("a", "save the page", href=address, download=f"{kind}.html"))
        bar = element("header", head, element("nav", *links, aria_label="Pages"), class_="bar")
        return draw_page(page_title, bar, element("main", content), sheet, class_="explorer")


_SAVED = ("evaluation", "comparison", "thresholds")
"""Pages that are files of their own, as the command writes them."""


def draw_report_page(frame: ExplorerFrame, kind: str) -> str:
    """Draw the unchanged report in a frame, with a sheet for rows below it."""
    title = f"Report on {frame.title}"
    shown = kind or next(iter(frame.kinds), "evaluation")
    query = frame.columns.address + "&" + urlencode({"kind": shown})
    return frame.surround(element("iframe", "", src=f"report?{query}", title=title, name="report"), title, shown)


def draw_history_page(root: Path) -> str:
    """Draw the stored results of the folder over time, in a frame."""
    title = f"Runs over time in {root.name}"
    head = element("h1", draw_label(root.name, 40))
    bar = element("header", head, element("nav", element("a", "files", href="./"), aria_label="Pages"), class_="bar")
    frame = element("iframe", "", src="report?kind=history", title=title, name="report")
    return draw_page(title, bar, element("main", frame), class_="explorer")
