"""Scores group by group: what they are worth in each, in all together, and how that varies over the groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError, check_keywords
from infoscope.readers import ReadOptions
from infoscope.readers.guess_columns import as_names
from infoscope.readers.labels import Cleaning
from infoscope.readers.query import Query
from infoscope.readers.reader import read_joints
from infoscope.results.base import Result
from infoscope.results.finding import Finding
from infoscope.results.frame import rename_taken_columns
from infoscope.results.provenance import IgnoredRows, Provenance, describe_ignored_rows
from infoscope.studies.operating_points.ranking import ScoreRanking, ranked
from infoscope.studies.operating_points.reliability import are_probabilities
from infoscope.studies.operating_points.score_rows import ScoreRows, cleaned, matched, scored_rows
from infoscope.studies.operating_points.score_summary import NO_PROBABILITIES, ScoreSummary, score_summary
from infoscope.studies.operating_points.scores import BinaryScores, positive_among
from infoscope.tables.labels import Label, sorted_labels
from infoscope.tables.missing import all_ignored, warn_of_rows
from infoscope.typing import Json, Source

__all__ = ["GroupStatistics", "ScoreGroup", "ScoreGroups", "score_groups"]


@dataclass(frozen=True)
class ScoreGroup:
    """The scores of one group."""

    group: tuple[str, ...]
    """A value for each column that splits the rows."""
    summary: ScoreSummary


@dataclass(frozen=True)
class GroupStatistics:
    """How a number varies over the groups in which it exists, each group counting once."""

    groups: int
    mean: float
    sd: float
    least: float
    most: float
    above_zero: int
    """Groups in which it is above 0."""


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
    provenance: Provenance = field(default_factory=Provenance)
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self.groups)

    def rows(self) -> Iterator[Mapping[str, Json]]:
        """The total, then one row per group."""
        everything = ("total",) * len(self.by)
        for group, summary in ((everything, self.total), *((each.group, each.summary) for each in self.groups)):
            numbers = asdict(summary)
            yield {**rename_taken_columns(dict(zip(self.by, group, strict=True)), numbers, "by"), **numbers}


class ScoreGroupsKeywords(TypedDict, total=False):
    """What ``score_groups`` may be asked beyond its source."""

    weight: str | None
    positive: Label | None
    clean: Cleaning
    raw: bool


def score_groups(
    source: Source,
    *,
    truth: str,
    score: str,
    by: str | Sequence[str],
    read: ReadOptions | None = None,
    **options: Unpack[ScoreGroupsKeywords],
) -> ScoreGroups:
    """Scores of two classes group by group: log loss, Brier score, lift quality and more, in each and in all.

    >>> rows = {"truth": [1, 0, 1, 0, 0], "score": [0.9, 0.2, 0.4, 0.5, 0.1], "site": ["a", "a", "b", "b", "b"]}
    >>> found = score_groups(rows, truth="truth", score="score", by="site")
    >>> [(each.group, each.summary.lift_quality) for each in found.groups]
    [(('b',), 0.0), (('a',), 1.0)]
    >>> print(f"{found.total.lift_quality:.3f}")
    0.667
    """
    check_keywords(options, ScoreGroupsKeywords)
    names = as_names(by)
    query = Query(truth, (score,), options.get("weight"), names, joint=True, read=read or ReadOptions())
    found = {
        group: scored_rows(cleaned(joint.tally, truth, options.get("clean", ())), [score])
        for group, joint in read_joints(source, query).items()
    }
    if options.get("raw"):
        found = {group: rows.as_probabilities() for group, rows in found.items()}
    ignored = all_ignored(rows.ignored for rows in found.values())
    warn_of_rows(ignored)
    kept = {group: rows for group, rows in found.items() if len(rows.rows)}
    if not kept:
        raise InputError("no row has a truth label, a score and a weight above 0; there is nothing to sum up")
    labels = _two_classes(np.concatenate([rows.truth for rows in kept.values()]))
    positive = positive_among(labels, matched(options.get("positive"), np.array(labels, dtype=object)))
    whole = _levels(_together(list(kept.values())), positive)
    probabilities = are_probabilities(whole)
    summaries = [
        ScoreGroup(tuple(map(str, group)), score_summary(_levels(rows, positive), probabilities=probabilities))
        for group, rows in kept.items()
    ]
    summaries.sort(key=lambda each: -each.summary.samples)
    left_out = tuple(IgnoredRows(reason, rows) for reason, rows in ignored.items())
    return ScoreGroups(
        score,
        str(positive),
        tuple(names),
        score_summary(whole),
        tuple(summaries),
        _statistics([each.summary for each in summaries]),
        Provenance(rows=int(sum(rows.rows.sum() for rows in kept.values())), ignored=left_out),
        (*_doubts(summaries, probabilities=probabilities), *describe_ignored_rows(left_out)),
    )


def _two_classes(truth: NDArray[Any]) -> tuple[Label, Label]:
    labels = sorted_labels(set(truth.tolist()))
    if len(labels) != 2:
        raise InputError(
            f"truth has {len(labels)} class{'es' * (len(labels) != 1)}, and scores are summed up for two; name a truth "
            "with two classes"
        )
    return labels[0], labels[1]


def _together(parts: list[ScoreRows]) -> ScoreRows:
    def joined(name: str) -> Any:
        values = [getattr(part, name) for part in parts]
        return None if values[0] is None else np.concatenate(values)

    return ScoreRows(joined("values"), joined("truth"), joined("rows"), joined("weights"), joined("squares"), {})


def _levels(rows: ScoreRows, positive: Label) -> ScoreRanking:
    weights = rows.rows if rows.weights is None else rows.weights
    is_positive = np.array([label == positive for label in rows.truth], dtype=bool)
    return ranked(BinaryScores(rows.values[:, 0], is_positive, (positive, positive), positive, weights))


def _statistics(summaries: Sequence[ScoreSummary]) -> dict[str, GroupStatistics]:
    found = {}
    for name in ScoreSummary.__dataclass_fields__:
        values = np.array([value for each in summaries if (value := getattr(each, name)) is not None])
        if len(values):
            ends = float(values.min()), float(values.max())
            above = int(np.count_nonzero(values > 0))
            found[name] = GroupStatistics(len(values), float(values.mean()), float(values.std()), *ends, above)
    return found


def _doubts(groups: Sequence[ScoreGroup], *, probabilities: bool) -> Iterator[Finding]:
    if not probabilities:
        yield Finding("no_probabilities", NO_PROBABILITIES)
    lacking = sum(each.summary.roc_auc is None for each in groups)
    if lacking:
        text = (
            f"{lacking:,} of {len(groups):,} groups {'has' if lacking == 1 else 'have'} samples of one class only: no "
            "ranking and no normalized losses there, and none of them in the statistics."
        )
        yield Finding("groups_of_one_class", text, evidence={"groups": lacking})
