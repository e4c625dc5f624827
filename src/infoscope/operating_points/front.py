"""The public front: sweep scores or probabilities over their operating points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from infoscope.errors import InputError
from infoscope.numeric import Real
from infoscope.operating_points.areas import (
    area_under_roc,
    average_information,
    average_precision,
    error_reject_area,
    normalized_average_information,
    risk_coverage_area,
)
from infoscope.operating_points.choice import ChoiceOptions
from infoscope.operating_points.ladder import Ladder
from infoscope.operating_points.levels import Levels, ranked, thinned
from infoscope.operating_points.refusing import Certainty, check_certainty, decide, refusal_ladder
from infoscope.operating_points.result import Sweep
from infoscope.operating_points.scoring import BinaryScores, Probabilities, binary_scores, class_probabilities
from infoscope.results.finding import Finding
from infoscope.results.provenance import IgnoredRows, Provenance, ignored_rows
from infoscope.tables import Contingency
from infoscope.tables.hashing import data_hash
from infoscope.tables.labels import Label

__all__ = ["sweep", "sweep_levels"]

MOST_THRESHOLDS = 10_000
MOST_REFUSALS = 1_000


def sweep(  # noqa: PLR0913 - the public front
    scores: Any,
    truth: Any,
    *,
    positive: Label | None = None,
    classes: Sequence[Any] | None = None,
    sample_weight: Any = None,
    by: Certainty = "confidence",
    reject: Label = "rejected",
    most: int | None = None,
    normalize: bool = False,
    choose_by: str | ChoiceOptions | None = None,
) -> Sweep:
    """All operating points of a score against a truth, with a table at each.

    One column of scores for two classes: "positive when score ≥ t", for every distinct t. One column of
    probabilities per class (named by ``classes`` in column order, by a data frame's columns, or sorted like the
    truth's labels): the most probable class, refused unless its ``by`` (confidence, margin or entropy) is good
    enough, for every distinct threshold. At most about ``most`` points are kept (10,000 thresholds, 1,000
    refusals); the best information and the least cost of a score are never lost by that.

    >>> curve = sweep([0.9, 0.8, 0.3, 0.1], [1, 1, 0, 0])
    >>> print(curve.best().threshold, curve.values("proficiency").max())
    0.8 1.0
    """
    check_most(most)
    if _columns(scores) > 1:
        if positive is not None:
            raise InputError("a positive class is for one column of scores; with one column per class give classes=")
        check_certainty(by)
        given = class_probabilities(scores, truth, classes=classes, sample_weight=sample_weight, normalize=normalize)
        return _refusals(given, by, reject, most or MOST_REFUSALS, as_options(choose_by))
    checked = binary_scores(scores, truth, positive=positive, sample_weight=sample_weight)
    return sweep_levels(
        ranked(checked),
        checked.labels,
        checked.positive,
        most=most or MOST_THRESHOLDS,
        sample_size=_effective(checked.weights, len(checked.scores)),
        ignored=checked.ignored,
        options=as_options(choose_by),
    )


def as_options(choose_by: str | ChoiceOptions | None) -> ChoiceOptions:
    """By what the best point is chosen: the name of a metric, or options."""
    return choose_by if isinstance(choose_by, ChoiceOptions) else ChoiceOptions(choose_by)


def check_most(most: int | None) -> None:
    """Refuse a curve of one point."""
    if most is not None and most < 2:
        raise InputError(f"at most {most} operating points were asked for; a curve needs two or more")


def _columns(scores: Any) -> int:
    shape = getattr(scores, "shape", None) or np.shape(scores)
    return int(shape[1]) if len(shape) > 1 else 1


def _effective(weights: Real | None, rows: int) -> float | None:
    if weights is None:
        return float(rows)
    squares = float(np.sum(weights**2))
    return float(weights.sum()) ** 2 / squares if squares else None


def sweep_levels(  # noqa: PLR0913 - the numbers behind a curve
    levels: Levels,
    labels: tuple[Label, Label],
    positive: Label,
    *,
    most: int = MOST_THRESHOLDS,
    sample_size: float | None = None,
    ignored: dict[str, int] | None = None,
    options: ChoiceOptions | None = None,
) -> Sweep:
    """The sweep of a score that is ranked already: scores that a database counted, for example."""
    places = thinned(levels, most)
    findings = []
    area = area_under_roc(levels)
    if area < 0.5:
        other = labels[0] if positive == labels[1] else labels[1]
        text = (
            f"The area under the ROC curve is {area:.4f}, below chance: high scores mean {other!r}; negate the scores, "
            "or name that class positive."
        )
        findings.append(Finding("reversed_scores", text, "warning", {"roc_auc": area, "class": str(other)}))
    tied = int(np.sum(np.diff(levels.alarms, prepend=0) > 1)) if levels.alarms.dtype.kind in "iu" else 0
    if tied:
        text = f"{tied:,} scores are shared by several samples: they pass the threshold together."
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
            "average_information": average_information(levels),
            "normalized_average_information": normalized_average_information(levels),
        },
        distinct=len(levels.thresholds),
        sample_size=sample_size,
        levels=levels,
        findings=findings,
        ignored=ignored or {},
        options=options or ChoiceOptions(),
    )


def _sweep(ladder: Ladder, ignored: Mapping[str, int], findings: Sequence[Finding], **numbers: Any) -> Sweep:
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
        findings=(*findings, *ignored_rows(left_out)),
        ladder=ladder,
    )


def _threshold_ladder(levels: Levels, labels: tuple[Label, Label], positive: Label) -> Ladder:
    row = labels.index(positive)
    reached = np.zeros((len(levels.thresholds) + 1, 2, 1), dtype=levels.hits.dtype)
    reached[1:, row, 0] = levels.hits
    reached[1:, 1 - row, 0] = levels.false_alarms
    pattern = Contingency.from_matrix(np.ones((2, 2)), truth=labels, system=labels, positive=positive)
    return Ladder(np.diff(reached, axis=0, prepend=0), (row,), 1 - row, pattern)


def _refusals(given: Probabilities, by: Certainty, reject: Label, most: int, options: ChoiceOptions) -> Sweep:
    decisions = decide(given, by)
    made = refusal_ladder(given, decisions, reject, most)
    wrong = decisions.answers != given.truth
    answered = ranked(BinaryScores(decisions.certainty, wrong, (False, True), True, given.weights))
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
            "risk_coverage_area": risk_coverage_area(answered),
            "error_reject_area": error_reject_area(answered),
        },
        distinct=made.distinct,
        sample_size=_effective(given.weights, len(given.truth)),
        levels=answered,
        quantity=by,
        findings=findings,
        ignored=given.ignored,
        options=options or ChoiceOptions(),
    )
