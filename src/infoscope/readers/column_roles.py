"""Which columns hold the truth, the predictions and the scores: guessed from their names and, more, their contents.

A guess is sure only where nothing speaks for another one: several columns that may be the truth, labels in other words,
rows of several models, a list of errors or values that any column may have leave a question instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infoscope.readers.column_agreement import are_one_to_one, are_only_errors, association, kappa, shared_share
from infoscope.readers.column_contents import (
    ALTERNATIVE_WORDS,
    KEY_WORDS,
    LAYOUT_WORDS,
    SPLIT_WORDS,
    ColumnContents,
)
from infoscope.readers.first_rows import first_rows
from infoscope.readers.reader import ReadOptions
from infoscope.tables.labels import positive_of
from infoscope.typing import Source

__all__ = ["ColumnRoles", "column_roles", "roles_of"]

MAX_COMPARED = 60
"""Columns that are compared in pairs."""
MIN_SHARED = 0.8
"""Share of predictions that are one of the true classes."""
MIN_AGREEMENT = 0.15
"""Kappa from which on values that any column may have are taken for predictions, without certainty."""
SURE_AGREEMENT = 0.3
FEW_CLASSES = 5
"""Classes below which two columns agree by chance of their meaning, as flags do."""
MIN_ASSOCIATION = 0.2


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
) -> ColumnRoles:
    """The same for values by column; ``others`` are columns that have a role of another kind."""
    columns = [ColumnContents.of(name, values) for name, values in rows.items() if name not in others]
    return _Guess(columns, truth, tuple(systems)).roles()


@dataclass(frozen=True)
class _Candidate:
    """A column that may be the truth, with the columns that may hold predictions of it."""

    truth: ColumnContents
    certain: tuple[ColumnContents, ...]
    perhaps: tuple[ColumnContents, ...]

    @property
    def points(self) -> float:
        return self.truth.truth_name + 2.0 * bool(self.certain) + bool(self.perhaps)


class _Guess:
    """The columns of a source, and what speaks for each role."""

    def __init__(self, columns: Sequence[ColumnContents], truth: str | None, systems: tuple[str, ...]) -> None:
        self.columns = columns
        self.stated = truth
        self.wanted = systems
        self.by_name = {column.name: column for column in columns}
        self.scores = [c for c in columns if c.is_score and c.name not in (truth, *systems)]
        scores = {column.name for column in self.scores}
        self.labels = self._compared([c for c in columns if c.is_labels and c.name not in scores])
        self.rows = max((len(column.texts) for column in columns), default=0)

    def _compared(self, labels: list[ColumnContents]) -> list[ColumnContents]:
        """Columns that are compared with each other: of very many those whose names say something, and the first."""
        if len(labels) <= MAX_COMPARED:
            return labels
        stated = {self.stated, *self.wanted}
        telling = [c for c in labels if c.name in stated or c.truth_name or c.predicted_name or c.is_named_model]
        kept = {column.name for column in (*telling, *labels[:MAX_COMPARED])}
        return [column for column in labels if column.name in kept][: 2 * MAX_COMPARED]

    def roles(self) -> ColumnRoles:
        candidates = self._candidates()
        best = max(candidates, key=lambda each: each.points, default=None)
        if best is None:
            return self._found(question=self._no_truth())
        twin = self._twin(best, candidates)
        if twin is not None and best.truth.is_numeric and not twin.truth.is_numeric:
            best, twin = twin, best  # names say more than numbers
        systems = self._systems(best)
        question = self._question(best, systems, [c for c in candidates if c not in (best, twin)])
        reasons = (*self._reasons(best, systems), *self._beside(best, systems, twin))
        return self._found(best.truth, systems, reasons, question)

    def _found(
        self,
        truth: ColumnContents | None = None,
        systems: Sequence[ColumnContents] = (),
        reasons: tuple[str, ...] = (),
        question: str | None = None,
    ) -> ColumnRoles:
        layout = self._layout(truth) if truth is not None else None
        return ColumnRoles(
            truth=None if truth is None else truth.name,
            systems=tuple(column.name for column in systems),
            scores=tuple(column.name for column in self.scores),
            system_scores=self._system_scores(truth, systems),
            key=self._key(),
            layout=None if layout is None else layout.name,
            reasons=reasons,
            question=question,
            rows=self.rows,
        )

    # ── who may be the truth ─────────────────────────────────────────────────────────────────

    def _candidates(self) -> list[_Candidate]:
        """Columns that may be the truth: one that was named, else labels whose name or contents say so."""
        if self.stated is not None:
            stated = self.by_name.get(self.stated)
            return [] if stated is None else [self._candidate(stated)]
        free = [c for c in self.labels if c.name not in self.wanted and not c.is_named_prediction and len(c.counts) > 1]
        found = [self._candidate(column) for column in free]
        return [each for each in found if each.certain or each.perhaps or each.truth.truth_name >= 2]

    def _candidate(self, truth: ColumnContents) -> _Candidate:
        if self.wanted:
            named = tuple(self.by_name[name] for name in self.wanted if name in self.by_name)
            fitting = tuple(c for c in named if shared_share(truth, c) >= MIN_SHARED)
            return _Candidate(truth, fitting if len(fitting) == len(named) else (), ())
        certain: list[ColumnContents] = []
        perhaps: list[ColumnContents] = []
        for column in self.labels:
            if column is not truth and shared_share(truth, column) >= MIN_SHARED and column.truth_name < 3:
                strength = self._strength(truth, column)
                if strength:
                    (certain if strength > 1 else perhaps).append(column)
        return _Candidate(truth, tuple(certain), tuple(perhaps))

    @staticmethod
    def _strength(truth: ColumnContents, column: ColumnContents) -> int:
        """How certain it is that a column with the same classes holds predictions: 2 certain, 1 possible, 0 not."""
        agreement = kappa(truth, column)
        if column.predicted_name >= 3:
            return 2 if not truth.is_generic or shared_share(truth, column) == 1 or agreement > SURE_AGREEMENT else 1
        if _is_alternative(truth, column):
            return 1
        if column.is_named_model:
            enough = SURE_AGREEMENT if len(truth.counts) < FEW_CLASSES else MIN_AGREEMENT
            return 2 if not truth.is_generic or agreement > enough else 1
        if truth.is_generic:
            return int(agreement > MIN_AGREEMENT or column.predicted_name == 2)
        return 2 if agreement > MIN_AGREEMENT else 1

    def _twin(self, best: _Candidate, candidates: Sequence[_Candidate]) -> _Candidate | None:
        """A candidate that holds the same labels in other words, as numbers beside names."""
        for other in candidates:
            if other is not best and are_one_to_one(best.truth, other.truth):
                pairs = zip(best.certain, other.certain, strict=False)
                if len(best.certain) == len(other.certain) and all(are_one_to_one(a, b) for a, b in pairs):
                    return other
        return None

    def _systems(self, best: _Candidate) -> tuple[ColumnContents, ...]:
        """Columns taken as predictions: the sure ones, else those that may be."""
        return best.certain or best.perhaps

    # ── what leaves a question ───────────────────────────────────────────────────────────────

    def _question(
        self, best: _Candidate, systems: Sequence[ColumnContents], rivals: Sequence[_Candidate]
    ) -> str | None:
        truth = best.truth
        if self._is_headless():
            return self._headless()
        if not systems and self.wanted:
            return f"no column has the classes of {' and '.join(map(repr, self.wanted))}"
        if not systems:
            return self._no_predictions(truth)
        layout = self._layout(truth)
        if layout is not None:
            return (
                f"{layout.name!r} names the system of each row ({layout.described()}): evaluate them apart with --by "
                f"{layout.name}"
            )
        for column in systems:
            if are_only_errors(truth, column):
                return (
                    f"{truth.name!r} and {column.name!r} differ in every one of {self.rows:,} rows: this looks like a "
                    "list of errors, of which nothing can be estimated; give the file with all predictions"
                )
        return self._doubt(best, systems, rivals)

    def _doubt(self, best: _Candidate, systems: Sequence[ColumnContents], rivals: Sequence[_Candidate]) -> str | None:
        truth = best.truth
        if self.stated is None:
            equal = [each.truth.name for each in rivals if self._rivals(each, best)]
            equal = equal or [c.name for c in systems if c.truth_name >= 2 and not best.certain]
            if equal:
                names = " and ".join(map(repr, (truth.name, *equal[:3])))
                sentence = f"{names} may {'both' if len(equal) == 1 else 'all'} be the truth"
                labels = ",".join((truth.name, *equal[:3]))
                return f"{sentence}; infoscope agree SOURCE -s {labels} compares annotators without one"
            if truth.truth_name < 2 and len(self.columns) > 2:
                return f"nothing but its contents says that {truth.name!r} is the truth"
            named = bool(self.wanted) or any(column.is_named_prediction for column in systems)
            if truth.truth_name < 2 and not named:
                return f"no name says which column is the truth; {truth.name!r} would do as well as {systems[0].name!r}"
        plain = truth.truth_name >= 2 and not _is_alternative(truth, systems[0])
        only_other = len(self.columns) == 2 and (truth.truth_name == 4 or plain)
        if not self.wanted and not best.certain and not only_other:
            unsure = " and ".join(repr(column.name) for column in systems[:3])
            return f"{unsure} may hold predictions or be features with the same values ({truth.described()})"
        return None

    def _rivals(self, other: _Candidate, best: _Candidate) -> bool:
        """Whether another candidate is as good: named alike, or with predictions where no name decides."""
        if other.truth.truth_name >= 2:
            return bool(other.certain or other.perhaps) and other.points >= best.points - 1
        return best.truth.truth_name < 2 and bool(other.certain)

    def _no_predictions(self, truth: ColumnContents) -> str:
        """A truth alone, or with predictions in other words, or with scores."""
        for column in self.labels:
            if column is not truth and column.predicted_name >= 3 and association(truth, column) > MIN_ASSOCIATION:
                return (
                    f"{truth.name!r} ({truth.described()}) and {column.name!r} ({column.described()}) use different "
                    "words: write both with the same, or name both columns to see which mean the same"
                )
        scores = self.scores or [c for c in self.columns if c.is_probability and c is not truth]
        if scores:
            names = " ".join(f"--score {column.name}" for column in scores[:4])
            return (
                f"there are scores and no predictions: infoscope sweep SOURCE -t {truth.name} {names}, if "
                f"{truth.name!r} is the truth"
            )
        return f"no column looks like predictions of {truth.name!r}"

    def _no_truth(self) -> str:
        """Predictions without a truth: of several systems they can be compared, of one the truth lies elsewhere."""
        if self.columns and not self.rows:
            return "there is a header and no row below it"
        if self._is_headless():
            return self._headless()
        if self.wanted:
            return f"no column has the classes of {' and '.join(map(repr, self.wanted))}"
        measured = next((c for c in self.columns if c.truth_name >= 2 and not c.is_labels and c.known), None)
        if measured is not None:
            return (
                f"{measured.name!r} is named like the truth and holds {len(measured.counts):,} different values in "
                f"{measured.known:,} rows, like measurements, free text or identifiers"
            )
        alone = next((c for c in self.columns if c.truth_name >= 2 and len(c.counts) == 1), None)
        if alone is not None:
            return f"{alone.name!r} is named like the truth and has one class alone ({alone.described()})"
        key = self._key()
        predicted = [column.name for column in self.labels if column.is_named_prediction]
        if key is not None and len(self.labels) == 1:
            predicted = [self.labels[0].name]  # as in a submission to a competition
        if not predicted:
            return "no column looks like the truth"
        like = "looks" if len(predicted) == 1 else "look"
        sentence = f"no column looks like the truth; {' and '.join(map(repr, predicted[:3]))} {like} like predictions"
        key = key or "ID"
        ways = f"is the truth in another file? --truth-file LABELS.csv --key {key}"
        if len(predicted) > 1:
            ways += f"; infoscope agree SOURCE -s {','.join(predicted[:4])} compares them without a truth"
        return f"{sentence}: {ways}"

    def _headless(self) -> str:
        first = ", ".join(column.name for column in self.columns[:4]) or "each name several times"
        return f"its first line ({first}) looks like data: add a line with the names of the columns"

    def _is_headless(self) -> bool:
        """Whether the names of the columns are values of theirs, as where the first line holds data."""
        held = [column.name in column.counts for column in self.columns if column.is_labels]
        return not self.columns or (len(held) > 1 and all(held))

    # ── what else is said ────────────────────────────────────────────────────────────────────

    def _layout(self, truth: ColumnContents) -> ColumnContents | None:
        """A column that names models, whose rows stand below each other."""
        for column in self.labels:
            other = column is not truth and column.name not in self.wanted and column.has_word(LAYOUT_WORDS)
            if other and 2 <= len(column.counts) <= 50 and shared_share(truth, column) < MIN_SHARED:
                return column
        return None

    def _system_scores(self, truth: ColumnContents | None, systems: Sequence[ColumnContents]) -> tuple[str, ...]:
        """For each system the score that is higher wherever it predicts the positive class; none where one lacks it."""
        if truth is None or len(truth.counts) != 2:
            return ()
        positive = str(positive_of(sorted(truth.counts)))
        found = [[score.name for score in self.scores if _decides(score, system, positive)] for system in systems]
        return tuple(names[0] for names in found) if all(len(names) == 1 for names in found) else ()

    def _key(self) -> str | None:
        keys = [column for column in self.columns if column.is_key]
        named = [column for column in keys if column.has_word(KEY_WORDS)]
        return next((column.name for column in (*named, *keys)), None)

    def _reasons(self, best: _Candidate, systems: Sequence[ColumnContents]) -> tuple[str, ...]:
        truth = best.truth
        classes = f"{len(truth.counts):,} classes: {truth.described()}"
        why = "named so" if truth.truth_name >= 2 else "the only other column with these classes"
        reasons = [] if self.stated is not None else [f"truth: {truth.name!r} ({why}; {classes})"]
        if systems and not self.wanted:
            rates = ", ".join(f"{column.name!r} ({_why(truth, column)})" for column in systems)
            reasons.append(f"predictions: {rates}")
        return tuple(reasons)

    def _beside(self, best: _Candidate, systems: Sequence[ColumnContents], twin: _Candidate | None) -> tuple[str, ...]:
        sentences = []
        if twin is not None:
            names = " and ".join(repr(c.name) for c in (twin.truth, *twin.certain))
            sentences.append(f"not used: {names}, the same labels as {twin.truth.described()}")
        constant = [c for c in self.columns if len(c.counts) == 1 and set(c.counts) <= set(best.truth.counts)]
        left = [c for c in best.perhaps if best.certain and c not in (*systems, *constant)]
        if left:
            sentences.append(f"not used: {_names(left)}, which may be features; -s names them too")
        unused = [c for c in constant if c not in systems]
        if unused and not self.wanted:
            sentences.append(f"not used: {_names(unused)}, always the same class; -s names such columns")
        scores = self._system_scores(best.truth, systems)
        if scores:
            of = "it" if len(scores) == 1 else "each"
            sentences.append(f"scores: {', '.join(map(repr, scores))} (a threshold of {of} gives the predictions)")
        elif self.scores:
            sentences.append(f"scores: {_names(self.scores)}, for infoscope sweep --score")
        for column in self.labels:
            if column.has_word(SPLIT_WORDS) and 2 <= len(column.counts) <= 20:
                sentences.append(
                    f"{column.name!r} has {column.described()} together; --by {column.name} evaluates them apart"
                )
        return tuple(sentences)


def _is_alternative(truth: ColumnContents, column: ColumnContents) -> bool:
    """Whether a column may be another truth: the same labels, or named like one, or like a second annotator's."""
    return truth.texts == column.texts or bool(column.truth_name) or column.has_word(ALTERNATIVE_WORDS)


def _decides(score: ColumnContents, system: ColumnContents, positive: str) -> bool:
    """Whether the score is higher wherever the positive class is predicted."""
    rows = [(float(s), p == positive) for s, p in zip(score.texts, system.texts, strict=True) if s and p]
    high, low = ([value for value, is_positive in rows if is_positive is side] for side in (True, False))
    return bool(high) and bool(low) and min(high) >= max(low)


def _why(truth: ColumnContents, column: ColumnContents) -> str:
    same = sum(a == b for a, b in zip(truth.texts, column.texts, strict=False) if a is not None)
    rate = same / max(truth.known, 1)
    return f"{'named so; ' * (column.predicted_name >= 3)}right in {rate:.0%} of {truth.known:,} rows"


def _names(columns: Sequence[ColumnContents]) -> str:
    return ", ".join(repr(column.name) for column in columns)
