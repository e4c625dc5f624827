"""Confusion matrices side by side, on one scale, with the scores of each below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Literal, Self

import numpy as np

from infoscope.errors import InputError
from infoscope.figures.confusion import HeatMap, heat_map
from infoscope.figures.drawing.colours import ERRORS, HITS, hexadecimal, on_colour
from infoscope.figures.drawing.layout import FONT, count_text, fitting, legend, plain_label, shortened, width_of
from infoscope.figures.drawing.scene import Axis, Bar, Mark, Panel, Raster, Words
from infoscope.figures.inputs import Tables, tables_by_name
from infoscope.figures.table_display import TableDisplay
from infoscope.metrics.registry import find
from infoscope.readers.named_columns import as_names
from infoscope.tables import Contingency

__all__ = [
    "DEFAULT_METRICS",
    "MOST_DRAWN_CELLS",
    "MOST_MATRICES",
    "ConfusionGridDisplay",
    "ScoredMatrix",
]

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
