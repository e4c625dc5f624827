"""Example rows of the confused pairs of a system, one table per pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from infoscope.evaluation import CellExamples, SystemResult
from infoscope.reports.numbers import amount, share
from infoscope.reports.outline import Block, Cell, Column, Name, Paragraph, Phrase, Section, Table
from infoscope.results.codec import Json

__all__ = ["example_blocks", "example_heading", "examples_section"]

MAX_PAIRS = 5
"""Pairs shown outside of pages."""
SHOWN_CHARACTERS = 80


def examples_section(systems: Sequence[SystemResult]) -> list[Section]:
    """The most frequent confused pairs of each system with their rows, for text and Markdown."""
    several = len(systems) > 1
    parts: list[Section] = []
    for system in systems:
        shown = [Section(example_heading(cell), list(example_blocks(cell))) for cell in system.examples[:MAX_PAIRS]]
        if shown:
            heading: Phrase = ("Example rows of ", Name(system.title)) if several else "Example rows"
            parts.append(Section(heading, shown, only="plain"))
    return parts


def example_blocks(cell: CellExamples) -> Iterator[Block]:
    """The rows of a pair, and where they come from."""
    origin = example_origin(cell)
    if origin is not None:
        yield Paragraph(origin, quiet=True)
    yield example_table(cell)


def example_heading(cell: CellExamples) -> Phrase:
    """Which pair, and how many of its rows are shown."""
    whole = len(cell.rows) >= cell.count
    number = f"all {amount(cell.count)}" if whole else f"{len(cell.rows)} of {amount(cell.count)}"
    shown = "1 row" if cell.count == 1 else f"{number} rows"
    return ("true ", Name(cell.truth), ", predicted ", Name(cell.system), f": {shown}")


def example_origin(cell: CellExamples) -> Phrase | None:
    """In which groups the pair is more frequent than elsewhere; None where no group was looked at."""
    if not cell.searched:
        return None
    if not cell.segments:
        return ("In no group of ", *_listed(cell.searched), " more often than elsewhere.")
    parts: list[Name | str] = []
    for at, each in enumerate(cell.segments):
        parts += ["; " if at else "More often where ", Name(each.column), " is ", Name(each.value)]
        parts.append(f": {share(each.rate)} of the true class, elsewhere {share(each.elsewhere)}")
    return (*parts, ".")


def _listed(names: Sequence[str]) -> list[Name | str]:
    found: list[Name | str] = []
    for at, name in enumerate(names):
        found += [", " if at else "", Name(name)]
    return found


def example_table(cell: CellExamples) -> Table:
    """The rows of one pair, by their number in the source; rows of a cluster have none, and count from 1 here."""
    names = list(dict.fromkeys(name for row in cell.rows for name in row.values))
    columns = [Column("row", "name"), *(Column(name, "text", folds=True) for name in names)]
    rows: list[Sequence[Cell]] = [
        (f"{place if example.row is None else example.row:,}", *(_text(example.values.get(name)) for name in names))
        for place, example in enumerate(cell.rows, 1)
    ]
    return Table(columns, rows, "Rows drawn at random", max_rows=len(rows), whole=True, style="values rows")


def _text(value: Json) -> Cell:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "–" if value is None else Name(str(value), SHOWN_CHARACTERS)
