"""Systems of one evaluation against each other, where they have predictions for the same rows (of a group)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from infoscope.errors import InputError
from infoscope.posterior import Posterior
from infoscope.readers import Joint
from infoscope.results.finding import Finding
from infoscope.studies.compare import DEFAULT_METRICS, Comparison, compare_predictions
from infoscope.studies.evaluate.result import GroupComparison, SystemResult
from infoscope.studies.evaluate.score import TableInput
from infoscope.studies.inputs import UncertaintyOptions
from infoscope.studies.predictions import PairedPredictions

__all__ = ["compared"]

MOST_SYSTEMS = 30
"""More are compared on request only, with ``compare``."""
MOST_IN_GROUPS = 120
"""Systems times groups that are compared by default."""


def compared(
    joints: Mapping[tuple[str, ...], Joint | PairedPredictions],
    subjects: Sequence[TableInput],
    results: Sequence[SystemResult],
    how: UncertaintyOptions,
) -> tuple[Comparison | None, tuple[GroupComparison, ...]]:
    """The systems against each other row by row, and within each group where rows were split; None for nothing."""
    by_group: dict[tuple[str, ...], list[int]] = {}
    for at, subject in enumerate(subjects):
        by_group.setdefault(tuple((subject.group or {}).values()), []).append(at)
    if list(by_group) == [()]:
        return _compared(joints.get(()), subjects, results, how), ()
    if len(subjects) > MOST_IN_GROUPS:
        return None, ()
    found = []
    for group, members in by_group.items():
        part = _compared(joints.get(group), [subjects[at] for at in members], [results[at] for at in members], how)
        if part is not None:
            found.append(GroupComparison(dict(subjects[members[0]].group or {}), part))
    return None, tuple(found)


def _compared(
    joint: Joint | PairedPredictions | None,
    subjects: Sequence[TableInput],
    results: Sequence[SystemResult],
    how: UncertaintyOptions,
) -> Comparison | None:
    if joint is None or not 1 < len(subjects) <= MOST_SYSTEMS:
        return None
    if any(subject.table.reweighting is not None for subject in subjects) or how.sample_size is not None:
        return None
    metrics = [name for name in DEFAULT_METRICS if all(result.metrics[name].sd is not None for result in results)]
    if not metrics:
        return None
    first = subjects[0]
    predictions = joint
    if isinstance(predictions, Joint):
        cluster = None if first.cluster is None else first.cluster.column
        predictions = PairedPredictions.from_joint(
            predictions, cluster=cluster, reject=first.table.reject, positive=first.table.positive
        )
    known = {subject.name: subject.belief for subject in subjects if isinstance(subject.belief, Posterior)}
    try:
        return compare_predictions(
            predictions, metrics=metrics, level=how.level, prior=how.prior, seed=how.seed, known=known
        )
    except InputError as error:  # systems that share no row
        return Comparison(
            tuple(subject.name for subject in subjects),
            {subject.name: subject.n for subject in subjects if subject.n is not None},
            how.level,
            pairs=(),
            ranking=(),
            findings=(Finding("not_compared", f"{error}."),),
        )
