"""What a column holds and what its name says, and how two columns go together: evidence for their roles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from infoscope.tables.labels import is_missing

__all__ = ["ColumnContents", "are_one_to_one", "are_only_errors", "association", "kappa", "shared_share"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TRUTH_WORDS = {
    **dict.fromkeys(("truth", "true", "gold", "actual", "expected", "groundtruth"), 4),
    **dict.fromkeys(("golden", "gt", "reference", "target"), 3),
    **dict.fromkeys(("label", "labels", "y", "class", "ground", "observed", "outcome", "annotation", "annotated"), 2),
    **dict.fromkeys(("real", "diagnosis", "species"), 2),
    **dict.fromkeys(("correct", "category"), 1),
}
"""Words in names of true labels, by how certain they are."""
PREDICTION_WORDS = {
    **dict.fromkeys(("pred", "preds", "predicted", "prediction", "predictions", "yhat"), 4),
    **dict.fromkeys(("hat", "guess", "output", "classified"), 3),
    **dict.fromkeys(("answer", "system", "decision"), 2),
    **dict.fromkeys(("model", "response", "flag"), 1),
}
MODEL_WORDS = _words(
    "svm svc knn tree forest rf logreg logistic lr nb bayes gaussiannb mlp cnn rnn lstm bert roberta gpt llm llama "
    "resnet xgb xgboost lgbm lightgbm gbm boosting catboost adaboost lda qda sgd ridge perceptron classifier clf "
    "ensemble baseline dummy random model"
)
SCORE_WORDS = _words("score scores prob probs proba probability probabilities confidence conf p logit")
CONFIDENCE_WORDS = _words("prob probs proba probability probabilities confidence conf")
VERDICT_WORDS = _words("correct match matches error right wrong hit")
KEY_WORDS = _words("id ids key uid uuid guid index idx row rowid file filename path image name sample item")
LAYOUT_WORDS = _words("model models system classifier method algorithm estimator run")
SPLIT_WORDS = _words("split fold subset partition")
ALTERNATIVE_WORDS = _words(
    "annotator rater coder human manual reviewer expert crowd worker weak noisy old previous corrected"
)
"""Words in names of labels that may be another truth, and no predictions."""
GENERIC_VALUES = _words(
    "yes no true false y n t f m male female low medium mid high none unknown other pos neg positive negative good bad "
    "ok na"
)
"""Values that columns of any meaning may share."""
MAX_SEEN_TEXT = 40
"""Mean number of characters up to which texts may name classes."""


@dataclass(frozen=True)
class ColumnContents:
    """A column of some rows: its values as text, one for each row, None where there is none."""

    name: str
    texts: tuple[str | None, ...]

    @classmethod
    def of(cls, name: str, values: Sequence[Any]) -> ColumnContents:
        """From values of any type; a whole number is spelt in one way."""
        if all(type(value) is str for value in values):  # as files have them: few different ones, each looked at once
            spelt = {value: _text(value) for value in set(values)}
            return cls(name, tuple(map(spelt.__getitem__, values)))
        return cls(name, tuple(_text(value) for value in values))

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each value occurs."""
        return Counter(text for text in self.texts if text is not None)

    @property
    def known(self) -> int:
        """Rows that have a value."""
        return self.counts.total()

    @cached_property
    def numbers(self) -> list[float]:
        """The different values that are numbers."""
        return [number for text in self.counts if (number := _number(text)) is not None]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of the name, in lower case."""
        return tuple(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", self.name))

    def _named(self, words: dict[str, int]) -> int:
        return max((words.get(word, 0) for word in (*self.words, "".join(self.words))), default=0)

    @cached_property
    def predicted_name(self) -> int:
        """How certain the name says "prediction", from 0 to 4."""
        return self._named(PREDICTION_WORDS)

    @cached_property
    def is_named_prediction(self) -> bool:
        """Whether the name says "prediction", or that of a model."""
        named = self.predicted_name
        return named >= 3 or self.is_named_model or (named == 2 and not self._named(TRUTH_WORDS))

    @property
    def is_named_model(self) -> bool:
        """Whether the name is, or begins or ends with, that of a kind of model."""
        return any(re.sub(r"\d+$", "", word) in MODEL_WORDS for word in self.words)

    @cached_property
    def truth_name(self) -> int:
        """How certain the name says "true label", from 0 to 4; 0 where it rather says prediction."""
        return 0 if self.is_named_prediction else self._named(TRUTH_WORDS)

    def has_word(self, words: frozenset[str]) -> bool:
        """Whether the name has one of these words."""
        return bool(words & set(self.words))

    @cached_property
    def has_fractions(self) -> bool:
        """Whether some of its values are numbers with a fraction."""
        return any(not number.is_integer() for number in self.numbers)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether all values are numbers."""
        return bool(self.counts) and len(self.numbers) == len(self.counts)

    @cached_property
    def is_score(self) -> bool:
        """Numbers with fractions from 0 to 1 (to 100 for what is named a confidence), under a name that says so."""
        most = 100.0 if self.has_word(CONFIDENCE_WORDS) else 1.0
        inside = self.is_numeric and min(self.numbers) >= 0 and max(self.numbers) <= most
        return inside and self.has_fractions and self.has_word(SCORE_WORDS)

    @cached_property
    def is_probability(self) -> bool:
        """Numbers with fractions from 0 to 1, whatever the name says."""
        return self.is_numeric and self.has_fractions and min(self.numbers) >= 0 and max(self.numbers) <= 1

    @cached_property
    def is_labels(self) -> bool:
        """Few different short values without fractions: they may name classes."""
        short = sum(len(text) * n for text, n in self.counts.items()) < MAX_SEEN_TEXT * max(self.known, 1)
        few = len(self.counts) <= max(12, min(2000, 0.5 * self.known))
        return self.known > 0 and not self.has_fractions and short and few and not self.is_verdict

    @cached_property
    def is_verdict(self) -> bool:
        """Whether it says if a prediction was right."""
        plain = {text.lower() for text in self.counts} <= {"true", "false", "0", "1", "yes", "no"}
        words = {word: points for word, points in TRUTH_WORDS.items() if word != "correct"}
        return plain and self.has_word(VERDICT_WORDS) and not self._named(words)

    @cached_property
    def is_key(self) -> bool:
        """Whether nearly every row has a value of its own, and it is no measurement."""
        return self.known >= 5 and len(self.counts) >= 0.95 * self.known and not self.has_fractions

    @cached_property
    def is_generic(self) -> bool:
        """Whether columns of other meanings may have the same values: numbers, yes and no, single letters."""
        return all(len(text) < 2 or text.lower() in GENERIC_VALUES or _number(text) is not None for text in self.counts)

    def described(self, most: int = 3) -> str:
        """Its most frequent values."""
        shown = ", ".join(text if len(text) <= 24 else f"{text[:23]}…" for text, _ in self.counts.most_common(most))
        return shown + (", …" if len(self.counts) > most else "")


def _text(value: Any) -> str | None:
    if is_missing(value) or value == "":
        return None
    text = str(value).strip()
    return text.removesuffix(".0") if _number(text) is not None else text


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) and "_" not in text else None


MIN_ERRORS = 5
"""Rows without any agreement from which on they may be a list of errors."""


def shared_share(truth: ColumnContents, column: ColumnContents) -> float:
    """Share of the rows of a column whose value is one of the true classes."""
    return sum(n for text, n in column.counts.items() if text in truth.counts) / max(column.known, 1)


def _known_pairs(a: ColumnContents, b: ColumnContents) -> list[tuple[str, str]]:
    """The values of both, of the rows that have both."""
    return [(x, y) for x, y in zip(a.texts, b.texts, strict=False) if x is not None and y is not None]


def kappa(a: ColumnContents, b: ColumnContents) -> float:
    """Cohen's kappa."""
    rows = _known_pairs(a, b)
    same = sum(x == y for x, y in rows) / max(len(rows), 1)
    chance = sum(n / max(a.known, 1) * b.counts[text] / max(b.known, 1) for text, n in a.counts.items())
    return (same - chance) / (1 - chance) if chance < 1 else 0.0


def association(a: ColumnContents, b: ColumnContents) -> float:
    """How much better b tells the values of a than their most frequent one does: Goodman and Kruskal's lambda."""
    pairs: dict[tuple[str | None, str | None], int] = {}
    for pair in zip(a.texts, b.texts, strict=False):
        pairs[pair] = pairs.get(pair, 0) + 1
    best: dict[str | None, int] = {}
    for (_, y), n in pairs.items():
        best[y] = max(best.get(y, 0), n)
    total, top = len(a.texts), max(a.counts.values(), default=0)
    return (sum(best.values()) - top) / (total - top) if total > top else 0.0


def are_one_to_one(a: ColumnContents, b: ColumnContents) -> bool:
    """Whether each value of one stands for one of the other, in other words."""
    pairs = set(_known_pairs(a, b))
    return len(pairs) == len(a.counts) == len(b.counts) > 1 and set(a.counts) != set(b.counts)


def are_only_errors(truth: ColumnContents, column: ColumnContents) -> bool:
    """Whether no row agrees although chance alone would make some."""
    rows = _known_pairs(truth, column)
    if len(rows) < MIN_ERRORS or any(x == y for x, y in rows):
        return False
    chance = sum(n * column.counts[text] for text, n in truth.counts.items()) / max(truth.known * column.known, 1)
    return (1 - chance) ** len(rows) < 0.2
