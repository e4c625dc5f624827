"""Finished tables, whose rows are not matched: compared as independent samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from math import isclose

import numpy as np

from infoscope.errors import InputError
from infoscope.metrics import truth_entropy
from infoscope.metrics.registry import Law, Metric
from infoscope.results.estimate import Difference
from infoscope.results.finding import Finding
from infoscope.studies.compare.options import CompareOptions
from infoscope.studies.compare.pairwise import (
    Ties,
    about_intervals,
    find_namesakes,
    found_pair,
    improvements,
    known_everywhere,
    settled,
)
from infoscope.studies.compare.result import Comparison, Improvement
from infoscope.studies.compare.system_posterior import ACCURACY, ERRORS, SystemPosterior, metrics_needed
from infoscope.studies.compare.tests import homogeneity_p_value
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["compare_tables"]


def compare_tables(tables: Mapping[str, Contingency], question: CompareOptions, n: float | None) -> Comparison:
    """The document of all pairs; ``n`` is the sample size of tables that hold shares."""
    names = question.names(tuple(tables))
    sized, findings = _sized(tables, n)
    wholes = {name: SystemPosterior(name, question.seen(sized[name]), question) for name in names}
    wholes, renamed = find_namesakes(wholes, lambda a, b: _is_renaming(wholes[a].table, wholes[b].table))
    known, left_out = known_everywhere(wholes, question)
    pairs: list[Difference] = []
    ties: Ties = {}
    factors: list[Improvement] = []
    for a, b in combinations(names, 2):
        one, other = wholes[a], wholes[b]
        findings += _on_different_data(one, other, question.metrics)
        p = homogeneity_p_value(_counts(one.table), _counts(other.table))
        tests = {} if p is None else {"homogeneity_p_value": p}
        same = renamed and (one.namesake or one) is (other.namesake or other)
        rhos = {e.name: 1.0 for e in metrics_needed(question) if same and Law.RELABELLING in e.card.laws}
        ties |= {(a, b, name): rho for name, rho in rhos.items()}
        for entry in question.metrics:
            if {a, b} <= set(known[entry.name]):
                pair, _ = found_pair(one, other, rhos.get(entry.name, 0.0), entry, paired=False)
                pairs += [] if pair is None else [replace(pair, tests=tests)]
        factors += improvements(one, other, {ERRORS: 0.0, ACCURACY: 0.0} | rhos, paired=False)
    unpaired = "unpaired: the systems' rows are not matched, so common hard rows cannot be accounted for"
    findings += [*left_out, *about_intervals(wholes, question), Finding("unpaired", unpaired)]
    if question.prevalence is not None:
        findings.append(Finding("prevalence_stated", "true classes are re-weighted to the stated frequencies"))
    result = settled(wholes, pairs, ties, question, known)
    return replace(result, improvements=tuple(factors), findings=(*result.findings, *renamed, *findings))


def _is_renaming(one: Contingency, other: Contingency) -> bool:
    """Whether the columns of one table are those of the other under other names: the rows must be the same ones."""
    tables = (_counts(one), _counts(other))
    if any(table.is_sparse or table.reject is not None for table in tables) or tables[0] == tables[1]:
        return False
    columns = []
    for table in tables:
        order = sorted(range(table.shape[0]), key=lambda i: str(table.truth_labels[i]))
        counts = np.asarray(table.counts, dtype=float)[order]
        columns.append(sorted(map(tuple, counts[:, counts.any(axis=0)].T.tolist())))
    return set(one.truth_labels) == set(other.truth_labels) and columns[0] == columns[1]


def _on_different_data(one: SystemPosterior, other: SystemPosterior, metrics: tuple[Metric, ...]) -> list[Finding]:
    """A finding where the truths differ; differences in bits are then rejected."""
    if _same_truth(one.table, other.table):
        return []
    for entry in metrics:
        if entry.card.unit in {"bits", "nats"}:
            raise InputError(
                f"{one.name!r} and {other.name!r} were measured on different data sets, so a difference of "
                f"{entry.name} in {entry.card.unit} means nothing; compare a ratio such as proficiency"
            )
    here, there = (float(truth_entropy(standing.table)) for standing in (one, other))
    text = f"{one.name} and {other.name}: different data sets: H(T) = {here:.3f} against {there:.3f} bits"
    return [Finding("different_data", text, "warning", {"truth_entropy": [here, there]})]


def _sized(tables: Mapping[str, Contingency], n: float | None) -> tuple[dict[str, Contingency], list[Finding]]:
    """Every table as the number of independent samples behind it, and a finding where that is not its total."""
    if n is not None and not 0 < n < float("inf"):
        raise InputError(f"the sample size is {n}; it must be a number above 0")
    shares = [
        name
        for name, table in tables.items()
        if table.sample_size is None or (n is not None and not table.is_counts and table.weight_squares is None)
    ]
    if shares and n is None:
        raise InputError(
            f"{shares[0]!r} holds relative frequencies, so its sample size is not known; state it with sample_size= or "
            "--sample-size"
        )
    if n is not None and not shares:
        raise InputError(
            "the sample size is stated for tables of frequencies; these tables hold counts, so leave it out"
        )
    out, findings = {}, []
    for name, table in tables.items():
        if table.batch_shape:
            raise InputError(f"{name!r} is a batch of tables; compare one table of each system")
        size = None if name in shares else table.sample_size
        total = float(_counts(table).total)
        if size is None and n is not None:
            text = f"{name} holds relative frequencies, taken as the {n:,.6g} samples that were stated"
            findings.append(Finding("sample_size_stated", text))
        elif size is not None and not isclose(size, total, rel_tol=1e-9):
            text = f"{name}: weights that sum to {total:,.6g} count as {size:,.4g} independent samples, (Σw)²/Σw²"
            findings.append(Finding("effective_sample_size", text))
        out[name] = _seen_as(table, n if size is None and n is not None else size or total)
    return out, findings


def _seen_as(table: Contingency, size: float) -> Contingency:
    """The table as this many samples; of a re-weighted one, the counts behind it."""
    recipe = table.reweighting
    if recipe is not None:
        return replace(table, reweighting=replace(recipe, origin=_seen_as(recipe.origin, size)))
    if isclose(size, table.total, rel_tol=1e-9) and table.weight_squares is None:
        return table
    return table.with_cells(table.cells * (size / table.total))


def _counts(table: Contingency) -> Contingency:
    return table if table.reweighting is None else table.reweighting.origin


def _same_truth(one: Contingency, other: Contingency) -> bool:
    """Whether the truth margins are the same, up to order and classes without samples; stated shares have no size."""
    stated = one.reweighting is not None and other.reweighting is not None
    left, right = (_margin(table, float(table.total) if stated else 1.0) for table in (one, other))
    return left.keys() == right.keys() and all(isclose(left[key], right[key], rel_tol=1e-9) for key in left)


def _margin(table: Contingency, scale: float) -> dict[Label, float]:
    totals = zip(table.truth_labels, table.row_totals.tolist(), strict=True)
    return {label: total / scale for label, total in totals if total}
