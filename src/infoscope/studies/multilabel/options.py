"""What may be asked of a multi-label evaluation: how two sides are paired, and how much resampling is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from infoscope.errors import InputError, UnknownNameError, check_level
from infoscope.studies.multilabel.assignment import AssignBy
from infoscope.tables.label_sets import OneSided

__all__ = ["PairingOptions", "ResamplingOptions"]

_WORK = 4e8
"""Resampling is cut down where draws times memberships would exceed this, to a hundred draws at least."""


@dataclass(frozen=True)
class PairingOptions:
    """How the objects of two sides are paired, and how their categories are."""

    one_sided: OneSided = "leave_out"
    assign_by: AssignBy = "information"
    """What the renaming of categories makes greatest: shared bits, or the sum of the categories' proficiencies."""

    def __post_init__(self) -> None:
        """Reject words that mean nothing."""
        for name, kind in (("one_sided", OneSided), ("assign_by", AssignBy)):
            if getattr(self, name) not in get_args(kind):
                known = " or ".join(map(repr, get_args(kind)))
                raise UnknownNameError(f"{name} is {getattr(self, name)!r}; it is {known}")


@dataclass(frozen=True)
class ResamplingOptions:
    """How much resampling is done, and at what level intervals are given."""

    level: float = 0.95
    draws: int = 1000
    shuffles: int | None = None
    splits: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        """Reject numbers that mean nothing."""
        check_level(self.level)
        for name in ("draws", "shuffles", "splits"):
            count = getattr(self, name)
            if count is not None and count < 0:
                raise InputError(f"{name} is {count}; give 0 to leave it out, or a positive number")

    def affordable(self, count: int, memberships: int) -> int:
        """As many draws as asked, or as the work allows."""
        return min(count, max(100, int(_WORK / max(memberships, 1))))

    def shuffles_for(self, categories: int) -> int:
        """As asked, or by the number of categories: every shuffle compares all pairs of them."""
        if self.shuffles is not None:
            return self.shuffles
        return 199 if categories <= 200 else 39 if categories <= 1000 else 19
