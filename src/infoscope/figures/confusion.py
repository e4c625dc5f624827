"""Confusion matrices: the order of classes, the heat map of one system, and small matrices of several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, sqrt
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, one_table, tables_by_name
from infoscope.figures.layout import FONT, count_text, fitting, legend, plain_label, shortened, width_of
from infoscope.figures.scene import ERRORS, HITS, Axis, Bar, Mark, Panel, Raster, Words, hexadecimal, on_colour, ramp
from infoscope.metrics.registry import find
from infoscope.posterior.tree.shared_rows import average_linkage
from infoscope.readers.guess_columns import as_names
from infoscope.tables import Contingency

MAX_ORDERED_CLASSES = 2000
"""Larger tables keep their order: the work grows with the square of the classes."""
Floats = NDArray[np.float64]
BEST_LEAVES = 150
"""Up to this size the leaves of the tree are turned so that neighbours are most alike."""


def confusion_order(table: Contingency) -> NDArray[np.int64]:
    """Positions of the true classes, confused ones side by side, by hierarchical clustering of mutual confusion.

    >>> table = Contingency.from_matrix([[8, 0, 2, 0], [0, 8, 0, 2], [2, 0, 8, 0], [0, 2, 0, 8]])
    >>> [int(at) for at in confusion_order(table)] in ([0, 2, 1, 3], [0, 2, 3, 1], [2, 0, 1, 3], [2, 0, 3, 1])
    True
    """
    size = table.shape[0]
    if size < 3 or size > MAX_ORDERED_CLASSES or not table.is_aligned:
        return np.arange(size)
    distances = np.where(np.eye(size, dtype=bool), 0.0, 1.0 - _alikeness(table))
    order = _best_leaves(distances) if size <= BEST_LEAVES else _leaves(distances)
    return order if order[0] <= order[-1] else order[::-1].copy()


def _merged(distances: Floats) -> Iterator[tuple[int, int]]:
    """Which cluster joins which, both by a member of theirs; what merges first comes first."""
    joined: dict[int, int] = {}
    for merge in average_linkage(distances):
        other = merge.other
        while other in joined:  # of equal distances, rounding may put a cluster before its parts
            other = joined[other]
        joined[merge.one] = other
        yield merge.one, other


def _leaves(distances: Floats) -> NDArray[np.int64]:
    """The leaves of the tree as they merge."""
    members = {at: [at] for at in range(len(distances))}
    for one, other in _merged(distances):
        members[other] = members.pop(one) + members[other]
    (order,) = members.values()
    return np.asarray(order, dtype=np.int64)


@dataclass(frozen=True)
class _Branch:
    """A part of the tree: its leaves, and the least way through all of them from each to each that may be its ends."""

    leaves: tuple[int, ...]
    ways: Floats
    left: _Branch | None = None
    right: _Branch | None = None

    def path(self, first: int, last: int, distances: Floats) -> list[int]:
        """The leaves by the least way between two ends, by their places in the branch."""
        if self.left is None or self.right is None:
            return list(self.leaves)
        size = len(self.left.leaves)
        if first >= size:
            return self.path(last, first, distances)[::-1]
        between = distances[np.ix_(self.left.leaves, self.right.leaves)]
        steps = self.left.ways[first][:, None] + between + self.right.ways[:, last - size]
        out, back = divmod(int(steps.argmin()), len(self.right.leaves))
        return self.left.path(first, out, distances) + self.right.path(back, last - size, distances)


def _best_leaves(distances: Floats) -> NDArray[np.int64]:
    """The same, branches turned so that neighbours are as near as they can be, after Bar-Joseph et al. (2001).

    SciPy has it too, but loading it takes longer than all the rest of a small page.
    """
    branches = {at: _Branch((at,), np.zeros((1, 1))) for at in range(len(distances))}
    for one, other in _merged(distances):
        left, right = branches.pop(one), branches[other]
        between = distances[np.ix_(left.leaves, right.leaves)]
        across = _least_sums(_least_sums(left.ways, between), right.ways)
        ways = np.full((len(left.leaves) + len(right.leaves),) * 2, np.inf)
        ways[: len(left.leaves), len(left.leaves) :] = across
        ways[len(left.leaves) :, : len(left.leaves)] = across.T
        branches[other] = _Branch(left.leaves + right.leaves, ways, left, right)
    (root,) = branches.values()
    first, last = divmod(int(root.ways.argmin()), len(root.leaves))
    return np.asarray(root.path(first, last, distances), dtype=np.int64)


def _least_sums(one: Floats, other: Floats) -> Floats:
    """The product of two matrices in which sums stand for products and the least for the sum."""
    least: Floats = (one[:, :, None] + other).min(axis=1)
    return least


def _alikeness(table: Contingency) -> NDArray[Any]:
    """Fraction of each pair's samples that were taken for the other, from 0 to 1."""
    rows, columns = table.matches
    counts: Any = table.counts
    dense = np.asarray(counts.todense() if table.is_sparse else counts, dtype=np.float64)
    square = dense[:, columns[np.argsort(rows)]]
    totals = np.maximum(square.sum(axis=1, keepdims=True), 1e-300)
    given = square / totals
    return np.clip((given + given.T) / 2.0, 0.0, 1.0)


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


Cells = Literal["none", "count", "of_truth"]
DEFAULT_METRICS = ("accuracy", "proficiency", "erroneous_information_ratio")
MOST_MATRICES = 40
MOST_DRAWN_CELLS = 16
"""Up to this many classes each cell is a rectangle of its own; above, the matrix is an image."""
MOST_TIPS = 300
"""Up to this many cells in all each tells its counts; beyond, matrices without numbers are images."""
_GAP = 26.0
_HEAD = 34.0
_LINE = 15.0


@dataclass(frozen=True)
class ScoredMatrix:
    """One system: its matrix, and what is written below it."""

    name: str
    map: HeatMap
    scores: tuple[str, ...]


@dataclass(repr=False)
class ConfusionGridDisplay(TableDisplay):
    """Small multiples of confusion matrices: true classes down, predicted ones across.

    >>> tables = {"a": Contingency.from_matrix([[9, 1], [3, 7]]), "b": Contingency.from_matrix([[6, 4], [4, 6]])}
    >>> [matrix.scores[0] for matrix in ConfusionGridDisplay.from_table(tables).matrices]
    ['accuracy 0.800', 'accuracy 0.600']
    """

    matrices: list[ScoredMatrix]
    columns: int | None = None
    """Matrices in a row; by default about as many as there are rows."""
    cells: Cells = "none"
    """What is written into the cells: nothing, counts, or P(predicted | true) in percent."""

    @classmethod
    def from_table(
        cls,
        tables: Tables,
        *,
        name: str = "system",
        metrics: Sequence[str] | str = DEFAULT_METRICS,
        columns: int | None = None,
        cells: Cells = "none",
    ) -> Self:
        """One matrix per table, its scores by ``metrics`` below it; ``cells="of_truth"`` writes P(predicted | true)."""
        if cells not in ("none", "count", "of_truth"):
            raise InputError(f"cells is {cells!r}; it is none, count or of_truth")
        if columns is not None and columns < 1:
            raise InputError(f"columns is {columns}; give at least one matrix per row")
        named = tables_by_name(tables, name)
        if len(named) > MOST_MATRICES:
            raise InputError(f"{len(named)} matrices are too many for one picture; draw at most {MOST_MATRICES}")
        wanted = as_names(metrics)
        scored = [
            ScoredMatrix(key, heat_map(table, "given"), tuple(_score(table, metric) for metric in wanted))
            for key, table in named.items()
        ]
        return cls(scored, columns, cells)

    def panel(self) -> Panel:
        """The matrices in rows, with a common key of the colours."""
        side, wide = self._cell(), self._wide()
        across = min(len(self.matrices), self.columns or self._across(wide))
        down = ceil(len(self.matrices) / across)
        across = self.columns or ceil(len(self.matrices) / down)  # rows as long as each other
        rows = max(matrix.map.counts.shape[0] for matrix in self.matrices)
        lines = max(len(matrix.scores) for matrix in self.matrices)
        names = self._name_room()
        high = _HEAD + names[1] + side * rows + 8.0 + _LINE * lines + _GAP
        width, height = across * (wide + names[0] + _GAP) + 16.0, down * high + 24.0
        panel = Panel(
            "Confusion matrices",
            self._summary(),
            Axis(0.0, max(width, 300.0)),
            Axis(height, 0.0),
            width=max(width, 300.0),
            height=height,
            margins=(0.0, 0.0, 0.0, 0.0),
        )
        marks: list[Mark] = []
        for at, matrix in enumerate(self.matrices):
            x = 16.0 + (at % across) * (wide + names[0] + _GAP) + names[0]
            y = 4.0 + (at // across) * high
            marks += self._drawn(matrix, (x, y + _HEAD + names[1]), side, names)
        return replace(panel, marks=(*marks, *self._key(panel)))

    def _cell(self) -> float:
        """Pixels of a cell's side."""
        classes = max(max(matrix.map.counts.shape) for matrix in self.matrices)
        if self.cells != "none" and classes <= MOST_DRAWN_CELLS:
            return 34.0
        return max(1.0, min(22.0, 150.0 / classes))

    def _wide(self) -> float:
        """Pixels of the widest matrix, or of the widest words above and below one."""
        widest = max(matrix.map.counts.shape[1] for matrix in self.matrices) * self._cell()
        words = max(width_of(text, FONT["small"]) for matrix in self.matrices for text in (*matrix.scores, ""))
        return max(widest, words, 96.0)

    def _across(self, wide: float) -> int:
        return max(1, min(len(self.matrices), int(900.0 // (wide + _GAP)), max(5, ceil(sqrt(2 * len(self.matrices))))))

    def _name_room(self) -> tuple[float, float]:
        """Pixels for the names of the classes, in front and above; none where cells have no numbers."""
        if self.cells == "none" or self._cell() < 20.0:
            return 0.0, 0.0
        truth = [name for matrix in self.matrices for name in matrix.map.truth]
        system = [name for matrix in self.matrices for name in matrix.map.system]
        sides = [max(width_of(fitting(name, 70.0, 11.0), 11.0) for name in names) for names in (truth, system)]
        return sides[0] + 8.0, sides[1] + 8.0

    def _drawn(
        self, matrix: ScoredMatrix, at: tuple[float, float], side: float, names: tuple[float, float]
    ) -> list[Mark]:
        x, y = at
        rows = matrix.map.counts.shape[0]
        title = fitting(matrix.name, self._wide() + 10.0)
        marks: list[Mark] = [
            Words(x, y - names[1] - 12.0, title, bold=True, of=matrix.name, tip=plain_label(matrix.name)),
            *self._heat(matrix, at, side),
        ]
        if names[0]:
            small = FONT["small"]
            for place, label in enumerate(matrix.map.truth):
                marks.append(
                    Words(x - 5.0, y + (place + 0.5) * side, fitting(label, 70.0, small), "dim", "small", "end")
                )
            for place, label in enumerate(matrix.map.system):
                text = fitting(label, 70.0, small)
                marks.append(Words(x + (place + 0.5) * side, y - 5.0, text, "dim", "small", "start", angle=90.0))
        for line, text in enumerate(matrix.scores):
            marks.append(Words(x, y + rows * side + 14.0 + _LINE * line, text, "ink", "small"))
        return marks

    def _heat(self, matrix: ScoredMatrix, at: tuple[float, float], side: float) -> Iterator[Mark]:
        (x, y), (rows, columns) = at, matrix.map.counts.shape
        colours = matrix.map.coloured(self._worst())
        stated = sum(each.map.counts.size for each in self.matrices) <= MOST_TIPS
        if max(rows, columns) > MOST_DRAWN_CELLS or not (stated or self.cells != "none"):
            yield Raster((x, y), (x + columns * side, y + rows * side), colours)
            return
        for i in range(rows):
            for j in range(columns):
                share, count = float(matrix.map.of_truth[i, j]), float(matrix.map.counts[i, j])
                colour = hexadecimal(colours[i, j])
                tip = (
                    f"{plain_label(matrix.name)}\ntrue {plain_label(matrix.map.truth[i])}\n"
                    f"predicted {plain_label(matrix.map.system[j])}\n{count_text(count)}, {share:.1%} of the true class"
                )
                corner = (x + j * side + 0.5, y + i * side + 0.5)
                far = (corner[0] + side - 1.0, corner[1] + side - 1.0)
                yield Bar(corner, far, colour if count else "plane", tip=tip if stated else None)
                if self.cells != "none":
                    text = (_percent(share) if self.cells == "of_truth" else count_text(count)) if count else "·"
                    ink = on_colour(colour) if count else "dim"
                    middle = (corner[0] + side / 2 - 0.5, corner[1] + side / 2 - 0.5)
                    yield Words(*middle, text, ink, "small" if len(text) < 4 else "tiny", "middle")

    def _worst(self) -> float:
        """The largest share of a true class that is wrong in one cell of any matrix: the end of the common scale."""
        return max(
            float(np.max(np.where(matrix.map.hits, 0.0, matrix.map.of_truth), initial=0.0)) for matrix in self.matrices
        )

    def _key(self, panel: Panel) -> list[Mark]:
        worst = self._worst()
        wrong = [(ERRORS[3], f"wrong, darkest: {worst:.0%} of the true class")] if worst > 0 else []
        return legend(panel, 16.0, panel.height - 12.0, [(HITS[2], "right"), *wrong])

    def _summary(self) -> str:
        stated = "; ".join(f"{shortened(m.name, 40)}: {', '.join(m.scores)}" for m in self.matrices[:6])
        return f"{len(self.matrices)} confusion matrices on one scale. {stated}."


def _percent(share: float) -> str:
    """A share in whole percent; what is not 0 or 1 is never rounded to it.

    >>> _percent(0.412), _percent(0.0045), _percent(0.9955), _percent(1.0)
    ('41%', '<1%', '>99%', '100%')
    """
    text = f"{share:.0%}"
    if text == "0%" and share > 0:
        return "<1%"
    return ">99%" if text == "100%" and share < 1 else text


def _score(table: Contingency, metric: str) -> str:
    """A metric by its title, or by its symbol where that is long, with its value."""
    entry = find(metric)
    if entry.card.level != "table":
        raise InputError(f"{metric!r} has a value for each class or cell; name one of the whole table")
    value = float(entry.score(table))
    return f"{_short_title(metric)} {value:.3f}" if np.isfinite(value) else f"{_short_title(metric)} undefined"


def _short_title(metric: str) -> str:
    """The title of a metric, or its symbol where that is long."""
    card = find(metric).card
    return card.title_in_sentence if len(card.title) <= 12 else card.symbol
