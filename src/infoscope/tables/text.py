"""A table as plain text, for the Python prompt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from infoscope.core.numerics import Real
from infoscope.tables.missing import left_out

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency

__all__ = ["as_text", "with_probabilities"]

_WHOLE = 12


def as_text(table: Contingency) -> str:
    """A headline, and the numbers themselves when there are few."""
    k, m = table.shape
    totals = np.unique(np.asarray(table.grand_total))
    kind = "samples" if table.sample_size is not None and table.weight_squares is None else "total weight"
    batch = f"{int(np.prod(table.batch_shape))} tables, each " if table.batch_shape else ""
    head = f"Contingency of {batch}{_between(totals)} {kind}, {k} truth × {m} system classes"
    if table.reject is not None:
        head += f", {table.reject!r} = rejected"
    if table.is_sparse:
        head += f", {table.cells.shape[-1]} cells stored"
    lost = [left_out(count, reason) for reason, count in table.ignored.items()]
    if table.batch_shape or table.is_sparse or max(k, m) > _WHOLE:
        return "\n".join([head, *lost])
    rows = [["", *map(str, table.system_labels)]]
    rows += [
        [str(label), *(_number(value) for value in row)]
        for label, row in zip(table.truth_labels, table.values, strict=True)
    ]
    return "\n".join([head, *_lined_up(rows), *lost])


def with_probabilities(table: Contingency) -> str:
    """The same, and below it the joint and the marginal probabilities where there are few.

    >>> from infoscope.tables import Contingency
    >>> print(Contingency.from_matrix([[3, 1], [0, 4]], truth=["cat", "dog"]))
    Contingency of 8 samples, 2 truth × 2 system classes
              cat  dog
    cat         3    1
    dog         0    4
    joint and marginal probabilities
                  cat     dog  p(truth)
    cat        0.3750  0.1250    0.5000
    dog        0.0000  0.5000    0.5000
    p(system)  0.3750  0.6250
    """
    if table.batch_shape or table.is_sparse or max(table.shape) > _WHOLE or not table.grand_total > 0:
        return as_text(table)
    total = float(table.grand_total)
    rows = [["", *map(str, table.system_labels), "p(truth)"]]
    for label, row, sum_ in zip(table.truth_labels, table.values, table.row_totals, strict=True):
        rows.append([str(label), *(f"{value / total:.4f}" for value in (*row, sum_))])
    rows.append(["p(system)", *(f"{value / total:.4f}" for value in table.column_totals), ""])
    return "\n".join([as_text(table), "joint and marginal probabilities", *_lined_up(rows)])


def _lined_up(rows: list[list[str]]) -> Iterator[str]:
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    widths[0] = max(widths[0], 8)
    for row in rows:
        cells = (cell.rjust(width + 2) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield (row[0].ljust(widths[0]) + "".join(cells)).rstrip()


def _between(totals: Real) -> str:
    """The total of all tables of a batch, or the least and the largest; draws differ by rounding only."""
    low, high = (_number(float(f"{end:.12g}")) for end in (totals[0], totals[-1])) if totals.size else ("0", "0")
    return low if low == high else f"{low} to {high}"


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{float(value):.4g}"
