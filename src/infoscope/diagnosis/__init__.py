"""Diagnosis: rules that turn a table into sentences, each with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from infoscope.diagnosis.abstaining import abstains_for_free
from infoscope.diagnosis.between import non_monotone
from infoscope.diagnosis.confusing import merged_pair, named_clusters, relabelled
from infoscope.diagnosis.facts import Belief, Facts
from infoscope.diagnosis.finding import Finding
from infoscope.diagnosis.habits import (
    accuracy_paradox,
    detection_problem,
    less_varied_output,
    lookalike_labels,
    majority_voter,
    random_output,
    specialised,
)
from infoscope.diagnosis.pairs import Confusion, confusions
from infoscope.diagnosis.sampling import (
    balanced_classes,
    few_samples,
    loud_prior,
    small_sample_bias,
    unseen_classes,
)
from infoscope.diagnosis.stages import second_stage
from infoscope.diagnosis.thresholds import THRESHOLDS, Thresholds
from infoscope.tables import Contingency

__all__ = [
    "RULES",
    "THRESHOLDS",
    "Belief",
    "Confusion",
    "Facts",
    "Finding",
    "Thresholds",
    "confusions",
    "diagnose",
    "diagnose_all",
]

Rule = Callable[[Facts], Finding | None]

RULES: tuple[tuple[str, Rule], ...] = (
    ("majority_voter", majority_voter),
    ("random", random_output),
    ("relabelled", relabelled),
    ("named_clusters", named_clusters),
    ("accuracy_paradox", accuracy_paradox),
    ("abstains_for_free", abstains_for_free),
    ("merged_pair", merged_pair),
    ("second_stage", second_stage),
    ("specialised", specialised),
    ("less_varied_output", less_varied_output),
    ("detection_problem", detection_problem),
    ("few_samples", few_samples),
    ("loud_prior", loud_prior),
    ("small_sample_bias", small_sample_bias),
    ("unseen_classes", unseen_classes),
    ("balanced_classes", balanced_classes),
    ("lookalike_labels", lookalike_labels),
)
"""In the order in which a reader should hear them."""

_SILENCED: Mapping[str, frozenset[str]] = {
    "majority_voter": frozenset({"random", "merged_pair", "second_stage", "specialised", "less_varied_output"}),
    "random": frozenset({"merged_pair", "second_stage", "named_clusters"}),
    "specialised": frozenset({"less_varied_output"}),
    "relabelled": frozenset({"accuracy_paradox"}),
}
"""What follows from a finding is not said again."""


def diagnose(
    table: Contingency, n: float | None = None, belief: Belief | None = None, level: float = 0.95
) -> list[Finding]:
    """What one table says, most important first; with a belief, only what its intervals allow to say.

    >>> voter = Contingency.from_matrix([[0, 0, 5], [0, 0, 5], [0, 0, 50]])
    >>> [finding.code for finding in diagnose(voter)]
    ['majority_voter', 'accuracy_paradox']
    """
    return _spoken(Facts(table, table.sample_size if n is None else n, belief, level))


def diagnose_all(tables: Mapping[str, Contingency | Facts]) -> dict[str, list[Finding]]:
    """What several tables say, each and between them; ``Facts`` add what tables do not know of themselves."""
    systems = {
        name: table if isinstance(table, Facts) else Facts(table, table.sample_size) for name, table in tables.items()
    }
    said = {name: _spoken(facts) for name, facts in systems.items()}
    # a system with renamed outputs is inaccurate for that reason alone, and no measure of the others
    plain = {name: facts for name, facts in systems.items() if all(f.code != "relabelled" for f in said[name])}
    for name, findings in said.items():
        clash = non_monotone(name, {**plain, name: systems[name]})
        if clash is not None:
            findings.append(clash)
    return said


def _spoken(facts: Facts) -> list[Finding]:
    found: dict[str, Finding] = {}
    for code, rule in RULES:
        if not any(code in _SILENCED.get(known, ()) for known in found):
            finding = rule(facts)
            if finding is not None:
                found[code] = finding
    return list(found.values())
