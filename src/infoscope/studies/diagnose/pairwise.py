"""Rules that need two systems."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot

from infoscope.results.finding import Finding
from infoscope.studies.diagnose.phrases import percent
from infoscope.studies.diagnose.statistics import TableStatistics
from infoscope.studies.diagnose.thresholds import THRESHOLDS

__all__ = ["non_monotone"]


def non_monotone(name: str, systems: Mapping[str, TableStatistics]) -> Finding | None:
    """Right more often than another system, and yet less informative: the clearest such clash."""
    mine = systems[name]
    clashes = []
    for other, facts in systems.items():
        if other == name or mine.accuracy is None or facts.accuracy is None:
            continue
        if facts.table.truth_labels != mine.table.truth_labels:
            continue
        ahead, behind = mine.accuracy - facts.accuracy, facts.proficiency - mine.proficiency
        noise = {
            metric: THRESHOLDS.clash_errors * _error(mine, facts, metric) for metric in ("accuracy", "proficiency")
        }
        if (
            min(ahead, behind) >= THRESHOLDS.clash_margin
            and ahead >= noise["accuracy"]
            and behind >= noise["proficiency"]
        ):
            clashes.append((min(ahead, behind), other, facts))
    if not clashes:
        return None
    _, other, rival = max(clashes, key=lambda clash: clash[0])
    right = [facts.shown("accuracy", facts.accuracy or 0.0) for facts in (mine, rival)]
    captured = [facts.shown_proficiency for facts in (mine, rival)]
    return Finding(
        "non_monotone",
        f"It is right more often than {other} ({percent(right[0])} against {percent(right[1])}) but captures less "
        f"information ({percent(captured[0])} against {percent(captured[1])}): its errors are harder to undo.",
        evidence={
            "other": other,
            "accuracy": right[0],
            "other_accuracy": right[1],
            "proficiency": captured[0],
            "other_proficiency": captured[1],
        },
        severity="warning",
        action="Mind the clash",
        tag="accurate, less informed",
    )


def _error(one: TableStatistics, other: TableStatistics, metric: str) -> float:
    """Standard error of a difference, as if the two had seen different samples; 0 where it is not known."""
    known = [facts.limits(metric) for facts in (one, other)]
    return hypot(*(0.0 if limits is None else limits.sd for limits in known))
