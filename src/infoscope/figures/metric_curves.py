"""Metrics against the quality of a system: what each says as a perfect system is spoilt step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.drawing.colours import series
from infoscope.figures.drawing.layout import plain_label
from infoscope.figures.drawing.scene import Dot, Line, Mark, Panel
from infoscope.figures.inputs import Tables, one_table
from infoscope.figures.sweep import Curve, curve_panel
from infoscope.figures.table_display import TableDisplay
from infoscope.metrics.registry import find
from infoscope.readers.named_columns import as_names
from infoscope.tables import Contingency
from infoscope.typing import ArrayLike

__all__ = ["MetricCurvesDisplay", "spoilt", "through"]

BINARY = ("proficiency", "phi", "f1", "accuracy")
SEVERAL = ("proficiency", "mcc", "macro_f1", "accuracy")
MOST_CLASSES = 1000
STAGES = (
    (0.0, "none"),
    (0.5, "half"),
    (1.0, "as it is"),
    (1.5, "half"),
    (2.0, "all"),
)
"""What is to be read at the steps of a path through a table."""


def spoilt(n: int, moved: ArrayLike, prevalence: float) -> Contingency:
    """``n`` samples, ``moved`` of them predicted wrongly, in both classes alike; a batch where ``moved`` is an array.

    >>> spoilt(200, 50, 0.1).counts.tolist()
    [[15.0, 5.0], [45.0, 135.0]]
    """
    wrong = np.asarray(moved, dtype=np.float64) / n
    positive, negative = n * prevalence, n * (1.0 - prevalence)
    upper = np.stack([positive * (1.0 - wrong), positive * wrong], -1)
    lower = np.stack([negative * wrong, negative * (1.0 - wrong)], -1)
    return Contingency.from_matrix(np.stack([upper, lower], -2), positive=0)


def through(table: Contingency, at: float) -> Contingency:
    """A step of the path through a table: 0 without its errors, 1 as it is, 2 with its predictions shuffled.

    Up to 1, each of its errors is made with probability ``at`` and else fixed; beyond, each prediction is replaced with
    probability ``at`` - 1 by one drawn from all its predictions. Classes stay as frequent as they are all the way,
    predictions from 1 on.

    >>> table = Contingency.from_matrix([[6, 2], [4, 8]])
    >>> [through(table, at).counts.tolist() for at in (0.0, 0.5, 2.0)]
    [[[8.0, 0.0], [0.0, 12.0]], [[7.0, 1.0], [2.0, 10.0]], [[4.0, 4.0], [6.0, 6.0]]]
    """
    counts: Any = table.counts
    own = np.asarray(counts.todense() if table.is_sparse else counts, dtype=np.float64)
    rows, columns = table.matches
    if at <= 1.0:
        other, share = np.zeros_like(own), 1.0 - at
        other[rows, columns] = own.sum(axis=1)[rows]
    else:
        other, share = np.outer(own.sum(axis=1), own.sum(axis=0)) / own.sum(), at - 1.0
    mixed = (1.0 - share) * own + share * other
    if not table.is_sparse:
        return table.with_cells(mixed.reshape(-1))
    return Contingency.from_matrix(
        mixed, truth=table.truth_labels, system=table.system_labels, reject=table.reject, positive=table.positive
    )


@dataclass(repr=False)
class MetricCurvesDisplay(TableDisplay):
    """What each metric says from a perfect system to a worthless one: of made-up systems, or through your own table.

    >>> display = MetricCurvesDisplay.from_table(Contingency.from_matrix([[6, 2], [4, 8]]), metrics=["accuracy"])
    >>> curve = display.curves[0]
    >>> [round(y, 2) for x, y in zip(curve.x, curve.y) if x in (0.0, 1.0, 2.0)]
    [1.0, 0.7, 0.5]
    """

    curves: list[Curve]
    n: int | None = 200
    """Samples that are predicted wrongly one by one; None where the curves go through a table."""
    _single: ClassVar[bool] = True

    @classmethod
    def from_table(
        cls, tables: Tables, *, name: str = "system", metrics: Sequence[str] | str | None = None, steps: int = 30
    ) -> Self:
        """Each metric along the path from the table without its errors, over the table, to its predictions shuffled."""
        table = one_table(tables, name, "a picture of metrics against quality")
        _check_path(table)
        if steps < 1:
            raise InputError(f"{steps} steps were asked for; a path needs one or more on either side of the table")
        entries = [find(metric) for metric in as_names(metrics) or _usual(table)]
        places = [at / steps for at in range(2 * steps + 1)]
        stages = [through(table, at) for at in places]
        curves = [
            Curve(
                entry.card.title,
                tuple(places),
                tuple(float(entry.score(stage)) for stage in stages),
                better=entry.card.better,
            )
            for entry in entries
        ]
        return cls(curves, None)

    @classmethod
    def over_quality(
        cls,
        metrics: Sequence[str] | str = BINARY,
        *,
        n: int = 200,
        prevalence: float = 0.1,
    ) -> Self:
        """Each metric while 0 … ``n`` of ``n`` samples are predicted wrongly, as Steingold & Laclavik's Figure 1.

        >>> curve = MetricCurvesDisplay.over_quality(["proficiency"], n=4, prevalence=0.5).curves[0]
        >>> [round(y, 2) for y in curve.y]
        [1.0, 0.19, 0.0, 0.19, 1.0]
        """
        if not (n >= 2 and 0.0 < prevalence < 1.0):
            raise InputError(
                f"n is {n} and the prevalence {prevalence}; give two samples or more, and a prevalence between 0 and 1"
            )
        moved = np.arange(n + 1)
        table = spoilt(n, moved, prevalence)
        curves = [
            Curve(
                entry.card.title,
                tuple(map(float, moved)),
                tuple(map(float, np.asarray(entry.score(table)))),
                better=entry.card.better,
            )
            for entry in map(find, as_names(metrics))
        ]
        return cls(curves, n)

    def panel(self) -> Panel:
        """All curves over the number of wrong predictions, or over the path, with the table's own values marked."""
        title = "Metrics against quality"
        if self.n is not None:
            return curve_panel(self.curves, f"wrong predictions, of {self.n}", "score", title)
        panel = curve_panel(self.curves, "errors made → as it is → predictions shuffled", "score", title)
        line = Line(((1.0, panel.y.low), (1.0, panel.y.high)), "dim", dash=(3.0, 3.0))
        own = [mark for at, curve in enumerate(self.curves) for mark in _own(at, curve)]
        return replace(panel, x=replace(panel.x, ticks=STAGES), marks=(line, *panel.marks, *own))


def _own(at: int, curve: Curve) -> list[Mark]:
    """The table's own value on a curve."""
    y = curve.y[curve.x.index(1.0)]
    tip = f"{plain_label(curve.name)} of the table: {y:.3f}"
    return [Dot(1.0, y, series(at), size=5.0, of=curve.name, tip=tip)] if np.isfinite(y) else []


def _usual(table: Contingency) -> Sequence[str]:
    return BINARY if table.shape == (2, 2) and table.reject is None else SEVERAL


def _check_path(table: Contingency) -> None:
    """Reject a table that cannot be fixed, or that is too large to walk along."""
    if np.count_nonzero(table.row_totals) < 2:
        raise InputError("the truth has one class only, so there is no quality to vary; give two classes or more")
    if max(table.shape) > MOST_CLASSES:
        raise InputError(
            f"a table of {table.shape[0]:,} × {table.shape[1]:,} classes is too large to walk through; merge classes "
            f"to at most {MOST_CLASSES:,} first"
        )
    named = set(table.matches[0].tolist())
    if any(at not in named for at in np.flatnonzero(table.row_totals).tolist()):
        raise InputError(
            "a prediction for each class is needed to correct the errors, and these outputs have other names; rename "
            "them with table.relabel first"
        )
