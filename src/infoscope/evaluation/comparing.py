"""Systems of one evaluation against each other, where they answered the same rows (of a group)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from infoscope.errors import InputError
from infoscope.evaluation.believing import Uncertainty
from infoscope.evaluation.document import SystemResult
from infoscope.evaluation.measuring import Subject

if TYPE_CHECKING:
    from infoscope.readers import Joint

__all__ = ["compared"]

MOST_SYSTEMS = 30
"""More are compared on request only, with ``compare``."""
MOST_IN_GROUPS = 120
"""Systems times groups that are compared unasked."""
METRICS = ("erroneous_information_ratio", "proficiency")


def compared(
    joints: Mapping[tuple[str, ...], Joint],
    subjects: Sequence[Subject],
    results: Sequence[SystemResult],
    how: Uncertainty,
) -> dict[str, Any] | None:
    """Pairs and ranking as the document has them; None where there is nothing to compare row by row.

    Where rows were split into groups, the systems are compared within each, and ``groups`` holds what was found.
    """
    by_group: dict[tuple[str, ...], list[int]] = {}
    for at, subject in enumerate(subjects):
        by_group.setdefault(tuple((subject.group or {}).values()), []).append(at)
    if list(by_group) == [()]:
        return _within(joints.get(()), subjects, results, how)
    if len(subjects) > MOST_IN_GROUPS:
        return None
    found = []
    for group, members in by_group.items():
        part = _within(joints.get(group), [subjects[at] for at in members], [results[at] for at in members], how)
        if part is not None:
            found.append({"group": dict(subjects[members[0]].group or {}), **part})
    return {"level": how.level, "pairs": [], "ranking": [], "notes": [], "groups": found} if found else None


def _within(
    joint: Joint | None, subjects: Sequence[Subject], results: Sequence[SystemResult], how: Uncertainty
) -> dict[str, Any] | None:
    if joint is None or not 1 < len(subjects) <= MOST_SYSTEMS:
        return None
    if any(subject.table.reweighting is not None for subject in subjects) or how.n is not None:
        return None
    metrics = [name for name in METRICS if all(result.metrics[name].sd is not None for result in results)]
    if not metrics:
        return None
    from infoscope.comparison import Answers, compare_answers  # noqa: PLC0415 - only for several systems
    from infoscope.posterior import Posterior  # noqa: PLC0415

    first = subjects[0]
    cluster = None if first.cluster is None else first.cluster.column
    answers = Answers.from_joint(joint, cluster=cluster, reject=first.table.reject, positive=first.table.positive)
    known = {subject.name: subject.belief for subject in subjects if isinstance(subject.belief, Posterior)}
    try:
        found = compare_answers(answers, metrics=metrics, level=how.level, prior=how.prior, seed=how.seed, known=known)
    except InputError as error:  # systems that share no row
        return {"level": how.level, "pairs": [], "ranking": [], "notes": [str(error)]}
    document = found.to_dict()
    return {"level": how.level, **document["comparison"], "findings": document["findings"], "notes": document["notes"]}
