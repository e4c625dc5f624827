"""Systems with predictions for the same rows: every pair on the rows that both predicted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from math import sqrt
from types import MappingProxyType

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics.registry import Law, Metric, find
from infoscope.posterior import Posterior
from infoscope.posterior.groups import GroupPosterior
from infoscope.results.estimate import Difference
from infoscope.results.finding import Finding
from infoscope.studies.compare.correlation import correlation
from infoscope.studies.compare.difference import exact_information_difference
from infoscope.studies.compare.options import CompareOptions
from infoscope.studies.compare.pairwise import (
    Ties,
    about_intervals,
    find_namesakes,
    found_pair,
    improvements,
    known_everywhere,
    listed,
    settled,
)
from infoscope.studies.compare.predictions import PairCells, PairedPredictions
from infoscope.studies.compare.result import Comparison, Improvement
from infoscope.studies.compare.system_posterior import (
    ACCURACY,
    ERRORS,
    SystemPosterior,
    metrics_needed,
)
from infoscope.studies.compare.tests import mcnemar_p_values, swap_p_values
from infoscope.studies.inputs import group_findings

__all__ = ["compare_rows"]

_SWAPS = 999
_SWAP_ALL_PAIRS = 6
"""With more systems, the swap test is run against the baseline, or between neighbours in the ranking, only."""


def compare_rows(
    predicted: PairedPredictions, question: CompareOptions, known: Mapping[str, Posterior] = MappingProxyType({})
) -> Comparison:
    """The document of all pairs; ``known`` holds what is believed already of systems on all their rows."""
    names = question.names(predicted.names)
    if predicted.cluster is not None and not (isinstance(question.prior, str) and question.prior == "default"):
        raise InputError("a comparison of grouped rows takes no prior; leave prior= (--prior) out")
    wholes = {name: _whole(predicted, name, question, known.get(name)) for name in names}
    wholes, renamed = find_namesakes(wholes, lambda a, b: _is_renaming(predicted, a, b))
    about_rows = list(_about_rows(predicted, names, question))
    if predicted.cluster is not None:
        about_groups = {about.text: about for whole in wholes.values() for about in group_findings(whole.clusters)}
        about_rows += about_groups.values()
    metrics, left_out = known_everywhere(wholes, question)
    work = _Work(predicted, question, metrics, _worth_a_swap_test(wholes, metrics, question))
    for a, b in combinations(names, 2):
        work.settle(wholes[a], wholes[b])
    result = settled(wholes, work.pairs, work.ties, question, metrics)
    about = (*renamed, *_about_same_predictions(work.same), *about_rows, *left_out, *work.findings)
    findings = (*result.findings, *about, *about_intervals(wholes, question))
    return replace(result, improvements=tuple(work.improvements), findings=findings)


def _whole(
    predicted: PairedPredictions, name: str, question: CompareOptions, given: Posterior | None
) -> SystemPosterior:
    """One system on all the rows that it predicted."""
    own = predicted.pair(name, name)
    return SystemPosterior(name, question.seen(own.table_a), question, own.clusters_a, given)


def _is_renaming(predicted: PairedPredictions, a: str, b: str) -> bool:
    """Whether both predict all their rows alike under other names, one to one."""
    if predicted.lacking(a) != predicted.lacking(b):
        return False
    cells = predicted.pair(a, b)
    return cells.is_renaming and not cells.alike and cells.total == predicted.table(a).total


@dataclass
class _Work:
    """The pairs settled so far, one after the other, so that only one pair's joint cells are held at a time."""

    predicted: PairedPredictions
    question: CompareOptions
    metrics: Mapping[str, tuple[str, ...]]
    """Which systems each metric is known for."""
    swapped: set[frozenset[str]]
    pairs: list[Difference] = field(default_factory=list)
    improvements: list[Improvement] = field(default_factory=list)
    ties: Ties = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    same: dict[str, str] = field(default_factory=dict)
    """Systems with the same predictions as an earlier one, each with that system."""
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.question.seed)

    def settle(self, whole_a: SystemPosterior, whole_b: SystemPosterior) -> None:
        """One pair: differences in every metric, tests beside, improvement factors."""
        cells = self._seen(self.predicted.pair(whole_a.name, whole_b.name))
        one = whole_a.on(cells.table_a, cells.clusters_a)
        other = whole_b.on(cells.table_b, cells.clusters_b)
        if cells.alike:  # the same predictions for the same rows: nothing is believed of one and not of the other
            other = replace(one, name=other.name)
            self.same.setdefault(whole_b.name, self.same.get(whole_a.name, whole_a.name))
        elif cells.is_renaming and other.namesake is None and one.namesake is None:
            other = replace(other, namesake=one)
        discordant = None
        if cells.discordant is not None and self.predicted.cluster is None and self.question.prevalence is None:
            discordant = (*cells.discordant, cells.total)
        rhos = self._correlations(cells, one, other)
        overlap = cells.total / sqrt(whole_a.rows * whole_b.rows)
        found = []
        for entry in self.question.metrics:
            self.ties[(whole_a.name, whole_b.name, entry.name)] = rhos[entry.name] * overlap
            if not {whole_a.name, whole_b.name} <= set(self.metrics[entry.name]):
                continue
            pair, finding = found_pair(one, other, rhos[entry.name], entry, paired=True, discordant=discordant)
            found += [] if pair is None else [pair]
            self.findings += [] if finding is None else [finding]
        self.pairs += self._tested(found, cells)
        self.improvements += improvements(one, other, {ERRORS: rhos[ERRORS], ACCURACY: rhos[ACCURACY]}, paired=True)

    def _seen(self, cells: PairCells) -> PairCells:
        if self.question.prevalence is None and self.question.ordinal is None and self.question.costs is None:
            return cells
        seen = [self.question.seen(table) for table in (cells.table_a, cells.table_b)]
        return replace(cells, table_a=seen[0], table_b=seen[1])

    def _correlations(self, cells: PairCells, one: SystemPosterior, other: SystemPosterior) -> dict[str, float]:
        entries = metrics_needed(self.question)
        sees_no_names = {entry.name for entry in entries if Law.RELABELLING in entry.card.laws}
        same = {entry.name for entry in entries} if cells.alike else sees_no_names if cells.is_renaming else set()
        rest = [entry for entry in entries if entry.name not in same]
        rhos = {}
        for entry in rest:
            if one.why_unknown(entry) is not None or other.why_unknown(entry) is not None:
                continue
            freedom = one.prevalence_freedom(entry)
            if isinstance(one.source, GroupPosterior) and isinstance(other.source, GroupPosterior):
                by_row = correlation(cells, entry, freedom)
                rhos[entry.name] = one.source.correlation(other.source, entry.name, by_row, self.question.level)
            else:
                sds = one.beliefs[entry.name].sd, other.beliefs[entry.name].sd
                rhos[entry.name] = correlation(cells, entry, freedom, sds)
        return {entry.name: 0.0 for entry in rest} | rhos | dict.fromkeys(same, 1.0)

    def _tested(self, pairs: Sequence[Difference], cells: PairCells) -> list[Difference]:
        """The classical tests beside; of rows that come in clusters there is none."""
        if not pairs or self.predicted.cluster is not None:
            return list(pairs)
        entries = [find(pair.metric) for pair in pairs]
        swap: dict[str, float] = {}
        if frozenset((pairs[0].a, pairs[0].b)) in self.swapped:
            times = _SWAPS if len(self.predicted.names) <= _SWAP_ALL_PAIRS else _SWAPS // 3
            swap = swap_p_values(cells, entries, swaps=times, rng=self.rng)
        if self.question.prevalence is not None:  # these two are about the rows as they came
            return [replace(pair, tests=_present(swap_p_value=swap.get(pair.metric))) for pair in pairs]
        mcnemar, exact = mcnemar_p_values(cells), exact_information_difference(cells, self.question.level)
        return [
            replace(pair, tests={**_present(swap_p_value=swap.get(pair.metric)), **mcnemar}, information=exact)
            for pair in pairs
        ]


def _about_same_predictions(same: Mapping[str, str]) -> Iterator[Finding]:
    """A finding for each group of systems that predict the same in all rows that they share."""
    for first in dict.fromkeys(same.values()):
        names = [first, *(name for name, model in same.items() if model == first)]
        text = f"{listed(names)} predict the same in every row that they share: check that these are the right columns"
        yield Finding("same_predictions", text, "warning", {"systems": names})


def _present(**tests: float | None) -> dict[str, float]:
    return {name: p for name, p in tests.items() if p is not None}


def _worth_a_swap_test(
    wholes: Mapping[str, SystemPosterior], metrics: Mapping[str, tuple[str, ...]], question: CompareOptions
) -> set[frozenset[str]]:
    """All pairs of a few systems; of many, those with the baseline, or neighbours in the order."""
    if not question.swaps:
        return set()
    everyone = {frozenset(two) for two in combinations(wholes, 2)}
    if len(wholes) <= _SWAP_ALL_PAIRS:
        return everyone
    if question.baseline is not None:
        return {two for two in everyone if question.baseline in two}
    first: Metric = question.metrics[0]
    ordered = sorted(metrics[first.name], key=lambda name: wholes[name].beliefs[first.name].centre)
    return {frozenset(two) for two in pairwise(ordered)}


def _about_rows(predicted: PairedPredictions, names: Sequence[str], question: CompareOptions) -> Iterator[Finding]:
    rows = predicted.row_count
    for name in names:
        if lost := predicted.lacking(name):
            text = (
                f"{name} lacks {lost:,} of {rows:,} rows (no true label or no prediction); pairs with it use the rows "
                "that both have"
            )
            yield Finding("rows_ignored", text, "warning", {"system": name, "rows": lost, "of": rows})
    if predicted.weight is not None:
        size = f"{predicted.total:,.4g} independent samples, (Σw)²/Σw²"
        yield Finding("effective_sample_size", f"weights that sum to {predicted.weight:,.6g} count as {size}")
    if question.prevalence is not None:
        text = (
            "true classes are re-weighted to the stated frequencies; McNemar's test and the exact difference of "
            "information are about the rows as they came, so they are left out"
        )
        yield Finding("prevalence_stated", text)
    if predicted.cluster is not None:
        text = (
            f"intervals take rows within the {len(predicted.cluster.labels):,} groups as dependent; tests that take "
            "rows as independent are left out"
        )
        yield Finding("grouped_rows", text)
    elif len(names) > _SWAP_ALL_PAIRS and question.swaps:
        text = "swap tests were run against the baseline, or for neighbours in the ranking, only"
        yield Finding("few_swap_tests", text)
