"""Counts of one system by stratum: pairs of a verdict and a prediction, with the true class of the labelled rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real
from infoscope.errors import InputError

__all__ = ["JUDGE", "OTHER", "SLOTS", "SYSTEM", "StratumCounts"]

JUDGE, SYSTEM, OTHER = range(3)
"""What the true class of a row agrees with: the verdict, the prediction (and not the verdict), or neither."""
SLOTS = 3
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StratumCounts:
    """Labelled rows by truth × verdict × prediction, all rows by verdict × prediction; both may be weighted."""

    labelled: Real
    """(classes, verdicts, predictions)."""
    everything: Real
    """(verdicts, predictions): every row of the population, labelled or not."""
    verdict_class: Indices
    """The class that each verdict names; −1 where it names none, as "right", a grade or a missing verdict."""
    prediction_class: Indices
    """The class of each prediction; −1 for a rejection."""
    verdict_level: Indices
    """Verdicts of one level borrow strength: judges that agree are more reliable than those who do not."""

    def __post_init__(self) -> None:
        """Reject labelled rows outside the population's strata, and rows of one class."""
        classes, *sides = self.labelled.shape
        if tuple(sides) != self.everything.shape:
            raise InputError(
                f"the labelled rows are counted by {self.labelled.shape} and all rows by {self.everything.shape}; "
                "they need the same verdicts and predictions"
            )
        if classes < 2:
            raise InputError("there is only one class; two or more are needed")

    @classmethod
    def of_tensors(cls, labelled: Real, everything: Real, *, names_classes: bool = True) -> StratumCounts:
        """Counts whose classes, verdicts and predictions are numbered alike; or verdicts that name no class."""
        _, verdicts, predictions = labelled.shape
        named = np.arange(verdicts) if names_classes else np.full(verdicts, -1)
        level = np.zeros(verdicts, dtype=np.int64)
        return cls(labelled.astype(float), everything.astype(float), named, np.arange(predictions), level)

    @property
    def classes(self) -> int:
        """Number of true classes."""
        return int(self.labelled.shape[0])

    @property
    def labels(self) -> float:
        """Labelled rows."""
        return float(self.labelled.sum())

    @cached_property
    def occupied(self) -> tuple[Indices, Indices]:
        """Verdict and prediction of each stratum that has rows."""
        verdict, prediction = np.nonzero((self.everything > 0) | (self.labelled.sum(axis=0) > 0))
        return verdict, prediction

    @property
    def verdict(self) -> Indices:
        """Verdict of each stratum."""
        return self.occupied[0]

    @property
    def prediction(self) -> Indices:
        """Prediction of each stratum."""
        return self.occupied[1]

    @cached_property
    def rows(self) -> Real:
        """Rows of each stratum."""
        return np.asarray(self.everything[self.occupied])

    @cached_property
    def by_class(self) -> Real:
        """Labelled rows of each stratum by class, (strata, classes)."""
        return np.ascontiguousarray(self.labelled[:, self.verdict, self.prediction].T)

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """(verdicts, predictions): where the verdict names the predicted class."""
        return (self.verdict_class[:, None] == self.prediction_class) & (self.verdict_class[:, None] >= 0)

    @cached_property
    def slot(self) -> Indices:
        """(strata, classes): whether a class is the verdict's, the prediction's, or another."""
        classes = np.arange(self.classes)
        predicted = np.where(classes == self.prediction_class[self.prediction][:, None], SYSTEM, OTHER)
        return np.where(classes == self.verdict_class[self.verdict][:, None], JUDGE, predicted)

    @cached_property
    def kind(self) -> Indices:
        """Kind of each stratum: strata of one kind borrow strength from each other."""
        named = self.verdict_class[self.verdict]
        keys = np.stack(
            [
                np.where(named >= 0, -1, self.verdict),
                self.same[self.occupied].astype(np.int64),
                self.verdict_level[self.verdict],
                (self.prediction_class[self.prediction] < 0).astype(np.int64),
            ]
        )
        return np.asarray(np.unique(keys, axis=1, return_inverse=True)[1]).reshape(-1)
