"""The result of a multi-label evaluation: every number that will be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from infoscope.results.base import SystemsResult
from infoscope.results.estimate import Difference, Estimate
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, Provenance
from infoscope.studies.multilabel.assignment import Chance, Reassignment
from infoscope.studies.multilabel.hierarchy import Level
from infoscope.studies.multilabel.measures import MEASURES

__all__ = ["REASONS", "CategoryResult", "MultilabelEvaluation", "Predictor", "SampleSpread"]

REASONS = {each.name: each.card.undefined for each in MEASURES} | {
    "adjusted_proficiency": "the truth holds no more information than chance would find in it",
    "chance_proficiency": "the truth holds no information",
    "joint_proficiency": "all objects carry the same set of categories",
}
"""Why a metric may have no value."""


@dataclass(frozen=True)
class SampleSpread:
    """Mean and standard deviation over objects, categories or halves of the data."""

    mean: float
    sd: float
    bias: float | None = None
    """Of halves: their mean less the value of all objects."""
    least: float | None = None
    most: float | None = None
    """Of objects and categories: the smallest and the largest number."""


@dataclass(frozen=True)
class CategoryResult:
    """One category on both sides."""

    label: str
    support: int
    declared: int
    both: int
    association: Literal["negative", "none", "positive"]
    proficiency: float | None
    information: float | None
    entropy: float | None
    missed_share: float | None
    precision: Estimate
    recall: Estimate
    f1: Estimate


@dataclass(frozen=True)
class Predictor:
    """One predictor against the truth."""

    name: str
    truth_name: str
    n: int
    categories: tuple[str, ...]
    metrics: Mapping[str, Estimate]
    classes: tuple[CategoryResult, ...]
    reassignments: tuple[Reassignment, ...]
    permutation_chance: Chance | None
    """What renaming gains on shuffled labels."""
    label_sets: Mapping[str, SampleSpread]
    """Categories per object and objects per category on both sides."""
    stability: Mapping[str, SampleSpread]
    """Every metric over both halves of random splits."""
    splits: int
    draws: int
    """Objects are drawn with replacement this often; intervals are reflected percentiles."""
    levels: tuple[Level, ...]
    diagnosis: tuple[Finding, ...]
    ignored: tuple[IgnoredRows, ...] = ()
    """Objects that one side lacks."""

    def value(self, metric: str) -> float | None:
        """A metric's plug-in value; None where it is undefined."""
        return self.metrics[metric].value


@dataclass(frozen=True, eq=False, repr=False)
class MultilabelEvaluation(SystemsResult[Predictor]):
    """Predictors of label sets on one truth."""

    kind: ClassVar[str] = "multilabel"

    systems: tuple[Predictor, ...]
    objects: int
    """Objects of the truth."""
    pairs: tuple[Difference, ...] = ()
    """Differences of two predictors on the objects that all of them have."""
    ranking: tuple[str, ...] = ()
    """Predictors by proficiency, the best first."""
    common_objects: int | None = None
    level: float = 0.95
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
