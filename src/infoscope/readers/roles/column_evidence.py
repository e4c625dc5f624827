"""What names and contents of columns say about their roles: which may be the truth, and which hold predictions."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from infoscope.readers.roles.column_contents import (
    ALTERNATIVE_WORDS,
    KEY_WORDS,
    LAYOUT_WORDS,
    ColumnContents,
    are_one_to_one,
    kappa,
    shared_share,
)
from infoscope.tables.labels import positive_of

__all__ = ["ColumnEvidence", "TruthCandidate", "is_alternative"]

MAX_COMPARED = 60
"""Columns that are compared in pairs."""
MIN_SHARED = 0.8
"""Share of predictions that are one of the true classes."""
MIN_AGREEMENT = 0.15
"""Kappa from which on values that any column may have are taken for predictions, without certainty."""
SURE_AGREEMENT = 0.3
FEW_CLASSES = 5
"""Classes below which two columns agree by chance of their meaning, as flags do."""


@dataclass(frozen=True)
class TruthCandidate:
    """A column that may be the truth, with the columns that may hold predictions of it."""

    truth: ColumnContents
    certain: tuple[ColumnContents, ...]
    perhaps: tuple[ColumnContents, ...]

    @property
    def points(self) -> float:
        """How much speaks for it."""
        return self.truth.truth_name + 2.0 * bool(self.certain) + bool(self.perhaps)

    @property
    def systems(self) -> tuple[ColumnContents, ...]:
        """Columns taken as predictions: the sure ones, else those that may be."""
        return self.certain or self.perhaps


class ColumnEvidence:
    """The columns of a source, and what speaks for each role; columns whose role is stated are not guessed."""

    def __init__(
        self, columns: Sequence[ColumnContents], truth: str | None, systems: Sequence[str], source: str
    ) -> None:
        self.columns = columns
        self.source = shlex.quote(source)
        self.stated = truth
        self.wanted = tuple(systems)
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

    @cached_property
    def candidates(self) -> list[TruthCandidate]:
        """Columns that may be the truth: one that was named, else labels whose name or contents say so."""
        if self.stated is not None:
            stated = self.by_name.get(self.stated)
            return [] if stated is None else [self._candidate(stated)]
        free = [c for c in self.labels if c.name not in self.wanted and not c.is_named_prediction and len(c.counts) > 1]
        found = [self._candidate(column) for column in free]
        return [each for each in found if each.certain or each.perhaps or each.truth.truth_name >= 2]

    def _candidate(self, truth: ColumnContents) -> TruthCandidate:
        if self.wanted:
            named = tuple(self.by_name[name] for name in self.wanted if name in self.by_name)
            fitting = tuple(c for c in named if shared_share(truth, c) >= MIN_SHARED)
            return TruthCandidate(truth, fitting if len(fitting) == len(named) else (), ())
        certain: list[ColumnContents] = []
        perhaps: list[ColumnContents] = []
        for column in self.labels:
            if column is not truth and shared_share(truth, column) >= MIN_SHARED and column.truth_name < 3:
                strength = self._strength(truth, column)
                if strength:
                    (certain if strength > 1 else perhaps).append(column)
        return TruthCandidate(truth, tuple(certain), tuple(perhaps))

    @staticmethod
    def _strength(truth: ColumnContents, column: ColumnContents) -> int:
        """How certain it is that a column with the same classes holds predictions: 2 certain, 1 possible, 0 not."""
        agreement = kappa(truth, column)
        if column.predicted_name >= 3:
            return 2 if not truth.is_generic or shared_share(truth, column) == 1 or agreement > SURE_AGREEMENT else 1
        if is_alternative(truth, column):
            return 1
        if column.is_named_model:
            enough = SURE_AGREEMENT if len(truth.counts) < FEW_CLASSES else MIN_AGREEMENT
            return 2 if not truth.is_generic or agreement > enough else 1
        if truth.is_generic:
            return int(agreement > MIN_AGREEMENT or column.predicted_name == 2)
        return 2 if agreement > MIN_AGREEMENT else 1

    def twin(self, best: TruthCandidate) -> TruthCandidate | None:
        """A candidate that holds the same labels in other words, as numbers beside names."""
        for other in self.candidates:
            if other is not best and are_one_to_one(best.truth, other.truth):
                pairs = zip(best.certain, other.certain, strict=False)
                if len(best.certain) == len(other.certain) and all(are_one_to_one(a, b) for a, b in pairs):
                    return other
        return None

    @property
    def is_headless(self) -> bool:
        """Whether the names of the columns are values of theirs, as where the first line holds data."""
        held = [column.name in column.counts for column in self.columns if column.is_labels]
        return not self.columns or (len(held) > 1 and all(held))

    def layout(self, truth: ColumnContents) -> ColumnContents | None:
        """A column that names models, whose rows stand below each other."""
        for column in self.labels:
            other = column is not truth and column.name not in self.wanted and column.has_word(LAYOUT_WORDS)
            if other and 2 <= len(column.counts) <= 50 and shared_share(truth, column) < MIN_SHARED:
                return column
        return None

    def system_scores(self, truth: ColumnContents | None, systems: Sequence[ColumnContents]) -> tuple[str, ...]:
        """For each system the score that is higher wherever it predicts the positive class; none where one lacks it."""
        if truth is None or len(truth.counts) != 2:
            return ()
        positive = str(positive_of(sorted(truth.counts)))
        found = [[score.name for score in self.scores if _decides(score, system, positive)] for system in systems]
        return tuple(names[0] for names in found) if all(len(names) == 1 for names in found) else ()

    @property
    def key(self) -> str | None:
        """A column that names the rows."""
        keys = [column for column in self.columns if column.is_key]
        named = [column for column in keys if column.has_word(KEY_WORDS)]
        return next((column.name for column in (*named, *keys)), None)


def is_alternative(truth: ColumnContents, column: ColumnContents) -> bool:
    """Whether a column may be another truth: the same labels, or named like one, or like a second annotator's."""
    return truth.texts == column.texts or bool(column.truth_name) or column.has_word(ALTERNATIVE_WORDS)


def _decides(score: ColumnContents, system: ColumnContents, positive: str) -> bool:
    """Whether the score is higher wherever the positive class is predicted."""
    rows = [(float(s), p == positive) for s, p in zip(score.texts, system.texts, strict=True) if s and p]
    high, low = ([value for value, is_positive in rows if is_positive is side] for side in (True, False))
    return bool(high) and bool(low) and min(high) >= max(low)
