"""Krippendorff's alpha, for one category an item or several, and who lowers it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, hstack

from infoscope.annotators.annotations import Annotations
from infoscope.numeric import Real, as_real, ratio

__all__ = ["OddOneOut", "Reliability", "krippendorff_alpha", "odd_one_out", "pooled_kappa"]

_SURE = 0.95


@dataclass(frozen=True, eq=False)
class Reliability:
    """What each item adds to observed and expected disagreement: one sparse matrix, so that weights are one product.

    Disagreement of two answers is the number of categories that only one of them has. For one category an item this
    is the nominal form of alpha.
    """

    columns: csr_array

    @classmethod
    def of(cls, answers: Annotations, without: int | None = None) -> Reliability:
        """The items that two annotators or more answered, one annotator left out where asked."""
        keep = [at for at in range(len(answers.names)) if at != without]
        many = answers.answered[keep].sum(axis=0)
        usable = np.flatnonzero(many >= 2)
        m = many[usable].astype(np.float64)
        chosen = sum((answers.given[at][usable].astype(np.float64) for at in keep[1:]), answers.given[keep[0]][usable])
        chosen = csr_array(chosen, dtype=np.float64)
        squares = np.asarray(chosen.multiply(chosen).sum(axis=1)).ravel()
        apart = (m * np.asarray(chosen.sum(axis=1)).ravel() - squares) / (m - 1)
        rows = csr_array(hstack([csr_array(np.stack([apart, m], axis=1)), chosen], format="csr"))
        placed = csr_array((answers.items, rows.shape[1]))
        if len(usable):
            spread = csr_array(
                (np.ones(len(usable)), (usable, np.arange(len(usable)))), shape=(answers.items, len(usable))
            )
            placed = csr_array(spread @ rows)
        return cls(placed)

    def alpha(self, weights: Real) -> Real:
        """Krippendorff's alpha under weights of the items, (..., items)."""
        flat = weights.reshape(-1, weights.shape[-1])
        sums = as_real((self.columns.T @ flat.T).T).reshape(*weights.shape[:-1], -1)
        observed, n, yes = sums[..., 0], sums[..., 1], sums[..., 2:]
        expected = np.sum(yes * (n[..., None] - yes), axis=-1) / np.maximum(n - 1, 1)
        return 1.0 - ratio(observed, expected)


def krippendorff_alpha(answers: Annotations) -> float:
    """Agreement of all annotators beyond chance: 1 is perfect, 0 is what random answers reach.

    NaN where every answer is the same, so that there is nothing to disagree about.
    """
    return float(Reliability.of(answers).alpha(np.ones(answers.items)))


def pooled_kappa(both: Real, truth: Real, system: Real, n: float) -> float:
    """Cohen's kappa with disagreement and chance summed over categories; NaN where neither side varies."""
    observed = np.sum(truth + system - 2 * both)
    expected = np.sum(truth * (n - system) + system * (n - truth)) / n
    return float(1.0 - ratio(observed, expected))


@dataclass(frozen=True)
class OddOneOut:
    """The annotator without whom the others agree best."""

    name: str
    alpha_without: float
    gain: float
    """How much alpha rises without this annotator."""
    probability: float
    """Share of resampled item sets in which it is this annotator again, and alpha rises."""
    finding: bool


def odd_one_out(
    answers: Annotations, draws: int, rng: np.random.Generator
) -> tuple[dict[str, float], OddOneOut | None]:
    """Alpha without each annotator, and who stands apart; None for two annotators, of whom neither can."""
    if len(answers.names) < 3:
        return {}, None
    whole = Reliability.of(answers)
    others = [Reliability.of(answers, without=at) for at in range(len(answers.names))]
    ones = np.ones(answers.items)
    without = np.array([float(each.alpha(ones)) for each in others])
    by_name = {name: value for name, value in zip(answers.names, without.tolist(), strict=True) if np.isfinite(value)}
    if np.isnan(without).any() or draws < 2:
        return by_name, None
    odd = int(np.argmax(without))
    again = 0
    for _ in range(draws):
        weights = np.bincount(rng.integers(answers.items, size=answers.items), minlength=answers.items).astype(float)
        drawn = np.array([float(each.alpha(weights)) for each in others])
        # without variation alpha is undefined, and nothing stands apart
        again += int(drawn[odd] >= np.nanmax(drawn, initial=-np.inf) and drawn[odd] > float(whole.alpha(weights)))
    gain = float(without[odd] - whole.alpha(ones))
    share = again / draws
    return by_name, OddOneOut(answers.names[odd], float(without[odd]), gain, share, bool(share >= _SURE and gain > 0))
