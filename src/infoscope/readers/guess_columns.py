"""Guess which columns hold the truth, the predictions and the scores, from their names and, more, their contents.

A guess is sure only where nothing speaks for another one: several columns that may be the truth, labels in other words,
rows of several models, a list of errors or values that any column may have leave a question instead. ``roles_of``
guesses for tables, ``score_roles_of`` for sweeps; ``named_columns`` asks them where the caller named no columns.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from os import PathLike, fspath
from typing import Any

from infoscope.core.files import scratch_folder
from infoscope.errors import Advised, InfoscopeWarning, InputError
from infoscope.readers.engine import open_source
from infoscope.readers.files import Files, are_parts
from infoscope.readers.first_rows import first_rows, list_columns
from infoscope.readers.frames import is_eager_frame
from infoscope.readers.matrix_files import recognised_matrix
from infoscope.readers.query import ReadOptions, as_names, check_name, pick_columns
from infoscope.tables import Contingency
from infoscope.tables.labels import is_missing, positive_of
from infoscope.tables.missing import warn_of
from infoscope.typing import Source

# ── what a column holds and what its name says ───────────────────────────────────────────────────


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
        """Read values of any type; a whole number is written in one way."""
        if all(type(value) is str for value in values):  # as files have them: few different ones, each looked at once
            text_of = {value: _text(value) for value in set(values)}
            return cls(name, tuple(map(text_of.__getitem__, values)))
        return cls(name, tuple(_text(value) for value in values))

    @cached_property
    def counts(self) -> Counter[str]:
        """Number of occurrences of each value."""
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
        """Certainty with which the name says "prediction", from 0 to 4."""
        return self._named(PREDICTION_WORDS)

    @cached_property
    def is_named_prediction(self) -> bool:
        """True if the name says "prediction", or that of a model."""
        named = self.predicted_name
        return named >= 3 or self.is_named_model or (named == 2 and not self._named(TRUTH_WORDS))

    @property
    def is_named_model(self) -> bool:
        """True if the name is, or begins or ends with, that of a kind of model."""
        return any(re.sub(r"\d+$", "", word) in MODEL_WORDS for word in self.words)

    @cached_property
    def truth_name(self) -> int:
        """Certainty with which the name says "true label", from 0 to 4; 0 where it rather says prediction."""
        return 0 if self.is_named_prediction else self._named(TRUTH_WORDS)

    def has_word(self, words: frozenset[str]) -> bool:
        """Return True if the name has one of these words."""
        return bool(words & set(self.words))

    @cached_property
    def has_fractions(self) -> bool:
        """True if some of its values are numbers with a fraction."""
        return any(not number.is_integer() for number in self.numbers)

    @cached_property
    def is_numeric(self) -> bool:
        """True if all values are numbers."""
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
        """True if it says if a prediction was right."""
        plain = {text.lower() for text in self.counts} <= {"true", "false", "0", "1", "yes", "no"}
        words = {word: points for word, points in TRUTH_WORDS.items() if word != "correct"}
        return plain and self.has_word(VERDICT_WORDS) and not self._named(words)

    @cached_property
    def is_key(self) -> bool:
        """True if nearly every row has a value of its own, and it is no measurement."""
        return self.known >= 5 and len(self.counts) >= 0.95 * self.known and not self.has_fractions

    @cached_property
    def is_generic(self) -> bool:
        """True if columns of other meanings may have the same values: numbers, yes and no, single letters."""
        return all(len(text) < 2 or text.lower() in GENERIC_VALUES or _number(text) is not None for text in self.counts)

    def described(self, most: int = 3) -> str:
        """List the most frequent values."""
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
    """Return the share of the rows of a column whose value is one of the true classes."""
    return sum(n for text, n in column.counts.items() if text in truth.counts) / max(column.known, 1)


def _known_pairs(a: ColumnContents, b: ColumnContents) -> list[tuple[str, str]]:
    """Return the values of both, of the rows that have both."""
    return [(x, y) for x, y in zip(a.texts, b.texts, strict=False) if x is not None and y is not None]


def kappa(a: ColumnContents, b: ColumnContents) -> float:
    """Return Cohen's kappa."""
    rows = _known_pairs(a, b)
    same = sum(x == y for x, y in rows) / max(len(rows), 1)
    chance = sum(n / max(a.known, 1) * b.counts[text] / max(b.known, 1) for text, n in a.counts.items())
    return (same - chance) / (1 - chance) if chance < 1 else 0.0


def association(a: ColumnContents, b: ColumnContents) -> float:
    """Return Goodman and Kruskal's lambda: how much better b tells the values of a than the most frequent one does."""
    pairs: dict[tuple[str | None, str | None], int] = {}
    for pair in zip(a.texts, b.texts, strict=False):
        pairs[pair] = pairs.get(pair, 0) + 1
    best: dict[str | None, int] = {}
    for (_, y), n in pairs.items():
        best[y] = max(best.get(y, 0), n)
    total, top = len(a.texts), max(a.counts.values(), default=0)
    return (sum(best.values()) - top) / (total - top) if total > top else 0.0


def are_one_to_one(a: ColumnContents, b: ColumnContents) -> bool:
    """Return True if each value of one stands for one of the other, in other words."""
    pairs = set(_known_pairs(a, b))
    return len(pairs) == len(a.counts) == len(b.counts) > 1 and set(a.counts) != set(b.counts)


def are_only_errors(truth: ColumnContents, column: ColumnContents) -> bool:
    """Return True if no row agrees although chance alone would make some."""
    rows = _known_pairs(truth, column)
    if len(rows) < MIN_ERRORS or any(x == y for x, y in rows):
        return False
    chance = sum(n * column.counts[text] for text, n in truth.counts.items()) / max(truth.known * column.known, 1)
    return (1 - chance) ** len(rows) < 0.2


# ── what speaks for each role ────────────────────────────────────────────────────────────────────


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
        """Points that speak for it."""
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
        labels = [c for c in columns if c.is_labels and c.name not in scores]
        if len(labels) > MAX_COMPARED:  # those whose names say something, and the first
            named = (truth, *systems)
            telling = [c for c in labels if c.name in named or c.truth_name or c.predicted_name or c.is_named_model]
            kept = {column.name for column in (*telling, *labels[:MAX_COMPARED])}
            labels = [column for column in labels if column.name in kept][: 2 * MAX_COMPARED]
        self.labels = labels
        """Columns that are compared with each other."""
        self.rows = max((len(column.texts) for column in columns), default=0)

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
        """Rate whether a column with the same classes holds predictions: 2 certain, 1 possible, 0 not."""
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
        """Find a candidate that holds the same labels in other words, as numbers beside names."""
        for other in self.candidates:
            if other is not best and are_one_to_one(best.truth, other.truth):
                pairs = zip(best.certain, other.certain, strict=False)
                if len(best.certain) == len(other.certain) and all(are_one_to_one(a, b) for a, b in pairs):
                    return other
        return None

    @property
    def is_headless(self) -> bool:
        """True if the names of the columns are values of theirs, as where the first line holds data."""
        held = [column.name in column.counts for column in self.columns if column.is_labels]
        return not self.columns or (len(held) > 1 and all(held))

    def layout(self, truth: ColumnContents) -> ColumnContents | None:
        """Find a column that names models, whose rows stand below each other."""
        for column in self.labels:
            other = column is not truth and column.name not in self.wanted and column.has_word(LAYOUT_WORDS)
            if other and 2 <= len(column.counts) <= 50 and shared_share(truth, column) < MIN_SHARED:
                return column
        return None

    def system_scores(self, truth: ColumnContents | None, systems: Sequence[ColumnContents]) -> tuple[str, ...]:
        """Return for each system the score that is higher wherever it predicts the positive class, if all have one."""
        if truth is None or len(truth.counts) != 2:
            return ()
        positive = str(positive_of(sorted(truth.counts)))
        names = []
        for system in systems:
            deciding = []
            for score in self.scores:
                rows = [(float(s), p == positive) for s, p in zip(score.texts, system.texts, strict=True) if s and p]
                high, low = ([value for value, is_positive in rows if is_positive is side] for side in (True, False))
                if high and low and min(high) >= max(low):
                    deciding.append(score.name)
            if len(deciding) != 1:
                return ()
            names.append(deciding[0])
        return tuple(names)

    @property
    def key(self) -> str | None:
        """A column that names the rows."""
        keys = [column for column in self.columns if column.is_key]
        named = [column for column in keys if column.has_word(KEY_WORDS)]
        return next((column.name for column in (*named, *keys)), None)


def is_alternative(truth: ColumnContents, column: ColumnContents) -> bool:
    """Return True if a column may be another truth: the same labels, or named like one, or like another annotator's."""
    return truth.texts == column.texts or bool(column.truth_name) or column.has_word(ALTERNATIVE_WORDS)


# ── why it is not sure, and what would settle it ─────────────────────────────────────────────────


MIN_ASSOCIATION = 0.2


def predictions_question(evidence: ColumnEvidence, best: TruthCandidate, twin: TruthCandidate | None) -> str | None:
    """Say what speaks against the best candidate and its predictions; None where nothing does."""
    truth, systems = best.truth, best.systems
    if evidence.is_headless:
        return _headless(evidence)
    if not systems:
        return _unknown_classes(evidence) if evidence.wanted else _no_predictions(evidence, truth)
    layout = evidence.layout(truth)
    if layout is not None:
        by = f"--by {shlex.quote(layout.name)}"
        return Advised(
            f"{layout.name!r} names the system of each row ({layout.described()})",
            terminal=f": evaluate them apart with {by}",
            page=f"; in a terminal, infoscope evaluate {evidence.source} {by} evaluates them apart",
        )
    for column in systems:
        if are_only_errors(truth, column):
            return (
                f"{truth.name!r} and {column.name!r} differ in every one of {evidence.rows:,} rows: this looks like a "
                "list of errors, of which nothing can be estimated; give the file with all predictions"
            )
    rivals = [each for each in evidence.candidates if each not in (best, twin)]
    if evidence.stated is None and (question := _rival_truths(evidence, best, rivals)) is not None:
        return question
    plain = truth.truth_name >= 2 and not is_alternative(truth, systems[0])
    only_other = len(evidence.columns) == 2 and (truth.truth_name == 4 or plain)
    if evidence.wanted or best.certain or only_other:
        return None
    unsure = " and ".join(repr(column.name) for column in systems[:3])
    return f"{unsure} may hold predictions or be features with the same values ({truth.described()})"


def truth_question(evidence: ColumnEvidence) -> str:
    """Say why no column is the truth: predictions of several systems can be compared, of one the truth is elsewhere."""
    if evidence.columns and not evidence.rows:
        return "there is a header and no row below it"
    if evidence.is_headless:
        return _headless(evidence)
    if evidence.wanted:
        return _unknown_classes(evidence)
    named = [column for column in evidence.columns if column.truth_name >= 2]
    for column in named:
        if not column.is_labels and column.known:
            return (
                f"{column.name!r} is named like the truth and holds {len(column.counts):,} different values in "
                f"{column.known:,} rows, like measurements, free text or identifiers"
            )
    for column in named:
        if len(column.counts) == 1:
            return f"{column.name!r} is named like the truth and has one class alone ({column.described()})"
    predicted = [column.name for column in evidence.labels if column.is_named_prediction]
    if evidence.key is not None and len(evidence.labels) == 1:
        predicted = [evidence.labels[0].name]  # as in a submission to a competition
    if not predicted:
        return "no column looks like the truth"
    like = "looks" if len(predicted) == 1 else "look"
    what = f"no column looks like the truth; {' and '.join(map(repr, predicted[:3]))} {like} like predictions"
    elsewhere, by = "s the truth in another file?", "" if evidence.key is None else f", by {evidence.key!r}"
    sentence = Advised(
        what,
        terminal=f": i{elsewhere} --truth-file LABELS.csv --key {shlex.quote(evidence.key or 'ID')}",
        page=f". I{elsewhere} Put that file into this folder and add its column below{by}",
    )
    if len(predicted) == 1:
        return sentence
    compares = f"{_agree(evidence, predicted[:4])} compares them without a truth"
    return Advised(sentence, terminal=f"; {compares}", page=f"; in a terminal, {compares}")


def _no_predictions(evidence: ColumnEvidence, truth: ColumnContents) -> str:
    """Say what is beside a truth: predictions in other words, scores, or nothing."""
    for column in evidence.labels:
        if column is not truth and column.predicted_name >= 3 and association(truth, column) > MIN_ASSOCIATION:
            return (
                f"{truth.name!r} ({truth.described()}) and {column.name!r} ({column.described()}) use different "
                "words: write both with the same, or name both columns to see which mean the same"
            )
    scores = evidence.scores or [c for c in evidence.columns if c.is_probability and c is not truth]
    if not scores:
        return f"no column looks like predictions of {truth.name!r}"
    options = " ".join(f"--score {shlex.quote(column.name)}" for column in scores[:4])
    command = f"infoscope sweep {evidence.source} -t {shlex.quote(truth.name)} {options}"
    return Advised(
        "there are scores and no predictions",
        terminal=f": {command}, if {truth.name!r} is the truth",
        page=": choose the truth and a score",
    )


def _rival_truths(evidence: ColumnEvidence, best: TruthCandidate, rivals: Sequence[TruthCandidate]) -> str | None:
    """Name another column that may be the truth as well, or say that no name tells which one is."""
    truth, systems = best.truth, best.systems
    equal = [
        other.truth.name
        for other in rivals  # named alike, or with predictions where no name decides
        if (
            bool(other.systems) and other.points >= best.points - 1
            if other.truth.truth_name >= 2
            else truth.truth_name < 2 and bool(other.certain)
        )
    ]
    equal = equal or [c.name for c in systems if c.truth_name >= 2 and not best.certain]
    if equal:
        names = (truth.name, *equal[:3])
        sentence = f"{' and '.join(map(repr, names))} may {'both' if len(equal) == 1 else 'all'} be the truth"
        compares = f"{_agree(evidence, names)} compares annotators without one"
        return Advised(sentence, terminal=f"; {compares}", page=f"; in a terminal, {compares}")
    if truth.truth_name < 2 and len(evidence.columns) > 2:
        return f"nothing but its contents says that {truth.name!r} is the truth"
    named = bool(evidence.wanted) or any(column.is_named_prediction for column in systems)
    if truth.truth_name < 2 and not named:
        return f"no name says which column is the truth; {truth.name!r} would do as well as {systems[0].name!r}"
    return None


def _unknown_classes(evidence: ColumnEvidence) -> str:
    return f"no column has the classes of {' and '.join(map(repr, evidence.wanted))}"


def _headless(evidence: ColumnEvidence) -> str:
    first = ", ".join(column.name for column in evidence.columns[:4]) or "each name several times"
    return f"its first line ({first}) looks like data: add a line with the names of the columns"


def _agree(evidence: ColumnEvidence, columns: Sequence[str]) -> str:
    return f"infoscope agree {evidence.source} -s {shlex.quote(','.join(columns))}"


# ── the roles of columns ─────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ColumnRoles:
    """The roles of columns, with the reasons; a question where they are not sure."""

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
    """One sentence for each column about its role."""
    question: str | None = None
    """Why this is not sure, and what would settle it; None where it is sure."""
    rows: int = 0

    @property
    def is_sure(self) -> bool:
        """True if nothing speaks for another choice."""
        return self.question is None


def column_roles(
    source: Source, read: ReadOptions | None = None, *, truth: str | None = None, systems: Sequence[str] = ()
) -> ColumnRoles:
    """Guess what the columns of files, a frame or a mapping hold; those that are known already are not guessed.

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
    """Guess the same of values by column; ``others`` are columns that have a role of another kind.

    ``source`` is the name of the file in commands that a sentence advises.
    """
    columns = [ColumnContents.of(name, values) for name, values in rows.items() if name not in others]
    evidence = ColumnEvidence(columns, truth, systems, source)
    best = max(evidence.candidates, key=lambda candidate: candidate.points, default=None)
    reasons: tuple[str, ...] = ()
    if best is None:
        question: str | None = truth_question(evidence)
    else:
        twin = evidence.twin(best)
        if twin is not None and best.truth.is_numeric and not twin.truth.is_numeric:
            best, twin = twin, best  # names say more than numbers
        reasons, question = tuple(_explain(evidence, best, twin)), predictions_question(evidence, best, twin)
    true, predicted = (None, ()) if best is None else (best.truth, best.systems)
    layout = None if true is None else evidence.layout(true)
    return ColumnRoles(
        truth=None if true is None else true.name,
        systems=tuple(column.name for column in predicted),
        scores=tuple(column.name for column in evidence.scores),
        system_scores=evidence.system_scores(true, predicted),
        key=evidence.key,
        layout=None if layout is None else layout.name,
        reasons=reasons,
        question=question,
        rows=evidence.rows,
    )


def _explain(evidence: ColumnEvidence, best: TruthCandidate, twin: TruthCandidate | None) -> Iterator[str]:
    """Say what was taken for what, what is not used, and what else the columns are good for."""

    def name_all(columns: Sequence[ColumnContents]) -> str:
        return ", ".join(repr(column.name) for column in columns)

    def rate(column: ColumnContents) -> str:
        same = sum(a == b for a, b in zip(truth.texts, column.texts, strict=False) if a is not None)
        share = same / max(truth.known, 1)
        return f"{'named so; ' * (column.predicted_name >= 3)}right in {share:.0%} of {truth.known:,} rows"

    truth = best.truth
    if evidence.stated is None:
        why = "named so" if truth.truth_name >= 2 else "the only other column with these classes"
        yield f"truth: {truth.name!r} ({why}; {len(truth.counts):,} classes: {truth.described()})"
    if best.systems and not evidence.wanted:
        yield f"predictions: {', '.join(f'{column.name!r} ({rate(column)})' for column in best.systems)}"
    if twin is not None:
        names = " and ".join(repr(c.name) for c in (twin.truth, *twin.certain))
        yield f"not used: {names}, the same labels as {twin.truth.described()}"
    constant = [c for c in evidence.columns if len(c.counts) == 1 and set(c.counts) <= set(truth.counts)]
    left = [c for c in best.perhaps if c not in (*best.systems, *constant)]
    choose = "; choose them as predictions if they are"
    if left:
        what = f"not used: {name_all(left)}, which may be features"
        yield Advised(what, terminal="; -s names them too", page=choose)
    unused = [c for c in constant if c not in best.systems]
    if unused and not evidence.wanted:
        names = f"not used: {name_all(unused)}, always the same class"
        yield Advised(names, terminal="; -s names such columns", page=choose)
    scores = evidence.system_scores(truth, best.systems)
    if scores:
        of = "it" if len(scores) == 1 else "each"
        yield f"scores: {', '.join(map(repr, scores))} (a threshold of {of} gives the predictions)"
    elif evidence.scores:
        what = f"scores: {name_all(evidence.scores)}, for "
        yield Advised(what, terminal="infoscope sweep --score", page="the page of thresholds")
    for column in evidence.labels:  # of which some rows may be training data
        if column.has_word(SPLIT_WORDS) and 2 <= len(column.counts) <= 20:
            apart = f"--by {shlex.quote(column.name)} evaluates them apart"
            yield Advised(
                f"{column.name!r} has {column.described()} together",
                terminal=f"; {apart}",
                page=f"; in a terminal, infoscope evaluate {evidence.source} {apart}",
            )


def with_repeated_names(roles: ColumnRoles, source: Source, read: ReadOptions | None = None) -> ColumnRoles:
    """Add a sentence about columns that share a name, none of which can be taken.

    >>> with_repeated_names(ColumnRoles(truth="label"), {"label": ["a"]}).reasons
    ()
    """
    if not isinstance(source, (str, PathLike, Files)):
        return roles
    how = read or ReadOptions()
    with scratch_folder() as folder:
        files = open_source(source, how, folder)
        present = list_columns(files, how) if isinstance(files, Files) and files.format != "ifs" else []
    names = [name for name, times in Counter(present).items() if times > 1]
    if not names:
        return roles
    listed = " or ".join(map(repr, names[:3]))
    if roles.question is None:
        return replace(roles, reasons=(*roles.reasons, f"not used: several columns that are named {listed}"))
    return replace(roles, question=roles.question + f"; several columns are named {listed}: rename them")


# ── the truth and the scores of its classes ──────────────────────────────────────────────────────


def score_roles_of(
    rows: Mapping[str, Sequence[Any]],
    *,
    truth: str | None = None,
    scores: Sequence[str] = (),
    others: Sequence[str] = (),
) -> ColumnRoles:
    """Guess the truth and one score of two classes, or one for each class, by names and contents.

    >>> found = score_roles_of({"label": ["spam", "ham"] * 9, "probability": [0.9, 0.2, 0.4] * 6})
    >>> found.truth, found.scores, found.is_sure
    ('label', ('probability',), True)
    """
    columns = [ColumnContents.of(name, values) for name, values in rows.items() if name not in others]
    by_name = {column.name: column for column in columns}
    found = [by_name[name] for name in scores if name in by_name]
    found = found or [c for c in columns if c.is_score] or [c for c in columns if c.is_probability]
    true = _find_truth(columns, truth, found)
    size = max((len(column.texts) for column in columns), default=0)
    if isinstance(true, str):
        return ColumnRoles(scores=tuple(column.name for column in found), question=true, rows=size)
    reasons: tuple[str, ...] = ()
    if truth is None:
        reasons += (f"truth: {true.name!r} ({len(true.counts):,} classes: {true.described()})",)
    if not scores:
        reasons += (f"scores: {', '.join(repr(column.name) for column in found)} (numbers from 0 to 1)",)
    doubt = _question_scores(true, found)
    if doubt is not None and len(true.counts) == 2:
        found = found[:1]  # scores of several systems, of which one is asked about at a time
    names = tuple(column.name for column in found)
    return ColumnRoles(true.name, scores=names, reasons=reasons, question=doubt, rows=size)


def _find_truth(
    columns: Sequence[ColumnContents], stated: str | None, scores: Sequence[ColumnContents]
) -> ColumnContents | str:
    """Return the column of the truth, or why there is none."""
    known = next((column for column in columns if column.name == stated), None)
    if known is not None:
        return known
    labels = [c for c in columns if c.is_labels and c not in scores and len(c.counts) > 1]
    named = [c for c in labels if c.truth_name >= 2]
    named = [c for c in named if c.truth_name == max(each.truth_name for each in named)]
    if len(named) == 1:
        return named[0]
    if named:
        return f"{' and '.join(repr(c.name) for c in named[:3])} may each be the truth"
    only = [c for c in labels if not c.is_named_prediction]
    if len(only) == 1 and len(columns) == len(scores) + 1:
        return only[0]
    return "no column looks like the truth"


def _question_scores(truth: ColumnContents, scores: Sequence[ColumnContents]) -> str | None:
    """Say why scores are not those of the classes; None where they are."""
    classes = sorted(truth.counts)
    if not scores:
        return "no column looks like scores: numbers with fractions from 0 to 1"
    if len(scores) == 1:
        many = f"{scores[0].name!r} is one column of scores and {truth.name!r} has {len(classes):,} classes"
        return None if len(classes) == 2 else f"{many}: give one column for each class"
    stated = [
        next(
            (
                name
                for name in classes
                if column.name.lower() == name.lower()
                or column.name.lower().endswith((f"_{name.lower()}", f" {name.lower()}"))
            ),
            None,
        )
        for column in scores
    ]
    if None in stated or sorted(filter(None, stated)) != classes:
        names = ", ".join(repr(column.name) for column in scores[:4])
        if len(classes) == 2:
            return f"{names} are several columns of scores, and {truth.name!r} has two classes: name one of them"
        return f"{names} are several columns of scores, and their names do not say one for each class of {truth.name!r}"
    return None


# ── columns as a caller names them, guesses where names and contents leave no doubt ───────────────


_OTHER_COLUMNS = ("weight", "by", "groups", "scores", "show", "baseline_system", "judge", "period")


def named_columns(
    source: Any, y_pred: Any, names: tuple[Any, Any], read: ReadOptions | None, options: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Return truth and systems as they are named, or guess them with a warning where the columns leave no doubt."""
    if y_pred is not None:
        return names
    truth, system = names = (names_alone(names[0], "truth"), names_alone(names[1], "system"))
    if None not in names or not _has_columns(source, read):
        return names
    rows, others, systems = _read_first_rows(source, names, read), _list_other_columns(options), as_names(system)
    named = {*systems, *as_names(truth)}
    left = [name for name in rows if name not in named and name not in others]
    if len(left) == 1 and bool(systems) != (truth is not None) and named <= set(rows):  # there is nothing to choose
        roles = ColumnRoles(truth or left[0], systems or (left[0],), reasons=(f"{left[0]!r} is the only column left",))
    else:
        title = fspath(source) if isinstance(source, (str, PathLike)) else "SOURCE"
        roles = roles_of(rows, truth=truth, systems=systems, others=others, source=title)
    return _guess(with_repeated_names(roles, source, read), "system", system or roles.systems)


def names_alone(names: Any, option: str) -> Any:
    """Return names of columns, an index or array of them as a list; reject the values of a column."""
    shape = getattr(names, "shape", None)
    if shape == ():  # a name from an array
        return names.item()
    if shape is None or len(shape) != 1:
        return names
    listed = list(names)
    if not all(isinstance(name, str) for name in listed) or len(set(listed)) < len(listed):
        raise InputError(f"{option} holds values; name a column, or give labels as (y_true, y_pred)")
    return listed


def one_name(name: Any) -> str | None:
    """Return the name of a column, or none; reject the values of a column."""
    if name is not None:
        check_name(name)
    return name


def named_scores(
    source: Any, y_score: Any, names: tuple[Any, Any], read: ReadOptions | None, options: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Return truth and scores as they are named, or guess them with a warning where the columns leave no doubt."""
    if y_score is not None:
        return names
    truth, score = names = (names_alone(names[0], "truth"), names_alone(names[1], "score"))
    if None not in names or not _has_columns(source, read):
        return names
    rows, others = _read_first_rows(source, names, read), _list_other_columns(options)
    roles = score_roles_of(rows, truth=truth, scores=as_names(score), others=others)
    return _guess(with_repeated_names(roles, source, read), "score", score or roles.scores)


def _read_first_rows(source: Any, names: tuple[Any, Any], read: ReadOptions | None) -> dict[str, list[Any]]:
    """Return the first rows, which must have the columns that are named; a confusion matrix has none."""
    if isinstance(source, (str, PathLike)) and (found := recognised_matrix(source)) is not None:
        raise InputError(f"{source} is {found}, not rows; give infoscope.readers.read_matrix({str(source)!r})")
    rows = first_rows(source, read)
    pick_columns([column for name in names for column in as_names(name)], list(rows), "the source")
    return rows


def _list_other_columns(options: Mapping[str, Any]) -> list[str]:
    """Return columns that are named for another purpose."""
    return [name for key in _OTHER_COLUMNS for name in as_names(options.get(key))]


def _guess(found: ColumnRoles, role: str, columns: str | Sequence[str]) -> tuple[Any, Any]:
    """Return the truth and the columns of a role, with a warning; a question becomes an error."""
    if found.question is not None:
        wanted = "at least one system" if role == "system" else "the column of scores"
        raise InputError(f"rows need the name of the truth column and of {wanted}: {found.question}")
    named = columns if isinstance(columns, str) else columns[0] if len(columns) == 1 else list(columns)
    said = f"truth={found.truth!r}, {role}={named!r} is guessed; {'; '.join(found.reasons)}"
    warn_of([said], InfoscopeWarning)
    return found.truth, named


def _has_columns(source: Any, read: ReadOptions | None) -> bool:
    """Return True for a file of rows, a frame or a mapping of columns, and not for finished tables."""
    if isinstance(source, (str, PathLike)):
        how = read or ReadOptions()
        return how.engine == "duckdb" and not are_parts([fspath(source)], how.format)
    if isinstance(source, Mapping):
        return bool(source) and not any(isinstance(item, Contingency) for item in source.values())
    return is_eager_frame(source)
