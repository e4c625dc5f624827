"""Sweep a score over its thresholds, or probabilities over what is rejected: a table and every metric at each point.

``sweep`` takes labels beside scores, or rows of any source; ``sweep_levels`` takes scores that are ranked already. A
``Sweep`` holds the curves that reports and pictures show; which point is best, and what it is worth on held-out
samples, ``threshold_choice.py`` finds when it is first asked (seconds, where the curve takes milliseconds), and
``Sweep.complete`` before a report. The page is ``reports/views/sweep.py``; ``infoscope sweep`` asks for it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from shlex import quote
from typing import Any, ClassVar, Literal, cast, overload

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from infoscope.core.numerics import Real, distinct
from infoscope.core.validation import Number, OneOf, validated
from infoscope.errors import InfoscopeWarning, InputError
from infoscope.metrics.chance import CHANCE_LEVEL
from infoscope.metrics.losses import find_cost_doubt, read_cost_matrix
from infoscope.metrics.registry import find, metrics_of
from infoscope.readers import ReadOptions, read_joint
from infoscope.readers.columns import resolve_columns
from infoscope.readers.labels import Cleaning
from infoscope.readers.query import as_names
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate, drop_infinite
from infoscope.results.finding import Finding
from infoscope.results.frame import Record
from infoscope.results.notation import state_p_value
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.studies.inputs import describe_blank_labels, pick_column, pick_labels
from infoscope.studies.score_arrays import (
    BinaryScores,
    Probabilities,
    ScoreRows,
    apply_logistic,
    check_distributions,
    count_columns,
    decode_score_rows,
    encode_binary_scores,
    encode_probabilities,
    find_label,
    get_column_names,
    name_classes,
)
from infoscope.studies.score_groups import ScoreGroups, score_groups
from infoscope.studies.score_ranking import (
    ScoreRanking,
    ThresholdTables,
    area_under_precision_recall,
    area_under_roc,
    average_accuracy,
    average_informations,
    average_rejections,
    error_reject_area,
    estimate_areas,
    rank_scores,
    risk_coverage_area,
    thin_levels,
)
from infoscope.studies.scores import (
    Binning,
    ReliabilityBin,
    ScoreSummary,
    are_probabilities,
    bin_scores,
    ranked_probability_score,
    score_summary,
    summarize_probabilities,
)
from infoscope.studies.threshold_choice import Choice, ChoiceOptions, Criterion, choose
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels, ask_positive
from infoscope.tables.counting import warn_of, warn_of_rows
from infoscope.tables.encoding import encode
from infoscope.tables.ifs_file import hash_tables
from infoscope.tables.labels import Label
from infoscope.tables.transformations import read_scale
from infoscope.typing import ArrayLike, Frame, Json, LabelsLike, Source

Certainty = Literal["confidence", "margin", "entropy"]

ALARM_RATE = "alarm_rate"
"""Share of samples that are predicted positive; beside the metrics of the catalogue."""
LIFT = "lift"
"""The metric that is drawn over the alarm rate."""
THRESHOLD_METRICS = (
    ALARM_RATE,
    LIFT,
    "proficiency",
    "false_information_ratio",
    "accuracy",
    "recall",
    "precision",
    "false_alarm_rate",
)
REJECTION_METRICS = (
    "rejection_rate",
    "proficiency",
    "proficiency_without_reject",
    "false_information_ratio",
    "accuracy",
    "accepted_accuracy",
    "error_rate",
)
CHOSEN_METRICS = {
    "threshold": ("recall", "precision", "f1", "accuracy"),
    "rejection": ("rejection_rate", "accepted_accuracy", "accuracy"),
}
"""Metrics that are estimated at a chosen point, by mode."""
INFORMATION_METRICS = ("missed_information", "mutual_information", "false_information")
MAX_THRESHOLDS = 10_000
MAX_REJECTIONS = 1_000
RESAMPLES = 200
LADDER_CELLS = 1 << 24
"""At most this many cells in all tables of a sweep: with many classes there are fewer operating points."""
DIGITS = 12
"""Margins and entropies that agree to this many decimals are one certainty: they differ by rounding only."""
MIN_TESTED = 20
"""Samples of each class from which on scores are compared with random ones; fewer have wide intervals anyway."""
SURELY_REVERSED = 1.96
"""Standard deviations below one half."""


# Results --------------------------------------------------------------------------------------------------------------


class CurveResult(Result):
    """Metrics along operating points or settings, in their order."""

    @abstractmethod
    def values(self, metric: str) -> Real:
        """Return a metric at every point; NaN where it is undefined."""

    def metrics(self, names: Sequence[str] | None = None) -> dict[str, Real]:
        """Return several metrics along the curve, by id; all of the catalogue unless named."""
        wanted = [entry.name for entry in metrics_of("table")] if names is None else [find(n).name for n in names]
        return {name: self.values(name) for name in wanted}

    def coverage_curve(self) -> dict[str, Real]:
        """Return the path in the information coverage plane: false information right, captured truth upwards."""
        return self.metrics(["false_information_ratio", "proficiency"])

    def triangle_curve(self) -> dict[str, Real]:
        """Return the path in the entropy triangle: three shares that sum to one."""
        return self.metrics(["triangle_divergence", "triangle_transfer", "triangle_variation"])


@dataclass(frozen=True, repr=False, eq=False)
class Sweep(CurveResult):
    """The operating points of one system, from the strictest to the most generous.

    ``thresholds[i]`` gives the table ``table_at(i)``; the first point predicts nothing positive, or rejects everything.
    """

    kind: ClassVar[str] = "sweep"

    mode: Literal["threshold", "rejection"]
    rule: str
    """The decision rule in words, with "t" for the threshold."""
    thresholds: Sequence[float | None]
    areas: Mapping[str, float]
    distinct: int
    """Number of distinct thresholds of the scores; more than operating points when the curve was thinned."""
    sample_size: float | None
    truth_labels: tuple[str, ...]
    system_labels: tuple[str, ...]
    positive: str | None = None
    reject: str | None = None
    quantity: str = "score"
    """Quantity compared with the threshold: the score, or the certainty (confidence, margin or entropy)."""
    options: ChoiceOptions = field(default_factory=ChoiceOptions)
    """By what the best point is chosen."""
    stored_choices: tuple[Choice, ...] = field(default=(), metadata={"name": "choices"})
    stored_curves: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict, metadata={"name": "metrics"})
    reliability: tuple[ReliabilityBin, ...] = ()
    """Share of positives by score, in bins that know it about equally well, where the scores are probabilities."""
    scoring: ScoreSummary | None = None
    """Quality of the scores as probabilities and as a ranking."""
    area_estimates: Mapping[str, Estimate] = field(default_factory=dict)
    """Areas under the ROC and the precision-recall curve with their intervals, of one score per sample."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    curves: Mapping[str, Real] = field(default_factory=dict, metadata={"stored": False})
    """The metrics that reports and pictures show, at every point; ``values`` gives any other."""
    ladder: ThresholdTables | None = field(default=None, metadata={"stored": False})
    """The tables, as steps from one point to the next; None for a result that was read from a file."""
    levels: ScoreRanking | None = field(default=None, metadata={"stored": False})
    """The exact ranking behind the curve: of positives by score, or of wrong predictions by certainty."""

    def __post_init__(self) -> None:
        """Read thresholds as numbers: JSON has no infinity, so the first one reads back as null."""
        limits = [np.inf if value is None else value for value in self.thresholds]
        object.__setattr__(self, "thresholds", np.asarray(limits, dtype=np.float64))

    def __len__(self) -> int:
        """Return how many operating points there are."""
        return len(self.thresholds)

    @cached_property
    def tables(self) -> Contingency:
        """The batch of tables, one per operating point."""
        if self.ladder is None:
            raise InputError("a stored sweep does not hold the tables of its points; sweep again to get them")
        return _build_tables(self.ladder, self.sample_size)

    def table_at(self, point: int) -> Contingency:
        """Return the table of one operating point."""
        return replace(self.tables, values=self.tables.values[point].copy())

    def values(self, metric: str) -> Real:
        """Return a metric at every operating point; NaN where it is undefined."""
        if metric in self.curves:
            return self.curves[metric].copy()
        if metric in self.stored_curves:
            return np.array([np.nan if value is None else value for value in self.stored_curves[metric]], dtype=float)
        if metric == ALARM_RATE:
            return np.asarray(_evaluate(self.tables, metric), dtype=np.float64)
        entry = find(metric)
        if entry.card.level != "table":
            raise InputError(f"{entry.name} gives a number per class, not per table; take it from table_at(i)")
        if entry.name != metric and (entry.name in self.curves or entry.name in self.stored_curves):
            return self.values(entry.name)
        return _evaluate(self.tables, entry.name)

    @property
    def prevalence(self) -> float:
        """Share of the samples that are positive."""
        self._require_mode("threshold", "the prevalence")
        # at the last threshold all are alarms
        return float(self.values(ALARM_RATE)[-1] * self.values("precision")[-1])

    def roc_curve(self) -> dict[str, Real]:
        """Return false alarm rate and recall at every threshold."""
        self._require_mode("threshold", "a ROC curve")
        return self.metrics(["false_alarm_rate", "recall"])

    def precision_recall_curve(self) -> dict[str, Real]:
        """Return recall and precision at every threshold; precision is NaN where nothing is predicted positive."""
        self._require_mode("threshold", "a precision-recall curve")
        return self.metrics(["recall", "precision"])

    def lift_curve(self) -> dict[str, Real]:
        """Return the share predicted positive, and how many times as many of these are positive as of all rows."""
        self._require_mode("threshold", "a lift curve")
        return {name: self.values(name) for name in (ALARM_RATE, LIFT)}

    def alerts(self, rows: int = 1000) -> Real:
        """Return how many of a number of rows are predicted positive, at every threshold."""
        self._require_mode("threshold", "a number of alerts")
        return np.asarray(rows * self.values(ALARM_RATE), dtype=np.float64)

    def reliability_curve(self, *, bins: int = 10, strategy: Binning = "variance") -> tuple[ReliabilityBin, ...]:
        """Return mean score and share of positives by bin; "quantile" and "uniform" cut as scikit-learn does."""
        self._require_mode("threshold", "a reliability diagram")
        if self.levels is None:
            raise InputError("a stored sweep has its reliability in ten bins only; sweep again for others")
        return bin_scores(self.levels, bins=bins, strategy=strategy, sample_size=self.sample_size)

    def risk_coverage_curve(self) -> dict[str, Real]:
        """Return the share accepted and the error among the accepted, at every rejection threshold."""
        self._require_mode("rejection", "a risk-coverage curve")
        return {"coverage": 1 - self.values("rejection_rate"), "risk": 1 - self.values("accepted_accuracy")}

    def error_reject_curve(self) -> dict[str, Real]:
        """Return the share rejected and the error among all samples, at every rejection threshold."""
        self._require_mode("rejection", "an error-reject curve")
        return self.metrics(["rejection_rate", "error_rate"])

    def _require_mode(self, mode: str, subject: str) -> None:
        if self.mode != mode:
            needs = "one score per sample" if mode == "threshold" else "probabilities of every class"
            raise InputError(f"{subject} needs {needs}; this sweep moves a {self.mode} ({self.rule})")

    def best(
        self,
        metric: str | None = None,
        *,
        costs: ArrayLike | None = None,
        level: float = 0.95,
        resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> Choice:
        """Choose the best operating point by a metric or by a cost matrix; unless named, by what the sweep chooses by.

        ``value`` is what the samples of the choice themselves show, and flatters it; ``held_out`` is what held-out
        samples show, with its interval.
        """
        if metric is None and costs is None:
            metric, costs = self.options.metric, self.options.costs
        doubt = self._doubt_costs(costs)
        if doubt is not None:
            warn_of([doubt], InfoscopeWarning)
        return self._choose([Criterion.of(metric, costs)], level, resamples, seed)[0]

    def _choose(self, criteria: Sequence[Criterion], level: float, resamples: int, seed: int) -> tuple[Choice, ...]:
        tables, ladder = self.tables, self.ladder
        assert ladder is not None  # the tables were made of it
        return choose(
            ladder,
            self.thresholds,
            tables,
            criteria,
            shown=CHOSEN_METRICS[self.mode],
            sample_size=self.sample_size,
            level=level,
            resamples=resamples,
            seed=seed,
        )

    def _doubt_costs(self, costs: Any) -> str | None:
        return None if costs is None else find_cost_doubt(self.tables, read_cost_matrix(self.tables, costs))

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The best point as asked for and, for a threshold, by accuracy and F1 beside it.

        None where high scores mean the other class: no threshold is then good for the positive one.
        """
        if self.stored_choices or self.reversed_class is not None:
            return self.stored_choices
        options = self.options
        first = Criterion.of(options.metric, options.costs)
        others = [name for name in ("accuracy", "f1") if self.mode == "threshold" and name != first.name]
        return self._choose([first, *map(Criterion.of, others)], options.level, RESAMPLES, options.seed)

    def choose_by(self, options: ChoiceOptions | str) -> Sweep:
        """Return the same curve with its best point chosen by another metric, or by costs."""
        options = ChoiceOptions(options) if isinstance(options, str) else options
        findings = [finding for finding in self.findings if finding.code != "doubtful_costs"]
        doubt = self._doubt_costs(options.costs)
        if doubt is not None:
            findings.append(Finding("doubtful_costs", f"{doubt[0].upper()}{doubt[1:]}.", "warning"))
        areas = self.area_estimates
        if self.mode == "threshold" and self.levels is not None:
            areas = estimate_areas(self.levels, self.sample_size, options.level)
        return replace(self, options=options, stored_choices=(), findings=tuple(findings), area_estimates=areas)

    @property
    def reversed_class(self) -> str | None:
        """The class that high scores mean where that is not the positive one, beyond chance; None where it is."""
        for finding in self.findings:
            if finding.code == "reversed_scores" and finding.evidence.get("significant"):
                return str(finding.evidence["class"])
        return None

    @property
    def is_by_chance(self) -> bool:
        """True if the scores separate the classes no better than random ones would."""
        return any(finding.code == "scores_by_chance" for finding in self.findings)

    @property
    def shown_metrics(self) -> tuple[str, ...]:
        """The metrics that tables, pages and pictures show along the curve."""
        return THRESHOLD_METRICS if self.mode == "threshold" else REJECTION_METRICS

    def complete(self) -> Sweep:
        """Return the sweep with its chosen points, without the tables that they were found in: reports only read."""
        if self.ladder is None:
            return self
        return replace(self, stored_choices=self.choices, ladder=None, levels=None)

    def to_dict(self) -> dict[str, Json]:
        """Return the versioned document, with every metric at every operating point."""
        return Result.to_dict(self.stored())

    def page_document(self) -> dict[str, Json]:
        """Return the document with the curves that pages show, which load() reads like the whole one."""
        names = (*self.shown_metrics, *INFORMATION_METRICS)
        return Result.to_dict(self.stored([name for name in names if name not in (ALARM_RATE, LIFT)]))

    def stored(self, names: Sequence[str] | None = None, most: int | None = None) -> Sweep:
        """Return the sweep without its tables, as a document holds it: with all metrics along the curve, or these.

        At most about ``most`` points are kept, the chosen ones among them.
        """
        if self.stored_curves:
            kept = self.stored_curves if names is None else (*names, ALARM_RATE, LIFT)
            return replace(
                self, stored_curves={name: self.stored_curves[name] for name in kept if name in self.stored_curves}
            )
        if names is None and self.ladder is None:
            names = [name for name in self.curves if name not in (ALARM_RATE, LIFT)]
        curves = self.metrics(names)
        if self.mode == "threshold":
            curves |= {name: self.values(name) for name in (ALARM_RATE, LIFT)}
        keep = np.arange(len(self)) if most is None or most >= len(self) else self.spread_points(most)
        keep = distinct(keep, np.array([choice.point for choice in self.choices], dtype=np.int64))
        return replace(
            self,
            thresholds=np.asarray(self.thresholds)[keep].tolist(),
            stored_curves={name: tuple(map(drop_infinite, values[keep])) for name, values in curves.items()},
            stored_choices=tuple(
                replace(choice, point=int(np.searchsorted(keep, choice.point))) for choice in self.choices
            ),
            curves={},
            ladder=None,
            levels=None,
        )

    def spread_points(self, most: int) -> NDArray[np.int64]:
        """Choose about this many operating points: half of them even over the samples, half over the positive ones.

        Where few samples are positive, all thresholds that matter may lie between two points that are even over the
        samples. Rejections are even over the samples.
        """
        last = len(self) - 1
        if most > last:
            return np.arange(last + 1)
        if self.mode == "rejection":
            return np.linspace(0, last, most).astype(np.int64)
        by_recall = np.searchsorted(self.values("recall"), np.linspace(0.0, 1.0, most // 2 + 1)[1:])
        even = np.linspace(0, last, max(2, most - most // 2)).astype(np.int64)
        return distinct(even, np.minimum(by_recall, last), np.array([1]))

    def records(self) -> Iterator[Record]:
        """Yield one record per operating point with the metrics that are shown."""
        columns = [self.thresholds, *map(self.values, self.shown_metrics)]
        for threshold, *row in zip(*(map(drop_infinite, np.asarray(column)) for column in columns), strict=True):
            yield {"threshold": threshold, **dict(zip(self.shown_metrics, map(Estimate, row), strict=True))}


def _build_tables(ladder: ThresholdTables, sample_size: float | None) -> Contingency:
    tables = ladder.tables()
    if not sample_size or tables.values.dtype.kind in "iu":
        return tables
    return replace(tables, weight_squares=ladder.total**2 / sample_size)


def _evaluate(tables: Contingency, metric: str) -> Real:
    """Return a metric or the alarm rate of a batch of tables."""
    if metric != ALARM_RATE:
        return np.broadcast_to(np.asarray(find(metric).score(tables), dtype=float), tables.batch_shape)
    column = tables.system_labels.index(tables.positive_label)
    return tables.column_totals[..., column] / tables.grand_total


# The study ------------------------------------------------------------------------------------------------------------


@overload
def sweep(
    source: Source = ...,
    y_score: ArrayLike | Frame | Mapping[Any, ArrayLike] | None = None,
    *,
    y_true: LabelsLike | None = None,
    truth: str | None = None,
    score: str | Sequence[str] | None = None,
    by: None = None,
    weight: Any = None,
    sample_weight: Any = None,
    positive: Label | None = None,
    pos_label: Label | None = None,
    classes: Sequence[Any] | None = None,
    certainty: Certainty = "confidence",
    reject: Label = "rejected",
    max_points: int | None = None,
    normalize: bool = False,
    ordinal: Sequence[Any] | str | None = None,
    choose_by: str | ChoiceOptions | None = None,
    clean: Cleaning = (),
    raw: bool = False,
    read: ReadOptions | None = None,
) -> Sweep: ...
@overload
def sweep(
    source: Source,
    *,
    truth: str,
    score: str,
    by: str | Sequence[str],
    weight: str | None = None,
    sample_weight: str | None = None,
    positive: Label | None = None,
    pos_label: Label | None = None,
    clean: Cleaning = (),
    raw: bool = False,
    read: ReadOptions | None = None,
) -> ScoreGroups: ...
@validated(
    certainty=OneOf("confidence", "margin", "entropy"),
    max_points=Number(low=2, closed="low", whole=True),
)
def sweep(
    source: Source = None,  # type: ignore[assignment]  # needed, here or as y_true
    y_score: ArrayLike | Frame | Mapping[Any, ArrayLike] | None = None,
    *,
    y_true: LabelsLike | None = None,
    truth: str | None = None,
    score: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    weight: Any = None,
    sample_weight: Any = None,  # noqa: ARG001 - another word for weight
    positive: Label | None = None,
    pos_label: Label | None = None,  # noqa: ARG001 - another word for positive
    classes: Sequence[Any] | None = None,
    certainty: Certainty = "confidence",
    reject: Label = "rejected",
    max_points: int | None = None,
    normalize: bool = False,
    ordinal: Sequence[Any] | str | None = None,
    choose_by: str | ChoiceOptions | None = None,
    clean: Cleaning = (),
    raw: bool = False,
    read: ReadOptions | None = None,
) -> Sweep | ScoreGroups:
    """Sweep a score over all its operating points, with a table at each.

    One column of scores for two classes: "positive when score ≥ t", for every distinct t. One column of probabilities
    per class: the most probable class, rejected unless its certainty is good enough, for every distinct threshold.

    Parameters
    ----------
    source, y_true : array-like or source of rows
        True labels beside ``y_score``, or rows of any source with the names of their columns.
    y_score : array-like, frame or mapping, optional
        One score per row, one column of probabilities per class, or a mapping of each class to its column.
    truth, score : str or sequence of str, optional
        The column of the truth, and that of the score or of the probability of each class. Columns of a file, a frame
        or a mapping that nobody names are guessed where that is sure, with a warning that says so.
    by : str or sequence of str, optional
        Sum one score up for each value of these columns instead, as ``operating_points.score_groups`` does.
    weight, sample_weight : array-like or str, optional
        A weight for each row, or the column that has it.
    positive, pos_label : label, optional
        The class that high scores mean.
    classes : sequence, optional
        The class of each column of probabilities; by default the columns of a frame, the names of the columns that are
        read, or the classes of the truth in their order.
    certainty : {"confidence", "margin", "entropy"}, default "confidence"
        What decides about rejecting: the largest probability, its lead over the second, or the bits left open.
    reject : label, default "rejected"
        What rejected samples are called.
    max_points : int, optional
        Keep at most about this many points, 10,000 thresholds or 1,000 rejections by default; the best information and
        the least cost of a score are never lost by that.
    normalize : bool, default False
        Divide the probabilities of each row by their sum.
    ordinal : sequence or str, optional
        The classes from the lowest to the highest: then the ranked probability score is among the areas.
    choose_by : str or ChoiceOptions, optional
        The metric by which the best point is chosen, proficiency by default, or costs with a level and a seed.
    clean : optional
        How labels that are read are cleaned.
    raw : bool, default False
        Scores are logits: they become probabilities first, by 1 / (1 + exp(−x)), or by a softmax over the columns.
    read : ReadOptions, optional
        How files are read.

    Returns
    -------
    Sweep or ScoreGroups
        The operating points with areas, curves and the best point; with ``by``, numbers of the score by group.

    Raises
    ------
    InputError
        If scores and labels do not fit together, the truth has one class, a row of probabilities does not sum to one,
        or an option is out of its limits.

    Examples
    --------
    >>> curve = sweep([1, 1, 0, 0], [0.9, 0.8, 0.3, 0.1])
    >>> print(curve.best().threshold, curve.values("proficiency").max())
    0.8 1.0
    """
    about_rows = {"weight": weight, "by": by}
    truth, score = resolve_columns(source, y_score, (truth, score), read, about_rows, "score")
    if by is not None:
        names = as_names(score)
        if not isinstance(truth, str) or not names:
            raise InputError("groups need the names of the truth column and of the columns of scores (truth=, score=)")
        of_curves = {
            "classes": classes is not None,
            "certainty": certainty != "confidence",
            "reject": reject != "rejected",
            "max_points": max_points is not None,
            "normalize": normalize,
            "ordinal": ordinal is not None,
            "choose_by": choose_by is not None,
        }
        for name, is_stated in of_curves.items():
            if is_stated:
                raise InputError(
                    f"{name} is for a curve of operating points; leave it out where scores are split by groups"
                )
        return score_groups(
            source,
            truth=truth,
            score=names,
            by=by,
            weight=weight,
            positive=positive,
            clean=clean,
            raw=raw,
            read=read,
        )

    if y_score is not None and (truth is not None or score is not None):
        raise InputError("give (y_true, y_score), or name columns with truth= and score=, not both")
    options = choose_by if isinstance(choose_by, ChoiceOptions) else ChoiceOptions(choose_by)
    columns = (source, y_score) if y_score is not None else None
    if columns is None and not clean:
        columns = pick_labels(source, truth, score)
        if columns is not None:
            weight = pick_column(cast("Mapping[str, Any]", source), weight)
    if columns is not None:
        y_true, scores = cast("tuple[LabelsLike, Any]", columns)
        given, size = _encode_columns(
            y_true, scores, classes, weight, positive, normalize=normalize, raw=raw, ordered=ordinal is not None
        )
        ignored = given.ignored
    else:
        # One column is counted where it lies, so that a source of any size is reduced to its distinct scores
        if not isinstance(truth, str) or score is None:
            raise InputError("give (y_true, y_score), or name the truth column and the column of scores")
        names = as_names(score)
        joint = read_joint(source, truth=truth, system=list(names), weight=weight, read=read)
        rows = decode_score_rows(joint.rows, truth, names, clean=clean, raw=raw)
        warn_of_rows(rows.ignored)
        given, ignored, size = (
            _encode_rows(rows, names, classes, positive, normalize=normalize),
            rows.ignored,
            rows.size,
        )

    if isinstance(given, BinaryScores):
        curve = sweep_levels(
            rank_scores(given),
            given.labels,
            given.positive,
            max_points=max_points or MAX_THRESHOLDS,
            sample_size=size,
            ignored=ignored,
            options=options,
        )
    else:
        curve = _sweep_rejections(given, certainty, reject, max_points, ordinal, size, ignored, options)
    # findings about the names of the classes: blank ones first, and last which one high scores mean
    findings = list(curve.findings)
    if not all(label.strip() for label in curve.truth_labels):
        table = curve.table_at(0)
        blanks = BlankLabels.of_columns({"the truth": (table.truth_labels, table.row_totals)})
        findings = [*describe_blank_labels(blanks), *findings]
    if positive is None and curve.mode == "threshold":
        text = ask_positive(curve.truth_labels, curve.positive, "high scores mean")
        if text is not None:
            findings.append(Finding("positive_asked", text, evidence={"class": curve.positive}))
    return replace(curve, findings=tuple(findings))


def _encode_columns(
    y_true: LabelsLike,
    scores: Any,
    classes: Sequence[Any] | None,
    weight: Any,
    positive: Label | None,
    *,
    normalize: bool,
    raw: bool,
    ordered: bool,
) -> tuple[BinaryScores | Probabilities, float | None]:
    """Return scores beside labels, and how many equal samples they are worth.

    A mapping has one column, or one by class.
    """
    if isinstance(scores, Mapping):
        if not scores:
            raise InputError("no scores are given; map each class to its scores")
        first, *others = scores
        if others and classes is None:
            coded = encode(y_true, "truth")
            present = coded.codes[coded.codes != coded.missing] if coded.missing is not None else coded.codes
            labels = np.array(coded.labels or distinct(present), dtype=object)
            names = [str(name) for name in scores]
            classes = name_classes(names, labels)
            if not set(classes) & set(labels.tolist()):
                raise InputError(
                    f"{', '.join(names)} are not classes of the truth; sweep the scores of one system at a time"
                )
        for other in others:
            if len(scores[other]) != len(scores[first]):
                raise InputError(
                    f"there are {len(scores[first])} scores of {first!r} and {len(scores[other])} of {other!r}; "
                    "give one of each class for each row"
                )
        scores = np.column_stack(list(scores.values())) if others else scores[first]
    if raw:
        classes = classes or get_column_names(scores)
        scores = apply_logistic(scores)
    given: BinaryScores | Probabilities
    if count_columns(scores) == 1:
        if ordered:
            raise InputError(
                "ordinal is for one column of probabilities per class; leave it out with one column of scores"
            )
        given = encode_binary_scores(scores, y_true, positive=positive, sample_weight=weight)
        rows = len(given.scores)
    else:
        if positive is not None:
            raise InputError("a positive class is for one column of scores; with one column per class give classes=")
        given = encode_probabilities(scores, y_true, classes=classes, sample_weight=weight, normalize=normalize)
        rows = len(given.truth)
    if given.weights is None:
        return given, float(rows)
    squares = float(np.sum(given.weights**2))
    return given, float(given.weights.sum()) ** 2 / squares if squares else None


def _encode_rows(
    rows: ScoreRows, names: Sequence[str], classes: Sequence[Any] | None, positive: Label | None, *, normalize: bool
) -> BinaryScores | Probabilities:
    """Return scores that a reader counted: one column with how often each score occurs, or a column per class."""
    if len(names) == 1:
        chosen = find_label(positive, rows.truth)
        given = encode_binary_scores(rows.values[:, 0], rows.truth.tolist(), positive=chosen, sample_weight=None)
        return replace(given, weights=rows.rows if rows.weights is None else rows.weights)
    if positive is not None:
        raise InputError("a positive class is for one column of scores; several columns each have a class of their own")
    check_distributions(rows, names, normalize=normalize)
    repeats = rows.rows if rows.weights is None else np.ones(len(rows.rows), dtype=np.int64)
    labels = np.repeat(rows.truth, repeats)
    return encode_probabilities(
        np.repeat(rows.values, repeats, axis=0),
        labels.tolist(),
        classes=name_classes(names, labels, classes),
        sample_weight=rows.weights,
        normalize=normalize,
    )


# Thresholds -----------------------------------------------------------------------------------------------------------


@validated(max_points=Number(low=1, closed="low", whole=True))
def sweep_levels(
    levels: ScoreRanking,
    labels: tuple[Label, Label],
    positive: Label,
    *,
    max_points: int = MAX_THRESHOLDS,
    sample_size: float | None = None,
    ignored: dict[str, int] | None = None,
    options: ChoiceOptions | None = None,
) -> Sweep:
    """Sweep a score that is ranked already: scores that a database counted, for example.

    Parameters
    ----------
    levels : ScoreRanking
        Distinct scores from the highest down, with the positives and the samples at or above each.
    labels : tuple of two labels
        Both classes, in the order of the tables.
    positive : label
        The one that high scores mean.
    max_points : int, default 10000
        Keep at most about this many thresholds; the best information and the least cost are never lost by that.
    sample_size : float, optional
        What weighted samples are worth.
    ignored : dict of str to int, optional
        Rows that were left out, by reason.
    options : ChoiceOptions, optional
        By what the best point is chosen.

    Returns
    -------
    Sweep
        The operating points with areas, curves and findings.

    Examples
    --------
    >>> levels = ScoreRanking(np.array([0.9, 0.1]), np.array([5, 5]), np.array([5, 10]), 5.0, 10.0)
    >>> sweep_levels(levels, ("ham", "spam"), "spam").areas["roc_auc"]
    1.0
    """
    places = thin_levels(levels, max_points)
    kept = levels.take(places)
    area = area_under_roc(levels)
    information, normalized = average_informations(levels)

    findings = list(_describe_order(levels, area, labels[1 - labels.index(positive)], sample_size))
    if len(places) < len(levels.thresholds):
        text = (
            f"{len(places) + 1:,} of {len(levels.thresholds) + 1:,} thresholds are kept: the corners of the ROC "
            "curve's hull, where information is highest and cost lowest, and an even grid of samples; areas use all."
        )
        findings.append(Finding("thinned", text))

    row = labels.index(positive)
    reached = np.zeros((len(places) + 1, 2, 1), dtype=levels.hits.dtype)
    reached[1:, row, 0] = kept.hits
    reached[1:, 1 - row, 0] = kept.false_alarms
    pattern = Contingency.from_matrix(np.ones((2, 2)), truth=labels, system=labels, positive=positive)
    return _make_sweep(
        ThresholdTables(np.diff(reached, axis=0, prepend=0), (row,), 1 - row, pattern),
        ignored or {},
        findings,
        options or ChoiceOptions(),
        mode="threshold",
        rule=f"{positive!r} when score ≥ t",
        thresholds=np.concatenate([[np.inf], kept.thresholds]),
        areas={
            "roc_auc": area,
            "average_precision": area_under_precision_recall(levels),
            "average_information": information,
            "normalized_average_information": normalized,
            "average_accuracy": average_accuracy(levels),
        },
        distinct=len(levels.thresholds),
        sample_size=sample_size,
        levels=levels,
        reliability=bin_scores(levels, sample_size=sample_size) if are_probabilities(levels) else (),
        scoring=score_summary(levels, roc_auc=area),
    )


def _make_sweep(
    ladder: ThresholdTables,
    ignored: Mapping[str, int],
    findings: Sequence[Finding],
    options: ChoiceOptions,
    **numbers: Any,
) -> Sweep:
    """Make the result with what its tables say of themselves, the curves that are shown, and the rows left out."""
    pattern, is_threshold = ladder.pattern, numbers["mode"] == "threshold"
    tables = _build_tables(ladder, numbers["sample_size"])
    shown = (*(THRESHOLD_METRICS if is_threshold else REJECTION_METRICS), *INFORMATION_METRICS)
    left_out = tuple(IgnoredRows(reason, rows) for reason, rows in ignored.items())
    return Sweep(
        **numbers,
        truth_labels=tuple(map(str, pattern.truth_labels)),
        system_labels=tuple(map(str, pattern.system_labels)),
        positive=str(pattern.positive_label) if is_threshold else None,
        reject=None if pattern.reject is None else str(pattern.reject),
        provenance=Provenance(ignored=left_out, hashes={"operating points": hash_tables(tables)}),
        findings=(*findings, *describe_ignored_rows(left_out)),
        curves={name: _evaluate(tables, name) for name in shown},
        ladder=ladder,
    ).choose_by(options)


def _describe_order(levels: ScoreRanking, area: float, other: Label, size: float | None) -> Iterator[Finding]:
    """Yield what the order of the scores tells of the classes: they are reversed, or random, or some scores are tied.

    ``other`` is the class that high scores do not mean. The area of scores that tell nothing has the variance
    (n + 1) / 12 n₁ n₀ (Mann and Whitney). Beside it the largest distance between recall and false alarms is tested
    (Kolmogorov and Smirnov, with Stephens' correction), both considered; ties only make them more cautious.
    """
    if area < 0.5:
        share = levels.positives / levels.total
        n = levels.total if size is None else size
        below = (0.5 - area) / np.sqrt((n + 1) / (12 * n * share * n * (1 - share)))
        is_sure = bool(below > SURELY_REVERSED)
        sure = "" if is_sure else ", though not significantly"
        text = (
            f"The area under the ROC curve is {area:.4f}, below chance{sure}: high scores mean {other!r}; name that "
            f"class with --positive {quote(str(other))} (positive={other!r}), or negate the scores."
        )
        evidence: dict[str, Json] = {"roc_auc": area, "class": str(other), "significant": is_sure}
        if isinstance(other, (int, float)):
            evidence["positive"] = other
        yield Finding("reversed_scores", text, "warning" if is_sure else "note", evidence)

    scale = 1.0 if size is None else size / levels.total
    positives, negatives = levels.positives * scale, (levels.total - levels.positives) * scale
    if min(positives, negatives) >= MIN_TESTED:
        sd = np.sqrt((positives + negatives + 1) / (12 * positives * negatives))
        by_area, by_distance = 2.0 * float(ndtr(-abs(area - 0.5) / sd)), 1.0
        if 2.0 * by_area > CHANCE_LEVEL:  # the distance takes longer
            recall, alarms = levels.hits / levels.positives, levels.false_alarms / (levels.total - levels.positives)
            worth = np.sqrt(positives * negatives / (positives + negatives))
            scaled = float((worth + 0.12 + 0.11 / worth) * np.abs(recall - alarms).max())
            if scaled >= 0.3:  # the probability that it is exceeded is 1 below
                terms = np.arange(1, 101)
                signs = (-1.0) ** (terms - 1)
                by_distance = float(2.0 * (signs * np.exp(-2.0 * terms**2 * scaled * scaled)).sum())
        p_value = min(1.0, 2.0 * min(by_area, by_distance))
        if p_value > CHANCE_LEVEL:
            text = (
                "The scores separate the classes no better than random ones would (area under the ROC curve "
                f"{area:.3f}, {state_p_value(p_value)}): the best threshold is that of this sample only."
            )
            yield Finding("scores_by_chance", text, "warning", {"roc_auc": area, "p_value": p_value})

    tied = 0
    if levels.alarms.dtype.kind in "iu":
        tied = sum(int(np.count_nonzero(np.diff(alarms) > 1)) for _, alarms in levels.stretches())
    if tied:
        shared = "1 score is" if tied == 1 else f"{tied:,} scores are"
        text = f"{shared} shared by several samples: they pass the threshold together."
        yield Finding("tied_scores", text, evidence={"scores": tied})


# Rejections -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Decisions:
    """Predictions of the system and their certainty, which grows with sureness, whatever its kind."""

    predicted: NDArray[np.int64]
    certainty: Real
    kind: Certainty

    def to_thresholds(self, certainty: Real) -> Real:
        """Return thresholds as a person states them: an entropy is a bound from above."""
        return -certainty if self.kind == "entropy" else certainty


def decide(given: Probabilities, kind: Certainty) -> Decisions:
    """Predict the most probable class of every row (the first of equals), and say how sure that is.

    Confidence is its probability, margin its lead over the second, and entropy minus the bits that the probabilities
    leave open.
    """
    predicted = np.empty(len(given.values), dtype=np.int64)
    certainty = np.empty(len(given.values), dtype=np.float64)
    for block in given.blocks():
        part = given.values[block]
        rows, outputs = np.arange(len(part)), np.argmax(part, axis=1)
        predicted[block] = outputs
        if kind == "confidence":
            certainty[block] = part[rows, outputs]
        elif kind == "margin":
            others = part.copy()
            others[rows, outputs] = -1.0
            certainty[block] = part[rows, outputs] - others.max(axis=1)
        else:
            certainty[block] = np.einsum("ij,ij->i", part, np.log2(np.where(part > 0, part, 1.0)))
    if kind == "confidence":
        return Decisions(predicted, certainty, kind)
    # Certainties that differ by rounding only are made equal, to the least of them: in binary numbers 0.6 − 0.4 is a
    # little less than 0.5 − 0.3, and one margin would be two thresholds. The least is kept, not the rounded number, so
    # that "certainty ≥ threshold", computed anew from the same probabilities, accepts the same samples.
    order = np.argsort(certainty)
    ordered = certainty[order]
    rounded = np.round(ordered, DIGITS)
    begins = np.concatenate([[True], rounded[1:] != rounded[:-1]])
    joined = np.empty_like(certainty)
    joined[order] = ordered[begins][np.cumsum(begins) - 1]
    return Decisions(predicted, joined, kind)


def _sweep_rejections(
    given: Probabilities,
    certainty: Certainty,
    reject: Label,
    max_points: int | None,
    ordinal: Any,
    sample_size: float | None,
    ignored: dict[str, int],
    options: ChoiceOptions,
) -> Sweep:
    """Sweep "accept when certainty ≥ t" from the most confident sample down."""
    k = len(given.labels)
    check_reject(reject, given.labels)
    decisions = decide(given, certainty)
    most = max(2, min(max_points or MAX_REJECTIONS, LADDER_CELLS // (k * (k + 1))))
    ordered = np.sort(decisions.certainty)
    levels = ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])]
    kept = levels if len(levels) <= most else distinct(ordered[spread_evenly(len(ordered), most)])
    # a sample is accepted from the first threshold, counted from the top, that it reaches
    step = len(kept) - np.searchsorted(kept, decisions.certainty, side="right")
    cell = (step * k + given.truth) * k + decisions.predicted
    steps = np.bincount(cell, weights=given.weights, minlength=len(kept) * k * k).reshape(len(kept), k, k)
    all_rejected = np.zeros((1, k, k), dtype=steps.dtype)
    pattern = make_reject_pattern(given.labels, reject)

    is_wrong = decisions.predicted != given.truth
    wrong = rank_scores(BinaryScores(decisions.certainty, is_wrong, (False, True), True, given.weights))
    areas = {
        "risk_coverage_area": risk_coverage_area(wrong),
        "error_reject_area": error_reject_area(wrong),
        **average_rejections(given.truth, decisions.predicted, decisions.certainty, given.weights),
    }
    if ordinal is not None:
        scale = read_scale(ordinal, given.labels, None)
        areas["ranked_probability_score"] = ranked_probability_score(given, scale)
    findings = []
    if len(kept) < len(levels):
        count = f"{len(kept) + 1:,} of {len(levels) + 1:,} thresholds are kept"
        findings.append(Finding("thinned", f"{count}, an even grid of samples; areas use all."))
    return _make_sweep(
        ThresholdTables(np.concatenate([all_rejected, steps]), tuple(range(k)), k, pattern),
        ignored,
        findings,
        options,
        mode="rejection",
        rule=f"the most probable class when {certainty} {'≤' if certainty == 'entropy' else '≥'} t, else {reject!r}",
        thresholds=decisions.to_thresholds(np.concatenate([[np.inf], kept[::-1]])),
        areas=areas,
        distinct=len(levels),
        sample_size=sample_size,
        levels=wrong,
        scoring=summarize_probabilities(given),
        quantity=certainty,
    )


def check_reject(reject: Label, labels: Sequence[Label]) -> None:
    """Reject a name of rejections that is a class."""
    if reject in labels:
        raise InputError(f"reject label {reject!r} is a class; give rejections a name of their own with reject=")


def make_reject_pattern(labels: tuple[Label, ...], reject: Label) -> Contingency:
    """Return an empty table with a reject column last."""
    values: NDArray[Any] = np.ones((len(labels), len(labels) + 1))
    return Contingency.from_matrix(values, truth=labels, system=(*labels, reject), reject=reject)


def spread_evenly(count: int, most: int) -> NDArray[np.int64]:
    """Return ``most`` places spread evenly over a sorted sample, both ends among them."""
    return distinct(np.linspace(0, count - 1, most).astype(np.int64))
