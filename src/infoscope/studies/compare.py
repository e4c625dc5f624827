"""Compare systems on one truth: the difference of every pair, its interval, and a ranking (``infoscope.compare``).

The module reads in the order of the work: the result types, ``compare`` with its three kinds of input (rows, finished
tables, judged rows), the posterior of each system, the evidence of each pair, the ranking over all pairs, and the
findings. Formulas are in ``compare_statistics.py``, the rows of several systems in ``predictions.py``; the page is
``reports/views/compare.py``. ``evaluate`` and ``gate`` enter through ``compare_predictions``, ``compare_rows`` and
``compare_judged``.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from math import isclose, sqrt
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from scipy.special import betaincinv

from infoscope.core.markup import ShortRepr
from infoscope.core.validation import LEVEL, SEED, Number, OneOf, validated
from infoscope.errors import InputError, UnknownNameError, list_names, suggest_name
from infoscope.metrics import truth_entropy
from infoscope.metrics.chance import CHANCE_LEVEL, chance_p_value
from infoscope.metrics.registry import Law, Metric, find
from infoscope.posterior import Posterior
from infoscope.posterior.groups import GroupPosterior
from infoscope.posterior.prior import DirichletBelief, choose_default_prior
from infoscope.posterior.sample_size import (
    CLASS_COUNT_METRICS,
    DOMINANT_CLASS_METRICS,
    find_dominant_class,
    find_missing_classes,
    round_up,
)
from infoscope.posterior.summary import DrawnBelief, Summary
from infoscope.posterior.tree import Tree
from infoscope.readers import ReadOptions, read_joint
from infoscope.readers.columns import resolve_columns
from infoscope.readers.files import name_source_file
from infoscope.readers.labels import Cleaning
from infoscope.readers.matrix_files import CostsLike, resolve_costs
from infoscope.readers.reader import prepare_finished_tables
from infoscope.results.base import Result
from infoscope.results.estimate import Difference, Estimate, invert
from infoscope.results.finding import Finding
from infoscope.results.frame import Record
from infoscope.results.notation import MetricNotation, format_count
from infoscope.results.provenance import Provenance
from infoscope.results.system import SystemMetrics, find_system
from infoscope.studies.compare_statistics import (
    MIN_CLASSES_TO_MODEL,
    POWER,
    MetricBelief,
    SystemPair,
    correlation,
    count_samples_to_decide,
    difference,
    exact_information_difference,
    find_groups,
    find_wins,
    homogeneity_p_value,
    improvement_factor,
    is_wasteful,
    judged_correlation,
    keep_cells,
    loosen_correlation,
    mcnemar_p_values,
    probability_best,
    swap_p_values,
)
from infoscope.studies.diagnose import find_normalised_matrix, find_relabelling
from infoscope.studies.diagnose_statistics import TableStatistics, find_foreign_labels
from infoscope.studies.inputs import (
    Prevalence,
    StatedOrder,
    check_order_and_costs,
    check_rows,
    describe_costs,
    describe_groups,
    find_class_order,
    find_label_problems,
    materialize_labels,
    name_predictions,
    name_tables,
    pick_column,
    pick_labels,
)
from infoscope.studies.judge import Judged, read_judged
from infoscope.studies.judge_findings import describe_judge_quality, describe_judged
from infoscope.studies.predictions import PairCells, PairedPredictions
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import (
    ColumnNames,
    check_columns,
    check_labels,
    check_positive,
    describe_measured_labels,
    is_positive_open,
    measure_nearness,
)
from infoscope.tables.counting import warn_of
from infoscope.tables.ifs_file import hash_tables
from infoscope.tables.labels import Label
from infoscope.tables.transformations import StatedCosts, match_shares, sort_by_scale
from infoscope.typing import Json, LabelsByName, LabelsLike, PriorLike, Source

INFORMATION = "proficiency"
ERRORS = "erroneous_information_ratio"
ACCURACY = "accuracy"
SEVERAL_CLASSES = (ACCURACY, INFORMATION, "macro_f1")
POSITIVE_CLASS = ("f1", INFORMATION, "recall", "precision", ACCURACY)
"""Metrics that decide where none is named: of several classes, and of two of which one is known to be positive."""

SWAPS = 999
MAX_SAMPLES_ASKED = 100
"""Further samples, as a multiple of those there are, beyond which nobody is asked for them."""
MAX_SYSTEMS_ALL_SWAPS = 6
"""With more systems, the swap test is run against the baseline, or between neighbours in the ranking, only."""
MIN_CELLS_TO_THIN = 1 << 16
SAME_SIZE = 1e-9  # relative difference up to which two sample sizes are the same


# Results --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Place(ShortRepr):
    """One system's place in a ranking: its estimate, how likely it is the best, and the groups it belongs to."""

    name: str
    estimate: Estimate
    probability_best: float
    groups: tuple[int, ...]
    """The largest sets of systems without a significant difference that it is in, by number."""

    @property
    def shown(self) -> float:
        """The number shown, by which the systems are ranked."""
        assert self.estimate.shown is not None
        return self.estimate.shown


@dataclass(frozen=True, repr=False)
class Ranking(ShortRepr):
    """All systems by one metric, the best first, and what all pairs at once allow to say."""

    metric: str
    places: tuple[Place, ...]
    wins: tuple[SystemPair, ...] = ()
    """Pairs with a significant difference, all pairs considered at once, the better system first."""
    statement: str = ""

    uninformative: tuple[str, ...] = ()
    """Systems that capture no significant information: they come last and are neither best nor tied."""

    @property
    def contenders(self) -> tuple[Place, ...]:
        """The places of the systems that capture information."""
        return tuple(place for place in self.places if place.name not in self.uninformative)

    @property
    def best(self) -> str | None:
        """The system that is significantly better than every other, if there is one.

        One without information may be ahead by a metric such as accuracy, which does not make it a rival.
        """
        sign = -1.0 if find(self.metric).card.better == "lower" else 1.0
        for place in self.contenders:
            rivals = [
                other.name
                for other in self.places
                if other is not place
                and not (other.name in self.uninformative and sign * other.shown > sign * place.shown)
            ]
            if all((place.name, rival) in self.wins for rival in rivals):
                return place.name
        return None

    @property
    def front(self) -> tuple[str, ...]:
        """Systems that no other is significantly better than: the best is one of them."""
        names = [place.name for place in self.contenders]
        beaten = {loser for winner, loser in self.wins if winner in names}
        return tuple(name for name in names if name not in beaten)

    @property
    def leads(self) -> bool:
        """True if every system of the front is significantly better than every other."""
        others = [place.name for place in self.contenders if place.name not in self.front]
        return bool(self.front) and all((one, other) in self.wins for one in self.front for other in others)


@dataclass(frozen=True, repr=False)
class Improvement(ShortRepr):
    """By what factor A loses less than B (Holt et al., Figure 5), in S_I/H(T) or in 1 − accuracy."""

    a: str
    b: str
    of: str
    factor: Estimate
    paired: bool

    def reversed(self) -> Improvement:
        """Return by what factor B loses less than A."""
        return Improvement(self.b, self.a, self.of, invert(self.factor), self.paired)


@dataclass(frozen=True)
class PairHits:
    """Samples of two systems by who is right: those that only one of the two gets right decide which is better."""

    a: str
    b: str
    only_a: float
    only_b: float
    neither: float
    samples: float
    """Common samples, effective ones where rows are weighted."""

    def reversed(self) -> PairHits:
        """Return the same with B first."""
        return PairHits(self.b, self.a, self.only_b, self.only_a, self.neither, self.samples)


@dataclass(frozen=True)
class ConstantPrediction:
    """What always predicting the most frequent true class reaches, to compare the systems with."""

    label: str
    metrics: Mapping[str, Estimate]


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Differences of all pairs of systems, and a ranking by each metric."""

    kind: ClassVar[str] = "comparison"
    roles: ClassVar[Mapping[str, str]] = {"a": "system", "b": "versus", "metric": "metric"}

    systems: tuple[str, ...]
    samples: Mapping[str, float]
    """Sample size by system, the effective one for weighted samples."""
    level: float
    pairs: tuple[Difference, ...]
    ranking: tuple[Ranking, ...]
    """One for each metric, in the order in which they were asked for."""
    baseline: str | None = None
    positive: str | None = None
    """The class that binary metrics are about; None unless there are two true classes."""
    improvements: tuple[Improvement, ...] = ()
    classes: int | None = None
    """Number of true classes, where all systems have the same."""
    constant: ConstantPrediction | None = None
    """Always predicting the most frequent class; None where the systems' true classes differ, or are very many."""
    hits: tuple[PairHits, ...] = ()
    """Samples that only one of two systems gets right, by pair; none where rows are not matched."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def __getitem__(self, name: str) -> SystemMetrics:
        """Return one system with its metrics by their ids."""

        def gather_metrics(name: str) -> Mapping[str, Estimate]:
            places = ((ranking.metric, place) for ranking in self.ranking for place in ranking.places)
            return {metric: place.estimate for metric, place in places if place.name == name}

        systems = (SystemMetrics(system, gather_metrics(system), self.samples[system]) for system in self.systems)
        return find_system(systems, name)

    def titled(self, metric: str) -> str:
        """Return a metric's title, with the class that it is about where it is about one."""
        return find(metric).card.titled(self.positive)

    def pair(self, a: str, b: str, metric: str | None = None) -> Difference:
        """Return the difference A − B; by default in the first metric."""
        name = find(metric).name if metric else self.pairs[0].metric
        pair = self.between(a, b, name)
        if pair is None:
            raise UnknownNameError(
                f"{a!r} against {b!r} in {name!r} was not compared; the systems are {list_names(self.systems)}"
            )
        return pair

    def between(self, a: str, b: str, metric: str) -> Difference | None:
        """Return the difference A − B in a metric; None where the two share no rows in which it is defined."""
        for pair in self.pairs:
            if pair.metric == metric and {pair.a, pair.b} == {a, b}:
                return pair if pair.a == a else pair.reversed()
        return None

    def hits_of(self, a: str, b: str) -> PairHits | None:
        """Return the samples that only A, only B and neither gets right; None where their rows are not matched."""
        for pair in self.hits:
            if {pair.a, pair.b} == {a, b} and a != b:
                return pair if pair.a == a else pair.reversed()
        return None

    def improvement(self, a: str, b: str, of: str) -> Estimate | None:
        """Return by what factor A loses less than B; None where that does not exist."""
        for improvement in self.improvements:
            if improvement.of == of and a != b and {improvement.a, improvement.b} == {a, b}:
                return improvement.factor if improvement.a == a else improvement.reversed().factor
        return None

    def reference(self, ranking: Ranking) -> str:
        """Return the system that the others are compared with: the baseline, or the first of a ranking."""
        return self.baseline or ranking.places[0].name

    def records(self) -> Iterator[Record]:
        """Yield one record per pair and metric: the difference a − b."""
        for pair in self.pairs:
            yield {
                "a": pair.a,
                "b": pair.b,
                "metric": pair.metric,
                "difference": pair.estimate,
                "probability_a_better": pair.probability_a_better,
                "verdict": pair.verdict,
                "significant": pair.significant,
                "paired": pair.paired,
                "correlation": pair.correlation,
                **pair.tests,
            }


# The public function --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CompareOptions:
    """Resolved options that every step of a comparison shares."""

    metrics: tuple[Metric, ...]
    level: float = 0.95
    rope: float | None = None
    prior: Any = "default"
    seed: int = 0
    baseline: str | None = None
    prevalence: Prevalence | None = None
    ordinal: StatedOrder | None = None
    """The classes from the lowest to the highest."""
    costs: StatedCosts | None = None
    swaps: bool = True
    named: Collection[str] = ()
    """Metrics that were asked for by name: one that is undefined is then an error, not a finding."""

    def choose_metrics(self, tables: Iterable[Contingency]) -> CompareOptions:
        """Return the same with metrics that suit the data, where none is chosen yet."""
        if self.metrics:
            return self
        costs = ("expected_cost",) if self.costs is not None else ()
        return replace(self, metrics=tuple(map(find, (*costs, *choose_default_metrics(tables)))))

    @property
    def all_metrics(self) -> tuple[Metric, ...]:
        """The metrics to compare by, and those that improvement factors are made of."""
        return tuple({entry.name: entry for entry in (*self.metrics, find(ERRORS), find(ACCURACY))}.values())

    def prepare_table(self, table: Contingency) -> Contingency:
        """Return a table with its scale, its costs, and its true classes in the stated frequencies."""
        if self.ordinal is not None:
            table = replace(table, ordinal=self.ordinal.scale(table))
        if self.costs is not None:
            table = self.costs.on(table)
        return self._reweight(table)

    def order_classes(self, table: Contingency) -> Contingency:
        """Return a prepared table with ordered classes in their order: evaluated so, a seed draws the same numbers."""
        if table.ordinal is None:
            return table
        return self._reweight(sort_by_scale(_counts_of(table), table.ordinal))

    def _reweight(self, table: Contingency) -> Contingency:
        if self.prevalence is None:
            return table
        if isinstance(self.prevalence, str):
            return table.with_prevalence(self.prevalence)
        empty: dict[Label, float] = {
            label: 0.0 for label, rows in zip(table.truth_labels, table.row_totals, strict=True) if not rows
        }
        return table.with_prevalence(empty | match_shares(table, self.prevalence))


@validated(
    level=LEVEL,
    rope=Number(low=0, closed="low", meaning="the half-width of the region of practical equivalence"),
    sample_size=Number(low=0),
    seed=SEED,
    population=OneOf("all", "unlabelled"),
)
def compare(
    source: Source | Judged = None,  # type: ignore[assignment]  # needed, here or as y_true
    y_pred: LabelsByName | None = None,
    *,
    y_true: LabelsLike | None = None,  # noqa: ARG001 - another word for source
    truth: str | None = None,
    system: Sequence[str] | None = None,
    metrics: str | Sequence[str] | None = None,
    baseline: str | None = None,
    rope: float | None = None,
    weight: Any = None,
    sample_weight: Any = None,  # noqa: ARG001 - another word for weight
    groups: Any = None,
    reject: Label | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    clean: Cleaning = (),
    prevalence: Prevalence | None = None,
    costs: CostsLike | None = None,
    ordinal: Sequence[Any] | str | bool | None = None,
    judge: Any = None,
    says: Any = None,
    population: Literal["all", "unlabelled"] | None = None,
    prior: PriorLike = "default",
    level: float = 0.95,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
    sample_size: float | None = None,
    seed: int = 0,
    rng: int | np.random.Generator | None = None,  # noqa: ARG001 - another word for seed
    uncertainty: Literal["posterior"] | None = "posterior",
    read: ReadOptions | None = None,
) -> Comparison:
    """Compare systems on one truth: which is better, by how much, and how sure that is.

    Parameters
    ----------
    source, y_true
        True labels (with ``y_pred``), or rows of any source with the names of their columns in ``truth`` and
        ``system``: the comparison is then paired, row by row. A mapping of names to tables is compared unpaired.
    y_pred
        Predicted labels by system, ``{"svm": labels, "knn": labels}``.
    truth, system
        Columns of the true class and of the systems' predictions.
    metrics
        Metrics to compare by: the first one decides who is best, and the proficiency (captured information) stands
        beside any. By default the accuracy decides, of two classes with a known positive one its F1, and where
        ``costs`` are stated the expected cost.
    baseline
        System that the others are compared with, instead of the best.
    rope
        Largest difference that does not matter (region of practical equivalence).
    weight, sample_weight
        Weights of the rows, or the column that holds them.
    groups
        Rows that belong together (patients, documents), by a column's name or a sequence: these are resampled as a
        whole.
    reject
        Label that means "abstained".
    positive, pos_label
        Class that binary metrics are about.
    clean
        How labels are cleaned while they are read.
    prevalence
        Frequencies to re-weight the true classes to, or ``"equal"``.
    costs
        Cost of each confusion, see ``evaluate``.
    ordinal
        Order of the classes from the lowest to the highest; ordered categoricals have one, and False takes it away.
    judge, says, population
        Verdicts of a judge for rows of which few have a true label, as in ``evaluate``.
    prior
        Prior of each system's table.
    level, confidence_level
        Probability of the intervals.
    sample_size
        Number of samples behind tables that hold relative frequencies.
    seed, rng
        Seed of all random draws, or a generator.
    uncertainty
        How intervals are made; there is one way, as a comparison without intervals says nothing.
    read
        How files are read.

    Returns
    -------
    Comparison
        The difference of every pair in every metric, a ranking by each metric, improvement factors, classical tests
        and findings.

    Raises
    ------
    InputError
        If there are fewer than two systems, a named metric is undefined for one of them, or an option does not fit
        the source.
    UnknownNameError
        If a metric, a column or the baseline does not exist.

    References
    ----------
    .. [1] Holt et al., improvement factors (Figure 5).

    Examples
    --------
    >>> truth = ["cat", "dog", "cow"] * 30
    >>> good = truth[:-3] + ["dog", "cow", "cat"]
    >>> poor = ["cat", "cat", "cow"] * 30
    >>> result = compare(truth, {"good": good, "poor": poor})
    >>> [(pair.metric, pair.verdict) for pair in result.pairs]
    [('accuracy', 'better'), ('proficiency', 'better'), ('macro_f1', 'better')]
    """
    if uncertainty != "posterior":
        raise InputError(
            "compare says what is significant; evaluate gives the values of several systems; leave out "
            "uncertainty=None (--plain)"
        )
    # what belongs to rows is checked where the rows are read, with the same words for every study
    about_rows = {
        "weight": weight,
        "groups": groups,
        "reject": reject,
        "positive": positive,
        "clean": clean,
        "prior": prior,
        "prevalence": prevalence,
        "costs": costs,
        "ordinal": ordinal,
        "sample_size": sample_size,
        "judge": judge,
        "says": says,
        "population": population,
    }
    resolved_costs = None if costs is None else resolve_costs(costs)
    truth, system = resolve_columns(source, y_pred, (truth, system), read, about_rows)
    order = find_class_order(source, truth, ordinal)
    named = _find_metrics(metrics, ordinal=order is not None, costs=resolved_costs is not None)
    options = CompareOptions(
        named if not named or find(INFORMATION) in named else (*named, find(INFORMATION)),
        level=level,
        rope=rope,
        prior=prior,
        seed=seed,
        baseline=baseline,
        prevalence=prevalence,
        ordinal=order,
        costs=resolved_costs,
        named=[entry.name for entry in named],
    )

    # few rows have a true label: a judge's verdicts are corrected by these
    judged = read_judged(source, y_pred, (truth, system, read), about_rows)
    if judged is not None:
        return compare_judged(judged, options)

    # finished tables are compared unpaired
    tables = None if y_pred is not None else name_tables(source)
    if tables is not None:
        tables = prepare_finished_tables(tables, about_rows)
        check_columns(tables, ColumnNames.from_request(name_source_file(source), None, labels=False))
        result = _compare_tables(tables, options, sample_size)
        return _describe_tables(result, tables, resolved_costs, sample_size=sample_size)

    # rows are compared in pairs
    if sample_size is not None:
        raise InputError("the sample size is stated for tables of frequencies; rows are counted, so leave it out")
    predictions = _read_predictions(source, y_pred, (truth, system, read), weight, groups, clean, reject, positive)
    tables = {name: predictions.table(name) for name in predictions.names}
    check_columns(tables, ColumnNames.from_request(name_source_file(source), truth, labels=y_pred is not None))
    result = compare_rows(predictions, options)
    warn_of(finding.text for finding in result.findings if finding.code == "rows_ignored")
    result = _describe_tables(result, tables, resolved_costs, truth, reject)
    return replace(result, findings=(*result.findings, *_lead_to_changes(result, source)))


def compare_predictions(
    predictions: PairedPredictions,
    *,
    metrics: Sequence[str] | None = None,
    level: float = 0.95,
    prior: PriorLike = "default",
    seed: int = 0,
    known: Mapping[str, Posterior] | None = None,
) -> Comparison:
    """Compare rows that were read already, without swap tests.

    ``known`` holds posteriors of systems from all rows that each predicted; they serve every pair that shares these.
    """
    options = CompareOptions(_find_metrics(metrics), level=level, prior=prior, seed=seed, swaps=False)
    return compare_rows(predictions, options, known)


def choose_default_metrics(tables: Iterable[Contingency]) -> tuple[str, ...]:
    """Return the metrics to compare by: F1 of the positive class decides where one is known, else accuracy."""
    tables = list(tables)
    positive = {table.positive_label for table in tables}
    is_known = len(positive) == 1 and None not in positive and not any(map(is_positive_open, tables))
    return POSITIVE_CLASS if is_known else SEVERAL_CLASSES


def _find_metrics(
    names: str | Sequence[str] | None, *, ordinal: bool = False, costs: bool = False
) -> tuple[Metric, ...]:
    """Return the metrics of these names, each once, and none without names; reject those that cannot be compared."""
    if names is None:
        return ()
    names = (names,) if isinstance(names, str) else tuple(names)
    if not names:
        raise InputError("there is no metric to compare in; name one, or leave metrics= out")
    metrics: dict[str, Metric] = {}
    for name in names:
        entry = find(name)
        if entry.card.level != "table":
            unit = {"truth": "each true class", "system": "each prediction", "cell": "each cell"}[entry.card.level]
            raise UnknownNameError(
                f"{name!r} cannot be compared: it has one value for {unit}; evaluate shows these, choose a metric of "
                "the whole table here"
            )
        check_order_and_costs(entry, name, ordinal=ordinal, costs=costs)
        if entry.card.posterior == "none":
            raise UnknownNameError(f"{name!r} cannot be compared: it has no posterior; choose another metric")
        if entry.card.better == "none":
            raise UnknownNameError(
                f"{name!r} cannot be compared: neither more nor less of it is better; choose another metric"
            )
        metrics[entry.name] = entry
    return tuple(metrics.values())


def _check_systems(names: Sequence[str], baseline: str | None) -> tuple[str, ...]:
    """Return the systems if there are enough and the baseline is one of them."""
    if len(names) < 2:
        raise InputError(f"comparing takes at least two systems; there is {list_names(names)}, and evaluate takes one")
    if baseline is not None and baseline not in names:
        raise UnknownNameError(f"baseline {baseline!r} is not among the systems; {suggest_name(baseline, names)}")
    return tuple(names)


def _read_predictions(
    source: Any,
    y_pred: Any,
    columns: tuple[Any, Any, ReadOptions | None],
    weight: Any,
    groups: Any,
    clean: Cleaning,
    reject: Label | None,
    positive: Label | None,
) -> PairedPredictions:
    """Return the predictions of all systems row by row: of labels, of a mapping of columns, or of a source to read."""
    truth, system, read = columns
    labels = (
        (materialize_labels(source), name_predictions(y_pred))
        if y_pred is not None
        else pick_labels(source, truth, system)
    )
    if labels is not None:
        check_labels(*labels)
    if y_pred is not None and clean:
        raise InputError("clean= is about labels that are read; clean the labels before you give them")
    if labels is not None and not clean:
        if y_pred is None:
            weight, groups = pick_column(source, weight), pick_column(source, groups)
        return PairedPredictions.from_labels(
            *labels, sample_weight=weight, cluster=groups, reject=reject, positive=positive
        )
    check_rows(source, truth)
    if not isinstance(truth, str) or system is None or isinstance(system, str):
        raise InputError(
            "give labels as (y_true, {name: labels}), name the truth column and at least two system columns, or give "
            "tables by name"
        )
    if groups is not None and (not isinstance(groups, str) or groups in (truth, *system)):
        raise InputError(f"groups is {groups!r}; name a column of its own, beside truth and systems")
    names = [*system] if groups is None else [*system, groups]
    joint = read_joint(source, truth=truth, system=names, weight=weight, clean=clean, read=read)
    return PairedPredictions.from_joint(joint, cluster=groups, reject=reject, positive=positive)


def _describe_tables(
    result: Comparison,
    tables: Mapping[str, Contingency],
    costs: StatedCosts | None,
    truth: str | None = None,
    reject: Label | None = None,
    sample_size: float | None = None,
) -> Comparison:
    """Add hashes of the tables, and findings about them and their labels before all others."""
    findings: list[Finding] = []
    for name, table in tables.items():
        if not table.total:
            continue
        # a table that holds no counts, or other names than those of the true classes
        facts = TableStatistics(table, table.sample_size if sample_size is None else sample_size)
        for finding in (find_normalised_matrix(facts), find_foreign_labels(table), find_relabelling(facts)):
            if finding is not None:
                text = f"{name}: {finding.text[0].lower()}{finding.text[1:]}"
                evidence = {"system": name, **finding.evidence}
                findings.append(replace(finding, text=text, severity="warning", evidence=evidence, detail=""))
    findings += find_label_problems(list(tables.items()), truth, reject)
    findings += describe_costs(costs, list(tables.values()))
    hashes = {name: hash_tables(table) for name, table in tables.items()}
    provenance = replace(result.provenance, hashes=hashes)
    return replace(result, provenance=provenance, findings=(*findings, *result.findings))


# The posterior of each system -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class System:
    """One system on some rows: its table as the options state it, and the belief about every metric."""

    name: str
    table: Contingency
    posterior: Posterior | DrawnBelief | GroupPosterior
    """Of grouped rows one of effective sizes."""
    beliefs: Mapping[str, MetricBelief]
    counted: Contingency
    """The table that the test against chance is about: the rows as they came, where an evaluation knows them."""
    clusters: Any = None
    namesake: str | None = None
    """An earlier system with the same predictions under other names: metrics that see no names are the same number."""

    @property
    def rows(self) -> float:
        """Rows, or effective samples, behind the table."""
        return float(_counts_of(self.table).total)

    def explain_undefined(self, entry: Metric) -> str | None:
        """Return why the metric cannot be compared here; None where it can."""
        belief = self.beliefs[entry.name]
        if belief.is_known:
            return None
        if np.isnan(belief.value):
            return f"undefined for {self.name!r} ({entry.reason(self.table)})"
        return f"without a finite mean and spread for {self.name!r} ({self.rows:,.6g} samples)"

    def share_beliefs(self, other: System) -> System:
        """Return this system with the other's beliefs about metrics that see no names of classes."""
        shared = {name: belief for name, belief in other.beliefs.items() if Law.RELABELLING in find(name).card.laws}
        return replace(self, beliefs={**self.beliefs, **shared}, namesake=other.name)


def _fit_system(
    name: str,
    table: Contingency,
    options: CompareOptions,
    *,
    clusters: Any = None,
    posterior: Posterior | DrawnBelief | None = None,
) -> System:
    """Fit the posterior of one system's table and summarise every metric; all draws are shared in one pass."""
    counted = posterior.origin if isinstance(posterior, Posterior) else table
    fitted: Posterior | DrawnBelief | GroupPosterior
    if clusters is not None:
        fitted = GroupPosterior(table, clusters, seed=options.seed)
    elif posterior is not None:
        fitted = posterior
    else:
        fitted = Posterior(*_thin_table(options.order_classes(table), options.prior), seed=options.seed)
    exact = _summarise_accuracy(fitted, options.level)
    drawn = [entry.name for entry in options.all_metrics if entry.name not in exact]
    summaries = fitted.summaries(drawn, options.level) | exact
    beliefs = {}
    for entry in options.all_metrics:
        mean, sd, low, high = (float(part) for part in summaries[entry.name])
        # of a table that nobody counted no value is the sample's
        value = mean if isinstance(fitted, DrawnBelief) else float(entry.score(table))
        beliefs[entry.name] = MetricBelief(value, mean, sd, low, high, corrected=entry.card.is_information)
    return System(name, table, fitted, beliefs, counted, clusters)


def _restrict(whole: System, table: Contingency, clusters: Any, options: CompareOptions) -> System:
    """Return a system on the rows of a pair; the same object where these are all its rows."""
    if abs(float(_counts_of(table).total) - whole.rows) <= SAME_SIZE * whole.rows:
        return whole
    return _fit_system(whole.name, table, options, clusters=clusters)


def _counts_of(table: Contingency) -> Contingency:
    """Return the counts behind a re-weighted table."""
    return table if table.reweighting is None else table.reweighting.origin


def _thin_table(table: Contingency, prior: Any) -> tuple[Contingency, Any]:
    """Store a large table by its occupied cells where the prior is one number for every cell or a mixture.

    The exact moments are the same, and a draw fills few of the empty cells instead of visiting all. The tree prior
    draws whole tables.
    """
    origin = _counts_of(table)
    name = choose_default_prior(origin) if isinstance(prior, str) and prior == "default" else prior
    if name in ("rows", "tree") if isinstance(name, str) else np.ndim(prior) > 0:
        return table, prior
    occupied = np.flatnonzero(origin.cells)
    if origin.is_sparse or origin.cells.size < MIN_CELLS_TO_THIN or not is_wasteful(origin, occupied.size):
        return table, prior
    return keep_cells(table, occupied), name


def _summarise_accuracy(posterior: Posterior | DrawnBelief | GroupPosterior, level: float) -> dict[str, Summary]:
    """Summarise the accuracy as a Beta variable, for sparse tables of so many cells that draws take long."""
    if not isinstance(posterior, Posterior) or not posterior.table.is_sparse or posterior.table.reweighting is not None:
        return {}
    belief = posterior.belief
    if not isinstance(belief, DirichletBelief) or not isinstance(belief.prior, float):
        return {}
    diagonal_cells = belief.table.matches[0].size
    if not diagonal_cells:
        return {}
    hits = float(belief.table.diagonal.sum()) + belief.prior * diagonal_cells
    mass = float(belief.table.total) + belief.prior_mass
    mean = hits / mass
    sd = np.sqrt(mean * (1 - mean) / (mass + 1))
    low, high = (betaincinv(hits, mass - hits, p) for p in ((1 - level) / 2, (1 + level) / 2))
    return {ACCURACY: Summary(np.float64(mean), np.float64(sd), low, high)}  # type: ignore[arg-type]


def _share_between_namesakes(
    systems: Mapping[str, System], is_renaming: Callable[[str, str], bool]
) -> tuple[dict[str, System], list[Finding]]:
    """Give systems with the same predictions under other names one belief in what sees no names, with a finding."""
    groups: dict[str, list[str]] = {}
    totals = {name: system.table.column_totals for name, system in systems.items()}
    sorted_totals = {name: np.sort(columns[columns > 0]) for name, columns in totals.items()}
    for name in systems:
        same = (
            first
            for first in groups
            if np.array_equal(sorted_totals[first], sorted_totals[name]) and is_renaming(first, name)
        )
        groups.setdefault(next(same, name), []).append(name)
    shared, findings = dict(systems), []
    for first, *others in groups.values():
        for name in others:
            shared[name] = systems[name].share_beliefs(systems[first])
        if others:
            text = (
                f"{_join_names([first, *others])} predict the same under other names of the classes: metrics that do "
                "not see names, such as proficiency, are equal; those that do, such as accuracy and MCC, say whose "
                "names are right"
            )
            findings.append(Finding("renamed_predictions", text, "warning", {"systems": [first, *others]}))
    return shared, findings


# Three kinds of evidence: rows, tables, judged rows -------------------------------------------------------------------


class PairEvidence(NamedTuple):
    """Two systems on the rows that both predicted, and how their errors are correlated."""

    one: System
    other: System
    correlations: Mapping[str, float]
    """By metric; 0 where none is given."""
    overlap: float = 1.0
    """Common rows over the geometric mean of both sizes: scales the correlation for the ranking."""
    hits: PairHits | None = None
    discordant: tuple[float, float, float] | None = None
    """Rows that one alone predicts right, those that the other alone does, and all, where they decide about accuracy:
    not where rows are grouped or re-weighted."""
    tests: Mapping[str, Mapping[str, float]] = {}
    """P-values of classical tests by metric."""
    information: Estimate | None = None
    """The exact difference of the mutual information."""


def compare_rows(
    predictions: PairedPredictions, options: CompareOptions, known: Mapping[str, Posterior] | None = None
) -> Comparison:
    """Compare systems that predicted the same rows, every pair on the rows that both have.

    ``known`` holds posteriors of systems on all their rows.
    """
    names = _check_systems(predictions.names, options.baseline)
    if predictions.is_clustered and not (isinstance(options.prior, str) and options.prior == "default"):
        raise InputError("a comparison of grouped rows takes no prior; leave prior= (--prior) out")
    options = options.choose_metrics(map(predictions.table, names))
    systems = {}
    for name in names:
        cells = predictions.pair(name, name)
        table, given = options.prepare_table(cells.table_a), (known or {}).get(name)
        systems[name] = _fit_system(name, table, options, clusters=cells.clusters_a, posterior=given)

    def is_renaming(a: str, b: str) -> bool:
        if predictions.lacking(a) != predictions.lacking(b):
            return False
        cells = predictions.pair(a, b)
        return cells.is_renaming and not cells.alike and cells.total == predictions.table(a).total

    systems, renamed = _share_between_namesakes(systems, is_renaming)
    about_rows = list(_describe_rows(predictions, names, options))
    if predictions.is_clustered:
        about_groups = [finding for system in systems.values() for finding in describe_groups(system.clusters)]
        about_rows += {finding.text: finding for finding in about_groups}.values()
    defined, undefined = _find_defined(systems, options)
    swap_pairs = _choose_swap_pairs(systems, defined, options)
    swaps = SWAPS if len(names) <= MAX_SYSTEMS_ALL_SWAPS else SWAPS // 3
    rng = np.random.default_rng(options.seed)
    copies: dict[str, str] = {}  # systems with the same predictions as an earlier one, each with that system

    def study_pair(whole_a: System, whole_b: System) -> PairEvidence:
        cells = predictions.pair(whole_a.name, whole_b.name)
        if any(option is not None for option in (options.prevalence, options.ordinal, options.costs)):
            table_a, table_b = options.prepare_table(cells.table_a), options.prepare_table(cells.table_b)
            cells = replace(cells, table_a=table_a, table_b=table_b)
        one = _restrict(whole_a, cells.table_a, cells.clusters_a, options)
        if cells.alike:  # the same predictions for the same rows: the posterior of one is that of the other
            other = replace(one, name=whole_b.name)
            copies.setdefault(whole_b.name, copies.get(whole_a.name, whole_a.name))
        else:
            other = _restrict(whole_b, cells.table_b, cells.clusters_b, options)
            if cells.is_renaming and other.namesake is None and one.namesake is None:
                other = other.share_beliefs(one)
        evidence = PairEvidence(
            one,
            other,
            _correlate_pair(cells, one, other, options),
            overlap=cells.total / sqrt(whole_a.rows * whole_b.rows),
            hits=None if cells.hits is None else PairHits(one.name, other.name, *cells.hits, cells.total),
        )
        if predictions.is_clustered:  # tests take rows as independent
            return evidence
        comparable = [
            entry
            for entry in options.metrics
            if all(side.name in defined[entry.name] and side.beliefs[entry.name].is_known for side in (one, other))
        ]
        p_values: dict[str, dict[str, float]] = {entry.name: {} for entry in comparable}
        if comparable and frozenset((one.name, other.name)) in swap_pairs:
            for name, p in swap_p_values(cells, comparable, swaps=swaps, rng=rng).items():
                p_values[name]["swap_p_value"] = p
        if options.prevalence is not None:  # the other tests are about the rows as they came
            return evidence._replace(tests=p_values)
        if cells.hits is not None:
            evidence = evidence._replace(discordant=(*cells.hits[:2], cells.total))
        if not comparable:
            return evidence
        mcnemar = mcnemar_p_values(cells)
        return evidence._replace(
            tests={name: {**tests, **mcnemar} for name, tests in p_values.items()},
            information=exact_information_difference(cells, options.level),
        )

    # a generator: the joint cells of one pair are held at a time
    evidence = (study_pair(one, other) for one, other in combinations(systems.values(), 2))
    result, left_out = _combine_pairs(systems, evidence, defined, options, paired=True)
    findings = (
        *result.findings,
        *renamed,
        *_describe_copies(copies),
        *about_rows,
        *undefined,
        *left_out,
        *_describe_intervals(systems, options),
    )
    return _withhold_intervals(replace(result, findings=findings))


def _correlate_pair(cells: PairCells, one: System, other: System, options: CompareOptions) -> dict[str, float]:
    """Return the correlation of two systems' errors by metric; 1 where both are the same number by their nature."""
    correlations = {}
    for entry in options.all_metrics:
        if cells.alike or (cells.is_renaming and Law.RELABELLING in entry.card.laws):
            correlations[entry.name] = 1.0
            continue
        if one.explain_undefined(entry) is not None or other.explain_undefined(entry) is not None:
            continue
        # class frequencies vary less where the prior takes them as balanced
        first, second, freedom = one.posterior, other.posterior, 1.0
        if isinstance(first, Posterior) and isinstance(first.belief, Tree) and not first.is_counted(entry.name):
            freedom = first.belief.prevalence_freedom
        if isinstance(first, GroupPosterior) and isinstance(second, GroupPosterior):
            by_row = correlation(cells, entry, freedom)
            correlations[entry.name] = first.correlation(second, entry.name, by_row, options.level)
        else:
            sds = one.beliefs[entry.name].sd, other.beliefs[entry.name].sd
            correlations[entry.name] = correlation(cells, entry, freedom, sds)
    return correlations


def _choose_swap_pairs(
    systems: Mapping[str, System], defined: Mapping[str, Sequence[str]], options: CompareOptions
) -> set[frozenset[str]]:
    """Choose the pairs to test by swaps: all of a few systems; of many, those with the baseline, or neighbours."""
    if not options.swaps:
        return set()
    pairs = {frozenset(pair) for pair in combinations(systems, 2)}
    if len(systems) <= MAX_SYSTEMS_ALL_SWAPS:
        return pairs
    if options.baseline is not None:
        return {pair for pair in pairs if options.baseline in pair}
    metric = options.metrics[0].name
    ordered = sorted(defined[metric], key=lambda name: systems[name].beliefs[metric].centre)
    return {frozenset(pair) for pair in pairwise(ordered)}


def _compare_tables(
    tables: Mapping[str, Contingency], options: CompareOptions, sample_size: float | None
) -> Comparison:
    """Compare finished tables as independent samples; ``sample_size`` is that of tables of relative frequencies."""
    estimated = next((name for name, table in tables.items() if table.estimation is not None), None)
    if estimated is not None:  # such tables share draws
        raise InputError(
            f"the table of {estimated!r} was estimated without truth, from the agreement of systems or by a judge, and "
            "is no sample of its own; evaluate(tables) shows such tables side by side, compare(judged) compares judged "
            "rows, and plan_labels says which labels would decide"
        )
    names = _check_systems(tuple(tables), options.baseline)
    options = options.choose_metrics(tables.values())
    tables, findings = _scale_to_samples(tables, sample_size)
    systems = {name: _fit_system(name, options.prepare_table(tables[name]), options) for name in names}
    renamed: list[Finding]
    systems, renamed = _share_between_namesakes(
        systems, lambda a, b: _is_table_renamed(_counts_of(systems[a].table), _counts_of(systems[b].table))
    )
    defined, undefined = _find_defined(systems, options)
    evidence = []
    for one, other in combinations(systems.values(), 2):
        findings += _check_same_data(one, other, options.metrics)
        p = homogeneity_p_value(_counts_of(one.table), _counts_of(other.table))
        tests = {} if p is None else {entry.name: {"homogeneity_p_value": p} for entry in options.metrics}
        correlations = {}
        if renamed and (one.namesake or one.name) == (other.namesake or other.name):
            correlations = {e.name: 1.0 for e in options.all_metrics if Law.RELABELLING in e.card.laws}
        evidence.append(PairEvidence(one, other, correlations, tests=tests))
    result, _ = _combine_pairs(systems, evidence, defined, options, paired=False)
    unpaired = "unpaired: the systems' rows are not matched, so common hard rows cannot be accounted for"
    findings += [*undefined, *_describe_intervals(systems, options), Finding("unpaired", unpaired)]
    if options.prevalence is not None:
        findings.append(Finding("prevalence_stated", "true classes are re-weighted to the stated frequencies"))
    return _withhold_intervals(replace(result, findings=(*result.findings, *renamed, *findings)))


def _withhold_intervals(result: Comparison) -> Comparison:
    """Leave out the intervals of metrics that would change with classes that no row shows, as an evaluation does."""
    if all(finding.code != "unseen_classes" for finding in result.findings):
        return result
    rankings = []
    for ranking in result.ranking:
        places = ranking.places
        if ranking.metric in CLASS_COUNT_METRICS:
            places = tuple(replace(at, estimate=replace(at.estimate, sd=None, low=None, high=None)) for at in places)
        rankings.append(replace(ranking, places=places))
    return replace(result, ranking=tuple(rankings))


def _is_table_renamed(one: Contingency, other: Contingency) -> bool:
    """Return True if the columns of one table are those of the other under other names, over the same rows."""
    if any(table.is_sparse or table.reject is not None for table in (one, other)) or one == other:
        return False
    columns = []
    for table in (one, other):
        order = sorted(range(table.shape[0]), key=lambda i: str(table.truth_labels[i]))
        counts = np.asarray(table.counts, dtype=float)[order]
        columns.append(sorted(map(tuple, counts[:, counts.any(axis=0)].T.tolist())))
    return set(one.truth_labels) == set(other.truth_labels) and columns[0] == columns[1]


def _scale_to_samples(
    tables: Mapping[str, Contingency], sample_size: float | None
) -> tuple[dict[str, Contingency], list[Finding]]:
    """Scale every table to the number of independent samples behind it, with a finding where that is not its total."""
    frequencies = [
        name
        for name, table in tables.items()
        if table.sample_size is None
        or (sample_size is not None and not table.is_counts and table.weight_squares is None)
    ]
    if frequencies and sample_size is None:
        raise InputError(
            f"{frequencies[0]!r} holds relative frequencies, so its sample size is not known; state it with "
            "sample_size= or --sample-size"
        )
    if sample_size is not None and not frequencies:
        raise InputError(
            "the sample size is stated for tables of frequencies; these tables hold counts, so leave it out"
        )
    scaled, findings = {}, []
    for name, table in tables.items():
        if table.batch_shape:
            raise InputError(f"{name!r} is a batch of tables; compare one table of each system")
        size = None if name in frequencies else table.sample_size
        total = float(_counts_of(table).total)
        if size is None and sample_size is not None:
            size = sample_size
            text = f"{name} holds relative frequencies, taken as the {size:,.6g} samples that were stated"
            findings.append(Finding("sample_size_stated", text))
        elif size is not None and not isclose(size, total, rel_tol=SAME_SIZE):
            text = f"{name}: weights that sum to {total:,.6g} count as {size:,.4g} independent samples, (Σw)²/Σw²"
            findings.append(Finding("effective_sample_size", text))
        scaled[name] = _scale_table(table, size or total)
    return scaled, findings


def _scale_table(table: Contingency, size: float) -> Contingency:
    """Return a table as this many samples; of a re-weighted one, the counts behind it."""
    recipe = table.reweighting
    if recipe is not None:
        return replace(table, reweighting=replace(recipe, origin=_scale_table(recipe.origin, size)))
    if isclose(size, table.total, rel_tol=SAME_SIZE) and table.weight_squares is None:
        return table
    return table.with_cells(table.cells * (size / table.total))


def _check_same_data(one: System, other: System, metrics: Sequence[Metric]) -> list[Finding]:
    """Return a finding where the true classes differ in frequency; differences in bits are then rejected."""
    reweighted = one.table.reweighting is not None and other.table.reweighting is not None
    margins: list[dict[Label, float]] = []
    for table in (one.table, other.table):
        scale = float(table.total) if reweighted else 1.0  # stated frequencies have no size
        totals = zip(table.truth_labels, table.row_totals.tolist(), strict=True)
        margins.append({label: total / scale for label, total in totals if total})
    left, right = margins
    if left.keys() == right.keys() and all(isclose(left[key], right[key], rel_tol=SAME_SIZE) for key in left):
        return []
    for entry in metrics:
        if entry.card.unit in {"bits", "nats"}:
            raise InputError(
                f"{one.name!r} and {other.name!r} were measured on different data sets, so a difference of "
                f"{entry.name} in {entry.card.unit} means nothing; compare a ratio such as proficiency"
            )
    here, there = (float(truth_entropy(system.table)) for system in (one, other))
    text = f"{one.name} and {other.name}: different data sets: H(T) = {here:.3f} against {there:.3f} bits"
    return [Finding("different_data", text, "warning", {"truth_entropy": [here, there]})]


def compare_judged(judged: Judged, options: CompareOptions) -> Comparison:
    """Compare systems over all rows by a judge's verdicts, corrected by the labels that there are."""
    if options.prevalence is not None:
        raise InputError("re-weighted classes cannot be compared by a judge yet; leave out prevalence, or judge")
    names = _check_systems(judged.systems, options.baseline)
    tables = {name: judged.table(name, seed=options.seed) for name in names}
    options = options.choose_metrics(tables.values())
    systems = {}
    for name in names:
        table = options.order_classes(options.prepare_table(tables[name]))
        systems[name] = _fit_system(name, table, options, posterior=DrawnBelief(table))
    defined, undefined = _find_defined(systems, options)
    evidence = []
    for one, other in combinations(systems.values(), 2):
        pair = one.name, other.name
        rhos = {
            entry.name: judged_correlation(judged, pair, entry.name, seed=options.seed)
            for entry in options.all_metrics
            if one.beliefs[entry.name].is_known and other.beliefs[entry.name].is_known
        }
        evidence.append(PairEvidence(one, other, rhos))
    result, _ = _combine_pairs(systems, evidence, defined, options, paired=True)
    ranked = [place.name for ranking in result.ranking[:1] for place in ranking.places]
    summary = describe_judge_quality(
        judged, list(dict.fromkeys([*ranked, *names])), level=options.level, seed=options.seed
    )
    labels = f"{judged.label_count:,.6g} of {judged.row_count:,.6g}"
    corrected = (
        f"{f'Rows with a weight of {labels}' if judged.patterns.is_weighted else f'{labels} rows'} have a true label; "
        f"the verdicts of {judged.judge_title()} on the others are corrected by these, also where a judge favours a "
        "system"
    )
    findings = (
        *result.findings,
        Finding("corrected_verdicts", corrected, evidence={"labels": judged.label_count, "rows": judged.row_count}),
        *summary,
        *describe_judged(judged),
        *undefined,
    )
    samples = {name: round(size, 6) for name, size in result.samples.items()}
    return replace(result, findings=findings, samples=samples)


# From pairs to the result ---------------------------------------------------------------------------------------------


def _find_defined(
    systems: Mapping[str, System], options: CompareOptions
) -> tuple[dict[str, tuple[str, ...]], list[Finding]]:
    """Return the systems that each metric is defined for, and a finding for each that it is not."""
    defined: dict[str, tuple[str, ...]] = {}
    findings = []
    for entry in options.metrics:
        reasons = {name: system.explain_undefined(entry) for name, system in systems.items()}
        findings += [_leave_out(entry, why, options, f"{name} is") for name, why in reasons.items() if why]
        defined[entry.name] = tuple(name for name, why in reasons.items() if why is None)
    if all(len(names) < 2 for names in defined.values()):
        raise InputError("nothing can be compared: {metric} is {why}".format(**findings[0].evidence))
    return defined, findings


def _leave_out(entry: Metric, why: str, options: CompareOptions, scope: str) -> Finding:
    """Return a finding that something is left out; raise an error where the metric was asked for by name."""
    if entry.name in options.named:
        raise InputError(f"{entry.name} is {why}; compare in another metric, or leave this system out")
    text = f"{entry.name} is {why}; {scope} left out"
    return Finding("metric_left_out", text, evidence={"metric": entry.name, "why": why})


def _combine_pairs(
    systems: Mapping[str, System],
    evidence: Iterable[PairEvidence],
    defined: Mapping[str, Sequence[str]],
    options: CompareOptions,
    *,
    paired: bool,
) -> tuple[Comparison, list[Finding]]:
    """Take the differences of all pairs, rank the systems by each metric, and note pairs that are left out."""
    pairs: list[Difference] = []
    improvements: list[Improvement] = []
    hits: list[PairHits] = []
    ties: dict[str, dict[SystemPair, float]] = {entry.name: {} for entry in options.metrics}
    left_out: list[Finding] = []
    for pair in evidence:
        one, other = pair.one, pair.other
        names = one.name, other.name
        hits += [] if pair.hits is None else [pair.hits]
        for entry in options.metrics:
            rho = pair.correlations.get(entry.name, 0.0)
            tests = pair.tests.get(entry.name, {})
            beliefs = one.beliefs[entry.name], other.beliefs[entry.name]
            if entry.card.is_information and max(*one.table.shape, *other.table.shape) >= MIN_CLASSES_TO_MODEL:
                rho = loosen_correlation(rho, beliefs, tests.get("swap_p_value", 0.0), options.level)
            ties[entry.name][names] = rho * pair.overlap
            if not set(names) <= set(defined[entry.name]):
                continue
            why = one.explain_undefined(entry) or other.explain_undefined(entry)
            if why is not None:
                scope = f"over the rows of {one.name} and {other.name}, so this pair is"
                left_out.append(_leave_out(entry, why, options, scope))
                continue
            discordant = pair.discordant if entry.name in (ACCURACY, "error_rate") else None
            gap = difference(names, beliefs, rho, entry, level=options.level, rope=options.rope, discordant=discordant)
            factor = _find_improvement(entry.name, beliefs, rho, options.level)
            pairs.append(replace(gap, paired=paired, improvement=factor, tests=tests, information=pair.information))
        for metric, loss in ((ERRORS, ERRORS), (ACCURACY, "1 - accuracy")):
            beliefs = one.beliefs[metric], other.beliefs[metric]
            if beliefs[0].is_known and beliefs[1].is_known:
                rho = pair.correlations.get(metric, 0.0)
                factor = _find_improvement(metric, beliefs, rho, options.level)
                improvements += [] if factor is None else [Improvement(*names, loss, factor, paired)]

    positive = _find_positive(systems, options.metrics)
    p_values = {name: chance_p_value(system.counted) for name, system in systems.items()}
    uninformative = {name: p for name, p in p_values.items() if p is not None and p > CHANCE_LEVEL}
    rankings = {}
    for entry in options.metrics:
        if len(defined[entry.name]) < 2:
            continue
        ranking = rank(
            entry,
            {name: systems[name].beliefs[entry.name] for name in defined[entry.name]},
            {(gap.a, gap.b): gap for gap in pairs if gap.metric == entry.name},
            ties[entry.name],
            level=options.level,
            rng=np.random.default_rng(options.seed),
            uninformative=tuple(uninformative),
        )
        rankings[entry.name] = replace(ranking, statement=statement(ranking, options.level, positive))
    significant = {name: set(map(frozenset, ranking.wins)) for name, ranking in rankings.items()}
    result = Comparison(
        tuple(systems),
        {name: system.rows for name, system in systems.items()},
        options.level,
        tuple(
            replace(gap, significant=frozenset((gap.a, gap.b)) in significant[gap.metric])
            for gap in pairs
            if gap.metric in rankings
        ),
        tuple(rankings.values()),
        options.baseline,
        positive=positive,
        improvements=tuple(improvements),
        classes=_count_classes(systems),
        constant=_score_constant(systems, options),
        hits=tuple(hits),
        findings=tuple(_describe_systems(systems, uninformative)),
    )
    advice = [*_describe_abstentions(result, systems, options)]
    grouped = [system.clusters for system in systems.values() if system.clusters is not None]
    # of few groups it is hardly known how much they differ, so neither is how many more decide
    if not any(finding.code == "few_groups" for lines in grouped for finding in describe_groups(lines)):
        advice += _ask_for_samples(result, is_grouped=bool(grouped))
    return replace(result, findings=(*advice, *result.findings)), left_out


def _count_classes(systems: Mapping[str, System]) -> int | None:
    """Return how many classes occur in the truth of every system; None where they differ."""
    sizes = {int(np.count_nonzero(system.table.row_totals)) for system in systems.values()}
    return sizes.pop() if len(sizes) == 1 else None


def _score_constant(systems: Mapping[str, System], options: CompareOptions) -> ConstantPrediction | None:
    """Score always predicting the most frequent class, where that is the same for all systems."""
    constants = []
    for system in systems.values():
        table, totals = system.table, np.asarray(system.table.row_totals, np.float64)
        places = np.flatnonzero(table.matches[0] == totals.argmax())
        if table.support is not None or not places.size:
            return None
        cells = np.zeros(table.shape)
        cells[:, table.matches[1][places[0]]] = totals
        constants.append((totals, table.with_cells(cells.ravel())))
    (totals, constant), *others = constants
    if any(other.shape != totals.shape or not np.allclose(other, totals) for other, _ in others):
        return None
    values = {entry.name: Estimate.of(entry.score(constant), entry.reason(constant)) for entry in options.metrics}
    return ConstantPrediction(str(constant.truth_labels[totals.argmax()]), values)


def _find_improvement(
    metric: str, beliefs: tuple[MetricBelief, MetricBelief], rho: float, level: float
) -> Estimate | None:
    """Return the improvement factor where a metric measures a loss, or its complement does."""
    if metric in (ACCURACY, "proficiency"):
        return improvement_factor(beliefs[0].complement, beliefs[1].complement, rho, level)
    if metric in (ERRORS, "error_rate", "missed_information_ratio"):
        return improvement_factor(*beliefs, rho, level)
    return None


def _find_positive(systems: Mapping[str, System], metrics: Sequence[Metric]) -> str | None:
    """Return the class that binary metrics are about; reject where none is stated, or systems differ in it."""
    classes = {name: system.table.positive_label for name, system in systems.items()}
    (first, label), *others = classes.items()
    entry = next((entry for entry in metrics if entry.card.of_positive), None)
    if entry is not None:
        check_positive(systems[first].table, entry.name)
        for name, other in others:
            if other != label:
                raise InputError(
                    f"{entry.name} is about {label!r} for {first!r} and about {other!r} for {name!r}; name one "
                    "positive class where the tables are made"
                )
    return None if label is None or len(set(classes.values())) > 1 else str(label)


def rank(
    entry: Metric,
    beliefs: Mapping[str, MetricBelief],
    pairs: Mapping[SystemPair, Difference],
    ties: Mapping[SystemPair, float],
    *,
    level: float,
    rng: np.random.Generator,
    uninformative: Collection[str] = (),
) -> Ranking:
    """Order systems by the number shown, with the pairs that differ significantly, all considered at once (Holm).

    ``ties`` holds the correlation of two systems' errors. A system may be in two groups: they are the largest sets of
    which no two differ significantly, as a pair that could not be compared does not. Systems without information come
    last and belong to no group.
    """
    lower = entry.card.better == "lower"
    sign = 1 if lower else -1
    ordered = sorted(beliefs, key=lambda name: (name in uninformative, sign * beliefs[name].centre))
    contenders = [name for name in ordered if name not in uninformative]
    best = np.zeros(len(ordered))
    if contenders:
        best[: len(contenders)] = probability_best(contenders, beliefs, ties, rng, lower=lower)
    alone = next((pair for pair in pairs.values() if {pair.a, pair.b} == {*contenders}), None)
    if alone is not None and alone.probability_a_better is not None:  # of two systems the better one is the best
        better = alone.probability_a_better
        best[:2] = (better, 1 - better) if alone.a == contenders[0] else (1 - better, better)
    wins = find_wins(pairs, level)
    groups = find_groups(contenders, wins) if contenders else []
    places = tuple(
        Place(
            name,
            # a constant captures nothing, as evaluate shows it
            replace(beliefs[name].estimate, corrected=False)
            if name in uninformative and beliefs[name].value == 0.0
            else beliefs[name].estimate,
            float(probability),
            tuple(number for number, members in enumerate(groups) if name in members),
        )
        for name, probability in zip(ordered, best, strict=True)
    )
    return Ranking(entry.name, places, wins, uninformative=tuple(ordered[len(contenders) :]))


def statement(ranking: Ranking, level: float, positive: str | None = None) -> str:
    """Return the ranking as a sentence that does not claim more than all pairs at once allow."""
    card = find(ranking.metric).card
    title = card.title_in_sentence + card.of_class(positive)
    risk = f"{100 * (1 - level):.3g}% risk of any false claim over all pairs"
    contenders, front, best = ranking.contenders, ranking.front, ranking.best
    if not contenders:
        return "no system captures more information than expected by chance"
    if best is not None:
        probability = next(place.probability_best for place in ranking.places if place.name == best)
        shown = f"{probability:.1%}" if probability <= 0.999 else ">99.9%"
        return f"{best} is best in {title} (probability {shown}; {risk})"
    if len(contenders) == 1:
        return f"{contenders[0].name} alone captures more information than expected by chance"
    if not front:
        return f"every system is significantly worse than another in {title}, as pairs use different rows ({risk})"
    if len(front) == len(contenders):
        return f"there is no significant difference in {title} ({risk})"
    if ranking.leads:
        between = "without a significant difference between them"
        return f"{_join_names(front)} are better in {title} than the rest, {between} ({risk})"
    others = [place.name for place in contenders if place.name not in front]
    close = _join_names([name for name in others if any((first, name) not in ranking.wins for first in front)])
    if len(front) == 1:
        return (
            f"no system is significantly better than {front[0]} in {title}, which does not differ significantly from "
            f"{close} ({risk})"
        )
    return (
        f"{_join_names(front)} do not differ significantly in {title} and one of them is best; not each of them "
        f"differs significantly from {close} ({risk})"
    )


# Findings -------------------------------------------------------------------------------------------------------------


def _describe_abstentions(
    result: Comparison, systems: Mapping[str, System], options: CompareOptions
) -> Iterator[Finding]:
    """Say how well the system that abstains does where it predicts: conventional metrics count that as errors."""
    ranking, accepted = result.ranking[0], find("accepted_accuracy")
    if ranking.metric not in (*SEVERAL_CLASSES, *POSITIVE_CLASS) or ranking.metric == INFORMATION:
        return
    best = ranking.best or ranking.places[0].name
    offers = []
    for name, system in systems.items():
        table = system.table
        abstained = 0.0 if table.reject_column is None else float(table.column_totals[table.reject_column])
        value = float(accepted.score(table))
        if abstained > 0 and value > float(find(ACCURACY).score(systems[best].table)):
            offers.append((name == best, value, name, abstained))
    if not offers:
        return
    is_best, value, name, abstained = max(offers)
    belief = systems[name].posterior.summaries([accepted.name], options.level)[accepted.name]
    right = MetricNotation(accepted.name).whole(Estimate(value).with_belief(belief))
    choice = f"Choose {best}, unless" if not is_best else "Abstentions count as errors here: see whether"
    text = (
        f"{choice} someone can take the abstentions: {name} abstains in {format_count(abstained)} samples and is right "
        f"in {right} of the others."
    )
    evidence: dict[str, Json] = {"system": name, "samples": abstained, "accepted_accuracy": value}
    yield Finding("abstains", text, evidence=evidence, action="Mind the abstentions")


def _lead_to_changes(result: Comparison, source: Any) -> Iterator[Finding]:
    """Lead to the rows of a file that change if the best system replaces the next one, or the baseline."""
    places = result.ranking[0].places
    one = places[0].name
    other = result.baseline if result.baseline not in (None, one) else places[1].name
    hits = result.hits_of(one, str(other))
    if (
        hits is None
        or not (hits.only_a or hits.only_b)
        or not isinstance(source, (str, Path))
        or not Path(source).is_file()
    ):
        return
    better, worse, still = (format_count(round(rows, 1)) for rows in (hits.only_a, hits.only_b, hits.neither))
    text = (
        f"If {one} replaces {other}, {better} samples that were wrong turn right, {worse} that were right turn wrong, "
        f"and {still} stay wrong. The explorer shows them under “changes”:"
    )
    evidence: dict[str, Json] = {"better": hits.only_a, "worse": hits.only_b, "still_wrong": hits.neither}
    command = f"infoscope serve {shlex.quote(str(Path(source).parent))}"
    yield Finding("changes", text, evidence=evidence, action="See what changes", command=command)


def _ask_for_samples(result: Comparison, *, is_grouped: bool) -> Iterator[Finding]:
    """Say how many more samples would decide between the first two systems, where there is no winner."""
    ranking = result.ranking[0]
    if ranking.best is not None or len(ranking.contenders) < 2:
        return
    one, other = (place.name for place in ranking.contenders[:2])
    gap = result.between(one, other, ranking.metric)
    if gap is None or gap.significant or gap.verdict == "equivalent":
        return
    compared = sum(pair.metric == ranking.metric for pair in result.pairs)
    samples = min(result.samples[one], result.samples[other])
    more = count_samples_to_decide(gap, samples, compared, result.level)
    title, notation = find(ranking.metric).card.title_in_sentence, MetricNotation(ranking.metric)
    if more is None or more > MAX_SAMPLES_ASKED * samples:
        text = (
            f"{one} and {other} are so close in {title} that no realistic number of samples decides between them: "
            "choose by what else matters, such as cost or speed."
        )
        yield Finding("no_clear_winner", text, action="Choose by something else")
        return
    shown = [place.shown for place in ranking.contenders[:2]]
    size = notation.signed(abs(notation.gap(gap.estimate, shown[0], shown[1]))).lstrip("+")
    groups = " in further groups" * is_grouped
    text = (
        f"About {round_up(more):,} more samples{groups} decide between {one} and {other} with a probability of "
        f"{POWER:.0%}, if "
        f"the difference in {title} is really {size}{' points' * notation.is_share}. If so little does not matter, say "
        "so by --rope (rope=)."
    )
    evidence: dict[str, Json] = {"more_samples": round_up(more)}
    yield Finding("no_clear_winner", text, evidence=evidence, action="Collect more samples")


def _describe_systems(systems: Mapping[str, System], uninformative: Mapping[str, float]) -> Iterator[Finding]:
    """Yield findings about labels that seem to be measurements, and about systems without information.

    Labels with a stated order are none; where no system has information, the headline says so.
    """
    correlations = [measure_nearness(system.table) for system in systems.values() if system.table.ordinal is None]
    highest = max((value for value in correlations if value is not None), default=None)
    if highest is not None:
        yield Finding("measured_labels", describe_measured_labels(highest), "warning", {"rank_correlation": highest})
    if 0 < len(uninformative) < len(systems):
        many = len(uninformative) > 1
        text = (
            f"{_join_names(list(uninformative))} {'capture' if many else 'captures'} no more information than expected "
            f"by chance, so {'they are' if many else 'it is'} neither best nor tied, by whatever metric."
        )
        yield Finding("no_information", text, evidence={"p_values": dict(uninformative)})


def _describe_copies(copies: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each group of systems that predict the same in all rows that they share."""
    for first in dict.fromkeys(copies.values()):
        names = [first, *(name for name, model in copies.items() if model == first)]
        text = (
            f"{_join_names(names)} predict the same in every row that they share: check that these are the right "
            "columns."
        )
        yield Finding("same_predictions", text, "warning", {"systems": names})


def _describe_rows(predictions: PairedPredictions, names: Sequence[str], options: CompareOptions) -> Iterator[Finding]:
    """Yield findings about rows that are left out, weights, stated frequencies and groups."""
    rows = predictions.rows.row_count
    for name in names:
        if lost := predictions.lacking(name):
            why = (
                "no true label or no prediction"
                if predictions.weight is None
                else "no true label, prediction or weight"
            )
            text = f"{name} lacks {lost:,} of {rows:,} rows ({why}); pairs with it use the rows that both have."
            yield Finding("rows_ignored", text, "warning", {"system": name, "rows": lost, "of": rows})
    if predictions.weight is not None:
        size = f"{predictions.total:,.4g} independent samples, (Σw)²/Σw²"
        yield Finding("effective_sample_size", f"weights that sum to {predictions.weight:,.6g} count as {size}.")
    if options.prevalence is not None:
        text = (
            "true classes are re-weighted to the stated frequencies; McNemar's test and the exact difference of "
            "information are about the rows as they came, so they are left out."
        )
        yield Finding("prevalence_stated", text)
    if predictions.is_clustered:
        text = (
            f"Intervals take rows within the {predictions.rows.sizes[-1]:,} groups as dependent; tests that take "
            "rows as independent are left out."
        )
        yield Finding("grouped_rows", text)
    elif len(names) > MAX_SYSTEMS_ALL_SWAPS and options.swaps:
        text = "swap tests were run against the baseline, or for neighbours in the ranking, only."
        yield Finding("few_swap_tests", text)


def _describe_intervals(systems: Mapping[str, System], options: CompareOptions) -> Iterator[Finding]:
    """Yield findings where intervals fall short.

    That is with tables too large for the default prior, classes that no row shows, and classes with few rows beside
    one with nearly all.
    """
    is_default = isinstance(options.prior, str) and options.prior == "default"
    large = [name for name, system in systems.items() if system.table.is_sparse and system.table.is_aligned]
    if large and is_default:  # only occupied cells are stored, so the prior had to be another one
        text = (
            f"{_join_names(large)}: too many classes for the tree prior; information measures and their differences "
            "are likely off wherever errors are spread thinly, while the accuracy is not."
        )
        yield Finding("no_tree_prior", text, "warning", {"systems": large})
    moving = [entry.name for entry in options.metrics if entry.name in CLASS_COUNT_METRICS]
    counted = [system.table for system in systems.values() if isinstance(system.posterior, Posterior)]
    missing = next(filter(None, map(find_missing_classes, counted)), None) if moving else None
    if missing is not None:
        text = (
            f"{missing.seen_once} true classes occur once, so about {missing.frequency:.0%} of cases belong to classes "
            f"that no row shows; {_join_names(moving)} would change with them: their values have no interval, and "
            "differences are about the classes in these rows alone. Proficiency and accuracy hardly change."
        )
        yield Finding("unseen_classes", text, "warning", {"metrics": moving, "unseen_classes": missing.number})
    doubtful = [entry.name for entry in options.metrics if entry.name in DOMINANT_CLASS_METRICS]
    for system in systems.values() if doubtful else ():
        posterior = system.posterior
        if isinstance(posterior, DrawnBelief):
            continue
        size = posterior.origin.total if isinstance(posterior, Posterior) else posterior.effective_size("proficiency")
        dominant = find_dominant_class(system.table, float(size))
        if dominant is not None:
            text = (
                f"'{dominant.label}' has {dominant.share:.0%} of the rows, and the other {dominant.classes:,} classes "
                f"have {dominant.others:,.4g} together: too few to say how well systems tell them; intervals and "
                f"verdicts in {_join_names(doubtful)} hold less often than they say."
            )
            is_decisive = options.metrics[0].name in doubtful
            evidence: dict[str, Json] = {"metrics": [*doubtful], "label": dominant.label}
            yield Finding("dominant_class", text, "warning" if is_decisive else "note", evidence)
            return


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"
