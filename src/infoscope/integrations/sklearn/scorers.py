"""Scorers: metrics of the registry as scikit-learn's cross-validation and searches call them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np

from infoscope.core.markup import counted
from infoscope.errors import (
    AmbiguousNameError,
    InputError,
    UndefinedMetricWarning,
    UnknownNameError,
    check_level,
    did_you_mean,
)
from infoscope.integrations.sklearn.score_scorers import Scorer, score_metric_named, scorer_of_scores, sklearn_metrics
from infoscope.integrations.sklearn.scorer_names import LABEL_SET_NAMES, metric_named
from infoscope.metrics.arguments import tables
from infoscope.metrics.registry import Metric, all_metrics, find
from infoscope.posterior import Posterior
from infoscope.results.estimate import Estimate
from infoscope.tables import Contingency
from infoscope.tables.label_sets import LabelSets
from infoscope.tables.labels import Label, as_label
from infoscope.tables.missing import warn_of
from infoscope.typing import ArrayLike, LabelsLike, PriorLike

__all__ = ["Bound", "MetricScore", "Scorer", "scorer"]

Bound = Literal["low", "high", "mean"]
_BOUNDS = ("low", "high", "mean")
_WEIGHT = "sample_weight"


def scorer(
    metric: str,
    *,
    bound: Bound | None = None,
    label: Label | tuple[Label, Label] | None = None,
    level: float = 0.95,
    prior: PriorLike = "default",
    seed: int = 0,
    **options: object,
) -> Scorer:
    """A scikit-learn scorer of any registered metric: for ``cross_val_score``, searches and thresholds.

    ``metric`` is an id or alias. Where lower is better, the scorer gives the negative value, as scikit-learn's own do;
    a metric with no better end is given as it is. ``bound`` asks for an end of the posterior interval ("low",
    "high"), or for the posterior mean, instead of the value: "low" prefers a reliably good score to a lucky one; for a
    loss that is "high". ``level``, ``prior`` and ``seed`` state how the interval is made. A metric with a value for
    each class needs its ``label``, one of cells the pair of true and predicted label. Other options are those of the
    metric: ``reject``, ``labels``, ``positive``, ``average``, ``beta``, …; labels of several categories per object
    (indicator matrices) are scored by the metric of that name for label sets; rates that are averaged (``f1_macro``)
    are those of scikit-learn. Metrics of scores (``brier_score``, ``d2_log_loss``, …) take the estimator's
    probabilities, ``roc_auc`` and ``average_precision`` its decision values where it has some.
    The names of scikit-learn's scorers (``f1_micro``, ``roc_auc_ovo``, ``neg_brier_score``, …) mean the same numbers.

    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0], [0], [0]], ["cat", "cat", "dog"])
    >>> scorer("error_rate")(model, [[0], [0]], ["cat", "dog"])
    -0.5
    """
    if bound not in (None, *_BOUNDS):
        raise InputError(f"bound is {bound!r}; it is one of {', '.join(map(repr, _BOUNDS))}, or None for the value")
    check_level(level)
    name, (metric, named) = metric, metric_named(metric)
    options = {**named, **options}
    interval = {"level": level, "prior": prior, "seed": seed}
    of_scores = score_metric_named(metric)
    if of_scores is not None:
        if bound is not None or label is not None:
            raise InputError(f"{of_scores.name} is a number of scores, without bound= and label=; leave them out")
        _check_options([of_scores], options)
        return scorer_of_scores(of_scores, options, name)
    score = MetricScore(metric, bound, None if label is None else _label(label), interval, options)
    return made_scorer(score)


def made_scorer(score: MetricScore) -> Scorer:
    """The scorer of a checked metric."""
    made: Scorer = sklearn_metrics().make_scorer(
        score, response_method="predict", greater_is_better=score.better != "lower"
    )
    return made


def _label(label: Label | tuple[Label, Label]) -> Label | tuple[Label, Label]:
    return (as_label(label[0]), as_label(label[1])) if isinstance(label, tuple) else as_label(label)


@dataclass(frozen=True)
class MetricScore:
    """A function ``(y_true, y_pred, sample_weight=None)`` of a metric, which can be pickled for workers."""

    metric: str
    bound: Bound | None = None
    label: Label | tuple[Label, Label] | None = None
    interval: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reject a name, an option or a label that the metric does not have, before anything is fitted."""
        known = [entry for entry in (self._of_tables(), self._of_label_sets()) if entry is not None]
        if not known:
            raise UnknownNameError(_unknown(self.metric))
        _check_options(known, self.options)
        entry = known[0]
        if (entry.card.level == "table") == (self.label is not None):
            raise InputError(_about_label(entry))
        if self.bound is not None and entry.card.posterior == "none":
            raise InputError(
                f"{entry.name} is a statistic of the counts themselves and has no interval; leave out bound"
            )
        if self.bound is not None and set(self.options) - set(tables.options):
            odd = next(iter(set(self.options) - set(tables.options)))
            raise InputError(f"an interval of {entry.name} takes no {odd}; leave out bound or {odd}")

    @property
    def __name__(self) -> str:
        """The metric, as scikit-learn prints scorers."""
        return self.metric if self.bound is None else f"{self.metric}.{self.bound}"

    @property
    def better(self) -> str:
        """Which end of the metric is better, by its card."""
        entry = self._of_tables() or self._of_label_sets()
        assert entry is not None
        return entry.card.better

    @property
    def has_corrected_estimate(self) -> bool:
        """Whether reports show another number than the sample's: that of information, where an interval exists."""
        entry = self._of_tables()
        countable = not set(self.options) - set(tables.options)
        return entry is not None and entry.card.is_information and entry.card.posterior != "none" and countable

    def __call__(self, y_true: LabelsLike, y_pred: LabelsLike, sample_weight: ArrayLike | None = None) -> float:
        """The number; NaN with a warning where it does not exist."""
        weights = {} if sample_weight is None else {_WEIGHT: sample_weight}
        if _is_indicator(y_true):  # whose columns go by position, as in scikit-learn: predictions have no names
            truth, system = (side.to_numpy() if hasattr(side, "to_numpy") else side for side in (y_true, y_pred))
            return self._score_of_label_sets(truth, system, weights)
        entry = self._of_tables()
        if entry is None:
            raise InputError(f"{self.metric} is a metric of label sets, and y holds one label per sample")
        if self.bound is None and self.label is None:
            return _of_labels(entry, y_true, y_pred, **weights, **self.options)
        table: Contingency = tables.count(y_true, y_pred, **weights, **self.options)
        if self.bound is None:
            return self._picked(entry, table, entry.score(table))
        return self._picked(entry, table, self._bound_of(entry, table))

    def _bound_of(self, entry: Metric, table: Contingency) -> Any:
        """The bound of the interval; NaN where the metric has no value, whatever a prior would make of it."""
        how = self.interval
        value = np.asarray(entry.score(table))
        if value.ndim == 0 and not np.isfinite(value):
            return value
        posterior = Posterior(table, how.get("prior", "default"), seed=how.get("seed", 0))
        found = posterior.summaries([entry.name], how.get("level", 0.95), alone=True)[entry.name]
        if value.ndim == 0:
            estimate = Estimate(float(value)).with_belief(found, corrected=True)
            return {"low": estimate.low, "high": estimate.high, "mean": estimate.shown}[str(self.bound)]
        return getattr(found, str(self.bound))

    def _picked(self, entry: Metric, table: Contingency, values: Any) -> float:
        """The number itself, or that of the class or cell; a warning says why there is none."""
        number = float(np.asarray(values)[_place(entry, table, self.label)] if self.label is not None else values)
        if not np.isfinite(number):
            warn_of([f"{self.__name__} is undefined: {entry.reason(table)}"], UndefinedMetricWarning)
        return number

    def _score_of_label_sets(self, y_true: Any, y_pred: Any, weights: Mapping[str, Any]) -> float:
        entry = self._of_label_sets()
        of_table = self._of_tables()
        rate, average = _RATES.get(self.metric if of_table is None else of_table.name, (self.metric, None))
        rate, average = _RATES.get(self.metric, (rate, self.options.get("average", average)))
        is_plain = self.bound is None and self.label is None
        if is_plain and average in _OVER_COLUMNS and (entry is None or self.metric in _RATES):
            return _average_over_columns(find(rate), str(average), y_true, y_pred, weights, self.options)
        if entry is None or self.bound is not None:
            names = ", ".join(each.name for each in all_metrics("label_sets"))
            what = "bound is for" if entry is not None else f"{self.metric} is a metric of"
            raise InputError(f"{what} one label per sample, and y has several columns; for these there are {names}")
        return _of_labels(entry, y_true, y_pred, **weights, **self.options)

    def _of_tables(self) -> Metric | None:
        try:
            return find(self.metric)
        except AmbiguousNameError:
            raise
        except UnknownNameError:
            return None

    def _of_label_sets(self) -> Metric | None:
        wanted = self.metric.lower().replace(" ", "_").replace("-", "_")
        wanted = LABEL_SET_NAMES.get(wanted, wanted)
        return next((entry for entry in all_metrics("label_sets") if entry.name == wanted), None)


_RATES = {
    f"{average}_{name}": (rate, average)
    for average, names in (
        ("macro", {"f1": "f1", "precision": "precision", "recall": "recall", "jaccard": "jaccard"}),
        ("weighted", {"f1": "f1", "ppv": "precision", "tpr": "recall", "jaccard": "jaccard"}),
    )
    for name, rate in names.items()
} | {f"{rate}_micro": (rate, "micro") for rate in ("f1", "precision", "recall")}
"""Metrics that average a rate over the classes, with that rate."""
_OVER_COLUMNS = ("macro", "micro", "weighted", "samples")


def _average_over_columns(
    rate: Metric, average: str, y_true: Any, y_pred: Any, weights: Mapping[str, Any], options: Mapping[str, Any]
) -> float:
    """Return the average of a rate over the columns of two indicator matrices, each a table of two classes."""
    truth, system = (LabelSets.from_indicator(side).matrix.toarray() == 1 for side in (y_true, y_pred))
    if truth.shape != system.shape:
        raise InputError(f"y_true is {truth.shape} and y_pred {system.shape}; give both a column for each category")
    columns = list(range(truth.shape[1]) if options.get("labels") is None else options["labels"])
    truth, system = truth[:, columns], system[:, columns]
    weight = np.asarray(weights.get(_WEIGHT, np.ones(len(truth))), float)
    if average == "samples":
        truth, system, objects, weight = truth.T, system.T, weight, np.ones(len(columns))
    cells = [weight @ (t & s) for t in (~truth, truth) for s in (~system, system)]
    counts = np.stack(cells, axis=-1).reshape(-1, 2, 2)
    if average == "micro":
        counts = counts.sum(axis=0, keepdims=True)
    zero = options.get("zero_division")
    how = {name: value for name, value in options.items() if name not in ("average", "labels", "zero_division")}
    values = np.asarray(rate.score(Contingency.from_matrix(counts), **how))
    undefined = int(np.isnan(values).sum())
    if undefined and zero in (None, "warn"):
        where = {"micro": "all columns", "samples": counted(undefined, "row")}.get(
            average, counted(undefined, "column")
        )
        warn_of([f"{rate.name} is 0/0 in {where} and counts as 0 there"], UndefinedMetricWarning)
    values = np.where(np.isnan(values), 0.0 if zero in (None, "warn") else zero, values)
    shares = counts[:, 1].sum(axis=-1) if average == "weighted" else np.ones(len(values))
    if average == "samples":
        shares = objects
    shares = np.where(np.isnan(values), 0.0, shares if shares.sum() else 1.0)
    return float(np.nansum(values * shares) / shares.sum()) if shares.sum() else np.nan


def _of_labels(entry: Metric, *labels: Any, **options: Any) -> float:
    score: Callable[..., Any] = entry.score
    return float(score(*labels, **options))


def _is_indicator(y: Any) -> bool:
    return len(getattr(y, "shape", ())) == 2 and y.shape[1] > 1


def _place(entry: Metric, table: Contingency, label: Any) -> int:
    """Position of the value of a class or cell."""
    sides = {"truth": [table.truth_labels], "system": [table.system_labels]}.get(
        entry.card.level, [table.truth_labels, table.system_labels]
    )
    wanted = label if entry.card.level == "cell" else (label,)
    places = []
    for each, labels in zip(wanted, sides, strict=True):
        if each not in labels:
            raise InputError(f"there is no class {each!r}; there are {', '.join(map(repr, labels[:10]))}")
        places.append(labels.index(each))
    return places[0] if len(places) == 1 else places[0] * len(table.system_labels) + places[1]


def _about_label(entry: Metric) -> str:
    if entry.card.level == "table":
        return f"{entry.name} has one value for all classes; leave out label"
    what = "label=(true, predicted)" if entry.card.level == "cell" else "label="
    every = "cell" if entry.card.level == "cell" else "class"
    return f"{entry.name} has a value for each {every}, and a scorer gives one number; say which with {what}"


def _check_options(known: Iterable[Metric], options: Mapping[str, object]) -> None:
    """Reject options that the metric does not have, with the nearest that it has."""
    names = {name for entry in known for name in _parameters(entry.score)} - {"y_true", "y_pred", _WEIGHT}
    for option in options:
        if option == _WEIGHT:
            raise InputError("sample weights belong to the samples: give them to the function that scores, not here")
        if option not in names:
            hint = did_you_mean(option, names, f"it takes {', '.join(sorted(names))}")
            raise InputError(f"{next(iter(known)).name} has no option {option!r}; {hint}")


def _parameters(score: Callable[..., Any]) -> Iterator[str]:
    yield from inspect.signature(score).parameters


def _unknown(name: str) -> str:
    """The sentence of the registry, or a nearer name of label sets."""
    sets = [entry.name for entry in (*all_metrics("label_sets"), *all_metrics("scores"))]
    near = get_close_matches(name.lower(), [*sets, *(entry.name for entry in all_metrics())], n=1)
    if near and near[0] in sets and score_metric_named(name) is None:
        return f"there is no metric {name!r}; did you mean {near[0]!r}? `infoscope explain` lists them all"
    try:
        find(name)
    except UnknownNameError as problem:
        return str(problem)
    raise AssertionError("the name is known")
