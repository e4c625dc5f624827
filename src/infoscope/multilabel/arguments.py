"""What a metric of label sets may be called with: the sums over objects, or the label sets themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, TypedDict, Unpack, overload

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.arguments import LabelCounting
from infoscope.metrics.registry import Card, described, registered
from infoscope.multilabel.assignment import MOST_CATEGORIES, assignment_of
from infoscope.multilabel.input_checks import objects_left_out
from infoscope.multilabel.sources import LabelSetFormat, check_sides, label_sets
from infoscope.multilabel.sums import CategorySums, ObjectSums
from infoscope.numeric import Real
from infoscope.tables.categorization import Categorization, aligned
from infoscope.tables.missing import warn_of

__all__ = [
    "LabelSetKeywords",
    "LabelSetMetric",
    "LabelSetSource",
    "aligned_sets",
    "label_set_metric",
    "object_weights",
]

LabelSetSource: TypeAlias = Iterable[object] | str
"""A set of categories per object: a list of sets, an indicator matrix, a data frame, a mapping, or a file."""


class LabelSetKeywords(TypedDict, total=False):
    """What may be said about label sets, beside the sets."""

    sample_weight: Iterable[float] | None
    """One weight per object."""
    threshold: float | None
    """The score from which an object carries a category, where scores are given."""


class LabelSetMetric(Protocol):
    """A number of the sums over objects, or of true and predicted label sets."""

    __name__: str

    @overload
    def __call__(self, tally: CategorySums) -> Real: ...
    @overload
    def __call__(
        self, y_true: LabelSetSource, y_pred: LabelSetSource, **options: Unpack[LabelSetKeywords]
    ) -> float: ...


def label_set_metric(card: Card) -> Callable[[Callable[[CategorySums], Real]], LabelSetMetric]:
    """Register a function of the sums of label sets with its card, and let it take label sets."""
    return lambda score: registered(described(score, card, domain="label_sets"), _COUNTING)


def _sums(y_true: Any, y_pred: Any, *, sample_weight: Any = None, threshold: float | None = None) -> CategorySums:
    pair = aligned_sets(y_true, y_pred, threshold)
    if sample_weight is not None:
        pair = pair.weighed(object_weights(sample_weight, pair.n))
    order = assignment_of(pair, pair.joint_counts()) if len(pair.categories) <= MOST_CATEGORIES else None
    return ObjectSums.of(pair, order).whole()


def aligned_sets(y_true: Any, y_pred: Any, threshold: float | None) -> Categorization:
    """Both sides over the same objects; a warning says how many are left out."""
    form = LabelSetFormat(threshold=threshold)
    check_sides(y_true, {"y_pred": y_pred}, form)
    pair = aligned(label_sets(y_true, replace(form, is_truth=True)), label_sets(y_pred, form))
    warn_of(objects_left_out(pair.ignored))
    return pair


def object_weights(sample_weight: Any, objects: int) -> Real:
    """One weight of 0 or more per object."""
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (objects,):
        raise InputError(f"sample_weight has shape {weights.shape}; give one weight for each of the {objects} objects")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InputError("a sample weight is negative or not finite, or all are 0; give weights of 0 or more")
    return weights


_COUNTING = LabelCounting(
    CategorySums,
    "tally",
    ("y_true", "y_pred"),
    {"sample_weight": None, "threshold": None},
    _sums,
    "give a list of sets, an indicator matrix or a data frame for each side",
)
