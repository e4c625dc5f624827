"""Choosing a setting: the simplest that is not significantly worse than the best."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real as Number
from typing import Any, Protocol

import numpy as np

from infoscope.core.numerics import Real
from infoscope.errors import InputError, check_level, did_you_mean
from infoscope.integrations.sklearn.scorers import Scorer, scorer
from infoscope.typing import ArrayLike, LabelsLike

__all__ = ["Complexity", "Search", "Simplest", "search", "simplest"]

Complexity = str | Sequence[str] | Callable[[Mapping[str, Any]], Any]
"""Parameters by which a setting is complex, the most important first ("-C" where larger is simpler), or a function."""


class Search(Protocol):
    """What a search of scikit-learn offers."""

    best_params_: dict[str, Any]
    best_index_: int
    best_estimator_: Any
    cv_results_: dict[str, Any]

    def fit(self, X: ArrayLike, y: LabelsLike, **metadata: Any) -> Search:
        """Try every setting, and fit the chosen one to all the data."""

    def predict(self, X: ArrayLike) -> ArrayLike:
        """What the chosen setting predicts."""


@dataclass(frozen=True)
class Simplest:
    """A rule for ``refit=`` of scikit-learn's searches; see ``simplest``."""

    complexity: Complexity | None = None
    metric: str | None = None
    level: float = 0.95
    test_size: float | None = None

    def __call__(self, results: Mapping[str, Any]) -> int:
        """The place of the chosen setting in ``cv_results_``."""
        scores = self._scores(results)
        good = np.flatnonzero(np.isfinite(scores).all(axis=1))
        if not good.size:
            raise InputError("no setting has a score in every fold; look at the warnings of the search")
        p_values = self._p_values(scores, good)
        ranks = _ranks(self.complexity, list(results["params"]))
        within = [int(at) for at, p in zip(good, p_values, strict=True) if p > 1 - self.level]
        means = scores.mean(axis=1)
        return min(within, key=lambda at: (ranks[at], -means[at], at))

    def p_values(self, results: Mapping[str, Any]) -> list[float]:
        """For each setting, how probable a deficit as large as its own is by chance; NaN where it failed in a fold."""
        scores = self._scores(results)
        good = np.flatnonzero(np.isfinite(scores).all(axis=1))
        found = np.full(len(scores), np.nan)
        found[good] = self._p_values(scores, good)
        return [float(each) for each in found]

    def _p_values(self, scores: Real, good: Any) -> Real:
        best = good[np.argmax(scores[good].mean(axis=1))]
        return _p_worse(scores[best] - scores[good], self.test_size)

    def _scores(self, results: Mapping[str, Any]) -> Real:
        """Settings × folds."""
        pattern = re.compile(r"split(\d+)_test_(.+)")
        found = [match for name in results if (match := pattern.fullmatch(name))]
        metrics = list(dict.fromkeys(match[2] for match in found))
        wanted = self.metric or (metrics[0] if len(metrics) == 1 else None)
        if wanted not in metrics:
            asked = f"there is no metric {self.metric!r}" if self.metric else "the search has several metrics"
            raise InputError(f"{asked}; say metric= one of {', '.join(map(repr, metrics))}")
        folds = sorted((int(match[1]), match[0]) for match in found if match[2] == wanted)
        if len(folds) < 2:
            raise InputError("one split does not show how much a difference may be by chance; search with cv=5")
        return np.stack([np.asarray(results[name], dtype=np.float64) for _, name in folds], axis=1)


def simplest(
    complexity: Complexity | None = None,
    *,
    metric: str | None = None,
    level: float = 0.95,
    test_size: float | None = None,
) -> Simplest:
    """A rule for ``refit=`` of ``GridSearchCV`` and ``RandomizedSearchCV``: the simplest setting that is good enough.

    Of all settings whose scores are not significantly below those of the best, fold by fold, it takes the simplest.
    ``complexity`` names the parameters that make a setting complex, the most important first; a minus before the name
    says that larger is simpler ("-alpha" of a ridge), and None counts as unlimited. Values that are no
    numbers are ordered as they are listed. Or it is a function of the parameters whose smallest value is simplest. Left
    out, settings listed first are simpler. ``metric`` names the scorer where there are several. Folds share training
    data, so the t-test is corrected for that (Nadeau and Bengio 2003); ``test_size`` is the fraction of the data in a
    test fold, by default one over the number of splits, and needed where folds are repeated.

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


def search(
    estimator: object,
    param_grid: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]],
    *,
    scoring: str | Scorer = "proficiency",
    complexity: Complexity | None = None,
    level: float = 0.95,
    **options: Any,
) -> Search:
    """A ``GridSearchCV`` that refits the simplest setting that is not significantly worse than the best.

    ``scoring`` is a metric of the registry by name, or a scorer; ``complexity`` and ``level`` are those of
    ``simplest``. Other options go to ``GridSearchCV``: ``cv``, ``n_jobs``, ``error_score``, …

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> found = search(tree, {"max_depth": [1, 2, 4, 8, None]}, complexity="max_depth")
    >>> found.fit(*load_iris(return_X_y=True)).best_params_
    {'max_depth': 2}
    """
    scored = scorer(scoring) if isinstance(scoring, str) else scoring
    try:
        from sklearn.model_selection import GridSearchCV  # noqa: PLC0415 - optional extra
    except ImportError:
        raise InputError("a search needs scikit-learn; pip install 'infoscope[sklearn]'") from None
    if "refit" in options:
        raise InputError("refit is the rule by which this search chooses; leave it out, or use GridSearchCV itself")
    found: Search = GridSearchCV(
        estimator, param_grid, scoring=scored, refit=simplest(complexity, level=level), **options
    )
    return found


def _p_worse(deficits: Real, test_size: float | None) -> Real:
    """One-sided p-values that a mean deficit over folds is above 0, by the corrected resampled t-test."""
    from scipy.special import stdtr  # noqa: PLC0415 - only for this test

    folds = deficits.shape[1]
    share = 1.0 / folds if test_size is None else test_size
    mean = deficits.mean(axis=1)
    spread = deficits.std(axis=1, ddof=1) * np.sqrt(1.0 / folds + share / (1.0 - share))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(spread > 0, mean / spread, np.where(mean > 0, np.inf, 0.0))
    return np.asarray(stdtr(folds - 1, -t), dtype=np.float64)


def _ranks(complexity: Complexity | None, params: Sequence[Mapping[str, Any]]) -> list[Any]:
    """What settings are sorted by, simplest first."""
    if complexity is None:
        return list(range(len(params)))
    if callable(complexity):
        return [complexity(each) for each in params]
    names = [complexity] if isinstance(complexity, str) else list(complexity)
    columns = [_ranked_values(name, params) for name in names]
    return list(zip(*columns, strict=True))


def _ranked_values(name: str, params: Sequence[Mapping[str, Any]]) -> list[float]:
    sign = -1.0 if name.startswith("-") else 1.0
    plain = name.removeprefix("-")
    known = {each for setting in params for each in setting}
    if plain not in known:
        hint = did_you_mean(plain, known, f"there are {', '.join(sorted(known))}")
        raise InputError(f"no setting has a parameter {plain!r}; {hint}")
    values = [setting.get(plain) for setting in params]
    if all(value is None or _is_number(value) for value in values):
        return [sign * float(value) if value is not None else np.inf for value in values]
    order = list(_distinct(values))
    return [sign * order.index(repr(value)) for value in values]


def _is_number(value: object) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)


def _distinct(values: Iterable[object]) -> Iterable[str]:
    return dict.fromkeys(map(repr, values))
