"""Scorers of probabilities and decision values: the estimator is asked for them, and named where it has none."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.registry import Metric, all_metrics
from infoscope.typing import ArrayLike, LabelsLike

__all__ = ["ScoreFunction", "Scorer", "ScoresScorer", "score_metric_named", "scorer_of_scores", "sklearn_metrics"]

_RANKING = ("roc_auc", "average_precision")
"""What needs the order of the scores alone, so that decision values do."""


class Scorer(Protocol):
    """What ``sklearn.metrics.make_scorer`` returns: a score of a fitted estimator, higher being better."""

    def __call__(self, estimator: object, X: object, y_true: LabelsLike, **metadata: object) -> float:
        """The score on these samples."""

    def set_score_request(self, **requests: bool | str | None) -> Scorer:
        """Which metadata the scorer asks for, where metadata routing is on."""


def sklearn_metrics() -> ModuleType:
    """scikit-learn's metrics, where it is installed."""
    if find_spec("sklearn") is None:
        raise InputError("scorers are for scikit-learn, which is not installed; pip install 'infoscope[sklearn]'")
    return importlib.import_module("sklearn.metrics")


def score_metric_named(name: str) -> Metric | None:
    """The metric of scores with this id or alias; None where there is none."""
    wanted = _folded(name)
    return next(
        (entry for entry in all_metrics("scores") if wanted in map(_folded, (entry.name, *entry.card.aliases))), None
    )


def _folded(name: str) -> str:
    return name.lower().replace("-", " ").replace("_", " ")


@dataclass(frozen=True)
class ScoreFunction:
    """A function ``(y_true, y_score, sample_weight=None)`` of a metric of scores, which can be pickled for workers."""

    metric: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def __name__(self) -> str:
        """The metric, as scikit-learn prints scorers."""
        return self.metric

    def __call__(
        self,
        y_true: LabelsLike,
        y_score: ArrayLike,
        sample_weight: ArrayLike | None = None,
        classes: ArrayLike | None = None,
    ) -> float:
        """The number; columns of scores are those of the estimator's classes."""
        entry = score_metric_named(self.metric)
        assert entry is not None
        given: dict[str, Any] = dict(self.options)
        if classes is not None:
            labels = np.asarray(classes).tolist()
            if np.ndim(y_score) == 1 and len(labels) == 2:  # named columns serve a fold with one class, too
                of_other = np.negative(y_score) if self.metric in _RANKING else 1.0 - np.asarray(y_score)
                y_score = np.stack([of_other, y_score], axis=1)
            if np.ndim(y_score) == 2:
                given.setdefault("classes", labels)
        score: Any = entry.score
        return float(score(y_true, y_score, sample_weight=sample_weight, **given))


if TYPE_CHECKING:
    _Base = Any
else:  # scikit-learn has no public name for the class of its scorers
    _Base = type(sklearn_metrics().make_scorer(max)) if find_spec("sklearn") is not None else object


class ScoresScorer(_Base):  # type: ignore[misc]
    """A scorer that tells scores which class each column is about, and says what an estimator lacks."""

    def _score(self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **metadata: Any) -> float:
        methods = [self._response_method] if isinstance(self._response_method, str) else list(self._response_method)
        if not any(hasattr(estimator, method) for method in methods):
            raise InputError(
                f"{type(estimator).__name__} has no {' or '.join(methods)}, which {self._score_func.metric} needs; "
                "give an estimator that has, or wrap it in sklearn.calibration.CalibratedClassifierCV"
            )
        classes = getattr(estimator, "classes_", None)
        asked = self
        if self._score_func.metric == "roc_auc" and classes is not None and len(classes) > 2:
            asked = copy(self)  # scikit-learn asks for probabilities wherever it has an area of several classes
            asked._response_method = ("predict_proba", "decision_function")
        found: float = super(ScoresScorer, asked)._score(
            method_caller, estimator, X, y_true, classes=classes, **metadata
        )
        return found


def scorer_of_scores(entry: Metric, options: Mapping[str, object], name: str) -> Scorer:
    """Return the scorer of a metric of scores, which asks for what scikit-learn's scorer of that name asks for."""
    methods: Any = "predict_proba"
    if entry.name in _RANKING:
        methods = ("decision_function", methods)
        if _folded(name).startswith("roc auc ov"):
            methods = methods[::-1]
    sign = -1 if entry.card.better == "lower" else 1
    sklearn_metrics()
    made: Scorer = ScoresScorer(ScoreFunction(entry.name, dict(options)), sign, {}, methods)
    return made
