"""What is counted: pairs of labels on one device, and the range of whole numbers that are classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from infoscope.tables.device.libraries import Library, Tensor

__all__ = ["Span", "TensorPairs"]


@dataclass(frozen=True)
class Span:
    """The labels that are counted: whole numbers from ``low`` on, as many as there are classes."""

    low: int
    classes: int
    ignored: int | None = None
    """The true label whose pairs are left out."""

    @property
    def pairs(self) -> int:
        """Cells of the table; two follow it: pairs out of range, and pairs left out."""
        return self.classes * self.classes

    def covers(self, other: Span) -> bool:
        """Whether all labels of another range are in this one."""
        return self.low <= other.low and other.low + other.classes <= self.low + self.classes

    def union(self, other: Span) -> Span:
        """The smallest range that covers both."""
        low = min(self.low, other.low)
        return Span(low, max(self.low + self.classes, other.low + other.classes) - low)

    @property
    def cells(self) -> int:
        """Cells of the table with the two that follow it."""
        return self.pairs + 2


@dataclass(frozen=True)
class TensorPairs:
    """Labels, and maybe weights, of one library on one device, row by row."""

    truth: Tensor
    system: Tensor
    weights: Tensor | None
    library: Library
    borrowed: tuple[Any, ...] = ()
    """Arrays of another library whose memory these are; it must not be freed before the counting is done."""

    def __len__(self) -> int:
        return len(self.truth)
