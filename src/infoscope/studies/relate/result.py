"""The result of relating columns: every number that will be shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from infoscope.results.base import Result
from infoscope.results.codec import Json
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance
from infoscope.studies.relate.binning import ColumnSummary
from infoscope.studies.relate.measures import InformationSplit, SetMeasures
from infoscope.studies.relate.triangles import EntropyParts

__all__ = ["Relation", "Relations"]


@dataclass(frozen=True)
class Relation:
    """What two columns tell about each other, or do so given others."""

    first: str
    second: str
    rows: float
    """Rows, or weight, in which no column is missing."""
    information: Estimate
    """Mutual information in bits, conditional where ``given`` names columns."""
    of_first: float | None
    """The number shown of it as a share of the first column's information, given the others; None where that is 0."""
    of_second: float | None
    variation: float
    """H(A|B) + H(B|A) in bits, each given the others."""
    by_chance: float
    """Bits that unrelated columns would show in as many rows, about."""
    p_value: float
    adjusted_p: float
    """Corrected for the number of relations asked for."""
    method: str
    """How P was found: chi-square, permutation, or none where a column is constant."""
    given: tuple[str, ...] = ()
    estimator: str = "counts"
    """What the information was estimated from: counts, or nearest neighbours."""

    def is_significant(self, level: float) -> bool:
        """Whether the relation is more than chance, after correction."""
        return self.adjusted_p <= 1.0 - level + 1e-12


@dataclass(frozen=True, repr=False)
class Relations(Result):
    """What columns tell about each other."""

    kind: ClassVar[str] = "relations"

    columns: tuple[ColumnSummary, ...]
    relations: tuple[Relation, ...]
    """Pairs, the closest first; with a target, each column and the target."""
    conditional: tuple[Relation, ...] = ()
    """The same pairs given other columns."""
    together: SetMeasures | None = None
    splits: tuple[InformationSplit, ...] = ()
    """What two columns tell about the target, and how it may be shared among them."""
    source_triangle: tuple[EntropyParts, ...] = ()
    channel_triangle: tuple[EntropyParts, ...] = ()
    target: str | None = None
    given: tuple[str, ...] = ()
    correction: str = "holm"
    level: float = 0.95
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def pair(self, first: str, second: str, *, given: bool = False) -> Relation:
        """The relation of two columns, in either order."""
        for relation in self.conditional if given else self.relations:
            if {relation.first, relation.second} == {first, second}:
                return relation
        raise KeyError(f"no relation of {first!r} and {second!r}")

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per relation."""
        for relation in (*self.relations, *self.conditional):
            row = {name: value for name, value in vars(relation).items() if name not in ("information", "given")}
            yield row | dict(relation.information.columns("information")) | {"given": ", ".join(relation.given)}
