"""Systems whose rows have few labels and a judge's verdicts: each has its own belief, tied by the rows they share."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from infoscope.comparison.options import CompareOptions
from infoscope.comparison.pairwise import Ties, found_pair, improvements, known_everywhere, settled
from infoscope.comparison.result import Comparison, Improvement
from infoscope.comparison.system_posterior import ACCURACY, ERRORS, SystemPosterior, metrics_needed
from infoscope.errors import InputError
from infoscope.judges import Judged
from infoscope.judges.effects import correlation
from infoscope.judges.findings import judged_findings, judged_summary
from infoscope.posterior.drawn import DrawnBelief
from infoscope.results.estimate import Difference
from infoscope.results.finding import Finding

__all__ = ["compare_judged"]


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
