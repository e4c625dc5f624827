"""The rows behind one cell of a table, found by the labels that the page shows: random ones, the surest, or searched.

Which values of the file became which label is the readers' decision, so that the rows behind a cell are those that were
counted in it, whatever was cleaned, is missing or is spelt in two ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from infoscope.errors import InputError, UnknownNameError
from infoscope.readers.assemble import dated, labelled
from infoscope.readers.column_names import column_names
from infoscope.readers.columns import Columns
from infoscope.readers.dask import spelt
from infoscope.readers.duckdb.count import Scan
from infoscope.readers.duckdb.scan import scan_files
from infoscope.readers.duckdb.session import Session, opened
from infoscope.readers.files import Files, scratch_folder
from infoscope.readers.labels import Cleaning, from_json
from infoscope.readers.reader import ReadOptions, files_of
from infoscope.readers.row_samples import MAX_COLUMNS, SampledRow, plain_value
from infoscope.readers.tally import Tally
from infoscope.typing import StrPath

__all__ = ["CellPage", "CellQuery", "CellSegment", "Order", "rows_of_cell"]

Order = Literal["random", "surest", "least sure"]
MAX_ROWS = 200
MAX_SEGMENT_VALUES = 20
"""Values of a column that is taken for a segment."""
SURE = 0.99
"""Posterior probability from which a segment's rate is said to differ, over all segments of a cell."""
_DRAWS = 4000


@dataclass(frozen=True)
class CellQuery:
    """Which cell of which columns, and which of its rows."""

    truth: str
    system: str
    true_label: str
    predicted: str
    """Both labels as text, as the page shows them."""
    order: Order = "random"
    score: str | None = None
    """The column that says how sure a prediction is, for an order by it."""
    seed: int = 0
    search: str = ""
    limit: int = 50
    by: tuple[str, ...] = ()
    """Columns whose values are looked at as segments."""
    clean: Cleaning = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be asked."""
        if self.order != "random" and self.score is None:
            raise InputError("an order by sureness needs the column of the score")
        if not 1 <= self.limit <= MAX_ROWS:
            raise InputError(f"between 1 and {MAX_ROWS} rows are shown at once, not {self.limit}")


@dataclass(frozen=True)
class CellSegment:
    """Rows of one value of a column: how often the true class is predicted so there, and elsewhere."""

    column: str
    value: str
    count: int
    rows: int
    """Rows of the true class in the segment."""
    elsewhere: float
    probability: float
    """That the rate is higher here than elsewhere."""

    @property
    def rate(self) -> float:
        """Share of the true class in the segment that is in the cell."""
        return self.count / self.rows


@dataclass(frozen=True)
class CellPage:
    """Some rows of a cell, how many it has, and the segments in which it is more frequent than elsewhere."""

    total: int
    found: int
    """Rows that a search found; the total where nothing is searched."""
    columns: tuple[str, ...]
    rows: tuple[SampledRow, ...]
    segments: tuple[CellSegment, ...] = field(default=())


def rows_of_cell(source: StrPath, query: CellQuery, read: ReadOptions | None = None) -> CellPage:
    """Rows of a file that one cell counts.

    Random rows are those with the smallest hash of their number and the seed: the same rows whatever the threads.
    """
    how = read or ReadOptions()
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        if files is None or files.format == "ifs":
            raise InputError("rows are shown from files of rows; tables do not remember them")
        columns = Columns.asked(query.truth, [query.system])
        show = _shown(source, how, columns, query)
        extra = [name for name in dict.fromkeys((*show, *query.by)) if name not in columns.names]
        read_columns = replace(columns, systems=(*columns.systems, *extra))
        with files.named(), opened(folder, files.name, how.limits) as session:
            session.run("SET preserve_insertion_order = true")  # a row has the same number in every run
            scan = scan_files(session, files, read_columns, how.delimiter)
            return _Cell(session, scan, files, columns, query).page(show)


def _shown(source: StrPath, how: ReadOptions, columns: Columns, query: CellQuery) -> tuple[str, ...]:
    present = column_names(source, how, columns.names)
    for name in (*query.by, *([query.score] if query.score else ())):
        if name not in present:
            raise UnknownNameError(f"{source} has no column {name!r}")
    others = [name for name in present if name not in columns.names]
    if query.score in others:
        others.remove(query.score)
        others.insert(0, query.score)
    return tuple(others[:MAX_COLUMNS])


@dataclass(frozen=True)
class _Cell:
    """One cell of an open source."""

    session: Session
    scan: Scan
    files: Files
    columns: Columns
    query: CellQuery

    def page(self, show: Sequence[str]) -> CellPage:
        match, total = self._raw_values()
        if not match.pairs:
            return CellPage(0, 0, tuple(show), ())
        found, rows = self._rows(show, match, total)
        segments = tuple(self._segments(match)) if self.query.by else ()
        return CellPage(total, found, tuple(show), rows, segments)

    def _raw_values(self) -> tuple[_Match, int]:
        """The values of the file that became the two labels, and the rows that have them."""
        truth, system = (self.scan.columns[name] for name in self.columns.names[-2:])
        if self.scan.narrow is not None:
            self.scan.narrow(self.columns.names)
        statement = f"SELECT {truth}, {system}, count(*) FROM {self.scan.relation} GROUP BY ALL"
        lines = self.session.run(statement, **self.scan.values).fetchall()
        keys = self.columns.keys(self.columns.systems)
        decoders = [self.scan.decoders.get(name, _same) for name in keys]
        values = [[back(line[i]) for line in lines] for i, back in enumerate(decoders)]
        tally = spelt(Tally.from_columns(keys, values, [1] * len(lines)), self.files.format)
        (tally,) = dated([tally], self.columns)
        named = labelled(tally, self.columns, self.query.clean)
        wanted = (self.query.true_label, self.query.predicted)
        pairs, truths, total = [], list[Any](), 0
        for line, codes in zip(lines, named.codes.T.tolist(), strict=True):
            labels = [of[code] for of, code in zip(named.labels, codes, strict=True)]
            if None in labels or str(labels[0]) != wanted[0]:
                continue
            truths += [line[0]] if line[0] not in truths else []
            if str(labels[1]) == wanted[1]:
                pairs.append((line[0], line[1]))
                total += line[2]
        return _Match(pairs, truths), total

    def _rows(self, show: Sequence[str], match: _Match, total: int) -> tuple[int, tuple[SampledRow, ...]]:
        if self.scan.narrow is not None:
            self.scan.narrow(tuple(dict.fromkeys((*self.columns.names, *show))))
        fields = [f"{self.scan.columns[name]} AS v{i}" for i, name in enumerate(show)]
        truth, system = (self.scan.columns[name] for name in self.columns.names[-2:])
        fields += [f"{truth} AS t", f"{system} AS s", "row_number() OVER () AS r"]
        values = {**self.scan.values, **match.pair_values}
        where = match.condition("t", "s")
        if self.query.search:
            texts = ", ".join(f"CAST(v{i} AS VARCHAR)" for i in range(len(show))) or "''"
            where = f"({where}) AND contains(lower(concat_ws(' ', {texts})), lower($search))"
            values["search"] = self.query.search
        numbered = f"SELECT {', '.join(fields)} FROM {self.scan.relation}"
        counted = "count(*) OVER ()" if self.query.search else str(total)
        shown = ", ".join(["r", counted, *(f"v{i}" for i in range(len(show)))])
        statement = (
            f"SELECT {shown} FROM ({numbered}) AS numbered WHERE {where} ORDER BY {self._order(show)}, r "
            f"LIMIT {int(self.query.limit)}"
        )
        lines = self.session.run(statement, **values).fetchall()
        backs = [self.scan.decoders.get(name, _same) for name in show]
        rows = tuple(SampledRow(line[0], dict(self._values(show, backs, line[2:]))) for line in lines)
        return (lines[0][1] if lines else 0 if self.query.search else total), rows

    def _values(self, show: Sequence[str], backs: Sequence[Any], values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
        unspelt = from_json if self.files.format == "ndjson" else _same
        for name, back, value in zip(show, backs, values, strict=True):
            yield name, plain_value(unspelt(back(value)))

    def _order(self, show: Sequence[str]) -> str:
        if self.query.order == "random" or self.query.score is None:
            return f"hash(r + {int(self.query.seed)} * 1000003)"
        score = f"TRY_CAST(v{show.index(self.query.score)} AS DOUBLE)"
        return f"{score} {'DESC' if self.query.order == 'surest' else 'ASC'} NULLS LAST"

    def _segments(self, match: _Match) -> Iterator[CellSegment]:
        """Values of the columns in which the cell takes a greater share of the true class than elsewhere."""
        if self.scan.narrow is not None:
            self.scan.narrow(tuple(dict.fromkeys((*self.columns.names, *self.query.by))))
        truth, system = (self.scan.columns[name] for name in self.columns.names[-2:])
        found = []
        for name in self.query.by:
            statement = (
                f"SELECT CAST({self.scan.columns[name]} AS VARCHAR), "
                f"count(*) FILTER ({match.condition(truth, system)}), count(*) FROM {self.scan.relation} "
                f"WHERE ({match.of_truth(truth)}) GROUP BY 1 ORDER BY 3 DESC "
                f"LIMIT {MAX_SEGMENT_VALUES + 1}"
            )
            lines = self.session.run(
                statement, **self.scan.values, **match.pair_values, **match.truth_values
            ).fetchall()
            if 1 < len(lines) <= MAX_SEGMENT_VALUES:
                found += [(name, line, lines) for line in lines]
        level = 1 - (1 - SURE) / max(len(found), 1)
        for name, (value, count, rows), lines in found:
            others, other_rows = (sum(line[i] for line in lines) - x for i, x in ((1, count), (2, rows)))
            probability = _higher(count, rows, others, other_rows)
            if probability >= level:
                shown = "(missing)" if value is None else str(value)
                yield CellSegment(name, shown, count, rows, others / other_rows if other_rows else 0.0, probability)


@dataclass(frozen=True)
class _Match:
    """A condition on the values of both columns, which travel as bound values."""

    pairs: Sequence[tuple[Any, Any]]
    truths: Sequence[Any]

    @property
    def pair_values(self) -> dict[str, Any]:
        """Of both columns in the cell."""
        return {
            f"pair{i}_{side}": value
            for i, pair in enumerate(self.pairs)
            for side, value in zip("ts", pair, strict=True)
        }

    @property
    def truth_values(self) -> dict[str, Any]:
        """Of the true class, in whatever cell."""
        return {f"truth{i}": value for i, value in enumerate(self.truths)}

    def condition(self, truth: str, system: str) -> str:
        """Rows of the cell."""
        return " OR ".join(
            f"({truth} IS NOT DISTINCT FROM $pair{i}_t AND {system} IS NOT DISTINCT FROM $pair{i}_s)"
            for i in range(len(self.pairs))
        )

    def of_truth(self, truth: str) -> str:
        """Rows of its true class."""
        return " OR ".join(f"{truth} IS NOT DISTINCT FROM $truth{i}" for i in range(len(self.truths)))


def _higher(count: int, rows: int, others: int, other_rows: int) -> float:
    """Posterior probability that the rate in a segment is higher than elsewhere, from uniform priors."""
    rng = np.random.default_rng(0)
    here = rng.beta(1 + count, 1 + rows - count, _DRAWS)
    there = rng.beta(1 + others, 1 + other_rows - others, _DRAWS)
    return float((here > there).mean())


def _same(value: Any) -> Any:
    return value
