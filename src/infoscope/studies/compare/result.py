"""Comparison: the result of several systems on one truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from infoscope.errors import UnknownNameError
from infoscope.metrics.registry import find
from infoscope.results.base import Result
from infoscope.results.estimate import Difference, Estimate, invert
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance
from infoscope.studies.compare.ranking import Ranking
from infoscope.typing import Json

__all__ = ["Comparison", "Improvement"]


@dataclass(frozen=True)
class Improvement:
    """By what factor A loses less than B (Holt et al., Figure 5), in S_I/H(T) or in 1 − accuracy."""

    a: str
    b: str
    of: str
    factor: Estimate
    paired: bool

    def reversed(self) -> Improvement:
        """By what factor B loses less than A."""
        return Improvement(self.b, self.a, self.of, invert(self.factor), self.paired)


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Who is better, by how much, and how sure that is."""

    kind: ClassVar[str] = "comparison"

    systems: tuple[str, ...]
    samples: Mapping[str, float]
    """Sample size by system, the effective one for weighted samples."""
    level: float
    pairs: tuple[Difference, ...]
    ranking: tuple[Ranking, ...]
    """One for each metric, in the order in which they were asked for."""
    baseline: str | None = None
    positive: str | None = None
    """The class that binary metrics are about; None unless there are two true classes."""
    improvements: tuple[Improvement, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def titled(self, metric: str) -> str:
        """A metric's title, with the class that it is about where it is about one."""
        return find(metric).card.titled(self.positive)

    def pair(self, a: str, b: str, metric: str | None = None) -> Difference:
        """The difference A − B; by default in the first metric."""
        wanted = find(metric).name if metric else self.pairs[0].metric
        found = self.between(a, b, wanted)
        if found is None:
            raise UnknownNameError(
                f"{a!r} against {b!r} in {wanted!r} was not compared; the systems are {', '.join(self.systems)}"
            )
        return found

    def between(self, a: str, b: str, metric: str) -> Difference | None:
        """The difference A − B in a metric; None where the two share no rows in which it is defined."""
        for found in self.pairs:
            if found.metric == metric and {found.a, found.b} == {a, b}:
                return found if found.a == a else found.reversed()
        return None

    def improvement(self, a: str, b: str, of: str) -> Estimate | None:
        """By what factor A loses less than B; None where that does not exist."""
        for found in self.improvements:
            if found.of == of and a != b and {found.a, found.b} == {a, b}:
                return found.factor if found.a == a else found.reversed().factor
        return None

    def reference(self, ranking: Ranking) -> str:
        """The system that the others are compared with: the baseline, or the first of a ranking."""
        return self.baseline or ranking.places[0].name

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per pair and metric."""
        for pair in self.pairs:
            yield {
                "a": pair.a,
                "b": pair.b,
                "metric": pair.metric,
                **dict(pair.estimate.columns("difference")),
                "probability_a_better": pair.probability_a_better,
                "verdict": pair.verdict,
                "significant": pair.significant,
                "paired": pair.paired,
                "correlation": pair.correlation,
                **pair.tests,
            }
