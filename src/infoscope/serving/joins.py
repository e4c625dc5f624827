"""A column of another file beside the rows of one: the truth that lies elsewhere, or predictions of another run."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from infoscope.markup import Html, element
from infoscope.readers.column_names import column_names
from infoscope.readers.truth_join import joined_truth
from infoscope.reports.html.elements import label
from infoscope.serving.files import removed_on_failure
from infoscope.serving.pages import page_shell

__all__ = ["join_page", "joined_file"]


def joined_file(path: Path, other: Path, key: str, column: str, target: Path) -> str:
    """Write the rows of a file with a column of another as Parquet; says how they met."""
    with joined_truth(str(path), str(other), key=key, truth=column) as rows:
        with removed_on_failure(target):
            shutil.copyfile(rows.files.paths[0], target)
        counts, found = rows.counts, rows.counts.rows - rows.counts.without_key - rows.counts.unmatched_rows
        trouble = counts.contradictory_keys
        more = f"; {trouble:,} keys have several values there, and none is taken" if trouble else ""
        unused = f"; {counts.unused_keys:,} keys there belong to no row" if counts.unused_keys else ""
        return f"{found:,} of {counts.rows:,} rows found {column} of {other.name} by {key}{unused}{more}."


def join_page(name: str, path: Path, other: str, other_path: Path) -> str:
    """Which column of the other file, and by which key."""
    here, there = column_names(str(path)), column_names(str(other_path))
    both = [column for column in here if column in there]
    if not both:
        words = element("p", f"{name} and {other} share no column that could join them.", class_="warn")
        return page_shell("Not possible", element("main", element("h1", "Not possible"), words, _back()))
    hidden = [
        element("input", type="hidden", name=key, value=value) for key, value in (("file", name), ("other", other))
    ]
    columns = [column for column in there if column != both[0]]
    form = element(
        "form",
        *hidden,
        element("p", _select("key", "Rows are the same where they agree in ", both)),
        element("p", _select("column", f"Add from {other} the column ", columns or there)),
        element("p", element("button", "Add it", type="submit", class_="go")),
        action="join",
        method="get",
    )
    return page_shell(name, element("main", _back(), element("h1", "A column of ", label(other, 60)), form))


def _back() -> Html:
    return element("p", element("a", "files", href="./"))


def _select(name: str, word: str, values: Sequence[str]) -> Html:
    return element(
        "label", word, element("select", *(element("option", value, value=value) for value in values), name=name)
    )
