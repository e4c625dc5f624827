"""Counting inside DuckDB: group by on native types, and only the cells come back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from infoscope.errors import InputError
from infoscope.readers.columns import Columns
from infoscope.readers.datetimes import Decoder
from infoscope.readers.duckdb.group_by import GroupBy
from infoscope.readers.duckdb.session import Session
from infoscope.readers.tally import Ints, Tally, encode

__all__ = ["Scan", "count_scan"]

_SMALL = 20_000
_WHOLE = {"n", "lacks"}
_SETS = 32  # the bit mask of grouping sets has room for 64 columns


@dataclass(frozen=True)
class Scan:
    """Where rows come from: a FROM clause with bound values, and each column as an expression.

    ``columnar`` sources are cheaper to read again, two columns at a time, than to be grouped in
    several ways at once; sources of text are parsed once.
    """

    relation: str
    values: dict[str, Any]
    columns: dict[str, str]
    columnar: bool = False
    decoders: dict[str, Decoder] = field(default_factory=dict)
    """How the labels of some columns come back from numbers that stand for them."""
    explaining: str = ""
    """The same relation for a second try, where the engine then says more precisely what is wrong."""
    narrow: Callable[[Sequence[str]], Any] | None = None
    """Leaves only these columns in the relation, where the engine cannot do so itself; says what it then meets."""
    row_number: str = "row_number() OVER ()"
    """The number of a row, from 1, in the order of the files; the same in every run where that order is kept."""
    rows_at: Callable[[Sequence[int]], str] | None = None
    """A condition for the rows with these numbers by which the engine skips the others; None where it reads all."""


def count_scan(session: Session, scan: Scan, columns: Columns) -> list[Tally]:
    """One tally for each margin."""
    at_once = 1 if scan.columnar else _SETS
    tallies: list[Tally] = []
    for start in range(0, len(columns.margins), at_once):
        group_by = GroupBy(columns, columns.margins[start : start + at_once])
        statement = group_by.sql(scan.relation, scan.columns)
        part = None if scan.narrow is None else scan.narrow(_needed(group_by))
        try:
            session.run(f"CREATE TEMP TABLE cells AS {statement}", **scan.values)
        except InputError as error:
            if problem := getattr(part, "problem", ""):
                raise InputError(problem) from error
            if scan.explaining and error.__cause__ is not None:  # else the text was looked through already
                session.run(group_by.sql(scan.explaining, scan.columns), **scan.values)
            raise
        tallies += [_fetch(session, group_by, margin) for margin in group_by.margins]
        session.run("DROP TABLE cells")
    for name, decoder in scan.decoders.items():
        tallies = [tally.mapped(name, decoder) for tally in tallies]
    return tallies


def _needed(group_by: GroupBy) -> list[str]:
    weight = group_by.columns.weight
    return list(dict.fromkeys([*group_by.names, *(() if weight is None else (weight,))]))


def _fetch(session: Session, group_by: GroupBy, margin: tuple[str, ...]) -> Tally:
    several = len(group_by.margins) > 1
    where = f" WHERE margin = {group_by.mask(margin)}" if several else ""
    cells = f"(SELECT * FROM cells{where}) AS c"
    shorts = group_by.shorts(margin)
    size = session.row(f"SELECT count(*) FROM {cells}")
    small = size is not None and size[0] <= _SMALL
    keys = group_by.columns.keys(margin)
    take = _take_values if small else _take_codes
    labels, codes, sums = take(session, cells, dict(zip(shorts, keys, strict=True)), group_by.sums)
    return _tally(keys, labels, codes, sums)


_Taken = tuple[list[Sequence[Any]], list[Ints], dict[str, Any]]


def _take_values(session: Session, cells: str, shorts: dict[str, str], sums: list[str]) -> _Taken:
    """A few cells: native values line by line, labels and sums in one answer, for no table has an order of its own.

    Sorted, so that sums over the cells have the same last digit every time.
    """
    lines = session.rows(f"SELECT {', '.join([*shorts, *sums])} FROM {cells} ORDER BY {', '.join(shorts)}")
    columns = list(zip(*lines, strict=True)) or [()] * (len(shorts) + len(sums))
    coded = [encode(values, name) for values, name in zip(columns, shorts.values(), strict=False)]
    numbers = {
        name: np.array(values, dtype=np.int64 if name in _WHOLE else np.float64)
        for name, values in zip(sums, columns[len(shorts) :], strict=True)
    }
    return [labels for labels, _ in coded], [codes for _, codes in coded], numbers


def _take_codes(session: Session, cells: str, shorts: dict[str, str], sums: list[str]) -> _Taken:
    """Millions of cells: each label once, and cells as whole numbers."""
    labels: list[Sequence[Any]] = []
    for short in shorts:
        session.run(
            f"CREATE TEMP TABLE dict_{short} AS SELECT label, row_number() OVER () - 1 AS code "
            f"FROM (SELECT DISTINCT {short} AS label FROM {cells})"
        )
        lines = session.rows(f"SELECT label FROM dict_{short} ORDER BY code")
        labels.append([label for (label,) in lines])
    joins = "".join(f" JOIN dict_{short} ON c.{short} IS NOT DISTINCT FROM dict_{short}.label" for short in shorts)
    places = ", ".join(f"dict_{short}.code AS code_{short}" for short in shorts)
    numbers = session.arrays(f"SELECT {places}, {', '.join(sums)} FROM {cells}{joins}")
    codes = [np.asarray(numbers.pop(f"code_{short}"), dtype=np.int64) for short in shorts]
    for short in shorts:
        session.run(f"DROP TABLE dict_{short}")
    return labels, codes, numbers


def _tally(keys: tuple[str, ...], labels: list[Sequence[Any]], codes: list[Ints], sums: dict[str, Any]) -> Tally:
    weights = {
        field: np.ma.filled(np.ma.asarray(sums[name], dtype=np.float64), np.nan)
        for field, name in (("weights", "w"), ("squares", "w2"), ("least", "least"))
        if name in sums
    }
    return Tally(
        keys,
        tuple(labels),
        np.array(codes, dtype=np.int64).reshape(len(keys), -1),
        np.asarray(sums["n"], dtype=np.int64),
        unweighed=np.asarray(sums["lacks"]).astype(bool) if "lacks" in sums else None,
        **weights,
    )
