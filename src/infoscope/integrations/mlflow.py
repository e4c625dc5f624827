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

from infoscope.core.validation import validated
from infoscope.errors import InputError, UndefinedMetricWarning
from infoscope.integrations.experiments import numbers
from infoscope.integrations.sklearn import Bound, MetricScore, resolve_name
from infoscope.results import Result
from infoscope.tables.labels import Label
from infoscope.typing import PriorLike

__all__ = ["log", "metric"]


_MAX_NUMBERS = 1000
"""Numbers that a server takes in one request."""


@validated()
def log(
    result: Result,
    *,
    step: int | None = None,
    run_id: str | None = None,
    folder: str = "infoscope",
    pictures: Sequence[str] | None = None,
    metrics: str | Sequence[str] | None = None,
    prefix: str = "",
    intervals: bool = True,
) -> dict[str, float]:
    """Log a result to MLflow: its numbers with both ends of their intervals, its page, its document and its pictures.

    Parameters
    ----------
    result : Result
        What ``evaluate`` or another question returns.
    step : int, optional
        Step of the training, an epoch for example.
    run_id : str, optional
        The run to log to; by default the active one, or a new one where there is none.
    folder : str, default "infoscope"
        Folder of the artifacts.
    pictures : sequence of str, optional
        Names of pictures, as ``result.plot`` takes them; by default the first one. They are SVG, so matplotlib is not
        needed.
    metrics, prefix, intervals
        As ``infoscope.experiments.numbers`` takes them.

    Returns
    -------
    dict of str to float
        The numbers that were logged, by name.

    Raises
    ------
    InputError
        Where MLflow is not installed, or does not give the run.
    """
    mlflow = _load_mlflow()
    values = numbers(result, metrics=metrics, prefix=prefix, intervals=intervals)
    files = {".html": result.to_html(), ".json": result.to_json()}
    reports = importlib.import_module("infoscope.reports")
    for which in (None,) if pictures is None else pictures:  # before anything is logged, for a name may be wrong
        files[f"-{which or 'picture'}.svg"] = reports.picture(result, which).to_svg()
    if run_id is not None:
        try:
            run = mlflow.MlflowClient().get_run(run_id)
        except mlflow.exceptions.MlflowException as error:
            raise InputError(f"MLflow does not give the run {run_id!r} ({error}); check it and the server") from error
    else:
        run = mlflow.active_run()
        if run is None:
            with mlflow.start_run() as new:
                run = new
    run_id = str(run.info.run_id)
    names = list(values)
    for start in range(0, len(names), _MAX_NUMBERS):
        part = {name: values[name] for name in names[start : start + _MAX_NUMBERS]}
        mlflow.log_metrics(part, step=step or 0, run_id=run_id)
    client = mlflow.MlflowClient()
    for ending, content in files.items():
        client.log_text(run_id, content, f"{folder}/{result.kind}{ending}")
    return values


def _load_mlflow() -> ModuleType:
    if find_spec("mlflow") is None:
        raise InputError("MLflow is not installed; pip install 'infoscope[mlflow]'")
    return importlib.import_module("mlflow")


def metric(
    name: str,
    *,
    bound: Bound | None = None,
    label: Label | tuple[Label, Label] | None = None,
    level: float = 0.95,
    prior: PriorLike = "default",
    seed: int = 0,
    **options: Any,
) -> Any:
    """Return a custom metric for ``mlflow.models.evaluate(extra_metrics=[...])``, as ``ifs.sklearn.scorer`` takes it.

    It scores the column of predictions against the targets, weights included where MLflow gives them. The number is
    the one that ``log`` and reports give under this name: of information the corrected estimate, unless ``bound`` or
    options of the metric ask for another.

    Parameters
    ----------
    name : str
        Id or alias of a metric, or the name of a scorer of scikit-learn.
    bound, label, level, prior, seed
        As ``ifs.sklearn.scorer`` takes them.
    **options
        Options of the metric: ``reject``, ``labels``, ``positive``, ``average``, ``beta``, …

    Returns
    -------
    mlflow.models.EvaluationMetric
        The metric.

    Raises
    ------
    InputError
        Where the metric has no such option, label or interval, or MLflow is not installed.
    """
    wanted, named = resolve_name(name)
    options = {**named, **options}
    score = MetricScore(wanted, bound, label, {"level": level, "prior": prior, "seed": seed}, options)
    title = name if named else score.__name__.replace(".", "_")
    if bound is None and score.has_corrected_estimate:
        score = replace(score, bound="mean")
    models = importlib.import_module(f"{_load_mlflow().__name__}.models")

    def evaluate(predictions: Any, targets: Any, metrics: Any = None, sample_weights: Any = None) -> float:  # noqa: ARG001 - MLflow's names
        with warnings.catch_warnings():
            if len(targets) == 1:  # MLflow tries every metric on the first row, where few exist
                warnings.simplefilter("ignore", UndefinedMetricWarning)
            return float(score(np.asarray(targets), np.asarray(predictions), sample_weights))

    return models.make_metric(eval_fn=evaluate, greater_is_better=score.better != "lower", name=title)
