"""Tables with a row per item: what each column is called, and what it shows of an item, in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Protocol, TypeVar

from infoscope.reports.outline import Cell, Column, Name

__all__ = ["Grouped", "group_columns", "listed"]

Item = TypeVar("Item")


def listed(
    items: Iterable[Item], *columns: tuple[Column, Callable[[Item], Cell]]
) -> tuple[list[Column], list[tuple[Cell, ...]]]:
    """The columns of a table and its rows, one per item, from what each column shows of an item."""
    return [column for column, _ in columns], [tuple(cell(item) for _, cell in columns) for item in items]


class Grouped(Protocol):
    """Something of one group of rows, by the columns that split them."""

    @property
    def group(self) -> Mapping[str, str] | None:
        """The values of these columns."""


def group_columns(names: Iterable[str]) -> list[tuple[Column, Callable[[Grouped], Cell]]]:
    """Columns that say which group a row is about."""
    return [(Column(name, "name"), partial(_group_value, name)) for name in names]


def _group_value(name: str, item: Grouped) -> Name:
    return Name((item.group or {}).get(name, ""))
