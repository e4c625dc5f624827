"""Half-split stability: how far a metric of half the data is from that of the other half.

As Steingold tests predictors: split the rows at random many times, score both halves, and look at the spread.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from infoscope.errors import InfoscopeWarning, InputError
from infoscope.metrics.registry import find, metrics_of
from infoscope.readers.reader import finished_tables
from infoscope.tables import Contingency
from infoscope.tables.column_kinds import BlankLabels, check_positive
from infoscope.tables.labels import Label
from infoscope.tables.missing import warn_of
from infoscope.typing import LabelsLike

__all__ = ["stability"]

_BLOCK_CELLS = 2_000_000  # cells split at a time: bounds the memory


def stability(
    truth: Contingency | LabelsLike,
    system: LabelsLike | None = None,
    *,
    metrics: Sequence[str] | None = None,
    splits: int = 500,
    seed: int = 0,
    positive: Label | None = None,
    pos_label: Label | None = None,
) -> dict[str, dict[str, float]]:
    """Mean and sd of every metric over both halves of random splits of the rows, and the bias of halves.

    ``truth`` is a table of counts, or the true labels with those of ``system`` beside. Each row goes to either half by
    the toss of a coin, again if one half got none. For a smooth metric the sd over random halves estimates the
    standard error of the whole. ``bias`` is the mean less the value of all rows: half as many samples look more
    informative, so the mean of an information measure is too high by about as much as the value of all rows is. A
    metric that is undefined in every half is left out. ``positive`` (or ``pos_label``) is the class that binary metrics
    are about.

    >>> found = stability(Contingency.from_matrix([[40, 10], [10, 40]]), metrics=["accuracy"])["accuracy"]
    >>> print(f"{found['mean']:.2f} ± {found['sd']:.3f}")  # √(0.8 · 0.2 / 100) = 0.040
    0.80 ± 0.040
    """
    if positive is not None and pos_label is not None:
        raise InputError("positive and pos_label are the same; give one of them")
    table = _table(truth, system)
    stated = pos_label if positive is None else positive
    table = finished_tables({"system": table}, {"positive": stated})["system"]
    warn_of([str(blanks)] if (blanks := BlankLabels.of([("system", table)])) else [], InfoscopeWarning)
    if splits < 1:
        raise InputError(f"splits is {splits}; stability needs one at least")
    if isinstance(metrics, str):
        metrics = [metrics]
    entries = list(metrics_of("table")) if metrics is None else [find(name) for name in metrics]
    for entry in entries:
        if entry.card.level != "table":
            raise InputError(f"{entry.name} has one value for each class; stability is of metrics of the table")
        if metrics is not None and entry.card.of_positive:
            check_positive(table, entry.name)
    rng = np.random.default_rng(seed)
    cells = np.rint(table.cells).astype(np.int64)
    step = max(1, _BLOCK_CELLS // max(cells.size, 1))
    values: dict[str, list[Any]] = {entry.name: [] for entry in entries}
    for start in range(0, splits, step):
        half = _halves(rng, cells, min(step, splits - start))
        both = table.with_cells(np.concatenate([half, cells - half]))
        for entry in entries:
            score = np.asarray(entry.score(both), dtype=np.float64)
            values[entry.name].append(np.broadcast_to(score, both.batch_shape))
    return {
        entry.name: summary
        for entry in entries
        if (summary := _summary(np.concatenate(values[entry.name]), float(entry.score(table))))
    }


def _table(truth: Any, system: Any) -> Contingency:
    table = truth if isinstance(truth, Contingency) and system is None else Contingency.from_labels(truth, system)
    if table.batch_shape or not table.is_counts:
        raise InputError("rows are split in halves, so it takes one table of whole counts; give that, or the labels")
    if table.grand_total < 2:
        raise InputError(
            f"rows are split in halves, so it takes two samples at least; there is {table.grand_total:.0f}"
        )
    return table


def _halves(rng: np.random.Generator, cells: npt.NDArray[np.int64], splits: int) -> npt.NDArray[np.int64]:
    """The first half of each split, cell by cell; no half is empty."""
    half = rng.binomial(cells, 0.5, (splits, cells.size))
    total = cells.sum()
    while (again := np.isin(half.sum(axis=1), (0, total))).any():
        half[again] = rng.binomial(cells, 0.5, (int(again.sum()), cells.size))
    return half


def _summary(values: Any, whole: float) -> dict[str, float]:
    known = values[np.isfinite(values)]
    if not known.size:
        return {}
    found = {"mean": float(known.mean()), "sd": float(known.std())}
    return found | {"bias": found["mean"] - whole} if np.isfinite(whole) else found
