"""A table of a paper with our value in brackets behind each printed one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from infoscope.metrics.registry import find
from infoscope.tables import Contingency
from tests.papers.printed import Printed

__all__ = ["GLUE", "Comparison", "Picture", "Section", "of_metrics", "value_cell"]

GLUE = "\u00a0"
MISSED = f"{GLUE}✗"
"""Behind a value that is not within half of the last printed digit."""


@dataclass(frozen=True)
class Comparison:
    """Rows of cells that say "printed (ours)"."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def lines(self) -> Iterator[str]:
        """The table in Markdown, under its title."""
        yield f"### {self.title}\n"
        if self.note:
            yield f"{self.note}\n"
        yield f"| {' | '.join(self.head)} |"
        yield "|---|" + "---:|" * (len(self.head) - 1)
        yield from (f"| {' | '.join(row)} |" for row in self.rows)
        yield ""


@dataclass(frozen=True)
class Picture:
    """A picture of the gallery that shows what a figure of the paper shows."""

    file: str
    title: str
    note: str = ""
    """How it was drawn, where the paper's data are not printed."""


Section = Comparison | Picture


def value_cell(printed: str, ours: float, scale: int = 1) -> str:
    """Write a number as printed, with ours to one digit more, on one line.

    >>> [value_cell(*each).split(GLUE) for each in (("0.574", 0.573557), ("0.855", 0.8556), ("50/60", 5 / 6))]
    [['0.574', '(0.5736)'], ['0.855', '(0.8556)', '✗'], ['50/60', '(0.8333)']]
    """
    number = Printed("", "", printed, scale)
    near = abs(ours - number.value) <= number.tolerance
    decimals = 4 if "/" in printed else len(printed.partition(".")[2]) + 1
    return f"{printed}{GLUE}({scale * ours:.{decimals}f}){'' if near else MISSED}"


def of_metrics(
    pages: Mapping[str, Mapping[str, str]],
    tables: Mapping[str, Contingency],
    named: Callable[[str], str] = str,
    scale: int = 1,
) -> list[list[str]]:
    """One row per table, one column per metric; ours alone where no number is printed, or none is known."""
    rows = []
    for name, table in tables.items():
        ours = {metric: float(find(metric).score(table)) for metric in pages}
        cells = [
            value_cell(page[name], ours[metric], scale) if name in page else f"({scale * ours[metric]:.4f})"
            for metric, page in pages.items()
        ]
        rows.append([named(name), *cells])
    return rows
