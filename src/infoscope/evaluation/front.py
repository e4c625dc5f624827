"""The public front: evaluate a table, several, or a source of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from infoscope.diagnosis import Facts, Finding, diagnose_all
from infoscope.evaluation.believing import Uncertainty, believed
from infoscope.evaluation.document import Evaluation, Source
from infoscope.evaluation.measuring import Subject, measure
from infoscope.evaluation.subjects import Prevalence, Request, gather, prepared
from infoscope.tables.labels import Label

__all__ = ["evaluate"]


def evaluate(  # noqa: PLR0913 - the public front
    source: Any,
    truth: str | None = None,
    system: str | Sequence[str] | None = None,
    *,
    weight: str | None = None,
    by: str | Sequence[str] | None = None,
    reject: Label | None = None,
    positive: Label | None = None,
    prevalence: Prevalence | None = None,
    clusters: bool = False,
    prior: Any = "default",
    level: float = 0.95,
    n: float | None = None,
    seed: int = 0,
) -> Evaluation:
    """Everything there is to say about one or several systems.

    ``source`` is a table, tables by name, or anything that rows can be read from; then ``truth`` and ``system``
    name its columns.

    >>> from infoscope.tables import Contingency
    >>> evaluate({"A": Contingency.from_matrix([[2, 3], [0, 45]])})
    Evaluation of 1 system
      A: 31.0% of the truth's information captured
    """
    how = Uncertainty(prior, level, n, seed)
    origin, subjects = gather(source, Request(truth, system, weight, by, reject, positive))
    seen = [
        believed(replace(subject, table=prepared(subject.table, prevalence, clusters=clusters)), how)
        for subject in subjects
    ]
    return _evaluated(origin, seen, how)


def _evaluated(origin: Source, subjects: Sequence[Subject], how: Uncertainty) -> Evaluation:
    findings = _findings(subjects, how)
    systems = tuple(measure(subject, found, how.level) for subject, found in zip(subjects, findings, strict=True))
    if origin.rows is None and subjects and all(subject.table.is_counts for subject in subjects):
        rows = int(max(subject.table.total for subject in subjects)) + sum(origin.ignored.values())
        origin = replace(origin, rows=rows)
    return Evaluation(origin, systems)


def _findings(subjects: Sequence[Subject], how: Uncertainty) -> list[list[Finding]]:
    """Each group is diagnosed by itself: systems are compared where they saw the same truth."""
    groups: dict[tuple[tuple[str, str], ...], dict[int, Subject]] = {}
    for at, subject in enumerate(subjects):
        groups.setdefault(tuple((subject.group or {}).items()), {})[at] = subject
    said: dict[int, list[Finding]] = {}
    for members in groups.values():
        facts = {
            subject.name: Facts(subject.table, subject.n, subject.belief, how.level) for subject in members.values()
        }
        by_name = diagnose_all(facts)
        said |= {at: by_name[subject.name] for at, subject in members.items()}
    return [said[at] for at in range(len(subjects))]
