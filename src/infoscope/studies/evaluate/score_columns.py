"""Scores beside the labels of an evaluation: their operating points, and what another threshold would capture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from infoscope.core.markup import counted
from infoscope.errors import InputError
from infoscope.readers.frames import is_column_mapping
from infoscope.results.finding import Finding
from infoscope.results.notation import MetricNotation
from infoscope.studies.diagnose import sweep_command
from infoscope.studies.evaluate.inputs import ColumnRequest
from infoscope.studies.evaluate.result import Evaluation, SystemResult
from infoscope.studies.sweep import Sweep, sweep
from infoscope.tables.column_kinds import ColumnNames
from infoscope.tables.labels import Label
from infoscope.typing import LabelsByName, Source

__all__ = ["with_scores", "with_sweep_command"]

MAX_POINTS = 1000
"""Operating points among which the best is chosen, as `infoscope sweep` does."""
MAX_KEPT_POINTS = 200
"""Operating points that an evaluation keeps of each score."""
_KEPT = (
    "proficiency",
    "recall",
    "precision",
    "accuracy",
    "false_alarm_rate",
    "false_information_ratio",
    "mutual_information",
    "missed_information",
    "false_information",
)
_MISCOUNTS = ("predicted_too_rarely", "predicted_too_often")
_ADVISING = (*_MISCOUNTS, "better_threshold")
"""Findings with the command that finds a threshold."""


def with_scores(
    evaluation: Evaluation,
    source: Source,
    y_pred: LabelsByName | None,
    request: ColumnRequest,
    scores: object,
) -> Evaluation:
    """The evaluation with the operating points of each score, and what they advise."""
    if any(system.group for system in evaluation.systems):
        raise InputError("scores are about all rows; leave out scores, or by")
    columns = _by_system(scores, [system.name for system in evaluation.systems], rows=y_pred is None)
    systems = []
    for system in evaluation.systems:
        if system.name not in columns:
            systems.append(system)
            continue
        if len(system.truth_labels) != 2:
            raise InputError(
                f"a score has a threshold where there are two true classes, and here are {len(system.truth_labels)}; "
                "`infoscope sweep` takes one --score per class"
            )
        found = _swept(source, y_pred, request, columns[system.name], system)
        called = columns[system.name] if isinstance(columns[system.name], str) else None
        about: tuple[Finding, ...] = ()
        if found.reversed_class is not None and system.positive_by_sorting:
            high = replace(system, positive=found.reversed_class)
            about = _advice(replace(high, scores=_swept(source, y_pred, request, columns[system.name], high)), called)
        else:
            about = _advice(replace(system, scores=found), called)
        systems.append(_advised(replace(system, scores=found), about))
    return replace(evaluation, systems=tuple(systems))


def _by_system(scores: Any, names: Sequence[str], *, rows: bool) -> dict[str, Any]:
    """The score of each system: one for the only one, a mapping, or column names in the order of the systems."""
    if isinstance(scores, Mapping):
        unknown = [name for name in scores if name not in names]
        if unknown:
            raise InputError(f"scores are given for {unknown[0]!r}, which is no system; there is {', '.join(names)}")
        return dict(scores)
    listed = [scores] if not rows or isinstance(scores, str) else list(scores)
    if len(listed) > len(names) or (len(listed) < len(names) and len(names) > 1):
        given = f"{counted(len(listed), 'column' if rows else 'set')} of scores"
        raise InputError(
            f"there are {len(names)} systems and {given}; give one for each system in their order, or a mapping by name"
        )
    return dict(zip(names, listed, strict=True))


def _swept(source: Any, y_pred: Any, request: ColumnRequest, column: Any, system: SystemResult) -> Sweep:
    stated: Any = {"positive": system.positive, "weight": request.weight, "max_points": MAX_POINTS}
    if y_pred is not None or is_column_mapping(source):
        labels = {str(label): label for label in (() if system.table is None else system.table.truth_labels)}
        stated["positive"] = labels.get(system.positive or "", system.positive)
    if y_pred is not None:
        return sweep(source, column, **stated).stored(_KEPT, MAX_KEPT_POINTS)
    if str(source) in ("-", "/dev/stdin"):
        raise InputError(
            "standard input can be read once only; write the rows to a file to evaluate scores beside labels"
        )
    found = sweep(source, truth=request.truth, score=column, read=request.how, clean=request.clean, **stated)
    return found.stored(_KEPT, MAX_KEPT_POINTS)


def _advised(system: SystemResult, about: tuple[Finding, ...]) -> SystemResult:
    """The system with findings about its scores in place of those that only suspect a threshold."""
    assert system.scores is not None
    reversed_scores = [found for found in system.scores.findings if found.code == "reversed_scores"]
    if system.scores.reversed_class is not None:
        about = (*reversed_scores, *about)
    rest = [found for found in system.diagnosis if found.code not in _MISCOUNTS]
    return replace(system, diagnosis=(*about, *rest)) if about else system


def _advice(system: SystemResult, column: str | None) -> tuple[Finding, ...]:
    """What another threshold would capture; nothing where that is not known."""
    if system.scores is None or system.scores.reversed_class is not None or system.scores.is_by_chance:
        return ()
    choice, now = system.scores.choices[0], system.shown("proficiency")
    held = choice.held_out
    if now is None or held.value is None or choice.threshold is None:
        return ()
    counts = next((finding.text for finding in system.diagnosis if finding.code in _MISCOUNTS), "")
    start = f"{counts.partition(';')[0]}; " if counts else ""
    named = {"positive": str(system.scores.positive), "score": column or "COLUMN"}
    limits = f"held out, {choice.level:.0%} interval {MetricNotation('proficiency').interval(held)}"
    at = f"at a threshold of {choice.threshold:.4g}"
    evidence: dict[str, Any] = {"threshold": choice.threshold, "captured": held.value, "now": now, **named}
    if held.low is not None and held.low > now:
        text = (
            f"{start}{at} it would capture {held.value:.0%} instead of {now:.0%} ({limits}): {sweep_command(**named)}."
        )
        return (
            Finding("better_threshold", _capital(text), "warning", evidence, "Move the threshold", "threshold off"),
        )
    if not counts:
        return ()
    text = (
        f"{start}no other threshold is shown to capture more: {at} it is {held.value:.1%} ({limits}), now {now:.1%}. "
        "More samples may show one."
    )
    return (Finding("threshold_fits", _capital(text), "note", evidence, "Collect more samples"),)


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def with_sweep_command(evaluation: Evaluation, names: ColumnNames) -> Evaluation:
    """The evaluation whose findings name the source and its columns in the command, or the call, that they advise."""

    def named(system: SystemResult, finding: Finding) -> Finding:
        if finding.code not in _ADVISING:
            return finding
        positive, score = (str(finding.evidence.get(part, "COLUMN")) for part in ("positive", "score"))
        meant = _meant(names, score, _spelt(system, positive))
        return replace(finding, text=finding.text.replace(sweep_command(positive, score=score), meant))

    systems = [
        replace(system, diagnosis=tuple(named(system, found) for found in system.diagnosis))
        for system in evaluation.systems
    ]
    return replace(evaluation, systems=tuple(systems))


def _meant(names: ColumnNames, score: str, positive: Label) -> str:
    """The command for a file, the call for labels or a frame."""
    if names.source is not None:
        file = Path(names.source)  # documents travel: folders of this machine stay out of them
        return sweep_command(
            str(positive), file.name if file.is_absolute() else str(file), names.truth or "TRUTH", score
        )
    if names.truth is None and not names.in_tables:
        return f"infoscope.sweep(y_true, y_score, positive={positive!r})"
    return f"infoscope.sweep(SOURCE, truth={names.truth!r}, score={score!r}, positive={positive!r})"


def _spelt(system: SystemResult, positive: str) -> Label:
    """The class as the labels have it, which may be numbers."""
    known = () if system.table is None else system.table.truth_labels
    return next((label for label in known if str(label) == positive), positive)
