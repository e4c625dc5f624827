"""Score the classes of one system: conventional rates and their averages, each with its interval, and information.

These are the numbers of ``infoscope.report``, which ``reports/class_report.py`` prints as scikit-learn prints its
classification report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from infoscope.core.numerics import Real
from infoscope.metrics.one_vs_rest import Average, Parts, ZeroDivision, average_rate, f_beta_parts, square_table
from infoscope.metrics.registry import find
from infoscope.posterior.summary import Summary
from infoscope.results.estimate import Estimate
from infoscope.studies.diagnose import find_unseen_classes, report_dominant_class, withheld_metrics
from infoscope.studies.diagnose_statistics import TableStatistics
from infoscope.studies.evaluate_tables import TableInput, fit_belief
from infoscope.studies.inputs import UncertaintyOptions
from infoscope.tables import Contingency, Label

RATES: Mapping[str, Parts] = {
    "precision": lambda classes: (classes.hits, classes.declared),
    "recall": lambda classes: (classes.hits, classes.support),
    "f1": lambda classes: f_beta_parts(classes.hits, classes.support, classes.declared, 1.0),
}
"""Numerator and denominator of each rate."""
AVERAGES: Mapping[tuple[Average, str], str] = {
    ("macro", "precision"): "macro_precision",
    ("macro", "recall"): "macro_recall",
    ("macro", "f1"): "macro_f1",
    ("weighted", "precision"): "weighted_ppv",
    ("weighted", "recall"): "weighted_tpr",
    ("weighted", "f1"): "weighted_f1",
}
"""The metric that averages a rate."""


@dataclass(frozen=True)
class ClassScores:
    """The classes of one system, in their order."""

    labels: tuple[str, ...]
    support: tuple[float, ...]
    classes: Mapping[str, tuple[Estimate, ...]]
    """Precision, recall, f1 and missed (the share of all missed information in this sample), one estimate per class."""
    averages: Mapping[Average, Mapping[str, Estimate]]
    """Macro and weighted averages of precision, recall and f1."""
    accuracy: Estimate
    proficiency: Estimate
    listed: float
    """Samples of the classes listed, which averages are over."""
    total: float


def score_classes(
    table: Contingency,
    uncertainty: UncertaintyOptions,
    zero_division: ZeroDivision | None = None,
    labels: Sequence[Label] | None = None,
) -> ClassScores:
    """Score all classes, or some of them against all others, whose averages then come without intervals.

    ``zero_division`` is what the plug-in value of 0/0 counts as, undefined unless stated.
    """
    table = square_table(table)
    subject = fit_belief(TableInput("system", table, n=table.sample_size), uncertainty)
    metrics = (*(f"class_{rate}" for rate in RATES), *AVERAGES.values(), "accuracy", "proficiency")
    values = {name: np.atleast_1d(np.asarray(find(name).score(table), dtype=np.float64)) for name in metrics}
    summaries: dict[str, Summary] = {}
    if subject.belief is not None:
        defined = [name for name, numbers in values.items() if name.startswith("class_") or np.isfinite(numbers[0])]
        summaries = dict(subject.belief.summaries(defined, uncertainty.level))
    statistics = TableStatistics(table, table.sample_size, subject.belief, uncertainty.level)
    findings = [rule(statistics) for rule in (find_unseen_classes, report_dominant_class)]
    nothing = np.asarray(np.nan)
    for name in withheld_metrics([finding for finding in findings if finding is not None]) & set(summaries):
        summaries[name] = summaries[name]._replace(sd=nothing, low=nothing, high=nothing)

    def estimate(metric: str, filled: Real | None = None) -> tuple[Estimate, ...]:
        """Return the plug-in values, or what was ``filled`` in for 0/0; beliefs are about values that exist."""
        entry = find(metric)
        shown = values[metric] if filled is None else np.atleast_1d(filled)
        parts = [np.atleast_1d(part) for part in summaries[metric]] if metric in summaries else None
        estimates = []
        for place, (value, other) in enumerate(zip(values[metric].tolist(), shown.tolist(), strict=True)):
            if not np.isfinite(value):
                estimates.append(Estimate.of(other, entry.reason(table)))
            elif parts is None:
                estimates.append(Estimate.of(value))
            else:
                summary = Summary(*(np.asarray(part[place]) for part in parts))
                estimates.append(Estimate.of(value).with_belief(summary, corrected=entry.card.is_information))
        return tuple(estimates)

    classes = {
        rate: estimate(f"class_{rate}", average_rate(table, parts, average=None, zero_division=zero_division))
        for rate, parts in RATES.items()
    }
    missed = find("class_missed_share")
    shares = np.asarray(missed.score(table)).tolist()
    classes["missed"] = tuple(Estimate.of(share, missed.reason(table)) for share in shares)
    averages: dict[Average, dict[str, Estimate]] = {"macro": {}, "weighted": {}}
    for (average, rate), metric in AVERAGES.items():
        value = average_rate(table, RATES[rate], average=average, zero_division=zero_division, labels=labels)
        averages[average][rate] = (
            estimate(metric, value)[0] if labels is None else Estimate.of(float(value), find(metric).reason(table))
        )
    places = list(range(table.shape[0])) if labels is None else [table.truth_labels.index(label) for label in labels]
    return ClassScores(
        tuple(str(table.truth_labels[place]) for place in places),
        tuple(float(table.row_totals[place]) for place in places),
        {rate: tuple(of_class[place] for place in places) for rate, of_class in classes.items()},
        averages,
        estimate("accuracy")[0],
        estimate("proficiency")[0],
        float(table.row_totals[places].sum()),
        float(table.total),
    )
