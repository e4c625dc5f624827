"""Probabilities as output: soft tables, and what they say in bits about each sample's truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from infoscope.core.numerics import Real, distinct
from infoscope.errors import InputError
from infoscope.metrics.ordinal import ranked_probability_score as hard_score
from infoscope.metrics.shannon import entropies
from infoscope.studies.operating_points.scores import Probabilities, class_probabilities
from infoscope.tables import Contingency
from infoscope.tables.labels import Label
from infoscope.tables.transformations import stated_scale
from infoscope.typing import ArrayLike, Frame, LabelsLike

__all__ = [
    "ProbabilisticScores",
    "cross_entropy",
    "information_score",
    "probabilistic_scores",
    "soft_table",
]


def soft_table(
    y_true: LabelsLike,
    y_score: ArrayLike | Frame,
    *,
    classes: Sequence[Any] | None = None,
    weight: ArrayLike | None = None,
    normalize: bool = False,
) -> Contingency:
    """The table in which every sample is spread over the columns by its probabilities.

    It keeps the row totals of the hard table and holds what is believed, not what is decided.

    >>> print(soft_table(["a", "b"], [[0.75, 0.25], [0.5, 0.5]]).counts.tolist())
    [[0.75, 0.25], [0.5, 0.5]]
    """
    return softened(_checked(y_true, y_score, classes, weight, normalize=normalize))


def _checked(
    y_true: Any, y_score: Any, classes: Sequence[Any] | None, weight: Any, *, normalize: bool
) -> Probabilities:
    return class_probabilities(y_score, y_true, classes=classes, sample_weight=weight, normalize=normalize)


def softened(given: Probabilities) -> Contingency:
    """The soft table of checked probabilities."""
    k = len(given.labels)
    counts = np.zeros((k, k))
    for block in given.blocks():
        part = np.asarray(given.values[block], dtype=np.float64)
        part = part / part.sum(axis=1, keepdims=True)
        if given.weights is not None:
            part = part * given.weights[block][:, None]
        owner = given.truth[block]
        present = np.zeros((k, len(owner)))
        present[owner, np.arange(len(owner))] = 1.0
        counts += present @ part
    weights = np.ones(len(given.truth)) if given.weights is None else given.weights
    cells = np.indices((k, k)).reshape(2, -1)
    return Contingency.from_cells(
        given.labels,
        given.labels,
        cells[0],
        cells[1],
        counts.reshape(-1),
        declared=True,
        ignored=given.ignored,
        weight_squares=float(np.sum(weights**2)),
    )


@dataclass(frozen=True)
class ProbabilisticScores:
    """What probabilities are worth, in bits, beside the hard decisions that are taken from them."""

    cross_entropy: float
    """Mean surprise at the truth: infinite where a true class got probability 0."""
    log_information: float
    """H(T) − cross-entropy: bits that the probabilities really give; negative where they mislead."""
    information_score: float
    """Kononenko and Bratko's average information score."""
    relative_information_score: float
    """The same over the entropy of the class frequencies."""
    soft_mutual_information: float
    hard_mutual_information: float
    truth_entropy: float
    ranked_probability_score: float | None = None
    """Squared distance of the cumulative probabilities from the truth, 0 to 1, where an order of classes was stated."""
    hard_ranked_probability_score: float | None = None
    """The same of the most probable class alone."""

    @property
    def perplexity(self) -> float:
        """2 to the cross-entropy: among how many equally likely classes the probabilities leave one to guess.

        Infinite where a true class got probability 0. The truth alone leaves ``2**truth_entropy``, so that a
        predictor beyond that misleads.
        """
        return float(np.exp2(self.cross_entropy))


def probabilistic_scores(
    y_true: LabelsLike,
    y_score: ArrayLike | Frame,
    *,
    classes: Sequence[Any] | None = None,
    weight: ArrayLike | None = None,
    normalize: bool = False,
    ordinal: Sequence[Any] | None = None,
) -> ProbabilisticScores:
    """Soft and hard numbers of the same output, side by side.

    ``ordinal`` names the classes from the lowest to the highest: then the ranked probability score is among them.
    """
    given = _checked(y_true, y_score, classes, weight, normalize=normalize)
    predictions = np.concatenate([np.argmax(given.values[block], axis=1) for block in given.blocks()])
    k = len(given.labels)
    hard = np.bincount(given.truth * k + predictions, given.weights, minlength=k * k).reshape(k, k)
    table = Contingency.from_matrix(hard, truth=given.labels)
    h = entropies(table)
    scale = None if ordinal is None else stated_scale(ordinal, given.labels, None)
    surprise = cross_entropy(given)
    score = information_score(given)
    return ProbabilisticScores(
        cross_entropy=surprise,
        log_information=float(h.truth) - surprise,
        information_score=score,
        relative_information_score=score / float(h.truth),
        soft_mutual_information=float(entropies(softened(given)).mutual),
        hard_mutual_information=float(h.mutual),
        truth_entropy=float(h.truth),
        ranked_probability_score=None if scale is None else ranked_probability_score(given, scale),
        hard_ranked_probability_score=None if scale is None else float(hard_score(replace(table, ordinal=scale))),
    )


def ranked_probability_score(given: Probabilities, scale: Sequence[Label]) -> float:
    """Mean over the samples of Σ (F − O)² over the steps of the scale, as a share of these (Epstein 1969)."""
    places = [scale.index(label) for label in given.labels]
    order = np.argsort(places)
    steps = np.diff(np.append(np.array(places)[order], len(scale) - 1))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    scores = np.empty(len(given.truth))
    for block in given.blocks():
        values = np.asarray(given.values[block], dtype=np.float64)[:, order]
        forecast = np.cumsum(values / values.sum(axis=1, keepdims=True), axis=1)
        happened = rank[given.truth[block]][:, None] <= np.arange(len(order))
        scores[block] = ((forecast - happened) ** 2) @ steps
    return float(np.average(scores, weights=given.weights)) / (len(scale) - 1)


def _of_truth(given: Probabilities) -> Real:
    """Probability that each sample's own class was given; rows are taken as summing to one."""
    own = given.values[np.arange(len(given.truth)), given.truth].astype(np.float64)
    sums = np.concatenate([given.values[block].sum(axis=1, dtype=np.float64) for block in given.blocks()])
    return own / sums


def cross_entropy(given: Probabilities) -> float:
    """Mean of −log2 of the probability that the true class was given, in bits."""
    own = _of_truth(given)
    if np.any(own[slice(None) if given.weights is None else given.weights > 0] == 0):
        return float("inf")
    return float(-np.average(np.log2(np.where(own > 0, own, 1.0)), weights=given.weights))


def information_score(given: Probabilities) -> float:
    """Kononenko and Bratko's score: bits by which the true class became likelier, less those by which it became rarer.

    A sample whose class rises from its share P to P' scores log2(P'/P); one whose class falls scores
    −log2((1−P')/(1−P)). The prior probabilities are the prevalences of the true classes.
    """
    counts = np.bincount(given.truth, given.weights, minlength=len(given.labels))
    shares = counts / counts.sum()
    if np.any(shares[distinct(given.truth)] <= 0):
        raise InputError("a true class has samples of weight 0 alone; give one of them a weight above 0")
    before, after = shares[given.truth], _of_truth(given)
    rises = after >= before
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.where(rises, np.log2(after / before), -np.log2((1 - after) / (1 - before)))
    return float(np.average(gain, weights=given.weights))
