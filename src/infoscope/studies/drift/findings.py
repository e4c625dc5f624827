"""What two periods of several systems say, as sentences."""

from __future__ import annotations

from collections.abc import Iterator

from infoscope.core.markup import counted
from infoscope.results.finding import Finding
from infoscope.results.notation import p_statement
from infoscope.studies.drift.result import Drift, PairDrift

__all__ = ["drift_findings"]

MAX_PAIRS = 10
"""Pairs that are named."""


def drift_findings(found: Drift) -> Iterator[Finding]:
    """Changed relations first, then what was shown, then what would not have been found."""
    changed = [pair for pair in found.pairs if pair.p_adjusted <= found.level]
    for name in found.changed:
        yield Finding(
            "system_changed",
            f"{name} changed: its relation to every other system is different in {found.after}, and the others relate "
            "to each other as before.",
            "warning",
            {"system": name},
        )
    for pair in sorted(changed, key=lambda each: each.p_adjusted)[:MAX_PAIRS]:
        yield _relation(found, pair)
    yield _items(found)
    yield from _missing(found)
    if not changed and found.pairs:
        yield _not_found(found)


def _relation(found: Drift, pair: PairDrift) -> Finding:
    which = "" if len(found.names) > 2 else " Which of the two changed needs a third system or labels."
    return Finding(
        "relation_changed",
        f"{pair.first} and {pair.second} relate to each other differently in {found.after} "
        f"({pair.information:.3g} bits per item, {p_statement(pair.p_adjusted)}).{which}",
        "warning",
        {"systems": [pair.first, pair.second], "bits": pair.information, "p_value": pair.p_adjusted},
    )


def _missing(found: Drift) -> Iterator[Finding]:
    """Systems without a label in some rows."""
    rows = sum(found.items)
    for system in found.systems:
        if lost := rows - sum(system.items):
            text = f"{system.name!r} has no label in {lost:,} of {counted(rows, 'row')}; its tests use the others."
            yield Finding("missing_values", text, evidence={"column": system.name, "missing": lost / rows})


def _items(found: Drift) -> Finding:
    steady = [system for system in found.systems if system.name not in found.changed]
    other = [system for system in steady if system.p_adjusted <= found.level]
    if not other:
        least = min((system.p_adjusted for system in steady), default=1.0)
        text = f"What the systems were shown did not change measurably ({p_statement(least)})."
        return Finding("same_items", text, evidence={"p_value": least})
    names = ", ".join(system.name for system in other[:5])
    least = min(system.p_adjusted for system in other)
    return Finding(
        "items_changed",
        f"Labels of {names} come in other frequencies in {found.after} ({p_statement(least)}): the items changed, or "
        "all of these systems did. A changed mix of classes also moves relations a little.",
        "warning",
        {"systems": [system.name for system in other], "p_value": least},
    )


def _not_found(found: Drift) -> Finding:
    parts = (part for pair in found.pairs for part in (pair.second_given_first, pair.first_given_second))
    detectable = [part.smallest_found for part in parts if part.smallest_found is not None]
    if not detectable:
        text = (
            "No pair of systems relates differently: a label of one system that occurs in both periods always comes "
            "with the same label of the other."
        )
        return Finding("no_relation_changed", text)
    return Finding(
        "no_relation_changed",
        f"No pair of systems relates differently. A change of {max(detectable):.2g} bits per item would have been "
        "found with probability 80%; a smaller one may be there.",
        evidence={"smallest_found": max(detectable)},
    )
