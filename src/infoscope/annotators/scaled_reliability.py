"""Krippendorff's alpha for ordered categories and for numbers: disagreement grows with the distance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from infoscope.annotators.annotations import Annotations
from infoscope.errors import InputError
from infoscope.numeric import Real, as_real, ratio
from infoscope.quick_dataclasses import dataclass
from infoscope.tables.scale import stated_scale

__all__ = ["AnnotationScale", "Scale", "ScaledReliability", "annotation_scale"]

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
