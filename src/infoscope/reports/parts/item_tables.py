"""Tables with a row per item: what each column is called, and what it shows of an item, in one place.

``Table(*listed(items, (Column("system", "name"), lambda each: Name(each.name)), ...), search="systems")``
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Protocol, TypeVar

from infoscope.reports.outline import Cell, Column
from infoscope.reports.phrases import Name
from infoscope.results.estimate import Difference
from infoscope.results.notation import MetricNotation, format_probability

Item = TypeVar("Item")
ItemColumn = tuple[Column, Callable[[Item], Cell]]


def listed(items: Iterable[Item], *columns: ItemColumn[Item]) -> tuple[list[Column], list[tuple[Cell, ...]]]:
    """The columns of a table and its rows, one per item, from what each column shows of an item."""
    return [column for column, _ in columns], [tuple(cell(item) for _, cell in columns) for item in items]


class Grouped(Protocol):
    """Something of one group of rows, by the columns that split them."""

    @property
    def group(self) -> Mapping[str, str] | None:
        """The values of these columns."""


def group_columns(names: Iterable[str]) -> list[ItemColumn[Grouped]]:
    """Columns that say which group a row is about."""
    return [(Column(name, "name"), partial(_group_value, name)) for name in names]


def _group_value(name: str, item: Grouped) -> Name:
    return Name((item.group or {}).get(name, ""))


def difference_columns(
    title: Callable[[Difference], Cell],
    value: Callable[[str, str], float | None] = lambda *_: None,
    *,
    is_corrected: bool = False,
) -> list[ItemColumn[Difference]]:
    """Return two systems, the metric by its title, the difference with its interval, and the verdict on it.

    The verdict is about each pair alone unless it is corrected for all of them. ``value`` gives the number shown of a
    system in a metric, with which differences add up.
    """

    def gap(pair: Difference) -> str:
        notation = MetricNotation(pair.metric)
        return notation.signed(notation.gap(pair.estimate, value(pair.a, pair.metric), value(pair.b, pair.metric)))

    return [
        (Column("A", "name"), lambda pair: Name(pair.a, 24)),
        (Column("B", "name"), lambda pair: Name(pair.b, 24)),
        (Column("metric", "text"), title),
        (Column("A − B"), gap),
        (Column("interval"), lambda pair: MetricNotation(pair.metric).signed_interval(pair.estimate)),
        (Column("P(A better)"), lambda pair: format_probability(pair.probability_a_better)),
        (Column("verdict", "text"), lambda pair: pair.corrected_verdict if is_corrected else pair.verdict),
    ]
