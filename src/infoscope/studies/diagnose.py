"""Diagnose a table: rules that turn its numbers into sentences, each with its evidence and what to do.

The rules stand in the order in which a reader should see their findings: what the table is, what the system does with
it, and what the sample allows to say. Each is a function of ``TableStatistics`` with its severity, action and tag in
the line above; its limits are in ``THRESHOLDS`` (``studies/diagnose_statistics.py``), its words for the glossary in
``data/glossary.txt`` and ``data/findings.txt``. ``evaluate`` calls ``diagnose_all``; a new rule needs nothing else.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb, hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from infoscope.core.markup import pluralize
from infoscope.core.validation import LEVEL, Number, validated
from infoscope.metrics import random_accuracy
from infoscope.metrics.chance import CHANCE_LEVEL
from infoscope.posterior import Posterior, samples_to_halve
from infoscope.posterior.groups import GroupPosterior
from infoscope.posterior.sample_size import (
    CLASS_COUNT_METRICS,
    DOMINANT_CLASS_METRICS,
    FEWEST_PER_CLASS,
    find_dominant_class,
    find_missing_classes,
    round_up,
)
from infoscope.readers.labels import suggest_cleaning
from infoscope.results.finding import Finding, Severity
from infoscope.results.notation import format_share
from infoscope.studies.diagnose_statistics import (
    THRESHOLDS,
    Renaming,
    TableBelief,
    TableStatistics,
    compute_merge_losses,
    find_evident_renaming,
    fit_renaming,
)
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import describe_measured_labels, measure_nearness
from infoscope.tables.labels import lookalikes, read_truth_value
from infoscope.typing import Json

WITHHELD_METRICS = {"unseen_classes": CLASS_COUNT_METRICS, "dominant_class": DOMINANT_CLASS_METRICS}
"""Metrics without an interval, by the finding that says so."""
REJECTION_WORDS = frozenset(
    {"?", "-", "reject", "rejected", "abstain", "abstained", "none", "unknown", "unsure", "refused", "no answer", "n/a"}
)
"""Predicted labels that usually mean that the system abstained."""
_NAMED_STAGES = 3
"""Predictions that the sentence about a second stage names; the evidence has them all."""
_MOST_NAMES = 100_000
"""Names beyond this many are ids, which nobody spelt."""


@validated(level=LEVEL, n=Number(low=0, closed="low"))
def diagnose(
    table: Contingency,
    n: float | None = None,
    belief: TableBelief | None = None,
    level: float = 0.95,
    *,
    confidence_level: float | None = None,  # noqa: ARG001 - another word for level
) -> list[Finding]:
    """Say what one table shows, the most important first.

    Parameters
    ----------
    table
        Counts of true × predicted classes.
    n
        Sample size; by default that of the table, where it knows its own.
    belief
        Posterior of the table, as ``Posterior(table)``: then a rule is silent where its interval leaves the claim open.
    level, confidence_level
        Probability of these intervals.

    Returns
    -------
    list of Finding
        Each with a code, a sentence, its severity, and the numbers behind it.

    Examples
    --------
    >>> voter = Contingency.from_matrix([[0, 0, 5], [0, 0, 5], [0, 0, 50]])
    >>> [finding.code for finding in diagnose(voter)]
    ['majority_voter', 'accuracy_paradox']
    """
    return _apply_rules(TableStatistics(table, table.sample_size if n is None else n, belief, level))


def diagnose_all(tables: Mapping[str, Contingency | TableStatistics]) -> dict[str, list[Finding]]:
    """Say what several tables show, each and between them.

    ``TableStatistics`` add what tables do not know of themselves.
    """
    systems = {
        name: table if isinstance(table, TableStatistics) else TableStatistics(table, table.sample_size)
        for name, table in tables.items()
    }
    findings = {name: _apply_rules(facts) for name, facts in systems.items()}
    # a system with renamed outputs is inaccurate for that reason alone, and no measure of the others
    plain = {name: facts for name, facts in systems.items() if all(f.code != "relabelled" for f in findings[name])}
    for name in findings:
        findings[name] += find_clash(name, {**plain, name: systems[name]})
    return findings


def withheld_metrics(findings: Sequence[Finding]) -> set[str]:
    """Return the metrics whose intervals would hold too rarely, by what findings say of the sample."""
    return {name for finding in findings for name in WITHHELD_METRICS.get(finding.code, ())}


# How rules are declared and applied -----------------------------------------------------------------------------------

Find = Callable[[TableStatistics], Finding | None]


@dataclass(frozen=True)
class Rule:
    """One rule of the diagnosis, and how its finding is shown."""

    code: str
    find: Find
    severity: Severity
    action: str
    """Action, in two or three words."""
    tag: str = ""
    """The finding in two or three words, for a cell of a table."""
    silences: frozenset[str] = frozenset()
    """Findings that follow from this one and are not repeated."""

    def __call__(self, facts: TableStatistics) -> Finding | None:
        """Return the finding, if the rule applies; one function may find what several rules are about."""
        finding = self.find(facts)
        if finding is None or finding.code != self.code:
            return None
        if finding.action:  # a rule may know better what to do in a special case
            return finding
        return replace(finding, severity=self.severity, action=self.action, tag=self.tag)


RULES: list[Rule] = []
"""In the order in which a reader should see them; of two rules above one function, the lower comes first."""


def rule(
    code: str, severity: Severity, action: str, tag: str = "", silences: Collection[str] = ()
) -> Callable[[Find], Find]:
    """Add a function to the rules; the function itself stays as it is."""

    def add(find: Find) -> Find:
        RULES.append(Rule(code, find, severity, action, tag, frozenset(silences)))
        return find

    return add


def _apply_rules(facts: TableStatistics) -> list[Finding]:
    findings: list[Finding] = []
    silenced: set[str] = set()
    for candidate in RULES:
        finding = None if candidate.code in silenced else candidate(facts)
        if finding is not None:
            findings.append(finding)
            silenced |= candidate.silences
    return findings


# The words of findings ------------------------------------------------------------------------------------------------


def percent(share: float) -> str:
    """Write a share as percentage; never round to 0% or 100% what is not.

    >>> percent(0.5), percent(0.9999), percent(0.0004), percent(0.0), percent(1.0)
    ('50%', '99.99%', '0.04%', '0%', '100%')
    """
    for digits in (0, 1, 2, 3):
        text = f"{100 * share:.{digits}f}%"
        if text not in (f"{0:.{digits}f}%", f"{100:.{digits}f}%", f"{-0.0:.{digits}f}%"):
            return text
    return f"{100 * share:.0f}%" if share in (0.0, 1.0) else ("under 0.001%" if share < 0.5 else "over 99.999%")


def points(share: float) -> str:
    """Write a part of the truth's information as percentage points.

    >>> points(0.0523)
    '5.2 points'
    """
    return f"{100 * share:.1f} points"


def quoted(label: object) -> str:
    """Write a class name as a sentence shows it."""
    return f"'{label}'"


def listed(labels: Sequence[object], most: int = 4, word: str = "and") -> str:
    """Write class names in a row, the many cut short.

    >>> listed(["a", "b", "c"]), listed(range(9), most=2)
    ("'a', 'b' and 'c'", "'0', '1' and 7 more")
    """
    names = [quoted(label) for label in labels[:most]]
    if len(labels) > most:
        return f"{', '.join(names)} {word} {len(labels) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


# The table itself -----------------------------------------------------------------------------------------------------


@rule(
    "estimated_by_judge",
    "note",
    "Label more rows",
    "few labels, judged",
    silences=["few_samples", "small_sample_bias", "unseen_classes"],
)
@rule("estimated_without_truth", "warning", "Label some items", "estimated without truth")
def find_estimated_table(facts: TableStatistics) -> Finding | None:
    """Report a table that nobody counted: a model expects it, or verdicts stand for most labels, corrected by these."""
    origin = facts.table if facts.table.reweighting is None else facts.table.reweighting.origin
    if origin.estimation is None:
        return None
    code = "estimated_by_judge" if origin.estimation.basis == "judge" else "estimated_without_truth"
    return Finding(code, origin.estimation.caveat, evidence={"draws": len(origin.estimation.draws)})


@rule(
    "normalised_matrix",
    "warning",
    "Give the counts",
    "no counts",
    silences=["random", "few_samples", "loud_prior", "small_sample_bias", "unseen_classes", "favoured_classes"],
)
def find_normalised_matrix(facts: TableStatistics) -> Finding | None:
    """Report proportions in place of counts: rows, columns or all cells sum to 1 or to 100, and are fractions."""
    table = facts.table
    total = float(table.grand_total)
    if table.is_counts or table.weight_squares is not None or table.is_sparse or facts.n is None:
        return None
    if not np.isclose(facts.n, total) or min(facts.class_numbers) < 2:  # the sample size was stated
        return None
    sums = {"each row": table.row_totals, "each column": table.column_totals, "all": np.array([total])}
    for part, totals in sums.items():
        for whole in (1.0, 100.0):
            rounding = THRESHOLDS.normalised_rounding * whole**0.5 * max(table.shape)  # 0.33 and 33.3 are rounded
            if np.all(np.abs(totals[totals > 0] - whole) <= rounding):
                by = {"each row": " by true class", "each column": " by predicted class", "all": ""}[part]
                cells = "All cells sum" if part == "all" else f"The cells of {part} sum"
                return Finding(
                    "normalised_matrix",
                    f"{cells} to {whole:.0f}, as in a confusion matrix that was normalised{by}: as counts they would "
                    f"be {total:,.0f} samples in all. Give the counts; or state how many samples there were "
                    "(--sample-size, sample_size=) and, where rows were normalised, how frequent the classes are "
                    "(--prevalence, prevalence=).",
                    evidence={"sums_to": whole, "by": part, "samples": total},
                )
    return None


@rule(
    "measured_labels",
    "warning",
    "Use a regression metric",
    "measurements?",
    silences=["relabelled", "accuracy_paradox", "merged_pair", "second_stage", "specialised"],
)
def find_measurements(facts: TableStatistics) -> Finding | None:
    """Report labels that seem to measure a quantity instead of naming classes."""
    nearness = None if facts.table.ordinal is not None else measure_nearness(facts.table)
    if nearness is None:
        return None
    return Finding("measured_labels", describe_measured_labels(nearness), evidence={"rank_correlation": nearness})


@rule(
    "only_errors",
    "warning",
    "Evaluate the whole file",
    "errors alone?",
    silences=["relabelled", "accuracy_paradox", "merged_pair", "second_stage", "specialised"],
)
def find_errors_alone(facts: TableStatistics) -> Finding | None:
    """Report that none is right although some would be by chance: a file from which the right ones were taken."""
    if facts.accuracy != 0 or not facts.n or facts.class_numbers[0] < 3 or facts.truth_bits == 0:
        return None
    expected = float(random_accuracy(facts.table))
    renaming = fit_renaming(facts.table)
    if (1 - expected) ** facts.n > THRESHOLDS.only_errors_chance:
        return None
    if renaming is not None and renaming.accuracy >= THRESHOLDS.only_errors_renamed:
        return None  # other names explain it
    hits = expected * facts.n
    return Finding(
        "only_errors",
        f"No prediction is right, where chance alone would make about {hits:,.0f} of {facts.n:,.0f} right: this looks "
        "like a list of errors, from which the right predictions were left out. Nothing can be estimated from it; "
        "evaluate the whole file.",
        evidence={"samples": facts.n, "expected": hits},
    )


# What the system does -------------------------------------------------------------------------------------------------


@rule(
    "majority_voter",
    "warning",
    "Do not use it",
    "always one class",
    silences=["random", "merged_pair", "second_stage", "specialised", "less_varied_output"],
)
def find_majority_voter(facts: TableStatistics) -> Finding | None:
    """Report nearly always the same prediction: H(S) ≈ 0."""
    if facts.truth_bits == 0 or float(facts.entropies.system) > THRESHOLDS.silent_entropy * facts.truth_bits:
        return None
    if not facts.is_below("system_entropy", THRESHOLDS.silent_limit * facts.truth_bits):
        return None
    largest = int(np.argmax(facts.table.column_shares))
    predicted, share = facts.table.system_labels[largest], float(facts.table.column_shares[largest])
    origin = facts.table if facts.table.reweighting is None else facts.table.reweighting.origin
    if share == 1.0 and origin.estimation is not None and origin.estimation.basis == "judge":
        shown = facts.shown("accuracy", facts.accuracy or 0.0)
        return Finding(
            "majority_voter",
            f"It is {quoted(predicted)} in every row: a constant column tells nothing about single rows; its accuracy, "
            f"{percent(shown)}, is how often {quoted(predicted)} is true.",
            "note",
            evidence={"predicted": str(predicted), "share": share, "accuracy": shown},
            action="Read the accuracy alone",
            tag="constant",
        )
    habit = "always" if share == 1.0 else f"in {percent(share)} of cases"
    right = ""
    if facts.accuracy is not None:
        right = f"; its accuracy in the sample, {percent(facts.accuracy)}, is the frequency of that class"
    return Finding(
        "majority_voter",
        f"It {habit} predicts {quoted(predicted)}, whatever the truth, and so captures next to nothing{right}. Check "
        "the column, whether training converged, and, with scores, whether the threshold is right.",
        evidence={
            "predicted": str(predicted),
            "share": share,
            "system_entropy": float(facts.entropies.system),
            "accuracy": facts.accuracy,
        },
    )


@rule(
    "random",
    "warning",
    "Do not use it",
    "no better than chance",
    silences=["relabelled", "merged_pair", "second_stage", "named_clusters"],
)
def find_random_output(facts: TableStatistics) -> Finding | None:
    """Report no more information than chance alone would give."""
    if facts.truth_bits == 0 or facts.class_numbers[1] < 2 or not facts.could_be_chance:
        return None
    p = facts.chance_p_value
    how = "the output is as good as independent of the truth"
    if p is not None:
        seen = "" if facts.belief is None else f" as the {percent(facts.proficiency)} in this sample"
        how = f"random predictions would show as much{seen} in {percent(p)} of samples of this size"
    return Finding(
        "random",
        f"The {percent(facts.shown_proficiency)} captured does not differ significantly from chance: {how}.",
        evidence={
            "proficiency": facts.shown_proficiency,
            "proficiency_in_sample": facts.proficiency,
            "p_value": p,
        },
    )


@rule(
    "relabelled",
    "warning",
    "Rename the outputs",
    "outputs renamed",
    silences=["accuracy_paradox", "named_clusters"],
)
def find_relabelling(facts: TableStatistics) -> Finding | None:
    """Report that another naming of the outputs is right clearly more often, beyond what fitting names explains."""
    if facts.accuracy is not None:
        renaming = find_evident_renaming(facts.table, facts.n)
        if renaming is None or not renaming.names:
            return None
        doubt = " A list of errors alone looks the same." if facts.accuracy == 0 else ""
        return Finding(
            "relabelled",
            f"The outputs look renamed: reading {_list_readings(renaming)} would lift accuracy in this sample from "
            f"{percent(facts.accuracy)} to {percent(renaming.accuracy)}; the information captured is the same either "
            f"way.{doubt}",
            evidence={
                "names": {str(output): str(label) for output, label in renaming.names.items()},
                "accuracy": facts.accuracy,
                "accuracy_renamed": renaming.accuracy,
            },
        ).with_names(_list_readings(renaming), _list_readings(renaming, len(renaming.names)))
    # the sides share no label: yes and no may have other names than in the truth, as 1 and 0
    table = facts.table
    labels = [*table.truth_labels, *(label for label in table.system_labels if label != table.reject)]
    if table.shape[0] != 2 or len(labels) != 4 or None in map(read_truth_value, labels) or facts.could_be_chance:
        return None
    renaming = fit_renaming(table)
    if renaming is None or not renaming.names:
        return None
    return Finding(
        "relabelled",
        f"The outputs look renamed: truth and predictions name yes and no differently; reading "
        f"{_list_readings(renaming)}, accuracy in this sample is {percent(renaming.accuracy)}.",
        evidence={
            "names": {str(output): str(label) for output, label in renaming.names.items()},
            "accuracy": None,
            "accuracy_renamed": renaming.accuracy,
        },
    )


def _list_readings(renaming: Renaming, most: int = 4) -> str:
    outputs = [output for output in renaming.names if output in renaming.telling] or list(renaming.names)
    readings = [f"{quoted(output)} as {quoted(renaming.names[output])}" for output in outputs[:most]]
    if len(outputs) > most:
        readings.append(f"{len(outputs) - most} more")
    return readings[0] if len(readings) == 1 else f"{', '.join(readings[:-1])} and {readings[-1]}"


@rule("named_clusters", "note", "Name the clusters", "own names")
def find_named_clusters(facts: TableStatistics) -> Finding | None:
    """Report outputs with names of their own: which class each stands for, and how well."""
    if facts.accuracy is not None or facts.truth_bits == 0:
        return None
    renaming = fit_renaming(facts.table)
    if renaming is None or not renaming.names:
        return None
    return Finding(
        "named_clusters",
        f"Truth and output share no label; read one to one as {_list_readings(renaming)}, accuracy in this sample "
        f"would be {percent(renaming.accuracy)}.",
        evidence={
            "names": {str(output): str(label) for output, label in renaming.names.items()},
            "accuracy_renamed": renaming.accuracy,
        },
    ).with_names(_list_readings(renaming), _list_readings(renaming, len(renaming.names)))


@rule("accuracy_paradox", "warning", "Do not trust accuracy", "accuracy misleads")
def find_accuracy_paradox(facts: TableStatistics) -> Finding | None:
    """Report high accuracy with little information under one dominant class, or less than always predicting it."""
    if facts.accuracy is None or facts.truth_bits == 0:
        return None
    largest, share = facts.majority
    accuracy, captured = facts.shown("accuracy", facts.accuracy), facts.shown_proficiency
    evidence: dict[str, Any] = {
        "accuracy": accuracy,
        "accuracy_in_sample": facts.accuracy,
        "proficiency": captured,
        "proficiency_in_sample": facts.proficiency,
        "majority_share": share,
        "majority_class": str(largest),
    }
    limits = facts.limits("proficiency")
    if limits is None:
        knows_little = facts.proficiency <= THRESHOLDS.paradox_proficiency
    else:
        evidence |= {"proficiency_low": limits.low, "proficiency_high": limits.high}
        knows_little = limits.low <= THRESHOLDS.paradox_proficiency and limits.high - limits.low <= THRESHOLDS.widest
    known = f"{percent(captured) if facts.proficiency > 0 else 'nothing'} of the truth's information"
    if facts.accuracy >= THRESHOLDS.paradox_accuracy and share >= THRESHOLDS.paradox_share and knows_little:
        carry = f"carry {known}"
        if captured > THRESHOLDS.paradox_proficiency:
            carry = f"may carry as little as {percent(evidence['proficiency_low'])} of the truth's information"
        return Finding(
            "accuracy_paradox",
            f"Do not judge by accuracy ({format_share(accuracy)}): always predicting {quoted(largest)} has "
            f"{format_share(share)}, and these predictions {carry}.",
            evidence=evidence,
        )
    if facts.accuracy < share and not facts.could_be_chance and facts.is_below("accuracy", share):
        return Finding(
            "accuracy_paradox",
            f"Do not judge by accuracy ({format_share(accuracy)}): always predicting {quoted(largest)} has more, "
            f"{format_share(share)}, and captures nothing, while these predictions capture {known}.",
            evidence=evidence,
        )
    return None


@rule("abstains_for_free", "warning", "Judge the rejections", "abstains for free")
def find_free_abstention(facts: TableStatistics) -> Finding | None:
    """Report that (nearly) only one class is rejected: that tells which class it is, and costs no information."""
    table = facts.table
    at = table.reject_column
    if at is None or facts.truth_bits == 0:
        return None
    rate = float(facts.table.column_shares[at])
    if rate < THRESHOLDS.rejection_rate:
        return None
    here = (table.cell_columns == at) & (table.cells > 0)
    shares = table.cells[here] / table.column_totals[at]
    left_open = float(-np.sum(shares * np.log2(shares)) + 0.0)
    if left_open > THRESHOLDS.rejection_cost * facts.truth_bits:
        return None
    rejected = [table.truth_labels[row] for row in table.cell_rows[here][np.argsort(-shares)]]
    return Finding(
        "abstains_for_free",
        f"It rejects {percent(rate)} of these samples at no cost in information, because a rejection nearly always "
        f"means {listed(rejected[:1])}: judge it by accuracy and by accuracy among accepted samples as well.",
        evidence={
            "rejection_rate": rate,
            "reject_entropy": left_open,
            "classes": [str(label) for label in rejected[:5]],
        },
    )


@rule("undeclared_reject", "warning", "Declare the rejections", "rejections undeclared")
def find_undeclared_reject(facts: TableStatistics) -> Finding | None:
    """Report a prediction that is no true class and may mean "abstained": one column more, or a telling word."""
    table = facts.table
    if table.reject is not None or len(table.truth_labels) < 2:
        return None
    true = {label for label, size in zip(table.truth_labels, table.row_totals, strict=True) if size > 0}
    never = [at for at, label in enumerate(table.system_labels) if label not in true and table.column_totals[at] > 0]
    added = [at for at, label in enumerate(table.system_labels) if label not in table.truth_labels]
    one_more = len(added) == 1 and len(table.system_labels) == len(table.truth_labels) + 1 and never in ([], added)
    words = [at for at in never if str(table.system_labels[at]).strip().casefold() in REJECTION_WORDS]
    at = added[0] if one_more else words[0] if len(words) == 1 else None
    if at is None or not set(table.truth_labels) & set(table.system_labels):
        return None
    label, rate = table.system_labels[at], float(facts.table.column_shares[at])
    count = f"predicted for {percent(rate)} of the samples" if rate else "never predicted, has a column of its own"
    return Finding(
        "undeclared_reject",
        f"{str(label)!r} is {count} and is no true class; if it means "
        f'"abstained", declare it: --reject {shlex.quote(str(label))}, in Python reject={label!r}.',
        evidence={"label": str(label), "rate": rate},
    )


@rule("merged_pair", "note", "Merge or separate", "two classes alike")
def find_merged_pair(facts: TableStatistics) -> Finding | None:
    """Report two classes that the system hardly tells apart: of those, the pair whose merging loses least."""
    table = facts.table
    if facts.class_numbers[0] < 3 or len(table.matches[0]) < 3 or facts.truth_bits == 0:
        return None
    pairs = compute_merge_losses(table)
    alike = pairs.known <= THRESHOLDS.pair_proficiency * pairs.to_know
    twins = np.flatnonzero(alike & (pairs.to_know >= THRESHOLDS.pair_weight * facts.truth_bits))
    if not len(twins):
        return None
    at = twins[np.lexsort((-pairs.to_know[twins], pairs.lost[twins]))[0]]
    first, second = int(pairs.first[at]), int(pairs.second[at])
    if facts.belief is not None:  # the two must be hard to distinguish with high posterior probability
        rows = table.counts[table.matches[0][[first, second]]]
        counts = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)
        if table.sample_size is None:
            return None
        size = float(counts.sum()) * table.sample_size / float(table.total)
        alone = Contingency.from_matrix(counts[:, np.flatnonzero(counts.sum(axis=0))])
        belief = Posterior(alone, "perks", sample_size=size)
        if belief.interval("proficiency")[1] > THRESHOLDS.pair_limit:
            return None
        # how much of the difference between two classes the system captures, on average over all pairs
        classes = len(table.matches[0])
        missed = 1 - pairs.known / np.where(pairs.to_know > 0, pairs.to_know, np.inf)
        mean_told_apart = 1 - float(missed[pairs.to_know > 0].sum()) / comb(classes, 2)
        if belief.interval("proficiency", 1 - 0.05 / len(pairs.known))[1] >= mean_told_apart:
            return None  # no worse than the system tells any two classes, though the worst of many pairs looks so
    one, other = pairs.labels[first], pairs.labels[second]
    lost, told_apart = float(pairs.lost[at]), float(pairs.known[at] / pairs.to_know[at])
    share = lost / facts.truth_bits
    loss = "nothing" if share < 1e-12 else "less than 0.1 points" if share < 0.001 else points(share)
    return Finding(
        "merged_pair",
        f"It hardly tells {quoted(one)} from {quoted(other)} (in this sample it captures {percent(told_apart)} of that "
        f"difference): merging the two would lose {loss} of captured information.",
        evidence={
            "classes": [str(one), str(other)],
            "lost_bits": lost,
            "difference_bits": float(pairs.to_know[at]),
            "known_bits": float(pairs.known[at]),
        },
    )


@rule("predicted_too_often", "note", "Move the threshold", "too many alarms")
@rule(
    "predicted_too_rarely",
    "note",
    "Move the threshold",
    "too few alarms",
    silences=["specialised", "less_varied_output"],
)
def find_miscount(facts: TableStatistics) -> Finding | None:
    """Report that the rare one of two classes is predicted much less often than it occurs, or much more often."""
    table, (rows, _) = facts.table, facts.table.matches
    if len(rows) != 2 or len(table.truth_labels) != 2:
        return None
    row = int(np.argmin(table.row_totals))  # the rare class, also where the other one is called positive
    rare = table.truth_labels[row]
    true, predicted = float(table.row_totals[row]), float(table.column_totals[table.system_labels.index(rare)])
    wrong = true + predicted - 2.0 * float(table.diagonal[list(rows).index(row)])
    fewer, more = sorted((predicted, true))
    if (
        not true
        or true > THRESHOLDS.positive_share * float(table.grand_total)
        or more < THRESHOLDS.positive_count * fewer
    ):
        return None
    if table.sample_size is not None and more - fewer < THRESHOLDS.positive_errors * wrong**0.5:
        return None

    def count_times(count: float) -> str:
        number = f"{count:,.6g}" if count < 10 or count == round(count) else f"{count:,.0f}"
        return f"{number} time{'s' * (count != 1)}"

    rarely = predicted < true
    side = "a lower one finds more of them" if rarely else "a higher one raises fewer false alarms"
    return Finding(
        "predicted_too_rarely" if rarely else "predicted_too_often",
        f"It predicts {quoted(rare)} {count_times(predicted)} where it is true {count_times(true)}; if it decides by a "
        f"score, move its threshold ({side}).",
        evidence={"positive": str(rare), "predicted": predicted, "true": true},
        command=sweep_command(str(rare)),
    )


def sweep_command(positive: str, file: str = "FILE", truth: str = "TRUTH", score: str = "COLUMN") -> str:
    """Write the command that finds a threshold, with words where the names of a file and its columns are not known."""
    file, truth, score, positive = map(shlex.quote, (file, truth, score, positive))
    return f"infoscope sweep {file} -t {truth} --score {score} --positive {positive}"


@rule("second_stage", "note", "Add a second stage")
def find_second_stage(facts: TableStatistics) -> Finding | None:
    """Report predictions that leave much open, but among few classes: a second classifier could decide there.

    A prediction that alone is not worth a finding counts only where each of its classes has enough samples: among
    thousands of classes, the few samples behind each prediction look like few classes.
    """
    table, size = facts.table, facts.table.shape[1]
    if facts.class_numbers[0] < 3 or facts.truth_bits == 0:
        return None
    # by prediction, the true classes that cover nearly all of it: rows, columns and counts of these cells
    used = np.flatnonzero(table.cells > 0)
    order = used[np.lexsort((-table.cells[used], table.cell_columns[used]))]
    columns, counts = table.cell_columns[order], table.cells[order]
    before = np.concatenate([[0.0], np.cumsum(counts)[:-1]])
    start = np.searchsorted(columns, columns)
    inside = (before - before[start]) / table.column_totals[columns] < THRESHOLDS.second_stage_cover
    rows, columns, counts = table.cell_rows[order][inside], columns[inside], counts[inside]

    classes, wholes = np.bincount(columns, minlength=size), np.bincount(columns, counts, minlength=size)
    bits = np.bincount(columns, -counts * np.log2(counts / wholes[columns]), minlength=size) / float(table.grand_total)
    has_enough = np.ones(size, dtype=bool)
    if facts.n is not None:
        has_enough[columns[counts * (facts.n / float(table.grand_total)) < THRESHOLDS.samples_per_cell]] = False
    resolved = (classes >= 2) & (classes <= THRESHOLDS.second_stage_classes) & (classes < facts.class_numbers[0])
    resolved &= (bits >= THRESHOLDS.second_stage_share * facts.truth_bits) | has_enough
    left_open = bits
    if facts.belief is not None:
        resolved[resolved] = _are_few_beyond_chance(facts, np.flatnonzero(resolved), rows, columns)
        least = np.asarray(facts.belief.by_output(facts.level)["missed_information"].low, dtype=np.float64)
        left_open = facts.table.column_shares * np.nan_to_num(least)  # by the lower limits
    predictions = np.flatnonzero(resolved)
    predictions = predictions[np.argsort(-bits[predictions], kind="stable")]
    left_open_bits = float(np.sum(left_open[predictions]))
    if not len(predictions) or left_open_bits < THRESHOLDS.second_stage_share * facts.truth_bits:
        return None

    first, last = (np.searchsorted(columns, predictions, side) for side in ("left", "right"))
    stages: list[dict[str, Any]] = [
        {
            "predicted": str(table.system_labels[at]),
            "classes": [str(table.truth_labels[row]) for row in rows[a:b]],
            "bits": float(bits[at]),
            "predicted_share": float(facts.table.column_shares[at]),
        }
        for at, a, b in zip(predictions, first, last, strict=True)
    ]
    gains = bits[predictions] / facts.truth_bits
    every = [
        f"on {quoted(stage['predicted'])}, which means {listed(stage['classes'], word='or')}, up to {points(gain)}"
        for stage, gain in zip(stages, gains, strict=True)
    ]
    named = every[:_NAMED_STAGES]
    if len(stages) > _NAMED_STAGES:
        rest = pluralize(len(stages) - _NAMED_STAGES, "more prediction")
        named.append(f"on {rest}, up to {points(float(gains[_NAMED_STAGES:].sum()))}")
    lead = (
        "A second classifier could recover, of this sample's information,"
        if len(stages) == 1
        else f"A second stage could recover up to {points(float(gains.sum()))} of this sample's information:"
    )
    evidence: dict[str, Json] = {"outputs": stages, "bits": float(bits[predictions].sum())}
    finding = Finding("second_stage", f"{lead} {'; '.join(named)}.", evidence=evidence)
    return finding.with_names("; ".join(named), "; ".join(every))


def _are_few_beyond_chance(
    facts: TableStatistics, predictions: NDArray[np.int64], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return where other classes are missing behind a prediction more than errors to any class would explain.

    Errors to any class have true classes by their frequencies; that so few errors, or fewer, are of the classes left
    out is binomial, times the ways to choose these classes and the predictions that are looked at.
    """
    table, shares, are_few = facts.table, facts.table.row_shares, []
    row_of_column = dict(zip(*map(np.ndarray.tolist, reversed(table.matches)), strict=True))
    scale = (facts.n or 0.0) / float(table.grand_total)
    for at in predictions.tolist():
        kept = np.zeros(table.shape[0], dtype=bool)
        kept[rows[columns == at]] = True
        possible = np.arange(table.shape[0]) != row_of_column.get(at, -1)
        here = table.cell_columns == at
        counts = np.bincount(table.cell_rows[here], table.cells[here] * scale, minlength=table.shape[0])
        errors, away = float(counts[possible].sum()), float(counts[possible & ~kept].sum())
        expected = float(shares[possible & ~kept].sum() / max(shares[possible].sum(), 1e-300))
        choices = comb(int(np.count_nonzero(shares[possible])), int(np.count_nonzero(kept & possible)))
        p_value = float(betainc(errors - away, away + 1, 1 - expected)) if errors > away else 1.0
        are_few.append(p_value * choices * facts.class_numbers[1] <= CHANCE_LEVEL)
    return np.array(are_few, dtype=bool)


@rule("specialised", "note", "Rebalance", "few classes predicted", silences=["less_varied_output"])
def find_specialisation(facts: TableStatistics) -> Finding | None:
    """Report predictions that are spread much less evenly than the truth."""
    k, m = facts.table.shape
    reject_column = facts.table.reject_column
    m -= reject_column is not None and float(facts.table.column_shares[reject_column]) == 0
    if k < 2 or m < 2 or not 0 < float(facts.entropies.system) < facts.truth_bits:
        return None
    truth_gap = 1.0 - facts.truth_bits / np.log2(k)
    system_gap = 1.0 - float(facts.entropies.system) / np.log2(m)
    if system_gap - truth_gap < THRESHOLDS.specialised_gap:
        return None
    limits = facts.limits("split_system_divergence")
    if limits is not None and limits.low < truth_gap + THRESHOLDS.specialised_gap / 3:
        return None
    excess = facts.table.column_shares.copy()
    rows, columns = facts.table.matches
    excess[columns] -= facts.table.row_shares[rows]
    favoured = int(np.argmax(excess))
    predicted, predicted_share = facts.table.system_labels[favoured], float(facts.table.column_shares[favoured])
    truth_share = float(predicted_share - excess[favoured])
    return Finding(
        "specialised",
        f"It specialises: in this sample its predictions spread over {2 ** float(facts.entropies.system):.1f} "
        f"classes in effect, the truth over {2**facts.truth_bits:.1f}; {quoted(predicted)} is "
        f"{percent(predicted_share)} of the predictions and {percent(truth_share)} of the truth.",
        evidence={
            "predicted": str(predicted),
            "predicted_share": predicted_share,
            "truth_share": truth_share,
            "system_divergence": float(system_gap),
            "truth_divergence": float(truth_gap),
        },
    )


@rule("less_varied_output", "note", "Predict all classes")
def find_less_varied_output(facts: TableStatistics) -> Finding | None:
    """Report true classes that are never predicted, so that H(S) < H(T) and some of it cannot be captured."""
    system = float(facts.entropies.system)
    rows, columns = facts.table.matches
    if not len(rows) or not facts.truth_bits or facts.truth_bits - system < THRESHOLDS.poor_output * facts.truth_bits:
        return None
    predicted = np.zeros(facts.table.shape[0], dtype=bool)
    predicted[rows] = facts.table.column_shares[columns] > 0
    never = np.flatnonzero(~predicted & (facts.table.row_shares > 0))
    if not len(never) or not facts.is_below("system_entropy", (1 - THRESHOLDS.poor_output / 2) * facts.truth_bits):
        return None
    ceiling = system / facts.truth_bits
    labels = [facts.table.truth_labels[at] for at in never[np.argsort(-facts.table.row_shares[never], kind="stable")]]
    return Finding(
        "less_varied_output",
        f"It never predicts {listed(labels)}, {percent(float(facts.table.row_shares[never].sum()))} of this sample: "
        f"however well chosen, its predictions could capture at most {percent(ceiling)} of the information.",
        evidence={
            "never_predicted": [str(label) for label in labels],
            "truth_entropy": facts.truth_bits,
            "system_entropy": system,
            "ceiling": ceiling,
        },
    ).with_names(listed(labels), listed(labels, len(labels)))


@rule("detection_problem", "note", "Evaluate as detection")
def find_detection_problem(facts: TableStatistics) -> Finding | None:
    """Report several classes by name, nearly all samples in one."""
    k = facts.class_numbers[0]
    effective = facts.shown("effective_classes", float(2**facts.truth_bits))
    if k < 3 or effective > THRESHOLDS.detection_classes:
        return None
    if not facts.is_below("effective_classes", THRESHOLDS.detection_limit):
        return None
    largest, share = facts.majority
    return Finding(
        "detection_problem",
        f"The truth has {k} classes by name but {effective:.1f} in effect, because {percent(share)} of this "
        f"sample is {quoted(largest)}: this is a detection problem, and accuracy says little about the rare classes.",
        evidence={
            "classes": k,
            "effective_classes": effective,
            "majority_class": str(largest),
            "majority_share": share,
        },
    )


# What the sample allows to say ----------------------------------------------------------------------------------------


@rule("few_samples", "warning", "Collect more samples", "few samples")
def find_few_samples(facts: TableStatistics) -> Finding | None:
    """Report too few samples for the cells in use: plug-in information is then too high."""
    cells = int(np.count_nonzero(facts.table.cells))
    if facts.n is None or facts.n >= THRESHOLDS.samples_per_cell * cells:
        return None
    wanted = round_up(THRESHOLDS.samples_per_cell * cells)
    evidence: dict[str, Any] = {"samples": facts.n, "occupied_cells": cells, "suggested": wanted}
    halving = ""
    limits = facts.limits("proficiency")
    if limits is not None and isinstance(facts.belief, Posterior):
        more = samples_to_halve(facts.belief, "proficiency")
        evidence |= {"samples_to_halve": more, "low": limits.low, "high": limits.high}
        halving = (
            f", and {more:,} more would halve the interval of what is captured ({percent(limits.low)} to "
            f"{percent(limits.high)})"
        )
    return Finding(
        "few_samples",
        f"{pluralize(facts.n, 'sample').capitalize()} in {pluralize(cells, 'pair')} of true and predicted class are "
        f"few: captured information tends to look too high; {wanted:,} or more would be safer{halving}.",
        evidence=evidence,
    )


@rule("loud_prior", "warning", "Collect more samples", "prior matters")
def find_loud_prior(facts: TableStatistics) -> Finding | None:
    """Report that the prior decides more than the data, or another prior would say something else."""
    if not isinstance(facts.belief, Posterior) or not facts.belief.prior_cautions:
        return None
    cautions = facts.belief.prior_cautions
    return Finding(
        "loud_prior",
        f"Read the intervals with care: {'; '.join(cautions)}.",
        evidence={"prior": facts.belief.prior, "cautions": list(cautions)},
    )


@rule("small_sample_bias", "note", "Collect more samples", "corrected for bias")
def find_small_sample_bias(facts: TableStatistics) -> Finding | None:
    """Report that the model moves the proficiency so far that doubt about this widens the interval."""
    correction = facts.belief.correction("proficiency") if isinstance(facts.belief, Posterior) else None
    if correction is None or not correction.is_large:
        return None
    return Finding(
        "small_sample_bias",
        f"The sample's captured information ({format_share(correction.sample)}) is too "
        f"{'high' if correction.sample > correction.mean else 'low'}, because rows per class are few: "
        f"{format_share(correction.mean)} is corrected, and the interval allows for that. Accuracy needs no "
        "correction.",
        evidence={
            "sample": correction.sample,
            "mean": correction.mean,
            "sd": correction.sd,
            "doubt": correction.doubt,
        },
    )


@rule("unseen_classes", "warning", "State all classes", "unseen classes")
def find_unseen_classes(facts: TableStatistics) -> Finding | None:
    """Report so many classes that occur once that others probably never did: intervals know of none of those."""
    missing = find_missing_classes(facts.table) if isinstance(facts.belief, Posterior) else None
    if missing is None:
        return None
    return Finding(
        "unseen_classes",
        f"{pluralize(missing.seen_once, 'true class')} occur once, so about {percent(missing.frequency)} of cases "
        "belong to classes that no row shows. What moves with the number of classes (information and entropies in "
        "bits, macro F1) is shown without an interval: in trials with 50 samples of 50 classes it would have held the "
        "information in bits in 6 of 10 cases. State all classes with labels= (--classes) to have it.",
        evidence={
            "classes_seen_once": missing.seen_once,
            "unseen_frequency": missing.frequency,
            "unseen_classes": missing.number,
        },
    )


@rule("absent_classes", "note", "Collect such samples", "classes without rows")
def find_absent_classes(facts: TableStatistics) -> Finding | None:
    """Report classes that were declared, and that no row has as its true or its predicted class."""
    table = facts.table
    rows, columns = table.matches
    absent = rows[(table.row_totals[rows] == 0) & (table.column_totals[columns] == 0)]
    seen = int((table.row_totals > 0).sum())
    if not absent.size or seen < 2 or table.is_sparse:
        return None
    labels = [table.truth_labels[at] for at in absent.tolist()]
    allowed = (
        ""
        if not isinstance(facts.belief, Posterior)
        else f", while intervals allow for all {len(table.truth_labels):,}"
    )
    one = len(labels) == 1
    return Finding(
        "absent_classes",
        f"No row has the declared class{'' if one else 'es'} {listed(labels)}: {'it has' if one else 'they have'} no "
        f"recall, precision or F1, macro F1 is undefined, and means over classes are about the {seen:,} that "
        f"occur{allowed}.",
        evidence={"absent": [str(label) for label in labels], "seen": seen},
    )


@rule("dominant_class", "warning", "Collect more samples", "one class dominates")
def report_dominant_class(facts: TableStatistics) -> Finding | None:
    """Report that one class has nearly all samples, so that no interval of the proficiency can be trusted."""
    belief = facts.belief
    if not isinstance(belief, Posterior | GroupPosterior):
        return None
    size = belief.origin.total if isinstance(belief, Posterior) else belief.effective_size("proficiency")
    dominant = find_dominant_class(facts.table, float(size))
    if dominant is None:
        return None
    return Finding(
        "dominant_class",
        f"'{dominant.label}' has {percent(dominant.share)} of the samples, and the other {dominant.classes:,} classes "
        f"have {dominant.others:,.4g} together: too few for an interval of the proficiency, which is therefore "
        f"withheld. In simulations with fewer than {FEWEST_PER_CLASS:.0f} samples per class it would have been above "
        "the true value in 7 to 26 of 100 cases. Collect samples of the other classes.",
        evidence={"label": dominant.label, "share": dominant.share, "others": dominant.others},
    )


@rule("unmixed_chains", "warning", "Try another seed", "sampler unconverged")
def find_unmixed_chains(facts: TableStatistics) -> Finding | None:
    """Report chains of the sampler that do not agree about the captured information."""
    r_hat = facts.belief.r_hat if isinstance(facts.belief, Posterior | GroupPosterior) else None
    if r_hat is None or r_hat < THRESHOLDS.r_hat:
        return None
    return Finding(
        "unmixed_chains",
        f"The sampler behind the intervals of information has not converged: R̂ is {r_hat:.2f} and should be below "
        f"{THRESHOLDS.r_hat:g}. Try another seed; if intervals differ by more than a tenth, do not use them.",
        evidence={"r_hat": r_hat},
    )


@rule("rare_classes", "note", "Collect such samples")
def find_rare_classes(facts: TableStatistics) -> Finding | None:
    """Report so many rare classes among many that the interval of the macro F1 covers less often than its level."""
    if not isinstance(facts.belief, Posterior) or not facts.table.is_counts or facts.limits("macro_f1") is None:
        return None
    if find_missing_classes(facts.table) is not None:  # then macro F1 has no interval
        return None
    sizes = np.asarray(facts.table.row_totals)
    rare = int(np.count_nonzero(sizes < THRESHOLDS.rare_class))
    if sizes.size < THRESHOLDS.rare_among or rare < THRESHOLDS.rare_share * sizes.size:
        return None
    if sizes.max() < THRESHOLDS.rare_contrast * sizes.mean():
        return None
    return Finding(
        "rare_classes",
        f"{rare:,} of {sizes.size:,} true classes have fewer than {THRESHOLDS.rare_class} samples, and macro F1 counts "
        "each of them as much as the frequent ones. In simulations of such tables its 95% intervals contained the true "
        "value in 90 of 100 cases.",
        evidence={"rare": rare, "classes": int(sizes.size), "held": 0.9},
    )


@rule("lookalike_labels", "warning", "Clean the labels")
def find_lookalike_labels(facts: TableStatistics) -> Finding | None:
    """Report labels that differ only by case, white space, unicode form or the spelling of a number."""
    if sum(facts.table.shape) > _MOST_NAMES:
        return None
    groups = lookalikes({*facts.table.truth_labels, *facts.table.system_labels})
    if not groups:
        return None
    every = "; ".join(listed([repr(name)[1:-1] for name in group], len(group)) for group in groups)
    shown = "; ".join(listed([repr(name)[1:-1] for name in group]) for group in groups[:3])
    shown += f"; and {len(groups) - 3} more" if len(groups) > 3 else ""
    return Finding(
        "lookalike_labels",
        "Some labels differ only by case, white space, unicode form or the spelling of a number and count as "
        f"different classes: {shown}. Spell them alike if they mean the same, "
        f"{suggest_cleaning(groups)}.",
        evidence={"groups": [list(group) for group in groups]},
    ).with_names(shown, every)


# Between two systems --------------------------------------------------------------------------------------------------


def find_clash(name: str, systems: Mapping[str, TableStatistics]) -> Iterator[Finding]:
    """Yield the clearest case of being right more often than another system, and yet less informative."""
    mine = systems[name]
    clashes = []
    for other, facts in systems.items():
        if other == name or mine.accuracy is None or facts.accuracy is None:
            continue
        if facts.table.truth_labels != mine.table.truth_labels:
            continue
        # standard errors of the differences, as if the two had seen different samples; 0 where they are not known
        noise = {}
        for metric in ("accuracy", "proficiency"):
            limits = [system.limits(metric) for system in (mine, facts)]
            noise[metric] = THRESHOLDS.clash_errors * hypot(*(0.0 if known is None else known.sd for known in limits))
        ahead, behind = mine.accuracy - facts.accuracy, facts.proficiency - mine.proficiency
        if (
            min(ahead, behind) >= THRESHOLDS.clash_margin
            and ahead >= noise["accuracy"]
            and behind >= noise["proficiency"]
        ):
            clashes.append((min(ahead, behind), other, facts))
    if not clashes:
        return
    _, other, rival = max(clashes, key=lambda clash: clash[0])
    right = [facts.shown("accuracy", facts.accuracy or 0.0) for facts in (mine, rival)]
    captured = [facts.shown_proficiency for facts in (mine, rival)]
    yield Finding(
        "non_monotone",
        f"It is right more often than {other} ({percent(right[0])} against {percent(right[1])}) but captures less "
        f"information ({percent(captured[0])} against {percent(captured[1])}): its errors are harder to undo.",
        evidence={
            "other": other,
            "accuracy": right[0],
            "other_accuracy": right[1],
            "proficiency": captured[0],
            "other_proficiency": captured[1],
        },
        severity="warning",
        action="Mind the clash",
        tag="accurate, less informed",
    )
