"""What relations say in words: what pays only through something else, and what few rows cannot tell."""

from __future__ import annotations

from collections.abc import Iterator

from infoscope.results.finding import Finding
from infoscope.studies.relate.result import Relations
from infoscope.tables.patterns import Patterns
from infoscope.typing import Json

__all__ = ["relation_findings"]

ROWS_PER_STRATUM = 5
DISTINCT_SHARE = 0.5
MENTIONED = 3
SYNERGY_BITS = 0.01
EXPLAINED = 0.25
"""A relation is explained where at most this share of it is left beyond chance: "not significant" is no evidence."""


def relation_findings(found: Relations, patterns: Patterns) -> Iterator[Finding]:
    """Sentences about relations, the most telling first."""
    yield from _only_given(found)
    yield from _only_together(found)
    yield from _thin_strata(found, patterns)
    yield from _mostly_chance(found)
    if found.together is not None:
        whole = patterns.select(found.together.columns).complete()
        if len(whole) > DISTINCT_SHARE * whole.total:
            yield Finding(
                "all_rows_differ",
                f"{len(whole):,} of {whole.total:,g} rows are different: what columns tell together, and what "
                "each tells alone, cannot be read from so few rows. Name fewer columns, or use fewer bins.",
                "warning",
                evidence={"distinct": len(whole), "rows": whole.total},
            )


def _only_given(found: Relations) -> Iterator[Finding]:
    """Relations that show only once other columns are given, and relations that vanish then."""
    given = " and ".join(map(repr, found.given))
    for relation in found.conditional[: 10 * MENTIONED]:
        alone = found.pair(relation.first, relation.second)
        bits, before = relation.information.shown or 0.0, alone.information.shown or 0.0
        shows, showed = relation.is_significant(found.level), alone.is_significant(found.level)
        evidence: dict[str, Json] = {"columns": [relation.first, relation.second], "given": bits, "alone": before}
        if shows and not showed:
            yield Finding(
                "only_given",
                f"What {relation.first!r} tells about {relation.second!r} shows only given {given}: "
                f"{bits:.3f} bits, {before:.4f} alone.",
                evidence=evidence,
            )
        elif showed and not shows and bits - relation.by_chance <= EXPLAINED * before:
            yield Finding(
                "explained_by",
                f"What {relation.first!r} tells about {relation.second!r} ({before:.3f} bits) is explained by {given}.",
                evidence=evidence,
            )


def _only_together(found: Relations) -> Iterator[Finding]:
    for split in sorted(found.splits, key=lambda split: -split.only_together.low)[:MENTIONED]:
        low = split.only_together.low
        if low > SYNERGY_BITS + 2 * split.by_chance and low > 0.5 * split.together:
            yield Finding(
                "only_together",
                f"{split.first!r} and {split.second!r} tell {split.together:.3f} bits of {split.target!r} together, "
                f"of which at least {low:.3f} only together.",
                evidence={"columns": [split.first, split.second], "together": split.together, "low": low},
            )


def _thin_strata(found: Relations, patterns: Patterns) -> Iterator[Finding]:
    if not found.given:
        return
    whole = patterns.select(list(found.given)).complete()
    if whole.total < ROWS_PER_STRATUM * len(whole):
        yield Finding(
            "thin_strata",
            f"{len(whole):,} combinations of {', '.join(map(repr, found.given))} have {whole.total / len(whole):.1f} "
            "rows each on average: information given them grows by chance; compare it with the column “by chance”.",
            "warning",
            evidence={"strata": len(whole), "rows": whole.total},
        )


def _mostly_chance(found: Relations) -> Iterator[Finding]:
    names = [
        f"{relation.first!r} and {relation.second!r}"
        for relation in found.relations[:MENTIONED]
        if relation.is_significant(found.level) and relation.by_chance > 0.5 * (relation.information.value or 0.0)
    ]
    if names:
        yield Finding(
            "mostly_chance",
            f"More than half of the information between {'; '.join(names)} is what chance alone would show in so few "
            "rows.",
            "warning",
            evidence={"pairs": names},
        )
