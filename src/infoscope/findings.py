"""A finding: something a reader should know about the data or the numbers, found by its code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """One sentence, the code that programs ask for, and the numbers behind it."""

    code: str
    text: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As documents list it."""
        return {"code": self.code, "text": self.text, "evidence": dict(self.evidence)}
