"""Sweep: the operating points of a system, a table at each, and every metric along the curve."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from infoscope.core.numerics import Real, distinct
from infoscope.errors import InfoscopeWarning, InputError
from infoscope.metrics.losses import find_cost_doubt, read_cost_matrix
from infoscope.metrics.registry import find, metrics_of
from infoscope.results.base import Result
from infoscope.results.finding import Finding
from infoscope.results.provenance import Provenance
from infoscope.studies.operating_points.ranking import ScoreRanking, ThresholdTables
from infoscope.studies.operating_points.reliability import Binning, ReliabilityBin, reliability_bins
from infoscope.studies.operating_points.score_summary import ScoreSummary
from infoscope.studies.operating_points.selection import Choice, ChoiceOptions, Criterion, chosen
from infoscope.tables import Contingency
from infoscope.tables.missing import warn_of
from infoscope.typing import ArrayLike, Json

__all__ = ["ALARM_RATE", "LIFT", "CurveResult", "Sweep"]

ALARM_RATE = "alarm_rate"
"""Share of samples that are predicted positive; beside the metrics of the catalogue."""
LIFT = "lift"
"""Precision over the share of positives: how many times better than rows at random; beside the catalogue, too."""
_RESAMPLES = 200


class CurveResult(Result):
    """Metrics along operating points or settings, in their order."""

    @abstractmethod
    def values(self, metric: str) -> Real:
        """A metric at every point; NaN where it is undefined."""

    def metrics(self, names: Sequence[str] | None = None) -> dict[str, Real]:
        """Several metrics along the curve, by id; all of the catalogue unless named."""
        wanted = [entry.name for entry in metrics_of("table")] if names is None else [find(n).name for n in names]
        return {name: self.values(name) for name in wanted}

    def coverage_curve(self) -> dict[str, Real]:
        """The path in the information coverage plane: false information to the right, captured truth upwards."""
        return self.metrics(["false_information_ratio", "proficiency"])

    def triangle_curve(self) -> dict[str, Real]:
        """The path in the entropy triangle: three shares that sum to one."""
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
    """How many distinct thresholds the scores have; more than operating points when the curve was thinned."""
    sample_size: float | None
    truth_labels: tuple[str, ...]
    system_labels: tuple[str, ...]
    positive: str | None = None
    reject: str | None = None
    quantity: str = "score"
    """What is compared with the threshold: the score, or the certainty (confidence, margin or entropy)."""
    options: ChoiceOptions = field(default_factory=ChoiceOptions)
    """By what the best point is chosen."""
    stored_choices: tuple[Choice, ...] = field(default=(), metadata={"name": "choices"})
    stored_curves: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict, metadata={"name": "metrics"})
    reliability: tuple[ReliabilityBin, ...] = ()
    """Share of positives by score, in bins that know it about equally well, where the scores are probabilities."""
    scoring: ScoreSummary | None = None
    """What the scores are worth as probabilities and as a ranking."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()
    ladder: ThresholdTables | None = field(default=None, metadata={"stored": False})
    """The tables, as steps from one point to the next; None for a result that was read from a file."""
    levels: ScoreRanking | None = field(default=None, metadata={"stored": False})
    """The exact ranking behind the curve: of positives by score, or of wrong predictions by certainty."""

    def __post_init__(self) -> None:
        """Thresholds as numbers: JSON has no infinity, so the first one reads back as null."""
        read = [np.inf if value is None else value for value in self.thresholds]
        object.__setattr__(self, "thresholds", np.asarray(read, dtype=np.float64))

    def __len__(self) -> int:
        """How many operating points there are."""
        return len(self.thresholds)

    @cached_property
    def tables(self) -> Contingency:
        """The batch of tables, one per operating point."""
        if self.ladder is None:
            raise InputError("a stored sweep does not hold the tables of its points; sweep again to get them")
        tables = self.ladder.tables()
        if not self.sample_size or tables.values.dtype.kind in "iu":
            return tables
        return replace(tables, weight_squares=self.ladder.total**2 / self.sample_size)

    def table_at(self, point: int) -> Contingency:
        """The table of one operating point."""
        return replace(self.tables, values=self.tables.values[point].copy())

    def values(self, metric: str) -> Real:
        """A metric at every operating point; NaN where it is undefined."""
        if metric in self.stored_curves:
            return np.array([np.nan if value is None else value for value in self.stored_curves[metric]], dtype=float)
        if metric == ALARM_RATE:
            return self._alarm_rate()
        if metric == LIFT:
            return np.asarray(self.values("precision") / self.prevalence, dtype=np.float64)
        entry = find(metric)
        if entry.card.level != "table":
            raise InputError(f"{entry.name} gives a number per class, not per table; take it from table_at(i)")
        if entry.name != metric and entry.name in self.stored_curves:
            return self.values(entry.name)
        return np.broadcast_to(np.asarray(entry.score(self.tables), dtype=float), (len(self),))

    def _alarm_rate(self) -> Real:
        column = self.tables.system_labels.index(self.tables.positive_label)
        return np.asarray(self.tables.column_totals[..., column] / self.tables.grand_total, dtype=np.float64)

    @property
    def prevalence(self) -> float:
        """Share of the samples that are positive."""
        self._only("threshold", "the prevalence")
        found = self.values(ALARM_RATE)[-1] * self.values("precision")[-1]  # at the last threshold all are alarms
        return float(found)

    def roc_curve(self) -> dict[str, Real]:
        """False alarm rate and recall at every threshold."""
        self._only("threshold", "a ROC curve")
        return self.metrics(["false_alarm_rate", "recall"])

    def precision_recall_curve(self) -> dict[str, Real]:
        """Recall and precision at every threshold; precision is undefined where nothing is predicted positive."""
        self._only("threshold", "a precision-recall curve")
        return self.metrics(["recall", "precision"])

    def lift_curve(self) -> dict[str, Real]:
        """Share predicted positive, and how many times as many of these are positive as of rows at random."""
        self._only("threshold", "a lift curve")
        return {name: self.values(name) for name in (ALARM_RATE, LIFT)}

    def alerts(self, rows: int = 1000) -> Real:
        """How many of a number of rows are predicted positive, at every threshold."""
        self._only("threshold", "a number of alerts")
        return np.asarray(rows * self.values(ALARM_RATE), dtype=np.float64)

    def reliability_curve(self, *, bins: int = 10, strategy: Binning = "variance") -> tuple[ReliabilityBin, ...]:
        """Mean score and share of positives in each bin; "quantile" and "uniform" cut as scikit-learn does."""
        self._only("threshold", "a reliability diagram")
        if self.levels is None:
            raise InputError("a stored sweep has its reliability in ten bins only; sweep again for others")
        return reliability_bins(self.levels, bins=bins, strategy=strategy, sample_size=self.sample_size)

    def risk_coverage_curve(self) -> dict[str, Real]:
        """Share accepted and error among the accepted, at every rejection threshold."""
        self._only("rejection", "a risk-coverage curve")
        return {"coverage": 1 - self.values("rejection_rate"), "risk": 1 - self.values("accepted_accuracy")}

    def error_reject_curve(self) -> dict[str, Real]:
        """Share rejected and error among all samples, at every rejection threshold."""
        self._only("rejection", "an error-reject curve")
        return self.metrics(["rejection_rate", "error_rate"])

    def _only(self, mode: str, what: str) -> None:
        if self.mode != mode:
            needs = "one score per sample" if mode == "threshold" else "probabilities of every class"
            raise InputError(f"{what} needs {needs}; this sweep moves a {self.mode} ({self.rule})")

    def best(
        self,
        metric: str | None = None,
        *,
        costs: ArrayLike | None = None,
        level: float = 0.95,
        resamples: int = _RESAMPLES,
        seed: int = 0,
    ) -> Choice:
        """The operating point that is best by a metric or by a cost matrix; unless named, by what the sweep chooses by.

        ``value`` is what the samples of the choice themselves show, and flatters it; ``held_out`` is what held-out
        samples show, with its interval.
        """
        if metric is None and costs is None:
            metric, costs = self.options.metric, self.options.costs
        doubt = self._cost_doubt(costs)
        if doubt is not None:
            warn_of([doubt], InfoscopeWarning)
        return chosen(self, [Criterion.asked(metric, costs)], level, resamples, seed)[0]

    def _cost_doubt(self, costs: Any) -> str | None:
        return None if costs is None else find_cost_doubt(self.tables, read_cost_matrix(self.tables, costs))

    @property
    def reversed_class(self) -> str | None:
        """The class that high scores mean where that is not the positive one, beyond chance; None where it is."""
        for finding in self.findings:
            if finding.code == "reversed_scores" and finding.evidence.get("significant"):
                return str(finding.evidence["class"])
        return None

    @property
    def is_by_chance(self) -> bool:
        """Whether the scores separate the classes no better than random ones would."""
        return any(finding.code == "scores_by_chance" for finding in self.findings)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The best point as asked for and, for a threshold, by accuracy and F1 beside it.

        None where high scores mean the other class: no threshold is then good for the positive one.
        """
        if self.stored_choices or self.reversed_class is not None:
            return self.stored_choices
        asked = self.options
        first = Criterion.asked(asked.metric, asked.costs)
        others = [name for name in ("accuracy", "f1") if self.mode == "threshold" and name != first.name]
        criteria = [first, *map(Criterion.asked, others)]
        return chosen(self, criteria, asked.level, _RESAMPLES, asked.seed)

    def choose_by(self, options: ChoiceOptions | str) -> Sweep:
        """The same curve with its best point chosen by another metric, or by costs."""
        chosen_by = ChoiceOptions(options) if isinstance(options, str) else options
        findings = [finding for finding in self.findings if finding.code != "doubtful_costs"]
        doubt = self._cost_doubt(chosen_by.costs)
        if doubt is not None:
            findings.append(Finding("doubtful_costs", f"{doubt[0].upper()}{doubt[1:]}.", "warning"))
        return replace(self, options=chosen_by, stored_choices=(), findings=tuple(findings))

    def to_dict(self) -> dict[str, Json]:
        """The versioned document, with every metric at every operating point."""
        return self._document([entry.name for entry in metrics_of("table")])

    def page_document(self) -> dict[str, Json]:
        """The document with the curves that pages show, which load() reads like the whole one."""
        beside = (ALARM_RATE, LIFT)
        return self._document([name for name in (*self._headline_metrics, *_INFORMATION) if name not in beside])

    @property
    def _headline_metrics(self) -> Sequence[str]:
        return THRESHOLD_METRICS if self.mode == "threshold" else REJECTION_METRICS

    def _document(self, names: Sequence[str]) -> dict[str, Json]:
        return Result.to_dict(self.stored(names))

    def stored(self, names: Sequence[str] | None = None, most: int | None = None) -> Sweep:
        """The same without its tables, as a document holds it: all metrics along the curve, or these.

        At most about ``most`` points are kept, the chosen ones among them.
        """
        if self.ladder is None:
            kept = self.stored_curves if names is None else (*names, ALARM_RATE, LIFT)
            return replace(
                self, stored_curves={name: self.stored_curves[name] for name in kept if name in self.stored_curves}
            )
        curves = {name: tuple(_plain(values)) for name, values in self.metrics(names).items()}
        if self.mode == "threshold":
            curves |= {name: tuple(_plain(self.values(name))) for name in (ALARM_RATE, LIFT)}
        whole = replace(self, stored_curves=curves, stored_choices=self.choices, ladder=None, levels=None)
        return whole if most is None or most >= len(self) else _thinned(whole, self.spread_points(most))

    def spread_points(self, most: int) -> NDArray[np.int64]:
        """About this many operating points: half of them even over the samples, half over the positive ones.

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

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """One row per operating point with the headline metrics."""
        names = self._headline_metrics
        curves = [_plain(self.values(name)) for name in names]
        for at, threshold in enumerate(_plain(np.asarray(self.thresholds))):
            yield {"threshold": threshold, **{name: curve[at] for name, curve in zip(names, curves, strict=True)}}


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
_INFORMATION = ("missed_information", "mutual_information", "false_information")


def _thinned(whole: Sweep, points: NDArray[np.int64]) -> Sweep:
    """A stored sweep with these points and the chosen ones."""
    chosen = [choice.point for choice in whole.stored_choices]
    kept = distinct(points, np.array(chosen, dtype=np.int64))
    return replace(
        whole,
        thresholds=np.asarray(whole.thresholds)[kept].tolist(),
        stored_curves={name: tuple(curve[at] for at in kept) for name, curve in whole.stored_curves.items()},
        stored_choices=tuple(
            replace(choice, point=int(np.searchsorted(kept, choice.point))) for choice in whole.stored_choices
        ),
    )


def _plain(values: Real) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values.tolist()]
