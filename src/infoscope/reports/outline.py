"""The content of a report, before anything decides how it looks: phrases, cells, blocks, sections, the outline.

A view (``reports/views/<study>.py``) turns a result into an ``Outline``: sentences, formatted cells and pictures. The
four renderers (``text``, ``markdown``, ``html/page``, ``notebook``) turn any outline into their form.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from infoscope.core.markup import cut_list
from infoscope.metrics.registry import Domain
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.notation import MetricNotation, Units
from infoscope.results.provenance import Provenance
from infoscope.typing import Json

if TYPE_CHECKING:
    from infoscope.figures.scene import Panel


@dataclass(frozen=True)
class Name:
    """A name that comes from the data: a system, a class, a file."""

    text: str
    most: int = 32
    """Characters shown where room is short; the whole name is kept where the form can."""
    short: str = ""
    """Text shown where room is short, where names side by side would be cut alike."""

    def __post_init__(self) -> None:
        """Quote a blank name: nobody sees it otherwise."""
        if not self.text.strip():
            object.__setattr__(self, "text", f"'{self.text}'")


@dataclass(frozen=True)
class Strong:
    """Words in bold."""

    text: str


@dataclass(frozen=True)
class Term:
    """A word that leads to the definition of a metric, where the form has definitions."""

    metric: str
    text: str


@dataclass(frozen=True)
class Code:
    """Something to type."""

    text: str


@dataclass(frozen=True)
class Rest:
    """The end of a list that is cut short, and the same with nothing left out, for text in full (-v)."""

    text: str
    every: str


Inline = str | Name | Strong | Term | Code | Rest
Phrase = Inline | tuple[Inline, ...]


def to_plain(phrase: Phrase) -> str:
    """Return the words of a phrase and nothing else."""
    if isinstance(phrase, tuple):
        return "".join(map(to_plain, phrase))
    return phrase if isinstance(phrase, str) else phrase.text


def list_names(names: Sequence[str], most: int = 5, width: int = 32) -> tuple[Inline, ...]:
    """List names from the data: "a, b and c", many of them cut short."""
    shown = [Name(name, width) for name in names[:most]]
    if len(names) <= most:
        return join_with_and(shown)
    every = f"{''.join(f', {name}' for name in names[most:-1])} and {names[-1]}"
    return (*join_phrases(shown, ", "), Rest(f" and {len(names) - most} more", every))


def join_with_and(parts: Sequence[Phrase]) -> tuple[Inline, ...]:
    """Join parts of a sentence: "a, b and c"."""
    if len(parts) < 2:
        return tuple(join_phrases(parts, ""))
    return (*join_phrases(parts[:-1], ", "), " and ", *join_phrases(parts[-1:], ""))


def shorten_reason(words: str | None) -> Phrase:
    """Return why a number is undefined, with a long list of classes cut short."""
    cut = cut_list(words or "")
    if not cut.others:
        return cut.first
    return cut.first, Rest(cut.more, "".join(f", {name}" for name in cut.others)), cut.after


def join_phrases(parts: Iterable[Phrase], between: str) -> list[Inline]:
    """Join parts of a phrase with something between each two."""
    joined: list[Inline] = []
    for part in parts:
        joined += [between] if joined else []
        joined += part if isinstance(part, tuple) else [part]
    return joined


@dataclass(frozen=True)
class ShareBar:
    """A share of the cell's width, with its number."""

    part: float
    text: str = ""
    role: str = "captured"
    """Which colour: captured, missed or false."""


@dataclass(frozen=True)
class Whisker:
    """A value with its interval on a common scale; only pages and notebooks draw it."""

    low: float | None
    value: float | None
    high: float | None
    scale: tuple[float, float] = (0.0, 1.0)
    text: ClassVar[str] = ""

    @classmethod
    def from_estimate(cls, estimate: Estimate) -> Whisker:
        """Make a whisker of the number that is shown, with its interval."""
        return cls(estimate.low, estimate.shown, estimate.high)


@dataclass(frozen=True)
class Groups:
    """Letters of the groups that a row belongs to, of this many in all; pages add a bar for each."""

    members: Sequence[int]
    total: int

    @property
    def text(self) -> str:
        """The letters."""
        return "".join(ascii_lowercase[member % 26] for member in self.members)


Cell = Phrase | ShareBar | Whisker | Groups
ALL_ROWS = sys.maxsize
MAX_FINDINGS = 3
"""Findings on the first screen; the others are folded, and in text and Markdown only in full."""


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    title: str
    kind: Literal["name", "number", "text", "bar", "whisker"] = "number"
    priority: int = 9
    """Priority of the column: where room is short, the lowest goes first."""
    metric: str | None = None
    """The metric whose definition the title leads to."""
    only: Literal["", "plain", "page"] = ""
    """``plain`` keeps it out of pages, where room is short, ``page`` out of all else."""
    folds: bool = False
    """True if a last column that does not fit goes below its rows in text, instead of being dropped."""


@dataclass(frozen=True)
class Row:
    """A row that is not like the others: marked, or tied to something on the page."""

    cells: Sequence[Cell]
    best: bool = False
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Data attributes for the page's script, by name without ``data-``."""


@dataclass(frozen=True)
class Table:
    """Rows under columns; the first column names the rows."""

    columns: Sequence[Column]
    rows: Sequence[Row | Sequence[Cell]]
    caption: str = ""
    """Content of the table, for screen readers."""
    title: str = ""
    """Words above it, where its section has several blocks."""
    note: Phrase = ""
    search: str = ""
    """Name of the rows, where a page offers to search, sort and copy them."""
    header: bool = True
    max_rows: int | None = None
    """Rows shown outside of pages unless all are asked for (``ALL_ROWS``); None leaves it to the form."""
    whole: bool = False
    """True if pages write every row, however many; else they pack those that only a search or a sort shows."""
    style: str = "values"
    """The page's style for it: values, fix, classes, forest or duels."""
    stacks: bool = False
    """True if phones set the cells of a row below each other, each with the title of its column."""

    @property
    def written(self) -> list[int]:
        """Places of the columns that need no drawing."""
        return [
            place for place, column in enumerate(self.columns) if column.kind != "whisker" and column.only != "page"
        ]

    @property
    def lines(self) -> list[Row]:
        """The rows, each as a ``Row``."""
        return [row if isinstance(row, Row) else Row(row) for row in self.rows]


@dataclass(frozen=True)
class Figure:
    """A picture; text and Markdown leave it out."""

    panel: Panel
    caption: Phrase = ""
    note: Phrase = ""
    style: str = "wide"
    """Layout: "series" keeps its size on a phone and scrolls, the newest first."""


_INFORMATION = ("missed_information", "mutual_information", "false_information")


@dataclass(frozen=True)
class InformationBar:
    """Missed, captured and false information to one scale, in bits or nats; every form can draw it."""

    missed: float
    captured: float
    false: float
    unit: str = "bits"
    shares: tuple[float, float] | None = None
    """Captured and false as fractions of the truth, where they are estimated: a mean of ratios is no ratio of means."""

    @classmethod
    def from_bits(
        cls, bits: Callable[[str], float | None], unit: Units, shares: tuple[float, float] | None = None
    ) -> InformationBar:
        """Make a bar in this unit from a function that returns the bits of a metric."""
        missed, captured, false = ((bits(name) or 0.0) * unit.per_bit for name in _INFORMATION)
        return cls(missed, captured, false, unit.name, shares)


@dataclass(frozen=True)
class Paragraph:
    """One paragraph; ``quiet`` ones are set smaller."""

    phrase: Phrase
    quiet: bool = False


@dataclass(frozen=True)
class Bullets:
    """Sentences, one per item."""

    items: Sequence[Phrase]
    rest: Sequence[Phrase] = ()
    """More of them, which only text in full (-v) has."""
    cut: str = ""
    """Text that replaces the rest elsewhere."""

    @property
    def shown(self) -> Sequence[Phrase]:
        """The items where the rest is left out."""
        return [*self.items, *([self.cut] if self.rest else [])]


@dataclass(frozen=True)
class Explorer:
    """A part of a page that a script moves: its markup is made by ``reports/html``, by name."""

    name: str
    content: Any
    """Result of which the markup is made."""


@dataclass(frozen=True)
class SideBySide:
    """Two groups of blocks next to each other where there is room, else one below the other."""

    left: Sequence[Block]
    right: Sequence[Block]


@dataclass(frozen=True)
class Section:
    """A heading, or none, and its blocks; a folded one is closed on pages, and in text and Markdown only in full."""

    heading: Phrase
    blocks: Sequence[Block | Section]
    anchor: str = ""
    """The name by which the page's navigation finds it; empty for parts of another section."""
    folded: bool = False
    link: str = ""
    """The words of the navigation; the heading where empty."""
    aside: str = ""
    """A few words beside the heading."""
    only: Literal["", "page", "plain"] = ""
    """Forms that show it: all, pages only, or all but pages."""
    advice: Literal["", "beside", "inside"] = ""
    """Place of "What to do" on pages: beside the section, or drawn by one of its blocks; else after the open ones."""


Block = Table | Figure | InformationBar | Paragraph | Bullets | Explorer | SideBySide


@dataclass(frozen=True)
class SystemValue:
    """A number of one of several systems, with its place on a scale from 0 to 1."""

    name: str
    number: str
    interval: str = ""
    low: float | None = None
    value: float | None = None
    high: float | None = None

    @classmethod
    def from_estimate(cls, name: str, estimate: Estimate, notation: MetricNotation) -> SystemValue:
        """Make it of the number that is shown, with its interval."""
        number, interval = notation.shown(estimate), notation.interval(estimate)
        return cls(name, number, interval, estimate.low, estimate.shown, estimate.high)


@dataclass(frozen=True)
class Tile:
    """One of the few numbers at the top of a report, at most five."""

    number: str
    word: Phrase
    interval: str = ""
    note: Phrase = ""
    """What to compare it with: chance, the most frequent class; or what it is about."""
    metric: str | None = None
    sample: str = ""
    """The value of the sample, where the number is a corrected one and differs."""
    systems: Sequence[SystemValue] = ()
    """The number of each of several systems, that of the tile first: a table in text, dots on a scale on pages."""
    baseline: float | None = None
    """Where the scale has a mark: the value that the note names."""
    bar: InformationBar | None = None
    """A thin line below the number, on pages only."""

    @classmethod
    def from_estimate(cls, estimate: Estimate, notation: MetricNotation, word: Phrase, note: Phrase = "") -> Tile:
        """Make a tile of a metric with its interval; the reason replaces the note where there is no number."""
        shown = note if estimate.undefined is None else shorten_reason(estimate.undefined)
        sample = notation.in_sample(estimate)
        return cls(notation.shown(estimate), word, notation.interval(estimate), shown, notation.metric, sample)

    @property
    def comparison(self) -> Phrase:
        """What stands beside the number: the note, or else the sample's value."""
        return self.note or (f"in this sample {self.sample}" if self.sample else "")


@dataclass(frozen=True)
class Appendix:
    """The end of every page: all values, definitions, method, provenance."""

    sections: Sequence[Section] = ()
    metrics: Sequence[str] = ()
    """Metrics whose definitions are given."""
    domain: Domain = "table"
    """Subject of the metrics."""
    method: Sequence[Phrase] = ()
    """Sentences on how the numbers were made and what they do not say."""


@dataclass(frozen=True)
class Outline:
    """A whole report: the verdict, the numbers, why, what to do; everything else is folded."""

    title: str
    """For the window's title and the file."""
    kicker: Sequence[Phrase]
    """Facts about what was evaluated, in a few words each."""
    headline: Phrase
    lede: Sequence[Phrase] = ()
    """The sentences a reader should know next."""
    hero: Sequence[Block] = ()
    """Blocks beside the headline, above the tiles."""
    tiles: Sequence[Tile] = ()
    system_word: str = "system"
    """What the numbers are of, where tiles have those of several: a system, or a column that splits the rows."""
    tile_heads: tuple[str, str, str] = ("value", "95% interval", "")
    """Titles of the columns of the tiles in text and Markdown; the last one is "compare with" where notes do that."""
    findings: Sequence[tuple[str, Finding]] = ()
    """Findings about parts of the result, each with the part's name, the most useful first: "What to do"."""
    minor_findings: Sequence[tuple[str, Finding]] = ()
    """Findings about what nobody would choose: in a fold of pages, and in text and Markdown in full."""
    stated: Sequence[str] = ()
    """Codes of the result's findings that the headline states already."""
    sections: Sequence[Section] = ()
    more: str = "-v everything else · -o page.html"
    """The last line of text that is not in full: where to find the rest."""
    footnotes: Sequence[Phrase] = ()
    """Sentences at the end of text and Markdown in full, in a page's method."""
    appendix: Appendix = field(default_factory=Appendix)
    provenance: Provenance = field(default_factory=Provenance)
    script: str = ""
    """The page's own script beside those of every page."""
    data: Mapping[str, Json] = field(default_factory=dict)
    """Data that the page's scripts read, by name; ``data`` is the result for the downloads."""

    @property
    def advice_heading(self) -> str:
        """Heading of the findings."""
        shown = [finding for _, finding in self.findings[:MAX_FINDINGS]]
        return "What to do" if any(finding.action or finding.command for finding in shown) else "Findings"
