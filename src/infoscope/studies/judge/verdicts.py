"""Verdicts of one or several judges about the rows of a system, as one column: what each names, and how reliable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from infoscope.core.numerics import Real, distinct
from infoscope.errors import InputError
from infoscope.readers.labels import as_number, cleaning_for, match_label
from infoscope.tables.labels import Label, decided_positive, lookalikes

__all__ = [
    "NO_VERDICT",
    "RIGHT",
    "WRONG",
    "JudgeKind",
    "RowCodes",
    "Verdicts",
    "grade_edges",
    "grade_names",
    "judge_kind",
    "said_labels",
    "spelt_numbers",
]

NO_VERDICT = "none"
"""The verdict of rows without one."""
DISPUTED = " (disputed)"
RIGHT, WRONG = "right", "wrong"
JudgeKind = Literal["class", "grade", "right or wrong"]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RowCodes:
    """Distinct rows that a system predicted, as codes: −1 where a label is missing."""

    truth: Codes
    prediction: Codes
    rows: Real
    classes: tuple[Label, ...]
    prediction_class: Codes


@dataclass(frozen=True, eq=False)
class Verdicts:
    """One verdict for each distinct row."""

    codes: Codes
    names: tuple[str, ...]
    verdict_class: Codes
    """The class that each verdict names; −1 for none."""
    level: Codes
    """0 where judges agree, others where they do not or are graded."""

    @classmethod
    def of(
        cls,
        judges: Mapping[str, tuple[Sequence[Label], Codes]],
        kinds: Mapping[str, JudgeKind],
        says: Mapping[str, Mapping[str, Label]] | None,
        rows: RowCodes,
    ) -> Verdicts:
        """The columns of judges, each with its labels and codes, combined."""
        graded = [name for name, kind in kinds.items() if kind == "grade"]
        voting = [name for name in judges if name not in graded]
        parts = [_graded(*judges[name], rows) for name in graded]
        if voting:
            said = {name: says[name] if says else None for name in voting}
            votes = [_meaning(judges[name][0], said[name], rows.classes)[judges[name][1]] for name in voting]
            parts.insert(0, _voted(votes, rows, names_classes=kinds[voting[0]] == "class"))
        found = parts[0]
        for part in parts[1:]:
            found = found.times(part)
        return found.used()

    def times(self, other: Verdicts) -> Verdicts:
        """Both verdicts of a row as one."""
        width = len(other.names)
        first, second = np.divmod(np.arange(len(self.names) * width), width)
        codes = np.where((self.codes < 0) | (other.codes < 0), -1, self.codes * width + other.codes)
        levels = int(other.level.max(initial=0)) + 1
        return Verdicts(
            codes,
            tuple(f"{one}, {two}" for one in self.names for two in other.names),
            np.where(self.verdict_class[first] >= 0, self.verdict_class[first], other.verdict_class[second]),
            self.level[first] * levels + other.level[second],
        )

    def coded(self, codes: Codes) -> Verdicts:
        """The same with other codes, and the verdicts that occur."""
        return replace(self, codes=codes).used()

    def used(self) -> Verdicts:
        """The verdicts that occur."""
        found = distinct(self.codes[self.codes >= 0])
        place = np.full(len(self.names) + 1, -1)
        place[found] = np.arange(len(found))
        names = tuple(self.names[at] for at in found.tolist())
        return Verdicts(place[self.codes], names, self.verdict_class[found], self.level[found])


def judge_kind(name: str, labels: Sequence[Label], classes: Sequence[Label], says: object) -> JudgeKind:
    """What a column of verdicts holds; two labels that are no classes are rejected: which is "right" is not known.

    So are labels that are classes in another spelling.
    """
    if isinstance(says, Mapping):
        return "right or wrong"
    if says == "score":
        return "grade"
    if not labels or (set(labels) & set(classes) and not _are_scores(labels, classes)):
        return "class"
    if spelt_numbers(labels) is None:
        _check_spelling(name, labels, classes)
    if len(labels) == 2 and not set(labels) & set(classes):
        right, wrong = map(str, labels if _is_accepting(labels[0], labels[1]) else labels[::-1])
        raise InputError(
            f"the judge {name!r} says {right!r} or {wrong!r}, which are neither true nor predicted classes; say which "
            f"one means that the prediction is right, for example --says right={right},wrong={wrong} "
            f"(says={{'right': {right!r}, 'wrong': {wrong!r}}})"
        )
    return "grade"


_ACCEPTING = (
    "right",
    "correct",
    "pass",
    "ok",
    "good",
    "accept",
    "agree",
    "match",
    "valid",
    "same",
    "yes",
    "true",
    "hit",
)
"""How words begin that call a prediction right; other words of a verdict call it wrong."""


def _is_accepting(one: Label, other: Label) -> bool:
    """Whether the first of two verdicts is the one that calls a prediction right, by its word."""
    decided = decided_positive([one, other])
    if decided is None:
        words = [str(label).strip().casefold().startswith(_ACCEPTING) for label in (one, other)]
        return words[0] if words[0] != words[1] else str(one) > str(other)
    return decided == one


def _check_spelling(name: str, labels: Sequence[Label], classes: Sequence[Label]) -> None:
    """Reject verdicts that are classes but for their spelling: they would be taken for grades."""
    said, named = set(map(str, labels)), set(map(str, classes))
    groups = [group for group in lookalikes({*labels, *classes}) if said & {*group} and named & {*group}]
    if groups:
        verdict = next(label for label in groups[0] if label in said)
        known = next(label for label in groups[0] if label in named)
        raise InputError(
            f"the judge {name!r} says {verdict!r} where a class is called {known!r}; spell them alike, "
            f"{cleaning_for(groups)}"
        )


def _are_scores(labels: Sequence[Label], classes: Sequence[Label]) -> bool:
    """Whether labels are numbers with fractions and classes are not, so that 0 and 1 among them name no class."""
    numbers, named = spelt_numbers(labels), spelt_numbers(classes)
    if numbers is None or named is None:
        return False
    return bool((numbers != np.rint(numbers)).any()) and not (named != np.rint(named)).any()


def said_labels(name: str, labels: Sequence[Label], says: Mapping[str, Label]) -> dict[str, Label]:
    """The labels for right and wrong as the column of a judge has them."""
    if set(says) != {RIGHT, WRONG}:
        raise InputError(f"says names {', '.join(map(str, says))}; it must name right and wrong, and nothing else")
    found: dict[str, Label] = {}
    for word in (RIGHT, WRONG):
        label = match_label(says[word], labels)
        if label is None or label not in labels:
            raise InputError(
                f"the judge {name!r} never says {says[word]!r}, which is stated as {word}; it says "
                f"{', '.join(repr(label) for label in labels[:5])}"
            )
        found[word] = label
    if found[RIGHT] == found[WRONG]:
        raise InputError(f"right and wrong are both {found[RIGHT]!r}; state two labels")
    odd = next((label for label in labels if label not in found.values()), None)
    if odd is not None:
        raise InputError(
            f"the judge {name!r} also says {odd!r}, which is neither right nor wrong; leave it empty where there is no "
            "verdict"
        )
    return found


def _meaning(labels: Sequence[Label], says: Mapping[str, Label] | None, classes: Sequence[Label]) -> Codes:
    """Vote that each label of a judge is: a class, or 0 for wrong and 1 for right; the code −1 stays −1."""
    if says is not None:
        return np.array([*(int(label == says[RIGHT]) for label in labels), -1], dtype=np.int64)
    place = {label: at for at, label in enumerate(classes)}
    return np.array([*(place.get(label, -1) for label in labels), -1], dtype=np.int64)


def _voted(votes: Sequence[Codes], rows: RowCodes, *, names_classes: bool) -> Verdicts:
    """The class that most judges name, weighted by how often each was right; and whether they agree."""
    options = len(rows.classes) if names_classes else 2
    names = [str(label) for label in rows.classes] if names_classes else [WRONG, RIGHT]
    if len(votes) == 1:
        best, disputed = votes[0], np.zeros(len(votes[0]), dtype=bool)
    else:
        scores = np.zeros((len(votes[0]), options))
        for vote in votes:
            there = np.flatnonzero(vote >= 0)
            scores[there, vote[there]] += _vote_weight(vote, rows, names_classes=names_classes)
        said = np.stack(votes)
        best = np.where((said >= 0).any(axis=0), scores.argmax(axis=1), -1)
        disputed = ((said >= 0) & (said != best)).any(axis=0)
    codes = np.where(best < 0, 2 * options, best + options * disputed)
    named = np.arange(options) if names_classes else np.full(options, -1)
    return Verdicts(
        codes,
        (*names, *(name + DISPUTED for name in names), NO_VERDICT),
        np.concatenate([named, named, [-1]]),
        np.repeat([0, 1, 2], [options, options, 1]),
    )


def _vote_weight(vote: Codes, rows: RowCodes, *, names_classes: bool) -> float:
    """Log odds of a judge's verdict on the labelled rows, and a little for every judge."""
    if names_classes:
        target = rows.truth
    else:
        target = np.where(rows.truth < 0, -1, rows.truth == rows.prediction_class[rows.prediction])
    there = (target >= 0) & (vote >= 0)
    hits = float(rows.rows[there & (target == vote)].sum())
    share = (hits + 1) / (float(rows.rows[there].sum()) + 2)
    options = len(rows.classes) if names_classes else 2
    return float(max(np.log(share / (1 - share) * (options - 1)), 0.01))


def _graded(labels: Sequence[Label], codes: Codes, rows: RowCodes) -> Verdicts:
    """A column of grades: numbers cut where that keeps most information on whether predictions are right."""
    numbers = spelt_numbers(labels)
    if numbers is None:
        found, names = codes, tuple(map(str, labels))
    else:
        values, rank = np.unique(numbers, return_inverse=True)
        places = np.append(rank, -1)[codes]
        right = np.where(rows.truth < 0, -1, rows.truth == rows.prediction_class[rows.prediction])
        edges = grade_edges(values, places, right, rows.prediction, rows.rows)
        found = np.where(codes < 0, -1, np.searchsorted(edges, values, side="right")[places])
        names = grade_names(edges)
    size = len(names)
    codes = np.where(found < 0, size, found)
    return Verdicts(codes, (*names, NO_VERDICT), np.full(size + 1, -1), np.arange(size + 1))


MAX_BINS = 6
CANDIDATES = 31
"""Quantiles of all rows at which a cut is tried."""


def spelt_numbers(labels: Sequence[Label]) -> Real | None:
    """The numbers that labels are or spell, as grades of a CSV file do; None where one of them is none.

    >>> spelt_numbers(["10", 2, "2.5"])
    array([10. ,  2. ,  2.5])
    >>> spelt_numbers(["good", "2"]) is None
    True
    """
    found = [label if isinstance(label, bool) else as_number(label) for label in labels]
    if not found or any(isinstance(number, bool) or not isinstance(number, (int, float)) for number in found):
        return None
    return np.array(found, dtype=np.float64)


def grade_edges(
    values: Real, codes: NDArray[np.int64], right: NDArray[np.int64], prediction: NDArray[np.int64], rows: Real
) -> Real:
    """Inner edges of the bins, by the evidence of the labelled rows: a cut that says nothing is not made.

    ``values`` are the grades in rising order and ``codes`` those of the rows; ``right`` is 1, 0, or −1 for rows
    without a label.
    """
    candidates = _quantiles(values, codes, rows)
    labelled = (right >= 0) & (codes >= 0)
    hits = np.zeros((2, int(prediction.max(initial=0)) + 1, len(values)))
    np.add.at(hits, (right[labelled], prediction[labelled], codes[labelled]), rows[labelled])
    below = np.concatenate([np.zeros((*hits.shape[:2], 1)), hits.cumsum(axis=2)], axis=2)

    def log_evidence(edges: list[float]) -> float:
        places = [0, *np.searchsorted(values, edges).tolist(), len(values)]
        wrong, hit = np.diff(below[:, :, places], axis=2)
        return float((betaln(wrong + 0.5, hit + 0.5) - betaln(0.5, 0.5)).sum())

    chosen: list[float] = []
    best = log_evidence(chosen)
    while len(chosen) < MAX_BINS - 1:
        left = [edge for edge in candidates if edge not in chosen]
        found = [log_evidence(sorted([*chosen, edge])) for edge in left]
        if not found or max(found) - np.log(len(left)) <= best - np.log(max(len(chosen), 1)):
            break
        chosen = sorted([*chosen, left[int(np.argmax(found))]])
        best = max(found)
    return np.array(chosen)


def grade_names(edges: Real) -> tuple[str, ...]:
    """The bins in words.

    >>> grade_names(np.array([3.0, 7.5]))
    ('below 3', '3 to 7.5', 'from 7.5')
    """
    shown = [f"{edge:g}" for edge in edges]
    if not shown:
        return ("any grade",)
    middle = [f"{low} to {high}" for low, high in pairwise(shown)]
    return (f"below {shown[0]}", *middle, f"from {shown[-1]}")


def _quantiles(values: Real, codes: NDArray[np.int64], rows: Real) -> list[float]:
    """Grades at which a bin may begin: all of a few, quantiles of many."""
    if len(values) - 1 <= CANDIDATES:
        return [float(value) for value in values[1:]]
    there = codes >= 0
    counts = np.bincount(codes[there], rows[there], len(values))
    shares = np.cumsum(counts) / counts.sum()
    places = np.searchsorted(shares, np.arange(1, CANDIDATES + 1) / (CANDIDATES + 1)) + 1
    return [float(values[at]) for at in distinct(places) if 0 < at < len(values)]
