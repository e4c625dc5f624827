"""All kinds of results, and how one is read back from a file."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path

from infoscope.core.records import parsed
from infoscope.errors import InputError
from infoscope.results.base import Result
from infoscope.typing import Json, StrPath

__all__ = ["KINDS", "load", "result_class", "result_of"]

KINDS = {
    "agreement": "infoscope.studies.agreement.result:Agreement",
    "calibration": "infoscope.studies.operating_points.calibration:Calibration",
    "class-thresholds": "infoscope.studies.operating_points.class_thresholds:ClassThresholds",
    "comparison": "infoscope.studies.compare.result:Comparison",
    "cross-validation": "infoscope.studies.cross_validate.result:CrossValidation",
    "drift": "infoscope.studies.drift:Drift",
    "evaluation": "infoscope.studies.evaluate.result:Evaluation",
    "gate": "infoscope.studies.evaluate.gate:Gate",
    "history": "infoscope.studies.history.result:History",
    "label-plan": "infoscope.studies.labels:LabelPlan",
    "labelled-estimate": "infoscope.studies.labels:LabelledEstimate",
    "latent-truth": "infoscope.studies.latent.result:LatentTruth",
    "multilabel": "infoscope.studies.multilabel.result:MultilabelEvaluation",
    "relations": "infoscope.studies.relate:Relations",
    "score-groups": "infoscope.studies.operating_points.score_groups:ScoreGroups",
    "sweep": "infoscope.studies.operating_points.result:Sweep",
    "tracking": "infoscope.studies.tracking.result:TrackingEvaluation",
    "tuning": "infoscope.studies.operating_points.tuning:Tuning",
    "two-thresholds": "infoscope.studies.operating_points.two_thresholds:TwoThresholds",
}
"""Where the class of each kind lives; the studies lie above this package, so they are named, not imported."""

MAX_BYTES = 1 << 30
"""A result is small; a larger file is not one."""


def result_class(kind: str) -> type[Result]:
    """The class of a kind of result."""
    module, _, name = KINDS[kind].partition(":")
    found: type[Result] = getattr(importlib.import_module(module), name)
    return found


_ROWS = (".csv", ".tsv", ".parquet", ".arrow", ".xlsx", ".jsonl", ".ndjson")
"""Endings of files of rows."""


def load(path: StrPath) -> Result:
    """Read any result that was saved as JSON.

    The schema that the document names says which kind it is.
    """
    source = Path(path)
    try:
        if source.stat().st_size > MAX_BYTES:
            raise InputError(f"{source} is larger than any result; is it a table of rows? infoscope.read() takes those")
        text = source.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{source} is not text; a result is saved as JSON with the suffix .json") from None
    except OSError as problem:
        raise InputError(f"{source} cannot be read: {problem.strerror or problem}") from None
    try:
        result = result_of(parsed(text))
        object.__setattr__(result, "_source", source)  # frozen, and no part of what it says
        return result
    except InputError as problem:
        if source.suffix.lower() in _ROWS:
            raise InputError(
                f"{source} holds rows, not a stored result; write one with infoscope evaluate {source} -o result.json"
            ) from None
        raise InputError(f"{source}: {problem}") from None


def result_of(record: Json) -> Result:
    """The result that a document of any kind describes."""
    schema = record.get("schema") if isinstance(record, Mapping) else None
    if not isinstance(record, Mapping) or not isinstance(schema, str) or not schema.startswith("infoscope/"):
        raise InputError("this is not a result of infoscope: it names no schema such as 'infoscope/evaluation/2'")
    kind = schema.split("/")[1]
    if kind not in KINDS:
        raise InputError(f"the schema {schema!r} is not known; this version reads {', '.join(sorted(KINDS))}")
    return result_class(kind).from_dict(record)
