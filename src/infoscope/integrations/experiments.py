"""Results for experiment trackers, in plain values that any of them takes: numbers, tables, pages and pictures.

Nothing here imports a tracker. Weights & Biases takes ``wandb.log(numbers(result))``, ``wandb.Table(**table(result))``
and ``wandb.Html(result.to_html())``; TensorBoard's writer is given to ``log_to_tensorboard``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from math import isfinite
from typing import Any, Literal, Protocol

from infoscope.errors import AmbiguousNameError, InputError, UnknownNameError, did_you_mean
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
"""What is logged unless metrics are named: a page per number is too much for a board."""
_STRANGE = re.compile(r"[^\w\-. /]+")
"""What names of metrics may not hold in MLflow."""


def numbers(
    result: Result, *, metrics: str | Sequence[str] | None = None, prefix: str = "", intervals: bool = True
) -> dict[str, float]:
    """Return every number of a result by its name: ``proficiency``, ``proficiency.low``, ``proficiency.high``.

    The number is the one that reports show: the sample's value, of information the corrected estimate with the sample's
    value as ``proficiency.value``. Of several systems the name begins with the system's. ``metrics`` names
    what is wanted, or is "all"; unless stated it is what ``evaluate(metrics=)`` named, else the usual few.
    Undefined numbers are left out.

    >>> from infoscope import evaluate
    >>> found = numbers(evaluate(["cat", "dog"] * 30, ["cat", "dog"] * 29 + ["dog", "cat"]), metrics="accuracy")
    >>> [f"{name} {value:.2f}" for name, value in found.items()]
    ['accuracy 0.97', 'accuracy.low 0.88', 'accuracy.high 1.00']
    """
    _check_result(result)
    systems: Sequence[Any] = getattr(result, "systems", ())
    with_metrics = bool(systems) and all(hasattr(system, "metrics") for system in systems)
    if with_metrics:
        found = _of_systems(result, systems, metrics, intervals)
    else:
        found = chain(_of_the_whole(result, intervals), _of_rows(result))
    return {f"{prefix}{_STRANGE.sub('_', name)}": value for name, value in found}


def _check_result(result: object) -> None:
    if not isinstance(result, Result):
        raise InputError(
            f"this is of type {type(result).__name__}, not a result; give what evaluate or another question returns"
        )


def _of_systems(
    result: Result, systems: Sequence[Any], metrics: str | Sequence[str] | None, intervals: bool
) -> Iterator[tuple[str, float]]:
    for system in systems:
        before = f"{getattr(system, 'title', system.name)}/" if len(systems) > 1 else ""
        for name in _wanted(result, system.metrics, metrics):
            for part, value in _parts(system.metrics[name], intervals):
                yield f"{before}{name}{part}", value


def _wanted(result: Result, known: Mapping[str, Estimate], metrics: str | Sequence[str] | None) -> list[str]:
    if metrics == "all":
        return list(known)
    if metrics is None:
        chosen = getattr(result, "metrics", ()) or HEADLINE
        return [name for name in chosen if name in known]
    return [_metric_of(name, known) for name in ([metrics] if isinstance(metrics, str) else metrics)]


def _metric_of(name: str, known: Mapping[str, Estimate]) -> str:
    """The metric of a result that a name or an alias means."""
    if name in known:
        return name
    with suppress(UnknownNameError, AmbiguousNameError):
        if (found := find(name).name) in known:
            return found
    hint = did_you_mean(name, known, f"it has {', '.join(list(known)[:8])}, …")
    raise UnknownNameError(f"the result has no metric {name!r}; {hint}")


def _parts(estimate: Estimate, intervals: bool) -> Iterator[tuple[str, float]]:
    if estimate.shown is not None:
        yield "", estimate.shown
    if estimate.corrected and estimate.value is not None:
        yield ".value", estimate.value
    if intervals and estimate.value is not None:
        yield from ((f".{part}", value) for part in ("low", "high") if (value := getattr(estimate, part)) is not None)


def _of_the_whole(result: Result, intervals: bool) -> Iterator[tuple[str, float]]:
    """Estimates that are about the whole result, as a coefficient of all annotators is."""
    for field, value in vars(result).items():
        inside = {f"/{name}": each for name, each in value.items()} if isinstance(value, Mapping) else {"": value}
        for name, estimate in inside.items():
            if isinstance(estimate, Estimate):
                yield from ((f"{field}{name}{part}", number) for part, number in _parts(estimate, intervals))


def _of_rows(result: Result) -> Iterator[tuple[str, float]]:
    """Numbers of tidy rows, named by the words of the row."""
    for row in result.rows():
        words = [str(value) for value in row.values() if isinstance(value, str)]
        for name, value in row.items():
            if isinstance(value, (int, float)) and isfinite(value):
                yield "/".join([*words[:3], name]), float(value)


def table(result: Result) -> dict[Literal["columns", "data"], list[Any]]:
    """The tidy rows as columns and data, the arguments of ``wandb.Table``."""
    _check_result(result)
    columns: dict[str, list[Json]] = collect_columns(result.rows())
    return {"columns": list(columns), "data": [list(row) for row in zip(*columns.values(), strict=True)]}


class SummaryWriter(Protocol):
    """What a writer of TensorBoard offers, that of PyTorch or of tensorboardX."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int | None = None) -> object:
        """Keep a number."""

    def add_figure(self, tag: str, figure: object, global_step: int | None = None) -> object:
        """Keep a picture of matplotlib."""


def log_to_tensorboard(
    writer: SummaryWriter,
    result: Result,
    *,
    step: int | None = None,
    pictures: Sequence[str] | None = None,
    **options: Any,
) -> None:
    """Numbers as scalars, and pictures of the result as figures where matplotlib draws them.

    ``pictures`` names those of ``result.plot``; by default its first one, and none for an empty sequence. Other options
    are those of ``numbers``.
    """
    if not callable(getattr(writer, "add_scalar", None)) or not callable(getattr(writer, "add_figure", None)):
        raise InputError(f"{type(writer).__name__} has no add_scalar and add_figure; give a SummaryWriter")
    for name, value in numbers(result, **options).items():
        writer.add_scalar(name.replace(" ", "_"), value, step)
    for which in (None,) if pictures is None else pictures:
        display = result.plot(which)
        writer.add_figure(f"{result.kind}/{which or 'picture'}", display.figure_, step)
