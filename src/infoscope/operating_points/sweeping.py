"""Sweep: the operating points of a system, a table at each, and every metric along the curve."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from infoscope.cards import find, metrics_at
from infoscope.errors import InputError
from infoscope.numeric import Real
from infoscope.operating_points.choice import Choice, Criterion, chosen
from infoscope.operating_points.ladder import Ladder
from infoscope.operating_points.levels import Levels
from infoscope.operating_points.showing import shown
from infoscope.tables import Contingency
from infoscope.tables.hashing import data_hash
from infoscope.tables.missing import left_out

__all__ = ["SCHEMA", "Sweep"]

SCHEMA = "infoscope/sweep/1"


@dataclass(frozen=True, repr=False)
class Sweep:
    """The operating points of one system, from the strictest to the most generous.

    ``thresholds[i]`` gives the table ``table_at(i)``; the first point gives no answer (or alarm) at all.
    """

    kind: Literal["threshold", "refusal"]
    rule: str
    """The decision rule in words, with "t" for the threshold."""
    thresholds: Real
    ladder: Ladder
    areas: Mapping[str, float]
    distinct: int
    """How many distinct thresholds the scores have; more than operating points when the curve was thinned."""
    sample_size: float | None
    levels: Levels
    """The exact ranking behind the curve: of positives by score, or of wrong answers by certainty."""
    notes: tuple[str, ...] = ()
    ignored: Mapping[str, int] = field(default_factory=dict)
    quantity: str = "score"
    """What is held against the threshold: the score, or the certainty (confidence, margin or entropy)."""

    @cached_property
    def tables(self) -> Contingency:
        """The batch of tables, one per operating point."""
        return self.ladder.tables()

    def table_at(self, point: int) -> Contingency:
        """The table of one operating point."""
        return replace(self.tables, values=self.tables.values[point].copy())

    def __len__(self) -> int:
        """How many operating points there are."""
        return len(self.thresholds)

    def values(self, metric: str) -> Real:
        """A metric at every operating point; NaN where it is undefined."""
        entry = find(metric)
        if entry.card.level != "table":
            raise InputError(f"{entry.name} gives a number per class, not per table; take it from table_at(i)")
        return np.broadcast_to(entry.score(self.tables), (len(self),))

    def metrics(self, names: Sequence[str] | None = None) -> dict[str, Real]:
        """Several metrics along the curve, by id; all of the catalogue unless named."""
        wanted = [entry.name for entry in metrics_at("table")] if names is None else [find(n).name for n in names]
        return {name: self.values(name) for name in wanted}

    # ── curves ───────────────────────────────────────────────────────────────────────────────

    def coverage_curve(self) -> dict[str, Real]:
        """The path in the information coverage plane: false information to the right, captured truth upwards."""
        return {
            "false_information_ratio": self.values("false_information_ratio"),
            "proficiency": self.values("proficiency"),
        }

    def triangle_curve(self) -> dict[str, Real]:
        """The path in the entropy triangle: three shares that sum to one."""
        return self.metrics(["triangle_divergence", "triangle_transfer", "triangle_variation"])

    def roc_curve(self) -> dict[str, Real]:
        """False alarm rate and recall at every threshold."""
        self._only("threshold", "a ROC curve")
        return self.metrics(["false_alarm_rate", "recall"])

    def precision_recall_curve(self) -> dict[str, Real]:
        """Recall and precision at every threshold; precision is undefined where there is no alarm."""
        self._only("threshold", "a precision-recall curve")
        return self.metrics(["recall", "precision"])

    def risk_coverage_curve(self) -> dict[str, Real]:
        """Share answered and error among the answered, at every refusal threshold."""
        self._only("refusal", "a risk-coverage curve")
        return {"coverage": 1 - self.values("rejection_rate"), "risk": 1 - self.values("accepted_accuracy")}

    def error_reject_curve(self) -> dict[str, Real]:
        """Share refused and error among all samples, at every refusal threshold."""
        self._only("refusal", "an error-reject curve")
        return self.metrics(["rejection_rate", "error_rate"])

    def _only(self, kind: str, what: str) -> None:
        if self.kind != kind:
            needs = "one score per sample" if kind == "threshold" else "probabilities of every class"
            raise InputError(f"{what} needs {needs}; this sweep moves a {self.kind} ({self.rule})")

    # ── choice ───────────────────────────────────────────────────────────────────────────────

    def best(
        self, metric: str | None = None, *, costs: Any = None, level: float = 0.95, resamples: int = 200, seed: int = 0
    ) -> Choice:
        """The operating point that is best by a metric (proficiency unless named) or by a cost matrix.

        ``value`` is what the samples of the choice themselves show, and flatters it; ``held_out`` is what samples
        kept from the choice show, with its interval.
        """
        criterion = Criterion.asked(metric, costs)
        return chosen(self, criterion, level, resamples, np.random.default_rng(seed))

    def choices(
        self, metric: str | None = None, *, costs: Any = None, level: float = 0.95, seed: int = 0
    ) -> tuple[Choice, ...]:
        """The best point as asked for and, for a threshold, by accuracy and F1 beside it."""
        first = self.best(metric, costs=costs, level=level, seed=seed)
        others = [name for name in ("accuracy", "f1") if self.kind == "threshold" and name != first.criterion]
        return (first, *(self.best(name, level=level, seed=seed) for name in others))

    # ── out ──────────────────────────────────────────────────────────────────────────────────

    def to_dict(self, names: Sequence[str] | None = None) -> dict[str, Any]:
        """The versioned document, as plain data: undefined numbers are None."""
        curves = {name: _plain(values) for name, values in self.metrics(names).items()}
        pattern = self.ladder.pattern
        return {
            "schema": SCHEMA,
            "kind": self.kind,
            "rule": self.rule,
            "n": self.sample_size,
            "truth_labels": [str(label) for label in pattern.truth_labels],
            "system_labels": [str(label) for label in pattern.system_labels],
            "positive": str(pattern.positive_label) if self.kind == "threshold" else None,
            "reject": None if pattern.reject is None else str(pattern.reject),
            "data_hash": self.data_hash,
            "distinct": self.distinct,
            "areas": {name: _number(value) for name, value in self.areas.items()},
            "thresholds": _plain(self.thresholds),
            "metrics": curves,
            "notes": list(self.notes),
            "ignored": [{"reason": reason, "rows": rows} for reason, rows in self.ignored.items()],
        }

    def to_json(self, names: Sequence[str] | None = None, *, indent: int | None = 2) -> str:
        """The versioned document as JSON."""
        return json.dumps(self.to_dict(names), ensure_ascii=False, indent=indent, allow_nan=False)

    @cached_property
    def data_hash(self) -> str:
        """A name for what was counted: equal tables along the curve have equal hashes."""
        return data_hash(self.tables)

    def to_html(  # noqa: PLR0913 - the public front of the page
        self,
        path: str | Path | None = None,
        *,
        metric: str | None = None,
        costs: Any = None,
        level: float = 0.95,
        seed: int = 0,
        unit: str = "bits",
        force: bool = False,
    ) -> str | Path:
        """The operating points as one page that opens offline: its text, or the file that it was written to.

        ``metric`` or ``costs`` say by what the best point is chosen. A file that is no such page is replaced only by
        force.
        """
        choices = self.choices(metric, costs=costs, level=level, seed=seed)
        return shown("sweep", path, force, self, choices, unit=unit)

    def __repr__(self) -> str:
        """Rule, size and areas, with what is remarkable."""
        areas = ", ".join(f"{name} {value:.4f}" for name, value in self.areas.items())
        said = [*self.notes, *(left_out(rows, reason) for reason, rows in self.ignored.items())]
        return "\n".join(
            [f"Sweep of {len(self)} operating points: {self.rule}", f"  {areas}", *(f"  {line}" for line in said)]
        )


def _plain(values: NDArray[Any]) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
