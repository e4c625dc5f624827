"""Where a result comes from: source, rows, what was left out, hashes of the counts, options and command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from infoscope.results.codec import Json
from infoscope.results.finding import Finding
from infoscope.tables.missing import left_out

__all__ = ["IgnoredRows", "Provenance", "ignored_rows"]


@dataclass(frozen=True)
class IgnoredRows:
    """Rows that do not enter the numbers, and why."""

    reason: str
    rows: int


@dataclass(frozen=True)
class Provenance:
    """What a reader needs to check a result and to make it again."""

    source: str | None = None
    rows: int | None = None
    ignored: tuple[IgnoredRows, ...] = ()
    hashes: Mapping[str, str] = field(default_factory=dict)
    """A name for what was counted of each system: equal labels and counts have equal hashes."""
    options: Mapping[str, Json] = field(default_factory=dict)
    command: str | None = None
    """As it was typed; None where a program asked."""
    version: str | None = None
    """Of infoscope, when the result was made."""

    @property
    def rows_ignored(self) -> int:
        """Rows left out in all."""
        return sum(item.rows for item in self.ignored)


def ignored_rows(ignored: Iterable[IgnoredRows]) -> tuple[Finding, ...]:
    """A warning for each reason why rows do not enter the numbers."""
    return tuple(
        Finding(
            "rows_ignored",
            f"{left_out(item.rows, item.reason)}.",
            "warning",
            {"reason": item.reason, "rows": item.rows},
        )
        for item in ignored
    )
