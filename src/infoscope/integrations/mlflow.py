"""MLflow: results as metrics with intervals, pages and pictures as artifacts, and metrics for its own evaluation."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from infoscope.errors import InputError, UndefinedMetricWarning
from infoscope.integrations.experiments import numbers
from infoscope.integrations.sklearn.scorer_names import metric_named
from infoscope.integrations.sklearn.scorers import Bound, MetricScore
from infoscope.results import Result

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
    files = {".html": result.to_html(), ".json": result.to_json()} | _drawings(result, pictures)
    known = _run_to_log_to(mlflow, run_id)
    names = list(found)
    for start in range(0, len(names), _MOST_NUMBERS):
        part = {name: found[name] for name in names[start : start + _MOST_NUMBERS]}
        mlflow.log_metrics(part, step=step or 0, run_id=known)
    client = mlflow.MlflowClient()
    for ending, content in files.items():
        client.log_text(known, content, f"{folder}/{result.kind}{ending}")
    return found


_MOST_NUMBERS = 1000
"""That a server takes in one request."""


def _drawings(result: Result, pictures: Sequence[str] | None) -> dict[str, str]:
    """Pictures by the end of their file's name; drawn before anything is logged, for a name may be wrong."""
    shown = importlib.import_module("infoscope.reports")
    wanted = (None,) if pictures is None else pictures
    return {f"-{which or 'picture'}.svg": shown.picture(result, which).to_svg() for which in wanted}


def _run_to_log_to(mlflow: ModuleType, run_id: str | None) -> str:
    """The run that is named, the active one, or a new one."""
    if run_id is not None:
        try:
            return str(mlflow.MlflowClient().get_run(run_id).info.run_id)
        except mlflow.exceptions.MlflowException as error:
            raise InputError(f"MLflow does not give the run {run_id!r} ({error}); check it and the server") from error
    if (active := mlflow.active_run()) is not None:
        return str(active.info.run_id)
    with mlflow.start_run() as new:
        return str(new.info.run_id)


def metric(name: str, *, bound: Bound | None = None, **options: Any) -> Any:
    """Return a custom metric for ``mlflow.models.evaluate(extra_metrics=[...])``, as ``ifs.sklearn.scorer`` takes it.

    It scores the column of predictions against the targets, weights included where MLflow gives them. The number is
    the one that ``log`` and reports give under this name: of information the corrected estimate, unless ``bound`` or
    options of the metric ask for another.
    """
    asked, named = metric_named(name)
    options = {**named, **options}
    level, prior, seed = (options.pop(key, default) for key, default in _INTERVAL.items())
    interval = {"level": level, "prior": prior, "seed": seed}
    score = MetricScore(asked, bound, options.pop("label", None), interval, options)
    logged = name if named else score.__name__.replace(".", "_")
    if bound is None and score.has_corrected_estimate:
        score = replace(score, bound="mean")
    models = importlib.import_module(f"{_mlflow().__name__}.models")

    def scored(predictions: Any, targets: Any, metrics: Any = None, sample_weights: Any = None) -> float:  # noqa: ARG001 - MLflow's names
        with warnings.catch_warnings():
            if len(targets) == 1:  # MLflow tries every metric on the first row, where few exist
                warnings.simplefilter("ignore", UndefinedMetricWarning)
            return float(score(np.asarray(targets), np.asarray(predictions), sample_weights))

    return models.make_metric(eval_fn=scored, greater_is_better=score.better != "lower", name=logged)


_INTERVAL: dict[str, Any] = {"level": 0.95, "prior": "default", "seed": 0}
