"""Results for experiment trackers, in plain values that any of them takes: numbers, tables, pages and pictures.

Nothing here imports a tracker. Weights & Biases takes ``wandb.log(numbers(result))``, ``wandb.Table(**table(result))``
and ``wandb.Html(result.to_html())``; TensorBoard's writer is given to ``log_to_tensorboard``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any, Literal, Protocol

from infoscope.core.validation import validated
from infoscope.errors import AmbiguousNameError, InputError, UnknownNameError, suggest_name
from infoscope.metrics.registry import find
from infoscope.results import Estimate, Result
from infoscope.results.frame import collect_columns
from infoscope.typing import Json

__all__ = ["HEADLINE", "log_to_tensorboard", "numbers", "table"]

HEADLINE = (
    "proficiency",
    "permuted_proficiency",
    "false_information_ratio",
    "erroneous_information_ratio",
    "accuracy",
    "macro_f1",
    "mcc",
    "micro_f1",
    "object_f1",
    "hota",
    "mota",
    "idf1",
)
"""Metrics that are logged unless others are named: a page per number is too much for a board."""
_STRANGE = re.compile(r"[^\w\-. /]+")
"""Characters that MLflow does not allow in names of metrics."""


@validated()
def numbers(
    result: Result, *, metrics: str | Sequence[str] | None = None, prefix: str = "", intervals: bool = True
) -> dict[str, float]:
    """Return every number of a result by its name: ``proficiency``, ``proficiency.low``, ``proficiency.high``.

    The number is the one that reports show: the sample's value, of information the corrected estimate with the sample's
    value as ``proficiency.value``. Of several systems the name begins with the system's. Undefined numbers are left
    out.

    Parameters
    ----------
    result : Result
        What ``evaluate`` or another question returns.
    metrics : str or sequence of str, optional
        Names of the wanted metrics, or "all"; by default those that ``evaluate(metrics=)`` named, else the usual few
        (``HEADLINE``).
    prefix : str, default ""
        Put before every name.
    intervals : bool, default True
        Whether the ends of intervals are numbers of their own.

    Returns
    -------
    dict of str to float
        Numbers by name.

    Raises
    ------
    UnknownNameError
        Where the result has no metric of a name.

    Examples
    --------
    >>> from infoscope import evaluate
    >>> result = evaluate(["cat", "dog"] * 30, ["cat", "dog"] * 29 + ["dog", "cat"])
    >>> [f"{name} {value:.2f}" for name, value in numbers(result, metrics="accuracy").items()]
    ['accuracy 0.97', 'accuracy.low 0.88', 'accuracy.high 1.00']
    """
    _check_result(result)
    systems: Sequence[Any] = getattr(result, "systems", ())
    has_metrics = systems and all(hasattr(system, "metrics") for system in systems)
    usual = getattr(result, "metrics", ()) or HEADLINE
    if has_metrics and (metrics is not None or any(name in system.metrics for system in systems for name in usual)):
        named = _list_numbers_of_systems(result, systems, metrics, intervals)
    else:
        named = _list_other_numbers(result, intervals)
    return {f"{prefix}{_STRANGE.sub('_', name)}": value for name, value in named}


def _check_result(result: object) -> None:
    if not isinstance(result, Result):
        raise InputError(
            f"this is of type {type(result).__name__}, not a result; give what evaluate or another question returns"
        )


def _list_numbers_of_systems(
    result: Result, systems: Sequence[Any], metrics: str | Sequence[str] | None, intervals: bool
) -> Iterator[tuple[str, float]]:
    """Yield the wanted metrics of every system."""
    for system in systems:
        before = f"{getattr(system, 'title', system.name)}/" if len(systems) > 1 else ""
        if metrics == "all":
            names = list(system.metrics)
        elif metrics is None:
            names = [name for name in getattr(result, "metrics", ()) or HEADLINE if name in system.metrics]
        else:
            wanted = [metrics] if isinstance(metrics, str) else metrics
            names = [_find_metric(name, system.metrics) for name in wanted]
        for name in names:
            for part, value in _split_estimate(system.metrics[name], intervals):
                yield f"{before}{name}{part}", value


def _find_metric(name: str, known: Mapping[str, Estimate]) -> str:
    """Return the metric of a result that a name or an alias means."""
    if name in known:
        return name
    with suppress(UnknownNameError, AmbiguousNameError):
        if (metric := find(name).name) in known:
            return metric
    hint = suggest_name(name, known, "it has")
    raise UnknownNameError(f"the result has no metric {name!r}; {hint}")


def _split_estimate(estimate: Estimate, intervals: bool) -> Iterator[tuple[str, float]]:
    """Yield the number shown, the sample's value where it is another one, and the ends of the interval."""
    if estimate.shown is not None:
        yield "", estimate.shown
    if estimate.corrected and estimate.value is not None:
        yield ".value", estimate.value
    if intervals and estimate.value is not None:
        yield from ((f".{part}", value) for part in ("low", "high") if (value := getattr(estimate, part)) is not None)


def _list_other_numbers(result: Result, intervals: bool) -> Iterator[tuple[str, float]]:
    """Yield estimates about the whole result, as a coefficient of all annotators, then numbers by the words of rows."""
    for field, value in vars(result).items():
        inside = {f"/{name}": item for name, item in value.items()} if isinstance(value, Mapping) else {"": value}
        for name, estimate in inside.items():
            if isinstance(estimate, Estimate):
                for part, number in _split_estimate(estimate, intervals):
                    yield f"{field}{name}{part}", number
    for row in result.rows():
        words = [str(value) for value in row.values() if isinstance(value, str)]
        for name, value in row.items():
            if isinstance(value, (int, float)) and isfinite(value):
                yield "/".join([*words[:3], name]), float(value)


@validated()
def table(result: Result) -> dict[Literal["columns", "data"], list[Any]]:
    """Return the tidy rows as columns and data, the arguments of ``wandb.Table``.

    Parameters
    ----------
    result : Result
        What ``evaluate`` or another question returns.

    Returns
    -------
    dict
        ``columns`` with their names, and ``data`` with a list for each row.

    Examples
    --------
    >>> from infoscope import evaluate
    >>> table(evaluate(["cat", "dog"] * 30, ["cat", "dog"] * 30))["columns"][:3]
    ['system', 'n', 'positive']
    """
    _check_result(result)
    columns: dict[str, list[Json]] = collect_columns(result.rows())
    return {"columns": list(columns), "data": [list(row) for row in zip(*columns.values(), strict=True)]}


class SummaryWriter(Protocol):
    """The interface of a TensorBoard writer, that of PyTorch or of tensorboardX."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int | None = None) -> object:
        """Keep a number."""

    def add_figure(self, tag: str, figure: object, global_step: int | None = None) -> object:
        """Keep a picture of matplotlib."""


@validated()
def log_to_tensorboard(
    writer: SummaryWriter,
    result: Result,
    *,
    step: int | None = None,
    pictures: Sequence[str] | None = None,
    metrics: str | Sequence[str] | None = None,
    prefix: str = "",
    intervals: bool = True,
) -> None:
    """Log numbers as scalars, and pictures of the result as figures where matplotlib draws them.

    Parameters
    ----------
    writer : SummaryWriter
        A writer of PyTorch or of tensorboardX.
    result : Result
        What ``evaluate`` or another question returns.
    step : int, optional
        Step of the training, an epoch for example.
    pictures : sequence of str, optional
        Names of pictures, as ``result.plot`` takes them; by default the first one, and none for an empty sequence.
    metrics, prefix, intervals
        As ``numbers`` takes them.

    Raises
    ------
    InputError
        Where the writer cannot log numbers and figures.
    """
    if not callable(getattr(writer, "add_scalar", None)) or not callable(getattr(writer, "add_figure", None)):
        raise InputError(f"{type(writer).__name__} has no add_scalar and add_figure; give a SummaryWriter")
    for name, value in numbers(result, metrics=metrics, prefix=prefix, intervals=intervals).items():
        writer.add_scalar(name.replace(" ", "_"), value, step)
    for which in (None,) if pictures is None else pictures:
        display = result.plot(which)
        writer.add_figure(f"{result.kind}/{which or 'picture'}", display.figure_, step)
