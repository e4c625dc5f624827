"""The public front: evaluate a table, several, or a source of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from infoscope.diagnosis import Facts, Finding, diagnose_all
from infoscope.errors import InputError
from infoscope.evaluation.believing import Uncertainty, believed
from infoscope.evaluation.comparing import compared
from infoscope.evaluation.measuring import Subject, measure
from infoscope.evaluation.result import Evaluation
from infoscope.evaluation.subjects import Gathered, Prevalence, Request, gather, prepared
from infoscope.evaluation.until import Goal, gather_until
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
    clean: str | Sequence[str] = (),
    reader: Any = None,
    prevalence: Prevalence | None = None,
    clusters: bool = False,
    cluster: str | None = None,
    until: Any = None,
    prior: Any = "default",
    level: float = 0.95,
    n: float | None = None,
    seed: int = 0,
) -> Evaluation:
    """Everything there is to say about one or several systems.

    ``source`` is a table, tables by name, or anything that rows can be read from; then ``truth`` and ``system``
    name its columns, ``clean`` what is done to labels and ``reader`` (an ``infoscope.readers.How``) who reads them.
    ``cluster`` names a column of what rows belong together (patients, documents): intervals then come from resampling
    those whole. ``until`` ("width=0.02", "accuracy.width=0.05") reads random blocks only until the interval of a metric
    is that narrow.

    >>> from infoscope.tables import Contingency
    >>> evaluate({"A": Contingency.from_matrix([[2, 3], [0, 45]])})
    A captures 30.4% of the information in the truth (1 system).
    """
    how = Uncertainty(prior, level, n, seed)
    if cluster is not None and clusters:
        raise InputError("answers that are clusters cannot be resampled by cluster yet; leave one of the two out")
    request = Request(truth, system, weight, by, reject, positive, clean, reader, cluster)

    def as_asked(subject: Subject) -> Subject:
        return replace(subject, table=prepared(subject.table, prevalence, clusters=clusters), clusters=clusters)

    if until is None:
        found = gather(source, request)
    else:
        found = gather_until(source, request, Goal.asked(until), how, as_asked)
    seen = [believed(as_asked(subject), how) for subject in found.subjects]
    return _evaluated(replace(found, subjects=seen), how)


def _evaluated(found: Gathered, how: Uncertainty) -> Evaluation:
    provenance, subjects = found.provenance, found.subjects
    findings = _findings(subjects, how)
    systems = tuple(measure(subject, found, how.level) for subject, found in zip(subjects, findings, strict=True))
    if provenance.rows is None and subjects and all(subject.table.is_counts for subject in subjects):
        rows = int(max(subject.table.total for subject in subjects)) + provenance.rows_ignored
        provenance = replace(provenance, rows=rows)
    hashes = {system.title: system.data_hash for system in systems if system.data_hash is not None}
    comparison, by_group = compared(found.joints, subjects, systems, how)
    return Evaluation(
        systems,
        comparison,
        by_group,
        found.adaptive,
        replace(provenance, hashes=hashes),
        tuple(_about_rows(found)),
    )


def _about_rows(found: Gathered) -> Iterator[Finding]:
    for item in found.provenance.ignored:
        text = f"{item.rows:,} row{'s' * (item.rows != 1)} left out: {item.reason}."
        yield Finding("rows_ignored", text, "warning", {"reason": item.reason, "rows": item.rows})
    if found.adaptive is not None:
        yield Finding("read_in_part", f"{found.adaptive.text}.", "warning" if found.adaptive.sorted else "note")


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
