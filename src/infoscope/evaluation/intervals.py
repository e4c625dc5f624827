"""Where the intervals of a result come from: level, method and sample size, in fields and in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Interval"]


@dataclass(frozen=True)
class Interval:
    """How the intervals of one system were made; ``method`` is "none" where there are none."""

    level: float
    method: str
    text: str
    """The same as a sentence without a full stop."""
    prior: str | None = None
    seed: int | None = None
    clusters: int | None = None
    samples_to_halve: int | None = None
    """How many further samples would halve the interval of proficiency."""

    def to_dict(self) -> dict[str, Any]:
        """What is known, under its name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any] | None) -> Interval | None:
        """The record that ``to_dict`` wrote."""
        return None if record is None else cls(**record)
