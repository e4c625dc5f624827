"""Systems by a judge alone, by the true labels alone, and by both."""

from __future__ import annotations

from typing import Self

from infoscope.errors import InputError
from infoscope.evaluation.result import Evaluation
from infoscope.figures.forest import ComparisonDisplay, ForestRow
from infoscope.metrics.registry import find
from infoscope.quick_dataclasses import dataclass

__all__ = ["JudgeDisplay"]


@dataclass(repr=False)
class JudgeDisplay(ComparisonDisplay):
    """Three rows for each system: where the judge is biased, and what it adds to the labels."""

    noun: str = "estimates"

    def __post_init__(self) -> None:
        """Keep the rows as they are: three for each system."""
        if not self.rows:
            raise InputError("there is nothing to show; evaluate at least one system with a judge")

    @classmethod
    def from_judge(cls, evaluation: Evaluation, metric: str = "accuracy") -> Self:
        """The three estimates of a metric for every system."""
        entry = find(metric)
        parts = [(part, part.judge.systems) for part in evaluation.judged_parts() if part.judge is not None]
        if not parts:
            raise InputError("the evaluation has no judge; name one with judge=")
        several = sum(len(systems) for _, systems in parts) > 1
        rows = []
        for part, system in ((part, system) for part, systems in parts for system in systems):
            estimates = {
                "verdicts as truth": system.judge_as_truth.get(entry.name),
                "labels only": system.labels_only.get(entry.name),
                "labels and judge": part[system.name].metrics.get(entry.name),
            }
            many = f"{part[system.name].title}: " if several else ""
            rows += [
                ForestRow(f"{many}{name}", found.shown, found.low, found.high)
                for name, found in estimates.items()
                if found is not None and found.shown is not None
            ]
        return cls(rows, entry.card.title)

    @classmethod
    def from_favour(cls, evaluation: Evaluation) -> Self:
        """For every system, how often the judge accepts its wrong predictions: a judge without favour accepts alike."""
        found = [
            ForestRow(part[system.name].title, rate.shown, rate.low, rate.high)
            for part in evaluation.judged_parts()
            for system in (() if part.judge is None else part.judge.systems)
            if (rate := system.accepted_errors) is not None and rate.shown is not None
        ]
        if not found:
            raise InputError("no verdict accepts a prediction of any system, so that none can be favoured")
        return cls(found, "Wrong predictions that the judge accepts", noun="systems")
