"""The result of drift: what changed between two periods, without a truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from infoscope.results.base import Result
from infoscope.results.codec import Json
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance
from infoscope.studies.drift.chance import DriftPart

__all__ = ["Drift", "PairDrift", "SystemDrift"]


@dataclass(frozen=True)
class SystemDrift:
    """What one system says in the two periods: other items, or another system."""

    name: str
    items: tuple[int, int]
    shown: DriftPart
    """I(A;P): how much its labels tell about the period."""
    p_adjusted: float
    """P of all systems considered at once (Holm)."""


@dataclass(frozen=True)
class PairDrift:
    """How two systems relate in the two periods.

    I(A,B;P) = I(A;P) + I(B;P|A) = I(B;P) + I(A;P|B), over the items that both labelled.
    """

    first: str
    second: str
    items: tuple[int, int]
    mutual_information: tuple[float, float]
    variation_of_information: tuple[float, float]
    both: DriftPart
    """I(A,B;P): anything that changed."""
    first_alone: DriftPart
    second_alone: DriftPart
    second_given_first: DriftPart
    first_given_second: DriftPart
    p_adjusted: float
    """P of a changed relation, all pairs considered at once (Holm): both conditional parts must differ."""

    @property
    def information(self) -> float:
        """Bits per item by which the relation changed: the smaller of the two conditional parts."""
        return min(self.second_given_first.information, self.first_given_second.information)


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Result):
    """What changed between two periods: what systems were shown, and how they relate."""

    kind: ClassVar[str] = "drift"

    before: str
    after: str
    items: tuple[int, int]
    systems: tuple[SystemDrift, ...]
    pairs: tuple[PairDrift, ...]
    changed: tuple[str, ...] = ()
    """Systems whose relation to every other one changed, while the others still relate as before."""
    level: float = 0.05
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(system.name for system in self.systems)

    def pair(self, first: str, second: str) -> PairDrift:
        """One pair by its names, in either order."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        raise KeyError(f"no pair {first!r} and {second!r}; the systems are {', '.join(map(repr, self.names))}")

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per pair."""
        for pair in self.pairs:
            row: dict[str, Json] = {"first": pair.first, "second": pair.second, "p_adjusted": pair.p_adjusted}
            row |= {"items_before": pair.items[0], "items_after": pair.items[1]}
            for name in ("both", "first_alone", "second_alone", "second_given_first", "first_given_second"):
                part: DriftPart = getattr(pair, name)
                row |= {f"{name}.{key}": value for key, value in vars(part).items()}
            yield row
