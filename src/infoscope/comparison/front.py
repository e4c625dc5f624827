"""Compare: from rows or tables to who is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from infoscope.comparison.answers import Answers
from infoscope.comparison.different_rows import compare_tables
from infoscope.comparison.document import Comparison
from infoscope.comparison.question import DEFAULT_METRICS, Prevalence, Question, asked_metrics
from infoscope.comparison.same_rows import MISSING_ROWS, compare_rows
from infoscope.errors import InputError
from infoscope.posterior import Posterior
from infoscope.readers import How, read_joint
from infoscope.readers.labels import Cleaning
from infoscope.tables import Contingency
from infoscope.tables.hashing import data_hash
from infoscope.tables.labels import Label
from infoscope.tables.missing import warn_of

__all__ = ["compare", "compare_answers"]


def compare(  # noqa: PLR0913 - the public front
    source: Any,
    *,
    truth: Any = None,
    system: Sequence[str] | None = None,
    metrics: str | Sequence[str] | None = None,
    baseline: str | None = None,
    rope: float | None = None,
    weight: Any = None,
    cluster: Any = None,
    reject: Label | None = None,
    positive: Label | None = None,
    prevalence: Prevalence | None = None,
    prior: Any = "default",
    level: float = 0.95,
    n: float | None = None,
    seed: int = 0,
    clean: Cleaning = (),
    how: How | None = None,
) -> Comparison:
    """Which system is better, by how much, and how sure that is.

    ``source`` is a mapping of names to label sequences with ``truth`` the true labels, or anything ``read`` takes with
    column names in ``truth`` and ``system``: then the comparison is paired, row by row. A mapping of names to
    ``Contingency`` tables is compared unpaired. ``cluster`` says which rows belong together (patients, documents), by a
    column's name or a sequence: then these are resampled whole. ``prevalence`` sees the truth classes in other shares,
    ``n`` is the sample size of tables of shares; ``clean`` and ``how`` say how rows are read. Without ``metrics`` it is
    the erroneous information ratio and the proficiency.

    >>> truth = ["cat", "dog", "cow"] * 30
    >>> good = truth[:-3] + ["dog", "cow", "cat"]
    >>> poor = ["cat", "cat", "cow"] * 30
    >>> result = compare({"good": good, "poor": poor}, truth=truth)
    >>> [(pair.metric, pair.verdict) for pair in result.pairs]
    [('erroneous_information_ratio', "can't tell"), ('proficiency', 'better')]
    """
    question = Question(
        asked_metrics(metrics), level, rope, prior, seed, baseline, prevalence, named=metrics is not None
    )
    if isinstance(source, Mapping) and all(isinstance(part, Contingency) for part in source.values()):
        if cluster is not None:
            raise InputError("finished tables do not know which rows belong together; cluster= needs the rows")
        return replace(compare_tables(dict(source), question, n), hashes=_hashes(source))
    if n is not None:
        raise InputError("n is the sample size of a table of shares; rows are counted, so leave it out")
    if isinstance(source, Mapping) and truth is not None and not isinstance(truth, str):
        answers = Answers.from_labels(
            truth, source, sample_weight=weight, cluster=cluster, reject=reject, positive=positive
        )
    else:
        if not isinstance(truth, str) or system is None:
            raise InputError("name the truth column and at least two system columns, or give a mapping of tables")
        if cluster is not None and (not isinstance(cluster, str) or cluster in (truth, *system)):
            raise InputError(f"cluster is {cluster!r}; name a column of its own, beside truth and systems")
        beside = () if cluster is None else (cluster,)
        joint = read_joint(source, truth=truth, system=[*system, *beside], weight=weight, clean=clean, how=how)
        answers = Answers.from_joint(joint, cluster=cluster, reject=reject, positive=positive)
    found = compare_rows(answers, question)
    warn_of(finding.text for finding in found.findings if finding.code == MISSING_ROWS)
    return replace(found, hashes=_hashes({name: answers.table(name) for name in found.systems}))


def _hashes(tables: Mapping[str, Contingency]) -> dict[str, str]:
    return {name: data_hash(table) for name, table in tables.items()}


def compare_answers(
    answers: Answers,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    level: float = 0.95,
    prior: Any = "default",
    seed: int = 0,
    known: Mapping[str, Posterior] | None = None,
) -> Comparison:
    """The same for rows that were read already, without swap tests.

    ``known`` holds beliefs about systems from all the rows that each answered; they serve every pair that shares these.
    """
    question = Question(asked_metrics(metrics), level, None, prior, seed, swaps=False, named=False)
    return compare_rows(answers, question, known or {})
