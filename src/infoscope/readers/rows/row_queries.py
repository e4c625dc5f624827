"""What rows are asked for behind the numbers: those of a cell, or those that two systems predict differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

from infoscope.errors import InputError
from infoscope.readers.labels import Cleaning
from infoscope.readers.rows.row_samples import SampledRow
from infoscope.readers.rows.segments import CellSegment

__all__ = [
    "CellPage",
    "CellQuery",
    "Change",
    "ChangeQuery",
    "CountedLabels",
    "KnownCounts",
    "LabelledSource",
    "Order",
    "RowsQuery",
    "SegmentCounts",
]

Order = Literal["random", "most confident", "least confident"]
Change = Literal["better", "worse", "both wrong"]
MAX_ROWS = 200


@dataclass(frozen=True, kw_only=True)
class RowsQuery:
    """Which of the rows that fit are shown, and how their labels are read."""

    order: Order = "random"
    score: str | None = None
    """The column that says how sure a prediction is, for an order by it."""
    seed: int = 0
    search: str = ""
    limit: int = 50
    by: tuple[str, ...] = ()
    """Columns whose values are looked at as segments."""
    weight: str | None = None
    """Rows without a weight are not counted, so that they are not shown either."""
    clean: Cleaning = ()

    def __post_init__(self) -> None:
        """Reject what cannot be asked."""
        if self.order not in get_args(Order):
            raise InputError(f"rows are shown in the order {', '.join(get_args(Order))}, not {self.order!r}")
        if self.order != "random" and self.score is None:
            raise InputError("an order by sureness needs the column of the score")
        if not 1 <= self.limit <= MAX_ROWS:
            raise InputError(f"between 1 and {MAX_ROWS} rows are shown at once, not {self.limit}")

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that decide: the truth and the systems."""
        raise NotImplementedError

    @property
    def varying(self) -> tuple[str, ...]:
        """Those of them that differ between the rows asked for, and are worth showing."""
        return ()

    def fits(self, labels: Sequence[str]) -> bool:
        """Whether rows with these labels are asked for."""
        raise NotImplementedError

    def surrounds(self, labels: Sequence[str]) -> bool:
        """Whether rows with these labels are what segments are compared by: the true class, as a rule."""
        raise NotImplementedError


@dataclass(frozen=True)
class CellQuery(RowsQuery):
    """The rows that one cell counts."""

    truth: str
    system: str
    true_label: str
    predicted: str | None
    """Both labels as text, as the page shows them; None stands for every class but the true one."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The truth and one system."""
        return self.truth, self.system

    @property
    def varying(self) -> tuple[str, ...]:
        """The predictions, where all errors of a class are asked for."""
        return (self.system,) if self.predicted is None else ()

    def fits(self, labels: Sequence[str]) -> bool:
        """Rows of the true class that were predicted so."""
        truth, predicted = labels
        is_fitting = predicted != truth if self.predicted is None else predicted == self.predicted
        return truth == self.true_label and is_fitting

    def surrounds(self, labels: Sequence[str]) -> bool:
        """Rows of the true class."""
        return labels[0] == self.true_label


@dataclass(frozen=True)
class ChangeQuery(RowsQuery):
    """The rows that one system, or run, predicts and another predicts differently."""

    truth: str
    before: str
    after: str
    change: Change
    """Whether the second is right where the first was wrong, the other way round, or wrong in another way."""
    cell: tuple[str, str, str] | None = None
    """Only rows with this true label and these two predictions."""

    def __post_init__(self) -> None:
        """Reject what cannot be asked."""
        super().__post_init__()
        if self.change not in get_args(Change):
            raise InputError(f"a change is one of {', '.join(get_args(Change))}, not {self.change!r}")

    @property
    def labels(self) -> tuple[str, ...]:
        """The truth and two systems."""
        return self.truth, self.before, self.after

    @property
    def varying(self) -> tuple[str, ...]:
        """All of them, unless one cell is asked for."""
        return self.labels if self.cell is None else ()

    def fits(self, labels: Sequence[str]) -> bool:
        """Rows with this change."""
        return change_of(labels) == self.change and (self.cell is None or tuple(labels) == self.cell)

    def surrounds(self, labels: Sequence[str]) -> bool:
        """Rows of the true class where one is given, else all."""
        return self.cell is None or labels[0] == self.cell[0]


def change_of(labels: Sequence[str]) -> Change | None:
    """What became of the prediction between two systems; None where it is the same."""
    truth, before, after = labels
    if before == after:
        return None
    return "better" if after == truth else "worse" if before == truth else "both wrong"


@dataclass(frozen=True)
class CellPage:
    """Some rows of a cell, how many it has, and the segments in which it is more frequent than elsewhere."""

    total: int
    found: int
    """Rows that a search found; the total where nothing is searched."""
    columns: tuple[str, ...]
    rows: tuple[SampledRow, ...]
    segments: tuple[CellSegment, ...] = field(default=())
    weight: float | None = None
    """What the rows weigh together, where they are weighted: the number in the cell."""


@dataclass(frozen=True)
class CountedLabels:
    """Distinct raw values of the columns that decide, with what they mean and how many rows have them."""

    keys: list[tuple[Any, ...]]
    """As the source compares them."""
    values: list[tuple[Any, ...]]
    """As the readers understand them."""
    counts: list[int]
    weights: list[float] | None = None
    spelling: str = ""
    """The format of files, which decides what empty and quoted values mean."""


Keys = Sequence[tuple[Any, ...]]
SegmentCounts = Mapping[Any, tuple[int, int]]
"""By the value of a column, rows of a cell and all rows around it."""


@dataclass
class KnownCounts:
    """What earlier questions found out about a source, for as long as it does not change."""

    columns: tuple[str, ...] | None = None
    labels: dict[tuple[tuple[str, ...], str | None], CountedLabels] = field(default_factory=dict)
    """By the columns that decide and the weight."""


class LabelledSource(Protocol):
    """Rows of any kind of source, asked by the raw values of their labels."""

    def counted(self) -> CountedLabels:
        """Every combination of values that occurs."""

    def rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """Some of the rows with these values, as the query orders them, and how many a search found."""

    def segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """For the most frequent values of some columns, rows with the keys and rows of all around them."""
