"""A finding: one sentence about the data or the systems, with its code and its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from infoscope.results.codec import Json

__all__ = ["Finding", "Severity"]

Severity = Literal["note", "warning"]


@dataclass(frozen=True)
class Finding:
    """One sentence with its code, its evidence and how loud it is."""

    code: str
    text: str
    severity: Severity = "note"
    evidence: Mapping[str, Json] = field(default_factory=dict)
    action: str = ""
    """What to do about it, in two or three words."""
    tag: str = ""
    """The finding in two or three words, for a cell of a table."""

    @property
    def is_warning(self) -> bool:
        """Whether a reader must know it before using the numbers."""
        return self.severity == "warning"
