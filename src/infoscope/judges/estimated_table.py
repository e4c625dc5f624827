"""Tables that a judge and few labels let us believe in: expected rows, with draws behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from infoscope.numeric import Real
from infoscope.tables import Contingency
from infoscope.tables.estimation import Estimation
from infoscope.tables.labels import Label

__all__ = ["estimated_table"]


def estimated_table(
    labels: tuple[Sequence[Label], Sequence[Label]],
    draws: Real,
    label_count: float,
    caveat: str,
    known: Mapping[str, tuple[float, float]],
) -> Contingency:
    """The mean of drawn tables (draws, rows, columns), with the sample size that they are worth."""
    mean = draws.mean(axis=0)
    total = float(mean.sum())
    table = Contingency(tuple(labels[0]), tuple(labels[1]), mean)
    size = min(max(_worth(table, draws / total, label_count), 1.0), total)
    estimation = Estimation(caveat, draws, basis="judge", moments=MappingProxyType(dict(known)))
    return replace(table, estimation=estimation, weight_squares=total**2 / size)


def _worth(table: Contingency, shares: Real, label_count: float) -> float:
    """How many labels at random would tell the share of matches as exactly; of no matches, the labels there are."""
    hits = shares[:, table.matches[0], table.matches[1]].sum(axis=1)
    mean, variance = float(hits.mean()), float(hits.var())
    return mean * (1 - mean) / variance if variance > 0 and 0 < mean < 1 else label_count
