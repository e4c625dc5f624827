"""What scores are worth in a few numbers: proper scoring rules of probabilities, and how well a score ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoscope.core.numerics import Real
from infoscope.studies.operating_points.ranking import ScoreRanking, area_under_roc
from infoscope.studies.operating_points.reliability import are_probabilities
from infoscope.studies.operating_points.scores import Probabilities

__all__ = ["NO_PROBABILITIES", "SUMMARY_WORDS", "ScoreSummary", "probability_summary", "score_summary"]

_LEAST = float(np.finfo(np.float64).eps)
"""A probability of 0 that was wrong counts as this in the log loss, as scikit-learn has it."""


@dataclass(frozen=True)
class ScoreSummary:
    """Scores against their truth; a number that does not exist is None.

    Scoring rules need scores between 0 and 1; numbers of a ranking need two classes, both with samples.
    """

    samples: float
    positives: float | None = None
    prevalence: float | None = None
    """Share of the samples that are positive."""
    mean_score: float | None = None
    over_prediction: float | None = None
    """Summed scores over the positives, less 1: 0.1 is one positive in ten too many."""
    log_loss: float | None = None
    """Mean of −log of the probability that the true class was given, in nats."""
    normalized_log_loss: float | None = None
    """1 − log loss over that of always stating the prevalence: 1 is perfect, 0 knows the prevalence only."""
    perplexity: float | None = None
    """e to the log loss, equally likely classes that the probabilities leave to guess among; None if infinite."""
    brier_score: float | None = None
    """Mean squared distance of the probability from 0 or 1; of several classes the sum over them."""
    normalized_brier_score: float | None = None
    """1 − Brier score over that of always stating the prevalence."""
    sure_false_positives: float | None = None
    """Negatives with a score of exactly 1."""
    sure_false_negatives: float | None = None
    """Positives with a score of exactly 0."""
    roc_auc: float | None = None
    lift_quality: float | None = None
    """Area between the curve of gains and chance, over that of a perfect ranker: 2·AUC − 1."""
    best_lift: float | None = None
    """Lift at the threshold where the curve of gains is farthest above chance: there one more row brings lift 1."""
    best_lift_threshold: float | None = None
    best_lift_share: float | None = None
    """Share of the rows that are predicted positive there."""


NO_PROBABILITIES = (
    "Log loss, Brier score and over-prediction need probabilities, and these scores lie below 0 or above 1; logits are "
    "taken with --raw (raw=True)."
)
SUMMARY_WORDS = {
    "prevalence": "prevalence",
    "mean_score": "mean score",
    "over_prediction": "over-prediction",
    "log_loss": "log loss",
    "normalized_log_loss": "normalized log loss",
    "perplexity": "perplexity",
    "brier_score": "Brier score",
    "normalized_brier_score": "normalized Brier score",
    "sure_false_positives": "sure false positives",
    "sure_false_negatives": "sure false negatives",
    "roc_auc": "area under the ROC curve",
    "lift_quality": "lift quality",
    "best_lift": "best lift",
    "best_lift_threshold": "threshold of the best lift",
    "best_lift_share": "share predicted positive there",
}
"""What reports call each number."""


def score_summary(
    levels: ScoreRanking, *, probabilities: bool | None = None, roc_auc: float | None = None
) -> ScoreSummary:
    """Everything about one score, from its distinct values and how often each class has them.

    ``probabilities`` says whether the scores are; by default they are where all lie between 0 and 1. ``roc_auc`` is the
    area under the ROC curve where it is known.

    >>> found = score_summary(ScoreRanking(np.array([0.9, 0.2]), np.array([1, 1]), np.array([1, 3]), 1.0, 3.0))
    >>> print(f"{found.brier_score:.4f} {found.lift_quality:.2f} {found.best_lift:.0f}")
    0.0300 1.00 3
    """
    prevalence = levels.positives / levels.total
    are = are_probabilities(levels) if probabilities is None else probabilities
    rules = _as_probabilities(levels, prevalence) if are else {}
    return ScoreSummary(levels.total, levels.positives, prevalence, **rules, **_as_ranking(levels, roc_auc))


def _as_probabilities(levels: ScoreRanking, prevalence: float) -> dict[str, float | None]:
    scores = levels.thresholds
    hits = np.diff(levels.hits, prepend=0).astype(np.float64)
    misses = np.diff(levels.false_alarms, prepend=0).astype(np.float64)
    surprise = -hits @ np.log(np.maximum(scores, _LEAST)) - misses @ np.log(np.maximum(1.0 - scores, _LEAST))
    summed = float((hits + misses) @ scores)
    log_loss = float(surprise) / levels.total
    brier = float(hits @ (1.0 - scores) ** 2 + misses @ scores**2) / levels.total
    shares = np.array([prevalence, 1.0 - prevalence])
    sure_alarms, sure_misses = float(misses @ (scores == 1.0)), float(hits @ (scores == 0.0))
    return {
        "mean_score": summed / levels.total,
        "over_prediction": summed / levels.positives - 1.0 if levels.positives > 0 else None,
        "log_loss": log_loss,
        "normalized_log_loss": _skill(log_loss, _nats(shares)),
        "perplexity": _perplexity(log_loss, zeros=sure_alarms + sure_misses),
        "brier_score": brier,
        "normalized_brier_score": _skill(brier, prevalence * (1.0 - prevalence)),
        "sure_false_positives": sure_alarms,
        "sure_false_negatives": sure_misses,
    }


def _perplexity(log_loss: float, *, zeros: float) -> float | None:
    """Infinite, which JSON does not have, where a true class was given a probability of 0."""
    return None if zeros > 0 else float(np.exp(log_loss))


def _skill(loss: float, loss_of_prevalence: float) -> float | None:
    return 1.0 - loss / loss_of_prevalence if loss_of_prevalence > 0 else None


def _nats(shares: Real) -> float:
    return float(-np.sum(shares * np.log(np.where(shares > 0, shares, 1.0))))


def _as_ranking(levels: ScoreRanking, area: float | None) -> dict[str, float | None]:
    if not 0 < levels.positives < levels.total:
        return {}
    area = area_under_roc(levels) if area is None else area
    at, ahead = -1, 0.0
    first = -1  # of a stretch that starts with the level before it
    for hits, alarms in levels.stretches():
        gain = hits / levels.positives - alarms / levels.total
        top = int(np.argmax(gain))
        if gain[top] > ahead:
            at, ahead = first + top, float(gain[top])
        first += len(hits) - 1
    found: dict[str, float | None] = {"roc_auc": area, "lift_quality": 2.0 * area - 1.0}
    if at < 0:
        return found
    share = float(levels.alarms[at] / levels.total)
    lift = float(levels.hits[at] / levels.positives) / share
    return {**found, "best_lift": lift, "best_lift_threshold": float(levels.thresholds[at]), "best_lift_share": share}


def probability_summary(given: Probabilities) -> ScoreSummary:
    """The scoring rules of probabilities of every class; of two classes as of the probability of one of them."""
    weights = np.ones(len(given.truth)) if given.weights is None else given.weights
    total = float(weights.sum())
    shares = np.bincount(given.truth, weights, minlength=len(given.labels)) / total
    surprise = squares = zeros = 0.0
    for block in given.blocks():
        values = np.asarray(given.values[block], dtype=np.float64)
        values = values / values.sum(axis=1, keepdims=True)
        own = values[np.arange(len(values)), given.truth[block]]
        surprise -= float(weights[block] @ np.log(np.maximum(own, _LEAST)))
        zeros += float(weights[block] @ (own == 0.0))
        squares += float(weights[block] @ ((values**2).sum(axis=1) - 2.0 * own + 1.0))
    halved = 2.0 if len(given.labels) == 2 else 1.0
    log_loss, brier = surprise / total, squares / total / halved
    return ScoreSummary(
        total,
        log_loss=log_loss,
        normalized_log_loss=_skill(log_loss, _nats(shares)),
        perplexity=_perplexity(log_loss, zeros=zeros),
        brier_score=brier,
        normalized_brier_score=_skill(brier, float(1.0 - np.sum(shares**2)) / halved),
    )
