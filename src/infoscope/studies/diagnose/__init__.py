"""Diagnosis: rules that turn a table into sentences, each with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from infoscope.results.finding import Finding, Severity
from infoscope.studies.diagnose.confused_pairs import Confusion, confusions, directed_errors
from infoscope.studies.diagnose.confusion import merged_pair, named_clusters, only_errors, relabelled
from infoscope.studies.diagnose.pairwise import non_monotone
from infoscope.studies.diagnose.rejection import abstains_for_free, undeclared_reject
from infoscope.studies.diagnose.response import (
    accuracy_paradox,
    detection_problem,
    less_varied_output,
    lookalike_labels,
    majority_voter,
    measured_numbers,
    predicted_too_often,
    predicted_too_rarely,
    random_output,
    specialised,
)
from infoscope.studies.diagnose.sample import (
    absent_classes,
    dominant_class,
    estimated,
    few_samples,
    judged,
    loud_prior,
    normalised_matrix,
    rare_classes,
    small_sample_bias,
    unmixed_chains,
    unseen_classes,
)
from infoscope.studies.diagnose.second_stage import second_stage
from infoscope.studies.diagnose.statistics import TableBelief, TableStatistics
from infoscope.studies.diagnose.thresholds import THRESHOLDS, Thresholds
from infoscope.tables import Contingency

__all__ = [
    "RULES",
    "THRESHOLDS",
    "Confusion",
    "Finding",
    "Rule",
    "TableBelief",
    "TableStatistics",
    "Thresholds",
    "confusions",
    "diagnose",
    "diagnose_all",
    "directed_errors",
]


@dataclass(frozen=True)
class Rule:
    """One rule of the diagnosis, and how its finding is shown."""

    code: str
    find: Callable[[TableStatistics], Finding | None]
    severity: Severity
    action: str
    """What to do about it, in two or three words."""
    tag: str = ""
    """The finding in two or three words, for a cell of a table."""
    silences: frozenset[str] = frozenset()
    """Findings that follow from this one and are not repeated."""

    def __call__(self, facts: TableStatistics) -> Finding | None:
        """The finding, if the rule applies."""
        finding = self.find(facts)
        if finding is None or finding.action:  # a rule may know better what to do in a special case
            return finding
        return replace(finding, severity=self.severity, action=self.action, tag=self.tag)


RULES: tuple[Rule, ...] = (
    Rule("estimated_without_truth", estimated, "warning", "Label some items", "estimated without truth"),
    Rule(
        "estimated_by_judge",
        judged,
        "note",
        "Label more rows",
        "few labels, judged",
        frozenset({"few_samples", "small_sample_bias", "unseen_classes"}),
    ),
    Rule(
        "normalised_matrix",
        normalised_matrix,
        "warning",
        "Give the counts",
        "no counts",
        frozenset({"random", "few_samples", "loud_prior", "small_sample_bias", "unseen_classes", "favoured_classes"}),
    ),
    Rule(
        "measured_labels",
        measured_numbers,
        "warning",
        "Use a regression metric",
        "measurements?",
        frozenset({"relabelled", "accuracy_paradox", "merged_pair", "second_stage", "specialised"}),
    ),
    Rule(
        "only_errors",
        only_errors,
        "warning",
        "Evaluate the whole file",
        "errors alone?",
        frozenset({"relabelled", "accuracy_paradox", "merged_pair", "second_stage", "specialised"}),
    ),
    Rule(
        "majority_voter",
        majority_voter,
        "warning",
        "Do not use it",
        "always one class",
        frozenset({"random", "merged_pair", "second_stage", "specialised", "less_varied_output"}),
    ),
    Rule(
        "random",
        random_output,
        "warning",
        "Do not use it",
        "no better than chance",
        frozenset({"relabelled", "merged_pair", "second_stage", "named_clusters"}),
    ),
    Rule(
        "relabelled",
        relabelled,
        "warning",
        "Rename the outputs",
        "outputs renamed",
        frozenset({"accuracy_paradox", "named_clusters"}),
    ),
    Rule("named_clusters", named_clusters, "note", "Name the clusters", "own names"),
    Rule("accuracy_paradox", accuracy_paradox, "warning", "Do not trust accuracy", "accuracy misleads"),
    Rule("abstains_for_free", abstains_for_free, "warning", "Judge the rejections", "abstains for free"),
    Rule("undeclared_reject", undeclared_reject, "warning", "Declare the rejections", "rejections undeclared"),
    Rule("merged_pair", merged_pair, "note", "Merge or separate", "two classes alike"),
    Rule(
        "predicted_too_rarely",
        predicted_too_rarely,
        "note",
        "Move the threshold",
        "too few alarms",
        frozenset({"specialised", "less_varied_output"}),
    ),
    Rule("predicted_too_often", predicted_too_often, "note", "Move the threshold", "too many alarms"),
    Rule("second_stage", second_stage, "note", "Add a second stage"),
    Rule("specialised", specialised, "note", "Rebalance", "few classes predicted", frozenset({"less_varied_output"})),
    Rule("less_varied_output", less_varied_output, "note", "Predict all classes"),
    Rule("detection_problem", detection_problem, "note", "Evaluate as detection"),
    Rule("few_samples", few_samples, "warning", "Collect more samples", "few samples"),
    Rule("loud_prior", loud_prior, "warning", "Collect more samples", "prior matters"),
    Rule("small_sample_bias", small_sample_bias, "note", "Collect more samples", "corrected for bias"),
    Rule("unseen_classes", unseen_classes, "warning", "State all classes", "unseen classes"),
    Rule("absent_classes", absent_classes, "note", "Collect such samples", "classes without rows"),
    Rule("dominant_class", dominant_class, "warning", "Collect more samples", "one class dominates"),
    Rule("unmixed_chains", unmixed_chains, "warning", "Try another seed", "sampler unconverged"),
    Rule("rare_classes", rare_classes, "note", "Collect such samples"),
    Rule("lookalike_labels", lookalike_labels, "warning", "Clean the labels"),
)
"""In the order in which a reader should see them."""


def diagnose(
    table: Contingency, n: float | None = None, belief: TableBelief | None = None, level: float = 0.95
) -> list[Finding]:
    """What one table says, most important first; with a belief, only what its intervals allow to say.

    >>> voter = Contingency.from_matrix([[0, 0, 5], [0, 0, 5], [0, 0, 50]])
    >>> [finding.code for finding in diagnose(voter)]
    ['majority_voter', 'accuracy_paradox']
    """
    return _spoken(TableStatistics(table, table.sample_size if n is None else n, belief, level))


def diagnose_all(tables: Mapping[str, Contingency | TableStatistics]) -> dict[str, list[Finding]]:
    """What several tables say, each and between them; ``TableStatistics`` add what tables do not know of themselves."""
    systems = {
        name: table if isinstance(table, TableStatistics) else TableStatistics(table, table.sample_size)
        for name, table in tables.items()
    }
    said = {name: _spoken(facts) for name, facts in systems.items()}
    # a system with renamed outputs is inaccurate for that reason alone, and no measure of the others
    plain = {name: facts for name, facts in systems.items() if all(f.code != "relabelled" for f in said[name])}
    for name, findings in said.items():
        clash = non_monotone(name, {**plain, name: systems[name]})
        if clash is not None:
            findings.append(clash)
    return said


def _spoken(facts: TableStatistics) -> list[Finding]:
    found: dict[str, Finding] = {}
    silenced: set[str] = set()
    for rule in RULES:
        finding = None if rule.code in silenced else rule(facts)
        if finding is not None:
            found[rule.code] = finding
            silenced |= rule.silences
    return list(found.values())
