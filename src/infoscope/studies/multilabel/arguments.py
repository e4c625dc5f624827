"""What metrics of label sets may be called with: sums over objects or label sets, and how much each object counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypedDict, Unpack, overload

import numpy as np

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.metrics.arguments import LabelCounting
from infoscope.metrics.registry import Card, describe_metric, register_callable
from infoscope.readers import read_joint
from infoscope.readers.label_lists import read_label_lists
from infoscope.readers.labels import meaning
from infoscope.studies.multilabel.assignment import MOST_CATEGORIES, assignment_of
from infoscope.studies.multilabel.input_checks import objects_left_out
from infoscope.studies.multilabel.sources import LabelSetFormat, check_sides, label_sets
from infoscope.studies.multilabel.sums import CategorySums, ObjectSums
from infoscope.tables.counting import as_numbers, check_weight_scale
from infoscope.tables.encoding import check_pairing, one_column
from infoscope.tables.label_sets import Categorization, LabelSets, aligned
from infoscope.tables.labels import Label, as_label
from infoscope.tables.missing import warn_of

__all__ = [
    "LabelSetKeywords",
    "LabelSetMetric",
    "LabelSetSource",
    "ObjectWeights",
    "aligned_sets",
    "label_set_metric",
    "object_weights",
    "read_weights",
    "weighed_sets",
]

LabelSetSource: TypeAlias = Iterable[object] | str
"""A set of categories per object: a list of sets, an indicator matrix, a data frame, a mapping, or a file."""


class LabelSetKeywords(TypedDict, total=False):
    """Keywords beside the label sets."""

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
    return lambda score: register_callable(describe_metric(score, card, domain="label_sets"), _COUNTING)


def _sums(y_true: Any, y_pred: Any, *, sample_weight: Any = None, threshold: float | None = None) -> CategorySums:
    check_pairing(y_true, {"sample_weight": sample_weight})
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


def object_weights(sample_weight: object, objects: int) -> Real:
    """One weight of 0 or more per object."""
    try:
        weights = as_numbers(one_column(sample_weight, "sample_weight"))
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight holds something else than numbers ({error}); give one per object") from None
    if weights.shape != (objects,):
        raise InputError(f"sample_weight has shape {weights.shape}; give one weight for each of the {objects} objects")
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise InputError("a sample weight is negative or not finite, or all are 0; give weights of 0 or more")
    check_weight_scale(weights)
    least, total = float(weights[weights > 0].min()), float(weights.sum())
    if least < _LEAST_OF_WEIGHT * total:
        raise InputError(
            f"a sample weight is {least:g} and all together are {total:g}, too much to tell them apart; "
            "leave such objects out, or give them a weight of 0"
        )
    return weights


_LEAST_OF_WEIGHT = 1e-13
"""Objects without a category are a difference of two sums: below this fraction of the total they lose precision."""


_COUNTING = LabelCounting(
    CategorySums,
    "tally",
    ("y_true", "y_pred"),
    {"sample_weight": None, "threshold": None},
    _sums,
    "give a list of sets, an indicator matrix or a data frame for each side",
)


ObjectWeights: TypeAlias = str | Mapping[Any, float] | Iterable[float]
"""The column of the truth's rows that has them, a weight per object's name, or the weights in the order of objects."""


def weighed_sets(sets: LabelSets, weight: ObjectWeights | None, source: object, form: LabelSetFormat) -> LabelSets:
    """The label sets of the truth with the weights of their objects."""
    if weight is None:
        return sets
    check_pairing(source, {"weight": weight})
    if isinstance(weight, str):
        weight = _column(source, weight, form)
    if isinstance(weight, Mapping):
        weight = _by_name(sets, {as_label(name): value for name, value in weight.items()})
    try:
        numbers = as_numbers(weight if hasattr(weight, "__len__") else list(weight))
    except (TypeError, ValueError):
        raise InputError("a weight of an object is not a number; give one number of 0 or more per object") from None
    return replace(sets, weights=object_weights(numbers, sets.n))


def read_weights(path: str | Path) -> dict[Label, float]:
    """The weights of a file with one object per line: object TAB weight."""
    sets = read_label_lists(Path(path))
    found: dict[Label, float] = {}
    for name, start, end in zip(sets.objects or (), sets.matrix.indptr, sets.matrix.indptr[1:], strict=False):
        fields = [str(sets.categories[at]) for at in sets.matrix.indices[start:end]]
        if name in found:
            raise InputError(f"{path}: object {name!r} has two lines; give it one weight")
        try:
            (field,) = fields
            found[name] = float(field)
        except ValueError:
            said = ", ".join(map(repr, fields)) or "nothing"
            raise InputError(
                f"{path}: object {name!r} has {said} for its weight; a line is the object, a TAB and one number"
            ) from None
    return found


def _by_name(sets: LabelSets, known: Mapping[Label, float]) -> list[float]:
    if sets.objects is None:
        raise InputError("weights are given by the names of objects, and the truth has none; give them in its order")
    absent = [name for name in sets.objects if name not in known]
    if absent:
        more = f" (and {len(absent) - 1} more)" if len(absent) > 1 else ""
        raise InputError(f"object {absent[0]!r} of the truth has no weight{more}; give every object one")
    return [known[name] for name in sets.objects]


def _column(source: Any, name: str, form: LabelSetFormat) -> dict[Label, float]:
    """The weight of each object from a column of rows, where all rows of an object must agree."""
    if form.object is None:
        raise InputError(
            f"weight {name!r} is the name of a column, and only rows have columns: name those of object and category, "
            "too (object=, category=), or give a weight per object"
        )
    tally = read_joint(source, truth=form.object, system=[name]).tally
    objects, weights = ([meaning(value, name) for value in labels] for labels in tally.labels)
    found: dict[Label, float] = {}
    for row, column in zip(*tally.codes, strict=True):
        label, weight = objects[row], weights[column]
        if label is None:
            continue  # said where the sets are read
        try:
            number = float(weight)
        except (TypeError, ValueError):
            raise InputError(f"object {label!r} has {weight!r} for its {name}; give it a number of 0 or more") from None
        if found.setdefault(label, number) != number:
            raise InputError(f"object {label!r} has two weights, {found[label]:g} and {number:g}; give it one")
    return found
