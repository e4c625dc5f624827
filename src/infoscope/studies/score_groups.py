"""Sum scores up group by group: what they are worth in each, in all together, and how that varies over the groups.

``score_groups`` is what ``sweep`` asks with ``by=``. The page is ``reports/views/score_groups.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import chdtrc, logit

from infoscope.core.markup import ShortRepr
from infoscope.core.validation import validated
from infoscope.errors import InputError
from infoscope.readers import ReadOptions
from infoscope.readers.labels import Cleaning
from infoscope.readers.query import Query, as_names
from infoscope.readers.reader import read_joints
from infoscope.results.base import Result
from infoscope.results.estimate import Estimate
from infoscope.results.finding import Finding
from infoscope.results.frame import Record, describe_group, make_tidy, rename_taken_columns
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.results.system import SystemMetrics, find_system
from infoscope.studies.score_arrays import (
    BinaryScores,
    ScoreRows,
    apply_logistic,
    choose_positive,
    decode_score_rows,
    find_label,
)
from infoscope.studies.score_ranking import ScoreRanking, estimate_areas, rank_scores
from infoscope.studies.scores import NO_PROBABILITIES, ScoreSummary, are_probabilities, score_summary
from infoscope.tables.counting import add_ignored, warn_of_rows
from infoscope.tables.labels import Label, as_labels, sorted_labels
from infoscope.typing import Json, Source

MIN_TESTED = 10
"""Samples of each class from which on the area of a group is tested against those of others."""


@dataclass(frozen=True, repr=False)
class ScoreGroup(ShortRepr):
    """The scores of one group."""

    group: tuple[str, ...]
    """A value for each column that splits the rows."""
    summary: ScoreSummary


@dataclass(frozen=True)
class GroupStatistics:
    """The spread of a number over the groups in which it exists, each group counting once."""

    groups: int
    mean: float
    sd: float
    least: float
    most: float
    above_zero: int
    """Groups in which it is above 0."""


@dataclass(frozen=True, repr=False)
class ScoreColumn(ShortRepr):
    """One of several columns of scores, summed up."""

    score: str
    total: ScoreSummary
    groups: tuple[ScoreGroup, ...]
    statistics: Mapping[str, GroupStatistics]
    roc_auc_p_value: float | None = None
    """Of the hypothesis that the area under the ROC curve is the same in all groups (Cochran's Q of the log odds)."""


@dataclass(frozen=True, repr=False, eq=False)
class ScoreGroups(Result):
    """Scores summed up group by group, with a total."""

    kind: ClassVar[str] = "score-groups"

    score: str
    """The column of scores."""
    positive: str
    by: tuple[str, ...]
    total: ScoreSummary
    groups: tuple[ScoreGroup, ...]
    """The largest first."""
    statistics: Mapping[str, GroupStatistics]
    """Of every number over the groups."""
    others: tuple[ScoreColumn, ...] = ()
    """The further columns of scores, on the same rows."""
    roc_auc_p_value: float | None = None
    """Of the hypothesis that the area under the ROC curve is the same in all groups (Cochran's Q of the log odds)."""
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        """Return how many groups there are."""
        return len(self.groups)

    def __getitem__(self, name: str) -> SystemMetrics:
        """Return the numbers of one group, named by its values, as "north" or "north, monday"; or of the "total"."""
        groups = [("total", self.total), *((", ".join(group.group), group.summary) for group in self.groups)]
        named = (
            SystemMetrics(title, {number: Estimate(value) for number, value in vars(summary).items()})
            for title, summary in groups
        )
        return find_system(named, name, "group")

    @property
    def columns(self) -> tuple[ScoreColumn, ...]:
        """Every column of scores, the first included."""
        first = ScoreColumn(self.score, self.total, self.groups, self.statistics, self.roc_auc_p_value)
        return (first, *self.others)

    def records(self) -> Iterator[Record]:
        """Yield the total, then one record per group; of several columns of scores with the name of each."""
        for column in self.columns:
            for group in (ScoreGroup(("total",) * len(self.by), column.total), *column.groups):
                numbers = {name: Estimate(value) for name, value in vars(group.summary).items()}
                score = {"score": column.score} if self.others else {}
                values = dict(zip(self.by, group.group, strict=True))
                yield {**rename_taken_columns(values, {*score, *numbers}, "by"), **score, **numbers}

    def tidy_rows(self) -> Iterator[Mapping[str, Json]]:
        """Yield the numbers of all rows, then those of each group; the column of scores stands for a system."""
        for column in self.columns:
            for group in (None, *column.groups):
                values = {} if group is None else dict(zip(self.by, group.group, strict=True))
                own = {"system": column.score, "group": describe_group(values)}
                numbers = vars(column.total if group is None else group.summary)
                record = {name: Estimate(value) for name, value in numbers.items()}
                yield from make_tidy({**rename_taken_columns(values, record, "by"), **record}, own, {})


@validated()
def score_groups(
    source: Source,
    *,
    truth: str,
    score: str | Sequence[str],
    by: str | Sequence[str],
    weight: str | None = None,
    positive: Label | None = None,
    clean: Cleaning = (),
    raw: bool = False,
    read: ReadOptions | None = None,
) -> ScoreGroups:
    """Sum up scores of two classes group by group: log loss, Brier score, lift quality and more, in each and in all.

    Parameters
    ----------
    source : source of rows
        Rows in any form that ``read`` takes, or a mapping of column names to values.
    truth : str
        The column of the truth.
    score : str or sequence of str
        The column of the score; several are each summed up, over the rows that have all of them.
    by : str or sequence of str
        Columns whose values split the rows.
    weight : str, optional
        The column with the weight of each row.
    positive : label, optional
        The class that high scores mean.
    clean : optional
        How labels are cleaned.
    raw : bool, default False
        Scores are logits: they become probabilities first, by 1 / (1 + exp(−x)).
    read : ReadOptions, optional
        How files are read.

    Returns
    -------
    ScoreGroups
        A summary of each group, the largest first, of all, and statistics of every number over the groups.

    Raises
    ------
    InputError
        If no row has a truth and a score, or the truth has not two classes.

    Examples
    --------
    >>> rows = {"truth": [1, 0, 1, 0, 0], "score": [0.9, 0.2, 0.4, 0.5, 0.1], "site": ["a", "a", "b", "b", "b"]}
    >>> result = score_groups(rows, truth="truth", score="score", by="site")
    >>> [(group.group, group.summary.lift_quality) for group in result.groups]
    [(('b',), 0.0), (('a',), 1.0)]
    >>> print(f"{result.total.lift_quality:.3f}")
    0.667
    """
    names, scores = as_names(by), as_names(score)
    query = Query(truth, tuple(scores), weight, names, joint=True, read=read or ReadOptions())
    joints, ungrouped = read_joints(source, query)
    rows_by_group = {
        group: decode_score_rows(joint.rows, truth, scores, clean=clean) for group, joint in joints.items()
    }
    ignored = add_ignored((ungrouped, *(rows.ignored for rows in rows_by_group.values())))
    warn_of_rows(ignored)
    kept = {group: rows for group, rows in rows_by_group.items() if len(rows.rows)}
    if not kept:
        raise InputError("no row has a truth label, a score and a weight above 0; there is nothing to sum up")
    labels = sorted_labels(as_labels({label for rows in kept.values() for label in rows.truth.tolist()}))
    if len(labels) != 2:
        raise InputError(
            f"truth has {len(labels)} class{'es' * (len(labels) != 1)}, and scores are summed up for two; name a truth "
            "with two classes"
        )
    chosen = choose_positive((labels[0], labels[1]), find_label(positive, np.array(labels, dtype=object)))

    columns: list[ScoreColumn] = []
    findings: list[Finding] = []
    for place, name in enumerate(scores):
        own = {group: replace(rows, values=rows.values[:, [place]]) for group, rows in kept.items()}
        if raw:  # a logit becomes a probability
            own = {group: replace(rows, values=apply_logistic(rows.values)) for group, rows in own.items()}
        column, about = _sum_up_column(name, own, chosen)
        columns.append(column)
        findings += [replace(each, text=f"{name}: {each.text}") if len(scores) > 1 else each for each in about]
    left_out = tuple(IgnoredRows(reason, rows) for reason, rows in ignored.items())
    first, *others = columns
    return ScoreGroups(
        first.score,
        str(chosen),
        tuple(names),
        first.total,
        first.groups,
        first.statistics,
        tuple(others),
        first.roc_auc_p_value,
        Provenance(rows=int(sum(rows.rows.sum() for rows in kept.values())), ignored=left_out),
        (*findings, *describe_ignored_rows(left_out)),
    )


def _sum_up_column(
    name: str, rows_by_group: Mapping[tuple[Any, ...], ScoreRows], positive: Label
) -> tuple[ScoreColumn, list[Finding]]:
    """Sum up one column of scores: all rows, each group, the largest first, and the spread over the groups."""
    total = _rank_rows(list(rows_by_group.values()), positive)
    probabilities = are_probabilities(total)
    rankings = {tuple(map(str, group)): _rank_rows([rows], positive) for group, rows in rows_by_group.items()}
    groups = [
        ScoreGroup(group, score_summary(ranking, probabilities=probabilities)) for group, ranking in rankings.items()
    ]
    groups.sort(key=lambda group: -group.summary.samples)
    statistics = {}
    for number in ScoreSummary.__dataclass_fields__:
        numbers = [getattr(group.summary, number) for group in groups]
        values = np.array([value for value in numbers if value is not None])
        if len(values):
            ends = float(values.min()), float(values.max())
            above = int(np.count_nonzero(values > 0))
            statistics[number] = GroupStatistics(len(values), float(values.mean()), float(values.std()), *ends, above)

    findings = []
    if not probabilities:
        findings.append(Finding("no_probabilities", NO_PROBABILITIES))
    if lacking := sum(group.summary.roc_auc is None for group in groups):
        text = (
            f"{lacking:,} of {len(groups):,} groups {'has' if lacking == 1 else 'have'} samples of one class only: no "
            "ranking and no normalized losses there, and none of them in the statistics."
        )
        findings.append(Finding("groups_of_one_class", text, evidence={"groups": lacking}))
    p_value = _test_equal_areas(list(rankings.values()))
    return ScoreColumn(name, score_summary(total), tuple(groups), statistics, p_value), findings


def _test_equal_areas(rankings: Sequence[ScoreRanking]) -> float | None:
    """Return the p-value of equal areas under the ROC curve; None with fewer than two groups of enough samples."""
    sizes = ((ranking.positives, ranking.total - ranking.positives) for ranking in rankings)
    enough = [ranking for ranking, both in zip(rankings, sizes, strict=True) if min(both) >= MIN_TESTED]
    areas = [estimate_areas(ranking)["roc_auc"] for ranking in enough]
    odds = [(logit(area.value), area.sd / (area.value * (1 - area.value))) for area in areas if area.value and area.sd]
    if len(odds) < 2:
        return None
    centres, weights = np.array([centre for centre, _ in odds]), 1.0 / np.array([sd for _, sd in odds]) ** 2
    spread = float(weights @ (centres - np.average(centres, weights=weights)) ** 2)
    return float(chdtrc(len(odds) - 1, spread))


def _rank_rows(parts: Sequence[ScoreRows], positive: Label) -> ScoreRanking:
    """Rank the rows of some groups together."""
    scores = np.concatenate([part.values[:, 0] for part in parts])
    is_positive = np.array([label == positive for part in parts for label in part.truth], dtype=bool)
    weights: Any = np.concatenate([part.rows if part.weights is None else part.weights for part in parts])
    return rank_scores(BinaryScores(scores, is_positive, (positive, positive), positive, weights))
