"""Scores or probabilities over their operating points, and the curves in one number.

Areas under ROC, precision-recall, risk-coverage and error-reject curves, average information and average accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any, TypedDict, Unpack

import numpy as np
from scipy.special import ndtr

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.metrics.chance import CHANCE_LEVEL
from infoscope.results.finding import Finding
from infoscope.results.notation import state_p_value
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.studies.operating_points.averages import (
    average_accuracy,
    information_averages,
    rejection_averages,
)
from infoscope.studies.operating_points.probabilistic import ranked_probability_score
from infoscope.studies.operating_points.ranking import ScoreRanking, ThresholdTables, area_under_roc, ranked, thinned
from infoscope.studies.operating_points.rejection import Certainty, check_certainty, decide, rejection_ladder
from infoscope.studies.operating_points.reliability import are_probabilities, reliability_bins
from infoscope.studies.operating_points.result import Sweep
from infoscope.studies.operating_points.score_summary import probability_summary, score_summary
from infoscope.studies.operating_points.scores import (
    BinaryScores,
    Probabilities,
    binary_scores,
    class_probabilities,
    frame_names,
    of_logits,
)
from infoscope.studies.operating_points.selection import ChoiceOptions
from infoscope.tables import Contingency
from infoscope.tables.ifs_file import data_hash
from infoscope.tables.labels import Label
from infoscope.tables.transformations import stated_scale
from infoscope.typing import ArrayLike, Frame, Json, LabelsLike

__all__ = [
    "SweepKeywords",
    "average_precision",
    "error_reject_area",
    "risk_coverage_area",
    "sweep_levels",
    "sweep_scores",
]


def average_precision(levels: ScoreRanking) -> float:
    """Precision averaged over the positives as they are found: the area under the precision-recall steps."""
    found = (np.sum(np.diff(hits) * (hits[1:] / alarms[1:])) for hits, alarms in levels.stretches())
    return math.fsum(found) / levels.positives


def risk_coverage_area(certainties: ScoreRanking) -> float:
    """Error among the accepted samples, averaged over the thresholds that the samples' own certainties set (AURC).

    ``certainties`` ranks the samples, its "positives" being the wrong predictions. Lower is better; always
    answering at random order gives the error rate.
    """
    widths = np.diff(certainties.alarms, prepend=0)
    return float(np.sum(widths * (certainties.hits / certainties.alarms)) / certainties.total)


def error_reject_area(certainties: ScoreRanking) -> float:
    """Area under the error among all samples against the share rejected, from none to all: lower is better."""
    rejected = 1 - np.concatenate([[0], certainties.alarms]) / certainties.total
    error = np.concatenate([[0], certainties.hits]) / certainties.total
    return float(np.trapezoid(error[::-1], rejected[::-1]))


MAX_THRESHOLDS = 10_000
MAX_REJECTIONS = 1_000


class SweepKeywords(TypedDict, total=False):
    """What ``sweep`` may be asked beyond its source."""

    weight: Any
    positive: Label | None
    classes: Sequence[Any] | None
    certainty: Certainty
    reject: Label
    max_points: int | None
    normalize: bool
    ordinal: Sequence[Any] | str | None
    choose_by: str | ChoiceOptions | None
    raw: bool


def sweep_scores(y_true: LabelsLike, y_score: ArrayLike | Frame, **options: Unpack[SweepKeywords]) -> Sweep:
    """All operating points of scores or probabilities beside their true labels."""
    max_points, certainty = options.get("max_points"), options.get("certainty", "confidence")
    choice = as_options(options.get("choose_by"))
    check_max_points(max_points)
    positive, weight = options.get("positive"), options.get("weight")
    if options.get("raw"):
        options = {**options, "classes": options.get("classes") or frame_names(y_score)}
        y_score = of_logits(y_score)
    if _columns(y_score) > 1:
        if positive is not None:
            raise InputError("a positive class is for one column of scores; with one column per class give classes=")
        check_certainty(certainty)
        given = class_probabilities(
            y_score,
            y_true,
            classes=options.get("classes"),
            sample_weight=weight,
            normalize=options.get("normalize", False),
        )
        reject = options.get("reject", "rejected")
        found = _rejections(given, certainty, reject, max_points or MAX_REJECTIONS, choice)
        return found if options.get("ordinal") is None else _with_ranked_score(found, given, options["ordinal"])
    if options.get("ordinal") is not None:
        raise InputError("ordinal is for one column of probabilities per class; leave it out with one column of scores")
    checked = binary_scores(y_score, y_true, positive=positive, sample_weight=weight)
    return sweep_levels(
        ranked(checked),
        checked.labels,
        checked.positive,
        max_points=max_points or MAX_THRESHOLDS,
        sample_size=_effective(checked.weights, len(checked.scores)),
        ignored=checked.ignored,
        options=choice,
    )


def _with_ranked_score(found: Sweep, given: Probabilities, ordinal: Any) -> Sweep:
    scale = stated_scale(ordinal, given.labels, None)
    return replace(found, areas={**found.areas, "ranked_probability_score": ranked_probability_score(given, scale)})


def as_options(choose_by: str | ChoiceOptions | None) -> ChoiceOptions:
    """By what the best point is chosen: the name of a metric, or options."""
    return choose_by if isinstance(choose_by, ChoiceOptions) else ChoiceOptions(choose_by)


def check_max_points(max_points: int | None) -> None:
    """Reject a curve of one point."""
    if max_points is not None and max_points < 2:
        raise InputError(f"at most {max_points} operating points were asked for; a curve needs two or more")


def _columns(scores: Any) -> int:
    shape = getattr(scores, "shape", None) or np.shape(scores)
    return int(shape[1]) if len(shape) > 1 else 1


def _effective(weights: Real | None, rows: int) -> float | None:
    if weights is None:
        return float(rows)
    squares = float(np.sum(weights**2))
    return float(weights.sum()) ** 2 / squares if squares else None


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
    """The sweep of a score that is ranked already: scores that a database counted, for example."""
    places = thinned(levels, max_points)
    findings = []
    area = area_under_roc(levels)
    information, normalized = information_averages(levels)
    if area < 0.5:
        other = labels[0] if positive == labels[1] else labels[1]
        findings.append(_reversed(levels, area, other, sample_size))
    findings += _by_chance(levels, area, sample_size)
    tied = 0
    if levels.alarms.dtype.kind in "iu":
        tied = sum(int(np.count_nonzero(np.diff(alarms) > 1)) for _, alarms in levels.stretches())
    if tied:
        shared = "1 score is" if tied == 1 else f"{tied:,} scores are"
        text = f"{shared} shared by several samples: they pass the threshold together."
        findings.append(Finding("tied_scores", text, evidence={"scores": tied}))
    if len(places) < len(levels.thresholds):
        text = (
            f"{len(places) + 1:,} of {len(levels.thresholds) + 1:,} thresholds are kept: the corners of the ROC "
            "curve's hull, where information is highest and cost lowest, and an even grid of samples; areas use all."
        )
        findings.append(Finding("thinned", text))
    return _sweep(
        mode="threshold",
        rule=f"{positive!r} when score ≥ t",
        thresholds=np.concatenate([[np.inf], levels.thresholds[places]]),
        ladder=_threshold_ladder(levels.take(places), labels, positive),
        areas={
            "roc_auc": area,
            "average_precision": average_precision(levels),
            "average_information": information,
            "normalized_average_information": normalized,
            "average_accuracy": average_accuracy(levels),
        },
        distinct=len(levels.thresholds),
        sample_size=sample_size,
        levels=levels,
        reliability=reliability_bins(levels, sample_size=sample_size) if are_probabilities(levels) else (),
        scoring=score_summary(levels, roc_auc=area),
        findings=findings,
        ignored=ignored or {},
        options=options or ChoiceOptions(),
    )


def _reversed(levels: ScoreRanking, area: float, other: Label, size: float | None) -> Finding:
    """High scores mean the other class, significantly where the area is below one half by more than chance explains.

    The area of scores that tell nothing has the variance (n + 1) / 12 n₁ n₀ (Mann and Whitney).
    """
    share = levels.positives / levels.total
    n = levels.total if size is None else size
    below = (0.5 - area) / np.sqrt((n + 1) / (12 * n * share * n * (1 - share)))
    is_sure = bool(below > _SURELY_REVERSED)
    sure = "" if is_sure else ", though not significantly"
    text = (
        f"The area under the ROC curve is {area:.4f}, below chance{sure}: high scores mean {other!r}; name that class "
        f"with --positive {quote(str(other))} (positive={other!r}), or negate the scores."
    )
    evidence: dict[str, Json] = {"roc_auc": area, "class": str(other), "significant": is_sure}
    if isinstance(other, (int, float)):
        evidence["positive"] = other
    return Finding("reversed_scores", text, "warning" if is_sure else "note", evidence)


def _by_chance(levels: ScoreRanking, area: float, size: float | None) -> list[Finding]:
    """The finding that the order of the scores separates the classes no more than that of random ones would.

    By the area under the ROC curve (Mann and Whitney) and by the largest distance between recall and false alarms
    (Kolmogorov and Smirnov, with Stephens' correction), both considered; ties only make them more cautious.
    """
    scale = 1.0 if size is None else size / levels.total
    positives, negatives = levels.positives * scale, (levels.total - levels.positives) * scale
    if min(positives, negatives) < MIN_TESTED:
        return []
    by_area = 2.0 * float(ndtr(-abs(area - 0.5) / np.sqrt((positives + negatives + 1) / (12 * positives * negatives))))
    if 2.0 * by_area <= CHANCE_LEVEL:
        return []
    distance = np.abs(levels.hits / levels.positives - levels.false_alarms / (levels.total - levels.positives)).max()
    worth = np.sqrt(positives * negatives / (positives + negatives))
    by_distance = _kolmogorov_tail(float((worth + 0.12 + 0.11 / worth) * distance))
    p_value = min(1.0, 2.0 * min(by_area, by_distance))
    if p_value <= CHANCE_LEVEL:
        return []
    text = (
        "The scores separate the classes no better than random ones would (area under the ROC curve "
        f"{area:.3f}, {state_p_value(p_value)}): the best threshold is that of this sample only."
    )
    return [Finding("scores_by_chance", text, "warning", {"roc_auc": area, "p_value": p_value})]


def _kolmogorov_tail(x: float) -> float:
    """Probability that the largest distance of two samples of one distribution, scaled by their size, exceeds x."""
    terms = np.arange(1, 101)
    return 1.0 if x < 0.3 else float(2.0 * ((-1.0) ** (terms - 1) * np.exp(-2.0 * terms**2 * x * x)).sum())


MIN_TESTED = 20
"""Samples of each class from which on scores are compared with random ones; fewer have wide intervals anyway."""
_SURELY_REVERSED = 1.96
"""Standard deviations below one half."""


def _sweep(
    ladder: ThresholdTables,
    ignored: Mapping[str, int],
    findings: Sequence[Finding],
    options: ChoiceOptions,
    **numbers: Any,
) -> Sweep:
    """The result with what its tables say of themselves, and with the rows that were left out."""
    pattern = ladder.pattern
    left_out = tuple(IgnoredRows(reason, rows) for reason, rows in ignored.items())
    return Sweep(
        **numbers,
        truth_labels=tuple(map(str, pattern.truth_labels)),
        system_labels=tuple(map(str, pattern.system_labels)),
        positive=str(pattern.positive_label) if numbers["mode"] == "threshold" else None,
        reject=None if pattern.reject is None else str(pattern.reject),
        provenance=Provenance(ignored=left_out, hashes={"operating points": data_hash(ladder.tables())}),
        findings=(*findings, *describe_ignored_rows(left_out)),
        ladder=ladder,
    ).choose_by(options)


def _threshold_ladder(levels: ScoreRanking, labels: tuple[Label, Label], positive: Label) -> ThresholdTables:
    row = labels.index(positive)
    reached = np.zeros((len(levels.thresholds) + 1, 2, 1), dtype=levels.hits.dtype)
    reached[1:, row, 0] = levels.hits
    reached[1:, 1 - row, 0] = levels.false_alarms
    pattern = Contingency.from_matrix(np.ones((2, 2)), truth=labels, system=labels, positive=positive)
    return ThresholdTables(np.diff(reached, axis=0, prepend=0), (row,), 1 - row, pattern)


def _rejections(given: Probabilities, by: Certainty, reject: Label, most: int, options: ChoiceOptions) -> Sweep:
    decisions = decide(given, by)
    made = rejection_ladder(given, decisions, reject, most)
    wrong = decisions.predicted != given.truth
    certainties = ranked(BinaryScores(decisions.certainty, wrong, (False, True), True, given.weights))
    findings = []
    if len(made.thresholds) <= made.distinct:
        kept = f"{len(made.thresholds):,} of {made.distinct + 1:,} thresholds are kept"
        findings.append(Finding("thinned", f"{kept}, an even grid of samples; areas use all."))
    comparison = "≤" if by == "entropy" else "≥"
    return _sweep(
        mode="rejection",
        rule=f"the most probable class when {by} {comparison} t, else {reject!r}",
        thresholds=decisions.shown(made.thresholds),
        ladder=made.ladder,
        areas={
            "risk_coverage_area": risk_coverage_area(certainties),
            "error_reject_area": error_reject_area(certainties),
            **rejection_averages(given, decisions),
        },
        distinct=made.distinct,
        sample_size=_effective(given.weights, len(given.truth)),
        levels=certainties,
        scoring=probability_summary(given),
        quantity=by,
        findings=findings,
        ignored=given.ignored,
        options=options or ChoiceOptions(),
    )
