"""Krippendorff's alpha: for one category per item or several, for ordered categories and numbers; and who lowers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array, hstack

from infoscope.core.numerics import Real, as_real, ratio
from infoscope.errors import InputError
from infoscope.results.estimate import Estimate
from infoscope.studies.agreement.annotations import Annotations
from infoscope.tables.transformations import stated_scale

__all__ = [
    "AnnotationScale",
    "OddOneOut",
    "Reliability",
    "ReliabilityDraws",
    "Scale",
    "ScaledReliability",
    "annotation_scale",
    "krippendorff_alpha",
    "pooled_kappa",
]

_SURE = 0.95
_FEW_CATEGORIES = 64
"""Up to this many, a whole array is faster than a sparse one."""


@dataclass(frozen=True, eq=False)
class Reliability:
    """What each row adds to observed and expected disagreement, so that weights of the rows are one product.

    Disagreement of two label sets is the number of categories that only one of them has. For one category an item this
    is the nominal form of alpha. One block of columns for everyone, or for several sets of annotators.
    """

    columns: csr_array | Real
    """Rows × blocks of (disagreement, labels, labels per category); an array where there are few categories."""
    width: int

    @classmethod
    def of(cls, annotations: Annotations, left_out: Sequence[int | None] = (None,)) -> Reliability:
        """The items that two annotators or more labelled; a block for each annotator to be left out (None: nobody)."""
        blocks = [_contributions(annotations, annotations.total, without) for without in left_out]
        if len(annotations.categories) <= _FEW_CATEGORIES:
            return cls(np.hstack([block.toarray() for block in blocks]), len(annotations.categories) + 2)
        return cls(csr_array(hstack(blocks, format="csr")), len(annotations.categories) + 2)

    def alpha(self, weights: Real) -> Real:
        """Krippendorff's alpha under weights of the rows, (..., rows); the last axis of the result are the blocks."""
        if isinstance(self.columns, np.ndarray):
            flat = as_real(weights @ self.columns)
        else:
            flat = as_real((self.columns.T @ weights.reshape(-1, weights.shape[-1]).T).T)
        sums = flat.reshape(*weights.shape[:-1], -1, self.width)
        observed, n, yes = sums[..., 0], sums[..., 1], sums[..., 2:]
        expected = np.sum(yes * (n[..., None] - yes), axis=-1) / np.maximum(n - 1, 1)
        return 1.0 - ratio(observed, expected)


def _contributions(annotations: Annotations, whole: csr_array, without: int | None) -> csr_array:
    """Disagreement, labels, and labels per category of each row that counts."""
    many = annotations.labelled.sum(axis=0).astype(np.float64)
    chosen = whole
    if without is not None:
        many = many - annotations.labelled[without]
        chosen = csr_array(whole - annotations.given[without])
    usable = many >= 2
    m = np.where(usable, many, 0.0)
    chosen = csr_array(chosen.multiply(usable[:, None].astype(np.float64)))
    squares = np.asarray(chosen.multiply(chosen).sum(axis=1)).ravel()
    apart = (m * np.asarray(chosen.sum(axis=1)).ravel() - squares) / np.maximum(m - 1, 1.0)
    return csr_array(hstack([csr_array(np.stack([apart, m], axis=1)), chosen], format="csr"))


def krippendorff_alpha(annotations: Annotations) -> float:
    """Agreement of all annotators beyond chance: 1 is perfect, 0 is what random labels reach.

    NaN where every label is the same, so that there is nothing to disagree about.
    """
    return float(Reliability.of(annotations).alpha(as_real(annotations.counts))[0])


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
    """Fraction of resampled item sets in which it is this annotator again, and alpha rises."""
    finding: bool


@dataclass(frozen=True, eq=False)
class ReliabilityDraws:
    """Alpha of everyone, and without each annotator, as observed and in resampled item sets."""

    names: tuple[str, ...]
    alpha: float
    without: Real
    """Alpha without each annotator; empty for two annotators."""
    drawn_alpha: Real
    drawn_without: Real
    """Draws × annotators."""

    @classmethod
    def of(
        cls, annotations: Annotations, draws: int, rng: np.random.Generator, scale: AnnotationScale
    ) -> ReliabilityDraws:
        """Everything from the same resampled item sets."""
        left_out = [None, *(range(len(annotations.names)) if len(annotations.names) > 2 else ())]
        nominal = scale.kind == "nominal"
        blocks = (
            Reliability.of(annotations, left_out) if nominal else ScaledReliability.of(annotations, scale, left_out)
        )
        found = blocks.alpha(as_real(annotations.counts))
        empty = np.empty((0, len(found)))
        drawn = np.concatenate([empty, *(blocks.alpha(weights) for weights in annotations.resampled(draws, rng))])
        return cls(annotations.names, float(found[0]), found[1:], drawn[:, 0], drawn[:, 1:])

    def alpha_estimate(self, level: float) -> Estimate:
        """Alpha and its interval."""
        if not np.isfinite(self.alpha):
            return Estimate(None, undefined="all labels are the same")
        known = self.drawn_alpha[np.isfinite(self.drawn_alpha)]
        if len(known) < 2:
            return Estimate(self.alpha)
        tail = (1 - level) / 2
        low, high = np.quantile(known, [tail, 1 - tail])
        return Estimate(self.alpha, low=float(low), high=float(high))

    def alpha_without(self) -> dict[str, float]:
        """Alpha of the others alone, by name, where it is defined."""
        known = zip(self.names, self.without.tolist(), strict=False)
        return {name: value for name, value in known if np.isfinite(value)}

    def odd_one_out(self) -> OddOneOut | None:
        """Who stands apart; None for two annotators, of whom neither can."""
        if not len(self.without) or np.isnan(self.without).any() or len(self.drawn_alpha) < 2:
            return None
        odd = int(np.argmax(self.without))
        # without variation alpha is undefined, and nothing stands apart
        highest = np.where(np.isnan(self.drawn_without), -np.inf, self.drawn_without).max(axis=1)
        mine = self.drawn_without[:, odd]
        probability = float(np.mean((mine >= highest) & (mine > self.drawn_alpha)))
        gain = float(self.without[odd] - self.alpha)
        stands_apart = bool(probability >= _SURE and gain > 0)
        return OddOneOut(self.names[odd], float(self.without[odd]), gain, probability, stands_apart)


Scale = Literal["nominal", "ordinal", "interval"]
SCALES: tuple[Scale, ...] = ("nominal", "ordinal", "interval")


@dataclass(frozen=True, eq=False)
class AnnotationScale:
    """How far two categories are apart: not at all or wholly, by ranks, or by their difference as numbers."""

    kind: Scale
    values: Real
    """Of each category: its place in the order, or its number; empty for names."""


def annotation_scale(annotations: Annotations, scale: str | None, ordinal: object | None) -> AnnotationScale:
    """What was stated about the categories, checked against those that occur; an order alone means ordinal."""
    kind = scale or ("nominal" if ordinal is None else "ordinal")
    if kind not in SCALES:
        raise InputError(f"scale is {scale!r}; it is one of {', '.join(SCALES)}")
    if kind != "ordinal" and ordinal is not None:
        raise InputError(f"ordinal states the order of categories, and scale is {kind!r}; leave one of them out")
    if kind == "nominal":
        return AnnotationScale("nominal", np.empty(0))
    if not annotations.single:
        raise InputError(f"an {kind} scale is for one category per item, and here items have several; leave it out")
    if ordinal is not None:
        order = stated_scale(ordinal, annotations.categories, None)
        return AnnotationScale("ordinal", np.array([float(order.index(label)) for label in annotations.categories]))
    return AnnotationScale("ordinal" if kind == "ordinal" else "interval", _numbers(annotations, kind))


def _numbers(annotations: Annotations, kind: str) -> Real:
    """The categories as numbers, also where they were read as text."""
    found = []
    for label in annotations.categories:
        try:
            value = float(str(label))
        except ValueError:
            value = np.nan
        if not np.isfinite(value):
            way = "state the order with ordinal= (--ordinal)" if kind == "ordinal" else "give numbers"
            raise InputError(f"category {label!r} is no number, so the scale cannot be {kind} by itself; {way}")
        found.append(value)
    return np.array(found)


@dataclass(frozen=True, eq=False)
class ScaledReliability:
    """Items × categories for everyone, and without each annotator in turn, on a scale.

    The squared distance of ranks that Krippendorff defines is that of mid-ranks, so both scales need only the sums and
    the sums of squares of values within items. Ranks follow from the items drawn, so they are made anew for each draw.
    """

    blocks: tuple[csr_array, ...]
    scale: AnnotationScale

    @classmethod
    def of(cls, annotations: Annotations, scale: AnnotationScale, left_out: Sequence[int | None]) -> ScaledReliability:
        """A block for each annotator to be left out (None: nobody); items with fewer than two labels have none."""
        order = np.argsort(scale.values, kind="stable")
        whole = annotations.total
        blocks = []
        for without in left_out:
            chosen = whole if without is None else csr_array(whole - annotations.given[without])
            many = np.asarray(chosen.sum(axis=1)).ravel()
            kept = csr_array(chosen.multiply((many >= 2)[:, None].astype(np.float64)))
            blocks.append(csr_array(kept[:, order]))
        return cls(tuple(blocks), AnnotationScale(scale.kind, scale.values[order]))

    def alpha(self, weights: Real) -> Real:
        """Krippendorff's alpha under weights of the rows, (..., rows); the last axis are the blocks."""
        flat = weights.reshape(-1, weights.shape[-1])
        found = np.stack([self._alpha(block, flat) for block in self.blocks], axis=-1)
        return as_real(found.reshape(*weights.shape[:-1], len(self.blocks)))

    def _alpha(self, block: csr_array, weights: Real) -> Real:
        used = as_real((block.T @ weights.T).T)
        n = used.sum(axis=1)
        values = self._values(used)
        values = values - ratio(np.sum(used * values, axis=1), n)[:, None]
        many = np.asarray(block.sum(axis=1)).ravel()
        sums, squares = as_real(block @ values.T), as_real(block @ (values**2).T)
        apart = (many[:, None] * squares - sums**2) / np.maximum(many - 1, 1.0)[:, None]
        observed = np.sum(weights.T * apart, axis=0)
        expected = n * np.sum(used * values**2, axis=1) / np.maximum(n - 1, 1.0)
        return as_real(1.0 - ratio(observed, expected))

    def _values(self, used: Real) -> Real:
        """What categories are worth: their numbers, or the mid-ranks of the labels drawn."""
        if self.scale.kind == "interval":
            return np.broadcast_to(self.scale.values, used.shape)
        return np.cumsum(used, axis=1) - used / 2
