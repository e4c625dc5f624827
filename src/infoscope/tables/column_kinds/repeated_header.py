"""Rows that hold the names of their columns, as in files that were put together with their headers."""

from __future__ import annotations

from collections.abc import Sequence

from infoscope.core.markup import counted
from infoscope.tables import Contingency

__all__ = ["repeated_header"]


def repeated_header(tables: Sequence[tuple[str, Contingency]], truth: str | None) -> str | None:
    """The sentence about such rows of tables with their systems' names; None where there are none.

    Names that each of the two columns has in other rows as well are labels.

    >>> rows = Contingency.from_labels(["a", "gold", "b"], ["a", "svm", "b"])
    >>> print(repeated_header([("svm", rows)], "gold").split(":")[0])
    1 row holds the names of its columns, 'gold' and 'svm'
    """
    for name, table in tables:
        if truth in table.truth_labels and name in table.system_labels:
            true = table.cell_rows == table.truth_labels.index(truth)
            predicted = table.cell_columns == table.system_labels.index(name)
            here = true & predicted
            are_labels = all(table.cells[..., side & ~here].any() for side in (true, predicted))
            rows = float(table.cells[..., here].sum())
            if rows and not are_labels:
                found = counted(rows, "row") if table.is_counts else "Some rows"
                hold, whose = ("holds", "its") if found == "1 row" else ("hold", "their")
                return (
                    f"{found} {hold} the names of {whose} columns, {truth!r} and {name!r}: the header "
                    "seems to be repeated, as where files are put together; remove these lines."
                )
    return None
