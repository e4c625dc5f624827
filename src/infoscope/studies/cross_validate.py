"""Measure how much a result owes to chance in its making: to folds, to runs, or to which half of the rows was seen.

``cross_validate`` splits the data into folds many times, as in Holt et al., section 4: the fold tables of each repeat
are added and scored once, and each repeat gives one point in the coverage plane. ``monte_carlo`` gives the same result
for runs that were made anywhere, and ``stability`` splits the rows of one table in halves, as Steingold & Laclavik test
predictors. The page is ``reports/views/cross_validate.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from infoscope.core.markup import pluralize
from infoscope.core.numerics import Real
from infoscope.core.validation import SEED, Number, validated
from infoscope.errors import InfoscopeWarning, InputError
from infoscope.metrics.registry import find, metrics_of
from infoscope.readers import ReadOptions
from infoscope.readers.files import find_files_by_values, names_in_braces
from infoscope.readers.labels import Cleaning
from infoscope.readers.progress import show_progress
from infoscope.readers.query import as_names
from infoscope.readers.reader import count_tables, prepare_finished_tables
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Record
from infoscope.results.provenance import Provenance
from infoscope.results.system import MeasuredSystem, find_system
from infoscope.studies.inputs import describe_blank_labels, materialize_labels
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels, check_positive
from infoscope.tables.construction import Declared, count_labels
from infoscope.tables.counting import add_ignored, merge_ignored, warn_of, warn_of_rows
from infoscope.tables.encoding import check_pairing, one_column
from infoscope.tables.labels import Label, as_labels
from infoscope.typing import ArrayLike, Frame, LabelsLike, Source

METRICS = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "accuracy")
"""Metrics that the document holds of every repeat."""
SCORE = "erroneous_information_ratio"
"""The metric in which two systems are compared."""
MAX_CELLS = 50_000_000
"""Cells of all runs of a system together."""
MAX_BLOCK_CELLS = 2_000_000  # cells split at a time: bounds the memory

Runs = dict[str, Contingency]
"""Tables of one system by the name of the run."""


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class EstimatorScores(MeasuredSystem):
    """One estimator: the value of each metric in every repeat, and their mean and standard deviation."""

    name: str
    scores: Mapping[str, tuple[float, ...]]
    metrics: Mapping[str, Estimate]
    """Mean over the repeats, with the standard deviation as ``sd``."""
    correlation: float | None
    """Of captured and false information over the repeats."""
    table: Contingency | None = field(default=None, compare=False, metadata={"stored": False})
    """A batch with one table per repeat, of an estimator that was asked for by name; not in documents."""


@dataclass(frozen=True)
class ScoreOverlap:
    """Share of repeats in which A has the lower S_I/H(T), over fold seeds or runs, not over new data.

    Run by run where both have as many, else over all pairs of their runs; ties count half.
    """

    a: str
    b: str
    share_a_lower: float

    @property
    def p_value(self) -> float:
        """Holt et al.'s p-value that A is better than B (section 4): the share itself, near 1 where A is ahead."""
        return self.share_a_lower


@dataclass(frozen=True, repr=False, eq=False)
class CrossValidation(Result):
    """One table per estimator and repeat, and what they show together."""

    kind: ClassVar[str] = "cross-validation"
    roles: ClassVar[Mapping[str, str]] = {"estimator": "system"}

    estimators: tuple[EstimatorScores, ...]
    overlaps: tuple[ScoreOverlap, ...]
    """For each pair the share of repeats in which the first has the lower S_I/H(T); ties count half."""
    folds: int | None
    """None for runs that were made elsewhere."""
    repeats: int
    """Of the estimator that has the most."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    tables: Mapping[str, Contingency] = field(default_factory=dict, metadata={"stored": False})
    """For each estimator a batch with one table per repeat; not part of the document."""

    @classmethod
    def from_tables(cls, tables: Mapping[str, Contingency], folds: int | None = None) -> Self:
        """Score every repeat of a batch of tables per estimator; without ``folds`` they are runs of any kind."""
        estimators = tuple(_score_repeats(name, batch) for name, batch in tables.items())
        overlaps = []
        for a, b in combinations(estimators, 2):
            one, other = np.asarray(a.scores[SCORE]), np.asarray(b.scores[SCORE])
            if one.shape != other.shape:
                one, other = one[:, None], other[None, :]
            share = float(np.mean((one < other) + 0.5 * (one == other)))
            overlaps.append(ScoreOverlap(a.name, b.name, share))
        first = next(iter(tables.values()))
        # what the spread is about: fold seeds, runs on data that may be the same, or runs on other data
        rows = [batch.row_totals for batch in tables.values()]
        if folds is not None:
            text = "Standard deviations are over fold seeds on the same data, not over new data."
            spread = Finding("spread_over_folds", text)
        elif all(totals.shape[-1] == rows[0].shape[-1] and bool((totals == rows[0][0]).all()) for totals in rows):
            text = (
                "Every run has the same number of samples of each class; if these are the same data, the spread says "
                "nothing about new data."
            )
            spread = Finding("spread_over_runs", text)
        else:
            text = "The runs differ in their samples; the spread is over runs and samples together."
            spread = Finding("spread_over_runs", text)
        return cls(
            estimators,
            tuple(overlaps),
            folds,
            max(int(batch.batch_shape[0]) for batch in tables.values()),
            Provenance(rows=int(first.grand_total[0])),
            (spread,),
            tables,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The estimators by name."""
        return tuple(estimator.name for estimator in self.estimators)

    def __getitem__(self, name: str) -> EstimatorScores:
        """Return the estimator of this name."""
        return replace(find_system(self.estimators, name, "estimator"), table=self.tables.get(name))

    def cloud(self, name: str, metric: str = SCORE) -> Real:
        """Return the metric's value in every repeat; metrics beyond those of the document need the tables."""
        scores, entry = self[name].scores, find(metric)
        if entry.name in scores:
            return np.asarray(scores[entry.name])
        if name not in self.tables:
            raise InputError(f"a stored cross-validation holds {', '.join(scores)} only; {entry.name} needs the tables")
        return np.asarray(entry.score(self.tables[name]))

    def total(self, name: str) -> Contingency:
        """Add up one estimator's tables of all repeats: n times the number of repeats, for its shape only."""
        if name not in self.tables:
            raise InputError(f"the tables of {name!r} are not part of a stored cross-validation; run it again")
        batch = self.tables[name]
        return batch.with_cells(batch.cells.sum(axis=0))

    def records(self) -> Iterator[Record]:
        """Yield one record per estimator and repeat."""
        for estimator in self.estimators:
            for repeat, values in enumerate(zip(*estimator.scores.values(), strict=True)):
                scores = dict(zip(estimator.scores, map(Estimate.of, values), strict=True))
                yield {"estimator": estimator.name, "repeat": repeat, **scores}


def _score_repeats(name: str, batch: Contingency) -> EstimatorScores:
    values = {metric: np.asarray(find(metric).score(batch), dtype=float) for metric in METRICS}
    metrics = {}
    for metric, scores in values.items():
        defined = scores[np.isfinite(scores)]
        metrics[metric] = Estimate(None, undefined="undefined in every repeat")
        if defined.size:
            sd = float(defined.std(ddof=1)) if defined.size > 1 else None
            metrics[metric] = Estimate(float(defined.mean()), sd=sd)
    r, f = values["false_information_ratio"], values["proficiency"]
    correlation = float(np.corrcoef(r, f)[0, 1]) if r.size > 2 and r.std() > 0 and f.std() > 0 else None
    return EstimatorScores(
        name, {metric: tuple(scores.tolist()) for metric, scores in values.items()}, metrics, correlation
    )


# Folds ----------------------------------------------------------------------------------------------------------------


@validated(folds=Number(low=2, closed="low", whole=True), repeats=Number(low=1, closed="low", whole=True), seed=SEED)
def cross_validate(
    estimators: Mapping[str, Any],
    X: ArrayLike | Frame,
    y: LabelsLike,
    *,
    folds: int = 10,
    repeats: int = 1000,
    stratified: bool = True,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CrossValidation:
    """Split the data into folds many times, fit every estimator, and keep one summed table per repeat.

    The same folds serve every estimator.

    Parameters
    ----------
    estimators
        scikit-learn classifiers by name.
    X, y
        The data, and the label of each row.
    folds
        Folds of each repeat, 2 or more.
    repeats
        How often the data is split.
    stratified
        Give each fold the same share of each class.
    seed, rng
        Seed of the folds and of every ``random_state`` in an estimator, however deep; or a generator.
    jobs
        Processes that work in parallel; by default one per core.
    progress
        Called as ``progress(done, all)`` after each repeat; a terminal shows it in any case.

    Returns
    -------
    CrossValidation
        The scores of every repeat with their spread, and how often each estimator is ahead of each other one.

    Raises
    ------
    InputError
        If there is no classifier, the data and labels do not fit, or a class has too few rows for the folds.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], ["a", "a", "a", "b", "b", "b"]
    >>> cross_validate({"bayes": GaussianNB()}, X, y, folds=3, repeats=2, jobs=1).names
    ('bayes',)
    """
    learners = _check_estimators(estimators)
    check_pairing(X, {"y": y}, "X")
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
    names = as_labels(classes.tolist())
    data: Any = X.tocsr() if hasattr(X, "tocsr") else X
    rows = data.shape[0] if getattr(data, "shape", ()) else len(data)
    if rows != codes.size:
        raise InputError(f"X has {rows} rows and y has {codes.size}; give one label for each row")
    if folds > codes.size:
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

    from joblib import Parallel, delayed  # noqa: PLC0415 - comes with scikit-learn

    seeds = np.random.default_rng(seed).integers(0, 2**31 - 1, repeats)
    fit = delayed(_fit_folds)
    results: list[list[NDArray[np.int64]]] = []
    work = Parallel(n_jobs=jobs if jobs is not None else -1, return_as="generator")
    with show_progress("cross-validating", lambda: 100 * len(results) / len(seeds)):
        for tables in work(fit(learners, data, codes, len(names), folds, int(s), stratified=stratified) for s in seeds):
            results.append(tables)
            if progress is not None:
                progress(len(results), len(seeds))
    batches = {
        name: Contingency.from_matrix(np.stack([tables[place] for tables in results]), truth=names, system=names)
        for place, name in enumerate(learners)
    }
    result = CrossValidation.from_tables(batches, folds)
    blanks = describe_blank_labels(BlankLabels.of_columns({"y": (names, sizes)}))
    return replace(result, findings=(*blanks, *result.findings))


def _check_estimators(estimators: Any) -> dict[str, Any]:
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


def _fit_folds(
    estimators: Mapping[str, Any],
    data: Any,
    codes: NDArray[np.int64],
    classes: int,
    folds: int,
    seed: int,
    *,
    stratified: bool,
) -> list[NDArray[np.int64]]:
    """Return one table per estimator: the fold tables of one repeat, added."""
    from sklearn.base import clone  # noqa: PLC0415 - optional extra
    from sklearn.model_selection import KFold, StratifiedKFold  # noqa: PLC0415 - heavy, and optional

    def select_rows(index: NDArray[np.int64]) -> Any:
        if hasattr(data, "iloc"):
            return data.iloc[index]
        return data[index] if hasattr(data, "tocsr") else np.asarray(data)[index]

    splitter = (StratifiedKFold if stratified else KFold)(folds, shuffle=True, random_state=seed)
    tables = [np.zeros((classes, classes), dtype=np.int64) for _ in estimators]
    for train, test in splitter.split(data, codes):
        for table, (name, estimator) in zip(tables, estimators.items(), strict=True):
            # every source of chance gets the seed: the estimator's own, its parts', and those of splitters among them
            fitted = clone(estimator)
            parameters = fitted.get_params(deep=True)
            for value in parameters.values():
                if not hasattr(value, "get_params") and getattr(value, "random_state", seed) is None:
                    value.random_state = seed  # clone has copied it
            fitted.set_params(**{key: seed for key in parameters if key.rpartition("__")[2] == "random_state"})
            fitted.fit(select_rows(train), codes[train])
            predictions = np.asarray(fitted.predict(select_rows(test)))
            if predictions.shape != test.shape or not np.isin(predictions, np.arange(classes)).all():
                raise InputError(f"{name!r} predicts something else than the classes it has seen; give a classifier")
            np.add.at(table, (codes[test], predictions.astype(np.int64)), 1)
    return tables


# Runs that were made elsewhere ----------------------------------------------------------------------------------------


@validated()
def monte_carlo(
    source: Source | Mapping[str, Any],
    y_pred: Mapping[str, Sequence[LabelsLike]] | None = None,
    *,
    truth: str | None = None,
    system: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    weight: Any = None,
    reject: Label | None = None,
    positive: Label | None = None,
    clean: Cleaning = (),
    read: ReadOptions | None = None,
) -> CrossValidation:
    """Measure how much the scores of systems vary over runs that were made anywhere, and how far systems are apart.

    All runs must be of the same true classes and of the same size.

    Parameters
    ----------
    source
        The runs by system: a list of tables or of matrices, tables by run, or a batch. Or rows with the columns
        ``truth`` and ``system``, where ``by`` tells the runs apart; a name like ``runs/seed={seed}.csv`` means one
        file per run. Or the true labels, with ``y_pred``.
    y_pred
        For each system one sequence of predictions per run.
    truth, system
        Columns of the true class and of the systems' predictions.
    by
        Column that tells the runs apart, such as a seed.
    weight
        Weights of the rows, or the column that holds them.
    reject
        Label that means "abstained".
    positive
        Class that binary metrics are about.
    clean
        How labels are cleaned while they are read.
    read
        How files are read.

    Returns
    -------
    CrossValidation
        The scores of every run with their spread, and how often each system is ahead of each other one.

    Raises
    ------
    InputError
        If a system has fewer than two runs, or runs differ in their classes or size.

    Examples
    --------
    >>> runs = {"old": [[[7, 3], [3, 7]], [[6, 4], [3, 7]]], "new": [[[9, 1], [1, 9]], [[8, 2], [1, 9]]]}
    >>> result = monte_carlo(runs)
    >>> result.repeats, result.overlaps[0].share_a_lower
    (2, 0.0)
    """
    if y_pred is not None:
        if clean:
            raise InputError("clean= is about labels that are read; clean the labels before you give them")
        runs = _count_labels(source, y_pred, weight, Declared(reject=reject, positive=positive))
    elif isinstance(source, Mapping) and truth is None:
        tables = {str(name): _list_tables(str(name), given) for name, given in source.items()}
        about_rows = {"by": by, "weight": weight, "reject": reject, "positive": positive, "clean": clean}
        runs = {name: prepare_finished_tables(given, about_rows) for name, given in tables.items()}
    else:
        labels = {"weight": weight, "reject": reject, "positive": positive, "clean": clean}
        runs = _read_runs(source, truth, as_names(system), as_names(by), read, labels)
    if not runs:
        raise InputError("there is no system; give the runs of at least one")
    _check_runs(runs)
    return CrossValidation.from_tables({name: _stack_runs(name, tables) for name, tables in runs.items()})


def _count_labels(
    y_true: Any, y_pred: Mapping[str, Sequence[LabelsLike]], weight: Any, declared: Declared
) -> dict[str, Runs]:
    if not isinstance(y_pred, Mapping):
        raise InputError("y_pred maps each system to its runs, as {'svm': [labels, labels]}")
    truth = materialize_labels(y_true)
    runs: dict[str, Runs] = {}
    for name, given in y_pred.items():
        lines = list(given)
        if lines and (isinstance(lines[0], str) or not isinstance(lines[0], (Iterable, Sized))):
            raise InputError(f"the runs of {name!r} are one sequence of labels; give one sequence per run, as a list")
        runs[str(name)] = {
            str(run): count_labels(Contingency, truth, line, weight, declared) for run, line in enumerate(lines, 1)
        }
    warn_of_rows(merge_ignored(table.ignored for tables in runs.values() for table in tables.values()))
    return runs


def _list_tables(name: str, given: Any) -> Runs:
    """Return the tables of a system by run: of a batch, of tables by run, or of a list of tables or matrices."""
    if isinstance(given, Contingency):
        if len(given.batch_shape) != 1:
            raise InputError(f"{name!r} has one table; a spread needs a list of them, one per run")
        return {str(run): given.with_cells(cells) for run, cells in enumerate(given.cells, 1)}
    runs: Runs = {}
    for run, item in given.items() if isinstance(given, Mapping) else enumerate(given, 1):
        try:
            table = item if isinstance(item, Contingency) else Contingency.from_matrix(item)
        except InputError as error:
            raise InputError(f"run {run} of {name!r} is no table of counts: {error}") from None
        if table.batch_shape:
            raise InputError(f"run {run} of {name!r} is no single table; give one Contingency or matrix per run")
        runs[str(run)] = table
    return runs


def _read_runs(
    source: Any,
    truth: str | None,
    systems: tuple[str, ...],
    by: tuple[str, ...],
    read: ReadOptions | None,
    labels: Mapping[str, Any],
) -> dict[str, Runs]:
    """Count the rows of each run: of files whose names tell the runs apart, or of one source by a column."""
    if truth is None or not systems:
        raise InputError("name the truth column and at least one system, or give the runs of each system as tables")
    runs: dict[str, Runs] = {name: {} for name in systems}
    if isinstance(source, str) and names_in_braces(source) and not by:
        for run, path in find_files_by_values(source, names_in_braces(source)).items():
            for (_, name), table in count_tables(path, truth, list(systems), read, **labels).items():
                runs[name][", ".join(run)] = table
        warn_of_rows(add_ignored(table.ignored for tables in runs.values() for table in tables.values()))
        return runs
    if not by:
        raise InputError("name the column that tells the runs apart with by= (--by), such as a seed")
    tables = count_tables(source, truth, list(systems), read, by=list(by), **labels)
    warn_of_rows(tables.ignored)
    for (group, name), table in tables.items():
        runs[name][", ".join(map(str, group))] = table
    return runs


def _check_runs(runs: Mapping[str, Runs]) -> None:
    """Reject runs that cannot be held against each other: one alone, other true classes, another size."""
    for name, tables in runs.items():
        if len(tables) < 2:
            raise InputError(f"{name!r} has {pluralize(len(tables), 'run')}; a spread needs at least two")
        for run, table in tables.items():
            if not table.total:
                raise InputError(f"run {run} of {name!r} has no row with both a truth and a prediction; leave it out")

    def list_classes(table: Contingency) -> list[Label]:
        return [label for label, total in zip(table.truth_labels, table.row_totals, strict=True) if total > 0]

    named = [(name, run, table) for name, tables in runs.items() for run, table in tables.items()]
    first_name, first_run, first = named[0]
    expected = list_classes(first)
    for name, run, table in named[1:]:
        classes = list_classes(table)
        if classes != expected:
            odd = sorted(map(str, set(classes) ^ set(expected)))
            where = "only there" if odd[0] in set(map(str, classes)) else "not there"
            raise InputError(
                f"run {run} of {name!r} has other true classes than run {first_run} of {first_name!r} "
                f"({odd[0]!r} is {where}); give runs on the same classes"
            )
        if not np.isclose(float(table.total), float(first.total), rtol=1e-9):
            raise InputError(
                f"run {run} of {name!r} has {float(table.total):,.6g} samples and run {first_run} of {first_name!r} "
                f"has {float(first.total):,.6g}; give runs of the same size"
            )


def _stack_runs(name: str, runs: Runs) -> Contingency:
    """Return all runs of a system as one batch, on the classes of all of them."""
    tables = list(runs.values())
    truth, system = (
        list(dict.fromkeys(label for table in tables for label in getattr(table, side)))
        for side in ("truth_labels", "system_labels")
    )
    if len(tables) * len(truth) * len(system) > MAX_CELLS:
        raise InputError(
            f"{len(tables):,} runs of {len(truth):,} × {len(system):,} classes are too many cells for {name!r}; merge "
            "classes, or give fewer runs"
        )
    counts = np.zeros((len(tables), len(truth), len(system)))
    for cells, table in zip(counts, tables, strict=True):
        rows = np.array([truth.index(label) for label in table.truth_labels])
        columns = np.array([system.index(label) for label in table.system_labels])
        cells[rows[table.cell_rows], columns[table.cell_columns]] = table.cells
    reject = next((table.reject for table in tables if table.reject is not None), None)
    positive = next((table.positive for table in tables if table.positive is not None), None)
    return Contingency.from_matrix(counts, truth=truth, system=system, reject=reject, positive=positive)


# Halves of the rows ---------------------------------------------------------------------------------------------------


@validated(splits=Number(low=1, closed="low", whole=True), seed=SEED)
def stability(
    truth: Contingency | LabelsLike,
    system: LabelsLike | None = None,
    *,
    metrics: str | Sequence[str] | None = None,
    splits: int = 500,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
) -> dict[str, dict[str, float]]:
    """Measure how far metrics of half the rows are from those of the other half.

    Each row goes to either half by the toss of a coin, again if one half got none. For a smooth metric the standard
    deviation over random halves estimates the standard error of the whole.

    Parameters
    ----------
    truth, system
        A table of counts, or the true labels and the predicted ones.
    metrics
        Names of metrics of the table; by default all.
    splits
        Random splits, 1 or more.
    seed, rng
        Seed of the splits, or a generator.
    positive, pos_label
        Class that binary metrics are about.

    Returns
    -------
    dict
        By metric the ``mean`` and ``sd`` over both halves of all splits, and the ``bias``: the mean less the value of
        all rows. Half as many samples look more informative, so the mean of an information measure is too high by
        about as much as the value of all rows is. A metric that is undefined in every half is left out.

    Raises
    ------
    InputError
        If there is no single table of whole counts, fewer than two samples, or a metric is not of the whole table.

    Examples
    --------
    >>> spread = stability(Contingency.from_matrix([[40, 10], [10, 40]]), metrics=["accuracy"])["accuracy"]
    >>> print(f"{spread['mean']:.2f} ± {spread['sd']:.3f}")  # √(0.8 · 0.2 / 100) = 0.040
    0.80 ± 0.040
    """
    is_table = isinstance(truth, Contingency) and system is None
    table: Contingency = truth if is_table else Contingency.from_labels(truth, system)  # type: ignore[assignment, arg-type]
    if table.batch_shape or not table.is_counts:
        raise InputError("rows are split in halves, so it takes one table of whole counts; give that, or the labels")
    if table.grand_total < 2:
        raise InputError(
            f"rows are split in halves, so it takes two samples at least; there is {table.grand_total:.0f}"
        )
    table = prepare_finished_tables({"system": table}, {"positive": positive})["system"]
    warn_of([str(blanks)] if (blanks := BlankLabels.of([("system", table)])) else [], InfoscopeWarning)
    if isinstance(metrics, str):
        metrics = [metrics]
    entries = list(metrics_of("table")) if metrics is None else [find(name) for name in metrics]
    for entry in entries:
        if entry.card.level != "table":
            raise InputError(f"{entry.name} has one value for each class; stability is of metrics of the table")
        if metrics is not None and entry.card.of_positive:
            check_positive(table, entry.name)

    generator = np.random.default_rng(seed)
    cells = np.rint(table.cells).astype(np.int64)
    step = max(1, MAX_BLOCK_CELLS // max(cells.size, 1))
    values: dict[str, list[Real]] = {entry.name: [] for entry in entries}
    for start in range(0, splits, step):
        half = generator.binomial(cells, 0.5, (min(step, splits - start), cells.size))
        while (again := np.isin(half.sum(axis=1), (0, cells.sum()))).any():  # no half is empty
            half[again] = generator.binomial(cells, 0.5, (int(again.sum()), cells.size))
        both = table.with_cells(np.concatenate([half, cells - half]))
        for entry in entries:
            score = np.asarray(entry.score(both), dtype=np.float64)
            values[entry.name].append(np.broadcast_to(score, both.batch_shape))
    spreads = {}
    for entry in entries:
        scores, whole = np.concatenate(values[entry.name]), float(entry.score(table))
        scores = scores[np.isfinite(scores)]
        if scores.size:
            spread = {"mean": float(scores.mean()), "sd": float(scores.std())}
            spreads[entry.name] = spread | ({"bias": spread["mean"] - whole} if np.isfinite(whole) else {})
    return spreads
