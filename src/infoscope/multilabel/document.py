"""The result document of a multi-label evaluation: every number that will be shown, to JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from infoscope.errors import InputError
from infoscope.multilabel.assignment import Reassignment
from infoscope.multilabel.chance import Chance
from infoscope.multilabel.doubts import Remark, objects_left_out
from infoscope.multilabel.hierarchy import Level
from infoscope.multilabel.measures import MEASURES
from infoscope.multilabel.uncertainty import Estimate
from infoscope.pages import Page, PageDocument
from infoscope.tables.missing import most_ignored

__all__ = ["REASONS", "MultilabelEvaluation", "Predictor"]

REASONS = {each.name: each.card.undefined for each in MEASURES} | {
    "adjusted_proficiency": "the truth says no more than accident would find in it",
    "chance_proficiency": "the truth says nothing",
    "joint_proficiency": "all objects carry the same set of categories",
}
"""Why a metric may have no value."""


@dataclass(frozen=True)
class Predictor:
    """One predictor against the truth."""

    name: str
    truth_name: str
    n: int
    ignored: Mapping[str, int]
    categories: tuple[str, ...]
    metrics: Mapping[str, Estimate]
    undefined: Mapping[str, str]
    """Reasons that differ from the usual ones."""
    classes: Sequence[Mapping[str, Any]]
    reassignments: Sequence[Reassignment]
    chance: Chance | None
    sets: Mapping[str, Mapping[str, float]]
    """Categories per object and objects per category on both sides, mean and sd."""
    stability: Mapping[str, Mapping[str, float]]
    splits: int
    draws: int
    levels: Sequence[Level]
    remarks: Sequence[Remark]

    def value(self, metric: str) -> float | None:
        """A metric's plug-in value; None where it is undefined."""
        number = self.metrics[metric].value
        return number if np.isfinite(number) else None

    def to_dict(self) -> dict[str, Any]:
        """The predictor's part of the document."""
        return {
            "name": self.name,
            "n": self.n,
            "truth_labels": list(self.categories),
            "system_labels": list(self.categories),
            "reject": None,
            "metrics": {
                name: estimate.to_dict(self.undefined.get(name, REASONS[name]))
                for name, estimate in self.metrics.items()
            },
            "interval": {"method": "objects drawn with replacement, reflected percentiles", "draws": self.draws},
            "classes": [dict(each) for each in self.classes],
            "reassignments": [
                each.to_dict() | {"text": each.sentence(self.truth_name, self.name)} for each in self.reassignments
            ],
            "permutation_chance": None if self.chance is None else self.chance.to_dict(),
            "label_sets": {name: dict(numbers) for name, numbers in self.sets.items()},
            "stability": {"splits": self.splits, "metrics": {name: dict(v) for name, v in self.stability.items()}},
            "levels": [each.to_dict() for each in self.levels],
            "diagnosis": [dict(each) for each in self.remarks],
        }


@dataclass(frozen=True, eq=False, repr=False)
class MultilabelEvaluation(PageDocument):
    """Predictors of label sets on one truth."""

    systems: tuple[Predictor, ...]
    objects: int
    """Objects of the truth."""
    comparison: Mapping[str, Any] = field(default_factory=lambda: {"pairs": [], "ranking": []})

    def __getitem__(self, name: str) -> Predictor:
        """The predictor of this name."""
        for system in self.systems:
            if system.name == name:
                return system
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, in the form of the JSON contract."""
        ignored = most_ignored(system.ignored for system in self.systems)
        return {
            "schema": "infoscope/evaluation/1",
            "kind": "multilabel",
            "source": {
                "rows": self.objects,
                "ignored": [{"reason": reason, "rows": rows} for reason, rows in ignored.items()],
            },
            "systems": [system.to_dict() for system in self.systems],
            "comparison": dict(self.comparison),
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """The document as JSON; an undefined number is null with its reason."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    def _page(self) -> Page:
        from infoscope.multilabel.printing import page_of  # noqa: PLC0415 - the printer knows the document

        return page_of(self)

    def to_frame(self) -> Any:
        """One row a predictor, one column a metric, as a pandas or polars data frame, whichever is installed."""
        rows = [
            {"system": system.name, "n": system.n} | {name: system.value(name) for name in system.metrics}
            for system in self.systems
        ]
        for library in ("pandas", "polars"):
            try:
                return __import__(library).DataFrame(rows)
            except ImportError:
                continue
        raise InputError("a data frame needs pandas or polars; install one of them, or use to_dict()")

    def __repr__(self) -> str:
        """The predictors in a line each."""
        lines = [f"MultilabelEvaluation of {self.objects} objects"]
        for system in self.systems:
            share = system.value("proficiency")
            told = "undefined" if share is None else f"{share:.1%} of the truth's information captured"
            lines.append(f"  {system.name}: {told}")
            lines += [f"    {sentence}" for sentence in objects_left_out(system.ignored)]
        return "\n".join(lines)
