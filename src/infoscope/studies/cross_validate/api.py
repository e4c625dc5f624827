"""Cutting the data into folds many times, fitting, and adding the fold tables of each cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError, check_keywords
from infoscope.readers.progress import shown_while
from infoscope.studies.cross_validate.result import CrossValidation
from infoscope.studies.inputs import blank_findings
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels
from infoscope.tables.encoding import check_pairing, one_column
from infoscope.tables.labels import as_labels
from infoscope.typing import ArrayLike, Frame, LabelsLike

__all__ = ["cross_validate"]


class WorkKeywords(TypedDict, total=False):
    """How the work of a cross-validation is done."""

    jobs: int | None
    progress: Callable[[int, int], None] | None


def cross_validate(
    estimators: Mapping[str, Any],
    X: ArrayLike | Frame,
    y: LabelsLike,
    *,
    folds: int = 10,
    repeats: int = 1000,
    stratified: bool = True,
    seed: int = 0,
    **work: Unpack[WorkKeywords],
) -> CrossValidation:
    """Split the data into folds many times, fit every estimator, and keep one summed table per repeat.

    The same folds serve every estimator, and every ``random_state`` in it, however deep, is set from ``seed``. ``jobs``
    processes work in parallel (default: one per core); a terminal shows how far they are, and ``progress(done, all)``
    is called after each repeat.
    """
    check_keywords(work, WorkKeywords)
    learners = _estimators(estimators)
    check_pairing(X, {"y": y}, "X")
    names, codes = _classes(y)
    data = X.tocsr() if hasattr(X, "tocsr") else X
    _check(data, names, codes, (folds, repeats, stratified))
    seeds = np.random.default_rng(seed).integers(0, 2**31 - 1, repeats)
    task = _Task(learners, data, codes, len(names), folds, stratified)
    sums = _run(task, [int(s) for s in seeds], work.get("jobs"), work.get("progress"))
    batches = {
        name: Contingency.from_matrix(np.stack([repeat[i] for repeat in sums]), truth=names, system=names)
        for i, name in enumerate(learners)
    }
    found = CrossValidation.from_tables(batches, folds)
    blanks = blank_findings(BlankLabels.of_columns({"y": (names, np.bincount(codes))}))
    return replace(found, findings=(*blanks, *found.findings))


def _estimators(estimators: Any) -> dict[str, Any]:
    if not isinstance(estimators, Mapping):
        raise InputError(f"estimators is a {type(estimators).__name__}; give them by name, as {{'tree': estimator}}")
    if not estimators:
        raise InputError("give at least one estimator, as {name: estimator}")
    try:
        from sklearn.base import is_regressor  # noqa: PLC0415 - optional extra
    except ImportError:
        raise InputError("cross-validation fits scikit-learn estimators; install infoscope[sklearn]") from None
    for name, estimator in estimators.items():
        able = all(hasattr(estimator, verb) for verb in ("fit", "predict", "get_params", "set_params"))
        if isinstance(estimator, type) or not able:
            kind = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
            raise InputError(f"{name!r} is a {kind}, no estimator; give an object with fit, predict and get_params")
        if is_regressor(estimator):
            raise InputError(
                f"{name!r} predicts numbers, not classes; give a classifier, or class the predictions yourself"
            )
    return {str(name): estimator for name, estimator in estimators.items()}


def _classes(y: Any) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """The classes, and the place of each row's among them."""
    labels = np.asarray(one_column(y, "y"))
    if labels.ndim != 1:
        raise InputError(f"y has shape {labels.shape}; give one label for each row")
    missing = sum(label is None or label != label for label in labels.tolist())  # noqa: PLR0124 - NaN
    if missing:
        raise InputError(f"y lacks {missing} of {labels.size} labels; leave those rows out")
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:
        raise InputError(
            "y mixes labels that have no order, such as text and numbers; give labels of one kind"
        ) from None
    return as_labels(classes.tolist()), codes


def _check(data: Any, names: tuple[Any, ...], codes: NDArray[np.int64], cuts: tuple[int, int, bool]) -> None:
    folds, repeats, stratified = cuts
    rows = data.shape[0] if getattr(data, "shape", ()) else len(data)
    if rows != codes.size:
        raise InputError(f"X has {rows} rows and y has {codes.size}; give one label for each row")
    if repeats < 1:
        raise InputError(f"repeats is {repeats}; cut the data at least once")
    if not 2 <= folds <= codes.size:
        raise InputError(f"folds is {folds} for {codes.size} rows; give at least 2 and at most one fold per row")
    if len(names) < 2:
        raise InputError(f"y has one class only, {names[0]!r}; there is nothing to learn")
    sizes = np.bincount(codes)
    rare = int(sizes.argmin())
    if stratified and sizes[rare] < folds:
        raise InputError(
            f"class {names[rare]!r} has {sizes[rare]} rows for {folds} folds, and each should have some; give fewer "
            "folds, or stratified=False"
        )


@dataclass(frozen=True)
class _Task:
    """What every repeat of a cross-validation has in common."""

    estimators: Mapping[str, Any]
    data: Any
    codes: NDArray[np.int64]
    classes: int
    folds: int
    stratified: bool

    def repeat(self, seed: int) -> list[NDArray[np.int64]]:
        """One table per estimator: the fold tables of one cut, added."""
        from sklearn.base import clone  # noqa: PLC0415 - optional extra
        from sklearn.model_selection import KFold, StratifiedKFold  # noqa: PLC0415 - heavy, and optional

        splitter = (StratifiedKFold if self.stratified else KFold)(self.folds, shuffle=True, random_state=seed)
        tables = [np.zeros((self.classes, self.classes), dtype=np.int64) for _ in self.estimators]
        for train, test in splitter.split(self.data, self.codes):
            for table, (name, estimator) in zip(tables, self.estimators.items(), strict=True):
                fitted = _seeded(clone(estimator), seed)
                fitted.fit(_rows(self.data, train), self.codes[train])
                predictions = np.asarray(fitted.predict(_rows(self.data, test)))
                if predictions.shape != test.shape or not np.isin(predictions, np.arange(self.classes)).all():
                    raise InputError(
                        f"{name!r} predicts something else than the classes it has seen; give a classifier"
                    )
                np.add.at(table, (self.codes[test], predictions.astype(np.int64)), 1)
        return tables


def _seeded(estimator: Any, seed: int) -> Any:
    """The estimator with every source of chance in it set: its own, its parts', and those of splitters among them."""
    found = estimator.get_params(deep=True)
    states = {key: seed for key in found if key.rpartition("__")[2] == "random_state"}
    for value in found.values():
        if not hasattr(value, "get_params") and getattr(value, "random_state", seed) is None:
            value.random_state = seed  # clone has copied it
    return estimator.set_params(**states)


def _rows(data: Any, index: NDArray[np.int64]) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[index]
    return data[index] if hasattr(data, "tocsr") else np.asarray(data)[index]


def _run(
    task: _Task, seeds: Sequence[int], jobs: int | None, progress: Callable[[int, int], None] | None
) -> list[list[NDArray[np.int64]]]:
    from joblib import Parallel, delayed  # noqa: PLC0415 - comes with scikit-learn

    results: list[list[NDArray[np.int64]]] = []
    work = Parallel(n_jobs=jobs if jobs is not None else -1, return_as="generator")
    with shown_while("cross-validating", lambda: 100 * len(results) / len(seeds)):
        for tables in work(delayed(task.repeat)(seed) for seed in seeds):
            results.append(tables)
            if progress is not None:
                progress(len(results), len(seeds))
    return results
