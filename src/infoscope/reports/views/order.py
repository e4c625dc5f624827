"""What is shown of ordered classes: how many steps predictions are off, and agreement that counts them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoscope.evaluation import Evaluation, SystemResult
from infoscope.metrics.registry import catalogue
from infoscope.reports.numbers import UNDEFINED, MetricNotation, amount, share
from infoscope.reports.outline import Cell, Column, Name, Paragraph, Phrase, Section, Strong, Table, reason
from infoscope.reports.views.counts import table_of
from infoscope.reports.views.metric_choice import ABSENT

__all__ = ["order_section"]

_METRICS = (
    "quadratic_weighted_kappa",
    "linear_weighted_kappa",
    "mean_absolute_error",
    "off_by_one_rate",
    "ranked_probability_score",
    "neighbour_loss_share",
)


def order_section(evaluation: Evaluation) -> list[Section]:
    """The metrics of the order, one row each, and how far the predictions of the best system are off."""
    systems = [system for system in evaluation.ranking if system.ordinal is not None]
    if not systems:
        return []
    scale = systems[0].ordinal or ()
    lede: Phrase = ("From the lowest to the highest: ", *_listed(scale), ".")
    steps = _steps(systems[0])
    return [Section("Ordered classes", [Paragraph(lede), _metrics(systems), *([steps] if steps else [])], "order")]


def _listed(scale: Sequence[str]) -> list[Name | str]:
    words: list[Name | str] = []
    for label in scale:
        words += [" < " if words else "", Name(label)]
    return words


def _metrics(systems: Sequence[SystemResult]) -> Table:
    columns = [Column("metric", "name")]
    for system in systems[:4]:
        columns += [Column(system.title if len(systems) > 1 else "mean", "number"), Column("interval", priority=5)]
    rows = []
    for name in _METRICS:
        cells: list[Cell] = [catalogue[name].title]
        for system in systems[:4]:
            cells += _value(system, name)
        rows.append(tuple(cells))
    return Table(columns, rows, "Agreement on the order")


def _value(system: SystemResult, name: str) -> list[Cell]:
    estimate = system.metrics.get(name, ABSENT)
    if estimate.shown is None:
        return [UNDEFINED, reason(estimate.undefined)]
    notation = MetricNotation(name)
    return [Strong(notation.shown(estimate)), notation.interval(estimate)]


def _steps(system: SystemResult) -> Table | None:
    """Samples by how many steps too high or too low their prediction is."""
    table = table_of(system)
    if table is None or table.ordinal is None or table.is_sparse:
        return None
    place = {label: at for at, label in enumerate(table.ordinal)}
    counts: dict[int, float] = {}
    for truth, line in zip(table.truth_labels, np.asarray(table.counts), strict=True):
        for predicted, count in zip(table.system_labels, line.tolist(), strict=True):
            if predicted != table.reject and count:
                off = place[predicted] - place[truth]
                counts[off] = counts.get(off, 0.0) + count
    total = sum(counts.values())
    columns = [Column("steps off", "name"), Column("samples"), Column("share")]
    rows = [
        (f"{off:+d}".replace("-", "−") if off else "0", amount(counts[off]), share(counts[off] / total))
        for off in sorted(counts)
    ]
    return Table(columns, rows, "How far predictions are off, minus is too low", max_rows=len(rows))
