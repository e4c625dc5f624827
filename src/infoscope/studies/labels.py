"""Plans of further labels: how many are needed, which rows come first, and the sheets on which they are filled in.

A ``LabelPlan`` is made by ``plan_labels`` (``latent.py``: systems without truth) or by ``Judged.labels_for``
(``judge_plan.py``: few labels and a judge). Its sampler draws the rows and estimates from their labels; everything
that both have in common is here: the two results, the findings of what came back, and the sheets, which are CSV files
with a line per row and an empty column for the label. The pages are ``reports/views/label_plan.py`` and
``labelled_estimate.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from infoscope.core.files import write_file
from infoscope.core.markup import ShortRepr, pluralize
from infoscope.errors import InputError, suggest_name
from infoscope.readers import ReadOptions
from infoscope.readers.columns import column_names
from infoscope.readers.files import name_source_file
from infoscope.readers.labels import Cleaning, as_number
from infoscope.readers.reader import locate_rows, read_rows
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Record, describe_group, format_csv, make_tidy, rename_taken_columns
from infoscope.results.provenance import Provenance
from infoscope.results.system import TabulatedSystem, find_system
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.tables.rows import Rows
from infoscope.typing import Json, LabelsLike, Source, StrPath

CURVE = (25, 50, 100, 200, 400, 800, 1600, 3200, 6400)
"""Numbers of labels for which widths are shown."""
SHEET_COLUMNS = ("row", "chance", "times", "label")
"""Columns of a sheet beside those of the source; rows are counted from 1, the header not among them."""

Basis = Literal["latent truth", "judge"]
"""Basis for the rows without a label."""
Line = dict[str, str | int | float | None]
"""One line of a sheet that is to be filled in."""


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ItemToLabel:
    """One row that was drawn."""

    row: int
    """Its row in the source, counted from 1: the first row below the header is row 1."""
    predictions: Mapping[str, str | None]
    """Content of its columns: predictions of the systems, and verdicts of judges."""
    chance: float
    """Probability of this row at each draw; of rows that are drawn once at most, to be among them."""
    times: int = 1
    """Number of times that it was drawn."""


@dataclass(frozen=True)
class PlannedWidth:
    """Half width of the interval after this many labels."""

    labels: int
    planned: float
    random: float
    """The same number of labels at random."""


@dataclass(frozen=True)
class StratumToLabel:
    """Rows of one verdict and prediction, and how many of them to label."""

    verdict: str
    prediction: str
    rows: int
    labelled: int
    """Rows that have a label."""
    more: int
    """Further rows to label."""
    group: Mapping[str, str] | None = None
    """The group whose rows these are, where rows are split."""


@dataclass(frozen=True, repr=False)
class GroupToLabel(ShortRepr):
    """One group of rows, and how many of them to label."""

    group: Mapping[str, str]
    system: str
    """The system that needs most labels there."""
    items: int
    """Rows without a label."""
    labelled: int
    labels: int
    """Further labels that are needed by the plan."""
    labels_random: int | None
    """The same at random; None where all rows would not do, or where the first labels are asked for."""
    half_width: float | None
    """Half width of the interval now; None where too few rows are labelled to know it."""

    @property
    def title(self) -> str:
        """Title of the group."""
        return describe_group(self.group) or ""


@dataclass(frozen=True, eq=False, repr=False)
class LabelledEstimate(Result):
    """A metric of each system from a few labels: right by design, whatever the model or the judge."""

    kind: ClassVar[str] = "labelled-estimate"

    metric: str
    labels: int
    """Labels of the sheets; a row that was drawn twice counts twice."""
    systems: Mapping[str, Estimate]
    more_labels: int | None
    """Labels that are still needed for the planned half width; 0 where it is reached, None where it cannot be."""
    half_width: float
    """The planned one."""
    level: float = 0.95
    reached: float | None = None
    """Half width of the widest interval."""
    expected: float | None = None
    """Half width that the plan expected of as many labels."""
    basis: Basis = "latent truth"
    provenance: Provenance = field(default_factory=Provenance)
    groups: int | None = None
    """Groups of one system that ``systems`` has, where rows were split."""
    findings: tuple[Finding, ...] = ()
    tables: Mapping[str, Contingency] = field(default_factory=dict, metadata={"stored": False})
    """Tables for the ordinary evaluation; their sample size is what the labels are worth."""

    def __getitem__(self, name: str) -> TabulatedSystem:
        """Return one system with the metric that was estimated, and its table."""
        systems = self.systems.items()
        return find_system(
            (TabulatedSystem(title, {self.metric: metric}, table=self.tables.get(title)) for title, metric in systems),
            name,
        )

    def records(self) -> Iterator[Record]:
        """Yield one record per system."""
        for name, estimate in self.systems.items():
            yield {"system": name, self.metric: estimate}


class LabelSampler(Protocol):
    """A sampler that draws the rows of a plan, and estimates from their labels."""

    def draw(
        self, source: Source, labels: int | None, rng: np.random.Generator, read: ReadOptions | None
    ) -> list[ItemToLabel]:
        """Draw rows to label: this many, as many as planned by default."""

    def estimate(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelledEstimate:
        """Estimate the metric from the labels of filled-in sheets."""

    def next_round(self, plan: LabelPlan, labels: LabelsLike, column: str, read: ReadOptions | None) -> LabelPlan:
        """Plan the labels that are still needed after these."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(Result):
    """The number of labels that gives an interval of the wanted width."""

    kind: ClassVar[str] = "label-plan"

    metric: str
    systems: tuple[str, ...]
    difference: bool
    """True if the difference of two systems is wanted."""
    half_width: float
    level: float
    items: int
    """Rows without a label."""
    labels: int
    """Further labels that are needed by the plan."""
    labels_random: int | None
    """The same at random; None where all rows would not do, or where only the first labels are asked for."""
    labels_without_plan: int | None
    """Labels at random without a model or judge; None where it is not known for the metric."""
    curve: tuple[PlannedWidth, ...]
    basis: Basis = "latent truth"
    strata: tuple[StratumToLabel, ...] = ()
    """Strata that get the labels, with a judge: by verdict and prediction."""
    groups: tuple[GroupToLabel, ...] = ()
    """Labels that each group needs, where rows are split; the numbers above are then of all groups together."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    sampler: LabelSampler | None = field(default=None, metadata={"stored": False})
    """Sampler that draws rows; not in documents."""

    def records(self) -> Iterator[Record]:
        """Yield one record per number of labels; where rows are split, one per group."""
        for part in self.groups:
            own: dict[str, Json | Estimate] = {
                "system": part.system,
                "items": part.items,
                "labelled": part.labelled,
                "labels": Estimate(part.labels),
                "labels_random": Estimate(part.labels_random),
                "half_width": Estimate(part.half_width),
            }
            yield {**rename_taken_columns(part.group, own, "by"), **own}
        for point in () if self.groups else self.curve:
            widths = {"half_width": Estimate(point.planned), "half_width_random": Estimate(point.random)}
            yield {"labels": point.labels, **widths}

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the numbers of each number of labels; where rows are split, those of each group."""
        titles = [part.title for part in self.groups]
        for place, record in enumerate(self.records()):
            yield from make_tidy(record, {"group": titles[place] if titles else None}, self.roles)

    def select(
        self,
        source: Source,
        labels: int | None = None,
        *,
        round: int = 1,
        seed: int = 0,
        read: ReadOptions | None = None,
    ) -> list[ItemToLabel]:
        """Draw rows to label from the source that the plan was made from.

        Each round draws anew; label a whole round before it is used.

        Parameters
        ----------
        source : Source
            The rows, as they were when the plan was made.
        labels : int, optional
            Number of draws; as many as planned by default.
        round : int
            Number of the round, from 1.
        seed : int
            Starts the random generator.
        read : ReadOptions, optional
            How the source is read.

        Returns
        -------
        list of ItemToLabel
        """
        if labels is not None and labels < 1:
            raise InputError(f"{labels} labels are asked for; give at least 1")
        return self._require_sampler().draw(source, labels, np.random.default_rng([seed, round]), read)

    def sheet(self, items: Sequence[ItemToLabel]) -> list[Line]:
        """Return drawn rows as lines of a file to be filled in, with an empty column for the label.

        Parameters
        ----------
        items : sequence of ItemToLabel
            What ``select`` has drawn.

        Returns
        -------
        list of dict
            ``row`` counts the rows of the source from 1, without the header: ``values[line["row"] - 1]`` is the row's.
        """
        taken = {name for item in items for name in item.predictions} & set(SHEET_COLUMNS)
        if taken:
            raise InputError(f"a column of the source is called {min(taken)!r}, as one of a sheet of labels; rename it")
        return [
            {"row": item.row, **item.predictions, "chance": item.chance, "times": item.times, "label": None}
            for item in items
        ]

    def write_sheet(self, items: Sequence[ItemToLabel], path: StrPath, *, force: bool = False) -> Path:
        """Write drawn rows as a CSV file to be filled in.

        Parameters
        ----------
        items : sequence of ItemToLabel
            What ``select`` has drawn.
        path : str or Path
            The file.
        force : bool
            Replace a file that exists.

        Returns
        -------
        Path
        """
        write_file(path, format_csv(iter(self.sheet(items))), replace=force)
        return Path(path)

    def estimate(
        self, labels: LabelsLike, *, label: str = "label", read: ReadOptions | None = None
    ) -> LabelledEstimate:
        """Estimate the metric from labelled rows: right by design, also where a model is wrong or a judge errs.

        Parameters
        ----------
        labels : LabelsLike
            A sheet with its label column filled in, as ``sheet`` and ``write_sheet`` give it, or several; rows without
            a label are left out.
        label : str
            Column of the labels.
        read : ReadOptions, optional
            How the sheets are read.

        Returns
        -------
        LabelledEstimate
        """
        return self._require_sampler().estimate(self, labels, label, read)

    def next_round(self, labels: LabelsLike, *, label: str = "label", read: ReadOptions | None = None) -> LabelPlan:
        """Plan the labels that are still needed after those of filled-in sheets.

        Parameters
        ----------
        labels : LabelsLike
            A sheet with its label column filled in, or several.
        label : str
            Column of the labels.
        read : ReadOptions, optional
            How the sheets are read.

        Returns
        -------
        LabelPlan
        """
        return self._require_sampler().next_round(self, labels, label, read)

    def _require_sampler(self) -> LabelSampler:
        """Return the sampler, or say that there is none."""
        if self.sampler is None:
            raise InputError("a plan that was loaded from a file has no rows; plan again from the source")
        return self.sampler


def describe_labels(
    more: int | None, half_width: float, reached: float, expected: float, unlabelled: int
) -> Iterator[Finding]:
    """Yield what came beside what the plan expected, how many labels are still needed, and lines without a label."""
    evidence: dict[str, Json] = {"labels": more, "half_width": reached, "expected": expected}
    came = f"the plan expected ±{expected:.3g} for as many labels"
    if more is None:
        text = (
            f"The widest interval is ±{reached:.3g}; {came}. Labels of all rows would not bring it to ±{half_width:g}: "
            "ask for a wider one, or add rows."
        )
        yield Finding("too_few_rows", text, "warning", evidence)
    elif more:
        text = f"The widest interval is ±{reached:.3g}; {came}. About {more:,} more labels bring it to ±{half_width:g}."
        yield Finding("more_labels_needed", text, evidence=evidence)
    else:
        text = f"The planned half width of ±{half_width:g} is reached: ±{reached:.3g}; {came}."
        yield Finding("narrow_enough", text, evidence=evidence)
    if unlabelled:
        text = f"{pluralize(unlabelled, 'row')} of the sheet without a label left out: taken as left out at random."
        yield Finding("unlabelled_items", text, "warning", {"items": unlabelled})


# Rows of the source ---------------------------------------------------------------------------------------------------


def find_rows(
    source: Source, patterns: Rows, wanted: NDArray[np.int64], read: ReadOptions | None, clean: Cleaning = ()
) -> dict[int, NDArray[np.int64]]:
    """Return the rows of a source, counted from 1, that have each of the wanted patterns."""
    places = locate_rows(source, patterns, read, clean)
    if places is None:
        raise InputError("the rows have no order here, so that items cannot be named; give a file or a data frame")
    order = np.argsort(places, kind="stable")
    starts = np.searchsorted(places[order], wanted, "left")
    ends = np.searchsorted(places[order], wanted, "right")
    members = {int(p): order[a:b] + 1 for p, a, b in zip(wanted, starts, ends, strict=True)}
    if any(len(rows) < patterns.counts[pattern] for pattern, rows in members.items()):
        raise InputError(
            "the rows are not those that the plan was made from: some that it counted do not occur, at least not as "
            "they were read then"
        )
    return members


def list_values(patterns: Rows, names: Sequence[str], pattern: int) -> dict[str, str | None]:
    """Return what some columns hold in a pattern, as text."""
    places = [patterns.place(name) for name in names]
    codes = patterns.codes[places, pattern].tolist()
    return {
        name: None if code < 0 else str(patterns.labels[place][code])
        for name, place, code in zip(names, places, codes, strict=True)
    }


# Filled-in sheets -----------------------------------------------------------------------------------------------------


class SheetLine(NamedTuple):
    """One line of a filled-in sheet."""

    where: str
    """The file and the line, for messages."""
    row: int
    values: tuple[str | None, ...]
    """Content of the columns of the source, as text: a file has nothing else."""
    label: str | None
    times: float
    chance: float | None


@dataclass(frozen=True, eq=False)
class FilledSheet:
    """The labelled lines of sheets, by the patterns of the rows that the plan was made from."""

    place: NDArray[np.int64]
    """Pattern of each line."""
    label: NDArray[np.int64]
    """Position among the classes."""
    times: NDArray[np.float64]
    """Number of times that the row was drawn."""
    unlabelled: int
    """Lines without a label."""
    rows: frozenset[int] = frozenset()
    """Rows of the source."""


def read_sheets(
    labels: LabelsLike, columns: Sequence[str], label: str, read: ReadOptions | None
) -> list[list[SheetLine]]:
    """Read the lines of filled-in sheets, labelled or not; reject a row that two lines label differently."""
    parts: list[Any] = list(labels) if isinstance(labels, (list, tuple)) else [labels]
    if parts and all(isinstance(part, Mapping) and "row" in part and np.ndim(part["row"]) == 0 for part in parts):
        names = dict.fromkeys(name for line in parts for name in line)  # lines, as ``LabelPlan.sheet`` gives them
        parts = [{name: [line.get(name) for line in parts] for name in names}]
    sheets = [_read_sheet(part, columns, label, read) for part in parts]
    earlier: dict[int, SheetLine] = {}
    for line in (line for sheet in sheets for line in sheet if line.label is not None):
        first = earlier.setdefault(line.row, line)
        if first.label != line.label:
            raise InputError(
                f"{first.where} and {line.where} give row {line.row} two labels, {first.label!r} and {line.label!r}; "
                "leave out the wrong one"
            )
    return sheets


def _read_sheet(sheet: Source, columns: Sequence[str], label: str, read: ReadOptions | None) -> list[SheetLine]:
    """Read the lines of one sheet; numbers that the plan wrote must still be numbers."""
    names = column_names(sheet, read)
    file = name_source_file(sheet)
    missing = next((name for name in ("row", *columns, label) if name not in names), None)
    if missing is not None:
        raise InputError(
            f"{file or 'the sheet of labels'} has no column {missing!r}; give the sheet as it was written, "
            f"with the column {label!r} filled in"
        )
    optional = [name for name in ("times", "chance") if name in names and name not in columns]
    given = read_rows(sheet, ["row", *columns, label, *optional], read)
    assert given is not None, "what has columns before it is read has rows in an order"
    ahead = 2 if file is not None and {".csv", ".tsv"} & set(Path(file).suffixes) else 1  # the header is line 1

    def read_number(value: Label | None, column: str, where: str) -> float | None:
        number = None if value is None else as_number(value)
        if number is not None and not isinstance(number, (int, float)):
            raise InputError(
                f"{where} has {value!r} as {column}, which is not a number; give the sheet as it was written, with its "
                "labels filled in"
            )
        return None if number is None else float(number)

    lines = []
    for place, values in enumerate(zip(*given.values(), strict=True)):
        where = f"line {place + ahead} of {file}" if file is not None else f"line {place + ahead} of the labels"
        cells = dict(zip(given, values, strict=True))
        row, times, chance = (read_number(cells.get(name), name, where) for name in ("row", "times", "chance"))
        if row is None or row < 1 or row != int(row):
            raise InputError(f"{where} has the row {cells['row']!r}; rows are counted from 1, as the sheet was written")
        texts = tuple(None if cells[name] is None else str(cells[name]) for name in (*columns, label))
        lines.append(SheetLine(where, int(row), texts[:-1], texts[-1], 1.0 if times is None else times, chance))
    return lines


def check_against_source(
    lines: Sequence[SheetLine],
    columns: Sequence[str],
    source: Source,
    patterns: Rows,
    truth: str,
    *,
    read: ReadOptions | None,
    clean: Cleaning,
) -> None:
    """Reject labelled lines that are not as the rows of the source are: other rows, other values, labels there already.

    A source without an order, such as a table of a database, is not looked at.
    """
    places = locate_rows(source, patterns, read, clean)
    if places is None:
        return
    title = name_source_file(source) or "the source"
    for line in lines:
        if line.row > len(places):
            raise InputError(
                f"{line.where} labels row {line.row}, and {title} has {len(places):,} rows; correct the row"
            )
        place = int(places[line.row - 1])
        if place < 0:
            raise InputError(f"{line.where} labels row {line.row}, which is not among the rows of {title} that count")
        own = list_values(patterns, [truth, *columns], place)
        if own[truth] is not None:
            raise InputError(f"{line.where} labels row {line.row}, which {title} labels {own[truth]!r}; leave it out")
        for name, value in zip(columns, line.values, strict=True):
            if own[name] != value:
                raise InputError(
                    f"{line.where} has {name} {_format_value(value)} for row {line.row}, and {title} has "
                    f"{_format_value(own[name])}; only labels are filled in: write the row as it was"
                )


def _format_value(value: str | None) -> str:
    return "nothing" if value is None else repr(value)


def match_lines(
    sheets: Sequence[Sequence[SheetLine]],
    patterns: Rows,
    columns: Sequence[str],
    classes: Sequence[Label],
    open_patterns: NDArray[np.int64],
) -> FilledSheet:
    """Match the labelled lines of sheets to unlabelled patterns by what their columns hold."""
    lines = [line for sheet in sheets for line in sheet]
    labelled = [line for line in lines if line.label is not None]
    class_codes = {str(label): code for code, label in enumerate(classes)}
    texts = _list_texts(patterns, columns, open_patterns)
    pattern_by_values = dict(zip(texts, open_patterns.tolist(), strict=True))
    for line in labelled:
        if line.label not in class_codes:
            hint = suggest_name(line.label, class_codes, "the classes are")
            raise InputError(f"{line.where} has the label {line.label!r}; {hint}")
        if line.values not in pattern_by_values:
            shown = ", ".join(
                f"{name} {_format_value(value)}" for name, value in zip(columns, line.values, strict=True)
            )
            raise InputError(
                f"{line.where}: no unlabelled row has {shown}; label rows of the source that the plan was made from"
            )
    return FilledSheet(
        np.array([pattern_by_values[line.values] for line in labelled], dtype=np.int64),
        np.array([class_codes[str(line.label)] for line in labelled], dtype=np.int64),
        np.array([line.times for line in labelled], dtype=np.float64),
        len(lines) - len(labelled),
        frozenset(line.row for line in labelled),
    )


def find_patterns(lines: Sequence[SheetLine], patterns: Rows, columns: Sequence[str]) -> NDArray[np.int64]:
    """Return the pattern of each line by what its columns hold; −1 where it is none of them."""
    place = {
        values: position for position, values in enumerate(_list_texts(patterns, columns, np.arange(len(patterns))))
    }
    return np.array([place.get(line.values, -1) for line in lines], dtype=np.int64)


def _list_texts(patterns: Rows, names: Sequence[str], rows: NDArray[np.int64]) -> Iterator[tuple[str | None, ...]]:
    """Yield what some columns hold in each of some patterns, as text."""
    places = [patterns.place(name) for name in names]
    labels = [[*map(str, patterns.labels[place]), None] for place in places]
    for codes in patterns.codes[places][:, rows].T.tolist():
        yield tuple(texts[code] for texts, code in zip(labels, codes, strict=True))
