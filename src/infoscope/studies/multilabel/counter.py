"""Label sets that arrive one by one, or in parts that are merged: for streams and for several processes."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable
from typing import Unpack

import numpy as np

from infoscope.core.markup import counted
from infoscope.errors import InputError
from infoscope.studies.multilabel.api import MultilabelKeywords, evaluate
from infoscope.studies.multilabel.result import MultilabelEvaluation
from infoscope.tables.label_sets import LabelSets
from infoscope.tables.labels import Label, as_label, sorted_labels

__all__ = ["LabelSetCounter"]

_Pair = tuple[frozenset[Label], frozenset[Label]]


class LabelSetCounter:
    """True and predicted label sets as they arrive; memory grows with distinct pairs of sets, not with objects.

    >>> counter, other = LabelSetCounter(), LabelSetCounter()
    >>> counter.add({"sport"}, {"sport", "news"})
    >>> other.update([{"news"}, {"sport"}], [{"news"}, {"sport"}])
    >>> counter.merge(other)
    >>> counter
    LabelSetCounter of 3 objects, 2 categories
    >>> counter.evaluate(draws=0, shuffles=0, splits=0)
    predicted captures 63.7% of the information in truth.
    """

    def __init__(self) -> None:
        self._counts: Tally[_Pair] = Tally()

    def add(self, truth: Iterable[Label], predicted: Iterable[Label], objects: int = 1) -> None:
        """Count one object, or several with the same sets."""
        if objects < 1 or objects != int(objects):
            raise InputError(f"{objects} objects were added; count one or more whole objects at a time")
        self._counts[_labels(truth, "truth"), _labels(predicted, "predicted")] += int(objects)

    def update(self, truth: Iterable[Iterable[Label]], predicted: Iterable[Iterable[Label]]) -> None:
        """Count a batch of objects: two sequences of sets of the same length; none is counted where one is at fault."""
        ours, theirs = list(truth), list(predicted)
        if len(ours) != len(theirs):
            raise InputError(
                f"a batch has {len(ours)} true and {len(theirs)} predicted sets; they are paired object by object"
            )
        sides = [[_labels(each, side) for each in sets] for side, sets in (("truth", ours), ("predicted", theirs))]
        self._counts.update(zip(*sides, strict=True))

    def merge(self, other: LabelSetCounter) -> None:
        """Add what another counter has counted; that one stays as it is."""
        self._counts.update(other._counts)

    def __add__(self, other: LabelSetCounter) -> LabelSetCounter:
        """A new counter of both."""
        if not isinstance(other, LabelSetCounter):
            return NotImplemented
        both = LabelSetCounter()
        both.merge(self)
        both.merge(other)
        return both

    def __len__(self) -> int:
        """How many objects were counted."""
        return self._counts.total()

    def __repr__(self) -> str:
        """How much was counted."""
        used = {category for pair in self._counts for side in pair for category in side}
        return f"LabelSetCounter of {counted(len(self), 'object')}, {len(used):,} categories"

    def label_sets(self) -> tuple[LabelSets, LabelSets]:
        """True and predicted sets of all objects; equal ones stand together."""
        if not self._counts:
            raise InputError("nothing was counted; add at least one object")
        # sorted, so that merging in another order changes nothing
        pairs = sorted(self._counts.items(), key=lambda item: [sorted(map(repr, side)) for side in item[0]])
        repeats = [count for _, count in pairs]
        return _repeated([pair[0] for pair, _ in pairs], repeats), _repeated([pair[1] for pair, _ in pairs], repeats)

    def evaluate(self, *, name: str = "predicted", **options: Unpack[MultilabelKeywords]) -> MultilabelEvaluation:
        """Everything about the predictions counted so far; counting may go on."""
        truth, predicted = self.label_sets()
        return evaluate(truth, predicted, name=name, **options)


def _repeated(sets: list[frozenset[Label]], repeats: list[int]) -> LabelSets:
    made = LabelSets.from_sets([sorted_labels(each) for each in sets])
    rows = np.repeat(np.arange(len(sets)), repeats)
    return LabelSets(made.matrix[rows], made.categories)


def _labels(categories: Iterable[Label], side: str) -> frozenset[Label]:
    if isinstance(categories, str | bytes) or not isinstance(categories, Iterable):
        raise InputError(f"the {side} of an object is {categories!r}; give a set or list of its categories")
    return frozenset(map(as_label, categories))
