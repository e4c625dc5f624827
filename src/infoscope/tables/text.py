"""A table as plain text, for the Python prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infoscope.numeric import Real
from infoscope.tables.missing import left_out

if TYPE_CHECKING:
    from infoscope.tables.contingency import Contingency

__all__ = ["as_text"]

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
    widths = [max(len(row[j]) for row in rows) for j in range(m + 1)]
    widths[0] = max(widths[0], 8)
    lines = [
        row[0].ljust(widths[0])
        + "".join(cell.rjust(width + 2) for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    ]
    return "\n".join([head, *(line.rstrip() for line in lines), *lost])


def _between(totals: Real) -> str:
    """The total of all tables of a batch, or the least and the largest; draws differ by rounding only."""
    low, high = (_number(float(f"{end:.12g}")) for end in (totals[0], totals[-1])) if totals.size else ("0", "0")
    return low if low == high else f"{low} to {high}"


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{float(value):.4g}"
