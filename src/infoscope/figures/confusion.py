"""The confusion heat map: true classes down, predicted ones across; hits tinted lightly, errors loudly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.figures.drawing.colours import ERRORS, HITS, hexadecimal, on_colour, ramp
from infoscope.figures.drawing.layout import FONT, count_text, fitting, legend, plain_label, shortened, width_of
from infoscope.figures.drawing.scene import Axis, Bar, Mark, Panel, Raster, Words
from infoscope.figures.inputs import Tables, one_table
from infoscope.figures.seriation import confusion_order
from infoscope.figures.table_display import TableDisplay
from infoscope.tables import Contingency

__all__ = ["ConfusionDisplay", "HeatMap", "heat_map"]

Order = Literal["confusion", "given"]
Shown = Literal["count", "of_truth", "of_system", "of_all"]
Normalize = Literal["true", "pred", "all"]
NORMALIZED: dict[str | None, Shown] = {None: "count", "true": "of_truth", "pred": "of_system", "all": "of_all"}
"""What scikit-learn calls the ways to show a cell."""
CELLS_WITH_NUMBERS = 30
"""Up to this many classes every cell is written; above, a cell is a pixel."""
MOST_CLASSES = 2000
NAME_ROOM = 150.0
"""Pixels a class name may take."""
KEY_ROOM = 290.0
"""Pixels the words below the map need."""


@dataclass(frozen=True)
class HeatMap:
    """Counts in the order they are shown, and which cells are hits."""

    truth: tuple[str, ...]
    system: tuple[str, ...]
    counts: NDArray[Any]
    hits: NDArray[np.bool_]

    @cached_property
    def of_truth(self) -> NDArray[Any]:
        """Each row as shares of its samples; an empty row is 0."""
        totals = self.counts.sum(axis=1, keepdims=True)
        return np.divide(self.counts, totals, out=np.zeros(self.counts.shape), where=totals > 0)

    @cached_property
    def of_system(self) -> NDArray[Any]:
        """Each column as shares of its samples; an empty column is 0."""
        totals = self.counts.sum(axis=0, keepdims=True)
        return np.divide(self.counts, totals, out=np.zeros(self.counts.shape), where=totals > 0)

    @cached_property
    def of_all(self) -> NDArray[Any]:
        """Every cell as a share of all samples."""
        return np.asarray(self.counts / self.counts.sum())

    @property
    def colours(self) -> NDArray[np.uint8]:
        """One colour a cell: errors on their own scale, so that the diagonal does not swamp them."""
        return self.coloured(float(np.max(np.where(self.hits, 0.0, self.of_truth), initial=0.0)))

    def coloured(self, worst: float) -> NDArray[np.uint8]:
        """The same with this share of a true class as the darkest error."""
        found = np.empty((*self.counts.shape, 3), np.uint8)
        found[:] = np.rint(ramp(ERRORS, 0.0))  # most cells are empty
        errors, share = (self.of_truth > 0) & ~self.hits, self.of_truth
        found[errors] = np.rint(ramp(ERRORS, np.sqrt(share[errors] / (worst or 1.0))))
        found[self.hits] = np.rint(ramp(HITS, 0.05 + 0.35 * share[self.hits]))
        return found

    def image(self, most: int = 700) -> NDArray[np.uint8]:
        """One pixel per cell; where there are more cells than ``most``, one per block, which shows its worst error."""
        step = -(-max(self.counts.shape) // most)
        if step == 1:
            return self.colours
        errors = _block_max(np.where(self.hits, 0.0, self.of_truth), step)
        hits = _block_max(self.hits, step)
        level = np.sqrt(errors / (float(errors.max(initial=0.0)) or 1.0))
        quiet = hits & (level < 0.5)
        return np.rint(np.where(quiet[..., None], ramp(HITS, np.full(level.shape, 0.3)), ramp(ERRORS, level))).astype(
            np.uint8
        )

    def largest(self, most: int = 10) -> list[tuple[str, str, float, float]]:
        """The largest confusions: truth, prediction, count, fraction of the true class."""
        rows, columns = np.nonzero(np.where(self.hits, 0.0, self.counts) > 0)
        weight, share = self.counts[rows, columns], self.of_truth[rows, columns]
        order = np.lexsort((-share, -weight))[:most]
        return [(self.truth[rows[at]], self.system[columns[at]], float(weight[at]), float(share[at])) for at in order]


def _block_max(values: NDArray[Any], step: int) -> NDArray[Any]:
    """The largest value of each block; values are not negative, and few are not 0."""
    found = np.zeros([-(-size // step) for size in values.shape], dtype=values.dtype)
    rows, columns = np.nonzero(values)
    np.maximum.at(found, (rows // step, columns // step), values[rows, columns])
    return found


def heat_map(table: Contingency, order: Order = "confusion") -> HeatMap:
    """A table in the order in which it is shown; columns follow their rows, other predictions come last.

    Ordered classes keep their order.
    """
    if max(table.shape) > MOST_CLASSES:
        raise InputError(
            f"a heat map of {table.shape[0]:,} × {table.shape[1]:,} classes has no pixels for its cells; "
            f"merge classes to at most {MOST_CLASSES:,} first"
        )
    rows = confusion_order(table) if order == "confusion" and table.ordinal is None else np.arange(table.shape[0])
    column_of = dict(zip(*(side.tolist() for side in table.matches), strict=True))
    named = [column_of[int(row)] for row in rows if int(row) in column_of]
    others = np.delete(np.arange(table.shape[1]), np.asarray(named, dtype=np.int64))
    columns = np.concatenate([np.asarray(named, dtype=np.int64), others])
    counts: Any = table.counts
    dense = np.asarray(counts.todense() if table.is_sparse else counts, dtype=np.float64)[np.ix_(rows, columns)]
    own = np.array([column_of.get(int(row), -1) for row in rows], dtype=np.int64)
    hits = own[:, None] == columns[None, :]
    return HeatMap(
        tuple(str(table.truth_labels[row]) for row in rows),
        tuple(str(table.system_labels[column]) for column in columns),
        dense,
        hits,
    )


_STATED: dict[Shown, str] = {
    "count": "",
    "of_truth": ", % of the true class",
    "of_system": ", % of the predicted class",
    "of_all": ", % of all samples",
}


def _called(table: Contingency, names: Sequence[object] | None) -> Contingency:
    """The table with other names of its classes; labels that only predictions have keep theirs."""
    if names is None:
        return table
    if len(names) != len(table.truth_labels):
        raise InputError(
            f"display_labels has {len(names)} names for {len(table.truth_labels)} classes; give one for each of "
            f"{', '.join(map(repr, table.truth_labels[:10]))}"
        )
    if len(set(map(str, names))) < len(names):
        raise InputError("display_labels has the same name twice; give each class its own")
    known = dict(zip(table.truth_labels, map(str, names), strict=True))
    system = tuple(known.get(label, str(label)) for label in table.system_labels)
    reject = None if table.reject is None else str(table.reject)
    order = None if table.ordinal is None else tuple(known.get(label, str(label)) for label in table.ordinal)
    return replace(
        table, truth_labels=tuple(known.values()), system_labels=system, reject=reject, positive=None, ordinal=order
    )


def _cell_size(classes: int) -> float:
    """Pixels a cell: room for a number, else room for a name beside it, else as many as fit."""
    if classes <= CELLS_WITH_NUMBERS:
        return max(30.0, 46.0 - classes)
    return max(9.0, 620.0 / classes) if classes <= 110 else max(1.0, 700.0 / classes)


def _short_count(count: float) -> str:
    """A count in at most five letters.

    >>> [_short_count(count) for count in (0.0, 12.0, 8.3333, 9999.0, 123456.0, 2.5e7, 3e12)]
    ['·', '12', '8.33', '9999', '123k', '25M', '3e+12']
    """
    if not count:
        return "·"
    if count < 10_000:
        return f"{count:.3g}" if count < 1000 and not count.is_integer() else f"{count:.0f}"
    for unit, size in (("k", 1e3), ("M", 1e6), ("G", 1e9)):
        if count < 999.5 * size:
            return f"{count / size:.3g}{unit}"
    return f"{count:.1g}"


@dataclass(repr=False)
class ConfusionDisplay(TableDisplay):
    """Rows are the truth, columns the predictions, confused classes side by side.

    >>> table = Contingency.from_matrix([[9, 1], [3, 7]], truth=["cat", "dog"], system=["cat", "dog"])
    >>> display = ConfusionDisplay.from_table(table)
    >>> display.map.largest(1)
    [('dog', 'cat', 3.0, 0.3)]
    """

    map: HeatMap
    shown: Shown = "count"
    _single: ClassVar[bool] = True

    @classmethod
    def from_table(
        cls,
        tables: Tables,
        *,
        name: str = "system",
        order: Order = "confusion",
        shown: Shown = "count",
        normalize: Normalize | None = None,
        display_labels: Sequence[object] | None = None,
    ) -> Self:
        """The heat map of one table; ``order="given"``, or an order of the classes, keeps that of its labels.

        ``normalize`` ("true", "pred", "all") is scikit-learn's word for ``shown`` ("of_truth", "of_system", "of_all");
        ``display_labels`` names the classes in the order of the table's labels.
        """
        table = one_table(tables, name, "a heat map")
        if order not in ("confusion", "given"):
            raise InputError(f"the order {order!r} is not known; choose confusion or given")
        if normalize not in NORMALIZED:
            raise InputError(f"normalize is {normalize!r}; it is 'true', 'pred', 'all' or None for counts")
        if shown not in NORMALIZED.values():
            raise InputError(f"cells cannot show {shown!r}; choose count, of_truth, of_system or of_all")
        if normalize is not None and shown != "count":
            raise InputError("normalize and shown are the same; give one of them")
        chosen = NORMALIZED[normalize] if normalize is not None else shown
        return cls(heat_map(_called(table, display_labels), order), chosen)

    def panel(self) -> Panel:
        """Cells with numbers, or pixels where there are many classes."""
        rows, columns = self.map.counts.shape
        few = max(rows, columns) <= CELLS_WITH_NUMBERS
        cell = _cell_size(max(rows, columns))
        if few:
            cell = max(cell, 10.0 + max(width_of(text, 11.0) for line in self._texts() for text in line))
        font = 12.5 if few else 8.5
        left = 30.0 + max(width_of(fitting(label, NAME_ROOM, font), font) for label in self.map.truth)
        top = 30.0 + max(width_of(fitting(label, NAME_ROOM, font), font) for label in self.map.system)
        right = max(14.0, KEY_ROOM - left - cell * columns)
        panel = Panel(
            "Confusion matrix",
            self._summary(),
            Axis(0.0, float(columns)),
            Axis(float(rows), 0.0),
            width=left + cell * columns + right,
            height=top + cell * rows + 32.0,
            margins=(left, top, right, 32.0),
        )
        marks = [
            *(self._cells() if few else [self._image()]),
            *self._names(cell),
            *self._titles(panel),
            *self._key(panel),
        ]
        return replace(panel, marks=tuple(marks))

    def _image(self) -> Raster:
        rows, columns = self.map.counts.shape
        return Raster((0.0, 0.0), (float(columns), float(rows)), self.map.image())

    def _texts(self) -> list[list[str]]:
        """What is written into each cell."""
        if self.shown == "count":
            return [[_short_count(float(count)) for count in line] for line in self.map.counts]
        values: NDArray[Any] = getattr(self.map, self.shown)
        return [[f"{share:.0%}" if share else "·" for share in line] for line in values]

    def _cells(self) -> list[Mark]:
        marks: list[Mark] = []
        colours = self.map.colours
        texts = self._texts()
        rows, columns = self.map.counts.shape
        wide = max(rows, columns) > 16
        for i in range(rows):
            for j in range(columns):
                colour = hexadecimal(colours[i, j])
                count = self.map.counts[i, j]
                tip = (
                    f"true {plain_label(self.map.truth[i])}\npredicted {plain_label(self.map.system[j])}\n"
                    f"{count_text(count)}: {self.map.of_truth[i, j]:.1%} of the true, {self.map.of_system[i, j]:.1%} "
                    "of the predicted class"
                )
                fill = colour if count else "plane"
                marks.append(Bar((j + 0.03, i + 0.03), (j + 0.97, i + 0.97), fill, tip=tip))
                text = texts[i][j]
                ink = "dim" if not count else on_colour(colour)
                size: Any = "small" if wide or len(text) > 4 else "normal"
                marks.append(Words(j + 0.5, i + 0.5, text, ink, size, "middle", bold=bool(self.map.hits[i, j])))
        return marks

    def _key(self, panel: Panel) -> list[Mark]:
        """What the two colours mean; hits and errors have a scale each."""
        worst = float(np.max(np.where(self.map.hits, 0.0, self.map.of_truth), initial=0.0))
        right = [(HITS[2], "right")] if self.map.hits.any() else []
        wrong = [(ERRORS[3], f"wrong, darkest: {worst:.0%} of the true")] if worst > 0 else []
        start = max(4.0, min(panel.margins[0], panel.width - KEY_ROOM))
        return legend(panel, start, panel.height - 14.0, [*right, *wrong])

    def _names(self, cell: float) -> list[Mark]:
        every = max(1, int(np.ceil(9.0 / cell)))
        size: Any = "normal" if cell >= 14.0 else "tiny"
        room = NAME_ROOM, FONT[size]
        marks: list[Mark] = [
            Words(0.0, at + 0.5, fitting(label, *room), "ink", size, "end", (-5.0, 0.0), tip=plain_label(label))
            for at, label in enumerate(self.map.truth)
            if at % every == 0
        ]
        marks += [
            Words(at + 0.5, 0.0, fitting(label, *room), "ink", size, "start", (0.0, -5.0), 90.0, tip=plain_label(label))
            for at, label in enumerate(self.map.system)
            if at % every == 0
        ]
        return marks

    def _titles(self, panel: Panel) -> list[Mark]:
        rows, columns = self.map.counts.shape
        left, top, _, _ = panel.margins
        stated = _STATED[self.shown]
        return [
            Words(columns / 2, 0.0, f"predicted{stated}", "dim", anchor="middle", shift=(0.0, 12.0 - top)),
            Words(0.0, rows / 2, "true", "dim", anchor="middle", shift=(12.0 - left, 0.0), angle=90.0),
        ]

    def _summary(self) -> str:
        rows, columns = self.map.counts.shape
        worst = self.map.largest(3)
        stated = "; ".join(
            f"{shortened(truth, 40)} predicted as {shortened(system, 40)}, {count_text(count)} ({share:.0%})"
            for truth, system, count, share in worst
        )
        return f"Confusion matrix of {rows} classes and {columns} predictions. " + (
            f"Largest confusions: {stated}." if stated else "Nothing is confused."
        )
