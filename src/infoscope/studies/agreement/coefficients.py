"""Agreement of all annotators in one number, by several ideas of what chance would do; one category per item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from infoscope.core.numerics import Real, as_real, ratio
from infoscope.metrics.registry import Card, Metric, describe_metric, register
from infoscope.results.estimate import Estimate
from infoscope.studies.agreement.annotations import Annotations
from infoscope.studies.agreement.reliability import krippendorff_alpha as alpha_of

__all__ = ["COEFFICIENTS", "AgreementSums", "coefficient_estimates"]

_SAME = "all labels are the same"
_ONE = "only one category is used"


@dataclass(frozen=True, eq=False)
class AgreementSums:
    """Sums over items with at least two labels; leading axes are a batch of weightings of the items."""

    agreeing: Real
    """Fraction of the pairs of an item's labels that agree, summed over the items."""
    items: Real
    used: Real
    """How often each category is used, (..., categories)."""

    @classmethod
    def of(cls, annotations: Annotations, weights: Real) -> AgreementSums:
        """The sums under weights of the rows, (..., rows)."""
        whole = annotations.total
        many = np.asarray(whole.sum(axis=1)).ravel()
        squares = np.asarray(whole.multiply(whole).sum(axis=1)).ravel()
        usable = many >= 2
        agreeing = np.where(usable, (squares - many) / np.maximum(many * (many - 1), 1.0), 0.0)
        kept = csr_array(whole.multiply(usable[:, None].astype(np.float64)))
        used = as_real((kept.T @ weights.reshape(-1, weights.shape[-1]).T).T).reshape(*weights.shape[:-1], -1)
        return cls(as_real(weights @ agreeing), as_real(weights @ usable.astype(np.float64)), used)

    @property
    def observed(self) -> Real:
        """Mean fraction of agreeing pairs over the items."""
        return ratio(self.agreeing, self.items)

    @property
    def frequencies(self) -> Real:
        """Fraction of each category among all labels."""
        return ratio(self.used, self.used.sum(axis=-1)[..., None])


def _beyond(observed: Real, by_chance: Real) -> Real:
    return ratio(observed - by_chance, 1.0 - by_chance)


def _coefficient(card: Card) -> Callable[[Callable[[AgreementSums], Real]], Metric]:
    return lambda score: register(describe_metric(score, card, domain="annotations"))


@_coefficient(
    Card("Observed agreement", "P_o", r"\operatorname{mean}_i\frac{\sum_k n_{ik}(n_{ik}-1)}{m_i(m_i-1)}", "fleiss1971")
)
def observed_agreement(sums: AgreementSums) -> Real:
    """Fraction of the pairs of labels of an item that are the same, mean over items with two labels or more."""
    return sums.observed


@_coefficient(
    Card(
        title="Fleiss' kappa",
        symbol="κ_F",
        formula=r"\frac{P_o-\sum_k p_k^2}{1-\sum_k p_k^2}",
        source="fleiss1971",
        range=(-1.0, 1.0),
        aliases=("Fleiss kappa", "multi-rater kappa"),
        undefined=_SAME,
        note="Items may have different numbers of labels; each item counts once.",
    )
)
def fleiss_kappa(sums: AgreementSums) -> Real:
    """Agreement of several annotators beyond what their common use of the categories reaches by chance."""
    return _beyond(sums.observed, np.sum(sums.frequencies**2, axis=-1))


@_coefficient(
    Card(
        title="Randolph's kappa",
        symbol="κ_free",
        formula=r"\frac{P_o-1/K}{1-1/K}",
        source="randolph2005",
        range=(-1.0, 1.0),
        aliases=("Randolph kappa", "free-marginal kappa", "Brennan-Prediger"),
        undefined=_ONE,
        note="K counts the categories that occur.",
    )
)
def randolph_kappa(sums: AgreementSums) -> Real:
    """Agreement of several annotators beyond that of categories chosen evenly at random."""
    return _beyond(sums.observed, np.full(sums.items.shape, 1.0 / sums.used.shape[-1]))


@_coefficient(
    Card(
        title="Gwet's AC1 of several annotators",
        symbol="AC1",
        formula=r"\frac{P_o-P_e}{1-P_e},\ P_e=\frac{\sum_k p_k(1-p_k)}{K-1}",
        source="gwet2008",
        range=(-1.0, 1.0),
        undefined=_ONE,
    )
)
def gwet_ac1(sums: AgreementSums) -> Real:
    """Agreement beyond chance that stays sensible where one category prevails."""
    p = sums.frequencies
    return _beyond(sums.observed, ratio(np.sum(p * (1 - p), axis=-1), np.float64(sums.used.shape[-1] - 1)))


COEFFICIENTS: tuple[Metric, ...] = (observed_agreement, fleiss_kappa, randolph_kappa, gwet_ac1)


def coefficient_estimates(annotations: Annotations, drawn: AgreementSums | None, level: float) -> dict[str, Estimate]:
    """Every coefficient with its interval; nothing for label sets."""
    if not annotations.single:
        return {}
    whole = AgreementSums.of(annotations, as_real(annotations.counts))
    return {
        each.name: _estimate(each, whole, None if drawn is None else each.score(drawn), level) for each in COEFFICIENTS
    }


def _estimate(coefficient: Metric, whole: AgreementSums, draws: Real | None, level: float) -> Estimate:
    found = Estimate.of(float(coefficient.score(whole)), coefficient.card.undefined)
    known = np.empty(0) if draws is None else draws[np.isfinite(draws)]
    if found.value is None or len(known) < 2:
        return found
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(found.value, low=float(low), high=float(high))


def _alpha(annotations: Annotations) -> Real:
    """Agreement of annotators beyond chance, with gaps, for names, ordered categories or numbers."""
    return np.asarray(alpha_of(annotations))


register(
    replace(
        describe_metric(
            _alpha,
            Card(
                title="Krippendorff's alpha",
                symbol="α_K",
                formula=r"1-\frac{D_o}{D_e}",
                source="krippendorff2011",
                range=(-1.0, 1.0),
                aliases=("Krippendorff alpha",),
                undefined=_SAME,
                note="Labels differ or not; by scale='ordinal' ranks do, by scale='interval' differences of numbers.",
            ),
            domain="annotations",
        ),
        name="krippendorff_alpha",
    )
)
