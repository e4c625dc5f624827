"""Systems of one evaluation against each other, where they answered the same rows."""

from __future__ import annotations

from collections.abc import Sequence
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
METRICS = ("erroneous_information_ratio", "proficiency")


def compared(
    joint: Joint | None, subjects: Sequence[Subject], results: Sequence[SystemResult], how: Uncertainty
) -> dict[str, Any] | None:
    """Pairs and ranking as the document has them; None where there is nothing to compare row by row."""
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
    return {"level": how.level, **document["comparison"], "notes": document["notes"]}
