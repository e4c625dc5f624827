"""scikit-learn: a scorer for every metric, and a search for the simplest setting that is not significantly worse.

``scorer`` makes a scorer of a metric of the registry: of labels (``MetricScore``), where indicator matrices are scored
by the metric of that name for label sets, or of scores (``ScoreFunction``), for which the estimator is asked for
probabilities or decision values. Names of scikit-learn's own scorers mean the same numbers. ``search`` and ``simplest``
choose a setting.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.util import find_spec
from numbers import Real as Number
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from infoscope.core.markup import pluralize
from infoscope.core.numerics import Real
from infoscope.core.validation import KeywordHints, validated
from infoscope.errors import (
    AmbiguousNameError,
    InputError,
    UndefinedMetricWarning,
    UnknownNameError,
    check_level,
    did_you_mean,
    suggest_name,
)
from infoscope.metrics.registry import Metric, all_metrics, check_name, find, tables
from infoscope.posterior import Posterior
from infoscope.results.estimate import Estimate
from infoscope.tables import Contingency
from infoscope.tables.counting import warn_of
from infoscope.tables.label_sets import LabelSets
from infoscope.tables.labels import Label, as_label
from infoscope.typing import ArrayLike, LabelsLike, PriorLike

__all__ = ["Simplest", "scorer", "search", "simplest"]

# ── scorers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

Bound = Literal["low", "high", "mean"]
_BOUNDS = ("low", "high", "mean")
_WEIGHT = "sample_weight"
_RANKING = ("roc_auc", "average_precision")
"""Metrics that need the order of the scores alone, so that decision values do."""


class Scorer(Protocol):
    """The type that ``sklearn.metrics.make_scorer`` returns: a score of a fitted estimator, higher being better."""

    def __call__(self, estimator: object, X: object, y_true: LabelsLike, **metadata: object) -> float:
        """Return the score on these samples."""

    def set_score_request(self, **requests: bool | str | None) -> Scorer:
        """State which metadata the scorer asks for, where metadata routing is on."""


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
    """Return a scikit-learn scorer of any registered metric: for ``cross_val_score``, searches and thresholds.

    Where lower is better, the scorer gives the negative value, as scikit-learn's own do; a metric with no better end is
    given as it is. Labels of several categories per object (indicator matrices) are scored by the metric of that name
    for label sets; rates that are averaged (``f1_macro``) are those of scikit-learn. Metrics of scores
    (``brier_score``, ``d2_log_loss``, …) take the estimator's probabilities, ``roc_auc`` and ``average_precision`` its
    decision values where it has some.

    Parameters
    ----------
    metric : str
        Id or alias of a metric. The names of scikit-learn's scorers (``f1_micro``, ``roc_auc_ovo``,
        ``neg_brier_score``, …) mean the same numbers.
    bound : {"low", "high", "mean"}, optional
        An end of the posterior interval, or the posterior mean, instead of the value: "low" prefers a reliably good
        score to a lucky one; for a loss that is "high".
    label : label, or pair of labels, optional
        Class of a metric with a value for each class; for one of cells the pair of true and predicted label.
    level : float, default 0.95
        Probability of the interval.
    prior : str or float, default "default"
        Prior of the interval.
    seed : int, default 0
        Seed of random draws.
    **options
        Options of the metric: ``reject``, ``labels``, ``positive``, ``average``, ``beta``, …

    Returns
    -------
    Scorer
        What ``sklearn.metrics.make_scorer`` returns.

    Raises
    ------
    InputError
        Where the metric has no such option, label or interval, or scikit-learn is not installed.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> model = DummyClassifier().fit([[0], [0], [0]], ["cat", "cat", "dog"])
    >>> scorer("error_rate")(model, [[0], [0]], ["cat", "dog"])
    -0.5
    """
    if bound not in (None, *_BOUNDS):
        raise InputError(f"bound is {bound!r}; it is one of {', '.join(map(repr, _BOUNDS))}, or None for the value")
    check_level(level)
    name, (metric, named) = metric, resolve_name(metric)
    options = {**named, **options}
    entry = find_score_metric(metric)
    if entry is not None:
        if bound is not None or label is not None:
            raise InputError(f"{entry.name} is a number of scores, without bound= and label=; leave them out")
        _check_options([entry], options)
        methods: Any = "predict_proba"
        if entry.name in _RANKING:  # as scikit-learn's scorer of that name asks
            methods = ("decision_function", methods)
            if _fold(name).startswith("roc auc ov"):
                methods = methods[::-1]
        load_sklearn_metrics()
        sign = -1 if entry.card.better == "lower" else 1
        made: Scorer = ScoresScorer(ScoreFunction(entry.name, dict(options)), sign, {}, methods)
        return made
    if label is not None:
        label = (as_label(label[0]), as_label(label[1])) if isinstance(label, tuple) else as_label(label)
    score = MetricScore(metric, bound, label, {"level": level, "prior": prior, "seed": seed}, options)
    make: Callable[..., Scorer] = load_sklearn_metrics().make_scorer
    return make(score, response_method="predict", greater_is_better=score.better != "lower")


def load_sklearn_metrics() -> ModuleType:
    """Return scikit-learn's metrics, where it is installed."""
    if find_spec("sklearn") is None:
        raise InputError("scorers are for scikit-learn, which is not installed; pip install 'infoscope[sklearn]'")
    return importlib.import_module("sklearn.metrics")


_OWN = ("metric", "name", "bound", "label", "level", "prior", "seed")
"""Keywords of scorers themselves, which may be meant by an option that a metric lacks."""


def _check_options(known: Iterable[Metric], options: Mapping[str, object]) -> None:
    """Reject options that the metric does not have, with the nearest that it has."""
    names = {name for entry in known for name in inspect.signature(entry.score).parameters}
    names -= {"y_true", "y_pred", _WEIGHT}
    for option in options:
        if option == _WEIGHT:
            raise InputError("sample weights belong to the samples: give them to the function that scores, not here")
        if option not in names:
            hint = did_you_mean(option, [*names, *_OWN], f"it takes {', '.join(sorted(names))}")
            raise InputError(f"{next(iter(known)).name} has no option {option!r}; {hint}")


# ── metrics of labels ────────────────────────────────────────────────────────────────────────────────────────────────


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
        entries = [entry for entry in (self._find_for_tables(), self._find_for_label_sets()) if entry is not None]
        if not entries:
            raise UnknownNameError(_suggest_metric(self.metric))
        _check_options(entries, self.options)
        entry = entries[0]
        if (entry.card.level == "table") == (self.label is not None):
            if entry.card.level == "table":
                raise InputError(f"{entry.name} has one value for all classes; leave out label")
            what, part = ("label=(true, predicted)", "cell") if entry.card.level == "cell" else ("label=", "class")
            raise InputError(
                f"{entry.name} has a value for each {part}, and a scorer gives one number; say which with {what}"
            )
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
        """The end of the metric that is better, by its card."""
        entry = self._find_for_tables() or self._find_for_label_sets()
        assert entry is not None
        return entry.card.better

    @property
    def has_corrected_estimate(self) -> bool:
        """True if reports show another number than the sample's: that of information, where an interval exists."""
        entry = self._find_for_tables()
        countable = not set(self.options) - set(tables.options)
        return entry is not None and entry.card.is_information and entry.card.posterior != "none" and countable

    def __call__(self, y_true: LabelsLike, y_pred: LabelsLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the number; NaN with a warning where it does not exist."""
        weights = {} if sample_weight is None else {_WEIGHT: sample_weight}
        shape: tuple[int, ...] = getattr(y_true, "shape", ())
        if len(shape) == 2 and shape[1] > 1:  # columns go by position, as in scikit-learn: predictions have no names
            truth, system = (side.to_numpy() if hasattr(side, "to_numpy") else side for side in (y_true, y_pred))
            return self._score_label_sets(truth, system, weights)
        entry = self._find_for_tables()
        if entry is None:
            raise InputError(f"{self.metric} is a metric of label sets, and y holds one label per sample")
        if self.bound is None and self.label is None:
            return _score_labels(entry, y_true, y_pred, {**weights, **self.options})
        table: Contingency = tables.count(y_true, y_pred, **weights, **self.options)
        if self.bound is None:
            return self._pick(entry, table, entry.score(table))
        return self._pick(entry, table, self._compute_bound(entry, table))

    def _compute_bound(self, entry: Metric, table: Contingency) -> Any:
        """Return the bound of the interval; NaN where the metric has no value, whatever a prior would make of it."""
        how = self.interval
        value = np.asarray(entry.score(table))
        if value.ndim == 0 and not np.isfinite(value):
            return value
        posterior = Posterior(table, how.get("prior", "default"), seed=how.get("seed", 0))
        summary = posterior.summaries([entry.name], how.get("level", 0.95), alone=True)[entry.name]
        if value.ndim == 0:
            estimate = Estimate(float(value)).with_belief(summary, corrected=True)
            return {"low": estimate.low, "high": estimate.high, "mean": estimate.shown}[str(self.bound)]
        return getattr(summary, str(self.bound))

    def _pick(self, entry: Metric, table: Contingency, values: Any) -> float:
        """Return the number itself, or that of the class or cell; a warning says why there is none."""
        if self.label is not None:
            both = (table.truth_labels, table.system_labels)
            sides = {"truth": both[:1], "system": both[1:]}.get(entry.card.level, both)
            wanted: Any = self.label if entry.card.level == "cell" else (self.label,)
            places = []
            for name, labels in zip(wanted, sides, strict=True):
                if name not in labels:
                    raise InputError(f"there is no class {name!r}; {suggest_name(name, labels, 'there are')}")
                places.append(labels.index(name))
            place = places[0] if len(places) == 1 else places[0] * len(table.system_labels) + places[1]
            values = np.asarray(values)[place]
        number = float(values)
        if not np.isfinite(number):
            warn_of([f"{self.__name__} is undefined: {entry.reason(table)}"], UndefinedMetricWarning)
        return number

    def _score_label_sets(self, y_true: Any, y_pred: Any, weights: Mapping[str, Any]) -> float:
        entry = self._find_for_label_sets()
        of_table = self._find_for_tables()
        rate, average = _RATES.get(self.metric if of_table is None else of_table.name, (self.metric, None))
        rate, average = _RATES.get(self.metric, (rate, self.options.get("average", average)))
        is_plain = self.bound is None and self.label is None
        if is_plain and average in _OVER_COLUMNS and (entry is None or self.metric in _RATES):
            return _average_over_columns(find(rate), str(average), y_true, y_pred, weights, self.options)
        if entry is None or self.bound is not None:
            names = ", ".join(metric.name for metric in all_metrics("label_sets"))
            what = "bound is for" if entry is not None else f"{self.metric} is a metric of"
            raise InputError(f"{what} one label per sample, and y has several columns; for these there are {names}")
        return _score_labels(entry, y_true, y_pred, {**weights, **self.options})

    def _find_for_tables(self) -> Metric | None:
        try:
            return find(self.metric)
        except AmbiguousNameError:
            raise
        except UnknownNameError:
            return None

    def _find_for_label_sets(self) -> Metric | None:
        wanted = self.metric.lower().replace(" ", "_").replace("-", "_")
        wanted = LABEL_SET_NAMES.get(wanted, wanted)
        return next((entry for entry in all_metrics("label_sets") if entry.name == wanted), None)


def _score_labels(entry: Metric, y_true: Any, y_pred: Any, options: Mapping[str, Any]) -> float:
    score: Callable[..., Any] = entry.score
    return float(score(y_true, y_pred, **options))


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
        where = {"micro": "all columns", "samples": pluralize(undefined, "row")}.get(
            average, pluralize(undefined, "column")
        )
        warn_of([f"{rate.name} is 0/0 in {where} and counts as 0 there"], UndefinedMetricWarning)
    values = np.where(np.isnan(values), 0.0 if zero in (None, "warn") else zero, values)
    shares = counts[:, 1].sum(axis=-1) if average == "weighted" else np.ones(len(values))
    if average == "samples":
        shares = objects
    shares = np.where(np.isnan(values), 0.0, shares if shares.sum() else 1.0)
    return float(np.nansum(values * shares) / shares.sum()) if shares.sum() else np.nan


# ── metrics of scores ────────────────────────────────────────────────────────────────────────────────────────────────


def find_score_metric(name: str) -> Metric | None:
    """Return the metric of scores with this id or alias; None where there is none."""
    wanted = _fold(name)
    entries = all_metrics("scores")
    return next((entry for entry in entries if wanted in map(_fold, (entry.name, *entry.card.aliases))), None)


def _fold(name: str) -> str:
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
        """Return the number; columns of scores are those of the estimator's classes."""
        entry = find_score_metric(self.metric)
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
    _Base = type(load_sklearn_metrics().make_scorer(max)) if find_spec("sklearn") is not None else object


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
        scorer = self
        if self._score_func.metric == "roc_auc" and classes is not None and len(classes) > 2:
            scorer = copy(self)  # scikit-learn asks for probabilities wherever it has an area of several classes
            scorer._response_method = ("predict_proba", "decision_function")
        number: float = super(ScoresScorer, scorer)._score(
            method_caller, estimator, X, y_true, classes=classes, **metadata
        )
        return number


# ── names of scikit-learn's own scorers ──────────────────────────────────────────────────────────────────────────────

_WITH_OPTIONS: dict[str, tuple[str, Mapping[str, object]]] = {
    "brier_score_loss": ("brier_score", {"scale_by_half": "auto"}),
    **{f"{rate}_samples": (rate, {"average": "samples"}) for rate in ("f1", "jaccard", "precision", "recall")},
    "jaccard_micro": ("jaccard", {"average": "micro"}),
    "neg_brier_score": ("brier_score", {"scale_by_half": "auto"}),
    "precision_weighted": ("precision", {"average": "weighted"}),
    "roc_auc_ovo": ("roc_auc", {"multi_class": "ovo"}),
    "roc_auc_ovo_weighted": ("roc_auc", {"multi_class": "ovo", "average": "weighted"}),
    "roc_auc_ovr_weighted": ("roc_auc", {"average": "weighted"}),
}
LABEL_SET_NAMES = {
    "accuracy": "subset_accuracy",
    "f1_micro": "micro_f1",
    "precision_micro": "micro_precision",
    "recall_micro": "micro_recall",
}
"""Scorers that are another metric where an object has several labels."""
_ELSEWHERE = {
    "mutual_info_score": "mutual_information is the same in bits, and scikit-learn's is in nats",
    "top_k_accuracy": "the predicted class alone is judged here; use scikit-learn's own scorer",
}
"""Scorers that have no equal here."""


def resolve_name(name: str) -> tuple[str, Mapping[str, object]]:
    """Return the metric that a name means, and options that belong to the name.

    >>> resolve_name("roc_auc_ovo"), resolve_name("neg_log_loss"), resolve_name("proficiency")
    (('roc_auc', {'multi_class': 'ovo'}), ('log_loss', {}), ('proficiency', {}))
    """
    check_name(name)
    if name in _ELSEWHERE:
        raise UnknownNameError(f"there is no metric {name!r}: {_ELSEWHERE[name]}")
    if name in _WITH_OPTIONS:
        return _WITH_OPTIONS[name]
    plain = name.removeprefix("neg_")
    if plain != name:  # a scorer of a loss is negative here without the prefix, too
        with suppress(UnknownNameError):
            score_metric = find_score_metric(plain)
            entry = find(plain) if score_metric is None else score_metric
            if entry.card.better == "lower":
                return entry.name, {}
    return name, {}


def _suggest_metric(name: str) -> str:
    """Return the sentence of the registry, or a nearer name of label sets."""
    sets = [entry.name for entry in (*all_metrics("label_sets"), *all_metrics("scores"))]
    near = get_close_matches(name.lower(), [*sets, *(entry.name for entry in all_metrics())], n=1)
    if near and near[0] in sets and find_score_metric(name) is None:
        return f"there is no metric {name!r}; did you mean {near[0]!r}? `infoscope explain` lists them all"
    try:
        find(name)
    except UnknownNameError as problem:
        return str(problem)
    raise AssertionError("the name is known")


# ── choosing a setting ───────────────────────────────────────────────────────────────────────────────────────────────

Complexity = str | Sequence[str] | Callable[[Mapping[str, Any]], Any]
"""Parameters by which a setting is complex, the most important first ("-C" where larger is simpler), or a function."""


class Search(Protocol):
    """The interface of a search of scikit-learn."""

    best_params_: dict[str, Any]
    best_index_: int
    best_estimator_: Any
    cv_results_: dict[str, Any]

    def fit(self, X: ArrayLike, y: LabelsLike, **metadata: Any) -> Search:
        """Try every setting, and fit the chosen one to all the data."""

    def predict(self, X: ArrayLike) -> ArrayLike:
        """Predict with the chosen setting."""


@dataclass(frozen=True)
class Simplest(KeywordHints):
    """A rule for ``refit=`` of scikit-learn's searches; see ``simplest``."""

    complexity: Complexity | None = None
    metric: str | None = None
    level: float = 0.95
    test_size: float | None = None

    def __call__(self, results: Mapping[str, Any]) -> int:
        """Return the place of the chosen setting in ``cv_results_``."""
        p_values = np.array(self.p_values(results))
        if np.isnan(p_values).all():
            raise InputError("no setting has a score in every fold; look at the warnings of the search")
        ranks = _rank_settings(self.complexity, list(results["params"]))
        means = self._read_scores(results).mean(axis=1)
        good = [int(place) for place in np.flatnonzero(p_values > 1 - self.level)]
        return min(good, key=lambda place: (ranks[place], -means[place], place))

    def p_values(self, results: Mapping[str, Any]) -> list[float]:
        """Return for each setting how probable a deficit as large as its own is by chance; NaN where a fold failed."""
        from scipy.special import stdtr  # noqa: PLC0415 - only for this test

        scores = self._read_scores(results)
        good = np.flatnonzero(np.isfinite(scores).all(axis=1))
        p_values = np.full(len(scores), np.nan)
        if good.size:
            best = good[np.argmax(scores[good].mean(axis=1))]
            # the corrected resampled t-test: one-sided, of a mean deficit over folds above 0
            deficits = scores[best] - scores[good]
            folds = deficits.shape[1]
            share = 1.0 / folds if self.test_size is None else self.test_size
            mean = deficits.mean(axis=1)
            spread = deficits.std(axis=1, ddof=1) * np.sqrt(1.0 / folds + share / (1.0 - share))
            with np.errstate(divide="ignore", invalid="ignore"):
                t = np.where(spread > 0, mean / spread, np.where(mean > 0, np.inf, 0.0))
            p_values[good] = stdtr(folds - 1, -t)
        return [float(p_value) for p_value in p_values]

    def _read_scores(self, results: Mapping[str, Any]) -> Real:
        """Return the scores of settings × folds."""
        pattern = re.compile(r"split(\d+)_test_(.+)")
        matches = [match for name in results if (match := pattern.fullmatch(name))]
        metrics = list(dict.fromkeys(match[2] for match in matches))
        wanted = self.metric or (metrics[0] if len(metrics) == 1 else None)
        if wanted not in metrics:
            problem = f"there is no metric {self.metric!r}" if self.metric else "the search has several metrics"
            raise InputError(f"{problem}; say metric= one of {', '.join(map(repr, metrics))}")
        folds = sorted((int(match[1]), match[0]) for match in matches if match[2] == wanted)
        if len(folds) < 2:
            raise InputError("one split does not show how much a difference may be by chance; search with cv=5")
        return np.stack([np.asarray(results[name], dtype=np.float64) for _, name in folds], axis=1)


@validated()
def simplest(
    complexity: Complexity | None = None,
    *,
    metric: str | None = None,
    level: float = 0.95,
    test_size: float | None = None,
) -> Simplest:
    """Return a rule for ``refit=`` of scikit-learn's searches: the simplest setting that is good enough.

    Of all settings whose scores are not significantly below those of the best, fold by fold, it takes the simplest.
    Folds share training data, so the t-test is corrected for that [1]_.

    Parameters
    ----------
    complexity : str, sequence of str, or callable, optional
        Parameters that make a setting complex, the most important first; a minus before the name says that larger is
        simpler ("-alpha" of a ridge), and None counts as unlimited. Values that are no numbers are ordered as they are
        listed. Or a function of the parameters whose smallest value is simplest. Left out, settings listed first are
        simpler.
    metric : str, optional
        Name of the scorer, where the search has several.
    level : float, default 0.95
        Level of the test.
    test_size : float, optional
        Fraction of the data in a test fold; by default one over the number of splits, and needed where folds are
        repeated.

    Returns
    -------
    Simplest
        The rule, for ``GridSearchCV(refit=…)`` and ``RandomizedSearchCV(refit=…)``.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003), Inference for the generalization error, Machine Learning 52, 239-281.

    Examples
    --------
    >>> rule = simplest("depth")
    >>> folds = {"split0_test_score": [0.5, 0.80, 0.81], "split1_test_score": [0.4, 0.78, 0.77],
    ...          "split2_test_score": [0.5, 0.79, 0.80], "params": [{"depth": 1}, {"depth": 4}, {"depth": 9}]}
    >>> rule(folds)
    1
    """
    check_level(level)
    if test_size is not None and not 0 < test_size < 1:
        raise InputError(f"test_size is the fraction of the data in a test fold, between 0 and 1; got {test_size}")
    return Simplest(complexity, metric, level, test_size)


@validated()
def search(
    estimator: object,
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    *,
    scoring: str | Scorer = "proficiency",
    complexity: Complexity | None = None,
    level: float = 0.95,
    cv: object = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    pre_dispatch: int | str = "2*n_jobs",
    error_score: float | Literal["raise"] = np.nan,
    return_train_score: bool = False,
) -> Search:
    """Return a ``GridSearchCV`` that refits the simplest setting that is not significantly worse than the best.

    Parameters
    ----------
    estimator : estimator
        A classifier of scikit-learn.
    param_grid : mapping, or sequence of mappings
        Values to try, by parameter.
    scoring : str or scorer, default "proficiency"
        Metric of the registry by name, or a scorer.
    complexity, level
        As ``simplest`` takes them.
    cv, n_jobs, verbose, pre_dispatch, error_score, return_train_score
        As ``GridSearchCV`` takes them. Its ``refit`` is the rule by which this search chooses.

    Returns
    -------
    GridSearchCV
        The search, not fitted yet.

    Raises
    ------
    InputError
        Where scikit-learn is not installed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> depths = search(tree, {"max_depth": [1, 2, 4, 8, None]}, complexity="max_depth")
    >>> depths.fit(*load_iris(return_X_y=True)).best_params_
    {'max_depth': 2}
    """
    scored = scorer(scoring) if isinstance(scoring, str) else scoring
    try:
        from sklearn.model_selection import GridSearchCV  # noqa: PLC0415 - optional extra
    except ImportError:
        raise InputError("a search needs scikit-learn; pip install 'infoscope[sklearn]'") from None
    made: Search = GridSearchCV(
        estimator,
        param_grid,
        scoring=scored,
        refit=simplest(complexity, level=level),
        cv=cv,
        n_jobs=n_jobs,
        verbose=verbose,
        pre_dispatch=pre_dispatch,
        error_score=error_score,
        return_train_score=return_train_score,
    )
    return made


def _rank_settings(complexity: Complexity | None, params: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return what settings are sorted by, simplest first; values that are no numbers are ranked as they are listed."""
    if complexity is None:
        return list(range(len(params)))
    if callable(complexity):
        return [complexity(setting) for setting in params]
    parameters = {parameter for setting in params for parameter in setting}
    columns = []
    for name in [complexity] if isinstance(complexity, str) else complexity:
        sign = -1.0 if name.startswith("-") else 1.0
        plain = name.removeprefix("-")
        if plain not in parameters:
            hint = did_you_mean(plain, parameters, f"there are {', '.join(sorted(parameters))}")
            raise InputError(f"no setting has a parameter {plain!r}; {hint}")
        values = [setting.get(plain) for setting in params]
        if all(value is None or (isinstance(value, Number) and not isinstance(value, bool)) for value in values):
            columns.append([sign * float(value) if value is not None else np.inf for value in values])
        else:
            order = list(dict.fromkeys(map(repr, values)))
            columns.append([sign * order.index(repr(value)) for value in values])
    return list(zip(*columns, strict=True))
