"""The result of annotators without a truth: every number that will be shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance
from infoscope.studies.agreement.pairs import ConfusedCategories, PairAgreement
from infoscope.studies.agreement.reliability import OddOneOut
from infoscope.typing import Json

__all__ = ["Agreement", "Annotator", "AnnotatorMap"]


@dataclass(frozen=True)
class Annotator:
    """One annotator against all others."""

    name: str
    items: int
    """Items with a label of this annotator."""
    mean_proficiency: float | None
    """Mean proficiency between this annotator and the others, in both directions."""
    alpha_without: float | None
    """Krippendorff's alpha of the others alone."""
    used: Mapping[str, int]
    """How often each category was used."""


@dataclass(frozen=True)
class AnnotatorMap:
    """Annotators by the variation of information between them, over the items that all labelled."""

    names: tuple[str, ...]
    items: int
    """Items that all labelled: only over the same items is the variation of information a distance."""
    distances: tuple[tuple[float, ...], ...]
    """Bits between every two annotators."""
    points: tuple[tuple[float, float], ...]
    """Places in a plane (classical scaling)."""
    stress: float
    """Kruskal's stress: how far distances in the plane are off; rough above 0.2."""
    merges: tuple[tuple[int, int, float], ...]
    """A tree by average linkage: which two groups join, at how many bits; groups are numbered on from the names."""
    farthest: str
    """The annotator with the greatest mean distance from the others."""


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """How annotators agree, without a truth."""

    kind: ClassVar[str] = "agreement"

    annotators: tuple[Annotator, ...]
    items: int
    categories: tuple[str, ...]
    multilabel: bool
    """Whether an item may have several categories."""
    krippendorff_alpha: Estimate
    odd_one_out: OddOneOut | None
    pairs: tuple[PairAgreement, ...]
    confused: tuple[ConfusedCategories, ...]
    """Categories that one annotator uses where another uses a different one, beyond chance."""
    map: AnnotatorMap | None = None
    """Annotators in a plane and in a tree; None for label sets, and where no item was labelled by all."""
    scale: str = "nominal"
    """How far labels are apart for alpha: nominal, ordinal or interval."""
    coefficients: Mapping[str, Estimate] = field(default_factory=dict)
    """Observed agreement, Fleiss' and Randolph's kappa and Gwet's AC1 of all annotators; empty for label sets."""
    left_out: int = 0
    """Items that fewer than two annotators labelled: nothing can be said of agreement on them."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The annotators by name."""
        return tuple(annotator.name for annotator in self.annotators)

    def matrix(self, metric: str = "proficiency") -> list[list[float | None]]:
        """Annotators × annotators: rows are taken as the truth, columns as the system."""
        found = {(pair.truth, pair.system): getattr(pair, metric) for pair in self.pairs}
        return [[1.0 if a == b else found.get((a, b)) for b in self.names] for a in self.names]

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per ordered pair of annotators."""
        for pair in self.pairs:
            row = {name: value for name, value in vars(pair).items() if name not in ("renamings", "information")}
            if pair.information is not None:
                for name in ("mutual_information", "variation_of_information"):
                    row |= dict(getattr(pair.information, name).columns(name))
                row |= dict(pair.information.proficiency.columns("proficiency"))
            yield row
