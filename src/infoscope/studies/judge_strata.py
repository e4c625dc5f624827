"""Strata of judged rows: the verdicts of one or several judges and the predictions of a system, counted.

``place_rows`` makes ``StratumCounts`` of counted rows: which verdict each row has (classes, grades that are cut into
bins, or right and wrong; several judges vote), which labels it has, and how many independent rows weighted and
grouped ones are worth. ``judge.py`` calls it; ``judge_model.py`` believes what the counts say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from infoscope.core.numerics import Real, distinct
from infoscope.errors import InputError
from infoscope.readers.labels import as_number, match_label, suggest_cleaning
from infoscope.tables.labels import Label, decide_positive, lookalikes
from infoscope.tables.rows import Rows

JUDGE, SYSTEM, OTHER = range(3)
"""Column that has the true class of a row: the verdict, the prediction (and not the verdict), or neither."""
SLOTS = 3
NO_VERDICT = "none"
"""The verdict of rows without one."""
DISPUTED = " (disputed)"
RIGHT, WRONG = "right", "wrong"
MAX_COUNTED_CELLS = 20_000_000
"""Classes × verdicts × predictions, about 270 of each: their counts are drawn several times, as arrays."""
MENTIONED_VERDICTS = 0.01
"""Rows without a verdict are a verdict of their own from this share of the rows on; fewer are left out."""
MAX_BINS = 6
CANDIDATES = 31
"""Quantiles of all rows at which a cut between grades is tried."""
ACCEPTING = (
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
"""First letters of words that call a prediction right; other words of a verdict call it wrong."""

JudgeKind = Literal["class", "grade", "right or wrong"]
Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StratumCounts:
    """Labelled rows by truth × verdict × prediction, all rows by verdict × prediction; both may be weighted."""

    labelled: Real
    """(classes, verdicts, predictions)."""
    everything: Real
    """(verdicts, predictions): every row of the population, labelled or not."""
    verdict_class: Indices
    """The class that each verdict names; −1 where it names none, as "right", a grade or a missing verdict."""
    prediction_class: Indices
    """The class of each prediction; −1 for a rejection."""
    verdict_level: Indices
    """Verdicts of one level borrow strength: judges that agree are more reliable than those who do not."""

    def __post_init__(self) -> None:
        """Reject labelled rows outside the population's strata, and rows of one class."""
        classes, *sides = self.labelled.shape
        if tuple(sides) != self.everything.shape:
            raise InputError(
                f"the labelled rows are counted by {self.labelled.shape} and all rows by {self.everything.shape}; "
                "they need the same verdicts and predictions"
            )
        if classes < 2:
            raise InputError("there is only one class; two or more are needed")

    @classmethod
    def from_tensors(cls, labelled: Real, everything: Real, *, names_classes: bool = True) -> StratumCounts:
        """Return counts whose classes, verdicts and predictions are numbered alike; or verdicts that name no class."""
        _, verdicts, predictions = labelled.shape
        named = np.arange(verdicts) if names_classes else np.full(verdicts, -1)
        level = np.zeros(verdicts, dtype=np.int64)
        return cls(labelled.astype(float), everything.astype(float), named, np.arange(predictions), level)

    @property
    def classes(self) -> int:
        """Number of true classes."""
        return int(self.labelled.shape[0])

    @property
    def labels(self) -> float:
        """Labelled rows."""
        return float(self.labelled.sum())

    @cached_property
    def occupied(self) -> tuple[Indices, Indices]:
        """Verdict and prediction of each stratum that has rows."""
        verdict, prediction = np.nonzero((self.everything > 0) | (self.labelled.sum(axis=0) > 0))
        return verdict, prediction

    @property
    def verdict(self) -> Indices:
        """Verdict of each stratum."""
        return self.occupied[0]

    @property
    def prediction(self) -> Indices:
        """Prediction of each stratum."""
        return self.occupied[1]

    @property
    def predicted_class(self) -> Indices:
        """The class that each stratum's prediction names; −1 for a rejection."""
        return self.prediction_class[self.prediction]

    @cached_property
    def rows(self) -> Real:
        """Rows of each stratum."""
        return np.asarray(self.everything[self.occupied])

    @cached_property
    def by_class(self) -> Real:
        """Labelled rows of each stratum by class, (strata, classes)."""
        return np.ascontiguousarray(self.labelled[:, self.verdict, self.prediction].T)

    @cached_property
    def same(self) -> NDArray[np.bool_]:
        """(verdicts, predictions): where the verdict names the predicted class."""
        return (self.verdict_class[:, None] == self.prediction_class) & (self.verdict_class[:, None] >= 0)

    @cached_property
    def slot(self) -> Indices:
        """(strata, classes): which of JUDGE, SYSTEM and OTHER a class is."""
        classes = np.arange(self.classes)
        predicted = np.where(classes == self.predicted_class[:, None], SYSTEM, OTHER)
        return np.where(classes == self.verdict_class[self.verdict][:, None], JUDGE, predicted)

    @cached_property
    def kind(self) -> Indices:
        """Kind of each stratum: strata of one kind borrow strength from each other."""
        named = self.verdict_class[self.verdict]
        keys = np.stack(
            [
                np.where(named >= 0, -1, self.verdict),
                self.same[self.occupied].astype(np.int64),
                self.verdict_level[self.verdict],
                (self.predicted_class < 0).astype(np.int64),
            ]
        )
        return np.asarray(np.unique(keys, axis=1, return_inverse=True)[1]).reshape(-1)


@dataclass(frozen=True, eq=False)
class SystemStrata:
    """Counts by stratum of one system, with the names of the verdicts and predictions."""

    counts: StratumCounts
    verdicts: tuple[str, ...]
    predictions: tuple[Label, ...]
    verdict_codes: Indices
    """Verdict of each pattern; −1 where the pattern is left out."""
    prediction_codes: Indices
    """Prediction of each pattern; −1 where there is none."""
    truth_codes: Indices
    """True class of each pattern; −1 where it has no label."""
    rows_without_verdict: float
    """Rows that are left out as they have no verdict."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """One verdict for each distinct row."""

    codes: Indices
    names: tuple[str, ...]
    verdict_class: Indices
    """The class that each verdict names; −1 for none."""
    level: Indices
    """0 where judges agree, others where they do not or are graded."""

    def with_codes(self, codes: Indices) -> Verdicts:
        """Return the same verdicts with other codes; those that do not occur are left out."""
        used = distinct(codes[codes >= 0])
        place = np.full(len(self.names) + 1, -1)
        place[used] = np.arange(len(used))
        names = tuple(self.names[verdict] for verdict in used.tolist())
        return Verdicts(place[codes], names, self.verdict_class[used], self.level[used])


@dataclass(frozen=True, eq=False)
class _CodedRows:
    """Distinct rows that a system predicted, as codes: −1 where a label is missing."""

    truth: Indices
    prediction: Indices
    counts: Real
    classes: tuple[Label, ...]
    prediction_class: Indices

    @cached_property
    def right(self) -> Indices:
        """1 where the prediction is right, 0 where it is wrong, −1 where the row has no label."""
        return np.where(self.truth < 0, -1, self.truth == self.prediction_class[self.prediction])


# From rows to strata --------------------------------------------------------------------------------------------------


def place_rows(
    patterns: Rows,
    *,
    truth: str,
    judges: Mapping[str, JudgeKind],
    system: str,
    classes: tuple[Label, ...],
    says: Mapping[str, Label] | None = None,
    groups: str | None = None,
    only_unlabelled: bool = False,
    settled: tuple[Rows, SystemStrata] | None = None,
    weights: Real | None = None,
) -> SystemStrata:
    """Place the rows of one system in strata of verdict × prediction, and count them.

    Parameters
    ----------
    patterns
        Counted rows.
    truth, judges, system, groups
        Their columns: of true classes, of verdicts with what these are, of predictions, of rows that belong together.
    classes
        The true classes.
    says
        The labels for right and wrong, where verdicts say that.
    only_unlabelled
        Leave labelled rows out of the population.
    settled
        Rows and strata by which rows were drawn for labelling: which verdicts they are must not change with the labels.
    weights
        Weights of labelled rows, by pattern, where some kinds of rows were labelled more often than others.
    """
    class_codes = {label: code for code, label in enumerate(classes)}
    predictions = (*classes, *(label for label in _read_column(patterns, system)[0] if label not in class_codes))
    rows = _CodedRows(
        _recode(*_read_column(patterns, truth), classes),
        _recode(*_read_column(patterns, system), predictions),
        patterns.counts.astype(np.float64),
        classes,
        np.array([class_codes.get(label, -1) for label in predictions], dtype=np.int64),
    )
    if settled is None:
        columns = {name: _read_column(patterns, name) for name in judges}
        verdicts = _combine_judges(columns, judges, says, rows)
        codes = np.where(rows.prediction >= 0, verdicts.codes, -1)
        silent = codes == (verdicts.names.index(NO_VERDICT) if NO_VERDICT in verdicts.names else -2)
        lost = float(rows.counts[silent].sum())
        if lost >= MENTIONED_VERDICTS * float(rows.counts[codes >= 0].sum()):
            lost = 0.0
        else:
            codes = np.where(silent, -1, codes)
        verdicts = verdicts.with_codes(codes)
    else:
        before, strata = settled
        coded = zip(_list_verdicts(before, judges), strata.verdict_codes.tolist(), strict=True)
        code_of = {verdict: code for verdict, code in coded if code >= 0}
        codes = np.array([code_of.get(verdict, -1) for verdict in _list_verdicts(patterns, judges)], dtype=np.int64)
        codes = np.where(rows.prediction >= 0, codes, -1)
        verdicts = Verdicts(codes, strata.verdicts, strata.counts.verdict_class, strata.counts.verdict_level)
        lost = strata.rows_without_verdict
    group_codes = None if groups is None else _read_column(patterns, groups)[1]
    counts = _count_strata(rows, verdicts, patterns.squares, group_codes, weights, only_unlabelled=only_unlabelled)
    return SystemStrata(counts, verdicts.names, predictions, verdicts.codes, rows.prediction, rows.truth, lost)


def _read_column(patterns: Rows, name: str) -> tuple[Sequence[Label], Indices]:
    place = patterns.place(name)
    return patterns.labels[place], patterns.codes[place].astype(np.int64)


def _recode(labels: Sequence[Label], codes: Indices, wanted: Sequence[Label]) -> Indices:
    """Return codes of the wanted labels; −1 stays −1."""
    place = {label: code for code, label in enumerate(wanted)}
    return np.array([*(place[label] for label in labels), -1], dtype=np.int64)[codes]


def _list_verdicts(patterns: Rows, judges: Mapping[str, JudgeKind]) -> list[tuple[Label | None, ...]]:
    """Return the labels that the judges gave each pattern."""
    columns = [_read_column(patterns, name) for name in judges]
    verdicts = [[None if code < 0 else labels[code] for code in codes.tolist()] for labels, codes in columns]
    return list(zip(*verdicts, strict=True))


def _count_strata(
    rows: _CodedRows,
    verdicts: Verdicts,
    squares: Real | None,
    groups: Indices | None,
    weights: Real | None,
    *,
    only_unlabelled: bool,
) -> StratumCounts:
    """Count both tensors; weighted rows, and rows that belong together, count as fewer independent ones."""
    shape = (len(verdicts.names), len(rows.prediction_class))
    if len(rows.classes) * shape[0] * shape[1] > MAX_COUNTED_CELLS:
        raise InputError(
            f"{len(rows.classes):,} classes, {shape[0]:,} verdicts and {shape[1]:,} predictions are more than can be "
            "estimated with a judge: merge rare classes, or leave out the judge"
        )
    labelled, everything = np.zeros((len(rows.classes), *shape)), np.zeros(shape)
    placed = verdicts.codes >= 0
    has_label = placed & (rows.truth >= 0)
    counted = placed & (rows.truth < 0) if only_unlabelled else placed
    row_counts = rows.counts[has_label] if weights is None else rows.counts[has_label] * weights[has_label]
    np.add.at(labelled, (rows.truth[has_label], verdicts.codes[has_label], rows.prediction[has_label]), row_counts)
    np.add.at(everything, (verdicts.codes[counted], rows.prediction[counted]), rows.counts[counted])

    def equalize(sums: Real, square_sums: Real) -> float:
        """Return the factor that turns summed weights into as many rows of equal weight: Σw/Σw²."""
        return float(sums.sum() / square_sums.sum()) if square_sums.sum() > 0 else 1.0

    if weights is not None:
        labelled *= equalize(row_counts, row_counts * weights[has_label])
    if squares is not None:
        labelled *= equalize(rows.counts[has_label], squares[has_label])
        everything *= equalize(rows.counts[counted], squares[counted])
    if groups is not None:
        stratum = verdicts.codes * len(rows.prediction_class) + rows.prediction
        one_stratum = np.zeros(counted.sum(), int)
        labelled /= estimate_design_effect(
            rows.truth[has_label], stratum[has_label], groups[has_label], rows.counts[has_label]
        )
        everything /= estimate_design_effect(stratum[counted], one_stratum, groups[counted], rows.counts[counted])
    return StratumCounts(labelled, everything, verdicts.verdict_class, rows.prediction_class, verdicts.level)


def weigh_drawn_rows(strata: SystemStrata) -> Real:
    """Return how many rows each labelled row of a pattern stands for, where labels were drawn by these strata."""
    everything, labels = strata.counts.everything, strata.counts.labelled.sum(axis=0)
    mean = float(everything.sum() / max(labels.sum(), 1e-300))
    weights = np.where(labels > 0, everything / np.maximum(labels, 1e-300), mean)
    placed = (strata.verdict_codes >= 0) & (strata.prediction_codes >= 0)
    verdict, prediction = (np.where(placed, codes, 0) for codes in (strata.verdict_codes, strata.prediction_codes))
    return np.where(placed, weights[verdict, prediction], mean)


def estimate_design_effect(category: Indices, stratum: Indices, group: Indices, rows: Real) -> float:
    """Return the variance of shares of categories within strata over that of independent rows; at least 1.

    ``group`` is −1 for rows that stand alone.

    >>> once, twice = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    >>> estimate_design_effect(once, np.zeros(4, int), np.arange(4), np.ones(4))
    1.0
    >>> estimate_design_effect(twice, np.zeros(4, int), twice, np.ones(4))
    4.0
    """
    if not len(category):
        return 1.0
    _, place = np.unique(stratum, return_inverse=True)
    _, kind = np.unique(category, return_inverse=True)
    shares = np.zeros((place.max() + 1, kind.max() + 1))
    np.add.at(shares, (place, kind), rows)
    shares /= shares.sum(axis=1, keepdims=True)
    alone = np.where(group < 0, len(group) + np.arange(len(group)), group)
    groups, member = np.unique(alone, return_inverse=True)
    residual = -shares[place]
    residual[np.arange(len(kind)), kind] += 1.0
    sums = np.zeros((len(groups), residual.shape[1]))
    np.add.at(sums, member, rows[:, None] * residual)
    single = float((rows[:, None] * residual**2).sum())
    together = float((sums**2).sum())
    if single <= 0 or len(groups) < 2:
        return 1.0
    return max(together / single * len(groups) / (len(groups) - 1), 1.0) if together > single else 1.0


# From columns of judges to one verdict --------------------------------------------------------------------------------


def classify_verdicts(name: str, labels: Sequence[Label], classes: Sequence[Label], says: object) -> JudgeKind:
    """Return what a column of verdicts holds.

    Two labels that are no classes are rejected, as nothing says which of them is "right"; so are labels that are
    classes in another spelling, which would be taken for grades.
    """
    if isinstance(says, Mapping):
        return "right or wrong"
    if says == "score":
        return "grade"
    grades, numbers = parse_grades(labels), parse_grades(classes)
    # numbers with fractions beside classes without are grades, though 0 and 1 among them are names of classes
    are_scores = (
        grades is not None
        and numbers is not None
        and bool((grades != np.rint(grades)).any())
        and not (numbers != np.rint(numbers)).any()
    )
    named = set(labels) & set(classes)
    if not labels or (named and not are_scores):
        return "class"
    if grades is None:
        verdict_texts, class_texts = set(map(str, labels)), set(map(str, classes))
        alike = [
            group for group in lookalikes({*labels, *classes}) if verdict_texts & {*group} and class_texts & {*group}
        ]
        if alike:
            verdict = next(label for label in alike[0] if label in verdict_texts)
            known = next(label for label in alike[0] if label in class_texts)
            raise InputError(
                f"the judge {name!r} says {verdict!r} where a class is called {known!r}; spell them alike, "
                f"{suggest_cleaning(alike)}"
            )
    if len(labels) == 2 and not named:
        decided = decide_positive([labels[0], labels[1]])
        if decided is None:
            words = [str(label).strip().casefold().startswith(ACCEPTING) for label in labels]
            is_first_right = words[0] if words[0] != words[1] else str(labels[0]) > str(labels[1])
        else:
            is_first_right = decided == labels[0]
        right, wrong = map(str, labels if is_first_right else labels[::-1])
        raise InputError(
            f"the judge {name!r} says {right!r} or {wrong!r}, which are neither true nor predicted classes; say which "
            f"one means that the prediction is right, for example --judge {name},right={right},wrong={wrong} "
            f"(says={{'right': {right!r}, 'wrong': {wrong!r}}})"
        )
    return "grade"


def _combine_judges(
    columns: Mapping[str, tuple[Sequence[Label], Indices]],
    kinds: Mapping[str, JudgeKind],
    says: Mapping[str, Label] | None,
    rows: _CodedRows,
) -> Verdicts:
    """Combine the columns of judges, each with its labels and codes, into one verdict per row.

    Judges that name classes, or say right and wrong, vote; each column of grades is a part of the verdict of its own.
    """
    class_codes = {label: code for code, label in enumerate(rows.classes)}
    votes, parts = [], []
    for name, (labels, codes) in columns.items():
        if kinds[name] == "grade":
            numbers = parse_grades(labels)
            if numbers is None:
                bins, names = codes, tuple(map(str, labels))
            else:  # cut where that keeps most information on whether predictions are right
                values, rank = np.unique(numbers, return_inverse=True)
                places = np.append(rank, -1)[codes]
                edges = choose_edges(values, places, rows.right, rows.prediction, rows.counts)
                bins = np.where(codes < 0, -1, np.searchsorted(edges, values, side="right")[places])
                names = name_grades(edges)
            size = len(names)
            bins = np.where(bins < 0, size, bins)
            parts.append(Verdicts(bins, (*names, NO_VERDICT), np.full(size + 1, -1), np.arange(size + 1)))
            continue
        if says is not None:
            right = _match_says(name, labels, says)
            meaning = [int(label == right) for label in labels]
        else:
            meaning = [class_codes.get(label, -1) for label in labels]
        votes.append(np.array([*meaning, -1], dtype=np.int64)[codes])
    if votes:
        parts.insert(0, _vote(votes, rows, names_classes=says is None))
    verdicts = parts[0]
    for part in parts[1:]:
        width = len(part.names)
        first, second = np.divmod(np.arange(len(verdicts.names) * width), width)
        verdicts = Verdicts(
            np.where((verdicts.codes < 0) | (part.codes < 0), -1, verdicts.codes * width + part.codes),
            tuple(f"{one}, {two}" for one in verdicts.names for two in part.names),
            np.where(verdicts.verdict_class[first] >= 0, verdicts.verdict_class[first], part.verdict_class[second]),
            verdicts.level[first] * (int(part.level.max(initial=0)) + 1) + part.level[second],
        )
    return verdicts.with_codes(verdicts.codes)


def _match_says(name: str, labels: Sequence[Label], says: Mapping[str, Label]) -> Label:
    """Return the label for right as the column of a judge has it; reject labels that are neither right nor wrong."""
    if set(says) != {RIGHT, WRONG}:
        raise InputError(f"says names {', '.join(map(str, says))}; it must name right and wrong, and nothing else")
    matches: dict[str, Label] = {}
    for word in (RIGHT, WRONG):
        label = match_label(says[word], labels)
        if label is None or label not in labels:
            raise InputError(
                f"the judge {name!r} never says {says[word]!r}, which is stated as {word}; it says "
                f"{', '.join(repr(label) for label in labels[:5])}"
            )
        matches[word] = label
    if matches[RIGHT] == matches[WRONG]:
        raise InputError(f"right and wrong are both {matches[RIGHT]!r}; state two labels")
    odd = next((label for label in labels if label not in matches.values()), None)
    if odd is not None:
        raise InputError(
            f"the judge {name!r} also says {odd!r}, which is neither right nor wrong; leave it empty where there is no "
            "verdict"
        )
    return matches[RIGHT]


def _vote(votes: Sequence[Indices], rows: _CodedRows, *, names_classes: bool) -> Verdicts:
    """Return the class that most judges name, weighted by how often each was right; and whether they agree."""
    options = len(rows.classes) if names_classes else 2
    names = [str(label) for label in rows.classes] if names_classes else [WRONG, RIGHT]
    if len(votes) == 1:
        best, disputed = votes[0], np.zeros(len(votes[0]), dtype=bool)
    else:
        target = rows.truth if names_classes else rows.right
        scores = np.zeros((len(votes[0]), options))
        for vote in votes:
            # the log odds of a judge's verdict on the labelled rows, and a little for every judge
            labelled = (target >= 0) & (vote >= 0)
            hits = float(rows.counts[labelled & (target == vote)].sum())
            share = (hits + 1) / (float(rows.counts[labelled].sum()) + 2)
            weight = float(max(np.log(share / (1 - share) * (options - 1)), 0.01))
            voted = np.flatnonzero(vote >= 0)
            scores[voted, vote[voted]] += weight
        ballots = np.stack(votes)
        best = np.where((ballots >= 0).any(axis=0), scores.argmax(axis=1), -1)
        disputed = ((ballots >= 0) & (ballots != best)).any(axis=0)
    codes = np.where(best < 0, 2 * options, best + options * disputed)
    named = np.arange(options) if names_classes else np.full(options, -1)
    return Verdicts(
        codes,
        (*names, *(name + DISPUTED for name in names), NO_VERDICT),
        np.concatenate([named, named, [-1]]),
        np.repeat([0, 1, 2], [options, options, 1]),
    )


# Grades ---------------------------------------------------------------------------------------------------------------


def parse_grades(labels: Sequence[Label]) -> Real | None:
    """Return the numbers that labels are or spell, as grades of a CSV file do; None where one of them is none.

    >>> parse_grades(["10", 2, "2.5"])
    array([10. ,  2. ,  2.5])
    >>> parse_grades(["good", "2"]) is None
    True
    """
    numbers = [label if isinstance(label, bool) else as_number(label) for label in labels]
    if not numbers or any(isinstance(number, bool) or not isinstance(number, (int, float)) for number in numbers):
        return None
    return np.array(numbers, dtype=np.float64)


def choose_edges(values: Real, codes: Indices, right: Indices, prediction: Indices, rows: Real) -> Real:
    """Return the inner edges of the bins, by the evidence of the labelled rows: a cut that says nothing is not made.

    ``values`` are the grades in rising order and ``codes`` those of the rows; ``right`` is 1, 0, or −1 for rows
    without a label.
    """
    if len(values) - 1 <= CANDIDATES:
        candidates = [float(value) for value in values[1:]]
    else:
        graded = codes >= 0
        counts = np.bincount(codes[graded], rows[graded], len(values))
        shares = np.cumsum(counts) / counts.sum()
        places = np.searchsorted(shares, np.arange(1, CANDIDATES + 1) / (CANDIDATES + 1)) + 1
        candidates = [float(values[place]) for place in distinct(places) if 0 < place < len(values)]
    labelled = (right >= 0) & (codes >= 0)
    hits = np.zeros((2, int(prediction.max(initial=0)) + 1, len(values)))
    np.add.at(hits, (right[labelled], prediction[labelled], codes[labelled]), rows[labelled])
    below = np.concatenate([np.zeros((*hits.shape[:2], 1)), hits.cumsum(axis=2)], axis=2)

    def compute_log_evidence(edges: list[float]) -> float:
        ends = [0, *np.searchsorted(values, edges).tolist(), len(values)]
        wrong, hit = np.diff(below[:, :, ends], axis=2)
        return float((betaln(wrong + 0.5, hit + 0.5) - betaln(0.5, 0.5)).sum())

    edges: list[float] = []
    best = compute_log_evidence(edges)
    while len(edges) < MAX_BINS - 1:
        left = [edge for edge in candidates if edge not in edges]
        evidence = [compute_log_evidence(sorted([*edges, edge])) for edge in left]
        if not evidence or max(evidence) - np.log(len(left)) <= best - np.log(max(len(edges), 1)):
            break
        edges = sorted([*edges, left[int(np.argmax(evidence))]])
        best = max(evidence)
    return np.array(edges)


def name_grades(edges: Real) -> tuple[str, ...]:
    """Return the names of bins between edges.

    >>> name_grades(np.array([3.0, 7.5]))
    ('below 3', '3 to 7.5', 'from 7.5')
    """
    shown = [f"{edge:g}" for edge in edges]
    if not shown:
        return ("any grade",)
    middle = [f"{low} to {high}" for low, high in pairwise(shown)]
    return (f"below {shown[0]}", *middle, f"from {shown[-1]}")
