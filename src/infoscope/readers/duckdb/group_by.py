"""The one SQL statement of counting: group by labels, a missing one being a group of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from infoscope.readers.columns import Columns

__all__ = ["GroupBy", "Margins"]

Margins = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class GroupBy:
    """The statement that counts some margins of a relation in one pass.

    Inside, columns have safe names: ``k0, k1, …`` in the order of ``names``. ``lacks`` tells what
    a row without a weight looks like, ``total`` how weights are summed.
    """

    columns: Columns
    margins: Margins
    lacks: str = "w IS NULL OR isnan(w)"
    total: str = "fsum"

    @property
    def names(self) -> dict[str, str]:
        """Safe names of the caller's columns."""
        systems = [name for margin in self.margins for name in margin]
        keys = (*self.columns.by, self.columns.truth, *systems)
        return {name: f"k{i}" for i, name in enumerate(keys)}

    def shorts(self, margin: tuple[str, ...]) -> list[str]:
        """Safe names of the columns that identify a cell of one margin."""
        return [self.names[key] for key in self.columns.keys(margin)]

    @property
    def sums(self) -> list[str]:
        """What is counted in each cell, by output name."""
        return ["n"] if self.columns.weight is None else ["n", "w", "w2", "least", "lacks"]

    def mask(self, margin: tuple[str, ...]) -> int:
        """ReadOptions GROUPING marks the cells of one margin: a zero bit where its column counts."""
        last = len(self.margins) - 1
        return (2 << last) - 1 - (1 << (last - self.margins.index(margin)))

    def sql(self, relation: str, expressions: Mapping[str, str]) -> str:
        """The statement, for a relation whose columns are given as expressions."""
        names = self.names
        weighted = self.columns.weight is not None
        rows = [f"{expressions[name]} AS {short}" for name, short in names.items()]
        always = [names[name] for name in (*self.columns.by, self.columns.truth)]
        outputs = [*names.values(), "count(*) AS n"]
        inner = f"SELECT {', '.join(rows)} FROM {relation}"
        if weighted:
            rows.append(f"CAST({expressions[self.columns.weight or '']} AS DOUBLE PRECISION) AS w")
            inner = (
                f"SELECT {', '.join([*names.values(), 'w'])}, "
                f"CASE WHEN {self.lacks} THEN 1 ELSE 0 END AS lacks "
                f"FROM (SELECT {', '.join(rows)} FROM {relation}) AS weighed"
            )
            always.append("lacks")
            outputs += [
                f"{self.total}(w) AS w",
                f"{self.total}(w * w) AS w2",
                "min(w) AS least",
                "lacks",
            ]
        sets = [", ".join([*always, *(names[name] for name in m)]) for m in self.margins]
        groups = sets[0]
        if len(sets) > 1:
            groups = f"GROUPING SETS ({', '.join(f'({keys})' for keys in sets)})"
            systems = ", ".join(names[margin[0]] for margin in self.margins)
            outputs.append(f"GROUPING({systems}) AS margin")
        return f"SELECT {', '.join(outputs)} FROM ({inner}) AS counted GROUP BY {groups}"
