"""Monte Carlo cross-validation: how much a result owes to the way the data was cut into folds.

As in Holt et al., section 4: the data is cut into folds many times, the fold tables of each repeat are added and scored
once, and each repeat gives one point in the coverage plane.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoscope.cards import find
from infoscope.errors import InputError, UnknownNameError
from infoscope.numeric import Real
from infoscope.tables import Contingency

__all__ = ["CrossValidation", "Overlap", "Spread", "cross_validate"]

_COVERAGE = ("false_information_ratio", "proficiency")
_SCORE = "erroneous_information_ratio"


@dataclass(frozen=True)
class Spread:
    """A cloud in the coverage plane: where its middle is, how wide it is, how its two axes go together."""

    name: str
    proficiency: tuple[float, float]
    false_information_ratio: tuple[float, float]
    erroneous_information_ratio: tuple[float, float]
    correlation: float


@dataclass(frozen=True)
class Overlap:
    """How often A had the lower S_I/H(T): Holt's p-value is the smaller of this share and its complement."""

    a: str
    b: str
    share_a_lower: float

    @property
    def p_value(self) -> float:
        """Spread over fold seeds, not over new data."""
        return min(self.share_a_lower, 1 - self.share_a_lower)


@dataclass(frozen=True)
class CrossValidation:
    """One table per estimator and repeat, and what they say together."""

    tables: Mapping[str, Contingency]
    """For each estimator a batch with one table per repeat."""
    folds: int

    caution = "the spread is over fold seeds on the same data, not over new data"

    @property
    def repeats(self) -> int:
        """How often the data was cut."""
        return int(next(iter(self.tables.values())).batch_shape[0])

    def cloud(self, name: str, metric: str = _SCORE) -> Real:
        """The metric's value in every repeat."""
        if name not in self.tables:
            raise UnknownNameError(f"there is no estimator {name!r}; there is {', '.join(self.tables)}")
        return np.asarray(find(metric).score(self.tables[name]))

    def spreads(self) -> list[Spread]:
        """Middle, width and correlation of each cloud, in the order given."""
        found = []
        for name in self.tables:
            r, f, score = (self.cloud(name, metric) for metric in (*_COVERAGE, _SCORE))
            middle = [(float(x.mean()), float(x.std(ddof=1)) if x.size > 1 else float("nan")) for x in (f, r, score)]
            tied = float(np.corrcoef(r, f)[0, 1]) if r.size > 2 and r.std() > 0 and f.std() > 0 else float("nan")
            found.append(Spread(name, middle[0], middle[1], middle[2], tied))
        return found

    def overlaps(self) -> list[Overlap]:
        """For each pair the share of repeats in which the first has the lower S_I/H(T); ties count half."""
        clouds = {name: self.cloud(name) for name in self.tables}
        return [
            Overlap(a, b, float(np.mean((clouds[a] < clouds[b]) + 0.5 * (clouds[a] == clouds[b]))))
            for a, b in combinations(clouds, 2)
        ]

    def total(self, name: str) -> Contingency:
        """One estimator's tables of all repeats added up: n times the number of repeats, for its shape only."""
        batch = self.tables[name]
        return batch.with_cells(batch.cells.sum(axis=0))


def cross_validate(  # noqa: PLR0913 - the public front
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    folds: int = 10,
    repeats: int = 1000,
    stratified: bool = True,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CrossValidation:
    """Cut the data into folds many times, fit every estimator, and keep one summed table per repeat.

    The same folds serve every estimator. ``jobs`` processes work in parallel (default: one per core);
    ``progress(done, all)`` is called after each repeat.
    """
    labels = np.asarray(y)
    _check(estimators, labels, folds, repeats)
    seeds = np.random.default_rng(seed).integers(0, 2**31 - 1, repeats)
    classes, codes = np.unique(labels, return_inverse=True)
    task = _Task(dict(estimators), X, codes, len(classes), folds, stratified)
    sums = _run(task, [int(s) for s in seeds], jobs, progress)
    names = tuple(classes.tolist())
    batches = {
        name: Contingency.from_matrix(np.stack([repeat[i] for repeat in sums]), truth=names, system=names)
        for i, name in enumerate(estimators)
    }
    return CrossValidation(batches, folds)


def _check(estimators: Mapping[str, Any], labels: NDArray[Any], folds: int, repeats: int) -> None:
    if not estimators:
        raise InputError("give at least one estimator, as {name: estimator}")
    if repeats < 1:
        raise InputError(f"repeats is {repeats}; cut the data at least once")
    if not 2 <= folds <= len(labels):
        raise InputError(f"folds is {folds} for {len(labels)} rows; give at least 2 and at most one fold per row")


@dataclass(frozen=True)
class _Task:
    estimators: Mapping[str, Any]
    data: Any
    codes: NDArray[np.int64]
    classes: int
    folds: int
    stratified: bool

    def repeat(self, seed: int) -> list[NDArray[np.int64]]:
        """One table per estimator: the fold tables of one cut, added."""
        from sklearn.base import clone  # noqa: PLC0415 - optional extra
        from sklearn.model_selection import KFold, StratifiedKFold  # noqa: PLC0415

        splitter = (StratifiedKFold if self.stratified else KFold)(self.folds, shuffle=True, random_state=seed)
        tables = [np.zeros((self.classes, self.classes), dtype=np.int64) for _ in self.estimators]
        for train, test in splitter.split(self.data, self.codes):
            for table, estimator in zip(tables, self.estimators.values(), strict=True):
                fitted = clone(estimator)
                if "random_state" in fitted.get_params():
                    fitted.set_params(random_state=seed)
                fitted.fit(_rows(self.data, train), self.codes[train])
                answers = fitted.predict(_rows(self.data, test))
                np.add.at(table, (self.codes[test], np.asarray(answers, dtype=np.int64)), 1)
        return tables


def _rows(data: Any, index: NDArray[np.int64]) -> Any:
    return data.iloc[index] if hasattr(data, "iloc") else np.asarray(data)[index]


def _run(
    task: _Task, seeds: Sequence[int], jobs: int | None, progress: Callable[[int, int], None] | None
) -> list[list[NDArray[np.int64]]]:
    try:
        from joblib import Parallel, delayed  # noqa: PLC0415 - comes with scikit-learn
    except ImportError:
        raise InputError("cross-validation fits scikit-learn estimators; install infoscope[sklearn]") from None
    results = []
    for tables in Parallel(n_jobs=jobs if jobs is not None else -1, return_as="generator")(
        delayed(task.repeat)(seed) for seed in seeds
    ):
        results.append(tables)
        if progress is not None:
            progress(len(results), len(seeds))
    return results
