"""The public front: evaluate a table, several, or a source of rows."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from infoscope.diagnosis import Finding, diagnose_all
from infoscope.errors import InputError
from infoscope.evaluation.document import Evaluation, Source
from infoscope.evaluation.measuring import Belief, Subject, measure
from infoscope.evaluation.subjects import Prevalence, Request, gather, prepared
from infoscope.tables import Contingency
from infoscope.tables.labels import Label

__all__ = ["Uncertainty", "evaluate"]


@dataclass(frozen=True)
class Uncertainty:
    """How intervals are made."""

    prior: Any = "default"
    level: float = 0.95
    n: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse levels and sizes that mean nothing."""
        if not 0 < self.level < 1:
            raise InputError(f"the level is {self.level}; an interval's level lies between 0 and 1, as 0.95")
        if self.n is not None and not 0 < self.n < float("inf"):
            raise InputError(f"the sample size is {self.n}; it must be a number above 0")


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
    prior: Any = "default",
    level: float = 0.95,
    n: float | None = None,
    seed: int = 0,
) -> Evaluation:
    """Everything there is to say about one or several systems.

    ``source`` is a table, tables by name, or anything that rows can be read from; then ``truth`` and ``system``
    name its columns, ``clean`` what is done to labels and ``reader`` (an ``infoscope.readers.How``) who reads them.

    >>> from infoscope.tables import Contingency
    >>> evaluate({"A": Contingency.from_matrix([[2, 3], [0, 45]])})
    Evaluation of 1 system
      A: 31.0% of the truth's information captured
    """
    how = Uncertainty(prior, level, n, seed)
    origin, subjects = gather(source, Request(truth, system, weight, by, reject, positive, clean, reader))
    marked = [replace(subject, clusters=clusters) for subject in subjects]
    seen = [_seen(subject, prepared(subject.table, prevalence, clusters=clusters), how) for subject in marked]
    return _evaluated(origin, seen, how)


def _seen(subject: Subject, table: Contingency, how: Uncertainty) -> Subject:
    n = subject.n if how.n is None else how.n
    # among a million groups nearly all cells are empty, and no prior about them is worth its interval
    believable = not (subject.clusters and table.is_sparse)
    return replace(subject, table=table, n=n, belief=_belief(table, n, how) if believable else None)


def _belief(table: Contingency, n: float | None, how: Uncertainty) -> Belief | None:
    """The posterior about a table, seen as n samples; None where n is not known."""
    if n is None or importlib.util.find_spec("infoscope.posterior") is None:
        return None
    posterior: Any = importlib.import_module("infoscope.posterior")
    belief: Belief = posterior.Posterior(_as_samples(table, n), how.prior, seed=how.seed)
    return belief


def _as_samples(table: Contingency, n: float) -> Contingency:
    """The same shares, counted on n samples; of a re-weighted table, those of the table it came from."""
    recipe = table.reweighting
    if recipe is not None:
        return replace(table, reweighting=replace(recipe, origin=_as_samples(recipe.origin, n)))
    return table if n == table.total else table.with_cells(table.cells * (n / table.total))


def _evaluated(origin: Source, subjects: Sequence[Subject], how: Uncertainty) -> Evaluation:
    findings = _findings(subjects)
    systems = tuple(measure(subject, found, how.level) for subject, found in zip(subjects, findings, strict=True))
    if origin.rows is None and subjects and all(subject.table.is_counts for subject in subjects):
        rows = int(max(subject.table.total for subject in subjects)) + sum(origin.ignored.values())
        origin = replace(origin, rows=rows)
    return Evaluation(origin, systems)


def _findings(subjects: Sequence[Subject]) -> list[list[Finding]]:
    """Each group is diagnosed by itself: systems are compared where they saw the same truth."""
    groups: dict[tuple[tuple[str, str], ...], dict[int, Subject]] = {}
    for at, subject in enumerate(subjects):
        groups.setdefault(tuple((subject.group or {}).items()), {})[at] = subject
    said: dict[int, list[Finding]] = {}
    for members in groups.values():
        tables: Mapping[str, Contingency] = {subject.name: subject.table for subject in members.values()}
        sizes = {subject.name: subject.n for subject in members.values()}
        by_name = diagnose_all(tables, sizes)
        said |= {at: by_name[subject.name] for at, subject in members.items()}
    return [said[at] for at in range(len(subjects))]
