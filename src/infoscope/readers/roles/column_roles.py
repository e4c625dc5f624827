"""Which columns hold the truth, the predictions and the scores: guessed from their names and, more, their contents.

A guess is sure only where nothing speaks for another one: several columns that may be the truth, labels in other words,
rows of several models, a list of errors or values that any column may have leave a question instead.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from infoscope.core.scratch_files import scratch_folder
from infoscope.errors import Advised
from infoscope.readers.column_names import file_columns
from infoscope.readers.files import Files
from infoscope.readers.reader import ReadOptions, files_of
from infoscope.readers.roles.column_contents import SPLIT_WORDS, ColumnContents
from infoscope.readers.roles.column_evidence import ColumnEvidence, TruthCandidate
from infoscope.readers.roles.role_questions import predictions_question, truth_question
from infoscope.readers.rows.first_rows import first_rows
from infoscope.typing import Source

__all__ = ["ColumnRoles", "column_roles", "roles_of", "with_repeated_names"]


@dataclass(frozen=True)
class ColumnRoles:
    """What the columns are taken for, with the reasons; a question where that is not sure."""

    truth: str | None = None
    systems: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    system_scores: tuple[str, ...] = ()
    """For each system the score whose threshold gives its predictions of two classes; empty unless all have one."""
    key: str | None = None
    """A column that names the rows."""
    layout: str | None = None
    """A column that names the system of each row."""
    reasons: tuple[str, ...] = ()
    """What was taken for what and why, a sentence each."""
    question: str | None = None
    """Why this is not sure, and what would settle it; None where it is sure."""
    rows: int = 0

    @property
    def is_sure(self) -> bool:
        """Whether nothing speaks for another choice."""
        return self.question is None


def column_roles(
    source: Source, read: ReadOptions | None = None, *, truth: str | None = None, systems: Sequence[str] = ()
) -> ColumnRoles:
    """What the columns of files, a frame or a mapping hold; those that are known already are not guessed.

    >>> found = column_roles({"label": ["cat", "dog"] * 9, "svm": ["cat", "dog", "dog"] * 6, "id": list(range(18))})
    >>> found.truth, found.systems, found.is_sure
    ('label', ('svm',), True)
    """
    return roles_of(first_rows(source, read), truth=truth, systems=systems)


def roles_of(
    rows: Mapping[str, Sequence[Any]],
    *,
    truth: str | None = None,
    systems: Sequence[str] = (),
    others: Sequence[str] = (),
    source: str = "SOURCE",
) -> ColumnRoles:
    """The same for values by column; ``others`` are columns that have a role of another kind.

    ``source`` is the name of the file in commands that a sentence advises.
    """
    columns = [ColumnContents.of(name, values) for name, values in rows.items() if name not in others]
    evidence = ColumnEvidence(columns, truth, systems, source)
    best = max(evidence.candidates, key=lambda each: each.points, default=None)
    if best is None:
        return _found(evidence, None, (), truth_question(evidence))
    twin = evidence.twin(best)
    if twin is not None and best.truth.is_numeric and not twin.truth.is_numeric:
        best, twin = twin, best  # names say more than numbers
    reasons = (*_reasons(evidence, best), *_other_columns(evidence, best, twin))
    return _found(evidence, best, reasons, predictions_question(evidence, best, twin))


def with_repeated_names(roles: ColumnRoles, source: Source, read: ReadOptions | None = None) -> ColumnRoles:
    """What columns are taken for, with a sentence about those that share a name, none of which can be taken.

    >>> with_repeated_names(ColumnRoles(truth="label"), {"label": ["a"]}).reasons
    ()
    """
    names = _repeated_names(source, read or ReadOptions())
    if not names:
        return roles
    listed = " or ".join(map(repr, names[:3]))
    if roles.question is None:
        return replace(roles, reasons=(*roles.reasons, f"not used: several columns that are named {listed}"))
    return replace(roles, question=roles.question + f"; several columns are named {listed}: rename them")


def _repeated_names(source: Source, how: ReadOptions) -> list[str]:
    if not isinstance(source, (str, PathLike, Files)):
        return []
    with scratch_folder() as folder:
        files = files_of(source, how, folder)
        names = list(file_columns(files, how)) if files is not None and files.format != "ifs" else []
    return [name for name, times in Counter(names).items() if times > 1]


def _found(
    evidence: ColumnEvidence, best: TruthCandidate | None, reasons: tuple[str, ...], question: str | None
) -> ColumnRoles:
    truth, systems = (None, ()) if best is None else (best.truth, best.systems)
    layout = evidence.layout(truth) if truth is not None else None
    return ColumnRoles(
        truth=None if truth is None else truth.name,
        systems=tuple(column.name for column in systems),
        scores=tuple(column.name for column in evidence.scores),
        system_scores=evidence.system_scores(truth, systems),
        key=evidence.key,
        layout=None if layout is None else layout.name,
        reasons=reasons,
        question=question,
        rows=evidence.rows,
    )


def _reasons(evidence: ColumnEvidence, best: TruthCandidate) -> Iterator[str]:
    truth = best.truth
    if evidence.stated is None:
        why = "named so" if truth.truth_name >= 2 else "the only other column with these classes"
        yield f"truth: {truth.name!r} ({why}; {len(truth.counts):,} classes: {truth.described()})"
    if best.systems and not evidence.wanted:
        yield f"predictions: {', '.join(f'{column.name!r} ({_why(truth, column)})' for column in best.systems)}"


def _other_columns(evidence: ColumnEvidence, best: TruthCandidate, twin: TruthCandidate | None) -> Iterator[str]:
    """What is not used, and what else the columns are good for."""
    if twin is not None:
        names = " and ".join(repr(c.name) for c in (twin.truth, *twin.certain))
        yield f"not used: {names}, the same labels as {twin.truth.described()}"
    constant = [c for c in evidence.columns if len(c.counts) == 1 and set(c.counts) <= set(best.truth.counts)]
    left = [c for c in best.perhaps if c not in (*best.systems, *constant)]
    choose = "; choose them as predictions if they are"
    if left:
        yield Advised(f"not used: {_names(left)}, which may be features", terminal="; -s names them too", page=choose)
    unused = [c for c in constant if c not in best.systems]
    if unused and not evidence.wanted:
        names = f"not used: {_names(unused)}, always the same class"
        yield Advised(names, terminal="; -s names such columns", page=choose)
    scores = evidence.system_scores(best.truth, best.systems)
    if scores:
        of = "it" if len(scores) == 1 else "each"
        yield f"scores: {', '.join(map(repr, scores))} (a threshold of {of} gives the predictions)"
    elif evidence.scores:
        found = f"scores: {_names(evidence.scores)}, for "
        yield Advised(found, terminal="infoscope sweep --score", page="the page of thresholds")
    yield from _splits(evidence)


def _splits(evidence: ColumnEvidence) -> Iterator[str]:
    """Columns of which some rows may be training data."""
    for column in evidence.labels:
        if column.has_word(SPLIT_WORDS) and 2 <= len(column.counts) <= 20:
            apart = f"--by {shlex.quote(column.name)} evaluates them apart"
            yield Advised(
                f"{column.name!r} has {column.described()} together",
                terminal=f"; {apart}",
                page=f"; in a terminal, infoscope evaluate {evidence.source} {apart}",
            )


def _why(truth: ColumnContents, column: ColumnContents) -> str:
    same = sum(a == b for a, b in zip(truth.texts, column.texts, strict=False) if a is not None)
    rate = same / max(truth.known, 1)
    return f"{'named so; ' * (column.predicted_name >= 3)}right in {rate:.0%} of {truth.known:,} rows"


def _names(columns: Sequence[ColumnContents]) -> str:
    return ", ".join(repr(column.name) for column in columns)
