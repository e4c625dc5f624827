"""What labels and judge say of one system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from infoscope.results.estimate import Estimate

__all__ = ["JudgedStratum", "JudgedSystem"]


@dataclass(frozen=True)
class JudgedStratum:
    """Rows with one verdict and one prediction."""

    verdict: str
    prediction: str
    rows: float
    labels: float
    right: Estimate
    """Share of them in which the prediction is right."""


@dataclass(frozen=True)
class JudgedSystem:
    """One system by the labels alone and by the judge alone; by both it is among the systems of the evaluation."""

    name: str
    labels: float
    """Rows with a true label and a prediction."""
    rows: float
    """Rows that the figures are about."""
    labels_only: Mapping[str, Estimate]
    judge_as_truth: Mapping[str, Estimate]
    """What would come out if verdicts were true labels: wrong by as much as the judge is."""
    further_labels: float
    """How many further labels the judge is worth, for the accuracy."""
    others: Mapping[str, Estimate] = field(default_factory=dict)
    """The accuracy by estimators of others: ``ppi`` (PPI++) and ``lee`` (bias-adjusted)."""
    strata: tuple[JudgedStratum, ...] = ()
    """Those of most rows, by verdict and prediction."""
    accepted_errors: Estimate | None = None
    """How often the judge accepts a wrong prediction, by the labels; None where no verdict accepts one."""
