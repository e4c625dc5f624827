"""MLflow: results as metrics with intervals, pages and pictures as artifacts, and metrics for its own evaluation."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from infoscope.errors import InputError
from infoscope.experiments import numbers
from infoscope.results import Result
from infoscope.sklearn.scorers import Bound, MetricScore

__all__ = ["log", "metric"]


def _mlflow() -> ModuleType:
    if find_spec("mlflow") is None:
        raise InputError("MLflow is not installed; pip install 'infoscope[mlflow]'")
    return importlib.import_module("mlflow")


def log(
    result: Result,
    *,
    step: int | None = None,
    run_id: str | None = None,
    folder: str = "infoscope",
    pictures: Sequence[str] | None = None,
    **options: Any,
) -> dict[str, float]:
    """Log a result to MLflow: its numbers with both ends of their intervals, its page, its document and its pictures.

    It goes to the active run, to ``run_id``, or to a new run where there is none. ``pictures`` names those of
    ``result.plot``, by default the first one; they are SVG, so matplotlib is not needed. Artifacts lie in ``folder``.
    Other options are those of ``infoscope.experiments.numbers``: ``metrics``, ``prefix``, ``intervals``. Returns the
    numbers.
    """
    mlflow = _mlflow()
    found = numbers(result, **options)
    shown = importlib.import_module("infoscope.reports")
    known = run_id or (mlflow.active_run().info.run_id if mlflow.active_run() is not None else None)
    if known is None:
        with mlflow.start_run() as new:
            known = new.info.run_id
    client = mlflow.MlflowClient()
    for name, value in found.items():
        client.log_metric(known, name, value, step=step or 0)
    client.log_text(known, result.to_html(), f"{folder}/{result.kind}.html")
    client.log_text(known, result.to_json(), f"{folder}/{result.kind}.json")
    for which in (None,) if pictures is None else pictures:
        drawing = shown.picture(result, which).to_svg()
        client.log_text(known, drawing, f"{folder}/{result.kind}-{which or 'picture'}.svg")
    return found


def metric(name: str, *, bound: Bound | None = None, **options: Any) -> Any:
    """A custom metric for ``mlflow.models.evaluate(extra_metrics=[...])``; options are those of ``ifs.sklearn.scorer``.

    It scores the column of predictions against the targets, weights included where MLflow gives them.
    """
    level, prior, seed = (options.pop(key, default) for key, default in _INTERVAL.items())
    interval = {"level": level, "prior": prior, "seed": seed}
    score = MetricScore(name, bound, options.pop("label", None), interval, options)
    models = importlib.import_module(f"{_mlflow().__name__}.models")

    def scored(predictions: Any, targets: Any, metrics: Any = None, sample_weights: Any = None) -> float:  # noqa: ARG001 - MLflow's names
        return float(score(np.asarray(targets), np.asarray(predictions), sample_weights))

    return models.make_metric(
        eval_fn=scored, greater_is_better=score.better != "lower", name=score.__name__.replace(".", "_")
    )


_INTERVAL: dict[str, Any] = {"level": 0.95, "prior": "default", "seed": 0}
