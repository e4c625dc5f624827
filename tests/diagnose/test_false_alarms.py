"""False alarms and power of each finding.

A code of ``infoscope/data/findings.txt`` has a population in which its claim is wrong, and one in which it is right;
or it states a fact of the input (a count, an option, a name); or it is listed as not measured. A new code without an
entry fails the last test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import infoscope as ifs
from infoscope import Contingency, Posterior
from tests.api import RULES, TableStatistics, diagnose_all, find

pytestmark = pytest.mark.slow

Generator = np.random.Generator
Codes = set[str]
Population = Callable[[Generator], Codes]
ALLOWED, POWER = 0.05, 0.8


class DirichletBelief:
    """A belief that takes milliseconds: cells have a Dirichlet posterior with one sample in all before the data."""

    def __init__(self, table: Contingency) -> None:
        counts = np.asarray(table.counts, dtype=float)
        self.cells = np.random.default_rng(0).standard_gamma(counts + 1 / counts.size, (150, *counts.shape))
        self.batch = Contingency(table.truth_labels, table.system_labels, self.cells, reject=table.reject)

    def summaries(self, names: Any, level: float) -> Mapping[str, Any]:
        scores = {name: np.asarray(find(name).score(self.batch)) for name in names}
        return {name: limits(drawn, level) for name, drawn in scores.items()}

    def by_class(self, level: float) -> Mapping[str, Any]:
        raise NotImplementedError

    def by_output(self, level: float) -> Mapping[str, Any]:
        shares = self.cells / self.cells.sum(axis=1, keepdims=True)
        return {"missed_information": limits(-np.sum(shares * np.log2(np.maximum(shares, 1e-300)), axis=1), level)}


def limits(drawn: np.ndarray, level: float) -> Any:
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return SimpleNamespace(mean=np.nanmean(drawn, axis=0), sd=np.nanstd(drawn, axis=0), low=low, high=high)


def classified(
    rng: Generator,
    n: int,
    right: float,
    shares: Any,
    *,
    said: Any = None,
    matrix: Any = None,
    only_seen: bool = False,
    **labels: Any,
) -> Contingency:
    """Rows that know their class, and guess with these frequencies where they do not; or with this confusion matrix."""
    k = len(shares)
    truth = rng.choice(k, n, p=np.asarray(shares) / np.sum(shares))
    if matrix is None:
        guesses = np.asarray(shares if said is None else said, dtype=float)
        matrix = right * np.eye(k) + (1 - right) * guesses / guesses.sum()
    counts = np.stack(
        [rng.multinomial(size, row) for size, row in zip(np.bincount(truth, minlength=k), matrix, strict=True)]
    )
    if only_seen:
        first, second = np.nonzero(counts)
        return Contingency.from_labels(*(np.repeat(side, counts[first, second]) for side in (first, second)))
    return Contingency.from_matrix(counts, **labels)


def rule(code: str, population: Callable[[Generator], Contingency], *, exact: bool = False) -> Population:
    """One rule on tables of a population, with a quick belief or with the posterior."""
    (found,) = [each for each in RULES if each.code == code]

    def run(rng: Generator) -> Codes:
        table = population(rng)
        belief = Posterior(table) if exact else DirichletBelief(table)
        return {code} if found(TableStatistics(table, table.sample_size, belief)) else set()

    return run


def clash(one: Mapping[str, Any], other: Mapping[str, Any]) -> Population:
    def run(rng: Generator) -> Codes:
        tables = {name: classified(rng, **kind) for name, kind in (("one", one), ("other", other))}
        facts = {
            name: TableStatistics(table, table.sample_size, DirichletBelief(table)) for name, table in tables.items()
        }
        return {finding.code for found in diagnose_all(facts).values() for finding in found} & {"non_monotone"}

    return run


def swept(distance: float) -> Population:
    def run(rng: Generator) -> Codes:
        truth = np.arange(200) % 2
        return {finding.code for finding in ifs.sweep(truth, rng.normal(distance * truth, 1)).findings}

    return run


def drifted(right: float, mix: float) -> Population:
    """Three systems in two periods; in the second one the last is less often right, and the mix of classes changes."""

    def period(rng: Generator, last: float, share: float) -> dict[str, np.ndarray]:
        truth = (rng.random(300) < share).astype(int)
        rights = {"a": 0.85, "b": 0.85, "c": last}
        return {name: np.where(rng.random(300) < p, truth, rng.integers(2, size=300)) for name, p in rights.items()}

    def run(rng: Generator) -> Codes:
        found = ifs.drift(
            period(rng, 0.85, 0.5), period(rng, right, mix), permutations=99, seed=int(rng.integers(1000))
        )
        return {finding.code for finding in found.findings}

    return run


def tagged(*, swapped: bool) -> Population:
    def run(rng: Generator) -> Codes:
        truth = rng.random((300, 8)) < 0.2
        system = (truth & (rng.random(truth.shape) < 0.7)) | (rng.random(truth.shape) < 0.03)
        if swapped:
            system[:, [1, 2]] = system[:, [2, 1]]
        named = [[{f"c{at}" for at in np.flatnonzero(row)} for row in side] for side in (truth, system)]
        found = ifs.multilabel.evaluate(*named, draws=0, splits=0, shuffles=0)
        return {finding.code for finding in found.systems[0].diagnosis}

    return run


def agreed(last: float, *, renames: bool = False, mixes: bool = False) -> Population:
    """Four annotators; the last is right this often, exchanges two names, or takes one class for another."""

    def run(rng: Generator) -> Codes:
        truth = rng.integers(4, size=120)
        rights = {"a": 0.8, "b": 0.8, "c": 0.8, "d": last}
        rows = {name: np.where(rng.random(120) < p, truth, rng.integers(4, size=120)) for name, p in rights.items()}
        if renames:
            rows["d"] = np.array([1, 0, 2, 3])[rows["d"]]
        if mixes:
            rows["d"] = np.where((truth == 0) & (rng.random(120) < 0.6), 1, rows["d"])
        return {finding.code for finding in ifs.agreement(rows, draws=0).findings}

    return run


def related(kind: str) -> Population:
    def run(rng: Generator) -> Codes:
        given, first, second = rng.integers(2, size=(3, 400))
        if kind == "explained":
            first, second = (np.where(rng.random(400) < 0.8, given, guess) for guess in (first, second))
        elif kind == "direct":  # a relation of its own, weakly visible
            second = np.where(rng.random(400) < 0.12, first, second)
        elif kind == "exclusive or":
            second = first ^ given
        rows = {"first": first, "second": second, "given": given}
        return {finding.code for finding in ifs.relate(rows, given=["given"]).findings}

    return run


UNIFORM2, UNIFORM3, UNIFORM4, UNIFORM6 = ([1.0] * k for k in (2, 3, 4, 6))
RARE = [0.9, 0.1]


class Case(NamedTuple):
    """Populations in which a finding must be absent or present, and the number of tables to draw."""

    silent: Population
    present: Population
    tables: int = 100


def of_rule(code: str, silent: Mapping[str, Any], present: Mapping[str, Any], **how: Any) -> Case:
    tables = how.pop("tables", 200)
    return Case(
        *(rule(code, lambda rng, kind=kind: classified(rng, **kind), **how) for kind in (silent, present)), tables
    )


HEALTHY = {"n": 300, "right": 0.7, "shares": UNIFORM4}
GUESSED = {"n": 300, "right": 0.0, "shares": UNIFORM4}
ALIKE = np.array(
    [[0.85, 0.05, 0.05, 0.05], [0.05, 0.85, 0.05, 0.05], [0.05, 0.05, 0.45, 0.45], [0.05, 0.05, 0.45, 0.45]]
)
NEAR = (np.abs(np.subtract.outer(np.arange(70), np.arange(70))) <= 5) / 11.0
NEAR /= NEAR.sum(axis=1, keepdims=True)
PAIRS = np.kron(np.eye(3), [[0.7, 0.3], [0.3, 0.7]])
REJECTS = {"n": 400, "right": 0.0, "shares": UNIFORM2, "reject": 2}


MEASURED = {
    "majority_voter": of_rule(
        "majority_voter",
        {"n": 300, "right": 0.6, "shares": RARE},
        {"n": 300, "right": 0.0, "shares": UNIFORM2, "said": [1.0, 0.0]},
    ),
    "random": of_rule("random", HEALTHY, GUESSED),
    "relabelled": of_rule(
        "relabelled",
        {"n": 300, "right": 0.3, "shares": UNIFORM6},
        {"n": 300, "right": 0.0, "shares": UNIFORM4, "matrix": np.eye(4)[[1, 0, 2, 3]] * 0.8 + 0.05},
    ),
    "accuracy_paradox": of_rule(
        "accuracy_paradox", {"n": 300, "right": 0.7, "shares": UNIFORM2}, {"n": 1000, "right": 0.4, "shares": RARE}
    ),
    "abstains_for_free": of_rule(
        "abstains_for_free",
        REJECTS | {"matrix": [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]]},
        REJECTS | {"matrix": [[0.9, 0.1, 0.0], [0.0, 0.8, 0.2]]},
    ),
    "merged_pair": of_rule(
        "merged_pair", {"n": 300, "right": 0.5, "shares": UNIFORM4}, HEALTHY | {"matrix": ALIKE, "n": 800}
    ),
    "predicted_too_rarely": of_rule(
        "predicted_too_rarely",
        {"n": 600, "right": 0.6, "shares": RARE},
        {"n": 600, "right": 0.0, "shares": RARE, "matrix": [[0.99, 0.01], [0.6, 0.4]]},
    ),
    "predicted_too_often": of_rule(
        "predicted_too_often",
        {"n": 600, "right": 0.6, "shares": RARE},
        {"n": 600, "right": 0.0, "shares": RARE, "matrix": [[0.9, 0.1], [0.05, 0.95]]},
    ),
    "second_stage": of_rule(
        "second_stage",
        {"n": 400, "right": 0.75, "shares": UNIFORM3},
        {"n": 600, "right": 0.0, "shares": UNIFORM6, "matrix": PAIRS},
    ),
    "specialised": of_rule("specialised", HEALTHY, HEALTHY | {"right": 0.2, "said": [1, 0, 0, 0]}),
    "less_varied_output": of_rule(
        "less_varied_output",
        {"n": 300, "right": 0.6, "shares": [0.4, 0.3, 0.25, 0.05], "said": [0.5, 0.3, 0.18, 0.02]},
        {"n": 600, "right": 0.0, "shares": UNIFORM3, "matrix": [[0.9, 0.1, 0], [0.1, 0.9, 0], [0.5, 0.5, 0]]},
    ),
    "detection_problem": of_rule(
        "detection_problem",
        {"n": 300, "right": 0.7, "shares": [0.7, 0.2, 0.1]},
        {"n": 1000, "right": 0.7, "shares": [0.97, 0.02, 0.01]},
    ),
    "loud_prior": of_rule("loud_prior", HEALTHY, HEALTHY | {"n": 12}, exact=True, tables=20),
    "small_sample_bias": of_rule(
        "small_sample_bias", HEALTHY, {"n": 200, "right": 0.4, "shares": [1.0] * 16}, exact=True, tables=20
    ),
    "unseen_classes": of_rule(
        "unseen_classes",
        HEALTHY,
        {"n": 60, "right": 0.9, "shares": 1 / np.arange(1, 61), "only_seen": True},
        exact=True,
        tables=20,
    ),
    "only_errors": of_rule(
        "only_errors", GUESSED, {"n": 60, "right": 0.0, "shares": UNIFORM3, "matrix": (1 - np.eye(3)) / 2}
    ),
    "measured_labels": of_rule(
        "measured_labels",
        {"n": 300, "right": 0.7, "shares": [1.0] * 30},
        {
            "n": 600,
            "right": 0.0,
            "shares": [1.0] * 70,
            "matrix": NEAR,
            "only_seen": True,
        },
        tables=60,
    ),
    "non_monotone": Case(
        clash({"n": 300, "right": 0.7, "shares": UNIFORM3}, {"n": 300, "right": 0.7, "shares": UNIFORM3}),
        clash(
            {"n": 5000, "right": 0.7, "shares": UNIFORM3},
            {"n": 5000, "right": 0, "shares": UNIFORM3, "matrix": [[0.7, 0.3, 0], [0, 0.7, 0.3], [0.3, 0, 0.7]]},
        ),
    ),
    "scores_by_chance": Case(swept(1.0), swept(0.0), 100),
    "reversed_scores": Case(swept(1.0), swept(-1.0), 100),
    "renaming": Case(tagged(swapped=False), tagged(swapped=True), 40),
    "explained_by": Case(related("direct"), related("explained"), 60),
    "only_given": Case(related("none"), related("exclusive or"), 60),
}


STILL, ALIKE_ANNOTATORS = drifted(0.85, 0.5), agreed(0.8)
MEASURED |= {
    "relation_changed": Case(STILL, drifted(0.2, 0.5), 60),
    "system_changed": Case(STILL, drifted(0.2, 0.5), 60),
    "items_changed": Case(STILL, drifted(0.85, 0.9), 60),
    "mixed_up": Case(ALIKE_ANNOTATORS, agreed(0.8, mixes=True), 60),
    "renamed": Case(ALIKE_ANNOTATORS, agreed(0.8, renames=True), 60),
}


FACTS = frozenset(
    """
    abstains changes no_clear_winner no_tracks open_condition rows_needed
    absent_classes absent_runs all_rows_differ balanced_classes beside_labels_only blank_labels captured
    class_never_labelled clock_turned_back clusters constant constant_system copies_unnoticed corrected_verdicts
    costs_by_position dominant_class doubtful_costs few_groups future_run grouped_rows groups_without_rows
    independence_unchecked misspelt_predictions missing_predictions no_common_label renamed_predictions unmixed_chains
    effective_sample_size empty_names estimated_by_judge estimated_without_truth examples_limited extra_predictions
    favoured_classes few_errors few_runs few_samples few_swap_tests first_labels gaps group_bootstrap group_left_out
    groups_of_one_class identifier incomplete_blocks interval items_left_out judge_left_aside judge_quality
    labels_asked_for labels_mixed_in labels_needed lookalike_categories lookalike_labels merged_group
    metric_left_out missing_values missing_words more_labels_needed more_worse_runs named_clusters
    names_do_not_match narrow_enough never_used no_free_degrees no_latent_truth no_odd_one_out no_probabilities
    no_relation_changed no_tree_prior no_truth no_variation normalised_matrix not_a_run not_compared
    numbers_as_categories objects_emptied objects_left_out one_sided_categories other_classes pairs_not_checked
    perfect_result rows_to_read
    plan_is_a_promise positive_asked positive_without_effect prevalence_stated rare_classes read_in_part
    reject_never_predicted removed repeated_header repeated_ids repeated_memberships repeated_objects rows_ignored
    rows_without_truth rows_without_verdict same_items same_predictions sample_size_stated single_truth_track
    sparse_block sparse_sets split_group spread_over_folds spread_over_runs strata_without_labels thin_strata
    thinned tied_scores too_few_rows training_matrices truth_joined two_systems undeclared_reject unlabelled_items
    unpaired unused_costs weighted_objects
    """.split()  # noqa: SIM905 - a list of words
)
"""Findings that state a count, an option, a name or a result as it is."""

SAME_RULE = {"baseline_relabelled": "relabelled"}
"""Findings that are another one, said of something else: of a gate's baseline."""

NOT_MEASURED = frozenset(
    """
    odd_one_out weak_classes
    below_chance better_threshold classes_merged different_data input_doubt judge_changed judge_favours_system
    judge_of_no_use judge_steady labelled_rows_differ labels_not_random mostly_chance names_swapped no_information
    not_settled only_together run_together shared_errors threshold_fits verdicts_depend_on_predictions
    scale_temperature verdicts_reversed verdicts_shifted votes_misfit worse_classes worse_run worse_run_before
    """.split()  # noqa: SIM905 - a list of words
)
"""Findings of studies that take seconds per table; their own tests try them on few."""


@cache
def silent_codes(population: Population, tables: int) -> list[Codes]:
    """Return the findings in each table of a population, which several tests share."""
    rng = np.random.default_rng(21)
    return [population(rng) for _ in range(tables)]


@pytest.mark.parametrize("code", MEASURED)
def test_a_finding_is_seldom_a_false_alarm_and_there_where_it_should_be(code: str) -> None:
    case = MEASURED[code]
    alarms = np.mean([code in found for found in silent_codes(case.silent, case.tables)])
    assert alarms <= ALLOWED, f"{alarms:.1%} of {case.tables} tables"
    rng = np.random.default_rng(sum(map(ord, code)))
    power = np.mean([code in case.present(rng) for _ in range(10)])
    assert power >= POWER, f"{power:.1%} of 10 tables"


def test_every_finding_is_measured_or_has_a_word_on_why_not() -> None:
    lines = (files("infoscope") / "data" / "findings.txt").read_text(encoding="utf-8").splitlines()
    known = {line.split("|")[0].strip() for line in lines if not line.startswith("#")} | {each.code for each in RULES}
    stated = FACTS | NOT_MEASURED | SAME_RULE.keys()
    assert not stated & MEASURED.keys()
    assert sorted(known - stated - MEASURED.keys()) == []
