"""The provenance of a result: source, rows, what was left out, hashes of the counts, when and by which command."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from infoscope.core.markup import ShortRepr
from infoscope.core.validation import KeywordHints
from infoscope.results.finding import Finding
from infoscope.tables.counting import describe_ignored
from infoscope.typing import Json


def get_time() -> str:
    """Return the time to the second in UTC, or SOURCE_DATE_EPOCH where it is set, so that outputs can be reproduced."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdecimal() else datetime.now(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class IgnoredRows:
    """Rows that do not enter the numbers, and why."""

    reason: str
    rows: int


@dataclass(frozen=True, repr=False)
class Provenance(ShortRepr, KeywordHints):
    """Facts that a reader needs to check a result and to make it again."""

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
    made: str | None = field(default_factory=get_time, compare=False, metadata={"absent": None})
    """When, in UTC, as 2026-11-16T06:40:00Z; None in documents of earlier versions."""
    run: str | None = None
    """Which run it is, where one was named: a build, a night, an epoch."""

    @property
    def rows_ignored(self) -> int:
        """Rows left out in all."""
        return sum(item.rows for item in self.ignored)


def describe_ignored_rows(ignored: Iterable[IgnoredRows]) -> tuple[Finding, ...]:
    """Return a warning for each reason why rows do not enter the numbers."""
    return tuple(
        Finding(
            "rows_ignored",
            f"{describe_ignored(item.rows, item.reason)}.",
            "warning",
            {"reason": item.reason, "rows": item.rows},
        )
        for item in ignored
    )
