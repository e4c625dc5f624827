"""Confusion matrices: the order of classes, the heat map of one system, and small matrices of several side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, sqrt
from operator import attrgetter
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from infoscope.errors import InputError
from infoscope.figures.display import TableDisplay, Tables, get_only_table, name_tables
from infoscope.figures.layout import (
    FONT,
    WIDER_WORDS,
    draw_legend,
    fit_label,
    fit_labels,
    measure_legend,
    measure_width,
    plain_label,
    shorten,
    write_count,
)
from infoscope.figures.scene import (
    ERRORS,
    HITS,
    REJECTIONS,
    Axis,
    Bar,
    Mark,
    Panel,
    Point,
    Raster,
    Size,
    Words,
    blend_colours,
    hexadecimal,
    on_colour,
)
from infoscope.metrics.registry import find
from infoscope.posterior.tree_rows import link_by_average
from infoscope.readers.query import as_names
from infoscope.tables import Contingency

MAX_ORDERED_CLASSES = 2000
"""Larger tables keep their order: the work grows with the square of the classes."""
Floats = NDArray[np.float64]
BEST_LEAVES = 150
"""Up to this size the leaves of the tree are turned so that neighbours are most alike."""


def confusion_order(table: Contingency) -> NDArray[np.int64]:
    """Return positions of the true classes, confused ones side by side, by hierarchical clustering.

    >>> table = Contingency.from_matrix([[8, 0, 2, 0], [0, 8, 0, 2], [2, 0, 8, 0], [0, 2, 0, 8]])
    >>> confusion_order(table).tolist() in ([0, 2, 1, 3], [0, 2, 3, 1], [2, 0, 1, 3], [2, 0, 3, 1])
    True
    """
    size = table.shape[0]
    if size < 3 or size > MAX_ORDERED_CLASSES or not table.is_aligned:
        return np.arange(size)
    # the share of each pair's samples that were taken for the other, from 0 to 1
    rows, columns = table.matches
    square = _make_dense(table)[:, columns[np.argsort(rows)]]
    shares = square / np.maximum(square.sum(axis=1, keepdims=True), 1e-300)
    alike = np.clip((shares + shares.T) / 2.0, 0.0, 1.0)
    distances = np.where(np.eye(size, dtype=bool), 0.0, 1.0 - alike)
    order = _order_leaves(distances, turn=size <= BEST_LEAVES)
    return order if order[0] <= order[-1] else order[::-1].copy()


def _make_dense(table: Contingency) -> Floats:
    counts: Any = table.counts
    return np.asarray(counts.todense() if table.is_sparse else counts, dtype=np.float64)


@dataclass(frozen=True)
class _Branch:
    """A part of the tree: its leaves, and the least way through all of them from each to each that may be its ends."""

    leaves: tuple[int, ...]
    ways: Floats
    left: _Branch | None = None
    right: _Branch | None = None

    def path(self, first: int, last: int, distances: Floats) -> list[int]:
        """Return the leaves by the least way between two ends, which are given by their places in the branch."""
        if self.left is None or self.right is None:
            return list(self.leaves)
        size = len(self.left.leaves)
        if first >= size:
            return self.path(last, first, distances)[::-1]
        between = distances[np.ix_(self.left.leaves, self.right.leaves)]
        steps = self.left.ways[first][:, None] + between + self.right.ways[:, last - size]
        out, back = divmod(int(steps.argmin()), len(self.right.leaves))
        return self.left.path(first, out, distances) + self.right.path(back, last - size, distances)


def _order_leaves(distances: Floats, *, turn: bool) -> NDArray[np.int64]:
    """Return the leaves of the tree as they merge; or branches turned so that neighbours are as near as they can be.

    The best turns are found after Bar-Joseph et al. (2001). SciPy has them too, but loading it takes longer than all
    the rest of a small page.
    """
    branches = {leaf: _Branch((leaf,), np.zeros((1, 1))) for leaf in range(len(distances))}
    joined: dict[int, int] = {}
    for merge in link_by_average(distances):
        other = merge.other
        while other in joined:  # of equal distances, rounding may put a cluster before its parts
            other = joined[other]
        joined[merge.one] = other
        left, right = branches.pop(merge.one), branches[other]
        ways = np.empty((0, 0))
        if turn:
            between = distances[np.ix_(left.leaves, right.leaves)]
            across = _sum_least(_sum_least(left.ways, between), right.ways)
            ways = np.full((len(left.leaves) + len(right.leaves),) * 2, np.inf)
            ways[: len(left.leaves), len(left.leaves) :] = across
            ways[len(left.leaves) :, : len(left.leaves)] = across.T
        branches[other] = _Branch(left.leaves + right.leaves, ways, left, right)
    (root,) = branches.values()
    if not turn:
        return np.asarray(root.leaves, dtype=np.int64)
    first, last = divmod(int(root.ways.argmin()), len(root.leaves))
    return np.asarray(root.path(first, last, distances), dtype=np.int64)


def _sum_least(one: Floats, other: Floats) -> Floats:
    """Multiply two matrices where sums stand for products and the least for the sum."""
    least: Floats = (one[:, :, None] + other).min(axis=1)
    return least


# The heat map of one system -------------------------------------------------------------------------------------------

Order = Literal["confusion", "given"]
Shown = Literal["count", "of_truth", "of_system", "of_all"]
Normalize = Literal["true", "pred", "all"]
NORMALIZED: dict[str | None, Shown] = {None: "count", "true": "of_truth", "pred": "of_system", "all": "of_all"}
"""scikit-learn's names of the ways to show a cell."""
CELLS_WITH_NUMBERS = 30
"""Up to this many classes every cell is written; above, a cell is a pixel."""
MOST_CLASSES = 2000
NAME_ROOM = 150.0
"""Pixels a class name may take."""


@dataclass(frozen=True)
class HeatMap:
    """Counts in the order they are shown, which cells are hits, and which are rejections: neither right nor wrong."""

    truth: tuple[str, ...]
    system: tuple[str, ...]
    counts: NDArray[Any]
    hits: NDArray[np.bool_]
    rejected: NDArray[np.bool_]

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """Which cells are errors."""
        return ~(self.hits | self.rejected)

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
        return self.colour(self.of_truth, self.find_worst_error(self.of_truth))

    def find_worst_error(self, share: NDArray[Any]) -> float:
        """Return the largest of these shares that is wrong in one cell."""
        return float(np.max(np.where(self.wrong, share, 0.0), initial=0.0))

    def colour(self, share: NDArray[Any], worst: float) -> NDArray[np.uint8]:
        """Colour each cell by its share, with this one as the darkest error; of rejections all is the darkest."""
        colours = np.empty((*self.counts.shape, 3), np.uint8)
        colours[:] = np.rint(blend_colours(ERRORS, 0.0))  # most cells are empty
        errors = (share > 0) & self.wrong
        colours[errors] = np.rint(blend_colours(ERRORS, np.sqrt(share[errors] / (worst or 1.0))))
        colours[self.rejected] = np.rint(blend_colours(REJECTIONS, np.sqrt(share[self.rejected])))
        colours[self.hits] = np.rint(blend_colours(HITS, 0.05 + 0.35 * share[self.hits]))
        return colours

    def image(self, most: int = 700) -> NDArray[np.uint8]:
        """Make a pixel per cell, or above ``most`` cells one per block, which shows its worst error."""
        step = -(-max(self.counts.shape) // most)
        if step == 1:
            return self.colours
        errors = _find_block_maxima(np.where(self.wrong, self.of_truth, 0.0), step)
        hits = _find_block_maxima(self.hits, step)
        level = np.sqrt(errors / (float(errors.max(initial=0.0)) or 1.0))
        quiet = hits & (level < 0.5)
        return np.rint(
            np.where(quiet[..., None], blend_colours(HITS, np.full(level.shape, 0.3)), blend_colours(ERRORS, level))
        ).astype(np.uint8)

    def largest(self, most: int = 10) -> list[tuple[str, str, float, float]]:
        """Return the largest confusions: truth, prediction, count, fraction of the true class."""
        rows, columns = np.nonzero(np.where(self.wrong, self.counts, 0.0) > 0)
        weight, share = self.counts[rows, columns], self.of_truth[rows, columns]
        order = np.lexsort((-share, -weight))[:most]
        return [(self.truth[rows[k]], self.system[columns[k]], float(weight[k]), float(share[k])) for k in order]


def _find_block_maxima(values: NDArray[Any], step: int) -> NDArray[Any]:
    """Return the largest value of each block; values are not negative, and few are not 0."""
    largest = np.zeros([-(-size // step) for size in values.shape], dtype=values.dtype)
    rows, columns = np.nonzero(values)
    np.maximum.at(largest, (rows // step, columns // step), values[rows, columns])
    return largest


def heat_map(table: Contingency, order: Order = "confusion") -> HeatMap:
    """Put a table in the order in which it is shown; columns follow their rows, other predictions come last.

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
    own = np.array([column_of.get(int(row), -1) for row in rows], dtype=np.int64)
    hits = own[:, None] == columns[None, :]
    return HeatMap(
        tuple(str(table.truth_labels[row]) for row in rows),
        tuple(str(table.system_labels[column]) for column in columns),
        _make_dense(table)[np.ix_(rows, columns)],
        hits,
        np.broadcast_to(columns == (-1 if table.reject_column is None else table.reject_column), hits.shape),
    )


_STATED: dict[Shown, str] = {
    "count": "",
    "of_truth": ", % of the true class",
    "of_system": ", % of the predicted class",
    "of_all": ", % of all samples",
}


def _shorten_count(count: float) -> str:
    """Write a count in at most five letters.

    >>> [_shorten_count(count) for count in (0.0, 12.0, 8.3333, 9999.0, 123456.0, 2.5e7, 3e12)]
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
        """Draw the heat map of one table; ``order="given"``, or an order of the classes, keeps that of its labels.

        ``normalize`` ("true", "pred", "all") is scikit-learn's word for ``shown`` ("of_truth", "of_system", "of_all");
        ``display_labels`` names the classes in the order of the table's labels.
        """
        table = get_only_table(tables, name, "a heat map")
        if order not in ("confusion", "given"):
            raise InputError(f"the order {order!r} is not known; choose confusion or given")
        if normalize not in NORMALIZED:
            raise InputError(f"normalize is {normalize!r}; it is 'true', 'pred', 'all' or None for counts")
        if shown not in NORMALIZED.values():
            raise InputError(f"cells cannot show {shown!r}; choose count, of_truth, of_system or of_all")
        if normalize is not None and shown != "count":
            raise InputError("normalize and shown are the same; give one of them")
        if display_labels is not None:
            if len(display_labels) != len(table.truth_labels):
                raise InputError(
                    f"display_labels has {len(display_labels)} names for {len(table.truth_labels)} classes; give one "
                    f"for each of {', '.join(map(repr, table.truth_labels[:10]))}"
                )
            names = dict(zip(table.truth_labels, map(str, display_labels), strict=True))
            if len(set(names.values())) < len(names):
                raise InputError("display_labels has the same name twice; give each class its own")
            table = replace(  # labels that only predictions have keep their names
                table,
                truth_labels=tuple(names.values()),
                system_labels=tuple(names.get(label, str(label)) for label in table.system_labels),
                reject=None if table.reject is None else str(table.reject),
                positive=None,
                ordinal=None
                if table.ordinal is None
                else tuple(names.get(label, str(label)) for label in table.ordinal),
            )
        return cls(heat_map(table, order), NORMALIZED[normalize] if normalize is not None else shown)

    def panel(self) -> Panel:
        """Draw cells with numbers, or pixels where there are many classes, between the names of the classes."""
        rows, columns = self.map.counts.shape
        classes = max(rows, columns)
        few = classes <= CELLS_WITH_NUMBERS
        if self.shown == "count":
            texts = [[_shorten_count(float(count)) for count in line] for line in self.map.counts] if few else []
        else:
            texts = [[f"{share:.0%}" if share else "·" for share in line] for line in getattr(self.map, self.shown)]
        # room for a number, else room for a name beside the cell, else as many as fit
        if few:
            words = max(measure_width(text, 11.0) for line in texts for text in line)
            cell = max(30.0, 46.0 - classes, 10.0 + words)
        else:
            cell = max(9.0, 620.0 / classes) if classes <= 110 else max(1.0, 700.0 / classes)
        size: Size = "normal" if cell >= 14.0 else "tiny"
        truth, system = (fit_labels(names, NAME_ROOM, FONT[size]) for names in (self.map.truth, self.map.system))
        left, top = (
            30.0 + WIDER_WORDS * max(measure_width(name, FONT[size]) for name in names) for names in (truth, system)
        )
        # what the two colours mean; hits and errors have a scale each
        worst = self.map.find_worst_error(self.map.of_truth)
        key = [(HITS[2], "right")] if self.map.hits.any() else []
        key += [(ERRORS[3], f"wrong, darkest: {worst:.0%} of the true")] if worst > 0 else []
        key += [(REJECTIONS[3], "rejected")] if self.map.rejected.any() else []
        key_room = measure_legend(key)
        right = max(14.0, key_room - left - cell * columns)
        confusions = "; ".join(
            f"{shorten(row, 40)} predicted as {shorten(column, 40)}, {write_count(count)} ({share:.0%})"
            for row, column, count, share in self.map.largest(3)
        )
        panel = Panel(
            "Confusion matrix",
            f"Confusion matrix of {rows} classes and {columns} predictions. "
            + (f"Largest confusions: {confusions}." if confusions else "Nothing is confused."),
            Axis(0.0, float(columns)),
            Axis(float(rows), 0.0),
            width=left + cell * columns + right,
            height=top + cell * rows + 32.0,
            margins=(left, top, right, 32.0),
        )

        marks: list[Mark] = []
        if few:
            marks += self._draw_cells(texts)
        else:
            marks.append(Raster((0.0, 0.0), (float(columns), float(rows)), self.map.image()))
        every = max(1, int(np.ceil(9.0 / cell)))
        for row, (name, label) in list(enumerate(zip(truth, self.map.truth, strict=True)))[::every]:
            marks.append(Words(0.0, row + 0.5, name, "ink", size, "end", (-5.0, 0.0), tip=plain_label(label)))
        for column, (name, label) in list(enumerate(zip(system, self.map.system, strict=True)))[::every]:
            tip = plain_label(label)
            marks.append(Words(column + 0.5, 0.0, name, "ink", size, "start", (0.0, -5.0), 90.0, tip=tip))
        title = f"predicted{_STATED[self.shown]}"
        marks.append(Words(columns / 2, 0.0, title, "dim", anchor="middle", shift=(0.0, 12.0 - top)))
        marks.append(Words(0.0, rows / 2, "true", "dim", anchor="middle", shift=(12.0 - left, 0.0), angle=90.0))
        start = max(4.0, min(left, panel.width - key_room))
        return replace(panel, marks=(*marks, *draw_legend(panel, start, panel.height - 14.0, key)))

    def _draw_cells(self, texts: Sequence[Sequence[str]]) -> Iterator[Mark]:
        """Yield a rectangle for each cell with what is written into it."""
        colours, shares = self.map.colours, self.map.of_truth
        is_large = max(self.map.counts.shape) > 16
        for (i, j), count in np.ndenumerate(self.map.counts):
            colour, text = hexadecimal(colours[i, j]), texts[i][j]
            tip = (
                f"true {plain_label(self.map.truth[i])}\npredicted {plain_label(self.map.system[j])}\n"
                f"{write_count(count)}: {shares[i, j]:.1%} of the true, {self.map.of_system[i, j]:.1%} "
                "of the predicted class"
            )
            yield Bar((j + 0.03, i + 0.03), (j + 0.97, i + 0.97), colour if count else "plane", tip=tip)
            ink = on_colour(colour) if count else "dim"
            size: Size = "small" if is_large or len(text) > 4 else "normal"
            yield Words(j + 0.5, i + 0.5, text, ink, size, "middle", bold=bool(self.map.hits[i, j]))


# Matrices of several systems ------------------------------------------------------------------------------------------

Cells = Literal["none", "count", "of_truth", "of_system"]
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
    """Text of the cells: nothing, counts, or P(predicted | true) or P(true | predicted) in percent."""

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
        """Draw a matrix per table with its scores by ``metrics``, and write ``cells``.

        With ``cells="of_truth"`` they show P(predicted | true), where rows sum to 100%, with ``"of_system"``
        P(true | predicted), where columns do, in their colours, too.
        """
        if cells not in get_args(Cells):
            raise InputError(f"cells is {cells!r}; it is none, count, of_truth or of_system")
        if columns is not None and columns < 1:
            raise InputError(f"columns is {columns}; give at least one matrix per row")
        named = name_tables(tables, name)
        if len(named) > MOST_MATRICES:
            raise InputError(f"{len(named)} matrices are too many for one picture; draw at most {MOST_MATRICES}")
        entries = [find(metric) for metric in as_names(metrics)]
        for metric, entry in zip(as_names(metrics), entries, strict=True):
            if entry.card.level != "table":
                raise InputError(f"{metric!r} has a value for each class or cell; name one of the whole table")
        matrices = []
        for key, table in named.items():
            scores = []
            for entry in entries:
                title = entry.card.title_in_sentence if len(entry.card.title) <= 12 else entry.card.symbol
                value = float(entry.score(table))
                scores.append(f"{title} {value:.3f}" if np.isfinite(value) else f"{title} undefined")
            matrices.append(ScoredMatrix(key, heat_map(table, "given"), tuple(scores)))
        return cls(matrices, columns, cells)

    def panel(self) -> Panel:
        """Draw the matrices in rows, with a common key of the colours."""
        count = len(self.matrices)
        shapes = [matrix.map.counts.shape for matrix in self.matrices]
        classes = max(max(shape) for shape in shapes)
        drawn_cells = self.cells != "none" and classes <= MOST_DRAWN_CELLS
        side = 34.0 if drawn_cells else max(1.0, min(22.0, 150.0 / classes))
        words = max(measure_width(text, FONT["small"]) for matrix in self.matrices for text in (*matrix.scores, ""))
        wide = max(max(columns for _, columns in shapes) * side, words, 96.0)
        room = 0.0, 0.0  # for the names of the classes, in front and above; none where cells have no numbers
        if self.cells != "none" and side >= 20.0:
            truth, system = (
                max(
                    measure_width(fit_label(name, 70.0, 11.0), 11.0)
                    for matrix in self.matrices
                    for name in names(matrix.map)
                )
                for names in (attrgetter("truth"), attrgetter("system"))
            )
            room = truth + 8.0, system + 8.0
        across = min(count, int(900.0 // (wide + _GAP)), max(5, ceil(sqrt(2 * count))))
        across = min(count, self.columns or max(1, across))
        down = ceil(count / across)
        across = self.columns or ceil(count / down)  # rows as long as each other
        lines = max(len(matrix.scores) for matrix in self.matrices)
        high = _HEAD + room[1] + side * max(rows for rows, _ in shapes) + 8.0 + _LINE * lines + _GAP
        width, height = across * (wide + room[0] + _GAP) + 16.0, down * high + 24.0
        scores = "; ".join(f"{shorten(m.name, 40)}: {', '.join(m.scores)}" for m in self.matrices[:6])
        # the end of the common scale, and the key, which must have room
        worst = max(matrix.map.find_worst_error(self._list_shares(matrix)) for matrix in self.matrices)
        key = [(HITS[2], "right")]
        key += [(ERRORS[3], f"wrong, darkest: {worst:.0%} of the {self._whole} class")] if worst > 0 else []
        key += [(REJECTIONS[3], "rejected")] if any(matrix.map.rejected.any() for matrix in self.matrices) else []
        width = max(width, 300.0, 16.0 + measure_legend(key))
        panel = Panel(
            "Confusion matrices",
            f"{count} confusion matrices on one scale. {scores}.",
            Axis(0.0, width),
            Axis(height, 0.0),
            width=width,
            height=height,
            margins=(0.0, 0.0, 0.0, 0.0),
        )

        with_tips = sum(rows * columns for rows, columns in shapes) <= MOST_TIPS
        marks: list[Mark] = []
        # bold, and larger on small pages
        titles = fit_labels((m.name for m in self.matrices), (wide + room[0] + _GAP - 8.0) / (1.1 * WIDER_WORDS))
        for place, (matrix, title) in enumerate(zip(self.matrices, titles, strict=True)):
            x = 16.0 + (place % across) * (wide + room[0] + _GAP) + room[0]
            y = 4.0 + (place // across) * high + _HEAD + room[1]
            tip = plain_label(matrix.name)
            marks.append(Words(x, y - room[1] - 12.0, title, bold=True, of=matrix.name, tip=tip))
            marks += self._draw_cells(matrix, (x, y), side, worst, with_tips=with_tips)
            for row, label in enumerate(matrix.map.truth if room[0] else ()):
                text = fit_label(label, 70.0, FONT["small"])
                marks.append(Words(x - 5.0, y + (row + 0.5) * side, text, "dim", "small", "end"))
            for column, label in enumerate(matrix.map.system if room[0] else ()):
                text = fit_label(label, 70.0, FONT["small"])
                marks.append(Words(x + (column + 0.5) * side, y - 5.0, text, "dim", "small", "start", angle=90.0))
            bottom = y + matrix.map.counts.shape[0] * side
            for line, text in enumerate(matrix.scores):
                marks.append(Words(x, bottom + 14.0 + _LINE * line, text, "ink", "small"))
        return replace(panel, marks=(*marks, *draw_legend(panel, 16.0, panel.height - 12.0, key)))

    @property
    def _whole(self) -> str:
        """What the shares are of."""
        return "predicted" if self.cells == "of_system" else "true"

    def _list_shares(self, matrix: ScoredMatrix) -> NDArray[Any]:
        return matrix.map.of_system if self.cells == "of_system" else matrix.map.of_truth

    def _draw_cells(
        self, matrix: ScoredMatrix, corner: Point, side: float, worst: float, *, with_tips: bool
    ) -> Iterator[Mark]:
        """Yield the cells of one matrix, or an image of them, from its upper left corner on."""
        (x, y), (rows, columns) = corner, matrix.map.counts.shape
        shares = self._list_shares(matrix)
        colours = matrix.map.colour(shares, worst)
        if max(rows, columns) > MOST_DRAWN_CELLS or not (with_tips or self.cells != "none"):
            yield Raster((x, y), (x + columns * side, y + rows * side), colours)
            return
        for (i, j), number in np.ndenumerate(matrix.map.counts):
            share, count = float(shares[i, j]), float(number)
            colour = hexadecimal(colours[i, j])
            tip = (
                f"{plain_label(matrix.name)}\ntrue {plain_label(matrix.map.truth[i])}\n"
                f"predicted {plain_label(matrix.map.system[j])}\n{write_count(count)}, {share:.1%} of the "
                f"{self._whole} class"
            )
            low = (x + j * side + 0.5, y + i * side + 0.5)
            far = (low[0] + side - 1.0, low[1] + side - 1.0)
            yield Bar(low, far, colour if count else "plane", tip=tip if with_tips else None)
            if self.cells != "none":
                text = (write_count(count) if self.cells == "count" else _format_percent(share)) if count else "·"
                ink = on_colour(colour) if count else "dim"
                middle = (low[0] + side / 2 - 0.5, low[1] + side / 2 - 0.5)
                yield Words(*middle, text, ink, "small" if len(text) < 4 else "tiny", "middle")


def _format_percent(share: float) -> str:
    """Write a share in whole percent; what is not 0 or 1 is never rounded to it.

    >>> _format_percent(0.412), _format_percent(0.0045), _format_percent(0.9955), _format_percent(1.0)
    ('41%', '<1%', '>99%', '100%')
    """
    text = f"{share:.0%}"
    if text == "0%" and share > 0:
        return "<1%"
    return ">99%" if text == "100%" and share < 1 else text
