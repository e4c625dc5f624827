"""The conventional rates of every class and their averages, each with its interval, and the information beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from infoscope.core.numerics import Real
from infoscope.metrics.one_vs_rest import (
    Average,
    AverageKeywords,
    Parts,
    ZeroDivision,
    average_rate,
    f_beta_parts,
    square_table,
)
from infoscope.metrics.registry import find
from infoscope.posterior.summary import Summary
from infoscope.results.estimate import Estimate
from infoscope.studies.diagnose import find_unseen_classes, report_dominant_class, withheld_metrics
from infoscope.studies.diagnose_statistics import TableStatistics
from infoscope.studies.evaluate.score import TableInput
from infoscope.studies.evaluate.uncertainty import believed
from infoscope.studies.inputs import UncertaintyOptions
from infoscope.tables import Contingency, Label

__all__ = ["ClassScores", "class_scores"]

_PARTS: Mapping[str, Parts] = {
    "precision": lambda classes: (classes.hits, classes.declared),
    "recall": lambda classes: (classes.hits, classes.support),
    "f1": lambda classes: f_beta_parts(classes.hits, classes.support, classes.declared, 1.0),
}
_AVERAGES: Mapping[tuple[Average, str], str] = {
    ("macro", "precision"): "macro_precision",
    ("macro", "recall"): "macro_recall",
    ("macro", "f1"): "macro_f1",
    ("weighted", "precision"): "weighted_ppv",
    ("weighted", "recall"): "weighted_tpr",
    ("weighted", "f1"): "weighted_f1",
}
_ALL = (*(f"class_{rate}" for rate in _PARTS), *_AVERAGES.values(), "accuracy", "proficiency")


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


def class_scores(
    table: Contingency,
    how: UncertaintyOptions,
    zero_division: ZeroDivision | None = None,
    labels: Sequence[Label] | None = None,
) -> ClassScores:
    """All of it; ``zero_division`` is what the plug-in value of 0/0 counts as, undefined unless stated.

    With ``labels`` only these classes, against all others; their averages come without intervals.
    """
    table = square_table(table)
    belief = believed(TableInput("system", table, n=table.sample_size), how).belief
    plain = {name: np.asarray(find(name).score(table), dtype=np.float64) for name in _ALL}
    defined = [name for name, value in plain.items() if value.ndim or np.isfinite(value)]
    known = {} if belief is None else dict(belief.summaries(defined, how.level))
    facts = TableStatistics(table, table.sample_size, belief, how.level)
    for name in withheld_metrics(
        [found for rule in (find_unseen_classes, report_dominant_class) if (found := rule(facts))]
    ):
        if name in known:
            known[name] = known[name]._replace(sd=np.nan, low=np.nan, high=np.nan)

    def estimates(metric: str, filled: Real | None = None) -> tuple[Estimate, ...]:
        values = np.atleast_1d(plain[metric])
        shown = values if filled is None else np.atleast_1d(filled)
        parts = [np.atleast_1d(part) for part in known[metric]] if metric in known else None
        return tuple(
            _estimate(metric, table, (value, of_zero), None if parts is None else [float(part[at]) for part in parts])
            for at, (value, of_zero) in enumerate(zip(values.tolist(), shown.tolist(), strict=True))
        )

    rates = {
        rate: estimates(f"class_{rate}", average_rate(table, parts, average=None, zero_division=zero_division))
        for rate, parts in _PARTS.items()
    }
    averages: dict[Average, dict[str, Estimate]] = {"macro": {}, "weighted": {}}
    for (average, rate), metric in _AVERAGES.items():
        value = average_rate(table, _PARTS[rate], average=average, zero_division=zero_division)
        averages[average][rate] = estimates(metric, value)[0]
    missed = find("class_missed_share")
    rates["missed"] = tuple(
        Estimate.of(part, missed.reason(table)) for part in np.asarray(missed.score(table)).tolist()
    )
    at = list(range(table.shape[0]))
    if labels is not None:
        at = [table.truth_labels.index(label) for label in labels]
        averages = {average: _averages(table, average, zero_division, labels) for average in averages}
    return ClassScores(
        tuple(str(table.truth_labels[each]) for each in at),
        tuple(float(table.row_totals[each]) for each in at),
        {rate: tuple(of_class[each] for each in at) for rate, of_class in rates.items()},
        averages,
        estimates("accuracy")[0],
        estimates("proficiency")[0],
        float(table.row_totals[at].sum()),
        float(table.total),
    )


def _averages(
    table: Contingency, average: Average, zero_division: ZeroDivision | None, labels: Sequence[Label]
) -> dict[str, Estimate]:
    """Averages over some of the classes, without intervals."""
    how: AverageKeywords = {"average": average, "zero_division": zero_division, "labels": labels}
    return {
        rate: Estimate.of(float(average_rate(table, parts, **how)), find(_AVERAGES[average, rate]).reason(table))
        for rate, parts in _PARTS.items()
    }


def _estimate(metric: str, table: Contingency, value: tuple[float, float], belief: list[float] | None) -> Estimate:
    """The plug-in value, filled in where it is 0/0 and that was asked for; beliefs are about values that exist."""
    plain, filled = value
    if not np.isfinite(plain):
        return Estimate.of(filled, find(metric).reason(table))
    found = Estimate.of(plain)
    if belief is None:
        return found
    return found.with_belief(Summary(*map(np.asarray, belief)), corrected=find(metric).card.is_information)
