"""The explorer's own pages: files, columns, and the frame around a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from infoscope.core.markup import Html, counted, element, joined
from infoscope.errors import on_page
from infoscope.explorer.files import MAX_LISTED, SUFFIXES, ServedFolder
from infoscope.explorer.questions import ExploredColumns
from infoscope.explorer.verdicts import TruthErrors
from infoscope.readers.guess_columns import ColumnRoles
from infoscope.reports.html.elements import label, scrolled
from infoscope.reports.html.shell import page_style


def _own(name: str) -> str:
    return (files("infoscope.explorer") / name).read_text(encoding="utf-8")


CODE = _own("explorer.js")


@cache
def _style() -> str:
    return page_style() + _own("explorer.css")


def page_shell(title: str, *body: Html, class_: str = "") -> str:
    """A page of the explorer itself, with its style and its one script."""
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


def rejection_page(words: str) -> str:
    """Why something cannot be done, and the way back."""
    back = element("p", element("a", "to the files", href="./", target="_top"))  # it may stand in the frame
    return page_shell("Not possible", element("main", element("h1", "Not possible"), element("p", words), back))


def start_page(folder: ServedFolder, errors: Sequence[TruthErrors], *, has_runs: bool) -> str:
    """Drop a file, or choose one of the folder."""
    found = folder.listed()
    listed = [_file_line(folder.name_of(path), folder.name_of(path), path) for path in found[:MAX_LISTED]]
    dropped = [_file_line(name, title, folder.dropped / name) for name, title in folder.dropped_files.items()]
    pick = element("input", type="file", id="pick", accept=",".join(SUFFIXES), aria_label="Choose a file of rows")
    parts = [
        element("h1", "Which predictions?"),
        element("p", "Drop a file here, or choose one: ", pick, id="drop"),
        element("p", "", id="trouble", role="status"),
        *([element("h2", "Dropped or joined"), element("ul", *dropped, class_="files")] if dropped else []),
        element("h2", f"Files in {folder.root.name or folder.root}"),
        element("ul", *listed, class_="files") if listed else element("p", "There is no file of rows in this folder."),
    ]
    if len(found) > MAX_LISTED:
        words = f"These are the first {MAX_LISTED} files; start infoscope serve in a folder below to see the others."
        parts.append(element("p", words, class_="note"))
    if has_runs:
        parts += [
            element("h2", "Stored results"),
            element("p", element("a", "Runs over time", href="history")),
        ]
    if errors:
        parts += [element("h2", "Verdicts"), *(element("p", each.sentence()) for each in errors)]
    parts.append(
        element(
            "p", "The address of this window holds its key: a picture of it gives access to the folder.", class_="note"
        )
    )
    return page_shell("infoscope", element("main", *parts))


def _file_line(name: str, title: str, path: Path) -> Html:
    size = element("span", f" {_size(path.stat().st_size)}", class_="dim")
    return element("li", element("a", label(title, 100), href="columns?" + urlencode({"file": name})), size)


def _size(length: int) -> str:
    return f"{length / 1e6:,.1f} MB" if length >= 1e5 else f"{max(length / 1e3, 0.1):,.1f} kB"


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


def columns_page(
    file: tuple[str, str],
    rows: Mapping[str, Sequence[Any]],
    roles: ColumnRoles,
    segments: Sequence[str],
    *,
    others: Mapping[str, str],
    note: str = "",
) -> str:
    """What the columns are taken for, with reasons; everything can be changed.

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
    lines = {column: _column_line(column, values, held) for column, values in rows.items()}
    taken = [column for column in rows if any(column in names for names in held.values())] or list(rows)
    rest = [column for column in rows if column not in taken]
    form = [
        element("input", type="hidden", name="file", value=name),
        *([element("input", type="hidden", name="k", value=roles.key)] if roles.key else []),
        _column_table([lines[column] for column in taken], "Columns"),
    ]
    if rest:
        summary = element("summary", counted(len(rest), "more column"))
        form.append(element("details", summary, _column_table([lines[column] for column in rest], "More columns")))
    form += [_label_options(), element("p", element("button", "Evaluate", type="submit", class_="go"))]
    body = [
        element("p", element("a", "files", href="./")),
        element("h1", label(title, 60)),
        *([element("p", note, class_="note", role="status")] if note else []),
        *_said_of_columns(roles),
        element("form", *form, action="explore", method="get"),
        *_join_form(name, others, is_open=roles.truth is None and bool(roles.key)),
    ]
    return page_shell(title, element("main", *body))


def _said_of_columns(roles: ColumnRoles) -> list[Html]:
    """What is asked, and why columns are taken for what they are."""
    asked = on_page(roles.question or "")
    said = [element("p", f"{asked[:1].upper()}{asked[1:]}.", class_="warn", role="status")] if asked else []
    if roles.reasons:
        said.append(element("ul", *(element("li", on_page(reason)) for reason in roles.reasons), class_="reasons"))
    return said or [element("p", "No column stands out; please choose.")]


def _label_options() -> Html:
    """What labels mean, where they are not taken as they stand."""
    boxes = [
        element("p", element("label", element("input", type="checkbox", name="c", value=value), f" {words}"))
        for value, words in _CLEANINGS.items()
    ]
    words = {"r": "label that means “abstained” ", "y": "class that a score is about "}
    texts = [
        element("p", element("label", word, element("input", type="text", name=name, size="12")))
        for name, word in words.items()
    ]
    return element("details", element("summary", "How labels are read"), *boxes, *texts, class_="labels")


def _join_form(name: str, others: Mapping[str, str], *, is_open: bool) -> list[Html]:
    """The truth, or the predictions of another run, may be in another file of the folder."""
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


def _choice(name: str, group: str, kind: str, word: str, *, checked: bool) -> Html:
    about = {"checked": checked, "required": kind == "radio", "aria_label": f"{name} as {word}"}
    return element("input", type=kind, name=group, value=name, **about)


def _column_line(name: str, values: Sequence[Any], held: Mapping[str, set[str | None]]) -> Html:
    choices = [
        element("td", element("label", _choice(name, group, kind, word, checked=name in held[group]), class_="choice"))
        for group, word, kind in _ROLES
    ]
    first = " · ".join(str(value)[:24] for value in list(dict.fromkeys(values))[:3] if value is not None)
    return element("tr", element("th", label(name, 30), scope="row"), *choices, element("td", first, class_="dim"))


def _column_table(lines: Sequence[Html], name: str) -> Html:
    heads = ("column", *(word for _, word, _ in _ROLES), "first values")
    head = element("tr", *(element("th", word, scope="col") for word in heads))
    return scrolled(element("table", element("thead", head), element("tbody", *lines), class_="tool"), name)


@dataclass(frozen=True)
class ExplorerFrame:
    """What is around a page of the chosen columns: the ways to the others, and a sheet for rows below it."""

    columns: ExploredColumns
    kinds: tuple[str, ...]
    title: str
    """What the file is called."""
    state: str
    """That of the file when the page was made."""

    def around(self, content: Html, page_title: str, kind: str = "") -> str:
        """The whole page."""
        close = element("button", "close", type="button", id="close")
        about = {"aria_label": "Rows", "tabindex": "-1", "data_state": self.state}
        trouble = element("p", "", id="trouble", role="status")
        sheet = element("section", trouble, element("div", "", id="rows"), close, id="sheet", hidden=True, **about)
        head = element("h1", label(self.title, 40))
        bar = element("header", head, element("nav", *self._links(kind), aria_label="Pages"), class_="bar")
        return page_shell(page_title, bar, element("main", content), sheet, class_="explorer")

    def _links(self, shown: str) -> list[Html]:
        asked = self.columns.address
        links = [
            element("a", "files", href="./"),
            element("a", "columns", href="columns?" + urlencode({"file": self.columns.file})),
            *(_page_link(kind, asked, is_shown=kind == shown) for kind in self.kinds),
        ]
        if shown in _SAVED:
            address = f"report?{asked}&{urlencode({'kind': shown})}"
            links.append(element("a", "save the page", href=address, download=f"{shown}.html"))
        return links


_SAVED = ("evaluation", "comparison", "thresholds")
"""Pages that are files of their own, as the command writes them."""


def explorer_page(frame: ExplorerFrame, kind: str) -> str:
    """The unchanged report in a frame, and a sheet for rows below it."""
    title = f"Report on {frame.title}"
    shown = kind or next(iter(frame.kinds), "evaluation")
    asked = frame.columns.address + "&" + urlencode({"kind": shown})
    return frame.around(element("iframe", "", src=f"report?{asked}", title=title, name="report"), title, shown)


def history_page(root: Path) -> str:
    """The stored results of the folder over time, in a frame."""
    title = f"Runs over time in {root.name}"
    head = element("h1", label(root.name, 40))
    bar = element("header", head, element("nav", element("a", "files", href="./"), aria_label="Pages"), class_="bar")
    frame = element("iframe", "", src="report?kind=history", title=title, name="report")
    return page_shell(title, bar, element("main", frame), class_="explorer")


def _page_link(kind: str, asked: str, *, is_shown: bool) -> Html:
    address = f"changes?{asked}" if kind == "changes" else f"explore?{asked}&kind={kind}"
    return element("a", kind, href=address, aria_current="page" if is_shown else None)
