"""A column of another file beside the rows of one: the truth that lies elsewhere, or predictions of another run."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from infoscope.core.markup import Html, element
from infoscope.explorer.files import ServedFolder, file_state, removed_on_failure
from infoscope.explorer.pages import page_shell
from infoscope.readers.first_rows import column_names
from infoscope.readers.truth_join import JoinedRows, joined_truth
from infoscope.reports.html.elements import label


@dataclass
class JoinedFiles:
    """Files that were joined among the dropped ones: each once, however often its page is loaded."""

    notes: dict[str, str] = field(default_factory=dict)
    """How the rows met, by the name of the joined file."""
    _made: dict[tuple[str, ...], str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def file(self, folder: ServedFolder, name: str, other: str, key: str, column: str) -> str:
        """The name of the file with the rows of one and a column of another, made where it is not there yet."""
        path, other_path = folder.path(name), folder.path(other)
        asked = (str(path), file_state(path), str(other_path), file_state(other_path), key, column)
        with self._lock:
            if asked not in self._made:
                target = folder.new_file(".parquet", f"{folder.title(name)} with {folder.title(other)}")
                with joined_truth(str(path), str(other_path), key=key, truth=column) as rows:
                    with removed_on_failure(target):
                        shutil.copyfile(rows.files.paths[0], target)
                    self.notes[target.name] = _note(rows, folder.title(other))
                self._made[asked] = target.name
            return self._made[asked]


def _note(rows: JoinedRows, other: str) -> str:
    """How the two files met."""
    counts, found = rows.counts, rows.counts.rows - rows.counts.without_key - rows.counts.unmatched_rows
    parts = [f"{found:,} of {counts.rows:,} rows found {rows.label} of {other} by {rows.key}"]
    parts += [part.replace("true label", "label") for part in rows.troubles]  # it may be predictions
    return "; ".join(parts) + "."


def join_page(folder: ServedFolder, name: str, other: str) -> str:
    """Which column of the other file, and by which key."""
    title, other_title = folder.title(name), folder.title(other)
    here, there = (column_names(str(folder.path(file))) for file in (name, other))
    both = [column for column in here if column in there]
    if not both:
        words = element("p", f"{title} and {other_title} share no column that could join them.", class_="warn")
        return page_shell("Not possible", element("main", element("h1", "Not possible"), words, _back(name, title)))
    hidden = [
        element("input", type="hidden", name=key, value=value) for key, value in (("file", name), ("other", other))
    ]
    columns = [column for column in there if column != both[0]]
    form = element(
        "form",
        *hidden,
        element("p", _select("key", "Rows are the same where they agree in ", both)),
        element("p", _select("column", f"Add from {other_title} the column ", columns or there)),
        element("p", element("button", "Add it", type="submit", class_="go")),
        action="join",
        method="get",
    )
    head = element("h1", "A column of ", label(other_title, 60))
    return page_shell(title, element("main", _back(name, title), head, form))


def _back(name: str, title: str) -> Html:
    columns = element("a", "columns of ", label(title, 60), href="columns?" + urlencode({"file": name}))
    return element("p", element("a", "files", href="./"), " · ", columns)


def _select(name: str, word: str, values: Sequence[str]) -> Html:
    return element(
        "label", word, element("select", *(element("option", value, value=value) for value in values), name=name)
    )
