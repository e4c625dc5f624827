"""A sweep or a tuning as text, Markdown and plain data: the curve in a few lines, and the best point in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from infoscope.cards import catalogue
from infoscope.numeric import Real
from infoscope.operating_points import BestSetting, Choice, Sweep, Tuning
from infoscope.report.numbers import BITS, Units
from infoscope.report.wording import left_out

__all__ = ["AREAS", "sweep_document", "sweep_lines", "sweep_table", "tuning_lines", "tuning_table"]

_SHOWN = 12
_THRESHOLD = ("proficiency", "false_information_ratio", "accuracy", "recall", "precision", "false_alarm_rate")
_REFUSAL = (
    "proficiency",
    "proficiency_without_reject",
    "accuracy",
    "accepted_accuracy",
    "error_rate",
    "rejection_rate",
)
_TUNING = ("proficiency", "false_information_ratio", "erroneous_information_ratio", "accuracy")
_WORDS = {
    "proficiency": "captured",
    "proficiency_without_reject": "without refusals",
    "false_information_ratio": "false",
    "erroneous_information_ratio": "erroneous",
    "accepted_accuracy": "accuracy of answers",
    "false_alarm_rate": "false alarms",
    "error_rate": "errors",
    "rejection_rate": "refused",
}
AREAS = {
    "roc_auc": "area under the ROC curve",
    "average_precision": "average precision",
    "average_information": "average information",
    "normalized_average_information": "normalized average information",
    "risk_coverage_area": "area under risk against coverage",
    "error_reject_area": "area under error against refusals",
}

Rows = list[list[str]]


def sweep_lines(sweep: Sweep, choice: Choice | None, unit: Units = BITS) -> list[str]:
    """What stands above and below the table."""
    size = "" if sweep.sample_size is None else f" on {sweep.sample_size:,.6g} samples"
    lines = [f"{sweep.rule}: {len(sweep):,} operating points{size}"]
    for name, value in sweep.areas.items():
        scale, named = (unit.per_bit, f", {unit.name}") if name == "average_information" else (1.0, "")
        lines.append(f"{AREAS[name]}{named}: {_shown(value * scale)}")
    if choice is not None:
        lines.append(str(_in_unit(choice, unit)))
    lines += [f"note: {note}" for note in sweep.notes]
    return lines + [f"note: {left_out(rows, reason)}" for reason, rows in sweep.ignored.items()]


def sweep_table(sweep: Sweep, choice: Choice | None) -> Rows:
    """Some points of the curve, evenly spread, with the best among them."""
    names = _THRESHOLD if sweep.kind == "threshold" else _REFUSAL
    places = np.unique(np.linspace(0, len(sweep) - 1, _SHOWN).astype(int))
    if choice is not None:
        places = np.union1d(places, [choice.point])
    curves = sweep.metrics(names)
    header = ["threshold", *(_WORDS.get(name, name) for name in names), ""]
    return [
        header,
        *(
            [
                _shown(sweep.thresholds[place]),
                *(_shown(curves[name][place]) for name in names),
                "best" if choice is not None and place == choice.point else "",
            ]
            for place in places
        ),
    ]


def tuning_lines(tuning: Tuning, best: BestSetting) -> list[str]:
    """What stands above and below the table."""
    lines = [f"{len(tuning)} settings of {', '.join(tuning.parameters)}", str(best)]
    lines.append(f"on the front of captured against false information: {_settings(tuning, tuning.front())}")
    if tuning.against is not None:
        front = _settings(tuning, tuning.front_against())
        lines.append(f"on the front of captured information against {tuning.against_name}: {front}")
    return lines + [f"note: {left_out(rows, reason)}" for reason, rows in tuning.ignored.items()]


def _in_unit(choice: Choice, unit: Units) -> Choice:
    """A choice by a number of bits, told in the unit asked for."""
    if choice.criterion not in catalogue or catalogue[choice.criterion].unit != "bits":
        return choice
    scaled = {name: getattr(choice, name) * unit.per_bit for name in ("value", "held_out", "low", "high")}
    return replace(choice, **scaled)


def tuning_table(tuning: Tuning, best: BestSetting, unit: Units = BITS) -> Rows:
    """Every setting with its headline numbers."""
    curves = tuning.metrics(_TUNING)
    columns: list[tuple[str, Any]] = [(_WORDS.get(name, name), curves[name]) for name in _TUNING]
    if tuning.against is not None:
        columns += [
            (tuning.against_name or "against", tuning.against),
            (f"{unit.name} per {tuning.against_name}", tuning.information_per_unit() * unit.per_bit),
        ]
    columns.append(("P(best)", best.probabilities))
    front = set(tuning.front())
    rows = [[*tuning.parameters, *(word for word, _ in columns), ""]]
    for place, setting in enumerate(tuning.settings):
        marks = ["best"] * (tuning.named(place) == best.setting) + ["front"] * (place in front)
        rows.append([*map(str, setting), *(_shown(values[place]) for _, values in columns), ", ".join(marks)])
    return rows


def sweep_document(sweep: Sweep, choice: Choice | None) -> dict[str, Any]:
    """The versioned document with the choice in it."""
    record = sweep.to_dict()
    if choice is not None:
        record["best"] = {key: _finite(value) for key, value in asdict(choice).items()}
    return record


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _settings(tuning: Tuning, places: Sequence[int]) -> str:
    return "; ".join(", ".join(f"{name} {value}" for name, value in tuning.named(place).items()) for place in places)


def _shown(value: float | Real) -> str:
    number = float(value)
    if np.isnan(number):
        return "undefined"
    return f"{number:.4f}" if 1e-3 <= abs(number) < 1e4 or number == 0 else f"{number:.4g}"
