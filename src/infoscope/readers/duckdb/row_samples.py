"""A few random rows of each cell, chosen by DuckDB in one pass over text and one for each system over columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from infoscope.readers.columns import Columns
from infoscope.readers.duckdb.count import Scan
from infoscope.readers.duckdb.group_by import GroupBy
from infoscope.readers.duckdb.session import Session

__all__ = ["CellSample", "SampleLine", "sampled_cells"]

SampleLine = tuple[int, int | None, tuple[Any, ...]]
"""Rank among the rows of its cell, number where rows have one, and values of a row."""
CellSample = tuple[str, tuple[Any, ...], bool, list[SampleLine]]
"""System, values that identify the cell, whether its rows lack a weight; its rows."""


def sampled_cells(
    session: Session, scan: Scan, columns: Columns, show: Sequence[str], limit: int
) -> Iterator[CellSample]:
    """The rows of each cell whose numbers have the smallest hashes.

    Where the engine can skip to rows by their numbers, these are found first, from the labels alone.
    """
    session.run("SET preserve_insertion_order = true")  # a row has the same number in every run
    if scan.rows_at is None:
        yield from _sampled(session, scan, columns, show, limit)
        return
    found = list(_sampled(session, scan, columns, (), limit))
    numbers = sorted({int(row[1] or 0) for *_, rows in found for row in rows})
    shown = dict(_looked_up(session, scan, show, numbers))
    for system, values, lacks, rows in found:
        yield system, values, lacks, [(rank, number, shown[int(number or 0)]) for rank, number, _ in rows]


def _looked_up(
    session: Session, scan: Scan, show: Sequence[str], numbers: Sequence[int]
) -> Iterator[tuple[int, tuple[Any, ...]]]:
    if not numbers or scan.rows_at is None:
        return
    decoders: list[Callable[[Any], Any]] = [scan.decoders.get(name, _unchanged) for name in show]
    fields = ", ".join([f"{scan.row_number} AS r", *(scan.columns[name] for name in show)])
    statement = f"SELECT {fields} FROM {scan.relation} WHERE {scan.rows_at(numbers)}"
    for number, *values in session.rows(statement, **scan.values):
        yield number, tuple(back(value) for back, value in zip(decoders, values, strict=True))


def _sampled(session: Session, scan: Scan, columns: Columns, show: Sequence[str], limit: int) -> Iterator[CellSample]:
    if scan.narrow is not None:
        scan.narrow(tuple(dict.fromkeys((*columns.names, *show))))
    decoders: list[Callable[[Any], Any]] = [scan.decoders.get(name, _unchanged) for name in show]
    margins = columns.margins
    for part in [(margin,) for margin in margins] if scan.columnar else [margins]:
        group_by = GroupBy(columns, part)
        places = {margin: [list(group_by.names.values()).index(k) for k in group_by.shorts(margin)] for margin in part}
        by_mask = {group_by.mask(margin): margin for margin in part}
        for line in session.rows(_statement(group_by, scan, show, limit), **scan.values):
            *keys, lacks, kept, mask = line
            margin = by_mask[mask] if len(part) > 1 else part[0]
            values = tuple(
                scan.decoders.get(name, _unchanged)(keys[place])
                for name, place in zip(columns.keys(margin), places[margin], strict=True)
            )
            rows = [(row["h"], row["r"], tuple(back(row[f"v{i}"]) for i, back in enumerate(decoders))) for row in kept]
            yield margin[0], values, bool(lacks), rows


def _unchanged(value: Any) -> Any:
    return value


def _statement(group_by: GroupBy, scan: Scan, show: Sequence[str], limit: int) -> str:
    names, columns = group_by.names, group_by.columns
    fields = [f"{scan.columns[name]} AS {short}" for name, short in names.items()]
    fields += [f"{scan.columns[name]} AS v{i}" for i, name in enumerate(show)]
    weight = None if columns.weight is None else f"CAST({scan.columns[columns.weight]} AS DOUBLE)"
    fields.append("0 AS lacks" if weight is None else f"({weight} IS NULL OR isnan({weight}))::INT AS lacks")
    numbered = f"SELECT {', '.join(fields)}, {scan.row_number} AS r FROM {scan.relation}"
    row = ", ".join(["h := hash(r)", "r := r", *(f"v{i} := v{i}" for i in range(len(show)))])
    always = [*(names[name] for name in (*columns.by, columns.truth)), "lacks"]
    sets = [", ".join([*always, *(names[name] for name in margin)]) for margin in group_by.margins]
    several = len(sets) > 1
    groups = f"GROUPING SETS ({', '.join(f'({keys})' for keys in sets)})" if several else sets[0]
    systems = ", ".join(names[margin[0]] for margin in group_by.margins)
    mask = f"GROUPING({systems})" if several else "0"
    return (
        f"SELECT {', '.join(names.values())}, lacks, arg_min(struct_pack({row}), hash(r), {int(limit)}) AS kept, "
        f"{mask} AS mask FROM ({numbered}) AS numbered GROUP BY {groups}"
    )
