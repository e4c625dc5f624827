"""Rows behind a cell, from files: first their numbers, by the columns that decide, then what is shown of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infoscope.readers.duckdb.count import Scan
from infoscope.readers.duckdb.session import Session
from infoscope.readers.labels import from_json
from infoscope.readers.rows.row_queries import CountedLabels, Keys, RowsQuery, SegmentCounts
from infoscope.readers.rows.row_samples import SampledRow, plain_value

__all__ = ["FileRows"]

Lines = Sequence[tuple[Any, ...]]
FEW = 8
"""Combinations of values that are compared one by one; more are joined."""


@dataclass(frozen=True)
class FileRows:
    """An open scan of files."""

    session: Session
    scan: Scan
    format: str
    query: RowsQuery
    most_values: int
    """Values of a column that is taken for a segment."""

    def counted(self) -> CountedLabels:
        """By one pass over the columns that decide."""
        names = self.query.labels
        self._narrow(names)
        fields = ", ".join(self.scan.columns[name] for name in names)
        sums = "NULL" if self.query.weight is None else f"sum({self._weight})"
        statement = (
            f"SELECT {fields}, count(*), {sums} FROM {self.scan.relation} {self._weighed('WHERE')} "
            f"GROUP BY {', '.join(str(place + 1) for place in range(len(names)))}"
        )
        lines = self.session.rows(statement, **self.scan.values)
        backs = [self.scan.decoders.get(name, _same) for name in names]
        values = [tuple(back(value) for back, value in zip(backs, line, strict=False)) for line in lines]
        weights = None if self.query.weight is None else [float(line[-1]) for line in lines]
        return CountedLabels([line[:-2] for line in lines], values, [line[-2] for line in lines], weights, self.format)

    def rows(self, show: Sequence[str], keys: Keys) -> tuple[int | None, Sequence[SampledRow]]:
        """Those with the smallest hashes of their numbers, or with the highest or lowest scores.

        Columns are cheap to read again for the rows that were chosen; text is read once.
        """
        chosen = self._chosen(show, keys)
        if chosen and self.scan.columnar:
            chosen = self._looked_up(show, chosen)
        backs = [self.scan.decoders.get(name, _same) for name in show]
        unspelt = from_json if self.format == "ndjson" else _same
        found = (chosen[0][1] if chosen else 0) if self.query.search else None
        return found, [
            SampledRow(
                number,
                {
                    name: plain_value(unspelt(back(value)))
                    for name, back, value in zip(show, backs, values, strict=True)
                },
            )
            for number, _, *values in chosen
        ]

    def _looked_up(self, show: Sequence[str], chosen: Lines) -> Lines:
        self._narrow((*self.query.labels, *show))
        fields = [self.scan.columns[name] for name in show]
        numbers = [int(line[0]) for line in chosen]
        statement = f"SELECT {', '.join([f'{self.scan.row_number} AS r', *fields])} FROM {self.scan.relation}"
        if self.scan.rows_at is None:
            statement = f"SELECT * FROM ({statement}) AS numbered WHERE r IN ({', '.join(map(str, numbers))})"
        else:
            statement += f" WHERE {self.scan.rows_at(numbers)}"
        values = {number: rest for number, *rest in self.session.rows(statement, **self.scan.values)}
        return [(number, found, *values[number]) for number, found, *_ in chosen]

    def _chosen(self, show: Sequence[str], keys: Keys) -> Lines:
        """Number, how many a search found, and where the rows are text what is shown of them."""
        query = self.query
        looked_at = list(show) if query.search or not self.scan.columnar else []
        self._narrow((*query.labels, *looked_at, *([query.score] if query.score else [])))
        fields = [f"{self.scan.columns[name]} AS k{i}" for i, name in enumerate(query.labels)]
        fields += [f"{self.scan.columns[name]} AS v{i}" for i, name in enumerate(looked_at)]
        score = "NULL" if query.score is None else f"TRY_CAST({self.scan.columns[query.score]} AS DOUBLE)"
        weight = "0" if query.weight is None else self._weight
        fields += [f"{score} AS score", f"{weight} AS w", f"{self.scan.row_number} AS r"]
        where, values = _condition([f"k{i}" for i in range(len(query.labels))], keys)
        where = f"({where}) AND w IS NOT NULL AND NOT isnan(w)" if query.weight is not None else f"({where})"
        texts = [f"v{i}" for i in range(len(looked_at))]
        if query.search:
            spelt = ", ".join(f"CAST({text} AS VARCHAR)" for text in texts) or "''"
            where += f" AND contains(lower(concat_ws(' ', {spelt})), lower($search))"
            values["search"] = query.search
        found = "count(*) OVER ()" if query.search else "NULL"
        shown = ", ".join(["r", found, *([] if self.scan.columnar else texts)])
        statement = (
            f"SELECT {shown} FROM (SELECT {', '.join(fields)} FROM {self.scan.relation}) AS numbered WHERE {where} "
            f"ORDER BY {self._order}, r LIMIT {int(query.limit)}"
        )
        return self.session.rows(statement, **self.scan.values, **values)

    @property
    def _order(self) -> str:
        if self.query.order == "random":
            return f"hash(r + {int(self.query.seed)} * 1000003)"
        return f"score {'DESC' if self.query.order == 'most confident' else 'ASC'} NULLS LAST"

    def segments(self, columns: Sequence[str], keys: Keys, around: Keys) -> Mapping[str, SegmentCounts]:
        """By one pass over the columns that decide and these."""
        if not columns:
            return {}
        names = self.query.labels
        self._narrow((*names, *columns))
        places = [self.scan.columns[name] for name in names]
        inside, values = _condition(places, keys, "inside")
        outside, more = _condition(places, around, "around")
        fields = [f"CAST({self.scan.columns[name]} AS VARCHAR) AS c{i}" for i, name in enumerate(columns)]
        listed = [f"c{i}" for i in range(len(columns))]
        numbered = (
            f"SELECT {', '.join(fields)}, ({inside}) AS inside FROM {self.scan.relation} WHERE ({outside}) "
            f"{self._weighed('AND')}"
        )
        statement = (
            f"SELECT {', '.join(listed)}, GROUPING({', '.join(listed)}) AS lacks, count(*) FILTER (inside), count(*) "
            f"AS n FROM ({numbered}) AS rows GROUP BY GROUPING SETS ({', '.join(f'({name})' for name in listed)}) "
            f"QUALIFY row_number() OVER (PARTITION BY lacks ORDER BY n DESC) <= {self.most_values + 1}"
        )
        found: dict[str, dict[Any, tuple[int, int]]] = {name: {} for name in columns}
        for *shown, lacks, count, rows in self.session.rows(statement, **self.scan.values, **values, **more):
            at = next(i for i in range(len(columns)) if not lacks >> (len(columns) - 1 - i) & 1)
            found[columns[at]][shown[at]] = count, rows
        return found

    @property
    def _weight(self) -> str:
        return f"TRY_CAST({self.scan.columns[str(self.query.weight)]} AS DOUBLE)"

    def _weighed(self, word: str) -> str:
        """A condition that the row has a weight, where rows are weighted."""
        if self.query.weight is None:
            return ""
        return f"{word} {self._weight} IS NOT NULL AND NOT isnan({self._weight})"

    def _narrow(self, names: Sequence[str]) -> None:
        if self.scan.narrow is not None:
            weight = () if self.query.weight is None else (self.query.weight,)
            self.scan.narrow(tuple(dict.fromkeys((*names, *weight))))


def _condition(places: Sequence[str], keys: Keys, name: str = "key") -> tuple[str, dict[str, Any]]:
    """That the columns have one of some combinations of values, which travel as bound values.

    No combination holds a NULL, which means a missing label everywhere.
    """
    if len(keys) <= FEW:
        values = {f"{name}{i}_{j}": value for i, key in enumerate(keys) for j, value in enumerate(key)}
        each = [" AND ".join(f"{place} = ${name}{i}_{j}" for j, place in enumerate(places)) for i in range(len(keys))]
        return " OR ".join(f"({part})" for part in each) or "false", values
    values = {f"{name}_{j}": [key[j] for key in keys] for j in range(len(places))}
    listed = ", ".join(f"unnest(${name}_{j})" for j in range(len(places)))
    return f"({', '.join(places)}) IN (SELECT {listed})", values


def _same(value: Any) -> Any:
    return value
