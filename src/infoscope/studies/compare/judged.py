"""Systems whose rows have few labels and a judge's verdicts: each has its own belief, tied by the rows they share."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from infoscope.core.numerics import Real
from infoscope.errors import InputError
from infoscope.posterior.drawn import DrawnBelief
from infoscope.posterior.first_order import influence
from infoscope.results.estimate import Difference
from infoscope.results.finding import Finding
from infoscope.studies.compare.options import CompareOptions
from infoscope.studies.compare.pairwise import Ties, found_pair, improvements, known_everywhere, settled
from infoscope.studies.compare.result import Comparison, Improvement
from infoscope.studies.compare.system_posterior import ACCURACY, ERRORS, SystemPosterior, metrics_needed
from infoscope.studies.judge.findings import judged_findings, judged_summary
from infoscope.studies.judge.judged import Judged

__all__ = ["BORROWED_TIE", "compare_judged", "correlation"]


def compare_judged(judged: Judged, question: CompareOptions) -> Comparison:
    """The document of all pairs over all rows, corrected by the labels."""
    if question.prevalence is not None:
        raise InputError("re-weighted classes cannot be compared by a judge yet; leave out prevalence, or judge")
    names = question.names(judged.systems)
    wholes = {name: _whole(judged, name, question) for name in names}
    known, left_out = known_everywhere(wholes, question)
    pairs: list[Difference] = []
    factors: list[Improvement] = []
    ties: Ties = {}
    for a, b in combinations(names, 2):
        one, other = wholes[a], wholes[b]
        entries = [
            e for e in metrics_needed(question) if one.beliefs[e.name].is_known and other.beliefs[e.name].is_known
        ]
        rhos = {entry.name: correlation(judged, (a, b), entry.name, seed=question.seed) for entry in entries}
        for entry in question.metrics:
            if {a, b} <= set(known[entry.name]):
                ties[a, b, entry.name] = rhos[entry.name]
                pair, _ = found_pair(one, other, rhos[entry.name], entry, paired=True)
                pairs += [] if pair is None else [pair]
        tied = {name: rhos[name] for name in (ERRORS, ACCURACY) if name in rhos}
        factors += improvements(one, other, tied, paired=True)
    result = settled(wholes, pairs, ties, question, known)
    ranked = list(dict.fromkeys([*(place.name for found in result.ranking[:1] for place in found.places), *names]))
    beside = judged_summary(judged, ranked, level=question.level, seed=question.seed)
    findings = (*result.findings, _corrected(judged), *beside, *judged_findings(judged), *left_out)
    samples = {name: round(size, 6) for name, size in result.samples.items()}
    return replace(result, improvements=tuple(factors), findings=findings, samples=samples)


def _whole(judged: Judged, name: str, question: CompareOptions) -> SystemPosterior:
    table = question.in_order(question.seen(judged.table(name, seed=question.seed)))
    return SystemPosterior(name, table, question, given=DrawnBelief(table))


def _corrected(judged: Judged) -> Finding:
    judges = judged.judge_title()
    known = f"{judged.label_count:,.6g} of {judged.row_count:,.6g}"
    who = f"Rows with a weight of {known}" if judged.patterns.is_weighted else f"{known} rows"
    text = (
        f"{who} have a true label; the verdicts of {judges} on the others are corrected by these, also where a judge "
        "favours a system"
    )
    return Finding("corrected_verdicts", text, evidence={"labels": judged.label_count, "rows": judged.row_count})


BORROWED_TIE = 0.6
"""Share of the correlation over shared rows that ties two systems whose strata borrow strength.

The reference has a half; simulations say nearly all of it. This stays within the reference's tolerance for the
correlation, see docs/decisions.md.
"""


class RowEffects(NamedTuple):
    """What one row of each pattern adds to the error of a metric, in units of the metric."""

    labelled: Real
    """By its label; 0 where it has none."""
    any: Real
    """By its verdict and prediction."""


def row_effects(judged: Judged, system: str, metric: str, *, seed: int = 0) -> RowEffects:
    """A label moves its stratum's mean, any row the stratum's share."""
    belief, strata, table = judged.belief(system, seed=seed), judged.strata(system), judged.table(system, seed=seed)
    counts = belief.counts
    phi = influence(metric, table).reshape(table.shape)
    expected = np.zeros(counts.everything.shape)
    expected[counts.occupied] = np.einsum("gt,tg->g", belief.theta.mean(axis=0), phi[:, counts.prediction])
    total = counts.everything.sum()
    weight = counts.everything / total / np.maximum(counts.labelled.sum(axis=0), 1.0)
    share = (expected - (expected * counts.everything).sum() / total) / total
    placed = strata.verdict_codes >= 0
    verdict, prediction = np.where(placed, strata.verdict_codes, 0), np.where(placed, strata.prediction_codes, 0)
    known = placed & (strata.truth_codes >= 0)
    residual = phi[np.where(known, strata.truth_codes, 0), prediction] - expected[verdict, prediction]
    return RowEffects(
        np.where(known, residual * weight[verdict, prediction], 0.0), np.where(placed, share[verdict, prediction], 0.0)
    )


def correlation(judged: Judged, systems: tuple[str, str], metric: str, *, seed: int = 0) -> float:
    """Correlation of the errors of two systems in a metric, over the rows that they share."""
    one, other = (row_effects(judged, name, metric, seed=seed) for name in systems)
    rows = judged.patterns.counts.astype(np.float64)

    def product(first: RowEffects, second: RowEffects) -> float:
        return float(rows @ (first.labelled * second.labelled) + rows @ (first.any * second.any))

    scale = np.sqrt(product(one, one) * product(other, other))
    if not np.isfinite(scale) or scale <= 0:
        return 0.0
    found = float(np.clip(product(one, other) / scale, -1.0, 1.0))
    return found if len(judged.classes) == 2 else BORROWED_TIE * found
