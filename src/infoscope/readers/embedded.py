"""Counting inside DuckDB: one scan, one group by, only the cells come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from infoscope.readers.columns import Columns
from infoscope.readers.session import Session
from infoscope.readers.tally import Tally, encode

__all__ = ["Scan", "count_scan"]

_SMALL = 20_000
_SETS = 32  # the engine's bit mask of grouping sets has room for 64 columns


@dataclass(frozen=True)
class Scan:
    """Where rows come from: a FROM clause with bound values, and each column as an expression."""

    relation: str
    values: dict[str, Any]
    columns: dict[str, str]


def count_scan(session: Session, scan: Scan, columns: Columns) -> list[Tally]:
    """One tally for each margin, from one pass over the rows."""
    tallies: list[Tally] = []
    margins = columns.margins
    for start in range(0, len(margins), _SETS):
        some = margins[start : start + _SETS]
        _count(session, scan, columns, some)
        tallies += [_fetch(session, columns, some, margin) for margin in some]
        session.run("DROP TABLE cells")
    return tallies


def _names(columns: Columns, margins: tuple[tuple[str, ...], ...]) -> dict[str, str]:
    """Safe names inside the statement for the caller's columns."""
    systems = [name for margin in margins for name in margin]
    return {name: f"k{i}" for i, name in enumerate((*columns.by, columns.truth, *systems))}


def _count(
    session: Session, scan: Scan, columns: Columns, margins: tuple[tuple[str, ...], ...]
) -> None:
    names = _names(columns, margins)
    rows = [f"{scan.columns[name]} AS {short}" for name, short in names.items()]
    sums = ["count(*) AS n"]
    always = [names[name] for name in (*columns.by, columns.truth)]
    if columns.weight is not None:
        rows.append(f"CAST({scan.columns[columns.weight]} AS DOUBLE) AS w")
        sums += ["fsum(w) AS w", "fsum(w * w) AS w2", "min(w) AS least"]
        always.append("lacks")
    inner = f"SELECT {', '.join(rows)} FROM {scan.relation}"
    if columns.weight is not None:
        inner = f"SELECT *, w IS NULL OR isnan(w) AS lacks FROM ({inner})"
    sets = [", ".join([*always, *(names[name] for name in margin)]) for margin in margins]
    groups = (
        f"GROUPING SETS ({', '.join(f'({keys})' for keys in sets)})" if len(sets) > 1 else sets[0]
    )
    outputs = [*always, *(names[name] for margin in margins for name in margin), *sums]
    if len(sets) > 1:
        systems = ", ".join(names[margin[0]] for margin in margins)
        outputs.append(f"GROUPING({systems}) AS margin")
    session.run(
        f"CREATE TEMP TABLE cells AS SELECT {', '.join(outputs)} FROM ({inner}) GROUP BY {groups}",
        **scan.values,
    )


def _fetch(
    session: Session,
    columns: Columns,
    margins: tuple[tuple[str, ...], ...],
    margin: tuple[str, ...],
) -> Tally:
    names = _names(columns, margins)
    keys = columns.keys(margin)
    shorts = [names[key] for key in keys]
    cells = "cells"
    if len(margins) > 1:
        mask = (1 << len(margins)) - 1 - (1 << (len(margins) - 1 - margins.index(margin)))
        cells = f"(SELECT * FROM cells WHERE margin = {mask})"
    size = session.run(f"SELECT count(*) FROM {cells} AS c").fetchone()
    if size is not None and size[0] <= _SMALL:
        lines = session.run(f"SELECT {', '.join(shorts)} FROM {cells} AS c").fetchall()
        fields = list(zip(*lines, strict=True)) or [()] * len(keys)
        coded = [encode(values, key) for key, values in zip(keys, fields, strict=True)]
        labels = [values for values, _ in coded]
        codes = [places for _, places in coded]
        sums = session.run(f"SELECT {_sums(columns)} FROM {cells} AS c").fetchnumpy()
    else:
        labels = [_dictionary(session, cells, short) for short in shorts]
        joins = "".join(
            f" JOIN dict_{short} ON c.{short} IS NOT DISTINCT FROM dict_{short}.label"
            for short in shorts
        )
        places = ", ".join(f"dict_{short}.code AS code_{short}" for short in shorts)
        sums = session.run(
            f"SELECT {places}, {_sums(columns)} FROM {cells} AS c{joins}"
        ).fetchnumpy()
        codes = [np.asarray(sums.pop(f"code_{short}"), dtype=np.int64) for short in shorts]
        for short in shorts:
            session.run(f"DROP TABLE dict_{short}")
    return _tally(keys, labels, codes, sums)


def _sums(columns: Columns) -> str:
    return "n" if columns.weight is None else "n, w, w2, least, lacks"


def _dictionary(session: Session, cells: str, short: str) -> list[Any]:
    session.run(
        f"CREATE TEMP TABLE dict_{short} AS SELECT label, row_number() OVER () - 1 AS code "
        f"FROM (SELECT DISTINCT {short} AS label FROM {cells} AS c)"
    )
    lines = session.run(f"SELECT label FROM dict_{short} ORDER BY code").fetchall()
    return [label for (label,) in lines]


def _tally(keys: tuple[str, ...], labels: Any, codes: Any, sums: dict[str, Any]) -> Tally:
    plain = {
        name: np.ma.filled(column, np.nan) if name not in ("n", "lacks") else np.asarray(column)
        for name, column in sums.items()
    }
    weighted = (
        {
            "weights": plain["w"],
            "squares": plain["w2"],
            "least": plain["least"],
            "unweighed": plain["lacks"].astype(bool),
        }
        if "w" in plain
        else {}
    )
    return Tally(
        keys,
        tuple(labels),
        np.array(codes, dtype=np.int64).reshape(len(keys), -1),
        plain["n"].astype(np.int64),
        **weighted,
    )
