"""What a metric of scores may be called with: one column for two classes or one per class, and facts about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, cast

import numpy as np

from infoscope.errors import InputError, check_keywords
from infoscope.studies.operating_points.scores import (
    BinaryScores,
    Probabilities,
    binary_scores,
    class_probabilities,
    class_score_columns,
    positive_among,
)
from infoscope.tables.labels import Label, as_label, as_labels, sorted_labels
from infoscope.typing import ArrayLike, Frame, LabelsLike

__all__ = ["ScoreFacts", "ScoreKeywords", "Scores"]

Scores = ArrayLike | Frame


class ScoreKeywords(TypedDict, total=False):
    """Keywords of a metric of scores."""

    classes: Sequence[Any] | None
    """The class of each column of scores; with one column, both classes."""
    labels: Sequence[Any] | None
    """scikit-learn's name for ``classes``, which must be sorted."""
    positive: Label | None
    """The class that one column of scores is about."""
    pos_label: Label | None
    """scikit-learn's name for ``positive``."""
    sample_weight: ArrayLike | None


@dataclass(frozen=True, eq=False)
class ScoreFacts:
    """The keywords, checked, each under one name."""

    classes: Sequence[Any] | None
    positive: Label | None
    sample_weight: ArrayLike | None

    @classmethod
    def of(cls, given: ScoreKeywords) -> ScoreFacts:
        """Reject unknown keywords, and keywords given under both of their names."""
        check_keywords(cast("Mapping[str, object]", given), ScoreKeywords)
        for ours, theirs in (("classes", "labels"), ("positive", "pos_label")):
            if given.get(ours) is not None and given.get(theirs) is not None:
                raise InputError(f"{ours} and {theirs} are the same; give one of them")
        classes, labels = given.get("classes"), given.get("labels")
        if labels is not None:
            classes = as_labels(labels)
            if classes != sorted_labels(classes):
                raise InputError(
                    "labels must be sorted, because scores are taken in that order; use classes= for another order"
                )
        positive = given.get("pos_label") if given.get("positive") is None else given.get("positive")
        return cls(classes, None if positive is None else as_label(positive), given.get("sample_weight"))

    def scores(self, y_true: LabelsLike, y_score: Scores) -> BinaryScores | Probabilities:
        """Scores of the positive class of two, or a column for each of more classes, whatever they sum to."""
        if not _has_columns(y_score):
            return self._one_column(y_true, y_score)
        columns = class_score_columns(
            y_score, y_true, classes=self.classes, sample_weight=self.sample_weight, several=False
        )
        if len(columns.labels) > 2:
            return columns
        positive = positive_among((columns.labels[0], columns.labels[1]), self.positive)
        at = columns.labels.index(positive)
        labels = columns.labels[1 - at], positive
        return BinaryScores(columns.values[:, at], columns.truth == at, labels, positive, columns.weights)

    def probabilities(self, y_true: LabelsLike, y_score: Scores) -> Probabilities:
        """Probabilities of every class; of two classes one column is that of the positive one."""
        if _has_columns(y_score):
            return class_probabilities(
                y_score, y_true, classes=self.classes, sample_weight=self.sample_weight, normalize=False, several=False
            )
        two = self._one_column(y_true, y_score)
        outside = (two.scores < 0) | (two.scores > 1)
        if outside.any():
            at = int(np.argmax(outside))
            raise InputError(f"the score of row {at} is {two.scores[at]:g}, and a probability lies between 0 and 1")
        scores = two.scores.astype(np.float64)
        values = np.stack([1.0 - scores, scores], axis=1)
        other = two.labels[0] if two.positive == two.labels[1] else two.labels[1]
        return Probabilities(values, two.is_positive.astype(np.int64), (other, two.positive), two.weights)

    def _one_column(self, y_true: LabelsLike, y_score: Scores) -> BinaryScores:
        return binary_scores(
            y_score, y_true, positive=self.positive, sample_weight=self.sample_weight, classes=self.classes
        )


def _has_columns(y_score: Any) -> bool:
    """Whether there is more than one column of scores."""
    shape = y_score.shape if hasattr(y_score, "shape") else np.shape(y_score)
    return len(shape) == 2 and shape[1] > 1
